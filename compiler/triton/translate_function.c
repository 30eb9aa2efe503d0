// SPDX-License-Identifier: Apache-2.0
// Functions by name: those of the dialect math that Tile IR has no op for, libdevice's; and
// gathering and counting.
#include "compiler/triton/translate.h"

// ---- functions ------------------------------------------------------------------------------------------------------

// A function of f32 and f64 alone; narrower floats are computed in f32, as Triton's language does it itself.
bool tri_emit_function(TriTranslation *t, const TriOp *op, const char *name) {
    TirValue used[FPSAN_FUNCTION_OPERANDS_MAX];
    const TirType type = tri_result_type(t, op);
    const FpsanFunction *function = fpsan_function(name, tir_float_format(tri_kind(t, type)));
    if (!function) return tri_refuse(t, "the function %s of %s", name, tir_type_rows[tri_kind(t, type)].name);
    if (op->operand_count != strlen(function->parameters))
        return tri_fail(t, "%u operands of %s, which takes %zu", op->operand_count, name, strlen(function->parameters));
    if (!tri_use_all(t, op, used)) return false;
    const TirValue value = tri_emit(t, TIR_OP_function, type, op->operand_count, used);
    TirAttribute *attribute = tir_op_set(t->function->values[value].definition, "name");
    attribute->length = strlen(name);
    attribute->text = arena_text(&t->module->arena, name, attribute->length);
    return tri_define(t, op->first_result, value);
}

// math.erf
bool tri_op_function(TriTranslation *t, const TriOp *op) {
    return tri_emit_function(t, op, strchr(op->info->name, '.') + 1);
}

bool tri_op_precise_sqrt(TriTranslation *t, const TriOp *op) {
    return tri_emit_function(t, op, "sqrt_rn");
}

static TirValue compare_floats(TriTranslation *t, uint64_t predicate, bool ordered, TirValue x, TirValue y) {
    const TirType type = tri_with_element(t, tri_value_tile(t, x), TIR_TYPE_i1);
    const TirValue value = tri_emit2(t, TIR_OP_cmpf, type, x, y);
    tri_set(t, value, "predicate", predicate);
    return tri_set(t, value, "ordering", ordered ? TIR_ordering_ordered : TIR_ordering_unordered);
}

// libdevice's questions about a float, whose answer is an i32: |x| = inf, x is NaN, |x| < inf.
static const struct {
    const char *symbol;
    TirTypeKind kind;
    uint8_t predicate;
    bool ordered, with_infinity; // compared with infinity, else x with itself
} questions[] = {{"__nv_isnanf", TIR_TYPE_f32, TIR_predicate_not_equal, false, false},
                 {"__nv_isnand", TIR_TYPE_f64, TIR_predicate_not_equal, false, false},
                 {"__nv_isinff", TIR_TYPE_f32, TIR_predicate_equal, true, true},
                 {"__nv_isinfd", TIR_TYPE_f64, TIR_predicate_equal, true, true},
                 {"__nv_finitef", TIR_TYPE_f32, TIR_predicate_less_than, true, true},
                 {"__nv_isfinited", TIR_TYPE_f64, TIR_predicate_less_than, true, true}};

static bool emit_question(TriTranslation *t, const TriOp *op, size_t row) {
    TirValue x, bound;
    const TirType type = tri_result_type(t, op);
    if (op->operand_count != 1) return tri_fail(t, "%u operands", op->operand_count);
    if (!tri_use(t, op->operands[0], &x)) return false;
    const TirType own = tri_value_tile(t, x);
    if (tri_kind(t, own) != questions[row].kind || type != tri_with_element(t, own, TIR_TYPE_i32))
        return tri_fail(t, "operands or a result of another type");
    bound = x;
    if (questions[row].with_infinity) {
        x = tri_emit1(t, TIR_OP_absf, own, x);
        bound = tri_splat_bits(t, own, fpsan_encode_nearest(tir_float_format(questions[row].kind), __builtin_inf()));
    }
    const TirValue answer = compare_floats(t, questions[row].predicate, questions[row].ordered, x, bound);
    return tri_define(t, op->first_result,
                      tri_set(t, tri_emit1(t, TIR_OP_exti, type, answer), "signedness", TIR_signedness_unsigned));
}

