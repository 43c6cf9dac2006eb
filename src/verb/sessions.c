/* dap_sessions: every name, and what lives under it. */
#include "base/path.h"
#include "verb/attached.h"
#include "verb/internal.h"
#include "verb/render_line.h"

#include <string.h>

#define MOST_CHILDREN_SHOWN 20

static void add_children(struct buffer *out, const struct session *session)
{
    size_t count = session_child_count(session);
    if (count == 0)
        return;
    (void)buffer_addf(out, "    children: %zu: ", count);
    for (size_t i = 0; i < count && i < MOST_CHILDREN_SHOWN; i++) {
        (void)buffer_add(out, i > 0 ? ", " : "");
        line_text(out, session_child_name(session, i), LIMIT_NAME_BYTES);
    }
    (void)buffer_add(out, count > MOST_CHILDREN_SHOWN ? ", …\n" : "\n");
}

/* "    debugpy, app.py" or "    gdb, attached to pid 123 (app)" */
static void add_program(struct buffer *out, const struct named *named, const char *project)
{
    const struct session *session = named->session;
    if (session_adapter_id(session) == NULL)
        return;
    (void)buffer_add(out, "    ");
    line_text(out, session_adapter_id(session), LIMIT_NAME_BYTES);
    AUTO_BUFFER struct buffer attached;
    buffer_init(&attached, LIMIT_TEXT_BYTES);
    attached_describe(&attached, named);
    if (attached.len == 0 && session_program(session) != NULL) {
        AUTO_FREE char *shown = path_shown(session_program(session), project);
        (void)buffer_add(out, ", ");
        line_text(out, shown, LIMIT_PATH_BYTES);
    }
    if (session_pid(session) > 0 && attached.len == 0 && session_active(session))
        (void)buffer_addf(out, ", pid %lld", (long long)session_pid(session));
    if (attached.len > 0)
        (void)buffer_addf(out, ", %s", attached.data);
    else
        (void)buffer_addc(out, '\n');
}

/* Sessions are the user's: another shell may have launched it from elsewhere. */
static bool is_from_elsewhere(const struct call *call, const struct named *named)
{
    return session_state(named->session) != SESSION_IDLE && strcmp(named->world->project, call->world->project) != 0;
}

static void add_folder(struct buffer *out, const struct call *call, const struct named *named)
{
    if (!is_from_elsewhere(call, named))
        return;
    (void)buffer_add(out, "    launched in ");
    line_text(out, named->world->project, LIMIT_PATH_BYTES);
    (void)buffer_addc(out, '\n');
}

static void add_state(struct buffer *out, const struct call *call, const struct session *session)
{
    struct head_view head = {
        .state = session_state(session),
        .stop = session_stop(session),
        .termination_reason = session_termination_reason(session),
        .project = call->world->project,
    };
    head.has_exit_code = session_exit_code(session, &head.exit_code);
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, LIMIT_RENDERED_BYTES);
    render_head(&text, &head);
    (void)buffer_append(out, text.data, strcspn(text.data, "\n"));
    (void)buffer_addc(out, '\n');
}

static void add_structured(struct call *call, yyjson_mut_val *list, const struct named *named)
{
    const struct session *session = named->session;
    const struct stop *stop = session_stop(session);
    yyjson_mut_doc *doc = call->result.structured;
    yyjson_mut_val *row = yyjson_mut_obj(doc);
    json_add_string(doc, row, "name", session_name(session));
    json_add_string(doc, row, "state", session_state_name(session_state(session)));
    json_add_string(doc, row, "adapter_id", session_adapter_id(session));
    json_add_string(doc, row, "program", session_program(session));
    if (is_from_elsewhere(call, named))
        json_add_string(doc, row, "folder", named->world->project);
    json_add_string(doc, row, "attached_to", session_attached_to(session));
    if (session_pid(session) > 0)
        json_add_int(doc, row, "process_id", session_pid(session));
    if (stop != NULL) {
        json_add_string(doc, row, "stop_reason", stop->reason);
        if (stop->frame_count > 0)
            json_add_value(doc, row, "top_frame", structured_frame(doc, &stop->frames[0]));
    }
    json_add_string(doc, row, "termination_reason", session_termination_reason(session));
    yyjson_mut_val *children = yyjson_mut_arr(doc);
    for (size_t i = 0; i < session_child_count(session); i++) {
        const char *name = session_child_name(session, i);
        yyjson_mut_arr_append(children, json_new_string(doc, name, strlen(name)));
    }
    json_add_value(doc, row, "children", children);
    yyjson_mut_arr_append(list, row);
}

void verb_sessions(struct call *call)
{
    struct buffer *text = &call->result.text;
    size_t count = 0;
    for (const struct named *named = call->world->roster->names; named != NULL; named = named->next)
        count++;
    (void)buffer_addf(text, "Sessions: %zu\n", count);
    yyjson_mut_val *list = structured_list(call, "sessions");
    for (const struct named *named = call->world->roster->names; named != NULL; named = named->next) {
        (void)buffer_add(text, "  ");
        line_text(text, session_name(named->session), LIMIT_NAME_BYTES);
        (void)buffer_add(text, ": ");
        add_state(text, call, named->session);
        add_program(text, named, call->world->project);
        add_folder(text, call, named);
        add_children(text, named->session);
        if (list != NULL)
            add_structured(call, list, named);
    }
    call_succeed(call);
}
