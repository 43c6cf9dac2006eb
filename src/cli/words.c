#include "cli/words.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "cli/command_line.h"
#include "verb/hint.h"
#include "verb/verb.h"
#include "json/json.h"

#include <ctype.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HEAD "dapple: " /* of a failure, as the client itself begins one; as long as that of a tool's */

static bool is_word(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_';
}

/* ---- lines that are not ours ---- */

/* "  86 | text" and "-> 86 | text" */
static bool is_source(const char *line, size_t len)
{
    size_t at = len > 2 && strncmp(line, "->", 2) == 0 ? 2 : 0;
    while (at < len && line[at] == ' ')
        at++;
    size_t digits = at;
    while (digits < len && isdigit((unsigned char)line[digits]))
        digits++;
    return digits > at && digits + 1 < len && strncmp(line + digits, " |", 2) == 0;
}

/* "  name: type = value": the only words of ours in it are those that follow "(not read yet; ". */
static size_t foreign_part(const char *line, size_t len)
{
    static const char ours[] = " = (not read yet; ";
    const char *equals = memmem(line, len, " = ", 3);
    if (len < 2 || line[0] != ' ' || line[1] != ' ' || equals == NULL)
        return 0;
    const char *unread = memmem(line, len, ours, sizeof(ours) - 1);
    return unread != NULL && unread == equals ? (size_t)(unread - line) : len;
}

/* ---- tools and their arguments ---- */

static const struct verb *tool_at(const char *at, const char *end, size_t *ret_len)
{
    size_t len = 0;
    while (at + len < end && is_word(at[len]))
        len++;
    *ret_len = len;
    for (size_t i = 0; i < verb_count; i++)
        if (strlen(verb_table[i].tool) == len && strncmp(verb_table[i].tool, at, len) == 0)
            return &verb_table[i];
    return NULL;
}

static bool has_argument(const struct verb *verb, const char *argument)
{
    AUTO_FREE char *member = xasprintf("\"%s\":{", argument);
    return strstr(verb->arguments_schema, member) != NULL;
}

static bool is_boolean(const struct verb *verb, const char *argument)
{
    AUTO_FREE char *member = xasprintf("\"%s\":{\"type\":\"boolean\"", argument);
    return strstr(verb->arguments_schema, member) != NULL;
}

/* The length of the word true or false there; 0. */
static size_t truth_at(const char *at, const char *end)
{
    size_t len = 0;
    while (at + len < end && is_word(at[len]))
        len++;
    bool is_truth = (len == 4 && strncmp(at, "true", len) == 0) || (len == 5 && strncmp(at, "false", len) == 0);
    return is_truth ? len : 0;
}

static bool is_positional(const struct verb *verb, const char *argument)
{
    for (const char *const *name = verb->cli.positional; *name != NULL; name++)
        if (strcmp(*name, argument) == 0)
            return true;
    return false;
}

/* "frame_id=30001" of the verb, or of any when it is NULL; returns how many bytes were written in other words. */
static size_t write_argument(struct buffer *out, const struct verb *verb, const char *at, const char *end)
{
    size_t len = 0;
    while (at + len < end && is_word(at[len]))
        len++;
    if (len == 0 || at + len >= end || at[len] != '=' || at + len + 1 >= end || at[len + 1] == ' ')
        return 0;
    AUTO_FREE char *argument = xstrndup(at, len);
    for (size_t i = 0; verb == NULL && i < verb_count; i++)
        if (has_argument(&verb_table[i], argument))
            verb = &verb_table[i];
    if (verb == NULL || !has_argument(verb, argument))
        return 0;
    AUTO_FREE char *flag = command_line_flag(verb, argument);
    if (is_positional(verb, argument))
        return len + 1;
    size_t said = is_boolean(verb, argument) ? truth_at(at + len + 1, end) : 0;
    if (said == strlen("false"))
        buffer_addf(out, "--no-%s", flag + 2);
    else
        buffer_addf(out, "%s%s", flag, said > 0 ? "" : " ");
    return len + 1 + said;
}

static bool begins_with(const char *line, size_t len, const char *word)
{
    return len >= strlen(word) && strncmp(line, word, strlen(word)) == 0;
}

