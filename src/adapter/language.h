/* Programming languages by the extension of their source files: for telling what a file is that no adapter serves as it is. */
#pragma once

#include <stdbool.h>

struct language {
    const char *extension; /* ".rs", in lower case */
    const char *name;
    const char *build; /* how it is compiled with debug information; NULL: not a compiled language of native debuggers */
};

/* NULL when unknown; case does not count. */
const struct language *language_of_extension(const char *extension);
