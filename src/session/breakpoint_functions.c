/* Breakpoints by a function's name, at a target that does not take names: the line where the function begins is broken at. They go with those
 * of the line's file, in one request. */
#include "session/breakpoints.h"

#include "base/path.h"

#include <string.h>

void session_set_function_finder(struct session *session, session_function_finder finder)
{
    session->find_function = finder;
}

static void locate(struct session *session, struct desired_breakpoint *desired)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    xreplace(&desired->place_path, NULL);
    xreplace(&desired->place_failure, NULL);
    if (session->find_function == NULL)
        return;
    if (session->find_function(session->plan->program, desired->name, &desired->place_path, &desired->place_line, &error) < 0)
        desired->place_failure = xstrdup(error.message);
}

void breakpoint_locate(const struct target *target, struct desired_breakpoint *desired, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (breakpoint_by_place(target, &desired[i]) && !desired[i].disabled)
            locate(target->session, &desired[i]);
}

static bool begins_in(const struct target *target, const struct desired_breakpoint *desired, const char *path)
{
    return breakpoint_by_place(target, desired) && !desired->disabled && desired->place_path != NULL &&
           (strcmp(desired->place_path, path) == 0 || path_same_file(desired->place_path, path));
}

size_t breakpoint_add_functions(const struct target *target, const char *path, struct desired_breakpoint **desired, size_t count)
{
    const struct breakpoint_list *functions = breakpoint_list_find(target->session, BREAKPOINT_FUNCTION, NULL);
    size_t added = 0;
    for (size_t i = 0; functions != NULL && i < functions->count; i++) {
        if (!begins_in(target, &functions->desired[i], path))
            continue;
        *desired = xrealloc(*desired, (count + added + 1) * sizeof(**desired));
        struct desired_breakpoint *line = &(*desired)[count + added++];
        *line = desired_breakpoint_copy(&functions->desired[i]);
        line->kind = BREAKPOINT_SOURCE;
        line->line = line->place_line;
    }
    return added;
}

static bool has_text(char *const *list, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i], text) == 0)
            return true;
    return false;
}

/* The file as the user spelled it, where breakpoints are set in it. */
static const char *known_path(const struct session *session, const char *path)
{
    for (size_t i = 0; i < session->list_count && session->lists[i].kind == BREAKPOINT_SOURCE; i++)
        if (path_same_file(session->lists[i].path, path))
            return session->lists[i].path;
    return path;
}

char **breakpoint_function_files(const struct target *target, const struct breakpoint_list *a, const struct breakpoint_list *b)
{
    const struct breakpoint_list *const both[] = { a, b };
    size_t most = (a == NULL ? 0 : a->count) + (b == NULL ? 0 : b->count), count = 0;
    char **files = xcalloc(most + 1, sizeof(*files));
    for (size_t k = 0; k < COUNT_OF(both); k++) {
        for (size_t i = 0; both[k] != NULL && i < both[k]->count; i++) {
            const struct desired_breakpoint *desired = &both[k]->desired[i];
            if (!breakpoint_by_place(target, desired) || desired->place_path == NULL)
                continue;
            const char *path = known_path(target->session, desired->place_path);
            if (!has_text(files, count, path))
                files[count++] = xstrdup(path);
        }
    }
    return files;
}
