/* dap_set_breakpoints: the complete list of one file. */
#include "verb/internal.h"

#include "base/path.h"
#include "verb/breakpoint_lines.h"

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

static void on_set(void *user, const struct error *error)
{
    struct call *call = user;
    struct set_state *state = call->state;
    struct session *session = call_session(call);
    if (error != NULL) {
        call_fail(call, error);
        return;
    }
    breakpoint_lines_check(call, state->path, state->list, state->count);
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

void verb_set_breakpoints(struct call *call)
{
    struct set_state *state = xcalloc(1, sizeof(*state));
    call->state = state;
    call->free_state = free_set_state;
    state->path = path_absolute(json_string(call->arguments, "file_path"), call->world->project);
    yyjson_val *list = json_array(call->arguments, "breakpoints");
    state->list = xcalloc(yyjson_arr_size(list) + 1, sizeof(*state->list));
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        state->list[state->count++] = read_desired(item);
    }
    AUTO_ERROR struct error error = ERROR_INIT;
    if (session_set_breakpoints(call_session(call), state->path, state->list, state->count, on_set, call, &error) < 0)
        call_fail(call, &error);
}
