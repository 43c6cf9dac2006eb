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

/* How an operation is called on the command line. */
struct verb_flag {
    const char *argument; /* NULL ends the list */
    const char *flag;     /* "--frame" */
};

/* Another word for a verb, as other debuggers have it. */
struct verb_alias {
    const char *word; /* NULL ends the list */
    const char *flag; /* stands before the words that follow it; NULL */
};

struct verb_cli {
    const char *verb; /* "step" */
    const struct verb_alias *aliases;
    const char *summary;           /* one line for a list */
    const char *group;             /* the heading that it stands under in the list */
    const char *const *positional; /* arguments that are given without a flag, in order; NULL-terminated */
    const struct verb_flag *flags; /* that are not called --like-the-argument */
    const char *const *files;      /* arguments that a shell completes with names of files; NULL-terminated */
    const char *const *examples;   /* NULL-terminated */
};

/* What an MCP client is offered as tools: the operations needed daily, with the arguments needed daily; all of everything; or one tool
 * whose argument `action` names the operation (verb/single.h). */
enum tool_set { TOOL_SET_CORE, TOOL_SET_FULL, TOOL_SET_SINGLE };

struct verb {
    const char *name;             /* "step_in" */
    const char *tool;             /* "dap_step_in" */
    const char *command;          /* the word used in state failures: "stepIn" */
    const char *summary;          /* what it does, and what comes next */
    const char *arguments_schema; /* JSON text, a flat object schema */
    const char *const
        *exactly_one; /* optional arguments of which one must be given and no other, NULL-terminated; NULL: no such rule */
    const char *const *at_least_one; /* optional arguments of which one must be given, the usual one first; NULL: no such rule */
    enum verb_needs needs;
    bool in_order;     /* waits until earlier calls to the same session are done; others are served at once */
    bool progress;     /* reports progress once a second while it waits */
    bool core;         /* offered in the set core, too */
    bool runs_program; /* one of the execution tools: its wait can be cancelled and timed out */
    struct verb_cli cli;
    void (*handle)(struct call *call);
};

extern const struct verb verb_table[];
extern const size_t verb_count;

/* The `tools` array of tools/list, JSON text in one line: without and with output schemas. They are sent as they are, never parsed. */
extern const char verb_tools_core_text[], verb_tools_core_structured[];
extern const char verb_tools_full_text[], verb_tools_full_structured[];
extern const char verb_tools_single_text[], verb_tools_single_structured[];
const char *verb_tools(enum tool_set tools, bool structured);
bool verb_offered(enum tool_set tools, const char *tool); /* `single` has all of them, as actions */
/* The server's instructions (verbs/instructions-*.txt), at most 1.5 KB; the first paragraph, at most 512 characters, stands alone. */
extern const char verb_instructions_core[], verb_instructions_full[], verb_instructions_single[];
const char *verb_instructions(enum tool_set tools);

extern const char verb_skill[]; /* a skill for agents that have a shell (verbs/skill.md), with the list of commands */

const struct verb *verb_find_tool(const char *tool); /* NULL */

/* The actions of the one tool of the set `single` (verbs/single.json). */
struct single_name {
    const char *given; /* NULL ends the list */
    const char *taken; /* the operation's name for it */
    bool seconds;      /* given in seconds, taken in milliseconds */
};

struct single_action {
    const char *name;
    const struct verb *verb;
    const struct single_name *names;
};

extern const char single_tool[]; /* its name */
extern const struct single_action single_actions[];
extern const size_t single_action_count;
