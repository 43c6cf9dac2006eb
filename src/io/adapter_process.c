#include "io/adapter_process.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/ring.h"
#include "io/dial.h"
#include "io/loop.h"
#include "io/stream.h"
#include "io/supervised.h"
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* How long the streams may stay open after the tree is gone (somebody outside it holds their other end), and how long an adapter
 * that takes no more bytes may go on sending its own. */
#define LINGER_MS 200
#define MOST_STARTS 3
#define TAIL_BYTES 4096

struct adapter_process {
    struct loop *loop;
    char *executable;
    const struct adapter_command *command;
    const struct adapter_process_events *events;
    void *user;

    struct supervised *supervised;
    struct stream *in, *out, *err; /* the adapter's standard streams */
    struct stream *socket;         /* TCP, once connected */
    struct dial *dial;
    uv_timer_t timer; /* for `linger`, or to report `failure` from the loop */

    uint16_t port;
    int starts;
    struct ring tail; /* what it said lately on stderr and, with TCP, on stdout */
    struct error failure;
    char *write_fault;
    bool connected, stream_ended, forced, gone, ended, freed;
    int code, signal;
};

static void start(struct adapter_process *process);
static void end_when_drained(struct adapter_process *process);

static bool uses_tcp(const struct adapter_process *process)
{
    return process->command->transport == SESSION_TCP;
}

static const char *tcp_host(const struct adapter_process *process)
{
    return process->command->host ? process->command->host : "localhost";
}

/* ---- the command, with the port filled in ---- */

static char *replace_port(const char *text, const char *port)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, SIZE_MAX);
    const char *mark;
    while ((mark = strstr(text, "$PORT")) != NULL) {
        buffer_append(&out, text, (size_t)(mark - text));
        buffer_add(&out, port);
        text = mark + strlen("$PORT");
    }
    buffer_add(&out, text);
    return buffer_take(&out, NULL);
}

static size_t count_strings(char *const *strings)
{
    size_t count = 0;
    while (strings && strings[count])
        count++;
    return count;
}

static void free_strings(char **strings)
{
    for (char **string = strings; string && *string; string++)
        free(*string);
    free(strings);
}

static char **final_arguments(const struct adapter_process *process)
{
    char port[8];
    snprintf(port, sizeof(port), "%u", (unsigned)process->port);
    size_t count = count_strings(process->command->argv);
    char **argv = xcalloc(count + 1, sizeof(*argv));
    for (size_t i = 0; i < count; i++) {
        const char *text = process->command->argv[i];
        argv[i] = uses_tcp(process) ? replace_port(text, port) : xstrdup(text);
    }
    return argv;
}

static char **final_environment(const struct adapter_process *process)
{
    size_t count = count_strings(process->command->env);
    char **env = xcalloc(count + 2, sizeof(*env));
    for (size_t i = 0; i < count; i++)
        env[i] = xstrdup(process->command->env[i]);
    if (uses_tcp(process))
        env[count] = xasprintf("PORT=%u", (unsigned)process->port);
    return env;
}

/* ---- the end ---- */

static void end_stream(struct adapter_process *process, const char *why)
{
    if (!process->connected || process->stream_ended)
        return;
    process->stream_ended = true;
    process->events->on_stream_end(process->user, why);
}

static void close_streams(struct adapter_process *process)
{
    struct stream **streams[] = { &process->in, &process->out, &process->err, &process->socket };
    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        stream_free(*streams[i]);
        *streams[i] = NULL;
    }
    dial_free(process->dial);
    process->dial = NULL;
    supervised_free(process->supervised);
    process->supervised = NULL;
}

static bool port_was_taken(const struct adapter_process *process)
{
    AUTO_FREE char *said = ring_tail(&process->tail, TAIL_BYTES, NULL);
    return strcasestr(said, "address already in use") || strcasestr(said, "EADDRINUSE") ||
           strcasestr(said, "port already in use") || strcasestr(said, "address in use");
}

static void describe_early_exit(struct adapter_process *process)
{
    const char *program = process->command->argv[0];
    if (process->signal)
        error_set(&process->failure, ERROR_EXIT, "%s was ended by signal %d (%s) before it accepted a connection on port %u",
                  program, process->signal, strsignal(process->signal), (unsigned)process->port);
    else
        error_set(&process->failure, ERROR_EXIT, "%s exited with code %d before it accepted a connection on port %u", program,
                  process->code, (unsigned)process->port);
}

static void report_end(struct adapter_process *process)
{
    process->ended = true;
    if (process->failure.kind != ERROR_NONE)
        process->events->on_start_failed(process->user, &process->failure);
    else
        process->events->on_exit(process->user, process->code, process->signal);
}

