#include "adapter/discover.h"

#include "adapter/entry.h"
#include "adapter/install_hint.h"
#include "adapter/places.h"
#include "adapter/version_probe.h"
#include "base/buffer.h"
#include "base/error.h"

#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#include "scratch.h"

/* A world of its own: HOME and PATH are folders in it, nothing is active, and no adapters lie beside the test's binary. */
static int make_scratch(void **state)
{
    char *scratch = scratch_new();
    AUTO_FREE char *path = xasprintf("%s/bin:%s/bin2", scratch, scratch);
    AUTO_FREE char *home = scratch_path(scratch, "home");
    AUTO_FREE char *adapters = scratch_path(scratch, "adapters");
    scratch_folder(scratch, "home");
    scratch_folder(scratch, "work");
    setenv("PATH", path, 1);
    setenv("HOME", home, 1);
    setenv("DAPPLE_ADAPTERS", adapters, 1);
    unsetenv("VIRTUAL_ENV");
    unsetenv("PYENV_VERSION");
    unsetenv("PYTHONUSERBASE");
    *state = scratch;
    return 0;
}

static int remove_scratch(void **state)
{
    scratch_free(*state);
    return 0;
}

static void program(const char *scratch, const char *name)
{
    free(scratch_program(scratch, name, ""));
}

static void check_path(const char *scratch, const char *actual, const char *expected)
{
    AUTO_FREE char *path = scratch_path(scratch, expected);
    assert_string_equal(actual, path);
}

/* ---- programs ---- */

#define LLDB "{\"executables\":[\"lldb-dap\",\"lldb-dap-*\",\"lldb-vscode-*\"],\"places\":[\"~/llvm-*/bin\"]}"
#define GDB                                                                                                                   \
    "{\"executables\":[\"gdb\"],\"version\":{\"arguments\":[\"--version\"],\"minimum\":14,\"proof\":\"../share/gdb/dap.py\"," \
    "\"reason\":\"DAP needs 14 or newer\"}}"

static int discover(const char *find, const struct adapter_search *search, struct adapter_found *ret, struct error *ret_error)
{
    AUTO_FREE char *declaration =
        xasprintf("{\"id\":\"it\",\"find\":%s,\"install\":{\"any\":\"get it\",\"debian\":\"get it\",\"ubuntu\":\"get it\"}}", find);
    struct adapter_entry entry;
    assert_int_equal(adapter_entry_read(declaration, &entry, NULL), 0);
    int result = adapter_discover(&entry, search, ret, ret_error);
    adapter_entry_done(&entry);
    return result;
}

static void check_program(const char *scratch, const char *find, const char *expected)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_ADAPTER_FOUND struct adapter_found found = { 0 };
    if (discover(find, &(struct adapter_search){ .program = "/p", .cwd = "/" }, &found, &error) < 0)
        fail_msg("%s", error.message);
    AUTO_FREE char *path = scratch_path(scratch, expected);
    assert_string_equal(found.path, path);
    assert_null(found.interpreter);
}

static void check_no_program(const char *find, const char *expected)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_ADAPTER_FOUND struct adapter_found found = { 0 };
    assert_int_equal(discover(find, &(struct adapter_search){ .program = "/p", .cwd = "/" }, &found, &error), -1);
    assert_int_equal(error.kind, ERROR_CONFIG);
    assert_string_equal(error.message, expected);
}

/* Distributions carry lldb-dap under names with versions, several side by side: 9 is older than 19, whatever the alphabet says. */
static void newest_version_first(void **state)
{
    program(*state, "bin/lldb-dap-9");
    check_program(*state, LLDB, "bin/lldb-dap-9");
    program(*state, "bin2/lldb-dap-19");
    check_program(*state, LLDB, "bin2/lldb-dap-19");
    program(*state, "bin/lldb-dap-22");
    check_program(*state, LLDB, "bin/lldb-dap-22");
    program(*state, "bin2/lldb-dap");
    check_program(*state, LLDB, "bin2/lldb-dap");
    program(*state, "bin/lldb-dap");
    check_program(*state, LLDB, "bin/lldb-dap");
}

