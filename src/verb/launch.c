/* dap_launch: settings and profile, choose the adapter, set the breakpoints, launch, wait for the first stop. */
#include "verb/launch.h"

#include "adapter/catalog.h"
#include "adapter/choose.h"
#include "base/path.h"
#include "verb/breakpoint_lines.h"
#include "verb/breakpoint_reading.h"

#include <string.h>

static void free_list(char **list)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++)
        free(list[i]);
    free(list);
}

static void free_launch_state(void *user)
{
    struct launch_state *state = user;
    yyjson_doc_free(state->merged);
    free(state->program);
    free(state->cwd);
    free_list(state->args);
    free_list(state->env);
    interpreted_done(&state->interpreted);
    if (state->free_more != NULL)
        state->free_more(state->more);
    free(state);
}

struct launch_state *launch_state_new(struct call *call, const char *word)
{
    struct launch_state *state = xcalloc(1, sizeof(*state));
    state->word = word;
    call->state = state;
    call->free_state = free_launch_state;
    return state;
}

/* ---- arguments ---- */

static char **read_args(yyjson_val *list)
{
    if (list == NULL)
        return NULL;
    char **args = xcalloc(yyjson_arr_size(list) + 1, sizeof(*args));
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
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
    yyjson_obj_foreach(object, index, most, key, value) {
        const char *text = yyjson_get_str(value);
        env[index] = text == NULL ? xstrdup(yyjson_get_str(key)) : xasprintf("%s=%s", yyjson_get_str(key), text);
    }
    return env;
}

static bool says_what_to_run(const struct call *call)
{
    yyjson_val *own = json_object(call->arguments, "launch_arguments");
    bool other =
        own != NULL && json_string(call->arguments, "adapter") != NULL; /* a module, a task, … of an adapter that is named */
    return other || json_string(call->arguments, "program") != NULL || json_string(own, "program") != NULL;
}

int launch_find_profile(struct call *call, struct launch_state *state, const char *request, bool required, struct error *ret_error)
{
    const char *id = json_string(call->arguments, "profile");
    if (id == NULL && !required)
        return 0;
    if (settings_profile(call->world->settings, id, &state->profile, ret_error) < 0)
        return -1;
    const char *has = json_string(state->profile->arguments, "request");
    if (strcmp(has == NULL ? "launch" : has, request) == 0)
        return 0;
    bool other = strcmp(request, "launch") == 0;
    return error_set(ret_error, ERROR_CONFIG, "Launch Profile %s has request \"%s\"; this operation %s%s", state->profile->id,
                     has == NULL ? "launch" : has, other ? "launches a program" : "attaches to one that runs",
                     other ? ": dap_attach takes those that attach" : ": dap_launch takes those that launch");
}

static void put_members(yyjson_mut_doc *doc, yyjson_mut_val *to, yyjson_val *from)
{
    size_t index, count;
    yyjson_val *key, *value;
    json_obj_foreach(from, index, count, key, value) {
        yyjson_mut_obj_put(to, yyjson_val_mut_copy(doc, key), yyjson_val_mut_copy(doc, value));
    }
}

/* Options of the interpreter stand before those that the launch arguments give. */
static void put_options(yyjson_mut_doc *doc, yyjson_mut_val *to, const char *name, char *const *options)
{
    yyjson_mut_val *own = yyjson_mut_obj_get(to, name);
    yyjson_mut_val *all = yyjson_mut_arr(doc);
    for (; *options != NULL; options++)
        yyjson_mut_arr_append(all, yyjson_mut_strcpy(doc, *options));
    size_t index, count;
    yyjson_mut_val *item;
    yyjson_mut_arr_foreach(own, index, count, item)
        yyjson_mut_arr_append(all, yyjson_mut_val_mut_copy(doc, item));
    yyjson_mut_obj_put(to, yyjson_mut_strcpy(doc, name), all);
}

