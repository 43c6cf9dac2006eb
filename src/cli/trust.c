#include "cli/trust.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/utf8.h"
#include "config/settings_file.h"
#include "config/trust.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage: dapple trust [DIR]\n"
    "       dapple trust --list\n"
    "       dapple trust --remove [DIR]\n"
    "\n"
    "Adapters and launch profiles in a project's own settings (.dapple/settings.json, .pi/settings.json) name commands\n"
    "that run on this machine, so they count only after you have trusted them here. This shows what they name, and\n"
    "trusts the nearest such files from DIR (default: the present folder) upwards, as they are now: a file that is\n"
    "changed is to be trusted again.\n";

/* ---- what a file names ---- */

/* A file is somebody else's words: one line, without control characters. */
static void print_text(const char *text)
{
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LIMIT_MESSAGE_BYTES);
    utf8_one_line(&line, text, strlen(text), LIMIT_MESSAGE_BYTES);
    fputs(line.data, stdout);
}

static void print_value(yyjson_val *value)
{
    AUTO_FREE char *text = yyjson_is_str(value) ? xstrdup(yyjson_get_str(value)) : json_write_value(value, NULL);
    print_text(text);
}

static void print_adapters(yyjson_val *adapters)
{
    size_t index, count;
    yyjson_val *id, *adapter;
    json_obj_foreach(adapters, index, count, id, adapter) {
        size_t at, size;
        yyjson_val *arg;
        printf("  adapter ");
        print_value(id);
        printf(" runs: ");
        print_value(yyjson_obj_get(adapter, "command"));
        yyjson_arr_foreach(yyjson_obj_get(adapter, "args"), at, size, arg) {
            putchar(' ');
            print_value(arg);
        }
        putchar('\n');
        if (yyjson_obj_size(yyjson_obj_get(adapter, "environment")) > 0) {
            printf("    with the environment ");
            print_value(yyjson_obj_get(adapter, "environment"));
            putchar('\n');
        }
    }
}

static void print_profiles(yyjson_val *profiles)
{
    size_t index, count;
    yyjson_val *id, *profile;
    json_obj_foreach(profiles, index, count, id, profile) {
        printf("  profile ");
        print_value(id);
        printf(" launches with ");
        print_value(yyjson_obj_get(profile, "adapter"));
        printf(": ");
        print_value(yyjson_obj_get(profile, "arguments"));
        putchar('\n');
    }
}

static void print_file(const struct settings_file *file)
{
    yyjson_val *object = yyjson_obj_get(file->json.root, "dap");
    if (object == NULL && file->own)
        object = file->json.root;
    print_text(file->path);
    putchar('\n');
    print_adapters(yyjson_obj_get(object, "adapters"));
    print_profiles(yyjson_obj_get(object, "profiles"));
}

/* ---- the three things that can be done ---- */

static int fail(const struct error *error)
{
    fprintf(stderr, "dapple trust: %s\n", error->message);
    return 1;
}

static bool check_files(const struct settings_file *files, size_t count, const char *folder)
{
    for (size_t i = 0; i < count; i++) {
        if (files[i].fault != NULL) {
            fprintf(stderr, "dapple trust: %s %s\n", files[i].path, files[i].fault);
            return false;
        }
    }
    if (count == 0)
        fprintf(stderr, "dapple trust: there is no .dapple/settings.json or .pi/settings.json in %s or above\n", folder);
    return count > 0;
}

static int trust_files(struct trust *trust, const struct settings_file *files, size_t count)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    for (size_t i = 0; i < count; i++) {
        print_file(&files[i]);
        trust_give(trust, &files[i]);
    }
    if (trust_write(trust, &error) < 0)
        return fail(&error);
    printf("Trusted until changed.\n");
    return 0;
}

static int trust_folder(struct trust *trust, const char *folder)
{
    struct settings_file files[SETTINGS_FILES];
    size_t count = settings_files_of_project(folder, files);
    int status = check_files(files, count, folder) ? trust_files(trust, files, count) : 1;
    settings_files_done(files, count);
    return status;
}

/* The folder itself, which may be gone by now, or those whose files count for it. */
static bool remove_folder(struct trust *trust, const char *folder)
{
    struct settings_file files[SETTINGS_FILES];
    AUTO_FREE char *real = realpath(folder, NULL);
    bool removed = trust_take(trust, real != NULL ? real : folder);
    size_t count = removed ? 0 : settings_files_of_project(folder, files);
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *above = realpath(files[i].folder, NULL);
        removed = (above != NULL && trust_take(trust, above)) || removed;
    }
    settings_files_done(files, count);
    return removed;
}

static int forget_folder(struct trust *trust, const char *folder)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    if (!remove_folder(trust, folder)) {
        fprintf(stderr, "dapple trust: %s was not trusted\n", folder);
        return 1;
    }
    return trust_write(trust, &error) < 0 ? fail(&error) : 0;
}

static const char *state_word(const struct settings_file *files, size_t count, const char *path, const struct trust *trust)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(files[i].path, path) == 0)
            return trust_of(trust, &files[i]) == TRUST_GIVEN ? "trusted" : "changed since it was trusted";
    }
    return "gone";
}

static int list_folders(const struct trust *trust)
{
    yyjson_mut_obj_iter folders, names;
    yyjson_mut_val *folder, *name;
    yyjson_mut_obj_iter_init(trust_folders(trust), &folders);
    while ((folder = yyjson_mut_obj_iter_next(&folders)) != NULL) {
        struct settings_file files[SETTINGS_FILES];
        size_t count = settings_files_of_project(yyjson_mut_get_str(folder), files);
        yyjson_mut_obj_iter_init(yyjson_mut_obj_iter_get_val(folder), &names);
        while ((name = yyjson_mut_obj_iter_next(&names)) != NULL) {
            AUTO_FREE char *path = path_join(yyjson_mut_get_str(folder), yyjson_mut_get_str(name));
            print_text(path);
            printf(": %s\n", state_word(files, count, path, trust));
        }
        settings_files_done(files, count);
    }
    return 0;
}

/* ---- the command line ---- */

static int wrong_usage(const char *word)
{
    fprintf(stderr, "dapple trust: \"%s\" is one word too many, or no option (dapple trust --help tells more)\n", word);
    return 2;
}

static int do_it(struct trust *trust, const char *option, const char *folder)
{
    if (strcmp(option, "--list") == 0)
        return list_folders(trust);
    return strcmp(option, "--remove") == 0 ? forget_folder(trust, folder) : trust_folder(trust, folder);
}

int trust_main(int argc, char **argv)
{
    const char *option = argc > 1 && argv[1][0] == '-' ? argv[1] : "";
    int at = *option != '\0' ? 2 : 1;
    if (strcmp(option, "--help") == 0 || strcmp(option, "-h") == 0) {
        fputs(usage, stdout);
        return 0;
    }
    if (*option != '\0' && strcmp(option, "--list") != 0 && strcmp(option, "--remove") != 0)
        return wrong_usage(option);
    bool takes_folder = strcmp(option, "--list") != 0;
    if (argc > at + (takes_folder ? 1 : 0))
        return wrong_usage(argv[argc - 1]);
    AUTO_FREE char *folder = path_absolute(argc > at ? argv[at] : ".", NULL);
    AUTO_TRUST struct trust trust;
    AUTO_ERROR struct error error = ERROR_INIT;
    return trust_read(&trust, &error) < 0 ? fail(&error) : do_it(&trust, option, folder);
}
