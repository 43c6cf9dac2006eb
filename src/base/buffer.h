/* A growing run of bytes with a maximum, always NUL-terminated after its last byte.
 *
 * Appending past the maximum changes nothing and returns -1. Consuming from the front is amortised O(1):
 * bytes move only when at least half of the allocation lies before the first unread byte. An emptied buffer keeps a small
 * allocation for the next use and returns a large one. Bytes to append may not lie within the buffer itself. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct buffer {
    char *data;   /* first unread byte; "" when empty; NULL never */
    size_t len;   /* unread bytes */
    size_t max;   /* most unread bytes that it may hold */
    char *memory; /* private: the allocation */
    size_t cap;   /* private: its size */
};

void buffer_init(struct buffer *buffer, size_t max);
void buffer_done(struct buffer *buffer);

/* 0, or -1 when the maximum would be passed: then nothing was appended. */
int buffer_append(struct buffer *buffer, const void *bytes, size_t len);
int buffer_add(struct buffer *buffer, const char *text);
int buffer_addf(struct buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
int buffer_vaddf(struct buffer *buffer, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
int buffer_addc(struct buffer *buffer, char byte);

void buffer_consume(struct buffer *buffer, size_t len);  /* drops len bytes (at most all) from the front */
void buffer_truncate(struct buffer *buffer, size_t len); /* keeps the first len bytes */
void buffer_clear(struct buffer *buffer);

/* Gives the bytes away as heap memory of the caller's, NUL-terminated; the buffer is empty afterwards. BUFFER_PADDING writable
 * bytes (the NUL is the first) follow the last one, so that the text can be parsed in place. *ret_len may be NULL. */
#define BUFFER_PADDING 4
char *buffer_take(struct buffer *buffer, size_t *ret_len);

static inline void cleanup_buffer(struct buffer *buffer)
{
    buffer_done(buffer);
}
#define AUTO_BUFFER __attribute__((cleanup(cleanup_buffer), unused))
