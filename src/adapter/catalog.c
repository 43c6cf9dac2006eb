#include "adapter/catalog.h"

#include "adapter/entry.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

static struct adapter_entry *entries; /* read on first use, kept until the end */

int adapter_entry_read(const char *declaration, struct adapter_entry *ret, struct error *ret_error)
{
    struct json json;
    if (json_parse_copy(declaration, strlen(declaration), &json, ret_error) < 0)
        return -1;
    yyjson_val *handles = json_object(json.root, "handles");
    yyjson_val *find = json_object(json.root, "find");
    const char *status = json_string(json.root, "status");
    *ret = (struct adapter_entry){
        .json = json,
        .id = json_string(json.root, "id"),
        .type = json_string(json.root, "type"),
        .debugs = json_string(json.root, "debugs"),
        .tested = status != NULL && strcmp(status, "tested") == 0,
        .tested_with = json_string(json.root, "tested_with"),
        .aliases = json_array(json.root, "aliases"),
        .extensions = json_array(handles, "extensions"),
        .interpreters = json_array(handles, "interpreters"),
        .formats = json_array(handles, "formats"),
        .markers = json_array(handles, "markers"),
        .folders = json_array(handles, "folders"),
        .module_argument = json_string(handles, "module_argument"),
        .interpreter = json_object(handles, "interpreter"),
        .commands = json_array(handles, "commands"),
        .preference = json_int_or(handles, "preference", 0),
        .executables = json_array(find, "executables"),
        .scripts = json_array(find, "scripts"),
        .runs_with = json_array(find, "runs_with"),
        .contains = json_object(find, "contains"),
        .needs = json_object(find, "needs"),
        .editors = json_array(find, "editors"),
        .python_package = json_string(find, "python_package"),
        .find_interpreters = json_array(find, "interpreters"),
        .places = json_array(find, "places"),
        .version = json_object(find, "version"),
        .defined = json_string(find, "command") != NULL ? find : NULL,
        .start = json_object(json.root, "start"),
        .launch = json_object(json.root, "launch"),
        .terminal = json_object(json.root, "terminal"),
        .attach = json_object(json.root, "attach"),
        .exceptions = json_object(json.root, "exceptions"),
        .quirks = json_array(json.root, "quirks"),
        .claims_wrongly = json_array(json.root, "claims_wrongly"),
        .install = json_object(json.root, "install"),
    };
    return 0;
}

void adapter_entry_done(struct adapter_entry *entry)
{
    json_free(&entry->json);
    *entry = (struct adapter_entry){ 0 };
}

static void read_catalog(void)
{
    if (entries != NULL)
        return;
    entries = xcalloc(adapter_declaration_count, sizeof *entries);
    for (size_t i = 0; i < adapter_declaration_count; i++) {
        AUTO_ERROR struct error error = ERROR_INIT;
        if (adapter_entry_read(adapter_declarations[i], &entries[i], &error) < 0) {
            /* the build has checked them: this binary is damaged */
            fprintf(stderr, "dapple: the catalog of adapters cannot be read: %s\n", error.message);
            abort();
        }
    }
}

size_t catalog_count(void)
{
    return adapter_declaration_count;
}

const struct adapter_entry *catalog_entry(size_t index)
{
    read_catalog();
    return index < adapter_declaration_count ? &entries[index] : NULL;
}

const struct adapter_entry *catalog_find(const char *id)
{
    for (size_t i = 0; i < catalog_count(); i++) {
        if (adapter_entry_is(catalog_entry(i), id))
            return catalog_entry(i);
    }
    return NULL;
}

bool adapter_entry_is(const struct adapter_entry *entry, const char *id)
{
    return strcmp(entry->id, id) == 0 || adapter_list_names(entry->aliases, id);
}

const char *adapter_entry_id(const struct adapter_entry *entry)
{
    return entry->id;
}

const char *adapter_entry_debugs(const struct adapter_entry *entry)
{
    return entry->debugs;
}

const char *adapter_entry_tested_with(const struct adapter_entry *entry)
{
    return entry->tested_with;
}

bool adapter_name_matches(const char *pattern, const char *name)
{
    size_t len = strlen(pattern);
    if (len == 0 || pattern[len - 1] != '*')
        return strcmp(pattern, name) == 0;
    if (strncmp(pattern, name, len - 1) != 0)
        return false;
    const char *version = name + len - 1;
    return version[strspn(version, "0123456789.")] == '\0';
}

bool adapter_list_names(yyjson_val *list, const char *text)
{
    size_t index, count;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, count, item) {
        if (yyjson_is_str(item) && adapter_name_matches(yyjson_get_str(item), text))
            return true;
    }
    return false;
}
