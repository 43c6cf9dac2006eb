/* Base64 (RFC 4648, with padding), and bytes written as hexadecimal digits. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buffer;

/* Appends the encoded bytes; -1 when the buffer's maximum would be passed. */
int base64_encode(struct buffer *out, const void *bytes, size_t len);

/* Appends the decoded bytes. False: it is no base64 (line ends and blanks are skipped, the padding may be missing). */
bool base64_decode(struct buffer *out, const char *text, size_t len);

/* Appends the bytes of "0a ff", "0aff", "0x0a 0xff" or "0a,ff". False: a character that is no such digit, or an odd number of digits. */
bool hex_decode(struct buffer *out, const char *text, size_t len);

int hex_digit(char c); /* its value; -1: it is none */
