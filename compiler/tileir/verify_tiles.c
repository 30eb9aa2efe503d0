// SPDX-License-Identifier: Apache-2.0
// Checks of ops that move tiles around, of constants and of matrix products.
#include "base/block_abi.h"
#include "compiler/tileir/verify_internal.h"

#include <inttypes.h>

static const char *type_name(TirTypeKind kind) {
    return tir_type_rows[kind].name;
}

bool check_constant(Verifier *v, const TirOp *op) {
    const TirConstant *constant = &tir_attribute(op, "value")->constant;
    TirType type = verify_value_type(v, op->first_result);
    if (verify_constant_fits(v->module, type, constant)) return true;
    return verify_fail(v, op, "has a value of %zu bytes, which does not fit %s", constant->size,
                       verify_type_text(v, type));
}

bool check_broadcast(Verifier *v, const TirOp *op) {
    const TirTypeInfo *source = verify_operand(v, op, "source"), *result = verify_result(v, op, 0);
    for (uint32_t i = 0; i < source->rank; i++)
        if (source->shape[i] != result->shape[i] && source->shape[i] != 1)
            return verify_fail(
                v, op, "stretches dimension %u from %" PRId64 " to %" PRId64 ", expected 1 or an equal size (%s to %s)",
                i, source->shape[i], result->shape[i], verify_shape_text(v, source), verify_shape_text(v, result));
    return true;
}

bool check_reshape(Verifier *v, const TirOp *op) {
    TirType source = verify_value_type(v, op->operands[0]), result = verify_value_type(v, op->first_result);
    int64_t from = tir_tile_elements(v->module, source), to = tir_tile_elements(v->module, result);
    if (from == to) return true;
    return verify_fail(v, op, "goes from %" PRId64 " elements (%s) to %" PRId64 " (%s), expected as many", from,
                       verify_type_text(v, source), to, verify_type_text(v, result));
}

bool check_cat(Verifier *v, const TirOp *op) {
    const TirTypeInfo *lhs = verify_operand(v, op, "lhs"), *rhs = verify_operand(v, op, "rhs"),
                      *result = verify_result(v, op, 0);
    uint64_t dim = tir_attribute_integer(op, "dim");
    if (dim >= lhs->rank)
        return verify_fail(v, op, "has dim %" PRId64 ", expected 0 to less than the rank %u", (int64_t)dim, lhs->rank);
    for (uint32_t i = 0; i < lhs->rank; i++) {
        bool fits = i == dim ? lhs->shape[i] + rhs->shape[i] == result->shape[i]
                             : lhs->shape[i] == rhs->shape[i] && lhs->shape[i] == result->shape[i];
        if (!fits)
            return verify_fail(v, op, "joins %s and %s along dimension %" PRIu64 ", which does not give %s",
                               verify_shape_text(v, lhs), verify_shape_text(v, rhs), dim, verify_shape_text(v, result));
    }
    return true;
}

// `part` is a slice of `whole`, selected by one scalar index per dimension.
static bool check_slice(Verifier *v, const TirOp *op, const TirTypeInfo *part, const TirTypeInfo *whole) {
    for (uint32_t i = 0; i < whole->rank; i++)
        if (whole->shape[i] % part->shape[i])
            return verify_fail(v, op, "has slices of %s of a tile of %s, expected sizes that divide",
                               verify_shape_text(v, part), verify_shape_text(v, whole));
    uint32_t indices = tir_operands(op, "indices", NULL);
    if (indices != whole->rank)
        return verify_fail(v, op, "has %u indices, expected %u, one per dimension", indices, whole->rank);
    return true;
}

bool check_extract(Verifier *v, const TirOp *op) {
    return check_slice(v, op, verify_result(v, op, 0), verify_operand(v, op, "source"));
}

bool check_insert(Verifier *v, const TirOp *op) {
    return check_slice(v, op, verify_operand(v, op, "source"), verify_operand(v, op, "destination"));
}

