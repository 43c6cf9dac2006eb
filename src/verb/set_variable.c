/* dap_set_variable: a new value for a variable, a member or an expression: by `setVariable` or `setExpression`, whichever the adapter claims
 * and there is a place for, else by an assignment in the program's language. What is shown is read back. */
#include "verb/set_variable.h"
#include "verb/evaluation.h"
#include "verb/internal.h"
#include "verb/value_path.h"
#include "verb/value_walk.h"

#include <string.h>

struct set_state {
    const char *path, *expression, *name, *value; /* the call's; NULL */
    int64_t handle;
    struct value_place place; /* of the handle */
    char *place_name;
    int64_t frame;
    bool hex, global;  /* global: it is a variable of the module, seen from a function */
    char *target;      /* how the text names it */
    char *assignable;  /* as an expression; NULL */
    int64_t container; /* adapter's; 0: none */
    char *member;      /* its name in there */
    int64_t old_reference;
    unsigned tried;  /* ways that were refused, as bits */
    char *refusal;   /* the first; NULL */
    char *type;      /* of the variable; NULL */
    char *rewritten; /* the value as it is tried after that; NULL */
    char *answered;  /* what the adapter said of the new value; NULL */
    struct set_outcome outcome;
    struct error error;
};

static void free_state(void *user)
{
    struct set_state *state = user;
    free(state->place_name);
    free(state->target);
    free(state->assignable);
    free(state->member);
    free(state->answered);
    free(state->refusal);
    free(state->type);
    free(state->rewritten);
    free(state->outcome.was);
    free(state->outcome.trouble);
    variable_done(&state->outcome.variable);
    error_clear(&state->error);
    free(state);
}

/* ---- the result ---- */

static bool is_text(const struct adapter_text *text, const char *other)
{
    return text->data != NULL && other != NULL && strcmp(text->data, other) == 0;
}

/* Some answer a value that was refused with success, and only its being unchanged tells. */
static bool is_unchanged(const struct set_state *state)
{
    const struct set_outcome *outcome = &state->outcome;
    return outcome->trouble == NULL && is_text(&outcome->variable.value, outcome->was) &&
           !is_text(&outcome->variable.value, state->value);
}

static void finish(struct call *call)
{
    struct set_state *state = call->state;
    struct session *session = call_session(call);
    struct set_outcome *outcome = &state->outcome;
    call_end_turn(call);
    session_view_changed(session);
    outcome->unchanged = is_unchanged(state);
    outcome->by_choice = session_quirk(session, QUIRK_ASSIGNS_BETTER) || session_quirk(session, QUIRK_ASSIGNS_BY_STATEMENT);
    if (outcome->unchanged && session_quirk(session, QUIRK_HIDES_FAILURES) && state->answered != NULL &&
        !is_text(&outcome->variable.value, state->answered)) {
        error_set(&state->error, ERROR_REQUEST, "%s set nothing; it answered %s", session_adapter_id(session), state->answered);
        call_fail(call, &state->error);
        return;
    }
    outcome->target = state->target;
    outcome->adapter = session_adapter_id(session);
    outcome->answered = outcome->trouble != NULL || outcome->unchanged ? state->answered : NULL;
    render_set_variable(&call->result.text, outcome);
    structured_set_variable(call, outcome);
    call_succeed(call);
}

/* ---- reading back ---- */

static void take_read_back(struct call *call, struct variable *variable)
{
    struct set_state *state = call->state;
    state->outcome.variable = *variable;
    *variable = (struct variable){ 0 };
    finish(call);
}

static void fail_read_back(struct call *call, const char *why)
{
    struct set_state *state = call->state;
    state->outcome.trouble = xstrdup(why);
    finish(call);
}

static void on_walked_back(void *user, struct walked_value *found, const struct error *error)
{
    struct call *call = user;
    if (error != NULL) {
        fail_read_back(call, error->message);
        return;
    }
    struct variable variable = found->variable;
    found->variable = (struct variable){ 0 };
    walked_value_done(found);
    take_read_back(call, &variable);
}

static void on_members_back(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct set_state *state = call->state;
    call->request = 0;
    if (answer->outcome != DAP_OK) {
        AUTO_FREE char *why = session_answer_text(answer);
        fail_read_back(call, why);
        return;
    }
    size_t count;
    struct variable *list = read_all_variables(answer->body, &count);
    struct variable found = { 0 };
    for (size_t i = 0; i < count; i++) {
        if (found.name.data == NULL && is_text(&list[i].name, state->member)) {
            found = list[i];
            list[i] = (struct variable){ 0 };
        }
    }
    variables_free(list, count);
    if (found.name.data == NULL) {
        fail_read_back(call, "it is not among the members any more");
        return;
    }
    variable_give_handles(call_session(call), &found);
    take_read_back(call, &found);
}

