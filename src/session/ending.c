/* How a session ends (specification, "Debug session end").
 *
 * By itself: after `exited` or `terminated` we disconnect and keep reading until the stream ends or falls silent (bounded), so that late
 * output and the exit code are kept; then the end is made known, and the adapter is ended behind it.
 * By request, or because something failed: the end is made known at once; then terminate, disconnect, close, SIGTERM, SIGKILL, within the
 * shutdown time-out. A session that ended by request takes no exit code any more: it would be ours, not the program's.
 *
 * A program that stands still must not run on at that. Adapters that hold their program as a process of theirs see to it themselves; one whose
 * program runs in a terminal may be no more than a connection to it (js-debug closes Node's inspector, which lets Node go on, and kills it
 * only then). What runs in our terminals is therefore killed, and gone, before the adapter hears of the end. */
#include "session/internal.h"
#include "session/signals.h"

#include <signal.h>
#include <string.h>

#define GRACE_TERMINATED 500 /* ms from `exited` to `terminated` */
#define GRACE_SIGKILL 2000   /* ms until it is sent again */

/* Steps of the end, in ms; no more than their share of the shutdown time-out, so that all of them together stay within it. */
#define GRACE_KILL 1500       /* for killed programs in terminals to be gone; a quarter */
#define GRACE_TERMINATE 1500  /* for the program to obey `terminate`; a quarter */
#define GRACE_DISCONNECT 1000 /* for the answer to `disconnect` after the program has ended; a third */
#define GRACE_LATE 200        /* of reading on for an exit code that is not known yet; a tenth */
#define GRACE_CLOSE 100       /* for the adapter to leave after our side is closed; a tenth */
#define GRACE_DETACH 1250     /* the same while it holds a process that is not ours: gdb lets go of it only now; a quarter */
#define GRACE_PROGRAM 1500    /* for a program that is its own adapter to end; a third */
#define GRACE_TERMINAL 2500   /* for a program in a terminal to end, that the debugger has let go of; a half */
#define GRACE_SIGTERM 500     /* a fifth */

static void close_side(struct session *session);
static void send_disconnect(struct session *session);

static uint64_t share(const struct session *session, unsigned parts, uint64_t most)
{
    uint64_t part = session->timeouts.shutdown / parts;
    return part < most ? part : most;
}

/* ---- making it known ---- */

void end_finalise(struct session *session, const char *reason)
{
    if (session->finalised)
        return;
    session->finalised = true;
    xreplace(&session->termination_reason, reason);
    stop_drop(session);
    progress_forget(session);
    session_set_state(session, SESSION_TERMINATED);
    timer_stop(&session->startup_timer);
    timer_stop(&session->pause_timer);
    timer_stop(&session->panic_timer);
    uint64_t last = session->wait_count;
    launch_check(session);
    waits_finish(session, WAIT_ENDED, last);
    pauses_forget(session);
}

/* debugpy's launcher makes a code of a signal as `256 - number`; a program may leave with such a code, too. */
static char *exit_that_may_be_a_signal(int64_t code)
{
    int number = code > 128 && code < 256 ? (int)(256 - code) : 0;
    const char *name = signal_name(number);
    if (name == NULL)
        return NULL;
    bool fault = number == SIGSEGV || number == SIGABRT || number == SIGBUS || number == SIGFPE || number == SIGILL;
    return xasprintf("Debuggee exited: a death by signal %d, %s, is told so%s", number, name,
                     fault ? "; launched with env PYTHONFAULTHANDLER=1 it prints where" : "");
}

