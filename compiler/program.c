// SPDX-License-Identifier: Apache-2.0
// Programs: the front ends, and what each form of a module can be asked.
#include "compiler/addresses.h"
#include "compiler/ptx/ptx.h"
#include "compiler/tileir/tir.h"
#include "compiler/triton/triton.h"

#include <string.h>

static const FrontEnd *const front_ends[] = {&ptx_front_end, &tri_front_end,
                                             &tir_front_end}; // the last one takes every file

// What kernels also come in, and nobody reads: by its first four bytes.
static const struct {
    char first[4];
    const char *what;
} others[] = {
    {{0x7f, 'E', 'L', 'F'}, "an ELF file, such as a cubin"},
    {{0x50, (char)0xed, 0x55, (char)0xba}, "a fat binary of CUDA"},
    {{'B', 'C', (char)0xc0, (char)0xde}, "bitcode of LLVM"},
};

static bool refuse_others(Diagnostics *diagnostics, const char *path, const uint8_t *bytes, size_t size) {
    for (size_t i = 0; i < BASE_COUNT(others); i++)
        if (size >= sizeof others[i].first && !memcmp(bytes, others[i].first, sizeof others[i].first))
            return diag_fail(
                diagnostics, (Location){.file = path}, E_BYTECODE,
                "this is %s; kernels are read from PTX, and from bytecode and text of Tile IR, and from Triton IR",
                others[i].what);
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
