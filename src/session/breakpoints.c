/* Desired breakpoints (what the user asked for, kept across launches) and bound ones (what the adapter answered), kept apart: the
 * desired ones are sent again, never the lines that an adapter moved them to. (Specification, "SetBreakpoints", "Breakpoint Event".) */
#include "session/internal.h"

#include "base/path.h"

#include <string.h>

/* ---- the list of files ---- */

static void free_bound(struct bound_breakpoint *bound, size_t count)
{
    for (size_t i = 0; bound != NULL && i < count; i++)
        bound_breakpoint_done(&bound[i]);
    free(bound);
}

static void file_done(struct breakpoint_file *file)
{
    free_bound(file->bound, file->count);
    desired_breakpoints_free(file->desired, file->count);
    free(file->path);
}

void breakpoints_free(struct session *session)
{
    for (size_t i = 0; i < session->file_count; i++)
        file_done(&session->files[i]);
    free(session->files);
    for (size_t i = 0; i < session->early_count; i++)
        yyjson_mut_doc_free(session->early[i].body);
    free(session->early);
}

static size_t file_position(const struct session *session, const char *path, bool *ret_found)
{
    size_t at = 0;
    int order = -1;
    while (at < session->file_count && (order = strcmp(session->files[at].path, path)) < 0)
        at++;
    *ret_found = at < session->file_count && order == 0;
    return at;
}

size_t session_breakpoint_file_count(const struct session *session)
{
    return session->file_count;
}

const struct breakpoint_file *session_breakpoint_file(const struct session *session, size_t index)
{
    return index < session->file_count ? &session->files[index] : NULL;
}

const struct breakpoint_file *session_find_breakpoint_file(const struct session *session, const char *path)
{
    bool found;
    size_t at = file_position(session, path, &found);
    return found ? &session->files[at] : NULL;
}

bool session_find_breakpoint(const struct session *session, int64_t id, const struct breakpoint_file **ret_file, size_t *ret_index)
{
    for (size_t i = 0; i < session->file_count; i++) {
        for (size_t k = 0; k < session->files[i].count; k++) {
            const struct bound_breakpoint *bound = &session->files[i].bound[k];
            if (bound->has_id && bound->id == id) {
                *ret_file = &session->files[i];
                *ret_index = k;
                return true;
            }
        }
    }
    return false;
}

/* ---- whose numbers ----
 *
 * A row shows what one target told, its owner. Another target's number for the same breakpoint is an alias. A verified row keeps its
 * owner; a row that is not verified goes to whoever verifies it, and from the root to a child (js-debug's root only holds places). */

static const struct bound_alias *find_alias(const struct target *target, int64_t id)
{
    for (size_t i = 0; i < target->alias_count; i++)
        if (target->aliases[i].id == id)
            return &target->aliases[i];
    return NULL;
}

static void alias_add(struct target *target, int64_t id, const char *path, size_t index)
{
    target->aliases = xgrow(target->aliases, &target->alias_cap, target->alias_count + 1, sizeof(*target->aliases));
    target->aliases[target->alias_count++] = (struct bound_alias){ id, xstrdup(path), index };
}

static void aliases_drop(struct target *target, const char *path) /* NULL: all */
{
    size_t kept = 0;
    for (size_t i = 0; i < target->alias_count; i++) {
        if (path == NULL || strcmp(target->aliases[i].path, path) == 0)
            free(target->aliases[i].path);
        else
            target->aliases[kept++] = target->aliases[i];
    }
    target->alias_count = kept;
}

static struct bound_breakpoint *find_bound(struct target *target, int64_t id)
{
    struct session *session = target->session;
    for (size_t i = 0; i < session->file_count; i++)
        for (size_t k = 0; k < session->files[i].count; k++) {
            struct bound_breakpoint *bound = &session->files[i].bound[k];
            if (bound->owner == target->channel && bound->has_id && bound->id == id)
                return bound;
        }
    const struct bound_alias *alias = find_alias(target, id);
    bool found = false;
    size_t at = alias == NULL ? 0 : file_position(session, alias->path, &found);
    return found && alias->index < session->files[at].count ? &session->files[at].bound[alias->index] : NULL;
}

