// SPDX-License-Identifier: Apache-2.0
// Rules of ops that move tiles, of constants and of matrix products.
#include "verify_cases.h"

static TirOp *set_index(TirOp *op, uint64_t dim) {
    return set(op, "dim", dim);
}

// ---- moving tiles ---------------------------------------------------------------------------------------------------

static void broadcast_size(Case *c) {
    add(c, TIR_OP_broadcast, "8x4xf32", VALUES(value_of(c, "2x4xf32")));
}
static void reshape_count(Case *c) {
    add(c, TIR_OP_reshape, "4x4xf32", VALUES(value_of(c, "8xf32")));
}
static void reshape_element(Case *c) {
    add(c, TIR_OP_reshape, "8xf16", VALUES(value_of(c, "8xf32")));
}
static void cat_dim(Case *c) {
    set_index(add(c, TIR_OP_cat, "8xf32", VALUES(value_of(c, "4xf32"), value_of(c, "4xf32"))), 1);
}
static void cat_negative(Case *c) {
    set_index(add(c, TIR_OP_cat, "8xf32", VALUES(value_of(c, "4xf32"), value_of(c, "4xf32"))), (uint64_t)-1);
}
static void cat_sum(Case *c) {
    set_index(add(c, TIR_OP_cat, "4x4xf32", VALUES(value_of(c, "4x4xf32"), value_of(c, "4x4xf32"))), 0);
}
static void cat_other(Case *c) {
    set_index(add(c, TIR_OP_cat, "8x4xf32", VALUES(value_of(c, "4x4xf32"), value_of(c, "4x2xf32"))), 0);
}
static void cat_fits(Case *c) {
    set_index(add(c, TIR_OP_cat, "4x8xf32", VALUES(value_of(c, "4x4xf32"), value_of(c, "4x4xf32"))), 1);
}
static void extract_divides(Case *c) {
    add(c, TIR_OP_extract, "8xf32", VALUES(value_of(c, "4xf32"), value_of(c, "i32")));
}
static void extract_indices(Case *c) {
    add(c, TIR_OP_extract, "2x2xf32", VALUES(value_of(c, "4x4xf32"), value_of(c, "i32")));
}
static void extract_index_type(Case *c) {
    add(c, TIR_OP_extract, "2xf32", VALUES(value_of(c, "4xf32"), value_of(c, "i64")));
}
static void extract_index_rank(Case *c) {
    add(c, TIR_OP_extract, "2xf32", VALUES(value_of(c, "4xf32"), value_of(c, "1xi32")));
}
static void iota_rank(Case *c) {
    add(c, TIR_OP_iota, "4x4xi32", NO_VALUES);
}
static void iota_range(Case *c) {
    add(c, TIR_OP_iota, "512xi8", NO_VALUES);
}
static void iota_full(Case *c) {
    add(c, TIR_OP_iota, "256xi8", NO_VALUES);
}
static void iota_float(Case *c) {
    add(c, TIR_OP_iota, "8xf32", NO_VALUES);
}
static TirOp *permute(Case *c, const char *source, const char *result, size_t count, const int64_t *order) {
    return set_numbers(c, add(c, TIR_OP_permute, result, VALUES(value_of(c, source))), "permutation", TIR_TAG_NONE, 0,
                       count, order);
}
static void permute_rank(Case *c) {
    permute(c, "4xf32", "4xf32", 1, (int64_t[]){0});
}
static void permute_length(Case *c) {
    permute(c, "4x2xf32", "2x4xf32", 3, (int64_t[]){1, 0, 2});
}
static void permute_range(Case *c) {
    permute(c, "4x2xf32", "2x4xf32", 2, (int64_t[]){1, 2});
}
static void permute_twice(Case *c) {
    permute(c, "4x4xf32", "4x4xf32", 2, (int64_t[]){1, 1});
}
static void permute_result(Case *c) {
    permute(c, "4x2xf32", "4x2xf32", 2, (int64_t[]){1, 0});
}
static void permute_wide_number(Case *c) {
    permute(c, "4x2xf32", "2x4xf32", 2, (int64_t[]){1, INT64_C(1) << 40});
}
static void select_shape(Case *c) {
    add(c, TIR_OP_select, "4xf32", VALUES(value_of(c, "i1"), value_of(c, "4xf32"), value_of(c, "4xf32")));
}
static void select_packed(Case *c) {
    add(c, TIR_OP_select, "4xf4E2M1FN",
        VALUES(value_of(c, "4xi1"), value_of(c, "4xf4E2M1FN"), value_of(c, "4xf4E2M1FN")));
}
static void offset_shape(Case *c) {
    add(c, TIR_OP_offset, "4x*f32", VALUES(value_of(c, "4x*f32"), value_of(c, "i32")));
}

