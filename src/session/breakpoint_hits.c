/* Which breakpoints stopped the program. A stop proves that a breakpoint is bound: by its id, or by standing exactly where it is. */
#include "session/breakpoints.h"

#include "base/path.h"

#include <string.h>

static bool same_file(const char *a, const char *b)
{
    return a != NULL && b != NULL && (strcmp(a, b) == 0 || path_same_file(a, b));
}

/* "total" is "main.total", "Cart::total", "Cart#total" too. */
static bool is_named(const struct frame *frame, const char *name)
{
    const char *shown = frame->name == NULL ? "" : frame->name;
    size_t len = strcspn(shown, "("), name_len = strcspn(name, "(");
    const char *whole = len >= name_len ? shown : name, *part = len >= name_len ? name : shown;
    size_t more = len >= name_len ? len - name_len : name_len - len;
    return len > 0 && name_len > 0 && strncmp(whole + more, part, len >= name_len ? name_len : len) == 0 &&
           (more == 0 || strchr(".:#", whole[more - 1]) != NULL);
}

/* The line is where the target put it, else where it was asked for. */
bool breakpoint_stands_at(const struct breakpoint_list *list, size_t index, const struct frame *frame)
{
    const struct bound_breakpoint *bound = &list->bound[index];
    const struct desired_breakpoint *desired = &list->desired[index];
    if (desired->disabled)
        return false;
    if (list->kind == BREAKPOINT_SOURCE)
        return frame->line == (bound->has_line ? bound->line : desired->line) && same_file(list->path, frame->source_path);
    if (list->kind == BREAKPOINT_FUNCTION && desired->place_path != NULL)
        return frame->line == (bound->has_line ? bound->line : desired->place_line) &&
               same_file(desired->place_path, frame->source_path);
    return list->kind == BREAKPOINT_FUNCTION && bound->has_line && frame->line == bound->line &&
           same_file(bound->source_path, frame->source_path);
}

/* ---- before it is known whether it is a stop ---- */

/* Where the program was to run to, nothing is decided. */
static struct breakpoint_row row_of(struct target *target, struct breakpoint_list *list, size_t index)
{
    struct desired_breakpoint *desired = &list->desired[index];
    unsigned emulated = temporary_masks(target->session, list, index) ? 0 : breakpoint_emulated(target, desired);
    return (struct breakpoint_row){ list, desired, &list->bound[index], emulated };
}

bool breakpoint_of_number(struct target *target, int64_t number, struct breakpoint_row *ret)
{
    struct session *session = target->session;
    for (size_t i = 0; i < session->list_count; i++) {
        struct breakpoint_list *list = &session->lists[i];
        for (size_t k = 0; k < list->count; k++) {
            if (list->desired[k].number == number && !list->desired[k].disabled) {
                *ret = row_of(target, list, k);
                return true;
            }
        }
    }
    return false;
}

bool breakpoints_any_placed(const struct session *session)
{
    for (size_t i = 0; i < session->list_count; i++) {
        const struct breakpoint_list *list = &session->lists[i];
        if ((list->kind == BREAKPOINT_SOURCE || list->kind == BREAKPOINT_FUNCTION) && list->count > 0)
            return true;
    }
    return false;
}

bool breakpoints_any_emulated(struct target *target)
{
    struct session *session = target->session;
    for (size_t i = 0; i < session->list_count; i++)
        for (size_t k = 0; k < session->lists[i].count; k++)
            if (!session->lists[i].desired[k].disabled && breakpoint_emulated(target, &session->lists[i].desired[k]) != 0)
                return true;
    return false;
}

static int64_t number_of(const struct session *session, const struct bound_breakpoint *bound)
{
    for (size_t i = 0; i < session->list_count; i++) {
        const struct breakpoint_list *list = &session->lists[i];
        if (bound >= list->bound && bound < list->bound + list->count)
            return list->desired[bound - list->bound].number;
    }
    return 0;
}

static size_t add_row(struct target *target, int64_t number, struct breakpoint_row *rows, size_t count, size_t most)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].desired->number == number)
            return count;
    return count < most && breakpoint_of_number(target, number, &rows[count]) ? count + 1 : count;
}

/* The adapter may name one of those that stand at a place, or all: it has come to all of them. */
size_t breakpoints_hit(struct target *target, const struct stop *stop, struct breakpoint_row *ret_rows, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < stop->hit_count; i++) {
        struct bound_breakpoint *bound = breakpoint_find_bound(target, stop->hit_ids[i]);
        if (bound != NULL)
            count = add_row(target, number_of(target->session, bound), ret_rows, count, most);
    }
    for (size_t i = 0; i < count; i++) {
        const struct breakpoint_list *list = ret_rows[i].list;
        const struct desired_breakpoint *one = ret_rows[i].desired;
        for (size_t k = 0; one->shares_place && k < list->count; k++)
            if (breakpoints_share(one, &list->desired[k]))
                count = add_row(target, list->desired[k].number, ret_rows, count, most);
    }
    return count;
}

