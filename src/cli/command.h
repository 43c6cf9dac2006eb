/* The commands of the command line: the operations of the table through the daemon, and those about the daemon.
 *
 * Exit status: 0 done, 1 the operation failed, 2 usage, 3 no such session or wrong state, 4 adapter or daemon failure; 130 after Ctrl-C. */
#pragma once

#include "base/error.h"
#include "cli/command_line.h"
#include "cli/exchange.h"

#include <stdbool.h>
#include <stdio.h>
#include <yyjson.h>

enum status { STATUS_DONE = 0, STATUS_FAILED = 1, STATUS_USAGE = 2, STATUS_STATE = 3, STATUS_BROKEN = 4, STATUS_INTERRUPTED = 130 };

struct verb;

/* argv[0] is the command. */
int command_main(int argc, char **argv);
enum status command_refuse(const char *word,
                           const char *next); /* there is no such command; did you mean …? `next`: the word behind it; NULL */

/* ---- for the commands that are made of others ---- */

/* Reads the words of an operation, and performs it or shows its help: what command_main does. */
enum status command_perform(const struct verb *verb, char *const *words);
/* The words without help and complaints: one call, and its answer for the caller. */
int command_call(const struct verb *verb, yyjson_val *arguments, bool structured, struct exchange *ret, struct error *ret_error);
/* What --json prints of an answer; the caller's. */
yyjson_mut_doc *command_json(const struct verb *verb, const struct answer *answer, bool with_text);
/* Sets breakpoints at functions (command_line.h) of a session, before what `verb` launches there; nothing while a program is debugged in it, since the
 * launch is then refused. What fails is the answer in *ret; returns 1 then. */
int command_functions(const struct command_line *line, const char *session, struct exchange *ret, struct error *ret_error);
enum status command_status(bool failed, enum error_kind kind);
enum status command_complain(const struct error *error); /* "dapple: …" on stderr */
enum status command_complain_in(const struct error *error, enum json_mode json);
enum status command_complain_as(const struct error *error, char *const *flags); /* the same, as JSON with --json among the flags */
void command_print(FILE *out, const struct verb *verb,
                   const char *text); /* in the words of the command line, with colours for a terminal */

/* ---- the others; argv[0] is the command ---- */
int break_main(int argc, char **argv);          /* dapple break …: breakpoints of every kind */
int run_main(int argc, char **argv);            /* dapple run PROGRAM …: launch, report each stop, end */
int daemon_command_main(int argc, char **argv); /* dapple daemon status|stop */
int log_main(int argc, char **argv);            /* dapple log */
