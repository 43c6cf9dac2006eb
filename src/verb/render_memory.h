/* The text of memory and of disassembled instructions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buffer;

struct memory_view {
    const char *bytes;
    size_t len, asked;
    bool has_address;
    uint64_t address;
    const char *reference; /* the adapter's, where it is no address */
    int64_t offset;
    const char *expression; /* that the address was found by; NULL */
    uint64_t unreadable;    /* bytes that follow and cannot be read, as told */
    const char *why_less;   /* the adapter's words; NULL */
};
/* "Memory: 32 of 64 bytes at 0x7ffc10 (items); what follows cannot be read", then rows of 16 bytes in hexadecimal and as characters. */
void render_memory(struct buffer *out, const struct memory_view *view);

struct instruction {
    char *address, *text, *bytes, *symbol; /* the last two NULL when not told */
    char *source_path, *source_name;       /* of the row or carried on from an earlier one; NULL */
    int64_t source_reference, line;        /* 0: not told */
    bool invalid;                          /* filler of the adapter's */
    bool current;                          /* where the frame stands */
};
void instructions_free(struct instruction *list, size_t count);

struct disassembly_view {
    const struct instruction *rows;
    size_t count;
    const char *where;  /* "frame total", or the expression or address that was asked for */
    const char *remark; /* a line after them; NULL */
    const char *project;
};
/* "Disassembly: 24 instructions around frame total", the source line before the instructions that come of it, "=>" before the present one. */
void render_disassembly(struct buffer *out, const struct disassembly_view *view);
