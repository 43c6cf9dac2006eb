#include "adapter/process.h"

#include "adapter/entry.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST_FILE (64u * 1024)
#define LISTENING 0x0A /* a socket's state in /proc/net/tcp */
#define CAP_SYS_PTRACE 19
#define KERNEL_THREADS_PARENT 2

/* ---- files ---- */

/* All of a small file; NULL: it cannot be read. Heap memory of the caller's. */
static char *read_file(const char *path, size_t *ret_len)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    struct buffer text;
    buffer_init(&text, LONGEST_FILE);
    char bytes[4096];
    ssize_t got;
    while ((got = read(fd, bytes, sizeof(bytes))) > 0 && buffer_append(&text, bytes, (size_t)got) == 0)
        continue;
    close(fd);
    return buffer_take(&text, ret_len);
}

static char *read_of(const char *proc, int64_t pid, const char *name, size_t *ret_len)
{
    AUTO_FREE char *path = xasprintf("%s/%" PRId64 "/%s", proc, pid, name);
    return read_file(path, ret_len);
}

/* The number behind "Name:" in a status file; `fallback` when there is none. */
static int64_t status_number(const char *status, const char *name, int64_t fallback)
{
    AUTO_FREE char *label = xasprintf("\n%s:", name);
    const char *at = status != NULL ? strstr(status, label) : NULL;
    long long number;
    return at != NULL && sscanf(at + strlen(label), "%lld", &number) == 1 ? number : fallback;
}

/* ---- one process ---- */

/* "PID (NAME) STATE PARENT …": the name may hold anything, so the last parenthesis counts. */
static int read_stat(const char *proc, struct process *process)
{
    AUTO_FREE char *stat = read_of(proc, process->pid, "stat", NULL);
    const char *begin = stat != NULL ? strchr(stat, '(') : NULL;
    const char *end = stat != NULL ? strrchr(stat, ')') : NULL;
    long long parent;
    unsigned long long started;
    if (begin == NULL || end == NULL ||
        sscanf(end + 1, " %c %lld %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu", &process->state,
               &parent, &started) != 3)
        return -1;
    process->name = xstrndup(begin + 1, (size_t)(end - begin) - 1);
    process->parent = parent;
    process->started = started;
    return 0;
}

static char **read_arguments(const char *proc, int64_t pid)
{
    size_t len = 0;
    AUTO_FREE char *line = read_of(proc, pid, "cmdline", &len);
    size_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += line[i] == '\0';
    char **arguments = xcalloc(count + 2, sizeof(*arguments));
    size_t used = 0;
    for (size_t at = 0; at < len; at += strlen(line + at) + 1)
        arguments[used++] = xstrdup(line + at);
    return arguments;
}

static char *read_executable(const char *proc, int64_t pid)
{
    static const char deleted[] = " (deleted)";
    AUTO_FREE char *path = xasprintf("%s/%" PRId64 "/exe", proc, pid);
    char target[PATH_MAX];
    ssize_t len = readlink(path, target, sizeof(target) - 1);
    if (len <= 0)
        return NULL;
    target[len] = '\0';
    size_t tail = sizeof(deleted) - 1;
    if ((size_t)len > tail && strcmp(target + len - tail, deleted) == 0)
        target[(size_t)len - tail] = '\0';
    return xstrdup(target);
}

int process_read(const char *proc, int64_t pid, struct process *ret)
{
    struct process process = { .pid = pid };
    if (pid <= 0 || read_stat(proc, &process) < 0)
        return -1;
    AUTO_FREE char *status = read_of(proc, pid, "status", NULL);
    process.tracer = status_number(status, "TracerPid", 0);
    if (process.state == 'Z' && status_number(status, "Threads", 1) > 1)
        process.state = 'S'; /* its main thread has left, and others go on */
    long long effective = 0;
    const char *uids = status != NULL ? strstr(status, "\nUid:") : NULL;
    if (uids != NULL && sscanf(uids, "\nUid: %*s %lld", &effective) == 1)
        process.uid = (uid_t)effective;
    process.arguments = read_arguments(proc, pid);
    process.executable = read_executable(proc, pid);
    *ret = process;
    return 0;
}

