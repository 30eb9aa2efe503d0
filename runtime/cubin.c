// SPDX-License-Identifier: Apache-2.0
// Reading cubins. Nothing in the file is believed before it is known to lie inside the file.
#include "runtime/cubin.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

enum { MACHINE_CUDA = 190, SITES_MAX = 1 << 20, THREADS_MAX = 1024 };

typedef struct Cubin {
    const uint8_t *bytes;
    size_t size;
    Elf64_Ehdr header;
} Cubin;

static bool has_magic(const void *image) {
    const unsigned char *bytes = image;
    return !memcmp(bytes, ELFMAG, SELFMAG) && bytes[EI_CLASS] == ELFCLASS64 && bytes[EI_DATA] == ELFDATA2LSB;
}

static uint64_t end_of(uint64_t offset, uint64_t size) {
    return offset + size < offset ? UINT64_MAX : offset + size;
}

size_t cubin_extent(const void *image) {
    Elf64_Ehdr header;
    if (!has_magic(image)) return 0;
    memcpy(&header, image, sizeof header);
    if (header.e_machine != MACHINE_CUDA || header.e_shentsize != sizeof(Elf64_Shdr)) return 0;
    uint64_t end = end_of(header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr));
    const uint64_t programs = end_of(header.e_phoff, (uint64_t)header.e_phnum * header.e_phentsize);
    if (programs > end) end = programs;
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, (const uint8_t *)image + header.e_shoff + i * sizeof section, sizeof section);
        const uint64_t last = end_of(section.sh_offset, section.sh_size);
        if (section.sh_type != SHT_NOBITS && last > end) end = last;
    }
    return end;
}

static bool open_cubin(Cubin *cubin, const void *image, size_t size) {
    *cubin = (Cubin){.bytes = image, .size = size};
    if (size < sizeof cubin->header || !has_magic(image)) return false;
    memcpy(&cubin->header, image, sizeof cubin->header);
    return cubin->header.e_machine == MACHINE_CUDA && cubin->header.e_shentsize == sizeof(Elf64_Shdr) &&
           end_of(cubin->header.e_shoff, (uint64_t)cubin->header.e_shnum * sizeof(Elf64_Shdr)) <= size;
}

// A section with its bytes inside the file.
static bool get_section(const Cubin *cubin, uint32_t index, Elf64_Shdr *section) {
    if (index >= cubin->header.e_shnum) return false;
    memcpy(section, cubin->bytes + cubin->header.e_shoff + index * sizeof *section, sizeof *section);
    return section->sh_type != SHT_NOBITS && end_of(section->sh_offset, section->sh_size) <= cubin->size;
}

// The table of symbols and the names; false if there is none.
static bool find_symbols(const Cubin *cubin, Elf64_Shdr *symbols, Elf64_Shdr *names) {
    for (uint32_t i = 0; i < cubin->header.e_shnum; i++)
        if (get_section(cubin, i, symbols) && symbols->sh_type == SHT_SYMTAB)
            return get_section(cubin, symbols->sh_link, names);
    return false;
}

static const char *symbol_name(const Cubin *cubin, const Elf64_Shdr *names, const Elf64_Sym *symbol) {
    if (symbol->st_name >= names->sh_size) return NULL;
    const char *name = (const char *)cubin->bytes + names->sh_offset + symbol->st_name;
    return memchr(name, 0, names->sh_size - symbol->st_name) ? name : NULL;
}

// Calls `each` with every symbol that has a name, until it says false.
static void walk_symbols(const Cubin *cubin, bool (*each)(void *, const Cubin *, const Elf64_Sym *, const char *),
                         void *data) {
    Elf64_Shdr symbols, names;
    if (!find_symbols(cubin, &symbols, &names)) return;
    for (uint64_t i = 0; i < symbols.sh_size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, cubin->bytes + symbols.sh_offset + i * sizeof symbol, sizeof symbol);
        const char *name = symbol_name(cubin, &names, &symbol);
        if (name && !each(data, cubin, &symbol, name)) return;
    }
}

typedef struct VariableSearch {
    const char *name;
    bool found;
    const uint8_t *bytes; // NULL: zeros
    size_t count;
} VariableSearch;

static bool match_variable(void *data, const Cubin *cubin, const Elf64_Sym *symbol, const char *name) {
    VariableSearch *search = data;
    Elf64_Shdr section;
    if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || strcmp(name, search->name)) return true;
    const bool stored = get_section(cubin, symbol->st_shndx, &section);
    if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= cubin->header.e_shnum ||
        (!stored && section.sh_type != SHT_NOBITS) || end_of(symbol->st_value, symbol->st_size) > section.sh_size)
        return true;
    search->found = true;
    search->bytes = stored ? cubin->bytes + section.sh_offset + symbol->st_value : NULL;
    search->count = symbol->st_size;
    return false;
}

