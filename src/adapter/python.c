#include "adapter/python.h"

#include "adapter/entry.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "base/path.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define LONGEST_CONFIG 4096

/* ---- small files ---- */

/* The beginning of a small text file, "" when it cannot be read. Heap memory of the caller's. */
static char *read_config(const char *path)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return xstrdup("");
    char *text = xmalloc(LONGEST_CONFIG + 1);
    text[fread(text, 1, LONGEST_CONFIG, file)] = '\0';
    fclose(file);
    return text;
}

/* The value of `name = value` in a pyvenv.cfg, or NULL. Heap memory of the caller's. */
static char *config_value(const char *text, const char *name)
{
    size_t name_len = strlen(name);
    for (const char *line = text; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += strspn(line, "\n\r \t");
        if (strncmp(line, name, name_len) != 0)
            continue;
        const char *equals = line + name_len + strspn(line + name_len, " \t");
        if (*equals != '=')
            continue;
        const char *value = equals + 1 + strspn(equals + 1, " \t");
        size_t len = strcspn(value, "\r\n");
        while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t'))
            len--;
        return xstrndup(value, len);
    }
    return NULL;
}

/* ---- pyenv ---- */

/* The version's folder under versions/, whole or the newest that begins with it ("3.11" -> "3.11.7"); NULL when not installed. */
static char *pyenv_version_folder(const char *root, const char *version)
{
    AUTO_FREE char *versions = path_join(root, "versions");
    AUTO_FREE char *exact = path_join(versions, version);
    if (path_is_folder(exact))
        return xstrdup(exact);
    AUTO_FREE char *best = NULL;
    size_t len = strlen(version);
    DIR *folder = opendir(versions);
    const struct dirent *entry;
    while (folder != NULL && (entry = readdir(folder)) != NULL) {
        if (strncmp(entry->d_name, version, len) == 0 && entry->d_name[len] == '.' &&
            (best == NULL || strverscmp(entry->d_name, best) > 0))
            xreplace(&best, entry->d_name);
    }
    if (folder != NULL)
        closedir(folder);
    return best != NULL ? path_join(versions, best) : NULL;
}

/* The versions that pyenv would use in `cwd`, one or more words. Heap memory of the caller's. */
static char *pyenv_selection(const char *root, const char *cwd)
{
    const char *variable = getenv("PYENV_VERSION");
    if (variable != NULL && *variable != '\0')
        return xstrdup(variable);
    AUTO_FREE char *folder = xstrdup(cwd);
    for (;;) {
        AUTO_FREE char *file = path_join(folder, ".python-version");
        if (path_is_file(file))
            return read_config(file);
        if (strcmp(folder, "/") == 0)
            break;
        char *parent = path_folder(folder);
        free(folder);
        folder = parent;
    }
    AUTO_FREE char *file = path_join(root, "version");
    return read_config(file);
}

/* The interpreter that a shim of pyenv's would run in `cwd`; NULL when it would fail, or would look further on PATH. */
static char *follow_pyenv(const char *shim, const char *cwd)
{
    AUTO_FREE char *shims = path_folder(shim);
    AUTO_FREE char *root = path_folder(shims);
    AUTO_FREE char *selection = pyenv_selection(root, cwd);
    char *rest = NULL;
    for (char *version = strtok_r(selection, ": \t\r\n", &rest); version != NULL; version = strtok_r(NULL, ": \t\r\n", &rest)) {
        AUTO_FREE char *folder = *version != '#' ? pyenv_version_folder(root, version) : NULL;
        AUTO_FREE char *interpreter = folder != NULL ? xasprintf("%s/bin/%s", folder, path_name(shim)) : NULL;
        if (interpreter != NULL && path_is_executable(interpreter))
            return xstrdup(interpreter);
    }
    return NULL;
}

static bool is_pyenv_shim(const char *path)
{
    AUTO_FREE char *shims = path_folder(path);
    AUTO_FREE char *root = path_folder(shims);
    AUTO_FREE char *versions = path_join(root, "versions");
    return strcmp(path_name(shims), "shims") == 0 && path_is_folder(versions);
}

/* ---- interpreters ---- */

/* `folder`/`name` when it can be executed, followed when it is a shim. Heap memory of the caller's, NULL: no. */
static char *interpreter_in(const char *folder, const char *name, const char *cwd)
{
    if (*folder != '/') /* a relative entry of PATH would mean another file in every directory */
        return NULL;
    AUTO_FREE char *path = path_join(folder, name);
    if (!path_is_executable(path))
        return NULL;
    return is_pyenv_shim(path) ? follow_pyenv(path, cwd) : xstrdup(path);
}

/* Adds the interpreters of a name in PATH's order; at most `most`. */
static void add_from_path(struct string_list *list, const char *name, const char *cwd, size_t most)
{
    const char *variable = getenv("PATH");
    AUTO_FREE char *path = xstrdup(variable != NULL ? variable : "");
    char *rest = NULL;
    for (char *folder = strtok_r(path, ":", &rest); folder != NULL && most > 0; folder = strtok_r(NULL, ":", &rest)) {
        char *interpreter = interpreter_in(folder, name, cwd);
        if (interpreter == NULL)
            continue;
        string_list_take(list, interpreter);
        most--;
    }
}

static char *first_on_path(const char *name, const char *cwd)
{
    AUTO_STRING_LIST struct string_list found = { 0 };
    add_from_path(&found, name, cwd, 1);
    return found.count > 0 ? xstrdup(found.items[0]) : NULL;
}

