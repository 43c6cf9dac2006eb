/* The processes below one, as /proc shows them now. What forks or dies meanwhile may be missed: repeat until nothing is left. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pid_list {
    pid_t *items;
    size_t count, cap;
};
void pid_list_done(struct pid_list *list);

/* The parent of a process, also of a zombie; 0 when there is no such process. */
pid_t process_parent(pid_t pid);

/* Appends the children of a process, zombies too. Reads /proc/PID/task/TID/children, or without it (CONFIG_PROC_CHILDREN off)
 * looks through all processes. */
void process_children(pid_t pid, struct pid_list *list);
void process_children_by_scan(pid_t pid, struct pid_list *list);

/* Sends a signal to every living process below the calling one, parents first, SIGKILL children first; returns how many were reached.
 *
 * A process is signalled through a pidfd, and only after its parent was found to be one that we know to be below us and alive, so a
 * number that was reused meanwhile is never hit. Where pidfds are missing, only our own children are signalled: their numbers
 * cannot be reused, since nobody but the caller reaps them. Single-threaded callers only. */
size_t process_tree_signal(int signal);

/* SIGSTOP to every living process below the calling one, again until a round finds that all of them stand: what stands does not fork, so
 * that none was missed. Gives up after 200 rounds (50 ms and more): a process that does not stand then is one that the kernel does not let
 * on, or that somebody else continues. */
void process_tree_stop(void);

/* SIGKILL to every living process below the calling one, so that none of them does anything more: all are stopped first, parents first, and
 * then killed, children first. Otherwise a shell goes on with its next command when the one before was killed, and a program that stands at
 * a breakpoint runs on when its debugger was. */
size_t process_tree_kill(void);
