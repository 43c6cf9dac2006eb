/* What /proc says of processes, from a folder that looks like it: what one is, who has a name, and why a debugger may not have one. */
#include "adapter/process.h"
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

struct made {
    int pid;
    const char *name, *executable, *arguments; /* the last with | for NUL */
    char state;
    int parent, tracer, uid, threads;
    unsigned long long started;
};

static void write_file(const char *scratch, int pid, const char *name, const char *text, size_t len)
{
    AUTO_FREE char *path = xasprintf("%d/%s", pid, name);
    free(scratch_bytes(scratch, path, text, len, 0644));
}

static void make(const char *scratch, struct made made)
{
    AUTO_FREE char *stat = xasprintf("%d (%s) %c %d 0 0 0 0 0 0 0 0 0 0 0 0 0 20 0 1 0 %llu 0 0", made.pid, made.name,
                                     made.state ? made.state : 'S', made.parent ? made.parent : 1, made.started);
    AUTO_FREE char *status = xasprintf("Name:\t%s\nState:\tS\nTracerPid:\t%d\nUid:\t0\t%d\t0\t0\nThreads:\t%d\n", made.name,
                                       made.tracer, made.uid, made.threads ? made.threads : 1);
    AUTO_FREE char *arguments = xstrdup(made.arguments != NULL ? made.arguments : "");
    size_t len = strlen(arguments);
    for (char *at = arguments; *at != '\0'; at++)
        if (*at == '|')
            *at = '\0';
    write_file(scratch, made.pid, "stat", stat, strlen(stat));
    write_file(scratch, made.pid, "status", status, strlen(status));
    write_file(scratch, made.pid, "cmdline", arguments, len > 0 ? len + 1 : 0);
    AUTO_FREE char *link = xasprintf("%s/%d/exe", scratch, made.pid);
    if (made.executable != NULL)
        assert_int_equal(symlink(made.executable, link), 0);
}

/* Ourselves: who we are and what we may. */
static void make_self(const char *scratch, int uid, bool capable, const char *scope)
{
    AUTO_FREE char *status =
        xasprintf("Name:\tdapple\nUid:\t0\t%d\t0\t0\nCapEff:\t%s\n", uid, capable ? "0000000000080000" : "0000000000000000");
    free(scratch_file(scratch, "self/status", status));
    if (scope != NULL)
        free(scratch_file(scratch, "sys/kernel/yama/ptrace_scope", scope));
}

static void check_why(const char *scratch, int pid, const char *const *parts)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_PROCESS struct process process = { 0 };
    assert_int_equal(process_read(scratch, pid, &process), 0);
    assert_int_equal(process_check_traceable(scratch, &process, &error), parts[0] != NULL ? -1 : 0);
    for (; *parts != NULL; parts++)
        if (strstr(error.message, *parts) == NULL)
            fail_msg("no \"%s\" in: %s", *parts, error.message);
}
#define CHECK_WHY(scratch, pid, ...) check_why(scratch, pid, (const char *const[]){ __VA_ARGS__, NULL })
#define CHECK_MAY(scratch, pid) check_why(scratch, pid, (const char *const[]){ NULL })

/* ---- what one is ---- */

/* A name may hold anything, also what looks like the fields behind it. */
static void reads_a_process(void **state)
{
    const char *scratch = *state;
    make(scratch, (struct made){ .pid = 7,
                                 .name = "a) Z 99 (b",
                                 .executable = "/opt/app (deleted)",
                                 .arguments = "/opt/app|-v|x y",
                                 .parent = 3,
                                 .tracer = 5,
                                 .uid = 1000,
                                 .started = 4711 });
    AUTO_PROCESS struct process process = { 0 };
    assert_int_equal(process_read(scratch, 7, &process), 0);
    assert_string_equal(process.name, "a) Z 99 (b");
    assert_string_equal(process.executable, "/opt/app");
    AUTO_FREE char *command = process_command(&process);
    assert_string_equal(command, "/opt/app -v x y");
    assert_int_equal(process.state, 'S');
    assert_int_equal(process.parent, 3);
    assert_int_equal(process.tracer, 5);
    assert_int_equal(process.uid, 1000);
    assert_int_equal(process.started, 4711);
    assert_null(process_interpreter(&process));
    assert_int_equal(process_read(scratch, 8, &process), -1);
}

