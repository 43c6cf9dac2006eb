/* dap_variables: the scopes of a frame with their variables, or the children of a value, page by page; with `path` one value by its path,
 * and with `depth` members of members as a tree. */
#include "verb/frame_scopes.h"
#include "verb/internal.h"
#include "verb/summary.h"
#include "verb/value_tree.h"
#include "verb/value_walk.h"

#include <string.h>

#define INNER_COUNT 20 /* members of a value inside a tree, unless the call says otherwise */

struct variables_state {
    size_t start, count;
    size_t inner_count;
    bool hex;
    const char *filter; /* NULL */
    const char *path;   /* NULL */
    int depth;          /* 0: no tree */
    char *place_name;
    struct value_tree tree;
    struct value_place place; /* variables_reference form */
    int64_t handle;
    struct variable *children;
    size_t child_count;
    int64_t child_total;
    uint64_t child_length; /* of a container of which so many are listed only; 0 */
    struct scope *scopes;  /* frame_id form */
    size_t scope_count;
    struct error error;
};

static void free_variables_state(void *user)
{
    struct variables_state *state = user;
    variables_free(state->children, state->child_count);
    scopes_free(state->scopes, state->scope_count);
    error_clear(&state->error);
    value_tree_done(&state->tree);
    free(state->place_name);
    free(state);
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
    if (state->filter != NULL)
        return state->place.indexed > 0 && strcmp(state->filter, "indexed") == 0;
    return value_place_pages(&state->place);
}

/* Whether the adapter is to choose: it told of children of that kind. Otherwise a tree's reading chooses by their names. */
static bool can_filter(const struct variables_state *state)
{
    return state->place.indexed > 0 || state->place.named > 0;
}

static void report_children(void *user)
{
    struct call *call = user;
    struct variables_state *state = call->state;
    call_end_turn(call);
    struct variables_view view = {
        .variables = state->children,
        .count = state->child_count,
        .start = (int64_t)state->start,
        .total = state->child_total,
        .length = state->child_length,
        .handle = state->handle,
        .session = call_session_name(call),
    };
    if (state->filter == NULL && asks_pages(state) && state->place.named > 0)
        view.named_left = state->place.named;
    view.more = view.start + (int64_t)view.count < view.total;
    render_variables(&call->result.text, &view);
    structured_variables(call, "variables", view.variables, view.count);
    call_succeed(call);
}

/* js-debug adds a prototype to each page. */
static size_t count_told(yyjson_val *body)
{
    size_t index, most, told = 0;
    yyjson_val *item;
    yyjson_arr_foreach(json_array(body, "variables"), index, most, item) {
        const char *name = json_string(item, "name");
        told += name == NULL || strcmp(name, "[[Prototype]]") != 0;
    }
    return told;
}

static void keep_children(struct call *call, yyjson_val *body)
{
    struct variables_state *state = call->state;
    struct session *session = call_session(call);
    /* A page that is no longer than was asked for was cut by the adapter; a longer one holds everything. */
    bool paged = asks_pages(state) && count_told(body) <= state->count;
    size_t total;
    state->children = read_variables(session, body, paged ? 0 : state->start, state->count, &state->child_count, &total);
    state->child_total = paged ? state->place.indexed : (int64_t)total;
    state->child_length = read_true_length(body);
    summaries_read(session, NULL, state->children, state->child_count, state->hex, report_children, call);
}

static void on_children(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    call->request = 0;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (check_answer(answer, &error) < 0)
        call_give_up(call, &error);
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
    } else {
        json_add_string(doc, arguments, "filter", state->filter);
    }
    add_value_format(doc, arguments, state->hex);
    call_request(call, "variables", doc, on_children);
}

/* ---- a tree ---- */

static void report_tree(void *user)
{
    struct call *call = user;
    struct variables_state *state = call->state;
    call_end_turn(call);
    render_tree(&call->result.text, &state->tree, call_session_name(call));
    structured_tree(call, &state->tree);
    call_succeed(call);
}

static void read_tree(struct call *call)
{
    struct variables_state *state = call->state;
    struct value_tree_wish wish = {
        .depth = state->depth,
        .start = state->start,
        .count = state->count,
        .inner_count = state->inner_count,
        .filter = state->filter,
        .hex = state->hex,
        .request = &call->request,
    };
    value_tree_read(call_session(call), &state->tree, &wish, report_tree, call);
}

static void on_walked(void *user, struct walked_value *found, const struct error *error)
{
    struct call *call = user;
    struct variables_state *state = call->state;
    if (error != NULL) {
        call_give_up(call, error);
        return;
    }
    AUTO_FREE char *path = state->place_name == NULL ? xstrdup(state->path) : NULL; /* one inside a value has no path of its own */
    value_tree_add_root(&state->tree, &found->variable, path);
    walked_value_done(found);
    read_tree(call);
}

