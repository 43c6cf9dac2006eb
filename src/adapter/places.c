#include "adapter/places.h"

#include "adapter/discover.h"
#include "adapter/entry.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "base/path.h"

#include <glob.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROJECT "${project}"
#define ADAPTERS "${adapters}"

static int newest_first(const void *a, const void *b)
{
    return strverscmp(*(char *const *)b, *(char *const *)a);
}

static void add_once(struct string_list *folders, const char *folder)
{
    if (!string_list_has(folders, folder))
        string_list_add(folders, folder);
}

/* Adds the folders that a pattern stands for; ~ and * are filled in. */
static void add_matching(struct string_list *folders, const char *pattern)
{
    glob_t found;
    if (glob(pattern, GLOB_TILDE, NULL, &found) != 0)
        return;
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, newest_first);
    for (size_t i = 0; i < found.gl_pathc; i++)
        add_once(folders, found.gl_pathv[i]);
    globfree(&found);
}

/* A path as a pattern that means just it. Heap memory of the caller's. */
static char *literal(const char *path)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, SIZE_MAX);
    for (; *path != '\0'; path++) {
        if (strchr("*?[\\~", *path) != NULL)
            buffer_addc(&out, '\\');
        buffer_addc(&out, *path);
    }
    return buffer_take(&out, NULL);
}

/* Adds what matches `rest` below a folder. */
static void add_below(struct string_list *folders, const char *folder, const char *rest)
{
    AUTO_FREE char *prefix = literal(strcmp(folder, "/") == 0 ? "" : folder);
    AUTO_FREE char *pattern = xasprintf("%s%s", prefix, rest);
    add_matching(folders, pattern);
}

/* ---- adapters that were installed for Dapple ---- */

/* A folder that somebody else could have laid out for us is not trusted to hold programs. */
static bool is_ours(const char *folder)
{
    struct stat about;
    return stat(folder, &about) == 0 && S_ISDIR(about.st_mode) && (about.st_uid == geteuid() || about.st_uid == 0) &&
           (about.st_mode & S_IWOTH) == 0;
}

char *adapters_folder_above(const char *start)
{
    AUTO_FREE char *folder = xstrdup(start);
    for (;;) {
        AUTO_FREE char *adapters = path_join(folder, ".adapters");
        AUTO_FREE char *programs = path_join(adapters, "bin");
        if (is_ours(adapters) && is_ours(programs))
            return xstrdup(adapters);
        if (strcmp(folder, "/") == 0)
            return NULL;
        char *parent = path_folder(folder);
        free(folder);
        folder = parent;
    }
}

/* What the user named, or NULL. */
static const char *named_adapters(void)
{
    const char *named = getenv("DAPPLE_ADAPTERS");
    return named != NULL && *named == '/' ? named : NULL;
}

static char *adapters_beside_binary(void)
{
    AUTO_FREE char *binary = realpath("/proc/self/exe", NULL);
    AUTO_FREE char *folder = binary != NULL ? path_folder(binary) : NULL;
    return folder != NULL ? adapters_folder_above(folder) : NULL;
}

/* ---- the declaration's places ---- */

/* The pattern in the program's folder and in every one above. */
static void add_project(struct string_list *folders, const char *rest, const char *program)
{
    AUTO_FREE char *folder = path_is_folder(program) ? xstrdup(program) : path_folder(program);
    for (;;) {
        add_below(folders, folder, rest);
        if (strcmp(folder, "/") == 0)
            return;
        char *parent = path_folder(folder);
        free(folder);
        folder = parent;
    }
}

static bool is_of_project(const char *place)
{
    return strncmp(place, PROJECT "/", sizeof PROJECT) == 0;
}

