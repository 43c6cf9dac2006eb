/* `dapple doctor PROGRAM`: what a launch of the program would do, and why. */
#pragma once

#include <stdbool.h>

struct settings;

/* `adapter`: the one that the call would name; NULL: none. `program` and `cwd` are absolute. Prints, and returns the exit status: 0 when the
 * program can be launched and its adapter works. */
int doctor_program(const struct settings *settings, const char *cwd, const char *program, const char *adapter, bool json);
