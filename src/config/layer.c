/* One file's settings over those of weaker files. What is wrong is said and left out, and the rest counts. */
#include "config/internal.h"

#include "adapter/catalog.h"
#include "adapter/definition.h"
#include "base/limits.h"
#include "base/memory.h"

#include <string.h>

#define MOST ((int64_t)9007199254740991) /* 2^53 - 1 */

/* ---- where something stands ---- */

/* A member of the settings under which things can be wrong: "dap.adapters.gdb". */
struct place {
    struct settings *settings;
    const struct settings_file *file;
    const char *path;
};

/* Always false. `member` NULL: the place itself. */
static bool wrong(const struct place *at, const char *member, const char *message)
{
    AUTO_FREE char *path = member == NULL ? xstrdup(at->path) : xasprintf("%s.%s", at->path, member);
    settings_warn(at->settings, at->file, path, "%s", message);
    return false;
}

static bool wrong_item(const struct place *at, const char *list, size_t index, const char *message)
{
    AUTO_FREE char *member = xasprintf("%s.%zu", list, index);
    return wrong(at, member, message);
}

static bool is_one_of(const char *word, const char *const *words)
{
    while (*words != NULL && strcmp(*words, word) != 0)
        words++;
    return *words != NULL;
}

/* Has the object only these members? */
static bool check_closed(const struct place *at, yyjson_val *object, const char *const *known, const char *message)
{
    bool closed = true;
    size_t index, count;
    yyjson_val *key, *value;
    json_obj_foreach(object, index, count, key, value) {
        if (!is_one_of(yyjson_get_str(key), known))
            closed = wrong(at, yyjson_get_str(key), message);
    }
    return closed;
}

/* ---- single values ---- */

/* Why this is no text as it can be passed to a program; NULL when it is. */
static const char *text_fault(yyjson_val *value, bool may_be_empty)
{
    if (!yyjson_is_str(value) || (!may_be_empty && yyjson_get_len(value) == 0))
        return may_be_empty ? "must be a string" : "must be a non-empty string";
    return strlen(yyjson_get_str(value)) == yyjson_get_len(value) ? NULL : "must not contain a NUL character";
}

static bool check_required(const struct place *at, yyjson_val *object, const char *member)
{
    yyjson_val *value = yyjson_obj_get(object, member);
    const char *fault = value == NULL ? "is required" : text_fault(value, false);
    return fault == NULL || wrong(at, member, fault);
}

/* An integer within the bounds goes into *ret. */
static bool read_integer(const struct place *at, yyjson_val *object, const char *member, int64_t least, int64_t most, int64_t *ret)
{
    yyjson_val *value = yyjson_obj_get(object, member);
    int64_t number;
    if (value == NULL)
        return true;
    if (!yyjson_is_num(value) || !json_value_int(value, &number))
        return wrong(at, member, "must be an integer");
    AUTO_FREE char *bound = NULL;
    if (number < least)
        bound = xasprintf("must be >= %lld", (long long)least);
    else if (number > most)
        bound = xasprintf("must be <= %lld", (long long)most);
    if (bound != NULL)
        return wrong(at, member, bound);
    *ret = number;
    return true;
}

static bool check_object(const struct place *at, yyjson_val *value)
{
    return value == NULL ? false : yyjson_is_obj(value) || wrong(at, NULL, "expected a JSON object");
}

/* ---- adapters ---- */

static bool check_args(const struct place *at, yyjson_val *definition, bool tcp)
{
    yyjson_val *args = yyjson_obj_get(definition, "args");
    size_t index, count;
    yyjson_val *item;
    if (args != NULL && !yyjson_is_arr(args))
        return wrong(at, "args", "must be a list of strings");
    yyjson_arr_foreach(args, index, count, item) {
        const char *fault = text_fault(item, true);
        if (fault != NULL)
            return wrong_item(at, "args", index, fault);
        if (!tcp && strstr(yyjson_get_str(item), "$PORT") != NULL)
            return wrong(at, "args", "$PORT requires TCP transport");
    }
    return true;
}

