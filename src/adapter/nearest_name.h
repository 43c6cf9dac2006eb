/* "Did you mean": the name in a folder that is closest to one that does not exist. */
#pragma once

/* The path of the nearest entry of the folder of `path`, or NULL when nothing there is close. Heap memory of the caller's. */
char *nearest_path(const char *path);
