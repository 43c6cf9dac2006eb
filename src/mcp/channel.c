#include "mcp/channel.h"

#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "io/loop.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#define READ_SIZE (64u * 1024)

union any_stream {
    uv_stream_t stream;
    uv_pipe_t pipe;
    uv_tcp_t tcp;
    uv_tty_t tty;
};

/* One direction. What is no stream for the loop (a regular file, a device) is read by its thread pool and written at once. */
struct side {
    int fd;
    bool is_stream;
    union any_stream any;
};

struct channel {
    struct loop *loop;
    const struct channel_events *events;
    void *user;
    struct side in, out;
    uv_fs_t file_read;
    uv_timer_t broken; /* a write failed: said from the loop, since whoever wrote is in the middle of something */
    bool paused;       /* not reading, since the host is not either */
    bool ended;
    char bytes[READ_SIZE];
};

struct unsent {
    uv_write_t request;
    struct channel *channel;
    char bytes[];
};

static void read_on(struct channel *channel);

/* ---- the end, and how much waits ---- */

static void end(struct channel *channel)
{
    if (channel->ended)
        return;
    channel->ended = true;
    if (channel->in.is_stream)
        uv_read_stop(&channel->in.any.stream);
    channel->events->on_end(channel->user);
}

static size_t unread(const struct channel *channel)
{
    return channel->out.is_stream ? uv_stream_get_write_queue_size(&channel->out.any.stream) : 0;
}

bool channel_congested(const struct channel *channel)
{
    return unread(channel) > LIMIT_MCP_UNREAD;
}

bool channel_flushed(const struct channel *channel)
{
    return unread(channel) == 0;
}

/* ---- reading ---- */

static void on_bytes(struct channel *channel, size_t len)
{
    channel->events->on_bytes(channel->user, channel->bytes, len);
    if (channel->ended || channel->paused || !channel_congested(channel))
        return;
    channel->paused = true;
    if (channel->in.is_stream)
        uv_read_stop(&channel->in.any.stream);
}

static void give_memory(uv_handle_t *handle, size_t wanted, uv_buf_t *ret)
{
    struct channel *channel = handle->data;
    (void)wanted;
    *ret = uv_buf_init(channel->bytes, READ_SIZE);
}

static void on_stream_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *buffer)
{
    struct channel *channel = stream->data;
    (void)buffer;
    if (len > 0)
        on_bytes(channel, (size_t)len);
    else if (len < 0)
        end(channel);
}

static void on_file_read(uv_fs_t *request)
{
    struct channel *channel = request->data;
    ssize_t len = request->result;
    uv_fs_req_cleanup(request);
    if (channel->ended)
        return;
    if (len <= 0) {
        end(channel);
        return;
    }
    on_bytes(channel, (size_t)len);
    if (!channel->ended && !channel->paused)
        read_on(channel);
}

static void read_on(struct channel *channel)
{
    channel->paused = false;
    int failure = 0;
    if (channel->in.is_stream) {
        failure = uv_read_start(&channel->in.any.stream, give_memory, on_stream_read);
    } else {
        uv_buf_t buffer = uv_buf_init(channel->bytes, READ_SIZE);
        failure = uv_fs_read(&channel->loop->uv, &channel->file_read, channel->in.fd, &buffer, 1, -1, on_file_read);
    }
    if (failure < 0) {
        log_error("cannot read from the host: %s", uv_strerror(failure));
        end(channel);
    }
}

/* ---- writing ---- */

static void on_broken(uv_timer_t *timer)
{
    end(timer->data);
}

static void write_failed(struct channel *channel)
{
    uv_timer_start(&channel->broken, on_broken, 0, 0);
}

static void on_written(uv_write_t *request, int status)
{
    struct unsent *unsent = request->data;
    struct channel *channel = unsent->channel;
    free(unsent);
    if (status < 0)
        write_failed(channel);
    else if (channel->paused && !channel->ended && unread(channel) < LIMIT_MCP_UNREAD / 2)
        read_on(channel);
}

