// SPDX-License-Identifier: Apache-2.0
// Tiles as memory: where they lie, which of them stay lazy, and integers that are the bits of floats.
#ifndef CONGRUENT_TILES_H
#define CONGRUENT_TILES_H

#include "compiler/lower/nest.h"

// ---- plan.c: which values are lazy, and the last op that reads a value ----------------------------------------------

bool plan_function(Emit *e);                                  // sets e->plan
bool plan_is_lazy(const Emit *e, const TirOp *op);            // whether its result may stay lazy at its definition
const TirOp *plan_single_user(const Emit *e, TirValue value); // the only op that uses it, or NULL
// The number of the last op that may read `value`, lazy evaluation included; 0: none does.
uint32_t plan_last_read(const Emit *e, TirValue value);
// Whether the `for` carries number `number` of what it carries as what it begins with, moved by a number: each
// iteration adds scalars to all elements.
bool plan_is_moved(const Emit *e, const TirOp *loop, uint32_t number);
// If the op adds one number, *by, to all elements of a tile, or takes it away (*back): that tile; else TIR_NO_VALUE.
TirValue plan_moved_by(const Emit *e, const TirOp *op, TirValue *by, bool *back);
// The last op that may read the result of a load, which it, too, may write memory; NULL if another one between may, or
// if it is in another block.
const TirOp *plan_last_before_write(const Emit *e, const TirOp *load);
// The number of the entry's parameter that all of a tile's pointers are made of; -1: not known.
int plan_parameter_of(const Emit *e, TirValue pointer);
// Whether a bitcast makes a float of the integer, perhaps after its elements were moved or selected; *type: the float
// tile's type.
bool plan_float_of_bits(const Emit *e, TirValue integer, TirType *type);
// Whether evaluating `value` now would read the memory of `tile`. *in_place: element i of `value` reads element i of
// the tile and no other.
bool plan_reads_memory(const Emit *e, TirValue value, const EmitVal *tile, bool *in_place);

// ---- tile_memory.c: tiles in scratch --------------------------------------------------------------------------------

// Bytes of scratch that a block may take.
enum { EMIT_SCRATCH_MAX = 1 << 30 };
// emit_close_temporary gives back all scratch that was taken since emit_open_temporary.
EmitScratch emit_open_temporary(Emit *e);
void emit_close_temporary(Emit *e, EmitScratch mark);
// Takes scratch, aligned to 64 bytes; setting e->scratch_top back frees it. NULL and E_LIMIT if a block would need more
// than EMIT_SCRATCH_MAX.
LLVMValueRef emit_scratch(Emit *e, size_t bytes);
LLVMValueRef emit_mark_scratch(Emit *e, unsigned bits); // for the marks of 2^bits integers
// A tile of this type in scratch with the given layout (NULL: identity).
bool emit_tile_alloc(Emit *e, TirType tile, const TileMap *layout, EmitVal *tile_out);
bool emit_elements_alloc(Emit *e, EmitElement element, unsigned bits, const TileMap *layout, EmitVal *tile_out);
// Evaluates `value` into `destination` (EMIT_MEMORY). Does nothing if `value` is that memory already.
bool emit_materialise_to(Emit *e, TirValue value, const EmitVal *destination);
// Makes `value` EMIT_MEMORY (EMIT_SCALAR if it has one element), and gives it. NULL on failure.
EmitVal *emit_materialise(Emit *e, TirValue value);
// Evaluates `value` as EMIT_REGISTERS with that layout.
bool emit_to_registers(Emit *e, TirValue value, const TileMap *layout, unsigned register_bits, EmitVal *registers);
// Stores the step's lanes of all parts into the arrays of `tile`; `map`: from iteration bits to array index bits.
void emit_store_tile(Emit *e, const Nest *nest, EmitElement element, const TileMap *map, const EmitVal *tile,
                     const NumericValue *value);
// Makes one value of the lanes of two.
typedef bool EmitCombine(Emit *e, const void *data, const NumericValue *lanes, NumericValue *result);
// What emit_pack evaluates: values[0], or what `combine` makes of both values (`combine` NULL: there is one).
typedef struct EmitSource {
    TirValue values[2];
    TileMap maps[2]; // from index bits of the arrays to flat index bits of each value
    EmitCombine *combine;
    bool alone;           // combine takes values[0] alone
    const void *data;     // for combine
    unsigned vector_bits; // log2 of the lanes of a step; 0: as many as suit
    const TileMap *order; // of evaluation: iteration bits to index bits of the arrays; NULL: the arrays' own
} EmitSource;
// Makes the elements to store of lanes. Their number may differ from the lanes' if they have as many bytes together.
typedef LLVMValueRef EmitConvert(Emit *e, const void *data, const NumericValue *lanes);
// An array that emit_pack fills.
typedef struct EmitPacked {
    LLVMTypeRef type; // of an element
    LLVMValueRef base;
    unsigned lane_bits; // how many bits of the element convert sets at most; 0: all. Of so many a step has lanes
    EmitConvert *convert;
    const void *data; // for convert
    // The place of element i is i, with its swizzle_count bits from bit swizzle_to on xored with those from bit
    // swizzle_from on. The lanes of a step must stay neighbours.
    uint8_t swizzle_from, swizzle_to, swizzle_count;
} EmitPacked;
// Evaluates a source once, into `count` arrays. False, with a diagnostic, if that fails.
bool emit_pack(Emit *e, const EmitSource *source, const EmitPacked *arrays, unsigned count);

// ---- float_bits.c: integers that are the bits of floats, where floats have records ----------------------------------

// The float that is kept beside an integer that is its bits and that lies in memory or was loaded.
typedef struct EmitFloatOfBits {
    FpsanFormat format;
    EmitVal value; // EMIT_SCALAR or EMIT_MEMORY, as the integer's
} EmitFloatOfBits;
// The float whose bits the integer is; nest_need was called for the integer. If no float is known, the one that the
// bits make (Numeric.from_bits).
bool emit_eval_bits(Emit *e, Nest *nest, TirValue integer, const TileMap *map, FpsanFormat format, NumericValue *lanes);
// For an integer that is about to become memory: keeps the float whose bits it is beside it, if one is known. False if
// scratch runs out.
bool emit_keep_float_of_bits(Emit *e, TirValue integer);
// Whether the op is a bitcast to a float of an integer that is known as the bits of a float of that format.
bool emit_is_float_of_bits(const Emit *e, const TirOp *op, FpsanFormat *format);

#endif
