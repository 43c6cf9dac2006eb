/* Setting breakpoints: what the user asked for is sent to every target in its configuration, and again at once when it changes. The desired
 * ones are sent, never the lines that an adapter moved them to. (Specification, "SetBreakpoints" and the like.)
 *
 * Beside this file: breakpoint_lists.c what is desired · breakpoint_native.c what a target can do · breakpoint_requests.c the requests ·
 * breakpoint_answers.c what targets tell · breakpoint_hits.c which of them stopped the program. */
#include "session/breakpoints.h"
#include "session/hit_condition.h"

#include <inttypes.h>
#include <string.h>

/* One request without an answer: a list of the configuration, or one that the user sets while the session is active. */
struct sent_list {
    struct sent_list *next;
    struct session *session;
    struct target *target;
    struct breakpoint_list list; /* a copy, without what is bound */
    bool has_panic;              /* the breakpoint for Rust's panics goes with it, behind everything but the temporary one */
    bool has_temporary;          /* the temporary one goes with it, behind everything else */
    size_t *rows;                /* which of them were sent, in the order of the answer */
    size_t row_count;
    size_t function_count; /* functions that begin in this file, behind the list's own: rows from list.count on */
    size_t awaited;        /* children that have not answered */
    bool superseded;       /* there is a later list meanwhile: this answer tells nothing of it */
    bool overtaken;        /* a configuration with the former list was sent later, and the adapter has accepted that one already */
    bool complete;         /* of exceptions: the user's own and whole choice */
    dap_answer_fn configured; /* one of the two */
    session_done_fn done;
    void *user;
};

/* One of those that share a place goes for all. */
static bool is_represented(const struct sent_list *sent, size_t row)
{
    for (size_t i = 0; i < sent->row_count; i++)
        if (breakpoints_share(&sent->list.desired[sent->rows[i]], &sent->list.desired[row]))
            return true;
    return false;
}

/* Which rows go to this target: not the disabled ones, and none that it cannot set. */
static void pick_rows(struct sent_list *sent)
{
    for (size_t i = 0; i < sent->list.count; i++) {
        const struct desired_breakpoint *desired = &sent->list.desired[i];
        if (desired->disabled || desired->expired || temporary_masks(sent->session, &sent->list, i))
            continue;
        if (sent->list.kind == BREAKPOINT_EXCEPTION && desired->break_mode == NULL && panic_filter_is(sent->target, desired->name))
            continue; /* it goes with the functions */
        AUTO_FREE char *refusal = breakpoint_row_refusal(sent->target, &sent->list, i);
        if (refusal == NULL && !is_represented(sent, i))
            sent->rows[sent->row_count++] = i;
    }
    for (size_t i = 0; i < sent->function_count; i++)
        sent->rows[sent->row_count++] = sent->list.count + i;
    size_t own = sent->list.count + sent->function_count;
    if (sent->has_panic)
        sent->rows[sent->row_count++] = own;
    if (sent->has_temporary)
        sent->rows[sent->row_count++] = own + (sent->has_panic ? 1 : 0);
}

/* All that are in `desired`. */
static size_t item_count(const struct sent_list *sent)
{
    return sent->list.count + sent->function_count + (sent->has_panic ? 1 : 0) + (sent->has_temporary ? 1 : 0);
}

static void add_item(struct sent_list *sent, struct desired_breakpoint breakpoint)
{
    size_t count = item_count(sent);
    sent->list.desired = xrealloc(sent->list.desired, (count + 1) * sizeof(*sent->list.desired));
    sent->list.desired[count] = breakpoint;
}

static void add_panic(struct sent_list *sent)
{
    if (sent->list.kind != BREAKPOINT_FUNCTION || !panic_wanted(sent->target))
        return;
    add_item(sent, panic_breakpoint(sent->target));
    sent->has_panic = true;
}

