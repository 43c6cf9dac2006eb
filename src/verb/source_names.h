/* The names that a line of source uses: a rough lexer for C-like, Python, Ruby, Perl, PHP, shell, SQL and Lua code, chosen by the
 * file's extension. Strings and comments are skipped, except what is interpolated; names of members (after ".", "->" or "::") are no
 * names of variables. Sigils ($ @ % & *) do not count. It only has to be right often: a wrong guess shows a variable earlier or later. */
#pragma once

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>

struct source_names {
    struct buffer text; /* each name with a NUL after it */
};

void source_names_init(struct source_names *names);
void source_names_done(struct source_names *names);
/* Adds the names of one line. `extension` as path_extension gives it: ".py", or "". */
void source_names_read(struct source_names *names, const char *line, const char *extension);
/* Whether the variable of that name is used, with or without its sigil. */
bool source_names_have(const struct source_names *names, const char *name, size_t len);
