/* Every stream below is fed whole, byte by byte, and in many random pieces: what comes out must be the same. */
#include "dap/framing.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- what came out, as lines: "body {...}" and "fault sentence" ---- */

struct recorder {
    struct dap_framing *framing;
    struct buffer log;
    size_t bodies, faults;
    size_t last_len;
    bool end_at_body;
};

static void on_body(void *user, char *body, size_t len)
{
    struct recorder *recorder = user;

    for (size_t i = 0; i < JSON_PADDING; i++)
        assert_int_equal(body[len + i], 0);
    memset(body + len, 'x', JSON_PADDING); /* must be writable: the sanitizer looks */
    recorder->bodies++;
    recorder->last_len = len;
    buffer_add(&recorder->log, "body ");
    buffer_append(&recorder->log, body, len < 100 ? len : 100);
    buffer_add(&recorder->log, "\n");
    free(body);
    if (recorder->end_at_body)
        dap_framing_end(recorder->framing);
}

static void on_fault(void *user, const char *sentence)
{
    struct recorder *recorder = user;

    assert_null(strchr(sentence, '\n'));
    recorder->faults++;
    buffer_addf(&recorder->log, "fault %s\n", sentence);
}

static void start(struct recorder *recorder)
{
    static const struct dap_framing_ops ops = { .on_body = on_body, .on_fault = on_fault };

    memset(recorder, 0, sizeof(*recorder));
    buffer_init(&recorder->log, 1024 * 1024);
    recorder->framing = dap_framing_new(&ops, recorder);
}

static void finish(struct recorder *recorder)
{
    dap_framing_free(recorder->framing);
    buffer_done(&recorder->log);
}

/* ---- feeding ---- */

static uint64_t random_state;

static size_t random_below(size_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (size_t)(random_state >> 33) % limit;
}

/* A piece is heap memory of just its size, so that a read past it is seen. */
static void feed_piece(struct recorder *recorder, const char *bytes, size_t len)
{
    char *piece = xmalloc(len > 0 ? len : 1);

    memcpy(piece, bytes, len);
    dap_framing_feed(recorder->framing, piece, len);
    free(piece);
}

static void feed_random(struct recorder *recorder, const char *bytes, size_t len, size_t longest)
{
    size_t done = 0;

    while (done < len) {
        size_t piece = random_below(longest + 1);
        if (piece > len - done)
            piece = len - done;
        feed_piece(recorder, bytes + done, piece);
        done += piece;
    }
}

static void expect_in_pieces(const char *bytes, size_t len, size_t longest, const char *expected)
{
    struct recorder recorder;

    start(&recorder);
    feed_random(&recorder, bytes, len, longest);
    dap_framing_end(recorder.framing);
    assert_string_equal(recorder.log.data, expected);
    finish(&recorder);
}

static void expect_bytes(const char *bytes, size_t len, const char *expected)
{
    static const size_t longest[] = { 1, 2, 3, 7, 20, 64, 300, 5000 };
    struct recorder recorder;

    start(&recorder);
    feed_piece(&recorder, bytes, len);
    dap_framing_end(recorder.framing);
    assert_string_equal(recorder.log.data, expected);
    finish(&recorder);
    for (size_t i = 0; i < COUNT_OF(longest); i++) {
        random_state = i;
        for (int round = 0; round < 20; round++)
            expect_in_pieces(bytes, len, longest[i], expected);
    }
}

static void expect(const char *stream, const char *expected)
{
    expect_bytes(stream, strlen(stream), expected);
}

static char *padded_header(const char *before, size_t whole)
{
    char *header = xmalloc(whole + 64);
    size_t at = (size_t)sprintf(header, "%s", before);

    at += (size_t)sprintf(header + at, "X: ");
    memset(header + at, 'p', whole - at - strlen("\r\n\r\n"));
    strcpy(header + whole - strlen("\r\n\r\n"), "\r\n\r\n");
    strcat(header, "{}");
    return header;
}

/* ---- the plain way ---- */

static void test_one_frame(void **state)
{
    (void)state;
    expect("Content-Length: 7\r\n\r\n{\"a\":1}", "body {\"a\":1}\n");
}

/* One read() was taken for one message, and messages were lost under load (vscode-languageserver-node#1305). */
static void test_glued_frames(void **state)
{
    (void)state;
    expect("Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]Content-Length: 4\r\n\r\nnull",
           "body {}\nbody [1]\nbody null\n");
}

