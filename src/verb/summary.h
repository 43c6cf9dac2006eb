/* A text for values that an adapter gives no text of: gdb answers a structure or an array with "" and a reference to its members. Its
 * first members make one, in gdb's own writing: {x = 1, name = "one", next = {…}}. */
#pragma once

#include "session/session.h"

#include <stddef.h>

typedef void (*summaries_fn)(void *user);

/* Reads the first members of the first values in `list` that have no text but tell how many members they have, and puts a summary
 * in their place. A value whose members cannot be read stays without text. `list` must stay where it is until done(user) is called, once; that may
 * be before this returns. Belongs within session_inspect_begin and session_inspect_end, as every reading. */
void summaries_read(struct session *session, struct variable *list, size_t count, summaries_fn done, void *user);
