#include "cli/probe.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/ring.h"
#include "dap/connection.h"
#include "io/adapter_process.h"
#include "io/loop.h"
#include "session/session.h"
#include "json/json.h"

#include <stdbool.h>
#include <string.h>

/* Steps of the end, milliseconds each. */
#define GRACE_DISCONNECT 500
#define GRACE_SIGTERM 500

enum probe_phase {
    PROBE_ASKING,        /* until `initialize` is answered */
    PROBE_DISCONNECTING, /* asked to leave by itself */
    PROBE_TERMINATING,   /* by SIGTERM */
    PROBE_KILLING,
    PROBE_OVER,
};

struct probe {
    struct loop *loop;
    const struct launch_plan *plan;
    probe_fn done;
    void *user;
    struct adapter_process *process;
    struct dap_connection *connection; /* NULL: not connected */
    struct ring said;
    char *fault; /* the first thing that was no message */
    enum probe_phase phase;
    uint64_t started, deadline;
    struct loop_timed timed;
    struct probe_result result;
};

/* ---- the end ---- */

static void fail(struct probe *probe, char *why)
{
    if (probe->result.failure == NULL && probe->result.answer == NULL)
        probe->result.failure = probe->fault != NULL ? xasprintf("%s; %s", why, probe->fault) : xstrdup(why);
    free(why);
}

static void enter(struct probe *probe, enum probe_phase phase, uint64_t grace)
{
    probe->phase = phase;
    probe->deadline = grace == UINT64_MAX ? UINT64_MAX : loop_now(probe->loop) + grace;
}

static void disconnect(struct probe *probe)
{
    enter(probe, PROBE_DISCONNECTING, GRACE_DISCONNECT);
    dap_connection_request(probe->connection, "disconnect", NULL, 0, NULL, NULL);
    adapter_process_close(probe->process, ADAPTER_ROOT);
}

static void terminate(struct probe *probe)
{
    fail(probe, xstrdup("it closed the connection before it answered \"initialize\""));
    enter(probe, PROBE_TERMINATING, GRACE_SIGTERM);
    adapter_process_terminate(probe->process);
}

static void kill_all(struct probe *probe)
{
    enter(probe, PROBE_KILLING, UINT64_MAX);
    adapter_process_kill(probe->process);
}

static void give_up(struct probe *probe)
{
    AUTO_FREE char *waiting = adapter_process_explain_wait(probe->process);
    fail(probe, xasprintf("%s (waited %d s)", waiting != NULL ? waiting : "the adapter did not answer \"initialize\"",
                          PROBE_TIMEOUT / 1000));
    kill_all(probe);
}

/* Nothing of it runs any more. */
static void finish(struct probe *probe)
{
    probe->phase = PROBE_OVER;
    probe->deadline = UINT64_MAX;
    adapter_process_free(probe->process);
    probe->process = NULL;
    probe->result.said = ring_tail(&probe->said, LIMIT_STDERR_TAIL_BYTES, NULL);
    probe->done(probe->user, &probe->result);
}

/* ---- the conversation ---- */

static void on_answer(void *user, const struct dap_answer *answer)
{
    struct probe *probe = user;
    if (probe->phase != PROBE_ASKING || answer->outcome == DAP_CLOSED)
        return; /* the exit tells why */
    if (answer->outcome == DAP_OK) {
        yyjson_mut_doc *copy = yyjson_mut_doc_new(NULL);
        yyjson_mut_doc_set_root(copy, answer->body != NULL ? yyjson_val_mut_copy(copy, answer->body) : yyjson_mut_obj(copy));
        probe->result.answer = yyjson_mut_doc_imut_copy(copy, NULL);
        yyjson_mut_doc_free(copy);
        probe->result.answer_ms = loop_now(probe->loop) - probe->started;
    } else {
        fail(probe, xasprintf("it refuses \"initialize\": %s", answer->message));
    }
    disconnect(probe);
}

static void on_send(void *user, const char *bytes, size_t len)
{
    struct probe *probe = user;
    adapter_process_send(probe->process, ADAPTER_ROOT, bytes, len);
}

static void on_event(void *user, const char *event, yyjson_val *body)
{
    (void)user;
    (void)event;
    (void)body;
}

static void on_request(void *user, int64_t seq, const char *command, yyjson_val *arguments)
{
    struct probe *probe = user;
    (void)arguments;
    dap_connection_respond(probe->connection, seq, command, false, NULL, "nothing is being launched");
}

