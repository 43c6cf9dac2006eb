/* dap_continue, the steps, dap_step_back, dap_reverse_continue, dap_restart_frame, dap_pause: send, wait for the stop, report it.
 *
 * The wait is registered before the request is sent, so that a stop that overtakes the answer is not lost. A wait that ends early still
 * waits for the answer to the request (bounded by the request time-out): "running" is said only when it was not refused. */
#include "verb/internal.h"
#include "verb/run_until.h"
#include "verb/step_series.h"

#include <string.h>

struct resume_state {
    struct resume resume;
    struct until *until; /* on the way to a place; NULL */
    char *jumped_from;   /* the function that a goto was in; NULL */
    struct step_series series;
    struct call_link *link; /* of the request that is not answered; NULL */
    bool answered;
    bool wait_over;
    bool reporting; /* a stop overtook the answer: its packet is being read */
    enum wait_outcome outcome;
};

/* The stack stays as it was, whatever function the jump leads into. */
static void warn_of_jump(struct call *call)
{
    struct resume_state *state = call->state;
    const struct stop *stop = session_stop(call_session(call));
    int64_t line;
    bool elsewhere = state->resume.kind == RESUME_GOTO && json_int(call->arguments, "line", &line) && stop != NULL &&
                     strcmp(stop->reason, "goto") == 0 && stop->frame_count > 0 && stop->frames[0].line != line;
    if (elsewhere)
        call_warn(call,
                  "line %lld was asked for, and the program stands in line %lld: there is no code, or it is another function's",
                  (long long)line, (long long)stop->frames[0].line);
    bool left = state->jumped_from != NULL && stop != NULL && strcmp(stop->reason, "goto") == 0 && stop->frame_count > 0 &&
                strcmp(stop->frames[0].name, state->jumped_from) != 0;
    if (left)
        call_warn(
            call,
            "the jump left %s: %s now runs in its frame, so that variables are not what they seem; dap_goto back, or dap_restart",
            state->jumped_from, stop->frames[0].name);
}

static void send(struct call *call);

/* The answer to the step before may still be to come: the stop has told all of it. */
static void send_next_step(struct call *call)
{
    struct resume_state *state = call->state;
    if (state->link != NULL)
        call_link_drop(state->link);
    state->link = NULL;
    state->answered = state->wait_over = false;
    send(call);
}

