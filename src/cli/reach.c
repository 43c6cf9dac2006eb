#include "cli/reach.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "daemon/daemon.h"
#include "daemon/home.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define READY_MS 10000

extern char **environ;

/* ---- connecting ---- */

static int check_peer(int fd, const char *path, struct error *ret_error)
{
    struct ucred peer = { 0 };
    socklen_t len = sizeof(peer);
    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &len) == 0 && peer.uid == geteuid())
        return 0;
    return error_set(ret_error, ERROR_SPAWN, "another user (%u) listens at %s", (unsigned)peer.uid, path);
}

/* *ret_fd is -1 when nobody listens there. */
static int try_to_connect(const char *path, int *ret_fd, struct error *ret_error)
{
    struct sockaddr_un address = { .sun_family = AF_UNIX };
    memcpy(address.sun_path, path, strlen(path) + 1); /* it fits: the home was checked */
    *ret_fd = -1;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return error_set(ret_error, ERROR_SPAWN, "no socket: %s", strerror(errno));
    if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) != 0) {
        int number = errno;
        close(fd);
        return number == ENOENT || number == ECONNREFUSED
                   ? 0
                   : error_set(ret_error, ERROR_SPAWN, "cannot connect to the daemon at %s: %s", path, strerror(number));
    }
    if (check_peer(fd, path, ret_error) < 0) {
        close(fd);
        return -1;
    }
    *ret_fd = fd;
    return 0;
}

/* ---- starting ---- */

static int spawn_daemon(const struct daemon_home *home, int ready, struct error *ret_error)
{
    char name[] = "dapple", role[] = DAEMON_ROLE;
    char *const argv[] = { name, role, home->folder, NULL };
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDWR, 0);
    posix_spawn_file_actions_adddup2(&files, STDIN_FILENO, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, home->log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW,
                                     S_IRUSR | S_IWUSR);
    posix_spawn_file_actions_adddup2(&files, ready, DAEMON_READY_DESCRIPTOR);
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    pid_t pid;
    int failed = posix_spawn(&pid, "/proc/self/exe", &files, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return failed == 0 ? 0 : error_set(ret_error, ERROR_SPAWN, "cannot start the daemon in %s: %s", home->folder, strerror(failed));
}

/* The daemon closes the pipe when it has said whether it serves. */
static int wait_until_ready(int pipe, const struct daemon_home *home, struct error *ret_error)
{
    char words[LIMIT_MESSAGE_BYTES];
    size_t len = 0;
    struct pollfd readable = { .fd = pipe, .events = POLLIN };
    while (len < sizeof(words) - 1) {
        int ready = poll(&readable, 1, READY_MS);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return error_set(ret_error, ERROR_SPAWN, "the daemon did not become ready within %d s (dapple log)", READY_MS / 1000);
        ssize_t got = read(pipe, words + len, sizeof(words) - 1 - len);
        if (got <= 0)
            break;
        len += (size_t)got;
    }
    words[len] = '\0';
    if (strcmp(words, DAEMON_READY) == 0)
        return 0;
    return error_set(ret_error, ERROR_SPAWN, "the daemon did not start: %s",
                     len > 0 ? words : home->log); /* nothing said: it died, maybe with words in its log */
}

static int start_daemon(const struct daemon_home *home, struct error *ret_error)
{
    int ready[2];
    if (pipe2(ready, O_CLOEXEC) != 0)
        return error_set(ret_error, ERROR_SPAWN, "no pipe: %s", strerror(errno));
    /* Descriptor 3 would stay as it is, close-on-exec, when it is duplicated onto itself. */
    int other = fcntl(ready[1], F_DUPFD_CLOEXEC, DAEMON_READY_DESCRIPTOR + 1);
    close(ready[1]);
    int result =
        other < 0 ? error_set(ret_error, ERROR_SPAWN, "no pipe: %s", strerror(errno)) : spawn_daemon(home, other, ret_error);
    if (other >= 0)
        close(other);
    if (result == 0)
        result = wait_until_ready(ready[0], home, ret_error);
    close(ready[0]);
    return result;
}

/* One client starts the daemon, the others wait for it here; the lock goes with its descriptor. */
static int start_under_lock(const struct daemon_home *home, int *ret_fd, struct error *ret_error)
{
    int lock = open(home->start_lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (lock < 0)
        return error_set(ret_error, ERROR_SPAWN, "cannot open %s: %s", home->start_lock, strerror(errno));
    while (flock(lock, LOCK_EX) != 0 && errno == EINTR)
        continue;
    int result = try_to_connect(home->socket, ret_fd, ret_error);
    if (result == 0 && *ret_fd < 0) {
        result = start_daemon(home, ret_error);
        /* One that held the lock may have made its socket again meanwhile. */
        if (result < 0 && try_to_connect(home->socket, ret_fd, NULL) == 0 && *ret_fd >= 0)
            result = 0;
        else if (result == 0)
            result = try_to_connect(home->socket, ret_fd, ret_error);
        if (result == 0 && *ret_fd < 0)
            result = error_set(ret_error, ERROR_SPAWN, "the daemon started, and is not there any more (dapple log)");
    }
    close(lock);
    return result;
}

/* ---- the places ---- */

static int try_home(const char *folder, bool start, int *ret_fd, struct error *ret_error)
{
    struct daemon_home home = { 0 };
    if (daemon_home_open(&home, folder, ret_error) < 0)
        return -1;
    int result = start ? start_under_lock(&home, ret_fd, ret_error) : try_to_connect(home.socket, ret_fd, ret_error);
    daemon_home_done(&home);
    return result;
}

/* What is wrong with the places is added to `reasons`. */
static void try_homes(char *const *folders, size_t count, bool start, int *ret_fd, struct buffer *reasons)
{
    for (size_t i = 0; i < count && *ret_fd < 0; i++) {
        AUTO_ERROR struct error error = ERROR_INIT;
        if (try_home(folders[i], start, ret_fd, &error) < 0)
            buffer_addf(reasons, "%s%s", reasons->len > 0 ? "; " : "", error.message);
    }
}

int reach_daemon(enum reach_mode mode, int *ret_fd, struct error *ret_error)
{
    char *folders[DAEMON_HOMES];
    size_t count = daemon_home_candidates(folders);
    AUTO_BUFFER struct buffer reasons;
    buffer_init(&reasons, LIMIT_TEXT_BYTES);
    *ret_fd = -1;
    /* One that is there, wherever it is, before another is started. */
    try_homes(folders, count, false, ret_fd, &reasons);
    if (mode == REACH_START && *ret_fd < 0) {
        buffer_clear(&reasons);
        try_homes(folders, count, true, ret_fd, &reasons);
    }
    for (size_t i = 0; i < count; i++)
        free(folders[i]);
    if (*ret_fd >= 0 || (mode == REACH_ONLY && reasons.len == 0))
        return 0;
    return error_set(ret_error, ERROR_SPAWN, "no daemon: %s (DAPPLE_RUNTIME_DIR names another folder for it)", reasons.data);
}
