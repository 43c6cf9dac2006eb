#include "base/log.h"

#include "base/buffer.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LONGEST_LINE = 64 * 1024 };

static const char *const names[] = { "off", "error", "info", "debug" };
static enum log_level chosen = LOG_OFF;

void log_open(void)
{
    const char *wanted = getenv("DAPPLE_LOG");
    chosen = LOG_OFF;
    for (size_t i = 0; wanted && i < COUNT_OF(names); i++) {
        if (strcmp(wanted, names[i]) == 0)
            chosen = (enum log_level)i;
    }
}

void log_choose(enum log_level level)
{
    chosen = level;
}

void log_limit(unsigned bytes)
{
    struct stat info;
    if (fstat(STDERR_FILENO, &info) != 0 || !S_ISREG(info.st_mode) || info.st_size <= (off_t)bytes)
        return;
    int failed = ftruncate(STDERR_FILENO, 0);
    (void)failed; /* then it stays as long as it is */
}

enum log_level log_level(void)
{
    return chosen;
}

void log_write(enum log_level level, const char *format, ...)
{
    if (level == LOG_OFF || level > chosen)
        return;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LONGEST_LINE);
    buffer_addf(&line, "dapple[%d] %lld.%03ld %s: ", (int)getpid(), (long long)now.tv_sec, now.tv_nsec / 1000000, names[level]);
    va_list args;
    va_start(args, format);
    AUTO_FREE char *words = xvasprintf(format, args);
    va_end(args);
    size_t room = LONGEST_LINE - 1 - line.len;
    buffer_append(&line, words, strnlen(words, room));
    buffer_addc(&line, '\n');
    /* One write, so that the lines of several processes do not mix. Nobody is left to tell when it fails. */
    ssize_t written = write(STDERR_FILENO, line.data, line.len);
    (void)written;
}