void process_done(struct process *process)
{
    free(process->name);
    free(process->executable);
    for (size_t i = 0; process->arguments != NULL && process->arguments[i] != NULL; i++)
        free(process->arguments[i]);
    free(process->arguments);
    *process = (struct process){ 0 };
}

void processes_free(struct process *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        process_done(&list[i]);
    free(list);
}

bool process_is_kernel_thread(const struct process *process)
{
    bool bare = process->executable == NULL && process->arguments[0] == NULL && process->state != 'Z';
    return bare && (process->pid == KERNEL_THREADS_PARENT || process->parent == KERNEL_THREADS_PARENT);
}

char *process_command(const struct process *process)
{
    struct buffer text;
    buffer_init(&text, LONGEST_FILE);
    for (size_t i = 0; process->arguments[i] != NULL; i++)
        (void)buffer_addf(&text, "%s%s", i > 0 ? " " : "", process->arguments[i]);
    if (text.len == 0)
        (void)buffer_addf(&text, "[%s]", process->name);
    return buffer_take(&text, NULL);
}

const char *process_interpreter(const struct process *process)
{
    static const char *const known[] = { "python", "python3*", "pypy", "pypy3*", "node*", "nodejs",
                                         "ruby*",  "perl*",    "php*", "bash",   "sh" };
    const char *name = process->executable != NULL ? path_name(process->executable) : "";
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        if (adapter_name_matches(known[i], name))
            return name;
    }
    return NULL;
}

/* ---- by name ---- */

/* What an interpreter runs: the first word that is no option. */
static const char *script_of(const struct process *process)
{
    if (process_interpreter(process) == NULL || process->arguments[0] == NULL)
        return NULL;
    for (char **argument = process->arguments + 1; *argument != NULL; argument++) {
        if ((*argument)[0] != '-')
            return *argument;
    }
    return NULL;
}

/* The script's path, seen from where the process is. Heap memory of the caller's. */
static char *absolute_script(const char *proc, const struct process *process, const char *script)
{
    AUTO_FREE char *link = xasprintf("%s/%" PRId64 "/cwd", proc, process->pid);
    char cwd[PATH_MAX];
    ssize_t len = readlink(link, cwd, sizeof(cwd) - 1);
    if (len <= 0)
        return xstrdup(script);
    cwd[len] = '\0';
    return path_absolute(script, cwd);
}

static bool has_path(const char *proc, const struct process *process, const char *path)
{
    const char *script = script_of(process);
    AUTO_FREE char *real = realpath(path, NULL);
    AUTO_FREE char *full = script != NULL ? absolute_script(proc, process, script) : NULL;
    const char *wanted = real != NULL ? real : path;
    if (process->executable != NULL && (strcmp(process->executable, wanted) == 0 || strcmp(process->executable, path) == 0))
        return true;
    return full != NULL && (strcmp(full, path) == 0 || path_same_file(full, path));
}

static bool has_name(const char *proc, const struct process *process, const char *name)
{
    if (strchr(name, '/') != NULL)
        return has_path(proc, process, name);
    const char *script = script_of(process);
    if (process->executable != NULL && strcmp(path_name(process->executable), name) == 0)
        return true;
    return strcmp(process->name, name) == 0 || (script != NULL && strcmp(path_name(script), name) == 0);
}

static int newest_first(const void *a, const void *b)
{
    const struct process *one = a, *other = b;
    if (one->started != other->started)
        return one->started < other->started ? 1 : -1;
    return one->pid < other->pid ? 1 : -1;
}

/* The next number among the entries of a folder; 0 at its end. */
static int64_t next_number(DIR *folder)
{
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char *end;
        long long number = strtoll(entry->d_name, &end, 10);
        if (*end == '\0' && number > 0)
            return number;
    }
    return 0;
}

size_t process_find(const char *proc, const char *name, struct process **ret)
{
    struct process *list = NULL;
    size_t count = 0, cap = 0;
    DIR *folder = opendir(proc);
    int64_t pid;
    while (folder != NULL && (pid = next_number(folder)) != 0) {
        struct process process;
        if (pid == getpid() || process_read(proc, pid, &process) < 0)
            continue;
        bool serves = process.state != 'Z' && process.state != 'X' && !process_is_kernel_thread(&process);
        if (!serves || !has_name(proc, &process, name)) {
            process_done(&process);
            continue;
        }
        list = xgrow(list, &cap, count + 1, sizeof(*list));
        list[count++] = process;
    }
    if (folder != NULL)
        closedir(folder);
    if (count > 1)
        qsort(list, count, sizeof(*list), newest_first);
    *ret = list;
    return count;
}