static char *interpreter_of_venv(const char *venv)
{
    AUTO_FREE char *python = path_join(venv, "bin/python");
    AUTO_FREE char *python3 = path_join(venv, "bin/python3");
    if (path_is_executable(python))
        return xstrdup(python);
    return path_is_executable(python3) ? xstrdup(python3) : NULL;
}

/* .venv or venv in the program's folder or above. */
static char *project_interpreter(const char *program)
{
    AUTO_FREE char *folder = path_folder(program);
    for (;;) {
        static const char *const names[] = { ".venv", "venv" };
        for (size_t i = 0; i < COUNT_OF(names); i++) {
            AUTO_FREE char *venv = path_join(folder, names[i]);
            char *interpreter = interpreter_of_venv(venv);
            if (interpreter != NULL)
                return interpreter;
        }
        if (strcmp(folder, "/") == 0)
            return NULL;
        char *parent = path_folder(folder);
        free(folder);
        folder = parent;
    }
}

static char *active_interpreter(void)
{
    const char *venv = getenv("VIRTUAL_ENV");
    return venv != NULL && *venv == '/' ? interpreter_of_venv(venv) : NULL;
}

char *python_of_program(const char *program, const char *shebang, const char *cwd, bool *ret_certain)
{
    *ret_certain = true;
    if (shebang != NULL && path_is_executable(shebang))
        return xstrdup(shebang);
    char *interpreter = project_interpreter(program);
    if (interpreter == NULL)
        interpreter = active_interpreter();
    if (interpreter != NULL)
        return interpreter;
    *ret_certain = false;
    interpreter = first_on_path("python3", cwd);
    return interpreter != NULL ? interpreter : first_on_path("python", cwd);
}

void python_list(struct string_list *list, const char *cwd)
{
    char *active = active_interpreter();
    if (active != NULL)
        string_list_take(list, active);
    add_from_path(list, "python3", cwd, SIZE_MAX);
    add_from_path(list, "python", cwd, SIZE_MAX);
}

char *python_resolve(const char *name, const char *cwd)
{
    if (strchr(name, '/') == NULL)
        return first_on_path(name, cwd);
    AUTO_FREE char *path = path_absolute(name, cwd);
    return path_is_executable(path) ? xstrdup(path) : NULL;
}

/* ---- packages ---- */

static char *package_in(const char *folder, const char *package)
{
    AUTO_FREE char *path = path_join(folder, package);
    AUTO_FREE char *init = path_join(path, "__init__.py");
    return path_is_file(init) ? xstrdup(path) : NULL;
}

/* Looks in LIB/NAME/`sub` for every NAME that matches `pattern` ("python3.11", "python3*"). */
static char *package_under(const char *lib, const char *pattern, const char *sub, const char *package)
{
    char *found = NULL;
    DIR *folder = opendir(lib);
    const struct dirent *entry;
    while (folder != NULL && found == NULL && (entry = readdir(folder)) != NULL) {
        if (!adapter_name_matches(pattern, entry->d_name))
            continue;
        AUTO_FREE char *packages = xasprintf("%s/%s/%s", lib, entry->d_name, sub);
        found = package_in(packages, package);
    }
    if (folder != NULL)
        closedir(folder);
    return found;
}

static char *package_of_prefix(const char *prefix, const char *pattern, const char *package)
{
    AUTO_FREE char *lib = path_join(prefix, "lib");
    AUTO_FREE char *lib64 = path_join(prefix, "lib64");
    char *found = package_under(lib, pattern, "site-packages", package);
    return found != NULL ? found : package_under(lib64, pattern, "site-packages", package);
}

static char *package_of_user(const char *pattern, const char *package)
{
    const char *base = getenv("PYTHONUSERBASE"), *home = getenv("HOME");
    AUTO_FREE char *prefix = base != NULL && *base == '/' ? xstrdup(base) : home != NULL ? path_join(home, ".local") : NULL;
    return prefix != NULL ? package_of_prefix(prefix, pattern, package) : NULL;
}

/* Debian keeps packages of its own in /usr/lib/python3, and those that pip installed in /usr/local/lib. */
static char *package_of_debian(const char *pattern, const char *package)
{
    char *found = package_under("/usr/local/lib", pattern, "dist-packages", package);
    return found != NULL ? found : package_in("/usr/lib/python3/dist-packages", package);
}

/* Of an interpreter that is not in a virtual environment: its real place tells the prefix, its real name the version. */
static char *package_of_installation(const char *interpreter, const char *package)
{
    AUTO_FREE char *real = realpath(interpreter, NULL);
    if (real == NULL)
        return NULL;
    AUTO_FREE char *bin = path_folder(real);
    AUTO_FREE char *prefix = path_folder(bin);
    const char *name = path_name(real);
    const char *pattern = strncmp(name, "python3.", 8) == 0 ? name : "python3*";
    char *found = package_of_user(pattern, package);
    if (found == NULL && strcmp(prefix, "/usr") == 0)
        found = package_of_debian(pattern, package);
    return found != NULL ? found : package_of_prefix(prefix, pattern, package);
}

char *python_package(const char *interpreter, const char *package)
{
    AUTO_FREE char *bin = path_folder(interpreter);
    AUTO_FREE char *prefix = path_folder(bin);
    AUTO_FREE char *config_path = path_join(prefix, "pyvenv.cfg");
    if (!path_is_file(config_path))
        return package_of_installation(interpreter, package);
    char *found = package_of_prefix(prefix, "python3*", package);
    if (found != NULL)
        return found;
    AUTO_FREE char *config = read_config(config_path);
    AUTO_FREE char *system_too = config_value(config, "include-system-site-packages");
    if (system_too == NULL || strcasecmp(system_too, "true") != 0)
        return NULL;
    return package_of_installation(interpreter, package);
}
