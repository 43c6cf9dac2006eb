#include "verb/call.h"

#include "adapter/function_place.h"
#include "base/environment.h"
#include "base/utf8.h"
#include "io/session_host.h"
#include "verb/arguments.h"
#include "verb/internal.h"
#include "verb/spill.h"

#include <stdarg.h>
#include <string.h>

/* ---- the roster, and the worlds ---- */

struct roster *roster_new(struct session_host *host)
{
    struct roster *roster = xcalloc(1, sizeof(*roster));
    roster->host = host;
    roster->spill = spill_new();
    return roster;
}

static void free_named(struct named *named)
{
    packet_done(&named->packet);
    locals_memory_done(&named->before);
    free(named->launch_warnings);
    free(named->profile);
    free(named->behind.name);
    buffer_done(&named->doing);
    yyjson_doc_free(named->started);
    free(named);
}

void roster_free(struct roster *roster)
{
    if (roster == NULL)
        return;
    while (roster->names != NULL) {
        struct named *named = roster->names;
        roster->names = named->next;
        free_named(named);
    }
    spill_free(roster->spill);
    free(roster);
}

static char **copy_environment(char *const *environment)
{
    if (environment == NULL)
        return NULL;
    size_t count = 0;
    while (environment[count] != NULL)
        count++;
    char **copy = xcalloc(count + 1, sizeof(*copy));
    for (size_t i = 0; i < count; i++)
        copy[i] = xstrdup(environment[i]);
    return copy;
}

struct world *world_new(struct roster *roster, const char *project_folder, char *const *environment, bool structured)
{
    struct world *world = xcalloc(1, sizeof(*world));
    world->roster = roster;
    world->host = roster->host;
    world->spill = roster->spill;
    world->project = xstrdup(project_folder);
    world->environment = copy_environment(environment);
    world->structured = structured;
    world->tools = TOOL_SET_FULL;
    buffer_init(&world->told, LIMIT_RENDERED_BYTES);
    return world;
}

void world_offer(struct world *world, enum tool_set tools)
{
    world->tools = tools;
}

bool call_offers(const struct call *call, const char *tool)
{
    return verb_offered(call->world->tools, tool);
}

void world_free(struct world *world)
{
    if (world == NULL)
        return;
    settings_free(world->settings);
    buffer_done(&world->told);
    for (size_t i = 0; world->environment != NULL && world->environment[i] != NULL; i++)
        free(world->environment[i]);
    free(world->environment);
    free(world->project);
    free(world);
}

bool world_in_use(const struct world *world)
{
    return world->users > 0;
}

bool world_is(const struct world *world, const char *project_folder, char *const *environment)
{
    if (strcmp(world->project, project_folder) != 0 || world->environment == NULL || environment == NULL)
        return false;
    size_t i = 0;
    while (world->environment[i] != NULL && environment[i] != NULL && strcmp(world->environment[i], environment[i]) == 0)
        i++;
    return world->environment[i] == NULL && environment[i] == NULL;
}

static void on_ended(void *user, const struct error *error)
{
    (void)user;
    (void)error;
}

void roster_end_all(struct roster *roster)
{
    session_host_tick(roster->host);
    for (struct named *named = roster->names; named != NULL; named = named->next)
        session_end(named->session, "Dapple ends", on_ended, NULL);
}

/* ---- sessions that nobody uses ---- */

static uint64_t idle_deadline(const struct named *named)
{
    uint64_t idle_ms = configured_idle_ms(named->world);
    if (idle_ms == 0 || named->calls > 0 || named->ended_idle || !session_active(named->session))
        return UINT64_MAX;
    return named->quiet_since + idle_ms;
}

uint64_t roster_deadline(const struct roster *roster)
{
    uint64_t earliest = UINT64_MAX;
    for (const struct named *named = roster->names; named != NULL; named = named->next)
        if (idle_deadline(named) < earliest)
            earliest = idle_deadline(named);
    return earliest;
}

