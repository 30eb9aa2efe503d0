// SPDX-License-Identifier: Apache-2.0
// The mutants of a case, and its programs with one of them. Kernels are compiled in groups of mutants: every one costs
// the others a little time, and every group a compilation.
#include "diff/mutants.h"

#include <string.h>

enum { GROUP_MAX = 64 };

// Some mutants of a kernel, which several variants may launch.
typedef struct FpdMutantGroup {
    FpdModule module; // its program has one kernel, with the switch
} FpdMutantGroup;

typedef struct KernelMutants { // of one kernel
    const ProgramKernel *entry;
    const char *kernel;
    uint32_t first_group;
    TileMutants mutants;
} KernelMutants;

typedef struct Listing {
    Diagnostics *diagnostics;
    FpdMutants *all;
    KernelMutants *kernels;
    size_t kernel_count, kernel_capacity, item_capacity, group_capacity;
} Listing;

// ---- listing --------------------------------------------------------------------------------------------------------

static uint32_t find_function(const TirModule *module, const char *name) {
    uint32_t f = 0;
    while (!module->functions[f].entry || strcmp(module->functions[f].name, name) != 0) f++;
    return f; // programs are made of modules, so it is there
}

// Only launches of the kernel run it.
static FpdModule edited_module(Arena *arena, const FpdModule *from, const ProgramKernel *kernel,
                               const Program *program) {
    bool *launched = arena_array(arena, bool, program->kernel_count + 1u);
    for (uint32_t k = 0; k < program->kernel_count; k++) launched[k] = !strcmp(program->kernels[k].name, kernel->name);
    return (FpdModule){.path = from->path, .program = program, .launched = launched};
}

static bool add_group(Listing *l, const FpdModule *from, const ProgramKernel *kernel, const TileMutant *mutants,
                      uint32_t count) {
    FpdMutants *all = l->all;
    TirModule *made = tile_mutants_switched(l->diagnostics, from->program->tiles, mutants, count);
    if (!made) return false;
    all->groups = arena_grow(all->arena, all->groups, all->group_count, &l->group_capacity, sizeof *all->groups);
    FpdMutantGroup *group = &all->groups[all->group_count++];
    group->module = edited_module(all->arena, from, kernel, tir_program(made));
    fpd_module_reserve(all->arena, all->programs->cas, &group->module);
    return true;
}

static KernelMutants *mutants_of(Listing *l, const FpdResolvedLaunch *launch) {
    const FpdModule *module = &l->all->programs->modules[launch->module];
    for (size_t k = 0; k < l->kernel_count; k++)
        if (l->kernels[k].entry == launch->entry) return &l->kernels[k];
    l->kernels = arena_grow(l->all->arena, l->kernels, l->kernel_count, &l->kernel_capacity, sizeof *l->kernels);
    KernelMutants *kernel = &l->kernels[l->kernel_count++];
    *kernel = (KernelMutants){.entry = launch->entry, .kernel = launch->kernel, .first_group = l->all->group_count};
    if (launch->entry->has_parts) {
        diag_fail(l->diagnostics, launch->entry->at, E_UNSUPPORTED,
                  "the blocks of kernel %s have parts, and kernels with parts have no mutants yet", launch->kernel);
        return NULL;
    }
    tile_list_mutants(l->all->arena, module->program->tiles, find_function(module->program->tiles, launch->entry->name),
                      &kernel->mutants);
    for (uint32_t i = 0; i < kernel->mutants.count; i += GROUP_MAX) {
        const uint32_t left = kernel->mutants.count - i;
        if (!add_group(l, module, launch->entry, &kernel->mutants.items[i], left < GROUP_MAX ? left : GROUP_MAX))
            return NULL;
    }
    return kernel;
}

static bool list_variant(Listing *l, uint32_t variant) {
    FpdMutants *all = l->all;
    const FpdResolvedLaunch *launches = all->programs->launches[variant];
    for (uint32_t i = 0; i < all->programs->cas->variants[variant].launch_count; i++) {
        bool known = false;
        for (uint32_t k = 0; k < i; k++) known |= launches[k].entry == launches[i].entry;
        if (known) continue;
        const KernelMutants *kernel = mutants_of(l, &launches[i]);
        if (!kernel) return false;
        for (uint32_t m = 0; m < kernel->mutants.count; m++) {
            all->items = arena_grow(all->arena, all->items, all->count, &l->item_capacity, sizeof *all->items);
            all->items[all->count++] = (FpdMutant){.variant = variant,
                                                   .entry = kernel->entry,
                                                   .kernel = kernel->kernel,
                                                   .edit = &kernel->mutants.items[m],
                                                   .group = kernel->first_group + m / GROUP_MAX,
                                                   .number = m % GROUP_MAX + 1};
        }
    }
    return true;
}

// Only Tile IR can be mutated.
static bool check_forms(Diagnostics *diagnostics, const FpdPrograms *programs) {
    for (uint32_t m = 0; m < programs->module_count; m++)
        if (programs->modules[m].program->form != PROGRAM_TILES)
            return diag_fail(diagnostics, (Location){.file = programs->modules[m].path}, E_UNSUPPORTED,
                             "this module is no Tile IR, and only modules of Tile IR can be mutated");
    return true;
}

