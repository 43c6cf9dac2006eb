#include "base/utf8.h"

#include "base/buffer.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char replacement[] = "\xef\xbf\xbd"; /* U+FFFD */
static const char ellipsis[] = "\xe2\x80\xa6";    /* U+2026 */

enum { ESCAPE = 0x1b, BELL = 0x07, DELETE = 0x7f };

static bool in_range(unsigned char byte, unsigned char first, unsigned char last)
{
    return byte >= first && byte <= last;
}

/* How many bytes the character beginning with `lead` has; 0 when no character begins with it. */
static size_t wanted_len(unsigned char lead)
{
    if (lead < 0x80)
        return 1;
    if (in_range(lead, 0xc2, 0xdf))
        return 2;
    if (in_range(lead, 0xe0, 0xef))
        return 3;
    return in_range(lead, 0xf0, 0xf4) ? 4 : 0;
}

/* The second byte is where overlong forms, surrogates and what lies beyond U+10FFFF are told apart (RFC 3629, section 4). */
static bool second_fits(unsigned char lead, unsigned char second)
{
    switch (lead) {
    case 0xe0:
        return in_range(second, 0xa0, 0xbf);
    case 0xed:
        return in_range(second, 0x80, 0x9f);
    case 0xf0:
        return in_range(second, 0x90, 0xbf);
    case 0xf4:
        return in_range(second, 0x80, 0x8f);
    default:
        return in_range(second, 0x80, 0xbf);
    }
}

/* Whether the `have` bytes can be the beginning of a character. */
static bool fits_so_far(const unsigned char *bytes, size_t have)
{
    if (have > 1 && !second_fits(bytes[0], bytes[1]))
        return false;
    for (size_t i = 2; i < have; i++) {
        if (!in_range(bytes[i], 0x80, 0xbf))
            return false;
    }
    return true;
}

size_t utf8_char_len(const char *bytes, size_t len)
{
    if (len == 0)
        return 0;
    const unsigned char *from = (const unsigned char *)bytes;
    size_t wanted = wanted_len(from[0]);
    return wanted <= len && fits_so_far(from, wanted) ? wanted : 0;
}

/* How many bytes at the front are ASCII, a word at a time. */
static size_t ascii_len(const char *bytes, size_t len)
{
    size_t i = 0;
    for (uint64_t word; len - i >= sizeof(word); i += sizeof(word)) {
        memcpy(&word, bytes + i, sizeof(word));
        if (word & UINT64_C(0x8080808080808080))
            break;
    }
    while (i < len && (unsigned char)bytes[i] < 0x80)
        i++;
    return i;
}

/* How many bytes at the front are valid. */
static size_t valid_len(const char *bytes, size_t len)
{
    size_t i = ascii_len(bytes, len);
    while (i < len) {
        size_t step = utf8_char_len(bytes + i, len - i);
        if (step == 0)
            break;
        i += step;
        if (i < len && (unsigned char)bytes[i] < 0x80)
            i += ascii_len(bytes + i, len - i);
    }
    return i;
}

bool utf8_valid(const char *bytes, size_t len)
{
    return valid_len(bytes, len) == len;
}

int utf8_repair(struct buffer *out, const char *bytes, size_t len)
{
    while (len > 0) {
        size_t valid = valid_len(bytes, len);
        if (buffer_append(out, bytes, valid) < 0)
            return -1;
        bytes += valid;
        len -= valid;
        if (len > 0) {
            if (buffer_add(out, replacement) < 0)
                return -1;
            bytes++;
            len--;
        }
    }
    return 0;
}

size_t utf8_cut(const char *bytes, size_t len, size_t want)
{
    if (want >= len)
        return len;
    for (size_t back = 1; back <= 3 && back <= want; back++) {
        size_t step = utf8_char_len(bytes + want - back, len - (want - back));
        if (step > back)
            return want - back;
        if (step > 0)
            break;
    }
    return want;
}

size_t utf8_incomplete_tail(const char *bytes, size_t len)
{
    for (size_t have = 1; have <= 3 && have <= len; have++) {
        const unsigned char *from = (const unsigned char *)bytes + len - have;
        if (wanted_len(from[0]) > have && fits_so_far(from, have))
            return have;
    }
    return 0;
}

