#include "dap/connection.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "dap/framing.h"
#include "json/json.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- a client that writes down everything it sees ---- */

enum reaction {
    REACT_NOT,
    REACT_REQUEST, /* make another request */
    REACT_END,     /* end the connection */
    REACT_CANCEL,  /* cancel request 2 */
    REACT_TELL,    /* and tell the adapter */
};

struct client {
    struct dap_connection *connection;
    struct buffer log;
    struct buffer sent;      /* bodies, one a line */
    enum reaction on_answer; /* what the first answer's callback does */
    enum reaction on_event;
    bool end_at_send;
};

static void note_answer(void *user, const struct dap_answer *answer);

static void react(struct client *client, enum reaction *reaction)
{
    enum reaction now = *reaction;

    *reaction = REACT_NOT;
    if (now == REACT_REQUEST)
        dap_connection_request(client->connection, "nested", NULL, 0, note_answer, client);
    else if (now == REACT_END)
        dap_connection_end(client->connection, "gone");
    else if (now == REACT_CANCEL || now == REACT_TELL)
        dap_connection_cancel(client->connection, 2, now == REACT_TELL);
}

static void note_answer(void *user, const struct dap_answer *answer)
{
    static const char *const outcomes[] = { "ok", "refused", "timed out", "cancelled", "closed" };
    struct client *client = user;

    buffer_addf(&client->log, "%s %s", answer->command, outcomes[answer->outcome]);
    if (*answer->message)
        buffer_addf(&client->log, " (%s)", answer->message);
    if (*answer->short_form)
        buffer_addf(&client->log, " [%s]", answer->short_form);
    if (answer->body) {
        AUTO_FREE char *body = json_write_value(answer->body, NULL);
        buffer_addf(&client->log, " %s", body);
    }
    buffer_add(&client->log, "\n");
    react(client, &client->on_answer);
}

/* What is sent must be whole frames with a right length. */
static void on_send(void *user, const char *bytes, size_t len)
{
    struct client *client = user;
    const char *body = strstr(bytes, "\r\n\r\n");
    char header[64];

    assert_non_null(body);
    body += 4;
    assert_int_equal(dap_framing_header(header, len - (size_t)(body - bytes)), body - bytes);
    assert_memory_equal(header, bytes, (size_t)(body - bytes));
    buffer_append(&client->sent, body, len - (size_t)(body - bytes));
    buffer_add(&client->sent, "\n");
    if (client->end_at_send)
        dap_connection_end(client->connection, "broken pipe");
}

static void on_event(void *user, const char *event, yyjson_val *body)
{
    struct client *client = user;
    AUTO_FREE char *text = body ? json_write_value(body, NULL) : xstrdup("-");

    buffer_addf(&client->log, "event %s %s\n", event, text);
    react(client, &client->on_event);
}

static void on_request(void *user, int64_t seq, const char *command, yyjson_val *arguments)
{
    struct client *client = user;
    AUTO_FREE char *text = arguments ? json_write_value(arguments, NULL) : xstrdup("-");

    buffer_addf(&client->log, "request %" PRId64 " %s %s\n", seq, command, text);
}

static void on_fault(void *user, const char *sentence)
{
    struct client *client = user;

    buffer_addf(&client->log, "fault %s\n", sentence);
}

static int start(void **state)
{
    static const struct dap_connection_ops ops = {
        .send = on_send, .on_event = on_event, .on_request = on_request, .on_fault = on_fault
    };
    struct client *client = xcalloc(1, sizeof(*client));

    buffer_init(&client->log, SIZE_MAX);
    buffer_init(&client->sent, SIZE_MAX);
    client->connection = dap_connection_new(&ops, client);
    *state = client;
    return 0;
}

static int finish(void **state)
{
    struct client *client = *state;

    dap_connection_free(client->connection);
    buffer_done(&client->log);
    buffer_done(&client->sent);
    free(client);
    return 0;
}

static int64_t request(struct client *client, const char *command, uint64_t timeout_ms)
{
    return dap_connection_request(client->connection, command, NULL, timeout_ms, note_answer, client);
}

/* Several messages come in one read. */
static void feed_all(struct client *client, const char *const *messages, size_t count)
{
    AUTO_BUFFER struct buffer stream;
    char header[64];

    buffer_init(&stream, SIZE_MAX);
    for (size_t i = 0; i < count; i++) {
        buffer_append(&stream, header, dap_framing_header(header, strlen(messages[i])));
        buffer_add(&stream, messages[i]);
    }
    dap_connection_feed(client->connection, stream.data, stream.len);
}

static void feed(struct client *client, const char *message)
{
    feed_all(client, &message, 1);
}

/* Compares what was seen since the last time. */
static void expect(struct client *client, const char *expected)
{
    assert_string_equal(client->log.data, expected);
    buffer_clear(&client->log);
}

static void expect_sent(struct client *client, const char *expected)
{
    assert_string_equal(client->sent.data, expected);
    buffer_clear(&client->sent);
}

