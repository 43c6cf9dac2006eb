/* Real processes under a real supervisor. The program is its own supervisor, its own adapter, and its own Dapple to kill (see the roles). */
#include "io/adapter_process.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/dial.h"
#include "io/loop.h"
#include "io/supervisor.h"
#include "session/session.h"

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
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT_MS 20000

static char self_path[4096];

/* ---- roles: what the adapter does ---- */

static void write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t written = write(fd, bytes, len);
        if (written <= 0)
            _exit(90);
        bytes += written;
        len -= (size_t)written;
    }
}

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    write_all(STDOUT_FILENO, line, (size_t)len);
}

static _Noreturn void stay(void)
{
    for (;;)
        pause();
}

static int echo(int in, int out)
{
    char bytes[65536];
    ssize_t got;
    while ((got = read(in, bytes, sizeof(bytes))) > 0)
        write_all(out, bytes, (size_t)got);
    return 0;
}

static int role_echo(char **args)
{
    (void)args;
    return echo(STDIN_FILENO, STDOUT_FILENO);
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
    return client < 0 ? 97 : echo(client, client);
}

static int role_serve(char **args)
{
    if (getenv("PORT") == NULL || strcmp(getenv("PORT"), args[0]) != 0)
        return 96;
    say("serving\n");
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
    say("pid %d\n", (int)getpid());
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
    write_all(fd, "x", 1);
    write_all(STDERR_FILENO, "bind: Address already in use\n", 29);
    return 1;
}

static int role_fail(char **args)
{
    write_all(STDERR_FILENO, "no such option\n", 15);
    return atoi(args[0]);
}

static int role_stay(char **args)
{
    (void)args;
    say("pid %d\n", (int)getpid());
    stay();
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
    write_all(STDERR_FILENO, bytes, 300000);
    write_all(STDOUT_FILENO, bytes, sizeof(bytes));
    write_all(STDERR_FILENO, bytes, 300000);
    return 9;
}

static int role_close_out(char **args)
{
    (void)args;
    say("bye\n");
    close(STDOUT_FILENO);
    stay();
}

static int role_close_in(char **args)
{
    (void)args;
    close(STDIN_FILENO);
    say("closed\n");
    stay();
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
        say("pid %d\n", (int)getpid());
        stay();
    }
    waitpid(middle, NULL, 0);
    if (args[0] && strcmp(args[0], "stay") == 0)
        role_stay(args);
    return echo(STDIN_FILENO, STDOUT_FILENO) + 4;
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

static int role_dapple(char **args);

