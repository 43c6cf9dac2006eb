#include "dap/framing.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "json/json.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Junk shown in a sentence. */
#define SAMPLE_SHOWN 200

/* Of a line that is too long to be kept, this much of its end stays, since a header may be glued to it. */
#define TAIL_KEPT 256

/* The first allocation for a body. A longer one doubles as its bytes arrive, so that a length which lies costs little. */
#define BODY_FIRST (1024u * 1024)

static const char length_name[] = "Content-Length";
#define LENGTH_NAME_LEN (sizeof(length_name) - 1)

enum line_kind {
    LINE_BLANK,
    LINE_LENGTH,     /* Content-Length with a number; other bytes may be glued before it */
    LINE_BAD_LENGTH, /* Content-Length with something else */
    LINE_FIELD,      /* another header */
    LINE_JUNK,
};

struct line {
    enum line_kind kind;
    size_t glued;    /* LINE_LENGTH: bytes before the name that do not belong to it */
    uint64_t length; /* LINE_LENGTH: UINT64_MAX when larger than that */
};

struct dap_framing {
    struct dap_framing_ops ops;
    void *user;
    bool ended;

    /* The header being read: whole lines up to line_start, then the beginning of the next one. Without a length these are
     * lines that look like headers and turn out as such when a length follows, or else as junk. */
    struct buffer head;
    size_t line_start;
    bool has_length;
    uint64_t length;

    /* The body being read; NULL between bodies. */
    char *body;
    size_t body_len;  /* as announced */
    size_t body_have; /* bytes read */
    size_t body_cap;

    /* The run of junk since the last frame. */
    struct buffer junk; /* its beginning */
    uint64_t junk_bytes;
    bool junk_reported; /* its cause was reported when it began: nothing more is said about it */
};

struct dap_framing *dap_framing_new(const struct dap_framing_ops *ops, void *user)
{
    struct dap_framing *framing = xcalloc(1, sizeof(*framing));

    framing->ops = *ops;
    framing->user = user;
    buffer_init(&framing->head, LIMIT_DAP_HEADER);
    buffer_init(&framing->junk, LIMIT_DAP_JUNK);
    return framing;
}

void dap_framing_free(struct dap_framing *framing)
{
    if (!framing)
        return;
    buffer_done(&framing->head);
    buffer_done(&framing->junk);
    free(framing->body);
    free(framing);
}

/* ---- reports ---- */

static size_t without_line_end(const char *bytes, size_t len)
{
    while (len > 0 && (bytes[len - 1] == '\n' || bytes[len - 1] == '\r'))
        len--;
    return len;
}

/* Says the sentence, followed by what it is about. */
static void report(struct dap_framing *framing, const char *sentence, const char *bytes, size_t len)
{
    AUTO_BUFFER struct buffer text;

    buffer_init(&text, SIZE_MAX);
    buffer_add(&text, sentence);
    buffer_add(&text, ": \"");
    utf8_one_line(&text, bytes, without_line_end(bytes, len), SAMPLE_SHOWN);
    buffer_addc(&text, '"');
    framing->ops.on_fault(framing->user, text.data);
}

static void end_junk_run(struct dap_framing *framing)
{
    char sentence[100];

    if (framing->junk_bytes > 0 && !framing->junk_reported) {
        snprintf(sentence, sizeof(sentence), "skipped %" PRIu64 " byte%s not part of a DAP message", framing->junk_bytes,
                 framing->junk_bytes == 1 ? " that is" : "s that are");
        report(framing, sentence, framing->junk.data, framing->junk.len);
    }
    buffer_clear(&framing->junk);
    framing->junk_bytes = 0;
    framing->junk_reported = false;
}

/* ---- header ---- */

static void note_junk(struct dap_framing *framing, const char *bytes, size_t len)
{
    size_t room = LIMIT_DAP_JUNK - framing->junk.len;

    framing->junk_bytes += len;
    buffer_append(&framing->junk, bytes, len < room ? len : room);
}

/* The first `len` bytes of the header being read turned out to be junk. */
static void skip_head(struct dap_framing *framing, size_t len)
{
    note_junk(framing, framing->head.data, len);
    buffer_consume(&framing->head, len);
    framing->line_start = 0;
    framing->has_length = false;
}

static void clear_head(struct dap_framing *framing)
{
    buffer_clear(&framing->head);
    framing->line_start = 0;
    framing->has_length = false;
}

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

/* Length of the header name at the front, or 0 when there is no name with a colon. */
static size_t field_name_len(const char *text, size_t len)
{
    size_t name = 0;
    size_t colon;

    while (name < len && text[name] && (isalnum((unsigned char)text[name]) || strchr("!#$%&'*+-.^_`|~", text[name])))
        name++;
    colon = name;
    while (colon < len && is_blank(text[colon]))
        colon++;
    return colon < len && text[colon] == ':' ? name : 0;
}

