/* Asks a program for its version, by running it: for adapters of which older versions are of no use, and for people who want to know. */
#pragma once

#define VERSION_PROBE_TIMEOUT 2000 /* milliseconds; the caller waits */

/* What the program at `path` says about its version in the first line that does: the last word that begins with a digit ("16.3"). NULL when it
 * does not start, says nothing of the kind, or is not done in time (it is killed then). `arguments` is NULL-terminated, without the
 * program's name. The answer is remembered until the file changes. Points to memory of the probe's. */
const char *version_probe(const char *path, char *const *arguments);
