// SPDX-License-Identifier: Apache-2.0
// What the reader makes of TTGIR: layouts, memory objects, the operands and results of ops.
#include "compiler/triton/translate.h"

#include <criterion/criterion.h>

static TriReader reader;
static Diagnostics diagnostics;
static Buffer text, alias;

static void forget(void) {
    arena_reset(&reader.base.scratch);
    tir_module_close(reader.base.module);
    diagnostics_close(&diagnostics);
    buffer_free(&text);
    buffer_free(&alias);
}
TestSuite(layouts, .fini = forget);
TestSuite(types, .fini = forget);
TestSuite(module, .fini = forget);
TestSuite(ops, .fini = forget);

// Reads a module of a function @k whose body this is, after aliases.
static const TriFunction *read(const char *aliases, const char *attributes, const char *body) {
    buffer_print(&text, "%s\nmodule %s {\n  tt.func public @k(%%n: i32, %%p: i1) {\n%s\n    tt.return\n  }\n}\n",
                 aliases, attributes, body);
    TirModule *module = tir_module_open("k.ttgir");
    reader = (TriReader){
        .base = {.diagnostics = &diagnostics, .module = module, .text = text.data, .end = text.data + text.size}};
    const bool ok = tri_parse_module(&reader.base);
    diagnostics_print(&diagnostics);
    cr_assert(ok);
    return &reader.functions[0];
}

static const TriLayout *layout_of(const char *written) {
    buffer_print(&alias, "#x = %s", written);
    read(alias.data, "", "");
    cr_assert_eq(reader.encoding_count, 1);
    return reader.encodings[0].layout;
}

static const TriOp *op_at(const TriFunction *function, unsigned index) {
    const TriOp *op = function->body.first->first;
    while (index--) op = op->next;
    return op;
}

Test(layouts, nvmma) {
    const TriLayout *x =
        layout_of("#ttg.nvmma_shared<{swizzlingByteWidth = 64, transposed = true, elementBitWidth = 8, "
                  "fp4Padded = true, CGALayout = [[0, 0], [1, 0]]}>");
    cr_assert(x->kind == TRI_LAYOUT_NVMMA && x->swizzle == 64 && x->transposed && x->element_bits == 8);
    cr_assert(x->fp4_padded && x->is_split && x->blocks.count == 2 && x->blocks.rank == 2);
    cr_assert(tri_basis(&x->blocks, 0)[0] == 0 && tri_basis(&x->blocks, 1)[0] == 1);
}

Test(layouts, blocks_that_have_the_same) {
    const TriLayout *x =
        layout_of("#ttg.swizzled_shared<{vec = 8, perPhase = 2, maxPhase = 4, order = [1, 0], CGALayout = [[0, 0]]}>");
    cr_assert(x->kind == TRI_LAYOUT_SWIZZLED && x->vec == 8 && x->per_phase == 2 && x->max_phase == 4);
    cr_assert(x->rank == 2 && x->order[0] == 1 && x->order[1] == 0 && !x->is_split && x->blocks.count == 1);
}

Test(layouts, linear) {
    const TriLayout *x =
        layout_of("#ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 1]], block = [[2, 0]]}, alignment = 128>");
    cr_assert(x->kind == TRI_LAYOUT_LINEAR && x->offsets.count == 3 && x->offsets.rank == 2 && x->alignment == 128);
    cr_assert(tri_basis(&x->offsets, 2)[0] == 1 && tri_basis(&x->offsets, 2)[1] == 1);
    cr_assert(x->blocks.count == 1 && tri_basis(&x->blocks, 0)[0] == 2);
}

Test(layouts, tensor_memory) {
    const TriLayout *x = layout_of("#ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 2, CGALayout = "
                                   "[[1, 0]], twoCTAs = true>");
    cr_assert(x->kind == TRI_LAYOUT_TENSOR && x->block_m == 128 && x->block_n == 64 && x->column_stride == 2);
    cr_assert(x->two_ctas && x->is_split);
}

