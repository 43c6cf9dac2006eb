/* dap_add_breakpoint: one breakpoint of any kind; one at the same place gives way to it. */
#include "base/path.h"
#include "verb/breakpoint_advice.h"
#include "verb/breakpoint_edit.h"
#include "verb/breakpoint_lines.h"
#include "verb/breakpoint_reading.h"
#include "verb/internal.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_ADDRESS 4096 /* no system maps the first page: null pointers shall fail */

struct add_state {
    struct breakpoint_edit edit; /* first: the edit's functions know it as this */
    char *path;                  /* of a source breakpoint */
    struct desired_breakpoint wanted;
};

static void free_add_state(void *user)
{
    struct add_state *state = user;
    breakpoint_edit_done(&state->edit);
    free(state->path);
    struct desired_breakpoint *one = xcalloc(1, sizeof(*one));
    *one = state->wanted;
    desired_breakpoints_free(one, 1);
    free(state);
}

/* ---- into the list ---- */

static int choose(struct call *call, struct error *ret_error)
{
    struct add_state *state = call->state;
    (void)ret_error;
    breakpoint_edit_add_list(&state->edit, state->wanted.kind, state->path);
    return 0;
}

/* Data that is gone is at no place any more: what is watched under the same name takes its place. */
static bool is_replaced(const struct desired_breakpoint *old, const struct desired_breakpoint *wanted)
{
    return desired_breakpoint_same_place(old, wanted) || (old->expired && strcmp(old->name, wanted->name) == 0);
}

static struct desired_breakpoint *rewrite(struct call *call, const struct breakpoint_list *former, size_t *ret_count)
{
    const struct add_state *state = call->state;
    size_t count = former == NULL ? 0 : former->count, at = count;
    struct desired_breakpoint *list = xcalloc(count + 1, sizeof(*list));
    for (size_t i = 0; i < count; i++) {
        list[i] = desired_breakpoint_copy(&former->desired[i]);
        if (at == count && is_replaced(&list[i], &state->wanted))
            at = i;
    }
    struct desired_breakpoint wanted = desired_breakpoint_copy(&state->wanted);
    if (at < count) {
        wanted.number = list[at].number;
        struct desired_breakpoint *old = xcalloc(1, sizeof(*old));
        *old = list[at];
        desired_breakpoints_free(old, 1);
    }
    list[at] = wanted;
    *ret_count = at < count ? count : count + 1;
    return list;
}

static void succeed(struct call *call)
{
    breakpoint_edit_report(call);
    breakpoint_say_saved(call);
    call_succeed(call);
}

/* Its number is known now. */
static void on_added(struct call *call)
{
    struct add_state *state = call->state;
    const struct session *session = call_session(call);
    const struct breakpoint_list *list = session_find_breakpoint_list(session, state->wanted.kind, state->path);
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        if (desired_breakpoint_same_place(&list->desired[i], &state->wanted)) {
            breakpoint_edit_touch(&state->edit, list->desired[i].number);
            state->edit.accepted_count = state->edit.number_count;
        }
    }
    if (state->wanted.kind != BREAKPOINT_SOURCE) {
        succeed(call);
        return;
    }
    breakpoint_lines_check(call, state->path, &state->wanted, 1);
    breakpoint_advise(call, state->path, succeed);
}

static void add(struct call *call)
{
    struct add_state *state = call->state;
    state->edit.choose = choose;
    state->edit.rewrite = rewrite;
    state->edit.done = on_added;
    breakpoint_edit_run(call);
}

/* ---- data: the adapter says whether it can be watched ---- */

static bool offers_access(yyjson_val *types, const char *access)
{
    size_t index, most;
    yyjson_val *type;
    yyjson_arr_foreach(types, index, most, type) {
        if (yyjson_equals_str(type, access))
            return true;
    }
    return false;
}

/* What was asked for, if it is offered; without a wish, writing. */
static int pick_access(struct call *call, yyjson_val *types, char **ret, struct error *ret_error)
{
    const char *wanted = json_string(call->arguments, "access_type");
    AUTO_BUFFER struct buffer offered;
    buffer_init(&offered, 512);
    size_t index, most;
    yyjson_val *type;
    yyjson_arr_foreach(types, index, most, type) {
        const char *name = yyjson_get_str(type);
        (void)buffer_addf(&offered, "%s%s", offered.len > 0 ? ", " : "", name == NULL ? "?" : name);
    }
    if (wanted != NULL && offered.len > 0 && !offers_access(types, wanted))
        return error_set(ret_error, ERROR_ARGUMENT, "/access_type: the adapter can watch this for %s only", offered.data);
    const char *first = yyjson_get_str(yyjson_arr_get_first(types));
    *ret = xstrdup(wanted != NULL ? wanted : offers_access(types, "write") ? "write" : first);
    return 0;
}