static void old_name(void **state)
{
    program(*state, "bin/lldb-vscode-15");
    program(*state, "bin/lldb-vscode-16");
    check_program(*state, LLDB, "bin/lldb-vscode-16");
    program(*state, "bin2/lldb-dap-18");
    check_program(*state, LLDB, "bin2/lldb-dap-18");
}

/* What PATH says goes before the usual places; in those too the newest comes first. */
static void usual_places(void **state)
{
    program(*state, "home/llvm-9/bin/lldb-dap");
    program(*state, "home/llvm-19/bin/lldb-dap");
    check_program(*state, LLDB, "home/llvm-19/bin/lldb-dap");
    program(*state, "bin/lldb-dap-14");
    check_program(*state, LLDB, "bin/lldb-dap-14");
}

static void adapters_folder_first(void **state)
{
    program(*state, "bin/lldb-dap");
    program(*state, "adapters/bin/lldb-dap");
    check_program(*state, LLDB, "adapters/bin/lldb-dap");
}

#define NO_LLDB                                                                                                        \
    "no usable it: looked for lldb-dap, lldb-dap-*, lldb-vscode-* on PATH, in $DAPPLE_ADAPTERS (%s/adapters/bin), in " \
    "~/llvm-*/bin%s%s%s. "                                                                                             \
    "To install it: get it"

/* Names that only look like the adapter, files that may not be executed and folders of its name are not the adapter. */
static void not_the_adapter(void **state)
{
    const char *scratch = *state;
    program(scratch, "bin/lldb-dap-config");
    program(scratch, "bin/lldb-dap-19.bak");
    free(scratch_file(scratch, "bin/lldb-dap-18", ""));
    scratch_folder(scratch, "bin/lldb-dap");
    AUTO_FREE char *fault = xasprintf("%s/bin/lldb-dap-18 may not be executed (chmod +x %s/bin/lldb-dap-18)", scratch, scratch);
    AUTO_FREE char *expected = xasprintf(NO_LLDB, scratch, "; ", fault, "");
    check_no_program(LLDB, expected);
}

/* An empty or relative entry of PATH means the current folder: a repository could plant a program there. */
static void relative_entries_of_path_are_left_out(void **state)
{
    const char *scratch = *state;
    program(scratch, "work/lldb-dap");
    AUTO_FREE char *work = scratch_path(scratch, "work");
    AUTO_FREE char *before = getcwd(NULL, 0);
    assert_int_equal(chdir(work), 0);
    setenv("PATH", ":.::", 1);
    AUTO_FREE char *expected = xasprintf(NO_LLDB, scratch, "", "", "");
    check_no_program(LLDB, expected);
    unsetenv("PATH");
    check_no_program(LLDB, expected);
    assert_int_equal(chdir(before), 0);
}

/* ---- beside the binary ---- */

/* A binary in its build folder finds what script/bootstrap put into .adapters of the source folder; the nearest counts. */
static void adapters_of_the_source_folder(void **state)
{
    const char *scratch = *state;
    scratch_folder(scratch, "repo/build/deep");
    AUTO_FREE char *build = scratch_path(scratch, "repo/build/deep");
    program(scratch, ".adapters/bin/gdb");
    AUTO_FREE char *far = adapters_folder_above(build);
    assert_non_null(far);
    check_path(scratch, far, ".adapters");
    program(scratch, "repo/.adapters/bin/gdb");
    AUTO_FREE char *near = adapters_folder_above(build);
    assert_non_null(near);
    check_path(scratch, near, "repo/.adapters");
}

