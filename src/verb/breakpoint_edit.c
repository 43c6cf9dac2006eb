#include "verb/breakpoint_edit.h"

#include "verb/internal.h"

#include <string.h>

#define MOST_NUMBERS 25 /* named when there is no such one */

static struct breakpoint_edit *edit_of(const struct call *call)
{
    return call->state;
}

void breakpoint_edit_done(struct breakpoint_edit *edit)
{
    for (size_t i = 0; i < edit->count; i++)
        free(edit->lists[i].path);
    free(edit->lists);
    free(edit->numbers);
    *edit = (struct breakpoint_edit){ 0 };
}

/* ---- which lists ---- */

void breakpoint_edit_add_list(struct breakpoint_edit *edit, enum breakpoint_kind kind, const char *path)
{
    edit->lists = xrealloc(edit->lists, (edit->count + 1) * sizeof(*edit->lists));
    edit->lists[edit->count++] = (struct edited_list){ kind, xstrdup(path) };
}

static int refuse_number(const struct session *session, int64_t number, struct error *ret_error)
{
    AUTO_BUFFER struct buffer numbers;
    buffer_init(&numbers, LIMIT_TEXT_BYTES);
    size_t count = 0;
    for (size_t i = 0; i < session_breakpoint_list_count(session); i++) {
        const struct breakpoint_list *list = session_breakpoint_list(session, i);
        for (size_t k = 0; k < list->count; k++, count++)
            if (count < MOST_NUMBERS)
                (void)buffer_addf(&numbers, "%s%lld", count > 0 ? ", " : "", (long long)list->desired[k].number);
    }
    if (count > MOST_NUMBERS)
        (void)buffer_addf(&numbers, " and %zu more", count - MOST_NUMBERS);
    return error_set(ret_error, ERROR_ARGUMENT, "/number: there is no breakpoint %lld; there %s %s", (long long)number,
                     count == 1 ? "is" : "are", count == 0 ? "none" : numbers.data);
}

int breakpoint_edit_add_number(struct call *call, int64_t number, struct error *ret_error)
{
    const struct breakpoint_list *list;
    size_t index;
    if (!session_find_breakpoint_number(call_session(call), number, &list, &index))
        return refuse_number(call_session(call), number, ret_error);
    breakpoint_edit_add_list(edit_of(call), list->kind, list->path);
    return 0;
}

void breakpoint_edit_add_all(struct call *call, const char *kind)
{
    const struct session *session = call_session(call);
    for (size_t i = 0; i < session_breakpoint_list_count(session); i++) {
        const struct breakpoint_list *list = session_breakpoint_list(session, i);
        if (kind == NULL || strcmp(breakpoint_kind_name(list->kind), kind) == 0)
            breakpoint_edit_add_list(edit_of(call), list->kind, list->path);
    }
}

void breakpoint_edit_touch(struct breakpoint_edit *edit, int64_t number)
{
    edit->numbers = xrealloc(edit->numbers, (edit->number_count + 1) * sizeof(*edit->numbers));
    edit->numbers[edit->number_count++] = number;
}

/* ---- one list after the other ---- */

static void fail(struct call *call, const struct error *error)
{
    const struct breakpoint_edit *edit = edit_of(call);
    AUTO_ERROR struct error failure = ERROR_INIT;
    if (edit->at == 0)
        error_set(&failure, error->kind, "%s", error->message);
    else
        error_set(&failure, error->kind, "%s (%zu of %zu lists were changed before that: dap_status lists what there is)",
                  error->message, edit->at, edit->count);
    call_fail(call, &failure);
}

static void next_list(struct call *call);

static void on_set(void *user, const struct error *error)
{
    struct call *call = user;
    struct breakpoint_edit *edit = edit_of(call);
    if (error != NULL) {
        fail(call, error);
        return;
    }
    edit->at++;
    edit->accepted_count = edit->number_count;
    next_list(call);
}

static int send(struct call *call, const struct breakpoint_list *wanted, struct error *ret_error)
{
    struct session *session = call_session(call);
    if (edit_of(call)->complete)
        return session_set_exception_breakpoints(session, wanted->desired, wanted->count, on_set, call, ret_error);
    return session_set_breakpoint_list(session, wanted, on_set, call, ret_error);
}

static void next_list(struct call *call)
{
    struct breakpoint_edit *edit = edit_of(call);
    if (edit->at == edit->count) {
        edit->done(call);
        return;
    }
    const struct edited_list *at = &edit->lists[edit->at];
    struct breakpoint_list wanted = { .kind = at->kind, .path = at->path };
    wanted.desired = edit->rewrite(call, session_find_breakpoint_list(call_session(call), at->kind, at->path), &wanted.count);
    AUTO_ERROR struct error error = ERROR_INIT;
    bool refused = send(call, &wanted, &error) < 0; /* otherwise the call may be over by now */
    desired_breakpoints_free(wanted.desired, wanted.count);
    if (refused)
        fail(call, &error);
}

static void begin(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    if (edit_of(call)->choose(call, &error) < 0)
        call_fail(call, &error);
    else
        next_list(call);
}

void breakpoint_edit_run(struct call *call)
{
    call_edit(call, begin);
}

/* ---- what became of them ---- */

void breakpoint_edit_report(struct call *call)
{
    const struct session *session = call_session(call);
    const struct breakpoint_edit *edit = edit_of(call);
    yyjson_mut_val *rows = structured_list(call, "breakpoints");
    for (size_t i = 0; i < edit->accepted_count; i++) {
        const struct breakpoint_list *list;
        size_t index;
        if (!session_find_breakpoint_number(session, edit->numbers[i], &list, &index))
            continue;
        render_breakpoint(&call->result.text, session, list, index, call->world->project);
        if (rows != NULL)
            yyjson_mut_arr_append(rows, breakpoint_value(call->result.structured, session, list, index));
    }
}

void breakpoint_say_saved(struct call *call)
{
    if (!session_active(call_session(call)))
        (void)buffer_add(&call->result.text, "Applies to the next launch (no active Debug Session).\n");
}