static void write_stream(struct channel *channel, const char *bytes, size_t len)
{
    uv_buf_t buffer = uv_buf_init((char *)bytes, (unsigned)len);
    int written = uv_try_write(&channel->out.any.stream, &buffer, 1); /* UV_EAGAIN also when others wait before it */
    if (written < 0 && written != UV_EAGAIN) {
        write_failed(channel);
        return;
    }
    size_t rest = len - (written > 0 ? (size_t)written : 0);
    if (rest == 0)
        return;
    struct unsent *unsent = xmalloc(sizeof(*unsent) + rest);
    unsent->channel = channel;
    unsent->request.data = unsent;
    memcpy(unsent->bytes, bytes + (len - rest), rest);
    buffer = uv_buf_init(unsent->bytes, (unsigned)rest);
    if (uv_write(&unsent->request, &channel->out.any.stream, &buffer, 1, on_written) < 0) {
        free(unsent);
        write_failed(channel);
    }
}

static void write_file(struct channel *channel, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t written = write(channel->out.fd, bytes, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0) {
            write_failed(channel);
            return;
        }
        bytes += written;
        len -= (size_t)written;
    }
}

void channel_write(struct channel *channel, const char *bytes, size_t len)
{
    if (channel->out.is_stream)
        write_stream(channel, bytes, len);
    else
        write_file(channel, bytes, len);
}

/* ---- opening ---- */

int channel_fill_descriptors(void)
{
    int fd = 0;
    do {
        fd = open("/dev/null", O_RDWR | O_CLOEXEC);
        if (fd >= 0 && fd <= STDERR_FILENO)
            fcntl(fd, F_SETFD, 0);
    } while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd < 0)
        return -1;
    close(fd);
    return 0;
}

static int take_descriptors(struct channel *channel)
{
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    channel->in.fd = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    channel->out.fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    bool taken = nothing >= 0 && channel->in.fd >= 0 && channel->out.fd >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
                 dup2(STDERR_FILENO, STDOUT_FILENO) >= 0;
    if (nothing >= 0)
        close(nothing);
    return taken ? 0 : -1;
}

static int open_side(struct channel *channel, struct side *side)
{
    uv_loop_t *uv = &channel->loop->uv;
    int failure = 0;
    side->is_stream = true;
    switch (uv_guess_handle(side->fd)) {
    case UV_NAMED_PIPE:
        uv_pipe_init(uv, &side->any.pipe, 0);
        failure = uv_pipe_open(&side->any.pipe, side->fd);
        break;
    case UV_TCP:
        uv_tcp_init(uv, &side->any.tcp);
        failure = uv_tcp_open(&side->any.tcp, side->fd);
        break;
    case UV_TTY:
        failure = uv_tty_init(uv, &side->any.tty, side->fd, 0);
        break;
    default:
        side->is_stream = false;
        break;
    }
    if (side->is_stream)
        side->any.stream.data = channel;
    return failure;
}

struct channel *channel_open(struct loop *loop, const struct channel_events *events, void *user, struct error *ret_error)
{
    struct channel *channel = xcalloc(1, sizeof(*channel));
    channel->loop = loop;
    channel->events = events;
    channel->user = user;
    channel->file_read.data = channel;
    uv_timer_init(&loop->uv, &channel->broken);
    channel->broken.data = channel;
    int failure = take_descriptors(channel) < 0 ? uv_translate_sys_error(errno) : 0;
    if (failure == 0)
        failure = open_side(channel, &channel->in);
    if (failure == 0)
        failure = open_side(channel, &channel->out);
    if (failure < 0) { /* its handles are the loop's now: the caller gives up, so they are not taken out again */
        error_set(ret_error, ERROR_TRANSPORT, "cannot use stdin and stdout: %s", uv_strerror(failure));
        return NULL;
    }
    return channel;
}

void channel_read(struct channel *channel)
{
    read_on(channel);
}
