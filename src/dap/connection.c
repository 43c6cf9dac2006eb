#include "dap/connection.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "dap/framing.h"
#include "json/json.h"

#include <inttypes.h>
#include <string.h>

/* Bytes of a bad message that are shown. */
#define SAMPLE_SHOWN 200

/* A request without an answer yet. */
struct pending {
    int64_t seq;
    char *command;
    dap_answer_fn answer;
    void *user;
    uint64_t timeout_ms;
    uint64_t deadline;           /* UINT64_MAX: none, and then not in the list below */
    struct pending *prev, *next; /* by deadline */
};

struct dap_connection {
    struct dap_connection_ops ops;
    void *user;
    struct dap_framing *framing;
    int64_t last_seq; /* shared by requests and responses, as the specification wants */
    uint64_t now;
    uint64_t dropped;
    char *ended_why; /* NULL while the connection lives */

    struct pending **pending; /* by seq */
    size_t pending_count, pending_cap;
    struct pending *first_due, *last_due;
};

/* ---- pending requests ---- */

static size_t pending_index(const struct dap_connection *connection, int64_t seq)
{
    size_t low = 0;
    size_t high = connection->pending_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (connection->pending[middle]->seq < seq)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Most time-outs are alike, so that the place is at the end or near it. */
static void insert_due(struct dap_connection *connection, struct pending *pending)
{
    struct pending *before = connection->last_due;

    while (before && before->deadline > pending->deadline)
        before = before->prev;
    pending->prev = before;
    pending->next = before ? before->next : connection->first_due;
    *(pending->prev ? &pending->prev->next : &connection->first_due) = pending;
    *(pending->next ? &pending->next->prev : &connection->last_due) = pending;
}

static void remove_due(struct dap_connection *connection, struct pending *pending)
{
    *(pending->prev ? &pending->prev->next : &connection->first_due) = pending->next;
    *(pending->next ? &pending->next->prev : &connection->last_due) = pending->prev;
}

static void add_pending(struct dap_connection *connection, const char *command, uint64_t timeout_ms, dap_answer_fn answer,
                        void *user)
{
    struct pending *pending = xcalloc(1, sizeof(*pending));

    pending->seq = connection->last_seq;
    pending->command = xstrdup(command);
    pending->answer = answer;
    pending->user = user;
    pending->timeout_ms = timeout_ms;
    pending->deadline = UINT64_MAX;
    connection->pending =
        xgrow(connection->pending, &connection->pending_cap, connection->pending_count + 1, sizeof(struct pending *));
    connection->pending[connection->pending_count++] = pending;
    if (timeout_ms > 0 && timeout_ms < UINT64_MAX - connection->now) {
        pending->deadline = connection->now + timeout_ms;
        insert_due(connection, pending);
    }
}

/* Takes the request out of the table; NULL when nobody waits under that number. */
static struct pending *take_pending(struct dap_connection *connection, int64_t seq)
{
    size_t index = pending_index(connection, seq);
    struct pending *pending = index < connection->pending_count ? connection->pending[index] : NULL;

    if (!pending || pending->seq != seq)
        return NULL;
    connection->pending_count--;
    memmove(&connection->pending[index], &connection->pending[index + 1],
            (connection->pending_count - index) * sizeof(struct pending *));
    if (pending->deadline != UINT64_MAX)
        remove_due(connection, pending);
    return pending;
}

/* Answers a request that was taken out of the table. */
static void answer_pending(struct pending *pending, struct dap_answer answer)
{
    answer.command = pending->command;
    if (pending->answer)
        pending->answer(pending->user, &answer);
    free(pending->command);
    free(pending);
}

static void answer_without_body(struct pending *pending, enum dap_outcome outcome, const char *message)
{
    answer_pending(pending, (struct dap_answer){ .outcome = outcome, .message = message, .short_form = "" });
}

bool dap_connection_pending(const struct dap_connection *connection, int64_t seq)
{
    size_t index = pending_index(connection, seq);

    return index < connection->pending_count && connection->pending[index]->seq == seq;
}

/* ---- sending ---- */

static yyjson_mut_doc *new_message(struct dap_connection *connection, const char *type)
{
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);

    if (!doc)
        abort();
    yyjson_mut_doc_set_root(doc, yyjson_mut_obj(doc));
    json_add_int(doc, yyjson_mut_doc_get_root(doc), "seq", ++connection->last_seq);
    json_add_string(doc, yyjson_mut_doc_get_root(doc), "type", type);
    return doc;
}

