/* The MCP conversation in every revision, with calls that this test ends when it wants. */
#include "mcp/protocol.h"

#include "base/limits.h"
#include "base/memory.h"
#include "verb/verb.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MODERN_META \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\"io.modelcontextprotocol/clientCapabilities\":{}"

struct call {
    struct talk *talk;
    struct call *next;
    const struct verb *verb;
    char *arguments;
    call_done_fn done;
    void *user;
    bool cancelled;
};

/* One conversation: what was sent, and the calls that are running. */
struct talk {
    struct protocol *protocol;
    uint64_t now;
    struct buffer sent;
    struct call *calls;  /* newest first */
    size_t call_count;   /* running */
    bool answer_at_once; /* calls end inside start */
    bool end_on_cancel;  /* calls end inside cancel */
    bool congested;
    char *last_arguments; /* of the newest call */
};

static void finish(struct call *call, const char *text, bool is_error, const char *structured)
{
    struct talk *talk = call->talk;
    struct call **link = &talk->calls;
    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
    talk->call_count--;
    struct result result = { .is_error = is_error };
    buffer_init(&result.text, LIMIT_TEXT_BYTES);
    buffer_add(&result.text, text);
    if (structured) {
        yyjson_doc *doc = yyjson_read(structured, strlen(structured), 0);
        result.structured = yyjson_doc_mut_copy(doc, NULL);
        yyjson_doc_free(doc);
    }
    call->done(call->user, &result);
    buffer_done(&result.text);
    yyjson_mut_doc_free(result.structured);
    free(call->arguments);
    free(call);
}

static void fake_send(void *host, const char *message, size_t len)
{
    struct talk *talk = host;
    assert_true(len > 1 && message[len - 1] == '\n');
    assert_null(memchr(message, '\n', len - 1));
    buffer_append(&talk->sent, message, len);
}

static struct call *fake_start(void *host, const struct verb *verb, yyjson_val *arguments, call_done_fn done, void *user)
{
    struct talk *talk = host;
    struct call *call = xcalloc(1, sizeof(*call));
    call->talk = talk;
    call->verb = verb;
    call->arguments = arguments ? json_write_value(arguments, NULL) : NULL;
    call->done = done;
    call->user = user;
    call->next = talk->calls;
    talk->calls = call;
    talk->call_count++;
    xreplace(&talk->last_arguments, call->arguments);
    if (!talk->answer_at_once)
        return call;
    finish(call, "at once", false, NULL);
    return NULL;
}

static void fake_cancel(void *host, struct call *call)
{
    struct talk *talk = host;
    call->cancelled = true;
    if (talk->end_on_cancel)
        finish(call, "cancelled", false, NULL);
}

static const char *fake_doing(void *host, const struct call *call)
{
    (void)host;
    return strcmp(call->verb->name, "pause") == 0 ? NULL : "waiting for the program to stop";
}

static bool fake_congested(void *host)
{
    return ((struct talk *)host)->congested;
}

static const struct protocol_ops fake_ops = { fake_send, fake_start, fake_cancel, fake_doing, fake_congested };

static void talk_init_with(struct talk *talk, enum structured_mode mode, enum tool_set tools)
{
    *talk = (struct talk){ .now = 1000 };
    buffer_init(&talk->sent, 64 * 1024 * 1024);
    talk->protocol = protocol_new(&fake_ops, talk, mode, tools);
}

static void talk_init(struct talk *talk, enum structured_mode mode)
{
    talk_init_with(talk, mode, TOOL_SET_CORE);
}

static void talk_done(struct talk *talk)
{
    protocol_close(talk->protocol);
    while (talk->calls)
        finish(talk->calls, "", false, NULL);
    protocol_free(talk->protocol);
    buffer_done(&talk->sent);
    free(talk->last_arguments);
}
#define AUTO_TALK __attribute__((cleanup(talk_done)))

