#include "adapter/catalog.h"
#include "adapter/entry.h"
#include "base/buffer.h"
#include "base/error.h"
#include "session/session.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_elf.h"
#include "scratch.h"

#include "plan_text.h"

#define PRINTERS \
    "-iex|add-auto-load-scripts-directory /usr/share/gdb/auto-load|-iex|add-auto-load-safe-path /usr/share/gdb/auto-load"

/* What LLDB is told at first is long: it ends in this. */
#define LLDB_TAIL "\"initCommands\":[\"(a command)\"]}"

#define SCRIPTS "|(of several lines)|(of several lines)"

/* A world of its own: a Python with debugpy, gdb 16 and lldb-dap on PATH. */
static int make_scratch(void **state)
{
    char *scratch = scratch_new();
    AUTO_FREE char *path = xasprintf("%s/py/bin:%s/bin", scratch, scratch);
    AUTO_FREE char *adapters = scratch_path(scratch, "adapters");
    scratch_folder(scratch, "work");
    free(scratch_program(scratch, "py/bin/python3", ""));
    free(scratch_file(scratch, "py/lib/python3.11/site-packages/debugpy/__init__.py", ""));
    free(scratch_program(scratch, "bin/gdb", "#!/bin/sh\necho GNU gdb 16.3\n"));
    free(scratch_program(scratch, "bin/lldb-dap", ""));
    free(scratch_file(scratch, "work/app.py", ""));
    unsigned char image[FAKE_ELF_SIZE];
    fake_elf_make(image, &(struct fake_elf){ .type = ET_EXEC, .section = ".debug_info" });
    free(scratch_bytes(scratch, "work/app", image, sizeof image, 0755));
    setenv("PATH", path, 1);
    setenv("DAPPLE_ADAPTERS", adapters, 1);
    unsetenv("VIRTUAL_ENV");
    *state = scratch;
    return 0;
}

static int remove_scratch(void **state)
{
    scratch_free(*state);
    return 0;
}

static struct launch_plan *plan_entry(const struct adapter_entry *entry, struct adapter_request request, struct buffer *warnings)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct launch_plan *plan = NULL;
    if (adapter_plan(entry, &request, &plan, warnings, &error) < 0)
        fail_msg("%s", error.message);
    return plan;
}

static struct launch_plan *plan(const char *id, struct adapter_request request)
{
    AUTO_BUFFER struct buffer warnings;
    buffer_init(&warnings, 4096);
    struct launch_plan *made = plan_entry(catalog_find(id), request, &warnings);
    assert_string_equal(warnings.data, "");
    return made;
}

/* Plans with launch_arguments given as JSON text. */
static struct launch_plan *plan_with(const char *id, struct adapter_request request, const char *launch_arguments)
{
    AUTO_JSON struct json json;
    assert_int_equal(json_parse_copy(launch_arguments, strlen(launch_arguments), &json, NULL), 0);
    request.launch_arguments = json.root;
    return plan(id, request);
}

#define STRINGS(...) ((char *[]){ __VA_ARGS__, NULL })

/* ---- the three adapters ---- */

#define PYTHON_TAIL "\"console\":\"internalConsole\",\"justMyCode\":true,\"subProcess\":true}"

static void debugpy(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *program = scratch_path(scratch, "work/app.py");
    AUTO_FREE char *cwd = scratch_path(scratch, "work");
    struct launch_plan *made =
        plan("debugpy", (struct adapter_request){ .program = program, .cwd = cwd, .args = STRINGS("-v", "a b") });
    assert_string_equal(made->adapter_id, "debugpy");
    assert_string_equal(made->adapter_type, "debugpy");
    assert_string_equal(made->program, program);
    assert_string_equal(made->command.cwd, cwd);
    assert_int_equal(made->command.transport, SESSION_STDIO);
    assert_false(made->attach);
    check_list(scratch, made->command.argv, "@/py/bin/python3|-I|@/py/lib/python3.11/site-packages/debugpy/adapter");
    check_list(scratch, made->command.env, "PYDEVD_DISABLE_FILE_VALIDATION=1");
    check_list(scratch, made->exception_filters, "uncaught");
    check_arguments(scratch, made,
                    "{\"program\":\"@/work/app.py\",\"args\":[\"-v\",\"a b\"],\"cwd\":\"@/work\",\"python\":\"@/py/bin/python3\","
                    "\"stopOnEntry\":false," PYTHON_TAIL);
    launch_plan_free(made);
}

