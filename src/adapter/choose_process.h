/* Which adapter attaches to a process that runs already. */
#pragma once

#include "adapter/catalog.h"

struct process;

enum attach_way { ATTACH_BY_PID, ATTACH_BY_PORT, ATTACH_CORE };
/* How a program is started so that this adapter can attach by a port, for messages. */
const char *adapter_entry_listen_hint(const struct adapter_entry *entry);
/* The signal that makes a process listen on its inspector's port: then attaching by number is attaching by that port. 0: no such thing. */
int adapter_entry_inspector_signal(const struct adapter_entry *entry);
/* Is this the program itself, that serves its debugger on this port, and not a server or a relay in front of it? */
bool adapter_entry_is_program(const struct adapter_entry *entry, int64_t pid, uint16_t port);
bool adapter_entry_attaches(const struct adapter_entry *entry, enum attach_way way);
/* Does attaching take ptrace(2)? Not for those that connect to a server in the process. */
bool adapter_entry_traces(const struct adapter_entry *entry);

/* By number: by the interpreter that the process is, else by its executable, as for a launch. `wanted` (may be NULL) wins. The error of an
 * adapter that can attach by a port only says how the program is started for that. */
int adapter_choose_for_process(const struct adapter_entry *const *entries, size_t count, const struct process *process,
                               const char *wanted, struct adapter_choice *ret_choice, struct error *ret_error);

/* By port: what the process that listens there (NULL: not known) is. The error lists the ids to choose from. */
int adapter_choose_for_port(const struct adapter_entry *const *entries, size_t count, const struct process *process,
                            const char *wanted, struct adapter_choice *ret_choice, struct error *ret_error);

/* For a core file of this program. */
int adapter_choose_for_core(const struct adapter_entry *const *entries, size_t count, const char *program, const char *wanted,
                            struct adapter_choice *ret_choice, struct error *ret_error);
