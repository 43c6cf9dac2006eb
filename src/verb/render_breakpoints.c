/* Breakpoints: the short list of what is desired, what became of one file, and all that is known of each. */
#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "verb/render.h"
#include "verb/render_line.h"

#include <inttypes.h>
#include <string.h>

/* ---- pieces ---- */

static bool is_moved(const struct desired_breakpoint *desired, const struct bound_breakpoint *bound)
{
    return bound->has_line && bound->line != desired->line;
}

/* Adapters spell paths in their own way; another name is another file for sure. */
static const char *other_file(const struct bound_breakpoint *bound, const char *path)
{
    if (!bound->source_path || !*bound->source_path || strcmp(path_name(bound->source_path), path_name(path)) == 0)
        return NULL;
    return bound->source_path;
}

static void add_labelled(struct buffer *line, const char *label, const char *text)
{
    if (text == NULL)
        return;
    buffer_addf(line, " %s ", label);
    line_text(line, text, LIMIT_MESSAGE_BYTES);
}

static void add_options(struct buffer *line, const struct desired_breakpoint *desired)
{
    add_labelled(line, "if", desired->condition);
    add_labelled(line, "hits", desired->hit_condition);
    add_labelled(line, "logs", desired->log_message);
    add_labelled(line, "mode", desired->mode);
}

/* ---- what became of one file ---- */

static void add_bound_state(struct buffer *line, const struct breakpoint_list *file, size_t index)
{
    const struct bound_breakpoint *bound = &file->bound[index];
    const struct desired_breakpoint *desired = &file->desired[index];
    buffer_add(line, bound->hit ? "verified, hit" : "verified");
    if (is_moved(desired, bound))
        buffer_addf(line, ": requested line %" PRId64 ", bound to line %" PRId64, desired->line, bound->line);
    const char *other = other_file(bound, file->path);
    if (other) {
        buffer_add(line, is_moved(desired, bound) ? " of " : ": bound in ");
        line_text(line, other, LIMIT_PATH_BYTES);
    }
    if (bound->message && *bound->message) {
        buffer_add(line, " (");
        line_text(line, bound->message, LIMIT_MESSAGE_BYTES);
        buffer_addc(line, ')');
    }
}

static void add_breakpoint(struct buffer *out, const struct breakpoint_list *file, size_t index)
{
    const struct bound_breakpoint *bound = &file->bound[index];
    buffer_addf(out, "  line %" PRId64, file->desired[index].line);
    if (file->desired[index].disabled) {
        buffer_add(out, " disabled\n");
        return;
    }
    if (bound->has_id)
        buffer_addf(out, " (id %" PRId64 ")", bound->id);
    buffer_addc(out, ' ');
    switch (bound->state) {
    case BREAKPOINT_BOUND:
        add_bound_state(out, file, index);
        break;
    case BREAKPOINT_PENDING:
        buffer_add(out, "pending");
        line_reason(out, bound->message, "the debugger has not found this code yet");
        break;
    case BREAKPOINT_FAILED:
        buffer_add(out, "not verified");
        line_reason(out, bound->message, "the debugger gave no reason");
        break;
    }
    buffer_addc(out, '\n');
}

void render_breakpoints(struct buffer *out, const struct breakpoint_list *file)
{
    size_t verified = 0;
    size_t count = file ? file->count : 0;
    if (count == 0) {
        buffer_add(out, "Breakpoints: none in this file\n");
        return;
    }
    for (size_t i = 0; i < count; i++)
        verified += file->bound[i].state == BREAKPOINT_BOUND;
    buffer_add(out, "Breakpoints: ");
    line_count(out, verified);
    buffer_add(out, " of ");
    line_count(out, count);
    buffer_add(out, " verified\n");
    for (size_t i = 0; i < count; i++)
        add_breakpoint(out, file, i);
}

void render_breakpoints_saved(struct buffer *out)
{
    buffer_add(out, "Saved; breakpoints apply to the next launch (no active Debug Session).\n");
}

static void add_times(struct buffer *line, const char *word, uint64_t count)
{
    buffer_addf(line, "%s ", word);
    line_count(line, count);
    buffer_add(line, count == 1 ? " time" : " times");
}

/* Neither true nor false. */
static void add_fault(struct buffer *line, const struct bound_breakpoint *bound)
{
    const struct breakpoint_counts *counts = &bound->counts;
    if (counts->faults == 0)
        return;
    add_times(line, " · its condition failed", counts->faults);
    line_reason(line, counts->fault, "");
}

/* ---- the short list of what is desired ---- */

