// SPDX-License-Identifier: Apache-2.0
// See exact.h.
#include "tests/accuracy/exact.h"

#include "tests/accuracy/reference.h"
#include "tests/accuracy/samples.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const exact_group_names[EXACT_GROUPS] = {"addf subf mulf divf fma sqrt",
                                                     "remf floor ceil absf negf minf maxf cmpf",
                                                     "ftof",
                                                     "nv_tileaa.cast",
                                                     "itof",
                                                     "ftoi"};

static const TirTypeKind arithmetic_types[] = {TIR_TYPE_f64, TIR_TYPE_f32, TIR_TYPE_f16, TIR_TYPE_bf16};
static const TirTypeKind float_types[] = {
#define FORMAT(name, text, bits, exponent, mantissa, bias, specials, is_signed, storage, padding, ring, lane, tile_ir, \
               ...)                                                                                                    \
    TIR_TYPE_##tile_ir,
#include "sanitizer/format/formats.def"
#undef FORMAT
};
static const TirTypeKind integer_types[] = {TIR_TYPE_i1, TIR_TYPE_i8, TIR_TYPE_i16, TIR_TYPE_i32, TIR_TYPE_i64};

// ---- the list -------------------------------------------------------------------------------------------------------

typedef struct List {
    WholeOp *items;
    size_t count;
} List;

// Formats that no case can have are compared nowhere.
static bool is_compared(TirTypeKind kind) {
    const ElementType element = tir_type_rows[kind].element;
    return element == ELEMENT_TYPE_COUNT || element_info(element)->in_cases;
}

static void add(List *list, WholeOp op) {
    if (!is_compared(op.from) || !is_compared(op.to) || !whole_op_is_legal(&op, 2)) return;
    list->items = realloc(list->items, (list->count + 1) * sizeof op);
    if (!list->items) abort();
    list->items[list->count++] = op;
}

static void add_arithmetic(List *list, TirTypeKind type) {
    static const TirOpKind ops[] = {TIR_OP_addf, TIR_OP_subf, TIR_OP_mulf, TIR_OP_divf, TIR_OP_fma, TIR_OP_sqrt};
    for (size_t i = 0; i < BASE_COUNT(ops); i++)
        for (uint64_t rounding = 0; rounding < tir_enum_rounding.count; rounding++)
            for (int flush = 0; flush < 2; flush++)
                add(list, (WholeOp){.op = ops[i], .from = type, .to = type, .rounding = rounding, .flush = flush});
}

static void add_others(List *list, TirTypeKind type) {
    static const TirOpKind ops[] = {TIR_OP_remf, TIR_OP_floor, TIR_OP_ceil, TIR_OP_absf, TIR_OP_negf};
    static const TirOpKind extremes[] = {TIR_OP_minf, TIR_OP_maxf};
    for (size_t i = 0; i < 2 * BASE_COUNT(ops); i++)
        if (i < BASE_COUNT(ops) || type == TIR_TYPE_f32)
            add(list,
                (WholeOp){.op = ops[i % BASE_COUNT(ops)], .from = type, .to = type, .flush = i / BASE_COUNT(ops)});
    for (unsigned i = 0; i < 8; i++)
        add(list, (WholeOp){.op = extremes[i & 1], .from = type, .to = type, .propagate_nan = i & 2, .flush = i & 4});
    for (uint64_t predicate = 0; predicate < tir_enum_predicate.count; predicate++)
        for (unsigned i = 0; i < (type == TIR_TYPE_f32 ? 4 : 2); i++)
            add(list, (WholeOp){.op = TIR_OP_cmpf,
                                .from = type,
                                .to = TIR_TYPE_i1,
                                .predicate = predicate,
                                .ordered = i & 1,
                                .flush = i & 2});
}

// Conversions that denormal-fp-math is for.
static bool can_flush(TirTypeKind from, TirTypeKind to) {
    return (from == TIR_TYPE_f32 && to == TIR_TYPE_f64) || (from == TIR_TYPE_f64 && to == TIR_TYPE_f32);
}

// What does not saturate and has at most 8 bits is test_casts.c's.
static void add_cast(List *list, TirTypeKind from, TirTypeKind to, uint64_t rounding, bool satf) {
    if (!satf && tir_type_rows[to].bits <= 8) return;
    add(list, (WholeOp){.op = TIR_OP_cast, .from = from, .to = to, .rounding = rounding, .saturating = satf});
}

