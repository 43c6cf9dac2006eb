#include "base/buffer.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* data was NULL in a fresh buffer, so that printing one crashed. */
static void empty_is_a_text(void **state)
{
    (void)state;
    struct buffer buffer;
    buffer_init(&buffer, 10);
    assert_string_equal(buffer.data, "");
    assert_int_equal(buffer_append(&buffer, NULL, 0), 0);
    assert_int_equal(buffer_add(&buffer, ""), 0);
    buffer_consume(&buffer, 5);
    buffer_truncate(&buffer, 5);
    buffer_clear(&buffer);
    assert_string_equal(buffer.data, "");
    size_t len = 9;
    AUTO_FREE char *taken = buffer_take(&buffer, &len);
    assert_string_equal(taken, "");
    assert_int_equal(len, 0);
    buffer_done(&buffer);
    buffer_done(&buffer);
}

static void appends_in_every_form(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer buffer;
    buffer_init(&buffer, 1000);
    assert_int_equal(buffer_add(&buffer, "one "), 0);
    assert_int_equal(buffer_addf(&buffer, "%d %s", 2, "three"), 0);
    assert_int_equal(buffer_addc(&buffer, '!'), 0);
    assert_int_equal(buffer_append(&buffer, "\0x", 2), 0);
    assert_int_equal(buffer.len, 14);
    assert_memory_equal(buffer.data, "one 2 three!\0x", 15);
}

/* An append that did not fit left the first part of itself behind. */
static void over_the_maximum_nothing_changes(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer buffer;
    buffer_init(&buffer, 8);
    assert_int_equal(buffer_add(&buffer, "12345678"), 0);
    assert_int_equal(buffer_addc(&buffer, '9'), -1);
    buffer_truncate(&buffer, 6);
    assert_int_equal(buffer_add(&buffer, "789"), -1);
    assert_int_equal(buffer_addf(&buffer, "%d", 789), -1);
    assert_int_equal(buffer_append(&buffer, "x", SIZE_MAX), -1);
    assert_int_equal(buffer.len, 6);
    assert_string_equal(buffer.data, "123456");
    assert_int_equal(buffer_addf(&buffer, "%d", 78), 0);
    assert_string_equal(buffer.data, "12345678");
}

static void without_a_maximum(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer buffer;
    buffer_init(&buffer, SIZE_MAX);
    for (int i = 0; i < 1000; i++)
        assert_int_equal(buffer_addf(&buffer, "%03d,", i), 0);
    assert_int_equal(buffer.len, 4000);
    buffer_consume(&buffer, 3996);
    assert_string_equal(buffer.data, "999,");
}

/* Every byte that goes in comes out once and in order, whatever the sizes of the pieces on both sides. */
static void stream_keeps_order(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer buffer;
    buffer_init(&buffer, 700);
    unsigned char in = 0;
    unsigned char out = 0;
    uint32_t dice = 12345;
    for (int round = 0; round < 20000; round++) {
        dice = dice * 1664525u + 1013904223u;
        char piece[300];
        size_t len = (dice >> 8) % sizeof(piece);
        for (size_t i = 0; i < len; i++)
            piece[i] = (char)(unsigned char)(in + i);
        if (buffer_append(&buffer, piece, len) == 0)
            in = (unsigned char)(in + len);
        else
            assert_true(buffer.len + len > 700);
        assert_int_equal(buffer.data[buffer.len], 0);
        size_t eaten = (dice >> 20) % 350;
        if (eaten > buffer.len)
            eaten = buffer.len;
        for (size_t i = 0; i < eaten; i++)
            assert_int_equal((unsigned char)buffer.data[i], out++);
        buffer_consume(&buffer, eaten);
    }
}

