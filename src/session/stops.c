/* Stops: which thread stands still and why, with its frames read.
 *
 * Several `stopped` events before the frames were answered are one stop (some adapters send one per thread); a `continued` before
 * that takes the stop back (attach flows stop and resume by themselves). A stop counts when its frames were read, or could not be. */
#include "session/breakpoints.h"
#include "session/internal.h"
#include "session/signals.h"

#include <signal.h>
#include <string.h>

#define FRAMES_READ STEP_FRAMES /* of the stopped thread, with each stop */
#define THREADS_SCANNED 20      /* when a stop names no thread */
#define NO_REASON "unknown"

void stop_done(struct stop *stop)
{
    free(stop->reason);
    free(stop->description);
    free(stop->text);
    free(stop->hit_ids);
    free(stop->hit_numbers);
    free(stop->frames_failure);
    free(stop->child);
    frames_free(stop->frames, stop->frame_count);
    *stop = (struct stop){ .total_frames = -1 };
}

const struct stop *session_stop(const struct session *session)
{
    return session->state == SESSION_STOPPED && session->has_stop ? &session->stop : NULL;
}

static void forget_frames_request(struct session *session)
{
    int64_t request = session->frames_request;
    session->frames_request = 0;
    if (request != 0 && session->focus != NULL)
        dap_connection_cancel(session->focus->connection, request, false);
}

void stop_drop(struct session *session)
{
    forget_frames_request(session);
    stop_done(&session->stop);
    session->has_stop = false;
}

void stop_keep_for_refusal(struct session *session)
{
    forget_frames_request(session);
    stop_done(&session->former_stop);
    session->former_stop = session->stop;
    session->has_former_stop = session->has_stop;
    session->former_target = session->focus;
    session->stop = (struct stop){ .total_frames = -1 };
    session->has_stop = false;
}

/* ---- settling ---- */

/* Callbacks may resume or end the session: nothing of the stop is used after them. */
static void announce(struct session *session)
{
    int64_t number = session->stop.number;
    uint64_t last = session->wait_count;
    launch_check(session);
    if (session->has_stop && session->stop.number == number && session->state == SESSION_STOPPED)
        waits_finish(session, WAIT_STOPPED, last);
}

/* One adapter calls the end of each step a breakpoint: where none is, it was none. */
static void name_step(struct session *session)
{
    struct stop *stop = &session->stop;
    struct breakpoint_row row;
    bool misnamed = session_quirk(session, QUIRK_CALLS_STEPS_BREAKPOINTS) && strcmp(stop->reason, "breakpoint") == 0 &&
                    stop->frame_count > 0 && breakpoints_at(session->focus, &stop->frames[0], &row, 1) == 0;
    if (session->stepping && misnamed)
        xreplace(&stop->reason, "step");
}

/* A pause that reaches the program at a breakpoint of the debugger's own, where it loads libraries. */
static void settle_pause(struct session *session)
{
    struct stop *stop = &session->stop;
    const struct bound_breakpoint *temporary = session_temporary(session);
    bool of_user = stop->number_count > 0 || (temporary != NULL && temporary->hit);
    if (!stop->pause_asked || of_user || strcmp(stop->reason, "breakpoint") != 0)
        return;
    xreplace(&stop->reason, "pause");
    xreplace(&stop->description, NULL);
}

/* The first stop of a launch that was to stop on entry, at a breakpoint or for a signal that the debugger made for it. */
static void name_entry(struct session *session)
{
    struct stop *stop = &session->stop;
    bool first = !session->first_stop_seen;
    session->first_stop_seen = true;
    entry_done(session); /* also when something else has stopped the program, there or before */
    if (!first || !session->plan->stop_on_entry || session->plan->attach || stop->number_count > 0)
        return;
    bool by_signal = stop->description != NULL && signal_in_text(stop->description) == SIGSTOP;
    if (strcmp(stop->reason, "breakpoint") != 0 && !by_signal)
        return;
    xreplace(&stop->reason, "entry");
    xreplace(&stop->description, NULL);
    stop->hit_count = 0;
    session->stopped_by_signal = 0;
}

