#include "verb/value_walk.h"

#include "base/error.h"
#include "verb/asking.h"
#include "verb/frame_scopes.h"
#include "verb/internal.h"
#include "verb/map_entries.h"
#include "verb/nearest_names.h"
#include "verb/summary.h"
#include "verb/value_path.h"

#include <string.h>

#define VARIABLES_READ 4000 /* of one scope */

struct walk {
    struct session *session;
    struct value_walk_wish wish;
    struct value_path path;
    int64_t stop_number;
    size_t next; /* segment to be found */
    size_t followed;
    struct walked_value value; /* found so far */
    struct variable *members;  /* among which the next segment is not */
    size_t member_count;
    struct scope *scopes;
    size_t scope_count;
    struct variable *first; /* among the scopes: the first segment, as it was at the stop */
    int64_t first_container;
    bool in_entry; /* the value is an entry of a map, and its own value is to be found in it */
    bool in_pair;  /* as `second` */
    bool paged;    /* only the element asked for was read */
    value_walk_fn done;
    void *user;
};

void walked_value_done(struct walked_value *value)
{
    variable_done(&value->variable);
    free(value->name);
    *value = (struct walked_value){ 0 };
}

/* ---- the end ---- */

static void walk_free(struct walk *walk)
{
    walked_value_done(&walk->value);
    variables_free(walk->members, walk->member_count);
    scopes_free(walk->scopes, walk->scope_count);
    value_path_done(&walk->path);
    free(walk);
}

static void fail(struct walk *walk, const struct error *error)
{
    value_walk_fn done = walk->done;
    void *user = walk->user;
    walk_free(walk);
    done(user, NULL, error);
}

static void fail_with(struct walk *walk, enum error_kind kind, const char *why)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, kind, "%s", why);
    fail(walk, &error);
}

static void on_summary(void *user)
{
    struct walk *walk = user;
    struct walked_value value = walk->value;
    walk->value = (struct walked_value){ 0 };
    value_walk_fn done = walk->done;
    void *done_user = walk->user;
    walk_free(walk);
    done(done_user, &value, NULL);
}

static void succeed(struct walk *walk)
{
    if (walk->value.variable.handle == 0)
        variable_give_handles(walk->session, &walk->value.variable);
    summaries_read(walk->session, &walk->wish.adapter_frame, &walk->value.variable, 1, walk->wish.hex, on_summary, walk);
}

/* False: the walk has ended. */
static bool goes_on(struct walk *walk, const struct dap_answer *answer)
{
    const struct stop *stop = session_stop(walk->session);
    if (answer->outcome != DAP_OK) {
        AUTO_FREE char *why = session_answer_text(answer);
        fail_with(walk, answer->outcome == DAP_TIMED_OUT ? ERROR_TIMEOUT : ERROR_REQUEST, why);
        return false;
    }
    if (stop == NULL || stop->number != walk->stop_number) {
        fail_with(walk, ERROR_STATE, "the program went on while the value was being read");
        return false;
    }
    return true;
}

/* ---- what is not there ---- */

static bool is_prototype(const struct variable *member)
{
    return member->name.data != NULL && strcmp(member->name.data, "[[Prototype]]") == 0;
}

static void name_nearest(struct walk *walk, struct buffer *text, const char *segment)
{
    struct nearest_names names;
    nearest_names_init(&names, segment);
    for (size_t i = 0; i < walk->member_count; i++)
        if (!walk->members[i].group && !is_prototype(&walk->members[i]))
            nearest_names_add(&names, &walk->members[i].name);
    for (size_t i = 0; i < walk->scope_count; i++)
        for (size_t k = 0; k < walk->scopes[i].count; k++)
            nearest_names_add(&names, &walk->scopes[i].variables[k].name);
    nearest_names_write(text, &names);
    nearest_names_done(&names);
}