static bool check_environment(const struct place *at, yyjson_val *definition)
{
    yyjson_val *environment = yyjson_obj_get(definition, "environment");
    size_t index, count;
    yyjson_val *key, *value;
    if (environment != NULL && !yyjson_is_obj(environment))
        return wrong(at, "environment", "must be an object of strings and nulls");
    json_obj_foreach(environment, index, count, key, value) {
        const char *name = unsafe_yyjson_get_str(key);
        AUTO_FREE char *member = xasprintf("environment.%s", name);
        if (text_fault(key, false) != NULL || strchr(name, '=') != NULL)
            return wrong(at, member, "is no name of a variable");
        if (!yyjson_is_null(value) && !yyjson_is_str(value))
            return wrong(at, member, "must be a string or null");
        if (yyjson_is_str(value) && text_fault(value, true) != NULL)
            return wrong(at, member, text_fault(value, true));
    }
    return true;
}

static bool check_extensions(const struct place *at, yyjson_val *definition)
{
    yyjson_val *extensions = yyjson_obj_get(definition, "extensions");
    size_t index, count;
    yyjson_val *item;
    if (extensions != NULL && !yyjson_is_arr(extensions))
        return wrong(at, "extensions", "must be a list of strings");
    yyjson_arr_foreach(extensions, index, count, item) {
        const char *extension = text_fault(item, false) == NULL ? yyjson_get_str(item) : "";
        if (extension[0] != '.' || extension[1] == '\0' || strpbrk(extension, "/*ABCDEFGHIJKLMNOPQRSTUVWXYZ") != NULL)
            return wrong_item(at, "extensions", index, "must be an extension in lower case, like \".py\"");
    }
    return true;
}

static bool read_transport(const struct place *at, yyjson_val *definition, struct adapter_definition *ret)
{
    static const char *const known[] = { "type", "host", "port", NULL };
    yyjson_val *transport = yyjson_obj_get(definition, "transport");
    AUTO_FREE char *path = xasprintf("%s.transport", at->path);
    struct place inside = { at->settings, at->file, path };
    int64_t port = 0;
    if (transport == NULL || yyjson_equals_str(transport, "stdio"))
        return true;
    if (!yyjson_is_obj(transport))
        return wrong(&inside, NULL, "must be \"stdio\", or an object with type \"tcp\"");
    if (!check_closed(&inside, transport, known, "is not allowed") || !check_required(&inside, transport, "type"))
        return false;
    if (!yyjson_equals_str(yyjson_obj_get(transport, "type"), "tcp"))
        return wrong(&inside, "type", "must be \"tcp\"");
    if (yyjson_obj_get(transport, "host") != NULL && !check_required(&inside, transport, "host"))
        return false;
    if (!read_integer(&inside, transport, "port", 0, 65535, &port))
        return false;
    ret->tcp = true;
    ret->host = yyjson_get_str(yyjson_obj_get(transport, "host"));
    ret->port = (uint16_t)port;
    return true;
}

static bool check_claims(const struct place *at, yyjson_val *definition)
{
    yyjson_val *claims = yyjson_obj_get(definition, "claimsWrongly");
    size_t index, count;
    yyjson_val *item;
    if (claims != NULL && !yyjson_is_arr(claims))
        return wrong(at, "claimsWrongly", "must be a list of strings");
    yyjson_arr_foreach(claims, index, count, item) {
        if (text_fault(item, false) != NULL || strncmp(yyjson_get_str(item), "support", 7) != 0)
            return wrong_item(at, "claimsWrongly", index, "must be the name of a capability, like \"supportsLogPoints\"");
    }
    return true;
}

/* An adapter that Dapple knows can keep its command line: then nothing else of how it is started stands here. */
static bool check_command(const struct place *at, yyjson_val *definition, const char *id)
{
    static const char *const start[] = { "args", "environment", "transport" };
    if (yyjson_obj_get(definition, "command") != NULL || catalog_find(id) == NULL)
        return check_required(at, definition, "command");
    for (size_t i = 0; i < COUNT_OF(start); i++)
        if (yyjson_obj_get(definition, start[i]) != NULL)
            return wrong(at, "command", "is required");
    return yyjson_obj_size(definition) > 0 || wrong(at, "command", "is required");
}

static bool read_definition(const struct place *at, yyjson_val *value, struct adapter_definition *ret)
{
    static const char *const known[] = { "command", "args", "environment", "transport", "extensions", "claimsWrongly", NULL };
    if (!yyjson_is_obj(value))
        return wrong(at, NULL, "must be an object or null");
    if (!check_closed(at, value, known, "is not allowed") || !check_command(at, value, ret->id) ||
        !read_transport(at, value, ret) || !check_args(at, value, ret->tcp) || !check_environment(at, value) ||
        !check_extensions(at, value) || !check_claims(at, value))
        return false;
    ret->command = yyjson_get_str(yyjson_obj_get(value, "command"));
    ret->args = yyjson_obj_get(value, "args");
    ret->environment = yyjson_obj_get(value, "environment");
    ret->extensions = yyjson_obj_get(value, "extensions");
    ret->claims_wrongly = yyjson_obj_get(value, "claimsWrongly");
    return true;
}

