// SPDX-License-Identifier: Apache-2.0
// Programs: the front ends, and what each form of a module can be asked.
#include "compiler/addresses.h"
#include "compiler/ptx/ptx.h"
#include "compiler/tileir/tir.h"
#include "compiler/triton/triton.h"

#include <string.h>

static const FrontEnd *const front_ends[] = {&ptx_front_end, &tri_front_end,
                                             &tir_front_end}; // the last one takes every file

// What is no kernel that can be read, by its first bytes, behind white space where that is text; and what to do about
// it, NULL: to give one of those.
static const char readable[] = "kernels are read from PTX, and from bytecode and text of Tile IR, and from Triton IR "
                               "(export that: the file .ttir, asm['ttir'] of the compiled kernel)";
static const struct {
    uint8_t length;
    bool is_text;
    const char *first, *what, *remedy;
} others[] = {
    {4, false, "\177ELF", "an ELF file, such as a cubin", NULL},
    {4, false, "\x50\xed\x55\xba", "a fat binary of CUDA", NULL},
    {4, false, "BC\xc0\xde", "bitcode of LLVM", NULL},
    {2, false, "\x1f\x8b", "a file packed by gzip", "unpack it"},
    {4, false, "\x28\xb5\x2f\xfd", "a file packed by zstd", "unpack it"},
    {4, false, "PK\3\4", "a zip archive", "unpack it"},
    {3, false, "\xef\xbb\xbf", "text that begins with a byte order mark", "save it as UTF-8 without one"},
    {2, false, "\xff\xfe", "text in UTF-16", "save it as UTF-8"},
    {2, false, "\xfe\xff", "text in UTF-16", "save it as UTF-8"},
    {1, true, ";", "text of LLVM IR", NULL},
    {15, true, "source_filename", "text of LLVM IR", NULL},
    {9, true, "Function:", "SASS", NULL},
    {1, true, "{", "JSON", NULL},
    {1, true, "[", "JSON", NULL},
    {8, true, "@triton.", "Python", NULL},
    {7, true, "import ", "Python", NULL},
    {5, true, "from ", "Python", NULL},
};

static bool is_space(uint8_t byte) {
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static bool refuse_others(Diagnostics *diagnostics, const char *path, const uint8_t *bytes, size_t size) {
    const Location at = {.file = path};
    size_t space = 0;
    while (space < size && is_space(bytes[space])) space++;
    if (space == size) return diag_fail(diagnostics, at, E_BYTECODE, "the file is empty; %s", readable);
    for (size_t i = 0; i < BASE_COUNT(others); i++) {
        const size_t from = others[i].is_text ? space : 0;
        if (size - from >= others[i].length && !memcmp(bytes + from, others[i].first, others[i].length))
            return diag_fail(diagnostics, at, E_BYTECODE, "this is %s; %s", others[i].what,
                             others[i].remedy ? others[i].remedy : readable);
    }
    return true;
}

const Program *program_read(Diagnostics *diagnostics, const char *path) {
    Arena arena = {0};
    uint8_t *bytes;
    size_t size, last = BASE_COUNT(front_ends) - 1;
    const Program *program = NULL;
    if (file_read(diagnostics, &arena, path, &bytes, &size) && refuse_others(diagnostics, path, bytes, size)) {
        size_t i = 0;
        while (i < last && !front_ends[i]->recognises(path, bytes, size)) i++;
        program = front_ends[i]->read(diagnostics, path, bytes, size);
    }
    arena_reset(&arena);
    return program;
}

// What differs from form to form.
typedef struct FormRow {
    void (*close)(const Program *program);
    void (*fill_global)(const Program *program, uint32_t global, uint8_t *bytes);
    bool (*print_identity)(const Program *program, Buffer *out);
    ProgramAddresses (*addresses)(const Program *program, const ProgramKernel *kernel);
} FormRow;
static ProgramAddresses any_addresses(const Program *program, const ProgramKernel *kernel) {
    (void)program, (void)kernel;
    return (ProgramAddresses){.followed = {.reads = true, .writes = true, .unknown = true}};
}

static const FormRow forms[] = {
    [PROGRAM_TILES] = {tir_program_close, tir_program_fill_global, tir_program_print_identity, tir_kernel_addresses},
    [PROGRAM_PTX] = {ptx_program_close, ptx_program_fill_global, ptx_program_print_identity, any_addresses},
};
_Static_assert(BASE_COUNT(forms) == PROGRAM_FORM_COUNT, "a row for each form");

void program_close(const Program *program) {
    if (program) forms[program->form].close(program);
}

void program_fill_global(const Program *program, uint32_t global, uint8_t *bytes) {
    forms[program->form].fill_global(program, global, bytes);
}

bool program_print_identity(const Program *program, Buffer *out) {
    return forms[program->form].print_identity(program, out);
}

ProgramAddresses program_addresses(const Program *program, const ProgramKernel *kernel) {
    return forms[program->form].addresses(program, kernel);
}
