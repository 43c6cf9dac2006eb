/* Several steps in one call. Each is a step of its own, with its stop; only the last stop is read in full and reported. The series ends
 * early at every stop that is not the end of a step: a breakpoint, an exception, another thread. */
#include "verb/step_series.h"

#include "verb/internal.h"

#include <string.h>

void step_series_begin(struct call *call, const struct resume *resume, struct step_series *ret)
{
    const struct stop *stop = session_stop(call_session(call));
    *ret = (struct step_series){ .wanted = 1, .begun = session_time(call_session(call)), .error = ERROR_INIT };
    bool is_step = resume->kind == RESUME_NEXT || resume->kind == RESUME_STEP_IN || resume->kind == RESUME_STEP_OUT ||
                   resume->kind == RESUME_STEP_BACK;
    if (is_step)
        ret->counted = json_int(call->arguments, "count", &ret->wanted);
    if (resume->has_thread)
        ret->thread = resume->thread_id;
    else if (stop != NULL)
        ret->thread = stop->thread_id;
}

void step_series_done(struct step_series *series)
{
    error_clear(&series->error);
}

/* The end of a step, as against everything else that a program may stop for. */
static bool is_end_of_step(const struct session *session, const struct step_series *series, const struct stop *stop)
{
    bool by_step = strcmp(stop->reason, "step") == 0 && !stop->step_interrupted;
    bool same_thread = stop->thread_id == series->thread || session_quirk(session, QUIRK_RENAMES_THREADS);
    return by_step && same_thread && stop->number_count == 0;
}

bool step_series_goes_on(struct call *call, struct step_series *series, enum wait_outcome outcome)
{
    struct session *session = call_session(call);
    const struct stop *stop = session_stop(session);
    if (!series->counted || outcome != WAIT_STOPPED || stop == NULL || !is_end_of_step(session, series, stop))
        return false;
    series->done++;
    if (series->done == series->wanted || call->cancelled)
        return false;
    series->made_room = session_is_awaited(session);
    return !series->made_room;
}

uint64_t step_series_left_ms(struct call *call, const struct step_series *series)
{
    uint64_t passed = session_time(call_session(call)) - series->begun;
    uint64_t all = call_wait_ms(call);
    return passed < all ? all - passed : 0;
}

static const char *why_not_all(struct call *call, const struct step_series *series, enum wait_outcome outcome)
{
    if (outcome == WAIT_ENDED)
        return "the program ended in the next one";
    if (outcome == WAIT_TIMED_OUT || outcome == WAIT_CANCELLED)
        return "the next one is under way";
    if (call->cancelled)
        return "then the call was cancelled";
    return series->made_room ? "then another call wanted the program to stand still" : "the next one led to this stop";
}

void step_series_say(struct call *call, const struct step_series *series, enum wait_outcome outcome)
{
    if (!series->counted)
        return;
    yyjson_mut_val *root = structured_root(call);
    if (root != NULL)
        json_add_int(call->result.structured, root, "steps_done", series->done);
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LIMIT_TEXT_BYTES);
    (void)buffer_addf(&line, "%lld of %lld steps done", (long long)series->done, (long long)series->wanted);
    if (series->error.kind != ERROR_NONE)
        (void)buffer_addf(&line, "; the next one was refused: %s", series->error.message);
    else if (series->done < series->wanted)
        (void)buffer_addf(&line, "; %s", why_not_all(call, series, outcome));
    call_note(call, line.data);
}
