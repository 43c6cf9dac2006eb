#include "adapter/elf_file.h"

#include "base/memory.h"
#include "base/path.h"

#include <elf.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifndef DF_1_PIE
#define DF_1_PIE 0x08000000
#endif

#define MOST_SECTIONS 65536
#define MOST_DYNAMIC 4096
#define LONGEST_NAME 256

/* The file, in its own byte order and class. It is read piece by piece and not mapped: a compiler may be writing it anew just now, and
 * touching a mapped page that was cut off kills the reader. */
struct image {
    int fd;
    uint64_t len;
    bool wide;     /* 64 bit */
    bool backward; /* big-endian */
};

struct section {
    uint64_t offset, size;
};

bool elf_is(const unsigned char *bytes, size_t len)
{
    return len >= EI_NIDENT && memcmp(bytes, ELFMAG, SELFMAG) == 0;
}

/* Reads up to `size` bytes; returns how many there were. */
static size_t bytes_at(const struct image *image, uint64_t offset, void *into, size_t size)
{
    if (offset >= image->len)
        return 0;
    if (image->len - offset < size)
        size = (size_t)(image->len - offset);
    ssize_t got = pread(image->fd, into, size, (off_t)offset);
    return got > 0 ? (size_t)got : 0;
}

/* An unsigned number of `size` bytes, at most 8; 0 when it lies outside of the file. */
static uint64_t number(const struct image *image, uint64_t offset, size_t size)
{
    unsigned char bytes[8];
    if (bytes_at(image, offset, bytes, size) != size)
        return 0;
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++)
        value = value << 8 | bytes[image->backward ? i : size - 1 - i];
    return value;
}

/* A string of the file; "" when it is not inside, or too long. */
static void string_at(const struct image *image, uint64_t offset, char ret[static LONGEST_NAME])
{
    ret[0] = '\0';
    size_t got = bytes_at(image, offset, ret, LONGEST_NAME);
    if (memchr(ret, '\0', got) == NULL)
        ret[0] = '\0';
}