static void walk(struct call *call, int64_t adapter_frame)
{
    struct variables_state *state = call->state;
    struct value_walk_wish wish = {
        .path = state->path,
        .adapter_frame = adapter_frame,
        .from_value = state->place_name != NULL,
        .place = state->place,
        .place_name = state->place_name,
        .hex = state->hex,
        .request = &call->request,
    };
    value_walk(call_session(call), &wish, on_walked, call);
}

static void add_value_root(struct call *call)
{
    struct variables_state *state = call->state;
    struct variable root = {
        .name = { xstrdup(state->place_name), strlen(state->place_name) },
        .value = { xstrdup(""), 0 },
        .adapter_reference = state->place.adapter_reference,
        .handle = state->handle,
        .named = state->place.named,
        .indexed = state->place.indexed,
    };
    value_tree_add_root(&state->tree, &root, NULL);
}

/* A scope is a root without a path: its variables' paths begin with their names. */
static void add_scope_root(struct call *call, const struct scope *scope)
{
    struct variables_state *state = call->state;
    AUTO_FREE char *name = xasprintf("Scope %s", scope->name);
    struct variable root = {
        .name = { xstrdup(name), strlen(name) },
        .value = { xstrdup(""), 0 },
        .adapter_reference = scope->adapter_reference,
        .handle = scope->handle,
        .named = scope->named,
        .indexed = scope->indexed,
    };
    value_tree_add_root(&state->tree, &root, scope_is_cheap(scope) ? "" : NULL);
    if (!scope_is_cheap(scope))
        state->tree.nodes[state->tree.count - 1].end = TREE_SCOPE;
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
        call_give_up(call, &state->error);
        return;
    }
    if (session_scopes_are_old(call_session(call)))
        call_warn(call,
                  "%s shows the variables of a scope as they were when the program stopped; dap_evaluate, or path, shows them as "
                  "they are",
                  session_adapter_id(call_session(call)));
    if (state->depth > 0) {
        for (size_t i = 0; i < count; i++)
            add_scope_root(call, &scopes[i]);
        read_tree(call);
        return;
    }
    call_end_turn(call);
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
    if (call_frame(call, &frame, NULL, &state->error) < 0) {
        call_give_up(call, &state->error);
        return;
    }
    if (state->path != NULL) {
        walk(call, frame);
        return;
    }
    struct frame_scopes_wish wish = {
        .adapter_frame = frame,
        .start = state->start,
        .count = state->count,
        .scopes_only = state->depth > 0,
        .hex = state->hex,
        .request = &call->request,
    };
    frame_scopes_read(call_session(call), &wish, on_scopes, call);
}

static void on_value_turn(void *user)
{
    struct call *call = user;
    struct variables_state *state = call->state;
    if (session_resolve_value(call_session(call), state->handle, &state->place, &state->error) < 0) {
        call_give_up(call, &state->error);
        return;
    }
    state->place_name = xasprintf("value %lld", (long long)state->handle);
    if (state->path == NULL && state->depth == 0 && state->filter != NULL && !can_filter(state))
        state->depth = 1;
    if (state->path != NULL) {
        walk(call, 0);
    } else if (state->depth > 0) {
        add_value_root(call);
        read_tree(call);
    } else {
        ask_children(call);
    }
}

static int check_selectors(const struct variables_state *state, bool by_frame, bool by_value, struct error *ret_error)
{
    if (by_frame && by_value)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "invalid arguments: /variables_reference is not allowed together with frame_id; give exactly one");
    if (state->filter != NULL && !by_value && state->path == NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: /filter goes with variables_reference or path");
    return 0;
}

void verb_variables(struct call *call)
{
    struct variables_state *state = xcalloc(1, sizeof(*state));
    call->state = state;
    call->free_state = free_variables_state;
    int64_t frame = 0, count = 0;
    bool by_frame = json_int(call->arguments, "frame_id", &frame);
    bool by_value = json_int(call->arguments, "variables_reference", &state->handle);
    bool counted = json_int(call->arguments, "count", &count);
    state->start = (size_t)json_int_or(call->arguments, "start", 0);
    state->count = counted ? (size_t)count : DEFAULT_VARIABLES;
    state->inner_count = counted ? (size_t)count : INNER_COUNT;
    state->filter = json_string(call->arguments, "filter");
    state->path = json_string(call->arguments, "path");
    state->depth = (int)json_int_or(call->arguments, "depth", state->path != NULL ? 1 : 0);
    state->hex = json_bool(call->arguments, "hex", false);
    if (check_selectors(state, by_frame, by_value, &state->error) < 0) {
        call_fail(call, &state->error);
        return;
    }
    if (state->hex &&
        !call_requires(call, "supportsValueFormattingOptions", "dap_evaluate with an expression that formats the value"))
        return;
    session_inspect_begin(call_session(call), &call->turn, by_value ? on_value_turn : on_frame_turn, call);
}
