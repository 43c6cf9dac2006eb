#include "verb/locals.h"

#include "base/memory.h"
#include "verb/source_excerpt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct adapter_text text(const char *bytes)
{
    return (struct adapter_text){ .data = (char *)bytes, .len = strlen(bytes) };
}

static struct variable variable(const char *name, const char *value)
{
    return (struct variable){ .name = text(name), .value = text(value), .type = text("int"), .named = -1, .indexed = -1 };
}

static struct scope scope(const char *name, const char *hint, struct variable *variables, size_t count)
{
    return (struct scope){
        .name = (char *)name, .hint = (char *)hint, .expanded = true, .variables = variables, .count = count, .total = count
    };
}

static const struct frame frame = { .name = (char *)"total", .source_path = (char *)"/w/cart.py", .line = 11 };

static char *code[] = { (char *)"n += item.qty", (char *)"return price / n" };
static const struct source_excerpt excerpt = { .first_line = 10, .lines = code, .count = 2 };

/* "price! n! rest" with marks: ! named, ~ changed (with "=was" or "=new"), nothing for the rest. */
static char *described(const struct ranked_local *locals, size_t count)
{
    char *all = xstrdup("");
    for (size_t i = 0; i < count; i++) {
        static const char *const marks[] = { [LOCAL_NAMED] = "!", [LOCAL_CHANGED] = "~", [LOCAL_REST] = "", [LOCAL_DEFINED] = "" };
        const struct ranked_local *local = &locals[i];
        const char *was = local->is_new ? "new" : local->was ? local->was->data : local->changed ? "?" : "";
        char *more = xasprintf("%s%s%s%s%s%s", all, i > 0 ? " " : "", local->variable->name.data, marks[local->rank],
                               local->changed ? "=" : "", was);
        free(all);
        all = more;
    }
    return all;
}

static void check(struct scope *scopes, size_t count, const struct locals_memory *before, const char *wanted)
{
    struct ranked_local *locals;
    size_t found = locals_rank(scopes, count, &excerpt, 11, before, &frame, &locals);
    AUTO_FREE char *got = described(locals, found);
    free(locals);
    assert_string_equal(got, wanted);
}

static void names_on_the_line_come_first(void **state)
{
    (void)state;
    struct variable variables[] = { variable("self", "1"), variable("n", "2"), variable("qty", "3"), variable("price", "4"),
                                    variable("item", "5") };
    struct scope scopes[] = { scope("Locals", "locals", variables, 5) };
    /* In the adapter's order; `qty` is a member here, not the variable. */
    check(scopes, 1, NULL, "n! price! item! self qty");
}

/* Node.js: six functions of the module stood before `rate`, which was left out for them. */
static void functions_come_last(void **state)
{
    (void)state;
    struct variable variables[] = { variable("total", "f total()"), variable("Item", "f class"), variable("rate", "2"),
                                    variable("n", "1"), variable("price", "f price()") };
    variables[0].type = variables[4].type = (struct adapter_text){ (char *)"Function", 8 };
    variables[1].type = (struct adapter_text){ (char *)"type", 4 };
    struct scope scopes[] = { scope("Local", "locals", variables, 5) };
    struct ranked_local *locals;
    size_t count = locals_rank(scopes, 1, &excerpt, 11, NULL, &frame, &locals);
    AUTO_FREE char *got = described(locals, count);
    assert_int_equal(locals[2].rank, LOCAL_REST);
    assert_int_equal(locals[3].rank, LOCAL_DEFINED);
    free(locals);
    assert_string_equal(got, "n! price! rate total Item");
}

static void without_source_the_order_is_the_adapters(void **state)
{
    (void)state;
    struct variable variables[] = { variable("b", "1"), variable("a", "2") };
    struct scope scopes[] = { scope("Locals", NULL, variables, 2) };
    struct ranked_local *locals;
    assert_int_equal(locals_rank(scopes, 1, NULL, 0, NULL, NULL, &locals), 2);
    AUTO_FREE char *got = described(locals, 2);
    free(locals);
    assert_string_equal(got, "b a");
    assert_int_equal(locals_rank(NULL, 0, NULL, 0, NULL, NULL, &locals), 0);
    assert_null(locals);
}