/* What a reader of the desired list has to know about a breakpoint: nothing when it is where it should be. */
static void add_trouble(struct buffer *line, const struct desired_breakpoint *desired, const struct bound_breakpoint *bound)
{
    if (bound->state == BREAKPOINT_BOUND) {
        if (desired->kind == BREAKPOINT_SOURCE && is_moved(desired, bound))
            buffer_addf(line, " · bound to line %" PRId64, bound->line);
        return;
    }
    buffer_add(line, bound->state == BREAKPOINT_PENDING ? " · pending" : " · not verified");
    if (bound->message && *bound->message)
        line_reason(line, bound->message, "");
}

/* Sources that never run themselves: the program's code leads to them by source maps. */
static bool is_compiled(const char *path)
{
    static const char *const ends[] = { ".ts", ".tsx", ".mts", ".cts", ".jsx", ".vue", ".svelte" };
    const char *dot = path != NULL ? strrchr(path, '.') : NULL;
    for (size_t i = 0; dot != NULL && i < COUNT_OF(ends); i++)
        if (strcmp(dot, ends[i]) == 0)
            return true;
    return false;
}

/* The program is over, and its debugger never came upon this code: who waits for a stop there has to know. */
static void add_never_bound(struct buffer *line, const struct breakpoint_list *list, size_t index)
{
    const struct bound_breakpoint *bound = &list->bound[index];
    bool untold = bound->state == BREAKPOINT_PENDING && !bound->has_id && !bound->has_line && !bound->message;
    if (bound->state == BREAKPOINT_BOUND || bound->hit || untold)
        return;
    buffer_add(line, " · never bound");
    bool told = bound->message && *bound->message;
    if (told && (bound->state == BREAKPOINT_FAILED || (list->kind == BREAKPOINT_SOURCE && !is_compiled(list->path))))
        line_reason(line, bound->message, "");
    else if (is_compiled(list->path))
        buffer_add(line, ": no code that ran leads to this file by a source map (build with source maps, and anew after changes)");
    else if (list->kind == BREAKPOINT_SOURCE)
        buffer_add(line, ": the program ended without loading code of this file, or the line has none");
}

static void add_desired(struct buffer *out, const struct breakpoint_list *list, size_t index, const struct session *session,
                        const char *project)
{
    const struct desired_breakpoint *desired = &list->desired[index];
    buffer_add(out, "  ");
    line_breakpoint(out, list, index, project);
    add_options(out, desired);
    if (desired->disabled)
        buffer_add(out, " · disabled");
    else if (session_active(session) && list->bound)
        add_trouble(out, desired, &list->bound[index]);
    else if (session_state(session) == SESSION_TERMINATED && list->bound && session_attached_to(session) == NULL)
        add_never_bound(out, list, index);
    if (!desired->disabled && list->bound)
        add_fault(out, &list->bound[index]);
    if (desired->earlier)
        buffer_add(out, " · from an earlier launch");
    buffer_addc(out, '\n');
}

void render_desired(struct buffer *out, const struct session *session, const char *project, bool say_none)
{
    size_t total = 0;
    bool earlier = false;
    for (size_t i = 0; i < session_breakpoint_list_count(session); i++) {
        const struct breakpoint_list *list = session_breakpoint_list(session, i);
        for (size_t j = 0; j < list->count; j++) {
            if (list->desired[j].of_launch)
                continue;
            earlier = earlier || list->desired[j].earlier;
            if (total == 0)
                buffer_add(out, "Desired Breakpoints:\n");
            if (total++ < LIMIT_DESIRED_ROWS)
                add_desired(out, list, j, session, project);
        }
    }
    if (total > LIMIT_DESIRED_ROWS) {
        buffer_add(out, "  … ");
        line_count(out, total - LIMIT_DESIRED_ROWS);
        buffer_add(out, " more, not listed (dap_set_breakpoints with [] clears a file's)\n");
    }
    if (earlier)
        buffer_add(out,
                   "  (a launch replaces the breakpoints of the files that it names; others stay until dap_remove_breakpoint)\n");
    if (total == 0 && say_none)
        buffer_add(out, "Desired Breakpoints: none\n");
}

/* ---- all that is known ---- */

const char *breakpoint_state_word(const struct session *session, const struct breakpoint_list *list, size_t index)
{
    static const char *const words[] = { "pending", "bound", "failed" };
    if (list->desired[index].disabled)
        return "disabled";
    if (list->desired[index].expired)
        return "expired";
    return session_active(session) ? words[list->bound[index].state] : "saved";
}

/* The line where the target put it, when that is another than the one that was asked for; 0: it is not. */
static int64_t moved_to(const struct breakpoint_list *list, size_t index)
{
    bool moved = list->kind == BREAKPOINT_SOURCE && is_moved(&list->desired[index], &list->bound[index]);
    return moved ? list->bound[index].line : 0;
}

