/* dap_completions: how an expression can go on. */
#include "base/utf8.h"
#include "verb/completion.h"
#include "verb/internal.h"

#include <string.h>

/* Columns of the protocol count UTF-16 units, from 1. */
static int64_t column_behind(const char *text)
{
    int64_t column = 1;
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
        if ((*at & 0xc0) != 0x80)
            column += *at >= 0xf0 ? 2 : 1;
    }
    return column;
}

static void read_item(yyjson_val *object, struct completion *ret)
{
    const char *text = json_string(object, "text");
    const char *label = json_string(object, "label");
    *ret = (struct completion){
        .label = label == NULL ? "" : label,
        .text = text == NULL || text[0] == '\0' ? label : text,
        .type = json_string(object, "type"),
        .detail = json_string(object, "detail"),
        .length = json_int_or(object, "length", 0),
    };
    ret->has_start = json_int(object, "start", &ret->start);
}

static void on_answer(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    if (!call_answered(call, answer))
        return;
    call_end_turn(call);
    yyjson_val *list = json_array(answer->body, "targets");
    size_t total = yyjson_arr_size(list), index, most;
    size_t wanted = (size_t)json_int_or(call->arguments, "count", DEFAULT_COMPLETIONS);
    size_t count = total < wanted ? total : wanted;
    AUTO_FREE struct completion *items = xcalloc(count + 1, sizeof(*items));
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        if (index == count)
            break;
        read_item(item, &items[index]);
    }
    render_completions(&call->result.text, items, count, total);
    structured_completions(call, items, count, total);
    call_succeed(call);
}

static void on_turn(void *user)
{
    struct call *call = user;
    AUTO_ERROR struct error error = ERROR_INIT;
    int64_t frame;
    if (call_frame(call, &frame, NULL, &error) < 0) {
        call_give_up(call, &error);
        return;
    }
    const char *text = json_string(call->arguments, "text");
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_int(doc, arguments, "frameId", frame);
    json_add_string(doc, arguments, "text", text);
    json_add_int(doc, arguments, "column", json_int_or(call->arguments, "column", column_behind(text)));
    call_request(call, "completions", doc, on_answer);
}

void verb_completions(struct call *call)
{
    const char *text = json_string(call->arguments, "text");
    int64_t column = json_int_or(call->arguments, "column", 1), last = column_behind(text);
    if (column > last) {
        AUTO_ERROR struct error error = ERROR_INIT;
        error_set(&error, ERROR_ARGUMENT, "invalid arguments: /column: the text ends at column %lld (in UTF-16 units, from 1)",
                  (long long)last);
        call_fail(call, &error);
    } else if (call_requires(call, "supportsCompletionsRequest",
                             "dap_variables lists what there is, and dap_evaluate tries a name")) {
        session_inspect_begin(call_session(call), &call->turn, on_turn, call);
    }
}