bool check_iota(Verifier *v, const TirOp *op) {
    const TirTypeInfo *result = verify_result(v, op, 0);
    unsigned bits = tir_type_rows[verify_element(v, result)].bits;
    if (bits >= 64 || result->shape[0] <= INT64_C(1) << bits) return true;
    return verify_fail(v, op, "counts to %" PRId64 ", which %s cannot hold", result->shape[0],
                       type_name(verify_element(v, result)));
}

bool check_permute(Verifier *v, const TirOp *op) {
    const TirTypeInfo *source = verify_operand(v, op, "source"), *result = verify_result(v, op, 0);
    const TirAttribute *permutation = tir_attribute(op, "permutation");
    if (source->rank < 2) return verify_fail(v, op, "has a source of rank %u, expected at least 2", source->rank);
    if (permutation->length != source->rank)
        return verify_fail(v, op, "has a permutation of %zu dimensions, expected %u", permutation->length,
                           source->rank);
    uint64_t used = 0;
    for (uint32_t i = 0; i < source->rank; i++) {
        int64_t dim = permutation->numbers[i];
        if (dim < 0 || dim >= source->rank)
            return verify_fail(v, op, "has permutation entry %u of %" PRId64 ", expected 0 to %u", i, dim,
                               source->rank - 1);
        if (used >> dim & 1) return verify_fail(v, op, "names dimension %" PRId64 " twice in its permutation", dim);
        used |= UINT64_C(1) << dim;
        if (result->shape[i] != source->shape[dim])
            return verify_fail(v, op, "has dimension %u of size %" PRId64 " in its result, expected %" PRId64, i,
                               result->shape[i], source->shape[dim]);
    }
    return true;
}

bool check_select(Verifier *v, const TirOp *op) {
    if (verify_element(v, verify_result(v, op, 0)) != TIR_TYPE_f4E2M1FN) return true;
    return verify_fail(v, op, "selects between f4E2M1FN elements, which share bytes");
}

// ---- pack and unpack ------------------------------------------------------------------------------------------------

static int64_t tile_bits(const Verifier *v, const TirTypeInfo *tile) {
    TirTypeKind kind = verify_element(v, tile);
    FpsanFormat format = tir_float_format(kind); // tf32 and f6 have bits that are not their own
    return (format != FPSAN_FORMAT_COUNT ? fpsan_format_info(format)->storage_bits : tir_type_rows[kind].bits) *
           tile->shape[0];
}

static bool check_repack(Verifier *v, const TirOp *op) {
    const TirTypeInfo *source = verify_operand(v, op, "source"), *result = verify_result(v, op, 0);
    if (source->rank != 1) return verify_fail(v, op, "has a source of rank %u, expected 1", source->rank);
    if (tir_type_rows[verify_element(v, source)].bits == tir_type_rows[verify_element(v, result)].bits)
        return verify_fail(v, op, "goes from %s to %s, expected different widths", type_name(verify_element(v, source)),
                           type_name(verify_element(v, result)));
    int64_t from = tile_bits(v, source), to = tile_bits(v, result);
    if (from % 8 || to % 8)
        return verify_fail(v, op, "has a tile of %" PRId64 " bits, expected whole bytes", from % 8 ? from : to);
    if (from != to)
        return verify_fail(v, op, "goes from %" PRId64 " bytes to %" PRId64 ", expected as many", from / 8, to / 8);
    return true;
}

bool check_pack(Verifier *v, const TirOp *op) {
    return check_repack(v, op);
}

bool check_unpack(Verifier *v, const TirOp *op) {
    return check_repack(v, op);
}

// ---- matrix products ------------------------------------------------------------------------------------------------

typedef struct DimensionPair { // dimension `a` of operand `left` and `b` of operand `right` have one size
    const char *left;
    uint32_t a;
    const char *right;
    uint32_t b;
} DimensionPair;

static bool check_pairs(Verifier *v, const TirOp *op, uint32_t count, const DimensionPair *pairs) {
    for (uint32_t i = 0; i < count; i++) {
        const DimensionPair *pair = &pairs[i];
        const TirTypeInfo *left = verify_operand(v, op, pair->left), *right = verify_operand(v, op, pair->right);
        if (left->shape[pair->a] != right->shape[pair->b])
            return verify_fail(
                v, op, "has %s of shape %s and %s of shape %s, expected dimension %u of %s and %u of %s to be equal",
                pair->left, verify_shape_text(v, left), pair->right, verify_shape_text(v, right), pair->a, pair->left,
                pair->b, pair->right);
    }
    return true;
}