static void add_temporary(struct sent_list *sent)
{
    const struct desired_breakpoint *temporary = temporary_of(sent->session, sent->list.kind, sent->list.path);
    if (temporary == NULL)
        return;
    add_item(sent, desired_breakpoint_copy(temporary));
    sent->has_temporary = true;
}

static struct sent_list *sent_list_new(struct target *target, const struct breakpoint_list *list)
{
    struct sent_list *sent = xcalloc(1, sizeof(*sent));
    *sent = (struct sent_list){ .session = target->session,
                                .target = target,
                                .list = { .kind = list->kind,
                                          .path = xstrdup(list->path),
                                          .desired = desired_breakpoints_copy(list->desired, list->count),
                                          .count = list->count } };
    breakpoints_mark_shared(sent->list.desired, list->count);
    if (list->kind == BREAKPOINT_SOURCE)
        sent->function_count = breakpoint_add_functions(target, list->path, &sent->list.desired, list->count);
    add_panic(sent);
    add_temporary(sent);
    sent->rows = xcalloc(item_count(sent) + 1, sizeof(*sent->rows));
    pick_rows(sent);
    struct sent_list **end = &target->session->sent_lists;
    while (*end != NULL)
        end = &(*end)->next;
    *end = sent;
    return sent;
}

static void sent_list_free(struct sent_list *sent)
{
    desired_breakpoints_free(sent->list.desired, item_count(sent));
    free(sent->list.path);
    free(sent->rows);
    free(sent);
}

/* The temporary one's row is the last, and that of the panics before it. */
static void take_temporary(const struct sent_list *sent, const struct dap_answer *answer)
{
    if (sent->has_panic && !sent->superseded && answer->outcome == DAP_OK)
        panic_take_answer(sent->target,
                          yyjson_arr_get(json_array(answer->body, "breakpoints"), sent->row_count - (sent->has_temporary ? 2 : 1)));
    if (sent->has_temporary && !sent->superseded && answer->outcome == DAP_OK && sent->session->temporary.set)
        temporary_take_answer(sent->target, yyjson_arr_get(json_array(answer->body, "breakpoints"), sent->row_count - 1));
}

static void take_out(struct sent_list *sent)
{
    struct sent_list **at = &sent->session->sent_lists;
    while (*at != sent)
        at = &(*at)->next;
    *at = sent->next;
}

static bool is_of(const struct sent_list *sent, enum breakpoint_kind kind, const char *path)
{
    return sent->list.kind == kind && (path == NULL || strcmp(sent->list.path, path) == 0);
}

/* Adapters may answer out of order. `until` NULL: all that are under way, to all targets. */
static void supersede(struct session *session, enum breakpoint_kind kind, const char *path, const struct sent_list *until)
{
    for (struct sent_list *sent = session->sent_lists; sent != until; sent = sent->next)
        if (is_of(sent, kind, path) && (until == NULL || sent->target == until->target))
            sent->superseded = true;
}

static bool sends_condition(const struct target *target, const struct desired_breakpoint *breakpoint)
{
    return breakpoint->condition != NULL && breakpoint_native(target, breakpoint).condition;
}

/* A condition was taken off this one. */
static bool lost_condition(const struct sent_list *sent, size_t row)
{
    const struct desired_breakpoint *wanted = &sent->list.desired[row];
    const struct breakpoint_list *former = breakpoint_list_find(sent->session, sent->list.kind, sent->list.path);
    for (size_t i = 0; former != NULL && i < former->count; i++)
        if (desired_breakpoint_same_place(&former->desired[i], wanted) && sends_condition(sent->target, &former->desired[i]))
            return !sends_condition(sent->target, wanted);
    return false;
}

/* Where a target keeps the condition of a breakpoint that has none any more, that breakpoint is taken away first. */
static void clear_conditions(const struct sent_list *sent)
{
    size_t *rows = xcalloc(sent->row_count + 1, sizeof(*rows));
    size_t count = 0;
    for (size_t i = 0; i < sent->row_count; i++)
        if (!lost_condition(sent, sent->rows[i]))
            rows[count++] = sent->rows[i];
    if (count < sent->row_count)
        target_request(sent->target, breakpoint_command(sent->list.kind),
                       breakpoint_arguments(sent->target, &sent->list, rows, count), sent->session->timeouts.request, NULL, NULL);
    free(rows);
}

