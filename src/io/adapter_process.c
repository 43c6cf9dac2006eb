#include "io/adapter_process.h"

#include "base/buffer.h"
#include "base/environment.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/ring.h"
#include "io/argument_list.h"
#include "io/dial.h"
#include "io/listener.h"
#include "io/listening_ports.h"
#include "io/loop.h"
#include "io/meeting.h"
#include "io/stream.h"
#include "io/supervised.h"
#include "io/wire.h"
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

/* How long the streams may stay open after the tree is gone (somebody outside it holds their other end). */
#define LINGER_MS 200
#define MOST_STARTS 3
#define MOST_PORTS 4 /* that are named when an adapter listens elsewhere */
#define TAIL_BYTES 4096

struct channel {
    struct adapter_process *process;
    uint32_t id;
    struct wire *wire;
    struct channel *next;
};

struct adapter_process {
    struct loop *loop;
    char *executable;
    char **environment; /* for another start, when the first failed */
    const struct adapter_command *command;
    const struct adapter_process_events *events;
    void *user;

    struct supervised *supervised;
    int latch;                     /* the writing end (supervisor.h); -1: let go */
    pid_t pid;                     /* of the adapter; 0 before it runs */
    struct stream *in, *out, *err; /* the adapter's standard streams, until they become the root's */
    struct channel root;
    struct channel *children;
    size_t child_count;
    uv_timer_t timer; /* for what lingers, or to report `failure` from the loop */

    struct meeting meeting;
    int starts;
    struct ring tail; /* what it said lately on stderr and, where that is not the protocol, on stdout */
    struct error failure;
    bool connected; /* the root was */
    bool forced, gone, ended, freed;
    int code, signal;
};

static void start(struct adapter_process *process);
static void end_when_drained(struct adapter_process *process);

static bool speaks_over_pipes(const struct adapter_process *process)
{
    return process->command->transport == SESSION_STDIO;
}

/* ---- channels ---- */

static struct channel *find_channel(struct adapter_process *process, uint32_t id)
{
    if (id == ADAPTER_ROOT)
        return &process->root;
    struct channel *channel = process->children;
    while (channel && channel->id != id)
        channel = channel->next;
    return channel;
}

static void drop_child(struct channel *channel)
{
    struct channel **slot = &channel->process->children;
    while (*slot != channel)
        slot = &(*slot)->next;
    *slot = channel->next;
    channel->process->child_count--;
    wire_free(channel->wire);
    free(channel);
}

static void on_bytes(void *user, const char *bytes, size_t len)
{
    struct channel *channel = user;
    channel->process->events->on_bytes(channel->process->user, channel->id, bytes, len);
}

static void on_child_open(void *user)
{
    struct channel *channel = user;
    channel->process->events->on_connected(channel->process->user, channel->id);
}

/* A child is dropped before its end is told, so that its id is free by then. */
static void on_child_failed(void *user, const char *why)
{
    struct channel *channel = user;
    struct adapter_process *process = channel->process;
    uint32_t id = channel->id;
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_TRANSPORT, "%s", why);
    drop_child(channel);
    process->events->on_open_failed(process->user, id, &error);
    end_when_drained(process);
}

static void on_child_end(void *user, const char *why)
{
    struct channel *channel = user;
    struct adapter_process *process = channel->process;
    uint32_t id = channel->id;
    AUTO_FREE char *kept = xstrdup(why);
    drop_child(channel);
    process->events->on_stream_end(process->user, id, kept);
    end_when_drained(process);
}

static void on_root_open(void *user)
{
    struct adapter_process *process = ((struct channel *)user)->process;
    process->connected = true;
    int socket = wire_socket(process->root.wire);
    if (socket >= 0 && process->supervised && !process->command->gentle)
        supervised_hold(process->supervised, socket);
    process->events->on_connected(process->user, ADAPTER_ROOT);
}

static void on_root_end(void *user, const char *why)
{
    struct adapter_process *process = ((struct channel *)user)->process;
    process->events->on_stream_end(process->user, ADAPTER_ROOT, why);
    process->gone = process->gone || process->command->transport == SESSION_CONNECT;
    end_when_drained(process);
}

