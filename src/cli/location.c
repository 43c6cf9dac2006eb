#include "cli/location.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

static const char *const keywords[] = { "if", "hit", "log" };

/* ---- where the place ends ---- */

/* " if ", " hit " or " log " at this white space? The index of the keyword, or -1; *ret_value is what follows. */
static int keyword_at(const char *at, const char **ret_value)
{
    const char *word = at + strspn(at, " \t\n");
    for (int i = 0; i < (int)COUNT_OF(keywords); i++) {
        size_t len = strlen(keywords[i]);
        if (word > at && strncmp(word, keywords[i], len) == 0 && (word[len] == '\0' || isspace((unsigned char)word[len]))) {
            *ret_value = word + len + strspn(word + len, " \t\n");
            return i;
        }
    }
    return -1;
}

static const char *end_of_digits(const char *at)
{
    return at + strspn(at, "0123456789");
}

/* Does a line's number, and maybe a column's, begin here and end the place? */
static bool numbers_end_here(const char *at)
{
    const char *value, *end = end_of_digits(at);
    if (end == at)
        return false;
    if (*end == ':' && end_of_digits(end + 1) > end + 1)
        end = end_of_digits(end + 1);
    return *end == '\0' || keyword_at(end, &value) >= 0;
}

/* The end of the place: after "file:line", else before the first keyword. */
static size_t place_length(const char *words)
{
    const char *value;
    for (const char *at = words; *at != '\0'; at++) {
        if ((at == words || at[-1] == ':') && numbers_end_here(at)) {
            const char *end = end_of_digits(at);
            return (size_t)((*end == ':' ? end_of_digits(end + 1) : end) - words);
        }
    }
    for (const char *at = words; *at != '\0'; at++)
        if (keyword_at(at, &value) >= 0)
            return (size_t)(at - words);
    return strlen(words);
}

/* ---- the place ---- */

static bool is_digits(const char *text)
{
    return *text != '\0' && *end_of_digits(text) == '\0';
}

/* Cuts ":123" off the end; NULL when there is none. */
static char *cut_number(char *text)
{
    char *colon = strrchr(text, ':');
    if (colon == NULL || colon == text || !is_digits(colon + 1))
        return NULL;
    *colon = '\0';
    return xstrdup(colon + 1);
}

static void read_numbers(struct location *location, char *place)
{
    char *last = cut_number(place);
    if (last == NULL)
        return;
    AUTO_FREE char *whole = xstrdup(place);
    char *before = path_exists(place) ? NULL : cut_number(place);
    location->column = before != NULL ? last : NULL;
    location->line = before != NULL ? before : last;
    location->file = xstrdup(before != NULL ? place : whole);
}

static size_t word_length(const char *text)
{
    size_t len = 0;
    while (isalnum((unsigned char)text[len]) || text[len] == '_')
        len++;
    return len;
}

/* "app.py" alone, whether it is there or not; --function takes what is called like a file. */
static bool is_source_name(const char *place)
{
    static const char *const extensions[] = { ".py", ".c",   ".h",   ".cc", ".cpp", ".cxx", ".hpp", ".rs",  ".js", ".mjs",  ".cjs",
                                              ".ts", ".tsx", ".jsx", ".rb", ".pl",  ".pm",  ".sh",  ".php", ".cs", ".java", ".kt" };
    const char *dot = strrchr(place, '.');
    for (size_t i = 0; dot != NULL && i < COUNT_OF(extensions); i++)
        if (strcmp(dot, extensions[i]) == 0)
            return true;
    return false;
}

/* "app.py:7 n > 3", "app.py:total" and "remove 1" would be breakpoints at functions of these names, which nothing ever has. */
static bool is_no_function(const char *place)
{
    for (const char *colon = strchr(place, ':'); colon != NULL; colon = strchr(colon + 1, ':')) {
        const char *end = end_of_digits(colon + 1);
        AUTO_FREE char *file = xstrndup(place, (size_t)(colon - place));
        if ((end > colon + 1 && *end == ' ') || is_source_name(file))
            return true;
    }
    /* Plain words; a function's name has a blank only in "operator new", "f(int, char)", "<impl A for B>::f" */
    const char *at = place + word_length(place);
    bool blank = *at == ' ' && strncmp(place, "operator ", 9) != 0;
    while (*at == ' ' && word_length(at + 1) > 0)
        at += 1 + word_length(at + 1);
    return blank && *at == '\0';
}

/* "app.py 7": the number behind the file's name; NULL. */
static const char *number_behind_file(const char *place)
{
    const char *blank = strchr(place, ' ');
    AUTO_FREE char *file = xstrndup(place, blank == NULL ? 0 : (size_t)(blank - place));
    return blank != NULL && is_source_name(file) && is_digits(blank + 1) ? blank + 1 : NULL;
}

