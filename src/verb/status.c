/* dap_status: the present state and what was printed; changes nothing. */
#include "verb/internal.h"

#define SETTLE_MS 1000

static void on_settled(void *user, enum wait_outcome outcome)
{
    struct call *call = user;
    (void)outcome;
    call->wait = NULL;
    report_state(call);
}

/* A stop whose frames are still being read has no place yet: it is waited for, or a caller that polls would see half a stop. */
void verb_status(struct call *call)
{
    configured_read(call->world);
    configured_warn(call);
    const struct stop *stop = session_stop(call_session(call));
    if (stop != NULL && (!stop->settled || session_reads_again(call_session(call))))
        call->wait = session_wait(call_session(call), SETTLE_MS, on_settled, call);
    else
        report_state(call);
}
