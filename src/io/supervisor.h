/* The supervisor: `dapple` in another role, between us and an adapter. It is a child sub-reaper with a session of its own, starts the
 * adapter (in yet another session), and ends the whole tree below it (also what moved to another group or session) when it is told
 * to, when the adapter has exited, or when Dapple dies for whatever reason (its control socket reads end of file). Processes are
 * signalled as process_tree.h says, never by a bare number. A process that was only attached to is not below it and lives on.
 *
 * Standard input, output and error become the adapter's; the supervisor keeps none of them. A terminal as standard input becomes the
 * controlling terminal of the adapter's session. Should the supervisor itself be killed, the adapter dies with it (PR_SET_PDEATHSIG).
 *
 * The control socket carries to the supervisor first the adapter's changes of the environment, "NAME=value\0" or (remove) "NAME\0"
 * each, and an empty "\0" after the last (not as arguments or in its own environment: those are visible to other users, or would
 * change how the supervisor itself runs). Then one line each: to it "GENTLE\n", "HOLD\n", "TERM\n", "KILL\n"; from it "STARTED <pid>\n",
 * "FAILED <errno> <step>\n" with step "folder", "execute" or "fork", "EXIT <code> <signal>\n" (the adapter), "GONE\n" (no process is
 * left). After GONE and FAILED it exits.
 *
 * GENTLE: the adapter holds a process that is not ours, and has breakpoints in its code: an adapter that is killed would leave them there,
 * and the process would die of them. From then on the end of file, and the adapter's exit, first leave SUPERVISOR_GENTLE_MS to whatever is
 * there for letting go (the end of its input tells it), then comes SIGTERM, and SIGKILL after SUPERVISOR_GRACE_MS.
 *
 * TERM: SIGTERM to all, once. KILL, or end of file: SIGKILL to all, repeated until nothing is left; nothing below does anything more from the
 * first on (process_tree_kill). The adapter's own exit: SIGTERM to
 * what is left, SIGKILL after SUPERVISOR_GRACE_MS; nothing left, nothing to wait for.
 *
 * HOLD, with a descriptor (SCM_RIGHTS): a connection to the adapter, kept until the exit. An adapter that sees its connection end with Dapple
 * lets its program run on; this way it is killed before. The newest counts.
 *
 * The latch, a pipe, keeps order between supervisors: a program in a terminal that stands still runs on when its adapter is killed before it.
 * The adapter's supervisor has the reading end. Before it kills an adapter that lives it stops it, and waits until nobody holds a writing end,
 * SUPERVISOR_LATCH_MS at most. Those are held by the supervisors of the terminals, until they have killed what is below them, and by Dapple, until it kills or dies. */
#pragma once

#define SUPERVISOR_ROLE "__supervise"
#define SUPERVISOR_GRACE_MS 200
#define SUPERVISOR_GENTLE_MS 3000
#define SUPERVISOR_LATCH_MS 1000

/* Entry point of the hidden role `dapple __supervise <control fd>[,<latch fd>] <cwd> [<private socket>] -- argv...`; returns the exit status. The socket
 * is removed with its folder when nothing is left below the supervisor (private_socket.h). */
int supervisor_main(int argc, char **argv);

/* Sends HOLD with a copy of `connection`, without waiting. 0; -1: it was not taken. */
int supervisor_hold(int control, int connection);
