/* From a declaration and a request to what the session needs: the adapter's command line and the launch arguments. */
#include "adapter/catalog.h"
#include "adapter/choose_process.h"
#include "adapter/discover.h"
#include "adapter/entry.h"
#include "adapter/places.h"
#include "adapter/program_file.h"
#include "adapter/source_facts.h"
#include "adapter/string_list.h"
#include "adapter/template.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "session/session.h"

#include <string.h>
#include <unistd.h>

/* ---- checking the request ---- */

static int check_launch_arguments(yyjson_val *arguments, struct error *ret_error)
{
    if (arguments == NULL)
        return 0;
    if (!yyjson_is_obj(arguments))
        return error_set(ret_error, ERROR_ARGUMENT, "launch_arguments: must be an object");
    if (json_bool(arguments, "noDebug", false))
        return error_set(ret_error, ERROR_ARGUMENT,
                         "launch_arguments.noDebug: the program would run without the debugger, and no breakpoint "
                         "would stop it; leave it out");
    return 0;
}

/* Where the program will run. Heap memory of the caller's; NULL with an error when there is no such folder. */
static char *working_folder(const struct adapter_request *request, struct error *ret_error)
{
    AUTO_FREE char *ours = getcwd(NULL, 0);
    const char *wanted = request->cwd != NULL ? request->cwd : json_string(request->launch_arguments, "cwd");
    AUTO_FREE char *folder = path_absolute(wanted != NULL ? wanted : "", ours);
    if (path_is_folder(folder))
        return xstrdup(folder);
    error_set(ret_error, ERROR_ARGUMENT, path_exists(folder) ? "cwd: %s is not a folder" : "cwd: the folder %s does not exist",
              folder);
    return NULL;
}

static int check_stop_on_exceptions(const char *wanted, struct error *ret_error)
{
    if (wanted == NULL || strcmp(wanted, "uncaught") == 0 || strcmp(wanted, "all") == 0 || strcmp(wanted, "none") == 0)
        return 0;
    return error_set(ret_error, ERROR_ARGUMENT, "stop_on_exceptions: %s is none of uncaught, all, none", wanted);
}

/* ---- launch arguments ---- */

/* Does the adapter have what the request asks for? */
static int check_abilities(const struct adapter_entry *entry, const struct adapter_request *request, struct error *ret_error)
{
    if (request->terminal && entry->terminal == NULL)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "%s cannot run a program in a terminal; leave `terminal` out, or pass another `adapter`", entry->id);
    if (request->attach_pid != 0 && request->attach_port == 0 && json_object(entry->attach, "pid") == NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "%s cannot attach to a process by its number", entry->id);
    if (request->attach_port != 0 && json_object(entry->attach, "port") == NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "%s cannot attach by a port", entry->id);
    if (request->attach_core != NULL && json_object(entry->attach, "core") == NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "%s cannot open a core file", entry->id);
    return 0;
}

static bool is_env_template(yyjson_val *value)
{
    return template_is(value, "env") || template_is(value, "env_all") || template_is(value, "env_list") ||
           template_is(value, "env_always");
}

/* Did the request itself give what this template stands for? Then it wins over launch_arguments. */
static bool given_by_request(yyjson_val *template, const struct adapter_request *request)
{
    if (template_is(template, "program") || template_is(template, "go_target"))
        return true;
    if (template_is(template, "args") || template_is(template, "args_always"))
        return request->args != NULL;
    if (is_env_template(template))
        return request->env != NULL;
    if (template_is(template, "cwd"))
        return request->cwd != NULL;
    return template_is(template, "stop_on_entry_always") || (template_is(template, "stop_on_entry") && request->stop_on_entry);
}

static void put(yyjson_mut_doc *doc, yyjson_mut_val *object, yyjson_val *key, yyjson_mut_val *value)
{
    yyjson_mut_obj_put(object, json_new_string(doc, yyjson_get_str(key), yyjson_get_len(key)), value);
}

static void merge_over(yyjson_mut_doc *doc, yyjson_mut_val *arguments, yyjson_val *template, const struct adapter_request *request)
{
    size_t index, count;
    yyjson_val *key, *value;
    json_obj_foreach(request->launch_arguments, index, count, key, value) {
        if (!given_by_request(json_member(template, yyjson_get_str(key)), request))
            put(doc, arguments, key, yyjson_val_mut_copy(doc, value));
    }
}

