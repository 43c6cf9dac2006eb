/* The tool set `single`: one tool, whose argument `action` names an operation (verbs/single.json).
 *
 * An action takes the arguments of its operation by their own names, and some by another name ("levels" for "count", "timeout" in seconds
 * for "timeout_ms"), so that models find the names of other debuggers' single tool. */
#pragma once

#include <yyjson.h>

struct error;
struct verb;

/* What a call of the tool means: the operation, and its checked arguments, root an object, independent of `arguments`. On failure one
 * line as of arguments_check, with the names as they were given: an action that is not there with the nearest, an argument of another
 * action with the actions that take it. */
int single_translate(yyjson_val *arguments, const struct verb **ret_verb, yyjson_doc **ret_doc, struct error *ret_error);
