/* Which version of an adapter was found, in each of the ways that a declaration can say. */
#include "adapter/version.h"

#include "adapter/discover.h"
#include "adapter/entry.h"
#include "json/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "scratch.h"

static int set_up(void **state)
{
    *state = scratch_new();
    return 0;
}

static int tear_down(void **state)
{
    scratch_free(*state);
    return 0;
}

/* `way` is the member `version` of a declaration, "" for none; `answer` what the adapter answered to `initialize`, NULL: not asked. */
static void check(const char *path, const char *way, const char *answer, const char *expected)
{
    AUTO_FREE char *declaration =
        xasprintf("{\"id\":\"it\",\"find\":{\"executables\":[\"it\"]%s%s}}", *way != '\0' ? ",\"version\":" : "", way);
    struct adapter_entry entry;
    AUTO_JSON struct json body = { 0 };
    assert_int_equal(adapter_entry_read(declaration, &entry, NULL), 0);
    if (answer != NULL)
        assert_int_equal(json_parse_copy(answer, strlen(answer), &body, NULL), 0);
    AUTO_FREE char *copy = xstrdup(path);
    AUTO_FREE char *told = adapter_version(&entry, &(struct adapter_found){ .path = copy }, body.root);
    if (expected == NULL)
        assert_null(told);
    else if (told == NULL)
        fail_msg("no version, expected %s", expected);
    else
        assert_string_equal(told, expected);
    adapter_entry_done(&entry);
}

#define PACKAGE "{\"files\":[\"../package.json\",\"../version.json\"],\"after\":\"\\\"version\\\":\"}"

/* An extension of an editor tells its version in the file beside its folder, whatever link leads to the program. */
static void in_a_file(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *path = scratch_file(scratch, "it/adapter/it", "");
    AUTO_FREE char *link = scratch_path(scratch, "it-link");
    scratch_link(scratch, path, "it-link");
    check(path, PACKAGE, NULL, NULL);
    free(scratch_file(scratch, "it/version.json", "{\n  \"version\": \"1.11.8\",\n  \"other\": 3\n}"));
    check(path, PACKAGE, NULL, "1.11.8");
    check(link, PACKAGE, NULL, "1.11.8");
    free(
        scratch_file(scratch, "it/package.json", "{\"engine\": 7, \"version\":\"2.0.0-rc1+g1234\"}")); /* the first that is there */
    check(path, PACKAGE, NULL, "2.0.0-rc1");
}

/* The folder of a Python package is what is found, and its files are in it. A file may hold nothing but the version. */
static void in_a_file_of_a_folder(void **state)
{
    const char *scratch = *state;
    free(scratch_file(scratch, "debugpy/_version.py", "# made by versioneer 0.23\n{\"date\": 1, \"version\": \"1.8.12\"}\n"));
    free(scratch_file(scratch, "sdk/version", "3.5.0\n"));
    AUTO_FREE char *package = scratch_path(scratch, "debugpy");
    AUTO_FREE char *dart = scratch_file(scratch, "sdk/bin/dart", "");
    check(package, "{\"files\":[\"_version.py\"],\"after\":\"\\\"version\\\":\"}", NULL, "1.8.12");
    check(dart, "{\"files\":[\"../version\"]}", NULL, "3.5.0");
    check(dart, "{\"files\":[\"../version\"],\"after\":\"nowhere\"}", NULL, NULL);
}

/* What the adapter itself says of itself; an older one does not, and then its name may. */
static void in_the_answer(void **state)
{
    (void)state;
    const char *way = "{\"answer\":\"$__lldb_version\"}";
    check("/usr/bin/lldb-dap", way, "{\"$__lldb_version\":\"lldb version 20.1.2 (https://x)\\n  clang revision 5\"}", "20.1.2");
    check("/usr/bin/lldb-dap-19", way, "{\"supportsX\":true}", "19");
    check("/usr/lib/llvm-19/bin/lldb-dap", way, NULL, "19");
    check("/usr/bin/lldb-dap", way, "{\"$__lldb_version\":5}", NULL);
}

/* Names with other words behind the dash tell nothing, nor do folders far above. */
static void in_a_name(void **state)
{
    (void)state;
    check("/usr/bin/lldb-dap", "", NULL, NULL);
    check("/gems/debug-1.9.2/exe/rdbg", "", NULL, "1.9.2");
    check("/home/project-2/node_modules/x/bin/it", "", NULL, NULL);
    check("/it-", "", NULL, NULL);
    check("/", "", NULL, NULL);
}

/* Only a version that matters was asked for by the search; otherwise the program is asked here. */
static void by_asking(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *tells = scratch_program(scratch, "tells", "#!/bin/sh\necho \"it $1\"\n");
    AUTO_FREE char *does_not = scratch_program(scratch, "does-not", "#!/bin/sh\n");
    check(tells, "{\"arguments\":[\"4.2\"]}", NULL, "4.2");
    check(does_not, "{\"arguments\":[\"--version\"]}", NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(in_a_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(in_a_file_of_a_folder, set_up, tear_down),
        cmocka_unit_test(in_the_answer),
        cmocka_unit_test(in_a_name),
        cmocka_unit_test_setup_teardown(by_asking, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