static bool is_length_name(const char *text)
{
    return strncasecmp(text, length_name, LENGTH_NAME_LEN) == 0;
}

static uint64_t parse_digits(const char *text, size_t len)
{
    uint64_t number = 0;

    for (size_t i = 0; i < len; i++) {
        unsigned digit = (unsigned)(text[i] - '0');
        if (number > (UINT64_MAX - digit) / 10)
            return UINT64_MAX;
        number = number * 10 + digit;
    }
    return number;
}

/* "X-Content-Length" is another header, and nothing glued to ours. What was printed before it may end in a dash, too, but then
 * it hardly looks like the beginning of a header name. */
static bool is_longer_name(const char *text, size_t name, size_t glued)
{
    return glued > 0 && name == glued + LENGTH_NAME_LEN && text[glued - 1] == '-' && isalpha((unsigned char)text[0]);
}

/* Reads a Content-Length at the end of the text. A program that shares the adapter's stdout may have printed before it. */
static bool parse_length(const char *text, size_t len, struct line *line)
{
    size_t digits = len;
    size_t at;

    while (digits > 0 && isdigit((unsigned char)text[digits - 1]))
        digits--;
    at = digits;
    while (at > 0 && is_blank(text[at - 1]))
        at--;
    if (digits == len || at == 0 || text[at - 1] != ':')
        return false;
    at--;
    while (at > 0 && is_blank(text[at - 1]))
        at--;
    if (at < LENGTH_NAME_LEN || !is_length_name(text + at - LENGTH_NAME_LEN))
        return false;
    line->glued = at - LENGTH_NAME_LEN;
    line->length = parse_digits(text + digits, len - digits);
    return true;
}

static struct line parse_line(const char *text, size_t len)
{
    struct line line = { LINE_BLANK, 0, 0 };
    size_t lead = 0;
    size_t name;

    len = without_line_end(text, len);
    while (len > 0 && is_blank(text[len - 1]))
        len--;
    while (lead < len && is_blank(text[lead]))
        lead++;
    if (lead == len)
        return line;
    text += lead;
    len -= lead;

    name = field_name_len(text, len);
    if (parse_length(text, len, &line) && !is_longer_name(text, name, line.glued)) {
        line.kind = LINE_LENGTH;
        line.glued += line.glued > 0 ? lead : 0;
    } else if (name == LENGTH_NAME_LEN && is_length_name(text)) {
        line.kind = LINE_BAD_LENGTH;
    } else {
        line.kind = name > 0 ? LINE_FIELD : LINE_JUNK;
    }
    return line;
}

static void skip_oversized(struct dap_framing *framing, uint64_t length)
{
    char sentence[120];

    /* Its bytes are passed over as junk rather than by count: so a length that lies does not swallow what follows, and a
     * header cannot be mistaken, since a raw line end never stands inside a JSON string. */
    if (length == UINT64_MAX)
        snprintf(sentence, sizeof(sentence), "skipped a DAP message that claims an impossible length");
    else
        snprintf(sentence, sizeof(sentence), "skipped a DAP message of %" PRIu64 " bytes: the limit is %u bytes", length,
                 LIMIT_DAP_BODY);
    framing->ops.on_fault(framing->user, sentence);
    framing->junk_reported = true;
}

static void end_header(struct dap_framing *framing)
{
    uint64_t length = framing->length;

    clear_head(framing);
    end_junk_run(framing);
    if (length > LIMIT_DAP_BODY) {
        skip_oversized(framing, length);
    } else if (length > 0) {
        framing->body_len = (size_t)length;
        framing->body_have = 0;
        framing->body_cap = framing->body_len < BODY_FIRST ? framing->body_len : BODY_FIRST;
        framing->body = xmalloc(framing->body_cap + JSON_PADDING);
    }
}

static void take_length(struct dap_framing *framing, const struct line *line)
{
    char sentence[120];

    if (line->glued > 0)
        skip_head(framing, framing->line_start + line->glued);
    if (framing->has_length && framing->length != line->length) {
        snprintf(sentence, sizeof(sentence),
                 "a DAP message header names two lengths, %" PRIu64 " and %" PRIu64 "; the second one is used", framing->length,
                 line->length);
        framing->ops.on_fault(framing->user, sentence);
    }
    framing->has_length = true;
    framing->length = line->length;
    framing->line_start = framing->head.len;
}

