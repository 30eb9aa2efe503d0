// SPDX-License-Identifier: Apache-2.0
// Functions that were made when the project was built: which there are, and which set suits this machine.
#include "compiler/target/target_internal.h"

#include <pthread.h>
#include <string.h>

// The tables of the objects that make_precompiled.c makes, which take the place of these where they are linked.
#define PRECOMPILED_SET(id, cpu)                                                                                       \
    extern const MachineFunction congruent_precompiled_##id[];                                                         \
    __attribute__((weak)) const MachineFunction congruent_precompiled_##id[] = {{NULL, NULL}};
#include "compiler/target/precompiled.def"
#undef PRECOMPILED_SET

static const struct SetRow {
    PrecompiledSet set;
    const MachineFunction *functions;
} set_rows[] = {
#define PRECOMPILED_SET(id, cpu) {{"congruent_precompiled_" #id, cpu}, congruent_precompiled_##id},
#include "compiler/target/precompiled.def"
#undef PRECOMPILED_SET
};

const PrecompiledSet *precompiled_set(size_t index) {
    return index < BASE_COUNT(set_rows) ? &set_rows[index].set : NULL;
}

const MachineFunction *precompiled_functions(size_t index) {
    return set_rows[index].functions->name ? set_rows[index].functions : NULL;
}

bool precompiled_runs_here(size_t index) {
    Diagnostics unused = {0};
    const bool runs = target_runs_here(&unused, set_rows[index].set.cpu);
    diagnostics_close(&unused);
    return runs;
}

// What calls them passes lanes in whole registers.
static bool has_registers_of(const char *cpu) {
    Diagnostics unused = {0};
    Target *of = target_open(&unused, cpu, 0), *here = target_open(&unused, NULL, 0);
    const bool same = of && here && of->machine.vector_bits == here->machine.vector_bits;
    target_close(of);
    target_close(here);
    diagnostics_close(&unused);
    return same;
}

static const MachineFunction *functions_here;

static void find_here(void) {
    for (size_t i = 0; !functions_here && i < BASE_COUNT(set_rows); i++)
        if (precompiled_runs_here(i) && has_registers_of(set_rows[i].set.cpu))
            functions_here = precompiled_functions(i);
}

const MachineFunction *precompiled_here(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_here);
    return functions_here;
}

const MachineFunction *machine_function(const Machine *machine, const char *name) {
    for (const MachineFunction *row = machine->functions; row && row->name; row++)
        if (!strcmp(row->name, name)) return row;
    return NULL;
}