/* A program that is run by its other threads was said to have ended. */
static void lives_without_its_main_thread(void **state)
{
    const char *scratch = *state;
    make(scratch, (struct made){ .pid = 7, .name = "app", .state = 'Z', .threads = 3 });
    make(scratch, (struct made){ .pid = 8, .name = "app", .state = 'Z' });
    AUTO_PROCESS struct process living = { 0 }, ended = { 0 };
    assert_int_equal(process_read(scratch, 7, &living), 0);
    assert_int_equal(living.state, 'S');
    assert_int_equal(process_read(scratch, 8, &ended), 0);
    assert_int_equal(ended.state, 'Z');
}

static void finds_by_name(void **state)
{
    const char *scratch = *state;
    free(scratch_file(scratch, "work/server.py", ""));
    AUTO_FREE char *script = scratch_path(scratch, "work/server.py");
    AUTO_FREE char *arguments = xasprintf("python3|-u|%s|--port|80", script);
    make(scratch,
         (struct made){ .pid = 10, .name = "python3", .executable = "/usr/bin/python3.11", .arguments = arguments, .started = 5 });
    make(scratch, (struct made){ .pid = 11, .name = "app", .executable = "/opt/app", .arguments = "app", .started = 6 });
    make(scratch, (struct made){ .pid = 12, .name = "app", .executable = "/opt/app", .arguments = "app", .started = 9 });
    make(scratch, (struct made){ .pid = 13, .name = "app", .state = 'Z', .started = 12 });
    make(scratch, (struct made){ .pid = 14, .name = "app", .parent = 2, .started = 1 });
    make(scratch, (struct made){ .pid = 15, .name = "cat", .executable = "/bin/cat", .arguments = "cat|app", .started = 20 });
    struct process *list;
    assert_int_equal(process_find(scratch, "app", &list), 2);
    assert_int_equal(list[0].pid, 12); /* the newest */
    assert_int_equal(list[1].pid, 11);
    processes_free(list, 2);
    const char *const names[] = { "server.py", "python3.11", "python3", script };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        assert_int_equal(process_find(scratch, names[i], &list), 1);
        assert_int_equal(list[0].pid, 10);
        processes_free(list, 1);
    }
    assert_int_equal(process_find(scratch, "/opt/app", &list), 2);
    processes_free(list, 2);
    assert_int_equal(process_find(scratch, "80", &list), 0);
    processes_free(list, 0);
}

static void finds_by_port(void **state)
{
    const char *scratch = *state;
    make(scratch, (struct made){ .pid = 20, .name = "one" });
    make(scratch, (struct made){ .pid = 21, .name = "two" });
    scratch_folder(scratch, "21/fd");
    AUTO_FREE char *link = scratch_path(scratch, "21/fd/3");
    assert_int_equal(symlink("socket:[777]", link), 0);
    free(scratch_file(scratch, "net/tcp",
                      "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n"
                      "   0: 0100007F:162E 00000000:0000 01 00000000:00000000 00:00000000 00000000     0        0 776 1\n"
                      "   1: 0100007F:162E 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 777 1\n"));
    assert_int_equal(process_listening(scratch, 0x162E), 21);
    assert_int_equal(process_listening(scratch, 80), 0);
}

/* ---- who may be traced ---- */

/* What is behind a port: what the server there traces, if that is one process, or the server itself, if it was told so. */
static void finds_what_is_served(void **state)
{
    const char *scratch = *state;
    make(scratch, (struct made){ .pid = 50, .name = "gdbserver", .executable = "/bin/gdbserver", .arguments = "gdbserver" });
    assert_int_equal(process_traced_by(scratch, 50), 0);
    make(scratch, (struct made){ .pid = 51, .name = "app", .executable = "/opt/app", .arguments = "app", .tracer = 50 });
    assert_int_equal(process_traced_by(scratch, 50), 51);
    make(scratch, (struct made){ .pid = 52, .name = "app", .executable = "/opt/app", .arguments = "app", .tracer = 50 });
    assert_int_equal(process_traced_by(scratch, 50), 0);
    make(scratch,
         (struct made){ .pid = 60, .name = "node", .executable = "/bin/node", .arguments = "node|--inspect=[::1]:9334|a.js" });
    assert_true(process_told_port(scratch, 60, "--inspect", 9334, 9229));
    assert_false(process_told_port(scratch, 60, "--inspect", 9229, 9229));
    assert_false(process_told_port(scratch, 60, "--inspect-brk", 9334, 9229));
    make(scratch, (struct made){ .pid = 61, .name = "node", .executable = "/bin/node", .arguments = "node|--inspect|a.js" });
    assert_true(process_told_port(scratch, 61, "--inspect", 9229, 9229));
    assert_false(process_told_port(scratch, 61, "--inspect", 9334, 9229));
    make(scratch, (struct made){
                      .pid = 62, .name = "node", .executable = "/bin/node", .arguments = "node|--inspect-publish-uid=http|a.js" });
    assert_false(process_told_port(scratch, 62, "--inspect", 9229, 9229));
    make(scratch, (struct made){ .pid = 63, .name = "ruby", .executable = "/bin/ruby", .arguments = "ruby|a.rb" });
    write_file(scratch, 63, "environ", "A=1\0RUBY_DEBUG_PORT=12345\0", 27);
    assert_true(process_told_port(scratch, 63, "RUBY_DEBUG_PORT", 12345, 0));
    assert_false(process_told_port(scratch, 63, "RUBY_DEBUG_PORT", 1234, 0));
    assert_true(process_shares_numbers("/proc", getpid()));
    assert_false(process_shares_numbers(scratch, 63));
}

