#include "cli/command_line.h"

#include "adapter/catalog.h"
#include "adapter/choose.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/utf8.h"
#include "cli/location.h"
#include "cli/near_word.h"
#include "verb/arguments.h"
#include "verb/verb.h"
#include "json/json.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    const struct verb *verb;
    yyjson_doc *schema;
    yyjson_val *properties;
    yyjson_mut_doc *doc;
    yyjson_mut_val *root;
    size_t positional; /* how many of them have been given */
    struct command_line *line;
    struct error *error;
};

const struct verb_alias *command_line_alias(const struct verb *verb, const char *word)
{
    for (const struct verb_alias *alias = verb->cli.aliases; alias->word != NULL; alias++)
        if (strcmp(alias->word, word) == 0)
            return alias;
    return NULL;
}

const struct verb *command_line_verb(const char *word)
{
    for (size_t i = 0; i < verb_count; i++)
        if (strcmp(verb_table[i].cli.verb, word) == 0 || command_line_alias(&verb_table[i], word) != NULL)
            return &verb_table[i];
    return NULL;
}

/* ---- names ---- */

static bool is_time(const char *argument)
{
    size_t len = strlen(argument);
    return len > 3 && strcmp(argument + len - 3, "_ms") == 0;
}

char *command_line_flag(const struct verb *verb, const char *argument)
{
    for (const struct verb_flag *flag = verb->cli.flags; flag->argument != NULL; flag++)
        if (strcmp(flag->argument, argument) == 0)
            return xstrdup(flag->flag);
    AUTO_FREE char *dashed = xstrndup(argument, strlen(argument) - (is_time(argument) ? 3 : 0));
    for (char *at = dashed; *at != '\0'; at++)
        if (*at == '_')
            *at = '-';
    return xasprintf("--%s", dashed);
}

/* The argument behind "--name", of `len` bytes; NULL. With _ms at its end, *ret_milliseconds. */
static const char *argument_of(struct reading *reading, const char *name, size_t len, bool *ret_milliseconds)
{
    size_t index, count;
    yyjson_val *key, *value;
    json_obj_foreach(reading->properties, index, count, key, value) {
        const char *argument = yyjson_get_str(key);
        AUTO_FREE char *flag = command_line_flag(reading->verb, argument);
        if (strlen(flag) == len && strncmp(flag, name, len) == 0)
            return argument;
        /* The argument's own name, as the messages have it. */
        bool same = strlen(argument) + 2 == len;
        for (size_t i = 2; same && i < len; i++)
            same = argument[i - 2] == name[i] || (argument[i - 2] == '_' && name[i] == '-');
        if (!same)
            continue;
        *ret_milliseconds = is_time(argument);
        return argument;
    }
    return NULL;
}

static yyjson_val *schema_of(const struct reading *reading, const char *argument)
{
    return yyjson_obj_get(reading->properties, argument);
}

static const char *type_of(yyjson_val *schema)
{
    return json_string(schema, "type");
}

static bool has_type(yyjson_val *schema, const char *type)
{
    return strcmp(type_of(schema), type) == 0;
}

/* ---- values ---- */

static yyjson_mut_val *text_value(const struct reading *reading, const char *text)
{
    return yyjson_mut_strcpy(reading->doc, text);
}

/* "30s", "500ms", "2m", "1.5s", "30". */
static yyjson_mut_val *time_value(struct reading *reading, const char *flag, const char *text)
{
    char *unit;
    double number = strtod(text, &unit);
    double factor = strcmp(unit, "ms") == 0                   ? 1
                    : strcmp(unit, "s") == 0 || *unit == '\0' ? 1000
                    : strcmp(unit, "m") == 0                  ? 60000
                                                              : 0;
    if (unit == text || factor == 0 || !(number >= 0) || number * factor > 9e15 || !isdigit((unsigned char)*text)) {
        error_set(reading->error, ERROR_ARGUMENT, "%s must be a time such as 30s, 500ms or 2m, not \"%s\"", flag, text);
        return NULL;
    }
    return yyjson_mut_sint(reading->doc, (int64_t)(number * factor + 0.5));
}

