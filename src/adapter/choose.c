#include "adapter/choose.h"

#include "adapter/discover.h"
#include "adapter/entry.h"
#include "adapter/language.h"
#include "adapter/program_file.h"
#include "adapter/python.h"
#include "adapter/source_facts.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"

#include <ctype.h>
#include <string.h>

#define LONGEST_MESSAGE 8192

/* What the choice is made from. */
struct question {
    const struct adapter_entry *const *entries;
    size_t count;
    const char *program;
    bool is_folder;
    struct program_file file; /* empty for a folder */
    char *extension;          /* lower case; of a folder "" */
};

static void question_done(struct question *question)
{
    program_file_done(&question->file);
    free(question->extension);
}

static bool is_native(const struct question *question)
{
    return question->file.format == PROGRAM_ELF || question->file.format == PROGRAM_MACHO;
}

static const char *format_id(enum program_format format)
{
    return format == PROGRAM_ELF ? "elf" : "mach-o";
}

static const char *format_title(enum program_format format)
{
    return format == PROGRAM_ELF ? "ELF" : "Mach-O";
}

/* ---- what an entry serves ---- */

static bool serves_extension(const struct adapter_entry *entry, const struct question *question)
{
    return !is_native(question) && adapter_list_names(entry->extensions, question->extension);
}

static bool serves_interpreter(const struct adapter_entry *entry, const struct question *question)
{
    return question->file.interpreter != NULL && adapter_list_names(entry->interpreters, question->file.interpreter);
}

static bool serves_format(const struct adapter_entry *entry, const struct question *question)
{
    if (question->file.is_go && adapter_list_names(entry->formats, "elf-go"))
        return true;
    return is_native(question) && adapter_list_names(entry->formats, format_id(question->file.format));
}

/* Is the folder a package of this entry's kind, or inside of one? */
static bool serves_folder(const struct adapter_entry *entry, const struct question *question)
{
    AUTO_FREE char *folder = question->is_folder ? project_folder(question->program, entry->folders) : NULL;
    return folder != NULL;
}

/* One that the user's settings define, of which nothing more is known: whether it can is for the user to say, by naming it. */
static bool takes_any_program(const struct adapter_entry *entry)
{
    return entry->defined != NULL && json_bool(entry->defined, "any_program", false);
}

typedef bool (*serves_fn)(const struct adapter_entry *entry, const struct question *question);

/* ---- errors ---- */

static void add_ids(const struct question *question, struct buffer *text)
{
    for (size_t i = 0; i < question->count; i++)
        buffer_addf(text, "%s%s", i > 0 ? ", " : "", question->entries[i]->id);
}

static int unknown_adapter(const struct question *question, const char *wanted, struct error *ret_error)
{
    AUTO_BUFFER struct buffer ids;
    buffer_init(&ids, LONGEST_MESSAGE);
    add_ids(question, &ids);
    return error_set(ret_error, ERROR_ARGUMENT, "adapter: there is no adapter %s; there are %s", wanted, ids.data);
}

static int compiled_source(const struct question *question, const struct language *language, struct error *ret_error)
{
    return error_set(ret_error, ERROR_ARGUMENT, "program %s is %s source code: %s and pass the executable as program",
                     question->program, language->name, language->build);
}

static int unknown_kind(const struct question *question, struct error *ret_error)
{
    AUTO_BUFFER struct buffer ids;
    buffer_init(&ids, LONGEST_MESSAGE);
    add_ids(question, &ids);
    return error_set(ret_error, ERROR_ARGUMENT,
                     "program %s: its name and content do not tell what debugs it; pass adapter, one of %s", question->program,
                     ids.data);
}

/* No entry serves the program: says what it is, and the way on. */
static int not_served(const struct question *question, struct error *ret_error)
{
    const struct language *language = language_of_extension(question->extension);
    if (is_native(question))
        return error_set(ret_error, ERROR_ARGUMENT, "program %s is a %s executable; no adapter of this version debugs it",
                         question->program, format_title(question->file.format));
    if (language != NULL && language->build != NULL)
        return compiled_source(question, language, ret_error);
    if (question->file.interpreter != NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "program %s is a script for %s; this version has no adapter for that",
                         question->program, question->file.interpreter);
    if (language != NULL)
        return error_set(ret_error, ERROR_ARGUMENT, "program %s: this version has no adapter for %s", question->program,
                         language->name);
    return unknown_kind(question, ret_error);
}

