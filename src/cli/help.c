#include "cli/help.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "cli/command_line.h"
#include "cli/near_word.h"
#include "cli/words.h"
#include "verb/verb.h"
#include "json/json.h"

#include <ctype.h>
#include <string.h>

#define LINE 100 /* the longest of names */

const struct help_command help_commands[] = {
    { "run", "session", "launch, report each stop, go on to the end",
      "dapple run PROGRAM [--break FILE:LINE]... [--each EXPR]... [--stops N] [--timeout TIME] [launch's flags] [-- ARGUMENT...]\n"
      "\n"
      "Launches a program, reports each stop (with the values of the expressions) and goes on, until the program ends or has "
      "stopped N times.\n"
      "Then the session is ended. Its status is that of the last step.\n"
      "\n"
      "examples:\n"
      "  dapple run app.py --break app.py:42 --each total\n" },
    { "break", "breakpoints", "add, list, remove, clear, enable, disable breakpoints",
      "dapple break FILE:LINE [if CONDITION] [hit COUNT] [log TEXT]   add one; FILE:/text/ for the line that has the text in it\n"
      "dapple break FUNCTION [if CONDITION]                           at the entry of a function\n"
      "dapple break [list]                                            all, with their numbers\n"
      "dapple break remove NUMBER|FILE:LINE|FUNCTION\n"
      "dapple break clear [FILE]                                      all, or those of a file\n"
      "dapple break enable|disable [NUMBER]                           one, or all\n"
      "\n"
      "The flags are those of dapple help add-breakpoint, remove-breakpoint and enable-breakpoint.\n"
      "\n"
      "examples:\n"
      "  dapple break 'app.py:50 if n > 3'\n"
      "  dapple break app.py:50 log 'n={n}'\n"
      "  dapple break remove app.py:50\n" },
    { "daemon", NULL, "the process that keeps the sessions: status, stop",
      "dapple daemon status   is it there, and what does it debug?\n"
      "dapple daemon stop     end it, and all sessions with it\n"
      "\n"
      "The first command that needs it starts it; it ends by itself after ten minutes without a session (daemonIdleMs in the "
      "settings).\n" },
    { "log", NULL, "show the daemon's log",
      "dapple log\n\nDAPPLE_LOG=debug in the environment of the command that starts the daemon makes it say more.\n" },
    { "doctor", NULL, "which adapters work here, how a program is launched", "dapple doctor [--json] [PROGRAM]\n" },
    { "trust", NULL, "let a project's settings name commands", "dapple trust [DIR] | --list | --remove [DIR]\n" },
    { "mcp", NULL, "serve the debugger to an agent over stdin and stdout", "dapple mcp [OPTION]...   (dapple mcp --help)\n" },
    { "help", NULL, "what a command does, with its flags and examples", "dapple help [COMMAND]\n" },
    { NULL, NULL, NULL, NULL },
};

static const struct {
    const char *group, *heading;
    bool names_only; /* a line for each would make it longer than a screen */
} groups[] = {
    { "session", "programs and sessions", false },
    { "run", "run", false },
    { "look", "look", false },
    { "change", "change", false },
    { "breakpoints", "breakpoints", true },
    { "seldom", "also", true },
    { "machine", "memory and instructions", true },
};

/* ---- all commands ---- */

static void write_row(FILE *out, const char *name, const char *summary)
{
    fprintf(out, "  %-12s %s\n", name, summary);
}

static void write_name(FILE *out, const char *name, size_t *column)
{
    size_t len = strlen(name) + 2;
    if (*column == 0 || *column + len > LINE) {
        fputs(*column == 0 ? "  " : "\n  ", out);
        *column = 2;
    }
    fprintf(out, "%s%s", *column > 2 ? "  " : "", name);
    *column += len;
}

static void write_group(FILE *out, const char *group, const char *heading, bool names_only)
{
    size_t column = 0, shown = 0;
    for (const struct help_command *command = help_commands; command->name != NULL; command++) {
        if (command->group == NULL || strcmp(command->group, group) != 0)
            continue;
        if (shown++ == 0)
            fprintf(out, "%s\n", heading);
        write_row(out, command->name, command->summary);
    }
    for (size_t i = 0; i < verb_count; i++) {
        if (strcmp(verb_table[i].cli.group, group) != 0)
            continue;
        if (shown++ == 0)
            fprintf(out, "%s\n", heading);
        if (names_only)
            write_name(out, verb_table[i].cli.verb, &column);
        else
            write_row(out, verb_table[i].cli.verb, verb_table[i].cli.summary);
    }
    if (column > 0)
        fputc('\n', out);
}

void help_write(FILE *out)
{
    fputs("Dapple " DAPPLE_VERSION
          ", a debugger for coding agents and people\n\nusage: dapple COMMAND [WORD]... [--session NAME] [--json]\n",
          out);
    for (size_t i = 0; i < COUNT_OF(groups); i++)
        write_group(out, groups[i].group, groups[i].heading, groups[i].names_only);
    fputs("more commands\n", out);
    for (const struct help_command *command = help_commands; command->name != NULL; command++)
        if (command->group == NULL)
            write_row(out, command->name, command->summary);
    fputs("\ndapple help COMMAND has flags and examples. Status: 0 done, 1 failed, 2 usage, 3 wrong state, 4 adapter or daemon.\n",
          out);
}

