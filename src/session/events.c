/* What adapters tell and ask of their own accord (specification, "Events", "Reverse Requests"). Unknown events are ignored. */
#include "session/internal.h"

#include <string.h>

/* Some send their own words as the program's. */
static bool is_adapters_own(const struct session *session, enum output_stream stream)
{
    if (stream == OUTPUT_STDERR)
        return session_quirk(session, QUIRK_TALKS_ON_STDERR);
    bool setting = session->state == SESSION_STOPPED && session->sent_lists != NULL;
    return stream == OUTPUT_STDOUT && (setting || !session->process_seen) && session_quirk(session, QUIRK_TALKS_BEFORE_PROCESS);
}

static void on_output(struct target *target, yyjson_val *body)
{
    struct session *session = target->session;
    size_t len = 0;
    const char *text = json_text(body, "output", &len);
    const char *category = json_string(body, "category");
    enum output_stream stream = OUTPUT_DEBUGGER; /* console, important, missing and unknown ones */
    if (text == NULL)
        return;
    if (category != NULL && strcmp(category, "telemetry") == 0)
        return;
    if (category != NULL && strcmp(category, "stdout") == 0)
        stream = OUTPUT_STDOUT;
    else if (category != NULL && strcmp(category, "stderr") == 0)
        stream = OUTPUT_STDERR;
    if (is_adapters_own(session, stream)) {
        /* What it says of itself once the program is over is no part of the debugging: lldb-dap 19 reports its own crash then. */
        if (stream == OUTPUT_STDERR && (session->debuggee_ended || session->end_phase != END_NONE)) {
            session_on_stderr(session, text, len);
            return;
        }
        stream = OUTPUT_DEBUGGER;
    }
    size_t own = end_before_mark(session, text, len);
    output_append(session, stream, text, own);
    if (own < len)
        end_on_mark(session);
}

static void on_thread(struct target *target, yyjson_val *body)
{
    struct session *session = target->session;
    const char *reason = json_string(body, "reason");
    int64_t id;
    if (reason == NULL || !json_int(body, "threadId", &id))
        return;
    size_t at = 0;
    while (at < session->thread_count && session->threads[at] != id)
        at++;
    if (strcmp(reason, "exited") == 0) {
        if (at < session->thread_count) {
            memmove(session->threads + at, session->threads + at + 1, (session->thread_count - at - 1) * sizeof(*session->threads));
            session->thread_count--;
        }
    } else if (at == session->thread_count && session->thread_count < 1000) {
        session->threads = xgrow(session->threads, &session->thread_cap, session->thread_count + 1, sizeof(*session->threads));
        session->threads[session->thread_count++] = id;
    }
}

static void on_process(struct target *target, yyjson_val *body)
{
    (void)body;
    target->session->process_seen = true;
}

static void on_initialized(struct target *target, yyjson_val *body)
{
    (void)body;
    launch_on_initialized(target);
}

static void on_exited(struct target *target, yyjson_val *body)
{
    end_on_exited(target->session, body);
}

static void on_terminated(struct target *target, yyjson_val *body)
{
    (void)body;
    end_on_terminated(target->session);
}

static void on_breakpoint(struct target *target, yyjson_val *body)
{
    breakpoints_on_event(target->session, body);
}

static void on_capabilities(struct target *target, yyjson_val *body)
{
    target_merge_capabilities(target, json_object(body, "capabilities"));
}

void target_on_event(struct target *target, const char *event, yyjson_val *body)
{
    static const struct {
        const char *name;
        void (*handle)(struct target *target, yyjson_val *body);
    } handlers[] = {
        {"output", on_output},         {"stopped", stop_on_event},  {"continued", stop_on_continued},
        {"initialized", on_initialized}, {"exited", on_exited},     {"terminated", on_terminated},
        {"thread", on_thread},         {"breakpoint", on_breakpoint}, {"capabilities", on_capabilities},
        {"process", on_process},
    };
    for (size_t i = 0; i < COUNT_OF(handlers); i++) {
        if (strcmp(event, handlers[i].name) == 0) {
            handlers[i].handle(target, body);
            return;
        }
    }
}

/* ---- reverse requests ---- */

static char *describe_child(const char *type, const char *name, const char *target_id)
{
    struct buffer text;
    buffer_init(&text, 1024);
    if (type != NULL)
        (void)buffer_add(&text, type);
    if (name != NULL)
        (void)buffer_addf(&text, "%s\"%s\"", text.len > 0 ? " " : "", name);
    if (target_id != NULL)
        (void)buffer_addf(&text, "%s(target %s)", text.len > 0 ? " " : "", target_id);
    if (text.len == 0)
        (void)buffer_add(&text, "(unnamed)");
    return buffer_take(&text, NULL);
}

/* Child sessions are not claimed in `initialize`; an adapter that asks all the same is told, and so is the user. */
static char *refuse_child(struct session *session, yyjson_val *arguments)
{
    yyjson_val *configuration = json_object(arguments, "configuration");
    const char *type = json_string(configuration, "type");
    const char *name = json_string(configuration, "name");
    const char *target_id = json_string(configuration, "__pendingTargetId");
    AUTO_FREE char *description = describe_child(type, name, target_id);
    char *message = xasprintf("Dapple could not debug child session %s: child sessions are not supported for this adapter. "
                              "Breakpoints in it will not bind.",
                              description);
    session->rejected = xgrow(session->rejected, &session->rejected_cap, session->rejected_count + 1, sizeof(*session->rejected));
    session->rejected[session->rejected_count++] = (struct rejected_child){
        .message = xstrdup(message), .type = xstrdup(type), .name = xstrdup(name), .target_id = xstrdup(target_id)};
    return message;
}

void target_on_reverse_request(struct target *target, int64_t seq, const char *command, yyjson_val *arguments)
{
    AUTO_FREE char *message = NULL;
    if (strcmp(command, "startDebugging") == 0 && target->session->rejected_count < 100)
        message = refuse_child(target->session, arguments);
    else
        message = xasprintf("Dapple: unsupported reverse request %s", command);
    dap_connection_respond(target->connection, seq, command, false, NULL, message);
}
