/* The roles of the one binary. */
#include "base/log.h"
#include "cli/doctor.h"
#include "cli/trust.h"
#include "daemon/daemon.h"
#include "io/supervisor.h"
#include "mcp/server.h"

#include <stdio.h>
#include <string.h>

static const char usage[] =
    "Dapple " DAPPLE_VERSION ", a debugger for coding agents\n"
    "\n"
    "usage: dapple mcp [--structured auto|on|off]   serve MCP over stdin and stdout\n"
    "       dapple doctor [PROGRAM]                which adapters work here; how a program would be launched\n"
    "       dapple trust [DIR]                     let a project's settings name commands\n"
    "       dapple --version\n"
    "       dapple --help\n"
    "\n"
    "Register it with an agent, for example: claude mcp add dapple -- dapple mcp\n";

int main(int argc, char **argv)
{
    const char *role = argc > 1 ? argv[1] : "";
    if (strcmp(role, "__supervise") == 0)
        return supervisor_main(argc, argv);
    log_open();
    if (strcmp(role, DAEMON_ROLE) == 0)
        return daemon_main(argc - 1, argv + 1);
    if (strcmp(role, "mcp") == 0)
        return mcp_main(argc - 1, argv + 1);
    if (strcmp(role, "doctor") == 0)
        return doctor_main(argc - 1, argv + 1);
    if (strcmp(role, "trust") == 0)
        return trust_main(argc - 1, argv + 1);
    if (strcmp(role, "--version") == 0) {
        puts("dapple " DAPPLE_VERSION);
        return 0;
    }
    if (strcmp(role, "--help") == 0 || strcmp(role, "-h") == 0 || strcmp(role, "help") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (argc > 1)
        fprintf(stderr, "dapple: there is no command \"%s\"\n\n", role);
    fputs(usage, stderr);
    return 2;
}
