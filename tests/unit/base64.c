/* Bytes as base64 and as hexadecimal digits: what memory is written from and shown as. */
#include "base/base64.h"

#include "base/buffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define CHECK_DECODED(decode, text, wanted, wanted_len)    \
    do {                                                   \
        AUTO_BUFFER struct buffer out;                     \
        buffer_init(&out, 64);                             \
        assert_true(decode(&out, text, strlen(text)));     \
        assert_int_equal(out.len, wanted_len);             \
        assert_memory_equal(out.data, wanted, wanted_len); \
    } while (0)

#define CHECK_REFUSED(decode, text)                     \
    do {                                                \
        AUTO_BUFFER struct buffer out;                  \
        buffer_init(&out, 64);                          \
        assert_false(decode(&out, text, strlen(text))); \
    } while (0)

static void encodes(void **state)
{
    (void)state;
    static const char *const texts[][2] = {
        { "", "" }, { "f", "Zg==" }, { "fo", "Zm8=" }, { "foo", "Zm9v" }, { "foob", "Zm9vYg==" }, { "\xff\xfe\xfd", "//79" },
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        AUTO_BUFFER struct buffer encoded;
        buffer_init(&encoded, 64);
        assert_int_equal(base64_encode(&encoded, texts[i][0], strlen(texts[i][0])), 0);
        assert_string_equal(encoded.data, texts[i][1]);
        CHECK_DECODED(base64_decode, texts[i][1], texts[i][0], strlen(texts[i][0]));
    }
}

/* Models leave the padding out and break lines. */
static void decodes_leniently(void **state)
{
    (void)state;
    CHECK_DECODED(base64_decode, "Zm9v\nYg", "foob", 4);
    CHECK_DECODED(base64_decode, " AA AA ", "\0\0\0", 3);
    CHECK_REFUSED(base64_decode, "Z");
    CHECK_REFUSED(base64_decode, "Zg=");
    CHECK_REFUSED(base64_decode, "Zg==Zg==");
    CHECK_REFUSED(base64_decode, "Zm9v=");
    CHECK_REFUSED(base64_decode, "Zm9-");
}

static void reads_hex_in_the_ways_people_write_it(void **state)
{
    (void)state;
    CHECK_DECODED(hex_decode, "0aFF00", "\x0a\xff\0", 3);
    CHECK_DECODED(hex_decode, "0a ff", "\x0a\xff", 2);
    CHECK_DECODED(hex_decode, "0x0a, 0xFF", "\x0a\xff", 2);
    CHECK_DECODED(hex_decode, "", "", 0);
    CHECK_REFUSED(hex_decode, "0af");
    CHECK_REFUSED(hex_decode, "0a f");
    CHECK_REFUSED(hex_decode, "0x");
    CHECK_REFUSED(hex_decode, "zz");
}

/* What does not fit is refused, not cut. */
static void stays_within_its_buffer(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, 4);
    assert_int_equal(base64_encode(&out, "foob", 4), -1);
    buffer_clear(&out);
    assert_false(base64_decode(&out, "Zm9vYmFy", 8));
    buffer_clear(&out);
    assert_false(hex_decode(&out, "0102030405", 10));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodes),
        cmocka_unit_test(decodes_leniently),
        cmocka_unit_test(reads_hex_in_the_ways_people_write_it),
        cmocka_unit_test(stays_within_its_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
