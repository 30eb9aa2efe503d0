// SPDX-License-Identifier: Apache-2.0
// For the tests of this folder: kernels that compute a formula of rules.def, and what became of them.
#ifndef CONGRUENT_REWRITE_FORMULAS_H
#define CONGRUENT_REWRITE_FORMULAS_H

#include "compiler/rewrite/rewrite_rules.h"

enum { FORMULA_LETTERS = 26, FORMULA_BUFFERS = 8, FORMULA_RESULT = FORMULA_BUFFERS - 1, FORMULA_ELEMENTS = 16 };

// A kernel whose parameters are pointers to FORMULA_BUFFERS buffers. Letters but k m p y are loaded from the first of
// them, in alphabetical order of their first use; the result is stored to the last.
typedef struct FormulaKernel {
    TirModule *module;
    TirFunction *function;
    TirBlock *block; // where ops go
    TirTypeKind kind;
    TirType tile;
    TirValue letters[FORMULA_LETTERS];
    unsigned loaded;               // buffers
    TirOp *ops[REWRITE_NODES_MAX]; // of the formula, the root last
    unsigned op_count;
    TirValue result; // of the formula
} FormulaKernel;

// What the constants k m p y are.
extern const double formula_constants[FORMULA_LETTERS];

// The two sides of a rule, as text for rewrite_formula: what is built, and what has to come of it.
const char *formula_from(RewriteRuleId rule);
const char *formula_to(RewriteRuleId rule);

FormulaKernel formula_open(TirTypeKind kind);
void formula_close(FormulaKernel *kernel);
// Appends an op with one result; a constant; a load.
TirOp *formula_op(FormulaKernel *kernel, TirOpKind kind, TirType type, uint32_t count, const TirValue *operands);
TirValue formula_constant(FormulaKernel *kernel, double number);
TirValue formula_load(FormulaKernel *kernel, unsigned buffer);
// Appends the ops of the formula, with these flags; then stores the result, and returns.
void formula_build(FormulaKernel *kernel, const char *text, uint8_t flags);
void formula_end(FormulaKernel *kernel);
// A kernel whose result is a random tree, full of what rules look for. RANDOM_FLAGS: any flags on each op and a bound
// on few; ALL_FLAGS: all flags on most; no bounds.
// WITNESS: the tree with ALL_FLAGS, but the result is 0 where all values in it are numbers and NaN where value flags
// exclude one; no op has flags.
typedef enum RandomLicences { RANDOM_FLAGS, ALL_FLAGS, WITNESS } RandomLicences;
FormulaKernel random_kernel(uint64_t seed, TirTypeKind kind, RandomLicences licences);
// Whether the value is what the formula says of the same letters.
bool formula_is(const FormulaKernel *kernel, const TirFunction *function, TirValue value, const char *text);
// The value that is stored.
TirValue formula_stored(const TirFunction *function);
// All ops of the tree behind the value, but constants, loads and what changes shapes.
unsigned formula_tree(const TirFunction *function, TirValue value, const TirOp **ops);

// A copy of the kernel's module after all rules; asserts that it is valid. It has to be closed before the kernel.
TirModule *formula_rewrite(const TirModule *module, RewritePayloads payloads, RewriteFirings *firings);
bool formula_fired(const RewriteFirings *firings, RewriteRuleId rule);

#endif
