/* dap_stop: ends the session and every process of it. Safe to repeat. */
#include "verb/internal.h"

static void on_ended(void *user, const struct error *error)
{
    struct call *call = user;
    (void)error;
    report_state(call);
}

void verb_stop(struct call *call)
{
    session_end(call_session(call), "stopped by request", on_ended, call);
}
