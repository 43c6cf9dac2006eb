/* SHA-256 (FIPS 180-4) of a text, for recognising a file that has not changed. */
#pragma once

#include <stddef.h>

#define DIGEST_SIZE 65 /* 64 lower-case hexadecimal digits and a NUL */

void digest_of(const void *bytes, size_t len, char ret[DIGEST_SIZE]);
