#include "mcp/protocol.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "mcp/jsonrpc.h"
#include "verb/single.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_CLIENT "io.modelcontextprotocol/clientInfo"
#define META_SERVER "io.modelcontextprotocol/serverInfo"
#define META_SUBSCRIPTION "io.modelcontextprotocol/subscriptionId"

#define PROGRESS_INTERVAL 1000u /* milliseconds */
#define LIST_TTL 3600000        /* milliseconds; the tool list never changes while we run */

static const char modern_version[] = "2026-07-28";
static const char *const legacy_versions[] = { "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05" }; /* newest first */
static const char first_without_batches[] = "2025-06-18";

/* Clients, by clientInfo.name, that show a model the text also when there is structured content, and give the structure to scripts. */
static const char *const text_showing_clients[] = {
    "pi", /* Pi 1.x: shows `content`; scripts and extensions get the whole result */
};

/* Where the answers to the requests of one array are collected. */
struct batch {
    struct buffer answers; /* JSON texts, separated by commas */
    size_t waiting;        /* calls that have not ended, and 1 while the array is being read */
};

/* One message with an id, while it is handled. */
struct request {
    struct protocol *protocol;
    uint64_t now;
    const char *id; /* JSON text */
    yyjson_val *params;
    bool modern;
    struct batch *batch; /* NULL: it came alone */
};

/* A tool call without an answer. */
struct pending {
    struct protocol *protocol;
    struct pending *next;
    char *id;
    char *token; /* of progress; NULL: not wanted */
    struct call *call;
    struct batch *batch;
    const char *tool;
    bool modern, structured;
    bool cancelled; /* nothing more is sent for it */
    uint64_t started, next_note;
    int64_t progress; /* of the last note */
};

struct protocol {
    const struct protocol_ops *ops;
    void *host;
    enum structured_mode mode;
    enum tool_set tools;
    const char *legacy_version; /* negotiated; NULL before `initialize` */
    bool client_shows_text;
    bool closed;
    struct pending *pending;
    size_t pending_count;
};

struct protocol *protocol_new(const struct protocol_ops *ops, void *host, enum structured_mode mode, enum tool_set tools)
{
    struct protocol *protocol = xcalloc(1, sizeof(*protocol));
    protocol->ops = ops;
    protocol->host = host;
    protocol->mode = mode;
    protocol->tools = tools;
    return protocol;
}

void protocol_close(struct protocol *protocol)
{
    protocol->closed = true;
}

/* ---- sending ---- */

static void send_text(struct protocol *protocol, const char *text, size_t len)
{
    if (protocol->closed)
        return;
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, len + 1);
    buffer_append(&line, text, len);
    buffer_addc(&line, '\n');
    protocol->ops->send(protocol->host, line.data, line.len);
}

/* Sends a message, or keeps it for the answer to its batch. Frees the document. */
static void deliver(struct protocol *protocol, struct batch *batch, yyjson_mut_doc *message)
{
    size_t len = 0;
    AUTO_FREE char *text = json_write(message, &len);
    yyjson_mut_doc_free(message);
    if (!batch) {
        send_text(protocol, text, len);
        return;
    }
    if (batch->answers.len > 0)
        buffer_addc(&batch->answers, ',');
    buffer_append(&batch->answers, text, len);
}

/* One of the batch's is done; the last one sends the array, or nothing when there is no answer in it. */
static void batch_release(struct protocol *protocol, struct batch *batch)
{
    if (!batch || --batch->waiting > 0)
        return;
    if (batch->answers.len > 0) {
        AUTO_FREE char *text = xasprintf("[%s]", batch->answers.data);
        send_text(protocol, text, strlen(text));
    }
    buffer_done(&batch->answers);
    free(batch);
}

static void send_error(struct protocol *protocol, struct batch *batch, const char *id, enum jsonrpc_error code, const char *message)
{
    yyjson_mut_val *error = NULL;
    deliver(protocol, batch, jsonrpc_error(id, code, message, &error));
}

