/* Real processes under a real supervisor. The program is its own supervisor, its own adapter, and its own Dapple to kill (see the roles). */
#include "io/adapter_process.h"

#include "adapter_rig.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/dial.h"
#include "io/loop.h"
#include "io/port.h"
#include "io/supervisor.h"
#include "session/session.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- roles: what the adapter does ---- */

static int role_echo(char **args)
{
    (void)args;
    return rig_echo(STDIN_FILENO, STDOUT_FILENO);
}

/* Serves one client on the port, IPv4 or (v6) only ::1. */
static int serve(const char *port, bool v6)
{
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    struct sockaddr_in four = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    six.sin6_port = four.sin_port = htons((uint16_t)atoi(port));
    int listener = socket(v6 ? AF_INET6 : AF_INET, SOCK_STREAM, 0), on = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    int failed = v6 ? bind(listener, (struct sockaddr *)&six, sizeof(six)) : bind(listener, (struct sockaddr *)&four, sizeof(four));
    if (failed || listen(listener, 1) != 0) {
        perror("listen");
        return 98;
    }
    int client = accept(listener, NULL, NULL);
    return client < 0 ? 97 : rig_echo(client, client);
}

static int role_serve(char **args)
{
    if (getenv("PORT") == NULL || strcmp(getenv("PORT"), args[0]) != 0)
        return 96;
    rig_say("serving\n");
    return serve(args[0], false);
}

static int role_serve_v6(char **args)
{
    return serve(args[0], true);
}

/* Does not listen before it is told to. */
static int role_serve_late(char **args)
{
    sigset_t go;
    int number;
    sigemptyset(&go);
    sigaddset(&go, SIGUSR1);
    sigprocmask(SIG_BLOCK, &go, NULL);
    rig_say("pid %d\n", (int)getpid());
    sigwait(&go, &number);
    return serve(args[0], false);
}

/* The first start finds its port taken (the file that it leaves tells the second one). */
static int role_serve_second(char **args)
{
    int fd = open(args[1], O_CREAT | O_EXCL, 0600);
    if (fd < 0)
        return serve(args[0], false);
    fprintf(stderr, "Error: listen EADDRINUSE: address already in use 127.0.0.1:%s\n", args[0]);
    return 1;
}

static int role_always_taken(char **args)
{
    int fd = open(args[0], O_WRONLY | O_APPEND | O_CREAT, 0600);
    rig_write(fd, "x", 1);
    rig_write(STDERR_FILENO, "bind: Address already in use\n", 29);
    return 1;
}

static int role_fail(char **args)
{
    rig_write(STDERR_FILENO, "no such option\n", 15);
    return atoi(args[0]);
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
    return role_stay(args);
}

/* Says a lot on both, then is gone: nothing of it may be lost. */
static int role_last_words(char **args)
{
    static char bytes[1 << 20];
    (void)args;
    memset(bytes, 'w', sizeof(bytes));
    rig_write(STDERR_FILENO, bytes, 300000);
    rig_write(STDOUT_FILENO, bytes, sizeof(bytes));
    rig_write(STDERR_FILENO, bytes, 300000);
    return 9;
}

static int role_close_out(char **args)
{
    (void)args;
    rig_say("bye\n");
    close(STDOUT_FILENO);
    rig_stay();
}

static int role_close_in(char **args)
{
    (void)args;
    close(STDIN_FILENO);
    rig_say("closed\n");
    rig_stay();
}

/* Leaves a daemon that holds its stdout and stderr. */
static int role_daemon(char **args)
{
    pid_t middle = fork();
    if (middle == 0) {
        setsid();
        if (fork() != 0)
            _exit(0);
        signal(SIGTERM, SIG_IGN);
        rig_say("pid %d\n", (int)getpid());
        rig_stay();
    }
    waitpid(middle, NULL, 0);
    if (args[0] && strcmp(args[0], "stay") == 0)
        role_stay(args);
    return rig_echo(STDIN_FILENO, STDOUT_FILENO) + 4;
}

