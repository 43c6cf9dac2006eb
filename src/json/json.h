/* Thin helpers over yyjson: lenient reading of what others wrote, and building of what we write.
 *
 * Getters take any value (NULL and non-objects too) and never fail: a missing member, null, or a member of another type reads as
 * absent. Integers are read exactly (no double in between) and also from strings of digits and from whole doubles.
 * Strings that go into a document under construction are copied and repaired to valid UTF-8. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yyjson.h>

struct buffer;
struct error;

/* ---- reading ---- */

/* Parses one JSON text. `text` must have JSON_PADDING writable bytes after `len`, and is consumed: the document's strings point into
 * it; json_free frees both. Invalid UTF-8 and lone surrogate escapes are repaired to U+FFFD; NaN, infinities and a byte order mark
 * are read. Nesting deeper than LIMIT_JSON_DEPTH is an error. On failure `text` is freed too. What buffer_take gives has the
 * padding. */
#define JSON_PADDING 4
struct json {
    yyjson_doc *doc;
    yyjson_val *root; /* NULL when there is no document */
    char *text;
};
int json_parse(char *text, size_t len, struct json *ret_json, struct error *ret_error);
/* Same for text that the caller keeps (copies it first). */
int json_parse_copy(const char *text, size_t len, struct json *ret_json, struct error *ret_error);
/* Same for what people write: comments, and commas after the last item, are read. */
int json_parse_commented(char *text, size_t len, struct json *ret_json, struct error *ret_error);
void json_free(struct json *json);
#define AUTO_JSON __attribute__((cleanup(json_free), unused))

yyjson_val *json_member(yyjson_val *object, const char *key); /* NULL when absent or null */
yyjson_val *json_object(yyjson_val *object, const char *key);
yyjson_val *json_array(yyjson_val *object, const char *key);
const char *json_string(yyjson_val *object, const char *key);                /* NULL when absent; cut at an embedded NUL */
const char *json_text(yyjson_val *object, const char *key, size_t *ret_len); /* with embedded NULs */
bool json_bool(yyjson_val *object, const char *key, bool fallback);          /* also "true"/"false" */
bool json_int(yyjson_val *object, const char *key, int64_t *ret);            /* false when absent */
int64_t json_int_or(yyjson_val *object, const char *key, int64_t fallback);
bool json_value_int(yyjson_val *value, int64_t *ret);

/* Goes through the members of an object, or of nothing when it is NULL or no object: yyjson_obj_foreach of yyjson 0.10 computes with
 * the NULL pointer then. yyjson_arr_foreach needs no such care. */
#define json_obj_foreach(object, index, count, key, value)                                                             \
    for ((index) = 0, (count) = yyjson_obj_size(object), (key) = (count) > 0 ? unsafe_yyjson_get_first(object) : NULL, \
        (value) = (count) > 0 ? (key) + 1 : NULL;                                                                      \
         (index) < (count); (index)++, (key) = unsafe_yyjson_get_next(value), (value) = (key) + 1)

/* ---- writing ---- */

/* A document whose root is an empty object; `ret_root` may be NULL. */
yyjson_mut_doc *json_new_object(yyjson_mut_val **ret_root);

/* All copy and repair, keys too. `text` or `value` NULL adds nothing. */
void json_add_string(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, const char *text);
void json_add_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, const char *text, size_t len);
void json_add_int(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, int64_t value);
void json_add_bool(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, bool value);
void json_add_value(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, yyjson_mut_val *value);
void json_add_copy(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, yyjson_val *value); /* deep copy */
yyjson_mut_val *json_new_string(yyjson_mut_doc *doc, const char *text, size_t len);

/* One line, heap memory of the caller's. Never NULL: NaN and infinities are written as null, and so is no document or value. */
char *json_write(const yyjson_mut_doc *doc, size_t *ret_len);
char *json_write_value(yyjson_val *value, size_t *ret_len);
char *json_write_pretty(const yyjson_mut_doc *doc, size_t *ret_len); /* on many lines, for people */
/* Appends to a buffer instead; -1 when it is over the buffer's maximum. */
int json_write_to(struct buffer *out, const yyjson_mut_doc *doc);
