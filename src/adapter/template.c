#include "adapter/template.h"

#include "adapter/string_list.h"
#include "base/buffer.h"
#include "base/memory.h"
#include "json/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

bool template_is(yyjson_val *value, const char *word)
{
    const char *text = yyjson_get_str(value);
    size_t len = strlen(word);
    return text != NULL && strncmp(text, "${", 2) == 0 && strncmp(text + 2, word, len) == 0 && strcmp(text + 2 + len, "}") == 0;
}

/* ---- values ---- */

static yyjson_mut_val *string_value(yyjson_mut_doc *doc, const char *text)
{
    return text != NULL ? json_new_string(doc, text, strlen(text)) : NULL;
}

static yyjson_mut_val *number_value(yyjson_mut_doc *doc, int64_t number)
{
    return number != 0 ? yyjson_mut_sint(doc, number) : NULL;
}

static yyjson_mut_val *args_value(yyjson_mut_doc *doc, char *const *args)
{
    if (args == NULL)
        return NULL;
    yyjson_mut_val *array = yyjson_mut_arr(doc);
    for (; *args != NULL; args++)
        yyjson_mut_arr_append(array, string_value(doc, *args));
    return array;
}

static void put(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *name, size_t name_len, yyjson_mut_val *value)
{
    yyjson_mut_obj_put(object, json_new_string(doc, name, name_len), value);
}

/* Puts the settings of `env` over `object`; a removed one becomes null, or goes away when `whole`. */
static void put_env(yyjson_mut_doc *doc, yyjson_mut_val *object, char *const *env, bool whole)
{
    for (; *env != NULL; env++) {
        const char *equals = strchr(*env, '=');
        size_t name_len = strcspn(*env, "=");
        if (equals != NULL)
            put(doc, object, *env, name_len, string_value(doc, equals + 1));
        else if (whole)
            yyjson_mut_obj_remove_keyn(object, *env, name_len);
        else
            put(doc, object, *env, name_len, yyjson_mut_null(doc));
    }
}

static yyjson_mut_val *env_value(yyjson_mut_doc *doc, char *const *env)
{
    if (env == NULL)
        return NULL;
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    put_env(doc, object, env, false);
    return object;
}

/* The adapter's environment with the changes of `env`, for an adapter that would otherwise start the program with nothing else. */
static yyjson_mut_val *whole_env_value(yyjson_mut_doc *doc, const struct template_values *values)
{
    if (values->env == NULL)
        return NULL;
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    put_env(doc, object, environ, true);
    if (values->surroundings != NULL)
        put_env(doc, object, values->surroundings, true);
    put_env(doc, object, values->env, true);
    return object;
}

/* Only what is set: a list cannot say that a variable is to be removed. */
static yyjson_mut_val *env_list_value(yyjson_mut_doc *doc, char *const *env)
{
    if (env == NULL)
        return NULL;
    yyjson_mut_val *array = yyjson_mut_arr(doc);
    for (; *env != NULL; env++) {
        if (strchr(*env, '=') != NULL)
            yyjson_mut_arr_append(array, string_value(doc, *env));
    }
    return array;
}

/* LLDB's printer of unordered containers looks for the type of their elements where g++ describes none, and shows all of them as empty
 * then. The table that they are made of knows it, too. */
static const char lldb_containers[] =
    "script import lldb.formatters.cpp.gnu_libstdcpp as g; c = getattr(g, 'StdUnorderedMapSynthProvider', g); "
    "c.extract_type = lambda self: self.valobj.GetChildMemberWithName('_M_h').GetType().GetTemplateArgumentType(1)";

/* The text of a placeholder that has one, NULL otherwise. */
static const char *word_text(const char *word, size_t len, const struct template_values *values)
{
    const struct {
        const char *word, *text;
    } words[] = {
        { "adapter", values->adapter },
        { "adapter_folder", values->adapter_folder },
        { "interpreter", values->interpreter },
        { "python", values->python },
        { "program", values->program },
        { "program_folder", values->program_folder },
        { "project", values->project },
        { "cwd", values->cwd },
        { "go_mode", values->go_mode },
        { "go_target", values->go_target },
        { "kotlin_class", values->kotlin_class },
        { "typescript_runner", values->typescript_runner },
        { "source_map_folder", values->source_map_folder },
        { "rust_printers", values->rust_printers },
        { "lldb_containers", lldb_containers },
        { "host", values->host },
        { "port", values->port_text },
        { "core", values->core },
    };
    for (size_t i = 0; i < COUNT_OF(words); i++) {
        if (strlen(words[i].word) == len && strncmp(words[i].word, word, len) == 0)
            return words[i].text;
    }
    return NULL;
}

