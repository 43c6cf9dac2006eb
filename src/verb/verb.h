/* The operation table: one row per file in verbs/, generated at build time (script/generate-verbs). C code binds a handler to the name. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum verb_needs {
    VERB_NEEDS_NOTHING,
    VERB_NEEDS_STOPPED,
    VERB_NEEDS_RUNNING,
    VERB_NEEDS_INACTIVE,
};

struct call;

/* Which operations an MCP client is offered as tools: those needed daily, with the arguments needed daily; or all of everything. */
enum tool_set { TOOL_SET_CORE, TOOL_SET_FULL };

struct verb {
    const char *name;             /* "step_in" */
    const char *tool;             /* "dap_step_in" */
    const char *command;          /* the word used in state failures: "stepIn" */
    const char *arguments_schema; /* JSON text, a flat object schema */
    const char *const
        *exactly_one; /* optional arguments of which one must be given and no other, NULL-terminated; NULL: no such rule */
    enum verb_needs needs;
    bool in_order;     /* waits until earlier calls to the same session are done; others are served at once */
    bool progress;     /* reports progress once a second while it waits */
    bool runs_program; /* one of the execution tools: its wait can be cancelled and timed out */
    void (*handle)(struct call *call);
};

extern const struct verb verb_table[];
extern const size_t verb_count;

/* The `tools` array of tools/list, JSON text in one line: without and with output schemas. They are sent as they are, never parsed. */
extern const char verb_tools_core_text[], verb_tools_core_structured[];
extern const char verb_tools_full_text[], verb_tools_full_structured[];
const char *verb_tools(enum tool_set tools, bool structured);
/* The server's instructions (verbs/instructions.txt), at most 1.5 KB; the first paragraph, at most 512 characters, stands alone. */
extern const char verb_instructions[];

const struct verb *verb_find_tool(const char *tool); /* NULL */
