#include "cli/doctor.h"

#include "adapter/catalog.h"
#include "adapter/install_hint.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/path.h"
#include "cli/doctor_json.h"
#include "cli/doctor_program.h"
#include "cli/doctor_text.h"
#include "cli/examination.h"
#include "config/settings.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char usage[] =
    "Usage: dapple doctor [--json] [--adapter ID]\n"
    "       dapple doctor [--json] [--adapter ID] PROGRAM\n"
    "\n"
    "Without a program: which debug adapters are here, which versions, and whether they work. Each that is found is\n"
    "started, greeted (\"initialize\") and ended again, all side by side, and given 10 seconds. For the others it says\n"
    "what is wrong, and how they are installed on this system. The status is 0 when at least one works.\n"
    "\n"
    "With a program: what a launch of it would do and why: the adapter, its command line, the launch arguments, and\n"
    "which settings count. The program is not run. The status is 0 when it can be launched, else 1.\n"
    "\n"
    "  --adapter ID   look at this adapter only, as for a launch that names it\n"
    "  --json         the same as JSON\n"
    "  --help         show this\n";

/* of the columns; the second line of an adapter begins where its name stands */
#define STATE_WIDTH LABEL_COLUMN
#define NAME_WIDTH 22
#define VERSION_WIDTH 12

struct options {
    bool json, help;
    const char *adapter, *program; /* NULL: not given */
};

/* ---- the table ---- */

static void print_part(const char *before, const char *text)
{
    AUTO_FREE char *line = xasprintf("%s%s", before, text);
    print_indent(STATE_WIDTH);
    print_wrapped(STATE_WIDTH, line);
}

static void print_place(const struct examination *examination)
{
    AUTO_FREE char *by = examination->found.interpreter != NULL
                             ? xasprintf("%s, run by %s", examination->found.path, examination->found.interpreter)
                             : xstrdup(examination->found.path);
    print_part("", by);
}

static void print_examination(const struct examination *examination)
{
    bool tested = adapter_entry_tested_with(examination->entry) != NULL;
    AUTO_FREE char *programs = xasprintf("%s%s", adapter_entry_debugs(examination->entry), tested ? "" : " (experimental)");
    print_padded(doctor_state_word(examination), STATE_WIDTH);
    print_padded(adapter_entry_id(examination->entry), NAME_WIDTH);
    print_padded(examination->version != NULL ? examination->version : "-", VERSION_WIDTH);
    print_wrapped(STATE_WIDTH + NAME_WIDTH + VERSION_WIDTH, programs);
    if (examination->found.path != NULL)
        print_place(examination);
    if (examination->fault != NULL)
        print_part("", examination->fault);
    if (examination->finding == FINDING_FAILS)
        print_quoted(STATE_WIDTH, examination->said);
    if (examination->finding != FINDING_WORKS)
        print_part("to install it: ", install_hint(examination->entry));
}

static size_t count_of(const struct examination *list, size_t count, enum finding finding)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += list[i].finding == finding;
    return found;
}

static void print_summary(const struct examination *list, size_t count)
{
    size_t works = count_of(list, count, FINDING_WORKS);
    size_t broken = count_of(list, count, FINDING_FAILS) + count_of(list, count, FINDING_UNUSABLE);
    printf("\n%zu of %zu adapters work", works, count);
    if (broken > 0)
        printf(", %zu %s here but cannot be used", broken, broken == 1 ? "is" : "are");
    puts(works > 0 ? ".\ndapple doctor PROGRAM tells how a program would be launched." : ".\nInstall the one for your language.");
}

static void print_table(const struct examination *list, size_t count, const char *warnings)
{
    static const enum finding order[] = { FINDING_WORKS, FINDING_FAILS, FINDING_UNUSABLE, FINDING_MISSING };
    for (size_t group = 0; group < COUNT_OF(order); group++) {
        for (size_t i = 0; i < count; i++) {
            if (list[i].finding == order[group])
                print_examination(&list[i]);
        }
    }
    print_summary(list, count);
    print_warnings(warnings);
}