static void put_adapter(struct settings *settings, const struct settings_file *file, const char *id, yyjson_val *value)
{
    AUTO_FREE char *path = xasprintf("dap.adapters.%s", id);
    struct place at = { settings, file, path };
    struct adapter_definition definition = { .id = id, .folder = file->folder };
    bool defined = !yyjson_is_null(value) && read_definition(&at, value, &definition);
    settings_put_adapter(settings, id, defined ? adapter_entry_define(&definition) : NULL);
}

/* ---- profiles ---- */

static bool check_profile(const struct place *at, yyjson_val *value)
{
    static const char *const known[] = { "adapter", "arguments", NULL };
    if (!yyjson_is_obj(value))
        return wrong(at, NULL, "must be an object or null");
    if (!check_closed(at, value, known, "is not allowed") || !check_required(at, value, "adapter"))
        return false;
    yyjson_val *arguments = yyjson_obj_get(value, "arguments");
    if (arguments == NULL)
        return wrong(at, "arguments", "is required");
    return yyjson_is_obj(arguments) || wrong(at, "arguments", "must be an object");
}

static void put_profile(struct settings *settings, const struct settings_file *file, const char *id, yyjson_val *value)
{
    AUTO_FREE char *path = xasprintf("dap.profiles.%s", id);
    struct place at = { settings, file, path };
    struct launch_profile profile = { 0 };
    bool valid = !yyjson_is_null(value) && check_profile(&at, value);
    if (valid)
        profile = (struct launch_profile){ id, json_string(value, "adapter"), json_object(value, "arguments") };
    settings_put_profile(settings, file, id, valid ? &profile : NULL);
}

typedef void (*put_fn)(struct settings *settings, const struct settings_file *file, const char *id, yyjson_val *value);

/* Goes through "adapters" or "profiles". */
static void put_each(const struct place *at, yyjson_val *object, const char *no_id, put_fn put)
{
    size_t index, count;
    yyjson_val *key, *value;
    if (!check_object(at, object))
        return;
    json_obj_foreach(object, index, count, key, value) {
        if (text_fault(key, false) != NULL)
            wrong(at, NULL, no_id);
        else
            put(at->settings, at->file, yyjson_get_str(key), value);
    }
}

/* ---- the rest ---- */

static void put_milliseconds(const struct place *at, yyjson_val *object, const char *member, int64_t least, uint64_t *slot)
{
    int64_t value = (int64_t)*slot;
    read_integer(at, object, member, least, MOST, &value);
    *slot = (uint64_t)value;
}

static void put_timeouts(const struct place *at, yyjson_val *object, struct settings_values *values)
{
    static const char *const known[] = { "startupMs", "requestMs", "executionMs", "shutdownMs", "launchMs", NULL };
    if (!check_object(at, object))
        return;
    put_milliseconds(at, object, "startupMs", 1, &values->startup_ms);
    put_milliseconds(at, object, "requestMs", 1, &values->request_ms);
    put_milliseconds(at, object, "executionMs", 1, &values->execution_ms);
    put_milliseconds(at, object, "shutdownMs", 1, &values->shutdown_ms);
    put_milliseconds(at, object, "launchMs", 1, &values->launch_ms);
    check_closed(at, object, known, "unknown field");
}

static void put_size(const struct place *at, yyjson_val *object, const char *member, int64_t least, int64_t most, size_t *slot)
{
    int64_t value = (int64_t)*slot;
    read_integer(at, object, member, least, most, &value);
    *slot = (size_t)value;
}

static void put_result_limits(const struct place *at, yyjson_val *object, struct settings_values *values)
{
    static const char *const known[] = { "bytes", "lines", NULL };
    if (!check_object(at, object))
        return;
    put_size(at, object, "bytes", LIMIT_TEXT_BYTES_LEAST, LIMIT_TEXT_BYTES, &values->result_bytes);
    put_size(at, object, "lines", LIMIT_TEXT_LINES_LEAST, LIMIT_TEXT_LINES, &values->result_lines);
    check_closed(at, object, known, "unknown field");
}

