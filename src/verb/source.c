/* dap_source: lines of a file, or of a text that only the adapter has. */
#include "base/path.h"
#include "verb/internal.h"
#include "verb/render_line.h"
#include "verb/source_excerpt.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define AROUND_DEFAULT 10
#define LINES_DEFAULT 60 /* without a line to look at */

struct source_state {
    char *path, *name; /* NULL */
    int64_t reference, line;
};

static void free_source(void *user)
{
    struct source_state *state = user;
    free(state->path);
    free(state->name);
    free(state);
}

/* ---- the result ---- */

struct page {
    const char **starts; /* of all lines */
    size_t *lens;
    size_t count;
    int64_t first, last; /* shown */
};

static void split(const char *text, size_t len, struct page *page)
{
    size_t cap = 0, lens_cap = 0;
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        text += 3;
        len -= 3;
    }
    const char *end = text + len;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        const char *stop = newline == NULL ? end : newline;
        page->starts = xgrow(page->starts, &cap, page->count + 1, sizeof(*page->starts));
        page->lens = xgrow(page->lens, &lens_cap, page->count + 1, sizeof(*page->lens));
        page->starts[page->count] = text;
        page->lens[page->count++] = (size_t)(stop - text) - (stop > text && stop[-1] == '\r' ? 1 : 0);
        text = newline == NULL ? end : newline + 1;
    }
}

static void choose_lines(struct call *call, struct page *page)
{
    const struct source_state *state = call->state;
    int64_t total = (int64_t)page->count;
    int64_t line = json_int_or(call->arguments, "line", state->line);
    int64_t around = json_int_or(call->arguments, "around", AROUND_DEFAULT);
    bool has_first = json_int(call->arguments, "first_line", &page->first);
    bool has_last = json_int(call->arguments, "last_line", &page->last);
    if (!has_first && !has_last && line > 0) {
        page->first = line - around;
        page->last = line + around;
    } else if (!has_first) {
        page->first = has_last ? page->last - LINES_DEFAULT + 1 : 1;
    }
    if (has_first && !has_last)
        page->last = page->first + LINES_DEFAULT - 1;
    else if (!has_first && !has_last && line <= 0)
        page->last = LINES_DEFAULT;
    if (page->first < 1)
        page->first = 1;
    if (page->last > total)
        page->last = total;
}

static void add_title(struct call *call, const struct page *page, bool whole)
{
    const struct source_state *state = call->state;
    struct buffer *text = &call->result.text;
    buffer_add(text, "Source: ");
    if (state->path != NULL) {
        AUTO_FREE char *shown = path_shown(state->path, call->world->project);
        line_text(text, shown, LIMIT_PATH_BYTES);
    } else if (state->name != NULL) {
        line_text(text, state->name, LIMIT_PATH_BYTES);
    } else {
        buffer_addf(text, "source_reference %" PRId64, state->reference);
    }
    buffer_addf(text, ", lines %" PRId64 " to %" PRId64 " of ", page->first, page->last);
    line_count(text, page->count);
    buffer_add(text, whole ? "\n" : " (of its first megabyte)\n");
}

static void report_text(struct call *call, const char *content, size_t len, const char *mime, bool whole)
{
    struct source_state *state = call->state;
    struct page page = { 0 };
    split(content, len, &page);
    choose_lines(call, &page);
    AUTO_ERROR struct error error = ERROR_INIT;
    if (page.first > page.last) {
        if (page.count == 0)
            error_set(&error, ERROR_ARGUMENT, "the source is empty, as far as can be read");
        else
            error_set(&error, ERROR_ARGUMENT, "no such lines: the source has %zu line%s", page.count, page.count == 1 ? "" : "s");
        free(page.starts);
        free(page.lens);
        call_give_up(call, &error);
        return;
    }
    add_title(call, &page, whole);
    yyjson_mut_val *root = structured_root(call);
    yyjson_mut_doc *doc = call->result.structured;
    yyjson_mut_val *lines = root == NULL ? NULL : yyjson_mut_arr(doc);
    int64_t marked = json_int_or(call->arguments, "line", state->line);
    for (int64_t number = page.first; number <= page.last; number++) {
        size_t line_len = page.lens[number - 1];
        AUTO_FREE char *line = xstrndup(page.starts[number - 1], line_len);
        line_source(&call->result.text, line, number, page.last, number == marked);
        buffer_addc(&call->result.text, '\n');
        if (root != NULL)
            yyjson_mut_arr_append(lines, json_new_string(doc, page.starts[number - 1], line_len));
    }
    if (root != NULL) {
        yyjson_mut_val *object = yyjson_mut_obj(doc);
        json_add_string(doc, object, "path", state->path);
        json_add_string(doc, object, "name", state->name);
        if (state->reference > 0)
            json_add_int(doc, object, "source_reference", state->reference);
        json_add_string(doc, object, "mime_type", mime);
        json_add_int(doc, object, "first_line", page.first);
        json_add_int(doc, object, "total_lines", (int64_t)page.count);
        json_add_value(doc, object, "lines", lines);
        json_add_value(doc, root, "source", object);
    }
    free(page.starts);
    free(page.lens);
    call_succeed(call);
}