/* Registers and globals are hundreds of variables, and named like variables of the function. */
static void registers_and_globals_do_not_count(void **state)
{
    (void)state;
    struct variable local[] = { variable("x", "1") };
    struct variable other[] = { variable("n", "2") };
    struct scope scopes[] = {
        scope("Locals", "locals", local, 1),
        scope("Registers", "registers", other, 1),
        scope("Globals", NULL, other, 1),
        scope("Global variables", "globals", other, 1),
        scope("Static", NULL, other, 1),
        scope("Superglobals", NULL, other, 1),
        scope("User defined constants", NULL, other, 1),
        scope("Specials", "specials", other, 1),
    };
    check(scopes, COUNT_OF(scopes), NULL, "x");
    scopes[0].expanded = false;
    check(scopes, COUNT_OF(scopes), NULL, "");
    assert_true(locals_scope_counts(&scopes[0]));
    scopes[0] = scope("Global helpers", "locals", local, 1); /* the hint knows better than the name */
    check(scopes, COUNT_OF(scopes), NULL, "x");
    scopes[0] = scope(NULL, NULL, local, 1);
    check(scopes, COUNT_OF(scopes), NULL, "x");
}

/* JavaScript: a block's `n` hides the function's, whose value would be a lie on this line. */
static void inner_scopes_shadow_outer_ones(void **state)
{
    (void)state;
    struct variable block[] = { variable("n", "inner") };
    struct variable function[] = { variable("n", "outer"), variable("price", "1") };
    struct variable closure[] = { variable("price", "2"), variable("item", "3") };
    struct scope scopes[] = { scope("Block: f", "locals", block, 1), scope("Local: f", "locals", function, 2),
                              scope("Closure", "arguments", closure, 2) };
    struct ranked_local *locals;
    size_t count = locals_rank(scopes, 3, &excerpt, 11, NULL, &frame, &locals);
    assert_int_equal(count, 3);
    assert_string_equal(locals[0].variable->value.data, "inner");
    assert_string_equal(locals[1].variable->value.data, "1");
    assert_string_equal(locals[2].variable->value.data, "3");
    assert_ptr_equal(locals[2].scope, &scopes[2]);
    free(locals);
}

/* gdb lists arguments before the locals that may hide them. */
static void locals_shadow_arguments(void **state)
{
    (void)state;
    struct variable arguments[] = { variable("n", "argument"), variable("price", "7") };
    struct variable local[] = { variable("n", "local") };
    struct scope scopes[] = { scope("Arguments", "arguments", arguments, 2), scope("Locals", "locals", local, 1) };
    struct ranked_local *locals;
    size_t count = locals_rank(scopes, 2, &excerpt, 11, NULL, &frame, &locals);
    assert_int_equal(count, 2);
    assert_string_equal(locals[0].variable->name.data, "price");
    assert_string_equal(locals[1].variable->value.data, "local");
    free(locals);
}

/* Within one scope names need not be unique; which is which only the adapter knows. */
static void duplicates_of_one_scope_are_all_kept(void **state)
{
    (void)state;
    struct variable variables[] = { variable("n", "1"), variable("n", "2"), variable("x", "3") };
    struct scope scopes[] = { scope("Locals", "locals", variables, 3) };
    struct locals_memory memory = { 0 };
    check(scopes, 1, NULL, "n! n! x");
    locals_memory_take(&memory, &frame, scopes, 1);
    variables[1] = variable("n", "5");
    check(scopes, 1, &memory, "n! n!=2 x");
    locals_memory_done(&memory);
}

