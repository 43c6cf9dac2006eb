/* Files that hold what was too long to show: one private folder (0700, made when first needed, in $TMPDIR or /tmp), files 0600,
 * at most LIMIT_SPILL_BYTES in all (the oldest go first), removed with the folder at the end of Dapple.
 *
 * The folder is locked as long as its Dapple lives. A Dapple that was killed cannot remove its folder: the next one that makes a
 * folder finds the lock free and removes it. */
#pragma once

#include <stddef.h>

struct spill;

struct spill *spill_new(void);
void spill_free(struct spill *spill); /* removes the folder; takes NULL */
/* Writes a file and returns its path (owned by the spill, valid until the next write); NULL when it could not be written.
 * `kind`: "output", "result". */
const char *spill_write(struct spill *spill, const char *kind, const char *bytes, size_t len);
