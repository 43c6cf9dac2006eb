#include "verb/attached.h"

#include "adapter/process.h"
#include "verb/internal.h"
#include "verb/render_line.h"

#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

bool attached_lives(const struct named *named)
{
    AUTO_PROCESS struct process process = { 0 };
    if (named->process_pid == 0 || process_read("/proc", named->process_pid, &process) < 0)
        return false;
    return process.state != 'Z' && process.state != 'X' && process.started == named->process_started;
}

void attached_kill(const struct named *named)
{
    /* Opened before it is looked at: should the process end in between, the signal reaches nobody else. */
    int descriptor = named->process_pid > 1 ? (int)syscall(SYS_pidfd_open, (pid_t)named->process_pid, 0) : -1;
    if (descriptor < 0)
        return;
    if (attached_lives(named))
        (void)syscall(SYS_pidfd_send_signal, descriptor, SIGKILL, NULL, 0);
    close(descriptor);
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
