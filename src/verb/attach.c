/* dap_attach: find the process, check that it may be debugged, choose the adapter, attach, report where it stands. */
#include "verb/attached.h"
#include "verb/launch.h"

#include "adapter/catalog.h"
#include "adapter/choose_process.h"
#include "adapter/process.h"
#include "adapter/program_file.h"
#include "base/path.h"
#include "base/utf8.h"
#include "io/listening_ports.h"
#include "io/session_host.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#define PROC "/proc"
#define LOOK_EVERY_MS 50
#define INSPECTOR_MS 5000 /* for a process to open its inspector after the signal */
#define MOST_CANDIDATES 10
#define COMMAND_SHOWN 160
#define MOST_PORTS 16
#define INSPECTOR_PORT 9229

/* What is attached to, and what is waited for until then. */
struct attach_state {
    enum attach_way way;
    struct process process; /* by pid: its pid is not 0 */
    char *host;             /* NULL: this machine */
    uint16_t port;          /* 0: none */
    char *core;
    char *wait_for;                        /* a name that has not appeared yet; NULL */
    uint64_t until;                        /* of whatever is waited for */
    const struct adapter_entry *inspected; /* its adapter, while the inspector's port is waited for */
    char *reason;                          /* why this adapter */
    uint16_t ports_before[MOST_PORTS];
    size_t ports_before_count;
};

static void free_attach_state(void *user)
{
    struct attach_state *attach = user;
    process_done(&attach->process);
    free(attach->host);
    free(attach->core);
    free(attach->wait_for);
    free(attach->reason);
    free(attach);
}

static struct attach_state *attach_of(const struct call *call)
{
    return ((struct launch_state *)call->state)->more;
}

static uint64_t now(const struct call *call)
{
    return session_host_now(call->world->host);
}

/* ---- what is asked for ---- */

/* The first of these members, of the call or else of the profile and launch_arguments. */
static yyjson_val *find_member(const struct launch_state *state, const char *const *names)
{
    for (; *names != NULL; names++) {
        yyjson_val *found = json_member(launch_arguments(state), *names);
        if (found != NULL && !yyjson_is_null(found))
            return found;
    }
    return NULL;
}

/* A number, or a string that is one: editors' files have both. 0: neither. */
static int64_t number_of(yyjson_val *value)
{
    const char *text = yyjson_get_str(value);
    if (text == NULL)
        return yyjson_is_int(value) ? yyjson_get_sint(value) : 0;
    char *end;
    long long number = strtoll(text, &end, 10);
    return *text != '\0' && *end == '\0' ? number : 0;
}

static const char *const pid_names[] = { "pid", "processId", NULL };
static const char *const port_names[] = { "port", NULL };
static const char *const host_names[] = { "host", "address", "hostname", "hostName", NULL };
static const char *const core_names[] = { "coreFile", "coreFilePath", "core", NULL };

/* These say to us what is attached to; to the adapter they are told in its own words. */
static void take_target_members(struct launch_state *state)
{
    static const char *const taken[] = { "pid",     "processId", "port",     "host",         "address", "hostname", "hostName",
                                         "connect", "core",      "coreFile", "coreFilePath", "request", "name" };
    if (state->merged == NULL)
        return;
    yyjson_mut_doc *doc = yyjson_doc_mut_copy(state->merged, NULL);
    for (size_t i = 0; i < COUNT_OF(taken); i++)
        yyjson_mut_obj_remove_key(yyjson_mut_doc_get_root(doc), taken[i]);
    yyjson_doc_free(state->merged);
    state->merged = yyjson_mut_doc_imut_copy(doc, NULL);
    yyjson_mut_doc_free(doc);
}

struct asked {
    int64_t pid, port;
    const char *process, *wait_for, *core, *host;
};

