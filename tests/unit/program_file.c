#include "adapter/program_file.h"

#include "base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fake_elf.h"
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

/* ---- scripts ---- */

static void check_shebang(const char *scratch, const char *text, const char *interpreter, const char *path)
{
    AUTO_FREE char *program = scratch_file(scratch, "script", text);
    AUTO_PROGRAM_FILE struct program_file file = { 0 };
    assert_int_equal(program_file_read(program, &file, NULL), 0);
    assert_int_equal(file.format, PROGRAM_SCRIPT);
    if (interpreter != NULL)
        assert_string_equal(file.interpreter, interpreter);
    else
        assert_null(file.interpreter);
    if (path != NULL)
        assert_string_equal(file.interpreter_path, path);
    else
        assert_null(file.interpreter_path);
    assert_false(file.executable);
}

static void shebangs(void **state)
{
    check_shebang(*state, "#!/usr/bin/python3\nprint(1)\n", "python3", "/usr/bin/python3");
    check_shebang(*state, "#!  /opt/my python\n", "my", "/opt/my");
    check_shebang(*state, "#!/usr/bin/python3 -u\n", "python3", "/usr/bin/python3");
    check_shebang(*state, "#!python3\n", "python3", NULL);
    check_shebang(*state, "#!/usr/bin/env python3\n", "python3", NULL);
    check_shebang(*state, "#!/usr/bin/env\tpython3.11 -X dev", "python3.11", NULL);
    check_shebang(*state, "#!\n", NULL, NULL);
    check_shebang(*state, "#!/usr/bin/env\n", NULL, NULL);
}

/* `env -S` is how a shebang passes options; they and env's settings stand before the interpreter. */
static void shebangs_with_options_of_env(void **state)
{
    check_shebang(*state, "#!/usr/bin/env -S python3 -X dev\n", "python3", NULL);
    check_shebang(*state, "#!/usr/bin/env -Spython3 -X dev\n", "python3", NULL);
    check_shebang(*state, "#!/usr/bin/env --split-string=python3 -u\n", "python3", NULL);
    check_shebang(*state, "#!/usr/bin/env -S -i PATH=/bin python3\n", "python3", NULL);
    check_shebang(*state, "#!/usr/bin/env -S -u PYTHONPATH -C /tmp /opt/python3\n", "python3", NULL);
}

/* A file from Windows ends its first line with CR LF: the CR is not part of the name. */
static void shebang_with_carriage_return(void **state)
{
    check_shebang(*state, "#!/usr/bin/env python3\r\nprint(1)\r\n", "python3", NULL);
}

/* ---- formats ---- */

static void check_format(const char *scratch, const void *bytes, size_t len, enum program_format expected)
{
    AUTO_FREE char *program = scratch_bytes(scratch, "file", bytes, len, 0755);
    AUTO_PROGRAM_FILE struct program_file file = { 0 };
    assert_int_equal(program_file_read(program, &file, NULL), 0);
    assert_int_equal(file.format, expected);
    assert_int_equal(file.role, PROGRAM_ROLE_PROGRAM);
    assert_true(file.executable);
}

static void formats(void **state)
{
    check_format(*state, "", 0, PROGRAM_TEXT);
    check_format(*state, "a", 1, PROGRAM_TEXT);
    check_format(*state, "print(1)\n", 9, PROGRAM_TEXT);
    check_format(*state, "a\0b", 3, PROGRAM_UNKNOWN);
    check_format(*state, "\xcf\xfa\xed\xfe\x07\0\0\1", 8, PROGRAM_MACHO);
    check_format(*state, "\xfe\xed\xfa\xce\0\0\0\7", 8, PROGRAM_MACHO);
    check_format(*state, "\xca\xfe\xba\xbe\0\0\0\2", 8, PROGRAM_MACHO);
}

/* A Java class begins with the same four bytes as a Mach-O file for several architectures. */
static void java_class_is_not_macho(void **state)
{
    check_format(*state, "\xca\xfe\xba\xbe\0\0\0\x3d", 8, PROGRAM_UNKNOWN);
}

/* ---- ELF ---- */

static struct program_file read_elf(const char *scratch, const struct fake_elf *what)
{
    unsigned char image[FAKE_ELF_SIZE];
    fake_elf_make(image, what);
    AUTO_FREE char *program = scratch_bytes(scratch, "elf", image, sizeof image, 0755);
    struct program_file file;
    assert_int_equal(program_file_read(program, &file, NULL), 0);
    assert_int_equal(file.format, PROGRAM_ELF);
    return file;
}