/* Reads member `member` of a structure that begins at `at`, whatever the file's class. */
#define FIELD(image, at, name, member)                                                                         \
    ((image)->wide ? number(image, (at) + offsetof(Elf64_##name, member), sizeof(((Elf64_##name *)0)->member)) \
                   : number(image, (at) + offsetof(Elf32_##name, member), sizeof(((Elf32_##name *)0)->member)))

static size_t size_of_dyn(const struct image *image)
{
    return image->wide ? sizeof(Elf64_Dyn) : sizeof(Elf32_Dyn);
}

static bool dynamic_says_pie(const struct image *image, uint64_t offset, uint64_t size)
{
    uint64_t count = size / size_of_dyn(image);
    for (uint64_t i = 0; i < count && i < MOST_DYNAMIC; i++) {
        uint64_t at = offset + i * size_of_dyn(image);
        uint64_t tag = FIELD(image, at, Dyn, d_tag);
        if (tag == DT_NULL)
            return false;
        if (tag == DT_FLAGS_1)
            return (FIELD(image, at, Dyn, d_un) & DF_1_PIE) != 0;
    }
    return false;
}

/* Position-independent programs and shared libraries have the same type: a program asks for an interpreter, or (linked statically)
 * says that it is one. */
static bool is_program(const struct image *image)
{
    uint64_t table = FIELD(image, 0, Ehdr, e_phoff);
    uint64_t count = FIELD(image, 0, Ehdr, e_phnum);
    uint64_t entry_size = FIELD(image, 0, Ehdr, e_phentsize);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t at = table + i * entry_size;
        uint64_t type = FIELD(image, at, Phdr, p_type);
        if (type == PT_INTERP)
            return true;
        if (type == PT_DYNAMIC && dynamic_says_pie(image, FIELD(image, at, Phdr, p_offset), FIELD(image, at, Phdr, p_filesz)))
            return true;
    }
    return false;
}

static enum program_role role(const struct image *image)
{
    switch (FIELD(image, 0, Ehdr, e_type)) {
    case ET_REL:
        return PROGRAM_ROLE_OBJECT;
    case ET_CORE:
        return PROGRAM_ROLE_CORE;
    case ET_DYN:
        return is_program(image) ? PROGRAM_ROLE_PROGRAM : PROGRAM_ROLE_LIBRARY;
    default:
        return PROGRAM_ROLE_PROGRAM;
    }
}

static uint64_t section_header(const struct image *image, uint64_t index)
{
    return FIELD(image, 0, Ehdr, e_shoff) + index * FIELD(image, 0, Ehdr, e_shentsize);
}

/* Many sections do not fit the header's own count and index: then they stand in the first section. */
static uint64_t section_count(const struct image *image)
{
    uint64_t count = FIELD(image, 0, Ehdr, e_shnum);
    if (count == 0)
        count = FIELD(image, section_header(image, 0), Shdr, sh_size);
    return count < MOST_SECTIONS ? count : MOST_SECTIONS;
}

static uint64_t section_of_names(const struct image *image)
{
    uint64_t index = FIELD(image, 0, Ehdr, e_shstrndx);
    return index == SHN_XINDEX ? FIELD(image, section_header(image, 0), Shdr, sh_link) : index;
}

static struct section section_at(const struct image *image, uint64_t index)
{
    uint64_t header = section_header(image, index);
    struct section section = { FIELD(image, header, Shdr, sh_offset), FIELD(image, header, Shdr, sh_size) };
    if (section.offset > image->len || image->len - section.offset < section.size)
        return (struct section){ 0 };
    return section;
}

/* Finds a section by name; an empty one counts as absent. */
static bool find_section(const struct image *image, const char *wanted, struct section *ret)
{
    if (FIELD(image, 0, Ehdr, e_shoff) == 0)
        return false;
    uint64_t count = section_count(image);
    struct section names = section_at(image, section_of_names(image));
    for (uint64_t i = 1; i < count; i++) {
        char name[LONGEST_NAME];
        uint64_t name_offset = FIELD(image, section_header(image, i), Shdr, sh_name);
        if (name_offset >= names.size)
            continue;
        string_at(image, names.offset + name_offset, name);
        if (strcmp(name, wanted) != 0)
            continue;
        *ret = section_at(image, i);
        return ret->size > 0;
    }
    return false;
}

/* ---- Rust's panics ---- */

#define SYMBOL_BYTES_READ ((uint64_t)256 * 1024 * 1024)

/* Every panic of a Rust program goes through this function of its runtime, once its message was printed. Newer compilers give its name a
 * crate, and debuggers differ in what of it they know: all know the symbol. */
static bool is_panic_function(const char *symbol, size_t len)
{
    static const char plain[] = "rust_panic", end[] = "___rustc10rust_panic";
    size_t end_len = sizeof(end) - 1;
    if (len == sizeof(plain) - 1 && memcmp(symbol, plain, len) == 0)
        return true;
    return len > end_len && strncmp(symbol, "_RNv", 4) == 0 && memcmp(symbol + len - end_len, end, end_len) == 0;
}

/* Over the names of the symbols, which may be many: piece by piece, each piece beginning with a whole name. */
static char *panic_function(const struct image *image)
{
    enum { PIECE = 65536 };
    struct section names;
    if (!find_section(image, ".strtab", &names))
        return NULL;
    AUTO_FREE char *piece = xcalloc(PIECE, 1);
    uint64_t most = names.size < SYMBOL_BYTES_READ ? names.size : SYMBOL_BYTES_READ;
    for (uint64_t at = 0; at < most;) {
        size_t got = bytes_at(image, names.offset + at, piece, most - at < PIECE ? (size_t)(most - at) : PIECE);
        size_t start = 0;
        const char *end;
        while (start < got && (end = memchr(piece + start, '\0', got - start)) != NULL) {
            if (is_panic_function(piece + start, (size_t)(end - piece) - start))
                return xstrdup(piece + start);
            start = (size_t)(end - piece) + 1;
        }
        if (got == 0)
            return NULL;
        at += start > 0 ? start : got; /* a name longer than a piece is not the one */
    }
    return NULL;
}

static bool exists_in(const char *folder, const char *name)
{
    AUTO_FREE char *path = path_join(folder, name);
    return path_is_file(path);
}

/* .gnu_debuglink names a file that lies beside the program, in .debug/ there, or under /usr/lib/debug. */
static bool linked_file_exists(const struct image *image, const char *path)
{
    struct section link;
    if (!find_section(image, ".gnu_debuglink", &link))
        return false;
    char name[LONGEST_NAME];
    string_at(image, link.offset, name);
    if (*name == '\0' || strchr(name, '/') != NULL)
        return false;
    AUTO_FREE char *folder = path_folder(path);
    AUTO_FREE char *hidden = path_join(folder, ".debug");
    AUTO_FREE char *central = xasprintf("/usr/lib/debug%s", folder);
    return (strcmp(name, path_name(path)) != 0 && exists_in(folder, name)) || exists_in(hidden, name) || exists_in(central, name);
}

static bool build_id_file_exists(const struct image *image)
{
    struct section note;
    if (!find_section(image, ".note.gnu.build-id", &note) || note.size < 12)
        return false;
    uint64_t name_len = number(image, note.offset, 4);
    uint64_t id_len = number(image, note.offset + 4, 4);
    unsigned char id[64];
    if (name_len > 64 || id_len < 2 || id_len > sizeof id)
        return false;
    if (bytes_at(image, note.offset + 12 + ((name_len + 3) & ~(uint64_t)3), id, (size_t)id_len) != id_len)
        return false;
    char hex[2 * sizeof id + 1] = "";
    for (size_t i = 0; i < id_len; i++)
        snprintf(hex + 2 * i, 3, "%02x", id[i]);
    AUTO_FREE char *path = xasprintf("/usr/lib/debug/.build-id/%.2s/%s.debug", hex, hex + 2);
    return path_is_file(path);
}

void elf_read(const char *path, int fd, uint64_t size, struct program_file *file)
{
    struct image image = { .fd = fd, .len = size };
    unsigned char ident[EI_NIDENT] = { 0 };
    bytes_at(&image, 0, ident, sizeof ident);
    image.wide = ident[EI_CLASS] == ELFCLASS64;
    image.backward = ident[EI_DATA] == ELFDATA2MSB;
    struct section ignored;
    file->role = role(&image);
    file->is_go = find_section(&image, ".go.buildinfo", &ignored);
    file->panic_function = file->is_go ? NULL : panic_function(&image);
    file->has_debug_info = find_section(&image, ".debug_info", &ignored) || find_section(&image, ".zdebug_info", &ignored) ||
                           linked_file_exists(&image, path) || build_id_file_exists(&image);
}
