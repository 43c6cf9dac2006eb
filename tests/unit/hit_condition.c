/* What the emulation of breakpoints reads: hit conditions, log messages, and whether a value is true. */
#include "session/hit_condition.h"
#include "session/log_message.h"
#include "session/truth.h"

#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect_stops(const char *text, const char *stops)
{
    struct hit_condition condition;
    AUTO_ERROR struct error error = ERROR_INIT;
    char found[32] = "";
    assert_int_equal(hit_condition_read(text, &condition, &error), 0);
    for (uint64_t hits = 1; hits <= 6; hits++)
        if (hit_condition_holds(&condition, hits))
            snprintf(found + strlen(found), sizeof(found) - strlen(found), "%d", (int)hits);
    assert_string_equal(found, stops);
}

/* Adapters read a bare number in three ways; here it is one, whatever the adapter. */
static void one_meaning(void **state)
{
    (void)state;
    expect_stops("3", "3");
    expect_stops("== 3", "3");
    expect_stops("=3", "3");
    expect_stops("===3", "3");
    expect_stops(" >= 3 ", "3456");
    expect_stops(">3", "456");
    expect_stops("<= 3", "123");
    expect_stops("<\t3", "12");
    expect_stops("% 2", "246");
    expect_stops("%1", "123456");
    expect_stops("> 0", "123456");
    expect_stops("999999999999999999", "");
}

/* A condition that cannot be read would stop the program never or always, and nobody would know why. */
static void bad_grammar(void **state)
{
    (void)state;
    static const char *const bad[] = { "",    "x", "3x",  "3 4", ">", "> >3", "-1", "1.5", "!= 3", "0x3", "9999999999999999999",
                                       "% 0", "0", "< 1", "<= 0" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct hit_condition condition;
        AUTO_ERROR struct error error = ERROR_INIT;
        assert_int_equal(hit_condition_read(bad[i], &condition, &error), -1);
        assert_non_null(strstr(error.message, bad[i]));
    }
}

static void expect_pieces(const char *message, const char *pieces)
{
    char found[128] = "";
    struct log_piece piece;
    for (const char *at = message; log_message_next(&at, &piece);)
        snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%.*s|", piece.expression ? "$" : "", (int)piece.len,
                 piece.start);
    assert_string_equal(found, pieces);
}

/* A dictionary in an expression has braces of its own, and a text may want one, too. */
static void log_messages(void **state)
{
    (void)state;
    expect_pieces("", "");
    expect_pieces("plain", "plain|");
    expect_pieces("a {b} c", "a |$b| c|");
    expect_pieces("{a}{b}", "$a|$b|");
    expect_pieces("{ {'k': 1}['k'] }", "$ {'k': 1}['k'] |");
    expect_pieces("open { never", "open { never|");
    expect_pieces("\\{a\\}", "{|a|}|");
    expect_pieces("a } b {c}", "a } b |$c|");
    expect_pieces("{}", "$|");
    expect_pieces("{ x {y}", "{ x |$y|");
}

/* Every language prints false in its own way. */
static void truth(void **state)
{
    (void)state;
    static const char *const no[] = { "",     " ",         "false", "False",   "0",    "nil",          "null",         "NULL",
                                      "None", "undefined", "0x0",   "0.0",     "-0",   "(bool) false", "(int) $1 = 0", "''",
                                      "\"\"", "0 '\\000'", "NaN",   "nullptr", "0x00", "false\n" };
    static const char *const yes[] = { "true", "True",      "1",      "-1",          "0x7ffc",
                                       "0.5",  "00 1",      "[]",     "(bool) true", "(int) $1 = 10",
                                       "'0'",  "falsehood", "97 'a'", "(0)",         "{...}",
                                       ".",    "-",         "0x",     "1e0" };
    for (size_t i = 0; i < sizeof(no) / sizeof(*no); i++)
        assert_false(text_is_true(no[i]));
    for (size_t i = 0; i < sizeof(yes) / sizeof(*yes); i++)
        assert_true(text_is_true(yes[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_meaning),
        cmocka_unit_test(bad_grammar),
        cmocka_unit_test(log_messages),
        cmocka_unit_test(truth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
