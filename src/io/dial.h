/* Connects to an adapter's server. The connection that succeeds is the one that is used (some adapters serve a single client, so there
 * is no trial connection). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct loop;
struct stream;
struct dial;

struct dial_place {
    const char *path; /* of a Unix socket; NULL: TCP */
    const char *host; /* an IP address, a name, or "localhost" (127.0.0.1, then ::1) */
    uint16_t port;
};

/* The outcome is reported once, from the loop. `stream` is the receiver's, connected; NULL: a sentence tells why not. */
typedef void (*dial_fn)(void *user, struct stream *stream, const char *why);

/* `patient`: nobody may listen yet, so a refusal is tried again, with a growing pause, until dial_free; only a host without address is
 * the end. Otherwise each address is tried once. */
struct dial *dial_start(struct loop *loop, const struct dial_place *place, bool patient, dial_fn done, void *user);
/* No report comes any more. Needed after the report, too; allowed in it. NULL: nothing. */
void dial_free(struct dial *dial);

/* A connection to nobody: with no listener, a socket that happens to get the very port that it connects to is joined to itself. */
bool dial_is_self_connected(int fd);