static void go_on(struct call *call)
{
    struct resume_state *state = call->state;
    bool early = state->outcome == WAIT_TIMED_OUT || state->outcome == WAIT_CANCELLED;
    if (state->reporting || !state->wait_over || (early && !state->answered))
        return;
    if (step_series_goes_on(call, &state->series, state->outcome)) {
        send_next_step(call);
        return;
    }
    state->reporting = true;
    warn_of_jump(call);
    step_series_say(call, &state->series, state->outcome);
    if (state->until != NULL)
        until_end(call, state->until, state->outcome);
    else
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

/* After the first steps, a refusal is where the series ends: the program stands where they led. */
static void end_series(struct call *call, const struct error *error)
{
    struct resume_state *state = call->state;
    state->reporting = true;
    error_set(&state->series.error, error->kind, "%s", error->message);
    step_series_say(call, &state->series, WAIT_STOPPED);
    report_wait_outcome(call, WAIT_STOPPED);
}

static void fail(struct call *call, const struct error *error)
{
    struct resume_state *state = call->state;
    if (state->series.done > 0)
        end_series(call, error);
    else if (state->until != NULL)
        until_fail(call, state->until, error);
    else
        call_give_up(call, error);
}

static void on_answer(void *user, const struct error *error)
{
    struct call *call = call_link_take(user);
    if (call == NULL)
        return; /* a stop overtook the answer, and was reported */
    struct resume_state *state = call->state;
    state->answered = true;
    state->link = NULL;
    if (error == NULL || state->reporting) {
        go_on(call);
    } else {
        forget_wait(call);
        fail(call, error);
    }
}

static void begin_wait(struct call *call, uint64_t wait_ms)
{
    call->wait_ms = wait_ms;
    call->wait = session_wait(call_session(call), call->wait_ms, on_wait, call);
}

/* ---- resuming ---- */

static void send(struct call *call)
{
    struct resume_state *state = call->state;
    AUTO_ERROR struct error error = ERROR_INIT;
    begin_wait(call, step_series_left_ms(call, &state->series));
    state->link = call_link_new(call);
    if (session_resume(call_session(call), &state->resume, on_answer, state->link, &error) < 0) {
        call_link_take(state->link);
        state->link = NULL;
        forget_wait(call);
        fail(call, &error);
    }
}

/* Some adapters take any number for a thread's: it is looked up before. */
static void on_threads(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct resume_state *state = call->state;
    AUTO_ERROR struct error error = ERROR_INIT;
    int64_t adapter_thread;
    call->request = 0;
    if (answer->outcome != DAP_OK) {
        AUTO_FREE char *why = session_answer_text(answer);
        error_set(&error, answer->outcome == DAP_TIMED_OUT ? ERROR_TIMEOUT : ERROR_REQUEST, "%s", why);
        fail(call, &error);
        return;
    }
    int result = session_resolve_thread(call_session(call), state->resume.thread_id, &adapter_thread, &error);
    if (result == 0 && !threads_list(json_array(answer->body, "threads"), adapter_thread))
        result =
            error_set(&error, ERROR_ARGUMENT, "/thread_id: the program has no thread %lld at this stop; dap_threads lists them",
                      (long long)state->resume.thread_id);
    if (result < 0)
        fail(call, &error);
    else
        send(call);
}

static void free_state(void *user)
{
    struct resume_state *state = user;
    until_free(state->until);
    step_series_done(&state->series);
    free(state->jumped_from);
    free(state);
}

static struct resume_state *state_new(struct call *call)
{
    struct resume_state *state = xcalloc(1, sizeof(*state));
    if (call->free_state != NULL)
        call->free_state(call->state);
    call->state = state;
    call->free_state = free_state;
    return state;
}

void call_keep_until(struct call *call, struct until *until)
{
    state_new(call)->until = until;
}

struct until *call_until(const struct call *call)
{
    const struct resume_state *state = call->state;
    return state->until;
}

void call_resume_until(struct call *call, const struct resume *resume, struct until *until)
{
    struct resume_state *state = call->state;
    if (until == NULL)
        state = state_new(call);
    state->resume = *resume;
    step_series_begin(call, resume, &state->series);
    const struct stop *stop = session_stop(call_session(call));
    if (resume->kind == RESUME_GOTO && stop != NULL && stop->frame_count > 0)
        state->jumped_from = xstrdup(stop->frames[0].name);
    if (resume->has_thread && !(stop != NULL && stop->has_thread && stop->thread_id == resume->thread_id))
        call_request(call, "threads", NULL, on_threads);
    else
        send(call);
}

void call_resume(struct call *call, const struct resume *resume)
{
    call_resume_until(call, resume, NULL);
}

struct resume call_resume_arguments(const struct call *call, enum resume_kind kind)
{
    struct resume resume = { .kind = kind };
    const char *granularity = json_string(call->arguments, "granularity");
    if (granularity != NULL && strcmp(granularity, "line") == 0)
        resume.granularity = STEP_LINE;
    else if (granularity != NULL && strcmp(granularity, "instruction") == 0)
        resume.granularity = STEP_INSTRUCTION;
    resume.has_thread = json_int(call->arguments, "thread_id", &resume.thread_id);
    resume.single_thread = json_bool(call->arguments, "single_thread", false);
    return resume;
}

static void resume(struct call *call, enum resume_kind kind)
{
    struct resume resume = call_resume_arguments(call, kind);
    call_resume(call, &resume);
}

void verb_continue(struct call *call)
{
    struct resume resume = call_resume_arguments(call, RESUME_CONTINUE);
    if (json_string(call->arguments, "until") != NULL)
        until_begin(call, &resume);
    else
        call_resume(call, &resume);
}

void verb_next(struct call *call)
{
    resume(call, RESUME_NEXT);
}

void verb_step_out(struct call *call)
{
    resume(call, RESUME_STEP_OUT);
}

void verb_step_back(struct call *call)
{
    resume(call, RESUME_STEP_BACK);
}

void verb_reverse_continue(struct call *call)
{
    resume(call, RESUME_REVERSE_CONTINUE);
}

void verb_restart_frame(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct resume resume = { .kind = RESUME_RESTART_FRAME, .has_target = true };
    const struct frame *frame;
    int result = call_top_frame(call, &resume.target, &frame, &error);
    if (result == 0 && frame != NULL && frame->cannot_restart)
        result =
            error_set(&error, ERROR_ARGUMENT,
                      "/frame_id: the adapter says that the frame of %s cannot be restarted; dap_stack has others", frame->name);
    if (result < 0)
        call_give_up(call, &error);
    else
        call_resume(call, &resume);
}

/* ---- pausing ---- */

/* What runs code stands still at once; what does not may never. */
static uint64_t pause_wait_ms(const struct call *call)
{
    uint64_t ms = call_wait_ms(call);
    bool asked = json_member(call->arguments, "timeout_ms") != NULL;
    return !asked && ms > TIMEOUT_PAUSE ? TIMEOUT_PAUSE : ms;
}

/* An adapter that lives in the program is as deaf as that. */
static void on_paused(void *user, const struct error *error)
{
    AUTO_ERROR struct error deaf = ERROR_INIT;
    if (error != NULL && error->kind == ERROR_TIMEOUT)
        error_set(&deaf, ERROR_TIMEOUT,
                  "%s: the program may be inside of one long operation of native code (a regular expression, a query, a lock); it "
                  "runs on, and stops when it comes out of it, which dap_status shows; dap_stop ends it",
                  error->message);
    on_answer(user, deaf.kind != ERROR_NONE ? &deaf : error);
}

void verb_pause(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    state_new(call);
    int64_t thread;
    bool chosen = json_int(call->arguments, "thread_id", &thread);
    begin_wait(call, pause_wait_ms(call));
    struct call_link *link = call_link_new(call);
    if (session_pause(call_session(call), chosen ? &thread : NULL, on_paused, link, &error) < 0) {
        call_link_take(link);
        forget_wait(call);
        call_give_up(call, &error);
    }
}
