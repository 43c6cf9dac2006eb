/* A breakpoint as people write it: "app.py:42", "app.py:42 if n > 3", "app.py:42 hit 3", "app.py:42 log n={n}", also several of these in
 * this order; a line alone where the file is known; "main" or "/text/" where something other than a line may be meant. */
#pragma once

#include <stdbool.h>

struct error;

struct location {
    char *file;      /* NULL: none was given */
    char *line;      /* digits; NULL */
    char *column;    /* digits; NULL */
    char *function;  /* in place of file and line; NULL */
    char *text;      /* what stands between slashes, in place of a line; NULL */
    char *condition; /* NULL */
    char *hit;       /* NULL */
    char *log;       /* NULL */
};

/* ERROR_ARGUMENT says what is wrong with it. A colon in a file's name is no trouble: the last number is the line, unless a file of
 * this name is not there and one without the last two numbers is. */
int location_parse(const char *words, struct location *ret, struct error *ret_error);
void location_done(struct location *location); /* takes zeroed memory */
#define AUTO_LOCATION __attribute__((cleanup(location_done), unused))
