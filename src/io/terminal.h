/* One program in a terminal of its own: a pty of which it is the session leader, under a supervisor like an adapter, so that its whole
 * tree ends with Dapple.
 *
 * The terminal is 80 by 24 and plain (TERM=dumb, unless the command sets it): programs that ask keep colours and cursor movements to
 * themselves. It echoes its input, edits it by lines, and turns ^C into SIGINT, as terminals do, until the program sets it otherwise; a
 * line of more than 4095 bytes is cut by the terminal. Lines of output end in "\n" alone, as they do over pipes.
 *
 * Callbacks come from the loop only, never from within a call into here; terminal_free is allowed in any of them. Output is always read,
 * whether anybody waits for it or not. Each ends in exactly one of on_failed and, after all output, on_exit (without on_started only when
 * its supervisor was killed before). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct loop;
struct error;
struct terminal;
struct terminal_command;

struct terminal_events {
    void (*on_started)(void *user, pid_t pid);              /* of the program; with a shell, of the shell */
    void (*on_failed)(void *user, const struct error *why); /* it never ran */
    void (*on_output)(void *user, const char *bytes, size_t len);
    void (*on_exit)(void *user, int code, int signal); /* its whole tree is gone. signal 0: it exited with `code` */
};

/* `executable`: the binary that has the supervisor's role. The command is not needed any more afterwards. Its cwd may be NULL or "": ours.
 * `latch`: of its adapter (adapter_process_latch), held until the tree is gone. A shell (sh -c) is used only when the command says so; it gets the arguments with a space between each two. */
struct terminal *terminal_start(struct loop *loop, const char *executable, const struct terminal_command *command, int latch,
                                const struct terminal_events *events, void *user);
/* No callback comes any more; what still runs is killed. NULL: nothing. */
void terminal_free(struct terminal *terminal);

/* Queues what is typed; never blocks. -1: the program has not read LIMIT_TERMINAL_INPUT bytes of what was typed before, or has ended; then
 * nothing of this is typed. */
int terminal_type(struct terminal *terminal, const char *bytes, size_t len, struct error *ret_error);
void terminal_resize(struct terminal *terminal, unsigned short columns, unsigned short rows);

void terminal_terminate(struct terminal *terminal); /* SIGTERM to the tree */
void terminal_kill(struct terminal *terminal);      /* SIGKILL to the tree, until nothing is left */
/* The adapter is gone: the program gets TERMINAL_FAREWELL_MS for an end of its own, then SIGTERM, and after as long again SIGKILL. */
#define TERMINAL_FAREWELL_MS 200
void terminal_wind_up(struct terminal *terminal);

/* Hangs up (POLLHUP) when the tree is gone; -1 when it is, or never was. */
int terminal_descriptor(const struct terminal *terminal);
