#include "io/session_host.h"

#include "base/environment.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/adapter_process.h"
#include "io/loop.h"
#include "io/terminal.h"
#include "session/session.h"

#include <poll.h>
#include <stdlib.h>

#define KILL_ALL_MS 200

struct session_host {
    struct loop *loop;
    char *executable;
    struct hosted *sessions;
};

/* A program in a terminal, under the id that the session gave it. */
struct hosted_terminal {
    struct hosted *hosted;
    uint32_t id;
    struct terminal *terminal;
    struct hosted_terminal *next;
};

/* A session with its process and its terminals; the `host` that the session's operations get. */
struct hosted {
    struct session_host *host;
    struct session *session;
    char **environment;              /* of what is started; NULL: Dapple's own */
    struct adapter_process *process; /* NULL: nothing runs */
    struct hosted_terminal *terminals;
    bool adapter_exited; /* to be told to the session when its terminals have ended, too */
    int code, signal;    /* of the adapter's exit */
    struct loop_timed timed;
    struct hosted *next;
};

/* ---- from the process to the session ---- */

static struct session *session_now(struct hosted *hosted)
{
    session_on_time(hosted->session, loop_now(hosted->host->loop));
    return hosted->session;
}

/* Before the session hears of the end, since it may start the next adapter from there. */
static void drop_process(struct hosted *hosted)
{
    adapter_process_free(hosted->process);
    hosted->process = NULL;
}

static void on_connected(void *user, uint32_t channel)
{
    session_on_connected(session_now(user), channel);
}

static void on_open_failed(void *user, uint32_t channel, const struct error *why)
{
    session_on_open_failed(session_now(user), channel, why);
}

static void on_start_failed(void *user, const struct error *why)
{
    struct hosted *hosted = user;
    AUTO_ERROR struct error kept = ERROR_INIT;
    error_set(&kept, why->kind, "%s", why->message);
    drop_process(hosted);
    session_on_start_failed(session_now(hosted), &kept);
}

static void on_bytes(void *user, uint32_t channel, const char *bytes, size_t len)
{
    session_on_bytes(session_now(user), channel, bytes, len);
}

static void on_stream_end(void *user, uint32_t channel, const char *why)
{
    session_on_stream_end(session_now(user), channel, why);
}

static void on_stderr(void *user, const char *bytes, size_t len)
{
    session_on_stderr(session_now(user), bytes, len);
}

static void on_stdout(void *user, const char *bytes, size_t len)
{
    session_on_adapter_stdout(session_now(user), bytes, len);
}

/* The session hears of the exit when nothing is left: neither the adapter's tree nor a program in a terminal. */
static void tell_exit_when_all_ended(struct hosted *hosted)
{
    if (!hosted->adapter_exited || hosted->terminals)
        return;
    hosted->adapter_exited = false;
    session_on_exit(session_now(hosted), hosted->code, hosted->signal);
}

static void on_process_exit(void *user, int code, int signal)
{
    struct hosted *hosted = user;
    drop_process(hosted);
    hosted->adapter_exited = true;
    hosted->code = code;
    hosted->signal = signal;
    for (struct hosted_terminal *terminal = hosted->terminals; terminal; terminal = terminal->next)
        terminal_wind_up(terminal->terminal);
    tell_exit_when_all_ended(hosted);
}

static const struct adapter_process_events process_events = {
    .on_connected = on_connected,
    .on_start_failed = on_start_failed,
    .on_open_failed = on_open_failed,
    .on_bytes = on_bytes,
    .on_stream_end = on_stream_end,
    .on_stderr = on_stderr,
    .on_stdout = on_stdout,
    .on_exit = on_process_exit,
};

/* ---- from the terminals to the session ---- */

static struct hosted_terminal *find_terminal(struct hosted *hosted, uint32_t id)
{
    struct hosted_terminal *terminal = hosted->terminals;
    while (terminal && terminal->id != id)
        terminal = terminal->next;
    return terminal;
}

static void free_terminal(struct hosted_terminal *terminal)
{
    terminal_free(terminal->terminal);
    free(terminal);
}

/* Before the session hears of the end, as with the process. */
static void drop_terminal(struct hosted_terminal *terminal)
{
    struct hosted_terminal **slot = &terminal->hosted->terminals;
    while (*slot != terminal)
        slot = &(*slot)->next;
    *slot = terminal->next;
    free_terminal(terminal);
}

