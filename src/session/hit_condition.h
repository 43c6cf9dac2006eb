/* Hit conditions that Dapple counts itself: at which hits of a breakpoint the program stops.
 *
 * The grammar is what debugpy, js-debug and delve have in common: "N" and "== N" are the Nth hit alone, ">= N", "> N", "<= N" and "< N" compare
 * the count, "% N" is every Nth. Blanks are free; N is a decimal number of at most 18 digits. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct error;

struct hit_condition {
    enum hit_operator { HIT_EQUAL, HIT_AT_LEAST, HIT_ABOVE, HIT_AT_MOST, HIT_BELOW, HIT_EVERY } op;
    int64_t number;
};

/* -1: it is not of the grammar; the error says what is. */
int hit_condition_read(const char *text, struct hit_condition *ret, struct error *ret_error);
bool hit_condition_holds(const struct hit_condition *condition, uint64_t hits);
