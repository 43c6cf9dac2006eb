/* The supervisor as Dapple sees it: a control socket and pids. The program is its own supervisor and its own adapter (see the roles). */
#include "io/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
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
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT_MS 10000
#define MOST_PROCESSES 400

static char self_path[4096];

/* ---- roles: what the adapter does ---- */

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    (void)!write(STDOUT_FILENO, line, (size_t)len);
}

static _Noreturn void stay(void)
{
    for (;;)
        pause();
}

static _Noreturn void say_pid_and_stay(void)
{
    say("pid %d\n", (int)getpid());
    stay();
}

/* A child that left: own session, and its parent is gone. Ignores the polite signals. */
static void leave_a_daemon(void)
{
    pid_t middle = fork();
    if (middle == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        say_pid_and_stay();
    }
    waitpid(middle, NULL, 0);
}

static int role_exit(char **args)
{
    return atoi(args[0]);
}

static int role_abort(char **args)
{
    (void)args;
    signal(SIGABRT, SIG_DFL);
    raise(SIGKILL);
    return 0;
}

static int role_stay(char **args)
{
    (void)args;
    say_pid_and_stay();
}

static int role_daemon(char **args)
{
    leave_a_daemon();
    if (args[0]) {
        say("pid %d\n", (int)getpid());
        stay();
    }
    char byte;
    (void)!read(STDIN_FILENO, &byte, 1); /* the test has seen the daemon */
    return 5;
}

static void on_term(int number)
{
    (void)number;
    say("term\n");
}

static int role_stubborn(char **args)
{
    (void)args;
    signal(SIGTERM, on_term);
    say_pid_and_stay();
}

static void on_term_exit(int number)
{
    (void)number;
    _exit(3);
}

static int role_obliging(char **args)
{
    (void)args;
    signal(SIGTERM, on_term_exit);
    say_pid_and_stay();
}

static int role_stopped(char **args)
{
    (void)args;
    say("pid %d\n", (int)getpid());
    raise(SIGSTOP);
    stay();
}

static int role_tree(char **args)
{
    for (int depth = atoi(args[0]); depth > 0; depth--) {
        fork();
        signal(SIGTERM, SIG_IGN);
    }
    say_pid_and_stay();
}

/* Each generation lives for a moment only: its child goes on. */
static int role_run_away(char **args)
{
    (void)args;
    say("pid %d\n", (int)getpid());
    pid_t first = fork();
    if (first != 0)
        stay();
    signal(SIGTERM, SIG_IGN);
    say("running\n");
    for (;;)
        if (fork() > 0)
            _exit(0);
}

static int role_files(char **args)
{
    (void)args;
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            say("open %d\n", fd);
    say("listed\n");
    return 0;
}

