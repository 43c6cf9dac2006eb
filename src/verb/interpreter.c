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

static int refuse(const struct interpreted *interpreted, const struct words *words, struct error *ret_error)
{
    bool modules = adapter_module_argument(interpreted->entry) != NULL;
    if (words->count == 1)
        return error_set(ret_error, ERROR_ARGUMENT, "program: %s is an interpreter: name the script that it is to run%s",
                         words->items[0], modules ? ", or give [\"-m\", \"MODULE\"] as args" : "");
    return error_set(
        ret_error, ERROR_ARGUMENT,
        "program: %s is started by %s, which cannot be given its option %s: name the script%s as program and the script's own "
        "arguments as args; for many options there is a variable for env (PYTHONPATH, RUBYLIB, RUBYOPT, NODE_OPTIONS, PERL5LIB)",
        words->items[0], adapter_entry_id(interpreted->entry), words->items[1], modules ? " (or -m MODULE)" : "");
}

static void take_rest(struct interpreted *ret, const struct words *words, size_t from)
{
    struct words rest = { 0 };
    for (size_t i = from; i < words->count; i++)
        add_word(&rest, words->items[i], strlen(words->items[i]));
    ret->args = rest.items;
}

static int take(struct interpreted *ret, const struct words *words, const char *folder, struct error *ret_error)
{
    bool is_module = words->count > 2 && strcmp(words->items[1], "-m") == 0 && adapter_module_argument(ret->entry) != NULL;
    if (!is_module && (words->count < 2 || words->items[1][0] == '-'))
        return refuse(ret, words, ret_error);
    char **taken = is_module ? &ret->module : &ret->program;
    *taken = xstrdup(words->items[is_module ? 2 : 1]);
    take_rest(ret, words, is_module ? 3 : 2);
    if (strchr(words->items[0], '/') != NULL)
        ret->interpreter = path_absolute(words->items[0], folder);
    return 0;
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
    if (ret->entry != NULL && wanted != NULL && !adapter_entry_is(ret->entry, wanted))
        ret->entry = NULL;
    int result = ret->entry != NULL ? take(ret, &words, call->world->project, ret_error) : 0;
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
    *interpreted = (struct interpreted){ 0 };
}