// As 3.6 and 3.7 say it.
Test(layouts, tensor_memory_of_older_versions) {
    const TriLayout *x = layout_of(
        "#ttng.tensor_memory_encoding<blockM = 64, blockN = 64, colStride = 1, CTASplitM = 2, CTASplitN = 4>");
    cr_assert(x->is_split && x->blocks.count == 3 && x->blocks.rank == 2);
    cr_assert(tri_basis(&x->blocks, 0)[0] == 1 && tri_basis(&x->blocks, 0)[1] == 0);
    cr_assert(tri_basis(&x->blocks, 1)[1] == 1 && tri_basis(&x->blocks, 2)[1] == 2);
}

Test(layouts, scales) {
    cr_assert_not(layout_of("#ttng.tensor_memory_scales_encoding<>")->k_first);
}
Test(layouts, scales_of_k_first) {
    cr_assert(layout_of("#ttng.tensor_memory_scales_encoding<blockRepOrder = kThenMn>")->k_first);
}

static const char aliases[] = "#line = #ttg.swizzled_shared<{vec = 1, perPhase = 1, maxPhase = 1, order = [0]}>\n"
                              "#tmem = #ttng.tensor_memory_encoding<blockM = 128, blockN = 64, colStride = 1>\n"
                              "#smem = #ttg.shared_memory\n";
#define BARRIER "!ttg.memdesc<1xi64, #line, #smem, mutable>"
#define TENSOR  "!ttg.memdesc<128x64xf32, #tmem, #ttng.tensor_memory, mutable>"

Test(types, memory) {
    const TriFunction *k = read(aliases, "",
                                "%a = ttg.local_alloc : () -> !ttg.memdesc<3x16x8xf16, #line, #smem, mutable>\n"
                                "%b = ub.poison : !ttg.memdesc<16x8xf16, #line, #smem, 3x16x32>\n"
                                "%t = ttng.tmem_alloc : () -> " TENSOR "\n");
    const TriMemory *a = reader.types[op_at(k, 0)->first_result].memory;
    const TriMemory *b = reader.types[op_at(k, 1)->first_result].memory;
    const TriMemory *t = reader.types[op_at(k, 2)->first_result].memory;
    cr_assert(a->is_mutable && !a->tensor && a->kind == TIR_TYPE_f16 && a->shape.rank == 3 && a->shape.shape[0] == 3);
    cr_assert(a->whole_rank == 3 && a->whole[2] == 8);
    cr_assert(!b->is_mutable && b->shape.rank == 2 && b->whole_rank == 3 && b->whole[2] == 32);
    cr_assert(t->tensor && t->layout->kind == TRI_LAYOUT_TENSOR && b->layout->kind == TRI_LAYOUT_SWIZZLED);
}

Test(module, cluster) {
    read("", "attributes {\"ttg.num-ctas\" = 4 : i32, \"ttg.num-warps\" = 8 : i32, \"ttng.two-ctas\" = true}", "");
    cr_assert(reader.cluster.blocks == 4 && reader.cluster.warps == 8 && reader.cluster.two_ctas);
}

