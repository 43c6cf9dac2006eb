/* dap_locations: the place in the source where a value comes from, such as the definition of a function. */
#include "base/path.h"
#include "verb/internal.h"
#include "verb/render_line.h"

#include <inttypes.h>

static void add_structured(struct call *call, const struct frame *place, yyjson_val *body)
{
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return;
    yyjson_mut_doc *doc = call->result.structured;
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    json_add_string(doc, object, "source_path", place->source_path);
    json_add_string(doc, object, "source_name", place->source_name);
    if (place->source_reference > 0)
        json_add_int(doc, object, "source_reference", place->source_reference);
    json_add_int(doc, object, "line", place->line);
    static const char *const numbers[][2] = { { "column", "column" }, { "end_line", "endLine" }, { "end_column", "endColumn" } };
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        int64_t number;
        if (json_int(body, numbers[i][1], &number))
            json_add_int(doc, object, numbers[i][0], number);
    }
    json_add_value(doc, root, "location", object);
}

static void on_location(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    if (!call_answered(call, answer))
        return;
    struct frame place;
    frame_read(answer->body, &place); /* source, line and column are those of a frame */
    struct buffer *text = &call->result.text;
    buffer_add(text, "Location: ");
    if (!line_location(text, &place, call->world->project))
        buffer_add(text, "not told");
    if (place.source_reference > 0)
        buffer_addf(text, " [source_reference %" PRId64 "]", place.source_reference);
    buffer_addc(text, '\n');
    add_structured(call, &place, answer->body);
    frame_done(&place);
    call_end_turn(call);
    call_succeed(call);
}

static void ask(struct call *call, int64_t reference)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_int(doc, arguments, "locationReference", reference);
    call_request(call, "locations", doc, on_location);
}

static void on_value(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    if (!call_answered(call, answer))
        return;
    int64_t reference = json_int_or(answer->body, "valueLocationReference", 0);
    if (reference > 0) {
        ask(call, reference);
        return;
    }
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_ARGUMENT, "/expression: the adapter tells no place for %s: it does so for functions, if at all",
              json_string(call->arguments, "expression"));
    call_give_up(call, &error);
}

static void on_turn(void *user)
{
    struct call *call = user;
    int64_t handle, reference, frame;
    const char *expression = json_string(call->arguments, "expression");
    AUTO_ERROR struct error error = ERROR_INIT;
    if (json_int(call->arguments, "location_reference", &handle)) {
        if (session_resolve_location(call_session(call), handle, &reference, &error) < 0)
            call_give_up(call, &error);
        else
            ask(call, reference);
        return;
    }
    if (call_frame(call, &frame, NULL, &error) < 0)
        call_give_up(call, &error);
    else
        call_request(call, "evaluate", evaluate_arguments(expression, frame), on_value);
}

void verb_locations(struct call *call)
{
    session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
