/* One DAP connection of a session: its capabilities and its requests. */
#include "session/internal.h"

#include <string.h>

/* The adapter can be spoken to: neither side is closed. */
static bool is_open(const struct session *session)
{
    return session->process == PROCESS_LIVE && !session->stream_ended && session->end_phase < END_CLOSING;
}

static void on_send(void *user, const char *bytes, size_t len)
{
    struct target *target = user;
    struct session *session = target->session;
    if (is_open(session) && target->open)
        session->ops->send(session->host, session, target->channel, bytes, len);
}

static void on_event(void *user, const char *event, yyjson_val *body)
{
    target_on_event(user, event, body);
}

static void on_request(void *user, int64_t seq, const char *command, yyjson_val *arguments)
{
    target_on_reverse_request(user, seq, command, arguments);
}

static void on_fault(void *user, const char *sentence)
{
    struct target *target = user;
    struct session *session = target->session;
    if (session_quirk(session, QUIRK_IS_THE_PROGRAM) && !target->initialize_answered)
        return; /* rdbg greets in a language of its own until it has read what the client speaks */
    /* An adapter that floods us with junk is named once; the rest is counted. */
    if (session->fault_count++ < 3)
        session_notice(session, "the adapter broke the protocol: %s", sentence);
}

struct target *target_new(struct session *session, uint32_t channel, const char *name)
{
    static const struct dap_connection_ops ops = {
        .send = on_send,
        .on_event = on_event,
        .on_request = on_request,
        .on_fault = on_fault,
    };
    struct target *target = xcalloc(1, sizeof(*target));
    target->session = session;
    target->channel = channel;
    target->name = xstrdup(name);
    target->queued.total_frames = -1;
    target->connection = dap_connection_new(&ops, target);
    dap_connection_on_time(target->connection, session->now);
    target->capabilities = yyjson_mut_doc_new(NULL);
    yyjson_mut_doc_set_root(target->capabilities, yyjson_mut_obj(target->capabilities));
    return target;
}

void target_free(struct target *target)
{
    if (target == NULL)
        return;
    emulation_forget(target);
    dap_connection_free(target->connection);
    child_free(target->child);
    stop_done(&target->queued);
    breakpoints_forget_target(target);
    free(target->threads);
    yyjson_mut_doc_free(target->capabilities);
    free(target->name);
    free(target->condition_words);
    free(target);
}

struct target *target_find(const struct session *session, uint32_t channel)
{
    for (size_t i = 0; i < session->target_count; i++)
        if (session->targets[i]->channel == channel)
            return session->targets[i];
    return NULL;
}

/* Out of the list, but not freed while a callback of its connection may be under way. */
void target_bury(struct target *target)
{
    struct session *session = target->session;
    emulation_forget(target);
    pauses_forget_target(target);
    if (session->resumed.target == target)
        resume_forget(session);
    if (session->pause_target == target)
        session->has_pause_thread = false;
    for (size_t i = 0; i < session->target_count; i++) {
        if (session->targets[i] != target)
            continue;
        memmove(session->targets + i, session->targets + i + 1, (session->target_count - i - 1) * sizeof(*session->targets));
        session->target_count--;
        session->dead = xgrow(session->dead, &session->dead_cap, session->dead_count + 1, sizeof(*session->dead));
        session->dead[session->dead_count++] = target;
        return;
    }
}

/* Specification, InitializeRequestArguments: only what we do is claimed. */
yyjson_mut_doc *session_initialize_arguments(const char *adapter_type)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_string(doc, arguments, "clientID", "dapple");
    json_add_string(doc, arguments, "clientName", "Dapple");
    json_add_string(doc, arguments, "adapterID", adapter_type);
    json_add_string(doc, arguments, "locale", "en-US");
    json_add_bool(doc, arguments, "linesStartAt1", true);
    json_add_bool(doc, arguments, "columnsStartAt1", true);
    json_add_string(doc, arguments, "pathFormat", "path");
    json_add_bool(doc, arguments, "supportsVariableType", true);
    json_add_bool(doc, arguments, "supportsVariablePaging", true);
    json_add_bool(doc, arguments, "supportsRunInTerminalRequest", true);
    json_add_bool(doc, arguments, "supportsStartDebuggingRequest", true);
    json_add_bool(doc, arguments, "supportsMemoryReferences", true); /* codelldb tells none without */
    json_add_bool(doc, arguments, "supportsProgressReporting", true);
    json_add_bool(doc, arguments, "supportsInvalidatedEvent", true);
    json_add_bool(doc, arguments, "supportsMemoryEvent", true);
    return doc;
}

