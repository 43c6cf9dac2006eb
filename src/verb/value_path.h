/* A value by its path: order.items[0].price, $item->{tags}[1], map["a key"], @name. A path names members; it is no expression, and
 * nothing of it is run.
 *
 * Languages and adapters write names in their own ways: a list's first element is "0", "[0]" or "00", a key is 'a', "a", ["a"] or :a, a
 * member of an object is @name. A segment is compared with what it may be called there; what is written exactly wins. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct adapter_text;
struct buffer;
struct error;

enum path_kind {
    PATH_NAME,  /* item, .item, ->item, (*item) */
    PATH_INDEX, /* [0] */
    PATH_KEY,   /* ["key"], ['key'], [:key], {key} */
};

struct path_segment {
    enum path_kind kind;
    char *text;    /* without dots, brackets and quotes */
    int64_t index; /* PATH_INDEX; also of an index that counts from the end */
    size_t end;    /* where in the path's text the segment ends */
};

struct value_path {
    char *text;
    struct path_segment *segments;
    size_t count;
};

/* The error says where the path is none. */
int value_path_parse(const char *text, struct value_path *ret, struct error *ret_error);
void value_path_done(struct value_path *path); /* takes a zeroed one */

/* How well a member's name fits: 0 not at all, more is better. */
int value_path_match(const struct path_segment *segment, const struct adapter_text *name);

/* Whether the name is an element's: "0", "[0]". */
bool value_path_is_element(const struct adapter_text *name);

/* Appends the segment that leads to this member: ".name", "[0]", "[\"a key\"]"; to an empty path the bare name. */
void value_path_add(struct buffer *path, const struct adapter_text *name);
