/* dap_registers: the registers of a frame, those of general purpose first.
 *
 * Adapters give them in one list (gdb) or in groups (LLDB's): "General Purpose Registers", "Floating Point Registers", … */
#include "verb/registers.h"
#include "verb/internal.h"
#include "verb/render_line.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

struct registers_state {
    const char *group, *filter; /* of the arguments; NULL */
    int64_t frame;
    struct variable *list; /* the scope's: registers, or groups of them */
    size_t count;
    size_t *open; /* indexes of the groups that are read */
    size_t open_count, next;
    struct variable **members;
    size_t *member_counts;
    bool grouped;
};

static void free_registers(void *user)
{
    struct registers_state *state = user;
    for (size_t i = 0; i < state->next; i++)
        variables_free(state->members[i], state->member_counts[i]);
    variables_free(state->list, state->count);
    free(state->open);
    free(state->members);
    free(state->member_counts);
    free(state);
}

/* ---- which ---- */

static bool has_text(const char *name, const char *part)
{
    return part == NULL || strcasestr(name, part) != NULL;
}

bool register_is_general(const char *name)
{
    static const char *const names[] = { "pc", "sp", "fp", "lr", "cpsr", "pstate", "eflags", "rflags", "flags" };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcasecmp(name, names[i]) == 0)
            return true;
    /* rax, r8, r15, eax, x0, esi, … */
    size_t len = strlen(name);
    char first = (char)tolower((unsigned char)name[0]);
    bool numbered = len >= 2 && len <= 3 && strspn(name + 1, "0123456789") == len - 1;
    if (numbered)
        return first == 'r' || first == 'x';
    static const char *const words[] = { "ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "ip" };
    for (size_t i = 0; len == 3 && (first == 'r' || first == 'e') && i < COUNT_OF(words); i++)
        if (strcasecmp(name + 1, words[i]) == 0)
            return true;
    return false;
}

/* Where there is rax, eax and sp are parts of others. */
static bool is_part(const char *name, bool wide)
{
    size_t len = strlen(name);
    return wide && ((len == 3 && (name[0] == 'e' || name[0] == 'E')) || len == 2) && strspn(name + 1, "0123456789") != len - 1;
}

/* ---- the text ---- */

/* A plain number is easier to read as an address. */
static void add_register(struct buffer *out, const struct variable *variable)
{
    buffer_add(out, "  ");
    line_adapter_text(out, &variable->name, LIMIT_NAME_BYTES);
    buffer_add(out, " = ");
    char *end = NULL;
    long long number = variable->value.len == 0 ? 0 : strtoll(variable->value.data, &end, 10);
    if (end != NULL && *end == '\0' && end != variable->value.data)
        buffer_addf(out, "0x%llx (%lld)", (unsigned long long)number, number);
    else
        line_adapter_text(out, &variable->value, LIMIT_VALUE_BYTES);
    if (variable->value.len == 0)
        line_reference(out, variable);
    buffer_addc(out, '\n');
}

struct chosen {
    const struct variable **rows;
    size_t count;
    size_t rest; /* not shown */
};

static void choose(const struct registers_state *state, const struct variable *list, size_t count, bool general_only,
                   struct chosen *chosen)
{
    bool wide = false;
    for (size_t i = 0; i < count; i++)
        wide = wide || strcasecmp(list[i].name.data, "rax") == 0;
    for (int pass = 0; pass < 2; pass++) { /* general ones first */
        for (size_t i = 0; i < count; i++) {
            const char *name = list[i].name.data;
            bool general = register_is_general(name) && !is_part(name, wide);
            if (general != (pass == 0))
                continue;
            if (!has_text(name, state->filter) || (pass == 1 && general_only))
                chosen->rest++;
            else
                chosen->rows[chosen->count++] = &list[i];
        }
    }
}

