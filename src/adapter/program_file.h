/* What a program file is, by reading it: never by running it. */
#pragma once

#include <stdbool.h>

struct error;

enum program_format { PROGRAM_UNKNOWN, PROGRAM_SCRIPT, PROGRAM_ELF, PROGRAM_MACHO, PROGRAM_TEXT };

struct program_file {
    enum program_format format;
    char *interpreter;    /* PROGRAM_SCRIPT: base name behind the shebang ("python3", env and its options skipped); NULL */
    bool executable;      /* may be executed by us */
    bool has_debug_info;  /* PROGRAM_ELF: a .debug_info (or .zdebug_info, .gnu_debuglink, build-id file that exists) section */
    bool is_shared_only;  /* PROGRAM_ELF: a library or object file, not a program */
};
/* Errors: does not exist, a folder, cannot be read; each its own sentence with the path. */
int program_file_read(const char *path, struct program_file *ret, struct error *ret_error);
void program_file_done(struct program_file *file);
