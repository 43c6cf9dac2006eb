/* A session's life, time and facts; the rest of its rules are in the files beside this one. */
#include "session/internal.h"

#include "base/log.h"
#include "base/utf8.h"

#include <stdarg.h>
#include <string.h>

const char *session_state_name(enum session_state state)
{
    static const char *const names[] = { "idle", "launching", "running", "stopped", "terminated" };
    return names[state];
}

struct session *session_new(const char *name, const struct session_host_ops *ops, void *host)
{
    struct session *session = xcalloc(1, sizeof(*session));
    session->name = xstrdup(name);
    session->ops = ops;
    session->host = host;
    session->timeouts = (struct session_timeouts){
        .startup = TIMEOUT_STARTUP,
        .request = TIMEOUT_REQUEST,
        .launch = TIMEOUT_LAUNCH,
        .execution = TIMEOUT_EXECUTION,
        .shutdown = TIMEOUT_SHUTDOWN,
    };
    timer_stop(&session->startup_timer);
    timer_stop(&session->launch_timer);
    timer_stop(&session->pause_timer);
    timer_stop(&session->deferred_pause_timer);
    timer_stop(&session->panic_timer);
    timer_stop(&session->end_timer);
    ring_init(&session->output, LIMIT_OUTPUT);
    ring_init(&session->stderr_tail, LIMIT_STDERR);
    buffer_init(&session->notices, LIMIT_TEXT_BYTES);
    return session;
}

static void free_targets(struct session *session)
{
    for (size_t i = 0; i < session->target_count; i++)
        target_free(session->targets[i]);
    free(session->targets);
    session->targets = NULL;
    session->target_count = 0;
    session->focus = NULL;
}

static void free_dead_targets(struct session *session)
{
    for (size_t i = 0; i < session->dead_count; i++)
        target_free(session->dead[i]);
    free(session->dead);
    session->dead = NULL;
    session->dead_count = session->dead_cap = 0;
}

void session_bury_targets(struct session *session)
{
    session->focus = NULL;
    while (session->target_count > 0)
        target_bury(session->targets[session->target_count - 1]);
}

void session_free(struct session *session)
{
    if (session == NULL)
        return;
    session->finalised = session->stream_ended = true;
    session->process = PROCESS_NONE;
    pauses_forget(session);
    free_targets(session);
    free_dead_targets(session);
    waits_finish(session, WAIT_CANCELLED, session->wait_count);
    if (session->launch.under_way) {
        AUTO_ERROR struct error error = ERROR_INIT;
        error_set(&error, ERROR_CANCELLED, "launch was cancelled and cleaned up");
        session->launch.under_way = false;
        session->launch.done(session->launch.user, LAUNCH_CANCELLED, &error);
    }
    ending_finish_waiters(session);
    error_clear(&session->launch.error);
    launch_plan_free(session->plan);
    launch_plan_free(session->next_plan);
    stop_done(&session->stop);
    stop_done(&session->former_stop);
    resume_forget(session);
    inspection_free(session);
    breakpoints_free(session);
    rejected_children_free(session->rejected, session->rejected_count);
    ring_done(&session->output);
    ring_done(&session->stderr_tail);
    buffer_done(&session->notices);
    free(session->parts);
    free(session->shown_threads);
    free(session->terminals);
    free(session->thread_scan);
    free(session->termination_reason);
    free(session->stream_failure);
    process_facts_done(&session->process_facts);
    told_forget(session);
    free(session->name);
    free(session);
}

void session_set_state(struct session *session, enum session_state state)
{
    if (session->state == state)
        return;
    log_debug("session %s: %s -> %s", session->name, session_state_name(session->state), session_state_name(state));
    session->state = state;
}

void session_notice(struct session *session, const char *format, ...)
{
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LIMIT_TEXT_BYTES);
    va_list args;
    va_start(args, format);
    AUTO_FREE char *words = xvasprintf(format, args);
    va_end(args);
    utf8_one_line(&line, words, strlen(words), LIMIT_MESSAGE_BYTES);
    if (line.len == 0 || strstr(session->notices.data, line.data) != NULL)
        return;
    if (session->notices.len > 0)
        (void)buffer_addc(&session->notices, '\n');
    (void)buffer_append(&session->notices, line.data, line.len);
}

char *session_take_notice(struct session *session)
{
    return session->notices.len == 0 ? NULL : buffer_take(&session->notices, NULL);
}

/* ---- time ---- */

void timer_set(struct session *session, struct timer *timer, uint64_t ms, void (*fire)(struct session *session))
{
    timer->at = session->now + ms;
    timer->fire = fire;
}

void timer_stop(struct timer *timer)
{
    timer->at = UINT64_MAX;
}

static void timer_run(struct session *session, struct timer *timer)
{
    if (timer->at > session->now)
        return;
    timer->at = UINT64_MAX;
    timer->fire(session);
}