/* debugpy takes null for a variable that is to be removed. */
static void debugpy_environment(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *program = scratch_path(scratch, "work/app.py");
    AUTO_FREE char *cwd = scratch_path(scratch, "work");
    struct launch_plan *made =
        plan("debugpy",
             (struct adapter_request){ .program = program, .cwd = cwd, .env = STRINGS("A=1=2", "GONE"), .stop_on_entry = true });
    check_list(scratch, made->command.env, "PYDEVD_DISABLE_FILE_VALIDATION=1");
    check_arguments(
        scratch, made,
        "{\"program\":\"@/work/app.py\",\"cwd\":\"@/work\",\"env\":{\"A\":\"1=2\",\"GONE\":null},\"python\":\"@/py/bin/python3\","
        "\"stopOnEntry\":true," PYTHON_TAIL);
    launch_plan_free(made);
}

static void gdb(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *program = scratch_path(scratch, "work/app");
    AUTO_FREE char *cwd = scratch_path(scratch, "work");
    char *none[] = { NULL };
    struct launch_plan *made =
        plan("gdb", (struct adapter_request){ .program = program, .cwd = cwd, .args = none, .stop_on_entry = true });
    check_list(scratch, made->command.argv, "@/bin/gdb|-q|-nx|" PRINTERS SCRIPTS "|-i|dap");
    check_list(scratch, made->exception_filters, "");
    check_arguments(scratch, made,
                    "{\"program\":\"@/work/app\",\"args\":[],\"cwd\":\"@/work\",\"stopAtBeginningOfMainSubprogram\":true}");
    launch_plan_free(made);
}

static yyjson_mut_val *environment_member(const struct launch_plan *made, const char *name)
{
    return yyjson_mut_obj_get(yyjson_mut_obj_get(yyjson_mut_doc_get_root(made->arguments), "env"), name);
}

/* gdb clears the environment and sets what it is given: with one variable more, the program would have lost PATH, HOME and the rest. */
static void gdb_gets_the_whole_environment(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *program = scratch_path(scratch, "work/app");
    setenv("DAPPLE_TEST_KEPT", "kept", 1);
    setenv("DAPPLE_TEST_GONE", "here", 1);
    setenv("DAPPLE_TEST_CHANGED", "before", 1);
    struct launch_plan *made =
        plan("gdb", (struct adapter_request){
                        .program = program, .cwd = scratch, .env = STRINGS("DAPPLE_TEST_CHANGED=after", "DAPPLE_TEST_GONE") });
    assert_string_equal(yyjson_mut_get_str(environment_member(made, "DAPPLE_TEST_KEPT")), "kept");
    assert_string_equal(yyjson_mut_get_str(environment_member(made, "DAPPLE_TEST_CHANGED")), "after");
    assert_string_equal(yyjson_mut_get_str(environment_member(made, "PATH")), getenv("PATH"));
    assert_null(environment_member(made, "DAPPLE_TEST_GONE"));
    check_list(scratch, made->command.env, "");
    launch_plan_free(made);
}

/* lldb-dap's list can only set: what is to be removed is taken from lldb-dap itself, which hands its environment on. */
static void lldb(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *program = scratch_path(scratch, "work/app");
    struct launch_plan *made =
        plan("lldb-dap",
             (struct adapter_request){ .program = program, .cwd = scratch, .args = STRINGS("x"), .env = STRINGS("GONE", "A=") });
    check_list(scratch, made->command.argv, "@/bin/lldb-dap");
    check_list(scratch, made->command.env, "GONE");
    check_arguments(scratch, made,
                    "{\"program\":\"@/work/app\",\"args\":[\"x\"],\"cwd\":\"@\",\"env\":[\"A=\"],\"stopOnEntry\":false,"
                    "\"enableAutoVariableSummaries\":true," LLDB_TAIL);
    launch_plan_free(made);
}

/* ---- exceptions ---- */

