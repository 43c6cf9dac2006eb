#include "verb/summary.h"

#include "base/buffer.h"
#include "base/utf8.h"
#include "verb/internal.h"
#include "verb/map_entries.h"

#include <stdlib.h>
#include <string.h>

#define SUMMARIES 16            /* of one list: each is a request */
#define SUMMARY_MEMBERS 8       /* read and shown of one value */
#define SUMMARY_MEMBER_BYTES 40 /* of one member's value */

struct summaries {
    struct session *session;
    summaries_fn done;
    void *user;
    int awaited, shallow;
    bool hex;
};

struct summary {
    struct summaries *summaries;
    struct variable *variable;
    int64_t members; /* that there are of what was asked for */
};

static void release(struct summaries *summaries)
{
    if (--summaries->awaited > 0)
        return;
    summaries_fn done = summaries->done;
    void *user = summaries->user;
    free(summaries);
    done(user);
}

static bool says_nothing(const struct variable *variable)
{
    const char *value = variable->value.data, *type = variable->type.data;
    return value != NULL && type != NULL && strcmp(value, "None") == 0 && strstr(type, "std::") != NULL;
}

/* `between` the name and the value; NULL: the value alone. */
static void add_member(struct buffer *text, const struct variable *member, const char *between)
{
    char first = member->name.len > 0 ? member->name.data[0] : '\0';
    bool element = first == '[' || (first >= '0' && first <= '9'); /* its place tells its name */
    if (!element && between != NULL) {
        utf8_one_line(text, member->name.data, member->name.len, LIMIT_NAME_BYTES);
        buffer_add(text, between);
    }
    if (member->value.len > 0 && !says_nothing(member))
        utf8_one_line(text, member->value.data, member->value.len, SUMMARY_MEMBER_BYTES);
    else
        buffer_add(text, "{…}");
}

/* {x = 1, …} of the first members; {"a": 1, …} of a map that is told flat. */
static void add_members(struct buffer *text, yyjson_val *list, int64_t members, bool flat)
{
    buffer_addc(text, '{');
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        if (index == SUMMARY_MEMBERS)
            break;
        struct variable member;
        variable_read(item, &member);
        bool raw = member.name.data != NULL && strcmp(member.name.data, "[raw]") == 0; /* codelldb's way to the private members */
        if (index > 0 && !raw)
            buffer_add(text, flat && index % 2 == 1 ? ": " : ", ");
        if (!raw)
            add_member(text, &member, flat ? NULL : " = ");
        variable_done(&member);
    }
    if (members > SUMMARY_MEMBERS)
        buffer_add(text, ", …");
    buffer_addc(text, '}');
}

static void take_text(struct variable *variable, struct buffer *text)
{
    free(variable->value.data);
    variable->value.data = buffer_take(text, &variable->value.len);
}

/* -1: not told. What is not counted could be a list of millions. */
static int64_t member_count(const struct variable *variable)
{
    if (variable->named < 0 && variable->indexed < 0) {
        bool sized = variable->value.len > 5 && strncmp(variable->value.data, "size=", 5) == 0; /* LLDB's words for a container */
        return sized ? (int64_t)strtoull(variable->value.data + 5, NULL, 10) : -1;
    }
    return (variable->named > 0 ? variable->named : 0) + (variable->indexed > 0 ? variable->indexed : 0);
}

static bool has_members_only(const struct variable *variable)
{
    return variable->value.len == 0 && variable->adapter_reference > 0 && !variable->lazy && !variable->group &&
           member_count(variable) > 0;
}

/* A container of C++'s library of which the debugger's printer tells the size alone ("std::vector of length 3, capacity 3", "size=3"), or
 * nothing ("None", gdb of a pair). */
static bool is_container(const struct variable *variable)
{
    const char *value = variable->value.data != NULL ? variable->value.data : "";
    bool known = strncmp(value, "std::", 5) == 0 || strncmp(value, "size=", 5) == 0 || says_nothing(variable);
    known = known || (strstr(value, "(size=") != NULL && strstr(value, "(size=0)") == NULL); /* "Vec(size=3)": gdb's of Rust */
    return known && strchr(value, '{') == NULL && variable->adapter_reference > 0 && !variable->lazy && member_count(variable) > 0;
}

static yyjson_val *answered_list(const struct dap_answer *answer)
{
    return answer->outcome == DAP_OK ? json_array(answer->body, "variables") : NULL;
}

