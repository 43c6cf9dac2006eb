/* What the user asked for: one list per file, and one for each other kind of breakpoint, in that order. Desired breakpoints survive the
 * program and its session; each has a number of ours that it keeps for as long as it is desired. */
#include "session/breakpoints.h"

#include <string.h>

static void free_bound(struct bound_breakpoint *bound, size_t count)
{
    for (size_t i = 0; bound != NULL && i < count; i++)
        bound_breakpoint_done(&bound[i]);
    free(bound);
}

static void list_done(struct breakpoint_list *list)
{
    free_bound(list->bound, list->count);
    desired_breakpoints_free(list->desired, list->count);
    free(list->path);
}

void breakpoints_free(struct session *session)
{
    temporary_forget(session);
    for (size_t i = 0; i < session->list_count; i++)
        list_done(&session->lists[i]);
    free(session->lists);
    for (size_t i = 0; i < session->early_count; i++)
        yyjson_mut_doc_free(session->early[i].body);
    free(session->early);
}

/* ---- finding ---- */

static int compare(const struct breakpoint_list *list, enum breakpoint_kind kind, const char *path)
{
    if (list->kind != kind)
        return list->kind < kind ? -1 : 1;
    return path == NULL ? 0 : strcmp(list->path, path);
}

static size_t position(const struct session *session, enum breakpoint_kind kind, const char *path, bool *ret_found)
{
    size_t at = 0;
    int order = -1;
    while (at < session->list_count && (order = compare(&session->lists[at], kind, path)) < 0)
        at++;
    *ret_found = at < session->list_count && order == 0;
    return at;
}

struct breakpoint_list *breakpoint_list_find(const struct session *session, enum breakpoint_kind kind, const char *path)
{
    bool found;
    size_t at = position(session, kind, path, &found);
    return found ? &session->lists[at] : NULL;
}

size_t session_breakpoint_list_count(const struct session *session)
{
    return session->list_count;
}

const struct breakpoint_list *session_breakpoint_list(const struct session *session, size_t index)
{
    return index < session->list_count ? &session->lists[index] : NULL;
}

const struct breakpoint_list *session_find_breakpoint_list(const struct session *session, enum breakpoint_kind kind,
                                                           const char *path)
{
    return breakpoint_list_find(session, kind, path);
}

size_t session_breakpoint_file_count(const struct session *session)
{
    size_t count = 0;
    while (count < session->list_count && session->lists[count].kind == BREAKPOINT_SOURCE)
        count++;
    return count;
}

const struct breakpoint_list *session_breakpoint_file(const struct session *session, size_t index)
{
    return index < session_breakpoint_file_count(session) ? &session->lists[index] : NULL;
}

const struct breakpoint_list *session_find_breakpoint_file(const struct session *session, const char *path)
{
    return breakpoint_list_find(session, BREAKPOINT_SOURCE, path);
}

bool session_find_breakpoint(const struct session *session, int64_t id, const struct breakpoint_list **ret_list, size_t *ret_index)
{
    for (size_t i = 0; i < session->list_count; i++) {
        for (size_t k = 0; k < session->lists[i].count; k++) {
            const struct bound_breakpoint *bound = &session->lists[i].bound[k];
            if (bound->has_id && bound->id == id) {
                *ret_list = &session->lists[i];
                *ret_index = k;
                return true;
            }
        }
    }
    return false;
}

bool session_find_breakpoint_number(const struct session *session, int64_t number, const struct breakpoint_list **ret_list,
                                    size_t *ret_index)
{
    for (size_t i = 0; i < session->list_count; i++) {
        for (size_t k = 0; k < session->lists[i].count; k++) {
            if (session->lists[i].desired[k].number == number) {
                *ret_list = &session->lists[i];
                *ret_index = k;
                return true;
            }
        }
    }
    return false;
}

/* ---- storing ---- */

static bool asks_for_more(const struct desired_breakpoint *breakpoint)
{
    return breakpoint->condition != NULL || breakpoint->hit_condition != NULL || breakpoint->log_message != NULL;
}

bool breakpoints_share(const struct desired_breakpoint *a, const struct desired_breakpoint *b)
{
    return a->shares_place && b->shares_place && desired_breakpoint_same_place(a, b);
}

void breakpoints_mark_shared(struct desired_breakpoint *desired, size_t count)
{
    for (size_t i = 0; i < count; i++)
        desired[i].shares_place = false;
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < count; k++) {
            bool pair = desired[i].kind == BREAKPOINT_SOURCE && !desired[i].disabled && !desired[k].disabled &&
                        desired_breakpoint_same_place(&desired[i], &desired[k]);
            if (pair && (asks_for_more(&desired[i]) || asks_for_more(&desired[k])))
                desired[i].shares_place = desired[k].shares_place = true;
        }
}

static void inherit(struct breakpoint_list *former, size_t from, struct breakpoint_list *next, size_t to)
{
    int64_t number = former->desired[from].number;
    bool same = desired_breakpoint_same(&next->desired[to], &former->desired[from]);
    if (same) {
        next->bound[to] = former->bound[from];
        former->bound[from] = (struct bound_breakpoint){ 0 };
    } else {
        next->bound[to].hit = former->bound[from].hit;
    }
    next->desired[to].number = number;
    next->desired[to].emulation_told = same && former->desired[from].emulation_told;
    former->desired[from].number = 0; /* given away */
}

