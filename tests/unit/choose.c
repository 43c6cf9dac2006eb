#include "adapter/choose.h"

#include "adapter/entry.h"
#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_elf.h"
#include "scratch.h"

/* A world of its own: PATH is one empty folder, and no adapters lie beside the test's binary. */
static int make_scratch(void **state)
{
    char *scratch = scratch_new();
    AUTO_FREE char *bin = scratch_path(scratch, "bin");
    AUTO_FREE char *adapters = scratch_path(scratch, "adapters");
    scratch_folder(scratch, "bin");
    assert_int_equal(setenv("PATH", bin, 1), 0);
    assert_int_equal(setenv("DAPPLE_ADAPTERS", adapters, 1), 0);
    assert_int_equal(setenv("HOME", scratch, 1), 0);
    *state = scratch;
    return 0;
}

static int remove_scratch(void **state)
{
    scratch_free(*state);
    return 0;
}

static void check_choice(const char *program, const char *wanted, const char *id, const char *reason)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct adapter_choice choice;
    if (adapter_choose(program, wanted, &choice, &error) < 0)
        fail_msg("%s", error.message);
    assert_string_equal(adapter_entry_id(choice.entry), id);
    assert_string_equal(choice.reason, reason);
    assert_int_equal(choice.fallback, strstr(reason, "; not ") != NULL);
    adapter_choice_done(&choice);
}

/* The message is about the program, and goes on with `after`. */
static void check_refused(const char *program, const char *wanted, const char *after)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct adapter_choice choice;
    assert_int_equal(adapter_choose(program, wanted, &choice, &error), -1);
    assert_int_equal(error.kind, ERROR_ARGUMENT);
    AUTO_FREE char *expected = xasprintf("program %s%s", program, after);
    assert_string_equal(error.message, expected);
}

static char *elf(const char *scratch, const char *name, unsigned type, mode_t mode)
{
    unsigned char image[FAKE_ELF_SIZE];
    fake_elf_make(image, &(struct fake_elf){ .type = type, .section = ".debug_info" });
    return scratch_bytes(scratch, name, image, sizeof image, mode);
}

static void check_file(const char *scratch, const char *name, const char *text, const char *id, const char *reason)
{
    AUTO_FREE char *program = scratch_file(scratch, name, text);
    check_choice(program, NULL, id, reason);
}

static void check_file_refused(const char *scratch, const char *name, const char *text, const char *after)
{
    AUTO_FREE char *program = scratch_file(scratch, name, text);
    check_refused(program, NULL, after);
}

/* ---- scripts ---- */

static void by_extension(void **state)
{
    check_file(*state, "app.py", "", "debugpy", "extension .py");
    check_file(*state, "app.pyw", "", "debugpy", "extension .pyw");
    check_file(*state, "APP.PY", "", "debugpy", "extension .py");
    check_file(*state, "a.b.py", "#!/bin/sh\n", "debugpy", "extension .py");
}

static void by_shebang(void **state)
{
    check_file(*state, "tool", "#!/usr/bin/python3\n", "debugpy", "shebang names python3");
    check_file(*state, "tool", "#!/usr/bin/env python\n", "debugpy", "shebang names python");
    check_file(*state, "tool", "#!/usr/bin/env -S python3.11 -u\n", "debugpy", "shebang names python3.11");
    check_file(*state, "tool", "#!/usr/bin/pypy3\n", "debugpy", "shebang names pypy3");
}

/* debugpy has not served Python 2 for years: taking it would end in a launch that never answers. */
static void python_2_is_not_served(void **state)
{
    check_file_refused(*state, "tool", "#!/usr/bin/python2.7\n",
                       " is a script for python2.7; this version has no adapter for that");
}