static void send_list(struct sent_list *sent, dap_answer_fn answered)
{
    if (sent->list.kind == BREAKPOINT_SOURCE && session_quirk(sent->session, QUIRK_KEEPS_CONDITIONS))
        clear_conditions(sent);
    yyjson_mut_doc *arguments = breakpoint_arguments(sent->target, &sent->list, sent->rows, sent->row_count);
    target_request(sent->target, breakpoint_command(sent->list.kind), arguments, sent->session->timeouts.request, answered, sent);
}

/* A target that does not know the request is not sent it, not even to say that there is nothing to set. */
static bool knows_request(const struct target *target, enum breakpoint_kind kind)
{
    const char *capability = breakpoint_kind_capability(kind);
    if (kind == BREAKPOINT_EXCEPTION)
        return yyjson_mut_arr_size(target_capability_value(target, "exceptionBreakpointFilters")) > 0 ||
               target_capability(target, "supportsExceptionOptions");
    return capability == NULL || target_capability(target, capability);
}

/* ---- functions that begin in the file ---- */

static void take_functions(const struct sent_list *sent, const struct dap_answer *answer)
{
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(json_array(answer->body, "breakpoints"), index, most, item) {
        size_t row = index < sent->row_count ? sent->rows[index] : 0;
        if (row >= sent->list.count && row < sent->list.count + sent->function_count)
            breakpoint_take_function(sent->target, sent->list.desired[sent->rows[index]].number, item);
    }
}

static void fail_functions(const struct sent_list *sent, const char *why)
{
    struct breakpoint_list *list = breakpoint_list_find(sent->session, BREAKPOINT_FUNCTION, NULL);
    for (size_t i = 0; i < sent->function_count; i++)
        for (size_t k = 0; list != NULL && k < list->count; k++)
            if (list->desired[k].number == sent->list.desired[sent->list.count + i].number && !list->desired[k].disabled)
                breakpoint_fail(&list->bound[k], why);
}

/* ---- configuration ---- */

static void fail_rows(struct breakpoint_list *list, const struct sent_list *sent, const char *why)
{
    for (size_t i = 0; i < list->count; i++)
        for (size_t k = 0; k < sent->row_count; k++)
            if (sent->rows[k] == i ||
                (sent->rows[k] < list->count && breakpoints_share(&list->desired[i], &list->desired[sent->rows[k]])))
                breakpoint_fail(&list->bound[i], why);
}

/* What the user sets at this moment is no earlier wish for that: it was not known yet when the configuration was sent. */
static void supersede_by_configuration(const struct sent_list *sent)
{
    for (struct sent_list *earlier = sent->session->sent_lists; earlier != sent; earlier = earlier->next) {
        if (!is_of(earlier, sent->list.kind, sent->list.path) || earlier->target != sent->target)
            continue;
        if (earlier->done != NULL)
            earlier->overtaken = true;
        else
            earlier->superseded = true;
    }
}

/* That a line has no code is told with the list of breakpoints; what was asked for and makes no sense is said. */
static void say_failed(const struct sent_list *sent, const struct breakpoint_list *list)
{
    for (size_t i = 0; i < sent->row_count; i++) {
        size_t row = sent->rows[i];
        if (row >= list->count || list->bound[row].state != BREAKPOINT_FAILED || list->bound[row].message == NULL)
            continue;
        if (list->desired[row].condition != NULL || list->desired[row].kind == BREAKPOINT_FUNCTION)
            breakpoint_say_failed(sent->session, list, row);
    }
}

