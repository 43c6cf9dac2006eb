/* What a target does itself of what a breakpoint asks for, by the capabilities that it claims. (Specification, "Capabilities".) */
#include "session/breakpoints.h"

#include <inttypes.h>
#include <string.h>

const char *breakpoint_kind_capability(enum breakpoint_kind kind)
{
    static const char *const names[BREAKPOINT_KINDS] = { NULL, "supportsFunctionBreakpoints", "supportsDataBreakpoints",
                                                         "supportsInstructionBreakpoints", NULL };
    return names[kind];
}

yyjson_mut_val *breakpoint_filter(const struct target *target, const char *id)
{
    size_t index, most;
    yyjson_mut_val *filter;
    yyjson_mut_arr_foreach(target_capability_value(target, "exceptionBreakpointFilters"), index, most, filter) {
        const char *offered = yyjson_mut_get_str(yyjson_mut_obj_get(filter, "filter"));
        if (offered != NULL && strcmp(offered, id) == 0)
            return filter;
    }
    return NULL;
}

/* An exception's condition goes with its filter, where both the adapter and the filter take one. */
static bool takes_exception_condition(const struct target *target, const struct desired_breakpoint *breakpoint)
{
    return target_capability(target, "supportsExceptionFilterOptions") &&
           yyjson_mut_get_bool(yyjson_mut_obj_get(breakpoint_filter(target, breakpoint->name), "supportsCondition"));
}

static bool has_mode(const struct target *target, const struct desired_breakpoint *breakpoint)
{
    size_t index, most, k, applies;
    yyjson_mut_val *mode, *kind;
    yyjson_mut_arr_foreach(target_capability_value(target, "breakpointModes"), index, most, mode) {
        const char *id = yyjson_mut_get_str(yyjson_mut_obj_get(mode, "mode"));
        if (id == NULL || strcmp(id, breakpoint->mode) != 0)
            continue;
        yyjson_mut_arr_foreach(yyjson_mut_obj_get(mode, "appliesTo"), k, applies, kind) {
            const char *name = yyjson_mut_get_str(kind);
            if (name != NULL && strcmp(name, breakpoint_kind_name(breakpoint->kind)) == 0)
                return true;
        }
    }
    return false;
}

static bool sets_kind(const struct target *target, const struct desired_breakpoint *breakpoint)
{
    if (breakpoint->kind == BREAKPOINT_EXCEPTION)
        return breakpoint->break_mode != NULL
                   ? target_capability(target, "supportsExceptionOptions")
                   : breakpoint_filter(target, breakpoint->name) != NULL || panic_filter_is(target, breakpoint->name);
    const char *capability = breakpoint_kind_capability(breakpoint->kind);
    return capability == NULL || target_capability(target, capability);
}

bool breakpoint_by_place(const struct target *target, const struct desired_breakpoint *breakpoint)
{
    return breakpoint->kind == BREAKPOINT_FUNCTION && !sets_kind(target, breakpoint);
}

/* A stop at any other kind cannot be told from others for sure. */
static bool can_emulate(enum breakpoint_kind kind)
{
    return kind == BREAKPOINT_SOURCE || kind == BREAKPOINT_FUNCTION;
}

/* Condition, count, message: behind a part that is not the target's, no other is. */
static void keep_order(const struct target *target, const struct desired_breakpoint *breakpoint, struct native_parts *native)
{
    bool both = breakpoint->condition != NULL && breakpoint->hit_condition != NULL;
    bool either = breakpoint->condition != NULL || breakpoint->hit_condition != NULL;
    if (breakpoint->hit_condition != NULL)
        native->hit_condition =
            native->hit_condition && native->condition && !(both && session_quirk(target->session, QUIRK_COUNTS_BEFORE_CONDITION));
    if (breakpoint->log_message != NULL)
        native->log_message = native->log_message && native->condition && native->hit_condition &&
                              !(either && session_quirk(target->session, QUIRK_LOGS_AT_EACH_HIT));
}

struct native_parts breakpoint_native(const struct target *target, const struct desired_breakpoint *breakpoint)
{
    struct native_parts native = {
        .kind = sets_kind(target, breakpoint), .condition = true, .hit_condition = true, .log_message = true
    };
    bool exception = breakpoint->kind == BREAKPOINT_EXCEPTION;
    if (breakpoint->condition != NULL)
        native.condition =
            exception ? takes_exception_condition(target, breakpoint) : target_capability(target, "supportsConditionalBreakpoints");
    if (breakpoint->hit_condition != NULL)
        native.hit_condition = !exception && target_capability(target, "supportsHitConditionalBreakpoints");
    if (breakpoint->log_message != NULL)
        native.log_message = (breakpoint->kind == BREAKPOINT_SOURCE || breakpoint_by_place(target, breakpoint)) &&
                             target_capability(target, "supportsLogPoints");
    if (can_emulate(breakpoint->kind))
        keep_order(target, breakpoint, &native);
    if (breakpoint->shares_place) {
        native.condition = breakpoint->condition == NULL;
        native.hit_condition = breakpoint->hit_condition == NULL;
        native.log_message = breakpoint->log_message == NULL;
    }
    native.mode = breakpoint->mode == NULL || has_mode(target, breakpoint);
    return native;
}