/* A target's word on a row that it does not own counts only where it knows better. */
static bool may_speak(const struct target *target, const struct bound_breakpoint *bound, enum breakpoint_state state)
{
    if (bound->owner == target->channel)
        return true;
    if (bound->state == BREAKPOINT_BOUND)
        return target_find(target->session, bound->owner) == NULL; /* its owner has ended */
    return state == BREAKPOINT_BOUND || bound->owner == 0 || target_find(target->session, bound->owner) == NULL;
}

/* One setBreakpoints request without an answer: a file of the configuration, or one that the user sets while the session is active. */
struct sent_list {
    struct sent_list *next;
    struct session *session;
    struct target *target;
    char *path;
    struct desired_breakpoint *desired;
    size_t count;
    size_t awaited;           /* children that have not answered */
    bool superseded;          /* the file has got a later list meanwhile: this answer tells nothing of it */
    dap_answer_fn configured; /* one of the two */
    session_done_fn done;
    void *user;
};

static struct desired_breakpoint *copy_desired(const struct desired_breakpoint *list, size_t count)
{
    struct desired_breakpoint *copy = xcalloc(count + 1, sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = desired_breakpoint_copy(&list[i]);
    return copy;
}

/* What is known of a breakpoint that stays in the list stays known. */
static void inherit_bound(struct breakpoint_file *former, struct breakpoint_file *next)
{
    for (size_t i = 0; i < next->count; i++) {
        for (size_t k = 0; k < former->count; k++) {
            if (desired_breakpoint_same(&next->desired[i], &former->desired[k])) {
                next->bound[i] = former->bound[k];
                former->bound[k] = (struct bound_breakpoint){ 0 };
                break;
            }
        }
    }
}

/* Stores the list; an empty one drops the file. Returns the stored file, or NULL. */
static struct breakpoint_file *store(struct session *session, const char *path, const struct desired_breakpoint *list, size_t count)
{
    bool found;
    size_t at = file_position(session, path, &found);
    struct breakpoint_file next = {
        .path = xstrdup(path),
        .desired = copy_desired(list, count),
        .bound = xcalloc(count + 1, sizeof(*next.bound)),
        .count = count,
    };
    if (found) {
        inherit_bound(&session->files[at], &next);
        file_done(&session->files[at]);
    }
    if (count == 0) {
        file_done(&next);
        if (found) {
            memmove(session->files + at, session->files + at + 1, (session->file_count - at - 1) * sizeof(*session->files));
            session->file_count--;
        }
        return NULL;
    }
    if (!found) {
        session->files = xgrow(session->files, &session->file_cap, session->file_count + 1, sizeof(*session->files));
        memmove(session->files + at + 1, session->files + at, (session->file_count - at) * sizeof(*session->files));
        session->file_count++;
    }
    session->files[at] = next;
    return &session->files[at];
}

void breakpoints_forget_bound(struct session *session)
{
    for (size_t i = 0; i < session->file_count; i++) {
        struct breakpoint_file *file = &session->files[i];
        for (size_t k = 0; k < file->count; k++)
            bound_breakpoint_done(&file->bound[k]);
    }
    for (size_t i = 0; i < session->early_count; i++)
        yyjson_mut_doc_free(session->early[i].body);
    session->early_count = 0;
}

/* ---- answers and events ---- */

static void read_row(const struct session *session, yyjson_val *object, struct bound_breakpoint *ret)
{
    bound_breakpoint_read(object, ret);
    bool unresolved = ret->message != NULL && strstr(ret->message, "Resolved locations: 0") != NULL;
    if (unresolved && ret->state == BREAKPOINT_BOUND && session_quirk(session, QUIRK_CLAIMS_UNRESOLVED))
        ret->state = BREAKPOINT_PENDING;
    /* A name that js-debug's own editor would translate. */
    if (ret->message != NULL && strcmp(ret->message, "breakpoint.provisionalBreakpoint") == 0)
        xreplace(&ret->message, NULL);
}

static void replace_bound(struct target *target, const char *path, size_t index, struct bound_breakpoint *bound,
                          struct bound_breakpoint *next)
{
    bool untold = !bound->has_id && !bound->has_line && bound->state == BREAKPOINT_PENDING && bound->owner == 0;
    if (!untold && !may_speak(target, bound, next->state)) {
        if (next->has_id)
            alias_add(target, next->id, path, index);
        bound_breakpoint_done(next);
        return;
    }
    struct target *former = target_find(target->session, bound->owner);
    if (former != NULL && former != target && bound->has_id)
        alias_add(former, bound->id, path, index);
    next->owner = target->channel;
    bool hit = bound->hit;
    bound_breakpoint_done(bound);
    *bound = *next;
    bound->hit = hit;
}

/* A shorter answer than the request leaves the rest as it was (an adapter may answer [] when nothing changed). */
static void take_answer(struct target *target, struct breakpoint_file *file, yyjson_val *body)
{
    aliases_drop(target, file->path);
    size_t index, most;
    yyjson_val *item;
    yyjson_arr_foreach(json_array(body, "breakpoints"), index, most, item) {
        if (index >= file->count)
            break;
        struct bound_breakpoint next;
        read_row(target->session, item, &next);
        replace_bound(target, file->path, index, &file->bound[index], &next);
    }
}

static void fail_all(struct breakpoint_file *file, const char *why)
{
    for (size_t i = 0; i < file->count; i++) {
        bound_breakpoint_done(&file->bound[i]);
        file->bound[i].state = BREAKPOINT_FAILED;
        file->bound[i].message = xstrdup(why);
    }
}

/* An event names only what changed: what it leaves out stays. */
static void merge_event(const struct session *session, struct bound_breakpoint *bound, yyjson_val *breakpoint)
{
    struct bound_breakpoint next;
    read_row(session, breakpoint, &next);
    if (json_member(breakpoint, "verified") != NULL)
        bound->state = next.state;
    if (next.has_id) {
        bound->has_id = true;
        bound->id = next.id;
    }
    if (next.has_line) {
        bound->has_line = true;
        bound->line = next.line;
        bound->column = next.column;
    }
    if (next.message != NULL || next.state == BREAKPOINT_BOUND)
        xreplace(&bound->message, next.message);
    if (next.source_path != NULL)
        xreplace(&bound->source_path, next.source_path);
    if (next.source_name != NULL)
        xreplace(&bound->source_name, next.source_name);
    bound_breakpoint_done(&next);
}

/* A new id at a location that we asked for, where none is known: the record of that location. */
static struct bound_breakpoint *adopt(struct session *session, yyjson_val *breakpoint)
{
    struct bound_breakpoint told;
    bound_breakpoint_read(breakpoint, &told);
    struct bound_breakpoint *adopted = NULL;
    for (size_t i = 0; i < session->file_count && adopted == NULL; i++) {
        struct breakpoint_file *file = &session->files[i];
        if (told.source_path == NULL || strcmp(told.source_path, file->path) != 0)
            continue;
        for (size_t k = 0; k < file->count && adopted == NULL; k++)
            if (!file->bound[k].has_id && told.has_line && file->desired[k].line == told.line)
                adopted = &file->bound[k];
    }
    bound_breakpoint_done(&told);
    return adopted;
}

static bool apply_event(struct target *target, yyjson_val *body)
{
    struct session *session = target->session;
    const char *reason = json_string(body, "reason");
    yyjson_val *breakpoint = json_object(body, "breakpoint");
    bool removed = reason != NULL && strcmp(reason, "removed") == 0;
    int64_t id;
    struct bound_breakpoint *bound = json_int(breakpoint, "id", &id) ? find_bound(target, id) : NULL;
    if (bound == NULL && session->sent_lists != NULL)
        return false; /* the answer that names it is still on its way, and older than this event */
    if (bound == NULL && !removed)
        bound = adopt(session, breakpoint);
    if (bound == NULL)
        return false;
    bool verified = json_bool(breakpoint, "verified", false);
    if (bound->owner != target->channel) {
        if (!may_speak(target, bound, verified && !removed ? BREAKPOINT_BOUND : BREAKPOINT_PENDING) || removed)
            return true;
        /* From here on it is this target's row; the former owner's number stays known. */
        struct target *former = target_find(session, bound->owner);
        const struct bound_alias *alias = find_alias(target, id);
        if (former != NULL && bound->has_id && alias != NULL)
            alias_add(former, bound->id, alias->path, alias->index);
        bound->owner = target->channel;
    }
    if (removed) {
        bound->state = BREAKPOINT_FAILED;
        xreplace(&bound->message, "the adapter removed it");
    } else {
        merge_event(session, bound, breakpoint);
    }
    return true;
}

void breakpoints_on_event(struct target *target, yyjson_val *body)
{
    struct session *session = target->session;
    if (apply_event(target, body) || session->sent_lists == NULL || session->early_count >= LIMIT_BREAKPOINTS_PER_FILE)
        return;
    /* Kept until all answers are in. */
    yyjson_mut_doc *copy = yyjson_mut_doc_new(NULL);
    yyjson_mut_doc_set_root(copy, yyjson_val_mut_copy(copy, body));
    session->early = xgrow(session->early, &session->early_cap, session->early_count + 1, sizeof(*session->early));
    session->early[session->early_count++] = (struct early_breakpoint){ target, copy };
}

static void replay_early(struct session *session)
{
    if (session->sent_lists != NULL)
        return;
    size_t count = session->early_count;
    session->early_count = 0;
    for (size_t i = 0; i < count; i++) {
        yyjson_doc *doc = yyjson_mut_doc_imut_copy(session->early[i].body, NULL);
        apply_event(session->early[i].target, yyjson_doc_get_root(doc));
        yyjson_doc_free(doc);
        yyjson_mut_doc_free(session->early[i].body);
    }
}

static void prove_bound(struct bound_breakpoint *bound)
{
    if (bound->state != BREAKPOINT_BOUND)
        xreplace(&bound->message, NULL); /* it said why it was not */
    bound->state = BREAKPOINT_BOUND;
    bound->hit = true;
}

/* A stop proves that a breakpoint is bound: by its id, or by standing exactly where it is. */
bool breakpoints_stand_at(const struct session *session, const struct frame *frame)
{
    for (size_t i = 0; i < session->file_count && frame->source_path != NULL; i++) {
        const struct breakpoint_file *file = &session->files[i];
        if (strcmp(file->path, frame->source_path) != 0 && !path_same_file(file->path, frame->source_path))
            continue;
        for (size_t k = 0; k < file->count; k++)
            if (frame->line == (file->bound[k].has_line ? file->bound[k].line : file->desired[k].line))
                return true;
    }
    return false;
}

void breakpoints_on_stop(struct session *session)
{
    const struct stop *stop = &session->stop;
    bool named = false;
    for (size_t i = 0; i < stop->hit_count; i++) {
        struct bound_breakpoint *bound = find_bound(session->focus, stop->hit_ids[i]);
        named = named || bound != NULL;
        if (bound == NULL)
            continue;
        prove_bound(bound);
        if (bound->has_id)
            session->stop.hit_ids[i] = bound->id; /* as the row shows it */
    }
    if (named || stop->frame_count == 0 || strcmp(stop->reason, "breakpoint") != 0)
        return;
    const struct frame *top = &stop->frames[0];
    for (size_t i = 0; i < session->file_count && top->source_path != NULL; i++) {
        struct breakpoint_file *file = &session->files[i];
        if (strcmp(file->path, top->source_path) != 0 && !path_same_file(file->path, top->source_path))
            continue;
        for (size_t k = 0; k < file->count; k++) {
            struct bound_breakpoint *bound = &file->bound[k];
            int64_t line = bound->has_line ? bound->line : file->desired[k].line;
            if (line == top->line)
                prove_bound(bound);
        }
    }
}

/* ---- sending ---- */

static const char *no_conditions = "the adapter cannot do conditions (it does not claim supportsConditionalBreakpoints)";

/* Specification, SetBreakpointsArguments. `lines` is deprecated, but adapters read it. */
static yyjson_mut_doc *set_arguments(const char *path, const struct desired_breakpoint *list, size_t count)
{
    yyjson_mut_val *arguments;
    yyjson_mut_doc *doc = json_new_object(&arguments);
    yyjson_mut_val *source = yyjson_mut_obj(doc);
    json_add_string(doc, source, "name", path_name(path));
    json_add_string(doc, source, "path", path);
    json_add_value(doc, arguments, "source", source);
    yyjson_mut_val *breakpoints = yyjson_mut_arr(doc), *lines = yyjson_mut_arr(doc);
    for (size_t i = 0; i < count; i++) {
        yyjson_mut_val *item = yyjson_mut_obj(doc);
        json_add_int(doc, item, "line", list[i].line);
        json_add_string(doc, item, "condition", list[i].condition);
        yyjson_mut_arr_append(breakpoints, item);
        yyjson_mut_arr_add_sint(doc, lines, list[i].line);
    }
    json_add_value(doc, arguments, "breakpoints", breakpoints);
    json_add_value(doc, arguments, "lines", lines);
    json_add_bool(doc, arguments, "sourceModified", false);
    return doc;
}

static bool conditions_refused(const struct target *target, const struct desired_breakpoint *list, size_t count)
{
    if (target_capability(target, "supportsConditionalBreakpoints"))
        return false;
    for (size_t i = 0; i < count; i++)
        if (list[i].condition != NULL)
            return true;
    return false;
}

static struct sent_list *sent_list_new(struct target *target, const char *path, const struct desired_breakpoint *list, size_t count)
{
    struct sent_list *sent = xcalloc(1, sizeof(*sent));
    struct session *session = target->session;
    *sent = (struct sent_list){
        .session = session, .target = target, .path = xstrdup(path), .desired = copy_desired(list, count), .count = count
    };
    struct sent_list **end = &session->sent_lists;
    while (*end != NULL)
        end = &(*end)->next;
    *end = sent;
    return sent;
}

static void sent_list_free(struct sent_list *sent)
{
    desired_breakpoints_free(sent->desired, sent->count);
    free(sent->path);
    free(sent);
}

static void send_list(struct sent_list *sent, dap_answer_fn answered)
{
    struct session *session = sent->session;
    target_request(sent->target, "setBreakpoints", set_arguments(sent->path, sent->desired, sent->count), session->timeouts.request,
                   answered, sent);
}

/* Adapters may answer out of order. `until` NULL: all that are under way, to all targets. */
static void supersede(struct session *session, const char *path, const struct sent_list *until)
{
    for (struct sent_list *sent = session->sent_lists; sent != until; sent = sent->next)
        if (strcmp(sent->path, path) == 0 && (until == NULL || sent->target == until->target))
            sent->superseded = true;
}

static void take_out(struct sent_list *sent)
{
    struct sent_list **at = &sent->session->sent_lists;
    while (*at != sent)
        at = &(*at)->next;
    *at = sent->next;
}

static void on_configured(void *user, const struct dap_answer *answer)
{
    struct sent_list *sent = user;
    struct session *session = sent->session;
    bool found;
    size_t at = file_position(session, sent->path, &found);
    if (answer->outcome == DAP_OK)
        supersede(session, sent->path, sent);
    if (found && !sent->superseded && answer->outcome == DAP_OK)
        take_answer(sent->target, &session->files[at], answer->body);
    else if (found && !sent->superseded && sent->target->channel == 0 &&
             (target_refused(sent->target, answer) || answer->outcome == DAP_TIMED_OUT))
        fail_all(&session->files[at], answer->message);
    take_out(sent);
    replay_early(session);
    if (sent->configured != NULL)
        sent->configured(sent->user, answer);
    sent_list_free(sent);
}

void breakpoints_forget_target(struct target *target)
{
    aliases_drop(target, NULL);
    free(target->aliases);
    target->aliases = NULL;
    target->alias_cap = 0;
}

void breakpoints_send_all(struct target *target, dap_answer_fn answered, void *user, int *ret_count)
{
    struct session *session = target->session;
    for (size_t i = 0; i < session->file_count; i++) {
        struct breakpoint_file *file = &session->files[i];
        if (conditions_refused(target, file->desired, file->count)) {
            fail_all(file, no_conditions);
            session_notice(session, "breakpoints in %s were not set: %s", file->path, no_conditions);
            continue;
        }
        struct sent_list *sent = sent_list_new(target, file->path, file->desired, file->count);
        sent->configured = answered;
        sent->user = user;
        (*ret_count)++;
        send_list(sent, on_configured);
    }
}

static void finish_set(struct sent_list *sent, const struct error *error)
{
    take_out(sent);
    replay_early(sent->session);
    sent->done(sent->user, error);
    sent_list_free(sent);
}

/* A child's answer; `user` is the root's list, which waits for all of them. */
static void on_child_answered(void *user, const struct dap_answer *answer)
{
    struct sent_list *root_list = user;
    (void)answer; /* taken already; what a child refuses, others may bind */
    if (--root_list->awaited == 0)
        finish_set(root_list, NULL);
}

/* The root has accepted the list: the children get it too. False: there are none to wait for. */
static bool send_to_children(struct sent_list *root_list)
{
    struct session *session = root_list->session;
    size_t count = session->target_count;
    struct target **targets = xcalloc(count + 1, sizeof(*targets)); /* answers may come at once and change the list */
    memcpy(targets, session->targets, count * sizeof(*targets));
    root_list->awaited = 1;
    for (size_t i = 1; i < count; i++) {
        if (!targets[i]->ready || targets[i]->gone)
            continue;
        struct sent_list *sent = sent_list_new(targets[i], root_list->path, root_list->desired, root_list->count);
        sent->configured = on_child_answered;
        sent->user = root_list;
        root_list->awaited++;
        send_list(sent, on_configured);
    }
    free(targets);
    return --root_list->awaited > 0;
}

static void on_set(void *user, const struct dap_answer *answer)
{
    struct sent_list *sent = user;
    struct session *session = sent->session;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (answer->outcome == DAP_OK) {
        supersede(session, sent->path, sent);
        struct breakpoint_file *file = sent->superseded ? NULL : store(session, sent->path, sent->desired, sent->count);
        if (file != NULL)
            take_answer(sent->target, file, answer->body);
        if (!sent->superseded && send_to_children(sent))
            return; /* goes on when they have answered */
    } else {
        AUTO_FREE char *why = session_answer_text(answer);
        error_set(&error, answer->outcome == DAP_TIMED_OUT ? ERROR_TIMEOUT : ERROR_REQUEST,
                  "%s; the breakpoints that were set before stay", why);
    }
    finish_set(sent, answer->outcome == DAP_OK ? NULL : &error);
}

int session_set_breakpoints(struct session *session, const char *path, const struct desired_breakpoint *list, size_t count,
                            session_done_fn done, void *user, struct error *ret_error)
{
    if (count > LIMIT_BREAKPOINTS_PER_FILE)
        return error_set(ret_error, ERROR_LIMIT, "/breakpoints has %zu items; at most %d are allowed in one file", count,
                         LIMIT_BREAKPOINTS_PER_FILE);
    if (count > 0 && session->file_count >= LIMIT_BREAKPOINT_FILES && session_find_breakpoint_file(session, path) == NULL)
        return error_set(ret_error, ERROR_LIMIT, "breakpoints are set in %d files already; clear one with an empty list first",
                         LIMIT_BREAKPOINT_FILES);
    /* Before the configuration runs, the adapter may not take breakpoints: it will get the stored ones then. */
    bool live = session_active(session) && session->launch.initialized && session->end_phase == END_NONE;
    if (!live) {
        supersede(session, path, NULL);
        (void)store(session, path, list, count);
        done(user, NULL);
        return 0;
    }
    if (conditions_refused(session_root(session), list, count))
        return error_set(ret_error, ERROR_REQUEST, "%s; the breakpoints that were set before stay", no_conditions);
    struct sent_list *sent = sent_list_new(session_root(session), path, list, count);
    sent->done = done;
    sent->user = user;
    send_list(sent, on_set);
    return 0;
}
