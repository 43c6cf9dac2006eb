/* Breakpoints as JSON: what is desired by file, what became of one file, all that is known of each, and which ones a stop hit. */
#include "verb/internal.h"

#include <string.h>

static void add_options(yyjson_mut_doc *doc, yyjson_mut_val *row, const struct desired_breakpoint *desired)
{
    if (desired->column > 0)
        json_add_int(doc, row, "column", desired->column);
    json_add_string(doc, row, "condition", desired->condition);
    json_add_string(doc, row, "hit_condition", desired->hit_condition);
    json_add_string(doc, row, "log_message", desired->log_message);
    json_add_string(doc, row, "mode", desired->mode);
    if (desired->disabled)
        json_add_bool(doc, row, "enabled", false);
}

void structured_desired(struct call *call)
{
    yyjson_mut_val *list = structured_list(call, "desired_breakpoints");
    yyjson_mut_doc *doc = call->result.structured;
    const struct session *session = call_session(call);
    for (size_t i = 0; list != NULL && i < session_breakpoint_file_count(session); i++) {
        const struct breakpoint_list *file = session_breakpoint_file(session, i);
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, list);
        json_add_string(doc, object, "file_path", file->path);
        yyjson_mut_val *rows = yyjson_mut_obj_add_arr(doc, object, "breakpoints");
        for (size_t k = 0; k < file->count; k++) {
            yyjson_mut_val *row = yyjson_mut_arr_add_obj(doc, rows);
            json_add_int(doc, row, "line", file->desired[k].line);
            add_options(doc, row, &file->desired[k]);
        }
    }
}

void structured_breakpoints(struct call *call, const struct breakpoint_list *file)
{
    yyjson_mut_val *list = structured_list(call, "breakpoints");
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = 0; list != NULL && file != NULL && i < file->count; i++) {
        const struct bound_breakpoint *bound = &file->bound[i];
        yyjson_mut_val *row = yyjson_mut_arr_add_obj(doc, list);
        json_add_bool(doc, row, "verified", bound->state == BREAKPOINT_BOUND);
        if (bound->has_id)
            json_add_int(doc, row, "id", bound->id);
        json_add_string(doc, row, "message", bound->message);
        if (bound->has_line)
            json_add_int(doc, row, "line", bound->line);
        if (bound->column > 0)
            json_add_int(doc, row, "column", bound->column);
        json_add_string(doc, row, "source_name", bound->source_name);
        json_add_string(doc, row, "source_path", bound->source_path);
    }
}

static void add_place(yyjson_mut_doc *doc, yyjson_mut_val *row, const struct breakpoint_list *list,
                      const struct desired_breakpoint *desired)
{
    static const char *const names[BREAKPOINT_KINDS] = { NULL, "function", "data", "address", "exception" };
    json_add_string(doc, row, "file_path", list->path);
    if (desired->kind == BREAKPOINT_SOURCE)
        json_add_int(doc, row, "line", desired->line);
    else
        json_add_string(doc, row, names[desired->kind], desired->name);
    if (desired->offset != 0)
        json_add_int(doc, row, "offset", desired->offset);
    json_add_string(doc, row, "access_type", desired->access_type);
    json_add_string(doc, row, "description", desired->description);
    json_add_string(doc, row, "break_mode", desired->break_mode);
}

static void add_bound(yyjson_mut_doc *doc, yyjson_mut_val *row, const struct bound_breakpoint *bound)
{
    json_add_string(doc, row, "message", bound->message);
    if (bound->has_id)
        json_add_int(doc, row, "id", bound->id);
    if (bound->has_line)
        json_add_int(doc, row, "bound_line", bound->line);
    if (bound->column > 0)
        json_add_int(doc, row, "bound_column", bound->column);
    json_add_string(doc, row, "bound_path", bound->source_path);
}

static void add_counts(yyjson_mut_doc *doc, yyjson_mut_val *row, const struct session *session,
                       const struct desired_breakpoint *desired, const struct breakpoint_counts *counts)
{
    static const char *const names[] = { "condition", "hit_condition", "log_message", "function" };
    unsigned parts = session_breakpoint_emulated(session, desired);
    json_add_int(doc, row, "stops", (int64_t)counts->stops);
    if (parts == 0)
        return;
    yyjson_mut_val *list = yyjson_mut_arr(doc);
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if ((parts & 1u << i) != 0)
            yyjson_mut_arr_append(list, json_new_string(doc, names[i], strlen(names[i])));
    json_add_value(doc, row, "emulated", list);
    if ((parts & ~(unsigned)EMULATED_FUNCTION) == 0)
        return;
    json_add_int(doc, row, "arrivals", (int64_t)counts->arrivals);
    json_add_int(doc, row, "logs", (int64_t)counts->logs);
}

yyjson_mut_val *breakpoint_value(yyjson_mut_doc *doc, const struct session *session, const struct breakpoint_list *list,
                                 size_t index)
{
    const struct desired_breakpoint *desired = &list->desired[index];
    yyjson_mut_val *row = yyjson_mut_obj(doc);
    json_add_int(doc, row, "number", desired->number);
    json_add_string(doc, row, "kind", breakpoint_kind_name(list->kind));
    json_add_string(doc, row, "state", breakpoint_state_word(session, list, index));
    add_place(doc, row, list, desired);
    add_options(doc, row, desired);
    if (desired->of_launch)
        json_add_bool(doc, row, "of_launch", true);
    if (session_active(session))
        add_bound(doc, row, &list->bound[index]);
    json_add_bool(doc, row, "hit", list->bound[index].hit);
    if (session_active(session))
        add_counts(doc, row, session, desired, &list->bound[index].counts);
    return row;
}

void structured_hits(struct call *call, const struct stop *stop)
{
    yyjson_mut_val *rows = stop->number_count == 0 ? NULL : structured_list(call, "hit_breakpoints");
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = 0; rows != NULL && i < stop->number_count; i++) {
        const struct breakpoint_list *list;
        size_t index;
        if (session_find_breakpoint_number(call_session(call), stop->hit_numbers[i], &list, &index))
            yyjson_mut_arr_append(rows, breakpoint_value(doc, call_session(call), list, index));
    }
}
