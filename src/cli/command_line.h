/* The words of a command as an operation's arguments, by its declaration: pure, words in, JSON out.
 *
 *   --name VALUE, --name=VALUE   an argument, by the name that the declaration gives it, or --dashed-name
 *   --name, --no-name            a boolean
 *   --name A --name B            a list
 *   --timeout 30s                what ends in _ms, without that and with a unit (ms, s, m); a bare number counts seconds
 *   --env NAME=VALUE             a member of a free object; other objects are JSON
 *   FILE:LINE if CONDITION       a breakpoint (location.h)
 *   x=5, x = 5                   two words of an operation whose second is a value
 *   WORD                         the positional arguments, in order; the last takes the rest where it is a list
 *   --                           everything after it is a positional argument
 *
 * A word of one dash and more is no flag, so that "dapple eval -x" works. */
#pragma once

#include <stdbool.h>
#include <yyjson.h>

struct buffer;
struct error;
struct verb;
struct verb_alias;

enum json_mode {
    JSON_NONE,
    JSON_ONLY, /* --json: the structured result */
    JSON_BOTH, /* --json=both: with the text in it, as the member "text" */
};

struct command_line {
    yyjson_doc *arguments; /* root: an object that arguments_check accepts */
    enum json_mode json;
    yyjson_mut_doc *functions; /* a list of arguments of add_breakpoint, of --break FUNCTION; NULL: none */
    bool help;                 /* --help or -h: then nothing else is read */
};

/* `words` does not hold the verb itself. ERROR_ARGUMENT: what is wrong, with the flag's name. */
int command_line_read(struct command_line *ret, const struct verb *verb, char *const *words, struct error *ret_error);
void command_line_done(struct command_line *line); /* takes zeroed memory */

/* The flag of an argument: "--frame"; of one in _ms "--timeout". Heap memory of the caller's. */
char *command_line_flag(const struct verb *verb, const char *argument);
/* The same of a word that needs no flag: "PROGRAM". */
char *command_line_name(const struct verb *verb, const char *argument);
/* What follows an argument's name in the path of a fault, "/1/line must be 1" or "/0/match: none", as people count: " (number 2): line", "". Returns
 * how many bytes of it were written in other words. */
size_t command_line_write_place(struct buffer *out, const char *path, size_t len);
const struct verb *command_line_verb(const char *word);                                 /* by its name or an alias; NULL */
const struct verb_alias *command_line_alias(const struct verb *verb, const char *word); /* NULL */
enum json_mode command_line_json(const char *word);                                     /* of "--json" and "--json=both" */
/* Does the word "--name" take the one after it with it? Also false for what is no flag of the verb's. */
bool command_line_takes_value(const struct verb *verb, const char *word);
