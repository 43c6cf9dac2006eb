/* From a declaration and a request to what the session needs: the adapter's command line and the launch arguments. */
#include "adapter/catalog.h"
#include "adapter/discover.h"
#include "adapter/entry.h"
#include "adapter/program_file.h"
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

static bool is_env_template(yyjson_val *value)
{
    return template_is(value, "env") || template_is(value, "env_all") || template_is(value, "env_list");
}

/* Did the request itself give what this template stands for? Then it wins over launch_arguments. */
static bool given_by_request(yyjson_val *template, const struct adapter_request *request)
{
    return template_is(template, "program") || (template_is(template, "args") && request->args != NULL) ||
           (template_is(template, "cwd") && request->cwd != NULL) || (is_env_template(template) && request->env != NULL) ||
           (template_is(template, "stop_on_entry") && request->stop_on_entry);
}

static void merge_over(yyjson_mut_doc *doc, yyjson_mut_val *arguments, const struct adapter_entry *entry,
                       const struct adapter_request *request)
{
    size_t index, count;
    yyjson_val *key, *value;
    json_obj_foreach(request->launch_arguments, index, count, key, value) {
        yyjson_val *template = json_member(entry->launch, yyjson_get_str(key));
        if (!given_by_request(template, request))
            yyjson_mut_obj_put(arguments, json_new_string(doc, yyjson_get_str(key), yyjson_get_len(key)),
                               yyjson_val_mut_copy(doc, value));
    }
}

static yyjson_mut_doc *launch_arguments(const struct adapter_entry *entry, const struct adapter_request *request,
                                        const struct template_values *values)
{
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    if (doc == NULL)
        abort();
    yyjson_mut_val *arguments = template_fill(doc, entry->launch, values);
    if (request->launch_arguments != NULL)
        merge_over(doc, arguments, entry, request);
    yyjson_mut_doc_set_root(doc, arguments);
    return doc;
}

/* ---- the adapter's process ---- */

/* Where the launch arguments can only set variables, those to be removed are taken from the adapter, which hands its own on. */
static bool removes_in_adapter(const struct adapter_entry *entry)
{
    size_t index, count;
    yyjson_val *key, *value;
    yyjson_obj_foreach(entry->launch, index, count, key, value) {
        if (template_is(value, "env") || template_is(value, "env_all"))
            return false;
    }
    return true;
}

static char **adapter_env(const struct adapter_entry *entry, const struct adapter_request *request)
{
    struct string_list env = { 0 };
    size_t index, count;
    yyjson_val *item;
    for (char *const *variable = request->surroundings; variable != NULL && *variable != NULL; variable++)
        string_list_add(&env, *variable);
    yyjson_arr_foreach(json_array(entry->start, "env"), index, count, item)
        string_list_add(&env, yyjson_get_str(item));
    for (char *const *change = request->env; change != NULL && *change != NULL; change++) {
        if (strchr(*change, '=') == NULL && removes_in_adapter(entry))
            string_list_add(&env, *change);
    }
    return string_list_give(&env);
}

static struct adapter_command adapter_command(const struct adapter_entry *entry, const struct adapter_request *request,
                                              const struct template_values *values)
{
    struct string_list argv = { 0 };
    template_command(&argv, json_array(entry->start, "command"), values);
    struct adapter_command command = {
        .argv = string_list_give(&argv),
        .cwd = xstrdup(values->cwd),
        .env = adapter_env(entry, request),
        .transport = SESSION_STDIO,
    };
    if (strcmp(json_string(entry->start, "transport"), "tcp") == 0) {
        const char *host = json_string(entry->start, "host");
        command.transport = SESSION_TCP;
        command.host = xstrdup(host != NULL ? host : "127.0.0.1");
        command.port = (uint16_t)json_int_or(entry->start, "port", 0);
    }
    return command;
}

/* ---- the plan ---- */

