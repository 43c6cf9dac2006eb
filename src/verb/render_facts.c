/* Scopes without their variables, exceptions in full, completions. */
#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "verb/completion.h"
#include "verb/exception_details.h"
#include "verb/render.h"
#include "verb/render_line.h"
#include "verb/set_variable.h"

#include <inttypes.h>
#include <string.h>

/* ---- scopes ---- */

static void add_counts(struct buffer *out, const struct scope *scope)
{
    if (scope->named < 0 && scope->indexed < 0)
        return;
    buffer_add(out, ": ");
    if (scope->named >= 0) {
        line_counted(out, (uint64_t)scope->named, "named variable");
        buffer_add(out, scope->indexed > 0 ? ", " : "");
    }
    if (scope->indexed > 0) {
        line_count(out, (uint64_t)scope->indexed);
        buffer_add(out, " indexed");
    }
}

static void add_scope(struct buffer *out, const struct scope *scope)
{
    buffer_add(out, "  ");
    line_text(out, scope->name && *scope->name ? scope->name : "?", LIMIT_NAME_BYTES);
    if (scope->handle > 0)
        line_id(out, " [", "variables_reference", scope->handle, "]");
    if (scope->expensive)
        buffer_add(out, " (expensive)");
    add_counts(out, scope);
    if (scope->line > 0)
        buffer_addf(out, ", from line %" PRId64, scope->line);
    if (scope->line > 0 && scope->end_line > 0)
        buffer_addf(out, " to %" PRId64, scope->end_line);
    buffer_addc(out, '\n');
}

void render_scope_list(struct buffer *out, const struct scope *scopes, size_t count)
{
    buffer_add(out, "Scopes: ");
    line_count(out, count);
    buffer_addc(out, '\n');
    for (size_t i = 0; i < count; i++)
        add_scope(out, &scopes[i]);
}

/* ---- exceptions ---- */

static void add_fact(struct buffer *out, int depth, const char *label, const char *text)
{
    if (text == NULL || *text == '\0')
        return;
    for (int i = 0; i < depth; i++)
        buffer_add(out, "  ");
    buffer_addf(out, "%s: ", label);
    line_text(out, text, LIMIT_EXCEPTION_BYTES);
    buffer_addc(out, '\n');
}

/* Each line behind a mark, as everything that a program can write. */
static void add_trace(struct buffer *out, int depth, const char *trace)
{
    size_t lines = 0;
    for (const char *at = trace; *at != '\0'; lines++) {
        size_t len = strcspn(at, "\n");
        if (lines < LIMIT_TRACE_LINES) {
            for (int i = 0; i < depth; i++)
                buffer_add(out, "  ");
            buffer_add(out, "| ");
            struct adapter_text line = { (char *)at, len };
            line_adapter_text(out, &line, LIMIT_MESSAGE_BYTES);
            buffer_addc(out, '\n');
        }
        at += len + (at[len] == '\n');
    }
    if (lines > LIMIT_TRACE_LINES)
        buffer_addf(out, "… %zu more lines of it\n", lines - LIMIT_TRACE_LINES);
}

static void add_cause(struct buffer *out, const struct exception_cause *cause)
{
    if (cause->depth > 0) {
        for (int i = 1; i < cause->depth; i++)
            buffer_add(out, "  ");
        buffer_add(out, "caused by:\n");
    }
    add_fact(out, cause->depth, "type", cause->type_name);
    add_fact(out, cause->depth, "message", cause->message);
    add_fact(out, cause->depth, "as an expression", cause->evaluate_name);
    if (cause->stack_trace != NULL && cause->stack_trace[0] != '\0') {
        add_fact(out, cause->depth, "stack trace", cause->depth == 0 ? "where it was thrown" : "of the cause");
        add_trace(out, cause->depth, cause->stack_trace);
    }
}