static void refuse(struct request *request, enum jsonrpc_error code, const char *message)
{
    send_error(request->protocol, request->batch, request->id, code, message);
}

/* "unknown tool: x", with a name that came from outside. */
static void refuse_name(struct request *request, enum jsonrpc_error code, const char *message, const char *name)
{
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, 1024);
    buffer_add(&text, message);
    utf8_one_line(&text, name, strlen(name), 100);
    refuse(request, code, text.data);
}

static yyjson_mut_val *new_object(yyjson_mut_doc *doc, yyjson_mut_val *parent, const char *name)
{
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    json_add_value(doc, parent, name, object);
    return object;
}

static void add_server_info(yyjson_mut_doc *doc, yyjson_mut_val *parent, const char *name)
{
    yyjson_mut_val *info = new_object(doc, parent, name);
    json_add_string(doc, info, "name", "dapple");
    json_add_string(doc, info, "title", "Dapple debugger");
    json_add_string(doc, info, "version", DAPPLE_VERSION);
}

/* What each modern result carries. */
static yyjson_mut_doc *begin_result(const char *id, bool modern, yyjson_mut_val **ret_result)
{
    yyjson_mut_doc *doc = jsonrpc_result(id, ret_result);
    if (modern) {
        json_add_string(doc, *ret_result, "resultType", "complete");
        add_server_info(doc, new_object(doc, *ret_result, "_meta"), META_SERVER);
    }
    return doc;
}

static void add_caching(yyjson_mut_doc *doc, yyjson_mut_val *result)
{
    json_add_int(doc, result, "ttlMs", LIST_TTL);
    json_add_string(doc, result, "cacheScope", "private");
}

/* No listChanged: the list is the same as long as we run. */
static void add_introduction(yyjson_mut_doc *doc, yyjson_mut_val *result, enum tool_set tools)
{
    new_object(doc, new_object(doc, result, "capabilities"), "tools");
    json_add_string(doc, result, "instructions", verb_instructions(tools));
}

static bool wants_structured(const struct protocol *protocol, bool modern)
{
    if (protocol->mode == STRUCTURED_AUTO)
        return !modern && protocol->client_shows_text;
    return protocol->mode == STRUCTURED_ON;
}

/* ---- tool calls ---- */

static void pending_free(struct pending *pending)
{
    free(pending->id);
    free(pending->token);
    free(pending);
}

static void pending_remove(struct pending *pending)
{
    struct pending **link = &pending->protocol->pending;
    while (*link != pending)
        link = &(*link)->next;
    *link = pending->next;
    pending->protocol->pending_count--;
    pending_free(pending);
}

void protocol_free(struct protocol *protocol)
{
    if (!protocol)
        return;
    protocol->closed = true;
    while (protocol->pending) {
        struct batch *batch = protocol->pending->batch;
        pending_remove(protocol->pending);
        batch_release(protocol, batch);
    }
    free(protocol);
}

static void add_content(yyjson_mut_doc *doc, yyjson_mut_val *result, const char *text, size_t len, bool is_error)
{
    yyjson_mut_val *content = yyjson_mut_arr(doc);
    json_add_value(doc, result, "content", content);
    yyjson_mut_val *block = yyjson_mut_arr_add_obj(doc, content);
    json_add_string(doc, block, "type", "text");
    json_add_text(doc, block, "text", text, len);
    if (is_error)
        json_add_bool(doc, result, "isError", true);
}

static void answer_call(struct pending *pending, struct result *result)
{
    yyjson_mut_val *object = NULL;
    yyjson_mut_doc *doc = begin_result(pending->id, pending->modern, &object);
    add_content(doc, object, result->text.data, result->text.len, result->is_error);
    yyjson_mut_val *structured = pending->structured ? yyjson_mut_doc_get_root(result->structured) : NULL;
    if (structured)
        json_add_value(doc, object, "structuredContent", yyjson_mut_val_mut_copy(doc, structured));
    deliver(pending->protocol, pending->batch, doc);
}

