/* Reads the scopes of a frame, and the variables of those that cost little: for the packet of a stop and for every operation that looks
 * into a frame. */
#pragma once

#include "session/session.h"

#include <stddef.h>
#include <stdint.h>

struct frame_scopes_wish {
    int64_t adapter_frame;
    size_t start, count; /* of the variables of each scope */
    bool scopes_only;    /* no variables */
    bool hex;            /* numbers in hexadecimal: only with supportsValueFormattingOptions */
    int64_t *request;    /* holds the id of the request for the scopes while it is under way, so that it can be cancelled; NULL */
};

/* The list is the callee's. `failure`: why the scopes could not be read, valid during the call; NULL. A scope whose variables could not be
 * read has a failure of its own. Of a stop that is over by then nothing more is asked. */
typedef void (*frame_scopes_fn)(void *user, struct scope *scopes, size_t count, const char *failure);

/* `done` is called once, maybe before this returns. Belongs within session_inspect_begin and session_inspect_end, as every reading. */
void frame_scopes_read(struct session *session, const struct frame_scopes_wish *wish, frame_scopes_fn done, void *user);