unsigned breakpoint_emulated(const struct target *target, const struct desired_breakpoint *breakpoint)
{
    if (!can_emulate(breakpoint->kind))
        return 0;
    struct native_parts native = breakpoint_native(target, breakpoint);
    return (native.condition ? 0 : EMULATED_CONDITION) | (native.hit_condition ? 0 : EMULATED_HITS) |
           (native.log_message ? 0 : EMULATED_LOG);
}

unsigned session_breakpoint_emulated(const struct session *session, const struct desired_breakpoint *breakpoint)
{
    const struct target *target = session->focus != NULL ? session->focus : session_root(session);
    if (target == NULL)
        return 0;
    unsigned by_place = breakpoint_by_place(target, breakpoint) && breakpoint->place_path != NULL ? EMULATED_FUNCTION : 0;
    return breakpoint_emulated(target, breakpoint) | by_place;
}

/* ---- the words ---- */

#define EMULATIONS_NAMED 5

/* Once for each. */
static void say_emulated(const struct target *target, struct breakpoint_list *list, bool shared, const char *why)
{
    AUTO_BUFFER struct buffer words;
    size_t count = 0;
    buffer_init(&words, LIMIT_TEXT_BYTES);
    for (size_t i = 0; i < list->count; i++) {
        struct desired_breakpoint *desired = &list->desired[i];
        unsigned by_place = breakpoint_by_place(target, desired) && desired->place_path != NULL ? EMULATED_FUNCTION : 0;
        AUTO_FREE char *parts = emulated_parts(breakpoint_emulated(target, desired) | by_place);
        if (parts == NULL || desired->disabled || desired->emulation_told || desired->shares_place != shared)
            continue;
        desired->emulation_told = true;
        AUTO_FREE char *place =
            by_place != 0 ? xasprintf(" at %s:%" PRId64, desired->place_path, desired->place_line) : xstrdup("");
        if (count++ < EMULATIONS_NAMED)
            buffer_addf(&words, "%s breakpoint %" PRId64 " (%s%s)", count > 1 ? "," : "", desired->number, parts, place);
    }
    if (count > EMULATIONS_NAMED)
        buffer_addf(&words, " and %zu more", count - EMULATIONS_NAMED);
    if (count > 0)
        session_notice(target->session, "emulated, since %s:%s", why, words.data);
}

/* The adapter cannot, or would mix them up; and what it costs is Dapple's. */
void breakpoint_say_emulated(const struct target *target, struct breakpoint_list *list)
{
    if (list == NULL)
        return;
    say_emulated(target, list, false, "the adapter cannot do it");
    say_emulated(target, list, true, "several breakpoints stand in one line");
}

/* "hardware, software" */
static char *offered_modes(const struct target *target)
{
    struct buffer list;
    buffer_init(&list, 8192);
    size_t index, most;
    yyjson_mut_val *mode;
    yyjson_mut_arr_foreach(target_capability_value(target, "breakpointModes"), index, most, mode) {
        const char *id = yyjson_mut_get_str(yyjson_mut_obj_get(mode, "mode"));
        if (id != NULL)
            (void)buffer_addf(&list, "%s%s", list.len > 0 ? ", " : "", id);
    }
    if (list.len == 0)
        (void)buffer_add(&list, "none");
    return buffer_take(&list, NULL);
}

/* "raised (Raised Exceptions), uncaught (Uncaught Exceptions)" */
static char *offered_filters(const struct target *target)
{
    struct buffer list;
    buffer_init(&list, 8192);
    size_t index, most;
    yyjson_mut_val *filter;
    yyjson_mut_arr_foreach(target_capability_value(target, "exceptionBreakpointFilters"), index, most, filter) {
        const char *id = yyjson_mut_get_str(yyjson_mut_obj_get(filter, "filter"));
        const char *label = yyjson_mut_get_str(yyjson_mut_obj_get(filter, "label"));
        if (id == NULL)
            continue;
        (void)buffer_addf(&list, "%s%s", list.len > 0 ? ", " : "", id);
        if (label != NULL && strcasecmp(label, id) != 0)
            (void)buffer_addf(&list, " (%s)", label);
    }
    if (panic_filter_is(target, PANIC_FILTER))
        (void)buffer_addf(&list,
                          "%s" PANIC_FILTER " (Rust panics), " PANIC_UNCAUGHT_FILTER
                          " (Rust panics that the program's own code does not catch)",
                          list.len > 0 ? ", " : "");
    if (list.len == 0)
        (void)buffer_add(&list, "none");
    return buffer_take(&list, NULL);
}