/* Borrows the other document's root for as long as the message is written. */
static void add_root_of(yyjson_mut_doc *doc, const char *key, yyjson_mut_doc *other)
{
    yyjson_mut_val *root = other ? yyjson_mut_doc_get_root(other) : NULL;

    if (root)
        json_add_value(doc, yyjson_mut_doc_get_root(doc), key, root);
}

static void send_message(struct dap_connection *connection, yyjson_mut_doc *doc)
{
    AUTO_BUFFER struct buffer frame;
    AUTO_FREE char *body = NULL;
    char header[64];
    size_t len;

    body = json_write(doc, &len);
    buffer_init(&frame, SIZE_MAX);
    buffer_append(&frame, header, dap_framing_header(header, len));
    buffer_append(&frame, body, len);
    connection->ops.send(connection->user, frame.data, frame.len);
}

static void send_request(struct dap_connection *connection, yyjson_mut_doc *doc, const char *command, yyjson_mut_doc *arguments)
{
    json_add_string(doc, yyjson_mut_doc_get_root(doc), "command", command);
    add_root_of(doc, "arguments", arguments);
    send_message(connection, doc);
    yyjson_mut_doc_free(doc);
    yyjson_mut_doc_free(arguments);
}

/* Why no request can be made; NULL when one can. */
static const char *refusal(const struct dap_connection *connection)
{
    if (connection->ended_why)
        return connection->ended_why;
    if (connection->pending_count >= LIMIT_DAP_IN_FLIGHT)
        return "too many requests are waiting for an answer of the adapter";
    return NULL;
}

int64_t dap_connection_request(struct dap_connection *connection, const char *command, yyjson_mut_doc *arguments,
                               uint64_t timeout_ms, dap_answer_fn answer, void *user)
{
    const char *why = refusal(connection);
    yyjson_mut_doc *doc;
    int64_t seq;

    if (why) {
        struct dap_answer closed = { .outcome = DAP_CLOSED, .command = command, .message = why, .short_form = "" };

        yyjson_mut_doc_free(arguments);
        if (answer)
            answer(user, &closed);
        return 0;
    }
    doc = new_message(connection, "request");
    seq = connection->last_seq;
    add_pending(connection, command, timeout_ms, answer, user);
    send_request(connection, doc, command, arguments);
    return seq;
}

static void send_cancel(struct dap_connection *connection, int64_t seq)
{
    yyjson_mut_doc *doc = new_message(connection, "request");
    yyjson_mut_doc *arguments = yyjson_mut_doc_new(NULL);

    if (!arguments)
        abort();
    yyjson_mut_doc_set_root(arguments, yyjson_mut_obj(arguments));
    json_add_int(arguments, yyjson_mut_doc_get_root(arguments), "requestId", seq);
    send_request(connection, doc, "cancel", arguments);
}

void dap_connection_tell_cancel(struct dap_connection *connection, int64_t seq)
{
    if (!connection->ended_why)
        send_cancel(connection, seq);
}

void dap_connection_cancel(struct dap_connection *connection, int64_t seq, bool tell)
{
    struct pending *pending = take_pending(connection, seq);
    AUTO_FREE char *message = NULL;

    if (!pending)
        return;
    if (tell && !connection->ended_why)
        send_cancel(connection, seq);
    message = xasprintf("the request \"%s\" was cancelled", pending->command);
    answer_without_body(pending, DAP_CANCELLED, message);
}

void dap_connection_respond(struct dap_connection *connection, int64_t request_seq, const char *command, bool success,
                            yyjson_mut_doc *body, const char *message)
{
    yyjson_mut_doc *doc;
    yyjson_mut_val *root;

    if (!connection->ended_why) {
        doc = new_message(connection, "response");
        root = yyjson_mut_doc_get_root(doc);
        json_add_int(doc, root, "request_seq", request_seq);
        json_add_bool(doc, root, "success", success);
        json_add_string(doc, root, "command", command);
        if (!success)
            json_add_string(doc, root, "message", message);
        if (!success && !body)
            yyjson_mut_obj_add_obj(doc, root, "body"); /* a refusal has to have one */
        add_root_of(doc, "body", body);
        send_message(connection, doc);
        yyjson_mut_doc_free(doc);
    }
    yyjson_mut_doc_free(body);
}

/* ---- error texts ---- */

static void add_variable(struct buffer *out, yyjson_val *variable)
{
    AUTO_FREE char *text = NULL;
    size_t len;

    if (yyjson_is_str(variable)) {
        buffer_append(out, yyjson_get_str(variable), yyjson_get_len(variable));
        return;
    }
    text = json_write_value(variable, &len);
    buffer_append(out, text, len);
}

