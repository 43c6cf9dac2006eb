/* A command line of anybody's making, and a message to the daemon: each is read or refused with a sentence, and what is read satisfies the
 * declaration. The first byte chooses the operation, zero bytes separate the words. */
#include "cli/command_line.h"
#include "cli/location.h"
#include "cli/words.h"
#include "daemon/message.h"

#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "verb/arguments.h"
#include "verb/verb.h"
#include "json/json.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 64

static void check_again(const struct verb *verb, yyjson_doc *arguments)
{
    yyjson_doc *twice = NULL;
    if (arguments_check(verb, yyjson_doc_get_root(arguments), &twice, NULL) < 0)
        abort();
    yyjson_doc_free(twice);
}

static void read_command(const struct verb *verb, char *text, size_t len)
{
    char *words[MOST_WORDS + 1];
    size_t count = 0;
    for (size_t at = 0; at < len && count < MOST_WORDS; at += strlen(text + at) + 1)
        words[count++] = text + at;
    words[count] = NULL;
    struct command_line line;
    AUTO_ERROR struct error error = ERROR_INIT;
    if (command_line_read(&line, verb, words, &error) == 0 && !line.help)
        check_again(verb, line.arguments);
    else if (!line.help && error.message == NULL)
        abort();
    command_line_done(&line);
}

static void read_place(const char *text)
{
    AUTO_LOCATION struct location location = { 0 };
    AUTO_ERROR struct error error = ERROR_INIT;
    bool read = location_parse(text, &location, &error) == 0;
    if (read != (error.message == NULL) || (read && !location.line && !location.function && !location.text))
        abort();
}

static void write_words(const char *text)
{
    AUTO_BUFFER struct buffer out, coloured;
    buffer_init(&out, LIMIT_RENDERED_BYTES);
    buffer_init(&coloured, LIMIT_RENDERED_BYTES);
    words_write(&out, NULL, text);
    words_colour(&coloured, out.data);
    if (coloured.len < out.len)
        abort();
}

static void read_message(const char *text, size_t len)
{
    AUTO_JSON struct json json = { 0 };
    AUTO_ERROR struct error error = ERROR_INIT;
    struct request request = { 0 };
    struct answer answer;
    if (json_parse_copy(text, len, &json, NULL) < 0)
        return;
    if (request_read(&request, &json, &error) < 0 && error.message == NULL)
        abort();
    (void)answer_read(&answer, &json, NULL);
    request_done(&request);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    if (len == 0)
        return 0;
    AUTO_FREE char *text = xstrndup((const char *)bytes + 1, len - 1);
    read_command(&verb_table[bytes[0] % verb_count], text, len - 1);
    read_place(text);
    write_words(text);
    read_message(text, len - 1);
    return 0;
}