// The initial value of the variable `name`, inside the image; *bytes is NULL if it is all zeros. False: there is none,
// or the image is damaged.
static bool cubin_variable(const void *image, size_t size, const char *name, const uint8_t **bytes, size_t *count) {
    Cubin cubin;
    VariableSearch search = {.name = name};
    if (!open_cubin(&cubin, image, size)) return false;
    walk_symbols(&cubin, match_variable, &search);
    *bytes = search.bytes;
    *count = search.count;
    return search.found;
}

bool cubin_constant(const void *image, size_t size, const char *kernel, const char *what, uint64_t *value) {
    Arena arena = {0};
    const uint8_t *bytes;
    size_t count;
    bool found = cubin_variable(image, size, arena_format(&arena, "%s_%s", kernel, what), &bytes, &count) &&
                 count == sizeof *value;
    *value = 0;
    if (found && bytes) memcpy(value, bytes, sizeof *value);
    arena_reset(&arena);
    return found;
}

typedef struct FunctionWalk {
    bool (*each)(void *, const char *);
    void *data;
} FunctionWalk;

static bool match_function(void *data, const Cubin *cubin, const Elf64_Sym *symbol, const char *name) {
    const FunctionWalk *walk = data;
    (void)cubin;
    return ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || walk->each(walk->data, name);
}

void cubin_functions(const void *image, size_t size, bool (*each)(void *, const char *), void *data) {
    Cubin cubin;
    FunctionWalk walk = {each, data};
    if (open_cubin(&cubin, image, size)) walk_symbols(&cubin, match_function, &walk);
}

// ---- sites: a line for each, kind, op, place and message separated by tabs

// The number behind the last ':' of a place, which is cut off; 0 if there is none.
static uint32_t cut_number(char *place) {
    char *colon = strrchr(place, ':'), *end;
    if (!colon || colon[1] < '1' || colon[1] > '9') return 0;
    unsigned long number = strtoul(colon + 1, &end, 10);
    if (*end || number > UINT32_MAX) return 0;
    *colon = 0;
    return (uint32_t)number;
}

// "file:line:column", "file:line", "file+0xoffset" or "file".
static Location read_place(char *place) {
    Location at = {.file = *place ? place : NULL};
    const uint32_t last = cut_number(place), before = last ? cut_number(place) : 0;
    at.line = before ? before : last;
    at.column = before ? last : 0;
    char *plus = last ? NULL : strrchr(place, '+'), *end;
    if (plus && !strncmp(plus, "+0x", 3) && plus[3]) {
        uint64_t offset = strtoull(plus + 3, &end, 16);
        if (!*end) {
            *plus = 0;
            at.offset = offset;
            at.has_offset = true;
        }
    }
    return at;
}

// The text up to the next `end`, which is replaced; NULL if there is none.
static char *cut_field(char **text, char end) {
    char *begin = *text, *found = strchr(begin, end);
    if (!found) return NULL;
    *found = 0;
    *text = found + 1;
    return begin;
}

static bool read_site(char **text, KernelSite *site) {
    const char *kind = cut_field(text, '\t'), *op = kind ? cut_field(text, '\t') : NULL;
    char *place = op ? cut_field(text, '\t') : NULL;
    const char *message = place ? cut_field(text, '\n') : NULL;
    if (!message) return false;
    *site = (KernelSite){.op = op, .message = *message ? message : NULL, .at = read_place(place)};
    for (int k = 0; k < HOST_SITE_KINDS; k++) {
        site->kind = (HostSiteKind)k;
        if (!strcmp(kernel_site_kind(site->kind), kind)) return true;
    }
    return false;
}

// ---- prints: words of 64 bits

enum { PRINT_RANK_MAX = 32, PRINT_ELEMENTS_MAX = 1 << 24 };

typedef struct WordReader {
    const uint8_t *bytes;
    size_t count;
} WordReader;

static bool take_word(WordReader *reader, uint64_t *word) {
    if (reader->count < sizeof *word) return false;
    memcpy(word, reader->bytes, sizeof *word);
    reader->bytes += sizeof *word;
    reader->count -= sizeof *word;
    return true;
}