/* As heap memory of the caller's. */
static char *natural_reason(const struct session *session)
{
    if (session->exit_signal != 0) {
        const char *name = signal_name(session->exit_signal);
        return xasprintf("Debuggee ended by signal %d%s%s", session->exit_signal, name == NULL ? "" : ", ",
                         name == NULL ? "" : name);
    }
    char *reason = NULL;
    if (session->has_exit_code && session_quirk(session, QUIRK_SIGNAL_NEGATED))
        reason = exit_that_may_be_a_signal(session->exit_code);
    if (reason != NULL)
        return reason;
    if (!session->has_exit_code)
        return xstrdup("Debug Session terminated");
    /* Every other signal would have stopped the program first. */
    bool either = session_quirk(session, QUIRK_SIGNAL_AS_EXIT_CODE) && session->exit_code == SIGKILL;
    return either ? xasprintf("Debuggee exited, or was killed by SIGKILL: %s tells both alike", session->plan->adapter_id)
                  : xstrdup("Debuggee exited");
}

/* How the terminal's program ended is the exit code of an adapter that tells none. */
static void take_terminal_exit(struct session *session)
{
    if (session->finalised || !session->has_terminal_exit || session->has_exit_code || session->exit_signal != 0)
        return;
    if (session->terminal_signal != 0) {
        session->exit_signal = session->terminal_signal;
    } else {
        session->has_exit_code = true;
        session->exit_code = session->terminal_code;
    }
}

static void finalise_naturally(struct session *session)
{
    take_terminal_exit(session);
    AUTO_FREE char *reason = natural_reason(session);
    end_finalise(session, reason);
}

/* The number that came as an exit code was a signal's. */
static void ended_by_signal(struct session *session, int64_t number)
{
    session->has_exit_code = false;
    session->exit_signal = (int)number;
}

/* ---- escalation ---- */

/* A process that was there before us is there after us. */
static bool ends_program(const struct session *session)
{
    return !session->plan->attach || session->fate == FATE_KILL;
}

static void force(struct session *session, enum session_force how);
static bool terminal_is_to_tell(const struct session *session);
static void drain(struct session *session);

static void on_end_time(struct session *session)
{
    switch (session->end_phase) {
    case END_ASKING:
    case END_KILLING:
    case END_TERMINATING:
        send_disconnect(session);
        break;
    case END_DISCONNECTING:
        if (terminal_is_to_tell(session))
            drain(session);
        else
            close_side(session);
        break;
    case END_DRAINING:
        close_side(session);
        break;
    case END_CLOSING:
        force(session, SESSION_SIGTERM);
        break;
    case END_SIGTERM:
    case END_SIGKILL:
        force(session, SESSION_SIGKILL);
        break;
    case END_NONE: /* `exited` came, `terminated` did not */
        end_on_terminated(session);
        break;
    case END_DONE:
        break;
    }
}

static void force(struct session *session, enum session_force how)
{
    session->end_phase = how == SESSION_SIGTERM ? END_SIGTERM : END_SIGKILL;
    uint64_t grace = how == SESSION_SIGTERM ? share(session, 5, GRACE_SIGTERM) : GRACE_SIGKILL;
    timer_set(session, &session->end_timer, grace, on_end_time);
    session->ops->force(session->host, session, how);
}

static void close_side(struct session *session)
{
    if (session->end_phase >= END_CLOSING)
        return;
    session->end_phase = END_CLOSING;
    bool is_program = session->natural_end && session_quirk(session, QUIRK_IS_THE_PROGRAM);
    uint64_t grace = !ends_program(session) ? share(session, 4, GRACE_DETACH) : share(session, 10, GRACE_CLOSE);
    timer_set(session, &session->end_timer, is_program ? share(session, 3, GRACE_PROGRAM) : grace, on_end_time);
    session->ops->close(session->host, session, 0);
    if (session_quirk(session, QUIRK_STAYS))
        force(session, SESSION_SIGTERM);
    if (session->natural_end && !is_program) /* else its exit status is still to come */
        finalise_naturally(session);
}

/* What runs in a terminal tells how it ended as soon as it has: no sooner than the debugger has let go of it, whose last words are over then,
 * and its connection too. */
static bool terminal_is_to_tell(const struct session *session)
{
    return session->natural_end && !session->finalised && !session->has_exit_code && session->exit_signal == 0 &&
           terminals_alive(session) && ends_program(session);
}

