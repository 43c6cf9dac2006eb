/* One request to the daemon and its answer, on a connected socket. While it waits, Ctrl-C ends the wait and not the program, and a
 * terminal shows what it is waiting for. */
#pragma once

#include "daemon/message.h"
#include "json/json.h"

#include <stdbool.h>

struct exchange {
    struct answer answer;
    bool interrupted; /* Ctrl-C ended the wait */
    struct json json; /* what the answer points into */
};

/* Closes `fd`. -1: no answer; the error is what is to be said. */
int exchange(int fd, const struct request *request, struct exchange *ret, struct error *ret_error);
/* Asks, and takes the first word of what the daemon does (heap memory of the caller's); what the request wants lasts as long as the socket
 * is open. NULL: the error says why. */
char *exchange_begin(int fd, const struct request *request, struct error *ret_error);
void exchange_done(struct exchange *exchange); /* takes zeroed memory */