static void say(struct talk *talk, const char *line)
{
    size_t len = strlen(line);
    char *copy = xmalloc(len + BUFFER_PADDING);
    memcpy(copy, line, len);
    protocol_on_line(talk->protocol, talk->now, copy, len);
}

/* Everything sent since the last look. */
static void expect(struct talk *talk, const char *wanted)
{
    assert_string_equal(talk->sent.data, wanted);
    buffer_clear(&talk->sent);
}

static void expect_part(struct talk *talk, const char *wanted)
{
    if (!strstr(talk->sent.data, wanted))
        fail_msg("no %s in %s", wanted, talk->sent.data);
}

/* The one message sent since the last look, parsed. */
static void take(struct talk *talk, struct json *ret_json)
{
    assert_int_equal(json_parse_copy(talk->sent.data, talk->sent.len, ret_json, NULL), 0);
    buffer_clear(&talk->sent);
}

static void initialize(struct talk *talk, const char *version)
{
    AUTO_FREE char *line =
        xasprintf("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"%s\","
                  "\"capabilities\":{},\"clientInfo\":{\"name\":\"test\",\"version\":\"1\"}}}",
                  version);
    say(talk, line);
    buffer_clear(&talk->sent);
    say(talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    expect(talk, "");
}

static int64_t error_code(struct talk *talk)
{
    AUTO_JSON struct json json = { 0 };
    take(talk, &json);
    assert_non_null(json_string(json_object(json.root, "error"), "message"));
    return json_int_or(json_object(json.root, "error"), "code", 0);
}

/* ---- legacy handshake ---- */

static void expect_version(const char *asked, const char *wanted)
{
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    AUTO_FREE char *line =
        xasprintf("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":%s}}", asked);
    say(&talk, line);
    AUTO_JSON struct json json = { 0 };
    take(&talk, &json);
    yyjson_val *result = json_object(json.root, "result");
    assert_string_equal(json_string(result, "protocolVersion"), wanted);
    assert_string_equal(json_string(result, "instructions"), verb_instructions(TOOL_SET_CORE));
    assert_non_null(json_object(json_object(result, "capabilities"), "tools"));
    assert_string_equal(json_string(json_object(result, "serverInfo"), "name"), "dapple");
    assert_non_null(json_string(json_object(result, "serverInfo"), "version"));
    assert_null(json_member(result, "resultType")); /* only in the modern era */
    assert_int_equal(json_int_or(json.root, "id", -1), 0);
}

static void test_version_is_echoed_or_offered(void **state)
{
    (void)state;
    expect_version("\"2024-11-05\"", "2024-11-05");
    expect_version("\"2025-03-26\"", "2025-03-26");
    expect_version("\"2025-06-18\"", "2025-06-18");
    expect_version("\"2025-11-25\"", "2025-11-25");
    expect_version("\"2026-07-28\"", "2025-11-25"); /* has no initialize: the newest that has */
    expect_version("\"1999-01-01\"", "2025-11-25");
    expect_version("7", "2025-11-25"); /* an initialize never fails for its version */
}

static void test_ping_works_before_and_after(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}");
    expect(&talk, "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}\n");
    initialize(&talk, "2025-11-25");
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{}}");
    expect(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
}

static void test_tools_need_a_handshake_or_a_version(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    assert_int_equal(error_code(&talk), -32602);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"dap_status\"}}");
    assert_int_equal(error_code(&talk), -32602);
    assert_int_equal(talk.call_count, 0);
}

static void test_tools_list(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-06-18");
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":null}}");
    AUTO_FREE char *wanted =
        xasprintf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":%s}}\n", verb_tools(TOOL_SET_CORE, false));
    expect(&talk, wanted);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"2\"}}");
    assert_int_equal(error_code(&talk), -32602);
}

/* ---- the modern era ---- */

