/* The one loop. Wakes whoever asked for time, before the loop goes to sleep.
 *
 * loop_init also makes the process ignore SIGPIPE: a peer that went away is an error of its stream, never the end of Dapple. */
#pragma once

#include <stdint.h>
#include <uv.h>

/* Something with deadlines: before each sleep its deadline is asked, and on_time is called when it has come. loop_tick calls
 * on_time earlier too, so look at `now`. on_time must not remove a timed thing. */
struct loop_timed {
    uint64_t (*deadline)(void *user); /* milliseconds of uv_now; UINT64_MAX none */
    void (*on_time)(void *user, uint64_t now);
    void *user;
    struct loop_timed *next; /* private */
};

struct loop {
    uv_loop_t uv;
    uv_prepare_t prepare;
    uv_timer_t timer;
    struct loop_timed *timed;
};

int loop_init(struct loop *loop);
void loop_add_timed(struct loop *loop, struct loop_timed *timed); /* stays until loop_remove_timed or loop_done */
void loop_remove_timed(struct loop *loop, struct loop_timed *timed);
void loop_tick(struct loop *loop); /* tells everybody the time now: for callbacks that are about to call into a session */
void loop_run(struct loop *loop);  /* until loop_stop */
void loop_stop(struct loop *loop);
uint64_t loop_now(struct loop *loop); /* ms, fresh */
/* Closes everything that is still open and runs the close callbacks. */
void loop_done(struct loop *loop);