/* Message.format with its {name} filled from `variables`; what they do not have is left as it stands. */
static void add_formatted(struct buffer *out, const char *format, yyjson_val *variables)
{
    const char *at = format;

    while (*at) {
        size_t plain = strcspn(at, "{");
        size_t name = at[plain] ? strcspn(at + plain + 1, "{}") : 0;
        yyjson_val *variable = NULL;

        buffer_append(out, at, plain);
        at += plain;
        if (!*at)
            break;
        if (at[name + 1] == '}')
            variable = yyjson_obj_getn(variables, at + 1, name);
        if (variable && !yyjson_is_null(variable) && !yyjson_is_ctn(variable))
            add_variable(out, variable);
        else
            buffer_append(out, at, name + (at[name + 1] == '}' ? 2 : 1));
        at += name + (at[name + 1] == '}' ? 2 : 1);
    }
}

static void trim(struct buffer *text)
{
    static const char blanks[] = " \t\r\n";

    buffer_consume(text, strspn(text->data, blanks));
    while (text->len > 0 && strchr(blanks, text->data[text->len - 1]))
        buffer_truncate(text, text->len - 1);
}

static char *join_reasons(struct buffer *message, struct buffer *formatted)
{
    if (message->len == 0 || strstr(formatted->data, message->data))
        return buffer_take(formatted, NULL);
    if (formatted->len == 0 || strstr(message->data, formatted->data))
        return buffer_take(message, NULL);
    buffer_addf(message, "%s%s", message->data[message->len - 1] == ':' ? " " : ": ", formatted->data);
    return buffer_take(message, NULL);
}

char *dap_error_text(yyjson_val *response)
{
    AUTO_BUFFER struct buffer message;
    AUTO_BUFFER struct buffer formatted;
    yyjson_val *body = json_object(response, "body");
    yyjson_val *error = json_object(body, "error");
    const char *command = json_string(response, "command");
    const char *text = json_string(response, "message");
    const char *format = error ? json_string(error, "format") : json_string(body, "error");

    buffer_init(&message, SIZE_MAX);
    buffer_init(&formatted, SIZE_MAX);
    buffer_add(&message, text ? text : "");
    add_formatted(&formatted, format ? format : "", json_object(error, "variables"));
    trim(&message);
    trim(&formatted);
    if (message.len == 0 && formatted.len == 0)
        return xasprintf("the adapter refused \"%s\" and gave no reason", command ? command : "the request");
    return join_reasons(&message, &formatted);
}

/* ---- messages in ---- */

/* Where a sentence about a bad message gets its text from. Parsing overwrites the message, so that its beginning is kept. */
struct sample {
    char bytes[SAMPLE_SHOWN + 1]; /* one more, so that a cut is seen */
    size_t len;
};

static void fault(struct dap_connection *connection, const char *sentence, const struct sample *sample)
{
    AUTO_BUFFER struct buffer text;

    buffer_init(&text, SIZE_MAX);
    buffer_addf(&text, "%s: \"", sentence);
    utf8_one_line(&text, sample->bytes, sample->len, SAMPLE_SHOWN);
    buffer_addc(&text, '"');
    connection->ops.on_fault(connection->user, text.data);
}

static bool response_success(yyjson_val *response)
{
    return json_bool(response, "success", !json_member(json_object(response, "body"), "error"));
}

static void answer_refused(struct pending *pending, yyjson_val *response)
{
    AUTO_FREE char *message = dap_error_text(response);
    const char *short_form = json_string(response, "message");

    answer_pending(pending, (struct dap_answer){ .outcome = DAP_REFUSED,
                                                 .body = json_member(response, "body"),
                                                 .message = message,
                                                 .short_form = short_form ? short_form : "" });
}

static void take_response(struct dap_connection *connection, yyjson_val *response, const struct sample *sample)
{
    int64_t seq = json_int_or(response, "request_seq", 0);
    struct pending *pending = take_pending(connection, seq);

    if (!pending) {
        connection->dropped++;
        if (seq <= 0 || seq > connection->last_seq)
            fault(connection, "skipped an answer to a request that was never made", sample);
    } else if (response_success(response)) {
        answer_pending(pending, (struct dap_answer){
                                    .outcome = DAP_OK, .body = json_member(response, "body"), .message = "", .short_form = "" });
    } else {
        answer_refused(pending, response);
    }
}