static int role_files(char **args)
{
    (void)args;
    for (int fd = 3; fd < 1024; fd++)
        if (fcntl(fd, F_GETFD) >= 0)
            rig_say("open %d\n", fd);
    rig_say("listed\n");
    return 0;
}

static int role_dapple(char **args);

static const struct rig_role roles[] = {
    { "echo", role_echo },
    { "serve", role_serve },
    { "serve-v6", role_serve_v6 },
    { "serve-late", role_serve_late },
    { "serve-second", role_serve_second },
    { "always-taken", role_always_taken },
    { "fail", role_fail },
    { "stay", role_stay },
    { "stubborn", role_stubborn },
    { "last-words", role_last_words },
    { "close-out", role_close_out },
    { "close-in", role_close_in },
    { "daemon", role_daemon },
    { "files", role_files },
    { "dapple", role_dapple },
};

/* ---- stdio ---- */

static void talks_over_pipes(void **state)
{
    (void)state;
    struct record record;
    rig_start_role(&record, "echo", NULL);
    rig_run_until_seen(&record, CONNECTED);
    rig_send(&record, "hello ");
    rig_send(&record, "adapter");
    rig_run_until(&record, rig_has_bytes, 13, "echo");
    assert_string_equal(record.bytes.data, "hello adapter");
    adapter_process_close(record.process, ADAPTER_ROOT);
    rig_expect_exit(&record, 0, 0);
    assert_string_equal(record.order.data, "CbEX");
    assert_null(record.why);
    rig_end(&record);
}

/* "$PORT" means something only where there is one. */
static void leaves_port_marks_of_a_stdio_command_alone(void **state)
{
    (void)state;
    struct record record;
    rig_use_role(&record, "echo", NULL, NULL);
    record.argv[0] = (char *)"/bin/echo";
    record.argv[1] = (char *)"$PORT";
    record.argv[2] = NULL;
    rig_start(&record);
    rig_expect_exit(&record, 0, 0);
    assert_string_equal(record.bytes.data, "$PORT\n");
    rig_end(&record);
}

static void fill(char *bytes, size_t len)
{
    uint32_t number = 1;
    for (size_t i = 0; i < len; i++) {
        number = number * 1664525u + 1013904223u;
        bytes[i] = (char)(number >> 24);
    }
}

static void check_flood(struct record *record)
{
    const size_t len = 64u << 20;
    AUTO_FREE char *bytes = xmalloc(len);
    fill(bytes, len);
    rig_run_until_seen(record, CONNECTED);
    adapter_process_send(record->process, ADAPTER_ROOT, bytes, len);
    adapter_process_close(record->process, ADAPTER_ROOT); /* what is queued goes out first */
    rig_expect_exit(record, 0, 0);
    assert_int_equal(record->bytes.len, len);
    assert_memory_equal(record->bytes.data, bytes, len);
    rig_end(record);
}

static void carries_64_mb_both_ways_over_pipes(void **state)
{
    (void)state;
    struct record record;
    rig_start_role(&record, "echo", NULL);
    check_flood(&record);
}

static void carries_64_mb_both_ways_over_tcp(void **state)
{
    (void)state;
    struct record record;
    rig_use_role(&record, "serve", "$PORT", NULL);
    rig_use_tcp(&record, "127.0.0.1", 0);
    rig_start(&record);
    check_flood(&record);
}

/* The exit is known before the pipes are read empty; it must wait for them. */
static void loses_no_last_words(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        struct record record;
        rig_start_role(&record, "last-words", NULL);
        rig_expect_exit(&record, 9, 0);
        assert_int_equal(record.bytes.len, 1 << 20);
        assert_int_equal(record.err.len, 600000);
        assert_int_equal(record.order.data[record.order.len - 1], 'X');
        assert_non_null(strchr(record.order.data, 'E'));
        rig_end(&record);
    }
}

static void on_tick(uv_timer_t *timer)
{
    ++*(int *)timer->data;
}

