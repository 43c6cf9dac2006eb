/* dap_threads: all threads of all targets, where each stands. */
#include "verb/internal.h"

static void on_threads(void *user, struct session_threads *threads)
{
    struct call *call = user;
    call_end_turn(call);
    struct threads_view view = {
        .threads = threads,
        .running = session_stop(call_session(call)) == NULL,
        .project = call->world->project,
        .session = call_session_name(call),
    };
    render_threads(&call->result.text, &view);
    structured_threads(call, threads);
    call_succeed(call);
}

static void on_turn(void *user)
{
    struct call *call = user;
    session_read_threads(call_session(call), on_threads, call);
}

void verb_threads(struct call *call)
{
    struct session *session = call_session(call);
    if (session_active(session))
        session_inspect_begin(session, &call->turn, on_turn, call);
    else
        call_refuse_state(call, "threads requires an active Debug Session; dap_launch starts a program");
}
