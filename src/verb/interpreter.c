#include "verb/interpreter.h"

#include "adapter/catalog.h"
#include "adapter/choose.h"
#include "base/path.h"
#include "verb/internal.h"

#include <string.h>

struct words {
    char **items;
    size_t count;
};

static void add_word(struct words *words, const char *text, size_t len)
{
    words->items = xrealloc(words->items, (words->count + 2) * sizeof(*words->items));
    words->items[words->count++] = xstrndup(text, len);
    words->items[words->count] = NULL;
}

static void words_done(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    free(words->items);
    *words = (struct words){ 0 };
}

/* A file with spaces in its name is one word; what a shell would have to take apart (quotes, variables) stays one, too. */
static void split_program(struct words *words, const char *program, const char *folder)
{
    AUTO_FREE char *path = path_absolute(program, folder);
    if (path_exists(path) || strpbrk(program, "'\"\\$`|&;<>*?") != NULL) {
        add_word(words, program, strlen(program));
        return;
    }
    for (const char *at = program + strspn(program, " "); *at != '\0'; at += strspn(at, " ")) {
        add_word(words, at, strcspn(at, " "));
        at += strcspn(at, " ");
    }
}

static void add_args(struct words *words, yyjson_val *list)
{
    size_t index, count;
    yyjson_val *item;
    yyjson_arr_foreach(list, index, count, item)
        add_word(words, yyjson_get_str(item), yyjson_get_len(item));
}

static const char *name_of(const char *word)
{
    const char *slash = strrchr(word, '/');
    return slash != NULL ? slash + 1 : word;
}

/* A file of the folder that only has such a name is a program. */
static bool is_local_file(const char *word, const char *folder)
{
    AUTO_FREE char *path = path_absolute(word, folder);
    return strchr(word, '/') == NULL && path_exists(path);
}

static const struct adapter_entry *entry_of(const struct call *call, const struct words *words)
{
    if (words->count == 0 || is_local_file(words->items[0], call->world->project))
        return NULL;
    size_t count;
    const struct adapter_entry *const *adapters = settings_adapters(call->world->settings, &count);
    return adapter_of_interpreter(adapters, count, name_of(words->items[0]));
}

/* `at`: where a program was expected, or an option that cannot be passed on. */
static int refuse(const struct interpreted *interpreted, const struct words *words, size_t at, struct error *ret_error)
{
    bool modules = adapter_module_argument(interpreted->entry) != NULL;
    if (at >= words->count)
        return error_set(ret_error, ERROR_ARGUMENT, "program: %s is an interpreter: name the script that it is to run%s",
                         words->items[0], modules ? ", or give [\"-m\", \"MODULE\"] as args" : "");
    return error_set(
        ret_error, ERROR_ARGUMENT,
        "program: %s is started by %s, which cannot be given its option %s: name the script%s as program and the script's own "
        "arguments as args; for many options there is a variable for env (PYTHONPATH, RUBYLIB, RUBYOPT, NODE_OPTIONS, PERL5LIB)",
        words->items[0], adapter_entry_id(interpreted->entry), words->items[at], modules ? " (or -m MODULE)" : "");
}

static char **words_from(const struct words *words, size_t from, size_t to)
{
    struct words taken = { 0 };
    taken.items = xcalloc(1, sizeof(*taken.items));
    for (size_t i = from; i < to; i++)
        add_word(&taken, words->items[i], strlen(words->items[i]));
    return taken.items;
}

/* False: the one at *ret_at cannot be passed on; else that is the place behind the interpreter's own options. `ret_whole`: they need no
 * program. */
