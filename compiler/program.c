// SPDX-License-Identifier: Apache-2.0
// Programs: the front ends, and what each form of a module can be asked.
#include "compiler/program.h"
#include "compiler/ptx/ptx.h"
#include "compiler/tileir/tir.h"

static const FrontEnd *const front_ends[] = {&ptx_front_end, &tir_front_end}; // the last one takes every file

const Program *program_read(Diagnostics *diagnostics, const char *path) {
    Arena arena = {0};
    uint8_t *bytes;
    size_t size, last = BASE_COUNT(front_ends) - 1;
    const Program *program = NULL;
    if (file_read(diagnostics, &arena, path, &bytes, &size)) {
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
} FormRow;
static const FormRow forms[] = {
    [PROGRAM_TILES] = {tir_program_close, tir_program_fill_global, tir_program_print_identity},
    [PROGRAM_PTX] = {ptx_program_close, ptx_program_fill_global, ptx_program_print_identity},
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