static const char *mode_text(const char *mode)
{
    static const char *const modes[][2] = {
        { "never", "thrown" },
        { "always", "thrown" },
        { "unhandled", "nobody catches it" },
        { "userUnhandled", "the program's own code does not catch it" },
    };
    for (size_t i = 0; mode != NULL && i < sizeof(modes) / sizeof(modes[0]); i++)
        if (strcmp(mode, modes[i][0]) == 0)
            return modes[i][1];
    return NULL; /* js-debug: "all", which are its filters */
}

void render_exception(struct buffer *out, const struct exception_details *details)
{
    buffer_add(out, "exception: ");
    line_text(out, details->id[0] != '\0' ? details->id : "?", LIMIT_MESSAGE_BYTES);
    const char *mode = mode_text(details->break_mode);
    if (mode != NULL)
        buffer_addf(out, " (%s)", mode);
    buffer_addc(out, '\n');
    add_fact(out, 0, "description", details->description);
    for (size_t i = 0; i < details->count; i++)
        add_cause(out, &details->causes[i]);
    if (details->left_out > 0)
        buffer_addf(out, "… %zu more causes\n", details->left_out);
}

/* ---- a value that was set ---- */

void render_set_variable(struct buffer *out, const struct set_outcome *outcome)
{
    struct variable shown = outcome->variable;
    shown.name = (struct adapter_text){ (char *)outcome->target, strlen(outcome->target) };
    if (outcome->trouble != NULL) {
        line_text(out, outcome->target, LIMIT_NAME_BYTES);
        buffer_add(out, " was set");
        if (outcome->answered != NULL) {
            buffer_add(out, " to ");
            line_text(out, outcome->answered, LIMIT_EVALUATION_BYTES);
        }
        buffer_add(out, ", as the debugger says; it could not be read back: ");
        line_text(out, outcome->trouble, LIMIT_MESSAGE_BYTES);
    } else {
        line_variable_within(out, &shown, LIMIT_EVALUATION_BYTES);
        if (outcome->unchanged) {
            buffer_add(out, "  (unchanged: it had this value before, or the debugger set nothing");
            if (outcome->answered != NULL && *outcome->answered != '\0' && !same_text(outcome->answered, outcome->was)) {
                buffer_add(out, "; it answered ");
                line_text(out, outcome->answered, LIMIT_MESSAGE_BYTES);
            }
            buffer_addc(out, ')');
        } else if (outcome->was != NULL) {
            buffer_add(out, "  (was ");
            line_text(out, outcome->was, LIMIT_VALUE_BYTES);
            buffer_addc(out, ')');
        }
    }
    buffer_addc(out, '\n');
    if (outcome->way == SET_BY_ASSIGNMENT && !outcome->by_choice)
        buffer_addf(out,
                    "by an assignment in the program's language: %s does not claim supportsSetVariable or supportsSetExpression\n",
                    outcome->adapter);
}

/* ---- completions ---- */

void render_completions(struct buffer *out, const struct completion *items, size_t count, size_t total)
{
    buffer_add(out, "Completions: ");
    line_count(out, count);
    if (total > count) {
        buffer_add(out, " of ");
        line_count(out, total);
        buffer_add(out, " (count shows more)");
    }
    buffer_addc(out, '\n');
    for (size_t i = 0; i < count; i++) {
        buffer_add(out, "  ");
        line_text(out, items[i].text, LIMIT_NAME_BYTES);
        if (items[i].text != NULL && strcmp(items[i].text, items[i].label) != 0) {
            buffer_add(out, " — ");
            line_text(out, items[i].label, LIMIT_NAME_BYTES);
        }
        if (items[i].type != NULL) {
            buffer_add(out, " (");
            line_text(out, items[i].type, LIMIT_NAME_BYTES);
            buffer_addc(out, ')');
        }
        if (items[i].detail != NULL) {
            buffer_add(out, " · ");
            line_text(out, items[i].detail, LIMIT_MESSAGE_BYTES);
        }
        buffer_addc(out, '\n');
    }
}
