/* Resuming, pausing, and waiting for what comes of it. */
#include "session/internal.h"

#include <string.h>

/* ---- waits ---- */

struct session_wait *session_wait(struct session *session, uint64_t timeout_ms, wait_fn done, void *user)
{
    struct session_wait *wait = xcalloc(1, sizeof(*wait));
    wait->number = ++session->wait_count;
    wait->deadline = timeout_ms > UINT64_MAX / 4 ? UINT64_MAX : session->now + timeout_ms;
    wait->done = done;
    wait->user = user;
    struct session_wait **end = &session->waits;
    while (*end != NULL)
        end = &(*end)->next;
    *end = wait;
    return wait;
}

static void wait_finish(struct session_wait *wait, enum wait_outcome outcome)
{
    wait_fn done = wait->done;
    void *user = wait->user;
    free(wait);
    done(user, outcome);
}

static bool wait_take(struct session *session, struct session_wait *wait)
{
    for (struct session_wait **at = &session->waits; *at != NULL; at = &(*at)->next) {
        if (*at == wait) {
            *at = wait->next;
            return true;
        }
    }
    return false;
}

void session_wait_cancel(struct session *session, struct session_wait *wait)
{
    if (wait_take(session, wait))
        wait_finish(wait, WAIT_CANCELLED);
}

void session_wait_forget(struct session *session, struct session_wait *wait)
{
    if (wait_take(session, wait))
        free(wait);
}

/* A callback may have resumed the program or ended the session: then nobody else is told of the stop. */
static bool stop_is_still(const struct session *session, int64_t number)
{
    const struct stop *stop = session_stop(session);
    return stop != NULL && stop->number == number;
}

/* One at a time from the list, since a callback may forget, cancel and register others. */
void waits_finish(struct session *session, enum wait_outcome outcome, uint64_t last)
{
    int64_t stop = session->stop.number;
    while (session->waits != NULL && session->waits->number <= last) {
        if (outcome == WAIT_STOPPED && !stop_is_still(session, stop))
            return;
        struct session_wait *wait = session->waits;
        session->waits = wait->next;
        wait_finish(wait, outcome);
    }
}

static struct session_wait *find_due(const struct session *session, uint64_t last)
{
    struct session_wait *wait = session->waits;
    while (wait != NULL && wait->number <= last && wait->deadline > session->now)
        wait = wait->next;
    return wait != NULL && wait->number <= last ? wait : NULL;
}

void waits_on_time(struct session *session)
{
    uint64_t last = session->wait_count;
    struct session_wait *due;
    while ((due = find_due(session, last)) != NULL) {
        wait_take(session, due);
        wait_finish(due, WAIT_TIMED_OUT);
    }
}

uint64_t waits_deadline(const struct session *session)
{
    uint64_t at = UINT64_MAX;
    for (const struct session_wait *wait = session->waits; wait != NULL; wait = wait->next)
        if (wait->deadline < at)
            at = wait->deadline;
    return at;
}

/* ---- resume ---- */

/* Who asked for a request that needs no more than its outcome. */
struct asked {
    struct target *target;
    session_done_fn done;
    void *user;
    uint64_t resume_number; /* its own, or the one that a pause is to interrupt */
};

static struct asked *asked_new(struct target *target, session_done_fn done, void *user)
{
    struct asked *asked = xcalloc(1, sizeof(*asked));
    *asked = (struct asked){ .target = target, .done = done, .user = user };
    return asked;
}

static void asked_finish(struct asked *asked, const struct error *error)
{
    session_done_fn done = asked->done;
    void *user = asked->user;
    free(asked);
    done(user, error);
}