static void on_fault(void *user, const char *sentence)
{
    struct probe *probe = user;
    if (probe->fault == NULL)
        probe->fault = xstrdup(sentence);
}

static const struct dap_connection_ops connection_ops = {
    .send = on_send,
    .on_event = on_event,
    .on_request = on_request,
    .on_fault = on_fault,
};

/* ---- the process ---- */

static void on_connected(void *user, uint32_t channel)
{
    struct probe *probe = user;
    if (channel != ADAPTER_ROOT)
        return;
    probe->connection = dap_connection_new(&connection_ops, probe);
    if (probe->phase == PROBE_ASKING)
        dap_connection_request(probe->connection, "initialize", session_initialize_arguments(probe->plan->adapter_type), 0,
                               on_answer, probe);
}

static void on_start_failed(void *user, const struct error *why)
{
    struct probe *probe = user;
    fail(probe, xstrdup(why->message));
    finish(probe);
}

static void on_bytes(void *user, uint32_t channel, const char *bytes, size_t len)
{
    struct probe *probe = user;
    if (channel == ADAPTER_ROOT)
        dap_connection_feed(probe->connection, bytes, len);
}

/* No answer can come any more; how its process ends says more than that. */
static void on_stream_end(void *user, uint32_t channel, const char *why)
{
    struct probe *probe = user;
    if (channel != ADAPTER_ROOT)
        return;
    dap_connection_end(probe->connection, why != NULL ? why : "end of stream");
    if (probe->phase != PROBE_ASKING)
        return;
    if (why != NULL)
        fail(probe, xasprintf("%s, before it answered \"initialize\"", why));
    enter(probe, PROBE_DISCONNECTING, GRACE_DISCONNECT);
}

static void on_output(void *user, const char *bytes, size_t len)
{
    struct probe *probe = user;
    ring_append(&probe->said, bytes, len);
}

static void on_exit_of_adapter(void *user, int code, int signal)
{
    struct probe *probe = user;
    fail(probe, signal != 0
                    ? xasprintf("it was ended by signal %d (%s) before it answered \"initialize\"", signal, strsignal(signal))
                    : xasprintf("it exited with code %d before it answered \"initialize\"", code));
    finish(probe);
}

/* No further channel is ever opened, so none can fail. */
static const struct adapter_process_events process_events = {
    .on_connected = on_connected,
    .on_start_failed = on_start_failed,
    .on_bytes = on_bytes,
    .on_stream_end = on_stream_end,
    .on_stderr = on_output,
    .on_stdout = on_output,
    .on_exit = on_exit_of_adapter,
};

/* ---- time ---- */

static uint64_t deadline(void *user)
{
    return ((const struct probe *)user)->deadline;
}

static void on_time(void *user, uint64_t now)
{
    struct probe *probe = user;
    if (now < probe->deadline)
        return;
    if (probe->phase == PROBE_ASKING)
        give_up(probe);
    else if (probe->phase == PROBE_DISCONNECTING)
        terminate(probe);
    else if (probe->phase == PROBE_TERMINATING)
        kill_all(probe);
}

/* ---- the interface ---- */

struct probe *probe_start(struct loop *loop, const struct launch_plan *plan, probe_fn done, void *user)
{
    struct probe *probe = xcalloc(1, sizeof *probe);
    *probe = (struct probe){ .loop = loop, .plan = plan, .done = done, .user = user, .started = loop_now(loop) };
    ring_init(&probe->said, LIMIT_STDERR_TAIL_BYTES);
    enter(probe, PROBE_ASKING, PROBE_TIMEOUT);
    probe->timed = (struct loop_timed){ .deadline = deadline, .on_time = on_time, .user = probe };
    loop_add_timed(loop, &probe->timed);
    probe->process = adapter_process_start(loop, "/proc/self/exe", &plan->command, &process_events, probe);
    return probe;
}

void probe_free(struct probe *probe)
{
    if (probe == NULL)
        return;
    loop_remove_timed(probe->loop, &probe->timed);
    adapter_process_free(probe->process);
    if (probe->connection != NULL)
        dap_connection_free(probe->connection);
    ring_done(&probe->said);
    free(probe->fault);
    free(probe->result.failure);
    free(probe->result.said);
    yyjson_doc_free(probe->result.answer);
    free(probe);
}