void roster_on_time(struct roster *roster, uint64_t now)
{
    for (struct named *named = roster->names; named != NULL; named = named->next) {
        if (idle_deadline(named) > now)
            continue;
        session_host_tick(roster->host);
        named->ended_idle = true;
        AUTO_FREE char *reason =
            xasprintf("ended after %llu ms without a call (idleMs)", (unsigned long long)configured_idle_ms(named->world));
        session_end(named->session, reason, on_ended, NULL);
    }
}

static void say_idle_end(struct call *call)
{
    if (!call->named->ended_idle)
        return;
    call->named->ended_idle = false;
    call_warn(call, "the session was ended, since no call had come for %llu ms (idleMs in the settings)",
              (unsigned long long)configured_idle_ms(call->named->world));
}

bool roster_quiet(const struct roster *roster)
{
    for (const struct named *named = roster->names; named != NULL; named = named->next)
        if (session_process_alive(named->session))
            return false;
    return true;
}

bool roster_active(const struct roster *roster)
{
    for (const struct named *named = roster->names; named != NULL; named = named->next)
        if (session_active(named->session))
            return true;
    return false;
}

void roster_describe(const struct roster *roster, struct buffer *out)
{
    for (const struct named *named = roster->names; named != NULL; named = named->next)
        if (session_active(named->session))
            (void)buffer_addf(out, "%s (launched in %s)\n", session_name(named->session), named->world->project);
}

void roster_describe_ended(const struct roster *roster, struct buffer *out)
{
    for (const struct named *named = roster->names; named != NULL; named = named->next)
        if (session_state(named->session) == SESSION_TERMINATED)
            (void)buffer_addf(out, "%s (ended: its last state and output are kept until its next launch)\n",
                              session_name(named->session));
}

static struct named *find_named(const struct roster *roster, const char *name)
{
    struct named *named = roster->names;
    while (named != NULL && strcmp(session_name(named->session), name) != 0)
        named = named->next;
    return named;
}

bool roster_has(const struct roster *roster, const char *session)
{
    return find_named(roster, session) != NULL;
}

bool roster_has_active(const struct roster *roster, const char *session)
{
    const struct named *named = find_named(roster, session);
    return named != NULL && (session_active(named->session) || named->calls > 0);
}

/* From now on the session's processes are started from there. */
static void settle(struct named *named, struct world *world)
{
    if (named->world != NULL)
        named->world->users--;
    named->world = world;
    world->users++;
    session_host_set_environment(world->host, named->session, world->environment);
}

static bool is_unused(const struct named *named)
{
    bool over = !session_active(named->session) && !session_process_alive(named->session);
    return over && named->calls == 0 && named->queue == NULL && named->gather == NULL;
}

/* Of those that have ended, the one of that name, or the oldest when it is NULL; what it left to be read is gone then. False: there is none. */
static bool remove_named(struct roster *roster, const char *name)
{
    for (struct named **slot = &roster->names; *slot != NULL; slot = &(*slot)->next) {
        struct named *named = *slot;
        bool is_it = name != NULL
                         ? strcmp(session_name(named->session), name) == 0
                         : session_state(named->session) == SESSION_TERMINATED; /* those before their launch are to be used yet */
        if (!is_it || !is_unused(named))
            continue;
        *slot = named->next;
        named->world->users--;
        session_host_close(roster->host, named->session);
        free_named(named);
        roster->name_count--;
        return true;
    }
    return false;
}

void roster_forget(struct roster *roster, const char *session)
{
    remove_named(roster, session);
}

static struct named *open_named(struct world *world, const char *name)
{
    struct roster *roster = world->roster;
    struct named *named = find_named(roster, name);
    if (named != NULL)
        return named;
    if (roster->name_count >= LIMIT_SESSIONS && !remove_named(roster, NULL))
        return NULL;
    named = xcalloc(1, sizeof(*named));
    named->roster = roster;
    named->session = session_host_open(roster->host, name);
    session_set_function_finder(named->session, function_place_find);
    buffer_init(&named->doing, LIMIT_TEXT_BYTES);
    settle(named, world);
    struct named **end = &roster->names;
    while (*end != NULL)
        end = &(*end)->next;
    *end = named;
    roster->name_count++;
    return named;
}