void target_initialize(struct target *target, const char *adapter_type, dap_answer_fn answer)
{
    target_request(target, "initialize", session_initialize_arguments(adapter_type), target->session->timeouts.startup, answer,
                   target);
}

struct target *session_root(const struct session *session)
{
    return session->target_count > 0 ? session->targets[0] : NULL;
}

yyjson_mut_val *target_capability_value(const struct target *target, const char *name)
{
    return target == NULL ? NULL : yyjson_mut_obj_get(yyjson_mut_doc_get_root(target->capabilities), name);
}

bool target_capability(const struct target *target, const char *name)
{
    return yyjson_mut_get_bool(target_capability_value(target, name));
}

/* Claimed, and not done: what is said of it is as if it were not said. */
static bool is_claimed_wrongly(const struct session *session, const char *name)
{
    char **names = session->plan == NULL ? NULL : session->plan->claims_wrongly;
    while (names != NULL && *names != NULL && strcmp(*names, name) != 0)
        names++;
    return names != NULL && *names != NULL;
}

bool target_takes_cancel(const struct target *target)
{
    return target_capability(target, "supportsCancelRequest") && !session_quirk(target->session, QUIRK_HARMED_BY_CANCEL);
}

/* Key by key: a member that is missing never clears one that was told before. */
void target_merge_capabilities(struct target *target, yyjson_val *body)
{
    if (!yyjson_is_obj(body))
        return;
    yyjson_mut_val *root = yyjson_mut_doc_get_root(target->capabilities);
    size_t index, most;
    yyjson_val *key, *value;
    yyjson_obj_foreach(body, index, most, key, value) {
        if (yyjson_is_null(value) || is_claimed_wrongly(target->session, yyjson_get_str(key)))
            continue;
        yyjson_mut_obj_remove_keyn(root, yyjson_get_str(key), yyjson_get_len(key));
        yyjson_mut_obj_add(root, yyjson_val_mut_copy(target->capabilities, key), yyjson_val_mut_copy(target->capabilities, value));
    }
}

yyjson_mut_val *session_capability_value(const struct session *session, const char *name)
{
    return target_capability_value(session->focus, name);
}

bool session_capability(const struct session *session, const char *name)
{
    return target_capability(session->focus, name);
}

int session_require(const struct session *session, const char *name, const char *what, const char *instead, struct error *ret_error)
{
    if (session_capability(session, name))
        return 0;
    return error_set(ret_error, ERROR_REQUEST, "%s cannot do %s: it does not claim %s; %s", session_adapter_id(session), what, name,
                     instead);
}

int64_t target_request(struct target *target, const char *command, yyjson_mut_doc *arguments, uint64_t timeout_ms,
                       dap_answer_fn answer, void *user)
{
    if (!is_open(target->session)) {
        yyjson_mut_doc_free(arguments);
        if (answer == NULL)
            return 0;
        AUTO_FREE char *message = xasprintf("%s request failed: the adapter has ended", command);
        answer(user, &(struct dap_answer){ .outcome = DAP_CLOSED, .command = command, .message = message, .short_form = "" });
        return 0;
    }
    return dap_connection_request(target->connection, command, arguments, timeout_ms, answer, user);
}

bool target_refused(const struct target *target, const struct dap_answer *answer)
{
    return answer->outcome == DAP_REFUSED || (answer->outcome == DAP_CLOSED && !dap_connection_ended(target->connection));
}
