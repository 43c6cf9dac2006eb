/* What the program printed: the newest LIMIT_OUTPUT bytes with the stream that each run of them came from. What was drained stays, to be read
 * again, until newer output needs the room. */
#include "session/internal.h"

#include "base/utf8.h"

#include <string.h>

/* More runs than this are not kept apart: a program that switches streams at every byte stays cheap. */
#define MOST_PARTS 16384

static struct output_part *part_at(struct session *session, size_t index)
{
    return &session->parts[session->part_start + index];
}

static void drop_front(struct session *session, size_t bytes)
{
    while (bytes > 0 && session->part_count > 0) {
        struct output_part *first = part_at(session, 0);
        if (first->len > bytes) {
            first->len -= bytes;
            return;
        }
        bytes -= first->len;
        session->part_start++;
        session->part_count--;
    }
}

static void make_room(struct session *session)
{
    if (session->part_start + session->part_count < session->part_cap)
        return;
    if (session->part_start > 0) {
        memmove(session->parts, session->parts + session->part_start, session->part_count * sizeof(*session->parts));
        session->part_start = 0;
    }
    session->parts = xgrow(session->parts, &session->part_cap, session->part_count + 1, sizeof(*session->parts));
}

void output_append(struct session *session, enum output_stream stream, const char *bytes, size_t len)
{
    if (len == 0)
        return;
    if (session->part_count > 0 && part_at(session, session->part_count - 1)->stream == stream) {
        part_at(session, session->part_count - 1)->len += len;
    } else if (session->part_count == MOST_PARTS) {
        /* The two oldest runs are read as one. */
        part_at(session, 1)->len += part_at(session, 0)->len;
        session->part_start++;
        session->part_count--;
        make_room(session);
        *part_at(session, session->part_count++) = (struct output_part){ stream, len };
    } else {
        make_room(session);
        *part_at(session, session->part_count++) = (struct output_part){ stream, len };
    }
    session->output_total += len;
    panic_on_output(session);
    uint64_t lost = session->output.discarded;
    ring_append(&session->output, bytes, len);
    drop_front(session, (size_t)(session->output.discarded - lost));
    session->unread += len;
    if (session->unread > session->output.len) {
        session->unread_lost += session->unread - session->output.len;
        session->unread = session->output.len;
    }
}

void output_clear(struct session *session)
{
    ring_clear(&session->output);
    session->part_start = session->part_count = 0;
    session->unread = 0;
    session->unread_lost = 0;
    session->output_at_resume = session->output_total;
    session->output_depth = session->printed_values = 0;
    session->output_within_line = false;
}

size_t session_output_waiting(const struct session *session)
{
    return session->unread;
}

/* The oldest side may have been cut inside a character: its rest is lost too. */
static size_t broken_front(const char *bytes, size_t len)
{
    size_t skip = 0;
    while (skip < len && skip < 3 && ((unsigned char)bytes[skip] & 0xC0) == 0x80)
        skip++;
    return skip;
}

/* The parts of the newest bytes. */
static void copy_parts(struct session *session, struct output *output)
{
    size_t first = session->part_count;
    size_t len = 0;
    while (first > 0 && len < output->len)
        len += part_at(session, --first)->len;
    output->part_count = session->part_count - first;
    output->parts = xcalloc(output->part_count + 1, sizeof(*output->parts));
    for (size_t i = 0; i < output->part_count; i++)
        output->parts[i] = *part_at(session, first + i);
    if (output->part_count > 0)
        output->parts[0].len -= len - output->len;
}

static void copy_newest(struct session *session, size_t most, uint64_t discarded, struct output *ret)
{
    *ret = (struct output){ .discarded = discarded, .has_debuggers = session_quirk(session, QUIRK_IN_TRACEBACKS) };
    ret->bytes = ring_tail(&session->output, most, &ret->len);
    size_t skip = ret->discarded > 0 ? broken_front(ret->bytes, ret->len) : 0;
    if (skip > 0) {
        memmove(ret->bytes, ret->bytes + skip, ret->len - skip + 1);
        ret->len -= skip;
        ret->discarded += skip;
    }
    copy_parts(session, ret);
}

void session_drain_output(struct session *session, struct output *ret)
{
    copy_newest(session, session->unread, session->unread_lost, ret);
    session->unread = 0;
    session->unread_lost = 0;
}

void session_recent_output(struct session *session, struct output *ret)
{
    copy_newest(session, session->output.len, session->output.discarded, ret);
}

void output_done(struct output *output)
{
    free(output->bytes);
    free(output->parts);
    *output = (struct output){ 0 };
}