static void on_resume_answer(void *user, const struct dap_answer *answer)
{
    struct asked *asked = user;
    AUTO_FREE char *why = session_answer_text(answer);
    struct session *session = asked->target->session;
    bool newest = asked->resume_number == session->resume_number; /* a stop may have overtaken this answer, and been left again */
    if (newest)
        session->resume_pending = false;
    if (target_refused(asked->target, answer)) {
        if (newest)
            stop_put_back(session);
        AUTO_ERROR struct error error = ERROR_INIT;
        error_set(&error, ERROR_REQUEST, "%s", why);
        asked_finish(asked, &error);
        return;
    }
    /* No answer in time is no refusal: the program may well be running, and a retry would step twice. */
    if (answer->outcome == DAP_TIMED_OUT)
        session_notice(session, "%s", why);
    stop_promote(session);
    asked_finish(asked, NULL);
}

static yyjson_mut_doc *thread_arguments(int64_t thread_id)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_int(doc, arguments, "threadId", thread_id);
    return doc;
}

int session_resume(struct session *session, enum resume_kind kind, session_done_fn done, void *user, struct error *ret_error)
{
    static const char *const commands[] = { "continue", "next", "stepIn", "stepOut" };
    if (session->state != SESSION_STOPPED || !session->has_stop)
        return error_set(ret_error, ERROR_STATE, "%s requires a stopped Debuggee", commands[kind]);
    if (!session->stop.has_thread)
        return error_set(ret_error, ERROR_STATE, "Debuggee has no thread available for this operation");
    if (kind == RESUME_STEP_OUT && session_quirk(session, QUIRK_DIES_OF_STEP_OUT))
        return error_set(ret_error, ERROR_STATE,
                         "the step out of %s ends the program: set a breakpoint in the caller, and continue",
                         session_adapter_id(session));
    int64_t thread = session->stop.adapter_thread_id;
    session->step_thread = session->stop.thread_id;
    stop_keep_for_refusal(session);
    timer_stop(&session->pause_timer);
    session->resume_pending = true;
    session->stepping = kind != RESUME_CONTINUE;
    session_set_state(session, SESSION_RUNNING);
    struct asked *asked = asked_new(session->focus, done, user);
    asked->resume_number = ++session->resume_number;
    target_request(session->focus, commands[kind], thread_arguments(thread), session->timeouts.request, on_resume_answer, asked);
    return 0;
}

/* ---- pause ---- */

/* A pause of the whole session: every target that runs gets one. */
struct pause {
    struct session *session;
    uint64_t resume_number; /* what runs */
    size_t awaited;
    bool any_success;
    struct error error; /* the first refusal */
    session_done_fn done;
    void *user;
};

struct target_pause {
    struct target *target;
    struct pause *pause;
};

/* A thread to name in `pause`: the last one that stood still, else one that the adapter told of, else 1 (most adapters pause all
 * threads whatever the number). */
bool target_pick_thread(const struct target *target, int64_t *ret)
{
    for (size_t i = 0; i < target->thread_count; i++) {
        if (target->has_last_thread && target->threads[i] == target->last_thread) {
            *ret = target->last_thread;
            return true;
        }
    }
    if (target->thread_count > 0) {
        *ret = target->threads[0];
        return true;
    }
    *ret = target->has_last_thread ? target->last_thread : 1;
    return target->has_last_thread;
}

static void pause_release(struct pause *pause)
{
    if (--pause->awaited > 0)
        return;
    bool failed = !pause->any_success && pause->error.kind != ERROR_NONE;
    pause->done(pause->user, failed ? &pause->error : NULL);
    error_clear(&pause->error);
    free(pause);
}

static void on_pause_answer(void *user, const struct dap_answer *answer)
{
    struct target_pause *one = user;
    struct pause *pause = one->pause;
    if (target_refused(one->target, answer) || answer->outcome == DAP_TIMED_OUT) {
        timer_stop(&one->target->session->pause_timer);
        AUTO_FREE char *why = session_answer_text(answer);
        if (pause->error.kind == ERROR_NONE)
            error_set(&pause->error, answer->outcome == DAP_TIMED_OUT ? ERROR_TIMEOUT : ERROR_REQUEST, "%s", why);
    } else {
        pause->any_success = true;
    }
    free(one);
    pause_release(pause);
}

