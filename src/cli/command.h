/* The commands of the command line: the operations of the table through the daemon, and those about the daemon.
 *
 * Exit status: 0 done, 1 the operation failed, 2 usage, 3 no such session or wrong state, 4 adapter or daemon failure; 130 after Ctrl-C. */
#pragma once

#include "base/error.h"

#include <stdbool.h>

enum status { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2, STATUS_STATE = 3, STATUS_BROKEN = 4, STATUS_INTERRUPTED = 130 };

struct verb;
struct command_line;

/* argv[0] is the command. */
int command_main(int argc, char **argv);

/* ---- for the commands that are made of others ---- */
enum status command_status(bool failed, enum error_kind kind);
enum status command_complain(const struct error *error); /* "dapple: …" on stderr */
int daemon_command_main(int argc, char **argv);          /* dapple daemon status|stop */
int log_main(int argc, char **argv);
