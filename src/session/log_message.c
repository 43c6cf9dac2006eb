#include "session/log_message.h"

/* Where the expression that begins behind a brace ends; NULL: nowhere. */
static const char *closing_brace(const char *at)
{
    int open = 1;
    for (; *at != '\0'; at++) {
        open += *at == '{';
        open -= *at == '}';
        if (open == 0)
            return at;
    }
    return NULL;
}

static bool is_escape(const char *at)
{
    return at[0] == '\\' && (at[1] == '{' || at[1] == '}');
}

bool log_message_next(const char **at, struct log_piece *ret)
{
    const char *start = *at;
    if (*start == '\0')
        return false;
    if (is_escape(start)) {
        *ret = (struct log_piece){ start + 1, 1, false };
        *at = start + 2;
        return true;
    }
    const char *close = *start == '{' ? closing_brace(start + 1) : NULL;
    if (close != NULL) {
        *ret = (struct log_piece){ start + 1, (size_t)(close - start - 1), true };
        *at = close + 1;
        return true;
    }
    const char *end = start + 1;
    while (*end != '\0' && !is_escape(end) && !(*end == '{' && closing_brace(end + 1) != NULL))
        end++;
    *ret = (struct log_piece){ start, (size_t)(end - start), false };
    *at = end;
    return true;
}
