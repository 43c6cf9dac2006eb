/* dap_scopes: what a frame's variables are grouped into, without reading them. */
#include "verb/frame_scopes.h"
#include "verb/internal.h"

static void on_scopes(void *user, struct scope *scopes, size_t count, const char *failure)
{
    struct call *call = user;
    if (failure != NULL) {
        AUTO_ERROR struct error error = ERROR_INIT;
        error_set(&error, ERROR_REQUEST, "%s", failure);
        call_give_up(call, &error);
        return;
    }
    call_end_turn(call);
    render_scope_list(&call->result.text, scopes, count);
    structured_scopes(call, scopes, count);
    scopes_free(scopes, count);
    call_succeed(call);
}

static void on_turn(void *user)
{
    struct call *call = user;
    AUTO_ERROR struct error error = ERROR_INIT;
    struct frame_scopes_wish wish = { .scopes_only = true, .request = &call->request };
    if (call_frame(call, &wish.adapter_frame, NULL, &error) < 0)
        call_give_up(call, &error);
    else
        frame_scopes_read(call_session(call), &wish, on_scopes, call);
}

void verb_scopes(struct call *call)
{
    session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
