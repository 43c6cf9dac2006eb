/* Resuming: everything that lets a stopped program go on, in whatever direction. */
#include "session/internal.h"

#include <string.h>

static const struct resume_command {
    const char *command;
    const char *capability; /* NULL: every adapter can */
    const char *instead;
    bool is_step;
    const char *jumps; /* the reason of its stop, where the adapter leaves it empty; NULL */
} commands[] = {
    [RESUME_CONTINUE] = { .command = "continue" },
    [RESUME_NEXT] = { .command = "next", .is_step = true },
    [RESUME_STEP_IN] = { .command = "stepIn", .is_step = true },
    [RESUME_STEP_OUT] = { .command = "stepOut", .is_step = true },
    [RESUME_STEP_BACK] = { .command = "stepBack",
                           .capability = "supportsStepBack",
                           .instead = "set a breakpoint on an earlier line and run the program again with dap_restart",
                           .is_step = true,
                },
    [RESUME_REVERSE_CONTINUE] = { .command = "reverseContinue",
                                  .capability = "supportsStepBack",
                                  .instead = "set a breakpoint on an earlier line and run the program again with dap_restart",
                       },
    [RESUME_GOTO] = { .command = "goto",
                      .capability = "supportsGotoTargetsRequest",
                      .instead = "dap_evaluate can do what the skipped lines would, and dap_restart runs them again",
                      .jumps = "goto" },
    [RESUME_RESTART_FRAME] = { .command = "restartFrame",
                               .capability = "supportsRestartFrame",
                               .instead = "dap_evaluate can call the function again, and dap_restart runs the program again",
                               .jumps = "restart" },
};

const char *resume_command_name(enum resume_kind kind)
{
    return commands[kind].command;
}

bool session_find_resume(const char *command, enum resume_kind *ret)
{
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        if (commands[i].command == NULL || strcmp(commands[i].command, command) != 0)
            continue;
        *ret = (enum resume_kind)i;
        return true;
    }
    return false;
}

static const char *const granularities[] = {
    [STEP_STATEMENT] = NULL, /* what a step is without a word */
    [STEP_LINE] = "line",
    [STEP_INSTRUCTION] = "instruction",
};

/* Who asked for a resume. */
struct asked {
    struct target *target;
    session_done_fn done;
    void *user;
    uint64_t resume_number;
};

static void asked_finish(struct asked *asked, const struct error *error)
{
    session_done_fn done = asked->done;
    void *user = asked->user;
    free(asked);
    done(user, error);
}

/* Specification, ContinueResponse: "If this attribute is missing a value of true is assumed." */
static void check_single_thread(struct session *session, const struct dap_answer *answer)
{
    if (!session->single_thread || answer->outcome != DAP_OK || strcmp(answer->command, "continue") != 0)
        return;
    if (!json_bool(answer->body, "allThreadsContinued", true))
        return;
    session->single_thread = false;
    session_notice(session, "single_thread: the adapter let all threads go on, not only thread %lld",
                   (long long)session->step_thread);
}

/* What adapters refuse without saying why. */
static const char *refusal_hint(const char *command)
{
    if (strcmp(command, "stepBack") == 0 || strcmp(command, "reverseContinue") == 0)
        return "; an adapter goes back only over what it has recorded, and some only step by step";
    if (strcmp(command, "goto") == 0)
        return "; a jump stays within the function that the program stands in";
    return "";
}

static void on_resume_answer(void *user, const struct dap_answer *answer)
{
    struct asked *asked = user;
    AUTO_FREE char *why = session_answer_text(answer);
    struct session *session = asked->target->session;
    bool newest = asked->resume_number == session->resume_number; /* a stop may have overtaken this answer, and been left again */
    if (newest)
        session->resume_pending = false;
    if (target_refused(asked->target, answer)) {
        if (newest)
            stop_put_back(session);
        AUTO_ERROR struct error error = ERROR_INIT;
        error_set(&error, ERROR_REQUEST, "%s%s", why, refusal_hint(answer->command));
        asked_finish(asked, &error);
        return;
    }
    if (newest)
        check_single_thread(session, answer);
    /* No answer in time is no refusal: the program may well be running, and a retry would step twice. */
    if (answer->outcome == DAP_TIMED_OUT && newest && session->state == SESSION_RUNNING) /* rdbg answers no step back */
        session_notice(session, "%s", why);
    stop_promote(session);
    asked_finish(asked, NULL);
}

yyjson_mut_doc *session_thread_arguments(int64_t adapter_thread, yyjson_mut_val **ret_arguments)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_int(doc, arguments, "threadId", adapter_thread);
    if (ret_arguments != NULL)
        *ret_arguments = arguments;
    return doc;
}

