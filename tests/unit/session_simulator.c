#include "session_simulator.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "dap/connection.h"
#include "session/session.h"
#include "json/json.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- what is known of the session from outside ---- */

enum kind { KIND_LAUNCH, KIND_WAIT, KIND_DONE, KIND_END, KIND_REQUEST };

/* One callback that is owed: it comes once, and not after its time. */
struct promise {
    struct promise *next;
    struct simulation *simulation;
    enum kind kind;
    bool kept;
    uint64_t deadline; /* UINT64_MAX: only the end of the adapter bounds it */
    struct session_wait *wait;
    int64_t request;
};

struct turn {
    struct simulation *simulation;
    struct session_turn *turn;
    bool given;
};

struct given_handle {
    int64_t handle, stop, adapter_id;
    bool is_frame;
};

/* A request that the adapter has not answered. */
struct request {
    int64_t seq;
    char command[24];
};

enum host_state { HOST_NONE, HOST_STARTING, HOST_CONNECTED, HOST_STREAM_ENDED };

#define TURNS 4
#define HANDLES 6
#define REQUESTS 64

struct simulation {
    const struct choices *choices;
    struct session *session;
    uint64_t now;
    int depth;  /* of calls into the session */
    bool quiet; /* callbacks only look, and the host does nothing of itself */

    enum host_state host;
    bool closed, killed;
    bool has_terminal;
    uint32_t asked_channel, asked_terminal; /* the newest that the session wants */
    uint64_t kill_due;                      /* when the tree must have got SIGKILL at the latest */
    struct request requests[REQUESTS];
    size_t request_count;

    struct promise *promises;
    struct turn *turns[TURNS];
    size_t turn_count;
    struct given_handle handles[HANDLES];
    size_t handle_count;

    enum session_state state; /* at the last look */
    bool launched;            /* session_launch was accepted since then */
    int64_t stop_number;
    bool paused;     /* the user wants a pause, and has not resumed since */
    uint64_t output; /* bytes that were fed and not drained */
    bool logs;       /* some breakpoint may write messages, which are output, too */
    bool has_end;    /* what was read of the end, which must not change any more */
    bool has_exit_code;
    int64_t exit_code;
    int exit_signal;
    char reason[256];
};

static unsigned choose(struct simulation *simulation, unsigned below)
{
    return simulation->choices->choose(simulation->choices->user, below);
}

static bool one_in(struct simulation *simulation, unsigned n)
{
    return choose(simulation, n) == n - 1;
}

static void trace(const struct simulation *simulation, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void trace(const struct simulation *simulation, const char *format, ...)
{
    if (!simulation->choices->trace)
        return;
    va_list args;
    va_start(args, format);
    printf("%8llu %*s", (unsigned long long)simulation->now, 2 * simulation->depth, "");
    vprintf(format, args);
    printf("  (%s)\n", session_state_name(session_state(simulation->session)));
    fflush(stdout);
    va_end(args);
}

static void check(const struct simulation *simulation, bool holds, const char *what, int line)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s:%d: broken: %s (now %llu, state %s)\n", simulation->choices->label, __FILE__, line, what,
            (unsigned long long)simulation->now, session_state_name(session_state(simulation->session)));
    abort();
}
#define CHECK(simulation, condition) check(simulation, condition, #condition, __LINE__)

/* ---- looking ---- */

static bool is_legal(const struct simulation *simulation, enum session_state from, enum session_state to)
{
    if (from == to)
        return true;
    switch (to) {
    case SESSION_IDLE: /* an adapter that never was connected */
        return from == SESSION_LAUNCHING || from == SESSION_TERMINATED;
    case SESSION_LAUNCHING: /* or a `continued` before the launch is complete */
        return simulation->launched || from == SESSION_STOPPED;
    case SESSION_RUNNING:
        return from == SESSION_LAUNCHING || from == SESSION_STOPPED;
    case SESSION_STOPPED:
        return from == SESSION_LAUNCHING || from == SESSION_RUNNING;
    case SESSION_TERMINATED:
        return from != SESSION_IDLE;
    }
    return false;
}

static void look_at_state(struct simulation *simulation)
{
    enum session_state state = session_state(simulation->session);
    CHECK(simulation, is_legal(simulation, simulation->state, state));
    simulation->state = state;
    simulation->launched = false;
    CHECK(simulation, session_active(simulation->session) ==
                          (state == SESSION_LAUNCHING || state == SESSION_RUNNING || state == SESSION_STOPPED));
    CHECK(simulation, (session_termination_reason(simulation->session) != NULL) == (state == SESSION_TERMINATED));
    CHECK(simulation, (session_adapter_id(simulation->session) == NULL) <= (state == SESSION_IDLE || state == SESSION_LAUNCHING));
}

static void look_at_stop(struct simulation *simulation)
{
    const struct stop *stop = session_stop(simulation->session);
    CHECK(simulation, (stop != NULL) == (session_state(simulation->session) == SESSION_STOPPED));
    if (stop == NULL)
        return;
    CHECK(simulation, stop->number >= simulation->stop_number);
    CHECK(simulation, stop->reason != NULL && stop->reason[0] != '\0');
    CHECK(simulation, stop->settled || (stop->frames == NULL && stop->frames_failure == NULL));
    CHECK(simulation, !stop->settled || stop->frame_count > 0 || stop->frames_failure != NULL);
    CHECK(simulation, stop->total_frames == -1 || stop->total_frames >= (int64_t)stop->frame_count);
    simulation->stop_number = stop->number;
}

/* Once the end is told, nothing of it changes until the next launch. */
static void look_at_end(struct simulation *simulation)
{
    struct session *session = simulation->session;
    if (session_state(session) != SESSION_TERMINATED) {
        simulation->has_end = false;
        return;
    }
    int64_t code = 0;
    bool has = session_exit_code(session, &code);
    const char *reason = session_termination_reason(session);
    if (simulation->has_end) {
        CHECK(simulation, has == simulation->has_exit_code && code == simulation->exit_code);
        CHECK(simulation, session_exit_signal(session) == simulation->exit_signal);
        CHECK(simulation, strncmp(reason, simulation->reason, sizeof(simulation->reason) - 1) == 0);
    }
    simulation->has_end = true;
    simulation->has_exit_code = has;
    simulation->exit_code = code;
    simulation->exit_signal = session_exit_signal(session);
    snprintf(simulation->reason, sizeof(simulation->reason), "%s", reason);
}

