/* The temporary breakpoint: one at most, that the program runs to. It stands in no list of what is desired; it is sent with the list that it
 * would be in, to every target, and what is desired at its place is left out meanwhile (its condition would not let the program stop). */
#include "session/breakpoints.h"

#include "base/path.h"

#include <string.h>

void temporary_forget(struct session *session)
{
    struct temporary_breakpoint *temporary = &session->temporary;
    if (!temporary->set)
        return;
    desired_breakpoints_free(temporary->desired, 1);
    bound_breakpoint_done(&temporary->bound);
    free(temporary->path);
    *temporary = (struct temporary_breakpoint){ 0 };
}

const struct desired_breakpoint *temporary_of(const struct session *session, enum breakpoint_kind kind, const char *path)
{
    const struct temporary_breakpoint *temporary = &session->temporary;
    if (!temporary->set || temporary->desired->kind != kind || (path != NULL && strcmp(temporary->path, path) != 0))
        return NULL;
    return temporary->desired;
}

bool temporary_masks(const struct session *session, const struct breakpoint_list *list, size_t index)
{
    const struct desired_breakpoint *temporary = temporary_of(session, list->kind, list->path);
    return temporary != NULL && desired_breakpoint_same_place(temporary, &list->desired[index]);
}

/* A target that binds it speaks for it. */
void temporary_take_answer(struct target *target, yyjson_val *item)
{
    struct bound_breakpoint *bound = &target->session->temporary.bound;
    struct bound_breakpoint next;
    if (item == NULL)
        return;
    breakpoint_read_row(target->session, item, &next);
    if (bound->state == BREAKPOINT_BOUND && next.state != BREAKPOINT_BOUND) {
        bound_breakpoint_done(&next);
        return;
    }
    bool hit = bound->hit;
    bound_breakpoint_done(bound);
    *bound = next;
    bound->hit = hit;
    bound->owner = target->channel;
    if (bound->state != BREAKPOINT_BOUND && target->session->temporary.of_entry && target->session->temporary.path == NULL)
        session_notice(target->session, "stop_on_entry: the debugger has set no breakpoint of its own at main.main%s%s",
                       bound->message == NULL ? "" : ": ", bound->message == NULL ? "" : bound->message);
}

bool temporary_stands_at(const struct session *session, const struct frame *frame)
{
    const struct temporary_breakpoint *temporary = &session->temporary;
    if (!temporary->set || frame->source_path == NULL)
        return false;
    const struct bound_breakpoint *bound = &temporary->bound;
    const char *path = temporary->path != NULL ? temporary->path : bound->source_path;
    int64_t line = bound->has_line ? bound->line : temporary->desired->line;
    return path != NULL && line == frame->line &&
           (strcmp(path, frame->source_path) == 0 || path_same_file(path, frame->source_path));
}

/* It is none that the user set: "hit breakpoint ids: 2" was taken for the one with the number 2. */
static bool take_hit(struct stop *stop, int64_t id)
{
    size_t kept = 0, count = stop->hit_count;
    for (size_t i = 0; i < count; i++)
        if (stop->hit_ids[i] != id)
            stop->hit_ids[kept++] = stop->hit_ids[i];
    stop->hit_count = kept;
    return kept < count;
}

void temporary_on_stop(struct session *session)
{
    const struct stop *stop = &session->stop;
    struct temporary_breakpoint *temporary = &session->temporary;
    bool breaks = strstr(stop->reason, "breakpoint") != NULL;
    if (!temporary->set || stop->frame_count == 0 || !breaks)
        return;
    bool by_name =
        temporary->desired->kind == BREAKPOINT_FUNCTION && strstr(stop->frames[0].name, temporary->desired->name) != NULL;
    if (by_name || temporary_stands_at(session, &stop->frames[0]))
        temporary->bound.hit = true;
    if (temporary->bound.has_id && take_hit(&session->stop, temporary->bound.id))
        temporary->bound.hit = true;
}

const struct bound_breakpoint *session_temporary(const struct session *session)
{
    return session->temporary.set ? &session->temporary.bound : NULL;
}

