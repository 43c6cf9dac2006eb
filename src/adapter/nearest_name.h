/* "Did you mean": the name in a folder that is closest to one that does not exist. */
#pragma once

#include <stddef.h>

/* The path of the nearest entry of the folder of `path`, or NULL when nothing there is close. Heap memory of the caller's. */
char *nearest_path(const char *path);

/* How many letters must be added, dropped, replaced or swapped with their neighbour to make `b` out of `a`; case does not count.
 * SIZE_MAX: one of them is too long to be compared. */
size_t name_distance(const char *a, const char *b);
