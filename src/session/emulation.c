/* Conditions, hit conditions and log messages that the adapter cannot do: the program stops, Dapple decides, and it goes on.
 *
 * A stop at breakpoints of which one has something emulated is held: it is no stop yet, the session is running for everybody else, nothing
 * is numbered and no wait ends. For each breakpoint that was hit: the condition is evaluated in the top frame, then the hit is counted, then
 * the hit condition is looked at, then the message is written or the program is to stop. Several held stops of a target are decided one by
 * one; then one of them is told, or the program goes on: as it was resumed, a step as a step (interrupted_step.c).
 *
 * Nothing that stops for another reason is ever resumed here, and when a decision cannot be made the program stays where it is, with a
 * notice that says why. A pause that comes meanwhile is fulfilled by the next decision. (Specification, SourceBreakpoint.) */
#include "session/breakpoints.h"

#include "base/utf8.h"
#include "session/hit_condition.h"
#include "session/log_message.h"
#include "session/truth.h"

#include <string.h>

#define BREAKPOINTS_OF_A_STOP 64

struct held_stop {
    struct held_stop *next; /* in order of arrival */
    struct target *target;
    struct stop stop;
    int score;
    bool by_place;  /* the adapter does not say which breakpoints were hit: the place does */
    bool start;     /* before the program's first line, whatever stands there: the adapter has decided nothing about it */
    bool tells;     /* the program is to stay here */
    bool evaluates; /* its request calls functions of the program, maybe */
    bool dropped;   /* of no interest any more, but its request is under way */
    int64_t request;

    struct frame *frames; /* the top one, or with a step under way STEP_FRAMES */
    size_t frame_count;
    bool frames_asked, complete;
    int64_t frames_thread;

    int64_t numbers[BREAKPOINTS_OF_A_STOP]; /* the breakpoints that were hit */
    size_t number_count, at;                /* those before `at` are decided */
    bool arrived, condition_held;           /* of the one at `at` */
    char *message;                          /* its log message, as it was when it began to be written; of which this is left: */
    const char *rest;
    struct buffer log;
};

static void run(struct target *target);

static void held_free(struct held_stop *held)
{
    stop_done(&held->stop);
    frames_free(held->frames, held->frame_count);
    free(held->message);
    buffer_done(&held->log);
    free(held);
}

/* The answer to its request, which the cancellation may give, frees what was dropped. */
static void held_drop(struct held_stop *held)
{
    int64_t request = held->request;
    held->dropped = true;
    if (request == 0)
        held_free(held);
    else if (request > 0)
        dap_connection_cancel(held->target->connection, request, false);
}

void emulation_forget(struct target *target)
{
    while (target->held != NULL) {
        struct held_stop *first = target->held;
        target->held = first->next;
        held_drop(first);
    }
}

void emulation_forget_all(struct session *session)
{
    for (size_t i = 0; i < session->target_count; i++)
        emulation_forget(session->targets[i]);
}

/* Nothing is a stop any more. */
static bool is_over(const struct target *target)
{
    return target->session->finalised || target->session->end_phase != END_NONE || target->gone;
}

/* ---- requests ---- */

/* Is the answer still wanted? Otherwise `held` is gone. */
static bool take_answer(struct held_stop *held, const struct dap_answer *answer)
{
    struct target *target = held->target;
    held->request = 0;
    target->inspecting -= held->evaluates ? 1 : 0;
    held->evaluates = false;
    if (held->dropped) {
        held_free(held);
        return false;
    }
    if (answer->outcome == DAP_CANCELLED || (answer->outcome == DAP_CLOSED && dap_connection_ended(target->connection))) {
        emulation_forget(target); /* the end is told, and not a stop */
        return false;
    }
    return true;
}

/* The answer may come before target_request returns: then it gives 0, and `held` may be gone. */
static void ask(struct held_stop *held, const char *command, yyjson_mut_doc *arguments, dap_answer_fn answered)
{
    struct target *target = held->target;
    held->request = -1;
    int64_t request = target_request(target, command, arguments, target->session->timeouts.request, answered, held);
    if (request != 0)
        held->request = request;
}

static void take_frames(struct held_stop *held, const struct dap_answer *answer)
{
    yyjson_val *list = answer->outcome == DAP_OK ? json_array(answer->body, "stackFrames") : NULL;
    size_t told = yyjson_arr_size(list);
    frames_free(held->frames, held->frame_count);
    held->complete = told < STEP_FRAMES;
    held->frame_count = 0;
    held->frames = xcalloc((told < STEP_FRAMES ? told : STEP_FRAMES) + 1, sizeof(*held->frames));
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        if (index < STEP_FRAMES)
            frame_read(item, &held->frames[held->frame_count++]);
    }
}

