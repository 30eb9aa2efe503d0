// SPDX-License-Identifier: Apache-2.0
// For the tests of numeric: functions that a numeric emits, compiled with ORC and run over arrays; machine tables;
// inputs.
#ifndef CONGRUENT_NUMERIC_HARNESS_H
#define CONGRUENT_NUMERIC_HARNESS_H

#include "compiler/numeric/numeric_dot.h"
#include "sanitizer/fpsan_llvm.h"

#include <llvm-c/LLJIT.h>
#include <llvm-c/TargetMachine.h>

// `said` of a rule on one format, and of a conversion.
static inline FloatOp harness_rule(FloatOp said, FpsanRule rule, FpsanFormat format) {
    said.rule = rule;
    said.operand = said.result = format;
    return said;
}
static inline FloatOp harness_conversion(FloatOp said, FpsanFormat from, FpsanFormat to) {
    said.operand = from;
    said.result = to;
    return said;
}

// ---- machines -----------------------------------------------------------------------------------

typedef struct MachineRow {
    const char *name, *features; // of LLVM
    Machine machine;
    bool runs; // on this processor
} MachineRow;
// The i-th machine table, widest first, then ones with fewer features, last one that is no x86; NULL past the last.
const MachineRow *machine_row(size_t index);
Machine native_machine(void);

// ---- functions over arrays ----------------------------------------------------------------------

// Emits the body: `inputs` are integers or vectors of them; returns one integer (vector) of the output's width, or
// NULL.
typedef LLVMValueRef HarnessEmit(NumericContext *cx, const void *data, const LLVMValueRef *inputs);
typedef struct Harness {
    NumericContext cx;
    Diagnostics diagnostics;
    LLVMOrcThreadSafeContextRef safe;
    LLVMOrcLLJITRef jit;
    LLVMTargetMachineRef target;
} Harness;
enum { HARNESS_INPUTS_MAX = 18, HARNESS_OUTPUTS_MAX = 8, HARNESS_LANES_MAX = 64 };
typedef void HarnessFunction(const void *const *inputs, void *output, uint64_t blocks);

void harness_open(Harness *h, const Numeric *numeric, Machine machine);
// Generates code for x86-64 with no more than these features, instead of for this machine.
void harness_restrict(Harness *h, const char *features);
// Adds a function `name` that applies `emit` to blocks of `lanes` elements (0: one scalar a block) of arrays of
// integers of the given widths (in memory: whole bytes; f4 and i1 as bytes). False if emit returned NULL; the function
// then does nothing.
bool harness_add(Harness *h, const char *name, unsigned lanes, unsigned input_count, const unsigned *input_bits,
                 unsigned output_bits, HarnessEmit *emit, const void *data);
// The same with two or more outputs: the function's output is an array of pointers to arrays.
typedef bool HarnessEmitMany(NumericContext *cx, const void *data, const LLVMValueRef *inputs, LLVMValueRef *outputs);
bool harness_add_many(Harness *h, const char *name, unsigned lanes, unsigned input_count, const unsigned *input_bits,
                      unsigned output_count, const unsigned *output_bits, HarnessEmitMany *emit, const void *data);
// Verifies, optimises and compiles; then functions can be looked up. Fails the test on errors.
void harness_finish(Harness *h);
HarnessFunction *harness_function(Harness *h, const char *name);
void harness_close(Harness *h);
// Verifies the module and generates code for the machine row's features without running it.
void harness_check_only(Harness *h, const char *features);

// ---- inputs -------------------------------------------------------------------------------------

uint64_t random_bits(uint64_t *state);
// Bits of a format: specials first (zeros, subnormals, extremes, infinities, NaNs, powers of two and neighbours), then
// random patterns, values near 1, and values of few mantissa bits.
uint64_t sample_bits(FpsanFormat format, size_t index, uint64_t *state);
void store_element(void *array, unsigned bits, size_t index, uint64_t value);
uint64_t load_element(const void *array, unsigned bits, size_t index);
bool bits_are_nan(FpsanFormat format, uint64_t bits);
// Equal bits, or both NaN.
bool same_float(FpsanFormat format, uint64_t a, uint64_t b);

#endif
