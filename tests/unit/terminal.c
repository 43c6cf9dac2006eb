/* Real programs in real terminals under a real supervisor. The program is its own supervisor, the program in its terminal, and its own
 * Dapple to kill (see the roles). */
#include "io/terminal.h"

#include "adapter_rig.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "io/loop.h"
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <cmocka.h>

#include "scratch.h"

/* ---- roles: what runs in the terminal ---- */

static void say_size(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        rig_say("size %dx%d\n", size.ws_col, size.ws_row);
}

static int role_describe(char **args)
{
    (void)args;
    rig_say("terminals %d%d%d\n", isatty(0), isatty(1), isatty(2));
    say_size();
    rig_say("leader %d, foreground %d\n", getsid(0) == getpid(), tcgetpgrp(0) == getpgrp());
    rig_say("controlling %d\n", open("/dev/tty", O_RDWR | O_CLOEXEC) >= 0);
    rig_say("TERM %s\n", getenv("TERM"));
    for (int fd = 4; fd < 1024; fd++) /* 3 is /dev/tty */
        if (fcntl(fd, F_GETFD) >= 0)
            rig_say("open %d\n", fd);
    rig_say("done\n");
    return 0;
}

static int role_answer(char **args)
{
    char line[100];
    rig_say("pid %d\n", (int)getpid());
    while (fgets(line, sizeof(line), stdin))
        rig_say("got %s", line);
    return atoi(args[0]);
}

/* Numbered lines of 16 bytes, 1 MB in all. */
#define FLOOD_LINES 65536

static int role_flood(char **args)
{
    (void)args;
    for (int i = 0; i < FLOOD_LINES; i += 64) {
        char lines[64 * 16 + 1];
        for (int j = 0; j < 64; j++)
            snprintf(lines + (size_t)j * 16, 17, "line %010d\n", i + j);
        rig_write(STDOUT_FILENO, lines, sizeof(lines) - 1);
    }
    return 7;
}

static int role_abort(char **args)
{
    (void)args;
    rig_say("last words\n");
    raise(SIGKILL);
    return 0;
}

static int role_stay(char **args)
{
    (void)args;
    rig_say("pid %d\n", (int)getpid());
    rig_stay();
}

static int role_stubborn(char **args)
{
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    return role_stay(args);
}

/* Leaves a daemon that holds the terminal and ignores all that can be ignored. */
static int role_daemon(char **args)
{
    pid_t middle = fork();
    if (middle == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        role_stubborn(args);
    }
    waitpid(middle, NULL, 0);
    if (args[0])
        role_stay(args);
    char byte;
    (void)!read(STDIN_FILENO, &byte, 1); /* the test has seen the daemon */
    return 6;
}

static void on_window_change(int number)
{
    (void)number;
    say_size();
}

static int role_window(char **args)
{
    (void)args;
    signal(SIGWINCH, on_window_change);
    say_size();
    rig_stay();
}

static int role_environment(char **args)
{
    for (; *args; args++)
        rig_say("%s=%s\n", *args, getenv(*args) ? getenv(*args) : "(none)");
    return 0;
}

/* Its end takes a while after the adapter's: it reports what it did until then. */
static int role_ends_itself(char **args)
{
    (void)args;
    sigset_t go;
    int number;
    sigemptyset(&go);
    sigaddset(&go, SIGUSR1);
    sigprocmask(SIG_BLOCK, &go, NULL);
    rig_say("pid %d\n", (int)getpid());
    sigwait(&go, &number);
    return 3;
}

/* Lets go of its terminal, and comes back on demand. */
static int role_comes_back(char **args)
{
    (void)args;
    sigset_t go;
    int number;
    sigemptyset(&go);
    sigaddset(&go, SIGUSR1);
    sigprocmask(SIG_BLOCK, &go, NULL);
    rig_say("pid %d\n", (int)getpid());
    for (int fd = STDERR_FILENO; fd >= STDIN_FILENO; fd--)
        close(fd);
    sigwait(&go, &number);
    int terminal = open("/dev/tty", O_RDWR);
    rig_write(terminal, "back\n", 5);
    return 2;
}