static void print_json(const struct examination *list, size_t count, const char *warnings)
{
    yyjson_mut_doc *doc = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *root = yyjson_mut_obj(doc);
    yyjson_mut_val *adapters = yyjson_mut_arr(doc);
    yyjson_mut_doc_set_root(doc, root);
    for (size_t i = 0; i < count; i++)
        yyjson_mut_arr_append(adapters, doctor_json_adapter(doc, &list[i]));
    json_add_string(doc, root, "dapple", DAPPLE_VERSION);
    json_add_int(doc, root, "working", (int64_t)count_of(list, count, FINDING_WORKS));
    json_add_value(doc, root, "adapters", adapters);
    json_add_value(doc, root, "warnings", doctor_json_lines(doc, warnings));
    doctor_json_print(doc);
}

/* ---- all adapters ---- */

static int fail(const struct error *error)
{
    fprintf(stderr, "dapple doctor: %s\n", error->message);
    return 1;
}

/* All of the settings, or the one that is named. */
static size_t pick(const struct settings *settings, const char *wanted, struct examination *list)
{
    size_t count, picked = 0;
    const struct adapter_entry *const *adapters = settings_adapters(settings, &count);
    for (size_t i = 0; i < count; i++) {
        if (wanted == NULL || adapter_entry_is(adapters[i], wanted))
            list[picked++].entry = adapters[i];
    }
    return picked;
}

static int doctor_all(const struct settings *settings, const char *cwd, const struct options *options)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    size_t most;
    settings_adapters(settings, &most);
    struct examination *list = xcalloc(most + 1, sizeof *list);
    size_t count = pick(settings, options->adapter, list);
    struct examination_place place = { .cwd = cwd, .surroundings = settings_surroundings(settings) };
    int status = 1;
    if (count == 0) {
        fprintf(stderr, "dapple doctor: there is no adapter %s (dapple doctor lists them)\n", options->adapter);
    } else if (examine(list, count, &place, &error) < 0) {
        fail(&error);
    } else {
        (options->json ? print_json : print_table)(list, count, settings_warnings(settings));
        status = count_of(list, count, FINDING_WORKS) > 0 ? 0 : 1;
    }
    for (size_t i = 0; i < count; i++)
        examination_done(&list[i]);
    free(list);
    return status;
}

/* ---- the command line ---- */

static int wrong_usage(const char *what, const char *word)
{
    fprintf(stderr, "dapple doctor: %s \"%s\" (dapple doctor --help tells more)\n", what, word);
    return 2;
}

static int read_options(int argc, char **argv, struct options *ret)
{
    *ret = (struct options){ 0 };
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];
        if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
            ret->help = true;
        else if (strcmp(word, "--json") == 0)
            ret->json = true;
        else if (strncmp(word, "--adapter=", 10) == 0)
            ret->adapter = word + 10;
        else if (strcmp(word, "--adapter") == 0 && i + 1 < argc)
            ret->adapter = argv[++i];
        else if (strcmp(word, "--adapter") == 0)
            return wrong_usage("an adapter must follow", word);
        else if (word[0] == '-')
            return wrong_usage("there is no option", word);
        else if (ret->program != NULL)
            return wrong_usage("one program at a time; what is", word);
        else
            ret->program = word;
    }
    return 0;
}

int doctor_main(int argc, char **argv)
{
    struct options options;
    int status = read_options(argc, argv, &options);
    if (status != 0)
        return status;
    if (options.help) {
        fputs(usage, stdout);
        return 0;
    }
    AUTO_FREE char *cwd = getcwd(NULL, 0);
    if (cwd == NULL) {
        fputs("dapple doctor: the working folder is gone\n", stderr);
        return 1;
    }
    struct settings *settings = settings_read(cwd);
    AUTO_FREE char *program = options.program != NULL ? path_absolute(options.program, cwd) : NULL;
    status = program != NULL ? doctor_program(settings, cwd, program, options.adapter, options.json)
                             : doctor_all(settings, cwd, &options);
    settings_free(settings);
    return status;
}
