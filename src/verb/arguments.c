#include "verb/arguments.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "verb/near_name.h"
#include "verb/verb.h"
#include "json/json.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define NAME_MOST 40    /* bytes of an unknown name that are shown */
#define PLACE_DIGITS 10 /* of a line behind a file */

struct check {
    yyjson_mut_doc *doc; /* what is being built */
    struct buffer path;  /* of the value being checked: "/breakpoints/0/line"; empty at the root */
    struct error *error;
};

static yyjson_mut_val *check_value(struct check *check, yyjson_val *schema, yyjson_val *value);

/* Always returns NULL, so that `return refuse(...)` reads well. */
__attribute__((format(printf, 2, 3))) static yyjson_mut_val *refuse(struct check *check, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    AUTO_FREE char *reason = xvasprintf(format, args);
    va_end(args);
    error_set(check->error, ERROR_ARGUMENT, "invalid arguments: %s %s", check->path.len > 0 ? check->path.data : "arguments",
              reason);
    return NULL;
}

/* Steps down to a member; the returned length is what path_leave goes back to. */
static size_t path_enter(struct check *check, const char *name, size_t len)
{
    size_t before = check->path.len;
    buffer_addc(&check->path, '/');
    utf8_one_line(&check->path, name, len, NAME_MOST);
    return before;
}

static size_t path_enter_index(struct check *check, size_t index)
{
    size_t before = check->path.len;
    buffer_addf(&check->path, "/%zu", index);
    return before;
}

static void path_leave(struct check *check, size_t before)
{
    buffer_truncate(&check->path, before);
}

/* ---- single values ---- */

static size_t character_count(const char *text, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++)
        count += ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

/* The item of the list that is meant: this text, or this text in another case or with other separators. */
static yyjson_val *find_choice(yyjson_val *list, const char *text, size_t len)
{
    yyjson_val *near = NULL;
    size_t i, count;
    yyjson_val *item;
    yyjson_arr_foreach(list, i, count, item) {
        if (yyjson_equals_strn(item, text, len))
            return item;
        if (name_same(text, len, yyjson_get_str(item), yyjson_get_len(item)))
            near = item;
    }
    return near;
}

static char *joined(yyjson_val *list)
{
    AUTO_BUFFER struct buffer names;
    buffer_init(&names, 4096);
    size_t i, count;
    yyjson_val *item;
    yyjson_arr_foreach(list, i, count, item)
        buffer_addf(&names, "%s%s", i > 0 ? ", " : "", yyjson_get_str(item));
    return buffer_take(&names, NULL);
}

static yyjson_mut_val *check_text(struct check *check, yyjson_val *schema, const char *text, size_t len)
{
    int64_t least = json_int_or(schema, "minLength", 0);
    int64_t most = json_int_or(schema, "maxLength", INT64_MAX);
    yyjson_val *allowed = json_array(schema, "enum");
    if (memchr(text, '\0', len))
        return refuse(check, "must not contain a NUL character");
    int64_t characters = (int64_t)character_count(text, len);
    if (characters < least)
        return least == 1 ? refuse(check, "must not be empty")
                          : refuse(check, "must have at least %lld characters", (long long)least);
    if (characters > most)
        return refuse(check, "must have at most %lld characters", (long long)most);
    if (!allowed)
        return json_new_string(check->doc, text, len);
    yyjson_val *choice = find_choice(allowed, text, len);
    if (choice)
        return json_new_string(check->doc, yyjson_get_str(choice), yyjson_get_len(choice));
    AUTO_FREE char *names = joined(allowed);
    return refuse(check, "must be one of %s", names);
}

static bool is_plain_number(yyjson_val *value)
{
    return yyjson_is_num(value) || yyjson_is_raw(value); /* raw: too big for 64 bits */
}

static yyjson_mut_val *check_string(struct check *check, yyjson_val *schema, yyjson_val *value)
{
    if (yyjson_is_str(value))
        return check_text(check, schema, yyjson_get_str(value), yyjson_get_len(value));
    if (!is_plain_number(value))
        return refuse(check, "must be a string");
    size_t len = 0;
    AUTO_FREE char *digits = json_write_value(value, &len);
    return check_text(check, schema, digits, len);
}

