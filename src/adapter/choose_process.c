#include "adapter/choose_process.h"

#include "adapter/choose.h"
#include "adapter/discover.h"
#include "adapter/entry.h"
#include "adapter/process.h"
#include "adapter/program_file.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <inttypes.h>
#include <string.h>

#define LONGEST_MESSAGE 8192

static const char *way_name(enum attach_way way)
{
    static const char *const names[] = { [ATTACH_BY_PID] = "pid", [ATTACH_BY_PORT] = "port", [ATTACH_CORE] = "core" };
    return names[way];
}

const char *adapter_entry_listen_hint(const struct adapter_entry *entry)
{
    const char *hint = json_string(entry->attach, "listen");
    return hint != NULL ? hint : "its documentation says how";
}

int adapter_entry_inspector_signal(const struct adapter_entry *entry)
{
    return (int)json_int_or(entry->attach, "inspector_signal", 0);
}

bool adapter_entry_is_program(const struct adapter_entry *entry, int64_t pid, uint16_t port)
{
    size_t index, count;
    yyjson_val *word;
    uint16_t usual = (uint16_t)json_int_or(entry->attach, "usual_port", 0);
    yyjson_arr_foreach(json_array(entry->attach, "told_port"), index, count, word) {
        if (process_told_port("/proc", pid, yyjson_get_str(word), port, usual))
            return true;
    }
    return false;
}

bool adapter_entry_attaches(const struct adapter_entry *entry, enum attach_way way)
{
    if (way == ATTACH_BY_PID && adapter_entry_inspector_signal(entry) != 0)
        return true;
    return json_object(entry->attach, way_name(way)) != NULL;
}

bool adapter_entry_traces(const struct adapter_entry *entry)
{
    return entry->formats != NULL || json_string(entry->attach, "helper") != NULL;
}

static const struct adapter_entry *find(const struct adapter_entry *const *entries, size_t count, const char *id)
{
    for (size_t i = 0; i < count; i++) {
        if (adapter_entry_is(entries[i], id))
            return entries[i];
    }
    return NULL;
}

/* The ids of those that can attach this way. Heap memory of the caller's. */
static char *list_ids(const struct adapter_entry *const *entries, size_t count, enum attach_way way)
{
    struct buffer ids;
    buffer_init(&ids, LONGEST_MESSAGE);
    for (size_t i = 0; i < count; i++) {
        if (adapter_entry_attaches(entries[i], way))
            (void)buffer_addf(&ids, "%s%s", ids.len > 0 ? ", " : "", entries[i]->id);
    }
    return buffer_take(&ids, NULL);
}

/* One that the call named. */
static int choose_wanted(const struct adapter_entry *const *entries, size_t count, const char *wanted, enum attach_way way,
                         struct adapter_choice *ret_choice, struct error *ret_error)
{
    const struct adapter_entry *entry = find(entries, count, wanted);
    AUTO_FREE char *ids = list_ids(entries, count, way);
    if (entry == NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "adapter: there is no adapter %s; those that attach this way are %s", wanted,
                         ids);
    if (way == ATTACH_BY_PID && !adapter_entry_attaches(entry, way) && adapter_entry_attaches(entry, ATTACH_BY_PORT))
        return error_set(
            ret_error, ERROR_ARGUMENT,
            "%s cannot attach to a process by its number: start the program so that it listens for a debugger (%s), and pass "
            "that port",
            entry->id, adapter_entry_listen_hint(entry));
    if (!adapter_entry_attaches(entry, way))
        return error_set(ret_error, ERROR_ARGUMENT, "%s cannot attach %s; those that can are %s", entry->id,
                         way == ATTACH_CORE     ? "to a core file"
                         : way == ATTACH_BY_PID ? "to a process by its number"
                                                : "by a port",
                         ids);
    *ret_choice = (struct adapter_choice){ entry, xstrdup("named by the call"), false };
    return 0;
}

/* The adapter whose programs this interpreter runs. */
static const struct adapter_entry *of_interpreter(const struct adapter_entry *const *entries, size_t count, const char *interpreter)
{
    for (size_t i = 0; i < count; i++) {
        if (adapter_list_names(entries[i]->interpreters, interpreter))
            return entries[i];
    }
    return NULL;
}

static int unknown_interpreter(const struct process *process, const char *interpreter, struct error *ret_error)
{
    return error_set(ret_error, ERROR_ARGUMENT,
                     "process %" PRId64
                     " is %s, and this version has no adapter for its scripts; pass adapter to debug the interpreter "
                     "itself (gdb, lldb-dap or codelldb)",
                     process->pid, interpreter);
}