static void on_frames(void *user, const struct dap_answer *answer)
{
    struct held_stop *held = user;
    if (!take_answer(held, answer))
        return;
    take_frames(held, answer);
    run(held->target);
}

/* The top frame is all that a decision needs; a step needs to know how deep it is. */
static void ask_frames(struct held_stop *held, int64_t thread)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = session_thread_arguments(thread, &arguments);
    held->frames_asked = true;
    held->frames_thread = thread;
    json_add_int(doc, arguments, "startFrame", 0);
    json_add_int(doc, arguments, "levels", step_is_of(held->target) ? STEP_FRAMES : 1);
    ask(held, "stackTrace", doc, on_frames);
}

static void ask_value(struct held_stop *held, const char *expression, size_t len, dap_answer_fn answered)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_value(doc, arguments, "expression", json_new_string(doc, expression, len));
    json_add_int(doc, arguments, "frameId", held->frames[0].adapter_id);
    json_add_string(doc, arguments, "context", "watch");
    held->evaluates = true;
    held->target->inspecting++;
    ask(held, "evaluate", doc, answered);
}

static const char *result_text(const struct dap_answer *answer)
{
    const char *text = json_string(answer->body, "result");
    return text == NULL ? "" : text;
}

/* ---- one breakpoint ---- */

static void next_breakpoint(struct held_stop *held)
{
    held->at++;
    held->arrived = held->condition_held = false;
    free(held->message);
    held->message = NULL;
    held->rest = NULL;
    buffer_clear(&held->log);
}

static void stays(struct held_stop *held, struct breakpoint_row *row)
{
    held->tells = true;
    stop_add_number(&held->stop, row->desired->number);
    row->bound->counts.stops += row->emulated != 0 ? 1 : 0; /* the others are counted with the stop */
    next_breakpoint(held);
}

/* The program stays where it is, and it is said why. */
static void cannot_decide(struct held_stop *held, struct breakpoint_row *row, const char *why)
{
    breakpoint_row_fault(held->target->session, row, why);
    stays(held, row);
}

static void on_condition(void *user, const struct dap_answer *answer)
{
    struct held_stop *held = user;
    struct breakpoint_row row;
    if (!take_answer(held, answer))
        return;
    bool is_there = breakpoint_of_number(held->target, held->numbers[held->at], &row) && row.desired->condition != NULL;
    bool holds = is_there && answer->outcome == DAP_OK && text_is_true(result_text(answer));
    AUTO_FREE char *failure = answer->outcome != DAP_OK
                                  ? xstrdup(answer->message)
                                  : condition_failure(held->target->session, json_string(answer->body, "result"));
    if (is_there && failure != NULL)
        cannot_decide(held, &row, failure);
    else if (holds)
        held->condition_held = true;
    else
        next_breakpoint(held); /* false, or taken away meanwhile */
    run(held->target);
}

static void on_log_value(void *user, const struct dap_answer *answer)
{
    struct held_stop *held = user;
    if (!take_answer(held, answer))
        return;
    bool failed = answer->outcome != DAP_OK;
    const char *text = failed ? answer->message : result_text(answer);
    buffer_add(&held->log, failed ? "{" : "");
    utf8_one_line(&held->log, text, strlen(text), failed ? LIMIT_MESSAGE_BYTES : LIMIT_EVALUATION_BYTES);
    buffer_add(&held->log, failed ? "}" : "");
    run(held->target);
}

/* True: a value was asked for. */
static bool write_log(struct held_stop *held, struct breakpoint_row *row)
{
    struct log_piece piece;
    if (held->message == NULL)
        held->rest = held->message = xstrdup(row->desired->log_message);
    while (log_message_next(&held->rest, &piece)) {
        if (piece.expression && held->frame_count > 0) {
            ask_value(held, piece.start, piece.len, on_log_value);
            return true;
        }
        buffer_append(&held->log, piece.start, piece.len);
    }
    buffer_addc(&held->log, '\n');
    output_append(held->target->session, OUTPUT_DEBUGGER, held->log.data, held->log.len);
    row->bound->counts.logs++;
    next_breakpoint(held);
    return false;
}