/* The session is over but for what may still be told of its end. */
static void drain(struct session *session)
{
    if (terminal_is_to_tell(session)) {
        if (session->end_phase != END_DRAINING)
            timer_set(session, &session->end_timer, share(session, 2, GRACE_TERMINAL), on_end_time);
        session->end_phase = END_DRAINING;
    } else if (session->natural_end && !session->has_exit_code && !session->stream_ended) {
        session->end_phase = END_DRAINING;
        timer_set(session, &session->end_timer, share(session, 10, GRACE_LATE), on_end_time);
    } else {
        close_side(session);
    }
}

static void on_disconnect_answer(void *user, const struct dap_answer *answer)
{
    (void)answer; /* success, refusal, silence and the end of the stream all mean: go on */
    struct session *session = user;
    if (session->end_phase == END_DISCONNECTING)
        drain(session);
}

static yyjson_mut_doc *disconnect_arguments(const struct target *target)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    if (target_capability(target, "supportTerminateDebuggee"))
        json_add_bool(doc, arguments, "terminateDebuggee", ends_program(target->session));
    return doc;
}

/* A server for several clients keeps the program halted, and our breakpoints in it, when one of them leaves. */
static void let_go(struct target *root)
{
    struct session *session = root->session;
    breakpoints_take_away(root);
    if (!session->was_stopped)
        return;
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    int64_t thread;
    target_pick_thread(root, &thread);
    json_add_int(doc, arguments, "threadId", thread);
    target_request(root, "continue", doc, session->timeouts.request, NULL, NULL);
}

static void send_disconnect(struct session *session)
{
    struct target *root = session_root(session);
    if (session_quirk(session, QUIRK_LEAVES_HALTED) && !ends_program(session) && !session->natural_end)
        let_go(root);
    session->end_phase = END_DISCONNECTING;
    uint64_t bound = share(session, 3, session->natural_end ? GRACE_DISCONNECT : UINT64_MAX);
    timer_set(session, &session->end_timer, bound, on_end_time);
    /* The children first: js-debug answers the root's only when theirs is done. */
    for (size_t i = session->target_count; i > 1; i--) {
        struct target *child = session->targets[i - 1];
        if (!child->open || !child->initialize_answered)
            continue;
        child->farewell = true;
        target_request(child, "disconnect", disconnect_arguments(child), bound, NULL, NULL);
    }
    target_request(root, "disconnect", disconnect_arguments(root), bound, on_disconnect_answer, session);
}

/* ---- by itself ---- */

static void on_exit_signal(void *user, const struct dap_answer *answer)
{
    struct session *session = user;
    int64_t number;
    bool answered = answer->outcome == DAP_OK || answer->outcome == DAP_REFUSED;
    if (!session->finalised && answer->outcome == DAP_OK && json_int(answer->body, "result", &number) && number > 0 && number < 128)
        ended_by_signal(session, number);
    else if (!session->finalised && answered)
        session->has_exit_code = true;
    if (session->end_phase == END_ASKING)
        send_disconnect(session);
}

/* gdb knows, but does not tell, whether exit code 0 was an exit at all: $_exitsignal is void unless a signal ended the program. Until it
 * answers, which a machine with much to do puts off, the code is not known; it may do so behind the disconnect. */
static void ask_exit_signal(struct session *session)
{
    uint64_t bound = share(session, 10, GRACE_TERMINATED);
    session->end_phase = END_ASKING;
    session->has_exit_code = false;
    timer_set(session, &session->end_timer, bound, on_end_time);
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_string(doc, arguments, "expression", "$_exitsignal");
    json_add_string(doc, arguments, "context", "watch");
    target_request(session_root(session), "evaluate", doc, session->timeouts.shutdown, on_exit_signal, session);
}

static void leave(struct session *session)
{
    session->mark_awaited = false;
    if (session_quirk(session, QUIRK_GDB_SIGNALS) && session->has_exit_code && session->exit_code == 0)
        ask_exit_signal(session);
    else if (session_quirk(session, QUIRK_IS_THE_PROGRAM)) /* rdbg takes `disconnect` for an order to kill, even then, and hangs */
        close_side(session);
    else
        send_disconnect(session);
}

