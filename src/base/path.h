/* File paths. "Lexical" means without looking at the file system. Results are heap memory of the caller's. */
#pragma once

#include <stdbool.h>

/* Lexical; removes "." and ".." and doubled slashes, and a slash at the end except of "/". A `base` that is NULL or relative is
 * taken from the working directory. */
char *path_absolute(const char *path, const char *base);
char *path_join(const char *folder, const char *name); /* an absolute name stands alone */
char *path_folder(const char *path);                   /* "/a/b" -> "/a", "/a" -> "/", "a" -> "." */
const char *path_name(const char *path);               /* what follows the last slash, points into path */
const char *path_extension(const char *path);          /* ".py", or ""; ".bashrc" has none */

/* How a path is shown: relative when it lies inside `base` (and is not base itself), else unchanged. */
char *path_shown(const char *path, const char *base);

bool path_exists(const char *path);
bool path_is_file(const char *path);
bool path_is_folder(const char *path);
bool path_is_executable(const char *path);         /* a regular file that we may execute */
bool path_same_file(const char *a, const char *b); /* same device and inode */
