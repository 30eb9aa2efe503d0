// SPDX-License-Identifier: Apache-2.0
// Shared by the files on accesses through tiles of pointers: by steps (memory_pointer.c) and by rows (memory_rows.c).
#ifndef CONGRUENT_MEMORY_POINTER_H
#define CONGRUENT_MEMORY_POINTER_H

#include "compiler/lower/lines.h"
#include "compiler/lower/memory_internal.h"

typedef struct PointerAccess {
    TirValue pointers, mask; // mask: TIR_NO_VALUE if there is none
    EmitElement element;
    unsigned bytes;    // of an element in memory
    LLVMTypeRef plane; // integer type of an element in memory
    RecordPlace records;
    bool is_store, to_tile; // to_tile: what is loaded goes to a tile in memory
    bool is_packed;         // elements of four bits: pointers are numbers of elements
    PackedPlace packed;
    LLVMAtomicOrdering ordering; // not atomic for weak accesses
    int origin;
    const char *message;
    RaceLog log;
} PointerAccess;

// The lanes of one step.
typedef struct PointerLanes {
    unsigned count;               // 0: scalars
    LLVMValueRef addresses, mask; // mask NULL: all are active
    LLVMValueRef marks;           // of the addresses, or NULL
    LLVMValueRef planes[NUMERIC_PLANES_MAX];
    bool neighbours; // addresses: of the first of them, a scalar; those that are active lie in the buffer
} PointerLanes;

// The elements of the tile, one after the other. map: iteration bits to flat index bits; to: to those of the tile that
// is loaded. line: of accesses by rows.
typedef struct PointerNest {
    Nest nest;
    TileMap map, to;
    Line line;
} PointerNest;

typedef struct PointerLoad {
    PointerAccess access;
    TirValue result, padding; // padding: TIR_NO_VALUE if there is none
    EmitVal tile;             // what is loaded
} PointerLoad;

// ---- memory_pointer.c -----------------------------------------------------------------------------------------------

// The lanes of the step, by what the pointers and the mask are.
bool pointer_lanes(Emit *e, const PointerAccess *access, PointerNest *steps, PointerLanes *lanes);
// Loads or stores them and their records.
void pointer_access(Emit *e, const PointerAccess *access, bool is_store, PointerLanes *lanes);
// Loads them, pads them, and stores them in the tile. *value: what was loaded.
bool pointer_load(Emit *e, const PointerLoad *load, PointerNest *steps, PointerLanes *lanes, NumericValue *value);

// ---- memory_rows.c --------------------------------------------------------------------------------------------------

// Whether the tile is accessed by rows, each of which is a piece of memory if conditions hold that code can ask.
bool rows_find(Emit *e, const PointerAccess *access, TirType tile, PointerNest *steps);
// The whole access. False, with a diagnostic, if it fails.
bool rows_load(Emit *e, PointerLoad *load, TirType tile, PointerNest *steps);
bool rows_store(Emit *e, const PointerAccess *access, TirValue value, PointerNest *steps);

#endif
