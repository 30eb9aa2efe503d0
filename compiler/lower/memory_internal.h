// SPDX-License-Identifier: Apache-2.0
// Buffers as kernels see them: what an address may touch, how a value lies in memory, and the records of floats. Shared
// by the files on views, pointers and atomics.
#ifndef CONGRUENT_MEMORY_INTERNAL_H
#define CONGRUENT_MEMORY_INTERNAL_H

#include "compiler/lower/nest.h"
#include "compiler/lower/records.h"

// ---- memory.c
// ------------------------------------------------------------------------------------------------------------

// The addresses [begin, end) a pointer may touch (i64): those of its argument, or of the buffer it points into if
// `origin` is -1 (begin = end = 0 if it points into none).
void emit_pointer_range(Emit *e, LLVMValueRef pointer, int origin, LLVMValueRef *begin, LLVMValueRef *end);
// i1: `size` bytes at `address` (i64) lie in that range.
LLVMValueRef emit_may_touch(Emit *e, int origin, LLVMValueRef address, unsigned size);

// Fails the block unless they do.
void emit_check_access(Emit *e, int origin, LLVMValueRef address, unsigned size, const char *message);

// An address (i64 or a vector of them) as a pointer.
LLVMValueRef emit_pointer_of(Emit *e, LLVMValueRef address);
// Planes (numeric.h; plane 0: integers of the storage width) to a value and back; an i1 is a byte, any but zero is
// true.
NumericValue emit_value_of_planes(Emit *e, EmitElement element, const LLVMValueRef *planes);
void emit_planes_of_value(Emit *e, EmitElement element, const NumericValue *value, LLVMValueRef *planes);
// How a load or store has to be ordered; not atomic if it is weak.
LLVMAtomicOrdering emit_ordering(const TirOp *op);
// What a load of this ordering counts as having written: what another thread reads later has to come after it.
unsigned emit_ordered_load(LLVMAtomicOrdering ordering);
// Whether one thread has to load one element for all: each by itself might see another value.
bool emit_one_loads(const Emit *e, LLVMAtomicOrdering ordering);

// Where an op accesses memory, for the service of records. `origin` as in EmitVal. `is_store`: the op is noted as one
// that stores.
RecordPlace emit_record_place(Emit *e, const TirOp *op, EmitElement element, int origin, bool is_store);

// ---- float_bits.c: the records of integers that are bits of floats
// ------------------------------------------------------------------------------------------------------------

// emit_record_place for a store of what may be such an integer. Then, with plane 0 there, the other planes.
RecordPlace emit_bits_place(Emit *e, const TirOp *op, EmitElement element, TirValue integer, int origin);
bool emit_bits_planes(Emit *e, Nest *nest, const RecordPlace *place, EmitElement element, TirValue integer,
                      const TileMap *map, LLVMValueRef *planes);
// For a load of an integer that becomes a float again: a place for that float beside the integer's, and for its
// records. Nothing is changed for others. Then the float of the lanes that were loaded.
bool emit_open_float_of_bits(Emit *e, const TirOp *op, EmitElement element, TirValue integer, int origin,
                             bool in_memory, const TileMap *layout, RecordPlace *place);
// emit_value_of_planes, of an integer whose planes are those of a float too.
NumericValue emit_value_of_bits(Emit *e, EmitElement element, const RecordPlace *place, const LLVMValueRef *planes);
void emit_store_float_of_bits(Emit *e, const Nest *nest, TirValue integer, const TileMap *map,
                              const NumericValue *value, LLVMValueRef *planes);

// ---- view_check.c
// ----------------------------------------------------------------------------------------------------------------

// Fails the block unless the view's elements lie in the buffer of its base.
void emit_check_view(Emit *e, const EmitView *view, const TirTypeInfo *tensor);

// ---- view.c
// ----------------------------------------------------------------------------------------------------------------

// Number of indices along a dimension of `size` elements (i64, >= 0): ceil(size / step).
LLVMValueRef emit_index_space(Emit *e, LLVMValueRef size, int64_t step);

// ---- view_access.c: what a load, store or reduction through a view touches
// ------------------------------------------------------------------------------------------------------------

// Of a view's dimension d: the tensor's dimension it lies in, and the elements from one index to the next.
uint32_t emit_view_dimension(const TirTypeInfo *view, uint32_t d);
int64_t emit_view_step(const TirTypeInfo *view, uint32_t d);

