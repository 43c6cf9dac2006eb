#include "daemon/guest.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "io/loop.h"
#include "io/stream.h"
#include "json/json.h"

#include <ctype.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ASK_MS 10000   /* for the request to be complete */
#define LEAVE_MS 10000 /* for the answer to be read */

enum guest_state { GUEST_ASKING, GUEST_WAITING, GUEST_LEAVING, GUEST_GONE };

struct guest {
    struct loop *loop;
    const struct guest_events *events;
    void *user;
    struct stream *stream; /* NULL: it has gone */
    pid_t pid;
    enum guest_state state;
    uint64_t deadline; /* of the state; while it waits, when it is to hear of us again */
    struct buffer line;
    struct json json; /* what the request points into */
    struct request request;
};

/* ---- the end ---- */

static void leave(struct guest *guest)
{
    guest->state = GUEST_LEAVING;
    guest->deadline = loop_now(guest->loop) + LEAVE_MS;
    stream_end_writing(guest->stream);
}

static void close_guest(struct guest *guest)
{
    if (guest->state == GUEST_GONE)
        return;
    bool waited = guest->state == GUEST_WAITING;
    guest->state = GUEST_GONE;
    stream_free(guest->stream);
    guest->stream = NULL;
    if (waited)
        guest->events->on_cancel(guest->user, guest);
}

/* ---- what comes in ---- */

/* A browser that was led here must not even see that somebody listens. */
static bool is_http(const char *line)
{
    return isupper((unsigned char)*line) != 0;
}

static void take_request(struct guest *guest, char *text, size_t len)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    bool read = json_parse(text, len, &guest->json, &error) == 0;
    if (!read || request_read(&guest->request, &guest->json, &error) < 0) {
        guest_refuse(guest, error.message);
        return;
    }
    guest->state = GUEST_WAITING;
    guest->deadline = loop_now(guest->loop) + DAEMON_ALIVE_MS;
    if (guest->request.kind == REQUEST_CANCEL)
        guest_refuse(guest, "there is no call to cancel");
    else
        guest->events->on_request(guest->user, guest, &guest->request);
}

static void take_cancel(struct guest *guest, char *text, size_t len)
{
    AUTO_JSON struct json json = { 0 };
    struct request request = { 0 };
    if (json_parse(text, len, &json, NULL) == 0 && request_read(&request, &json, NULL) == 0 && request.kind == REQUEST_CANCEL)
        guest->events->on_cancel(guest->user, guest);
    request_done(&request);
}

static void take_line(struct guest *guest)
{
    size_t len = (size_t)((char *)memchr(guest->line.data, '\n', guest->line.len) - guest->line.data);
    AUTO_BUFFER struct buffer one;
    buffer_init(&one, LIMIT_CLI_LINE);
    buffer_append(&one, guest->line.data, len);
    buffer_consume(&guest->line, len + 1);
    char *text = buffer_take(&one, &len);
    if (guest->state == GUEST_ASKING)
        take_request(guest, text, len);
    else
        take_cancel(guest, text, len);
}

static void on_bytes(void *user, const char *bytes, size_t len)
{
    struct guest *guest = user;
    if (guest->state == GUEST_LEAVING)
        return;
    bool fits = buffer_append(&guest->line, bytes, len) == 0;
    if (guest->state == GUEST_ASKING && guest->line.data[0] != '{') {
        if (is_http(guest->line.data))
            close_guest(guest);
        else
            guest_refuse(guest, "this is the socket of the Dapple daemon: one JSON object per line");
        return;
    }
    if (!fits) {
        guest_refuse(guest, "the request is too long");
        return;
    }
    while (guest->state <= GUEST_WAITING && memchr(guest->line.data, '\n', guest->line.len) != NULL)
        take_line(guest);
}

static void on_end(void *user, const char *why)
{
    (void)why;
    close_guest(user);
}

static void on_write_failed(void *user, const char *why)
{
    (void)why;
    close_guest(user);
}

static const struct stream_events stream_events = { on_bytes, on_end, on_write_failed };

/* ---- what goes out ---- */

void guest_say(struct guest *guest, const char *doing)
{
    if (guest->state != GUEST_WAITING)
        return;
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LIMIT_CLI_LINE);
    answer_write_doing(&line, doing);
    stream_write(guest->stream, line.data, line.len);
}

void guest_answer(struct guest *guest, const struct answer *answer)
{
    if (guest->state != GUEST_WAITING)
        return;
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LIMIT_CLI_ANSWER);
    answer_write(&line, answer);
    stream_write(guest->stream, line.data, line.len);
    leave(guest);
}

void guest_refuse(struct guest *guest, const char *words)
{
    if (guest->state == GUEST_GONE || guest->state == GUEST_LEAVING)
        return;
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LIMIT_CLI_LINE);
    buffer_add(&line, "dapple: ");
    utf8_one_line(&line, words, strlen(words), LIMIT_MESSAGE_BYTES);
    buffer_addc(&line, '\n');
    log_info("refused process %d: %s", (int)guest->pid, words);
    stream_write(guest->stream, line.data, line.len);
    leave(guest);
}

/* ---- time ---- */

uint64_t guest_deadline(const struct guest *guest)
{
    return guest->state == GUEST_GONE ? UINT64_MAX : guest->deadline;
}

void guest_on_time(struct guest *guest, uint64_t now)
{
    if (guest_deadline(guest) > now)
        return;
    if (guest->state == GUEST_WAITING) {
        guest->deadline = now + DAEMON_ALIVE_MS;
        guest->events->on_alive(guest->user, guest);
        return;
    }
    close_guest(guest);
}

/* ---- arriving ---- */

static bool is_ours(struct stream *stream, pid_t *ret_pid)
{
    uv_os_fd_t fd;
    struct ucred peer = { 0 };
    socklen_t len = sizeof(peer);
    if (uv_fileno((uv_handle_t *)stream_unix(stream), &fd) != 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) != 0)
        return false;
    *ret_pid = peer.pid;
    return peer.uid == geteuid();
}

struct guest *guest_accept(struct loop *loop, uv_stream_t *server, const struct guest_events *events, void *user)
{
    struct stream *stream = stream_of_unix(loop);
    pid_t pid = 0;
    if (uv_accept(server, (uv_stream_t *)stream_unix(stream)) != 0 || !is_ours(stream, &pid)) {
        stream_free(stream);
        return NULL;
    }
    struct guest *guest = xcalloc(1, sizeof(*guest));
    guest->loop = loop;
    guest->events = events;
    guest->user = user;
    guest->stream = stream;
    guest->pid = pid;
    guest->deadline = loop_now(loop) + ASK_MS;
    buffer_init(&guest->line, LIMIT_CLI_LINE);
    stream_listen(stream, &stream_events, guest);
    stream_read(stream);
    return guest;
}

void guest_free(struct guest *guest)
{
    stream_free(guest->stream);
    buffer_done(&guest->line);
    request_done(&guest->request);
    json_free(&guest->json);
    free(guest);
}

bool guest_is_here(const struct guest *guest)
{
    return guest->state != GUEST_GONE;
}

pid_t guest_pid(const struct guest *guest)
{
    return guest->pid;
}

const char *guest_who(const struct guest *guest)
{
    return guest->request.who;
}
