/* Handles that carry their stop's number, turns, and requests of the operations. */
#include "session/internal.h"

#include <string.h>

#define HANDLES_OF_A_STOP 10000
#define FORGOTTEN INT64_MIN /* no adapter's reference */

static void forget_frames(struct session *session)
{
    for (size_t i = 0; i < session->handle_count; i++) {
        if (session->handles[i].frame == NULL)
            continue;
        frames_free(session->handles[i].frame, 1);
        session->handles[i].frame = NULL;
    }
}

void handles_reset(struct session *session)
{
    forget_frames(session);
    session->handle_count = 0;
    session->handles_stop = session->stop_number;
}

/* An answer that comes late tells of a stop that is over: its references mean something else by now. */
static bool is_late(const struct session *session)
{
    return session->answering && session->answered_stop != session->handles_stop;
}

static int64_t handle_new(struct session *session, struct handle handle)
{
    if (session->handle_count >= LIMIT_HANDLES_PER_STOP) {
        session_notice(session, "this stop has given out its %d frame and value ids; step or continue for fresh ones",
                       LIMIT_HANDLES_PER_STOP);
        return 0;
    }
    session->handles = xgrow(session->handles, &session->handle_cap, session->handle_count + 1, sizeof(*session->handles));
    session->handles[session->handle_count++] = handle;
    return session->handles_stop * HANDLES_OF_A_STOP + (int64_t)session->handle_count;
}

/* Frames of a stop are few: the same frame keeps its handle. */
int64_t session_frame_handle(struct session *session, int64_t adapter_frame_id)
{
    if (is_late(session))
        return 0;
    for (size_t i = 0; i < session->handle_count && i < 2 * LIMIT_FRAMES_PER_PAGE; i++)
        if (session->handles[i].kind == HANDLE_FRAME && session->handles[i].adapter_id == adapter_frame_id)
            return session->handles_stop * HANDLES_OF_A_STOP + (int64_t)i + 1;
    return handle_new(session, (struct handle){ .adapter_id = adapter_frame_id, .kind = HANDLE_FRAME });
}

int64_t session_value_handle(struct session *session, int64_t adapter_reference, int64_t named, int64_t indexed)
{
    if (adapter_reference <= 0 || is_late(session))
        return 0;
    return handle_new(session,
                      (struct handle){ .adapter_id = adapter_reference, .named = named, .indexed = indexed, .kind = HANDLE_VALUE });
}

static struct handle *find_frame_handle(const struct session *session, int64_t handle)
{
    int64_t index = handle % HANDLES_OF_A_STOP;
    bool known = handle / HANDLES_OF_A_STOP == session->handles_stop && index >= 1 && index <= (int64_t)session->handle_count;
    struct handle *found = known ? &session->handles[index - 1] : NULL;
    return found != NULL && found->kind == HANDLE_FRAME ? found : NULL;
}

void session_keep_frame(struct session *session, const struct frame *frame)
{
    struct handle *handle = find_frame_handle(session, frame->handle);
    if (handle == NULL || handle->frame != NULL)
        return;
    handle->frame = xcalloc(1, sizeof(*handle->frame));
    *handle->frame = frame_copy(frame);
}

const struct frame *session_kept_frame(const struct session *session, int64_t handle)
{
    const struct handle *found = find_frame_handle(session, handle);
    return found == NULL ? NULL : found->frame;
}

int64_t session_location_handle(struct session *session, int64_t adapter_reference)
{
    if (adapter_reference <= 0 || is_late(session))
        return 0;
    return handle_new(session, (struct handle){ .adapter_id = adapter_reference, .kind = HANDLE_LOCATION });
}

static int64_t target_handle(struct session *session, int64_t adapter_target, enum handle_kind kind)
{
    return is_late(session) ? 0 : handle_new(session, (struct handle){ .adapter_id = adapter_target, .kind = kind });
}

int64_t session_step_target_handle(struct session *session, int64_t adapter_target)
{
    return target_handle(session, adapter_target, HANDLE_STEP_TARGET);
}

int64_t session_goto_target_handle(struct session *session, int64_t adapter_target)
{
    return target_handle(session, adapter_target, HANDLE_GOTO_TARGET);
}