static yyjson_mut_doc *parse_document(const char *text)
{
    AUTO_JSON struct json json = { 0 };

    assert_int_equal(json_parse_copy(text, strlen(text), &json, NULL), 0);
    return yyjson_doc_mut_copy(json.doc, NULL);
}

/* ---- requests and answers ---- */

static void test_request_and_answer(void **state)
{
    struct client *client = *state;

    assert_int_equal(dap_connection_request(client->connection, "next", parse_document("{\"threadId\":1}"), 0, note_answer, client),
                     1);
    assert_true(dap_connection_pending(client->connection, 1));
    expect_sent(client, "{\"seq\":1,\"type\":\"request\",\"command\":\"next\",\"arguments\":{\"threadId\":1}}\n");
    feed(client, "{\"seq\":1,\"type\":\"response\",\"request_seq\":1,\"success\":true,\"command\":\"next\",\"body\":{\"a\":1}}");
    expect(client, "next ok {\"a\":1}\n");
    assert_false(dap_connection_pending(client->connection, 1));
}

/* Some adapters cannot parse "arguments": null, others none of {} (noir#11994): without arguments there is no member. */
static void test_request_without_arguments(void **state)
{
    struct client *client = *state;

    request(client, "threads", 0);
    expect_sent(client, "{\"seq\":1,\"type\":\"request\",\"command\":\"threads\"}\n");
    feed(client, "{\"type\":\"response\",\"request_seq\":1,\"success\":true}");
    expect(client, "threads ok\n");
}

static void test_nobody_waits_for_the_answer(void **state)
{
    struct client *client = *state;

    assert_int_equal(dap_connection_request(client->connection, "disconnect", NULL, 10, NULL, NULL), 1);
    feed(client, "{\"type\":\"response\",\"request_seq\":1,\"success\":true}");
    assert_int_equal(dap_connection_request(client->connection, "disconnect", NULL, 10, NULL, NULL), 2);
    dap_connection_on_time(client->connection, 10);
    assert_int_equal(dap_connection_request(client->connection, "disconnect", NULL, 0, NULL, NULL), 3);
    dap_connection_end(client->connection, "gone");
    assert_int_equal(dap_connection_request(client->connection, "disconnect", NULL, 0, NULL, NULL), 0);
    expect(client, "");
}

static void test_answers_in_any_order(void **state)
{
    struct client *client = *state;

    request(client, "a", 0);
    request(client, "b", 0);
    request(client, "c", 0);
    feed(client, "{\"type\":\"response\",\"request_seq\":2,\"success\":true}");
    feed(client, "{\"type\":\"response\",\"request_seq\":3,\"success\":true}");
    feed(client, "{\"type\":\"response\",\"request_seq\":1,\"success\":true}");
    expect(client, "b ok\nc ok\na ok\n");
}

/* lldb-dap writes members in alphabetical order: "type" comes last. */
static void test_members_in_any_order(void **state)
{
    struct client *client = *state;

    request(client, "next", 0);
    feed(client, "{\"body\":{},\"command\":\"next\",\"request_seq\":1,\"seq\":0,\"success\":true,\"type\":\"response\"}");
    feed(client, "{\"body\":{\"reason\":\"step\"},\"event\":\"stopped\",\"seq\":0,\"type\":\"event\"}");
    expect(client, "next ok {}\nevent stopped {\"reason\":\"step\"}\n");
}

/* dlv, lldb-dap and php-debug send seq 0 always; clients that looked at it dropped messages (vscode-go#2034). */
static void test_seq_of_the_adapter_does_not_matter(void **state)
{
    static const char *const forms[] = { "\"seq\":0,", "", "\"seq\":-5,", "\"seq\":\"7\",", "\"seq\":null,", "\"seq\":1e99," };
    struct client *client = *state;

    for (size_t i = 0; i < COUNT_OF(forms); i++) {
        AUTO_FREE char *event = xasprintf("{%s\"type\":\"event\",\"event\":\"e\"}", forms[i]);
        AUTO_FREE char *answer = xasprintf("{%s\"type\":\"response\",\"request_seq\":%zu,\"success\":true}", forms[i], i + 1);

        request(client, "r", 0);
        feed(client, event);
        feed(client, answer);
        expect(client, "event e -\nr ok\n");
    }
}