static void test_discover(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    say(&talk,
        "{\"jsonrpc\":\"2.0\",\"id\":\"server-discover-probe-1\",\"method\":\"server/discover\",\"params\":{" MODERN_META "}}}");
    AUTO_JSON struct json json = { 0 };
    take(&talk, &json);
    yyjson_val *result = json_object(json.root, "result");
    assert_string_equal(json_string(json.root, "id"), "server-discover-probe-1");
    assert_string_equal(yyjson_get_str(yyjson_arr_get_first(json_array(result, "supportedVersions"))), "2026-07-28");
    assert_string_equal(json_string(result, "resultType"), "complete");
    assert_string_equal(json_string(result, "cacheScope"), "private");
    assert_string_equal(json_string(result, "instructions"), verb_instructions(TOOL_SET_CORE));
    assert_true(json_int_or(result, "ttlMs", -1) >= 0);
    assert_non_null(json_object(json_object(result, "capabilities"), "tools"));
    yyjson_val *server = json_object(json_object(result, "_meta"), "io.modelcontextprotocol/serverInfo");
    assert_string_equal(json_string(server, "name"), "dapple");
}

static void test_modern_list_and_call(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" MODERN_META "}}}");
    AUTO_JSON struct json list = { 0 }, call = { 0 };
    take(&talk, &list);
    yyjson_val *result = json_object(list.root, "result");
    AUTO_JSON struct json core = { 0 };
    assert_int_equal(json_parse_copy(verb_tools_core_text, strlen(verb_tools_core_text), &core, NULL), 0);
    assert_true(yyjson_equals(json_array(result, "tools"), core.root));
    assert_string_equal(json_string(result, "resultType"), "complete");
    assert_true(json_int_or(result, "ttlMs", -1) >= 0);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"dap_status\"," MODERN_META "}}}");
    finish(talk.calls, "idle", false, NULL);
    take(&talk, &call);
    result = json_object(call.root, "result");
    assert_string_equal(json_string(result, "resultType"), "complete");
    assert_non_null(json_object(json_object(result, "_meta"), "io.modelcontextprotocol/serverInfo"));
    assert_null(json_member(result, "ttlMs"));
}

static void test_modern_meta_is_checked(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"server/discover\"}");
    assert_int_equal(error_code(&talk), -32602);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":"
               "{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}}}");
    assert_int_equal(error_code(&talk), -32602);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":"
               "{\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    assert_int_equal(error_code(&talk), -32602);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{\"_meta\":"
               "{\"io.modelcontextprotocol/protocolVersion\":null,\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    assert_int_equal(error_code(&talk), -32602);
}

static void test_modern_version_that_we_do_not_serve(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"server/discover\",\"params\":{\"_meta\":"
               "{\"io.modelcontextprotocol/protocolVersion\":\"2099-01-01\",\"io.modelcontextprotocol/clientCapabilities\":{}}}}");
    expect(&talk, "{\"jsonrpc\":\"2.0\",\"id\":5,\"error\":{\"code\":-32022,\"message\":\"unsupported protocol version\","
                  "\"data\":{\"supported\":[\"2026-07-28\"],\"requested\":\"2099-01-01\"}}}\n");
}

/* Each request stands for itself: both eras may be mixed in one process, and ping is gone from the modern one. */
static void test_eras_mix(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-11-25");
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{" MODERN_META "}}}");
    expect_part(&talk, "\"resultType\":\"complete\"");
    buffer_clear(&talk.sent);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/list\"}");
    assert_null(strstr(talk.sent.data, "resultType"));
    buffer_clear(&talk.sent);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\",\"params\":{" MODERN_META "}}}");
    assert_int_equal(error_code(&talk), -32601);
}

static void test_listen_is_acknowledged_and_stays_silent(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":\"L\",\"method\":\"subscriptions/listen\",\"params\":"
               "{\"notifications\":{\"toolsListChanged\":true}," MODERN_META "}}}");
    expect(&talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":"
                  "{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":\"L\"},\"notifications\":{}}}\n");
    say(&talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"L\"}}");
    expect(&talk, "");
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":\"L\",\"method\":\"subscriptions/listen\",\"params\":{" MODERN_META "}}}");
    assert_int_equal(error_code(&talk), -32602);
}

/* ---- calls ---- */