static bool is_attach(const struct adapter_request *request)
{
    return request->attach_pid != 0 || request->attach_port != 0 || request->attach_core != NULL;
}

/* Some open a core file by `launch`. */
static bool sends_attach(const struct adapter_entry *entry, const struct adapter_request *request)
{
    const char *request_of_core = json_string(entry->attach, "core_request");
    return is_attach(request) &&
           (request->attach_core == NULL || request_of_core == NULL || strcmp(request_of_core, "attach") == 0);
}

static yyjson_val *arguments_template(const struct adapter_entry *entry, const struct adapter_request *request)
{
    if (request->attach_core != NULL)
        return json_object(entry->attach, "core");
    if (request->attach_port != 0)
        return json_object(entry->attach, "port");
    return request->attach_pid != 0 ? json_object(entry->attach, "pid") : entry->launch;
}

static yyjson_mut_doc *launch_arguments(const struct adapter_entry *entry, const struct adapter_request *request,
                                        const struct template_values *values)
{
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    if (doc == NULL)
        abort();
    yyjson_val *template = arguments_template(entry, request);
    yyjson_mut_val *arguments = template_fill(doc, template, values);
    size_t index, count;
    yyjson_val *key, *value;
    if (request->terminal) {
        yyjson_obj_foreach(entry->terminal, index, count, key, value)
            put(doc, arguments, key, template_fill(doc, value, values));
    }
    if (request->launch_arguments != NULL)
        merge_over(doc, arguments, template, request);
    yyjson_mut_doc_set_root(doc, arguments);
    return doc;
}

/* ---- the adapter's process ---- */

static bool has_env_template(yyjson_val *launch, bool list)
{
    size_t index, count;
    yyjson_val *key, *value;
    yyjson_obj_foreach(launch, index, count, key, value) {
        if (is_env_template(value) && template_is(value, "env_list") == list)
            return true;
    }
    return false;
}

/* What the launch arguments cannot say of a variable is done in the adapter, which hands its own environment on: a list can only set, and
 * without any of them all is done there. */
static bool changes_in_adapter(const struct adapter_entry *entry, const char *change)
{
    if (has_env_template(entry->launch, false))
        return false;
    return strchr(change, '=') == NULL || !has_env_template(entry->launch, true);
}

static char **adapter_env(const struct adapter_entry *entry, const struct adapter_request *request,
                          const struct template_values *values, bool of_project)
{
    struct string_list env = { 0 };
    size_t index, count;
    yyjson_val *item;
    for (char *const *variable = request->surroundings; variable != NULL && *variable != NULL; variable++)
        string_list_add(&env, *variable);
    yyjson_arr_foreach(json_array(entry->start, "env"), index, count, item)
        string_list_add(&env, yyjson_get_str(item));
    if (of_project)
        template_command(&env, json_array(entry->start, "project_env"), values);
    for (char *const *change = request->env; change != NULL && *change != NULL; change++) {
        if (changes_in_adapter(entry, *change))
            string_list_add(&env, *change);
    }
    return string_list_give(&env);
}

static enum session_transport transport(yyjson_val *start)
{
    const char *name = json_string(start, "transport");
    if (strcmp(name, "tcp") == 0)
        return SESSION_TCP;
    if (strcmp(name, "accept") == 0)
        return SESSION_TCP_ACCEPT;
    return strcmp(name, "unix") == 0 ? SESSION_UNIX : SESSION_STDIO;
}

static struct adapter_command start_command(const struct adapter_entry *entry, const struct adapter_request *request,
                                            const struct template_values *values, bool of_project)
{
    struct string_list argv = { 0 };
    template_command(&argv, json_array(entry->start, "command"), values);
    struct adapter_command command = {
        .argv = string_list_give(&argv),
        .cwd = xstrdup(values->cwd),
        .env = adapter_env(entry, request, values, of_project),
        .transport = transport(entry->start),
        .announcement = xstrdup(json_string(entry->start, "announcement")),
        .gentle = is_attach(request),
    };
    if (command.transport == SESSION_TCP || command.transport == SESSION_TCP_ACCEPT) {
        const char *host = json_string(entry->start, "host");
        command.host = xstrdup(host != NULL ? host : "127.0.0.1");
        command.port = (uint16_t)json_int_or(entry->start, "port", 0);
    }
    return command;
}