/* What of it is decided here. */
static unsigned parts_of(const struct held_stop *held, const struct breakpoint_row *row)
{
    const struct desired_breakpoint *desired = row->desired;
    if (!held->start)
        return row->emulated;
    return (desired->condition != NULL ? EMULATED_CONDITION : 0) | (desired->hit_condition != NULL ? EMULATED_HITS : 0) |
           (desired->log_message != NULL ? EMULATED_LOG : 0);
}

static bool wants_frame(const struct breakpoint_row *row, unsigned parts)
{
    bool log = (parts & EMULATED_LOG) != 0 && strchr(row->desired->log_message, '{') != NULL;
    return log || (parts & EMULATED_CONDITION) != 0;
}

/* The hit counts: is it one that the hit condition takes? */
static bool count_hit(struct breakpoint_row *row, unsigned parts)
{
    struct hit_condition wanted;
    uint64_t hits = row->bound->counts.hits + 1;
    if (row->emulated != 0)
        row->bound->counts.hits = hits;
    if ((parts & EMULATED_HITS) == 0 || hit_condition_read(row->desired->hit_condition, &wanted, NULL) < 0)
        return true;
    return hit_condition_holds(&wanted, hits);
}

/* True: an answer is awaited. */
static bool decide_breakpoint(struct held_stop *held)
{
    struct breakpoint_row row;
    if (!breakpoint_of_number(held->target, held->numbers[held->at], &row)) {
        next_breakpoint(held);
        return false;
    }
    if (held->message != NULL)
        return write_log(held, &row);
    unsigned parts = parts_of(held, &row);
    if (!held->frames_asked && wants_frame(&row, parts)) {
        ask_frames(held, held->stop.adapter_thread_id);
        return true;
    }
    if (!held->arrived && row.emulated != 0) {
        row.bound->hit = true;
        row.bound->counts.arrivals++;
    }
    held->arrived = true;
    bool has_condition = (parts & EMULATED_CONDITION) != 0;
    if (has_condition && !held->condition_held) {
        AUTO_FREE char *condition = condition_to_evaluate(held->target->session, row.desired);
        bool can_ask = held->frame_count > 0;
        if (can_ask)
            ask_value(held, condition, strlen(condition), on_condition);
        else
            cannot_decide(held, &row, "the adapter gives no frame");
        return can_ask;
    }
    if (!count_hit(&row, parts))
        next_breakpoint(held);
    else if ((parts & EMULATED_LOG) != 0)
        return write_log(held, &row);
    else
        stays(held, &row);
    return false;
}

/* ---- one stop ---- */

static void take_rows(struct held_stop *held, const struct breakpoint_row *rows, size_t count)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = true;
        if (parts_of(held, &rows[i]) != 0) {
            held->numbers[held->number_count++] = rows[i].desired->number;
            continue;
        }
        held->tells = true; /* nothing keeps this one from stopping the program */
        stop_add_number(&held->stop, rows[i].desired->number);
    }
    /* No breakpoint of ours stands here: a step's end at most. */
    if (!any && !held->start && !(step_is_of(held->target) && held->target->session->resumed.continued))
        held->tells = true;
}

/* True: an answer is awaited. */
static bool decide_stop(struct held_stop *held)
{
    if (held->start && !breakpoints_any_placed(held->target->session))
        held->by_place = false;
    if (held->by_place && !held->frames_asked) {
        ask_frames(held, held->stop.adapter_thread_id);
        return true;
    }
    if (held->by_place) {
        struct breakpoint_row rows[BREAKPOINTS_OF_A_STOP];
        size_t count = held->frame_count == 0 ? 0 : breakpoints_at(held->target, &held->frames[0], rows, BREAKPOINTS_OF_A_STOP);
        held->by_place = false;
        take_rows(held, rows, count);
    }
    while (held->at < held->number_count)
        if (decide_breakpoint(held))
            return true;
    return false;
}

/* ---- what becomes of it ---- */

static void free_list(struct held_stop *list, const struct held_stop *kept)
{
    while (list != NULL) {
        struct held_stop *next = list->next;
        if (list != kept)
            held_free(list);
        list = next;
    }
}

static void tell(struct target *target, struct held_stop *held)
{
    struct held_stop *list = target->held;
    struct stop stop = held->stop;
    int score = held->score;
    held->stop = (struct stop){ .total_frames = -1 };
    target->held = NULL;
    free_list(list, NULL);
    stop_deliver(target, &stop, score);
}