static bool check_product_shapes(Verifier *v, const TirOp *op) {
    uint32_t rank = verify_operand(v, op, "lhs")->rank;
    if (rank != 2 && rank != 3) return verify_fail(v, op, "has operands of rank %u, expected 2 or 3", rank);
    const uint32_t row = rank - 2, column = rank - 1;
    const DimensionPair batch[] = {{"lhs", 0, "rhs", 0}, {"lhs", 0, "acc", 0}};
    const DimensionPair pairs[] = {
        {"lhs", column, "rhs", row}, {"lhs", row, "acc", row}, {"rhs", column, "acc", column}};
    return (rank == 2 || check_pairs(v, op, BASE_COUNT(batch), batch)) && check_pairs(v, op, BASE_COUNT(pairs), pairs);
}

bool check_mmaf(Verifier *v, const TirOp *op) {
    if (!check_product_shapes(v, op)) return false;
    TirTypeKind input = verify_element(v, verify_operand(v, op, "lhs")),
                sum = verify_element(v, verify_operand(v, op, "acc"));
    bool half = input == TIR_TYPE_f16 || input == TIR_TYPE_f8E4M3FN || input == TIR_TYPE_f8E5M2;
    if (input == TIR_TYPE_f64 ? sum == TIR_TYPE_f64 : sum == TIR_TYPE_f32 || (half && sum == TIR_TYPE_f16)) return true;
    return verify_fail(v, op, "multiplies %s into an accumulator of %s, expected %s", type_name(input), type_name(sum),
                       input == TIR_TYPE_f64 ? "f64"
                       : half                ? "f16 or f32"
                                             : "f32");
}

bool check_mmai(Verifier *v, const TirOp *op) {
    return check_product_shapes(v, op);
}

// How many elements may share a scale, as a set of bits (16 and 32 are the bits); 0: the types do not go together.
static uint32_t scale_blocks(TirTypeKind input, TirTypeKind scale) {
    if (input == TIR_TYPE_f4E2M1FN) return scale == TIR_TYPE_f8E4M3FN ? 16 : 16 | 32;
    return scale == TIR_TYPE_f8E8M0FNU ? 32 : 0;
}

static bool check_scale_shapes(Verifier *v, const TirOp *op) {
    const uint32_t rank = verify_operand(v, op, "lhs")->rank, row = rank - 2, column = rank - 1;
    const DimensionPair batch[] = {{"lhs", 0, "lhs_scale", 0}, {"rhs", 0, "rhs_scale", 0}};
    const DimensionPair pairs[] = {
        {"lhs", row, "lhs_scale", row}, {"rhs", column, "rhs_scale", column}, {"lhs_scale", column, "rhs_scale", row}};
    if (rank == 3 && !check_pairs(v, op, BASE_COUNT(batch), batch)) return false;
    return check_pairs(v, op, BASE_COUNT(pairs), pairs);
}

bool check_mmaf_scaled(Verifier *v, const TirOp *op) {
    if (!check_product_shapes(v, op) || !check_scale_shapes(v, op)) return false;
    const TirTypeInfo *lhs = verify_operand(v, op, "lhs"), *lhs_scale = verify_operand(v, op, "lhs_scale");
    const uint32_t column = lhs->rank - 1;
    TirTypeKind input = verify_element(v, lhs), scale = verify_element(v, lhs_scale);
    uint32_t blocks = scale_blocks(input, scale);
    if (!blocks) return verify_fail(v, op, "scales %s with %s, expected f8E8M0FNU", type_name(input), type_name(scale));
    int64_t size = lhs->shape[column], scales = lhs_scale->shape[column], block = size / scales;
    if (size % scales || (block != 16 && block != 32) || !(blocks & (uint32_t)block))
        return verify_fail(v, op,
                           "has %" PRId64 " scales for %" PRId64 " elements, expected one for each %s (%s with %s)",
                           scales, size,
                           blocks == 16   ? "16"
                           : blocks == 32 ? "32"
                                          : "16 or 32",
                           type_name(input), type_name(scale));
    return true;
}

