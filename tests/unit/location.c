/* Breakpoints as people write them. */
#include "cli/location.h"

#include "base/error.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* "file|line|column|function|text|condition|hit|log", each empty when it is not there; or the error. */
static char *read_words(const char *words)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_LOCATION struct location location = { 0 };
    if (location_parse(words, &location, &error) < 0)
        return xasprintf("error: %s", error.message);
    const char *parts[] = { location.file, location.line,      location.column, location.function,
                            location.text, location.condition, location.hit,    location.log };
    char *all = xstrdup("");
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        char *more = xasprintf("%s%s%s", all, i > 0 ? "|" : "", parts[i] != NULL ? parts[i] : "");
        free(all);
        all = more;
    }
    return all;
}

static void is(const char *words, const char *wanted)
{
    AUTO_FREE char *seen = read_words(words);
    assert_string_equal(seen, wanted);
}

static void places(void **state)
{
    (void)state;
    is("app.py:42", "app.py|42||||||");
    is("app.py:42:7", "app.py|42|7|||||");
    is("src/a b.c:1", "src/a b.c|1||||||");
    is("42", "|42||||||");
    is("main", "|||main||||");
    is("ns::Class::method", "|||ns::Class::method||||");
    is("/retry/", "||||retry|||");
    is("app.py:/x = /", "app.py||||x = |||");
    is("src/app.py:/x = /", "src/app.py||||x = |||"); /* a folder's slash was taken for the text's */
    is("/p/src/app.py:/x = / if y", "/p/src/app.py||||x = |y||");
    is("./Makefile:/a:/b/", "./Makefile||||a:/b|||");
    is("/a: /b/", "||||a: /b|||");
    is("  app.py:42", "app.py|42||||||");
}

static void conditions(void **state)
{
    (void)state;
    is("app.py:42 if n > 3", "app.py|42||||n > 3||");
    is("app.py:42 hit 3", "app.py|42|||||3|");
    is("app.py:42 log n={n} if any", "app.py|42||||||n={n} if any");
    is("app.py:42 if n > 3 hit 2 log x", "app.py|42||||n > 3|2|x");
    is("main if argc > 1", "|||main||argc > 1||");
    is("app.py:42\tif\nn", "app.py|42||||n||");
    /* a word that only begins like one, and one inside of an expression */
    is("iffy", "|||iffy||||");
    is("app.py:42 if a if b", "app.py|42||||a if b||");
    is("app.py:1 if x hit y", "app.py|1||||x|y|");
}

/* A colon in a name: the last number is the line. With two, the one that makes a file that is there. */
static void colons(void **state)
{
    (void)state;
    char folder[] = "/tmp/location-XXXXXX";
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chdir(folder), 0);
    fclose(fopen("odd:12", "w"));
    is("odd:12:5", "odd:12|5||||||");
    is("even:12:5", "even|12|5|||||");
    is("a:b.c:3", "a:b.c|3||||||");
    assert_int_equal(unlink("odd:12"), 0);
    assert_int_equal(chdir("/"), 0);
    assert_int_equal(rmdir(folder), 0);
}

static void faults(void **state)
{
    (void)state;
    is("", "error: a place is missing: FILE:LINE, a function's name, or /text/");
    is("app.py:42 if", "error: \"if\" is followed by nothing: app.py:42 if");
    is("app.py:42 if ", "error: \"if\" is followed by nothing: app.py:42 if ");
    is(" if x", "error: a place is missing: FILE:LINE, a function's name, or /text/");
    /* no number ends the place: these are names, which an adapter may know or not, but no function is called like a file or a sentence */
    is("Foo::bar", "|||Foo::bar||||");
    is("operator new", "|||operator new||||");
    is("f(int, char)", "|||f(int, char)||||");
    is("main.total", "|||main.total||||");
    static const char *const none[] = { "app.py:", "app.py:total", "app.py:7 n > 3", "remove 1" };
    for (size_t i = 0; i < COUNT_OF(none); i++) {
        AUTO_FREE char *wanted = xasprintf("error: \"%s\" is no place: FILE:LINE, FILE:/text/ or a function's name, and after it "
                                           "\"if CONDITION\", \"hit COUNT\" or \"log TEXT\"",
                                           none[i]);
        is(none[i], wanted);
    }
    is("app.py", "error: which line of app.py? FILE:LINE, or FILE:/text/");
    /* as other debuggers write it, which became a function of that name; and several, which became a file of that name */
    is("app.py 42", "error: \"app.py 42\" is no place: is it app.py:42?");
    is("app.py:1,app.py:2", "error: \"app.py:1,app.py:2\" is more than one place: give each as a word or flag of its own");
    is(":42", "|||:42||||");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(conditions),
        cmocka_unit_test(colons),
        cmocka_unit_test(faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