static void settle(struct session *session)
{
    session->frames_request = 0;
    if (panic_holds(session) || breakpoint_faults_hold(session))
        return;
    session->stop.settled = true;
    name_step(session);
    session->stop.idle = pause_woke(session->focus, &session->stop);
    session->stop.interrupts_step = session->stepping;
    session->stepping = session->single_thread = session->has_pause_thread = false;
    session->jumps = NULL;
    breakpoints_on_stop(session);
    name_entry(session);
    settle_pause(session);
    if (!panic_passes(session))
        announce(session);
}

void stop_settle(struct session *session)
{
    settle(session);
}

static void take_frames(struct session *session, yyjson_val *body)
{
    struct stop *stop = &session->stop;
    yyjson_val *list = json_array(body, "stackFrames");
    size_t told = yyjson_arr_size(list);
    size_t count = told > FRAMES_READ ? FRAMES_READ : told;
    stop->frames = xcalloc(count + 1, sizeof(*stop->frames));
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        if (index >= count)
            break;
        frame_read(item, &stop->frames[index]);
        stop->frames[index].handle = session_frame_handle(session, stop->frames[index].adapter_id);
    }
    stop->frame_count = count;
    stop->total_frames = json_int_or(body, "totalFrames", -1);
    if (stop->total_frames < (int64_t)told)
        stop->total_frames = -1; /* a hint that is wrong */
    stop->more_frames = told >= FRAMES_READ && stop->total_frames != (int64_t)count;
    if (count == 0)
        stop->frames_failure = xstrdup("the adapter reports no frames for this thread");
}

static void ask_frames(struct session *session, int64_t thread_id, dap_answer_fn answered);
static void read_frames(struct session *session);
static void scan_next_thread(struct session *session);

/* Nobody waits for these frames any more. When the stream has ended, the end is told and not a stop without frames. */
static bool reading_is_over(const struct session *session, const struct dap_answer *answer)
{
    return session->frames_request == 0 || answer->outcome == DAP_CANCELLED ||
           (answer->outcome == DAP_CLOSED && dap_connection_ended(session->focus->connection));
}

/* The thread that a pause was asked for has no frames, or does not exist. */
static void take_told_thread(struct session *session)
{
    struct stop *stop = &session->stop;
    session_notice(session, "thread_id: thread %lld has no frames to show; this is another one", (long long)stop->thread_id);
    stop->chosen_thread = false;
    stop->has_thread = stop->has_told_thread;
    stop->adapter_thread_id = stop->told_thread;
    stop->thread_id = stop->has_thread ? thread_shown(session->focus, stop->told_thread) : 0;
    read_frames(session);
}

/* It runs again, or does so still: codelldb answers a pause that comes right behind a resume with the stop that the program has left. */
static void leave_stop(struct session *session)
{
    bool pause_again = session->stop.nameless_pause;
    stop_drop(session);
    session->stepping = false;
    session_set_state(session, session->launch.answered && session->launch.configured ? SESSION_RUNNING : SESSION_LAUNCHING);
    if (pause_again)
        pause_repeat(session);
    launch_check(session);
    stop_promote(session);
}

static void on_frames(void *user, const struct dap_answer *answer)
{
    struct session *session = user;
    if (reading_is_over(session, answer))
        return;
    if (session->stop.chosen_thread &&
        (answer->outcome == DAP_REFUSED || yyjson_arr_size(json_array(answer->body, "stackFrames")) == 0)) {
        take_told_thread(session);
        return;
    }
    if (answer->outcome == DAP_REFUSED && session->stop.nameless_pause) {
        leave_stop(session);
        return;
    }
    if (answer->outcome == DAP_OK)
        take_frames(session, answer->body);
    else
        session->stop.frames_failure = session_answer_text(answer);
    settle(session);
}

/* A thread tried because the stop named none. */
static void on_scanned_frames(void *user, const struct dap_answer *answer)
{
    struct session *session = user;
    if (reading_is_over(session, answer))
        return;
    if (answer->outcome == DAP_OK && yyjson_arr_size(json_array(answer->body, "stackFrames")) > 0) {
        session->stop.has_thread = true;
        session->stop.adapter_thread_id = session->thread_scan[session->thread_scan_next - 1];
        session->stop.thread_id = thread_shown(session->focus, session->stop.adapter_thread_id);
        take_frames(session, answer->body);
        settle(session);
    } else if (answer->outcome == DAP_TIMED_OUT) { /* the next thread would only take as long */
        session->stop.frames_failure = session_answer_text(answer);
        settle(session);
    } else {
        scan_next_thread(session);
    }
}

