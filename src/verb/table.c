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

const char *verb_tools(enum tool_set tools, bool structured)
{
    if (tools == TOOL_SET_FULL)
        return structured ? verb_tools_full_structured : verb_tools_full_text;
    return structured ? verb_tools_core_structured : verb_tools_core_text;
}
