#include "base/utf8.h"

#include "base/buffer.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define R "\xef\xbf\xbd"
#define E "\xe2\x80\xa6"

static size_t encode(uint32_t code, char *to)
{
    if (code < 0x80) {
        to[0] = (char)code;
        return 1;
    }
    size_t len = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    for (size_t i = len - 1; i > 0; i--) {
        to[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    to[0] = (char)(leads[len] | code);
    return len;
}

static void every_character_is_valid(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        bool surrogate = code >= 0xd800 && code <= 0xdfff;
        char bytes[4];
        size_t len = encode(code, bytes);
        if (utf8_char_len(bytes, len) != (surrogate ? 0 : len) || utf8_valid(bytes, len) == surrogate)
            fail_msg("U+%04X", code);
        for (size_t have = 1; have < len && !surrogate; have++) {
            if (utf8_valid(bytes, have) || utf8_char_len(bytes, have) != 0 || utf8_incomplete_tail(bytes, have) != have)
                fail_msg("U+%04X cut to %zu bytes", code, have);
        }
    }
}

/* Together with the test above: as many sequences of each length are accepted as there are characters, so no other one is. */
static void nothing_else_is_valid(void **state)
{
    (void)state;
    size_t valid[5] = { 0 };
    for (uint32_t word = 0; word < 1u << 24; word++) {
        const char bytes[] = { (char)(word >> 16), (char)(word >> 8), (char)word };
        valid[utf8_char_len(bytes, 3)]++;
    }
    assert_int_equal(valid[1], 0x80 << 16);
    assert_int_equal(valid[2], (0x800 - 0x80) << 8);
    assert_int_equal(valid[3], 0x10000 - 0x800 - 0x800);
    assert_int_equal(utf8_char_len("\xf0\x8f\xbf\xbf", 4), 0);
    assert_int_equal(utf8_char_len("\xf4\x90\x80\x80", 4), 0);
    assert_int_equal(utf8_char_len("\xf5\x80\x80\x80", 4), 0);
    assert_int_equal(utf8_char_len("\xf1\x80\x80\x7f", 4), 0);
    assert_int_equal(utf8_char_len("", 0), 0);
}

/* The word-wise look at ASCII has to find a bad byte at every place of a word, and after it. */
static void bad_byte_at_every_place(void **state)
{
    (void)state;
    char text[40];
    for (size_t len = 1; len <= sizeof(text); len++) {
        memset(text, 'a', sizeof(text));
        assert_true(utf8_valid(text, len));
        for (size_t i = 0; i < len; i++) {
            text[i] = '\xff';
            assert_false(utf8_valid(text, len));
            text[i] = 'a';
        }
    }
}

static void check_repair(const char *bytes, size_t len, const char *expected)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, 1000);
    assert_int_equal(utf8_repair(&out, bytes, len), 0);
    assert_string_equal(out.data, expected);
    assert_true(utf8_valid(out.data, out.len));
}

static void repair_replaces_each_bad_byte(void **state)
{
    (void)state;
    check_repair("", 0, "");
    check_repair("plain \xc3\xa9", 8, "plain \xc3\xa9");
    check_repair("\xff", 1, R);
    check_repair("a\xffz\xc3", 4, "a" R "z" R);
    check_repair("\xed\xa0\x80", 3, R R R); /* a surrogate, as CESU-8 has it */
    check_repair("\xc0\x80", 2, R R);       /* an overlong NUL */
    check_repair("\xe2\x82z\xe2\x82\xac", 6, R R "z\xe2\x82\xac");
}

static void repair_stops_at_the_maximum(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, 5);
    assert_int_equal(utf8_repair(&out, "ab\xff\xff", 4), -1);
    assert_string_equal(out.data, "ab" R);
}