typedef struct ViewAccess {
    const TirOp *op;
    const EmitView *view;
    const TirTypeInfo *type, *tensor; // view and its tensor view
    TirType tile;
    EmitElement element;
    unsigned bytes;                     // of an element in memory
    LLVMAtomicOrdering ordering;        // not atomic for weak accesses; set before emit_view_limit_lanes
    TileMap order;                      // iteration bit -> flat index bit of the tile
    bool contiguous;                    // lanes are neighbours: the innermost iterated dimension has stride 1
    uint32_t inner;                     // that dimension (of the tile)
    bool packed;                        // two elements share a byte: then places are numbers of elements
    LLVMValueRef start;                 // place of the tile's first element, an address; with rows, of row 0
    LLVMValueRef outside[TIR_RANK_MAX]; // elements of each tile dimension before the tensor (i64); NULL: none
    LLVMValueRef valid[TIR_RANK_MAX];   // those and the ones inside (i64), at least one of them unless
    bool maybe_outside;                 // the tile may lie outside as a whole
    TirValue rows;                      // row numbers of the sparse dimension, or TIR_NO_VALUE
    bool rows_checked;                  // all of them are known to be inside
    RecordPlace records;                // of a deferred load
} ViewAccess;

// The tile of the op's index, checked; the steps of its nest; lanes for a nest to which all needs were declared.
bool emit_view_open(Emit *e, const TirOp *op, TirType tile, ViewAccess *access);
bool emit_view_nest(Emit *e, Nest *nest, const ViewAccess *access);
void emit_view_limit_lanes(const Emit *e, Nest *nest, ViewAccess *access);
// Declares that the body of a nest will take the lanes in an order of its own (iteration bit -> flat index bit); and
// whether 2^lane_bits of its lanes are neighbours in memory.
bool emit_view_need(Emit *e, Nest *nest, const ViewAccess *access, const TileMap *order);
bool emit_view_is_contiguous(const ViewAccess *access, const TileMap *order, unsigned lane_bits);
// The lanes of the step, of which the mask says what lies in the tensor. Once per step. Of a packed access the
// addresses are numbers of elements, from the tensor's base.
bool emit_view_lanes(Emit *e, Nest *nest, const ViewAccess *access, const TileMap *order, RecordLanes *lanes);

// ---- race_log.c: what is accessed is told to the launch (HostRaces); nothing where options do not ask for it
// ------------------------------------------------------------------------------------------------------------

typedef struct RaceLog {
    bool tells; // false: nothing below is set
    uint32_t op;
    LLVMValueRef wanted; // i1: the launch wants to know
    LLVMValueRef merges; // i1: HostRaces.merges
} RaceLog;

// Of an op that accesses memory of this origin (as in EmitVal), in front of its loops.
RaceLog emit_race_log(Emit *e, const TirOp *op, int origin);
// The tile of an access through a view: in front of its nest.
bool emit_log_view(Emit *e, const ViewAccess *access);
// `size` half bytes from a place on (i64, half bytes): before they are accessed, in any place of the op's code.
void emit_log_piece(Emit *e, const RaceLog *log, LLVMValueRef place, int64_t size);
// The same at an address, in bytes.
void emit_log_bytes(Emit *e, const RaceLog *log, LLVMValueRef address, unsigned bytes);
// Behind a compare-and-swap, which wrote only if `done` (i1).
void emit_log_swap(Emit *e, const RaceLog *log, LLVMValueRef address, unsigned bytes, LLVMValueRef done);
// Behind the loops.
void emit_log_end(Emit *e, const RaceLog *log);

// ---- memory_view.c
// ------------------------------------------------------------------------------------------------------------

// Of a nest that stores into memory of this origin, after its needs: loads the tiles that are deferred (EmitVal.load)
// and may come from there, so that no element is overwritten before it is read. (Two arguments may be one buffer all
// the same: then a token has to say so.)
bool emit_load_before_store(Emit *e, Nest *nest, int origin);

// ---- memory_packed.c: elements of four bits
// ------------------------------------------------------------------------------------------------------------

// Made in front of the nest: of a packed access through a view after emit_view_limit_lanes; of an access through
// pointers, whose lanes are checked one by one, with what a failed check says.
typedef struct PackedPlace {
    LLVMValueRef base; // address of element 0
    LLVMAtomicOrdering ordering;
    LLVMValueRef even;   // i1: all steps begin with even elements, the low halves of bytes; NULL: lanes are spread
    const char *message; // NULL: lanes are known to be inside
    int origin;          // where lanes are checked
    RaceLog log;         // of lanes through pointers
    RecordPlace records; // of the bytes, for a store
} PackedPlace;
PackedPlace emit_packed_place(Emit *e, const ViewAccess *access, bool is_store);
PackedPlace emit_packed_pointers(Emit *e, const TirOp *op, int origin, const char *message, bool is_store);
// The elements of a step as bits (i8), 0 where the mask says so; and storing them.
LLVMValueRef emit_packed_load(Emit *e, const PackedPlace *place, const RecordLanes *lanes);
void emit_packed_store(Emit *e, const PackedPlace *place, const RecordLanes *lanes, LLVMValueRef bits);

#endif
