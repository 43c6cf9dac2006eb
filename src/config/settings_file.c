#include "config/settings_file.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "config/trust.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PI_FILE ".pi/settings.json"
#define OWN_FILE ".dapple/settings.json"

/* ---- where they are ---- */

static char *home_folder(void)
{
    const char *home = getenv("HOME");
    if (home != NULL && *home == '/')
        return xstrdup(home);
    const struct passwd *user = getpwuid(geteuid());
    return user != NULL && user->pw_dir != NULL && *user->pw_dir == '/' ? xstrdup(user->pw_dir) : NULL;
}

char *settings_home(const char *variable, const char *below)
{
    const char *named = variable != NULL ? getenv(variable) : NULL;
    if (named != NULL && *named == '/')
        return xstrdup(named);
    AUTO_FREE char *home = home_folder();
    return home != NULL ? path_join(home, below) : NULL;
}

static char *pi_global(void)
{
    return settings_home(NULL, ".pi/agent/settings.json");
}

static char *own_global(void)
{
    AUTO_FREE char *config = settings_home("XDG_CONFIG_HOME", ".config");
    return config != NULL ? path_join(config, "dapple/settings.json") : NULL;
}

/* The nearest folder from `project` upwards that has the file; NULL. */
static char *folder_with(const char *project, const char *name)
{
    char *folder = path_absolute(project, NULL);
    for (;;) {
        AUTO_FREE char *path = path_join(folder, name);
        if (path_exists(path))
            return folder;
        if (strcmp(folder, "/") == 0) {
            free(folder);
            return NULL;
        }
        char *parent = path_folder(folder);
        free(folder);
        folder = parent;
    }
}

/* ---- reading one ---- */

/* A settings file is a small regular file; opening anything else could wait, and reading it never end. */
static int open_file(const char *path, struct error *ret_error)
{
    struct stat about;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return error_set(ret_error, ERROR_CONFIG, "cannot be read: %s", strerror(errno));
    if (fstat(fd, &about) == 0 && S_ISREG(about.st_mode))
        return fd;
    close(fd);
    return error_set(ret_error, ERROR_CONFIG, "is no regular file");
}

static int read_bytes(const char *path, struct buffer *out, struct error *ret_error)
{
    int fd = open_file(path, ret_error);
    if (fd < 0)
        return -1;
    char chunk[16 * 1024];
    ssize_t got;
    while ((got = read(fd, chunk, sizeof chunk)) > 0) {
        if (buffer_append(out, chunk, (size_t)got) < 0) {
            close(fd);
            return error_set(ret_error, ERROR_LIMIT, "is longer than %u bytes", LIMIT_SETTINGS_BYTES);
        }
    }
    int failed = errno;
    close(fd);
    return got == 0 ? 0 : error_set(ret_error, ERROR_CONFIG, "cannot be read: %s", strerror(failed));
}

static int parse(struct settings_file *file, struct buffer *bytes, struct error *ret_error)
{
    size_t len;
    digest_of(bytes->data, bytes->len, file->digest);
    char *text = buffer_take(bytes, &len);
    return json_parse_commented(text, len, &file->json, ret_error);
}

static void read_file(struct settings_file *file)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_BUFFER struct buffer bytes;
    buffer_init(&bytes, LIMIT_SETTINGS_BYTES);
    if (read_bytes(file->path, &bytes, &error) < 0 || parse(file, &bytes, &error) < 0)
        file->fault = xstrdup(error.message);
}

/* ---- all of them ---- */

static size_t add_global(struct settings_file *files, size_t count, char *path, bool own, const char *project)
{
    if (path == NULL || !path_exists(path)) {
        free(path);
        return count;
    }
    files[count] = (struct settings_file){ .scope = SETTINGS_GLOBAL, .own = own, .path = path, .folder = xstrdup(project) };
    read_file(&files[count]);
    return count + 1;
}

static size_t add_project(struct settings_file *files, size_t count, const char *project, const char *name, bool own)
{
    char *folder = folder_with(project, name);
    if (folder == NULL)
        return count;
    files[count] = (struct settings_file){
        .scope = SETTINGS_PROJECT, .own = own, .path = path_join(folder, name), .folder = folder, .name = name
    };
    read_file(&files[count]);
    return count + 1;
}

static size_t add_of_project(struct settings_file *files, size_t count, const char *project)
{
    count = add_project(files, count, project, PI_FILE, false);
    return add_project(files, count, project, OWN_FILE, true);
}

size_t settings_files_of_project(const char *project, struct settings_file ret[SETTINGS_FILES])
{
    return add_of_project(ret, 0, project);
}

size_t settings_files_read(const char *project, struct settings_file ret[SETTINGS_FILES])
{
    size_t count = add_global(ret, 0, pi_global(), false, project);
    count = add_global(ret, count, own_global(), true, project);
    return add_of_project(ret, count, project);
}

void settings_files_done(struct settings_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_free(&files[i].json);
        free(files[i].path);
        free(files[i].folder);
        free(files[i].fault);
    }
}

/* ---- have they changed? ---- */

static void sign(struct buffer *out, const char *path)
{
    struct stat about;
    if (path == NULL || stat(path, &about) < 0)
        return;
    buffer_addf(out, "%s %ju %ju %jd %jd.%09ld\n", path, (uintmax_t)about.st_dev, (uintmax_t)about.st_ino, (intmax_t)about.st_size,
                (intmax_t)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
}

static void sign_project(struct buffer *out, const char *project, const char *name)
{
    AUTO_FREE char *folder = folder_with(project, name);
    AUTO_FREE char *path = folder != NULL ? path_join(folder, name) : NULL;
    sign(out, path);
}

char *settings_files_signature(const char *project)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_SETTINGS_BYTES);
    AUTO_FREE char *pi = pi_global();
    AUTO_FREE char *own = own_global();
    AUTO_FREE char *record = trust_record_path();
    sign(&out, pi);
    sign(&out, own);
    sign_project(&out, project, PI_FILE);
    sign_project(&out, project, OWN_FILE);
    sign(&out, record);
    return buffer_take(&out, NULL);
}
