/* "python3 -m pytest -x", "node --test" or "npm test" is how a shell runs it, so it is what a caller writes: in program with args, or all in
 * program. An adapter starts the interpreter itself and wants the script, or the module, and takes options of the interpreter apart. */
#pragma once

struct adapter_entry;
struct call;
struct error;

struct interpreted {
    const struct adapter_entry *entry; /* whose interpreter program names; NULL: it names none, and nothing below is set */
    char *program;                     /* the script as it was written; NULL: */
    char *module;                      /* … */
    char *interpreter;                 /* the one that was named, where that counts; NULL */
    char **options;                    /* its own; NULL-terminated, or NULL */
    char **args;                       /* what is left for the program; NULL-terminated */
};

/* Refuses what cannot be said to an adapter. An interpreter is a program like others for another adapter that is `wanted` (gdb); NULL: none. */
int interpreted_read(struct call *call, const char *wanted, struct interpreted *ret, struct error *ret_error);
void interpreted_done(struct interpreted *interpreted);
