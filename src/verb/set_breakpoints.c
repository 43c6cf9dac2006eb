/* dap_set_breakpoints: the complete list of one file. */
#include "verb/internal.h"

#include "base/path.h"
#include "verb/breakpoint_advice.h"
#include "verb/breakpoint_lines.h"
#include "verb/breakpoint_reading.h"

struct set_state {
    char *path;
    struct desired_breakpoint *list;
    size_t count;
};

static void free_set_state(void *user)
{
    struct set_state *state = user;
    desired_breakpoints_free(state->list, state->count);
    free(state->path);
    free(state);
}

static void succeed(struct call *call)
{
    struct set_state *state = call->state;
    struct session *session = call_session(call);
    const struct breakpoint_list *file = session_find_breakpoint_file(session, state->path);
    if (session_active(session)) {
        render_breakpoints(&call->result.text, file);
        structured_breakpoints(call, file);
    } else {
        render_breakpoints_saved(&call->result.text);
    }
    render_desired(&call->result.text, session, call->world->project, true);
    structured_desired(call);
    call_succeed(call);
}

static void on_set(void *user, const struct error *error)
{
    struct call *call = user;
    struct set_state *state = call->state;
    if (error != NULL) {
        call_fail(call, error);
        return;
    }
    breakpoint_lines_check(call, state->path, state->list, state->count);
    breakpoint_advise(call, state->path, succeed);
}

static int read_list(struct call *call, struct set_state *state, struct error *ret_error)
{
    yyjson_val *list = json_array(call->arguments, "breakpoints");
    state->list = xcalloc(yyjson_arr_size(list) + 1, sizeof(*state->list));
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        AUTO_FREE char *at = xasprintf("/breakpoints/%zu", index);
        if (breakpoint_read_source(call, item, at, state->path, &state->list[state->count], ret_error) < 0)
            return -1;
        breakpoint_keep(state->list, &state->count);
    }
    return 0;
}

static void set(struct call *call)
{
    struct set_state *state = call->state;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (session_set_breakpoints(call_session(call), state->path, state->list, state->count, on_set, call, &error) < 0)
        call_fail(call, &error);
}

void verb_set_breakpoints(struct call *call)
{
    struct set_state *state = xcalloc(1, sizeof(*state));
    call->state = state;
    call->free_state = free_set_state;
    state->path = path_absolute(json_string(call->arguments, "file_path"), call->world->project);
    AUTO_ERROR struct error error = ERROR_INIT;
    if (read_list(call, state, &error) < 0)
        call_fail(call, &error);
    else
        call_edit(call, set);
}
