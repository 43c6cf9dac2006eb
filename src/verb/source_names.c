#include "verb/source_names.h"

#include "base/memory.h"

#include <string.h>
#include <strings.h>

#define MOST_NAMES_BYTES (64u * 1024)
#define MOST_NESTING 3 /* of interpolated code in interpolated code */

enum comment_style { SLASHES = 1, HASH = 2, DASHES = 4 };

struct lexer {
    const char *at, *begin, *end;
    unsigned comments; /* of enum comment_style */
    int nesting;
    bool member; /* the next name is one of a member */
    struct source_names *names;
};

static void read_code(struct lexer *lexer);

void source_names_init(struct source_names *names)
{
    buffer_init(&names->text, MOST_NAMES_BYTES);
}

void source_names_done(struct source_names *names)
{
    buffer_done(&names->text);
}

static bool begins_name(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' || (unsigned char)byte >= 0x80;
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static bool is_in_name(char byte)
{
    return begins_name(byte) || is_digit(byte);
}

static bool is_sigil(char byte)
{
    return byte != '\0' && strchr("$@%&*", byte) != NULL;
}

/* The byte that many places further, '\0' past the end. */
static char peek(const struct lexer *lexer, size_t places)
{
    return places < (size_t)(lexer->end - lexer->at) ? lexer->at[places] : '\0';
}

static char previous(const struct lexer *lexer)
{
    return lexer->at > lexer->begin ? lexer->at[-1] : '\0';
}

static bool comment_begins(const struct lexer *lexer)
{
    char byte = *lexer->at;
    char next = peek(lexer, 1);
    char before = previous(lexer);
    if (byte == '/' && next == '/')
        return lexer->comments & SLASHES;
    if (byte == '-' && next == '-')
        return lexer->comments & DASHES;
    /* Not in $#array, ${#array} and ${name#prefix}. */
    return byte == '#' && lexer->comments & HASH && !is_in_name(before) && before != '$' && before != '{';
}

static void add_name(struct lexer *lexer, const char *name, size_t len)
{
    struct buffer *text = &lexer->names->text;
    if (len < text->max - text->len) { /* the name and its NUL, or nothing */
        buffer_append(text, name, len);
        buffer_addc(text, '\0');
    }
}

static const char *name_end(const char *at, const char *end)
{
    while (at < end && is_in_name(*at))
        at++;
    return at;
}

/* Reads code inside a string: from after the opening brace to its closing one, or the end of the string. Returns what comes next. */
static const char *read_interpolated(struct lexer *lexer, const char *from, const char *string_end)
{
    int depth = 1;
    const char *to = from;
    for (; to < string_end; to++) {
        depth += *to == '{' ? 1 : *to == '}' ? -1 : 0;
        if (depth == 0)
            break;
    }
    if (lexer->nesting < MOST_NESTING) {
        struct lexer inner = *lexer;
        inner.at = inner.begin = from;
        /* {name!r} and {name:d} say how to show it. */
        bool has_form = to - from > 2 && (to[-2] == '!' || to[-2] == ':');
        inner.end = has_form ? to - 2 : to;
        inner.nesting++;
        inner.member = false;
        read_code(&inner);
    }
    return to < string_end ? to + 1 : to;
}

static void read_interpolations(struct lexer *lexer, const char *at, const char *end)
{
    while (at < end) {
        if (*at == '\\') {
            at += end - at > 1 ? 2 : 1;
        } else if (*at == '{') {
            at = read_interpolated(lexer, at + 1, end);
        } else if ((*at == '$' || *at == '@') && end - at > 1 && begins_name(at[1])) {
            const char *to = name_end(at + 1, end);
            add_name(lexer, at + 1, (size_t)(to - at - 1));
            at = to;
        } else {
            at++;
        }
    }
}

static const char *string_end(const struct lexer *lexer, char quote)
{
    for (const char *at = lexer->at + 1; at < lexer->end; at++) {
        if (*at == '\\')
            at++;
        else if (*at == quote)
            return at;
    }
    return NULL;
}

/* `formatted`: what stands in braces is code even in single quotes. */
static void read_string(struct lexer *lexer, bool formatted)
{
    char quote = *lexer->at;
    char before = previous(lexer);
    const char *end = string_end(lexer, quote);
    /* An apostrophe: a lifetime in Rust, or one without a partner. */
    if (quote == '\'' && (!end || before == '<' || before == '&')) {
        lexer->at++;
        return;
    }
    const char *from = lexer->at + 1;
    lexer->at = end ? end + 1 : lexer->end;
    if (formatted || quote != '\'')
        read_interpolations(lexer, from, end ? end : lexer->end);
    lexer->member = false;
}

/* "f" in f"…{name}…", and the other letters that may stand before a string. */
static bool is_string_prefix(const char *name, size_t len, char next)
{
    if ((next != '"' && next != '\'') || len > 2)
        return false;
    return strspn(name, "fFrRbBuULtT") >= len;
}

static void read_name(struct lexer *lexer)
{
    const char *name = lexer->at;
    bool sigil = previous(lexer) == '$'; /* `$a . $b` joins, and `$a->$b` names a variable */
    lexer->at = name_end(name, lexer->end);
    size_t len = (size_t)(lexer->at - name);
    if (is_string_prefix(name, len, peek(lexer, 0))) {
        read_string(lexer, memchr(name, 'f', len) || memchr(name, 'F', len));
        return;
    }
    if (!lexer->member || sigil)
        add_name(lexer, name, len);
    lexer->member = false;
}

/* 12, 0x1f, 1.5e3, 1'000; but only the 1 of 1..n. */
static void read_number(struct lexer *lexer)
{
    while (lexer->at < lexer->end) {
        bool joins = (*lexer->at == '.' || *lexer->at == '\'') && is_digit(peek(lexer, 1));
        if (!is_in_name(*lexer->at) && !joins)
            break;
        lexer->at++;
    }
    lexer->member = false;
}

/* One dot leads to a member; two or three are a range, a joining of strings, or "the rest". */
static void read_dots(struct lexer *lexer)
{
    size_t dots = 0;
    while (peek(lexer, dots) == '.')
        dots++;
    lexer->at += dots;
    lexer->member = dots == 1;
}

static void skip_block_comment(struct lexer *lexer)
{
    const char *end = memmem(lexer->at + 2, (size_t)(lexer->end - lexer->at) - 2, "*/", 2);
    lexer->at = end ? end + 2 : lexer->end;
}

static void read_punctuation(struct lexer *lexer)
{
    char byte = *lexer->at;
    char next = peek(lexer, 1);
    if (byte == '/' && next == '*' && lexer->comments & SLASHES) {
        skip_block_comment(lexer);
        return;
    }
    bool arrow = (byte == '-' && next == '>') || (byte == ':' && next == ':');
    lexer->at += arrow ? 2 : 1;
    if (byte != ' ' && byte != '\t' && !is_sigil(byte))
        lexer->member = arrow;
}

static void read_code(struct lexer *lexer)
{
    while (lexer->at < lexer->end && !comment_begins(lexer)) {
        char byte = *lexer->at;
        if (byte == '"' || byte == '\'' || byte == '`')
            read_string(lexer, false);
        else if (begins_name(byte))
            read_name(lexer);
        else if (is_digit(byte))
            read_number(lexer);
        else if (byte == '.')
            read_dots(lexer);
        else
            read_punctuation(lexer);
    }
}

/* What begins a comment. In the languages not named here "//" does; in a file without an extension "#" may too. */
static unsigned comments_of(const char *extension)
{
    static const struct {
        const char *extension;
        unsigned comments;
    } table[] = {
        { "", SLASHES | HASH }, { ".php", SLASHES | HASH },
        { ".py", HASH },        { ".pyw", HASH },
        { ".pyx", HASH },       { ".rb", HASH },
        { ".rake", HASH },      { ".sh", HASH },
        { ".bash", HASH },      { ".zsh", HASH },
        { ".ksh", HASH },       { ".pl", HASH },
        { ".pm", HASH },        { ".t", HASH },
        { ".r", HASH },         { ".jl", HASH },
        { ".ex", HASH },        { ".exs", HASH },
        { ".nim", HASH },       { ".cmake", HASH },
        { ".txt", HASH },       { ".tcl", HASH },
        { ".ps1", HASH },       { ".lua", DASHES },
        { ".hs", DASHES },      { ".sql", DASHES },
        { ".elm", DASHES },     { ".adb", DASHES },
        { ".ads", DASHES },
    };
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        if (strcasecmp(extension, table[i].extension) == 0)
            return table[i].comments;
    }
    return SLASHES;
}

void source_names_read(struct source_names *names, const char *line, const char *extension)
{
    struct lexer lexer = {
        .at = line,
        .begin = line,
        .end = line + strlen(line),
        .comments = comments_of(extension),
        .names = names,
    };
    read_code(&lexer);
}

bool source_names_have(const struct source_names *names, const char *name, size_t len)
{
    while (len > 0 && is_sigil(*name)) {
        name++;
        len--;
    }
    /* lldb tells variables of one name apart as "i @ main.c:12". */
    const char *at = memmem(name, len, " @ ", 3);
    if (at)
        len = (size_t)(at - name);
    const char *end = names->text.data + names->text.len;
    for (const char *known = names->text.data; known < end; known += strlen(known) + 1) {
        if (strlen(known) == len && memcmp(known, name, len) == 0)
            return true;
    }
    return false;
}
