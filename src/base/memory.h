/* Heap memory that cannot fail: out of memory aborts, since every input is bounded before it is stored. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

void *xmalloc(size_t size);
void *xcalloc(size_t count, size_t size);
void *xrealloc(void *memory, size_t size);
char *xstrdup(const char *text);              /* NULL gives NULL */
char *xstrndup(const char *text, size_t len); /* copies exactly len bytes, embedded NULs too */
char *xasprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *format, va_list args) __attribute__((format(printf, 1, 0)));

/* Replaces *slot by a copy of text (NULL clears it). */
void xreplace(char **slot, const char *text);
bool same_text(const char *a, const char *b); /* NULL is the same as NULL only */

/* Grows an array by doubling so that it holds at least `need` items; *cap counts items. */
void *xgrow(void *array, size_t *cap, size_t need, size_t item_size);

static inline void cleanup_free(void *slot)
{
    free(*(void **)slot);
}
/* "unused": that it is freed is use enough. */
#define AUTO_FREE __attribute__((cleanup(cleanup_free), unused))

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
