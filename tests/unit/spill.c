#include "verb/spill.h"

#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char temporary[] = "/tmp/unit-spill-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(temporary))
        return -1;
    return setenv("TMPDIR", temporary, 1);
}

static size_t entries_in(const char *path)
{
    size_t count = 0;
    DIR *folder = opendir(path);
    assert_non_null(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        count += entry->d_name[0] != '.';
    closedir(folder);
    return count;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(temporary); /* fails, and the group with it, when anything was left behind */
}

static void check_content(const char *path, const char *bytes, size_t len)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char *got = malloc(len + 2);
    assert_int_equal(fread(got, 1, len + 1, file), len);
    assert_memory_equal(got, bytes, len);
    free(got);
    fclose(file);
}

static mode_t mode_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_mode & 07777;
}

static void nothing_is_made_before_it_is_needed(void **state)
{
    (void)state;
    struct spill *spill = spill_new();
    assert_int_equal(entries_in(temporary), 0);
    spill_free(spill);
    spill_free(NULL);
}

/* What a program prints may be secret: nobody else may read it, whatever the umask is. */
static void files_are_private(void **state)
{
    (void)state;
    mode_t old = umask(0);
    struct spill *spill = spill_new();
    const char *path = spill_write(spill, "output", "a\0b", 3);
    umask(old);
    assert_non_null(path);
    check_content(path, "a\0b", 3);
    assert_int_equal(mode_of(path), 0600);
    AUTO_FREE char *folder = path_folder(path);
    assert_int_equal(mode_of(folder), 0700);
    assert_memory_equal(path, temporary, strlen(temporary));
    assert_string_equal(path_name(path), "output-1.txt");
    assert_string_equal(path_name(spill_write(spill, "result", "", 0)), "result-2.txt");
    assert_int_equal(entries_in(folder), 2);
    spill_free(spill);
    assert_int_equal(entries_in(temporary), 0);
}

/* A long session of long results must not fill the disk. */
static void the_oldest_files_go_first(void **state)
{
    (void)state;
    struct spill *spill = spill_new();
    size_t len = LIMIT_SPILL_BYTES / 4;
    char *bytes = calloc(1, len + 1);
    AUTO_FREE char *first = xstrdup(spill_write(spill, "output", bytes, len));
    AUTO_FREE char *second = xstrdup(spill_write(spill, "output", bytes, len));
    assert_non_null(spill_write(spill, "output", bytes, len));
    assert_non_null(spill_write(spill, "output", bytes, len));
    assert_true(path_is_file(first));
    assert_non_null(spill_write(spill, "output", bytes, 1));
    assert_false(path_exists(first));
    assert_true(path_is_file(second));
    free(bytes);
    spill_free(spill);
    assert_int_equal(entries_in(temporary), 0);
}

static void more_than_everything_is_refused(void **state)
{
    (void)state;
    struct spill *spill = spill_new();
    assert_null(spill_write(spill, "output", "", LIMIT_SPILL_BYTES + 1));
    assert_non_null(spill_write(spill, "output", "x", 1));
    spill_free(spill);
}

/* Cleaners of /tmp remove old folders under long-lived processes. */
static void a_removed_folder_is_made_again(void **state)
{
    (void)state;
    struct spill *spill = spill_new();
    const char *path = spill_write(spill, "output", "x", 1);
    AUTO_FREE char *folder = path_folder(path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
    path = spill_write(spill, "output", "yz", 2);
    assert_non_null(path);
    check_content(path, "yz", 2);
    spill_free(spill);
    assert_int_equal(entries_in(temporary), 0);
}

static void without_tmpdir_tmp_is_used(void **state)
{
    (void)state;
    static const char *const bad[] = { "/nonexistent/folder", "relative", "" };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        setenv("TMPDIR", bad[i], 1);
        struct spill *spill = spill_new();
        const char *path = spill_write(spill, "output", "x", 1);
        assert_non_null(path);
        assert_memory_equal(path, "/tmp/dapple-spill-", 18);
        AUTO_FREE char *folder = path_folder(path);
        spill_free(spill);
        assert_false(path_exists(folder));
    }
    setenv("TMPDIR", temporary, 1);
}

/* A Dapple that was killed with SIGKILL left its folder behind for ever. */
static void folders_of_killed_ones_are_removed(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        spill_write(spill_new(), "output", "left behind", 11);
        _exit(0); /* without removing anything; the lock goes with the process */
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(entries_in(temporary), 1);
    struct spill *spill = spill_new();
    assert_non_null(spill_write(spill, "output", "x", 1));
    assert_int_equal(entries_in(temporary), 1); /* the new one */
    spill_free(spill);
    assert_int_equal(entries_in(temporary), 0);
}

/* Two Dapples side by side do not remove each other's files. */
static void folders_of_living_ones_stay(void **state)
{
    (void)state;
    struct spill *one = spill_new();
    struct spill *other = spill_new();
    AUTO_FREE char *path = xstrdup(spill_write(one, "output", "mine", 4));
    assert_non_null(spill_write(other, "output", "x", 1));
    check_content(path, "mine", 4);
    spill_free(other);
    check_content(path, "mine", 4);
    spill_free(one);
}

/* Each Dapple looks for abandoned folders when it makes its own, and one that has been made and not been locked yet looks abandoned: of
 * several that began at once, some were left without a file for their long result. */
static void those_that_begin_at_once_do_not_lose_theirs(void **state)
{
    (void)state;
    enum { AT_ONCE = 6, TIMES = 150 };
    pid_t children[AT_ONCE];
    for (size_t i = 0; i < AT_ONCE; i++) {
        children[i] = fork();
        if (children[i] != 0)
            continue;
        for (int k = 0; k < TIMES; k++) {
            struct spill *spill = spill_new();
            const char *path = spill_write(spill, "output", "x", 1);
            if (path == NULL || access(path, R_OK) != 0)
                _exit(1);
            spill_free(spill);
        }
        _exit(0);
    }
    for (size_t i = 0; i < AT_ONCE; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

/* Folders and links that merely look like ours are left alone. */
static void strangers_folders_stay(void **state)
{
    (void)state;
    AUTO_FREE char *victim = xasprintf("%s/victim", temporary);
    AUTO_FREE char *link = xasprintf("%s/dapple-spill-link", temporary);
    AUTO_FREE char *kept = xasprintf("%s/kept", victim);
    assert_int_equal(mkdir(victim, 0700), 0);
    assert_int_equal(symlink(victim, link), 0);
    int fd = open(kept, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    close(fd);
    struct spill *spill = spill_new();
    assert_non_null(spill_write(spill, "output", "x", 1));
    spill_free(spill);
    assert_true(path_is_file(kept));
    unlink(kept);
    unlink(link);
    rmdir(victim);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_made_before_it_is_needed),
        cmocka_unit_test(files_are_private),
        cmocka_unit_test(the_oldest_files_go_first),
        cmocka_unit_test(more_than_everything_is_refused),
        cmocka_unit_test(a_removed_folder_is_made_again),
        cmocka_unit_test(without_tmpdir_tmp_is_used),
        cmocka_unit_test(folders_of_killed_ones_are_removed),
        cmocka_unit_test(folders_of_living_ones_stay),
        cmocka_unit_test(those_that_begin_at_once_do_not_lose_theirs),
        cmocka_unit_test(strangers_folders_stay),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