/* What a handle is called where it is passed, and which call gives fresh ones. */
static const struct {
    const char *field, *fresh;
} kinds[] = {
    [HANDLE_FRAME] = { "frame_id", "call dap_stack for the ids of this stop" },
    [HANDLE_VALUE] = { "variables_reference", "call dap_variables with a frame_id of this stop" },
    [HANDLE_LOCATION] = { "location_reference", "call dap_evaluate or dap_variables again for those of this stop" },
    [HANDLE_STEP_TARGET] = { "target_id of dap_step_in", "dap_step_in_targets lists those of this stop" },
    [HANDLE_GOTO_TARGET] = { "target_id of dap_goto", "dap_goto with a line lists those of this stop" },
};

static int resolve(struct session *session, int64_t handle, enum handle_kind kind, const struct handle **ret,
                   struct error *ret_error)
{
    const char *field = kinds[kind].field;
    const char *fresh = kinds[kind].fresh;
    const struct stop *stop = session_stop(session);
    if (stop == NULL)
        return error_set(ret_error, ERROR_STATE, "%s %lld cannot be used: the program is not stopped", field, (long long)handle);
    int64_t number = handle / HANDLES_OF_A_STOP;
    int64_t index = handle % HANDLES_OF_A_STOP;
    if (number != stop->number && number >= 1 && number <= session->stop_number)
        return error_set(ret_error, ERROR_ARGUMENT, "%s %lld belongs to stop %lld, but the program is at stop %lld now; %s", field,
                         (long long)handle, (long long)number, (long long)stop->number, fresh);
    if (number != stop->number || index < 1 || index > (int64_t)session->handle_count)
        return error_set(ret_error, ERROR_ARGUMENT, "%s %lld was never given out; %s", field, (long long)handle, fresh);
    const struct handle *found = &session->handles[index - 1];
    if (found->adapter_id == FORGOTTEN)
        return error_set(ret_error, ERROR_ARGUMENT, "%s %lld was of a value that is replaced; %s", field, (long long)handle, fresh);
    if (found->kind != kind)
        return error_set(ret_error, ERROR_ARGUMENT, "%s %lld is a %s; pass it as %s", field, (long long)handle,
                         kinds[found->kind].field, kinds[found->kind].field);
    *ret = found;
    return 0;
}

int session_resolve_frame(struct session *session, int64_t handle, int64_t *ret_adapter_id, struct error *ret_error)
{
    const struct handle *found;
    if (resolve(session, handle, HANDLE_FRAME, &found, ret_error) < 0)
        return -1;
    *ret_adapter_id = found->adapter_id;
    return 0;
}

int session_resolve_value(struct session *session, int64_t handle, struct value_place *ret, struct error *ret_error)
{
    const struct handle *found;
    if (resolve(session, handle, HANDLE_VALUE, &found, ret_error) < 0)
        return -1;
    *ret = (struct value_place){ found->adapter_id, found->named, found->indexed };
    return 0;
}

bool value_place_pages(const struct value_place *place)
{
    return place->indexed > 0 && (place->named <= 0 || place->indexed > LIMIT_ELEMENTS_UNPAGED);
}

void session_forget_value(struct session *session, int64_t adapter_reference)
{
    for (size_t i = 0; adapter_reference > 0 && i < session->handle_count; i++)
        if (session->handles[i].kind == HANDLE_VALUE && session->handles[i].adapter_id == adapter_reference)
            session->handles[i].adapter_id = FORGOTTEN;
}

static int resolve_target(struct session *session, int64_t handle, enum handle_kind kind, int64_t *ret, struct error *ret_error)
{
    const struct handle *found;
    if (resolve(session, handle, kind, &found, ret_error) < 0)
        return -1;
    *ret = found->adapter_id;
    return 0;
}

int session_resolve_step_target(struct session *session, int64_t handle, int64_t *ret_adapter_target, struct error *ret_error)
{
    return resolve_target(session, handle, HANDLE_STEP_TARGET, ret_adapter_target, ret_error);
}

int session_resolve_goto_target(struct session *session, int64_t handle, int64_t *ret_adapter_target, struct error *ret_error)
{
    return resolve_target(session, handle, HANDLE_GOTO_TARGET, ret_adapter_target, ret_error);
}

