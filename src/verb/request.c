/* dap_request: any request, as it is. The state stays true: what lets the program go on is marked as such, and what belongs to the session
 * is refused with the operation that does it. */
#include "base/utf8.h"
#include "verb/internal.h"

#include <inttypes.h>
#include <string.h>

/* Specification, "Requests": those that the session makes itself, and those that an adapter must claim. */
static const struct standard {
    const char *command;
    const char *capability; /* NULL: every adapter has to know it, or the session owns it */
    const char *owner;      /* who does it; NULL: it is passed on */
} standards[] = {
    { "initialize", NULL, "dap_launch and dap_attach do it" },
    { "launch", NULL, "dap_launch does it" },
    { "attach", NULL, "dap_attach does it" },
    { "configurationDone", NULL, "dap_launch and dap_attach do it" },
    { "disconnect", NULL, "dap_stop does it" },
    { "terminate", NULL, "dap_stop does it" },
    { "restart", NULL, "dap_restart does it" },
    { "setBreakpoints", NULL, "dap_set_breakpoints does it, and keeps them over launches" },
    { "setFunctionBreakpoints", NULL, "dap_add_breakpoint does it, and keeps them over launches" },
    { "setDataBreakpoints", NULL, "dap_add_breakpoint does it" },
    { "setInstructionBreakpoints", NULL, "dap_add_breakpoint does it" },
    { "setExceptionBreakpoints", NULL, "dap_set_exception_breakpoints does it, and keeps them over launches" },
    { "runInTerminal", NULL, "adapters ask it, and dap_launch with terminal answers" },
    { "startDebugging", NULL, "adapters ask it, and the session answers" },
    { "breakpointLocations", "supportsBreakpointLocationsRequest", NULL },
    { "cancel", "supportsCancelRequest", NULL },
    { "completions", "supportsCompletionsRequest", NULL },
    { "dataBreakpointInfo", "supportsDataBreakpoints", NULL },
    { "disassemble", "supportsDisassembleRequest", NULL },
    { "exceptionInfo", "supportsExceptionInfoRequest", NULL },
    { "goto", "supportsGotoTargetsRequest", NULL },
    { "gotoTargets", "supportsGotoTargetsRequest", NULL },
    { "loadedSources", "supportsLoadedSourcesRequest", NULL },
    { "modules", "supportsModulesRequest", NULL },
    { "readMemory", "supportsReadMemoryRequest", NULL },
    { "restartFrame", "supportsRestartFrame", NULL },
    { "reverseContinue", "supportsStepBack", NULL },
    { "setExpression", "supportsSetExpression", NULL },
    { "setVariable", "supportsSetVariable", NULL },
    { "stepBack", "supportsStepBack", NULL },
    { "stepInTargets", "supportsStepInTargetsRequest", NULL },
    { "terminateThreads", "supportsTerminateThreadsRequest", NULL },
    { "writeMemory", "supportsWriteMemoryRequest", NULL },
};

static int check_command(const struct call *call, const char *command, bool forced, struct error *ret_error)
{
    const struct session *session = call_session(call);
    for (size_t i = 0; i < COUNT_OF(standards); i++) {
        const struct standard *standard = &standards[i];
        if (strcmp(standard->command, command) != 0)
            continue;
        if (standard->owner != NULL)
            return error_set(ret_error, ERROR_ARGUMENT, "/command: %s is not sent from here: %s", command, standard->owner);
        if (!forced && !session_capability(session, standard->capability))
            return error_set(ret_error, ERROR_ARGUMENT,
                             "/command: %s does not claim %s, so that %s is not sent; force=true sends it all the same",
                             session_adapter_id(session), standard->capability, command);
    }
    return 0;
}

/* ---- ids ---- */

#define HANDLES_OF_A_STOP 10000

/* Ours belong to a stop: number * 10000 + n. One of an earlier stop would mean something else to the adapter. */
static bool looks_stale(const struct session *session, int64_t id)
{
    const struct stop *stop = session_stop(session);
    int64_t number = id / HANDLES_OF_A_STOP;
    return stop != NULL && number >= 1 && number < stop->number && id % HANDLES_OF_A_STOP >= 1;
}

static int translate(struct call *call, const char *key, int64_t *id, struct error *ret_error)
{
    struct session *session = call_session(call);
    struct value_place place;
    int64_t adapters = *id;
    bool found = false;
    if (strcmp(key, "threadId") == 0)
        found = session_resolve_thread(session, *id, &adapters, NULL) == 0;
    else if (strcmp(key, "frameId") == 0)
        found = session_resolve_frame(session, *id, &adapters, NULL) == 0;
    else if (session_resolve_value(session, *id, &place, NULL) == 0)
        found = (adapters = place.adapter_reference) != 0;
    if (!found && strcmp(key, "threadId") != 0 && looks_stale(session, *id))
        return error_set(ret_error, ERROR_ARGUMENT,
                         "/arguments/%s: %" PRId64
                         " belongs to an earlier stop; take a new one from dap_stack or dap_variables, or "
                         "pass raw_ids=true if it is the adapter's own",
                         key, *id);
    *id = adapters;
    return 0;
}

