/* dap_stop: ends the session and every process of it; a process that was attached to goes on, unless it is to be killed. Safe to repeat. */
#include "io/session_host.h"
#include "verb/attached.h"
#include "verb/internal.h"
#include "verb/launch.h"

#define LOOK_EVERY_MS 10
#define KILL_MS 1000 /* for a killed process to be gone */

static void look(struct call *call, uint64_t until);

struct stop_state {
    bool was_active;
};

struct look {
    struct call *call;
    uint64_t until;
};

static void on_look(void *user, enum wait_outcome outcome)
{
    struct look *waiting = user;
    struct look now = *waiting;
    (void)outcome;
    free(waiting);
    now.call->wait = NULL;
    look(now.call, now.until);
}

/* The session's time is the clock: what died of a signal is there until it is seen to be gone. */
static void look(struct call *call, uint64_t until)
{
    if (!attached_lives(call->named) || session_host_now(call->world->host) >= until) {
        attached_tell_kill(call);
        report_state(call);
        return;
    }
    struct look *waiting = xcalloc(1, sizeof(*waiting));
    *waiting = (struct look){ call, until };
    call->wait = session_wait(call_session(call), LOOK_EVERY_MS, on_look, waiting);
}

static void on_ended(void *user, const struct error *error)
{
    struct call *call = user;
    (void)error;
    const struct stop_state *state = call->state;
    bool known = state->was_active || attached_pid(call->named) != 0;
    if (!json_bool(call->arguments, "kill", false) || session_attached_to(call_session(call)) == NULL || !known) {
        report_state(call);
        return;
    }
    attached_kill(call->named); /* where the adapter has not */
    look(call, session_host_now(call->world->host) + KILL_MS);
}

/* What is to become of the program, where that is asked for. */
static int set_fate(struct call *call, struct error *ret_error)
{
    struct session *session = call_session(call);
    bool attached = session_attached_to(session) != NULL;
    yyjson_val *kill = json_member(call->arguments, "kill");
    if (kill == NULL || !session_active(session))
        return 0;
    if (!yyjson_get_bool(kill) && !attached)
        return error_set(
            ret_error, ERROR_ARGUMENT,
            "/kill: false would leave the program running, but Dapple launched it: its output goes through its debugger, and it "
            "would end with that; start it yourself and dap_attach to be able to leave it");
    if (!yyjson_get_bool(kill) || !attached)
        return 0;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (session_set_fate(session, FATE_KILL, &error) == 0 || attached_pid(call->named) != 0)
        return 0;
    return error_set(ret_error, error.kind, "/kill: %s; dap_stop without it detaches", error.message);
}

void verb_stop(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct stop_state *state = xcalloc(1, sizeof(*state));
    state->was_active = session_active(call_session(call));
    call->state = state;
    call->free_state = free;
    attached_take_told(call->named);
    if (!state->was_active && session_state(call_session(call)) == SESSION_TERMINATED)
        call_note(
            call,
            "that end came before this call: nothing was running"); /* after an attach that was refused, it would pass for its end */
    if (set_fate(call, &error) < 0) {
        call_fail(call, &error);
        return;
    }
    attach_abandon(call->named);
    /* A process that stands still must not run on at that, as under js-debug, which lets go of it. */
    if (json_bool(call->arguments, "kill", false) && session_state(call_session(call)) == SESSION_STOPPED)
        attached_kill(call->named);
    session_end(call_session(call), "stopped by request", on_ended, call);
}