static void look_at_handles(struct simulation *simulation)
{
    const struct stop *stop = session_stop(simulation->session);
    for (size_t i = 0; i < simulation->handle_count; i++) {
        const struct given_handle *given = &simulation->handles[i];
        bool valid = stop != NULL && stop->number == given->stop;
        int64_t id = 0;
        struct value_place place = { 0 };
        AUTO_ERROR struct error error = ERROR_INIT;
        int frame = session_resolve_frame(simulation->session, given->handle, &id, &error);
        int value = session_resolve_value(simulation->session, given->handle, &place, &error);
        CHECK(simulation, (frame == 0) == (valid && given->is_frame));
        CHECK(simulation, (value == 0) == (valid && !given->is_frame));
        CHECK(simulation, !valid || (given->is_frame ? id : place.adapter_reference) == given->adapter_id);
        CHECK(simulation, error.message != NULL);
    }
}

static void look_at_turns(struct simulation *simulation)
{
    for (size_t i = 0; i < simulation->turn_count; i++)
        CHECK(simulation, simulation->turns[i]->given == (i == 0));
}

/* Lists in their order, none empty; every breakpoint is found by its number, which no other has. */
static void look_at_breakpoints(struct simulation *simulation)
{
    const char *former = "";
    enum breakpoint_kind kind = BREAKPOINT_SOURCE;
    for (size_t i = 0; i < session_breakpoint_list_count(simulation->session); i++) {
        const struct breakpoint_list *list = session_breakpoint_list(simulation->session, i), *found;
        size_t at;
        CHECK(simulation, list->kind == BREAKPOINT_SOURCE ? strcmp(former, list->path) < 0 : i == 0 || list->kind > kind);
        CHECK(simulation, list->count > 0);
        for (size_t k = 0; k < list->count; k++) {
            const struct desired_breakpoint *desired = &list->desired[k];
            CHECK(simulation, desired->kind == list->kind && (desired->line > 0) == (list->kind == BREAKPOINT_SOURCE));
            CHECK(simulation, list->bound[k].state <= BREAKPOINT_FAILED);
            CHECK(simulation, !desired->disabled || !list->bound[k].has_id);
            CHECK(simulation, session_find_breakpoint_number(simulation->session, desired->number, &found, &at));
            CHECK(simulation, found == list && at == k);
        }
        former = list->path == NULL ? "" : list->path;
        kind = list->kind;
    }
}

/* Nothing is owed when the adapter's tree is gone, but waits for a next stop. */
static void look_at_rest(struct simulation *simulation)
{
    CHECK(simulation, simulation->state == SESSION_IDLE || simulation->state == SESSION_TERMINATED);
    uint64_t next = UINT64_MAX;
    for (const struct promise *promise = simulation->promises; promise != NULL; promise = promise->next) {
        if (promise->kept)
            continue;
        CHECK(simulation, promise->kind == KIND_WAIT);
        next = promise->deadline < next ? promise->deadline : next;
    }
    CHECK(simulation, session_deadline(simulation->session) == next);
}

static void look(struct simulation *simulation)
{
    look_at_state(simulation);
    look_at_stop(simulation);
    look_at_end(simulation);
    look_at_handles(simulation);
    CHECK(simulation, simulation->logs || session_output_waiting(simulation->session) <= simulation->output);
}

/* Only between calls: what must hold when no callback is under way. */
static void look_closely(struct simulation *simulation)
{
    look(simulation);
    look_at_turns(simulation);
    look_at_breakpoints(simulation);
    CHECK(simulation, session_process_alive(simulation->session) == (simulation->host != HOST_NONE));
    if (!session_process_alive(simulation->session))
        look_at_rest(simulation);
}

/* Each call into the session stands between these. */
static void enter(struct simulation *simulation)
{
    simulation->depth++;
}

static void leave(struct simulation *simulation)
{
    simulation->depth--;
    look(simulation);
}

/* ---- promises ---- */

static struct promise *promise_new(struct simulation *simulation, enum kind kind, uint64_t within)
{
    struct promise *promise = xcalloc(1, sizeof(*promise));
    *promise = (struct promise){ .next = simulation->promises,
                                 .simulation = simulation,
                                 .kind = kind,
                                 .deadline = within == UINT64_MAX ? UINT64_MAX : simulation->now + within };
    simulation->promises = promise;
    return promise;
}

static void play_user(struct simulation *simulation);

static void keep(struct promise *promise)
{
    CHECK(promise->simulation, !promise->kept);
    promise->kept = true;
}

/* Callbacks may call whatever they like. */
static void meddle(struct simulation *simulation)
{
    look(simulation);
    if (!simulation->quiet && simulation->depth < 4 && one_in(simulation, 6))
        play_user(simulation);
}

static void on_launched(void *user, enum launch_outcome outcome, const struct error *error)
{
    struct promise *promise = user;
    struct simulation *simulation = promise->simulation;
    static const char *const names[] = { "started", "pending", "failed", "cancelled" };
    trace(simulation, "< launch %s %s", names[outcome], error == NULL ? "" : error->message);
    keep(promise);
    enum session_state state = session_state(simulation->session);
    const struct stop *stop = session_stop(simulation->session);
    if (outcome == LAUNCH_STARTED)
        CHECK(simulation, state == SESSION_RUNNING || state == SESSION_TERMINATED || (stop != NULL && stop->settled));
    else if (outcome == LAUNCH_PENDING)
        CHECK(simulation, session_active(simulation->session) && (stop == NULL || !stop->settled));
    else
        CHECK(simulation, state == SESSION_TERMINATED || state == SESSION_IDLE || simulation->quiet);
    CHECK(simulation, outcome != LAUNCH_FAILED || simulation->host == HOST_NONE);
    CHECK(simulation, (error != NULL) == (outcome == LAUNCH_FAILED || outcome == LAUNCH_CANCELLED));
    meddle(simulation);
}

static void on_wait(void *user, enum wait_outcome outcome)
{
    struct promise *promise = user;
    struct simulation *simulation = promise->simulation;
    static const char *const names[] = { "stopped", "ended", "timed out", "cancelled" };
    trace(simulation, "< wait %s", names[outcome]);
    keep(promise);
    enum session_state state = session_state(simulation->session);
    if (outcome == WAIT_STOPPED)
        CHECK(simulation, session_stop(simulation->session) != NULL && session_stop(simulation->session)->settled);
    else if (outcome == WAIT_ENDED)
        CHECK(simulation, state != SESSION_RUNNING && state != SESSION_STOPPED);
    else if (outcome == WAIT_TIMED_OUT)
        CHECK(simulation, promise->deadline <= simulation->now);
    meddle(simulation);
}