Test(ops, results_that_may_be_there) {
    const TriFunction *k = read(aliases, "",
                                "%t, %a = ttng.tmem_alloc : () -> (" TENSOR ", !ttg.async.token)\n"
                                "%v = ttng.tmem_load %t : " TENSOR " -> tensor<128x64xf32>\n"
                                "%w, %b = ttng.tmem_load %t[%a] : " TENSOR " -> tensor<128x64xf32>\n"
                                "%x, %r = ttng.tmem_load %t {redOp = #ttng.redOp<max>} : " TENSOR
                                " -> tensor<128x64xf32>, tensor<128xf32>\n"
                                "%y, %c, %s = ttng.tmem_load %t[] {redOp = #ttng.redOp<min>, NaN = true} : " TENSOR
                                " -> tensor<128x64xf32>, tensor<128xf32>\n");
    static const struct {
        unsigned results;
        int token, red; // which they are, -1: none
    } expected[] = {{1, -1, -1}, {2, 1, -1}, {2, -1, 1}, {3, 1, 2}};
    cr_assert_eq(op_at(k, 0)->result_count, 2);
    for (unsigned i = 0; i < BASE_COUNT(expected); i++) {
        const TriOp *op = op_at(k, 1 + i);
        const TriValue token = tri_result(op, "token"), red = tri_result(op, "red");
        cr_assert_eq(op->result_count, expected[i].results);
        cr_assert_eq(tri_result(op, "result"), op->first_result);
        cr_assert_eq(token, expected[i].token < 0 ? TRI_NO_VALUE : op->first_result + (TriValue)expected[i].token);
        cr_assert_eq(red, expected[i].red < 0 ? TRI_NO_VALUE : op->first_result + (TriValue)expected[i].red);
    }
    cr_assert_eq(tri_attribute(op_at(k, 4), "redOp")->integer, TRI_tmem_reduction_min);
    cr_assert_eq(tri_attribute(op_at(k, 4), "NaN")->integer, 1);
}

Test(ops, barriers_with_predicates) {
    const TriFunction *k = read(aliases, "",
                                "%q = arith.constant true\n%b = ttg.local_alloc : () -> " BARRIER
                                "\n%c = ttg.local_alloc : () -> " BARRIER "\n%t = ttng.tmem_alloc : () -> " TENSOR "\n"
                                "%k = ttng.tc_gen5_mma %t, %t, %t[], %p, %q, %b[%p], %c[%q] {is_async} : " TENSOR
                                ", " TENSOR ", " TENSOR ", " BARRIER ", " BARRIER "\n");
    const TriOp *op = op_at(k, 4);
    const TriValue *barriers, *predicates, p = k->first_argument + 1, q = op_at(k, 0)->first_result;
    cr_assert_eq(tri_operands(op, "barriers", &barriers), 2);
    cr_assert_eq(tri_operands(op, "barrier_preds", &predicates), 2);
    cr_assert(barriers[0] == op_at(k, 1)->first_result && barriers[1] == op_at(k, 2)->first_result);
    cr_assert(predicates[0] == p && predicates[1] == q);
    cr_assert(tri_operand(op, "useD") == p && tri_operand(op, "pred") == q);
    cr_assert_eq(tri_operand(op, "acc_dep"), TRI_NO_VALUE);
    cr_assert(tri_attribute(op, "is_async") && !tri_attribute(op, "two_ctas"));
}

Test(ops, partitions) {
    const TriFunction *k = read(aliases, "",
                                "%b = ttg.local_alloc : () -> " BARRIER "\n"
                                "%r = ttg.warp_specialize(%b, %n) attributes {requestedRegisters = array<i32: 24>}\n"
                                "default {\n  ttg.warp_yield %n : i32\n}\n"
                                "partition0(%c: " BARRIER ", %m: i32) num_warps(4) {\n"
                                "  ttng.wait_barrier %c, %m : " BARRIER "\n  ttg.warp_return\n"
                                "} : (" BARRIER ", i32) -> i32\n");
    const TriOp *op = op_at(k, 1);
    cr_assert(op->region_count == 2 && op->result_count == 1 && op->operand_count == 2);
    const TriBlock *partition = op->regions[1].first;
    cr_assert_eq(partition->argument_count, 2);
    cr_assert(reader.types[partition->first_argument].memory);
    cr_assert_eq(tri_operand(partition->first, "alloc"), partition->first_argument);
    cr_assert_str_eq(partition->last->info->name, "ttg.warp_return");
    cr_assert_str_eq(op->regions[0].first->last->info->name, "ttg.warp_yield");
}
