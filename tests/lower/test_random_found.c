// SPDX-License-Identifier: Apache-2.0
// What random programs (test_random_programs.c) found wrong, each as a small kernel that is compared with the reference
// interpreter.
#include "tests/lower/lab.h"

// ---- both ways ------------------------------------------------------------------------------------------------------

static void fill(Lab *lab) {
    uint64_t state = 1;
    for (uint32_t b = 0; b < lab->pointer_count; b++)
        for (unsigned i = 0; i < LAB_COMPARED / tir_type_rows[lab->kinds[b]].storage_bytes; i++)
            lab_put(lab, b, lab->kinds[b], i, lab_random(&state) & 0x3f3f3f3f3f3f3f3f);
}

// Adds the return, fills the buffers and compares; then closes the lab.
static void check(Lab *lab, CompileNumeric numeric) {
    lab_return(lab);
    fill(lab);
    lab_check(lab, numeric);
    lab_close(lab);
}

// ---- reduce and scan ------------------------------------------------------------------------------------------------

// The body uses a constant and a number from outside, and may yield them as they are.
static void run_body(TirOpKind kind, uint64_t dim, bool only_constant) {
    static const TirTypeKind kinds[] = {TIR_TYPE_f32, TIR_TYPE_f32};
    static const int64_t shape[] = {8, 32};
    Lab lab = lab_open(2, kinds);
    TirValue x = lab_load(&lab, 0, 2, shape);
    TirType scalar = lab_tile(&lab, TIR_TYPE_f32, 0, NULL), arguments[2] = {scalar, scalar};
    TirType type = kind == TIR_OP_scan ? tir_value_type(lab.module->functions, x)
                                       : lab_tile(&lab, TIR_TYPE_f32, 1, dim ? shape : shape + 1);
    TirValue outside = lab_constant(&lab, scalar, 0x40490fdb);
    TirOp *op = lab_op(&lab, kind, 1, &type, 1, &x, NULL);
    TirAttribute identity = {.present = true, .tag = TIR_TAG_FLOAT, .type = tir_type_scalar(lab.module, TIR_TYPE_f32)};
    lab_set(op, "dim", dim);
    if (kind == TIR_OP_scan) lab_set(op, "reverse", dim);
    tir_op_set(op, "identities")->items = &identity;
    tir_op_set(op, "identities")->length = 1;
    TirBlock *block = lab.block;
    lab.block = tir_block_add(&op->regions[0], 2, arguments);
    TirValue inside = lab_constant(&lab, scalar, 0x3f8ccccd), value = inside;
    if (!only_constant) {
        TirValue element = lab.block->first_argument, sum = lab.block->first_argument + 1;
        value = lab_binary(&lab, TIR_OP_addf, lab_binary(&lab, TIR_OP_mulf, element, inside),
                           lab_binary(&lab, TIR_OP_mulf, sum, outside));
    }
    lab_op(&lab, TIR_OP_yield, 0, NULL, 1, &value, NULL);
    lab.block = block;
    lab_store(&lab, 1, tir_result(op, 0));
    check(&lab, COMPILE_PAYLOAD);
}

Test(random_found, scalars_in_the_body_of_a_reduction) {
    for (uint64_t dim = 0; dim < 2; dim++)
        for (int only_constant = 0; only_constant < 2; only_constant++) {
            run_body(TIR_OP_reduce, dim, only_constant);
            run_body(TIR_OP_scan, dim, only_constant);
        }
}

// ---- tiles updated in place -----------------------------------------------------------------------------------------

// An assume is its operand, which a later product overwrites.
Test(random_found, assumed_tile_is_read_after_the_product) {
    static const TirTypeKind kinds[] = {TIR_TYPE_i8, TIR_TYPE_i8, TIR_TYPE_i32, TIR_TYPE_i32};
    static const int64_t shape[] = {16, 16}, numbers[] = {0, 0};
    Lab lab = lab_open(4, kinds);
    TirValue a = lab_load(&lab, 0, 2, shape), b = lab_load(&lab, 1, 2, shape), c = lab_load(&lab, 2, 2, shape);
    TirType scalar = lab_tile(&lab, TIR_TYPE_i32, 0, NULL), tile = tir_value_type(lab.module->functions, c);
    TirValue operands[5] = {lab_constant(&lab, scalar, 0), lab_constant(&lab, scalar, 3), lab_constant(&lab, scalar, 1),
                            c, c};
    TirOp *loop = lab_op(&lab, TIR_OP_for, 2, (TirType[]){tile, tile}, 5, operands, NULL);
    TirBlock *block = lab.block;
    lab.block = tir_block_add(&loop->regions[0], 3, (TirType[]){scalar, tile, tile});
    TirValue carried = lab.block->first_argument + 1;
    TirOp *assume = lab_op(&lab, TIR_OP_assume, 1, &tile, 1, &carried, NULL);
    TirAttribute *predicate = tir_op_set(assume, "predicate");
    predicate->tag = TIR_TAG_BOUNDED;
    predicate->numbers = numbers;
    predicate->length = 2;
    TirOp *dot = lab_op(&lab, TIR_OP_mmai, 1, &tile, 3, (TirValue[]){a, b, carried}, NULL);
    TirValue product = tir_result(dot, 0);
    lab_set(dot, "signedness_lhs", TIR_signedness_signed);
    lab_set(dot, "signedness_rhs", TIR_signedness_signed);
    TirValue before = lab_binary(&lab, TIR_OP_addi, tir_result(assume, 0), carried + 1);
    lab_op(&lab, TIR_OP_continue, 0, NULL, 2, (TirValue[]){product, before}, NULL);
    lab.block = block;
    lab_store(&lab, 3, tir_result(loop, 1));
    lab_store(&lab, 2, tir_result(loop, 0));
    check(&lab, COMPILE_IEEE);
}