static void call_tool(struct talk *talk, const char *id, const char *tool, const char *more)
{
    AUTO_FREE char *line =
        xasprintf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\"%s}}", id, tool, more);
    say(talk, line);
}

static void test_call_and_result(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-11-25");
    call_tool(&talk, "7", "dap_next", ",\"arguments\":{\"timeout_ms\":\"5\"}");
    assert_string_equal(talk.last_arguments, "{\"timeout_ms\":\"5\"}");
    expect(&talk, "");
    finish(talk.calls, "stopped\nline 2", false, "{\"state\":\"stopped\"}");
    expect(&talk, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"stopped\\nline 2\"}]}}\n");
    call_tool(&talk, "8", "dap_next", ",\"arguments\":null");
    assert_null(talk.last_arguments);
    finish(talk.calls, "no", true, NULL);
    expect(&talk,
           "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"no\"}],\"isError\":true}}\n");
}

/* Pi runs the calls of one turn in parallel: answers come in whatever order the calls end. */
static void test_answers_in_any_order(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-11-25");
    call_tool(&talk, "1", "dap_next", "");
    call_tool(&talk, "2", "dap_status", "");
    finish(talk.calls, "second", false, NULL);
    expect_part(&talk, "\"id\":2");
    buffer_clear(&talk.sent);
    finish(talk.calls, "first", false, NULL);
    expect_part(&talk, "\"id\":1");
}

static void test_call_that_ends_at_once(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-11-25");
    talk.answer_at_once = true;
    call_tool(&talk, "\"a\"", "dap_status", "");
    expect_part(&talk, "\"id\":\"a\",\"result\"");
    assert_int_equal(protocol_deadline(talk.protocol), UINT64_MAX);
}

/* Hosts may hide protocol errors from the model, so only a malformed call is one. */
static void test_malformed_calls(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-11-25");
    call_tool(&talk, "1", "dap_fly", "");
    assert_int_equal(error_code(&talk), -32602);
    call_tool(&talk, "1", "dap_next", ",\"arguments\":[1]");
    assert_int_equal(error_code(&talk), -32602);
    call_tool(&talk, "1", "dap_next", ",\"arguments\":\"[]\"");
    assert_int_equal(error_code(&talk), -32602);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"}");
    assert_int_equal(error_code(&talk), -32602);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":7}}");
    assert_int_equal(error_code(&talk), -32602);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":[1]}");
    assert_int_equal(error_code(&talk), -32602);
    assert_int_equal(talk.call_count, 0);
}

static void test_too_many_calls(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-11-25");
    for (int i = 0; i < LIMIT_MCP_IN_FLIGHT; i++)
        call_tool(&talk, "1", "dap_next", "");
    expect(&talk, "");
    call_tool(&talk, "2", "dap_next", "");
    expect_part(&talk, "\"isError\":true");
    assert_int_equal(talk.call_count, LIMIT_MCP_IN_FLIGHT);
}

/* The set of one tool: what is called is the operation that the action names, with its own arguments. */
static void test_single_tool(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init_with(&talk, STRUCTURED_ON, TOOL_SET_SINGLE);
    initialize(&talk, "2025-11-25");
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\"}");
    AUTO_FREE char *wanted =
        xasprintf("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":%s}}\n", verb_tools(TOOL_SET_SINGLE, true));
    expect(&talk, wanted);
    call_tool(&talk, "2", "debug", ",\"arguments\":{\"action\":\"step_over\",\"timeout\":1.5}");
    assert_string_equal(talk.calls->verb->tool, "dap_next");
    assert_string_equal(talk.last_arguments, "{\"timeout_ms\":1500}");
    finish(talk.calls, "stopped", false, "{\"state\":\"stopped\"}");
    expect_part(&talk, "\"structuredContent\":{\"state\":\"stopped\"}");
    buffer_clear(&talk.sent);
    call_tool(&talk, "3", "debug", "");
    expect_part(&talk, "\"text\":\"Dapple: invalid arguments: /action is required");
    expect_part(&talk, "\"isError\":true");
    buffer_clear(&talk.sent);
    call_tool(&talk, "4", "debug", ",\"arguments\":[1]");
    assert_int_equal(error_code(&talk), -32602);
    assert_int_equal(talk.call_count, 0);
}

