#include "json/json.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#define R "\xef\xbf\xbd"

static struct json parsed(const char *text)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct json json = { 0 };
    if (json_parse_copy(text, strlen(text), &json, &error) < 0)
        fail_msg("%s: %s", text, error.message);
    return json;
}

static void check_written(const char *text, const char *expected)
{
    AUTO_JSON struct json json = parsed(text);
    size_t len = 0;
    AUTO_FREE char *written = json_write_value(json.root, &len);
    assert_string_equal(written, expected);
    assert_int_equal(len, strlen(expected));
}

static void check_refused(const char *text, size_t len, enum error_kind kind)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct json json = { 0 };
    assert_int_equal(json_parse_copy(text, len, &json, &error), -1);
    assert_int_equal(error.kind, kind);
    assert_non_null(error.message);
    assert_null(json.doc);
    assert_int_equal(json_parse_copy(text, len, &json, NULL), -1);
}

static void parses_what_is_json(void **state)
{
    (void)state;
    check_written(" {\"a\" : [1, -2, 3.5, true, null, \"x\\ny\\u00e9\"]} \n", "{\"a\":[1,-2,3.5,true,null,\"x\\ny\xc3\xa9\"]}");
    check_written("\"\"", "\"\"");
    check_written("12", "12");
    check_written("{\"big\":18446744073709551615,\"small\":-9223372036854775808}",
                  "{\"big\":18446744073709551615,\"small\":-9223372036854775808}");
}

static void refuses_what_is_not(void **state)
{
    (void)state;
    check_refused("", 0, ERROR_PROTOCOL);
    check_refused("{", 1, ERROR_PROTOCOL);
    check_refused("{\"a\":1}x", 8, ERROR_PROTOCOL);
    check_refused("\"\\", 2, ERROR_PROTOCOL);
    check_refused("\"\\u", 3, ERROR_PROTOCOL);
    check_refused("\"\\ud83d", 7, ERROR_PROTOCOL);
    check_refused("{\"a\":\x01}", 7, ERROR_PROTOCOL);
    check_refused("\0", 1, ERROR_PROTOCOL);
}

static void error_tells_the_place(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = ERROR_INIT;
    struct json json = { 0 };
    assert_int_equal(json_parse_copy("{\"a\":x}", 7, &json, &error), -1);
    assert_non_null(strstr(error.message, "byte 5"));
}

/* Adapters cut long values in the middle of an emoji and send half a surrogate pair: the whole message was lost. */
static void lone_surrogates_are_repaired(void **state)
{
    (void)state;
    check_written("\"a\\ud83dz\"", "\"a" R "z\"");
    check_written("\"\\uDC00\"", "\"" R "\"");
    check_written("\"\\ud83d\\ud83d\\ude00\"", "\"" R "\xf0\x9f\x98\x80\"");
    check_written("\"\\ud83d\\u0041\"", "\"" R "A\"");
    check_written("\"\\uDBFF\\uDFFF\"", "\"\xf4\x8f\xbf\xbf\"");
    check_written("{\"\\udfff\":\"\\ud800\"}", "{\"" R "\":\"" R "\"}");
}

/* The text \\ud83d is an escaped backslash and four letters, and stays. */
static void escaped_backslash_is_no_surrogate(void **state)
{
    (void)state;
    check_written("\"\\\\ud83d\"", "\"\\\\ud83d\"");
    check_written("\"\\\\\\ud83d\"", "\"\\\\" R "\"");
    check_written("\"\\ud83d\\\\ude00\"", "\"" R "\\\\ude00\"");
}

/* lldb-dap sends the bytes of a char array as they are. */
static void invalid_utf8_is_repaired(void **state)
{
    (void)state;
    check_written("{\"v\":\"\xff\xfe\",\"ok\":\"\xc3\xa9\"}", "{\"v\":\"" R R "\",\"ok\":\"\xc3\xa9\"}");
    check_written("\"\xed\xa0\xbd\\ud83d\"", "\"" R R R R "\"");
    check_written("\"x\\n\xff\\t\"", "\"x\\n" R "\\t\"");
}