WholeOp *exact_ops(ExactGroup group, size_t *count) {
    List list = {0};
    if (group == EXACT_ARITHMETIC || group == EXACT_OTHER)
        for (size_t i = 0; i < BASE_COUNT(arithmetic_types); i++)
            (group == EXACT_ARITHMETIC ? add_arithmetic : add_others)(&list, arithmetic_types[i]);
    for (size_t i = 0; i < BASE_COUNT(float_types) && group == EXACT_CONVERT; i++)
        for (size_t k = 0; k < BASE_COUNT(float_types); k++)
            for (uint64_t rounding = 0; rounding < tir_enum_rounding.count; rounding++)
                for (int flush = 0; flush < 1 + can_flush(float_types[i], float_types[k]); flush++)
                    add(&list, (WholeOp){.op = TIR_OP_ftof,
                                         .from = float_types[i],
                                         .to = float_types[k],
                                         .rounding = rounding,
                                         .flush = flush});
    for (size_t i = 0; i < BASE_COUNT(float_types) && group == EXACT_CAST; i++)
        for (size_t k = 0; k < BASE_COUNT(float_types); k++)
            for (unsigned said = 0; said < 2 * tir_enum_rounding.count; said++)
                add_cast(&list, float_types[i], float_types[k], said / 2, said % 2);
    for (size_t i = 0; i < BASE_COUNT(float_types); i++)
        for (size_t k = 0; k < BASE_COUNT(integer_types); k++)
            for (int is_signed = 0; is_signed < 2; is_signed++) {
                WholeOp op = {
                    .op = TIR_OP_itof, .from = integer_types[k], .to = float_types[i], .is_signed = is_signed};
                if (group == EXACT_FROM_INTEGER) add(&list, op);
                op = (WholeOp){.op = TIR_OP_ftoi,
                               .from = float_types[i],
                               .to = integer_types[k],
                               .rounding = TIR_rounding_nearest_int_to_zero,
                               .saturating = true,
                               .is_signed = is_signed};
                if (group == EXACT_TO_INTEGER) add(&list, op);
            }
    *count = list.count;
    return list.items;
}

// ---- the check ------------------------------------------------------------------------------------------------------

// Bits of an element in memory, where f4E2M1FN is f8E4M3FN, from and to bits of the type.
static uint64_t to_memory(TirTypeKind kind, uint64_t bits) {
    if (whole_op_memory(kind) == kind) return bits;
    return reference_encode(reference_format(whole_op_memory(kind)), reference_decode(reference_format(kind), bits));
}

static void operands_of(const WholeOp *op, bool exhaustive, size_t i, uint64_t *state, uint64_t *x) {
    const ReferenceFormat *format = reference_format(op->from);
    unsigned bits = reference_bits(op->from);
    if (exhaustive)
        x[0] = i & ((UINT64_C(1) << bits) - 1);
    else if (!format)
        x[0] = samples_integer(bits, i, state);
    else if (op->op == TIR_OP_ftof || op->op == TIR_OP_cast || op->op == TIR_OP_ftoi)
        x[0] = samples_number(format, i, state);
    else
        samples_operands(format, tir_op_info(op->op)->operand_count, i, state, x);
}

// A number of f32, or the zero of its sign if it is subnormal, where the op flushes; others as they are.
static double flushed(const WholeOp *op, TirTypeKind kind, double x) {
    return op->flush && kind == TIR_TYPE_f32 && fabs(x) < 0x1p-126 ? copysign(0, x) : x;
}

static uint64_t expected(const WholeOp *op, const uint64_t *x) {
    const ReferenceFormat *from = reference_format(op->from), *to = reference_format(op->to);
    if (op->op == TIR_OP_itof) return reference_from_integer(to, x[0], reference_bits(op->from), op->is_signed);
    if (op->op == TIR_OP_ftoi)
        return reference_to_integer(reference_decode(from, x[0]), reference_bits(op->to), op->is_signed);
    if (op->op == TIR_OP_cmpf)
        return reference_compare(op->predicate, op->ordered, flushed(op, op->from, reference_decode(from, x[0])),
                                 flushed(op, op->from, reference_decode(from, x[1])));
    if (op->op == TIR_OP_cast && reference_is_nan(from, x[0]) && op->from == op->to) return x[0];
    if (op->op == TIR_OP_ftof || op->op == TIR_OP_cast) {
        MPFR_DECL_INIT(value, 53);
        mpfr_set_d(value, flushed(op, op->from, reference_decode(from, x[0])), MPFR_RNDN);
        const uint64_t bits = reference_round(to, value, op->rounding);
        const double rounded = reference_decode(to, bits), left = flushed(op, op->to, rounded);
        if (op->op == TIR_OP_cast && op->saturating && isinf(rounded))
            return reference_encode(to, rounded < 0 ? -to->largest : to->largest);
        return rounded == left || isnan(rounded) ? bits : reference_encode(to, left);
    }
    ReferenceOp reference = {op->op, op->from, op->rounding, op->flush, op->propagate_nan};
    return reference_apply(&reference, x);
}

static void report(const WholeOp *op, const uint64_t *x, uint64_t got, uint64_t want, ExactResult *result) {
    char text[WHOLE_OP_TEXT];
    if (result->wrong++) return;
    snprintf(result->first, sizeof result->first, "%s: %#llx %#llx %#llx gives %#llx, not %#llx",
             whole_op_text(op, text), (unsigned long long)x[0], (unsigned long long)x[1], (unsigned long long)x[2],
             (unsigned long long)got, (unsigned long long)want);
}

