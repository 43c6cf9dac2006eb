/* Thread ids: every target numbers its own threads from anywhere, and two of them may use the same number. The root's are shown as they
 * are; a child's get the next number that is free, kept for the life of the session. */
#include "session/internal.h"

#define RUNNING_LIST_MS 1000 /* for the list of threads of a program that runs: some never answer */
#define BLOCKED_MS \
    200 /* a stack that comes later is of a thread that does not stand still: debugpy waits half a second for it to */
#define BLOCKED_MOST 12 /* so many of these are waited for */

static bool number_taken(const struct session *session, int64_t number)
{
    const struct target *root = session_root(session);
    for (size_t i = 0; i < root->thread_count; i++)
        if (root->threads[i] == number)
            return true;
    if (root->has_last_thread && root->last_thread == number)
        return true;
    for (size_t i = 0; i < session->shown_thread_count; i++)
        if (session->shown_threads[i].shown == number)
            return true;
    return false;
}

int64_t thread_shown(struct target *target, int64_t adapter_id)
{
    struct session *session = target->session;
    if (target->channel == 0)
        return adapter_id;
    for (size_t i = 0; i < session->shown_thread_count; i++)
        if (session->shown_threads[i].channel == target->channel && session->shown_threads[i].adapter_id == adapter_id)
            return session->shown_threads[i].shown;
    int64_t number = 1;
    while (number_taken(session, number))
        number++;
    session->shown_threads =
        xgrow(session->shown_threads, &session->shown_thread_cap, session->shown_thread_count + 1, sizeof(*session->shown_threads));
    session->shown_threads[session->shown_thread_count++] = (struct shown_thread){ target->channel, adapter_id, number };
    return number;
}

/* An ended child's numbers are not given out again at once: they go to the end of the list's life, with the launch. */
void threads_forget(struct session *session, uint32_t channel)
{
    for (size_t i = 0; i < session->shown_thread_count; i++)
        if (session->shown_threads[i].channel == channel)
            session->shown_threads[i].channel = UINT32_MAX;
}

struct target *thread_target(const struct session *session, int64_t thread_id, int64_t *ret_adapter_id)
{
    for (size_t i = 0; i < session->shown_thread_count; i++) {
        const struct shown_thread *shown = &session->shown_threads[i];
        struct target *target = target_find(session, shown->channel);
        if (shown->shown == thread_id && target != NULL) {
            *ret_adapter_id = shown->adapter_id;
            return target;
        }
    }
    *ret_adapter_id = thread_id;
    return session_root(session);
}

int session_resolve_thread(struct session *session, int64_t thread_id, int64_t *ret_adapter_id, struct error *ret_error)
{
    const struct target *focus = session->focus;
    const struct stop *stop = session_stop(session);
    bool same = stop != NULL && stop->has_thread && stop->thread_id == thread_id;
    if (!same && session_quirk(session, QUIRK_LOOKS_AT_ONE_THREAD))
        return error_set(
            ret_error, ERROR_ARGUMENT,
            "/thread_id: %s shows and steps only the thread that stopped; a breakpoint in the code of thread %lld stops it",
            session_adapter_id(session), (long long)thread_id);
    if (focus != NULL && focus != thread_target(session, thread_id, ret_adapter_id))
        return error_set(ret_error, ERROR_STATE,
                         "/thread_id: thread %lld is not one of the process that stopped, the child session %s; leave thread_id "
                         "out, or take one "
                         "that dap_threads shows",
                         (long long)thread_id, focus->name);
    if (focus == NULL)
        *ret_adapter_id = thread_id;
    return 0;
}

/* ---- all of them, as they stand ---- */

struct thread_reading {
    struct session *session;
    struct session_threads threads;
    int64_t stop_number; /* 0: the program runs */
    uint64_t asked_at;   /* the last of the stacks that are asked for one by one */
    int blocked;         /* threads whose stacks came late */
    int awaited;
    session_threads_fn done;
    void *user;
};

/* What a request of the reading is about. The list of threads does not grow while their frames are asked for, but its place does move. */
struct thread_question {
    struct thread_reading *reading;
    struct target *target;
    size_t index;
    size_t end; /* the threads up to here are asked for one after the other; 0: all at once */
};