/* Strict decoders aborted on null bodies, numbers as strings, missing commands, a message on success (helix#15975, codelldb#503). */
static void test_lenient_envelopes(void **state)
{
    static const char *const answers[] = {
        "\"type\":\"response\",\"request_seq\":\"%d\",\"success\":true",
        "\"type\":\"response\",\"request_seq\":%d.0,\"success\":true",
        "\"type\":\"response\",\"request_seq\":%d,\"success\":true,\"body\":null",
        "\"type\":\"response\",\"request_seq\":%d,\"success\":true,\"command\":\"\",\"message\":\"Success\"",
        "\"type\":\"response\",\"request_seq\":%d,\"success\":true,\"command\":\"other\"",
        "\"type\":\"response\",\"request_seq\":%d,\"success\":\"true\"",
        "\"type\":\"response\",\"request_seq\":%d",
        "\"request_seq\":%d,\"success\":true",
        "\"type\":\"response\",\"request_seq\":%d,\"success\":true,\"statistics\":{\"a\":[1]}",
    };
    struct client *client = *state;

    for (size_t i = 0; i < COUNT_OF(answers); i++) {
        AUTO_BUFFER struct buffer answer;
        size_t before = strcspn(answers[i], "%");

        buffer_init(&answer, SIZE_MAX);
        buffer_addf(&answer, "{%.*s%zu%s}", (int)before, answers[i], i + 1, answers[i] + before + 2);
        request(client, "r", 0);
        feed(client, answer.data);
        expect(client, "r ok\n");
    }
    feed(client, "{\"event\":\"output\",\"body\":null}");
    feed(client, "{\"command\":\"runInTerminal\",\"seq\":\"3\"}");
    expect(client, "event output -\nrequest 3 runInTerminal -\n");
}

static void test_in_flight_limit(void **state)
{
    struct client *client = *state;

    for (int64_t i = 1; i <= LIMIT_DAP_IN_FLIGHT; i++)
        assert_int_equal(request(client, "r", 0), i);
    expect(client, "");
    assert_int_equal(dap_connection_request(client->connection, "one too many", parse_document("{}"), 0, note_answer, client), 0);
    expect(client, "one too many closed (too many requests are waiting for an answer of the adapter)\n");
    feed(client, "{\"type\":\"response\",\"request_seq\":500,\"success\":true}");
    expect(client, "r ok\n");
    assert_int_equal(request(client, "r", 0), LIMIT_DAP_IN_FLIGHT + 1);
    expect(client, "");
}

/* ---- events ---- */

/* debugpy sends two output events before its answer to initialize, netcoredbg `capabilities` and `initialized`. */
static void test_events_before_the_first_answer(void **state)
{
    static const char *const messages[] = {
        "{\"type\":\"event\",\"event\":\"output\",\"body\":{\"category\":\"telemetry\"}}",
        "{\"type\":\"event\",\"event\":\"initialized\"}",
        "{\"type\":\"response\",\"request_seq\":1,\"success\":true,\"body\":{\"supportsX\":true}}",
        "{\"type\":\"event\",\"event\":\"vendor/thing\",\"body\":[1]}",
    };
    struct client *client = *state;

    request(client, "initialize", 0);
    feed_all(client, messages, COUNT_OF(messages));
    expect(client, "event output {\"category\":\"telemetry\"}\nevent initialized -\ninitialize ok {\"supportsX\":true}\n"
                   "event vendor/thing [1]\n");
}

static void test_event_without_name(void **state)
{
    struct client *client = *state;

    feed(client, "{\"type\":\"event\",\"seq\":1}");
    expect(client, "fault skipped an event that has no name: \"{\"type\":\"event\",\"seq\":1}\"\n");
}

/* ---- error texts ---- */

static void refuse_with(struct client *client, int64_t seq, const char *members)
{
    AUTO_FREE char *answer =
        xasprintf("{\"type\":\"response\",\"request_seq\":%" PRId64 ",\"command\":\"next\",\"success\":false%s}", seq, members);

    feed(client, answer);
}