static void skip_bad_length(struct dap_framing *framing)
{
    if (!framing->junk_reported) {
        end_junk_run(framing);
        report(framing, "skipped a DAP message whose header has no usable length", framing->head.data + framing->line_start,
               framing->head.len - framing->line_start);
    }
    framing->junk_reported = true;
    skip_head(framing, framing->head.len);
}

static void end_blank_line(struct dap_framing *framing)
{
    if (framing->has_length) {
        end_header(framing);
    } else {
        note_junk(framing, framing->head.data, framing->line_start);
        clear_head(framing);
    }
}

static void end_line(struct dap_framing *framing)
{
    struct line line = parse_line(framing->head.data + framing->line_start, framing->head.len - framing->line_start);

    switch (line.kind) {
    case LINE_BLANK:
        end_blank_line(framing);
        break;
    case LINE_LENGTH:
        take_length(framing, &line);
        break;
    case LINE_BAD_LENGTH:
        skip_bad_length(framing);
        break;
    case LINE_FIELD:
        framing->line_start = framing->head.len;
        break;
    case LINE_JUNK:
        if (framing->has_length) {
            /* Printed by another process into the middle of a header; the header is still good. */
            note_junk(framing, framing->head.data + framing->line_start, framing->head.len - framing->line_start);
            framing->line_start = framing->head.len;
        } else {
            skip_head(framing, framing->head.len);
        }
        break;
    }
}

/* The header is full. What there is turned out to be junk, but the end of the line is kept, since a header may be glued to it. */
static void overflow_head(struct dap_framing *framing)
{
    char sentence[100];
    size_t line_len = framing->head.len - framing->line_start;

    if (framing->has_length && !framing->junk_reported) {
        end_junk_run(framing);
        snprintf(sentence, sizeof(sentence), "skipped a DAP message whose header is longer than %u bytes", LIMIT_DAP_HEADER);
        framing->ops.on_fault(framing->user, sentence);
        framing->junk_reported = true;
    }
    skip_head(framing, framing->head.len - (line_len < TAIL_KEPT ? line_len : TAIL_KEPT));
}

/* Returns how many bytes it took; may be 0 when it only made room. */
static size_t feed_header(struct dap_framing *framing, const char *bytes, size_t len)
{
    size_t room = LIMIT_DAP_HEADER - framing->head.len;
    size_t take = len < room ? len : room;
    const char *line_end;

    if (take == 0) {
        overflow_head(framing);
        return 0;
    }
    line_end = memchr(bytes, '\n', take);
    if (line_end)
        take = (size_t)(line_end - bytes) + 1;
    buffer_append(&framing->head, bytes, take);
    if (line_end)
        end_line(framing);
    return take;
}

/* ---- body ---- */

static void grow_body(struct dap_framing *framing, size_t need)
{
    size_t cap = framing->body_cap;

    while (cap < need)
        cap = cap < framing->body_len / 2 ? cap * 2 : framing->body_len;
    framing->body = xrealloc(framing->body, cap + JSON_PADDING);
    framing->body_cap = cap;
}

static size_t feed_body(struct dap_framing *framing, const char *bytes, size_t len)
{
    size_t missing = framing->body_len - framing->body_have;
    size_t take = len < missing ? len : missing;
    char *body;

    if (framing->body_cap < framing->body_have + take)
        grow_body(framing, framing->body_have + take);
    memcpy(framing->body + framing->body_have, bytes, take);
    framing->body_have += take;
    if (framing->body_have == framing->body_len) {
        body = framing->body;
        framing->body = NULL;
        memset(body + framing->body_len, 0, JSON_PADDING);
        framing->ops.on_body(framing->user, body, framing->body_len);
    }
    return take;
}

void dap_framing_feed(struct dap_framing *framing, const char *bytes, size_t len)
{
    size_t done = 0;

    while (done < len && !framing->ended) {
        if (framing->body)
            done += feed_body(framing, bytes + done, len - done);
        else
            done += feed_header(framing, bytes + done, len - done);
    }
}

void dap_framing_end(struct dap_framing *framing)
{
    char sentence[120];

    if (framing->ended)
        return;
    framing->ended = true;
    if (framing->body) {
        snprintf(sentence, sizeof(sentence), "the stream ended inside a DAP message: %zu of %zu bytes came", framing->body_have,
                 framing->body_len);
        framing->ops.on_fault(framing->user, sentence);
    } else if (framing->has_length) {
        end_junk_run(framing);
        framing->ops.on_fault(framing->user, "the stream ended inside the header of a DAP message");
    } else {
        skip_head(framing, framing->head.len);
        end_junk_run(framing);
    }
}

size_t dap_framing_header(char *ret, size_t len)
{
    return (size_t)snprintf(ret, 64, "%s: %zu\r\n\r\n", length_name, len);
}