static void finish(struct summary *summary)
{
    struct summaries *summaries = summary->summaries;
    free(summary);
    release(summaries);
}

static void ask_members(struct summary *summary, const struct variable *of, session_answer_fn answer)
{
    summary->members = member_count(of);
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = variables_arguments(of->adapter_reference, &arguments);
    if (of->indexed > 0 && session_quirk(summary->summaries->session, QUIRK_SHALLOW_PREVIEWS))
        json_add_string(doc, arguments, "filter", "indexed"); /* without it, all of them come */
    json_add_int(doc, arguments, "start", 0);
    json_add_int(doc, arguments, "count",
                 summary->members < 0                 ? 2
                 : summary->members < SUMMARY_MEMBERS ? summary->members
                                                      : SUMMARY_MEMBERS);
    add_value_format(doc, arguments, summary->summaries->hex);
    session_request(summary->summaries->session, "variables", doc, 0, answer, summary);
}

/* ---- structures and arrays ---- */

static void on_members(void *user, const struct dap_answer *answer)
{
    struct summary *summary = user;
    yyjson_val *list = answered_list(answer);
    if (yyjson_arr_size(list) > 0) {
        AUTO_BUFFER struct buffer text;
        buffer_init(&text, LIMIT_EVALUATION_BYTES);
        const char *value = summary->variable->value.data;
        if (is_container(summary->variable))
            buffer_addf(&text, "%s%s", says_nothing(summary->variable) ? "" : value, says_nothing(summary->variable) ? "" : " ");
        else if (summary->variable->value.len > 0) /* a pointer to them */
            buffer_addf(&text, "%s → ", value);
        add_members(&text, list, summary->members, map_is_flat(summary->variable, (size_t)summary->members));
        take_text(summary->variable, &text);
    }
    finish(summary);
}

/* ---- pointers ---- */

/* By its type: where no members are counted (lldb-dap), one is asked for. */
static bool points(const struct variable *variable)
{
    const struct adapter_text *type = &variable->type;
    return type->len > 0 && (type->data[type->len - 1] == '*' || type->data[type->len - 1] == '&');
}

/* An address and nothing else, with one member: what is there. (gdb writes that of a C++ reference with an @.) */
static bool is_bare_pointer(const struct variable *variable)
{
    const struct adapter_text *value = &variable->value;
    if (value->len < 5 || variable->adapter_reference <= 0 || variable->lazy)
        return false;
    const char *address = value->data + (value->data[0] == '@' ? 1 : 0);
    bool one = member_count(variable) == 1 || (member_count(variable) < 0 && points(variable));
    if (strncmp(address, "0x", 2) != 0 || !one)
        return false;
    const char *digits = address + 2;
    return digits[strspn(digits, "0")] != '\0' && digits[strspn(digits, "0123456789abcdef")] == '\0';
}

static void on_target(void *user, const struct dap_answer *answer)
{
    struct summary *summary = user;
    yyjson_val *list = answered_list(answer);
    if (yyjson_arr_size(list) != 1) {
        finish(summary);
        return;
    }
    struct variable target;
    variable_read(yyjson_arr_get_first(list), &target);
    if (has_members_only(&target)) {
        ask_members(summary, &target, on_members);
    } else {
        if (target.value.len > 0) {
            AUTO_BUFFER struct buffer text;
            buffer_init(&text, LIMIT_EVALUATION_BYTES);
            buffer_addf(&text, "%s → ", summary->variable->value.data);
            utf8_one_line(&text, target.value.data, target.value.len, SUMMARY_MEMBER_BYTES);
            take_text(summary->variable, &text);
        }
        finish(summary);
    }
    variable_done(&target);
}

/* ---- Python's objects ---- */

static const char object_at[] = " object at 0x";

/* <module.Class object at 0x55d0>, and nothing else: what a class says of itself with a repr of its own stays. */
static bool is_bare_object(const struct session *session, const struct variable *variable)
{
    const char *value = variable->value.len > 0 ? variable->value.data : "";
    const char *at = strstr(value, object_at);
    if (!session_quirk(session, QUIRK_PYTHON_OBJECTS) || variable->evaluate_name == NULL || value[0] != '<' || at == NULL)
        return false;
    const char *digits = at + strlen(object_at);
    return strcmp(digits + strspn(digits, "0123456789abcdefABCDEF"), ">") == 0;
}

