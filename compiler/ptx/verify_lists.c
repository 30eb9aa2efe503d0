// SPDX-License-Identifier: Apache-2.0
// How many registers lists have, and of which types: fragments of matrices, tensor memory, vectors.
#include "compiler/ptx/verify.h"

#include <stdlib.h>
#include <string.h>

typedef struct Shape {
    unsigned m, n, k;
} Shape;

// "m16n8k16"
static Shape shape_of(const PtxInstruction *instruction) {
    const char *text = ptx_word_text(ptx_find(instruction, PTX_SET_shape));
    Shape shape = {0, 0, 1};
    char *end = (char *)text;
    if (*end == 'm') shape.m = (unsigned)strtoul(end + 1, &end, 10);
    if (*end == 'n') shape.n = (unsigned)strtoul(end + 1, &end, 10);
    if (*end == 'k') shape.k = (unsigned)strtoul(end + 1, &end, 10);
    return shape;
}

static unsigned times_of(const PtxInstruction *instruction) {
    const PtxWord word = ptx_find(instruction, PTX_SET_times);
    return word == PTX_WORD_NONE ? 1 : (unsigned)strtoul(ptx_word_text(word) + 1, NULL, 10);
}

static PtxType type_of(const PtxInstruction *instruction, unsigned number) {
    return number < instruction->type_count ? (PtxType)instruction->types[number] : PTX_b32;
}

// ---- registers of a fragment of `elements` numbers of a type

static bool is_whole(PtxType type) { // one register for each element
    return type == PTX_f32 || type == PTX_f64 || type == PTX_s32 || type == PTX_tf32;
}

static PtxListShape fragment(unsigned elements, PtxType type, unsigned bits) {
    if (is_whole(type)) return (PtxListShape){elements, type == PTX_tf32 ? PTX_b32 : type};
    return (PtxListShape){(elements * bits + 31) / 32, PTX_b32};
}

// Elements of small floats take bytes, but for those of the kinds that pack two e2m1 into a byte.
static unsigned element_bits(const PtxInstruction *instruction, PtxType type) {
    const unsigned bits = ptx_type_info(type)->bits;
    const bool packed = ptx_has(instruction, PTX_WORD_kind_mxf4) || ptx_has(instruction, PTX_WORD_kind_mxf4nvf4);
    return ptx_type_info(type)->kind == PTX_FLOAT && bits < 8 && !packed ? 8 : bits;
}

static PtxListShape mma_list(const PtxInstruction *instruction, char name) {
    const Shape shape = shape_of(instruction);
    const bool sparse = ptx_has(instruction, PTX_WORD_sp) || ptx_has(instruction, PTX_WORD_sp_ordered_metadata);
    const bool quads = shape.m == 8 && shape.n == 8 && shape.k == 4 && type_of(instruction, 1) == PTX_f16;
    const unsigned copies = quads ? 4 : 1; // four products at once
    const PtxType type = type_of(instruction, name == 'D' ? 0 : name == 'A' ? 1 : name == 'B' ? 2 : 3);
    const unsigned bits = element_bits(instruction, type);
    if (name == 'A') return fragment(shape.m * shape.k / (sparse ? 2 : 1) * copies / 32, type, bits);
    if (name == 'B') return fragment(shape.k * shape.n * copies / 32, type, bits);
    if (name == 'S') return (PtxListShape){1, PTX_b32};
    if (name == 'T') return (PtxListShape){2, PTX_u16};
    return fragment(shape.m * shape.n * copies / 32, type, bits);
}

// Fragments of wmma are not said to be anything but so many registers. Operands of f16 are kept twice.
static PtxListShape wmma_fragment(const PtxInstruction *instruction, char name, PtxType type) {
    const Shape shape = shape_of(instruction);
    const unsigned rows = name == 'B' ? shape.k : shape.m, columns = name == 'A' ? shape.k : shape.n;
    const bool operand = name == 'A' || name == 'B';
    if (operand && type == PTX_f16) return (PtxListShape){8, PTX_b32};
    return fragment(rows * columns / 32, type, ptx_type_info(type)->bits);
}

static PtxListShape wmma_mma_list(const PtxInstruction *instruction, char name) {
    const bool named = instruction->type_count == 4; // else f16 operands, of which nothing is said
    const unsigned number = name == 'D' ? 0 : name == 'C' ? instruction->type_count - 1u : name == 'A' ? 1 : 2;
    const bool operand = name == 'A' || name == 'B';
    return wmma_fragment(instruction, name, operand && !named ? PTX_f16 : type_of(instruction, number));
}

static PtxListShape wmma_a_list(const PtxInstruction *instruction, char name) {
    (void)name;
    return wmma_fragment(instruction, 'A', type_of(instruction, 0));
}

static PtxListShape wmma_b_list(const PtxInstruction *instruction, char name) {
    (void)name;
    return wmma_fragment(instruction, 'B', type_of(instruction, 0));
}

static PtxListShape wmma_c_list(const PtxInstruction *instruction, char name) {
    (void)name;
    return wmma_fragment(instruction, 'C', type_of(instruction, 0));
}

static PtxListShape wgmma_list(const PtxInstruction *instruction, char name) {
    const Shape shape = shape_of(instruction);
    if (name == 'A') return (PtxListShape){4, PTX_b32};
    return fragment(shape.m * shape.n / 128, type_of(instruction, 0), ptx_type_info(type_of(instruction, 0))->bits);
}