/* ---- one command ---- */

static char *upper(const char *argument)
{
    char *text = xstrdup(argument);
    for (char *at = text; *at != '\0'; at++)
        *at = (char)toupper((unsigned char)*at);
    return text;
}

static bool is_positional(const struct verb *verb, const char *argument)
{
    const char *const *name = verb->cli.positional;
    while (*name != NULL && strcmp(*name, argument) != 0)
        name++;
    return *name != NULL;
}

static bool is_required(yyjson_val *schema, const char *argument)
{
    size_t index, count;
    yyjson_val *item;
    yyjson_arr_foreach(json_array(schema, "required"), index, count, item) {
        if (yyjson_equals_str(item, argument))
            return true;
    }
    return false;
}

static void write_usage(FILE *out, const struct verb *verb, yyjson_val *schema)
{
    yyjson_val *properties = json_object(schema, "properties");
    fprintf(out, "dapple %s", verb->cli.verb);
    for (const char *const *name = verb->cli.positional; *name != NULL; name++) {
        AUTO_FREE char *shown = upper(*name);
        bool is_list = strcmp(json_string(yyjson_obj_get(properties, *name), "type"), "array") == 0;
        bool needed = is_required(schema, *name);
        fprintf(out, " %s%s%s%s", needed ? "" : "[", shown, is_list ? "..." : "", needed ? "" : "]");
    }
    fputs(" [FLAG]...\n", out);
}

static const char *value_word(const char *argument, yyjson_val *schema)
{
    const char *type = json_string(schema, "type");
    size_t len = strlen(argument);
    if (strcmp(type, "boolean") == 0)
        return "";
    if (len > 3 && strcmp(argument + len - 3, "_ms") == 0)
        return " TIME";
    if (strcmp(type, "integer") == 0)
        return " NUMBER";
    if (strcmp(type, "object") == 0)
        return json_object(schema, "properties") == NULL ? " NAME=VALUE" : " JSON";
    if (strcmp(type, "array") == 0 && strcmp(json_string(json_object(schema, "items"), "type"), "object") == 0)
        return " FILE:LINE";
    return " TEXT";
}

static void write_flag(FILE *out, const struct verb *verb, const char *argument, yyjson_val *schema)
{
    AUTO_FREE char *flag = command_line_flag(verb, argument);
    AUTO_FREE char *shown = xasprintf("%s%s", flag, value_word(argument, schema));
    AUTO_BUFFER struct buffer words;
    buffer_init(&words, LIMIT_TEXT_BYTES);
    yyjson_val *choices = json_array(schema, "enum");
    size_t index, count;
    yyjson_val *choice;
    yyjson_arr_foreach(choices, index, count, choice)
        buffer_addf(&words, "%s%s", index > 0 ? "|" : "", yyjson_is_str(choice) ? yyjson_get_str(choice) : "true");
    const char *description = json_string(schema, "description");
    if (description != NULL)
        buffer_addf(&words, "%s%s", words.len > 0 ? ": " : "", description);
    AUTO_BUFFER struct buffer own;
    buffer_init(&own, LIMIT_TEXT_BYTES);
    words_write(&own, words.data);
    fprintf(out, "  %-26s %s%s\n", shown, own.data, strcmp(json_string(schema, "type"), "array") == 0 ? " (may be repeated)" : "");
}

void help_write_verb(FILE *out, const struct verb *verb)
{
    yyjson_doc *doc = yyjson_read(verb->arguments_schema, strlen(verb->arguments_schema), 0);
    yyjson_val *schema = yyjson_doc_get_root(doc);
    write_usage(out, verb, schema);
    AUTO_BUFFER struct buffer summary;
    buffer_init(&summary, LIMIT_TEXT_BYTES);
    words_write(&summary, verb->summary);
    fprintf(out, "\n%s\n\nflags:\n", summary.data);
    size_t index, count;
    yyjson_val *key, *value;
    json_obj_foreach(json_object(schema, "properties"), index, count, key, value) {
        if (!is_positional(verb, yyjson_get_str(key)))
            write_flag(out, verb, yyjson_get_str(key), value);
    }
    fprintf(out, "  %-26s the result as JSON, in one line\n\nexamples:\n", "--json");
    for (const char *const *example = verb->cli.examples; *example != NULL; example++)
        fprintf(out, "  %s\n", *example);
    yyjson_doc_free(doc);
}

int help_main(int argc, char **argv)
{
    if (argc < 2) {
        help_write(stdout);
        return 0;
    }
    const struct verb *verb = command_line_verb(argv[1]);
    if (verb != NULL) {
        help_write_verb(stdout, verb);
        return 0;
    }
    for (const struct help_command *command = help_commands; command->name != NULL; command++) {
        if (strcmp(command->name, argv[1]) == 0) {
            fputs(command->usage, stdout);
            return 0;
        }
    }
    fprintf(stderr, "dapple: there is no command \"%s\" (dapple --help lists them)\n", argv[1]);
    return 2;
}
