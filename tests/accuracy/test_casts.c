// SPDX-License-Identifier: Apache-2.0
// nv_tileaa.cast to the formats of 8 bits and less, against the model of cast_model.c and, where CUDA's headers are,
// against their host code: all numbers of f16 and bf16, and numbers of f32 and f64 around each place where the result
// changes; four roundings, with and without satf.
#include "tests/accuracy/cast_model.h"
#include "tests/accuracy/cuda_casts.h"
#include "tests/accuracy/whole_op.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TILE = 64, SIXTEEN_BITS = 1 << 16, OPERANDS_MAX = 1 << 16, OPS_MAX = CAST_TARGETS * 8 };

static const uint64_t roundings[] = {TIR_rounding_nearest_even, TIR_rounding_nearest_away, TIR_rounding_zero,
                                     TIR_rounding_positive_inf};

static const FpsanRounding fpsan_roundings[TIR_rounding_COUNT] = {
    [TIR_rounding_nearest_even] = FPSAN_NEAREST_EVEN,
    [TIR_rounding_nearest_away] = FPSAN_NEAREST_AWAY,
    [TIR_rounding_zero] = FPSAN_TOWARD_ZERO,
    [TIR_rounding_positive_inf] = FPSAN_TOWARD_POSITIVE,
};

// ---- operands -------------------------------------------------------------------------------------------------------

typedef struct Operands {
    TirTypeKind from;
    void *array; // as memory has them
    size_t count;
} Operands;

static void push(Operands *operands, uint64_t bits) {
    cr_assert_lt(operands->count, OPERANDS_MAX);
    whole_op_put(operands->array, operands->from, operands->count++, bits);
}

static uint64_t bits_of(TirTypeKind from, double value) {
    float single = (float)value;
    uint64_t bits = 0;
    if (from == TIR_TYPE_f32)
        memcpy(&bits, &single, sizeof single);
    else
        memcpy(&bits, &value, sizeof value);
    return bits;
}

// The number, its neighbours, and both signs of them. (Of f64 also some that f32 would round to the number.)
static void push_around(Operands *operands, double value) {
    const uint64_t sign = operands->from == TIR_TYPE_f32 ? UINT64_C(1) << 31 : UINT64_C(1) << 63;
    const uint64_t middle = bits_of(operands->from, value);
    for (int step = -2; step <= 2; step++) {
        if (middle < 2 && step < 0) continue;
        push(operands, middle + (uint64_t)step);
        push(operands, (middle + (uint64_t)step) | sign);
    }
    if (operands->from != TIR_TYPE_f64 || middle < 1 << 20) return;
    push(operands, middle + (1 << 20));
    push(operands, (middle - (1 << 20)) | sign);
}

static double value_of(CastNumber x) {
    return ldexp((double)x.significand, x.exponent);
}

// Each number of the target, each tie between two, and what lies above the largest, one binade more.
static void push_boundaries(Operands *operands, const CastTarget *target) {
    const unsigned beyond = target->specials == CAST_POWER ? 0 : 1u << (target->precision - 1);
    const double largest = value_of(cast_decode(target, target->largest));
    const double last = largest - value_of(cast_decode(target, target->largest - 1));
    for (uint32_t code = 0; code <= target->largest; code++) {
        double value = value_of(cast_decode(target, code)),
               next = code < target->largest ? value_of(cast_decode(target, code + 1)) : largest + last;
        push_around(operands, value);
        push_around(operands, value / 2 + next / 2);
    }
    for (unsigned i = 1; i <= 2 * beyond; i++) push_around(operands, largest + last / 2 * i);
    const double odd[] = {0, 1e-300, 0x1p-149, 0x1p-128, 0x1.8p-128, 1e300, 0x1.fffffep127, INFINITY};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) push_around(operands, odd[i]);
}

