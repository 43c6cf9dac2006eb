/* Which frame of a stop is shown: its source and its variables are what the stop is about. */
#pragma once

#include "session/session.h"

#include <stddef.h>

/* Normally the top frame. Where the program was stopped from outside or by a failure (an exception, a signal, a pause), the nearest frame
 * of the project's own code; where the top frame has no source on this machine, the nearest that has. Index into stop->frames; 0 when
 * there is nothing better. */
size_t shown_frame(const struct stop *stop, const char *project);

/* The innermost that is the project's own code, with its source on this machine; `count` when none is. */
size_t own_frame(const struct frame *frames, size_t count, const char *project);
