/* What targets tell of breakpoints, in answers and events.
 *
 * A row shows what one target told, its owner. Another target's number for the same breakpoint is an alias. A verified row keeps its
 * owner; a row that is not verified goes to whoever verifies it, and from the root to a child (js-debug's root only holds places).
 * (Specification, "Breakpoint Event".) */
#include "session/breakpoints.h"

#include <string.h>

/* ---- whose numbers ---- */

static const struct bound_alias *find_alias(const struct target *target, int64_t id)
{
    for (size_t i = 0; i < target->alias_count; i++)
        if (target->aliases[i].id == id)
            return &target->aliases[i];
    return NULL;
}

static void alias_add(struct target *target, int64_t id, const struct breakpoint_list *list, size_t index)
{
    target->aliases = xgrow(target->aliases, &target->alias_cap, target->alias_count + 1, sizeof(*target->aliases));
    target->aliases[target->alias_count++] = (struct bound_alias){ id, list->kind, xstrdup(list->path), index };
}

static bool alias_is_in(const struct bound_alias *alias, const struct breakpoint_list *list)
{
    return alias->kind == list->kind && (list->path == NULL || strcmp(alias->path, list->path) == 0);
}

static void aliases_drop(struct target *target, const struct breakpoint_list *list) /* NULL: all */
{
    size_t kept = 0;
    for (size_t i = 0; i < target->alias_count; i++) {
        if (list == NULL || alias_is_in(&target->aliases[i], list))
            free(target->aliases[i].path);
        else
            target->aliases[kept++] = target->aliases[i];
    }
    target->alias_count = kept;
}

void breakpoints_forget_target(struct target *target)
{
    aliases_drop(target, NULL);
    free(target->aliases);
    target->aliases = NULL;
    target->alias_cap = 0;
}

struct bound_breakpoint *breakpoint_find_bound(struct target *target, int64_t id)
{
    struct session *session = target->session;
    for (size_t i = 0; i < session->list_count; i++)
        for (size_t k = 0; k < session->lists[i].count; k++) {
            struct bound_breakpoint *bound = &session->lists[i].bound[k];
            if (bound->owner == target->channel && bound->has_id && bound->id == id)
                return bound;
        }
    struct bound_breakpoint *temporary = &session->temporary.bound;
    if (session->temporary.set && temporary->owner == target->channel && temporary->has_id && temporary->id == id)
        return temporary;
    const struct bound_alias *alias = find_alias(target, id);
    struct breakpoint_list *list = alias == NULL ? NULL : breakpoint_list_find(session, alias->kind, alias->path);
    return list != NULL && alias->index < list->count ? &list->bound[alias->index] : NULL;
}

/* A target's word on a row that it does not own counts only where it knows better. */
static bool may_speak(const struct target *target, const struct bound_breakpoint *bound, enum breakpoint_state state)
{
    if (bound->owner == target->channel)
        return true;
    if (bound->state == BREAKPOINT_BOUND)
        return target_find(target->session, bound->owner) == NULL; /* its owner has ended */
    return state == BREAKPOINT_BOUND || bound->owner == 0 || target_find(target->session, bound->owner) == NULL;
}

/* ---- answers ---- */

void breakpoint_read_row(const struct session *session, yyjson_val *object, struct bound_breakpoint *ret)
{
    bound_breakpoint_read(object, ret);
    bool resolution = ret->message != NULL && strncmp(ret->message, "Resolved locations: ", 20) == 0;
    if (resolution && session_quirk(session, QUIRK_CLAIMS_UNRESOLVED)) {
        if (ret->state == BREAKPOINT_BOUND && strcmp(ret->message + 20, "0") == 0)
            ret->state = BREAKPOINT_PENDING;
        xreplace(&ret->message, NULL); /* the state says it */
    }
    bool fails = ret->state == BREAKPOINT_PENDING && ret->message != NULL && session_quirk(session, QUIRK_FAILS_UNTOLD);
    if (fails)
        ret->state = BREAKPOINT_FAILED;
    if (fails && strncmp(ret->message, "Breakpoint exists at ", 21) == 0) {
        AUTO_FREE char *told = ret->message;
        ret->message = xasprintf("%s; the debugger takes one at a place: another of these breakpoints stands there already", told);
    }
    /* A name that js-debug's own editor would translate. It takes it back when it comes upon the code, but not of what was loaded before. */
    if (ret->message != NULL && strcmp(ret->message, "breakpoint.provisionalBreakpoint") == 0)
        xreplace(&ret->message,
                 session_attached_to(session) == NULL
                     ? NULL
                     : "of code that was loaded before it attached, the debugger tells no place; it may stop here all the same");
}

