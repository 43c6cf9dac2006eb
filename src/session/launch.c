/* The choreography of a launch (specification, "Launching and attaching").
 *
 * Three things complete on their own: the answer to `launch`, the configuration, and the first stop or end. Configuration runs on every
 * `initialized`, whenever it arrives. A refused launch, the end of the stream, an exit and the time-outs race with all of them. */
#include "session/internal.h"

#include <stdarg.h>
#include <string.h>

static void free_list(char **list)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++)
        free(list[i]);
    free(list);
}

void launch_plan_free(struct launch_plan *plan)
{
    if (plan == NULL)
        return;
    free(plan->adapter_id);
    free(plan->adapter_type);
    free_list(plan->command.argv);
    free_list(plan->command.env);
    free(plan->command.cwd);
    free(plan->command.host);
    free(plan->command.announcement);
    yyjson_mut_doc_free(plan->arguments);
    free_list(plan->exception_filters);
    free_list(plan->claims_wrongly);
    free(plan->panic_function);
    free(plan->program);
    free(plan->attached_to);
    free(plan);
}

/* ---- start ---- */

static void on_launch_time(struct session *session);
static void on_startup_time(struct session *session);

int session_launch(struct session *session, struct launch_plan *plan, launch_fn done, void *user, struct error *ret_error)
{
    if (session_active(session) || session->launch.under_way) {
        launch_plan_free(plan);
        return error_set(ret_error, ERROR_STATE, "launch requires no active Debug Session");
    }
    error_clear(&session->launch.error);
    session->launch = (struct launch_progress){ .under_way = true, .done = done, .user = user };
    launch_plan_free(session->next_plan);
    session->next_plan = plan;
    session->state_before_launch = session->state;
    session_set_state(session, SESSION_LAUNCHING);
    if (session->process == PROCESS_NONE)
        launch_start_next(session);
    /* Otherwise the former adapter is being ended: session_on_exit goes on from here. */
    return 0;
}

static void forget_former_run(struct session *session)
{
    session_bury_targets(session);
    output_clear(session);
    ring_clear(&session->stderr_tail);
    buffer_clear(&session->notices);
    stop_drop(session);
    stop_done(&session->former_stop);
    session->has_former_stop = false;
    session->resume_pending = session->stepping = session->pause_wanted = false;
    session->pauses_sent = 0;
    resume_forget(session);
    session->shown_thread_count = 0;
    session->had_children = session->js_tells_exit = session->start_passed = session->first_stop_seen = false;
    session->has_kept_step = false;
    session->has_open_step = false;
    terminals_forget(session);
    session->has_exit_code = session->process_seen = false;
    process_facts_done(&session->process_facts);
    told_forget(session);
    session->read_again_stop = 0;
    session->fate = FATE_DEFAULT;
    session->exit_signal = session->stopped_by_signal = 0;
    session->fault_count = 0;
    session->end_phase = END_NONE;
    session->finalised = session->debuggee_ended = session->stream_ended = session->natural_end = false;
    xreplace(&session->termination_reason, NULL);
    session->adapter_failed = session->mark_awaited = false;
    timer_stop(&session->pause_timer);
    timer_stop(&session->panic_timer);
    xreplace(&session->stream_failure, NULL);
    rejected_children_free(session->rejected, session->rejected_count);
    session->rejected = NULL;
    session->rejected_count = session->rejected_cap = 0;
}

void launch_start_next(struct session *session)
{
    forget_former_run(session);
    launch_plan_free(session->plan);
    session->plan = session->next_plan;
    session->next_plan = NULL;
    breakpoints_begin_launch(session, session->plan->exception_filters);
    session->process = PROCESS_STARTING;
    timer_set(session, &session->startup_timer, session->timeouts.startup, on_startup_time);
    session->ops->start(session->host, session, &session->plan->command);
}

void session_on_start_failed(struct session *session, const struct error *why)
{
    if (session->process != PROCESS_STARTING)
        return;
    if (!session->launch.failed) {
        session->launch.failed = true;
        error_set(&session->launch.error, why->kind, "%s", why->message == NULL ? "the adapter did not start" : why->message);
    }
    session_on_exit(session, 0, 0);
}

static void fail_unconnected(struct session *session)
{
    AUTO_FREE char *why = session->ops->explain_wait(session->host, session);
    launch_fail(session, ERROR_TIMEOUT, "%s (waited %llu ms)", why != NULL ? why : "the adapter has not accepted a connection",
                (unsigned long long)session->timeouts.startup);
}

