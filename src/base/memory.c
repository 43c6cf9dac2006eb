#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

static void *or_abort(void *memory)
{
    if (!memory) {
        fputs("dapple: out of memory\n", stderr);
        abort();
    }
    return memory;
}

void *xmalloc(size_t size)
{
    return or_abort(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size)
{
    return or_abort(count && size ? calloc(count, size) : calloc(1, 1));
}

void *xrealloc(void *memory, size_t size)
{
    return or_abort(realloc(memory, size ? size : 1));
}

char *xstrdup(const char *text)
{
    return text ? xstrndup(text, strlen(text)) : NULL;
}

char *xstrndup(const char *text, size_t len)
{
    char *copy = xmalloc(len + 1);
    if (len > 0)
        memcpy(copy, text, len);
    copy[len] = '\0';
    return copy;
}

char *xasprintf(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = xvasprintf(format, args);
    va_end(args);
    return text;
}

char *xvasprintf(const char *format, va_list args)
{
    char *text = NULL;
    return or_abort(vasprintf(&text, format, args) < 0 ? NULL : text);
}

void xreplace(char **slot, const char *text)
{
    char *copy = xstrdup(text); /* first, since text may lie within *slot */
    free(*slot);
    *slot = copy;
}

void *xgrow(void *array, size_t *cap, size_t need, size_t item_size)
{
    if (need <= *cap)
        return array;
    size_t most = SIZE_MAX / item_size;
    if (need > most)
        or_abort(NULL);
    size_t wanted = *cap > most / 2 ? most : *cap * 2;
    if (wanted < 8)
        wanted = 8;
    if (wanted < need || wanted > most)
        wanted = need;
    array = xrealloc(array, wanted * item_size);
    *cap = wanted;
    return array;
}

bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}
