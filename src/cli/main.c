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

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *name;
    int (*main)(int argc, char **argv); /* argv[0] is the name */
    bool own_help;                      /* it knows --help itself */
} commands[] = {
    { "mcp", mcp_main, true },
    { "doctor", doctor_main, true },
    { "trust", trust_main, true },
    { "daemon", daemon_command_main, false },
    { "log", log_main, false },
    { "help", help_main, false },
    { "run", run_main, true },
    { "break", break_main, false },
    { "b", break_main, false },
    { "man", man_main, false },
    { "skill", skill_main, false },
    { "completion", completion_main, false },
    { "__complete", complete_main, true },
};

/* Somebody who closed stdout is told that the result could not be written, and no socket of ours becomes it. */
static void hold_standard_descriptors(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDONLY) != fd)
            exit(STATUS_BROKEN);
}

static size_t count_leading_flags(char *const *words)
{
    size_t count = 0;
    while (words[count] != NULL) {
        const char *word = words[count];
        if (strncmp(word, "--json", 6) == 0 || strncmp(word, "--session=", 10) == 0)
            count++;
        else if (strcmp(word, "--session") == 0 && words[count + 1] != NULL)
            count += 2;
        else
            break;
    }
    return count;
}

/* "dapple --session x next": what holds for any command may stand before it. */
static void put_command_first(char **words)
{
    size_t flags = count_leading_flags(words);
    char *command = words[flags];
    if (command == NULL || command[0] == '-')
        return;
    memmove(words + 1, words, flags * sizeof(*words));
    words[0] = command;
}

static bool wants_help(char *const *words)
{
    for (; *words != NULL && strcmp(*words, "--") != 0; words++)
        if (strcmp(*words, "--help") == 0 || strcmp(*words, "-h") == 0)
            return true;
    return false;
}

static int perform(int argc, char **argv)
{
    const char *role = argc > 1 ? argv[1] : "";
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        if (strcmp(role, commands[i].name) != 0)
            continue;
        char help[] = "help", *name = argv[1];
        if (!commands[i].own_help && wants_help(argv + 2))
            return help_main(2, (char *[]){ help, name, NULL });
        return commands[i].main(argc - 1, argv + 1);
    }
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
    return STATUS_USAGE;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "__supervise") == 0)
        return supervisor_main(argc, argv);
    hold_standard_descriptors();
    log_open();
    if (argc > 1 && strcmp(argv[1], DAEMON_ROLE) == 0)
        return daemon_main(argc - 1, argv + 1);
    if (argc > 1)
        put_command_first(argv + 1);
    int status = perform(argc, argv);
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "dapple: the result could not be written: %s\n", strerror(errno));
    return status == STATUS_DONE ? STATUS_FAILED : status;
}