/* The length counts bytes, not characters. */
static void test_length_is_bytes(void **state)
{
    (void)state;
    expect("Content-Length: 6\r\n\r\n\"\xC3\xA4\xC3\xA4\"Content-Length: 2\r\n\r\n{}", "body \"\xC3\xA4\xC3\xA4\"\nbody {}\n");
}

static void test_body_with_zero_bytes(void **state)
{
    static const char stream[] = "Content-Length: 3\r\n\r\na\0bContent-Length: 2\r\n\r\n{}";
    struct recorder recorder;

    (void)state;
    start(&recorder);
    feed_random(&recorder, stream, sizeof(stream) - 1, 5);
    assert_int_equal(recorder.bodies, 2);
    assert_int_equal(recorder.faults, 0);
    finish(&recorder);
}

static void test_nothing(void **state)
{
    (void)state;
    expect("", "");
    expect("\r\n\n  \r\n", "");
}

static void test_written_header(void **state)
{
    char header[64];

    (void)state;
    assert_int_equal(dap_framing_header(header, 119), strlen("Content-Length: 119\r\n\r\n"));
    assert_string_equal(header, "Content-Length: 119\r\n\r\n");
    assert_true(dap_framing_header(header, SIZE_MAX) < sizeof(header));
}

/* ---- header variants ---- */

/* Adapters write the name in lower case, blanks around the colon, bare LF, other headers before and after; a strict reader said
 * "missing content length" (vscode_erlang#255). */
static void test_header_variants(void **state)
{
    static const char *const headers[] = {
        "content-length: 2\r\n\r\n",
        "CONTENT-LENGTH: 2\r\n\r\n",
        "Content-Length:2\r\n\r\n",
        "Content-Length  :   2  \r\n\r\n",
        "\tContent-Length\t:\t2\t\r\n\r\n",
        "Content-Length: 2\n\n",
        "Content-Length: 2\n\r\n",
        "Content-Length: 2\r\n\n",
        "Content-Length: 2\r\n  \r\n",
        "Content-Length: 2\r\r\n\r\n",
        "Content-Length: 0002\r\n\r\n",
        "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: 2\r\n\r\n",
        "Content-Length: 2\r\nContent-Type: application/json\r\n\r\n",
        "X-A : 1\r\nX-B:\r\nContent-Length: 2\r\nX-C: 3\r\n\r\n",
        "X-Content-Length: 77\r\nContent-Length: 2\r\nContent-Length-X: 5\r\n\r\n",
        "\r\n\r\n\nContent-Length: 2\r\n\r\n",
        "Content-Length: 2\r\nContent-Length: 2\r\n\r\n",
    };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(headers); i++) {
        AUTO_FREE char *stream = xasprintf("%s{}Content-Length: 1\r\n\r\n7", headers[i]);
        expect(stream, "body {}\nbody 7\n");
    }
}

/* A header that was cut off by a dying writer is followed by a whole one: the second length is the one before the body. */
static void test_two_lengths(void **state)
{
    (void)state;
    expect("Content-Length: 100\r\nContent-Length: 2\r\n\r\n{}Content-Length: 1\r\n\r\n7",
           "fault a DAP message header names two lengths, 100 and 2; the second one is used\nbody {}\nbody 7\n");
}

static void test_zero_length(void **state)
{
    (void)state;
    expect("Content-Length: 0\r\n\r\nContent-Length: 2\r\n\r\n{}", "body {}\n");
}

static void test_unusable_length(void **state)
{
    static const char *const values[] = { "abc", "-5", "+5", "", "5 5", "5, 5", "0x10", "5.0", "1e3", "5a" };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(values); i++) {
        AUTO_FREE char *stream =
            xasprintf("Content-Length: %s\r\nX: 1\r\n\r\n{\"lost\":1}\r\nContent-Length: 2\r\n\r\n{}", values[i]);
        AUTO_FREE char *expected = xasprintf(
            "fault skipped a DAP message whose header has no usable length: \"Content-Length: %s\"\nbody {}\n", values[i]);
        expect(stream, expected);
    }
}

static void test_bad_length_after_a_good_one(void **state)
{
    (void)state;
    expect("Content-Length: 5\r\nContent-Length: five\r\n\r\n12345Content-Length: 2\r\n\r\n{}",
           "fault skipped a DAP message whose header has no usable length: \"Content-Length: five\"\nbody {}\n");
}