/* The best of those that debug this executable and can attach this way. */
static int choose_native(const struct adapter_entry *const *entries, size_t count, const char *executable, enum attach_way way,
                         struct adapter_choice *ret_choice, struct error *ret_error)
{
    AUTO_FREE const struct adapter_entry **able = xcalloc(count + 1, sizeof *able);
    size_t used = 0;
    for (size_t i = 0; i < count; i++) {
        if (adapter_entry_attaches(entries[i], way))
            able[used++] = entries[i];
    }
    return adapter_choose_among(able, used, executable, NULL, ret_choice, ret_error);
}

int adapter_choose_for_process(const struct adapter_entry *const *entries, size_t count, const struct process *process,
                               const char *wanted, struct adapter_choice *ret_choice, struct error *ret_error)
{
    if (wanted != NULL)
        return choose_wanted(entries, count, wanted, ATTACH_BY_PID, ret_choice, ret_error);
    const char *interpreter = process_interpreter(process);
    if (interpreter != NULL) {
        const struct adapter_entry *entry = of_interpreter(entries, count, interpreter);
        if (entry == NULL)
            return unknown_interpreter(process, interpreter, ret_error);
        return choose_wanted(entries, count, entry->id, ATTACH_BY_PID, ret_choice, ret_error);
    }
    if (process->executable == NULL)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "process %" PRId64
                         " (%s): its executable cannot be read, so pass adapter: run Dapple as the user that the process "
                         "belongs to",
                         process->pid, process->name);
    /* Where the process sees another root, or its file was replaced, its own link still leads there. */
    AUTO_FREE char *link = xasprintf("/proc/%" PRId64 "/exe", process->pid);
    bool here = path_is_file(process->executable);
    return choose_native(entries, count, here ? process->executable : link, ATTACH_BY_PID, ret_choice, ret_error);
}

/* What a program that listens for debuggers is for. */
static const char *of_server(const char *name)
{
    static const struct {
        const char *name, *adapter;
    } servers[] = {
        { "dlv", "dlv" },
        { "gdbserver", "gdb" },
        { "lldb-server*", "lldb-dap" },
    };
    for (size_t i = 0; i < COUNT_OF(servers); i++) {
        if (adapter_name_matches(servers[i].name, name))
            return servers[i].adapter;
    }
    return NULL;
}

int adapter_choose_for_port(const struct adapter_entry *const *entries, size_t count, const struct process *process,
                            const char *wanted, struct adapter_choice *ret_choice, struct error *ret_error)
{
    if (wanted != NULL)
        return choose_wanted(entries, count, wanted, ATTACH_BY_PORT, ret_choice, ret_error);
    AUTO_FREE char *ids = list_ids(entries, count, ATTACH_BY_PORT);
    if (process == NULL)
        return error_set(
            ret_error, ERROR_ARGUMENT,
            "port: nothing is seen to listen on that port of this machine: start the program with its debugger listening first, or "
            "check the number; where it listens out of sight (another machine, a container), pass adapter, one of %s",
            ids);
    const char *interpreter = process_interpreter(process);
    const char *server = process->executable != NULL ? of_server(path_name(process->executable)) : NULL;
    const struct adapter_entry *entry = server != NULL        ? find(entries, count, server)
                                        : interpreter != NULL ? of_interpreter(entries, count, interpreter)
                                                              : NULL;
    if (entry != NULL && adapter_entry_attaches(entry, ATTACH_BY_PORT)) {
        *ret_choice = (struct adapter_choice){ entry, xasprintf("%s listens there", server != NULL ? server : interpreter), false };
        return 0;
    }
    AUTO_FREE char *command = process_command(process);
    return error_set(ret_error, ERROR_ARGUMENT,
                     "adapter: process %" PRId64
                     " listens on that port (%.200s), which does not tell what speaks there; pass one of %s",
                     process->pid, command, ids);
}

int adapter_choose_for_core(const struct adapter_entry *const *entries, size_t count, const char *program, const char *wanted,
                            struct adapter_choice *ret_choice, struct error *ret_error)
{
    if (wanted != NULL)
        return choose_wanted(entries, count, wanted, ATTACH_CORE, ret_choice, ret_error);
    return choose_native(entries, count, program, ATTACH_CORE, ret_choice, ret_error);
}