void session_on_time(struct session *session, uint64_t now)
{
    session->now = now;
    free_dead_targets(session);
    for (size_t i = 0; i < session->target_count; i++)
        dap_connection_on_time(session->targets[i]->connection, now);
    timer_run(session, &session->startup_timer);
    timer_run(session, &session->launch_timer);
    timer_run(session, &session->pause_timer);
    timer_run(session, &session->deferred_pause_timer);
    timer_run(session, &session->panic_timer);
    timer_run(session, &session->end_timer);
    waits_on_time(session);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t session_deadline(const struct session *session)
{
    uint64_t at = waits_deadline(session);
    at = earlier(at, session->startup_timer.at);
    at = earlier(at, session->launch_timer.at);
    at = earlier(at, session->pause_timer.at);
    at = earlier(at, session->deferred_pause_timer.at);
    at = earlier(at, session->panic_timer.at);
    at = earlier(at, session->end_timer.at);
    for (size_t i = 0; i < session->target_count; i++)
        at = earlier(at, dap_connection_deadline(session->targets[i]->connection));
    return at;
}

/* ---- bytes ---- */

void session_on_bytes(struct session *session, uint32_t channel, const char *bytes, size_t len)
{
    struct target *target = target_find(session, channel);
    if (target != NULL)
        dap_connection_feed(target->connection, bytes, len);
}

void session_on_stderr(struct session *session, const char *bytes, size_t len)
{
    ring_append(&session->stderr_tail, bytes, len);
    if (session_quirk(session, QUIRK_IS_THE_PROGRAM))
        output_append(session, OUTPUT_STDERR, bytes, len);
}

void session_on_adapter_stdout(struct session *session, const char *bytes, size_t len)
{
    ring_append(&session->stderr_tail, bytes, len);
    if (session_quirk(session, QUIRK_IS_THE_PROGRAM))
        output_append(session, OUTPUT_STDOUT, bytes, len);
}

char *session_stderr_tail(const struct session *session, size_t most, size_t *ret_len)
{
    return ring_tail(&session->stderr_tail, most, ret_len);
}

/* ---- facts ---- */

void session_set_timeouts(struct session *session, const struct session_timeouts *timeouts)
{
    session->timeouts = *timeouts;
}

const struct session_timeouts *session_timeouts(const struct session *session)
{
    return &session->timeouts;
}

const char *session_name(const struct session *session)
{
    return session->name;
}

enum session_state session_state(const struct session *session)
{
    return session->state;
}

bool session_is_ending(const struct session *session)
{
    return !session->finalised && (session->end_phase != END_NONE || session->debuggee_ended || session->stream_ended);
}

bool session_active(const struct session *session)
{
    return session->state == SESSION_LAUNCHING || session->state == SESSION_RUNNING || session->state == SESSION_STOPPED;
}

const char *session_adapter_id(const struct session *session)
{
    return session->state == SESSION_IDLE || session->plan == NULL ? NULL : session->plan->adapter_id;
}

const char *session_program(const struct session *session)
{
    return session->plan == NULL ? NULL : session->plan->program;
}

const struct process_facts *session_process(const struct session *session)
{
    return &session->process_facts;
}

const char *session_attached_to(const struct session *session)
{
    return session->plan == NULL ? NULL : session->plan->attached_to;
}

size_t session_child_count(const struct session *session)
{
    return session->finalised || session->target_count == 0 ? 0 : session->target_count - 1;
}

const char *session_child_name(const struct session *session, size_t index)
{
    return session->targets[index + 1]->name;
}

int64_t session_pid(const struct session *session)
{
    if (session->plan == NULL)
        return 0;
    return session->process_facts.pid != 0 ? session->process_facts.pid : session->plan->pid;
}

bool session_exit_code(const struct session *session, int64_t *ret)
{
    if (session->has_exit_code)
        *ret = session->exit_code;
    return session->has_exit_code;
}

int session_exit_signal(const struct session *session)
{
    return session->exit_signal;
}

bool session_quirk(const struct session *session, enum adapter_quirk quirk)
{
    return session->plan != NULL && (session->plan->quirks & (uint64_t)quirk) != 0;
}

bool session_adapter_failed(const struct session *session)
{
    return session->state == SESSION_TERMINATED && session->adapter_failed;
}

const char *session_termination_reason(const struct session *session)
{
    return session->state == SESSION_TERMINATED ? session->termination_reason : NULL;
}

bool session_process_alive(const struct session *session)
{
    return session->process != PROCESS_NONE;
}

size_t session_take_rejected_children(struct session *session, struct rejected_child **ret_children)
{
    size_t count = session->rejected_count;
    *ret_children = session->rejected;
    session->rejected = NULL;
    session->rejected_count = session->rejected_cap = 0;
    return count;
}

void rejected_children_free(struct rejected_child *children, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(children[i].message);
        free(children[i].type);
        free(children[i].name);
        free(children[i].target_id);
    }
    free(children);
}
