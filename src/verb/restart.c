/* dap_restart: the adapter's own restart where it has one, else a stop and the same launch again. */
#include "verb/attached.h"
#include "verb/launch.h"

#include <string.h>

/* ---- how the session was started ---- */

/* Breakpoints are kept in the session, and may have been changed there since; what belonged to that one call is not repeated. */
static bool is_of_the_call(const char *key)
{
    static const char *const names[] = { "breakpoints", "timeout_ms", "context", "session", "wait_for", "process" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(key, names[i]) == 0)
            return true;
    }
    return false;
}

static void put_members(yyjson_mut_doc *doc, yyjson_mut_val *to, yyjson_val *from)
{
    size_t index, count;
    yyjson_val *key, *value;
    json_obj_foreach(from, index, count, key, value) {
        yyjson_mut_obj_put(to, yyjson_val_mut_copy(doc, key), yyjson_val_mut_copy(doc, value));
    }
}

void started_remember(struct named *named, const char *by, yyjson_val *arguments)
{
    yyjson_mut_val *root;
    yyjson_mut_doc *doc = json_new_object(&root);
    size_t index, count;
    yyjson_val *key, *value;
    json_obj_foreach(arguments, index, count, key, value) {
        if (!is_of_the_call(yyjson_get_str(key)))
            yyjson_mut_obj_put(root, yyjson_val_mut_copy(doc, key), yyjson_val_mut_copy(doc, value));
    }
    yyjson_doc_free(named->started);
    named->started = yyjson_mut_doc_imut_copy(doc, NULL);
    yyjson_mut_doc_free(doc);
    named->started_by_attach = strcmp(by, "attach") == 0;
    named->told_test_run = false;
    named->process_pid = 0;
    free(named->behind.name);
    named->behind = (struct behind_port){ 0 };
}

/* The arguments of the start, with what this call gives. */
static void take_arguments(struct call *call)
{
    yyjson_mut_val *root;
    yyjson_mut_doc *doc = json_new_object(&root);
    put_members(doc, root, yyjson_doc_get_root(call->named->started));
    put_members(doc, root, call->arguments);
    if (call->named->started_by_attach && call->named->process_pid != 0)
        yyjson_mut_obj_put(root, yyjson_mut_str(doc, "pid"), yyjson_mut_sint(doc, call->named->process_pid));
    yyjson_doc_free(call->arguments_doc);
    call->arguments_doc = yyjson_mut_doc_imut_copy(doc, NULL);
    call->arguments = yyjson_doc_get_root(call->arguments_doc);
    yyjson_mut_doc_free(doc);
}

/* ---- the steps ---- */

static void on_ended(void *user, const struct error *error)
{
    struct call *call = user;
    (void)error;
    take_arguments(call);
    if (call->named->started_by_attach)
        attach_again(call);
    else
        launch_again(call);
}

static int check(const struct call *call, struct error *ret_error)
{
    const struct named *named = call->named;
    if (named->started == NULL)
        return error_set(ret_error, ERROR_STATE, "restart: nothing was started under this name yet; dap_launch starts a program");
    if (!named->started_by_attach)
        return 0;
    if (json_member(call->arguments, "args") != NULL)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "/args: the process was attached to, and has the arguments that it was started with");
    if (named->process_pid != 0 && !attached_lives(named))
        return error_set(
            ret_error, ERROR_STATE,
            "restart: process %lld, which was attached to, has ended, and Dapple did not start it; start it again and dap_attach",
            (long long)named->process_pid);
    return 0;
}

/* ---- the adapter's own ---- */

struct restart_state {
    bool answered;
    bool wait_over;
    bool reporting;
    enum wait_outcome outcome;
};

/* A wait that ends early still waits for the answer: "running" is said only when the restart was not refused. */
static void go_on(struct call *call)
{
    struct restart_state *state = call->state;
    bool early = state->outcome == WAIT_TIMED_OUT || state->outcome == WAIT_CANCELLED;
    if (state->reporting || !state->wait_over || (early && !state->answered))
        return;
    state->reporting = true;
    report_wait_outcome(call, state->outcome);
}

static void on_wait(void *user, enum wait_outcome outcome)
{
    struct call *call = user;
    struct restart_state *state = call->state;
    call->wait = NULL;
    state->wait_over = true;
    state->outcome = outcome;
    go_on(call);
}

static void on_restarted(void *user, const struct error *error)
{
    struct call *call = call_link_take(user);
    if (call == NULL)
        return; /* a stop overtook the answer, and was reported */
    struct restart_state *state = call->state;
    state->answered = true;
    if (error == NULL || state->reporting || !session_active(call_session(call))) {
        go_on(call);
        return;
    }
    if (call->wait != NULL)
        session_wait_forget(call_session(call), call->wait);
    call->wait = NULL;
    call_warn(call, "the debugger's own restart failed (%s): stopped and launched again", error->message);
    free(call->state);
    call->state = NULL;
    session_end(call_session(call), "restarted by request", on_ended, call);
}

static void restart_in_place(struct call *call)
{
    call->state = xcalloc(1, sizeof(struct restart_state));
    call->free_state = free;
    call->wait_ms = call_wait_ms(call);
    call->wait = session_wait(call_session(call), call->wait_ms, on_wait, call);
    locals_memory_done(&call->named->before);
    session_restart(call_session(call), on_restarted, call_link_new(call));
}

void verb_restart(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    if (check(call, &error) < 0 && error.kind == ERROR_STATE)
        call_refuse_state(call, error.message);
    else if (error.kind != ERROR_NONE)
        call_fail(call, &error);
    else if (session_can_restart(call_session(call)) && json_member(call->arguments, "args") == NULL)
        restart_in_place(call);
    else
        session_end(call_session(call), "restarted by request", on_ended, call);
}
