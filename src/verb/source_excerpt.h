/* The lines of a source file around a stop. Reads at most LIMIT_SOURCE_BYTES of the file; long lines are cut. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define SOURCE_EXCERPT_LINE_BYTES 400

struct source_excerpt {
    int64_t first_line; /* 1-based number of lines[0] */
    char **lines;   /* raw bytes of each line without its end (LF, CRLF), NULs as blanks, NUL-terminated, at most 400 bytes each */
    size_t count;   /* 0: not available */
    char *why_none; /* "is not on this machine", "cannot be read: …", "has only 12 lines": goes on from "the file"; NULL when there
                         * are lines */
};
/* `path` NULL: a frame without a file. Only regular files are read, so that nothing here can block. */
void source_excerpt_read(const char *path, int64_t line, int around, struct source_excerpt *ret);
/* The same from a text that the adapter gave. */
void source_excerpt_take(const char *bytes, size_t len, int64_t line, int around, struct source_excerpt *ret);
/* The beginning of a file, at most LIMIT_SOURCE_BYTES, as heap memory of the caller's; NULL: *ret_why says what is the matter with it, as
 * why_none does. */
char *source_file_read(const char *path, size_t *ret_len, char **ret_why);
void source_excerpt_done(struct source_excerpt *excerpt);
/* The line with that number, or NULL. */
const char *source_excerpt_line(const struct source_excerpt *excerpt, int64_t line);