static void on_configured(void *user, const struct dap_answer *answer)
{
    struct sent_list *sent = user;
    struct session *session = sent->session;
    if (answer->outcome == DAP_OK)
        supersede_by_configuration(sent);
    struct breakpoint_list *list = sent->superseded ? NULL : breakpoint_list_find(session, sent->list.kind, sent->list.path);
    take_temporary(sent, answer);
    if (list != NULL && answer->outcome == DAP_OK) {
        breakpoint_take_answer(sent->target, list, sent->rows, sent->row_count, answer->body);
        if (sent->target->channel == 0)
            say_failed(sent, list);
    } else if (list != NULL && sent->target->channel == 0 &&
               (target_refused(sent->target, answer) || answer->outcome == DAP_TIMED_OUT)) {
        fail_rows(list, sent, answer->message);
    }
    if (!sent->superseded && answer->outcome == DAP_OK)
        take_functions(sent, answer);
    else if (!sent->superseded && sent->target->channel == 0 &&
             (target_refused(sent->target, answer) || answer->outcome == DAP_TIMED_OUT))
        fail_functions(sent, answer->message);
    take_out(sent);
    breakpoint_replay_early(session);
    if (sent->configured != NULL)
        sent->configured(sent->user, answer);
    sent_list_free(sent);
}

/* Those that the target cannot set: the user is told, and the row says so. What a child cannot do, the root may. */
static void refuse_rows(struct target *target, struct breakpoint_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        struct desired_breakpoint *desired = &list->desired[i];
        AUTO_FREE char *refusal = breakpoint_row_refusal(target, list, i);
        bool is_news = target->channel != 0 || list->bound[i].state != BREAKPOINT_FAILED;
        if (refusal == NULL)
            continue;
        if (target->channel == 0)
            breakpoint_fail(&list->bound[i], refusal);
        if (!is_news)
            continue;
        AUTO_FREE char *place = breakpoint_place(list->path, desired);
        if (list->kind == BREAKPOINT_EXCEPTION)
            session_notice(target->session, "%s", refusal);
        else if (target->channel == 0)
            session_notice(target->session, "breakpoint %" PRId64 ", %s, was not set: %s", desired->number, place, refusal);
    }
}

static void configure(struct target *target, const struct breakpoint_list *list, dap_answer_fn answered, void *user, int *ret_count)
{
    struct sent_list *sent = sent_list_new(target, list);
    bool nothing_set = sent->row_count == 0 && !target->ready && list->kind != BREAKPOINT_EXCEPTION;
    if (nothing_set) {
        take_out(sent);
        sent_list_free(sent);
        return;
    }
    sent->configured = answered;
    sent->user = user;
    (*ret_count)++;
    send_list(sent, on_configured);
}

void breakpoints_send_all(struct target *target, dap_answer_fn answered, void *user, int *ret_count)
{
    struct session *session = target->session;
    struct breakpoint_list *functions = breakpoint_list_find(session, BREAKPOINT_FUNCTION, NULL);
    if (functions != NULL && target->channel == 0)
        breakpoint_locate(target, functions->desired, functions->count);
    char **files = breakpoint_function_files(target, functions, NULL);
    for (size_t i = 0; files[i] != NULL; i++) {
        struct breakpoint_list none = { .kind = BREAKPOINT_SOURCE, .path = files[i] };
        if (breakpoint_list_find(session, BREAKPOINT_SOURCE, files[i]) == NULL)
            configure(target, &none, answered, user, ret_count);
        free(files[i]);
    }
    free(files);
    for (size_t i = 0; i < session->list_count && session->lists[i].kind != BREAKPOINT_EXCEPTION; i++) {
        refuse_rows(target, &session->lists[i]);
        if (target->channel == 0)
            breakpoint_say_emulated(target, &session->lists[i]);
        if (knows_request(target, session->lists[i].kind))
            configure(target, &session->lists[i], answered, user, ret_count);
    }
    const struct temporary_breakpoint *temporary = &session->temporary;
    struct breakpoint_list alone = { .path = temporary->path };
    alone.kind = temporary->set ? temporary->desired->kind : BREAKPOINT_SOURCE;
    bool panic_alone = functions == NULL && panic_wanted(target);
    if (panic_alone)
        configure(target, &(struct breakpoint_list){ .kind = BREAKPOINT_FUNCTION }, answered, user, ret_count);
    if (temporary->set && !(panic_alone && alone.kind == BREAKPOINT_FUNCTION) &&
        breakpoint_list_find(session, alone.kind, alone.path) == NULL && knows_request(target, alone.kind))
        configure(target, &alone, answered, user, ret_count);
}

