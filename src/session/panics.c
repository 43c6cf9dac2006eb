/* Panics of Rust programs, as exceptions. No debug adapter tells of them, but each goes through one function of Rust's runtime, after its
 * message was printed: two exception filters of ours stand for a breakpoint there. It is sent with the function breakpoints, and a stop at
 * it is told as a stop for an exception. */
#include "session/breakpoints.h"

#include <string.h>

#define MESSAGE_WAIT_MS 300         /* for output that is on its way while the program stands already */
#define OUTPUT_SEARCHED (16 * 1024) /* newest bytes, for the message */
#define LONGEST_MESSAGE 2000
#define FUNCTION "rust_panic"

bool panic_filter_is(const struct target *target, const char *filter)
{
    const struct launch_plan *plan = target == NULL ? NULL : target->session->plan;
    return plan != NULL && plan->panic_function != NULL && target->channel == 0 &&
           target_capability(target, "supportsFunctionBreakpoints") &&
           (strcmp(filter, PANIC_FILTER) == 0 || strcmp(filter, PANIC_UNCAUGHT_FILTER) == 0);
}

/* The list of exceptions, and the first row of it that wants panics; NULL: none. */
static struct breakpoint_list *wanting_list(const struct target *target, size_t *ret_row)
{
    struct breakpoint_list *list = breakpoint_list_find(target->session, BREAKPOINT_EXCEPTION, NULL);
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        const struct desired_breakpoint *desired = &list->desired[i];
        if (desired->break_mode != NULL || desired->disabled || !panic_filter_is(target, desired->name))
            continue;
        *ret_row = i;
        return list;
    }
    return NULL;
}

bool panic_wanted(const struct target *target)
{
    size_t row;
    return wanting_list(target, &row) != NULL;
}

static bool wants_caught(const struct target *target)
{
    size_t row;
    const struct breakpoint_list *list = wanting_list(target, &row);
    for (size_t i = 0; list != NULL && i < list->count; i++)
        if (list->desired[i].break_mode == NULL && !list->desired[i].disabled && strcmp(list->desired[i].name, PANIC_FILTER) == 0)
            return true;
    return false;
}

struct desired_breakpoint panic_breakpoint(const struct target *target)
{
    return (struct desired_breakpoint){ .kind = BREAKPOINT_FUNCTION, .name = xstrdup(target->session->plan->panic_function) };
}

void panic_take_answer(struct target *target, yyjson_val *item)
{
    size_t row;
    struct breakpoint_list *list = wanting_list(target, &row);
    if (list != NULL && item != NULL)
        breakpoint_take_row(target, list, row, item);
}

/* ---- is it one? ---- */

/* By the id, else by where it stands. */
static bool stands_in_panic(const struct session *session)
{
    size_t row;
    const struct stop *stop = &session->stop;
    const struct breakpoint_list *list = session->focus == NULL ? NULL : wanting_list(session->focus, &row);
    if (list == NULL || strstr(stop->reason, "breakpoint") == NULL || stop->frame_count == 0)
        return false;
    const struct bound_breakpoint *bound = &list->bound[row];
    for (size_t i = 0; i < stop->hit_count; i++)
        if (bound->has_id && bound->id == stop->hit_ids[i])
            return true;
    const char *name = stop->frames[0].name, *found = strstr(name, FUNCTION);
    return stop->hit_count == 0 && found != NULL && (found == name || found[-1] == ':') &&
           strchr("(:", found[strlen(FUNCTION)]) != NULL;
}

static bool names_catch(const struct frame *frame)
{
    return strstr(frame->name, "catch_unwind") != NULL || strstr(frame->name, "panicking::try") != NULL ||
           strstr(frame->name, "__rust_try") != NULL;
}

/* Code of the runtime's and of packages has its sources in folders of theirs: what they catch (a test, a task, a thread) they only report. */
static bool is_programs_own(const struct frame *frame)
{
    static const char *const others[] = { "/rustc/", "/rustlib/", "/.cargo/" };
    for (size_t i = 0; i < COUNT_OF(others); i++)
        if (frame->source_path == NULL || strstr(frame->source_path, others[i]) != NULL)
            return false;
    return frame->source_reference == 0;
}