static void groups_come_last(void **state)
{
    (void)state;
    struct variable variables[] = { variable("special variables", ""), variable("n", ""), variable("x", "1") };
    variables[0].group = variables[1].group = true;
    struct scope scopes[] = { scope("Locals", "locals", variables, 3) };
    struct locals_memory memory = { 0 };
    check(scopes, 1, NULL, "x special variables n");
    locals_memory_take(&memory, &frame, scopes, 1);
    variables[0].value = text("changed");
    check(scopes, 1, &memory, "x special variables n");
    locals_memory_done(&memory);
}

/* The value that the call just left returned is what one steps out for. */
static void returned_values_come_first(void **state)
{
    (void)state;
    struct variable returned[] = { variable("Return value", "9") };
    struct variable local[] = { variable("x", "1"), variable("(return) total", "2") };
    struct scope scopes[] = { scope("Locals", "locals", local, 2), scope("Return", "returnValue", returned, 1) };
    check(scopes, 2, NULL, "(return) total! Return value! x");
}

static void changes_are_marked(void **state)
{
    (void)state;
    char was[] = "a value of exactly forty bytes, and told.";
    char longer[] = "a value of more than forty bytes, not told";
    was[40] = '\0';
    struct variable variables[] = { variable("n", "1"), variable("a", "2"), variable("b", longer), variable("c", was),
                                    variable("same", "5") };
    struct scope scopes[] = { scope("Locals", "locals", variables, 5) };
    struct locals_memory memory = { 0 };
    check(scopes, 1, &memory, "n! a b c same"); /* nothing remembered: nothing is said about changes */
    locals_memory_take(&memory, &frame, scopes, 1);
    check(scopes, 1, &memory, "n! a b c same");
    variables[0] = variable("n", "2");
    variables[1] = variable("new", "2");
    variables[2] = variable("b", "x");
    variables[3] = variable("c", "y");
    AUTO_FREE char *wanted = xasprintf("n!=1 new~=new b~=? c~=%s same", was);
    check(scopes, 1, &memory, wanted);
    locals_memory_done(&memory);
    locals_memory_done(&memory);
}

/* A value that looks the same but is of another type now, or differs only after a NUL, did change. */
static void changes_are_exact(void **state)
{
    (void)state;
    struct variable variables[] = { variable("a", "1"), variable("b", "x") };
    variables[1].value = (struct adapter_text){ (char *)"x\0y", 3 };
    struct scope scopes[] = { scope("Locals", "locals", variables, 2) };
    struct locals_memory memory = { 0 };
    locals_memory_take(&memory, &frame, scopes, 1);
    variables[0].type = text("str");
    variables[1].value = (struct adapter_text){ (char *)"x\0z", 3 };
    check(scopes, 1, &memory, "a~=1 b~=x");
    locals_memory_done(&memory);
}

/* In a function of the same name in another file, or in another function, nothing is known. */
static void other_functions_are_not_compared(void **state)
{
    (void)state;
    struct variable variables[] = { variable("n", "1") };
    struct scope scopes[] = { scope("Locals", "locals", variables, 1) };
    struct locals_memory memory = { 0 };
    struct frame other = frame;
    other.source_path = (char *)"/w/other.py";
    locals_memory_take(&memory, &other, scopes, 1);
    other = frame;
    other.name = (char *)"totals";
    locals_memory_take(&memory, &other, scopes, 1);
    variables[0] = variable("n", "2");
    check(scopes, 1, &memory, "n!");
    locals_memory_done(&memory);
}

