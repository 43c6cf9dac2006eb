/* dap_breakpoint_locations: the lines (and columns) of a part of a file where a breakpoint can be. */
#include "verb/breakpoint_locations.h"

#include "base/path.h"
#include "base/utf8.h"
#include "verb/breakpoint_lines.h"
#include "verb/internal.h"

#include <inttypes.h>
#include <string.h>

#define LINES_MOST 500 /* that are asked for one by one */

struct location {
    int64_t line, column; /* column 0: not told */
};

struct locations_state {
    char *path;
    int64_t line, end_line;
    int64_t asked; /* up to this line */
    struct location *locations;
    size_t count, cap;
};

static void free_locations_state(void *user)
{
    struct locations_state *state = user;
    free(state->locations);
    free(state->path);
    free(state);
}

yyjson_mut_doc *breakpoint_locations_arguments(const char *path, int64_t line, int64_t end_line)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    yyjson_mut_val *source = yyjson_mut_obj(doc);
    json_add_string(doc, source, "name", path_name(path));
    json_add_string(doc, source, "path", path);
    json_add_value(doc, arguments, "source", source);
    json_add_int(doc, arguments, "line", line);
    json_add_int(doc, arguments, "endLine", end_line);
    return doc;
}

static int compare(const void *a, const void *b)
{
    const struct location *left = a, *right = b;
    if (left->line != right->line)
        return left->line < right->line ? -1 : 1;
    return left->column < right->column ? -1 : left->column > right->column;
}

static void take_locations(struct locations_state *state, yyjson_val *body)
{
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(json_array(body, "breakpoints"), index, most, item) {
        struct location location = { json_int_or(item, "line", 0), json_int_or(item, "column", 0) };
        if (location.line <= 0)
            continue;
        state->locations = xgrow(state->locations, &state->cap, state->count + 1, sizeof(*state->locations));
        state->locations[state->count++] = location;
    }
}

/* In order, and each once. */
static void sort_locations(struct locations_state *state)
{
    if (state->count > 0)
        qsort(state->locations, state->count, sizeof(*state->locations), compare);
    size_t kept = 0;
    for (size_t i = 0; i < state->count; i++)
        if (kept == 0 || compare(&state->locations[kept - 1], &state->locations[i]) != 0)
            state->locations[kept++] = state->locations[i];
    state->count = kept;
}

/* "  42  total += cost  (columns 5, 20)": one row for a line. Returns how many locations it took. */
static size_t add_line(struct call *call, const struct source_excerpt *source, const struct location *at, size_t count)
{
    struct buffer *text = &call->result.text;
    size_t same = 1;
    while (same < count && at[same].line == at[0].line)
        same++;
    (void)buffer_addf(text, "  %" PRId64, at[0].line);
    const char *words = source_excerpt_line(source, at[0].line);
    if (words != NULL) {
        words += strspn(words, " \t");
        (void)buffer_add(text, "  ");
        utf8_one_line(text, words, strlen(words), LIMIT_SOURCE_LINE_BYTES);
    }
    for (size_t i = 0; i < same && at[same - 1].column > 0; i++)
        (void)buffer_addf(text, "%s%" PRId64, i > 0 ? ", " : same > 1 ? "  (columns " : "  (column ", at[i].column);
    (void)buffer_add(text, at[same - 1].column > 0 ? ")\n" : "\n");
    return same;
}

static void report(struct call *call, const struct location *locations, size_t count)
{
    const struct locations_state *state = call->state;
    struct buffer *text = &call->result.text;
    AUTO_FREE char *shown = path_shown(state->path, call->world->project);
    (void)buffer_add(text, "Breakpoint locations in ");
    utf8_one_line(text, shown, strlen(shown), LIMIT_PATH_BYTES);
    (void)buffer_addf(text, ", lines %" PRId64 " to %" PRId64 ": %zu\n", state->line, state->end_line, count);
    struct source_excerpt source;
    int64_t middle = count == 0 ? 1 : locations[0].line;
    source_excerpt_read(state->path, middle, count == 0 ? 0 : (int)(locations[count - 1].line - middle), &source);
    for (size_t i = 0; i < count;)
        i += add_line(call, &source, locations + i, count - i);
    source_excerpt_done(&source);
    yyjson_mut_val *rows = structured_list(call, "locations");
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = 0; rows != NULL && i < count; i++) {
        yyjson_mut_val *row = yyjson_mut_arr_add_obj(doc, rows);
        json_add_int(doc, row, "line", locations[i].line);
        if (locations[i].column > 0)
            json_add_int(doc, row, "column", locations[i].column);
    }
}

static void ask(struct call *call);

static void on_locations(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct locations_state *state = call->state;
    if (!call_answered(call, answer))
        return;
    take_locations(state, answer->body);
    if (state->asked < state->end_line) {
        ask(call);
        return;
    }
    sort_locations(state);
    if (state->count == 0) {
        struct desired_breakpoint at = { .line = state->line };
        breakpoint_lines_check(call, state->path, &at, 1);
    }
    report(call, state->locations, state->count);
    call_succeed(call);
}

/* The whole range, or where the adapter looks at its first line alone, the next line. */
static void ask(struct call *call)
{
    struct locations_state *state = call->state;
    bool one = session_quirk(call_session(call), QUIRK_LOCATES_ONE_LINE);
    int64_t first = state->asked + 1;
    state->asked = one ? first : state->end_line;
    call_request(call, "breakpointLocations", breakpoint_locations_arguments(state->path, first, state->asked), on_locations);
}

static int check_range(struct call *call, struct error *ret_error)
{
    const struct locations_state *state = call->state;
    if (state->end_line < state->line)
        return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: /end_line must not be before line");
    if (state->end_line - state->line >= LINES_MOST && session_quirk(call_session(call), QUIRK_LOCATES_ONE_LINE))
        return error_set(ret_error, ERROR_ARGUMENT, "/end_line: this adapter is asked line by line, for %d lines at most",
                         LINES_MOST);
    return 0;
}

void verb_breakpoint_locations(struct call *call)
{
    struct locations_state *state = xcalloc(1, sizeof(*state));
    call->state = state;
    call->free_state = free_locations_state;
    state->path = path_absolute(json_string(call->arguments, "file"), call->world->project);
    state->line = json_int_or(call->arguments, "line", 1);
    state->end_line = json_int_or(call->arguments, "end_line", state->line);
    state->asked = state->line - 1;
    if (!session_active(call_session(call))) {
        call_refuse_state(
            call, "breakpointLocations requires an active Debug Session: the debugger of a launched program knows its lines");
        return;
    }
    AUTO_ERROR struct error error = ERROR_INIT;
    if (check_range(call, &error) < 0) {
        call_fail(call, &error);
        return;
    }
    if (call_requires(call, "supportsBreakpointLocationsRequest", "dap_add_breakpoint tells for a line where it is bound"))
        ask(call);
}
