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

bool verb_offered(enum tool_set tools, const char *tool)
{
    const struct verb *verb = verb_find_tool(tool);
    return verb != NULL && (verb->core || tools != TOOL_SET_CORE);
}

const char *verb_tools(enum tool_set tools, bool structured)
{
    switch (tools) {
    case TOOL_SET_CORE:
        return structured ? verb_tools_core_structured : verb_tools_core_text;
    case TOOL_SET_FULL:
        return structured ? verb_tools_full_structured : verb_tools_full_text;
    case TOOL_SET_SINGLE:
        return structured ? verb_tools_single_structured : verb_tools_single_text;
    }
    return "[]";
}

const char *verb_instructions(enum tool_set tools)
{
    switch (tools) {
    case TOOL_SET_CORE:
        return verb_instructions_core;
    case TOOL_SET_FULL:
        return verb_instructions_full;
    case TOOL_SET_SINGLE:
        return verb_instructions_single;
    }
    return "";
}
