/* dap_read_memory: bytes at an address, as a dump for people and as base64 for programs.
 *
 * Some adapters refuse a range of which a part cannot be read. Memory is readable by pages: the readable part is then found by halving the
 * pages. */
#include "base/base64.h"
#include "verb/internal.h"
#include "verb/memory_place.h"
#include "verb/render_memory.h"

#include <inttypes.h>

#define COUNT_DEFAULT 128
#define PAGE 4096 /* no machine has smaller ones */

struct read_state {
    struct memory_place place; /* first: memory_place.h */
    int64_t offset, count;
    bool has_address;
    uint64_t address; /* of the first byte */
    struct buffer bytes;
    char *told_address; /* by the adapter; NULL */
    uint64_t unreadable;
    char *why_less;    /* why a longer range was refused; NULL */
    int64_t low, high; /* page ends within the range: that many are known to be readable; that one is not (-1: not looked for) */
    int64_t asked;     /* bytes of the request under way */
};

static void free_read(void *user)
{
    struct read_state *state = user;
    memory_place_done(&state->place);
    buffer_done(&state->bytes);
    free(state->told_address);
    free(state->why_less);
    free(state);
}

static void report(struct call *call)
{
    struct read_state *state = call->state;
    call_end_turn(call);
    struct memory_view view = {
        .bytes = state->bytes.data,
        .len = state->bytes.len,
        .asked = (size_t)state->count,
        .has_address = state->has_address,
        .address = state->address,
        .reference = state->place.reference,
        .offset = state->offset,
        .expression = state->place.evaluated ? state->place.text : NULL,
        .unreadable = state->unreadable,
        .why_less = state->why_less,
    };
    render_memory(&call->result.text, &view);
    yyjson_mut_val *root = structured_root(call);
    if (root != NULL) {
        yyjson_mut_doc *doc = call->result.structured;
        AUTO_BUFFER struct buffer data;
        buffer_init(&data, 2 * LIMIT_MEMORY_BYTES);
        (void)base64_encode(&data, state->bytes.data, state->bytes.len);
        AUTO_FREE char *address = state->has_address ? xasprintf("0x%" PRIx64, state->address) : NULL;
        yyjson_mut_val *object = yyjson_mut_obj(doc);
        json_add_string(doc, object, "address", address != NULL ? address : state->place.reference);
        json_add_string(doc, object, "data", data.data);
        json_add_int(doc, object, "bytes_read", (int64_t)state->bytes.len);
        json_add_int(doc, object, "unreadable_bytes", (int64_t)state->unreadable);
        json_add_value(doc, root, "memory", object);
    }
    call_succeed(call);
}

static void ask(struct call *call, int64_t count);

/* The n-th end of a page within the range, counted from 1; 0 for 0. */
static int64_t page_end(const struct read_state *state, int64_t n)
{
    return n == 0 ? 0 : (int64_t)(PAGE - state->address % PAGE) + (n - 1) * PAGE;
}

static void refuse(struct call *call)
{
    struct read_state *state = call->state;
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_REQUEST, "none of the %" PRId64 " bytes at %s%s could be read: %s", state->count,
              state->place.reference, state->offset == 0 ? "" : " with that offset", state->why_less);
    call_give_up(call, &error);
}

static void halve(struct call *call)
{
    struct read_state *state = call->state;
    if (state->high - state->low > 1)
        ask(call, page_end(state, state->low + (state->high - state->low) / 2));
    else if (state->bytes.len > 0)
        report(call);
    else
        refuse(call);
}

static void on_refusal(struct call *call, const struct dap_answer *answer)
{
    struct read_state *state = call->state;
    if (state->why_less == NULL)
        state->why_less = session_answer_text(answer);
    if (state->high >= 0) {
        state->high = state->low + (state->high - state->low) / 2;
    } else {
        state->high = 1;
        while (state->has_address && page_end(state, state->high) < state->count)
            state->high++;
    }
    halve(call);
}

static int take_bytes(struct read_state *state, yyjson_val *body)
{
    size_t len = 0;
    const char *data = json_text(body, "data", &len);
    buffer_clear(&state->bytes);
    if (data != NULL && !base64_decode(&state->bytes, data, len))
        return -1;
    if (state->bytes.len > (size_t)state->asked) /* more than was asked for is no business of the call's */
        buffer_truncate(&state->bytes, (size_t)state->asked);
    const char *address = json_string(body, "address");
    uint64_t told;
    if (address != NULL && memory_address_read(address, &told)) {
        state->has_address = true;
        state->address = told;
    }
    state->unreadable = (uint64_t)json_int_or(body, "unreadableBytes", 0);
    return 0;
}

static void on_memory(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct read_state *state = call->state;
    if (answer->outcome == DAP_REFUSED) {
        call->request = 0;
        on_refusal(call, answer);
        return;
    }
    if (!call_answered(call, answer))
        return;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (take_bytes(state, answer->body) < 0) {
        error_set(&error, ERROR_PROTOCOL, "the adapter's answer to readMemory holds no base64");
        call_give_up(call, &error);
    } else if (state->high >= 0) {
        state->low += (state->high - state->low) / 2;
        halve(call);
    } else if (state->bytes.len == 0) {
        state->why_less = xstrdup("the adapter reads nothing there");
        refuse(call);
    } else {
        report(call);
    }
}

static void ask(struct call *call, int64_t count)
{
    struct read_state *state = call->state;
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    json_add_string(doc, arguments, "memoryReference", state->place.reference);
    json_add_int(doc, arguments, "offset", state->offset);
    json_add_int(doc, arguments, "count", count);
    state->asked = count;
    call_request(call, "readMemory", doc, on_memory);
}

static void on_place(struct call *call)
{
    struct read_state *state = call->state;
    state->has_address = memory_address_read(state->place.reference, &state->address);
    state->address += (uint64_t)state->offset;
    ask(call, state->count);
}

static void on_turn(void *user)
{
    struct call *call = user;
    memory_place_find(call, json_string(call->arguments, "memory_reference"), on_place);
}

void verb_read_memory(struct call *call)
{
    if (!call_requires(call, "supportsReadMemoryRequest",
                       "dap_evaluate shows values, in C and C++ also bytes: *(unsigned char (*)[16])ADDRESS"))
        return;
    struct read_state *state = xcalloc(1, sizeof(*state));
    buffer_init(&state->bytes, 4 * LIMIT_MEMORY_BYTES);
    state->offset = json_int_or(call->arguments, "offset", 0);
    state->count = json_int_or(call->arguments, "count", COUNT_DEFAULT);
    state->high = -1;
    call->state = state;
    call->free_state = free_read;
    session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
