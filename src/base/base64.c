#include "base/base64.h"

#include "base/buffer.h"

#include <stdint.h>
#include <string.h>

static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int base64_encode(struct buffer *out, const void *bytes, size_t len)
{
    const unsigned char *from = bytes;
    for (size_t i = 0; i < len; i += 3) {
        size_t left = len - i;
        uint32_t group = (uint32_t)from[i] << 16 | (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) | (left > 2 ? from[i + 2] : 0);
        char four[4] = { digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                         left > 2 ? digits[group & 63] : '=' };
        if (buffer_append(out, four, 4) < 0)
            return -1;
    }
    return 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

bool base64_decode(struct buffer *out, const char *text, size_t len)
{
    uint32_t group = 0;
    size_t held = 0, padding = 0;
    for (size_t i = 0; i < len; i++) {
        if (is_blank(text[i]))
            continue;
        if (text[i] == '=') {
            padding++;
            continue;
        }
        const char *digit = text[i] == '\0' ? NULL : strchr(digits, text[i]);
        if (digit == NULL || padding > 0)
            return false;
        group = group << 6 | (uint32_t)(digit - digits);
        if (++held < 4)
            continue;
        char three[3] = { (char)(group >> 16), (char)(group >> 8), (char)group };
        if (buffer_append(out, three, 3) < 0)
            return false;
        group = 0;
        held = 0;
    }
    if (held == 1 || (padding > 0 && padding != 4 - held))
        return false;
    if (held == 0)
        return padding == 0;
    group <<= 6 * (4 - held);
    char rest[2] = { (char)(group >> 16), (char)(group >> 8) };
    return buffer_append(out, rest, held - 1) == 0;
}

int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

bool hex_decode(struct buffer *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len;) {
        if (is_blank(text[i]) || text[i] == ',') {
            i++;
            continue;
        }
        if (text[i] == '0' && i + 1 < len && (text[i + 1] == 'x' || text[i + 1] == 'X')) {
            i += 2;
            if (i == len || hex_digit(text[i]) < 0)
                return false;
        }
        int high = hex_digit(text[i]);
        int low = i + 1 < len ? hex_digit(text[i + 1]) : -1;
        if (high < 0 || low < 0 || buffer_addc(out, (char)(high << 4 | low)) < 0)
            return false;
        i += 2;
    }
    return true;
}
