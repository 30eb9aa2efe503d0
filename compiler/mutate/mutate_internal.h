// SPDX-License-Identifier: Apache-2.0
// Edits: what an operator does to an op. An operator decides everything by the op as it stands in the original module,
// and then makes the edit in a copy, where values of the original have the same numbers, or those of Edit.values.
#ifndef CONGRUENT_MUTATE_INTERNAL_H
#define CONGRUENT_MUTATE_INTERNAL_H

#include "compiler/mutate/tile_mutants.h"

// ---- the original (find_values.c) -----------------------------------------------------------------------------------

// An op of the original.
typedef struct Site {
    const TirModule *module;
    const TirFunction *function;
    const TirOp *op;
} Site;

TirType site_operand_type(const Site *s, uint32_t operand);
TirType site_result_type(const Site *s, uint32_t result);
bool site_is_tile(const Site *s, TirType type);        // that a select takes: not of elements of four bits
bool site_is_number_tile(const Site *s, TirType type); // such a tile, and not of pointers
bool site_has_attribute(TirOpKind kind, const char *name);
bool site_is_used(const Site *s, TirValue value);
// Whether two values are the same whatever the data: equal constants, or equal ops on the same values.
bool site_is_same(const Site *s, TirValue a, TirValue b);
bool site_is_constant(const Site *s, TirValue value);
// The position in op->operands of the declared operand `name`, and how many there are (0: it is absent).
uint32_t site_operands(const TirOp *op, const char *name, uint32_t *count);
// Another value of the type of the operand that is known before the op: the last result, or the last argument of a
// block around it. TIR_NO_VALUE: there is none that is not the same.
TirValue site_last_result(const Site *s, uint32_t operand);
TirValue site_last_argument(const Site *s, uint32_t operand);
// The innermost loop (for, loop) around the op; NULL: none.
const TirOp *site_loop(const TirOp *op);
// The outermost reduce or scan that has the op in its body; NULL: none.
const TirOp *site_reduction(const Site *s);

// ---- the copy (edit.c) ----------------------------------------------------------------------------------------------

// A function that is being changed.
typedef struct Editing {
    Arena *arena; // of the module that is being made
    TirModule *module;
    TirFunction *function;
    const TirFunction *from;
    TirOp **ops;        // by TirOp.number of the original
    TirOp **tails;      // by the same: the last op that an edit put behind it; NULL: none did
    TirValue *currents; // by value of the original: what stands for it in the ops behind the tail; TIR_NO_VALUE: itself
    const TirValue *values; // by value of the original: its number in the copy
} Editing;
// One edit. `condition` (i1): it is made where that holds; TIR_NO_VALUE: always.
typedef struct Edit {
    Editing *in;
    Site site;
    TirOp *op; // of the copy
    TirValue condition;
    TirOp *before;      // new ops come before this one
    uint32_t first_new; // their numbers begin here, and they read plain results
} Edit;

// Tells where new ops go: before the op, for new operands; behind it and its tail, for new results.
void edit_open_operands(Edit *e);
void edit_open_results(Edit *e);
// The value of the original in the copy.
TirValue edit_value(const Edit *e, TirValue original);
TirValue edit_operand(const Edit *e, uint32_t operand);
TirValue edit_result(const Edit *e, uint32_t result);
// New ops; the last value is that of a pure op with these operands and one result. `like` (of the original, may be
// NULL): its attributes are taken over where the new op has them too.
TirValue edit_add(Edit *e, TirOpKind kind, uint32_t count, const TirValue *operands, TirType type, const TirOp *like);
TirValue edit_splat(Edit *e, TirType type, double number); // of numbers; of i1 0 or 1
TirValue edit_constant(Edit *e, TirType type, const void *bytes, size_t size);
// The edit itself: the operand becomes `to`; or the result becomes `to` for all that reads it.
void edit_set_operand(Edit *e, uint32_t operand, TirValue to);
void edit_set_result(Edit *e, uint32_t result, TirValue to);
// The op is replaced by another that `make` makes in `block`, before `next` or at its end, with the same results. It
// runs only where the edit is made.
typedef TirOp *EditMake(Edit *e, TirBlock *block, TirOp *next, void *data);
void edit_replace(Edit *e, EditMake *make, void *data);
// A copy of the op that `make` functions may change.
TirOp *edit_clone(Edit *e, TirBlock *block, TirOp *next);
// The op, whose results are tokens, does not run.
void edit_drop(Edit *e);

// ---- operators (operators_*.c) --------------------------------------------------------------------------------------

typedef struct OperatorFunctions {
    uint32_t (*count)(const Site *s);
    const char *(*words)(Arena *arena, const Site *s, uint32_t part);
    void (*edit)(Edit *e, uint32_t part);
} OperatorFunctions;
const OperatorFunctions *operator_functions(TileOperator operator);

#define OPERATOR(name, functions, ...)                                                                                 \
    uint32_t count_##functions(const Site *s);                                                                         \
    const char *words_##functions(Arena *arena, const Site *s, uint32_t part);                                         \
    void edit_##functions(Edit *e, uint32_t part);
#include "compiler/mutate/operators.def"
#undef OPERATOR

#endif
