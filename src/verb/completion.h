/* One way in which an expression can go on; the strings are the answer's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct completion {
    const char *label;
    const char *text; /* what is to be written; mostly the label */
    const char *type; /* "property", "function", …; NULL */
    const char *detail;
    bool has_start;
    int64_t start, length; /* what it replaces, where told */
};