/* The flag of an argument of the verb's, or of any verb's when it is not known whose; heap memory of the caller's, NULL: of none. */
static char *flag_of(const struct verb *verb, const char *argument)
{
    for (size_t i = 0; verb == NULL && i < verb_count; i++)
        if (has_argument(&verb_table[i], argument))
            verb = &verb_table[i];
    return verb != NULL && has_argument(verb, argument) ? command_line_name(verb, argument) : NULL;
}

/* "Dapple: /cwd: …": the argument at fault, as the flag; how many bytes of the line were written in other words. */
static size_t write_fault(struct buffer *out, const struct verb *verb, const char *line, size_t len)
{
    static const char head[] = "Dapple: ", invalid[] = "invalid arguments: ";
    size_t at = sizeof(head) - 1, name = 0;
    if (begins_with(line + at, len - at, invalid))
        at += sizeof(invalid) - 1;
    bool slash = at < len && line[at] == '/';
    if (at >= len || (!slash && verb == NULL))
        return 0;
    at -= !slash; /* the name begins at at + 1 */
    while (at + 1 + name < len && is_word(line[at + 1 + name]))
        name++;
    char after = at + 1 + name < len ? line[at + 1 + name] : '\0';
    AUTO_FREE char *argument = xstrndup(line + at + 1, name);
    bool is_head = after == ':' || (slash && (after == '/' || after == ' '));
    AUTO_FREE char *flag = is_head ? flag_of(verb, argument) : NULL;
    if (flag == NULL)
        return 0;
    buffer_addf(out, HEAD "%s", flag);
    at += 1 + name;
    return at + command_line_write_place(out, line + at, len - at);
}

/* The name of an argument in a sentence of ours, "frame_id 7 was never given out": as the flag. Names of one word are words like any. */
static size_t write_name(struct buffer *out, const struct verb *verb, const char *at, const char *end, bool any)
{
    size_t len = 0;
    while (at + len < end && is_word(at[len]))
        len++;
    AUTO_FREE char *argument = xstrndup(at, len);
    AUTO_FREE char *name =
        (any || memchr(at, '_', len) != NULL) && has_argument(verb, argument) ? command_line_name(verb, argument) : NULL;
    if (name == NULL)
        return 0;
    buffer_add(out, name);
    return len;
}

/* "give one of pid, process and core: …", "pass path or frame_id": there the names of one word are arguments, too; where that ends. */
static const char *end_of_names(const char *line, size_t len)
{
    static const char *const begins[] = { "Dapple: give one of ", "Dapple: pass one of ", "Dapple: pass ",
                                          "Dapple: invalid arguments: pass one of " };
    for (size_t i = 0; i < COUNT_OF(begins); i++)
        if (begins_with(line, len, begins[i]))
            return line + strlen(begins[i]) + strcspn(line + strlen(begins[i]), ":;(\n");
    return line;
}

/* Where a line stops to be ours: before the adapter's own words and the program's names. */
static const char *end_of_ours(const char *line, size_t len)
{
    static const char *const theirs[] = { " request failed: ", "; there is ", "; there are ", " (evaluated, too: " };
    const char *end = line + len;
    for (size_t i = 0; i < COUNT_OF(theirs); i++) {
        const char *found = memmem(line, len, theirs[i], strlen(theirs[i]));
        end = found != NULL && found < end ? found : end;
    }
    return end;
}

/* A line while it is written. */
struct writing {
    struct buffer *out;
    const struct verb *verb; /* whose arguments are told: the caller's, then those of the tool that was named; NULL: nobody's */
    const char *line, *ours, *names,
        *end; /* from `ours` on, the words are not our own; up to `names`, names of one word are arguments */
    bool quoted;
};

/* An argument at `at`, in one of its three forms. Returns how many bytes it took; 0: there is none. */
static size_t write_argument_at(const struct writing *writing, const char *at)
{
    size_t written = writing->verb != NULL ? write_argument(writing->out, writing->verb, at, writing->end) : 0;
    if (written == 0 && strncmp(at, "session=", 8) == 0)
        written = write_argument(writing->out, NULL, at, writing->end);
    if (written == 0 && writing->verb != NULL && !writing->quoted && at < writing->ours)
        written = write_name(writing->out, writing->verb, at, writing->end, at < writing->names);
    return written;
}

