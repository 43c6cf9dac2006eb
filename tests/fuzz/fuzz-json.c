/* What is read from anybody and what is written to anybody: the repair must give valid text, and must not refuse what was valid. */
#include "json/json.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

/* Numbers beyond 64 bits are passed on with their digits, so that they are read in the same way here. */
static const yyjson_read_flag strict = YYJSON_READ_BIGNUM_AS_RAW;

static void check_written(const char *text, size_t len)
{
    yyjson_doc *doc = yyjson_read(text, len, strict);

    if (!utf8_valid(text, len) || memchr(text, '\n', len) || !doc)
        abort();
    yyjson_doc_free(doc);
}

static void check_parse(const char *text, size_t len)
{
    yyjson_doc *valid = yyjson_read(text, len, strict);
    AUTO_JSON struct json json = { 0 };
    AUTO_FREE char *written = NULL;
    size_t written_len = 0;

    if (json_parse_copy(text, len, &json, NULL) < 0) {
        size_t brackets = 0;

        /* Depth is the one reason to refuse what is valid. */
        for (size_t i = 0; i < len; i++)
            brackets += text[i] == '[' || text[i] == '{';
        if (valid && brackets <= LIMIT_JSON_DEPTH)
            abort();
        yyjson_doc_free(valid);
        return;
    }
    written = json_write_value(json.root, &written_len);
    check_written(written, written_len);
    if (valid && yyjson_doc_get_val_count(valid) != yyjson_doc_get_val_count(json.doc))
        abort();
    yyjson_doc_free(valid);
}

/* Any bytes as a string of ours. */
static void check_string(const char *bytes, size_t len)
{
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *root = yyjson_mut_obj(doc);
    AUTO_FREE char *written = NULL;
    AUTO_BUFFER struct buffer line;
    size_t written_len = 0;

    yyjson_mut_doc_set_root(doc, root);
    json_add_text(doc, root, "text", bytes, len);
    written = json_write(doc, &written_len);
    check_written(written, written_len);
    yyjson_mut_doc_free(doc);

    buffer_init(&line, SIZE_MAX);
    utf8_one_line(&line, bytes, len, len / 2);
    if (!utf8_valid(line.data, line.len) || strpbrk(line.data, "\r\n\t\x1b"))
        abort();
    buffer_clear(&line);
    utf8_program_output(&line, bytes, len);
    if (!utf8_valid(line.data, line.len) || strpbrk(line.data, "\r\x1b"))
        abort();
    if (utf8_cut(bytes, len, len / 2) > len / 2)
        abort();
}

/* Getters take whatever there is. */
static void check_getters(const char *text, size_t len)
{
    AUTO_JSON struct json json = { 0 };
    int64_t value;
    size_t text_len;

    if (json_parse_copy(text, len, &json, NULL) < 0)
        return;
    json_member(json.root, "a");
    json_object(json.root, "a");
    json_array(json.root, "a");
    json_text(json.root, "a", &text_len);
    json_bool(json.root, "a", true);
    json_int(json.root, "a", &value);
    json_value_int(json.root, &value);
    if (json_string(json.root, "a") && json_member(json.root, "a") == NULL)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    /* A copy of just this size, so that a read past it is seen. */
    char *text = xmalloc(len + 1);

    if (len > 0)
        memcpy(text, data, len);
    text = xrealloc(text, len > 0 ? len : 1);
    check_parse(text, len);
    check_string(text, len);
    check_getters(text, len);
    free(text);
    return 0;
}
