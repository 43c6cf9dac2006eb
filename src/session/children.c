/* Child sessions: more DAP connections of one session, for a worker, a child process, or (js-debug) the program itself.
 *
 * The reverse request is answered before the connection is opened: the adapter waits for the answer. A child has its own handshake and
 * configuration; when that fails, the child is dropped and named to the user, and the session goes on. (Specification, "StartDebugging
 * Request"; debugpy announces its subprocesses by an event of its own with the same meaning.) */
#include "session/internal.h"

#include <string.h>

#define MOST_CHILDREN 200
#define MOST_REJECTED 100

struct child {
    char *request;                 /* "launch" or "attach" */
    yyjson_mut_doc *configuration; /* its arguments, verbatim */
    char *type, *name, *target_id; /* NULL when not told */
};

void child_free(struct child *child)
{
    if (child == NULL)
        return;
    yyjson_mut_doc_free(child->configuration);
    free(child->request);
    free(child->type);
    free(child->name);
    free(child->target_id);
    free(child);
}

static char *describe(const struct child *child)
{
    struct buffer text;
    buffer_init(&text, 4096);
    if (child->type != NULL)
        (void)buffer_add(&text, child->type);
    if (child->name != NULL)
        (void)buffer_addf(&text, "%s\"%s\"", text.len > 0 ? " " : "", child->name);
    if (child->target_id != NULL)
        (void)buffer_addf(&text, "%s(target %s)", text.len > 0 ? " " : "", child->target_id);
    if (text.len == 0)
        (void)buffer_add(&text, "(unnamed)");
    return buffer_take(&text, NULL);
}

/* Every refused child is reported once, by the next result that runs the program or tells the state. */
static char *reject(struct session *session, const struct child *child, const char *why)
{
    AUTO_FREE char *description = describe(child);
    char *message = xasprintf("Dapple could not debug child session %s: %s. Breakpoints in it will not bind.", description, why);
    bool over = session->finalised || session->end_phase != END_NONE; /* children that go with their session are no news */
    if (session->rejected_count < MOST_REJECTED && !over) {
        session->rejected =
            xgrow(session->rejected, &session->rejected_cap, session->rejected_count + 1, sizeof(*session->rejected));
        session->rejected[session->rejected_count++] = (struct rejected_child){ .message = xstrdup(message),
                                                                                .type = xstrdup(child->type),
                                                                                .name = xstrdup(child->name),
                                                                                .target_id = xstrdup(child->target_id) };
    }
    return message;
}

static struct child *child_read(yyjson_val *configuration, const char *request)
{
    struct child *child = xcalloc(1, sizeof(*child));
    child->request = xstrdup(request != NULL && strcmp(request, "attach") == 0 ? "attach" : "launch");
    child->type = xstrdup(json_string(configuration, "type"));
    child->name = xstrdup(json_string(configuration, "name"));
    child->target_id = xstrdup(json_string(configuration, "__pendingTargetId"));
    child->configuration = json_new_object(NULL);
    if (configuration != NULL)
        yyjson_mut_doc_set_root(child->configuration, yyjson_val_mut_copy(child->configuration, configuration));
    return child;
}

/* Why no connection can be opened for it; NULL when it can. */
static const char *obstacle(const struct session *session, yyjson_val *configuration)
{
    if (session->finalised || session->end_phase != END_NONE)
        return "the Debug Session ended";
    if (session->target_count > MOST_CHILDREN)
        return "there are too many child sessions already";
    bool same_server = json_object(configuration, "connect") == NULL;
    if (same_server && session->plan->command.transport == SESSION_STDIO)
        return "its adapter speaks over stdin and stdout, where no second connection is possible";
    return NULL;
}

static void open_channel(struct session *session, struct child *child, yyjson_val *configuration)
{
    yyjson_val *connect = json_object(configuration, "connect");
    const char *host = json_string(connect, "host");
    int64_t port = json_int_or(connect, "port", 0);
    AUTO_FREE char *unnamed = child->name == NULL ? describe(child) : NULL;
    struct target *target = target_new(session, ++session->last_channel, child->name == NULL ? unnamed : child->name);
    target->child = child;
    session->targets = xrealloc(session->targets, (session->target_count + 1) * sizeof(*session->targets));
    session->targets[session->target_count++] = target;
    session->had_children = true;
    const char *address = connect == NULL ? NULL : host == NULL ? "127.0.0.1" : host;
    session->ops->open(session->host, session, target->channel, address, (uint16_t)port);
}