static void on_done(void *user, const struct error *error)
{
    struct promise *promise = user;
    trace(promise->simulation, "< done %s", error == NULL ? "" : error->message);
    keep(promise);
    CHECK(promise->simulation, promise->kind != KIND_END || error == NULL);
    meddle(promise->simulation);
}

static void on_answer(void *user, const struct dap_answer *answer)
{
    struct promise *promise = user;
    AUTO_FREE char *text = session_answer_text(answer);
    trace(promise->simulation, "< answer %d %s", answer->outcome, text);
    keep(promise);
    CHECK(promise->simulation, (answer->outcome == DAP_OK) == (text[0] == '\0'));
    meddle(promise->simulation);
}

static void on_turn(void *user)
{
    struct turn *turn = user;
    CHECK(turn->simulation, !turn->given);
    turn->given = true;
}

static struct promise *pick_promise(struct simulation *simulation, enum kind kind)
{
    unsigned count = 0;
    for (struct promise *promise = simulation->promises; promise != NULL; promise = promise->next)
        count += promise->kind == kind && !promise->kept;
    if (count == 0)
        return NULL;
    unsigned at = choose(simulation, count);
    struct promise *promise = simulation->promises;
    while (promise->kind != kind || promise->kept || at-- > 0)
        promise = promise->next;
    return promise;
}

/* ---- the host ---- */

static void connect_adapter(struct simulation *simulation)
{
    trace(simulation, "host: connected");
    simulation->host = HOST_CONNECTED;
    simulation->request_count = 0;
    enter(simulation);
    session_on_connected(simulation->session, 0);
    leave(simulation);
    if (simulation->request_count == 0) /* too late: nobody listens any more */
        simulation->host = HOST_STREAM_ENDED;
}

static void fail_start(struct simulation *simulation)
{
    trace(simulation, "host: start failed");
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_SPAWN, "cannot execute");
    simulation->host = HOST_NONE;
    enter(simulation);
    session_on_start_failed(simulation->session, &error);
    leave(simulation);
}

static void on_start(void *host, struct session *session, const struct adapter_command *command)
{
    struct simulation *simulation = host;
    trace(simulation, "session: start");
    CHECK(simulation, session == simulation->session && command != NULL);
    CHECK(simulation, simulation->host == HOST_NONE);
    simulation->host = HOST_STARTING;
    simulation->closed = simulation->killed = false;
    simulation->kill_due = UINT64_MAX;
    simulation->request_count = 0;
    simulation->output = 0;
    simulation->has_end = simulation->paused = simulation->has_terminal = false;
    if (!simulation->quiet && simulation->depth < 6 && one_in(simulation, 8))
        (one_in(simulation, 3) ? fail_start : connect_adapter)(simulation);
}

static void remember_request(struct simulation *simulation, yyjson_val *message)
{
    if (simulation->request_count == REQUESTS)
        memmove(simulation->requests, simulation->requests + 1, --simulation->request_count * sizeof(*simulation->requests));
    struct request *request = &simulation->requests[simulation->request_count++];
    request->seq = json_int_or(message, "seq", 0);
    snprintf(request->command, sizeof(request->command), "%s", json_string(message, "command"));
    CHECK(simulation, strcmp(request->command, "pause") != 0 || simulation->paused);
}

static void on_send(void *host, struct session *session, uint32_t channel, const char *bytes, size_t len)
{
    (void)session;
    struct simulation *simulation = host;
    if (channel != 0)
        return; /* children are asked things, and never answer */
    CHECK(simulation, simulation->host == HOST_CONNECTED && !simulation->closed);
    const char *body = memmem(bytes, len, "\r\n\r\n", 4);
    CHECK(simulation, body != NULL);
    AUTO_JSON struct json json = { 0 };
    CHECK(simulation, json_parse_copy(body + 4, len - (size_t)(body + 4 - bytes), &json, NULL) == 0);
    trace(simulation, "session: %.*s", (int)(len - (size_t)(body + 4 - bytes)), body + 4);
    if (strcmp(json_string(json.root, "type"), "request") == 0)
        remember_request(simulation, json.root);
}

static void on_close(void *host, struct session *session, uint32_t channel)
{
    (void)session;
    struct simulation *simulation = host;
    trace(simulation, "session: close %u", channel);
    if (channel != 0)
        return;
    CHECK(simulation, !simulation->closed);
    simulation->closed = true;
}

/* Whoever is asked for a further connection or a terminal answers at some later step. */
static void on_open(void *host, struct session *session, uint32_t channel, const char *address, uint16_t port)
{
    (void)session;
    (void)address;
    (void)port;
    struct simulation *simulation = host;
    trace(simulation, "session: open channel %u", channel);
    simulation->asked_channel = channel;
}

static void on_run(void *host, struct session *session, uint32_t terminal, const struct terminal_command *command)
{
    (void)session;
    (void)command;
    struct simulation *simulation = host;
    trace(simulation, "session: run terminal %u", terminal);
    simulation->asked_terminal = terminal;
    simulation->has_terminal = true;
}

/* Sometimes there is something to say of an adapter that nobody could connect to. */
static char *on_explain_wait(void *host, struct session *session)
{
    (void)session;
    return one_in(host, 2) ? xstrdup("the adapter listens elsewhere") : NULL;
}

static void on_force(void *host, struct session *session, enum session_force how)
{
    (void)session;
    struct simulation *simulation = host;
    trace(simulation, "session: %s", how == SESSION_SIGKILL ? "SIGKILL" : "SIGTERM");
    CHECK(simulation, simulation->host != HOST_NONE);
    simulation->killed = simulation->killed || how == SESSION_SIGKILL;
}

/* The exit of a killed terminal comes at some later step, as that of any other. */
static void on_kill_terminals(void *host, struct session *session)
{
    (void)session;
    struct simulation *simulation = host;
    trace(simulation, "session: kill terminals");
    CHECK(simulation, simulation->host != HOST_NONE && simulation->has_terminal);
}

