/* One way to an adapter, from the attempt to its end: a connection that is dialled or was accepted, or a pair of pipes.
 *
 * Callbacks come from the loop, except as said. wire_free is allowed in any of them. A wire ends in exactly one on_failed (it was never
 * open) or on_end, unless it is freed before. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct loop;
struct stream;
struct dial_place;
struct wire;

struct wire_events {
    void (*on_open)(void *user);
    void (*on_failed)(void *user, const char *why);
    void (*on_bytes)(void *user, const char *bytes, size_t len);
    void (*on_end)(void *user, const char *why); /* NULL: plain end of stream */
};

struct wire *wire_new(struct loop *loop, const struct wire_events *events, void *user);
void wire_free(struct wire *wire); /* NULL: nothing */

/* One of these, once. wire_adopt takes the streams, which are one and the same for a socket, and calls on_open before it returns. */
void wire_dial(struct wire *wire, const struct dial_place *place, bool patient); /* see dial_start */
void wire_adopt(struct wire *wire, struct stream *in, struct stream *out);
void wire_fail(struct wire *wire, const char *why); /* a wire that cannot be had */

int wire_socket(const struct wire *wire);   /* the descriptor of its socket; -1: pipes, or not open */
bool wire_is_open(const struct wire *wire); /* opened, and not ended */
bool wire_is_over(const struct wire *wire); /* failed or ended */

/* Queues. Once the peer takes no more, what it said before may still be on its way: the end follows after WIRE_LINGER_MS at most. */
#define WIRE_LINGER_MS 200
void wire_send(struct wire *wire, const char *bytes, size_t len);
/* After everything sent: closes the sending side. Reading goes on. */
void wire_close(struct wire *wire);
/* Fails or ends it now, from within: with `why`, or what it knows better. Nothing when it is over. */
void wire_hang_up(struct wire *wire, const char *why);