void child_requested(struct target *parent, int64_t seq, yyjson_val *arguments)
{
    yyjson_val *configuration = json_object(arguments, "configuration");
    struct child *child = child_read(configuration, json_string(arguments, "request"));
    const char *why = obstacle(parent->session, configuration);
    if (why != NULL) {
        AUTO_FREE char *message = reject(parent->session, child, why);
        dap_connection_respond(parent->connection, seq, "startDebugging", false, NULL, message);
        child_free(child);
        return;
    }
    dap_connection_respond(parent->connection, seq, "startDebugging", true, json_new_object(NULL), NULL);
    open_channel(parent->session, child, configuration);
}

void child_announced(struct target *parent, yyjson_val *configuration)
{
    struct child *child = child_read(configuration, "attach");
    const char *why = obstacle(parent->session, configuration);
    if (why != NULL) {
        free(reject(parent->session, child, why));
        child_free(child);
        return;
    }
    open_channel(parent->session, child, configuration);
}

/* ---- handshake ---- */

static void on_request_answer(void *user, const struct dap_answer *answer)
{
    struct target *target = user;
    if (answer->outcome != DAP_REFUSED && answer->outcome != DAP_TIMED_OUT)
        return; /* success; or the end of its stream tells */
    AUTO_FREE char *why = session_answer_text(answer);
    child_fail(target, why);
}

static void on_initialize_answer(void *user, const struct dap_answer *answer)
{
    struct target *target = user;
    struct session *session = target->session;
    if (answer->outcome == DAP_REFUSED || answer->outcome == DAP_TIMED_OUT) {
        AUTO_FREE char *why = session_answer_text(answer);
        child_fail(target, why);
        return;
    }
    if (answer->outcome != DAP_OK || session->end_phase != END_NONE)
        return;
    target_merge_capabilities(target, answer->body);
    target->initialize_answered = true;
    yyjson_mut_doc *configuration = target->child->configuration;
    target->child->configuration = NULL;
    target_request(target, target->child->request, configuration, session->timeouts.launch, on_request_answer, target);
    if (target->initialized_waiting && target->open) {
        target->initialized_waiting = false;
        launch_on_initialized(target);
    }
}

void child_on_connected(struct target *target)
{
    target->open = true;
    target_initialize(target, target->child->type == NULL ? target->session->plan->adapter_type : target->child->type,
                      on_initialize_answer);
}

void session_on_open_failed(struct session *session, uint32_t channel, const struct error *why)
{
    struct target *target = target_find(session, channel);
    if (target != NULL && target->child != NULL)
        child_fail(target, why->message);
}

/* ---- the end of one ---- */

static void leave(struct target *target)
{
    struct session *session = target->session;
    bool was_focus = session->focus == target;
    if (session->former_target == target) {
        stop_done(&session->former_stop);
        session->has_former_stop = false;
        session->former_target = NULL;
    }
    if (was_focus) {
        stop_drop(session);
        session->resume_pending = session->stepping = false;
        session->focus = session->target_count > 1 && session->targets[1] != target ? session->targets[1] : session_root(session);
        if (session->state == SESSION_STOPPED)
            session_set_state(session, SESSION_RUNNING);
    }
    threads_forget(session, target->channel);
    terminals_forget_target(session, target);
    target_bury(target);
    session->ops->close(session->host, session, target->channel);
    dap_connection_end(target->connection, "the child session ended");
    stop_promote(session);
    end_on_child_ended(session);
}

void child_fail(struct target *target, const char *why)
{
    free(reject(target->session, target->child, why));
    child_end(target);
}

void child_end(struct target *target)
{
    if (!target->gone) {
        target->gone = true;
        /* Without it, some adapters keep the parent's `disconnect` waiting. */
        if (target->open && target->initialize_answered && !target->farewell)
            target_request(target, "disconnect", NULL, 0, NULL, NULL);
        target->open = false;
        leave(target);
    }
}