static void check_filters(const char *scratch, const char *id, const char *name, const char *wanted, const char *expected)
{
    AUTO_FREE char *program = scratch_path(scratch, name);
    struct launch_plan *made = plan(id, (struct adapter_request){ .program = program, .stop_on_exceptions = wanted });
    check_list(scratch, made->exception_filters, expected);
    launch_plan_free(made);
}

static void exception_filters(void **state)
{
    check_filters(*state, "debugpy", "work/app.py", NULL, "uncaught");
    check_filters(*state, "debugpy", "work/app.py", "uncaught", "uncaught");
    check_filters(*state, "debugpy", "work/app.py", "all", "raised|uncaught");
    check_filters(*state, "debugpy", "work/app.py", "none", "");
    check_filters(*state, "gdb", "work/app", "all", "throw");
    check_filters(*state, "lldb-dap", "work/app", "all", "cpp_throw");
    check_filters(*state, "lldb-dap", "work/app", "uncaught", "");
}

/* It has no debug information, which is warned of. */
static struct launch_plan *plan_rust(const char *program, const char *exceptions)
{
    AUTO_BUFFER struct buffer warnings;
    buffer_init(&warnings, 4096);
    return plan_entry(catalog_find("gdb"), (struct adapter_request){ .program = program, .stop_on_exceptions = exceptions },
                      &warnings);
}

/* Without its toolchain's printers, gdb shows a String of Rust by five private members. Its panics are exceptions. */
static void programs_of_rust(void **state)
{
    const char *scratch = *state;
    unsigned char image[FAKE_ELF_SIZE];
    fake_elf_make(image, &(struct fake_elf){ .type = ET_EXEC, .section = ".strtab", .section_data = "rust_panic" });
    AUTO_FREE char *program = scratch_bytes(scratch, "work/rusty", image, sizeof image, 0755);
    AUTO_FREE char *home = scratch_path(scratch, "rustup");
    free(scratch_file(scratch, "rustup/toolchains/nightly-x/lib/rustlib/etc/gdb_load_rust_pretty_printers.py", ""));
    free(scratch_file(scratch, "rustup/toolchains/stable-x/lib/rustlib/etc/gdb_load_rust_pretty_printers.py", ""));
    setenv("RUSTUP_HOME", home, 1);
    struct launch_plan *made = plan_rust(program, NULL);
    check_list(scratch, made->command.argv,
               "@/bin/gdb|-q|-nx|" PRINTERS
               "|--init-eval-command=add-auto-load-safe-path @/rustup/toolchains/stable-x/lib/rustlib/etc"
               "|--init-eval-command=python import sys; sys.path.append('@/rustup/toolchains/stable-x/lib/rustlib/etc')"
               "|--init-eval-command=set directories @/rustup/toolchains/stable-x/lib/rustlib/etc:$cdir:$cwd" SCRIPTS "|-i|dap");
    assert_string_equal(made->panic_function, "rust_panic");
    launch_plan_free(made);
    unsetenv("RUSTUP_HOME");
    const struct {
        const char *wanted, *expected;
    } cases[] = { { NULL, PANIC_UNCAUGHT_FILTER }, { "all", "throw|" PANIC_FILTER }, { "none", "" } };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        made = plan_rust(program, cases[i].wanted);
        check_list(scratch, made->exception_filters, cases[i].expected);
        launch_plan_free(made);
    }
}

/* ---- launch_arguments ---- */

/* They replace the declaration's members; what the request itself gives wins over both. */
static void merged_over(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *program = scratch_path(scratch, "work/app.py");
    static const char given[] =
        "{\"justMyCode\":false,\"args\":[\"theirs\"],\"env\":{\"THEIRS\":\"1\"},\"program\":\"/theirs\",\"cwd\":\"/\","
        "\"stopOnEntry\":true,\"redirectOutput\":{\"a\":[1,null]}}";
    struct launch_plan *made = plan_with("debugpy", (struct adapter_request){ .program = program }, given);
    check_arguments(
        scratch, made,
        "{\"program\":\"@/work/app.py\",\"args\":[\"theirs\"],\"cwd\":\"/\",\"python\":\"@/py/bin/python3\",\"stopOnEntry\":true,"
        "\"console\":\"internalConsole\",\"justMyCode\":false,\"subProcess\":true,"
        "\"env\":{\"THEIRS\":\"1\"},\"redirectOutput\":{\"a\":[1,null]}}");
    assert_string_equal(made->command.cwd, "/");
    launch_plan_free(made);

    made = plan_with(
        "debugpy",
        (struct adapter_request){ .program = program, .cwd = scratch, .args = STRINGS("ours"), .env = STRINGS("OURS=1") }, given);
    check_arguments(
        scratch, made,
        "{\"program\":\"@/work/app.py\",\"args\":[\"ours\"],\"cwd\":\"@\",\"env\":{\"OURS\":\"1\"},\"python\":\"@/py/bin/python3\","
        "\"stopOnEntry\":true,\"console\":\"internalConsole\",\"justMyCode\":false,\"subProcess\":true,"
        "\"redirectOutput\":{\"a\":[1,null]}}");
    launch_plan_free(made);
}