static Operands operands_of(TirTypeKind from) {
    Operands operands = {.from = from, .array = calloc(OPERANDS_MAX + TILE, 8)};
    cr_assert(operands.array);
    if (tir_type_rows[from].storage_bytes == 2)
        for (uint64_t bits = 0; bits < SIXTEEN_BITS; bits++) push(&operands, bits);
    else
        for (unsigned t = 0; t < CAST_TARGETS; t++) push_boundaries(&operands, &cast_targets[t]);
    while (operands.count % TILE) push(&operands, 0);
    return operands;
}

// ---- the check ------------------------------------------------------------------------------------------------------

static const CastTarget *target_of(TirTypeKind kind) {
    for (unsigned t = 0; t < CAST_TARGETS; t++)
        if (cast_targets[t].kind == kind) return &cast_targets[t];
    return NULL;
}

// Memory has an f8E4M3FN for an f4E2M1FN.
static uint32_t in_memory(const CastTarget *target, uint32_t code) {
    static const uint8_t bytes[] = {0x00, 0x30, 0x38, 0x3c, 0x40, 0x44, 0x48, 0x4c};
    return target->kind == TIR_TYPE_f4E2M1FN ? bytes[code & 7] | (code & 8) << 4 : code;
}

static size_t list_ops(TirTypeKind from, WholeOp *ops) {
    size_t count = 0;
    for (unsigned t = 0; t < CAST_TARGETS; t++)
        for (size_t r = 0; r < sizeof roundings / sizeof *roundings; r++)
            for (int satf = 0; satf < 2; satf++) {
                WholeOp op = {.op = TIR_OP_cast,
                              .from = from,
                              .to = cast_targets[t].kind,
                              .rounding = roundings[r],
                              .saturating = satf};
                if (whole_op_is_legal(&op, TILE)) ops[count++] = op;
            }
    return count;
}

// Returns how many results were compared with CUDA's.
static size_t check_casts(TirTypeKind from, const char *cpu) {
    static WholeOp ops[OPS_MAX];
    static uint8_t results[OPERANDS_MAX];
    const size_t count = list_ops(from, ops);
    size_t wrong = 0, with_cuda = 0;
    Operands operands = operands_of(from);
    Diagnostics diagnostics = {0};
    Compiler *compiler = compiler_open(&diagnostics);
    WholeOps compiled = whole_ops_open(compiler, &diagnostics, ops, count, TILE, NULL, cpu);
    cr_assert(compiled.compiled, "%s", diagnostics.count ? diagnostics.items[0].message : "");
    cr_assert_eq(count, 4 * 8 + 3 * 4 + 2 * 2); // f4 and f6 have satf alone, f8E8M0FNU two roundings
    for (size_t i = 0; i < count; i++) {
        const CastTarget *target = target_of(ops[i].to);
        const void *arrays[] = {operands.array};
        cr_assert(whole_op_run(&compiled, i, arrays, results, operands.count));
        for (size_t k = 0; k < operands.count && wrong < 20; k++) {
            const uint64_t x = whole_op_get(operands.array, from, k);
            const uint32_t want = cast_model(target, cast_number(from, x), ops[i].rounding, ops[i].saturating);
            const uint32_t got = results[k];
            uint8_t theirs;
            char text[WHOLE_OP_TEXT];
            if (got != in_memory(target, want) && !(cast_is_nan(target, got) && cast_is_nan(target, want))) {
                cr_log_error("%s: %#llx gives %#x, the model %#x", whole_op_text(&ops[i], text), (unsigned long long)x,
                             got, want);
                wrong++;
            }
            if (!cuda_cast(tir_float_format(from), x, tir_float_format(ops[i].to), fpsan_roundings[ops[i].rounding],
                           ops[i].saturating, &theirs))
                continue;
            with_cuda++;
            if (theirs == want || (cast_is_nan(target, theirs) && cast_is_nan(target, want))) continue;
            cr_log_error("%s: %#llx gives %#x, CUDA's header %#x", whole_op_text(&ops[i], text), (unsigned long long)x,
                         want, theirs);
            wrong++;
        }
    }
    cr_assert_eq(wrong, 0);
    whole_ops_close(&compiled);
    compiler_close(compiler);
    diagnostics_close(&diagnostics);
    free(operands.array);
    return with_cuda;
}