static void end_stream(struct simulation *simulation)
{
    if (simulation->host == HOST_CONNECTED || simulation->host == HOST_STARTING) {
        const char *why = one_in(simulation, 3) ? "Connection reset by peer" : NULL;
        trace(simulation, "host: stream ends");
        simulation->host = HOST_STREAM_ENDED;
        enter(simulation);
        session_on_stream_end(simulation->session, 0, why);
        leave(simulation);
    }
}

static void exit_adapter(struct simulation *simulation)
{
    if (simulation->host == HOST_NONE)
        return;
    int signal = one_in(simulation, 3) ? 9 : 0;
    int code = signal == 0 ? (int)choose(simulation, 3) : 0;
    trace(simulation, "host: exit %d, signal %d", code, signal);
    simulation->host = HOST_NONE; /* the session may start the next one from within */
    enter(simulation);
    session_on_exit(simulation->session, code, signal);
    leave(simulation);
}

static void report_terminal(struct session *session, uint32_t terminal, size_t what)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_SPAWN, "cannot execute");
    if (what == 0)
        session_on_terminal_started(session, terminal, 4711);
    else if (what == 1)
        session_on_terminal_failed(session, terminal, &error);
    else
        session_on_terminal_exit(session, terminal, (int)what - 2, 0);
}

static void report_channel(struct session *session, uint32_t channel, size_t what)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_TRANSPORT, "connection refused");
    if (what == 0)
        session_on_connected(session, channel);
    else if (what == 1)
        session_on_open_failed(session, channel, &error);
    else
        session_on_stream_end(session, channel, NULL);
}

static void stray_report(struct simulation *simulation)
{
    struct session *session = simulation->session;
    enter(simulation);
    switch (choose(simulation, 7)) {
    case 5:
        if (simulation->asked_terminal != 0)
            report_terminal(session, simulation->asked_terminal, choose(simulation, 4));
        break;
    case 6:
        if (simulation->asked_channel != 0)
            report_channel(session, simulation->asked_channel, choose(simulation, 3));
        break;
    case 0:
        if (simulation->host != HOST_STARTING)
            session_on_connected(session, 0);
        break;
    case 1:
        if (simulation->host == HOST_NONE)
            session_on_exit(session, 1, 0);
        break;
    case 2:
        if (simulation->host == HOST_NONE)
            session_on_stream_end(session, 0, "late");
        break;
    case 3:
        if (session_quirk(session, QUIRK_IS_THE_PROGRAM))
            simulation->output += 3;
        session_on_stderr(session, "oh\n", 3);
        break;
    default:
        if (session_quirk(session, QUIRK_IS_THE_PROGRAM))
            simulation->output += 4;
        session_on_adapter_stdout(session, "out\n", 4);
        break;
    }
    leave(simulation);
}

/* ---- time ---- */

static void look_at_deadlines(struct simulation *simulation)
{
    for (const struct promise *promise = simulation->promises; promise != NULL; promise = promise->next)
        CHECK(simulation, promise->kept || promise->deadline > simulation->now);
    CHECK(simulation, simulation->host == HOST_NONE || simulation->killed || simulation->kill_due > simulation->now);
}

/* The host calls when something is due, and again for as long as it is. */
static void call_on_time(struct simulation *simulation)
{
    for (int i = 0; i < 20; i++) {
        enter(simulation);
        session_on_time(simulation->session, simulation->now);
        leave(simulation);
        if (session_deadline(simulation->session) > simulation->now)
            break;
    }
    CHECK(simulation, session_deadline(simulation->session) > simulation->now);
    look_at_deadlines(simulation);
}

static void pass_time(struct simulation *simulation, uint64_t ms)
{
    uint64_t until = simulation->now + ms;
    trace(simulation, "%llu ms pass", (unsigned long long)ms);
    while (session_deadline(simulation->session) <= until) {
        uint64_t at = session_deadline(simulation->session);
        simulation->now = at > simulation->now ? at : simulation->now;
        call_on_time(simulation);
    }
    simulation->now = until;
    call_on_time(simulation);
}

static void play_time(struct simulation *simulation)
{
    static const uint64_t steps[] = { 0, 1, 10, 100, 300, 1000, 5000, 30000 };
    uint64_t at = session_deadline(simulation->session);
    if (at != UINT64_MAX && one_in(simulation, 2))
        pass_time(simulation, at > simulation->now ? at - simulation->now - (one_in(simulation, 4) ? 1 : 0) : 0);
    else
        pass_time(simulation, steps[choose(simulation, COUNT_OF(steps))]);
}

/* ---- the adapter ---- */

static void say(struct simulation *simulation, const char *json)
{
    trace(simulation, "adapter: %s", json);
    char *frame = xasprintf("Content-Length: %zu\r\n\r\n%s", strlen(json), json);
    size_t len = strlen(frame);
    size_t cut = one_in(simulation, 8) ? choose(simulation, (unsigned)len) : 0;
    enter(simulation);
    if (cut > 0)
        session_on_bytes(simulation->session, 0, frame, cut);
    session_on_bytes(simulation->session, 0, frame + cut, len - cut);
    free(frame);
    leave(simulation);
}

static const char *odd_body(struct simulation *simulation)
{
    static const char *const bodies[] = { "null",
                                          "{}",
                                          "[]",
                                          "7",
                                          "\"x\"",
                                          "{\"threads\":7}",
                                          "{\"stackFrames\":[null,{}]}",
                                          "{\"breakpoints\":[[],null]}",
                                          "{\"breakpoint\":{}}",
                                          "{\"reason\":null}",
                                          "{\"capabilities\":[]}",
                                          "{\"exitCode\":\"x\"}",
                                          "{\"output\":5}" };
    return bodies[choose(simulation, COUNT_OF(bodies))];
}

static const char *truth(struct simulation *simulation)
{
    return one_in(simulation, 2) ? "true" : "false";
}

static char *capabilities(struct simulation *simulation)
{
    return xasprintf("{\"supportsConfigurationDoneRequest\":%s,\"supportsTerminateRequest\":%s,\"supportTerminateDebuggee\":%s,"
                     "\"supportsConditionalBreakpoints\":%s,\"supportsCancelRequest\":%s,\"supportsFunctionBreakpoints\":%s,"
                     "\"supportsDataBreakpoints\":%s,\"supportsExceptionFilterOptions\":%s,\"exceptionBreakpointFilters\":[%s]}",
                     truth(simulation), truth(simulation), truth(simulation), truth(simulation), truth(simulation),
                     truth(simulation), truth(simulation), truth(simulation),
                     one_in(simulation, 2) ? "{\"filter\":\"uncaught\"}" : "");
}

