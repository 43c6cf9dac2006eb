#include "verb/breakpoint_advice.h"

#include "base/path.h"
#include "verb/breakpoint_locations.h"
#include "verb/internal.h"

#include <inttypes.h>
#include <string.h>

#define LINES_AROUND 10
#define ADVICES 5 /* in one result */

struct advice {
    void (*done)(struct call *call);
    char *paths[ADVICES];
    int64_t lines[ADVICES];
    size_t count, at;
};

static bool needs_advice(const struct breakpoint_list *list, size_t index)
{
    const struct bound_breakpoint *bound = &list->bound[index];
    if (list->desired[index].disabled)
        return false;
    return bound->state != BREAKPOINT_BOUND || (bound->has_line && bound->line != list->desired[index].line);
}

static void collect(struct advice *advice, const struct session *session, const char *path)
{
    for (size_t i = 0; i < session_breakpoint_file_count(session); i++) {
        const struct breakpoint_list *list = session_breakpoint_file(session, i);
        if (path != NULL && strcmp(list->path, path) != 0)
            continue;
        for (size_t k = 0; k < list->count && advice->count < ADVICES; k++) {
            if (!needs_advice(list, k))
                continue;
            advice->paths[advice->count] = xstrdup(list->path);
            advice->lines[advice->count++] = list->desired[k].line;
        }
    }
}

static void finish(struct call *call)
{
    struct advice *advice = call->advice;
    void (*done)(struct call * call) = advice->done;
    for (size_t i = 0; i < advice->count; i++)
        free(advice->paths[i]);
    free(advice);
    call->advice = NULL;
    done(call);
}

/* The nearest on both sides; 0: none. */
static bool find_nearest(yyjson_val *body, int64_t line, int64_t *ret_before, int64_t *ret_after)
{
    *ret_before = *ret_after = 0;
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(json_array(body, "breakpoints"), index, most, item) {
        int64_t at = json_int_or(item, "line", 0);
        if (at == line)
            return false;
        if (at > 0 && at < line && at > *ret_before)
            *ret_before = at;
        if (at > line && (*ret_after == 0 || at < *ret_after))
            *ret_after = at;
    }
    return *ret_before != 0 || *ret_after != 0;
}

static void say(struct call *call, const char *path, int64_t line, yyjson_val *body)
{
    int64_t before, after;
    if (!find_nearest(body, line, &before, &after))
        return;
    AUTO_FREE char *shown = path_shown(path, call->world->project);
    if (before != 0 && after != 0)
        call_warn(call, "%s:%" PRId64 " has no code; nearest lines with code: %" PRId64 ", %" PRId64, shown, line, before, after);
    else
        call_warn(call, "%s:%" PRId64 " has no code; nearest line with code: %" PRId64, shown, line, before != 0 ? before : after);
}

static void ask_next(struct call *call);

static void on_locations(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct advice *advice = call->advice;
    call->request = 0;
    if (answer->outcome == DAP_OK)
        say(call, advice->paths[advice->at], advice->lines[advice->at], answer->body);
    else
        advice->at = advice->count; /* advice is not worth a failure */
    if (advice->at < advice->count)
        advice->at++;
    ask_next(call);
}

static void ask_next(struct call *call)
{
    struct advice *advice = call->advice;
    if (advice->at == advice->count || call->cancelled || session_stop(call_session(call)) == NULL) {
        finish(call);
        return;
    }
    int64_t line = advice->lines[advice->at];
    int64_t first = line > LINES_AROUND ? line - LINES_AROUND : 1;
    call_request(call, "breakpointLocations", breakpoint_locations_arguments(advice->paths[advice->at], first, line + LINES_AROUND),
                 on_locations);
}

void breakpoint_advise(struct call *call, const char *path, void (*done)(struct call *call))
{
    struct session *session = call_session(call);
    struct advice *advice = xcalloc(1, sizeof(*advice));
    call->advice = advice;
    advice->done = done;
    bool tells = !session_quirk(session, QUIRK_LOCATES_ONE_LINE); /* of more lines than one */
    if (tells && session_stop(session) != NULL && session_capability(session, "supportsBreakpointLocationsRequest"))
        collect(advice, session, path);
    ask_next(call);
}
