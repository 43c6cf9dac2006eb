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
#include <unistd.h>

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

pid_t process_parent(pid_t pid, bool *ret_ended)
{
    char path[64];
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
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
    char state;
    int parent;
    if (!end || sscanf(end + 1, " %c %d", &state, &parent) != 2)
        return 0;
    if (ret_ended)
        *ret_ended = state == 'Z' || state == 'X';
    return parent;
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
        if (process_parent(candidate, NULL) == pid)
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
    bool ended;
    pid_t parent = process_parent(node->pid, &ended);
    if (parent == 0 || ended)
        return false;
    for (const struct node *above = node->parent; above; above = above->parent)
        if (above->pid == parent)
            return alive(above);
    return false;
}

static size_t signal_children(const struct node *node, const struct pid_list *children, int signal);

static bool send_to(const struct node *node, int signal)
{
    return syscall(SYS_pidfd_send_signal, node->pidfd, signal, NULL, 0) == 0;
}

/* The children are listed before their parent hears the signal: of one that died of it there would be nothing to read. */
static size_t signal_node(const struct node *node, int signal)
{
    struct pid_list children = { 0 };
    process_children(node->pid, &children);
    bool children_first = signal == SIGKILL;
    size_t reached = 0;
    if (is_below_us(node) && (children_first || send_to(node, signal))) {
        reached = signal_children(node, &children, signal);
        reached += !children_first || send_to(node, signal);
    }
    pid_list_done(&children);
    return reached;
}

static size_t signal_children(const struct node *node, const struct pid_list *children, int signal)
{
    size_t reached = 0;
    for (size_t i = 0; i < children->count; i++) {
        pid_t pid = children->items[i];
        struct node child = { pid, (int)syscall(SYS_pidfd_open, pid, 0), node };
        if (child.pidfd >= 0) {
            reached += signal_node(&child, signal);
            close(child.pidfd);
        } else if ((errno == ENOSYS || errno == EPERM) && node->parent == NULL && kill(pid, signal) == 0) {
            reached++;
        }
    }
    return reached;
}

size_t process_tree_signal(int signal)
{
    const struct node self = { getpid(), -1, NULL };
    struct pid_list children = { 0 };
    process_children(self.pid, &children);
    size_t reached = signal_children(&self, &children, signal);
    pid_list_done(&children);
    return reached;
}

size_t process_tree_kill(void)
{
    process_tree_signal(SIGSTOP);
    return process_tree_signal(SIGKILL);
}
