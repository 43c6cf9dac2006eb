/* Several steps in one call: what the steps do with `count`. */
#pragma once

#include "base/error.h"
#include "session/session.h"

#include <stdbool.h>
#include <stdint.h>

struct call;

struct step_series {
    int64_t wanted, done;
    int64_t thread;     /* that is stepped */
    uint64_t begun;     /* when, by session_time */
    bool counted;       /* the call asked for a number */
    bool made_room;     /* it ended early for another call that waits for the program to stand still */
    struct error error; /* why a later step was refused; kind ERROR_NONE: it was not */
};

void step_series_begin(struct call *call, const struct resume *resume, struct step_series *ret);
void step_series_done(struct step_series *series);

/* A step's wait is over. True: the program stands where the step led, and the next one is to be sent. */
bool step_series_goes_on(struct call *call, struct step_series *series, enum wait_outcome outcome);
uint64_t step_series_left_ms(struct call *call, const struct step_series *series); /* of the call's time */

/* For the result: how many were done, and why not all. */
void step_series_say(struct call *call, const struct step_series *series, enum wait_outcome outcome);