static void on_attributes(void *user, const struct dap_answer *answer)
{
    struct summary *summary = user;
    const char *attributes = answer->outcome == DAP_OK ? json_string(answer->body, "result") : NULL;
    if (attributes != NULL && attributes[0] == '{' && attributes[1] != '}') {
        struct variable *variable = summary->variable;
        int class_len = (int)(strstr(variable->value.data, object_at) - variable->value.data);
        AUTO_BUFFER struct buffer text;
        buffer_init(&text, LIMIT_EVALUATION_BYTES);
        buffer_addf(&text, "%.*s> %s", class_len, variable->value.data, attributes);
        take_text(variable, &text);
    }
    finish(summary);
}

static void ask_attributes(struct summary *summary, int64_t adapter_frame)
{
    AUTO_FREE char *expression = xasprintf("(%s).__dict__", summary->variable->evaluate_name);
    session_request(summary->summaries->session, "evaluate", evaluate_arguments(expression, adapter_frame), 0, on_attributes,
                    summary);
}

/* ---- JavaScript's objects ---- */

#define MOST_SHALLOW 8      /* of one list: each is a request to an adapter that takes its time */
#define PREVIEW_BYTES 108   /* of the members: with a class's name before them they stay below LIMIT_VALUE_BYTES */
#define MEMBERS_SORTED 1000 /* what comes behind these is not looked at */

/* `this` of a plain function: a hundred members, all of them known. */
static bool is_global_object(const char *type)
{
    return strcmp(type, "global") == 0 || strcmp(type, "globalThis") == 0 || strcmp(type, "Window") == 0;
}

/* "Queue", which is all that is said of `this`; "{job: {…}, attempts: 1}" and "Queue {_events: {…}, …}", which hide what tells one from the
 * next. Not a dictionary of unknown size, nor a Map: all of it would be read for the first few. */
static bool is_shallow_object(const struct session *session, const struct variable *variable)
{
    const struct adapter_text *value = &variable->value, *type = &variable->type;
    if (!session_quirk(session, QUIRK_SHALLOW_PREVIEWS) || value->len == 0 || type->len == 0 || variable->adapter_reference <= 0 ||
        variable->lazy || variable->group)
        return false;
    if (value->len == type->len && memcmp(value->data, type->data, type->len) == 0)
        return !is_global_object(type->data);
    const char *members = value->data + strcspn(value->data, "{[");
    bool hides = strstr(members, "{…}") != NULL || (members[0] == '{' && members[1] == '_');
    static const char more[] = ", …}";
    bool cut = value->len >= strlen(more) && strcmp(value->data + value->len - strlen(more), more) == 0;
    return hides && !(cut && members == value->data) && strstr(members, " => ") == NULL;
}

/* What is inherited from a library comes last, by its custom of names. */
static bool is_inner(const struct variable *member)
{
    return member->name.data[0] == '_' || strncmp(member->name.data, "Symbol(", 7) == 0;
}

static bool is_function(const struct variable *member)
{
    return member->value.len > 0 && strncmp(member->value.data, "ƒ", strlen("ƒ")) == 0;
}

struct ordered_member {
    struct variable variable;
    size_t key, index;
};

/* As in the text that was given, where they stand in the order of the program; data before functions. */
static size_t order_of(const struct variable *member, const char *given)
{
    AUTO_FREE char *first = xasprintf("{%s: ", member->name.data), *later = xasprintf(", %s: ", member->name.data);
    const char *at = strstr(given, first);
    at = at != NULL ? at : strstr(given, later);
    size_t place = at != NULL ? (size_t)(at - given) : LIMIT_VALUE_BYTES * (size_t)10;
    return place + (is_inner(member) ? 1u << 20 : is_function(member) ? 1u << 16 : 0);
}

static int compare_ordered(const void *a, const void *b)
{
    const struct ordered_member *one = a, *other = b;
    if (one->key != other->key)
        return one->key < other->key ? -1 : 1;
    return one->index < other->index ? -1 : one->index > other->index;
}

static size_t read_ordered(yyjson_val *list, const char *given, struct ordered_member **ret)
{
    size_t most = yyjson_arr_size(list), count = 0, index, size;
    struct ordered_member *members = xcalloc(most + 1, sizeof(*members));
    yyjson_val *item;
    yyjson_arr_foreach(list, index, size, item) {
        struct ordered_member *member = &members[count];
        if (index == MEMBERS_SORTED)
            break;
        variable_read(item, &member->variable);
        const struct adapter_text *name = &member->variable.name;
        bool told = name->len > 0 && strncmp(name->data, "[[", 2) != 0 && !member->variable.lazy && !member->variable.group;
        if (!told) {
            variable_done(&member->variable);
            continue;
        }
        member->key = order_of(&member->variable, given);
        member->index = index;
        count++;
    }
    qsort(members, count, sizeof(*members), compare_ordered);
    *ret = members;
    return count;
}