static void on_info(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct add_state *state = call->state;
    if (!call_answered(call, answer))
        return;
    call_end_turn(call);
    AUTO_ERROR struct error error = ERROR_INIT;
    const char *id = json_string(answer->body, "dataId");
    const char *description = json_string(answer->body, "description");
    if (id == NULL) {
        AUTO_FREE char *why = session_without_pictures(description == NULL ? "the adapter gave no reason" : description);
        error_set(&error, ERROR_REQUEST, "%s cannot be watched: %s", state->wanted.name, why);
        call_fail(call, &error);
        return;
    }
    if (pick_access(call, json_array(answer->body, "accessTypes"), &state->wanted.access_type, &error) < 0) {
        call_fail(call, &error);
        return;
    }
    state->wanted.data_id = xstrdup(id);
    state->wanted.description = xstrdup(description);
    state->wanted.persists = json_bool(answer->body, "canPersist", false);
    add(call);
}

static bool is_address(const char *text)
{
    bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    size_t digits = hex ? strspn(text + 2, "0123456789abcdefABCDEF") : strspn(text, "0123456789");
    return digits > 0 && text[(hex ? 2 : 0) + digits] == '\0';
}

/* A name in a value that was shown, else an expression in a frame. */
static int add_container(struct call *call, yyjson_mut_doc *doc, yyjson_mut_val *arguments, struct error *ret_error)
{
    int64_t handle, frame;
    if (json_int(call->arguments, "variables_reference", &handle)) {
        struct value_place place;
        if (session_resolve_value(call_session(call), handle, &place, ret_error) < 0)
            return -1;
        json_add_int(doc, arguments, "variablesReference", place.adapter_reference);
        return 0;
    }
    if (call_frame(call, &frame, NULL, ret_error) < 0)
        return -1;
    json_add_int(doc, arguments, "frameId", frame);
    return 0;
}

static void on_turn(void *user)
{
    struct call *call = user;
    struct add_state *state = call->state;
    AUTO_ERROR struct error error = ERROR_INIT;
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    bool by_pointer =
        json_member(call->arguments, "variables_reference") == NULL && session_quirk(call_session(call), QUIRK_WATCHES_POINTEES);
    AUTO_FREE char *pointer = by_pointer && !is_address(state->wanted.name) ? xasprintf("&(%s)", state->wanted.name) : NULL;
    json_add_string(doc, arguments, "name", pointer != NULL ? pointer : state->wanted.name);
    int64_t bytes;
    bool counted = json_int(call->arguments, "bytes", &bytes);
    if (counted)
        json_add_int(doc, arguments, "bytes", bytes);
    if (counted && is_address(state->wanted.name)) {
        json_add_bool(doc, arguments, "asAddress", true);
    } else if (add_container(call, doc, arguments, &error) < 0) {
        yyjson_mut_doc_free(doc);
        call_give_up(call, &error);
        return;
    }
    json_add_string(doc, arguments, "mode", state->wanted.mode);
    call_request(call, "dataBreakpointInfo", doc, on_info);
}

static void add_data(struct call *call)
{
    struct session *session = call_session(call);
    if (session_stop(session) == NULL) {
        call_refuse_state(call,
                          "addBreakpoint with data requires a stopped Debuggee: data is watched in the program that runs, from a "
                          "stop where it can be named");
        return;
    }
    bool others_can = session_quirk(session, QUIRK_WATCHES_BY_COMMAND);
    if (!call_requires(call, "supportsDataBreakpoints",
                       others_can ? "dap_launch with adapter=lldb-dap or adapter=codelldb can, or use a breakpoint with a "
                                    "condition where the value may change"
                                  : "use a breakpoint with a condition where the value may change"))
        return;
    if (json_member(call->arguments, "bytes") != NULL &&
        !call_requires(call, "supportsDataBreakpointBytes", "leave bytes out: the whole variable is watched then"))
        return;
    const struct add_state *state = call->state;
    AUTO_FREE char *refusal = session_breakpoint_refusal(session, &state->wanted);
    if (refusal != NULL) { /* a mode that it does not have is not sent either */
        AUTO_ERROR struct error error = ERROR_INIT;
        error_set(&error, ERROR_REQUEST, "%s", refusal);
        call_fail(call, &error);
        return;
    }
    session_inspect_begin(session, &call->turn, on_turn, call);
}

