#include "io/wire.h"

#include "base/memory.h"
#include "io/dial.h"
#include "io/loop.h"
#include "io/stream.h"

#include <stdlib.h>

struct wire {
    const struct wire_events *events;
    void *user;
    struct loop *loop;
    struct dial *dial;
    struct stream *in, *out; /* written, read; the same one for a socket */
    uv_timer_t timer;        /* to report a failure from the loop, or to end a wire whose peer takes no input */
    char *failure;           /* for the timer to report */
    char *write_fault;
    bool opened, over, freed;
};

static void on_timer_closed(uv_handle_t *handle)
{
    struct wire *wire = handle->data;
    free(wire->failure);
    free(wire->write_fault);
    free(wire);
}

static void drop_streams(struct wire *wire)
{
    if (wire->in != wire->out)
        stream_free(wire->in);
    stream_free(wire->out);
    wire->in = wire->out = NULL;
}

static void stop_dialling(struct wire *wire)
{
    dial_free(wire->dial);
    wire->dial = NULL;
}

struct wire *wire_new(struct loop *loop, const struct wire_events *events, void *user)
{
    struct wire *wire = xcalloc(1, sizeof(*wire));
    wire->loop = loop;
    wire->events = events;
    wire->user = user;
    uv_timer_init(&loop->uv, &wire->timer);
    wire->timer.data = wire;
    return wire;
}

void wire_free(struct wire *wire)
{
    if (!wire || wire->freed)
        return;
    wire->freed = true;
    drop_streams(wire);
    stop_dialling(wire);
    uv_close((uv_handle_t *)&wire->timer, on_timer_closed);
}

/* ---- the end ---- */

static void end(struct wire *wire, const char *why)
{
    if (wire->over)
        return;
    wire->over = true;
    uv_timer_stop(&wire->timer);
    wire->events->on_end(wire->user, why);
    if (wire->freed)
        return;
    if (wire->in == wire->out)
        wire->in = NULL; /* of two pipes the other one may still be closed by wire_close */
    stream_free(wire->out);
    wire->out = NULL;
}

static void fail(struct wire *wire, const char *why)
{
    wire->over = true;
    uv_timer_stop(&wire->timer);
    wire->events->on_failed(wire->user, why);
    if (!wire->freed)
        stop_dialling(wire);
}

static void on_timer(uv_timer_t *timer)
{
    struct wire *wire = timer->data;
    if (wire->opened)
        end(wire, wire->write_fault);
    else
        fail(wire, wire->failure);
}

void wire_fail(struct wire *wire, const char *why)
{
    wire->failure = xstrdup(why);
    uv_timer_start(&wire->timer, on_timer, 0, 0);
}

void wire_hang_up(struct wire *wire, const char *why)
{
    if (wire->over)
        return;
    if (wire->opened)
        end(wire, wire->write_fault ? wire->write_fault : why);
    else
        fail(wire, wire->failure ? wire->failure : why);
}

/* ---- the streams ---- */

static void on_bytes(void *user, const char *bytes, size_t len)
{
    struct wire *wire = user;
    if (!wire->over)
        wire->events->on_bytes(wire->user, bytes, len);
}

static void on_end(void *user, const char *why)
{
    end(user, why);
}

static void on_write_failed(void *user, const char *why)
{
    struct wire *wire = user;
    if (wire->over || wire->write_fault)
        return;
    wire->write_fault = xasprintf("the adapter takes no more input: %s", why);
    uv_timer_start(&wire->timer, on_timer, WIRE_LINGER_MS, 0);
}

static const struct stream_events stream_events = { on_bytes, on_end, on_write_failed };

void wire_adopt(struct wire *wire, struct stream *in, struct stream *out)
{
    wire->in = in;
    wire->out = out;
    wire->opened = true;
    stream_listen(in, &stream_events, wire);
    stream_listen(out, &stream_events, wire);
    wire->events->on_open(wire->user);
    if (!wire->freed && !wire->over)
        stream_read(out);
}

static void on_dialled(void *user, struct stream *stream, const char *why)
{
    struct wire *wire = user;
    if (!stream) {
        fail(wire, why);
        return;
    }
    stop_dialling(wire);
    wire_adopt(wire, stream, stream);
}

void wire_dial(struct wire *wire, const struct dial_place *place, bool patient)
{
    wire->dial = dial_start(wire->loop, place, patient, on_dialled, wire);
}

/* ---- use ---- */

int wire_socket(const struct wire *wire)
{
    return wire_is_open(wire) && wire->in && wire->in == wire->out ? stream_socket(wire->in) : -1;
}

bool wire_is_open(const struct wire *wire)
{
    return wire->opened && !wire->over;
}

bool wire_is_over(const struct wire *wire)
{
    return wire->over;
}

void wire_send(struct wire *wire, const char *bytes, size_t len)
{
    if (wire->in)
        stream_write(wire->in, bytes, len);
}

void wire_close(struct wire *wire)
{
    if (wire->in)
        stream_end_writing(wire->in);
}
