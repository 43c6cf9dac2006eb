/* dap_remove_breakpoint: by number, by place, or all. */
#include "base/path.h"
#include "verb/breakpoint_edit.h"
#include "verb/internal.h"

#include <string.h>

struct remove_state {
    struct breakpoint_edit edit; /* first: the edit's functions know it as this */
    char *path;
    struct buffer told; /* a line per breakpoint that goes */
};

static void free_remove_state(void *user)
{
    struct remove_state *state = user;
    breakpoint_edit_done(&state->edit);
    buffer_done(&state->told);
    free(state->path);
    free(state);
}

static bool is_meant(const struct call *call, const struct desired_breakpoint *desired)
{
    int64_t wanted;
    if (json_int(call->arguments, "number", &wanted))
        return desired->number == wanted;
    if (json_bool(call->arguments, "all", false))
        return !desired->of_launch; /* all that were set: a launch's go with it */
    if (json_int(call->arguments, "line", &wanted))
        return desired->line == wanted;
    const char *name = json_string(call->arguments, desired->kind == BREAKPOINT_FUNCTION ? "function" : "exception");
    return name == NULL || strcmp(desired->name, name) == 0; /* otherwise the whole list is meant */
}

static int choose(struct call *call, struct error *ret_error)
{
    struct remove_state *state = call->state;
    int64_t number;
    if (json_int(call->arguments, "number", &number))
        return breakpoint_edit_add_number(call, number, ret_error);
    if (state->path != NULL)
        breakpoint_edit_add_list(&state->edit, BREAKPOINT_SOURCE, state->path);
    else if (json_string(call->arguments, "function") != NULL)
        breakpoint_edit_add_list(&state->edit, BREAKPOINT_FUNCTION, NULL);
    else if (json_string(call->arguments, "exception") != NULL)
        breakpoint_edit_add_list(&state->edit, BREAKPOINT_EXCEPTION, NULL);
    else
        breakpoint_edit_add_all(call, json_string(call->arguments, "kind"));
    return 0;
}

static struct desired_breakpoint *rewrite(struct call *call, const struct breakpoint_list *former, size_t *ret_count)
{
    struct remove_state *state = call->state;
    size_t count = former == NULL ? 0 : former->count, kept = 0;
    struct desired_breakpoint *list = xcalloc(count + 1, sizeof(*list));
    for (size_t i = 0; i < count; i++) {
        if (!is_meant(call, &former->desired[i])) {
            list[kept++] = desired_breakpoint_copy(&former->desired[i]);
            continue;
        }
        breakpoint_edit_touch(&state->edit, former->desired[i].number);
        (void)buffer_add(&state->told, "removed ");
        render_breakpoint_name(&state->told, former, i, call->world->project);
    }
    *ret_count = kept;
    return list;
}

static size_t list_own_count(const struct breakpoint_list *list)
{
    size_t count = 0;
    for (size_t i = 0; i < list->count; i++)
        count += list->desired[i].of_launch ? 0 : 1;
    return count;
}

static size_t count_left(const struct session *session)
{
    size_t count = 0;
    for (size_t i = 0; i < session_breakpoint_list_count(session); i++)
        count += list_own_count(session_breakpoint_list(session, i));
    return count;
}

static void on_removed(struct call *call)
{
    struct remove_state *state = call->state;
    bool all = json_bool(call->arguments, "all", false);
    if (state->edit.number_count == 0 && !all) {
        AUTO_ERROR struct error error = ERROR_INIT;
        error_set(&error, ERROR_ARGUMENT, "there is no such breakpoint; dap_status lists those that there are");
        call_fail(call, &error);
        return;
    }
    if (all && json_string(call->arguments, "kind") == NULL)
        session_forget_exceptions_set(call_session(call));
    size_t left = count_left(call_session(call));
    (void)buffer_append(&call->result.text, state->told.data, state->told.len);
    (void)buffer_addf(&call->result.text, "Breakpoints: %zu removed, %zu left\n", state->edit.number_count, left);
    yyjson_mut_val *root = structured_root(call);
    if (root != NULL) {
        yyjson_mut_val *numbers = yyjson_mut_arr(call->result.structured);
        for (size_t i = 0; i < state->edit.number_count; i++)
            yyjson_mut_arr_add_sint(call->result.structured, numbers, state->edit.numbers[i]);
        json_add_value(call->result.structured, root, "removed", numbers);
        json_add_int(call->result.structured, root, "left", (int64_t)left);
    }
    call_succeed(call);
}

static int check(const struct call *call, struct error *ret_error)
{
    if (json_member(call->arguments, "line") != NULL && json_member(call->arguments, "file") == NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: /line is only together with file");
    if (json_member(call->arguments, "kind") != NULL && json_member(call->arguments, "all") == NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: /kind is only together with all");
    return 0;
}

void verb_remove_breakpoint(struct call *call)
{
    struct remove_state *state = xcalloc(1, sizeof(*state));
    call->state = state;
    call->free_state = free_remove_state;
    buffer_init(&state->told, LIMIT_RENDERED_BYTES);
    const char *file = json_string(call->arguments, "file");
    state->path = file == NULL ? NULL : path_absolute(file, call->world->project);
    state->edit.choose = choose;
    state->edit.rewrite = rewrite;
    state->edit.done = on_removed;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (check(call, &error) < 0)
        call_fail(call, &error);
    else
        breakpoint_edit_run(call);
}