/* The mark, and the command that writes it into the pipe that the program's output came through. */
static const char output_mark[] = "\x1e"
                                  "dapple: all read"
                                  "\x1e\n";
static const char write_output_mark[] = "python import os; os.write(1, b'\\x1e' b'dapple: all read' b'\\x1e\\n')";

static void on_mark_answer(void *user, const struct dap_answer *answer)
{
    struct session *session = user;
    if (answer->outcome != DAP_OK && session->mark_awaited && session->end_phase == END_ASKING)
        leave(session);
}

static void ask_for_mark(struct session *session)
{
    uint64_t bound = share(session, 10, GRACE_TERMINATED);
    session->end_phase = END_ASKING;
    session->mark_awaited = true;
    timer_set(session, &session->end_timer, bound, on_end_time);
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_string(doc, arguments, "expression", write_output_mark);
    json_add_string(doc, arguments, "context", "repl");
    target_request(session_root(session), "evaluate", doc, bound, on_mark_answer, session);
}

size_t end_before_mark(const struct session *session, const char *text, size_t len)
{
    const char *mark = session->mark_awaited ? memmem(text, len, output_mark, sizeof(output_mark) - 1) : NULL;
    return mark == NULL ? len : (size_t)(mark - text);
}

void end_on_mark(struct session *session)
{
    if (session->end_phase == END_ASKING)
        leave(session);
    session->mark_awaited = false;
}

void end_on_exited(struct session *session, yyjson_val *body)
{
    if (session->finalised)
        return;
    int64_t code;
    if (json_int(body, "exitCode", &code)) {
        session->has_exit_code = true;
        session->exit_code = code;
        if (session_quirk(session, QUIRK_SIGNAL_AS_EXIT_CODE) && code != 0 && code == session->stopped_by_signal)
            ended_by_signal(session, code);
    }
    if (session->end_phase == END_DRAINING) {
        close_side(session);
    } else if (session->end_phase == END_NONE && !session->debuggee_ended) {
        session->debuggee_ended = true;
        timer_set(session, &session->end_timer, GRACE_TERMINATED, on_end_time);
    }
}

/* js-debug's program is a child; when it ends, the root's own `terminated` follows. Where it does not, the end is made of the child's. */
void end_on_child_ended(struct session *session)
{
    if (session_quirk(session, QUIRK_JS_EXIT_TEXT) && session->target_count == 1 && session->had_children &&
        session->end_phase == END_NONE && !session->debuggee_ended)
        timer_set(session, &session->end_timer, session->timeouts.shutdown, on_end_time);
}

void end_on_exit_code(struct session *session, int64_t code)
{
    if (session->finalised || session->has_exit_code)
        return;
    session->has_exit_code = true;
    session->exit_code = code;
    if (session->end_phase == END_DRAINING)
        close_side(session);
}

void end_on_terminal_ended(struct session *session)
{
    if (session->end_phase == END_DRAINING)
        close_side(session);
    else if (session->end_phase == END_KILLING && !terminals_alive(session))
        send_disconnect(session);
}

/* js-debug prints its program's exit code, on the root's connection, only where it is not 0 and only where it owns the streams. */
static void take_js_exit(struct session *session)
{
    if (!session_quirk(session, QUIRK_JS_EXIT_TEXT) || session->has_exit_code || !session->js_tells_exit || !session->had_children)
        return;
    session->has_exit_code = true;
    session->exit_code = 0;
}

void end_on_terminated(struct session *session)
{
    if (!session->finalised && session->end_phase == END_NONE)
        take_js_exit(session);
    session->debuggee_ended = true;
    if (session->end_phase == END_TERMINATING) { /* it obeyed our `terminate` */
        send_disconnect(session);
        return;
    }
    if (session->end_phase != END_NONE)
        return;
    session->natural_end = true;
    take_terminal_exit(session);
    if (session_quirk(session, QUIRK_READS_OUTPUT_LATE))
        ask_for_mark(session);
    else
        leave(session);
}

