/* dap_breakpoints: all desired breakpoints of every kind, and what became of each. */
#include "base/utf8.h"
#include "verb/breakpoint_advice.h"
#include "verb/internal.h"

#include <string.h>

static bool is_wanted(const struct call *call, const struct breakpoint_list *list)
{
    const char *kind = json_string(call->arguments, "kind");
    return kind == NULL || strcmp(kind, breakpoint_kind_name(list->kind)) == 0;
}

/* "Breakpoints: 5 (3 bound, 2 pending)" */
static void add_head(struct call *call, size_t total)
{
    static const char *const words[] = { "bound", "pending", "failed", "disabled", "expired", "saved" };
    const struct session *session = call_session(call);
    struct buffer *text = &call->result.text;
    (void)buffer_addf(text, "Breakpoints: %zu", total);
    bool first = true;
    for (size_t w = 0; w < COUNT_OF(words); w++) {
        size_t count = 0;
        for (size_t i = 0; i < session_breakpoint_list_count(session); i++) {
            const struct breakpoint_list *list = session_breakpoint_list(session, i);
            for (size_t k = 0; is_wanted(call, list) && k < list->count; k++)
                count += !list->desired[k].of_launch && strcmp(breakpoint_state_word(session, list, k), words[w]) == 0;
        }
        if (count > 0)
            (void)buffer_addf(text, "%s%zu %s", first ? " (" : ", ", count, words[w]);
        first = first && count == 0;
    }
    (void)buffer_add(text, first ? "\n" : ")\n");
    if (!session_active(session) && total > 0)
        (void)buffer_add(text, "They apply to the next launch (no active Debug Session).\n");
}

static void add_filters(struct call *call)
{
    AUTO_FREE char *filters = session_exception_filters(call_session(call));
    if (!session_active(call_session(call)) || filters == NULL)
        return;
    (void)buffer_add(&call->result.text, "Exception filters of the adapter: ");
    utf8_one_line(&call->result.text, filters, strlen(filters), LIMIT_EVALUATION_BYTES);
    (void)buffer_addc(&call->result.text, '\n');
}

/* A launch asks for its own, and they go with it: nobody added them, and the next launch asks anew. */
static bool is_over(const struct session *session, const struct desired_breakpoint *desired)
{
    return desired->of_launch && !session_active(session);
}

/* "uncaught", with its state and the reason when it is not bound. */
static void add_of_launch(struct buffer *out, const struct session *session, const struct breakpoint_list *list, size_t index)
{
    const char *word = breakpoint_state_word(session, list, index), *name = list->desired[index].name;
    const char *message = list->bound[index].message;
    (void)buffer_add(out, out->len > 0 ? ", " : "");
    utf8_one_line(out, name, strlen(name), LIMIT_NAME_BYTES);
    if (strcmp(word, "bound") == 0)
        return;
    (void)buffer_addf(out, " (%s", word);
    if (message != NULL && *message != '\0' && !list->desired[index].disabled) {
        (void)buffer_add(out, ": ");
        utf8_one_line(out, message, strlen(message), LIMIT_MESSAGE_BYTES);
    }
    (void)buffer_addc(out, ')');
}

static void succeed(struct call *call)
{
    const struct session *session = call_session(call);
    yyjson_mut_val *root = structured_root(call);
    yyjson_mut_val *rows = root == NULL ? NULL : yyjson_mut_arr(call->result.structured);
    AUTO_BUFFER struct buffer lines;
    buffer_init(&lines, LIMIT_RENDERED_BYTES);
    AUTO_BUFFER struct buffer launch;
    buffer_init(&launch, LIMIT_RENDERED_BYTES);
    size_t total = 0;
    for (size_t i = 0; i < session_breakpoint_list_count(session); i++) {
        const struct breakpoint_list *list = session_breakpoint_list(session, i);
        for (size_t k = 0; is_wanted(call, list) && k < list->count; k++) {
            if (is_over(session, &list->desired[k]))
                continue;
            total += list->desired[k].of_launch ? 0 : 1;
            if (list->desired[k].of_launch)
                add_of_launch(&launch, session, list, k);
            else
                render_breakpoint(&lines, session, list, k, call->world->project);
            if (rows != NULL)
                yyjson_mut_arr_append(rows, breakpoint_value(call->result.structured, session, list, k));
        }
    }
    add_head(call, total);
    (void)buffer_append(&call->result.text, lines.data, lines.len);
    if (launch.len > 0)
        (void)buffer_addf(&call->result.text, "Exceptions of the launch: %s\n", launch.data);
    add_filters(call);
    if (rows != NULL)
        json_add_value(call->result.structured, root, "breakpoints", rows);
    call_succeed(call);
}

void verb_breakpoints(struct call *call)
{
    breakpoint_advise(call, NULL, succeed);
}
