/* dap_step_in, into a chosen call of the line where there are several; dap_step_in_targets lists them. */
#include "verb/internal.h"

#include <string.h>

#define TARGETS_MOST 200

/* ---- the targets of a frame ---- */

static size_t read_targets(struct session *session, yyjson_val *body, struct choice *ret)
{
    size_t count = read_choices(body, ret, TARGETS_MOST);
    for (size_t i = 0; i < count; i++)
        ret[i].handle = session_step_target_handle(session, ret[i].adapter_id);
    return count;
}

static yyjson_mut_doc *targets_arguments(int64_t adapter_frame)
{
    return scopes_arguments(adapter_frame); /* no more than the frame's id, too */
}

static bool claims_targets(struct call *call)
{
    return call_requires(call, "supportsStepInTargetsRequest", "dap_continue until=NAME runs into the function of that name");
}

static void on_targets(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct choice choices[TARGETS_MOST];
    if (!call_answered(call, answer))
        return;
    size_t count = read_targets(call_session(call), answer->body, choices);
    render_choices(&call->result.text, "Step-in targets", choices, count, "dap_step_in", call_session_name(call));
    structured_choices(call, "targets", choices, count);
    call_succeed(call);
}

static void ask_targets(struct call *call, session_answer_fn answer)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    int64_t frame;
    if (!claims_targets(call))
        return;
    if (call_top_frame(call, &frame, NULL, &error) < 0)
        call_give_up(call, &error);
    else
        call_request(call, "stepInTargets", targets_arguments(frame), answer);
}

void verb_step_in_targets(struct call *call)
{
    ask_targets(call, on_targets);
}

/* ---- stepping ---- */

/* The one that is called so, or the only one whose label has it in it; else it is for the caller to choose. */
static const struct choice *find_target(const struct choice *choices, size_t count, const char *function, size_t *ret_matches)
{
    const struct choice *found = NULL;
    *ret_matches = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(choices[i].label, function) == 0) {
            *ret_matches = 1;
            return &choices[i];
        }
        if (strstr(choices[i].label, function) != NULL) {
            found = &choices[i];
            ++*ret_matches;
        }
    }
    return *ret_matches == 1 ? found : NULL;
}

static void on_targets_for_function(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct choice choices[TARGETS_MOST];
    AUTO_ERROR struct error error = ERROR_INIT;
    if (!call_answered(call, answer))
        return;
    const char *function = json_string(call->arguments, "function");
    size_t count = read_targets(call_session(call), answer->body, choices);
    size_t matches;
    const struct choice *target = find_target(choices, count, function, &matches);
    if (target != NULL) {
        struct resume resume = call_resume_arguments(call, RESUME_STEP_IN);
        resume.has_target = true;
        resume.target = target->adapter_id;
        call_resume(call, &resume);
        return;
    }
    render_choices(&call->result.text, "Step-in targets", choices, count, "dap_step_in", call_session_name(call));
    if (matches > 1)
        error_set(&error, ERROR_ARGUMENT, "/function: \"%s\" is in %zu of the calls of this line; choose one by target_id",
                  function, matches);
    else
        error_set(&error, ERROR_ARGUMENT, "/function: no call of this line has \"%s\" in its name", function);
    call_fail(call, &error);
}

static int check_arguments(struct call *call, struct resume *resume, struct error *ret_error)
{
    int64_t handle;
    bool by_function = json_member(call->arguments, "function") != NULL;
    bool by_target = json_int(call->arguments, "target_id", &handle);
    if (by_function && by_target)
        return error_set(ret_error, ERROR_ARGUMENT, "/function and /target_id both say where to: give one of them");
    if ((by_function || by_target) && json_int_or(call->arguments, "count", 1) > 1)
        return error_set(ret_error, ERROR_ARGUMENT, "/count: a chosen call is one step into it; leave count out");
    if ((by_function || by_target) && resume->has_thread)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "/thread_id: a chosen call is one of the thread that stopped; leave thread_id out");
    resume->has_target = by_target;
    return by_target ? session_resolve_step_target(call_session(call), handle, &resume->target, ret_error) : 0;
}

void verb_step_in(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct resume resume = call_resume_arguments(call, RESUME_STEP_IN);
    if (check_arguments(call, &resume, &error) < 0)
        call_give_up(call, &error);
    else if (json_member(call->arguments, "function") != NULL)
        ask_targets(call, on_targets_for_function);
    else
        call_resume(call, &resume);
}