static void add_ordered(struct buffer *text, struct ordered_member *members, size_t count, bool more)
{
    AUTO_BUFFER struct buffer list;
    buffer_init(&list, LIMIT_EVALUATION_BYTES);
    size_t shown = 0;
    for (; shown < count && !(shown > 0 && is_inner(&members[shown].variable) && !is_inner(&members[0].variable)); shown++) {
        AUTO_BUFFER struct buffer one;
        buffer_init(&one, LIMIT_EVALUATION_BYTES);
        struct variable *member = &members[shown].variable;
        if (is_function(member))
            member->value.len = strlen("ƒ"); /* without its code */
        add_member(&one, member, ": ");
        if (shown > 0 && list.len + one.len > PREVIEW_BYTES)
            break;
        buffer_addf(&list, "%s%s", shown > 0 ? ", " : "", one.data);
    }
    buffer_addf(text, "%s%s", list.data, shown < count || more ? ", …" : "");
}

static void on_object(void *user, const struct dap_answer *answer)
{
    struct summary *summary = user;
    struct variable *variable = summary->variable;
    const char *given = variable->value.data;
    struct ordered_member *members;
    size_t count = read_ordered(answered_list(answer), given, &members);
    size_t name_len = strcspn(given, "{[");
    bool bare = given[name_len] == '\0', array = given[name_len] == '[';
    if (count > 0 && (bare || !is_inner(&members[0].variable))) {
        AUTO_BUFFER struct buffer text;
        buffer_init(&text, LIMIT_EVALUATION_BYTES);
        buffer_addf(&text, "%.*s%s%c", (int)name_len, given, bare ? " " : "", array ? '[' : '{');
        add_ordered(&text, members, count, summary->members > (int64_t)count);
        buffer_addc(&text, array ? ']' : '}');
        take_text(variable, &text);
    }
    for (size_t i = 0; i < count; i++)
        variable_done(&members[i].variable);
    free(members);
    finish(summary);
}

static void ask_object(struct summary *summary)
{
    const struct variable *variable = summary->variable;
    if (variable->indexed <= 0) { /* pages of named members are not to be had */
        yyjson_mut_val *arguments;
        yyjson_mut_doc *doc = variables_arguments(variable->adapter_reference, &arguments);
        add_value_format(doc, arguments, summary->summaries->hex);
        session_request(summary->summaries->session, "variables", doc, 0, on_object, summary);
        return;
    }
    ask_members(summary, variable, on_object);
}

/* ---- the list ---- */

static struct summary *summary_new(struct summaries *summaries, struct variable *variable)
{
    struct summary *summary = xcalloc(1, sizeof(*summary));
    *summary = (struct summary){ .summaries = summaries, .variable = variable };
    summaries->awaited++;
    return summary;
}

static bool ask(struct summaries *summaries, const int64_t *adapter_frame, struct variable *variable)
{
    if (has_members_only(variable) || is_container(variable))
        ask_members(summary_new(summaries, variable), variable, on_members);
    else if (is_bare_pointer(variable))
        ask_members(summary_new(summaries, variable), variable, on_target);
    else if (adapter_frame != NULL && is_bare_object(summaries->session, variable))
        ask_attributes(summary_new(summaries, variable), *adapter_frame);
    else if (summaries->shallow < MOST_SHALLOW && is_shallow_object(summaries->session, variable)) {
        summaries->shallow++;
        ask_object(summary_new(summaries, variable));
    } else
        return false;
    return true;
}

void summaries_read(struct session *session, const int64_t *adapter_frame, struct variable *list, size_t count, bool hex,
                    summaries_fn done, void *user)
{
    struct summaries *summaries = xcalloc(1, sizeof(*summaries));
    *summaries = (struct summaries){ session, done, user, 1, 0, hex }; /* held while requests are being added */
    int asked = 0;
    for (size_t i = 0; i < count; i++) {
        if (asked < SUMMARIES)
            asked += ask(summaries, adapter_frame, &list[i]) ? 1 : 0;
        else if (says_nothing(&list[i]) && list[i].adapter_reference > 0)
            list[i].value.data[list[i].value.len = 0] = '\0';
    }
    release(summaries);
}