static char *breakpoint(struct simulation *simulation)
{
    AUTO_FREE char *id = one_in(simulation, 4) ? xstrdup("") : xasprintf("\"id\":%u,", choose(simulation, 8));
    AUTO_FREE char *line = one_in(simulation, 3) ? xstrdup("") : xasprintf("\"line\":%u,", choose(simulation, 6));
    return xasprintf("{%s%s\"verified\":%s%s}", id, line, truth(simulation),
                     one_in(simulation, 3) ? ",\"source\":{\"path\":\"/w/a.py\"}" : "");
}

static char *frames(struct simulation *simulation)
{
    unsigned count = choose(simulation, 4);
    char list[400] = "";
    for (unsigned i = 0; i < count; i++)
        snprintf(list + strlen(list), sizeof(list) - strlen(list),
                 "%s{\"id\":%u,\"name\":\"f\",\"line\":%u,\"source\":{\"path\":\"/w/a.py\"}}", i > 0 ? "," : "", i,
                 choose(simulation, 6));
    return xasprintf("{\"stackFrames\":[%s],\"totalFrames\":%u}", list, choose(simulation, 5));
}

static char *threads(struct simulation *simulation)
{
    unsigned count = choose(simulation, 4);
    char list[100] = "";
    for (unsigned i = 0; i < count; i++)
        snprintf(list + strlen(list), sizeof(list) - strlen(list), "%s{\"id\":%u}", i > 0 ? "," : "", choose(simulation, 4));
    return xasprintf("{\"threads\":[%s]}", list);
}

static char *answer_body(struct simulation *simulation, const char *command)
{
    if (one_in(simulation, 12))
        return xstrdup(odd_body(simulation));
    if (strcmp(command, "initialize") == 0)
        return capabilities(simulation);
    if (strcmp(command, "stackTrace") == 0)
        return frames(simulation);
    if (strcmp(command, "threads") == 0)
        return threads(simulation);
    if (strcmp(command, "evaluate") == 0)
        return xasprintf("{\"result\":\"%u\",\"variablesReference\":0}", choose(simulation, 20));
    if (strncmp(command, "set", 3) == 0 && strstr(command, "Breakpoints") != NULL) {
        AUTO_FREE char *first = breakpoint(simulation);
        AUTO_FREE char *second = breakpoint(simulation);
        unsigned count = choose(simulation, 3);
        return xasprintf("{\"breakpoints\":[%s%s%s]}", count > 0 ? first : "", count > 1 ? "," : "", count > 1 ? second : "");
    }
    return xstrdup("{}");
}

static void answer(struct simulation *simulation, size_t index)
{
    struct request request = simulation->requests[index];
    unsigned how = choose(simulation, 16);
    if (how != 15) { /* an answer may come twice */
        simulation->request_count--;
        memmove(&simulation->requests[index], &simulation->requests[index + 1],
                (simulation->request_count - index) * sizeof(request));
    }
    if (how == 0)
        return; /* never */
    AUTO_FREE char *body = answer_body(simulation, request.command);
    AUTO_FREE char *json =
        how < 3 ? xasprintf("{\"seq\":0,\"type\":\"response\",\"request_seq\":%lld,\"success\":false,\"message\":\"no\"}",
                            (long long)request.seq)
                : xasprintf("{\"seq\":0,\"type\":\"response\",\"request_seq\":%lld,\"success\":true,\"body\":%s}",
                            (long long)request.seq, body);
    say(simulation, json);
}

static char *stopped_body(struct simulation *simulation)
{
    static const char *const reasons[] = { "step", "breakpoint", "exception", "pause", "entry", "" };
    AUTO_FREE char *thread = one_in(simulation, 4) ? xstrdup("") : xasprintf(",\"threadId\":%u", choose(simulation, 4));
    AUTO_FREE char *hits = one_in(simulation, 3) ? xasprintf(",\"hitBreakpointIds\":[%u]", choose(simulation, 8)) : xstrdup("");
    const char *description = one_in(simulation, 4) ? ",\"description\":\"signal SIGINT\"" : "";
    return xasprintf("{\"reason\":\"%s\"%s%s%s,\"allThreadsStopped\":%s}", reasons[choose(simulation, COUNT_OF(reasons))], thread,
                     hits, description, truth(simulation));
}

static char *output_body(struct simulation *simulation)
{
    static const char *const categories[] = { "stdout", "stderr", "console", "telemetry", "odd" };
    unsigned category = choose(simulation, COUNT_OF(categories));
    bool dropped = category == 3 || (category <= 1 && simulation->has_terminal); /* the terminal tells it */
    if (!dropped)
        simulation->output += 5;
    return xasprintf("{\"category\":\"%s\",\"output\":\"line\\n\"}", categories[category]);
}

static char *event_body(struct simulation *simulation, const char *event)
{
    if (one_in(simulation, 16) && strcmp(event, "output") != 0)
        return xstrdup(odd_body(simulation));
    if (strcmp(event, "stopped") == 0)
        return stopped_body(simulation);
    if (strcmp(event, "continued") == 0)
        return xasprintf("{\"threadId\":%u,\"allThreadsContinued\":%s}", choose(simulation, 4), truth(simulation));
    if (strcmp(event, "output") == 0)
        return output_body(simulation);
    if (strcmp(event, "exited") == 0)
        return xasprintf("{\"exitCode\":%u}", choose(simulation, 4));
    if (strcmp(event, "thread") == 0)
        return xasprintf("{\"reason\":\"%s\",\"threadId\":%u}", one_in(simulation, 2) ? "started" : "exited",
                         choose(simulation, 4));
    if (strcmp(event, "breakpoint") == 0) {
        static const char *const reasons[] = { "changed", "new", "removed" };
        AUTO_FREE char *told = breakpoint(simulation);
        return xasprintf("{\"reason\":\"%s\",\"breakpoint\":%s}", reasons[choose(simulation, 3)], told);
    }
    if (strcmp(event, "capabilities") == 0) {
        AUTO_FREE char *told = capabilities(simulation);
        return xasprintf("{\"capabilities\":%s}", told);
    }
    return xstrdup("null");
}