static void on_call_done(void *user, struct result *result)
{
    struct pending *pending = user;
    struct protocol *protocol = pending->protocol;
    struct batch *batch = pending->batch;
    if (!pending->cancelled)
        answer_call(pending, result);
    pending_remove(pending);
    batch_release(protocol, batch);
}

static struct pending *pending_add(struct request *request, const struct verb *verb)
{
    struct protocol *protocol = request->protocol;
    struct pending *pending = xcalloc(1, sizeof(*pending));
    pending->protocol = protocol;
    pending->id = xstrdup(request->id);
    pending->tool = verb->tool;
    pending->modern = request->modern;
    pending->structured = wants_structured(protocol, request->modern);
    pending->started = request->now;
    pending->next_note = request->now + PROGRESS_INTERVAL;
    if (verb->progress)
        pending->token = jsonrpc_id(json_member(json_object(request->params, "_meta"), "progressToken"));
    pending->batch = request->batch;
    if (pending->batch)
        pending->batch->waiting++;
    pending->next = protocol->pending;
    protocol->pending = pending;
    protocol->pending_count++;
    return pending;
}

/* A result that says why there was no call. */
static void answer_mistake(struct request *request, const char *text)
{
    yyjson_mut_val *result = NULL;
    yyjson_mut_doc *doc = begin_result(request->id, request->modern, &result);
    add_content(doc, result, text, strlen(text), true);
    deliver(request->protocol, request->batch, doc);
}

static void start_call(struct request *request, const struct verb *verb, yyjson_val *arguments)
{
    struct protocol *protocol = request->protocol;
    if (protocol->pending_count >= LIMIT_MCP_IN_FLIGHT) {
        answer_mistake(request, "too many calls are waiting; wait for some of them to end, or cancel them");
        return;
    }
    struct pending *pending = pending_add(request, verb);
    struct call *call = protocol->ops->start(protocol->host, verb, arguments, on_call_done, pending);
    if (call)
        pending->call = call; /* else it has ended, and `pending` with it */
}

/* The set of one tool: its argument `action` says which operation is meant. */
static void start_action(struct request *request, yyjson_val *arguments)
{
    const struct verb *verb = NULL;
    yyjson_doc *translated = NULL;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (single_translate(arguments, &verb, &translated, &error) < 0) {
        AUTO_FREE char *text = xasprintf("Dapple: %s\n", error.message);
        answer_mistake(request, text);
        return;
    }
    start_call(request, verb, yyjson_doc_get_root(translated));
    yyjson_doc_free(translated);
}

/* Some languages write an empty object as an empty array. */
static yyjson_val *without_empty_array(yyjson_val *value)
{
    return yyjson_is_arr(value) && yyjson_arr_size(value) == 0 ? NULL : value;
}

/* Hosts that stream a call pass its arguments on as the text that they are of, an empty one when there are none. `text` is what it is
 * parsed into. NULL: none. */
static yyjson_val *read_arguments(const struct request *request, struct json *text)
{
    yyjson_val *given = without_empty_array(json_member(request->params, "arguments"));
    if (!yyjson_is_str(given))
        return given;
    if (yyjson_get_len(given) == 0)
        return NULL;
    bool is_json = json_parse_copy(yyjson_get_str(given), yyjson_get_len(given), text, NULL) == 0;
    return is_json ? text->root : given;
}

static void handle_tools_call(struct request *request)
{
    struct protocol *protocol = request->protocol;
    AUTO_JSON struct json text = { 0 };
    const char *name = json_string(request->params, "name");
    yyjson_val *arguments = read_arguments(request, &text);
    if (!name) {
        refuse(request, JSONRPC_INVALID_PARAMS, "tools/call needs params.name, a string");
        return;
    }
    if (arguments && !yyjson_is_obj(arguments)) {
        refuse(request, JSONRPC_INVALID_PARAMS, "params.arguments must be an object");
        return;
    }
    const struct verb *verb = verb_find_tool(name);
    if (protocol->tools == TOOL_SET_SINGLE && strcmp(name, single_tool) == 0)
        start_action(request, arguments);
    else if (verb)
        start_call(request, verb, arguments);
    else
        refuse_name(request, JSONRPC_INVALID_PARAMS, "unknown tool: ", name);
}

