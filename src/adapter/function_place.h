/* Where a function of a program begins, by the text of its sources: for adapters that cannot set breakpoints by a function's name.
 *
 * The program's own file is looked at first, then the other files of its language in its folder and below (bounded; hidden folders and those
 * of dependencies left out). A method is named as its language writes it: Class.method, Class#method, Package::name. Languages: Python,
 * JavaScript, TypeScript, Ruby, Perl, PHP, Go, Lua, shell scripts. */
#pragma once

#include <stdint.h>

struct error;

/* The file, as heap memory of the caller's, and the first line of code, counted from 1.
 * -1: no such function, or several; the error says what was looked at, or names the candidates, and what to do instead. */
int function_place_find(const char *program, const char *name, char **ret_path, int64_t *ret_line, struct error *ret_error);