/* A full pipe blocked the whole of a client that wrote without a queue. */
static void goes_on_when_the_adapter_stops_reading(void **state)
{
    (void)state;
    struct record record;
    rig_start_role(&record, "stay", NULL);
    rig_run_until_seen(&record, CONNECTED | BYTES);
    const size_t len = 8u << 20;
    AUTO_FREE char *bytes = xcalloc(1, len);
    for (int i = 0; i < 4; i++)
        adapter_process_send(record.process, ADAPTER_ROOT, bytes, len);
    int ticks = 0;
    uv_timer_t timer;
    uv_timer_init(&rig_loop.uv, &timer);
    timer.data = &ticks;
    uv_timer_start(&timer, on_tick, 1, 1);
    while (ticks < 5)
        uv_run(&rig_loop.uv, UV_RUN_ONCE);
    assert_int_equal(record.seen, CONNECTED | BYTES);
    uv_close((uv_handle_t *)&timer, NULL);
    adapter_process_close(record.process, ADAPTER_ROOT); /* cannot take effect; must not prevent the rest */
    adapter_process_kill(record.process);
    rig_expect_exit(&record, 0, SIGKILL);
    rig_end(&record);
}

static void sees_an_adapter_that_hangs_up_but_lives(void **state)
{
    (void)state;
    struct record record;
    rig_start_role(&record, "close-out", NULL);
    rig_run_until_seen(&record, STREAM_END);
    assert_string_equal(record.order.data, "CbE");
    assert_string_equal(record.bytes.data, "bye\n");
    assert_null(record.why);
    adapter_process_terminate(record.process);
    rig_expect_exit(&record, 0, SIGTERM);
    rig_end(&record);
}

/* EPIPE is the adapter's end, not ours: no signal, no failed call, but the end of the stream with its reason. */
static void sees_an_adapter_that_takes_no_input(void **state)
{
    (void)state;
    struct record record;
    rig_start_role(&record, "close-in", NULL);
    rig_run_until(&record, rig_has_bytes, 7, "line");
    rig_send(&record, "is anybody there?");
    rig_run_until_seen(&record, STREAM_END);
    assert_string_equal(record.why, "the adapter takes no more input: broken pipe");
    rig_send(&record, "?");
    adapter_process_kill(record.process);
    rig_expect_exit(&record, 0, SIGKILL);
    assert_string_equal(record.order.data, "CbEX");
    rig_end(&record);
}

/* ---- the end of the tree ---- */

static void a_daemon_that_holds_the_pipes_does_not_hold_the_exit(void **state)
{
    (void)state;
    struct record record;
    rig_start_role(&record, "daemon", NULL);
    rig_run_until_seen(&record, CONNECTED | BYTES);
    int daemon = rig_open_pid(record.bytes.data);
    adapter_process_close(record.process, ADAPTER_ROOT);
    rig_expect_exit(&record, 4, 0);
    assert_true(rig_has_ended(daemon, 0)); /* gone before the exit is told */
    assert_string_equal(record.order.data, "CbEX");
    close(daemon);
    rig_end(&record);
}

static void kill_ends_what_ignores_term(void **state)
{
    (void)state;
    struct record record;
    rig_start_role(&record, "stubborn", NULL);
    rig_run_until_seen(&record, CONNECTED | BYTES);
    adapter_process_terminate(record.process);
    adapter_process_kill(record.process);
    rig_expect_exit(&record, 0, SIGKILL);
    rig_end(&record);
}

/* An order that comes before the adapter even runs. */
static void can_be_killed_at_once(void **state)
{
    (void)state;
    struct record record;
    rig_start_role(&record, "stubborn", NULL);
    adapter_process_kill(record.process);
    rig_expect_exit(&record, 0, SIGKILL);
    rig_end(&record);
}

/* Has the supervisor told something that nobody has read yet? */
static bool has_unread_report(void)
{
    for (int fd = 3; fd < 256; fd++) {
        struct stat file;
        int waiting = 0;
        if (fstat(fd, &file) == 0 && S_ISSOCK(file.st_mode) && ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 0)
            return true;
    }
    return false;
}