/* The adapter runs already, inside of the program or beside it. */
static struct adapter_command connect_command(const struct adapter_request *request, const struct template_values *values)
{
    return (struct adapter_command){
        .transport = SESSION_CONNECT,
        .cwd = xstrdup(values->cwd),
        .host = xstrdup(values->host),
        .port = request->attach_port,
        .gentle = true,
    };
}

static bool is_connect(const struct adapter_entry *entry, const struct adapter_request *request)
{
    return request->attach_port != 0 && json_bool(entry->attach, "connect", false);
}

static struct adapter_command adapter_command(const struct adapter_entry *entry, const struct adapter_request *request,
                                              const struct template_values *values, bool of_project)
{
    return is_connect(entry, request) ? connect_command(request, values) : start_command(entry, request, values, of_project);
}

/* ---- the plan ---- */

static char **claims_wrongly(const struct adapter_entry *entry)
{
    struct string_list names = { 0 };
    size_t index, count;
    yyjson_val *item;
    yyjson_arr_foreach(entry->claims_wrongly, index, count, item)
        string_list_add(&names, yyjson_get_str(item));
    return string_list_give(&names);
}

/* Of a Rust program, its panics are among them; what an adapter knows of exceptions is nothing of Rust's. */
static char **exception_filters(const struct adapter_entry *entry, const char *wanted, const struct program_file *file)
{
    struct string_list filters = { 0 };
    size_t index, count;
    yyjson_val *item;
    yyjson_arr_foreach(json_array(entry->exceptions, wanted != NULL ? wanted : "uncaught"), index, count, item)
        string_list_add(&filters, yyjson_get_str(item));
    bool stops = wanted == NULL || strcmp(wanted, "none") != 0;
    if (file->panic_function != NULL && stops)
        string_list_add(&filters, wanted != NULL && strcmp(wanted, "all") == 0 ? PANIC_FILTER : PANIC_UNCAUGHT_FILTER);
    return string_list_give(&filters);
}

/* A launch configuration written for an editor carries `type`: the name under which the adapter knows itself. */
static const char *adapter_type(const struct adapter_entry *entry, const struct adapter_request *request)
{
    const char *type = json_string(request->launch_arguments, "type");
    return type != NULL && *type != '\0' ? type : entry->type;
}

/* Does something in the launch arguments, or a habit of the adapter's, make it stop at the beginning? */
static bool can_stop_on_entry(const struct adapter_entry *entry)
{
    size_t index, count;
    yyjson_val *key, *value;
    yyjson_obj_foreach(entry->launch, index, count, key, value) {
        if (template_is(value, "stop_on_entry"))
            return true;
    }
    return adapter_list_names(entry->quirks, "stops_at_start") || adapter_list_names(entry->quirks, "enters_at_line_zero") ||
           adapter_list_names(entry->quirks, "enters_at_main");
}

/* Where the adapter is always told to stop, launch_arguments can still ask for it. */
static bool stops_on_entry(const struct adapter_entry *entry, const struct adapter_request *request)
{
    size_t index, count;
    yyjson_val *key, *value;
    bool asked = request->stop_on_entry;
    yyjson_obj_foreach(entry->launch, index, count, key, value) {
        if (template_is(value, "stop_on_entry_always") && json_bool(request->launch_arguments, yyjson_get_str(key), false))
            asked = true;
    }
    return asked;
}

static void warn(struct buffer *warnings, const struct adapter_entry *entry, const struct adapter_request *request,
                 const struct program_file *file, const struct adapter_found *found)
{
    if (found->warning != NULL)
        buffer_addf(warnings, "%s\n", found->warning);
    if (file->format == PROGRAM_ELF && !file->has_debug_info)
        buffer_addf(warnings, "no debug information in %s: line breakpoints will not bind; recompile with -g\n", request->program);
    if (request->stop_on_entry && !can_stop_on_entry(entry))
        buffer_addf(warnings, "%s cannot stop on entry: set a breakpoint in the first line that is to be seen\n", entry->id);
}

static uint64_t quirks(yyjson_val *list)
{
    static const struct {
        const char *name;
        enum adapter_quirk quirk;
    } known[] = {
#define X(upper, lower, text) { lower, QUIRK_##upper },
        ADAPTER_QUIRKS(X)
#undef X
    };
    uint64_t found = 0;
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        if (adapter_list_names(list, known[i].name))
            found |= (uint64_t)known[i].quirk;
    }
    return found;
}