static void send_event(struct simulation *simulation, const char *event)
{
    AUTO_FREE char *body = event_body(simulation, event);
    AUTO_FREE char *json = xasprintf("{\"seq\":0,\"type\":\"event\",\"event\":\"%s\",\"body\":%s}", event, body);
    say(simulation, json);
}

static void play_event(struct simulation *simulation)
{
    static const char *const events[] = { "initialized", "initialized", "stopped",    "stopped",      "stopped", "stopped",
                                          "continued",   "continued",   "output",     "breakpoint",   "thread",  "process",
                                          "exited",      "terminated",  "breakpoint", "capabilities", "stopped", "custom" };
    send_event(simulation, events[choose(simulation, COUNT_OF(events))]);
}

static void play_odd_message(struct simulation *simulation)
{
    static const char *const messages[] = {
        "{\"type\":\"request\",\"seq\":9,\"command\":\"startDebugging\",\"arguments\":{\"configuration\":{\"name\":\"w\"}}}",
        "{\"type\":\"request\",\"seq\":9,\"command\":\"runInTerminal\",\"arguments\":{\"args\":[\"x\"]}}",
        "{\"type\":\"request\"}",
        "{\"type\":\"response\",\"request_seq\":1,\"success\":true}",
        "{\"type\":\"event\"}",
        "[]",
        "{"
    };
    say(simulation, messages[choose(simulation, COUNT_OF(messages))]);
}

/* Mostly it answers in order, so that most plays get somewhere. */
static void play_adapter(struct simulation *simulation)
{
    if (simulation->host == HOST_STARTING) {
        (one_in(simulation, 10) ? fail_start : connect_adapter)(simulation);
        return;
    }
    if (simulation->host != HOST_CONNECTED)
        return;
    unsigned what = choose(simulation, 12);
    if (what < 6 && simulation->request_count > 0)
        answer(simulation, what < 4 ? 0 : choose(simulation, (unsigned)simulation->request_count));
    else if (what < 11)
        play_event(simulation);
    else
        play_odd_message(simulation);
}

/* It dies of itself seldom, and soon when it is told to. */
static void play_host(struct simulation *simulation)
{
    if (one_in(simulation, 3))
        stray_report(simulation);
    else if (simulation->killed || (simulation->closed && one_in(simulation, 3)) || one_in(simulation, 10))
        (one_in(simulation, 3) ? end_stream : exit_adapter)(simulation);
}

/* ---- the user ---- */

static struct launch_plan *new_plan(struct simulation *simulation)
{
    struct launch_plan *plan = xcalloc(1, sizeof(*plan));
    plan->adapter_id = xstrdup("test");
    plan->adapter_type = xstrdup("test");
    plan->attach = one_in(simulation, 4);
    plan->quirks = choose(simulation, 32);
    plan->quirks |= choose(simulation, 64) << 5;
    plan->exception_filters = xcalloc(2, sizeof(*plan->exception_filters));
    plan->exception_filters[0] = xstrdup("uncaught");
    return plan;
}

static void launch(struct simulation *simulation)
{
    struct session *session = simulation->session;
    trace(simulation, "> launch");
    bool active = session_active(session);
    struct promise *promise = promise_new(simulation, KIND_LAUNCH, UINT64_MAX);
    struct launch_plan *plan = new_plan(simulation);
    AUTO_ERROR struct error error = ERROR_INIT;
    simulation->launched = !active;
    enter(simulation);
    int result = session_launch(session, plan, on_launched, promise, &error);
    leave(simulation);
    CHECK(simulation, !active || result < 0);
    CHECK(simulation, result == 0 || error.kind == ERROR_STATE);
    if (result < 0)
        promise->kept = true; /* it is not owed */
}

static void end_is_due(struct simulation *simulation)
{
    uint64_t due = simulation->now + session_timeouts(simulation->session)->shutdown;
    if (simulation->host != HOST_NONE && due < simulation->kill_due)
        simulation->kill_due = due;
}

static void cancel_launch(struct simulation *simulation)
{
    trace(simulation, "> cancel the launch");
    enter(simulation);
    session_launch_cancel(simulation->session);
    leave(simulation);
}

static void end(struct simulation *simulation)
{
    trace(simulation, "> end");
    struct promise *promise = promise_new(simulation, KIND_END, UINT64_MAX);
    end_is_due(simulation);
    enter(simulation);
    session_end(simulation->session, "stopped by request", on_done, promise);
    leave(simulation);
    CHECK(simulation, simulation->depth > 0 || simulation->host != HOST_NONE || promise->kept);
}

static void resume(struct simulation *simulation)
{
    enum resume_kind kind = (enum resume_kind)choose(simulation, 4);
    trace(simulation, "> resume %d", kind);
    const struct stop *stop = session_stop(simulation->session);
    bool possible = stop != NULL && (stop->has_thread || (stop->settled && kind == RESUME_CONTINUE));
    struct promise *promise = promise_new(simulation, KIND_DONE, session_timeouts(simulation->session)->request);
    AUTO_ERROR struct error error = ERROR_INIT;
    simulation->paused = simulation->paused && !possible;
    enter(simulation);
    int result = session_resume(simulation->session, &(struct resume){ .kind = kind }, on_done, promise, &error);
    leave(simulation);
    CHECK(simulation, (result == 0) == possible);
    if (result < 0)
        promise->kept = true;
}

static void pause_program(struct simulation *simulation)
{
    trace(simulation, "> pause");
    bool possible = session_state(simulation->session) == SESSION_RUNNING;
    /* A moment, when it has just left an emulated breakpoint; the threads; the pause itself. */
    uint64_t within = 100 + 2 * session_timeouts(simulation->session)->request;
    struct promise *promise = promise_new(simulation, KIND_DONE, within);
    AUTO_ERROR struct error error = ERROR_INIT;
    simulation->paused = simulation->paused || possible;
    enter(simulation);
    int result = session_pause(simulation->session, NULL, on_done, promise, &error);
    leave(simulation);
    CHECK(simulation, (result == 0) == possible);
    if (result < 0)
        promise->kept = true;
}

static void wait_for_stop(struct simulation *simulation)
{
    static const uint64_t times[] = { 0, 1, 100, 5000, 60000, UINT64_MAX };
    uint64_t ms = times[choose(simulation, COUNT_OF(times))];
    trace(simulation, "> wait %llu", (unsigned long long)ms);
    struct promise *promise = promise_new(simulation, KIND_WAIT, ms);
    promise->wait = session_wait(simulation->session, ms, on_wait, promise);
}