/* ---- the text ---- */

/* The debugger was asked, too: it may run elsewhere. Some answer an empty text for a file that they do not have. */
static void refuse_path(struct call *call)
{
    const struct source_state *state = call->state;
    AUTO_ERROR struct error error = ERROR_INIT;
    call->request = 0;
    error_set(&error, ERROR_ARGUMENT,
              "/path: there is no file %s, and the debugger has no source of that name; dap_stack shows sources", state->path);
    call_give_up(call, &error);
}

static void on_source(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    size_t len = 0;
    const struct source_state *state = call->state;
    const char *content = answer->outcome == DAP_OK ? json_text(answer->body, "content", &len) : NULL;
    bool by_path = state->reference <= 0 && state->path != NULL;
    if (by_path && (content == NULL || len == 0) && (answer->outcome == DAP_OK || answer->outcome == DAP_REFUSED)) {
        refuse_path(call);
        return;
    }
    if (!call_answered(call, answer))
        return;
    report_text(call, content == NULL ? "" : content, len, json_string(answer->body, "mimeType"), true);
}

static void read_source(struct call *call)
{
    struct source_state *state = call->state;
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_FREE char *why = NULL;
    size_t len = 0;
    AUTO_FREE char *bytes = state->reference > 0 || state->path == NULL ? NULL : source_file_read(state->path, &len, &why);
    if (bytes != NULL) {
        report_text(call, bytes, len, NULL, len < LIMIT_SOURCE_BYTES);
    } else if (state->reference > 0 || (state->path != NULL && session_active(call_session(call)) && !path_exists(state->path))) {
        call_request(call, "source", source_arguments(state->path, state->reference), on_source);
    } else if (state->path == NULL) {
        error_set(&error, ERROR_ARGUMENT,
                  "the adapter tells no source of this frame; dap_disassemble shows its instructions where the adapter can");
        call_give_up(call, &error);
    } else {
        error_set(&error, ERROR_ARGUMENT, "the file %s %s", state->path, why);
        call_give_up(call, &error);
    }
}

/* "cart.py:42", as stops and stacks write a place, where there is no such file, but one before the colon. */
static void take_line_of_path(struct source_state *state)
{
    for (int parts = 0; parts < 2 && !path_exists(state->path); parts++) {
        char *colon = strrchr(state->path, ':');
        if (colon == NULL || colon[1] == '\0' || colon[1 + strspn(colon + 1, "0123456789")] != '\0')
            return;
        AUTO_FREE char *file = xstrndup(state->path, (size_t)(colon - state->path));
        AUTO_FREE char *line = xstrdup(colon + 1);
        char *before = strrchr(file, ':');
        bool is_column = parts == 0 && !path_exists(file) && before != NULL && before[1 + strspn(before + 1, "0123456789")] == '\0';
        if (!is_column && !path_exists(file))
            return;
        xreplace(&state->path, file);
        if (!is_column)
            state->line = strtoll(line, NULL, 10);
    }
}

static int find_source(struct call *call, struct error *ret_error)
{
    struct source_state *state = call->state;
    const char *path = json_string(call->arguments, "path");
    bool by_reference = json_int(call->arguments, "source_reference", &state->reference);
    int64_t handle, id;
    bool by_frame = json_int(call->arguments, "frame_id", &handle);
    if ((path != NULL) + by_reference + by_frame > 1 && !(path != NULL && by_reference && !by_frame))
        return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: pass one of path, source_reference and frame_id");
    if (path != NULL)
        state->path = path[0] == '<' ? xstrdup(path) : path_absolute(path, call->world->project);
    if (path != NULL && path[0] != '<')
        take_line_of_path(state);
    if (path != NULL || by_reference)
        return 0;
    const struct frame *frame;
    if (!by_frame && session_stop(call_session(call)) == NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "pass path or source_reference: the program is not stopped in a frame");
    if (call_frame(call, &id, &frame, ret_error) < 0)
        return -1;
    if (frame == NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "frame_id: its source is not known; dap_stack shows it");
    state->path = xstrdup(frame->source_path);
    state->name = xstrdup(frame->source_name);
    state->reference = frame->source_reference;
    state->line = frame->line;
    return 0;
}

void verb_source(struct call *call)
{
    call->state = xcalloc(1, sizeof(struct source_state));
    call->free_state = free_source;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (find_source(call, &error) < 0)
        call_give_up(call, &error);
    else
        read_source(call);
}