static void on_terminal_started(void *user, pid_t pid)
{
    struct hosted_terminal *terminal = user;
    session_on_terminal_started(session_now(terminal->hosted), terminal->id, (int64_t)pid);
}

static void on_terminal_failed(void *user, const struct error *why)
{
    struct hosted_terminal *terminal = user;
    struct hosted *hosted = terminal->hosted;
    uint32_t id = terminal->id;
    AUTO_ERROR struct error kept = ERROR_INIT;
    error_set(&kept, why->kind, "%s", why->message);
    drop_terminal(terminal);
    session_on_terminal_failed(session_now(hosted), id, &kept);
    tell_exit_when_all_ended(hosted);
}

static void on_terminal_output(void *user, const char *bytes, size_t len)
{
    struct hosted_terminal *terminal = user;
    session_on_terminal_output(session_now(terminal->hosted), terminal->id, bytes, len);
}

static void on_terminal_exit(void *user, int code, int signal)
{
    struct hosted_terminal *terminal = user;
    struct hosted *hosted = terminal->hosted;
    uint32_t id = terminal->id;
    drop_terminal(terminal);
    session_on_terminal_exit(session_now(hosted), id, code, signal);
    tell_exit_when_all_ended(hosted);
}

static const struct terminal_events terminal_events = {
    .on_started = on_terminal_started,
    .on_failed = on_terminal_failed,
    .on_output = on_terminal_output,
    .on_exit = on_terminal_exit,
};

/* ---- from the session to the process and the terminals ---- */

static void start(void *host, struct session *session, const struct adapter_command *command)
{
    (void)session;
    struct hosted *hosted = host;
    drop_process(hosted);
    char **before = environment_use(hosted->environment);
    hosted->process = adapter_process_start(hosted->host->loop, hosted->host->executable, command, &process_events, hosted);
    environment_use(before);
}

static void open_channel(void *host, struct session *session, uint32_t channel, const char *address, uint16_t port)
{
    (void)session;
    struct hosted *hosted = host;
    if (hosted->process)
        adapter_process_open(hosted->process, channel, address, port);
}

static void send_bytes(void *host, struct session *session, uint32_t channel, const char *bytes, size_t len)
{
    (void)session;
    struct hosted *hosted = host;
    if (hosted->process)
        adapter_process_send(hosted->process, channel, bytes, len);
}

static void close_channel(void *host, struct session *session, uint32_t channel)
{
    (void)session;
    struct hosted *hosted = host;
    if (hosted->process)
        adapter_process_close(hosted->process, channel);
}

static void force(void *host, struct session *session, enum session_force how)
{
    (void)session;
    struct hosted *hosted = host;
    bool kill = how == SESSION_SIGKILL;
    if (hosted->process)
        (kill ? adapter_process_kill : adapter_process_terminate)(hosted->process);
    for (struct hosted_terminal *terminal = hosted->terminals; terminal; terminal = terminal->next)
        (kill ? terminal_kill : terminal_terminate)(terminal->terminal);
}

static void kill_terminals(void *host, struct session *session)
{
    (void)session;
    const struct hosted *hosted = host;
    for (struct hosted_terminal *terminal = hosted->terminals; terminal; terminal = terminal->next)
        terminal_kill(terminal->terminal);
}

static void run(void *host, struct session *session, uint32_t id, const struct terminal_command *command)
{
    (void)session;
    struct hosted *hosted = host;
    struct hosted_terminal *terminal = xcalloc(1, sizeof(*terminal));
    terminal->hosted = hosted;
    terminal->id = id;
    char **before = environment_use(hosted->environment);
    int latch = hosted->process ? adapter_process_latch(hosted->process) : -1;
    terminal->terminal = terminal_start(hosted->host->loop, hosted->host->executable, command, latch, &terminal_events, terminal);
    environment_use(before);
    terminal->next = hosted->terminals;
    hosted->terminals = terminal;
}

static int type(void *host, struct session *session, uint32_t id, const char *bytes, size_t len, struct error *ret_error)
{
    (void)session;
    struct hosted_terminal *terminal = find_terminal(host, id);
    if (!terminal)
        return error_set(ret_error, ERROR_STATE, "the program in the terminal has ended");
    return terminal_type(terminal->terminal, bytes, len, ret_error);
}

static char *explain_wait(void *host, struct session *session)
{
    (void)session;
    const struct hosted *hosted = host;
    return hosted->process ? adapter_process_explain_wait(hosted->process) : NULL;
}

