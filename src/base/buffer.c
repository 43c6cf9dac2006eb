#include "base/buffer.h"

#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SMALLEST = 64, KEPT_WHEN_EMPTY = 256 * 1024 };

/* What a buffer without memory points to. Nothing ever writes to it. */
static char nothing[1] = "";

void buffer_init(struct buffer *buffer, size_t max)
{
    *buffer = (struct buffer){ .data = nothing, .max = max };
}

void buffer_done(struct buffer *buffer)
{
    free(buffer->memory);
    buffer_init(buffer, buffer->max);
}

static size_t offset(const struct buffer *buffer)
{
    return buffer->memory ? (size_t)(buffer->data - buffer->memory) : 0;
}

/* The most that an allocation may hold: the maximum, and as much again once bytes are consumed. Were it only the maximum, a full
 * buffer that is consumed and refilled byte by byte would be moved each time. */
static size_t most_memory(const struct buffer *buffer)
{
    size_t once = buffer->max > SIZE_MAX / 4 ? SIZE_MAX / 4 : buffer->max + BUFFER_PADDING;
    return offset(buffer) > 0 ? once * 2 : once;
}

static void grow(struct buffer *buffer, size_t need)
{
    size_t most = most_memory(buffer);
    size_t cap = buffer->cap > most / 2 ? most : buffer->cap * 2;
    if (cap < SMALLEST)
        cap = SMALLEST;
    if (cap < need)
        cap = need;
    if (offset(buffer) == 0) {
        buffer->memory = xrealloc(buffer->memory, cap);
    } else {
        char *memory = xmalloc(cap);
        memcpy(memory, buffer->data, buffer->len);
        free(buffer->memory);
        buffer->memory = memory;
    }
    buffer->data = buffer->memory;
    buffer->cap = cap;
}

/* Makes room for len more bytes and the padding. */
static int make_room(struct buffer *buffer, size_t len)
{
    if (buffer->len > buffer->max || len > buffer->max - buffer->len)
        return -1;
    size_t need = buffer->len + len + BUFFER_PADDING;
    size_t used = offset(buffer);
    if (need <= buffer->cap - used)
        return 0;
    if (need <= buffer->cap && used >= buffer->cap / 2) {
        memmove(buffer->memory, buffer->data, buffer->len);
        buffer->data = buffer->memory;
    } else {
        grow(buffer, need);
    }
    return 0;
}

int buffer_append(struct buffer *buffer, const void *bytes, size_t len)
{
    if (len == 0)
        return 0;
    if (make_room(buffer, len) < 0)
        return -1;
    memcpy(buffer->data + buffer->len, bytes, len);
    buffer->len += len;
    buffer->data[buffer->len] = '\0';
    return 0;
}

int buffer_add(struct buffer *buffer, const char *text)
{
    return buffer_append(buffer, text, strlen(text));
}

int buffer_addf(struct buffer *buffer, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int r = buffer_vaddf(buffer, format, args);
    va_end(args);
    return r;
}

int buffer_vaddf(struct buffer *buffer, const char *format, va_list args)
{
    va_list measured;
    va_copy(measured, args);
    int len = vsnprintf(NULL, 0, format, measured);
    va_end(measured);
    if (len < 0 || make_room(buffer, (size_t)len) < 0)
        return -1;
    vsnprintf(buffer->data + buffer->len, (size_t)len + 1, format, args);
    buffer->len += (size_t)len;
    return 0;
}

int buffer_addc(struct buffer *buffer, char byte)
{
    return buffer_append(buffer, &byte, 1);
}

void buffer_consume(struct buffer *buffer, size_t len)
{
    if (len >= buffer->len) {
        buffer_clear(buffer);
        return;
    }
    buffer->data += len;
    buffer->len -= len;
}

void buffer_truncate(struct buffer *buffer, size_t len)
{
    if (len >= buffer->len)
        return;
    buffer->len = len;
    buffer->data[len] = '\0';
}

void buffer_clear(struct buffer *buffer)
{
    if (buffer->cap > KEPT_WHEN_EMPTY) {
        buffer_done(buffer);
    } else if (buffer->memory) {
        buffer->data = buffer->memory;
        buffer->len = 0;
        buffer->data[0] = '\0';
    }
}

char *buffer_take(struct buffer *buffer, size_t *ret_len)
{
    size_t len = buffer->len;
    char *bytes = buffer->memory;
    if (!bytes) {
        bytes = xcalloc(1, BUFFER_PADDING);
    } else if (bytes != buffer->data) {
        memmove(bytes, buffer->data, len + 1);
    }
    if (len + BUFFER_PADDING < buffer->cap / 2)
        bytes = xrealloc(bytes, len + BUFFER_PADDING);
    buffer_init(buffer, buffer->max);
    if (ret_len)
        *ret_len = len;
    return bytes;
}
