/* Programs that an adapter wants run in a terminal (specification, "RunInTerminal Request"). The host gives them a real one; their output
 * is the program's, their input can be typed, and how they end is known where the adapter does not tell. */
#include "session/internal.h"

#include <string.h>

static struct terminal *find_terminal(struct session *session, uint32_t number)
{
    for (size_t i = 0; i < session->terminal_count; i++)
        if (session->terminals[i].number == number)
            return &session->terminals[i];
    return NULL;
}

static void refuse(struct target *target, int64_t seq, const char *why)
{
    dap_connection_respond(target->connection, seq, "runInTerminal", false, NULL, why);
}

static char **read_argv(yyjson_val *list)
{
    size_t count = yyjson_arr_size(list), index, most;
    if (count == 0)
        return NULL;
    char **argv = xcalloc(count + 1, sizeof(*argv));
    yyjson_val *item;
    yyjson_arr_foreach(list, index, most, item) {
        const char *text = yyjson_get_str(item);
        argv[index] = xstrdup(text == NULL ? "" : text);
    }
    return argv;
}

static size_t count_strings(char *const *list)
{
    size_t count = 0;
    while (list != NULL && list[count] != NULL)
        count++;
    return count;
}

/* What the adapter was started with, as a program that is its child would get it, then what the adapter asks for; null removes a
 * variable. */
static char **read_env(const struct session *session, yyjson_val *object)
{
    char *const *inherited = session->plan->command.env;
    size_t index, most, count = count_strings(inherited);
    char **env = xcalloc(count + yyjson_obj_size(object) + 1, sizeof(*env));
    for (size_t i = 0; i < count; i++)
        env[i] = xstrdup(inherited[i]);
    yyjson_val *key, *value;
    json_obj_foreach(object, index, most, key, value) {
        const char *text = yyjson_get_str(value);
        if (text != NULL)
            env[count++] = xasprintf("%s=%s", yyjson_get_str(key), text);
        else if (yyjson_is_null(value))
            env[count++] = xstrdup(yyjson_get_str(key));
    }
    return env;
}

static void free_list(char **list)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++)
        free(list[i]);
    free(list);
}

void terminal_requested(struct target *target, int64_t seq, yyjson_val *arguments)
{
    struct session *session = target->session;
    char **argv = read_argv(json_array(arguments, "args"));
    if (argv == NULL || argv[0][0] == '\0' || session->finalised) {
        refuse(target, seq, session->finalised ? "Dapple: the Debug Session ended" : "Dapple: runInTerminal arguments are invalid");
        free_list(argv);
        return;
    }
    const char *cwd = json_string(arguments, "cwd");
    struct terminal_command command = {
        .argv = argv,
        .cwd = cwd == NULL || cwd[0] == '\0' ? NULL : path_of_uri(cwd),
        .env = read_env(session, json_object(arguments, "env")),
        .shell = json_bool(arguments, "argsCanBeInterpretedByShell", false),
    };
    session->terminals =
        xgrow(session->terminals, &session->terminal_cap, session->terminal_count + 1, sizeof(*session->terminals));
    uint32_t number = ++session->last_terminal;
    session->terminals[session->terminal_count++] =
        (struct terminal){ .number = number, .target = target, .request_seq = seq, .alive = true };
    session->ops->run(session->host, session, number, &command);
    free_list(argv);
    free_list(command.env);
    free(command.cwd);
}

void session_on_terminal_started(struct session *session, uint32_t terminal, int64_t pid)
{
    struct terminal *found = find_terminal(session, terminal);
    if (found == NULL || found->answered || found->target == NULL)
        return;
    found->answered = true;
    yyjson_mut_val *body;
    yyjson_mut_doc *doc = json_new_object(&body);
    json_add_int(doc, body, "processId", pid);
    dap_connection_respond(found->target->connection, found->request_seq, "runInTerminal", true, doc, NULL);
}

void session_on_terminal_failed(struct session *session, uint32_t terminal, const struct error *why)
{
    struct terminal *found = find_terminal(session, terminal);
    if (found == NULL)
        return;
    found->alive = false;
    if (!found->answered && found->target != NULL) {
        found->answered = true;
        AUTO_FREE char *message = xasprintf("Dapple: runInTerminal failed: %s", why->message);
        refuse(found->target, found->request_seq, message);
    }
    end_on_terminal_ended(session);
}

/* A whole line of Node's inspector, or one that js-debug has the program print, which says it in an event, too. */
static bool is_inspectors(const char *line, size_t len)
{
    static const char *const lines[] = { "Debugger attached.", "Waiting for the debugger to disconnect..." };
    static const char failed[] = "Breakpoint condition error: ";
    if (line[len - 1] != '\n')
        return false;
    if (len > sizeof(failed) - 1 && strncmp(line, failed, sizeof(failed) - 1) == 0)
        return true;
    len -= len > 1 && line[len - 2] == '\r' ? 2 : 1;
    for (size_t i = 0; i < COUNT_OF(lines); i++)
        if (len == strlen(lines[i]) && strncmp(line, lines[i], len) == 0)
            return true;
    return false;
}

void session_on_terminal_output(struct session *session, uint32_t terminal, const char *bytes, size_t len)
{
    struct terminal *found = find_terminal(session, terminal);
    if (found == NULL)
        return;
    while (len > 0) {
        const char *newline = memchr(bytes, '\n', len);
        size_t line = newline == NULL ? len : (size_t)(newline - bytes) + 1;
        bool own = !found->within_line && session_quirk(session, QUIRK_INSPECTOR_TALKS) && is_inspectors(bytes, line);
        output_append(session, own ? OUTPUT_DEBUGGER : OUTPUT_STDOUT, bytes, line);
        found->within_line = newline == NULL;
        bytes += line;
        len -= line;
    }
}

void session_on_terminal_exit(struct session *session, uint32_t terminal, int code, int signal)
{
    struct terminal *found = find_terminal(session, terminal);
    if (found == NULL || !found->alive)
        return;
    found->alive = false;
    session->has_terminal_exit = true;
    session->terminal_code = code;
    session->terminal_signal = signal;
    if (session->launch.under_way && !session->launch.initialized && !session->launch.failed)
        launch_fail(session, ERROR_EXIT,
                    signal != 0 ? "the program in the terminal was ended by signal %d before the adapter reached it"
                                : "the program in the terminal exited with code %d before the adapter reached it",
                    signal != 0 ? signal : code);
    else
        end_on_terminal_ended(session);
}

void terminals_forget_target(struct session *session, const struct target *target)
{
    for (size_t i = 0; i < session->terminal_count; i++)
        if (session->terminals[i].target == target)
            session->terminals[i].target = NULL;
}

bool terminals_alive(const struct session *session)
{
    for (size_t i = 0; i < session->terminal_count; i++)
        if (session->terminals[i].alive)
            return true;
    return false;
}

/* For the next launch. Numbers are not used again, so that late news of these are nobody's. */
void terminals_forget(struct session *session)
{
    session->terminal_count = 0;
    session->has_terminal_exit = false;
}

int session_send_input(struct session *session, const char *bytes, size_t len, struct error *ret_error)
{
    if (!session_active(session))
        return error_set(ret_error, ERROR_STATE, "the program is not running, so nobody reads what is typed");
    for (size_t i = session->terminal_count; i > 0; i--) {
        if (session->terminals[i - 1].alive)
            return session->ops->type(session->host, session, session->terminals[i - 1].number, bytes, len, ret_error);
    }
    return error_set(
        ret_error, ERROR_STATE,
        "the program has no terminal to type into; dap_launch terminal=true gives it one, if its adapter can run programs in one");
}
