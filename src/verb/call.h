/* One call of one operation: from checked arguments to a result, exactly once.
 *
 * A call that must wait is this object with a handler's own state; its steps are functions in reading order in the handler's file.
 * Calls that are `in_order` wait in the session's queue until the earlier ones are done; the others (pause, status, stop,
 * set_breakpoints) are served at once, so that they work while another call waits. */
#pragma once

#include "base/buffer.h"

#include <stdbool.h>
#include <stdint.h>
#include <yyjson.h>

struct session;
struct session_host;
struct verb;
struct world;
struct call;

/* What a call ends in. Text is complete and within the limits; `structured` NULL when it is not wanted. */
struct result {
    bool is_error;
    struct buffer text;
    yyjson_mut_doc *structured;
};

struct world *world_new(struct session_host *host, const char *project_folder, bool structured);
void world_free(struct world *world);

/* Starts a call. `arguments` is the host's object or NULL; it is copied. `done` is called once, maybe before this returns (then NULL is
 * returned); the result is the caller's only during `done`. */
typedef void (*call_done_fn)(void *user, struct result *result);
struct call *call_start(struct world *world, const struct verb *verb, yyjson_val *arguments, call_done_fn done, void *user);

/* The host cancelled: the wait ends, the program goes on; a launch under way is cleaned up. `done` is still called (now or soon). */
void call_cancel(struct call *call);

/* "waiting for the program to stop" and the like, for progress. */
const char *call_doing(const struct call *call);

/* Time for the world: sessions that nobody calls are ended when the settings say so (idleMs). */
uint64_t world_deadline(const struct world *world); /* UINT64_MAX: never */
void world_on_time(struct world *world, uint64_t now);

/* Asks every session to end (disconnect), without waiting. For the end of Dapple. */
void world_end_all(struct world *world);
/* True when no session has a process left. */
bool world_quiet(const struct world *world);
