/* Running to a place: what dap_continue does with `until`. */
#pragma once

#include "session/session.h"

struct call;
struct until;

/* Takes the call over: sets the temporary breakpoint, then goes on with `resume`. */
void until_begin(struct call *call, const struct resume *resume);
/* Each takes the breakpoint away and ends the call: the wait is over, or the program could not go on. */
void until_end(struct call *call, struct until *until, enum wait_outcome outcome);
void until_fail(struct call *call, struct until *until, const struct error *error);
void until_free(struct until *until);
