/* The entries of maps, as debuggers show them among the members of a map: js-debug as {"key" => value} with the members key and value, LLDB
 * as pairs {first:"key", second:value}, and gdb flat: a member for each key, and behind it one for its value. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct path_segment;
struct variable;

/* Keys and values by turns, as gdb's printers tell a map. */
bool map_is_flat(const struct variable *map, size_t members);

/* In pairs, by the type: those of a vector have no keys. */
bool map_is_of_pairs(const struct variable *map);

/* The entry that has the key; of a flat map the value of that key. NULL: there is none. */
struct variable *map_entry(const struct variable *map, const struct path_segment *key, struct variable *members, size_t count);
