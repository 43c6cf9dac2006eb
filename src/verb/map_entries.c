#include "verb/map_entries.h"

#include "base/memory.h"
#include "session/model.h"
#include "verb/value_path.h"

#include <stdlib.h>
#include <string.h>

/* "std::map with 2 elements", "HashMap(size=2)" */
bool map_is_flat(const struct variable *map, size_t members)
{
    const char *value = map->value.data == NULL ? "" : map->value.data;
    const char *with = strstr(value, " with "), *size = strstr(value, "(size=");
    bool told = (with != NULL && strncmp(value, "std::", 5) == 0) || size != NULL;
    unsigned long long entries = !told ? 0 : strtoull(with != NULL ? with + strlen(" with ") : size + strlen("(size="), NULL, 10);
    return entries > 0 && members == 2 * entries;
}

static bool begins(const struct variable *member, const char *text)
{
    return member->value.data != NULL && strncmp(member->value.data, text, strlen(text)) == 0;
}

bool map_is_of_pairs(const struct variable *map)
{
    return map->type.data != NULL && strstr(map->type.data, "map<") != NULL && strncmp(map->type.data, "std::", 5) == 0;
}

/* "{first:" and the like, the key as a text or as it is, and what ends it. */
static bool has_key(const struct variable *entry, const struct path_segment *key, const char *before, const char *behind)
{
    AUTO_FREE char *quoted = xasprintf("%s\"%s\"%s", before, key->text, behind);
    AUTO_FREE char *bare = xasprintf("%s%s%s", before, key->text, behind);
    return (key->kind == PATH_KEY && begins(entry, quoted)) || begins(entry, bare);
}

static bool is_flat_key(const struct variable *member, const struct path_segment *key)
{
    AUTO_FREE char *quoted = xasprintf("\"%s\"", key->text);
    AUTO_FREE char *character = xasprintf(" '%s'", key->text); /* 97 'a' */
    const char *value = member->value.data == NULL ? "" : member->value.data, *last = strstr(value, character);
    bool is_text = strcmp(value, quoted) == 0 || (last != NULL && strcmp(last, character) == 0);
    return (key->kind == PATH_KEY && is_text) || strcmp(value, key->text) == 0;
}

static struct variable *flat_value(const struct path_segment *key, struct variable *members, size_t count)
{
    for (size_t i = 0; i + 1 < count; i += 2)
        if (is_flat_key(&members[i], key))
            return &members[i + 1];
    return NULL;
}

struct variable *map_entry(const struct variable *map, const struct path_segment *key, struct variable *members, size_t count)
{
    if (key->kind == PATH_NAME)
        return NULL;
    if (map_is_flat(map, count))
        return flat_value(key, members, count);
    bool pairs = map_is_of_pairs(map);
    for (size_t i = 0; i < count; i++) {
        bool has = has_key(&members[i], key, "{", " => ") || (pairs && has_key(&members[i], key, "{first:", ", "));
        if (members[i].adapter_reference > 0 && has)
            return &members[i];
    }
    return NULL;
}
