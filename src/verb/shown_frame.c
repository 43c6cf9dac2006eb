#include "verb/shown_frame.h"

#include "base/memory.h"
#include "base/path.h"
#include "verb/render_line.h"

#include <string.h>
#include <strings.h>

/* The user's own doing: the place was asked for. */
static bool was_asked_for(const char *reason)
{
    static const char *const reasons[] = { "step",    "breakpoint",          "entry",           "goto",
                                           "restart", "function breakpoint", "data breakpoint", "instruction breakpoint" };
    for (size_t i = 0; i < COUNT_OF(reasons); i++)
        if (strcasecmp(reason, reasons[i]) == 0)
            return true;
    return false;
}

static bool has_source(const struct frame *frame)
{
    return frame->source_path != NULL && frame->source_reference == 0 && path_is_file(frame->source_path);
}

static bool is_projects(const struct frame *frame, const char *project)
{
    if (!has_source(frame) || frame_is_unimportant(frame))
        return false;
    AUTO_FREE char *shown = path_shown(frame->source_path, project);
    return strcmp(shown, frame->source_path) != 0;
}

/* Code made at run time: the adapter has its text. (Without a path it is disassembly, as codelldb's.) */
static bool has_made_source(const struct frame *frame)
{
    bool unwanted = frame->source_hint != NULL && strcmp(frame->source_hint, "deemphasize") == 0;
    return frame->source_reference > 0 && frame->source_path != NULL && frame->line > 0 && !unwanted;
}

static size_t with_source(const struct frame *frames, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (has_source(&frames[i]) && (i == 0 || !frame_is_unimportant(&frames[i])))
            return i;
    return 0;
}

size_t own_frame(const struct frame *frames, size_t count, const char *project)
{
    for (size_t i = 0; i < count; i++)
        if (is_projects(&frames[i], project))
            return i;
    for (size_t i = 0; i < count; i++) /* delve marks what is the runtime's */
        if (has_source(&frames[i]) && !frame_is_unimportant(&frames[i]))
            return i;
    return with_source(frames, count);
}

size_t shown_frame(const struct stop *stop, const char *project)
{
    if (stop->frame_count == 0)
        return 0;
    if (!was_asked_for(stop->reason))
        return own_frame(stop->frames, stop->frame_count, project);
    return has_made_source(&stop->frames[0]) ? 0 : with_source(stop->frames, stop->frame_count);
}
