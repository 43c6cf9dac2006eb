/* The supervisor: `dapple` in another role, between us and an adapter. It is a child sub-reaper with a session of its own, starts the
 * adapter, and ends the whole tree below it (also what moved to another group or session) when it is told to, when the adapter has
 * exited, or when Dapple dies for whatever reason (its control pipe reads end of file). Processes are signalled through pidfds whose
 * place in the tree was checked after opening, never by a bare number. A process that was only attached to is not below it and lives on.
 *
 * Control socket, one line each: to it "TERM\n", "KILL\n"; from it "STARTED <pid>\n", "FAILED <errno> <step>\n",
 * "EXIT <code> <signal>\n" (the adapter), "GONE\n" (no process is left). */
#pragma once

/* Entry point of the hidden role `dapple __supervise <control fd> <cwd> -- argv...`; returns the exit status. */
int supervisor_main(int argc, char **argv);
