/* One adapter: its process under a supervisor, its channels (pipes, TCP or a Unix socket), its stderr.
 *
 * Channels are connections of their own, each with a conversation of its own, under an id that the caller chooses. 0 is the root, which
 * comes with the start; its end is the end of the adapter's use, so the caller closes the rest then. Further ones are opened to the
 * adapter's server, or to another that the adapter names (child sessions); their ends are nobody's but their own.
 *
 * Callbacks come from the loop only, never from within a call into here; adapter_process_free is allowed in any of them.
 * Order: on_connected, then bytes; bytes that were read before the end of the stream; the ends of all streams and the last of stderr
 * before the exit. Every start ends in exactly one of
 *   on_start_failed   the root never connected and nothing is running any more,
 *   on_exit           it was connected, or terminate or kill was called; the whole tree is gone.
 *
 * Transports (session.h):
 *   SESSION_STDIO       Its stdin and stdout.
 *   SESSION_TCP         A port that is chosen here (the command says 0) replaces "$PORT" in the arguments and is PORT in the environment.
 *                       It is chosen here unless the announcement tells it and no argument asks for "$PORT". With an announcement the
 *                       connection is made once the words were seen on stdout or stderr, to the port that they name; without one,
 *                       connecting is tried until it succeeds, the adapter exits, or force is used. An adapter that finds the chosen port
 *                       taken is started again with another one; a port that the command names and that somebody listens on already is a
 *                       failure before anything starts.
 *   SESSION_TCP_ACCEPT  We listen on host (a loopback address) and a free port, "$PORT" and PORT as above; the first connection is the
 *                       adapter's, and nobody listens any more from then on.
 *   SESSION_UNIX        "$SOCKET" in the arguments is the path of a socket in a folder that only we can enter, which is removed at the
 *                       end. Connecting waits as with TCP.
 *   SESSION_CONNECT     Nothing is started; host and port are tried once. The root is the adapter's life: after its end on_exit(0, 0)
 *                       follows, and terminate and kill only hang up.
 * Where a process is not spoken to over its pipes, its stdin is a pipe that stays open until the root is closed (some servers end with
 * their stdin) and is never written. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct loop;
struct error;
struct adapter_command;
struct adapter_process;

#define ADAPTER_ROOT 0u

struct adapter_process_events {
    void (*on_connected)(void *user, uint32_t channel);
    void (*on_start_failed)(void *user, const struct error *why);
    void (*on_open_failed)(void *user, uint32_t channel, const struct error *why); /* never of the root */
    void (*on_bytes)(void *user, uint32_t channel, const char *bytes, size_t len);
    /* Once per channel, only after its on_connected; NULL: plain end of stream. The id of a channel that is not the root is free again. */
    void (*on_stream_end)(void *user, uint32_t channel, const char *why);
    void (*on_stderr)(void *user, const char *bytes, size_t len);
    void (*on_stdout)(void *user, const char *bytes, size_t len); /* not with SESSION_STDIO */
    void (*on_exit)(void *user, int code, int signal);            /* signal 0: it exited with `code` */
};

/* `executable`: the binary that has the supervisor's role. `command` stays valid until the end. */
struct adapter_process *adapter_process_start(struct loop *loop, const char *executable, const struct adapter_command *command,
                                              const struct adapter_process_events *events, void *user);
/* No callback comes any more; what still runs is killed. NULL: nothing. */
void adapter_process_free(struct adapter_process *process);

/* Opens another channel, under an id that is not in use: to host and port, or with host NULL to the server that the root is connected
 * to. Not before the root is connected. Tried once; on_connected or on_open_failed follows. */
void adapter_process_open(struct adapter_process *process, uint32_t channel, const char *host, uint16_t port);

/* Queues; never blocks and never fails here. What a dead adapter does not take is its end of stream, soon. Ids that are not in use are
 * allowed: nothing happens. */
void adapter_process_send(struct adapter_process *process, uint32_t channel, const char *bytes, size_t len);
/* After everything sent: closes the sending side (of the root also stdin). Reading goes on. A channel that is not connected yet is given
 * up: nothing is called for it any more. */
void adapter_process_close(struct adapter_process *process, uint32_t channel);
void adapter_process_terminate(struct adapter_process *process); /* SIGTERM to the tree */
void adapter_process_kill(struct adapter_process *process);      /* SIGKILL to the tree, until nothing is left */

/* While the root is not connected: what the adapter has not done yet, and what it does instead, for the message of whoever waits no longer.
 * "the adapter has not accepted a connection on port 4711, but listens on port 4712". Heap memory of the caller's; NULL: nothing to say. */
char *adapter_process_explain_wait(const struct adapter_process *process);

/* It holds a process that is not ours, and is to be given time. */
bool adapter_process_is_gentle(const struct adapter_process *process);

/* For the terminals of its programs: the adapter is killed after what holds this (supervisor.h). -1: there is nothing to hold. */
int adapter_process_latch(const struct adapter_process *process);

/* Hangs up (POLLHUP) when the tree is gone; -1 when it is, or never was. */
int adapter_process_descriptor(const struct adapter_process *process);