static void on_pause_again(void *user, const struct dap_answer *answer)
{
    (void)user;
    (void)answer; /* the first one's answer is the call's; the stop tells the rest */
}

#define PAUSE_AGAIN_AFTER 300 /* milliseconds */
#define PAUSES_AGAIN 10

static void on_pause_time(struct session *session)
{
    int64_t thread;
    if (session->state != SESSION_RUNNING || session->end_phase != END_NONE || session->pauses_left-- == 0)
        return;
    target_pick_thread(session->focus, &thread);
    target_request(session->focus, "pause", thread_arguments(thread), session->timeouts.request, on_pause_again, NULL);
    timer_set(session, &session->pause_timer, PAUSE_AGAIN_AFTER, on_pause_time);
}

static void send_pause(struct target_pause *one, int64_t thread)
{
    struct session *session = one->target->session;
    if (session_quirk(session, QUIRK_LOSES_EARLY_PAUSE)) {
        session->pauses_left = PAUSES_AGAIN;
        timer_set(session, &session->pause_timer, PAUSE_AGAIN_AFTER, on_pause_time);
    }
    target_request(one->target, "pause", thread_arguments(thread), session->timeouts.request, on_pause_answer, one);
}

static void on_pause_threads(void *user, const struct dap_answer *answer)
{
    struct target_pause *one = user;
    struct session *session = one->target->session;
    struct pause *pause = one->pause;
    bool goes_on = session->state == SESSION_RUNNING && session->end_phase == END_NONE && !one->target->gone;
    if (!goes_on || pause->resume_number != session->resume_number) {
        /* it stopped or ended by itself meanwhile, and may have been resumed: the wait tells */
        pause->any_success = true;
        free(one);
        pause_release(pause);
        return;
    }
    int64_t thread;
    target_pick_thread(one->target, &thread);
    yyjson_val *list = answer->outcome == DAP_OK ? json_array(answer->body, "threads") : NULL;
    bool known = false;
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        int64_t id;
        known = known || (json_int(item, "id", &id) && id == thread);
    }
    if (!known && yyjson_arr_size(list) > 0)
        json_int(yyjson_arr_get_first(list), "id", &thread);
    send_pause(one, thread);
}

static void pause_target(struct pause *pause, struct target *target)
{
    struct session *session = target->session;
    struct target_pause *one = xcalloc(1, sizeof(*one));
    *one = (struct target_pause){ target, pause };
    pause->awaited++;
    if (session_quirk(session, QUIRK_LOSES_EARLY_PAUSE)) {
        int64_t thread;
        target_pick_thread(target, &thread);
        send_pause(one, thread);
        return;
    }
    /* Adapters that cannot list threads while running refuse or stay silent: then the known ones do. */
    uint64_t bound = session->timeouts.request < 1000 ? session->timeouts.request : 1000;
    target_request(target, "threads", NULL, bound, on_pause_threads, one);
}

/* A root that only holds children has nothing to pause. */
static bool wants_pause(const struct session *session, const struct target *target)
{
    if (target->channel == 0)
        return !session->had_children || target->thread_count > 0 || session->target_count == 1;
    return target->ready && !target->has_queued;
}

int session_pause(struct session *session, session_done_fn done, void *user, struct error *ret_error)
{
    if (session->state != SESSION_RUNNING)
        return error_set(ret_error, ERROR_STATE, "pause requires a running Debuggee");
    struct pause *pause = xcalloc(1, sizeof(*pause));
    *pause =
        (struct pause){ .session = session, .resume_number = session->resume_number, .awaited = 1, .done = done, .user = user };
    for (size_t i = 0; i < session->target_count; i++)
        if (wants_pause(session, session->targets[i]))
            pause_target(pause, session->targets[i]);
    pause_release(pause);
    return 0;
}