static int role_dapple(char **args);

static const struct rig_role roles[] = {
    { "describe", role_describe },
    { "answer", role_answer },
    { "flood", role_flood },
    { "abort", role_abort },
    { "stay", role_stay },
    { "stubborn", role_stubborn },
    { "daemon", role_daemon },
    { "window", role_window },
    { "environment", role_environment },
    { "ends-itself", role_ends_itself },
    { "comes-back", role_comes_back },
    { "dapple", role_dapple },
};

/* ---- the terminal under test, recorded ---- */

enum { T_STARTED = 1, T_FAILED = 2, T_OUTPUT = 4, T_EXIT = 8 };

struct watched {
    struct terminal *terminal;
    struct terminal_command command;
    char *argv[8];
    char *env[4];
    unsigned seen, free_at;
    pid_t pid;
    struct buffer output;
    char *why;
    int code, signal;
};

static void note_event(struct watched *watched, unsigned event)
{
    assert_int_equal(watched->seen & (T_FAILED | T_EXIT), 0); /* nothing comes after the end */
    assert_true(event != T_OUTPUT || (watched->seen & T_STARTED));
    watched->seen |= event;
    if (!(watched->free_at & event))
        return;
    terminal_free(watched->terminal);
    watched->terminal = NULL;
}

static void on_started(void *user, pid_t pid)
{
    struct watched *watched = user;
    watched->pid = pid;
    note_event(watched, T_STARTED);
}

static void on_failed(void *user, const struct error *why)
{
    struct watched *watched = user;
    xreplace(&watched->why, why->message);
    note_event(watched, T_FAILED);
}

static void on_output(void *user, const char *bytes, size_t len)
{
    struct watched *watched = user;
    assert_int_equal(buffer_append(&watched->output, bytes, len), 0);
    note_event(watched, T_OUTPUT);
}

static void on_exited(void *user, int code, int signal)
{
    struct watched *watched = user;
    watched->code = code;
    watched->signal = signal;
    note_event(watched, T_EXIT);
}

static const struct terminal_events events = { on_started, on_failed, on_output, on_exited };

static void use(struct watched *watched, const char *role, const char *first, const char *second)
{
    *watched = (struct watched){ .argv = { rig_path, (char *)"role", (char *)role, (char *)first, (char *)second } };
    watched->command = (struct terminal_command){ .argv = watched->argv, .env = watched->env };
    buffer_init(&watched->output, 4u << 20);
}

static void start(struct watched *watched)
{
    watched->terminal = terminal_start(&rig_loop, rig_path, &watched->command, -1, &events, watched);
    assert_int_equal(watched->seen, 0); /* nothing is called from within */
}

static void start_role(struct watched *watched, const char *role, const char *first)
{
    use(watched, role, first, NULL);
    start(watched);
}

static void finish(struct watched *watched)
{
    terminal_free(watched->terminal);
    buffer_done(&watched->output);
    free(watched->why);
}

static void on_limit(uv_timer_t *timer)
{
    const struct watched *watched = timer->data;
    fail_msg("not within %d ms; seen %u, output %s", LIMIT_MS, watched->seen, watched->output.data);
}

static void on_limit_closed(uv_handle_t *timer)
{
    timer->data = NULL;
}

/* Until the events were seen, and the output holds the text. */
static void run_until(struct watched *watched, unsigned seen, const char *text)
{
    uv_timer_t limit;
    uv_timer_init(&rig_loop.uv, &limit);
    limit.data = watched;
    uv_timer_start(&limit, on_limit, LIMIT_MS, 0);
    while ((watched->seen & seen) != seen || !strstr(watched->output.data, text))
        uv_run(&rig_loop.uv, UV_RUN_ONCE);
    uv_close((uv_handle_t *)&limit, on_limit_closed);
    while (limit.data != NULL) /* it lives on this stack */
        uv_run(&rig_loop.uv, UV_RUN_NOWAIT);
}

