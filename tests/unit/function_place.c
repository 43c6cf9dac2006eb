/* Where functions begin, in sources of several languages: for adapters that set no breakpoints by a name. */
#include "adapter/function_place.h"

#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "scratch.h"

static int make_scratch(void **state)
{
    *state = scratch_new();
    return 0;
}

static int remove_scratch(void **state)
{
    scratch_free(*state);
    return 0;
}

static void expect_line(const char *program, const char *name, int64_t line)
{
    char *path;
    int64_t found;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (function_place_find(program, name, &path, &found, &error) < 0)
        fail_msg("%s: %s", name, error.message);
    assert_string_equal(path, program);
    assert_int_equal(found, line);
    free(path);
}

static void expect_none(const char *program, const char *name, const char *words)
{
    char *path;
    int64_t found;
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(function_place_find(program, name, &path, &found, &error), -1);
    if (strstr(error.message, words) == NULL)
        fail_msg("no \"%s\" in: %s", words, error.message);
}

/* A `def` runs when the module does: the breakpoint belongs into the body, behind the docstring. */
static void python(void **state)
{
    AUTO_FREE char *program = scratch_file(*state, "a.py",
                                           "import sys\n"                   /* 1 */
                                           "def plain(a):\n"                /* 2 */
                                           "    return a\n"                 /* 3 */
                                           "async def documented(a: int,\n" /* 4 */
                                           "    b={'x': 1}) -> int:\n"      /* 5 */
                                           "    \"\"\"Says:\n"              /* 6 */
                                           "    much.\"\"\"\n"              /* 7 */
                                           "    # why\n"                    /* 8 */
                                           "\n"                             /* 9 */
                                           "    return 1\n"                 /* 10 */
                                           "def short(): return 2\n"        /* 11 */
                                           "class A:\n"                     /* 12 */
                                           "    def go(self):\n"            /* 13 */
                                           "        'one line'\n"           /* 14 */
                                           "        pass\n"                 /* 15 */
                                           "class B:\n"                     /* 16 */
                                           "    def go(self):\n"            /* 17 */
                                           "        pass\n"                 /* 18 */
                                           "    def stop(self):\n"          /* 19 */
                                           "        pass\n");               /* 20 */
    expect_line(program, "plain", 3);
    expect_line(program, "documented", 10);
    expect_line(program, "short", 11);
    expect_line(program, "A.go", 15);
    expect_line(program, "B.go", 18);
    expect_line(program, "stop", 20);
    expect_none(program, "go", "2 functions are named go");
    expect_none(program, "A.stop", "no function A.stop");
    expect_none(program, "plai", "no function plai");
    expect_none(program, "pl.*", "is no name");
    expect_none(program, "", "is no name");
}

static void javascript(void **state)
{
    AUTO_FREE char *program = scratch_file(*state, "a.js",
                                           "// function no() {\n"                          /* 1 */
                                           "export async function plain({ a } = {}) {\n"   /* 2 */
                                           "  // first\n"                                  /* 3 */
                                           "  return a;\n"                                 /* 4 */
                                           "}\n"                                           /* 5 */
                                           "const arrow = (a) => a + 1;\n"                 /* 6 */
                                           "const block = async (a) => {\n"                /* 7 */
                                           "  return a;\n"                                 /* 8 */
                                           "};\n"                                          /* 9 */
                                           "class A {\n"                                   /* 10 */
                                           "  static go(a) {\n"                            /* 11 */
                                           "    return plain(a);\n"                        /* 12 */
                                           "  }\n"                                         /* 13 */
                                           "}\n"                                           /* 14 */
                                           "exports.named = function (a) { return a; };\n" /* 15 */
                                           "function one() { return 1; }\n");              /* 16 */
    expect_line(program, "plain", 4);
    expect_line(program, "arrow", 6);
    expect_line(program, "block", 8);
    expect_line(program, "A.go", 12);
    expect_line(program, "named", 15);
    expect_line(program, "one", 16);
    expect_none(program, "no", "no function no");
}

static void ruby_perl_and_shell(void **state)
{
    AUTO_FREE char *ruby = scratch_file(*state, "a.rb",
                                        "module M\n  class A\n    def go(a,\n      b)\n      # why\n      a\n    end\n  end\nend\n"
                                        "def go?\n  1\nend\ndef short(x) = x * 2\ndef self.all; 1; end\n");
    expect_line(ruby, "A#go", 6);
    expect_line(ruby, "M::A#go", 6);
    expect_line(ruby, "go?", 11);
    expect_line(ruby, "short", 13);
    expect_line(ruby, "all", 14);
    AUTO_FREE char *perl =
        scratch_file(*state, "a.pl", "package A;\nsub go {\n    my ($a) = @_;\n}\npackage B;\nsub go\n{\n    1;\n}\n");
    expect_line(perl, "A::go", 3);
    expect_line(perl, "B::go", 8);
    AUTO_FREE char *shell =
        scratch_file(*state, "a.sh", "function one {\n  echo 1\n}\ntwo() { echo 2; }\nthree ()\n{\n  # no\n  echo 3\n}\n");
    expect_line(shell, "one", 2);
    expect_line(shell, "two", 4);
    expect_line(shell, "three", 8);
}

/* What the program imports lies around it; what it depends on is none of its own. */
static void other_files(void **state)
{
    AUTO_FREE char *program = scratch_file(*state, "p/main.py", "import lib.tools\n");
    AUTO_FREE char *other = scratch_file(*state, "p/lib/tools.py", "def tool():\n    pass\n");
    AUTO_FREE char *dependency = scratch_file(*state, "p/venv/tools.py", "def tool():\n    pass\n\ndef away():\n    pass\n");
    AUTO_FREE char *language = scratch_file(*state, "p/tools.js", "function away() {\n}\n");
    char *path;
    int64_t found;
    assert_int_equal(function_place_find(program, "tool", &path, &found, NULL), 0);
    assert_string_equal(path, other);
    assert_int_equal(found, 2);
    free(path);
    expect_none(program, "away", "the 2 files");
}

static void unknown_languages(void **state)
{
    AUTO_FREE char *program = scratch_file(*state, "a.bin", "def f\n");
    expect_none(program, "f", "cannot be found out");
    expect_none(NULL, "f", "cannot be found out");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(python, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(javascript, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(ruby_perl_and_shell, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(other_files, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(unknown_languages, make_scratch, remove_scratch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
