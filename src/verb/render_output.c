/* What programs printed, and the limit of a whole result. */
#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "verb/debugger_lines.h"
#include "verb/hint.h"
#include "verb/render.h"
#include "verb/render_line.h"
#include "verb/spill.h"

#include <string.h>

#define MOST_LINES 64        /* no section shows more lines */
#define LEAST_PART_BYTES 200 /* of a line that does not fit, at least so much is shown or nothing */
#define STREAMS 3            /* of enum output_stream */
#define OUTPUT_TITLE "Debuggee output"

_Static_assert(LIMIT_OUTPUT_TEXT_LINES <= MOST_LINES && LIMIT_STDERR_TAIL_LINES <= MOST_LINES, "tail_lines is too small");

/* ---- the newest lines of a text ---- */

struct tail_line {
    enum output_stream stream;
    size_t at, len; /* in the text */
};

/* A text cleaned of escape sequences, with its newest lines. */
struct tail {
    struct buffer text;
    struct tail_line newest[MOST_LINES]; /* a ring: line number n is at n % MOST_LINES */
    size_t count;                        /* all lines that there are */
    struct buffer unfinished[STREAMS];   /* what each stream printed after its last line end */
    struct debugger_lines *debuggers;    /* for each stream; NULL: every line is the program's */
    struct tail_line *held[STREAMS];     /* lines that may be the debugger's */
    size_t held_cap[STREAMS];
    bool left_out; /* some were */
};

static void tail_init(struct tail *tail)
{
    memset(tail, 0, sizeof(*tail));
    buffer_init(&tail->text, SIZE_MAX);
    for (int i = 0; i < STREAMS; i++)
        buffer_init(&tail->unfinished[i], SIZE_MAX);
}

static void tail_done(struct tail *tail)
{
    buffer_done(&tail->text);
    for (int i = 0; i < STREAMS; i++) {
        buffer_done(&tail->unfinished[i]);
        free(tail->held[i]);
    }
}

static void tail_keep(struct tail *tail, struct tail_line line)
{
    tail->newest[tail->count++ % MOST_LINES] = line;
}

/* A run of lines of the debugger's becomes one that says so. */
static void tail_end_run(struct tail *tail, enum output_stream stream, const struct debugger_run *run)
{
    if (run->lines == 0)
        return;
    if (!run->own) {
        for (size_t i = 0; i < run->lines; i++)
            tail_keep(tail, tail->held[stream][i]);
        return;
    }
    size_t at = tail->text.len;
    buffer_add(&tail->text, "  … ");
    if (run->frames > 0)
        line_counted(&tail->text, run->frames, "frame");
    else
        line_counted(&tail->text, run->lines, "line");
    buffer_add(&tail->text, " of the debugger's own");
    tail_keep(tail, (struct tail_line){ OUTPUT_DEBUGGER, at, tail->text.len - at });
    tail->left_out = true;
}

static void tail_take(struct tail *tail, struct tail_line line)
{
    enum output_stream stream = line.stream;
    if (tail->debuggers == NULL || stream == OUTPUT_DEBUGGER) {
        tail_keep(tail, line);
        return;
    }
    struct debugger_run run;
    struct debugger_lines *reading = &tail->debuggers[stream];
    bool hold = debugger_lines_take(reading, tail->text.data + line.at, line.len, &run);
    tail_end_run(tail, stream, &run);
    if (!hold) {
        tail_keep(tail, line);
        return;
    }
    tail->held[stream] = xgrow(tail->held[stream], &tail->held_cap[stream], reading->lines, sizeof(*tail->held[stream]));
    tail->held[stream][reading->lines - 1] = line;
}

/* Adds a line of a stream; a lone carriage return within it makes two of it. */
static void tail_add_line(struct tail *tail, enum output_stream stream, const char *bytes, size_t len)
{
    size_t at = tail->text.len;
    utf8_program_output(&tail->text, bytes, len);
    size_t end = tail->text.len; /* what stands in the place of lines comes behind them */
    while (at < end) {
        const char *from = tail->text.data + at;
        const char *newline = memchr(from, '\n', end - at);
        size_t line_len = newline ? (size_t)(newline - from) : end - at;
        size_t next = at + line_len + (newline ? 1 : 0);
        tail_take(tail, (struct tail_line){ stream, at, line_len });
        at = next;
    }
}

