#include "io/loop.h"

#include <signal.h>

/* A deadline that stays in the past after on_time must not starve the streams: then the loop polls them before it asks again. */
#define MOST_ROUNDS 8

static uint64_t earliest_deadline(const struct loop *loop)
{
    uint64_t earliest = UINT64_MAX;
    for (const struct loop_timed *timed = loop->timed; timed; timed = timed->next) {
        uint64_t deadline = timed->deadline(timed->user);
        if (deadline < earliest)
            earliest = deadline;
    }
    return earliest;
}

static void run_due(struct loop *loop, uint64_t now)
{
    for (struct loop_timed *timed = loop->timed; timed; timed = timed->next)
        if (timed->deadline(timed->user) <= now)
            timed->on_time(timed->user, now);
}

static void on_wake(uv_timer_t *timer)
{
    (void)timer; /* it only ends the sleep; before_sleep does the work */
}

static void before_sleep(uv_prepare_t *prepare)
{
    struct loop *loop = prepare->data;
    uint64_t now = loop_now(loop);
    uint64_t deadline = earliest_deadline(loop);
    for (int round = 0; deadline <= now && round < MOST_ROUNDS; round++) {
        run_due(loop, now);
        now = loop_now(loop);
        deadline = earliest_deadline(loop);
    }
    if (deadline == UINT64_MAX)
        uv_timer_stop(&loop->timer);
    else
        uv_timer_start(&loop->timer, on_wake, deadline > now ? deadline - now : 0, 0);
}

int loop_init(struct loop *loop)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* where it is inherited as ignored, children vanish without an exit status */
    if (uv_loop_init(&loop->uv) != 0)
        return -1;
    loop->uv.data = loop;
    loop->timed = NULL;
    uv_prepare_init(&loop->uv, &loop->prepare);
    loop->prepare.data = loop;
    uv_timer_init(&loop->uv, &loop->timer);
    uv_prepare_start(&loop->prepare, before_sleep);
    return 0;
}

void loop_add_timed(struct loop *loop, struct loop_timed *timed)
{
    timed->next = loop->timed;
    loop->timed = timed;
}

void loop_remove_timed(struct loop *loop, struct loop_timed *timed)
{
    for (struct loop_timed **slot = &loop->timed; *slot; slot = &(*slot)->next)
        if (*slot == timed) {
            *slot = timed->next;
            return;
        }
}

void loop_tick(struct loop *loop)
{
    uint64_t now = loop_now(loop);
    for (struct loop_timed *timed = loop->timed; timed; timed = timed->next)
        timed->on_time(timed->user, now);
}

void loop_run(struct loop *loop)
{
    uv_run(&loop->uv, UV_RUN_DEFAULT);
}

void loop_stop(struct loop *loop)
{
    uv_stop(&loop->uv);
}

uint64_t loop_now(struct loop *loop)
{
    uv_update_time(&loop->uv);
    return uv_now(&loop->uv);
}

static void close_open_handle(uv_handle_t *handle, void *unused)
{
    (void)unused;
    if (!uv_is_closing(handle))
        uv_close(handle, NULL);
}

void loop_done(struct loop *loop)
{
    loop->timed = NULL;
    uv_walk(&loop->uv, close_open_handle, NULL);
    /* A stop that was asked for before would end the first run before the close callbacks came; it is used up by then. */
    while (uv_run(&loop->uv, UV_RUN_DEFAULT) != 0)
        continue;
    uv_loop_close(&loop->uv);
}
