#include "adapter/source_facts.h"

#include "adapter/file_text.h"
#include "base/memory.h"
#include "base/path.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_SOURCE (1024u * 1024)

static bool ends_with(const char *text, const char *end)
{
    size_t len = strlen(text), end_len = strlen(end);
    return len >= end_len && strcmp(text + len - end_len, end) == 0;
}

static char *folder_of(const char *program)
{
    return path_is_folder(program) ? xstrdup(program) : path_folder(program);
}

/* ---- projects ---- */

static bool has_marker(const char *folder, yyjson_val *markers)
{
    size_t index, count;
    yyjson_val *marker;
    yyjson_arr_foreach(markers, index, count, marker) {
        AUTO_FREE char *path = path_join(folder, yyjson_get_str(marker));
        if (path_exists(path))
            return true;
    }
    return false;
}

char *project_folder(const char *program, yyjson_val *markers)
{
    char *folder = folder_of(program);
    while (!has_marker(folder, markers)) {
        char *parent = strcmp(folder, "/") != 0 ? path_folder(folder) : NULL;
        free(folder);
        folder = parent;
        if (folder == NULL)
            return NULL;
    }
    return folder;
}

/* Where compiled code lies: its own map is beside it. */
static bool has_source_map(const char *program)
{
    AUTO_FREE char *map = xasprintf("%s.map", program);
    return path_is_file(map);
}

static bool is_repository(const char *folder)
{
    AUTO_FREE char *git = path_join(folder, ".git");
    return path_exists(git);
}

/* Everything of a user's is below it: reading all that takes minutes. */
static bool is_home(const char *folder)
{
    const char *home = getenv("HOME");
    return strcmp(folder, "/") == 0 || (home != NULL && strcmp(folder, home) == 0);
}

/* The outermost one that counts; NULL: none, or there is no repository. */
static char *project_of_repository(const char *program, yyjson_val *markers)
{
    char *outermost = NULL;
    AUTO_FREE char *folder = folder_of(program);
    while (!is_home(folder)) {
        if (has_marker(folder, markers))
            xreplace(&outermost, folder);
        if (is_repository(folder))
            return outermost;
        char *parent = path_folder(folder);
        free(folder);
        folder = parent;
    }
    free(outermost);
    return NULL;
}

char *source_map_folder(const char *program, yyjson_val *markers)
{
    char *folder = project_of_repository(program, markers);
    if (folder == NULL)
        folder = project_folder(program, markers);
    if (folder != NULL && !is_home(folder))
        return folder;
    free(folder);
    return has_source_map(program) ? path_folder(program) : NULL;
}

/* ---- Go ---- */

static size_t count_mains(const char *folder);
static bool has_tests(const char *folder);

const char *go_mode(const char *program)
{
    if (path_is_folder(program))
        return count_mains(program) == 0 && has_tests(program) ? "test" : "debug";
    if (ends_with(program, "_test.go"))
        return "test";
    return ends_with(program, ".go") ? "debug" : "exec";
}

static bool has_main(const char *path)
{
    AUTO_FREE char *text = file_beginning(path, LONGEST_SOURCE);
    return text != NULL && (strncmp(text, "func main(", 10) == 0 || strstr(text, "\nfunc main(") != NULL);
}

/* How many sources of a folder have a main function. */
static size_t count_mains(const char *folder)
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    size_t count = 0;
    while (listing != NULL && (entry = readdir(listing)) != NULL) {
        AUTO_FREE char *path = path_join(folder, entry->d_name);
        if (ends_with(entry->d_name, ".go") && !ends_with(entry->d_name, "_test.go") && has_main(path))
            count++;
    }
    if (listing != NULL)
        closedir(listing);
    return count;
}

static bool has_tests(const char *folder)
{
    DIR *listing = opendir(folder);
    const struct dirent *entry;
    bool found = false;
    while (listing != NULL && !found && (entry = readdir(listing)) != NULL)
        found = ends_with(entry->d_name, "_test.go");
    if (listing != NULL)
        closedir(listing);
    return found;
}

static bool is_in_module(const char *start)
{
    AUTO_FREE char *folder = xstrdup(start);
    for (;;) {
        AUTO_FREE char *module = path_join(folder, "go.mod");
        if (path_is_file(module))
            return true;
        if (strcmp(folder, "/") == 0)
            return false;
        char *parent = path_folder(folder);
        free(folder);
        folder = parent;
    }
}