static int read_asked(const struct call *call, const struct launch_state *state, struct asked *ret, struct error *ret_error)
{
    yyjson_val *arguments = call->arguments;
    *ret = (struct asked){
        .pid = json_int_or(arguments, "pid", 0),
        .port = json_int_or(arguments, "port", 0),
        .process = json_string(arguments, "process"),
        .wait_for = json_string(arguments, "wait_for"),
        .core = json_string(arguments, "core"),
        .host = json_string(arguments, "host"),
    };
    int given = (ret->pid != 0) + (ret->port != 0) + (ret->process != NULL) + (ret->wait_for != NULL) + (ret->core != NULL);
    if (given > 1)
        return error_set(ret_error, ERROR_ARGUMENT, "give one of pid, process, wait_for, port and core, not several");
    yyjson_val *connect = json_object(launch_arguments(state), "connect");
    if (ret->host == NULL)
        ret->host = json_string(connect, "host");
    if (ret->host == NULL)
        ret->host = yyjson_get_str(find_member(state, host_names));
    if (given == 1)
        return 0;
    yyjson_val *pid = find_member(state, pid_names);
    yyjson_val *port = connect != NULL ? json_member(connect, "port") : find_member(state, port_names);
    ret->pid = number_of(pid);
    ret->port = ret->pid == 0 ? number_of(port) : 0;
    ret->core = ret->pid == 0 && ret->port == 0 ? yyjson_get_str(find_member(state, core_names)) : NULL;
    if (ret->pid != 0 || ret->port != 0 || ret->core != NULL)
        return 0;
    if (pid != NULL && yyjson_is_str(pid))
        return error_set(ret_error, ERROR_ARGUMENT,
                         "/pid: the profile leaves the process to be picked (%.80s): pass pid, or process", yyjson_get_str(pid));
    return error_set(ret_error, ERROR_ARGUMENT, "give one of pid, process, wait_for, port and core, or a profile that attaches%s",
                     state->profile != NULL ? "; the profile names none" : "");
}

/* ---- the process ---- */

static int take_pid(struct call *call, int64_t pid, struct error *ret_error)
{
    struct attach_state *attach = attach_of(call);
    attach->way = ATTACH_BY_PID;
    if (process_read(PROC, pid, &attach->process) < 0)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "/pid: there is no process %" PRId64 "; process=NAME finds one by its name, wait_for=NAME waits for one",
                         pid);
    return 0;
}

/* Those that have the name, a row each. */
static void add_candidates(struct buffer *text, const struct process *list, size_t count)
{
    (void)buffer_addf(text, "Processes: %zu%s\n", count, count > MOST_CANDIDATES ? ", the newest:" : "");
    for (size_t i = 0; i < count && i < MOST_CANDIDATES; i++) {
        AUTO_FREE char *command = process_command(&list[i]);
        (void)buffer_addf(text, "  pid %" PRId64 "  ", list[i].pid);
        utf8_one_line(text, command, strlen(command), COMMAND_SHOWN);
        (void)buffer_addc(text, '\n');
    }
}

/* 1: found, and taken. 0: there is none. */
static int take_name(struct call *call, const char *field, const char *name, struct error *ret_error)
{
    struct process *list;
    size_t count = process_find(PROC, name, &list);
    struct attach_state *attach = attach_of(call);
    attach->way = ATTACH_BY_PID;
    int result = count == 1;
    if (count == 1) {
        attach->process = list[0];
        list[0] = (struct process){ 0 };
    } else if (count > 1) {
        add_candidates(&call->result.text, list, count);
        result = error_set(ret_error, ERROR_ARGUMENT, "/%s: %zu processes of the name %.200s run: pass the pid of one of them",
                           field, count, name);
    }
    processes_free(list, count);
    return result;
}

/* The newest of those that have just appeared. */
static bool take_newest(struct call *call, const char *name)
{
    struct process *list;
    size_t count = process_find(PROC, name, &list);
    if (count > 0) {
        attach_of(call)->process = list[0];
        list[0] = (struct process){ 0 };
    }
    processes_free(list, count);
    return count > 0;
}

static int take_process(struct call *call, const char *name, struct error *ret_error)
{
    AUTO_FREE char *path = strchr(name, '/') != NULL ? path_absolute(name, call->world->project) : NULL;
    int found = take_name(call, "process", path != NULL ? path : name, ret_error);
    if (found == 0)
        return error_set(ret_error, ERROR_ARGUMENT, "/process: no process of the name %.200s runs; wait_for waits until one does",
                         name);
    return found < 0 ? -1 : 0;
}

static int take_wait_for(struct call *call, const char *name, struct error *ret_error)
{
    struct attach_state *attach = attach_of(call);
    char *path = strchr(name, '/') != NULL ? path_absolute(name, call->world->project) : xstrdup(name);
    int found = take_name(call, "wait_for", path, ret_error);
    if (found == 0)
        attach->wait_for = path;
    else
        free(path);
    return found < 0 ? -1 : 0;
}

