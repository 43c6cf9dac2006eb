/* What the operations that look at a stopped program share: capabilities, the frame, the end of a turn. */
#include "verb/internal.h"
#include "verb/shown_frame.h"

bool call_requires(struct call *call, const char *capability, const char *instead)
{
    struct session *session = call_session(call);
    if (session_capability(session, capability))
        return true;
    const char *adapter = session_adapter_id(session);
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_REQUEST, "%s cannot do this: it does not claim %s; %s", adapter == NULL ? "the adapter" : adapter,
              capability, instead);
    if (call->turn != NULL)
        call_end_turn(call);
    call_fail(call, &error);
    return false;
}

static const struct frame *find_frame(const struct session *session, int64_t handle)
{
    const struct stop *stop = session_stop(session);
    for (size_t i = 0; stop != NULL && i < stop->frame_count; i++)
        if (stop->frames[i].handle == handle)
            return &stop->frames[i];
    return session_kept_frame(session, handle);
}

#define NUMBERS 10000 /* ids begin behind them */

/* Frames are counted by people, too: 0 is the innermost, 4 the one that a stop calls frame 4. Its id; -1 and an error: none. */
static int64_t id_of_number(const struct stop *stop, int64_t number, struct error *ret_error)
{
    if (number < 0 || number >= NUMBERS || stop == NULL || stop->frame_count == 0)
        return number;
    if (number < (int64_t)stop->frame_count)
        return stop->frames[number].handle;
    return error_set(
        ret_error, ERROR_ARGUMENT,
        "frame_id %lld was never given out, and by number this stop has the frames 0 to %zu at hand; call dap_stack for "
        "the ids of this stop",
        (long long)number, stop->frame_count - 1);
}

int call_frame(struct call *call, int64_t *ret_adapter_id, const struct frame **ret_frame, struct error *ret_error)
{
    struct session *session = call_session(call);
    const struct stop *stop = session_stop(session);
    const struct frame *frame = NULL;
    int64_t handle;
    if (json_int(call->arguments, "frame_id", &handle)) {
        handle = id_of_number(stop, handle, ret_error);
        if (handle < 0)
            return -1;
        if (session_resolve_frame(session, handle, ret_adapter_id, ret_error) < 0)
            return -1;
        frame = find_frame(session, handle);
    } else if (stop == NULL || stop->frame_count == 0) {
        return error_set(ret_error, ERROR_STATE, "%s requires a top Stack Frame", call->verb->command);
    } else {
        frame = &stop->frames[shown_frame(stop, call->world->project)]; /* whose variables the stop showed */
        *ret_adapter_id = frame->adapter_id;
    }
    if (ret_frame != NULL)
        *ret_frame = frame;
    return 0;
}

int call_top_frame(struct call *call, int64_t *ret_adapter_id, const struct frame **ret_frame, struct error *ret_error)
{
    const struct stop *stop = session_stop(call_session(call));
    if (json_member(call->arguments, "frame_id") != NULL || stop == NULL || stop->frame_count == 0)
        return call_frame(call, ret_adapter_id, ret_frame, ret_error);
    *ret_adapter_id = stop->frames[0].adapter_id;
    if (ret_frame != NULL)
        *ret_frame = &stop->frames[0];
    return 0;
}

void call_give_up(struct call *call, const struct error *error)
{
    if (call->turn != NULL)
        session_inspect_end(call_session(call), call->turn);
    call->turn = NULL;
    if (error->kind == ERROR_STATE)
        call_refuse_state(call, error->message);
    else
        call_fail(call, error);
}

bool call_answered(struct call *call, const struct dap_answer *answer)
{
    call->request = 0;
    if (answer->outcome == DAP_OK)
        return true;
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_FREE char *why = session_answer_text(answer);
    error_set(&error, answer->outcome == DAP_TIMED_OUT ? ERROR_TIMEOUT : ERROR_REQUEST, "%s", why);
    call_give_up(call, &error);
    return false;
}

void call_end_turn(struct call *call)
{
    session_inspect_end(call_session(call), call->turn);
    call->turn = NULL;
}
