/* A result in the words of the command line: where a hint names an operation as an MCP tool ("dap_step_in target_id=3"), it gets the
 * command ("dapple step --target 3").
 *
 * Only what Dapple says: lines of the program's output (behind "|"), source lines, and names and values of the program stay as they are. */
#pragma once

#include <stdbool.h>

struct buffer;
struct verb;

/* `verb`: whose result it is; in a failure and in a warning its arguments are then flags, too ("/cwd: …" is "--cwd: …"). NULL: not
 * known whose. */
void words_write(struct buffer *out, const struct verb *verb, const char *marked);
/* The text without its marks (verb/hint.h), or with `keep` false without its hints: for what nobody can look at again. */
void words_hints(struct buffer *out, const char *text, bool keep);
/* With colours for a terminal: the state, the current line, warnings, what failed. */
void words_colour(struct buffer *out, const char *text);