static const struct session_host_ops operations = {
    .start = start,
    .open = open_channel,
    .send = send_bytes,
    .close = close_channel,
    .force = force,
    .kill_terminals = kill_terminals,
    .run = run,
    .type = type,
    .explain_wait = explain_wait,
};

/* ---- time ---- */

static uint64_t deadline(void *user)
{
    return session_deadline(((struct hosted *)user)->session);
}

static void on_time(void *user, uint64_t now)
{
    session_on_time(((struct hosted *)user)->session, now);
}

/* ---- the interface ---- */

struct session_host *session_host_new(struct loop *loop, const char *executable)
{
    struct session_host *host = xcalloc(1, sizeof(*host));
    host->loop = loop;
    host->executable = xstrdup(executable);
    return host;
}

struct session *session_host_open(struct session_host *host, const char *name)
{
    struct hosted *hosted = xcalloc(1, sizeof(*hosted));
    hosted->host = host;
    hosted->session = session_new(name, &operations, hosted);
    hosted->timed = (struct loop_timed){ .deadline = deadline, .on_time = on_time, .user = hosted };
    loop_add_timed(host->loop, &hosted->timed);
    hosted->next = host->sessions;
    host->sessions = hosted;
    session_on_time(hosted->session, loop_now(host->loop));
    return hosted->session;
}

void session_host_set_environment(struct session_host *host, const struct session *session, char **environment)
{
    for (struct hosted *hosted = host->sessions; hosted; hosted = hosted->next)
        if (hosted->session == session)
            hosted->environment = environment;
}

void session_host_tick(struct session_host *host)
{
    for (struct hosted *hosted = host->sessions; hosted; hosted = hosted->next)
        session_now(hosted);
}

uint64_t session_host_now(const struct session_host *host)
{
    return loop_now(host->loop);
}

static size_t count_trees(const struct session_host *host)
{
    size_t count = 0;
    for (const struct hosted *hosted = host->sessions; hosted; hosted = hosted->next) {
        count += hosted->process != NULL;
        for (const struct hosted_terminal *terminal = hosted->terminals; terminal; terminal = terminal->next)
            count++;
    }
    return count;
}

/* Kills what a session has, and adds what hangs up when it is gone; returns how many. */
static size_t kill_trees(struct hosted *hosted, struct pollfd *trees)
{
    size_t count = 0;
    if (hosted->process && adapter_process_is_gentle(hosted->process))
        return 0; /* our end is what it goes by, in its own time */
    force(hosted, hosted->session, SESSION_SIGKILL);
    if (hosted->process)
        trees[count++] = (struct pollfd){ .fd = adapter_process_descriptor(hosted->process) };
    for (const struct hosted_terminal *terminal = hosted->terminals; terminal; terminal = terminal->next)
        trees[count++] = (struct pollfd){ .fd = terminal_descriptor(terminal->terminal) };
    return count;
}

void session_host_kill_all(struct session_host *host)
{
    AUTO_FREE struct pollfd *trees = xcalloc(count_trees(host) + 1, sizeof(*trees));
    size_t count = 0;
    for (struct hosted *hosted = host->sessions; hosted; hosted = hosted->next)
        count += kill_trees(hosted, trees + count);
    uint64_t until = loop_now(host->loop) + KILL_ALL_MS;
    for (size_t i = 0; i < count; i++) {
        uint64_t now = loop_now(host->loop);
        poll(&trees[i], 1, trees[i].fd >= 0 && now < until ? (int)(until - now) : 0);
    }
}

static void free_hosted(struct hosted *hosted)
{
    loop_remove_timed(hosted->host->loop, &hosted->timed);
    struct hosted_terminal *terminal;
    while ((terminal = hosted->terminals) != NULL) { /* before the adapter, which would let them run on */
        hosted->terminals = terminal->next;
        free_terminal(terminal);
    }
    drop_process(hosted);
    session_free(hosted->session);
    free(hosted);
}

void session_host_close(struct session_host *host, struct session *session)
{
    struct hosted **slot = &host->sessions;
    while (*slot && (*slot)->session != session)
        slot = &(*slot)->next;
    struct hosted *hosted = *slot;
    if (!hosted)
        return;
    *slot = hosted->next;
    free_hosted(hosted);
}

void session_host_free(struct session_host *host)
{
    if (!host)
        return;
    session_host_kill_all(host);
    struct hosted *hosted;
    while ((hosted = host->sessions) != NULL) {
        host->sessions = hosted->next;
        free_hosted(hosted);
    }
    free(host->executable);
    free(host);
}
