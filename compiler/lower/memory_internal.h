// SPDX-License-Identifier: Apache-2.0
// Buffers as kernels see them: what an address may touch, how a value lies in memory, and the records of floats. Shared
// by the files on views, pointers and atomics.
#ifndef CONGRUENT_MEMORY_INTERNAL_H
#define CONGRUENT_MEMORY_INTERNAL_H

#include "compiler/lower/nest.h"
#include "compiler/lower/records.h"

// ---- memory.c -------------------------------------------------------------------------------------------------------

// The addresses [begin, end) (i64) that a pointer (i64) of this origin may touch. Origin -1: the buffer, or all
// allocas, that it points into; begin = end = 0 if it points into none.
void emit_pointer_range(Emit *e, LLVMValueRef pointer, int origin, LLVMValueRef *begin, LLVMValueRef *end);
// i1: whether a pointer of this origin may touch `size` bytes at `address` (i64).
LLVMValueRef emit_may_touch(Emit *e, int origin, LLVMValueRef address, unsigned size);
// The same for `size` (i64) bytes.
LLVMValueRef emit_may_touch_piece(Emit *e, int origin, LLVMValueRef address, LLVMValueRef size);
// Fails the block unless it may. `message` says what the access is (KernelSite.message).
void emit_check_access(Emit *e, int origin, LLVMValueRef address, unsigned size, const char *message);

// An address (i64 or a vector of them) as an LLVM pointer to buffers and allocas.
LLVMValueRef emit_pointer_of(Emit *e, LLVMValueRef address);
// The element of a tile in memory of that origin (EmitVal.origin).
EmitElement emit_element_at(const Emit *e, TirType tile, int origin);
// The value that planes (numeric.h) hold, and the planes of a value. An i1 is a byte; any but 0 is true. Plane 1 of
// integers, if it is not NULL, is their marks.
NumericValue emit_value_of_planes(Emit *e, EmitElement element, const LLVMValueRef *planes);
void emit_planes_of_value(Emit *e, EmitElement element, const NumericValue *value, LLVMValueRef *planes);
// The LLVM ordering of a load, store or atomic op; not atomic if the op is weak.
LLVMAtomicOrdering emit_ordering(const TirOp *op);
// Whether memory of several devices can be taken for that of one, as on processors; else records an error.
// (memory_view.c)
bool emit_one_device(Emit *e);
// What to give nest_touch as `writes` for a load of this ordering. An ordered load counts as a store, so
// that a barrier stands between it and what other threads read later.
unsigned emit_ordered_load(LLVMAtomicOrdering ordering);
// Whether one thread has to load an element for all threads, because loads of this ordering may see different values.
bool emit_one_loads(const Emit *e, LLVMAtomicOrdering ordering);

// The RecordPlace of an op that accesses memory of this origin. `is_store`: the op becomes one of KernelInfo.stores.
RecordPlace emit_record_place(Emit *e, const TirOp *op, EmitElement element, int origin, bool is_store);

// ---- float_bits.c: the records of integers that are bits of floats --------------------------------------------------

// emit_record_place for a store of `integer`, which may be the bits of a float, or of a float itself.
RecordPlace emit_bits_place(Emit *e, const TirOp *op, EmitElement element, TirValue integer, int origin);
// For that store: if `integer` is the bits of a float, fills planes 1 and up of the step's lanes. The rest is set.
bool emit_bits_planes(Emit *e, Nest *nest, const RecordPlace *place, TirValue integer, const TileMap *map,
                      LLVMValueRef *planes);
// For the load of an integer that becomes a float again: takes memory for that float beside the integer's (`in_memory`:
// a tile; else a scalar), and makes `place` one for the float's records. Does nothing for other values.
bool emit_open_float_of_bits(Emit *e, TirValue integer, int origin, bool in_memory, const TileMap *layout,
                             RecordPlace *place);