static pid_t parent_of(pid_t pid)
{
    char path[64], line[512] = "";
    int parent = 0;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    FILE *file = fopen(path, "r");
    if (file != NULL && fgets(line, sizeof(line), file) != NULL && strrchr(line, ')') != NULL)
        sscanf(strrchr(line, ')'), ") %*c %d", &parent);
    if (file != NULL)
        fclose(file);
    return (pid_t)parent;
}

/* The one child that we have. */
static pid_t find_supervisor(void)
{
    DIR *processes = opendir("/proc");
    assert_non_null(processes);
    pid_t found = 0;
    for (struct dirent *entry; (entry = readdir(processes)) != NULL;) {
        pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (pid > 0 && parent_of(pid) == getpid())
            found = pid;
    }
    closedir(processes);
    assert_true(found > 0);
    return found;
}

/* An order that the supervisor never reads turns the end of its stream into an error, and libuv stops to watch a descriptor with an error.
 * What had been told before was read then, the end was not: the session waited for good. */
static void an_unread_order_does_not_hide_the_end(void **state)
{
    (void)state;
    struct record record;
    rig_start_role(&record, "stubborn", NULL);
    for (int ms = 0; !has_unread_report(); ms++) {
        assert_true(ms < LIMIT_MS);
        poll(NULL, 0, 1);
    }
    pid_t supervisor = find_supervisor();
    kill(supervisor, SIGSTOP);
    adapter_process_terminate(record.process);
    kill(supervisor, SIGKILL);
    siginfo_t dead;
    assert_int_equal(waitid(P_PID, (id_t)supervisor, &dead, WEXITED | WNOWAIT), 0);
    rig_expect_exit(&record, 0, SIGKILL);
    rig_end(&record);
}

static void free_kills(void **state)
{
    (void)state;
    struct record record;
    rig_start_role(&record, "stubborn", NULL);
    rig_run_until_seen(&record, CONNECTED | BYTES);
    int adapter = rig_open_pid(record.bytes.data);
    rig_end(&record);
    assert_true(rig_has_ended(adapter, LIMIT_MS));
    close(adapter);
}

static void may_be_freed_in_any_callback(void **state)
{
    (void)state;
    static const unsigned all[] = { CONNECTED, BYTES, STREAM_END, ERR, EXIT };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        struct record record;
        rig_use_role(&record, "last-words", NULL, NULL);
        record.free_at = all[i];
        rig_start(&record);
        rig_run_until_seen(&record, all[i]);
        uv_run(&rig_loop.uv, UV_RUN_NOWAIT);
        unsigned seen = record.seen;
        uv_run(&rig_loop.uv, UV_RUN_NOWAIT);
        assert_int_equal(record.seen, seen);
        rig_end(&record);
    }
}

/* Two adapters at once: the second must not hold the pipes of the first, whose end would never be seen. */
static void adapters_do_not_inherit_from_each_other(void **state)
{
    (void)state;
    struct record first, second;
    rig_start_role(&first, "echo", NULL);
    rig_run_until_seen(&first, CONNECTED);
    rig_start_role(&second, "files", NULL);
    rig_expect_exit(&second, 0, 0);
    assert_string_equal(second.bytes.data, "listed\n");
    adapter_process_close(first.process, ADAPTER_ROOT);
    rig_expect_exit(&first, 0, 0);
    rig_end(&first);
    rig_end(&second);
}

/* The role of a Dapple that will be killed: says what its adapter says. */
static int role_dapple(char **args)
{
    (void)args;
    struct record record;
    loop_init(&rig_loop);
    rig_start_role(&record, "daemon", "stay");
    size_t shown = 0;
    while (uv_run(&rig_loop.uv, UV_RUN_ONCE) != 0) {
        rig_write(STDOUT_FILENO, record.bytes.data + shown, record.bytes.len - shown);
        shown = record.bytes.len;
    }
    return 0;
}

