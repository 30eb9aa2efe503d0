// SPDX-License-Identifier: Apache-2.0
// What the files of the text printer share.
#ifndef CONGRUENT_TIR_PRINT_INTERNAL_H
#define CONGRUENT_TIR_PRINT_INTERNAL_H

#include "compiler/tileir/tir.h"

// ---- print_numbers.c: float literals -------------------------------------------------------------------------------

// Appends one number of that kind: integers signed, i1 as true or false, floats in the shortest form that reads back to
// the same bits (tile-ir.md section 4, Literals). True: it is a float and was written in hexadecimal.
bool tir_print_literal(TirTypeKind kind, uint64_t bits, Buffer *out);
// Whether the float is exactly an unsigned 64-bit integer and not -0; *value is that integer.
bool tir_float_is_integer(TirTypeKind kind, uint64_t bits, uint64_t *value);
bool tir_float_is_nan(TirTypeKind kind, uint64_t bits);

// ---- print_literals.c: strings, constants, attributes --------------------------------------------------------------

// Text between quotes, with the escapes of MLIR.
void tir_print_quoted(const char *text, size_t length, Buffer *out);
// @name, or @"name" where the name is not an identifier.
void tir_print_symbol(const char *name, Buffer *out);
// <f32: 1.000000e+00> or <i32: [1, 2]>; <?> if it has no elements.
void tir_print_constant(const TirModule *module, TirType tile, const TirConstant *constant, Buffer *out);
// Whether the constant can be printed by its elements. False for what no verifier accepts: its type is no tile of
// numbers, the tile is too large, or there are no bytes.
bool tir_constant_has_elements(const TirModule *module, TirType tile, const TirConstant *constant);
// A tagged attribute: a number with its type, a predicate of assume, an array, ...
void tir_print_tagged(const TirModule *module, const TirAttribute *attribute, Buffer *out);
// <sm_100 = {occupancy = 2}>, keys sorted.
void tir_print_hints(const TirModule *module, const TirAttribute *hints, Buffer *out);

// ---- print_names.c: the names of values ----------------------------------------------------------------------------

typedef struct ValueNames {
    const char **uses;     // by value: its name where it is used, without %
    const char **heads;    // by value that is the first result of an op: the text before " = ", with %
    const char **upgraded; // by op number: the head of an op whose result its file is too old to have (print_tko
                           // of 13.1), or NULL
} ValueNames;
// The names that tileirdisasm gives the function's values, in `arena`.
ValueNames tir_name_values(Arena *arena, const TirFunction *function);
// Whether the op's row declares a result that its file is too old to hold. It is printed all the same.
bool tir_result_is_upgraded(const TirOp *op);

// ---- print_locations.c: debug locations ----------------------------------------------------------------------------

typedef struct LocationPrinter LocationPrinter;
// Numbers the aliases of all locations of the module, in `arena`.
LocationPrinter *tir_number_locations(Arena *arena, const TirModule *module);
// " loc(#loc3)" for a reference into the debug table (0 = unknown).
void tir_print_location(const LocationPrinter *locations, uint64_t reference, Buffer *out);
// The alias definitions, one a line.
void tir_print_location_aliases(const LocationPrinter *locations, Buffer *out);

// ---- print_text.c --------------------------------------------------------------------------------------------------

// Whether text leaves out this op: a yield or continue without operands at the end of an if, for or loop.
bool tir_terminator_is_omitted(const TirOp *op);

// The word of nv_tileaa's attribute `rounding` for a word of the enumeration; NULL if it has none. (parse_tileaa.c)
const char *tir_tileaa_rounding(uint64_t rounding);

#endif
