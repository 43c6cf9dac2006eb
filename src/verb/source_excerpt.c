#include "verb/source_excerpt.h"

#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Opens a regular file. NONBLOCK because a path may name a pipe that nobody writes to. */
static int open_source(const char *path, char **ret_why)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        bool absent = errno == ENOENT || errno == ENOTDIR;
        *ret_why = absent ? xstrdup("is not on this machine") : xasprintf("cannot be read: %s", strerror(errno));
        return -1;
    }
    struct stat info;
    if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode)) {
        *ret_why = xstrdup("is not a regular file");
        close(fd);
        return -1;
    }
    return fd;
}

char *source_file_read(const char *path, size_t *ret_len, char **ret_why)
{
    int fd = open_source(path, ret_why);
    if (fd < 0)
        return NULL;
    char *bytes = NULL;
    size_t len = 0;
    size_t cap = 0;
    ssize_t got = 1;
    while (got != 0 && len < LIMIT_SOURCE_BYTES) {
        bytes = xgrow(bytes, &cap, len + 16 * 1024, 1);
        size_t want = LIMIT_SOURCE_BYTES - len < cap - len ? LIMIT_SOURCE_BYTES - len : cap - len;
        got = read(fd, bytes + len, want);
        if (got < 0 && errno != EINTR) {
            *ret_why = xasprintf("cannot be read: %s", strerror(errno));
            free(bytes);
            close(fd);
            return NULL;
        }
        len += got > 0 ? (size_t)got : 0;
    }
    close(fd);
    *ret_len = len;
    return bytes;
}

static char *copy_line(const char *bytes, size_t len)
{
    if (len > 0 && bytes[len - 1] == '\r')
        len--;
    if (len > SOURCE_EXCERPT_LINE_BYTES)
        len = utf8_cut(bytes, len, SOURCE_EXCERPT_LINE_BYTES);
    char *line = xmalloc(len + 1);
    memcpy(line, bytes, len);
    line[len] = '\0';
    for (char *nul = memchr(line, '\0', len); nul; nul = memchr(nul, '\0', len - (size_t)(nul - line)))
        *nul = ' ';
    return line;
}

/* Takes the lines first..last. Returns how many lines the bytes hold up to `last`. */
static int64_t take_lines(const char *bytes, size_t len, int64_t first, int64_t last, struct source_excerpt *excerpt)
{
    int64_t number = 0;
    size_t cap = 0;
    const char *end = bytes + len;
    while (bytes < end && number < last) {
        const char *newline = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t line_len = (size_t)((newline ? newline : end) - bytes);
        if (++number >= first) {
            excerpt->lines = xgrow(excerpt->lines, &cap, excerpt->count + 1, sizeof(*excerpt->lines));
            excerpt->lines[excerpt->count++] = copy_line(bytes, line_len);
        }
        bytes = newline ? newline + 1 : end;
    }
    return number;
}

static void drop_lines(struct source_excerpt *excerpt)
{
    for (size_t i = 0; i < excerpt->count; i++)
        free(excerpt->lines[i]);
    free(excerpt->lines);
    excerpt->lines = NULL;
    excerpt->count = 0;
}

void source_excerpt_read(const char *path, int64_t line, int around, struct source_excerpt *ret)
{
    *ret = (struct source_excerpt){ 0 };
    if (!path || line < 1) {
        ret->why_none = xstrdup(path ? "is known, but not the line" : "is not known");
        return;
    }
    size_t len = 0;
    AUTO_FREE char *bytes = source_file_read(path, &len, &ret->why_none);
    if (bytes)
        source_excerpt_take(bytes, len, line, around, ret);
}

void source_excerpt_take(const char *bytes, size_t len, int64_t line, int around, struct source_excerpt *ret)
{
    *ret = (struct source_excerpt){ 0 };
    if (line < 1) {
        ret->why_none = xstrdup("is known, but not the line");
        return;
    }
    bool all = len < LIMIT_SOURCE_BYTES;
    const char *from = bytes;
    if (len >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0) { /* a byte order mark is not part of the first line */
        from += 3;
        len -= 3;
    }
    int64_t before = around > 0 ? around : 0;
    ret->first_line = line > before ? line - before : 1;
    int64_t last = line > INT64_MAX - before ? INT64_MAX : line + before;
    int64_t found = take_lines(from, len, ret->first_line, last, ret);
    if (found >= line)
        return;
    drop_lines(ret);
    ret->why_none = all ? xasprintf("has only %" PRId64 " line%s", found, found == 1 ? "" : "s")
                        : xasprintf("is too large: line %" PRId64 " is not in its first megabyte", line);
}

void source_excerpt_done(struct source_excerpt *excerpt)
{
    drop_lines(excerpt);
    free(excerpt->why_none);
    *excerpt = (struct source_excerpt){ 0 };
}

const char *source_excerpt_line(const struct source_excerpt *excerpt, int64_t line)
{
    if (line < excerpt->first_line || (uint64_t)line - (uint64_t)excerpt->first_line >= excerpt->count)
        return NULL;
    return excerpt->lines[line - excerpt->first_line];
}