static PtxListShape ldmatrix_list(const PtxInstruction *instruction, char name) {
    (void)name;
    const unsigned each = ptx_has(instruction, PTX_WORD_m16n16) ? 2 : 1;
    return (PtxListShape){each * times_of(instruction), PTX_b32};
}

// ---- tensor memory

static unsigned tensor_registers(const PtxInstruction *instruction) {
    switch (ptx_find(instruction, PTX_SET_shape)) {
    case PTX_WORD_16x128b: return 2 * times_of(instruction);
    case PTX_WORD_16x256b: return 4 * times_of(instruction);
    default: return times_of(instruction);
    }
}

static PtxListShape tensor_list(const PtxInstruction *instruction, char name) {
    const PtxType type = instruction->op == PTX_OP_tcgen05_ld_red ? type_of(instruction, 0) : PTX_b32;
    if (name == 'E') return (PtxListShape){1, type};
    return (PtxListShape){tensor_registers(instruction), type};
}

static PtxListShape lane_mask_list(const PtxInstruction *instruction, char name) {
    (void)name;
    return (PtxListShape){ptx_has(instruction, PTX_WORD_cta_group_2) ? 8 : 4, PTX_b32};
}

// ---- others

static unsigned dimensions_of(const PtxInstruction *instruction) {
    return (unsigned)strtoul(ptx_word_text(ptx_find(instruction, PTX_SET_dimension)), NULL, 10);
}

// Offsets of im2col.
static PtxListShape offset_list(const PtxInstruction *instruction, char name) {
    (void)name;
    const unsigned dimensions = dimensions_of(instruction);
    if (ptx_has(instruction, PTX_WORD_im2col))
        return (PtxListShape){dimensions > 2 ? dimensions - 2 : PTX_NO_LIST, PTX_u16};
    if (ptx_has(instruction, PTX_WORD_im2col_w) || ptx_has(instruction, PTX_WORD_im2col_w_128))
        return (PtxListShape){2, PTX_u16};
    return (PtxListShape){PTX_NO_LIST, PTX_u16};
}

unsigned ptx_coordinate_count(const PtxInstruction *instruction) {
    if (ptx_has(instruction, PTX_WORD_tile_gather4) || ptx_has(instruction, PTX_WORD_tile_scatter4)) return 5;
    return dimensions_of(instruction);
}

static PtxListShape four_floats(const PtxInstruction *instruction, char name) {
    (void)instruction, (void)name;
    return (PtxListShape){4, PTX_f32};
}

static PtxListShape four_words(const PtxInstruction *instruction, char name) {
    (void)instruction, (void)name;
    return (PtxListShape){4, PTX_b32};
}

// Packing: any registers that are as wide together as the type.
static PtxListShape packing_list(const PtxInstruction *instruction, char name) {
    (void)instruction, (void)name;
    return (PtxListShape){PTX_ANY_LIST, PTX_TYPE_COUNT};
}

static const struct {
    PtxOp op;
    PtxListShape (*shape)(const PtxInstruction *instruction, char name);
} rows[] = {
    {PTX_OP_mov, packing_list},
    {PTX_OP_cvt_random, four_floats},
    {PTX_OP_ldmatrix, ldmatrix_list},
    {PTX_OP_stmatrix, ldmatrix_list},
    {PTX_OP_wmma_load_a, wmma_a_list},
    {PTX_OP_wmma_load_b, wmma_b_list},
    {PTX_OP_wmma_load_c, wmma_c_list},
    {PTX_OP_wmma_store_d, wmma_c_list},
    {PTX_OP_wmma_mma, wmma_mma_list},
    {PTX_OP_mma_float, mma_list},
    {PTX_OP_mma_integer, mma_list},
    {PTX_OP_mma_bits, mma_list},
    {PTX_OP_mma_scaled, mma_list},
    {PTX_OP_mma_sparse, mma_list},
    {PTX_OP_mma_sparse_scaled, mma_list},
    {PTX_OP_wgmma_float, wgmma_list},
    {PTX_OP_wgmma_integer, wgmma_list},
    {PTX_OP_wgmma_bits, wgmma_list},
    {PTX_OP_wgmma_sparse_float, wgmma_list},
    {PTX_OP_wgmma_sparse_integer, wgmma_list},
    {PTX_OP_tcgen05_ld, tensor_list},
    {PTX_OP_tcgen05_ld_red, tensor_list},
    {PTX_OP_tcgen05_st, tensor_list},
    {PTX_OP_tcgen05_mma, lane_mask_list},
    {PTX_OP_tcgen05_mma_sparse, lane_mask_list},
    {PTX_OP_cp_async_bulk_tensor, offset_list},
    {PTX_OP_cp_async_bulk_prefetch_tensor, offset_list},
    {PTX_OP_clusterlaunchcontrol_get_first_ctaid, four_words},
};

PtxListShape ptx_list_shape(const PtxInstruction *instruction, const char *name) {
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        if (rows[i].op == instruction->op) return rows[i].shape(instruction, *name);
    return (PtxListShape){PTX_ANY_LIST, PTX_TYPE_COUNT};
}
