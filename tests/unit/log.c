#include "base/log.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { MOST = 128 * 1024 };

/* What an action writes to stderr, as heap memory of the caller's. */
static char *stderr_of(void (*action)(void))
{
    int saved = dup(STDERR_FILENO);
    char name[] = "/tmp/dapple-log-XXXXXX";
    int file = mkstemp(name);
    assert_true(saved >= 0 && file >= 0);
    unlink(name);
    dup2(file, STDERR_FILENO);
    action();
    dup2(saved, STDERR_FILENO);
    char *text = xcalloc(1, MOST);
    ssize_t len = pread(file, text, MOST - 1, 0);
    close(file);
    close(saved);
    assert_true(len >= 0);
    return text;
}

static void write_one_of_each(void)
{
    log_error("an error %d", 1);
    log_info("an info");
    log_debug("a detail");
}

static void write_a_huge_line(void)
{
    AUTO_FREE char *huge = xcalloc(1, MOST);
    memset(huge, 'x', MOST - 1);
    log_info("%s", huge);
}

static void open_with(const char *level)
{
    if (level)
        setenv("DAPPLE_LOG", level, 1);
    else
        unsetenv("DAPPLE_LOG");
    log_open();
}

/* A host that merges stderr into its protocol stream must not see a byte unless somebody asked for the log. */
static void silent_unless_asked(void **state)
{
    (void)state;
    static const char *const levels[] = { NULL, "", "off", "nonsense" };
    for (size_t i = 0; i < COUNT_OF(levels); i++) {
        open_with(levels[i]);
        AUTO_FREE char *text = stderr_of(write_one_of_each);
        assert_string_equal(text, "");
        assert_int_equal(log_level(), LOG_OFF);
    }
}

static void writes_up_to_the_level(void **state)
{
    (void)state;
    open_with("info");
    AUTO_FREE char *text = stderr_of(write_one_of_each);
    assert_non_null(strstr(text, " error: an error 1\n"));
    assert_non_null(strstr(text, " info: an info\n"));
    assert_null(strstr(text, "a detail"));
    open_with("debug");
    AUTO_FREE char *more = stderr_of(write_one_of_each);
    assert_non_null(strstr(more, " debug: a detail\n"));
}

/* A line too long is cut and still ends. */
static void long_line_is_cut(void **state)
{
    (void)state;
    open_with("info");
    AUTO_FREE char *text = stderr_of(write_a_huge_line);
    assert_int_equal(strlen(text), 64 * 1024);
    assert_int_equal(text[64 * 1024 - 1], '\n');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(silent_unless_asked),
        cmocka_unit_test(writes_up_to_the_level),
        cmocka_unit_test(long_line_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
