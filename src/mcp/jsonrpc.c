#include "mcp/jsonrpc.h"

#include "base/limits.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

/* ---- lines in ---- */

void jsonrpc_lines_init(struct jsonrpc_lines *lines)
{
    *lines = (struct jsonrpc_lines){ 0 };
    buffer_init(&lines->line, LIMIT_MCP_LINE);
}

void jsonrpc_lines_done(struct jsonrpc_lines *lines)
{
    buffer_done(&lines->line);
}

static void line_add(struct jsonrpc_lines *lines, const char *bytes, size_t len, jsonrpc_line_fn on_line, void *user)
{
    if (lines->too_long || buffer_append(&lines->line, bytes, len) == 0)
        return;
    lines->too_long = true;
    buffer_clear(&lines->line);
    on_line(user, NULL, 0);
}

static bool is_blank(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] != ' ' && text[i] != '\t' && text[i] != '\r')
            return false;
    }
    return true;
}

static void line_end(struct jsonrpc_lines *lines, jsonrpc_line_fn on_line, void *user)
{
    bool skipped = lines->too_long;
    lines->too_long = false;
    if (skipped || is_blank(lines->line.data, lines->line.len)) {
        buffer_clear(&lines->line);
        return;
    }
    size_t len = 0;
    char *line = buffer_take(&lines->line, &len);
    on_line(user, line, len - (line[len - 1] == '\r'));
}

void jsonrpc_lines_feed(struct jsonrpc_lines *lines, const char *bytes, size_t len, jsonrpc_line_fn on_line, void *user)
{
    const char *end = bytes + len;
    while (bytes < end) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        line_add(lines, bytes, (size_t)((newline ? newline : end) - bytes), on_line, user);
        if (!newline)
            return;
        line_end(lines, on_line, user);
        bytes = newline + 1;
    }
}

void jsonrpc_lines_end(struct jsonrpc_lines *lines, jsonrpc_line_fn on_line, void *user)
{
    line_end(lines, on_line, user);
}

/* ---- envelopes out ---- */

char *jsonrpc_id(yyjson_val *value)
{
    bool big = yyjson_is_raw(value) && !strpbrk(yyjson_get_raw(value), ".eE"); /* raw: more than 64 bits */
    return yyjson_is_str(value) || yyjson_is_int(value) || big ? json_write_value(value, NULL) : NULL;
}

static yyjson_mut_doc *envelope(const char *id)
{
    yyjson_mut_val *root;
    yyjson_mut_doc *doc = json_new_object(&root);
    yyjson_mut_obj_add_str(doc, root, "jsonrpc", "2.0");
    if (id)
        json_add_value(doc, root, "id", yyjson_mut_rawcpy(doc, id));
    return doc;
}

/* Adds an empty object to the root and returns it. */
static yyjson_mut_val *add_object(yyjson_mut_doc *doc, const char *name)
{
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    json_add_value(doc, yyjson_mut_doc_get_root(doc), name, object);
    return object;
}

yyjson_mut_doc *jsonrpc_result(const char *id, yyjson_mut_val **ret_result)
{
    yyjson_mut_doc *doc = envelope(id);
    *ret_result = add_object(doc, "result");
    return doc;
}

yyjson_mut_doc *jsonrpc_error(const char *id, enum jsonrpc_error code, const char *message, yyjson_mut_val **ret_error)
{
    yyjson_mut_doc *doc = envelope(id);
    *ret_error = add_object(doc, "error");
    json_add_int(doc, *ret_error, "code", code);
    json_add_string(doc, *ret_error, "message", message);
    return doc;
}

yyjson_mut_doc *jsonrpc_notification(const char *method, yyjson_mut_val **ret_params)
{
    yyjson_mut_doc *doc = envelope(NULL);
    json_add_string(doc, yyjson_mut_doc_get_root(doc), "method", method);
    *ret_params = add_object(doc, "params");
    return doc;
}
