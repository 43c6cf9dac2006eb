/* dap_terminate_threads: ends threads of the program, where the adapter can. */
#include "verb/internal.h"

static void on_ended(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    if (!call_answered(call, answer))
        return;
    size_t count = yyjson_arr_size(json_array(call->arguments, "thread_ids"));
    (void)buffer_addf(&call->result.text, "The adapter accepted to end %zu thread%s; dap_threads shows which are left.\n", count,
                      count == 1 ? "" : "s");
    call_succeed(call);
}

void verb_terminate_threads(struct call *call)
{
    struct session *session = call_session(call);
    AUTO_ERROR struct error error = ERROR_INIT;
    enum session_state state = session_state(session);
    if (state != SESSION_RUNNING && state != SESSION_STOPPED) {
        call_refuse_state(call, "terminateThreads requires a running or stopped Debuggee; dap_launch starts a program");
        return;
    }
    if (!call_requires(call, "supportsTerminateThreadsRequest", "dap_stop ends the whole program"))
        return;
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    yyjson_mut_val *ids = yyjson_mut_arr(doc);
    size_t index, most;
    yyjson_val *item;
    int result = 0;
    yyjson_arr_foreach(json_array(call->arguments, "thread_ids"), index, most, item) {
        int64_t shown = 0, adapter_thread = 0;
        json_value_int(item, &shown);
        result = result < 0 ? result : session_resolve_thread(session, shown, &adapter_thread, &error);
        yyjson_mut_arr_add_sint(doc, ids, adapter_thread);
    }
    json_add_value(doc, arguments, "threadIds", ids);
    if (result < 0 || yyjson_mut_arr_size(ids) == 0) {
        yyjson_mut_doc_free(doc);
        if (error.kind == ERROR_NONE)
            error_set(&error, ERROR_ARGUMENT, "/thread_ids: name at least one thread; dap_threads lists them");
        call_fail(call, &error);
        return;
    }
    call_request(call, "terminateThreads", doc, on_ended);
}
