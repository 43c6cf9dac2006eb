/* The roles of the one binary. */
#include "base/log.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/doctor.h"
#include "cli/help.h"
#include "cli/manual.h"
#include "cli/skill.h"
#include "cli/trust.h"
#include "daemon/daemon.h"
#include "io/supervisor.h"
#include "mcp/server.h"

#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*main)(int argc, char **argv); /* argv[0] is the name */
} commands[] = {
    { "mcp", mcp_main },
    { "doctor", doctor_main },
    { "trust", trust_main },
    { "daemon", daemon_command_main },
    { "log", log_main },
    { "help", help_main },
    { "run", run_main },
    { "break", break_main },
    { "man", man_main },
    { "skill", skill_main },
    { "completion", completion_main },
    { "__complete", complete_main },
};

int main(int argc, char **argv)
{
    const char *role = argc > 1 ? argv[1] : "";
    if (strcmp(role, "__supervise") == 0)
        return supervisor_main(argc, argv);
    log_open();
    if (strcmp(role, DAEMON_ROLE) == 0)
        return daemon_main(argc - 1, argv + 1);
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        if (strcmp(role, commands[i].name) == 0)
            return commands[i].main(argc - 1, argv + 1);
    if (strcmp(role, "--version") == 0) {
        puts("dapple " DAPPLE_VERSION);
        return 0;
    }
    if (strcmp(role, "--help") == 0 || strcmp(role, "-h") == 0) {
        help_write(stdout);
        return 0;
    }
    if (argc > 1)
        return command_main(argc - 1, argv + 1);
    help_write(stderr);
    return 2;
}
