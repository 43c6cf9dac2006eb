#include "daemon/message.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "json/json.h"

#include <stdint.h>
#include <string.h>

static const char *const kinds[] = {
    [REQUEST_CALL] = "call", [REQUEST_CANCEL] = "cancel", [REQUEST_STOP] = "stop", [REQUEST_LOOK] = "look", [REQUEST_TIE] = "tie",
};

/* ---- any bytes ---- */

static yyjson_mut_val *put_bytes(yyjson_mut_doc *doc, const char *bytes)
{
    size_t len = strlen(bytes), used = 0;
    AUTO_FREE char *text = xmalloc(2 * len + 1);
    for (size_t i = 0; i < len; i++) {
        unsigned char byte = (unsigned char)bytes[i];
        if (byte >= 0x80)
            text[used++] = (char)(0xc0 | byte >> 6);
        text[used++] = (char)(byte >= 0x80 ? 0x80 | (byte & 0x3f) : byte);
    }
    return yyjson_mut_strncpy(doc, text, used);
}

/* NULL: the value is no such text. */
static char *get_bytes(yyjson_val *value)
{
    if (!yyjson_is_str(value))
        return NULL;
    const unsigned char *text = (const unsigned char *)yyjson_get_str(value);
    size_t len = yyjson_get_len(value), used = 0;
    char *bytes = xmalloc(len + 1);
    for (size_t i = 0; i < len; i++) {
        unsigned byte = text[i];
        if ((byte == 0xc2 || byte == 0xc3) && i + 1 < len)
            byte = (byte & 3u) << 6 | (text[++i] & 0x3fu);
        else if (byte >= 0x80)
            byte = 0;
        if (byte == 0) {
            free(bytes);
            return NULL;
        }
        bytes[used++] = (char)byte;
    }
    bytes[used] = '\0';
    return bytes;
}

static yyjson_mut_doc *new_message(yyjson_mut_val **ret_root)
{
    yyjson_mut_doc *doc = json_new_object(ret_root);
    json_add_int(doc, *ret_root, "protocol", DAEMON_PROTOCOL);
    json_add_string(doc, *ret_root, "version", DAPPLE_VERSION);
    return doc;
}

static void write_line(struct buffer *out, yyjson_mut_doc *doc)
{
    json_write_to(out, doc);
    buffer_addc(out, '\n');
    yyjson_mut_doc_free(doc);
}

/* ---- requests ---- */

static void put_call(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct request *request)
{
    json_add_string(doc, root, "operation", request->operation);
    if (request->arguments != NULL)
        json_add_copy(doc, root, "arguments", request->arguments);
    json_add_bool(doc, root, "structured", request->structured);
    if (request->peeks)
        json_add_bool(doc, root, "peeks", true);
    json_add_value(doc, root, "who", put_bytes(doc, request->who));
    json_add_value(doc, root, "folder", put_bytes(doc, request->folder));
    yyjson_mut_val *list = yyjson_mut_arr(doc);
    for (size_t i = 0; request->environment[i] != NULL; i++)
        yyjson_mut_arr_append(list, put_bytes(doc, request->environment[i]));
    json_add_value(doc, root, "environment", list);
}

void request_write(struct buffer *out, const struct request *request)
{
    yyjson_mut_val *root;
    yyjson_mut_doc *doc = new_message(&root);
    json_add_string(doc, root, "do", kinds[request->kind]);
    if (request->kind == REQUEST_CALL)
        put_call(doc, root, request);
    if (request->kind == REQUEST_TIE)
        json_add_string(doc, root, "session", request->session);
    write_line(out, doc);
}

static bool read_kind(yyjson_val *root, enum request_kind *ret)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        if (yyjson_equals_str(yyjson_obj_get(root, "do"), kinds[i])) {
            *ret = (enum request_kind)i;
            return true;
        }
    }
    return false;
}

static char **read_environment(yyjson_val *list)
{
    if (!yyjson_is_arr(list))
        return NULL;
    char **environment = xcalloc(yyjson_arr_size(list) + 1, sizeof(*environment));
    size_t index, count, used = 0;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, count, item) {
        environment[used] = get_bytes(item);
        used += environment[used] != NULL;
    }
    return environment;
}