// A chain that is longer than what is deferred, begun before the product that overwrites what it starts from.
Test(random_found, long_chain_from_the_old_tile) {
    static const TirTypeKind kinds[] = {TIR_TYPE_f32, TIR_TYPE_f32, TIR_TYPE_f32, TIR_TYPE_f32};
    static const int64_t shape[] = {16, 16}, order[] = {1, 0};
    for (int length = 200; length <= 700; length += 100) {
        Lab lab = lab_open(4, kinds);
        TirValue a = lab_load(&lab, 0, 2, shape), b = lab_load(&lab, 1, 2, shape), c = lab_load(&lab, 2, 2, shape);
        TirType scalar = lab_tile(&lab, TIR_TYPE_i32, 0, NULL), tile = tir_value_type(lab.module->functions, c);
        TirValue operands[5] = {lab_constant(&lab, scalar, 0), lab_constant(&lab, scalar, 3),
                                lab_constant(&lab, scalar, 1), c, c};
        TirOp *loop = lab_op(&lab, TIR_OP_for, 2, (TirType[]){tile, tile}, 5, operands, NULL);
        TirBlock *block = lab.block;
        lab.block = tir_block_add(&loop->regions[0], 3, (TirType[]){scalar, tile, tile});
        TirValue carried = lab.block->first_argument + 1, value = carried;
        for (int i = 0; i < length; i++) {
            value = i % 9 == 8 ? lab_value(&lab, TIR_OP_permute, tile, 1, &value)
                               : lab_binary(&lab, i % 2 ? TIR_OP_addf : TIR_OP_subf, value, i % 5 ? b : carried + 1);
            if (i % 9 != 8) continue;
            TirAttribute *permutation = tir_op_set(tir_value(lab.module->functions, value)->definition, "permutation");
            permutation->numbers = order;
            permutation->length = 2;
        }
        TirValue product = lab_value(&lab, TIR_OP_mmaf, tile, 3, (TirValue[]){a, b, carried});
        lab_op(&lab, TIR_OP_continue, 0, NULL, 2, (TirValue[]){product, value}, NULL);
        lab.block = block;
        lab_store(&lab, 3, tir_result(loop, 1));
        lab_store(&lab, 2, tir_result(loop, 0));
        check(&lab, COMPILE_PAYLOAD);
    }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// A 1-D tile of `size` elements stored where a tensor has room for `room` of them.
static void store_part(Lab *lab, uint32_t argument, TirValue value, int64_t size, int64_t room) {
    static const int64_t one = 1;
    static const int32_t dim_map = 0;
    TirType element = tir_type(lab->module, tir_value_type(lab->module->functions, value))->element;
    TirTypeInfo tensor = {.kind = TIR_TYPE_tensor_view, .element = element, .rank = 1, .ptr_attr = -1};
    tensor.shape = &room;
    tensor.strides = &one;
    TirType tensor_type = tir_type_intern(lab->module, &tensor);
    TirTypeInfo tiles = {.kind = TIR_TYPE_partition_view, .element = tensor_type, .rank = 1, .padding = TIR_PAD_none};
    tiles.shape = &size;
    tiles.dim_map = &dim_map;
    TirValue base = lab_argument(lab, argument);
    TirOp *view = lab_op(lab, TIR_OP_make_tensor_view, 1, &tensor_type, 1, &base, (uint32_t[TIR_OPERANDS_MAX]){1});
    TirValue whole = tir_result(view, 0);
    TirValue partition = lab_value(lab, TIR_OP_make_partition_view, tir_type_intern(lab->module, &tiles), 1, &whole);
    TirValue index = lab_constant(lab, lab_tile(lab, TIR_TYPE_i32, 0, NULL), 0);
    TirType token = tir_type_intern(lab->module, &(TirTypeInfo){.kind = TIR_TYPE_token});
    TirOp *store = lab_op(lab, TIR_OP_store_view_tko, 1, &token, 3, (TirValue[]){value, partition, index},
                          (uint32_t[TIR_OPERANDS_MAX]){1, 1, 1});
    lab_set(store, "ordering", TIR_memory_ordering_weak);
}

// LLVM 22 wrote past the one element that is inside (AVX-512).
Test(random_found, truncated_values_at_the_edge) {
    static const TirTypeKind wide[] = {TIR_TYPE_i32, TIR_TYPE_i32, TIR_TYPE_i64},
                             narrow[] = {TIR_TYPE_i8, TIR_TYPE_i16, TIR_TYPE_i32};
    for (int i = 0; i < 3; i++)
        for (int64_t size = 4; size <= 16; size *= 2)
            for (int64_t room = 1; room < 4; room++) {
                TirTypeKind kinds[] = {wide[i], narrow[i]};
                Lab lab = lab_open(2, kinds);
                TirValue x = lab_load(&lab, 0, 1, &size);
                store_part(&lab, 1, lab_value(&lab, TIR_OP_trunci, lab_tile(&lab, narrow[i], 1, &size), 1, &x), size,
                           room);
                check(&lab, COMPILE_IEEE);
            }
}