static void add_rows(struct call *call, const char *title, const struct chosen *chosen, yyjson_mut_val *list)
{
    struct buffer *text = &call->result.text;
    line_text(text, title, LIMIT_NAME_BYTES);
    buffer_add(text, ": ");
    if (chosen->rest > 0) {
        line_count(text, chosen->count);
        buffer_add(text, " of ");
    }
    line_count(text, chosen->count + chosen->rest);
    buffer_addc(text, '\n');
    yyjson_mut_doc *doc = call->result.structured;
    for (size_t i = 0; i < chosen->count; i++) {
        add_register(text, chosen->rows[i]);
        if (list == NULL)
            continue;
        yyjson_mut_val *row = yyjson_mut_obj(doc);
        json_add_text(doc, row, "name", chosen->rows[i]->name.data, chosen->rows[i]->name.len);
        json_add_text(doc, row, "value", chosen->rows[i]->value.data, chosen->rows[i]->value.len);
        json_add_int(doc, row, "variables_reference", chosen->rows[i]->handle);
        if (chosen->rows[i]->type.data != NULL)
            json_add_text(doc, row, "type", chosen->rows[i]->type.data, chosen->rows[i]->type.len);
        yyjson_mut_arr_append(list, row);
    }
}

static void add_closed_groups(struct call *call)
{
    const struct registers_state *state = call->state;
    struct buffer *text = &call->result.text;
    size_t closed = state->count - state->open_count;
    if (closed == 0)
        return;
    buffer_add(text, "Other groups (pass group): ");
    bool any = false;
    for (size_t i = 0; i < state->count; i++) {
        bool open = false;
        for (size_t k = 0; k < state->open_count; k++)
            open = open || state->open[k] == i;
        if (open)
            continue;
        buffer_add(text, any ? ", " : "");
        line_adapter_text(text, &state->list[i].name, LIMIT_NAME_BYTES);
        any = true;
    }
    buffer_addc(text, '\n');
}

/* One list: all of it, or of one group. Returns how many were left out. */
static size_t add_list(struct call *call, const char *title, const struct variable *list, size_t count, bool all,
                       yyjson_mut_val *rows)
{
    const struct registers_state *state = call->state;
    struct chosen chosen = { .rows = xcalloc(count + 1, sizeof(struct variable *)) };
    choose(state, list, count, !all, &chosen);
    if (chosen.count == 0 && !all) { /* a machine whose names are not known here */
        chosen.rest = 0;
        choose(state, list, count, false, &chosen);
    }
    if (chosen.count > 0 || state->filter == NULL)
        add_rows(call, title, &chosen, rows);
    free(chosen.rows);
    return chosen.rest;
}

static void report(struct call *call)
{
    struct registers_state *state = call->state;
    call_end_turn(call);
    yyjson_mut_val *root = structured_root(call);
    yyjson_mut_val *rows = root == NULL ? NULL : yyjson_mut_arr(call->result.structured);
    struct buffer *text = &call->result.text;
    bool all = state->filter != NULL || state->group != NULL;
    size_t rest = 0;
    if (!state->grouped)
        rest = add_list(call, "Registers", state->list, state->count, all, rows);
    for (size_t i = 0; state->grouped && i < state->open_count; i++)
        rest += add_list(call, state->list[state->open[i]].name.data, state->members[i], state->member_counts[i], all, rows);
    if (text->len == 0) {
        buffer_add(text, "Registers: none of ");
        line_count(text, rest);
        buffer_add(text, " has \"");
        line_text(text, state->filter, LIMIT_NAME_BYTES);
        buffer_add(text, "\" in its name\n");
    } else if (rest > 0 && state->filter == NULL) {
        buffer_add(text, "  (the others: group=all, or filter=part of a name)\n");
    }
    if (state->grouped)
        add_closed_groups(call);
    if (root != NULL) {
        json_add_value(call->result.structured, root, "registers", rows);
        json_add_int(call->result.structured, root, "registers_left_out", (int64_t)rest);
    }
    call_succeed(call);
}

/* ---- groups ---- */

/* Which groups are read: those whose name has the text; with a filter all; else the first. */
static void open_groups(struct registers_state *state)
{
    state->open = xcalloc(state->count + 1, sizeof(*state->open));
    state->members = xcalloc(state->count + 1, sizeof(struct variable *));
    state->member_counts = xcalloc(state->count + 1, sizeof(*state->member_counts));
    bool all = state->group == NULL ? state->filter != NULL : strcasecmp(state->group, "all") == 0;
    for (size_t i = 0; i < state->count; i++) {
        bool wanted = all || (state->group == NULL ? i == 0 : has_text(state->list[i].name.data, state->group));
        if (wanted && state->list[i].adapter_reference > 0)
            state->open[state->open_count++] = i;
    }
}

static void read_next_group(struct call *call);

