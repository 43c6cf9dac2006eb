/* dap_continue, dap_next, dap_step_in, dap_step_out, dap_pause: send, wait for the stop, report it.
 *
 * The wait is registered before the request is sent, so that a stop that overtakes the answer is not lost. A wait that ends early still
 * waits for the answer to the request (bounded by the request time-out): "running" is said only when it was not refused. */
#include "verb/internal.h"

struct resume_state {
    bool answered;
    bool wait_over;
    bool reporting; /* a stop overtook the answer: its packet is being read */
    enum wait_outcome outcome;
};

static void go_on(struct call *call)
{
    struct resume_state *state = call->state;
    bool early = state->outcome == WAIT_TIMED_OUT || state->outcome == WAIT_CANCELLED;
    if (state->reporting || !state->wait_over || (early && !state->answered))
        return;
    state->reporting = true;
    report_wait_outcome(call, state->outcome);
}

static void on_wait(void *user, enum wait_outcome outcome)
{
    struct call *call = user;
    struct resume_state *state = call->state;
    call->wait = NULL;
    state->wait_over = true;
    state->outcome = outcome;
    go_on(call);
}

static void forget_wait(struct call *call)
{
    if (call->wait != NULL)
        session_wait_forget(call_session(call), call->wait);
    call->wait = NULL;
}

static void on_answer(void *user, const struct error *error)
{
    struct call *call = call_link_take(user);
    if (call == NULL)
        return; /* a stop overtook the answer, and was reported */
    struct resume_state *state = call->state;
    state->answered = true;
    if (error == NULL || state->reporting) {
        go_on(call);
    } else {
        forget_wait(call);
        call_fail(call, error);
    }
}

static void begin(struct call *call)
{
    call->state = xcalloc(1, sizeof(struct resume_state));
    call->free_state = free;
    call->wait_ms = call_wait_ms(call);
    call->wait = session_wait(call_session(call), call->wait_ms, on_wait, call);
}

static void refuse(struct call *call, struct call_link *link, const struct error *error)
{
    call_link_take(link);
    forget_wait(call);
    call_refuse_state(call, error->message);
}

static void resume(struct call *call, enum resume_kind kind)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    begin(call);
    struct call_link *link = call_link_new(call);
    if (session_resume(call_session(call), &(struct resume){ .kind = kind }, on_answer, link, &error) < 0)
        refuse(call, link, &error);
}

void verb_continue(struct call *call)
{
    resume(call, RESUME_CONTINUE);
}

void verb_next(struct call *call)
{
    resume(call, RESUME_NEXT);
}

void verb_step_in(struct call *call)
{
    resume(call, RESUME_STEP_IN);
}

void verb_step_out(struct call *call)
{
    resume(call, RESUME_STEP_OUT);
}

void verb_pause(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    begin(call);
    struct call_link *link = call_link_new(call);
    if (session_pause(call_session(call), on_answer, link, &error) < 0)
        refuse(call, link, &error);
}