bool tri_op_extern(TriTranslation *t, const TriOp *op) {
    const char *symbol = tri_attribute(op, "symbol")->text;
    for (size_t i = 0; i < BASE_COUNT(questions); i++)
        if (!strcmp(questions[i].symbol, symbol)) return emit_question(t, op, i);
    bool known;
    const bool ok = tri_emit_bits(t, op, &known);
    if (known || !ok) return ok;
    return tri_emit_function(t, op, symbol);
}

// ---- gathering and counting -----------------------------------------------------------------------------------------

// Indices narrower than 32 bits are unsigned, as in Triton.
bool tri_op_gather(TriTranslation *t, const TriOp *op) {
    TirValue used[2];
    if (!tri_use_all(t, op, used)) return false;
    const TirType indices = tri_value_tile(t, used[1]);
    if (tir_type_rows[tri_kind(t, indices)].bits < 32) {
        used[1] = tri_emit1(t, TIR_OP_exti, tri_with_element(t, indices, TIR_TYPE_i32), used[1]);
        tri_set(t, used[1], "signedness", TIR_signedness_unsigned);
    }
    const TirValue value = tri_emit(t, TIR_OP_gather, tri_result_type(t, op), 2, used);
    tri_set(t, value, "dim", (uint32_t)tri_attribute(op, "axis")->integer);
    return tri_define(t, op->first_result, value);
}

bool tri_op_histogram(TriTranslation *t, const TriOp *op) {
    TirValue used[2];
    if (!tri_use_all(t, op, used)) return false;
    const TirValue value = tri_emit(t, TIR_OP_histogram, tri_result_type(t, op), op->operand_count, used);
    return tri_define(t, op->first_result, value);
}

// ---- printing -------------------------------------------------------------------------------------------------------

// One print for each operand: the prefix, the operand's number where there are several, and the elements.
bool tri_op_print(TriTranslation *t, const TriOp *op) {
    const TriAttribute *prefix = tri_attribute(op, "prefix"), *hex = tri_attribute(op, "hex");
    for (uint32_t i = 0; i < (op->operand_count ? op->operand_count : 1); i++) {
        TirValue used;
        Buffer text = {0};
        if (op->operand_count && !tri_use(t, op->operands[i], &used)) return false;
        for (size_t c = 0; c < prefix->length; c++) {
            if (prefix->text[c] == '%') buffer_append(&text, "%", 1);
            buffer_append(&text, &prefix->text[c], 1);
        }
        if (op->operand_count > 1) buffer_print(&text, "(operand %u) ", i);
        if (op->operand_count) {
            const TirTypeKind kind = tri_kind(t, tri_value_tile(t, used));
            const bool is_float = tir_float_format(kind) != FPSAN_FORMAT_COUNT;
            buffer_print(&text, "%s",
                         hex && hex->integer    ? "%x"
                         : is_float             ? "%f"
                         : kind == TIR_TYPE_ptr ? "%p"
                                                : "%d");
        }
        buffer_print(&text, "\n");
        const TirType token = tri_token_type(t);
        TirOp *made = tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_print_tko,
                                                 .operand_count = op->operand_count ? 1 : 0,
                                                 .operands = &used,
                                                 .segments = (uint32_t[]){op->operand_count ? 1 : 0, 0},
                                                 .result_count = 1,
                                                 .results = &token});
        TirAttribute *str = tir_op_set(made, "str");
        str->length = text.size;
        str->text = arena_text(&t->module->arena, text.data, text.size);
        buffer_free(&text);
    }
    return true;
}
