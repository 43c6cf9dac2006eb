/* The environment variables that keep programs from asking, paging and animating where nobody looks. */
#pragma once

#include <stdbool.h>

/* Those that our own environment does not set, as a NULL-terminated list of "NAME=value". CI and NO_COLOR change what many programs
 * do, so they are there only when asked for. Heap memory of the caller's (string by string). */
char **surroundings_new(bool ci, bool no_color);
