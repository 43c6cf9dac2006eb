/* dap_disassemble: the instructions around the place where a frame stands, or around an address.
 *
 * Several adapters take an instructionOffset below 0 for something else (gdb) or give too few instructions (lldb-dap). When the wanted one is
 * not where it should be in an answer, we begin some bytes earlier, at one byte after the other, until the instructions meet it exactly. */
#include "verb/internal.h"
#include "verb/memory_place.h"
#include "verb/render_memory.h"

#include <inttypes.h>
#include <string.h>

#define COUNT_DEFAULT 24
#define BEFORE_DEFAULT 8
#define LONGEST 15 /* bytes of an x86 instruction; those of other machines are shorter */
#define TRIES 15   /* of beginnings: one more than there can be wrong ones */

struct disassemble_state {
    struct memory_place place; /* first: memory_place.h */
    int64_t offset, before, count;
    bool resolve;
    char *where;   /* for the head */
    char *current; /* the frame's instruction pointer; NULL */
    int tries;     /* backwards by ourselves, so far */
    const char *remark;
};

static void free_disassemble(void *user)
{
    struct disassemble_state *state = user;
    memory_place_done(&state->place);
    free(state->where);
    free(state->current);
    free(state);
}

/* ---- rows ---- */

static bool same_address(const char *a, const char *b)
{
    uint64_t x, y;
    return a != NULL && b != NULL && memory_address_read(a, &x) && memory_address_read(b, &y) && x == y;
}

static void read_row(yyjson_val *item, const char *current, const struct instruction *before, struct instruction *ret)
{
    yyjson_val *location = json_object(item, "location");
    const char *path = json_string(location, "path");
    const char *text = json_string(item, "instruction");
    const char *hint = json_string(item, "presentationHint");
    const char *address = json_string(item, "address");
    *ret = (struct instruction){
        .address = xstrdup(address == NULL ? "?" : address),
        .text = xstrdup(text == NULL ? "" : text),
        .bytes = xstrdup(json_string(item, "instructionBytes")),
        .symbol = xstrdup(json_string(item, "symbol")),
        .line = json_int_or(item, "line", 0),
        .invalid = hint != NULL && strcmp(hint, "invalid") == 0,
        .current = same_address(address, current),
    };
    if (path != NULL && path[0] != '\0') {
        ret->source_path = path_of_uri(path);
        ret->source_name = xstrdup(json_string(location, "name"));
        ret->source_reference = json_int_or(location, "sourceReference", 0);
    } else if (before != NULL) { /* left out: the same file as before; and the same line when that is left out, too */
        ret->source_path = xstrdup(before->source_path);
        ret->source_name = xstrdup(before->source_name);
        ret->source_reference = before->source_reference;
        if (ret->line == 0)
            ret->line = before->line;
    }
}

static void add_structured(struct call *call, const struct instruction *rows, size_t count)
{
    yyjson_mut_val *list = structured_list(call, "instructions");
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = 0; list != NULL && i < count; i++) {
        yyjson_mut_val *row = yyjson_mut_arr_add_obj(doc, list);
        json_add_string(doc, row, "address", rows[i].address);
        json_add_string(doc, row, "instruction", rows[i].text);
        json_add_string(doc, row, "bytes", rows[i].bytes);
        json_add_string(doc, row, "symbol", rows[i].symbol);
        json_add_string(doc, row, "source_path", rows[i].source_path);
        if (rows[i].line > 0)
            json_add_int(doc, row, "line", rows[i].line);
        if (rows[i].current)
            json_add_bool(doc, row, "current", true);
        if (rows[i].invalid)
            json_add_bool(doc, row, "invalid", true);
    }
}

static void report(struct call *call, yyjson_val *list, size_t first)
{
    struct disassemble_state *state = call->state;
    size_t told = yyjson_arr_size(list);
    size_t left = told > first ? told - first : 0;
    size_t count = left < (size_t)state->count ? left : (size_t)state->count;
    struct instruction *rows = xcalloc(told + 1, sizeof(*rows));
    for (size_t i = 0; i < first + count; i++) /* those before are read for the source that they carry on */
        read_row(yyjson_arr_get(list, i), state->current, i > 0 ? &rows[i - 1] : NULL, &rows[i]);
    call_end_turn(call);
    struct disassembly_view view = {
        .rows = rows + first,
        .count = count,
        .where = state->where,
        .remark = state->remark,
        .project = call->world->project,
    };
    render_disassembly(&call->result.text, &view);
    add_structured(call, rows + first, count);
    instructions_free(rows, told);
    call_succeed(call);
}

/* ---- requests ---- */

