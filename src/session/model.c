#include "session/model.h"

#include "base/base64.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void read_text(yyjson_val *object, const char *key, bool always, struct adapter_text *ret)
{
    size_t len = 0;
    const char *text = json_text(object, key, &len);
    if (text == NULL && !always) {
        *ret = (struct adapter_text){ 0 };
        return;
    }
    ret->data = xstrndup(text == NULL ? "" : text, len);
    ret->len = len;
}

/* Some adapters answer with file: URIs although paths were asked for. */
char *path_of_uri(const char *path)
{
    if (strncmp(path, "file://", 7) != 0)
        return xstrdup(path);
    const char *from = path + 7;
    if (*from != '/') {
        from = strchr(from, '/'); /* a host name before the path */
        if (from == NULL)
            return xstrdup(path);
    }
    char *decoded = xmalloc(strlen(from) + 1);
    char *to = decoded;
    while (*from != '\0') {
        int high = *from == '%' ? hex_digit(from[1]) : -1;
        int low = high >= 0 ? hex_digit(from[2]) : -1;
        if (low >= 0) {
            *to++ = (char)(high * 16 + low);
            from += 3;
        } else {
            *to++ = *from++;
        }
    }
    *to = '\0';
    return decoded;
}

static char *read_path(const char *path)
{
    return path == NULL || path[0] == '\0' ? NULL : path_of_uri(path);
}

void frame_read(yyjson_val *object, struct frame *ret)
{
    yyjson_val *source = json_object(object, "source");
    const char *name = json_string(object, "name");
    *ret = (struct frame){
        .adapter_id = json_int_or(object, "id", 0),
        .name = xstrdup(name == NULL ? "" : name),
        .source_name = xstrdup(json_string(source, "name")),
        .source_path = read_path(json_string(source, "path")),
        .source_reference = json_int_or(source, "sourceReference", 0),
        .line = json_int_or(object, "line", 0),
        .column = json_int_or(object, "column", 0),
        .hint = xstrdup(json_string(object, "presentationHint")),
        .source_hint = xstrdup(json_string(source, "presentationHint")),
        .cannot_restart = !json_bool(object, "canRestart", true),
        .instruction = xstrdup(json_string(object, "instructionPointerReference")),
    };
}

bool threads_list(yyjson_val *threads, int64_t adapter_thread)
{
    size_t index, most;
    yyjson_val *item;
    int64_t id;
    yyjson_arr_foreach(threads, index, most, item) {
        if (json_int(item, "id", &id) && id == adapter_thread)
            return true;
    }
    return false;
}

struct frame frame_copy(const struct frame *frame)
{
    struct frame copy = *frame;
    copy.name = xstrdup(frame->name);
    copy.source_name = xstrdup(frame->source_name);
    copy.source_path = xstrdup(frame->source_path);
    copy.hint = xstrdup(frame->hint);
    copy.source_hint = xstrdup(frame->source_hint);
    copy.instruction = xstrdup(frame->instruction);
    return copy;
}

void frame_done(struct frame *frame)
{
    free(frame->name);
    free(frame->source_name);
    free(frame->source_path);
    free(frame->hint);
    free(frame->source_hint);
    free(frame->instruction);
    *frame = (struct frame){ 0 };
}

void frames_free(struct frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++)
        frame_done(&frames[i]);
    free(frames);
}