static void give_up_wait(struct simulation *simulation)
{
    struct promise *promise = pick_promise(simulation, KIND_WAIT);
    if (promise == NULL)
        return;
    if (one_in(simulation, 2)) {
        trace(simulation, "> cancel a wait");
        enter(simulation);
        session_wait_cancel(simulation->session, promise->wait);
        leave(simulation);
        CHECK(simulation, promise->kept);
    } else {
        trace(simulation, "> forget a wait");
        session_wait_forget(simulation->session, promise->wait);
        promise->kept = true;
    }
}

/* Where functions begin, for adapters that take no names. */
static int find_function(const char *program, const char *name, char **ret_path, int64_t *ret_line, struct error *ret_error)
{
    (void)program;
    if (strcmp(name, "raised") == 0)
        return error_set(ret_error, ERROR_REQUEST, "no function raised");
    *ret_path = xstrdup(strcmp(name, "total") == 0 ? "/w/a.py" : "/w/c.py");
    *ret_line = 4;
    return 0;
}

static void set_breakpoints(struct simulation *simulation)
{
    static char *const paths[] = { (char *)"/w/a.py", (char *)"/w/b.py", (char *)"/w/0.py" };
    static char *const names[] = { (char *)"raised", (char *)"uncaught", (char *)"total", (char *)"cost" };
    enum breakpoint_kind kind =
        one_in(simulation, 2) ? (enum breakpoint_kind)choose(simulation, BREAKPOINT_KINDS) : BREAKPOINT_SOURCE;
    char condition[] = "x > 1", every_second[] = "% 2", message[] = "x is {x}";
    struct desired_breakpoint list[2] = { 0 };
    for (size_t i = 0; i < 2; i++) {
        list[i].kind = kind;
        list[i].disabled = one_in(simulation, 4);
        if (kind == BREAKPOINT_SOURCE)
            list[i].line = 1 + choose(simulation, 5);
        else
            list[i].name = list[i].data_id = names[choose(simulation, COUNT_OF(names))];
    }
    bool plain = kind != BREAKPOINT_SOURCE && kind != BREAKPOINT_FUNCTION; /* the others take no such parts from every adapter */
    list[1].condition = one_in(simulation, 4) ? condition : NULL;
    list[0].hit_condition = !plain && one_in(simulation, 3) ? every_second : NULL;
    list[0].log_message = !plain && one_in(simulation, 4) ? message : NULL;
    simulation->logs = simulation->logs || list[0].log_message != NULL;
    struct breakpoint_list wanted = { .kind = kind, .desired = list, .count = choose(simulation, 3) };
    wanted.path = kind == BREAKPOINT_SOURCE ? paths[choose(simulation, COUNT_OF(paths))] : NULL;
    trace(simulation, "> %zu %s breakpoints in %s", wanted.count, breakpoint_kind_name(kind),
          wanted.path == NULL ? "all" : wanted.path);
    struct promise *promise = promise_new(simulation, KIND_DONE,
                                          2 * session_timeouts(simulation->session)->request); /* a configuration may overtake it */
    AUTO_ERROR struct error error = ERROR_INIT;
    enter(simulation);
    int result = session_set_breakpoint_list(simulation->session, &wanted, on_done, promise, &error);
    leave(simulation);
    CHECK(simulation, session_active(simulation->session) || result == 0);
    if (result < 0)
        promise->kept = true;
}

static void ask(struct simulation *simulation)
{
    trace(simulation, "> request");
    uint64_t timeout = one_in(simulation, 3) ? 50 : 0;
    struct promise *promise =
        promise_new(simulation, KIND_REQUEST, timeout > 0 ? timeout : session_timeouts(simulation->session)->request);
    enter(simulation);
    promise->request = session_request(simulation->session, "evaluate", NULL, timeout, on_answer, promise);
    leave(simulation);
    CHECK(simulation, promise->request != 0 || promise->kept);
}

static void give_up_request(struct simulation *simulation)
{
    struct promise *promise = pick_promise(simulation, KIND_REQUEST);
    if (promise == NULL)
        return;
    trace(simulation, "> cancel a request");
    enter(simulation);
    session_request_cancel(simulation->session, promise->request);
    leave(simulation);
}

static void take_turn(struct simulation *simulation)
{
    if (simulation->turn_count == TURNS)
        return;
    struct turn *turn = xcalloc(1, sizeof(*turn));
    turn->simulation = simulation;
    simulation->turns[simulation->turn_count++] = turn;
    session_inspect_begin(simulation->session, &turn->turn, on_turn, turn);
}

static void give_turn_back(struct simulation *simulation)
{
    if (simulation->turn_count == 0)
        return;
    size_t index = choose(simulation, (unsigned)simulation->turn_count);
    struct turn *turn = simulation->turns[index];
    simulation->turn_count--;
    memmove(&simulation->turns[index], &simulation->turns[index + 1], (simulation->turn_count - index) * sizeof(struct turn *));
    session_inspect_end(simulation->session, turn->turn);
    free(turn);
}

static void get_handle(struct simulation *simulation)
{
    const struct stop *stop = session_stop(simulation->session);
    if (stop == NULL)
        return;
    struct given_handle given = { .stop = stop->number,
                                  .is_frame = one_in(simulation, 2),
                                  .adapter_id = 1 + choose(simulation, 5) };
    given.handle = given.is_frame ? session_frame_handle(simulation->session, given.adapter_id)
                                  : session_value_handle(simulation->session, given.adapter_id, -1, -1);
    CHECK(simulation, given.handle > 0 || (given.handle == 0 && simulation->depth > 0)); /* within a late answer */
    if (given.handle == 0)
        return;
    if (simulation->handle_count == HANDLES)
        simulation->handle_count = 0;
    simulation->handles[simulation->handle_count++] = given;
}

static void drain(struct simulation *simulation)
{
    struct output output;
    session_drain_output(simulation->session, &output);
    CHECK(simulation, simulation->logs ? output.len + output.discarded >= simulation->output
                                       : output.len + output.discarded == simulation->output);
    size_t sum = 0;
    for (size_t i = 0; i < output.part_count; i++)
        sum += output.parts[i].len;
    CHECK(simulation, sum == output.len);
    output_done(&output);
    simulation->output = 0;
    free(session_take_notice(simulation->session));
    struct rejected_child *children;
    size_t count = session_take_rejected_children(simulation->session, &children);
    rejected_children_free(children, count);
}

