/* dap_threads: all threads of all targets, where each stands. */
#include "verb/internal.h"
#include "verb/shown_frame.h"

/* Where a thread waits is the library's business; which line of the program waits there is what is looked for. */
static void find_own_frame(struct call *call, struct session_thread *thread)
{
    thread->own = own_frame(thread->frames, thread->frame_count, call->world->project);
    if (thread->own == 0 || thread->frames[0].handle == 0)
        return;
    struct frame *own = &thread->frames[thread->own];
    own->handle = session_frame_handle(call_session(call), own->adapter_id);
    session_keep_frame(call_session(call), own);
}

static void on_threads(void *user, struct session_threads *threads)
{
    struct call *call = user;
    call_end_turn(call);
    for (size_t i = 0; i < threads->count; i++)
        find_own_frame(call, &threads->list[i]);
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
