#include "base/path.h"

#include "base/buffer.h"
#include "base/memory.h"

#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Appends the parts of `path` to `out`, an absolute path without a slash at its end ("" stands for the root). */
static void add_parts(struct buffer *out, const char *path)
{
    while (*path) {
        size_t len = strcspn(path, "/");
        if (len == 2 && memcmp(path, "..", 2) == 0) {
            const char *slash = strrchr(out->data, '/');
            buffer_truncate(out, slash ? (size_t)(slash - out->data) : 0);
        } else if (len > 0 && !(len == 1 && *path == '.')) {
            buffer_addc(out, '/');
            buffer_append(out, path, len);
        }
        path += len;
        path += strspn(path, "/");
    }
}

char *path_absolute(const char *path, const char *base)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, SIZE_MAX);
    if (*path != '/') {
        AUTO_FREE char *working = NULL;
        if (!base || *base != '/')
            working = getcwd(NULL, 0);
        if (working)
            add_parts(&out, working);
        if (base)
            add_parts(&out, base);
    }
    add_parts(&out, path);
    if (out.len == 0)
        buffer_addc(&out, '/');
    return buffer_take(&out, NULL);
}

char *path_join(const char *folder, const char *name)
{
    if (*name == '/' || *folder == '\0')
        return xstrdup(name);
    bool has_slash = folder[strlen(folder) - 1] == '/';
    return xasprintf("%s%s%s", folder, has_slash ? "" : "/", name);
}

char *path_folder(const char *path)
{
    size_t len = strlen(path);
    while (len > 1 && path[len - 1] == '/')
        len--;
    while (len > 0 && path[len - 1] != '/')
        len--;
    if (len == 0)
        return xstrdup(".");
    while (len > 1 && path[len - 1] == '/')
        len--;
    return xstrndup(path, len);
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

const char *path_extension(const char *path)
{
    const char *name = path_name(path);
    const char *dot = strrchr(name, '.');
    return dot && dot != name && dot[1] != '\0' ? dot : name + strlen(name);
}

char *path_shown(const char *path, const char *base)
{
    size_t len = base ? strlen(base) : 0;
    while (len > 0 && base[len - 1] == '/')
        len--;
    bool inside = base && *base == '/' && strncmp(path, base, len) == 0 && path[len] == '/' && path[len + 1] != '\0';
    return xstrdup(inside ? path + len + 1 : path);
}

static bool has_type(const char *path, mode_t type)
{
    struct stat info;
    return stat(path, &info) == 0 && (info.st_mode & S_IFMT) == type;
}

bool path_exists(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0;
}

bool path_is_file(const char *path)
{
    return has_type(path, S_IFREG);
}

bool path_is_folder(const char *path)
{
    return has_type(path, S_IFDIR);
}

bool path_is_executable(const char *path)
{
    return path_is_file(path) && faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0;
}

bool path_same_file(const char *a, const char *b)
{
    struct stat one;
    struct stat other;
    return stat(a, &one) == 0 && stat(b, &other) == 0 && one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}
