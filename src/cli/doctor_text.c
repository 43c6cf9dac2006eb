#include "cli/doctor_text.h"

#include "base/buffer.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define COLUMNS 100
#define LONGEST_LINE 4096

/* Characters, each taken for one column. */
static size_t width_of(const char *text, size_t len)
{
    size_t width = 0;
    for (size_t i = 0; i < len; i++)
        width += ((unsigned char)text[i] & 0xC0) != 0x80;
    return width;
}

void print_indent(size_t indent)
{
    printf("%*s", (int)indent, "");
}

static char *flat(const char *text, size_t len)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LONGEST_LINE);
    utf8_one_line(&out, text, len, LONGEST_LINE);
    return buffer_take(&out, NULL);
}

void print_wrapped(size_t indent, const char *text)
{
    AUTO_FREE char *line = flat(text, strlen(text));
    size_t column = indent;
    for (const char *at = line; *at != '\0';) {
        size_t spaces = strspn(at, " ");
        size_t len = strcspn(at + spaces, " ");
        size_t width = width_of(at + spaces, len);
        if (column > indent && column + spaces + width > COLUMNS) {
            putchar('\n');
            print_indent(indent);
            column = indent;
            at += spaces;
            spaces = 0;
        }
        fwrite(at, 1, spaces + len, stdout);
        column += spaces + width;
        at += spaces + len;
    }
    putchar('\n');
}

void print_line(const char *text)
{
    AUTO_FREE char *line = flat(text, strlen(text));
    puts(line);
}

void print_quoted(size_t indent, const char *text)
{
    for (const char *line = text; *line != '\0';) {
        size_t len = strcspn(line, "\n");
        AUTO_FREE char *shown = flat(line, len);
        print_indent(indent);
        printf("| %s\n", shown);
        line += len;
        line += *line == '\n';
    }
}

void print_padded(const char *text, size_t width)
{
    AUTO_FREE char *shown = flat(text, strlen(text));
    size_t used = width_of(shown, strlen(shown));
    fputs(shown, stdout);
    print_indent(used < width ? width - used : 1);
}

void print_label(const char *label)
{
    print_padded(label, LABEL_COLUMN);
}

void print_entry(const char *label, const char *text)
{
    print_label(label);
    print_wrapped(LABEL_COLUMN, text);
}

void print_warnings(const char *lines)
{
    AUTO_FREE char *copy = xstrdup(lines);
    char *rest = copy;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        if (*line != '\0')
            print_entry("warning", line);
    }
}

static bool is_plain(const char *word)
{
    return *word != '\0' && word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./-")] == '\0';
}

static void add_word(struct buffer *out, const char *word)
{
    if (is_plain(word)) {
        buffer_add(out, word);
        return;
    }
    buffer_addc(out, '\'');
    for (const char *at = word; *at != '\0'; at++) {
        if (*at == '\'')
            buffer_add(out, "'\\''");
        else
            buffer_addc(out, *at);
    }
    buffer_addc(out, '\'');
}

char *shell_words(char *const *argv)
{
    AUTO_BUFFER struct buffer out;
    buffer_init(&out, LIMIT_TEXT_BYTES);
    for (char *const *word = argv; word != NULL && *word != NULL; word++) {
        if (word != argv)
            buffer_addc(&out, ' ');
        add_word(&out, *word);
    }
    return buffer_take(&out, NULL);
}
