/* A line of a source file, by its text instead of its number. */
#pragma once

#include <stdint.h>

struct error;

/* The line whose text, without the blanks around it, is `match`; else the only one that has `match` in it. An error names the candidates, or
 * the lines that are most like it; it goes on from the place of the argument: "/match: …". *ret_column: where the match begins, if it begins a
 * statement behind others of a line of JavaScript, whose debuggers heed columns; else 0. */
int breakpoint_match_line(const char *path, const char *project, const char *match, int64_t *ret_line, int64_t *ret_column,
                          struct error *ret_error);
