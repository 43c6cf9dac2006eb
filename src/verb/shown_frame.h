/* Which frame of a stop is shown: its source and its variables are what the stop is about. */
#pragma once

#include "session/session.h"

#include <stddef.h>

/* Where nobody asked for the place: the nearest frame of the project's own code, else the nearest with a source on this machine that the
 * adapter does not call unimportant; 0: the top one, or nothing better. */
size_t own_frame(const struct frame *frames, size_t count, const char *project);

/* Normally the top frame. Where the program was stopped from outside or by a failure (an exception, a signal, a pause), the nearest frame
 * of the project's own code; where the top frame has no source on this machine, the nearest that has. Index into stop->frames; 0 when
 * there is nothing better. */
size_t shown_frame(const struct stop *stop, const char *project);