static void cut_never_breaks_a_character(void **state)
{
    (void)state;
    const char text[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\x9bz"; /* 1 + 2 + 3 + 4 + 1 */
    static const size_t expected[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11 };
    for (size_t want = 0; want < COUNT_OF(expected); want++)
        assert_int_equal(utf8_cut(text, 11, want), expected[want]);
    assert_int_equal(utf8_cut("\x80\x80\x80\x80\x80", 5, 4), 4);
    assert_int_equal(utf8_cut("\xf0\x9f\x90", 3, 2), 2); /* not a character: each byte counts as one */
    assert_int_equal(utf8_cut("", 0, 0), 0);
}

/* A chunk of output that ended inside a character showed U+FFFD twice instead of the character. */
static void incomplete_tail(void **state)
{
    (void)state;
    assert_int_equal(utf8_incomplete_tail("", 0), 0);
    assert_int_equal(utf8_incomplete_tail("abc", 3), 0);
    assert_int_equal(utf8_incomplete_tail("ab\xe2\x82", 4), 2);
    assert_int_equal(utf8_incomplete_tail("ab\xe2\x82\xac", 5), 0);
    assert_int_equal(utf8_incomplete_tail("\xf0\x9f\x90", 3), 3);
    assert_int_equal(utf8_incomplete_tail("\xff", 1), 0);
    assert_int_equal(utf8_incomplete_tail("\xed\xa0", 2), 0); /* would be a surrogate: no byte can complete it */
    assert_int_equal(utf8_incomplete_tail("\x80\x80\x80", 3), 0);
}

static void check_line(const char *bytes, size_t len, size_t most, const char *expected, bool cut)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, 1000);
    buffer_add(&out, "x = ");
    assert_int_equal(utf8_one_line(&out, bytes, len, most), cut);
    assert_string_equal(out.data + 4, expected);
    assert_true(out.len - 4 <= most);
    assert_true(utf8_valid(out.data, out.len));
}

/* A value with a newline in it could show a line that looks like one of ours, and one with ESC could rewrite the screen. */
static void one_line_is_one_line(void **state)
{
    (void)state;
    check_line("", 0, 100, "", false);
    check_line("plain", 5, 100, "plain", false);
    check_line("a\nb\r\nc\rd\te", 10, 100, "a\\nb\\nc\\nd\\te", false);
    check_line("\x1b[2J\x7f\0z", 7, 100, "\\x1b[2J\\x7f\\x00z", false);
    check_line("\xc2\x85\xc2\x9b\xc2\xa0", 6, 100, "\\x85\\x9b\xc2\xa0", false);
    check_line("\xff\xe2\x82", 3, 100, R R R, false);
    check_line("\xe2\x80\xa8z\xe2\x80\xae\xe2\x81\xa6", 10, 100, "\\u2028z\\u202e\\u2066", false);
    check_line("\xf0\x9f\x90\x9b", 4, 100, "\xf0\x9f\x90\x9b", false);
}

static void one_line_is_cut_within_its_budget(void **state)
{
    (void)state;
    check_line("abcdef", 6, 6, "abcdef", false);
    check_line("abcdef", 6, 5, "ab" E, true);
    check_line("abcdef", 6, 3, E, true);
    check_line("abcdef", 6, 2, "", true);
    check_line("abcdef", 6, 0, "", true);
    check_line("", 0, 0, "", false);
    check_line("a\xe2\x82\xac\xe2\x82\xac", 7, 6, "a" E, true); /* no half character */
    check_line("ab\n\n", 4, 6, "ab\\n\\n", false);
    check_line("ab\n\nz", 5, 6, "ab" E, true); /* no half escape */
}

/* Cutting 20 MB to 120 bytes must not look at the rest. */
static void one_line_of_a_huge_value(void **state)
{
    (void)state;
    const size_t len = 20 * 1024 * 1024;
    AUTO_FREE char *huge = xmalloc(len);
    memset(huge, '\n', len);
    for (int i = 0; i < 100000; i++)
        check_line(huge, len, 9, "\\n\\n\\n" E, true);
}

