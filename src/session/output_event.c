/* The `output` event: whose words it carries, and what comes with them. */
#include "session/internal.h"

#include "base/utf8.h"

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
    return strncmp(text, "No source file named ", 21) == 0 || strncmp(text, "No symbol table is loaded.", 26) == 0 ||
           strncmp(text, "No compiled code for line ", 26) == 0 || placed ||
           (strncmp(text, "Breakpoint ", 11) == 0 && ends_pending) || (strncmp(text, "Function \"", 10) == 0 && ends_undefined);
}

/* "Breakpoint 1 at 0x555: file a.c, line 3." may come when the program runs already: a whole line of that form is gdb's. */
static bool is_placed(const char *text)
{
    int line, end = 0;
    return sscanf(text, "Breakpoint %*d at 0x%*[0-9a-f]: file %*[^\n,], line %d.%n", &line, &end) == 1 && end > 0 &&
           text[end + (int)strspn(text + end, "\r\n")] == '\0';
}

/* Some send their own words as the program's; what is said of a breakpoint may come after the answer. */
static bool is_adapters_own(const struct session *session, enum output_stream stream, const char *text)
{
    if (stream == OUTPUT_STDERR)
        return session_quirk(session, QUIRK_TALKS_ON_STDERR);
    bool setting = session->state == SESSION_STOPPED && (session->sent_lists != NULL || is_idle_talk(text));
    return stream == OUTPUT_STDOUT && (setting || !session->process_seen || is_placed(text)) &&
           session_quirk(session, QUIRK_TALKS_BEFORE_PROCESS);
}

/* ---- more than text ---- */

#define DEEPEST 16       /* groups within groups that are still indented */
#define MEMBERS 8        /* shown of a value that is printed without a text */
#define MEMBER_BYTES 200 /* of one of them */
#define DATA_BYTES 4096

static bool is_blank(const char *text, size_t len)
{
    return strspn(text, " \t\r\n") == len;
}

/* Lines within groups are indented by their depth. */
static void append_indented(struct session *session, enum output_stream stream, const char *text, size_t len)
{
    AUTO_BUFFER struct buffer lines;
    buffer_init(&lines, SIZE_MAX / 2);
    int depth = session->output_depth < DEEPEST ? session->output_depth : DEEPEST;
    for (size_t at = 0; at < len;) {
        const char *newline = memchr(text + at, '\n', len - at);
        size_t end = newline == NULL ? len : (size_t)(newline - text) + 1;
        if (!session->output_within_line)
            buffer_addf(&lines, "%*s", 2 * depth, "");
        buffer_append(&lines, text + at, end - at);
        session->output_within_line = newline == NULL;
        at = end;
    }
    output_append(session, stream, lines.data, lines.len);
}

struct printed_value {
    struct session *session;
    enum output_stream stream;
};

/* What was printed is a value without a text of its own: its first members say what it was. */
static void on_printed_members(void *user, const struct dap_answer *answer)
{
    struct printed_value *printed = user;
    struct session *session = printed->session;
    enum output_stream stream = printed->stream;
    free(printed);
    if (session->printed_values > 0)
        session->printed_values--;
    yyjson_val *list = answer->outcome == DAP_OK ? json_array(answer->body, "variables") : NULL;
    if (yyjson_arr_size(list) == 0)
        return;
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LIMIT_TEXT_BYTES);
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        const char *name = json_string(item, "name");
        const char *value = json_string(item, "value");
        buffer_add(&line, index == 0 ? "{" : ", ");
        if (index == MEMBERS) {
            buffer_add(&line, "…");
            break;
        }
        utf8_one_line(&line, name == NULL ? "" : name, name == NULL ? 0 : strlen(name), MEMBER_BYTES);
        buffer_add(&line, ": ");
        utf8_one_line(&line, value == NULL ? "" : value, value == NULL ? 0 : strlen(value), MEMBER_BYTES);
    }
    buffer_add(&line, "}\n");
    output_append(session, stream, line.data, line.len);
}

static void ask_printed(struct target *target, enum output_stream stream, int64_t reference)
{
    if (target->session->printed_values >= LIMIT_PROGRESS)
        return;
    target->session->printed_values++;
    struct printed_value *printed = xcalloc(1, sizeof(*printed));
    *printed = (struct printed_value){ target->session, stream };
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_int(doc, arguments, "variablesReference", reference);
    target_request(target, "variables", doc, target->session->timeouts.request, on_printed_members, printed);
}

static void append_data(struct session *session, enum output_stream stream, const char *text, size_t len, yyjson_val *data)
{
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, SIZE_MAX / 2);
    bool ended = len > 0 && text[len - 1] == '\n';
    size_t data_len;
    AUTO_FREE char *json = json_write_value(data, &data_len);
    buffer_append(&line, text, ended ? len - 1 : len);
    if (line.len > 0)
        buffer_addc(&line, ' ');
    utf8_one_line(&line, json, data_len, DATA_BYTES);
    buffer_addc(&line, '\n');
    append_indented(session, stream, line.data, line.len);
}

/* Output with a place in a group, with data, or with a value in the place of a text (specification, OutputEvent). */
static void append_rich(struct target *target, enum output_stream stream, yyjson_val *body, const char *text, size_t len)
{
    struct session *session = target->session;
    if (session->output_depth == 0 && yyjson_obj_size(body) <= 2) { /* text and category: the usual case */
        output_append(session, stream, text, len);
        session->output_within_line = len > 0 && text[len - 1] != '\n';
        return;
    }
    const char *group = json_string(body, "group");
    yyjson_val *data = json_member(body, "data");
    int64_t reference = json_int_or(body, "variablesReference", 0);
    if (group != NULL && strcmp(group, "end") == 0 && session->output_depth > 0)
        session->output_depth--;
    if (data != NULL)
        append_data(session, stream, text, len, data);
    else
        append_indented(session, stream, text, len);
    if (group != NULL && strncmp(group, "start", 5) == 0) {
        if (len > 0 && text[len - 1] != '\n')
            append_indented(session, stream, "\n", 1);
        session->output_depth++;
    }
    if (reference > 0 && is_blank(text, len))
        ask_printed(target, stream, reference);
}

/* ---- output ---- */

void on_output(struct target *target, yyjson_val *body)
{
    struct session *session = target->session;
    size_t len = 0;
    const char *text = json_text(body, "output", &len);
    const char *category = json_string(body, "category");
    enum output_stream stream = OUTPUT_DEBUGGER; /* console, important, missing and unknown ones */
    if (text == NULL)
        text = ""; /* a value without a text, or data alone */
    if (category != NULL && strcmp(category, "telemetry") == 0)
        return;
    if (category != NULL && strcmp(category, "stdout") == 0)
        stream = OUTPUT_STDOUT;
    else if (category != NULL && strcmp(category, "stderr") == 0)
        stream = OUTPUT_STDERR;
    if (breakpoint_fault_in_words(target, category, text, body))
        return;
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
    append_rich(target, stream, body, text, own);
    if (own < len)
        end_on_mark(session);
}
