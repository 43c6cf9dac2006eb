/* Paths to values: what is one, what is none, and how its segments are compared with the names that adapters give. */
#include "verb/value_path.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "session/model.h"
#include "verb/nearest_names.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* "items[0].price" as "n:items i:0 n:price" */
static void expect(const char *text, const char *wanted)
{
    struct value_path path;
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_BUFFER struct buffer seen;
    buffer_init(&seen, 65536);
    if (value_path_parse(text, &path, &error) < 0)
        fail_msg("%s: %s", text, error.message);
    for (size_t i = 0; i < path.count; i++)
        buffer_addf(&seen, "%s%c:%s", i > 0 ? " " : "", "nik"[path.segments[i].kind], path.segments[i].text);
    assert_string_equal(seen.data, wanted);
    assert_int_equal(path.segments[path.count - 1].end, strlen(path.text));
    value_path_done(&path);
}

static void refuse(const char *text, const char *part)
{
    struct value_path path;
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(value_path_parse(text, &path, &error), -1);
    assert_non_null(strstr(error.message, part));
}

static void test_segments(void **state)
{
    (void)state;
    expect("item", "n:item");
    expect("  order.items[0].price ", "n:order n:items i:0 n:price");
    expect("item->flags.heavy", "n:item n:flags n:heavy");
    expect("(*item).name", "n:item n:name");
    expect("map[\"a key\"]['b']", "n:map k:a key k:b");
    expect("map[\"a \\\"b\\\" ]\"].x", "n:map k:a \"b\" ] n:x");
    expect("hash[:sym]", "n:hash k::sym");
    expect("list[-1]", "n:list i:-1");
    expect("$item->{tags}[1]", "n:$item k:tags i:1");
    expect("$item->{tags}->[1]", "n:$item k:tags i:1");
    expect("@cart.@items[2]", "n:@cart n:@items i:2");
    expect("a?.b?.[0]", "n:a n:b i:0");
    expect("[2].name", "i:2 n:name");
    expect(".name", "n:name");
    expect("std::cout", "n:std::cout");
    expect("größe.länge", "n:größe n:länge");
}

static void test_expressions_are_refused(void **state)
{
    (void)state;
    refuse("", "a name is missing");
    refuse("f(x)", "character 2");
    refuse("a = 5", "dap_evaluate");
    refuse("a+b", "dap_evaluate");
    refuse("a - b", "dap_evaluate");
    refuse("a..b", "a name is missing");
    refuse("a.", "a name is missing");
    refuse("a[", "an index or a key and ]");
    refuse("a[0", "an index or a key and ]");
    refuse("a[]", "an index or a key and ]");
    refuse("a['x]", "a quote is missing");
    refuse("a['x'", "a ] is missing");
    refuse("a{b", "a key and }");
    refuse("a[f(1)]", "an index or a key and ]");
    refuse("a\nb", "no member");
    AUTO_BUFFER struct buffer deep;
    buffer_init(&deep, 65536);
    buffer_add(&deep, "a");
    for (int i = 0; i < LIMIT_PATH_SEGMENTS; i++)
        buffer_add(&deep, ".a");
    refuse(deep.data, "too many segments");
}

static int match(const char *text, const char *name)
{
    struct value_path path;
    AUTO_ERROR struct error error = ERROR_INIT;
    assert_int_equal(value_path_parse(text, &path, &error), 0);
    struct adapter_text name_text = { (char *)name, strlen(name) };
    int fits = value_path_match(&path.segments[path.count - 1], &name_text);
    value_path_done(&path);
    return fits;
}

static void test_names(void **state)
{
    (void)state;
    assert_true(match("name", "name") > match("name", "@name"));
    assert_true(match("name", "@name") > 0);
    assert_true(match("item", "$item") > 0);
    assert_true(match("@x", "@x") > match("@x", "$x"));
    assert_true(match("a[0]", "[0]") > 0 && match("a[0]", "0") > 0 && match("a[0]", "00") > 0);
    assert_int_equal(match("a[0]", "[01x]"), 0);
    assert_int_equal(match("a[1]", "0"), 0);
    assert_true(match("a['k']", "'k'") > 0 && match("a['k']", "\"k\"") > 0 && match("a['k']", "[\"k\"]") > 0);
    assert_true(match("a['k']", "k") > 0 && match("a[:k]", ":k") > 0 && match("a['k']", ":k") > 0);
    assert_true(match("a.k", "'k'") > 0 && match("a.k", "k") > match("a.k", "'k'"));
    assert_int_equal(match("a.k", "key"), 0);
    assert_int_equal(match("a.k", ""), 0);
    assert_true(match("a[\"[[Prototype]]\"]", "[[Prototype]]") > 0);
}

/* Where a path is shown, it leads to the same member again. */
static void test_written_paths_lead_back(void **state)
{
    (void)state;
    static const char *const names[] = { "name", "@name", "$x",   "[0]",           "12",    "'a key'", "\"k\"", "[\"k\"]", ":sym",
                                         "a b",  "a\"b",  "a\\b", "[[Prototype]]", "len()", "x.y",     "größe" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        struct adapter_text name = { (char *)names[i], strlen(names[i]) };
        AUTO_BUFFER struct buffer path;
        buffer_init(&path, 65536);
        buffer_add(&path, "root");
        value_path_add(&path, &name);
        struct value_path parsed;
        AUTO_ERROR struct error error = ERROR_INIT;
        if (value_path_parse(path.data, &parsed, &error) < 0)
            fail_msg("%s", error.message);
        assert_int_equal(parsed.count, 2);
        if (value_path_match(&parsed.segments[1], &name) == 0)
            fail_msg("%s does not lead to %s", path.data, names[i]);
        value_path_done(&parsed);
    }
}

static void test_nearest_names(void **state)
{
    (void)state;
    static const char *const there[] = { "price", "prize", "qty", "name", "'Price'", "tags", "flags" };
    struct nearest_names names;
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, 4096);
    nearest_names_init(&names, "prise");
    for (size_t i = 0; i < COUNT_OF(there); i++)
        nearest_names_add(&names, &(struct adapter_text){ (char *)there[i], strlen(there[i]) });
    nearest_names_write(&text, &names);
    assert_string_equal(text.data, "; near it: price, prize, 'Price'");
    nearest_names_done(&names);
    nearest_names_init(&names, "wholly_else");
    for (size_t i = 0; i < COUNT_OF(there); i++)
        nearest_names_add(&names, &(struct adapter_text){ (char *)there[i], strlen(there[i]) });
    buffer_clear(&text);
    nearest_names_write(&text, &names);
    assert_string_equal(text.data, "; there is price, prize, qty, name, 'Price' and 2 more");
    nearest_names_done(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_segments),      cmocka_unit_test(test_expressions_are_refused),
        cmocka_unit_test(test_names),         cmocka_unit_test(test_written_paths_lead_back),
        cmocka_unit_test(test_nearest_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
