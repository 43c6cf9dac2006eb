#include "io/supervisor.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "io/private_socket.h"
#include "io/process_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Pause between two rounds of SIGKILL: doubled each time up to the longest. */
#define SHORTEST_PAUSE_MS 1
#define LONGEST_PAUSE_MS 16

enum phase {
    PHASE_RUNNING,
    PHASE_GENTLE,  /* what holds a process that is not ours has time to let go of it */
    PHASE_GRACE,   /* the adapter has exited, the rest was asked to end */
    PHASE_HOLDING, /* stopped, until what it holds with the latch is gone */
    PHASE_KILLING, /* SIGKILL until nothing is left */
};

struct supervisor {
    int control; /* -1 once Dapple is gone */
    int latch;   /* -1: none */
    int held;    /* the adapter's connection; -1: none */
    int signals;
    struct buffer commands; /* from the control socket, up to the next line end */
    pid_t adapter;          /* 0 once reaped */
    enum phase phase;
    bool gentle;
    uint64_t deadline; /* end of the grace or of holding, or the next round of SIGKILL */
    uint64_t pause;
};

static uint64_t now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000 + (uint64_t)time.tv_nsec / 1000000;
}

__attribute__((format(printf, 2, 3))) static void report(const struct supervisor *supervisor, const char *format, ...)
{
    char line[128];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    /* Nobody listening any more is what the end of file will tell. */
    (void)!send(supervisor->control, line, (size_t)len, MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* ---- becoming the supervisor ---- */

/* Whatever Dapple's own parent left open must reach neither us nor the adapter. */
static void close_inherited(int control, int latch)
{
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        int fd = atoi(entry->d_name);
        if (fd > STDERR_FILENO && fd != control && fd != latch && fd != dirfd(folder))
            close(fd);
    }
    closedir(folder);
}

/* Signals from a terminal or a stray kill must not end the one who cleans up. Where SIGCHLD is inherited as ignored, children would
 * vanish without an exit status. */
static int take_signals(void)
{
    signal(SIGCHLD, SIG_DFL);
    sigset_t all, child;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, NULL);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    return signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

/* Reads the changes of the environment, byte by byte: what follows them is a command already. Returns -1 at end of file. */
static int apply_environment(int control)
{
    AUTO_BUFFER struct buffer entry;
    buffer_init(&entry, LIMIT_ENVIRONMENT_ENTRY);
    char byte;
    ssize_t got;
    while ((got = read(control, &byte, 1)) == 1 || (got < 0 && errno == EINTR)) {
        if (got < 0)
            continue;
        if (byte != '\0') {
            if (buffer_addc(&entry, byte) != 0)
                return -1;
            continue;
        }
        if (entry.len == 0)
            return 0;
        char *equals = strchr(entry.data, '=');
        if (equals) {
            *equals = '\0';
            setenv(entry.data, equals + 1, 1);
        } else {
            unsetenv(entry.data);
        }
        buffer_clear(&entry);
    }
    return -1;
}

/* ---- starting the adapter ---- */

struct failure {
    int code; /* errno */
    char step[12];
};

static _Noreturn void fail_in_child(int channel, const char *step)
{
    struct failure failure = { .code = errno };
    snprintf(failure.step, sizeof(failure.step), "%s", step);
    (void)!write(channel, &failure, sizeof(failure));
    _exit(127);
}

static void restore_signals(void)
{
    for (int number = 1; number < NSIG; number++)
        signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static _Noreturn void become_adapter(pid_t supervisor, int channel, const char *cwd, char **argv)
{
    setsid();
    if (isatty(STDIN_FILENO))
        ioctl(STDIN_FILENO, TIOCSCTTY, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != supervisor) /* it died before the line above */
        _exit(127);
    restore_signals();
    if (chdir(cwd) != 0)
        fail_in_child(channel, "folder");
    execvp(argv[0], argv);
    fail_in_child(channel, "execute");
}

/* Returns the adapter's pid once it executes its program, or -1. */
static pid_t start_adapter(const char *cwd, char **argv, struct failure *ret_failure)
{
    int channel[2];
    *ret_failure = (struct failure){ .step = "fork" };
    if (pipe2(channel, O_CLOEXEC) != 0) {
        ret_failure->code = errno;
        return -1;
    }
    pid_t self = getpid();
    pid_t pid = fork();
    if (pid == 0)
        become_adapter(self, channel[1], cwd, argv);
    if (pid < 0)
        ret_failure->code = errno;
    close(channel[1]);
    struct failure failure;
    if (pid > 0 && read(channel[0], &failure, sizeof(failure)) == (ssize_t)sizeof(failure)) {
        *ret_failure = failure;
        waitpid(pid, NULL, 0);
        pid = -1;
    }
    close(channel[0]);
    return pid;
}

/* The adapter's pipes must read end of file when the adapter closes them, so we may not hold them. */
static void drop_standard_streams(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (null >= 0)
            dup2(null, fd);
        else
            close(fd);
    if (null > STDERR_FILENO)
        close(null);
}

/* ---- watching over the tree ---- */

static void begin_rounds(struct supervisor *supervisor)
{
    supervisor->phase = PHASE_KILLING;
    supervisor->pause = SHORTEST_PAUSE_MS;
    supervisor->deadline = 0;
}

/* The reading end: what it reads the end of file from must be gone before the adapter is. */
static bool waits_for_latch(const struct supervisor *supervisor)
{
    return supervisor->adapter != 0 && supervisor->latch >= 0 && (fcntl(supervisor->latch, F_GETFL) & O_ACCMODE) == O_RDONLY;
}

/* A stopped adapter keeps its connection to a program elsewhere, and that stands still as long. */
static void start_holding(struct supervisor *supervisor)
{
    supervisor->phase = PHASE_HOLDING;
    supervisor->deadline = now_ms() + SUPERVISOR_LATCH_MS;
    process_tree_stop();
}

static void start_killing(struct supervisor *supervisor)
{
    if (supervisor->phase >= PHASE_HOLDING)
        return;
    if (waits_for_latch(supervisor))
        start_holding(supervisor);
    else
        begin_rounds(supervisor);
}

/* Dapple has died, and the adapter may have heard of it, too: its connection has ended. It stands before anything else is looked at, so that
 * it lets no program run on. The number is its own as long as it has not been waited for. */
static void stop_and_kill(struct supervisor *supervisor)
{
    if (supervisor->adapter > 0)
        kill(supervisor->adapter, SIGSTOP);
    start_killing(supervisor);
}

static void ask_to_end(void)
{
    process_tree_signal(SIGTERM);
    process_tree_signal(SIGCONT); /* a stopped process would not see SIGTERM */
}

static void start_grace(struct supervisor *supervisor)
{
    supervisor->phase = PHASE_GRACE;
    supervisor->deadline = now_ms() + SUPERVISOR_GRACE_MS;
    ask_to_end();
}

static void start_letting_go(struct supervisor *supervisor)
{
    supervisor->phase = PHASE_GENTLE;
    supervisor->deadline = now_ms() + SUPERVISOR_GENTLE_MS;
}

static void on_adapter_exit(struct supervisor *supervisor, int status)
{
    supervisor->adapter = 0;
    if (WIFSIGNALED(status))
        report(supervisor, "EXIT 0 %d\n", WTERMSIG(status));
    else
        report(supervisor, "EXIT %d 0\n", WEXITSTATUS(status));
    if (supervisor->phase != PHASE_RUNNING)
        return;
    if (supervisor->gentle)
        start_letting_go(supervisor);
    else
        start_grace(supervisor);
}

/* Reaps what has ended. Returns whether anything is left: as sub-reaper we are the parent of the last one in any case. */
static bool reap(struct supervisor *supervisor)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG | __WALL)) > 0)
        if (pid == supervisor->adapter)
            on_adapter_exit(supervisor, status);
    return pid == 0 || errno != ECHILD;
}