/* The proof that nothing is left behind: Dapple dies of SIGKILL, its adapter and a daemon of its adapter's are gone within a second. */
static void nothing_survives_the_sudden_death_of_dapple(void **state)
{
    (void)state;
    rig_check_sudden_death();
}

/* ---- what does not start ---- */

static void expect_start_failure(struct record *record, const char *why)
{
    rig_start(record);
    rig_run_until_seen(record, FAILED);
    assert_string_equal(record->why, why);
    assert_string_equal(record->order.data, "F");
    rig_end(record);
}

static void says_why_it_did_not_start(void **state)
{
    (void)state;
    struct record record;
    rig_use_role(&record, "echo", NULL, NULL);
    record.argv[0] = (char *)"/nonexistent/adapter";
    expect_start_failure(&record, "cannot execute /nonexistent/adapter: No such file or directory");

    rig_use_role(&record, "echo", NULL, NULL);
    record.argv[0] = (char *)"/etc/passwd";
    expect_start_failure(&record, "cannot execute /etc/passwd: Permission denied");

    rig_use_role(&record, "echo", NULL, NULL);
    record.command.cwd = (char *)"/nonexistent";
    expect_start_failure(&record, "cannot enter the folder /nonexistent: No such file or directory");

    rig_use_role(&record, "echo", NULL, NULL);
    AUTO_FREE char *huge = xcalloc(1, 200001);
    memset(huge, 'x', 200000);
    memcpy(huge, "HUGE=", 5);
    record.env[0] = huge;
    expect_start_failure(&record, "the environment variable HUGE is longer than 131072 bytes");
}

static void names_a_missing_interpreter(void **state)
{
    (void)state;
    char path[] = "/tmp/dapple-test-XXXXXX";
    int fd = mkstemp(path);
    rig_write(fd, "#!/nonexistent/python\n", 22);
    fchmod(fd, 0700);
    close(fd);
    struct record record;
    rig_use_role(&record, "echo", NULL, NULL);
    record.argv[0] = path;
    AUTO_FREE char *why = xasprintf("cannot execute %s: No such file or directory "
                                    "(the file is there, so the interpreter that it names is missing)",
                                    path);
    expect_start_failure(&record, why);
    unlink(path);
}

static void says_that_the_supervisor_is_missing(void **state)
{
    (void)state;
    struct record record;
    rig_use_role(&record, "echo", NULL, NULL);
    record.process = adapter_process_start(&rig_loop, "/nonexistent/dapple", &record.command, &rig_events, &record);
    rig_run_until_seen(&record, FAILED);
    assert_string_equal(record.why, "cannot start the supervisor /nonexistent/dapple: No such file or directory");
    rig_end(&record);
}

static void may_be_freed_when_the_start_failed(void **state)
{
    (void)state;
    struct record record;
    rig_use_role(&record, "echo", NULL, NULL);
    record.argv[0] = (char *)"/nonexistent/adapter";
    record.free_at = FAILED;
    expect_start_failure(&record, "cannot execute /nonexistent/adapter: No such file or directory");
}

/* ---- TCP ---- */

static void check_conversation(struct record *record)
{
    rig_run_until_seen(record, CONNECTED);
    rig_send(record, "hello adapter");
    rig_run_until(record, rig_has_bytes, 13, "echo");
    assert_string_equal(record->bytes.data, "hello adapter");
    adapter_process_close(record->process, ADAPTER_ROOT);
    rig_expect_exit(record, 0, 0);
    assert_non_null(strstr(record->order.data, "EX"));
    rig_end(record);
}

/* The role refuses to serve unless PORT and its argument agree. */
static void connects_to_a_port_that_it_chose(void **state)
{
    (void)state;
    struct record record;
    rig_use_role(&record, "serve", "$PORT", NULL);
    rig_use_tcp(&record, NULL, 0);
    record.env[0] = (char *)"PORT=1"; /* ours wins */
    rig_start(&record);
    rig_run_until_seen(&record, OUT);
    assert_string_equal(record.out.data, "serving\n");
    check_conversation(&record);
}

