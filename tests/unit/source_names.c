#include "verb/source_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct sample {
    const char *extension, *line;
    const char *names; /* in order, with a blank between */
};

static const struct sample samples[] = {
    { ".py", "return price / n", "return price n" },
    { ".py", "", "" },
    { ".py", "   \t ", "" },
    /* What is in a string is not used, and neither is a comment; `//` divides in Python. */
    { ".py", "a = 'b c' + \"d\" # e", "a" },
    { ".py", "a // b", "a b" },
    { ".py", "a = 'it\\'s b' + c", "a c" },
    { ".py", "\"\"\"The total of qty.\"\"\"", "" },
    { ".py", "x = \"unfinished y", "x" },
    /* What is interpolated is used. */
    { ".py", "print(f'{total:>10} of {items[0].qty} {{x')", "print total items x" },
    { ".py", "print(f\"{names['key']!r}\")", "print names" },
    { ".py", "rb'{a}' b'{c}' u'{d}'", "" },
    { ".js", "log(`n is ${n + obj.size} and ${f(`${m}`)}`)", "log n obj f m" },
    { ".rb", "puts \"#{user.name} has @count\"", "puts user count" },
    { ".rs", "println!(\"{total} {}\", x);", "println total x" },
    { ".cs", "Write($\"{total}\");", "Write total" },
    { ".sh", "echo \"$count of ${total#prefix}\" # more", "echo count total prefix" },
    { ".sh", "for i in \"${list[@]}\"; do", "for i in list do" },
    { ".sh", "n=$#", "n" },
    { ".pl", "my $last = $#list; # comment", "my last list" },
    { ".php", "echo $this->items . $name; // x", "echo this name" },
    { ".php", "echo \"Hello $name and {$a->b}\"; # y", "echo name a" },
    /* Members are not variables, the object that they belong to is. */
    { ".py", "self.total += item.qty * other . rate", "self item other" },
    { ".c", "p->next->value = this->x; s.a[i].b", "p this s i" },
    { ".cpp", "std::max(a, Foo::bar)", "std a Foo" },
    { ".js", "a?.b?.[c]", "a c" },
    /* Ranges, rest and spread look like members and are not. */
    { ".rs", "for i in 0..n {", "for i in n" },
    { ".rs", "0..=last", "last" },
    { ".js", "f(...args)", "f args" },
    { ".lua", "a..b -- c", "a b" },
    { ".c", "x-- - y", "x y" },
    { ".sql", "SELECT v -- w", "SELECT v" },
    /* Comments of the C family. */
    { ".c", "a = b; // c", "a b" },
    { ".c", "a /* b */ = c", "a c" },
    { ".c", "a /* b", "a" },
    { ".go", "a /", "a" },
    { "", "a # b", "a" },
    { "", "a // b", "a" },
    { ".js", "this.#x = y", "this x y" },
    /* Numbers hold no names. */
    { ".c", "a = 0x1f + 1e5 + 1.5f + 10ul", "a" },
    { ".cpp", "a = 1'000'000 + b", "a b" },
    /* An apostrophe is not always a quote. */
    { ".rs", "fn f<'a>(x: &'a str, y: i32)", "fn f a x a str y i32" },
    { ".c", "c == 'x' && d", "c d" },
    { ".c", "L'x' + u\"y\" + z", "z" },
    { ".txt", "don't set(x)", "don t set x" },
    /* Names need not be ASCII. */
    { ".py", "größe = ñ", "größe ñ" },
};

static void lexer_finds_the_names_that_are_used(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
        struct source_names names;
        source_names_init(&names);
        source_names_read(&names, samples[i].line, samples[i].extension);
        char found[512] = "";
        const char *end = names.text.data + names.text.len;
        for (const char *name = names.text.data; name < end; name += strlen(name) + 1)
            snprintf(found + strlen(found), sizeof(found) - strlen(found), "%s%s", *found ? " " : "", name);
        if (strcmp(found, samples[i].names) != 0)
            fail_msg("%s: %s\n  wanted: %s\n  found:  %s", samples[i].extension, samples[i].line, samples[i].names, found);
        source_names_done(&names);
    }
}

static bool have(struct source_names *names, const char *name)
{
    return source_names_have(names, name, strlen(name));
}

/* PHP, Perl and shell adapters name their variables with the sigil or without; lldb adds where a shadowed one was declared. */
static void names_match_in_every_spelling(void **state)
{
    (void)state;
    struct source_names names;
    source_names_init(&names);
    assert_false(have(&names, "a"));
    source_names_read(&names, "$total = $items[0] + i", ".php");
    assert_true(have(&names, "$total"));
    assert_true(have(&names, "total"));
    assert_true(have(&names, "@items"));
    assert_true(have(&names, "i @ main.c:12"));
    assert_false(have(&names, "tot"));
    assert_false(have(&names, "totals"));
    assert_false(have(&names, ""));
    assert_false(have(&names, "$"));
    assert_false(source_names_have(&names, "total\0x", 7));
    source_names_done(&names);
}

/* Any bytes: whatever a file holds, the lexer ends and stays within the line. Run with the address sanitizer. */
static void any_line_can_be_read(void **state)
{
    (void)state;
    static const char alphabet[] = "ab1.'\"`\\/*#-$@{}>&:\xc3\xa9 f";
    uint32_t seed = 12345;
    for (int round = 0; round < 20000; round++) {
        size_t len = (seed >> 8) % 24;
        char *line = malloc(len + 1); /* exactly as long as the text, so that reading on is found */
        for (size_t i = 0; i < len; i++) {
            seed = seed * 1664525u + 1013904223u;
            line[i] = alphabet[(seed >> 16) % (sizeof(alphabet) - 1)];
        }
        line[len] = '\0';
        seed = seed * 1664525u + 1013904223u;
        struct source_names names;
        source_names_init(&names);
        source_names_read(&names, line, round % 2 ? ".py" : ".c");
        source_names_done(&names);
        free(line);
    }
}

/* A minified file can hold thousands of names in a line, or braces in braces without end. */
static void huge_lines_are_bounded(void **state)
{
    (void)state;
    enum { LEN = 1024 * 1024 };
    char *line = malloc(LEN + 1);
    for (size_t i = 0; i < LEN; i++)
        line[i] = "ab "[i % 3];
    line[LEN] = '\0';
    struct source_names names;
    source_names_init(&names);
    source_names_read(&names, line, ".js");
    assert_true(names.text.len <= names.text.max);
    assert_true(have(&names, "ab"));
    source_names_done(&names);
    for (size_t i = 0; i < LEN; i++)
        line[i] = "\"{"[i % 2];
    source_names_init(&names);
    source_names_read(&names, line, ".js");
    source_names_done(&names);
    free(line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lexer_finds_the_names_that_are_used),
        cmocka_unit_test(names_match_in_every_spelling),
        cmocka_unit_test(any_line_can_be_read),
        cmocka_unit_test(huge_lines_are_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
