/* dapple break: breakpoints as people write them, for the operations that add, list, remove and switch one. */
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/location.h"
#include "verb/verb.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The words of the operation that is made of the given ones. */
struct made {
    const struct verb *verb;
    char **words; /* each is heap memory; NULL-terminated */
    size_t count, cap;
};

static void made_add(struct made *made, const char *word)
{
    made->words = xgrow(made->words, &made->cap, made->count + 2, sizeof(*made->words));
    made->words[made->count++] = xstrdup(word);
    made->words[made->count] = NULL;
}

static void made_add_flag(struct made *made, const char *flag, const char *value)
{
    if (value == NULL)
        return;
    AUTO_FREE char *word = xasprintf("%s=%s", flag, value);
    made_add(made, word);
}

static void made_done(struct made *made)
{
    for (size_t i = 0; i < made->count; i++)
        free(made->words[i]);
    free(made->words);
}

/* Passes flags on, and joins the other words with spaces: heap memory of the caller's; "" when there are none. */
static char *take_words(struct made *made, char *const *words)
{
    char *joined = xstrdup("");
    bool flags = true;
    for (; *words != NULL; words++) {
        if (flags && strcmp(*words, "--") == 0) {
            flags = false;
        } else if (flags && strncmp(*words, "--", 2) == 0) {
            made_add(made, *words);
            if (command_line_takes_value(made->verb, *words) && words[1] != NULL)
                made_add(made, *++words);
        } else {
            char *more = xasprintf("%s%s%s", joined, *joined != '\0' ? " " : "", *words);
            free(joined);
            joined = more;
        }
    }
    return joined;
}

static bool is_number(const char *text)
{
    return *text != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* ---- the forms ---- */

static int add_place(struct made *made, const char *place, struct error *ret_error)
{
    AUTO_LOCATION struct location location = { 0 };
    if (location_parse(place, &location, ret_error) < 0)
        return -1;
    if (location.file == NULL && location.function == NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "which file? FILE:LINE, FILE:/text/, or a function's name; not \"%s\"", place);
    if (location.function != NULL && path_exists(location.function))
        return error_set(ret_error, ERROR_ARGUMENT, "%s is a file: which line? FILE:LINE, or FILE:/text/", location.function);
    made_add_flag(made, "--file", location.file);
    made_add_flag(made, "--line", location.line);
    made_add_flag(made, "--column", location.column);
    made_add_flag(made, "--function", location.function);
    made_add_flag(made, "--match", location.text);
    made_add_flag(made, "--condition", location.condition);
    made_add_flag(made, "--hit-condition", location.hit);
    made_add_flag(made, "--log-message", location.log);
    return 0;
}

/* The place of one that is there: by its number, by file and line, by a file or a function. */
static int add_which(struct made *made, const char *which, bool is_file, struct error *ret_error)
{
    AUTO_LOCATION struct location location = { 0 };
    if (*which == '\0')
        return 0;
    if (is_number(which)) {
        made_add_flag(made, "--number", which);
        return 0;
    }
    if (location_parse(which, &location, ret_error) < 0)
        return -1;
    if (location.line != NULL || is_file) {
        made_add_flag(made, "--file", location.file != NULL ? location.file : which);
        made_add_flag(made, "--line", location.line);
    } else {
        made_add_flag(made, "--function", which);
    }
    return 0;
}

static int make_add(struct made *made, char *const *words, struct error *ret_error)
{
    AUTO_FREE char *place = take_words(made, words);
    return *place == '\0' ? 0 : add_place(made, place, ret_error);
}

static int make_list(struct made *made, char *const *words, struct error *ret_error)
{
    AUTO_FREE char *rest = take_words(made, words);
    return *rest == '\0' ? 0 : error_set(ret_error, ERROR_ARGUMENT, "dapple break list takes flags only, not \"%s\"", rest);
}

static int make_remove(struct made *made, char *const *words, struct error *ret_error)
{
    AUTO_FREE char *which = take_words(made, words);
    return add_which(made, which, false, ret_error);
}

static int make_clear(struct made *made, char *const *words, struct error *ret_error)
{
    AUTO_FREE char *file = take_words(made, words);
    if (*file == '\0')
        made_add(made, "--all");
    return add_which(made, file, true, ret_error);
}

static int make_enable(struct made *made, char *const *words, struct error *ret_error)
{
    AUTO_FREE char *which = take_words(made, words);
    made_add(made, "--enabled");
    if (*which == '\0' || strcmp(which, "all") == 0)
        made_add(made, "--all");
    else
        made_add_flag(made, "--number", which);
    (void)ret_error;
    return 0;
}

static int make_disable(struct made *made, char *const *words, struct error *ret_error)
{
    int result = make_enable(made, words, ret_error);
    for (size_t i = 0; i < made->count; i++)
        if (strcmp(made->words[i], "--enabled") == 0) {
            free(made->words[i]);
            made->words[i] = xstrdup("--no-enabled");
        }
    return result;
}

static const struct {
    const char *word, *operation;
    int (*make)(struct made *made, char *const *words, struct error *ret_error);
} forms[] = {
    { "list", "breakpoints", make_list },
    { "remove", "remove_breakpoint", make_remove },
    { "clear", "remove_breakpoint", make_clear },
    { "enable", "enable_breakpoint", make_enable },
    { "disable", "enable_breakpoint", make_disable },
};

static const struct verb *operation(const char *name)
{
    for (size_t i = 0; i < verb_count; i++)
        if (strcmp(verb_table[i].name, name) == 0)
            return &verb_table[i];
    return NULL;
}

int break_main(int argc, char **argv)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct made made = { 0 };
    int (*make)(struct made *, char *const *, struct error *) = argc < 2 ? make_list : make_add;
    const char *name = argc < 2 ? "breakpoints" : "add_breakpoint";
    char *const *words = argv + 1;
    for (size_t i = 0; argc >= 2 && i < COUNT_OF(forms); i++) {
        if (strcmp(argv[1], forms[i].word) == 0) {
            make = forms[i].make;
            name = forms[i].operation;
            words = argv + 2;
        }
    }
    made.verb = operation(name);
    enum status status = make(&made, words, &error) < 0 ? command_complain(&error) : STATUS_DONE;
    char *nothing[] = { NULL };
    if (status == STATUS_DONE)
        status = command_perform(made.verb, made.words != NULL ? made.words : nothing);
    made_done(&made);
    return (int)status;
}
