/* Checks a call's arguments against the declaration, before anything else happens.
 *
 * Null for an optional member (top level, or in items of arrays) means omitted. What models get nearly right is accepted where it can
 * mean only one thing: "20" for an integer, "true"/"false" or 1/0 for a boolean, a number for a string, JSON text for an object or an
 * array, one item for an array where nothing else fits ("" for an array of strings is an empty one), a line's number or "app.py:42" for
 * an object with `line`, a list for `expression` where there is `expressions`; a choice in another case; a name in another spelling
 * (frameId), or one of those that the declaration lists for it (`also`). Values inside free objects (launch_arguments) are never touched,
 * but that a number for a variable of the environment is its text. Strings with a NUL in them are refused, since a path or an expression
 * would be cut there.
 *
 * The keywords understood are those that script/generate-verbs lets through. */
#pragma once

#include <yyjson.h>

struct error;
struct verb;

/* `arguments` NULL is an empty object. On success *ret_doc holds the cleaned arguments, root an object, independent of `arguments`.
 * On failure one line: "invalid arguments: /breakpoints/0/line must be >= 1", for an unknown member also the names that exist
 * ("/linee is not allowed; did you mean line?"); the first problem only. It names what was given as it was given. */
int arguments_check(const struct verb *verb, yyjson_val *arguments, yyjson_doc **ret_doc, struct error *ret_error);

/* The member of a closed object's `properties` that is meant by this name: the one of that name, else the only one that it can stand for;
 * NULL: none. */
const char *arguments_name(yyjson_val *properties, const char *given, size_t len);