static void on_evaluated_back(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    call->request = 0;
    if (answer->outcome != DAP_OK) {
        AUTO_FREE char *why = session_answer_text(answer);
        fail_read_back(call, why);
        return;
    }
    struct variable variable;
    evaluation_read(answer->body, &variable);
    variable_give_handles(call_session(call), &variable);
    take_read_back(call, &variable);
}

static void walk(struct call *call, value_walk_fn done)
{
    struct set_state *state = call->state;
    struct value_walk_wish wish = {
        .path = state->path,
        .adapter_frame = state->frame,
        .from_value = state->place_name != NULL,
        .place = state->place,
        .place_name = state->place_name,
        .hex = state->hex,
        .request = &call->request,
    };
    value_walk(call_session(call), &wish, done, call);
}

/* Members that were read before are answered again by some as they were (dlv, js-debug): a name asks the program. */
static bool can_evaluate_back(const struct call *call)
{
    const struct set_state *state = call->state;
    return state->assignable != NULL && !session_quirk(call_session(call), QUIRK_HIDES_FAILURES);
}

static void read_back(struct call *call)
{
    struct set_state *state = call->state;
    if (state->path != NULL) {
        walk(call, on_walked_back);
    } else if (state->member != NULL && !can_evaluate_back(call)) {
        yyjson_mut_val *arguments;
        yyjson_mut_doc *doc = variables_arguments(state->container, &arguments);
        add_value_format(doc, arguments, state->hex);
        call_request(call, "variables", doc, on_members_back);
    } else {
        yyjson_mut_doc *doc = evaluate_arguments(state->assignable, state->frame);
        add_value_format(doc, yyjson_mut_doc_get_root(doc), state->hex);
        call_request(call, "evaluate", doc, on_evaluated_back);
    }
}

/* ---- setting ---- */

static void on_set(void *user, const struct dap_answer *answer);

static void set_variable(struct call *call)
{
    struct set_state *state = call->state;
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = variables_arguments(state->container, &arguments);
    json_add_string(doc, arguments, "name", state->member);
    json_add_string(doc, arguments, "value", state->value);
    add_value_format(doc, arguments, state->hex);
    call_request(call, "setVariable", doc, on_set);
}

static void set_expression(struct call *call)
{
    struct set_state *state = call->state;
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_string(doc, arguments, "expression", state->assignable);
    json_add_string(doc, arguments, "value", state->value);
    json_add_int(doc, arguments, "frameId", state->frame);
    add_value_format(doc, arguments, state->hex);
    call_request(call, "setExpression", doc, on_set);
}

/* Python's assignment of a global variable's name makes a local one in its place, which would be told as set. */
static char *statement(const struct set_state *state)
{
    return xasprintf(state->global ? "globals()['%s'] = %s" : "%s = %s", state->assignable, state->value);
}

static void assign(struct call *call)
{
    struct set_state *state = call->state;
    bool by_statement = session_quirk(call_session(call), QUIRK_ASSIGNS_BY_STATEMENT);
    AUTO_FREE char *assignment = by_statement ? statement(state) : xasprintf("%s = %s", state->assignable, state->value);
    call_request(call, "evaluate", evaluate_arguments_in(assignment, state->frame, by_statement ? "repl" : "watch"), on_set);
}

/* Does the adapter take it this way, and is there what it takes? */
static bool can(const struct call *call, enum set_way way)
{
    const struct set_state *state = call->state;
    const struct session *session = call_session(call);
    bool is_container = state->container != 0 && session_capability(session, "supportsSetVariable");
    bool is_expression = state->assignable != NULL && session_capability(session, "supportsSetExpression");
    if (session_quirk(session, QUIRK_ASSIGNS_BY_STATEMENT) && state->assignable != NULL)
        return way == SET_BY_ASSIGNMENT;
    switch (way) {
    case SET_BY_VARIABLE:
        return is_container;
    case SET_BY_EXPRESSION:
        return is_expression;
    case SET_BY_ASSIGNMENT:
        return state->assignable != NULL && !is_expression && (!is_container || session_quirk(session, QUIRK_ASSIGNS_BETTER));
    }
    return false;
}

/* What is known by now decides. False: no way is left. */
static bool set_next(struct call *call)
{
    static const enum set_way usual[] = { SET_BY_VARIABLE, SET_BY_EXPRESSION, SET_BY_ASSIGNMENT };
    static const enum set_way assigned[] = { SET_BY_EXPRESSION, SET_BY_ASSIGNMENT, SET_BY_VARIABLE };
    static void (*const ask[])(
        struct call *) = { [SET_BY_VARIABLE] = set_variable, [SET_BY_EXPRESSION] = set_expression, [SET_BY_ASSIGNMENT] = assign };
    struct set_state *state = call->state;
    const enum set_way *ways = session_quirk(call_session(call), QUIRK_ASSIGNS_BETTER) ? assigned : usual;
    for (size_t i = 0; i < COUNT_OF(usual); i++) {
        if ((state->tried & 1u << ways[i]) != 0 || !can(call, ways[i]))
            continue;
        state->outcome.way = ways[i];
        ask[ways[i]](call);
        return true;
    }
    return false;
}