static void test_the_single_tool_is_of_its_set_only(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-11-25");
    call_tool(&talk, "1", "debug", ",\"arguments\":{\"action\":\"status\"}");
    assert_int_equal(error_code(&talk), -32602);
    assert_int_equal(talk.call_count, 0);
}

/* ---- structured results ---- */

static void structured_case(enum structured_mode mode, const char *client, bool modern, bool wanted)
{
    AUTO_TALK struct talk talk;
    talk_init(&talk, mode);
    AUTO_FREE char *line = xasprintf("{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":"
                                     "{\"protocolVersion\":\"2025-11-25\",\"clientInfo\":{\"name\":\"%s\"}}}",
                                     client);
    say(&talk, line);
    buffer_clear(&talk.sent);
    const char *meta = modern ? MODERN_META "}" : "\"_meta\":{}";
    AUTO_FREE char *list = xasprintf("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{%s}}", meta);
    say(&talk, list);
    assert_int_equal(strstr(talk.sent.data, "outputSchema") != NULL, wanted);
    buffer_clear(&talk.sent);
    AUTO_FREE char *more = xasprintf(",%s", meta);
    call_tool(&talk, "2", "dap_status", more);
    finish(talk.calls, "idle", false, "{\"state\":\"idle\"}");
    assert_int_equal(strstr(talk.sent.data, "\"structuredContent\":{\"state\":\"idle\"}") != NULL, wanted);
    expect_part(&talk, "\"text\":\"idle\"");
}

/* A host that shows the JSON instead of the text must not get it unasked; an output schema without it makes clients throw. */
static void test_structured_results(void **state)
{
    (void)state;
    structured_case(STRUCTURED_AUTO, "claude-code", false, false);
    structured_case(STRUCTURED_AUTO, "pi", false, true);
    structured_case(STRUCTURED_AUTO, "pi", true, false);
    structured_case(STRUCTURED_AUTO, "pixie", false, false);
    structured_case(STRUCTURED_ON, "claude-code", false, true);
    structured_case(STRUCTURED_ON, "claude-code", true, true);
    structured_case(STRUCTURED_OFF, "pi", false, false);
}

/* ---- progress ---- */

#define TOKEN(token) ",\"_meta\":{\"progressToken\":" token "}"

static void test_progress_once_a_second(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-11-25");
    call_tool(&talk, "1", "dap_next", TOKEN("\"t\""));
    assert_int_equal(protocol_deadline(talk.protocol), 2000);
    talk.now = 1999;
    protocol_on_time(talk.protocol, talk.now);
    expect(&talk, "");
    talk.now = 2000;
    protocol_on_time(talk.protocol, talk.now);
    expect(&talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":"
                  "{\"progressToken\":\"t\",\"progress\":1,\"message\":\"waiting for the program to stop (1 s)\"}}\n");
    protocol_on_time(talk.protocol, talk.now);
    expect(&talk, "");
    talk.now = 9500; /* the loop was busy: one note, not seven */
    protocol_on_time(talk.protocol, talk.now);
    expect_part(&talk, "\"progress\":8,");
    buffer_clear(&talk.sent);
    assert_int_equal(protocol_deadline(talk.protocol), 10500);
    finish(talk.calls, "stopped", false, NULL);
    buffer_clear(&talk.sent);
    assert_int_equal(protocol_deadline(talk.protocol), UINT64_MAX);
    protocol_on_time(talk.protocol, 99000);
    expect(&talk, "");
}

