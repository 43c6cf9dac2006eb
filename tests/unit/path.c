#include "base/path.h"

#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void check_owned(char *actual, const char *expected)
{
    assert_string_equal(actual, expected);
    free(actual);
}

static void absolute_is_lexical(void **state)
{
    (void)state;
    check_owned(path_absolute("/a/b", "/base"), "/a/b");
    check_owned(path_absolute("c.py", "/base/dir"), "/base/dir/c.py");
    check_owned(path_absolute("./x/../y//z/.", "/base/"), "/base/y/z");
    check_owned(path_absolute("../../../..", "/a/b"), "/");
    check_owned(path_absolute("..", "/a/b"), "/a");
    check_owned(path_absolute("/", NULL), "/");
    check_owned(path_absolute("//a///b/", NULL), "/a/b");
    check_owned(path_absolute("/..a/...", NULL), "/..a/...");
    check_owned(path_absolute("", "/a"), "/a");
}

/* A relative base must not make a relative result. */
static void absolute_from_the_working_directory(void **state)
{
    (void)state;
    AUTO_FREE char *working = getcwd(NULL, 0);
    assert_non_null(working);
    AUTO_FREE char *expected = xasprintf("%s/sub/x", strcmp(working, "/") == 0 ? "" : working);
    check_owned(path_absolute("sub/x", NULL), expected);
    check_owned(path_absolute("x", "sub"), expected);
}

static void join_folder_and_name(void **state)
{
    (void)state;
    check_owned(path_join("/a", "b"), "/a/b");
    check_owned(path_join("/a/", "b"), "/a/b");
    check_owned(path_join("/", "b"), "/b");
    check_owned(path_join("", "b"), "b");
    check_owned(path_join("/a", "/b"), "/b");
}

static void parts_of_a_path(void **state)
{
    (void)state;
    check_owned(path_folder("/a/b"), "/a");
    check_owned(path_folder("/a/b/"), "/a");
    check_owned(path_folder("/a//b"), "/a");
    check_owned(path_folder("/a"), "/");
    check_owned(path_folder("/"), "/");
    check_owned(path_folder("a"), ".");
    check_owned(path_folder("a/b"), "a");
    assert_string_equal(path_name("/a/b.py"), "b.py");
    assert_string_equal(path_name("b.py"), "b.py");
    assert_string_equal(path_name("/"), "");
    assert_string_equal(path_extension("/a.d/b.tar.gz"), ".gz");
    assert_string_equal(path_extension("/a.d/b"), "");
    assert_string_equal(path_extension("/a/.bashrc"), "");
    assert_string_equal(path_extension("b."), "");
}

/* "/base-other/x" was shown as "-other/x": a base counts only up to the end of a part. */
static void shown_relative_only_inside(void **state)
{
    (void)state;
    check_owned(path_shown("/base/x/y.py", "/base"), "x/y.py");
    check_owned(path_shown("/base/x", "/base/"), "x");
    check_owned(path_shown("/base-other/x", "/base"), "/base-other/x");
    check_owned(path_shown("/base", "/base"), "/base");
    check_owned(path_shown("/base/", "/base"), "/base/");
    check_owned(path_shown("/x/y", "/"), "x/y");
    check_owned(path_shown("/", "/"), "/");
    check_owned(path_shown("/x", NULL), "/x");
    check_owned(path_shown("/x", ""), "/x");
    check_owned(path_shown("<string>", "/base"), "<string>");
}

static void what_lies_there(void **state)
{
    (void)state;
    char folder[] = "/tmp/dapple-path-XXXXXX";
    assert_non_null(mkdtemp(folder));
    AUTO_FREE char *file = path_join(folder, "file");
    AUTO_FREE char *link = path_join(folder, "link");
    AUTO_FREE char *broken = path_join(folder, "broken");
    FILE *stream = fopen(file, "we");
    assert_non_null(stream);
    fclose(stream);
    assert_int_equal(chmod(file, 0600), 0);
    assert_int_equal(symlink("file", link), 0);
    assert_int_equal(symlink("nowhere", broken), 0);

    assert_true(path_exists(file) && path_is_file(file) && !path_is_folder(file));
    assert_true(path_exists(folder) && !path_is_file(folder) && path_is_folder(folder));
    assert_true(path_is_file(link) && path_same_file(file, link));
    assert_false(path_exists(broken) || path_same_file(broken, broken));
    assert_false(path_same_file(file, folder));
    assert_false(path_is_executable(file));
    assert_false(path_is_executable(folder)); /* its x bit means something else */
    assert_int_equal(chmod(file, 0700), 0);
    assert_true(path_is_executable(file));

    unlink(broken);
    unlink(link);
    unlink(file);
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(absolute_is_lexical),        cmocka_unit_test(absolute_from_the_working_directory),
        cmocka_unit_test(join_folder_and_name),       cmocka_unit_test(parts_of_a_path),
        cmocka_unit_test(shown_relative_only_inside), cmocka_unit_test(what_lies_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
