#include "verb/breakpoint_lines.h"

#include "base/path.h"
#include "verb/internal.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

/* Is a warning worth it: the debugger will move the breakpoint or never bind it. */
static const char *emptiness(const char *line)
{
    while (isspace((unsigned char)*line))
        line++;
    if (*line == '\0')
        return "blank";
    if (strncmp(line, "//", 2) == 0 || (*line == '#' && strncmp(line, "#!", 2) != 0 && strncmp(line, "#define", 7) != 0))
        return "only a comment";
    return NULL;
}

static void check_line(struct call *call, const char *path, const char *shown, int64_t line)
{
    struct source_excerpt excerpt;
    source_excerpt_read(path, line, 0, &excerpt);
    const char *text = source_excerpt_line(&excerpt, line);
    const char *empty = text == NULL ? NULL : emptiness(text);
    if (text == NULL && excerpt.why_none != NULL)
        call_warn(call, "%s:%lld: the file %s; give a line that has code", shown, (long long)line, excerpt.why_none);
    else if (empty != NULL)
        call_warn(call, "%s:%lld is %s; the debugger binds to another line or not at all: give a line that has code", shown,
                  (long long)line, empty);
    source_excerpt_done(&excerpt);
}

void breakpoint_lines_check(struct call *call, const char *path, const struct desired_breakpoint *list, size_t count)
{
    if (count == 0)
        return;
    struct stat status;
    if (stat(path, &status) < 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            call_warn(call, "file not found: %s; breakpoints will not bind until it exists", path);
        else
            call_warn(call, "could not check %s: %s", path, strerror(errno));
    } else if (!S_ISREG(status.st_mode)) {
        call_warn(call, "not a file: %s; breakpoints will not bind", path);
    } else {
        AUTO_FREE char *shown = path_shown(path, call->world->project);
        for (size_t i = 0; i < count; i++)
            check_line(call, path, shown, list[i].line);
    }
}
