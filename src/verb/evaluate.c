/* dap_evaluate: an expression in a frame. The context is "watch": in several adapters "repl" is a debugger's command line. */
#include "verb/internal.h"
#include "verb/shown_frame.h"
#include "verb/summary.h"

#include <string.h>

static void free_evaluation(void *user)
{
    variable_done(user);
    free(user);
}

static void report(void *user)
{
    struct call *call = user;
    struct session *session = call_session(call);
    struct variable *evaluation = call->state;
    session_inspect_end(session, call->turn);
    if (session_stop(session) != NULL) {
        evaluation->handle = session_value_handle(session, evaluation->adapter_reference, evaluation->named, evaluation->indexed);
        evaluation->value_location_handle = session_location_handle(session, evaluation->value_location);
    }
    render_evaluation(&call->result.text, evaluation);
    structured_evaluation(call, evaluation);
    call_succeed(call);
}

static void on_result(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct session *session = call_session(call);
    call->request = 0;
    if (answer->outcome != DAP_OK) {
        session_inspect_end(session, call->turn);
        AUTO_ERROR struct error error = ERROR_INIT;
        AUTO_FREE char *why = session_answer_text(answer);
        if (answer->outcome == DAP_TIMED_OUT)
            error_set(&error, ERROR_TIMEOUT,
                      "%s; the expression may still be running: dap_status shows the state, dap_stop ends the session", why);
        else
            error_set(&error, ERROR_REQUEST, "%s", why);
        call_fail(call, &error);
        return;
    }
    struct variable *evaluation = xcalloc(1, sizeof(*evaluation));
    evaluation_read(answer->body, evaluation);
    call->state = evaluation;
    call->free_state = free_evaluation;
    summaries_read(session, NULL, evaluation, 1, report, call);
}

static void on_turn(void *user)
{
    struct call *call = user;
    struct session *session = call_session(call);
    const struct stop *stop = session_stop(session);
    AUTO_ERROR struct error error = ERROR_INIT;
    int64_t handle = 0, frame = 0;
    bool failed = false;
    if (json_int(call->arguments, "frame_id", &handle)) {
        failed = session_resolve_frame(session, handle, &frame, &error) < 0;
    } else if (stop == NULL || stop->frame_count == 0) {
        failed = error_set(&error, ERROR_STATE, "evaluate requires a top Stack Frame") < 0;
    } else {
        frame = stop->frames[shown_frame(stop, call->named->world->project)].adapter_id; /* whose variables the stop showed */
    }
    if (failed) {
        session_inspect_end(session, call->turn);
        if (error.kind == ERROR_STATE)
            call_refuse_state(call, error.message);
        else
            call_fail(call, &error);
        return;
    }
    call_request(call, "evaluate", evaluate_arguments(json_string(call->arguments, "expression"), frame), on_result);
}

void verb_evaluate(struct call *call)
{
    session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
