/* dap_enable_breakpoint: switches breakpoints on and off, by number or all. One that is off is kept, and the adapter is not told of it. */
#include "verb/breakpoint_edit.h"
#include "verb/internal.h"

static void free_edit(void *user)
{
    breakpoint_edit_done(user);
    free(user);
}

static int choose(struct call *call, struct error *ret_error)
{
    int64_t number;
    if (json_int(call->arguments, "number", &number))
        return breakpoint_edit_add_number(call, number, ret_error);
    breakpoint_edit_add_all(call, json_string(call->arguments, "kind"));
    return 0;
}

static struct desired_breakpoint *rewrite(struct call *call, const struct breakpoint_list *former, size_t *ret_count)
{
    int64_t number;
    bool one = json_int(call->arguments, "number", &number);
    size_t count = former == NULL ? 0 : former->count;
    struct desired_breakpoint *list = xcalloc(count + 1, sizeof(*list));
    for (size_t i = 0; i < count; i++) {
        list[i] = desired_breakpoint_copy(&former->desired[i]);
        if (one && list[i].number != number)
            continue;
        list[i].disabled = !json_bool(call->arguments, "enabled", true);
        breakpoint_edit_touch(call->state, list[i].number);
    }
    *ret_count = count;
    return list;
}

static void on_switched(struct call *call)
{
    const struct breakpoint_edit *edit = call->state;
    if (edit->number_count == 0)
        (void)buffer_add(&call->result.text, "Breakpoints: none\n");
    breakpoint_edit_report(call);
    breakpoint_say_saved(call);
    call_succeed(call);
}

void verb_enable_breakpoint(struct call *call)
{
    struct breakpoint_edit *edit = xcalloc(1, sizeof(*edit));
    *edit = (struct breakpoint_edit){ .choose = choose, .rewrite = rewrite, .done = on_switched };
    call->state = edit;
    call->free_state = free_edit;
    if (json_member(call->arguments, "kind") != NULL && json_member(call->arguments, "all") == NULL) {
        AUTO_ERROR struct error error = ERROR_INIT;
        error_set(&error, ERROR_ARGUMENT, "invalid arguments: /kind is only together with all");
        call_fail(call, &error);
        return;
    }
    breakpoint_edit_run(call);
}
