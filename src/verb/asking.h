/* A request whose id is kept where it can be cancelled, for as long as it is under way. */
#pragma once

#include "session/session.h"

#include <stdint.h>

/* `*id` holds the request's id until the answer, and 0 from then on; it must live until the answer. The answer may come before this
 * returns; then 0 is returned, and else the id. `id` NULL: it is not kept. */
int64_t session_ask(struct session *session, const char *command, yyjson_mut_doc *arguments, uint64_t timeout_ms,
                    session_answer_fn answer, void *user, int64_t *id);