static yyjson_mut_val *check_integer(struct check *check, yyjson_val *schema, yyjson_val *value)
{
    int64_t number = 0;
    if (!json_value_int(value, &number))
        return refuse(check, "must be an integer");
    int64_t least = json_int_or(schema, "minimum", INT64_MIN);
    int64_t most = json_int_or(schema, "maximum", INT64_MAX);
    if (number < least)
        return refuse(check, "must be >= %lld", (long long)least);
    if (number > most)
        return refuse(check, "must be <= %lld", (long long)most);
    return yyjson_mut_sint(check->doc, number);
}

static yyjson_mut_val *check_boolean(struct check *check, yyjson_val *value)
{
    if (yyjson_is_bool(value))
        return yyjson_mut_bool(check->doc, yyjson_get_bool(value));
    const char *text = yyjson_get_str(value);
    size_t len = yyjson_get_len(value);
    int64_t number = -1;
    bool is_number = yyjson_is_num(value) && json_value_int(value, &number);
    if ((text && name_same(text, len, "true", 4)) || (is_number && number == 1))
        return yyjson_mut_bool(check->doc, true);
    if ((text && name_same(text, len, "false", 5)) || (is_number && number == 0))
        return yyjson_mut_bool(check->doc, false);
    return refuse(check, "must be true or false");
}

/* ---- places: what is short for an object with a line, as in breakpoints: [42] or ["app.py:42"] ---- */

static bool takes_line(yyjson_val *schema)
{
    return json_object(json_object(schema, "properties"), "line") != NULL;
}

/* Where the line begins in "app.py:42"; 0: it is no such text. */
static size_t place_line(const char *text, size_t len)
{
    size_t digits = 0;
    while (digits < len && text[len - digits - 1] >= '0' && text[len - digits - 1] <= '9')
        digits++;
    bool is_place = digits > 0 && digits <= PLACE_DIGITS && len > digits + 1 && text[len - digits - 1] == ':';
    return is_place ? len - digits : 0;
}

static bool is_place(yyjson_val *schema, yyjson_val *value)
{
    int64_t line;
    if (!yyjson_is_str(value))
        return false;
    if (json_value_int(value, &line))
        return true;
    bool takes_file = json_object(json_object(schema, "properties"), "file") != NULL;
    return takes_file && place_line(yyjson_get_str(value), yyjson_get_len(value)) > 0;
}

/* The object that is meant; NULL: it is not short for one. */
static yyjson_doc *read_place(yyjson_val *schema, yyjson_val *value)
{
    int64_t line;
    bool is_line = !yyjson_is_bool(value) && json_value_int(value, &line);
    if (!takes_line(schema) || (!is_line && !is_place(schema, value)))
        return NULL;
    yyjson_mut_val *root;
    yyjson_mut_doc *doc = json_new_object(&root);
    if (is_line) {
        json_add_int(doc, root, "line", line);
    } else {
        const char *text = yyjson_get_str(value);
        size_t begin = place_line(text, yyjson_get_len(value));
        json_add_text(doc, root, "file", text, begin - 1);
        json_add_string(doc, root, "line", text + begin);
    }
    yyjson_doc *place = yyjson_mut_doc_imut_copy(doc, NULL);
    yyjson_mut_doc_free(doc);
    return place;
}

/* ---- arrays ---- */

static yyjson_mut_val *check_items(struct check *check, yyjson_val *items, yyjson_val *array)
{
    yyjson_mut_val *result = yyjson_mut_arr(check->doc);
    size_t i, count;
    yyjson_val *item;
    yyjson_arr_foreach(array, i, count, item) {
        size_t before = path_enter_index(check, i);
        yyjson_mut_val *clean = check_value(check, items, item);
        path_leave(check, before);
        if (!clean)
            return NULL;
        yyjson_mut_arr_append(result, clean);
    }
    return result;
}

