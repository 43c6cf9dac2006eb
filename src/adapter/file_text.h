/* Looking into text files, with a bound on how much is read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Does the file have this text in its first megabytes? False when it cannot be read. */
bool file_contains(const char *path, const char *text);

/* The first `most` bytes of a file as a string; NULL when it cannot be read. Heap memory of the caller's. */
char *file_beginning(const char *path, size_t most);
