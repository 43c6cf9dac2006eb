/* An error is a kind and a sentence that names the field or path at fault and the next step. Only the edges print it.
 *
 * Convention: a function that can fail returns 0 or -1 and fills `struct error *ret_error` on -1 (NULL: not wanted).
 * Results go to `ret_*` and are written only on success. */
#pragma once

enum error_kind {
    ERROR_NONE = 0,
    ERROR_ARGUMENT,  /* what the caller passed */
    ERROR_STATE,     /* not allowed in the session's present state */
    ERROR_CONFIG,    /* catalog, settings, adapter missing */
    ERROR_REQUEST,   /* the adapter refused a request */
    ERROR_PROTOCOL,  /* the adapter broke the protocol */
    ERROR_SPAWN,     /* a process did not start */
    ERROR_TRANSPORT, /* a stream failed or ended */
    ERROR_EXIT,      /* the adapter exited */
    ERROR_TIMEOUT,
    ERROR_CANCELLED,
    ERROR_LIMIT,
};

struct error {
    enum error_kind kind;
    char *message; /* owned; NULL when kind is ERROR_NONE */
};

/* Versions of clang-format disagree about braces in a macro. */
/* clang-format off */
#define ERROR_INIT { ERROR_NONE, 0 }
/* clang-format on */

/* Replaces what *error held. Is always -1, so that `return error_set(...)` reads well; the value is in the header so that compilers
 * and analyzers know it too. */
#define error_set(error, ...) (error_fill(error, __VA_ARGS__), error_result())
void error_fill(struct error *error, enum error_kind kind, const char *format, ...) __attribute__((format(printf, 3, 4)));
static inline int error_result(void)
{
    return -1;
}
/* Puts words before the present message: "launch failed: " + message. */
void error_prefix(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
void error_move(struct error *to, struct error *from);
void error_clear(struct error *error);
const char *error_kind_name(enum error_kind kind);

static inline void cleanup_error(struct error *error)
{
    error_clear(error);
}
#define AUTO_ERROR __attribute__((cleanup(cleanup_error), unused))