/* Stepping into a call and back: what the caller's variables were must not be forgotten on the way; but not for ever. */
static void several_functions_are_remembered(void **state)
{
    (void)state;
    struct variable variables[] = { variable("n", "1") };
    struct scope scopes[] = { scope("Locals", "locals", variables, 1) };
    struct locals_memory memory = { 0 };
    locals_memory_take(&memory, &frame, scopes, 1);
    variables[0] = variable("n", "2");
    char name[32];
    for (int i = 0; i < 7; i++) {
        snprintf(name, sizeof(name), "callee%d", i);
        struct frame other = { .name = name };
        locals_memory_take(&memory, &other, scopes, 1);
    }
    check(scopes, 1, &memory, "n!=1");
    for (int i = 0; i < 1000; i++) {
        snprintf(name, sizeof(name), "more%d", i);
        struct frame other = { .name = name };
        locals_memory_take(&memory, &other, scopes, 1);
    }
    check(scopes, 1, &memory, "n!");
    assert_true(memory.count < 10);
    locals_memory_done(&memory);
}

/* A stop with context "none" reads no variables; it must not make all of them "new" at the next one. */
static void stops_without_variables_are_not_remembered(void **state)
{
    (void)state;
    struct variable variables[] = { variable("n", "1") };
    struct scope scopes[] = { scope("Locals", "locals", variables, 1) };
    struct locals_memory memory = { 0 };
    locals_memory_take(&memory, &frame, NULL, 0);
    locals_memory_take(&memory, NULL, scopes, 1);
    assert_int_equal(memory.count, 0);
    locals_memory_take(&memory, &frame, scopes, 1);
    scopes[0].expanded = false;
    locals_memory_take(&memory, &frame, scopes, 1);
    scopes[0].expanded = true;
    check(scopes, 1, &memory, "n!");
    /* A scope that is empty is something else: it was read. */
    scopes[0].count = 0;
    locals_memory_take(&memory, &frame, scopes, 1);
    scopes[0].count = 1;
    check(scopes, 1, &memory, "n!=new");
    locals_memory_done(&memory);
}

/* The block's variable of the same name is another variable, not a changed one. */
static void a_variable_is_compared_within_its_scope(void **state)
{
    (void)state;
    struct variable function[] = { variable("n", "5") };
    struct variable block[] = { variable("n", "0") };
    struct scope outer[] = { scope("Local: f", "locals", function, 1) };
    struct scope both[] = { scope("Block: f", "locals", block, 1), outer[0] };
    struct locals_memory memory = { 0 };
    locals_memory_take(&memory, &frame, outer, 1);
    check(both, 2, &memory, "n!=new");
    locals_memory_done(&memory);
}

/* Behind a loop with an `e` of its own, `e` was said to have changed: it is the function's, which was "e #2" (gdb), "e @ lru.c:74" (LLDB). */
static void a_name_is_no_proof_of_a_variable(void **state)
{
    (void)state;
    struct variable loop[] = { variable("e", "7"), variable("e #2", "0"), variable("a", "1") };
    struct variable lldb[] = { variable("e @ lru.c:74", "0"), variable("e @ lru.c:65", "7"), variable("a", "1") };
    struct variable behind[] = { variable("e", "0"), variable("a", "2") };
    struct scope in_loop[] = { scope("Locals", "locals", loop, 3) };
    struct scope in_lldb[] = { scope("Locals", "locals", lldb, 3) };
    struct scope after[] = { scope("Locals", "locals", behind, 2) };
    struct locals_memory memory = { 0 };
    locals_memory_take(&memory, &frame, in_loop, 1);
    check(after, 1, &memory, "a~=1 e");
    locals_memory_take(&memory, &frame, in_lldb, 1);
    check(after, 1, &memory, "a~=1 e");
    locals_memory_take(&memory, &frame, after, 1);
    check(in_loop, 1, &memory, "a~=2 e e #2");
    locals_memory_take(&memory, &frame, in_loop, 1);
    loop[1] = variable("e #2", "1");
    check(in_loop, 1, &memory, "e #2~=0 e a");
    locals_memory_done(&memory);
}

