// SPDX-License-Identifier: Apache-2.0
// Mutants of the variants of a case: small edits of the kernels that its launches run (compiler/mutate). They are
// compiled in groups with a switch, so that trying one costs a run and no compilation.
#ifndef CONGRUENT_FPD_MUTANTS_H
#define CONGRUENT_FPD_MUTANTS_H

#include "compiler/mutate/tile_mutants.h"
#include "diff/judge.h"

// ---- mutants.c ------------------------------------------------------------------------------------------------------

// A mutant of a kernel that a variant launches. Every launch of that kernel in the variant runs the mutant.
typedef struct FpdMutant {
    uint32_t variant;
    const ProgramKernel *entry; // of the plain program
    const char *kernel;         // its name before the mangling
    const TileMutant *edit;     // operator, op, source line, words
    uint32_t group;             // of the variant's module with the switch
    uint32_t number;            // what the switch is for this mutant
} FpdMutant;
typedef struct FpdMutants {
    Arena *arena;
    FpdPrograms *programs; // the plain ones
    uint32_t count;
    FpdMutant *items; // by variant, in the order of its launches and of the code
    uint32_t group_count;
    struct FpdMutantGroup *groups;
} FpdMutants;
#define FPD_MUTATE_ALL UINT32_MAX

// Lists all mutants of one variant, or of all. NULL and E_UNSUPPORTED, which names the module, if one is not of Tile
// IR. Modules are made, and not compiled. fpd_close_mutants closes them, with all that was compiled of them; the
// programs must live until then. Both are in the arena.
FpdMutants *fpd_open_mutants(Diagnostics *diagnostics, Arena *arena, FpdPrograms *programs, uint32_t variant);
// Closes what was compiled of a group.
void fpd_close_mutant_group(const FpdMachine *machine, const FpdMutants *mutants, uint32_t group);
void fpd_close_mutants(const FpdMachine *machine, FpdMutants *mutants);

// `base` with mutant `index` in place of its variant's kernel; with `on` false with the same code and the switch at 0,
// which is the plain kernel. `base`: programs of the same case file, as those that the mutants were listed of, but
// maybe with a copy of the case that has another seed, chain or the like, or with other parameters of the case file. In
// the arena; never closed. They may be run in any way: fpd_run_case, fpd_run_again. Compiled modules are shared with
// `base` and with all other mutants of the group, so run them with FpdMachine.keep_compiled (fpd_close_mutants closes
// those of mutants).
FpdPrograms *fpd_mutant_programs(Arena *arena, const FpdMutants *mutants, const FpdPrograms *base, uint32_t index,
                                 bool on);
// The same with the mutant built alone, without a switch. The caller closes what was compiled of the last of their
// modules, and *program (program_close). NULL and diagnostics on failure.
FpdPrograms *fpd_mutant_alone(Diagnostics *diagnostics, Arena *arena, const FpdMutants *mutants,
                              const FpdPrograms *base, uint32_t index, const Program **program);

#endif
