/* "Did you mean": the nearest of the words that exist to one that does not. */
#pragma once

#include <stddef.h>

struct near_word {
    const char *given;
    size_t given_len;
    char *word; /* the nearest so far; NULL: none is near enough */
    size_t distance;
};

void near_word_init(struct near_word *near, const char *given, size_t given_len);
void near_word_consider(struct near_word *near, const char *known);
void near_word_done(struct near_word *near);
#define AUTO_NEAR_WORD __attribute__((cleanup(near_word_done), unused))