static void byte_order_mark_and_nan_are_read(void **state)
{
    (void)state;
    check_written("\xef\xbb\xbf{\"a\":1}", "{\"a\":1}");
    check_written("[NaN,Infinity,-Infinity,1]", "[null,null,null,1]");
}

static char *nested(size_t depth, size_t *ret_len)
{
    *ret_len = 2 * depth;
    char *text = xmalloc(2 * depth + JSON_PADDING);
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    return text;
}

/* Half a million brackets must not end the process by way of the stack. */
static void nesting_is_limited(void **state)
{
    (void)state;
    size_t len = 0;
    char *deepest = nested(LIMIT_JSON_DEPTH, &len);
    AUTO_JSON struct json json = { 0 };
    assert_int_equal(json_parse(deepest, len, &json, NULL), 0);
    static const size_t depths[] = { LIMIT_JSON_DEPTH + 1, 500 * 1000 };
    for (size_t i = 0; i < COUNT_OF(depths); i++) {
        AUTO_FREE char *text = nested(depths[i], &len);
        check_refused(text, len, ERROR_LIMIT);
    }
}

/* Containers beside one another are not nested. */
static void wide_is_not_deep(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, 1000 * 1000);
    buffer_add(&text, "[");
    for (int i = 0; i < 2000; i++)
        buffer_add(&text, "{\"a\":[[],{}]},[[]],");
    buffer_add(&text, "0]");
    AUTO_JSON struct json json = { 0 };
    assert_int_equal(json_parse_copy(text.data, text.len, &json, NULL), 0);
    assert_int_equal(yyjson_arr_size(json.root), 4001);
}

/* Text taken from a buffer is parsed where it lies. */
static void parses_what_a_buffer_gives(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer buffer;
    buffer_init(&buffer, 100);
    buffer_add(&buffer, "junk{\"a\":\"b\"}");
    buffer_consume(&buffer, 4);
    size_t len = 0;
    char *text = buffer_take(&buffer, &len);
    AUTO_JSON struct json json = { 0 };
    assert_int_equal(json_parse(text, len, &json, NULL), 0);
    assert_string_equal(json_string(json.root, "a"), "b");
}

static void getters_read_nothing_from_anything(void **state)
{
    (void)state;
    static const char *const texts[] = { "{}", "[]", "null", "1", "\"x\"", "{\"k\":null}" };
    for (size_t i = 0; i < COUNT_OF(texts) + 1; i++) {
        AUTO_JSON struct json json = { 0 };
        if (i < COUNT_OF(texts))
            json = parsed(texts[i]);
        size_t len = 7;
        int64_t number = 7;
        assert_null(json_member(json.root, "k"));
        assert_null(json_object(json.root, "k"));
        assert_null(json_array(json.root, "k"));
        assert_null(json_string(json.root, "k"));
        assert_null(json_text(json.root, "k", &len));
        assert_true(json_bool(json.root, "k", true));
        assert_false(json_bool(json.root, "k", false));
        assert_false(json_int(json.root, "k", &number));
        assert_int_equal(json_int_or(json.root, "k", -3), -3);
        assert_int_equal(number, 7);
        assert_int_equal(len, 7);
    }
}

static void getters_check_types(void **state)
{
    (void)state;
    AUTO_JSON struct json json = parsed("{\"o\":{},\"a\":[],\"s\":\"t\\u0000u\",\"b\":false,\"n\":5}");
    assert_non_null(json_member(json.root, "o"));
    assert_non_null(json_object(json.root, "o"));
    assert_null(json_object(json.root, "a"));
    assert_non_null(json_array(json.root, "a"));
    assert_null(json_array(json.root, "o"));
    assert_null(json_string(json.root, "n"));
    assert_string_equal(json_string(json.root, "s"), "t");
    size_t len = 0;
    assert_memory_equal(json_text(json.root, "s", &len), "t\0u", 4);
    assert_int_equal(len, 3);
    assert_false(json_bool(json.root, "b", true));
    assert_true(json_bool(json.root, "n", true));
    assert_int_equal(json_int_or(json.root, "b", 9), 9);
    assert_int_equal(json_int_or(json.root, "n", 9), 5);
}