static yyjson_mut_doc *resume_arguments(const struct resume *resume, int64_t adapter_thread)
{
    yyjson_mut_val *arguments;
    if (resume->raw != NULL)
        return resume->raw;
    if (resume->kind == RESUME_RESTART_FRAME) {
        yyjson_mut_doc *doc = json_new_object(&arguments);
        json_add_int(doc, arguments, "frameId", resume->target);
        return doc;
    }
    yyjson_mut_doc *doc = session_thread_arguments(adapter_thread, &arguments);
    if (resume->single_thread)
        json_add_bool(doc, arguments, "singleThread", true);
    json_add_string(doc, arguments, "granularity", granularities[resume->granularity]);
    if (resume->kind == RESUME_GOTO || resume->has_target)
        json_add_int(doc, arguments, "targetId", resume->target);
    return doc;
}

/* What the adapter does not claim is never sent. */
static int check_claims(const struct session *session, const struct resume *resume, struct error *ret_error)
{
    const struct resume_command *command = &commands[resume->kind];
    if (!resume->forced && command->capability != NULL &&
        session_require(session, command->capability, command->command, command->instead, ret_error) < 0)
        return -1;
    if (resume->granularity != STEP_STATEMENT &&
        session_require(session, "supportsSteppingGranularity", "steps of a chosen granularity",
                        "leave granularity out for a step by its own measure, a line or a statement", ret_error) < 0)
        return -1;
    if (resume->kind == RESUME_STEP_IN && resume->has_target &&
        session_require(session, "supportsStepInTargetsRequest", "a step into a chosen call",
                        "dap_continue until=NAME runs into the function of that name", ret_error) < 0)
        return -1;
    if (resume->single_thread && session_require(session, "supportsSingleThreadExecutionRequests", "one thread going on alone",
                                                 "leave single_thread out: all threads go on", ret_error) < 0)
        return -1;
    if (resume->kind == RESUME_STEP_OUT && session_quirk(session, QUIRK_DIES_OF_STEP_OUT))
        return error_set(ret_error, ERROR_STATE,
                         "the step out of %s ends the program: set a breakpoint in the caller, and continue",
                         session_adapter_id(session));
    return 0;
}

static int choose_thread(struct session *session, const struct resume *resume, int64_t *ret_adapter_thread, struct error *ret_error)
{
    const struct stop *stop = &session->stop;
    if (resume->has_thread)
        return session_resolve_thread(session, resume->thread_id, ret_adapter_thread, ret_error);
    /* dlv has none before the program's first: all go on, whichever is named. */
    if (!stop->has_thread && stop->settled && resume->kind == RESUME_CONTINUE) {
        target_pick_thread(session->focus, ret_adapter_thread);
        return 0;
    }
    if (!stop->has_thread)
        return error_set(ret_error, ERROR_STATE, "Debuggee has no thread available for this operation");
    *ret_adapter_thread = stop->adapter_thread_id;
    return 0;
}

/* dlv takes it, goes nowhere, and tells an exception. One instruction alone it can do beside the step that it keeps. */
static int check_kept_step(const struct session *session, const struct resume *resume, struct error *ret_error)
{
    const struct resume_command *command = &commands[resume->kind];
    bool alone = resume->kind == RESUME_STEP_IN && resume->granularity == STEP_INSTRUCTION;
    if (!command->is_step || alone || !session->has_kept_step)
        return 0;
    return error_set(
        ret_error, ERROR_STATE,
        "%s was not done: the step of thread %lld, which this stop interrupted, is not over, and %s takes no other before "
        "that. dap_continue goes on with it; where breakpoints that other threads hit stop it again and again, "
        "dap_remove_breakpoint them, or set them with the condition runtime.curg.goid == %lld",
        command->command, (long long)session->kept_step, session_adapter_id(session), (long long)session->kept_step);
}

int session_resume(struct session *session, const struct resume *resume, session_done_fn done, void *user, struct error *ret_error)
{
    const struct resume_command *command = &commands[resume->kind];
    int64_t thread;
    if (session->state != SESSION_STOPPED || !session->has_stop)
        return error_set(ret_error, ERROR_STATE, "%s requires a stopped Debuggee", command->command);
    if (choose_thread(session, resume, &thread, ret_error) < 0 || check_claims(session, resume, ret_error) < 0 ||
        check_kept_step(session, resume, ret_error) < 0)
        return -1;
    session->step_thread = resume->has_thread ? resume->thread_id : session->stop.thread_id;
    resume_begin(session, resume, command->is_step, thread);
    stop_keep_for_refusal(session);
    session->output_at_resume = session->output_total;
    timer_stop(&session->pause_timer);
    session->resume_pending = true;
    session->stepping = command->is_step;
    session->jumps = command->jumps;
    session->single_thread = resume->single_thread;
    session->has_pause_thread = session->pause_wanted = false;
    session_set_state(session, SESSION_RUNNING);
    struct asked *asked = xcalloc(1, sizeof(*asked));
    *asked = (struct asked){ session->focus, done, user, ++session->resume_number };
    target_request(session->focus, command->command, resume_arguments(resume, thread), session->timeouts.request, on_resume_answer,
                   asked);
    return 0;
}

bool session_single_thread(const struct session *session, int64_t *ret_thread)
{
    bool single = session->state == SESSION_RUNNING && session->single_thread;
    if (single)
        *ret_thread = session->step_thread;
    return single;
}