static void tail_finish_line(struct tail *tail, enum output_stream stream)
{
    struct buffer *unfinished = &tail->unfinished[stream];
    tail_add_line(tail, stream, unfinished->data, unfinished->len);
    buffer_clear(unfinished);
}

/* Lines are put together per stream: a line that comes in pieces stays whole when another stream prints in between. */
static void tail_add(struct tail *tail, enum output_stream stream, const char *bytes, size_t len)
{
    struct buffer *unfinished = &tail->unfinished[stream];
    while (len > 0) {
        const char *newline = memchr(bytes, '\n', len);
        size_t piece = newline ? (size_t)(newline - bytes) + 1 : len;
        if (newline && unfinished->len == 0) {
            tail_add_line(tail, stream, bytes, piece);
        } else {
            buffer_append(unfinished, bytes, piece);
            if (newline)
                tail_finish_line(tail, stream);
        }
        bytes += piece;
        len -= piece;
    }
}

/* The stream that printed last comes last. */
static void tail_finish(struct tail *tail, enum output_stream last)
{
    for (int i = 0; i < STREAMS; i++) {
        if (i != (int)last)
            tail_finish_line(tail, (enum output_stream)i);
    }
    tail_finish_line(tail, last);
}

/* What is shown of a tail, made from its end backwards. */
struct tail_view {
    char *lines[MOST_LINES]; /* newest first, with their marks */
    size_t count;
    size_t bytes;    /* with the line ends */
    bool in_part;    /* the oldest shown line lacks its beginning */
    bool streams[3]; /* that occur */
};

static const char *stream_mark(enum output_stream stream)
{
    static const char *const marks[] = {
        [OUTPUT_STDOUT] = "| ",
        [OUTPUT_STDERR] = "|! ",
        [OUTPUT_DEBUGGER] = "|# ",
    };
    return marks[stream];
}

/* Tabs stay: tables are made of them. What else could be taken for the end of a line does not. */
static char *shown_line(enum output_stream stream, const char *text, size_t len, bool in_part)
{
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LIMIT_RENDERED_BYTES);
    buffer_add(&line, stream_mark(stream));
    if (in_part)
        buffer_add(&line, "…");
    while (len > 0) {
        const char *tab = memchr(text, '\t', len);
        size_t plain = tab ? (size_t)(tab - text) : len;
        utf8_one_line(&line, text, plain, LIMIT_RENDERED_BYTES);
        if (tab)
            buffer_addc(&line, '\t');
        text += plain + (tab ? 1 : 0);
        len -= plain + (tab ? 1 : 0);
    }
    return buffer_take(&line, NULL);
}

static void view_add(struct tail_view *view, enum output_stream stream, char *line)
{
    view->bytes += strlen(line) + 1;
    view->lines[view->count++] = line;
    view->streams[stream] = true;
}

/* The end of a line that does not fit whole. */
static void view_add_part(struct tail_view *view, const struct tail *tail, const struct tail_line *line, size_t room)
{
    const char *text = tail->text.data + line->at;
    size_t want = room > 10 ? room - 10 : 0; /* mark, ellipsis and line end */
    size_t skip = line->len > want ? line->len - want : 0;
    while (skip < line->len && ((unsigned char)text[skip] & 0xc0) == 0x80)
        skip++;
    char *shown = shown_line(line->stream, text + skip, line->len - skip, true);
    if (strlen(shown) + 1 <= room) {
        view->in_part = true;
        view_add(view, line->stream, shown);
    } else {
        free(shown);
    }
}

static void view_fill(struct tail_view *view, const struct tail *tail, size_t most_bytes, size_t most_lines)
{
    while (view->count < tail->count && view->count < most_lines) {
        const struct tail_line *line = &tail->newest[(tail->count - 1 - view->count) % MOST_LINES];
        size_t room = most_bytes - view->bytes;
        char *shown = NULL;
        if (line->len < room)
            shown = shown_line(line->stream, tail->text.data + line->at, line->len, false);
        if (!shown || strlen(shown) + 1 > room) {
            free(shown);
            if (room >= LEAST_PART_BYTES)
                view_add_part(view, tail, line, room);
            return;
        }
        view_add(view, line->stream, shown);
    }
}

