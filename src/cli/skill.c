#include "cli/skill.h"

#include "adapter/file_text.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "config/digest.h"
#include "config/settings_file.h"
#include "verb/verb.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MOST_BYTES 65536 /* what is longer is not ours */

static const char mark[] = "\n<!-- dapple skill ";
static const char mark_end[] = " -->\n";

/* ---- what we write, and know again ---- */

/* The text with its digest behind it, so that one that somebody has changed is recognised. Heap memory of the caller's. */
static char *marked_skill(void)
{
    char digest[DIGEST_SIZE];
    digest_of(verb_skill, strlen(verb_skill), digest);
    return xasprintf("%s%s%s%s", verb_skill, mark, digest, mark_end);
}

/* Of any version of ours, and unchanged. */
static bool is_ours(const char *text)
{
    char digest[DIGEST_SIZE];
    const char *end = NULL;
    for (const char *at = text; (at = strstr(at, mark)) != NULL; at++)
        end = at;
    if (end == NULL)
        return false;
    digest_of(text, (size_t)(end - text), digest);
    const char *given = end + sizeof(mark) - 1;
    return strncmp(given, digest, DIGEST_SIZE - 1) == 0 && strcmp(given + DIGEST_SIZE - 1, mark_end) == 0;
}

/* ---- the file ---- */

static int make_folders(const char *folder, struct error *ret_error)
{
    AUTO_FREE char *above = path_folder(folder);
    if (path_is_folder(folder))
        return 0;
    if (strcmp(above, folder) != 0 && make_folders(above, ret_error) < 0)
        return -1;
    if (mkdir(folder, 0777) == 0 || errno == EEXIST)
        return 0;
    return error_set(ret_error, ERROR_CONFIG, "cannot make %s: %s", folder, strerror(errno));
}

/* Beside it first, so that there is never half a file. */
static int write_file(const char *path, const char *text, struct error *ret_error)
{
    AUTO_FREE char *beside = xasprintf("%s.new-%ld", path, (long)getpid());
    FILE *file = fopen(beside, "wxe");
    if (file == NULL)
        return error_set(ret_error, ERROR_CONFIG, "cannot write %s: %s", beside, strerror(errno));
    bool written = fputs(text, file) >= 0;
    written = fclose(file) == 0 && written;
    if (written && rename(beside, path) == 0)
        return 0;
    error_set(ret_error, ERROR_CONFIG, "cannot write %s: %s", path, strerror(errno));
    unlink(beside);
    return -1;
}

static int install(const char *folder, bool force, struct error *ret_error)
{
    AUTO_FREE char *own = path_join(folder, "dapple"), *path = path_join(own, "SKILL.md"), *text = marked_skill();
    AUTO_FREE char *before = path_exists(path) ? file_beginning(path, MOST_BYTES) : NULL;
    bool exists = path_exists(path);
    if (exists && before != NULL && strcmp(before, text) == 0) {
        printf("%s is up to date\n", path);
        return 0;
    }
    if (exists && !force && (before == NULL || !is_ours(before)))
        return error_set(ret_error, ERROR_CONFIG, "%s is not as dapple wrote it: --force replaces it", path);
    if (make_folders(own, ret_error) < 0 || write_file(path, text, ret_error) < 0)
        return -1;
    printf("%s %s\n", exists ? "replaced" : "wrote", path);
    return 0;
}

/* ---- the command line ---- */

struct options {
    bool install, user, force;
    const char *folder; /* NULL: not given */
};

static bool read_options(struct options *options, int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--install") == 0)
            options->install = true;
        else if (strcmp(argv[i], "--user") == 0)
            options->user = true;
        else if (strcmp(argv[i], "--force") == 0)
            options->force = true;
        else if (argv[i][0] != '-' && options->folder == NULL)
            options->folder = argv[i];
        else
            return false;
    }
    bool alone = !options->user && !options->force && options->folder == NULL;
    return options->install ? !(options->user && options->folder != NULL) : alone;
}

int skill_main(int argc, char **argv)
{
    struct options options = { 0 };
    if (!read_options(&options, argc, argv)) {
        fputs("usage: dapple skill [--install [DIR | --user] [--force]]\n", stderr);
        return 2;
    }
    if (!options.install) {
        AUTO_FREE char *text = marked_skill();
        fputs(text, stdout);
        return 0;
    }
    static const char below[] = ".claude/skills";
    AUTO_FREE char *home = options.user ? settings_home(NULL, below) : NULL;
    AUTO_FREE char *folder = options.user ? xstrdup(home) : path_absolute(options.folder != NULL ? options.folder : below, NULL);
    AUTO_ERROR struct error error = ERROR_INIT;
    if (folder == NULL)
        error_set(&error, ERROR_CONFIG, "there is no home folder: name the folder of skills (dapple skill --install DIR)");
    if (folder != NULL && install(folder, options.force, &error) == 0)
        return 0;
    fprintf(stderr, "dapple skill: %s\n", error.message);
    return 1;
}
