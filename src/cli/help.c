#include "cli/help.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "cli/command.h"
#include "cli/command_line.h"
#include "cli/near_word.h"
#include "cli/words.h"
#include "verb/verb.h"
#include "json/json.h"

#include <ctype.h>
#include <string.h>

#define LINE 100      /* the longest */
#define FLAG_WIDTH 26 /* of the flags before their meaning */

const struct help_command help_commands[] = {
    { "run", "session", "launch, report each stop, go on to the end",
      "dapple run PROGRAM [--break FILE:LINE|FUNCTION]... [--each EXPR]... [--stops N] [--timeout TIME] [launch's flags] [-- "
      "ARGUMENT...]\n"
      "\n"
      "Launches a program, reports each stop (with the values of the expressions) and goes on, until the program ends or has "
      "stopped N times.\n"
      "Then the session is ended. The status is 1 when the program failed, or a wait was over.\n"
      "\n"
      "examples:\n"
      "  dapple run app.py --break app.py:42 --each total\n" },
    { "break", "breakpoints", "add, list, remove, clear, enable, disable breakpoints",
      "dapple break FILE:LINE [if CONDITION] [hit COUNT] [log TEXT]   add one; FILE:/text/ for the line that has the text in it\n"
      "dapple break FILE:LINE FILE:LINE...                            several\n"
      "dapple break FUNCTION [if CONDITION]                           at the entry of a function\n"
      "dapple break [list]                                            all, with their numbers\n"
      "dapple break remove NUMBER|FILE:LINE|FUNCTION...               also: delete\n"
      "dapple break clear [FILE]                                      all, or those of a file\n"
      "dapple break enable|disable [NUMBER...]                        some, or all\n"
      "\n"
      "also: dapple b. The flags are those of dapple help add-breakpoint, remove-breakpoint and enable-breakpoint. A shell takes "
      ">, <, &, *, (\n"
      "and quotes for itself: put a condition that has one of them between quotes.\n"
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
    { "log", "more", "show the daemon's log",
      "dapple log\n\nDAPPLE_LOG=debug in the environment of the command that starts the daemon makes it say more.\n" },
    { "doctor", NULL, "which adapters work here, how a program is launched", "dapple doctor [--json] [PROGRAM]\n" },
    { "trust", NULL, "let a project's settings name commands", "dapple trust [DIR] | --list | --remove [DIR]\n" },
    { "mcp", NULL, "serve the debugger to an agent over stdin and stdout", "dapple mcp [OPTION]...   (dapple mcp --help)\n" },
    { "skill", NULL, "print or install SKILL.md, which teaches an agent to debug",
      "dapple skill                               prints it\n"
      "dapple skill --install [DIR] [--force]     writes it to DIR/dapple/SKILL.md; DIR is a folder of skills (default "
      ".claude/skills)\n"
      "dapple skill --install --user [--force]    the same in ~/.claude/skills, for all projects\n"
      "\n"
      "A file that is not as dapple wrote it is only replaced with --force.\n" },
    { "man", "more", "print the manual, for man -l -", "dapple man\n\nThe manual dapple(1) as roff: dapple man | man -l -\n" },
    { "completion", "more", "completion of commands, flags and sessions for a shell",
      "dapple completion bash|zsh|fish\n"
      "\n"
      "Prints a script for the shell. To have it in each new one:\n"
      "  bash  eval \"$(dapple completion bash)\" in ~/.bashrc\n"
      "  zsh   eval \"$(dapple completion zsh)\" in ~/.zshrc, after compinit\n"
      "  fish  dapple completion fish >~/.config/fish/completions/dapple.fish\n" },
    { "help", "more", "what a command does, with its flags and examples", "dapple help [COMMAND]\n" },
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
    size_t column = 0;
    for (const struct help_command *command = help_commands; command->name != NULL; command++)
        if (command->group != NULL && strcmp(command->group, "more") == 0)
            write_name(out, command->name, &column);
    fputc('\n', out);
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

bool help_is_positional(const struct verb *verb, const char *argument)
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

char *help_usage(const struct verb *verb, yyjson_val *schema)
{
    yyjson_val *properties = json_object(schema, "properties");
    struct buffer usage;
    buffer_init(&usage, LIMIT_TEXT_BYTES);
    buffer_addf(&usage, "dapple %s", verb->cli.verb);
    for (const char *const *name = verb->cli.positional; *name != NULL; name++) {
        AUTO_FREE char *shown = upper(*name);
        bool is_list = strcmp(json_string(yyjson_obj_get(properties, *name), "type"), "array") == 0;
        bool needed = is_required(schema, *name) || (verb->at_least_one != NULL && strcmp(verb->at_least_one[0], *name) == 0);
        buffer_addf(&usage, " %s%s%s%s", needed ? "" : "[", shown, is_list ? "..." : "", needed ? "" : "]");
    }
    buffer_add(&usage, " [FLAG]...");
    return buffer_take(&usage, NULL);
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

/* Lines of at most LINE bytes, the first of which has begun at `column`; a command stays in one. */
static void write_wrapped(FILE *out, const char *text, int column)
{
    static const char ours[] = "dapple ";
    int at = column;
    while (*text != '\0') {
        size_t len = strncmp(text, ours, sizeof(ours) - 1) == 0 ? sizeof(ours) - 1 : 0;
        len += strcspn(text + len, " ");
        if (at > column && at + 1 + (int)len > LINE) {
            fprintf(out, "\n%*s", column, "");
            at = column;
        }
        at += fprintf(out, "%s%.*s", at > column ? " " : "", (int)len, text);
        text += len + (text[len] == ' ' ? 1 : 0);
    }
    fputc('\n', out);
}

/* "(default 30000)" of an argument in milliseconds: there the flag takes seconds. */
static void write_description(struct buffer *out, const char *argument, const char *description)
{
    static const char head[] = "(default ";
    size_t len = strlen(argument);
    const char *number = len > 3 && strcmp(argument + len - 3, "_ms") == 0 ? strstr(description, head) : NULL;
    char *end = NULL;
    unsigned long long milliseconds = number != NULL ? strtoull(number + sizeof(head) - 1, &end, 10) : 0;
    if (milliseconds >= 1000 && milliseconds % 1000 == 0 && *end == ')')
        buffer_addf(out, "%.*s%s%llus%s", (int)(number - description), description, head, milliseconds / 1000, end);
    else
        buffer_add(out, description);
}

static const struct verb *any_with(const char *member)
{
    for (size_t i = 0; i < verb_count; i++)
        if (strstr(verb_table[i].arguments_schema, member) != NULL)
            return &verb_table[i];
    return NULL;
}

/* The names of arguments, the operation's own before those of others, as they are typed: "frame_id" is --frame. */
static void write_names(struct buffer *out, const struct verb *verb, const char *text)
{
    while (*text != '\0') {
        size_t len = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
        AUTO_FREE char *word = xstrndup(text, len);
        AUTO_FREE char *member = xasprintf("\"%s\":{", word);
        const struct verb *of = strchr(word, '_') == NULL                        ? NULL
                                : strstr(verb->arguments_schema, member) != NULL ? verb
                                                                                 : any_with(member);
        AUTO_FREE char *flag = of != NULL ? command_line_name(of, word) : NULL;
        buffer_add(out, flag != NULL ? flag : word);
        text += len;
        if (len == 0)
            buffer_addc(out, *text++);
    }
}

char *help_summary(const struct verb *verb)
{
    struct buffer own;
    AUTO_BUFFER struct buffer words;
    buffer_init(&words, LIMIT_TEXT_BYTES);
    buffer_init(&own, LIMIT_TEXT_BYTES);
    words_write(&words, NULL, verb->summary);
    write_names(&own, verb, words.data);
    return buffer_take(&own, NULL);
}

char *help_flag_meaning(const struct verb *verb, const char *argument, yyjson_val *schema)
{
    struct buffer own;
    AUTO_BUFFER struct buffer words, translated;
    buffer_init(&words, LIMIT_TEXT_BYTES);
    buffer_init(&translated, LIMIT_TEXT_BYTES);
    buffer_init(&own, LIMIT_TEXT_BYTES);
    const char *description = json_string(schema, "description");
    if (description != NULL)
        write_description(&words, argument, description);
    if (strcmp(json_string(schema, "type"), "array") == 0)
        buffer_add(&words, words.len > 0 ? " (may be repeated)" : "(may be repeated)");
    words_write(&translated, NULL, words.len > 0 ? words.data : "");
    write_names(&own, verb, translated.len > 0 ? translated.data : "");
    return buffer_take(&own, NULL);
}

char *help_flag(const struct verb *verb, const char *argument, yyjson_val *schema)
{
    AUTO_FREE char *flag = command_line_flag(verb, argument);
    yyjson_val *choices = json_array(schema, "enum"), *choice;
    if (strcmp(json_string(schema, "type"), "string") != 0 || choices == NULL)
        return xasprintf("%s%s", flag, value_word(argument, schema));
    struct buffer words;
    buffer_init(&words, LIMIT_TEXT_BYTES);
    buffer_add(&words, flag);
    size_t index, count;
    yyjson_arr_foreach(choices, index, count, choice)
        buffer_addf(&words, "%c%s", index > 0 ? '|' : ' ', yyjson_get_str(choice));
    return buffer_take(&words, NULL);
}

static void write_argument(FILE *out, const char *shown, const char *meaning)
{
    bool fits = strlen(shown) <= FLAG_WIDTH;
    fprintf(out, "  %-*s%s", FLAG_WIDTH, shown, fits ? " " : "");
    if (!fits)
        fprintf(out, "\n%*s", FLAG_WIDTH + 3, "");
    write_wrapped(out, meaning, FLAG_WIDTH + 3);
}

char *help_word(const char *argument)
{
    return upper(argument);
}

static void write_words(FILE *out, const struct verb *verb, yyjson_val *properties)
{
    if (*verb->cli.positional != NULL)
        fputs("\nwords:\n", out);
    for (const char *const *name = verb->cli.positional; *name != NULL; name++) {
        AUTO_FREE char *shown = help_word(*name), *meaning = help_flag_meaning(verb, *name, yyjson_obj_get(properties, *name));
        write_argument(out, shown, meaning);
    }
}

static void write_flags(FILE *out, const struct verb *verb, yyjson_val *properties)
{
    size_t index, count;
    yyjson_val *key, *value;
    fputs("\nflags:\n", out);
    json_obj_foreach(properties, index, count, key, value) {
        const char *argument = yyjson_get_str(key);
        if (help_is_positional(verb, argument))
            continue;
        AUTO_FREE char *shown = help_flag(verb, argument, value), *meaning = help_flag_meaning(verb, argument, value);
        write_argument(out, shown, meaning);
    }
    write_argument(out, "--json", "the result as JSON, in one line");
}

char *help_aliases(const struct verb *verb)
{
    struct buffer words;
    buffer_init(&words, LIMIT_TEXT_BYTES);
    for (const struct verb_alias *alias = verb->cli.aliases; alias->word != NULL; alias++) {
        buffer_addf(&words, "%sdapple %s", words.len == 0 ? "also: " : ", ", alias->word);
        if (alias->flag != NULL)
            buffer_addf(&words, " (which is %s %s)", verb->cli.verb, alias->flag);
    }
    return words.len > 0 ? buffer_take(&words, NULL) : NULL;
}

void help_write_verb(FILE *out, const struct verb *verb)
{
    yyjson_doc *doc = yyjson_read(verb->arguments_schema, strlen(verb->arguments_schema), 0);
    yyjson_val *schema = yyjson_doc_get_root(doc), *properties = json_object(schema, "properties");
    AUTO_FREE char *usage = help_usage(verb, schema), *summary = help_summary(verb), *aliases = help_aliases(verb);
    fprintf(out, "%s\n\n", usage);
    write_wrapped(out, summary, 0);
    if (aliases != NULL)
        fprintf(out, "\n%s\n", aliases);
    write_words(out, verb, properties);
    write_flags(out, verb, properties);
    fputs("\nexamples:\n", out);
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
    const char *name = strcmp(argv[1], "b") == 0 ? "break" : argv[1];
    for (const struct help_command *command = help_commands; command->name != NULL; command++) {
        if (strcmp(command->name, name) == 0) {
            fputs(command->usage, stdout);
            return 0;
        }
    }
    return (int)command_refuse(argv[1], argv[2]);
}
