/* The one tool of the set `single`: from an action and its parameters to an operation and its arguments. */
#include "verb/single.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "verb/arguments.h"
#include "verb/near_name.h"
#include "verb/verb.h"
#include "json/json.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NAME_MOST 40         /* bytes of an unknown name that are shown */
#define ACTIONS_NAMED 6      /* that take an argument which was given to another */
#define LONGEST_SECONDS 1e12 /* beyond it, milliseconds are no whole numbers any more */

struct translation {
    const struct single_action *action;
    yyjson_val *arguments;
    yyjson_doc *schema;   /* of the operation */
    yyjson_mut_doc *made; /* the arguments by the operation's names */
    struct error *error;
};

/* ---- the action ---- */

static const struct single_action *find_action(const char *name)
{
    for (size_t i = 0; i < single_action_count; i++) {
        if (name_same(single_actions[i].name, strlen(single_actions[i].name), name, strlen(name)))
            return &single_actions[i];
    }
    return NULL;
}

static int refuse_action(const char *name, struct error *ret_error)
{
    AUTO_BUFFER struct buffer shown;
    buffer_init(&shown, 1024);
    (void)utf8_one_line(&shown, name, strlen(name), NAME_MOST);
    const char *nearest = NULL;
    size_t best = SIZE_MAX;
    AUTO_BUFFER struct buffer names;
    buffer_init(&names, 4096);
    for (size_t i = 0; i < single_action_count; i++) {
        const char *known = single_actions[i].name;
        size_t distance = name_distance(name, strlen(name), known, strlen(known));
        if (distance < best) {
            best = distance;
            nearest = known;
        }
        (void)buffer_addf(&names, "%s%s", i > 0 ? ", " : "", known);
    }
    if (nearest != NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: /action: there is no \"%s\"; did you mean %s?", shown.data,
                         nearest);
    return error_set(ret_error, ERROR_ARGUMENT, "invalid arguments: /action: there is no \"%s\"; there are: %s", shown.data,
                     names.data);
}

/* "dap_next" is "next": results name the operations so. */
static int read_action(yyjson_val *arguments, const struct single_action **ret_action, struct error *ret_error)
{
    const char *given = json_string(arguments, "action");
    if (given == NULL)
        return error_set(ret_error, ERROR_ARGUMENT,
                         "invalid arguments: /action is required, a word such as launch, continue or evaluate");
    static const char spaces[] = " \t\r\n", prefix[] = "dap_";
    given += strspn(given, spaces);
    AUTO_FREE char *name = xstrdup(strncmp(given, prefix, strlen(prefix)) == 0 ? given + strlen(prefix) : given);
    for (size_t len = strlen(name); len > 0 && strchr(spaces, name[len - 1]) != NULL; len--)
        name[len - 1] = '\0';
    *ret_action = find_action(name);
    return *ret_action != NULL ? 0 : refuse_action(name, ret_error);
}

/* ---- the arguments ---- */

static const struct single_name *find_name(const struct single_action *action, const char *given)
{
    for (const struct single_name *name = action->names; name->given != NULL; name++) {
        if (name_same(name->given, strlen(name->given), given, strlen(given)))
            return name;
    }
    return NULL;
}

static bool takes(const struct single_action *action, const char *given)
{
    if (find_name(action, given) != NULL)
        return true;
    const char *text = action->verb->arguments_schema;
    yyjson_doc *schema = yyjson_read(text, strlen(text), 0);
    bool own = arguments_name(json_object(yyjson_doc_get_root(schema), "properties"), given, strlen(given)) != NULL;
    yyjson_doc_free(schema);
    return own;
}

/* The actions that take an argument of this name; how many there are. */
static size_t actions_with(const char *given, struct buffer *names)
{
    size_t count = 0;
    for (size_t i = 0; i < single_action_count; i++) {
        if (!takes(&single_actions[i], given))
            continue;
        if (count < ACTIONS_NAMED)
            (void)buffer_addf(names, "%s%s", count > 0 ? ", " : "", single_actions[i].name);
        count++;
    }
    if (count > ACTIONS_NAMED)
        (void)buffer_addf(names, " and %zu more", count - ACTIONS_NAMED);
    return count;
}

/* It is an argument, but of other actions. One that nobody knows is left to the check, which has the nearest name. */
static bool belongs_elsewhere(struct translation *translation, const char *given)
{
    AUTO_BUFFER struct buffer others, own;
    buffer_init(&others, 4096);
    buffer_init(&own, 4096);
    if (actions_with(given, &others) == 0)
        return false;
    yyjson_val *properties = json_object(yyjson_doc_get_root(translation->schema), "properties");
    size_t index, most;
    yyjson_val *key, *value;
    yyjson_obj_foreach(properties, index, most, key, value)
        (void)buffer_addf(&own, ", %s", yyjson_get_str(key));
    for (const struct single_name *name = translation->action->names; name->given != NULL; name++)
        (void)buffer_addf(&own, ", %s", name->given);
    error_set(translation->error, ERROR_ARGUMENT, "invalid arguments: /%s is no argument of %s; it goes with %s. %s takes: %s",
              given, translation->action->name, others.data, translation->action->name, own.data + strlen(", "));
    return true;
}