static void elf_roles(void **state)
{
    assert_int_equal(read_elf(*state, &(struct fake_elf){ .type = ET_EXEC }).role, PROGRAM_ROLE_PROGRAM);
    assert_int_equal(read_elf(*state, &(struct fake_elf){ .type = ET_DYN, .interpreter = true }).role, PROGRAM_ROLE_PROGRAM);
    assert_int_equal(read_elf(*state, &(struct fake_elf){ .type = ET_DYN, .pie_flag = true }).role, PROGRAM_ROLE_PROGRAM);
    assert_int_equal(read_elf(*state, &(struct fake_elf){ .type = ET_DYN }).role, PROGRAM_ROLE_LIBRARY);
    assert_int_equal(read_elf(*state, &(struct fake_elf){ .type = ET_REL }).role, PROGRAM_ROLE_OBJECT);
    assert_int_equal(read_elf(*state, &(struct fake_elf){ .type = ET_CORE }).role, PROGRAM_ROLE_CORE);
}

static void elf_debug_information(void **state)
{
    assert_true(read_elf(*state, &(struct fake_elf){ .type = ET_EXEC, .section = ".debug_info" }).has_debug_info);
    assert_true(read_elf(*state, &(struct fake_elf){ .type = ET_EXEC, .section = ".zdebug_info" }).has_debug_info);
    assert_false(read_elf(*state, &(struct fake_elf){ .type = ET_EXEC, .section = ".debug_inf" }).has_debug_info);
    assert_false(read_elf(*state, &(struct fake_elf){ .type = ET_EXEC, .section = ".text" }).has_debug_info);
    assert_false(read_elf(*state, &(struct fake_elf){ .type = ET_EXEC }).has_debug_info);
}

static void expect_panic_function(void **state, const char *names, const char *expected)
{
    unsigned char image[FAKE_ELF_SIZE];
    fake_elf_make(image, &(struct fake_elf){ .type = ET_EXEC, .section = ".strtab", .section_data = names });
    AUTO_FREE char *path = scratch_bytes(*state, "rust", image, sizeof image, 0755);
    AUTO_PROGRAM_FILE struct program_file file = { 0 };
    assert_int_equal(program_file_read(path, &file, NULL), 0);
    if (expected == NULL)
        assert_null(file.panic_function);
    else
        assert_string_equal(file.panic_function, expected);
}

/* A Rust program is one that can panic, which its symbols tell; those of newer compilers have a hash. */
static void elf_panics_of_rust(void **state)
{
    expect_panic_function(state, "rust_panic", "rust_panic");
    expect_panic_function(state, "_RNvCsfLfy6EI15iL_7___rustc10rust_panic", "_RNvCsfLfy6EI15iL_7___rustc10rust_panic");
    expect_panic_function(state, "my_rust_panic", NULL);
    expect_panic_function(state, "rust_panic_cleanup", NULL);
    expect_panic_function(state, "___rustc10rust_panic", NULL);
}

/* Every stripped program of a distribution names a separate debug file; it has debug information only where that file is installed. */
static void elf_separate_debug_file(void **state)
{
    const struct fake_elf what = { .type = ET_EXEC, .section = ".gnu_debuglink", .section_data = "elf.debug" };
    assert_false(read_elf(*state, &what).has_debug_info);
    AUTO_FREE char *hidden = scratch_file(*state, ".debug/elf.debug", "x");
    assert_true(read_elf(*state, &what).has_debug_info);
    assert_int_equal(unlink(hidden), 0);
    assert_false(read_elf(*state, &what).has_debug_info);
    free(scratch_file(*state, "elf.debug", "x"));
    assert_true(read_elf(*state, &what).has_debug_info);
}

/* A debug link that names the program itself, or a path, proves nothing. */
static void elf_odd_debug_links(void **state)
{
    assert_false(
        read_elf(*state, &(struct fake_elf){ .type = ET_EXEC, .section = ".gnu_debuglink", .section_data = "elf" }).has_debug_info);
    assert_false(read_elf(*state, &(struct fake_elf){ .type = ET_EXEC, .section = ".gnu_debuglink", .section_data = "../elf" })
                     .has_debug_info);
    assert_false(
        read_elf(*state, &(struct fake_elf){ .type = ET_EXEC, .section = ".gnu_debuglink", .section_data = "" }).has_debug_info);
}

