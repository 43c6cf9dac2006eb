#include "adapter/file_text.h"

#include "base/memory.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_SEARCHED (16u * 1024 * 1024)

/* Opens a regular file; -1 otherwise. Without waiting: opening a named pipe would. */
static int open_regular(const char *path, size_t *ret_size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    struct stat about;
    if (fd < 0)
        return -1;
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode) && about.st_size >= 0) {
        *ret_size = (size_t)about.st_size;
        return fd;
    }
    close(fd);
    return -1;
}

/* Reads the first bytes of a file, at most `most`. NULL when it cannot be read. */
static char *read_beginning(const char *path, size_t most, size_t *ret_len)
{
    size_t size;
    int fd = open_regular(path, &size);
    if (fd < 0)
        return NULL;
    if (size > most)
        size = most;
    char *bytes = xmalloc(size + 1);
    size_t len = 0;
    ssize_t got = 1;
    while (len < size && got > 0) {
        got = read(fd, bytes + len, size - len);
        len += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    bytes[len] = '\0';
    *ret_len = len;
    return bytes;
}

bool file_contains(const char *path, const char *text)
{
    size_t len;
    AUTO_FREE char *bytes = read_beginning(path, MOST_SEARCHED, &len);
    return bytes != NULL && memmem(bytes, len, text, strlen(text)) != NULL;
}

char *file_beginning(const char *path, size_t most)
{
    size_t len;
    return read_beginning(path, most, &len);
}
