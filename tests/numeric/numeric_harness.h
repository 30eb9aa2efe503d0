// SPDX-License-Identifier: Apache-2.0
// For the tests of numeric: functions that a numeric emits are compiled with ORC and run over arrays. Also machines and
// inputs.
#ifndef CONGRUENT_NUMERIC_HARNESS_H
#define CONGRUENT_NUMERIC_HARNESS_H

#include "compiler/numeric/numeric_dot.h"
#include "sanitizer/fpsan_llvm.h"

#include <llvm-c/LLJIT.h>
#include <llvm-c/TargetMachine.h>

// `said`, the modifiers of an op, with a rule on one format, or with a conversion.
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
    const char *name, *features; // `features` are LLVM's
    Machine machine;
    bool runs; // on this processor
} MachineRow;
// Machine number `index`; NULL past the last. The first has most features, the last is no x86.
const MachineRow *machine_row(size_t index);
Machine native_machine(void);

// ---- functions over arrays ----------------------------------------------------------------------

// Emits the body of a function. `inputs` are integers or vectors of them. Returns an integer or vector of the output's
// width, or NULL.
typedef LLVMValueRef HarnessEmit(NumericContext *cx, const void *data, const LLVMValueRef *inputs);
typedef struct Harness {
    NumericContext cx;
    Diagnostics diagnostics;
    LLVMOrcThreadSafeContextRef safe;
    LLVMOrcLLJITRef jit;
    LLVMTargetMachineRef target;
} Harness;
enum { HARNESS_INPUTS_MAX = 24, HARNESS_OUTPUTS_MAX = 12, HARNESS_LANES_MAX = 64 };
typedef void HarnessFunction(const void *const *inputs, void *output, uint64_t blocks);

void harness_open(Harness *h, const Numeric *numeric, Machine machine);
// From here on code is generated for x86-64 with these features alone, and not for this machine.
void harness_restrict(Harness *h, const char *features);
// Adds a function that applies `emit` to blocks of `lanes` elements (0: a scalar at a time) of arrays. These hold
// integers of the given widths, in memory whole bytes. False if `emit` returned NULL; the function then does nothing.
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
// The bits of sample `index` of a format. First come special ones (zeros, subnormals, extremes, infinities, NaNs,
// powers of two and their neighbours), then random patterns, values near 1 and values with few mantissa bits.
uint64_t sample_bits(FpsanFormat format, size_t index, uint64_t *state);
void store_element(void *array, unsigned bits, size_t index, uint64_t value);
uint64_t load_element(const void *array, unsigned bits, size_t index);
bool bits_are_nan(FpsanFormat format, uint64_t bits);
// Whether the bits are equal or both are NaN.
bool same_float(FpsanFormat format, uint64_t a, uint64_t b);

#endif