/* Many adapters fill only one of `message` and `body.error.format`, others put the same text into both. */
static void test_error_texts(void **state)
{
    static const char *const cases[][2] = {
        { ",\"message\":\"notStopped\"", "notStopped" },
        { ",\"message\":\"boom\",\"body\":{}", "boom" },
        { ",\"message\":\"boom\",\"body\":null", "boom" },
        { ",\"body\":{\"error\":{\"id\":1,\"format\":\"cannot open {path}\",\"variables\":{\"path\":\"/a\"}}}", "cannot open /a" },
        { ",\"message\":\"no\",\"body\":{\"error\":{\"format\":\"line {line} of "
          "{_file}\",\"variables\":{\"line\":3,\"_file\":\"x\"}}}",
          "no: line 3 of x" },
        { ",\"message\":\"same\",\"body\":{\"error\":{\"format\":\"same\"}}", "same" },
        { ",\"message\":\"Failed to launch\",\"body\":{\"error\":{\"format\":\"Failed to launch: no such file\"}}",
          "Failed to launch: no such file" },
        { ",\"message\":\"Failed to launch: no such file\",\"body\":{\"error\":{\"format\":\"no such file\"}}",
          "Failed to launch: no such file" },
        { ",\"message\":\"Error:\",\"body\":{\"error\":{\"format\":\"why\"}}", "Error: why" },
        { ",\"message\":\"  boom \\n\"", "boom" },
        { ",\"message\":\"no\",\"body\":{\"error\":{\"format\":\" why\\r\\n\"}}", "no: why" },
        { ",\"body\":{\"error\":{\"format\":\"{known} {unknown}\",\"variables\":{\"known\":true}}}", "true {unknown}" },
        { ",\"body\":{\"error\":{\"format\":\"{a}{a} {b} {} } { {a\",\"variables\":{\"a\":\"{b}\",\"b\":null}}}",
          "{b}{b} {b} {} } { {a" },
        { ",\"body\":{\"error\":{\"format\":\"{{a}}\",\"variables\":{\"a\":1.5}}}", "{1.5}" },
        { ",\"body\":{\"error\":{\"format\":\"{a}\",\"variables\":{\"a\":[1]}}}", "{a}" },
        { ",\"body\":{\"error\":{\"format\":\"{a}\"}}", "{a}" },
        { ",\"body\":{\"error\":\"just text\"}", "just text" },
        { ",\"message\":\"\",\"body\":{\"error\":{\"format\":\"\"}}", "the adapter refused \"next\" and gave no reason" },
        { "", "the adapter refused \"next\" and gave no reason" },
        { ",\"message\":7,\"body\":[]", "the adapter refused \"next\" and gave no reason" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO_JSON struct json json = { 0 };
        AUTO_FREE char *response = xasprintf("{\"success\":false,\"command\":\"next\"%s}", cases[i][0]);
        AUTO_FREE char *text = NULL;

        assert_int_equal(json_parse_copy(response, strlen(response), &json, NULL), 0);
        text = dap_error_text(json.root);
        assert_string_equal(text, cases[i][1]);
    }
}

static void test_refusal(void **state)
{
    struct client *client = *state;

    request(client, "next", 0);
    refuse_with(client, 1, ",\"message\":\"notStopped\",\"body\":{\"error\":{\"format\":\"the thread runs\"}}");
    expect(client, "next refused (notStopped: the thread runs) [notStopped] {\"error\":{\"format\":\"the thread runs\"}}\n");
    request(client, "next", 0);
    refuse_with(client, 2, "");
    expect(client, "next refused (the adapter refused \"next\" and gave no reason)\n");
}

/* Without `success`, an error in the body is a refusal. */
static void test_refusal_without_success(void **state)
{
    struct client *client = *state;

    request(client, "next", 0);
    feed(client, "{\"type\":\"response\",\"request_seq\":1,\"body\":{\"error\":{\"id\":1,\"format\":\"no\"}}}");
    expect(client, "next refused (no) {\"error\":{\"id\":1,\"format\":\"no\"}}\n");
}

/* ---- answers nobody waits for ---- */

static void test_second_answer_is_dropped(void **state)
{
    static const char *const messages[] = {
        "{\"type\":\"response\",\"request_seq\":1,\"success\":true}",
        "{\"type\":\"response\",\"request_seq\":1,\"success\":false,\"message\":\"again\"}",
    };
    struct client *client = *state;

    request(client, "next", 0);
    feed_all(client, messages, COUNT_OF(messages));
    expect(client, "next ok\n");
    assert_int_equal(dap_connection_dropped(client->connection), 1);
}

/* A late answer was matched to the wrong wait, and the state was unknown afterwards. */
static void test_late_answer_is_dropped(void **state)
{
    struct client *client = *state;

    request(client, "evaluate", 100);
    dap_connection_on_time(client->connection, 100);
    expect(client, "evaluate timed out (no answer to \"evaluate\" within 100 ms)\n");
    request(client, "evaluate", 100);
    feed(client, "{\"type\":\"response\",\"request_seq\":1,\"success\":true,\"body\":{\"result\":\"old\"}}");
    expect(client, "");
    feed(client, "{\"type\":\"response\",\"request_seq\":2,\"success\":true,\"body\":{\"result\":\"new\"}}");
    expect(client, "evaluate ok {\"result\":\"new\"}\n");
    assert_int_equal(dap_connection_dropped(client->connection), 1);
}

static void test_answer_to_nothing(void **state)
{
    struct client *client = *state;

    request(client, "next", 0);
    feed(client, "{\"type\":\"response\",\"request_seq\":2,\"success\":true}");
    feed(client, "{\"type\":\"response\",\"request_seq\":0,\"success\":true}");
    feed(client, "{\"type\":\"response\",\"success\":true}");
    feed(client, "{\"type\":\"response\",\"request_seq\":-9223372036854775808}");
    expect(
        client,
        "fault skipped an answer to a request that was never made: \"{\"type\":\"response\",\"request_seq\":2,\"success\":true}\"\n"
        "fault skipped an answer to a request that was never made: \"{\"type\":\"response\",\"request_seq\":0,\"success\":true}\"\n"
        "fault skipped an answer to a request that was never made: \"{\"type\":\"response\",\"success\":true}\"\n"
        "fault skipped an answer to a request that was never made: "
        "\"{\"type\":\"response\",\"request_seq\":-9223372036854775808}\"\n");
    assert_true(dap_connection_pending(client->connection, 1));
    assert_int_equal(dap_connection_dropped(client->connection), 4);
}

/* ---- bad messages ---- */

static void test_bad_messages_are_survived(void **state)
{
    static const char *const cases[][2] = {
        { "{\"type\":", "skipped a DAP message that is not valid JSON: \"{\"type\":\"" },
        { "\n\n", "skipped a DAP message that is not valid JSON: \"\\n\\n\"" },
        { "[1,2]", "skipped a DAP message that is not a JSON object: \"[1,2]\"" },
        { "null", "skipped a DAP message that is not a JSON object: \"null\"" },
        { "\"text\"", "skipped a DAP message that is not a JSON object: \"\"text\"\"" },
        { "{}", "skipped a DAP message that is no request, response or event: \"{}\"" },
        { "{\"type\":\"hello\"}", "skipped a DAP message that is no request, response or event: \"{\"type\":\"hello\"}\"" },
    };
    struct client *client = *state;

    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO_FREE char *expected = xasprintf("fault %s\nevent fine -\n", cases[i][1]);
        const char *messages[] = { cases[i][0], "{\"type\":\"event\",\"event\":\"fine\"}" };

        feed_all(client, messages, COUNT_OF(messages));
        expect(client, expected);
    }
}