static void connects_to_a_fixed_port(void **state)
{
    (void)state;
    struct record record;
    char port[8];
    uint16_t number = port_find_free();
    snprintf(port, sizeof(port), "%u", (unsigned)number);
    rig_use_role(&record, "serve", port, NULL);
    rig_use_tcp(&record, "127.0.0.1", number);
    rig_start(&record);
    check_conversation(&record);
}

static void connects_by_a_name_that_must_be_looked_up(void **state)
{
    (void)state;
    struct record record;
    rig_use_role(&record, "serve", "$PORT", NULL);
    rig_use_tcp(&record, "127.1", 0);
    rig_start(&record);
    check_conversation(&record);
}

static void localhost_may_be_ipv6_only(void **state)
{
    (void)state;
    int probe = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in6 six = { .sin6_family = AF_INET6, .sin6_addr = IN6ADDR_LOOPBACK_INIT };
    bool possible = probe >= 0 && bind(probe, (struct sockaddr *)&six, sizeof(six)) == 0;
    close(probe);
    if (!possible)
        skip();
    struct record record;
    rig_use_role(&record, "serve-v6", "$PORT", NULL);
    rig_use_tcp(&record, "localhost", 0);
    rig_start(&record);
    check_conversation(&record);
    rig_use_role(&record, "serve-v6", "$PORT", NULL);
    rig_use_tcp(&record, "::1", 0);
    rig_start(&record);
    check_conversation(&record);
}

static void waits_for_a_late_listener(void **state)
{
    (void)state;
    struct record record;
    rig_use_role(&record, "serve-late", "$PORT", NULL);
    rig_use_tcp(&record, "localhost", 0);
    rig_start(&record);
    rig_run_until_seen(&record, OUT);
    assert_int_equal(record.seen & CONNECTED, 0);
    int pid;
    assert_int_equal(sscanf(record.out.data, "pid %d", &pid), 1);
    kill(pid, SIGUSR1);
    check_conversation(&record);
}

static void tells_of_an_adapter_that_exits_before_it_listens(void **state)
{
    (void)state;
    struct record record;
    rig_use_role(&record, "fail", "3", NULL);
    rig_use_tcp(&record, "localhost", 0);
    rig_start(&record);
    rig_run_until_seen(&record, FAILED);
    assert_string_equal(record.err.data, "no such option\n");
    assert_string_equal(record.order.data, "eF"); /* its words come first */
    assert_non_null(strstr(record.why, "exited with code 3 before it accepted a connection on port "));
    rig_end(&record);
}

static void an_adapter_that_never_listens_can_be_ended(void **state)
{
    (void)state;
    struct record record;
    rig_use_role(&record, "stay", NULL, NULL);
    rig_use_tcp(&record, "localhost", 0);
    rig_start(&record);
    rig_run_until_seen(&record, OUT);
    adapter_process_kill(record.process);
    rig_expect_exit(&record, 0, SIGKILL);
    assert_string_equal(record.order.data, "oX");
    rig_end(&record);

    rig_use_role(&record, "stay", NULL, NULL);
    rig_use_tcp(&record, "127.1", 0);
    record.free_at = OUT; /* in the middle of a look-up or an attempt */
    rig_start(&record);
    rig_run_until_seen(&record, OUT);
    rig_end(&record);
}

