/* dap_launch: choose the adapter, set the breakpoints, launch, wait for the first stop. */
#include "verb/internal.h"

#include "adapter/catalog.h"
#include "base/path.h"
#include "verb/breakpoint_lines.h"

#include <string.h>

/* Parts of the arguments as the adapter layer wants them. */
struct launch_state {
    char *program, *cwd;
    char **args, **env;
    bool launched;
    bool wait_over;
    bool wait_bounded; /* the call gave its own time-out: it counts from the beginning */
};

static void free_list(char **list)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++)
        free(list[i]);
    free(list);
}

static void free_launch_state(void *user)
{
    struct launch_state *state = user;
    free(state->program);
    free(state->cwd);
    free_list(state->args);
    free_list(state->env);
    free(state);
}

/* ---- arguments ---- */

static char **read_args(yyjson_val *list)
{
    if (list == NULL)
        return NULL;
    char **args = xcalloc(yyjson_arr_size(list) + 1, sizeof(*args));
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item)
    {
        args[index] = xstrdup(yyjson_get_str(item));
    }
    return args;
}

static char **read_env(yyjson_val *object)
{
    if (object == NULL)
        return NULL;
    char **env = xcalloc(yyjson_obj_size(object) + 1, sizeof(*env));
    size_t index, most;
    yyjson_val *key, *value;
    yyjson_obj_foreach(object, index, most, key, value)
    {
        const char *text = yyjson_get_str(value);
        env[index] = text == NULL ? xstrdup(yyjson_get_str(key)) : xasprintf("%s=%s", yyjson_get_str(key), text);
    }
    return env;
}

static void read_arguments(struct call *call, struct launch_state *state)
{
    const char *cwd = json_string(call->arguments, "cwd");
    state->program = path_absolute(json_string(call->arguments, "program"), call->world->project);
    state->cwd = cwd == NULL ? xstrdup(call->world->project) : path_absolute(cwd, call->world->project);
    state->args = read_args(json_array(call->arguments, "args"));
    state->env = read_env(json_object(call->arguments, "env"));
    state->wait_bounded = json_member(call->arguments, "timeout_ms") != NULL;
}

/* ---- breakpoints of the call ---- */

static void on_stored(void *user, const struct error *error)
{
    (void)user;
    (void)error; /* no session is active: they were only stored */
}

static bool named_before(yyjson_val *list, size_t index)
{
    const char *file = json_string(yyjson_arr_get(list, index), "file");
    for (size_t i = 0; i < index; i++)
        if (strcmp(json_string(yyjson_arr_get(list, i), "file"), file) == 0)
            return true;
    return false;
}

static int store_file(struct call *call, yyjson_val *list, const char *file, struct error *ret_error)
{
    AUTO_FREE char *path = path_absolute(file, call->world->project);
    struct desired_breakpoint *desired = xcalloc(yyjson_arr_size(list) + 1, sizeof(*desired));
    size_t count = 0, index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item)
    {
        if (strcmp(json_string(item, "file"), file) == 0)
            desired[count++] = read_desired(item);
    }
    breakpoint_lines_check(call, path, desired, count);
    int result = session_set_breakpoints(call_session(call), path, desired, count, on_stored, NULL, ret_error);
    desired_breakpoints_free(desired, count);
    return result;
}

static int store_breakpoints(struct call *call, struct error *ret_error)
{
    yyjson_val *list = json_array(call->arguments, "breakpoints");
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item)
    {
        if (!named_before(list, index) && store_file(call, list, json_string(item, "file"), ret_error) < 0)
            return -1;
    }
    return 0;
}

/* ---- the plan ---- */

static struct launch_plan *make_plan(struct call *call, const struct launch_state *state, struct error *ret_error)
{
    struct adapter_choice choice = {0};
    if (adapter_choose(state->program, json_string(call->arguments, "adapter"), &choice, ret_error) < 0)
        return NULL;
    if (choice.fallback)
        call_warn(call, "debugging with %s: %s", adapter_entry_id(choice.entry), choice.reason);
    const char *exceptions = json_string(call->arguments, "stop_on_exceptions");
    struct adapter_request request = {
        .program = state->program,
        .args = state->args,
        .cwd = state->cwd,
        .env = state->env,
        .stop_on_entry = json_bool(call->arguments, "stop_on_entry", false),
        .stop_on_exceptions = exceptions == NULL ? "uncaught" : exceptions,
        .launch_arguments = json_object(call->arguments, "launch_arguments"),
    };
    struct launch_plan *plan = NULL;
    AUTO_BUFFER struct buffer warnings;
    buffer_init(&warnings, LIMIT_TEXT_BYTES);
    if (adapter_plan(choice.entry, &request, &plan, &warnings, ret_error) == 0) {
        char *rest = warnings.data;
        for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n"))
            if (line[0] != '\0')
                call_warn(call, "%s", line);
    }
    adapter_choice_done(&choice);
    return plan;
}

