/* dap_write_memory: bytes, given as base64 or as hexadecimal digits, to an address. */
#include "base/base64.h"
#include "base/utf8.h"
#include "verb/internal.h"
#include "verb/memory_place.h"

#include <inttypes.h>
#include <string.h>

struct write_state {
    struct memory_place place; /* first: memory_place.h */
    int64_t offset;
    bool partial;
    struct buffer bytes;
};

static void free_write(void *user)
{
    struct write_state *state = user;
    memory_place_done(&state->place);
    buffer_done(&state->bytes);
    free(state);
}

/* How many were written: all when the adapter accepted a write that must be whole; else what it says (-1: it does not say). */
static int64_t count_written(const struct write_state *state, yyjson_val *body)
{
    int64_t told;
    if (json_int(body, "bytesWritten", &told) && (state->partial || told > 0))
        return told;
    return state->partial ? -1 : (int64_t)state->bytes.len;
}

static void on_written(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct write_state *state = call->state;
    if (!call_answered(call, answer))
        return;
    call_end_turn(call);
    session_view_changed(call_session(call)); /* what a stop showed may have been made of these bytes */
    int64_t written = count_written(state, answer->body);
    struct buffer *text = &call->result.text;
    if (written < 0)
        buffer_addf(text, "Written: up to %zu bytes (the adapter does not say how many; dap_read_memory shows)", state->bytes.len);
    else if ((size_t)written < state->bytes.len)
        buffer_addf(text, "Written: %" PRId64 " of %zu bytes", written, state->bytes.len);
    else
        buffer_addf(text, "Written: %" PRId64 " byte%s", written, written == 1 ? "" : "s");
    buffer_add(text, " at ");
    utf8_one_line(text, state->place.reference, strlen(state->place.reference), LIMIT_NAME_BYTES);
    int64_t offset = json_int_or(answer->body, "offset", state->offset);
    if (offset != 0)
        buffer_addf(text, " offset %" PRId64, offset);
    buffer_addc(text, '\n');
    yyjson_mut_val *root = structured_root(call);
    if (root != NULL) {
        yyjson_mut_doc *doc = call->result.structured;
        yyjson_mut_val *object = yyjson_mut_obj(doc);
        json_add_string(doc, object, "memory_reference", state->place.reference);
        json_add_int(doc, object, "offset", offset);
        if (written >= 0)
            json_add_int(doc, object, "bytes_written", written);
        json_add_value(doc, root, "written", object);
    }
    call_succeed(call);
}

static void on_place(struct call *call)
{
    struct write_state *state = call->state;
    AUTO_BUFFER struct buffer data;
    buffer_init(&data, 2 * LIMIT_MEMORY_BYTES);
    (void)base64_encode(&data, state->bytes.data, state->bytes.len);
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_string(doc, arguments, "memoryReference", state->place.reference);
    json_add_int(doc, arguments, "offset", state->offset);
    json_add_bool(doc, arguments, "allowPartial", state->partial);
    json_add_string(doc, arguments, "data", data.data);
    call_request(call, "writeMemory", doc, on_written);
}

static void on_turn(void *user)
{
    struct call *call = user;
    memory_place_find(call, json_string(call->arguments, "memory_reference"), on_place);
}

static int read_bytes(struct call *call, struct buffer *bytes, struct error *ret_error)
{
    size_t len = 0;
    const char *data = json_text(call->arguments, "data", &len);
    size_t hex_len = 0;
    const char *hex = json_text(call->arguments, "hex", &hex_len);
    if ((data == NULL) == (hex == NULL))
        return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: pass either data (base64) or hex");
    if (data != NULL && !base64_decode(bytes, data, len))
        return error_set(ret_error, ERROR_ARGUMENT, "/data: is no base64 of at most %d bytes; hex takes hexadecimal digits",
                         (int)LIMIT_MEMORY_BYTES);
    if (hex != NULL && !hex_decode(bytes, hex, hex_len))
        return error_set(ret_error, ERROR_ARGUMENT,
                         "/hex: needs two hexadecimal digits for each of at most %d bytes, such as \"0aff\" or \"0a ff\"",
                         (int)LIMIT_MEMORY_BYTES);
    if (bytes->len == 0)
        return error_set(ret_error, ERROR_ARGUMENT, "/%s: holds no bytes", data != NULL ? "data" : "hex");
    return 0;
}

void verb_write_memory(struct call *call)
{
    if (!call_requires(call, "supportsWriteMemoryRequest", "dap_evaluate with an assignment writes to memory"))
        return;
    struct write_state *state = xcalloc(1, sizeof(*state));
    buffer_init(&state->bytes, LIMIT_MEMORY_BYTES);
    state->offset = json_int_or(call->arguments, "offset", 0);
    state->partial = json_bool(call->arguments, "allow_partial", false);
    call->state = state;
    call->free_state = free_write;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (read_bytes(call, &state->bytes, &error) < 0)
        call_fail(call, &error);
    else
        session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