/* `why`: what an evaluation of the path said; NULL. */
static void fail_not_found(struct walk *walk, const char *why)
{
    const char *segment = walk->path.segments[walk->next].text;
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, LIMIT_RENDERED_BYTES);
    buffer_addf(&text, "/path: no \"%s\" ", segment);
    if (walk->next == 0 && !walk->wish.from_value)
        buffer_add(&text, "among the variables of the frame");
    else if (walk->next == 0)
        buffer_addf(&text, "in %s", walk->wish.place_name);
    else
        buffer_addf(&text, "in %.*s", (int)walk->path.segments[walk->next - 1].end, walk->path.text);
    if (walk->next > 0 && walk->value.variable.type.len > 0)
        buffer_addf(&text, " (%s)", walk->value.variable.type.data);
    if (walk->next > 0 && walk->value.variable.adapter_reference == 0)
        buffer_add(&text, ", which has no members");
    else
        name_nearest(walk, &text, segment);
    if (why != NULL)
        buffer_addf(&text, " (evaluated, too: %s)", why);
    fail_with(walk, ERROR_REQUEST, text.data); /* like an expression that has no value */
}

/* What JavaScript says of a member that does not exist. */
static bool is_undefined(const struct variable *evaluation)
{
    return evaluation->value.data != NULL && evaluation->type.data != NULL && strcmp(evaluation->value.data, "undefined") == 0 &&
           strcmp(evaluation->type.data, "undefined") == 0;
}

static void on_evaluated(void *user, const struct dap_answer *answer)
{
    struct walk *walk = user;
    if (answer->outcome == DAP_REFUSED) {
        fail_not_found(walk, answer->message);
        return;
    }
    if (!goes_on(walk, answer))
        return;
    struct variable evaluation;
    evaluation_read(answer->body, &evaluation);
    if (is_undefined(&evaluation)) {
        variable_done(&evaluation);
        fail_not_found(walk, "undefined");
        return;
    }
    walked_value_done(&walk->value);
    walk->value = (struct walked_value){ .variable = evaluation };
    struct variable *variable = &walk->value.variable;
    free(variable->name.data);
    variable->name = (struct adapter_text){ xstrdup(walk->path.text), strlen(walk->path.text) };
    xreplace(&variable->evaluate_name, walk->path.text);
    succeed(walk);
}

#define ALL_ELEMENTS 100 /* an adapter that shows fewer elements of a list shows all */

/* C would read what is behind the last element of an array, and find something. */
static bool is_behind_the_last(const struct walk *walk)
{
    const struct path_segment *segment = &walk->path.segments[walk->next];
    if (segment->kind != PATH_INDEX || segment->index < 0 || walk->member_count == 0)
        return false;
    size_t elements = 0;
    for (size_t i = 0; i < walk->member_count; i++)
        elements += value_path_is_element(&walk->members[i].name);
    return elements > 0 && (elements < ALL_ELEMENTS || walk->value.variable.indexed > 0);
}

static void try_evaluation(struct walk *walk)
{
    if (is_behind_the_last(walk) || walk->wish.from_value || session_quirk(walk->session, QUIRK_HIDES_FAILURES)) {
        fail_not_found(walk, NULL);
        return;
    }
    yyjson_mut_doc *doc = evaluate_arguments(walk->path.text, walk->wish.adapter_frame);
    add_value_format(doc, yyjson_mut_doc_get_root(doc), walk->wish.hex);
    session_ask(walk->session, "evaluate", doc, 0, on_evaluated, walk, walk->wish.request);
}

/* ---- from one value to the next ---- */

static void go_on(struct walk *walk);

static char *name_of(const struct variable *variable)
{
    char *name = xmalloc(variable->name.len + 1);
    memcpy(name, variable->name.data == NULL ? "" : variable->name.data, variable->name.len);
    name[variable->name.len] = '\0';
    return name;
}

/* Takes the variable out of its list. */
static void take(struct walk *walk, struct variable *variable, int64_t container)
{
    struct walked_value value = { .variable = *variable, .container = container, .name = name_of(variable) };
    *variable = (struct variable){ 0 };
    walked_value_done(&walk->value);
    walk->value = value;
}

static struct variable *best_match(const struct path_segment *segment, struct variable *list, size_t count, int *best)
{
    struct variable *found = NULL;
    for (size_t i = 0; i < count; i++) {
        int fits = value_path_match(segment, &list[i].name);
        if (fits > *best) {
            *best = fits;
            found = &list[i];
        }
    }
    return found;
}

/* The only member that is not made up by the adapter: what a pointer points to. */
static struct variable *only_member(struct variable *list, size_t count)
{
    struct variable *only = NULL;
    for (size_t i = 0; list != NULL && i < count; i++) {
        if (list[i].group)
            continue;
        if (only != NULL)
            return NULL;
        only = &list[i];
    }
    return only != NULL && only->adapter_reference > 0 ? only : NULL;
}