static int role_signals(char **args)
{
    (void)args;
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    for (int number = 1; number < 32; number++) {
        struct sigaction action;
        if (sigismember(&blocked, number) == 1)
            say("blocked %d\n", number);
        /* Only ignoring outlives exec; a handler here is this program's own (a sanitizer's). */
        if (sigaction(number, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            say("ignored %d\n", number);
    }
    say("session %d\n", getsid(0) == getpid());
    say("listed\n");
    return 0;
}

static int role_environment(char **args)
{
    for (; *args; args++)
        say("%s=%s\n", *args, getenv(*args) ? getenv(*args) : "(none)");
    say("listed\n");
    return 0;
}

static int role_folder(char **args)
{
    (void)args;
    char folder[4096];
    say("folder %.200s\n", getcwd(folder, sizeof(folder)));
    return 0;
}

static int role_close_out(char **args)
{
    (void)args;
    say("pid %d\n", (int)getpid());
    close(STDOUT_FILENO);
    stay();
}

/* A debugger and its stopped debuggee. */
static int role_debugger(char **args)
{
    pid_t debuggee = fork();
    if (debuggee == 0) {
        ptrace(PTRACE_TRACEME, 0, NULL, NULL);
        say("pid %d\n", (int)getpid());
        raise(SIGSTOP);
        stay();
    }
    waitpid(debuggee, NULL, 0);
    if (strcmp(args[0], "exits") == 0) {
        char byte;
        return read(STDIN_FILENO, &byte, 1) == 1 ? 0 : 98; /* the test has seen the debuggee */
    }
    say_pid_and_stay();
}

static int role_attach(char **args)
{
    if (ptrace(PTRACE_SEIZE, atoi(args[0]), NULL, NULL) != 0)
        say("refused\n");
    say_pid_and_stay();
}

/* A debugger that lets go of its process when its input ends, and takes its time for it. */
static int role_lets_go(char **args)
{
    (void)args;
    char byte;
    say("here\n");
    while (read(STDIN_FILENO, &byte, 1) > 0)
        continue;
    usleep(50000);
    say("let go\n");
    return 0;
}

static const struct {
    const char *name;
    int (*run)(char **args);
} roles[] = {
    { "exit", role_exit },       { "abort", role_abort },         { "stay", role_stay },
    { "daemon", role_daemon },   { "stubborn", role_stubborn },   { "obliging", role_obliging },
    { "stopped", role_stopped }, { "tree", role_tree },           { "run-away", role_run_away },
    { "files", role_files },     { "signals", role_signals },     { "environment", role_environment },
    { "folder", role_folder },   { "close-out", role_close_out }, { "debugger", role_debugger },
    { "attach", role_attach },   { "lets-go", role_lets_go },
};

/* ---- the supervisor under test ---- */

struct text {
    int fd;
    char data[65536];
    size_t len;
};

struct fixture {
    pid_t pid;
    int in;
    struct text control, out;
    int processes[MOST_PROCESSES]; /* pidfds of what the roles reported */
    pid_t pids[MOST_PROCESSES];
    size_t count;
};

static uint64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

/* The end of a latch that the next supervisor gets; -1: none. */
static int latch_end = -1;

/* Where a fork was made with: what runs in the child before the supervisor does. */
typedef void (*prepare_fn)(void);

static void start(struct fixture *fixture, prepare_fn prepare, const char *cwd, const char *environment, size_t environment_len,
                  char *const *command)
{
    int control[2], in[2], out[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control), 0);
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    char *argv[32] = { self_path, SUPERVISOR_ROLE, latch_end >= 0 ? "3,4" : "3", (char *)cwd, "--" };
    for (size_t i = 0; command[i]; i++)
        argv[5 + i] = command[i];
    memset(fixture, 0, sizeof(*fixture));
    fixture->pid = fork();
    assert_true(fixture->pid >= 0);
    if (fixture->pid == 0) {
        if (prepare)
            prepare();
        dup2(in[0], 0);
        dup2(out[1], 1);
        int moved = fcntl(control[1], F_DUPFD, 100), latch = latch_end >= 0 ? fcntl(latch_end, F_DUPFD, 100) : -1;
        dup2(moved, 3);
        close(moved);
        if (latch >= 0) {
            dup2(latch, 4);
            close(latch);
        }
        execv(self_path, argv);
        _exit(99);
    }
    close(control[1]);
    close(in[0]);
    close(out[1]);
    fixture->in = in[1];
    fixture->control.fd = control[0];
    fixture->out.fd = out[0];
    assert_int_equal(send(control[0], environment, environment_len, MSG_NOSIGNAL), environment_len);
}

static void start_role(struct fixture *fixture, const char *role, const char *arg)
{
    char *command[] = { self_path, "role", (char *)role, (char *)arg, NULL };
    start(fixture, NULL, "/", "", 1, command);
}

/* The next line, or NULL at end of file. */
static const char *next_line(struct text *text)
{
    static char line[4096];
    char *end;
    uint64_t until = now_ms() + LIMIT_MS;
    while ((end = memchr(text->data, '\n', text->len)) == NULL) {
        uint64_t now = now_ms();
        struct pollfd readable = { .fd = text->fd, .events = POLLIN };
        if (now >= until || poll(&readable, 1, (int)(until - now)) == 0)
            fail_msg("no line within %d ms; unread: %.*s", LIMIT_MS, (int)text->len, text->data);
        ssize_t got = read(text->fd, text->data + text->len, sizeof(text->data) - text->len);
        if (got <= 0)
            return NULL;
        text->len += (size_t)got;
    }
    size_t len = (size_t)(end - text->data);
    memcpy(line, text->data, len);
    line[len] = '\0';
    text->len -= len + 1;
    memmove(text->data, end + 1, text->len);
    return line;
}

static void expect_line(struct text *text, const char *expected)
{
    const char *line = next_line(text);
    assert_non_null(line);
    assert_string_equal(line, expected);
}

static void expect_started(struct fixture *fixture)
{
    const char *line = next_line(&fixture->control);
    assert_non_null(line);
    assert_int_equal(strncmp(line, "STARTED ", 8), 0);
}

static void expect_processes(struct fixture *fixture, size_t count)
{
    while (fixture->count < count) {
        int pid;
        const char *line = next_line(&fixture->out);
        assert_non_null(line);
        assert_int_equal(sscanf(line, "pid %d", &pid), 1);
        fixture->pids[fixture->count] = pid;
        fixture->processes[fixture->count] = (int)syscall(SYS_pidfd_open, pid, 0);
        assert_true(fixture->processes[fixture->count] >= 0);
        fixture->count++;
    }
}

static bool ends_within(int pidfd, int limit)
{
    struct pollfd ended = { .fd = pidfd, .events = POLLIN };
    return poll(&ended, 1, limit) == 1;
}

static void expect_all_ended(struct fixture *fixture, int limit)
{
    uint64_t until = now_ms() + (uint64_t)limit;
    for (size_t i = 0; i < fixture->count; i++) {
        uint64_t now = now_ms();
        if (!ends_within(fixture->processes[i], now < until ? (int)(until - now) : 0))
            fail_msg("process %d of %d is alive", (int)i, (int)fixture->count);
        close(fixture->processes[i]);
    }
}

/* The supervisor has exited: nothing below it is left, not even a zombie. */
static void expect_nothing_left(struct fixture *fixture)
{
    assert_int_equal(waitpid(fixture->pid, NULL, 0), fixture->pid);
    for (size_t i = 0; i < fixture->count; i++)
        assert_true(kill(fixture->pids[i], 0) == -1 && errno == ESRCH);
}

static void close_fixture(struct fixture *fixture)
{
    close(fixture->in);
    close(fixture->out.fd);
    if (fixture->control.fd >= 0)
        close(fixture->control.fd);
}

static void tell(struct fixture *fixture, const char *line)
{
    assert_int_equal(send(fixture->control.fd, line, strlen(line), MSG_NOSIGNAL), strlen(line));
}

static void expect_gone(struct fixture *fixture)
{
    expect_line(&fixture->control, "GONE");
    expect_all_ended(fixture, LIMIT_MS);
    expect_nothing_left(fixture);
    close_fixture(fixture);
}

/* ---- how it ends ---- */

static struct fixture fixture;

static void reports_the_exit_code(void **state)
{
    (void)state;
    start_role(&fixture, "exit", "7");
    expect_started(&fixture);
    expect_line(&fixture.control, "EXIT 7 0");
    expect_gone(&fixture);
}

static void reports_the_signal(void **state)
{
    (void)state;
    start_role(&fixture, "abort", NULL);
    expect_started(&fixture);
    expect_line(&fixture.control, "EXIT 0 9");
    expect_gone(&fixture);
}

/* With nothing left of the tree there is nothing to wait for: the exit of a plain adapter is not held back by the grace. */
static void is_gone_at_once_when_nothing_is_left(void **state)
{
    (void)state;
    start_role(&fixture, "exit", "0");
    expect_started(&fixture);
    expect_line(&fixture.control, "EXIT 0 0");
    uint64_t exited = now_ms();
    expect_line(&fixture.control, "GONE");
    assert_true(now_ms() - exited < SUPERVISOR_GRACE_MS);
    expect_nothing_left(&fixture);
    close_fixture(&fixture);
}

/* js-debug and others leave their program behind when they exit. A daemon (own session, parent gone, SIGTERM ignored) is the worst. */
static void ends_what_the_adapter_left_behind(void **state)
{
    (void)state;
    start_role(&fixture, "daemon", NULL);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    assert_int_equal(write(fixture.in, "x", 1), 1);
    expect_line(&fixture.control, "EXIT 5 0");
    expect_gone(&fixture);
}

static void term_ends_an_obliging_adapter(void **state)
{
    (void)state;
    start_role(&fixture, "obliging", NULL);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    tell(&fixture, "TERM\n");
    expect_line(&fixture.control, "EXIT 3 0");
    expect_gone(&fixture);
}

static void term_ends_the_daemon_too(void **state)
{
    (void)state;
    start_role(&fixture, "daemon", "stay");
    expect_started(&fixture);
    expect_processes(&fixture, 2);
    tell(&fixture, "TERM\n");
    expect_line(&fixture.control, "EXIT 0 15");
    expect_gone(&fixture);
}

static void a_stubborn_adapter_survives_term_but_not_kill(void **state)
{
    (void)state;
    start_role(&fixture, "stubborn", NULL);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    tell(&fixture, "TERM\n");
    expect_line(&fixture.out, "term");
    tell(&fixture, "TERM\n"); /* it lives, so it hears this one, too */
    expect_line(&fixture.out, "term");
    tell(&fixture, "KILL\n");
    expect_line(&fixture.control, "EXIT 0 9");
    expect_gone(&fixture);
}

/* A stopped process does not see SIGTERM until it is continued. */
static void term_ends_a_stopped_adapter(void **state)
{
    (void)state;
    start_role(&fixture, "stopped", NULL);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    tell(&fixture, "TERM\n");
    expect_line(&fixture.control, "EXIT 0 15");
    expect_gone(&fixture);
}

static void kill_ends_the_daemon_too(void **state)
{
    (void)state;
    start_role(&fixture, "daemon", "stay");
    expect_started(&fixture);
    expect_processes(&fixture, 2);
    tell(&fixture, "KILL\n");
    expect_line(&fixture.control, "EXIT 0 9");
    expect_gone(&fixture);
}

/* Dapple was killed with SIGKILL: all that the supervisor sees is the end of its control socket. */
static void the_death_of_dapple_ends_everything_within_a_second(void **state)
{
    (void)state;
    start_role(&fixture, "daemon", "stay");
    expect_started(&fixture);
    expect_processes(&fixture, 2);
    close(fixture.control.fd);
    fixture.control.fd = -1;
    expect_all_ended(&fixture, 1000);
    expect_nothing_left(&fixture);
    close_fixture(&fixture);
}

/* 256 processes that all ignore SIGTERM; parents that die leave theirs to the supervisor while it kills. */
static void kills_a_big_tree(void **state)
{
    (void)state;
    start_role(&fixture, "tree", "8");
    expect_started(&fixture);
    expect_processes(&fixture, 256);
    tell(&fixture, "KILL\n");
    expect_line(&fixture.control, "EXIT 0 9");
    expect_gone(&fixture);
}

/* A process that is replaced by its child all the time is never where the last look saw it. */
static void catches_a_run_away(void **state)
{
    (void)state;
    start_role(&fixture, "run-away", NULL);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    expect_line(&fixture.out, "running");
    tell(&fixture, "KILL\n");
    expect_line(&fixture.control, "EXIT 0 9");
    expect_gone(&fixture);
}

static char state_of(pid_t pid)
{
    char path[64], text[512] = "", state = 0;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    ssize_t len = read(fd, text, sizeof(text) - 1);
    close(fd);
    const char *end = len > 0 ? strrchr(text, ')') : NULL;
    return end && sscanf(end + 1, " %c", &state) == 1 ? state : 0;
}

/* An adapter whose program stands still in a terminal lets it run on when it is killed. So it is stopped, and killed behind the program: when
 * nobody holds the latch any more, or when that takes too long. The same when Dapple died. */
static void an_adapter_is_held_until_the_latch_is_let_go(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        int latch[2];
        assert_int_equal(pipe2(latch, O_CLOEXEC), 0);
        latch_end = latch[0];
        start_role(&fixture, "stay", NULL);
        latch_end = -1;
        close(latch[0]);
        expect_started(&fixture);
        expect_processes(&fixture, 1);
        if (i == 2)
            shutdown(fixture.control.fd, SHUT_WR);
        else
            tell(&fixture, "KILL\n");
        char seen;
        while ((seen = state_of(fixture.pids[0])) != 'T') /* one that is killed at once is gone, and never seen like that */
            assert_true(seen != 0 && seen != 'Z');
        if (i > 0)
            close(latch[1]);
        if (i < 2)
            expect_line(&fixture.control, "EXIT 0 9");
        if (i < 2)
            expect_gone(&fixture);
        else {
            expect_all_ended(&fixture, LIMIT_MS);
            expect_nothing_left(&fixture);
            close_fixture(&fixture);
        }
        if (i == 0)
            close(latch[1]);
    }
}