// emit_value_of_planes, also of an integer whose planes are those of a float: its marks are the float's.
NumericValue emit_value_of_bits(Emit *e, EmitElement element, const RecordPlace *place, const LLVMValueRef *planes);
// Behind that load: stores the float beside the integer `value`, of the lanes that were loaded. Changes plane 0.
void emit_store_float_of_bits(Emit *e, const Nest *nest, TirValue integer, const TileMap *map,
                              const NumericValue *value, LLVMValueRef *planes);

// ---- view.c ---------------------------------------------------------------------------------------------------------

// The function that checks tensor views of so many dimensions with elements of so many bytes.
void emit_view_function(Emit *e, unsigned rank, unsigned bytes);

// The number of indices (i64) along a dimension of `size` elements (i64, not negative): ceil(size / step).
LLVMValueRef emit_index_space(Emit *e, LLVMValueRef size, int64_t step);

// ---- view_access.c: what a load, store or reduction through a view touches ------------------------------------------

// The tensor's dimension that dimension d of a view lies in.
uint32_t emit_view_dimension(const TirTypeInfo *view, uint32_t d);
// How many elements apart the tiles of two neighbouring indices of dimension d begin.
int64_t emit_view_step(const TirTypeInfo *view, uint32_t d);

// One tile of a view, as an op accesses it. Dimensions are the tile's.
typedef struct ViewAccess {
    const TirOp *op;
    const EmitView *view;
    const TirTypeInfo *type, *tensor; // the view, and its tensor view
    TirType tile;
    EmitElement element;
    unsigned bytes;              // of an element in memory
    LLVMAtomicOrdering ordering; // the caller sets it before emit_view_limit_lanes
    TileMap order;               // of the nest: iteration bits to flat index bits of the tile
    bool contiguous;             // lanes are neighbours in memory: dimension `inner` has stride 1
    uint32_t inner;              // the innermost dimension of the nest
    bool packed;                 // two elements share a byte
    LLVMValueRef start;          // i64: address of the tile's first element (with rows: in row 0 of the tensor); of
                                 // packed ones its number, from the view's base
    LLVMValueRef outside[TIR_RANK_MAX]; // i64: how many elements of a dimension lie before the tensor; NULL: none
    LLVMValueRef valid[TIR_RANK_MAX];   // i64: those and the elements in the tensor; NULL: the rows
    bool maybe_outside;                 // the whole tile may lie outside; else some of it lies in the tensor
    bool whole;                         // where the code runs, all of it is known to lie in the tensor
    TirValue rows;                      // row numbers of the sparse dimension, or TIR_NO_VALUE
    bool rows_checked;                  // all rows are known to lie in the tensor
    RecordPlace records;                // of a deferred load
} ViewAccess;

// The tile that an op accesses. Emits the checks of its indices. False, with a diagnostic, if something is refused.
bool emit_view_open(Emit *e, const TirOp *op, TirType tile, ViewAccess *access);
// A nest that walks the tile in access->order, with emit_view_need.
bool emit_view_nest(Emit *e, Nest *nest, const ViewAccess *access);
// Fixes the nest's lanes to as many as may be accessed together. After all its needs.
void emit_view_limit_lanes(const Emit *e, Nest *nest, ViewAccess *access);
// Declares that the body of a nest will access the tile in an order of its own (iteration bits to flat index bits).
bool emit_view_need(Emit *e, Nest *nest, const ViewAccess *access, const TileMap *order);
// Whether the tile lies in the tensor as a whole (i1).
LLVMValueRef emit_view_is_whole(Emit *e, const ViewAccess *access);
// Whether 2^lane_bits lanes in that order are neighbours in memory.
bool emit_view_is_contiguous(const ViewAccess *access, const TileMap *order, unsigned lane_bits);
// Whether some of the tile may lie outside the tensor, in a dimension that is not gathered.
bool emit_view_sticks_out(const ViewAccess *access);
// The step's lanes (i1; a scalar where they do not differ) that lie inside, in all dimensions that are not gathered.
// NULL: all do. emit_view_need_inside, before nest_open, declares that the body asks.
void emit_view_need_inside(Nest *nest, const ViewAccess *access, const TileMap *order);
CensusMask emit_view_inside(Emit *e, const Nest *nest, const ViewAccess *access, const TileMap *order);
// The lanes of a step; their mask says which lie in the tensor. Once per step. For packed elements the addresses are
// numbers of elements, from the view's base.
bool emit_view_lanes(Emit *e, Nest *nest, const ViewAccess *access, const TileMap *order, RecordLanes *lanes);