static void scan_next_thread(struct session *session)
{
    if (session->thread_scan_next < session->thread_scan_count) {
        ask_frames(session, session->thread_scan[session->thread_scan_next++], on_scanned_frames);
        return;
    }
    session->stop.frames_failure = xstrdup("the adapter names no thread that stands still with frames");
    settle(session);
}

static void on_threads(void *user, const struct dap_answer *answer)
{
    struct session *session = user;
    if (reading_is_over(session, answer))
        return;
    yyjson_val *list = answer->outcome == DAP_OK ? json_array(answer->body, "threads") : NULL;
    free(session->thread_scan);
    session->thread_scan = xcalloc(THREADS_SCANNED, sizeof(*session->thread_scan));
    session->thread_scan_count = session->thread_scan_next = 0;
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        int64_t id;
        if (session->thread_scan_count < THREADS_SCANNED && json_int(item, "id", &id))
            session->thread_scan[session->thread_scan_count++] = id;
    }
    scan_next_thread(session);
}

/* The answer may come before target_request returns (a connection that has ended): the request is marked before. */
static void ask(struct session *session, const char *command, yyjson_mut_doc *arguments, dap_answer_fn answered)
{
    session->frames_request = -1;
    int64_t request = target_request(session->focus, command, arguments, session->timeouts.request, answered, session);
    if (session->frames_request == -1)
        session->frames_request = request;
}

static void ask_frames(struct session *session, int64_t thread_id, dap_answer_fn answered)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = session_thread_arguments(thread_id, &arguments);
    json_add_int(doc, arguments, "startFrame", 0);
    json_add_int(doc, arguments, "levels", FRAMES_READ);
    ask(session, "stackTrace", doc, answered);
}

static void read_frames(struct session *session)
{
    if (session->stop.has_thread)
        ask_frames(session, session->stop.adapter_thread_id, on_frames);
    else
        ask(session, "threads", NULL, on_threads);
}

/* ---- frames that are not true any more ---- */

bool session_reads_again(const struct session *session)
{
    return session_stop(session) != NULL && session->read_again_stop == session->stop.number;
}

static void ask_again(struct session *session);

static void on_frames_again(void *user, const struct dap_answer *answer)
{
    struct session *session = user;
    if (!session_reads_again(session))
        return; /* that stop is over */
    if (session->read_again_twice) {
        session->read_again_twice = false;
        ask_again(session);
        return;
    }
    session->read_again_stop = 0;
    if (answer->outcome == DAP_OK) { /* else the old ones are better than none */
        struct stop *stop = &session->stop;
        frames_free(stop->frames, stop->frame_count);
        xreplace(&stop->frames_failure, NULL);
        take_frames(session, answer->body);
    }
    waits_finish(session, WAIT_STOPPED, session->wait_count);
}

static void ask_again(struct session *session)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_int(doc, arguments, "threadId", session->stop.adapter_thread_id);
    json_add_int(doc, arguments, "startFrame", 0);
    json_add_int(doc, arguments, "levels", FRAMES_READ);
    target_request(session->focus, "stackTrace", doc, session->timeouts.request, on_frames_again, session);
}

void stop_read_again(struct session *session)
{
    const struct stop *stop = session_stop(session);
    if (stop == NULL || !stop->settled || !stop->has_thread || session->end_phase != END_NONE)
        return;
    if (session_reads_again(session)) {
        session->read_again_twice = true;
        return;
    }
    session->read_again_stop = stop->number;
    session->read_again_twice = false;
    ask_again(session);
}

/* Another target's stop is looked at meanwhile: this one waits behind it. */
static void queue_former(struct session *session)
{
    struct target *target = session->former_target;
    stop_done(&target->queued);
    target->queued = session->former_stop;
    target->has_queued = true;
    target->queued_at = ++session->stop_arrivals;
    session->former_stop = (struct stop){ .total_frames = -1 };
    session->has_former_stop = false;
}

void stop_put_back(struct session *session)
{
    if (!session->has_former_stop)
        return;
    if (session->has_stop && session->focus != session->former_target)
        queue_former(session);
    if (session->state != SESSION_RUNNING || !session->has_former_stop)
        return;
    session->focus = session->former_target;
    stop_drop(session);
    session->stop = session->former_stop;
    session->has_stop = true;
    session->former_stop = (struct stop){ .total_frames = -1 };
    session->has_former_stop = false;
    session->stepping = session->single_thread = false;
    session->jumps = NULL;
    session_set_state(session, SESSION_STOPPED);
    if (!session->stop.settled)
        read_frames(session);
}

