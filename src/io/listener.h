/* Waits on a free TCP port for the one connection that an adapter makes to us. */
#pragma once

#include <stdint.h>

struct loop;
struct error;
struct stream;
struct listener;

/* Called once, from the loop, with the first connection, which is the receiver's. Nobody listens any more by then. */
typedef void (*listener_fn)(void *user, struct stream *stream);

/* `host`: an IP address of this machine; NULL and "localhost": 127.0.0.1. */
struct listener *listener_start(struct loop *loop, const char *host, listener_fn done, void *user, struct error *ret_error);
uint16_t listener_port(const struct listener *listener);
/* No call comes any more. Needed after the connection, too; allowed in the callback. NULL: nothing. */
void listener_free(struct listener *listener);
