#include "verb/value_tree.h"

#include "verb/asking.h"
#include "verb/internal.h"
#include "verb/map_entries.h"
#include "verb/summary.h"
#include "verb/value_path.h"

#include <string.h>

struct reading {
    struct session *session;
    struct value_tree *tree;
    struct value_tree_wish wish;
    int64_t stop_number;
    size_t next; /* node to be opened */
    int requests;
    size_t followed;          /* pointers, from that node on */
    int64_t reference;        /* whose members were asked for */
    int64_t named, indexed;   /* as told of it */
    bool paged;               /* by the adapter */
    struct variable *members; /* being added */
    size_t member_count, total;
    uint64_t length; /* as of the node */
    value_tree_fn done;
    void *user;
};

void value_tree_done(struct value_tree *tree)
{
    for (size_t i = 0; i < tree->count; i++) {
        variable_done(&tree->nodes[i].variable);
        free(tree->nodes[i].path);
        free(tree->nodes[i].failure);
    }
    free(tree->nodes);
    *tree = (struct value_tree){ 0 };
}

static struct tree_node *add_node(struct value_tree *tree, struct variable *variable)
{
    tree->nodes = xgrow(tree->nodes, &tree->cap, tree->count + 1, sizeof(*tree->nodes));
    struct tree_node *node = &tree->nodes[tree->count++];
    *node = (struct tree_node){ .variable = *variable };
    *variable = (struct variable){ 0 };
    return node;
}

void value_tree_add_root(struct value_tree *tree, struct variable *variable, const char *path)
{
    struct tree_node *node = add_node(tree, variable);
    node->path = xstrdup(path);
    node->end = node->variable.adapter_reference > 0 ? TREE_CLOSED : TREE_LEAF;
    tree->roots = tree->count;
}

/* ---- what is worth a line ---- */

static bool begins_with(const struct adapter_text *text, const char *start)
{
    return text->data != NULL && strncmp(text->data, start, strlen(start)) == 0;
}

static bool is(const struct adapter_text *text, const char *other)
{
    return text->data != NULL && strcmp(text->data, other) == 0;
}

/* What debuggers add to the members of every value: classes, prototypes, dunders. */
static bool is_added(const struct variable *variable)
{
    static const char *const names[] = { "#class",        "#length",
                                         "#encoding",     "%ancestors",
                                         "[[Prototype]]", "[[FunctionLocation]]",
                                         "[[Scopes]]",    "[[GeneratorLocation]]" };
    if (variable->group)
        return true;
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (is(&variable->name, names[i]))
            return true;
    return false;
}

static bool is_pointer(const struct variable *variable)
{
    return variable->type.data != NULL && strchr(variable->type.data, '*') != NULL;
}

/* The one member that stands for what the value points to. */
static bool is_pointee(const struct variable *pointer, const struct variable *only)
{
    if (only->adapter_reference <= 0)
        return false;
    bool named_so = only->name.len == 0 || begins_with(&only->name, "*") || (is(&only->name, "value") && is_pointer(pointer));
    return named_so;
}

/* The first letter of a text that is shown already. */
static bool is_first_letter(const struct variable *pointer, const struct variable *only)
{
    bool text = pointer->value.data != NULL && strchr(pointer->value.data, '"') != NULL;
    return text && only->adapter_reference == 0 &&
           (begins_with(&only->name, "*") || only->name.len == 0 || is(&only->name, "value"));
}

/* ---- the reading ---- */

static void read_next(struct reading *reading);
static void ask(struct reading *reading, int64_t reference, int64_t named, int64_t indexed);

static bool same_object(const struct variable *a, const struct variable *b)
{
    if (a->adapter_reference == b->adapter_reference)
        return true;
    return a->memory_reference != NULL && b->memory_reference != NULL && a->type.len > 0 && a->type.len == b->type.len &&
           strcmp(a->memory_reference, b->memory_reference) == 0 && memcmp(a->type.data, b->type.data, a->type.len) == 0;
}

