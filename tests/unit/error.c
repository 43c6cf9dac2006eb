#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void set_fills_and_returns_minus_one(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(error_set(&error, ERROR_ARGUMENT, "line %d is not in %s", 7, "a.py"), -1);
    assert_int_equal(error.kind, ERROR_ARGUMENT);
    assert_string_equal(error.message, "line 7 is not in a.py");
    assert_int_equal(error_set(&error, ERROR_LIMIT, "other"), -1);
    assert_int_equal(error.kind, ERROR_LIMIT);
    assert_string_equal(error.message, "other");
}

/* Callers that do not want the error pass NULL. */
static void unwanted_error(void **state)
{
    (void)state;
    assert_int_equal(error_set(NULL, ERROR_STATE, "%s", "x"), -1);
    error_prefix(NULL, "x");
    error_clear(NULL);
    struct error from = ERROR_INIT;
    error_set(&from, ERROR_STATE, "given away");
    error_move(NULL, &from);
    assert_int_equal(from.kind, ERROR_NONE);
    assert_null(from.message);
}

/* A message built from the one it replaces read freed memory. */
static void message_may_quote_the_old_one(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_REQUEST, "no such thread");
    error_set(&error, ERROR_STATE, "next failed: %s", error.message);
    assert_string_equal(error.message, "next failed: no such thread");
}

static void prefix_goes_before(void **state)
{
    (void)state;
    AUTO_ERROR struct error error = ERROR_INIT;
    error_prefix(&error, "nothing to say: ");
    assert_null(error.message);
    error_set(&error, ERROR_SPAWN, "No such file");
    error_prefix(&error, "cannot execute %s: ", "/x/y");
    assert_string_equal(error.message, "cannot execute /x/y: No such file");
    assert_int_equal(error.kind, ERROR_SPAWN);
}

static void move_empties_the_source(void **state)
{
    (void)state;
    AUTO_ERROR struct error to = ERROR_INIT;
    AUTO_ERROR struct error from = ERROR_INIT;
    error_set(&to, ERROR_TIMEOUT, "old");
    error_set(&from, ERROR_EXIT, "new");
    error_move(&to, &from);
    assert_string_equal(to.message, "new");
    assert_int_equal(to.kind, ERROR_EXIT);
    assert_null(from.message);
    error_move(&to, &to);
    assert_string_equal(to.message, "new");
}

/* Each kind has a name of its own: results name it to hosts. */
static void kinds_have_names(void **state)
{
    (void)state;
    for (int kind = ERROR_NONE; kind <= ERROR_LIMIT; kind++) {
        const char *name = error_kind_name((enum error_kind)kind);
        assert_string_not_equal(name, "unknown");
        for (int other = ERROR_NONE; other < kind; other++)
            assert_string_not_equal(name, error_kind_name((enum error_kind)other));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_fills_and_returns_minus_one), cmocka_unit_test(unwanted_error),
        cmocka_unit_test(message_may_quote_the_old_one),   cmocka_unit_test(prefix_goes_before),
        cmocka_unit_test(move_empties_the_source),         cmocka_unit_test(kinds_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