/* ---- by request, or by failure ---- */

static void on_terminate_answer(void *user, const struct dap_answer *answer)
{
    struct session *session = user;
    if (answer->outcome == DAP_REFUSED && session->end_phase == END_TERMINATING)
        send_disconnect(session);
}

int session_set_fate(struct session *session, enum debuggee_fate fate, struct error *ret_error)
{
    const struct target *root = session_root(session);
    bool can = target_capability(root, "supportTerminateDebuggee") || target_capability(root, "supportsTerminateRequest");
    if (fate == FATE_KILL && session->plan != NULL && session->plan->attach && session_active(session) && !can)
        return error_set(ret_error, ERROR_REQUEST,
                         "%s claims neither supportTerminateDebuggee nor supportsTerminateRequest: it cannot end the process",
                         session->plan->adapter_id);
    session->fate = fate;
    return 0;
}

/* A program that runs may end politely; a process that we attached to only where that is the one way to end it, as was asked for. */
static bool asks_to_terminate(const struct session *session, bool was_running)
{
    const struct target *root = session_root(session);
    if (!ends_program(session) || !target_capability(root, "supportsTerminateRequest"))
        return false;
    if (session->plan->attach)
        return !target_capability(root, "supportTerminateDebuggee");
    return was_running && !session->had_children;
}

/* A program that stands still, or has not begun, and that we can kill ourselves. */
static bool must_not_run_on(const struct session *session)
{
    return session->state != SESSION_RUNNING && ends_program(session) && terminals_alive(session);
}

static void kill_terminals(struct session *session)
{
    session->end_phase = END_KILLING;
    timer_set(session, &session->end_timer, share(session, 4, GRACE_KILL), on_end_time);
    session->ops->kill_terminals(session->host, session);
}

void end_begin(struct session *session, const char *reason)
{
    if (session->end_phase != END_NONE || session->process == PROCESS_NONE) {
        end_finalise(session, reason);
        return;
    }
    bool was_running = session->state == SESSION_RUNNING && !session->debuggee_ended;
    emulation_forget_all(session);
    bool live = session->process == PROCESS_LIVE && !session->stream_ended;
    session->was_stopped = session->state == SESSION_STOPPED;
    /* The phase is set before callbacks hear of the end. */
    if (!live) {
        force(session, SESSION_SIGKILL);
    } else if (must_not_run_on(session)) {
        kill_terminals(session);
    } else if (asks_to_terminate(session, was_running)) {
        uint64_t bound = share(session, 4, GRACE_TERMINATE);
        session->end_phase = END_TERMINATING;
        timer_set(session, &session->end_timer, bound, on_end_time);
        target_request(session_root(session), "terminate", NULL, bound, on_terminate_answer, session);
    } else {
        send_disconnect(session);
    }
    end_finalise(session, reason);
}

void session_end(struct session *session, const char *reason, session_done_fn done, void *user)
{
    AUTO_FREE char *by_itself = session->debuggee_ended ? natural_reason(session) : NULL;
    if (by_itself != NULL)
        reason = by_itself;
    launch_cancel(session, reason);
    if (session->process == PROCESS_NONE) {
        done(user, NULL);
        return;
    }
    struct end_waiter *waiter = xcalloc(1, sizeof(*waiter));
    *waiter = (struct end_waiter){ session->end_waiters, done, user };
    session->end_waiters = waiter;
    end_begin(session, reason);
}

void ending_finish_waiters(struct session *session)
{
    struct end_waiter *list = session->end_waiters;
    session->end_waiters = NULL;
    while (list != NULL) {
        struct end_waiter *waiter = list;
        list = list->next;
        waiter->done(waiter->user, NULL);
        free(waiter);
    }
}

/* ---- the stream and the process ---- */