static void on_members(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct registers_state *state = call->state;
    if (!call_answered(call, answer))
        return;
    size_t total;
    state->members[state->next] =
        read_variables(call_session(call), answer->body, 0, LIMIT_VARIABLES_PER_PAGE, &state->member_counts[state->next], &total);
    state->next++;
    read_next_group(call);
}

static yyjson_mut_doc *hex_variables(const struct call *call, int64_t reference)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = variables_arguments(reference, &arguments);
    if (session_capability(call_session(call), "supportsValueFormattingOptions")) {
        yyjson_mut_val *format = yyjson_mut_obj(doc);
        json_add_bool(doc, format, "hex", true);
        json_add_value(doc, arguments, "format", format);
    }
    return doc;
}

static void read_next_group(struct call *call)
{
    struct registers_state *state = call->state;
    if (state->next == state->open_count) {
        report(call);
        return;
    }
    call_request(call, "variables", hex_variables(call, state->list[state->open[state->next]].adapter_reference), on_members);
}

static void refuse_group(struct call *call)
{
    const struct registers_state *state = call->state;
    AUTO_BUFFER struct buffer names;
    buffer_init(&names, LIMIT_EVALUATION_BYTES);
    for (size_t i = 0; state->grouped && i < state->count; i++) {
        buffer_add(&names, i > 0 ? ", " : "");
        line_adapter_text(&names, &state->list[i].name, LIMIT_NAME_BYTES);
    }
    AUTO_ERROR struct error error = ERROR_INIT;
    if (!state->grouped)
        error_set(&error, ERROR_ARGUMENT, "/group: this adapter gives the registers in one list; pass all, or filter");
    else
        error_set(&error, ERROR_ARGUMENT, "/group: no group has \"%s\" in its name; there are: %s, or all", state->group,
                  names.data);
    call_give_up(call, &error);
}

static void on_registers(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    struct registers_state *state = call->state;
    if (!call_answered(call, answer))
        return;
    size_t total;
    state->list = read_variables(call_session(call), answer->body, 0, LIMIT_VARIABLES_PER_PAGE, &state->count, &total);
    state->grouped = state->count > 0 && state->list[0].adapter_reference > 0 && !register_is_general(state->list[0].name.data);
    bool all = state->group != NULL && strcasecmp(state->group, "all") == 0;
    if (!state->grouped && (state->group == NULL || all)) {
        report(call);
        return;
    }
    if (state->grouped)
        open_groups(state);
    if (state->open_count == 0)
        refuse_group(call);
    else
        read_next_group(call);
}

/* ---- the beginning ---- */

static bool holds_registers(yyjson_val *scope)
{
    const char *hint = json_string(scope, "presentationHint");
    const char *name = json_string(scope, "name");
    return (hint != NULL && strcmp(hint, "registers") == 0) || (name != NULL && strcasestr(name, "register") != NULL);
}

static void on_scopes(void *user, const struct dap_answer *answer)
{
    struct call *call = user;
    if (!call_answered(call, answer))
        return;
    size_t index, most;
    yyjson_val *scope;
    yyjson_arr_foreach(json_array(answer->body, "scopes"), index, most, scope) {
        int64_t reference = json_int_or(scope, "variablesReference", 0);
        if (!holds_registers(scope) || reference <= 0)
            continue;
        call_request(call, "variables", hex_variables(call, reference), on_registers);
        return;
    }
    AUTO_ERROR struct error error = ERROR_INIT;
    const char *adapter = session_adapter_id(call_session(call));
    error_set(&error, ERROR_REQUEST, "%s shows no registers: this frame has no scope of them; dap_variables lists its scopes",
              adapter == NULL ? "the adapter" : adapter);
    call_give_up(call, &error);
}

static void on_turn(void *user)
{
    struct call *call = user;
    int64_t frame;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (call_frame(call, &frame, NULL, &error) < 0)
        call_give_up(call, &error);
    else
        call_request(call, "scopes", scopes_arguments(frame), on_scopes);
}

void verb_registers(struct call *call)
{
    struct registers_state *state = xcalloc(1, sizeof(*state));
    state->group = json_string(call->arguments, "group");
    state->filter = json_string(call->arguments, "filter");
    call->state = state;
    call->free_state = free_registers;
    session_inspect_begin(call_session(call), &call->turn, on_turn, call);
}