/* A full buffer that was consumed and refilled byte by byte moved all its bytes each time: a megabyte took minutes. */
static void full_buffer_does_not_move_for_each_byte(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer buffer;
    const size_t max = 1000 * 1000;
    buffer_init(&buffer, max);
    AUTO_FREE char *fill = xcalloc(1, max);
    assert_int_equal(buffer_append(&buffer, fill, max), 0);
    size_t moves = 0;
    for (size_t i = 0; i < 2 * max; i++) {
        buffer_consume(&buffer, 1);
        const char *before = buffer.data;
        assert_int_equal(buffer_addc(&buffer, 'x'), 0);
        moves += buffer.data != before;
    }
    assert_true(moves <= 4);
    assert_int_equal(buffer.len, max);
}

/* One large message made the buffer hold on to its memory for as long as the session lived. */
static void emptied_large_buffer_returns_memory(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer buffer;
    const size_t large = 8 * 1024 * 1024;
    buffer_init(&buffer, large);
    AUTO_FREE char *fill = xcalloc(1, large);
    buffer_append(&buffer, fill, large);
    buffer_consume(&buffer, large);
    assert_int_equal(buffer.cap, 0);
    assert_string_equal(buffer.data, "");
    assert_int_equal(buffer_add(&buffer, "again"), 0);
    assert_string_equal(buffer.data, "again");
}

/* Taken text begins at the first unread byte, also when others were consumed before it, and can be parsed in place. */
static void take_gives_unread_bytes_and_padding(void **state)
{
    (void)state;
    struct buffer buffer;
    buffer_init(&buffer, 1000);
    buffer_add(&buffer, "consumed, left");
    buffer_consume(&buffer, 10);
    size_t len = 0;
    char *taken = buffer_take(&buffer, &len);
    assert_int_equal(len, 4);
    assert_string_equal(taken, "left");
    memset(taken + len, 0, BUFFER_PADDING);
    free(taken);
    assert_int_equal(buffer.len, 0);
    buffer_add(&buffer, "next");
    assert_string_equal(buffer.data, "next");
    buffer_done(&buffer);
}

static void truncate_keeps_the_front(void **state)
{
    (void)state;
    AUTO_BUFFER struct buffer buffer;
    buffer_init(&buffer, 100);
    buffer_add(&buffer, "abcdef");
    buffer_consume(&buffer, 2);
    buffer_truncate(&buffer, 3);
    assert_string_equal(buffer.data, "cde");
    buffer_truncate(&buffer, 50);
    assert_int_equal(buffer.len, 3);
    buffer_truncate(&buffer, 0);
    assert_string_equal(buffer.data, "");
}

/* xgrow has to leave room for what is asked even when doubling is not enough, and never shrinks. */
static void arrays_grow(void **state)
{
    (void)state;
    size_t cap = 0;
    int *numbers = xgrow(NULL, &cap, 1, sizeof(int));
    assert_true(cap >= 1);
    numbers = xgrow(numbers, &cap, 1000, sizeof(int));
    assert_true(cap >= 1000);
    size_t before = cap;
    numbers = xgrow(numbers, &cap, 10, sizeof(int));
    assert_int_equal(cap, before);
    free(numbers);
}

/* The new text of a replaced string may be a part of the old one. */
static void replace_by_a_part_of_itself(void **state)
{
    (void)state;
    AUTO_FREE char *text = xstrdup("prefix:rest");
    xreplace(&text, text + 7);
    assert_string_equal(text, "rest");
    xreplace(&text, NULL);
    assert_null(text);
    assert_null(xstrdup(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_is_a_text),
        cmocka_unit_test(appends_in_every_form),
        cmocka_unit_test(over_the_maximum_nothing_changes),
        cmocka_unit_test(without_a_maximum),
        cmocka_unit_test(stream_keeps_order),
        cmocka_unit_test(full_buffer_does_not_move_for_each_byte),
        cmocka_unit_test(emptied_large_buffer_returns_memory),
        cmocka_unit_test(take_gives_unread_bytes_and_padding),
        cmocka_unit_test(truncate_keeps_the_front),
        cmocka_unit_test(arrays_grow),
        cmocka_unit_test(replace_by_a_part_of_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
