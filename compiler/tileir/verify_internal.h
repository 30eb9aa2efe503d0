// SPDX-License-Identifier: Apache-2.0
// What the files of the verifier share. A check returns false after recording why.
#ifndef CONGRUENT_TIR_VERIFY_INTERNAL_H
#define CONGRUENT_TIR_VERIFY_INTERNAL_H

#include "compiler/tileir/tir.h"

typedef struct Verifier {
    Diagnostics *diagnostics;
    const TirModule *module;
    const TirFunction *function;
    Map globals;                       // key of the name to index into module->globals
    Map addresses, contents, measures; // verify.c: texts
    uint8_t *debug_states;             // of the rows of debug information, see verify_debug.c
    Arena scratch;                     // of the maps and states
    Arena texts;                       // of messages; reset after each op
} Verifier;

// Records "'addf' op " and the message at the op; returns false.
bool verify_fail(Verifier *v, const TirOp *op, const char *format, ...) BASE_PRINTF(3, 4);

// ---- verify_rows.c: what the columns of ops.def say -----------------------------------------------------------------

// Counts, operands, results, types and attributes of one op; not its regions.
bool verify_row(Verifier *v, const TirOp *op);
// The payload of a constant has the size that its tile needs.
bool verify_constant_fits(const TirModule *module, TirType tile, const TirConstant *constant);
// A tagged attribute that is a number has a number type that holds its bits; true of any other attribute.
bool verify_number_fits(const Verifier *v, const TirAttribute *attribute);

// ---- verify.c: texts, each looked at once ---------------------------------------------------------------------------

// A short text that is the same for equal texts and another one for others; good until the op has been checked.
const char *verify_text_key(Verifier *v, const char *text);
// What was found out of a text before; false if nothing was.
bool verify_text_measured(Verifier *v, const char *text, size_t length, uint64_t *measure);
void verify_text_measure(Verifier *v, const char *text, size_t length, uint64_t measure);

// ---- helpers --------------------------------------------------------------------------------------------------------

// The mnemonic, also of an op whose kind is not valid.
const char *verify_op_name(const TirOp *op);
// Texts for messages, good until the op has been checked.
const char *verify_type_text(Verifier *v, TirType type);
const char *verify_types_text(Verifier *v, uint32_t count, const TirValue *values);
const char *verify_results_text(Verifier *v, const TirOp *op);
const char *verify_shape_text(Verifier *v, const TirTypeInfo *type);

TirType verify_value_type(const Verifier *v, TirValue value);
// The type of the one operand (NULL if it is absent) or result of that index.
const TirTypeInfo *verify_operand(const Verifier *v, const TirOp *op, const char *name);
const TirTypeInfo *verify_result(const Verifier *v, const TirOp *op, uint32_t index);
// Element kind of a tile type.
TirTypeKind verify_element(const Verifier *v, const TirTypeInfo *tile);
bool verify_same_shape(const TirTypeInfo *a, const TirTypeInfo *b);

// ---- checks, one per name in the last column of ops.def -------------------------------------------------------------
// ------------------------------------------------------------------ verify_arithmetic.c, verify_tiles.c,
// verify_control.c, verify_memory.c
#define OP(name, opcode, since, operands, attributes, results, traits, effects, text, numeric, check)                           \
    bool check_##check(Verifier *v, const TirOp *op);
#include "compiler/tileir/ops.def"
#undef OP

// verify_memory.c: what is wrong with the hints of an entry or op ("has ..."), NULL if nothing; good until the op has
// been checked.
const char *verify_hints_problem(Verifier *v, const TirAttribute *hints);
// verify_debug.c: the scopes of a function's locations.
bool verify_debug(Verifier *v);

#endif