// ---- nv_tileaa.dot --------------------------------------------------------------------------------------------------

// What a dot multiplies and adds to, without scales. Formats of one class multiply each other.
static const struct DotRow {
    TirTypeKind input;
    bool mixes; // with the others that mix
    uint32_t sums;
    const char *sums_text;
    TirTypeKind scale; // of a block-scaled dot; TIR_TYPE_COUNT: it has none
} dot_rows[] = {
#define SUM(kind)                            (1u << TIR_TYPE_##kind)
#define DOT(input, mixes, sums, text, scale) {TIR_TYPE_##input, mixes, sums, text, TIR_TYPE_##scale},
    DOT(f64, false, SUM(f64), "f64", COUNT) DOT(f32, false, SUM(f32), "f32", COUNT)
        DOT(tf32, false, SUM(f32), "f32", COUNT) DOT(f16, false, SUM(f32) | SUM(f16), "f32 or f16", COUNT)
            DOT(bf16, false, SUM(f32), "f32", COUNT) DOT(f8E4M3FN, true, SUM(f32) | SUM(f16), "f32 or f16", f8E8M0FNU)
                DOT(f8E5M2, true, SUM(f32) | SUM(f16), "f32 or f16", f8E8M0FNU)
                    DOT(f8E4M3FNUZ, true, SUM(f32) | SUM(f16), "f32 or f16", COUNT)
                        DOT(f8E5M2FNUZ, true, SUM(f32) | SUM(f16), "f32 or f16", COUNT)
                            DOT(f6E2M3FN, true, SUM(f32) | SUM(f16), "f32 or f16", f8E8M0FNU)
                                DOT(f6E3M2FN, true, SUM(f32) | SUM(f16), "f32 or f16", f8E8M0FNU)
                                    DOT(f4E2M1FN, true, SUM(f32) | SUM(f16), "f32 or f16", f8E8M0FNU)
#undef DOT
#undef SUM
};

static const struct DotRow *dot_row(TirTypeKind input) {
    for (size_t i = 0; i < BASE_COUNT(dot_rows); i++)
        if (dot_rows[i].input == input) return &dot_rows[i];
    return NULL;
}

// An error in the words of docs/numeric-modes.md.
#define DOT_FAIL(v, op, ...) diag_fail((v)->diagnostics, (op)->at, E_VERIFY, __VA_ARGS__)

// One operand of a block-scaled dot with its scales: 32 neighbours have one of f8E8M0FNU; of f4E2M1FN 16 have one of
// f8E4M3FN or f8E8M0FNU, too.
static bool check_dot_block(Verifier *v, const TirOp *op, TirTypeKind input, TirTypeKind scale, int64_t block) {
    const struct DotRow *row = dot_row(input);
    const bool f4 = input == TIR_TYPE_f4E2M1FN, of_16 = f4 && scale == TIR_TYPE_f8E4M3FN;
    if (!row || row->scale == TIR_TYPE_COUNT)
        return DOT_FAIL(v, op, "no block-scaled product has operands of %s", type_name(input));
    if (scale != row->scale && !of_16)
        return DOT_FAIL(v, op, "%s takes %s%s scales, not %s", type_name(input), type_name(row->scale),
                        f4 ? " or f8E4M3FN" : "", type_name(scale));
    if (block == (of_16 ? 16 : 32) || (f4 && block == 16)) return true;
    return DOT_FAIL(v, op, "%s with %s scales has blocks of %s, not %" PRId64, type_name(input), type_name(scale),
                    of_16 ? "16"
                    : f4  ? "16 or 32"
                          : "32",
                    block);
}

