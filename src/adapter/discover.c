#include "adapter/discover.h"

#include "adapter/definition.h"
#include "adapter/entry.h"
#include "adapter/file_text.h"
#include "adapter/install_hint.h"
#include "adapter/places.h"
#include "adapter/python.h"
#include "adapter/string_list.h"
#include "adapter/version_probe.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LONGEST_MESSAGE 8192

static int newest_first(const void *a, const void *b)
{
    return strverscmp(*(char *const *)b, *(char *const *)a);
}

/* ---- programs ---- */

/* Adds a program once, whatever links lead to it; a file of its name that is none is a fault. */
static void add_program(struct string_list *programs, const char *path, struct buffer *faults)
{
    if (path_is_file(path) && !path_is_executable(path))
        buffer_addf(faults, "%s%s may not be executed (chmod +x %s)", faults->len > 0 ? "; " : "", path, path);
    if (!path_is_executable(path))
        return;
    for (size_t i = 0; i < programs->count; i++) {
        if (path_same_file(programs->items[i], path))
            return;
    }
    string_list_add(programs, path);
}

/* Adds the programs of a name with versions ("lldb-dap-*"), over all folders the newest first. */
static void add_versions(struct string_list *programs, const struct string_list *folders, const char *pattern,
                         struct buffer *faults)
{
    AUTO_STRING_LIST struct string_list names = { 0 };
    for (size_t i = 0; i < folders->count; i++) {
        DIR *folder = opendir(folders->items[i]);
        const struct dirent *entry;
        while (folder != NULL && (entry = readdir(folder)) != NULL) {
            if (adapter_name_matches(pattern, entry->d_name) && !string_list_has(&names, entry->d_name))
                string_list_add(&names, entry->d_name);
        }
        if (folder != NULL)
            closedir(folder);
    }
    if (names.count > 0)
        qsort(names.items, names.count, sizeof *names.items, newest_first);
    for (size_t i = 0; i < names.count; i++) {
        for (size_t j = 0; j < folders->count; j++) {
            AUTO_FREE char *path = path_join(folders->items[j], names.items[i]);
            add_program(programs, path, faults);
        }
    }
}

static void add_programs(struct string_list *programs, const struct string_list *folders, yyjson_val *names, struct buffer *faults)
{
    size_t index, count;
    yyjson_val *name;
    yyjson_arr_foreach(names, index, count, name) {
        const char *pattern = yyjson_get_str(name);
        if (strchr(pattern, '*') != NULL) {
            add_versions(programs, folders, pattern, faults);
            continue;
        }
        for (size_t i = 0; i < folders->count; i++) {
            AUTO_FREE char *path = path_join(folders->items[i], pattern);
            add_program(programs, path, faults);
        }
    }
}

/* A file that only versions of use have, beside the program: it need not be run then. */
static bool has_proof(const struct adapter_entry *entry, const char *path)
{
    const char *proof = json_string(entry->version, "proof");
    char real[PATH_MAX];
    if (proof == NULL || realpath(path, real) == NULL)
        return false;
    AUTO_FREE char *folder = path_folder(real);
    AUTO_FREE char *joined = path_join(folder, proof);
    return path_is_file(joined);
}

/* May this program be used? If not, says why not in `faults`. */
static bool version_serves(const struct adapter_entry *entry, const char *path, struct buffer *faults, const char **ret_version)
{
    *ret_version = NULL;
    if (json_member(entry->version, "minimum") == NULL || has_proof(entry, path))
        return true;
    AUTO_STRING_LIST struct string_list arguments = { 0 };
    size_t index, count;
    yyjson_val *argument;
    yyjson_arr_foreach(json_array(entry->version, "arguments"), index, count, argument)
        string_list_add(&arguments, yyjson_get_str(argument));
    const char *version = version_probe(path, arguments.items);
    *ret_version = version;
    if (version != NULL && strtoll(version, NULL, 10) >= json_int_or(entry->version, "minimum", 0))
        return true;
    const char *between = faults->len > 0 ? "; " : "";
    if (version != NULL)
        buffer_addf(faults, "%s%s is %s, but %s", between, path, version, json_string(entry->version, "reason"));
    else
        buffer_addf(faults, "%s%s does not tell its version", between, path);
    return false;
}

static void describe_list(struct buffer *text, yyjson_val *list)
{
    size_t index, count;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, count, item)
        buffer_addf(text, "%s%s", index > 0 ? ", " : "", yyjson_get_str(item));
}

