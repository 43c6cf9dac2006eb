/* The choice of an adapter among given ones: the catalog's with what the user's settings put before or in place of them. */
#pragma once

#include "adapter/catalog.h"

/* The adapter for programs of this interpreter ("python3", without a folder), or NULL. */
const struct adapter_entry *adapter_of_interpreter(const struct adapter_entry *const *entries, size_t count, const char *name);
/* Can a module take the place of the program (`python3 -m NAME`)? Then this launch argument is for it. */
const char *adapter_module_argument(const struct adapter_entry *entry); /* NULL: it cannot */

/* The launch arguments for the interpreter and for its own options; NULL: the adapter takes none. */
const char *adapter_interpreter_argument(const struct adapter_entry *entry);
const char *adapter_options_argument(const struct adapter_entry *entry);
/* Does the name of the interpreter alone (`node`, `ts-node`) count, too, or only a path? */
bool adapter_interpreter_by_name(const struct adapter_entry *entry);

enum interpreter_option {
    OPTION_REFUSED,    /* the interpreter does something else than run a program, or the adapter takes no options */
    OPTION_PLAIN,      /* */
    OPTION_WITH_VALUE, /* the next word belongs to it */
    OPTION_CODE,       /* the next word is the program itself: what follows are its arguments */
    OPTION_ALONE,      /* there is need of no program: what follows are arguments */
};
enum interpreter_option adapter_interpreter_option(const struct adapter_entry *entry, const char *word);

/* The command that a shell would run for `name` (without a slash) and that is a script of this adapter's: of the project of `folder` (as
 * node_modules/.bin), else on PATH. Heap memory of the caller's; NULL: none. */
char *adapter_command_script(const struct adapter_entry *const *entries, size_t count, const char *name, const char *folder,
                             const struct adapter_entry **ret);
/* The same of one adapter, whatever kind of file it is. */
char *adapter_command_path(const struct adapter_entry *entry, const char *name, const char *folder);

int adapter_choose_among(const struct adapter_entry *const *entries, size_t count, const char *program, const char *wanted,
                         struct adapter_choice *ret_choice, struct error *ret_error);
