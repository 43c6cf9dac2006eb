#include "io/dial.h"

#include "base/memory.h"
#include "io/loop.h"
#include "io/stream.h"

#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIRST_PAUSE_MS 5
#define LONGEST_PAUSE_MS 10 /* on average half of it is lost at each launch; a refusal costs next to nothing */
#define MOST_ADDRESSES 4

struct dial {
    struct loop *loop;
    char *path; /* NULL: TCP */
    char *host;
    uint16_t port;
    struct sockaddr_storage addresses[MOST_ADDRESSES];
    size_t count, next; /* addresses; a path counts as one */
    bool patient;
    uint64_t pause;
    dial_fn done;
    void *user;
    uv_timer_t timer;
    uv_connect_t connect;
    uv_getaddrinfo_t resolve;
    struct stream *attempt; /* being connected */
    int refusal;            /* of the last attempt */
    bool connecting, resolving, timer_closed, freed;
};

static void try_next(struct dial *dial);

/* ---- addresses ---- */

static bool add_numeric(struct dial *dial, const char *address)
{
    struct sockaddr_storage *slot = &dial->addresses[dial->count];
    bool known = uv_ip4_addr(address, dial->port, (struct sockaddr_in *)slot) == 0 ||
                 uv_ip6_addr(address, dial->port, (struct sockaddr_in6 *)slot) == 0;
    if (known)
        dial->count++;
    return known;
}

static void take_resolved(struct dial *dial, const struct addrinfo *list)
{
    for (const struct addrinfo *info = list; info && dial->count < MOST_ADDRESSES; info = info->ai_next)
        if (info->ai_addrlen <= sizeof(dial->addresses[0]))
            memcpy(&dial->addresses[dial->count++], info->ai_addr, info->ai_addrlen);
}

/* ---- the end ---- */

static void release(struct dial *dial)
{
    if (!dial->freed || !dial->timer_closed || dial->connecting || dial->resolving)
        return;
    free(dial->path);
    free(dial->host);
    free(dial);
}

static void on_timer_closed(uv_handle_t *handle)
{
    struct dial *dial = handle->data;
    dial->timer_closed = true;
    release(dial);
}

void dial_free(struct dial *dial)
{
    if (!dial || dial->freed)
        return;
    dial->freed = true;
    stream_free(dial->attempt); /* ends a connect that is under way with UV_ECANCELED */
    dial->attempt = NULL;
    if (dial->resolving)
        uv_cancel((uv_req_t *)&dial->resolve);
    uv_close((uv_handle_t *)&dial->timer, on_timer_closed);
}

static void report_unknown_host(struct dial *dial, const char *why)
{
    AUTO_FREE char *sentence = xasprintf("cannot find the host %s: %s", dial->host, why);
    dial->done(dial->user, NULL, sentence);
}

static void report_refusal(struct dial *dial)
{
    const char *why = uv_strerror(dial->refusal);
    AUTO_FREE char *sentence = dial->path ? xasprintf("cannot connect to %s: %s", dial->path, why)
                                          : xasprintf("cannot connect to %s, port %u: %s", dial->host, (unsigned)dial->port, why);
    dial->done(dial->user, NULL, sentence);
}

/* ---- trying ---- */

bool dial_is_self_connected(int fd)
{
    struct sockaddr_storage here = { 0 }, there = { 0 };
    socklen_t here_len = sizeof(here), there_len = sizeof(there);
    return getsockname(fd, (struct sockaddr *)&here, &here_len) == 0 &&
           getpeername(fd, (struct sockaddr *)&there, &there_len) == 0 && here_len == there_len &&
           memcmp(&here, &there, here_len) == 0;
}

static void on_timer(uv_timer_t *timer)
{
    struct dial *dial = timer->data;
    if (dial->count > 0)
        try_next(dial);
    else
        report_unknown_host(dial, "not a host name");
}

