/* Just enough of the ELF format (System V ABI, "Object Files") to say what a file is for and whether it has debug information.
 * The file may be damaged or made up: every offset is checked before it is followed. */
#pragma once

#include "adapter/program_file.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

bool elf_is(const unsigned char *bytes, size_t len); /* begins like an ELF file */

/* Fills in what the file is for, whether it has debug information, and whether Go built it. `fd` is the open file at `path`, `size` bytes
 * long. A damaged file is a program without debug information. */
void elf_read(const char *path, int fd, uint64_t size, struct program_file *file);