/* Between our choice and the adapter's bind, another program may take the port. */
static void starts_again_when_the_chosen_port_was_taken(void **state)
{
    (void)state;
    char folder[] = "/tmp/dapple-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    AUTO_FREE char *mark = xasprintf("%s/started", folder);
    struct record record;
    rig_use_role(&record, "serve-second", "$PORT", mark);
    rig_use_tcp(&record, "127.0.0.1", 0);
    rig_start(&record);
    check_conversation(&record);
    unlink(mark);

    rig_use_role(&record, "always-taken", mark, NULL);
    rig_use_tcp(&record, "127.0.0.1", 0);
    rig_start(&record);
    rig_run_until_seen(&record, FAILED);
    rig_end(&record);
    struct stat info;
    assert_int_equal(stat(mark, &info), 0);
    assert_int_equal(info.st_size, 3);
    unlink(mark);

    /* A port that the user named is not ours to change. */
    rig_use_role(&record, "always-taken", mark, NULL);
    rig_use_tcp(&record, "127.0.0.1", port_find_free());
    rig_start(&record);
    rig_run_until_seen(&record, FAILED);
    rig_end(&record);
    assert_int_equal(stat(mark, &info), 0);
    assert_int_equal(info.st_size, 1);
    unlink(mark);
    rmdir(folder);
}

static void tells_of_a_host_without_address(void **state)
{
    (void)state;
    char host[400];
    memset(host, 'h', sizeof(host) - 1);
    host[sizeof(host) - 1] = '\0';
    struct record record;
    rig_use_role(&record, "stay", NULL, NULL);
    rig_use_tcp(&record, host, 0);
    rig_start(&record);
    rig_run_until_seen(&record, FAILED);
    assert_int_equal(strncmp(record.why, "cannot find the host hhh", 24), 0);
    rig_end(&record);
}

/* Trying a free port again and again on one machine, a socket can be given that very port, and TCP joins it to itself: connected, to
 * nobody, and the adapter cannot bind its port any more. */
static void notices_a_connection_to_itself(void **state)
{
    (void)state;
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    address.sin_port = htons(port_find_free());
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_true(dial_is_self_connected(fd));
    close(fd);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_port = htons(port_find_free());
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(listener, 1), 0);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_false(dial_is_self_connected(fd));
    close(fd);
    close(listener);
}

int main(int argc, char **argv)
{
    rig_begin(argc, argv, roles, COUNT_OF(roles));
    const struct CMUnitTest tests[] = {
        RIG_TEST(talks_over_pipes),
        RIG_TEST(leaves_port_marks_of_a_stdio_command_alone),
        RIG_TEST(carries_64_mb_both_ways_over_pipes),
        RIG_TEST(carries_64_mb_both_ways_over_tcp),
        RIG_TEST(loses_no_last_words),
        RIG_TEST(goes_on_when_the_adapter_stops_reading),
        RIG_TEST(sees_an_adapter_that_hangs_up_but_lives),
        RIG_TEST(sees_an_adapter_that_takes_no_input),
        RIG_TEST(a_daemon_that_holds_the_pipes_does_not_hold_the_exit),
        RIG_TEST(kill_ends_what_ignores_term),
        RIG_TEST(can_be_killed_at_once),
        RIG_TEST(an_unread_order_does_not_hide_the_end),
        RIG_TEST(free_kills),
        RIG_TEST(may_be_freed_in_any_callback),
        RIG_TEST(adapters_do_not_inherit_from_each_other),
        RIG_TEST(nothing_survives_the_sudden_death_of_dapple),
        RIG_TEST(says_why_it_did_not_start),
        RIG_TEST(names_a_missing_interpreter),
        RIG_TEST(says_that_the_supervisor_is_missing),
        RIG_TEST(may_be_freed_when_the_start_failed),
        RIG_TEST(connects_to_a_port_that_it_chose),
        RIG_TEST(connects_to_a_fixed_port),
        RIG_TEST(connects_by_a_name_that_must_be_looked_up),
        RIG_TEST(localhost_may_be_ipv6_only),
        RIG_TEST(waits_for_a_late_listener),
        RIG_TEST(tells_of_an_adapter_that_exits_before_it_listens),
        RIG_TEST(an_adapter_that_never_listens_can_be_ended),
        RIG_TEST(starts_again_when_the_chosen_port_was_taken),
        RIG_TEST(tells_of_a_host_without_address),
        RIG_TEST(notices_a_connection_to_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
