#include "daemon/home.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define SOCKET "daemon.socket"

/* With sudo it can be the other user's, who could not use a folder of root's in it. */
static bool is_ours(const char *folder)
{
    struct stat info;
    return stat(folder, &info) == 0 && info.st_uid == geteuid();
}

size_t daemon_home_candidates(char *ret_folders[DAEMON_HOMES])
{
    size_t count = 0;
    const char *named = getenv("DAPPLE_RUNTIME_DIR"), *runtime = getenv("XDG_RUNTIME_DIR");
    if (named != NULL && *named != '\0') {
        ret_folders[count++] = path_absolute(named, NULL);
        return count;
    }
    if (runtime != NULL && *runtime == '/' && is_ours(runtime))
        ret_folders[count++] = path_join(runtime, "dapple");
    ret_folders[count++] = xasprintf("/tmp/dapple-%u", (unsigned)geteuid());
    return count;
}

static int check_folder(const char *folder, struct error *ret_error)
{
    struct stat info;
    if (lstat(folder, &info) != 0)
        return error_set(ret_error, ERROR_SPAWN, "%s: %s", folder, strerror(errno));
    if (!S_ISDIR(info.st_mode))
        return error_set(ret_error, ERROR_SPAWN, "%s is no folder (a link will not do)", folder);
    if (info.st_uid != geteuid())
        return error_set(ret_error, ERROR_SPAWN, "%s belongs to another user (%u), who could listen in", folder,
                         (unsigned)info.st_uid);
    if ((info.st_mode & (S_IRWXG | S_IRWXO)) != 0)
        return error_set(ret_error, ERROR_SPAWN, "%s can be entered by others (mode %04o): chmod 700 %s", folder,
                         (unsigned)info.st_mode & 07777u, folder);
    if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
        return error_set(ret_error, ERROR_SPAWN, "%s cannot be written to: %s", folder, strerror(errno));
    return 0;
}

int daemon_home_open(struct daemon_home *ret, const char *folder, struct error *ret_error)
{
    if (strlen(folder) + strlen("/" SOCKET) >= sizeof(((struct sockaddr_un *)0)->sun_path))
        return error_set(ret_error, ERROR_SPAWN, "%s is too long a path for a socket (at most %zu bytes)", folder,
                         sizeof(((struct sockaddr_un *)0)->sun_path) - sizeof("/" SOCKET));
    if (mkdir(folder, S_IRWXU) != 0 && errno != EEXIST)
        return error_set(ret_error, ERROR_SPAWN, "cannot make %s: %s", folder, strerror(errno));
    if (check_folder(folder, ret_error) < 0)
        return -1;
    *ret = (struct daemon_home){
        .folder = xstrdup(folder),
        .socket = path_join(folder, SOCKET),
        .lock = path_join(folder, "daemon.lock"),
        .start_lock = path_join(folder, "start.lock"),
        .log = path_join(folder, "log"),
        .sessions = path_join(folder, "sessions"),
    };
    return 0;
}

void daemon_home_done(struct daemon_home *home)
{
    free(home->folder);
    free(home->socket);
    free(home->lock);
    free(home->start_lock);
    free(home->log);
    free(home->sessions);
    *home = (struct daemon_home){ 0 };
}