/* An adapter that sees its connection end with Dapple lets its program run on. The supervisor holds it, and it ends when nothing is left. */
static void a_connection_ends_behind_the_adapter(void **state)
{
    (void)state;
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    start_role(&fixture, "stay", NULL);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    assert_int_equal(supervisor_hold(fixture.control.fd, pair[0]), 0);
    close(pair[0]);
    struct pollfd hang_up = { .fd = pair[1] };
    close(fixture.control.fd);
    fixture.control.fd = -1;
    assert_int_equal(poll(&hang_up, 1, LIMIT_MS), 1);
    expect_all_ended(&fixture, 0); /* by then */
    expect_nothing_left(&fixture);
    close_fixture(&fixture);
    close(pair[1]);
}

/* The other end: whoever has a program in a terminal holds the latch until that is killed, and does not itself wait for anybody. */
static void a_latch_is_held_until_the_program_is_killed(void **state)
{
    (void)state;
    int latch[2];
    assert_int_equal(pipe2(latch, O_CLOEXEC), 0);
    latch_end = latch[1];
    start_role(&fixture, "stay", NULL);
    latch_end = -1;
    close(latch[1]);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    struct pollfd hang_up = { .fd = latch[0] };
    assert_int_equal(poll(&hang_up, 1, 0), 0);
    tell(&fixture, "KILL\n");
    assert_int_equal(poll(&hang_up, 1, LIMIT_MS), 1);
    expect_line(&fixture.control, "EXIT 0 9");
    expect_gone(&fixture);
    close(latch[0]);
}