/* The same breakpoint in the former list: the same in all, else with that number, else at that place. */
static bool find_former(const struct breakpoint_list *former, const struct desired_breakpoint *wanted, int pass, size_t *ret)
{
    for (size_t i = 0; i < former->count; i++) {
        const struct desired_breakpoint *old = &former->desired[i];
        if (old->number == 0)
            continue;
        bool number_fits = wanted->number == 0 || wanted->number == old->number;
        bool fits = pass == 0   ? number_fits && desired_breakpoint_same(wanted, old)
                    : pass == 1 ? wanted->number == old->number
                                : wanted->number == 0 && desired_breakpoint_same_place(wanted, old);
        if (fits) {
            *ret = i;
            return true;
        }
    }
    return false;
}

static void inherit_all(struct breakpoint_list *former, struct breakpoint_list *next)
{
    bool *told = xcalloc(next->count + 1, sizeof(*told));
    for (int pass = 0; pass < 3; pass++) {
        for (size_t i = 0; i < next->count; i++) {
            size_t from;
            if (!told[i] && find_former(former, &next->desired[i], pass, &from)) {
                inherit(former, from, next, i);
                told[i] = true;
            }
        }
    }
    free(told);
}

static void drop(struct session *session, size_t at)
{
    list_done(&session->lists[at]);
    memmove(session->lists + at, session->lists + at + 1, (session->list_count - at - 1) * sizeof(*session->lists));
    session->list_count--;
}

static void make_room(struct session *session, size_t at)
{
    session->lists = xgrow(session->lists, &session->list_cap, session->list_count + 1, sizeof(*session->lists));
    memmove(session->lists + at + 1, session->lists + at, (session->list_count - at) * sizeof(*session->lists));
    session->list_count++;
}

struct breakpoint_list *breakpoint_list_store(struct session *session, enum breakpoint_kind kind, const char *path,
                                              const struct desired_breakpoint *desired, size_t count)
{
    bool found;
    size_t at = position(session, kind, path, &found);
    if (count == 0) {
        if (found)
            drop(session, at);
        return NULL;
    }
    struct breakpoint_list next = {
        .kind = kind,
        .path = xstrdup(path),
        .desired = desired_breakpoints_copy(desired, count),
        .bound = xcalloc(count + 1, sizeof(*next.bound)),
        .count = count,
    };
    if (found) {
        inherit_all(&session->lists[at], &next);
        list_done(&session->lists[at]);
    } else {
        make_room(session, at);
    }
    for (size_t i = 0; i < count; i++) {
        if (next.desired[i].number == 0)
            next.desired[i].number = ++session->last_breakpoint;
        next.desired[i].launched = next.desired[i].launched || session_active(session);
    }
    breakpoints_mark_shared(next.desired, count);
    session->lists[at] = next;
    return &session->lists[at];
}

/* ---- a new launch ---- */

static void forget_bound(struct session *session)
{
    temporary_forget(session);
    for (size_t i = 0; i < session->list_count; i++) {
        struct breakpoint_list *list = &session->lists[i];
        for (size_t k = 0; k < list->count; k++) {
            bound_breakpoint_done(&list->bound[k]);
            struct desired_breakpoint *desired = &list->desired[k];
            desired->expired = desired->kind == BREAKPOINT_DATA && !desired->persists;
            desired->launched = true;
        }
    }
    for (size_t i = 0; i < session->early_count; i++)
        yyjson_mut_doc_free(session->early[i].body);
    session->early_count = 0;
}

static bool has_filter(const struct desired_breakpoint *list, size_t count, const char *filter)
{
    for (size_t i = 0; i < count; i++)
        if (list[i].break_mode == NULL && strcmp(list[i].name, filter) == 0)
            return true;
    return false;
}

/* The filters that this launch asks for stand beside those that the user set; a complete list of the user's leaves no room for them. */
static void take_filters(struct session *session, char *const *wanted)
{
    const struct breakpoint_list *former = breakpoint_list_find(session, BREAKPOINT_EXCEPTION, NULL);
    size_t most = former == NULL ? 0 : former->count, count = 0;
    for (size_t i = 0; wanted != NULL && wanted[i] != NULL; i++)
        most++;
    struct desired_breakpoint *list = xcalloc(most + 1, sizeof(*list));
    for (size_t i = 0; former != NULL && i < former->count; i++)
        if (!former->desired[i].of_launch)
            list[count++] = former->desired[i]; /* borrowed, like the names below: the store makes its own copies */
    for (size_t i = 0; wanted != NULL && wanted[i] != NULL && !session->exceptions_set; i++)
        if (!has_filter(list, count, wanted[i]))
            list[count++] = (struct desired_breakpoint){ .kind = BREAKPOINT_EXCEPTION, .name = wanted[i], .of_launch = true };
    breakpoint_list_store(session, BREAKPOINT_EXCEPTION, NULL, list, count);
    free(list);
}

void session_mark_earlier_breakpoints(struct session *session)
{
    for (size_t i = 0; i < session->list_count; i++)
        for (size_t k = 0; k < session->lists[i].count; k++)
            session->lists[i].desired[k].earlier = session->lists[i].desired[k].launched;
}

void breakpoints_begin_launch(struct session *session, char *const *exception_filters)
{
    forget_bound(session);
    take_filters(session, exception_filters);
}

void breakpoints_begin_run(struct session *session)
{
    for (size_t i = 0; i < session->list_count; i++) {
        for (size_t row = 0; row < session->lists[i].count; row++) {
            session->lists[i].bound[row].hit = false;
            session->lists[i].bound[row].counts = (struct breakpoint_counts){ 0 };
        }
    }
}

void session_forget_exceptions_set(struct session *session)
{
    session->exceptions_set = false;
}

bool session_exceptions_set(const struct session *session)
{
    return session->exceptions_set;
}