/* Arguments that the launch arguments give, for an adapter that wants them on its command line. */
static void add_given_args(struct string_list *args, yyjson_val *launch_arguments)
{
    size_t index, count;
    yyjson_val *item;
    yyjson_arr_foreach(json_array(launch_arguments, "args"), index, count, item) {
        if (yyjson_is_str(item))
            string_list_add(args, yyjson_get_str(item));
    }
}

static char *folder_of(const char *path)
{
    return path != NULL ? path_folder(path) : NULL;
}

/* Heap memory of the caller's; NULL for a launch. */
static char *attached_to(const struct adapter_request *request)
{
    if (request->attach_core != NULL)
        return xasprintf("core file %s", request->attach_core);
    if (request->attach_pid == 0 && request->attach_port != 0)
        return xasprintf("%s:%u", request->attach_host != NULL ? request->attach_host : "127.0.0.1", request->attach_port);
    if (request->attach_pid == 0)
        return NULL;
    const char *name = request->attach_name;
    return xasprintf("pid %lld%s%s%s", (long long)request->attach_pid, name != NULL ? " (" : "", name != NULL ? name : "",
                     name != NULL ? ")" : "");
}

/* A program outside of any project (npm) works in the one where it runs. */
static char *map_folder_of(const char *program, const char *cwd, yyjson_val *markers)
{
    AUTO_FREE char *place = path_join(cwd, "program");
    char *folder = program != NULL ? source_map_folder(program, markers) : NULL;
    return folder != NULL ? folder : source_map_folder(place, markers);
}

static struct launch_plan *make_plan(const struct adapter_entry *entry, const struct adapter_request *request,
                                     const struct program_file *file, const struct adapter_found *found, const char *cwd)
{
    const char *program = request->program;
    AUTO_STRING_LIST struct string_list given_args = { 0 };
    AUTO_FREE char *adapter_folder = folder_of(found->path);
    AUTO_FREE char *program_folder = program != NULL && path_is_folder(program) ? xstrdup(program) : folder_of(program);
    AUTO_FREE char *project = program != NULL ? project_folder(program, entry->markers) : NULL;
    AUTO_FREE char *target = program != NULL ? go_target(program) : NULL;
    AUTO_FREE char *printers = file->panic_function != NULL ? rust_printers_folder() : NULL;
    AUTO_FREE char *runner = program != NULL ? typescript_runner(program) : NULL;
    AUTO_FREE char *map_folder = map_folder_of(program, cwd, entry->markers);
    AUTO_FREE char *kotlin_class = program != NULL ? kotlin_main_class(program) : NULL;
    AUTO_FREE char *port = request->attach_port != 0 ? xasprintf("%u", request->attach_port) : NULL;
    add_given_args(&given_args, request->launch_arguments);
    struct template_values values = {
        .adapter = found->path,
        .adapter_folder = adapter_folder,
        .interpreter = found->interpreter,
        .python = found->python,
        .program = program,
        .program_folder = program_folder,
        .project = project != NULL ? project : cwd,
        .go_mode = program != NULL ? go_mode(program) : NULL,
        .go_target = target,
        .rust_printers = printers,
        .kotlin_class = kotlin_class,
        .typescript_runner = runner,
        .source_map_folder = map_folder,
        .cwd = cwd,
        .args = request->args != NULL ? request->args : given_args.items,
        .env = request->env,
        .surroundings = request->surroundings,
        .stop_on_entry = request->stop_on_entry,
        .host = request->attach_host != NULL ? request->attach_host : "127.0.0.1",
        .port_text = port,
        .pid = request->attach_pid,
        .core = request->attach_core,
    };
    struct launch_plan *plan = xcalloc(1, sizeof *plan);
    *plan = (struct launch_plan){
        .adapter_id = xstrdup(entry->id),
        .adapter_type = xstrdup(adapter_type(entry, request)),
        .command = adapter_command(entry, request, &values, found->of_project),
        .arguments = launch_arguments(entry, request, &values),
        .attach = is_attach(request),
        .launch_request = !sends_attach(entry, request),
        .attached_to = attached_to(request),
        .pid = request->attach_pid,
        .quirks = quirks(entry->quirks),
        .claims_wrongly = claims_wrongly(entry),
        .stop_on_entry = stops_on_entry(entry, request),
        .exception_filters = exception_filters(entry, request->stop_on_exceptions, file),
        .panic_function = xstrdup(file->panic_function),
        .program = xstrdup(program),
    };
    return plan;
}