static bool skip_options(const struct interpreted *interpreted, const struct words *words, size_t *ret_at, bool *ret_whole)
{
    *ret_whole = false;
    for (*ret_at = 1; *ret_at < words->count && words->items[*ret_at][0] == '-';) {
        const char *word = words->items[*ret_at];
        enum interpreter_option option = adapter_interpreter_option(interpreted->entry, word);
        bool paired = option == OPTION_WITH_VALUE || option == OPTION_CODE;
        if (strcmp(word, "-m") == 0 && adapter_module_argument(interpreted->entry) != NULL)
            break;
        if (option == OPTION_REFUSED || (paired && *ret_at + 1 >= words->count))
            return false;
        *ret_whole = *ret_whole || option == OPTION_CODE || option == OPTION_ALONE;
        *ret_at += paired ? 2 : 1;
        if (option == OPTION_CODE)
            break;
    }
    return true;
}

static void take_interpreter(struct interpreted *ret, const char *word, const char *folder)
{
    if (strchr(word, '/') != NULL)
        ret->interpreter = path_absolute(word, folder);
    else if (adapter_interpreter_by_name(ret->entry))
        ret->interpreter = adapter_command_path(ret->entry, word, folder);
}

static int take(struct interpreted *ret, const struct words *words, const char *folder, struct error *ret_error)
{
    bool whole;
    size_t at;
    bool passed = skip_options(ret, words, &at, &whole);
    bool is_module = passed && at + 1 < words->count && strcmp(words->items[at], "-m") == 0;
    if (!passed || (at >= words->count && !whole) ||
        (words->items[at] != NULL && words->items[at][0] == '-' && !is_module && !whole))
        return refuse(ret, words, at, ret_error);
    if (at > 1)
        ret->options = words_from(words, 1, at);
    if (!whole) {
        char **taken = is_module ? &ret->module : &ret->program;
        *taken = xstrdup(words->items[is_module ? at + 1 : at]);
        at += is_module ? 2 : 1;
    }
    ret->args = words_from(words, at, words->count);
    take_interpreter(ret, words->items[0], folder);
    return 0;
}

/* A script that a shell would find by its name alone: npm, or jest of the project. */
static bool take_command(struct call *call, const struct words *words, struct interpreted *ret)
{
    const char *project = call->world->project;
    if (words->count == 0 || strchr(words->items[0], '/') != NULL)
        return false;
    AUTO_FREE char *own = path_absolute(words->items[0], project);
    if (path_is_file(own))
        return false;
    size_t count;
    const struct adapter_entry *const *adapters = settings_adapters(call->world->settings, &count);
    const char *cwd = json_string(call->arguments, "cwd");
    AUTO_FREE char *folder = path_absolute(cwd != NULL ? cwd : "", project);
    ret->program = adapter_command_script(adapters, count, words->items[0], folder, &ret->entry);
    if (ret->program != NULL)
        ret->args = words_from(words, 1, words->count);
    return ret->program != NULL;
}

int interpreted_read(struct call *call, const char *wanted, struct interpreted *ret, struct error *ret_error)
{
    *ret = (struct interpreted){ 0 };
    const char *program = json_string(call->arguments, "program");
    if (program == NULL)
        return 0;
    struct words words = { 0 };
    split_program(&words, program, call->world->project);
    add_args(&words, json_array(call->arguments, "args"));
    ret->entry = entry_of(call, &words);
    bool is_command = ret->entry == NULL && take_command(call, &words, ret);
    int result = 0;
    if (ret->entry != NULL && wanted != NULL && !adapter_entry_is(ret->entry, wanted))
        interpreted_done(ret);
    else if (ret->entry != NULL && !is_command)
        result = take(ret, &words, call->world->project, ret_error);
    words_done(&words);
    return result;
}

void interpreted_done(struct interpreted *interpreted)
{
    free(interpreted->program);
    free(interpreted->module);
    free(interpreted->interpreter);
    for (char **item = interpreted->args; item != NULL && *item != NULL; item++)
        free(*item);
    free(interpreted->args);
    for (char **item = interpreted->options; item != NULL && *item != NULL; item++)
        free(*item);
    free(interpreted->options);
    *interpreted = (struct interpreted){ 0 };
}
