#include "io/session_host.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/adapter_process.h"
#include "io/loop.h"
#include "session/session.h"

#include <poll.h>
#include <stdlib.h>

#define KILL_ALL_MS 200

struct session_host {
    struct loop *loop;
    char *executable;
    struct hosted *sessions;
};

/* A session with its process; the `host` that the session's operations get. */
struct hosted {
    struct session_host *host;
    struct session *session;
    struct adapter_process *process; /* NULL: nothing runs */
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
    (void)channel;
    session_on_connected(session_now(user));
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
    (void)channel;
    session_on_bytes(session_now(user), bytes, len);
}

static void on_stream_end(void *user, uint32_t channel, const char *why)
{
    (void)channel;
    session_on_stream_end(session_now(user), why);
}

static void on_stderr(void *user, const char *bytes, size_t len)
{
    session_on_stderr(session_now(user), bytes, len);
}

static void on_stdout(void *user, const char *bytes, size_t len)
{
    session_on_adapter_stdout(session_now(user), bytes, len);
}

static void on_process_exit(void *user, int code, int signal)
{
    struct hosted *hosted = user;
    drop_process(hosted);
    session_on_exit(session_now(hosted), code, signal);
}

static const struct adapter_process_events process_events = {
    .on_connected = on_connected,
    .on_start_failed = on_start_failed,
    .on_bytes = on_bytes,
    .on_stream_end = on_stream_end,
    .on_stderr = on_stderr,
    .on_stdout = on_stdout,
    .on_exit = on_process_exit,
};

/* ---- from the session to the process ---- */

static void start(void *host, struct session *session, const struct adapter_command *command)
{
    (void)session;
    struct hosted *hosted = host;
    drop_process(hosted);
    hosted->process = adapter_process_start(hosted->host->loop, hosted->host->executable, command, &process_events, hosted);
}

static void send_bytes(void *host, struct session *session, const char *bytes, size_t len)
{
    (void)session;
    struct hosted *hosted = host;
    if (hosted->process)
        adapter_process_send(hosted->process, ADAPTER_ROOT, bytes, len);
}

static void close_transport(void *host, struct session *session)
{
    (void)session;
    struct hosted *hosted = host;
    if (hosted->process)
        adapter_process_close(hosted->process, ADAPTER_ROOT);
}

static void force(void *host, struct session *session, enum session_force how)
{
    (void)session;
    struct hosted *hosted = host;
    if (!hosted->process)
        return;
    if (how == SESSION_SIGKILL)
        adapter_process_kill(hosted->process);
    else
        adapter_process_terminate(hosted->process);
}

static const struct session_host_ops operations = {
    .start = start,
    .send = send_bytes,
    .close = close_transport,
    .force = force,
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

void session_host_tick(struct session_host *host)
{
    for (struct hosted *hosted = host->sessions; hosted; hosted = hosted->next)
        session_now(hosted);
}

uint64_t session_host_now(const struct session_host *host)
{
    return loop_now(host->loop);
}

static size_t count_sessions(const struct session_host *host)
{
    size_t count = 0;
    for (const struct hosted *hosted = host->sessions; hosted; hosted = hosted->next)
        count++;
    return count;
}

void session_host_kill_all(struct session_host *host)
{
    AUTO_FREE struct pollfd *trees = xcalloc(count_sessions(host) + 1, sizeof(*trees));
    nfds_t count = 0;
    for (struct hosted *hosted = host->sessions; hosted; hosted = hosted->next) {
        if (!hosted->process)
            continue;
        adapter_process_kill(hosted->process);
        trees[count++] = (struct pollfd){ .fd = adapter_process_descriptor(hosted->process) };
    }
    uint64_t until = loop_now(host->loop) + KILL_ALL_MS;
    for (nfds_t i = 0; i < count; i++) {
        uint64_t now = loop_now(host->loop);
        poll(&trees[i], 1, trees[i].fd >= 0 && now < until ? (int)(until - now) : 0);
    }
}

void session_host_free(struct session_host *host)
{
    if (!host)
        return;
    session_host_kill_all(host);
    struct hosted *hosted;
    while ((hosted = host->sessions) != NULL) {
        host->sessions = hosted->next;
        loop_remove_timed(host->loop, &hosted->timed);
        drop_process(hosted);
        session_free(hosted->session);
        free(hosted);
    }
    free(host->executable);
    free(host);
}