static bool read_call(struct request *request, yyjson_val *root)
{
    request->operation = json_string(root, "operation");
    request->arguments = json_object(root, "arguments");
    request->structured = json_bool(root, "structured", false);
    request->peeks = json_bool(root, "peeks", false);
    request->who = get_bytes(yyjson_obj_get(root, "who"));
    request->folder = get_bytes(yyjson_obj_get(root, "folder"));
    request->environment = read_environment(yyjson_obj_get(root, "environment"));
    return request->operation != NULL && request->who != NULL && request->folder != NULL && request->folder[0] == '/' &&
           request->environment != NULL;
}

static bool same_version(yyjson_val *root)
{
    return json_int_or(root, "protocol", 0) == DAEMON_PROTOCOL &&
           yyjson_equals_str(yyjson_obj_get(root, "version"), DAPPLE_VERSION);
}

int request_read(struct request *ret, const struct json *json, struct error *ret_error)
{
    *ret = (struct request){ 0 };
    yyjson_val *root = json->root;
    if (!yyjson_is_obj(root) || yyjson_obj_get(root, "protocol") == NULL)
        return error_set(ret_error, ERROR_PROTOCOL,
                         "this is the socket of the Dapple daemon, which speaks its own protocol; use the command dapple");
    bool known = read_kind(root, &ret->kind);
    if (known && ret->kind == REQUEST_STOP)
        return 0;
    if (!same_version(root)) {
        const char *version = json_string(root, "version");
        return error_set(ret_error, ERROR_PROTOCOL,
                         "the daemon that runs is dapple " DAPPLE_VERSION
                         " (protocol %d), and this client is dapple %.40s (protocol %lld)",
                         DAEMON_PROTOCOL, version == NULL ? "?" : version, (long long)json_int_or(root, "protocol", 0));
    }
    ret->session = json_string(root, "session");
    bool complete = ret->kind == REQUEST_CALL ? read_call(ret, root) : ret->kind != REQUEST_TIE || ret->session != NULL;
    if (known && complete)
        return 0;
    request_done(ret);
    return error_set(ret_error, ERROR_PROTOCOL, "a message of protocol %d that is not complete", DAEMON_PROTOCOL);
}

void request_done(struct request *request)
{
    for (size_t i = 0; request->environment != NULL && request->environment[i] != NULL; i++)
        free(request->environment[i]);
    free(request->environment);
    free(request->folder);
    free(request->who);
    *request = (struct request){ 0 };
}

/* ---- answers ---- */

void answer_write(struct buffer *out, const struct answer *answer)
{
    yyjson_mut_val *root;
    yyjson_mut_doc *doc = new_message(&root);
    json_add_text(doc, root, "text", answer->text, answer->text_len);
    json_add_bool(doc, root, "failed", answer->failed);
    if (answer->partial)
        json_add_bool(doc, root, "partial", true);
    if (answer->failed)
        json_add_int(doc, root, "kind", answer->kind);
    json_add_string(doc, root, "notice", answer->notice);
    json_add_string(doc, root, "structured", answer->structured);
    write_line(out, doc);
}

void answer_write_doing(struct buffer *out, const char *doing)
{
    yyjson_mut_val *root;
    yyjson_mut_doc *doc = new_message(&root);
    json_add_string(doc, root, "doing", doing);
    write_line(out, doc);
}

int answer_read(struct answer *ret, const struct json *json, struct error *ret_error)
{
    yyjson_val *root = json->root;
    *ret = (struct answer){ .doing = json_string(root, "doing") };
    if (ret->doing != NULL)
        return 0;
    ret->is_result = true;
    ret->text = json_text(root, "text", &ret->text_len);
    ret->failed = json_bool(root, "failed", true);
    ret->partial = json_bool(root, "partial", false);
    ret->kind = (enum error_kind)json_int_or(root, "kind", ERROR_NONE);
    ret->notice = json_string(root, "notice");
    ret->structured = json_string(root, "structured");
    return ret->text != NULL ? 0 : error_set(ret_error, ERROR_PROTOCOL, "the daemon's answer has no text");
}
