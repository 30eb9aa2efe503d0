// SPDX-License-Identifier: Apache-2.0
// Loop nests over the index space of a tile, and the evaluation of values in them.
//
// The lowest bits of a nest's index space are the lanes of explicit vectors, the others loops, or on GPUs threads. A
// loop is split only where some operand's map is not consecutive. Order of use: nest_init; nest_need, nest_need_memory
// and nest_touch for all that the body does; nest_open; nest_eval, nest_load, nest_store; nest_close.
#ifndef CONGRUENT_NEST_H
#define CONGRUENT_NEST_H

#include "compiler/lower/emit.h"

// ---- nest.c ---------------------------------------------------------------------------------------------------------

enum { NEST_VECTOR_BITS_MAX = 6 };

typedef struct NestLoop {
    uint8_t first, count; // iteration bits
    CodeLoop loop;
    LLVMValueRef position; // of this step: the loop's index, or counted from the end
    bool is_threads;       // no loop: threads have the steps
} NestLoop;
typedef struct NestEntry { // a value at a map, evaluated at most once per step
    TirValue value;
    TileMap map;
    const EmitVal *memory; // where the value is, if elsewhere than all others find it; else NULL
    bool uniform, done;    // uniform: evaluated as a scalar
    NumericValue lanes;
} NestEntry;
typedef struct Nest {
    unsigned bits, vector_bits; // vector_bits: set by nest_open (or before, with vector_fixed)
    bool vector_fixed;
    uint64_t breaks; // bit i: no loop spans iteration bits i - 1 and i
    unsigned widest; // bits of the widest register element met
    NestLoop loops[MAP_BITS_MAX];
    unsigned loop_count;
    uint8_t reads, writes; // EMIT_TILES, EMIT_BUFFERS: what its body touches
    bool collective; // on GPUs: all threads come through its body, where they exchange values; it guards its writes
    bool guarded;    // on GPUs: fewer threads than there are do what it writes
    CodeGuard guard;
    NestEntry *entries;
    size_t entry_count, entry_capacity;
} Nest;

void nest_init(Nest *nest, unsigned bits);
// Declares that the body will touch memory of `element_bits` at `map`. Before nest_open.
void nest_need_memory(Nest *nest, unsigned element_bits, const TileMap *map);
// Declares that the body reads or writes memory that threads share, beside what it evaluates. One that writes gives no
// value to the code behind it.
void nest_touch(Nest *nest, unsigned reads, unsigned writes);
// Opens the loops over iteration bits vector_bits .. bits-1 (outermost first), chooses vector_bits. nest_loop_bits
// opens one more group of iteration bits inside (for a reduction's axis), nest_close closes all.
void nest_open(Emit *e, Nest *nest, unsigned top_bits);
// log2 of the lanes that suit elements of that width in 2^bits steps.
unsigned nest_lanes_bits(const Emit *e, unsigned element_bits, unsigned bits);
void nest_close(Emit *e, Nest *nest);
void nest_open_bits(Emit *e, Nest *nest, unsigned first, unsigned count, bool reverse);
void nest_close_to(Emit *e, Nest *nest, unsigned loop_count);
// Index of the step's first lane under a map (iteration bits to index bits), i64; and the constant offsets of the
// lanes.
LLVMValueRef nest_index(Emit *e, const Nest *nest, const TileMap *map);
unsigned nest_lane_offset(const Nest *nest, const TileMap *map, unsigned lane);
// Loads or stores the step's lanes of an array of `type` at `base`, under a map to array index bits.
LLVMValueRef nest_load(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef base, const TileMap *map);
void nest_store(Emit *e, const Nest *nest, LLVMTypeRef type, LLVMValueRef base, const TileMap *map, LLVMValueRef lanes);
// Whether all lanes of a step are one element under the map.
bool nest_is_uniform(const Nest *nest, const TileMap *map);

// ---- evaluate.c -----------------------------------------------------------------------------------------------------

// Declares that the body will evaluate `value` at `map`. Before nest_open. What cannot be evaluated there becomes
// memory; false, with a diagnostic, where that fails.
bool nest_need(Emit *e, Nest *nest, TirValue value, const TileMap *map);
// The lanes of `value` at this step: vectors of 2^vector_bits lanes, scalars if that is 0.
bool nest_eval(Emit *e, Nest *nest, TirValue value, const TileMap *map, NumericValue *lanes);
// The lanes of a tile (EMIT_MEMORY, or EMIT_SCALAR) that is no value of the function.
void nest_eval_tile(Emit *e, const Nest *nest, const EmitVal *tile, EmitElement element, const TileMap *map,
                    NumericValue *lanes);

// ---- memory_view.c: deferred loads (EmitVal.load) -------------------------------------------------------------------

// Whether lanes at this map are neighbours in memory; else the tile had better be loaded.
bool emit_load_fits(const Emit *e, const Nest *nest, const struct ViewAccess *load, const TileMap *map);
// What the load reads for a step of a nest to which emit_view_need was declared.
bool emit_eval_load(Emit *e, Nest *nest, const struct ViewAccess *load, const TileMap *map, NumericValue *lanes);
// Loads the tile where the code now stands; its value is EMIT_MEMORY then.
bool emit_load_now(Emit *e, TirValue value);

#endif
