/* The folders that adapters are looked for in. */
#pragma once

#include "adapter/string_list.h"

#include <stdbool.h>
#include <yyjson.h>

struct adapter_entry;
struct adapter_search;

/* Where programs are looked for by name: $DAPPLE_ADAPTERS/bin, the entry's places in the project, PATH, .adapters/bin in the folder of
 * Dapple's own binary or above (not when $DAPPLE_ADAPTERS is set), Mason's links. */
void places_for_programs(struct string_list *folders, const struct adapter_entry *entry, const struct adapter_search *search);

/* Does this program lie in one of the entry's places in the project? */
bool places_of_project_have(const struct adapter_entry *entry, const struct adapter_search *search, const char *program);

/* The folders that exist of a declaration's list, the newest version of each first. A place begins with / or with one of
 *   ~           the home folder
 *   ${NAME}     a variable of the environment, with the folders that it names; relative ones do not count
 *   ${adapters} $DAPPLE_ADAPTERS, else .adapters in the folder of Dapple's own binary or above
 *   ${project}  the program's folder, and those above it, the nearest first */
void places_expand(struct string_list *folders, yyjson_val *places, const struct adapter_search *search);

/* Folders inside of editors' extensions ("vadimcn.vscode-lldb-*" and below), of every editor that takes those of VS Code. */
void places_of_extensions(struct string_list *folders, yyjson_val *extensions);

/* .adapters in `start`, which is absolute, or in one above it: where script/bootstrap puts adapters. NULL: none, or others may write
 * there. Heap memory of the caller's. */
char *adapters_folder_above(const char *start);
