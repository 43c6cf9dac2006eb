/* A script, one step a line, of what a client and an adapter may do; whatever it is, every request is answered exactly once, and what
 * is sent is whole frames of valid JSON.
 *
 *   R<time-out>   request          C<seq>  cancel       N<seq>  cancel and tell      T<ms>  time passes
 *   M<json>       one message      B<text> raw bytes    E       end
 *   A<r|c|e>      the next callback makes a request, cancels the newest one, or ends */
#include "dap/connection.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "dap/framing.h"
#include "json/json.h"

#include <stdint.h>
#include <string.h>

struct client {
    struct dap_connection *connection;
    uint64_t now;
    size_t made, answered;
    int64_t newest;
    char reaction;
};

/* One of these for each request: an answer that comes twice is a use after free. */
struct asked {
    struct client *client;
};

static void make_request(struct client *client, uint64_t timeout_ms);

static void react(struct client *client)
{
    char reaction = client->reaction;

    client->reaction = '\0';
    if (reaction == 'r')
        make_request(client, 5);
    else if (reaction == 'c')
        dap_connection_cancel(client->connection, client->newest, true);
    else if (reaction == 'e')
        dap_connection_end(client->connection, "ended by a callback");
}

static void on_answer(void *user, const struct dap_answer *answer)
{
    struct asked *asked = user;
    struct client *client = asked->client;

    free(asked);
    client->answered++;
    if (strcmp(answer->command, "next") != 0 || !utf8_valid(answer->message, strlen(answer->message)))
        abort();
    if ((answer->outcome == DAP_OK) != (*answer->message == '\0'))
        abort();
    react(client);
}

static void make_request(struct client *client, uint64_t timeout_ms)
{
    struct asked *asked = xmalloc(sizeof(*asked));
    int64_t seq;

    asked->client = client;
    client->made++;
    seq = dap_connection_request(client->connection, "next", NULL, timeout_ms, on_answer, asked);
    client->newest = seq;
}

static void on_send(void *user, const char *bytes, size_t len)
{
    const char *body = strstr(bytes, "\r\n\r\n");
    char header[64];
    yyjson_doc *doc;

    (void)user;
    if (!body)
        abort();
    body += 4;
    if (dap_framing_header(header, len - (size_t)(body - bytes)) != (size_t)(body - bytes))
        abort();
    doc = yyjson_read(body, len - (size_t)(body - bytes), 0);
    if (json_int_or(yyjson_doc_get_root(doc), "seq", 0) <= 0)
        abort();
    yyjson_doc_free(doc);
}

static void on_event(void *user, const char *event, yyjson_val *body)
{
    (void)event;
    free(json_write_value(body, NULL));
    react(user);
}

static void on_request(void *user, int64_t seq, const char *command, yyjson_val *arguments)
{
    struct client *client = user;

    dap_connection_respond(client->connection, seq, command, !arguments, NULL, command);
    react(client);
}

static void on_fault(void *user, const char *sentence)
{
    if (!*sentence || strlen(sentence) > 1200 || !utf8_valid(sentence, strlen(sentence)) || strpbrk(sentence, "\r\n\x1b"))
        abort();
    react(user);
}

static uint64_t number(const char *text, size_t len)
{
    uint64_t value = 0;

    for (size_t i = 0; i < len && text[i] >= '0' && text[i] <= '9'; i++)
        value = value * 10 + (uint64_t)(text[i] - '0');
    return value;
}

static void feed_message(struct client *client, const char *text, size_t len)
{
    char header[64];

    dap_connection_feed(client->connection, header, dap_framing_header(header, len));
    dap_connection_feed(client->connection, text, len);
}

static void pass_time(struct client *client, uint64_t ms)
{
    client->now += ms % 100000;
    dap_connection_on_time(client->connection, client->now);
    if (dap_connection_deadline(client->connection) <= client->now)
        abort();
}

static void take_step(struct client *client, const char *step, size_t len)
{
    const char *rest = step + 1;
    size_t rest_len = len - 1;

    switch (*step) {
    case 'R':
        make_request(client, number(rest, rest_len));
        break;
    case 'C':
    case 'N':
        dap_connection_cancel(client->connection, (int64_t)number(rest, rest_len), *step == 'N');
        break;
    case 'T':
        pass_time(client, number(rest, rest_len));
        break;
    case 'M':
        feed_message(client, rest, rest_len);
        break;
    case 'B':
        dap_connection_feed(client->connection, rest, rest_len);
        dap_connection_feed(client->connection, "\n", 1);
        break;
    case 'E':
        dap_connection_end(client->connection, "ended by the script");
        break;
    case 'A':
        client->reaction = rest_len > 0 ? *rest : '\0';
        break;
    default:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    static const struct dap_connection_ops ops = {
        .send = on_send, .on_event = on_event, .on_request = on_request, .on_fault = on_fault
    };
    struct client client = { 0 };
    const char *at = (const char *)data;
    const char *end = at + len;

    client.connection = dap_connection_new(&ops, &client);
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        size_t line = (size_t)((line_end ? line_end : end) - at);

        if (line > 0)
            take_step(&client, at, line);
        at += line + 1;
    }
    dap_connection_free(client.connection);
    if (client.made != client.answered)
        abort();
    return 0;
}
