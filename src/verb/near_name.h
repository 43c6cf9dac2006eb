/* "Did you mean": how far a name that does not exist is from one that does. */
#pragma once

#include <stddef.h>

/* 0 is the same name but for case and separators; SIZE_MAX is nothing alike. */
size_t name_distance(const char *given, size_t given_len, const char *known, size_t known_len);