void session_threads_done(struct session_threads *threads)
{
    for (size_t i = 0; i < threads->count; i++) {
        free(threads->list[i].name);
        free(threads->list[i].child);
        free(threads->list[i].failure);
        frames_free(threads->list[i].frames, threads->list[i].frame_count);
    }
    free(threads->list);
    free(threads->failure);
    *threads = (struct session_threads){ 0 };
}

static int by_id(const void *a, const void *b)
{
    const struct session_thread *one = a, *other = b;
    return (one->id > other->id) - (one->id < other->id);
}

static void reading_release(struct thread_reading *reading)
{
    if (--reading->awaited > 0)
        return;
    struct session_threads threads = reading->threads;
    if (threads.count > 1) /* dlv has them in the order of their names */
        qsort(threads.list, threads.count, sizeof(*threads.list), by_id);
    session_threads_fn done = reading->done;
    void *user = reading->user;
    free(reading);
    done(user, &threads);
    session_threads_done(&threads);
}

static struct thread_question *question_new(struct thread_reading *reading, struct target *target, size_t index)
{
    struct thread_question *question = xcalloc(1, sizeof(*question));
    *question = (struct thread_question){ .reading = reading, .target = target, .index = index };
    reading->awaited++;
    return question;
}

static bool stop_is_still(const struct thread_reading *reading)
{
    const struct stop *stop = session_stop(reading->session);
    return stop != NULL && stop->number == reading->stop_number;
}

static void take_frames(struct session_thread *thread, const struct dap_answer *answer)
{
    yyjson_val *list = json_array(answer->body, "stackFrames");
    size_t told = yyjson_arr_size(list), count = told < LIMIT_THREAD_FRAMES ? told : LIMIT_THREAD_FRAMES;
    thread->frames = xcalloc(count + 1, sizeof(*thread->frames));
    for (size_t i = 0; i < count; i++)
        frame_read(yyjson_arr_get(list, i), &thread->frames[i]);
    thread->frame_count = count;
}

static void ask_thread_frames(struct thread_reading *reading, struct target *target, size_t index, size_t end);

/* Of a thread that is blocked the stack comes late: those that there is no time for are not asked for, and do not keep other requests. */
static void ask_one_by_one(struct thread_reading *reading, struct target *target, size_t index, size_t end)
{
    bool gone_on = reading->stop_number > 0 && !stop_is_still(reading);
    for (; index < end; index++) {
        struct session_thread *thread = &reading->threads.list[index];
        if (thread->focused) /* asked for at once: it stands still */
            continue;
        if (!gone_on && reading->blocked < BLOCKED_MOST) {
            reading->asked_at = reading->session->now;
            ask_thread_frames(reading, target, index, end);
            return;
        }
        thread->failure = xstrdup(gone_on ? "the program went on meanwhile" : "not asked: too many threads are blocked");
    }
}

static void on_thread_frames(void *user, const struct dap_answer *answer)
{
    struct thread_question question = *(struct thread_question *)user;
    struct thread_reading *reading = question.reading;
    struct session_thread *thread = &reading->threads.list[question.index];
    free(user);
    if (thread->state == THREAD_RUNNING) { /* where it is just now, if it is told */
        if (answer->outcome == DAP_OK)
            take_frames(thread, answer);
        else
            thread->failure = session_answer_text(answer);
    } else if (answer->outcome == DAP_OK && stop_is_still(reading)) {
        take_frames(thread, answer);
        thread->state = THREAD_STOPPED;
        if (thread->frame_count > 0 && question.target == reading->session->focus)
            thread->frames[0].handle = session_frame_handle(reading->session, thread->frames[0].adapter_id);
    } else if (answer->outcome == DAP_OK) {
        thread->failure = xstrdup("the program went on meanwhile");
    } else {
        thread->failure = session_answer_text(answer);
    }
    if (answer->outcome != DAP_OK && answer->outcome != DAP_REFUSED)
        reading->blocked = BLOCKED_MOST;
    else if (question.end > 0 && reading->session->now >= reading->asked_at + BLOCKED_MS)
        reading->blocked++;
    ask_one_by_one(reading, question.target, question.index + 1, question.end);
    reading_release(reading);
}

static void ask_thread_frames(struct thread_reading *reading, struct target *target, size_t index, size_t end)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_int(doc, arguments, "threadId", reading->threads.list[index].adapter_id);
    json_add_int(doc, arguments, "startFrame", 0);
    json_add_int(doc, arguments, "levels", LIMIT_THREAD_FRAMES);
    struct thread_question *question = question_new(reading, target, index);
    question->end = end;
    target_ask(target, "stackTrace", doc, reading->session->timeouts.request, on_thread_frames, question);
}