static void handle_cancelled(struct protocol *protocol, yyjson_val *params)
{
    AUTO_FREE char *id = jsonrpc_id(json_member(params, "requestId"));
    if (!id)
        return;
    for (struct pending *pending = protocol->pending; pending; pending = pending->next) {
        if (!pending->cancelled && strcmp(pending->id, id) == 0) {
            pending->cancelled = true;
            protocol->ops->cancel(protocol->host, pending->call); /* may end it at once */
            return;
        }
    }
}

/* ---- progress ---- */

uint64_t protocol_deadline(const struct protocol *protocol)
{
    uint64_t deadline = UINT64_MAX;
    for (const struct pending *pending = protocol->pending; pending; pending = pending->next) {
        if (pending->token && !pending->cancelled && pending->next_note < deadline)
            deadline = pending->next_note;
    }
    return deadline;
}

/* Seconds waited; always more than the last time, as the specification wants it. There is no total: nobody knows when a program stops. */
static void send_progress(struct pending *pending, uint64_t now)
{
    struct protocol *protocol = pending->protocol;
    int64_t seconds = (int64_t)((now - pending->started) / 1000);
    pending->progress = seconds > pending->progress ? seconds : pending->progress + 1;
    const char *doing = protocol->ops->doing(protocol->host, pending->call);
    AUTO_FREE char *message = xasprintf("%s (%lld s)", doing ? doing : pending->tool, (long long)seconds);
    yyjson_mut_val *params = NULL;
    yyjson_mut_doc *doc = jsonrpc_notification("notifications/progress", &params);
    json_add_value(doc, params, "progressToken", yyjson_mut_rawcpy(doc, pending->token));
    json_add_int(doc, params, "progress", pending->progress);
    json_add_string(doc, params, "message", message);
    deliver(protocol, NULL, doc);
}

void protocol_on_time(struct protocol *protocol, uint64_t now)
{
    bool congested = protocol->ops->congested(protocol->host);
    for (struct pending *pending = protocol->pending; pending; pending = pending->next) {
        if (!pending->token || pending->cancelled || now < pending->next_note)
            continue;
        pending->next_note = now + PROGRESS_INTERVAL;
        if (!congested)
            send_progress(pending, now);
    }
}

/* ---- the other requests ---- */

static const char *choose_version(const char *wanted)
{
    for (size_t i = 0; wanted && i < COUNT_OF(legacy_versions); i++) {
        if (strcmp(legacy_versions[i], wanted) == 0)
            return legacy_versions[i];
    }
    return legacy_versions[0]; /* the client leaves when it does not know it */
}

static bool shows_text(const char *client)
{
    for (size_t i = 0; client && i < COUNT_OF(text_showing_clients); i++) {
        if (strcmp(text_showing_clients[i], client) == 0)
            return true;
    }
    return false;
}

static void handle_initialize(struct request *request)
{
    struct protocol *protocol = request->protocol;
    if (request->batch) {
        refuse(request, JSONRPC_INVALID_REQUEST, "initialize must not be part of a batch");
        return;
    }
    protocol->legacy_version = choose_version(json_string(request->params, "protocolVersion"));
    protocol->client_shows_text = shows_text(json_string(json_object(request->params, "clientInfo"), "name"));
    yyjson_mut_val *result = NULL;
    yyjson_mut_doc *doc = begin_result(request->id, false, &result);
    json_add_string(doc, result, "protocolVersion", protocol->legacy_version);
    add_introduction(doc, result, request->protocol->tools);
    add_server_info(doc, result, "serverInfo");
    deliver(protocol, NULL, doc);
}

static void handle_ping(struct request *request)
{
    yyjson_mut_val *result = NULL;
    deliver(request->protocol, request->batch, begin_result(request->id, false, &result));
}

