/* What a call says of breakpoints, as the session wants it. */
#pragma once

#include "session/model.h"

#include <yyjson.h>

struct call;
struct error;

/* Condition, hit condition, log message, mode and `enabled`; an empty text is none. */
void breakpoint_read_options(yyjson_val *item, struct desired_breakpoint *ret);
/* One of a file: {line | match, column, options}. `at` is where the item stands in the arguments, for errors: "/breakpoints/0", or "".
 * What is read is the caller's, and nothing after an error. */
int breakpoint_read_source(struct call *call, yyjson_val *item, const char *at, const char *path, struct desired_breakpoint *ret,
                           struct error *ret_error);
/* Counts the one that was read behind the others, unless it is equal to one of them: gdb keeps the second when both are taken away. */
void breakpoint_keep(struct desired_breakpoint *list, size_t *count);
