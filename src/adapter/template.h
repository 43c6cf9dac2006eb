/* Fills in the templates of a declaration: ${program}, ${args}, … in its command line and its launch arguments (docs/adapters.md). "$${" stands for "${" as it is. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <yyjson.h>

struct string_list;

/* What the placeholders stand for; a NULL one is not given. */
struct template_values {
    const char *adapter, *interpreter, *python; /* what discovery found */
    const char *program, *cwd;
    const char *adapter_folder, *program_folder; /* where these lie */
    const char *project;                         /* folder of the program's project (adapter/source_facts.h) */
    const char *go_mode, *go_target, *kotlin_class, *typescript_runner, *source_map_folder, *rust_printers;
    const char *host, *port_text; /* of a program or an adapter that is to be attached to */
    int64_t pid;                  /* 0: not given */
    const char *core;             /* a core file that is to be opened */
    char *const *args;            /* NULL-terminated */
    char *const *env;             /* NULL-terminated "NAME=value" or "NAME" (to be removed) */
    char *const *surroundings;    /* NULL-terminated "NAME=value" that the adapter's environment has besides ours */
    bool stop_on_entry;
};

/* A string that is one placeholder becomes its value, of whatever type; placeholders inside of a longer string are put in as text.
 * An item of a list that is just ${args} becomes as many as there are. Members and items whose placeholder is not given are left out. NULL when that is so for `value` itself. */
yyjson_mut_val *template_fill(yyjson_mut_doc *doc, yyjson_val *value, const struct template_values *values);

/* Appends the command line; an item that is just ${args} becomes as many as there are. */
void template_command(struct string_list *argv, yyjson_val *command, const struct template_values *values);

/* Is this string the one placeholder ${word}? */
bool template_is(yyjson_val *value, const char *word);
