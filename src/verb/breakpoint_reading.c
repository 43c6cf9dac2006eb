#include "verb/breakpoint_reading.h"

#include "verb/breakpoint_match.h"
#include "verb/internal.h"

static char *text_or_null(yyjson_val *item, const char *name)
{
    const char *text = json_string(item, name);
    return text == NULL || text[0] == '\0' ? NULL : xstrdup(text);
}

void breakpoint_read_options(yyjson_val *item, struct desired_breakpoint *ret)
{
    ret->condition = text_or_null(item, "condition");
    ret->hit_condition = text_or_null(item, "hit_condition");
    ret->log_message = text_or_null(item, "log_message");
    ret->mode = text_or_null(item, "mode");
    ret->disabled = !json_bool(item, "enabled", true);
}

int breakpoint_read_source(struct call *call, yyjson_val *item, const char *at, const char *path, struct desired_breakpoint *ret,
                           struct error *ret_error)
{
    *ret = (struct desired_breakpoint){ .kind = BREAKPOINT_SOURCE, .column = json_int_or(item, "column", 0) };
    const char *match = json_string(item, "match");
    bool has_line = json_int(item, "line", &ret->line);
    if (has_line && match != NULL)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "invalid arguments: %s/match is not allowed together with line; give one of them", at);
    if (!has_line && match == NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: %s/line is required (or match, the text of the line)", at);
    int64_t column = 0;
    if (match != NULL && breakpoint_match_line(path, call->world->project, match, &ret->line, &column, ret_error) < 0)
        return error_prefix(ret_error, "%s", at), -1;
    if (ret->column == 0)
        ret->column = column;
    breakpoint_read_options(item, ret);
    return 0;
}

void breakpoint_keep(struct desired_breakpoint *list, size_t *count)
{
    for (size_t i = 0; i < *count; i++) {
        if (!desired_breakpoint_same(&list[i], &list[*count]))
            continue;
        struct desired_breakpoint *again = xcalloc(1, sizeof(*again));
        *again = list[*count];
        desired_breakpoints_free(again, 1);
        list[*count] = (struct desired_breakpoint){ 0 };
        return;
    }
    (*count)++;
}
