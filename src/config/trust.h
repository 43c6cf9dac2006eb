/* Which projects' settings may name commands: the record that `dapple trust` writes.
 *
 * Opening somebody's project must not run that project's commands. A project file counts in full only while it has the digest that was
 * recorded for its folder (by real path); a changed file is to be looked at, and trusted, again.
 * The record is $XDG_STATE_HOME/dapple/trusted.json (~/.local/state/…), written at once as a whole, for the user's eyes only; one that
 * others may write, or that belongs to somebody else, trusts nothing. */
#pragma once

#include <stdbool.h>
#include <yyjson.h>

struct error;
struct settings_file;

struct trust {
    yyjson_mut_doc *doc; /* {"folders": {"/real/path": {".dapple/settings.json": "digest"}}} */
};

enum trust_state {
    TRUST_NONE,
    TRUST_CHANGED, /* another content was trusted */
    TRUST_GIVEN,
};

char *trust_record_path(void); /* NULL without a home; heap memory of the caller's */

/* No record is an empty one. On an error too, *ret is an empty record. */
int trust_read(struct trust *ret, struct error *ret_error);
int trust_write(const struct trust *trust, struct error *ret_error);
void trust_done(struct trust *trust);
#define AUTO_TRUST __attribute__((cleanup(trust_done)))

enum trust_state trust_of(const struct trust *trust, const struct settings_file *file);
void trust_give(struct trust *trust, const struct settings_file *file);
bool trust_take(struct trust *trust, const char *folder); /* forgets a folder, given by its real path; false: it was not there */

/* The folders, and for each the files with their digests: objects of objects, NULL when there are none. */
yyjson_mut_val *trust_folders(const struct trust *trust);
