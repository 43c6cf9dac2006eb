/* One process under a supervisor, as seen from Dapple (see supervisor.h for what the supervisor promises).
 *
 * Callbacks come from the loop only, never from within a call into here, and end with exactly one on_failed or on_gone. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

struct loop;
struct error;
struct supervised;

struct supervised_command {
    char **argv;        /* NULL-terminated */
    const char *cwd;    /* NULL: ours */
    char **env;         /* NULL-terminated "NAME=value" to set, "NAME" to remove; NULL: nothing */
    const char *socket; /* a private socket, to be removed at the end, even should Dapple be killed; NULL: none */
    bool gentle;        /* it holds a process that is not ours: see supervisor.h */
    int latch;          /* an end of a pipe (supervisor.h); stays the caller's to close. -1: none */
    int in, out, err; /* become its standard streams; stay the caller's to close. A terminal as `in` becomes its controlling one */
};

struct supervised_events {
    void (*on_started)(void *user, pid_t pid);              /* of the program itself, not of its supervisor */
    void (*on_failed)(void *user, const struct error *why); /* it never ran */
    /* Nothing is left of it or of what it started. signal 0: it exited with `code`. */
    void (*on_gone)(void *user, int code, int signal);
};

/* `executable`: the binary that has the supervisor's role. Returns NULL when not even the supervisor started. */
struct supervised *supervised_start(struct loop *loop, const char *executable, const struct supervised_command *command,
                                    const struct supervised_events *events, void *user, struct error *ret_error);
/* No callback comes any more. What still runs is killed; waits for its end, at most SUPERVISED_FREE_MS. */
#define SUPERVISED_FREE_MS 200
void supervised_free(struct supervised *supervised);

void supervised_terminate(struct supervised *supervised);
void supervised_kill(struct supervised *supervised);
/* A connection to the program, whose end it is not to see before it is ended itself, should Dapple die. The descriptor stays the caller's;
 * one that is shut down has ended, whoever holds it. */
void supervised_hold(struct supervised *supervised, int connection);
/* Hangs up (POLLHUP) when the tree is gone; -1 when it already is. For waiting without the loop; do not read from it. */
int supervised_descriptor(const struct supervised *supervised);