static void expect_exit(struct watched *watched, int code, int signal)
{
    run_until(watched, T_STARTED | T_EXIT, "");
    assert_int_equal(watched->code, code);
    assert_int_equal(watched->signal, signal);
}

static void type(struct watched *watched, const char *text)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    if (terminal_type(watched->terminal, text, strlen(text), &error) != 0)
        fail_msg("%s", error.message);
}

/* ---- the terminal ---- */

/* bash-debug: "/dev/stdin: No such device or address"; other programs buffer their output by blocks where there is no terminal. */
static void the_program_has_a_terminal_of_its_own(void **state)
{
    (void)state;
    struct watched watched;
    start_role(&watched, "describe", NULL);
    expect_exit(&watched, 0, 0);
    assert_string_equal(watched.output.data, "terminals 111\nsize 80x24\nleader 1, foreground 1\ncontrolling 1\nTERM dumb\ndone\n");
    finish(&watched);
}

static void what_is_typed_arrives_and_is_echoed(void **state)
{
    (void)state;
    struct watched watched;
    start_role(&watched, "answer", "5");
    run_until(&watched, T_STARTED, "pid");
    type(&watched, "two words\n");
    run_until(&watched, T_OUTPUT, "two words\ngot two words\n");
    type(&watched, "wrong\x7f\x7f\x7f\x7f\x7fright\n"); /* edited by the line */
    run_until(&watched, T_OUTPUT, "got right\n");
    type(&watched, "\x04"); /* the end of its input */
    expect_exit(&watched, 5, 0);
    finish(&watched);
}

/* The answer to the request needs the number of the program itself: an adapter attaches to it. */
static void tells_the_pid_of_the_program(void **state)
{
    (void)state;
    struct watched watched;
    start_role(&watched, "answer", "0");
    run_until(&watched, T_STARTED, "\n");
    AUTO_FREE char *line = xasprintf("pid %d\n", (int)watched.pid);
    assert_string_equal(watched.output.data, line);
    finish(&watched);
}

static void the_size_can_be_set(void **state)
{
    (void)state;
    struct watched watched;
    start_role(&watched, "window", NULL);
    terminal_resize(watched.terminal, 132, 43); /* before it runs */
    run_until(&watched, T_STARTED, "size 132x43\n");
    terminal_resize(watched.terminal, 100, 30);
    run_until(&watched, T_STARTED, "size 100x30\n");
    terminal_kill(watched.terminal);
    expect_exit(&watched, 0, SIGKILL);
    terminal_resize(watched.terminal, 10, 10); /* nobody is there; nothing happens */
    finish(&watched);
}

/* A pty that is not read stops its program; what it holds when the program exits must not be lost. */
static void carries_1_mb_of_output_in_order(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct watched watched;
        start_role(&watched, "flood", NULL);
        expect_exit(&watched, 7, 0);
        assert_int_equal(watched.output.len, FLOOD_LINES * 16);
        for (size_t line = 0; line < FLOOD_LINES; line++) {
            char expected[17];
            snprintf(expected, sizeof(expected), "line %010zu\n", line);
            assert_memory_equal(watched.output.data + line * 16, expected, 16);
        }
        finish(&watched);
    }
}