int session_resolve_location(struct session *session, int64_t handle, int64_t *ret_adapter_reference, struct error *ret_error)
{
    const struct handle *found;
    if (resolve(session, handle, HANDLE_LOCATION, &found, ret_error) < 0)
        return -1;
    *ret_adapter_reference = found->adapter_id;
    return 0;
}

/* ---- turns ---- */

static void give_turn(struct session *session)
{
    struct session_turn *first = session->turns;
    if (first != NULL && !first->given) {
        first->given = true;
        first->turn(first->user);
    }
}

void session_inspect_begin(struct session *session, struct session_turn **ret_turn, turn_fn turn, void *user)
{
    struct session_turn *entry = xcalloc(1, sizeof(*entry));
    entry->turn = turn;
    entry->user = user;
    entry->number = ++session->turn_count;
    *ret_turn = entry;
    struct session_turn **end = &session->turns;
    while (*end != NULL)
        end = &(*end)->next;
    *end = entry;
    give_turn(session);
}

void session_inspect_end(struct session *session, struct session_turn *turn)
{
    for (struct session_turn **at = &session->turns; *at != NULL; at = &(*at)->next) {
        if (*at == turn) {
            *at = turn->next;
            free(turn);
            break;
        }
    }
    give_turn(session);
}

void inspection_free(struct session *session)
{
    while (session->turns != NULL) {
        struct session_turn *next = session->turns->next;
        free(session->turns);
        session->turns = next;
    }
    forget_frames(session);
    free(session->handles);
}

/* ---- requests ---- */

struct asked_at {
    struct asked_at *next;
    struct session *session;
    struct target *target;
    uint64_t turn; /* its number; 0: it belongs to none */
    int64_t id;    /* 0: it is being sent */
    int64_t stop, thread_id;
    bool evaluates;
    session_answer_fn answer;
    void *user;
};

/* An evaluation that stopped inside, and was let go on, is answered when it ends. */
static void check_return(const struct asked_at *asked, const struct dap_answer *answer)
{
    struct session *session = asked->session;
    bool told = answer->outcome == DAP_OK || answer->outcome == DAP_REFUSED;
    if (told && asked->evaluates && asked->stop != 0 && session->state == SESSION_RUNNING && session->stop_number > asked->stop &&
        session_quirk(session, QUIRK_RETURNS_UNTOLD))
        stop_returned(asked->target, asked->thread_id);
}

static void take_out(struct asked_at *asked)
{
    struct asked_at **at = &asked->session->asked;
    while (*at != asked)
        at = &(*at)->next;
    *at = asked->next;
}

static void on_answer(void *user, const struct dap_answer *answer)
{
    take_out(user);
    struct asked_at asked = *(struct asked_at *)user;
    free(user);
    asked.target->inspecting--;
    asked.target->evaluating -= asked.evaluates ? 1 : 0;
    bool answering = asked.session->answering; /* an answer may be given from within another one's callback */
    int64_t answered_stop = asked.session->answered_stop;
    asked.session->answering = true;
    asked.session->answered_stop = asked.stop;
    asked.answer(asked.user, answer);
    asked.session->answering = answering;
    asked.session->answered_stop = answered_stop;
    check_return(&asked, answer);
}

/* It may have been answered while it was sent, and be gone. */
static void keep_id(struct session *session, const struct asked_at *sent, int64_t id)
{
    for (struct asked_at *asked = session->asked; asked != NULL; asked = asked->next)
        if (asked == sent && asked->id == 0)
            asked->id = id;
}

static void answer_unsent(const char *command, yyjson_mut_doc *arguments, enum dap_outcome outcome, const char *why,
                          session_answer_fn answer, void *user)
{
    yyjson_mut_doc_free(arguments);
    AUTO_FREE char *message = xasprintf("%s request failed: %s", command, why);
    answer(user, &(struct dap_answer){ .outcome = outcome, .command = command, .message = message, .short_form = "" });
}

