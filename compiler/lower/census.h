// SPDX-License-Identifier: Apache-2.0
// The range census (base/range_census.h): code beside each op that makes floats, which counts their magnitudes. It
// looks at the number alone, parts[0] of a value, and changes nothing, unless CompileOptions.replaced asks what if.
//
// Counted are results of arithmetic, functions, conversions and dots. Not counted are ops that only choose or move
// floats or change their sign, loads, constants, atomics and formats of scales; lanes that are unspecified; and lanes
// that are computed of elements of a load that lie outside its tensor (census_mask.c).
#ifndef CONGRUENT_CENSUS_H
#define CONGRUENT_CENSUS_H

#include "compiler/lower/nest.h"

struct ViewAccess;
struct CensusMasked;

// ---- census.c -------------------------------------------------------------------------------------------------------

// Of an entry, before its ops. Does nothing where CompileOptions.census is not set, as all functions here. False, with
// a diagnostic, where it cannot be: on GPUs, and where floats are payloads.
bool census_open(Emit *e);
// Adds the counts to the scratch of the kernel, whose scratch_bytes are set.
void census_close(Emit *e);
// Behind an element-wise op, on lanes or scalars. Lanes in which e->census.mask does not hold are not counted.
void census_element(Emit *e, const TirOp *op, const NumericValue *operands, const NumericValue *result);
// Behind that: what CompileOptions.replaced asks for.
void census_replace(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result);
// Sets the mask for code that follows, and gives the one before.
CensusMask census_set_mask(Emit *e, CensusMask mask);

// For dots. A cell (i64) that counts infinities and NaN among operands, or NULL where nothing is counted.
LLVMValueRef census_open_operands(Emit *e);
void census_see_lanes(Emit *e, LLVMValueRef seen, FpsanFormat format, const NumericValue *lanes);
void census_see_tile(Emit *e, LLVMValueRef seen, EmitElement element, const EmitVal *tile, unsigned bits);
// Counts the elements of the result of a dot, and then replaces those that CompileOptions.replaced asks for.
bool census_result(Emit *e, const TirOp *op, LLVMValueRef seen, const EmitVal *result);

// ---- census_mask.c: which lanes count -------------------------------------------------------------------------------

// Before anything is lowered: which values come of loads through views (EmitCensus.bounded).
void census_find_bounded(Emit *e);
// A slot of the function (i64) that is 0 at first.
LLVMValueRef census_open_slot(Emit *e);
// Where such a load is lowered.
void census_note_load(Emit *e, TirValue value, const struct ViewAccess *access);
// Declares that the body of a nest will ask for census_mask. Before nest_open.
void census_need(Emit *e, Nest *nest, TirValue value, const TileMap *map);
// The lanes of `value` in this step (as many as the nest has) that are computed of elements that lie in their tensors.
CensusMask census_mask(Emit *e, Nest *nest, TirValue value, const TileMap *map);
// The lanes in which both hold.
CensusMask census_both(Emit *e, CensusMask a, CensusMask b);

// ---- census_pointers.c: loads through pointers with a mask ----------------------------------------------------------

// Memory for the masks (EmitCensus.masked), which lasts as long as the kernel. Before anything is lowered. False, with
// a diagnostic, where there is too little.
bool census_open_masks(Emit *e);
// In the nest that loads `value` at `map`, and behind it: what the mask of the step is.
void census_note_mask(Emit *e, const Nest *nest, TirValue value, const TileMap *map, LLVMValueRef mask);
void census_end_mask(Emit *e, TirValue value);
// The step's lanes that were let through, `ever` or the last time. Before nest_open census_need_kept declares that the
// body asks.
void census_need_kept(Nest *nest, const struct CensusMasked *kept, const TileMap *map);
CensusMask census_kept_mask(Emit *e, Nest *nest, const struct CensusMasked *kept, const TileMap *map, bool ever);

#endif
