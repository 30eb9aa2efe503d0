// SPDX-License-Identifier: Apache-2.0
// ELF files for tests of cubins.
#include "tests/cuda/image.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <elf.h>
#include <string.h>

enum { SECTION_NAMES = 1, SECTION_SYMBOLS, SECTION_TEXT, SECTION_DATA, SECTION_ZEROS, SECTION_COUNT };

typedef struct ImageMaker {
    Buffer names, symbols, data;
    size_t zeros;
} ImageMaker;

static void add_symbol(ImageMaker *m, const char *kernel, const char *what, int type, unsigned section, uint64_t value,
                       uint64_t size) {
    Elf64_Sym symbol = {.st_name = (Elf64_Word)m->names.size,
                        .st_info = ELF64_ST_INFO(STB_GLOBAL, type),
                        .st_shndx = (Elf64_Section)section,
                        .st_value = value,
                        .st_size = size};
    buffer_print(&m->names, "%s%s", kernel, what);
    m->names.size++; // with its zero
    buffer_append(&m->symbols, &symbol, sizeof symbol);
}

static void add_data(ImageMaker *m, const char *kernel, const char *what, const void *bytes, size_t size) {
    bool zeros = true;
    for (size_t i = 0; i < size; i++) zeros &= !((const char *)bytes)[i];
    if (zeros) { // as ptxas has it
        m->zeros = (m->zeros + 7) / 8 * 8 + size;
        add_symbol(m, kernel, what, STT_OBJECT, SECTION_ZEROS, m->zeros - size, size);
        return;
    }
    while (m->data.size % 8) buffer_append(&m->data, "", 1);
    add_symbol(m, kernel, what, STT_OBJECT, SECTION_DATA, m->data.size, size);
    buffer_append(&m->data, bytes, size);
}

static void add_section(Buffer *out, Elf64_Shdr *section, uint32_t type, const Buffer *bytes, uint32_t link) {
    while (out->size % 16) buffer_append(out, "", 1);
    *section = (Elf64_Shdr){.sh_type = type, .sh_offset = out->size, .sh_size = bytes->size, .sh_link = link};
    if (bytes->size) buffer_append(out, bytes->data, bytes->size);
}

Buffer image_make(const ImageKernel *kernel) {
    ImageMaker m = {0};
    Elf64_Sym none = {0};
    buffer_append(&m.names, "", 1);
    buffer_append(&m.symbols, &none, sizeof none);
    add_symbol(&m, kernel->name, "", STT_FUNC, SECTION_TEXT, 0, 16);
    if (!kernel->foreign) {
        add_data(&m, kernel->name, "_block_threads", &kernel->threads, 8);
        add_data(&m, kernel->name, "_shared_bytes", &kernel->shared_bytes, 8);
        add_data(&m, kernel->name, "_scratch_bytes", &kernel->scratch_bytes, 8);
        add_data(&m, kernel->name, "_site_count", &kernel->site_count, 8);
        const char *sites = kernel->sites ? kernel->sites : "";
        add_data(&m, kernel->name, "_sites", sites, strlen(sites) + 1);
        if (kernel->print_count) add_data(&m, kernel->name, "_print_count", &kernel->print_count, 8);
        if (kernel->prints) add_data(&m, kernel->name, "_prints", kernel->prints, kernel->prints_bytes);
    }
    const size_t launch_bytes = kernel->launch_bytes ? kernel->launch_bytes : sizeof(GpuLaunch);
    m.zeros = (m.zeros + 7) / 8 * 8;
    if (!kernel->no_launch && !kernel->foreign)
        add_symbol(&m, GPU_LAUNCH_NAME, "", STT_OBJECT, SECTION_ZEROS, m.zeros, launch_bytes);
    m.zeros += launch_bytes;
    Buffer out = {0}, code = {.data = (char[16]){0}, .size = 16};
    Elf64_Shdr sections[SECTION_COUNT] = {0};
    Elf64_Ehdr header = {.e_ident = ELFMAG,
                         .e_type = ET_EXEC,
                         .e_machine = 190,
                         .e_version = EV_CURRENT,
                         .e_ehsize = sizeof header,
                         .e_shentsize = sizeof sections[0],
                         .e_shnum = SECTION_COUNT,
                         .e_shstrndx = SECTION_NAMES};
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_ident[EI_VERSION] = EV_CURRENT;
    buffer_append(&out, &header, sizeof header);
    add_section(&out, &sections[SECTION_NAMES], SHT_STRTAB, &m.names, 0);
    add_section(&out, &sections[SECTION_SYMBOLS], SHT_SYMTAB, &m.symbols, SECTION_NAMES);
    add_section(&out, &sections[SECTION_TEXT], SHT_PROGBITS, &code, 0);
    add_section(&out, &sections[SECTION_DATA], SHT_PROGBITS, &m.data, 0);
    sections[SECTION_ZEROS] = (Elf64_Shdr){.sh_type = SHT_NOBITS, .sh_offset = out.size, .sh_size = m.zeros};
    while (out.size % 16) buffer_append(&out, "", 1);
    header.e_shoff = out.size;
    memcpy(out.data, &header, sizeof header);
    buffer_append(&out, sections, sizeof sections);
    buffer_free(&m.names);
    buffer_free(&m.symbols);
    buffer_free(&m.data);
    return out;
}

FakeDriver fake_driver(void) {
    void *library = dlopen(FAKE_LIBRARY, RTLD_NOW); // stays open for the process
    cr_assert(library, "%s", dlerror());
    FakeCudaState *state;
    FakeCudaReset *reset;
    FakeDriver driver;
    *(void **)&state = dlsym(library, "fake_cuda");
    *(void **)&reset = dlsym(library, "fake_cuda_reset");
    *(void **)&driver.kernel = dlsym(library, "fake_cuda_kernel");
    cr_assert(state && reset && driver.kernel, "this is a real driver");
    reset();
    driver.state = state();
    return driver;
}
