#include "base/error.h"

#include "base/memory.h"

void error_fill(struct error *error, enum error_kind kind, const char *format, ...)
{
    if (!error)
        return;
    va_list args;
    va_start(args, format);
    char *message = xvasprintf(format, args); /* first, since the words may quote the old message */
    va_end(args);
    error_clear(error);
    error->kind = kind;
    error->message = message;
}

void error_prefix(struct error *error, const char *format, ...)
{
    if (!error || error->kind == ERROR_NONE)
        return;
    va_list args;
    va_start(args, format);
    AUTO_FREE char *words = xvasprintf(format, args);
    va_end(args);
    char *message = xasprintf("%s%s", words, error->message ? error->message : "");
    free(error->message);
    error->message = message;
}

void error_move(struct error *to, struct error *from)
{
    if (to == from)
        return;
    if (!to) {
        error_clear(from);
        return;
    }
    error_clear(to);
    *to = *from;
    *from = (struct error)ERROR_INIT;
}

void error_clear(struct error *error)
{
    if (!error)
        return;
    free(error->message);
    *error = (struct error)ERROR_INIT;
}

const char *error_kind_name(enum error_kind kind)
{
    switch (kind) {
    case ERROR_NONE:
        return "none";
    case ERROR_ARGUMENT:
        return "argument";
    case ERROR_STATE:
        return "state";
    case ERROR_CONFIG:
        return "config";
    case ERROR_REQUEST:
        return "request";
    case ERROR_PROTOCOL:
        return "protocol";
    case ERROR_SPAWN:
        return "spawn";
    case ERROR_TRANSPORT:
        return "transport";
    case ERROR_EXIT:
        return "exit";
    case ERROR_TIMEOUT:
        return "timeout";
    case ERROR_CANCELLED:
        return "cancelled";
    case ERROR_LIMIT:
        return "limit";
    }
    return "unknown";
}
