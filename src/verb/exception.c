/* dap_exception: what the stopped thread has thrown, in full; where the adapter cannot tell, what the stop told. */
#include "verb/exception_details.h"
#include "verb/internal.h"

#include <string.h>

/* ---- reading ---- */

static void add_cause(struct exception_details *details, yyjson_val *object, int depth)
{
    if (details->count == LIMIT_EXCEPTION_CAUSES || depth > LIMIT_EXCEPTION_CAUSES) {
        details->left_out++;
        return;
    }
    const char *type = json_string(object, "fullTypeName");
    if (type == NULL)
        type = json_string(object, "typeName");
    details->causes[details->count++] = (struct exception_cause){
        .type_name = exception_name(type),
        .message = xstrdup(json_string(object, "message")),
        .evaluate_name = xstrdup(json_string(object, "evaluateName")),
        .stack_trace = xstrdup(json_string(object, "stackTrace")),
        .depth = depth,
    };
    size_t index, most;
    yyjson_val *inner;
    yyjson_arr_foreach(json_array(object, "innerException"), index, most, inner)
        add_cause(details, inner, depth + 1);
}

void exception_details_read(yyjson_val *body, struct exception_details *ret)
{
    const char *id = json_string(body, "exceptionId");
    *ret = (struct exception_details){
        .id = exception_name(id == NULL ? "" : id),
        .description = xstrdup(json_string(body, "description")),
        .break_mode = xstrdup(json_string(body, "breakMode")),
        .causes = xcalloc(LIMIT_EXCEPTION_CAUSES, sizeof(*ret->causes)),
    };
    if (json_object(body, "details") != NULL)
        add_cause(ret, json_object(body, "details"), 0);
}

void exception_details_done(struct exception_details *details)
{
    for (size_t i = 0; i < details->count; i++) {
        free(details->causes[i].type_name);
        free(details->causes[i].message);
        free(details->causes[i].evaluate_name);
        free(details->causes[i].stack_trace);
    }
    free(details->causes);
    free(details->id);
    free(details->description);
    free(details->break_mode);
    *details = (struct exception_details){ 0 };
}

/* ---- the call ---- */

static void finish(struct call *call, struct exception_details *details)
{
    call_end_turn(call);
    render_exception(&call->result.text, details);
    structured_exception(call, details);
    exception_details_done(details);
    call_succeed(call);
}

static bool is_failure(const struct stop *stop)
{
    return strcmp(stop->reason, "exception") == 0 || strcmp(stop->reason, "signal") == 0;
}

static void refuse(struct call *call, const struct stop *stop, const char *why)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_STATE,
              "there is no exception here: the program stopped for the reason \"%s\"%s; dap_set_exception_breakpoints and "
              "dap_continue stop where one is thrown",
              stop->reason, why);
    call_give_up(call, &error);
}

/* debugpy: of a thread that has thrown nothing, one of unknown type is told. */
static bool is_invented(struct call *call, const struct exception_details *details)
{
    return session_quirk(call_session(call), QUIRK_INVENTS_EXCEPTIONS) && strstr(details->id, "type unknown") != NULL;
}

static void on_answer(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    if (!call_answered(call, answer))
        return;
    struct exception_details details;
    exception_details_read(answer->body, &details);
    if (!is_invented(call, &details)) {
        if (details.count > 0 && session_quirk(call_session(call), QUIRK_KEEPS_EXCEPTION) &&
            details.causes[0].evaluate_name == NULL)
            details.causes[0].evaluate_name = xstrdup("__exception__[1]");
        finish(call, &details);
        return;
    }
    exception_details_done(&details);
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_STATE, "there is no exception here: the thread has thrown none that stopped it");
    call_give_up(call, &error);
}

/* What came with the stop, and what was read for its packet: the signal, where only the debugger's variables know it. */
static void on_packet(void *user)
{
    struct call *call = user;
    const struct stop *stop = session_stop(call_session(call));
    const struct packet *packet = named_packet(call->named);
    AUTO_ERROR struct error error = ERROR_INIT;
    if (stop == NULL) {
        error_set(&error, ERROR_STATE, "the program went on meanwhile");
        call_give_up(call, &error);
        return;
    }
    if (!is_failure(stop)) {
        refuse(call, stop, "");
        return;
    }
    const struct exception_info *known = packet != NULL && packet->has_exception ? &packet->exception : NULL;
    const char *text = known != NULL && known->description != NULL ? known->description : stop->description;
    struct exception_details details = {
        .id = xstrdup(known != NULL ? known->id : stop->reason),
        .description = xstrdup(text != NULL ? text : stop->text),
    };
    if (!stop->panic)
        call_warn(call, "%s tells no more of an exception: it does not claim supportsExceptionInfoRequest",
                  session_adapter_id(call_session(call)));
    finish(call, &details);
}

static int pick_thread(struct call *call, int64_t *ret_thread, struct error *ret_error)
{
    const struct stop *stop = session_stop(call_session(call));
    int64_t shown;
    if (json_int(call->arguments, "thread_id", &shown))
        return session_resolve_thread(call_session(call), shown, ret_thread, ret_error);
    *ret_thread = stop->adapter_thread_id;
    if (stop->has_thread)
        return 0;
    return error_set(ret_error, ERROR_STATE, "the stop names no thread: /thread_id says which");
}

static void on_turn(void *user)
{
    struct call *call = user;
    AUTO_ERROR struct error error = ERROR_INIT;
    int64_t thread;
    if (session_stop(call_session(call)) == NULL || pick_thread(call, &thread, &error) < 0) {
        call_give_up(call, &error);
        return;
    }
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_int(doc, arguments, "threadId", thread);
    call_request(call, "exceptionInfo", doc, on_answer);
}

void verb_exception(struct call *call)
{
    struct session *session = call_session(call);
    const struct stop *stop = session_stop(session);
    int64_t thread;
    if (!is_failure(stop) && !json_int(call->arguments, "thread_id", &thread))
        refuse(call, stop, "");
    else if (!stop->panic && session_capability(session, "supportsExceptionInfoRequest"))
        session_inspect_begin(session, &call->turn, on_turn, call);
    else
        gather_packet(call->named, on_packet, call);
}