/* ---- events ---- */

static bool is_exception(const char *reason)
{
    return strcmp(reason, "exception") == 0 || strcmp(reason, "signal") == 0;
}

static void read_hit_ids(yyjson_val *body, struct stop *stop)
{
    yyjson_val *ids = json_array(body, "hitBreakpointIds");
    stop->has_hit_ids = ids != NULL;
    if (ids == NULL)
        return;
    stop->hit_ids = xcalloc(yyjson_arr_size(ids) + 1, sizeof(*stop->hit_ids));
    size_t index, most;
    yyjson_val *id;
    yyjson_arr_foreach(ids, index, most, id) {
        if (json_value_int(id, &stop->hit_ids[stop->hit_count]))
            stop->hit_count++;
    }
}

/* Debuggers that use LLDB pause by a signal, and tell of an exception. One that met the program at another stop has its effect later. */
static bool is_own_signal(const struct session *session, const struct stop *stop)
{
    bool asked = session->pause_wanted || session->pauses_sent > 0;
    return asked && stop->description != NULL && signal_in_text(stop->description) == SIGSTOP;
}

/* A pause is told as a step by js-debug, when it has left code that is skipped, and by codelldb, which on a busy machine names no reason
 * either, and a thread that nobody asked for. */
static bool is_pause_by_another_name(const struct session *session, const struct stop *stop)
{
    bool step = !session->stepping && strcmp(stop->reason, "step") == 0;
    return session->pause_wanted && (step || strcmp(stop->reason, NO_REASON) == 0);
}

static void read_pause(struct session *session, struct stop *stop)
{
    bool signal = is_own_signal(session, stop), other = is_pause_by_another_name(session, stop);
    if (session->pauses_sent > 0 && (signal || strcmp(stop->reason, "pause") == 0))
        session->pauses_sent--;
    stop->nameless_pause = other && strcmp(stop->reason, NO_REASON) == 0;
    if (signal || other)
        xreplace(&stop->reason, "pause");
    if (other)
        xreplace(&stop->description, NULL);
}

/* All stand still, and the user asked for one of them. */
static bool paused_for(const struct target *target, const struct stop *stop)
{
    const struct session *session = target->session;
    return session->has_pause_thread && session->pause_target == target && strcmp(stop->reason, "pause") == 0;
}

static bool steps_another(const struct session *session, const struct stop *stop)
{
    return session->stepping && strcmp(stop->reason, "step") == 0 && session_quirk(session, QUIRK_STEPS_ANOTHER_THREAD);
}

/* Which thread a stop is of. */
static void read_thread(struct target *target, yyjson_val *body, struct stop *ret)
{
    const struct session *session = target->session;
    ret->has_thread = json_int(body, "threadId", &ret->adapter_thread_id);
    bool all = json_bool(body, "allThreadsStopped", false);
    if (all && paused_for(target, ret)) {
        ret->chosen_thread = true;
        ret->has_told_thread = ret->has_thread;
        ret->told_thread = ret->adapter_thread_id;
        ret->has_thread = true;
        ret->adapter_thread_id = session->pause_thread;
    } else if (all && target == session->focus && steps_another(session, ret)) {
        thread_target(session, session->step_thread, &ret->adapter_thread_id);
    }
    if (ret->has_thread)
        ret->thread_id = thread_shown(target, ret->adapter_thread_id);
}

static void stop_read(struct target *target, yyjson_val *body, struct stop *ret)
{
    const char *reason = json_string(body, "reason");
    if (reason == NULL || reason[0] == '\0')
        reason = target == target->session->focus ? target->session->jumps : NULL; /* codelldb names no reason after a goto */
    *ret = (struct stop){
        .reason = xstrdup(reason == NULL ? NO_REASON : reason),
        .description = xstrdup(json_string(body, "description")),
        .text = xstrdup(json_string(body, "text")),
        .total_frames = -1,
    };
    read_pause(target->session, ret);
    read_thread(target, body, ret);
    /* js-debug's first child is the program itself. */
    if (target->channel != 1 || !session_quirk(target->session, QUIRK_JS_EXIT_TEXT))
        ret->child = xstrdup(target->name);
    read_hit_ids(body, ret);
}