/* ---- by port ---- */

/* The inode of the socket that listens on the port; 0: none. */
static unsigned long listening_inode(const char *proc, const char *table, uint16_t wanted)
{
    AUTO_FREE char *path = xasprintf("%s/net/%s", proc, table);
    FILE *file = fopen(path, "re");
    char line[512];
    unsigned long found = 0;
    while (file != NULL && found == 0 && fgets(line, sizeof(line), file) != NULL) {
        unsigned port, state;
        unsigned long inode;
        if (sscanf(line, " %*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x %*s %*s %*s %*s %*s %lu", &port, &state, &inode) == 3 &&
            state == LISTENING && port == wanted)
            found = inode;
    }
    if (file != NULL)
        fclose(file);
    return found;
}

static bool has_socket(const char *proc, int64_t pid, const char *socket)
{
    AUTO_FREE char *path = xasprintf("%s/%" PRId64 "/fd", proc, pid);
    DIR *folder = opendir(path);
    bool found = false;
    const struct dirent *entry;
    while (folder != NULL && !found && (entry = readdir(folder)) != NULL) {
        char target[64];
        ssize_t len = readlinkat(dirfd(folder), entry->d_name, target, sizeof(target) - 1);
        target[len > 0 ? len : 0] = '\0';
        found = strcmp(target, socket) == 0;
    }
    if (folder != NULL)
        closedir(folder);
    return found;
}

int64_t process_listening(const char *proc, uint16_t port)
{
    unsigned long four = listening_inode(proc, "tcp", port);
    unsigned long six = four == 0 ? listening_inode(proc, "tcp6", port) : 0;
    if (four == 0 && six == 0)
        return 0;
    AUTO_FREE char *socket = xasprintf("socket:[%lu]", four != 0 ? four : six);
    DIR *folder = opendir(proc);
    int64_t pid = 0;
    while (folder != NULL && (pid = next_number(folder)) != 0) {
        if (has_socket(proc, pid, socket))
            break;
    }
    if (folder != NULL)
        closedir(folder);
    return pid;
}

int64_t process_traced_by(const char *proc, int64_t tracer)
{
    DIR *folder = opendir(proc);
    int64_t pid, found = 0;
    size_t count = 0;
    while (folder != NULL && (pid = next_number(folder)) != 0) {
        AUTO_FREE char *status = read_of(proc, pid, "status", NULL);
        if (status_number(status, "TracerPid", 0) != tracer)
            continue;
        found = pid;
        count++;
    }
    if (folder != NULL)
        closedir(folder);
    return count == 1 ? found : 0;
}

static bool names_port(const char *text, const char *word, uint16_t port, uint16_t usual)
{
    size_t len = strlen(word);
    if (strncmp(text, word, len) != 0)
        return false;
    if (text[len] != '=')
        return text[len] == '\0' && usual != 0 && port == usual;
    const char *colon = strrchr(text + len, ':');
    char *end;
    unsigned long number = strtoul(colon != NULL ? colon + 1 : text + len + 1, &end, 10);
    return *end == '\0' && number == port;
}

bool process_told_port(const char *proc, int64_t pid, const char *word, uint16_t port, uint16_t usual)
{
    static const char *const files[] = { "cmdline", "environ" };
    bool told = false;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        size_t len = 0;
        AUTO_FREE char *words = read_of(proc, pid, files[i], &len);
        for (size_t at = 0; at < len && !told; at += strlen(words + at) + 1)
            told = names_port(words + at, word, port, usual);
    }
    return told;
}

static ssize_t read_namespace(const char *proc, const char *who, char *ret, size_t size)
{
    AUTO_FREE char *path = xasprintf("%s/%s/ns/pid", proc, who);
    return readlink(path, ret, size);
}

