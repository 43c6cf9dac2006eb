/* "Did you mean": how far a name that does not exist is from one that does. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* 0 is the same name but for case and separators; SIZE_MAX is nothing alike. */
size_t name_distance(const char *given, size_t given_len, const char *known, size_t known_len);
/* That 0, without the distance. */
bool name_same(const char *a, size_t a_len, const char *b, size_t b_len);