/* Places as a user would write them: ${adapters} is $DAPPLE_ADAPTERS, ${GOBIN} is $GOBIN, and ${project} is the project. */
static void describe_folders(struct buffer *text, yyjson_val *places)
{
    size_t index, count;
    yyjson_val *item;
    yyjson_arr_foreach(places, index, count, item) {
        const char *place = yyjson_get_str(item);
        const char *end = strncmp(place, "${", 2) == 0 ? strchr(place, '}') : NULL;
        buffer_add(text, index > 0 ? ", " : "");
        if (end == NULL)
            buffer_add(text, place);
        else if (strncmp(place, "${project}/", 11) == 0)
            buffer_addf(text, "the project's %s", end + 2);
        else if (strncmp(place, "${adapters}", 11) == 0)
            buffer_addf(text, "$DAPPLE_ADAPTERS%s", end + 1);
        else
            buffer_addf(text, "$%.*s%s", (int)(end - place) - 2, place + 2, end + 1);
    }
}

static void describe_places(struct buffer *text, const struct adapter_entry *entry)
{
    const char *adapters = getenv("DAPPLE_ADAPTERS");
    if (adapters != NULL && *adapters == '/')
        buffer_addf(text, ", in $DAPPLE_ADAPTERS (%s/bin)", adapters);
    if (yyjson_arr_size(entry->places) > 0) {
        buffer_add(text, ", in ");
        describe_folders(text, entry->places);
    }
    if (yyjson_arr_size(entry->editors) > 0) {
        buffer_add(text, ", in the extension folders of VS Code and its like (");
        describe_list(text, entry->editors);
        buffer_add(text, ")");
    }
}

static int program_not_found(const struct adapter_entry *entry, const struct buffer *faults, struct error *ret_error)
{
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, LONGEST_MESSAGE);
    describe_list(&text, entry->executables);
    if (entry->executables != NULL)
        buffer_add(&text, " on PATH");
    if (entry->executables != NULL && entry->scripts != NULL)
        buffer_add(&text, " and for ");
    describe_list(&text, entry->scripts);
    describe_places(&text, entry);
    return error_set(ret_error, ERROR_CONFIG, "no usable %s: looked for %s%s%s. To install it: %s", entry->id, text.data,
                     faults->len > 0 ? "; " : "", faults->data, install_hint(entry));
}

/* An adapter in the form of a program. */
static bool found_program(const struct adapter_entry *entry, const struct adapter_search *search, const struct string_list *own,
                          const struct string_list *places, struct buffer *faults, struct adapter_found *ret)
{
    AUTO_STRING_LIST struct string_list programs = { 0 };
    add_programs(&programs, own, entry->executables, faults);
    add_programs(&programs, places, entry->executables, faults);
    for (size_t i = 0; i < programs.count; i++) {
        const char *version;
        if (!version_serves(entry, programs.items[i], faults, &version))
            continue;
        *ret = (struct adapter_found){ .path = xstrdup(programs.items[i]), .version = xstrdup(version) };
        ret->of_project = places_of_project_have(entry, search, ret->path);
        return true;
    }
    return false;
}

/* ---- scripts ---- */

/* Is this the script that is meant, and not another one of that name? */
static bool script_serves(const struct adapter_entry *entry, const char *path, struct buffer *faults)
{
    if (!path_is_file(path))
        return false;
    if (entry->contains == NULL || file_contains(path, json_string(entry->contains, "text")))
        return true;
    buffer_addf(faults, "%s%s %s", faults->len > 0 ? "; " : "", path, json_string(entry->contains, "else"));
    return false;
}

static char *find_script(const struct adapter_entry *entry, const struct string_list *places, struct buffer *faults)
{
    size_t index, count;
    yyjson_val *name;
    for (size_t i = 0; i < places->count; i++) {
        yyjson_arr_foreach(entry->scripts, index, count, name) {
            char *path = path_join(places->items[i], yyjson_get_str(name));
            if (script_serves(entry, path, faults))
                return path;
            free(path);
        }
    }
    return NULL;
}

/* An adapter in the form of a script that another program runs. */
static bool found_script(const struct adapter_entry *entry, const struct string_list *own, const struct string_list *places,
                         struct buffer *faults, struct adapter_found *ret)
{
    AUTO_FREE char *script = find_script(entry, places, faults);
    if (script == NULL)
        return false;
    AUTO_STRING_LIST struct string_list runners = { 0 };
    add_programs(&runners, own, entry->runs_with, faults);
    if (runners.count == 0) {
        buffer_addf(faults, "%s%s is here, but not what runs it: ", faults->len > 0 ? "; " : "", script);
        describe_list(faults, entry->runs_with);
        return false;
    }
    *ret = (struct adapter_found){ .path = xstrdup(script), .interpreter = xstrdup(runners.items[0]) };
    return true;
}

/* ---- what a program needs besides ---- */