static bool check_dot_scales(Verifier *v, const TirOp *op, TirTypeKind left, TirTypeKind right, TirTypeKind sum) {
    const TirTypeInfo *lhs = verify_operand(v, op, "lhs"), *lhs_scale = verify_operand(v, op, "lhs_scale"),
                      *rhs_scale = verify_operand(v, op, "rhs_scale");
    TirTypeKind sfa = verify_element(v, lhs_scale), sfb = verify_element(v, rhs_scale);
    if (sfa != sfb)
        return DOT_FAIL(v, op, "sfa has %s, sfb has %s: scale types must be equal", type_name(sfa), type_name(sfb));
    if (!check_scale_shapes(v, op)) return false;
    const int64_t size = lhs->shape[lhs->rank - 1], scales = lhs_scale->shape[lhs->rank - 1];
    if (size < scales) return verify_fail(v, op, "has %" PRId64 " scales for %" PRId64 " elements", scales, size);
    if (!check_dot_block(v, op, left, sfa, size / scales) || !check_dot_block(v, op, right, sfb, size / scales))
        return false;
    if (sum == TIR_TYPE_f32) return true;
    return DOT_FAIL(v, op, "no matrix unit multiplies %s by %s with scales into %s: use f32", type_name(left),
                    type_name(right), type_name(sum));
}

bool check_dot(Verifier *v, const TirOp *op) {
    if (!check_product_shapes(v, op)) return false;
    TirTypeKind left = verify_element(v, verify_operand(v, op, "lhs")),
                right = verify_element(v, verify_operand(v, op, "rhs")),
                sum = verify_element(v, verify_operand(v, op, "acc"));
    const struct DotRow *row = dot_row(left), *other = dot_row(right);
    const TirTypeInfo *sfa = verify_operand(v, op, "lhs_scale"), *sfb = verify_operand(v, op, "rhs_scale");
    if (!sfa != !sfb) return verify_fail(v, op, "has %s without %s", sfa ? "sfa" : "sfb", sfa ? "sfb" : "sfa");
    if (sfa) return check_dot_scales(v, op, left, right, sum);
    if (!row || !other || (left != right && !(row->mixes && other->mixes)))
        return DOT_FAIL(v, op, "no matrix unit multiplies %s by %s", type_name(left), type_name(right));
    if (row->sums >> sum & 1) return true;
    return DOT_FAIL(v, op, "no matrix unit multiplies %s by %s into %s: use %s", type_name(left), type_name(right),
                    type_name(sum), row->sums_text);
}

// ---- gather ---------------------------------------------------------------------------------------------------------

bool check_gather(Verifier *v, const TirOp *op) {
    const TirTypeInfo *source = verify_operand(v, op, "source"), *indices = verify_operand(v, op, "indices");
    const uint64_t dim = tir_attribute_integer(op, "dim");
    if (dim >= source->rank)
        return verify_fail(v, op, "has dim %" PRId32 ", expected 0 to less than the rank %" PRIu32, (int32_t)dim,
                           source->rank);
    for (uint32_t d = 0; d < source->rank; d++)
        if (d != dim && source->shape[d] != indices->shape[d])
            return verify_fail(
                v, op, "has %" PRId64 " indices for %" PRId64 " elements in dimension %" PRIu32 ", expected as many",
                indices->shape[d], source->shape[d], d);
    return true;
}

// ---- block_operation ------------------------------------------------------------------------------------------------

bool check_block_operation(Verifier *v, const TirOp *op) {
    const char *name = tir_attribute(op, "operation")->text;
    const bool has_token = op->segments[1];
    const uint32_t count = op->operand_count - has_token;
    const BlockOperationRow *row = NULL;
    if (!v->function->memory_bytes)
        return verify_fail(v, op, "stands in a function without memory of the block, which it is about");
    for (size_t i = 0; i < BLOCK_OPERATIONS; i++)
        if (!strcmp(block_operation_rows[i].name, name)) row = &block_operation_rows[i];
    if (!row) return verify_fail(v, op, "names the operation '%s', which does not exist", name);
    if (count < row->least || count > row->most)
        return verify_fail(v, op, "has %" PRIu32 " operands, '%s' takes %" PRIu32 " to %" PRIu32, count, name,
                           row->least, row->most);
    for (uint32_t i = 0; i < count; i++)
        if (tir_type(v->module, verify_value_type(v, op->operands[i]))->rank)
            return verify_fail(v, op, "operand %" PRIu32 " is no scalar", i);
    return true;
}
