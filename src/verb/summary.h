/* A text for values whose own says nothing, in the adapter's writing:
 * - gdb answers a structure or an array with "" and a reference to its members. Its first members make one: {x = 1, name = "one", next = {…}};
 * - a pointer is shown with what it points to: 0x55d0 → {x = 1, …};
 * - an object of Python's without a repr of its own is shown with its attributes: <cart.Item> {'name': 'plum', 'qty': 3}. They come from
 *   __dict__: to read members one by one would run the code of properties;
 * - an object of JavaScript of which js-debug tells the class alone, or `{…}` of what is in it, with its own members, inherited ones last. */
#pragma once

#include "session/session.h"

#include <stddef.h>
#include <stdint.h>

typedef void (*summaries_fn)(void *user);

/* Reads what is needed for the first values in `list` that want it, and puts a summary in their place. A value about which nothing can be
 * read stays as it is. `adapter_frame` (NULL: not known) is where expressions are evaluated. `list` must stay where it is until
 * done(user) is called, once; that may be before this returns. Belongs within session_inspect_begin and session_inspect_end, as every reading. */
void summaries_read(struct session *session, const int64_t *adapter_frame, struct variable *list, size_t count, bool hex,
                    summaries_fn done, void *user);
