#include "io/stream.h"

#include "base/memory.h"
#include "io/loop.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>

#define READ_SIZE (64u * 1024)

struct stream {
    union {
        uv_handle_t handle;
        uv_stream_t stream;
        uv_pipe_t pipe;
        uv_tcp_t tcp;
    } uv;
    const struct stream_events *events;
    void *user;
    bool is_pipe, is_tcp;
    bool freed, closed;
    bool write_failed, writing_ended;
    uv_shutdown_t shutdown;
    char *memory; /* READ_SIZE bytes, once something was read */
};

struct write {
    uv_write_t request;
    struct stream *stream;
    char bytes[];
};

static struct stream *stream_new(bool is_pipe)
{
    struct stream *stream = xcalloc(1, sizeof(*stream));
    stream->is_pipe = is_pipe;
    return stream;
}

struct stream *stream_of_pipe(struct loop *loop, int fd)
{
    struct stream *stream = stream_new(true);
    uv_pipe_init(&loop->uv, &stream->uv.pipe, 0);
    uv_pipe_open(&stream->uv.pipe, fd);
    stream->uv.handle.data = stream;
    return stream;
}

struct stream *stream_of_tcp(struct loop *loop)
{
    struct stream *stream = stream_new(false);
    stream->is_tcp = true;
    uv_tcp_init(&loop->uv, &stream->uv.tcp);
    stream->uv.handle.data = stream;
    return stream;
}

struct stream *stream_of_unix(struct loop *loop)
{
    struct stream *stream = stream_new(false);
    uv_pipe_init(&loop->uv, &stream->uv.pipe, 0);
    stream->uv.handle.data = stream;
    return stream;
}

uv_tcp_t *stream_tcp(struct stream *stream)
{
    return &stream->uv.tcp;
}

uv_pipe_t *stream_unix(struct stream *stream)
{
    return &stream->uv.pipe;
}

/* Memory goes when both the owner and the loop have let go. */
static void release(struct stream *stream)
{
    if (!stream->freed || !stream->closed)
        return;
    free(stream->memory);
    free(stream);
}

static void on_closed(uv_handle_t *handle)
{
    struct stream *stream = handle->data;
    stream->closed = true;
    release(stream);
}

int stream_socket(const struct stream *stream)
{
    uv_os_fd_t fd;
    return !stream->is_pipe && uv_fileno(&stream->uv.handle, &fd) == 0 ? fd : -1;
}

static void close_handle(struct stream *stream)
{
    if (!uv_is_closing(&stream->uv.handle))
        uv_close(&stream->uv.handle, on_closed);
}

void stream_free(struct stream *stream)
{
    if (!stream)
        return;
    int fd = uv_is_closing(&stream->uv.handle) ? -1 : stream_socket(stream);
    if (fd >= 0)
        shutdown(fd, SHUT_RDWR);
    close_handle(stream);
    stream->freed = true;
    release(stream);
}

void stream_listen(struct stream *stream, const struct stream_events *events, void *user)
{
    stream->events = events;
    stream->user = user;
}

/* ---- reading ---- */

static void give_memory(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buffer)
{
    (void)suggested;
    struct stream *stream = handle->data;
    if (!stream->memory)
        stream->memory = xmalloc(READ_SIZE);
    *ret_buffer = uv_buf_init(stream->memory, READ_SIZE);
}

/* Adapters written for Node.js hold a message back until the one before is acknowledged, and the kernel puts that off for 40 ms. It forgets
 * that it was asked not to, hence at each reading. */
static void acknowledge(struct stream *stream)
{
#ifdef TCP_QUICKACK
    uv_os_fd_t fd;
    int on = 1;
    if (stream->is_tcp && uv_fileno(&stream->uv.handle, &fd) == 0)
        setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
#else
    (void)stream;
#endif
}

static void on_read(uv_stream_t *handle, ssize_t got, const uv_buf_t *buffer)
{
    struct stream *stream = handle->data;
    if (stream->freed || got == 0)
        return;
    if (got > 0) {
        acknowledge(stream);
        stream->events->on_bytes(stream->user, buffer->base, (size_t)got);
        return;
    }
    uv_read_stop(handle);
    stream->events->on_end(stream->user, got == UV_EOF ? NULL : uv_strerror((int)got));
}

void stream_read(struct stream *stream)
{
    uv_read_start(&stream->uv.stream, give_memory, on_read);
}

/* ---- writing ---- */

static void on_written(uv_write_t *request, int status)
{
    struct write *write = (struct write *)request;
    struct stream *stream = write->stream;
    free(write);
    if (status == 0 || stream->freed || stream->write_failed)
        return;
    stream->write_failed = true;
    if (stream->events->on_write_failed)
        stream->events->on_write_failed(stream->user, uv_strerror(status));
}

void stream_write(struct stream *stream, const char *bytes, size_t len)
{
    if (len == 0 || stream->freed || stream->write_failed || stream->writing_ended)
        return;
    struct write *write = xmalloc(sizeof(*write) + len);
    write->stream = stream;
    memcpy(write->bytes, bytes, len);
    uv_buf_t buffer = uv_buf_init(write->bytes, (unsigned)len);
    /* Writes at once what the peer takes, and queues the rest. Refuses only handles that are not open. */
    if (uv_write(&write->request, &stream->uv.stream, &buffer, 1, on_written) != 0)
        free(write);
}

size_t stream_unwritten(const struct stream *stream)
{
    return uv_stream_get_write_queue_size(&stream->uv.stream);
}

/* A pipe has no half to shut down: it is closed as a whole, since a pipe that we write is never read. */
static void on_shut_down(uv_shutdown_t *request, int status)
{
    (void)status;
    struct stream *stream = request->handle->data;
    if (stream->is_pipe)
        close_handle(stream);
}

void stream_end_writing(struct stream *stream)
{
    if (stream->writing_ended || stream->freed)
        return;
    stream->writing_ended = true;
    uv_shutdown(&stream->shutdown, &stream->uv.stream, on_shut_down);
}
