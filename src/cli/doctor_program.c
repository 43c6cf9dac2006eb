#include "cli/doctor_program.h"

#include "adapter/catalog.h"
#include "adapter/choose.h"
#include "base/buffer.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "cli/doctor_json.h"
#include "cli/doctor_text.h"
#include "cli/examination.h"
#include "config/settings.h"
#include "session/session.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>

/* What is known of the launch. */
struct advice {
    const struct settings *settings;
    const char *cwd, *program;
    struct adapter_choice choice;
    struct launch_plan *plan;
    struct buffer warnings; /* lines */
    struct examination examination;
};

/* ---- finding out ---- */

static int make_plan(struct advice *advice, const char *wanted, struct error *ret_error)
{
    size_t count;
    const struct adapter_entry *const *adapters = settings_adapters(advice->settings, &count);
    if (adapter_choose_among(adapters, count, advice->program, wanted, &advice->choice, ret_error) < 0)
        return -1;
    struct adapter_request request = {
        .program = advice->program,
        .cwd = advice->cwd,
        .surroundings = settings_surroundings(advice->settings),
    };
    return adapter_plan(advice->choice.entry, &request, &advice->plan, &advice->warnings, ret_error);
}

static int find_out(struct advice *advice, const char *wanted, struct error *ret_error)
{
    buffer_add(&advice->warnings, settings_warnings(advice->settings));
    if (make_plan(advice, wanted, ret_error) < 0)
        return -1;
    struct examination_place place = {
        .cwd = advice->cwd,
        .program = advice->program,
        .surroundings = settings_surroundings(advice->settings),
    };
    advice->examination.entry = advice->choice.entry;
    return examine(&advice->examination, 1, &place, ret_error);
}

static void advice_done(struct advice *advice)
{
    adapter_choice_done(&advice->choice);
    launch_plan_free(advice->plan);
    examination_done(&advice->examination);
    buffer_done(&advice->warnings);
}

/* ---- words ---- */

static const char *transport_words(const struct adapter_command *command)
{
    switch (command->transport) {
    case SESSION_STDIO:
        return "over its stdin and stdout";
    case SESSION_TCP:
        if (command->port != 0)
            return "over TCP, at a fixed port";
        return command->announcement != NULL ? "over TCP, at the port that it announces" : "over TCP; $PORT is a free port";
    case SESSION_TCP_ACCEPT:
        return "over TCP, to which it connects itself; $PORT is a free port";
    case SESSION_UNIX:
        return "over a Unix socket; $SOCKET is its path, in a private folder";
    case SESSION_CONNECT:
        break;
    }
    return "over TCP, where it runs already";
}

/* ---- as text ---- */

static void print_command(char *const *argv)
{
    AUTO_FREE char *words = shell_words(argv);
    print_label("command");
    print_line(words);
}

static bool has(char *const *list, const char *text)
{
    while (*list != NULL && strcmp(*list, text) != 0)
        list++;
    return *list != NULL;
}

/* The many variables that every program gets are only counted. */
static void print_environment(const struct advice *advice, char *const *env)
{
    char *const *usual = settings_surroundings(advice->settings);
    AUTO_BUFFER struct buffer line;
    buffer_init(&line, LIMIT_TEXT_BYTES);
    size_t counted = 0;
    for (char *const *change = env; *change != NULL; change++) {
        AUTO_FREE char *word = shell_words((char *[]){ *change, NULL });
        if (has(usual, *change))
            counted++;
        else
            buffer_addf(&line, "%s%s", line.len > 0 ? " " : "", word);
    }
    if (counted > 0)
        buffer_addf(&line, "%s%zu variables that keep programs from asking and paging (nonInteractive; --json lists them)",
                    line.len > 0 ? ", and " : "", counted);
    if (line.len > 0)
        print_entry("with", line.data);
}

static void print_adapter(const struct advice *advice)
{
    const struct examination *examination = &advice->examination;
    AUTO_FREE char *adapter =
        xasprintf("%s%s%s, because: %s", adapter_entry_id(advice->choice.entry), examination->version != NULL ? " " : "",
                  examination->version != NULL ? examination->version : "", advice->choice.reason);
    AUTO_FREE char *runner =
        examination->found.interpreter != NULL ? xasprintf(", run by %s", examination->found.interpreter) : xstrdup("");
    AUTO_FREE char *found = xasprintf("%s%s", examination->found.path, runner);
    AUTO_FREE char *works = xasprintf("yes: it answered \"initialize\" after %llu ms", (unsigned long long)examination->answer_ms);
    print_entry("program", advice->program);
    print_entry("adapter", adapter);
    print_entry("found", found);
    print_entry("works", examination->finding == FINDING_WORKS ? works : examination->fault);
    if (examination->finding != FINDING_WORKS)
        print_quoted(LABEL_COLUMN, examination->said);
}

static void print_arguments(const yyjson_mut_doc *arguments)
{
    AUTO_FREE char *text = json_write_pretty(arguments, NULL);
    char *rest = text;
    print_label("arguments");
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        print_line(line);
        if (rest != NULL)
            print_indent(LABEL_COLUMN);
    }
}

static void print_plan(const struct advice *advice)
{
    const struct launch_plan *plan = advice->plan;
    print_command(plan->command.argv);
    print_entry("folder", plan->command.cwd);
    print_environment(advice, plan->command.env);
    print_entry("spoken to", transport_words(&plan->command));
    print_arguments(plan->arguments);
}