/* Built under /tmp, the binary would meet whatever anybody put into /tmp/.adapters. */
static void adapters_that_others_may_write_are_left_out(void **state)
{
    const char *scratch = *state;
    program(scratch, ".adapters/bin/gdb");
    AUTO_FREE char *bin = scratch_path(scratch, ".adapters/bin");
    assert_int_equal(chmod(bin, 0777), 0);
    AUTO_FREE char *found = adapters_folder_above(scratch);
    assert_true(found == NULL || strncmp(found, scratch, strlen(scratch)) != 0);
}

/* ---- versions ---- */

static void check_version(const char *scratch, const char *text, const char *expected)
{
    static unsigned number;
    AUTO_FREE char *name = xasprintf("version-%u", number++);
    AUTO_FREE char *script = xasprintf("#!/bin/sh\n%s\n", text);
    AUTO_FREE char *path = scratch_program(scratch, name, script);
    char *arguments[] = { (char[]){ "--version" }, NULL };
    const char *version = version_probe(path, arguments);
    if (expected != NULL && version != NULL)
        assert_string_equal(version, expected);
    else
        assert_ptr_equal(version, expected);
}

static void versions(void **state)
{
    check_version(*state, "echo 'GNU gdb (Debian 16.3-1) 16.3'; echo 'Copyright (C) 2024'", "16.3");
    check_version(*state, "echo 'GNU gdb (GDB) Fedora Linux 15.1-1.fc40'", "15.1-1.fc40");
    check_version(*state, "echo 'GNU gdb (Ubuntu 15.0.50.20240403-0ubuntu1) 15.0.50.20240403-git'", "15.0.50.20240403-git");
    check_version(*state, "printf 'gdb 14.2'", "14.2");
    check_version(*state, "echo version \"$1\" 3", "3");
    check_version(*state, "echo 'no numbers'", NULL);
    check_version(*state, "exit 1", NULL);
    check_version(*state, "echo 16.3 >&2", NULL);
    check_version(*state, "kill -9 $$", NULL);
    check_version(*state, "printf 'Delve Debugger\\nVersion: 1.24.0\\nBuild: 5\\n'", "1.24.0"); /* a heading comes first */
    check_version(*state, "printf 'Delve Debugger\\r\\n\\r\\nVersion: 1.24.0'", "1.24.0");
}

/* A program that does not answer must not hold up the launch, and neither it nor what it started may live on: the writing end of a named
 * pipe, which they hold, tells when the last one is gone. */
