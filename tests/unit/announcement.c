/* What an adapter says when it listens, cut in every way that a stream can cut it. */
#include "io/announcement.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static struct announcement *words;

static void wait_for(const char *pattern)
{
    announcement_free(words);
    words = announcement_new(pattern);
}

static bool hear(const char *text)
{
    return announcement_hear(words, text, strlen(text));
}

static int end(void **state)
{
    (void)state;
    announcement_free(words);
    words = NULL;
    return 0;
}

#define DELVE "DAP server listening at: 127.0.0.1:${port}"

static void reads_the_port(void **state)
{
    (void)state;
    wait_for(DELVE);
    assert_false(hear("API server starting\n"));
    assert_int_equal(announcement_port(words), 0);
    assert_true(hear("DAP server listening at: 127.0.0.1:4711\n"));
    assert_int_equal(announcement_port(words), 4711);
    assert_true(hear("DAP server listening at: 127.0.0.1:4712\n")); /* the first one counts */
    assert_int_equal(announcement_port(words), 4711);
}

/* A read can end anywhere, also in the middle of the number: 47 is no port then. */
static void may_come_in_pieces(void **state)
{
    (void)state;
    const char text[] = "junk\nDAP server DAP server listening at: 127.0.0.1:4711\n";
    for (size_t first = 0; first < sizeof(text); first++)
        for (size_t second = first; second < sizeof(text); second++) {
            wait_for(DELVE);
            announcement_hear(words, text, first);
            announcement_hear(words, text + first, second - first);
            assert_int_equal(announcement_hear(words, text + second, sizeof(text) - 1 - second), true);
            assert_int_equal(announcement_port(words), 4711);
        }
    wait_for(DELVE);
    for (size_t i = 0; i + 2 < sizeof(text); i++)
        assert_false(announcement_hear(words, text + i, 1));
    assert_true(hear("\n"));
    assert_int_equal(announcement_port(words), 4711);
}

static void five_digits_need_nothing_after_them(void **state)
{
    (void)state;
    wait_for(DELVE);
    assert_true(hear("DAP server listening at: 127.0.0.1:65535"));
    assert_int_equal(announcement_port(words), 65535);
}

static void takes_no_number_that_is_no_port(void **state)
{
    (void)state;
    static const char *const not_ports[] = { "0\n", "65536\n", "123456\n", "99999\n", "x\n", "-1\n", "\n" };
    for (size_t i = 0; i < COUNT_OF(not_ports); i++) {
        wait_for("port ${port}");
        assert_false(hear("port "));
        assert_false(hear(not_ports[i]));
        assert_true(hear("port 80\n"));
        assert_int_equal(announcement_port(words), 80);
    }
}

static void text_may_follow_the_port(void **state)
{
    (void)state;
    wait_for("listening on ${port} (DAP)");
    assert_false(hear("listening on 1234 (HTTP)\nlistening on 5678 (D"));
    assert_true(hear("AP)"));
    assert_int_equal(announcement_port(words), 5678);
}

static void may_name_no_port(void **state)
{
    (void)state;
    wait_for("Waiting for debugger client to connect...");
    assert_false(hear("Waiting for debugger client to connect.."));
    assert_true(hear("."));
    assert_int_equal(announcement_port(words), 0);
}

/* A beginning that is not the words, with the words in the middle of it. */
static void finds_words_that_begin_within_a_false_beginning(void **state)
{
    (void)state;
    wait_for("aab${port}");
    assert_true(hear("aaab7\n"));
    assert_int_equal(announcement_port(words), 7);
}

static void bytes_may_be_anything(void **state)
{
    (void)state;
    wait_for("ready ${port}");
    assert_false(announcement_hear(words, "\0ready \0\xff", 9));
    assert_true(announcement_hear(words, "ready 9\0", 8));
    assert_int_equal(announcement_port(words), 9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(reads_the_port, end),
        cmocka_unit_test_teardown(may_come_in_pieces, end),
        cmocka_unit_test_teardown(five_digits_need_nothing_after_them, end),
        cmocka_unit_test_teardown(takes_no_number_that_is_no_port, end),
        cmocka_unit_test_teardown(text_may_follow_the_port, end),
        cmocka_unit_test_teardown(may_name_no_port, end),
        cmocka_unit_test_teardown(finds_words_that_begin_within_a_false_beginning, end),
        cmocka_unit_test_teardown(bytes_may_be_anything, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
