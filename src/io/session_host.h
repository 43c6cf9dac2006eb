/* Gives a session its adapter process, its transport and its time (implements session_host_ops). */
#pragma once

#include <stdbool.h>

struct loop;
struct session;
struct session_host;

/* `executable`: path of this binary, for the supervisor's role (normally /proc/self/exe). */
struct session_host *session_host_new(struct loop *loop, const char *executable);
void session_host_free(struct session_host *host); /* all sessions must have ended */

/* A new session under this host; owned by the host, alive until session_host_free. */
struct session *session_host_open(struct session_host *host, const char *name);

/* Kills every adapter's tree at once and waits (bounded, about 200 ms) until they are gone. For the end of Dapple itself. */
void session_host_kill_all(struct session_host *host);
