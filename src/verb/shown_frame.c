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

size_t shown_frame(const struct stop *stop, const char *project)
{
    if (stop->frame_count == 0)
        return 0;
    if (!was_asked_for(stop->reason)) {
        for (size_t i = 0; i < stop->frame_count; i++)
            if (is_projects(&stop->frames[i], project))
                return i;
    }
    if (has_made_source(&stop->frames[0]) && was_asked_for(stop->reason))
        return 0;
    for (size_t i = 0; i < stop->frame_count; i++)
        if (has_source(&stop->frames[i]) && (i == 0 || !frame_is_unimportant(&stop->frames[i])))
            return i;
    return 0;
}

size_t own_frame(const struct frame *frames, size_t count, const char *project)
{
    size_t own = 0;
    while (own < count && !is_projects(&frames[own], project))
        own++;
    return own;
}