/* codelldb cuts the text of a value where its time is over: `keys` "was {"a", ...}", and nothing had changed. */
static void a_cut_is_no_change(void **state)
{
    (void)state;
    struct variable variables[] = { variable("a", "{1, ...}"), variable("b", "{1, 2}"), variable("c", "{1, ...}"),
                                    variable("d", "{1, 2, ...}"), variable("e", "{1, 2}") };
    struct scope scopes[] = { scope("Locals", "locals", variables, 5) };
    struct locals_memory memory = { 0 };
    locals_memory_take(&memory, &frame, scopes, 1);
    variables[0] = variable("a", "{1, 2, ...}");
    variables[1] = variable("b", "{1, ...}");
    variables[2] = variable("c", "{2, ...}");
    variables[3] = variable("d", "{1, 3, ...}");
    variables[4] = variable("e", "{1, 2, 3}");
    check(scopes, 1, &memory, "c~={1, ...} d~={1, 2, ...} e~={1, 2} a b");
    locals_memory_done(&memory);
}

/* Ten thousand variables, all of one name or all different: no quadratic time. */
static void many_variables_are_ranked(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct variable *variables = xcalloc(COUNT, sizeof(*variables));
    char(*names)[32] = xcalloc(COUNT, sizeof(*names));
    for (int i = 0; i < COUNT; i++) {
        snprintf(names[i], sizeof(names[i]), "v%d", i % 2 ? i : 0);
        variables[i] = variable(names[i], "1");
    }
    variables[COUNT - 1] = variable("price", "1");
    struct scope scopes[] = { scope("Locals", "locals", variables, COUNT) };
    struct locals_memory memory = { 0 };
    locals_memory_take(&memory, &frame, scopes, 1);
    variables[COUNT - 2].value = text("2");
    struct ranked_local *locals;
    assert_int_equal(locals_rank(scopes, 1, &excerpt, 11, &memory, &frame, &locals), COUNT);
    assert_ptr_equal(locals[0].variable, &variables[COUNT - 1]);
    assert_ptr_equal(locals[1].variable, &variables[COUNT - 2]);
    assert_int_equal(locals[1].rank, LOCAL_CHANGED);
    assert_int_equal(locals[2].rank, LOCAL_REST);
    assert_ptr_equal(locals[2].variable, &variables[0]);
    free(locals);
    locals_memory_done(&memory);
    free(names);
    free(variables);
}

/* An adapter may leave out everything. */
static void empty_variables_are_survived(void **state)
{
    (void)state;
    struct variable variables[] = { { .handle = 0 }, { .name = { (char *)"", 0 } } };
    struct scope scopes[] = { scope(NULL, NULL, variables, 2) };
    struct locals_memory memory = { 0 };
    struct frame bare = { .name = (char *)"" };
    struct ranked_local *locals;
    locals_memory_take(&memory, &bare, scopes, 1);
    assert_int_equal(locals_rank(scopes, 1, &excerpt, 11, &memory, &bare, &locals), 2);
    assert_false(locals[0].changed || locals[1].changed);
    free(locals);
    locals_memory_done(&memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_on_the_line_come_first),
        cmocka_unit_test(functions_come_last),
        cmocka_unit_test(without_source_the_order_is_the_adapters),
        cmocka_unit_test(registers_and_globals_do_not_count),
        cmocka_unit_test(inner_scopes_shadow_outer_ones),
        cmocka_unit_test(locals_shadow_arguments),
        cmocka_unit_test(duplicates_of_one_scope_are_all_kept),
        cmocka_unit_test(groups_come_last),
        cmocka_unit_test(returned_values_come_first),
        cmocka_unit_test(changes_are_marked),
        cmocka_unit_test(changes_are_exact),
        cmocka_unit_test(other_functions_are_not_compared),
        cmocka_unit_test(several_functions_are_remembered),
        cmocka_unit_test(stops_without_variables_are_not_remembered),
        cmocka_unit_test(a_variable_is_compared_within_its_scope),
        cmocka_unit_test(a_name_is_no_proof_of_a_variable),
        cmocka_unit_test(a_cut_is_no_change),
        cmocka_unit_test(many_variables_are_ranked),
        cmocka_unit_test(empty_variables_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
