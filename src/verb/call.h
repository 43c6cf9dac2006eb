/* One call of one operation: from checked arguments to a result, exactly once.
 *
 * A call that must wait is this object with a handler's own state; its steps are functions in reading order in the handler's file.
 * Calls that are `in_order` wait in the session's queue until the earlier ones are done; the others (pause, status, stop,
 * set_breakpoints) are served at once, so that they work while another call waits. */
#pragma once

#include "base/buffer.h"
#include "base/error.h"
#include "verb/verb.h"

#include <stdbool.h>
#include <stdint.h>
#include <yyjson.h>

struct session;
struct session_host;
struct roster;
struct world;
struct call;

/* What a call ends in. Text is complete and within the limits; `structured` NULL when it is not wanted. */
struct result {
    bool is_error;
    bool is_partial;      /* it has values, and something of it failed: a status for scripts, no error of the whole */
    enum error_kind kind; /* why, when it is an error */
    struct buffer text;
    yyjson_mut_doc *structured;
};

/* The sessions by name. Worlds look at one roster: the MCP server has one world, the daemon one for each place that it is called from. */
struct roster *roster_new(struct session_host *host);
void roster_free(struct roster *roster); /* after its worlds */

/* A place that calls come from: relative paths begin at the folder, which must be absolute, and its settings count; `environment` is what
 * calls from here look into and what they start processes with (NULL-terminated, copied; NULL: Dapple's own). */
struct world *world_new(struct roster *roster, const char *project_folder, char *const *environment, bool structured);
void world_free(struct world *world);
void world_offer(struct world *world, enum tool_set tools); /* what its callers are offered; before this: all */
bool world_in_use(const struct world *world);               /* by a call under way, or by a session that was launched from here */
bool world_is(const struct world *world, const char *project_folder, char *const *environment);

/* Starts a call. `arguments` is the host's object or NULL; it is copied. `done` is called once, maybe before this returns (then NULL is
 * returned); the result is the caller's only during `done`. */
typedef void (*call_done_fn)(void *user, struct result *result);
struct call *call_start(struct world *world, const struct verb *verb, yyjson_val *arguments, call_done_fn done, void *user);
/* The same, and whether this one call wants its result as JSON, too. One that peeks is nobody's: what can be told only once, such as new output,
 * waits for the next. */
enum call_form { CALL_TEXT, CALL_STRUCTURED, CALL_PEEKS };
struct call *call_start_as(struct world *world, const struct verb *verb, yyjson_val *arguments, enum call_form form,
                           call_done_fn done, void *user);

/* The host cancelled: the wait ends, the program goes on; a launch under way is cleaned up. `done` is still called (now or soon). */
void call_cancel(struct call *call);

/* "waiting for the program to stop" and the like, for progress. */
const char *call_doing(const struct call *call);

/* ---- what goes on ---- */

/* The call of this session that waits for the program: others that are served in order would have to wait for it. NULL: none. */
const struct call *roster_waiting_call(const struct roster *roster, const char *session);
void *call_user(const struct call *call); /* of call_start */

bool roster_has(const struct roster *roster, const char *session);
bool roster_has_active(const struct roster *roster, const char *session);
void roster_forget(struct roster *roster, const char *session); /* one that has ended, and whose last words nobody will read */
bool roster_active(const struct roster *roster);                /* is anything being debugged? */
/* Lines about what is being debugged, "main: /p/app.py (stopped)"; appended. */
void roster_describe(const struct roster *roster, struct buffer *out);
/* The same about what is not debugged any more, and can still be asked about. */
void roster_describe_ended(const struct roster *roster, struct buffer *out);

/* Time: sessions that nobody calls are ended when the settings say so (idleMs). */
uint64_t roster_deadline(const struct roster *roster); /* UINT64_MAX: never */
void roster_on_time(struct roster *roster, uint64_t now);

/* Asks every session to end (disconnect), without waiting. For the end of Dapple. */
void roster_end_all(struct roster *roster);
/* True when no session has a process left. */
bool roster_quiet(const struct roster *roster);
