#include "config/settings.h"

#include "adapter/catalog.h"
#include "adapter/definition.h"
#include "adapter/string_list.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "config/internal.h"
#include "config/surroundings.h"
#include "config/trust.h"

#include <stdarg.h>
#include <string.h>

/* ---- warnings ---- */

static void add_warning(struct settings *settings, const char *text)
{
    if (settings->warnings.len + LIMIT_MESSAGE_BYTES + 1 > settings->warnings.max)
        return; /* nobody reads so many */
    utf8_one_line(&settings->warnings, text, strlen(text), LIMIT_MESSAGE_BYTES);
    buffer_addc(&settings->warnings, '\n');
}

void settings_warn(struct settings *settings, const struct settings_file *file, const char *path, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    AUTO_FREE char *message = xvasprintf(format, args);
    va_end(args);
    const char *scope = file->scope == SETTINGS_GLOBAL ? "global" : "project";
    AUTO_FREE char *text = xasprintf("%s %s: %s (%s)", scope, path, message, file->path);
    add_warning(settings, text);
}

/* ---- adapters and profiles, sorted by id ---- */

/* Where the id is, or would be. */
static size_t adapter_place(const struct settings *settings, const char *id)
{
    size_t at = 0;
    while (at < settings->adapter_count && strcmp(settings->adapters[at].id, id) < 0)
        at++;
    return at;
}

void settings_put_adapter(struct settings *settings, const char *id, struct adapter_entry *entry)
{
    size_t at = adapter_place(settings, id);
    if (at < settings->adapter_count && strcmp(settings->adapters[at].id, id) == 0) {
        adapter_entry_free(settings->adapters[at].entry);
        settings->adapters[at].entry = entry;
        return;
    }
    size_t count = settings->adapter_count++;
    settings->adapters = xgrow(settings->adapters, &settings->adapter_cap, count + 1, sizeof *settings->adapters);
    memmove(&settings->adapters[at + 1], &settings->adapters[at], (count - at) * sizeof *settings->adapters);
    settings->adapters[at] = (struct adapter_setting){ xstrdup(id), entry };
}

static size_t profile_place(const struct settings *settings, const char *id)
{
    size_t at = 0;
    while (at < settings->profile_count && strcmp(settings->profiles[at].id, id) < 0)
        at++;
    return at;
}

void settings_put_profile(struct settings *settings, const struct settings_file *file, const char *id,
                          const struct launch_profile *profile)
{
    size_t at = profile_place(settings, id);
    if (at == settings->profile_count || strcmp(settings->profiles[at].id, id) != 0) {
        size_t count = settings->profile_count++;
        settings->profiles = xgrow(settings->profiles, &settings->profile_cap, count + 1, sizeof *settings->profiles);
        memmove(&settings->profiles[at + 1], &settings->profiles[at], (count - at) * sizeof *settings->profiles);
        settings->profiles[at] = (struct profile_setting){ .id = xstrdup(id) };
    }
    settings->profiles[at].file = file;
    settings->profiles[at].valid = profile != NULL;
    if (profile != NULL)
        settings->profiles[at].profile = *profile;
}

/* ---- trust ---- */

static void add_ids(struct buffer *out, const char *title, yyjson_val *object)
{
    size_t index, count;
    yyjson_val *key, *value;
    json_obj_foreach(object, index, count, key, value) {
        buffer_addf(out, "%s%s", index == 0 ? title : ", ", yyjson_get_str(key));
    }
    if (yyjson_obj_size(object) > 0)
        buffer_addc(out, ')');
}

static void warn_of_trust(struct settings *settings, const struct settings_file *file, yyjson_val *object, enum trust_state state)
{
    AUTO_BUFFER struct buffer ignored;
    buffer_init(&ignored, LIMIT_SETTINGS_BYTES);
    yyjson_val *adapters = yyjson_obj_get(object, "adapters");
    yyjson_val *profiles = yyjson_obj_get(object, "profiles");
    add_ids(&ignored, "adapters (", adapters);
    if (yyjson_obj_size(adapters) > 0 && yyjson_obj_size(profiles) > 0)
        buffer_add(&ignored, " and ");
    add_ids(&ignored, "profiles (", profiles);
    AUTO_FREE char *named = xstrndup(ignored.data, utf8_cut(ignored.data, ignored.len, 160));
    settings_warn(settings, file, "settings", "%s, so its %s%s are ignored; the user can look at it and run: dapple trust %s",
                  state == TRUST_CHANGED ? "changed since it was trusted" : "not trusted", named,
                  strlen(named) < ignored.len ? "…" : "", file->folder);
}

