#include "base/ring.h"

#include "base/memory.h"

#include <string.h>

enum { SMALLEST = 256 };

void ring_init(struct ring *ring, size_t max)
{
    *ring = (struct ring){ .max = max };
}

void ring_done(struct ring *ring)
{
    free(ring->data);
    ring_init(ring, ring->max);
}

/* Copies `len` bytes that begin `skip` bytes after the oldest one. */
static void copy_out(const struct ring *ring, size_t skip, char *to, size_t len)
{
    if (len == 0)
        return;
    size_t from = ring->start + skip;
    if (from >= ring->cap)
        from -= ring->cap;
    size_t first = len < ring->cap - from ? len : ring->cap - from;
    memcpy(to, ring->data + from, first);
    memcpy(to + first, ring->data, len - first);
}

static void reserve(struct ring *ring, size_t need)
{
    if (need <= ring->cap)
        return;
    size_t cap = ring->cap > ring->max / 2 ? ring->max : ring->cap * 2;
    if (cap < SMALLEST)
        cap = SMALLEST < ring->max ? SMALLEST : ring->max;
    if (cap < need)
        cap = need;
    char *data = xmalloc(cap);
    copy_out(ring, 0, data, ring->len);
    free(ring->data);
    ring->data = data;
    ring->cap = cap;
    ring->start = 0;
}

static void discard_oldest(struct ring *ring, size_t len)
{
    ring->discarded += len;
    ring->len -= len;
    ring->start += len;
    if (ring->start >= ring->cap)
        ring->start -= ring->cap;
}

void ring_append(struct ring *ring, const void *bytes, size_t len)
{
    const char *from = bytes;
    if (len > ring->max) {
        ring->discarded += len - ring->max;
        from += len - ring->max;
        len = ring->max;
    }
    if (len == 0)
        return;
    if (len > ring->max - ring->len)
        discard_oldest(ring, len - (ring->max - ring->len));
    reserve(ring, ring->len + len);

    size_t end = ring->start + ring->len;
    if (end >= ring->cap)
        end -= ring->cap;
    size_t first = len < ring->cap - end ? len : ring->cap - end;
    memcpy(ring->data + end, from, first);
    memcpy(ring->data, from + first, len - first);
    ring->len += len;
}

void ring_clear(struct ring *ring)
{
    ring_done(ring);
}

char *ring_drain(struct ring *ring, size_t *ret_len, uint64_t *ret_discarded)
{
    uint64_t discarded = ring->discarded;
    char *bytes = ring_tail(ring, ring->len, ret_len);
    ring_clear(ring);
    if (ret_discarded)
        *ret_discarded = discarded;
    return bytes;
}

char *ring_tail(const struct ring *ring, size_t most, size_t *ret_len)
{
    size_t len = most < ring->len ? most : ring->len;
    char *bytes = xmalloc(len + 1);
    copy_out(ring, ring->len - len, bytes, len);
    bytes[len] = '\0';
    if (ret_len)
        *ret_len = len;
    return bytes;
}