/* An ELF or Mach-O file must be a program that we may run. */
static int check_native(const struct question *question, struct error *ret_error)
{
    const char *program = question->program;
    switch (question->file.role) {
    case PROGRAM_ROLE_OBJECT:
        return error_set(ret_error, ERROR_ARGUMENT, "program %s is an object file: link it and pass the executable", program);
    case PROGRAM_ROLE_LIBRARY:
        return error_set(ret_error, ERROR_ARGUMENT, "program %s is a shared library: pass the executable that loads it", program);
    case PROGRAM_ROLE_CORE:
        return error_set(ret_error, ERROR_ARGUMENT,
                         "program %s is a core dump: this version cannot open those; pass the executable", program);
    case PROGRAM_ROLE_PROGRAM:
        break;
    }
    if (!question->file.executable)
        return error_set(ret_error, ERROR_ARGUMENT, "program %s may not be executed: chmod +x %s", program, program);
    return 0;
}

/* ---- the user's choice ---- */

/* An adapter of the user's must be able to do something with such a file; a script without a telling name is left to the user. */
static int check_wanted(const struct question *question, const struct adapter_entry *entry, struct error *ret_error)
{
    const struct language *language = language_of_extension(question->extension);
    if (takes_any_program(entry))
        return 0;
    if (serves_extension(entry, question) || serves_interpreter(entry, question) || serves_format(entry, question) ||
        serves_folder(entry, question))
        return 0;
    if (!is_native(question) && entry->formats == NULL)
        return 0;
    if (!is_native(question) && language != NULL && language->build != NULL)
        return compiled_source(question, language, ret_error);
    return error_set(ret_error, ERROR_ARGUMENT, "adapter: %s debugs %s, and %s is not one; leave adapter out to have it chosen",
                     entry->id, entry->debugs, question->program);
}

static int choose_wanted(const struct question *question, const char *wanted, struct adapter_choice *ret_choice,
                         struct error *ret_error)
{
    for (size_t i = 0; i < question->count; i++) {
        const struct adapter_entry *entry = question->entries[i];
        if (!adapter_entry_is(entry, wanted))
            continue;
        if (check_wanted(question, entry, ret_error) < 0)
            return -1;
        *ret_choice = (struct adapter_choice){ entry, xstrdup("named by the call"), false };
        return 0;
    }
    return unknown_adapter(question, wanted, ret_error);
}

/* ---- our choice ---- */

/* Does a folder of the program's, or one above it, show that the project is of this entry's kind? */
static bool has_marker_above(const struct adapter_entry *entry, const char *program)
{
    AUTO_FREE char *folder = project_folder(program, entry->markers);
    return folder != NULL;
}

static bool is_better(const struct adapter_entry *a, const struct adapter_entry *b, const char *program)
{
    if (a->preference != b->preference)
        return a->preference < b->preference;
    return has_marker_above(a, program) && !has_marker_above(b, program);
}

/* The entries that serve the program, the best one first. Returns their number. */
static size_t candidates(const struct question *question, serves_fn serves, const struct adapter_entry **ret)
{
    size_t count = 0;
    for (size_t i = 0; i < question->count; i++) {
        if (!serves(question->entries[i], question))
            continue;
        size_t place = count++;
        for (; place > 0 && is_better(question->entries[i], ret[place - 1], question->program); place--)
            ret[place] = ret[place - 1];
        ret[place] = question->entries[i];
    }
    return count;
}

static int discover_candidate(const struct question *question, const struct adapter_entry *entry, struct buffer *faults,
                              struct error *ret_error)
{
    AUTO_FREE char *folder = question->is_folder ? xstrdup(question->program) : path_folder(question->program);
    struct adapter_search search = {
        .program = question->program,
        .cwd = folder,
        .shebang = question->file.interpreter_path,
        .faults = faults,
    };
    AUTO_ADAPTER_FOUND struct adapter_found found = { 0 };
    return adapter_discover(entry, &search, &found, ret_error);
}