/* A debuggee that is stopped by its debugger is waited for by two: both have to be gone. */
static void kills_debugger_and_debuggee(void **state)
{
    (void)state;
    start_role(&fixture, "debugger", "stays");
    expect_started(&fixture);
    expect_processes(&fixture, 2);
    tell(&fixture, "KILL\n");
    expect_line(&fixture.control, "EXIT 0 9");
    expect_gone(&fixture);
}

static void ends_the_debuggee_of_a_debugger_that_exited(void **state)
{
    (void)state;
    start_role(&fixture, "debugger", "exits");
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    assert_int_equal(write(fixture.in, "x", 1), 1);
    expect_line(&fixture.control, "EXIT 0 0");
    expect_gone(&fixture);
}

static void an_attached_process_lives_on(void **state)
{
    (void)state;
    pid_t outsider = fork();
    if (outsider == 0)
        stay();
    char pid[16];
    snprintf(pid, sizeof(pid), "%d", (int)outsider);
    start_role(&fixture, "attach", pid);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    tell(&fixture, "KILL\n");
    expect_line(&fixture.control, "EXIT 0 9");
    expect_gone(&fixture);
    assert_int_equal(waitpid(outsider, NULL, WNOHANG), 0);
    kill(outsider, SIGKILL);
    waitpid(outsider, NULL, 0);
}

