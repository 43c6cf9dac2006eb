#include "io/listening_ports.h"

#include "base/memory.h"
#include "io/process_tree.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LISTENING 0x0A /* a socket's state in /proc/net/tcp */
#define MOST_LISTENERS 4096

struct listeners {
    struct {
        unsigned long inode;
        uint16_t port;
    } * items;
    size_t count, cap;
};

static void read_table(pid_t pid, const char *table, struct listeners *listeners)
{
    AUTO_FREE char *path = xasprintf("/proc/%d/net/%s", (int)pid, table);
    FILE *file = fopen(path, "re");
    char line[512];
    while (file && listeners->count < MOST_LISTENERS && fgets(line, sizeof(line), file)) {
        unsigned port, state;
        unsigned long inode;
        if (sscanf(line, " %*d: %*[0-9A-F]:%x %*[0-9A-F]:%*x %x %*s %*s %*s %*s %*s %lu", &port, &state, &inode) != 3 ||
            state != LISTENING)
            continue;
        listeners->items = xgrow(listeners->items, &listeners->cap, listeners->count + 1, sizeof(*listeners->items));
        listeners->items[listeners->count].inode = inode;
        listeners->items[listeners->count++].port = (uint16_t)port;
    }
    if (file)
        fclose(file);
}

/* The port that one descriptor listens on; 0: none. */
static uint16_t port_of(int folder, const char *descriptor, const struct listeners *listeners)
{
    char target[64];
    unsigned long inode;
    ssize_t len = readlinkat(folder, descriptor, target, sizeof(target) - 1);
    if (len < 0)
        return 0;
    target[len] = '\0';
    if (sscanf(target, "socket:[%lu]", &inode) != 1)
        return 0;
    for (size_t i = 0; i < listeners->count; i++)
        if (listeners->items[i].inode == inode)
            return listeners->items[i].port;
    return 0;
}

#define MOST_PORTS 16

struct ports {
    uint16_t items[MOST_PORTS];
    size_t count;
};

static void add_port(struct ports *ports, uint16_t port)
{
    for (size_t i = 0; i < ports->count; i++)
        if (ports->items[i] == port)
            return;
    if (port != 0 && ports->count < MOST_PORTS)
        ports->items[ports->count++] = port;
}

static void add_ports_of(pid_t pid, const struct listeners *listeners, struct ports *ports)
{
    AUTO_FREE char *path = xasprintf("/proc/%d/fd", (int)pid);
    DIR *folder = opendir(path);
    if (!folder)
        return;
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL)
        add_port(ports, port_of(dirfd(folder), entry->d_name, listeners));
    closedir(folder);
}

size_t listening_ports(pid_t pid, uint16_t *ret_ports, size_t most)
{
    struct listeners listeners = { 0 };
    struct ports ports = { .count = 0 };
    struct pid_list below = { 0 };
    read_table(pid, "tcp", &listeners);
    read_table(pid, "tcp6", &listeners);
    add_ports_of(pid, &listeners, &ports);
    process_children(pid, &below);
    for (size_t i = 0; i < below.count; i++) { /* the list grows on the way */
        add_ports_of(below.items[i], &listeners, &ports);
        process_children(below.items[i], &below);
    }
    pid_list_done(&below);
    free(listeners.items);
    size_t count = ports.count < most ? ports.count : most;
    memcpy(ret_ports, ports.items, count * sizeof(*ret_ports));
    return count;
}