/* Every language that the catalog has an adapter for, by extension and by shebang. */
static void other_languages(void **state)
{
    check_file(*state, "x.rb", "", "rdbg", "extension .rb");
    check_file(*state, "x.mjs", "", "js-debug", "extension .mjs");
    check_file(*state, "x.TS", "", "js-debug", "extension .ts");
    check_file(*state, "x.php", "", "php-debug", "extension .php");
    check_file(*state, "x.sh", "#!/bin/dash\n", "bash-debug", "extension .sh");
    check_file(*state, "x.pl", "", "perl", "extension .pl");
    check_file(*state, "x.kt", "", "kotlin-debug-adapter", "extension .kt");
    check_file(*state, "x.dll", "MZ\1\2", "netcoredbg", "extension .dll");
    check_file(*state, "x.exs", "", "elixir-ls", "extension .exs");
    check_file(*state, "x.go", "", "dlv", "extension .go");
    check_file(*state, "tool", "#!/usr/bin/env node\n", "js-debug", "shebang names node");
    check_file(*state, "tool", "#!/usr/bin/ruby3.1\n", "rdbg", "shebang names ruby3.1");
    check_file(*state, "tool", "#!/bin/bash -e\n", "bash-debug", "shebang names bash");
    check_file(*state, "tool", "#!/usr/bin/perl -w\n", "perl", "shebang names perl");
}

static void other_scripts(void **state)
{
    check_file_refused(*state, "x.lua", "", ": this version has no adapter for Lua");
    check_file_refused(*state, "tool", "#!/usr/bin/env tclsh\n", " is a script for tclsh; this version has no adapter for that");
    check_file_refused(*state, "python3-config", "#!/usr/bin/python3-config\n",
                       " is a script for python3-config; this version has no adapter for that");
}

#define ALL_IDS                                                                                                                 \
    "bash-debug, codelldb, dart, debugpy, dlv, elixir-ls, flutter, gdb, js-debug, kotlin-debug-adapter, lldb-dap, netcoredbg, " \
    "perl, "                                                                                                                    \
    "php-debug, rdbg"

static void unknown_kind(void **state)
{
    static const char after[] = ": its name and content do not tell what debugs it; pass adapter, one of " ALL_IDS;
    check_file_refused(*state, "notes", "hello", after);
    check_file_refused(*state, "notes.txt", "hello", after);
    check_file_refused(*state, "empty", "", after);
}

/* Both SDKs serve .dart: a Flutter project is told by its own file, and only when Flutter is here. */
static void dart_or_flutter(void **state)
{
    free(scratch_program(*state, "bin/dart", ""));
    free(scratch_program(*state, "bin/flutter", ""));
    free(scratch_file(*state, "app/pubspec.yaml", ""));
    check_file(*state, "app/lib/main.dart", "", "dart", "extension .dart");
    free(scratch_file(*state, "app/.metadata", ""));
    check_file(*state, "app/lib/main.dart", "", "flutter", "extension .dart");
    free(scratch_file(*state, "other/main.dart", ""));
    check_file(*state, "other/main.dart", "", "dart", "extension .dart");
}

/* ---- sources of compiled languages ---- */

/* An agent that has just read main.c asks to debug main.c: it must be told to build first. */
static void sources(void **state)
{
    check_file_refused(*state, "x.c", "int main;", " is C source code: compile it with -g -O0 and pass the executable as program");
    check_file_refused(*state, "x.cpp", "", " is C++ source code: compile it with -g -O0 and pass the executable as program");
    check_file_refused(*state, "x.rs", "",
                       " is Rust source code: build it with cargo build, or rustc -g and pass the executable as program");
    check_file_refused(*state, "x.cs", "",
                       " is C# source code: build it with dotnet build (the .dll that it makes is the executable) and pass the "
                       "executable as program");
    check_file_refused(*state, "x.F90", "", " is Fortran source code: compile it with -g -O0 and pass the executable as program");
}

/* A name says less than the content: a program may be called a.c. */
static void program_named_like_a_source(void **state)
{
    free(scratch_program(*state, "bin/gdb", "#!/bin/sh\necho GNU gdb 16.3\n"));
    AUTO_FREE char *program = elf(*state, "a.c", ET_EXEC, 0755);
    check_choice(program, NULL, "gdb", "ELF executable");
}

/* ---- executables ---- */

