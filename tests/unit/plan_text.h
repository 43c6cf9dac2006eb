/* Plans as text, for comparing them with what is expected: the scratch folder's path is written as @. Include after scratch.h. */
#pragma once

#include "base/buffer.h"
#include "session/session.h"
#include "json/json.h"

#include <stdint.h>

static inline char *shorten(const char *scratch, const char *text)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, 1024 * 1024);
    size_t len = strlen(scratch);
    while (*text != '\0') {
        bool here = strncmp(text, scratch, len) == 0;
        buffer_addc(&out, here ? '@' : *text);
        text += here ? len : 1;
    }
    return buffer_take(&out, NULL);
}

static inline void check_arguments(const char *scratch, const struct launch_plan *made, const char *expected)
{
    AUTO_FREE char *text = json_write(made->arguments, NULL);
    AUTO_FREE char *shortened = shorten(scratch, text);
    char *command = strstr(shortened, "[\"?script "); /* a program of its own, not to be copied here */
    char *end = command == NULL ? NULL : strstr(command, "\"]");
    if (end != NULL) {
        memmove(command + strlen("[\"(a command)"), end, strlen(end) + 1);
        memcpy(command, "[\"(a command)", strlen("[\"(a command)"));
    }
    assert_string_equal(shortened, expected);
}

static inline void check_list(const char *scratch, char *const *list, const char *expected)
{
    AUTO_BUFFER struct buffer text;
    buffer_init(&text, 4096);
    for (size_t i = 0; list[i] != NULL; i++)
        buffer_addf(&text, "%s%s", i > 0 ? "|" : "", strchr(list[i], '\n') == NULL ? list[i] : "(of several lines)");
    AUTO_FREE char *shortened = shorten(scratch, text.data);
    assert_string_equal(shortened, expected);
}
