/* What a source file says about the lines that breakpoints are wanted on. Warnings only: the adapter decides. */
#pragma once

#include "session/model.h"

#include <stddef.h>

struct call;

/* Warns of a file that does not exist or is none, and of lines past the end, blank, or without code but a comment. */
void breakpoint_lines_check(struct call *call, const char *path, const struct desired_breakpoint *list, size_t count);