static void gdb_is_preferred(void **state)
{
    free(scratch_program(*state, "bin/gdb", "#!/bin/sh\necho 'GNU gdb (Debian 16.3-1) 16.3'\n"));
    free(scratch_program(*state, "bin/lldb-dap", ""));
    AUTO_FREE char *program = elf(*state, "a.out", ET_EXEC, 0755);
    check_choice(program, NULL, "gdb", "ELF executable");
}

/* Debian 12 has gdb 13, which speaks no DAP ("Interpreter `dap' unrecognized"): another debugger must be taken, and it must be said. */
static void old_gdb_gives_way(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *gdb = scratch_program(scratch, "bin/gdb", "#!/bin/sh\necho 'GNU gdb (Debian 13.1-3) 13.1'\n");
    free(scratch_program(scratch, "bin/lldb-dap-19", ""));
    AUTO_FREE char *program = elf(scratch, "a.out", ET_EXEC, 0755);
    AUTO_FREE char *reason = xasprintf("ELF executable; not gdb: %s is 13.1, but DAP needs 14 or newer", gdb);
    check_choice(program, NULL, "lldb-dap", reason);
}

static void missing_gdb_gives_way(void **state)
{
    free(scratch_program(*state, "bin/lldb-dap-19", ""));
    AUTO_FREE char *program = elf(*state, "a.out", ET_EXEC, 0755);
    check_choice(program, NULL, "lldb-dap", "ELF executable; not gdb: not found");
}

static void macho_is_for_lldb(void **state)
{
    free(scratch_program(*state, "bin/gdb", "#!/bin/sh\necho GNU gdb 16.3\n"));
    AUTO_FREE char *program = scratch_bytes(*state, "app", "\xcf\xfa\xed\xfe\x0c\0\0\1", 8, 0755);
    check_choice(program, NULL, "lldb-dap", "Mach-O executable");
}

static void not_a_program(void **state)
{
    AUTO_FREE char *object = elf(*state, "a.o", ET_REL, 0644);
    check_refused(object, NULL, " is an object file: link it and pass the executable");
    check_refused(object, "gdb", " is an object file: link it and pass the executable");
    AUTO_FREE char *library = elf(*state, "liba.so", ET_DYN, 0755);
    check_refused(library, NULL, " is a shared library: pass the executable that loads it");
    AUTO_FREE char *core = elf(*state, "core.123", ET_CORE, 0600);
    check_refused(core, NULL, " is a core dump: this version cannot open those; pass the executable");
}

/* A copied or downloaded program often lacks the permission; gdb would answer the launch with success and then be silent for ever. */
static void not_executable(void **state)
{
    AUTO_FREE char *program = elf(*state, "a.out", ET_EXEC, 0644);
    AUTO_FREE char *after = xasprintf(" may not be executed: chmod +x %s", program);
    check_refused(program, NULL, after);
}

/* ---- the user's choice ---- */

static void wanted_wins(void **state)
{
    AUTO_FREE char *program = elf(*state, "a.out", ET_EXEC, 0755);
    check_choice(program, "lldb-dap", "lldb-dap", "named by the call");
    check_choice(program, "lldb", "lldb-dap", "named by the call");
    AUTO_FREE char *script = scratch_file(*state, "no-name", "print(1)\n");
    check_choice(script, "debugpy", "debugpy", "named by the call");
    check_choice(script, "python", "debugpy", "named by the call");
}

static void check_wanted_refused(const char *program, const char *wanted, const char *expected)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct adapter_choice choice;
    assert_int_equal(adapter_choose(program, wanted, &choice, &error), -1);
    assert_string_equal(error.message, expected);
}

static void unknown_wanted(void **state)
{
    AUTO_FREE char *program = scratch_file(*state, "a.py", "");
    check_wanted_refused(program, "pdb", "adapter: there is no adapter pdb; there are " ALL_IDS);
}