static void version_of_a_program_that_hangs(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *pipe = scratch_path(scratch, "pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    int reader = open(pipe, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    AUTO_FREE char *text = xasprintf("exec 9>%s; echo >&9; /bin/sleep 60 & /bin/sleep 60", pipe);
    struct timespec before, after;
    clock_gettime(CLOCK_MONOTONIC, &before);
    check_version(scratch, text, NULL);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_in_range(after.tv_sec - before.tv_sec, 1, 10);
    char byte;
    assert_int_equal(read(reader, &byte, 1), 1);
    struct pollfd end = { .fd = reader };
    assert_int_equal(poll(&end, 1, 10000), 1);
    assert_true((end.revents & POLLHUP) != 0);
    close(reader);
}

static void version_of_nothing(void **state)
{
    char *arguments[] = { NULL };
    AUTO_FREE char *missing = scratch_path(*state, "missing");
    assert_null(version_probe(missing, arguments));
    AUTO_FREE char *text = scratch_file(*state, "text", "16.3");
    assert_null(version_probe(text, arguments));
}

/* Asking gdb costs 50 ms and more: once is enough, until the file is another one. */
static void version_is_remembered(void **state)
{
    const char *scratch = *state;
    char *arguments[] = { NULL };
    AUTO_FREE char *script = xasprintf("#!/bin/sh\necho x >>%s/calls\necho 16.3\n", scratch);
    AUTO_FREE char *path = scratch_program(scratch, "gdb", script);
    AUTO_FREE char *calls = scratch_path(scratch, "calls");
    struct stat about;
    for (int i = 0; i < 3; i++)
        assert_string_equal(version_probe(path, arguments), "16.3");
    assert_int_equal(stat(calls, &about), 0);
    assert_int_equal(about.st_size, 2);
    free(scratch_program(scratch, "gdb", "#!/bin/sh\necho 18.1\n"));
    assert_string_equal(version_probe(path, arguments), "18.1");
}

/* Debian 12's own gdb stands first on PATH and is too old; the one further on must be taken. */
static void too_old_is_passed_over(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *old = scratch_program(scratch, "bin/gdb", "#!/bin/sh\necho 'GNU gdb (Debian 13.1-3) 13.1'\n");
    AUTO_FREE char *expected =
        xasprintf("no usable it: looked for gdb on PATH, in $DAPPLE_ADAPTERS (%s/adapters/bin); %s is 13.1, but DAP "
                  "needs 14 or newer. To install it: get it",
                  scratch, old);
    check_no_program(GDB, expected);
    free(scratch_program(scratch, "bin2/gdb", "#!/bin/sh\necho 'GNU gdb 14.2'\n"));
    check_program(scratch, GDB, "bin2/gdb");
}

/* Asking gdb for its version takes a tenth of a second, in which nothing else is served. What only the newer ones have beside them says the
 * same: this one, which would deny it when asked, must not be run. */
static void one_with_a_proof_is_not_run(void **state)
{
    const char *scratch = *state;
    free(scratch_program(scratch, "bin/gdb", "#!/bin/sh\necho 'GNU gdb 13.1'\n"));
    free(scratch_file(scratch, "share/gdb/dap.py", ""));
    check_program(scratch, GDB, "bin/gdb");
}

static void mute_one_is_named(void **state)
{
    const char *scratch = *state;
    AUTO_FREE char *mute = scratch_program(scratch, "bin/gdb", "#!/bin/sh\nexit 127\n");
    AUTO_FREE char *expected =
        xasprintf("no usable it: looked for gdb on PATH, in $DAPPLE_ADAPTERS (%s/adapters/bin); %s does not tell its "
                  "version. To install it: get it",
                  scratch, mute);
    check_no_program(GDB, expected);
}

/* ---- how to install ---- */

static void check_hint(const struct adapter_entry *entry, const char *os_release, const char *expected)
{
    assert_string_equal(install_hint_for(entry, os_release), expected);
}

static void install_hints(void **state)
{
    (void)state;
    struct adapter_entry entry;
    assert_int_equal(
        adapter_entry_read("{\"install\":{\"debian-12\":\"d12\",\"debian\":\"d\",\"fedora\":\"f\",\"any\":\"a\"}}", &entry, NULL),
        0);
    check_hint(&entry, "PRETTY_NAME=\"x\"\nNAME=\"Debian GNU/Linux\"\nVERSION_ID=\"12\"\nID=debian\n", "d12");
    check_hint(&entry, "ID=debian\nVERSION_ID=\"13\"\n", "d");
    check_hint(&entry, "ID=debian", "d");
    check_hint(&entry, "ID=\"fedora\"\r\nVERSION_ID=42\r\n", "f");
    check_hint(&entry, "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_ID=12\n", "d");
    check_hint(&entry, "ID=gentoo\n", "a");
    check_hint(&entry, "", "a");
    check_hint(&entry, "nonsense\n\n=\nID", "a");
    adapter_entry_done(&entry);
}

/* ---- Python ---- */

#define DEBUGPY "{\"python_package\":\"debugpy\",\"interpreters\":[\"~/mason/bin/python\"],\"places\":[\"~/ext/debugpy-*/libs\"]}"

/* An installation of Python below `prefix`: bin/python3 is a link to bin/python3.11, as usual. */
static void python(const char *scratch, const char *prefix)
{
    AUTO_FREE char *real = xasprintf("%s/bin/python3.11", prefix);
    AUTO_FREE char *link = xasprintf("%s/bin/python3", prefix);
    program(scratch, real);
    scratch_link(scratch, "python3.11", link);
}

static void venv(const char *scratch, const char *prefix, const char *config)
{
    AUTO_FREE char *python = xasprintf("%s/bin/python", prefix);
    AUTO_FREE char *file = xasprintf("%s/pyvenv.cfg", prefix);
    program(scratch, python);
    free(scratch_file(scratch, file, config));
}

/* debugpy as pip installs it: with all that it bundles. */
static void complete_debugpy(const char *scratch, const char *packages)
{
    AUTO_FREE char *init = xasprintf("%s/debugpy/__init__.py", packages);
    AUTO_FREE char *bundled = xasprintf("%s/debugpy/_vendored/pydevd/pydevd.py", packages);
    free(scratch_file(scratch, init, ""));
    free(scratch_file(scratch, bundled, ""));
}

/* debugpy as Debian installs it: what it bundles is taken out, and links lead to it. */
static void bound_debugpy(const char *scratch, const char *packages)
{
    AUTO_FREE char *init = xasprintf("%s/debugpy/__init__.py", packages);
    AUTO_FREE char *pydevd = xasprintf("%s/pydevd.py", packages);
    AUTO_FREE char *link = xasprintf("%s/debugpy/_vendored/pydevd/pydevd.py", packages);
    free(scratch_file(scratch, init, ""));
    free(scratch_file(scratch, pydevd, ""));
    scratch_link(scratch, "../../../pydevd.py", link);
}

/* What was found: paths in the scratch folder. */
struct expected {
    const char *package, *interpreter, *python;
    const char *warning; /* NULL: none */
};

static void check_python_of(const char *scratch, struct adapter_search search, const struct expected *expected)
{
    AUTO_FREE char *program = scratch_path(scratch, "work/app.py");
    AUTO_FREE char *cwd = scratch_path(scratch, "work");
    search.program = program;
    search.cwd = cwd;
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_ADAPTER_FOUND struct adapter_found found = { 0 };
    if (discover(DEBUGPY, &search, &found, &error) < 0)
        fail_msg("%s", error.message);
    check_path(scratch, found.path, expected->package);
    check_path(scratch, found.interpreter, expected->interpreter);
    check_path(scratch, found.python, expected->python);
    if (expected->warning != NULL && found.warning != NULL)
        assert_string_equal(found.warning, expected->warning);
    else
        assert_ptr_equal(found.warning, expected->warning);
}

static void check_python(const char *scratch, const char *package, const char *interpreter, const char *python)
{
    check_python_of(scratch, (struct adapter_search){ 0 }, &(struct expected){ package, interpreter, python, NULL });
}

static void check_no_python(const char *scratch, const char *expected)
{
    AUTO_FREE char *program = scratch_path(scratch, "work/app.py");
    AUTO_FREE char *cwd = scratch_path(scratch, "work");
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_ADAPTER_FOUND struct adapter_found found = { 0 };
    assert_int_equal(discover(DEBUGPY, &(struct adapter_search){ .program = program, .cwd = cwd }, &found, &error), -1);
    assert_string_equal(error.message, expected);
}

static void own_package(void **state)
{
    python(*state, "py");
    complete_debugpy(*state, "py/lib/python3.11/site-packages");
    scratch_link(*state, "../py/bin/python3.11", "bin/python3");
    check_python(*state, "py/lib/python3.11/site-packages/debugpy", "bin/python3", "bin/python3");
}

/* Two versions of Python share one prefix: a package of 3.12 is not there for 3.11. */
static void package_of_another_version(void **state)
{
    const char *scratch = *state;
    python(scratch, "py");
    complete_debugpy(scratch, "py/lib/python3.12/site-packages");
    scratch_link(scratch, "../py/bin/python3.11", "bin/python3");
    AUTO_FREE char *expected =
        xasprintf("no usable debugpy: looked for it in the program's Python %s/bin/python3, in every Python on PATH, and in "
                  "~/mason/bin/python, ~/ext/debugpy-*/libs. To install it: %s/bin/python3 -m pip install debugpy",
                  scratch, scratch);
    check_no_python(scratch, expected);
}

static void package_of_the_user(void **state)
{
    python(*state, "py");
    complete_debugpy(*state, "home/.local/lib/python3.11/site-packages");
    scratch_link(*state, "../py/bin/python3.11", "bin/python3");
    check_python(*state, "home/.local/lib/python3.11/site-packages/debugpy", "bin/python3", "bin/python3");
}

/* The project's virtual environment is what the program is meant to run in, active or not. */
static void project_environment(void **state)
{
    python(*state, "py");
    complete_debugpy(*state, "py/lib/python3.11/site-packages");
    scratch_link(*state, "../py/bin/python3.11", "bin/python3");
    venv(*state, "active", "home = /nowhere\n");
    AUTO_FREE char *active = scratch_path(*state, "active");
    setenv("VIRTUAL_ENV", active, 1);
    check_python(*state, "py/lib/python3.11/site-packages/debugpy", "bin/python3", "active/bin/python");
    venv(*state, "venv", "home = /nowhere\n");
    check_python(*state, "py/lib/python3.11/site-packages/debugpy", "bin/python3", "venv/bin/python");
    venv(*state, "work/.venv", "home = /nowhere\n");
    check_python(*state, "py/lib/python3.11/site-packages/debugpy", "bin/python3", "work/.venv/bin/python");
    complete_debugpy(*state, "work/.venv/lib/python3.11/site-packages");
    check_python(*state, "work/.venv/lib/python3.11/site-packages/debugpy", "work/.venv/bin/python", "work/.venv/bin/python");
}

/* A virtual environment sees the system's packages only when it says so. */
static void environment_with_the_systems_packages(void **state)
{
    python(*state, "py");
    bound_debugpy(*state, "py/lib/python3.11/site-packages");
    venv(*state, "work/.venv", "home = x\ninclude-system-site-packages = true\nversion = 3.11.2\n");
    AUTO_FREE char *link = scratch_path(*state, "work/.venv/bin/python");
    assert_int_equal(unlink(link), 0);
    scratch_link(*state, "../../../py/bin/python3.11", "work/.venv/bin/python");
    check_python(*state, "py/lib/python3.11/site-packages/debugpy", "work/.venv/bin/python", "work/.venv/bin/python");
}

/* python3 first on PATH has no debugpy, and the system's has Debian's, which works in that Python only ("No module named 'bytecode'"
 * elsewhere, and a launch that hangs). Nothing says that the program needs the first one: it runs under the other, and the user is told. */
static void bound_package_of_another_python(void **state)
{
    const char *scratch = *state;
    python(scratch, "first");
    scratch_link(scratch, "../first/bin/python3.11", "bin/python3");
    python(scratch, "system");
    bound_debugpy(scratch, "system/lib/python3.11/site-packages");
    scratch_link(scratch, "../system/bin/python3.11", "bin2/python3");
    AUTO_FREE char *warning =
        xasprintf("the program runs under %s/bin2/python3, which has debugpy; the first Python on PATH, %s/bin/python3, has "
                  "not (to debug under it: %s/bin/python3 -m pip install debugpy)",
                  scratch, scratch, scratch);
    check_python_of(scratch, (struct adapter_search){ 0 },
                    &(struct expected){ "system/lib/python3.11/site-packages/debugpy", "bin2/python3", "bin2/python3", warning });
}

/* In a virtual environment the same would run the program without the packages that it was made for. */
static void bound_package_does_not_serve_an_environment(void **state)
{
    const char *scratch = *state;
    python(scratch, "system");
    bound_debugpy(scratch, "system/lib/python3.11/site-packages");
    scratch_link(scratch, "../system/bin/python3.11", "bin/python3");
    venv(scratch, "work/.venv", "home = x\ninclude-system-site-packages = false\n");
    AUTO_FREE char *expected = xasprintf(
        "no usable debugpy: the program's Python is %s/work/.venv/bin/python, which does not have it, and the one in "
        "%s/system/lib/python3.11/site-packages/debugpy serves only %s/bin/python3. To install it: %s/work/.venv/bin/python -m "
        "pip install debugpy (or pass launch_arguments {\"python\": \"%s/bin/python3\"} if the program runs under that one)",
        scratch, scratch, scratch, scratch, scratch);
    check_no_python(scratch, expected);
    /* a complete copy further on serves it */
    complete_debugpy(scratch, "home/mason/lib/python3.11/site-packages");
    venv(scratch, "home/mason", "home = x\n");
    check_python(scratch, "home/mason/lib/python3.11/site-packages/debugpy", "home/mason/bin/python", "work/.venv/bin/python");
}

/* Editors' Python extensions carry a whole debugpy, without an interpreter; the newest extension counts. */
static void package_of_an_editor(void **state)
{
    venv(*state, "work/.venv", "home = x\n");
    complete_debugpy(*state, "home/ext/debugpy-2024.9.0/libs");
    complete_debugpy(*state, "home/ext/debugpy-2024.12.0-linux-x64/libs");
    scratch_folder(*state, "home/ext/debugpy-2025.1.0/libs");
    check_python(*state, "home/ext/debugpy-2024.12.0-linux-x64/libs/debugpy", "work/.venv/bin/python", "work/.venv/bin/python");
}

/* A script that names its interpreter by path is not run under another one. */
static void interpreter_of_the_shebang(void **state)
{
    const char *scratch = *state;
    python(scratch, "own");
    complete_debugpy(scratch, "own/lib/python3.11/site-packages");
    venv(scratch, "work/.venv", "home = x\n");
    AUTO_FREE char *shebang = scratch_path(scratch, "own/bin/python3");
    check_python_of(scratch, (struct adapter_search){ .shebang = shebang },
                    &(struct expected){ "own/lib/python3.11/site-packages/debugpy", "own/bin/python3", "own/bin/python3", NULL });
    complete_debugpy(scratch, "work/.venv/lib/python3.11/site-packages");
    AUTO_FREE char *gone = scratch_path(scratch, "gone/python3");
    check_python_of(scratch, (struct adapter_search){ .shebang = gone },
                    &(struct expected){ "work/.venv/lib/python3.11/site-packages/debugpy", "work/.venv/bin/python",
                                        "work/.venv/bin/python", NULL });
}

static void interpreter_of_the_user(void **state)
{
    const char *scratch = *state;
    python(scratch, "own");
    complete_debugpy(scratch, "own/lib/python3.11/site-packages");
    venv(scratch, "work/.venv", "home = x\n");
    const struct expected expected = { "own/lib/python3.11/site-packages/debugpy", "own/bin/python3", "own/bin/python3", NULL };
    AUTO_FREE char *absolute = scratch_path(scratch, "own/bin/python3");
    check_python_of(scratch, (struct adapter_search){ .python = absolute }, &expected);
    check_python_of(scratch, (struct adapter_search){ .python = "../own/bin/python3" }, &expected);
    scratch_link(scratch, "../own/bin/python3", "bin/mypython");
    check_python_of(scratch, (struct adapter_search){ .python = "mypython" },
                    &(struct expected){ "own/lib/python3.11/site-packages/debugpy", "bin/mypython", "bin/mypython", NULL });

    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_ADAPTER_FOUND struct adapter_found found = { 0 };
    struct adapter_search search = { .program = "/app.py", .cwd = "/", .python = "python9" };
    assert_int_equal(discover(DEBUGPY, &search, &found, &error), -1);
    assert_string_equal(error.message, "launch_arguments.python: python9 is not an executable file");
}

static void no_python_at_all(void **state)
{
    check_no_python(
        *state, "no Python interpreter: looked for .venv and venv from the program's folder upwards, $VIRTUAL_ENV, and python3 and "
                "python on PATH");
}

/* Some systems have only `python`. */
static void python_without_a_number(void **state)
{
    program(*state, "py/bin/python3.13");
    complete_debugpy(*state, "py/lib/python3.13/site-packages");
    scratch_link(*state, "../py/bin/python3.13", "bin/python");
    check_python(*state, "py/lib/python3.13/site-packages/debugpy", "bin/python", "bin/python");
}

/* ---- pyenv ---- */

static void pyenv(const char *scratch, const char *selection)
{
    program(scratch, "pyenv/shims/python3");
    python(scratch, "pyenv/versions/3.11.7");
    python(scratch, "pyenv/versions/3.11.12");
    python(scratch, "pyenv/versions/3.9.1");
    free(scratch_file(scratch, "pyenv/version", selection));
    AUTO_FREE char *path = xasprintf("%s/pyenv/shims:%s/bin", scratch, scratch);
    setenv("PATH", path, 1);
    complete_debugpy(scratch, "pyenv/versions/3.11.7/lib/python3.11/site-packages");
    complete_debugpy(scratch, "pyenv/versions/3.11.12/lib/python3.11/site-packages");
    complete_debugpy(scratch, "pyenv/versions/3.9.1/lib/python3.11/site-packages");
}

static void check_pyenv(const char *scratch, const char *version)
{
    AUTO_FREE char *package = xasprintf("pyenv/versions/%s/lib/python3.11/site-packages/debugpy", version);
    AUTO_FREE char *interpreter = xasprintf("pyenv/versions/%s/bin/python3", version);
    check_python(scratch, package, interpreter, interpreter);
}

/* A shim is a script that costs 100 ms and hides the interpreter's place: its choice is read from the same files. */
static void pyenv_shims_are_followed(void **state)
{
    pyenv(*state, "3.11.7\n");
    check_pyenv(*state, "3.11.7");
    free(scratch_file(*state, "pyenv/version", "# mine\n3.14\n3.9.1\n"));
    check_pyenv(*state, "3.9.1");
    free(scratch_file(*state, "pyenv/version", "3.11\n"));
    check_pyenv(*state, "3.11.12");
}

static void pyenv_version_of_folder_and_variable(void **state)
{
    pyenv(*state, "3.11.7\n");
    free(scratch_file(*state, ".python-version", "3.9.1\n"));
    check_pyenv(*state, "3.9.1");
    setenv("PYENV_VERSION", "3.11.12:3.9.1", 1);
    check_pyenv(*state, "3.11.12");
}

/* "system", or a version that is not installed: the next Python on PATH is meant. */
static void pyenv_says_system(void **state)
{
    pyenv(*state, "system\n");
    python(*state, "py");
    complete_debugpy(*state, "py/lib/python3.11/site-packages");
    scratch_link(*state, "../py/bin/python3.11", "bin/python3");
    check_python(*state, "py/lib/python3.11/site-packages/debugpy", "bin/python3", "bin/python3");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(newest_version_first),
        TEST(old_name),
        TEST(usual_places),
        TEST(adapters_folder_first),
        TEST(not_the_adapter),
        TEST(relative_entries_of_path_are_left_out),
        TEST(adapters_of_the_source_folder),
        TEST(adapters_that_others_may_write_are_left_out),
        TEST(versions),
        TEST(version_of_a_program_that_hangs),
        TEST(version_of_nothing),
        TEST(version_is_remembered),
        TEST(too_old_is_passed_over),
        TEST(one_with_a_proof_is_not_run),
        TEST(mute_one_is_named),
        TEST(install_hints),
        TEST(own_package),
        TEST(package_of_another_version),
        TEST(package_of_the_user),
        TEST(project_environment),
        TEST(environment_with_the_systems_packages),
        TEST(bound_package_of_another_python),
        TEST(bound_package_does_not_serve_an_environment),
        TEST(package_of_an_editor),
        TEST(interpreter_of_the_shebang),
        TEST(interpreter_of_the_user),
        TEST(no_python_at_all),
        TEST(python_without_a_number),
        TEST(pyenv_shims_are_followed),
        TEST(pyenv_version_of_folder_and_variable),
        TEST(pyenv_says_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
