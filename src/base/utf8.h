/* UTF-8 (RFC 3629): checking, repairing, cutting without breaking a character, and making text safe to show. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct buffer;

bool utf8_valid(const char *bytes, size_t len);

/* Length of the valid character at the front, or 0 when the bytes there are not one. */
size_t utf8_char_len(const char *bytes, size_t len);

/* Appends bytes with each invalid byte replaced by U+FFFD. -1 when the buffer's maximum is reached: whole characters from the front
 * are in it then. */
int utf8_repair(struct buffer *out, const char *bytes, size_t len);

/* The most bytes <= want at which the text can be cut without breaking a character. Invalid bytes count as one each. */
size_t utf8_cut(const char *bytes, size_t len, size_t want);

/* How many bytes at the end are the beginning of a character that is not complete yet (0 to 3). */
size_t utf8_incomplete_tail(const char *bytes, size_t len);

/* Appends text made safe for one line of a result: CRLF, CR, LF become the two characters \n, TAB becomes \t, other control
 * characters (C0, DEL, C1) become \xNN, separators of lines and turns of writing direction \uNNNN, invalid bytes U+FFFD. Never more
 * than `most` bytes are appended: when the text is cut, they end with an ellipsis character (3 bytes; left out when `most` is
 * smaller) and true is returned. */
bool utf8_one_line(struct buffer *out, const char *bytes, size_t len, size_t most);

/* Appends program output made safe for many lines: CRLF and lone CR become LF, LF and TAB stay, ANSI escape sequences (CSI, OSC,
 * two-byte) and other control characters are dropped, invalid bytes become U+FFFD. A control string (OSC and the like) that does not
 * end on its line is text. -1 when the buffer's maximum is reached. */
int utf8_program_output(struct buffer *out, const char *bytes, size_t len);