/* One item where an array was asked for. */
static yyjson_mut_val *check_single(struct check *check, yyjson_val *items, yyjson_val *value)
{
    bool of_objects = strcmp(json_string(items, "type"), "object") == 0;
    bool fits = yyjson_is_str(value) || is_plain_number(value);
    if (of_objects) /* a place is not read out of any text */
        fits = yyjson_is_obj(value) || (takes_line(items) && (is_plain_number(value) || is_place(items, value)));
    if (!fits)
        return refuse(check, "must be an array");
    yyjson_mut_val *result = yyjson_mut_arr(check->doc);
    if (yyjson_equals_str(value, ""))
        return result;
    yyjson_mut_val *clean = check_value(check, items, value);
    if (!clean)
        return NULL;
    yyjson_mut_arr_append(result, clean);
    return result;
}

static bool parse_text(yyjson_val *value, struct json *ret_json)
{
    return yyjson_is_str(value) && json_parse_copy(yyjson_get_str(value), yyjson_get_len(value), ret_json, NULL) == 0;
}

static yyjson_mut_val *check_array(struct check *check, yyjson_val *schema, yyjson_val *value)
{
    yyjson_val *items = json_object(schema, "items");
    if (yyjson_is_arr(value))
        return check_items(check, items, value);
    AUTO_JSON struct json parsed = { 0 };
    if (parse_text(value, &parsed) && yyjson_is_arr(parsed.root))
        return check_items(check, items, parsed.root);
    bool of_objects = strcmp(json_string(items, "type"), "object") == 0;
    return check_single(check, items, of_objects && yyjson_is_obj(parsed.root) ? parsed.root : value);
}

/* ---- names ---- */

static bool also_called(yyjson_val *schema, const char *given, size_t len)
{
    size_t i, count;
    yyjson_val *word;
    yyjson_arr_foreach(json_array(schema, "also"), i, count, word) {
        if (name_same(given, len, yyjson_get_str(word), yyjson_get_len(word)))
            return true;
    }
    return false;
}

const char *arguments_name(yyjson_val *properties, const char *given, size_t len)
{
    const char *also = NULL;
    size_t i, count;
    yyjson_val *key, *schema;
    yyjson_obj_foreach(properties, i, count, key, schema) {
        if (yyjson_equals_strn(key, given, len) || name_same(given, len, yyjson_get_str(key), yyjson_get_len(key)))
            return yyjson_get_str(key);
        if (also_called(schema, given, len))
            also = yyjson_get_str(key); /* the declarations leave out what two could be called */
    }
    return also;
}

/* ---- names that do not exist ---- */

static const char *nearest_name(yyjson_val *properties, const char *name, size_t len)
{
    const char *nearest = NULL;
    size_t best = SIZE_MAX, i, count;
    yyjson_val *key, *schema;
    yyjson_obj_foreach(properties, i, count, key, schema) {
        size_t distance = name_distance(name, len, yyjson_get_str(key), yyjson_get_len(key));
        if (distance < best) {
            best = distance;
            nearest = yyjson_get_str(key);
        }
    }
    return nearest;
}

static void refuse_unknown(struct check *check, yyjson_val *properties, yyjson_val *key)
{
    size_t before = path_enter(check, yyjson_get_str(key), yyjson_get_len(key));
    const char *nearest = nearest_name(properties, yyjson_get_str(key), yyjson_get_len(key));
    if (nearest) {
        refuse(check, "is not allowed; did you mean %s?", nearest);
    } else {
        AUTO_BUFFER struct buffer names;
        buffer_init(&names, 4096);
        size_t i, count;
        yyjson_val *known, *schema;
        yyjson_obj_foreach(properties, i, count, known, schema)
            buffer_addf(&names, "%s%s", i > 0 ? ", " : "", yyjson_get_str(known));
        refuse(check, "is not allowed; there are: %s", names.data);
    }
    path_leave(check, before);
}

/* ---- objects ---- */

static bool has_all(struct check *check, yyjson_val *required, yyjson_mut_val *object)
{
    size_t i, count;
    yyjson_val *name;
    yyjson_arr_foreach(required, i, count, name) {
        if (!yyjson_mut_obj_getn(object, yyjson_get_str(name), yyjson_get_len(name))) {
            size_t before = path_enter(check, yyjson_get_str(name), yyjson_get_len(name));
            refuse(check, "is required");
            path_leave(check, before);
            return false;
        }
    }
    return true;
}

