/* The daemon's role: `dapple __daemon FOLDER`, started by the first command that needs it; one for each user.
 *
 * It keeps the sessions between commands. It ends when it has been without a session and without a client for ten minutes (daemonIdleMs in
 * the user's settings), when it is asked to (`dapple daemon stop`), and on SIGTERM, SIGINT and SIGHUP; what it started ends with it, also
 * when it is killed. One that was killed leaves a list of its sessions, from which the next one tells the first client what is gone. */
#pragma once

#define DAEMON_ROLE "__daemon"
/* Descriptor of the pipe that it says "ready" to, or why it cannot serve; closed after that. */
#define DAEMON_READY_DESCRIPTOR 3
#define DAEMON_READY "ready\n"

int daemon_main(int argc, char **argv); /* returns the exit status */