static int take_core(struct call *call, const struct launch_state *state, const char *core, struct error *ret_error)
{
    struct attach_state *attach = attach_of(call);
    attach->way = ATTACH_CORE;
    attach->core = path_absolute(core, call->world->project);
    if (!path_is_file(attach->core))
        return error_set(ret_error, ERROR_ARGUMENT, "/core: there is no file %s", attach->core);
    AUTO_PROGRAM_FILE struct program_file file = { 0 };
    if (program_file_read(attach->core, &file, ret_error) < 0)
        return -1;
    if (file.role != PROGRAM_ROLE_CORE)
        return error_set(ret_error, ERROR_ARGUMENT, "/core: %s is no core file", attach->core);
    if (state->program == NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "/program: the executable that the core file is of must be named, too");
    return 0;
}

static int take_target(struct call *call, struct launch_state *state, struct error *ret_error)
{
    struct attach_state *attach = attach_of(call);
    struct asked asked;
    if (read_asked(call, state, &asked, ret_error) < 0)
        return -1;
    if (asked.port < 0 || asked.port > UINT16_MAX)
        return error_set(ret_error, ERROR_ARGUMENT, "/port: must be 1 to 65535");
    attach->host = xstrdup(asked.host);
    attach->port = (uint16_t)asked.port;
    attach->way = ATTACH_BY_PORT;
    int result = 0;
    if (asked.pid != 0)
        result = take_pid(call, asked.pid, ret_error);
    else if (asked.process != NULL)
        result = take_process(call, asked.process, ret_error);
    else if (asked.wait_for != NULL)
        result = take_wait_for(call, asked.wait_for, ret_error);
    else if (asked.core != NULL)
        result = take_core(call, state, asked.core, ret_error);
    take_target_members(state);
    return result;
}

/* ---- the adapter ---- */

static bool is_this_machine(const char *host)
{
    return host == NULL || strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0;
}

static int choose(struct call *call, const struct launch_state *state, struct adapter_choice *ret, struct error *ret_error)
{
    const struct attach_state *attach = attach_of(call);
    size_t count;
    const struct adapter_entry *const *adapters = settings_adapters(call->world->settings, &count);
    const char *wanted = launch_wanted_adapter(call, state);
    if (attach->way == ATTACH_CORE)
        return adapter_choose_for_core(adapters, count, state->program, wanted, ret, ret_error);
    if (attach->way == ATTACH_BY_PID)
        return adapter_choose_for_process(adapters, count, &attach->process, wanted, ret, ret_error);
    AUTO_PROCESS struct process server = { 0 };
    int64_t pid = wanted == NULL && is_this_machine(attach->host) ? process_listening(PROC, attach->port) : 0;
    bool known = pid != 0 && process_read(PROC, pid, &server) == 0;
    return adapter_choose_for_port(adapters, count, known ? &server : NULL, wanted, ret, ret_error);
}

/* Line breakpoints need debug information, which is in the executable that the process runs. */
static void warn_of_debug_information(struct call *call, const struct launch_state *state, const struct adapter_entry *entry)
{
    const struct attach_state *attach = attach_of(call);
    const char *executable = attach->process.executable;
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_PROGRAM_FILE struct program_file file = { 0 };
    if (state->program != NULL || executable == NULL || process_interpreter(&attach->process) != NULL ||
        !adapter_entry_traces(entry))
        return;
    if (program_file_read(executable, &file, &error) == 0 && file.format == PROGRAM_ELF && !file.has_debug_info)
        call_warn(call, "no debug information in %s: line breakpoints will not bind; `program` can name one that has", executable);
}

/* ---- the steps ---- */

static bool has_breakpoints(const struct session *session)
{
    for (size_t i = 0; i < session_breakpoint_list_count(session); i++) {
        if (session_breakpoint_list(session, i)->kind != BREAKPOINT_EXCEPTION)
            return true;
    }
    return false;
}

