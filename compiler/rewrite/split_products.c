// SPDX-License-Identifier: Apache-2.0
// What ops are in Triton's own algebra, where that sees more of them than their meaning. Products of f32 as Triton's
// pass for tensor cores (F32DotTC) makes them of narrower parts: the large part of each operand, what is left of it,
// and so on. Small products are added first; NaN among them counts as zero.
#include "compiler/rewrite/rewrite.h"

#include <string.h>

enum { PARTS_MAX = 3 };

typedef struct Splitter {
    TirModule *module;
    TirOp *product;
} Splitter;

bool rewrite_has_splits(const TirModule *module) {
    for (uint32_t f = 0; f < module->function_count; f++) {
        const TirRegion *body = &module->functions[f].body;
        for (const TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
            if (op->math.split) return true;
    }
    return false;
}

// ---- making ops before the product ----------------------------------------------------------------------------------

static TirOp *insert(const Splitter *s, TirOpKind kind, TirType type, uint32_t count, const TirValue *operands) {
    TirOp *op = tir_op_insert(
        s->product,
        &(TirNewOp){.kind = kind, .operand_count = count, .operands = operands, .result_count = 1, .results = &type});
    op->at = s->product->at;
    op->debug = s->product->debug;
    return op;
}

static TirType type_of(const Splitter *s, TirValue value) {
    return tir_value_type(tir_op_function(s->product), value);
}

static TirType with_element(const Splitter *s, TirType tile, TirTypeKind kind) {
    const TirTypeInfo info = *tir_type(s->module, tile);
    return tir_type_tile(s->module, tir_type_scalar(s->module, kind), info.rank, info.shape);
}

static TirValue convert(const Splitter *s, TirValue x, TirTypeKind kind) {
    TirOp *op = insert(s, TIR_OP_ftof, with_element(s, type_of(s, x), kind), 1, &x);
    tir_op_set(op, "rounding")->integer = TIR_rounding_nearest_even;
    return op->first_result;
}

static TirValue subtract(const Splitter *s, TirValue x, TirValue y) {
    TirOp *op = insert(s, TIR_OP_subf, type_of(s, x), 2, (TirValue[]){x, y});
    tir_op_set(op, "rounding")->integer = TIR_rounding_nearest_even;
    return op->first_result;
}

static TirValue multiply(const Splitter *s, TirValue a, TirValue b, TirValue sum) {
    return insert(s, TIR_OP_mmaf, type_of(s, sum), 3, (TirValue[]){a, b, sum})->first_result;
}

static TirValue zeros(const Splitter *s, TirType type) {
    TirOp *op = insert(s, TIR_OP_constant, type, 0, NULL);
    tir_op_set(op, "value")->constant = tir_constant(s->module, (uint8_t[4]){0}, 4);
    return op->first_result;
}

// ---- parts ----------------------------------------------------------------------------------------------------------

// Inline assembly, in Triton's ring a hash of its text.
static TirOp *assemble(const Splitter *s, const char *text, TirValue x) {
    TirOp *op = insert(s, TIR_OP_function, type_of(s, x), 1, &x);
    TirAttribute *name = tir_op_set(op, "name");
    name->text = text;
    name->length = strlen(text);
    return op;
}

static void cut(const Splitter *s, TirValue x, uint32_t count, bool tf32, TirValue parts[PARTS_MAX]) {
    for (uint32_t i = 0; i < count; i++) {
        if (tf32) {
            parts[i] = i ? x : assemble(s, "cvt.rna.tf32.f32 $0, $1;", x)->first_result;
            if (!i) x = subtract(s, x, parts[i]);
        } else {
            parts[i] = convert(s, x, TIR_TYPE_bf16);
            if (i + 1 < count) x = subtract(s, x, convert(s, parts[i], TIR_TYPE_f32));
        }
    }
}

// NaN as zero.
static TirValue without_nan(const Splitter *s, TirValue x) {
    const TirType type = type_of(s, x);
    TirOp *test = insert(s, TIR_OP_cmpf, with_element(s, type, TIR_TYPE_i1), 2, (TirValue[]){x, x});
    tir_op_set(test, "predicate")->integer = TIR_predicate_not_equal;
    tir_op_set(test, "ordering")->integer = TIR_ordering_unordered;
    return insert(s, TIR_OP_select, type, 3, (TirValue[]){test->first_result, zeros(s, type), x})->first_result;
}

static void read_instead(const TirRegion *body, TirValue value, TirValue other) {
    for (TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op))
        for (uint32_t i = 0; i < op->operand_count; i++)
            if (op->operands[i] == value) op->operands[i] = other;
}

// 1 / x, or x as tf32, that is assembly: who reads it reads that.
static void assemble_result(const Splitter *s, const TirRegion *body) {
    TirOp *op = s->product;
    const bool quotient = op->kind == TIR_OP_divf;
    const TirValue x =
        quotient ? op->operands[1] : tir_value(tir_op_function(op), op->operands[0])->definition->operands[0];
    TirOp *assembly = assemble(s, quotient ? "rcp.approx.f32 $0, $1;" : "cvt.rna.tf32.f32 $0, $1;", x);
    assembly->math.assembly = op->math.assembly;
    read_instead(body, op->first_result, assembly->first_result);
}

static void split(const Splitter *s) {
    // Which part of the left operand by which of the right one; the product itself is that of the large parts.
    static const uint8_t orders[][5][2] = {[TIR_SPLIT_TF32X3] = {{1, 0}, {0, 1}},
                                           [TIR_SPLIT_BF16X3] = {{1, 0}, {0, 1}},
                                           [TIR_SPLIT_BF16X6] = {{1, 1}, {2, 0}, {0, 2}, {1, 0}, {0, 1}}};
    TirOp *product = s->product;
    const TirSplit how = (TirSplit)product->math.split;
    const uint32_t count = how == TIR_SPLIT_BF16X6 ? 3 : 2, products = how == TIR_SPLIT_BF16X6 ? 5 : 2;
    const TirValue c = product->operands[2];
    TirValue a[PARTS_MAX], b[PARTS_MAX];
    cut(s, product->operands[0], count, how == TIR_SPLIT_TF32X3, a);
    cut(s, product->operands[1], count, how == TIR_SPLIT_TF32X3, b);
    TirValue sum = zeros(s, type_of(s, c));
    for (uint32_t i = 0; i < products; i++) sum = multiply(s, a[orders[how][i][0]], b[orders[how][i][1]], sum);
    sum = without_nan(s, sum);
    TirOp *added = insert(s, TIR_OP_addf, type_of(s, c), 2, (TirValue[]){sum, c});
    tir_op_set(added, "rounding")->integer = TIR_rounding_nearest_even;
    product->operands[0] = a[0];
    product->operands[1] = b[0];
    product->operands[2] = added->first_result;
}

void rewrite_split_products(TirModule *module) {
    for (uint32_t f = 0; f < module->function_count; f++) {
        const TirRegion *body = &module->functions[f].body;
        for (TirOp *op = tir_first_op(body); op; op = tir_next_op(body, op)) {
            const TirSplit how = (TirSplit)op->math.split;
            const Splitter splitter = {module, op};
            if (!how) continue;
            if (how == TIR_SPLIT_OPERAND)
                read_instead(body, op->first_result, op->operands[0]);
            else if (how == TIR_SPLIT_ASSEMBLY)
                assemble_result(&splitter, body);
            else
                split(&splitter);
            op->math.split = TIR_SPLIT_NONE;
        }
    }
    tir_number_ops(module);
}