static void on_startup_time(struct session *session)
{
    if (session->process == PROCESS_STARTING)
        fail_unconnected(session);
    else if (session->state == SESSION_LAUNCHING)
        launch_fail(session, ERROR_TIMEOUT,
                    "the adapter answered `launch` but sent no `initialized` event within %llu ms, so breakpoints could not be set",
                    (unsigned long long)session->timeouts.startup);
}

/* ---- initialize, launch ---- */

static void send_launch(struct session *session);

static void on_initialize_answer(void *user, const struct dap_answer *answer)
{
    struct target *target = user;
    struct session *session = target->session;
    if (answer->outcome == DAP_CLOSED || answer->outcome == DAP_CANCELLED || session->end_phase != END_NONE)
        return; /* the end of the stream tells why */
    if (answer->outcome != DAP_OK) {
        AUTO_FREE char *why = session_answer_text(answer);
        launch_fail(session, answer->outcome == DAP_TIMED_OUT ? ERROR_TIMEOUT : ERROR_REQUEST, "%s", why);
        return;
    }
    target_merge_capabilities(target, answer->body);
    target->initialize_answered = true;
    if (!session_quirk(session, QUIRK_LAUNCH_LAST))
        send_launch(session);
    if (target->initialized_waiting) {
        target->initialized_waiting = false;
        launch_on_initialized(target);
    }
}

void session_on_connected(struct session *session, uint32_t channel)
{
    struct target *child = channel == 0 ? NULL : target_find(session, channel);
    if (child != NULL && !child->open && session->end_phase == END_NONE)
        child_on_connected(child);
    if (channel != 0 || session->process != PROCESS_STARTING || session->end_phase != END_NONE)
        return;
    session->process = PROCESS_LIVE;
    timer_stop(&session->startup_timer);
    timer_set(session, &session->launch_timer, session->timeouts.launch, on_launch_time);
    struct target *root = target_new(session, 0, NULL);
    root->open = true;
    session->targets = xrealloc(session->targets, sizeof(*session->targets));
    session->targets[0] = root;
    session->target_count = 1;
    session->focus = root;
    target_initialize(root, session->plan->adapter_type, on_initialize_answer);
}

static void on_launch_answer(void *user, const struct dap_answer *answer)
{
    struct target *target = user;
    struct session *session = target->session;
    if (answer->outcome == DAP_REFUSED) {
        AUTO_FREE char *why = session_answer_text(answer);
        launch_fail(session, ERROR_REQUEST, "%s", why);
    } else if (answer->outcome == DAP_OK && session->end_phase == END_NONE) {
        session->launch.answered = true;
        if (!session->launch.initialized)
            timer_set(session, &session->startup_timer, session->timeouts.startup, on_startup_time);
        launch_check(session);
    }
}

/* js-debug, source: it prints "Process exited with code N" only for programs whose output it carries itself. */
static bool js_owns_streams(yyjson_mut_val *arguments)
{
    const char *console = yyjson_mut_get_str(yyjson_mut_obj_get(arguments, "console"));
    const char *capture = yyjson_mut_get_str(yyjson_mut_obj_get(arguments, "outputCapture"));
    return (console == NULL || strcmp(console, "internalConsole") == 0) && (capture == NULL || strcmp(capture, "std") != 0);
}

static void send_launch(struct session *session)
{
    if (session->launch.request_sent)
        return;
    session->launch.request_sent = true;
    yyjson_mut_doc *arguments = yyjson_mut_doc_mut_copy(session->plan->arguments, NULL); /* they are kept for `restart` */
    session->js_tells_exit = js_owns_streams(yyjson_mut_doc_get_root(arguments));
    struct target *root = session_root(session);
    /* No time-out of its own: the launch timer keeps the session when it fires. */
    target_request(root, session->plan->attach && !session->plan->launch_request ? "attach" : "launch", arguments, 0,
                   on_launch_answer, root);
}

/* ---- configuration ---- */

/* One run of the configuration: what it still waits for. Ends after its last answer. */
struct configuration {
    struct target *target;
    int awaited;
    enum { CONFIGURE_BREAKPOINTS, CONFIGURE_EXCEPTIONS_LAST, CONFIGURE_DONE } stage;
};

static void configuration_advance(struct configuration *configuration);