static void finish(struct adapter_process *process);

static void release_latch(struct adapter_process *process)
{
    if (process->latch >= 0)
        close(process->latch);
    process->latch = -1;
}

static void kill_tree(struct adapter_process *process)
{
    release_latch(process);
    supervised_kill(process->supervised);
}

static void on_root_failed(void *user, const char *why)
{
    struct adapter_process *process = ((struct channel *)user)->process;
    error_set(&process->failure, ERROR_TRANSPORT, "%s", why);
    if (process->supervised)
        kill_tree(process);
    else
        finish(process);
}

static const struct wire_events child_events = { on_child_open, on_child_failed, on_bytes, on_child_end };
static const struct wire_events root_events = { on_root_open, on_root_failed, on_bytes, on_root_end };

static void dial_root(struct adapter_process *process)
{
    struct dial_place place;
    if (meeting_place(&process->meeting, &place))
        wire_dial(process->root.wire, &place, process->command->transport != SESSION_CONNECT);
}

/* ---- the end ---- */

/* The tree goes before its connections: an adapter that sees them end lets its program run on. */
static void close_all(struct adapter_process *process)
{
    release_latch(process);
    supervised_free(process->supervised);
    process->supervised = NULL;
    struct stream **streams[] = { &process->in, &process->out, &process->err };
    for (size_t i = 0; i < COUNT_OF(streams); i++) {
        stream_free(*streams[i]);
        *streams[i] = NULL;
    }
    while (process->children)
        drop_child(process->children);
    wire_free(process->root.wire);
    process->root.wire = NULL;
    meeting_done(&process->meeting);
}

static bool port_was_taken(const struct adapter_process *process)
{
    AUTO_FREE char *said = ring_tail(&process->tail, TAIL_BYTES, NULL);
    return strcasestr(said, "address already in use") || strcasestr(said, "EADDRINUSE") ||
           strcasestr(said, "port already in use") || strcasestr(said, "address in use");
}

static void describe_early_exit(struct adapter_process *process, const char *step)
{
    const char *program = process->command->argv[0];
    if (process->signal)
        error_set(&process->failure, ERROR_EXIT, "%s was ended by signal %d (%s) before it %s", program, process->signal,
                  strsignal(process->signal), step);
    else
        error_set(&process->failure, ERROR_EXIT, "%s exited with code %d before it %s", program, process->code, step);
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
    AUTO_FREE char *step = meeting_next_step(&process->meeting);
    uv_timer_stop(&process->timer);
    close_all(process);
    if (early && meeting_port_was_chosen(&process->meeting) && process->starts < MOST_STARTS && port_was_taken(process)) {
        log_info("port %u was taken, starting %s again", (unsigned)process->meeting.port, process->command->argv[0]);
        start(process);
        return;
    }
    if (early)
        describe_early_exit(process, step);
    report_end(process);
}

/* Each of these may free the process. */
static void hang_up_all(struct adapter_process *process)
{
    while (!process->freed && process->children)
        wire_hang_up(process->children->wire, "the adapter has ended");
    if (!process->freed && !process->ended && process->connected)
        wire_hang_up(process->root.wire, NULL);
}

static void on_timer(uv_timer_t *timer)
{
    struct adapter_process *process = timer->data;
    hang_up_all(process);
    if (!process->freed && !process->ended)
        finish(process);
}

static void end_when_drained(struct adapter_process *process)
{
    if (process->freed || process->ended || !process->gone)
        return;
    bool root_ended = !process->connected || wire_is_over(process->root.wire);
    if (!process->out && !process->err && root_ended && !process->children)
        finish(process);
    else if (!uv_is_active((uv_handle_t *)&process->timer))
        uv_timer_start(&process->timer, on_timer, LINGER_MS, 0);
}

/* ---- what it prints ---- */

static void hear(struct adapter_process *process, enum meeting_stream stream, const char *bytes, size_t len)
{
    if (meeting_hear(&process->meeting, stream, bytes, len) && !process->gone)
        dial_root(process);
}

