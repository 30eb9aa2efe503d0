// SPDX-License-Identifier: Apache-2.0
// Approximate instructions of GPUs, and what stands for them on processors: formulas within the bounds that NVIDIA
// states for the instructions (compiler/implementations.def). Each formula exists twice, as scalar code here, which the
// emulator calls, and as emission in compiler/numeric/ieee_approximate.c; both give the same bits.
//
// Operations are those of IEEE 754 on floats, rounded to nearest, one after the other; fma where it says so:
//   RCP        1 / x
//   DIV        x * (1 / y), with a zero of y's sign for 1 / y where |y| > 2^126
//   DIV_FULL   (x * k) * (1 / (y * k)), k = 1/4 where |y| > 2^126, 2^24 where y is subnormal, else 1
//   SQRT       the root, its last bit cleared
//   RSQRT      1 / root, the last bit cleared
//   EX2        n = x rounded to an integer, f = x - n; 2^n * (1 + f q(f)), q of degree 4, by fma; scaled once
//   LG2        x = 2^n (1 + f), 1 + f in [sqrt(1/2), sqrt(2)); n + f q(f), q of degree 7
//   SIN, COS   t = x / (2 pi), r = t - (t rounded to an integer), 0 * t where |t| >= 2^22. Of SIN s = r, or 1/2 - |r|
//              with r's sign where |r| > 1/4; of COS s = 1/4 - |r|. s q(s^2), q of degree 4
//   TANH       x * (p(x^2) / q(x^2)), both of degree 2 and 1 at 0, then rounded to 12 bits, ties away from 0; 1 with
//              x's sign where |x| > 4.2; x where x is subnormal
#ifndef CONGRUENT_APPROXIMATE_H
#define CONGRUENT_APPROXIMATE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum Approximation {
#define APPROXIMATION(id, operands, plain, flushing) APPROXIMATE_##id,
#include "compiler/target/approximations.def"
#undef APPROXIMATION
    APPROXIMATION_COUNT
} Approximation;

// Coefficients, the highest power first; those of polynomials that are 1 at 0 without that 1.
enum { EX2_TERMS = 5, LG2_TERMS = 8, SINE_TERMS = 5, TANH_TERMS = 2 };
extern const float approximate_ex2[EX2_TERMS], approximate_lg2[LG2_TERMS], approximate_sine[SINE_TERMS],
    approximate_tanh_over[TANH_TERMS], approximate_tanh_under[TANH_TERMS];
// Where tanh becomes 1; 1 / (2 pi); log2(e) of exp(x) = 2^(x log2(e)); ln(2) of log(x) = log2(x) ln(2).
#define APPROXIMATE_TANH_END      0x1.0cccccp+2F
#define APPROXIMATE_PER_TURN      0x1.45f306p-3F
#define APPROXIMATE_LOG2_E        0x1.715476p+0F
#define APPROXIMATE_LN_2          0x1.62e430p-1F
#define APPROXIMATE_LEAST_OF_LOG2 0x3f3504f3 // the bits of sqrt(1/2), rounded down

unsigned approximate_operands(Approximation which);
// LLVM's intrinsic, or a line of PTX, which begins otherwise than "llvm."; NULL: there is no form that flushes.
const char *approximate_instruction(Approximation which, bool flush);
// Whether it is the name of an intrinsic or the line of PTX of one; then which, and whether that one flushes.
bool approximate_find(const char *instruction, Approximation *which, bool *flush);
// What it computes on a processor. `y` counts for two operands only.
float approximate(Approximation which, float x, float y);
// x, or the zero of its sign if it is subnormal.
float approximate_flush(float x);

#endif