/* Dapple was killed while its adapter held a process that is not ours: killed along with it, the adapter left its breakpoints in the program's
 * code, and the program died of them. */
static void a_gentle_adapter_has_time_to_let_go(void **state)
{
    (void)state;
    start_role(&fixture, "lets-go", NULL);
    expect_started(&fixture);
    expect_line(&fixture.out, "here");
    tell(&fixture, "GENTLE\n");
    close(fixture.control.fd);
    fixture.control.fd = -1;
    close(fixture.in);
    fixture.in = open("/dev/null", O_RDONLY | O_CLOEXEC);
    expect_line(&fixture.out, "let go");
    expect_nothing_left(&fixture);
    close_fixture(&fixture);
}

/* One that does not leave by itself is ended all the same. */
static void gentleness_ends(void **state)
{
    (void)state;
    start_role(&fixture, "stay", NULL);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    tell(&fixture, "GENTLE\n");
    close(fixture.control.fd);
    fixture.control.fd = -1;
    expect_all_ended(&fixture, SUPERVISOR_GENTLE_MS + 2000);
    expect_nothing_left(&fixture);
    close_fixture(&fixture);
}

/* Ctrl-C, a closed terminal, a polite `kill`: none of them may end the one who cleans up. */
static void signals_do_not_end_the_supervisor(void **state)
{
    (void)state;
    start_role(&fixture, "stubborn", NULL);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGTSTP, SIGTTOU, SIGALRM };
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        kill(fixture.pid, signals[i]);
    tell(&fixture, "TERM\n");
    expect_line(&fixture.out, "term");
    tell(&fixture, "KILL\n");
    expect_line(&fixture.control, "EXIT 0 9");
    expect_gone(&fixture);
}