static void put_part(const struct reading *reading, yyjson_mut_val *object, yyjson_val *properties, const char *name,
                     const char *text, const char **ret_missing)
{
    if (text == NULL)
        return;
    if (yyjson_obj_get(properties, name) == NULL)
        *ret_missing = name;
    yyjson_mut_obj_add_val(reading->doc, object, name, text_value(reading, text));
}

static yyjson_mut_val *location_value(struct reading *reading, const char *flag, yyjson_val *properties, const char *text)
{
    AUTO_LOCATION struct location location = { 0 };
    if (location_parse(text, &location, reading->error) < 0)
        return NULL;
    yyjson_mut_val *object = yyjson_mut_obj(reading->doc);
    const char *missing = NULL;
    put_part(reading, object, properties, "file", location.file, &missing);
    put_part(reading, object, properties, "line", location.line, &missing);
    put_part(reading, object, properties, "column", location.column, &missing);
    put_part(reading, object, properties, "function", location.function, &missing);
    put_part(reading, object, properties, "match", location.text, &missing);
    put_part(reading, object, properties, "condition", location.condition, &missing);
    put_part(reading, object, properties, "hit_condition", location.hit, &missing);
    put_part(reading, object, properties, "log_message", location.log, &missing);
    if (location.file == NULL && yyjson_obj_get(properties, "file") != NULL && (location.line != NULL || location.text != NULL))
        missing = "file";
    if (missing == NULL)
        return object;
    if (location.file == NULL && location.function == NULL && strcmp(missing, "file") == 0)
        error_set(reading->error, ERROR_ARGUMENT, "%s: %s%s of which file? FILE:%s", flag, location.line != NULL ? "line " : "",
                  text, text);
    else
        error_set(reading->error, ERROR_ARGUMENT,
                  "%s takes FILE:LINE, and after it \"if CONDITION\", \"hit COUNT\" or \"log TEXT\"; not \"%s\"", flag, text);
    return NULL;
}

static yyjson_mut_val *json_value(struct reading *reading, const char *flag, const char *text)
{
    AUTO_JSON struct json json = { 0 };
    if (json_parse_copy(text, strlen(text), &json, NULL) == 0 && json.root != NULL)
        return yyjson_val_mut_copy(reading->doc, json.root);
    error_set(reading->error, ERROR_ARGUMENT, "%s must be JSON, not \"%s\"", flag, text);
    return NULL;
}

static yyjson_mut_val *item_value(struct reading *reading, const char *flag, yyjson_val *schema, const char *text)
{
    yyjson_val *properties = json_object(schema, "properties");
    if (!has_type(schema, "object"))
        return text_value(reading, text);
    if (*text == '{' || properties == NULL)
        return json_value(reading, flag, text);
    if (yyjson_obj_get(properties, "line") != NULL)
        return location_value(reading, flag, properties, text);
    /* A word alone is the first member: the filter of an exception breakpoint. */
    yyjson_mut_val *object = yyjson_mut_obj(reading->doc);
    yyjson_mut_val *name = yyjson_val_mut_copy(reading->doc, unsafe_yyjson_get_first(properties));
    yyjson_mut_obj_add(object, name, text_value(reading, text));
    return object;
}

/* ---- giving a value to an argument ---- */

static yyjson_mut_val *list_of(struct reading *reading, const char *argument)
{
    yyjson_mut_val *list = yyjson_mut_obj_get(reading->root, argument);
    if (list != NULL)
        return list;
    list = yyjson_mut_arr(reading->doc);
    yyjson_mut_obj_add_val(reading->doc, reading->root, argument, list);
    return list;
}

