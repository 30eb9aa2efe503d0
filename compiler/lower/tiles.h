// SPDX-License-Identifier: Apache-2.0
// Tiles as memory: where they lie, which of them stay lazy, and integers that are the bits of floats.
#ifndef CONGRUENT_TILES_H
#define CONGRUENT_TILES_H

#include "compiler/lower/nest.h"

// ---- plan.c: which values are lazy, and who reads what last ---------------------------------------------------------

bool plan_function(Emit *e);                                  // sets e->plan
bool plan_is_lazy(const Emit *e, const TirOp *op);            // its result need not become memory at its definition
const TirOp *plan_single_user(const Emit *e, TirValue value); // the only op that uses it, or NULL
// The number of the last op at which `value` may still be read, deferred evaluation included.
uint32_t plan_last_read(const Emit *e, TirValue value);
// Whether the integer becomes a float of its width again by a bitcast, maybe in another shape: a type for it.
bool plan_float_of_bits(const Emit *e, TirValue integer, TirType *type);
// Whether evaluating `value` now reads the memory of `tile`; *in_place: only element i of it for element i.
bool plan_reads_memory(const Emit *e, TirValue value, const EmitVal *tile, bool *in_place);

// ---- tile_memory.c: tiles in scratch --------------------------------------------------------------------------------

// Bytes that a block may take.
enum { EMIT_SCRATCH_MAX = 1 << 30 };
// Scratch that is taken between these two is given back by the second.
EmitScratch emit_open_temporary(Emit *e);
void emit_close_temporary(Emit *e, EmitScratch mark);
// 64-byte aligned scratch; freed by setting e->scratch_top back. NULL and E_LIMIT when a block would need more than
// EMIT_SCRATCH_MAX.
LLVMValueRef emit_scratch(Emit *e, size_t bytes);
LLVMValueRef emit_mark_scratch(Emit *e, unsigned bits); // for the marks of 2^bits integers
// A tile of this type in scratch with the given layout (NULL: identity).
bool emit_tile_alloc(Emit *e, TirType tile, const TileMap *layout, EmitVal *tile_out);
bool emit_elements_alloc(Emit *e, EmitElement element, unsigned bits, const TileMap *layout, EmitVal *tile_out);
// Evaluates `value` into `destination` (EMIT_MEMORY); nothing if it is that memory already.
bool emit_materialise_to(Emit *e, TirValue value, const EmitVal *destination);
// `value` as EMIT_MEMORY (EMIT_SCALAR if it has one element); NULL on failure.
EmitVal *emit_materialise(Emit *e, TirValue value);
// `value` as EMIT_REGISTERS of that layout.
bool emit_to_registers(Emit *e, TirValue value, const TileMap *layout, unsigned register_bits, EmitVal *registers);
// Stores the lanes of all parts of a value into a tile in memory: the step's positions under `map` are array indices.
void emit_store_tile(Emit *e, const Nest *nest, EmitElement element, const TileMap *map, const EmitVal *tile,
                     const NumericValue *value);
// Evaluates values once, into arrays: index bit i of each array is flat index bit maps[v].to[i] of value v. `combine`
// makes one value of two (NULL: there is only values[0]), `convert` makes of its lanes what is stored.
typedef bool EmitCombine(Emit *e, const void *data, const NumericValue *lanes, NumericValue *result);
typedef struct EmitSource {
    TirValue values[2];
    TileMap maps[2];
    EmitCombine *combine;
    const void *data;     // of combine
    unsigned vector_bits; // of a step's lanes; 0: as many as suit
    const TileMap *order; // the order of evaluation: iteration bits to index bits of the arrays; NULL: theirs
} EmitSource;
// Its result may have other lanes, in the order of the array, if it has as many bytes.
typedef LLVMValueRef EmitConvert(Emit *e, const void *data, const NumericValue *lanes);
typedef struct EmitPacked {
    LLVMTypeRef type; // of an array's elements
    LLVMValueRef base;
    EmitConvert *convert;
    const void *data;
    // Where element i is: i with swizzle_count bits from bit swizzle_to on xored with those from swizzle_from on. A
    // step's lanes then are neighbours.
    uint8_t swizzle_from, swizzle_to, swizzle_count;
} EmitPacked;
bool emit_pack(Emit *e, const EmitSource *source, const EmitPacked *arrays, unsigned count);

// ---- float_bits.c: integers that are the bits of floats, where floats have records ----------------------------------

EmitElement emit_float_element(const Emit *e, FpsanFormat format);
// The float that an integer in memory is the bits of, or a loaded one, for when it becomes one again.
typedef struct EmitFloatOfBits {
    FpsanFormat format;
    EmitVal value; // EMIT_SCALAR or EMIT_MEMORY, as the integer's
} EmitFloatOfBits;
// Whether the integer is known as bits of a float.
bool emit_bits_format(const Emit *e, TirValue integer, FpsanFormat *format);
// The float whose bits it is, in a nest that was declared to need the integer; of any other a value from outside.
bool emit_eval_bits(Emit *e, Nest *nest, TirValue integer, const TileMap *map, FpsanFormat format, NumericValue *lanes);
// Keeps that float beside an integer, if it is known, that is about to become memory. False if scratch runs out.
bool emit_keep_float_of_bits(Emit *e, TirValue integer);
// Whether the op makes a float again of what is known as the bits of one.
bool emit_is_float_of_bits(const Emit *e, const TirOp *op, FpsanFormat *format);

#endif
