/* ELF files made by hand: just headers, no code. */
#pragma once

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct fake_elf {
    unsigned type;            /* ET_EXEC, ET_DYN, … */
    bool interpreter;         /* asks for a dynamic loader */
    bool pie_flag;            /* statically linked, but says that it is a program */
    const char *section;      /* name of its one section besides the names; NULL: none */
    const char *section_data; /* NULL: some bytes */
};

#define FAKE_ELF_SIZE 1024

/* Fills `image`, a file of FAKE_ELF_SIZE bytes for this machine's own byte order and 64 bits. */
static inline void fake_elf_make(unsigned char image[FAKE_ELF_SIZE], const struct fake_elf *what)
{
    enum { PROGRAM_HEADERS = 64, DYNAMIC = 256, SECTIONS = 320, NAMES = 640, DATA = 768, DATA_SIZE = 64 };
    memset(image, 0, FAKE_ELF_SIZE);
    bool little = *(const unsigned char *)&(const unsigned){ 1 } == 1;
    Elf64_Ehdr header = {
        .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, little ? ELFDATA2LSB : ELFDATA2MSB, EV_CURRENT },
        .e_type = (Elf64_Half)what->type,
        .e_version = EV_CURRENT,
        .e_phoff = PROGRAM_HEADERS,
        .e_phentsize = sizeof(Elf64_Phdr),
        .e_phnum = 2,
        .e_shoff = SECTIONS,
        .e_shentsize = sizeof(Elf64_Shdr),
        .e_shnum = what->section != NULL ? 3 : 2,
        .e_shstrndx = 1,
    };
    Elf64_Phdr programs[2] = {
        { .p_type = what->interpreter ? PT_INTERP : PT_LOAD },
        { .p_type = PT_DYNAMIC, .p_offset = DYNAMIC, .p_filesz = 2 * sizeof(Elf64_Dyn) },
    };
    Elf64_Dyn dynamic[2] = { { .d_tag = DT_FLAGS_1, .d_un.d_val = what->pie_flag ? 0x08000001 : 1 }, { .d_tag = DT_NULL } };
    Elf64_Shdr sections[3] = {
        { 0 },
        { .sh_name = 1, .sh_type = SHT_STRTAB, .sh_offset = NAMES, .sh_size = DATA - NAMES },
        { .sh_name = 11, .sh_type = SHT_PROGBITS, .sh_offset = DATA, .sh_size = DATA_SIZE },
    };
    memcpy(image, &header, sizeof header);
    memcpy(image + PROGRAM_HEADERS, programs, sizeof programs);
    memcpy(image + DYNAMIC, dynamic, sizeof dynamic);
    memcpy(image + SECTIONS, sections, sizeof sections);
    memcpy(image + NAMES + 1, ".shstrtab", 9);
    if (what->section != NULL)
        memcpy(image + NAMES + 11, what->section, strlen(what->section));
    memset(image + DATA, 1, DATA_SIZE);
    if (what->section_data != NULL)
        memcpy(image + DATA, what->section_data, strlen(what->section_data) + 1);
}