static void play_user(struct simulation *simulation)
{
    static void (*const plays[])(struct simulation * simulation) = {
        launch,          launch, resume, resume,          resume,    pause_program,  wait_for_stop, wait_for_stop, give_up_wait,
        set_breakpoints, ask,    ask,    give_up_request, take_turn, give_turn_back, get_handle,    get_handle,    drain,
        set_breakpoints, resume,
    };
    unsigned what = choose(simulation, COUNT_OF(plays) + 2);
    if (what < COUNT_OF(plays))
        plays[what](simulation);
    else if (one_in(simulation, 3)) /* seldom, or most plays end early */
        (what == COUNT_OF(plays) ? end : cancel_launch)(simulation);
}

/* ---- the play ---- */

static void choose_timeouts(struct simulation *simulation)
{
    static const uint64_t times[] = { 1, 50, 1000, 5000, 10000 };
    struct session_timeouts timeouts = { .startup = times[1 + choose(simulation, 4)],
                                         .request = times[1 + choose(simulation, 4)],
                                         .launch = 6 * times[2 + choose(simulation, 3)],
                                         .execution = 30000,
                                         .shutdown = times[choose(simulation, COUNT_OF(times))] };
    session_set_timeouts(simulation->session, &timeouts);
    session_set_function_finder(simulation->session, find_function);
}

static void step(struct simulation *simulation)
{
    unsigned who = choose(simulation, 16);
    if (who < 8)
        play_adapter(simulation);
    else if (who < 13)
        play_user(simulation);
    else if (who < 15)
        play_host(simulation);
    else
        play_time(simulation);
}

static void answer_all(struct simulation *simulation)
{
    while (simulation->request_count > 0) {
        struct request request = simulation->requests[0];
        simulation->request_count--;
        memmove(simulation->requests, simulation->requests + 1, simulation->request_count * sizeof(request));
        const char *body = strcmp(request.command, "initialize") == 0   ? "{\"supportsConfigurationDoneRequest\":true}"
                           : strcmp(request.command, "stackTrace") == 0 ? "{\"stackFrames\":[{\"id\":1}]}"
                                                                        : "{}";
        AUTO_FREE char *json =
            xasprintf("{\"type\":\"response\",\"request_seq\":%lld,\"success\":true,\"body\":%s}", (long long)request.seq, body);
        say(simulation, json);
    }
}

static void say_event(struct simulation *simulation, const char *event, const char *body)
{
    AUTO_FREE char *json = xasprintf("{\"type\":\"event\",\"event\":\"%s\",\"body\":%s}", event, body);
    say(simulation, json);
    answer_all(simulation);
}

static void launch_well(struct simulation *simulation)
{
    struct launch_plan *plan = new_plan(simulation);
    plan->quirks = 0;
    struct promise *promise = promise_new(simulation, KIND_LAUNCH, UINT64_MAX);
    simulation->launched = true;
    enter(simulation);
    int result = session_launch(simulation->session, plan, on_launched, promise, NULL);
    leave(simulation);
    CHECK(simulation, result == 0);
    connect_adapter(simulation);
    answer_all(simulation);
    say_event(simulation, "initialized", "null");
    CHECK(simulation, promise->kept && session_state(simulation->session) == SESSION_RUNNING);
}

static void stop_well(struct simulation *simulation)
{
    struct promise *promise = promise_new(simulation, KIND_WAIT, 1);
    session_wait(simulation->session, 1, on_wait, promise);
    int64_t former = simulation->stop_number;
    say_event(simulation, "stopped", "{\"reason\":\"breakpoint\",\"threadId\":3}");
    const struct stop *stop = session_stop(simulation->session);
    CHECK(simulation, promise->kept && stop != NULL && stop->number > former && stop->thread_id == 3 && stop->frame_count == 1);
    CHECK(simulation, !stop->step_interrupted);
}

static void end_well(struct simulation *simulation)
{
    int64_t code;
    say_event(simulation, "exited", "{\"exitCode\":3}");
    say_event(simulation, "terminated", "null");
    CHECK(simulation, session_state(simulation->session) == SESSION_TERMINATED);
    CHECK(simulation, session_exit_code(simulation->session, &code) && code == 3);
    CHECK(simulation, strcmp(session_termination_reason(simulation->session), "Debuggee exited") == 0);
    exit_adapter(simulation);
    look_closely(simulation);
}

/* Whatever has happened: when the adapter is gone nothing is owed, and a launch works from one end to the other. */
static void relaunch(struct simulation *simulation)
{
    simulation->quiet = true;
    while (session_process_alive(simulation->session)) {
        cancel_launch(simulation);
        exit_adapter(simulation);
    }
    look_closely(simulation);
    launch_well(simulation);
    stop_well(simulation);
    end_well(simulation);
}

static void free_simulation(struct simulation *simulation)
{
    trace(simulation, "free");
    simulation->quiet = true;
    session_free(simulation->session);
    while (simulation->promises != NULL) {
        struct promise *promise = simulation->promises;
        simulation->promises = promise->next;
        if (!promise->kept) {
            fprintf(stderr, "%s: a callback of kind %d never came\n", simulation->choices->label, promise->kind);
            abort();
        }
        free(promise);
    }
    for (size_t i = 0; i < simulation->turn_count; i++)
        free(simulation->turns[i]);
}

void simulate_session(const struct choices *choices)
{
    static const struct session_host_ops ops = { .start = on_start,
                                                 .open = on_open,
                                                 .send = on_send,
                                                 .close = on_close,
                                                 .force = on_force,
                                                 .kill_terminals = on_kill_terminals,
                                                 .run = on_run,
                                                 .explain_wait = on_explain_wait };
    struct simulation simulation = { .choices = choices, .now = 1000, .kill_due = UINT64_MAX };
    simulation.session = session_new("main", &ops, &simulation);
    session_on_time(simulation.session, simulation.now);
    choose_timeouts(&simulation);
    while (!choices->over(choices->user)) {
        step(&simulation);
        look_closely(&simulation);
    }
    if (!one_in(&simulation, 4))
        relaunch(&simulation);
    free_simulation(&simulation);
}
