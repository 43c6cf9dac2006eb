#include "verb/render_memory.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "verb/render_line.h"
#include "verb/source_excerpt.h"

#include <inttypes.h>
#include <string.h>

#define ROW 16

/* ---- memory ---- */

static void add_head(struct buffer *out, const struct memory_view *view)
{
    buffer_add(out, "Memory: ");
    if (view->len < view->asked) {
        line_count(out, view->len);
        buffer_add(out, " of ");
    }
    line_counted(out, view->asked, "byte");
    buffer_add(out, " at ");
    if (view->has_address) {
        buffer_addf(out, "0x%" PRIx64, view->address);
    } else {
        line_text(out, view->reference, LIMIT_NAME_BYTES);
        if (view->offset != 0)
            buffer_addf(out, " offset %" PRId64, view->offset);
    }
    if (view->expression) {
        buffer_add(out, " (");
        line_text(out, view->expression, LIMIT_NAME_BYTES);
        buffer_addc(out, ')');
    }
    if (view->len < view->asked) {
        if (view->unreadable > 0) {
            buffer_add(out, "; the ");
            line_counted(out, view->unreadable, "byte");
            buffer_add(out, " after them cannot be read");
        } else {
            buffer_add(out, "; readable memory ends there");
        }
    }
    if (view->why_less) {
        buffer_add(out, " (");
        line_text(out, view->why_less, LIMIT_MESSAGE_BYTES);
        buffer_addc(out, ')');
    }
    buffer_addc(out, '\n');
}

static void add_row(struct buffer *out, const struct memory_view *view, size_t at)
{
    const unsigned char *row = (const unsigned char *)view->bytes + at;
    size_t len = view->len - at < ROW ? view->len - at : ROW;
    if (view->has_address)
        buffer_addf(out, "  0x%012" PRIx64 " ", view->address + at);
    else
        buffer_addf(out, "  +%04zx ", at);
    for (size_t i = 0; i < ROW; i++) {
        if (i == ROW / 2)
            buffer_addc(out, ' ');
        if (i < len)
            buffer_addf(out, " %02x", row[i]);
        else
            buffer_add(out, "   ");
    }
    buffer_add(out, "  |");
    for (size_t i = 0; i < len; i++)
        buffer_addc(out, row[i] >= 0x20 && row[i] < 0x7f ? (char)row[i] : '.');
    buffer_add(out, "|\n");
}

void render_memory(struct buffer *out, const struct memory_view *view)
{
    add_head(out, view);
    for (size_t at = 0; at < view->len; at += ROW)
        add_row(out, view, at);
}

/* ---- instructions ---- */

void instructions_free(struct instruction *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(list[i].address);
        free(list[i].text);
        free(list[i].bytes);
        free(list[i].symbol);
        free(list[i].source_path);
        free(list[i].source_name);
    }
    free(list);
}

static void add_source_line(struct buffer *out, const struct instruction *row, const char *project)
{
    struct frame place = { .source_path = row->source_path, .source_name = row->source_name, .line = row->line };
    buffer_add(out, "  ");
    line_location(out, &place, project);
    struct source_excerpt excerpt;
    source_excerpt_read(row->source_reference > 0 ? NULL : row->source_path, row->line, 0, &excerpt);
    const char *text = source_excerpt_line(&excerpt, row->line);
    if (text) {
        buffer_add(out, " | ");
        line_text(out, text + strspn(text, " \t"), LIMIT_SOURCE_LINE_BYTES);
    }
    source_excerpt_done(&excerpt);
    buffer_addc(out, '\n');
}

/* Adapters pad their texts to columns. */
static void add_trimmed(struct buffer *out, const char *text)
{
    text += strspn(text, " \t");
    size_t len = strlen(text);
    while (len > 0 && (text[len - 1] == ' ' || text[len - 1] == '\t'))
        len--;
    AUTO_FREE char *trimmed = xstrndup(text, len);
    line_text(out, trimmed, LIMIT_NAME_BYTES);
}

void render_disassembly(struct buffer *out, const struct disassembly_view *view)
{
    buffer_add(out, "Disassembly: ");
    line_counted(out, view->count, "instruction");
    buffer_add(out, " around ");
    line_text(out, view->where, LIMIT_NAME_BYTES);
    buffer_addc(out, '\n');
    const struct instruction *before = NULL;
    for (size_t i = 0; i < view->count; i++) {
        const struct instruction *row = &view->rows[i];
        if (row->symbol && (!before || !same_text(row->symbol, before->symbol))) {
            buffer_add(out, "  <");
            line_text(out, row->symbol, LIMIT_NAME_BYTES);
            buffer_add(out, ">\n");
        }
        bool placed = row->line > 0 && (row->source_path || row->source_name);
        if (placed && (!before || row->line != before->line || !same_text(row->source_path, before->source_path)))
            add_source_line(out, row, view->project);
        buffer_add(out, row->current ? "  => " : "     ");
        line_text(out, row->address, LIMIT_NAME_BYTES);
        buffer_add(out, "  ");
        if (row->invalid)
            buffer_add(out, "(cannot be read)");
        else
            add_trimmed(out, row->text);
        buffer_addc(out, '\n');
        before = row;
    }
    if (view->remark)
        buffer_addf(out, "  (%s)\n", view->remark);
}
