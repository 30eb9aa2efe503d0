// SPDX-License-Identifier: Apache-2.0
// For tests of float instructions: kernels that apply one instruction to arrays, made from its spelling; samples; and
// independent references, in exact rationals of MPFR and in the scalar code of the algebra.
#ifndef CONGRUENT_FLOAT_LAB_H
#define CONGRUENT_FLOAT_LAB_H

#include "kernel_lab.h"

#include "sanitizer/fpsan.h"

enum { ARRAY_INPUTS = 4, ARRAY_LENGTH = 4096, ARRAY_KERNELS = 160 };

// An instruction as a kernel applies it to arrays. `text`: "add.f32 $0, $1, $2;", where $0 is the result and $1 .. the
// operands, registers of `bits`. A result of 1 bit is a predicate and is stored as 32 bits.
typedef struct ArrayKernel {
    const char *text;
    unsigned bits[1 + ARRAY_INPUTS]; // 0: no such operand
} ArrayKernel;

typedef struct ArrayLab {
    Lab lab;
    unsigned count;
    uint64_t inputs[ARRAY_INPUTS][ARRAY_LENGTH], results[ARRAY_LENGTH];
} ArrayLab;
// Kernels number 0 .. count - 1. Fails the test if they do not compile.
void array_lab_open(ArrayLab *lab, const ArrayKernel *kernels, unsigned count, CompileNumeric numeric);
void array_lab_close(ArrayLab *lab);
// Applies a kernel to `length` elements (a multiple of 32) of lab->inputs.
void array_lab_run(ArrayLab *lab, const ArrayKernel *kernels, unsigned number, size_t length);

// Bits of a float that is hard for something: zeros, subnormal numbers, ends of ranges, infinities, NaNs, neighbours of
// powers of two; or any.
uint64_t sample_float(FpsanFormat format, uint64_t *state);
bool is_nan_bits(FpsanFormat format, uint64_t bits);
// Equal, or both NaN.
bool are_same(FpsanFormat format, uint64_t a, uint64_t b);
// Real bits of rule(x...), rounded once as IEEE 754 says, by MPFR: ADD, SUB, MUL, DIV, FMA, SQRT.
uint64_t reference_real(FpsanRule rule, FpsanFormat format, FpsanRounding rounding, const uint64_t *x);
uint64_t flushed(FpsanFormat format, uint64_t bits);
// Real bits of rule(x...) in the algebra.
uint64_t reference_payload(FpsanRule rule, FpsanFormat format, const uint64_t *x);

#endif
