/* The requests that read scopes, variables and values; scopes and variables out of the adapter's answers, cut to a page on our side too: many adapters ignore start and count. */
#include "verb/internal.h"

#include <string.h>
#include <strings.h>

yyjson_mut_doc *scopes_arguments(int64_t adapter_frame)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_int(doc, arguments, "frameId", adapter_frame);
    return doc;
}

yyjson_mut_doc *variables_arguments(int64_t adapter_reference, yyjson_mut_val **ret_arguments)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_int(doc, arguments, "variablesReference", adapter_reference);
    if (ret_arguments != NULL)
        *ret_arguments = arguments;
    return doc;
}

yyjson_mut_doc *evaluate_arguments(const char *expression, int64_t adapter_frame)
{
    return evaluate_arguments_in(expression, adapter_frame, "watch");
}

yyjson_mut_doc *evaluate_arguments_in(const char *expression, int64_t adapter_frame, const char *context)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_string(doc, arguments, "expression", expression);
    json_add_int(doc, arguments, "frameId", adapter_frame);
    json_add_string(doc, arguments, "context", context);
    return doc;
}

void add_value_format(yyjson_mut_doc *doc, yyjson_mut_val *arguments, bool hex)
{
    if (!hex)
        return;
    yyjson_mut_val *format = yyjson_mut_obj(doc);
    json_add_bool(doc, format, "hex", true);
    json_add_value(doc, arguments, "format", format);
}

yyjson_mut_doc *source_arguments(const char *path, int64_t reference)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    yyjson_mut_val *source = yyjson_mut_obj(doc);
    json_add_string(doc, source, "path", path);
    if (reference > 0)
        json_add_int(doc, source, "sourceReference", reference);
    json_add_value(doc, arguments, "source", source);
    json_add_int(doc, arguments, "sourceReference", reference);
    return doc;
}

void variable_give_handles(struct session *session, struct variable *variable)
{
    variable->handle = session_value_handle(session, variable->adapter_reference, variable->named, variable->indexed);
    variable->value_location_handle = session_location_handle(session, variable->value_location);
}

/* Two passes in the adapter's order: real variables, then the groups that it made up. */
static size_t read_pass(yyjson_val *list, bool groups, size_t at, size_t start, size_t count, struct variable *variables,
                        size_t *held)
{
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        if (*held == count && !groups)
            return at; /* the page is full; what follows needs no look */
        struct variable variable;
        variable_read(item, &variable);
        bool wanted = variable.group == groups;
        if (wanted && at++ >= start && *held < count)
            variables[(*held)++] = variable;
        else
            variable_done(&variable);
    }
    return at;
}

struct variable *read_variables(struct session *session, yyjson_val *body, size_t start, size_t count, size_t *ret_count,
                                size_t *ret_total)
{
    yyjson_val *list = json_array(body, "variables");
    size_t total = yyjson_arr_size(list);
    size_t room = start >= total ? 0 : total - start < count ? total - start : count;
    struct variable *variables = xcalloc(room + 1, sizeof(*variables));
    size_t held = 0;
    size_t at = read_pass(list, false, 0, start, room, variables, &held);
    if (held < room)
        read_pass(list, true, at, start, room, variables, &held);
    for (size_t i = 0; i < held; i++)
        variable_give_handles(session, &variables[i]);
    *ret_count = held;
    *ret_total = total;
    return variables;
}

char *statement_failure(const struct dap_answer *answer)
{
    AUTO_FREE char *text = session_answer_text(answer);
    for (size_t len = strlen(text); len > 0 && text[len - 1] == '\n'; len--)
        text[len - 1] = '\0';
    const char *last = strrchr(text, '\n');
    return last == NULL ? xstrdup(text) : xasprintf("evaluate request failed: %s", last + 1);
}

uint64_t read_true_length(yyjson_val *body)
{
    yyjson_val *list = json_array(body, "variables");
    bool cut = false;
    uint64_t length = 0;
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        const char *name = json_string(item, "name"), *value = json_string(item, "value");
        const char *type = json_string(item, "type");
        cut = cut || (name != NULL && strncmp(name, "Unable to handle", 16) == 0) ||
              (type != NULL && strncmp(type, "MoreItems", 9) == 0);
        if (name != NULL && value != NULL && strcmp(name, "len()") == 0)
            length = strtoull(value, NULL, 10);
    }
    return cut && length > yyjson_arr_size(list) ? length : 0;
}

struct variable *read_all_variables(yyjson_val *body, size_t *ret_count)
{
    *ret_count = 0;
    yyjson_val *list = json_array(body, "variables");
    struct variable *variables = xcalloc(yyjson_arr_size(list) + 1, sizeof(*variables));
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        if (index >= LIMIT_VARIABLES_READ)
            break;
        variable_read(item, &variables[index]);
        *ret_count = index + 1;
    }
    return variables;
}

struct scope *read_scopes(struct session *session, yyjson_val *body, size_t *ret_count)
{
    yyjson_val *list = json_array(body, "scopes");
    struct scope *scopes = xcalloc(yyjson_arr_size(list) + 1, sizeof(*scopes));
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        scope_read(item, &scopes[index]);
        if (session_quirk(session, QUIRK_MODULES_EXPENSIVE) && strcmp(scopes[index].name, "Module") == 0)
            scopes[index].expensive = false;
        scopes[index].handle =
            session_value_handle(session, scopes[index].adapter_reference, scopes[index].named, scopes[index].indexed);
    }
    *ret_count = yyjson_arr_size(list);
    return scopes;
}

/* Registers and globals are listed, not expanded: they cost much and say little about a line, and to read those of Ruby changes the
 * program ($FILENAME takes the first argument out of ARGV). */
bool scope_is_cheap(const struct scope *scope)
{
    static const char *const costly[] = { "registers", "globals", "global", "global variables", "statics", "static" };
    if (scope->expensive || scope->adapter_reference <= 0)
        return false;
    if (scope->hint != NULL && strcmp(scope->hint, "registers") == 0)
        return false;
    for (size_t i = 0; i < COUNT_OF(costly); i++)
        if (strcasecmp(scope->name, costly[i]) == 0)
            return false;
    return true;
}

size_t read_choices(yyjson_val *body, struct choice *ret, size_t most)
{
    size_t held = 0, index, count;
    yyjson_val *item;
    yyjson_arr_foreach(json_array(body, "targets"), index, count, item) {
        const char *label = json_string(item, "label");
        int64_t id;
        if (held == most || !json_int(item, "id", &id))
            continue;
        ret[held++] = (struct choice){
            .label = label == NULL ? "" : label,
            .adapter_id = id,
            .line = json_int_or(item, "line", 0),
            .column = json_int_or(item, "column", 0),
        };
    }
    return held;
}
