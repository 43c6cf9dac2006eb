/* What the user and the project have set: time-outs, adapters, launch profiles, limits (docs/settings.md).
 *
 * The files (settings_file.h) are layers over the defaults and the catalog. A time-out, a limit and a switch is replaced alone; an
 * adapter or a profile is replaced as a whole by a later one of the same id, and taken away by null. One that is wrong is taken away
 * too (a weaker one must not take its place unseen), with a warning that names file and member; what is right beside it counts.
 * An adapter overrides the catalog's of the same id. Adapters and profiles of a project count only while it is trusted (trust.h).
 *
 * What is given out as const lives as long as the settings. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yyjson.h>

struct adapter_entry;
struct error;
struct settings;

/* Reads the files that there are for this project folder. Never NULL: what cannot be read is a warning. */
struct settings *settings_read(const char *project);
void settings_free(struct settings *settings); /* takes NULL */
/* Was one of the files changed, made or removed since? Looks at the files, and reads none. */
bool settings_changed(const struct settings *settings);

/* A line for each thing that is wrong, ended by LF: "project dap.timeouts.requestMs: must be >= 1 (/p/.dapple/settings.json)". */
const char *settings_warnings(const struct settings *settings);

struct settings_values {
    uint64_t startup_ms, request_ms, execution_ms, shutdown_ms, launch_ms;
    uint64_t idle_ms;         /* 0: a session is never ended for want of calls */
    uint64_t daemon_idle_ms;  /* the command line's daemon ends after so long without a session */
    const char *stop_context; /* "none", "brief", "full" */
    size_t result_bytes, result_lines;
};
const struct settings_values *settings_values(const struct settings *settings);

/* The adapters to choose among: the user's, then the catalog's that were not overridden or taken away. */
const struct adapter_entry *const *settings_adapters(const struct settings *settings, size_t *ret_count);

/* The files that were read, the weakest first. Returns how many. */
struct settings_source {
    const char *path;
    bool is_project;     /* of the project, not of the user */
    bool names_commands; /* which count only while it is trusted */
    bool trusted;        /* it is, or has no need to be */
};
#define SETTINGS_SOURCES 4
size_t settings_sources(const struct settings *settings, struct settings_source ret[SETTINGS_SOURCES]);

/* NULL-terminated "NAME=value" for adapters and programs (surroundings.h); empty with `nonInteractive` false. */
char *const *settings_surroundings(const struct settings *settings);

struct launch_profile {
    const char *id;
    const char *adapter;   /* an id of the adapters above, or of an alias */
    yyjson_val *arguments; /* object */
};
/* The profile of this name; with NULL the only one there is. The error lists the names. */
int settings_profile(const struct settings *settings, const char *id, const struct launch_profile **ret, struct error *ret_error);
/* All that can be used, by number, sorted by name; NULL behind the last. */
const struct launch_profile *settings_profile_at(const struct settings *settings, size_t index);
