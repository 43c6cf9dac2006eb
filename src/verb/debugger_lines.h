/* Lines in what a program prints that are there only because it is debugged: a debugger that runs the program from code of its own (debugpy) has
 * its frames at the beginning of every traceback that Python prints, some twenty lines each time, and Debian's copy warns of itself in each child
 * process. A run of them is told apart from the program's own lines, to be shown as one line; without a frame of the debugger in it nothing is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* For one stream. Zeroed, it is outside of any traceback. */
struct debugger_lines {
    int state;
    size_t column;        /* of the traceback's heading, in groups of exceptions */
    size_t frames, lines; /* of the run so far */
    bool sure;            /* a frame of the debugger is among them */
};

/* What a line means for those that were held before it. */
struct debugger_run {
    size_t lines;  /* held: 0 when there were none */
    size_t frames; /* of a traceback among them; 0: they are another text */
    bool own;      /* the debugger's: to be shown as one line, else as they are */
};

/* Takes the next line, without its end. True: it may belong to a run, and is to be held. */
bool debugger_lines_take(struct debugger_lines *reading, const char *line, size_t len, struct debugger_run *ret_ended);
/* No more lines come. */
struct debugger_run debugger_lines_end(struct debugger_lines *reading);