static bool is_trusted(struct settings *settings, const struct trust *trust, const struct settings_file *file, yyjson_val *object)
{
    if (file->scope == SETTINGS_GLOBAL || !layer_names_commands(object))
        return true;
    enum trust_state state = trust_of(trust, file);
    if (state != TRUST_GIVEN)
        warn_of_trust(settings, file, object, state);
    return state == TRUST_GIVEN;
}

/* ---- the layers ---- */

static void put_layers(struct settings *settings)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    AUTO_TRUST struct trust trust;
    if (trust_read(&trust, &error) < 0)
        add_warning(settings, error.message);
    for (size_t i = 0; i < settings->file_count; i++) {
        const struct settings_file *file = &settings->files[i];
        yyjson_val *object = layer_object(settings, file);
        if (object == NULL)
            continue;
        settings->names_commands[i] = layer_names_commands(object);
        settings->trusted[i] = is_trusted(settings, &trust, file, object);
        layer_put(settings, file, object, settings->trusted[i]);
    }
}

/* Is there something under the entry's id or one of its other names in the settings? */
static bool is_overridden(const struct settings *settings, const struct adapter_entry *entry)
{
    for (size_t i = 0; i < settings->adapter_count; i++) {
        if (catalog_find(settings->adapters[i].id) == entry)
            return true;
    }
    return false;
}

static void make_choices(struct settings *settings)
{
    size_t catalog = catalog_count();
    settings->choices = xcalloc(settings->adapter_count + catalog + 1, sizeof *settings->choices);
    for (size_t i = 0; i < settings->adapter_count; i++) {
        if (settings->adapters[i].entry != NULL)
            settings->choices[settings->choice_count++] = settings->adapters[i].entry;
    }
    for (size_t i = 0; i < catalog; i++) {
        if (!is_overridden(settings, catalog_entry(i)))
            settings->choices[settings->choice_count++] = catalog_entry(i);
    }
}

static bool has_adapter(const struct settings *settings, const char *id)
{
    for (size_t i = 0; i < settings->choice_count; i++) {
        if (adapter_entry_is(settings->choices[i], id))
            return true;
    }
    return false;
}

static void check_references(struct settings *settings)
{
    for (size_t i = 0; i < settings->profile_count; i++) {
        struct profile_setting *setting = &settings->profiles[i];
        if (!setting->valid || has_adapter(settings, setting->profile.adapter))
            continue;
        AUTO_FREE char *path = xasprintf("dap.profiles.%s.adapter", setting->id);
        settings_warn(settings, setting->file, path, "adapter \"%s\" is not configured", setting->profile.adapter);
        setting->valid = false;
    }
}

static void make_surroundings(struct settings *settings)
{
    struct string_list none = { 0 };
    settings->surroundings =
        settings->non_interactive ? surroundings_new(settings->ci, settings->no_color) : string_list_give(&none);
}

struct settings *settings_read(const char *project)
{
    struct settings *settings = xcalloc(1, sizeof *settings);
    settings->project = xstrdup(project);
    settings->signature = settings_files_signature(project); /* before reading: a change in between is seen the next time */
    settings->values = (struct settings_values){
        .startup_ms = TIMEOUT_STARTUP,
        .request_ms = TIMEOUT_REQUEST,
        .execution_ms = TIMEOUT_EXECUTION,
        .shutdown_ms = TIMEOUT_SHUTDOWN,
        .launch_ms = TIMEOUT_LAUNCH,
        .daemon_idle_ms = TIMEOUT_DAEMON_IDLE,
        .stop_context = "brief",
        .result_bytes = LIMIT_TEXT_BYTES,
        .result_lines = LIMIT_TEXT_LINES,
    };
    settings->non_interactive = true;
    buffer_init(&settings->warnings, LIMIT_TEXT_BYTES);
    settings->file_count = settings_files_read(project, settings->files);
    put_layers(settings);
    make_choices(settings);
    check_references(settings);
    make_surroundings(settings);
    return settings;
}