/* A file without which the adapter's program is only an interpreter. */
static bool has_needs(const struct adapter_entry *entry, const struct adapter_search *search, struct buffer *faults)
{
    if (entry->needs == NULL)
        return true;
    AUTO_STRING_LIST struct string_list places = { 0 };
    places_expand(&places, json_array(entry->needs, "places"), search);
    const char *file = json_string(entry->needs, "file");
    for (size_t i = 0; i < places.count; i++) {
        AUTO_FREE char *path = path_join(places.items[i], file);
        if (path_is_file(path))
            return true;
    }
    buffer_addf(faults, "%s%s is in none of ", faults->len > 0 ? "; " : "", file);
    describe_folders(faults, json_array(entry->needs, "places"));
    return false;
}

static int discover_program(const struct adapter_entry *entry, const struct adapter_search *search, struct adapter_found *ret,
                            struct error *ret_error)
{
    AUTO_STRING_LIST struct string_list own = { 0 };
    AUTO_STRING_LIST struct string_list places = { 0 };
    AUTO_BUFFER struct buffer faults;
    buffer_init(&faults, LONGEST_MESSAGE / 2);
    places_for_programs(&own, entry, search);
    places_expand(&places, entry->places, search);
    places_of_extensions(&places, entry->editors);
    if (has_needs(entry, search, &faults) &&
        (found_program(entry, search, &own, &places, &faults, ret) || found_script(entry, &own, &places, &faults, ret)))
        return 0;
    if (search->faults != NULL)
        buffer_append(search->faults, faults.data, faults.len);
    return program_not_found(entry, &faults, ret_error);
}

/* ---- Python packages ---- */

/* Does everything in the package's folder lie there, and not somewhere else by way of links? */
static bool package_is_complete(const char *package)
{
    AUTO_FREE char *bundled = path_join(package, "_vendored");
    AUTO_FREE char *real = realpath(package, NULL);
    DIR *folder = opendir(bundled);
    if (folder == NULL)
        return true;
    bool complete = real != NULL;
    const struct dirent *entry;
    while (complete && (entry = readdir(folder)) != NULL) {
        if (*entry->d_name == '.')
            continue;
        AUTO_FREE char *inner = path_join(bundled, entry->d_name);
        DIR *parts = opendir(inner);
        const struct dirent *part;
        while (parts != NULL && complete && (part = readdir(parts)) != NULL) {
            struct stat about;
            AUTO_FREE char *path = path_join(inner, part->d_name);
            complete = lstat(path, &about) == 0 && !S_ISLNK(about.st_mode);
        }
        if (parts != NULL)
            closedir(parts);
    }
    closedir(folder);
    return complete;
}

/* What is known while a package is looked for. */
struct package_search {
    const struct adapter_entry *entry;
    const struct adapter_search *where;
    char *python; /* of the program */
    bool python_certain;
    char *bound_interpreter; /* has a copy that serves no other interpreter; NULL */
    char *bound_package;
};

static void package_search_done(struct package_search *search)
{
    free(search->python);
    free(search->bound_interpreter);
    free(search->bound_package);
}

static void found_package(struct adapter_found *ret, const char *package, const char *interpreter, const char *python)
{
    *ret = (struct adapter_found){ .path = xstrdup(package), .interpreter = xstrdup(interpreter), .python = xstrdup(python) };
}

/* A complete copy of another interpreter's. */
static bool found_elsewhere(struct package_search *search, const struct string_list *interpreters, struct adapter_found *ret)
{
    for (size_t i = 0; i < interpreters->count; i++) {
        const char *interpreter = interpreters->items[i];
        AUTO_FREE char *package = python_package(interpreter, search->entry->python_package);
        if (package == NULL)
            continue;
        if (package_is_complete(package)) {
            found_package(ret, package, interpreter, search->python);
            return true;
        }
        if (search->bound_interpreter == NULL) {
            search->bound_interpreter = xstrdup(interpreter);
            search->bound_package = xstrdup(package);
        }
    }
    return false;
}

/* A copy that an editor's extension carries; it needs no interpreter of its own. */
static bool found_bundled(const struct package_search *search, struct adapter_found *ret)
{
    AUTO_STRING_LIST struct string_list places = { 0 };
    places_expand(&places, search->entry->places, search->where);
    places_of_extensions(&places, search->entry->editors);
    for (size_t i = 0; i < places.count; i++) {
        AUTO_FREE char *package = path_join(places.items[i], search->entry->python_package);
        AUTO_FREE char *init = path_join(package, "__init__.py");
        if (path_is_file(init)) {
            found_package(ret, package, search->python, search->python);
            return true;
        }
    }
    return false;
}

static char *install_package_hint(const struct package_search *search)
{
    if (strncmp(search->python, "/usr/bin/", 9) == 0)
        return xstrdup(install_hint(search->entry));
    return xasprintf("%s -m pip install %s", search->python, search->entry->python_package);
}

