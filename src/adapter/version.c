#include "adapter/version.h"

#include "adapter/discover.h"
#include "adapter/entry.h"
#include "adapter/file_text.h"
#include "adapter/string_list.h"
#include "adapter/version_probe.h"
#include "base/memory.h"
#include "base/path.h"

#include <stdlib.h>
#include <string.h>

#define NAMES 3 /* of its path that may tell it */
#define FILE_BYTES (64u * 1024)
#define VERSION_CHARACTERS "0123456789.-_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* The first word of the text that begins with a digit; NULL when there is none. */
static char *first_version(const char *text)
{
    const char *digit = strpbrk(text, "0123456789");
    return digit != NULL ? xstrndup(digit, strspn(digit, VERSION_CHARACTERS)) : NULL;
}

static char *ask_program(yyjson_val *version, const struct adapter_found *found)
{
    AUTO_STRING_LIST struct string_list arguments = { 0 };
    size_t index, count;
    yyjson_val *argument;
    yyjson_arr_foreach(json_array(version, "arguments"), index, count, argument)
        string_list_add(&arguments, yyjson_get_str(argument));
    return arguments.count > 0 ? xstrdup(version_probe(found->path, arguments.items)) : NULL;
}

/* Links lead to where the adapter was installed, and what tells its version lies there. */
static char *own_folder(const struct adapter_found *found)
{
    char *real = realpath(found->path, NULL);
    if (real == NULL || path_is_folder(real))
        return real;
    char *folder = path_folder(real);
    free(real);
    return folder;
}

static char *version_in_file(const char *path, const char *after)
{
    AUTO_FREE char *text = file_beginning(path, FILE_BYTES);
    const char *mark = text != NULL ? strstr(text, after) : NULL;
    return mark != NULL ? first_version(mark + strlen(after)) : NULL;
}

static char *read_files(yyjson_val *version, const struct adapter_found *found)
{
    AUTO_FREE char *folder = own_folder(found);
    const char *after = json_string(version, "after");
    char *told = NULL;
    size_t index, count;
    yyjson_val *name;
    yyjson_arr_foreach(json_array(version, "files"), index, count, name) {
        AUTO_FREE char *path = folder != NULL && told == NULL ? path_join(folder, yyjson_get_str(name)) : NULL;
        if (path != NULL)
            told = version_in_file(path, after != NULL ? after : "");
    }
    return told;
}

static char *read_answer(yyjson_val *version, yyjson_val *answer)
{
    const char *member = json_string(version, "answer");
    const char *text = member != NULL ? json_string(answer, member) : NULL;
    return text != NULL ? first_version(text) : NULL;
}

/* The program, its folder, and the folder of that: lldb-dap-19, llvm-19/bin/lldb-dap, debug-1.9.2/exe/rdbg. */
static char *version_in_names(const struct adapter_found *found)
{
    AUTO_FREE char *path = xstrdup(found->path);
    char *told = NULL;
    for (int i = 0; i < NAMES && told == NULL; i++) {
        const char *dash = strrchr(path_name(path), '-');
        if (dash != NULL && dash[1] != '\0' && adapter_name_matches("*", dash + 1))
            told = xstrdup(dash + 1);
        char *folder = path_folder(path);
        free(path);
        path = folder;
    }
    return told;
}

char *adapter_version(const struct adapter_entry *entry, const struct adapter_found *found, yyjson_val *answer)
{
    if (found->version != NULL)
        return xstrdup(found->version);
    char *told = read_answer(entry->version, answer);
    if (told == NULL)
        told = ask_program(entry->version, found);
    if (told == NULL)
        told = read_files(entry->version, found);
    return told != NULL ? told : version_in_names(found);
}
