#include "io/private_socket.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#define FOLDER "dapple-XXXXXX"
#define SOCKET "dap"

static bool is_usable(const char *base)
{
    return base && *base == '/' && strlen(base) + strlen("/" FOLDER "/" SOCKET) < sizeof(((struct sockaddr_un *)0)->sun_path);
}

char *private_socket_new(struct error *ret_error)
{
    const char *const bases[] = { getenv("XDG_RUNTIME_DIR"), getenv("TMPDIR"), "/tmp" };
    for (size_t i = 0; i < COUNT_OF(bases); i++) {
        if (!is_usable(bases[i]))
            continue;
        AUTO_FREE char *folder = path_join(bases[i], FOLDER);
        if (mkdtemp(folder))
            return path_join(folder, SOCKET);
    }
    error_set(ret_error, ERROR_SPAWN, "cannot make a folder for the adapter's socket in /tmp: %s", strerror(errno));
    return NULL;
}

void private_socket_remove(const char *path)
{
    if (!path)
        return;
    AUTO_FREE char *folder = path_folder(path);
    unlink(path);
    rmdir(folder);
}

void private_socket_free(char *path)
{
    private_socket_remove(path);
    free(path);
}