/* The innermost catch_unwind was called by the program's own code. False also where the frames do not reach as far. */
static bool is_caught(const struct stop *stop)
{
    size_t at = 0;
    while (at < stop->frame_count && !names_catch(&stop->frames[at]))
        at++;
    while (at < stop->frame_count && names_catch(&stop->frames[at]))
        at++;
    return at < stop->frame_count && is_programs_own(&stop->frames[at]);
}

/* ---- its message ---- */

/* The end of the message: what follows it is about the backtrace. */
static size_t message_length(const char *text, size_t len)
{
    static const char *const next[] = { "\nnote: ", "\nstack backtrace:", "\n\n" };
    for (size_t i = 0; i < COUNT_OF(next); i++) {
        const char *end = strstr(text, next[i]);
        if (end != NULL && (size_t)(end - text) < len)
            len = (size_t)(end - text);
    }
    while (len > 0 && text[len - 1] == '\n')
        len--;
    return len < LONGEST_MESSAGE ? len : LONGEST_MESSAGE;
}

/* "thread 'main' panicked at src/main.rs:3:5:\nmessage" since the program went on; older: "panicked at 'message', src/main.rs:3:5".
 * Returns heap memory of the caller's; NULL: not there, or not complete. */
static char *find_message(const struct session *session)
{
    uint64_t since = session->output_total - session->output_at_resume;
    size_t len;
    AUTO_FREE char *text = ring_tail(&session->output, since < OUTPUT_SEARCHED ? (size_t)since : OUTPUT_SEARCHED, &len);
    char *start = NULL;
    for (char *at = text; (at = strstr(at, "panicked at ")) != NULL; at++)
        start = at;
    char *end = start == NULL ? NULL : strchr(start, '\n');
    const char *last = end == NULL ? NULL : end[-1] == '\r' ? end - 2 : end - 1;
    if (end == NULL || (*last == ':' && strchr(end + 1, '\n') == NULL))
        return NULL;
    size_t message = message_length(start, strlen(start));
    char *found = xstrndup(start, message), *into = found;
    for (const char *at = found; *at != '\0'; at++) { /* line ends, maybe a terminal's, as spaces */
        bool ends_line = *at == '\n' || *at == '\r';
        if (!ends_line)
            *into++ = *at;
        else if (into > found && into[-1] != ' ')
            *into++ = ' ';
    }
    while (into > found && into[-1] == ' ')
        into--;
    *into = '\0';
    return found;
}

static void on_message_time(struct session *session)
{
    if (!session->has_stop || !session->stop.awaits_message)
        return;
    session->stop.awaits_message = false;
    session->stop.waited_for_message = true;
    stop_settle(session);
}

void panic_on_output(struct session *session)
{
    if (session->has_stop && session->stop.awaits_message)
        timer_set(session, &session->panic_timer, 0, on_message_time);
}

/* ---- a stop ---- */

bool panic_holds(struct session *session)
{
    struct stop *stop = &session->stop;
    if (!stands_in_panic(session))
        return false;
    AUTO_FREE char *message = find_message(session);
    if (message == NULL && !stop->waited_for_message) {
        stop->awaits_message = true;
        timer_set(session, &session->panic_timer, MESSAGE_WAIT_MS, on_message_time);
        return true;
    }
    stop->panic = true;
    xreplace(&stop->reason, "exception");
    xreplace(&stop->description, NULL);
    xreplace(&stop->text, message != NULL ? message
                                          : "panicked; its message was not printed (a test harness keeps it back unless the test's "
                                            "args have --nocapture, and so may a panic hook)");
    return false;
}

static void on_passed(void *user, const struct error *error)
{
    struct session *session = user;
    if (error != NULL)
        session_notice(session, "the program could not go on from a panic that it catches itself: %s", error->message);
}

bool panic_passes(struct session *session)
{
    const struct stop *stop = &session->stop;
    if (!stop->panic || stop->number_count > 0 || !stop->has_thread || stop->interrupts_step || stop->pause_asked ||
        wants_caught(session->focus) || !is_caught(stop))
        return false;
    session_resume(session, &(struct resume){ .kind = RESUME_CONTINUE }, on_passed, session, NULL);
    if (session->state == SESSION_RUNNING && (!session->launch.answered || !session->launch.configured))
        session_set_state(session, SESSION_LAUNCHING);
    launch_check(session);
    return true;
}
