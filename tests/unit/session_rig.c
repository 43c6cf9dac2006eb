#include "session_rig.h"

#include "base/error.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* ---- host ---- */

static void on_start(void *host, struct session *session, const struct adapter_command *command)
{
    (void)session;
    (void)command;
    ((struct rig *)host)->starting = true;
}

static void on_open(void *host, struct session *session, uint32_t channel, const char *address, uint16_t port)
{
    (void)session;
    struct rig *rig = host;
    assert_true(rig->opened_count < COUNT_OF(rig->opened));
    rig->opened[rig->opened_count++] = channel;
    snprintf(rig->opened_address, sizeof(rig->opened_address), "%s", address == NULL ? "" : address);
    rig->opened_port = port;
}

static void on_run(void *host, struct session *session, uint32_t terminal, const struct terminal_command *command)
{
    (void)session;
    struct rig *rig = host;
    rig->terminal = terminal;
    rig->terminal_command[0] = rig->terminal_env[0] = '\0';
    for (char **word = command->argv; *word != NULL; word++) {
        size_t len = strlen(rig->terminal_command);
        snprintf(rig->terminal_command + len, sizeof(rig->terminal_command) - len, "%s%s", len > 0 ? " " : "", *word);
    }
    for (char **word = command->env; *word != NULL; word++) {
        size_t len = strlen(rig->terminal_env);
        snprintf(rig->terminal_env + len, sizeof(rig->terminal_env) - len, "%s%s", len > 0 ? " " : "", *word);
    }
}

static int on_type(void *host, struct session *session, uint32_t terminal, const char *bytes, size_t len, struct error *ret_error)
{
    (void)session;
    struct rig *rig = host;
    assert_int_equal(terminal, rig->terminal);
    if (rig->input_full)
        return error_set(ret_error, ERROR_LIMIT, "too much is unread");
    snprintf(rig->typed, sizeof(rig->typed), "%.*s", (int)len, bytes);
    return 0;
}

static char *on_explain_wait(void *host, struct session *session)
{
    (void)session;
    return xstrdup(((const struct rig *)host)->wait_explained);
}

static void on_send(void *host, struct session *session, uint32_t channel, const char *bytes, size_t len)
{
    (void)session;
    struct rig *rig = host;
    const char *body = strstr(bytes, "\r\n\r\n");
    assert_non_null(body);
    body += 4;
    assert_true(rig->sent_count < COUNT_OF(rig->sent));
    struct sent *sent = &rig->sent[rig->sent_count++];
    sent->channel = channel;
    assert_int_equal(json_parse_copy(body, len - (size_t)(body - bytes), &sent->json, NULL), 0);
    sent->seq = json_int_or(sent->json.root, "seq", 0);
    sent->command = strcmp(json_string(sent->json.root, "type"), "request") == 0 ? json_string(sent->json.root, "command") : "";
    sent->arguments = json_object(sent->json.root, "arguments");
}

static void on_close(void *host, struct session *session, uint32_t channel)
{
    (void)session;
    struct rig *rig = host;
    if (channel == 0)
        rig->closed = true;
    else if (rig->closed_count < COUNT_OF(rig->closed_channels))
        rig->closed_channels[rig->closed_count++] = channel;
}

static void on_force(void *host, struct session *session, enum session_force how)
{
    (void)session;
    struct rig *rig = host;
    rig->term = rig->term || how == SESSION_SIGTERM;
    rig->kill = rig->kill || how == SESSION_SIGKILL;
}

static void on_kill_terminals(void *host, struct session *session)
{
    (void)session;
    ((struct rig *)host)->terminals_killed++;
}

void rig_open(struct rig *rig)
{
    static const struct session_host_ops ops = { .start = on_start,
                                                 .open = on_open,
                                                 .send = on_send,
                                                 .close = on_close,
                                                 .force = on_force,
                                                 .kill_terminals = on_kill_terminals,
                                                 .run = on_run,
                                                 .type = on_type,
                                                 .explain_wait = on_explain_wait };
    memset(rig, 0, sizeof(*rig));
    rig->session = session_new("main", &ops, rig);
    rig->now = 1000;
    session_on_time(rig->session, rig->now);
}