/* With nobody on its other side, a terminal reads as ended. But a program that closed it may open it again: a pager does, a daemon's log. */
static void a_program_may_come_back_to_its_terminal(void **state)
{
    (void)state;
    struct watched watched;
    start_role(&watched, "comes-back", NULL);
    run_until(&watched, T_STARTED, "\n");
    AUTO_FREE char *last = xasprintf("/proc/%d/fd/0", (int)watched.pid);
    for (int i = 0; i < LIMIT_MS && faccessat(AT_FDCWD, last, F_OK, AT_SYMLINK_NOFOLLOW) == 0; i++)
        poll(NULL, 0, 1);
    uv_run(&rig_loop.uv, UV_RUN_NOWAIT);
    uv_run(&rig_loop.uv, UV_RUN_NOWAIT);
    kill(watched.pid, SIGUSR1);
    expect_exit(&watched, 2, 0);
    assert_non_null(strstr(watched.output.data, "\nback\n"));
    finish(&watched);
}

static void typing_to_a_program_that_does_not_read_has_a_limit(void **state)
{
    (void)state;
    struct watched watched;
    start_role(&watched, "stay", NULL);
    run_until(&watched, T_STARTED, "\n");
    AUTO_FREE char *lines = xmalloc(64u * 1024);
    AUTO_ERROR struct error error = ERROR_INIT;
    memset(lines, '\n', 64u * 1024);
    size_t typed = 0;
    while (terminal_type(watched.terminal, lines, 64u * 1024, &error) == 0) {
        typed += 64u * 1024;
        assert_true(typed < 4u * LIMIT_TERMINAL_INPUT);
    }
    assert_int_equal(error.kind, ERROR_LIMIT);
    assert_non_null(strstr(error.message, "bytes of its input yet; there is room for 1048576 in all"));
    terminal_terminate(watched.terminal);
    expect_exit(&watched, 0, SIGTERM);
    assert_int_equal(terminal_type(watched.terminal, "x", 1, &error), -1);
    assert_string_equal(error.message, "nobody reads in this terminal any more");
    finish(&watched);
}

/* ---- the command ---- */

static void changes_the_environment(void **state)
{
    (void)state;
    struct watched watched;
    setenv("DAPPLE_TEST_GONE", "here", 1);
    setenv("DAPPLE_TEST_KEPT", "here", 1);
    use(&watched, "environment", "DAPPLE_TEST_GONE", "DAPPLE_TEST_KEPT");
    watched.argv[5] = (char *)"DAPPLE_TEST_NEW";
    watched.argv[6] = (char *)"TERM";
    watched.env[0] = (char *)"DAPPLE_TEST_GONE";
    watched.env[1] = (char *)"DAPPLE_TEST_NEW=a&b = \"c\"";
    watched.env[2] = (char *)"TERM=xterm";
    start(&watched);
    expect_exit(&watched, 0, 0);
    assert_string_equal(watched.output.data,
                        "DAPPLE_TEST_GONE=(none)\nDAPPLE_TEST_KEPT=here\nDAPPLE_TEST_NEW=a&b = \"c\"\nTERM=xterm\n");
    finish(&watched);
    unsetenv("DAPPLE_TEST_GONE");
    unsetenv("DAPPLE_TEST_KEPT");
}

/* codelldb sends "cwd": "", which chdir refuses. */
static void an_empty_folder_is_ours(void **state)
{
    (void)state;
    char *scratch = scratch_new();
    AUTO_FREE char *here = getcwd(NULL, 0);
    static const char *const folders[] = { NULL, "", "scratch" };
    for (size_t i = 0; i < COUNT_OF(folders); i++) {
        struct watched watched;
        use(&watched, NULL, NULL, NULL);
        watched.argv[0] = (char *)"pwd"; /* found in PATH */
        watched.argv[1] = (char *)"-P";
        watched.command.cwd = i == 2 ? scratch : (char *)folders[i];
        start(&watched);
        expect_exit(&watched, 0, 0);
        AUTO_FREE char *line = xasprintf("%s\n", i == 2 ? scratch : here);
        assert_string_equal(watched.output.data, line);
        finish(&watched);
    }
    scratch_free(scratch);
}