static void check_output(const char *bytes, size_t len, const char *expected)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, 1000);
    assert_int_equal(utf8_program_output(&out, bytes, len), 0);
    assert_string_equal(out.data, expected);
}
#define CHECK_OUTPUT(bytes, expected) check_output(bytes, sizeof(bytes) - 1, expected)

static void program_output_keeps_its_words(void **state)
{
    (void)state;
    CHECK_OUTPUT("", "");
    CHECK_OUTPUT("a\tb\nc\r\nd\re", "a\tb\nc\nd\ne");
    CHECK_OUTPUT("\r\r\n", "\n\n");
    CHECK_OUTPUT("\x1b[1;31mred\x1b[0m", "red");
    CHECK_OUTPUT("\x1b[38:2::1:2:3mtrue\x1b[?25l", "true");
    CHECK_OUTPUT("\x1b]0;title\x07text", "text");
    CHECK_OUTPUT("\x1b]8;;file:///x\x1b\\link\x1b]8;;\x1b\\", "link");
    CHECK_OUTPUT("\x1bP1$r0m\x1b\\z", "z");
    CHECK_OUTPUT("\x1b(Bz\x1b=y\x1b"
                 "7",
                 "zy");
    CHECK_OUTPUT("a\0b\x08"
                 "c\x7f\xc2\x85"
                 "d",
                 "abcd");
    CHECK_OUTPUT("\xff\xe2\x82\xac", R "\xe2\x82\xac");
    CHECK_OUTPUT("caf\xc3\xa9", "caf\xc3\xa9");
}

/* A stray ESC ] made all later output of the program disappear. */
static void stray_introducer_swallows_nothing(void **state)
{
    (void)state;
    CHECK_OUTPUT("\x1b]broken\nnext\x07line", "broken\nnextline");
    CHECK_OUTPUT("\x1b]broken", "broken");
    CHECK_OUTPUT("\x1b[12\nz", "\nz");
    CHECK_OUTPUT("\x1b[12\xc3\xa9", "\xc3\xa9");
    CHECK_OUTPUT("z\x1b", "z");
    CHECK_OUTPUT("z\x1b[", "z");
    CHECK_OUTPUT("\x1b\nz", "\nz");
    CHECK_OUTPUT("\x1b\x1b[mz", "z");
}

/* Thousands of introducers on one line without an end: looking for the end of each must not take a square of the time. */
static void many_introducers_stay_fast(void **state)
{
    (void)state;
    const size_t count = 512 * 1024;
    AUTO_FREE char *text = xmalloc(2 * count);
    for (size_t i = 0; i < count; i++)
        memcpy(text + 2 * i, "\x1b]", 2);
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, 2 * count);
    assert_int_equal(utf8_program_output(&out, text, 2 * count), 0);
    assert_int_equal(out.len, 0);
}

static void program_output_stops_at_the_maximum(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, 4);
    assert_int_equal(utf8_program_output(&out, "ab\xff\xff", 4), -1);
    assert_string_equal(out.data, "ab");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_is_valid),
        cmocka_unit_test(nothing_else_is_valid),
        cmocka_unit_test(bad_byte_at_every_place),
        cmocka_unit_test(repair_replaces_each_bad_byte),
        cmocka_unit_test(repair_stops_at_the_maximum),
        cmocka_unit_test(cut_never_breaks_a_character),
        cmocka_unit_test(incomplete_tail),
        cmocka_unit_test(one_line_is_one_line),
        cmocka_unit_test(one_line_is_cut_within_its_budget),
        cmocka_unit_test(one_line_of_a_huge_value),
        cmocka_unit_test(program_output_keeps_its_words),
        cmocka_unit_test(stray_introducer_swallows_nothing),
        cmocka_unit_test(many_introducers_stay_fast),
        cmocka_unit_test(program_output_stops_at_the_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