static void view_write(struct buffer *out, struct tail_view *view)
{
    while (view->count > 0) {
        char *line = view->lines[--view->count];
        buffer_add(out, line);
        buffer_addc(out, '\n');
        free(line);
    }
}

/* ---- debuggee's output ---- */

static void tail_add_output(struct tail *tail, const struct output *output)
{
    struct debugger_lines debuggers[STREAMS] = { 0 };
    const char *bytes = output->bytes;
    tail->debuggers = output->has_debuggers ? debuggers : NULL;
    for (size_t i = 0; i < output->part_count; i++) {
        tail_add(tail, output->parts[i].stream, bytes, output->parts[i].len);
        bytes += output->parts[i].len;
    }
    if (output->part_count > 0)
        tail_finish(tail, output->parts[output->part_count - 1].stream);
    for (int i = 0; tail->debuggers != NULL && i < STREAMS; i++) {
        struct debugger_run run = debugger_lines_end(&debuggers[i]);
        tail_end_run(tail, (enum output_stream)i, &run);
    }
    tail->debuggers = NULL;
}

/* Remarks in the heading stand in one pair of parentheses. */
static void begin_remark(struct buffer *heading, bool *any)
{
    buffer_add(heading, *any ? "; " : " (");
    *any = true;
}

static void add_cut_remark(struct buffer *heading, const struct tail *tail, const struct tail_view *view)
{
    buffer_add(heading, "last ");
    line_count(heading, view->in_part ? view->bytes : view->count);
    buffer_add(heading, " of ");
    line_counted(heading, view->in_part ? tail->text.len : tail->count, view->in_part ? "byte" : "line");
}

static void add_where_kept(struct buffer *heading, struct spill *spill, const char *kind, const char *bytes, size_t len)
{
    const char *path = spill ? spill_write(spill, kind, bytes, len) : NULL;
    if (path) {
        buffer_add(heading, "all of it: ");
        line_text(heading, path, LIMIT_PATH_BYTES);
    } else {
        buffer_add(heading, "the rest could not be kept");
    }
}

static void add_output_heading(struct buffer *out, const struct output *output, const struct tail *tail,
                               const struct tail_view *view, struct spill *spill)
{
    bool any = false;
    buffer_add(out, "\n" OUTPUT_TITLE);
    bool cut = view->in_part || view->count < tail->count;
    if (cut) {
        begin_remark(out, &any);
        add_cut_remark(out, tail, view);
    }
    if (cut || tail->left_out) {
        begin_remark(out, &any);
        add_where_kept(out, spill, "output", output->bytes, output->len);
    }
    if (output->discarded > 0) {
        begin_remark(out, &any);
        line_count(out, output->discarded);
        buffer_addf(out, " older byte%s discarded", output->discarded == 1 ? "" : "s");
    }
    if (view->streams[OUTPUT_STDERR]) {
        begin_remark(out, &any);
        buffer_add(out, "|! is stderr");
    }
    if (view->streams[OUTPUT_DEBUGGER]) {
        begin_remark(out, &any);
        buffer_add(out, "|# is the debugger");
    }
    buffer_add(out, any ? "):\n" : ":\n");
}

void render_output(struct buffer *out, const struct output *output, struct spill *spill)
{
    struct tail tail;
    tail_init(&tail);
    tail_add_output(&tail, output);
    if (tail.count > 0 || output->discarded > 0) {
        struct tail_view view = { .count = 0 };
        view_fill(&view, &tail, LIMIT_OUTPUT_TEXT_BYTES, LIMIT_OUTPUT_TEXT_LINES);
        add_output_heading(out, output, &tail, &view, spill);
        view_write(out, &view);
    }
    tail_done(&tail);
}