// ---- race_log.c: code that logs accesses (HostRaces), with CompileOptions.races -------------------------------------

typedef struct RaceLog {
    bool enabled;        // false: nothing is logged, and nothing below is set
    uint32_t op;         // HostAccess.op
    LLVMValueRef wanted; // i1: the launch wants this op's accesses
    LLVMValueRef merges; // i1: HostRaces.merges
} RaceLog;

// For an op that accesses memory of this origin, in front of its loops.
RaceLog emit_race_log(Emit *e, const TirOp *op, int origin);
// Logs the tile of an access through a view, in front of its nest. No other function is needed for it.
bool emit_log_view(Emit *e, const ViewAccess *access);
// Logs `size` (i64) half bytes from `place` on (i64: twice an address), before they are accessed.
void emit_log_piece(Emit *e, const RaceLog *log, LLVMValueRef place, LLVMValueRef size);
// The same, in bytes from an address on.
void emit_log_bytes(Emit *e, const RaceLog *log, LLVMValueRef address, unsigned bytes);
// Logs a compare-and-swap, behind it: it has stored only if `done` (i1).
void emit_log_swap(Emit *e, const RaceLog *log, LLVMValueRef address, unsigned bytes, LLVMValueRef done);
// Behind the op's loops: logs what is not logged yet.
void emit_log_end(Emit *e, const RaceLog *log);

// ---- memory_view.c --------------------------------------------------------------------------------------------------

// For a nest that stores into memory of this origin, after its needs: performs the deferred loads (EmitVal.load) that
// may read there, so that no element is overwritten before it is read. Origins that differ are taken for different
// memory, unless CompileOptions.overlaps; else, where two arguments overlap, the kernel has to order the accesses by
// tokens.
bool emit_load_before_store(Emit *e, Nest *nest, int origin);

// ---- kept_memory.c: tiles that are memory which keeps floats as registers have them ---------------------------------

// Whether the tile of a load is the memory itself: then it is bound, and nothing is left to do.
bool emit_load_stays(Emit *e, const TirOp *op);
// Whether what the op stores was made where it stores it.
bool emit_is_stored(Emit *e, const TirOp *store);
bool emit_is_packed_once(const Emit *e, TirValue tile); // an operand of a dot, which packs it at once

// ---- memory_packed.c: elements of four bits -------------------------------------------------------------------------

// What an op accesses. It is made in front of the op's nest.
typedef struct PackedPlace {
    LLVMValueRef base; // address of element 0
    LLVMAtomicOrdering ordering;
    LLVMValueRef even;   // i1: each step begins with an even element, in a byte's low half; NULL: no neighbours
    const char *message; // of the check that each lane gets (emit_check_access); NULL: lanes are known to be inside
    int origin;          // of pointers, for that check
    RaceLog log;         // of accesses through pointers
    RecordPlace records; // of the bytes, for a store
} PackedPlace;
// Of a packed access through a view, after emit_view_limit_lanes; of an access through pointers.
PackedPlace emit_packed_place(Emit *e, const ViewAccess *access, bool is_store);
PackedPlace emit_packed_pointers(Emit *e, const TirOp *op, int origin, const char *message, bool is_store);
// Loads the elements of a step as bits (i8), 0 in lanes that are masked off; stores such bits.
LLVMValueRef emit_packed_load(Emit *e, const PackedPlace *place, const RecordLanes *lanes);
void emit_packed_store(Emit *e, const PackedPlace *place, const RecordLanes *lanes, LLVMValueRef bits);

#endif