static void set(struct call *call)
{
    struct set_state *state = call->state;
    if (set_next(call))
        return;
    error_set(&state->error, ERROR_STATE,
              "%s cannot set this: it does not claim supportsSetVariable, and tells no expression for it; dap_evaluate can "
              "assign in the program's language",
              session_adapter_id(call_session(call)));
    call_give_up(call, &state->error);
}

static bool is_identifier(const char *text)
{
    size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return len > 0 && text[len] == '\0' && (text[0] < '0' || text[0] > '9');
}

/* What is shown as a value is no expression to all: gdb knows no true and false in C, and LLDB an enumerator only behind the name of its
 * type. NULL: it cannot be written in another way. */
static char *rewrite(const struct set_state *state)
{
    const char *was = state->outcome.was != NULL ? state->outcome.was : "";
    bool truth = strcmp(state->value, "true") == 0, boolean = truth || strcmp(state->value, "false") == 0;
    if (boolean)
        return strcmp(was, "true") == 0 || strcmp(was, "false") == 0 ? xstrdup(truth ? "1" : "0") : NULL;
    if (state->type == NULL || !is_identifier(state->value) || !is_identifier(was))
        return NULL;
    const char *type = strncmp(state->type, "enum ", 5) == 0 ? state->type + 5 : state->type;
    return xasprintf("%s::%s", type, state->value);
}

/* Refused: what another way takes is tried, where that differs. True: it is under way. */
static bool set_otherwise(struct call *call, const struct dap_answer *answer)
{
    struct set_state *state = call->state;
    if (answer->outcome != DAP_REFUSED || !session_quirk(call_session(call), QUIRK_ASSIGNS_BETTER))
        return false;
    call->request = 0;
    if (state->refusal == NULL)
        state->refusal = session_answer_text(answer); /* the first: an assignment says most */
    state->tried |= 1u << state->outcome.way;
    if (set_next(call))
        return true;
    if (state->rewritten != NULL || (state->rewritten = rewrite(state)) == NULL)
        return false;
    state->value = state->rewritten;
    state->tried = 0;
    return set_next(call);
}

static void on_set(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct set_state *state = call->state;
    if (set_otherwise(call, answer))
        return;
    if (answer->outcome == DAP_REFUSED && session_quirk(call_session(call), QUIRK_ASSIGNS_BY_STATEMENT) &&
        state->outcome.way == SET_BY_ASSIGNMENT) {
        AUTO_FREE char *why = statement_failure(answer);
        call->request = 0;
        error_set(&state->error, ERROR_REQUEST, "%s", why);
        call_give_up(call, &state->error);
        return;
    }
    if (state->refusal != NULL && answer->outcome == DAP_REFUSED) {
        error_set(&state->error, ERROR_REQUEST, "%s", state->refusal);
        call_give_up(call, &state->error);
        return;
    }
    if (!call_answered(call, answer))
        return;
    const char *value = json_string(answer->body, "value");
    session_view_changed(call_session(call));
    state->answered = xstrdup(value != NULL ? value : json_string(answer->body, "result")); /* lldb-dap 19 calls it so */
    /* From then on the references of the former value, and those of its members, are void. */
    int64_t reference;
    if (state->outcome.way != SET_BY_ASSIGNMENT && json_int(answer->body, "variablesReference", &reference) &&
        reference != state->old_reference)
        session_forget_value(call_session(call), state->old_reference);
    read_back(call);
}

/* ---- finding ---- */

static void on_walked(void *user, struct walked_value *found, const struct error *error)
{
    struct call *call = user;
    struct set_state *state = call->state;
    if (error != NULL) {
        call_give_up(call, error);
        return;
    }
    if (found->fixed) {
        error_set(&state->error, ERROR_ARGUMENT,
                  "/path: the value of a map's entry is not set by its path; dap_evaluate calls what sets it: map.set(key, value)");
        walked_value_done(found);
        call_give_up(call, &state->error);
        return;
    }
    state->container = found->container;
    state->global = found->container == 0 && state->place_name == NULL && is_identifier(state->path); /* evaluated: no local one */
    state->member = found->container != 0 ? xstrdup(found->name) : NULL;
    state->outcome.was = xstrdup(found->variable.value.data);
    state->type = xstrdup(found->variable.type.data);
    state->old_reference = found->variable.adapter_reference;
    if (found->variable.evaluate_name != NULL)
        state->assignable = xstrdup(found->variable.evaluate_name);
    else if (state->place_name == NULL)
        state->assignable = xstrdup(state->path);
    walked_value_done(found);
    set(call);
}