/* "a.js:1,a.js" of "a.js:1,a.js:2", unless there is such a file. */
static bool has_two_places(const char *file)
{
    const char *comma = strchr(file, ',');
    if (comma == NULL || path_exists(file))
        return false;
    AUTO_FREE char *first = xstrndup(file, (size_t)(comma - file));
    AUTO_FREE char *line = cut_number(first);
    return line != NULL;
}

/* Where "/text/" begins: at once, or behind "FILE:"; a path that begins with a slash is one where a file is so called. NULL: nowhere. */
static char *text_of(char *place)
{
    size_t len = strlen(place);
    char *colon = strstr(place, ":/");
    AUTO_FREE char *file = xstrndup(place, colon != NULL ? (size_t)(colon - place) : 0);
    bool behind = colon != NULL && colon > place && (place[0] != '/' || is_source_name(file) || path_exists(file));
    char *slash = behind ? colon + 1 : place;
    return *slash == '/' && place + len - 1 > slash && place[len - 1] == '/' ? slash : NULL;
}

static int read_place(struct location *location, char *place, struct error *ret_error)
{
    size_t len = strlen(place);
    if (len == 0)
        return error_set(ret_error, ERROR_ARGUMENT, "a place is missing: FILE:LINE, a function's name, or /text/");
    if (is_digits(place)) {
        location->line = xstrdup(place);
        return 0;
    }
    const char *slash = text_of(place);
    if (slash != NULL) {
        location->text = xstrndup(slash + 1, (size_t)(place + len - 1 - (slash + 1)));
        location->file = slash > place ? xstrndup(place, (size_t)(slash - 1 - place)) : NULL;
        return 0;
    }
    AUTO_FREE char *whole = xstrdup(place);
    const char *number = number_behind_file(place);
    if (number != NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "\"%s\" is no place: is it %.*s:%s?", place, (int)(number - place) - 1, place,
                         number);
    read_numbers(location, place);
    if (location->file != NULL && has_two_places(location->file)) {
        location_done(location);
        return error_set(ret_error, ERROR_ARGUMENT, "\"%s\" is more than one place: give each as a word or flag of its own", whole);
    }
    if (location->line != NULL)
        return 0;
    if (is_source_name(place))
        return error_set(ret_error, ERROR_ARGUMENT, "which line of %s? FILE:LINE, or FILE:/text/", place);
    if (is_no_function(place))
        return error_set(ret_error, ERROR_ARGUMENT,
                         "\"%s\" is no place: FILE:LINE, FILE:/text/ or a function's name, and after it \"if CONDITION\", "
                         "\"hit COUNT\" or \"log TEXT\"",
                         place);
    location->function = xstrdup(place);
    return 0;
}

/* ---- the rest ---- */

/* Up to the next keyword that may follow; a log message takes all. */
static char *take_value(const char **at, int keyword)
{
    const char *end = *at, *value;
    while (*end != '\0' && (keyword == 2 || keyword_at(end, &value) <= keyword))
        end++;
    char *text = xstrndup(*at, (size_t)(end - *at));
    *at = end;
    return text;
}

int location_parse(const char *words, struct location *ret, struct error *ret_error)
{
    *ret = (struct location){ 0 };
    words += strspn(words, " \t\n");
    const char *value;
    AUTO_FREE char *padded = xasprintf(" %s", words);
    size_t len = keyword_at(padded, &value) >= 0 ? 0 : place_length(words);
    AUTO_FREE char *place = xstrndup(words, len);
    if (read_place(ret, place, ret_error) < 0)
        return -1;
    char **const slots[] = { &ret->condition, &ret->hit, &ret->log };
    const char *at = words + len;
    for (int keyword; (keyword = keyword_at(at, &value)) >= 0;) {
        at = value;
        free(*slots[keyword]);
        *slots[keyword] = take_value(&at, keyword);
        if (**slots[keyword] == '\0') {
            error_set(ret_error, ERROR_ARGUMENT, "\"%s\" is followed by nothing: %s", keywords[keyword], words);
            location_done(ret);
            return -1;
        }
    }
    if (at[strspn(at, " \t\n")] == '\0')
        return 0;
    error_set(ret_error, ERROR_ARGUMENT, "after the place only \"if CONDITION\", \"hit COUNT\" and \"log TEXT\" can follow: %s",
              words);
    location_done(ret);
    return -1;
}

void location_done(struct location *location)
{
    free(location->file);
    free(location->line);
    free(location->column);
    free(location->function);
    free(location->text);
    free(location->condition);
    free(location->hit);
    free(location->log);
    *location = (struct location){ 0 };
}