static bool is_in_itself(const struct value_tree *tree, size_t index, size_t *ret_same_as)
{
    size_t at = index;
    while (tree->nodes[at].depth > 0) {
        at = tree->nodes[at].parent;
        if (same_object(&tree->nodes[at].variable, &tree->nodes[index].variable)) {
            *ret_same_as = at;
            return true;
        }
    }
    return false;
}

static void add_members(struct reading *reading)
{
    struct value_tree *tree = reading->tree;
    size_t parent = reading->next, first = tree->count, count = 0;
    int depth = tree->nodes[parent].depth;
    const struct variable *map = &tree->nodes[parent].variable;
    bool is_map = map_is_flat(map, reading->member_count) || map_is_of_pairs(map);
    for (size_t i = 0; i < reading->member_count && tree->count < LIMIT_TREE_VALUES; i++) {
        if (is_added(&reading->members[i]))
            continue;
        struct tree_node *node = add_node(tree, &reading->members[i]);
        count++;
        variable_give_handles(reading->session, &node->variable);
        node->depth = depth + 1;
        node->parent = parent;
        node->end = node->variable.adapter_reference > 0 ? TREE_CLOSED : TREE_LEAF;
        const char *above = tree->nodes[parent].path;
        if (above != NULL && node->variable.name.len > 0) {
            AUTO_BUFFER struct buffer path;
            buffer_init(&path, LIMIT_PATH_TEXT);
            buffer_add(&path, above);
            if (is_map) /* a number would be a key */
                buffer_addf(&path, "[\"%s\"]", node->variable.name.data);
            else
                value_path_add(&path, &node->variable.name);
            node->path = xstrdup(path.data);
        }
    }
    struct tree_node *node = &tree->nodes[parent];
    node->first = first;
    node->count = count;
    node->total = reading->total;
    node->length = reading->length;
    node->start = node->depth == 0 ? reading->wish.start : 0;
    node->end = reading->total == 0 && node->depth > 0 ? TREE_LEAF : TREE_OPEN;
    reading->next++;
    read_next(reading);
}

static void on_summaries(void *user)
{
    add_members(user);
}

static void drop_members(struct reading *reading)
{
    variables_free(reading->members, reading->member_count);
    reading->members = NULL;
    reading->member_count = 0;
}

/* Where the adapter does not tell which of the members are indexed, their names do. */
static bool is_filtered_out(const struct reading *reading, const struct variable *member)
{
    const struct tree_node *node = &reading->tree->nodes[reading->next];
    if (reading->wish.filter == NULL || node->depth > 0)
        return false;
    return value_path_is_element(&member->name) != (strcmp(reading->wish.filter, "indexed") == 0);
}

/* js-debug adds a prototype to each page. */
static size_t count_real(yyjson_val *body)
{
    size_t told, real = 0;
    struct variable *all = read_all_variables(body, &told);
    for (size_t i = 0; i < told; i++)
        real += !is_added(&all[i]);
    variables_free(all, told);
    return real;
}

/* Keeps the page of members that are worth a line, and counts them all. */
static void read_page(struct reading *reading, yyjson_val *body, size_t start, size_t count)
{
    size_t told, seen = 0;
    AUTO_FREE struct variable *all = read_all_variables(body, &told);
    reading->members = xcalloc(told + 1, sizeof(*reading->members));
    for (size_t i = 0; i < told; i++) {
        bool real = !is_added(&all[i]) && !is_filtered_out(reading, &all[i]);
        if (real && seen++ >= start && reading->member_count < count)
            reading->members[reading->member_count++] = all[i];
        else
            variable_done(&all[i]);
    }
    reading->total = reading->paged ? (size_t)reading->indexed : seen;
    reading->length = read_true_length(body);
}

