/* dap_output: the newest output once more. Drains nothing. */
#include "base/utf8.h"
#include "verb/internal.h"
#include "verb/render_line.h"

#include <inttypes.h>
#include <string.h>

#define LINES_DEFAULT 60
#define STREAMS 4 /* of enum output_stream, and the adapter's own stderr */
#define ADAPTER 3

static const char *const stream_names[] = { "stdout", "stderr", "debugger", "adapter" };

struct shown_line {
    int stream;
    char *text; /* clean, one line */
    size_t len;
};

struct tail {
    struct shown_line *lines; /* a ring: line number n is at n % most */
    size_t most;
    size_t count; /* that match */
    int wanted;   /* a stream; -1: those of the program and the debugger */
    const char *filter;
    struct buffer unfinished[STREAMS];
    bool streams[STREAMS]; /* that occur in it */
};

static void finish_line(struct tail *tail, int stream)
{
    struct buffer *line = &tail->unfinished[stream];
    AUTO_BUFFER struct buffer clean;
    buffer_init(&clean, SIZE_MAX / 2);
    utf8_program_output(&clean, line->data, line->len);
    buffer_clear(line);
    /* A lone carriage return makes two lines of it. */
    char *rest = clean.data;
    size_t left = clean.len;
    while (left > 0) {
        char *newline = memchr(rest, '\n', left);
        size_t len = newline == NULL ? left : (size_t)(newline - rest);
        if (tail->filter == NULL || memmem(rest, len, tail->filter, strlen(tail->filter)) != NULL) {
            struct shown_line *slot = &tail->lines[tail->count++ % tail->most];
            free(slot->text);
            *slot = (struct shown_line){ stream, xstrndup(rest, len), len };
        }
        rest += len + (newline != NULL);
        left -= len + (newline != NULL);
    }
}

static void take(struct tail *tail, int stream, const char *bytes, size_t len)
{
    if (tail->wanted >= 0 && tail->wanted != stream)
        return;
    while (len > 0) {
        const char *newline = memchr(bytes, '\n', len);
        size_t piece = newline == NULL ? len : (size_t)(newline - bytes) + 1;
        buffer_append(&tail->unfinished[stream], bytes, piece);
        if (newline != NULL)
            finish_line(tail, stream);
        bytes += piece;
        len -= piece;
    }
}

static void read_program(struct tail *tail, struct session *session, uint64_t *ret_discarded)
{
    struct output output;
    session_recent_output(session, &output);
    *ret_discarded = output.discarded;
    const char *bytes = output.bytes;
    for (size_t i = 0; i < output.part_count; i++) {
        take(tail, (int)output.parts[i].stream, bytes, output.parts[i].len);
        bytes += output.parts[i].len;
    }
    output_done(&output);
}

static void read_adapter(struct tail *tail, const struct session *session)
{
    size_t len;
    AUTO_FREE char *bytes = session_stderr_tail(session, LIMIT_STDERR, &len);
    take(tail, ADAPTER, bytes, len);
}

static void add_title(struct buffer *text, const struct tail *tail, size_t shown, uint64_t discarded)
{
    static const char *const marks[] = { NULL, "|! is stderr", "|# is the debugger", "|# is the adapter" };
    buffer_add(text, "Output: ");
    if (shown < tail->count) {
        buffer_add(text, "last ");
        line_count(text, shown);
        buffer_add(text, " of ");
    }
    line_counted(text, tail->count, "line");
    if (tail->filter != NULL) {
        buffer_add(text, " with \"");
        line_text(text, tail->filter, LIMIT_NAME_BYTES);
        buffer_addc(text, '"');
    }
    for (int i = 1; i < STREAMS; i++)
        if (tail->streams[i])
            buffer_addf(text, "; %s", marks[i]);
    if (discarded > 0) {
        buffer_add(text, "; ");
        line_counted(text, discarded, "older byte");
        buffer_add(text, " discarded");
    }
    buffer_addc(text, '\n');
}

static void report(struct call *call, struct tail *tail, uint64_t discarded)
{
    static const char *const marks[] = { "| ", "|! ", "|# ", "|# " };
    struct buffer *text = &call->result.text;
    size_t shown = tail->count < tail->most ? tail->count : tail->most;
    for (size_t i = tail->count - shown; i < tail->count; i++)
        tail->streams[tail->lines[i % tail->most].stream] = true;
    add_title(text, tail, shown, discarded);
    yyjson_mut_val *root = structured_root(call);
    yyjson_mut_val *list = structured_list(call, "lines");
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = tail->count - shown; i < tail->count; i++) {
        const struct shown_line *line = &tail->lines[i % tail->most];
        buffer_add(text, marks[line->stream]);
        utf8_one_line(text, line->text, line->len, LIMIT_EVALUATION_BYTES);
        buffer_addc(text, '\n');
        if (root == NULL)
            continue;
        yyjson_mut_val *row = yyjson_mut_arr_add_obj(doc, list);
        json_add_string(doc, row, "stream", stream_names[line->stream]);
        json_add_text(doc, row, "text", line->text, line->len);
    }
    if (root != NULL) {
        json_add_int(doc, root, "total_lines", (int64_t)tail->count);
        json_add_int(doc, root, "older_bytes_discarded", (int64_t)discarded);
    }
}

void verb_output(struct call *call)
{
    struct session *session = call_session(call);
    const char *stream = json_string(call->arguments, "stream");
    struct tail tail = {
        .most = (size_t)json_int_or(call->arguments, "lines", LINES_DEFAULT),
        .wanted = -1,
        .filter = json_string(call->arguments, "filter"),
    };
    for (int i = 0; stream != NULL && i < STREAMS; i++)
        if (strcmp(stream, stream_names[i]) == 0)
            tail.wanted = i;
    tail.lines = xcalloc(tail.most, sizeof(*tail.lines));
    for (int i = 0; i < STREAMS; i++)
        buffer_init(&tail.unfinished[i], SIZE_MAX / 2); /* bounded by what is kept */
    uint64_t discarded = 0;
    if (tail.wanted == ADAPTER)
        read_adapter(&tail, session);
    else
        read_program(&tail, session, &discarded);
    for (int i = 0; i < STREAMS; i++)
        finish_line(&tail, i);
    report(call, &tail, discarded);
    for (size_t i = 0; i < tail.most; i++)
        free(tail.lines[i].text);
    free(tail.lines);
    for (int i = 0; i < STREAMS; i++)
        buffer_done(&tail.unfinished[i]);
    call->leaves_output = true;
    call_succeed(call);
}
