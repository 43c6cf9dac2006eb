/* Lines of JSON-RPC: every way in which a stream can be cut, and the envelopes. */
#include "mcp/jsonrpc.h"

#include "base/limits.h"
#include "base/memory.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* What arrived: lines joined by "|", "<long>" for one that was dropped. */
struct heard {
    struct jsonrpc_lines lines;
    struct buffer all;
};

static void on_line(void *user, char *line, size_t len)
{
    struct heard *heard = user;
    if (!line) {
        buffer_add(&heard->all, "<long>|");
        return;
    }
    buffer_append(&heard->all, line, len);
    buffer_addc(&heard->all, '|');
    memset(line + len, 0, BUFFER_PADDING); /* the parser writes there */
    free(line);
}

static void heard_init(struct heard *heard)
{
    jsonrpc_lines_init(&heard->lines);
    buffer_init(&heard->all, 1024 * 1024);
}

static void heard_done(struct heard *heard)
{
    jsonrpc_lines_done(&heard->lines);
    buffer_done(&heard->all);
}
#define AUTO_HEARD __attribute__((cleanup(heard_done)))

static void feed(struct heard *heard, const char *text)
{
    jsonrpc_lines_feed(&heard->lines, text, strlen(text), on_line, heard);
}

/* A reader built on getline and poll once hung when several messages came in one write. */
static void test_several_lines_in_one_piece(void **state)
{
    (void)state;
    AUTO_HEARD struct heard heard;
    heard_init(&heard);
    feed(&heard, "{\"a\":1}\n{\"b\":2}\n{\"c\"");
    assert_string_equal(heard.all.data, "{\"a\":1}|{\"b\":2}|");
    feed(&heard, ":3}\n");
    assert_string_equal(heard.all.data, "{\"a\":1}|{\"b\":2}|{\"c\":3}|");
}

static void test_byte_by_byte(void **state)
{
    (void)state;
    AUTO_HEARD struct heard heard;
    heard_init(&heard);
    const char *text = "{\"a\":\"\xc3\xa4\"}\r\n\r\n \t\n[]\n";
    for (const char *at = text; *at; at++)
        jsonrpc_lines_feed(&heard.lines, at, 1, on_line, &heard);
    assert_string_equal(heard.all.data, "{\"a\":\"\xc3\xa4\"}|[]|");
}

static void test_cr_alone_ends_no_line(void **state)
{
    (void)state;
    AUTO_HEARD struct heard heard;
    heard_init(&heard);
    feed(&heard, "{\r}\r\n");
    assert_string_equal(heard.all.data, "{\r}|");
}

/* `printf '{…}' | dapple mcp` has no newline at its end; it was ignored. */
static void test_last_line_without_end(void **state)
{
    (void)state;
    AUTO_HEARD struct heard heard;
    heard_init(&heard);
    feed(&heard, "{}\n{\"last\":1}");
    jsonrpc_lines_end(&heard.lines, on_line, &heard);
    assert_string_equal(heard.all.data, "{}|{\"last\":1}|");
    jsonrpc_lines_end(&heard.lines, on_line, &heard);
    assert_string_equal(heard.all.data, "{}|{\"last\":1}|");
}

/* An endless line must cost bounded memory, be reported once, and not swallow the next one. */
static void test_an_endless_line_is_dropped_once(void **state)
{
    (void)state;
    AUTO_HEARD struct heard heard;
    heard_init(&heard);
    AUTO_FREE char *piece = xmalloc(1024 * 1024);
    memset(piece, 'x', 1024 * 1024);
    for (int i = 0; i < 40; i++)
        jsonrpc_lines_feed(&heard.lines, piece, 1024 * 1024, on_line, &heard);
    assert_string_equal(heard.all.data, "<long>|");
    assert_true(heard.lines.line.len <= LIMIT_MCP_LINE);
    feed(&heard, "\n{}\n");
    assert_string_equal(heard.all.data, "<long>|{}|");
}

