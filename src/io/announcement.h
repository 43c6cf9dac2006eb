/* Waits for the words that an adapter prints once it listens, in whatever pieces they arrive. One for each stream that may carry them.
 *
 * The pattern is literal text, but "${port}" in it stands for a port number, which is taken from there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ANNOUNCEMENT_PORT "${port}"

struct announcement;

struct announcement *announcement_new(const char *pattern);
void announcement_free(struct announcement *announcement); /* NULL: nothing */

/* Takes what was printed next. True: the words have come, by now or before. A number at their end is complete when something else
 * follows it, or with five digits. */
bool announcement_hear(struct announcement *announcement, const char *bytes, size_t len);
uint16_t announcement_port(const struct announcement *announcement); /* 0 before the words have come, or when they name none */
