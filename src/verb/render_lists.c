/* Lists: stack frames, scopes, variables; and the one value that was asked for. */
#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "verb/evaluation.h"
#include "verb/render.h"
#include "verb/render_line.h"

#include <inttypes.h>
#include <string.h>

/* ---- stack ---- */

static void add_frame(struct buffer *out, const struct frame *frame, const char *project)
{
    if (frame->handle > 0)
        buffer_addf(out, "  frame %" PRId64 ": ", frame->handle);
    else
        buffer_add(out, "  frame without an id (all are given out at this stop): ");
    line_text(out, frame->name && *frame->name ? frame->name : "?", LIMIT_NAME_BYTES);
    line_at_location(out, frame, project);
    if (frame->source_reference > 0) /* no file: the adapter has the text */
        line_id(out, " [", "source_reference", frame->source_reference, "]");
    buffer_addc(out, '\n');
}

/* "34–46", or "34–36, 40" when they do not follow each other. */
static void add_ids(struct buffer *out, const struct frame *frames, size_t count)
{
    for (size_t i = 0; i < count;) {
        size_t last = i;
        while (last + 1 < count && frames[last + 1].handle == frames[last].handle + 1)
            last++;
        buffer_addf(out, "%s%" PRId64, i > 0 ? ", " : "", frames[i].handle);
        if (last > i)
            buffer_addf(out, "–%" PRId64, frames[last].handle);
        i = last + 1;
    }
}

static void add_folded(struct buffer *out, const struct frame *frames, size_t count)
{
    buffer_add(out, "  … ");
    line_count(out, count);
    buffer_add(out, " deemphasized frames (ids ");
    add_ids(out, frames, count);
    buffer_add(out, ")\n");
}

/* How many frames from `index` on are unimportant; the frame that stands still is always of interest. */
static size_t unimportant_run(const struct stack_view *view, size_t index)
{
    size_t end = index;
    while (end < view->count && frame_is_unimportant(&view->frames[end]) && (view->start > 0 || end > 0))
        end++;
    return end - index;
}

/* "20 of 41 frames (20 to 39)": all that is known about how many there are, and which these are. */
static void add_stack_title(struct buffer *out, const struct stack_view *view)
{
    bool part = view->total >= 0 && (uint64_t)view->total > view->count;
    buffer_add(out, "Stack: ");
    if (part) {
        line_count(out, view->count);
        buffer_add(out, " of ");
        line_counted(out, (uint64_t)view->total, "frame");
    } else {
        line_counted(out, view->count, "frame");
    }
    if (view->start > 0)
        buffer_addf(out, ", from number %" PRId64, view->start);
    buffer_addc(out, '\n');
}

void render_stack(struct buffer *out, const struct stack_view *view)
{
    add_stack_title(out, view);
    for (size_t i = 0; i < view->count;) {
        size_t run = unimportant_run(view, i);
        if (run >= 2)
            add_folded(out, &view->frames[i], run);
        else
            add_frame(out, &view->frames[i], view->project);
        i += run >= 2 ? run : 1;
    }
    if (view->more && view->count > 0) {
        buffer_addf(out, "  … more: dap_stack start=%" PRId64, view->start + (int64_t)view->count);
        line_session(out, view->session);
        buffer_addc(out, '\n');
    }
}

/* ---- scopes and variables ---- */

/* Rows of variables. Returns what was cut of values. */
static unsigned add_variables(struct buffer *out, const struct variable *variables, size_t count)
{
    unsigned any_cut = CUT_NONE;
    for (size_t i = 0; i < count; i++) {
        buffer_add(out, "  ");
        any_cut |= line_variable(out, &variables[i]);
        line_value_location(out, &variables[i]);
        buffer_addc(out, '\n');
    }
    return any_cut;
}

static void add_cut_values(struct buffer *out, unsigned any_cut)
{
    if (any_cut == CUT_NONE)
        return;
    buffer_add(out, "  (");
    line_cut_values(out, any_cut);
    buffer_add(out, ")\n");
}

static void add_next_page(struct buffer *out, int64_t handle, int64_t next, const char *session)
{
    buffer_add(out, "  … more: dap_variables");
    if (handle > 0)
        buffer_addf(out, " variables_reference=%" PRId64, handle);
    buffer_addf(out, " start=%" PRId64, next);
    line_session(out, session);
    buffer_addc(out, '\n');
}