static bool read_print_value(WordReader *reader, Arena *arena, HostPrintValue *value) {
    uint64_t kind, bits, rank, size, elements = 1;
    if (!take_word(reader, &kind) || !take_word(reader, &bits) || !take_word(reader, &rank) ||
        kind > HOST_PRINT_POINTER || rank > PRINT_RANK_MAX || !bits || bits > 64 || (bits & (bits - 1)))
        return false;
    int64_t *shape = arena_array(arena, int64_t, rank + 1);
    for (uint64_t d = 0; d < rank; d++) {
        if (!take_word(reader, &size) || !size || size > PRINT_ELEMENTS_MAX / elements) return false;
        shape[d] = (int64_t)size;
        elements *= size;
    }
    *value = (HostPrintValue){.kind = (uint32_t)kind, .bits = (uint32_t)bits, .rank = (uint32_t)rank, .shape = shape};
    return true;
}

static bool read_print(WordReader *reader, Arena *arena, HostPrint *form) {
    uint64_t length, count;
    if (!take_word(reader, &length) || !take_word(reader, &count) || length > reader->count) return false;
    const size_t room = (length + sizeof length - 1) / sizeof length * sizeof length;
    if (room > reader->count || count > (reader->count - room) / sizeof count) return false;
    HostPrintValue *values = arena_array(arena, HostPrintValue, count + 1);
    *form =
        (HostPrint){.format = (const char *)reader->bytes, .length = length, .values = values, .value_count = count};
    reader->bytes += room;
    reader->count -= room;
    for (uint64_t i = 0; i < count; i++)
        if (!read_print_value(reader, arena, &values[i])) return false;
    return true;
}

// Kernels that print nothing say nothing of it.
static bool read_prints(Diagnostics *diagnostics, Arena *arena, const void *image, size_t size, const char *symbol,
                        KernelInfo *kernel) {
    enum { WORDS_MIN = 2 }; // of a form
    uint64_t count;
    const uint8_t *bytes;
    WordReader reader = {0};
    if (!cubin_constant(image, size, symbol, "print_count", &count)) return true;
    bool good = count <= SITES_MAX &&
                cubin_variable(image, size, arena_format(arena, "%s_prints", symbol), &bytes, &reader.count) &&
                reader.count / sizeof(uint64_t) / WORDS_MIN >= count;
    HostPrint *forms = arena_array(arena, HostPrint, good ? count + 1 : 1);
    reader.bytes = good ? bytes : NULL; // all zeros: no text and no values
    for (uint64_t i = 0; i < count && reader.bytes && good; i++) good = read_print(&reader, arena, &forms[i]);
    if (!good)
        return diag_fail(diagnostics, (Location){0}, E_RUNTIME, "the cubin's prints of kernel %s cannot be read",
                         symbol);
    kernel->prints = count;
    kernel->print_forms = forms;
    kernel->print_form_count = (uint32_t)count;
    return true;
}

bool cubin_kernel(Diagnostics *diagnostics, Arena *arena, const void *image, size_t size, const char *symbol,
                  KernelInfo *kernel) {
    uint64_t threads, shared, scratch, sites;
    const uint8_t *bytes;
    size_t count;
    if (!cubin_constant(image, size, symbol, "block_threads", &threads) ||
        !cubin_constant(image, size, symbol, "shared_bytes", &shared) ||
        !cubin_constant(image, size, symbol, "scratch_bytes", &scratch) ||
        !cubin_constant(image, size, symbol, "site_count", &sites) ||
        !cubin_variable(image, size, arena_format(arena, "%s_sites", symbol), &bytes, &count))
        return diag_fail(diagnostics, (Location){0}, E_RUNTIME, "the cubin does not tell how to launch kernel %s",
                         symbol);
    if (!threads || threads > THREADS_MAX || shared > INT32_MAX || scratch > SIZE_MAX / 2 || sites > SITES_MAX)
        return diag_fail(
            diagnostics, (Location){0}, E_RUNTIME,
            "the cubin tells that kernel %s has %llu threads, %llu bytes of shared memory, %llu of scratch "
            "and %llu sites",
            symbol, (unsigned long long)threads, (unsigned long long)shared, (unsigned long long)scratch,
            (unsigned long long)sites);
    char *text = bytes ? arena_text(arena, (const char *)bytes, count) : arena_text(arena, "", 0);
    KernelSite *read = arena_array(arena, KernelSite, sites + 1);
    for (uint64_t s = 0; s < sites; s++)
        if (!read_site(&text, &read[s]))
            return diag_fail(diagnostics, (Location){0}, E_RUNTIME, "the cubin's site %llu of kernel %s cannot be read",
                             (unsigned long long)s, symbol);
    kernel->image = image;
    kernel->image_size = size;
    kernel->symbol = arena_text(arena, symbol, strlen(symbol));
    kernel->threads = (uint32_t)threads;
    kernel->shared_bytes = shared;
    kernel->scratch_bytes = scratch;
    kernel->site_count = (uint32_t)sites;
    kernel->sites = read;
    return read_prints(diagnostics, arena, image, size, symbol, kernel);
}