// Which NaN a float op gives is not fixed, but that of minf and maxf and what only changes signs.
static bool same(const WholeOp *op, uint64_t got, uint64_t want) {
    bool any_nan = op->op != TIR_OP_minf && op->op != TIR_OP_maxf && op->op != TIR_OP_absf && op->op != TIR_OP_negf;
    return got == want || (any_nan && reference_same(reference_format(whole_op_memory(op->to)), got, want));
}

typedef struct Arrays {
    void *operands[WHOLE_OP_OPERANDS], *results; // 8 bytes for each element
} Arrays;

static bool arrays_open(Arrays *arrays, size_t elements) {
    arrays->results = malloc(elements * 8);
    bool good = arrays->results;
    for (uint32_t k = 0; k < WHOLE_OP_OPERANDS; k++) good = (arrays->operands[k] = malloc(elements * 8)) && good;
    return good;
}

static void arrays_close(Arrays *arrays) {
    for (uint32_t k = 0; k < WHOLE_OP_OPERANDS; k++) free(arrays->operands[k]);
    free(arrays->results);
}

static void fill(const WholeOp *op, bool exhaustive, size_t first, size_t elements, uint64_t state, Arrays *arrays) {
    uint64_t x[WHOLE_OP_OPERANDS] = {0};
    for (size_t i = 0; i < elements; i++) {
        operands_of(op, exhaustive, first + i, &state, x);
        for (uint32_t k = 0; k < tir_op_info(op->op)->operand_count; k++)
            whole_op_put(arrays->operands[k], whole_op_memory(op->from), i, to_memory(op->from, x[k]));
    }
}

// The operands are made once more, from the same state.
static void compare(const WholeOp *op, bool exhaustive, size_t first, size_t elements, uint64_t state,
                    const Arrays *arrays, ExactResult *result) {
    uint64_t x[WHOLE_OP_OPERANDS] = {0};
    for (size_t i = 0; i < elements; i++) {
        operands_of(op, exhaustive, first + i, &state, x);
        uint64_t got = whole_op_get(arrays->results, whole_op_memory(op->to), i),
                 want = to_memory(op->to, expected(op, x));
        result->checked++;
        if (!same(op, got, want)) report(op, x, got, want, result);
    }
}

static bool run(const WholeOps *ops, size_t index, size_t elements, Arrays *arrays) {
    memset(arrays->results, 0xA5, elements * 8);
    return whole_op_run(ops, index, (const void *const *)arrays->operands, arrays->results, elements);
}

bool exact_check(const WholeOps *ops, size_t index, size_t samples, ExactResult *result) {
    const WholeOp *op = &ops->ops[index];
    unsigned bits = reference_bits(op->from);
    bool exhaustive = tir_op_info(op->op)->operand_count == 1 && bits <= 16 && samples >> bits;
    size_t elements = ((exhaustive ? (size_t)1 << bits : samples) + ops->tile - 1) / ops->tile * ops->tile;
    Arrays arrays;
    bool good = arrays_open(&arrays, elements);
    if (good) fill(op, exhaustive, 0, elements, 1 + index, &arrays);
    good = good && run(ops, index, elements, &arrays);
    if (good) compare(op, exhaustive, 0, elements, 1 + index, &arrays, result);
    arrays_close(&arrays);
    return good;
}

bool exact_check_constants(Compiler *compiler, Diagnostics *diagnostics, const WholeOp *ops, size_t count,
                           uint32_t tile, const char *cpu, ExactResult *result) {
    enum { FIRST = 1600 }; // behind the edges, which are all beside each other
    Arrays *arrays = calloc(count, sizeof *arrays);
    void *(*constants)[WHOLE_OP_OPERANDS] = calloc(count, sizeof *constants);
    bool good = arrays && constants;
    for (size_t i = 0; i < count && good; i++) {
        good = arrays_open(&arrays[i], tile);
        if (good) fill(&ops[i], false, FIRST + i, tile, 1 + i, &arrays[i]);
        memcpy(constants[i], arrays[i].operands, sizeof constants[i]);
    }
    WholeOps compiled = {0};
    if (good)
        compiled =
            whole_ops_open(compiler, diagnostics, ops, count, tile, (void *const(*)[WHOLE_OP_OPERANDS])constants, cpu);
    good = good && compiled.compiled;
    for (size_t i = 0; i < count && good; i++) {
        good = run(&compiled, i, tile, &arrays[i]);
        if (good) compare(&ops[i], false, FIRST + i, tile, 1 + i, &arrays[i], result);
    }
    if (compiled.compiled) whole_ops_close(&compiled);
    for (size_t i = 0; i < count && arrays; i++) arrays_close(&arrays[i]);
    free(arrays);
    free(constants);
    return good;
}