/* A sentence about a bad message shows its beginning, never megabytes. */
static void test_bad_message_is_shown_in_part(void **state)
{
    struct client *client = *state;
    char *message = xmalloc(100001);

    memset(message, 'x', 100000);
    message[100000] = '\0';
    feed(client, message);
    assert_true(client->log.len < 300);
    assert_non_null(strstr(client->log.data, "is not valid JSON: \"xxx"));
    assert_non_null(strstr(client->log.data, "x\xE2\x80\xA6\"\n")); /* an ellipsis */
    buffer_clear(&client->log);
    free(message);
}

static void test_too_deep(void **state)
{
    struct client *client = *state;
    size_t depth = 200000;
    char *message = xmalloc(depth + 1);

    memset(message, '[', depth);
    message[depth] = '\0';
    feed(client, message);
    assert_non_null(strstr(client->log.data, "fault skipped a DAP message that is not valid JSON"));
    buffer_clear(&client->log);
    free(message);
}

/* lldb-dap passes on bytes of the debuggee that are no UTF-8: the message is repaired and counts. */
static void test_bad_utf8_is_repaired(void **state)
{
    struct client *client = *state;

    feed(client, "{\"type\":\"event\",\"event\":\"output\",\"body\":{\"output\":\"a\xff\"}}");
    expect(client, "event output {\"output\":\"a\xEF\xBF\xBD\"}\n");
}

static void test_junk_is_reported(void **state)
{
    struct client *client = *state;

    dap_connection_feed(client->connection, "banner\n", 7);
    feed(client, "{\"type\":\"event\",\"event\":\"fine\"}");
    expect(client, "fault skipped 7 bytes that are not part of a DAP message: \"banner\"\nevent fine -\n");
}

/* ---- reverse requests ---- */

static void test_reverse_request(void **state)
{
    struct client *client = *state;

    request(client, "launch", 0);
    feed(client, "{\"seq\":9,\"type\":\"request\",\"command\":\"runInTerminal\",\"arguments\":{\"args\":[\"a\"]}}");
    expect(client, "request 9 runInTerminal {\"args\":[\"a\"]}\n");
    buffer_clear(&client->sent);
    dap_connection_respond(client->connection, 9, "runInTerminal", true, parse_document("{\"processId\":7}"), "not sent");
    expect_sent(client, "{\"seq\":2,\"type\":\"response\",\"request_seq\":9,\"success\":true,\"command\":\"runInTerminal\","
                        "\"body\":{\"processId\":7}}\n");
    assert_int_equal(request(client, "next", 0), 3); /* one counter for requests and responses */
}

/* Adapters that send seq 0 always must get that number back. */
static void test_reverse_request_with_seq_zero(void **state)
{
    struct client *client = *state;

    feed(client, "{\"seq\":0,\"type\":\"request\",\"command\":\"startDebugging\",\"arguments\":null}");
    feed(client, "{\"type\":\"request\"}");
    expect(client, "request 0 startDebugging -\nrequest 0  -\n");
    dap_connection_respond(client->connection, 0, "startDebugging", true, NULL, NULL);
    dap_connection_respond(client->connection, 0, "odd \"name\" \xff", false, NULL, "not supported");
    expect_sent(
        client,
        "{\"seq\":1,\"type\":\"response\",\"request_seq\":0,\"success\":true,\"command\":\"startDebugging\"}\n"
        "{\"seq\":2,\"type\":\"response\",\"request_seq\":0,\"success\":false,\"command\":\"odd \\\"name\\\" \xEF\xBF\xBD\","
        "\"message\":\"not supported\",\"body\":{}}\n");
}

static void test_respond_after_the_end(void **state)
{
    struct client *client = *state;

    dap_connection_end(client->connection, "gone");
    dap_connection_respond(client->connection, 1, "runInTerminal", true, parse_document("{}"), NULL);
    expect_sent(client, "");
}

