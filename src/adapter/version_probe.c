#include "adapter/version_probe.h"

#include "adapter/string_list.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LONGEST_TEXT 512

extern char **environ;

/* What was asked before. */
struct answer {
    char *path;
    struct timespec modified;
    off_t size;
    char *version; /* NULL: none */
};
static struct answer *answers;
static size_t answer_count, answer_cap;

static long long now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Starts it in a process group of its own, so that whatever it starts is killed with it; only its standard output is kept. */
static pid_t start(const char *path, char *const *arguments, int output)
{
    AUTO_STRING_LIST struct string_list argv = { 0 };
    string_list_add(&argv, path);
    for (char *const *argument = arguments; *argument != NULL; argument++)
        string_list_add(&argv, *argument);

    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigaddset(&signals, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    pid_t pid = -1;
    if (posix_spawn(&pid, path, &files, &attributes, argv.items, environ) != 0)
        pid = -1;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return pid;
}

/* "GNU gdb (Debian 16.3-1) 16.3" -> "16.3". Changes the line. */
static char *version_in_line(char *line)
{
    char *found = NULL, *rest = NULL;
    for (char *word = strtok_r(line, " \t", &rest); word != NULL; word = strtok_r(NULL, " \t", &rest)) {
        if (*word >= '0' && *word <= '9')
            found = word;
    }
    return xstrdup(found);
}

/* Of the first line that tells one; what follows the last line end counts when nothing more comes. */
static char *version_in(const char *text, bool ended)
{
    AUTO_FREE char *copy = xstrdup(text);
    char *rest = copy, *found = NULL;
    for (char *line = strsep(&rest, "\r\n"); line != NULL && found == NULL; line = strsep(&rest, "\r\n")) {
        if (rest != NULL || ended)
            found = version_in_line(line);
    }
    return found;
}

/* Reads until a line tells a version, or the end, or the time is up. */
static char *read_version(int fd)
{
    long long deadline = now_ms() + VERSION_PROBE_TIMEOUT;
    char text[LONGEST_TEXT] = "";
    size_t len = 0;
    char *found = NULL;
    while (found == NULL && len < LONGEST_TEXT - 1) {
        long long left = deadline - now_ms();
        struct pollfd ready = { .fd = fd, .events = POLLIN };
        int count = left > 0 ? poll(&ready, 1, (int)left) : 0;
        if (count < 0 && errno == EINTR)
            continue;
        ssize_t got = count > 0 ? read(fd, text + len, LONGEST_TEXT - 1 - len) : 0;
        if (got <= 0)
            break;
        len += (size_t)got;
        text[len] = '\0';
        found = version_in(text, false);
    }
    return found != NULL ? found : version_in(text, true);
}

static char *ask(const char *path, char *const *arguments)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) < 0)
        return NULL;
    pid_t pid = start(path, arguments, ends[1]);
    close(ends[1]);
    char *version = NULL;
    if (pid > 0) {
        version = read_version(ends[0]);
        /* that is all that is wanted; its number cannot have been reused, since nobody has waited for it yet */
        kill(-pid, SIGKILL);
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
        }
    }
    close(ends[0]);
    return version;
}

const char *version_probe(const char *path, char *const *arguments)
{
    struct stat about;
    if (stat(path, &about) < 0)
        return NULL;
    struct answer *answer = NULL;
    for (size_t i = 0; i < answer_count && answer == NULL; i++) {
        if (strcmp(answers[i].path, path) == 0)
            answer = &answers[i];
    }
    if (answer != NULL && answer->size == about.st_size && answer->modified.tv_sec == about.st_mtim.tv_sec &&
        answer->modified.tv_nsec == about.st_mtim.tv_nsec)
        return answer->version;
    if (answer == NULL) {
        answers = xgrow(answers, &answer_cap, answer_count + 1, sizeof *answers);
        answer = &answers[answer_count++];
        *answer = (struct answer){ .path = xstrdup(path) };
    }
    free(answer->version);
    answer->version = ask(path, arguments);
    answer->modified = about.st_mtim;
    answer->size = about.st_size;
    return answer->version;
}
