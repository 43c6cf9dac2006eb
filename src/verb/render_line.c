#include "verb/render_line.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/utf8.h"
#include "verb/hint.h"
#include "verb/source_excerpt.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void line_text(struct buffer *line, const char *text, size_t most)
{
    if (text)
        utf8_one_line(line, text, strlen(text), most);
}

bool line_adapter_text(struct buffer *line, const struct adapter_text *text, size_t most)
{
    return text->data && utf8_one_line(line, text->data, text->len, most);
}

void line_count(struct buffer *line, uint64_t count)
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, count);
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            buffer_addc(line, ',');
        buffer_addc(line, digits[i]);
    }
}

void line_counted(struct buffer *line, uint64_t count, const char *noun)
{
    line_count(line, count);
    buffer_addf(line, " %s%s", noun, count == 1 ? "" : "s");
}

static bool add_source(struct buffer *line, const struct frame *frame, const char *project)
{
    if (frame->source_path && *frame->source_path) {
        AUTO_FREE char *shown = path_shown(frame->source_path, project);
        line_text(line, shown, LIMIT_PATH_BYTES);
        return true;
    }
    if (frame->source_name && *frame->source_name) {
        line_text(line, frame->source_name, LIMIT_PATH_BYTES);
        return true;
    }
    return false;
}

bool line_location(struct buffer *line, const struct frame *frame, const char *project)
{
    bool has_source = add_source(line, frame, project);
    if (frame->line < 1)
        return has_source;
    buffer_addf(line, "%s%" PRId64, has_source ? ":" : "", frame->line);
    if (frame->column > 0)
        buffer_addf(line, ":%" PRId64, frame->column);
    return true;
}

void line_at_location(struct buffer *line, const struct frame *frame, const char *project)
{
    size_t before = line->len;
    buffer_add(line, " at ");
    if (!line_location(line, frame, project))
        buffer_truncate(line, before);
}

void line_at_frame(struct buffer *line, const struct frame *frame, const char *project)
{
    line_at_location(line, frame, project);
    if (frame->name && *frame->name) {
        buffer_add(line, " in ");
        line_text(line, frame->name, LIMIT_NAME_BYTES);
    }
}

static int digits_of(int64_t number)
{
    int digits = 1;
    for (; number >= 10; number /= 10)
        digits++;
    return digits;
}

bool line_with_tabs(struct buffer *line, const char *text, size_t len, size_t most)
{
    const char *end = text + len;
    while (text < end) {
        const char *tab = memchr(text, '\t', (size_t)(end - text));
        size_t part = (size_t)((tab != NULL ? tab : end) - text), before = line->len;
        if (utf8_one_line(line, text, part, most))
            return true;
        most -= line->len - before;
        text += part;
        if (tab == NULL)
            break;
        if (most == 0)
            return true;
        buffer_addc(line, '\t');
        text++;
        most--;
    }
    return false;
}

/* With the tabs and blanks that are in the file: who copies from here finds the text there. */
void line_source(struct buffer *line, const char *text, int64_t number, int64_t last, bool marked)
{
    buffer_addf(line, "%s %*" PRId64 " |%s", marked ? "->" : "  ", digits_of(last), number, *text != '\0' ? " " : "");
    line_with_tabs(line, text, strlen(text), LIMIT_SOURCE_LINE_BYTES);
}

void line_reason(struct buffer *line, const char *message, const char *otherwise)
{
    buffer_add(line, ": ");
    line_text(line, message && *message ? message : otherwise, LIMIT_MESSAGE_BYTES);
}

void line_breakpoint(struct buffer *line, const struct breakpoint_list *list, size_t index, const char *project)
{
    AUTO_FREE char *shown = list->path == NULL ? NULL : path_shown(list->path, project);
    AUTO_FREE char *place = breakpoint_place(shown, &list->desired[index]);
    line_text(line, place, LIMIT_PATH_BYTES);
}