/* Specification of StoppedEvent: the event "should not change the focus". */
static bool preserves_focus(yyjson_val *body)
{
    return json_bool(body, "preserveFocusHint", false);
}

/* Which of several events for one stop speaks for it: the thread that was stepped, else the one with hit ids or an exception, else the
 * one that says that all threads stopped; of two alike the one that the adapter would look at, else the last. */
static int stop_score(const struct session *session, const struct stop *stop, yyjson_val *body)
{
    int aside = preserves_focus(body) ? 1 : 0;
    if (session->stepping && stop->has_thread && stop->thread_id == session->step_thread && strcmp(stop->reason, "step") == 0)
        return 6;
    if (stop->hit_count > 0 || is_exception(stop->reason))
        return 4 - aside;
    return json_bool(body, "allThreadsStopped", false) ? 2 - aside : 0;
}

/* Of another thread in a stop that has been told: lldb-dap has an event for each thread, and on a busy machine they come apart. */
static bool is_aside(const struct target *target, yyjson_val *body)
{
    const struct session *session = target->session;
    return session->has_stop && session->focus == target && session->stop.settled && preserves_focus(body);
}

void stop_forget_former(struct target *target)
{
    struct session *session = target->session;
    if (session->former_target == target || !session->resume_pending) {
        stop_done(&session->former_stop);
        session->has_former_stop = false;
    }
}

void stop_add_number(struct stop *stop, int64_t number)
{
    for (size_t i = 0; i < stop->number_count; i++)
        if (stop->hit_numbers[i] == number)
            return;
    stop->hit_numbers = xrealloc(stop->hit_numbers, (stop->number_count + 1) * sizeof(*stop->hit_numbers));
    stop->hit_numbers[stop->number_count++] = number;
}

/* Only the stepped thread's own stop ends the step, or a pause: what interrupts it once may do so again after a `continue`. */
static void note_kept_step(struct session *session)
{
    struct stop *stop = &session->stop;
    bool breaks = stop->has_thread && strstr(stop->reason, "breakpoint") != NULL;
    if (!session_quirk(session, QUIRK_KEEPS_STEP) || !breaks) {
        session->has_kept_step = false;
        return;
    }
    if (stop->step_interrupted)
        session->kept_step = stop->step_thread;
    else if (session->has_kept_step && stop->thread_id != session->kept_step)
        stop->step_thread = session->kept_step;
    else {
        session->has_kept_step = false;
        return;
    }
    session->has_kept_step = stop->step_interrupted = stop->step_kept = true;
}

/* LLDB goes on with a step that was interrupted whenever the program runs, and tells of its end during a `continue`. */
static void note_late_step(struct session *session)
{
    struct stop *stop = &session->stop;
    if (stop->step_interrupted) {
        session->has_open_step = true;
        session->open_step = stop->step_thread;
    } else if (session->has_open_step && !session->stepping && stop->has_thread && stop->thread_id == session->open_step &&
               strcmp(stop->reason, "step") == 0) {
        session->has_open_step = false;
        stop->step_late = true;
    }
}

static void stop_begin(struct target *target, struct stop *stop, int score, bool same_stop)
{
    struct session *session = target->session;
    timer_stop(&session->pause_timer);
    stop->number = same_stop ? session->stop.number : ++session->stop_number;
    stop_drop(session);
    session->focus = target;
    session->stop = *stop;
    session->has_stop = true;
    session->stopped_by_signal = stop->description == NULL ? 0 : signal_in_text(stop->description);
    session->stop_score = score;
    session->stop.step_interrupted = session->stepping && !session_quirk(session, QUIRK_RENAMES_THREADS) && stop->has_thread &&
                                     stop->thread_id != session->step_thread;
    session->stop.step_thread = session->step_thread;
    note_late_step(session);
    note_kept_step(session);
    if (stop->has_thread) {
        target->has_last_thread = true;
        target->last_thread = stop->adapter_thread_id;
    }
    session->stop.pause_asked = session->pause_wanted;
    session->pause_wanted = false;
    session->start_passed = session->start_passed || session_quirk(session, QUIRK_STOPS_AT_START);
    target->has_left = false;
    stop_forget_former(target);
    if (!same_stop)
        handles_reset(session);
    session_set_state(session, SESSION_STOPPED);
    read_frames(session);
}

