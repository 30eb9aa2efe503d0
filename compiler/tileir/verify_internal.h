// SPDX-License-Identifier: Apache-2.0
// What the files of the verifier share. A check is false after it has recorded why.
#ifndef CONGRUENT_TIR_VERIFY_INTERNAL_H
#define CONGRUENT_TIR_VERIFY_INTERNAL_H

#include "compiler/tileir/tir.h"

typedef struct Verifier {
    Diagnostics *diagnostics;
    const TirModule *module;
    const TirFunction *function;
    Map globals;                       // from verify_text_key of a name to an index into module->globals
    Map addresses, contents, measures; // of texts (verify.c)
    uint8_t *debug_states;             // by row of debug information (verify_debug.c)
    Arena scratch;                     // holds the maps and states
    Arena texts;                       // holds parts of messages; reset after each op
} Verifier;

// Records "'addf' op " and the message at the op; returns false.
bool verify_fail(Verifier *v, const TirOp *op, const char *format, ...) BASE_PRINTF(3, 4);

// ---- verify_rows.c: what the columns of ops.def say ----------------------------------------------------------------

// Checks counts, operands, results, types and attributes of one op, not its regions.
bool verify_row(Verifier *v, const TirOp *op);
// Whether a constant has as many bytes as its tile needs.
bool verify_constant_fits(const TirModule *module, TirType tile, const TirConstant *constant);
// Whether a tagged attribute that is a number has a type that holds its bits; true of other attributes.
bool verify_number_fits(const Verifier *v, const TirAttribute *attribute);

// ---- verify.c: texts, each looked at once --------------------------------------------------------------------------

// A short text that stands for the text in a Map: equal texts have the same one. Good until the op has been checked.
const char *verify_text_key(Verifier *v, const char *text);
// The number that verify_text_measure noted for this text (found by its address); false if it noted none.
bool verify_text_measured(Verifier *v, const char *text, size_t length, uint64_t *measure);
void verify_text_measure(Verifier *v, const char *text, size_t length, uint64_t measure);

// ---- helpers -------------------------------------------------------------------------------------------------------

// The mnemonic, also of an op whose kind is not valid.
const char *verify_op_name(const TirOp *op);
// Texts for messages, good until the op has been checked.
const char *verify_type_text(Verifier *v, TirType type);
const char *verify_types_text(Verifier *v, uint32_t count, const TirValue *values);
const char *verify_results_text(Verifier *v, const TirOp *op);
const char *verify_shape_text(Verifier *v, const TirTypeInfo *type);

TirType verify_value_type(const Verifier *v, TirValue value);
// The type of the operand `name`, which is not variadic; NULL if it is absent.
const TirTypeInfo *verify_operand(const Verifier *v, const TirOp *op, const char *name);
const TirTypeInfo *verify_result(const Verifier *v, const TirOp *op, uint32_t index);
// The kind of a tile type's elements.
TirTypeKind verify_element(const Verifier *v, const TirTypeInfo *tile);
bool verify_same_shape(const TirTypeInfo *a, const TirTypeInfo *b);

// ---- verify_arithmetic.c, verify_attributes.c, verify_tiles.c, verify_control.c, verify_memory.c: `check` of ops.def

#define OP(name, opcode, since, operands, attributes, results, traits, effects, text, numeric, check)                  \
    bool check_##check(Verifier *v, const TirOp *op);
#include "compiler/tileir/ops.def"
#undef OP

// What is wrong with the hints of an entry or op ("has ..."); NULL: nothing. Good until the op has been checked.
// (verify_attributes.c)
const char *verify_hints_problem(Verifier *v, const TirAttribute *hints);
// The same of the attributes of an argument of an entry.
const char *verify_argument_problem(Verifier *v, const TirAttribute *attributes);
// Checks the scopes of the locations of v->function. (verify_debug.c)
bool verify_debug(Verifier *v);

#endif