/* '[]', or several items at once. */
static bool give_items(struct reading *reading, const char *flag, const char *argument, const char *text)
{
    yyjson_mut_val *items = json_value(reading, flag, text), *item;
    yyjson_mut_val *list = list_of(reading, argument);
    while ((item = yyjson_mut_arr_remove_first(items)) != NULL)
        yyjson_mut_arr_append(list, item);
    return items != NULL;
}

/* The entry of a function is no part of a launch; it is a breakpoint of its own, to be set before. False: it is none. */
static bool take_function(struct reading *reading, yyjson_val *properties, const char *text)
{
    AUTO_LOCATION struct location location = { 0 };
    AUTO_ERROR struct error error = ERROR_INIT;
    if (yyjson_obj_get(properties, "line") == NULL || yyjson_obj_get(properties, "function") != NULL || *text == '{' ||
        *text == '[' || location_parse(text, &location, &error) < 0 || location.function == NULL)
        return false;
    yyjson_mut_doc *doc = reading->line->functions;
    if (doc == NULL) {
        doc = reading->line->functions = yyjson_mut_doc_new(NULL);
        yyjson_mut_doc_set_root(doc, yyjson_mut_arr(doc));
    }
    struct reading own = { .doc = doc, .properties = properties, .error = reading->error };
    const char *missing = NULL;
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    put_part(&own, object, properties, "function", location.function, &missing);
    put_part(&own, object, properties, "condition", location.condition, &missing);
    put_part(&own, object, properties, "hit_condition", location.hit, &missing);
    put_part(&own, object, properties, "log_message", location.log, &missing);
    return yyjson_mut_arr_append(yyjson_mut_doc_get_root(doc), object);
}

static bool give_item(struct reading *reading, const char *flag, const char *argument, const char *text)
{
    yyjson_val *items = json_object(schema_of(reading, argument), "items");
    if (take_function(reading, json_object(items, "properties"), text))
        return true;
    if (*text == '[' && has_type(items, "object"))
        return give_items(reading, flag, argument, text);
    yyjson_mut_val *value = item_value(reading, flag, items, text);
    return value != NULL && yyjson_mut_arr_append(list_of(reading, argument), value);
}

static bool is_free_object(yyjson_val *schema)
{
    return json_object(schema, "properties") == NULL;
}

/* NAME=VALUE, or JSON. */
static bool give_member(struct reading *reading, const char *flag, const char *argument, const char *text)
{
    yyjson_val *schema = schema_of(reading, argument);
    const char *equals = strchr(text, '=');
    if (*text == '{' || !is_free_object(schema)) {
        yyjson_mut_val *value = json_value(reading, flag, text);
        return value != NULL && yyjson_mut_obj_put(reading->root, text_value(reading, argument), value);
    }
    if (equals == NULL || equals == text) {
        error_set(reading->error, ERROR_ARGUMENT, "%s takes NAME=VALUE, or JSON ('{\"NAME\": null}' removes one); not \"%s\"", flag,
                  text);
        return false;
    }
    yyjson_mut_val *object = yyjson_mut_obj_get(reading->root, argument);
    if (!yyjson_mut_is_obj(object)) {
        object = yyjson_mut_obj(reading->doc);
        yyjson_mut_obj_put(reading->root, text_value(reading, argument), object);
    }
    yyjson_mut_val *name = yyjson_mut_strncpy(reading->doc, text, (size_t)(equals - text));
    /* What adapters take can be any JSON; the environment is text. */
    bool any = yyjson_is_true(yyjson_obj_get(schema, "additionalProperties"));
    AUTO_JSON struct json json = { 0 };
    bool is_json = any && json_parse_copy(equals + 1, strlen(equals + 1), &json, NULL) == 0 && json.root != NULL;
    return yyjson_mut_obj_put(object, name,
                              is_json ? yyjson_val_mut_copy(reading->doc, json.root) : text_value(reading, equals + 1));
}

