#include "verb/summary.h"

#include "base/buffer.h"
#include "base/utf8.h"
#include "verb/internal.h"

#include <stdlib.h>

#define SUMMARIES 16            /* of one list: each is a request */
#define SUMMARY_MEMBERS 8       /* read and shown of one value */
#define SUMMARY_MEMBER_BYTES 40 /* of one member's value */

struct summaries {
    summaries_fn done;
    void *user;
    int awaited;
};

struct summary {
    struct summaries *summaries;
    struct variable *variable;
    int64_t members; /* that there are */
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

static void add_member(struct buffer *text, const struct variable *member)
{
    char first = member->name.len > 0 ? member->name.data[0] : '\0';
    bool element = first == '[' || (first >= '0' && first <= '9'); /* its place tells its name */
    if (!element) {
        utf8_one_line(text, member->name.data, member->name.len, LIMIT_NAME_BYTES);
        buffer_add(text, " = ");
    }
    if (member->value.len > 0)
        utf8_one_line(text, member->value.data, member->value.len, SUMMARY_MEMBER_BYTES);
    else
        buffer_add(text, "{…}");
}

static void compose(struct variable *variable, yyjson_val *list, int64_t members)
{
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, LIMIT_EVALUATION_BYTES);
    buffer_addc(&text, '{');
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        if (index == SUMMARY_MEMBERS)
            break;
        struct variable member;
        variable_read(item, &member);
        if (index > 0)
            buffer_add(&text, ", ");
        add_member(&text, &member);
        variable_done(&member);
    }
    if (members > SUMMARY_MEMBERS)
        buffer_add(&text, ", …");
    buffer_addc(&text, '}');
    free(variable->value.data);
    variable->value.data = buffer_take(&text, &variable->value.len);
}

static void on_members(void *user, const struct dap_answer *answer)
{
    struct summary *summary = user;
    struct summaries *summaries = summary->summaries;
    yyjson_val *list = answer->outcome == DAP_OK ? json_array(answer->body, "variables") : NULL;
    if (yyjson_arr_size(list) > 0)
        compose(summary->variable, list, summary->members);
    free(summary);
    release(summaries);
}

/* -1: not told. What is not counted could be a list of millions. */
static int64_t member_count(const struct variable *variable)
{
    if (variable->named < 0 && variable->indexed < 0)
        return -1;
    return (variable->named > 0 ? variable->named : 0) + (variable->indexed > 0 ? variable->indexed : 0);
}

static bool is_wanting(const struct variable *variable)
{
    return variable->value.len == 0 && variable->adapter_reference > 0 && !variable->lazy && !variable->group &&
           member_count(variable) > 0;
}

static void ask(struct session *session, struct summaries *summaries, struct variable *variable)
{
    struct summary *summary = xcalloc(1, sizeof(*summary));
    *summary = (struct summary){ summaries, variable, member_count(variable) };
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = variables_arguments(variable->adapter_reference, &arguments);
    json_add_int(doc, arguments, "start", 0);
    json_add_int(doc, arguments, "count", summary->members < SUMMARY_MEMBERS ? summary->members : SUMMARY_MEMBERS);
    summaries->awaited++;
    session_request(session, "variables", doc, 0, on_members, summary);
}

void summaries_read(struct session *session, struct variable *list, size_t count, summaries_fn done, void *user)
{
    struct summaries *summaries = xcalloc(1, sizeof(*summaries));
    *summaries = (struct summaries){ done, user, 1 }; /* held while requests are being added */
    int asked = 0;
    for (size_t i = 0; i < count && asked < SUMMARIES; i++) {
        if (!is_wanting(&list[i]))
            continue;
        asked++;
        ask(session, summaries, &list[i]);
    }
    release(summaries);
}
