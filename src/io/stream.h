/* One byte stream over a pipe or a socket: reading as it comes, writing with a queue, never blocking.
 *
 * Callbacks come from the loop only. stream_free is allowed in any of them; nothing is called after it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <uv.h>

struct loop;
struct stream;

struct stream_events {
    void (*on_bytes)(void *user, const char *bytes, size_t len);
    /* Nothing more can be read; called once. `why` NULL: plain end of file, else the fault. */
    void (*on_end)(void *user, const char *why);
    /* What was written did not arrive; called once. Reading goes on. */
    void (*on_write_failed)(void *user, const char *why);
};

/* Takes the descriptor of a pipe, or of a terminal's master side. */
struct stream *stream_of_pipe(struct loop *loop, int fd);
/* A socket that is not connected yet; connect stream_tcp() or stream_unix() before it is read or written. */
struct stream *stream_of_tcp(struct loop *loop);
struct stream *stream_of_unix(struct loop *loop);
uv_tcp_t *stream_tcp(struct stream *stream);
uv_pipe_t *stream_unix(struct stream *stream);
void stream_free(struct stream *stream);        /* a socket is shut down: it may be held by somebody else, too */
int stream_socket(const struct stream *stream); /* its descriptor; -1: it is a pipe */

/* Callbacks that cannot come may be NULL. */
void stream_listen(struct stream *stream, const struct stream_events *events, void *user);
/* Starts calling on_bytes. */
void stream_read(struct stream *stream);
void stream_write(struct stream *stream, const char *bytes, size_t len); /* copies */
size_t stream_unwritten(const struct stream *stream);                    /* bytes that the peer has not taken yet */
/* Closes the writing side once everything is written. */
void stream_end_writing(struct stream *stream);
