#include "verb/breakpoint_match.h"

#include "adapter/language.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/utf8.h"
#include "verb/source_excerpt.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#define CANDIDATES_SHOWN 8
#define NEAREST_SHOWN 3
#define LINES_READ 1000000

struct candidates {
    int64_t lines[CANDIDATES_SHOWN];
    size_t count; /* all that there are */
};

static void trim(const char **text, size_t *len)
{
    while (*len > 0 && isspace((unsigned char)**text)) {
        (*text)++;
        (*len)--;
    }
    while (*len > 0 && isspace((unsigned char)(*text)[*len - 1]))
        (*len)--;
}

static bool is_equal(const char *line, const char *wanted, size_t wanted_len)
{
    size_t len = strlen(line);
    trim(&line, &len);
    return len == wanted_len && memcmp(line, wanted, len) == 0;
}

static void find(const struct source_excerpt *source, const char *wanted, size_t len, bool whole, struct candidates *ret)
{
    *ret = (struct candidates){ 0 };
    for (size_t i = 0; i < source->count; i++) {
        bool fits = whole ? is_equal(source->lines[i], wanted, len)
                          : memmem(source->lines[i], strlen(source->lines[i]), wanted, len) != NULL;
        if (!fits)
            continue;
        if (ret->count < CANDIDATES_SHOWN)
            ret->lines[ret->count] = source->first_line + (int64_t)i;
        ret->count++;
    }
}

static void add_line(struct buffer *list, const struct source_excerpt *source, int64_t number)
{
    const char *text = source_excerpt_line(source, number);
    size_t len = strlen(text);
    trim(&text, &len);
    (void)buffer_addf(list, "%s%" PRId64 " \"", list->len > 0 ? ", " : "", number);
    utf8_one_line(list, text, len, LIMIT_VALUE_BYTES);
    (void)buffer_addc(list, '"');
}

static int fail_ambiguous(const struct source_excerpt *source, const struct candidates *found, const char *shown,
                          struct error *ret_error)
{
    AUTO_BUFFER struct buffer list;
    buffer_init(&list, LIMIT_TEXT_BYTES);
    for (size_t i = 0; i < found->count && i < CANDIDATES_SHOWN; i++)
        add_line(&list, source, found->lines[i]);
    if (found->count > CANDIDATES_SHOWN)
        (void)buffer_add(&list, ", …");
    return error_set(ret_error, ERROR_ARGUMENT,
                     "/match: %zu lines of %s have this text: %s; give more of the line, or its number as line", found->count,
                     shown, list.data);
}

/* ---- what is most like it ---- */

/* Pairs of neighbouring characters, without case. */
static size_t pair_of(const char *at)
{
    return (size_t)tolower((unsigned char)at[0]) << 8 | (size_t)tolower((unsigned char)at[1]);
}

/* Of 100: how many pairs of neighbouring characters they have in common. */
static int likeness(const char *line, const bool *pairs, size_t pair_count)
{
    size_t len = strlen(line), common = 0;
    trim(&line, &len);
    for (size_t i = 0; i + 1 < len; i++)
        common += pairs[pair_of(line + i)];
    size_t all = pair_count + (len > 0 ? len - 1 : 0);
    return all == 0 ? 0 : (int)(200 * (common < pair_count ? common : pair_count) / all);
}

static void add_nearest(struct buffer *list, const struct source_excerpt *source, const char *wanted, size_t len)
{
    bool *pairs = xcalloc((size_t)1 << 16, sizeof(*pairs));
    for (size_t i = 0; i + 1 < len; i++)
        pairs[pair_of(wanted + i)] = true;
    int best[NEAREST_SHOWN] = { 0 };
    int64_t lines[NEAREST_SHOWN] = { 0 };
    for (size_t i = 0; i < source->count; i++) {
        int score = likeness(source->lines[i], pairs, len > 0 ? len - 1 : 0);
        size_t at = NEAREST_SHOWN;
        while (at > 0 && score > best[at - 1])
            at--;
        if (at == NEAREST_SHOWN || score < 40)
            continue;
        memmove(best + at + 1, best + at, (NEAREST_SHOWN - at - 1) * sizeof(*best));
        memmove(lines + at + 1, lines + at, (NEAREST_SHOWN - at - 1) * sizeof(*lines));
        best[at] = score;
        lines[at] = source->first_line + (int64_t)i;
    }
    for (size_t i = 0; i < NEAREST_SHOWN && lines[i] > 0; i++)
        add_line(list, source, lines[i]);
    free(pairs);
}