bool frame_is_unimportant(const struct frame *frame)
{
    if (frame->hint && (strcmp(frame->hint, "subtle") == 0 || strcmp(frame->hint, "label") == 0))
        return true;
    return frame->source_hint && strcmp(frame->source_hint, "deemphasize") == 0;
}

/* ---- hints ---- */

static bool for_shell;

void hints_for_shell(bool shell)
{
    for_shell = shell;
}

void line_hint(struct buffer *line)
{
    if (for_shell)
        buffer_addc(line, HINT_BEGIN);
}

void line_hint_end(struct buffer *line)
{
    if (for_shell)
        buffer_addc(line, HINT_END);
}

const char *line_argument(const char *argument)
{
    static const struct {
        const char *argument, *flag;
    } flags[] = {
        { "frame_id", "--frame" },
        { "variables_reference", "--reference" },
        { "source_reference", "--source-reference" },
        { "location_reference", "--location-reference" },
    };
    for (size_t i = 0; for_shell && i < COUNT_OF(flags); i++)
        if (strcmp(flags[i].argument, argument) == 0)
            return flags[i].flag;
    return argument;
}

void line_id(struct buffer *line, const char *before, const char *argument, int64_t id, const char *after)
{
    line_hint(line);
    buffer_addf(line, "%s%s %" PRId64 "%s", before, line_argument(argument), id, after);
    line_hint_end(line);
}

/* ---- values ---- */

void line_reference(struct buffer *line, const struct variable *variable)
{
    if (variable->handle > 0)
        line_id(line, " [", "variables_reference", variable->handle, "]");
    else if (variable->adapter_reference > 0)
        buffer_addf(line, " [has members; no %s is left at this stop]", line_argument("variables_reference"));
}

void line_value_location(struct buffer *line, const struct variable *variable)
{
    if (variable->value_location_handle > 0)
        line_id(line, " [", "location_reference", variable->value_location_handle, "]");
}

unsigned line_variable(struct buffer *line, const struct variable *variable)
{
    return line_variable_within(line, variable, LIMIT_VALUE_BYTES);
}

unsigned line_variable_within(struct buffer *line, const struct variable *variable, size_t most)
{
    bool cut = false;
    line_adapter_text(line, &variable->name, LIMIT_NAME_BYTES);
    if (variable->type.len > 0) {
        buffer_add(line, ": ");
        line_adapter_text(line, &variable->type, LIMIT_TYPE_BYTES);
    }
    if (variable->lazy) { /* its value is a placeholder: reading it may run code of the program's */
        buffer_add(line, " = (not read yet; dap_variables reads it)");
    } else if (variable->value.len > 0) {
        buffer_add(line, " = ");
        cut = line_adapter_text(line, &variable->value, most);
    }
    if (cut) {
        buffer_add(line, " (");
        line_counted(line, variable->value.len, "byte");
        buffer_add(line, ")");
    }
    line_reference(line, variable);
    return !cut ? CUT_NONE : variable->adapter_reference > 0 ? CUT_MEMBERS : CUT_TEXT;
}

void line_true_length(struct buffer *line, uint64_t length)
{
    buffer_add(line, "the debugger lists no more of ");
    line_count(line, length);
    buffer_add(line, ": dap_evaluate with an index or a slice shows the others");
}

void line_cut_values(struct buffer *line, unsigned cut)
{
    buffer_add(line, "values that end in … are cut");
    line_hint(line);
    buffer_add(line, ": ");
    if (cut & CUT_TEXT) {
        buffer_add(line, "dap_evaluate shows up to ");
        line_counted(line, LIMIT_EVALUATION_BYTES, "byte");
    }
    if (cut & CUT_MEMBERS)
        buffer_addf(line, "%sdap_variables path=NAME depth=2 shows members", cut & CUT_TEXT ? ", " : "");
    line_hint_end(line);
}

void line_session(struct buffer *line, const char *session)
{
    if (!session)
        return;
    buffer_add(line, " session=");
    line_text(line, session, LIMIT_NAME_BYTES);
}
