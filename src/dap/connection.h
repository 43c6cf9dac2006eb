/* One DAP connection: requests and their answers, events, reverse requests, time-outs (specification, "Protocol").
 *
 * Free of I/O: bytes and times come in, messages go out through ops, bytes to write go out through ops->send. Answers are matched by
 * request_seq alone. Every request is answered to its caller exactly once: by the adapter, by time-out, by cancellation or by the end
 * of the connection. A late or second answer is dropped and counted; one to a request that was never made is reported, too.
 *
 * Lenient in reading: no `seq` is needed, numbers may be strings, members stand in any order, `type` may be left out, `success` too (then
 * body.error decides). Bad messages are reported in readable sentences and survived.
 * Callbacks may make further requests, answer, cancel and end; they must not free the connection, and not feed it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yyjson.h>

struct dap_connection;

enum dap_outcome {
    DAP_OK,        /* success: true */
    DAP_REFUSED,   /* success: false */
    DAP_TIMED_OUT, /* no answer in time; a later one is dropped */
    DAP_CANCELLED, /* dap_connection_cancel */
    DAP_CLOSED,    /* the connection ended first */
};

/* Valid only during the callback. */
struct dap_answer {
    enum dap_outcome outcome;
    const char *command;    /* as it was requested */
    yyjson_val *body;       /* NULL when absent or null; also of a refusal */
    const char *message;    /* why it is not DAP_OK, one sentence (DAP_REFUSED: dap_error_text); DAP_OK: "" */
    const char *short_form; /* DAP_REFUSED: response.message as sent ("notStopped", "cancelled"); else "" */
};

typedef void (*dap_answer_fn)(void *user, const struct dap_answer *answer);

struct dap_connection_ops {
    void (*send)(void *user, const char *bytes, size_t len); /* the bytes are valid only during the call */
    void (*on_event)(void *user, const char *event, yyjson_val *body);
    /* Answer it, now or later, with dap_connection_respond. */
    void (*on_request)(void *user, int64_t seq, const char *command, yyjson_val *arguments);
    void (*on_fault)(void *user, const char *sentence);
};

struct dap_connection *dap_connection_new(const struct dap_connection_ops *ops, void *user);
/* Pending requests are answered DAP_CLOSED first. */
void dap_connection_free(struct dap_connection *connection);

/* Sends a request. `arguments`: a document whose root is the arguments object; consumed; NULL sends none.
 * timeout_ms 0: no time-out. Returns the request's seq (> 0). When the connection has ended or LIMIT_DAP_IN_FLIGHT is reached,
 * returns 0, having answered DAP_CLOSED. `answer` may be NULL. */
int64_t dap_connection_request(struct dap_connection *connection, const char *command, yyjson_mut_doc *arguments,
                               uint64_t timeout_ms, dap_answer_fn answer, void *user);
/* Answers the request DAP_CANCELLED now; with `tell`, sends `cancel` to the adapter before (only with supportsCancelRequest; nobody waits
 * for its answer). Unknown seq: nothing. */
void dap_connection_cancel(struct dap_connection *connection, int64_t seq, bool tell);
void dap_connection_tell_cancel(struct dap_connection *connection, int64_t seq); /* sends it, for a request answered here already */
bool dap_connection_pending(const struct dap_connection *connection, int64_t seq);

/* Answers a reverse request. `body` consumed, may be NULL; `message` only when !success. */
void dap_connection_respond(struct dap_connection *connection, int64_t request_seq, const char *command, bool success,
                            yyjson_mut_doc *body, const char *message);

void dap_connection_feed(struct dap_connection *connection, const char *bytes, size_t len);
/* The stream ended; `why` becomes the message of every pending request, which are answered in the order they were made. Whatever is
 * fed later is ignored, and nothing is sent any more. Idempotent. */
void dap_connection_end(struct dap_connection *connection, const char *why);
bool dap_connection_ended(const struct dap_connection *connection);

/* Time, in milliseconds of a monotonic clock, enters here only. Call it before feed and request whenever time has passed. */
void dap_connection_on_time(struct dap_connection *connection, uint64_t now);
uint64_t dap_connection_deadline(const struct dap_connection *connection); /* UINT64_MAX: none */

/* Answers that came for nobody: late, twice, or to a request that was never made. */
uint64_t dap_connection_dropped(const struct dap_connection *connection);

/* Why an error response says it failed, as heap memory of the caller's: its `message`, then body.error.format with its variables filled
 * in (an unknown {name} is left); one of them when it contains the other; a sentence of ours when there is neither. */
char *dap_error_text(yyjson_val *response);
