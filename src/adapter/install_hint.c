#include "adapter/install_hint.h"

#include "adapter/entry.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

#define LONGEST_OS_RELEASE 8192

/* The value of NAME=value or NAME="value" in an os-release file, "" when absent. Heap memory of the caller's. */
static char *os_value(const char *os_release, const char *name)
{
    size_t name_len = strlen(name);
    for (const char *line = os_release; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, name_len) != 0 || line[name_len] != '=')
            continue;
        const char *value = line + name_len + 1;
        value += strspn(value, "\"'");
        return xstrndup(value, strcspn(value, "\"'\r\n"));
    }
    return xstrdup("");
}

/* Debian 12 has its own entry where its packages are too old; a system that is like Debian gets Debian's command. */
static const char *linux_hint(const struct adapter_entry *entry, const char *os_release)
{
    AUTO_FREE char *id = os_value(os_release, "ID");
    AUTO_FREE char *version = os_value(os_release, "VERSION_ID");
    AUTO_FREE char *with_version = xasprintf("%s-%s", id, version);
    const char *hint = json_string(entry->install, with_version);
    if (hint == NULL)
        hint = json_string(entry->install, id);
    AUTO_FREE char *like = os_value(os_release, "ID_LIKE");
    char *rest = like;
    for (char *word = strtok_r(rest, " ", &rest); hint == NULL && word != NULL; word = strtok_r(NULL, " ", &rest))
        hint = json_string(entry->install, word);
    return hint;
}

const char *install_hint_for(const struct adapter_entry *entry, const char *os_release)
{
    const char *hint = os_release != NULL ? linux_hint(entry, os_release) : NULL;
#ifdef __APPLE__
    if (os_release == NULL)
        hint = json_string(entry->install, "macos");
#endif
    return hint != NULL ? hint : json_string(entry->install, "any");
}

const char *install_hint(const struct adapter_entry *entry)
{
    char text[LONGEST_OS_RELEASE];
    FILE *file = fopen("/etc/os-release", "re");
    if (file == NULL)
        return install_hint_for(entry, NULL);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return install_hint_for(entry, text);
}
