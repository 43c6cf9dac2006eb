/* Checks a call's arguments against the declaration, before anything else happens.
 *
 * Null for an optional member (top level, or in items of arrays) means omitted. What models get nearly right is accepted: "20" for an
 * integer, "true"/"false" for a boolean, JSON text for an object or an array, a single string for an array of strings where nothing
 * else fits. Values inside free objects (launch_arguments, env) are never touched. */
#pragma once

#include <yyjson.h>

struct error;
struct verb;

/* On success *ret_doc holds the cleaned arguments, root an object. On failure one line: "invalid arguments: /breakpoints/0/line must be >= 1",
 * for an unknown member also the names that exist ("/linee is not allowed; did you mean line?"); the first problem only. */
int arguments_check(const struct verb *verb, yyjson_val *arguments, yyjson_doc **ret_doc, struct error *ret_error);
