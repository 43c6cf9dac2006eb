/* Words on a terminal of 100 columns. What comes from files and adapters is flattened: no control character reaches the terminal. */
#pragma once

#include <stddef.h>

/* Prints text in columns from `indent` on, broken between words; the cursor stands in column `indent` already, and on a new line after. */
void print_wrapped(size_t indent, const char *text);
void print_line(const char *text); /* as it is, however long */
/* A line of its own for each line of the text, behind a bar. */
void print_quoted(size_t indent, const char *text);
/* The text, then spaces up to the column `width`; at least one. */
void print_padded(const char *text, size_t width);
void print_indent(size_t indent);
/* "label     text", the text wrapped beside the label. */
#define LABEL_COLUMN 10
void print_label(const char *label);
void print_entry(const char *label, const char *text);
void print_warnings(const char *lines); /* an entry for each line */
/* A command line as a shell would take it. */
char *shell_words(char *const *argv);
