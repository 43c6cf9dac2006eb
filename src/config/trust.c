#include "config/trust.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "config/settings_file.h"
#include "json/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *trust_record_path(void)
{
    AUTO_FREE char *state = settings_home("XDG_STATE_HOME", ".local/state");
    return state != NULL ? path_join(state, "dapple/trusted.json") : NULL;
}

/* ---- reading ---- */

static void begin_empty(struct trust *trust)
{
    trust->doc = yyjson_mut_doc_new(NULL);
    if (trust->doc == NULL)
        abort();
    yyjson_mut_val *root = yyjson_mut_obj(trust->doc);
    yyjson_mut_obj_add_obj(trust->doc, root, "folders");
    yyjson_mut_doc_set_root(trust->doc, root);
}

static int read_all(int fd, const char *path, struct buffer *out, struct error *ret_error)
{
    struct stat about;
    if (fstat(fd, &about) < 0 || !S_ISREG(about.st_mode))
        return error_set(ret_error, ERROR_CONFIG, "%s is no regular file", path);
    if (about.st_uid != geteuid() || (about.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return error_set(ret_error, ERROR_CONFIG, "%s could have been written by others, so it trusts nothing", path);
    char chunk[16 * 1024];
    ssize_t got;
    while ((got = read(fd, chunk, sizeof chunk)) > 0) {
        if (buffer_append(out, chunk, (size_t)got) < 0)
            return error_set(ret_error, ERROR_LIMIT, "%s is longer than %u bytes", path, LIMIT_SETTINGS_BYTES);
    }
    return got == 0 ? 0 : error_set(ret_error, ERROR_CONFIG, "%s cannot be read: %s", path, strerror(errno));
}

static int parse(struct trust *trust, struct buffer *bytes, const char *path, struct error *ret_error)
{
    AUTO_JSON struct json json = { 0 };
    size_t len;
    char *text = buffer_take(bytes, &len);
    if (json_parse(text, len, &json, ret_error) < 0) {
        error_prefix(ret_error, "%s: ", path);
        return -1;
    }
    yyjson_val *folders = json_object(json.root, "folders");
    if (folders == NULL)
        return error_set(ret_error, ERROR_CONFIG, "%s is no record of trust", path);
    yyjson_mut_obj_put(yyjson_mut_doc_get_root(trust->doc), yyjson_mut_str(trust->doc, "folders"),
                       yyjson_val_mut_copy(trust->doc, folders));
    return 0;
}

int trust_read(struct trust *ret, struct error *ret_error)
{
    AUTO_FREE char *path = trust_record_path();
    AUTO_BUFFER struct buffer bytes;
    buffer_init(&bytes, LIMIT_SETTINGS_BYTES);
    begin_empty(ret);
    int fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY) : -1;
    if (fd < 0 && (path == NULL || errno == ENOENT || errno == ENOTDIR))
        return 0;
    if (fd < 0)
        return error_set(ret_error, ERROR_CONFIG, "%s cannot be read: %s", path, strerror(errno));
    int result = read_all(fd, path, &bytes, ret_error);
    close(fd);
    return result < 0 ? -1 : parse(ret, &bytes, path, ret_error);
}

void trust_done(struct trust *trust)
{
    yyjson_mut_doc_free(trust->doc);
    trust->doc = NULL;
}

/* ---- writing ---- */

/* Makes the folder and those above it, for the user alone. */
static int make_folders(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        int failed = mkdir(path, 0700) < 0 && errno != EEXIST;
        *slash = '/';
        if (failed)
            return -1;
    }
    return 0;
}

static int write_all(int fd, const char *text, size_t len)
{
    while (len > 0) {
        ssize_t put = write(fd, text, len);
        if (put < 0)
            return -1;
        text += put;
        len -= (size_t)put;
    }
    return fsync(fd);
}

/* A new file beside the old one takes its place: whoever reads meanwhile sees one or the other, whole. */
static int replace_file(char *path, const char *text, size_t len)
{
    AUTO_FREE char *beside = xasprintf("%s.XXXXXX", path);
    if (make_folders(path) < 0)
        return -1;
    int fd = mkostemp(beside, O_CLOEXEC); /* 0600 */
    if (fd < 0)
        return -1;
    int failed = write_all(fd, text, len) < 0;
    failed |= close(fd) < 0;
    if (failed || rename(beside, path) < 0) {
        int why = errno;
        unlink(beside);
        errno = why;
        return -1;
    }
    return 0;
}

int trust_write(const struct trust *trust, struct error *ret_error)
{
    AUTO_FREE char *path = trust_record_path();
    if (path == NULL)
        return error_set(ret_error, ERROR_CONFIG, "there is no home folder for the record of trust: set HOME or XDG_STATE_HOME");
    size_t len;
    AUTO_FREE char *text = json_write(trust->doc, &len);
    if (replace_file(path, text, len) < 0)
        return error_set(ret_error, ERROR_CONFIG, "%s cannot be written: %s", path, strerror(errno));
    return 0;
}

/* ---- the record ---- */

yyjson_mut_val *trust_folders(const struct trust *trust)
{
    yyjson_mut_val *folders = yyjson_mut_obj_get(yyjson_mut_doc_get_root(trust->doc), "folders");
    return yyjson_mut_obj_size(folders) > 0 ? folders : NULL;
}

static yyjson_mut_val *record_of(const struct trust *trust, const char *folder)
{
    return yyjson_mut_obj_get(trust_folders(trust), folder);
}

enum trust_state trust_of(const struct trust *trust, const struct settings_file *file)
{
    AUTO_FREE char *folder = realpath(file->folder, NULL);
    const char *digest = folder == NULL ? NULL : yyjson_mut_get_str(yyjson_mut_obj_get(record_of(trust, folder), file->name));
    if (digest == NULL)
        return TRUST_NONE;
    return strcmp(digest, file->digest) == 0 ? TRUST_GIVEN : TRUST_CHANGED;
}

void trust_give(struct trust *trust, const struct settings_file *file)
{
    AUTO_FREE char *folder = realpath(file->folder, NULL);
    yyjson_mut_val *folders = yyjson_mut_obj_get(yyjson_mut_doc_get_root(trust->doc), "folders");
    if (folder == NULL)
        return;
    yyjson_mut_val *record = record_of(trust, folder);
    if (!yyjson_mut_is_obj(record)) {
        record = yyjson_mut_obj(trust->doc);
        yyjson_mut_obj_put(folders, json_new_string(trust->doc, folder, strlen(folder)), record);
    }
    yyjson_mut_obj_put(record, yyjson_mut_strcpy(trust->doc, file->name), yyjson_mut_strcpy(trust->doc, file->digest));
}

bool trust_take(struct trust *trust, const char *folder)
{
    return yyjson_mut_obj_remove_key(trust_folders(trust), folder) != NULL;
}