/* A claim that says nothing: a hit will tell. */
static void doubt_function(const struct session *session, struct bound_breakpoint *told)
{
    if (told->state != BREAKPOINT_BOUND || !session_quirk(session, QUIRK_TAKES_ANY_FUNCTION))
        return;
    told->state = BREAKPOINT_PENDING;
    xreplace(&told->message, "the debugger takes any name; a hit will show that there is such a function");
}

static void replace_bound(struct target *target, struct breakpoint_list *list, size_t index, struct bound_breakpoint *next)
{
    struct bound_breakpoint *bound = &list->bound[index];
    bool untold = !bound->has_id && !bound->has_line && bound->state == BREAKPOINT_PENDING && bound->owner == 0;
    if (!untold && !may_speak(target, bound, next->state)) {
        if (next->has_id)
            alias_add(target, next->id, list, index);
        bound_breakpoint_done(next);
        return;
    }
    struct target *former = target_find(target->session, bound->owner);
    if (former != NULL && former != target && bound->has_id)
        alias_add(former, bound->id, list, index);
    next->owner = target->channel;
    bool hit = bound->hit;
    struct breakpoint_counts counts = bound->counts;
    bound_breakpoint_done(bound);
    *bound = *next;
    bound->hit = hit;
    bound->counts = counts;
}

/* Specification, SetExceptionBreakpointsResponse: the items may be left out. The adapter has accepted the filter then. */
static void take_silence(struct target *target, struct breakpoint_list *list, size_t index)
{
    struct bound_breakpoint accepted = { .state = BREAKPOINT_BOUND };
    replace_bound(target, list, index, &accepted);
}

static void take_item(struct target *target, struct breakpoint_list *list, size_t row, yyjson_val *item)
{
    struct bound_breakpoint next;
    breakpoint_read_row(target->session, item, &next);
    if (list->kind == BREAKPOINT_FUNCTION)
        doubt_function(target->session, &next);
    replace_bound(target, list, row, &next);
}

/* A shorter answer than the request leaves the rest as it was (an adapter may answer [] when nothing changed). */
void breakpoint_take_answer(struct target *target, struct breakpoint_list *list, const size_t *rows, size_t row_count,
                            yyjson_val *body)
{
    aliases_drop(target, list);
    size_t index, most, told = 0;
    yyjson_val *item;
    yyjson_arr_foreach(json_array(body, "breakpoints"), index, most, item) {
        if (index >= row_count)
            break;
        told++;
        if (rows[index] >= list->count)
            continue;
        take_item(target, list, rows[index], item);
        for (size_t i = 0; i < list->count; i++)
            if (i != rows[index] && breakpoints_share(&list->desired[i], &list->desired[rows[index]]))
                take_item(target, list, i, item);
    }
    for (size_t i = told; i < row_count && list->kind == BREAKPOINT_EXCEPTION; i++)
        if (rows[i] < list->count)
            take_silence(target, list, rows[i]);
}

static void alias_drop(struct target *target, const struct breakpoint_list *list, size_t index)
{
    size_t kept = 0;
    for (size_t i = 0; i < target->alias_count; i++) {
        if (alias_is_in(&target->aliases[i], list) && target->aliases[i].index == index)
            free(target->aliases[i].path);
        else
            target->aliases[kept++] = target->aliases[i];
    }
    target->alias_count = kept;
}

void breakpoint_take_row(struct target *target, struct breakpoint_list *list, size_t row, yyjson_val *item)
{
    struct bound_breakpoint next;
    breakpoint_read_row(target->session, item, &next);
    alias_drop(target, list, row);
    replace_bound(target, list, row, &next);
}

void breakpoint_take_function(struct target *target, int64_t number, yyjson_val *item)
{
    struct breakpoint_list *list = breakpoint_list_find(target->session, BREAKPOINT_FUNCTION, NULL);
    for (size_t i = 0; list != NULL && i < list->count; i++) {
        if (list->desired[i].number != number || list->desired[i].disabled) /* switched off since it was sent */
            continue;
        breakpoint_take_row(target, list, i, item);
    }
}

void breakpoint_fail(struct bound_breakpoint *bound, const char *why)
{
    bool hit = bound->hit;
    struct breakpoint_counts counts = bound->counts;
    bound_breakpoint_done(bound);
    bound->state = BREAKPOINT_FAILED;
    bound->message = xstrdup(why);
    bound->hit = hit;
    bound->counts = counts;
}

/* ---- events ---- */

/* An event names only what changed: what it leaves out stays. */
static void merge_event(const struct session *session, struct bound_breakpoint *bound, yyjson_val *breakpoint)
{
    struct bound_breakpoint next;
    breakpoint_read_row(session, breakpoint, &next);
    if (json_member(breakpoint, "verified") != NULL)
        bound->state = next.state;
    if (next.has_id) {
        bound->has_id = true;
        bound->id = next.id;
    }
    if (next.has_line) {
        bound->has_line = true;
        bound->line = next.line;
        bound->column = next.column;
    }
    if (next.message != NULL || next.state == BREAKPOINT_BOUND)
        xreplace(&bound->message, next.message);
    if (next.source_path != NULL)
        xreplace(&bound->source_path, next.source_path);
    if (next.source_name != NULL)
        xreplace(&bound->source_name, next.source_name);
    bound_breakpoint_done(&next);
}