/* An interpreter that cannot be told to the adapter is the adapter's own business. */
static void put_interpreted(struct call *call, yyjson_mut_doc *doc, yyjson_mut_val *to, const struct interpreted *interpreted)
{
    yyjson_val *own = json_object(call->arguments, "launch_arguments");
    const struct adapter_entry *entry = interpreted->entry;
    if (entry == NULL)
        return;
    const char *argument = adapter_interpreter_argument(entry);
    if (interpreted->module != NULL)
        yyjson_mut_obj_put(to, yyjson_mut_strcpy(doc, adapter_module_argument(entry)), yyjson_mut_strcpy(doc, interpreted->module));
    if (interpreted->options != NULL)
        put_options(doc, to, adapter_options_argument(entry), interpreted->options);
    if (interpreted->interpreter != NULL && argument != NULL && json_member(own, argument) == NULL)
        yyjson_mut_obj_put(to, yyjson_mut_strcpy(doc, argument), yyjson_mut_strcpy(doc, interpreted->interpreter));
    else if (interpreted->interpreter != NULL && argument == NULL)
        call_warn(call, "%s is not used: %s finds the interpreter itself", interpreted->interpreter, adapter_entry_id(entry));
}

/* Whole members of the call take the place of the profile's. */
static void merge_launch_arguments(struct call *call, struct launch_state *state)
{
    yyjson_val *own = json_object(call->arguments, "launch_arguments");
    const struct interpreted *interpreted = &state->interpreted;
    if (own == NULL && state->profile == NULL && interpreted->module == NULL && interpreted->interpreter == NULL &&
        interpreted->options == NULL)
        return;
    yyjson_mut_val *merged;
    yyjson_mut_doc *doc = json_new_object(&merged);
    if (state->profile != NULL)
        put_members(doc, merged, state->profile->arguments);
    put_members(doc, merged, own);
    put_interpreted(call, doc, merged, interpreted);
    state->merged = yyjson_mut_doc_imut_copy(doc, NULL);
    yyjson_mut_doc_free(doc);
}

yyjson_val *launch_arguments(const struct launch_state *state)
{
    return yyjson_doc_get_root(state->merged);
}

/* What the call says of a path, else what the launch arguments say, made absolute; NULL when neither does. */
static char *read_path(const struct call *call, const struct launch_state *state, const char *name)
{
    const struct interpreted *interpreted = &state->interpreted;
    bool is_program = interpreted->entry != NULL && strcmp(name, "program") == 0;
    const char *own = is_program ? interpreted->program : json_string(call->arguments, name);
    if (own == NULL && is_program)
        return NULL;
    const char *path = own != NULL ? own : json_string(launch_arguments(state), name);
    return path != NULL ? path_absolute(path, call->world->project) : NULL;
}

/* A program that is not in the project's folder may be in the one where it is to run, as in a shell that has gone there. */
static void find_in_cwd(const struct call *call, struct launch_state *state)
{
    const struct interpreted *interpreted = &state->interpreted;
    const char *own = interpreted->entry != NULL ? interpreted->program : json_string(call->arguments, "program");
    if (state->program == NULL || own == NULL || path_exists(state->program))
        return;
    AUTO_FREE char *path = path_absolute(own, state->cwd);
    if (path_exists(path))
        xreplace(&state->program, path);
}

void launch_read_arguments(struct call *call, struct launch_state *state)
{
    merge_launch_arguments(call, state);
    state->program = read_path(call, state, "program");
    state->cwd = read_path(call, state, "cwd");
    if (state->cwd == NULL)
        state->cwd = xstrdup(call->world->project);
    find_in_cwd(call, state);
    state->args = state->interpreted.args != NULL ? state->interpreted.args : read_args(json_array(call->arguments, "args"));
    state->interpreted.args = NULL;
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

static int read_file(struct call *call, yyjson_val *list, const char *file, const char *path, struct desired_breakpoint *desired,
                     size_t *count, struct error *ret_error)
{
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        if (strcmp(json_string(item, "file"), file) != 0)
            continue;
        AUTO_FREE char *at = xasprintf("/breakpoints/%zu", index);
        if (breakpoint_read_source(call, item, at, path, &desired[*count], ret_error) < 0)
            return -1;
        breakpoint_keep(desired, count);
    }
    return 0;
}

/* `store` false: only whether they can be read, since a launch that is refused changes nothing. */
static int store_file(struct call *call, yyjson_val *list, const char *file, bool store, struct error *ret_error)
{
    AUTO_FREE char *path = path_absolute(file, call->world->project);
    struct desired_breakpoint *desired = xcalloc(yyjson_arr_size(list) + 1, sizeof(*desired));
    size_t count = 0;
    int result = read_file(call, list, file, path, desired, &count, ret_error);
    if (result == 0 && store) {
        breakpoint_lines_check(call, path, desired, count);
        result = session_set_breakpoints(call_session(call), path, desired, count, on_stored, NULL, ret_error);
    }
    desired_breakpoints_free(desired, count);
    return result;
}

