/* dap_set_exception_breakpoints: the complete list; what dap_launch would ask for is no part of it. */
#include "verb/breakpoint_edit.h"
#include "verb/breakpoint_reading.h"
#include "verb/internal.h"

static void free_edit(void *user)
{
    breakpoint_edit_done(user);
    free(user);
}

static int choose(struct call *call, struct error *ret_error)
{
    (void)ret_error;
    breakpoint_edit_add_list(call->state, BREAKPOINT_EXCEPTION, NULL);
    return 0;
}

static struct desired_breakpoint *rewrite(struct call *call, const struct breakpoint_list *former, size_t *ret_count)
{
    (void)former;
    yyjson_val *filters = json_array(call->arguments, "filters");
    struct desired_breakpoint *list = xcalloc(yyjson_arr_size(filters) + 1, sizeof(*list));
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(filters, index, most, item) {
        const char *filter = json_string(item, "filter");
        list[index].kind = BREAKPOINT_EXCEPTION;
        list[index].name = xstrdup(filter != NULL ? filter : json_string(item, "exception"));
        list[index].break_mode = xstrdup(json_string(item, "break_mode"));
        breakpoint_read_options(item, &list[index]);
    }
    *ret_count = yyjson_arr_size(filters);
    return list;
}

static void on_set(struct call *call)
{
    struct breakpoint_edit *edit = call->state;
    const struct breakpoint_list *list = session_find_breakpoint_list(call_session(call), BREAKPOINT_EXCEPTION, NULL);
    for (size_t i = 0; list != NULL && i < list->count; i++)
        breakpoint_edit_touch(edit, list->desired[i].number);
    edit->accepted_count = edit->number_count;
    if (list == NULL)
        (void)buffer_add(&call->result.text, "Exception breakpoints: none\n");
    breakpoint_edit_report(call);
    breakpoint_say_saved(call);
    (void)buffer_add(&call->result.text,
                     "Launches of this session add none of their own: stop_on_exceptions is not used any more.\n");
    call_succeed(call);
}

static int check(const struct call *call, struct error *ret_error)
{
    yyjson_val *filters = json_array(call->arguments, "filters");
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(filters, index, most, item) {
        bool by_filter = json_member(item, "filter") != NULL, by_name = json_member(item, "exception") != NULL;
        if (by_filter == by_name)
            return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: /filters/%zu needs filter, or exception and break_mode",
                             index);
        if (by_name != (json_member(item, "break_mode") != NULL))
            return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: /filters/%zu/break_mode goes with exception", index);
    }
    return 0;
}

void verb_set_exception_breakpoints(struct call *call)
{
    struct breakpoint_edit *edit = xcalloc(1, sizeof(*edit));
    *edit = (struct breakpoint_edit){ .choose = choose, .rewrite = rewrite, .done = on_set, .complete = true };
    call->state = edit;
    call->free_state = free_edit;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (check(call, &error) < 0)
        call_fail(call, &error);
    else
        breakpoint_edit_run(call);
}