bool process_shares_numbers(const char *proc, int64_t pid)
{
    char ours[64], its[64];
    AUTO_FREE char *who = xasprintf("%" PRId64, pid);
    ssize_t len = read_namespace(proc, "self", ours, sizeof(ours));
    return len > 0 && read_namespace(proc, who, its, sizeof(its)) == len && memcmp(ours, its, (size_t)len) == 0;
}

/* ---- may it be traced? ---- */

static bool we_may_trace_all(const char *status)
{
    const char *at = status != NULL ? strstr(status, "\nCapEff:") : NULL;
    unsigned long long capabilities;
    return at != NULL && sscanf(at, "\nCapEff: %llx", &capabilities) == 1 && (capabilities >> CAP_SYS_PTRACE & 1) != 0;
}

static int check_state(const char *proc, const struct process *process, struct error *ret_error)
{
    if (process->state == 'Z' || process->state == 'X')
        return error_set(ret_error, ERROR_ARGUMENT,
                         "process %" PRId64 " (%s) has ended already: it is a zombie until its parent, %" PRId64 ", takes notice",
                         process->pid, process->name, process->parent);
    if (process_is_kernel_thread(process))
        return error_set(ret_error, ERROR_ARGUMENT,
                         "process %" PRId64 " (%s) is a thread of the kernel, which no debugger can attach to", process->pid,
                         process->name);
    if (process->tracer == 0)
        return 0;
    AUTO_PROCESS struct process tracer = { 0 };
    AUTO_FREE char *command = process_read(proc, process->tracer, &tracer) == 0 ? process_command(&tracer) : NULL;
    return error_set(ret_error, ERROR_ARGUMENT,
                     "process %" PRId64 " (%s) is traced already, by process %" PRId64
                     " (%.200s), and only one debugger can at a time: end "
                     "that one first",
                     process->pid, process->name, process->tracer, command != NULL ? command : "not visible from here");
}

static int64_t yama_scope(const char *proc)
{
    AUTO_FREE char *path = xasprintf("%s/sys/kernel/yama/ptrace_scope", proc);
    AUTO_FREE char *text = read_file(path, NULL);
    return text != NULL ? strtoll(text, NULL, 10) : 0;
}

static int check_yama(const struct process *process, int64_t scope, bool capable, struct error *ret_error)
{
    if (scope >= 3)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "this system lets nobody attach to a process (kernel.yama.ptrace_scope is %" PRId64
                         ", which lasts until the next boot): start the program with dap_launch instead",
                         scope);
    if (capable || scope <= 0)
        return 0;
    if (scope == 2)
        return error_set(
            ret_error, ERROR_ARGUMENT,
            "this system lets only processes with CAP_SYS_PTRACE attach (kernel.yama.ptrace_scope is 2): run Dapple as root, or "
            "allow it with: sudo sysctl kernel.yama.ptrace_scope=0, or start the program with dap_launch");
    return error_set(
        ret_error, ERROR_ARGUMENT,
        "this system lets a debugger attach only to processes that it started itself (kernel.yama.ptrace_scope is 1), and process "
        "%" PRId64 " (%s) is none: allow it with: sudo sysctl kernel.yama.ptrace_scope=0, or start the program with dap_launch",
        process->pid, process->name);
}

int process_check_traceable(const char *proc, const struct process *process, struct error *ret_error)
{
    if (check_state(proc, process, ret_error) < 0)
        return -1;
    AUTO_FREE char *path = xasprintf("%s/self/status", proc);
    AUTO_FREE char *status = read_file(path, NULL);
    bool capable = we_may_trace_all(status);
    long long ours = (long long)geteuid();
    const char *uids = status != NULL ? strstr(status, "\nUid:") : NULL;
    if (uids != NULL)
        (void)sscanf(uids, "\nUid: %*s %lld", &ours);
    if (!capable && (uid_t)ours != process->uid)
        return error_set(
            ret_error, ERROR_ARGUMENT,
            "process %" PRId64 " (%s) belongs to another user (uid %lld, and we are uid %lld), and we have no CAP_SYS_PTRACE%s",
            process->pid, process->name, (long long)process->uid, ours,
            ours == 0 ? ": give it to the container (docker run --cap-add=SYS_PTRACE)" : ": run Dapple as that user, or as root");
    return check_yama(process, yama_scope(proc), capable, ret_error);
}
