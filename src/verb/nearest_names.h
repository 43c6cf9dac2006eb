/* "Did you mean": of the names that there are, those that are like the one that was asked for; else the first ones. */
#pragma once

#include <stddef.h>

struct adapter_text;
struct buffer;

#define NEAREST_NAMES 5

struct near_name {
    char *text;
    size_t distance;
};

struct nearest_names {
    const char *wanted;
    struct near_name near[NEAREST_NAMES]; /* the nearest first */
    size_t near_count;
    char *first[NEAREST_NAMES];
    size_t first_count;
    size_t total;
};

void nearest_names_init(struct nearest_names *names, const char *wanted);
void nearest_names_add(struct nearest_names *names, const struct adapter_text *name);
/* "; near it: price, prize" or "; it has name, price, qty and 12 more" or "; it has no members". */
void nearest_names_write(struct buffer *text, const struct nearest_names *names);
void nearest_names_done(struct nearest_names *names);