/* Takes the best of several that is here. */
static int choose_present(const struct question *question, const struct adapter_entry **entries, size_t count, const char *reason,
                          struct adapter_choice *ret_choice, struct error *ret_error)
{
    AUTO_BUFFER struct buffer skipped; /* for the reason */
    AUTO_BUFFER struct buffer missing; /* for the error */
    buffer_init(&skipped, LONGEST_MESSAGE);
    buffer_init(&missing, LONGEST_MESSAGE);
    for (size_t i = 0; i < count; i++) {
        AUTO_ERROR struct error why = ERROR_INIT;
        AUTO_BUFFER struct buffer faults;
        buffer_init(&faults, LONGEST_MESSAGE);
        if (discover_candidate(question, entries[i], &faults, &why) == 0) {
            *ret_choice = (struct adapter_choice){ entries[i], xasprintf("%s%s", reason, skipped.data), i > 0 };
            return 0;
        }
        buffer_addf(&skipped, "; not %s: %s", entries[i]->id, faults.len > 0 ? faults.data : "not found");
        buffer_addf(&missing, "\n%s", why.message);
    }
    return error_set(ret_error, ERROR_CONFIG, "no debugger for %s is here:%s", question->program, missing.data);
}

/* Returns 1 when an entry serves the program this way, 0 when none does. */
static int choose_by(const struct question *question, serves_fn serves, const char *reason, struct adapter_choice *ret_choice,
                     struct error *ret_error)
{
    AUTO_FREE const struct adapter_entry **served = xcalloc(question->count + 1, sizeof *served);
    size_t count = candidates(question, serves, served);
    if (count == 0)
        return 0;
    if (is_native(question) && check_native(question, ret_error) < 0)
        return -1;
    if (count > 1)
        return choose_present(question, served, count, reason, ret_choice, ret_error) < 0 ? -1 : 1;
    *ret_choice = (struct adapter_choice){ served[0], xstrdup(reason), false };
    return 1;
}

static int choose(const struct question *question, struct adapter_choice *ret_choice, struct error *ret_error)
{
    AUTO_FREE char *extension = xasprintf("extension %s", question->extension);
    AUTO_FREE char *interpreter =
        xasprintf("shebang names %s", question->file.interpreter != NULL ? question->file.interpreter : "");
    AUTO_FREE char *format =
        xasprintf("%s executable%s", format_title(question->file.format), question->file.is_go ? " built by Go" : "");
    int result = choose_by(question, serves_folder, "folder of a project", ret_choice, ret_error);
    if (result == 0)
        result = choose_by(question, serves_extension, extension, ret_choice, ret_error);
    if (result == 0)
        result = choose_by(question, serves_interpreter, interpreter, ret_choice, ret_error);
    if (result == 0)
        result = choose_by(question, serves_format, format, ret_choice, ret_error);
    if (result == 0)
        return not_served(question, ret_error);
    return result > 0 ? 0 : -1;
}

static char *lower_extension(const char *program)
{
    char *extension = xstrdup(path_extension(program));
    for (char *letter = extension; *letter != '\0'; letter++)
        *letter = (char)tolower((unsigned char)*letter);
    return extension;
}

/* A folder that some adapter takes; of any other a file in it must be named. */
static bool is_served_folder(struct question *question, const char *wanted)
{
    question->is_folder = path_is_folder(question->program);
    for (size_t i = 0; question->is_folder && i < question->count; i++) {
        const struct adapter_entry *entry = question->entries[i];
        if (serves_folder(entry, question) || (wanted != NULL && takes_any_program(entry) && adapter_entry_is(entry, wanted)))
            return true;
    }
    return false;
}

