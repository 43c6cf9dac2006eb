#include "cli/manual.h"

#include "base/memory.h"
#include "base/utf8.h"
#include "cli/help.h"
#include "verb/verb.h"
#include "json/json.h"

#include <stdio.h>
#include <string.h>

/* ---- roff ---- */

/* A character beyond ASCII by its number: not every reader of roff takes UTF-8. Returns how many bytes it has. */
static size_t put_character(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t len = utf8_char_len(text, strlen(text));
    unsigned code = len == 2 ? bytes[0] & 0x1fU : len == 3 ? bytes[0] & 0x0fU : bytes[0] & 0x07U;
    for (size_t i = 1; i < len; i++)
        code = code << 6 | (bytes[i] & 0x3fU);
    printf("\\[u%04X]", code);
    return len;
}

/* A line that begins with a dot or a quote would be a request; a bare dash, quote or hat becomes another character in print. */
static void put_text(const char *text)
{
    static const struct {
        char byte;
        const char *roff;
    } escapes[] = { { '\\', "\\e" }, { '-', "\\-" }, { '\'', "\\(aq" }, { '`', "\\(ga" }, { '^', "\\(ha" }, { '~', "\\(ti" } };
    bool begins = true;
    for (; *text != '\0'; text++) {
        size_t i = 0;
        while (i < COUNT_OF(escapes) && escapes[i].byte != *text)
            i++;
        if (begins && *text == '.')
            fputs("\\&", stdout);
        if ((unsigned char)*text >= 0x80)
            text += put_character(text) - 1;
        else if (i < COUNT_OF(escapes))
            fputs(escapes[i].roff, stdout);
        else
            putchar(*text);
        begins = *text == '\n';
    }
}

static void put_line(const char *text)
{
    put_text(text);
    putchar('\n');
}

static void put_bold(const char *text)
{
    fputs("\\fB", stdout);
    put_text(text);
    puts("\\fR");
}

static void put_row(const char *term, const char *meaning)
{
    puts(".TP");
    put_bold(term);
    put_line(meaning);
}

/* Text as it stands, in lines. */
static void put_block(const char *text)
{
    puts(".RS\n.nf");
    put_text(text);
    puts(".fi\n.RE");
}

/* ---- one command ---- */

static void put_words(const struct verb *verb, yyjson_val *schema)
{
    for (const char *const *name = verb->cli.positional; *name != NULL; name++) {
        yyjson_val *value = yyjson_obj_get(json_object(schema, "properties"), *name);
        AUTO_FREE char *shown = help_word(*name), *meaning = help_flag_meaning(verb, *name, value);
        put_row(shown, meaning);
    }
}

static void put_flags(const struct verb *verb, yyjson_val *schema)
{
    size_t index, count;
    yyjson_val *key, *value;
    json_obj_foreach(json_object(schema, "properties"), index, count, key, value) {
        const char *argument = yyjson_get_str(key);
        if (help_is_positional(verb, argument) || strcmp(argument, "session") == 0)
            continue;
        AUTO_FREE char *flag = help_flag(verb, argument, value), *meaning = help_flag_meaning(verb, argument, value);
        put_row(flag, meaning);
    }
}

static void put_operation(const struct verb *verb)
{
    yyjson_doc *doc = yyjson_read(verb->arguments_schema, strlen(verb->arguments_schema), 0);
    AUTO_FREE char *usage = help_usage(verb, yyjson_doc_get_root(doc));
    AUTO_FREE char *summary = help_summary(verb), *aliases = help_aliases(verb);
    printf(".SS ");
    put_line(usage);
    put_line(summary);
    if (aliases != NULL) {
        puts(".PP");
        put_line(aliases);
    }
    put_words(verb, yyjson_doc_get_root(doc));
    put_flags(verb, yyjson_doc_get_root(doc));
    puts(".PP");
    for (const char *const *example = verb->cli.examples; *example != NULL; example++) {
        AUTO_FREE char *line = xasprintf("%s\n", *example);
        put_block(line);
    }
    yyjson_doc_free(doc);
}

static void put_command(const struct help_command *command)
{
    AUTO_FREE char *head = xasprintf("dapple %s", command->name);
    printf(".SS ");
    put_line(head);
    put_line(command->summary);
    puts(".PP");
    put_block(command->usage);
}

