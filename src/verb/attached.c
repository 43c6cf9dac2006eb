#include "verb/attached.h"

#include "adapter/choose_process.h"
#include "adapter/process.h"
#include "verb/internal.h"
#include "verb/render_line.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROC "/proc"

/* ---- behind a port ---- */

static void take_behind(struct behind_port *behind, int64_t pid)
{
    AUTO_PROCESS struct process process = { 0 };
    if (pid <= 1 || process_read(PROC, pid, &process) < 0)
        return;
    xreplace(&behind->name, process.name);
    behind->pid = pid;
    behind->started = process.started;
}

void attached_at_port(struct named *named, const struct adapter_entry *entry, uint16_t port)
{
    struct behind_port *behind = &named->behind;
    AUTO_PROCESS struct process server = { 0 };
    int64_t pid = process_listening(PROC, port);
    behind->port = port;
    if (pid == 0 || process_read(PROC, pid, &server) < 0)
        return;
    if (process_shares_numbers(PROC, pid))
        behind->server_started = server.started;
    take_behind(behind, adapter_entry_is_program(entry, pid, port) ? pid : process_traced_by(PROC, pid));
}

void attached_take_told(struct named *named)
{
    struct behind_port *behind = &named->behind;
    const struct process_facts *facts = session_process(named->session);
    if (behind->pid != 0 || behind->server_started == 0 || facts->elsewhere)
        return;
    take_behind(behind, facts->pid);
    if (behind->pid != 0 && behind->started > behind->server_started)
        behind->pid = 0; /* a later one that has its number: the program was there before what serves it */
}

/* ---- the process ---- */

int64_t attached_pid(const struct named *named)
{
    return named->process_pid != 0 ? named->process_pid : named->behind.pid;
}

bool attached_lives(const struct named *named)
{
    AUTO_PROCESS struct process process = { 0 };
    if (process_read(PROC, attached_pid(named), &process) < 0)
        return false;
    uint64_t started = named->process_pid != 0 ? named->process_started : named->behind.started;
    return process.state != 'Z' && process.state != 'X' && process.started == started;
}

void attached_kill(const struct named *named)
{
    /* Opened before it is looked at: should the process end in between, the signal reaches nobody else. */
    int64_t pid = attached_pid(named);
    int descriptor = pid > 1 ? (int)syscall(SYS_pidfd_open, (pid_t)pid, 0) : -1;
    if (descriptor < 0)
        return;
    if (attached_lives(named))
        (void)syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, NULL, 0);
    close(descriptor);
}

void attached_tell_kill(struct call *call)
{
    const struct named *named = call->named;
    const struct behind_port *behind = &named->behind;
    const char *attached_to = session_attached_to(named->session);
    if (named->process_pid == 0 && !behind->used)
        return; /* a core file */
    AUTO_BUFFER struct buffer name;
    buffer_init(&name, LIMIT_TEXT_BYTES);
    line_text(&name, attached_to, LIMIT_PATH_BYTES);
    if (named->process_pid == 0 && behind->pid != 0) {
        (void)buffer_addf(&name, ", pid %" PRId64 " (", behind->pid);
        line_text(&name, behind->name, LIMIT_NAME_BYTES);
        (void)buffer_addc(&name, ')');
    }
    AUTO_PROCESS struct process server = { 0 };
    int64_t listener = attached_pid(named) == 0 && behind->port != 0 ? process_listening(PROC, behind->port) : 0;
    if (attached_lives(named)) {
        call->result.is_partial = true;
        call_warn(call, "%s still runs: it could not be ended from here (another user's process, or one that the system holds)",
                  name.data);
    } else if (attached_pid(named) == 0 && listener != 0 && process_read(PROC, listener, &server) == 0) {
        call->result.is_partial = true;
        call_warn(
            call,
            "whether the program behind %s has ended cannot be seen: its process is not known; something still listens there, "
            "pid %" PRId64 " (%s): if that is the program, kill %" PRId64 " ends it",
            name.data, listener, server.name, listener);
    } else if (attached_pid(named) == 0) {
        call_warn(call, "whether the program behind %s has ended cannot be seen from here: its process is not known", name.data);
    } else if (named->process_pid == 0) {
        (void)buffer_add(&name, " has ended");
        call_note(call, name.data);
    }
}

void attached_describe(struct buffer *out, const struct named *named)
{
    const struct session *session = named->session;
    const char *attached_to = session_attached_to(session);
    const struct process_facts *facts = session_process(session);
    if (attached_to == NULL || session_state(session) == SESSION_IDLE)
        return;
    if (!session_active(session)) {
        if (named->process_pid == 0)
            return;
        line_text(out, attached_to, LIMIT_PATH_BYTES);
        (void)buffer_add(out, attached_lives(named) ? " goes on without the debugger\n" : " has ended\n");
        return;
    }
    (void)buffer_add(out, "attached to ");
    line_text(out, attached_to, LIMIT_PATH_BYTES);
    if (named->process_pid == 0 && facts->pid > 0)
        (void)buffer_addf(out, ", pid %" PRId64, facts->pid);
    if (named->process_pid == 0 && facts->name != NULL && facts->name[0] != '\0') {
        (void)buffer_add(out, facts->pid > 0 ? " (" : ", ");
        line_text(out, facts->name, LIMIT_PATH_BYTES);
        (void)buffer_add(out, facts->pid > 0 ? ")" : "");
    }
    (void)buffer_addc(out, '\n');
}