/* `pkill -9 dapple` ended Dapple and, bearing its name, all its supervisors: the programs being debugged were left to nobody. */
static void does_not_bear_the_name_of_dapple(void **state)
{
    (void)state;
    char path[64], name[32] = "";
    start_role(&fixture, "stay", NULL);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    snprintf(path, sizeof(path), "/proc/%d/comm", (int)fixture.pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(read(fd, name, sizeof(name) - 1) > 0);
    close(fd);
    assert_string_equal(name, "supervisor\n");
    tell(&fixture, "KILL\n");
    expect_line(&fixture.control, "EXIT 0 9");
    expect_gone(&fixture);
}

static void the_adapter_dies_with_a_killed_supervisor(void **state)
{
    (void)state;
    start_role(&fixture, "stubborn", NULL);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    kill(fixture.pid, SIGKILL);
    expect_all_ended(&fixture, LIMIT_MS);
    waitpid(fixture.pid, NULL, 0);
    close_fixture(&fixture);
}

/* Some sandboxes (gVisor, old kernels) have no pidfds. */
static void forbid_pidfds(void)
{
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_pidfd_open, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog filter = { sizeof(program) / sizeof(program[0]), program };
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
        _exit(98);
}

static void works_without_pidfds(void **state)
{
    (void)state;
    char *command[] = { self_path, "role", "tree", "5", NULL };
    start(&fixture, forbid_pidfds, "/", "", 1, command);
    expect_started(&fixture);
    expect_processes(&fixture, 32);
    tell(&fixture, "KILL\n");
    expect_line(&fixture.control, "EXIT 0 9");
    expect_gone(&fixture);
}

/* ---- how it starts ---- */

static void expect_failure(char *program, const char *cwd, int number, const char *step)
{
    char *command[] = { program, NULL };
    char expected[64];
    snprintf(expected, sizeof(expected), "FAILED %d %s", number, step);
    start(&fixture, NULL, cwd, "", 1, command);
    expect_line(&fixture.control, expected);
    expect_nothing_left(&fixture);
    close_fixture(&fixture);
}

static void says_why_it_did_not_start(void **state)
{
    (void)state;
    expect_failure("/nonexistent/adapter", "/", ENOENT, "execute");
    expect_failure("/etc/passwd", "/", EACCES, "execute");
    expect_failure("/", "/", EACCES, "execute");
    expect_failure(self_path, "/nonexistent", ENOENT, "folder");
    expect_failure(self_path, "/etc/passwd", ENOTDIR, "folder");
}

static void enters_the_folder(void **state)
{
    (void)state;
    char *command[] = { self_path, "role", "folder", NULL };
    start(&fixture, NULL, "/usr", "", 1, command);
    expect_line(&fixture.out, "folder /usr");
    expect_started(&fixture);
    expect_line(&fixture.control, "EXIT 0 0");
    expect_gone(&fixture);
}

static void leak_descriptors(void)
{
    int fd = open("/dev/null", O_RDONLY); /* not close-on-exec, as a careless host leaves its pipes */
    dup2(fd, 77);
    dup2(fd, 500);
}

/* A pipe of the MCP host or of another adapter that an adapter inherits never reads end of file. */
static void the_adapter_inherits_no_descriptor(void **state)
{
    (void)state;
    char *command[] = { self_path, "role", "files", NULL };
    start(&fixture, leak_descriptors, "/", "", 1, command);
    expect_line(&fixture.out, "listed");
    expect_started(&fixture);
    expect_line(&fixture.control, "EXIT 0 0");
    expect_gone(&fixture);
}

static void ignore_and_block(void)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN); /* with this inherited, no exit status would ever be seen */
    signal(SIGINT, SIG_IGN);
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
}

