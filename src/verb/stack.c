/* dap_stack: a page of the frames of one thread. */
#include "verb/internal.h"

#define FRAMES_DEFAULT 20

struct stack_state {
    int64_t start, count;
};

static void finish(struct call *call, struct frame *frames, size_t count, int64_t total, bool more)
{
    struct stack_state *state = call->state;
    struct stack_view view = {
        .frames = frames,
        .count = count,
        .start = state->start,
        .total = total,
        .more = more,
        .project = call->world->project,
        .session = call_session_name(call),
    };
    render_stack(&call->result.text, &view);
    if (count == 0 && state->start == 0 && json_member(call->arguments, "thread_id") != NULL) /* perl, for any number */
        buffer_add(&call->result.text, "There is no such thread, or it has nothing to show; dap_threads lists the threads.\n");
    structured_frames(call, frames, count);
    yyjson_mut_val *root = structured_root(call);
    if (root != NULL && total >= 0)
        json_add_int(call->result.structured, root, "total_frames", total);
    frames_free(frames, count);
    call_succeed(call);
}

static void on_frames(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct stack_state *state = call->state;
    call->request = 0;
    call_end_turn(call);
    if (answer->outcome != DAP_OK) {
        AUTO_ERROR struct error error = ERROR_INIT;
        AUTO_FREE char *why = session_answer_text(answer);
        bool named = json_member(call->arguments, "thread_id") != NULL;
        error_set(&error, ERROR_REQUEST, "%s%s", why, named ? "; dap_threads lists the threads" : "");
        call_fail(call, &error);
        return;
    }
    yyjson_val *list = json_array(answer->body, "stackFrames");
    size_t told = yyjson_arr_size(list);
    /* More than were asked for: the adapter ignored the page, and these are all frames. */
    bool paged = told <= (size_t)state->count;
    size_t skip = paged ? 0 : (size_t)state->start;
    size_t left = told > skip ? told - skip : 0;
    size_t count = left < (size_t)state->count ? left : (size_t)state->count;
    struct frame *frames = xcalloc(count + 1, sizeof(*frames));
    for (size_t i = 0; i < count; i++) {
        frame_read(yyjson_arr_get(list, skip + i), &frames[i]);
        frames[i].handle = session_frame_handle(call_session(call), frames[i].adapter_id);
        session_keep_frame(call_session(call), &frames[i]);
    }
    int64_t end = state->start + (int64_t)count;
    int64_t total = paged ? json_int_or(answer->body, "totalFrames", -1) : (int64_t)told;
    if (paged && told < (size_t)state->count && count > 0)
        total = end; /* fewer than asked for: the end (totalFrames is only a hint) */
    else if (total < end)
        total = -1;
    finish(call, frames, count, total, total < 0 ? told == (size_t)state->count : total > end);
}

static void on_turn(void *user)
{
    struct call *call = user;
    struct stack_state *state = call->state;
    const struct stop *stop = session_stop(call_session(call));
    int64_t thread = stop != NULL && stop->has_thread ? stop->adapter_thread_id : 0;
    bool known = stop != NULL && stop->has_thread;
    int64_t shown;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (json_int(call->arguments, "thread_id", &shown)) {
        known = session_resolve_thread(call_session(call), shown, &thread, &error) == 0;
    }
    if (!known) {
        call_end_turn(call);
        call_refuse_state(call, error.message != NULL ? error.message : "Debuggee has no thread available for this operation");
        return;
    }
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = session_thread_arguments(thread, &arguments);
    json_add_int(doc, arguments, "startFrame", state->start);
    json_add_int(doc, arguments, "levels", state->count);
    call_request(call, "stackTrace", doc, on_frames);
}

void verb_stack(struct call *call)
{
    struct stack_state *state = xcalloc(1, sizeof(*state));
    call->state = state;
    call->free_state = free;
    state->start = json_int_or(call->arguments, "start", 0);
    state->count = json_int_or(call->arguments, "count", FRAMES_DEFAULT);
    session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
