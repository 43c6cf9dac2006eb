/* dapple break: breakpoints as people write them, for the operations that add, list, remove and switch one. */
#include "base/error.h"
#include "base/memory.h"
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

/* What was typed: the flags, and the other words. */
struct typed {
    char **flags, **words; /* the strings are argv's; NULL-terminated */
    size_t flag_count, word_count;
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
    for (size_t i = 0; made->words != NULL && i < made->count; i++)
        free(made->words[i]);
    free(made->words);
}

static void read_typed(struct typed *typed, const struct verb *verb, int argc, char **argv)
{
    typed->flags = xcalloc((size_t)argc + 1, sizeof(*typed->flags));
    typed->words = xcalloc((size_t)argc + 1, sizeof(*typed->words));
    bool flags = true;
    for (char **at = argv; *at != NULL; at++) {
        if (flags && strcmp(*at, "--") == 0) {
            flags = false;
        } else if (flags && strncmp(*at, "--", 2) == 0) {
            typed->flags[typed->flag_count++] = *at;
            if (command_line_takes_value(verb, *at) && at[1] != NULL)
                typed->flags[typed->flag_count++] = *++at;
        } else {
            typed->words[typed->word_count++] = *at;
        }
    }
}

static char *join(char *const *words)
{
    char *joined = xstrdup(words[0] != NULL ? words[0] : "");
    for (size_t i = 1; words[0] != NULL && words[i] != NULL; i++) {
        char *more = xasprintf("%s %s", joined, words[i]);
        free(joined);
        joined = more;
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
    AUTO_ERROR struct error error = ERROR_INIT;
    if (location_parse(which, &location, &error) < 0 && !is_file)
        return error_set(ret_error, ERROR_ARGUMENT, "%s", error.message);
    if (location.line != NULL || is_file) {
        made_add_flag(made, "--file", location.file != NULL ? location.file : which);
        made_add_flag(made, "--line", location.line);
    } else {
        made_add_flag(made, "--function", which);
    }
    return 0;
}

static int make_add(struct made *made, const char *place, struct error *ret_error)
{
    return *place == '\0' ? 0 : add_place(made, place, ret_error);
}

static int make_list(struct made *made, const char *rest, struct error *ret_error)
{
    (void)made;
    return *rest == '\0' ? 0 : error_set(ret_error, ERROR_ARGUMENT, "dapple break list takes flags only, not \"%s\"", rest);
}

static int make_remove(struct made *made, const char *which, struct error *ret_error)
{
    if (strcmp(which, "all") == 0)
        made_add(made, "--all");
    else
        return add_which(made, which, false, ret_error);
    return 0;
}

static int make_clear(struct made *made, const char *file, struct error *ret_error)
{
    if (*file == '\0')
        made_add(made, "--all");
    return add_which(made, file, true, ret_error);
}

static int make_switched(struct made *made, const char *which, const char *flag, struct error *ret_error)
{
    made_add(made, flag);
    if (*which == '\0' || strcmp(which, "all") == 0)
        made_add(made, "--all");
    else if (is_number(which))
        made_add_flag(made, "--number", which);
    else
        return error_set(ret_error, ERROR_ARGUMENT, "which number? dapple break shows it before each place; not \"%s\"", which);
    return 0;
}

static int make_enable(struct made *made, const char *which, struct error *ret_error)
{
    return make_switched(made, which, "--enabled", ret_error);
}

static int make_disable(struct made *made, const char *which, struct error *ret_error)
{
    return make_switched(made, which, "--no-enabled", ret_error);
}

struct form {
    const char *word, *operation;
    int (*make)(struct made *made, const char *words, struct error *ret_error);
    bool each; /* every word is one of its own */
};

static const struct form forms[] = {
    { "list", "breakpoints", make_list, false },          { "remove", "remove_breakpoint", make_remove, true },
    { "delete", "remove_breakpoint", make_remove, true }, { "clear", "remove_breakpoint", make_clear, true },
    { "enable", "enable_breakpoint", make_enable, true }, { "disable", "enable_breakpoint", make_disable, true },
};
static const struct form add = { "", "add_breakpoint", make_add, false };

static const struct verb *operation(const char *name)
{
    for (size_t i = 0; i < verb_count; i++)
        if (strcmp(verb_table[i].name, name) == 0)
            return &verb_table[i];
    return NULL;
}

/* Do only flags that every command has stand there? Then it is the list that is asked for. */
static bool only_common_flags(const struct typed *typed)
{
    for (size_t i = 0; i < typed->flag_count; i++) {
        const char *flag = typed->flags[i];
        if (strcmp(flag, "--session") == 0)
            i++;
        else if (strncmp(flag, "--session=", 10) != 0 && strncmp(flag, "--json", 6) != 0)
            return false;
    }
    return true;
}

/* "a.py:3 b.py:4", but not "a.py:3 if x": each word is a whole place with a line. */
static bool are_places(char *const *words)
{
    for (; *words != NULL; words++) {
        AUTO_LOCATION struct location location = { 0 };
        AUTO_ERROR struct error error = ERROR_INIT;
        bool has_line = location_parse(*words, &location, &error) == 0 && location.file != NULL;
        if (!has_line)
            return false;
    }
    return true;
}

static const struct form *form_of(const struct typed *typed)
{
    for (size_t i = 0; typed->word_count > 0 && i < COUNT_OF(forms); i++)
        if (strcmp(typed->words[0], forms[i].word) == 0)
            return &forms[i];
    return typed->word_count == 0 && only_common_flags(typed) ? &forms[0] : &add;
}

static enum status perform(const struct form *form, const struct typed *typed, const char *words)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct made made = { .verb = operation(form->operation) };
    for (size_t i = 0; i < typed->flag_count; i++)
        made_add(&made, typed->flags[i]);
    enum status status = form->make(&made, words, &error) < 0 ? command_complain_as(&error, typed->flags) : STATUS_DONE;
    char *nothing[] = { NULL };
    if (status == STATUS_DONE)
        status = command_perform(made.verb, made.words != NULL ? made.words : nothing);
    made_done(&made);
    return status;
}

/* One operation for each; what went wrong with one is the status. */
static enum status perform_each(const struct form *form, const struct typed *typed, char *const *words)
{
    enum status status = STATUS_DONE;
    for (; *words != NULL; words++) {
        enum status one = perform(form, typed, *words);
        status = one != STATUS_DONE ? one : status;
    }
    return status;
}

int break_main(int argc, char **argv)
{
    struct typed typed = { 0 };
    read_typed(&typed, operation(add.operation), argc, argv + 1);
    const struct form *form = form_of(&typed);
    char **words = typed.words + (form != &add && typed.word_count > 0 ? 1 : 0);
    bool each = words[0] != NULL && words[1] != NULL && (form->each || (form == &add && are_places(words)));
    AUTO_FREE char *joined = join(words);
    enum status status = each ? perform_each(form, &typed, words) : perform(form, &typed, joined);
    free(typed.flags);
    free(typed.words);
    return (int)status;
}
