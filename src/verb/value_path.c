#include "verb/value_path.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "session/model.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading a path ---- */

struct reader {
    const char *text;
    size_t at;
    struct value_path *path;
    struct error *error;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* What a name may be made of, in all languages: anything but what separates segments or would make it an expression. */
static bool is_name(char c)
{
    return c != '\0' && (unsigned char)c > ' ' && strchr(".[]{}()<>+-*/%=!&|^?,;\"'`\\", c) == NULL;
}

static bool is_sigil(char c)
{
    return c != '\0' && strchr("$@%#:~*&", c) != NULL;
}

static int refuse(const struct reader *reader, const char *what)
{
    return error_set(reader->error, ERROR_ARGUMENT,
                     "/path: %s at character %zu of \"%s\"; a path names members: items[0].name, map[\"key\"] (dap_evaluate takes "
                     "expressions)",
                     what, reader->at + 1, reader->text);
}

static int add_segment(struct reader *reader, enum path_kind kind, const char *text, size_t len)
{
    struct value_path *path = reader->path;
    if (path->count == LIMIT_PATH_SEGMENTS)
        return refuse(reader, "there are too many segments");
    path->segments = xrealloc(path->segments, (path->count + 1) * sizeof(*path->segments));
    struct path_segment *segment = &path->segments[path->count++];
    *segment = (struct path_segment){ .kind = kind, .text = xmalloc(len + 1), .end = reader->at };
    memcpy(segment->text, text, len);
    segment->text[len] = '\0';
    if (kind == PATH_INDEX)
        segment->index = strtoll(segment->text, NULL, 10);
    return 0;
}

static int read_name(struct reader *reader)
{
    size_t start = reader->at;
    while (is_sigil(reader->text[reader->at]))
        reader->at++;
    while (is_name(reader->text[reader->at]))
        reader->at++;
    if (reader->at == start)
        return refuse(reader, "a name is missing");
    return add_segment(reader, PATH_NAME, reader->text + start, reader->at - start);
}

static bool is_number(const char *text, size_t len)
{
    size_t digits = len > 0 && text[0] == '-' ? len - 1 : len;
    if (digits == 0 || digits > 15)
        return false;
    for (size_t i = len - digits; i < len; i++)
        if (text[i] < '0' || text[i] > '9')
            return false;
    return true;
}

/* "a \"key\"": the quote and the backslash can be written behind a backslash; all else stands for itself. */
static int read_quoted(struct reader *reader, char close)
{
    AUTO_BUFFER struct buffer key;
    buffer_init(&key, LIMIT_PATH_TEXT);
    char quote = reader->text[reader->at++];
    while (reader->text[reader->at] != '\0' && reader->text[reader->at] != quote) {
        if (reader->text[reader->at] == '\\' && reader->text[reader->at + 1] != '\0')
            reader->at++;
        buffer_addc(&key, reader->text[reader->at++]);
    }
    if (reader->text[reader->at] != quote)
        return refuse(reader, "a quote is missing");
    if (reader->text[++reader->at] != close)
        return refuse(reader, close == ']' ? "a ] is missing" : "a } is missing");
    reader->at++;
    return add_segment(reader, PATH_KEY, key.data != NULL ? key.data : "", key.len);
}

static int read_bracket(struct reader *reader)
{
    char close = reader->text[reader->at] == '[' ? ']' : '}';
    reader->at++;
    char first = reader->text[reader->at];
    if (first == '"' || first == '\'')
        return read_quoted(reader, close);
    size_t start = reader->at;
    size_t len = strcspn(reader->text + start, "[]{}()\"'");
    if (len == 0 || reader->text[start + len] != close)
        return refuse(reader, close == ']' ? "an index or a key and ] are missing" : "a key and } are missing");
    reader->at = start + len + 1;
    bool number = is_number(reader->text + start, len) && close == ']';
    return add_segment(reader, number ? PATH_INDEX : PATH_KEY, reader->text + start, len);
}

/* (*item): how evaluate names of Go and C write what a pointer points to. A pointer is followed anyway. */
static int read_pointee(struct reader *reader)
{
    reader->at += 2;
    if (read_name(reader) < 0)
        return -1;
    if (reader->text[reader->at] != ')')
        return refuse(reader, "a ) is missing");
    reader->path->segments[reader->path->count - 1].end = ++reader->at;
    return 0;
}

/* Goes over what stands before a name or a bracket. */
static int read_segment(struct reader *reader)
{
    const char *text = reader->text + reader->at;
    bool first = reader->path->count == 0;
    if (text[0] == '.' || (text[0] == '-' && text[1] == '>') || (text[0] == '?' && text[1] == '.')) {
        reader->at += text[0] == '.' ? 1 : 2;
        char next = reader->text[reader->at];
        return (next == '[' || next == '{') && text[0] != '.' ? read_bracket(reader) : read_name(reader);
    }
    if (text[0] == '[' || text[0] == '{')
        return read_bracket(reader);
    if (first && text[0] == '(' && text[1] == '*')
        return read_pointee(reader);
    return first ? read_name(reader) : refuse(reader, "something that is no member");
}

int value_path_parse(const char *text, struct value_path *ret, struct error *ret_error)
{
    size_t start = 0, len = strlen(text);
    while (is_blank(text[start]))
        start++;
    while (len > start && is_blank(text[len - 1]))
        len--;
    struct value_path path = { .text = xmalloc(len - start + 1) };
    memcpy(path.text, text + start, len - start);
    path.text[len - start] = '\0';
    struct reader reader = { .text = path.text, .path = &path, .error = ret_error };
    int outcome = 0;
    do
        outcome = read_segment(&reader);
    while (outcome == 0 && path.text[reader.at] != '\0');
    if (outcome < 0)
        value_path_done(&path);
    else
        *ret = path;
    return outcome;
}

void value_path_done(struct value_path *path)
{
    for (size_t i = 0; i < path->count; i++)
        free(path->segments[i].text);
    free(path->segments);
    free(path->text);
    *path = (struct value_path){ 0 };
}

/* ---- comparing with names ---- */

struct piece {
    const char *data;
    size_t len;
};

static bool take_off(struct piece *piece, char open, char close)
{
    if (piece->len < 2 || piece->data[0] != open || piece->data[piece->len - 1] != close)
        return false;
    piece->data++;
    piece->len -= 2;
    return true;
}

static void take_sigils(struct piece *piece)
{
    while (piece->len > 1 && is_sigil(piece->data[0])) {
        piece->data++;
        piece->len--;
    }
}

static bool equal(struct piece a, const char *text)
{
    return a.len == strlen(text) && memcmp(a.data, text, a.len) == 0;
}

static int match_index(const struct path_segment *segment, struct piece core, bool bracketed)
{
    if (!is_number(core.data, core.len))
        return 0;
    char digits[24];
    memcpy(digits, core.data, core.len);
    digits[core.len] = '\0';
    if (strtoll(digits, NULL, 10) != segment->index)
        return 0;
    return bracketed ? 9 : 8;
}

int value_path_match(const struct path_segment *segment, const struct adapter_text *name)
{
    struct piece core = { name->data, name->len };
    if (name->data == NULL)
        return 0;
    if (segment->kind != PATH_INDEX && equal(core, segment->text))
        return 10;
    bool bracketed = take_off(&core, '[', ']');
    if (segment->kind == PATH_INDEX && match_index(segment, core, bracketed) > 0)
        return match_index(segment, core, bracketed);
    bool quoted = take_off(&core, '"', '"') || take_off(&core, '\'', '\'');
    if (quoted)
        return equal(core, segment->text) ? (segment->kind == PATH_KEY ? 9 : 4) : 0;
    if (bracketed && equal(core, segment->text))
        return segment->kind == PATH_KEY ? 8 : 3;
    struct piece wanted = { segment->text, strlen(segment->text) };
    bool same_sigil = core.len > 0 && wanted.len > 0 && core.data[0] == wanted.data[0];
    take_sigils(&core);
    take_sigils(&wanted);
    if (core.len == 0 || core.len != wanted.len || memcmp(core.data, wanted.data, core.len) != 0)
        return 0;
    return same_sigil ? 7 : 6;
}

bool value_path_is_element(const struct adapter_text *name)
{
    struct piece core = { name->data == NULL ? "" : name->data, name->len };
    take_off(&core, '[', ']');
    return is_number(core.data, core.len);
}

/* ---- writing ---- */

static bool is_plain(struct piece name)
{
    take_sigils(&name);
    for (size_t i = 0; i < name.len; i++)
        if (!is_name(name.data[i]))
            return false;
    return name.len > 0;
}

static void add_quoted(struct buffer *path, struct piece key)
{
    buffer_add(path, "[\"");
    for (size_t i = 0; i < key.len; i++) {
        if (key.data[i] == '"' || key.data[i] == '\\')
            buffer_addc(path, '\\');
        buffer_addc(path, key.data[i]);
    }
    buffer_add(path, "\"]");
}

void value_path_add(struct buffer *path, const struct adapter_text *name)
{
    struct piece core = { name->data == NULL ? "" : name->data, name->len };
    bool bracketed = take_off(&core, '[', ']');
    if (is_number(core.data, core.len)) {
        buffer_addc(path, '[');
        buffer_append(path, core.data, core.len);
        buffer_addc(path, ']');
        return;
    }
    if (take_off(&core, '"', '"') || take_off(&core, '\'', '\'') || bracketed || !is_plain(core)) {
        add_quoted(path, bracketed && core.len + 2 == name->len ? (struct piece){ name->data, name->len } : core);
        return;
    }
    if (path->len > 0)
        buffer_addc(path, '.');
    buffer_append(path, core.data, core.len);
}