char *session_exception_filters(const struct session *session)
{
    const struct target *target = session->focus != NULL ? session->focus : session_root(session);
    if (yyjson_mut_arr_size(target_capability_value(target, "exceptionBreakpointFilters")) == 0 &&
        !panic_filter_is(target, PANIC_FILTER))
        return NULL;
    return offered_filters(target);
}

static char *kind_refusal(const struct target *target, const struct desired_breakpoint *breakpoint)
{
    if (breakpoint->kind == BREAKPOINT_EXCEPTION && breakpoint->break_mode == NULL) {
        AUTO_FREE char *filters = offered_filters(target);
        return xasprintf("the adapter offers no exception filter \"%s\" (it offers: %s)", breakpoint->name, filters);
    }
    if (breakpoint->kind == BREAKPOINT_EXCEPTION)
        return xstrdup(
            "the adapter cannot break by an exception's name (it does not claim supportsExceptionOptions): give one of its "
            "filters");
    if (breakpoint->place_failure != NULL)
        return xasprintf("the adapter cannot set function breakpoints (it does not claim supportsFunctionBreakpoints), and %s",
                         breakpoint->place_failure);
    return xasprintf("the adapter cannot set %s breakpoints (it does not claim %s)", breakpoint_kind_name(breakpoint->kind),
                     breakpoint_kind_capability(breakpoint->kind));
}

static char *condition_refusal(const struct target *target, const struct desired_breakpoint *breakpoint)
{
    if (breakpoint->kind != BREAKPOINT_EXCEPTION)
        return xstrdup("the adapter cannot do conditions (it does not claim supportsConditionalBreakpoints)");
    if (!target_capability(target, "supportsExceptionFilterOptions"))
        return xstrdup("the adapter cannot do conditions of exceptions (it does not claim supportsExceptionFilterOptions)");
    return xasprintf("the adapter's exception filter \"%s\" takes no condition", breakpoint->name);
}

static bool is_set(const struct desired_breakpoint *breakpoint)
{
    return !breakpoint->disabled && !breakpoint->expired;
}

/* Of exceptions, some look at names alone when there are any. */
static bool is_passed_over(const struct target *target, const struct breakpoint_list *list, size_t index)
{
    if (list->kind != BREAKPOINT_EXCEPTION || list->desired[index].break_mode != NULL ||
        !session_quirk(target->session, QUIRK_NAMES_OR_FILTERS))
        return false;
    for (size_t i = 0; i < list->count; i++)
        if (list->desired[i].break_mode != NULL && is_set(&list->desired[i]))
            return true;
    return false;
}

char *breakpoint_row_refusal(const struct target *target, const struct breakpoint_list *list, size_t index)
{
    if (!is_set(&list->desired[index]))
        return NULL;
    if (is_passed_over(target, list, index))
        return xasprintf("the adapter passes over filters such as \"%s\" while exceptions are chosen by name",
                         list->desired[index].name);
    return breakpoint_refusal(target, &list->desired[index]);
}

char *session_breakpoint_refusal(const struct session *session, const struct desired_breakpoint *breakpoint)
{
    const struct target *target = session->focus != NULL ? session->focus : session_root(session);
    return target == NULL ? NULL : breakpoint_refusal(target, breakpoint);
}

char *breakpoint_refusal(const struct target *target, const struct desired_breakpoint *breakpoint)
{
    struct native_parts native = breakpoint_native(target, breakpoint);
    if (!native.kind && breakpoint->place_path == NULL)
        return kind_refusal(target, breakpoint);
    bool emulates = can_emulate(breakpoint->kind);
    if (!native.condition && !emulates)
        return condition_refusal(target, breakpoint);
    if (!native.hit_condition && !emulates)
        return xstrdup("the adapter cannot do hit conditions (it does not claim supportsHitConditionalBreakpoints)");
    if (!native.log_message && !emulates)
        return xstrdup("the adapter cannot do log messages (it does not claim supportsLogPoints)");
    if (!native.mode) {
        AUTO_FREE char *modes = offered_modes(target);
        return xasprintf("the adapter has no breakpoint mode \"%s\" for %s breakpoints (it has: %s)", breakpoint->mode,
                         breakpoint_kind_name(breakpoint->kind), modes);
    }
    return NULL;
}