size_t breakpoints_at(struct target *target, const struct frame *frame, struct breakpoint_row *ret_rows, size_t most)
{
    struct session *session = target->session;
    size_t count = 0;
    for (size_t i = 0; i < session->list_count && frame->source_path != NULL; i++)
        for (size_t k = 0; k < session->lists[i].count && count < most; k++)
            if (breakpoint_stands_at(&session->lists[i], k, frame) && !temporary_masks(session, &session->lists[i], k))
                ret_rows[count++] = row_of(target, &session->lists[i], k);
    return count;
}

/* ---- of a stop ---- */

static void hit(struct session *session, struct bound_breakpoint *bound)
{
    struct stop *stop = &session->stop;
    if (bound->state != BREAKPOINT_BOUND)
        xreplace(&bound->message, NULL); /* it said why it was not */
    bound->state = BREAKPOINT_BOUND;
    bound->hit = true;
    int64_t number = number_of(session, bound);
    struct breakpoint_row row;
    if (breakpoint_of_number(session->focus, number, &row) && row.emulated == 0) {
        bound->counts.arrivals++; /* the others were counted when it was decided about them */
        bound->counts.hits++;
        bound->counts.stops++;
    }
    bool panic = stop->panic && breakpoint_of_number(session->focus, number, &row) && row.desired->kind == BREAKPOINT_EXCEPTION;
    if (number != 0 && !panic) /* the temporary one has none; an exception is told as such */
        stop_add_number(stop, number);
}

/* Told by the decisions already. */
static bool hit_by_number(struct session *session)
{
    struct stop *stop = &session->stop;
    struct breakpoint_row row;
    for (size_t i = 0; i < stop->number_count; i++)
        if (breakpoint_of_number(session->focus, stop->hit_numbers[i], &row))
            hit(session, row.bound);
    return stop->number_count > 0;
}

static bool hit_by_id(struct session *session)
{
    struct stop *stop = &session->stop;
    for (size_t i = 0; i < stop->hit_count; i++) {
        struct bound_breakpoint *bound = breakpoint_find_bound(session->focus, stop->hit_ids[i]);
        if (bound == NULL)
            continue;
        hit(session, bound);
        if (bound->has_id)
            stop->hit_ids[i] = bound->id; /* as the row shows it */
    }
    return stop->number_count > 0;
}

/* Some say that it was a function's, and neither which nor where that is bound. */
static bool hit_by_name(struct session *session)
{
    const struct stop *stop = &session->stop;
    struct breakpoint_list *list = breakpoint_list_find(session, BREAKPOINT_FUNCTION, NULL);
    if (list == NULL || strcmp(stop->reason, "function breakpoint") != 0)
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (!list->desired[i].disabled && is_named(&stop->frames[0], list->desired[i].name))
            hit(session, &list->bound[i]);
    return stop->number_count > 0;
}

/* lldb-dap 19 calls it a breakpoint, and only the description says more. */
static bool is_of_data(const struct stop *stop)
{
    return strcmp(stop->reason, "data breakpoint") == 0 ||
           (stop->description != NULL && strncasecmp(stop->description, "watchpoint ", 11) == 0);
}

/* Without an id, it is known which one it was when there is only one. */
static bool hit_of_data(struct session *session)
{
    struct breakpoint_list *list = breakpoint_list_find(session, BREAKPOINT_DATA, NULL);
    if (!is_of_data(&session->stop))
        return false;
    struct bound_breakpoint *only = NULL;
    size_t candidates = 0;
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        if (list->desired[i].disabled || list->desired[i].expired || list->bound[i].state == BREAKPOINT_FAILED)
            continue;
        candidates++;
        only = &list->bound[i];
    }
    if (candidates == 1)
        hit(session, only);
    return true;
}

static bool is_breakpoint(const char *reason)
{
    return strcmp(reason, "breakpoint") == 0 || strcmp(reason, "function breakpoint") == 0;
}

static void find_hits(struct session *session)
{
    const struct stop *stop = &session->stop;
    if (hit_by_number(session) || hit_by_id(session) || hit_of_data(session))
        return;
    if (stop->frame_count == 0 || !is_breakpoint(stop->reason) || hit_by_name(session))
        return;
    for (size_t i = 0; i < session->list_count && stop->frames[0].source_path != NULL; i++)
        for (size_t k = 0; k < session->lists[i].count; k++)
            if (breakpoint_stands_at(&session->lists[i], k, &stop->frames[0]) && !temporary_masks(session, &session->lists[i], k))
                hit(session, &session->lists[i].bound[k]);
}

void breakpoints_on_stop(struct session *session)
{
    temporary_on_stop(session);
    find_hits(session);
    breakpoint_faults_on_stop(session);
}