static void on_gone_on(void *user, const struct dap_answer *answer)
{
    struct held_stop *held = user;
    struct target *target = held->target;
    struct session *session = target->session;
    AUTO_FREE char *why = session_answer_text(answer);
    target->leaving--;
    bool over = is_over(target);
    bool came_again = target->held != NULL || (session->has_stop && session->focus == target) || target->has_queued;
    if (!over && target_refused(target, answer) && !came_again) {
        session_notice(session, "the program could not go on from a breakpoint that was not to stop it: %s", why);
        stop_deliver(target, &held->stop, held->score);
        held->stop = (struct stop){ .total_frames = -1 };
    } else if (!over && answer->outcome == DAP_TIMED_OUT) {
        session_notice(session, "%s", why);
    }
    held_free(held);
}

/* Nobody is told: for everybody else the program was running all the time. */
static void leave(struct held_stop *held, enum resume_kind how, int64_t thread)
{
    struct target *target = held->target;
    const struct resume_start *start = &target->session->resumed;
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = session_thread_arguments(thread, &arguments);
    if (start->target == target && start->resume.single_thread)
        json_add_bool(doc, arguments, "singleThread", true);
    target->held = NULL;
    target->leaving++;
    target->has_left = true;
    target->left_at = target->session->now;
    target_request(target, resume_command_name(how), doc, target->session->timeouts.request, on_gone_on, held);
}

static void leave_as_resumed(struct held_stop *held)
{
    const struct resume_start *start = &held->target->session->resumed;
    bool back = start->target == held->target && start->resume.kind == RESUME_REVERSE_CONTINUE;
    leave(held, back ? RESUME_REVERSE_CONTINUE : RESUME_CONTINUE, held->stop.adapter_thread_id);
}

/* It is told of as a stop of another kind: no breakpoint has to do with it. */
static void tell_as(struct target *target, struct held_stop *held, const char *reason)
{
    xreplace(&held->stop.reason, reason);
    xreplace(&held->stop.description, NULL);
    xreplace(&held->stop.text, NULL);
    held->stop.hit_count = 0;
    held->stop.has_hit_ids = false;
    held->stop.number_count = 0;
    tell(target, held);
}

/* A pause was asked for, and the program stands still: that is it. */
static void tell_pause(struct target *target, struct held_stop *held)
{
    tell_as(target, held, "pause");
}

static void tell_step(struct target *target, struct held_stop *held)
{
    struct session *session = target->session;
    held->stop.adapter_thread_id = session->resumed.thread;
    held->stop.thread_id = thread_shown(target, session->resumed.thread);
    tell_as(target, held, "step");
}

static void tell_lost_step(struct target *target, struct held_stop *held)
{
    session_notice(target->session, "the step ended before its end, at a breakpoint that was not to stop the program: step again");
    tell(target, held);
}

/* Nothing here stops the program, but a step is under way. */
static void step_on(struct target *target, struct held_stop *held)
{
    struct session *session = target->session;
    if (session_quirk(session, QUIRK_RENAMES_THREADS))
        session->resumed.thread = held->stop.adapter_thread_id;
    int64_t thread = session->resumed.thread;
    if (!held->frames_asked || held->frames_thread != thread) {
        ask_frames(held, thread);
        return;
    }
    enum step_progress progress = step_look(session, held->frames, held->frame_count, held->complete);
    session->resumed.continued = true;
    switch (progress) {
    case STEP_ENDED:
        tell_step(target, held);
        break;
    case STEP_LOST:
        tell_lost_step(target, held);
        break;
    case STEP_LEAVES:
        leave(held, RESUME_STEP_OUT, thread);
        break;
    case STEP_REPEATS:
        leave(held, session->resumed.resume.kind, thread);
        break;
    }
}

static struct held_stop *find_speaker(const struct target *target)
{
    struct held_stop *best = NULL;
    for (struct held_stop *held = target->held; held != NULL; held = held->next)
        if (held->tells && (best == NULL || held->score >= best->score))
            best = held;
    return best;
}

/* A stop of the target is being looked at. An evaluation that comes to such a breakpoint goes on to its end; where the adapter gives it up
 * there, the program stands in another place, and that is told. Other threads that came to one at the same time stay. */
static void leave_beside_stop(struct target *target, struct held_stop *held)
{
    const struct stop *stop = &target->session->stop;
    if (target->evaluating > 0)
        leave(held, RESUME_CONTINUE, held->stop.adapter_thread_id);
    else if (stop->settled && stop->has_thread && stop->adapter_thread_id == held->stop.adapter_thread_id)
        tell(target, held);
    else
        emulation_forget(target);
}

