// SPDX-License-Identifier: Apache-2.0
// What the files that look for edits share.
#ifndef CONGRUENT_REPAIR_INTERNAL_H
#define CONGRUENT_REPAIR_INTERNAL_H

#include "compiler/repair/repair.h"

// A launch of the second variant.
typedef struct RepairSite {
    TirModule *module; // a copy
    const TirFunction *function;
    const TirOp **ops;    // of the function, by their numbers
    uint32_t first_tap;   // that of op 0
    RealMemory before;    // memory before the launch
    uint32_t alike;       // the first launch of the same kernel: an edit of it is one of this launch too
    uint32_t first_block; // the number of its first block among those of all launches
    uint32_t first_slice; // the first of Repair.slice that is of this launch or a later one
    bool in_slice;        // some are of this launch
    // If one alone is: its values at the end.
    RealValue *known;
    uint32_t known_count;
    RealScratch scratch;
    uint64_t cost; // elements that all blocks compute
} RepairSite;

// A block in which edits are tried first.
typedef struct RepairBlock {
    uint32_t launch, block[3];
} RepairBlock;
typedef struct RepairElement {
    uint32_t buffer;
    uint64_t index;
} RepairElement;

struct Repair {
    Arena *arena;
    uint32_t buffer_count;
    const RepairBuffer *buffers;
    RepairVariant variants[2];
    RealMemory reference, left; // what the first variant leaves, and the second
    RealBuffer *expected;       // of it the compared buffers; others have no elements
    double relative, *scales;
    bool stored_once; // the second variant stores each compared element at most once
    uint64_t wrong;
    bool **is_wrong; // per buffer, of the compared ones
    // A block that leaves wrong elements, behind all those that it needs, in the order in which they run; all the
    // compared elements that it leaves, the first of them wrong. slice_count 0: there is none.
    uint32_t slice_count, slice_element_count;
    RepairBlock *slice;
    RepairElement *slice_elements;
    uint64_t *block_costs, slice_cost;
    RealTrace trace;
    RepairSite *sites;
    RepairTap *taps;
    uint32_t tap_count;
    size_t tap_capacity;
    struct RepairNumbers *numbers; // that occur in the first variant
    RealScratch scratch;
    uint64_t trials, listed; // runs of edits; edits that there are
};

// ---- repair.c, repair_search.c --------------------------------------------------------------------------------------

static const uint64_t REPAIR_BUDGET = UINT64_C(400000000); // elements that a variant may compute

const TirFunction *repair_function(const RepairLaunch *launch);
// Runs all blocks of a launch, one after the other. False: one cannot be run.
bool repair_run_blocks(RealRun *run);

// ---- repair_sink.c --------------------------------------------------------------------------------------------------

// A copy of the module that needs nothing of it: it is written, as bytecode or else as text, and read again. NULL: it
// cannot be. tir_module_close frees it.
TirModule *repair_copy(const TirModule *module);
// A copy of the module in which ops that one loop alone uses are in that loop; tir_module_close frees it. NULL: the
// module cannot be copied so.
TirModule *repair_sink(const TirModule *module);

// ---- repair_apply.c: editing ----------------------------------------------------------------------------------------

// Makes the types that the edit needs, in the launch's module. False: there is no such edit.
bool repair_prepare(const Repair *repair, const RepairEdit *edit);
// The launch's module with the edit; tir_module_close frees it. It uses the types of the launch's module. *function:
// the kernel in it; *first: the first op that the edit may change the result of.
TirModule *repair_apply(const Repair *repair, const RepairEdit *edit, const TirFunction **function,
                        const TirOp **first);

// ---- repair_list.c: which edits there are ---------------------------------------------------------------------------

typedef struct RepairList {
    size_t count, capacity;
    RepairEdit *edits;
} RepairList;
// All edits of a launch, in the arena.
void repair_list(const Repair *repair, uint32_t launch, RepairList *list);
unsigned repair_cost(RepairEditKind kind);

#endif
