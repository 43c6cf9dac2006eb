/* dap_variables: the scopes of a frame with their variables, or the children of a value, page by page. */
#include "verb/frame_scopes.h"
#include "verb/internal.h"
#include "verb/summary.h"

#define COUNT_DEFAULT 100

struct variables_state {
    size_t start, count;
    struct value_place place; /* variables_reference form */
    int64_t handle;
    struct variable *children;
    size_t child_count;
    int64_t child_total;
    struct scope *scopes; /* frame_id form */
    size_t scope_count;
    struct error error;
};

static void free_variables_state(void *user)
{
    struct variables_state *state = user;
    variables_free(state->children, state->child_count);
    scopes_free(state->scopes, state->scope_count);
    error_clear(&state->error);
    free(state);
}

static void give_up(struct call *call, const struct error *error)
{
    session_inspect_end(call_session(call), call->turn);
    call_fail(call, error);
}

static int check_answer(const struct dap_answer *answer, struct error *ret_error)
{
    if (answer->outcome == DAP_OK)
        return 0;
    AUTO_FREE char *why = session_answer_text(answer);
    return error_set(ret_error, ERROR_REQUEST, "%s", why);
}

/* ---- the children of a value ---- */

/* Pages make sense to an adapter only where it told how many indexed children there are. */
static bool asks_pages(const struct variables_state *state)
{
    return state->place.indexed > 0 && state->place.named <= 0;
}

static void report_children(void *user)
{
    struct call *call = user;
    struct variables_state *state = call->state;
    session_inspect_end(call_session(call), call->turn);
    struct variables_view view = {
        .variables = state->children,
        .count = state->child_count,
        .start = (int64_t)state->start,
        .total = state->child_total,
        .handle = state->handle,
        .session = call_session_name(call),
    };
    view.more = view.start + (int64_t)view.count < view.total;
    render_variables(&call->result.text, &view);
    structured_variables(call, "variables", view.variables, view.count);
    call_succeed(call);
}

static void keep_children(struct call *call, yyjson_val *body)
{
    struct variables_state *state = call->state;
    struct session *session = call_session(call);
    /* A page that is no longer than was asked for was cut by the adapter; a longer one holds everything. */
    bool paged = asks_pages(state) && yyjson_arr_size(json_array(body, "variables")) <= state->count;
    size_t total;
    state->children = read_variables(session, body, paged ? 0 : state->start, state->count, &state->child_count, &total);
    state->child_total = paged ? state->place.indexed : (int64_t)total;
    summaries_read(session, state->children, state->child_count, report_children, call);
}

static void on_children(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    call->request = 0;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (check_answer(answer, &error) < 0)
        give_up(call, &error);
    else
        keep_children(call, answer->body);
}

/* Nothing beyond the last child is asked for: gdb fails then. */
static void ask_children(struct call *call)
{
    struct variables_state *state = call->state;
    int64_t left = state->place.indexed - (int64_t)state->start;
    if (asks_pages(state) && left <= 0) {
        keep_children(call, NULL);
        return;
    }
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = variables_arguments(state->place.adapter_reference, &arguments);
    if (asks_pages(state)) {
        json_add_string(doc, arguments, "filter", "indexed"); /* without it rdbg shows a list's class, and no elements */
        json_add_int(doc, arguments, "start", (int64_t)state->start);
        json_add_int(doc, arguments, "count", left < (int64_t)state->count ? left : (int64_t)state->count);
    }
    call_request(call, "variables", doc, on_children);
}

/* ---- the scopes of a frame ---- */

static void on_scopes(void *user, struct scope *scopes, size_t count, const char *failure)
{
    struct call *call = user;
    struct variables_state *state = call->state;
    state->scopes = scopes;
    state->scope_count = count;
    if (failure != NULL) {
        error_set(&state->error, ERROR_REQUEST, "%s", failure);
        give_up(call, &state->error);
        return;
    }
    session_inspect_end(call_session(call), call->turn);
    render_scopes(&call->result.text, state->scopes, state->scope_count, (int64_t)state->start, call_session_name(call));
    structured_scopes(call, state->scopes, state->scope_count);
    call_succeed(call);
}

/* ---- the beginning ---- */

static void on_frame_turn(void *user)
{
    struct call *call = user;
    struct variables_state *state = call->state;
    int64_t frame;
    if (session_resolve_frame(call_session(call), state->handle, &frame, &state->error) < 0) {
        give_up(call, &state->error);
        return;
    }
    struct frame_scopes_wish wish = {
        .adapter_frame = frame,
        .start = state->start,
        .count = state->count,
        .request = &call->request,
    };
    frame_scopes_read(call_session(call), &wish, on_scopes, call);
}

static void on_value_turn(void *user)
{
    struct call *call = user;
    struct variables_state *state = call->state;
    if (session_resolve_value(call_session(call), state->handle, &state->place, &state->error) < 0)
        give_up(call, &state->error);
    else
        ask_children(call);
}

void verb_variables(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    int64_t frame = 0, value = 0;
    bool by_frame = json_int(call->arguments, "frame_id", &frame);
    bool by_value = json_int(call->arguments, "variables_reference", &value);
    if (by_frame == by_value) {
        error_set(&error, ERROR_ARGUMENT,
                  by_frame ? "invalid arguments: /variables_reference is not allowed together with frame_id; pass one of them"
                           : "invalid arguments: arguments must have required properties frame_id or variables_reference");
        call_fail(call, &error);
        return;
    }
    struct variables_state *state = xcalloc(1, sizeof(*state));
    call->state = state;
    call->free_state = free_variables_state;
    state->handle = by_frame ? frame : value;
    state->start = (size_t)json_int_or(call->arguments, "start", 0);
    state->count = (size_t)json_int_or(call->arguments, "count", COUNT_DEFAULT);
    session_inspect_begin(call_session(call), &call->turn, by_frame ? on_frame_turn : on_value_turn, call);
}