static void drop_members(struct walk *walk)
{
    variables_free(walk->members, walk->member_count);
    walk->members = NULL;
    walk->member_count = 0;
}

static void fail_entry(struct walk *walk)
{
    walk->in_entry = false;
    fail_not_found(walk, NULL);
}

/* The value of a map's entry: it is reached, but in JavaScript nothing is set there (what the debugger shows is a copy of the entry). */
static void take_entry_value(struct walk *walk)
{
    static char value_name[] = "value", second_name[] = "second";
    bool pair = walk->in_pair;
    const struct path_segment wanted = { .kind = PATH_NAME, .text = pair ? second_name : value_name };
    int best = 0;
    struct variable *value = best_match(&wanted, walk->members, walk->member_count, &best);
    if (value == NULL) {
        fail_entry(walk);
        return;
    }
    take(walk, value, pair ? walk->value.variable.adapter_reference : 0);
    walk->value.fixed = !pair;
    walk->in_entry = false;
    walk->next++;
    drop_members(walk);
    go_on(walk);
}

/* The first entry is not the one of the key 0; but where its pair is asked for by its place, it is. */
static bool may_be_entry(const struct walk *walk, const struct variable *found)
{
    const struct path_segment *segment = &walk->path.segments[walk->next];
    if (found == NULL || segment->kind == PATH_KEY || map_is_flat(&walk->value.variable, walk->member_count))
        return true;
    const struct path_segment *after = walk->next + 1 < walk->path.count ? segment + 1 : NULL;
    bool by_place = after != NULL && (strcmp(after->text, "first") == 0 || strcmp(after->text, "second") == 0);
    return map_is_of_pairs(&walk->value.variable) && !by_place;
}

static void look_among(struct walk *walk)
{
    if (walk->in_entry) {
        take_entry_value(walk);
        return;
    }
    int best = 0;
    const struct path_segment *segment = &walk->path.segments[walk->next];
    struct variable *found = best_match(segment, walk->members, walk->member_count, &best);
    const struct variable *map = &walk->value.variable;
    struct variable *entry = may_be_entry(walk, found) ? map_entry(map, segment, walk->members, walk->member_count) : NULL;
    if (entry != NULL && map_is_flat(map, walk->member_count)) {
        found = entry;
    } else if (entry != NULL) {
        walk->in_pair = map_is_of_pairs(map);
        take(walk, entry, 0);
        walk->in_entry = true;
        drop_members(walk);
        go_on(walk);
        return;
    }
    if (found == NULL && walk->paged && walk->member_count == 1)
        found = &walk->members[0]; /* the one element that was asked for, whatever its name */
    if (found != NULL) {
        walk->next++;
        walk->followed = 0;
    } else if (walk->followed < LIMIT_POINTERS_FOLLOWED) {
        found = only_member(walk->members, walk->member_count);
        walk->followed++;
    }
    if (found == NULL) {
        try_evaluation(walk);
        return;
    }
    take(walk, found, walk->next == 0 ? walk->wish.place.adapter_reference : walk->value.variable.adapter_reference);
    drop_members(walk);
    go_on(walk);
}

static void on_members(void *user, const struct dap_answer *answer)
{
    struct walk *walk = user;
    if (!goes_on(walk, answer))
        return;
    walk->members = read_all_variables(answer->body, &walk->member_count);
    walk->paged = walk->paged && walk->member_count == 1;
    look_among(walk);
}

/* One member more than there should be is asked of a lazy value: its value. */
static void on_lazy(void *user, const struct dap_answer *answer)
{
    struct walk *walk = user;
    if (!goes_on(walk, answer))
        return;
    size_t count;
    struct variable *list = read_all_variables(answer->body, &count);
    if (count == 1) {
        list[0].lazy = false;
        struct variable value = list[0];
        struct adapter_text name = walk->value.variable.name; /* what it is called, and how it is reached, stays */
        walk->value.variable.name = value.name;
        value.name = name;
        variable_done(&walk->value.variable);
        walk->value.variable = value;
        list[0] = (struct variable){ 0 };
    } else {
        walk->value.variable.lazy = false;
    }
    variables_free(list, count);
    go_on(walk);
}