/* Where names are not taken, the line where the function begins. */
static int place_function(struct session *session, struct temporary_breakpoint *temporary, struct error *ret_error)
{
    struct desired_breakpoint *desired = temporary->desired;
    if (desired->kind != BREAKPOINT_FUNCTION || !breakpoint_by_place(session->focus, desired))
        return 0;
    breakpoint_locate(session->focus, desired, 1);
    if (desired->place_path == NULL)
        return error_set(ret_error, ERROR_REQUEST, "%s",
                         desired->place_failure == NULL ? "the function was not found" : desired->place_failure);
    temporary->path = xstrdup(desired->place_path);
    desired->kind = BREAKPOINT_SOURCE;
    desired->line = desired->place_line;
    return 0;
}

int session_set_temporary(struct session *session, const char *path, const struct desired_breakpoint *breakpoint,
                          session_done_fn done, void *user, struct error *ret_error)
{
    struct temporary_breakpoint *temporary = &session->temporary;
    temporary_forget(session);
    *temporary =
        (struct temporary_breakpoint){ .set = true, .path = xstrdup(path), .desired = desired_breakpoints_copy(breakpoint, 1) };
    int result = place_function(session, temporary, ret_error);
    AUTO_FREE char *refusal = result < 0 ? NULL : breakpoint_refusal(session->focus, temporary->desired);
    if (refusal != NULL)
        result = error_set(ret_error, ERROR_REQUEST, "%s", refusal);
    if (result == 0)
        result = breakpoint_send_again(session, temporary->desired->kind, temporary->path, done, user, ret_error);
    if (result < 0)
        temporary_forget(session);
    return result;
}

void session_clear_temporary(struct session *session, session_done_fn done, void *user)
{
    struct temporary_breakpoint *temporary = &session->temporary;
    if (!temporary->set) {
        done(user, NULL);
        return;
    }
    enum breakpoint_kind kind = temporary->desired->kind;
    AUTO_FREE char *path = xstrdup(temporary->path);
    AUTO_ERROR struct error error = ERROR_INIT;
    temporary_forget(session);
    if (breakpoint_send_again(session, kind, path, done, user, &error) < 0)
        done(user, &error);
}

/* ---- line 0, and main.main ---- */

void entry_prepare(struct session *session)
{
    const struct launch_plan *plan = session->plan;
    bool by_line = session_quirk(session, QUIRK_ENTERS_AT_LINE_ZERO), by_name = session_quirk(session, QUIRK_ENTERS_AT_MAIN);
    bool wanted = plan->stop_on_entry && !plan->attach && (by_name || (by_line && plan->program != NULL));
    if (!wanted || session->start_passed)
        return;
    temporary_forget(session);
    struct desired_breakpoint line_0 = { .kind = BREAKPOINT_SOURCE };
    struct desired_breakpoint main_function = { .kind = BREAKPOINT_FUNCTION, .name = (char *)"main.main" };
    session->temporary =
        (struct temporary_breakpoint){ .set = true,
                                       .of_entry = true,
                                       .path = by_name ? NULL : xstrdup(plan->program),
                                       .desired = desired_breakpoints_copy(by_name ? &main_function : &line_0, 1) };
}

bool entry_awaited(const struct session *session)
{
    return session->temporary.set && session->temporary.of_entry;
}

/* Of several breakpoints, only that of a function tells that it was this one. */
bool entry_hit(const struct session *session, const struct stop *stop)
{
    const struct temporary_breakpoint *temporary = &session->temporary;
    if (!entry_awaited(session) || strstr(stop->reason, "break") == NULL)
        return false;
    if (temporary->desired->kind == BREAKPOINT_SOURCE)
        return true;
    for (size_t i = 0; temporary->bound.has_id && i < stop->hit_count; i++)
        if (stop->hit_ids[i] == temporary->bound.id)
            return true;
    return false;
}

static void on_entry_taken_away(void *user, const struct error *error)
{
    struct session *session = user;
    if (error != NULL)
        session_notice(session, "the breakpoint that stopped the program on entry could not be taken away: %s", error->message);
}

void entry_done(struct session *session)
{
    if (entry_awaited(session))
        session_clear_temporary(session, on_entry_taken_away, session);
}