/* One stop is looked at at a time; those of other targets wait in order of arrival. */
static void stop_queue(struct target *target, struct stop *stop, int score)
{
    stop_done(&target->queued);
    target->queued = *stop;
    target->queued_score = score;
    if (!target->has_queued)
        target->queued_at = ++target->session->stop_arrivals;
    target->has_queued = true;
}

static void unqueue(struct target *target)
{
    stop_done(&target->queued);
    target->has_queued = false;
}

void stop_deliver(struct target *target, struct stop *stop, int score)
{
    struct session *session = target->session;
    if (session->has_stop && session->focus != target) {
        stop_queue(target, stop, score);
        return;
    }
    bool same_stop = session->has_stop && !session->stop.settled;
    if (same_stop && score < session->stop_score)
        stop_done(stop);
    else
        stop_begin(target, stop, score, same_stop);
}

/* A call of a function that an evaluation made: the program stands where it stood. */
static bool is_call(const struct target *target, yyjson_val *body)
{
    const char *reason = json_string(body, "reason");
    return session_quirk(target->session, QUIRK_CALLS_AS_RESUMES) && reason != NULL && strcmp(reason, "function call") == 0;
}

/* In which it waits for the configuration. */
static bool is_own_wait(const struct target *target)
{
    const struct session *session = target->session;
    return session_quirk(session, QUIRK_WAITS_UNTOLD) && !session->plan->attach && !session->launch.configured;
}

void stop_returned(struct target *target, int64_t thread_id)
{
    yyjson_mut_val *body;
    yyjson_mut_doc *doc = json_new_object(&body);
    json_add_string(doc, body, "reason", "evaluation ended");
    json_add_string(doc, body, "description", "the expression that had stopped inside was evaluated to its end");
    json_add_int(doc, body, "threadId", thread_id);
    json_add_bool(doc, body, "allThreadsStopped", true);
    yyjson_doc *told = yyjson_mut_doc_imut_copy(doc, NULL);
    yyjson_mut_doc_free(doc);
    stop_on_event(target, yyjson_doc_get_root(told));
    yyjson_doc_free(told);
}

void stop_on_event(struct target *target, yyjson_val *body)
{
    struct session *session = target->session;
    if (session->finalised || session->end_phase != END_NONE || target->gone)
        return;
    if (is_call(target, body) || is_own_wait(target) || is_aside(target, body))
        return;
    struct stop stop;
    stop_read(target, body, &stop);
    int score = stop_score(session, &stop, body);
    if (!emulation_takes(target, &stop, score))
        stop_deliver(target, &stop, score);
}

void stop_promote(struct session *session)
{
    if (session->has_stop || session->state != SESSION_RUNNING || session->end_phase != END_NONE)
        return;
    struct target *first = NULL;
    for (size_t i = 0; i < session->target_count; i++) {
        struct target *target = session->targets[i];
        if (target->has_queued && (first == NULL || target->queued_at < first->queued_at))
            first = target;
    }
    if (first == NULL)
        return;
    struct stop stop = first->queued;
    first->queued = (struct stop){ .total_frames = -1 };
    first->has_queued = false;
    frames_free(stop.frames, stop.frame_count); /* read afresh: their handles were another stop's */
    stop.frames = NULL;
    stop.frame_count = 0;
    stop.settled = false;
    stop_begin(first, &stop, first->queued_score, false);
}

void stop_on_continued(struct target *target, yyjson_val *body)
{
    struct session *session = target->session;
    pause_on_continued(target);
    if (target->leaving > 0)
        return; /* it belongs to a resume of the emulation's */
    if (target->inspecting > 0 && session_quirk(session, QUIRK_CALLS_AS_RESUMES))
        return;
    if (target != session->focus)
        unqueue(target);
    emulation_forget(target); /* it goes on by itself */
    if (!session->resume_pending && target == session->focus && json_bool(body, "allThreadsContinued", true))
        session->single_thread = false;
    if (!session->has_stop || target != session->focus || session->end_phase != END_NONE)
        return;
    if (session->resume_pending)
        return; /* it belongs to the resume that is not answered yet: the stop came after it */
    bool all = json_bool(body, "allThreadsContinued", true);
    int64_t thread;
    if (!all && json_int(body, "threadId", &thread) && session->stop.has_thread && thread != session->stop.adapter_thread_id)
        return;
    leave_stop(session);
}
