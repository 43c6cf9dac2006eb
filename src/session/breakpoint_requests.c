/* The five requests that set breakpoints. What was not asked for is left out: an empty condition or log message means something to some
 * adapters. (Specification, "SetBreakpoints", "SetFunctionBreakpoints", "SetDataBreakpoints", "SetInstructionBreakpoints",
 * "SetExceptionBreakpoints".) */
#include "session/breakpoints.h"

#include "base/path.h"

#include <string.h>

const char *breakpoint_command(enum breakpoint_kind kind)
{
    static const char *const names[BREAKPOINT_KINDS] = { "setBreakpoints", "setFunctionBreakpoints", "setDataBreakpoints",
                                                         "setInstructionBreakpoints", "setExceptionBreakpoints" };
    return names[kind];
}

/* What the target does not do itself is not asked of it. */
static void add_options(yyjson_mut_doc *doc, yyjson_mut_val *item, const struct target *target,
                        const struct desired_breakpoint *breakpoint)
{
    struct native_parts native = breakpoint_native(target, breakpoint);
    AUTO_FREE char *condition = condition_to_send(target->session, breakpoint);
    if (native.condition)
        json_add_string(doc, item, "condition", condition);
    if (native.hit_condition)
        json_add_string(doc, item, "hitCondition", breakpoint->hit_condition);
    if (native.log_message && breakpoint->log_message != NULL) {
        const char *end = session_quirk(target->session, QUIRK_LOGS_UNENDED) ? "\n" : "";
        AUTO_FREE char *message = xasprintf("%s%s", breakpoint->log_message, end);
        json_add_string(doc, item, "logMessage", message);
    }
    if (native.mode && breakpoint->kind != BREAKPOINT_DATA) /* dataBreakpointInfo has made it part of the id */
        json_add_string(doc, item, "mode", breakpoint->mode);
}

/* ---- exceptions ---- */

enum exception_form { BY_FILTER, BY_FILTER_OPTIONS, BY_NAME };

static enum exception_form form_of(const struct target *target, const struct desired_breakpoint *breakpoint)
{
    if (breakpoint->break_mode != NULL)
        return BY_NAME;
    bool options = breakpoint->condition != NULL || breakpoint->mode != NULL;
    return options && target_capability(target, "supportsExceptionFilterOptions") ? BY_FILTER_OPTIONS : BY_FILTER;
}

/* "Python Exceptions/ValueError": a segment per part, the first being a category by convention. */
static yyjson_mut_val *exception_path(yyjson_mut_doc *doc, const char *name)
{
    yyjson_mut_val *path = yyjson_mut_arr(doc);
    for (const char *part = name; part != NULL;) {
        size_t len = strcspn(part, "/");
        yyjson_mut_val *segment = yyjson_mut_obj(doc), *names = yyjson_mut_arr(doc);
        yyjson_mut_arr_append(names, json_new_string(doc, part, len));
        json_add_value(doc, segment, "names", names);
        yyjson_mut_arr_append(path, segment);
        part = part[len] == '/' ? part + len + 1 : NULL;
    }
    return path;
}

static yyjson_mut_val *exception_item(yyjson_mut_doc *doc, const struct target *target, const struct desired_breakpoint *breakpoint)
{
    enum exception_form form = form_of(target, breakpoint);
    if (form == BY_FILTER)
        return json_new_string(doc, breakpoint->name, strlen(breakpoint->name));
    yyjson_mut_val *item = yyjson_mut_obj(doc);
    if (form == BY_FILTER_OPTIONS) {
        json_add_string(doc, item, "filterId", breakpoint->name);
        add_options(doc, item, target, breakpoint);
        return item;
    }
    json_add_value(doc, item, "path", exception_path(doc, breakpoint->name));
    json_add_string(doc, item, "breakMode", breakpoint->break_mode);
    return item;
}

static void add_exceptions(yyjson_mut_doc *doc, yyjson_mut_val *arguments, const struct target *target,
                           const struct desired_breakpoint *desired, size_t *rows, size_t row_count)
{
    static const char *const members[] = { "filters", "filterOptions", "exceptionOptions" };
    size_t *ordered = xcalloc(row_count + 1, sizeof(*ordered));
    size_t count = 0;
    for (enum exception_form form = BY_FILTER; form <= BY_NAME; form++) {
        yyjson_mut_val *list = yyjson_mut_arr(doc);
        for (size_t i = 0; i < row_count; i++) {
            if (form_of(target, &desired[rows[i]]) != form)
                continue;
            yyjson_mut_arr_append(list, exception_item(doc, target, &desired[rows[i]]));
            ordered[count++] = rows[i];
        }
        if (form == BY_FILTER || yyjson_mut_arr_size(list) > 0)
            json_add_value(doc, arguments, members[form], list);
    }
    if (count > 0)
        memcpy(rows, ordered, count * sizeof(*rows));
    free(ordered);
}

/* ---- the others ---- */

/* `lines` is deprecated, but adapters read it. */
static void add_source(yyjson_mut_doc *doc, yyjson_mut_val *arguments, const struct breakpoint_list *list, const size_t *rows,
                       size_t row_count)
{
    yyjson_mut_val *source = yyjson_mut_obj(doc), *lines = yyjson_mut_arr(doc);
    json_add_string(doc, source, "name", path_name(list->path));
    json_add_string(doc, source, "path", list->path);
    json_add_value(doc, arguments, "source", source);
    for (size_t i = 0; i < row_count; i++)
        yyjson_mut_arr_add_sint(doc, lines, list->desired[rows[i]].line);
    json_add_value(doc, arguments, "lines", lines);
    json_add_bool(doc, arguments, "sourceModified", false);
}

static yyjson_mut_val *item_of(yyjson_mut_doc *doc, const struct target *target, const struct desired_breakpoint *breakpoint)
{
    yyjson_mut_val *item = yyjson_mut_obj(doc);
    switch (breakpoint->kind) {
    case BREAKPOINT_SOURCE:
        json_add_int(doc, item, "line", breakpoint->line);
        if (breakpoint->column > 0)
            json_add_int(doc, item, "column", breakpoint->column);
        break;
    case BREAKPOINT_FUNCTION:
        json_add_string(doc, item, "name", breakpoint->name);
        break;
    case BREAKPOINT_DATA:
        json_add_string(doc, item, "dataId", breakpoint->data_id);
        json_add_string(doc, item, "accessType", breakpoint->access_type);
        break;
    case BREAKPOINT_INSTRUCTION:
        json_add_string(doc, item, "instructionReference", breakpoint->name);
        if (breakpoint->offset != 0)
            json_add_int(doc, item, "offset", breakpoint->offset);
        break;
    case BREAKPOINT_EXCEPTION:
        break;
    }
    add_options(doc, item, target, breakpoint);
    return item;
}

yyjson_mut_doc *breakpoint_arguments(const struct target *target, const struct breakpoint_list *list, size_t *rows,
                                     size_t row_count)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    if (list->kind == BREAKPOINT_EXCEPTION) {
        add_exceptions(doc, arguments, target, list->desired, rows, row_count);
        return doc;
    }
    if (list->kind == BREAKPOINT_SOURCE)
        add_source(doc, arguments, list, rows, row_count);
    yyjson_mut_val *items = yyjson_mut_arr(doc);
    for (size_t i = 0; i < row_count; i++)
        yyjson_mut_arr_append(items, item_of(doc, target, &list->desired[rows[i]]));
    json_add_value(doc, arguments, "breakpoints", items);
    return doc;
}