/* All addresses first, then a pause, or the end of a dial without patience. */
static void try_again(struct dial *dial, int refusal)
{
    dial->refusal = refusal;
    stream_free(dial->attempt);
    dial->attempt = NULL;
    if (dial->next < dial->count) {
        try_next(dial);
        return;
    }
    if (!dial->patient) {
        report_refusal(dial);
        return;
    }
    dial->next = 0;
    uv_timer_start(&dial->timer, on_timer, dial->pause, 0);
    dial->pause = dial->pause * 2 > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : dial->pause * 2;
}

/* What is wrong with a connection that was made; 0: nothing. */
static int check_connection(const struct dial *dial)
{
    uv_os_fd_t fd;
    if (dial->path)
        return 0;
    int failed = uv_fileno((uv_handle_t *)stream_tcp(dial->attempt), &fd);
    return failed ? failed : dial_is_self_connected(fd) ? UV_ECONNREFUSED : 0;
}

static void on_connect(uv_connect_t *request, int status)
{
    struct dial *dial = request->data;
    dial->connecting = false;
    if (dial->freed) {
        release(dial);
        return;
    }
    int refusal = status ? status : check_connection(dial);
    if (refusal) {
        try_again(dial, refusal);
        return;
    }
    struct stream *stream = dial->attempt;
    dial->attempt = NULL;
    if (!dial->path)
        uv_tcp_nodelay(stream_tcp(stream), 1);
    dial->done(dial->user, stream, NULL);
}

static void try_path(struct dial *dial)
{
    dial->attempt = stream_of_unix(dial->loop);
    dial->connecting = true;
    uv_pipe_connect(&dial->connect, stream_unix(dial->attempt), dial->path, on_connect);
}

static void try_address(struct dial *dial, const struct sockaddr_storage *address)
{
    dial->attempt = stream_of_tcp(dial->loop);
    int failed = uv_tcp_connect(&dial->connect, stream_tcp(dial->attempt), (const struct sockaddr *)address, on_connect);
    dial->connecting = failed == 0;
    if (failed)
        try_again(dial, failed);
}

static void try_next(struct dial *dial)
{
    size_t index = dial->next++;
    dial->connect.data = dial;
    if (dial->path)
        try_path(dial);
    else
        try_address(dial, &dial->addresses[index]);
}

static void on_resolved(uv_getaddrinfo_t *request, int status, struct addrinfo *list)
{
    struct dial *dial = request->data;
    dial->resolving = false;
    if (dial->freed) {
        uv_freeaddrinfo(list);
        release(dial);
        return;
    }
    take_resolved(dial, list);
    uv_freeaddrinfo(list);
    if (dial->count > 0)
        try_next(dial);
    else
        report_unknown_host(dial, status != 0 ? uv_strerror(status) : "no address");
}

static void resolve(struct dial *dial)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    char service[8];
    snprintf(service, sizeof(service), "%u", (unsigned)dial->port);
    dial->resolve.data = dial;
    dial->resolving = uv_getaddrinfo(&dial->loop->uv, &dial->resolve, on_resolved, dial->host, service, &hints) == 0;
}

static void find_addresses(struct dial *dial)
{
    if (dial->path) {
        dial->count = 1;
    } else if (strcmp(dial->host, "localhost") == 0) {
        add_numeric(dial, "127.0.0.1");
        add_numeric(dial, "::1");
    } else if (!add_numeric(dial, dial->host)) {
        resolve(dial);
    }
}

struct dial *dial_start(struct loop *loop, const struct dial_place *place, bool patient, dial_fn done, void *user)
{
    struct dial *dial = xcalloc(1, sizeof(*dial));
    dial->loop = loop;
    dial->path = xstrdup(place->path);
    dial->host = xstrdup(place->host);
    dial->port = place->port;
    dial->patient = patient;
    dial->pause = FIRST_PAUSE_MS;
    dial->done = done;
    dial->user = user;
    uv_timer_init(&loop->uv, &dial->timer);
    dial->timer.data = dial;
    find_addresses(dial);
    if (!dial->resolving)
        uv_timer_start(&dial->timer, on_timer, 0, 0);
    return dial;
}
