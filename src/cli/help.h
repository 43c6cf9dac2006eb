/* What the command line says about itself, from the table of operations. */
#pragma once

#include <stdbool.h>
#include <stdio.h>
#include <yyjson.h>

struct verb;

void help_write(FILE *out);                               /* `dapple --help`: all commands, on one screen */
void help_write_verb(FILE *out, const struct verb *verb); /* `dapple help VERB` */
int help_main(int argc, char **argv);                     /* argv[0] is the word "help"; returns the exit status */
/* The commands that are no operations: a name NULL is behind the last. */
struct help_command {
    const char *name;
    const char *group; /* of the operations that it stands with; NULL: none; "more": none, and it is only named */
    const char *summary, *usage;
};
extern const struct help_command help_commands[];

/* ---- its parts, of which the manual and the completion are made, too; heap memory of the caller's ---- */

char *help_usage(const struct verb *verb, yyjson_val *schema);                      /* "dapple launch [PROGRAM] [FLAG]..." */
char *help_flag(const struct verb *verb, const char *argument, yyjson_val *schema); /* "--frame NUMBER" */
char *help_flag_meaning(const struct verb *verb, const char *argument, yyjson_val *schema); /* may be "" */
char *help_word(const char *argument);                                                      /* "PROGRAM" */
char *help_summary(const struct verb *verb);
char *help_aliases(const struct verb *verb); /* "also: dapple n"; NULL */
bool help_is_positional(const struct verb *verb, const char *argument);