/* Joined into a line for a shell, arguments with quotes, semicolons and dollars arrive changed, or do something. */
static void a_shell_is_used_only_when_it_is_asked_for(void **state)
{
    (void)state;
    struct watched watched;
    for (int shell = 0; shell <= 1; shell++) {
        use(&watched, NULL, NULL, NULL);
        char *argv[] = { (char *)"printf", (char *)"%s|", (char *)"$((1+1));", (char *)"echo", (char *)"'a  b'", NULL };
        if (shell)
            argv[1] = (char *)"%s\\|";
        memcpy(watched.argv, argv, sizeof(argv));
        watched.command.shell = shell;
        start(&watched);
        expect_exit(&watched, 0, 0);
        assert_string_equal(watched.output.data, shell ? "2|a  b\n" : "$((1+1));|echo|'a  b'|");
        finish(&watched);
    }
}

static void expect_failure(struct watched *watched, const char *why)
{
    start(watched);
    run_until(watched, T_FAILED, "");
    assert_string_equal(watched->why, why);
    assert_int_equal(watched->seen, T_FAILED);
    assert_int_equal(terminal_descriptor(watched->terminal), -1);
    finish(watched);
}

static void says_why_it_did_not_start(void **state)
{
    (void)state;
    struct watched watched;
    use(&watched, NULL, NULL, NULL);
    watched.argv[0] = (char *)"/nonexistent/program";
    watched.argv[1] = NULL;
    expect_failure(&watched, "cannot execute /nonexistent/program: No such file or directory");
    use(&watched, "stay", NULL, NULL);
    watched.command.cwd = (char *)"/nonexistent";
    expect_failure(&watched, "cannot enter the folder /nonexistent: No such file or directory");
}

/* ---- the end ---- */

static void reports_the_signal_after_the_last_words(void **state)
{
    (void)state;
    struct watched watched;
    start_role(&watched, "abort", NULL);
    expect_exit(&watched, 0, SIGKILL);
    assert_string_equal(watched.output.data, "last words\n");
    finish(&watched);
}

static void control_c_interrupts(void **state)
{
    (void)state;
    struct watched watched;
    start_role(&watched, "stay", NULL);
    run_until(&watched, T_STARTED, "\n");
    type(&watched, "\x03");
    expect_exit(&watched, 0, SIGINT);
    finish(&watched);
}

static void kill_ends_what_ignores_term(void **state)
{
    (void)state;
    struct watched watched;
    start_role(&watched, "stubborn", NULL);
    run_until(&watched, T_STARTED, "\n");
    terminal_terminate(watched.terminal);
    terminal_kill(watched.terminal);
    expect_exit(&watched, 0, SIGKILL);
    finish(&watched);
}

/* A program that left its terminal's session holds the terminal open, though: it goes before the exit is told. */
static void what_the_program_left_behind_is_ended(void **state)
{
    (void)state;
    struct watched watched;
    start_role(&watched, "daemon", NULL);
    run_until(&watched, T_STARTED, "\n");
    int daemon = rig_open_pid(watched.output.data);
    type(&watched, "\n");
    expect_exit(&watched, 6, 0);
    assert_true(rig_has_ended(daemon, 0));
    close(daemon);
    finish(&watched);
}

static void free_kills(void **state)
{
    (void)state;
    struct watched watched;
    start_role(&watched, "stubborn", NULL);
    run_until(&watched, T_STARTED, "\n");
    int program = rig_open_pid(watched.output.data);
    finish(&watched);
    assert_true(rig_has_ended(program, LIMIT_MS));
    close(program);
}

static void may_be_freed_in_any_callback(void **state)
{
    (void)state;
    static const unsigned all[] = { T_STARTED, T_OUTPUT, T_EXIT };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        struct watched watched;
        use(&watched, "abort", NULL, NULL);
        watched.free_at = all[i];
        start(&watched);
        run_until(&watched, all[i], "");
        unsigned seen = watched.seen;
        uv_run(&rig_loop.uv, UV_RUN_NOWAIT);
        uv_run(&rig_loop.uv, UV_RUN_NOWAIT);
        assert_int_equal(watched.seen, seen);
        finish(&watched);
    }
    struct watched watched;
    use(&watched, "stay", NULL, NULL);
    watched.argv[0] = (char *)"/nonexistent/program";
    watched.free_at = T_FAILED;
    start(&watched);
    run_until(&watched, T_FAILED, "");
    finish(&watched);
}

