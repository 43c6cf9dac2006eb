#include "session/truth.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* "(unsigned int) $3 = 0": the value stands behind. */
static const char *skip_type_and_name(const char *text)
{
    if (*text == '(') {
        const char *close = strchr(text, ')');
        if (close != NULL && close[1] == ' ')
            text = close + 2;
    }
    if (*text == '$') {
        const char *equals = strstr(text, " = ");
        if (equals != NULL)
            text = equals + 3;
    }
    return text;
}

static bool is_zero(const char *text, size_t len)
{
    size_t at = len > 0 && (text[0] == '-' || text[0] == '+') ? 1 : 0;
    size_t zeros = 0;
    if (len - at > 2 && text[at] == '0' && (text[at + 1] == 'x' || text[at + 1] == 'b'))
        at += 2;
    for (; at < len && (text[at] == '0' || text[at] == '.'); at++)
        zeros += text[at] == '0';
    if (zeros == 0)
        return false;
    /* gdb and lldb show a character behind its number. */
    return at == len || (len - at >= 3 && text[at] == ' ' && text[at + 1] == '\'' && text[len - 1] == '\'');
}

bool text_is_true(const char *text)
{
    static const char *const words[] = { "",     "false", "False",   "nil",       "null", "NULL",
                                         "None", "NaN",   "nullptr", "undefined", "''",   "\"\"" };
    text += strspn(text, " \t\r\n");
    text = skip_type_and_name(text);
    size_t len = strlen(text);
    while (len > 0 && strchr(" \t\r\n", text[len - 1]) != NULL)
        len--;
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strlen(words[i]) == len && memcmp(words[i], text, len) == 0)
            return false;
    return !is_zero(text, len);
}