/* A latch that the adapter had would never be let go of. */
static void the_adapter_inherits_no_latch(void **state)
{
    (void)state;
    int latch[2];
    assert_int_equal(pipe2(latch, O_CLOEXEC), 0);
    for (int i = 0; i < 2; i++) {
        char *command[] = { self_path, "role", "files", NULL };
        latch_end = latch[i];
        start(&fixture, NULL, "/", "", 1, command);
        latch_end = -1;
        expect_line(&fixture.out, "listed");
        expect_started(&fixture);
        expect_line(&fixture.control, "EXIT 0 0");
        expect_gone(&fixture);
        close(latch[i]);
    }
}

static void the_adapter_gets_default_signals_and_a_session(void **state)
{
    (void)state;
    char *command[] = { self_path, "role", "signals", NULL };
    start(&fixture, ignore_and_block, "/", "", 1, command);
    expect_line(&fixture.out, "session 1");
    expect_line(&fixture.out, "listed");
    expect_started(&fixture);
    expect_line(&fixture.control, "EXIT 0 0");
    expect_gone(&fixture);
}

static void changes_the_environment(void **state)
{
    (void)state;
    setenv("REMOVED", "x", 1);
    setenv("KEPT", "kept", 1);
    setenv("CHANGED", "old", 1);
    char *command[] = { self_path, "role", "environment", "REMOVED", "KEPT", "CHANGED", "ADDED", "EMPTY", "ABSENT", NULL };
    const char changes[] = "REMOVED\0CHANGED=new\0ADDED=a=b c\0EMPTY=\0ABSENT\0";
    start(&fixture, NULL, "/", changes, sizeof(changes), command);
    const char *expected[] = { "REMOVED=(none)", "KEPT=kept", "CHANGED=new", "ADDED=a=b c", "EMPTY=", "ABSENT=(none)", "listed" };
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        expect_line(&fixture.out, expected[i]);
    expect_started(&fixture);
    expect_line(&fixture.control, "EXIT 0 0");
    expect_gone(&fixture);
}