/* The test itself is a program of this machine's compiler and linker. */
static void elf_of_this_machine(void **state)
{
    (void)state;
    AUTO_PROGRAM_FILE struct program_file file = { 0 };
    assert_int_equal(program_file_read("/proc/self/exe", &file, NULL), 0);
    assert_int_equal(file.format, PROGRAM_ELF);
    assert_int_equal(file.role, PROGRAM_ROLE_PROGRAM);
    assert_true(file.executable);
}

/* A linker that was killed leaves a file cut off anywhere; nothing of it may be followed out of the file. Every cut, and every byte of
 * the headers set to its extremes. */
static void damaged_elf(void **state)
{
    unsigned char image[FAKE_ELF_SIZE];
    fake_elf_make(image, &(struct fake_elf){ .type = ET_DYN, .interpreter = true, .section = ".debug_info" });
    for (size_t len = 4; len < sizeof image; len += len < 128 ? 1 : 37) {
        AUTO_FREE char *program = scratch_bytes(*state, "cut", image, len, 0755);
        AUTO_PROGRAM_FILE struct program_file file = { 0 };
        assert_int_equal(program_file_read(program, &file, NULL), 0);
    }
    for (size_t i = 4; i < 512; i++) {
        unsigned char kept = image[i];
        image[i] = (unsigned char)~kept;
        AUTO_FREE char *program = scratch_bytes(*state, "damaged", image, sizeof image, 0755);
        AUTO_PROGRAM_FILE struct program_file file = { 0 };
        assert_int_equal(program_file_read(program, &file, NULL), 0);
        image[i] = kept;
    }
}

/* ---- errors ---- */

static void check_error(const char *path, const char *expected)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct program_file file;
    assert_int_equal(program_file_read(path, &file, &error), -1);
    assert_int_equal(error.kind, ERROR_ARGUMENT);
    assert_string_equal(error.message, expected);
}

static void check_missing(const char *scratch, const char *name, const char *nearest)
{
    AUTO_FREE char *path = scratch_path(scratch, name);
    AUTO_FREE char *near = nearest != NULL ? xasprintf("; did you mean %s/%s?", scratch, nearest) : xstrdup("");
    AUTO_FREE char *expected = xasprintf("program %s does not exist%s", path, near);
    check_error(path, expected);
}

/* A mistyped name costs the caller a call to find out; the nearest name in that folder saves it. */
static void missing_with_the_nearest_name(void **state)
{
    free(scratch_file(*state, "application.py", ""));
    free(scratch_file(*state, "main.py", ""));
    free(scratch_file(*state, "server", ""));
    check_missing(*state, "aplication.py", "application.py");
    check_missing(*state, "appilcation.py", "application.py");
    check_missing(*state, "Main.py", "main.py");
    check_missing(*state, "main", "main.py");
    check_missing(*state, "server.exe", "server");
    check_missing(*state, "something_else.py", NULL);
    check_missing(*state, "x", NULL);
}

static void missing_folder(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *path = xasprintf("%s/no/app.py", scratch);
    AUTO_FREE char *expected = xasprintf("program %s does not exist: there is no folder %s/no", path, scratch);
    check_error(path, expected);
}

static void folder_is_no_program(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *expected = xasprintf("program %s is a folder: name the file in it that is to be run", scratch);
    check_error(scratch, expected);
}

/* Opening a named pipe without a writer would wait for ever. */
static void named_pipe_is_no_program(void **state)
{
    AUTO_FREE char *path = scratch_path(*state, "pipe");
    assert_int_equal(mkfifo(path, 0600), 0);
    AUTO_FREE char *expected = xasprintf("program %s is not a regular file", path);
    check_error(path, expected);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(shebangs),
        TEST(shebangs_with_options_of_env),
        TEST(shebang_with_carriage_return),
        TEST(formats),
        TEST(java_class_is_not_macho),
        TEST(elf_roles),
        TEST(elf_debug_information),
        TEST(elf_separate_debug_file),
        TEST(elf_panics_of_rust),
        TEST(elf_odd_debug_links),
        TEST(elf_of_this_machine),
        TEST(damaged_elf),
        TEST(missing_with_the_nearest_name),
        TEST(missing_folder),
        TEST(folder_is_no_program),
        TEST(named_pipe_is_no_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