static void begin(struct call *call, const struct adapter_choice *choice)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct launch_state *state = call->state;
    struct attach_state *attach = attach_of(call);
    const char *exceptions = json_string(call->arguments, "stop_on_exceptions");
    if (exceptions != NULL)
        launch_warn_exceptions(call);
    const struct adapter_request request = {
        .program = state->program,
        .cwd = state->cwd,
        .surroundings = settings_surroundings(call->world->settings),
        .stop_on_exceptions = exceptions == NULL ? "uncaught" : exceptions,
        .attach_pid = attach->process.pid,
        .attach_name = attach->process.name,
        .attach_host = attach->host,
        .attach_port = attach->port,
        .attach_core = attach->core,
        .launch_arguments = launch_arguments(state),
    };
    struct launch_plan *plan = launch_make_plan(call, choice, &request, &error);
    if (plan != NULL)
        session_mark_earlier_breakpoints(call_session(call));
    if (plan == NULL || launch_read_breakpoints(call, true, &error) < 0) {
        launch_plan_free(plan);
        call_fail(call, &error);
        return;
    }
    warn_of_debug_information(call, state, choice->entry);
    /* Nothing says that it will ever stop: only who set a breakpoint, or has a debugger that stops it, waits. */
    bool stops = (plan->quirks & QUIRK_STOPS_AT_ATTACH) != 0 || attach->core != NULL;
    state->returns = !stops && !has_breakpoints(call_session(call));
    started_remember(call->named, "attach", call->arguments);
    call->named->process_pid = attach->process.pid;
    call->named->process_started = attach->process.started;
    call->named->behind.used = attach->way == ATTACH_BY_PORT;
    if (attach->way == ATTACH_BY_PORT && is_this_machine(attach->host))
        attached_at_port(call->named, choice->entry, attach->port);
    launch_begin(call, plan);
}

static void look_again(struct call *call);
static void attach_by_inspector(struct call *call, const struct adapter_choice *choice);

static void go_on(struct call *call)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct launch_state *state = call->state;
    const struct attach_state *attach = attach_of(call);
    struct adapter_choice choice = { 0 };
    if (choose(call, state, &choice, &error) < 0) {
        call_fail(call, &error);
        return;
    }
    bool by_pid = attach->way == ATTACH_BY_PID;
    if (by_pid && adapter_entry_inspector_signal(choice.entry) != 0)
        attach_by_inspector(call, &choice);
    else if (by_pid && adapter_entry_traces(choice.entry) && process_check_traceable(PROC, &attach->process, &error) < 0)
        call_fail(call, &error);
    else
        begin(call, &choice);
    adapter_choice_done(&choice);
}

/* ---- Node.js: the port of the inspector ---- */

/* The port that its command line names: --inspect, --inspect-brk, --inspect=9230, --inspect-port=127.0.0.1:9230. 0: none. */
static uint16_t port_of_arguments(const struct process *process)
{
    for (char **argument = process->arguments; *argument != NULL; argument++) {
        if (strncmp(*argument, "--inspect", 9) != 0)
            continue;
        const char *equals = strchr(*argument, '=');
        const char *colon = equals != NULL ? strrchr(equals, ':') : NULL;
        int64_t port = equals != NULL ? strtoll((colon != NULL ? colon : equals) + 1, NULL, 10) : 0;
        return port > 0 && port <= UINT16_MAX ? (uint16_t)port : INSPECTOR_PORT;
    }
    return 0;
}

static bool has_port(const uint16_t *ports, size_t count, uint16_t port)
{
    for (size_t i = 0; i < count; i++) {
        if (ports[i] == port)
            return true;
    }
    return false;
}

/* The inspector's port among those that it listens on now. 0: none. */
static uint16_t inspector_port(const struct attach_state *attach)
{
    uint16_t ports[MOST_PORTS];
    size_t count = listening_ports((pid_t)attach->process.pid, ports, MOST_PORTS);
    uint16_t named = port_of_arguments(&attach->process);
    if (has_port(ports, count, named != 0 ? named : INSPECTOR_PORT))
        return named != 0 ? named : INSPECTOR_PORT;
    for (size_t i = 0; attach->inspected != NULL && i < count; i++) {
        if (!has_port(attach->ports_before, attach->ports_before_count, ports[i]))
            return ports[i]; /* what the signal opened */
    }
    return 0;
}

static void attach_by_inspector(struct call *call, const struct adapter_choice *choice)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct attach_state *attach = attach_of(call);
    int number = adapter_entry_inspector_signal(choice->entry);
    attach->port = inspector_port(attach);
    if (attach->port != 0) {
        begin(call, choice);
        return;
    }
    if (!json_bool(call->arguments, "open_inspector", false)) {
        error_set(&error, ERROR_ARGUMENT,
                  "process %" PRId64
                  " (%s) has no open inspector. open_inspector=true sends it SIGUSR1, which opens it on port %d; a program "
                  "that handles that signal itself gets it instead. Or start it with: %s",
                  attach->process.pid, attach->process.name, INSPECTOR_PORT, adapter_entry_listen_hint(choice->entry));
        call_fail(call, &error);
        return;
    }
    attach->ports_before_count = listening_ports((pid_t)attach->process.pid, attach->ports_before, MOST_PORTS);
    attach->inspected = choice->entry;
    attach->reason = xstrdup(choice->reason);
    attach->until = now(call) + INSPECTOR_MS;
    if (kill((pid_t)attach->process.pid, number) != 0) {
        error_set(&error, ERROR_ARGUMENT, "process %" PRId64 " (%s) could not be signalled: %s", attach->process.pid,
                  attach->process.name, strerror(errno));
        call_fail(call, &error);
        return;
    }
    look_again(call);
}