static void handle_discover(struct request *request)
{
    yyjson_mut_val *result = NULL;
    yyjson_mut_doc *doc = begin_result(request->id, true, &result);
    yyjson_mut_val *versions = yyjson_mut_arr(doc);
    yyjson_mut_arr_add_str(doc, versions, modern_version);
    json_add_value(doc, result, "supportedVersions", versions);
    add_introduction(doc, result, request->protocol->tools);
    add_caching(doc, result);
    deliver(request->protocol, request->batch, doc);
}

static void handle_tools_list(struct request *request)
{
    yyjson_val *cursor = json_member(request->params, "cursor");
    if (cursor && !yyjson_equals_str(cursor, "")) { /* we never gave one out; an empty one is what some clients begin with */
        refuse(request, JSONRPC_INVALID_PARAMS, "unknown cursor: the tool list has one page");
        return;
    }
    bool structured = wants_structured(request->protocol, request->modern);
    yyjson_mut_val *result = NULL;
    yyjson_mut_doc *doc = begin_result(request->id, request->modern, &result);
    json_add_value(doc, result, "tools", yyjson_mut_raw(doc, verb_tools(request->protocol->tools, structured)));
    if (request->modern)
        add_caching(doc, result);
    deliver(request->protocol, request->batch, doc);
}

/* There is nothing to subscribe to: acknowledged with an empty filter, then silent until the client cancels or leaves. */
static void handle_listen(struct request *request)
{
    if (!json_object(request->params, "notifications")) {
        refuse(request, JSONRPC_INVALID_PARAMS, "subscriptions/listen needs params.notifications, an object");
        return;
    }
    yyjson_mut_val *params = NULL;
    yyjson_mut_doc *doc = jsonrpc_notification("notifications/subscriptions/acknowledged", &params);
    json_add_value(doc, new_object(doc, params, "_meta"), META_SUBSCRIPTION, yyjson_mut_rawcpy(doc, request->id));
    new_object(doc, params, "notifications");
    deliver(request->protocol, NULL, doc);
}

/* ---- messages in ---- */

static const struct method {
    const char *name;
    bool legacy, modern;
    void (*handle)(struct request *request);
} methods[] = {
    { "initialize", true, false, handle_initialize },    { "ping", true, false, handle_ping },
    { "tools/list", true, true, handle_tools_list },     { "tools/call", true, true, handle_tools_call },
    { "server/discover", false, true, handle_discover }, { "subscriptions/listen", false, true, handle_listen },
};

static const struct method *find_method(const char *name, bool modern)
{
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        if (strcmp(methods[i].name, name) == 0 && (modern ? methods[i].modern : methods[i].legacy))
            return &methods[i];
    }
    return NULL;
}

static void refuse_version(struct request *request, const char *wanted)
{
    yyjson_mut_val *error = NULL;
    yyjson_mut_doc *doc = jsonrpc_error(request->id, MCP_UNSUPPORTED_VERSION, "unsupported protocol version", &error);
    yyjson_mut_val *data = new_object(doc, error, "data");
    yyjson_mut_val *versions = yyjson_mut_arr(doc);
    yyjson_mut_arr_add_str(doc, versions, modern_version);
    json_add_value(doc, data, "supported", versions);
    json_add_string(doc, data, "requested", wanted);
    deliver(request->protocol, request->batch, doc);
}

/* Which era a request belongs to: what it says of itself, never what came before. False: it has been refused. */
static bool find_era(struct request *request, const char *method)
{
    yyjson_val *meta = json_object(request->params, "_meta");
    bool claims =
        yyjson_obj_get(meta, META_VERSION) || yyjson_obj_get(meta, META_CAPABILITIES) || yyjson_obj_get(meta, META_CLIENT);
    if (strcmp(method, "initialize") == 0 || (!claims && strcmp(method, "server/discover") != 0))
        return true;
    const char *version = json_string(meta, META_VERSION);
    if (!version) {
        refuse(request, JSONRPC_INVALID_PARAMS, "params._meta needs " META_VERSION ", a string");
    } else if (strcmp(version, modern_version) != 0) {
        refuse_version(request, version);
    } else if (!json_object(meta, META_CAPABILITIES)) {
        refuse(request, JSONRPC_INVALID_PARAMS, "params._meta needs " META_CAPABILITIES ", an object");
    } else {
        request->modern = true;
        return true;
    }
    return false;
}