void render_stderr(struct buffer *out, const char *bytes, size_t len)
{
    struct tail tail;
    tail_init(&tail);
    tail_add(&tail, OUTPUT_STDOUT, bytes, len);
    tail_finish_line(&tail, OUTPUT_STDOUT);
    if (tail.count > 0) {
        struct tail_view view = { .count = 0 };
        view_fill(&view, &tail, LIMIT_STDERR_TAIL_BYTES, LIMIT_STDERR_TAIL_LINES);
        buffer_add(out, "Adapter's stderr (last ");
        line_counted(out, view.count, "line");
        buffer_add(out, "):\n");
        view_write(out, &view);
    }
    tail_done(&tail);
}

/* ---- the whole result ---- */

/* Room for the notice of a cut: its words and numbers, and a path. */
#define NOTICE_BYTES (100 + LIMIT_PATH_BYTES)

static size_t count_lines(const char *text, size_t len)
{
    size_t lines = 0;
    for (const char *at = text; (at = memchr(at, '\n', len - (size_t)(at - text))); at++)
        lines++;
    return lines;
}

/* Where the debuggee's output begins, with the empty line before it; the text's length when there is none. Nothing but our own text
 * can follow an empty line. */
static size_t output_begin(const struct buffer *text, size_t most_bytes, size_t most_lines)
{
    static const char mark[] = "\n\n" OUTPUT_TITLE;
    const char *found = memmem(text->data, text->len, mark, sizeof(mark) - 1);
    size_t begin = found ? (size_t)(found + 1 - text->data) : text->len;
    bool long_one = text->len - begin > most_bytes / 2 || count_lines(text->data + begin, text->len - begin) > most_lines / 2;
    return long_one ? text->len : begin;
}

/* How many bytes of whole lines are within both limits. */
static size_t fitting_lines(const char *text, size_t len, size_t most_bytes, size_t most_lines)
{
    size_t fits = 0;
    for (size_t lines = 0; lines < most_lines && fits < len; lines++) {
        const char *newline = memchr(text + fits, '\n', len - fits);
        size_t end = newline ? (size_t)(newline - text) + 1 : len;
        if (end > most_bytes)
            break;
        fits = end;
    }
    return fits;
}

static void add_cut_head(struct buffer *out, const char *text, size_t len, size_t most_bytes, size_t most_lines)
{
    size_t fits = fitting_lines(text, len, most_bytes, most_lines);
    buffer_append(out, text, fits);
    if (fits == 0 && most_lines > 0) { /* a first line that is too long by itself is better shown in part than not at all */
        buffer_append(out, text, utf8_cut(text, len, most_bytes - 4));
        buffer_add(out, "…\n");
    }
}

static void add_notice(struct buffer *out, const struct buffer *text, size_t output_lines, struct spill *spill)
{
    size_t shown = count_lines(out->data, out->len) + output_lines;
    size_t all = count_lines(text->data, text->len);
    buffer_add(out, "[cut here: ");
    line_count(out, shown);
    buffer_add(out, " of ");
    line_counted(out, all, "line");
    buffer_add(out, " shown; ");
    AUTO_BUFFER struct buffer plain;
    buffer_init(&plain, text->len + 1);
    for (size_t i = 0; i < text->len; i++)
        if (text->data[i] != HINT_BEGIN && text->data[i] != HINT_END)
            buffer_addc(&plain, text->data[i]);
    add_where_kept(out, spill, "result", plain.data, plain.len);
    buffer_add(out, "]\n");
}

void render_limit(struct buffer *text, size_t bytes, size_t lines, struct spill *spill)
{
    if (text->len <= bytes && count_lines(text->data, text->len) <= lines)
        return;
    size_t begin = output_begin(text, bytes, lines);
    size_t output_lines = count_lines(text->data + begin, text->len - begin);
    size_t kept = text->len - begin + NOTICE_BYTES;
    AUTO_BUFFER struct buffer cut;
    buffer_init(&cut, bytes);
    add_cut_head(&cut, text->data, begin, bytes - kept, lines - 1 - output_lines);
    add_notice(&cut, text, output_lines, spill);
    buffer_append(&cut, text->data + begin, text->len - begin);
    buffer_clear(text);
    buffer_append(text, cut.data, cut.len);
}
