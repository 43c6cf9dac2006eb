#include "adapter/definition.h"

#include "adapter/catalog.h"
#include "adapter/discover.h"
#include "adapter/entry.h"
#include "adapter/python.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <string.h>

#define LONGEST_ARGUMENT (1024u * 1024)

/* What an adapter gets of which nothing more is known. */
static const char plain_declaration[] =
    "{\"type\":\"\",\"status\":\"experimental\",\"debugs\":\"programs that are given to it by "
    "name\",\"handles\":{\"folders\":[],\"preference\":0},"
    "\"launch\":{\"program\":\"${program}\",\"args\":\"${args}\",\"cwd\":\"${cwd}\",\"env\":\"${env}\","
    "\"stopOnEntry\":\"${stop_on_entry}\"},\"exceptions\":{\"uncaught\":[],\"all\":[]},"
    "\"install\":{\"any\":\"the settings name its command\"}}";

/* ---- the declaration ---- */

static void put(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, yyjson_mut_val *value)
{
    yyjson_mut_obj_put(object, yyjson_mut_strcpy(doc, key), value);
}

static yyjson_mut_val *text(yyjson_mut_doc *doc, const char *value)
{
    return json_new_string(doc, value, strlen(value));
}

static bool is_placeholder(const char *at)
{
    return strncmp(at, "${program}", 10) == 0 || strncmp(at, "${cwd}", 6) == 0 || strncmp(at, "${args}", 7) == 0;
}

/* An argument with the three placeholders that make sense in settings; anything else of such a form is text. */
static yyjson_mut_val *argument_template(yyjson_mut_doc *doc, const char *argument)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, 2 * LONGEST_ARGUMENT);
    for (const char *at = argument; *at != '\0'; at++) {
        if (strncmp(at, "${", 2) == 0 && !is_placeholder(at))
            buffer_addc(&out, '$');
        buffer_addc(&out, *at);
    }
    return text(doc, out.data);
}

static yyjson_mut_val *command_line(yyjson_mut_doc *doc, yyjson_val *args)
{
    yyjson_mut_val *command = yyjson_mut_arr(doc);
    yyjson_mut_arr_append(command, text(doc, "${adapter}"));
    size_t index, count;
    yyjson_val *item;
    yyjson_arr_foreach(args, index, count, item) {
        yyjson_mut_arr_append(command, argument_template(doc, yyjson_get_str(item)));
    }
    return command;
}

static yyjson_mut_val *environment(yyjson_mut_doc *doc, yyjson_val *object)
{
    yyjson_mut_val *list = yyjson_mut_arr(doc);
    size_t index, count;
    yyjson_val *name, *value;
    json_obj_foreach(object, index, count, name, value) {
        const char *set = yyjson_get_str(value);
        AUTO_FREE char *change = set != NULL ? xasprintf("%s=%s", yyjson_get_str(name), set) : xstrdup(yyjson_get_str(name));
        yyjson_mut_arr_append(list, text(doc, change));
    }
    return list;
}

static yyjson_mut_val *start(yyjson_mut_doc *doc, const struct adapter_definition *definition)
{
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    json_add_string(doc, object, "transport", definition->tcp ? "tcp" : "stdio");
    json_add_value(doc, object, "command", command_line(doc, definition->args));
    json_add_value(doc, object, "env", environment(doc, definition->environment));
    if (definition->tcp) {
        json_add_string(doc, object, "host", definition->host);
        json_add_int(doc, object, "port", definition->port);
    }
    return object;
}

static yyjson_mut_val *find(yyjson_mut_doc *doc, const struct adapter_definition *definition, const struct adapter_entry *base)
{
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    json_add_string(doc, object, "command", definition->command);
    json_add_string(doc, object, "folder", definition->folder);
    json_add_bool(doc, object, "any_program", base == NULL);
    json_add_bool(doc, object, "python", base != NULL && base->python_package != NULL);
    return object;
}

/* An adapter that the user defines for an extension is wanted before the catalog's. */
static void put_extensions(yyjson_mut_doc *doc, yyjson_mut_val *root, yyjson_val *extensions)
{
    yyjson_mut_val *handles = yyjson_mut_obj_get(root, "handles");
    if (extensions == NULL)
        return;
    put(doc, handles, "extensions", yyjson_val_mut_copy(doc, extensions));
    put(doc, handles, "preference", yyjson_mut_sint(doc, -1));
}

