#include "verb/source_excerpt.h"

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[] = "/tmp/unit-source-excerpt-XXXXXX";
static char *path;

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return -1;
    path = xasprintf("%s/source.txt", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    free(path);
    return rmdir(folder);
}

static void write_file(const char *bytes, size_t len)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    fclose(file);
}

static void check(int64_t line, int around, int64_t first_line, const char *joined)
{
    struct source_excerpt excerpt;
    source_excerpt_read(path, line, around, &excerpt);
    char text[2048] = "";
    for (size_t i = 0; i < excerpt.count; i++)
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s|", excerpt.lines[i]);
    assert_string_equal(text, joined);
    assert_int_equal(excerpt.first_line, first_line);
    assert_null(excerpt.why_none);
    source_excerpt_done(&excerpt);
}

static void check_none(const char *of, int64_t line, const char *why)
{
    struct source_excerpt excerpt;
    source_excerpt_read(of, line, 2, &excerpt);
    assert_int_equal(excerpt.count, 0);
    assert_string_equal(excerpt.why_none, why);
    assert_null(source_excerpt_line(&excerpt, line));
    source_excerpt_done(&excerpt);
    source_excerpt_done(&excerpt); /* safe to repeat */
}

static void lines_around_are_read(void **state)
{
    (void)state;
    write_file("one\ntwo\nthree\nfour\nfive\n", 24);
    check(3, 1, 2, "two|three|four|");
    check(1, 2, 1, "one|two|three|");
    check(5, 2, 3, "three|four|five|");
    check(3, 0, 3, "three|");
    check(3, -7, 3, "three|");
    check(2, 1000000, 1, "one|two|three|four|five|");
    check(5, INT32_MAX, 1, "one|two|three|four|five|");
}

/* Files of other systems: CRLF, a byte order mark, no end of the last line. */
static void line_ends_are_dropped(void **state)
{
    (void)state;
    write_file("\xef\xbb\xbfone\r\n\r\nthree", 15);
    check(2, 2, 1, "one||three|");
}

/* A NUL would end the string early and hide the rest of the line. */
static void nuls_become_blanks(void **state)
{
    (void)state;
    write_file("a\0b\0\0\nc\n", 8);
    check(1, 1, 1, "a b  |c|");
}

static void lines_can_be_asked_for_by_number(void **state)
{
    (void)state;
    write_file("one\ntwo\nthree\n", 14);
    struct source_excerpt excerpt;
    source_excerpt_read(path, 3, 1, &excerpt);
    assert_string_equal(source_excerpt_line(&excerpt, 2), "two");
    assert_string_equal(source_excerpt_line(&excerpt, 3), "three");
    assert_null(source_excerpt_line(&excerpt, 1));
    assert_null(source_excerpt_line(&excerpt, 4));
    assert_null(source_excerpt_line(&excerpt, 0));
    assert_null(source_excerpt_line(&excerpt, INT64_MIN));
    assert_null(source_excerpt_line(&excerpt, INT64_MAX));
    source_excerpt_done(&excerpt);
    struct source_excerpt nothing = { 0 };
    assert_null(source_excerpt_line(&nothing, 0));
}

/* The file on disk is not the one that was compiled, or there is none: the reason is told instead of another line. */
static void missing_lines_have_a_reason(void **state)
{
    (void)state;
    write_file("one\ntwo\n", 8);
    check_none(path, 3, "has only 2 lines");
    check_none(path, INT64_MAX, "has only 2 lines");
    write_file("one", 3);
    check_none(path, 2, "has only 1 line");
    write_file("", 0);
    check_none(path, 1, "has only 0 lines");
    check_none(path, 0, "is known, but not the line");
    check_none(path, -5, "is known, but not the line");
    check_none(NULL, 5, "is not known");
    check_none("/nonexistent/file.c", 5, "is not on this machine");
    check_none("", 5, "is not on this machine");
    check_none("<string>", 5, "is not on this machine");
    check_none(folder, 5, "is not a regular file");
    check_none("/dev/zero", 5, "is not a regular file");
}

/* Opening a named pipe blocks until somebody writes to it: a source path from an adapter must not hang us. */
static void pipes_do_not_block(void **state)
{
    (void)state;
    char *pipe = xasprintf("%s/pipe", folder);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    check_none(pipe, 1, "is not a regular file");
    unlink(pipe);
    free(pipe);
}

static void unreadable_files_say_why(void **state)
{
    (void)state;
    write_file("one\n", 4);
    chmod(path, 0);
    uid_t user = geteuid();
    if (user == 0) /* nothing is unreadable for root */
        assert_int_equal(seteuid(65534), 0);
    check_none(path, 1, "cannot be read: Permission denied");
    assert_int_equal(seteuid(user), 0);
    chmod(path, 0600);
}

/* Minified code: a line of megabytes is cut, and between characters. */
static void long_lines_are_cut_between_characters(void **state)
{
    (void)state;
    for (size_t shift = 0; shift < 4; shift++) {
        char line[4096];
        memset(line, 'x', shift);
        size_t len = shift;
        for (; len + 4 < sizeof(line); len += 3)
            memcpy(line + len, "\xe2\x82\xac", 3);
        line[len++] = '\n';
        write_file(line, len);
        struct source_excerpt excerpt;
        source_excerpt_read(path, 1, 0, &excerpt);
        assert_int_equal(excerpt.count, 1);
        assert_true(strlen(excerpt.lines[0]) <= SOURCE_EXCERPT_LINE_BYTES);
        assert_true(strlen(excerpt.lines[0]) > SOURCE_EXCERPT_LINE_BYTES - 4);
        assert_true(utf8_valid(excerpt.lines[0], strlen(excerpt.lines[0])));
        source_excerpt_done(&excerpt);
    }
}

static void only_the_first_megabyte_is_read(void **state)
{
    (void)state;
    size_t len = 2 * LIMIT_SOURCE_BYTES;
    char *bytes = malloc(len);
    memset(bytes, '\n', len);
    memcpy(bytes + 1000, "here", 4);
    write_file(bytes, len);
    free(bytes);
    check(1001, 0, 1001, "here|");
    char *why = xasprintf("is too large: line %d is not in its first megabyte", 1500000);
    check_none(path, 1500000, why);
    free(why);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_around_are_read),
        cmocka_unit_test(line_ends_are_dropped),
        cmocka_unit_test(nuls_become_blanks),
        cmocka_unit_test(lines_can_be_asked_for_by_number),
        cmocka_unit_test(missing_lines_have_a_reason),
        cmocka_unit_test(pipes_do_not_block),
        cmocka_unit_test(unreadable_files_say_why),
        cmocka_unit_test(long_lines_are_cut_between_characters),
        cmocka_unit_test(only_the_first_megabyte_is_read),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
