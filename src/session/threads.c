/* Thread ids: every target numbers its own threads from anywhere, and two of them may use the same number. The root's are shown as they
 * are; a child's get the next number that is free, kept for the life of the session. */
#include "session/internal.h"

static bool number_taken(const struct session *session, int64_t number)
{
    const struct target *root = session_root(session);
    for (size_t i = 0; i < root->thread_count; i++)
        if (root->threads[i] == number)
            return true;
    if (root->has_last_thread && root->last_thread == number)
        return true;
    for (size_t i = 0; i < session->shown_thread_count; i++)
        if (session->shown_threads[i].shown == number)
            return true;
    return false;
}

int64_t thread_shown(struct target *target, int64_t adapter_id)
{
    struct session *session = target->session;
    if (target->channel == 0)
        return adapter_id;
    for (size_t i = 0; i < session->shown_thread_count; i++)
        if (session->shown_threads[i].channel == target->channel && session->shown_threads[i].adapter_id == adapter_id)
            return session->shown_threads[i].shown;
    int64_t number = 1;
    while (number_taken(session, number))
        number++;
    session->shown_threads =
        xgrow(session->shown_threads, &session->shown_thread_cap, session->shown_thread_count + 1, sizeof(*session->shown_threads));
    session->shown_threads[session->shown_thread_count++] = (struct shown_thread){ target->channel, adapter_id, number };
    return number;
}

/* An ended child's numbers are not given out again at once: they go to the end of the list's life, with the launch. */
void threads_forget(struct session *session, uint32_t channel)
{
    for (size_t i = 0; i < session->shown_thread_count; i++)
        if (session->shown_threads[i].channel == channel)
            session->shown_threads[i].channel = UINT32_MAX;
}

struct target *thread_target(const struct session *session, int64_t thread_id, int64_t *ret_adapter_id)
{
    for (size_t i = 0; i < session->shown_thread_count; i++) {
        const struct shown_thread *shown = &session->shown_threads[i];
        struct target *target = target_find(session, shown->channel);
        if (shown->shown == thread_id && target != NULL) {
            *ret_adapter_id = shown->adapter_id;
            return target;
        }
    }
    *ret_adapter_id = thread_id;
    return session_root(session);
}

int session_resolve_thread(struct session *session, int64_t thread_id, int64_t *ret_adapter_id, struct error *ret_error)
{
    const struct target *focus = session->focus;
    const struct stop *stop = session_stop(session);
    bool same = stop != NULL && stop->has_thread && stop->thread_id == thread_id;
    if (!same && session_quirk(session, QUIRK_LOOKS_AT_ONE_THREAD))
        return error_set(
            ret_error, ERROR_ARGUMENT,
            "/thread_id: %s shows and steps only the thread that stopped; a breakpoint in the code of thread %lld stops it",
            session_adapter_id(session), (long long)thread_id);
    if (focus != NULL && focus != thread_target(session, thread_id, ret_adapter_id))
        return error_set(ret_error, ERROR_STATE, "/thread_id: thread %lld is none of the stopped target, the child session %s",
                         (long long)thread_id, focus->name);
    if (focus == NULL)
        *ret_adapter_id = thread_id;
    return 0;
}