/* gdb told to run a Python script answers the launch with success, and nothing ever happens. */
static void wanted_cannot_debug_it(void **state)
{
    AUTO_FREE char *script = scratch_file(*state, "a.py", "");
    AUTO_FREE char *expected =
        xasprintf("adapter: gdb debugs ELF executables (C, C++, Rust, Go, Zig, Fortran, Ada, …), and %s is not one; leave "
                  "adapter out to have it chosen",
                  script);
    check_wanted_refused(script, "gdb", expected);
    AUTO_FREE char *program = elf(*state, "a.out", ET_EXEC, 0755);
    AUTO_FREE char *other =
        xasprintf("adapter: debugpy debugs Python programs, and %s is not one; leave adapter out to have it chosen", program);
    check_wanted_refused(program, "debugpy", other);
    AUTO_FREE char *source = scratch_file(*state, "a.c", "");
    check_refused(source, "gdb", " is C source code: compile it with -g -O0 and pass the executable as program");
}

static void missing_program_with_wanted(void **state)
{
    AUTO_FREE char *script = scratch_file(*state, "server.py", "");
    AUTO_FREE char *program = scratch_path(*state, "sever.py");
    AUTO_FREE char *after = xasprintf(" does not exist; did you mean %s?", script);
    check_refused(program, NULL, after);
    check_refused(program, "debugpy", after);
}

/* ---- several adapters for one kind of file ---- */

#define DECLARATION(id, preference, markers)                                                                    \
    "{\"id\":\"" id "\",\"type\":\"" id "\",\"status\":\"tested\",\"debugs\":\"ELF executables\","              \
    "\"handles\":{\"formats\":[\"elf\"],\"markers\":[" markers "],\"preference\":" #preference "},"             \
    "\"find\":{\"executables\":[\"" id "\"]},\"start\":{\"transport\":\"stdio\",\"command\":[\"${adapter}\"]}," \
    "\"launch\":{},\"exceptions\":{\"uncaught\":[],\"all\":[]},\"install\":{\"any\":\"get " id "\"}}"

static void check_among(const char *const *declarations, const char *program, const char *id, const char *text)
{
    struct adapter_entry entries[2];
    const struct adapter_entry *list[2] = { &entries[0], &entries[1] };
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(adapter_entry_read(declarations[i], &entries[i], NULL), 0);
    AUTO_ERROR struct error error = ERROR_INIT;
    struct adapter_choice choice = { 0 };
    int result = adapter_choose_among(list, 2, program, NULL, &choice, &error);
    assert_int_equal(result, id != NULL ? 0 : -1);
    if (id != NULL)
        assert_string_equal(adapter_entry_id(choice.entry), id);
    assert_string_equal(id != NULL ? choice.reason : error.message, text);
    adapter_choice_done(&choice);
    for (size_t i = 0; i < 2; i++)
        adapter_entry_done(&entries[i]);
}

/* Which of them is installed is only known after looking: the error must give every way out. */
static void none_is_here(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *program = elf(scratch, "a.out", ET_EXEC, 0755);
    const char *const declarations[] = { DECLARATION("second", 2, ""), DECLARATION("first", 1, "") };
    AUTO_FREE char *expected =
        xasprintf("no debugger for %s is here:\n"
                  "no usable first: looked for first on PATH, in $DAPPLE_ADAPTERS (%s/adapters/bin). To install it: get first\n"
                  "no usable second: looked for second on PATH, in $DAPPLE_ADAPTERS (%s/adapters/bin). To install it: get second",
                  program, scratch, scratch);
    check_among(declarations, program, NULL, expected);
}

/* A project's files say something about the language, not about what is installed: they only part equals. */
static void markers_part_equals(void **state)
{
    free(scratch_program(*state, "bin/a", ""));
    free(scratch_program(*state, "bin/b", ""));
    AUTO_FREE char *program = elf(*state, "project/target/debug/app", ET_EXEC, 0755);
    const char *const equals[] = { DECLARATION("a", 1, ""), DECLARATION("b", 1, "\"Cargo.toml\"") };
    check_among(equals, program, "a", "ELF executable");
    free(scratch_file(*state, "project/Cargo.toml", ""));
    check_among(equals, program, "b", "ELF executable");
    const char *const ranked[] = { DECLARATION("a", 1, ""), DECLARATION("b", 2, "\"Cargo.toml\"") };
    check_among(ranked, program, "a", "ELF executable");
}