static int check_cwd(const struct launch_state *state, struct error *ret_error)
{
    if (path_is_folder(state->cwd))
        return 0;
    return error_set(ret_error, ERROR_ARGUMENT, "/cwd: %s is not a folder", state->cwd);
}

/* ---- the steps ---- */

static void report_failure(struct call *call, const struct error *error)
{
    struct session *session = call_session(call);
    AUTO_ERROR struct error failure = ERROR_INIT;
    if (error->kind == ERROR_CANCELLED)
        error_set(&failure, error->kind, "%s", error->message);
    else
        error_set(&failure, error->kind, "launch failed: %s", error->message);
    size_t len;
    AUTO_FREE char *tail = session_stderr_tail(session, LIMIT_STDERR_TAIL_BYTES, &len);
    render_stderr(&call->result.text, tail, len);
    if (!call->cancelled) {
        struct output output;
        session_drain_output(session, &output);
        render_output(&call->result.text, &output, call->world->spill);
        output_done(&output);
    }
    call_fail(call, &failure);
}

static void on_wait(void *user, enum wait_outcome outcome)
{
    struct call *call = user;
    struct launch_state *state = call->state;
    call->wait = NULL;
    state->wait_over = true;
    if (outcome == WAIT_CANCELLED && !state->launched)
        session_launch_cancel(call_session(call)); /* on_launched reports */
    else if (outcome != WAIT_ENDED || state->launched)
        report_wait_outcome(call, outcome);
}

static void wait_for_stop(struct call *call)
{
    call->wait_ms = call_wait_ms(call);
    call->wait = session_wait(call_session(call), call->wait_ms, on_wait, call);
}

static void forget_wait(struct call *call)
{
    if (call->wait != NULL)
        session_wait_forget(call_session(call), call->wait);
    call->wait = NULL;
}

static void on_launched(void *user, enum launch_outcome outcome, const struct error *error)
{
    struct call *call = call_link_take(user);
    if (call == NULL)
        return; /* its time was over while the program was still being launched; dap_status tells the rest */
    struct launch_state *state = call->state;
    state->launched = true;
    if (outcome == LAUNCH_FAILED || outcome == LAUNCH_CANCELLED) {
        forget_wait(call);
        report_failure(call, error);
    } else if (outcome == LAUNCH_PENDING) {
        call->note = WAIT_NOTE_TIMED_OUT;
        call->wait_ms = session_timeouts(call_session(call))->launch;
        forget_wait(call);
        report_state(call);
    } else if (session_state(call_session(call)) != SESSION_RUNNING) {
        forget_wait(call);
        report_state(call);
    } else if (!state->wait_over && call->wait == NULL) {
        wait_for_stop(call);
    }
}

void verb_launch(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct launch_state *state = xcalloc(1, sizeof(*state));
    call->state = state;
    call->free_state = free_launch_state;
    read_arguments(call, state);
    struct launch_plan *plan = check_cwd(state, &error) < 0 ? NULL : make_plan(call, state, &error);
    if (plan == NULL) {
        call_fail(call, &error);
        return;
    }
    if (store_breakpoints(call, &error) < 0) {
        launch_plan_free(plan);
        call_fail(call, &error);
        return;
    }
    /* A time-out of the call's own counts from here; 0 still waits until the program was launched. */
    if (state->wait_bounded && call_wait_ms(call) > 0)
        wait_for_stop(call);
    struct call_link *link = call_link_new(call);
    locals_memory_done(&call->named->before); /* values of another run are no earlier values */
    if (session_launch(call_session(call), plan, on_launched, link, &error) < 0) {
        call_link_take(link);
        forget_wait(call);
        call_refuse_state(call, error.message);
    }
}
