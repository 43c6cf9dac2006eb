/* Where the program is, why, and what is there: the head of every result and the stop packet. */
#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "verb/locals.h"
#include "verb/render.h"
#include "verb/render_line.h"
#include "verb/source_excerpt.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

#define MOST_HIT_IDS 20
#define MOST_HITS 5         /* shown with their places */
#define MOST_HIT_NUMBERS 25 /* shown at all */

/* ---- head ---- */

static const char *state_word(enum session_state state)
{
    static const char *const words[] = {
        [SESSION_IDLE] = "idle (no Debug Session)",
        [SESSION_LAUNCHING] = "launching",
        [SESSION_RUNNING] = "running",
        [SESSION_STOPPED] = "stopped",
        [SESSION_TERMINATED] = "terminated",
    };
    return words[state];
}

static const char *note_suffix(enum wait_note note)
{
    static const char *const suffixes[] = {
        [WAIT_NOTE_NONE] = "",
        [WAIT_NOTE_TIMED_OUT] = " (wait timed out)",
        [WAIT_NOTE_CANCELLED] = " (wait cancelled)",
    };
    return suffixes[note];
}

/* "30 s", "1.5 s", "250 ms" */
static void add_duration(struct buffer *line, uint64_t ms)
{
    if (ms < 1000)
        buffer_addf(line, "%" PRIu64 " ms", ms);
    else if (ms % 1000 == 0)
        buffer_addf(line, "%" PRIu64 " s", ms / 1000);
    else
        buffer_addf(line, "%" PRIu64 ".%" PRIu64 " s", ms / 1000, ms % 1000 / 100);
}

/* The adapter took the pause, and nothing stands still. */
static void add_pause_pending(struct buffer *out, const struct head_view *view)
{
    buffer_add(out, "the pause was accepted, but nothing stopped within ");
    add_duration(out, view->waited_ms);
    buffer_add(out,
               ": the program runs no code that can stop now (it waits for input, a lock, a timer or the network), or only code "
               "that the debugger skips. ");
    if (view->tells_running)
        buffer_add(out, "dap_threads shows the line that each thread is in. ");
    buffer_add(out, "It stops when its own code runs again: dap_status looks, a breakpoint in code that will run (such as the next "
                    "request's) stops there, dap_stop ends it");
    if (view->session) {
        buffer_add(out, "; each with");
        line_session(out, view->session);
    }
    buffer_addc(out, '\n');
}

/* A wait ended without a stop: says which calls are possible now. */
static void add_what_now(struct buffer *out, const struct head_view *view)
{
    bool launching = view->state == SESSION_LAUNCHING;
    if (view->pausing && view->note == WAIT_NOTE_TIMED_OUT && view->waited_ms > 0) {
        add_pause_pending(out, view);
        return;
    }
    if (view->note == WAIT_NOTE_CANCELLED) {
        buffer_addf(out, "the wait was cancelled, the %s goes on", launching ? "launch" : "program");
    } else if (view->waited_ms == 0) {
        buffer_addf(out, "not waited for: the %s goes on", launching ? "launch" : "program");
    } else {
        buffer_addf(out, "still %s after ", launching ? "launching" : "running");
        add_duration(out, view->waited_ms);
    }
    line_hint(out);
    buffer_add(out, ": dap_status looks again, ");
    if (!launching)
        buffer_add(out, "dap_pause stops it where it is, ");
    buffer_add(out, "dap_stop ends it");
    if (!launching)
        buffer_add(out, " (dap_continue and steps need a stop)");
    if (view->session) {
        buffer_add(out, "; each with");
        line_session(out, view->session);
    }
    line_hint_end(out);
    buffer_addc(out, '\n');
}

static void add_stop_line(struct buffer *out, const struct stop *stop, const char *project)
{
    buffer_add(out, "stopped (");
    line_text(out, stop->reason, LIMIT_MESSAGE_BYTES);
    buffer_addc(out, ')');
    if (stop->frame_count > 0 && !stop->idle)
        line_at_frame(out, &stop->frames[0], project);
    if (stop->has_thread)
        buffer_addf(out, " · thread %" PRId64, stop->thread_id);
    buffer_addc(out, '\n');
}