/* ---- one call ---- */

struct session *call_session(const struct call *call)
{
    return call->named->session;
}

const char *call_session_name(const struct call *call)
{
    const char *name = session_name(call->named->session);
    return strcmp(name, "main") == 0 ? NULL : name;
}

/* One line each, whatever the words of an adapter in it. */
void call_warn(struct call *call, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    AUTO_FREE char *line = xvasprintf(format, args);
    va_end(args);
    utf8_one_line(&call->warnings, line, strlen(line), LIMIT_MESSAGE_BYTES);
    (void)buffer_addc(&call->warnings, '\n');
}

void call_note(struct call *call, const char *line)
{
    xreplace(&call->head_note, line);
}

struct call_link *call_link_new(struct call *call)
{
    struct call_link *link = xcalloc(1, sizeof(*link));
    *link = (struct call_link){ call, call->links };
    call->links = link;
    return link;
}

struct call *call_link_take(struct call_link *link)
{
    struct call *call = link->call;
    if (call != NULL) {
        struct call_link **at = &call->links;
        while (*at != link)
            at = &(*at)->next;
        *at = link->next;
    }
    free(link);
    return call;
}

void call_link_drop(struct call_link *link)
{
    struct call_link **at = &link->call->links;
    while (*at != link)
        at = &(*at)->next;
    *at = link->next;
    link->call = NULL;
}

/* The answer may come, and the call end, before session_request returns. */
void call_request(struct call *call, const char *command, yyjson_mut_doc *arguments, session_answer_fn answer)
{
    struct call_link *link = call_link_new(call);
    bool apart = call->turn == NULL;
    /* That of an operation that runs the program is for the stop. */
    int64_t bound = call->verb->runs_program ? 0 : json_int_or(call->arguments, "timeout_ms", 0);
    int64_t request =
        (apart ? session_request_apart : session_request)(call_session(call), command, arguments, (uint64_t)bound, answer, call);
    struct call *still = call_link_take(link);
    if (still != NULL)
        still->request = request;
}

static void call_free(struct call *call)
{
    for (struct call_link *link = call->links; link != NULL; link = link->next)
        link->call = NULL;
    if (call->free_state != NULL)
        call->free_state(call->state);
    yyjson_doc_free(call->arguments_doc);
    buffer_done(&call->result.text);
    buffer_done(&call->warnings);
    free(call->head_note);
    yyjson_mut_doc_free(call->result.structured);
    call->world->users--;
    free(call);
}

/* ---- changes of breakpoints ---- */

void call_edit(struct call *call, void (*begin)(struct call *call))
{
    struct call **end = &call->named->editors;
    while (*end != NULL)
        end = &(*end)->next_editor;
    *end = call;
    call->edits = true;
    call->begin_edit = begin;
    if (call->named->editors == call)
        begin(call);
}

/* Returns the call whose turn it is now; NULL: nobody's that did not have it before. */
static struct call *edit_end(struct call *call)
{
    struct named *named = call->named;
    bool was_first = named->editors == call;
    struct call **at = &named->editors;
    while (*at != call)
        at = &(*at)->next_editor;
    *at = call->next_editor;
    return was_first ? named->editors : NULL;
}

/* ---- the end of one ---- */

static void serve_next(struct named *named);