static void take_event(struct dap_connection *connection, yyjson_val *message, const struct sample *sample)
{
    const char *event = json_string(message, "event");

    if (event)
        connection->ops.on_event(connection->user, event, json_member(message, "body"));
    else
        fault(connection, "skipped an event that has no name", sample);
}

static void take_request(struct dap_connection *connection, yyjson_val *message)
{
    const char *command = json_string(message, "command");

    /* Without a name it is passed on, too: the adapter waits for an answer. */
    connection->ops.on_request(connection->user, json_int_or(message, "seq", 0), command ? command : "",
                               json_member(message, "arguments"));
}

static const char *message_type(yyjson_val *message)
{
    const char *type = json_string(message, "type");

    if (type)
        return type;
    if (json_member(message, "request_seq"))
        return "response";
    if (json_member(message, "event"))
        return "event";
    return json_member(message, "command") ? "request" : "";
}

static void take_message(struct dap_connection *connection, yyjson_val *message, const struct sample *sample)
{
    const char *type = message_type(message);

    if (!yyjson_is_obj(message))
        fault(connection, "skipped a DAP message that is not a JSON object", sample);
    else if (strcmp(type, "response") == 0)
        take_response(connection, message, sample);
    else if (strcmp(type, "event") == 0)
        take_event(connection, message, sample);
    else if (strcmp(type, "request") == 0)
        take_request(connection, message);
    else
        fault(connection, "skipped a DAP message that is no request, response or event", sample);
}

static void on_body(void *user, char *body, size_t len)
{
    struct dap_connection *connection = user;
    AUTO_JSON struct json json = { 0 };
    struct sample sample;

    sample.len = len < sizeof(sample.bytes) ? len : sizeof(sample.bytes);
    memcpy(sample.bytes, body, sample.len);
    if (json_parse(body, len, &json, NULL) < 0)
        fault(connection, "skipped a DAP message that is not valid JSON", &sample);
    else
        take_message(connection, json.root, &sample);
}

static void on_framing_fault(void *user, const char *sentence)
{
    struct dap_connection *connection = user;

    connection->ops.on_fault(connection->user, sentence);
}

void dap_connection_feed(struct dap_connection *connection, const char *bytes, size_t len)
{
    dap_framing_feed(connection->framing, bytes, len);
}

/* ---- time ---- */

static void answer_timed_out(struct pending *pending)
{
    AUTO_FREE char *message = NULL;

    if (pending->timeout_ms % 1000 == 0)
        message = xasprintf("no answer to \"%s\" within %" PRIu64 " s", pending->command, pending->timeout_ms / 1000);
    else
        message = xasprintf("no answer to \"%s\" within %" PRIu64 " ms", pending->command, pending->timeout_ms);
    answer_without_body(pending, DAP_TIMED_OUT, message);
}

void dap_connection_on_time(struct dap_connection *connection, uint64_t now)
{
    if (now > connection->now)
        connection->now = now;
    while (connection->first_due && connection->first_due->deadline <= connection->now)
        answer_timed_out(take_pending(connection, connection->first_due->seq));
}

uint64_t dap_connection_deadline(const struct dap_connection *connection)
{
    return connection->first_due ? connection->first_due->deadline : UINT64_MAX;
}

uint64_t dap_connection_dropped(const struct dap_connection *connection)
{
    return connection->dropped;
}

/* ---- life ---- */

struct dap_connection *dap_connection_new(const struct dap_connection_ops *ops, void *user)
{
    static const struct dap_framing_ops framing_ops = { .on_body = on_body, .on_fault = on_framing_fault };
    struct dap_connection *connection = xcalloc(1, sizeof(*connection));

    connection->ops = *ops;
    connection->user = user;
    connection->framing = dap_framing_new(&framing_ops, connection);
    return connection;
}

void dap_connection_end(struct dap_connection *connection, const char *why)
{
    if (connection->ended_why)
        return;
    connection->ended_why = xstrdup(why ? why : "the connection to the adapter ended");
    dap_framing_end(connection->framing);
    while (connection->pending_count > 0)
        answer_without_body(take_pending(connection, connection->pending[0]->seq), DAP_CLOSED, connection->ended_why);
}

bool dap_connection_ended(const struct dap_connection *connection)
{
    return connection->ended_why != NULL;
}

void dap_connection_free(struct dap_connection *connection)
{
    if (!connection)
        return;
    dap_connection_end(connection, "the connection to the adapter was closed");
    dap_framing_free(connection->framing);
    free(connection->pending);
    free(connection->ended_why);
    free(connection);
}