/* A place that begins with a variable of the environment, which may name several folders. */
static void add_by_variable(struct string_list *folders, const char *place)
{
    const char *end = strchr(place, '}');
    AUTO_FREE char *name = xstrndup(place + 2, (size_t)(end - place) - 2);
    AUTO_FREE char *value = xstrdup(getenv(name));
    char *rest = NULL;
    for (char *folder = value != NULL ? strtok_r(value, ":", &rest) : NULL; folder != NULL; folder = strtok_r(NULL, ":", &rest)) {
        if (*folder == '/')
            add_below(folders, folder, end + 1);
    }
}

static void add_place(struct string_list *folders, const char *place, const struct adapter_search *search)
{
    if (is_of_project(place)) {
        add_project(folders, place + strlen(PROJECT), search->program);
    } else if (strncmp(place, ADAPTERS, strlen(ADAPTERS)) == 0) {
        AUTO_FREE char *adapters = named_adapters() != NULL ? xstrdup(named_adapters()) : adapters_beside_binary();
        if (adapters != NULL)
            add_below(folders, adapters, place + strlen(ADAPTERS));
    } else if (strncmp(place, "${", 2) == 0) {
        add_by_variable(folders, place);
    } else {
        add_matching(folders, place);
    }
}

void places_expand(struct string_list *folders, yyjson_val *places, const struct adapter_search *search)
{
    size_t index, count;
    yyjson_val *place;
    yyjson_arr_foreach(places, index, count, place)
        add_place(folders, yyjson_get_str(place), search);
}

void places_of_extensions(struct string_list *folders, yyjson_val *extensions)
{
    static const char *const editors[] = {
        "~/.vscode",
        "~/.vscode-insiders",
        "~/.vscode-server",
        "~/.vscode-server-insiders",
        "~/.cursor",
        "~/.cursor-server",
        "~/.vscode-oss",
        "~/.vscodium-server",
        "~/.windsurf",
        "~/.windsurf-server",
        "~/.local/share/code-server",
    };
    size_t index, count;
    yyjson_val *extension;
    yyjson_arr_foreach(extensions, index, count, extension) {
        const char *folder = yyjson_get_str(extension);
        for (size_t i = 0; folder != NULL && i < COUNT_OF(editors); i++) {
            AUTO_FREE char *pattern = xasprintf("%s/extensions/%s", editors[i], folder);
            add_matching(folders, pattern);
        }
    }
}

/* ---- where programs are looked for by name ---- */

static void add_path_folders(struct string_list *folders)
{
    const char *variable = getenv("PATH");
    AUTO_FREE char *path = xstrdup(variable != NULL ? variable : "");
    char *rest = NULL;
    for (char *folder = strtok_r(path, ":", &rest); folder != NULL; folder = strtok_r(NULL, ":", &rest)) {
        /* a relative entry would mean another file in every directory */
        if (*folder == '/')
            add_once(folders, folder);
    }
}

static void add_places_of_project(struct string_list *folders, yyjson_val *places, const struct adapter_search *search)
{
    size_t index, count;
    yyjson_val *place;
    yyjson_arr_foreach(places, index, count, place) {
        if (is_of_project(yyjson_get_str(place)))
            add_place(folders, yyjson_get_str(place), search);
    }
}

bool places_of_project_have(const struct adapter_entry *entry, const struct adapter_search *search, const char *program)
{
    AUTO_STRING_LIST struct string_list folders = { 0 };
    add_places_of_project(&folders, entry->places, search);
    AUTO_FREE char *folder = path_folder(program);
    return string_list_has(&folders, folder);
}

void places_for_programs(struct string_list *folders, const struct adapter_entry *entry, const struct adapter_search *search)
{
    const char *named = named_adapters();
    AUTO_FREE char *beside = named == NULL ? adapters_beside_binary() : NULL;
    if (named != NULL)
        string_list_take(folders, path_join(named, "bin"));
    add_places_of_project(folders, entry->places, search);
    add_path_folders(folders);
    if (beside != NULL)
        string_list_take(folders, path_join(beside, "bin"));
    add_matching(folders, "~/.local/share/nvim/mason/bin");
}
