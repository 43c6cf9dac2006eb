/* Connects to an adapter that may not listen yet: tries again, with a growing pause, until it is told to stop. The connection that
 * succeeds is the one that is used (some adapters serve a single client, so there is no trial connection). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct stream;
struct dial;

/* A port that is free now; 0 when there is none. It may be taken again before the adapter listens. */
uint16_t dial_free_port(void);

/* The outcome is reported once, from the loop. `stream` is the receiver's, connected; NULL: the host has no address, `why` tells. */
typedef void (*dial_fn)(void *user, struct stream *stream, const char *why);

/* `host`: an IP address, a name, or "localhost" (127.0.0.1, then ::1). */
struct dial *dial_start(struct loop *loop, const char *host, uint16_t port, dial_fn done, void *user);
/* No report comes any more. Needed after the report, too. NULL: nothing. */
void dial_free(struct dial *dial);

/* A connection to nobody: with no listener, a socket that happens to get the very port that it connects to is joined to itself. */
bool dial_is_self_connected(int fd);