/* By our number and place; ids that belong to none of ours are the adapter's own business, and shown as such. */
static void add_hits(struct buffer *out, const struct head_view *view)
{
    const struct stop *stop = view->stop;
    for (size_t i = 0; i < stop->number_count && i < MOST_HITS; i++) {
        const struct breakpoint_list *list;
        size_t index;
        if (view->of == NULL || !session_find_breakpoint_number(view->of, stop->hit_numbers[i], &list, &index))
            continue;
        buffer_addf(out, "hit breakpoint %" PRId64 ", ", stop->hit_numbers[i]);
        line_breakpoint(out, list, index, view->project);
        if (list->bound && list->bound[index].counts.faulty_stop == stop->number)
            buffer_add(out, " (its condition failed)");
        buffer_addc(out, '\n');
    }
    if (stop->number_count > MOST_HITS) {
        line_counted(out, stop->number_count, "breakpoint");
        buffer_add(out, " were hit in all, also ");
        for (size_t i = MOST_HITS; i < stop->number_count && i < MOST_HIT_NUMBERS; i++)
            buffer_addf(out, "%s%" PRId64, i > MOST_HITS ? ", " : "", stop->hit_numbers[i]);
        buffer_add(out, stop->number_count > MOST_HIT_NUMBERS ? ", …\n" : "\n");
    }
}

/* A negative one is no breakpoint that anybody set: dlv's for a panic. Nor is ours for one. */
static void add_hit_ids(struct buffer *out, const struct stop *stop)
{
    if (stop->hit_count == 0 || stop->number_count > 0 || stop->panic || (stop->hit_count == 1 && stop->hit_ids[0] < 0))
        return;
    buffer_add(out, "hit breakpoint ids: ");
    for (size_t i = 0; i < stop->hit_count && i < MOST_HIT_IDS; i++)
        buffer_addf(out, "%s%" PRId64, i > 0 ? ", " : "", stop->hit_ids[i]);
    if (stop->hit_count > MOST_HIT_IDS) {
        buffer_add(out, ", … ");
        line_count(out, stop->hit_count);
        buffer_add(out, " in all");
    }
    buffer_addc(out, '\n');
}

static void add_labelled(struct buffer *out, const char *label, const char *text)
{
    if (!text || !*text)
        return;
    buffer_addf(out, "%s: ", label);
    line_text(out, text, LIMIT_MESSAGE_BYTES);
    buffer_addc(out, '\n');
}

static bool is_exception(const struct stop *stop)
{
    return stop->reason && strcmp(stop->reason, "exception") == 0;
}

/* The line about the exception will say it. */
static bool exception_says(const struct exception_info *exception, const char *text)
{
    return exception && ((exception->message && strstr(exception->message, text)) ||
                         (!exception->message && exception->description && strstr(exception->description, text)));
}

/* "Paused on exception" at a stop for an exception, "Paused" at a step: js-debug has such words for each. */
static bool says_reason(const struct stop *stop, const char *description)
{
    const char *rest = description;
    if (strncasecmp(rest, "paused", 6) == 0)
        rest += 6;
    if (rest > description && strncasecmp(rest, " on ", 4) == 0)
        rest += 4;
    return (rest > description && *rest == '\0') || (stop->reason != NULL && strcasecmp(rest, stop->reason) == 0);
}

