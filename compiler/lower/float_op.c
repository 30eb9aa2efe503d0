// SPDX-License-Identifier: Apache-2.0
// What is said about an op on floats, from the attributes of its row: the one place that turns an op into a FloatOp.
#include "compiler/lower/emit.h"

#include <string.h>

#define PREDICATE(name, tile_ir, ...)                                                                                  \
    _Static_assert((int)TIR_predicate_##tile_ir == (int)FPSAN_##name, "numbered as in Tile IR");
#include "sanitizer/format/predicates.def"
#undef PREDICATE
_Static_assert((int)TIR_predicate_COUNT == (int)FPSAN_PREDICATE_COUNT, "as many as in Tile IR");

// Tile IR's words for roundings. `approx` and `full` are licences in the place of one: what they come to,
// compiler/rewrite has chosen.
enum {
#define ROUNDING(name, text, tile_ir, ...) ROUNDING_##tile_ir = FPSAN_##name,
#include "sanitizer/format/roundings.def"
#undef ROUNDING
};
#define ROUNDING_WORDS(WORD)                                                                                           \
    WORD(nearest_even, ROUNDING_nearest_even)                                                                          \
    WORD(zero, ROUNDING_zero)                                                                                          \
    WORD(negative_inf, ROUNDING_negative_inf)                                                                          \
    WORD(positive_inf, ROUNDING_positive_inf)                                                                          \
    WORD(approx, ROUNDING_nearest_even)                                                                                \
    WORD(full, ROUNDING_nearest_even)                                                                                  \
    WORD(nearest_int_to_zero, ROUNDING_zero)                                                                           \
    WORD(nearest_away, ROUNDING_nearest_away)
#define WORD_BIT(word, rounding) | BASE_BIT(TIR_rounding_##word)
_Static_assert((0 ROUNDING_WORDS(WORD_BIT)) == BASE_BITS(TIR_rounding_COUNT), "a row for each word");

static void set_rounding_word(FloatOp *f, uint64_t word) {
    static const FpsanRounding words[TIR_rounding_COUNT] = {
#define WORD_ROW(word, rounding) [TIR_rounding_##word] = (FpsanRounding)(rounding),
        ROUNDING_WORDS(WORD_ROW)};
    f->rounding = words[word];
}

static void set_flush_to_zero(FloatOp *f, uint64_t set) {
    f->flush_to_zero |= set;
}

static void set_propagate_nan(FloatOp *f, uint64_t set) {
    f->propagate_nan = set;
}

static void set_saturating(FloatOp *f, uint64_t set) {
    f->saturating = set;
}

static void set_predicate(FloatOp *f, uint64_t word) {
    f->predicate = (FpsanPredicate)word;
}

static void set_ordering(FloatOp *f, uint64_t word) {
    f->unordered = word == TIR_ordering_unordered;
}

static void set_signedness(FloatOp *f, uint64_t word) {
    f->is_signed = word == TIR_signedness_signed;
}

static void set_fast_accumulation(FloatOp *f, uint64_t set) {
    if (set) f->licences |= FLOAT_FAST_ACCUMULATION;
}

static const struct AttributeRow {
    const char *name; // in ops.def
    void (*set)(FloatOp *f, uint64_t value);
} attribute_rows[] = {
    {"rounding", set_rounding_word}, {"ftz", set_flush_to_zero},     {"nan", set_propagate_nan},
    {"satf", set_saturating},        {"saturating", set_saturating}, {"predicate", set_predicate},
    {"ordering", set_ordering},      {"signedness", set_signedness}, {"fast_acc", set_fast_accumulation},
};

static const struct AttributeRow *row_of(const char *name) {
    for (size_t i = 0; i < BASE_COUNT(attribute_rows); i++)
        if (!strcmp(attribute_rows[i].name, name)) return &attribute_rows[i];
    return NULL;
}

// Of a function by name, which the verifier has found.
static void set_function(Emit *e, const TirOp *op, FloatOp *f) {
    const char *name = tir_attribute(op, "name")->text;
    const FpsanFormat format = emit_element(e, emit_type_of(e, tir_result(op, 0))).format;
    const FpsanFunction *function = fpsan_function(name, format);
    char symbol[FPSAN_MESSAGE_SIZE];
    *f = float_rule(function->rule, format);
    f->flush_to_zero = op->math.flush;
    if (function->rule == FPSAN_RULE_EXTERN)
        f->function = function;
    else if (!strcmp(name, function->name) && !op->math.assembly)
        return;
    fpsan_function_symbol(function, format, symbol, sizeof symbol);
    const char *assembly = op->math.assembly; // a hash of the text
    if (!assembly) assembly = fpsan_assembly(name, strlen(name), true);
    f->symbol = assembly ? assembly : arena_format(e->arena, "%s", symbol);
}

static FloatOp emit_conversion(const TirOp *op, FpsanFormat from, FpsanFormat to) {
    FloatOp f = float_conversion(from, to);
    f.symbol = op->math.assembly;
    return f;
}

bool emit_float_op(Emit *e, const TirOp *op, FloatOp *f) {
    const TirOpInfo *info = tir_op_info(op->kind);
    if (op->kind == TIR_OP_function) {
        set_function(e, op, f);
        return true;
    }
    const EmitElement operand = emit_element(e, emit_type_of(e, op->operands[0])),
                      result = emit_element(e, emit_type_of(e, tir_result(op, 0)));
    if (info->rule == FPSAN_RULE_COUNT && operand.is_float && result.is_float)
        *f = emit_conversion(op, operand.format, result.format);
    else
        *f = (FloatOp){.rule = info->rule,
                       .operand = operand.is_float ? operand.format : result.format,
                       .result = result.is_float ? result.format : operand.format};
    f->flush_to_zero = op->math.flush;
    f->below_zero = op->math.below_zero;
    f->read_flushed = e->escapes && !e->escapes[tir_result(op, 0)];
    f->implementation = (FloatImplementation)op->math.implementation;
    f->approximate_roots = op->math.cleared_keys >> MATH_KEY_PREC_SQRT & 1;
    for (unsigned i = 0; i < info->attribute_count; i++) {
        const struct AttributeRow *row = row_of(info->attributes[i].name);
        if (!row) return emit_fail(e, E_UNSUPPORTED, "attribute %s is not supported", info->attributes[i].name);
        const bool unit = info->attributes[i].kind == TIR_ATTR_UNIT;
        row->set(f, unit ? op->attributes[i].present : op->attributes[i].integer);
    }
    return true;
}
