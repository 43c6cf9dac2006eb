/* One adapter's declaration (docs/adapters.md describes the format). script/embed-json has checked the compiled-in ones at build time,
 * so reading them here is plain: what is required is there. Inside src/adapter only. */
#pragma once

#include "json/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;

struct adapter_entry {
    struct json json; /* owns what the members below point to */
    const char *id;
    const char *type;
    const char *debugs;
    bool tested;
    yyjson_val *aliases;
    const char *tested_with;                                   /* NULL: experimental */
    yyjson_val *extensions, *interpreters, *formats, *markers; /* NULL: none */
    yyjson_val *folders;                                       /* markers of the folders that it takes as programs; NULL: none */
    const char *module_argument;                               /* the launch argument for a module in place of a program; NULL */
    yyjson_val *interpreter;                                   /* what a launch can tell it; NULL: nothing */
    yyjson_val *commands;                                      /* folders of the project with commands; NULL: a name is none */
    int64_t preference;                                        /* lower is better */
    yyjson_val *executables;                                   /* NULL for an adapter that is a Python package or a script */
    yyjson_val *scripts, *runs_with;                           /* NULL: none */
    yyjson_val *contains;                                      /* how the right script is told from others of its name; NULL */
    yyjson_val *needs;                                         /* a file that must be there too; NULL */
    const char *python_package;                                /* NULL for an adapter that is a program */
    yyjson_val *find_interpreters, *places, *editors;
    yyjson_val *defined; /* of the user's settings (adapter/definition.h): how it is found; else NULL */
    yyjson_val *version; /* how it is asked for, and whether it matters; NULL: any */
    yyjson_val *start, *launch, *exceptions, *quirks, *install;
    yyjson_val *claims_wrongly; /* capabilities that it claims and does not have; NULL: none */
    yyjson_val *terminal;       /* replaces members of `launch` when the program shall run in a terminal; NULL: it cannot */
    yyjson_val *attach;         /* NULL: it cannot */
};

/* Made by script/embed-json. */
extern const char *const adapter_declarations[];
extern const size_t adapter_declaration_count;

/* Reads one declaration; the entry must be given back to adapter_entry_done. */
int adapter_entry_read(const char *declaration, struct adapter_entry *ret, struct error *ret_error);
void adapter_entry_done(struct adapter_entry *entry);

/* Is `text` in the list? An item that ends with * stands for its beginning and a version: "python3*" is python3, python311 and
 * python3.11, but not python3-config. */
bool adapter_list_names(yyjson_val *list, const char *text);
bool adapter_name_matches(const char *pattern, const char *name);
