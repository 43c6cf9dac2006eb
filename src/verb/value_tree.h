/* The members of values, level by level, within a budget. */
#pragma once

#include "session/session.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tree_end {
    TREE_LEAF,   /* it has no members, or none that are worth a line */
    TREE_OPEN,   /* its members were read: */
    TREE_CLOSED, /* it has members; the depth that was asked for ends here */
    TREE_CUT,    /* it has members; the budget is used up */
    TREE_CYCLE,  /* it is one of the values around it */
    TREE_FAILED, /* its members could not be read */
    TREE_SCOPE,  /* a scope that is not read unless asked for by its reference */
};

struct tree_node {
    struct variable variable;
    char *path; /* that dap_variables takes; NULL: it has none; "": what is in it has one */
    int depth;  /* 0: what was asked for */
    size_t parent;
    enum tree_end end;
    size_t first, count; /* its members: nodes, one behind the other */
    size_t total;        /* members that there are */
    size_t start;        /* number of the first */
    uint64_t length;     /* of a container of which total are listed only; 0 */
    size_t same_as;      /* TREE_CYCLE: the node */
    char *failure;       /* TREE_FAILED */
};

struct value_tree {
    struct tree_node *nodes; /* roots first, then level by level */
    size_t count, cap;
    size_t roots;
};
void value_tree_done(struct value_tree *tree);

struct value_tree_wish {
    int depth;           /* 1 to LIMIT_TREE_DEPTH */
    size_t start, count; /* of the roots' members */
    size_t inner_count;  /* most members of a value further in */
    const char *filter;  /* of the roots' members: "named", "indexed"; NULL */
    bool hex;
    int64_t *request; /* as of session_ask */
};

/* Adds a root before the reading; takes the variable. `path` is copied; NULL: it has none. */
void value_tree_add_root(struct value_tree *tree, struct variable *variable, const char *path);

typedef void (*value_tree_fn)(void *user);
/* Reads the members of the roots. A value around itself is shown once, a lazy one is not read, what a pointer points to is shown as the pointer's
 * own members. `done` is called once, maybe before this returns; the tree must live until then. Belongs within session_inspect_begin and
 * session_inspect_end. */
void value_tree_read(struct session *session, struct value_tree *tree, const struct value_tree_wish *wish, value_tree_fn done,
                     void *user);
