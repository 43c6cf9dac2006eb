#include "io/port.h"

#include <errno.h>
#include <netinet/in.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <uv.h>

/* Asks for the wildcard of both address families, so that the port is free on every address that an adapter may listen on. */
uint16_t port_find_free(void)
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

/* With SO_REUSEADDR, only a listener is in the way; what is left of old connections is not. */
static bool has_listener(const struct sockaddr *address, socklen_t len)
{
    int fd = socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;
    if (fd < 0)
        return false;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    bool taken = bind(fd, address, len) != 0 && errno == EADDRINUSE;
    close(fd);
    return taken;
}

static bool is_taken_on(const char *address, uint16_t port)
{
    struct sockaddr_in four;
    struct sockaddr_in6 six;
    if (uv_ip4_addr(address, port, &four) == 0)
        return has_listener((struct sockaddr *)&four, sizeof(four));
    return uv_ip6_addr(address, port, &six) == 0 && has_listener((struct sockaddr *)&six, sizeof(six));
}

bool port_is_taken(const char *host, uint16_t port)
{
    if (!host || strcmp(host, "localhost") == 0)
        return is_taken_on("127.0.0.1", port) || is_taken_on("::1", port);
    return is_taken_on(host, port);
}