static void run_command(struct supervisor *supervisor, const char *line)
{
    if (strcmp(line, "TERM") == 0)
        ask_to_end();
    else if (strcmp(line, "KILL") == 0)
        start_killing(supervisor);
    else if (strcmp(line, "GENTLE") == 0)
        supervisor->gentle = true;
}

int supervisor_hold(int control, int connection)
{
    static char command[] = "HOLD\n";
    struct iovec bytes = { command, strlen(command) };
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } ancillary = { 0 };
    struct msghdr message = {
        .msg_iov = &bytes, .msg_iovlen = 1, .msg_control = &ancillary, .msg_controllen = sizeof(ancillary.space)
    };
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &connection, sizeof(connection));
    return sendmsg(control, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == (ssize_t)strlen(command) ? 0 : -1;
}

static void take_connection(struct supervisor *supervisor, struct msghdr *message)
{
    const struct cmsghdr *header = CMSG_FIRSTHDR(message);
    if (!header || header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS || header->cmsg_len != CMSG_LEN(sizeof(int)))
        return;
    if (supervisor->held >= 0)
        close(supervisor->held);
    memcpy(&supervisor->held, CMSG_DATA(header), sizeof(int));
}

static ssize_t receive(struct supervisor *supervisor, void *bytes, size_t size)
{
    union {
        struct cmsghdr header;
        char space[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec into = { bytes, size };
    struct msghdr message = { .msg_iov = &into, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control.space) };
    ssize_t got = recvmsg(supervisor->control, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got > 0)
        take_connection(supervisor, &message);
    return got;
}

static void read_control(struct supervisor *supervisor)
{
    char bytes[256];
    ssize_t got = receive(supervisor, bytes, sizeof(bytes));
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || buffer_append(&supervisor->commands, bytes, (size_t)got) != 0) {
        close(supervisor->control);
        supervisor->control = -1;
        if (!supervisor->gentle)
            stop_and_kill(supervisor);
        else if (supervisor->phase == PHASE_RUNNING)
            start_letting_go(supervisor);
        return;
    }
    char *end;
    while ((end = memchr(supervisor->commands.data, '\n', supervisor->commands.len)) != NULL) {
        *end = '\0';
        run_command(supervisor, supervisor->commands.data);
        buffer_consume(&supervisor->commands, (size_t)(end - supervisor->commands.data) + 1);
    }
}