/* Nothing runs and nothing can be read any more. */
static void finish(struct adapter_process *process)
{
    bool never_ran = process->failure.kind != ERROR_NONE;
    bool early = !never_ran && !process->connected && !process->forced;
    uv_timer_stop(&process->timer);
    close_streams(process);
    if (early && process->command->port == 0 && process->starts < MOST_STARTS && port_was_taken(process)) {
        log_info("port %u was taken, starting %s again", (unsigned)process->port, process->command->argv[0]);
        start(process);
        return;
    }
    if (early)
        describe_early_exit(process);
    report_end(process);
}

static void on_timer(uv_timer_t *timer)
{
    struct adapter_process *process = timer->data;
    end_stream(process, process->write_fault);
    if (!process->freed && (process->gone || process->failure.kind != ERROR_NONE))
        finish(process);
}

static void end_when_drained(struct adapter_process *process)
{
    if (process->freed || !process->gone)
        return;
    if (!process->out && !process->err && !process->socket)
        finish(process);
    else
        uv_timer_start(&process->timer, on_timer, LINGER_MS, 0);
}

/* Once an adapter does not take what we write, the conversation is over; but what it said before may still be on its way. */
static void on_write_failed(void *user, const char *why)
{
    struct adapter_process *process = user;
    if (process->stream_ended || process->write_fault)
        return;
    process->write_fault = xasprintf("the adapter takes no more input: %s", why);
    if (!process->gone)
        uv_timer_start(&process->timer, on_timer, LINGER_MS, 0);
}

/* ---- streams ---- */

static void drop_stream(struct adapter_process *process, struct stream **stream)
{
    stream_free(*stream);
    *stream = NULL;
    end_when_drained(process);
}

static void on_protocol_bytes(void *user, const char *bytes, size_t len)
{
    struct adapter_process *process = user;
    if (!process->stream_ended)
        process->events->on_bytes(process->user, bytes, len);
}

static void on_out_bytes(void *user, const char *bytes, size_t len)
{
    struct adapter_process *process = user;
    ring_append(&process->tail, bytes, len);
    process->events->on_stdout(process->user, bytes, len);
}

static void on_err_bytes(void *user, const char *bytes, size_t len)
{
    struct adapter_process *process = user;
    ring_append(&process->tail, bytes, len);
    process->events->on_stderr(process->user, bytes, len);
}

static void on_protocol_out_end(void *user, const char *why)
{
    struct adapter_process *process = user;
    end_stream(process, why);
    if (!process->freed)
        drop_stream(process, &process->out);
}

static void on_socket_end(void *user, const char *why)
{
    struct adapter_process *process = user;
    end_stream(process, why);
    if (!process->freed)
        drop_stream(process, &process->socket);
}

static void on_out_end(void *user, const char *why)
{
    (void)why;
    struct adapter_process *process = user;
    drop_stream(process, &process->out);
}

static void on_err_end(void *user, const char *why)
{
    (void)why;
    struct adapter_process *process = user;
    drop_stream(process, &process->err);
}

static const struct stream_events in_events = { .on_write_failed = on_write_failed };
static const struct stream_events protocol_out_events = { on_protocol_bytes, on_protocol_out_end, NULL };
static const struct stream_events socket_events = { on_protocol_bytes, on_socket_end, on_write_failed };
static const struct stream_events out_events = { on_out_bytes, on_out_end, NULL };
static const struct stream_events err_events = { on_err_bytes, on_err_end, NULL };

/* ---- starting ---- */

static void on_dialed(void *user, struct stream *stream, const char *why)
{
    struct adapter_process *process = user;
    dial_free(process->dial);
    process->dial = NULL;
    if (!stream) {
        error_set(&process->failure, ERROR_TRANSPORT, "cannot find the host %s: %s", tcp_host(process), why);
        supervised_kill(process->supervised);
        return;
    }
    process->socket = stream;
    stream_listen(stream, &socket_events, process);
    process->connected = true;
    process->events->on_connected(process->user);
    if (!process->freed)
        stream_read(stream);
}

static void on_started(void *user)
{
    struct adapter_process *process = user;
    stream_read(process->err);
    if (uses_tcp(process)) {
        stream_read(process->out);
        process->dial = dial_start(process->loop, tcp_host(process), process->port, on_dialed, process);
        return;
    }
    process->connected = true;
    process->events->on_connected(process->user);
    if (!process->freed)
        stream_read(process->out);
}

static void on_failed(void *user, const struct error *why)
{
    struct adapter_process *process = user;
    error_set(&process->failure, why->kind, "%s", why->message);
    finish(process);
}

