// SPDX-License-Identifier: Apache-2.0
// Loop nests over an index space of 2^bits elements, and the evaluation of values in them.
//
// The lowest iteration bits are the lanes of explicit vectors; on GPUs the next ones are threads; the others are loops.
// One loop spans several bits, and is split where some map in the body does not go on consecutively from bit to bit.
// A step is one iteration of the innermost loop: all lanes at once.
//
// Order of use: nest_init; nest_need, nest_need_memory and nest_touch for all that the body does; nest_open; nest_eval,
// nest_load, nest_store; nest_close.
#ifndef CONGRUENT_NEST_H
#define CONGRUENT_NEST_H

#include "compiler/lower/emit.h"

// ---- nest.c ---------------------------------------------------------------------------------------------------------

enum { NEST_VECTOR_BITS_MAX = 6, NEST_ROWS_MAX = 4 };
enum { NEST_COPY_BITS = 2 }; // Nest.copy_bits that suit a body of little code

typedef struct NestLoop {
    uint8_t first, count; // iteration bits
    CodeLoop loop;
    LLVMValueRef position; // the loop's index in this step, or counted from the end
    bool is_fixed;         // no loop: each thread, or each copy of the body, has one position
} NestLoop;
typedef struct NestEntry { // a value that is evaluated at a map, at most once per step
    TirValue value;
    TileMap map;
    const EmitVal *memory; // where this nest reads the value, if not where emit_val says; else NULL
    bool uniform, done;    // it is evaluated as a scalar; `lanes` are those of this step
    bool masked;           // `mask` is that of this step (census_mask)
    CensusMask mask;
    NumericValue lanes;
} NestEntry;
typedef struct Nest {
    unsigned bits, vector_bits; // log2 of the index space, and of the lanes of a step
    bool vector_fixed;          // the caller has set vector_bits; else nest_open chooses it
    // On the host: the lowest iteration bits beyond the lanes that get no loop. The caller emits the body 2^copy_bits
    // times, each behind nest_copy.
    unsigned copy_bits;
    uint64_t breaks; // bit i: no loop spans iteration bits i - 1 and i
    unsigned widest; // bits of the widest element that the body needs
    NestLoop loops[MAP_BITS_MAX];
    unsigned loop_count;
    uint8_t reads, writes; // EMIT_TILES, EMIT_BUFFERS: what its body touches
    bool collective; // on GPUs: all threads come through the body, which exchanges values and guards its own writes
    bool guarded;    // on GPUs: `guard` is open, as the body writes and has fewer steps than there are threads
    CodeGuard guard;
    NestEntry *entries;
    size_t entry_count, entry_capacity;
} Nest;

void nest_init(Nest *nest, unsigned bits);
// Declares that the body accesses an array of elements of `element_bits` at `map` (iteration bits to array index bits).
// Before nest_open.
void nest_need_memory(Nest *nest, unsigned element_bits, const TileMap *map);
// Declares that the body reads or writes kinds of memory that threads share (EMIT_TILES, EMIT_BUFFERS), beside what it
// evaluates. On GPUs not all threads may run a body that writes, so code behind it can use none of its values.
void nest_touch(Nest *nest, unsigned reads, unsigned writes);
// Chooses vector_bits, unless it is fixed, and opens the loops over iteration bits vector_bits .. top_bits - 1, the
// highest outermost. nest_close closes all loops.
void nest_open(Emit *e, Nest *nest, unsigned top_bits);
// log2 of the lanes that suit elements of that width where there are 2^bits elements.
unsigned nest_lanes_bits(const Emit *e, unsigned element_bits, unsigned bits);
void nest_copy(Emit *e, Nest *nest, unsigned copy);
void nest_close(Emit *e, Nest *nest);
// Opens loops over iteration bits first .. first + count - 1 inside those that are open; `reverse`: from the end. (For
// the axis of a reduction.) nest_close_to closes the innermost ones until `loop_count` are left.
void nest_open_bits(Emit *e, Nest *nest, unsigned first, unsigned count, bool reverse);
void nest_close_to(Emit *e, Nest *nest, unsigned loop_count);
// The index (i64) that a map (iteration bits to index bits) gives the step's first lane.
LLVMValueRef nest_index(Emit *e, const Nest *nest, const TileMap *map);
// How far from it the index of lane number `lane` is.
unsigned nest_lane_offset(const Nest *nest, const TileMap *map, unsigned lane);
// Loads or stores the step's lanes of an array of `type` at `base`; `map`: from iteration bits to array index bits.
LLVMValueRef nest_load(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef base, const TileMap *map);
void nest_store(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef base, const TileMap *map, LLVMValueRef lanes);
// Whether all lanes of a step are one element under the map.
bool nest_is_uniform(const Nest *nest, const TileMap *map);

// ---- evaluate.c -----------------------------------------------------------------------------------------------------

// Declares that the body will evaluate `value` at `map` (iteration bits to flat index bits). Before nest_open. A value
// that cannot be evaluated in the body becomes memory now; false, with a diagnostic, if that fails.
bool nest_need(Emit *e, Nest *nest, TirValue value, const TileMap *map);
// The lanes of `value` in this step: vectors of 2^vector_bits lanes, or scalars if vector_bits is 0. False, with a
// diagnostic, if an op that it is computed by is refused.
bool nest_eval(Emit *e, Nest *nest, TirValue value, const TileMap *map, NumericValue *lanes);
// The same of a tile (EMIT_MEMORY or EMIT_SCALAR) that is no value of the function.
void nest_eval_tile(Emit *e, const Nest *nest, const EmitVal *tile, EmitElement element, const TileMap *map,
                    NumericValue *lanes);
// The entry of `value` if it has been evaluated in this step, else NULL.
NestEntry *nest_evaluated(Nest *nest, TirValue value, const TileMap *map);

// ---- memory_view.c: deferred loads (EmitVal.load) -------------------------------------------------------------------

// Whether lanes at this map are neighbours in memory. If not, loading the whole tile first is faster.
bool emit_load_fits(const Emit *e, const Nest *nest, const struct ViewAccess *load, const TileMap *map);
// The lanes that the load reads in a step; emit_view_need has been called for the nest and the map.
bool emit_eval_load(Emit *e, Nest *nest, const struct ViewAccess *load, const TileMap *map, NumericValue *lanes);
// The lanes of all copies of the nest's body (copy_bits) as one vector, one copy's behind the other's or interleaved.
// Where floats have no records; copies are at most NEST_ROWS_MAX.
bool emit_eval_load_rows(Emit *e, Nest *nest, const struct ViewAccess *load, const TileMap *map, bool interleaved,
                         NumericValue *lanes);
// Loads the tile where the code now stands; its value is EMIT_MEMORY then.
bool emit_load_now(Emit *e, TirValue value);

#endif