static bool give(struct reading *reading, const char *flag, const char *argument, const char *text, bool milliseconds)
{
    if (!utf8_valid(text, strlen(text))) {
        error_set(reading->error, ERROR_ARGUMENT, "%s is not UTF-8, and the Debug Adapter Protocol can carry nothing else", flag);
        return false;
    }
    yyjson_val *schema = schema_of(reading, argument);
    if (has_type(schema, "array"))
        return give_item(reading, flag, argument, text);
    if (has_type(schema, "object"))
        return give_member(reading, flag, argument, text);
    if (yyjson_mut_obj_get(reading->root, argument) != NULL) {
        error_set(reading->error, ERROR_ARGUMENT, "%s is given twice", flag);
        return false;
    }
    yyjson_mut_val *value = is_time(argument) && !milliseconds ? time_value(reading, flag, text) : text_value(reading, text);
    return value != NULL && yyjson_mut_obj_add_val(reading->doc, reading->root, argument, value);
}

static bool give_bool(struct reading *reading, const char *argument, bool value)
{
    return yyjson_mut_obj_put(reading->root, text_value(reading, argument), yyjson_mut_bool(reading->doc, value));
}

/* ---- words ---- */

static bool is_assignment(const struct verb *verb)
{
    return verb->cli.positional[0] != NULL && verb->cli.positional[1] != NULL && strcmp(verb->cli.positional[1], "value") == 0;
}

/* The sign of "x = 5" and "m['a=b'] = 5": outside of brackets and quotes, and no part of another one; NULL. */
static const char *assignment_sign(const char *text)
{
    int depth = 0;
    char quote = '\0';
    for (const char *at = text; *at != '\0'; at++) {
        if (quote != '\0')
            quote = *at == quote ? '\0' : quote;
        else if (*at == '"' || *at == '\'')
            quote = *at;
        else if (strchr("([{", *at) != NULL)
            depth++;
        else if (strchr(")]}", *at) != NULL)
            depth--;
        else if (*at == '=' && depth == 0 && at > text && at[1] != '=' && strchr("=!<>+-*/%&|^:~", at[-1]) == NULL)
            return at;
    }
    return NULL;
}

/* "x=5" in one word is two. */
static void split_assignment(struct reading *reading)
{
    const char *const *names = reading->verb->cli.positional;
    const char *path = is_assignment(reading->verb) ? yyjson_mut_get_str(yyjson_mut_obj_get(reading->root, names[0])) : NULL;
    const char *sign = path != NULL && yyjson_mut_obj_get(reading->root, names[1]) == NULL ? assignment_sign(path) : NULL;
    if (sign == NULL)
        return;
    const char *value = sign + 1 + strspn(sign + 1, " \t");
    size_t len = (size_t)(sign - path);
    while (len > 0 && isspace((unsigned char)path[len - 1]))
        len--;
    yyjson_mut_obj_add_val(reading->doc, reading->root, names[1], text_value(reading, value));
    yyjson_mut_obj_put(reading->root, text_value(reading, names[0]), yyjson_mut_strncpy(reading->doc, path, len));
}

/* "dapple goto app.py:42", "dapple breakpoint-locations app.py:42 50": the file and the line of an operation whose word is a line, or a
 * file and behind it the line. */
static bool take_file_and_line(struct reading *reading, const char *argument, const char *word)
{
    const char *next = reading->verb->cli.positional[reading->positional + 1];
    bool both = strcmp(argument, "file") == 0 && next != NULL && strcmp(next, "line") == 0 && !path_exists(word);
    const char *file = both ? argument : "file_path";
    AUTO_LOCATION struct location location = { 0 };
    AUTO_ERROR struct error error = ERROR_INIT;
    bool is_place = (both || strcmp(argument, "line") == 0) && schema_of(reading, file) != NULL &&
                    yyjson_mut_obj_get(reading->root, file) == NULL && yyjson_mut_obj_get(reading->root, "line") == NULL &&
                    utf8_valid(word, strlen(word)) && location_parse(word, &location, &error) == 0 && location.file != NULL &&
                    location.line != NULL && location.column == NULL && location.condition == NULL;
    if (!is_place)
        return false;
    reading->positional += both ? 2 : 1;
    return yyjson_mut_obj_add_val(reading->doc, reading->root, file, text_value(reading, location.file)) &&
           yyjson_mut_obj_add_val(reading->doc, reading->root, "line", text_value(reading, location.line));
}

