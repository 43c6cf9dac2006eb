/* One adapter: its process under a supervisor, its transport (pipes or TCP), its stderr.
 *
 * Callbacks come from the loop only, never from within a call into here; adapter_process_free is allowed in any of them.
 * Order: on_connected, then bytes; bytes that were read before the end of the stream; the end of the stream and the last of stderr
 * before the exit. Every start ends in exactly one of
 *   on_start_failed   it never connected and nothing is running any more,
 *   on_exit           it was connected, or adapter_process_force was called; the whole tree is gone.
 *
 * TCP: the port, chosen here when the command says 0, replaces "$PORT" in the arguments and is PORT in the environment. Connecting is
 * tried until it succeeds, the adapter exits, or force is called. An adapter that finds the chosen port taken is started again with
 * another one. Its stdin is a pipe that stays open until close (some servers end with their stdin) and is never written. */
#pragma once

#include <stddef.h>

struct loop;
struct error;
struct adapter_command;
struct adapter_process;

struct adapter_process_events {
    void (*on_connected)(void *user);
    void (*on_start_failed)(void *user, const struct error *why);
    void (*on_bytes)(void *user, const char *bytes, size_t len);
    void (*on_stream_end)(void *user, const char *why); /* once, only after on_connected; NULL: plain end of stream */
    void (*on_stderr)(void *user, const char *bytes, size_t len);
    void (*on_stdout)(void *user, const char *bytes, size_t len); /* TCP only */
    void (*on_exit)(void *user, int code, int signal);            /* signal 0: it exited with `code` */
};

/* `executable`: the binary that has the supervisor's role. `command` stays valid until the end. */
struct adapter_process *adapter_process_start(struct loop *loop, const char *executable, const struct adapter_command *command,
                                              const struct adapter_process_events *events, void *user);
/* No callback comes any more; what still runs is killed. NULL: nothing. */
void adapter_process_free(struct adapter_process *process);

/* Queues; never blocks and never fails here. What a dead adapter does not take is its end of stream, soon. */
void adapter_process_send(struct adapter_process *process, const char *bytes, size_t len);
/* After everything sent: closes stdin, or the sending side of the connection. Reading goes on. */
void adapter_process_close(struct adapter_process *process);
void adapter_process_terminate(struct adapter_process *process); /* SIGTERM to the tree */
void adapter_process_kill(struct adapter_process *process);      /* SIGKILL to the tree, until nothing is left */

/* Hangs up (POLLHUP) when the tree is gone; -1 when it is, or never was. */
int adapter_process_descriptor(const struct adapter_process *process);