/* ---- filling ---- */

/* The text with its placeholders replaced. Heap memory of the caller's; NULL when one of them is not given. */
static char *fill_text(const char *text, const struct template_values *values)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, SIZE_MAX);
    while (*text != '\0') {
        if (strncmp(text, "$${", 3) == 0) {
            buffer_add(&out, "${");
            text += 3;
            continue;
        }
        const char *end = strncmp(text, "${", 2) == 0 ? strchr(text, '}') : NULL;
        if (end == NULL) {
            buffer_addc(&out, *text++);
            continue;
        }
        const char *value = word_text(text + 2, (size_t)(end - text) - 2, values);
        if (value == NULL)
            return NULL;
        buffer_add(&out, value);
        text = end + 1;
    }
    return buffer_take(&out, NULL);
}

static yyjson_mut_val *fill_string(yyjson_mut_doc *doc, yyjson_val *value, const struct template_values *values)
{
    if (template_is(value, "args"))
        return args_value(doc, values->args);
    if (template_is(value, "args_always"))
        return values->args != NULL ? args_value(doc, values->args) : yyjson_mut_arr(doc);
    if (template_is(value, "env_always"))
        return values->env != NULL ? env_value(doc, values->env) : yyjson_mut_obj(doc);
    if (template_is(value, "env"))
        return env_value(doc, values->env);
    if (template_is(value, "env_all"))
        return whole_env_value(doc, values);
    if (template_is(value, "env_list"))
        return env_list_value(doc, values->env);
    if (template_is(value, "pid"))
        return number_value(doc, values->pid);
    if (template_is(value, "port"))
        return number_value(doc, values->port_text != NULL ? strtoll(values->port_text, NULL, 10) : 0);
    if (template_is(value, "stop_on_entry"))
        return yyjson_mut_bool(doc, values->stop_on_entry);
    if (template_is(value, "stop_on_entry_always"))
        return yyjson_mut_bool(doc, true);
    AUTO_FREE char *text = fill_text(yyjson_get_str(value), values);
    return string_value(doc, text);
}

static yyjson_mut_val *fill_array(yyjson_mut_doc *doc, yyjson_val *value, const struct template_values *values)
{
    yyjson_mut_val *array = yyjson_mut_arr(doc);
    size_t index, count;
    yyjson_val *item;
    yyjson_arr_foreach(value, index, count, item) {
        if (template_is(item, "args")) {
            for (char *const *arg = values->args; arg != NULL && *arg != NULL; arg++)
                yyjson_mut_arr_append(array, string_value(doc, *arg));
            continue;
        }
        yyjson_mut_val *filled = template_fill(doc, item, values);
        if (filled != NULL)
            yyjson_mut_arr_append(array, filled);
    }
    return array;
}

static yyjson_mut_val *fill_object(yyjson_mut_doc *doc, yyjson_val *value, const struct template_values *values)
{
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    size_t index, count;
    yyjson_val *key, *member;
    yyjson_obj_foreach(value, index, count, key, member) {
        yyjson_mut_val *filled = template_fill(doc, member, values);
        if (filled != NULL)
            put(doc, object, yyjson_get_str(key), yyjson_get_len(key), filled);
    }
    return object;
}

yyjson_mut_val *template_fill(yyjson_mut_doc *doc, yyjson_val *value, const struct template_values *values)
{
    if (yyjson_is_obj(value))
        return fill_object(doc, value, values);
    if (yyjson_is_arr(value))
        return fill_array(doc, value, values);
    if (yyjson_is_str(value))
        return fill_string(doc, value, values);
    return yyjson_val_mut_copy(doc, value);
}

void template_command(struct string_list *argv, yyjson_val *command, const struct template_values *values)
{
    size_t index, count;
    yyjson_val *item;
    yyjson_arr_foreach(command, index, count, item) {
        if (!template_is(item, "args")) {
            char *text = fill_text(yyjson_get_str(item), values);
            if (text != NULL)
                string_list_take(argv, text);
            continue;
        }
        for (char *const *arg = values->args; arg != NULL && *arg != NULL; arg++)
            string_list_add(argv, *arg);
    }
}