static const char *source_words(const struct settings_source *source)
{
    if (!source->is_project)
        return "yours";
    if (!source->names_commands)
        return "the project's; names no commands";
    return source->trusted ? "the project's; trusted" : "the project's; not trusted, so its adapters and profiles do not count";
}

static void print_settings(const struct settings *settings)
{
    struct settings_source sources[SETTINGS_SOURCES];
    size_t count = settings_sources(settings, sources);
    for (size_t i = 0; i < count; i++) {
        AUTO_FREE char *line = xasprintf("%s (%s)", sources[i].path, source_words(&sources[i]));
        print_entry(i == 0 ? "settings" : "", line);
    }
    if (count == 0)
        print_entry("settings", "none: there is no file of yours or of the project");
}

static void print_profiles(const struct settings *settings)
{
    AUTO_BUFFER struct buffer names;
    const struct launch_profile *profile;
    buffer_init(&names, LIMIT_TEXT_BYTES);
    for (size_t i = 0; (profile = settings_profile_at(settings, i)) != NULL; i++)
        buffer_addf(&names, "%s%s (%s)", i > 0 ? ", " : "; there are: ", profile->id, profile->adapter);
    AUTO_FREE char *line = xasprintf("none, since a program is given and no profile is named%s", names.data);
    print_entry("profile", line);
}

static void print_advice(const struct advice *advice, const struct error *error)
{
    if (error != NULL) {
        print_entry("program", advice->program);
        print_entry("cannot", error->message);
    } else {
        print_adapter(advice);
        print_plan(advice);
    }
    print_settings(advice->settings);
    print_profiles(advice->settings);
    print_warnings(advice->warnings.data);
}

/* ---- as JSON ---- */

static yyjson_mut_val *strings(yyjson_mut_doc *doc, char *const *list)
{
    yyjson_mut_val *array = yyjson_mut_arr(doc);
    for (char *const *item = list; item != NULL && *item != NULL; item++)
        yyjson_mut_arr_append(array, json_new_string(doc, *item, strlen(*item)));
    return array;
}

static yyjson_mut_val *command_object(yyjson_mut_doc *doc, const struct adapter_command *command)
{
    static const char *const transports[] = { [SESSION_STDIO] = "stdio",
                                              [SESSION_TCP] = "tcp",
                                              [SESSION_TCP_ACCEPT] = "accept",
                                              [SESSION_UNIX] = "unix",
                                              [SESSION_CONNECT] = "connect" };
    yyjson_mut_val *object = yyjson_mut_obj(doc);
    json_add_value(doc, object, "argv", strings(doc, command->argv));
    json_add_string(doc, object, "cwd", command->cwd);
    json_add_value(doc, object, "env", strings(doc, command->env));
    json_add_string(doc, object, "transport", transports[command->transport]);
    return object;
}

static yyjson_mut_val *sources_array(yyjson_mut_doc *doc, const struct settings *settings)
{
    struct settings_source sources[SETTINGS_SOURCES];
    size_t count = settings_sources(settings, sources);
    yyjson_mut_val *array = yyjson_mut_arr(doc);
    for (size_t i = 0; i < count; i++) {
        yyjson_mut_val *object = yyjson_mut_arr_add_obj(doc, array);
        json_add_string(doc, object, "path", sources[i].path);
        json_add_bool(doc, object, "project", sources[i].is_project);
        json_add_bool(doc, object, "trusted", sources[i].trusted);
    }
    return array;
}

static yyjson_mut_val *profiles_array(yyjson_mut_doc *doc, const struct settings *settings)
{
    yyjson_mut_val *array = yyjson_mut_arr(doc);
    const struct launch_profile *profile;
    for (size_t i = 0; (profile = settings_profile_at(settings, i)) != NULL; i++)
        yyjson_mut_arr_append(array, json_new_string(doc, profile->id, strlen(profile->id)));
    return array;
}

static void print_json(const struct advice *advice, const struct error *error)
{
    yyjson_mut_val *root;
    yyjson_mut_doc *doc = json_new_object(&root);
    json_add_string(doc, root, "program", advice->program);
    if (error != NULL) {
        json_add_string(doc, root, "error", error->message);
    } else {
        json_add_value(doc, root, "adapter", doctor_json_adapter(doc, &advice->examination));
        json_add_string(doc, root, "chosen_because", advice->choice.reason);
        json_add_value(doc, root, "command", command_object(doc, &advice->plan->command));
        json_add_value(doc, root, "arguments", yyjson_mut_val_mut_copy(doc, yyjson_mut_doc_get_root(advice->plan->arguments)));
    }
    json_add_value(doc, root, "settings", sources_array(doc, advice->settings));
    json_add_value(doc, root, "profiles", profiles_array(doc, advice->settings));
    json_add_value(doc, root, "warnings", doctor_json_lines(doc, advice->warnings.data));
    doctor_json_print(doc);
}

/* ---- the interface ---- */

int doctor_program(const struct settings *settings, const char *cwd, const char *program, const char *adapter, bool json)
{
    AUTO_ERROR struct error error = ERROR_INIT;
    struct advice advice = { .settings = settings, .cwd = cwd, .program = program };
    buffer_init(&advice.warnings, LIMIT_TEXT_BYTES * 2);
    bool can = find_out(&advice, adapter, &error) == 0;
    (json ? print_json : print_advice)(&advice, can ? NULL : &error);
    bool works = can && advice.examination.finding == FINDING_WORKS;
    advice_done(&advice);
    return works ? 0 : 1;
}
