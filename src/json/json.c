#include "json/json.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(JSON_PADDING >= YYJSON_PADDING_SIZE, "the parser in place reads this far past the text");
_Static_assert(JSON_PADDING <= BUFFER_PADDING, "text taken from a buffer can be parsed in place");

/* ---- reading ---- */

static bool is_hex(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Whether `at` begins \uD8xx to \uDBxx (high) or \uDCxx to \uDFxx (low). */
static bool is_surrogate(const char *at, const char *end, bool high)
{
    if (end - at < 6 || at[0] != '\\' || at[1] != 'u' || (at[2] != 'd' && at[2] != 'D') || !is_hex(at[4]) || !is_hex(at[5]))
        return false;
    return high ? at[3] != '\0' && strchr("89abAB", at[3]) : at[3] != '\0' && strchr("cdefCDEF", at[3]);
}

/* Turns lone surrogate escapes into \ufffd, which is of the same length. */
static void repair_surrogates(char *text, size_t len)
{
    const char *end = text + len;
    char *at = text;
    while (at < end && (at = memchr(at, '\\', (size_t)(end - at)))) {
        if (is_surrogate(at, end, true) && is_surrogate(at + 6, end, false)) {
            at += 12;
        } else if (is_surrogate(at, end, true) || is_surrogate(at, end, false)) {
            memcpy(at, "\\ufffd", 6);
            at += 6;
        } else {
            at += 2;
        }
    }
}

/* Makes the text valid UTF-8, in new memory when it is not yet. */
static void repair_utf8(char **text, size_t *len)
{
    if (utf8_valid(*text, *len))
        return;
    AUTO_BUFFER struct buffer repaired;
    buffer_init(&repaired, *len * 3);
    utf8_repair(&repaired, *text, *len);
    free(*text);
    *text = buffer_take(&repaired, len);
}

/* Numbers too big for 64 bits stay as their digits ("raw"), so that what is only passed on is exact; NaN and Infinity, which arrive in
 * the same way and are not JSON, become null. */
static void settle_numbers(yyjson_doc *doc)
{
    yyjson_val *value = yyjson_doc_get_root(doc);
    const yyjson_val *end = value + yyjson_doc_get_val_count(doc);
    for (; value < end; value++) {
        if (yyjson_is_raw(value) && !strpbrk(yyjson_get_raw(value), "0123456789"))
            yyjson_set_null(value);
    }
}

/* The values of a document lie behind one another, each container before its members. */
static bool is_too_deep(yyjson_doc *doc)
{
    yyjson_val *ends[LIMIT_JSON_DEPTH];
    size_t depth = 0;
    yyjson_val *value = yyjson_doc_get_root(doc);
    const yyjson_val *end = value + yyjson_doc_get_val_count(doc);
    for (; value < end; value++) {
        while (depth > 0 && ends[depth - 1] == value)
            depth--;
        if (!yyjson_is_ctn(value))
            continue;
        if (depth == LIMIT_JSON_DEPTH)
            return true;
        ends[depth++] = unsafe_yyjson_get_next(value);
    }
    return false;
}

static yyjson_doc *parse_in_place(char *text, size_t len, yyjson_read_flag more, struct error *ret_error)
{
    static const char mark[] = "\xef\xbb\xbf"; /* some write a byte order mark, which the parser refuses */
    size_t skip = len >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    yyjson_read_err fault;
    static const yyjson_read_flag flags = YYJSON_READ_INSITU | YYJSON_READ_ALLOW_INF_AND_NAN | YYJSON_READ_BIGNUM_AS_RAW;
    yyjson_doc *doc = yyjson_read_opts(text + skip, len - skip, flags | more, NULL, &fault);
    if (!doc) {
        error_set(ret_error, ERROR_PROTOCOL, "invalid JSON at byte %zu: %s", fault.pos + skip, fault.msg);
        return NULL;
    }
    if (is_too_deep(doc)) {
        yyjson_doc_free(doc);
        error_set(ret_error, ERROR_LIMIT, "JSON nested deeper than %d levels", LIMIT_JSON_DEPTH);
        return NULL;
    }
    settle_numbers(doc);
    return doc;
}

static int parse(char *text, size_t len, yyjson_read_flag more, struct json *ret_json, struct error *ret_error)
{
    /* Repaired before and not after a refusal: the parser in place has overwritten parts of the text by then. Both looks at the
     * text cost a small part of what the parse does. */
    repair_utf8(&text, &len);
    repair_surrogates(text, len);
    memset(text + len, 0, JSON_PADDING);
    yyjson_doc *doc = parse_in_place(text, len, more, ret_error);
    if (!doc) {
        free(text);
        return -1;
    }
    *ret_json = (struct json){ .doc = doc, .root = yyjson_doc_get_root(doc), .text = text };
    return 0;
}

int json_parse(char *text, size_t len, struct json *ret_json, struct error *ret_error)
{
    return parse(text, len, 0, ret_json, ret_error);
}

int json_parse_commented(char *text, size_t len, struct json *ret_json, struct error *ret_error)
{
    return parse(text, len, YYJSON_READ_ALLOW_COMMENTS | YYJSON_READ_ALLOW_TRAILING_COMMAS, ret_json, ret_error);
}

int json_parse_copy(const char *text, size_t len, struct json *ret_json, struct error *ret_error)
{
    char *copy = xmalloc(len + JSON_PADDING);
    if (len > 0)
        memcpy(copy, text, len);
    return json_parse(copy, len, ret_json, ret_error);
}

void json_free(struct json *json)
{
    yyjson_doc_free(json->doc);
    free(json->text);
    *json = (struct json){ 0 };
}

yyjson_val *json_member(yyjson_val *object, const char *key)
{
    yyjson_val *value = yyjson_obj_get(object, key);
    return yyjson_is_null(value) ? NULL : value;
}

yyjson_val *json_object(yyjson_val *object, const char *key)
{
    yyjson_val *value = yyjson_obj_get(object, key);
    return yyjson_is_obj(value) ? value : NULL;
}

yyjson_val *json_array(yyjson_val *object, const char *key)
{
    yyjson_val *value = yyjson_obj_get(object, key);
    return yyjson_is_arr(value) ? value : NULL;
}

const char *json_string(yyjson_val *object, const char *key)
{
    return yyjson_get_str(yyjson_obj_get(object, key));
}

const char *json_text(yyjson_val *object, const char *key, size_t *ret_len)
{
    yyjson_val *value = yyjson_obj_get(object, key);
    if (!yyjson_is_str(value))
        return NULL;
    *ret_len = yyjson_get_len(value);
    return yyjson_get_str(value);
}

bool json_bool(yyjson_val *object, const char *key, bool fallback)
{
    yyjson_val *value = yyjson_obj_get(object, key);
    if (yyjson_is_bool(value))
        return yyjson_get_bool(value);
    if (yyjson_equals_str(value, "true"))
        return true;
    return yyjson_equals_str(value, "false") ? false : fallback;
}

bool json_int(yyjson_val *object, const char *key, int64_t *ret)
{
    return json_value_int(yyjson_obj_get(object, key), ret);
}

int64_t json_int_or(yyjson_val *object, const char *key, int64_t fallback)
{
    int64_t value = 0;
    return json_int(object, key, &value) ? value : fallback;
}

static bool int_of_text(const char *text, size_t len, int64_t *ret)
{
    const char *digits = text + (text[0] == '-');
    if (*digits == '\0' || strspn(text, "-0123456789") != len || strchr(digits, '-'))
        return false;
    errno = 0;
    long long value = strtoll(text, NULL, 10);
    if (errno != 0)
        return false;
    *ret = value;
    return true;
}

bool json_value_int(yyjson_val *value, int64_t *ret)
{
    if (yyjson_is_sint(value) || (yyjson_is_uint(value) && yyjson_get_uint(value) <= INT64_MAX)) {
        *ret = yyjson_get_sint(value);
        return true;
    }
    if (yyjson_is_str(value))
        return int_of_text(yyjson_get_str(value), yyjson_get_len(value), ret);
    if (!yyjson_is_real(value))
        return false;
    double real = yyjson_get_real(value);
    if (!(real >= -0x1p63 && real < 0x1p63) || (double)(int64_t)real != real)
        return false;
    *ret = (int64_t)real;
    return true;
}

/* ---- writing ---- */

yyjson_mut_val *json_new_string(yyjson_mut_doc *doc, const char *text, size_t len)
{
    if (utf8_valid(text, len))
        return yyjson_mut_strncpy(doc, text, len);
    AUTO_BUFFER struct buffer repaired;
    buffer_init(&repaired, len * 3);
    utf8_repair(&repaired, text, len);
    return yyjson_mut_strncpy(doc, repaired.data, repaired.len);
}

yyjson_mut_doc *json_new_object(yyjson_mut_val **ret_root)
{
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *root = doc != NULL ? yyjson_mut_obj(doc) : NULL;
    if (root == NULL)
        abort();
    yyjson_mut_doc_set_root(doc, root);
    if (ret_root != NULL)
        *ret_root = root;
    return doc;
}

void json_add_string(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, const char *text)
{
    if (text)
        json_add_text(doc, object, key, text, strlen(text));
}

void json_add_text(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, const char *text, size_t len)
{
    if (text)
        json_add_value(doc, object, key, json_new_string(doc, text, len));
}

void json_add_int(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, int64_t value)
{
    json_add_value(doc, object, key, yyjson_mut_sint(doc, value));
}

void json_add_bool(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, bool value)
{
    json_add_value(doc, object, key, yyjson_mut_bool(doc, value));
}

void json_add_value(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, yyjson_mut_val *value)
{
    if (value)
        yyjson_mut_obj_add(object, json_new_string(doc, key, strlen(key)), value);
}

void json_add_copy(yyjson_mut_doc *doc, yyjson_mut_val *object, const char *key, yyjson_val *value)
{
    if (value)
        json_add_value(doc, object, key, yyjson_val_mut_copy(doc, value));
}

/* Nothing that is in a document may keep it from being written. */
static const yyjson_write_flag write_flags = YYJSON_WRITE_INF_AND_NAN_AS_NULL | YYJSON_WRITE_ALLOW_INVALID_UNICODE;

static char *null_text(size_t *ret_len)
{
    if (ret_len)
        *ret_len = 4;
    return xstrdup("null");
}

char *json_write(const yyjson_mut_doc *doc, size_t *ret_len)
{
    char *text = yyjson_mut_write_opts(doc, write_flags, NULL, ret_len, NULL);
    return text ? text : null_text(ret_len);
}

char *json_write_pretty(const yyjson_mut_doc *doc, size_t *ret_len)
{
    char *text = yyjson_mut_write_opts(doc, write_flags | YYJSON_WRITE_PRETTY_TWO_SPACES, NULL, ret_len, NULL);
    return text ? text : null_text(ret_len);
}

char *json_write_value(yyjson_val *value, size_t *ret_len)
{
    char *text = yyjson_val_write_opts(value, write_flags, NULL, ret_len, NULL);
    return text ? text : null_text(ret_len);
}

int json_write_to(struct buffer *out, const yyjson_mut_doc *doc)
{
    size_t len = 0;
    AUTO_FREE char *text = json_write(doc, &len);
    return buffer_append(out, text, len);
}
