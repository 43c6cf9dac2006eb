/* What the daemon and its clients say to each other: one JSON object per line, each with the version of the protocol and of Dapple.
 *
 * A client sends one request on a connection, and maybe "cancel" after it. The daemon answers with lines that say what it is doing, one
 * each second, and one line with the result; then it closes. To what it cannot understand it answers with plain text.
 * Paths and variables of the environment are any bytes, JSON is Unicode: each byte is sent as the character of its number. */
#pragma once

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <yyjson.h>

struct buffer;
struct json;

#define DAEMON_PROTOCOL 1
#define DAEMON_ALIVE_MS 1000 /* how often a client is told that its call is still under way */

/* ---- requests ---- */

enum request_kind {
    REQUEST_CALL,   /* one operation */
    REQUEST_CANCEL, /* of the call before it on this connection */
    REQUEST_STOP,   /* end the daemon; served whatever the versions */
    REQUEST_LOOK,   /* how is the daemon? */
    REQUEST_TIE, /* reserve a session, NAME or NAME-2 and so on: what it is doing is the name; when the connection is closed, it is
                       ended, and its breakpoints are forgotten */
};

struct request {
    enum request_kind kind;
    /* of a call */
    const char *operation; /* "step_in" */
    yyjson_val *arguments; /* NULL: none */
    bool structured;
    bool peeks;          /* structured, and nothing is used up by it: of a shell's completion */
    const char *session; /* of a tie */
    char *who;           /* "dapple continue": how others are told of it */
    char *folder;        /* absolute */
    char **environment;  /* NULL-terminated */
};

/* Appends one line. */
void request_write(struct buffer *out, const struct request *request);
/* ERROR_PROTOCOL: the message is the plain answer. What is read points into `json`, except what request_done frees. */
int request_read(struct request *ret, const struct json *json, struct error *ret_error);
void request_done(struct request *request); /* takes zeroed memory */

/* ---- answers ---- */

struct answer {
    bool is_result;       /* else it says what it is doing */
    const char *doing;    /* NULL when it is a result */
    bool failed, partial; /* partial: some of it failed */
    enum error_kind kind; /* of a failure */
    const char *text;
    size_t text_len;
    const char *notice;     /* what is to be told beside the result; NULL */
    const char *structured; /* JSON text; NULL */
};

void answer_write(struct buffer *out, const struct answer *answer);
void answer_write_doing(struct buffer *out, const char *doing);
int answer_read(struct answer *ret, const struct json *json, struct error *ret_error);
