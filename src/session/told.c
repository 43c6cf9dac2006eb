/* What events tell that nobody asked for: modules, sources, progress, and what was read and is not true any more. */
#include "session/internal.h"

#include <string.h>

/* ---- modules and sources ---- */

static void told_item_done(struct told_item *item)
{
    free(item->key);
    free(item->text);
}

void told_forget(struct session *session)
{
    for (int kind = 0; kind < TOLD_KINDS; kind++) {
        struct told *told = &session->told[kind];
        for (size_t i = 0; i < told->count; i++)
            told_item_done(&told->items[i]);
        free(told->items);
        *told = (struct told){ 0 };
    }
    progress_forget(session);
}

static size_t find_key(const struct told *told, const char *key)
{
    size_t at = 0;
    while (at < told->count && strcmp(told->items[at].key, key) != 0)
        at++;
    return at;
}

/* Takes key. What is over the limit is not kept: the list is for looking, and says that it is not whole. */
static void told_take(struct session *session, enum told_kind kind, const char *reason, char *key, yyjson_val *item)
{
    struct told *told = &session->told[kind];
    size_t at = find_key(told, key);
    if (strcmp(reason, "removed") == 0) {
        if (at < told->count) {
            told_item_done(&told->items[at]);
            memmove(told->items + at, told->items + at + 1, (told->count - at - 1) * sizeof(*told->items));
            told->count--;
        }
        free(key);
        return;
    }
    size_t len;
    char *text = json_write_value(item, &len);
    if (len > LIMIT_TOLD_BYTES || (at == told->count && at == LIMIT_TOLD)) {
        told->left_out++;
        free(text);
        free(key);
        return;
    }
    if (at == told->count) {
        told->items = xgrow(told->items, &told->cap, told->count + 1, sizeof(*told->items));
        told->items[told->count++] = (struct told_item){ key, text };
        return;
    }
    free(key);
    free(told->items[at].text);
    told->items[at].text = text;
}

void on_module(struct target *target, yyjson_val *body)
{
    yyjson_val *module = json_object(body, "module");
    const char *reason = json_string(body, "reason");
    const char *id = json_string(module, "id");
    int64_t number;
    if (id != NULL)
        told_take(target->session, TOLD_MODULES, reason == NULL ? "" : reason, xasprintf("%u:%s", target->channel, id), module);
    else if (json_int(module, "id", &number))
        told_take(target->session, TOLD_MODULES, reason == NULL ? "" : reason,
                  xasprintf("%u:%lld", target->channel, (long long)number), module);
}

void on_loaded_source(struct target *target, yyjson_val *body)
{
    yyjson_val *source = json_object(body, "source");
    const char *reason = json_string(body, "reason");
    const char *path = json_string(source, "path");
    int64_t reference = json_int_or(source, "sourceReference", 0);
    if (path == NULL && reference <= 0)
        return;
    told_take(target->session, TOLD_SOURCES, reason == NULL ? "" : reason,
              xasprintf("%u:%lld:%s", target->channel, (long long)reference, path == NULL ? "" : path), source);
}

size_t session_told(const struct session *session, enum told_kind kind, yyjson_doc **ret_list)
{
    const struct told *told = &session->told[kind];
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, SIZE_MAX / 2); /* bounded by the items */
    buffer_addc(&text, '[');
    for (size_t i = 0; i < told->count; i++)
        buffer_addf(&text, "%s%s", i > 0 ? "," : "", told->items[i].text);
    buffer_addc(&text, ']');
    *ret_list = yyjson_read(text.data, text.len, 0);
    return told->left_out;
}

/* ---- progress ---- */

static void progress_done(struct progress *progress)
{
    free(progress->id);
    free(progress->title);
    free(progress->message);
}

void progress_forget(struct session *session)
{
    for (size_t i = 0; i < session->progress_count; i++)
        progress_done(&session->progress[i]);
    session->progress_count = 0;
}

static struct progress *find_progress(struct session *session, const struct target *target, const char *id)
{
    for (size_t i = 0; id != NULL && i < session->progress_count; i++)
        if (session->progress[i].channel == target->channel && strcmp(session->progress[i].id, id) == 0)
            return &session->progress[i];
    return NULL;
}

static void remove_progress(struct session *session, struct progress *progress)
{
    size_t at = (size_t)(progress - session->progress);
    progress_done(progress);
    memmove(progress, progress + 1, (session->progress_count - at - 1) * sizeof(*progress));
    session->progress_count--;
}