/* ---- the catalog ---- */

static void check_alias(const char *alias, const char *id)
{
    const struct adapter_entry *entry = catalog_find(alias);
    if (entry == NULL)
        fail_msg("no adapter %s", alias);
    assert_string_equal(adapter_entry_id(entry), id);
}

static void catalog(void **state)
{
    (void)state;
    assert_int_equal(catalog_count(), 15);
    check_alias("gdb", "gdb");
    check_alias("lldb-vscode", "lldb-dap");
    assert_null(catalog_find("python2"));
    assert_null(catalog_find(""));
    assert_null(catalog_entry(15));
    assert_string_equal(adapter_entry_tested_with(catalog_find("gdb")), "16.3");
    assert_null(adapter_entry_tested_with(catalog_find("dart")));
}

/* Users of other clients know the adapters by these names. */
static void names_of_other_clients(void **state)
{
    (void)state;
    check_alias("js-debug-adapter", "js-debug");
    check_alias("pwa-node", "js-debug");
    check_alias("php-debug-adapter", "php-debug");
    check_alias("bash-debug-adapter", "bash-debug");
    check_alias("dart-debug-adapter", "dart");
    check_alias("flutter-debug-adapter", "flutter");
    check_alias("elixir-ls-debugger", "elixir-ls");
    check_alias("delve", "dlv");
}

/* ---- Go ---- */

/* delve builds a package itself, so its folder is a program; any other folder is not. */
static void folders(void **state)
{
    const char *scratch = *state;
    free(scratch_file(scratch, "module/go.mod", ""));
    free(scratch_file(scratch, "module/cmd/app/main.go", ""));
    AUTO_FREE char *package = scratch_path(scratch, "module/cmd/app");
    check_choice(package, NULL, "dlv", "folder of a project");
    check_choice(package, "go", "dlv", "named by the call");
    scratch_folder(scratch, "plain");
    AUTO_FREE char *plain = scratch_path(scratch, "plain");
    check_refused(plain, NULL, " is a folder: name the file in it that is to be run");
    check_refused(plain, "dlv", " is a folder: name the file in it that is to be run");
}

/* gdb shows goroutines as threads of the run time: a program that Go built is delve's where delve is, and gdb's where it is not. */
static void executables_of_go(void **state)
{
    const char *scratch = *state;
    unsigned char image[FAKE_ELF_SIZE];
    fake_elf_make(image, &(struct fake_elf){ .type = ET_EXEC, .section = ".go.buildinfo" });
    AUTO_FREE char *program = scratch_bytes(scratch, "app", image, sizeof image, 0755);
    free(scratch_program(scratch, "bin/gdb", "#!/bin/sh\necho GNU gdb 16.3\n"));
    check_choice(program, NULL, "gdb", "ELF executable built by Go; not dlv: not found");
    free(scratch_program(scratch, "bin/dlv", ""));
    check_choice(program, NULL, "dlv", "ELF executable built by Go");
    AUTO_FREE char *other = elf(scratch, "a.out", ET_EXEC, 0755);
    check_choice(other, NULL, "gdb", "ELF executable");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(by_extension),
        TEST(by_shebang),
        TEST(python_2_is_not_served),
        TEST(other_languages),
        TEST(other_scripts),
        TEST(dart_or_flutter),
        TEST(unknown_kind),
        TEST(sources),
        TEST(program_named_like_a_source),
        TEST(gdb_is_preferred),
        TEST(old_gdb_gives_way),
        TEST(missing_gdb_gives_way),
        TEST(macho_is_for_lldb),
        TEST(not_a_program),
        TEST(not_executable),
        TEST(wanted_wins),
        TEST(unknown_wanted),
        TEST(wanted_cannot_debug_it),
        TEST(missing_program_with_wanted),
        TEST(none_is_here),
        TEST(markers_part_equals),
        TEST(catalog),
        TEST(names_of_other_clients),
        TEST(folders),
        TEST(executables_of_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