static void ask_members(struct walk *walk, const struct value_place *place, session_answer_fn answer)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = variables_arguments(place->adapter_reference, &arguments);
    const struct path_segment *segment = walk->next < walk->path.count && !walk->in_entry ? &walk->path.segments[walk->next] : NULL;
    walk->paged = segment != NULL && answer == on_members && segment->kind == PATH_INDEX && place->indexed > segment->index &&
                  segment->index >= 0 && value_place_pages(place) &&
                  !map_is_flat(&walk->value.variable, (size_t)place->indexed); /* there it is a key */
    if (walk->paged) {
        json_add_string(doc, arguments, "filter", "indexed");
        json_add_int(doc, arguments, "start", segment->index);
        json_add_int(doc, arguments, "count", 1);
    }
    add_value_format(doc, arguments, walk->wish.hex);
    session_ask(walk->session, "variables", doc, 0, answer, walk, walk->wish.request);
}

static void go_on(struct walk *walk)
{
    const struct variable *variable = &walk->value.variable;
    struct value_place place = { variable->adapter_reference, variable->named, variable->indexed };
    if (variable->lazy && variable->adapter_reference > 0)
        ask_members(walk, &place, on_lazy);
    else if (walk->next == walk->path.count)
        succeed(walk);
    else if (variable->adapter_reference > 0)
        ask_members(walk, &place, on_members);
    else
        try_evaluation(walk);
}

/* ---- the beginning ---- */

static void begin_at_first(struct walk *walk)
{
    take(walk, walk->first, walk->first_container);
    walk->next = 1;
    scopes_free(walk->scopes, walk->scope_count);
    walk->scopes = NULL;
    walk->scope_count = 0;
    walk->first = NULL;
    go_on(walk);
}

/* The scopes tell what it was at the stop, the evaluation what it is. What cannot be evaluated (a name that the adapter has made) is as told. */
static void on_first(void *user, const struct dap_answer *answer)
{
    struct walk *walk = user;
    if (answer->outcome != DAP_REFUSED && !goes_on(walk, answer))
        return;
    if (answer->outcome == DAP_OK) {
        struct variable now;
        evaluation_read(answer->body, &now);
        struct adapter_text name = now.name;
        now.name = walk->first->name;
        walk->first->name = name;
        now.evaluate_name = xstrdup(walk->first->evaluate_name);
        variable_done(walk->first);
        *walk->first = now;
    }
    begin_at_first(walk);
}

static void evaluate_first(struct walk *walk)
{
    AUTO_FREE char *name = xstrndup(walk->path.text, walk->path.segments[0].end);
    yyjson_mut_doc *doc = evaluate_arguments(name, walk->wish.adapter_frame);
    add_value_format(doc, yyjson_mut_doc_get_root(doc), walk->wish.hex);
    session_ask(walk->session, "evaluate", doc, 0, on_first, walk, walk->wish.request);
}

static void on_scopes(void *user, struct scope *scopes, size_t count, const char *failure)
{
    struct walk *walk = user;
    walk->scopes = scopes;
    walk->scope_count = count;
    if (failure != NULL) {
        fail_with(walk, ERROR_REQUEST, failure);
        return;
    }
    int best = 0;
    for (size_t i = 0; i < count; i++) {
        struct variable *better = best_match(&walk->path.segments[0], scopes[i].variables, scopes[i].count, &best);
        if (better != NULL) {
            walk->first = better;
            walk->first_container = scopes[i].adapter_reference;
        }
    }
    if (walk->first == NULL)
        try_evaluation(walk);
    else if (session_scopes_are_old(walk->session))
        evaluate_first(walk);
    else
        begin_at_first(walk);
}

void value_walk(struct session *session, const struct value_walk_wish *wish, value_walk_fn done, void *user)
{
    const struct stop *stop = session_stop(session);
    struct walk *walk = xcalloc(1, sizeof(*walk));
    *walk = (struct walk){
        .session = session, .wish = *wish, .stop_number = stop == NULL ? 0 : stop->number, .done = done, .user = user
    };
    AUTO_ERROR struct error error = ERROR_INIT;
    if (value_path_parse(wish->path, &walk->path, &error) < 0) {
        fail(walk, &error);
    } else if (wish->from_value) {
        ask_members(walk, &wish->place, on_members);
    } else {
        struct frame_scopes_wish scopes = {
            .adapter_frame = wish->adapter_frame, .count = VARIABLES_READ, .hex = wish->hex, .request = wish->request
        };
        frame_scopes_read(session, &scopes, on_scopes, walk);
    }
}