/* A message that is left out stays as it was. */
static void update_progress(struct progress *progress, yyjson_val *body)
{
    const char *message = json_string(body, "message");
    yyjson_val *percentage = json_member(body, "percentage");
    if (message != NULL)
        xreplace(&progress->message, message);
    if (yyjson_is_num(percentage))
        progress->percentage = (int)yyjson_get_num(percentage);
}

void on_progress_start(struct target *target, yyjson_val *body)
{
    struct session *session = target->session;
    const char *id = json_string(body, "progressId");
    const char *title = json_string(body, "title");
    if (id == NULL)
        return;
    struct progress *known = find_progress(session, target, id);
    if (known != NULL)
        remove_progress(session, known);
    if (session->progress_count == LIMIT_PROGRESS)
        remove_progress(session, &session->progress[0]);
    struct progress *progress = &session->progress[session->progress_count++];
    *progress = (struct progress){
        .channel = target->channel,
        .id = xstrdup(id),
        .title = xstrdup(title == NULL ? "" : title),
        .percentage = -1,
        .cancellable = json_bool(body, "cancellable", false),
        .request = json_int_or(body, "requestId", 0),
        .number = ++session->progress_started,
    };
    update_progress(progress, body);
}

void on_progress_update(struct target *target, yyjson_val *body)
{
    struct progress *progress = find_progress(target->session, target, json_string(body, "progressId"));
    if (progress != NULL)
        update_progress(progress, body);
}

void on_progress_end(struct target *target, yyjson_val *body)
{
    struct progress *progress = find_progress(target->session, target, json_string(body, "progressId"));
    if (progress != NULL)
        remove_progress(target->session, progress);
}

char *session_progress(const struct session *session)
{
    if (session->progress_count == 0)
        return NULL;
    const struct progress *newest = &session->progress[session->progress_count - 1];
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, LIMIT_TEXT_BYTES);
    buffer_add(&text, newest->title);
    if (newest->message != NULL && newest->message[0] != '\0')
        buffer_addf(&text, "%s%s", text.len > 0 ? ": " : "", newest->message);
    if (newest->percentage >= 0)
        buffer_addf(&text, " (%d%%)", newest->percentage);
    return buffer_take(&text, NULL);
}

uint64_t session_progress_started(const struct session *session)
{
    return session->progress_started;
}

void session_progress_cancel(struct session *session, int64_t request, uint64_t since)
{
    for (size_t i = 0; i < session->progress_count; i++) {
        struct progress *progress = &session->progress[i];
        struct target *target = target_find(session, progress->channel);
        bool meant = progress->request != 0 ? progress->request == request && request != 0 : progress->number > since;
        if (!meant || !progress->cancellable || target == NULL || !target_takes_cancel(target))
            continue;
        progress->cancellable = false; /* once is enough; its end comes as an event */
        yyjson_mut_val *arguments;
        yyjson_mut_doc *doc = json_new_object(&arguments);
        json_add_string(doc, arguments, "progressId", progress->id);
        target_request(target, "cancel", doc, session->timeouts.request, NULL, NULL);
    }
}

/* ---- what is not true any more ---- */

uint64_t session_view(const struct session *session)
{
    return session->view;
}

void session_view_changed(struct session *session)
{
    session->view++;
    session->viewed_stop = session->stop_number;
}

bool session_scopes_are_old(const struct session *session)
{
    return session_quirk(session, QUIRK_COPIES_SCOPES) && session_stop(session) != NULL &&
           session->viewed_stop == session->stop_number;
}

static bool names_frames(yyjson_val *body)
{
    yyjson_val *areas = json_array(body, "areas");
    bool any = false;
    size_t index, most;
    yyjson_val *area;
    yyjson_arr_foreach(areas, index, most, area) {
        const char *name = yyjson_get_str(area);
        if (name == NULL || strcmp(name, "variables") != 0)
            return true; /* stacks, threads, all, and what is not known here */
        any = true;
    }
    return !any;
}

/* References that were given out stay good: the specification ends their life when the program runs on. */
void on_invalidated(struct target *target, yyjson_val *body)
{
    struct session *session = target->session;
    int64_t thread;
    session_view_changed(session);
    bool other_thread = json_member(body, "stackFrameId") == NULL && json_int(body, "threadId", &thread) &&
                        session->stop.has_thread && thread != session->stop.adapter_thread_id;
    if (target == session->focus && !other_thread && names_frames(body))
        stop_read_again(session);
}

void on_memory(struct target *target, yyjson_val *body)
{
    (void)body; /* memory is never kept; values are, and any of them may be made of it */
    session_view_changed(target->session);
}
