/* The result of everything that runs the program: where it stands, why, and what is around it. */
#include "base/utf8.h"
#include "verb/attached.h"
#include "verb/internal.h"
#include "verb/test_run.h"

#include <string.h>

#define REJECTED_SHOWN 5

enum render_context call_context(const struct call *call)
{
    const char *asked = json_string(call->arguments, "context");
    const char *context = asked != NULL ? asked : configured_context(call->world);
    if (strcmp(context, "brief") == 0)
        return CONTEXT_BRIEF;
    return strcmp(context, "full") == 0 ? CONTEXT_FULL : CONTEXT_NONE;
}

static bool reports_desired(const struct call *call)
{
    static const char *const names[] = { "launch", "attach", "restart", "status" };
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(call->verb->name, names[i]) == 0)
            return true;
    }
    return false;
}

static bool reads_packet(const struct call *call)
{
    return call->reports_stop || call->verb->runs_program || strcmp(call->verb->name, "pause") == 0 ||
           strcmp(call->verb->name, "send_input") == 0;
}

static void add_head(struct call *call)
{
    struct session *session = call_session(call);
    struct head_view head = {
        .state = session_state(session),
        .stop = session_stop(session),
        .of = session,
        .termination_reason = session_termination_reason(session),
        .note = call->note,
        .waited_ms = call->wait_ms,
        .project = call->world->project,
        .session = call_session_name(call),
    };
    head.pausing = strcmp(call->verb->name, "pause") == 0;
    head.tells_running = session_quirk(session, QUIRK_STACKS_WHILE_RUNNING) && call_offers(call, "dap_threads");
    head.single_thread = session_single_thread(session, &head.running_thread);
    const struct packet *packet = reads_packet(call) ? named_packet(call->named) : NULL;
    head.exception = packet != NULL && packet->has_exception ? &packet->exception : NULL;
    head.has_exit_code = session_exit_code(session, &head.exit_code);
    render_head(&call->result.text, &head);
    if (call->head_note != NULL) {
        utf8_one_line(&call->result.text, call->head_note, strlen(call->head_note), LIMIT_MESSAGE_BYTES);
        (void)buffer_addc(&call->result.text, '\n');
    }
}

/* The same function on another thread, or deeper in a recursion, has variables of its own: nothing of them "was" something else. */
static bool is_comparable(const struct named *named, const struct stop *stop)
{
    bool same_depth = stop->total_frames < 0 || named->remembered_depth < 0 || stop->total_frames == named->remembered_depth;
    return same_depth && stop->thread_id == named->remembered_thread;
}

static const char *what_ends(const struct session *session, const struct stop *stop)
{
    if (session_quirk(session, QUIRK_ENDS_THREADS) && stop->has_thread && stop->adapter_thread_id != 1)
        return "this thread, not the program";
    if (stop->child != NULL && !session_quirk(session, QUIRK_PROGRAM_IS_CHILD))
        return "this child, not the program";
    return NULL;
}

static void add_packet(struct call *call)
{
    struct session *session = call_session(call);
    const struct stop *stop = session_stop(session);
    const struct packet *packet = named_packet(call->named);
    if (stop == NULL || packet == NULL || !reads_packet(call))
        return;
    struct packet_view view = {
        .stop = stop,
        .frame_index = packet->frame_index,
        .scopes = packet->scopes,
        .scope_count = packet->scope_count,
        .exception = packet->has_exception ? &packet->exception : NULL,
        .excerpt = &packet->excerpt,
        .before = is_comparable(call->named, stop) ? &call->named->before : NULL,
        .context = call_context(call),
        .project = call->world->project,
        .session = call_session_name(call),
        .ends = what_ends(session, stop),
        .keeps_exception = session_quirk(session, QUIRK_KEEPS_EXCEPTION),
        .input =
            call_offers(call, "dap_send_input") ? "dap_launch terminal=true gives it a terminal, dap_send_input types there" : NULL,
        .offers_source = call_offers(call, "dap_source"),
    };
    render_packet(&call->result.text, &view);
}

