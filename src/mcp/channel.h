/* The host's line to us: what was stdin and stdout when we started.
 *
 * Opening it moves both to private close-on-exec descriptors. Descriptor 0 then reads nothing and descriptor 1 is stderr, so that
 * neither a library nor a child can take bytes from the protocol or put bytes into it. Pipes, sockets, terminals and files will do.
 * Writing never blocks (except to a file); while the host does not read what we wrote, nothing more is read from it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct channel;
struct error;
struct loop;

struct channel_events {
    void (*on_bytes)(void *user, const char *bytes, size_t len);
    /* The host has closed stdin, or does not take what we write: nothing more will be read. Called once. */
    void (*on_end)(void *user);
};

/* A program started with a standard descriptor closed would get its first file there: opens /dev/null on those. Before anything else. */
int channel_fill_descriptors(void);

struct channel *channel_open(struct loop *loop, const struct channel_events *events, void *user, struct error *ret_error);
/* From here on the events come, from the loop only. */
void channel_read(struct channel *channel);
void channel_write(struct channel *channel, const char *bytes, size_t len); /* copies what cannot be written at once */
bool channel_congested(const struct channel *channel); /* more than LIMIT_MCP_UNREAD wait to be read by the host */
bool channel_flushed(const struct channel *channel);   /* nothing waits to be written, or nobody is there to read it */