static void add_scope_count(struct buffer *out, const struct scope *scope, int64_t start)
{
    buffer_add(out, ": ");
    if (scope->total > scope->count) {
        line_count(out, scope->count);
        buffer_add(out, " of ");
    }
    line_counted(out, scope->total > scope->count ? scope->total : scope->count, "variable");
    if (start > 0)
        buffer_addf(out, ", from number %" PRId64, start);
}

static unsigned add_scope(struct buffer *out, const struct scope *scope, int64_t start, const char *session)
{
    buffer_add(out, "Scope ");
    line_text(out, scope->name && *scope->name ? scope->name : "?", LIMIT_NAME_BYTES);
    if (scope->handle > 0)
        line_id(out, " [", "variables_reference", scope->handle, "]");
    if (scope->expanded)
        add_scope_count(out, scope, start);
    else if (scope->failure)
        line_reason(out, scope->failure, "could not be read");
    else if (scope->handle <= 0)
        buffer_add(out, ": no variables reported");
    else
        buffer_addf(out, " (%snot expanded; pass its %s to expand)", scope->expensive ? "expensive, " : "",
                    line_argument("variables_reference"));
    buffer_addc(out, '\n');
    if (!scope->expanded)
        return CUT_NONE;
    unsigned any_cut = add_variables(out, scope->variables, scope->count);
    uint64_t shown = (uint64_t)(start > 0 ? start : 0) + scope->count;
    if (scope->total > shown && scope->count > 0)
        add_next_page(out, scope->handle, (int64_t)shown, session);
    return any_cut;
}

void render_scopes(struct buffer *out, const struct scope *scopes, size_t count, int64_t start, const char *session)
{
    unsigned any_cut = CUT_NONE;
    if (count == 0)
        buffer_add(out, "Scopes: none\n");
    for (size_t i = 0; i < count; i++) {
        any_cut |= add_scope(out, &scopes[i], start, session);
    }
    add_cut_values(out, any_cut);
}

void render_variables(struct buffer *out, const struct variables_view *view)
{
    buffer_add(out, "Variables: ");
    line_count(out, view->count);
    if (view->total >= 0 && (uint64_t)view->total > view->count) {
        buffer_add(out, " of ");
        line_count(out, (uint64_t)view->total);
    }
    if (view->start > 0)
        buffer_addf(out, ", from number %" PRId64, view->start);
    if (view->length > 0) {
        buffer_add(out, " (");
        line_true_length(out, view->length);
        buffer_addc(out, ')');
    }
    buffer_addc(out, '\n');
    unsigned any_cut = add_variables(out, view->variables, view->count);
    if (view->more && view->count > 0)
        add_next_page(out, view->handle, view->start + (int64_t)view->count, view->session);
    if (view->named_left > 0) {
        buffer_add(out, "  … beside its elements ");
        line_counted(out, (uint64_t)view->named_left, "named member");
        buffer_addf(out, ": dap_variables variables_reference=%" PRId64 " filter=named", view->handle);
        line_session(out, view->session);
        buffer_addc(out, '\n');
    }
    add_cut_values(out, any_cut);
}

/* ---- evaluation ---- */

/* A text made of members, with a mark for what was left out: {'alice': Account(name='alice'...l('100')}, {newest:0x55d0, ...}. Code of a
 * function has such marks, too. */
static bool is_shortened(const struct variable *value)
{
    if (value->handle <= 0 || value->value.len == 0 || strncmp(value->value.data, "ƒ", strlen("ƒ")) == 0 ||
        strncmp(value->value.data, "class ", 6) == 0)
        return false;
    return memmem(value->value.data, value->value.len, "...", 3) != NULL ||
           memmem(value->value.data, value->value.len, "…", strlen("…"));
}

/* What a debugger's command says has no type; its line ends are no part of a value. */
static bool is_lines(const struct variable *evaluation, size_t *ret_len)
{
    const char *text = evaluation->value.data;
    size_t len = text == NULL ? 0 : evaluation->value.len;
    while (len > 0 && (text[len - 1] == '\n' || text[len - 1] == '\r'))
        len--;
    *ret_len = len;
    return evaluation->type.len == 0 && evaluation->handle <= 0 && len > 0 && memchr(text, '\n', evaluation->value.len) != NULL;
}

