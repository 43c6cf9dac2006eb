/* A folder of a test's own, with files in it, gone afterwards. Include after cmocka.h. */
#pragma once

#include "base/memory.h"
#include "base/path.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Its real path, since temporary folders can lie behind links. Heap memory of the caller's. */
static inline char *scratch_new(void)
{
    const char *base = getenv("TMPDIR");
    AUTO_FREE char *template = xasprintf("%s/dapple-test-XXXXXX", base != NULL && *base == '/' ? base : "/tmp");
    assert_non_null(mkdtemp(template));
    char *real = realpath(template, NULL);
    assert_non_null(real);
    return real;
}

static inline int scratch_remove_one(const char *path, const struct stat *about, int type, struct FTW *where)
{
    (void)about;
    (void)type;
    (void)where;
    return remove(path);
}

static inline void scratch_free(char *scratch)
{
    assert_int_equal(nftw(scratch, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
    free(scratch);
}

/* The path of something in it. Heap memory of the caller's. */
static inline char *scratch_path(const char *scratch, const char *name)
{
    return path_join(scratch, name);
}

/* Makes a folder and those above it. */
static inline void scratch_folder(const char *scratch, const char *name)
{
    AUTO_FREE char *path = scratch_path(scratch, name);
    for (char *slash = strchr(path + strlen(scratch) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
    assert_true(mkdir(path, 0755) == 0 || path_is_folder(path));
}

static inline void scratch_folder_of(const char *scratch, const char *name)
{
    AUTO_FREE char *folder = xstrdup(name);
    char *slash = strrchr(folder, '/');
    if (slash == NULL)
        return;
    *slash = '\0';
    scratch_folder(scratch, folder);
}

/* Writes a file, with the folders that it needs. Returns its path, which the caller frees. */
static inline char *scratch_bytes(const char *scratch, const char *name, const void *bytes, size_t len, mode_t mode)
{
    scratch_folder_of(scratch, name);
    char *path = scratch_path(scratch, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(chmod(path, mode), 0);
    return path;
}

static inline char *scratch_file(const char *scratch, const char *name, const char *text)
{
    return scratch_bytes(scratch, name, text, strlen(text), 0644);
}

static inline char *scratch_program(const char *scratch, const char *name, const char *text)
{
    return scratch_bytes(scratch, name, text, strlen(text), 0755);
}

static inline void scratch_link(const char *scratch, const char *target, const char *name)
{
    scratch_folder_of(scratch, name);
    AUTO_FREE char *path = scratch_path(scratch, name);
    assert_int_equal(symlink(target, path), 0);
}
