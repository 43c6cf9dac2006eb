/* dap_send_input: types into the program's terminal, and reports what comes of it. */
#include "verb/internal.h"

#include <string.h>

#define WAIT_DEFAULT 1000

static void on_wait(void *user, enum wait_outcome outcome)
{
    struct call *call = user;
    call->wait = NULL;
    report_wait_outcome(call, outcome);
}

/* A shell hands on '\n' as two letters, and so do agents that escape once too often. Heap memory of the caller's. */
static char *with_line_feeds(const char *text, size_t *len)
{
    char *typed = xmalloc(*len + 1);
    size_t out = 0;
    bool has_feeds = memchr(text, '\n', *len) != NULL;
    for (size_t i = 0; i < *len; i++) {
        bool written = !has_feeds && text[i] == '\\' && i + 1 < *len && text[i + 1] == 'n';
        typed[out++] = written ? '\n' : text[i];
        i += written;
    }
    typed[out] = '\0';
    *len = out;
    return typed;
}

void verb_send_input(struct call *call)
{
    struct session *session = call_session(call);
    AUTO_ERROR struct error error = ERROR_INIT;
    size_t len = 0;
    const char *given = json_text(call->arguments, "text", &len);
    AUTO_FREE char *text = with_line_feeds(given, &len);
    if (session_send_input(session, text, len, &error) < 0) {
        call_refuse_state(call, error.message);
        return;
    }
    if (memchr(text, '\n', len) == NULL)
        call_warn(call, "Enter was not typed: a program that reads lines waits for it; end the text with \\n");
    call->wait_ms = (uint64_t)json_int_or(call->arguments, "wait_ms", WAIT_DEFAULT);
    if (session_state(session) == SESSION_RUNNING)
        call->wait = session_wait(session, call->wait_ms, on_wait, call);
    else
        report_state(call); /* it reads the input when it goes on */
}