void breakpoints_send_exceptions(struct target *target, bool always, dap_answer_fn answered, void *user, int *ret_count)
{
    static const struct breakpoint_list none = { .kind = BREAKPOINT_EXCEPTION };
    struct breakpoint_list *list = breakpoint_list_find(target->session, BREAKPOINT_EXCEPTION, NULL);
    if (!always && !knows_request(target, BREAKPOINT_EXCEPTION))
        return;
    if (list != NULL)
        refuse_rows(target, list);
    configure(target, list == NULL ? &none : list, answered, user, ret_count);
}

void breakpoints_take_away(struct target *target)
{
    const struct session *session = target->session;
    size_t none = 0;
    const struct breakpoint_list functions = { .kind = BREAKPOINT_FUNCTION };
    if (panic_wanted(target) && breakpoint_list_find(session, BREAKPOINT_FUNCTION, NULL) == NULL)
        target_request(target, breakpoint_command(BREAKPOINT_FUNCTION), breakpoint_arguments(target, &functions, &none, 0),
                       session->timeouts.request, NULL, NULL);
    for (size_t i = 0; i < session->list_count; i++) {
        const struct breakpoint_list *list = &session->lists[i];
        if (knows_request(target, list->kind))
            target_request(target, breakpoint_command(list->kind), breakpoint_arguments(target, list, &none, 0),
                           session->timeouts.request, NULL, NULL);
    }
}

/* ---- a change while the session is active ---- */

static void finish_set(struct sent_list *sent, const struct error *error)
{
    take_out(sent);
    breakpoint_replay_early(sent->session);
    sent->done(sent->user, error);
    sent_list_free(sent);
}

/* `user` is the root's list, which waits for all of them. */
static void on_passed_on(void *user, const struct dap_answer *answer)
{
    struct sent_list *root_list = user;
    (void)answer; /* taken already; what a child refuses, others may bind */
    if (--root_list->awaited == 0)
        finish_set(root_list, NULL);
}

static void pass_on(struct sent_list *root_list, struct target *target)
{
    struct sent_list *sent = sent_list_new(target, &root_list->list);
    sent->configured = on_passed_on;
    sent->user = root_list;
    root_list->awaited++;
    send_list(sent, on_configured);
}

/* A configuration was sent after this list, and with the former one, since this was not accepted yet: that is what the adapter has now. */
static bool was_overtaken(const struct sent_list *sent)
{
    bool overtaken = sent->overtaken;
    for (struct sent_list *later = sent->next; later != NULL; later = later->next) {
        if (later->target != sent->target || !is_of(later, sent->list.kind, sent->list.path) || later->done != NULL)
            continue;
        later->superseded = true;
        overtaken = true;
    }
    return overtaken;
}

/* The root has accepted the list: the children get it too, and the root again what it does not have any more. False: nobody is waited for. */
static bool send_on(struct sent_list *root_list)
{
    struct session *session = root_list->session;
    size_t count = session->target_count;
    struct target **targets = xcalloc(count + 1, sizeof(*targets)); /* answers may come at once and change the list */
    memcpy(targets, session->targets, count * sizeof(*targets));
    root_list->awaited = 1;
    if (was_overtaken(root_list))
        pass_on(root_list, root_list->target);
    for (size_t i = 1; i < count; i++)
        if (targets[i]->ready && !targets[i]->gone && knows_request(targets[i], root_list->list.kind))
            pass_on(root_list, targets[i]);
    free(targets);
    return --root_list->awaited > 0;
}

