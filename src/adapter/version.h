/* Which version of an adapter was found: for people to read. A launch does not need it and never asks. */
#pragma once

#include <yyjson.h>

struct adapter_entry;
struct adapter_found;

/* As the declaration says (`version` in docs/adapters.md): by running the adapter (bounded to two seconds, once per file), from a file beside
 * it, or from what it answered to `initialize` (`answer`, NULL: not asked); else from the version in its name or its folder's ("lldb-dap-19"). NULL
 * when none of these tells. Heap memory of the caller's. */
char *adapter_version(const struct adapter_entry *entry, const struct adapter_found *found, yyjson_val *answer);
