/* What adapters tell and ask of their own accord (specification, "Events", "Reverse Requests"). Unknown events are ignored. */
#include "session/internal.h"

#include <string.h>

static void on_thread(struct target *target, yyjson_val *body)
{
    const char *reason = json_string(body, "reason");
    int64_t id;
    if (reason == NULL || !json_int(body, "threadId", &id))
        return;
    size_t at = 0;
    while (at < target->thread_count && target->threads[at] != id)
        at++;
    if (strcmp(reason, "exited") == 0) {
        if (at < target->thread_count) {
            memmove(target->threads + at, target->threads + at + 1, (target->thread_count - at - 1) * sizeof(*target->threads));
            target->thread_count--;
        }
    } else if (at == target->thread_count && target->thread_count < 1000) {
        target->threads = xgrow(target->threads, &target->thread_cap, target->thread_count + 1, sizeof(*target->threads));
        target->threads[target->thread_count++] = id;
    }
}

void process_facts_done(struct process_facts *facts)
{
    free(facts->name);
    free(facts->start_method);
    *facts = (struct process_facts){ 0 };
}

static void on_process(struct target *target, yyjson_val *body)
{
    struct session *session = target->session;
    session->process_seen = true;
    if (target->channel != 0 && session->process_facts.name != NULL)
        return; /* a child's process is not the program's, where that was told */
    const char *name = json_string(body, "name");
    process_facts_done(&session->process_facts);
    session->process_facts = (struct process_facts){
        .name = xstrdup(name == NULL ? "" : name),
        .pid = json_int_or(body, "systemProcessId", 0),
        .start_method = xstrdup(json_string(body, "startMethod")),
        .elsewhere = !json_bool(body, "isLocalProcess", true),
        .pointer_size = json_int_or(body, "pointerSize", 0),
    };
}

static void on_initialized(struct target *target, yyjson_val *body)
{
    (void)body;
    launch_on_initialized(target);
}

static void on_exited(struct target *target, yyjson_val *body)
{
    if (target->channel == 0) /* a child's exit is not the program's */
        end_on_exited(target->session, body);
}

static void on_terminated(struct target *target, yyjson_val *body)
{
    (void)body;
    if (target->channel == 0)
        end_on_terminated(target->session);
    else
        child_end(target);
}

static void on_breakpoint(struct target *target, yyjson_val *body)
{
    breakpoints_on_event(target, body);
}

/* What is claimed at the start is what the user meets. A change behind it makes a refusal untrue, or takes away what was offered. */
static void tell_change(struct session *session, const char *name, bool before, bool now)
{
    if (strncmp(name, "supports", strlen("supports")) != 0 || before == now)
        return;
    if (now)
        session_notice(session, "the debugger can do more now: it claims %s", name);
    else
        session_notice(session, "the debugger can do less now: it does not claim %s any more", name);
}

static void on_capabilities(struct target *target, yyjson_val *body)
{
    struct session *session = target->session;
    yyjson_val *capabilities = json_object(body, "capabilities");
    yyjson_mut_doc *former = yyjson_mut_doc_mut_copy(target->capabilities, NULL);
    target_merge_capabilities(target, capabilities);
    bool tells = !session->launch.under_way && target == session->focus;
    size_t index, most;
    yyjson_val *key, *value;
    json_obj_foreach(tells ? capabilities : NULL, index, most, key, value) {
        const char *name = yyjson_get_str(key);
        bool before = yyjson_mut_get_bool(yyjson_mut_obj_get(yyjson_mut_doc_get_root(former), name));
        tell_change(session, name, before, target_capability(target, name));
    }
    yyjson_mut_doc_free(former);
}

void target_on_event(struct target *target, const char *event, yyjson_val *body)
{
    static const struct {
        const char *name;
        void (*handle)(struct target *target, yyjson_val *body);
    } handlers[] = {
        { "output", on_output },
        { "stopped", stop_on_event },
        { "continued", stop_on_continued },
        { "initialized", on_initialized },
        { "exited", on_exited },
        { "terminated", on_terminated },
        { "thread", on_thread },
        { "breakpoint", on_breakpoint },
        { "capabilities", on_capabilities },
        { "process", on_process },
        { "module", on_module },
        { "loadedSource", on_loaded_source },
        { "progressStart", on_progress_start },
        { "progressUpdate", on_progress_update },
        { "progressEnd", on_progress_end },
        { "invalidated", on_invalidated },
        { "memory", on_memory },
        { "debugpyAttach", child_announced },
        { "ptvsd_attach", child_announced },
    };
    for (size_t i = 0; i < COUNT_OF(handlers); i++) {
        if (strcmp(event, handlers[i].name) == 0) {
            handlers[i].handle(target, body);
            return;
        }
    }
}

/* ---- reverse requests ---- */

void target_on_reverse_request(struct target *target, int64_t seq, const char *command, yyjson_val *arguments)
{
    if (strcmp(command, "startDebugging") == 0) {
        child_requested(target, seq, arguments);
    } else if (strcmp(command, "runInTerminal") == 0) {
        terminal_requested(target, seq, arguments);
    } else {
        AUTO_FREE char *message = xasprintf("Dapple: unsupported reverse request %s", command);
        dap_connection_respond(target->connection, seq, command, false, NULL, message);
    }
}
