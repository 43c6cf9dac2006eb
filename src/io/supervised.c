#include "io/supervised.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/path.h"
#include "io/argument_list.h"
#include "io/loop.h"
#include "io/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Where the supervisor finds its control socket, and its latch. */
#define CONTROL_DESCRIPTOR 3
#define LATCH_DESCRIPTOR 4

struct supervised {
    const struct supervised_events *events;
    void *user;
    pid_t pid; /* of the supervisor */
    int descriptor;
    uv_poll_t control;
    struct buffer reports;
    char *program; /* for messages */
    char *cwd;
    bool freed, closed, gentle;
    bool has_exit;
    int code, signal;
};

/* ---- starting ---- */

/* The strings stay the command's; only the array is the caller's. */
static char **supervisor_arguments(const struct supervised_command *command)
{
    static char name[] = "dapple", role[] = SUPERVISOR_ROLE, control[] = "3", both[] = "3,4", here[] = ".", separator[] = "--";
    char *const head[] = { name, role, command->latch >= 0 ? both : control, command->cwd ? (char *)command->cwd : here };
    size_t count = argument_list_count(command->argv), used = COUNT_OF(head);
    char **argv = xcalloc(used + 2 + count + 1, sizeof(*argv));
    memcpy(argv, head, sizeof(head));
    if (command->socket)
        argv[used++] = (char *)command->socket;
    argv[used++] = separator;
    memcpy(argv + used, command->argv, count * sizeof(*argv));
    return argv;
}

static int spawn_supervisor(const char *executable, const struct supervised_command *command, int control, pid_t *ret_pid)
{
    AUTO_FREE char **argv = supervisor_arguments(command);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, command->in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, command->out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files, command->err, STDERR_FILENO);
    posix_spawn_file_actions_adddup2(&files, control, CONTROL_DESCRIPTOR);
    /* Moved out of the way of the line above. */
    int latch = command->latch >= 0 ? fcntl(command->latch, F_DUPFD_CLOEXEC, LATCH_DESCRIPTOR + 1) : -1;
    if (latch >= 0)
        posix_spawn_file_actions_adddup2(&files, latch, LATCH_DESCRIPTOR);

    /* All signals blocked from birth: there is no moment in which a stray one ends the supervisor before the adapter. */
    posix_spawnattr_t attributes;
    sigset_t all;
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &all);
    posix_spawnattr_setsigdefault(&attributes, &all);

    int failed = posix_spawn(ret_pid, executable, &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (latch >= 0)
        close(latch);
    return failed;
}

static int send_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t sent = send(fd, bytes, len, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return -1;
        bytes += sent;
        len -= (size_t)sent;
    }
    return 0;
}

/* Blocks while the socket is full, which lasts as long as the supervisor needs to start: it reads nothing else first. */
static void send_environment(int control, char *const *env)
{
    for (; env && *env; env++)
        if (**env != '\0' && send_all(control, *env, strlen(*env) + 1) != 0)
            return; /* the supervisor is dead; its end is seen by the loop */
    send_all(control, "", 1);
}

static int check_environment(char *const *env, struct error *ret_error)
{
    for (; env && *env; env++)
        if (strlen(*env) > LIMIT_ENVIRONMENT_ENTRY)
            return error_set(ret_error, ERROR_LIMIT, "the environment variable %.*s is longer than %u bytes",
                             (int)strcspn(*env, "="), *env, LIMIT_ENVIRONMENT_ENTRY);
    return 0;
}

/* ---- reports ---- */

static const char *failed_step(const char *step, const struct supervised *supervised, const char **ret_object)
{
    bool folder = strcmp(step, "folder") == 0;
    *ret_object = folder ? supervised->cwd : supervised->program;
    return folder ? "cannot enter the folder" : strcmp(step, "execute") == 0 ? "cannot execute" : "cannot start a process for";
}

static void report_failure(struct supervised *supervised, int number, const char *step)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    const char *object;
    const char *what = failed_step(step, supervised, &object);
    bool no_interpreter = number == ENOENT && strcmp(step, "execute") == 0 && path_exists(supervised->program);
    error_set(&error, ERROR_SPAWN, "%s %s: %s%s", what, object, strerror(number),
              no_interpreter ? " (the file is there, so the interpreter that it names is missing)" : "");
    supervised->events->on_failed(supervised->user, &error);
}

/* Memory goes when both the owner and the loop have let go. */
static void release(struct supervised *supervised)
{
    if (!supervised->freed || !supervised->closed)
        return;
    buffer_done(&supervised->reports);
    free(supervised->program);
    free(supervised->cwd);
    free(supervised);
}

static void on_closed(uv_handle_t *handle)
{
    struct supervised *supervised = handle->data;
    supervised->closed = true;
    release(supervised);
}

/* `ended`: the supervisor has closed its end of the socket. That is the last thing it does, so waiting for it takes no time. */
static void let_go(struct supervised *supervised, bool ended)
{
    uv_close((uv_handle_t *)&supervised->control, on_closed);
    close(supervised->descriptor);
    supervised->descriptor = -1;
    while (waitpid(supervised->pid, NULL, ended ? 0 : WNOHANG) < 0 && errno == EINTR)
        continue;
}