/* The start is told when it was asked for, or for a breakpoint that stands there. */
static bool tells_start(struct target *target, struct held_stop *held)
{
    struct session *session = target->session;
    if (!held->start)
        return false;
    session->start_passed = true;
    entry_done(session);
    if (!session->plan->stop_on_entry && !held->tells)
        return false;
    xreplace(&held->stop.reason, session->plan->stop_on_entry ? "entry" : "breakpoint");
    xreplace(&held->stop.description, NULL);
    xreplace(&held->stop.text, NULL);
    held->stop.hit_count = 0;
    tell(target, held);
    return true;
}

/* All that is held of the target is decided. */
static void finish(struct target *target)
{
    struct session *session = target->session;
    struct held_stop *speaker = find_speaker(target);
    struct held_stop *newest = target->held;
    while (newest->next != NULL)
        newest = newest->next;
    if (tells_start(target, newest))
        return;
    if (speaker != NULL) {
        tell(target, speaker);
        return;
    }
    free_list(target->held, newest);
    target->held = newest;
    if (session->has_stop && session->focus == target)
        leave_beside_stop(target, newest);
    else if (session->pause_wanted)
        tell_pause(target, newest);
    else if (step_is_of(target))
        step_on(target, newest);
    else
        leave_as_resumed(newest);
}

static void run(struct target *target)
{
    if (is_over(target))
        emulation_forget(target);
    struct held_stop *held = target->held;
    if (held != NULL && held->start && !target->session->launch.configured)
        return;
    while (held != NULL && held->request == 0) {
        if (decide_stop(held))
            return;
        held = held->next;
    }
    if (held == NULL && target->held != NULL)
        finish(target);
}

/* ---- what comes in ---- */

static bool is_step_end(const struct target *target, const struct stop *stop)
{
    return step_is_of(target) && target->session->resumed.continued && strcmp(stop->reason, "step") == 0;
}

void emulation_configured(struct target *target)
{
    if (target->held != NULL)
        run(target);
}

/* Some adapters stop before the program's first line, asked for or not. */
static bool is_start(const struct target *target, const struct stop *stop)
{
    const struct session *session = target->session;
    if (session->start_passed || session->plan->attach || target->channel != 0 || !stop->has_thread)
        return false;
    return session_quirk(session, QUIRK_STOPS_AT_START) || entry_hit(session, stop);
}

static bool concerns(struct target *target, const struct stop *stop, struct breakpoint_row *rows, size_t *ret_count,
                     bool *ret_by_place)
{
    *ret_count = 0;
    *ret_by_place = false;
    if (!stop->has_thread)
        return false;
    *ret_by_place = is_start(target, stop);
    if (*ret_by_place || is_step_end(target, stop))
        return true;
    if (strstr(stop->reason, "break") == NULL || !breakpoints_any_emulated(target))
        return false;
    *ret_count = breakpoints_hit(target, stop, rows, BREAKPOINTS_OF_A_STOP);
    *ret_by_place = *ret_count == 0;
    for (size_t i = 0; i < *ret_count; i++)
        if (rows[i].emulated != 0)
            return true;
    return *ret_by_place;
}

bool emulation_takes(struct target *target, struct stop *stop, int score)
{
    struct breakpoint_row rows[BREAKPOINTS_OF_A_STOP];
    size_t count;
    bool by_place;
    bool start = is_start(target, stop);
    bool concerned = concerns(target, stop, rows, &count, &by_place);
    if (!concerned && target->held == NULL)
        return false;
    if (start && target->held != NULL) { /* another event for the same stop */
        stop_done(stop);
        return true;
    }
    struct held_stop *held = xcalloc(1, sizeof(*held));
    *held = (struct held_stop){
        .target = target, .stop = *stop, .score = score, .by_place = by_place, .start = start, .tells = !concerned
    };
    buffer_init(&held->log, LIMIT_TEXT_BYTES);
    if (concerned && count > 0)
        take_rows(held, rows, count);
    struct held_stop **end = &target->held;
    while (*end != NULL)
        end = &(*end)->next;
    *end = held;
    if (stop->has_thread) {
        target->has_last_thread = true;
        target->last_thread = stop->adapter_thread_id;
    }
    stop_forget_former(target);
    run(target);
    return true;
}