static void look_for_inspector(struct call *call)
{
    struct attach_state *attach = attach_of(call);
    attach->port = inspector_port(attach);
    if (attach->port != 0) {
        begin(call, &(struct adapter_choice){ .entry = attach->inspected, .reason = attach->reason });
    } else if (now(call) < attach->until) {
        look_again(call);
    } else {
        AUTO_ERROR struct error error = ERROR_INIT;
        error_set(&error, ERROR_TIMEOUT,
                  "process %" PRId64
                  " (%s) was sent SIGUSR1 and opened no inspector within %d ms: it may handle the signal itself, "
                  "or another process has its port (9229 unless told); start it with: %s",
                  attach->process.pid, attach->process.name, INSPECTOR_MS, adapter_entry_listen_hint(attach->inspected));
        call_fail(call, &error);
    }
}

/* ---- waiting ---- */

static void look_for_name(struct call *call)
{
    struct attach_state *attach = attach_of(call);
    if (take_newest(call, attach->wait_for)) {
        go_on(call);
    } else if (now(call) < attach->until) {
        look_again(call);
    } else {
        AUTO_ERROR struct error error = ERROR_INIT; /* a request that failed: no adapter was late, none was started */
        error_set(&error, ERROR_REQUEST, "no process of the name %.200s has appeared within %" PRIu64 " ms (timeout_ms)",
                  attach->wait_for, call_wait_ms(call));
        call_fail(call, &error);
    }
}

static void on_look(void *user, enum wait_outcome outcome)
{
    struct call *call = user;
    call->wait = NULL;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (outcome == WAIT_CANCELLED) {
        error_set(&error, ERROR_CANCELLED, "attach was cancelled; nothing was attached to");
        call_fail(call, &error);
    } else if (attach_of(call)->inspected != NULL) {
        look_for_inspector(call);
    } else {
        look_for_name(call);
    }
}

/* The session serves as the clock: it is idle until then. */
static void look_again(struct call *call)
{
    call->wait = session_wait(call_session(call), LOOK_EVERY_MS, on_look, call);
}

void attach_abandon(struct named *named)
{
    struct call *call = named->queue;
    bool waits = call != NULL && call->serving && strcmp(call->verb->name, "attach") == 0 && call->wait != NULL &&
                 !session_active(named->session);
    if (waits)
        session_wait_cancel(named->session, call->wait);
}

/* ---- the call ---- */

static int check_cwd(const struct launch_state *state, struct error *ret_error)
{
    if (path_is_folder(state->cwd))
        return 0;
    return error_set(ret_error, ERROR_ARGUMENT, "/cwd: %s is not a folder", state->cwd);
}

static int prepare(struct call *call, struct launch_state *state, struct error *ret_error)
{
    configured_read(call->world);
    configured_warn(call);
    configured_set_timeouts(call);
    if (launch_find_profile(call, state, "attach", false, ret_error) < 0)
        return -1;
    launch_read_arguments(call, state);
    return check_cwd(state, ret_error) < 0 ? -1 : take_target(call, state, ret_error);
}

static void attach(struct call *call, const char *word)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct launch_state *state = launch_state_new(call, word);
    state->more = xcalloc(1, sizeof(struct attach_state));
    state->free_more = free_attach_state;
    if (launch_read_breakpoints(call, false, &error) < 0 || prepare(call, state, &error) < 0) {
        call_fail(call, &error);
        return;
    }
    struct attach_state *attach = state->more;
    if (attach->wait_for == NULL) {
        go_on(call);
        return;
    }
    attach->until = now(call) + call_wait_ms(call);
    look_for_name(call);
}

void verb_attach(struct call *call)
{
    attach(call, "attach");
}

void attach_again(struct call *call)
{
    attach(call, "restart");
}