static void free_list(char **list)
{
    for (size_t i = 0; list != NULL && list[i] != NULL; i++)
        free(list[i]);
    free(list);
}

void settings_free(struct settings *settings)
{
    if (settings == NULL)
        return;
    for (size_t i = 0; i < settings->adapter_count; i++) {
        adapter_entry_free(settings->adapters[i].entry);
        free(settings->adapters[i].id);
    }
    for (size_t i = 0; i < settings->profile_count; i++)
        free(settings->profiles[i].id);
    free(settings->adapters);
    free(settings->profiles);
    free(settings->choices);
    free_list(settings->surroundings);
    settings_files_done(settings->files, settings->file_count);
    buffer_done(&settings->warnings);
    free(settings->signature);
    free(settings->project);
    free(settings);
}

bool settings_changed(const struct settings *settings)
{
    AUTO_FREE char *now = settings_files_signature(settings->project);
    return strcmp(now, settings->signature) != 0;
}

/* ---- what they say ---- */

const char *settings_warnings(const struct settings *settings)
{
    return settings->warnings.data;
}

const struct settings_values *settings_values(const struct settings *settings)
{
    return &settings->values;
}

const struct adapter_entry *const *settings_adapters(const struct settings *settings, size_t *ret_count)
{
    *ret_count = settings->choice_count;
    return settings->choices;
}

_Static_assert(SETTINGS_SOURCES == SETTINGS_FILES, "one source for each file");

size_t settings_sources(const struct settings *settings, struct settings_source ret[SETTINGS_SOURCES])
{
    for (size_t i = 0; i < settings->file_count; i++) {
        ret[i] = (struct settings_source){
            .path = settings->files[i].path,
            .is_project = settings->files[i].scope == SETTINGS_PROJECT,
            .names_commands = settings->names_commands[i],
            .trusted = settings->trusted[i],
        };
    }
    return settings->file_count;
}

char *const *settings_surroundings(const struct settings *settings)
{
    return settings->surroundings;
}

/* ---- profiles ---- */

static size_t valid_profiles(const struct settings *settings, struct buffer *names, const struct launch_profile **ret_last)
{
    size_t count = 0;
    for (size_t i = 0; i < settings->profile_count; i++) {
        if (!settings->profiles[i].valid)
            continue;
        buffer_addf(names, "%s%s", count++ > 0 ? ", " : "", settings->profiles[i].id);
        *ret_last = &settings->profiles[i].profile;
    }
    return count;
}

const struct launch_profile *settings_profile_at(const struct settings *settings, size_t index)
{
    for (size_t i = 0; i < settings->profile_count; i++) {
        if (settings->profiles[i].valid && index-- == 0)
            return &settings->profiles[i].profile;
    }
    return NULL;
}

int settings_profile(const struct settings *settings, const char *id, const struct launch_profile **ret, struct error *ret_error)
{
    AUTO_BUFFER struct buffer names;
    buffer_init(&names, LIMIT_TEXT_BYTES);
    const struct launch_profile *last = NULL;
    size_t count = valid_profiles(settings, &names, &last);
    size_t at = id != NULL ? profile_place(settings, id) : 0;
    if (id != NULL && at < settings->profile_count && settings->profiles[at].valid && strcmp(settings->profiles[at].id, id) == 0)
        last = &settings->profiles[at].profile;
    else if (id != NULL && count == 0)
        return error_set(ret_error, ERROR_CONFIG, "unknown Launch Profile %s; the settings have none that can be used", id);
    else if (id != NULL)
        return error_set(ret_error, ERROR_CONFIG, "unknown Launch Profile %s; there are %s", id, names.data);
    else if (count == 0)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "invalid arguments: /program is required (or profile: the settings have none that can be used)");
    else if (count > 1)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "launch requires program, or profile when there is not exactly one valid Launch Profile; there are %s",
                         names.data);
    *ret = last;
    return 0;
}