/* One that replaces a catalog adapter answers to all of its names. */
static void put_aliases(yyjson_mut_doc *doc, yyjson_mut_val *root, const struct adapter_entry *base)
{
    yyjson_mut_val *aliases = yyjson_mut_arr(doc);
    size_t index, count;
    yyjson_val *alias;
    if (base == NULL)
        return;
    yyjson_mut_arr_append(aliases, text(doc, base->id));
    yyjson_arr_foreach(base->aliases, index, count, alias) {
        yyjson_mut_arr_append(aliases, yyjson_val_mut_copy(doc, alias));
    }
    put(doc, root, "aliases", aliases);
}

static void put_claims(yyjson_mut_doc *doc, yyjson_mut_val *root, yyjson_val *names)
{
    yyjson_mut_val *list = yyjson_mut_obj_get(root, "claims_wrongly");
    size_t index, count;
    yyjson_val *name;
    if (list == NULL) {
        list = yyjson_mut_arr(doc);
        put(doc, root, "claims_wrongly", list);
    }
    yyjson_arr_foreach(names, index, count, name) {
        yyjson_mut_arr_append(list, yyjson_val_mut_copy(doc, name));
    }
}

static char *declare(const struct adapter_definition *definition, yyjson_val *base_root, const struct adapter_entry *base)
{
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    if (doc == NULL)
        abort();
    yyjson_mut_val *root = yyjson_val_mut_copy(doc, base_root);
    yyjson_mut_doc_set_root(doc, root);
    put(doc, root, "id", text(doc, definition->id));
    put_aliases(doc, root, base);
    if (base == NULL)
        put(doc, root, "type", text(doc, definition->id));
    if (definition->command != NULL) {
        put(doc, root, "find", find(doc, definition, base));
        put(doc, root, "start", start(doc, definition));
    }
    put_claims(doc, root, definition->claims_wrongly);
    put_extensions(doc, root, definition->extensions);
    char *declaration = json_write(doc, NULL);
    yyjson_mut_doc_free(doc);
    return declaration;
}

struct adapter_entry *adapter_entry_define(const struct adapter_definition *definition)
{
    const struct adapter_entry *base = catalog_find(definition->id);
    AUTO_JSON struct json plain = { 0 };
    struct adapter_entry *entry = xcalloc(1, sizeof *entry);
    if (json_parse_copy(plain_declaration, strlen(plain_declaration), &plain, NULL) < 0)
        abort();
    AUTO_FREE char *declaration = declare(definition, base != NULL ? base->json.root : plain.root, base);
    if (adapter_entry_read(declaration, entry, NULL) < 0)
        abort(); /* it was written here */
    return entry;
}

void adapter_entry_free(struct adapter_entry *entry)
{
    if (entry == NULL)
        return;
    adapter_entry_done(entry);
    free(entry);
}

/* ---- finding it ---- */

static char *resolve(const struct adapter_entry *entry)
{
    const char *command = json_string(entry->defined, "command");
    const char *home = getenv("HOME");
    if (strncmp(command, "~/", 2) != 0 || home == NULL)
        return python_resolve(command, json_string(entry->defined, "folder"));
    AUTO_FREE char *path = path_join(home, command + 2);
    return path_is_executable(path) ? xstrdup(path) : NULL;
}

int adapter_discover_defined(const struct adapter_entry *entry, const struct adapter_search *search, struct adapter_found *ret,
                             struct error *ret_error)
{
    const char *command = json_string(entry->defined, "command");
    char *path = resolve(entry);
    if (path == NULL && strchr(command, '/') == NULL)
        return error_set(ret_error, ERROR_CONFIG, "the settings start adapter %s with %s, which is not on PATH", entry->id,
                         command);
    if (path == NULL)
        return error_set(ret_error, ERROR_CONFIG, "the settings start adapter %s with %s, which is no executable file", entry->id,
                         command);
    *ret = (struct adapter_found){ .path = path };
    if (!json_bool(entry->defined, "python", false) || search->program == NULL || search->python != NULL)
        return 0;
    bool certain = false;
    AUTO_FREE char *python = python_of_program(search->program, search->shebang, search->cwd, &certain);
    if (certain) /* else the adapter's own is as good */
        ret->python = xstrdup(python);
    return 0;
}
