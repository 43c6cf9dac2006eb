#include "io/argument_list.h"

#include "base/buffer.h"
#include "base/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

size_t argument_list_count(char *const *list)
{
    size_t count = 0;
    while (list && list[count])
        count++;
    return count;
}

static char *replace(const char *text, const char *mark, const char *value)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, SIZE_MAX);
    const char *found;
    while ((found = strstr(text, mark)) != NULL) {
        buffer_append(&out, text, (size_t)(found - text));
        buffer_add(&out, value);
        text = found + strlen(mark);
    }
    buffer_add(&out, text);
    return buffer_take(&out, NULL);
}

char **argument_list_copy(char *const *list, size_t spare, const char *mark, const char *value)
{
    size_t count = argument_list_count(list);
    char **copy = xcalloc(count + spare + 1, sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = mark ? replace(list[i], mark, value) : xstrdup(list[i]);
    return copy;
}

void argument_list_free(char **list)
{
    for (char **string = list; string && *string; string++)
        free(*string);
    free(list);
}