static void test_the_longest_line_passes(void **state)
{
    (void)state;
    AUTO_HEARD struct heard heard;
    heard_init(&heard);
    buffer_done(&heard.all);
    buffer_init(&heard.all, LIMIT_MCP_LINE + 100);
    AUTO_FREE char *line = xmalloc(LIMIT_MCP_LINE + 1);
    memset(line, 'x', LIMIT_MCP_LINE + 1);
    jsonrpc_lines_feed(&heard.lines, line, LIMIT_MCP_LINE, on_line, &heard);
    feed(&heard, "\n");
    assert_int_equal(heard.all.len, LIMIT_MCP_LINE + 1);
    jsonrpc_lines_feed(&heard.lines, line, LIMIT_MCP_LINE + 1, on_line, &heard);
    feed(&heard, "\n");
    assert_string_equal(heard.all.data + LIMIT_MCP_LINE, "|<long>|");
}

static void test_nul_bytes_are_kept(void **state)
{
    (void)state;
    AUTO_HEARD struct heard heard;
    heard_init(&heard);
    jsonrpc_lines_feed(&heard.lines, "a\0b\n", 4, on_line, &heard);
    assert_int_equal(heard.all.len, 4);
    assert_memory_equal(heard.all.data, "a\0b|", 4);
}

/* ---- ids ---- */

static void expect_id(const char *json, const char *wanted)
{
    AUTO_JSON struct json parsed = { 0 };
    assert_int_equal(json_parse_copy(json, strlen(json), &parsed, NULL), 0);
    AUTO_FREE char *id = jsonrpc_id(parsed.root);
    if (wanted)
        assert_string_equal(id, wanted);
    else
        assert_null(id);
}

/* A client counts from 0; another uses strings; Python's integers have no end. Each must come back as it was sent. */
static void test_ids_are_kept_exactly(void **state)
{
    (void)state;
    expect_id("0", "0");
    expect_id("-1", "-1");
    expect_id("9007199254740993", "9007199254740993");
    expect_id("18446744073709551615", "18446744073709551615");
    expect_id("123456789012345678901234567890", "123456789012345678901234567890");
    expect_id("\"\"", "\"\"");
    expect_id("\"1\"", "\"1\"");
    expect_id("\"\\u00e4\\n\"", "\"\xc3\xa4\\n\"");
    expect_id("null", NULL);
    expect_id("1.5", NULL);
    expect_id("1e400", NULL);
    expect_id("true", NULL);
    expect_id("[1]", NULL);
    expect_id("{}", NULL);
}

static void expect_message(yyjson_mut_doc *doc, const char *wanted)
{
    AUTO_FREE char *text = json_write(doc, NULL);
    yyjson_mut_doc_free(doc);
    assert_string_equal(text, wanted);
}

static void test_envelopes(void **state)
{
    (void)state;
    yyjson_mut_val *inside = NULL;
    expect_message(jsonrpc_result("7", &inside), "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
    expect_message(jsonrpc_error("\"x\"", JSONRPC_INVALID_PARAMS, "a\nb", &inside),
                   "{\"jsonrpc\":\"2.0\",\"id\":\"x\",\"error\":{\"code\":-32602,\"message\":\"a\\nb\"}}");
    expect_message(jsonrpc_error(NULL, JSONRPC_PARSE_ERROR, "no", &inside),
                   "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no\"}}");
    expect_message(jsonrpc_notification("a/b", &inside), "{\"jsonrpc\":\"2.0\",\"method\":\"a/b\",\"params\":{}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_several_lines_in_one_piece),
        cmocka_unit_test(test_byte_by_byte),
        cmocka_unit_test(test_cr_alone_ends_no_line),
        cmocka_unit_test(test_last_line_without_end),
        cmocka_unit_test(test_an_endless_line_is_dropped_once),
        cmocka_unit_test(test_the_longest_line_passes),
        cmocka_unit_test(test_nul_bytes_are_kept),
        cmocka_unit_test(test_ids_are_kept_exactly),
        cmocka_unit_test(test_envelopes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