/* What was killed does nothing any more, though it may be there still: a debugger that is held itself does not let it end. */
static void let_go_of_latch(struct supervisor *supervisor)
{
    if (supervisor->latch >= 0)
        close(supervisor->latch);
    supervisor->latch = -1;
}

static void kill_once(struct supervisor *supervisor)
{
    process_tree_kill();
    let_go_of_latch(supervisor);
    supervisor->deadline = now_ms() + supervisor->pause;
    supervisor->pause = supervisor->pause * 2 > LONGEST_PAUSE_MS ? LONGEST_PAUSE_MS : supervisor->pause * 2;
}

static void on_deadline(struct supervisor *supervisor)
{
    switch (supervisor->phase) {
    case PHASE_GENTLE:
        start_grace(supervisor);
        break;
    case PHASE_GRACE:
        start_killing(supervisor);
        break;
    case PHASE_HOLDING:
        begin_rounds(supervisor);
        break;
    case PHASE_KILLING:
        kill_once(supervisor);
        break;
    case PHASE_RUNNING:
        break;
    }
}

static void wait_for_something(struct supervisor *supervisor)
{
    struct pollfd sources[] = {
        { .fd = supervisor->control, .events = POLLIN },
        { .fd = supervisor->signals, .events = POLLIN },
        { .fd = supervisor->phase == PHASE_HOLDING ? supervisor->latch : -1 }, /* its end is all that is of interest */
    };
    int timeout = -1;
    if (supervisor->phase != PHASE_RUNNING) {
        uint64_t now = now_ms();
        timeout = supervisor->deadline > now ? (int)(supervisor->deadline - now) : 0;
    }
    if (poll(sources, COUNT_OF(sources), timeout) <= 0)
        return;
    if (sources[2].revents)
        begin_rounds(supervisor);
    if (sources[1].revents) {
        struct signalfd_siginfo info;
        (void)!read(supervisor->signals, &info, sizeof(info));
    }
    if (sources[0].revents)
        read_control(supervisor);
}

static void watch(struct supervisor *supervisor)
{
    while (reap(supervisor)) {
        if (supervisor->phase != PHASE_RUNNING && now_ms() >= supervisor->deadline)
            on_deadline(supervisor);
        wait_for_something(supervisor);
    }
    report(supervisor, "GONE\n");
}

/* `command`: the adapter's arguments. Returns the exit status. */
static int supervise(int control, int latch, const char *cwd, char **command)
{
    struct supervisor supervisor = { .control = control, .latch = latch, .held = -1 };
    close_inherited(supervisor.control, supervisor.latch);
    fcntl(supervisor.control, F_SETFD, FD_CLOEXEC);
    if (latch >= 0)
        fcntl(latch, F_SETFD, FD_CLOEXEC);
    prctl(PR_SET_NAME, "supervisor"); /* who ends Dapple by name (pkill, killall) leaves the one who cleans up after it */
    setsid();                         /* fails harmlessly when we lead one already */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    supervisor.signals = take_signals();
    if (supervisor.signals < 0 || apply_environment(supervisor.control) != 0)
        return 1;

    struct failure failure;
    supervisor.adapter = start_adapter(cwd, command, &failure);
    drop_standard_streams();
    if (supervisor.adapter < 0) {
        report(&supervisor, "FAILED %d %s\n", failure.code, failure.step);
        return 1;
    }
    (void)!chdir("/"); /* not to keep a file system busy */
    report(&supervisor, "STARTED %d\n", (int)supervisor.adapter);
    buffer_init(&supervisor.commands, LIMIT_SUPERVISOR_COMMANDS);
    watch(&supervisor);
    buffer_done(&supervisor.commands);
    return 0;
}

int supervisor_main(int argc, char **argv)
{
    enum { CONTROL = 2, FOLDER, SOCKET };
    int separator = argc > SOCKET && strcmp(argv[SOCKET], "--") == 0 ? SOCKET : SOCKET + 1;
    if (argc < separator + 2 || strcmp(argv[separator], "--") != 0)
        return 2;
    const char *comma = strchr(argv[CONTROL], ',');
    int status = supervise(atoi(argv[CONTROL]), comma ? atoi(comma + 1) : -1, argv[FOLDER], argv + separator + 1);
    private_socket_remove(separator > SOCKET ? argv[SOCKET] : NULL);
    return status;
}
