/* What the daemon and its clients say to each other: what one writes, the other reads, whatever the bytes. */
#include "daemon/message.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static int read_line(const char *line, size_t len, struct json *json, struct request *ret, struct error *error)
{
    assert_int_equal(json_parse_copy(line, len, json, error), 0);
    return request_read(ret, json, error);
}

/* A folder and an environment of any bytes come through as they are, in one line of UTF-8. */
static void any_bytes(void **state)
{
    (void)state;
    char all[256];
    for (int i = 1; i < 256; i++)
        all[i - 1] = (char)i;
    all[255] = '\0';
    char variable[] = "A=\xff\x80\xc3(", *environment[] = { all, variable, NULL };
    AUTO_FREE char *folder = xasprintf("/%s", all);
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LIMIT_CLI_LINE);
    request_write(&line, &(struct request){ .kind = REQUEST_CALL,
                                            .operation = "next",
                                            .structured = true,
                                            .who = variable,
                                            .folder = folder,
                                            .environment = environment });
    assert_ptr_equal(memchr(line.data, '\n', line.len), line.data + line.len - 1);
    AUTO_JSON struct json json = { 0 };
    struct request request;
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(read_line(line.data, line.len, &json, &request, &error), 0);
    assert_string_equal(request.operation, "next");
    assert_true(request.structured);
    assert_string_equal(request.folder, folder);
    assert_string_equal(request.who, variable);
    assert_string_equal(request.environment[0], all);
    assert_string_equal(request.environment[1], variable);
    assert_null(request.environment[2]);
    request_done(&request);
}

static void refused(const char *line, const char *words)
{
    AUTO_JSON struct json json = { 0 };
    struct request request = { 0 };
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(read_line(line, strlen(line), &json, &request, &error), -1);
    assert_non_null(strstr(error.message, words));
    assert_int_equal(error.kind, ERROR_PROTOCOL);
}

static void other_versions(void **state)
{
    (void)state;
    refused("{\"protocol\":2,\"version\":\"0.1.0\",\"do\":\"look\"}", "protocol 2");
    refused("{\"protocol\":1,\"version\":\"9.9.9\",\"do\":\"look\"}", "dapple 9.9.9");
    refused("{\"protocol\":1,\"do\":\"look\"}", "dapple ?");
    refused("{\"do\":\"look\"}", "its own protocol");
    AUTO_JSON struct json json = { 0 };
    struct request request = { 0 };
    static const char stop[] = "{\"protocol\":77,\"version\":\"9.9.9\",\"do\":\"stop\"}";
    assert_int_equal(read_line(stop, strlen(stop), &json, &request, NULL), 0);
    assert_int_equal(request.kind, REQUEST_STOP);
}

static void incomplete(void **state)
{
    (void)state;
#define HEAD "{\"protocol\":1,\"version\":\"" DAPPLE_VERSION "\","
    refused(HEAD "\"do\":\"dance\"}", "not complete");
    refused(HEAD "\"do\":\"tie\"}", "not complete");
    refused(HEAD "\"do\":\"call\",\"operation\":\"next\",\"who\":\"x\",\"folder\":\"relative\",\"environment\":[]}",
            "not complete");
    refused(HEAD "\"do\":\"call\",\"operation\":\"next\",\"who\":\"x\",\"folder\":\"/\\u0100\",\"environment\":[]}",
            "not complete");
    refused(HEAD "\"do\":\"call\",\"operation\":\"next\",\"who\":\"x\",\"folder\":\"/\\u0000\",\"environment\":[]}",
            "not complete");
    refused(HEAD "\"do\":\"call\",\"operation\":\"next\",\"who\":\"x\",\"folder\":\"/\",\"environment\":{}}", "not complete");
}

static void answers(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LIMIT_CLI_ANSWER);
    answer_write(
        &line,
        &(struct answer){
            .is_result = true, .failed = true, .kind = ERROR_STATE, .text = "a\nb", .text_len = 3, .structured = "{\"x\":1}" });
    AUTO_JSON struct json json = { 0 };
    struct answer answer;
    assert_int_equal(json_parse_copy(line.data, line.len, &json, NULL), 0);
    assert_int_equal(answer_read(&answer, &json, NULL), 0);
    assert_true(answer.is_result && answer.failed);
    assert_int_equal(answer.kind, ERROR_STATE);
    assert_string_equal(answer.text, "a\nb");
    assert_string_equal(answer.structured, "{\"x\":1}");
    assert_null(answer.notice);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes),
        cmocka_unit_test(other_versions),
        cmocka_unit_test(incomplete),
        cmocka_unit_test(answers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