static void on_configuration_answer(void *user, const struct dap_answer *answer)
{
    struct configuration *configuration = user;
    struct session *session = configuration->target->session;
    if (answer->outcome == DAP_REFUSED || answer->outcome == DAP_TIMED_OUT) {
        AUTO_FREE char *why = session_answer_text(answer);
        if (strcmp(answer->command, "configurationDone") == 0 && configuration->target->channel == 0)
            launch_fail(session, ERROR_REQUEST, "%s", why);
        else
            session_notice(session, "%s", why);
    }
    configuration->awaited--;
    configuration_advance(configuration);
}

static void send_configured(struct configuration *configuration, const char *command, yyjson_mut_doc *arguments)
{
    struct session *session = configuration->target->session;
    configuration->awaited++;
    target_request(configuration->target, command, arguments, session->timeouts.request, on_configuration_answer, configuration);
}

static void configuration_end(struct configuration *configuration)
{
    struct target *target = configuration->target;
    struct session *session = target->session;
    free(configuration);
    if (session->end_phase != END_NONE || session->stream_ended || target->gone)
        return;
    target->ready = true;
    if (target->channel != 0) {
        /* Requests that name no frame are for the program: its root answers none. */
        if (session_quirk(session, QUIRK_PROGRAM_IS_CHILD) && session->focus == session_root(session) && !session->has_stop)
            session->focus = target;
        pause_newcomer(target);
        launch_check(session);
        return;
    }
    session->launch.configured = true;
    if (session_quirk(session, QUIRK_LAUNCH_LAST))
        send_launch(session);
    launch_check(session);
    emulation_configured(target);
}

static void configuration_advance(struct configuration *configuration)
{
    if (configuration->awaited > 0)
        return;
    bool has_done = target_capability(configuration->target, "supportsConfigurationDoneRequest");
    struct session *session = configuration->target->session;
    bool over = session->end_phase != END_NONE || session->stream_ended || configuration->target->gone;
    if (configuration->stage == CONFIGURE_BREAKPOINTS && !over) {
        configuration->awaited++; /* held while requests are being added: an answer may come at once */
        configuration->stage = has_done ? CONFIGURE_DONE : CONFIGURE_EXCEPTIONS_LAST;
        if (has_done)
            send_configured(configuration, "configurationDone", NULL);
        else
            breakpoints_send_exceptions(configuration->target, true, on_configuration_answer, configuration,
                                        &configuration->awaited);
        configuration->awaited--;
        if (configuration->awaited > 0)
            return;
    }
    configuration_end(configuration);
}

/* pydevd's own request. Without it a condition that fails is one that is false, and of an unknown name not a word is said. */
static void send_failed_conditions(struct configuration *configuration)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_value(doc, arguments, "skipSuspendOnBreakpointException", yyjson_mut_arr(doc));
    json_add_value(doc, arguments, "skipPrintBreakpointException", yyjson_mut_arr(doc));
    send_configured(configuration, "setDebuggerProperty", doc);
}

void launch_on_initialized(struct target *target)
{
    struct session *session = target->session;
    if (session->end_phase != END_NONE || session->finalised)
        return;
    if (!target->initialize_answered) {
        target->initialized_waiting = true;
        return;
    }
    if (target->channel == 0) {
        session->launch.initialized = true;
        timer_stop(&session->startup_timer);
        entry_prepare(session);
    }
    struct configuration *configuration = xcalloc(1, sizeof(*configuration));
    configuration->target = target;
    configuration->awaited = 1; /* held while requests are being added */
    if (session_quirk(session, QUIRK_PASSES_FAILED_CONDITIONS) && target_capability(target, "supportsDebuggerProperties"))
        send_failed_conditions(configuration);
    breakpoints_send_all(target, on_configuration_answer, configuration, &configuration->awaited);
    if (target_capability(target, "supportsConfigurationDoneRequest"))
        breakpoints_send_exceptions(target, false, on_configuration_answer, configuration, &configuration->awaited);
    configuration->awaited--;
    configuration_advance(configuration);
}

/* ---- the adapter's own restart ---- */

struct restart {
    session_done_fn done;
    void *user;
};

bool session_can_restart(const struct session *session)
{
    bool active = session->state == SESSION_RUNNING || session->state == SESSION_STOPPED;
    return active && !session->launch.under_way && !session->plan->attach && session->end_phase == END_NONE &&
           target_capability(session_root(session), "supportsRestartRequest");
}

