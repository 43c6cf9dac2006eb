/* A path for one Unix socket, in a folder of its own that only we can enter: below $XDG_RUNTIME_DIR, else $TMPDIR, else /tmp, wherever
 * the path is short enough for a socket's address. Nobody has bound it yet. */
#pragma once

struct error;

char *private_socket_new(struct error *ret_error); /* heap memory, for private_socket_free; NULL: no such place */
/* Removes the socket, if there is one, and the folder. NULL: nothing. Safe to repeat: the supervisor does it too, should Dapple be killed. */
void private_socket_remove(const char *path);
void private_socket_free(char *path); /* removes it, too */