/* Nodes that adapters make up to group real variables. */
static bool is_group(const char *name, yyjson_val *hint)
{
    static const char *const names[] = { "special variables",   "function variables", "class variables",
                                         "protected variables", "private variables",  "[Raw]",
                                         "Static members" };
    const char *kind = json_string(hint, "kind");
    if (kind != NULL && strcmp(kind, "virtual") == 0)
        return true;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

void variable_read(yyjson_val *object, struct variable *ret)
{
    yyjson_val *hint = json_object(object, "presentationHint");
    *ret = (struct variable){
        .evaluate_name = xstrdup(json_string(object, "evaluateName")),
        .adapter_reference = json_int_or(object, "variablesReference", 0),
        .named = json_int_or(object, "namedVariables", -1),
        .indexed = json_int_or(object, "indexedVariables", -1),
        .lazy = json_bool(hint, "lazy", false),
        .memory_reference = xstrdup(json_string(object, "memoryReference")),
        .value_location = json_int_or(object, "valueLocationReference", 0),
        .declaration_location = json_int_or(object, "declarationLocationReference", 0),
    };
    read_text(object, "name", true, &ret->name);
    read_text(object, "value", true, &ret->value);
    read_text(object, "type", false, &ret->type);
    bool of_getter = ret->lazy && ret->type.data != NULL && strcmp(ret->type.data, "function") == 0; /* and not of its value */
    if (ret->type.len == 0 || of_getter) {
        ret->type.len = 0;
        free(ret->type.data);
        ret->type.data = NULL;
    }
    ret->group = is_group(ret->name.data, hint);
}

/* An answer to `evaluate` is a variable without a name. */
void evaluation_read(yyjson_val *body, struct variable *ret)
{
    *ret = (struct variable){
        .adapter_reference = json_int_or(body, "variablesReference", 0),
        .named = json_int_or(body, "namedVariables", -1),
        .indexed = json_int_or(body, "indexedVariables", -1),
        .memory_reference = xstrdup(json_string(body, "memoryReference")),
        .value_location = json_int_or(body, "valueLocationReference", 0),
    };
    read_text(body, "result", true, &ret->value);
    read_text(body, "type", false, &ret->type);
}

void variable_done(struct variable *variable)
{
    free(variable->name.data);
    free(variable->value.data);
    free(variable->type.data);
    free(variable->memory_reference);
    free(variable->evaluate_name);
    *variable = (struct variable){ 0 };
}

void variables_free(struct variable *variables, size_t count)
{
    for (size_t i = 0; i < count; i++)
        variable_done(&variables[i]);
    free(variables);
}

void scope_read(yyjson_val *object, struct scope *ret)
{
    const char *name = json_string(object, "name");
    *ret = (struct scope){
        .name = xstrdup(name == NULL ? "" : name),
        .hint = xstrdup(json_string(object, "presentationHint")),
        .adapter_reference = json_int_or(object, "variablesReference", 0),
        .named = json_int_or(object, "namedVariables", -1),
        .indexed = json_int_or(object, "indexedVariables", -1),
        .line = json_int_or(object, "line", 0),
        .end_line = json_int_or(object, "endLine", 0),
        .expensive = json_bool(object, "expensive", false),
    };
}

void scope_done(struct scope *scope)
{
    free(scope->name);
    free(scope->hint);
    free(scope->failure);
    variables_free(scope->variables, scope->count);
    *scope = (struct scope){ 0 };
}

void scopes_free(struct scope *scopes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        scope_done(&scopes[i]);
    free(scopes);
}

char *exception_name(const char *told)
{
    static const char note[] = "(note: ";
    const char *at = told == NULL ? NULL : strstr(told, note);
    if (at == NULL)
        return xstrdup(told);
    while (at > told && (at[-1] == ' ' || at[-1] == '\n'))
        at--;
    return at == told ? xstrdup(told) : xstrndup(told, (size_t)(at - told));
}

void exception_info_read(yyjson_val *body, struct exception_info *ret)
{
    yyjson_val *details = json_object(body, "details");
    const char *id = json_string(body, "exceptionId");
    const char *type = json_string(details, "fullTypeName");
    if (type == NULL)
        type = json_string(details, "typeName");
    *ret = (struct exception_info){
        .id = exception_name(id == NULL ? "" : id),
        .description = xstrdup(json_string(body, "description")),
        .break_mode = xstrdup(json_string(body, "breakMode")),
        .type_name = exception_name(type),
        .message = xstrdup(json_string(details, "message")),
        .stack_trace = xstrdup(json_string(details, "stackTrace")),
    };
}

void exception_info_done(struct exception_info *info)
{
    free(info->id);
    free(info->description);
    free(info->break_mode);
    free(info->type_name);
    free(info->message);
    free(info->stack_trace);
    *info = (struct exception_info){ 0 };
}

const char *breakpoint_kind_name(enum breakpoint_kind kind)
{
    static const char *const names[BREAKPOINT_KINDS] = { "source", "function", "data", "instruction", "exception" };
    return names[kind];
}

char *breakpoint_place(const char *path, const struct desired_breakpoint *breakpoint)
{
    const char *kind = breakpoint_kind_name(breakpoint->kind);
    switch (breakpoint->kind) {
    case BREAKPOINT_SOURCE:
        if (breakpoint->column > 0)
            return xasprintf("%s:%" PRId64 ":%" PRId64, path, breakpoint->line, breakpoint->column);
        return xasprintf("%s:%" PRId64, path, breakpoint->line);
    case BREAKPOINT_DATA:
        if (breakpoint->access_type != NULL)
            return xasprintf("%s %s (%s)", kind, breakpoint->name, breakpoint->access_type);
        break;
    case BREAKPOINT_INSTRUCTION:
        if (breakpoint->offset != 0)
            return xasprintf("%s %s %c %" PRIu64, kind, breakpoint->name, breakpoint->offset < 0 ? '-' : '+',
                             breakpoint->offset < 0 ? 0 - (uint64_t)breakpoint->offset : (uint64_t)breakpoint->offset);
        break;
    case BREAKPOINT_EXCEPTION:
        if (breakpoint->break_mode != NULL)
            return xasprintf("%s %s (%s)", kind, breakpoint->name, breakpoint->break_mode);
        break;
    case BREAKPOINT_FUNCTION:
        break;
    }
    return xasprintf("%s %s", kind, breakpoint->name);
}

char *emulated_parts(unsigned parts)
{
    static const char *const names[] = { "condition", "hit condition", "log message", "function" };
    char *words = NULL;
    for (size_t i = COUNT_OF(names); i-- > 0;) {
        if ((parts & 1u << i) == 0)
            continue;
        const char *joint = words == NULL ? "" : strstr(words, " and ") == NULL ? " and " : ", ";
        char *longer = xasprintf("%s%s%s", names[i], joint, words == NULL ? "" : words);
        free(words);
        words = longer;
    }
    return words;
}

struct desired_breakpoint desired_breakpoint_copy(const struct desired_breakpoint *breakpoint)
{
    struct desired_breakpoint copy = *breakpoint;
    copy.condition = xstrdup(breakpoint->condition);
    copy.hit_condition = xstrdup(breakpoint->hit_condition);
    copy.log_message = xstrdup(breakpoint->log_message);
    copy.mode = xstrdup(breakpoint->mode);
    copy.name = xstrdup(breakpoint->name);
    copy.data_id = xstrdup(breakpoint->data_id);
    copy.description = xstrdup(breakpoint->description);
    copy.access_type = xstrdup(breakpoint->access_type);
    copy.break_mode = xstrdup(breakpoint->break_mode);
    copy.place_path = xstrdup(breakpoint->place_path);
    copy.place_failure = xstrdup(breakpoint->place_failure);
    return copy;
}

struct desired_breakpoint *desired_breakpoints_copy(const struct desired_breakpoint *list, size_t count)
{
    struct desired_breakpoint *copy = xcalloc(count + 1, sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = desired_breakpoint_copy(&list[i]);
    return copy;
}

bool desired_breakpoint_same_place(const struct desired_breakpoint *a, const struct desired_breakpoint *b)
{
    return a->kind == b->kind && a->line == b->line && a->column == b->column && a->offset == b->offset &&
           same_text(a->name, b->name) && same_text(a->data_id, b->data_id);
}

bool desired_breakpoint_same(const struct desired_breakpoint *a, const struct desired_breakpoint *b)
{
    return desired_breakpoint_same_place(a, b) && a->disabled == b->disabled && same_text(a->condition, b->condition) &&
           same_text(a->hit_condition, b->hit_condition) && same_text(a->log_message, b->log_message) &&
           same_text(a->mode, b->mode) && same_text(a->access_type, b->access_type) && same_text(a->break_mode, b->break_mode);
}

void desired_breakpoints_free(struct desired_breakpoint *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].condition);
        free(list[i].hit_condition);
        free(list[i].log_message);
        free(list[i].mode);
        free(list[i].name);
        free(list[i].data_id);
        free(list[i].description);
        free(list[i].access_type);
        free(list[i].break_mode);
        free(list[i].place_path);
        free(list[i].place_failure);
    }
    free(list);
}

void bound_breakpoint_read(yyjson_val *object, struct bound_breakpoint *ret)
{
    yyjson_val *source = json_object(object, "source");
    const char *reason = json_string(object, "reason");
    const char *message = json_string(object, "message");
    *ret = (struct bound_breakpoint){
        .state = BREAKPOINT_PENDING,
        .column = json_int_or(object, "column", 0),
        .message = message == NULL || message[0] == '\0' ? NULL : xstrdup(message),
        .source_name = xstrdup(json_string(source, "name")),
        .source_path = read_path(json_string(source, "path")),
    };
    ret->has_id = json_int(object, "id", &ret->id);
    ret->has_line = json_int(object, "line", &ret->line);
    if (json_bool(object, "verified", false))
        ret->state = BREAKPOINT_BOUND;
    else if (reason != NULL && strcmp(reason, "failed") == 0)
        ret->state = BREAKPOINT_FAILED;
}

void bound_breakpoint_done(struct bound_breakpoint *breakpoint)
{
    free(breakpoint->message);
    free(breakpoint->source_name);
    free(breakpoint->source_path);
    *breakpoint = (struct bound_breakpoint){ 0 };
}