/* Few adapters place breakpoints within a line: whether this one did, where a column was asked for. */
static void add_column(struct buffer *line, const struct desired_breakpoint *desired, const struct bound_breakpoint *bound)
{
    if (desired->column == 0 || bound->state != BREAKPOINT_BOUND || bound->column == desired->column)
        return;
    if (bound->column > 0)
        buffer_addf(line, " at column %" PRId64, bound->column);
    else
        buffer_add(line, " (the debugger does not say whether it took the column)");
}

/* Of one that the debugger does alone, only its stops are known. */
static void add_counts(struct buffer *line, const struct bound_breakpoint *bound)
{
    const struct breakpoint_counts *counts = &bound->counts;
    if (counts->arrivals > counts->stops || counts->logs > 0) {
        add_times(line, ", hit", counts->arrivals);
        if (counts->logs > 0)
            add_times(line, ", logged", counts->logs);
        else
            add_times(line, ", stopped", counts->stops);
    } else if (counts->stops > 1) {
        add_times(line, ", hit", counts->stops);
    } else if (bound->hit) {
        buffer_add(line, ", hit");
    }
}

static void add_emulated(struct buffer *line, const struct session *session, const struct desired_breakpoint *desired)
{
    AUTO_FREE char *parts = emulated_parts(session_breakpoint_emulated(session, desired));
    if (parts != NULL)
        buffer_addf(line, " (%s emulated)", parts);
}

static void add_live_state(struct buffer *line, const struct breakpoint_list *list, size_t index, const char *project)
{
    const struct bound_breakpoint *bound = &list->bound[index];
    if (bound->state == BREAKPOINT_BOUND && moved_to(list, index) > 0)
        buffer_addf(line, " to line %" PRId64, bound->line);
    add_column(line, &list->desired[index], bound);
    const char *elsewhere = list->kind == BREAKPOINT_SOURCE ? other_file(bound, list->path) : bound->source_path;
    if (bound->state == BREAKPOINT_BOUND && elsewhere != NULL && bound->has_line) {
        AUTO_FREE char *shown = path_shown(elsewhere, project);
        buffer_add(line, list->kind == BREAKPOINT_SOURCE ? " of " : " at ");
        line_text(line, shown, LIMIT_PATH_BYTES);
        if (list->kind != BREAKPOINT_SOURCE)
            buffer_addf(line, ":%" PRId64, bound->line);
    }
    add_counts(line, bound);
    bool says_nothing = bound->state == BREAKPOINT_BOUND && list->kind != BREAKPOINT_SOURCE; /* rdbg dumps an object there */
    if (bound->message && *bound->message && !says_nothing)
        line_reason(line, bound->message, "");
    else if (bound->state == BREAKPOINT_PENDING)
        line_reason(line, NULL,
                    list->kind == BREAKPOINT_FUNCTION ? "the debugger knows no function of this name yet"
                                                      : "the debugger has not found this code yet");
    else if (bound->state == BREAKPOINT_FAILED)
        line_reason(line, NULL, "the debugger gave no reason");
}

void render_breakpoint_name(struct buffer *out, const struct breakpoint_list *list, size_t index, const char *project)
{
    buffer_addf(out, "breakpoint %" PRId64 ", ", list->desired[index].number);
    line_breakpoint(out, list, index, project);
    add_options(out, &list->desired[index]);
    buffer_addc(out, '\n');
}

void render_breakpoint(struct buffer *out, const struct session *session, const struct breakpoint_list *list, size_t index,
                       const char *project)
{
    const struct desired_breakpoint *desired = &list->desired[index];
    buffer_addf(out, "breakpoint %" PRId64 ", ", desired->number);
    line_breakpoint(out, list, index, project);
    if (desired->description != NULL) {
        buffer_add(out, " [");
        line_text(out, desired->description, LIMIT_MESSAGE_BYTES);
        buffer_addc(out, ']');
    }
    add_options(out, desired);
    if (desired->of_launch)
        buffer_add(out, " (of dap_launch)");
    buffer_addf(out, " · %s", breakpoint_state_word(session, list, index));
    if (desired->expired)
        buffer_add(out, ": the program that it watched has ended; add it again at a stop of the new one");
    else if (!desired->disabled && session_active(session)) {
        add_live_state(out, list, index, project);
        add_emulated(out, session, desired);
    } else if (list->bound[index].hit)
        buffer_add(out, ", hit in the last launch");
    add_fault(out, &list->bound[index]);
    buffer_addc(out, '\n');
}
