#include "io/listener.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/loop.h"
#include "io/stream.h"

#include <netinet/in.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct listener {
    struct loop *loop;
    uv_tcp_t tcp;
    uint16_t port;
    listener_fn done;
    void *user;
    bool freed, closed;
};

/* Memory goes when both the owner and the loop have let go. */
static void release(struct listener *listener)
{
    if (listener->freed && listener->closed)
        free(listener);
}

static void on_closed(uv_handle_t *handle)
{
    struct listener *listener = handle->data;
    listener->closed = true;
    release(listener);
}

static void stop_listening(struct listener *listener)
{
    if (!uv_is_closing((uv_handle_t *)&listener->tcp))
        uv_close((uv_handle_t *)&listener->tcp, on_closed);
}

void listener_free(struct listener *listener)
{
    if (!listener || listener->freed)
        return;
    listener->freed = true;
    stop_listening(listener);
    release(listener);
}

static void on_connection(uv_stream_t *handle, int status)
{
    struct listener *listener = handle->data;
    if (status != 0)
        return;
    struct stream *stream = stream_of_tcp(listener->loop);
    if (uv_accept(handle, (uv_stream_t *)stream_tcp(stream)) != 0) {
        stream_free(stream); /* it went away before it was taken */
        return;
    }
    uv_tcp_nodelay(stream_tcp(stream), 1);
    stop_listening(listener);
    listener->done(listener->user, stream);
}

/* An address of any kind; false: not one. */
static bool parse_address(const char *host, struct sockaddr_storage *ret)
{
    if (!host || strcmp(host, "localhost") == 0)
        host = "127.0.0.1";
    return uv_ip4_addr(host, 0, (struct sockaddr_in *)ret) == 0 || uv_ip6_addr(host, 0, (struct sockaddr_in6 *)ret) == 0;
}

static int listen_on_free_port(struct listener *listener, const struct sockaddr_storage *address)
{
    struct sockaddr_storage bound;
    int len = sizeof(bound);
    int failed = uv_tcp_bind(&listener->tcp, (const struct sockaddr *)address, 0);
    if (!failed)
        failed = uv_listen((uv_stream_t *)&listener->tcp, 1, on_connection);
    if (!failed)
        failed = uv_tcp_getsockname(&listener->tcp, (struct sockaddr *)&bound, &len);
    if (!failed) /* the port stands at the same place in both kinds of address */
        listener->port = ntohs(((struct sockaddr_in *)&bound)->sin_port);
    return failed;
}

struct listener *listener_start(struct loop *loop, const char *host, listener_fn done, void *user, struct error *ret_error)
{
    struct sockaddr_storage address;
    if (!parse_address(host, &address)) {
        error_set(ret_error, ERROR_CONFIG, "\"%s\" is no IP address that Dapple could wait on for the adapter's connection", host);
        return NULL;
    }
    struct listener *listener = xcalloc(1, sizeof(*listener));
    listener->loop = loop;
    listener->done = done;
    listener->user = user;
    uv_tcp_init(&loop->uv, &listener->tcp);
    listener->tcp.data = listener;
    int failed = listen_on_free_port(listener, &address);
    if (!failed)
        return listener;
    error_set(ret_error, ERROR_SPAWN, "cannot wait for the adapter's connection on %s: %s", host ? host : "127.0.0.1",
              uv_strerror(failed));
    listener_free(listener);
    return NULL;
}

uint16_t listener_port(const struct listener *listener)
{
    return listener->port;
}
