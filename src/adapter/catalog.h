/* The catalog of adapters (one JSON file each in adapters/, compiled in; docs/adapters.md describes their format): which adapter serves
 * which program, how it is found, and what it is told.
 *
 * Nothing here runs at start-up: the catalog is read on first use. Looking for adapters looks at files, and runs nothing except, for an
 * entry that needs a certain version, the adapter with --version: bounded to two seconds, and once per file.
 * Strings returned as const point into the catalog. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yyjson.h>

struct buffer;
struct error;
struct launch_plan;

struct adapter_entry; /* one file of adapters/ */

size_t catalog_count(void);
const struct adapter_entry *catalog_entry(size_t index);
const struct adapter_entry *catalog_find(const char *id); /* by id or alias; NULL */
const char *adapter_entry_id(const struct adapter_entry *entry);
const char *adapter_entry_debugs(const struct adapter_entry *entry);      /* "Python programs" */
const char *adapter_entry_tested_with(const struct adapter_entry *entry); /* versions; NULL: experimental */
bool adapter_entry_is(const struct adapter_entry *entry, const char *id); /* its id, or an alias */

/* ---- which adapter ---- */

struct adapter_choice {
    const struct adapter_entry *entry;
    char *reason;  /* "shebang names python3", "ELF executable", … ; heap memory */
    bool fallback; /* a preferred adapter is not here or cannot be used; `reason` says which and why: the user should see it */
};
/* Chooses by extension, then shebang, then by reading the file (ELF, Mach-O); a folder by what lies in it (go.mod). Where several adapters serve such a file, the preferred one
 * that is here is taken, and `reason` says why not the others; markers of the project are only a tie-break. `wanted` (may be NULL) is the
 * user's `adapter` and wins when it exists. `program` is absolute.
 * Errors, each its own sentence with the next step: missing (with the nearest name), a folder, not executable, an object file, a library or
 * a core dump, a source file of a compiled language (says: compile with -g and pass the executable), a language that has no adapter in
 * this version, an unknown kind of file (lists the adapters), an unknown `wanted` (lists the ids), a `wanted` that cannot debug such a
 * file, and none of the adapters for such a file being here (says for each what was looked for and how it is installed). */
int adapter_choose(const char *program, const char *wanted, struct adapter_choice *ret_choice, struct error *ret_error);
void adapter_choice_done(struct adapter_choice *choice);

/* ---- where it is and how it is started ---- */

struct adapter_request {
    const char
        *program; /* absolute; a file, or a folder where the adapter takes those (delve: a Go package); NULL: launch_arguments say
                            what is to be run (a module, a task, …), or it runs already */
    char *const *args;         /* NULL-terminated; NULL: not given */
    const char *cwd;           /* absolute; NULL: not given (launch_arguments' cwd, else the current directory) */
    char *const *env;          /* NULL-terminated "NAME=value" or "NAME" (remove), for the debuggee; NULL: not given */
    char *const *surroundings; /* NULL-terminated "NAME=value" for the adapter and, by inheritance, the debuggee; what the adapter's
                                  declaration or `env` says of a name wins; NULL: none */
    bool stop_on_entry;
    bool terminal; /* in a terminal (runInTerminal) in place of the adapter's own way; an error where the adapter has no such way */
    const char *stop_on_exceptions; /* "uncaught" (also when NULL), "all", "none" */
    int64_t attach_pid;             /* attach to this process; 0: no */
    const char *attach_host;        /* attach to what listens there; NULL: this machine */
    uint16_t attach_port;           /* 0: no */
    const char *attach_core;        /* open this core file, of `program`; absolute; NULL: no */
    const char *attach_name;        /* of the process, for messages; NULL */
    yyjson_val *launch_arguments;   /* object merged over the entry's own; what this request gives of the above wins; NULL */
};
/* Finds the adapter and makes the plan. Errors name what was looked for, where, and the command that installs it here.
 * `warnings` gets sentences that the user should see (no debug information, another Python than expected, …), each ended by a newline;
 * may stay empty. */
int adapter_plan(const struct adapter_entry *entry, const struct adapter_request *request, struct launch_plan **ret_plan,
                 struct buffer *warnings, struct error *ret_error);