static void stop_on_entry_of_the_request_wins(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *program = scratch_path(scratch, "work/app");
    struct launch_plan *made =
        plan_with("lldb-dap", (struct adapter_request){ .program = program, .cwd = scratch, .stop_on_entry = true },
                  "{\"stopOnEntry\":false}");
    check_arguments(
        scratch, made,
        "{\"program\":\"@/work/app\",\"cwd\":\"@\",\"stopOnEntry\":true,\"enableAutoVariableSummaries\":true," LLDB_TAIL);
    launch_plan_free(made);
}

static void adapter_type(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *program = scratch_path(scratch, "work/app.py");
    struct launch_plan *made =
        plan_with("debugpy", (struct adapter_request){ .program = program, .cwd = scratch }, "{\"type\":\"python\"}");
    assert_string_equal(made->adapter_type, "python");
    launch_plan_free(made);
    made = plan_with("debugpy", (struct adapter_request){ .program = program, .cwd = scratch }, "{\"type\":\"\"}");
    assert_string_equal(made->adapter_type, "debugpy");
    launch_plan_free(made);
}

/* The interpreter that the user names both runs the program and is asked for debugpy first. */
static void python_of_the_user(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *program = scratch_path(scratch, "work/app.py");
    free(scratch_program(scratch, "other/bin/python3", ""));
    free(scratch_file(scratch, "other/lib/python3.12/site-packages/debugpy/__init__.py", ""));
    AUTO_FREE char *given = xasprintf("{\"python\":\"%s/other/bin/python3\"}", scratch);
    struct launch_plan *made = plan_with("debugpy", (struct adapter_request){ .program = program, .cwd = scratch }, given);
    check_list(scratch, made->command.argv, "@/other/bin/python3|-I|@/other/lib/python3.12/site-packages/debugpy/adapter");
    check_arguments(
        scratch, made,
        "{\"program\":\"@/work/app.py\",\"cwd\":\"@\",\"python\":\"@/other/bin/python3\",\"stopOnEntry\":false," PYTHON_TAIL);
    launch_plan_free(made);
}

/* ---- errors and warnings ---- */

static void check_refused(const char *id, struct adapter_request request, const char *launch_arguments, const char *expected)
{
    AUTO_JSON struct json json;
    assert_int_equal(json_parse_copy(launch_arguments, strlen(launch_arguments), &json, NULL), 0);
    request.launch_arguments = json.root;
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_BUFFER struct buffer warnings;
    buffer_init(&warnings, 4096);
    struct launch_plan *made = NULL;
    assert_int_equal(adapter_plan(catalog_find(id), &request, &made, &warnings, &error), -1);
    assert_null(made);
    assert_int_equal(error.kind, ERROR_ARGUMENT);
    assert_string_equal(error.message, expected);
}

/* Some adapters obey noDebug: the program runs to its end past every breakpoint, which looks like a debugger that does not work. */
static void no_debug_is_refused(void **state)
{
    AUTO_FREE char *program = scratch_path(*state, "work/app.py");
    check_refused(
        "debugpy", (struct adapter_request){ .program = program }, "{\"noDebug\":true}",
        "launch_arguments.noDebug: the program would run without the debugger, and no breakpoint would stop it; leave it out");
    struct launch_plan *made = plan_with("debugpy", (struct adapter_request){ .program = program }, "{\"noDebug\":false}");
    launch_plan_free(made);
}