static bool is_id(const char *key)
{
    return strcmp(key, "frameId") == 0 || strcmp(key, "variablesReference") == 0 || strcmp(key, "threadId") == 0;
}

/* A copy of the arguments with our ids in the adapter's; NULL: an error. */
static yyjson_mut_doc *make_arguments(struct call *call, struct error *ret_error)
{
    yyjson_val *given = json_object(call->arguments, "arguments");
    bool raw = json_bool(call->arguments, "raw_ids", false);
    yyjson_mut_val *root;
    yyjson_mut_doc *doc = json_new_object(&root);
    size_t index, count;
    yyjson_val *key, *value;
    json_obj_foreach(given, index, count, key, value) {
        int64_t id;
        const char *name = yyjson_get_str(key);
        if (raw || !is_id(name) || !json_value_int(value, &id)) {
            json_add_copy(doc, root, name, value);
            continue;
        }
        if (translate(call, name, &id, ret_error) < 0) {
            yyjson_mut_doc_free(doc);
            return NULL;
        }
        json_add_int(doc, root, name, id);
    }
    return doc;
}

/* ---- the answer ---- */

/* On many lines, each made safe: they are the adapter's words. */
static void add_body(struct buffer *text, yyjson_val *body)
{
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    yyjson_mut_doc_set_root(doc, yyjson_val_mut_copy(doc, body));
    AUTO_FREE char *pretty = json_write_pretty(doc, NULL);
    char *rest = pretty;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        if (line[0] == '\0')
            continue;
        buffer_add(text, "  ");
        utf8_one_line(text, line, strlen(line), LIMIT_EVALUATION_BYTES);
        buffer_addc(text, '\n');
    }
    yyjson_mut_doc_free(doc);
}

static void add_structured(struct call *call, yyjson_val *body)
{
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return;
    yyjson_mut_doc *doc = call->result.structured;
    yyjson_mut_val *response = yyjson_mut_obj(doc);
    json_add_bool(doc, response, "success", true);
    if (yyjson_is_obj(body))
        json_add_copy(doc, response, "body", body);
    json_add_value(doc, root, "response", response);
}

static void add_title(struct call *call, const char *what)
{
    struct buffer *text = &call->result.text;
    const char *command = json_string(call->arguments, "command");
    utf8_one_line(text, command, strlen(command), LIMIT_NAME_BYTES);
    buffer_addf(text, " %s\n", what);
}

static void on_answer(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    if (answer->outcome == DAP_TIMED_OUT)
        call_warn(call, "some adapters never answer a request that they do not know; for one that takes long, give timeout_ms");
    if (!call_answered(call, answer))
        return;
    call_end_turn(call);
    session_view_changed(call_session(call)); /* nobody knows what it did */
    bool empty = answer->body == NULL || (yyjson_is_ctn(answer->body) && unsafe_yyjson_get_len(answer->body) == 0);
    add_title(call, empty ? "answered: done" : "answered (ids in it are the adapter's own):");
    if (!empty)
        add_body(&call->result.text, answer->body);
    add_structured(call, answer->body);
    call_succeed(call);
}

/* ---- what lets the program go on ---- */

static void on_resumed(void *user, const struct error *error)
{
    struct call *call = call_link_take(user);
    if (call == NULL)
        return;
    call_end_turn(call);
    if (error != NULL) {
        call_fail(call, error);
        return;
    }
    add_title(call, "answered: done; it was not waited for a stop: dap_status shows where the program is");
    add_structured(call, NULL);
    call_succeed(call);
}

static void resume(struct call *call, enum resume_kind kind, yyjson_mut_doc *arguments)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct resume resume = {
        .kind = kind,
        .raw = arguments,
        .forced = json_bool(call->arguments, "force", false),
    };
    struct call_link *link = call_link_new(call);
    if (session_resume(call_session(call), &resume, on_resumed, link, &error) == 0)
        return;
    call_link_take(link);
    yyjson_mut_doc_free(arguments);
    call_give_up(call, &error);
}

/* ---- the beginning ---- */

static void on_turn(void *user)
{
    struct call *call = user;
    const char *command = json_string(call->arguments, "command");
    AUTO_ERROR struct error error = ERROR_INIT;
    enum resume_kind kind;
    if (!session_active(call_session(call))) {
        error_set(&error, ERROR_STATE, "request requires an adapter; dap_launch starts one");
        call_give_up(call, &error);
        return;
    }
    if (check_command(call, command, json_bool(call->arguments, "force", false), &error) < 0) {
        call_give_up(call, &error);
        return;
    }
    yyjson_mut_doc *arguments = make_arguments(call, &error);
    if (arguments == NULL)
        call_give_up(call, &error);
    else if (session_find_resume(command, &kind))
        resume(call, kind, arguments);
    else
        call_request(call, command, arguments, on_answer);
}

void verb_request(struct call *call)
{
    session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