char *go_target(const char *program)
{
    AUTO_FREE char *folder = folder_of(program);
    if (strcmp(go_mode(program), "test") == 0)
        return xstrdup(folder);
    if (ends_with(program, ".go") && is_in_module(folder) && has_main(program) && count_mains(folder) == 1)
        return xstrdup(folder);
    return xstrdup(program);
}

/* ---- Rust ---- */

/* It becomes part of debuggers' commands: a name with a quote or a blank in it would not stay one word there. */
static bool has_printers(const char *folder)
{
    AUTO_FREE char *file = path_join(folder, "gdb_load_rust_pretty_printers.py");
    return strpbrk(folder, " '\"\\:\n") == NULL && path_is_file(file);
}

static char *rustup_folder(void)
{
    const char *home = getenv("RUSTUP_HOME");
    return home != NULL && *home == '/' ? xstrdup(home) : path_join(getenv("HOME") != NULL ? getenv("HOME") : "/", ".rustup");
}

static char *printers_of_rustup(void)
{
    AUTO_FREE char *rustup = rustup_folder();
    AUTO_FREE char *toolchains = path_join(rustup, "toolchains");
    DIR *listing = opendir(toolchains);
    const struct dirent *entry;
    char *best = NULL;
    bool stable = false;
    while (listing != NULL && !stable && (entry = readdir(listing)) != NULL) {
        AUTO_FREE char *folder = xasprintf("%s/%s/lib/rustlib/etc", toolchains, entry->d_name);
        stable = strncmp(entry->d_name, "stable", 6) == 0 && has_printers(folder);
        if (stable || (best == NULL && entry->d_name[0] != '.' && has_printers(folder)))
            xreplace(&best, folder);
    }
    if (listing != NULL)
        closedir(listing);
    return best;
}

char *rust_printers_folder(void)
{
    static const char *const systems[] = { "/usr/lib/rustlib/etc", "/usr/local/lib/rustlib/etc" };
    char *folder = printers_of_rustup();
    for (size_t i = 0; folder == NULL && i < COUNT_OF(systems); i++)
        folder = has_printers(systems[i]) ? xstrdup(systems[i]) : NULL;
    return folder;
}

/* ---- TypeScript ---- */

static bool is_typescript(const char *program)
{
    return ends_with(program, ".ts") || ends_with(program, ".tsx") || ends_with(program, ".mts") || ends_with(program, ".cts");
}

static char *runner_of_project(const char *program, const char *name)
{
    AUTO_FREE char *folder = folder_of(program);
    for (;;) {
        char *path = xasprintf("%s/node_modules/.bin/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
        if (path_is_executable(path))
            return path;
        free(path);
        if (strcmp(folder, "/") == 0)
            return NULL;
        char *parent = path_folder(folder);
        free(folder);
        folder = parent;
    }
}

static char *program_on_path(const char *name)
{
    AUTO_FREE char *folders = xstrdup(getenv("PATH"));
    char *rest = NULL;
    for (char *folder = folders != NULL ? strtok_r(folders, ":", &rest) : NULL; folder != NULL;
         folder = strtok_r(NULL, ":", &rest)) {
        char *path = path_join(folder, name);
        if (*folder == '/' && path_is_executable(path))
            return path;
        free(path);
    }
    return NULL;
}

char *typescript_runner(const char *program)
{
    if (!is_typescript(program))
        return NULL;
    char *runner = runner_of_project(program, "tsx");
    return runner != NULL ? runner : program_on_path("tsx");
}

/* ---- Kotlin ---- */

/* The name behind `package` at the beginning of a line, "" when there is none. */
static char *package_of(const char *text)
{
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "package ", 8) == 0) {
            const char *name = line + 8 + strspn(line + 8, " \t");
            return xstrndup(name, strcspn(name, " \t\r\n;"));
        }
    }
    return xstrdup("");
}

char *kotlin_main_class(const char *program)
{
    const char *name = path_name(program);
    if (!ends_with(name, ".kt"))
        return NULL;
    AUTO_FREE char *text = file_beginning(program, LONGEST_SOURCE);
    AUTO_FREE char *package = package_of(text != NULL ? text : "");
    char *class = xasprintf("%s%s%.*sKt", package, *package != '\0' ? "." : "", (int)(strlen(name) - 3), name);
    char *first = class + strlen(package) + (*package != '\0');
    *first = (char)toupper((unsigned char)*first);
    return class;
}