/* `expressions` for a list that was given as `expression`, where there is such a member. */
static const char *plural_name(yyjson_val *properties, const char *name, yyjson_val *value)
{
    AUTO_FREE char *plural = xasprintf("%ss", name);
    yyjson_val *schema = json_object(properties, plural);
    bool meant = yyjson_is_arr(value) && schema && strcmp(json_string(schema, "type"), "array") == 0;
    return meant ? arguments_name(properties, plural, strlen(plural)) : NULL;
}

/* The other name by which the same member is given. */
static yyjson_val *given_otherwise(yyjson_val *object, yyjson_val *properties, yyjson_val *key, const char *name)
{
    size_t i, count;
    yyjson_val *other, *value;
    json_obj_foreach(object, i, count, other, value) {
        const char *meant = arguments_name(properties, yyjson_get_str(other), yyjson_get_len(other));
        if (meant && strcmp(meant, name) == 0 && !yyjson_is_null(value) && !yyjson_equals(other, key))
            return other;
    }
    return NULL;
}

static int check_member(struct check *check, yyjson_val *properties, yyjson_val *object, yyjson_val *key, yyjson_val *value,
                        yyjson_mut_val *into)
{
    const char *name = arguments_name(properties, yyjson_get_str(key), yyjson_get_len(key));
    if (!name) {
        refuse_unknown(check, properties, key);
        return -1;
    }
    if (yyjson_is_null(value))
        return 0;
    const char *plural = plural_name(properties, name, value);
    if (plural)
        name = plural;
    size_t before = path_enter(check, yyjson_get_str(key), yyjson_get_len(key));
    yyjson_mut_val *clean = check_value(check, json_object(properties, name), value);
    yyjson_mut_val *earlier = yyjson_mut_obj_get(into, name);
    yyjson_val *other =
        clean && earlier && !yyjson_mut_equals(earlier, clean) ? given_otherwise(object, properties, key, name) : NULL;
    if (other)
        clean = refuse(check, "is given as %s, too, with another value; give one", yyjson_get_str(other));
    path_leave(check, before);
    if (!clean)
        return -1;
    /* of one name given twice, the last counts */
    yyjson_mut_obj_put(into, json_new_string(check->doc, name, strlen(name)), clean);
    return 0;
}

static yyjson_mut_val *check_closed(struct check *check, yyjson_val *schema, yyjson_val *object)
{
    yyjson_val *properties = json_object(schema, "properties");
    yyjson_mut_val *result = yyjson_mut_obj(check->doc);
    size_t i, count;
    yyjson_val *key, *value;
    json_obj_foreach(object, i, count, key, value) {
        if (check_member(check, properties, object, key, value, result) < 0)
            return NULL;
    }
    return has_all(check, json_array(schema, "required"), result) ? result : NULL;
}

/* Texts of numbers where only texts make sense, as in env. */
static yyjson_mut_val *copy_texts(struct check *check, yyjson_val *object)
{
    yyjson_mut_val *result = yyjson_mut_obj(check->doc);
    size_t i, count;
    yyjson_val *key, *value;
    yyjson_obj_foreach(object, i, count, key, value) {
        AUTO_FREE char *digits = is_plain_number(value) ? json_write_value(value, NULL) : NULL;
        yyjson_mut_val *copy =
            digits ? json_new_string(check->doc, digits, strlen(digits)) : yyjson_val_mut_copy(check->doc, value);
        yyjson_mut_obj_add(result, yyjson_val_mut_copy(check->doc, key), copy);
    }
    return result;
}

/* An object whose members are the caller's business; with a rule for the values they must be strings or null. */
static yyjson_mut_val *check_free(struct check *check, yyjson_val *schema, yyjson_val *object)
{
    bool only_strings = json_object(schema, "additionalProperties") != NULL;
    size_t i, count;
    yyjson_val *key, *value;
    yyjson_obj_foreach(object, i, count, key, value) {
        if (only_strings && !yyjson_is_str(value) && !yyjson_is_null(value) && !is_plain_number(value)) {
            size_t before = path_enter(check, yyjson_get_str(key), yyjson_get_len(key));
            refuse(check, "must be a string or null");
            path_leave(check, before);
            return NULL;
        }
    }
    return only_strings ? copy_texts(check, object) : yyjson_val_mut_copy(check->doc, object);
}