void rig_close(struct rig *rig)
{
    if (session_process_alive(rig->session))
        rig_exit(rig, 0, 9);
    session_free(rig->session);
    for (size_t i = 0; i < rig->sent_count; i++)
        json_free(&rig->sent[i].json);
}

void rig_connect(struct rig *rig)
{
    assert_true(rig->starting);
    rig->starting = false;
    session_on_connected(rig->session, 0);
}

void rig_open_child(struct rig *rig)
{
    assert_true(rig->opened_count > 0);
    rig->channel = rig->opened[rig->opened_count - 1];
    session_on_connected(rig->session, rig->channel);
}

void rig_exit(struct rig *rig, int code, int signal)
{
    session_on_stream_end(rig->session, 0, NULL);
    session_on_exit(rig->session, code, signal);
}

void rig_pass(struct rig *rig, uint64_t ms)
{
    rig->now += ms;
    session_on_time(rig->session, rig->now);
}

/* ---- adapter ---- */

void rig_say(struct rig *rig, const char *json)
{
    AUTO_FREE char *text = xstrdup(json);
    for (char *c = text; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    AUTO_FREE char *frame = xasprintf("Content-Length: %zu\r\n\r\n%s", strlen(text), text);
    session_on_bytes(rig->session, rig->channel, frame, strlen(frame));
}

void rig_event(struct rig *rig, const char *event, const char *body)
{
    AUTO_FREE char *json =
        xasprintf("{'seq':0,'type':'event','event':'%s'%s%s}", event, body == NULL ? "" : ",'body':", body == NULL ? "" : body);
    rig_say(rig, json);
}

static int64_t seq_of(struct rig *rig, const char *command)
{
    struct sent *sent = rig_find(rig, command);
    if (sent == NULL)
        fail_msg("the session never sent %s", command);
    return sent == NULL ? 0 : sent->seq;
}

void rig_answer(struct rig *rig, const char *command, const char *body)
{
    AUTO_FREE char *json =
        xasprintf("{'seq':0,'type':'response','request_seq':%lld,'command':'%s','success':true%s%s}",
                  (long long)seq_of(rig, command), command, body == NULL ? "" : ",'body':", body == NULL ? "" : body);
    rig_say(rig, json);
}

void rig_answer_to(struct rig *rig, int64_t seq, const char *body)
{
    AUTO_FREE char *json =
        xasprintf("{'seq':0,'type':'response','request_seq':%lld,'success':true,'body':%s}", (long long)seq, body);
    rig_say(rig, json);
}

void rig_refuse(struct rig *rig, const char *command, const char *message)
{
    AUTO_FREE char *json = xasprintf("{'seq':0,'type':'response','request_seq':%lld,'command':'%s','success':false,'message':'%s'}",
                                     (long long)seq_of(rig, command), command, message);
    rig_say(rig, json);
}

/* ---- spy ---- */

struct sent *rig_find(struct rig *rig, const char *command)
{
    for (size_t i = rig->sent_count; i > 0; i--)
        if (rig->sent[i - 1].channel == rig->channel && strcmp(rig->sent[i - 1].command, command) == 0)
            return &rig->sent[i - 1];
    return NULL;
}

int rig_count(struct rig *rig, const char *command)
{
    int count = 0;
    for (size_t i = 0; i < rig->sent_count; i++)
        count += rig->sent[i].channel == rig->channel && strcmp(rig->sent[i].command, command) == 0;
    return count;
}

struct sent *rig_expect(struct rig *rig, const char *command)
{
    if (rig->looked_at >= rig->sent_count)
        fail_msg("expected %s, but nothing more was sent", command);
    struct sent *sent = &rig->sent[rig->looked_at++];
    if (strcmp(sent->command, command) != 0)
        fail_msg("expected %s, got %s", command, sent->command);
    return sent;
}

/* ---- operations ---- */

static void on_launched(void *user, enum launch_outcome outcome, const struct error *error)
{
    struct rig *rig = user;
    rig->launches++;
    rig->launch_outcome = outcome;
    snprintf(rig->launch_error, sizeof(rig->launch_error), "%s", error == NULL ? "" : error->message);
}

static void on_wait(void *user, enum wait_outcome outcome)
{
    struct rig *rig = user;
    rig->waits++;
    rig->wait_outcome = outcome;
}

void rig_on_done(void *user, const struct error *error)
{
    struct rig *rig = user;
    rig->dones++;
    rig->done_failed = error != NULL;
    rig->done_kind = error == NULL ? ERROR_NONE : error->kind;
    snprintf(rig->done_error, sizeof(rig->done_error), "%s", error == NULL ? "" : error->message);
}

void rig_on_end(void *user, const struct error *error)
{
    (void)error;
    ((struct rig *)user)->ends++;
}

void rig_launch(struct rig *rig, const char *const *filters)
{
    struct launch_plan *plan = xcalloc(1, sizeof(*plan));
    plan->adapter_id = xstrdup("test");
    plan->adapter_type = xstrdup("test");
    plan->command.env = xcalloc(2, sizeof(*plan->command.env));
    plan->command.env[0] = xstrdup("ADAPTERS=1");
    plan->command.transport = rig->stdio ? SESSION_STDIO : SESSION_TCP;
    plan->stop_on_entry = rig->stop_on_entry;
    plan->program = xstrdup(rig->program);
    plan->attach = rig->attach;
    plan->quirks = rig->quirks;
    plan->panic_function = xstrdup(rig->panic_function);
    plan->arguments = yyjson_mut_doc_new(NULL);
    yyjson_mut_doc_set_root(plan->arguments, yyjson_mut_obj(plan->arguments));
    size_t count = 0;
    while (filters != NULL && filters[count] != NULL)
        count++;
    plan->exception_filters = xcalloc(count + 1, sizeof(*plan->exception_filters));
    for (size_t i = 0; i < count; i++)
        plan->exception_filters[i] = xstrdup(filters[i]);
    AUTO_ERROR struct error error = ERROR_INIT;
    if (session_launch(rig->session, plan, on_launched, rig, &error) < 0)
        fail_msg("launch refused: %s", error.message);
}

void rig_wait(struct rig *rig, uint64_t timeout_ms)
{
    session_wait(rig->session, timeout_ms, on_wait, rig);
}

int rig_resume(struct rig *rig, enum resume_kind kind)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    return session_resume(rig->session, &(struct resume){ .kind = kind }, rig_on_done, rig, &error);
}