static const struct {
    const char *name;
    int (*run)(char **args);
} roles[] = {
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

/* ---- the process under test, recorded ---- */

enum event { CONNECTED = 1, FAILED = 2, BYTES = 4, STREAM_END = 8, ERR = 16, OUT = 32, EXIT = 64 };

struct record {
    struct adapter_process *process;
    struct adapter_command command;
    char *argv[8];
    char *env[4];
    unsigned seen;
    struct buffer order; /* one letter per event; of equal ones in a row the first */
    struct buffer bytes, err, out;
    char *why; /* of the start failure or the stream's end */
    int code, signal;
    unsigned free_at; /* frees the process in that callback */
};

static struct loop loop;

static void note(struct record *record, enum event event, char letter)
{
    record->seen |= event;
    if (record->order.len == 0 || record->order.data[record->order.len - 1] != letter)
        buffer_addc(&record->order, letter);
    if (record->free_at & event) {
        adapter_process_free(record->process);
        record->process = NULL;
    }
}

static void on_connected(void *user)
{
    note(user, CONNECTED, 'C');
}

static void on_start_failed(void *user, const struct error *why)
{
    struct record *record = user;
    xreplace(&record->why, why->message);
    note(record, FAILED, 'F');
}

static void on_bytes(void *user, const char *bytes, size_t len)
{
    struct record *record = user;
    assert_int_equal(buffer_append(&record->bytes, bytes, len), 0);
    note(record, BYTES, 'b');
}

static void on_stream_end(void *user, const char *why)
{
    struct record *record = user;
    xreplace(&record->why, why);
    note(record, STREAM_END, 'E');
}

static void on_stderr(void *user, const char *bytes, size_t len)
{
    struct record *record = user;
    buffer_append(&record->err, bytes, len);
    note(record, ERR, 'e');
}

static void on_stdout(void *user, const char *bytes, size_t len)
{
    struct record *record = user;
    buffer_append(&record->out, bytes, len);
    note(record, OUT, 'o');
}

static void on_exit_event(void *user, int code, int signal)
{
    struct record *record = user;
    record->code = code;
    record->signal = signal;
    note(record, EXIT, 'X');
}

static const struct adapter_process_events events = {
    on_connected, on_start_failed, on_bytes, on_stream_end, on_stderr, on_stdout, on_exit_event,
};

static void begin_record(struct record *record)
{
    *record = (struct record){ .command = { .cwd = (char *)"/" } };
    buffer_init(&record->order, 4096);
    buffer_init(&record->bytes, 128u << 20);
    buffer_init(&record->err, 1u << 20);
    buffer_init(&record->out, 1u << 20);
    record->command.argv = record->argv;
    record->command.env = record->env;
}

static void use_role(struct record *record, const char *role, const char *first, const char *second)
{
    begin_record(record);
    char *argv[] = { self_path, (char *)"role", (char *)role, (char *)first, (char *)second, NULL };
    memcpy(record->argv, argv, sizeof(argv));
}

static void use_tcp(struct record *record, const char *host, uint16_t port)
{
    record->command.transport = SESSION_TCP;
    record->command.host = (char *)host;
    record->command.port = port;
}

static void start(struct record *record)
{
    record->process = adapter_process_start(&loop, self_path, &record->command, &events, record);
    assert_int_equal(record->seen, 0); /* nothing is called from within */
}

static void start_role(struct record *record, const char *role, const char *first)
{
    use_role(record, role, first, NULL);
    start(record);
}

static void on_limit(uv_timer_t *timer)
{
    *(bool *)timer->data = true;
}

static void on_limit_closed(uv_handle_t *timer)
{
    timer->data = NULL;
}

typedef bool (*condition_fn)(const struct record *record, size_t number);

static void run_until(struct record *record, condition_fn condition, size_t number, const char *what)
{
    bool late = false;
    uv_timer_t limit;
    uv_timer_init(&loop.uv, &limit);
    limit.data = &late;
    uv_timer_start(&limit, on_limit, LIMIT_MS, 0);
    while (!condition(record, number) && !late)
        uv_run(&loop.uv, UV_RUN_ONCE);
    late = late && !condition(record, number);
    uv_close((uv_handle_t *)&limit, on_limit_closed);
    while (limit.data != NULL) /* it lives on this stack */
        uv_run(&loop.uv, UV_RUN_NOWAIT);
    if (late)
        fail_msg("no %s within %d ms; order %s, stderr %s", what, LIMIT_MS, record->order.data, record->err.data);
}

static bool has_seen(const struct record *record, size_t number)
{
    return (record->seen & number) == number;
}

static bool has_bytes(const struct record *record, size_t number)
{
    return record->bytes.len >= number;
}

static void run_until_seen(struct record *record, unsigned wanted)
{
    run_until(record, has_seen, wanted, "event");
}

static void end_record(struct record *record)
{
    adapter_process_free(record->process);
    buffer_done(&record->order);
    buffer_done(&record->bytes);
    buffer_done(&record->err);
    buffer_done(&record->out);
    free(record->why);
}

static void expect_exit(struct record *record, int code, int signal)
{
    run_until_seen(record, EXIT);
    assert_int_equal(record->code, code);
    assert_int_equal(record->signal, signal);
    assert_int_equal(record->seen & FAILED, 0);
}

static void send_text(struct record *record, const char *text)
{
    adapter_process_send(record->process, text, strlen(text));
}

static int open_pid(const char *text)
{
    int pid;
    assert_int_equal(sscanf(text, "pid %d", &pid), 1);
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    assert_true(fd >= 0);
    return fd;
}

static bool has_ended(int pidfd, int limit)
{
    struct pollfd ended = { .fd = pidfd, .events = POLLIN };
    return poll(&ended, 1, limit) == 1;
}

static int begin(void **state)
{
    (void)state;
    return loop_init(&loop);
}

/* After each test: no child is left, not even as a zombie. */
static int end(void **state)
{
    (void)state;
    loop_done(&loop);
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : -1;
}

/* ---- stdio ---- */

static void talks_over_pipes(void **state)
{
    (void)state;
    struct record record;
    start_role(&record, "echo", NULL);
    run_until_seen(&record, CONNECTED);
    send_text(&record, "hello ");
    send_text(&record, "adapter");
    run_until(&record, has_bytes, 13, "echo");
    assert_string_equal(record.bytes.data, "hello adapter");
    adapter_process_close(record.process);
    expect_exit(&record, 0, 0);
    assert_string_equal(record.order.data, "CbEX");
    assert_null(record.why);
    end_record(&record);
}

/* "$PORT" means something only where there is one. */
static void leaves_port_marks_of_a_stdio_command_alone(void **state)
{
    (void)state;
    struct record record;
    use_role(&record, "echo", NULL, NULL);
    record.argv[0] = (char *)"/bin/echo";
    record.argv[1] = (char *)"$PORT";
    record.argv[2] = NULL;
    start(&record);
    expect_exit(&record, 0, 0);
    assert_string_equal(record.bytes.data, "$PORT\n");
    end_record(&record);
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
    run_until_seen(record, CONNECTED);
    adapter_process_send(record->process, bytes, len);
    adapter_process_close(record->process); /* what is queued goes out first */
    expect_exit(record, 0, 0);
    assert_int_equal(record->bytes.len, len);
    assert_memory_equal(record->bytes.data, bytes, len);
    end_record(record);
}

static void carries_64_mb_both_ways_over_pipes(void **state)
{
    (void)state;
    struct record record;
    start_role(&record, "echo", NULL);
    check_flood(&record);
}

static void carries_64_mb_both_ways_over_tcp(void **state)
{
    (void)state;
    struct record record;
    use_role(&record, "serve", "$PORT", NULL);
    use_tcp(&record, "127.0.0.1", 0);
    start(&record);
    check_flood(&record);
}

/* The exit is known before the pipes are read empty; it must wait for them. */
static void loses_no_last_words(void **state)
{
    (void)state;
    for (int i = 0; i < 10; i++) {
        struct record record;
        start_role(&record, "last-words", NULL);
        expect_exit(&record, 9, 0);
        assert_int_equal(record.bytes.len, 1 << 20);
        assert_int_equal(record.err.len, 600000);
        assert_int_equal(record.order.data[record.order.len - 1], 'X');
        assert_non_null(strchr(record.order.data, 'E'));
        end_record(&record);
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
    start_role(&record, "stay", NULL);
    run_until_seen(&record, CONNECTED | BYTES);
    const size_t len = 8u << 20;
    AUTO_FREE char *bytes = xcalloc(1, len);
    for (int i = 0; i < 4; i++)
        adapter_process_send(record.process, bytes, len);
    int ticks = 0;
    uv_timer_t timer;
    uv_timer_init(&loop.uv, &timer);
    timer.data = &ticks;
    uv_timer_start(&timer, on_tick, 1, 1);
    while (ticks < 5)
        uv_run(&loop.uv, UV_RUN_ONCE);
    assert_int_equal(record.seen, CONNECTED | BYTES);
    uv_close((uv_handle_t *)&timer, NULL);
    adapter_process_close(record.process); /* cannot take effect; must not prevent the rest */
    adapter_process_kill(record.process);
    expect_exit(&record, 0, SIGKILL);
    end_record(&record);
}

static void sees_an_adapter_that_hangs_up_but_lives(void **state)
{
    (void)state;
    struct record record;
    start_role(&record, "close-out", NULL);
    run_until_seen(&record, STREAM_END);
    assert_string_equal(record.order.data, "CbE");
    assert_string_equal(record.bytes.data, "bye\n");
    assert_null(record.why);
    adapter_process_terminate(record.process);
    expect_exit(&record, 0, SIGTERM);
    end_record(&record);
}

/* EPIPE is the adapter's end, not ours: no signal, no failed call, but the end of the stream with its reason. */
static void sees_an_adapter_that_takes_no_input(void **state)
{
    (void)state;
    struct record record;
    start_role(&record, "close-in", NULL);
    run_until(&record, has_bytes, 7, "line");
    send_text(&record, "is anybody there?");
    run_until_seen(&record, STREAM_END);
    assert_string_equal(record.why, "the adapter takes no more input: broken pipe");
    send_text(&record, "?");
    adapter_process_kill(record.process);
    expect_exit(&record, 0, SIGKILL);
    assert_string_equal(record.order.data, "CbEX");
    end_record(&record);
}

/* ---- the end of the tree ---- */

static void a_daemon_that_holds_the_pipes_does_not_hold_the_exit(void **state)
{
    (void)state;
    struct record record;
    start_role(&record, "daemon", NULL);
    run_until_seen(&record, CONNECTED | BYTES);
    int daemon = open_pid(record.bytes.data);
    adapter_process_close(record.process);
    expect_exit(&record, 4, 0);
    assert_true(has_ended(daemon, 0)); /* gone before the exit is told */
    assert_string_equal(record.order.data, "CbEX");
    close(daemon);
    end_record(&record);
}

static void kill_ends_what_ignores_term(void **state)
{
    (void)state;
    struct record record;
    start_role(&record, "stubborn", NULL);
    run_until_seen(&record, CONNECTED | BYTES);
    adapter_process_terminate(record.process);
    adapter_process_kill(record.process);
    expect_exit(&record, 0, SIGKILL);
    end_record(&record);
}

/* An order that comes before the adapter even runs. */
static void can_be_killed_at_once(void **state)
{
    (void)state;
    struct record record;
    start_role(&record, "stubborn", NULL);
    adapter_process_kill(record.process);
    expect_exit(&record, 0, SIGKILL);
    end_record(&record);
}

static void free_kills(void **state)
{
    (void)state;
    struct record record;
    start_role(&record, "stubborn", NULL);
    run_until_seen(&record, CONNECTED | BYTES);
    int adapter = open_pid(record.bytes.data);
    end_record(&record);
    assert_true(has_ended(adapter, LIMIT_MS));
    close(adapter);
}

static void may_be_freed_in_any_callback(void **state)
{
    (void)state;
    static const unsigned all[] = { CONNECTED, BYTES, STREAM_END, ERR, EXIT };
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        struct record record;
        use_role(&record, "last-words", NULL, NULL);
        record.free_at = all[i];
        start(&record);
        run_until_seen(&record, all[i]);
        uv_run(&loop.uv, UV_RUN_NOWAIT);
        unsigned seen = record.seen;
        uv_run(&loop.uv, UV_RUN_NOWAIT);
        assert_int_equal(record.seen, seen);
        end_record(&record);
    }
}

/* Two adapters at once: the second must not hold the pipes of the first, whose end would never be seen. */
static void adapters_do_not_inherit_from_each_other(void **state)
{
    (void)state;
    struct record first, second;
    start_role(&first, "echo", NULL);
    run_until_seen(&first, CONNECTED);
    start_role(&second, "files", NULL);
    expect_exit(&second, 0, 0);
    assert_string_equal(second.bytes.data, "listed\n");
    adapter_process_close(first.process);
    expect_exit(&first, 0, 0);
    end_record(&first);
    end_record(&second);
}

/* The role of a Dapple that will be killed: says what its adapter says. */
static int role_dapple(char **args)
{
    (void)args;
    struct record record;
    loop_init(&loop);
    start_role(&record, "daemon", "stay");
    size_t shown = 0;
    while (uv_run(&loop.uv, UV_RUN_ONCE) != 0) {
        write_all(STDOUT_FILENO, record.bytes.data + shown, record.bytes.len - shown);
        shown = record.bytes.len;
    }
    return 0;
}

static void read_pids(int fd, int pidfds[2])
{
    char text[256] = "";
    size_t len = 0;
    for (int lines = 0; lines < 2;) {
        struct pollfd readable = { .fd = fd, .events = POLLIN };
        assert_int_equal(poll(&readable, 1, LIMIT_MS), 1);
        ssize_t got = read(fd, text + len, 1);
        assert_int_equal(got, 1);
        lines += text[len++] == '\n';
    }
    pidfds[0] = open_pid(text);
    pidfds[1] = open_pid(strchr(text, '\n') + 1);
}

/* The proof that nothing is left behind: Dapple dies of SIGKILL, its adapter and a daemon of its adapter's are gone within a second. */
static void nothing_survives_the_sudden_death_of_dapple(void **state)
{
    (void)state;
    int out[2], pidfds[2];
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    pid_t dapple = fork();
    if (dapple == 0) {
        dup2(out[1], STDOUT_FILENO);
        execl(self_path, self_path, "role", "dapple", NULL);
        _exit(99);
    }
    close(out[1]);
    read_pids(out[0], pidfds);
    kill(dapple, SIGKILL);
    waitpid(dapple, NULL, 0);
    uint64_t died = loop_now(&loop);
    assert_true(has_ended(pidfds[0], 1000));
    assert_true(has_ended(pidfds[1], 1000));
    assert_true(loop_now(&loop) - died < 1000);
    close(pidfds[0]);
    close(pidfds[1]);
    close(out[0]);
}

/* ---- what does not start ---- */

static void expect_start_failure(struct record *record, const char *why)
{
    start(record);
    run_until_seen(record, FAILED);
    assert_string_equal(record->why, why);
    assert_string_equal(record->order.data, "F");
    end_record(record);
}

static void says_why_it_did_not_start(void **state)
{
    (void)state;
    struct record record;
    use_role(&record, "echo", NULL, NULL);
    record.argv[0] = (char *)"/nonexistent/adapter";
    expect_start_failure(&record, "cannot execute /nonexistent/adapter: No such file or directory");

    use_role(&record, "echo", NULL, NULL);
    record.argv[0] = (char *)"/etc/passwd";
    expect_start_failure(&record, "cannot execute /etc/passwd: Permission denied");

    use_role(&record, "echo", NULL, NULL);
    record.command.cwd = (char *)"/nonexistent";
    expect_start_failure(&record, "cannot enter the folder /nonexistent: No such file or directory");

    use_role(&record, "echo", NULL, NULL);
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
    write_all(fd, "#!/nonexistent/python\n", 22);
    fchmod(fd, 0700);
    close(fd);
    struct record record;
    use_role(&record, "echo", NULL, NULL);
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
    use_role(&record, "echo", NULL, NULL);
    record.process = adapter_process_start(&loop, "/nonexistent/dapple", &record.command, &events, &record);
    run_until_seen(&record, FAILED);
    assert_string_equal(record.why, "cannot start the supervisor /nonexistent/dapple: No such file or directory");
    end_record(&record);
}

static void may_be_freed_when_the_start_failed(void **state)
{
    (void)state;
    struct record record;
    use_role(&record, "echo", NULL, NULL);
    record.argv[0] = (char *)"/nonexistent/adapter";
    record.free_at = FAILED;
    expect_start_failure(&record, "cannot execute /nonexistent/adapter: No such file or directory");
}

/* ---- TCP ---- */

static void check_conversation(struct record *record)
{
    run_until_seen(record, CONNECTED);
    send_text(record, "hello adapter");
    run_until(record, has_bytes, 13, "echo");
    assert_string_equal(record->bytes.data, "hello adapter");
    adapter_process_close(record->process);
    expect_exit(record, 0, 0);
    assert_non_null(strstr(record->order.data, "EX"));
    end_record(record);
}

/* The role refuses to serve unless PORT and its argument agree. */
static void connects_to_a_port_that_it_chose(void **state)
{
    (void)state;
    struct record record;
    use_role(&record, "serve", "$PORT", NULL);
    use_tcp(&record, NULL, 0);
    record.env[0] = (char *)"PORT=1"; /* ours wins */
    start(&record);
    run_until_seen(&record, OUT);
    assert_string_equal(record.out.data, "serving\n");
    check_conversation(&record);
}

static void connects_to_a_fixed_port(void **state)
{
    (void)state;
    struct record record;
    char port[8];
    uint16_t number = dial_free_port();
    snprintf(port, sizeof(port), "%u", (unsigned)number);
    use_role(&record, "serve", port, NULL);
    use_tcp(&record, "127.0.0.1", number);
    start(&record);
    check_conversation(&record);
}

static void connects_by_a_name_that_must_be_looked_up(void **state)
{
    (void)state;
    struct record record;
    use_role(&record, "serve", "$PORT", NULL);
    use_tcp(&record, "127.1", 0);
    start(&record);
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
    use_role(&record, "serve-v6", "$PORT", NULL);
    use_tcp(&record, "localhost", 0);
    start(&record);
    check_conversation(&record);
    use_role(&record, "serve-v6", "$PORT", NULL);
    use_tcp(&record, "::1", 0);
    start(&record);
    check_conversation(&record);
}

static void waits_for_a_late_listener(void **state)
{
    (void)state;
    struct record record;
    use_role(&record, "serve-late", "$PORT", NULL);
    use_tcp(&record, "localhost", 0);
    start(&record);
    run_until_seen(&record, OUT);
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
    use_role(&record, "fail", "3", NULL);
    use_tcp(&record, "localhost", 0);
    start(&record);
    run_until_seen(&record, FAILED);
    assert_string_equal(record.err.data, "no such option\n");
    assert_string_equal(record.order.data, "eF"); /* its words come first */
    assert_non_null(strstr(record.why, "exited with code 3 before it accepted a connection on port "));
    end_record(&record);
}

static void an_adapter_that_never_listens_can_be_ended(void **state)
{
    (void)state;
    struct record record;
    use_role(&record, "stay", NULL, NULL);
    use_tcp(&record, "localhost", 0);
    start(&record);
    run_until_seen(&record, OUT);
    adapter_process_kill(record.process);
    expect_exit(&record, 0, SIGKILL);
    assert_string_equal(record.order.data, "oX");
    end_record(&record);

    use_role(&record, "stay", NULL, NULL);
    use_tcp(&record, "127.1", 0);
    record.free_at = OUT; /* in the middle of a look-up or an attempt */
    start(&record);
    run_until_seen(&record, OUT);
    end_record(&record);
}

/* Between our choice and the adapter's bind, another program may take the port. */
static void starts_again_when_the_chosen_port_was_taken(void **state)
{
    (void)state;
    char folder[] = "/tmp/dapple-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    AUTO_FREE char *mark = xasprintf("%s/started", folder);
    struct record record;
    use_role(&record, "serve-second", "$PORT", mark);
    use_tcp(&record, "127.0.0.1", 0);
    start(&record);
    check_conversation(&record);
    unlink(mark);

    use_role(&record, "always-taken", mark, NULL);
    use_tcp(&record, "127.0.0.1", 0);
    start(&record);
    run_until_seen(&record, FAILED);
    end_record(&record);
    struct stat info;
    assert_int_equal(stat(mark, &info), 0);
    assert_int_equal(info.st_size, 3);
    unlink(mark);

    /* A port that the user named is not ours to change. */
    use_role(&record, "always-taken", mark, NULL);
    use_tcp(&record, "127.0.0.1", dial_free_port());
    start(&record);
    run_until_seen(&record, FAILED);
    end_record(&record);
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
    use_role(&record, "stay", NULL, NULL);
    use_tcp(&record, host, 0);
    start(&record);
    run_until_seen(&record, FAILED);
    assert_int_equal(strncmp(record.why, "cannot find the host hhh", 24), 0);
    end_record(&record);
}

/* Trying a free port again and again on one machine, a socket can be given that very port, and TCP joins it to itself: connected, to
 * nobody, and the adapter cannot bind its port any more. */
static void notices_a_connection_to_itself(void **state)
{
    (void)state;
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
    address.sin_port = htons(dial_free_port());
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_true(dial_is_self_connected(fd));
    close(fd);
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    address.sin_port = htons(dial_free_port());
    assert_int_equal(bind(listener, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(listen(listener, 1), 0);
    fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_false(dial_is_self_connected(fd));
    close(fd);
    close(listener);
}

static int run_role(char **args)
{
    for (size_t i = 0; i < COUNT_OF(roles); i++)
        if (strcmp(args[0], roles[i].name) == 0)
            return roles[i].run(args + 1);
    return 99;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(int argc, char **argv)
{
    ssize_t len = readlink("/proc/self/exe", self_path, sizeof(self_path) - 1);
    if (len < 0)
        return 1;
    self_path[len] = '\0';
    if (argc > 1 && strcmp(argv[1], SUPERVISOR_ROLE) == 0)
        return supervisor_main(argc, argv);
    if (argc > 2 && strcmp(argv[1], "role") == 0)
        return run_role(argv + 2);
    const struct CMUnitTest tests[] = {
        TEST(talks_over_pipes),
        TEST(leaves_port_marks_of_a_stdio_command_alone),
        TEST(carries_64_mb_both_ways_over_pipes),
        TEST(carries_64_mb_both_ways_over_tcp),
        TEST(loses_no_last_words),
        TEST(goes_on_when_the_adapter_stops_reading),
        TEST(sees_an_adapter_that_hangs_up_but_lives),
        TEST(sees_an_adapter_that_takes_no_input),
        TEST(a_daemon_that_holds_the_pipes_does_not_hold_the_exit),
        TEST(kill_ends_what_ignores_term),
        TEST(can_be_killed_at_once),
        TEST(free_kills),
        TEST(may_be_freed_in_any_callback),
        TEST(adapters_do_not_inherit_from_each_other),
        TEST(nothing_survives_the_sudden_death_of_dapple),
        TEST(says_why_it_did_not_start),
        TEST(names_a_missing_interpreter),
        TEST(says_that_the_supervisor_is_missing),
        TEST(may_be_freed_when_the_start_failed),
        TEST(connects_to_a_port_that_it_chose),
        TEST(connects_to_a_fixed_port),
        TEST(connects_by_a_name_that_must_be_looked_up),
        TEST(localhost_may_be_ipv6_only),
        TEST(waits_for_a_late_listener),
        TEST(tells_of_an_adapter_that_exits_before_it_listens),
        TEST(an_adapter_that_never_listens_can_be_ended),
        TEST(starts_again_when_the_chosen_port_was_taken),
        TEST(tells_of_a_host_without_address),
        TEST(notices_a_connection_to_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
