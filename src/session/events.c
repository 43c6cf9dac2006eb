/* What adapters tell and ask of their own accord (specification, "Events", "Reverse Requests"). Unknown events are ignored. */
#include "session/internal.h"

#include <stdio.h>
#include <string.h>

/* js-debug's only word on the exit code, where it is not 0: this text, on the root's connection, once the program had a connection of its
 * own. The same text from the program comes on the child's. */
static bool take_js_exit_code(const struct target *target, const char *text)
{
    struct session *session = target->session;
    long long code;
    int end = 0;
    if (!session_quirk(session, QUIRK_JS_EXIT_TEXT) || target->channel != 0 || !session->had_children || !session->js_tells_exit)
        return false;
    if (sscanf(text, "Process exited with code %lld%n", &code, &end) != 1 || text[end + (int)strspn(text + end, "\r\n")] != '\0')
        return false;
    session->has_exit_code = true;
    session->exit_code = code;
    return true;
}

/* dlv's only word on the exit code; it may come after `terminated`. */
static void take_dlv_exit_code(const struct target *target, const char *text)
{
    struct session *session = target->session;
    long long pid, code;
    if (!session_quirk(session, QUIRK_DLV_EXIT_TEXT) || sscanf(text, "Process %lld has exited with status %lld", &pid, &code) != 2)
        return;
    end_on_exit_code(session, code);
}

/* gdb says of every breakpoint where it is, or that it does not know the place yet: that is in the breakpoint's row, and shown with
 * failures only. */
static bool is_idle_talk(const char *text)
{
    static const char pending[] = " pending.\n", undefined[] = " not defined.\n";
    size_t len = strlen(text);
    bool ends_pending = len >= sizeof(pending) - 1 && strcmp(text + len - (sizeof(pending) - 1), pending) == 0;
    bool ends_undefined = len >= sizeof(undefined) - 1 && strcmp(text + len - (sizeof(undefined) - 1), undefined) == 0;
    const char *number = text + 11;
    bool placed = strncmp(text, "Breakpoint ", 11) == 0 && strncmp(number + strspn(number, "0123456789"), " at 0x", 6) == 0;
    return strncmp(text, "No source file named ", 21) == 0 || strncmp(text, "No compiled code for line ", 26) == 0 || placed ||
           (strncmp(text, "Breakpoint ", 11) == 0 && ends_pending) || (strncmp(text, "Function \"", 10) == 0 && ends_undefined);
}

/* Some send their own words as the program's; what is said of a breakpoint may come after the answer. */
static bool is_adapters_own(const struct session *session, enum output_stream stream, const char *text)
{
    if (stream == OUTPUT_STDERR)
        return session_quirk(session, QUIRK_TALKS_ON_STDERR);
    bool setting = session->state == SESSION_STOPPED && (session->sent_lists != NULL || is_idle_talk(text));
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
    if (stream != OUTPUT_DEBUGGER && session->terminal_count > 0 && !session_quirk(session, QUIRK_TALKS_ON_STDERR))
        return; /* the terminal has it already */
    if (is_adapters_own(session, stream, text)) {
        /* What it says of itself once the program is over is no part of the debugging: lldb-dap 19 reports its own crash then. */
        bool over = session->debuggee_ended || session->end_phase != END_NONE;
        if ((stream == OUTPUT_STDERR && over) || is_idle_talk(text)) {
            ring_append(&session->stderr_tail, text, len);
            return;
        }
        stream = OUTPUT_DEBUGGER;
    }
    if (stream == OUTPUT_DEBUGGER)
        take_dlv_exit_code(target, text);
    if (stream == OUTPUT_STDERR && take_js_exit_code(target, text))
        stream = OUTPUT_DEBUGGER;
    size_t own = end_before_mark(session, text, len);
    output_append(session, stream, text, own);
    if (own < len)
        end_on_mark(session);
}

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
