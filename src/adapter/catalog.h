/* The catalog of adapters (adapters/*.json, compiled in): which adapter serves which program, how it is found, and what it is told.
 *
 * Nothing here runs at start-up: the catalog is read on first use. Looking for adapters looks at files only; it runs nothing, except
 * `gdb --version`-like probes that an entry names, through adapter_probe_fn. Strings returned as const point into the catalog. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <yyjson.h>

struct error;
struct launch_plan;

struct adapter_entry; /* one file of adapters/ */

size_t catalog_count(void);
const struct adapter_entry *catalog_entry(size_t index);
const struct adapter_entry *catalog_find(const char *id); /* by id or alias; NULL */
const char *adapter_entry_id(const struct adapter_entry *entry);

/* ---- which adapter ---- */

struct adapter_choice {
    const struct adapter_entry *entry;
    char *reason; /* "shebang names python3", "ELF executable", … ; heap memory */
};
/* Chooses by extension, then shebang, then by reading the file (ELF, Mach-O, script without extension), markers of the project only as
 * a tie-break. `wanted` (may be NULL) is the user's `adapter` and wins when it exists. `program` is absolute.
 * Errors, each its own sentence with the next step: missing, a folder, not executable, a source file of a compiled language (says: compile
 * with -g and pass the executable), an unknown kind of file (lists the adapters), an unknown `wanted` (lists the ids). */
int adapter_choose(const char *program, const char *wanted, struct adapter_choice *ret_choice, struct error *ret_error);
void adapter_choice_done(struct adapter_choice *choice);

/* ---- where it is and how it is started ---- */

struct adapter_request {
    const char *program;  /* absolute */
    char *const *args;    /* NULL-terminated; NULL: not given */
    const char *cwd;      /* absolute */
    char *const *env;     /* NULL-terminated "NAME=value" or "NAME" (remove), for the debuggee; NULL: not given */
    bool stop_on_entry;
    const char *stop_on_exceptions; /* "uncaught", "all", "none" */
    yyjson_val *launch_arguments;   /* object merged over the entry's own, program/args/cwd/env of this request win; NULL */
};
/* Finds the adapter and makes the plan. Errors name what was looked for, where, and the command that installs it here.
 * `warnings` gets sentences that the user should see (no debug information, …), one per line; may stay empty. */
struct buffer;
int adapter_plan(const struct adapter_entry *entry, const struct adapter_request *request, struct launch_plan **ret_plan,
                 struct buffer *warnings, struct error *ret_error);
