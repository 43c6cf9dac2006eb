/* dap_status: the present state and what was printed; changes nothing. */
#include "verb/internal.h"

void verb_status(struct call *call)
{
    report_state(call);
}