static void add_answer(struct buffer *out, const char *text, size_t len)
{
    size_t count = 1, left = LIMIT_EVALUATION_BYTES;
    for (const char *at = text; (at = memchr(at, '\n', (size_t)(text + len - at))) != NULL; at++)
        count++;
    if (count == 1) {
        line_with_tabs(out, text, len, left);
        buffer_addc(out, '\n');
        return;
    }
    buffer_addf(out, "the debugger's answer (%zu lines):\n", count);
    for (const char *at = text, *end = text + len; at < end;) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        size_t line_len = (size_t)((newline != NULL ? newline : end) - at), own = line_len;
        if (line_len + 4 > left) {
            buffer_addf(out, "… %zu more bytes: a narrower command shows them\n", (size_t)(end - at));
            return;
        }
        own -= own > 0 && at[own - 1] == '\r';
        buffer_add(out, "|# ");
        line_with_tabs(out, at, own, LIMIT_EVALUATION_BYTES);
        buffer_addc(out, '\n');
        left -= line_len + 4;
        at += line_len + (newline != NULL);
    }
}

void render_evaluation(struct buffer *out, const struct variable *evaluation)
{
    size_t len;
    if (is_lines(evaluation, &len)) {
        add_answer(out, evaluation->value.data, len);
        return;
    }
    if (evaluation->value.len == 0)
        buffer_add(out, "(empty result)");
    bool cut = line_adapter_text(out, &evaluation->value, LIMIT_EVALUATION_BYTES);
    if (cut) {
        buffer_add(out, " (cut; ");
        line_counted(out, evaluation->value.len, "byte");
        buffer_add(out, " in all: evaluate a part of it)");
    }
    if (evaluation->type.len > 0) {
        buffer_add(out, " (");
        line_adapter_text(out, &evaluation->type, LIMIT_TYPE_BYTES);
        buffer_addc(out, ')');
    }
    line_reference(out, evaluation);
    line_value_location(out, evaluation);
    if (!cut && is_shortened(evaluation)) {
        line_hint(out);
        buffer_addf(out, " (shortened: dap_variables variables_reference=%" PRId64 " depth=2 shows more)", evaluation->handle);
        line_hint_end(out);
    }
    buffer_addc(out, '\n');
}

/* ---- targets ---- */

void render_choices(struct buffer *out, const char *heading, const struct choice *choices, size_t count, const char *call,
                    const char *session)
{
    buffer_addf(out, "%s: %zu", heading, count);
    if (count > 0) {
        buffer_addf(out, " (%s target_id=… goes to one", call);
        line_session(out, session);
        buffer_addc(out, ')');
    }
    buffer_addc(out, '\n');
    for (size_t i = 0; i < count; i++) {
        buffer_add(out, "  ");
        line_text(out, choices[i].label, LIMIT_NAME_BYTES);
        if (choices[i].line > 0)
            buffer_addf(out, " at line %" PRId64, choices[i].line);
        if (choices[i].line > 0 && choices[i].column > 0)
            buffer_addf(out, ":%" PRId64, choices[i].column);
        if (choices[i].handle > 0)
            buffer_addf(out, " [target_id %" PRId64 "]", choices[i].handle);
        buffer_addc(out, '\n');
    }
}

void render_not_evaluated(struct buffer *out, const struct evaluation *row)
{
    line_text(out, row->expression, LIMIT_EXPRESSION_BYTES);
    buffer_add(out, ": not evaluated: ");
    line_text(out, row->failure, LIMIT_EVALUATION_BYTES);
    buffer_addc(out, '\n');
}

void render_evaluations(struct buffer *out, const struct evaluation *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].failure != NULL) {
            render_not_evaluated(out, &rows[i]);
            continue;
        }
        line_text(out, rows[i].expression, LIMIT_EXPRESSION_BYTES);
        if (rows[i].statement) {
            buffer_add(out, ": done (a statement, it has no value)\n");
            continue;
        }
        buffer_add(out, " = ");
        render_evaluation(out, &rows[i].value);
    }
}
