#include "adapter_rig.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/supervisor.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the roles ---- */

char rig_path[4096];

static int run_role(char **args, const struct rig_role *roles, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(args[0], roles[i].name) == 0)
            return roles[i].run(args + 1);
    return 99;
}

void rig_begin(int argc, char **argv, const struct rig_role *roles, size_t count)
{
    ssize_t len = readlink("/proc/self/exe", rig_path, sizeof(rig_path) - 1);
    if (len < 0)
        exit(1);
    rig_path[len] = '\0';
    if (argc > 1 && strcmp(argv[1], SUPERVISOR_ROLE) == 0)
        exit(supervisor_main(argc, argv));
    if (argc > 2 && strcmp(argv[1], "role") == 0)
        exit(run_role(argv + 2, roles, count));
}

void rig_write(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t written = write(fd, bytes, len);
        if (written <= 0)
            _exit(90);
        bytes += written;
        len -= (size_t)written;
    }
}

void rig_say(const char *format, ...)
{
    char line[256];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    rig_write(STDOUT_FILENO, line, (size_t)len);
}

_Noreturn void rig_stay(void)
{
    for (;;)
        pause();
}

int rig_echo(int in, int out)
{
    char bytes[65536];
    ssize_t got;
    while ((got = read(in, bytes, sizeof(bytes))) > 0)
        rig_write(out, bytes, (size_t)got);
    return 0;
}

/* ---- the process under test, recorded ---- */

struct loop rig_loop;

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

static void note_child(struct record *record, uint32_t channel, char letter)
{
    struct buffer *order = &record->children[channel].order;
    assert_int_equal(record->seen & (FAILED | EXIT), 0);
    if (order->len == 0 || order->data[order->len - 1] != letter)
        buffer_addc(order, letter);
    if (record->free_at & CHILD) {
        adapter_process_free(record->process);
        record->process = NULL;
    }
}

static void on_connected(void *user, uint32_t channel)
{
    if (channel != ADAPTER_ROOT) {
        note_child(user, channel, 'C');
        return;
    }
    note(user, CONNECTED, 'C');
}

static void on_start_failed(void *user, const struct error *why)
{
    struct record *record = user;
    xreplace(&record->why, why->message);
    note(record, FAILED, 'F');
}

static void on_bytes(void *user, uint32_t channel, const char *bytes, size_t len)
{
    struct record *record = user;
    if (channel != ADAPTER_ROOT) {
        buffer_append(&record->children[channel].bytes, bytes, len);
        note_child(record, channel, 'b');
        return;
    }
    assert_int_equal(buffer_append(&record->bytes, bytes, len), 0);
    note(record, BYTES, 'b');
}

static void on_stream_end(void *user, uint32_t channel, const char *why)
{
    struct record *record = user;
    if (channel != ADAPTER_ROOT) {
        note_child(record, channel, 'E');
        return;
    }
    xreplace(&record->why, why);
    note(record, STREAM_END, 'E');
}