/* End of file on its stdout is how we see that an adapter hung up; the supervisor may not keep the pipe open. */
static void a_closed_stdout_reads_end_of_file(void **state)
{
    (void)state;
    start_role(&fixture, "close-out", NULL);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    assert_null(next_line(&fixture.out));
    assert_false(ends_within(fixture.processes[0], 0));
    tell(&fixture, "KILL\n");
    expect_line(&fixture.control, "EXIT 0 9");
    expect_gone(&fixture);
}

/* Commands may arrive in pieces, together, or be unknown. */
static void reads_commands_in_any_pieces(void **state)
{
    (void)state;
    start_role(&fixture, "stubborn", NULL);
    expect_started(&fixture);
    expect_processes(&fixture, 1);
    tell(&fixture, "NONSENSE\nTE");
    tell(&fixture, "RM\n\nTER");
    expect_line(&fixture.out, "term");
    tell(&fixture, "M\nKILL\n");
    expect_line(&fixture.control, "EXIT 0 9");
    expect_gone(&fixture);
}

static int run_role(char **args)
{
    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
        if (strcmp(args[0], roles[i].name) == 0)
            return roles[i].run(args + 1);
    return 99;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], SUPERVISOR_ROLE) == 0)
        return supervisor_main(argc, argv);
    if (argc > 2 && strcmp(argv[1], "role") == 0)
        return run_role(argv + 2);
    signal(SIGPIPE, SIG_IGN);
    ssize_t len = readlink("/proc/self/exe", self_path, sizeof(self_path) - 1);
    if (len < 0)
        return 1;
    self_path[len] = '\0';
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reports_the_exit_code),
        cmocka_unit_test(reports_the_signal),
        cmocka_unit_test(is_gone_at_once_when_nothing_is_left),
        cmocka_unit_test(ends_what_the_adapter_left_behind),
        cmocka_unit_test(term_ends_an_obliging_adapter),
        cmocka_unit_test(term_ends_the_daemon_too),
        cmocka_unit_test(a_stubborn_adapter_survives_term_but_not_kill),
        cmocka_unit_test(term_ends_a_stopped_adapter),
        cmocka_unit_test(kill_ends_the_daemon_too),
        cmocka_unit_test(the_death_of_dapple_ends_everything_within_a_second),
        cmocka_unit_test(kills_a_big_tree),
        cmocka_unit_test(catches_a_run_away),
        cmocka_unit_test(an_adapter_is_held_until_the_latch_is_let_go),
        cmocka_unit_test(a_latch_is_held_until_the_program_is_killed),
        cmocka_unit_test(a_connection_ends_behind_the_adapter),
        cmocka_unit_test(kills_debugger_and_debuggee),
        cmocka_unit_test(ends_the_debuggee_of_a_debugger_that_exited),
        cmocka_unit_test(an_attached_process_lives_on),
        cmocka_unit_test(a_gentle_adapter_has_time_to_let_go),
        cmocka_unit_test(gentleness_ends),
        cmocka_unit_test(signals_do_not_end_the_supervisor),
        cmocka_unit_test(does_not_bear_the_name_of_dapple),
        cmocka_unit_test(the_adapter_dies_with_a_killed_supervisor),
        cmocka_unit_test(works_without_pidfds),
        cmocka_unit_test(says_why_it_did_not_start),
        cmocka_unit_test(enters_the_folder),
        cmocka_unit_test(the_adapter_inherits_no_descriptor),
        cmocka_unit_test(the_adapter_inherits_no_latch),
        cmocka_unit_test(the_adapter_gets_default_signals_and_a_session),
        cmocka_unit_test(changes_the_environment),
        cmocka_unit_test(a_closed_stdout_reads_end_of_file),
        cmocka_unit_test(reads_commands_in_any_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
