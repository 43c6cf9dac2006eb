#include "adapter/program_file.h"

#include "adapter/elf_file.h"
#include "adapter/nearest_name.h"
#include "adapter/python.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOOK_AT 4096 /* bytes that tell what a file is */
#define LONGEST_SHEBANG 1024

/* ---- shebang ---- */

/* The next word of a shebang line, or NULL at its end. Changes the line. */
static char *next_word(char **line)
{
    char *word = *line + strspn(*line, " \t");
    if (*word == '\0')
        return NULL;
    char *end = word + strcspn(word, " \t");
    *line = *end != '\0' ? end + 1 : end;
    *end = '\0';
    return word;
}

/* The program that env would run: its options and settings are skipped. */
static char *program_of_env(char **line)
{
    char *word;
    while ((word = next_word(line)) != NULL) {
        if (strcmp(word, "-u") == 0 || strcmp(word, "-C") == 0 || strcmp(word, "--unset") == 0 || strcmp(word, "--chdir") == 0) {
            next_word(line);
        } else if (strncmp(word, "--split-string=", 15) == 0) {
            return word + 15;
        } else if (strncmp(word, "-S", 2) == 0 && word[2] != '\0') {
            return word + 2;
        } else if (*word != '-' && strchr(word, '=') == NULL) {
            return word;
        }
    }
    return NULL;
}

static void read_shebang(const char *bytes, size_t len, struct program_file *file)
{
    size_t line_len = 0;
    while (line_len < len && line_len < LONGEST_SHEBANG && bytes[line_len] != '\n' && bytes[line_len] != '\r')
        line_len++;
    AUTO_FREE char *line = xstrndup(bytes + 2, line_len - 2);
    char *rest = line;
    const char *word = next_word(&rest);
    if (word == NULL)
        return;
    if (strcmp(path_name(word), "env") == 0)
        word = program_of_env(&rest);
    else if (*word == '/')
        file->interpreter_path = xstrdup(word);
    if (word != NULL)
        file->interpreter = xstrdup(path_name(word));
}

/* ---- format ---- */

static uint32_t big_endian(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static bool is_macho(const unsigned char *bytes, size_t len)
{
    if (len < 8)
        return false;
    switch (big_endian(bytes)) {
    case 0xfeedfaceu:
    case 0xfeedfacfu:
    case 0xcefaedfeu:
    case 0xcffaedfeu:
        return true;
    case 0xcafebabeu: /* several architectures in one file; a Java class begins alike, with a version of 45 and more */
        return big_endian(bytes + 4) < 45;
    default:
        return false;
    }
}

static void read_format(const char *path, int fd, uint64_t size, struct program_file *file)
{
    unsigned char bytes[LOOK_AT];
    ssize_t got = pread(fd, bytes, sizeof bytes, 0);
    size_t len = got > 0 ? (size_t)got : 0;
    if (elf_is(bytes, len)) {
        file->format = PROGRAM_ELF;
        elf_read(path, fd, size, file);
    } else if (is_macho(bytes, len)) {
        file->format = PROGRAM_MACHO;
    } else if (len >= 2 && memcmp(bytes, "#!", 2) == 0) {
        file->format = PROGRAM_SCRIPT;
        read_shebang((const char *)bytes, len, file);
    } else if (memchr(bytes, '\0', len) == NULL) {
        file->format = PROGRAM_TEXT;
    }
}

/* ---- the file ---- */

static int missing(const char *path, struct error *ret_error)
{
    AUTO_FREE char *folder = path_folder(path);
    if (!path_is_folder(folder))
        return error_set(ret_error, ERROR_ARGUMENT, "program %s does not exist: there is no folder %s", path, folder);
    AUTO_FREE char *nearest = nearest_path(path);
    if (nearest != NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "program %s does not exist; did you mean %s?", path, nearest);
    AUTO_FREE char *elsewhere = python_resolve(path_name(path), folder);
    if (elsewhere != NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "program %s does not exist; on PATH there is %s", path, elsewhere);
    return error_set(ret_error, ERROR_ARGUMENT, "program %s does not exist", path);
}

static int open_program(const char *path, struct stat *ret_stat, struct error *ret_error)
{
    /* without waiting: opening a named pipe would */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return missing(path, ret_error);
        return error_set(ret_error, ERROR_ARGUMENT, "program %s cannot be read: %s", path, strerror(errno));
    }
    if (fstat(fd, ret_stat) < 0)
        error_set(ret_error, ERROR_ARGUMENT, "program %s cannot be read: %s", path, strerror(errno));
    else if (S_ISDIR(ret_stat->st_mode))
        error_set(ret_error, ERROR_ARGUMENT, "program %s is a folder: name the file in it that is to be run", path);
    else if (!S_ISREG(ret_stat->st_mode))
        error_set(ret_error, ERROR_ARGUMENT, "program %s is not a regular file", path);
    else
        return fd;
    close(fd);
    return -1;
}

int program_file_read(const char *path, struct program_file *ret, struct error *ret_error)
{
    struct stat about;
    int fd = open_program(path, &about, ret_error);
    if (fd < 0)
        return -1;
    struct program_file file = { .executable = path_is_executable(path) };
    read_format(path, fd, (uint64_t)about.st_size, &file);
    close(fd);
    *ret = file;
    return 0;
}

void program_file_done(struct program_file *file)
{
    free(file->interpreter);
    free(file->interpreter_path);
    free(file->panic_function);
    *file = (struct program_file){ 0 };
}
