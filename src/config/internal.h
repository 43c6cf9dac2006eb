/* What settings.c and layer.c share. */
#pragma once

#include "base/buffer.h"
#include "config/settings.h"
#include "config/settings_file.h"

/* An id that a layer speaks of. */
struct adapter_setting {
    char *id;
    struct adapter_entry *entry; /* NULL: taken away, by null or by a fault */
};

struct profile_setting {
    const struct settings_file *file;
    char *id;
    bool valid; /* else taken away */
    struct launch_profile profile;
};

struct settings {
    char *project;
    char *signature;
    struct settings_file files[SETTINGS_FILES];
    size_t file_count;
    bool names_commands[SETTINGS_FILES], trusted[SETTINGS_FILES]; /* of `files` */
    struct buffer warnings;

    struct settings_values values;
    bool non_interactive, ci, no_color;
    char **surroundings;

    struct adapter_setting *adapters; /* sorted by id */
    size_t adapter_count, adapter_cap;
    struct profile_setting *profiles; /* sorted by id */
    size_t profile_count, profile_cap;
    const struct adapter_entry **choices;
    size_t choice_count;
};

/* ---- settings.c ---- */

/* "<scope> <path>: <message> (<file>)". */
void settings_warn(struct settings *settings, const struct settings_file *file, const char *path, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Each takes the place of an earlier one of that id. The entry is the settings' from now on. */
void settings_put_adapter(struct settings *settings, const char *id, struct adapter_entry *entry);
void settings_put_profile(struct settings *settings, const struct settings_file *file, const char *id,
                          const struct launch_profile *profile);

/* ---- layer.c ---- */

/* The object with the settings in a file; NULL when there is none (a fault is warned of). */
yyjson_val *layer_object(struct settings *settings, const struct settings_file *file);
/* Does it name commands, which only a trusted project may do? */
bool layer_names_commands(yyjson_val *object);
/* Puts a layer over what is there. */
void layer_put(struct settings *settings, const struct settings_file *file, yyjson_val *object, bool trusted);