static int fail_unknown(const struct source_excerpt *source, const char *wanted, size_t len, const char *shown,
                        struct error *ret_error)
{
    AUTO_BUFFER struct buffer list;
    buffer_init(&list, LIMIT_TEXT_BYTES);
    add_nearest(&list, source, wanted, len);
    return error_set(ret_error, ERROR_ARGUMENT, "/match: no line of %s has this text%s%s", shown,
                     list.len > 0 ? "; most like it: " : "; look at the file, or give the line's number as line", list.data);
}

static int pick(const struct source_excerpt *source, const char *wanted, size_t len, const char *shown, int64_t *ret_line,
                struct error *ret_error)
{
    struct candidates found;
    find(source, wanted, len, true, &found);
    if (found.count == 0)
        find(source, wanted, len, false, &found);
    if (found.count == 0)
        return fail_unknown(source, wanted, len, shown, ret_error);
    if (found.count > 1)
        return fail_ambiguous(source, &found, shown, ret_error);
    *ret_line = found.lines[0];
    return 0;
}

/* ---- where in the line ---- */

static bool is_javascript(const char *path)
{
    const struct language *language = language_of_extension(path_extension(path));
    return language != NULL && (strcmp(language->name, "JavaScript") == 0 || strcmp(language->name, "TypeScript") == 0);
}

/* Behind {, ; or => in the same line: what stands there runs at another time than the line's beginning, as the body of a callback does. */
static bool begins_statement(const char *line, const char *at)
{
    while (at > line && isspace((unsigned char)at[-1]))
        at--;
    return at > line && (at[-1] == '{' || at[-1] == ';' || (at[-1] == '>' && at - line > 1 && at[-2] == '='));
}

/* In units of UTF-16, as the protocol counts. */
static int64_t column_at(const char *line, const char *at)
{
    int64_t column = 1;
    for (const char *c = line; c < at; c++)
        column += ((unsigned char)*c & 0xc0) == 0x80 ? 0 : (unsigned char)*c >= 0xf0 ? 2 : 1;
    return column;
}

static int64_t statement_column(const struct source_excerpt *source, int64_t number, const char *wanted, size_t len)
{
    const char *line = source_excerpt_line(source, number);
    const char *at = line == NULL ? NULL : memmem(line, strlen(line), wanted, len);
    return at != NULL && begins_statement(line, at) ? column_at(line, at) : 0;
}

int breakpoint_match_line(const char *path, const char *project, const char *match, int64_t *ret_line, int64_t *ret_column,
                          struct error *ret_error)
{
    *ret_column = 0;
    const char *wanted = match;
    size_t len = strlen(match);
    trim(&wanted, &len);
    if (len == 0)
        return error_set(ret_error, ERROR_ARGUMENT, "/match: must have more than blanks");
    if (memchr(wanted, '\n', len) != NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "/match: must be the text of one line");
    AUTO_FREE char *shown = path_shown(path, project);
    struct source_excerpt source;
    source_excerpt_read(path, 1, LINES_READ, &source);
    int result;
    if (source.count == 0)
        result = error_set(ret_error, ERROR_ARGUMENT, "/match: the file %s %s", shown,
                           source.why_none != NULL ? source.why_none : "is empty");
    else
        result = pick(&source, wanted, len, shown, ret_line, ret_error);
    if (result == 0 && is_javascript(path))
        *ret_column = statement_column(&source, *ret_line, wanted, len);
    source_excerpt_done(&source);
    return result;
}
