/* Waits: who is to be told when the program stands still or has ended. */
#include "session/internal.h"

struct session_wait *session_wait(struct session *session, uint64_t timeout_ms, wait_fn done, void *user)
{
    struct session_wait *wait = xcalloc(1, sizeof(*wait));
    wait->number = ++session->wait_count;
    wait->deadline = timeout_ms > UINT64_MAX / 4 ? UINT64_MAX : session->now + timeout_ms;
    wait->done = done;
    wait->user = user;
    struct session_wait **end = &session->waits;
    while (*end != NULL)
        end = &(*end)->next;
    *end = wait;
    return wait;
}

static void wait_finish(struct session_wait *wait, enum wait_outcome outcome)
{
    wait_fn done = wait->done;
    void *user = wait->user;
    free(wait);
    done(user, outcome);
}

static bool wait_take(struct session *session, struct session_wait *wait)
{
    for (struct session_wait **at = &session->waits; *at != NULL; at = &(*at)->next) {
        if (*at == wait) {
            *at = wait->next;
            return true;
        }
    }
    return false;
}

void session_wait_cancel(struct session *session, struct session_wait *wait)
{
    if (wait_take(session, wait))
        wait_finish(wait, WAIT_CANCELLED);
}

void session_wait_forget(struct session *session, struct session_wait *wait)
{
    if (wait_take(session, wait))
        free(wait);
}

/* A callback may have resumed the program or ended the session: then nobody else is told of the stop. */
static bool stop_is_still(const struct session *session, int64_t number)
{
    const struct stop *stop = session_stop(session);
    return stop != NULL && stop->number == number;
}

/* One at a time from the list, since a callback may forget, cancel and register others. */
void waits_finish(struct session *session, enum wait_outcome outcome, uint64_t last)
{
    int64_t stop = session->stop.number;
    while (session->waits != NULL && session->waits->number <= last) {
        if (outcome == WAIT_STOPPED && !stop_is_still(session, stop))
            return;
        struct session_wait *wait = session->waits;
        session->waits = wait->next;
        wait_finish(wait, outcome);
    }
}

static struct session_wait *find_due(const struct session *session, uint64_t last)
{
    struct session_wait *wait = session->waits;
    while (wait != NULL && wait->number <= last && wait->deadline > session->now)
        wait = wait->next;
    return wait != NULL && wait->number <= last ? wait : NULL;
}

void waits_on_time(struct session *session)
{
    uint64_t last = session->wait_count;
    struct session_wait *due;
    while ((due = find_due(session, last)) != NULL) {
        wait_take(session, due);
        wait_finish(due, WAIT_TIMED_OUT);
    }
}

uint64_t waits_deadline(const struct session *session)
{
    uint64_t at = UINT64_MAX;
    for (const struct session_wait *wait = session->waits; wait != NULL; wait = wait->next)
        if (wait->deadline < at)
            at = wait->deadline;
    return at;
}

bool session_is_awaited(const struct session *session)
{
    return session->waits != NULL;
}

uint64_t session_time(const struct session *session)
{
    return session->now;
}