/* ---- the other sections ---- */

struct row {
    const char *term, *meaning;
};

static const struct row statuses[] = {
    { "0", "done; also when a wait was over and the program goes on" },
    { "1", "the operation failed: an expression that has no value, a refusal of the debugger's" },
    { "2", "usage: a word or a value that cannot be" },
    { "3", "no such session, or a state in which this is not possible" },
    { "4", "no daemon, or no adapter, or one that broke down" },
    { "130", "Ctrl-C: the wait ended, the program goes on" },
};

static const struct row variables[] = {
    { "DAPPLE_SESSION", "the session, where --session is not given" },
    { "DAPPLE_RUNTIME_DIR", "the folder of the daemon's socket and log, in place of $XDG_RUNTIME_DIR/dapple or /tmp/dapple-UID" },
    { "DAPPLE_ADAPTERS", "a folder with adapters, looked at before all others" },
    { "DAPPLE_LOG", "how much the log says: error, warn, info, debug" },
    { "NO_COLOR", "no colours on a terminal" },
};

static const struct row files[] = {
    { "~/.config/dapple/settings.json", "what the user has set: adapters, launch profiles, time-outs" },
    { ".dapple/settings.json", "the same of a project; commands in it count after \"dapple trust\"" },
    { "$XDG_RUNTIME_DIR/dapple", "the daemon's folder" },
};

static void put_rows(const char *heading, const struct row *rows, size_t count)
{
    printf(".SH %s\n", heading);
    for (size_t i = 0; i < count; i++)
        put_row(rows[i].term, rows[i].meaning);
}

static void put_beginning(void)
{
    puts(".TH DAPPLE 1 \"\" \"dapple " DAPPLE_VERSION "\" \"User Commands\"\n"
         ".SH NAME\n"
         "dapple \\- a debugger for coding agents and people\n"
         ".SH SYNOPSIS\n"
         ".B dapple\n"
         ".I COMMAND\n"
         "[\\fIWORD\\fR]... [\\fB\\-\\-session\\fR \\fINAME\\fR] [\\fB\\-\\-json\\fR]\n"
         ".SH DESCRIPTION");
    put_line(
        "Dapple debugs programs in many languages through the Debug Adapter Protocol. Each command is one call: it waits until the "
        "program stands still again, and shows where it is and why, the source around it, its variables, and what it has printed.");
    puts(".PP");
    put_line("The programs are kept between the commands by a daemon of the user's, which the first command starts and which ends "
             "by itself. "
             "Each of them has a name, its session; it is \"main\" where --session names no other.");
    puts(".PP");
    put_line("These flags belong to all commands that are performed by the daemon:");
    put_row("--session NAME", "the session (default $DAPPLE_SESSION, else main)");
    put_row("--json", "the result as JSON, in one line, also of a failure; --json=both has the text in it, too");
    put_row("--help", "flags and examples of the command");
    puts(".PP");
    put_line("A flag's value is the next word, or stands after =. A flag that takes none is turned round by --no-NAME. A TIME has "
             "a unit (30s, "
             "500ms, 2m), or counts seconds. FILE:LINE can be followed by \"if CONDITION\", \"hit COUNT\" or \"log TEXT\". All "
             "words after -- "
             "are no flags.");
}

int man_main(int argc, char **argv)
{
    (void)argv;
    if (argc > 1) {
        fputs("usage: dapple man\n", stderr);
        return 2;
    }
    put_beginning();
    puts(".SH COMMANDS");
    for (const struct help_command *command = help_commands; command->name != NULL; command++)
        put_command(command);
    for (size_t i = 0; i < verb_count; i++)
        put_operation(&verb_table[i]);
    put_rows("EXIT STATUS", statuses, COUNT_OF(statuses));
    put_rows("ENVIRONMENT", variables, COUNT_OF(variables));
    put_rows("FILES", files, COUNT_OF(files));
    puts(".SH EXAMPLES");
    put_line("A program from its start to its end:");
    put_block("dapple launch app.py --break app.py:42 --break 'app.py:50 if n > 3' -- input.txt\n"
              "dapple next\n"
              "dapple eval 'total + 1'\n"
              "dapple stop\n");
    put_line("The same expression at each stop, in one command:");
    put_block("dapple run app.py --break app.py:42 --each total\n");
    return 0;
}