static void store(struct session *session, const struct breakpoint_list *wanted, bool complete)
{
    if (complete)
        session->exceptions_set = true;
    (void)breakpoint_list_store(session, wanted->kind, wanted->path, wanted->desired, wanted->count);
}

static void on_set(void *user, const struct dap_answer *answer)
{
    struct sent_list *sent = user;
    struct session *session = sent->session;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (answer->outcome == DAP_OK) {
        supersede(session, sent->list.kind, sent->list.path, sent);
        if (!sent->superseded)
            store(session, &sent->list, sent->complete);
        struct breakpoint_list *list = sent->superseded ? NULL : breakpoint_list_find(session, sent->list.kind, sent->list.path);
        if (list != NULL) {
            breakpoint_take_answer(sent->target, list, sent->rows, sent->row_count, answer->body);
            refuse_rows(sent->target, list);
        }
        if (!sent->superseded)
            take_functions(sent, answer);
        if (!sent->superseded)
            breakpoint_say_emulated(sent->target, list);
        take_temporary(sent, answer);
        if (!sent->superseded && send_on(sent))
            return; /* goes on when they have answered */
    } else {
        AUTO_FREE char *why = session_answer_text(answer);
        bool running = answer->outcome == DAP_REFUSED && session->state == SESSION_RUNNING;
        error_set(&error, answer->outcome == DAP_TIMED_OUT ? ERROR_TIMEOUT : ERROR_REQUEST,
                  "%s; %sthe breakpoints that were set before stay", why,
                  running ? "the program is running, and this adapter may take such ones only at a stop: dap_pause first; " : "");
    }
    finish_set(sent, answer->outcome == DAP_OK ? NULL : &error);
}

/* ---- functions at targets that do not take their names ---- */

/* The files in which they begin are sent again, to all targets. */
struct function_change {
    size_t awaited;
    session_done_fn done;
    void *user;
};

static void on_file_answered(void *user, const struct dap_answer *answer)
{
    struct function_change *change = user;
    (void)answer; /* taken already: what is refused there is failed */
    if (--change->awaited > 0)
        return;
    change->done(change->user, NULL);
    free(change);
}

static void send_file(struct function_change *change, struct target *target, const char *path)
{
    struct breakpoint_list none = { .kind = BREAKPOINT_SOURCE, .path = (char *)path };
    const struct breakpoint_list *list = breakpoint_list_find(target->session, BREAKPOINT_SOURCE, path);
    struct sent_list *sent = sent_list_new(target, list == NULL ? &none : list);
    sent->configured = on_file_answered;
    sent->user = change;
    change->awaited++;
    send_list(sent, on_configured);
}

static void send_files(struct session *session, char *const *files, session_done_fn done, void *user)
{
    struct function_change *change = xcalloc(1, sizeof(*change));
    *change = (struct function_change){ .awaited = 1, .done = done, .user = user };
    size_t count = session->target_count;
    struct target **targets = xcalloc(count + 1, sizeof(*targets)); /* answers may come at once and change the list */
    memcpy(targets, session->targets, count * sizeof(*targets));
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; files[k] != NULL && (i == 0 || (targets[i]->ready && !targets[i]->gone)); k++)
            send_file(change, targets[i], files[k]);
    free(targets);
    on_file_answered(change, NULL);
}

static void set_functions(struct session *session, const struct breakpoint_list *wanted, session_done_fn done, void *user)
{
    struct breakpoint_list *former = breakpoint_list_find(session, BREAKPOINT_FUNCTION, NULL);
    char **files = breakpoint_function_files(session_root(session), former, wanted);
    struct breakpoint_list *list = breakpoint_list_store(session, wanted->kind, NULL, wanted->desired, wanted->count);
    breakpoint_say_emulated(session_root(session), list);
    send_files(session, files, done, user);
    for (size_t i = 0; files[i] != NULL; i++)
        free(files[i]);
    free(files);
}