int launch_read_breakpoints(struct call *call, bool store, struct error *ret_error)
{
    yyjson_val *list = json_array(call->arguments, "breakpoints");
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        if (!named_before(list, index) && store_file(call, list, json_string(item, "file"), store, ret_error) < 0)
            return -1;
    }
    return 0;
}

/* ---- the plan ---- */

/* What was told with the launch before is not told again: it is about this machine and this program, and nothing has changed. */
static void warn_lines(struct call *call, struct buffer *warnings)
{
    struct named *named = call->named;
    if (named->launch_warnings != NULL && strcmp(named->launch_warnings, warnings->data) == 0)
        return;
    xreplace(&named->launch_warnings, warnings->data);
    char *rest = warnings->data;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n"))
        if (line[0] != '\0')
            call_warn(call, "%s", line);
}

/* Without a program there is nothing to choose by: the adapter is the one that is named. */
static int find_adapter(struct call *call, const char *wanted, struct adapter_choice *ret, struct error *ret_error)
{
    size_t count;
    const struct adapter_entry *const *adapters = settings_adapters(call->world->settings, &count);
    for (size_t i = 0; i < count; i++) {
        if (adapter_entry_is(adapters[i], wanted)) {
            *ret = (struct adapter_choice){ .entry = adapters[i] };
            return 0;
        }
    }
    return error_set(ret_error, ERROR_ARGUMENT, "adapter: there is no adapter %s", wanted);
}

const char *launch_wanted_adapter(const struct call *call, const struct launch_state *state)
{
    const char *wanted = json_string(call->arguments, "adapter");
    return wanted == NULL && state->profile != NULL ? state->profile->adapter : wanted;
}

static int choose(struct call *call, const struct launch_state *state, struct adapter_choice *ret, struct error *ret_error)
{
    const char *wanted = launch_wanted_adapter(call, state);
    if (state->program == NULL && wanted == NULL && state->interpreted.entry != NULL)
        wanted = adapter_entry_id(state->interpreted.entry);
    if (state->program == NULL)
        return find_adapter(call, wanted, ret, ret_error);
    size_t count;
    const struct adapter_entry *const *adapters = settings_adapters(call->world->settings, &count);
    return adapter_choose_among(adapters, count, state->program, wanted, ret, ret_error);
}

struct launch_plan *launch_make_plan(struct call *call, const struct adapter_choice *choice, const struct adapter_request *request,
                                     struct error *ret_error)
{
    if (choice->fallback)
        call_warn(call, "debugging with %s: %s", adapter_entry_id(choice->entry), choice->reason);
    struct launch_plan *plan = NULL;
    AUTO_BUFFER struct buffer warnings;
    buffer_init(&warnings, LIMIT_TEXT_BYTES);
    if (adapter_plan(choice->entry, request, &plan, &warnings, ret_error) == 0)
        warn_lines(call, &warnings);
    return plan;
}

/* What was chosen for the session, and how to go back. */
void launch_warn_exceptions(struct call *call)
{
    const struct session *session = call_session(call);
    const struct breakpoint_list *list = session_find_breakpoint_list(session, BREAKPOINT_EXCEPTION, NULL);
    if (!session_exceptions_set(session))
        return;
    AUTO_BUFFER struct buffer names;
    buffer_init(&names, LIMIT_TEXT_BYTES);
    for (size_t i = 0; list != NULL && i < list->count; i++)
        buffer_addf(&names, "%s%s", i > 0 ? ", " : "", list->desired[i].name);
    call_warn(call, "stop_on_exceptions was not used: exceptions were chosen for all launches of this session (%s)%s",
              list == NULL || list->count == 0 ? "none" : names.data,
              call_offers(call, "dap_set_exception_breakpoints") ? "; dap_set_exception_breakpoints chooses again" : "");
}