void session_on_stream_end(struct session *session, uint32_t channel, const char *why)
{
    struct target *child = channel == 0 ? NULL : target_find(session, channel);
    if (child != NULL && child->initialize_answered)
        child_end(child);
    else if (child != NULL)
        child_fail(child, why == NULL ? "the adapter closed its connection" : why);
    if (channel != 0 || session->stream_ended || session->process == PROCESS_NONE)
        return;
    session->stream_ended = true;
    xreplace(&session->stream_failure, why);
    for (size_t i = 0; i < session->target_count; i++)
        dap_connection_end(session->targets[i]->connection, "the adapter closed the connection");
    /* A program that is its own adapter ends by ending. */
    bool ended = session->debuggee_ended || (session_quirk(session, QUIRK_IS_THE_PROGRAM) && session->launch.configured);
    if (ended)
        session->natural_end = session->natural_end || session->end_phase == END_NONE;
    /* What the adapter died of is known when it has exited; whatever is left then gets the signals. */
    if (session->end_phase < END_CLOSING)
        drain(session);
}

/* The adapter was the program. */
static void take_own_exit(struct session *session, int code, int signal)
{
    if (session->finalised || session->has_exit_code)
        return;
    session->has_exit_code = signal == 0;
    session->exit_code = code;
    session->exit_signal = signal;
}

/* One that never said a word of the protocol may be no debug adapter at all. */
static const char *how_early(const struct session *session)
{
    const struct target *root = session_root(session);
    return root != NULL && !root->initialize_answered ? ", before it answered \"initialize\"" : "";
}

static char *exit_reason(const struct session *session, int code, int signal)
{
    const char *early = how_early(session);
    if (session->stream_failure != NULL)
        return xasprintf("Debug Adapter transport failed: %s%s", session->stream_failure, early);
    if (session->end_phase >= END_SIGTERM && session->stream_ended)
        return xasprintf("Debug Adapter transport ended unexpectedly%s", early);
    if (signal != 0)
        return xasprintf("Debug Adapter exited unexpectedly (signal %d)%s", signal, early);
    return xasprintf("Debug Adapter exited unexpectedly (code %d)%s", code, early);
}

/* The process is gone: makes the end known, with the reason that is true. */
static void tell_exit(struct session *session, const char *reason, bool was_connected)
{
    struct launch_progress *launch = &session->launch;
    if (launch->under_way && !session->finalised && !session->natural_end && !launch->failed) {
        launch->failed = true;
        error_set(&launch->error, ERROR_EXIT, "%s", reason);
    }
    if (!was_connected && launch->failed) {
        session->finalised = true;
        session_set_state(session, SESSION_IDLE);
        waits_finish(session, WAIT_ENDED, session->wait_count);
    } else {
        AUTO_FREE char *failed = launch->failed && launch->under_way ? xasprintf("launch failed: %s", launch->error.message) : NULL;
        session->adapter_failed = !session->natural_end && !session->finalised;
        if (session->natural_end)
            finalise_naturally(session);
        else
            end_finalise(session, failed != NULL ? failed : reason);
    }
    launch_finish_failed(session);
}

void session_on_exit(struct session *session, int code, int signal)
{
    if (session->process == PROCESS_NONE)
        return;
    bool was_connected = session->process == PROCESS_LIVE;
    AUTO_FREE char *reason = exit_reason(session, code, signal);
    session->natural_end = session->natural_end || (session->debuggee_ended && session->end_phase == END_NONE);
    session->end_phase = END_DONE; /* before callbacks hear of the stream's end: there is nobody left to close or to kill */
    session_on_stream_end(session, 0, NULL);
    session->process = PROCESS_NONE;
    timer_stop(&session->end_timer);
    timer_stop(&session->startup_timer);
    timer_stop(&session->launch_timer);
    if (session->natural_end && session_quirk(session, QUIRK_IS_THE_PROGRAM))
        take_own_exit(session, code, signal);
    if (session->next_plan == NULL)
        tell_exit(session, reason, was_connected);
    ending_finish_waiters(session);
    if (session->next_plan != NULL && session->process == PROCESS_NONE)
        launch_start_next(session);
}