static void put_non_interactive(const struct place *at, yyjson_val *value, struct settings *settings)
{
    bool ci = false, no_color = false;
    size_t index, count;
    yyjson_val *item;
    if (value == NULL)
        return;
    if (!yyjson_is_bool(value) && !yyjson_is_arr(value)) {
        wrong(at, NULL, "must be true, false, or a list of the further variables CI and NO_COLOR");
        return;
    }
    yyjson_arr_foreach(value, index, count, item) {
        bool is_ci = yyjson_equals_str(item, "CI");
        bool is_no_color = yyjson_equals_str(item, "NO_COLOR");
        if (!is_ci && !is_no_color)
            wrong(at, NULL, "a list may name CI and NO_COLOR only");
        ci = ci || is_ci;
        no_color = no_color || is_no_color;
    }
    settings->non_interactive = !yyjson_is_false(value);
    settings->ci = ci;
    settings->no_color = no_color;
}

static void put_stop_context(const struct place *at, yyjson_val *value, struct settings_values *values)
{
    static const char *const words[] = { "none", "brief", "full", NULL };
    if (value == NULL)
        return;
    for (size_t i = 0; words[i] != NULL; i++) {
        if (yyjson_equals_str(value, words[i])) {
            values->stop_context = words[i];
            return;
        }
    }
    wrong(at, NULL, "must be one of none, brief, full");
}

/* ---- the layer ---- */

static struct place member_place(const struct place *at, const char *path)
{
    return (struct place){ at->settings, at->file, path };
}

static void put_commands(const struct place *at, yyjson_val *object)
{
    struct place adapters = member_place(at, "dap.adapters");
    struct place profiles = member_place(at, "dap.profiles");
    put_each(&adapters, yyjson_obj_get(object, "adapters"), "Adapter Definition ID must be a non-empty string", put_adapter);
    put_each(&profiles, yyjson_obj_get(object, "profiles"), "Launch Profile ID must be a non-empty string", put_profile);
}

void layer_put(struct settings *settings, const struct settings_file *file, yyjson_val *object, bool trusted)
{
    static const char *const known[] = { "timeouts",     "adapters",    "profiles",     "nonInteractive", "idleMs",
                                         "daemonIdleMs", "stopContext", "resultLimits", "$schema",        NULL };
    struct place at = { settings, file, "dap" };
    struct settings_values *values = &settings->values;
    check_closed(&at, object, known, "unknown field");
    if (trusted)
        put_commands(&at, object);
    struct place timeouts = member_place(&at, "dap.timeouts");
    struct place variables = member_place(&at, "dap.nonInteractive");
    struct place context = member_place(&at, "dap.stopContext");
    struct place limits = member_place(&at, "dap.resultLimits");
    put_timeouts(&timeouts, yyjson_obj_get(object, "timeouts"), values);
    put_non_interactive(&variables, yyjson_obj_get(object, "nonInteractive"), settings);
    put_milliseconds(&at, object, "idleMs", 0, &values->idle_ms);
    put_milliseconds(&at, object, "daemonIdleMs", 1, &values->daemon_idle_ms);
    put_stop_context(&context, yyjson_obj_get(object, "stopContext"), values);
    put_result_limits(&limits, yyjson_obj_get(object, "resultLimits"), values);
}

bool layer_names_commands(yyjson_val *object)
{
    return yyjson_obj_size(yyjson_obj_get(object, "adapters")) > 0 || yyjson_obj_size(yyjson_obj_get(object, "profiles")) > 0;
}

/* What stands beside "dap" in a file of our own would be overlooked. */
static void check_beside(const struct place *at, yyjson_val *root)
{
    static const char *const known[] = { "dap", "$schema", NULL };
    check_closed(at, root, known, "unknown field beside dap");
}

yyjson_val *layer_object(struct settings *settings, const struct settings_file *file)
{
    struct place at = { settings, file, "settings" };
    struct place dap = { settings, file, "dap" };
    if (file->fault != NULL)
        wrong(&at, NULL, file->fault);
    if (file->fault != NULL || !check_object(&at, file->json.root))
        return NULL;
    yyjson_val *member = yyjson_obj_get(file->json.root, "dap");
    if (member == NULL)
        return file->own ? file->json.root : NULL;
    if (file->own)
        check_beside(&at, file->json.root);
    return check_object(&dap, member) ? member : NULL;
}
