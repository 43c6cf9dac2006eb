/* The lines of a source file around a stop. Reads at most the first megabyte up to the line; lines are cut to a width. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct source_excerpt {
    int64_t first_line; /* 1-based number of lines[0] */
    char **lines;       /* raw bytes of each line without its end, NUL-terminated, at most 400 bytes each */
    size_t count;       /* 0: not available */
    char *why_none;     /* "not on this machine", "cannot be read: …", "has only 12 lines"; NULL when there are lines */
};
void source_excerpt_read(const char *path, int64_t line, int around, struct source_excerpt *ret);
void source_excerpt_done(struct source_excerpt *excerpt);
/* The line with that number, or NULL. */
const char *source_excerpt_line(const struct source_excerpt *excerpt, int64_t line);