static void on_stored(void *user, const struct error *error)
{
    (void)user;
    assert_null(error);
}

void rig_break(struct rig *rig, const char *path, int64_t line, const char *condition)
{
    AUTO_FREE char *copy = xstrdup(condition);
    struct desired_breakpoint desired = { line, copy };
    assert_int_equal(session_set_breakpoints(rig->session, path, &desired, 1, on_stored, rig, NULL), 0);
}

void rig_run(struct rig *rig)
{
    rig_launch(rig, NULL);
    rig_connect(rig);
    rig_answer(rig, "initialize",
               rig->capabilities != NULL ? rig->capabilities
                                         : "{'supportsConfigurationDoneRequest':true,'supportsConditionalBreakpoints':true}");
    rig_event(rig, "initialized", NULL);
    rig_answer(rig, "configurationDone", NULL);
    rig_answer(rig, rig->attach ? "attach" : "launch", NULL);
    assert_int_equal(session_state(rig->session), SESSION_RUNNING);
    assert_int_equal(rig->launches, 1);
}

void rig_stop(struct rig *rig, const char *reason, int64_t thread)
{
    AUTO_FREE char *body = xasprintf("{'reason':'%s','threadId':%lld,'allThreadsStopped':true}", reason, (long long)thread);
    rig_event(rig, "stopped", body);
    rig_answer(rig, "stackTrace", "{'stackFrames':[{'id':7,'name':'main','line':3,'column':1,'source':{'path':'/w/a.py'}}]}");
}
