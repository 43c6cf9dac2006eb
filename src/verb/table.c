#include "verb/verb.h"

#include <string.h>

const struct verb *verb_find_tool(const char *tool)
{
    for (size_t i = 0; i < verb_count; i++) {
        if (strcmp(verb_table[i].tool, tool) == 0)
            return &verb_table[i];
    }
    return NULL;
}
