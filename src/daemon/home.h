/* Where the daemon lives: a private folder (0700, ours) with its socket, its lock, its log, and the list of what it debugs.
 *
 * $DAPPLE_RUNTIME_DIR alone, if it is set; else $XDG_RUNTIME_DIR/dapple, else /tmp/dapple-UID. One that belongs to somebody else, or that
 * others may enter, is refused; one that cannot be made, or whose path is too long for a socket, is passed over. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buffer;
struct error;

#define DAEMON_HOMES 2

struct daemon_home {
    char *folder, *socket, *lock, *start_lock, *log, *sessions;
};

/* The folder is made when it is not there. */
int daemon_home_open(struct daemon_home *ret, const char *folder, struct error *ret_error);
void daemon_home_done(struct daemon_home *home); /* takes zeroed memory */

/* The folders that may serve, the best first, as heap memory of the caller's; returns how many. None is looked at. */
size_t daemon_home_candidates(char *ret_folders[DAEMON_HOMES]);