/* A new id at a location that we asked for, where none is known: the record of that location. */
static struct bound_breakpoint *adopt(struct session *session, yyjson_val *breakpoint)
{
    struct bound_breakpoint told;
    bound_breakpoint_read(breakpoint, &told);
    struct breakpoint_list *list =
        told.source_path == NULL || !told.has_line ? NULL : breakpoint_list_find(session, BREAKPOINT_SOURCE, told.source_path);
    struct bound_breakpoint *adopted = NULL;
    for (size_t i = 0; list != NULL && i < list->count && adopted == NULL; i++)
        if (!list->bound[i].has_id && !list->desired[i].disabled && list->desired[i].line == told.line)
            adopted = &list->bound[i];
    bound_breakpoint_done(&told);
    return adopted;
}

static void change(const struct session *session, struct bound_breakpoint *bound, bool removed, yyjson_val *breakpoint)
{
    if (removed) {
        bound->state = BREAKPOINT_FAILED;
        xreplace(&bound->message, "the adapter removed it");
    } else {
        merge_event(session, bound, breakpoint);
    }
}

/* Those that it was set for, too. */
static void change_others(const struct session *session, const struct bound_breakpoint *bound, bool removed, yyjson_val *breakpoint)
{
    for (size_t i = 0; i < session->list_count; i++) {
        struct breakpoint_list *list = &session->lists[i];
        if (bound < list->bound || bound >= list->bound + list->count)
            continue;
        const struct desired_breakpoint *one = &list->desired[bound - list->bound];
        for (size_t k = 0; k < list->count; k++)
            if (&list->desired[k] != one && breakpoints_share(&list->desired[k], one))
                change(session, &list->bound[k], removed, breakpoint);
    }
}

static bool apply_event(struct target *target, yyjson_val *body)
{
    struct session *session = target->session;
    const char *reason = json_string(body, "reason");
    yyjson_val *breakpoint = json_object(body, "breakpoint");
    bool removed = reason != NULL && strcmp(reason, "removed") == 0;
    int64_t id;
    struct bound_breakpoint *bound = json_int(breakpoint, "id", &id) ? breakpoint_find_bound(target, id) : NULL;
    if (bound == NULL && session->sent_lists != NULL)
        return false; /* the answer that names it is still on its way, and older than this event */
    if (bound == NULL && !removed)
        bound = adopt(session, breakpoint);
    if (bound == NULL)
        return false;
    bool verified = json_bool(breakpoint, "verified", false);
    if (bound->owner != target->channel) {
        if (!may_speak(target, bound, verified && !removed ? BREAKPOINT_BOUND : BREAKPOINT_PENDING) || removed)
            return true;
        /* From here on it is this target's row; the former owner's number stays known. */
        struct target *former = target_find(session, bound->owner);
        const struct bound_alias *alias = find_alias(target, id);
        const struct breakpoint_list *list = alias == NULL ? NULL : breakpoint_list_find(session, alias->kind, alias->path);
        if (former != NULL && bound->has_id && list != NULL)
            alias_add(former, bound->id, list, alias->index);
        bound->owner = target->channel;
    }
    change(session, bound, removed, breakpoint);
    change_others(session, bound, removed, breakpoint);
    return true;
}

void breakpoints_on_event(struct target *target, yyjson_val *body)
{
    struct session *session = target->session;
    if (apply_event(target, body) || session->sent_lists == NULL || session->early_count >= LIMIT_BREAKPOINTS_PER_FILE)
        return;
    /* Kept until all answers are in. */
    yyjson_mut_doc *copy = yyjson_mut_doc_new(NULL);
    yyjson_mut_doc_set_root(copy, yyjson_val_mut_copy(copy, body));
    session->early = xgrow(session->early, &session->early_cap, session->early_count + 1, sizeof(*session->early));
    session->early[session->early_count++] = (struct early_breakpoint){ target, copy };
}

void breakpoint_replay_early(struct session *session)
{
    if (session->sent_lists != NULL)
        return;
    size_t count = session->early_count;
    session->early_count = 0;
    for (size_t i = 0; i < count; i++) {
        yyjson_doc *doc = yyjson_mut_doc_imut_copy(session->early[i].body, NULL);
        apply_event(session->early[i].target, yyjson_doc_get_root(doc));
        yyjson_doc_free(doc);
        yyjson_mut_doc_free(session->early[i].body);
    }
}
