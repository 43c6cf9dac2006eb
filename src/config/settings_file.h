/* The files that settings stand in, from the weakest to the strongest:
 *
 *   ~/.pi/agent/settings.json                               the member "dap"
 *   $XDG_CONFIG_HOME/dapple/settings.json (~/.config/…)     the whole, or its member "dap"
 *   .pi/settings.json, from the project folder upwards      the member "dap"
 *   .dapple/settings.json, from the project folder upwards  the whole, or its member "dap"
 *
 * Of each kind of project file the nearest counts, alone. Comments and commas at the end of lists are read. */
#pragma once

#include "config/digest.h"
#include "json/json.h"

#include <stdbool.h>
#include <stddef.h>

enum settings_scope { SETTINGS_GLOBAL, SETTINGS_PROJECT };

struct settings_file {
    enum settings_scope scope;
    bool own;                 /* Dapple's own file, not Pi's */
    char *path;               /* absolute */
    char *folder;             /* where relative commands in it start */
    const char *name;         /* SETTINGS_PROJECT: its path below `folder` */
    char digest[DIGEST_SIZE]; /* of the bytes that were read */
    struct json json;         /* root NULL when it could not be read */
    char *fault;              /* why not; NULL */
};

#define SETTINGS_FILES 4

/* Reads those that exist; returns how many. */
size_t settings_files_read(const char *project, struct settings_file ret[SETTINGS_FILES]);
/* The same for those of the project alone. */
size_t settings_files_of_project(const char *project, struct settings_file ret[SETTINGS_FILES]);
void settings_files_done(struct settings_file *files, size_t count);

/* Which files there are and in what state, as a text that differs when any of them was changed, made or removed. Reads none of them.
 * Heap memory of the caller's. */
char *settings_files_signature(const char *project);

/* A folder of the user's: $VARIABLE if that is absolute, else `below` in the home folder. NULL without a home. Heap memory of the
 * caller's. */
char *settings_home(const char *variable, const char *below);
