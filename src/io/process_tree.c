#include "io/process_tree.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* How long all of a tree are waited for to stand: 50 ms on a machine that is not busy. */
#define MOST_STOP_ROUNDS 200
#define STOP_PAUSE_NS 200000

void pid_list_done(struct pid_list *list)
{
    free(list->items);
    *list = (struct pid_list){ 0 };
}

static void pid_list_add(struct pid_list *list, pid_t pid)
{
    list->items = xgrow(list->items, &list->cap, list->count + 1, sizeof(*list->items));
    list->items[list->count++] = pid;
}

/* What a file PID/stat or TID/stat says; 0 when there is no such process. */
static pid_t read_stat(const char *path, char *ret_state)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    char text[512];
    ssize_t len = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (len <= 0)
        return 0;
    text[len] = '\0';
    /* "PID (NAME) STATE PARENT …": the name may hold anything, also ") R 1", so look for the last parenthesis. */
    const char *end = strrchr(text, ')');
    int parent;
    if (!end || sscanf(end + 1, " %c %d", ret_state, &parent) != 2)
        return 0;
    return parent;
}

pid_t process_parent(pid_t pid)
{
    char path[64], state;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
    return read_stat(path, &state);
}

static void add_children_of_thread(const char *path, struct pid_list *list)
{
    FILE *file = fopen(path, "re");
    if (!file)
        return;
    int child;
    while (fscanf(file, "%d", &child) == 1)
        pid_list_add(list, child);
    fclose(file);
}

/* The next entry of a folder in /proc whose name is a number; 0 at the end. */
static pid_t next_number(DIR *folder)
{
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        char *end;
        long number = strtol(entry->d_name, &end, 10);
        if (*end == '\0' && number > 0)
            return (pid_t)number;
    }
    return 0;
}

void process_children_by_scan(pid_t pid, struct pid_list *list)
{
    DIR *folder = opendir("/proc");
    if (!folder)
        return;
    pid_t candidate;
    while ((candidate = next_number(folder)) != 0)
        if (process_parent(candidate) == pid)
            pid_list_add(list, candidate);
    closedir(folder);
}

void process_children(pid_t pid, struct pid_list *list)
{
    if (access("/proc/thread-self/children", R_OK) != 0) {
        process_children_by_scan(pid, list);
        return;
    }
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    if (!folder)
        return;
    pid_t thread;
    while ((thread = next_number(folder)) != 0) {
        snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)thread);
        add_children_of_thread(path, list);
    }
    closedir(folder);
}

/* Whether no thread of a process does anything more until it is told to: those that stand, and those that have ended. One that the kernel
 * has in its hands (D) hears of no signal before it is done; what it is about is as good as never a fork. */
static bool process_stands(pid_t pid)
{
    char path[64], state;
    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    if (!folder)
        return true;
    bool stands = true;
    pid_t thread;
    while (stands && (thread = next_number(folder)) != 0) {
        snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", (int)pid, (int)thread);
        stands = read_stat(path, &state) == 0 || (state != 'R' && state != 'S');
    }
    closedir(folder);
    return stands;
}

/* The way from the calling process down to the one at hand. */
struct node {
    pid_t pid;
    int pidfd; /* -1 for the calling process */
    const struct node *parent;
};

static bool alive(const struct node *node)
{
    struct pollfd ended = { .fd = node->pidfd, .events = POLLIN };
    return node->pidfd < 0 || poll(&ended, 1, 0) == 0;
}

/* Whether the process behind node->pidfd hangs below us. Asked after the pidfd was opened: if that process has ended and its number
 * serves another, the answer is about the other, but then a signal through the pidfd reaches nobody. The parent is looked for all the
 * way up, because the ones between may have just died. */
static bool is_below_us(const struct node *node)
{
    pid_t parent = process_parent(node->pid);
    if (parent == 0 || !alive(node))
        return false;
    for (const struct node *above = node->parent; above; above = above->parent)
        if (above->pid == parent)
            return alive(above);
    return false;
}

/* One signal to all. */
struct sweep {
    int signal;
    size_t reached;
    bool moving; /* of those reached, one did not stand when it was looked at, so that what it forks may have been missed */
};

static void signal_children(struct sweep *sweep, const struct node *node, const struct pid_list *children);

static bool send_to(struct sweep *sweep, const struct node *node)
{
    if (syscall(SYS_pidfd_send_signal, node->pidfd, sweep->signal, NULL, 0) != 0)
        return false;
    sweep->reached++;
    return true;
}

/* The children are listed before their parent hears the signal: of one that died of it there would be nothing to read. */
static void signal_node(struct sweep *sweep, const struct node *node)
{
    struct pid_list children = { 0 };
    bool stands = process_stands(node->pid);
    process_children(node->pid, &children);
    bool children_first = sweep->signal == SIGKILL;
    if (is_below_us(node) && (children_first || send_to(sweep, node))) {
        sweep->moving |= !stands;
        signal_children(sweep, node, &children);
        if (children_first)
            send_to(sweep, node);
    }
    pid_list_done(&children);
}

static void signal_children(struct sweep *sweep, const struct node *node, const struct pid_list *children)
{
    for (size_t i = 0; i < children->count; i++) {
        pid_t pid = children->items[i];
        struct node child = { pid, (int)syscall(SYS_pidfd_open, pid, 0), node };
        if (child.pidfd >= 0) {
            signal_node(sweep, &child);
            close(child.pidfd);
        } else if ((errno == ENOSYS || errno == EPERM) && node->parent == NULL && kill(pid, sweep->signal) == 0) {
            sweep->reached++;
        }
    }
}

static struct sweep sweep_tree(int signal)
{
    const struct node self = { getpid(), -1, NULL };
    struct sweep sweep = { .signal = signal };
    struct pid_list children = { 0 };
    process_children(self.pid, &children);
    signal_children(&sweep, &self, &children);
    pid_list_done(&children);
    return sweep;
}

size_t process_tree_signal(int signal)
{
    return sweep_tree(signal).reached;
}

void process_tree_stop(void)
{
    for (int round = 0; sweep_tree(SIGSTOP).moving && round < MOST_STOP_ROUNDS; round++)
        nanosleep(&(struct timespec){ .tv_nsec = STOP_PAUSE_NS }, NULL);
}

size_t process_tree_kill(void)
{
    process_tree_stop();
    return process_tree_signal(SIGKILL);
}