static int package_not_found(const struct package_search *search, struct error *ret_error)
{
    const char *package = search->entry->python_package;
    AUTO_FREE char *hint = install_package_hint(search);
    if (search->bound_interpreter != NULL && search->where->faults != NULL)
        buffer_addf(search->where->faults, "the program's Python, %s, does not have it, and the one in %s serves only %s",
                    search->python, search->bound_package, search->bound_interpreter);
    if (search->bound_interpreter != NULL)
        return error_set(
            ret_error, ERROR_CONFIG,
            "no usable %s: the program's Python is %s, which does not have it, and the one in %s serves only %s. To install it: %s "
            "(or pass launch_arguments {\"python\": \"%s\"} if the program runs under that one)",
            package, search->python, search->bound_package, search->bound_interpreter, hint, search->bound_interpreter);
    AUTO_BUFFER struct buffer places;
    buffer_init(&places, LONGEST_MESSAGE);
    describe_list(&places, search->entry->find_interpreters);
    if (yyjson_arr_size(search->entry->places) > 0)
        buffer_add(&places, ", ");
    describe_folders(&places, search->entry->places);
    if (yyjson_arr_size(search->entry->editors) > 0) {
        buffer_add(&places, ", the extension folders of VS Code and its like (");
        describe_list(&places, search->entry->editors);
        buffer_add(&places, ")");
    }
    return error_set(
        ret_error, ERROR_CONFIG,
        "no usable %s: looked for it in the program's Python %s, in every Python on PATH, and in %s. To install it: %s", package,
        search->python, places.data, hint);
}

/* The program's interpreter: the user's word, else by looking; NULL when there is no Python at all. */
static int find_python(struct package_search *search, const struct adapter_search *where, const struct string_list *interpreters,
                       struct error *ret_error)
{
    search->python_certain = true;
    if (where->python != NULL) {
        search->python = python_resolve(where->python, where->cwd);
        if (search->python == NULL)
            return error_set(ret_error, ERROR_ARGUMENT, "launch_arguments.python: %s is not an executable file", where->python);
        return 0;
    }
    search->python = python_of_program(where->program, where->shebang, where->cwd, &search->python_certain);
    if (search->python == NULL && interpreters->count > 0)
        search->python = xstrdup(interpreters->items[0]);
    if (search->python == NULL)
        return error_set(ret_error, ERROR_CONFIG,
                         "no Python interpreter: looked for .venv and venv from the program's folder upwards, "
                         "$VIRTUAL_ENV, and python3 and python on PATH");
    return 0;
}

static int discover_package(const struct adapter_entry *entry, const struct adapter_search *where, struct adapter_found *ret,
                            struct error *ret_error)
{
    AUTO_STRING_LIST struct string_list interpreters = { 0 };
    python_list(&interpreters, where->cwd);
    AUTO_STRING_LIST struct string_list places = { 0 };
    places_expand(&places, entry->find_interpreters, where);
    for (size_t i = 0; i < places.count; i++) {
        if (path_is_executable(places.items[i]))
            string_list_add(&interpreters, places.items[i]);
    }

    __attribute__((cleanup(package_search_done))) struct package_search search = { .entry = entry, .where = where };
    if (find_python(&search, where, &interpreters, ret_error) < 0)
        return -1;
    AUTO_FREE char *own = python_package(search.python, entry->python_package);
    if (own != NULL) {
        found_package(ret, own, search.python, search.python);
        return 0;
    }
    if (found_elsewhere(&search, &interpreters, ret) || found_bundled(&search, ret))
        return 0;
    if (search.bound_interpreter == NULL || search.python_certain)
        return package_not_found(&search, ret_error);
    found_package(ret, search.bound_package, search.bound_interpreter, search.bound_interpreter);
    AUTO_FREE char *hint = install_package_hint(&search);
    ret->warning =
        xasprintf("the program runs under %s, which has %s; the first Python on PATH, %s, has not (to debug under it: %s)",
                  search.bound_interpreter, entry->python_package, search.python, hint);
    return 0;
}

/* ---- both ---- */

int adapter_discover(const struct adapter_entry *entry, const struct adapter_search *search, struct adapter_found *ret,
                     struct error *ret_error)
{
    if (entry->defined != NULL)
        return adapter_discover_defined(entry, search, ret, ret_error);
    if (entry->python_package != NULL)
        return discover_package(entry, search, ret, ret_error);
    return discover_program(entry, search, ret, ret_error);
}

void adapter_found_done(struct adapter_found *found)
{
    free(found->path);
    free(found->version);
    free(found->interpreter);
    free(found->python);
    free(found->warning);
    *found = (struct adapter_found){ 0 };
}
