// SPDX-License-Identifier: Apache-2.0
// Conversions among the types of 8 and 16 bits, of every number, against what ml_dtypes makes of it (small_types.def).
#include "tests/accuracy/reference.h"
#include "tests/accuracy/whole_op.h"

#include <criterion/criterion.h>

typedef struct Converted {
    WholeOp op;
    uint64_t hash;
} Converted;

static const Converted rows[] = {
#define CONVERTED(source, target, hash) {{.op = TIR_OP_ftof, .from = TIR_TYPE_##source, .to = TIR_TYPE_##target}, hash},
#define CAST(source, target, satf, hash)                                                                               \
    {{.op = TIR_OP_cast, .from = TIR_TYPE_##source, .to = TIR_TYPE_##target, .saturating = satf}, hash},
#include "tests/accuracy/small_types.def"
#undef CONVERTED
#undef CAST
};

enum { TILE = 16, ELEMENTS = 1 << 16 };

// Memory has f8E4M3FN in place of f4E2M1FN.
static uint64_t translated(TirTypeKind from, TirTypeKind to, uint64_t bits) {
    if (from == to) return bits;
    return reference_encode(reference_format(to), reference_decode(reference_format(from), bits));
}

static uint64_t hash_results(const WholeOp *op, const void *results, size_t elements) {
    uint64_t state = 0xCBF29CE484222325;
    for (size_t i = 0; i < elements; i++) {
        uint64_t bits = whole_op_get(results, whole_op_memory(op->to), i);
        bits = reference_is_nan(reference_format(whole_op_memory(op->to)), bits)
                   ? 0xFFFF
                   : translated(whole_op_memory(op->to), op->to, bits);
        state = (state ^ (bits & 0xFF)) * 0x100000001B3;
        state = (state ^ bits >> 8) * 0x100000001B3;
    }
    return state;
}

Test(small_types, conversions_are_those_of_ml_dtypes) {
    static WholeOp ops[BASE_COUNT(rows)];
    static uint16_t operands[ELEMENTS], results[ELEMENTS];
    const void *arrays[] = {operands};
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    for (size_t i = 0; i < BASE_COUNT(rows); i++) ops[i] = rows[i].op;
    WholeOps compiled = whole_ops_open(compiler, &diagnostics, ops, BASE_COUNT(rows), TILE, NULL, NULL);
    cr_assert(compiled.compiled, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        char text[WHOLE_OP_TEXT];
        size_t elements = (size_t)1 << reference_bits(ops[i].from);
        for (size_t k = 0; k < elements; k++)
            whole_op_put(operands, whole_op_memory(ops[i].from), k,
                         translated(ops[i].from, whole_op_memory(ops[i].from), k));
        cr_assert(whole_op_run(&compiled, i, arrays, results, elements));
        cr_expect_eq(hash_results(&ops[i], results, elements), rows[i].hash, "%s", whole_op_text(&ops[i], text));
    }
    whole_ops_close(&compiled);
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
}