static void call_finish(struct call *call)
{
    struct named *named = call->named;
    if (call->ended != NULL)
        *call->ended = true;
    if (named != NULL)
        gather_forget(named, call);
    if (named != NULL) {
        named->calls--;
        named->quiet_since = session_host_now(call->world->host);
    }
    if (named != NULL && call->in_queue) {
        struct call **at = &named->queue;
        while (*at != call)
            at = &(*at)->next;
        *at = call->next;
    }
    struct call *editor = call->edits ? edit_end(call) : NULL;
    render_limit(&call->result.text, configured_bytes(call->world), configured_lines(call->world), call->world->spill);
    call->done(call->user, &call->result);
    call_free(call);
    if (editor != NULL)
        editor->begin_edit(editor);
    if (named != NULL)
        serve_next(named);
}

/* A structured result, where one is wanted, always begins with the snapshot, which the declared schemas require; a call that was refused
 * before it had a session has none. */
yyjson_mut_val *structured_root(struct call *call)
{
    if (!call->structured || call->named == NULL)
        return NULL;
    if (call->result.structured == NULL) {
        yyjson_mut_val *root;
        yyjson_mut_doc *doc = json_new_object(&root);
        call->result.structured = doc;
        structured_snapshot(doc, root, call->named);
    }
    return yyjson_mut_doc_get_root(call->result.structured);
}

yyjson_mut_val *structured_list(struct call *call, const char *key)
{
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return NULL;
    yyjson_mut_val *list = yyjson_mut_arr(call->result.structured);
    json_add_value(call->result.structured, root, key, list);
    return list;
}

static void put_warnings_first(struct call *call)
{
    if (call->warnings.len == 0)
        return;
    struct buffer *text = &call->result.text;
    AUTO_FREE char *lines = buffer_take(text, NULL);
    for (const char *line = call->warnings.data; *line != '\0'; line = strchr(line, '\n') + 1)
        (void)buffer_addf(text, "Warning: %.*s\n", (int)(strchr(line, '\n') - line), line);
    (void)buffer_add(text, lines);
}

/* The words may be an adapter's, and through it the program's: one line, like everything that could imitate ours. */
static void add_failure(struct buffer *text, const char *message)
{
    size_t len = strlen(message);
    while (len > 0 && (message[len - 1] == '\n' || message[len - 1] == '\r'))
        len--;
    (void)buffer_add(text, "Dapple: ");
    utf8_one_line(text, message, len, LIMIT_EVALUATION_BYTES);
    (void)buffer_addc(text, '\n');
}

static void fail_with(struct call *call, enum error_kind kind, const char *message)
{
    call->result.is_error = true;
    call->result.kind = kind;
    yyjson_mut_doc_free(call->result.structured);
    call->result.structured = NULL;
    struct buffer *text = &call->result.text;
    put_warnings_first(call);
    AUTO_FREE char *rest = buffer_take(text, NULL); /* what a handler wants to be read after the message */
    add_failure(text, message);
    (void)buffer_add(text, rest);
    yyjson_mut_val *root = structured_root(call);
    if (root == NULL)
        return;
    json_add_string(call->result.structured, root, "error", message);
    structured_strings(call, "warnings", &call->warnings);
}

void call_fail(struct call *call, const struct error *error)
{
    fail_with(call, error->kind, error->message == NULL ? "the call failed" : error->message);
    call_finish(call);
}

void call_refuse_state(struct call *call, const char *message)
{
    fail_with(call, ERROR_STATE, message);
    yyjson_mut_val *root;
    yyjson_mut_doc *doc = json_new_object(&root);
    structured_snapshot(doc, root, call->named);
    AUTO_FREE char *snapshot = json_write(doc, NULL);
    (void)buffer_addf(&call->result.text, "Debug Session: %s\n", snapshot);
    yyjson_mut_doc_free(doc);
    call_finish(call);
}

void call_warn_notices(struct call *call)
{
    AUTO_FREE char *notices = session_take_notice(call->named->session);
    char *rest = notices;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n"))
        call_warn(call, "%s", line);
}