static bool refuse_word(struct reading *reading, const char *word)
{
    bool flags_only = reading->positional == 0;
    error_set(reading->error, ERROR_ARGUMENT, "there is one word too many: \"%s\"%s%s%s", word, flags_only ? "; dapple " : "",
              flags_only ? reading->verb->cli.verb : "", flags_only ? " takes flags only" : "");
    return false;
}

static bool take_positional(struct reading *reading, const char *word)
{
    const char *const *names = reading->verb->cli.positional;
    const char *argument = names[reading->positional];
    if (reading->positional == 1 && is_assignment(reading->verb) && strcmp(word, "=") == 0)
        return true;
    if (argument == NULL)
        return refuse_word(reading, word);
    if (take_file_and_line(reading, argument, word))
        return true;
    if (!has_type(schema_of(reading, argument), "array"))
        reading->positional++;
    AUTO_FREE char *shown = xstrdup(argument);
    for (char *at = shown; *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
    return give(reading, shown, argument, word, true);
}

/* "-b" for "--break", where one flag alone begins so. */
static void consider_letter(struct reading *reading, struct near_word *near, char letter)
{
    size_t index, count, found = 0;
    yyjson_val *key, *value;
    json_obj_foreach(reading->properties, index, count, key, value) {
        AUTO_FREE char *flag = command_line_flag(reading->verb, yyjson_get_str(key));
        if (flag[2] == letter && found++ == 0)
            xreplace(&near->word, flag);
    }
    if (found > 1)
        xreplace(&near->word, NULL);
}

/* A program's own argument, or a misspelled flag of ours? It would go to the program without a word. What stands behind an interpreter's name
 * is its own. */
static bool is_short_flag(struct reading *reading, const char *word)
{
    if (schema_of(reading, "args") == NULL || word[0] != '-' || !isalpha((unsigned char)word[1]))
        return false;
    const char *program = yyjson_mut_get_str(yyjson_mut_obj_get(reading->root, "program"));
    for (size_t i = 0; program != NULL && i < catalog_count(); i++) {
        const struct adapter_entry *entry = catalog_entry(i);
        if (adapter_of_interpreter(&entry, 1, path_name(program)) != NULL)
            return false;
    }
    return true;
}

static bool refuse_flag(struct reading *reading, const char *word, size_t len)
{
    AUTO_NEAR_WORD struct near_word near;
    near_word_init(&near, word, len);
    size_t index, count;
    yyjson_val *key, *value;
    json_obj_foreach(reading->properties, index, count, key, value) {
        AUTO_FREE char *flag = command_line_flag(reading->verb, yyjson_get_str(key));
        near_word_consider(&near, flag);
    }
    bool is_short = word[1] != '-', of_program = yyjson_obj_get(reading->properties, "args") != NULL;
    if (is_short && len == 2)
        consider_letter(reading, &near, word[1]);
    error_set(reading->error, ERROR_ARGUMENT, "there is no flag %.*s%s%s%s%s", (int)len, word,
              near.word != NULL ? "; did you mean " : "", near.word != NULL ? near.word : "", near.word != NULL ? "?" : "",
              of_program && (is_short || near.word == NULL) ? "; what the program itself is to get stands behind --" : "");
    return false;
}

bool command_line_takes_value(const struct verb *verb, const char *word)
{
    bool milliseconds = false;
    yyjson_doc *schema = yyjson_read(verb->arguments_schema, strlen(verb->arguments_schema), 0);
    struct reading reading = { .verb = verb, .properties = json_object(yyjson_doc_get_root(schema), "properties") };
    const char *argument = strchr(word, '=') == NULL ? argument_of(&reading, word, strlen(word), &milliseconds) : NULL;
    bool takes = argument != NULL && !has_type(schema_of(&reading, argument), "boolean");
    yyjson_doc_free(schema);
    return takes;
}

/* Returns how many words it took; 0: an error. */
static size_t take_flag(struct reading *reading, char *const *words)
{
    const char *word = words[0], *equals = strchr(word, '=');
    size_t len = equals != NULL ? (size_t)(equals - word) : strlen(word);
    bool milliseconds = false;
    AUTO_FREE char *flag = xstrndup(word, len);
    const char *argument = argument_of(reading, word, len, &milliseconds);
    if (argument != NULL && has_type(schema_of(reading, argument), "boolean") && equals == NULL)
        return give_bool(reading, argument, true);
    if (argument == NULL && strncmp(word, "--no-", 5) == 0) {
        AUTO_FREE char *positive = xasprintf("--%.*s", (int)(len - 5), word + 5);
        argument = argument_of(reading, positive, strlen(positive), &milliseconds);
        if (argument != NULL && has_type(schema_of(reading, argument), "boolean") && equals == NULL)
            return give_bool(reading, argument, false);
        argument = NULL;
    }
    if (argument == NULL)
        return refuse_flag(reading, word, len);
    const char *text = equals != NULL ? equals + 1 : words[1];
    if (text == NULL) {
        error_set(reading->error, ERROR_ARGUMENT, "%s needs a value", flag);
        return 0;
    }
    return give(reading, flag, argument, text, milliseconds) ? (equals != NULL ? 1 : 2) : 0;
}

enum json_mode command_line_json(const char *word)
{
    return strcmp(word, "--json") == 0 ? JSON_ONLY : strcmp(word, "--json=both") == 0 ? JSON_BOTH : JSON_NONE;
}

/* First of all, since what is wrong in the other words is said that way, too. */
static void read_json_words(struct command_line *line, char *const *words)
{
    for (; *words != NULL && strcmp(*words, "--") != 0; words++)
        if (command_line_json(*words) != JSON_NONE)
            line->json = command_line_json(*words);
}

/* Returns how many words it took; 0: an error. */
static size_t take_word(struct reading *reading, char *const *words)
{
    if (command_line_json(words[0]) != JSON_NONE)
        return 1; /* it was read before */
    if (strncmp(words[0], "--", 2) == 0)
        return take_flag(reading, words);
    if (is_short_flag(reading, words[0]))
        return refuse_flag(reading, words[0], strcspn(words[0], "="));
    return take_positional(reading, words[0]);
}

static int take_words(struct reading *reading, char *const *words)
{
    size_t at = 0;
    while (words[at] != NULL && strcmp(words[at], "--") != 0) {
        if (strcmp(words[at], "--help") == 0 || strcmp(words[at], "-h") == 0) {
            reading->line->help = true;
            return 0;
        }
        size_t taken = take_word(reading, words + at);
        if (taken == 0)
            return -1;
        at += taken;
    }
    for (at += words[at] != NULL; words[at] != NULL; at++)
        if (!take_positional(reading, words[at]))
            return -1;
    return 0;
}

/* ---- the whole ---- */

char *command_line_name(const struct verb *verb, const char *argument)
{
    for (const char *const *name = verb->cli.positional; *name != NULL; name++) {
        if (strcmp(*name, argument) != 0)
            continue;
        char *word = xstrdup(argument);
        for (char *at = word; *at != '\0'; at++)
            *at = (char)toupper((unsigned char)*at);
        return word;
    }
    return command_line_flag(verb, argument);
}

size_t command_line_write_place(struct buffer *out, const char *path, size_t len)
{
    size_t digits = 0, member = 0;
    while (digits + 1 < len && isdigit((unsigned char)path[digits + 1]))
        digits++;
    if (digits == 0 || digits > 4 || path[0] != '/')
        return 0;
    size_t at = digits + 1;
    long index = strtol(path + 1, NULL, 10);
    if (index > 0)
        buffer_addf(out, " (number %ld)", index + 1);
    if (at == len || path[at] != '/')
        return at;
    while (at + 1 + member < len && (isalnum((unsigned char)path[at + 1 + member]) || path[at + 1 + member] == '_'))
        member++;
    size_t end = at + 1 + member;
    if (end == len || path[end] != ':') /* "line must be 1"; else the sentence says what it is about */
        buffer_addf(out, ": %.*s", (int)member, path + at + 1);
    return end;
}

/* "arguments must have number or file or all" is "give one of NUMBER, --file, --all". */
static void write_choice(struct buffer *out, const struct verb *verb, const char *names)
{
    buffer_add(out, "give one of ");
    while (*names != '\0') {
        size_t len = strcspn(names, " ");
        AUTO_FREE char *argument = xstrndup(names, len);
        AUTO_FREE char *name = command_line_name(verb, argument);
        names += len;
        bool more = strncmp(names, " or ", 4) == 0;
        buffer_addf(out, "%s%s", name, more ? ", " : "");
        if (!more)
            break;
        names += 4;
    }
    buffer_add(out, names);
}

/* "invalid arguments: /frame_id must be …" in the words of the command line: "--frame must be …". */
static void translate(const struct verb *verb, struct error *error)
{
    static const char head[] = "invalid arguments: ", choice[] = "arguments must have ";
    if (error->message == NULL || strncmp(error->message, head, sizeof(head) - 1) != 0)
        return;
    const char *words = error->message + sizeof(head) - 1;
    AUTO_BUFFER struct buffer own;
    buffer_init(&own, LIMIT_TEXT_BYTES);
    if (*words == '/') {
        size_t len = strcspn(++words, "/ ");
        AUTO_FREE char *argument = xstrndup(words, len);
        AUTO_FREE char *name = command_line_name(verb, argument);
        buffer_add(&own, name);
        words += len;
        words += command_line_write_place(&own, words, strlen(words));
        buffer_add(&own, words);
    } else if (verb->exactly_one != NULL && strncmp(words, choice, sizeof(choice) - 1) == 0) {
        write_choice(&own, verb, words + sizeof(choice) - 1);
    } else {
        buffer_add(&own, words);
    }
    error_set(error, ERROR_ARGUMENT, "%s", own.data);
}

int command_line_read(struct command_line *ret, const struct verb *verb, char *const *words, struct error *ret_error)
{
    *ret = (struct command_line){ 0 };
    struct reading reading = { .verb = verb, .line = ret, .error = ret_error };
    reading.schema = yyjson_read(verb->arguments_schema, strlen(verb->arguments_schema), 0);
    reading.properties = json_object(yyjson_doc_get_root(reading.schema), "properties");
    reading.doc = json_new_object(&reading.root);
    read_json_words(ret, words);
    int result = take_words(&reading, words);
    split_assignment(&reading);
    yyjson_doc *given = yyjson_mut_doc_imut_copy(reading.doc, NULL);
    if (result == 0 && !ret->help && arguments_check(verb, yyjson_doc_get_root(given), &ret->arguments, ret_error) < 0) {
        translate(verb, ret_error);
        result = -1;
    }
    yyjson_doc_free(given);
    yyjson_mut_doc_free(reading.doc);
    yyjson_doc_free(reading.schema);
    return result;
}

void command_line_done(struct command_line *line)
{
    yyjson_doc_free(line->arguments);
    yyjson_mut_doc_free(line->functions);
    *line = (struct command_line){ 0 };
}