/* ---- time ---- */

static void test_time_outs_in_order_of_time(void **state)
{
    struct client *client = *state;

    assert_true(dap_connection_deadline(client->connection) == UINT64_MAX);
    dap_connection_on_time(client->connection, 1000);
    request(client, "late", 3000);
    request(client, "never", 0);
    request(client, "soon", 1000);
    request(client, "middle", 2000);
    request(client, "soon too", 1000);
    assert_int_equal(dap_connection_deadline(client->connection), 2000);
    dap_connection_on_time(client->connection, 1999);
    expect(client, "");
    dap_connection_on_time(client->connection, 2000);
    expect(client,
           "soon timed out (no answer to \"soon\" within 1 s)\nsoon too timed out (no answer to \"soon too\" within 1 s)\n");
    assert_int_equal(dap_connection_deadline(client->connection), 3000);
    feed(client, "{\"type\":\"response\",\"request_seq\":4,\"success\":true}");
    assert_int_equal(dap_connection_deadline(client->connection), 4000);
    dap_connection_on_time(client->connection, UINT64_MAX);
    expect(client, "middle ok\nlate timed out (no answer to \"late\" within 3 s)\n");
    assert_true(dap_connection_pending(client->connection, 2));
    assert_true(dap_connection_deadline(client->connection) == UINT64_MAX);
}

/* A request that may take for ever is answered: the others' deadlines stay. */
static void test_deadline_beside_requests_without_one(void **state)
{
    struct client *client = *state;

    request(client, "timed", 10);
    request(client, "untimed", 0);
    feed(client, "{\"type\":\"response\",\"request_seq\":2,\"success\":true}");
    assert_int_equal(dap_connection_deadline(client->connection), 10);
    dap_connection_on_time(client->connection, 10);
    expect(client, "untimed ok\ntimed timed out (no answer to \"timed\" within 10 ms)\n");
}

/* One request that is not answered leaves the others alone. */
static void test_time_out_leaves_the_connection_usable(void **state)
{
    struct client *client = *state;

    request(client, "a", 10);
    request(client, "b", 1000);
    dap_connection_on_time(client->connection, 10);
    feed(client, "{\"type\":\"response\",\"request_seq\":2,\"success\":true}");
    assert_int_equal(request(client, "c", 0), 3);
    feed(client, "{\"type\":\"response\",\"request_seq\":3,\"success\":true}");
    expect(client, "a timed out (no answer to \"a\" within 10 ms)\nb ok\nc ok\n");
}

/* A time that runs backwards, and a time-out so long that it would wrap around. */
static void test_odd_times(void **state)
{
    struct client *client = *state;

    dap_connection_on_time(client->connection, 5000);
    dap_connection_on_time(client->connection, 100);
    request(client, "a", 1000);
    assert_int_equal(dap_connection_deadline(client->connection), 6000);
    request(client, "b", UINT64_MAX);
    request(client, "c", UINT64_MAX - 5000);
    dap_connection_on_time(client->connection, 6000);
    expect(client, "a timed out (no answer to \"a\" within 1 s)\n");
    assert_true(dap_connection_deadline(client->connection) == UINT64_MAX);
}

static void test_request_inside_a_time_out(void **state)
{
    struct client *client = *state;

    request(client, "a", 10);
    request(client, "b", 10);
    client->on_answer = REACT_REQUEST;
    dap_connection_on_time(client->connection, 10);
    expect(client, "a timed out (no answer to \"a\" within 10 ms)\nb timed out (no answer to \"b\" within 10 ms)\n");
    assert_true(dap_connection_pending(client->connection, 3));
}

static void test_cancel_inside_a_time_out(void **state)
{
    struct client *client = *state;

    request(client, "a", 10);
    request(client, "b", 10);
    client->on_answer = REACT_CANCEL;
    dap_connection_on_time(client->connection, 10);
    expect(client, "a timed out (no answer to \"a\" within 10 ms)\nb cancelled (the request \"b\" was cancelled)\n");
}

/* ---- cancellation ---- */

static void test_cancel_in_silence(void **state)
{
    struct client *client = *state;

    request(client, "variables", 1000);
    buffer_clear(&client->sent);
    dap_connection_cancel(client->connection, 1, false);
    expect(client, "variables cancelled (the request \"variables\" was cancelled)\n");
    expect_sent(client, "");
    assert_true(dap_connection_deadline(client->connection) == UINT64_MAX);
    dap_connection_cancel(client->connection, 1, true);
    dap_connection_cancel(client->connection, 77, true);
    expect_sent(client, "");
    feed(client, "{\"type\":\"response\",\"request_seq\":1,\"success\":true}");
    expect(client, "");
}