static void on_open_failed(void *user, uint32_t channel, const struct error *why)
{
    struct record *record = user;
    xreplace(&record->why, why->message);
    note_child(record, channel, 'F');
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

const struct adapter_process_events rig_events = {
    on_connected, on_start_failed, on_open_failed, on_bytes, on_stream_end, on_stderr, on_stdout, on_exit_event,
};

static void begin_record(struct record *record)
{
    *record = (struct record){ .command = { .cwd = (char *)"/" } };
    buffer_init(&record->order, 4096);
    buffer_init(&record->bytes, 128u << 20);
    buffer_init(&record->err, 1u << 20);
    buffer_init(&record->out, 1u << 20);
    for (size_t i = 0; i < CHILDREN; i++) {
        buffer_init(&record->children[i].order, 4096);
        buffer_init(&record->children[i].bytes, 1u << 20);
    }
    record->command.argv = record->argv;
    record->command.env = record->env;
}

void rig_use_role(struct record *record, const char *role, const char *first, const char *second)
{
    begin_record(record);
    char *argv[] = { rig_path, (char *)"role", (char *)role, (char *)first, (char *)second, NULL };
    memcpy(record->argv, argv, sizeof(argv));
}

void rig_use_tcp(struct record *record, const char *host, uint16_t port)
{
    record->command.transport = SESSION_TCP;
    record->command.host = (char *)host;
    record->command.port = port;
}

void rig_start(struct record *record)
{
    record->process = adapter_process_start(&rig_loop, rig_path, &record->command, &rig_events, record);
    assert_int_equal(record->seen, 0); /* nothing is called from within */
}

void rig_start_role(struct record *record, const char *role, const char *first)
{
    rig_use_role(record, role, first, NULL);
    rig_start(record);
}

static void on_limit(uv_timer_t *timer)
{
    *(bool *)timer->data = true;
}

static void on_limit_closed(uv_handle_t *timer)
{
    timer->data = NULL;
}

void rig_run_until(struct record *record, rig_condition_fn condition, size_t number, const char *what)
{
    bool late = false;
    uv_timer_t limit;
    uv_timer_init(&rig_loop.uv, &limit);
    limit.data = &late;
    uv_timer_start(&limit, on_limit, LIMIT_MS, 0);
    while (!condition(record, number) && !late)
        uv_run(&rig_loop.uv, UV_RUN_ONCE);
    late = late && !condition(record, number);
    uv_close((uv_handle_t *)&limit, on_limit_closed);
    while (limit.data != NULL) /* it lives on this stack */
        uv_run(&rig_loop.uv, UV_RUN_NOWAIT);
    if (late)
        fail_msg("no %s within %d ms; order %s, stderr %s", what, LIMIT_MS, record->order.data, record->err.data);
}

bool rig_has_seen(const struct record *record, size_t number)
{
    return (record->seen & number) == number;
}

bool rig_has_bytes(const struct record *record, size_t number)
{
    return record->bytes.len >= number;
}

void rig_run_until_seen(struct record *record, unsigned wanted)
{
    rig_run_until(record, rig_has_seen, wanted, "event");
}

void rig_end(struct record *record)
{
    adapter_process_free(record->process);
    buffer_done(&record->order);
    buffer_done(&record->bytes);
    buffer_done(&record->err);
    buffer_done(&record->out);
    for (size_t i = 0; i < CHILDREN; i++) {
        buffer_done(&record->children[i].order);
        buffer_done(&record->children[i].bytes);
    }
    free(record->why);
}

void rig_expect_exit(struct record *record, int code, int signal)
{
    rig_run_until_seen(record, EXIT);
    assert_int_equal(record->code, code);
    assert_int_equal(record->signal, signal);
    assert_int_equal(record->seen & FAILED, 0);
}

void rig_send(struct record *record, const char *text)
{
    adapter_process_send(record->process, ADAPTER_ROOT, text, strlen(text));
}

int rig_open_pid(const char *text)
{
    int pid;
    assert_int_equal(sscanf(text, "pid %d", &pid), 1);
    int fd = (int)syscall(SYS_pidfd_open, pid, 0);
    assert_true(fd >= 0);
    return fd;
}

bool rig_has_ended(int pidfd, int limit)
{
    struct pollfd ended = { .fd = pidfd, .events = POLLIN };
    return poll(&ended, 1, limit) == 1;
}

static void read_pids(int fd, int pidfds[2])
{
    char text[256] = "";
    size_t len = 0;
    for (int lines = 0; lines < 2;) {
        struct pollfd readable = { .fd = fd, .events = POLLIN };
        assert_int_equal(poll(&readable, 1, LIMIT_MS), 1);
        assert_int_equal(read(fd, text + len, 1), 1);
        lines += text[len++] == '\n';
    }
    pidfds[0] = rig_open_pid(text);
    pidfds[1] = rig_open_pid(strchr(text, '\n') + 1);
}

void rig_check_sudden_death(void)
{
    int out[2], pidfds[2];
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    pid_t dapple = fork();
    if (dapple == 0) {
        dup2(out[1], STDOUT_FILENO);
        execl(rig_path, rig_path, "role", "dapple", NULL);
        _exit(99);
    }
    close(out[1]);
    read_pids(out[0], pidfds);
    kill(dapple, SIGKILL);
    waitpid(dapple, NULL, 0);
    for (size_t i = 0; i < 2; i++) {
        assert_true(rig_has_ended(pidfds[i], 1000));
        close(pidfds[i]);
    }
    close(out[0]);
}

int rig_setup(void **state)
{
    (void)state;
    return loop_init(&rig_loop);
}

int rig_teardown(void **state)
{
    (void)state;
    loop_done(&rig_loop);
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : -1;
}
