/* Steps in whose middle a breakpoint was hit that was not to stop the program: where the step stands then, and what completes it.
 *
 * The frames at the step's start are kept. How much deeper its thread is when it was interrupted tells whether the step has come to its end
 * (on a line that happens to have a breakpoint), or is still inside of a call, which is left first. Where the stacks cannot be compared,
 * the step ends there, and that is said. */
#include "session/internal.h"

#include <string.h>

#define MOST_ROUNDS 1000 /* of one step: a recursion that never comes back ends there */

void resume_forget(struct session *session)
{
    frames_free(session->resumed.frames, session->resumed.count);
    session->resumed = (struct resume_start){ 0 };
}

/* Only names, paths and lines are kept: they are compared. */
static void keep_frames(struct resume_start *start, const struct stop *stop)
{
    start->frames = xcalloc(stop->frame_count + 1, sizeof(*start->frames));
    start->count = stop->frame_count;
    start->complete = stop->frame_count > 0 && stop->frame_count < STEP_FRAMES;
    for (size_t i = 0; i < stop->frame_count; i++)
        start->frames[i] = (struct frame){
            .name = xstrdup(stop->frames[i].name),
            .source_path = xstrdup(stop->frames[i].source_path),
            .line = stop->frames[i].line,
        };
}

void resume_begin(struct session *session, const struct resume *resume, bool is_step, int64_t adapter_thread)
{
    const struct stop *stop = &session->stop;
    resume_forget(session);
    session->pause_wanted = false;
    session->resumed =
        (struct resume_start){ .target = session->focus, .resume = *resume, .is_step = is_step, .thread = adapter_thread };
    if (is_step && stop->has_thread && stop->adapter_thread_id == adapter_thread)
        keep_frames(&session->resumed, stop);
}

bool step_is_of(const struct target *target)
{
    const struct session *session = target->session;
    return session->stepping && session->resumed.target == target && session->resumed.is_step;
}

static bool same_place(const struct frame *a, const struct frame *b)
{
    return a->line == b->line && strcmp(a->name, b->name) == 0 && same_text(a->source_path, b->source_path);
}

/* Do the callers of frame `now` at the interruption look like those of frame `then` at the start? */
static bool same_callers(const struct resume_start *step, size_t then, const struct frame *frames, size_t count, size_t now)
{
    size_t compared = 0;
    for (size_t i = 1; then + i < step->count && now + i < count; i++, compared++)
        if (!same_place(&step->frames[then + i], &frames[now + i]))
            return false;
    return compared > 0;
}

/* How much deeper the thread is than at the step's start. False: not to be told. */
static bool depth_difference(const struct resume_start *step, const struct frame *frames, size_t count, bool complete, int64_t *ret)
{
    size_t found = 0;
    if (step->count == 0 || count == 0)
        return false;
    if (step->complete && complete) {
        *ret = (int64_t)count - (int64_t)step->count;
        return true;
    }
    for (size_t deeper = 0; deeper < count; deeper++) {
        if (same_callers(step, 0, frames, count, deeper)) {
            *ret = (int64_t)deeper;
            found++;
        }
    }
    for (size_t higher = 1; higher < step->count; higher++) {
        if (same_callers(step, higher, frames, count, 0)) {
            *ret = -(int64_t)higher;
            found++;
        }
    }
    return found == 1; /* a recursion looks alike at several depths */
}

enum step_progress step_look(struct session *session, const struct frame *frames, size_t count, bool complete)
{
    struct resume_start *step = &session->resumed;
    bool can_leave = !session_quirk(session, QUIRK_DIES_OF_STEP_OUT);
    int64_t deeper;
    if (!depth_difference(step, frames, count, complete, &deeper) || step->rounds++ >= MOST_ROUNDS)
        return STEP_LOST;
    bool by_instruction = step->resume.granularity == STEP_INSTRUCTION; /* it may well end on its line */
    bool same_line = deeper == 0 && frames[0].line == step->frames[0].line && !by_instruction;
    switch (step->resume.kind) {
    case RESUME_NEXT:
        if (deeper > 0)
            return can_leave ? STEP_LEAVES : STEP_REPEATS; /* step by step out of the call, where that is the only way */
        return same_line ? STEP_REPEATS : STEP_ENDED;
    case RESUME_STEP_IN:
        return same_line ? STEP_REPEATS : STEP_ENDED;
    case RESUME_STEP_OUT:
        if (deeper >= 0)
            return can_leave ? STEP_LEAVES : STEP_LOST;
        return STEP_ENDED;
    default:
        return STEP_LOST;
    }
}