static void odd_requests(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *program = scratch_path(scratch, "work/app.py");
    AUTO_FREE char *missing = scratch_path(scratch, "no/folder");
    AUTO_FREE char *no_folder = xasprintf("cwd: the folder %s does not exist", missing);
    AUTO_FREE char *is_file = xasprintf("cwd: %s is not a folder", program);
    check_refused("debugpy", (struct adapter_request){ .program = program }, "[1]", "launch_arguments: must be an object");
    check_refused("debugpy", (struct adapter_request){ .program = program, .cwd = missing }, "{}", no_folder);
    check_refused("debugpy", (struct adapter_request){ .program = program, .cwd = program }, "{}", is_file);
    check_refused("debugpy", (struct adapter_request){ .program = program, .stop_on_exceptions = "some" }, "{}",
                  "stop_on_exceptions: some is none of uncaught, all, none");
}

/* A folder that only launch_arguments name must exist too: the adapter's process starts in it. */
static void odd_cwd_in_launch_arguments(void **state)
{
    AUTO_FREE char *program = scratch_path(*state, "work/app.py");
    check_refused("debugpy", (struct adapter_request){ .program = program }, "{\"cwd\":\"/no/such\"}",
                  "cwd: the folder /no/such does not exist");
}

static void no_debug_information(void **state)
{
    const char *scratch = *state;
    unsigned char image[FAKE_ELF_SIZE];
    fake_elf_make(image, &(struct fake_elf){ .type = ET_EXEC });
    AUTO_FREE char *program = scratch_bytes(scratch, "work/stripped", image, sizeof image, 0755);
    AUTO_BUFFER struct buffer warnings;
    buffer_init(&warnings, 4096);
    struct launch_plan *made =
        plan_entry(catalog_find("gdb"), (struct adapter_request){ .program = program, .cwd = scratch }, &warnings);
    launch_plan_free(made);
    AUTO_FREE char *expected =
        xasprintf("no debug information in %s: line breakpoints will not bind; recompile with -g\n", program);
    assert_string_equal(warnings.data, expected);
}

/* A terminal gives a program what the adapter's own way cannot: input, a size, an exit status. What was asked for by name stays. */
static void in_a_terminal(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *program = scratch_path(scratch, "work/app.py");
    struct launch_plan *made = plan("debugpy", (struct adapter_request){ .program = program, .cwd = scratch, .terminal = true });
    check_arguments(scratch, made,
                    "{\"program\":\"@/work/app.py\",\"cwd\":\"@\",\"python\":\"@/py/bin/python3\",\"stopOnEntry\":false,"
                    "\"console\":\"integratedTerminal\",\"justMyCode\":true,\"subProcess\":true}");
    launch_plan_free(made);
    made = plan_with("debugpy", (struct adapter_request){ .program = program, .cwd = scratch, .terminal = true },
                     "{\"console\":\"externalTerminal\"}");
    yyjson_mut_val *console = yyjson_mut_obj_get(yyjson_mut_doc_get_root(made->arguments), "console");
    assert_string_equal(yyjson_mut_get_str(console), "externalTerminal");
    launch_plan_free(made);
    AUTO_FREE char *native = scratch_path(scratch, "work/app");
    check_refused("gdb", (struct adapter_request){ .program = native, .terminal = true }, "{}",
                  "gdb cannot run a program in a terminal; leave `terminal` out, or pass another `adapter`");
}

/* ---- attaching ---- */

static void attach_by_pid(void **state)
{
    const char *scratch = *state;
    struct launch_plan *made = plan("gdb", (struct adapter_request){ .cwd = scratch, .attach_pid = 4711 });
    assert_true(made->attach);
    check_list(scratch, made->command.argv, "@/bin/gdb|-q|-nx|" PRINTERS SCRIPTS "|-i|dap");
    check_arguments(scratch, made, "{\"pid\":4711}");
    launch_plan_free(made);
    AUTO_FREE char *program = scratch_path(scratch, "work/app");
    made = plan("lldb-dap", (struct adapter_request){ .program = program, .cwd = scratch, .attach_pid = 4711 });
    check_arguments(scratch, made, "{\"pid\":4711,\"program\":\"@/work/app\"," LLDB_TAIL);
    launch_plan_free(made);
}