/* The cancelled request still gets its answer, and `cancel` one that may be an error: nobody is to see either. */
static void test_cancel_and_tell(void **state)
{
    static const char *const messages[] = {
        "{\"type\":\"response\",\"request_seq\":1,\"success\":false,\"message\":\"cancelled\"}",
        "{\"type\":\"response\",\"request_seq\":2,\"success\":false,\"message\":\"cannot cancel\"}",
        "{\"type\":\"response\",\"request_seq\":3,\"success\":true}",
    };
    struct client *client = *state;

    request(client, "variables", 0);
    buffer_clear(&client->sent);
    dap_connection_cancel(client->connection, 1, true);
    expect(client, "variables cancelled (the request \"variables\" was cancelled)\n");
    expect_sent(client, "{\"seq\":2,\"type\":\"request\",\"command\":\"cancel\",\"arguments\":{\"requestId\":1}}\n");
    request(client, "next", 0);
    feed_all(client, messages, COUNT_OF(messages));
    expect(client, "next ok\n");
    assert_int_equal(dap_connection_dropped(client->connection), 2);
}

/* ---- the end ---- */

/* The first one told of the end cancels the second: `cancel` was sent down a stream that had ended. */
static void test_cancel_at_the_end_sends_nothing(void **state)
{
    struct client *client = *state;

    request(client, "a", 0);
    request(client, "b", 0);
    buffer_clear(&client->sent);
    client->on_answer = REACT_TELL;
    dap_connection_end(client->connection, "gone");
    expect(client, "a closed (gone)\nb cancelled (the request \"b\" was cancelled)\n");
    expect_sent(client, "");
}

static void test_end_answers_everything(void **state)
{
    struct client *client = *state;

    request(client, "a", 0);
    request(client, "b", 10);
    assert_false(dap_connection_ended(client->connection));
    dap_connection_end(client->connection, "the adapter exited with code 3");
    assert_true(dap_connection_ended(client->connection));
    dap_connection_end(client->connection, "again");
    expect(client, "a closed (the adapter exited with code 3)\nb closed (the adapter exited with code 3)\n");
    buffer_clear(&client->sent);
    assert_int_equal(dap_connection_request(client->connection, "c", parse_document("{}"), 0, note_answer, client), 0);
    expect(client, "c closed (the adapter exited with code 3)\n");
    expect_sent(client, "");
    feed(client, "{\"type\":\"event\",\"event\":\"late\"}");
    dap_connection_on_time(client->connection, 100);
    expect(client, "");
}

static void test_end_inside_a_frame_is_reported(void **state)
{
    struct client *client = *state;

    dap_connection_feed(client->connection, "Content-Length: 10\r\n\r\n{", 23);
    dap_connection_end(client->connection, NULL);
    expect(client, "fault the stream ended inside a DAP message: 1 of 10 bytes came\n");
}

static void test_free_answers_what_is_pending(void **state)
{
    static const struct dap_connection_ops ops = {
        .send = on_send, .on_event = on_event, .on_request = on_request, .on_fault = on_fault
    };
    struct client *client = *state;

    dap_connection_free(client->connection);
    client->connection = dap_connection_new(&ops, client);
    request(client, "a", 0);
    dap_connection_free(client->connection);
    client->connection = NULL;
    expect(client, "a closed (the connection to the adapter was closed)\n");
    dap_connection_free(NULL);
}

/* A request made while the end is being told must not be sent, nor wait for ever. */
static void test_request_inside_the_end(void **state)
{
    struct client *client = *state;

    request(client, "a", 0);
    request(client, "b", 0);
    buffer_clear(&client->sent);
    client->on_answer = REACT_REQUEST;
    dap_connection_end(client->connection, "gone");
    expect(client, "a closed (gone)\nnested closed (gone)\nb closed (gone)\n");
    expect_sent(client, "");
}

static void test_cancel_inside_the_end(void **state)
{
    struct client *client = *state;

    request(client, "a", 0);
    request(client, "b", 0);
    client->on_answer = REACT_CANCEL;
    dap_connection_end(client->connection, "gone");
    expect(client, "a closed (gone)\nb cancelled (the request \"b\" was cancelled)\n");
}

/* Writing fails at once: the request is answered by the end, once. */
static void test_end_while_sending(void **state)
{
    struct client *client = *state;

    request(client, "a", 0);
    client->end_at_send = true;
    request(client, "b", 10);
    expect(client, "a closed (broken pipe)\nb closed (broken pipe)\n");
    assert_true(dap_connection_deadline(client->connection) == UINT64_MAX);
}

static void test_end_while_telling_of_a_cancel(void **state)
{
    struct client *client = *state;

    request(client, "a", 0);
    request(client, "b", 0);
    client->end_at_send = true;
    dap_connection_cancel(client->connection, 1, true);
    expect(client, "b closed (broken pipe)\na cancelled (the request \"a\" was cancelled)\n");
}

/* ---- callbacks that act ---- */