static int check_limits(const struct session *session, const struct breakpoint_list *wanted, struct error *ret_error)
{
    if (wanted->count > LIMIT_BREAKPOINTS_PER_FILE && wanted->kind == BREAKPOINT_SOURCE)
        return error_set(ret_error, ERROR_LIMIT, "/breakpoints has %zu items; at most %d are allowed in one file", wanted->count,
                         LIMIT_BREAKPOINTS_PER_FILE);
    if (wanted->count > LIMIT_BREAKPOINTS_PER_FILE)
        return error_set(ret_error, ERROR_LIMIT, "%zu %s breakpoints are too many; at most %d are allowed", wanted->count,
                         breakpoint_kind_name(wanted->kind), LIMIT_BREAKPOINTS_PER_FILE);
    if (wanted->kind == BREAKPOINT_SOURCE && wanted->count > 0 &&
        session_breakpoint_file_count(session) >= LIMIT_BREAKPOINT_FILES &&
        session_find_breakpoint_file(session, wanted->path) == NULL)
        return error_set(ret_error, ERROR_LIMIT, "breakpoints are set in %d files already; clear one with an empty list first",
                         LIMIT_BREAKPOINT_FILES);
    return 0;
}

/* One grammar for all adapters: those that have one of their own do not claim hit conditions as far as we believe them. */
static int check_hit_conditions(const struct breakpoint_list *wanted, struct error *ret_error)
{
    struct hit_condition condition;
    for (size_t i = 0; i < wanted->count; i++)
        if (wanted->desired[i].hit_condition != NULL &&
            hit_condition_read(wanted->desired[i].hit_condition, &condition, ret_error) < 0)
            return -1;
    return 0;
}

static bool is_known(const struct breakpoint_list *list, const struct desired_breakpoint *wanted)
{
    for (size_t i = 0; list != NULL && i < list->count; i++)
        if (desired_breakpoint_same(&list->desired[i], wanted))
            return true;
    return false;
}

/* What the adapter cannot do is refused at once; one that it could not set before is no reason to refuse the others. */
static int check_abilities(const struct session *session, const struct breakpoint_list *wanted, struct error *ret_error)
{
    const struct breakpoint_list *former = breakpoint_list_find(session, wanted->kind, wanted->path);
    for (size_t i = 0; i < wanted->count; i++) {
        const struct desired_breakpoint *desired = &wanted->desired[i];
        if (is_known(former, desired))
            continue;
        AUTO_FREE char *refusal = breakpoint_row_refusal(session_root(session), wanted, i);
        if (refusal != NULL)
            return error_set(ret_error, ERROR_REQUEST, "%s; the breakpoints that were set before stay", refusal);
    }
    return 0;
}

/* Before the configuration runs, the adapter may not take breakpoints: it will get the stored ones then. Nor is it told of a kind that it
 * does not know. */
static int set_located(struct session *session, const struct breakpoint_list *wanted, bool live, bool complete,
                       session_done_fn done, void *user, struct error *ret_error)
{
    if (check_limits(session, wanted, ret_error) < 0 || check_hit_conditions(wanted, ret_error) < 0 ||
        (live && check_abilities(session, wanted, ret_error) < 0))
        return -1;
    if (live && wanted->kind == BREAKPOINT_FUNCTION && !knows_request(session_root(session), wanted->kind)) {
        set_functions(session, wanted, done, user);
        return 0;
    }
    if (!live || !knows_request(session_root(session), wanted->kind)) {
        supersede(session, wanted->kind, wanted->path, NULL);
        store(session, wanted, complete);
        done(user, NULL);
        return 0;
    }
    struct sent_list *sent = sent_list_new(session_root(session), wanted);
    sent->complete = complete;
    sent->done = done;
    sent->user = user;
    send_list(sent, on_set);
    return 0;
}

