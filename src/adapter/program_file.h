/* What a program file is, by reading it: never by running it. */
#pragma once

#include <stdbool.h>

struct error;

enum program_format {
    PROGRAM_UNKNOWN, /* other binary data */
    PROGRAM_SCRIPT,  /* begins with a shebang */
    PROGRAM_ELF,
    PROGRAM_MACHO,
    PROGRAM_TEXT,
};

/* What an ELF file is for. */
enum program_role {
    PROGRAM_ROLE_PROGRAM, /* also every file of another format */
    PROGRAM_ROLE_LIBRARY, /* shared library without an entry for the system */
    PROGRAM_ROLE_OBJECT,  /* compiled, not linked */
    PROGRAM_ROLE_CORE,    /* core dump */
};

struct program_file {
    enum program_format format;
    enum program_role role;
    char *interpreter;      /* PROGRAM_SCRIPT: base name behind the shebang ("python3", env and its options skipped); NULL */
    char *interpreter_path; /* PROGRAM_SCRIPT: the absolute path when the shebang names one, not by way of env; NULL */
    bool executable;        /* may be executed by us */
    bool is_go;             /* PROGRAM_ELF: built by Go */
    char *panic_function;   /* PROGRAM_ELF, of Rust: the symbol that every panic goes through; NULL: not known */
    bool has_debug_info;    /* PROGRAM_ELF: a section .debug_info or .zdebug_info, or a separate debug file that exists */
};

/* Errors: does not exist (with the nearest name in that folder), a folder, not a regular file, cannot be read; each its own sentence
 * with the path. */
int program_file_read(const char *path, struct program_file *ret, struct error *ret_error);
void program_file_done(struct program_file *file);
#define AUTO_PROGRAM_FILE __attribute__((cleanup(program_file_done)))