static void test_request_inside_an_answer(void **state)
{
    static const char *const messages[] = {
        "{\"type\":\"response\",\"request_seq\":1,\"success\":true}",
        "{\"type\":\"event\",\"event\":\"between\"}",
        "{\"type\":\"response\",\"request_seq\":2,\"success\":true}",
    };
    struct client *client = *state;

    request(client, "a", 0);
    client->on_answer = REACT_REQUEST;
    feed_all(client, messages, COUNT_OF(messages)); /* the nested one is answered in the same read */
    expect(client, "a ok\nevent between -\nnested ok\n");
}

static void test_request_inside_an_event(void **state)
{
    static const char *const messages[] = {
        "{\"type\":\"event\",\"event\":\"initialized\"}",
        "{\"type\":\"response\",\"request_seq\":1,\"success\":true}",
    };
    struct client *client = *state;

    client->on_event = REACT_REQUEST;
    feed_all(client, messages, COUNT_OF(messages));
    expect(client, "event initialized -\nnested ok\n");
}

static void test_end_inside_an_event(void **state)
{
    static const char *const messages[] = {
        "{\"type\":\"event\",\"event\":\"terminated\"}",
        "{\"type\":\"event\",\"event\":\"late\"}",
        "{\"type\":\"response\",\"request_seq\":1,\"success\":true}",
    };
    struct client *client = *state;

    request(client, "a", 0);
    client->on_event = REACT_END;
    feed_all(client, messages, COUNT_OF(messages));
    expect(client, "event terminated -\na closed (gone)\n");
}

static void test_end_inside_an_answer(void **state)
{
    struct client *client = *state;

    request(client, "a", 0);
    request(client, "b", 10);
    client->on_answer = REACT_END;
    feed(client, "{\"type\":\"response\",\"request_seq\":1,\"success\":true,\"body\":{\"still\":\"here\"}}");
    expect(client, "a ok {\"still\":\"here\"}\nb closed (gone)\n");
}

/* ---- many ---- */

/* Pending requests in thousands, answered in a shuffled order, timed out and cancelled in between: each once. */
static void test_many_requests(void **state)
{
    struct client *client = *state;
    size_t lines = 0;

    for (int64_t i = 1; i <= 1000; i++)
        assert_int_equal(request(client, "r", (uint64_t)(i % 3 == 0 ? 0 : 1 + i * 7919 % 1000)), i);
    for (int64_t i = 1; i <= 1000; i++) {
        int64_t seq = 1 + i * 379 % 1000;
        AUTO_FREE char *answer = xasprintf("{\"type\":\"response\",\"request_seq\":%" PRId64 ",\"success\":true}", seq);

        if (i % 5 == 0)
            dap_connection_cancel(client->connection, seq, i % 2 == 0);
        feed(client, answer);
        dap_connection_on_time(client->connection, (uint64_t)i);
        assert_false(dap_connection_pending(client->connection, seq));
        assert_true(dap_connection_deadline(client->connection) > (uint64_t)i);
    }
    for (size_t i = 0; i < client->log.len; i++)
        lines += client->log.data[i] == '\n';
    assert_int_equal(lines, 1000);
    assert_null(strstr(client->log.data, "fault"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start, finish)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_request_and_answer),
        TEST(test_request_without_arguments),
        TEST(test_nobody_waits_for_the_answer),
        TEST(test_answers_in_any_order),
        TEST(test_members_in_any_order),
        TEST(test_seq_of_the_adapter_does_not_matter),
        TEST(test_lenient_envelopes),
        TEST(test_in_flight_limit),
        TEST(test_events_before_the_first_answer),
        TEST(test_event_without_name),
        TEST(test_error_texts),
        TEST(test_refusal),
        TEST(test_refusal_without_success),
        TEST(test_second_answer_is_dropped),
        TEST(test_late_answer_is_dropped),
        TEST(test_answer_to_nothing),
        TEST(test_bad_messages_are_survived),
        TEST(test_bad_message_is_shown_in_part),
        TEST(test_too_deep),
        TEST(test_bad_utf8_is_repaired),
        TEST(test_junk_is_reported),
        TEST(test_reverse_request),
        TEST(test_reverse_request_with_seq_zero),
        TEST(test_respond_after_the_end),
        TEST(test_time_outs_in_order_of_time),
        TEST(test_deadline_beside_requests_without_one),
        TEST(test_time_out_leaves_the_connection_usable),
        TEST(test_odd_times),
        TEST(test_request_inside_a_time_out),
        TEST(test_cancel_inside_a_time_out),
        TEST(test_cancel_in_silence),
        TEST(test_cancel_and_tell),
        TEST(test_cancel_at_the_end_sends_nothing),
        TEST(test_end_answers_everything),
        TEST(test_end_inside_a_frame_is_reported),
        TEST(test_free_answers_what_is_pending),
        TEST(test_request_inside_the_end),
        TEST(test_cancel_inside_the_end),
        TEST(test_end_while_sending),
        TEST(test_end_while_telling_of_a_cancel),
        TEST(test_request_inside_an_answer),
        TEST(test_request_inside_an_event),
        TEST(test_end_inside_an_event),
        TEST(test_end_inside_an_answer),
        TEST(test_many_requests),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