static yyjson_mut_val *check_object(struct check *check, yyjson_val *schema, yyjson_val *value)
{
    AUTO_JSON struct json parsed = { 0 };
    yyjson_doc *place = read_place(schema, value);
    if (place) {
        yyjson_mut_val *clean = check_closed(check, schema, yyjson_doc_get_root(place));
        yyjson_doc_free(place);
        return clean;
    }
    if (parse_text(value, &parsed))
        value = parsed.root;
    if (!yyjson_is_obj(value))
        return refuse(check, takes_line(schema) ? "must be an object with a line, or the number of a line" : "must be an object");
    return json_object(schema, "properties") ? check_closed(check, schema, value) : check_free(check, schema, value);
}

static yyjson_mut_val *check_value(struct check *check, yyjson_val *schema, yyjson_val *value)
{
    const char *type = json_string(schema, "type");
    if (strcmp(type, "string") == 0)
        return check_string(check, schema, value);
    if (strcmp(type, "integer") == 0)
        return check_integer(check, schema, value);
    if (strcmp(type, "boolean") == 0)
        return check_boolean(check, value);
    if (strcmp(type, "array") == 0)
        return check_array(check, schema, value);
    return check_object(check, schema, value);
}

/* ---- the whole ---- */

/* One of several must be given: a rule that some hosts' models cannot be told in the schema. */
static bool check_exactly_one(struct check *check, const char *const *names, yyjson_mut_val *object)
{
    AUTO_BUFFER struct buffer all;
    buffer_init(&all, 4096);
    const char *given = NULL, *second = NULL;
    for (size_t i = 0; names[i]; i++) {
        buffer_addf(&all, "%s%s", i > 0 ? " or " : "", names[i]);
        if (!yyjson_mut_obj_get(object, names[i]))
            continue;
        if (given)
            second = names[i];
        else
            given = names[i];
    }
    if (second) {
        size_t before = path_enter(check, second, strlen(second));
        refuse(check, "is not allowed together with %s; give exactly one", given);
        path_leave(check, before);
    } else if (!given) {
        refuse(check, "must have %s", all.data);
    }
    return given && !second;
}

static bool check_at_least_one(struct check *check, const char *const *names, yyjson_mut_val *object)
{
    for (size_t i = 0; names[i]; i++)
        if (yyjson_mut_obj_get(object, names[i]))
            return true;
    size_t before = path_enter(check, names[0], strlen(names[0]));
    refuse(check, "is required, or %s", names[1]);
    path_leave(check, before);
    return false;
}

static yyjson_mut_val *check_root(struct check *check, const struct verb *verb, yyjson_val *schema, yyjson_val *arguments)
{
    if (arguments && !yyjson_is_obj(arguments))
        return refuse(check, "must be an object");
    yyjson_mut_val *root = check_closed(check, schema, arguments);
    if (root && verb->exactly_one && !check_exactly_one(check, verb->exactly_one, root))
        return NULL;
    if (root && verb->at_least_one && !check_at_least_one(check, verb->at_least_one, root))
        return NULL;
    return root;
}

int arguments_check(const struct verb *verb, yyjson_val *arguments, yyjson_doc **ret_doc, struct error *ret_error)
{
    yyjson_doc *schema = yyjson_read(verb->arguments_schema, strlen(verb->arguments_schema), 0);
    struct check check = { .doc = yyjson_mut_doc_new(NULL), .error = ret_error };
    buffer_init(&check.path, 1024);
    yyjson_mut_val *root = check_root(&check, verb, yyjson_doc_get_root(schema), arguments);
    if (root) {
        yyjson_mut_doc_set_root(check.doc, root);
        *ret_doc = yyjson_mut_doc_imut_copy(check.doc, NULL);
    }
    buffer_done(&check.path);
    yyjson_mut_doc_free(check.doc);
    yyjson_doc_free(schema);
    return root ? 0 : -1;
}