/* ---- a debugger that another one needs ---- */

/* debugpy gets into a process with gdb, and takes the first on PATH; one that Dapple would use itself is better. */
static int find_helper(const struct adapter_entry *entry, const struct adapter_request *request, const char *cwd, char **ret_path,
                       struct buffer *warnings, struct error *ret_error)
{
    const char *name = request->attach_pid != 0 ? json_string(entry->attach, "helper") : NULL;
    const struct adapter_entry *helper = name != NULL ? catalog_find(name) : NULL;
    if (helper == NULL)
        return 0;
    AUTO_FREE char *place = path_join(cwd, "program");
    struct adapter_search search = { .program = place, .cwd = cwd };
    AUTO_ADAPTER_FOUND struct adapter_found found = { 0 };
    AUTO_ERROR struct error why = ERROR_INIT;
    if (adapter_discover(helper, &search, &found, &why) == 0) {
        *ret_path = xstrdup(found.path);
        return 0;
    }
    AUTO_STRING_LIST struct string_list folders = { 0 };
    places_for_programs(&folders, helper, &search);
    for (size_t i = 0; i < folders.count; i++) {
        AUTO_FREE char *path = path_join(folders.items[i], name);
        if (!path_is_executable(path))
            continue;
        buffer_addf(warnings, "%s gets into the process with %s, which is older than what was tested\n", entry->id, path);
        return 0;
    }
    return error_set(
        ret_error, ERROR_CONFIG,
        "%s gets into a running process with the help of %s, and there is none: %s; or start the program so that it listens for "
        "a debugger (%s) and pass that port",
        entry->id, name, why.message, adapter_entry_listen_hint(entry));
}

static void put_helper_on_path(struct launch_plan *plan, const char *helper)
{
    if (helper == NULL)
        return;
    struct string_list env = { 0 };
    for (char **item = plan->command.env; item != NULL && *item != NULL; item++)
        string_list_take(&env, *item);
    free(plan->command.env);
    AUTO_FREE char *folder = path_folder(helper);
    const char *path = getenv("PATH");
    string_list_take(&env, xasprintf("PATH=%s%s%s", folder, path != NULL ? ":" : "", path != NULL ? path : ""));
    plan->command.env = string_list_give(&env);
}

/* A folder is a program for some adapters, and then there is no file to be read. */
static int read_program(const struct adapter_entry *entry, const char *program, struct program_file *file, struct error *ret_error)
{
    if (program == NULL || (entry->folders != NULL && path_is_folder(program)))
        return 0;
    return program_file_read(program, file, ret_error);
}

int adapter_plan(const struct adapter_entry *entry, const struct adapter_request *request, struct launch_plan **ret_plan,
                 struct buffer *warnings, struct error *ret_error)
{
    if (check_launch_arguments(request->launch_arguments, ret_error) < 0 ||
        check_stop_on_exceptions(request->stop_on_exceptions, ret_error) < 0 || check_abilities(entry, request, ret_error) < 0)
        return -1;
    AUTO_FREE char *cwd = working_folder(request, ret_error);
    AUTO_PROGRAM_FILE struct program_file file = { 0 };
    if (cwd == NULL || read_program(entry, request->program, &file, ret_error) < 0)
        return -1;
    AUTO_FREE char *place = request->program != NULL ? xstrdup(request->program) : path_join(cwd, "program");
    struct adapter_search search = {
        .program = place,
        .cwd = cwd,
        .shebang = file.interpreter_path,
        .python = json_string(request->launch_arguments, "python"),
    };
    AUTO_ADAPTER_FOUND struct adapter_found found = { 0 };
    if (!is_connect(entry, request) && adapter_discover(entry, &search, &found, ret_error) < 0)
        return -1;
    AUTO_FREE char *helper = NULL;
    if (find_helper(entry, request, cwd, &helper, warnings, ret_error) < 0)
        return -1;
    warn(warnings, entry, request, &file, &found);
    *ret_plan = make_plan(entry, request, &file, &found, cwd);
    put_helper_on_path(*ret_plan, helper);
    return 0;
}
