/* Threads, those at the same place together when there are many. */
#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "verb/render.h"
#include "verb/render_line.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define GROUPED_FROM 11 /* threads: fewer have a row each */
#define MOST_COMPARED 8 /* frames, of threads that stand in the user's own code or have none of it */
#define CALLERS_SHOWN 3 /* of a group's stack, above its place */
#define RANGES_SHOWN 20 /* of a group's ids */

/* Down to the user's own code: what has called that tells nothing of what they wait for. */
static size_t compared_frames(const struct session_thread *thread)
{
    size_t wanted = thread->own > 0 ? thread->own + 1 : MOST_COMPARED;
    return thread->frame_count < wanted ? thread->frame_count : wanted;
}

static bool same_place(const struct session_thread *a, const struct session_thread *b)
{
    size_t count = compared_frames(a);
    if (a->state != b->state || count != compared_frames(b) || !same_text(a->failure, b->failure) || !same_text(a->child, b->child))
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct frame *one = &a->frames[i], *other = &b->frames[i];
        if (one->line != other->line || !same_text(one->name, other->name) || !same_text(one->source_path, other->source_path))
            return false;
    }
    return true;
}

static void add_frame(struct buffer *out, const struct frame *frame, const char *project)
{
    line_at_frame(out, frame, project);
    if (frame->handle > 0)
        line_id(out, " [", "frame_id", frame->handle, "]");
}

static void add_own_frame(struct buffer *out, const struct session_thread *thread, const char *project)
{
    const struct frame *own = &thread->frames[thread->own];
    AUTO_FREE char *shown = path_shown(own->source_path, project);
    bool outside = strcmp(shown, own->source_path) == 0;
    buffer_add(out, outside ? " · nearest code" : " · own code");
    add_frame(out, own, project);
    if (thread->own > 1) {
        buffer_add(out, ", calls ");
        line_text(out, thread->frames[thread->own - 1].name, LIMIT_NAME_BYTES);
    }
}

static void add_place(struct buffer *out, const struct session_thread *thread, const char *project)
{
    static const char *const words[] = { "running", "stopped", "state not known" };
    buffer_add(out, words[thread->state]);
    if (thread->frame_count > 0) {
        add_frame(out, &thread->frames[0], project);
        if (thread->own > 0)
            add_own_frame(out, thread, project);
    } else if (thread->state == THREAD_STOPPED) {
        buffer_add(out, ", no frames");
    }
    if (thread->failure != NULL) {
        buffer_add(out, ": ");
        line_text(out, thread->failure, LIMIT_MESSAGE_BYTES);
    }
}

static void add_callers(struct buffer *out, const struct session_thread *thread)
{
    for (size_t i = 1; thread->own == 0 && i < thread->frame_count && i <= CALLERS_SHOWN; i++) {
        buffer_add(out, i == 1 ? " · called from " : " · ");
        line_text(out, thread->frames[i].name, LIMIT_NAME_BYTES);
    }
}

static void add_name(struct buffer *out, const struct session_thread *thread)
{
    if (thread->name != NULL && thread->name[0] != '\0') {
        buffer_addc(out, ' ');
        line_text(out, thread->name, LIMIT_NAME_BYTES);
    }
    if (thread->child != NULL) {
        buffer_add(out, " of ");
        line_text(out, thread->child, LIMIT_NAME_BYTES);
    }
}

static void add_thread(struct buffer *out, const struct session_thread *thread, const char *project)
{
    buffer_addf(out, "%s thread %" PRId64, thread->focused ? "->" : "  ", thread->id);
    add_name(out, thread);
    buffer_add(out, ": ");
    add_place(out, thread, project);
    if (thread->state == THREAD_RUNNING) /* which dap_stack does not show */
        add_callers(out, thread);
    buffer_addc(out, '\n');
}

/* ---- groups ---- */

struct group {
    size_t *members; /* indexes */
    size_t count;
    bool focused;
};

static void add_ids(struct buffer *out, const struct session_thread *list, const struct group *group)
{
    size_t ranges = 0;
    for (size_t i = 0; i < group->count; ranges++) {
        size_t last = i;
        while (last + 1 < group->count && list[group->members[last + 1]].id == list[group->members[last]].id + 1)
            last++;
        if (ranges < RANGES_SHOWN) {
            buffer_addf(out, "%s%" PRId64, ranges > 0 ? ", " : "", list[group->members[i]].id);
            if (last > i)
                buffer_addf(out, "–%" PRId64, list[group->members[last]].id);
        } else if (ranges == RANGES_SHOWN) {
            buffer_addf(out, ", … %zu more", group->count - i);
        }
        i = last + 1;
    }
}

static void add_group(struct buffer *out, const struct session_thread *list, const struct group *group, const char *project)
{
    const struct session_thread *first = &list[group->members[0]];
    if (group->count == 1) {
        add_thread(out, first, project);
        return;
    }
    buffer_add(out, group->focused ? "-> " : "   ");
    line_counted(out, group->count, "thread");
    buffer_add(out, " (");
    add_ids(out, list, group);
    buffer_add(out, "): ");
    add_place(out, first, project);
    add_callers(out, first);
    buffer_addc(out, '\n');
}

static void add_groups(struct buffer *out, const struct session_threads *threads, const char *project)
{
    AUTO_FREE struct group *groups = xcalloc(threads->count, sizeof(*groups));
    size_t count = 0;
    for (size_t i = 0; i < threads->count; i++) {
        size_t at = 0;
        while (at < count && !same_place(&threads->list[groups[at].members[0]], &threads->list[i]))
            at++;
        if (at == count)
            groups[count++].members = xcalloc(threads->count - i, sizeof(size_t));
        groups[at].members[groups[at].count++] = i;
        groups[at].focused = groups[at].focused || threads->list[i].focused;
    }
    buffer_addf(out, "standing at %zu place%s\n", count, count == 1 ? "" : "s");
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++)
            if (groups[i].focused == (pass == 0))
                add_group(out, threads->list, &groups[i], project);
    for (size_t i = 0; i < count; i++)
        free(groups[i].members);
}

void render_threads(struct buffer *out, const struct threads_view *view)
{
    const struct session_threads *threads = view->threads;
    buffer_add(out, "Threads: ");
    if (threads->total > threads->count) {
        line_count(out, threads->count);
        buffer_add(out, " of ");
    }
    line_count(out, threads->total);
    if (view->running)
        buffer_add(out, ", the program runs");
    if (threads->count >= GROUPED_FROM) {
        buffer_add(out, ", ");
        add_groups(out, threads, view->project);
    } else {
        buffer_addc(out, '\n');
        for (size_t i = 0; i < threads->count; i++)
            add_thread(out, &threads->list[i], view->project);
    }
    if (threads->failure != NULL) {
        buffer_add(out, threads->count > 0 ? "not a full list, only those that it has told of: " : "not listed: ");
        line_text(out, threads->failure, LIMIT_MESSAGE_BYTES);
        buffer_addc(out, '\n');
    }
    if (view->running) {
        bool told = false;
        for (size_t i = 0; i < threads->count; i++)
            told = told || threads->list[i].frame_count > 0;
        buffer_add(out,
                   told ? "where they were when it was asked; dap_pause stops what runs code" : "dap_pause shows where they are");
        if (view->session) {
            buffer_add(out, ", with");
            line_session(out, view->session);
        }
        buffer_addc(out, '\n');
    }
}
