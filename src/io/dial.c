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
#define LONGEST_PAUSE_MS 50
#define MOST_ADDRESSES 4

struct dial {
    struct loop *loop;
    struct sockaddr_storage addresses[MOST_ADDRESSES];
    size_t count, next;
    uint16_t port;
    uint64_t pause;
    dial_fn done;
    void *user;
    uv_timer_t timer;
    uv_connect_t connect;
    uv_getaddrinfo_t resolve;
    struct stream *attempt; /* being connected */
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
    if (dial->freed && dial->timer_closed && !dial->connecting && !dial->resolving)
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
    if (!dial)
        return;
    dial->freed = true;
    stream_free(dial->attempt); /* ends a connect that is under way with UV_ECANCELED */
    dial->attempt = NULL;
    if (dial->resolving)
        uv_cancel((uv_req_t *)&dial->resolve);
    uv_close((uv_handle_t *)&dial->timer, on_timer_closed);
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
        dial->done(dial->user, NULL, "not a host name");
}

/* All addresses first, then a pause. */
static void try_again(struct dial *dial)
{
    stream_free(dial->attempt);
    dial->attempt = NULL;
    if (dial->next < dial->count) {
        try_next(dial);
        return;
    }
    dial->next = 0;
    uv_timer_start(&dial->timer, on_timer, dial->pause, 0);
    dial->pause = dial->pause * 2 > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : dial->pause * 2;
}

static void on_connect(uv_connect_t *request, int status)
{
    struct dial *dial = request->data;
    dial->connecting = false;
    if (dial->freed) {
        release(dial);
        return;
    }
    uv_os_fd_t fd;
    if (status != 0 || uv_fileno((uv_handle_t *)stream_tcp(dial->attempt), &fd) != 0 || dial_is_self_connected(fd)) {
        try_again(dial);
        return;
    }
    struct stream *stream = dial->attempt;
    dial->attempt = NULL;
    uv_tcp_nodelay(stream_tcp(stream), 1);
    dial->done(dial->user, stream, NULL);
}

static void try_next(struct dial *dial)
{
    const struct sockaddr *address = (const struct sockaddr *)&dial->addresses[dial->next++];
    dial->attempt = stream_of_tcp(dial->loop);
    dial->connect.data = dial;
    dial->connecting = uv_tcp_connect(&dial->connect, stream_tcp(dial->attempt), address, on_connect) == 0;
    if (!dial->connecting)
        try_again(dial);
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
        dial->done(dial->user, NULL, status != 0 ? uv_strerror(status) : "no address");
}

static void resolve(struct dial *dial, const char *host)
{
    const struct addrinfo hints = { .ai_socktype = SOCK_STREAM };
    char service[8];
    snprintf(service, sizeof(service), "%u", (unsigned)dial->port);
    dial->resolve.data = dial;
    dial->resolving = uv_getaddrinfo(&dial->loop->uv, &dial->resolve, on_resolved, host, service, &hints) == 0;
}

struct dial *dial_start(struct loop *loop, const char *host, uint16_t port, dial_fn done, void *user)
{
    struct dial *dial = xcalloc(1, sizeof(*dial));
    dial->loop = loop;
    dial->port = port;
    dial->pause = FIRST_PAUSE_MS;
    dial->done = done;
    dial->user = user;
    uv_timer_init(&loop->uv, &dial->timer);
    dial->timer.data = dial;
    if (strcmp(host, "localhost") == 0) {
        add_numeric(dial, "127.0.0.1");
        add_numeric(dial, "::1");
    } else if (!add_numeric(dial, host)) {
        resolve(dial, host);
    }
    if (!dial->resolving)
        uv_timer_start(&dial->timer, on_timer, 0, 0);
    return dial;
}

/* Asks for the wildcard of both address families, so that the port is free on every address that an adapter may listen on. */
uint16_t dial_free_port(void)
{
    struct sockaddr_in6 address = { .sin6_family = AF_INET6 };
    socklen_t len = sizeof(address);
    int fd = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) { /* no IPv6 here; the port stands at the same place in both kinds of address */
        address.sin6_family = AF_INET;
        len = sizeof(struct sockaddr_in);
        fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    }
    uint16_t port = 0;
    if (fd >= 0 && bind(fd, (struct sockaddr *)&address, len) == 0 && getsockname(fd, (struct sockaddr *)&address, &len) == 0)
        port = ntohs(address.sin6_port);
    if (fd >= 0)
        close(fd);
    return port;
}
