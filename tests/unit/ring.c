#include "base/ring.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void check_drain(struct ring *ring, const char *expected, uint64_t expected_discarded)
{
    size_t len = 0;
    uint64_t discarded = 0;
    AUTO_FREE char *text = ring_drain(ring, &len, &discarded);
    assert_string_equal(text, expected);
    assert_int_equal(len, strlen(expected));
    assert_int_equal(discarded, expected_discarded);
    assert_int_equal(ring->len, 0);
    assert_int_equal(ring->discarded, 0);
}

static void keeps_the_newest(void **state)
{
    (void)state;
    struct ring ring;
    ring_init(&ring, 8);
    check_drain(&ring, "", 0);
    ring_append(&ring, "abc", 3);
    check_drain(&ring, "abc", 0);
    ring_append(&ring, "12345678", 8);
    check_drain(&ring, "12345678", 0);
    ring_append(&ring, "12345678", 8);
    ring_append(&ring, "9", 1);
    ring_append(&ring, "ab", 2);
    check_drain(&ring, "456789ab", 3);
    ring_done(&ring);
}

/* A piece larger than the whole ring: its own beginning is lost too and has to be counted. */
static void piece_larger_than_the_ring(void **state)
{
    (void)state;
    struct ring ring;
    ring_init(&ring, 4);
    ring_append(&ring, "ab", 2);
    ring_append(&ring, "0123456789", 10);
    check_drain(&ring, "6789", 8);
    ring_append(&ring, "0123", 4);
    check_drain(&ring, "0123", 0);
    ring_done(&ring);
}

static void holds_nothing_when_told_so(void **state)
{
    (void)state;
    struct ring ring;
    ring_init(&ring, 0);
    ring_append(&ring, "abc", 3);
    check_drain(&ring, "", 3);
    ring_done(&ring);
}

/* The tail of wrapped bytes is one text, and looking at it changes nothing. */
static void tail_changes_nothing(void **state)
{
    (void)state;
    struct ring ring;
    ring_init(&ring, 6);
    ring_append(&ring, "abcdefgh", 8);
    ring_append(&ring, "ijk", 3);
    size_t len = 0;
    AUTO_FREE char *tail = ring_tail(&ring, 4, &len);
    assert_string_equal(tail, "hijk");
    assert_int_equal(len, 4);
    AUTO_FREE char *whole = ring_tail(&ring, 100, NULL);
    assert_string_equal(whole, "fghijk");
    AUTO_FREE char *none = ring_tail(&ring, 0, &len);
    assert_string_equal(none, "");
    assert_int_equal(len, 0);
    check_drain(&ring, "fghijk", 5);
    ring_done(&ring);
}

/* Output is compared with a plain array while pieces of all sizes make the ring grow, wrap and overflow. */
static void same_as_a_plain_array(void **state)
{
    (void)state;
    enum { MAX = 1000, ALL = 400000 };
    struct ring ring;
    ring_init(&ring, MAX);
    AUTO_FREE char *all = xmalloc(ALL + 700);
    size_t written = 0;
    size_t begin = 0; /* of what was appended since the last drain */
    uint32_t dice = 99;
    while (written < ALL) {
        dice = dice * 1664525u + 1013904223u;
        size_t len = (dice >> 8) % ((dice >> 28) == 0 ? 700 : 40);
        for (size_t i = 0; i < len; i++)
            all[written + i] = (char)('a' + (written + i) % 23);
        ring_append(&ring, all + written, len);
        written += len;
        assert_true(ring.cap <= MAX);
        size_t total = written - begin;
        size_t kept = total < MAX ? total : MAX;
        assert_int_equal(ring.len, kept);
        assert_int_equal(ring.discarded, total - kept);
        size_t tail_len = 0;
        AUTO_FREE char *tail = ring_tail(&ring, 77, &tail_len);
        assert_memory_equal(tail, all + written - tail_len, tail_len);
        if ((dice >> 16) % 50 == 0) {
            size_t drained_len = 0;
            AUTO_FREE char *drained = ring_drain(&ring, &drained_len, NULL);
            assert_int_equal(drained_len, kept);
            assert_memory_equal(drained, all + written - kept, kept);
            begin = written;
        }
    }
    ring_done(&ring);
}

/* A session that prints nothing should not cost a megabyte. */
static void memory_grows_with_use(void **state)
{
    (void)state;
    struct ring ring;
    ring_init(&ring, 1024 * 1024);
    assert_int_equal(ring.cap, 0);
    ring_append(&ring, "hello", 5);
    assert_true(ring.cap <= 4096);
    ring_done(&ring);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_newest),           cmocka_unit_test(piece_larger_than_the_ring),
        cmocka_unit_test(holds_nothing_when_told_so), cmocka_unit_test(tail_changes_nothing),
        cmocka_unit_test(same_as_a_plain_array),      cmocka_unit_test(memory_grows_with_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