/* A program under `debugpy --listen` is its own adapter: nothing is started, and debugpy need not even be here. */
static void attach_to_an_adapter(void **state)
{
    const char *scratch = *state;
    setenv("PATH", "/nowhere", 1);
    struct launch_plan *made =
        plan("debugpy", (struct adapter_request){ .cwd = scratch, .attach_host = "192.0.2.1", .attach_port = 5678 });
    assert_true(made->attach);
    assert_int_equal(made->command.transport, SESSION_CONNECT);
    assert_null(made->command.argv);
    assert_string_equal(made->command.host, "192.0.2.1");
    assert_int_equal(made->command.port, 5678);
    check_arguments(scratch, made, "{\"justMyCode\":true}"); /* debugpy fails over an empty object */
    launch_plan_free(made);
}

static void attach_to_a_program(void **state)
{
    const char *scratch = *state;
    struct launch_plan *made = plan("gdb", (struct adapter_request){ .cwd = scratch, .attach_port = 2345 });
    assert_int_equal(made->command.transport, SESSION_STDIO);
    check_arguments(scratch, made, "{\"target\":\"127.0.0.1:2345\"}");
    launch_plan_free(made);
}

static void cannot_attach(void **state)
{
    const char *scratch = *state;
    check_refused("perl", (struct adapter_request){ .cwd = scratch, .attach_pid = 1 }, "{}",
                  "perl cannot attach to a process by its number");
    check_refused("perl", (struct adapter_request){ .cwd = scratch, .attach_port = 1 }, "{}", "perl cannot attach by a port");
}

/* ---- other adapters' declarations ---- */

/* What the three do not need: a port, program and arguments on the adapter's command line, variables of its own, placeholders inside of
 * longer strings and nested. */
static void tcp_declaration(void **state)
{
    const char *scratch = *state;
    static const char declaration[] =
        "{\"id\":\"it\",\"type\":\"it-type\",\"find\":{\"executables\":[\"lldb-dap\"]},\"start\":{\"transport\":\"tcp\",\"host\":"
        "\"::1\","
        "\"command\":[\"${adapter}\",\"--port=$PORT\",\"--in=${cwd}/x\",\"${program}\",\"${args}\"],\"env\":[\"A=1\",\"B\"]},"
        "\"launch\":{\"list\":[\"${program}\",\"${env}\",7],\"object\":{\"where\":\"<${cwd}>\",\"gone\":\"x${python}\"}},"
        "\"exceptions\":{\"uncaught\":[\"u\"],\"all\":[]},\"quirks\":[],\"install\":{\"any\":\"x\"}}";
    struct adapter_entry entry;
    assert_int_equal(adapter_entry_read(declaration, &entry, NULL), 0);
    AUTO_FREE char *program = scratch_path(scratch, "work/app");
    AUTO_BUFFER struct buffer warnings;
    buffer_init(&warnings, 4096);
    struct launch_plan *made =
        plan_entry(&entry, (struct adapter_request){ .program = program, .cwd = scratch, .args = STRINGS("a", "b") }, &warnings);
    check_list(scratch, made->command.argv, "@/bin/lldb-dap|--port=$PORT|--in=@/x|@/work/app|a|b");
    check_list(scratch, made->command.env, "A=1|B");
    assert_int_equal(made->command.transport, SESSION_TCP);
    assert_string_equal(made->command.host, "::1");
    assert_int_equal(made->command.port, 0);
    check_arguments(scratch, made, "{\"list\":[\"@/work/app\",7],\"object\":{\"where\":\"<@>\"}}");
    launch_plan_free(made);
    adapter_entry_done(&entry);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(debugpy),
        TEST(debugpy_environment),
        TEST(gdb),
        TEST(gdb_gets_the_whole_environment),
        TEST(lldb),
        TEST(exception_filters),
        TEST(programs_of_rust),
        TEST(merged_over),
        TEST(stop_on_entry_of_the_request_wins),
        TEST(adapter_type),
        TEST(python_of_the_user),
        TEST(no_debug_is_refused),
        TEST(odd_requests),
        TEST(odd_cwd_in_launch_arguments),
        TEST(no_debug_information),
        TEST(in_a_terminal),
        TEST(attach_by_pid),
        TEST(attach_to_an_adapter),
        TEST(attach_to_a_program),
        TEST(cannot_attach),
        TEST(tcp_declaration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