static int64_t ask(struct session *session, struct target *target, const struct session_turn *turn, const char *command,
                   yyjson_mut_doc *arguments, uint64_t timeout_ms, session_answer_fn answer, void *user)
{
    uint64_t timeout = timeout_ms == 0 ? session->timeouts.request : timeout_ms;
    if (target == NULL || (turn != NULL && turn->cancelled)) {
        bool gone = target == NULL;
        answer_unsent(command, arguments, gone ? DAP_CLOSED : DAP_CANCELLED, gone ? "there is no adapter" : "cancelled", answer,
                      user);
        return 0;
    }
    const struct stop *stop = session_stop(session);
    struct asked_at *asked = xcalloc(1, sizeof(*asked));
    *asked = (struct asked_at){ .next = session->asked,
                                .session = session,
                                .target = target,
                                .turn = turn == NULL ? 0 : turn->number,
                                .stop = stop == NULL ? 0 : stop->number,
                                .thread_id = stop == NULL ? 0 : stop->adapter_thread_id,
                                .evaluates = strcmp(command, "evaluate") == 0,
                                .answer = answer,
                                .user = user };
    session->asked = asked;
    target->inspecting++;
    target->evaluating += asked->evaluates ? 1 : 0;
    int64_t id = target_request(target, command, arguments, timeout, on_answer, asked);
    if (id != 0)
        keep_id(session, asked, id);
    return id;
}

static const struct session_turn *given_turn(const struct session *session)
{
    const struct session_turn *first = session->turns;
    return first != NULL && first->given ? first : NULL;
}

int64_t target_ask(struct target *target, const char *command, yyjson_mut_doc *arguments, uint64_t timeout_ms,
                   session_answer_fn answer, void *user)
{
    struct session *session = target->session;
    return ask(session, target, given_turn(session), command, arguments, timeout_ms, answer, user);
}

int64_t session_request(struct session *session, const char *command, yyjson_mut_doc *arguments, uint64_t timeout_ms,
                        session_answer_fn answer, void *user)
{
    return ask(session, session->focus, given_turn(session), command, arguments, timeout_ms, answer, user);
}

int64_t session_request_apart(struct session *session, const char *command, yyjson_mut_doc *arguments, uint64_t timeout_ms,
                              session_answer_fn answer, void *user)
{
    return ask(session, session->focus, NULL, command, arguments, timeout_ms, answer, user);
}

static struct asked_at *asked_in(struct session *session, uint64_t turn)
{
    struct asked_at *asked = session->asked;
    while (asked != NULL && (asked->turn != turn || asked->id == 0))
        asked = asked->next;
    return asked;
}

/* Each answer may ask more, which is answered at once, or end the turn and give the next one. */
bool session_inspect_cancel(struct session *session, struct session_turn *turn)
{
    uint64_t number = turn->number;
    turn->cancelled = true;
    if (!turn->given)
        return false;
    for (struct asked_at *asked = asked_in(session, number); asked != NULL; asked = asked_in(session, number))
        dap_connection_cancel(asked->target->connection, asked->id, target_takes_cancel(asked->target));
    return true;
}

void session_request_cancel(struct session *session, int64_t id)
{
    if (session->focus != NULL && id != 0)
        dap_connection_cancel(session->focus->connection, id, target_takes_cancel(session->focus));
}

bool session_request_tell_cancel(struct session *session, int64_t id)
{
    if (session->focus == NULL || id == 0 || !target_takes_cancel(session->focus))
        return false;
    dap_connection_tell_cancel(session->focus->connection, id);
    return true;
}

/* LLDB shows the expression again below its message ("\n    1 | a = 5x\n      |      ^"): who asked knows it, and where it is broken in two
 * nothing is left of the picture. Is this such a line? */
static bool is_picture(const char *line)
{
    size_t margin = strspn(line, " ");
    if (margin == 0)
        return false;
    line += margin;
    line += strspn(line, "0123456789");
    line += strspn(line, " ");
    return *line == '|';
}

char *session_without_pictures(const char *text)
{
    char *kept = xstrdup(text), *out = kept;
    for (const char *at = text; *at != '\0';) {
        size_t len = strcspn(at, "\n");
        if (at == text || (len > 0 && !is_picture(at))) {
            if (out != kept)
                *out++ = '\n';
            memmove(out, kept + (at - text), len);
            out += len;
        }
        at += len + (at[len] == '\n');
    }
    *out = '\0';
    return kept;
}

char *session_answer_text(const struct dap_answer *answer)
{
    AUTO_FREE char *message = session_without_pictures(answer->message);
    if (answer->outcome == DAP_REFUSED)
        return xasprintf("%s request failed: %s", answer->command, message);
    return xstrdup(message);
}