void call_succeed(struct call *call)
{
    struct session *session = call->named->session;
    /* Nobody will read the result of a cancelled call: what can be told only once waits for the next. */
    if (!call->cancelled && !call->peeks) {
        call_warn_notices(call);
        struct output output = { 0 };
        if (!call->leaves_output)
            session_drain_output(session, &output);
        put_warnings_first(call);
        if (!call->leaves_output) {
            render_output(&call->result.text, &output, call->world->spill);
            structured_output(call, &output);
        }
        structured_strings(call, "warnings", &call->warnings);
        output_done(&output);
    }
    call_finish(call);
}

/* ---- dispatch ---- */

static const char *state_refusal(const struct verb *verb, const struct session *session)
{
    switch (verb->needs) {
    case VERB_NEEDS_STOPPED:
        return session_stop(session) != NULL ? NULL : "%s requires a stopped Debuggee%s";
    case VERB_NEEDS_RUNNING:
        return session_state(session) == SESSION_RUNNING ? NULL : "%s requires a running Debuggee%s";
    case VERB_NEEDS_INACTIVE:
        return !session_active(session) ? NULL : "%s requires no active Debug Session%s";
    case VERB_NEEDS_NOTHING:
        return NULL;
    }
    return NULL;
}

/* What to do about a state that does not allow the call. */
static const char *next_step(const struct session *session)
{
    switch (session_state(session)) {
    case SESSION_IDLE:
        return "; nothing was launched yet: dap_launch starts a program";
    case SESSION_LAUNCHING:
        return "; it is still launching: dap_status looks again, dap_stop ends it";
    case SESSION_RUNNING:
        return "; it is running: dap_pause stops it where it is, dap_stop ends it";
    case SESSION_STOPPED:
        return "; it is stopped: dap_continue and the steps go on, dap_stop ends it";
    case SESSION_TERMINATED:
        return "; it has ended: dap_launch starts a program again";
    }
    return "";
}

/* The call may be over, and gone, when this returns. */
static void handle(struct call *call)
{
    if (call->verb->needs == VERB_NEEDS_INACTIVE)
        settle(call->named, call->world);
    char **before = environment_use(call->world->environment);
    call->verb->handle(call);
    environment_use(before);
}

static void serve(struct call *call)
{
    call->serving = true;
    call->progress_before = session_progress_started(call_session(call));
    const struct session *session = call->named->session;
    const char *refusal = state_refusal(call->verb, session);
    if (refusal == NULL) {
        handle(call);
        return;
    }
    AUTO_BUFFER struct buffer message;
    buffer_init(&message, 1024);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    (void)buffer_addf(&message, refusal, call->verb->command, next_step(session));
#pragma GCC diagnostic pop
    call_refuse_state(call, message.data);
}

static void serve_next(struct named *named)
{
    if (named->queue != NULL && !named->queue->serving)
        serve(named->queue);
}

static void enqueue(struct call *call)
{
    struct call **end = &call->named->queue;
    while (*end != NULL)
        end = &(*end)->next;
    *end = call;
    call->in_queue = true;
}

static int prepare(struct call *call, yyjson_val *arguments, struct error *ret_error)
{
    if (arguments_check(call->verb, arguments, &call->arguments_doc, ret_error) < 0)
        return -1;
    call->arguments = yyjson_doc_get_root(call->arguments_doc);
    const char *name = json_string(call->arguments, "session");
    call->named = open_named(call->world, name == NULL ? "main" : name);
    if (call->named == NULL)
        return error_set(ret_error, ERROR_LIMIT, "/session: %d sessions exist already; use one of their names", LIMIT_SESSIONS);
    call->named->calls++;
    if (call->world != call->named->world && call->world->settings == NULL) {
        /* Nothing was launched from here, whose settings would be known by now. */
        char **before = environment_use(call->world->environment);
        configured_read(call->world);
        environment_use(before);
    }
    say_idle_end(call);
    return 0;
}

struct call *call_start(struct world *world, const struct verb *verb, yyjson_val *arguments, call_done_fn done, void *user)
{
    return call_start_as(world, verb, arguments, world->structured ? CALL_STRUCTURED : CALL_TEXT, done, user);
}

