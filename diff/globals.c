// SPDX-License-Identifier: Apache-2.0
// Globals of modules: each is memory of its own, which begins anew with its value for each run of a variant.
#include "diff/run.h"

#include <string.h>

static bool open_global(Diagnostics *diagnostics, Arena *arena, RtDevice *device, const FpdModule *module,
                        uint32_t index, uint64_t *total) {
    const ProgramGlobal *global = &module->program->globals[index];
    FpdGlobal *opened = &module->globals[index];
    uint64_t bytes = global->size;
    char *name = arena_text(arena, global->name, strlen(global->name));
    for (char *c = name; *c; c++) // may be any bytes; this one goes to terminals
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    *opened = (FpdGlobal){.buffer = {.name = name, .elements = global->elements, .bytes = bytes, .type = global->type}};
    opened->has_type = global->type < ELEMENT_TYPE_COUNT && element_info(global->type)->in_cases;
    *total += bytes;
    if (*total > FPD_BYTES_MAX)
        return diag_fail(diagnostics, (Location){.file = module->path}, E_LIMIT,
                         "the globals of the modules have more than %llu bytes", (unsigned long long)FPD_BYTES_MAX);
    opened->initial = arena_alloc(arena, bytes + 1);
    program_fill_global(module->program, index, opened->initial);
    // Buffers end at a page, so one of a multiple of the alignment begins at one (lowering refuses more than a page).
    if (global->alignment > 64 && global->alignment <= PROGRAM_GLOBAL_ALIGNMENT_MAX)
        bytes = (bytes + global->alignment - 1) / global->alignment * global->alignment;
    opened->memory = rt_alloc(device, diagnostics, bytes);
    if (opened->memory) opened->memory->name = name;
    return opened->memory;
}

// The addresses of globals that stand in a global.
static void place_references(FpdModule *module, uint32_t index) {
    const ProgramGlobal *global = &module->program->globals[index];
    for (uint32_t r = 0; r < global->reference_count; r++) {
        const ProgramReference *reference = &global->references[r];
        const uint64_t address = module->globals[reference->global].memory->address + (uint64_t)reference->offset;
        memcpy(module->globals[index].initial + reference->at, &address, reference->bytes); // both little endian
    }
}

bool fpd_open_globals(Diagnostics *diagnostics, Arena *arena, RtDevice *device, const FpdPrograms *programs) {
    uint64_t total = 0;
    for (uint32_t m = 0; m < programs->module_count; m++) {
        FpdModule *module = &programs->modules[m];
        module->globals = arena_array(arena, FpdGlobal, module->program->global_count + 1u);
        for (uint32_t g = 0; g < module->program->global_count; g++)
            if (!open_global(diagnostics, arena, device, module, g, &total)) return false;
        for (uint32_t g = 0; g < module->program->global_count; g++) place_references(module, g);
    }
    return true;
}

void fpd_close_globals(RtDevice *device, const FpdPrograms *programs) {
    for (uint32_t m = 0; m < programs->module_count; m++) {
        FpdModule *module = &programs->modules[m];
        for (uint32_t g = 0; module->globals && g < module->program->global_count; g++)
            if (module->globals[g].memory) rt_free(device, module->globals[g].memory);
        module->globals = NULL;
    }
}

bool fpd_fill_globals(Diagnostics *diagnostics, RtDevice *device, const FpdPrograms *programs,
                      const TowerMeaning *meanings, bool shadow) {
    for (uint32_t m = 0; m < programs->module_count; m++)
        for (uint32_t g = 0; g < programs->modules[m].program->global_count; g++) {
            const FpdGlobal *global = &programs->modules[m].globals[g];
            if (!rt_copy_in(device, diagnostics, global->memory, 0, global->initial, global->buffer.bytes))
                return false;
            if (shadow && global->has_type && fpd_has_records(global->buffer.type))
                fpd_put_literals(programs->cas, meanings, &global->buffer, device, global->memory, global->initial);
        }
    return true;
}