static void on_out_bytes(void *user, const char *bytes, size_t len)
{
    struct adapter_process *process = user;
    ring_append(&process->tail, bytes, len);
    process->events->on_stdout(process->user, bytes, len);
    if (!process->freed)
        hear(process, MEETING_OUT, bytes, len);
}

static void on_err_bytes(void *user, const char *bytes, size_t len)
{
    struct adapter_process *process = user;
    ring_append(&process->tail, bytes, len);
    process->events->on_stderr(process->user, bytes, len);
    if (!process->freed)
        hear(process, MEETING_ERR, bytes, len);
}

static void drop_stream(struct adapter_process *process, struct stream **stream)
{
    stream_free(*stream);
    *stream = NULL;
    end_when_drained(process);
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

static const struct stream_events out_events = { on_out_bytes, on_out_end, NULL };
static const struct stream_events err_events = { on_err_bytes, on_err_end, NULL };

/* ---- starting ---- */

static void adopt_pipes(struct adapter_process *process)
{
    struct stream *in = process->in, *out = process->out;
    process->in = process->out = NULL;
    wire_adopt(process->root.wire, in, out);
}

static void on_accepted(void *user, struct stream *stream)
{
    struct adapter_process *process = user;
    wire_adopt(process->root.wire, stream, stream);
}

static void on_started(void *user, pid_t pid)
{
    struct adapter_process *process = user;
    process->pid = pid;
    stream_read(process->err);
    if (speaks_over_pipes(process)) {
        adopt_pipes(process);
        return;
    }
    stream_read(process->out);
    if (meeting_may_dial(&process->meeting))
        dial_root(process);
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
    if (!process->connected) { /* nobody is there to connect to */
        listener_free(process->meeting.listener);
        process->meeting.listener = NULL;
        wire_free(process->root.wire);
        process->root.wire = NULL;
    }
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
    stream_listen(process->out, &out_events, process);
    stream_listen(process->err, &err_events, process);
}

static int spawn(struct adapter_process *process, struct error *ret_error)
{
    int pipes[STREAMS][2], latch[2];
    if (open_pipes(pipes, ret_error) != 0)
        return -1;
    if (pipe2(latch, O_CLOEXEC) != 0)
        latch[0] = latch[1] = -1; /* it goes without */
    process->latch = latch[1];
    char **argv = meeting_arguments(&process->meeting);
    char **env = meeting_environment(&process->meeting);
    const struct supervised_command command = { .argv = argv,
                                                .cwd = process->command->cwd,
                                                .env = env,
                                                .socket = process->meeting.socket_path,
                                                .gentle = process->command->gentle,
                                                .latch = latch[0],
                                                .in = pipes[IN][0],
                                                .out = pipes[OUT][1],
                                                .err = pipes[ERR][1] };
    process->supervised = supervised_start(process->loop, process->executable, &command, &supervised_events, process, ret_error);
    argument_list_free(argv);
    argument_list_free(env);
    close(pipes[IN][0]);
    close(pipes[OUT][1]);
    close(pipes[ERR][1]);
    if (latch[0] >= 0)
        close(latch[0]);
    take_our_ends(process, pipes);
    return process->supervised ? 0 : -1;
}

static int begin(struct adapter_process *process, struct error *ret_error)
{
    if (meeting_arrange(&process->meeting, process->loop, process->command, on_accepted, process, ret_error) != 0)
        return -1;
    if (process->command->transport != SESSION_CONNECT)
        return spawn(process, ret_error);
    dial_root(process);
    return 0;
}

static void start(struct adapter_process *process)
{
    process->starts++;
    process->gone = false;
    process->pid = 0;
    process->latch = -1;
    ring_clear(&process->tail);
    process->root = (struct channel){ .process = process, .id = ADAPTER_ROOT };
    process->root.wire = wire_new(process->loop, &root_events, &process->root);
    char **before = environment_use(process->environment);
    int begun = begin(process, &process->failure);
    environment_use(before);
    if (begun != 0)
        uv_timer_start(&process->timer, on_timer, 0, 0);
}

/* ---- the interface ---- */

struct adapter_process *adapter_process_start(struct loop *loop, const char *executable, const struct adapter_command *command,
                                              const struct adapter_process_events *events, void *user)
{
    struct adapter_process *process = xcalloc(1, sizeof(*process));
    process->loop = loop;
    process->executable = xstrdup(executable);
    process->environment = environment_in_use();
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
    free(process->executable);
    free(process);
}

void adapter_process_free(struct adapter_process *process)
{
    if (!process || process->freed)
        return;
    process->freed = true;
    close_all(process);
    uv_close((uv_handle_t *)&process->timer, on_timer_closed);
}

void adapter_process_open(struct adapter_process *process, uint32_t channel, const char *host, uint16_t port)
{
    struct channel *child = xcalloc(1, sizeof(*child));
    *child = (struct channel){ .process = process, .id = channel, .next = process->children };
    child->wire = wire_new(process->loop, &child_events, child);
    process->children = child;
    process->child_count++;
    struct dial_place place = { .host = host, .port = port };
    if (process->child_count > LIMIT_CHANNELS)
        wire_fail(child->wire, "this adapter has too many connections already");
    else if (!host && !meeting_place(&process->meeting, &place))
        wire_fail(child->wire, "this adapter has no server for further connections");
    else
        wire_dial(child->wire, &place, false);
}

void adapter_process_send(struct adapter_process *process, uint32_t channel, const char *bytes, size_t len)
{
    struct channel *found = find_channel(process, channel);
    if (found && found->wire)
        wire_send(found->wire, bytes, len);
}

void adapter_process_close(struct adapter_process *process, uint32_t channel)
{
    struct channel *found = find_channel(process, channel);
    if (!found)
        return;
    if (channel != ADAPTER_ROOT && !wire_is_open(found->wire)) {
        drop_child(found);
        return;
    }
    if (found->wire)
        wire_close(found->wire);
    if (channel == ADAPTER_ROOT && process->in)
        stream_end_writing(process->in);
}

/* Where no process is ours, the connection is all that there is to end. */
static bool hang_up_soon(struct adapter_process *process)
{
    process->forced = true;
    if (process->command->transport != SESSION_CONNECT || process->gone)
        return false;
    process->gone = true;
    uv_timer_start(&process->timer, on_timer, 0, 0);
    return true;
}

void adapter_process_terminate(struct adapter_process *process)
{
    if (!hang_up_soon(process) && process->supervised)
        supervised_terminate(process->supervised);
}

void adapter_process_kill(struct adapter_process *process)
{
    if (!hang_up_soon(process) && process->supervised)
        kill_tree(process);
}

/* The ports as text: "port 1", "ports 1, 2". */
static char *list_ports(const uint16_t *ports, size_t count)
{
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, SIZE_MAX);
    buffer_add(&text, count == 1 ? "port " : "ports ");
    for (size_t i = 0; i < count; i++)
        buffer_addf(&text, "%s%u", i > 0 ? ", " : "", (unsigned)ports[i]);
    return buffer_take(&text, NULL);
}

char *adapter_process_explain_wait(const struct adapter_process *process)
{
    if (process->connected || process->gone || process->pid == 0)
        return NULL;
    AUTO_FREE char *step = meeting_next_step(&process->meeting);
    uint16_t ports[MOST_PORTS];
    size_t count = listening_ports(process->pid, ports, COUNT_OF(ports));
    if (count == 0)
        return xasprintf("the adapter has not %s", step);
    AUTO_FREE char *list = list_ports(ports, count);
    return xasprintf("the adapter has not %s, but listens on %s", step, list);
}

bool adapter_process_is_gentle(const struct adapter_process *process)
{
    return process->command->gentle;
}

int adapter_process_latch(const struct adapter_process *process)
{
    return process->latch;
}

int adapter_process_descriptor(const struct adapter_process *process)
{
    return process->supervised ? supervised_descriptor(process->supervised) : -1;
}