static void on_members(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct set_state *state = call->state;
    if (!call_answered(call, answer))
        return;
    size_t count;
    struct variable *list = read_all_variables(answer->body, &count);
    const struct variable *found = NULL;
    for (size_t i = 0; i < count && found == NULL; i++)
        if (is_text(&list[i].name, state->name))
            found = &list[i];
    if (found == NULL) {
        error_set(&state->error, ERROR_ARGUMENT,
                  "/name: value %lld has no member \"%s\"; dap_variables variables_reference=%lld lists them",
                  (long long)state->handle, state->name, (long long)state->handle);
    } else {
        state->outcome.was = xstrdup(found->value.data);
        state->type = xstrdup(found->type.data);
        state->old_reference = found->adapter_reference;
        state->assignable = xstrdup(found->evaluate_name);
    }
    variables_free(list, count);
    if (state->error.kind != ERROR_NONE)
        call_give_up(call, &state->error);
    else
        set(call);
}

static void on_turn(void *user)
{
    struct call *call = user;
    struct set_state *state = call->state;
    if (state->place_name != NULL && session_resolve_value(call_session(call), state->handle, &state->place, &state->error) < 0) {
        call_give_up(call, &state->error);
        return;
    }
    if (call_frame(call, &state->frame, NULL, &state->error) < 0 && state->place_name == NULL) {
        call_give_up(call, &state->error);
        return;
    }
    error_clear(&state->error);
    if (state->path != NULL) {
        walk(call, on_walked);
    } else if (state->name != NULL) {
        state->container = state->place.adapter_reference;
        state->member = xstrdup(state->name);
        call_request(call, "variables", variables_arguments(state->container, NULL), on_members);
    } else {
        state->assignable = xstrdup(state->expression);
        set(call);
    }
}

/* ---- the beginning ---- */

/* Without setExpression, an expression that is a path names a variable, which can be set. */
static bool is_better_a_path(struct call *call, const char *expression)
{
    struct value_path path;
    AUTO_ERROR struct error error = ERROR_INIT;
    bool expression_works = session_capability(call_session(call), "supportsSetExpression") &&
                            !session_quirk(call_session(call), QUIRK_ASSIGNS_BY_STATEMENT);
    if (expression_works || !session_capability(call_session(call), "supportsSetVariable") ||
        value_path_parse(expression, &path, &error) < 0)
        return false;
    value_path_done(&path);
    return true;
}

/* A name alone is a variable of the frame, as a path of one segment is. */
static int take_name_of_frame(struct set_state *state, struct error *ret_error)
{
    struct value_path path;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (value_path_parse(state->name, &path, &error) < 0)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "invalid arguments: /name: alone it is a variable of the frame: %s; for a member give "
                         "variables_reference too, as dap_variables shows it",
                         error.message);
    value_path_done(&path);
    state->path = state->name;
    state->name = NULL;
    return 0;
}

static int check_selectors(const struct set_state *state, bool by_value, struct error *ret_error)
{
    int ways = (state->path != NULL) + (state->expression != NULL) + (state->name != NULL);
    if (ways != 1)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "invalid arguments: arguments must have one of path, expression, or variables_reference with name");
    if (state->expression != NULL && by_value)
        return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: /variables_reference goes with name or path");
    return 0;
}

void verb_set_variable(struct call *call)
{
    struct set_state *state = xcalloc(1, sizeof(*state));
    call->state = state;
    call->free_state = free_state;
    bool by_value = json_int(call->arguments, "variables_reference", &state->handle);
    state->path = json_string(call->arguments, "path");
    state->expression = json_string(call->arguments, "expression");
    state->name = json_string(call->arguments, "name");
    state->value = json_string(call->arguments, "value");
    state->hex = json_bool(call->arguments, "hex", false);
    if (check_selectors(state, by_value, &state->error) < 0) {
        call_fail(call, &state->error);
        return;
    }
    state->place_name = by_value ? xasprintf("value %lld", (long long)state->handle) : NULL;
    state->target = xstrdup(state->path != NULL ? state->path : state->expression != NULL ? state->expression : state->name);
    if (state->name != NULL && !by_value && take_name_of_frame(state, &state->error) < 0) {
        call_fail(call, &state->error);
        return;
    }
    if (state->expression != NULL && is_better_a_path(call, state->expression))
        state->path = state->expression;
    if (state->hex && !call_requires(call, "supportsValueFormattingOptions", "leave hex out"))
        return;
    session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
