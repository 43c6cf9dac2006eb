#include "verb/debugger_lines.h"

#include <string.h>

enum { OUTSIDE, TRACEBACK, RUN, WARNING };

static bool holds(const char *text, size_t len, const char *wanted)
{
    return memmem(text, len, wanted, strlen(wanted)) != NULL;
}

static bool begins(const char *text, size_t len, const char *wanted)
{
    return len >= strlen(wanted) && memcmp(text, wanted, strlen(wanted)) == 0;
}

static bool ends(const char *text, size_t len, const char *wanted)
{
    return len >= strlen(wanted) && memcmp(text + len - strlen(wanted), wanted, strlen(wanted)) == 0;
}

/* "Traceback (most recent call last):", within groups of exceptions behind "  + Exception Group " or "    | ". */
static bool is_heading(const char *line, size_t len, size_t *ret_column)
{
    size_t column = 0;
    while (column < len && strchr(" |+-", line[column]) != NULL)
        column++;
    *ret_column = column;
    const char *text = line + column;
    return (begins(text, len - column, "Traceback (most") || begins(text, len - column, "Exception Group Traceback (most")) &&
           ends(line, len, " recent call last):");
}

/* The path of `  File "PATH", line N`; NULL: the line is no frame. */
static const char *frame_path(const char *body, size_t len, size_t *ret_len)
{
    static const char beginning[] = "  File \"";
    if (!begins(body, len, beginning))
        return NULL;
    const char *path = body + sizeof(beginning) - 1;
    const char *quote = memchr(path, '"', len - (sizeof(beginning) - 1));
    *ret_len = quote == NULL ? 0 : (size_t)(quote - path);
    return quote == NULL ? NULL : path;
}

static bool is_debuggers(const char *path, size_t len)
{
    static const char *const parts[] = { "/debugpy/__main__.py", "/debugpy/launcher/", "/debugpy/server/",
                                         "/debugpy/_vendored/",  "/_pydevd_bundle/",   "/_pydev_bundle/" };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (holds(path, len, parts[i]))
            return true;
    return begins(path, len, "_pydevd_bundle/");
}

/* Python's own, by which a debugger runs the program. */
static bool is_runner(const char *path, size_t len)
{
    return ends(path, len, "/runpy.py") || begins(path, len, "<frozen runpy>");
}

static struct debugger_run end_run(struct debugger_lines *reading, int next)
{
    struct debugger_run run = { reading->lines, reading->frames, reading->sure };
    reading->state = next;
    reading->lines = reading->frames = 0;
    reading->sure = false;
    return run;
}

static bool take_frame(struct debugger_lines *reading, const char *path, size_t len, struct debugger_run *ret_ended)
{
    bool debuggers = is_debuggers(path, len);
    if (!debuggers && !is_runner(path, len)) {
        *ret_ended = end_run(reading, TRACEBACK);
        return false;
    }
    reading->state = RUN;
    reading->frames++;
    reading->lines++;
    reading->sure = reading->sure || debuggers;
    return true;
}

static bool take_of_traceback(struct debugger_lines *reading, const char *line, size_t len, struct debugger_run *ret_ended)
{
    const char *body = len > reading->column ? line + reading->column : "";
    size_t body_len = len > reading->column ? len - reading->column : 0, path_len;
    const char *path = frame_path(body, body_len, &path_len);
    if (path != NULL)
        return take_frame(reading, path, path_len, ret_ended);
    if (reading->state == RUN && begins(body, body_len, "    ")) { /* the frame's code */
        reading->lines++;
        return true;
    }
    *ret_ended = end_run(reading, begins(body, body_len, "  ") ? TRACEBACK : OUTSIDE);
    return false;
}

/* From "…/force_pydevd.py:18: UserWarning: …" over the names of files to the line that warned. */
static bool take_of_warning(struct debugger_lines *reading, const char *line, size_t len, struct debugger_run *ret_ended)
{
    bool last = begins(line, len, "  warnings.warn(");
    if (last || begins(line, len, " /") || begins(line, len, "  /")) {
        reading->lines++;
        reading->sure = reading->sure || last;
        return true;
    }
    *ret_ended = end_run(reading, OUTSIDE);
    return false;
}

bool debugger_lines_take(struct debugger_lines *reading, const char *line, size_t len, struct debugger_run *ret_ended)
{
    *ret_ended = (struct debugger_run){ 0 };
    if (reading->state == WARNING) {
        if (!reading->sure && take_of_warning(reading, line, len, ret_ended))
            return true;
        if (reading->sure)
            *ret_ended = end_run(reading, OUTSIDE);
    } else if (reading->state != OUTSIDE && take_of_traceback(reading, line, len, ret_ended)) {
        return true;
    }
    if (reading->state == OUTSIDE && is_heading(line, len, &reading->column))
        reading->state = TRACEBACK;
    else if (reading->state == OUTSIDE && holds(line, len, "/force_pydevd.py:") &&
             holds(line, len, "UserWarning: incompatible copy of pydevd already imported:")) {
        reading->state = WARNING;
        reading->lines = 1;
        return true;
    }
    return false;
}

struct debugger_run debugger_lines_end(struct debugger_lines *reading)
{
    return end_run(reading, OUTSIDE);
}