static void test_bad_length_with_blanks_before_the_colon(void **state)
{
    (void)state;
    expect("Content-Length : five\r\n\r\nContent-Length: 2\r\n\r\n{}",
           "fault skipped a DAP message whose header has no usable length: \"Content-Length : five\"\nbody {}\n");
}

/* Lines that have a part of what a header needs. */
static void test_beginnings_of_headers_are_junk(void **state)
{
    static const char *const lines[] = { "5", ": 5", "Content-Length 5", "(5) :" };

    (void)state;
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        AUTO_FREE char *stream = xasprintf("%s\nContent-Length: 2\r\n\r\n{}!", lines[i]);
        AUTO_FREE char *expected = xasprintf("fault skipped %zu bytes that are not part of a DAP message: \"%s\"\nbody {}\n"
                                             "fault skipped 1 byte that is not part of a DAP message: \"!\"\n",
                                             strlen(lines[i]) + 1, lines[i]);
        expect(stream, expected);
    }
}

/* Junk and then a broken header are two things, and both are told. */
static void test_junk_before_a_broken_header(void **state)
{
    AUTO_FREE char *over = padded_header("junk\nContent-Length: 2\r\n", LIMIT_DAP_HEADER + 6);

    (void)state;
    expect("junk\nContent-Length: a\r\n\r\n",
           "fault skipped 5 bytes that are not part of a DAP message: \"junk\"\n"
           "fault skipped a DAP message whose header has no usable length: \"Content-Length: a\"\n");
    expect("junk\nContent-Length: 5\r\n", "fault skipped 5 bytes that are not part of a DAP message: \"junk\"\n"
                                          "fault the stream ended inside the header of a DAP message\n");
    expect(over, "fault skipped 5 bytes that are not part of a DAP message: \"junk\"\n"
                 "fault skipped a DAP message whose header is longer than 65536 bytes\n");
}

/* Many broken headers in one run would flood the agent: the first one is told. */
static void test_broken_headers_reported_once_per_run(void **state)
{
    (void)state;
    expect("Content-Length: a\r\n\r\nContent-Length: b\r\n\r\njunk\r\nContent-Length: 2\r\n\r\n{}Content-Length: c\r\n\r\n",
           "fault skipped a DAP message whose header has no usable length: \"Content-Length: a\"\nbody {}\n"
           "fault skipped a DAP message whose header has no usable length: \"Content-Length: c\"\n");
}

static void test_no_length(void **state)
{
    (void)state;
    expect("Content-Type: text/plain\r\n\r\nhello\nContent-Length: 2\r\n\r\n{}",
           "fault skipped 32 bytes that are not part of a DAP message: \"Content-Type: text/plain\\nhello\"\nbody {}\n");
}

/* ---- junk ---- */

/* A banner on stdout killed whole sessions (zed#52186, mcp-debugger#480). */
static void test_banner(void **state)
{
    (void)state;
    expect("DAP server listening at: 127.0.0.1:4711\nContent-Length: 2\r\n\r\n{}",
           "fault skipped 40 bytes that are not part of a DAP message: \"DAP server listening at: 127.0.0.1:4711\"\nbody {}\n");
    expect("!\nContent-Length: 2\r\n\r\n{}", "fault skipped 2 bytes that are not part of a DAP message: \"!\"\nbody {}\n");
}

/* One byte is one byte, and not "1 bytes". */
static void test_one_byte_of_junk(void **state)
{
    (void)state;
    expect("!Content-Length: 2\r\n\r\n{}", "fault skipped 1 byte that is not part of a DAP message: \"!\"\nbody {}\n");
}

/* A line that looks like a header but is followed by none is a banner, too. */
static void test_banner_like_a_header(void **state)
{
    (void)state;
    expect("Listening: 4711\r\n\r\nContent-Length: 2\r\n\r\n{}",
           "fault skipped 17 bytes that are not part of a DAP message: \"Listening: 4711\"\nbody {}\n");
    expect("Warning: a\nnot a header\nContent-Length: 2\r\n\r\n{}",
           "fault skipped 24 bytes that are not part of a DAP message: \"Warning: a\\nnot a header\"\nbody {}\n");
}

static void test_junk_between_frames_is_one_report(void **state)
{
    (void)state;
    expect("Content-Length: 2\r\n\r\n{}one\r\ntwo\r\n\r\nthree\r\nContent-Length: 1\r\n\r\n7",
           "body {}\nfault skipped 17 bytes that are not part of a DAP message: \"one\\ntwo\\nthree\"\nbody 7\n");
}