/* A missing "env" or "body" was gone through from the NULL pointer on. */
static void members_of_nothing(void **state)
{
    (void)state;
    AUTO_JSON struct json json = parsed("{\"o\":{\"a\":1,\"b\":[2],\"c\":3},\"e\":{},\"x\":[1]}");
    static const char *const empty[] = { "e", "x", "absent" };
    size_t index, count;
    yyjson_val *key, *value;
    for (size_t i = 0; i < COUNT_OF(empty); i++) {
        json_obj_foreach(json_member(json.root, empty[i]), index, count, key, value)
            fail_msg("%s has a member", empty[i]);
    }
    AUTO_BUFFER struct buffer names;
    buffer_init(&names, 100);
    json_obj_foreach(json_object(json.root, "o"), index, count, key, value)
        buffer_addf(&names, "%zu%s%s", index, yyjson_get_str(key), yyjson_is_arr(value) ? "[] " : " ");
    assert_string_equal(names.data, "0a 1b[] 2c ");
}

static void booleans_as_words(void **state)
{
    (void)state;
    AUTO_JSON struct json json = parsed("{\"t\":\"true\",\"f\":\"false\",\"x\":\"yes\"}");
    assert_true(json_bool(json.root, "t", false));
    assert_false(json_bool(json.root, "f", true));
    assert_true(json_bool(json.root, "x", true));
}

static void check_int(const char *text, bool is_int, int64_t expected)
{
    AUTO_JSON struct json json = parsed(text);
    int64_t value = 77;
    if (json_value_int(json.root, &value) != is_int || value != (is_int ? expected : 77))
        fail_msg("%s: %lld", text, (long long)value);
}

/* References above 2^53 lost their last digits in a double, and variables of another object were shown. */
static void integers_are_exact(void **state)
{
    (void)state;
    check_int("9007199254740993", true, 9007199254740993);
    check_int("9223372036854775807", true, INT64_MAX);
    check_int("-9223372036854775808", true, INT64_MIN);
    check_int("18446744073709551615", false, 0);
    check_int("\"9007199254740993\"", true, 9007199254740993);
    check_int("\"-12\"", true, -12);
    check_int("\"9223372036854775808\"", false, 0);
    check_int("5.0", true, 5);
    check_int("1e3", true, 1000);
    check_int("5.5", false, 0);
    check_int("1e300", false, 0);
    check_int("9.3e18", false, 0);
    check_int("-0.0", true, 0);
    check_int("NaN", false, 0);
    check_int("\"\"", false, 0);
    check_int("\"-\"", false, 0);
    check_int("\"1-2\"", false, 0);
    check_int("\" 1\"", false, 0);
    check_int("\"+1\"", false, 0);
    check_int("\"0x10\"", false, 0);
    check_int("\"1\\u0000\"", false, 0);
    check_int("true", false, 0);
}

static yyjson_mut_doc *new_document(yyjson_mut_val **ret_root)
{
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    *ret_root = yyjson_mut_obj(doc);
    yyjson_mut_doc_set_root(doc, *ret_root);
    return doc;
}