struct call *call_start_as(struct world *world, const struct verb *verb, yyjson_val *arguments, enum call_form form,
                           call_done_fn done, void *user)
{
    session_host_tick(world->host);
    struct call *call = xcalloc(1, sizeof(*call));
    call->world = world;
    call->structured = form != CALL_TEXT;
    call->peeks = form == CALL_PEEKS;
    world->users++;
    call->verb = verb;
    call->done = done;
    call->user = user;
    buffer_init(&call->result.text, LIMIT_RENDERED_BYTES);
    buffer_init(&call->warnings, LIMIT_RENDERED_BYTES);
    AUTO_ERROR struct error error = ERROR_INIT;
    if (prepare(call, arguments, &error) < 0) {
        call_fail(call, &error);
        return NULL;
    }
    /* The call may end, and its memory with it, before the handler returns. */
    bool ended = false;
    call->ended = &ended;
    if (verb->in_order) {
        enqueue(call);
        serve_next(call->named);
    } else {
        serve(call);
    }
    if (ended)
        return NULL;
    call->ended = NULL;
    return call;
}

/* All that it reads: one answer would only be followed by the next request. */
static void cancel_turn(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    if (session_inspect_cancel(call_session(call), call->turn))
        return;
    error_set(&error, ERROR_CANCELLED, "%s was cancelled before it began", call->verb->tool);
    call_give_up(call, &error);
}

static void give_up_packet(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    error_set(&error, ERROR_CANCELLED, "%s was cancelled while the stop was read; dap_status shows where the program stands",
              call->verb->tool);
    call_fail(call, &error);
}

void call_cancel(struct call *call)
{
    session_host_tick(call->world->host);
    call->cancelled = true;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (!call->serving) {
        error_set(&error, ERROR_CANCELLED, "%s was cancelled before it began", call->verb->tool);
        call_fail(call, &error);
        return;
    }
    if (!call->verb->runs_program) /* there the wait ends, and the program goes on */
        session_progress_cancel(call_session(call), call->request, call->progress_before);
    if (call->wait != NULL)
        session_wait_cancel(call_session(call), call->wait);
    else if (call->turn != NULL)
        cancel_turn(call);
    else if (call->request != 0)
        session_request_cancel(call_session(call), call->request);
    else if (gather_cancel(call->named, call))
        give_up_packet(call);
    else /* a launch under way is cleaned up; otherwise there is nothing to do */
        session_launch_cancel(call_session(call));
}

static const char *state_doing(const struct call *call)
{
    if (!call->serving)
        return "waiting for an earlier call to this session";
    switch (session_state(call_session(call))) {
    case SESSION_LAUNCHING:
        return "launching the program";
    case SESSION_RUNNING:
        return "the program is running; waiting for it to stop";
    case SESSION_STOPPED:
        return call->verb->runs_program ? "stopped; reading where and why" : "waiting for the adapter's answer";
    case SESSION_IDLE:
    case SESSION_TERMINATED:
        if (strcmp(call->verb->name, "attach") == 0)
            return "waiting for the process";
        return "ending the session";
    }
    return "";
}

/* With what the adapter says of its progress, where it says anything. */
const char *call_doing(const struct call *call)
{
    AUTO_FREE char *progress = call->serving ? session_progress(call_session(call)) : NULL;
    if (progress == NULL)
        return state_doing(call);
    struct buffer *text = &call->named->doing;
    buffer_clear(text);
    buffer_addf(text, "%s; the debugger: ", state_doing(call));
    utf8_one_line(text, progress, strlen(progress), LIMIT_MESSAGE_BYTES);
    return text->data;
}

const struct call *roster_waiting_call(const struct roster *roster, const char *session)
{
    const struct named *named = find_named(roster, session);
    const struct call *call = named == NULL ? NULL : named->queue;
    return call != NULL && call->serving && call->verb->runs_program ? call : NULL;
}

void *call_user(const struct call *call)
{
    return call->user;
}
