/* One client's connection to the daemon: a request comes in, lines go out, and it is closed.
 *
 * Nobody waits for a guest: one that asks nothing, sends nonsense, does not read its answer or vanishes is closed, within a bounded time.
 * Events come from the loop only; a guest is freed outside of them, when it is not here any more and its call is over. */
#pragma once

#include "daemon/message.h"

#include <stdint.h>
#include <sys/types.h>
#include <uv.h>

struct guest;
struct loop;

struct guest_events {
    /* Once. What the request holds is the guest's. Answer now or later, with guest_answer or guest_refuse. */
    void (*on_request)(void *user, struct guest *guest, const struct request *request);
    void (*on_cancel)(void *user,
                      struct guest *guest); /* does not want to wait any longer, or has vanished; before the answer only */
    void (*on_alive)(void *user, struct guest *guest); /* once a second between request and answer: a time for guest_say */
};

/* Takes the connection that waits at the server. NULL: it went away, or comes from another user. */
struct guest *guest_accept(struct loop *loop, uv_stream_t *server, const struct guest_events *events, void *user);
void guest_free(struct guest *guest);

/* What they say to one that has vanished is dropped. */
void guest_say(struct guest *guest, const char *doing);
void guest_answer(struct guest *guest, const struct answer *answer);
void guest_refuse(struct guest *guest, const char *words); /* plain text, one line */

bool guest_is_here(const struct guest *guest);
pid_t guest_pid(const struct guest *guest);
const char *guest_who(const struct guest *guest); /* "dapple continue"; of a request that was a call */

uint64_t guest_deadline(const struct guest *guest);
void guest_on_time(struct guest *guest, uint64_t now);