static void add_rejected_children(struct call *call)
{
    struct rejected_child *children = NULL;
    if (!reads_packet(call) && !reports_desired(call))
        return; /* dap_stop has no place for them */
    size_t count = call->cancelled ? 0 : session_take_rejected_children(call_session(call), &children);
    if (count == 0)
        return;
    for (size_t i = 0; i < count && i < REJECTED_SHOWN; i++)
        call_warn(call, "%s", children[i].message);
    if (count > REJECTED_SHOWN)
        call_warn(call, "%zu more child sessions not debugged", count - REJECTED_SHOWN);
    call_warn(call, "to debug that code, launch it directly as the program");
    structured_rejected_children(call, children, count);
    rejected_children_free(children, count);
}

/* "Changed since the last stop" compares with what was remembered before this stop: it is remembered once it was reported. */
static void remember_locals(struct named *named)
{
    const struct stop *stop = session_stop(named->session);
    const struct packet *packet = named_packet(named);
    if (stop == NULL || packet == NULL || stop->frame_count == 0 || named->remembered_stop == stop->number)
        return;
    named->remembered_stop = stop->number;
    named->remembered_thread = stop->thread_id;
    named->remembered_depth = stop->total_frames;
    locals_memory_take(&named->before, &stop->frames[packet->frame_index], packet->scopes, packet->scope_count);
}

/* Why an adapter went away is on its stderr, if anywhere. */
static void add_last_words(struct call *call)
{
    struct session *session = call_session(call);
    size_t len;
    if (!session_adapter_failed(session))
        return;
    AUTO_FREE char *tail = session_stderr_tail(session, LIMIT_STDERR_TAIL_BYTES, &len);
    render_stderr(&call->result.text, tail, len);
}

static void write_report(struct call *call)
{
    add_head(call);
    if (reads_packet(call))
        test_run_describe(&call->result.text, call);
    if (reports_desired(call) || !session_active(call_session(call)))
        attached_describe(&call->result.text, call->named);
    add_packet(call);
    add_last_words(call);
    if (reports_desired(call))
        render_desired(&call->result.text, call_session(call), call->world->project, false);
    structured_stop(call);
    if (reports_desired(call) || strcmp(call->verb->name, "stop") == 0)
        structured_process(call);
    if (reports_desired(call))
        structured_desired(call);
    structured_note(call);
    add_rejected_children(call);
    if (!call->cancelled)
        remember_locals(call->named);
    call_succeed(call);
}

static void on_settled(void *user, enum wait_outcome outcome)
{
    struct call *call = user;
    call->wait = NULL;
    if (outcome == WAIT_STOPPED || outcome == WAIT_ENDED)
        report_state(call);
    else
        write_report(call);
}

/* The stop whose packet was read may have been left meanwhile, for another one whose frames have not come yet: where that is, is waited for. */
static void report(void *user)
{
    struct call *call = user;
    struct session *session = call_session(call);
    const struct stop *stop = session_stop(session);
    if (stop == NULL || stop->settled || call->cancelled || !reads_packet(call))
        write_report(call);
    else
        call->wait = session_wait(session, session_timeouts(session)->request, on_settled, call);
}

static bool is_exception(const struct stop *stop)
{
    return strcmp(stop->reason, "exception") == 0 || strcmp(stop->reason, "signal") == 0;
}

void report_state(struct call *call)
{
    const struct stop *stop = session_stop(call_session(call));
    bool wanted = call_context(call) != CONTEXT_NONE || (stop != NULL && is_exception(stop));
    if (stop != NULL && wanted && reads_packet(call))
        gather_packet(call->named, report, call);
    else
        report(call);
}

void report_wait_outcome(struct call *call, enum wait_outcome outcome)
{
    if (outcome == WAIT_TIMED_OUT && call->verb->runs_program)
        call->note = WAIT_NOTE_TIMED_OUT;
    else if (outcome == WAIT_CANCELLED)
        call->note = WAIT_NOTE_CANCELLED;
    report_state(call);
}

uint64_t call_wait_ms(const struct call *call)
{
    int64_t asked = (int64_t)session_timeouts(call_session(call))->execution;
    json_int(call->arguments, "timeout_ms", &asked);
    return (uint64_t)asked;
}
