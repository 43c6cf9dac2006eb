/* The way to the daemon: connect; if nobody is there, lock, connect again, and only then start one. */
#pragma once

struct error;

enum reach_mode { REACH_START, REACH_ONLY }; /* when there is no daemon: start one, or do without */

/* A connected socket, whose other end is of the same user, in *ret_fd; -1 with REACH_ONLY when there is no daemon. */
int reach_daemon(enum reach_mode mode, int *ret_fd, struct error *ret_error);