/* ---- an address: gdb binds any, and cannot run any more while there is a breakpoint where no memory is ---- */

static void on_byte(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    const struct add_state *state = call->state;
    call->request = 0;
    if (answer->outcome == DAP_REFUSED || (answer->outcome == DAP_OK && json_string(answer->body, "data") == NULL)) {
        AUTO_ERROR struct error error = ERROR_INIT;
        error_set(&error, ERROR_ARGUMENT, "/address: no memory can be read at %s, so that no instruction is there%s",
                  state->wanted.name,
                  call_offers(call, "dap_disassemble") ? "; dap_disassemble shows addresses of instructions" : "");
        call_give_up(call, &error);
        return;
    }
    call_end_turn(call);
    add(call);
}

static void on_address_turn(void *user)
{
    struct call *call = user;
    const struct add_state *state = call->state;
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_string(doc, arguments, "memoryReference", state->wanted.name);
    json_add_int(doc, arguments, "offset", state->wanted.offset);
    json_add_int(doc, arguments, "count", 1);
    call_request(call, "readMemory", doc, on_byte);
}

static void add_instruction(struct call *call)
{
    struct session *session = call_session(call);
    const struct add_state *state = call->state;
    if (is_address(state->wanted.name) && strtoll(state->wanted.name, NULL, 0) < FIRST_ADDRESS) {
        AUTO_ERROR struct error error = ERROR_INIT;
        error_set(&error, ERROR_ARGUMENT, "/address: %s is no address of an instruction%s", state->wanted.name,
                  call_offers(call, "dap_disassemble") ? "; dap_disassemble shows them" : "");
        call_fail(call, &error);
        return;
    }
    bool can_look = session_stop(session) != NULL && session_capability(session, "supportsReadMemoryRequest");
    if (can_look && is_address(state->wanted.name))
        session_inspect_begin(session, &call->turn, on_address_turn, call);
    else
        add(call);
}

/* ---- arguments ---- */

/* Arguments that belong to one kind only. */
static int check_company(const struct call *call, struct error *ret_error)
{
    static const struct {
        const char *argument, *goes_with;
    } companions[] = {
        { "line", "file" },
        { "match", "file" },
        { "column", "file" },
        { "access_type", "data" },
        { "bytes", "data" },
        { "frame_id", "data" },
        { "variables_reference", "data" },
        { "offset", "address" },
        { "break_mode", "exception" },
    };
    for (size_t i = 0; i < COUNT_OF(companions); i++)
        if (json_member(call->arguments, companions[i].argument) != NULL &&
            json_member(call->arguments, companions[i].goes_with) == NULL)
            return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: /%s is only for a breakpoint by %s",
                             companions[i].argument, companions[i].goes_with);
    return 0;
}

static int read_wanted(struct call *call, struct add_state *state, struct error *ret_error)
{
    yyjson_val *arguments = call->arguments;
    const char *file = json_string(arguments, "file");
    if (check_company(call, ret_error) < 0)
        return -1;
    if (file != NULL) {
        state->path = path_absolute(file, call->world->project);
        return breakpoint_read_source(call, arguments, "", state->path, &state->wanted, ret_error);
    }
    static const struct {
        const char *argument;
        enum breakpoint_kind kind;
    } kinds[] = {
        { "function", BREAKPOINT_FUNCTION },
        { "data", BREAKPOINT_DATA },
        { "address", BREAKPOINT_INSTRUCTION },
        { "exception", BREAKPOINT_EXCEPTION },
    };
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if (json_string(arguments, kinds[i].argument) == NULL)
            continue;
        state->wanted.kind = kinds[i].kind;
        state->wanted.name = xstrdup(json_string(arguments, kinds[i].argument));
    }
    state->wanted.offset = json_int_or(arguments, "offset", 0);
    state->wanted.break_mode = xstrdup(json_string(arguments, "break_mode"));
    breakpoint_read_options(arguments, &state->wanted);
    return 0;
}

void verb_add_breakpoint(struct call *call)
{
    struct add_state *state = xcalloc(1, sizeof(*state));
    call->state = state;
    call->free_state = free_add_state;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (read_wanted(call, state, &error) < 0)
        call_fail(call, &error);
    else if (state->wanted.kind == BREAKPOINT_DATA)
        add_data(call);
    else if (state->wanted.kind == BREAKPOINT_INSTRUCTION)
        add_instruction(call);
    else
        add(call);
}
