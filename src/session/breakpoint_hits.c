/* Which breakpoints stopped the program. A stop proves that a breakpoint is bound: by its id, or by standing exactly where it is. */
#include "session/breakpoints.h"

#include "base/path.h"

#include <string.h>

static bool same_file(const char *a, const char *b)
{
    return a != NULL && b != NULL && (strcmp(a, b) == 0 || path_same_file(a, b));
}

/* The line is where the target put it, else where it was asked for. */
static bool stands_at(const struct breakpoint_list *list, size_t index, const struct frame *frame)
{
    const struct bound_breakpoint *bound = &list->bound[index];
    const struct desired_breakpoint *desired = &list->desired[index];
    if (desired->disabled)
        return false;
    if (list->kind == BREAKPOINT_SOURCE)
        return frame->line == (bound->has_line ? bound->line : desired->line) && same_file(list->path, frame->source_path);
    return list->kind == BREAKPOINT_FUNCTION && bound->has_line && frame->line == bound->line &&
           same_file(bound->source_path, frame->source_path);
}

bool breakpoints_stand_at(const struct session *session, const struct frame *frame)
{
    for (size_t i = 0; i < session->list_count && frame->source_path != NULL; i++)
        for (size_t k = 0; k < session->lists[i].count; k++)
            if (stands_at(&session->lists[i], k, frame))
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

static void hit(struct session *session, struct bound_breakpoint *bound)
{
    struct stop *stop = &session->stop;
    if (bound->state != BREAKPOINT_BOUND)
        xreplace(&bound->message, NULL); /* it said why it was not */
    bound->state = BREAKPOINT_BOUND;
    bound->hit = true;
    int64_t number = number_of(session, bound);
    for (size_t i = 0; i < stop->number_count; i++)
        if (stop->hit_numbers[i] == number)
            return;
    stop->hit_numbers = xrealloc(stop->hit_numbers, (stop->number_count + 1) * sizeof(*stop->hit_numbers));
    stop->hit_numbers[stop->number_count++] = number;
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

static bool is_breakpoint(const char *reason)
{
    return strcmp(reason, "breakpoint") == 0 || strcmp(reason, "function breakpoint") == 0;
}

void breakpoints_on_stop(struct session *session)
{
    const struct stop *stop = &session->stop;
    if (hit_by_id(session) || stop->frame_count == 0 || !is_breakpoint(stop->reason))
        return;
    for (size_t i = 0; i < session->list_count && stop->frames[0].source_path != NULL; i++)
        for (size_t k = 0; k < session->lists[i].count; k++)
            if (stands_at(&session->lists[i], k, &stop->frames[0]))
                hit(session, &session->lists[i].bound[k]);
}
