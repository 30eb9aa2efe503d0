// SPDX-License-Identifier: Apache-2.0
// The modules of a case: each file is read and verified once; each launch finds its entry and its argument values.
#include "diff/program.h"

#include <string.h>

typedef struct ProgramLoader {
    Diagnostics *diagnostics;
    Arena *arena;
    FpdProgram *program;
    Map paths;
    size_t capacity;
} ProgramLoader;

static bool load_module(ProgramLoader *l, const FpdLaunch *launch, uint32_t *index) {
    uint64_t known;
    if (map_find(&l->paths, launch->path, &known)) {
        *index = (uint32_t)known;
        return true;
    }
    FpdProgram *program = l->program;
    TirModule *tir = tir_read_file(l->diagnostics, launch->path);
    if (!tir) return false;
    program->modules =
        arena_grow(l->arena, program->modules, program->module_count, &l->capacity, sizeof *program->modules);
    *index = program->module_count++;
    program->modules[*index] = (FpdModule){.path = launch->path, .tir = tir};
    map_insert(&l->paths, l->arena, launch->path, *index);
    return tir_verify(l->diagnostics, tir);
}

// The name of an entry before the mangling; in full where that cannot be told or another entry has it too.
static const char *short_name(ProgramLoader *l, const TirModule *module, uint32_t function) {
    FpdEntryName name, other;
    const char *problem, *full = module->functions[function].name;
    if (!fpd_read_entry_name(l->arena, full, &name, &problem)) return full;
    for (uint32_t f = 0; f < module->function_count; f++)
        if (f != function && module->functions[f].entry &&
            fpd_read_entry_name(l->arena, module->functions[f].name, &other, &problem) &&
            !strcmp(other.name, name.name))
            return full;
    return name.name;
}

static const char *entry_list(ProgramLoader *l, const TirModule *module) {
    const char *list = "none";
    for (uint32_t f = 0, shown = 0; f < module->function_count && shown < 20; f++) {
        if (!module->functions[f].entry) continue;
        const char *text = short_name(l, module, f);
        list = shown++ ? arena_format(l->arena, "%s, %s", list, text) : text;
    }
    return list;
}

// The entry called launch->kernel (in full, or before the mangling), or the only one.
static bool find_entry(ProgramLoader *l, const FpdLaunch *launch, const TirModule *module, uint32_t *function) {
    uint32_t exact = 0, plain = 0, entries = 0, last = 0, exact_at = 0, plain_at = 0;
    for (uint32_t f = 0; f < module->function_count; f++) {
        FpdEntryName name;
        const char *problem;
        if (!module->functions[f].entry) continue;
        entries++;
        last = f;
        if (!launch->kernel) continue;
        if (!strcmp(module->functions[f].name, launch->kernel))
            exact++, exact_at = f;
        else if (fpd_read_entry_name(l->arena, module->functions[f].name, &name, &problem) &&
                 !strcmp(name.name, launch->kernel))
            plain++, plain_at = f;
    }
    if (!launch->kernel && entries == 1) return *function = last, true;
    if (!launch->kernel)
        return diag_fail(l->diagnostics, launch->module_at, E_CASE,
                         "module %s has %u entries, expected one, or the key kernel with one of: %s", launch->path,
                         entries, entry_list(l, module));
    if (exact) return *function = exact_at, true;
    if (plain == 1) return *function = plain_at, true;
    return diag_fail(l->diagnostics, launch->kernel_at, E_CASE, "%s entry '%s' in module %s, expected one of: %s",
                     plain ? "more than one" : "no", launch->kernel, launch->path, entry_list(l, module));
}

static bool resolve_launch(ProgramLoader *l, const FpdLaunch *launch, FpdResolvedLaunch *resolved) {
    FpdParameter *parameters;
    FpdEntryName name;
    const char *problem;
    if (!load_module(l, launch, &resolved->module)) return false;
    const TirModule *module = l->program->modules[resolved->module].tir;
    if (!find_entry(l, launch, module, &resolved->function)) return false;
    const TirFunction *entry = &module->functions[resolved->function];
    if (!fpd_entry_parameters(l->diagnostics, l->arena, entry, &resolved->value_count, &parameters)) return false;
    if (!fpd_match_arguments(l->diagnostics, l->arena, l->program->cas, launch, entry->name, resolved->value_count,
                             parameters, &resolved->values))
        return false;
    char *kernel = arena_text(l->arena, entry->name, strlen(entry->name));
    if (fpd_read_entry_name(l->arena, entry->name, &name, &problem))
        kernel = arena_text(l->arena, name.name, strlen(name.name));
    for (char *c = kernel; *c; c++) // names in bytecode may be any bytes; this one goes to terminals
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    resolved->kernel = kernel;
    resolved->uses = fpd_memory_use(l->arena, entry);
    return true;
}

FpdProgram *fpd_load_program(Diagnostics *diagnostics, Arena *arena, const FpdCase *cas) {
    ProgramLoader l = {.diagnostics = diagnostics, .arena = arena, .program = arena_new(arena, FpdProgram)};
    l.program->cas = cas;
    l.program->launches = arena_array(arena, FpdResolvedLaunch *, cas->variant_count);
    for (uint32_t v = 0; v < cas->variant_count; v++) {
        const FpdVariant *variant = &cas->variants[v];
        l.program->launches[v] = arena_array(arena, FpdResolvedLaunch, variant->launch_count);
        for (uint32_t i = 0; i < variant->launch_count; i++)
            if (!resolve_launch(&l, &variant->launches[i], &l.program->launches[v][i])) {
                fpd_program_close(l.program);
                return NULL;
            }
    }
    if (!fpd_check_meanings(diagnostics, l.program)) {
        fpd_program_close(l.program);
        return NULL;
    }
    return l.program;
}

void fpd_program_close(FpdProgram *program) {
    for (uint32_t m = 0; program && m < program->module_count; m++) {
        tir_module_close(program->modules[m].tir);
        program->modules[m].tir = NULL;
    }
}

FpdUse fpd_stored_tile(const FpdProgram *program, uint32_t variant, uint32_t buffer) {
    FpdUse use = {0};
    for (uint32_t i = 0; i < program->cas->variants[variant].launch_count; i++) {
        const FpdResolvedLaunch *launch = &program->launches[variant][i];
        for (uint32_t v = 0; v < launch->value_count; v++)
            if (launch->values[v].pointer && launch->values[v].buffer == buffer && launch->uses[v].writes)
                use = launch->uses[v];
    }
    if (use.tile_rank != program->cas->buffers[buffer].rank) use.tile_rank = 0;
    return use;
}
