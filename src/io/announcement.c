#include "io/announcement.h"

#include "base/buffer.h"
#include "base/memory.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DIGITS 5

struct announcement {
    char *before, *after; /* the literal text around the port; after NULL: the pattern has none */
    struct buffer unread; /* what may still be the beginning of the words */
    uint16_t port;
    bool heard;
};

enum match { MATCH_NONE, MATCH_BEGUN, MATCH_WHOLE };

struct announcement *announcement_new(const char *pattern)
{
    struct announcement *announcement = xcalloc(1, sizeof(*announcement));
    const char *mark = strstr(pattern, ANNOUNCEMENT_PORT);
    announcement->before = mark ? xstrndup(pattern, (size_t)(mark - pattern)) : xstrdup(pattern);
    announcement->after = mark ? xstrdup(mark + strlen(ANNOUNCEMENT_PORT)) : NULL;
    buffer_init(&announcement->unread, SIZE_MAX); /* bounded by the pattern and one read */
    return announcement;
}

void announcement_free(struct announcement *announcement)
{
    if (!announcement)
        return;
    free(announcement->before);
    free(announcement->after);
    buffer_done(&announcement->unread);
    free(announcement);
}

/* Literal text at the beginning of the bytes. */
static enum match match_text(const char *bytes, size_t len, const char *text)
{
    size_t wanted = strlen(text);
    size_t shared = wanted < len ? wanted : len;
    if (memcmp(bytes, text, shared) != 0)
        return MATCH_NONE;
    return shared == wanted ? MATCH_WHOLE : MATCH_BEGUN;
}

/* A port, and the text that follows it, at the beginning of the bytes. */
static enum match match_port(const char *bytes, size_t len, const char *after, uint16_t *ret_port)
{
    unsigned long port = 0;
    size_t digits = 0;
    for (; digits < len && digits < MOST_DIGITS && isdigit((unsigned char)bytes[digits]); digits++)
        port = port * 10 + (unsigned long)(bytes[digits] - '0');
    if (digits == len && digits < MOST_DIGITS)
        return MATCH_BEGUN;
    bool more = digits < len && isdigit((unsigned char)bytes[digits]);
    if (digits == 0 || more || port == 0 || port > UINT16_MAX)
        return MATCH_NONE;
    *ret_port = (uint16_t)port;
    return match_text(bytes + digits, len - digits, after);
}

static enum match match_here(const struct announcement *announcement, const char *bytes, size_t len, uint16_t *ret_port)
{
    enum match match = match_text(bytes, len, announcement->before);
    if (match != MATCH_WHOLE || !announcement->after)
        return match;
    size_t before = strlen(announcement->before);
    return match_port(bytes + before, len - before, announcement->after, ret_port);
}

bool announcement_hear(struct announcement *announcement, const char *bytes, size_t len)
{
    if (announcement->heard)
        return true;
    struct buffer *unread = &announcement->unread;
    buffer_append(unread, bytes, len);
    size_t at = 0;
    enum match match = MATCH_NONE;
    while (at < unread->len &&
           (match = match_here(announcement, unread->data + at, unread->len - at, &announcement->port)) == MATCH_NONE)
        at++;
    buffer_consume(unread, at);
    announcement->heard = match == MATCH_WHOLE;
    return announcement->heard;
}

uint16_t announcement_port(const struct announcement *announcement)
{
    return announcement->heard ? announcement->port : 0;
}