Test(verify_tiles, moves) {
    static const VerifyCase cases[] = {
        {"broadcast stretches 1", broadcast_size,
         "'broadcast' op stretches dimension 0 from 2 to 8, expected 1 or an equal size ([2, 4] to [8, 4])"},
        {"reshape keeps the count", reshape_count,
         "'reshape' op goes from 8 elements (tile<8xf32>) to 16 (tile<4x4xf32>)"},
        {"reshape keeps the elements", reshape_element, "'reshape' op result 'result' is tile<8xf16>"},
        {"dim of cat is a dimension", cat_dim, "'cat' op has dim 1, expected 0 to less than the rank 1"},
        {"dim of cat is not negative", cat_negative, "'cat' op has dim -1, expected"},
        {"cat adds up", cat_sum, "'cat' op joins [4, 4] and [4, 4] along dimension 0, which does not give [4, 4]"},
        {"other dimensions of cat are equal", cat_other, "'cat' op joins [4, 4] and [4, 2]"},
        {"cat along the last dimension", cat_fits, NULL},
        {"slices divide", extract_divides, "'extract' op has slices of [8] of a tile of [4]"},
        {"an index per dimension", extract_indices, "'extract' op has 1 indices, expected 2"},
        {"indices are i32", extract_index_type,
         "'extract' op operand 'indices' is tile<i64>, expected scalar tile of i32"},
        {"indices are scalars", extract_index_rank,
         "'extract' op operand 'indices' is tile<1xi32>, expected scalar tile of i32"},
        {"iota is a row", iota_rank,
         "'iota' op result 'result' is tile<4x4xi32>, expected rank-1 tile of i1, i8, i16, i32 or i64"},
        {"iota fits its type", iota_range, "'iota' op counts to 512, which i8 cannot hold"},
        {"iota fills its type", iota_full, NULL},
        {"iota is integer", iota_float, "'iota' op result 'result' is tile<8xf32>"},
        {"permute needs two dimensions", permute_rank, "'permute' op has a source of rank 1, expected at least 2"},
        {"a permutation entry per dimension", permute_length,
         "'permute' op has a permutation of 3 dimensions, expected 2"},
        {"permutation entries are dimensions", permute_range,
         "'permute' op has permutation entry 1 of 2, expected 0 to 1"},
        {"permutation entries differ", permute_twice, "'permute' op names dimension 1 twice"},
        {"permuted shape", permute_result, "'permute' op has dimension 0 of size 4 in its result, expected 2"},
        {"permutation entries are 32 bits", permute_wide_number,
         "'permute' op attribute 'permutation' has the value 1099511627776 at 1, out of range"},
        {"condition has the shape", select_shape,
         "'select' op operand 'true' is tile<4xf32>, expected the shape of 'cond'"},
        {"select moves whole bytes", select_packed, "'select' op selects between f4E2M1FN elements"},
        {"an offset per pointer", offset_shape,
         "'offset' op operand 'offset' is tile<i32>, expected the shape of 'ptr'"},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}

// ---- pack, unpack, constants ----------------------------------------------------------------------------------------

static void pack_rank(Case *c) {
    add(c, TIR_OP_pack, "4x4xi8", VALUES(value_of(c, "4x4xf32")));
}
static void pack_bytes(Case *c) {
    add(c, TIR_OP_pack, "8xi8", VALUES(value_of(c, "4xf32")));
}
static void pack_width(Case *c) {
    add(c, TIR_OP_pack, "8xi8", VALUES(value_of(c, "8xf8E5M2")));
}
static void pack_bits(Case *c) {
    add(c, TIR_OP_pack, "1xi8", VALUES(value_of(c, "4xi1")));
}
static void unpack_source(Case *c) {
    add(c, TIR_OP_unpack, "4xf32", VALUES(value_of(c, "16xi16")));
}
static void unpack_bytes(Case *c) {
    add(c, TIR_OP_unpack, "8xf32", VALUES(value_of(c, "16xi8")));
}
static void pack_nibbles(Case *c) {
    add(c, TIR_OP_pack, "8xi8", VALUES(value_of(c, "16xi4")));
}
static TirOp *constant(Case *c, const char *type, size_t size) {
    static const uint8_t bytes[64];
    TirOp *op = add(c, TIR_OP_constant, type, NO_VALUES);
    tir_op_set(op, "value")->constant = (TirConstant){.bytes = bytes, .size = size};
    return op;
}
static void constant_size(Case *c) {
    constant(c, "4xf32", 12);
}
static void constant_bits(Case *c) {
    constant(c, "32xi1", 3);
}
static void constant_packed(Case *c) {
    constant(c, "32xi1", 4);
}
static void constant_pointer(Case *c) {
    constant(c, "*f32", 8);
}
static void constant_nibble(Case *c) {
    constant(c, "2xi4", 1);
}
static void constant_missing(Case *c) {
    add(c, TIR_OP_constant, "f32", NO_VALUES);
}

Test(verify_tiles, packing_and_constants) {
    static const VerifyCase cases[] = {
        {"pack takes a row", pack_rank, "'pack' op has a source of rank 2, expected 1"},
        {"pack keeps the bytes", pack_bytes, "'pack' op goes from 16 bytes to 8, expected as many"},
        {"pack changes the width", pack_width, "'pack' op goes from f8E5M2 to i8, expected different widths"},
        {"pack takes whole bytes", pack_bits, "'pack' op has a tile of 4 bits, expected whole bytes"},
        {"unpack takes bytes", unpack_source, "'unpack' op operand 'source' is tile<16xi16>, expected tile of i8"},
        {"unpack keeps the bytes", unpack_bytes, "'unpack' op goes from 16 bytes to 32"},
        {"two nibbles are a byte", pack_nibbles, NULL},
        {"a constant has one or all elements", constant_size,
         "'constant' op has a value of 12 bytes, which does not fit tile<4xf32>"},
        {"booleans are packed", constant_bits, "'constant' op has a value of 3 bytes, which does not fit tile<32xi1>"},
        {"packed booleans", constant_packed, NULL},
        {"no constant pointers", constant_pointer, "'constant' op result 'result' is tile<ptr<f32>>"},
        {"no constant nibbles", constant_nibble, "'constant' op result 'result' is tile<2xi4>"},
        {"a constant has a value", constant_missing, "'constant' op attribute 'value' is missing"},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}

// ---- matrix products ------------------------------------------------------------------------------------------------

static TirOp *product(Case *c, const char *lhs, const char *rhs, const char *acc) {
    return add(c, TIR_OP_mmaf, acc, VALUES(value_of(c, lhs), value_of(c, rhs), value_of(c, acc)));
}
static void product_rank(Case *c) {
    product(c, "4xf16", "4xf16", "4xf16");
}
static void product_inner(Case *c) {
    product(c, "4x8xf16", "4x8xf16", "4x8xf16");
}
static void product_rows(Case *c) {
    product(c, "4x8xf16", "8x2xf16", "2x2xf16");
}
static void product_columns(Case *c) {
    product(c, "4x8xf16", "8x2xf16", "4x4xf16");
}
static void product_batch(Case *c) {
    product(c, "2x4x8xf16", "4x8x2xf16", "2x4x2xf16");
}
static void product_batch_acc(Case *c) {
    product(c, "2x4x8xf16", "2x8x2xf16", "1x4x2xf16");
}
static void product_mixed(Case *c) {
    product(c, "4x8xf16", "8x2xbf16", "4x2xf32");
}
static void product_bf16(Case *c) {
    product(c, "4x8xf32", "8x2xf32", "4x2xf16");
}
static void product_double(Case *c) {
    product(c, "4x8xf64", "8x2xf64", "4x2xf32");
}
static void product_to_double(Case *c) {
    product(c, "4x8xf32", "8x2xf32", "4x2xf64");
}
static void product_acc_bf16(Case *c) {
    product(c, "4x8xbf16", "8x2xbf16", "4x2xbf16");
}
static void product_packed(Case *c) {
    product(c, "4x8xf4E2M1FN", "8x2xf4E2M1FN", "4x2xf32");
}
static void integer_product(Case *c) {
    TirOp *op =
        add(c, TIR_OP_mmai, "4x2xi32", VALUES(value_of(c, "4x8xi16"), value_of(c, "8x2xi8"), value_of(c, "4x2xi32")));
    set(set(op, "signedness_lhs", 0), "signedness_rhs", 0);
}
static void scaled(Case *c, const char *lhs, const char *rhs, const char *lhs_scale, const char *rhs_scale) {
    add(c, TIR_OP_mmaf_scaled, "4x2xf32",
        VALUES(value_of(c, lhs), value_of(c, rhs), value_of(c, "4x2xf32"), value_of(c, lhs_scale),
               value_of(c, rhs_scale)));
}
static void scaled_types(Case *c) {
    scaled(c, "4x32xf8E5M2", "32x2xf8E5M2", "4x1xf8E4M3FN", "1x2xf8E4M3FN");
}
static void scaled_block(Case *c) {
    scaled(c, "4x64xf8E5M2", "64x2xf8E5M2", "4x4xf8E8M0FNU", "4x2xf8E8M0FNU");
}
static void scaled_nibble_block(Case *c) {
    scaled(c, "4x64xf4E2M1FN", "64x2xf4E2M1FN", "4x2xf8E4M3FN", "2x2xf8E4M3FN");
}
static void scaled_more_scales(Case *c) {
    scaled(c, "4x16xf4E2M1FN", "16x2xf4E2M1FN", "4x32xf8E8M0FNU", "32x2xf8E8M0FNU");
}
static void scaled_rows(Case *c) {
    scaled(c, "4x32xf8E5M2", "32x2xf8E5M2", "8x1xf8E8M0FNU", "1x2xf8E8M0FNU");
}
static void scaled_counts(Case *c) {
    scaled(c, "4x64xf8E5M2", "64x2xf8E5M2", "4x2xf8E8M0FNU", "1x2xf8E8M0FNU");
}
static void scaled_fits(Case *c) {
    scaled(c, "4x64xf4E2M1FN", "64x2xf4E2M1FN", "4x2xf8E8M0FNU", "2x2xf8E8M0FNU");
}

Test(verify_tiles, products) {
    static const VerifyCase cases[] = {
        {"matrices have two or three dimensions", product_rank, "'mmaf' op has operands of rank 1, expected 2 or 3"},
        {"inner dimension", product_inner, "expected dimension 1 of lhs and 0 of rhs to be equal"},
        {"rows", product_rows, "expected dimension 0 of lhs and 0 of acc to be equal"},
        {"columns", product_columns, "expected dimension 1 of rhs and 1 of acc to be equal"},
        {"batch", product_batch, "expected dimension 0 of lhs and 0 of rhs to be equal"},
        {"batch of the accumulator", product_batch_acc, "expected dimension 0 of lhs and 0 of acc to be equal"},
        {"both sides have one type", product_mixed,
         "'mmaf' op operand 'rhs' is tile<8x2xbf16>, expected the element type of 'lhs'"},
        {"f32 sums in f32", product_bf16, "'mmaf' op multiplies f32 into an accumulator of f16, expected f32"},
        {"f64 sums in f64", product_double, "'mmaf' op multiplies f64 into an accumulator of f32, expected f64"},
        {"f32 does not sum in f64", product_to_double,
         "'mmaf' op multiplies f32 into an accumulator of f64, expected f32"},
        {"no bf16 accumulator", product_acc_bf16,
         "'mmaf' op operand 'acc' is tile<4x2xbf16>, expected tile of f16, f32 or f64"},
        {"no f4 product without scales", product_packed, "'mmaf' op operand 'lhs' is tile<4x8xf4E2M1FN>"},
        {"integer products are of bytes", integer_product,
         "'mmai' op operand 'lhs' is tile<4x8xi16>, expected tile of i8"},
        {"f8 takes exponent scales", scaled_types, "'mmaf_scaled' op scales f8E5M2 with f8E4M3FN, expected f8E8M0FNU"},
        {"f8 has a scale per 32", scaled_block,
         "'mmaf_scaled' op has 4 scales for 64 elements, expected one for each 32"},
        {"f4 has a scale per 16", scaled_nibble_block,
         "'mmaf_scaled' op has 2 scales for 64 elements, expected one for each 16"},
        {"no more scales than elements", scaled_more_scales,
         "'mmaf_scaled' op has 32 scales for 16 elements, expected one for each 16 or 32"},
        {"rows of scales", scaled_rows, "expected dimension 0 of lhs and 0 of lhs_scale to be equal"},
        {"as many scales on both sides", scaled_counts,
         "expected dimension 1 of lhs_scale and 0 of rhs_scale to be equal"},
        {"f4 with exponent scales per 32", scaled_fits, NULL},
    };
    run_verify_cases(cases, BASE_COUNT(cases));
}