/* ---- after the adapter ---- */

/* The debuggee often ends a moment after its adapter: a signal at once would replace its exit code. */
static void winding_up_leaves_time_for_an_end_of_its_own(void **state)
{
    (void)state;
    struct watched watched;
    start_role(&watched, "ends-itself", NULL);
    run_until(&watched, T_STARTED, "\n");
    terminal_wind_up(watched.terminal);
    kill(watched.pid, SIGUSR1);
    expect_exit(&watched, 3, 0);
    finish(&watched);
}

static void winding_up_ends_everything(void **state)
{
    (void)state;
    struct watched watched;
    start_role(&watched, "stay", NULL);
    run_until(&watched, T_STARTED, "\n");
    terminal_wind_up(watched.terminal);
    terminal_wind_up(watched.terminal);
    expect_exit(&watched, 0, SIGTERM);
    finish(&watched);

    start_role(&watched, "stubborn", NULL);
    run_until(&watched, T_STARTED, "\n");
    uint64_t begun = loop_now(&rig_loop);
    terminal_wind_up(watched.terminal);
    expect_exit(&watched, 0, SIGKILL);
    assert_true(loop_now(&rig_loop) - begun >= 2 * TERMINAL_FAREWELL_MS);
    terminal_wind_up(watched.terminal); /* it has ended */
    finish(&watched);
}

/* The role of a Dapple that will be killed: says what the program in its terminal says. */
static int role_dapple(char **args)
{
    (void)args;
    struct watched watched;
    loop_init(&rig_loop);
    start_role(&watched, "daemon", "stay");
    size_t shown = 0;
    while (uv_run(&rig_loop.uv, UV_RUN_ONCE) != 0) {
        rig_write(STDOUT_FILENO, watched.output.data + shown, watched.output.len - shown);
        shown = watched.output.len;
    }
    return 0;
}

/* Dapple dies of SIGKILL: the program in its terminal and a daemon of the program's are gone within a second. */
static void nothing_survives_the_sudden_death_of_dapple(void **state)
{
    (void)state;
    rig_check_sudden_death();
}

int main(int argc, char **argv)
{
    rig_begin(argc, argv, roles, COUNT_OF(roles));
    const struct CMUnitTest tests[] = {
        RIG_TEST(the_program_has_a_terminal_of_its_own),
        RIG_TEST(what_is_typed_arrives_and_is_echoed),
        RIG_TEST(tells_the_pid_of_the_program),
        RIG_TEST(the_size_can_be_set),
        RIG_TEST(carries_1_mb_of_output_in_order),
        RIG_TEST(a_program_may_come_back_to_its_terminal),
        RIG_TEST(typing_to_a_program_that_does_not_read_has_a_limit),
        RIG_TEST(changes_the_environment),
        RIG_TEST(an_empty_folder_is_ours),
        RIG_TEST(a_shell_is_used_only_when_it_is_asked_for),
        RIG_TEST(says_why_it_did_not_start),
        RIG_TEST(reports_the_signal_after_the_last_words),
        RIG_TEST(control_c_interrupts),
        RIG_TEST(kill_ends_what_ignores_term),
        RIG_TEST(what_the_program_left_behind_is_ended),
        RIG_TEST(free_kills),
        RIG_TEST(may_be_freed_in_any_callback),
        RIG_TEST(winding_up_leaves_time_for_an_end_of_its_own),
        RIG_TEST(winding_up_ends_everything),
        RIG_TEST(nothing_survives_the_sudden_death_of_dapple),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
