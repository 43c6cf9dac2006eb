/* Processes that run already, as /proc shows them (proc(5)): what one is, which have a name, who listens on a port, and whether a debugger
 * may take hold of one. Nothing is sent to any of them.
 *
 * `proc` is "/proc", or a folder that looks like it. Each file is read once; a process may end in between, and is not there then. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct error;

struct process {
    int64_t pid;
    char *name;       /* of the thread that leads it, at most 15 bytes */
    char *executable; /* what it executes; NULL when that cannot be read */
    char **arguments; /* NULL-terminated; empty for a kernel thread */
    char state;       /* 'R', 'S', 'T', 'Z', …; 'S' where only the main thread has ended */
    uint64_t started; /* in ticks since boot: with the pid, what tells it from a later one of the same number */
    int64_t parent;
    int64_t tracer; /* the process that traces it; 0: none */
    uid_t uid;      /* effective */
};
/* -1: there is none of this number. */
int process_read(const char *proc, int64_t pid, struct process *ret);
void process_done(struct process *process);
void processes_free(struct process *list, size_t count);
#define AUTO_PROCESS __attribute__((cleanup(process_done)))

/* Its command line in one string, "[name]" for a kernel thread. Heap memory of the caller's. */
char *process_command(const struct process *process);
bool process_is_kernel_thread(const struct process *process);
/* The name of the interpreter that it is ("python3.11"), when `executable` is a known one; NULL otherwise. */
const char *process_interpreter(const struct process *process);

/* Those whose program has this name, the newest first; zombies, kernel threads and ourselves left out. A name is that of the executable, of
 * the process, or of the script that an interpreter runs; one with a slash is an absolute path to either. */
size_t process_find(const char *proc, const char *name, struct process **ret);

/* Which process listens on this TCP port of this machine; 0: none that we can see. */
int64_t process_listening(const char *proc, uint16_t port);
/* The one process that this one traces; 0: none, or several. */
int64_t process_traced_by(const char *proc, int64_t tracer);
/* Is it told, on its command line or in the environment that it was started with, to listen on this port: "WORD=9230", "WORD=host:9230",
 * or WORD alone for `usual`? */
bool process_told_port(const char *proc, int64_t pid, const char *word, uint16_t port, uint16_t usual);
/* Are its numbers of processes ours, too? Not those of one in a container, or that we may not look at. */
bool process_shares_numbers(const char *proc, int64_t pid);

/* May a debugger of ours trace it (ptrace(2), "Ptrace access mode checking", and Yama)? The error says why not, and what helps. Also for one
 * that has ended, a zombie, a kernel thread, and one that is traced already. */
int process_check_traceable(const char *proc, const struct process *process, struct error *ret_error);