/* What stands at `at`; returns what follows it. */
static const char *write_next(struct writing *writing, const char *at)
{
    bool begins = at == writing->line || !is_word(at[-1]);
    size_t tool_len = 0;
    const struct verb *tool = begins && strncmp(at, "dap_", 4) == 0 ? tool_at(at, writing->end, &tool_len) : NULL;
    if (tool != NULL) {
        writing->verb = tool;
        buffer_addf(writing->out, "dapple %s", tool->cli.verb);
        return at + tool_len;
    }
    size_t written = begins ? write_argument_at(writing, at) : 0;
    if (written > 0)
        return at + written;
    writing->quoted = writing->quoted != (*at == '"');
    buffer_addc(writing->out, *at);
    return at + 1;
}

static void write_line(struct buffer *out, const struct verb *caller, const char *line, size_t len)
{
    bool failure = begins_with(line, len, "Dapple: "), says = failure || begins_with(line, len, "Warning: ");
    const char *at = line + foreign_part(line, len);
    struct writing writing = { .out = out,
                               .verb = says ? caller : NULL,
                               .line = line,
                               .ours = says ? end_of_ours(line, len) : line,
                               .names = failure && caller != NULL ? end_of_names(line, len) : line,
                               .end = line + len };
    buffer_append(out, line, (size_t)(at - line));
    if (failure) {
        size_t fault = write_fault(out, caller, line, len);
        if (fault == 0)
            buffer_add(out, HEAD);
        at += fault > 0 ? fault : strlen(HEAD);
    }
    while (at < writing.end)
        at = write_next(&writing, at);
}

void words_hints(struct buffer *out, const char *text, bool keep)
{
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        const char *end = text + len;
        size_t before = out->len;
        bool foreign = text[0] == '|' || is_source(text, len);
        for (bool inside = false; text < end; text++) {
            if (!foreign && (*text == HINT_BEGIN || *text == HINT_END))
                inside = *text == HINT_BEGIN;
            else if (keep || !inside)
                buffer_addc(out, *text);
        }
        bool only_hint = len > 0 && out->len == before; /* then nothing of the line is left */
        if (*text == '\n' && !only_hint)
            buffer_addc(out, '\n');
        text += *text == '\n';
    }
}

void words_write(struct buffer *out, const struct verb *verb, const char *marked)
{
    AUTO_BUFFER struct buffer plain;
    buffer_init(&plain, SIZE_MAX / 2);
    words_hints(&plain, marked, true);
    const char *text = plain.len > 0 ? plain.data : "";
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        if (text[0] == '|' || is_source(text, len))
            buffer_append(out, text, len);
        else
            write_line(out, verb, text, len);
        text += len;
        if (*text == '\n')
            buffer_addc(out, *text++);
    }
}

/* ---- colours ---- */

static const char *colour_of(const char *line)
{
    static const struct {
        const char *beginning, *colour;
    } colours[] = {
        { "stopped", "\033[1;33m" },  { "running", "\033[1;32m" }, { "launching", "\033[1;32m" }, { "terminated", "\033[1m" },
        { "idle", "\033[1m" },        { "->", "\033[1m" },         { "Warning:", "\033[33m" },    { "dapple:", "\033[1;31m" },
        { "exception:", "\033[31m" }, { "|!", "\033[31m" },        { "|#", "\033[2m" },
    };
    for (size_t i = 0; i < COUNT_OF(colours); i++)
        if (begins_with(line, strlen(line), colours[i].beginning))
            return colours[i].colour;
    return NULL;
}

void words_colour(struct buffer *out, const char *text)
{
    while (*text != '\0') {
        size_t len = strcspn(text, "\n");
        const char *colour = colour_of(text);
        if (colour != NULL)
            buffer_add(out, colour);
        buffer_append(out, text, len);
        if (colour != NULL)
            buffer_add(out, "\033[0m");
        text += len;
        if (*text == '\n')
            buffer_addc(out, *text++);
    }
}
