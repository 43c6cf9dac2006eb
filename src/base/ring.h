/* Keeps the newest `max` bytes of a stream; what falls off the old side is counted. Memory grows with use up to `max`. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct ring {
    char *data;
    size_t cap, start, len, max;
    uint64_t discarded; /* bytes lost since the last drain or clear */
};

void ring_init(struct ring *ring, size_t max);
void ring_done(struct ring *ring);
void ring_append(struct ring *ring, const void *bytes, size_t len);
void ring_clear(struct ring *ring);

/* All bytes in order as heap memory of the caller's, NUL-terminated. Empties the ring; *ret_discarded may be NULL. */
char *ring_drain(struct ring *ring, size_t *ret_len, uint64_t *ret_discarded);

/* The newest `most` bytes as heap memory of the caller's, NUL-terminated. Changes nothing. */
char *ring_tail(const struct ring *ring, size_t most, size_t *ret_len);
