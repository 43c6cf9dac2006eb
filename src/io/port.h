/* TCP ports of this machine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A port that is free now on every address; 0 when there is none. It may be taken again before the adapter listens. */
uint16_t port_find_free(void);
/* Whether somebody listens there already. Found out without a connection to him (some adapters serve a single client). `host`: NULL and
 * "localhost" are both loopback addresses; of a name, or of an address that is not this machine's, nothing is known: false. */
bool port_is_taken(const char *host, uint16_t port);
