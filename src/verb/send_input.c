/* dap_send_input: types into the program's terminal, and reports what comes of it. */
#include "verb/internal.h"

#define WAIT_DEFAULT 1000

static void on_wait(void *user, enum wait_outcome outcome)
{
    struct call *call = user;
    call->wait = NULL;
    report_wait_outcome(call, outcome);
}

void verb_send_input(struct call *call)
{
    struct session *session = call_session(call);
    AUTO_ERROR struct error error = ERROR_INIT;
    size_t len = 0;
    const char *text = json_text(call->arguments, "text", &len);
    if (session_send_input(session, text, len, &error) < 0) {
        call_refuse_state(call, error.message);
        return;
    }
    call->wait_ms = (uint64_t)json_int_or(call->arguments, "wait_ms", WAIT_DEFAULT);
    if (session_state(session) == SESSION_RUNNING)
        call->wait = session_wait(session, call->wait_ms, on_wait, call);
    else
        report_state(call); /* it reads the input when it goes on */
}