/* The timer may fire early within a second twice; the numbers must grow all the same. */
static void test_progress_grows_strictly(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-11-25");
    call_tool(&talk, "1", "dap_pause", TOKEN("0"));
    int64_t last = 0;
    for (talk.now = 2000; talk.now < 8000; talk.now += 700) {
        protocol_on_time(talk.protocol, talk.now);
        if (talk.sent.len == 0)
            continue;
        AUTO_JSON struct json json = { 0 };
        take(&talk, &json);
        yyjson_val *params = json_object(json.root, "params");
        assert_int_equal(json_int_or(params, "progressToken", -1), 0);
        assert_true(json_int_or(params, "progress", -1) > last);
        assert_non_null(strstr(json_string(params, "message"), "dap_pause (")); /* the call does not say what it does */
        last = json_int_or(params, "progress", -1);
    }
    assert_true(last >= 4);
}

static void test_no_progress_unasked(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-11-25");
    call_tool(&talk, "1", "dap_next", "");
    call_tool(&talk, "2", "dap_next", TOKEN("null"));
    call_tool(&talk, "3", "dap_next", TOKEN("[1]"));
    call_tool(&talk, "4", "dap_status", TOKEN("4")); /* does not wait */
    assert_int_equal(protocol_deadline(talk.protocol), UINT64_MAX);
    call_tool(&talk, "5", "dap_next", TOKEN("5"));
    talk.congested = true; /* nobody reads: do not pile up */
    protocol_on_time(talk.protocol, 5000);
    expect(&talk, "");
    assert_int_equal(protocol_deadline(talk.protocol), 6000);
}

/* ---- cancelling ---- */

static void cancel(struct talk *talk, const char *id)
{
    AUTO_FREE char *line = xasprintf("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":"
                                     "{\"requestId\":%s,\"reason\":\"user\"}}",
                                     id);
    say(talk, line);
}

/* An answer to a cancelled request made a host close the connection. */
static void test_nothing_is_sent_for_a_cancelled_call(void **state)
{
    (void)state;
    for (int at_once = 0; at_once < 2; at_once++) {
        AUTO_TALK struct talk talk;
        talk_init(&talk, STRUCTURED_AUTO);
        initialize(&talk, "2025-11-25");
        talk.end_on_cancel = at_once;
        call_tool(&talk, "0", "dap_next", TOKEN("\"t\""));
        cancel(&talk, "\"0\""); /* another id: a string */
        assert_int_equal(talk.call_count, 1);
        assert_false(talk.calls->cancelled);
        cancel(&talk, "0");
        if (!at_once) {
            assert_true(talk.calls->cancelled);
            protocol_on_time(talk.protocol, 9000);
            cancel(&talk, "0");
            finish(talk.calls, "late", false, NULL);
        }
        expect(&talk, "");
        assert_int_equal(talk.call_count, 0);
        call_tool(&talk, "0", "dap_next", ""); /* the id is free again */
        finish(talk.calls, "ok", false, NULL);
        expect_part(&talk, "\"id\":0");
    }
}

static void test_cancelling_what_is_not_there(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-11-25");
    cancel(&talk, "99");
    cancel(&talk, "null");
    say(&talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}");
    say(&talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":[]}");
    expect(&talk, "");
}

/* ---- batches ---- */

static void test_batch_is_answered_as_one(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-03-26");
    say(&talk, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"},{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"},"
               "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"dap_next\"}},7]");
    expect(&talk, "");
    finish(talk.calls, "ok", false, NULL);
    expect(&talk, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}},"
                  "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600,\"message\":\"not a JSON-RPC 2.0 message\"}},"
                  "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"ok\"}]}}]\n");
    say(&talk, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]");
    expect(&talk, "");
}

static void test_batch_with_a_cancelled_call(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-03-26");
    talk.end_on_cancel = true;
    say(&talk, "[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"dap_next\"}},"
               "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}]");
    cancel(&talk, "2");
    expect(&talk, "[{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}]\n");
    /* cancelled within the batch itself: no answer is left, so nothing is sent */
    say(&talk, "[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"dap_next\"}},"
               "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":2}}]");
    expect(&talk, "");
}