static void on_restart_answer(void *user, const struct dap_answer *answer)
{
    struct restart *restart = user;
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_FREE char *why = answer->outcome == DAP_OK ? NULL : session_answer_text(answer);
    if (why != NULL)
        error_set(&error, ERROR_REQUEST, "%s", why);
    restart->done(restart->user, why != NULL ? &error : NULL);
    free(restart);
}

void session_restart(struct session *session, session_done_fn done, void *user)
{
    struct target *root = session_root(session);
    stop_drop(session);
    stop_done(&session->former_stop);
    session->has_former_stop = false;
    session->resume_pending = session->stepping = session->pause_wanted = session->single_thread = false;
    emulation_forget_all(session);
    breakpoints_begin_run(session);
    timer_stop(&session->pause_timer);
    session->stopped_by_signal = 0;
    session->focus = root;
    session_set_state(session, SESSION_RUNNING);
    struct restart *restart = xcalloc(1, sizeof(*restart));
    *restart = (struct restart){ done, user };
    session->resume_number++;
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    yyjson_mut_val *launch = yyjson_mut_doc_get_root(session->plan->arguments);
    json_add_value(doc, arguments, "arguments", yyjson_mut_val_mut_copy(doc, launch));
    target_request(root, "restart", doc, session->timeouts.launch, on_restart_answer, restart);
}

/* ---- completion ---- */

static void finish(struct session *session, enum launch_outcome outcome, const struct error *error)
{
    if (!session->launch.under_way)
        return;
    session->launch.under_way = false;
    session->launch.done(session->launch.user, outcome, error);
}

/* Attached is what has a connection of its own, where the program is a child: before, there is nothing to pause or to ask. */
static bool program_is_there(const struct session *session)
{
    if (!session->plan->attach || !session_quirk(session, QUIRK_PROGRAM_IS_CHILD))
        return true;
    for (size_t i = 1; i < session->target_count; i++) {
        if (session->targets[i]->ready)
            return true;
    }
    return false;
}

void launch_check(struct session *session)
{
    struct launch_progress *launch = &session->launch;
    if (launch->failed)
        return;
    if (session->finalised) {
        timer_stop(&session->launch_timer);
        finish(session, LAUNCH_STARTED, NULL);
        return;
    }
    if (launch->answered && launch->configured && program_is_there(session) && session->state == SESSION_LAUNCHING)
        session_set_state(session, SESSION_RUNNING);
    bool stopped = session->state == SESSION_STOPPED && session->stop.settled;
    bool running = session->state == SESSION_RUNNING && launch->answered && launch->configured;
    if (stopped || running) {
        timer_stop(&session->launch_timer);
        finish(session, LAUNCH_STARTED, NULL);
    }
}

static void on_launch_time(struct session *session)
{
    if (session->launch.failed || session->finalised)
        return;
    finish(session, LAUNCH_PENDING, NULL);
}

void launch_fail(struct session *session, enum error_kind kind, const char *format, ...)
{
    if (session->launch.failed || session->finalised)
        return;
    va_list args;
    va_start(args, format);
    AUTO_FREE char *message = xvasprintf(format, args);
    va_end(args);
    session->launch.failed = true;
    error_set(&session->launch.error, kind, "%s", message);
    timer_stop(&session->launch_timer);
    timer_stop(&session->startup_timer);
    AUTO_FREE char *reason = xasprintf("launch failed: %s", message);
    end_begin(session, reason);
}

void launch_finish_failed(struct session *session)
{
    struct launch_progress *launch = &session->launch;
    if (!launch->failed || !launch->under_way)
        return;
    AUTO_ERROR struct error error = ERROR_INIT;
    error_move(&error, &launch->error);
    finish(session, launch->cancelled ? LAUNCH_CANCELLED : LAUNCH_FAILED, &error);
}

void launch_cancel(struct session *session, const char *reason)
{
    struct launch_progress *launch = &session->launch;
    if (!launch->under_way || launch->failed)
        return;
    launch->failed = launch->cancelled = true;
    error_set(&launch->error, ERROR_CANCELLED, "launch was cancelled and cleaned up");
    timer_stop(&session->launch_timer);
    timer_stop(&session->startup_timer);
    if (session->next_plan != NULL) { /* the former adapter is still being ended: this launch never began */
        launch_plan_free(session->next_plan);
        session->next_plan = NULL;
        session_set_state(session, session->state_before_launch);
        launch_finish_failed(session);
        return;
    }
    end_begin(session, reason);
}

void session_launch_cancel(struct session *session)
{
    launch_cancel(session, "launch cancelled");
}
