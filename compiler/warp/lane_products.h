// SPDX-License-Identifier: Apache-2.0
// Products of matrices, d = a b + d: in registers of a warp (mma, wmma) and in memory (wgmma, tcgen05.mma).
//
// Elements along the depth (k) come in units: what a lane of a factor has, `group` elements, is multiplied in one step
// with the same unit of the other factor, and added to a lane of the sums. Which elements make a unit does not matter,
// if both factors agree.
//   payload  sums of 32 bits of payloads of at most 16: pairs of sign-extended payloads, by the machine's multiply-add
//            of pairs. Else products in the ring of the sum, element by element
//   ieee     doubles: products are exact (but for f64), the sum is rounded once, at its end
//   integers pairs, as payloads; of single bits the count of those set in both, or in one
#ifndef CONGRUENT_LANE_PRODUCTS_H
#define CONGRUENT_LANE_PRODUCTS_H

#include "compiler/warp/lane_floats.h"

// ---- lane_dot.c: units, steps, sums
// ----------------------------------------------------------------------------------

// An element of a factor, or of the sums.
typedef struct LaneElement {
    FpsanFormat format; // FPSAN_FORMAT_COUNT: an integer
    unsigned bits;      // of an element in registers
    bool is_signed;     // of integers
    unsigned shift;     // of formats narrower than their container: the lowest bit of the element there
} LaneElement;
LaneElement lane_element(PtxType type);

typedef enum LaneDotKind {
    LANE_DOT_PAIRS,    // pairs of i16, sums of i32
    LANE_DOT_RING,     // integers as wide as the sums: i16, i32 or i64
    LANE_DOT_REALS,    // floats or doubles, sums of doubles
    LANE_DOT_AND_BITS, // words of single bits, sums of i32
    LANE_DOT_XOR_BITS,
} LaneDotKind;
typedef struct LaneDot {
    LaneDotKind kind;
    LaneElement a, b, sum;
    unsigned group;     // elements in a unit; of bits 1
    LLVMTypeRef unit;   // scalar of a unit as it lies in vectors: i16, i32, i64, float, double
    LLVMTypeRef number; // scalar of a sum while it is computed
} LaneDot;
// The plan of a product. `scaled`: factors are multiplied by block scales first. False with a diagnostic where the
// numeric has none.
bool lane_dot_plan(LaneCode *code, LaneElement a, LaneElement b, LaneElement sum, bool scaled, LaneDot *dot);
// How many units the elements of `bits` bits are: of 32-bit registers 1, 2, 4.
unsigned lane_dot_units(const LaneDot *dot, LaneElement element, unsigned register_bits);
// A factor as registers hold it, in lanes of 32 bits (f64: 64): its units. Payloads are made of the bits unless
// `embedded`: then it is what lane_read_float gives.
void lane_dot_unpack(NumericContext *cx, const LaneDot *dot, LaneElement element, LLVMValueRef value, bool embedded,
                     LLVMValueRef *units);
// A unit times scales, one for each lane: bytes of format `scale`.
LLVMValueRef lane_dot_scale(NumericContext *cx, const LaneDot *dot, FpsanFormat scale, LLVMValueRef unit,
                            LLVMValueRef scales);
// sums + the products of units; all have as many lanes.
LLVMValueRef lane_dot_step(NumericContext *cx, const LaneDot *dot, LLVMValueRef sums, LLVMValueRef a, LLVMValueRef b);
// From what lane_read_float (integers: lane_read) gives to sums, and back.
LLVMValueRef lane_dot_begin(NumericContext *cx, const LaneDot *dot, LLVMValueRef value);
LLVMValueRef lane_dot_end(NumericContext *cx, const LaneDot *dot, LLVMValueRef sums);

// ---- lane_matrix.c, lane_wmma.c: in registers
// ------------------------------------------------------------------------

// Where elements are in the registers of a warp.
typedef struct LaneFragment {
    unsigned rows, columns, depth;
    bool old;                      // mma.m8n8k4 of f16, of which a warp does four
    bool a_by_column, b_by_column; // of `old`: the layouts
} LaneFragment;
// The product of matrices in registers. Lists of registers; `sum` is the type of c and d.
typedef struct LaneMatrix {
    LaneFragment fragment;
    LaneElement a, b, sum;
    PtxType sum_type;
    bool saturate, of_bits, exclusive; // integers; products of bits, by xor
    unsigned scale_count;              // block scales of a row or column; 0: none
    FpsanFormat scale;
    const PtxOperand *scale_operands; // scales of a, their selectors, scales of b, their selectors
} LaneMatrix;
bool lane_multiply_matrices(LaneCode *code, const LaneMatrix *matrix, const PtxOperand *lists);
LaneEmitter lane_emit_matrix_product, lane_emit_scaled_matrix_product;
LaneEmitter lane_emit_wmma_load, lane_emit_wmma_store, lane_emit_wmma_product;

// ---- lane_product.c: in memory (lanes.h has lane_product_function)
// ---------------------------------------------------------------------------------------

// A WarpConvert of the numeric; NULL: registers have the bits themselves.
LLVMValueRef lane_convert_function(LaneCode *code, FpsanFormat format, bool to_bits);

#endif