static void test_batches_where_they_do_not_belong(void **state)
{
    (void)state;
    static const char ping[] = "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]";
    static const struct {
        const char *version;
        bool allowed;
    } cases[] = { { "2024-11-05", true }, { "2025-03-26", true }, { "2025-06-18", false }, { "2025-11-25", false } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        AUTO_TALK struct talk talk;
        talk_init(&talk, STRUCTURED_AUTO);
        say(&talk, ping);
        assert_int_equal(error_code(&talk), -32600);
        initialize(&talk, cases[i].version);
        say(&talk, ping);
        if (cases[i].allowed)
            expect(&talk, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}]\n");
        else
            assert_int_equal(error_code(&talk), -32600);
        say(&talk, "[]");
        assert_int_equal(error_code(&talk), -32600);
    }
}

static void test_initialize_is_not_for_batches(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-03-26");
    say(&talk, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-11-25\"}}]");
    expect_part(&talk, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32600");
    buffer_clear(&talk.sent);
    say(&talk, "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]"); /* and has changed nothing */
    expect_part(&talk, "[{");
}

/* Sixteen megabytes of tiny requests would be answered with a hundred times as much. */
static void test_batch_has_a_limit(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-03-26");
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, 1024 * 1024);
    buffer_addc(&line, '[');
    for (int i = 0; i <= LIMIT_MCP_IN_FLIGHT; i++)
        buffer_addf(&line, "%s{}", i > 0 ? "," : "");
    buffer_addc(&line, ']');
    say(&talk, line.data);
    assert_int_equal(error_code(&talk), -32600);
}

/* ---- ids and junk ---- */

static void test_ids_come_back_as_they_were(void **state)
{
    (void)state;
    static const char *const ids[] = { "0",
                                       "\"\"",
                                       "\"0\"",
                                       "-7",
                                       "9007199254740993",
                                       "18446744073709551615",
                                       "340282366920938463463374607431768211456",
                                       "\"\\\"\\\\\\u0001\"" };
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        AUTO_FREE char *line = xasprintf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", ids[i]);
        AUTO_FREE char *wanted = xasprintf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"result\":{}}\n", ids[i]);
        say(&talk, line);
        expect(&talk, wanted);
    }
}

static void test_ids_that_are_none(void **state)
{
    (void)state;
    static const char *const ids[] = { "null", "1.5", "true", "{}", "[1]" };
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    for (size_t i = 0; i < COUNT_OF(ids); i++) {
        AUTO_FREE char *line = xasprintf("{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}", ids[i]);
        say(&talk, line);
        expect_part(&talk, "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32600");
        buffer_clear(&talk.sent);
    }
}

static void test_junk(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    say(&talk, "hello");
    assert_int_equal(error_code(&talk), -32700);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"");
    assert_int_equal(error_code(&talk), -32700);
    say(&talk, "7");
    assert_int_equal(error_code(&talk), -32600);
    say(&talk, "{\"id\":1,\"method\":\"ping\"}");
    assert_int_equal(error_code(&talk), -32600);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}");
    assert_int_equal(error_code(&talk), -32600);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1}");
    assert_int_equal(error_code(&talk), -32600);
    protocol_on_line(talk.protocol, talk.now, NULL, 0);
    assert_int_equal(error_code(&talk), -32600);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/list\"}");
    assert_int_equal(error_code(&talk), -32601);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\\nb\"}");
    expect(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,\"message\":\"method not found: a\\\\nb\"}}\n");
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"); /* and it goes on */
    expect(&talk, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}\n");
}

/* Deep nesting must not exhaust the stack. */
static void test_deep_nesting(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    AUTO_FREE char *line = xmalloc(200001);
    memset(line, '[', 200000);
    line[200000] = '\0';
    say(&talk, line);
    assert_int_equal(error_code(&talk), -32700);
    memset(line + 100000, ']', 100000);
    say(&talk, line);
    assert_int_equal(error_code(&talk), -32700);
}