int adapter_choose_among(const struct adapter_entry *const *entries, size_t count, const char *program, const char *wanted,
                         struct adapter_choice *ret_choice, struct error *ret_error)
{
    __attribute__((cleanup(question_done))) struct question question = { .entries = entries, .count = count, .program = program };
    question.is_folder = is_served_folder(&question, wanted);
    if (!question.is_folder && program_file_read(program, &question.file, ret_error) < 0)
        return -1;
    question.extension = question.is_folder ? xstrdup("") : lower_extension(program);
    if (wanted == NULL)
        return choose(&question, ret_choice, ret_error);
    struct adapter_choice choice;
    if (choose_wanted(&question, wanted, &choice, ret_error) < 0)
        return -1;
    if (is_native(&question) && check_native(&question, ret_error) < 0) {
        adapter_choice_done(&choice);
        return -1;
    }
    *ret_choice = choice;
    return 0;
}

int adapter_choose(const char *program, const char *wanted, struct adapter_choice *ret_choice, struct error *ret_error)
{
    size_t count = catalog_count();
    AUTO_FREE const struct adapter_entry **entries = xcalloc(count + 1, sizeof *entries);
    for (size_t i = 0; i < count; i++)
        entries[i] = catalog_entry(i);
    return adapter_choose_among(entries, count, program, wanted, ret_choice, ret_error);
}

void adapter_choice_done(struct adapter_choice *choice)
{
    free(choice->reason);
    *choice = (struct adapter_choice){ 0 };
}

/* ---- by the interpreter ---- */

const struct adapter_entry *adapter_of_interpreter(const struct adapter_entry *const *entries, size_t count, const char *name)
{
    const struct adapter_entry *found = NULL;
    for (size_t i = 0; i < count; i++) {
        if (adapter_list_names(entries[i]->interpreters, name) && (found == NULL || entries[i]->preference < found->preference))
            found = entries[i];
    }
    return found;
}

const char *adapter_module_argument(const struct adapter_entry *entry)
{
    return entry->module_argument;
}

const char *adapter_interpreter_argument(const struct adapter_entry *entry)
{
    return json_string(entry->interpreter, "argument");
}

const char *adapter_options_argument(const struct adapter_entry *entry)
{
    return json_string(entry->interpreter, "options");
}

bool adapter_interpreter_by_name(const struct adapter_entry *entry)
{
    return json_bool(entry->interpreter, "by_name", false);
}

/* `--option=value` is one word, whatever it is in two. */
enum interpreter_option adapter_interpreter_option(const struct adapter_entry *entry, const char *word)
{
    static const struct {
        const char *list;
        enum interpreter_option option;
    } kinds[] = {
        { "refused", OPTION_REFUSED },
        { "with_value", OPTION_WITH_VALUE },
        { "code", OPTION_CODE },
        { "without_program", OPTION_ALONE },
    };
    if (entry->interpreter == NULL)
        return OPTION_REFUSED;
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (adapter_list_names(json_array(entry->interpreter, kinds[i].list), word))
            return kinds[i].option;
    return OPTION_PLAIN;
}

/* ---- commands ---- */

char *adapter_command_path(const struct adapter_entry *entry, const char *name, const char *folder)
{
    AUTO_FREE char *at = xstrdup(folder);
    while (entry->commands != NULL) {
        size_t index, count;
        yyjson_val *item;
        yyjson_arr_foreach(entry->commands, index, count, item) {
            AUTO_FREE char *place = path_join(at, yyjson_get_str(item));
            char *path = path_join(place, name);
            if (path_is_executable(path))
                return path;
            free(path);
        }
        if (strcmp(at, "/") == 0)
            break;
        char *parent = path_folder(at);
        free(at);
        at = parent;
    }
    return entry->commands != NULL ? python_resolve(name, folder) : NULL;
}

char *adapter_command_script(const struct adapter_entry *const *entries, size_t count, const char *name, const char *folder,
                             const struct adapter_entry **ret)
{
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *path = adapter_command_path(entries[i], name, folder);
        AUTO_PROGRAM_FILE struct program_file file = { 0 };
        if (path == NULL || program_file_read(path, &file, NULL) < 0 || file.interpreter == NULL)
            continue;
        *ret = adapter_of_interpreter(entries, count, file.interpreter);
        if (*ret == entries[i])
            return xstrdup(path);
    }
    *ret = NULL;
    return NULL;
}