static void note_cuda(size_t compared) {
    if (!cuda_casts_are_there()) cr_log_warn("SKIPPED: no headers of CUDA to compare with");
    cr_assert_eq(compared > 0, cuda_casts_are_there());
}

Test(casts, of_all_f16) {
    note_cuda(check_casts(TIR_TYPE_f16, NULL));
}

Test(casts, of_all_bf16) {
    note_cuda(check_casts(TIR_TYPE_bf16, NULL));
}

Test(casts, of_f32_around_each_boundary) {
    note_cuda(check_casts(TIR_TYPE_f32, NULL));
}

// What two roundings would make another number, too.
Test(casts, of_f64_around_each_boundary) {
    note_cuda(check_casts(TIR_TYPE_f64, NULL));
}

Test(casts, oldest_processor) {
    check_casts(TIR_TYPE_f32, "x86-64");
}

// ---- what the model says, by hand -----------------------------------------------------------------------------------

Test(casts, model) {
    static const struct {
        TirTypeKind to;
        double value;
        uint64_t rounding;
        bool satf;
        uint32_t code;
    } rows[] = {
        {TIR_TYPE_f8E4M3FN, 464, TIR_rounding_nearest_even, false, 0x7e}, // a tie at the top, to the even one
        {TIR_TYPE_f8E4M3FN, 464, TIR_rounding_nearest_away, false, 0x7f},
        {TIR_TYPE_f8E4M3FN, 464, TIR_rounding_nearest_away, true, 0x7e},
        {TIR_TYPE_f8E4M3FN, 449, TIR_rounding_positive_inf, false, 0x7f},
        {TIR_TYPE_f8E4M3FN, -449, TIR_rounding_positive_inf, false, 0xfe},
        {TIR_TYPE_f8E4M3FN, -0.0, TIR_rounding_zero, false, 0x80},
        {TIR_TYPE_f8E4M3FNUZ, -0.0, TIR_rounding_zero, false, 0},
        {TIR_TYPE_f8E4M3FNUZ, 240, TIR_rounding_nearest_even, false, 0x7f},
        {TIR_TYPE_f8E4M3FNUZ, 249, TIR_rounding_nearest_even, false, 0x80},
        {TIR_TYPE_f8E5M2, 61440, TIR_rounding_nearest_even, false, 0x7c},
        {TIR_TYPE_f8E5M2, 61440, TIR_rounding_zero, false, 0x7b},
        {TIR_TYPE_f8E5M2, -INFINITY, TIR_rounding_zero, false, 0xfc},
        {TIR_TYPE_f8E5M2, -INFINITY, TIR_rounding_zero, true, 0xfb},
        {TIR_TYPE_f8E5M2FNUZ, INFINITY, TIR_rounding_zero, false, 0x80},
        {TIR_TYPE_f6E2M3FN, -100, TIR_rounding_nearest_even, true, 0x3f},
        {TIR_TYPE_f6E3M2FN, NAN, TIR_rounding_nearest_even, true, 0x1f},
        {TIR_TYPE_f4E2M1FN, 2.5, TIR_rounding_nearest_even, true, 4},
        {TIR_TYPE_f4E2M1FN, 2.5, TIR_rounding_nearest_away, true, 5},
        {TIR_TYPE_f8E8M0FNU, -3, TIR_rounding_zero, false, 128},
        {TIR_TYPE_f8E8M0FNU, -3, TIR_rounding_positive_inf, false, 129},
        {TIR_TYPE_f8E8M0FNU, 0, TIR_rounding_positive_inf, false, 0},
        {TIR_TYPE_f8E8M0FNU, 0x1.1p127, TIR_rounding_positive_inf, false, 255},
        {TIR_TYPE_f8E8M0FNU, 0x1.1p127, TIR_rounding_positive_inf, true, 254},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        cr_expect_eq(cast_model(target_of(rows[i].to), cast_number(TIR_TYPE_f64, bits_of(TIR_TYPE_f64, rows[i].value)),
                                rows[i].rounding, rows[i].satf),
                     rows[i].code, "row %zu", i);
}