static void may_be_traced(void **state)
{
    const char *scratch = *state;
    make(scratch, (struct made){ .pid = 30, .name = "app", .executable = "/opt/app", .arguments = "app", .uid = 1000 });
    make_self(scratch, 1000, false, "0\n");
    CHECK_MAY(scratch, 30);
    make_self(scratch, 1000, false, NULL);
    CHECK_MAY(scratch, 30);
    make_self(scratch, 0, true, "1\n");
    CHECK_MAY(scratch, 30);
    make_self(scratch, 0, true, "2\n");
    CHECK_MAY(scratch, 30);
}

static void what_yama_forbids(void **state)
{
    const char *scratch = *state;
    make(scratch, (struct made){ .pid = 30, .name = "app", .executable = "/opt/app", .arguments = "app", .uid = 1000 });
    make_self(scratch, 1000, false, "1\n");
    CHECK_WHY(scratch, 30, "process 30 (app)", "ptrace_scope is 1", "sudo sysctl kernel.yama.ptrace_scope=0", "dap_launch");
    make_self(scratch, 1000, false, "2\n");
    CHECK_WHY(scratch, 30, "ptrace_scope is 2", "CAP_SYS_PTRACE", "sudo sysctl");
    make_self(scratch, 0, true, "3\n");
    CHECK_WHY(scratch, 30, "lets nobody attach", "ptrace_scope is 3", "next boot", "dap_launch");
}

static void what_belongs_to_others(void **state)
{
    const char *scratch = *state;
    make(scratch, (struct made){ .pid = 30, .name = "app", .executable = "/opt/app", .arguments = "app", .uid = 1000 });
    make_self(scratch, 1001, false, "0\n");
    CHECK_WHY(scratch, 30, "belongs to another user", "uid 1000", "uid 1001", "as that user, or as root");
    make_self(scratch, 0, false, "0\n"); /* root in a container */
    CHECK_WHY(scratch, 30, "CAP_SYS_PTRACE", "--cap-add=SYS_PTRACE");
}

static void what_cannot_be_traced(void **state)
{
    const char *scratch = *state;
    make_self(scratch, 0, true, NULL);
    make(scratch, (struct made){ .pid = 40, .name = "gone", .state = 'Z', .parent = 39 });
    CHECK_WHY(scratch, 40, "process 40 (gone) has ended already", "zombie", "39");
    make(scratch, (struct made){ .pid = 41, .name = "kworker/0:1", .parent = 2 });
    CHECK_WHY(scratch, 41, "thread of the kernel");
    make(scratch, (struct made){ .pid = 42, .name = "app", .executable = "/opt/app", .arguments = "app", .tracer = 43 });
    make(scratch, (struct made){ .pid = 43, .name = "gdb", .executable = "/usr/bin/gdb", .arguments = "gdb|-p|42" });
    CHECK_WHY(scratch, 42, "traced already, by process 43 (gdb -p 42)");
    make(scratch, (struct made){ .pid = 44, .name = "app", .executable = "/opt/app", .arguments = "app", .tracer = 9999 });
    CHECK_WHY(scratch, 44, "by process 9999 (not visible from here)");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        TEST(reads_a_process),
        TEST(finds_by_name),
        TEST(finds_by_port),
        TEST(may_be_traced),
        TEST(lives_without_its_main_thread),
        TEST(finds_by_name),
        TEST(finds_by_port),
        TEST(may_be_traced),
        TEST(what_yama_forbids),
        TEST(what_belongs_to_others),
        TEST(what_cannot_be_traced),
        TEST(finds_what_is_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
