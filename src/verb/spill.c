#include "verb/spill.h"

#include "base/limits.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/path.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_PREFIX "dapple-spill-"

struct spill_file {
    char *path;
    size_t len;
};

struct spill {
    char *folder;             /* NULL: not made yet */
    int folder_fd;            /* holds the lock; -1 when there is no folder */
    struct spill_file *files; /* oldest first */
    size_t count, cap;
    size_t total;  /* bytes of all files */
    unsigned next; /* number of the next file */
};

struct spill *spill_new(void)
{
    struct spill *spill = xcalloc(1, sizeof(*spill));
    spill->folder_fd = -1;
    spill->next = 1;
    return spill;
}

static void forget_oldest(struct spill *spill)
{
    struct spill_file *oldest = &spill->files[0];
    unlink(oldest->path);
    spill->total -= oldest->len;
    free(oldest->path);
    memmove(spill->files, spill->files + 1, --spill->count * sizeof(*spill->files));
}

static void drop_folder(struct spill *spill)
{
    while (spill->count > 0)
        forget_oldest(spill);
    if (!spill->folder)
        return;
    rmdir(spill->folder);
    close(spill->folder_fd);
    spill->folder_fd = -1;
    free(spill->folder);
    spill->folder = NULL;
}

void spill_free(struct spill *spill)
{
    if (!spill)
        return;
    drop_folder(spill);
    free(spill->files);
    free(spill);
}

static int lock_folder(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    struct stat info;
    /* Looked at once it is locked: another Dapple may have removed it before. */
    if (flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &info) == 0 && info.st_uid == geteuid() && info.st_nlink > 0)
        return fd;
    close(fd);
    return -1;
}

static void empty_folder(int fd)
{
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    DIR *folder = copy < 0 ? NULL : fdopendir(copy);
    if (!folder) {
        if (copy >= 0)
            close(copy);
        return;
    }
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (entry->d_name[0] != '.')
            unlinkat(fd, entry->d_name, 0);
    }
    closedir(folder);
}

/* Removes the folders of Dapples that were killed: theirs are not locked any more. */
static void remove_abandoned(const char *parent)
{
    DIR *folder = opendir(parent);
    if (!folder)
        return;
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        if (strncmp(entry->d_name, FOLDER_PREFIX, strlen(FOLDER_PREFIX)) != 0)
            continue;
        int fd = lock_folder(dirfd(folder), entry->d_name);
        if (fd < 0)
            continue;
        empty_folder(fd);
        unlinkat(dirfd(folder), entry->d_name, AT_REMOVEDIR);
        close(fd);
    }
    closedir(folder);
}

#define ATTEMPTS 16 /* at making a folder that no other Dapple takes for an abandoned one before it is locked */

static bool make_folder_in(struct spill *spill, const char *parent)
{
    if (*parent != '/')
        return false;
    remove_abandoned(parent);
    for (int i = 0; i < ATTEMPTS; i++) {
        AUTO_FREE char *folder = path_join(parent, FOLDER_PREFIX "XXXXXX");
        if (!mkdtemp(folder))
            return false;
        spill->folder_fd = lock_folder(AT_FDCWD, folder);
        if (spill->folder_fd >= 0) {
            spill->folder = folder;
            folder = NULL;
            return true;
        }
        rmdir(folder);
    }
    return false;
}

static bool make_folder(struct spill *spill)
{
    const char *wanted = getenv("TMPDIR");
    return (wanted && make_folder_in(spill, wanted)) || make_folder_in(spill, "/tmp");
}

/* The folder is made when first needed, and again when a cleaner of old files removed it. */
static bool have_folder(struct spill *spill)
{
    struct stat info;
    if (spill->folder && fstat(spill->folder_fd, &info) == 0 && info.st_nlink > 0)
        return true;
    drop_folder(spill);
    return make_folder(spill);
}

static bool write_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t written = write(fd, bytes, len);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        len -= (size_t)written;
    }
    return true;
}

static bool write_file(const char *path, const char *bytes, size_t len)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool written = write_all(fd, bytes, len);
    if (close(fd) < 0)
        written = false;
    if (!written)
        unlink(path);
    return written;
}

const char *spill_write(struct spill *spill, const char *kind, const char *bytes, size_t len)
{
    if (len > LIMIT_SPILL_BYTES || !have_folder(spill))
        return NULL;
    while (spill->count > 0 && len > LIMIT_SPILL_BYTES - spill->total)
        forget_oldest(spill);
    AUTO_FREE char *path = xasprintf("%s/%s-%u.txt", spill->folder, kind, spill->next);
    if (!write_file(path, bytes, len)) {
        log_error("spill: %s: %s", path, strerror(errno));
        return NULL;
    }
    spill->next++;
    spill->files = xgrow(spill->files, &spill->cap, spill->count + 1, sizeof(*spill->files));
    spill->files[spill->count++] = (struct spill_file){ path, len };
    spill->total += len;
    path = NULL;
    return spill->files[spill->count - 1].path;
}