static void on_request(struct request *request, const char *name)
{
    if (request->params && !yyjson_is_obj(request->params)) {
        refuse(request, JSONRPC_INVALID_PARAMS, "params must be an object");
        return;
    }
    if (!find_era(request, name))
        return;
    const struct method *method = find_method(name, request->modern);
    if (!method)
        refuse_name(request, JSONRPC_METHOD_NOT_FOUND, "method not found: ", name);
    else if (method->modern && !request->modern && !request->protocol->legacy_version)
        refuse(request, JSONRPC_INVALID_PARAMS, "send initialize first, or give " META_VERSION " in params._meta");
    else
        method->handle(request);
}

static void on_notification(struct protocol *protocol, const char *name, yyjson_val *params)
{
    if (strcmp(name, "notifications/cancelled") == 0)
        handle_cancelled(protocol, params);
}

static void on_message(struct protocol *protocol, uint64_t now, yyjson_val *message, struct batch *batch)
{
    yyjson_val *id_value = yyjson_obj_get(message, "id");
    AUTO_FREE char *id = jsonrpc_id(id_value);
    const char *method = json_string(message, "method");
    bool is_answer = !method && (yyjson_obj_get(message, "result") || yyjson_obj_get(message, "error"));
    if (is_answer) /* we never ask, so it answers nothing of ours; an error to an error would never end */
        return;
    const char *version = json_string(message, "jsonrpc");
    if (!version || strcmp(version, "2.0") != 0 || !method) {
        send_error(protocol, batch, id, JSONRPC_INVALID_REQUEST, "not a JSON-RPC 2.0 message");
    } else if (!id_value) {
        on_notification(protocol, method, json_member(message, "params"));
    } else if (!id) {
        send_error(protocol, batch, NULL, JSONRPC_INVALID_REQUEST, "id must be a string or an integer");
    } else {
        struct request request = { protocol, now, id, without_empty_array(json_member(message, "params")), false, batch };
        on_request(&request, method);
    }
}

/* An array of messages: only where the negotiated version has it. */
static void on_batch(struct protocol *protocol, uint64_t now, yyjson_val *messages)
{
    bool allowed = protocol->legacy_version && strcmp(protocol->legacy_version, first_without_batches) < 0;
    size_t i, count = yyjson_arr_size(messages);
    if (!allowed || count == 0 || count > LIMIT_MCP_IN_FLIGHT) {
        const char *why = !allowed     ? "batches are not part of this protocol version"
                          : count == 0 ? "empty batch"
                                       : "batch too long";
        send_error(protocol, NULL, NULL, JSONRPC_INVALID_REQUEST, why);
        return;
    }
    struct batch *batch = xcalloc(1, sizeof(*batch));
    buffer_init(&batch->answers, SIZE_MAX / 2); /* bounded by the number of its requests */
    batch->waiting = 1;
    yyjson_val *message;
    yyjson_arr_foreach(messages, i, count, message)
        on_message(protocol, now, message, batch);
    batch_release(protocol, batch);
}

void protocol_on_line(struct protocol *protocol, uint64_t now, char *line, size_t len)
{
    if (!line) {
        AUTO_FREE char *why = xasprintf("the message is longer than %u bytes", LIMIT_MCP_LINE);
        send_error(protocol, NULL, NULL, JSONRPC_INVALID_REQUEST, why);
        return;
    }
    AUTO_JSON struct json json = { 0 };
    AUTO_ERROR struct error error = ERROR_INIT;
    if (json_parse(line, len, &json, &error) < 0) {
        log_error("a line from the host is no JSON: %s", error.message);
        send_error(protocol, NULL, NULL, JSONRPC_PARSE_ERROR, error.message);
    } else if (yyjson_is_arr(json.root)) {
        on_batch(protocol, now, json.root);
    } else {
        on_message(protocol, now, json.root, NULL);
    }
}
