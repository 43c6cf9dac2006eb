/* What is to be said of breakpoints that stand on lines without code. */
#pragma once

struct call;

/* Of breakpoints that are not bound, or bound to another line: the nearest lines with code, as warnings, where the adapter can tell
 * (breakpointLocations) and the program stands still. Then `done`. `path` NULL: of all files. */
void breakpoint_advise(struct call *call, const char *path, void (*done)(struct call *call));