/* "breakpoint" once more, beside the line that names it, says nothing, and the number that follows is not ours. */
static bool says_breakpoint(const struct stop *stop, const char *description)
{
    static const char *const beginnings[] = { "breakpoint ", "watchpoint ", "BP - " };
    const char *text = description + strspn(description, " ");
    for (size_t i = 0; stop->number_count > 0 && i < COUNT_OF(beginnings); i++)
        if (strncasecmp(text, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static void add_stop(struct buffer *out, const struct head_view *view)
{
    const struct stop *stop = view->stop;
    const struct exception_info *exception = view->exception;
    add_stop_line(out, stop, view->project);
    add_labelled(out, "child session", stop->child);
    const char *description = stop->description;
    if (description && !says_reason(stop, description) && !says_breakpoint(stop, description) &&
        !exception_says(exception, description))
        add_labelled(out, "description", description);
    if (description && strcmp(description, "Paused on promise rejection") == 0) /* js-debug's words */
        buffer_add(
            out, "no handler so far: one that is attached later (.catch, await) still takes it, and dap_continue goes on; without "
                 "one Node.js ends the program\n");
    /* The text of an exception is shown as such. */
    if (stop->text && !is_exception(stop) && (!description || strcmp(stop->text, description) != 0))
        add_labelled(out, "text", stop->text);
    add_hits(out, view);
    add_hit_ids(out, stop);
    if (stop->idle)
        buffer_add(
            out, "idle: the program runs no code, it waits for a timer, input or the network. It stands in an empty expression of "
                 "Dapple's: dap_evaluate reaches what is global (process.getActiveResourcesInfo() names what it waits for), "
                 "dap_continue lets it wait on; a breakpoint in its own code stops there\n");
    if (stop->step_interrupted)
        buffer_addf(out, "step interrupted: thread %" PRId64 " was being stepped when this thread stopped%s\n", stop->step_thread,
                    stop->step_kept ? "; that step is not over: dap_continue goes on with it, and before its end there is no other"
                                    : "");
    if (stop->step_late)
        buffer_add(out, "this is the end of a step of this thread that another one's stop had interrupted: dap_continue goes on\n");
    if (stop->frame_count == 0)
        add_labelled(out, "no stack frames", stop->frames_failure);
}

static void add_end(struct buffer *out, const struct head_view *view)
{
    bool has_reason = view->termination_reason && *view->termination_reason;
    buffer_add(out, "terminated");
    if (view->has_exit_code || has_reason)
        buffer_add(out, " (");
    if (view->has_exit_code)
        buffer_addf(out, "exit code %" PRId64 "%s", view->exit_code, has_reason ? "; " : "");
    if (has_reason)
        line_text(out, view->termination_reason, LIMIT_MESSAGE_BYTES);
    buffer_add(out, view->has_exit_code || has_reason ? ")\n" : "\n");
}

void render_head(struct buffer *out, const struct head_view *view)
{
    if (view->state == SESSION_STOPPED && view->stop) {
        add_stop(out, view);
    } else if (view->state == SESSION_TERMINATED) {
        add_end(out, view);
    } else {
        bool going_on = view->state == SESSION_LAUNCHING || view->state == SESSION_RUNNING;
        buffer_addf(out, "%s%s\n", state_word(view->state), going_on ? note_suffix(view->note) : "");
        if (view->state == SESSION_RUNNING && view->single_thread)
            buffer_addf(out, "only thread %" PRId64 " runs (single_thread): the others stand where they stood\n",
                        view->running_thread);
        if (going_on && view->note != WAIT_NOTE_NONE)
            add_what_now(out, view);
    }
}

/* ---- stop packet ---- */

/* How much of everything a context shows. */
struct measure {
    size_t bytes, lines;
    size_t message_bytes; /* of an exception */
    int64_t around;       /* lines of source before and after */
    size_t least_values;  /* of variables that are neither named nor changed, show so many that there are as many values */
    bool all_values;
    size_t callers;
    bool caller_rows; /* a row for each caller, not one line for all */
    bool other_scopes;
};

static const struct measure brief = {
    .bytes = LIMIT_PACKET_BYTES,
    .lines = LIMIT_PACKET_LINES,
    .message_bytes = 400,
    .around = 2,
    .least_values = LIMIT_PACKET_VALUES,
    .callers = 2,
};

/* The head, the desired breakpoints' beginning and the program's output have to fit into the same result. */
static const struct measure full = {
    .bytes = LIMIT_TEXT_BYTES - LIMIT_OUTPUT_TEXT_BYTES - 1536,
    .lines = LIMIT_TEXT_LINES - LIMIT_OUTPUT_TEXT_LINES - 20,
    .message_bytes = 2000,
    .around = 10,
    .all_values = true,
    .callers = 10,
    .caller_rows = true,
    .other_scopes = true,
};

enum {
    CALLER_NAME_BYTES = 60,
    CALLER_PATH_BYTES = 120,
    SCOPE_NAME_BYTES = 60,
    SCOPE_FAILURE_BYTES = 120,
    MOST_SCOPE_NOTES = 2,
    OTHER_NAMES_BYTES = 200, /* names in the line of those without a value */
    OTHER_NAME_BYTES = 40,
    TRAILER_BYTES = 560, /* room kept for that line and the one about cut values */
    TRAILER_LINES = 2,
};

static size_t count_lines(const struct buffer *text)
{
    size_t lines = 0;
    for (size_t i = 0; i < text->len; i++)
        lines += text->data[i] == '\n';
    return lines;
}

/* The frame that the packet is about. */
static const struct frame *top_frame(const struct packet_view *view)
{
    return view->stop->frame_count > view->frame_index ? &view->stop->frames[view->frame_index] : NULL;
}

static const char *first_of(const char *one, const char *other)
{
    return one && *one ? one : other && *other ? other : NULL;
}

static void add_exception_text(struct buffer *out, const char *type, const char *message, size_t most)
{
    buffer_add(out, "exception: ");
    if (type && message && strncasecmp(message, type, strlen(type)) == 0) /* "Error" and "Error: no such file" */
        type = NULL;
    line_text(out, type, LIMIT_TYPE_BYTES);
    if (type && message)
        buffer_add(out, ": ");
    line_text(out, message, most);
    if (message && strlen(message) > most) {
        buffer_add(out, " (");
        line_counted(out, strlen(message), "byte");
        buffer_add(out, most < full.message_bytes ? "; context full shows more)" : ")");
    }
    buffer_addc(out, '\n');
}

/* The program is lost with the next call: that has to be said before it is made. */
static void add_last_chance(struct buffer *out, const char *break_mode, const struct packet_view *view)
{
    if (!break_mode)
        return;
    bool sure = strcmp(break_mode, "unhandled") == 0;
    if (!sure && strcmp(break_mode, "userUnhandled") != 0)
        return;
    buffer_add(out, sure ? "uncaught" : "not caught in the program's own code");
    buffer_add(out, ": the next dap_continue");
    line_session(out, view->session);
    buffer_addf(out, " %s %s\n", sure ? "ends" : "may end", view->ends ? view->ends : "the program");
}

/* A program that is started without a terminal has nothing to read; Python says so in these words. */
static bool lacks_input(const char *type, const char *message)
{
    return type && message && strcmp(type, "EOFError") == 0 && strcmp(message, "EOF when reading a line") == 0;
}

/* Where a group is thrown is seldom where its exceptions were. */
static bool is_group(const char *type)
{
    static const char end[] = "ExceptionGroup";
    size_t len = type ? strlen(type) : 0;
    return len >= sizeof(end) - 1 && strcmp(type + len - (sizeof(end) - 1), end) == 0;
}

static void add_exception(struct buffer *out, const struct packet_view *view, const struct measure *measure)
{
    const struct exception_info *info = view->exception;
    const char *type = info ? first_of(info->type_name, info->id) : NULL;
    const char *message = info ? first_of(info->message, info->description) : NULL;
    if (!type && !message && is_exception(view->stop))
        message = first_of(view->stop->text, NULL);
    if (type || message)
        add_exception_text(out, type, message, measure->message_bytes);
    if (info)
        add_last_chance(out, info->break_mode, view);
    if (message && strstr(message, "invalid address (fault address") != NULL) /* LLDB's words for the same */
        buffer_add(out, "the 0 is no address: " FAULT_WITHOUT_ADDRESS "\n");
    if (view->keeps_exception && is_group(type))
        buffer_add(out, "what it holds: dap_evaluate __exception__[1].exceptions\n");
    if (view->input && lacks_input(type, message))
        buffer_addf(out, "it has no input: %s\n", view->input);
}

static void add_source(struct buffer *out, const struct packet_view *view, const struct measure *measure)
{
    const struct source_excerpt *excerpt = view->excerpt;
    const struct frame *top = top_frame(view);
    if (!excerpt || !top)
        return;
    if (excerpt->count == 0) {
        if (excerpt->why_none && top->line > 0) { /* without a line there is nothing that anyone could expect here */
            buffer_add(out, "source: the file ");
            line_text(out, excerpt->why_none, SCOPE_FAILURE_BYTES);
            line_hint(out);
            if (top->source_reference > 0 && view->offers_source)
                buffer_addf(out, "; dap_source source_reference=%" PRId64, top->source_reference);
            line_hint_end(out);
            buffer_addc(out, '\n');
        }
        return;
    }
    int64_t last = excerpt->first_line + (int64_t)excerpt->count - 1;
    if (last > top->line + measure->around)
        last = top->line + measure->around;
    for (int64_t number = excerpt->first_line; number <= last; number++) {
        if (number >= top->line - measure->around) {
            line_source(out, source_excerpt_line(excerpt, number), number, last, number == top->line);
            buffer_addc(out, '\n');
        }
    }
}

/* ---- callers ---- */

static void add_caller(struct buffer *out, const struct frame *frame, const char *project)
{
    AUTO_BUFFER struct buffer location;
    buffer_init(&location, 2 * LIMIT_PATH_BYTES);
    struct frame without_column = *frame; /* the line is enough to go there */
    without_column.column = 0;
    bool has_location = line_location(&location, &without_column, project);
    line_text(out, first_of(frame->name, "?"), CALLER_NAME_BYTES);
    if (has_location) {
        buffer_add(out, " at ");
        /* The end of a path tells more than its beginning. */
        size_t skip = location.len > CALLER_PATH_BYTES ? location.len - CALLER_PATH_BYTES : 0;
        while (skip < location.len && ((unsigned char)location.data[skip] & 0xc0) == 0x80 && skip > 0)
            skip++;
        if (skip > 0)
            buffer_add(out, "…");
        buffer_append(out, location.data + skip, location.len - skip);
    }
    if (frame->handle > 0)
        line_id(out, " [", "frame_id", frame->handle, "]");
}

static void add_where_all_frames(struct buffer *out, const struct packet_view *view)
{
    buffer_add(out, "…");
    line_hint(out);
    buffer_add(out, " (dap_stack");
    line_session(out, view->session);
    if (view->stop->total_frames > 0) {
        buffer_add(out, " shows all ");
        line_count(out, (uint64_t)view->stop->total_frames);
        buffer_add(out, ")");
    } else {
        buffer_add(out, " shows more)");
    }
    line_hint_end(out);
}

static bool is_in_project(const struct frame *frame, const char *project)
{
    if (!frame->source_path)
        return false;
    AUTO_FREE char *shown = path_shown(frame->source_path, project);
    return strcmp(shown, frame->source_path) != 0;
}

/* Whether the project's own code is on the stack: then who called it from outside is of less interest. */
static bool is_any_in_project(const struct packet_view *view)
{
    for (size_t i = 0; i < view->stop->frame_count; i++) {
        if (is_in_project(&view->stop->frames[i], view->project))
            return true;
    }
    return false;
}

/* The head line names the top frame; when what follows is about another one, that is said. */
static void add_other_frame(struct buffer *out, const struct packet_view *view)
{
    if (view->frame_index == 0 || top_frame(view) == NULL)
        return;
    buffer_add(out, "shown: frame ");
    line_count(out, view->frame_index);
    buffer_add(out, ", ");
    add_caller(out, top_frame(view), view->project);
    buffer_addc(out, '\n');
}

/* Who called this function. What the adapter marks as unimportant is left out for an ellipsis, and where there is no room for all, what
 * is outside of the project. Returns how many are shown. */
static size_t add_callers(struct buffer *out, const struct packet_view *view, const struct measure *measure)
{
    const struct stop *stop = view->stop;
    const char *between = measure->caller_rows ? "\n  " : " · ";
    /* One more instead of saying that there is one more. */
    bool all = !stop->more_frames && stop->frame_count <= measure->callers + 2;
    size_t most = all ? stop->frame_count : measure->callers;
    bool project_only = !measure->caller_rows && is_any_in_project(view);
    size_t shown = 0;
    bool left_out = false;
    size_t i = view->frame_index + 1;
    for (; i < stop->frame_count && shown < most; i++) {
        const struct frame *frame = &stop->frames[i];
        if (frame_is_unimportant(frame) || (project_only && !is_in_project(frame, view->project))) {
            left_out = true;
            continue;
        }
        buffer_add(out, shown > 0 || measure->caller_rows ? between : " ");
        if (left_out)
            buffer_addf(out, "…%s", between);
        left_out = false;
        add_caller(out, frame, view->project);
        shown++;
    }
    if (left_out || i < stop->frame_count || (stop->more_frames && stop->frame_count > 0)) {
        buffer_add(out, shown > 0 || measure->caller_rows ? between : " ");
        add_where_all_frames(out, view);
    }
    return shown;
}

static void add_callers_line(struct buffer *out, const struct packet_view *view, const struct measure *measure)
{
    AUTO_BUFFER struct buffer callers;
    buffer_init(&callers, LIMIT_TEXT_BYTES);
    bool is_hint = add_callers(&callers, view, measure) == 0; /* then all that it says is how they are had */
    if (callers.len == 0)
        return;
    if (is_hint)
        line_hint(out);
    buffer_addf(out, "called from:%s", callers.data);
    if (is_hint)
        line_hint_end(out);
    buffer_addc(out, '\n');
}

/* ---- locals ---- */

/* The locals while they are written. */
struct locals_section {
    const struct packet_view *view;
    const struct measure *measure;
    struct ranked_local *locals;
    size_t count;
    bool *shown; /* by value */
    size_t shown_count;
    uint64_t total;      /* also those that were not read */
    size_t bytes, lines; /* room for rows */
    unsigned any_cut;    /* enum cut */
};

static int64_t top_handle(const struct packet_view *view)
{
    const struct frame *top = top_frame(view);
    return top ? top->handle : 0;
}

static uint64_t count_unread(const struct packet_view *view)
{
    uint64_t unread = 0;
    for (size_t i = 0; i < view->scope_count; i++) {
        const struct scope *scope = &view->scopes[i];
        if (scope->expanded && locals_scope_counts(scope) && scope->total > scope->count)
            unread += scope->total - scope->count;
    }
    return unread;
}

static void add_locals_title(struct buffer *out, const struct locals_section *section)
{
    int64_t handle = top_handle(section->view);
    if (section->total == 0) {
        buffer_add(out, "locals: none");
        if (handle > 0)
            line_id(out, " (", "frame_id", handle, ")");
        buffer_addc(out, '\n');
        return;
    }
    buffer_add(out, "locals (");
    line_count(out, section->total);
    if (handle > 0)
        line_id(out, ", ", "frame_id", handle, "");
    buffer_add(out, "):\n");
}

static void add_scope_note(struct buffer *out, const struct scope *scope)
{
    buffer_add(out, "  ");
    line_text(out, scope->name, SCOPE_NAME_BYTES);
    if (scope->failure) {
        buffer_add(out, ": could not be read: ");
        line_text(out, scope->failure, SCOPE_FAILURE_BYTES);
    } else {
        buffer_add(out, ": not read");
    }
    if (scope->handle > 0)
        line_id(out, " [", "variables_reference", scope->handle, "]");
    buffer_addc(out, '\n');
}

/* Scopes of the function that were not read, so that a missing variable is not taken for one that does not exist. */
static void add_scope_notes(struct buffer *out, const struct packet_view *view)
{
    size_t notes = 0;
    for (size_t i = 0; i < view->scope_count; i++) {
        const struct scope *scope = &view->scopes[i];
        if (!locals_scope_counts(scope) || scope->expanded || (scope->handle == 0 && !scope->failure))
            continue;
        if (notes++ < MOST_SCOPE_NOTES)
            add_scope_note(out, scope);
    }
    if (notes > MOST_SCOPE_NOTES) {
        buffer_add(out, "  … ");
        line_counted(out, notes - MOST_SCOPE_NOTES, "more scope");
        buffer_add(out, " not read (dap_variables lists them)\n");
    }
}

static void add_change(struct buffer *line, const struct ranked_local *local)
{
    if (!local->changed)
        return;
    if (local->is_new) {
        buffer_add(line, "  (new)");
    } else if (local->was) {
        buffer_add(line, "  (was ");
        line_adapter_text(line, local->was, LIMIT_VALUE_BYTES);
        buffer_addc(line, ')');
    } else {
        buffer_add(line, "  (changed)");
    }
}

static bool wants_value(const struct locals_section *section, const struct ranked_local *local)
{
    if (section->measure->all_values)
        return true;
    if (local->variable->group)
        return false;
    return local->rank < LOCAL_REST || (local->rank == LOCAL_REST && section->shown_count < section->measure->least_values);
}

static void add_rows(struct buffer *out, struct locals_section *section)
{
    size_t begin = out->len;
    for (size_t i = 0; i < section->count && section->shown_count < section->lines; i++) {
        if (!wants_value(section, &section->locals[i]))
            continue;
        AUTO_BUFFER struct buffer row;
        buffer_init(&row, LIMIT_TEXT_BYTES);
        buffer_add(&row, "  ");
        unsigned cut = line_variable(&row, section->locals[i].variable);
        add_change(&row, &section->locals[i]);
        buffer_addc(&row, '\n');
        if (out->len - begin + row.len > section->bytes)
            continue; /* a shorter one may fit */
        buffer_append(out, row.data, row.len);
        section->shown[i] = true;
        section->shown_count++;
        section->any_cut |= cut;
    }
}

/* Appends the names of those without a value; returns how many it named. */
static size_t add_other_names(struct buffer *line, const struct locals_section *section)
{
    size_t named = 0;
    size_t begin = line->len;
    for (size_t i = 0; i < section->count; i++) {
        if (section->shown[i])
            continue;
        if (line->len - begin + OTHER_NAME_BYTES > OTHER_NAMES_BYTES)
            break;
        buffer_add(line, named > 0 ? ", " : "");
        line_adapter_text(line, &section->locals[i].variable->name, OTHER_NAME_BYTES);
        named++;
    }
    return named;
}

static void add_where_all_locals(struct buffer *line, const struct locals_section *section)
{
    int64_t handle = top_handle(section->view);
    bool all = section->total <= LIMIT_VARIABLES_PER_PAGE;
    line_hint(line);
    buffer_add(line, " (dap_variables");
    if (handle > 0)
        buffer_addf(line, " frame_id=%" PRId64, handle);
    if (section->total > DEFAULT_VARIABLES)
        buffer_addf(line, " count=%" PRIu64, all ? section->total : LIMIT_VARIABLES_PER_PAGE);
    line_session(line, section->view->session);
    buffer_add(line, all ? " shows all " : " shows the first ");
    line_count(line, all ? section->total : LIMIT_VARIABLES_PER_PAGE);
    buffer_addc(line, ')');
    line_hint_end(line);
    buffer_addc(line, '\n');
}

static void add_others(struct buffer *out, const struct locals_section *section)
{
    uint64_t others = section->total - section->shown_count;
    if (others == 0)
        return;
    buffer_add(out, "  others: ");
    size_t named = add_other_names(out, section);
    if (others > named) {
        buffer_add(out, named > 0 ? ", … " : "");
        line_count(out, others - named);
        buffer_add(out, " more");
    }
    add_where_all_locals(out, section);
}

static void add_other_scopes(struct buffer *out, const struct packet_view *view)
{
    size_t named = 0;
    for (size_t i = 0; i < view->scope_count && named < 5; i++) {
        const struct scope *scope = &view->scopes[i];
        if (locals_scope_counts(scope) || scope->handle == 0)
            continue;
        buffer_add(out, named++ > 0 ? ", " : "other scopes: ");
        line_text(out, scope->name, SCOPE_NAME_BYTES);
        line_id(out, " [", "variables_reference", scope->handle, "]");
    }
    if (named > 0)
        buffer_addc(out, '\n');
}

/* `after`: what the packet ends with. */
static void add_locals(struct buffer *out, const struct packet_view *view, const struct measure *measure,
                       const struct buffer *after)
{
    if (view->scope_count == 0 && view->stop->frame_count == 0)
        return;
    const struct frame *top = top_frame(view);
    struct locals_section section = { .view = view, .measure = measure };
    section.count =
        locals_rank(view->scopes, view->scope_count, view->excerpt, top ? top->line : 0, view->before, top, &section.locals);
    /* Groups that the adapter made up come last and say nothing about the program. */
    while (!measure->all_values && section.count > 0 && section.locals[section.count - 1].variable->group)
        section.count--;
    section.total = section.count + count_unread(view);
    section.shown = xcalloc(section.count + 1, sizeof(*section.shown));
    add_locals_title(out, &section);
    add_scope_notes(out, view);
    size_t used = out->len + after->len + TRAILER_BYTES;
    size_t used_lines = count_lines(out) + count_lines(after) + TRAILER_LINES;
    section.bytes = measure->bytes > used ? measure->bytes - used : 0;
    section.lines = measure->lines > used_lines ? measure->lines - used_lines : 0;
    add_rows(out, &section);
    add_others(out, &section);
    if (section.any_cut != CUT_NONE) {
        buffer_add(out, "  (");
        line_cut_values(out, section.any_cut);
        buffer_add(out, ")\n");
    }
    free(section.locals);
    free(section.shown);
}

void render_packet(struct buffer *out, const struct packet_view *view)
{
    const struct measure *measure = view->context == CONTEXT_FULL ? &full : &brief;
    if (!view->stop)
        return;
    AUTO_BUFFER struct buffer packet;
    buffer_init(&packet, LIMIT_RENDERED_BYTES);
    add_exception(&packet, view, measure);
    if (view->context != CONTEXT_NONE) {
        AUTO_BUFFER struct buffer after;
        buffer_init(&after, LIMIT_TEXT_BYTES);
        if (measure->other_scopes)
            add_other_scopes(&after, view);
        add_callers_line(&after, view, measure);
        add_other_frame(&packet, view);
        add_source(&packet, view, measure);
        add_locals(&packet, view, measure, &after);
        buffer_append(&packet, after.data, after.len);
    }
    buffer_append(out, packet.data, packet.len);
}