static char **exception_filters(const struct adapter_entry *entry, const char *wanted)
{
    struct string_list filters = { 0 };
    size_t index, count;
    yyjson_val *item;
    yyjson_arr_foreach(json_array(entry->exceptions, wanted != NULL ? wanted : "uncaught"), index, count, item)
        string_list_add(&filters, yyjson_get_str(item));
    return string_list_give(&filters);
}

/* A launch configuration written for an editor carries `type`: the name under which the adapter knows itself. */
static const char *adapter_type(const struct adapter_entry *entry, const struct adapter_request *request)
{
    const char *type = json_string(request->launch_arguments, "type");
    return type != NULL && *type != '\0' ? type : entry->type;
}

static void warn(struct buffer *warnings, const struct program_file *file, const struct adapter_found *found, const char *program)
{
    if (found->warning != NULL)
        buffer_addf(warnings, "%s\n", found->warning);
    if (file->format == PROGRAM_ELF && !file->has_debug_info)
        buffer_addf(warnings, "no debug information in %s: line breakpoints will not bind; recompile with -g\n", program);
}

/* The names of quirks in a declaration; script/embed-json knows the same. */
static unsigned quirks(yyjson_val *list)
{
    static const struct {
        const char *name;
        enum adapter_quirk quirk;
    } known[] = {
        { "launch_last", QUIRK_LAUNCH_LAST },
        { "gdb_signals", QUIRK_GDB_SIGNALS },
        { "signal_as_exit_code", QUIRK_SIGNAL_AS_EXIT_CODE },
        { "talks_before_process", QUIRK_TALKS_BEFORE_PROCESS },
        { "loses_early_pause", QUIRK_LOSES_EARLY_PAUSE },
    };
    unsigned found = 0;
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        if (adapter_list_names(list, known[i].name))
            found |= (unsigned)known[i].quirk;
    }
    return found;
}

static struct launch_plan *make_plan(const struct adapter_entry *entry, const struct adapter_request *request,
                                     const struct adapter_found *found, const char *cwd)
{
    struct template_values values = {
        .adapter = found->path,
        .interpreter = found->interpreter,
        .python = found->python,
        .program = request->program,
        .cwd = cwd,
        .args = request->args,
        .env = request->env,
        .surroundings = request->surroundings,
        .stop_on_entry = request->stop_on_entry,
    };
    struct launch_plan *plan = xcalloc(1, sizeof *plan);
    *plan = (struct launch_plan){
        .adapter_id = xstrdup(entry->id),
        .adapter_type = xstrdup(adapter_type(entry, request)),
        .command = adapter_command(entry, request, &values),
        .arguments = launch_arguments(entry, request, &values),
        .quirks = quirks(entry->quirks),
        .exception_filters = exception_filters(entry, request->stop_on_exceptions),
        .program = xstrdup(request->program),
    };
    return plan;
}

int adapter_plan(const struct adapter_entry *entry, const struct adapter_request *request, struct launch_plan **ret_plan,
                 struct buffer *warnings, struct error *ret_error)
{
    if (check_launch_arguments(request->launch_arguments, ret_error) < 0 ||
        check_stop_on_exceptions(request->stop_on_exceptions, ret_error) < 0)
        return -1;
    AUTO_FREE char *cwd = working_folder(request, ret_error);
    AUTO_PROGRAM_FILE struct program_file file = { 0 };
    if (cwd == NULL || (request->program != NULL && program_file_read(request->program, &file, ret_error) < 0))
        return -1;
    AUTO_FREE char *place = request->program != NULL ? xstrdup(request->program) : path_join(cwd, "program");
    struct adapter_search search = {
        .program = place,
        .cwd = cwd,
        .shebang = file.interpreter_path,
        .python = json_string(request->launch_arguments, "python"),
    };
    AUTO_ADAPTER_FOUND struct adapter_found found = { 0 };
    if (adapter_discover(entry, &search, &found, ret_error) < 0)
        return -1;
    warn(warnings, &file, &found, request->program);
    *ret_plan = make_plan(entry, request, &found, cwd);
    return 0;
}
