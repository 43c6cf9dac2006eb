/* The choice of an adapter among given ones: the catalog's with what the user's settings put before or in place of them. */
#pragma once

#include "adapter/catalog.h"

/* The adapter for programs of this interpreter ("python3", without a folder), or NULL. */
const struct adapter_entry *adapter_of_interpreter(const struct adapter_entry *const *entries, size_t count, const char *name);
/* Can a module take the place of the program (`python3 -m NAME`)? Then these launch arguments are for it and for the interpreter. */
const char *adapter_module_argument(const struct adapter_entry *entry); /* NULL: it cannot */

int adapter_choose_among(const struct adapter_entry *const *entries, size_t count, const char *program, const char *wanted,
                         struct adapter_choice *ret_choice, struct error *ret_error);
