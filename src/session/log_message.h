/* A log message in pieces: text as it stands, and expressions in braces to be evaluated.
 *
 * "total is {order.total}" has one of each. Braces inside an expression are part of it when they are balanced; "\{" and "\}" are braces of
 * the text, and a brace that is never closed is text, too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct log_piece {
    const char *start; /* in the message */
    size_t len;
    bool expression; /* the braces are not part of it */
};

/* The piece that begins at `at`, which moves behind it. False: the message is over. An escaped brace is a piece of its own. */
bool log_message_next(const char **at, struct log_piece *ret);
