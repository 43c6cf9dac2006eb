/* Plays a user, a host and an adapter against one session, all of which do at each step whatever is possible: answer, refuse, stay silent,
 * send any event, die, let time pass, call any operation, also from within callbacks. After every step the promises of session.h are
 * checked; a broken one is printed with the label, and ends the process.
 *
 * What is done comes from `choose`, so that a seeded generator and a fuzzer's bytes drive the same play. */
#pragma once

#include <stdbool.h>

struct choices {
    unsigned (*choose)(void *user, unsigned below); /* 0 … below-1 */
    bool (*over)(void *user);                       /* no further step */
    void *user;
    const char *label; /* names the run when it fails */
    bool trace;        /* print what is done */
};

void simulate_session(const struct choices *choices);