static void on_gone(void *user, int code, int signal)
{
    struct adapter_process *process = user;
    process->gone = true;
    process->code = code;
    process->signal = signal;
    dial_free(process->dial);
    process->dial = NULL;
    end_when_drained(process);
}

static const struct supervised_events supervised_events = { on_started, on_failed, on_gone };

enum { IN, OUT, ERR, STREAMS };

static int open_pipes(int pipes[STREAMS][2], struct error *ret_error)
{
    for (int i = 0; i < STREAMS; i++)
        if (pipe2(pipes[i], O_CLOEXEC) != 0) {
            error_set(ret_error, ERROR_SPAWN, "cannot make a pipe for the adapter: %s", strerror(errno));
            while (--i >= 0) {
                close(pipes[i][0]);
                close(pipes[i][1]);
            }
            return -1;
        }
    return 0;
}

/* Pipes, not socket pairs: an adapter may open /dev/stdout or /dev/stderr, which does not work with sockets. */
static void take_our_ends(struct adapter_process *process, int pipes[STREAMS][2])
{
    process->in = stream_of_pipe(process->loop, pipes[IN][1]);
    process->out = stream_of_pipe(process->loop, pipes[OUT][0]);
    process->err = stream_of_pipe(process->loop, pipes[ERR][0]);
    stream_listen(process->in, &in_events, process);
    stream_listen(process->out, uses_tcp(process) ? &out_events : &protocol_out_events, process);
    stream_listen(process->err, &err_events, process);
}

static int spawn(struct adapter_process *process, struct error *ret_error)
{
    int pipes[STREAMS][2];
    if (open_pipes(pipes, ret_error) != 0)
        return -1;
    char **argv = final_arguments(process);
    char **env = final_environment(process);
    const struct supervised_command command = {
        .argv = argv, .cwd = process->command->cwd, .env = env, .in = pipes[IN][0], .out = pipes[OUT][1], .err = pipes[ERR][1]
    };
    process->supervised = supervised_start(process->loop, process->executable, &command, &supervised_events, process, ret_error);
    free_strings(argv);
    free_strings(env);
    close(pipes[IN][0]);
    close(pipes[OUT][1]);
    close(pipes[ERR][1]);
    take_our_ends(process, pipes);
    return process->supervised ? 0 : -1;
}

static int choose_port(struct adapter_process *process, struct error *ret_error)
{
    process->port = process->command->port ? process->command->port : dial_free_port();
    return process->port ? 0 : error_set(ret_error, ERROR_SPAWN, "no TCP port is free for the adapter: %s", strerror(errno));
}

static void start(struct adapter_process *process)
{
    process->starts++;
    process->gone = false;
    ring_clear(&process->tail);
    if ((uses_tcp(process) && choose_port(process, &process->failure) != 0) || spawn(process, &process->failure) != 0)
        uv_timer_start(&process->timer, on_timer, 0, 0);
}

/* ---- the interface ---- */

struct adapter_process *adapter_process_start(struct loop *loop, const char *executable, const struct adapter_command *command,
                                              const struct adapter_process_events *events, void *user)
{
    struct adapter_process *process = xcalloc(1, sizeof(*process));
    process->loop = loop;
    process->executable = xstrdup(executable);
    process->command = command;
    process->events = events;
    process->user = user;
    ring_init(&process->tail, TAIL_BYTES);
    uv_timer_init(&loop->uv, &process->timer);
    process->timer.data = process;
    start(process);
    return process;
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct adapter_process *process = handle->data;
    error_clear(&process->failure);
    ring_done(&process->tail);
    free(process->write_fault);
    free(process->executable);
    free(process);
}

void adapter_process_free(struct adapter_process *process)
{
    if (!process || process->freed)
        return;
    process->freed = true;
    close_streams(process);
    uv_close((uv_handle_t *)&process->timer, on_timer_closed);
}

void adapter_process_send(struct adapter_process *process, const char *bytes, size_t len)
{
    struct stream *stream = uses_tcp(process) ? process->socket : process->in;
    if (stream && process->connected)
        stream_write(stream, bytes, len);
}

void adapter_process_close(struct adapter_process *process)
{
    if (process->socket)
        stream_end_writing(process->socket);
    if (process->in)
        stream_end_writing(process->in);
}

void adapter_process_terminate(struct adapter_process *process)
{
    process->forced = true;
    if (process->supervised)
        supervised_terminate(process->supervised);
}

void adapter_process_kill(struct adapter_process *process)
{
    process->forced = true;
    if (process->supervised)
        supervised_kill(process->supervised);
}

int adapter_process_descriptor(const struct adapter_process *process)
{
    return process->supervised ? supervised_descriptor(process->supervised) : -1;
}
