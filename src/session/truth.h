/* Whether the value of a condition counts as true, by the text that the adapter gives for it. */
#pragma once

#include <stdbool.h>

/* False are: no text, "false", "False", "nil", "null", "NULL", "nullptr", "None", "undefined", "NaN", an empty string ('' or ""), and zero in
 * any spelling ("0", "0x0", "0.0", "-0", "0 '\000'"), also behind a type or a name ("(bool) false", "(int) $1 = 0"). All else is true. */
bool text_is_true(const char *text);
