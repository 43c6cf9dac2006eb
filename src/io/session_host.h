/* Gives a session its adapter process, its transport and its time (implements session_host_ops). What the callbacks promise stands
 * in adapter_process.h; each is preceded by session_on_time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct session;
struct session_host;

/* `executable`: path of this binary, for the supervisor's role (normally /proc/self/exe). */
struct session_host *session_host_new(struct loop *loop, const char *executable);
/* All sessions must have ended; an adapter that runs nevertheless is killed. Before loop_done. */
void session_host_free(struct session_host *host);

/* A new session under this host; owned by the host, alive until session_host_free. */
struct session *session_host_open(struct session_host *host, const char *name);

/* Frees a session that has no process any more. */
void session_host_close(struct session_host *host, struct session *session);

/* What the session's processes inherit from now on (base/environment.h): NULL is Dapple's own. It must stay as long as the session, or
 * until there is another. */
void session_host_set_environment(struct session_host *host, const struct session *session, char **environment);

/* Tells every session the present time. Call it when something that did not come from an adapter (a request of the host program) is about
 * to use a session. */
void session_host_tick(struct session_host *host);

/* The time that sessions are told: milliseconds of the loop. */
uint64_t session_host_now(const struct session_host *host);

/* Kills every adapter's tree at once and waits (bounded, about 200 ms) until they are gone. For the end of Dapple itself. */
void session_host_kill_all(struct session_host *host);
