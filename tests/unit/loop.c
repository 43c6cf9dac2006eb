#include "io/loop.h"

#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

struct alarm {
    struct loop *loop;
    struct loop_timed timed;
    uint64_t at; /* the deadline; moved by `step` each time, until `most` times */
    uint64_t step;
    int most, times, early;
    uint64_t last;
    int *
        pending; /* alarms that have not gone off for the last time; the loop stops with the last one; NULL: this one does not count */
};

static uint64_t deadline(void *user)
{
    return ((struct alarm *)user)->at;
}

static void on_time(void *user, uint64_t now)
{
    struct alarm *alarm = user;
    if (now < alarm->at) {
        alarm->early++;
        return;
    }
    alarm->times++;
    alarm->last = now;
    alarm->at = alarm->times < alarm->most ? now + alarm->step : UINT64_MAX;
    if (alarm->pending && alarm->at == UINT64_MAX && --*alarm->pending == 0)
        loop_stop(alarm->loop);
}

static void add(struct loop *loop, struct alarm *alarm, uint64_t delay, uint64_t step, int most, int *pending)
{
    *alarm = (struct alarm){ .loop = loop, .at = loop_now(loop) + delay, .step = step, .most = most, .pending = pending };
    alarm->timed = (struct loop_timed){ .deadline = deadline, .on_time = on_time, .user = alarm };
    loop_add_timed(loop, &alarm->timed);
}

static void wakes_at_each_deadline(void **state)
{
    (void)state;
    struct loop loop;
    struct alarm soon, often, never;
    assert_int_equal(loop_init(&loop), 0);
    uint64_t begin = loop_now(&loop);
    add(&loop, &never, 0, 0, 0, NULL);
    never.at = UINT64_MAX;
    int pending = 2;
    add(&loop, &often, 5, 5, 4, &pending);
    add(&loop, &soon, 40, 0, 1, &pending);
    loop_run(&loop);
    assert_int_equal(often.times, 4);
    assert_int_equal(soon.times, 1);
    assert_true(soon.last - begin >= 40);
    assert_int_equal(never.times + never.early + often.early + soon.early, 0);
    loop_done(&loop);
}

static void takes_a_deadline_in_the_past(void **state)
{
    (void)state;
    struct loop loop;
    struct alarm alarm;
    int pending = 1;
    assert_int_equal(loop_init(&loop), 0);
    add(&loop, &alarm, 0, 0, 1, &pending);
    alarm.at = 0;
    loop_run(&loop);
    assert_int_equal(alarm.times, 1);
    loop_done(&loop);
}

static void on_readable(uv_poll_t *handle, int status, int happened)
{
    (void)status;
    (void)happened;
    loop_stop(handle->data);
}

/* A deadline that is always due (a fault elsewhere) must not keep the loop from its streams. */
static void an_eternal_deadline_does_not_starve_the_streams(void **state)
{
    (void)state;
    struct loop loop;
    struct alarm alarm;
    int pipes[2];
    uv_poll_t readable;
    assert_int_equal(loop_init(&loop), 0);
    assert_int_equal(pipe(pipes), 0);
    add(&loop, &alarm, 0, 0, INT_MAX, NULL);
    uv_poll_init(&loop.uv, &readable, pipes[0]);
    readable.data = &loop;
    uv_poll_start(&readable, UV_READABLE, on_readable);
    assert_int_equal(write(pipes[1], "x", 1), 1);
    loop_run(&loop);
    assert_true(alarm.times > 0);
    loop_done(&loop);
    close(pipes[0]);
    close(pipes[1]);
}

static void removed_is_not_asked_again(void **state)
{
    (void)state;
    struct loop loop;
    struct alarm removed, stops;
    assert_int_equal(loop_init(&loop), 0);
    int pending = 1;
    add(&loop, &stops, 10, 0, 1, &pending);
    add(&loop, &removed, 0, 0, 1, NULL);
    loop_remove_timed(&loop, &removed.timed);
    loop_remove_timed(&loop, &removed.timed); /* not there: nothing */
    loop_run(&loop);
    assert_int_equal(removed.times, 0);
    assert_int_equal(stops.times, 1);
    loop_done(&loop);
}

static void tick_tells_the_time_to_all(void **state)
{
    (void)state;
    struct loop loop;
    struct alarm due, early;
    assert_int_equal(loop_init(&loop), 0);
    add(&loop, &due, 0, 0, 1, NULL);
    add(&loop, &early, 1000000, 0, 1, NULL);
    loop_tick(&loop);
    assert_int_equal(due.times, 1);
    assert_int_equal(early.early, 1);
    loop_done(&loop);
}

static void on_closed(uv_handle_t *handle)
{
    ++*(int *)handle->data;
}

/* The end of Dapple comes by loop_stop. What closes just then waits for its callback, and with it for its memory. */
static void done_closes_what_is_open(void **state)
{
    (void)state;
    struct loop loop;
    uv_timer_t open, closing;
    int closed = 0;
    assert_int_equal(loop_init(&loop), 0);
    uv_timer_init(&loop.uv, &open);
    uv_timer_start(&open, NULL, 1000000, 0);
    uv_timer_init(&loop.uv, &closing);
    closing.data = &closed;
    uv_close((uv_handle_t *)&closing, on_closed);
    loop_stop(&loop);
    loop_done(&loop);
    assert_int_equal(closed, 1);
    assert_true(uv_is_closing((uv_handle_t *)&open));
}

static void a_broken_pipe_is_no_signal(void **state)
{
    (void)state;
    struct loop loop;
    int pipes[2];
    signal(SIGPIPE, SIG_DFL);
    assert_int_equal(loop_init(&loop), 0);
    assert_int_equal(pipe(pipes), 0);
    close(pipes[0]);
    assert_int_equal(write(pipes[1], "x", 1), -1);
    close(pipes[1]);
    loop_done(&loop);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wakes_at_each_deadline),
        cmocka_unit_test(takes_a_deadline_in_the_past),
        cmocka_unit_test(an_eternal_deadline_does_not_starve_the_streams),
        cmocka_unit_test(removed_is_not_asked_again),
        cmocka_unit_test(tick_tells_the_time_to_all),
        cmocka_unit_test(done_closes_what_is_open),
        cmocka_unit_test(a_broken_pipe_is_no_signal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