/* Of a target that runs, hardly any adapter tells more than which threads there are. */
static bool stands_still(const struct thread_reading *reading, const struct target *target)
{
    return reading->stop_number > 0 && (target == reading->session->focus || target->has_queued);
}

/* False: there is no room. */
static bool add_thread(struct thread_reading *reading, struct target *target, int64_t id, const char *name)
{
    struct session *session = reading->session;
    const struct stop *stop = session_stop(session);
    reading->threads.total++;
    if (reading->threads.count == LIMIT_THREADS)
        return false;
    if (reading->threads.list == NULL)
        reading->threads.list = xcalloc(LIMIT_THREADS, sizeof(*reading->threads.list));
    bool is_program = target->channel == 0 || (target->channel == 1 && session_quirk(session, QUIRK_JS_EXIT_TEXT));
    reading->threads.list[reading->threads.count++] = (struct session_thread){
        .id = thread_shown(target, id),
        .adapter_id = id,
        .name = xstrdup(name),
        .child = is_program ? NULL : xstrdup(target->name),
        .focused = stop != NULL && target == session->focus && stop->has_thread && stop->adapter_thread_id == id,
        .state = stands_still(reading, target) ? THREAD_UNKNOWN : THREAD_RUNNING,
    };
    return true;
}

/* The frames are asked for when all threads of the target are in the list. */
static void ask_frames_from(struct thread_reading *reading, struct target *target, size_t first)
{
    size_t end = reading->threads.count;
    bool slowly = session_quirk(reading->session, QUIRK_STACKS_WHILE_RUNNING);
    for (size_t i = first; i < end && stands_still(reading, target); i++)
        if (!slowly || reading->threads.list[i].focused)
            ask_thread_frames(reading, target, i, 0);
    if (slowly)
        ask_one_by_one(reading, target, first, end);
}

static void add_known_threads(struct thread_reading *reading, struct target *target, const char *why)
{
    for (size_t i = 0; i < target->thread_count; i++)
        add_thread(reading, target, target->threads[i], NULL);
    if (reading->threads.failure == NULL)
        reading->threads.failure = xstrdup(why);
}

static void on_thread_list(void *user, const struct dap_answer *answer)
{
    struct thread_question question = *(struct thread_question *)user;
    struct thread_reading *reading = question.reading;
    size_t first = reading->threads.count;
    free(user);
    if (answer->outcome != DAP_OK) {
        AUTO_FREE char *why = session_answer_text(answer);
        add_known_threads(reading, question.target, why);
    }
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(answer->outcome == DAP_OK ? json_array(answer->body, "threads") : NULL, index, most, item) {
        int64_t id;
        if (json_int(item, "id", &id))
            add_thread(reading, question.target, id, json_string(item, "name"));
    }
    ask_frames_from(reading, question.target, first);
    reading_release(reading);
}

/* A root that only holds children has no threads of its own. */
static bool has_threads(const struct session *session, const struct target *target)
{
    if (target->gone || !target->open)
        return false;
    return target->channel == 0 ? !session->had_children || target->thread_count > 0 || session->target_count == 1 : target->ready;
}

static void ask_thread_list(struct thread_reading *reading, struct target *target)
{
    struct session *session = reading->session;
    bool running = session_stop(session) == NULL;
    if (running && session_quirk(session, QUIRK_LOSES_EARLY_PAUSE)) {
        add_known_threads(reading, target, "this debugger lists threads only while the program is stopped");
        return;
    }
    uint64_t bound = running && session->timeouts.request > RUNNING_LIST_MS ? RUNNING_LIST_MS : session->timeouts.request;
    target_ask(target, "threads", NULL, bound, on_thread_list, question_new(reading, target, 0));
}

void session_read_threads(struct session *session, session_threads_fn done, void *user)
{
    const struct stop *stop = session_stop(session);
    struct thread_reading *reading = xcalloc(1, sizeof(*reading));
    *reading = (struct thread_reading){
        .session = session, .stop_number = stop == NULL ? 0 : stop->number, .awaited = 1, .done = done, .user = user
    };
    for (size_t i = 0; i < session->target_count; i++)
        if (has_threads(session, session->targets[i]))
            ask_thread_list(reading, session->targets[i]);
    reading_release(reading);
}
