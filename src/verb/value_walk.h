/* From a path to the value: the first segment among the variables of a frame, the others among members by name. */
#pragma once

#include "session/session.h"

#include <stdbool.h>
#include <stdint.h>

struct error;

struct value_walk_wish {
    const char *path;         /* checked by value_path_parse */
    int64_t adapter_frame;    /* where it begins, unless from_value */
    bool from_value;          /* the path is among the members of: */
    struct value_place place; /* … */
    const char *place_name;   /* how a message names it */
    bool hex;                 /* only with supportsValueFormattingOptions */
    int64_t *request;         /* as of session_ask */
};

struct walked_value {
    struct variable variable; /* with a handle */
    int64_t container;        /* the adapter's reference of what holds it; 0: it was found by evaluating the path */
    char *name;               /* as the adapter calls it in there */
    bool fixed;               /* of a map's entry: it is not set by assigning */
};
void walked_value_done(struct walked_value *value);

/* `found` is the callee's; NULL with an error, that says how far it got and what there is instead. */
typedef void (*value_walk_fn)(void *user, struct walked_value *found, const struct error *error);

/* `done` is called once, maybe before this returns. Pointers and other values with a single member are followed. A lazy value on the way, or at
 * the end, is read. What is not among the variables and members is evaluated as it is written, where the adapter tells failures; a
 * path can call nothing and assign nothing. Belongs within session_inspect_begin and session_inspect_end. */
void value_walk(struct session *session, const struct value_walk_wish *wish, value_walk_fn done, void *user);