/* A debuggee that shares the adapter's stdout prints without a line end, right before a header. */
static void test_junk_glued_before_a_header(void **state)
{
    (void)state;
    expect("Name? Content-Length: 2\r\n\r\n{}", "fault skipped 6 bytes that are not part of a DAP message: \"Name? \"\nbody {}\n");
    expect("helloContent-Length: 2\r\n\r\n{}", "fault skipped 5 bytes that are not part of a DAP message: \"hello\"\nbody {}\n");
    expect("  hello Content-Length: 2\r\n\r\n{}",
           "fault skipped 8 bytes that are not part of a DAP message: \"  hello \"\nbody {}\n");
    expect("-----Content-Length: 2\r\n\r\n{}", "fault skipped 5 bytes that are not part of a DAP message: \"-----\"\nbody {}\n");
}

/* The debuggee prints between two lines of a header: the message is still whole. */
static void test_junk_inside_a_header(void **state)
{
    (void)state;
    expect("Content-Length: 2\r\nhello world\n\r\n{}",
           "fault skipped 12 bytes that are not part of a DAP message: \"hello world\"\nbody {}\n");
    expect("Content-Length: 9\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}",
           "fault skipped 26 bytes that are not part of a DAP message: \"Content-Length: 9\\n{\"a\":1}\"\nbody {}\n");
}

/* A body longer than it claims leaves its rest before the next header. */
static void test_body_longer_than_its_length(void **state)
{
    (void)state;
    expect("Content-Length: 5\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}",
           "body {\"a\":\nfault skipped 2 bytes that are not part of a DAP message: \"1}\"\nbody {}\n");
}

/* Junk is shown safely: it may hold escape sequences, and bytes that are no UTF-8. */
static void test_junk_is_made_safe(void **state)
{
    (void)state;
    expect("\x1b[31m\xff\tred\nContent-Length: 2\r\n\r\n{}",
           "fault skipped 11 bytes that are not part of a DAP message: \"\\x1b[31m\xEF\xBF\xBD\\tred\"\nbody {}\n");
}

/* Only the beginning of much junk is kept and shown, and the memory stays bounded; all of it is counted. */
static void test_much_junk(void **state)
{
    size_t len = 3 * 1024 * 1024;
    char *stream = xmalloc(len + 64);
    struct recorder recorder;

    (void)state;
    memset(stream, 'x', len);
    len += (size_t)sprintf(stream + len, "Content-Length: 2\r\n\r\n{}");
    for (size_t longest = 1000; longest <= 100000000; longest *= 100) {
        start(&recorder);
        feed_random(&recorder, stream, len, longest);
        assert_int_equal(recorder.bodies, 1);
        assert_int_equal(recorder.faults, 1);
        assert_non_null(strstr(recorder.log.data, "skipped 3145728 bytes that are not part of a DAP message: \"xxx"));
        assert_true(recorder.log.len < 500);
        finish(&recorder);
    }
    free(stream);
}

/* ---- limits ---- */

static void test_header_limit(void **state)
{
    AUTO_FREE char *allowed = padded_header("Content-Length: 2\r\n", LIMIT_DAP_HEADER);
    AUTO_FREE char *over = padded_header("Content-Length: 2\r\n", LIMIT_DAP_HEADER + 1);
    AUTO_FREE char *then = NULL;

    (void)state;
    expect(allowed, "body {}\n");
    then = xasprintf("%s\r\nContent-Length: 1\r\n\r\n7", over);
    expect(then, "fault skipped a DAP message whose header is longer than 65536 bytes\nbody 7\n");
}

/* Lines that look like headers, for ever, and never a length. */
static void test_header_without_end(void **state)
{
    AUTO_BUFFER struct buffer stream;
    struct recorder recorder;

    (void)state;
    buffer_init(&stream, SIZE_MAX);
    while (stream.len < 5 * LIMIT_DAP_HEADER)
        buffer_add(&stream, "X-Line: 123456789\r\n");
    buffer_add(&stream, "X: 1\r\nContent-Length: 2\r\n\r\n{}");
    for (size_t longest = 10; longest <= 1000000; longest *= 1000) {
        start(&recorder);
        feed_random(&recorder, stream.data, stream.len, longest);
        assert_int_equal(recorder.bodies, 1);
        assert_int_equal(recorder.faults, 1);
        finish(&recorder);
    }
}

