/* Values with their members below them, indented. */
#include "base/buffer.h"
#include "base/limits.h"
#include "verb/render.h"
#include "verb/render_line.h"
#include "verb/value_tree.h"

#include <inttypes.h>
#include <string.h>

struct tree_text {
    struct buffer *out;
    const struct value_tree *tree;
    const char *session;
    size_t begin;     /* of the text */
    size_t left;      /* nodes that found no room */
    unsigned any_cut; /* enum cut */
};

static void add_indent(struct buffer *out, int depth)
{
    for (int i = 0; i < depth; i++)
        buffer_add(out, "  ");
}

static void add_path(struct buffer *out, const struct tree_node *node)
{
    buffer_add(out, "path ");
    line_text(out, node->path, LIMIT_PATH_BYTES);
}

/* How to see more of it: " [path order.items · variables_reference 30007]". */
static void add_way_on(struct buffer *out, const struct tree_node *node)
{
    if (node->path == NULL || node->path[0] == '\0') {
        line_reference(out, &node->variable);
        return;
    }
    line_hint(out);
    buffer_add(out, " [");
    add_path(out, node);
    if (node->variable.handle > 0)
        buffer_addf(out, " · %s %" PRId64, line_argument("variables_reference"), node->variable.handle);
    buffer_addc(out, ']');
    line_hint_end(out);
}

static void add_end(struct buffer *out, const struct value_tree *tree, const struct tree_node *node)
{
    switch (node->end) {
    case TREE_LEAF:
        break;
    case TREE_OPEN:
        line_reference(out, &node->variable);
        break;
    case TREE_CLOSED:
        add_way_on(out, node);
        break;
    case TREE_CUT:
        add_way_on(out, node);
        buffer_add(out, " (not opened: too much for one call)");
        break;
    case TREE_CYCLE:
        buffer_add(out, " (cycle: the same as ");
        if (tree->nodes[node->same_as].path != NULL && tree->nodes[node->same_as].path[0] != '\0')
            line_text(out, tree->nodes[node->same_as].path, LIMIT_PATH_BYTES);
        else
            buffer_add(out, "a value around it");
        buffer_addc(out, ')');
        break;
    case TREE_SCOPE:
        line_reference(out, &node->variable);
        if (node->variable.handle > 0)
            buffer_addf(out, " (not expanded; pass its %s to expand)", line_argument("variables_reference"));
        else
            buffer_add(out, ": no variables reported");
        break;
    case TREE_FAILED:
        add_way_on(out, node);
        buffer_add(out, " (members not read: ");
        line_text(out, node->failure, LIMIT_MESSAGE_BYTES);
        buffer_addc(out, ')');
        break;
    }
}

static void add_more(struct tree_text *text, const struct tree_node *node, int depth)
{
    size_t end = node->start + node->count;
    if (node->end == TREE_OPEN && node->length > 0) {
        add_indent(text->out, depth + 1);
        buffer_addf(text->out, "(%zu are listed; ", node->total);
        line_true_length(text->out, node->length);
        buffer_add(text->out, ")\n");
    }
    if (node->total <= end || node->end != TREE_OPEN)
        return;
    add_indent(text->out, depth + 1);
    buffer_add(text->out, "… ");
    line_count(text->out, node->total - end);
    buffer_addf(text->out, " more of %zu: dap_variables ", node->total);
    if (node->variable.handle > 0)
        buffer_addf(text->out, "variables_reference=%" PRId64, node->variable.handle);
    else if (node->path != NULL && node->path[0] != '\0') {
        buffer_add(text->out, "path=");
        line_text(text->out, node->path, LIMIT_PATH_BYTES);
    }
    buffer_addf(text->out, " start=%zu", end);
    line_session(text->out, text->session);
    buffer_addc(text->out, '\n');
}

static void add_node(struct tree_text *text, size_t index)
{
    const struct tree_node *node = &text->tree->nodes[index];
    size_t before = text->out->len;
    add_indent(text->out, node->depth);
    struct variable shown = node->variable; /* its reference is said in another way */
    shown.handle = 0;
    shown.adapter_reference = 0;
    if (node->depth == 0 && node->path != NULL && node->path[0] != '\0')
        shown.name = (struct adapter_text){ node->path, strlen(node->path) };
    bool alone = index == 0 && text->tree->count == 1; /* the one value that was asked for */
    unsigned cut = line_variable_within(text->out, &shown, alone ? LIMIT_EVALUATION_BYTES : LIMIT_VALUE_BYTES);
    add_end(text->out, text->tree, node);
    buffer_addc(text->out, '\n');
    if (text->out->len - text->begin > LIMIT_TREE_BYTES && index > 0) {
        buffer_truncate(text->out, before);
        text->left++;
        return;
    }
    if (node->count == 0) /* else its members stand below */
        text->any_cut |= cut == CUT_NONE || node->variable.adapter_reference <= 0 ? cut : (unsigned)CUT_MEMBERS;
    for (size_t i = 0; i < node->count && node->depth < LIMIT_TREE_DEPTH; i++)
        add_node(text, node->first + i);
    add_more(text, node, node->depth);
}

void render_tree(struct buffer *out, const struct value_tree *tree, const char *session)
{
    struct tree_text text = { .out = out, .tree = tree, .session = session, .begin = out->len };
    size_t not_opened = 0;
    for (size_t i = 0; i < tree->roots; i++)
        add_node(&text, i);
    for (size_t i = 0; i < tree->count; i++)
        not_opened += tree->nodes[i].end == TREE_CUT;
    if (text.left > 0) {
        buffer_add(out, "… ");
        line_counted(out, text.left, "value");
        buffer_add(out, " and what is in them found no room: ask for a path further in, or for less depth\n");
    }
    if (not_opened > 0) {
        buffer_add(out, "… ");
        line_counted(out, not_opened, "value");
        buffer_addf(out, " not opened: one call shows at most %d values; dap_variables takes their path\n", LIMIT_TREE_VALUES);
    }
    if (text.any_cut != CUT_NONE) {
        buffer_addc(out, '(');
        line_cut_values(out, text.any_cut);
        buffer_add(out, ")\n");
    }
}