/* The supervisor is gone, and with it the tree. One that was killed took the adapter along with SIGKILL. */
static void on_supervisor_end(struct supervised *supervised)
{
    let_go(supervised, true);
    int number;
    char step[12];
    if (sscanf(supervised->reports.data, "FAILED %d %11s", &number, step) == 2) {
        report_failure(supervised, number, step);
        return;
    }
    if (!supervised->has_exit)
        supervised->signal = SIGKILL;
    supervised->events->on_gone(supervised->user, supervised->code, supervised->signal);
}

/* FAILED and GONE stay unread: what they mean is done when the supervisor has ended. */
static void take_reports(struct supervised *supervised)
{
    char *end;
    while (!supervised->freed && (end = strchr(supervised->reports.data, '\n')) != NULL) {
        *end = '\0';
        const char *line = supervised->reports.data;
        log_debug("supervisor %d: %s", (int)supervised->pid, line);
        int pid = 0;
        bool started = sscanf(line, "STARTED %d", &pid) == 1;
        if (sscanf(line, "EXIT %d %d", &supervised->code, &supervised->signal) == 2)
            supervised->has_exit = true;
        else if (!started)
            return;
        buffer_consume(&supervised->reports, (size_t)(end - line) + 1);
        if (started)
            supervised->events->on_started(supervised->user, (pid_t)pid);
    }
}

/* True while there may be more. */
static bool read_reports(struct supervised *supervised)
{
    char bytes[512];
    ssize_t got = recv(supervised->descriptor, bytes, sizeof(bytes), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return errno == EINTR;
    if (got > 0 && buffer_append(&supervised->reports, bytes, (size_t)got) == 0) {
        take_reports(supervised);
        return !supervised->freed;
    }
    on_supervisor_end(supervised);
    return false;
}

/* A supervisor that ends with a command of ours unread makes an error of the end of its stream. The loop then watches no more (`status`
 * says so), so everything up to the end is read at once: it would never be heard of. */
static void on_readable(uv_poll_t *handle, int status, int events)
{
    (void)events;
    struct supervised *supervised = handle->data;
    bool more = read_reports(supervised);
    while (more && status < 0)
        more = read_reports(supervised);
}

/* ---- the interface ---- */

struct supervised *supervised_start(struct loop *loop, const char *executable, const struct supervised_command *command,
                                    const struct supervised_events *events, void *user, struct error *ret_error)
{
    if (check_environment(command->env, ret_error) != 0)
        return NULL;
    int sockets[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets) != 0) {
        error_set(ret_error, ERROR_SPAWN, "cannot make a socket for the supervisor: %s", strerror(errno));
        return NULL;
    }
    pid_t pid;
    int failed = spawn_supervisor(executable, command, sockets[1], &pid);
    close(sockets[1]);
    if (failed) {
        close(sockets[0]);
        error_set(ret_error, ERROR_SPAWN, "cannot start the supervisor %s: %s", executable, strerror(failed));
        return NULL;
    }
    send_environment(sockets[0], command->env);
    if (command->gentle)
        send_all(sockets[0], "GENTLE\n", strlen("GENTLE\n"));

    struct supervised *supervised = xcalloc(1, sizeof(*supervised));
    supervised->events = events;
    supervised->user = user;
    supervised->pid = pid;
    supervised->descriptor = sockets[0];
    supervised->program = xstrdup(command->argv[0]);
    supervised->cwd = xstrdup(command->cwd ? command->cwd : ".");
    supervised->gentle = command->gentle;
    buffer_init(&supervised->reports, LIMIT_SUPERVISOR_REPORTS);
    uv_poll_init(&loop->uv, &supervised->control, sockets[0]);
    supervised->control.data = supervised;
    uv_poll_start(&supervised->control, UV_READABLE | UV_DISCONNECT, on_readable);
    return supervised;
}

static void tell(const struct supervised *supervised, const char *command)
{
    if (supervised->descriptor >= 0)
        (void)!send(supervised->descriptor, command, strlen(command), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void supervised_free(struct supervised *supervised)
{
    if (!supervised)
        return;
    if (supervised->descriptor >= 0 && supervised->gentle) {
        let_go(supervised, false); /* the end of the socket is what it takes for our end */
    } else if (supervised->descriptor >= 0) {
        supervised_kill(supervised);
        struct pollfd hang_up = { .fd = supervised->descriptor };
        let_go(supervised, poll(&hang_up, 1, SUPERVISED_FREE_MS) > 0);
    }
    supervised->freed = true;
    release(supervised);
}

void supervised_terminate(struct supervised *supervised)
{
    tell(supervised, "TERM\n");
}

void supervised_kill(struct supervised *supervised)
{
    tell(supervised, "KILL\n");
}

void supervised_hold(struct supervised *supervised, int connection)
{
    if (supervised->descriptor >= 0)
        (void)supervisor_hold(supervised->descriptor, connection);
}

int supervised_descriptor(const struct supervised *supervised)
{
    return supervised->descriptor;
}