static void feed_long_body(struct recorder *recorder, size_t len)
{
    char header[64];
    size_t piece = 1024 * 1024;
    char *spaces = xmalloc(piece);

    memset(spaces, ' ', piece);
    dap_framing_feed(recorder->framing, header, dap_framing_header(header, len));
    while (len > 0) {
        size_t part = len < piece ? len : piece;
        dap_framing_feed(recorder->framing, spaces, part);
        len -= part;
    }
    free(spaces);
}

static void test_body_limit(void **state)
{
    static const char next[] = "Content-Length: 2\r\n\r\n{}";
    struct recorder recorder;

    (void)state;
    start(&recorder);
    feed_long_body(&recorder, LIMIT_DAP_BODY);
    assert_int_equal(recorder.bodies, 1);
    assert_int_equal(recorder.last_len, LIMIT_DAP_BODY);
    assert_int_equal(recorder.faults, 0);
    buffer_clear(&recorder.log);

    feed_long_body(&recorder, LIMIT_DAP_BODY + 1);
    dap_framing_feed(recorder.framing, next, strlen(next));
    dap_framing_end(recorder.framing);
    assert_string_equal(recorder.log.data, "fault skipped a DAP message of 67108865 bytes: the limit is 67108864 bytes\nbody {}\n");
    finish(&recorder);
}

/* A length that lies must neither allocate nor swallow what follows. */
static void test_huge_lengths(void **state)
{
    (void)state;
    expect("Content-Length: 18446744073709551614\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}",
           "fault skipped a DAP message of 18446744073709551614 bytes: the limit is 67108864 bytes\nbody {}\n");
    expect("Content-Length: 18446744073709551615\r\n\r\n{\"a\":1}Content-Length: 2\r\n\r\n{}",
           "fault skipped a DAP message that claims an impossible length\nbody {}\n");
    expect("Content-Length: 99999999999999999999999999999999\r\n\r\n{\"a\":1}\nContent-Length: 2\r\n\r\n{}",
           "fault skipped a DAP message that claims an impossible length\nbody {}\n");
}

/* Bodies around the size of the first allocation and its doublings. */
static void test_growing_bodies(void **state)
{
    static const size_t sizes[] = { 1048575, 1048576, 1048577, 2097152, 2097153, 3000001, 4194305 };
    struct recorder recorder;

    (void)state;
    start(&recorder);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        feed_long_body(&recorder, sizes[i]);
        assert_int_equal(recorder.bodies, i + 1);
        assert_int_equal(recorder.last_len, sizes[i]);
    }
    assert_int_equal(recorder.faults, 0);
    finish(&recorder);
}

/* ---- the end ---- */

static void test_end_inside_a_frame(void **state)
{
    (void)state;
    expect("Content-Length: 119\r\n\r\n{\"seq\":", "fault the stream ended inside a DAP message: 7 of 119 bytes came\n");
    expect("Content-Length: 119\r\n\r\n", "fault the stream ended inside a DAP message: 0 of 119 bytes came\n");
    expect("Content-Length: 119\r\n", "fault the stream ended inside the header of a DAP message\n");
    expect("Content-Len", "fault skipped 11 bytes that are not part of a DAP message: \"Content-Len\"\n");
}

/* An adapter that dies with a message on stdout is only understood when that message is told. */
static void test_end_after_junk(void **state)
{
    (void)state;
    expect("Traceback (most recent call last):\n  boom",
           "fault skipped 41 bytes that are not part of a DAP message: \"Traceback (most recent call last):\\n  boom\"\n");
}

static void test_nothing_after_the_end(void **state)
{
    static const char stream[] = "Content-Length: 2\r\n\r\n{}";
    struct recorder recorder;

    (void)state;
    start(&recorder);
    dap_framing_end(recorder.framing);
    dap_framing_feed(recorder.framing, stream, strlen(stream));
    dap_framing_end(recorder.framing);
    assert_string_equal(recorder.log.data, "");
    finish(&recorder);
}

/* The receiver of a body ends the connection; the frames behind it in the same read must not reach it. */
static void test_end_inside_the_callback(void **state)
{
    static const char stream[] = "Content-Length: 2\r\n\r\n{}Content-Length: 1\r\n\r\n7junk";
    struct recorder recorder;

    (void)state;
    start(&recorder);
    recorder.end_at_body = true;
    dap_framing_feed(recorder.framing, stream, strlen(stream));
    assert_string_equal(recorder.log.data, "body {}\n");
    finish(&recorder);
}

/* ---- everything at once ---- */