static void ask(struct call *call, int64_t offset, int64_t instruction_offset, int64_t count, session_answer_fn answer)
{
    struct disassemble_state *state = call->state;
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    uint64_t base;
    if (offset != 0 && memory_address_read(state->place.reference, &base)) {
        /* lldb-dap 19 knows no offset. */
        AUTO_FREE char *address = xasprintf("0x%" PRIx64, base + (uint64_t)offset);
        json_add_string(doc, arguments, "memoryReference", address);
        offset = 0;
    } else {
        json_add_string(doc, arguments, "memoryReference", state->place.reference);
    }
    json_add_int(doc, arguments, "offset", offset);
    json_add_int(doc, arguments, "instructionOffset", instruction_offset);
    json_add_int(doc, arguments, "instructionCount", count);
    json_add_bool(doc, arguments, "resolveSymbols", state->resolve);
    call_request(call, "disassemble", doc, answer);
}

static void on_forward(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    if (call_answered(call, answer))
        report(call, json_array(answer->body, "instructions"), 0);
}

/* Where the wanted instruction is in the list; -1: it is not. */
static int64_t find_wanted(const struct disassemble_state *state, yyjson_val *list)
{
    uint64_t base, at;
    if (!memory_address_read(state->place.reference, &base))
        return -1;
    base += (uint64_t)state->offset;
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        const char *address = json_string(item, "address");
        if (address != NULL && memory_address_read(address, &at) && at == base)
            return (int64_t)index;
    }
    return -1;
}

static void ask_backwards(struct call *call);

static void on_backwards(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct disassemble_state *state = call->state;
    if (answer->outcome != DAP_OK && answer->outcome != DAP_REFUSED) {
        call_answered(call, answer);
        return;
    }
    call->request = 0;
    yyjson_val *list = answer->outcome == DAP_OK ? json_array(answer->body, "instructions") : NULL;
    int64_t index = find_wanted(state, list);
    if (index >= state->before) {
        report(call, list, (size_t)(index - state->before));
        return;
    }
    if (state->tries++ < TRIES) {
        ask_backwards(call);
        return;
    }
    state->remark = "what is before could not be disassembled";
    ask(call, state->offset, 0, state->count, on_forward);
}

static void ask_backwards(struct call *call)
{
    const struct disassemble_state *state = call->state;
    int64_t bytes = state->before * LONGEST + state->tries;
    ask(call, state->offset - bytes, 0, bytes + state->count, on_backwards);
}

static void on_around(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct disassemble_state *state = call->state;
    yyjson_val *list = answer->outcome == DAP_OK ? json_array(answer->body, "instructions") : NULL;
    uint64_t base;
    bool numeric = memory_address_read(state->place.reference, &base);
    if (numeric && (answer->outcome == DAP_OK || answer->outcome == DAP_REFUSED) && find_wanted(state, list) != state->before) {
        call->request = 0;
        ask_backwards(call);
        return;
    }
    on_forward(user, answer);
}

static void on_place(struct call *call)
{
    struct disassemble_state *state = call->state;
    if (state->where == NULL)
        state->where = xstrdup(state->place.text);
    /* Beyond the place itself, although the end may not be wanted: codelldb refuses a range that ends before. */
    if (state->before > 0)
        ask(call, state->offset, -state->before, state->before + state->count, on_around);
    else
        ask(call, state->offset, -state->before, state->count, on_forward);
}

/* ---- the beginning ---- */

static void on_turn(void *user)
{
    struct call *call = user;
    struct disassemble_state *state = call->state;
    const char *text = json_string(call->arguments, "memory_reference");
    const struct frame *frame;
    int64_t id;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (call_frame(call, &id, &frame, &error) < 0) {
        call_give_up(call, &error);
        return;
    }
    state->current = xstrdup(frame == NULL ? NULL : frame->instruction);
    if (text != NULL) {
        memory_place_find(call, text, on_place);
        return;
    }
    if (state->current == NULL) {
        error_set(&error, ERROR_ARGUMENT, "the adapter does not tell where this frame stands in memory; pass memory_reference");
        call_give_up(call, &error);
        return;
    }
    state->place.reference = xstrdup(state->current);
    state->where = frame == NULL ? NULL : xasprintf("the present instruction of %s", frame->name);
    on_place(call);
}

void verb_disassemble(struct call *call)
{
    if (!call_requires(call, "supportsDisassembleRequest", "dap_source shows the source of a frame"))
        return;
    struct disassemble_state *state = xcalloc(1, sizeof(*state));
    bool around = json_string(call->arguments, "memory_reference") == NULL;
    state->offset = json_int_or(call->arguments, "offset", 0);
    state->count = json_int_or(call->arguments, "count", COUNT_DEFAULT);
    int64_t before = state->count / 3 < BEFORE_DEFAULT ? state->count / 3 : BEFORE_DEFAULT;
    state->before = -json_int_or(call->arguments, "instruction_offset", around ? -before : 0);
    state->resolve = json_bool(call->arguments, "resolve_symbols", true);
    call->state = state;
    call->free_state = free_disassemble;
    session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
