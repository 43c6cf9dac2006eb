/* Python interpreters and their packages, found by looking at files: none is run. */
#pragma once

#include "adapter/string_list.h"

#include <stdbool.h>

/* The interpreter that a program is meant for, the first of these that exists: the one its shebang names by an absolute path
 * (`shebang`, may be NULL), .venv or venv in the program's folder or above, $VIRTUAL_ENV, python3 and then python on PATH.
 * *ret_certain: it was more than the first on PATH. NULL when there is none; else heap memory of the caller's.
 * Shims of pyenv are followed to the interpreter that they would run in `cwd`. */
char *python_of_program(const char *program, const char *shebang, const char *cwd, bool *ret_certain);

/* Adds all interpreters that PATH and $VIRTUAL_ENV know. */
void python_list(struct string_list *list, const char *cwd);

/* A name without a slash is looked for on PATH, a relative path means one in `cwd`. Heap memory of the caller's; NULL: not there. */
char *python_resolve(const char *name, const char *cwd);

/* The folder of a package that an interpreter would import, or NULL. Heap memory of the caller's. */
char *python_package(const char *interpreter, const char *package);