static void add_random_part(struct buffer *stream, struct buffer *expected, size_t number)
{
    static const char *const headers[][2] = { { "Content-Length: ", "\r\n\r\n" },
                                              { "content-length:", "\n\n" },
                                              { "X: y\r\nContent-Length : ", "\r\n\r\n" },
                                              { "\r\nContent-Length: ", "\r\nContent-Type: z\r\n\r\n" } };
    size_t header = random_below(COUNT_OF(headers));
    AUTO_FREE char *body = xasprintf("{\"number\":%zu,\"pad\":\"%.*s\"}", number, (int)random_below(40),
                                     "Content-Length: 5\\r\\n\\r\\nContent-Length: 5");

    if (random_below(3) == 0) {
        buffer_addf(stream, "junk %zu\n", number);
        buffer_addf(expected, "fault skipped %zu bytes that are not part of a DAP message: \"junk %zu\"\n",
                    (size_t)snprintf(NULL, 0, "junk %zu\n", number), number);
    }
    buffer_addf(stream, "%s%zu%s%s", headers[header][0], strlen(body), headers[header][1], body);
    buffer_addf(expected, "body %s\n", body);
}

static void test_random_streams_in_random_pieces(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 50; seed++) {
        AUTO_BUFFER struct buffer stream;
        AUTO_BUFFER struct buffer expected;

        buffer_init(&stream, SIZE_MAX);
        buffer_init(&expected, SIZE_MAX);
        random_state = seed;
        for (size_t i = 0; i < 30; i++)
            add_random_part(&stream, &expected, i);
        expect_bytes(stream.data, stream.len, expected.data);
    }
}

/* Every cut into two. */
static void test_every_cut(void **state)
{
    static const char stream[] =
        "hi\nContent-Length: 2\r\n\r\n{}xContent-Length: 7\r\nA: b\r\n\r\n{\"a\":1}\r\nContent-Length: 0\r\n\r\nend";
    struct recorder whole;

    (void)state;
    start(&whole);
    feed_piece(&whole, stream, strlen(stream));
    dap_framing_end(whole.framing);
    for (size_t cut = 0; cut <= strlen(stream); cut++) {
        struct recorder recorder;

        start(&recorder);
        feed_piece(&recorder, stream, cut);
        feed_piece(&recorder, stream + cut, strlen(stream) - cut);
        dap_framing_end(recorder.framing);
        assert_string_equal(recorder.log.data, whole.log.data);
        finish(&recorder);
    }
    finish(&whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_frame),
        cmocka_unit_test(test_glued_frames),
        cmocka_unit_test(test_length_is_bytes),
        cmocka_unit_test(test_body_with_zero_bytes),
        cmocka_unit_test(test_nothing),
        cmocka_unit_test(test_written_header),
        cmocka_unit_test(test_header_variants),
        cmocka_unit_test(test_two_lengths),
        cmocka_unit_test(test_zero_length),
        cmocka_unit_test(test_unusable_length),
        cmocka_unit_test(test_bad_length_after_a_good_one),
        cmocka_unit_test(test_bad_length_with_blanks_before_the_colon),
        cmocka_unit_test(test_beginnings_of_headers_are_junk),
        cmocka_unit_test(test_junk_before_a_broken_header),
        cmocka_unit_test(test_broken_headers_reported_once_per_run),
        cmocka_unit_test(test_no_length),
        cmocka_unit_test(test_banner),
        cmocka_unit_test(test_one_byte_of_junk),
        cmocka_unit_test(test_banner_like_a_header),
        cmocka_unit_test(test_junk_between_frames_is_one_report),
        cmocka_unit_test(test_junk_glued_before_a_header),
        cmocka_unit_test(test_junk_inside_a_header),
        cmocka_unit_test(test_body_longer_than_its_length),
        cmocka_unit_test(test_junk_is_made_safe),
        cmocka_unit_test(test_much_junk),
        cmocka_unit_test(test_header_limit),
        cmocka_unit_test(test_header_without_end),
        cmocka_unit_test(test_body_limit),
        cmocka_unit_test(test_huge_lengths),
        cmocka_unit_test(test_growing_bodies),
        cmocka_unit_test(test_end_inside_a_frame),
        cmocka_unit_test(test_end_after_junk),
        cmocka_unit_test(test_nothing_after_the_end),
        cmocka_unit_test(test_end_inside_the_callback),
        cmocka_unit_test(test_random_streams_in_random_pieces),
        cmocka_unit_test(test_every_cut),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
