/* Pausing: what runs is asked to stand still; the stop itself comes as any other. */
#include "session/internal.h"

#include <string.h>

/* A pause of the whole session: every target that runs gets one. */
struct pause {
    struct session *session;
    uint64_t resume_number; /* what runs */
    bool has_thread;        /* one thread is meant, not all that runs */
    int64_t thread_id, adapter_thread;
    size_t awaited;
    bool any_success;
    struct error error; /* the first refusal */
    session_done_fn done;
    void *user;
};

struct target_pause {
    struct target_pause *next; /* of those that wait a moment */
    struct target *target;     /* NULL: it has ended meanwhile */
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

/* How many were sent: each is a signal of its own where the adapter pauses by one. */
static void send_pause_request(struct target *target, int64_t thread, dap_answer_fn answered, void *user)
{
    struct session *session = target->session;
    session->pauses_sent++;
    target_request(target, "pause", session_thread_arguments(thread, NULL), session->timeouts.request, answered, user);
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
    struct target *target = session->has_pause_thread ? session->pause_target : session->focus;
    if (target->held == NULL) {
        target_pick_thread(target, &thread);
        if (session->has_pause_thread)
            thread = session->pause_thread;
        send_pause_request(target, thread, on_pause_again, NULL);
    }
    timer_set(session, &session->pause_timer, PAUSE_AGAIN_AFTER, on_pause_time);
}

void pause_repeat(struct session *session)
{
    if (session->pauses_left == 0)
        return;
    session->pause_wanted = true;
    timer_set(session, &session->pause_timer, PAUSE_AGAIN_AFTER, on_pause_time);
}

/* ---- a program that runs no code ----
 *
 * The program that has not stopped by now waits for something, or is inside of native code: an expression is evaluated when that lets it,
 * and the pause stops in it. A pause that took effect in code that the adapter skips is spent: it stepped out of that, and found nothing to
 * stop in. So the next expression gets a pause of its own. */

static void on_idle_time(struct session *session);

static void on_awake(void *user, const struct dap_answer *answer)
{
    struct target *target = user;
    struct session *session = target->session;
    (void)answer;
    target->woken = false;
    /* Its end with nothing stopped in it: the pause was spent. */
    if (session->state != SESSION_RUNNING || session->end_phase != END_NONE || target->woken_in != session->resume_number ||
        session->pauses_left == 0)
        return;
    session->pauses_left--;
    target->pause_spent = true;
    target->pause_asked = true;
    timer_set(session, &session->pause_timer, PAUSE_AGAIN_AFTER, on_idle_time);
}

static void wake(struct target *target)
{
    struct session *session = target->session;
    target->pause_asked = false;
    target->woken = true;
    target->woken_in = session->resume_number;
    if (target->pause_spent) {
        int64_t thread;
        target_pick_thread(target, &thread);
        send_pause_request(target, thread, on_pause_again, NULL);
    }
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_string(doc, arguments, "expression", "undefined");
    json_add_string(doc, arguments, "context", "repl");
    target_request(target, "evaluate", doc, session->timeouts.request, on_awake, target);
}

static void on_idle_time(struct session *session)
{
    if (session->state != SESSION_RUNNING || session->end_phase != END_NONE)
        return;
    for (size_t i = 0; i < session->target_count; i++) {
        struct target *target = session->targets[i];
        if (target->pause_asked && !target->gone && !target->woken && target->held == NULL && !target->has_queued)
            wake(target);
    }
}

/* It steps through what it skips, and has more to do: the expression would be evaluated in between, with nothing stopped. */
void pause_on_continued(struct target *target)
{
    struct session *session = target->session;
    if (target->pause_asked && session->state == SESSION_RUNNING)
        timer_set(session, &session->pause_timer, PAUSE_AGAIN_AFTER, on_idle_time);
}

bool pause_woke(const struct target *target, const struct stop *stop)
{
    bool bare = stop->frame_count == 1 && (stop->frames[0].source_path == NULL || stop->frames[0].source_path[0] != '/');
    return target->woken && bare && strcmp(stop->reason, "pause") == 0;
}

static void send_pause(struct target_pause *one, int64_t thread)
{
    struct session *session = one->target->session;
    session->pauses_left = PAUSES_AGAIN;
    if (session_quirk(session, QUIRK_STOPS_IN_CODE)) {
        one->target->pause_asked = true;
        one->target->pause_spent = false;
        timer_set(session, &session->pause_timer, PAUSE_AGAIN_AFTER, on_idle_time);
    }
    if (session_quirk(session, QUIRK_LOSES_EARLY_PAUSE))
        timer_set(session, &session->pause_timer, PAUSE_AGAIN_AFTER, on_pause_time);
    send_pause_request(one->target, thread, on_pause_answer, one);
}

/* Some adapters tell of no thread while the program runs. */
static bool may_be(const struct target *target, int64_t thread)
{
    if (target->thread_count == 0)
        return true;
    for (size_t i = 0; i < target->thread_count; i++)
        if (target->threads[i] == thread)
            return true;
    return target->has_last_thread && target->last_thread == thread;
}

/* dlv lists one, -1, while the program runs. */
static bool is_list(yyjson_val *list)
{
    int64_t id;
    if (list == NULL)
        return false;
    bool dummy = yyjson_arr_size(list) == 1 && json_int(yyjson_arr_get_first(list), "id", &id) && id < 0;
    return yyjson_arr_size(list) > 0 && !dummy;
}

/* Whom to name, out of the adapter's list or (NULL) of what it told before. Some pause everything whatever the number: one that is
 * nobody's is refused here. */
static int choose_thread(const struct target_pause *one, yyjson_val *list, int64_t *ret, struct error *ret_error)
{
    const struct pause *pause = one->pause;
    if (!pause->has_thread) {
        target_pick_thread(one->target, ret);
        if (list != NULL && yyjson_arr_size(list) > 0 && !threads_list(list, *ret))
            json_int(yyjson_arr_get_first(list), "id", ret);
        return 0;
    }
    *ret = pause->adapter_thread;
    if (is_list(list) ? threads_list(list, *ret) : may_be(one->target, *ret))
        return 0;
    return error_set(ret_error, ERROR_ARGUMENT, "/thread_id: the program has no thread %lld; leave it out to pause all of it",
                     (long long)pause->thread_id);
}

/* False: there is no such thread, and nothing was sent. */
static bool pause_one(struct target_pause *one, yyjson_val *list)
{
    struct pause *pause = one->pause;
    int64_t thread;
    if (choose_thread(one, list, &thread, &pause->error) < 0) {
        free(one);
        return false;
    }
    struct session *session = one->target->session;
    session->has_pause_thread = pause->has_thread;
    session->pause_target = one->target;
    session->pause_thread = thread;
    send_pause(one, thread);
    return true;
}

static bool is_over(const struct target_pause *one)
{
    const struct session *session = one->pause->session;
    return session->state != SESSION_RUNNING || session->end_phase != END_NONE || one->target == NULL || one->target->gone ||
           one->target->held != NULL || one->pause->resume_number != session->resume_number;
}

/* It stopped or ended by itself meanwhile, and may have been resumed: the wait tells. */
static void pause_is_over(struct target_pause *one)
{
    struct pause *pause = one->pause;
    pause->any_success = true;
    free(one);
    pause_release(pause);
}

static void on_pause_threads(void *user, const struct dap_answer *answer)
{
    struct target_pause *one = user;
    if (is_over(one)) {
        pause_is_over(one);
        return;
    }
    struct pause *pause = one->pause;
    if (!pause_one(one, answer->outcome == DAP_OK ? json_array(answer->body, "threads") : NULL))
        pause_release(pause);
}

/* False: nothing was sent, and this target is no longer to be counted. */
static bool begin_pause(struct target_pause *one)
{
    struct target *target = one->target;
    struct session *session = target->session;
    if (session_quirk(session, QUIRK_LOSES_EARLY_PAUSE))
        return pause_one(one, NULL);
    /* Adapters that cannot list threads while running refuse or stay silent: then the known ones do. */
    uint64_t bound = session->timeouts.request < 1000 ? session->timeouts.request : 1000;
    target_request(target, "threads", NULL, bound, on_pause_threads, one);
    return true;
}

/* ---- a moment's wait ----
 *
 * A target that stops and goes on all the time at an emulated breakpoint stands still again in no time, and that is the pause. The request
 * itself would reach most adapters at a stop: it has its effect after the next resume then, and one adapter dies of it. */

#define NEXT_HIT_WITHIN 100 /* milliseconds */

static void on_moment_over(struct session *session)
{
    struct target_pause *one = session->deferred_pauses;
    session->deferred_pauses = NULL;
    while (one != NULL) {
        struct target_pause *next = one->next;
        struct pause *pause = one->pause;
        if (is_over(one))
            pause_is_over(one);
        else if (!begin_pause(one))
            pause_release(pause);
        one = next;
    }
}

void pauses_forget(struct session *session)
{
    struct target_pause *one = session->deferred_pauses;
    session->deferred_pauses = NULL;
    timer_stop(&session->deferred_pause_timer);
    while (one != NULL) {
        struct target_pause *next = one->next;
        pause_is_over(one);
        one = next;
    }
}

void pauses_forget_target(struct target *target)
{
    for (struct target_pause *one = target->session->deferred_pauses; one != NULL; one = one->next)
        if (one->target == target)
            one->target = NULL;
}

static void pause_target(struct pause *pause, struct target *target)
{
    struct session *session = target->session;
    if (target->held != NULL) {
        pause->any_success = true; /* it stands still, and is told of as soon as it is decided why */
        return;
    }
    struct target_pause *one = xcalloc(1, sizeof(*one));
    *one = (struct target_pause){ .next = session->deferred_pauses, .target = target, .pause = pause };
    pause->awaited++;
    bool moves = target->leaving > 0 || (target->has_left && session->now - target->left_at < NEXT_HIT_WITHIN);
    if (!moves) {
        if (!begin_pause(one))
            pause->awaited--; /* not the last: session_pause counts until all targets were asked */
        return;
    }
    session->deferred_pauses = one;
    timer_set(session, &session->deferred_pause_timer, NEXT_HIT_WITHIN, on_moment_over);
}

/* A root that only holds children has nothing to pause. */
static bool wants_pause(const struct session *session, const struct target *target)
{
    if (target->channel == 0)
        return !session->had_children || target->thread_count > 0 || session->target_count == 1;
    return target->ready && !target->has_queued;
}

/* The pause was asked for before this child was there: js-debug's root accepts it, and nothing comes of it. */
void pause_newcomer(struct target *target)
{
    struct session *session = target->session;
    int64_t thread;
    if (!session->pause_wanted || session->state != SESSION_RUNNING || session->has_stop || session->has_pause_thread)
        return;
    target_pick_thread(target, &thread);
    send_pause_request(target, thread, on_pause_again, NULL);
}

int session_pause(struct session *session, const int64_t *thread_id, session_done_fn done, void *user, struct error *ret_error)
{
    if (session->state != SESSION_RUNNING)
        return error_set(ret_error, ERROR_STATE, "pause requires a running Debuggee");
    if (thread_id != NULL && session_quirk(session, QUIRK_LOOKS_AT_ONE_THREAD))
        return error_set(ret_error, ERROR_ARGUMENT, "/thread_id: %s stops whichever thread it meets; leave thread_id out",
                         session_adapter_id(session));
    session->pause_wanted = true;
    for (size_t i = 0; i < session->target_count; i++)
        session->targets[i]->pause_asked = false;
    struct pause *pause = xcalloc(1, sizeof(*pause));
    *pause =
        (struct pause){ .session = session, .resume_number = session->resume_number, .awaited = 1, .done = done, .user = user };
    if (thread_id != NULL) {
        pause->has_thread = true;
        pause->thread_id = *thread_id;
        pause_target(pause, thread_target(session, *thread_id, &pause->adapter_thread));
    } else {
        for (size_t i = 0; i < session->target_count; i++)
            if (wants_pause(session, session->targets[i]))
                pause_target(pause, session->targets[i]);
    }
    pause_release(pause);
    return 0;
}