/* The two are told apart by their names only. */
static int refuse_twice(struct translation *translation, const char *given, const char *taken)
{
    size_t index, most;
    yyjson_val *key, *value;
    yyjson_obj_foreach(translation->arguments, index, most, key, value) {
        const struct single_name *name = find_name(translation->action, yyjson_get_str(key));
        if (strcmp(name != NULL ? name->taken : yyjson_get_str(key), taken) == 0)
            break;
    }
    return error_set(translation->error, ERROR_ARGUMENT, "invalid arguments: /%s means the same as %s; give one", given,
                     yyjson_get_str(key));
}

static int add_seconds(struct translation *translation, const struct single_name *name, yyjson_val *value)
{
    double seconds = yyjson_is_num(value) ? yyjson_get_num(value) : NAN;
    if (yyjson_is_str(value)) {
        char *end = NULL;
        seconds = strtod(yyjson_get_str(value), &end);
        if (end == yyjson_get_str(value) || *end != '\0')
            seconds = NAN;
    }
    if (!(seconds >= 0 && seconds <= LONGEST_SECONDS))
        return error_set(translation->error, ERROR_ARGUMENT, "invalid arguments: /%s must be a number of seconds, 0 or more",
                         name->given);
    json_add_int(translation->made, yyjson_mut_doc_get_root(translation->made), name->taken, (int64_t)(seconds * 1000 + 0.5));
    return 0;
}

static int add_argument(struct translation *translation, const char *given, yyjson_val *value)
{
    yyjson_mut_val *root = yyjson_mut_doc_get_root(translation->made);
    const struct single_name *name = find_name(translation->action, given);
    const char *taken = name != NULL ? name->taken : given;
    if (name == NULL && !takes(translation->action, given) && belongs_elsewhere(translation, given))
        return -1;
    if (yyjson_mut_obj_get(root, taken) != NULL)
        return refuse_twice(translation, given, taken);
    if (name != NULL && name->seconds)
        return add_seconds(translation, name, value);
    json_add_copy(translation->made, root, taken, value);
    return 0;
}

static int add_arguments(struct translation *translation)
{
    size_t index, most;
    yyjson_val *key, *value;
    json_obj_foreach(translation->arguments, index, most, key, value) {
        const char *given = yyjson_get_str(key);
        if (strcmp(given, "action") == 0 || yyjson_is_null(value))
            continue;
        if (add_argument(translation, given, value) < 0)
            return -1;
    }
    return 0;
}

/* A fault of an argument names it as the caller did. */
static void say_as_given(const struct translation *translation)
{
    static const char start[] = "invalid arguments: /";
    const char *message = translation->error->message;
    if (strncmp(message, start, strlen(start)) != 0)
        return;
    const char *path = message + strlen(start);
    size_t len = strcspn(path, "/ ");
    for (const struct single_name *name = translation->action->names; name->given != NULL; name++) {
        if (strlen(name->taken) != len || strncmp(name->taken, path, len) != 0 ||
            json_member(translation->arguments, name->given) == NULL)
            continue;
        AUTO_FREE char *rest = xstrdup(path + len);
        error_set(translation->error, ERROR_ARGUMENT, "%s%s%s", start, name->given, rest);
        return;
    }
}

static int translate(struct translation *translation, yyjson_doc **ret_doc)
{
    if (add_arguments(translation) < 0)
        return -1;
    yyjson_doc *renamed = yyjson_mut_doc_imut_copy(translation->made, NULL);
    int result = arguments_check(translation->action->verb, yyjson_doc_get_root(renamed), ret_doc, translation->error);
    yyjson_doc_free(renamed);
    if (result < 0)
        say_as_given(translation);
    return result;
}

int single_translate(yyjson_val *arguments, const struct verb **ret_verb, yyjson_doc **ret_doc, struct error *ret_error)
{
    struct translation translation = { .arguments = arguments, .error = ret_error };
    if (read_action(arguments, &translation.action, ret_error) < 0)
        return -1;
    const char *schema = translation.action->verb->arguments_schema;
    translation.schema = yyjson_read(schema, strlen(schema), 0);
    translation.made = json_new_object(NULL);
    int result = translate(&translation, ret_doc);
    if (result == 0)
        *ret_verb = translation.action->verb;
    yyjson_mut_doc_free(translation.made);
    yyjson_doc_free(translation.schema);
    return result;
}
