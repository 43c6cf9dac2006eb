/* Finds an adapter on this system. */
#pragma once

#include <stdbool.h>

struct adapter_entry;
struct buffer;
struct error;

/* What the search starts from. */
struct adapter_search {
    const char *program; /* absolute; may be a folder */
    const char *cwd;     /* absolute: where the program will run */
    const char *shebang; /* interpreter that the program names by an absolute path; NULL */
    const char *python;  /* interpreter that the user named; NULL */
    struct buffer
        *faults; /* gets why a program that was found cannot serve ("/usr/bin/gdb is 13.1, but DAP needs …"); NULL: not wanted */
};

struct adapter_found {
    char *path;        /* ${adapter}: the adapter's program or script; of a Python package its folder */
    char *version;     /* NULL unless the entry asks for a version */
    char *interpreter; /* Python package or script: runs the adapter; else NULL */
    char *python;      /* Python package: runs the program; else NULL */
    bool of_project;   /* the program lies in the project: a place that begins with ${project} */
    char *warning;     /* what the user should know about the choice; NULL */
};

/* Programs are looked for in the folders that places_for_programs names, then in the entry's places and in editors' extensions, a newer
 * version before an older one; then scripts in those places. Where the entry needs a certain file, it must be there.
 *
 * For a Python package the program's own interpreter is asked first. One that lacks the package can be served by another interpreter's
 * copy, if that is complete: distributions take apart what it bundles, and then it only works where the pieces are, in its own
 * interpreter. In that case the program runs under the copy's interpreter, with a warning, if its own was only the first on PATH;
 * else it is an error, since a virtual environment was chosen for what is in it.
 *
 * The error says what was looked for and where, what was found but cannot serve, and the command that installs it. */
int adapter_discover(const struct adapter_entry *entry, const struct adapter_search *search, struct adapter_found *ret,
                     struct error *ret_error);
void adapter_found_done(struct adapter_found *found);
#define AUTO_ADAPTER_FOUND __attribute__((cleanup(adapter_found_done)))