FpdMutants *fpd_open_mutants(Diagnostics *diagnostics, Arena *arena, FpdPrograms *programs, uint32_t variant) {
    FpdMutants *all = arena_new(arena, FpdMutants);
    Listing l = {.diagnostics = diagnostics, .all = all};
    bool good = check_forms(diagnostics, programs);
    *all = (FpdMutants){.arena = arena, .programs = programs};
    for (uint32_t v = 0; v < programs->cas->variant_count && good; v++)
        if (variant == FPD_MUTATE_ALL || variant == v) good = list_variant(&l, v);
    if (good) return all;
    fpd_close_mutants(NULL, all);
    return NULL;
}

void fpd_close_mutant_group(const FpdMachine *machine, const FpdMutants *mutants, uint32_t group) {
    FpdPrograms programs = {
        .cas = mutants->programs->cas, .module_count = 1, .modules = &mutants->groups[group].module};
    fpd_close_compiled(machine, &programs);
}

void fpd_close_mutants(const FpdMachine *machine, FpdMutants *mutants) {
    for (uint32_t g = 0; mutants && g < mutants->group_count; g++) {
        FpdModule *module = &mutants->groups[g].module;
        if (machine) fpd_close_mutant_group(machine, mutants, g);
        program_close(module->program);
        module->program = NULL;
    }
}

// ---- programs -------------------------------------------------------------------------------------------------------

// Whether launch `i` of the mutant's variant runs the mutated kernel.
static bool runs_it(const FpdMutants *mutants, const FpdMutant *mutant, uint32_t i) {
    return mutants->programs->launches[mutant->variant][i].entry == mutant->entry;
}

// `base` with one module more, which the launches of the mutated kernel run.
static FpdPrograms *with_module(Arena *arena, const FpdMutants *mutants, const FpdPrograms *base,
                                const FpdMutant *mutant, const FpdModule *module) {
    FpdPrograms *programs = arena_new(arena, FpdPrograms);
    const FpdVariant *variants = base->cas->variants;
    *programs = (FpdPrograms){.cas = base->cas, .module_count = base->module_count + 1};
    programs->modules = arena_array(arena, FpdModule, programs->module_count);
    memcpy(programs->modules, base->modules, base->module_count * sizeof *programs->modules);
    programs->modules[base->module_count] = *module;
    programs->launches = arena_array(arena, FpdResolvedLaunch *, base->cas->variant_count);
    for (uint32_t v = 0; v < base->cas->variant_count; v++) {
        programs->launches[v] = arena_array(arena, FpdResolvedLaunch, variants[v].launch_count + 1u);
        memcpy(programs->launches[v], base->launches[v], variants[v].launch_count * sizeof *programs->launches[v]);
    }
    for (uint32_t i = 0; i < variants[mutant->variant].launch_count; i++) {
        FpdResolvedLaunch *launch = &programs->launches[mutant->variant][i];
        if (!runs_it(mutants, mutant, i)) continue;
        launch->module = base->module_count;
        launch->entry = &module->program->kernels[0];
    }
    return programs;
}

FpdPrograms *fpd_mutant_programs(Arena *arena, const FpdMutants *mutants, const FpdPrograms *base, uint32_t index,
                                 bool on) {
    const FpdMutant *mutant = &mutants->items[index];
    FpdPrograms *programs = with_module(arena, mutants, base, mutant, &mutants->groups[mutant->group].module);
    for (uint32_t i = 0; i < base->cas->variants[mutant->variant].launch_count; i++) {
        FpdResolvedLaunch *launch = &programs->launches[mutant->variant][i];
        if (!runs_it(mutants, mutant, i)) continue;
        const uint32_t count = launch->entry->parameter_count; // the last one is the switch
        FpdValue *values = arena_array(arena, FpdValue, count);
        memcpy(values, launch->values, (count - 1) * sizeof *values);
        values[count - 1] = (FpdValue){.bits = on ? mutant->number : 0, .text = "mutant"};
        launch->values = values;
    }
    return programs;
}

FpdPrograms *fpd_mutant_alone(Diagnostics *diagnostics, Arena *arena, const FpdMutants *mutants,
                              const FpdPrograms *base, uint32_t index, const Program **program) {
    const FpdMutant *mutant = &mutants->items[index];
    const FpdModule *from = NULL;
    for (uint32_t i = 0; i < base->cas->variants[mutant->variant].launch_count; i++)
        if (runs_it(mutants, mutant, i))
            from = &mutants->programs->modules[mutants->programs->launches[mutant->variant][i].module];
    TirModule *made = tile_mutant_alone(diagnostics, from->program->tiles, mutant->edit);
    if (!made) return NULL;
    *program = tir_program(made);
    FpdModule module = edited_module(arena, from, mutant->entry, *program);
    fpd_module_reserve(arena, base->cas, &module);
    return with_module(arena, mutants, base, mutant, &module);
}