static struct launch_plan *make_plan(struct call *call, const struct launch_state *state, struct error *ret_error)
{
    struct adapter_choice choice = { 0 };
    if (choose(call, state, &choice, ret_error) < 0)
        return NULL;
    const char *exceptions = json_string(call->arguments, "stop_on_exceptions");
    if (exceptions != NULL)
        launch_warn_exceptions(call);
    struct adapter_request request = {
        .program = state->program,
        .args = state->args,
        .cwd = state->cwd,
        .env = state->env,
        .surroundings = settings_surroundings(call->world->settings),
        .stop_on_entry = json_bool(call->arguments, "stop_on_entry", false),
        .terminal = json_bool(call->arguments, "terminal", false),
        .stop_on_exceptions = exceptions == NULL ? "uncaught" : exceptions,
        .launch_arguments = launch_arguments(state),
    };
    struct launch_plan *plan = launch_make_plan(call, &choice, &request, ret_error);
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

#define SETTLE_MS 200

/* It did not come up, or went away; what it refuses is for the program's or the call's sake. */
static bool is_the_adapters_fault(const struct error *error)
{
    return error->kind != ERROR_CANCELLED && error->kind != ERROR_REQUEST;
}

static void report_failure(struct call *call, const struct error *error)
{
    struct session *session = call_session(call);
    AUTO_ERROR struct error failure = ERROR_INIT;
    if (error->kind == ERROR_CANCELLED)
        error_set(&failure, error->kind, "%s", error->message);
    else
        error_set(&failure, error->kind, "%s failed: %s", ((struct launch_state *)call->state)->word, error->message);
    size_t len;
    AUTO_FREE char *tail = session_stderr_tail(session, LIMIT_STDERR_TAIL_BYTES, &len);
    render_stderr(&call->result.text, tail, len);
    if (is_the_adapters_fault(error))
        buffer_add(&call->result.text,
                   "dapple doctor shows which adapters work here; dapple doctor PROGRAM, how this one is started.\n");
    if (!call->cancelled) {
        call_warn_notices(call); /* such as what it printed in place of messages */
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

/* It runs, or stood still when it was attached to: then the stop follows at once. */
static void on_settled(void *user, enum wait_outcome outcome)
{
    struct call *call = user;
    call->wait = NULL;
    if (outcome == WAIT_CANCELLED)
        call->note = WAIT_NOTE_CANCELLED;
    report_state(call);
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
    } else if (state->returns) {
        forget_wait(call);
        call->wait = session_wait(call_session(call), SETTLE_MS, on_settled, call);
    } else if (!state->wait_over && call->wait == NULL) {
        wait_for_stop(call);
    }
}

static struct launch_plan *prepare(struct call *call, struct launch_state *state, struct error *ret_error)
{
    configured_read(call->world);
    configured_warn(call);
    if (launch_find_profile(call, state, "launch", !says_what_to_run(call), ret_error) < 0)
        return NULL;
    if (interpreted_read(call, launch_wanted_adapter(call, state), &state->interpreted, ret_error) < 0)
        return NULL;
    launch_read_arguments(call, state);
    return check_cwd(state, ret_error) < 0 ? NULL : make_plan(call, state, ret_error);
}

void launch_begin(struct call *call, struct launch_plan *plan)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    const struct launch_state *state = call->state;
    configured_set_timeouts(call);
    xreplace(&call->named->profile, state->profile != NULL ? state->profile->id : NULL);
    /* A time-out of the call's own counts from here; 0 still waits until the program was launched. */
    if (state->wait_bounded && call_wait_ms(call) > 0 && call->wait == NULL)
        wait_for_stop(call);
    struct call_link *link = call_link_new(call);
    locals_memory_done(&call->named->before); /* values of another run are no earlier values */
    if (session_launch(call_session(call), plan, on_launched, link, &error) < 0) {
        call_link_take(link);
        forget_wait(call);
        call_refuse_state(call, error.message);
    }
}

static void launch(struct call *call, const char *word)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct launch_state *state = launch_state_new(call, word);
    struct launch_plan *plan = launch_read_breakpoints(call, false, &error) < 0 ? NULL : prepare(call, state, &error);
    if (plan != NULL && strcmp(word, "launch") == 0)
        session_mark_earlier_breakpoints(call_session(call));
    if (plan == NULL || launch_read_breakpoints(call, true, &error) < 0) {
        launch_plan_free(plan);
        call_fail(call, &error);
        return;
    }
    started_remember(call->named, "launch", call->arguments);
    launch_begin(call, plan);
}

void verb_launch(struct call *call)
{
    launch(call, "launch");
}

void launch_again(struct call *call)
{
    launch(call, "restart");
}