static uint32_t code_point(const char *bytes, size_t len)
{
    static const unsigned char lead_bits[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
    uint32_t code = (unsigned char)bytes[0] & lead_bits[len];
    for (size_t i = 1; i < len; i++)
        code = code << 6 | ((unsigned char)bytes[i] & 0x3fu);
    return code;
}

static bool is_control(uint32_t code)
{
    return code < 0x20 || (code >= DELETE && code < 0xa0);
}

/* Line and paragraph separators, and what turns the direction of writing: a line could be made to look like another one. */
static bool is_deceptive(uint32_t code)
{
    return code == 0x2028 || code == 0x2029 || (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* What is shown in one line for the character or invalid byte at the front. */
struct shown {
    size_t taken; /* bytes of the input */
    size_t len;
    char text[8];
};

static void show_as(struct shown *shown, const char *text)
{
    shown->len = strlen(text);
    memcpy(shown->text, text, shown->len + 1);
}

static void show_one(struct shown *shown, const char *bytes, size_t len)
{
    shown->taken = utf8_char_len(bytes, len);
    if (shown->taken == 0) {
        shown->taken = 1;
        show_as(shown, replacement);
        return;
    }
    uint32_t code = code_point(bytes, shown->taken);
    if (code == '\n' || code == '\r') {
        shown->taken = code == '\r' && len > 1 && bytes[1] == '\n' ? 2 : 1;
        show_as(shown, "\\n");
    } else if (code == '\t') {
        show_as(shown, "\\t");
    } else if (is_control(code)) {
        shown->len = (size_t)snprintf(shown->text, sizeof(shown->text), "\\x%02x", code & 0xffu);
    } else if (is_deceptive(code)) {
        shown->len = (size_t)snprintf(shown->text, sizeof(shown->text), "\\u%04x", code & 0xffffu);
    } else {
        shown->len = shown->taken;
        memcpy(shown->text, bytes, shown->len);
    }
}

bool utf8_one_line(struct buffer *out, const char *bytes, size_t len, size_t most)
{
    const size_t tail = sizeof(ellipsis) - 1;
    size_t begin = out->len;
    size_t cut = begin; /* the last place that leaves room for the ellipsis */
    while (len > 0) {
        struct shown shown;
        show_one(&shown, bytes, len);
        size_t used = out->len - begin;
        if (used + tail <= most)
            cut = out->len;
        if (shown.len > most - used || buffer_append(out, shown.text, shown.len) < 0) {
            buffer_truncate(out, cut);
            if (tail <= most - (cut - begin))
                buffer_add(out, ellipsis);
            return true;
        }
        bytes += shown.taken;
        len -= shown.taken;
    }
    return false;
}

/* Length of a control sequence whose parameters begin at `bytes` (ECMA-48, section 5.4). */
static size_t control_sequence_len(const char *bytes, size_t len)
{
    size_t i = 0;
    while (i < len && in_range((unsigned char)bytes[i], 0x20, 0x3f))
        i++;
    return i < len && in_range((unsigned char)bytes[i], 0x40, 0x7e) ? i + 1 : i;
}

/* Length of a control string (title, hyperlink, …) up to and with its end. One that does not end before the line or the next escape
 * sequence does is no control string: otherwise a stray introducer would swallow all that the program prints after it. */
static size_t control_string_len(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len && bytes[i] != '\n'; i++) {
        if (bytes[i] == BELL)
            return i + 1;
        if (bytes[i] == ESCAPE)
            return i + 1 < len && bytes[i + 1] == '\\' ? i + 2 : 0;
    }
    return 0;
}

/* Length of the escape sequence at the front, which begins with ESC. */
static size_t escape_len(const char *bytes, size_t len)
{
    if (len < 2)
        return len;
    switch (bytes[1]) {
    case '[':
        return 2 + control_sequence_len(bytes + 2, len - 2);
    case ']': /* operating system command */
    case 'P': /* device control string */
    case 'X': /* start of string */
    case '^': /* privacy message */
    case '_': /* application program command */
        return 2 + control_string_len(bytes + 2, len - 2);
    default:
        break;
    }
    size_t i = 1;
    while (i < len && in_range((unsigned char)bytes[i], 0x20, 0x2f))
        i++;
    return i < len && in_range((unsigned char)bytes[i], 0x30, 0x7e) ? i + 1 : i;
}

/* How many bytes at the front are printable ASCII, LF or TAB: nearly all of what programs print. */
static size_t plain_len(const char *bytes, size_t len)
{
    size_t i = 0;
    while (i < len && (in_range((unsigned char)bytes[i], 0x20, 0x7e) || bytes[i] == '\n' || bytes[i] == '\t'))
        i++;
    return i;
}

/* Appends what is shown for the character, escape sequence or invalid byte at the front. Returns how many bytes it took. */
static size_t add_special(struct buffer *out, const char *bytes, size_t len, int *ret_result)
{
    if (bytes[0] == ESCAPE)
        return escape_len(bytes, len);
    if (bytes[0] == '\r') {
        *ret_result = buffer_addc(out, '\n');
        return len > 1 && bytes[1] == '\n' ? 2 : 1;
    }
    size_t step = utf8_char_len(bytes, len);
    if (step == 0) {
        *ret_result = buffer_add(out, replacement);
        return 1;
    }
    if (!is_control(code_point(bytes, step)))
        *ret_result = buffer_append(out, bytes, step);
    return step;
}

int utf8_program_output(struct buffer *out, const char *bytes, size_t len)
{
    while (len > 0) {
        size_t step = plain_len(bytes, len);
        int r = buffer_append(out, bytes, step);
        if (r == 0 && step < len)
            step += add_special(out, bytes + step, len - step, &r);
        if (r < 0)
            return -1;
        bytes += step;
        len -= step;
    }
    return 0;
}