static void on_members(void *user, const struct dap_answer *answer)
{
    struct reading *reading = user;
    struct tree_node *node = &reading->tree->nodes[reading->next];
    const struct stop *stop = session_stop(reading->session);
    bool still = stop != NULL && stop->number == reading->stop_number;
    if (answer->outcome != DAP_OK || !still) {
        node->failure = still ? session_answer_text(answer) : xstrdup("the program went on");
        node->end = TREE_FAILED;
        reading->next = still ? reading->next + 1 : reading->tree->count;
        read_next(reading);
        return;
    }
    size_t page = node->depth == 0 ? reading->wish.count : reading->wish.inner_count;
    size_t start = node->depth == 0 ? reading->wish.start : 0;
    reading->paged =
        reading->paged && count_real(answer->body) <= page; /* a longer answer holds everything: the adapter ignores pages */
    read_page(reading, answer->body, reading->paged ? 0 : start, page);
    if (reading->member_count == 1 && reading->total == 1 && reading->wish.filter == NULL) {
        struct variable *only = &reading->members[0];
        if (is_first_letter(&node->variable, only)) {
            drop_members(reading);
            reading->total = 0;
        } else if (is_pointee(&node->variable, only) && reading->followed++ < LIMIT_POINTERS_FOLLOWED) {
            int64_t reference = only->adapter_reference, named = only->named, indexed = only->indexed;
            drop_members(reading);
            ask(reading, reference, named, indexed);
            return;
        }
    }
    summaries_read(reading->session, NULL, reading->members, reading->member_count, reading->wish.hex, on_summaries, reading);
}

static void ask(struct reading *reading, int64_t reference, int64_t named, int64_t indexed)
{
    const struct tree_node *node = &reading->tree->nodes[reading->next];
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = variables_arguments(reference, &arguments);
    size_t page = node->depth == 0 ? reading->wish.count : reading->wish.inner_count;
    size_t start = node->depth == 0 ? reading->wish.start : 0;
    const char *filter = node->depth == 0 && (named > 0 || indexed > 0) ? reading->wish.filter : NULL;
    bool wants_named = filter != NULL && strcmp(filter, "named") == 0;
    bool pages = value_place_pages(&(struct value_place){ reference, named, indexed });
    reading->paged = indexed > 0 && (pages || filter != NULL) && !wants_named;
    reading->reference = reference;
    reading->named = named;
    reading->indexed = indexed;
    if (reading->paged) {
        int64_t left = indexed - (int64_t)start;
        json_add_string(doc, arguments, "filter", "indexed"); /* without it rdbg shows a list's class, and no elements */
        json_add_int(doc, arguments, "start", left > 0 ? (int64_t)start : 0);
        json_add_int(doc, arguments, "count", left <= 0 ? 1 : left < (int64_t)page ? left : (int64_t)page);
        if (left <= 0) /* nothing is behind the last: it is not asked for, gdb fails then */
            reading->paged = false;
    } else if (filter != NULL) {
        json_add_string(doc, arguments, "filter", filter);
    }
    add_value_format(doc, arguments, reading->wish.hex);
    reading->requests++;
    session_ask(reading->session, "variables", doc, 0, on_members, reading, reading->wish.request);
}

static bool wants_opening(struct reading *reading, struct tree_node *node)
{
    if (node->end != TREE_CLOSED || node->depth >= reading->wish.depth || node->variable.lazy)
        return false;
    if (is_in_itself(reading->tree, reading->next, &node->same_as)) {
        node->end = TREE_CYCLE;
        return false;
    }
    if (reading->requests >= LIMIT_TREE_REQUESTS || reading->tree->count >= LIMIT_TREE_VALUES) {
        node->end = TREE_CUT;
        return false;
    }
    return true;
}

static void read_next(struct reading *reading)
{
    drop_members(reading);
    while (reading->next < reading->tree->count) {
        struct tree_node *node = &reading->tree->nodes[reading->next];
        if (wants_opening(reading, node)) {
            reading->followed = 0;
            ask(reading, node->variable.adapter_reference, node->variable.named, node->variable.indexed);
            return;
        }
        reading->next++;
    }
    value_tree_fn done = reading->done;
    void *user = reading->user;
    free(reading);
    done(user);
}

void value_tree_read(struct session *session, struct value_tree *tree, const struct value_tree_wish *wish, value_tree_fn done,
                     void *user)
{
    const struct stop *stop = session_stop(session);
    struct reading *reading = xcalloc(1, sizeof(*reading));
    *reading = (struct reading){
        .session = session, .tree = tree, .wish = *wish, .stop_number = stop == NULL ? 0 : stop->number, .done = done, .user = user
    };
    read_next(reading);
}