/* What is chosen of exceptions decides about a breakpoint that goes with the functions. */
struct panic_change {
    struct session *session;
    bool was_wanted;
    session_done_fn done;
    void *user;
};

static void on_exceptions_set(void *user, const struct error *error)
{
    struct panic_change change = *(struct panic_change *)user;
    struct session *session = change.session;
    AUTO_ERROR struct error why = ERROR_INIT;
    free(user);
    bool live = session_active(session) && session->end_phase == END_NONE;
    bool changes = error == NULL && live && (change.was_wanted || panic_wanted(session_root(session)));
    if (!changes)
        change.done(change.user, error);
    else if (breakpoint_send_again(session, BREAKPOINT_FUNCTION, NULL, change.done, change.user, &why) < 0)
        change.done(change.user, &why);
}

static int set_exceptions(struct session *session, const struct breakpoint_list *wanted, bool complete, session_done_fn done,
                          void *user, struct error *ret_error)
{
    struct panic_change *change = xcalloc(1, sizeof(*change));
    *change = (struct panic_change){ session, panic_wanted(session_root(session)), done, user };
    if (set_located(session, wanted, true, complete, on_exceptions_set, change, ret_error) == 0)
        return 0;
    free(change);
    return -1;
}

static int set_list(struct session *session, const struct breakpoint_list *wanted, bool complete, session_done_fn done, void *user,
                    struct error *ret_error)
{
    bool live = session_active(session) && session->launch.initialized && session->end_phase == END_NONE;
    if (live && wanted->kind == BREAKPOINT_EXCEPTION)
        return set_exceptions(session, wanted, complete, done, user, ret_error);
    if (!live || wanted->kind != BREAKPOINT_FUNCTION)
        return set_located(session, wanted, live, complete, done, user, ret_error);
    struct breakpoint_list located = { .kind = wanted->kind,
                                       .desired = desired_breakpoints_copy(wanted->desired, wanted->count),
                                       .count = wanted->count };
    breakpoint_locate(session_root(session), located.desired, located.count);
    int result = set_located(session, &located, live, complete, done, user, ret_error);
    desired_breakpoints_free(located.desired, located.count);
    return result;
}

/* What the user sets at this moment is not stored before the adapter has accepted it, and must not be undone. */
int breakpoint_send_again(struct session *session, enum breakpoint_kind kind, const char *path, session_done_fn done, void *user,
                          struct error *ret_error)
{
    struct breakpoint_list none = { .kind = kind, .path = (char *)path };
    const struct breakpoint_list *newest = breakpoint_list_find(session, kind, path);
    for (const struct sent_list *sent = session->sent_lists; sent != NULL; sent = sent->next)
        if (sent->done != NULL && is_of(sent, kind, path))
            newest = &sent->list;
    return set_list(session, newest == NULL ? &none : newest, false, done, user, ret_error);
}

int session_set_breakpoint_list(struct session *session, const struct breakpoint_list *wanted, session_done_fn done, void *user,
                                struct error *ret_error)
{
    return set_list(session, wanted, false, done, user, ret_error);
}

int session_set_exception_breakpoints(struct session *session, const struct desired_breakpoint *list, size_t count,
                                      session_done_fn done, void *user, struct error *ret_error)
{
    /* Read only. */
    struct breakpoint_list wanted = { .kind = BREAKPOINT_EXCEPTION, .desired = (struct desired_breakpoint *)list, .count = count };
    return set_list(session, &wanted, true, done, user, ret_error);
}

int session_set_breakpoints(struct session *session, const char *path, const struct desired_breakpoint *list, size_t count,
                            session_done_fn done, void *user, struct error *ret_error)
{
    struct breakpoint_list wanted = {
        .kind = BREAKPOINT_SOURCE, .path = (char *)path, .desired = (struct desired_breakpoint *)list, .count = count
    };
    return set_list(session, &wanted, false, done, user, ret_error);
}