/* What goes in is copied: the caller's memory, keys too, may change before the document is written. */
static void adders_copy(void **state)
{
    (void)state;
    yyjson_mut_val *root = NULL;
    yyjson_mut_doc *doc = new_document(&root);
    char key[] = "key";
    char text[] = "text";
    json_add_string(doc, root, key, text);
    memset(key, 'x', 3);
    memset(text, 'x', 4);
    json_add_string(doc, root, "absent", NULL);
    json_add_text(doc, root, "absent", NULL, 5);
    json_add_value(doc, root, "absent", NULL);
    json_add_copy(doc, root, "absent", NULL);
    json_add_text(doc, root, "nul", "a\0b", 3);
    json_add_int(doc, root, "int", INT64_MIN);
    json_add_bool(doc, root, "bool", true);
    {
        AUTO_JSON struct json other = parsed("{\"deep\":[1,{\"s\":\"\\n\"}]}");
        json_add_copy(doc, root, "copy", other.root);
    }
    json_add_value(doc, root, "array", yyjson_mut_arr(doc));
    AUTO_FREE char *written = json_write(doc, NULL);
    assert_string_equal(written, "{\"key\":\"text\",\"nul\":\"a\\u0000b\",\"int\":-9223372036854775808,\"bool\":true,"
                                 "\"copy\":{\"deep\":[1,{\"s\":\"\\n\"}]},\"array\":[]}");
    yyjson_mut_doc_free(doc);
}

/* One bad byte in a path or a value made the whole answer unwritable. */
static void adders_repair(void **state)
{
    (void)state;
    yyjson_mut_val *root = NULL;
    yyjson_mut_doc *doc = new_document(&root);
    json_add_string(doc, root, "k\xff", "v\xff\xc3");
    AUTO_FREE char *written = json_write(doc, NULL);
    assert_string_equal(written, "{\"k" R "\":\"v" R R "\"}");
    yyjson_mut_doc_free(doc);
}

/* Writing never fails, whatever others put into the document without these helpers. */
static void writing_never_fails(void **state)
{
    (void)state;
    yyjson_mut_val *root = NULL;
    yyjson_mut_doc *doc = new_document(&root);
    yyjson_mut_obj_add_real(doc, root, "inf", 1e308 * 10);
    yyjson_mut_obj_add_str(doc, root, "bad", "\xff");
    size_t len = 0;
    AUTO_FREE char *written = json_write(doc, &len);
    assert_string_equal(written, "{\"inf\":null,\"bad\":\"\xff\"}");
    assert_int_equal(len, strlen(written));
    yyjson_mut_doc_free(doc);

    AUTO_FREE char *nothing = json_write(NULL, &len);
    assert_string_equal(nothing, "null");
    assert_int_equal(len, 4);
    AUTO_FREE char *none = json_write_value(NULL, NULL);
    assert_string_equal(none, "null");
}

static void writes_into_a_buffer(void **state)
{
    (void)state;
    yyjson_mut_val *root = NULL;
    yyjson_mut_doc *doc = new_document(&root);
    json_add_string(doc, root, "two\nlines", "a\nb");
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, 60);
    buffer_add(&out, "before:");
    assert_int_equal(json_write_to(&out, doc), 0);
    assert_string_equal(out.data, "before:{\"two\\nlines\":\"a\\nb\"}");
    assert_int_equal(json_write_to(&out, doc), 0);
    assert_int_equal(json_write_to(&out, doc), -1);
    assert_int_equal(out.len, 49);
    yyjson_mut_doc_free(doc);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parses_what_is_json),
        cmocka_unit_test(refuses_what_is_not),
        cmocka_unit_test(error_tells_the_place),
        cmocka_unit_test(lone_surrogates_are_repaired),
        cmocka_unit_test(escaped_backslash_is_no_surrogate),
        cmocka_unit_test(invalid_utf8_is_repaired),
        cmocka_unit_test(byte_order_mark_and_nan_are_read),
        cmocka_unit_test(nesting_is_limited),
        cmocka_unit_test(wide_is_not_deep),
        cmocka_unit_test(parses_what_a_buffer_gives),
        cmocka_unit_test(getters_read_nothing_from_anything),
        cmocka_unit_test(getters_check_types),
        cmocka_unit_test(members_of_nothing),
        cmocka_unit_test(booleans_as_words),
        cmocka_unit_test(integers_are_exact),
        cmocka_unit_test(adders_copy),
        cmocka_unit_test(adders_repair),
        cmocka_unit_test(writing_never_fails),
        cmocka_unit_test(writes_into_a_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