static void test_invalid_utf8_is_repaired(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":\"a\xff\",\"method\":\"ping\"}");
    expect(&talk, "{\"jsonrpc\":\"2.0\",\"id\":\"a\xef\xbf\xbd\",\"result\":{}}\n");
}

/* We ask nothing, so an answer is somebody's mistake: an error to an error could go round for ever. */
static void test_answers_and_unknown_notifications_are_ignored(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}");
    say(&talk, "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-1,\"message\":\"x\"}}");
    say(&talk, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/roots/list_changed\"}");
    say(&talk, "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\",\"params\":{\"name\":\"dap_status\"}}");
    expect(&talk, "");
    assert_int_equal(talk.call_count, 0);
}

/* The client has gone while calls wait: ending them must write nothing. */
static void test_closed_is_silent(void **state)
{
    (void)state;
    AUTO_TALK struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-03-26");
    call_tool(&talk, "1", "dap_next", TOKEN("1"));
    say(&talk, "[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"dap_next\"}}]");
    protocol_close(talk.protocol);
    protocol_on_time(talk.protocol, 9000);
    while (talk.calls)
        finish(talk.calls, "late", false, NULL);
    expect(&talk, "");
}

/* The end came without the calls having ended, one of them in a batch: nothing may leak. */
static void test_free_with_calls_left(void **state)
{
    (void)state;
    struct talk talk;
    talk_init(&talk, STRUCTURED_AUTO);
    initialize(&talk, "2025-03-26");
    call_tool(&talk, "1", "dap_next", TOKEN("1"));
    say(&talk, "[{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"dap_next\"}}]");
    protocol_free(talk.protocol);
    assert_int_equal(talk.sent.len, 0);
    while (talk.calls) {
        struct call *call = talk.calls;
        talk.calls = call->next;
        free(call->arguments);
        free(call);
    }
    buffer_done(&talk.sent);
    free(talk.last_arguments);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_version_is_echoed_or_offered),
        cmocka_unit_test(test_ping_works_before_and_after),
        cmocka_unit_test(test_tools_need_a_handshake_or_a_version),
        cmocka_unit_test(test_tools_list),
        cmocka_unit_test(test_discover),
        cmocka_unit_test(test_modern_list_and_call),
        cmocka_unit_test(test_modern_meta_is_checked),
        cmocka_unit_test(test_modern_version_that_we_do_not_serve),
        cmocka_unit_test(test_eras_mix),
        cmocka_unit_test(test_listen_is_acknowledged_and_stays_silent),
        cmocka_unit_test(test_call_and_result),
        cmocka_unit_test(test_answers_in_any_order),
        cmocka_unit_test(test_call_that_ends_at_once),
        cmocka_unit_test(test_malformed_calls),
        cmocka_unit_test(test_too_many_calls),
        cmocka_unit_test(test_single_tool),
        cmocka_unit_test(test_the_single_tool_is_of_its_set_only),
        cmocka_unit_test(test_structured_results),
        cmocka_unit_test(test_progress_once_a_second),
        cmocka_unit_test(test_progress_grows_strictly),
        cmocka_unit_test(test_no_progress_unasked),
        cmocka_unit_test(test_nothing_is_sent_for_a_cancelled_call),
        cmocka_unit_test(test_cancelling_what_is_not_there),
        cmocka_unit_test(test_batch_is_answered_as_one),
        cmocka_unit_test(test_batch_with_a_cancelled_call),
        cmocka_unit_test(test_batches_where_they_do_not_belong),
        cmocka_unit_test(test_initialize_is_not_for_batches),
        cmocka_unit_test(test_batch_has_a_limit),
        cmocka_unit_test(test_ids_come_back_as_they_were),
        cmocka_unit_test(test_ids_that_are_none),
        cmocka_unit_test(test_junk),
        cmocka_unit_test(test_deep_nesting),
        cmocka_unit_test(test_invalid_utf8_is_repaired),
        cmocka_unit_test(test_answers_and_unknown_notifications_are_ignored),
        cmocka_unit_test(test_closed_is_silent),
        cmocka_unit_test(test_free_with_calls_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
