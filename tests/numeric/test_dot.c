// SPDX-License-Identifier: Apache-2.0
// Dots: plan, operand, begin, step and end of every format on every machine table, against fpsan_dot and against sums
// in float.
#include "numeric_harness.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct DotCase {
    FpsanFormat operand, accumulator;
    unsigned lanes;
    char name[32];
} DotCase;

enum { LENGTH = 4, BLOCKS = 64, CASES_MAX = 512 };
// Each lane computes acc + sum over LENGTH k of a[k] * b[k]; a and b hold LENGTH consecutive elements a lane.

static uint64_t a_array[HARNESS_LANES_MAX * BLOCKS * LENGTH], b_array[HARNESS_LANES_MAX * BLOCKS * LENGTH];
static uint64_t c_array[HARNESS_LANES_MAX * BLOCKS], results[HARNESS_LANES_MAX * BLOCKS];

static unsigned width(FpsanFormat format) {
    return fpsan_format_info(format)->lane_bits;
}

// Elements l * LENGTH + first .. + group - 1 for every lane l, of a vector with LENGTH elements a lane.
static LLVMValueRef group_of(NumericContext *cx, LLVMValueRef value, unsigned lanes, unsigned first, unsigned group) {
    LLVMValueRef mask[HARNESS_LANES_MAX * 2];
    LLVMTypeRef i32 = LLVMInt32TypeInContext(cx->context);
    for (unsigned lane = 0; lane < lanes; lane++)
        for (unsigned g = 0; g < group; g++) mask[lane * group + g] = LLVMConstInt(i32, lane * LENGTH + first + g, 0);
    return LLVMBuildShuffleVector(cx->builder, value, LLVMGetPoison(LLVMTypeOf(value)),
                                  LLVMConstVector(mask, lanes * group), "");
}

static LLVMValueRef first_sum(NumericContext *cx, const NumericDot *plan, LLVMValueRef start) {
    if (!plan->shared) return cx->numeric->dots->begin(cx, plan, start);
    return LLVMConstNull(vector_type_like(plan->accumulator_type, start));
}

static LLVMValueRef last_sum(NumericContext *cx, const NumericDot *plan, LLVMValueRef sum, LLVMValueRef start) {
    if (!plan->shared) return cx->numeric->dots->end(cx, plan, sum);
    LLVMValueRef parameter = cx->numeric->dots->parameter(cx, plan);
    if (plan->fold_every) sum = cx->numeric->dots->fold(cx, parameter, sum);
    return cx->numeric->dots->finish(cx, plan, sum, start);
}

// sum plus the products of all elements of x and y.
static LLVMValueRef add_products(NumericContext *cx, const NumericDot *plan, unsigned lanes, LLVMValueRef x,
                                 LLVMValueRef y, LLVMValueRef sum) {
    unsigned count = lanes ? lanes : 1;
    for (unsigned k = 0; k < LENGTH; k += plan->group) {
        LLVMValueRef xk = group_of(cx, x, count, k, plan->group), yk = group_of(cx, y, count, k, plan->group);
        if (!lanes && plan->group == 1) {
            LLVMValueRef zero = LLVMConstInt(LLVMInt32TypeInContext(cx->context), 0, 0);
            xk = LLVMBuildExtractElement(cx->builder, xk, zero, "");
            yk = LLVMBuildExtractElement(cx->builder, yk, zero, "");
        }
        sum = cx->numeric->dots->step(cx, plan, sum, xk, yk);
    }
    return sum;
}

// Operands come as one integer of LENGTH elements a lane.
static LLVMValueRef emit_dot(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    const DotCase *c = data;
    LLVMValueRef part = NULL;
    unsigned lanes = c->lanes ? c->lanes : 1;
    LLVMTypeRef bits = LLVMIntTypeInContext(cx->context, width(c->operand));
    LLVMValueRef raw[2];
    for (unsigned i = 0; i < 2; i++)
        raw[i] = LLVMBuildBitCast(cx->builder, inputs[i], LLVMVectorType(bits, lanes * LENGTH), "");
    LLVMValueRef planes[NUMERIC_PLANES_MAX];
    NumericValue a = cx->numeric->from_bits(cx, c->operand, raw[0]), b = cx->numeric->from_bits(cx, c->operand, raw[1]);
    NumericValue acc = cx->numeric->from_bits(cx, c->accumulator, inputs[2]), result = acc;
    for (unsigned p = 0; p < cx->numeric->part_count; p++) {
        const FloatOp op = float_conversion(c->operand, c->accumulator);
        NumericDot plan;
        if (!cx->numeric->dots->plan(cx, &op, p, &plan)) return NULL;
        LLVMValueRef x[NUMERIC_PIECES], y[NUMERIC_PIECES], sum = first_sum(cx, &plan, acc.parts[p]);
        for (unsigned h = 0; h == 0 || h < plan.pieces; h++) {
            x[h] = cx->numeric->dots->operand(cx, &plan, h, &a);
            y[h] = cx->numeric->dots->operand(cx, &plan, h, &b);
        }
        cr_assert(vector_element(LLVMTypeOf(x[0])) == plan.operand_type &&
                  vector_element(LLVMTypeOf(sum)) == plan.accumulator_type);
        if (plan.pieces) {
            LLVMValueRef mixed = add_products(cx, &plan, c->lanes, x[0], y[1], LLVMConstNull(LLVMTypeOf(sum)));
            sum = cx->numeric->dots->carry(cx, add_products(cx, &plan, c->lanes, x[1], y[0], mixed), sum);
        }
        sum = add_products(cx, &plan, c->lanes, x[0], y[0], sum);
        result.parts[p] = part = last_sum(cx, &plan, sum, acc.parts[p]);
        cr_assert(LLVMTypeOf(part) == LLVMTypeOf(acc.parts[p]));
    }
    cx->numeric->to_planes(cx, c->accumulator, &result, planes);
    return planes[0];
}

static bool add_dot(Harness *h, DotCase *c, size_t number) {
    // The LENGTH operands of a lane are one wide integer for the harness.
    unsigned inputs[] = {width(c->operand) * LENGTH, width(c->operand) * LENGTH, width(c->accumulator)};
    snprintf(c->name, sizeof c->name, "dot%zu", number);
    return harness_add(h, c->name, c->lanes, 3, inputs, width(c->accumulator), emit_dot, c);
}

static const FpsanFormat operands[] = {FPSAN_F64,  FPSAN_F32,      FPSAN_TF32,   FPSAN_F16,
                                       FPSAN_BF16, FPSAN_F8E4M3FN, FPSAN_F8E5M2, FPSAN_F4E2M1FN};
static const FpsanFormat accumulators[] = {FPSAN_F64, FPSAN_F32, FPSAN_F16, FPSAN_BF16};
static const unsigned lane_counts[] = {16, 8, 4, 32, 1, 0, 2, 3, 24};

static void fill_dot(const DotCase *c, size_t count, bool extreme, uint64_t *state) {
    const FpsanProfile *profile = fpsan_default_algebra().profile;
    for (size_t i = 0; i < count * LENGTH; i++) {
        uint64_t a = sample_bits(c->operand, 99, state), b = sample_bits(c->operand, 99, state);
        if (extreme && i / LENGTH % 3 == 0) { // payload -2^(w-1): products and sums that wrap
            a = b = fpsan_unembed(profile, c->operand, UINT64_C(1) << (fpsan_format_info(c->operand)->ring_bits - 1));
        }
        store_element(a_array, width(c->operand), i, a);
        store_element(b_array, width(c->operand), i, b);
    }
    for (size_t i = 0; i < count; i++)
        store_element(c_array, width(c->accumulator), i, sample_bits(c->accumulator, i, state));
}

static void run_dot(Harness *h, const DotCase *c) {
    const void *inputs[] = {a_array, b_array, c_array};
    harness_function(h, c->name)(inputs, results, BLOCKS);
}

// Every pair of formats at one lane count that differs from row to row; operands of 16 bits for f32, which matter most,
// at many.
static size_t add_all(Harness *h, DotCase *all, size_t row) {
    size_t count = 0;
    for (size_t o = 0; o < BASE_COUNT(operands); o++)
        for (size_t a = 0; a < BASE_COUNT(accumulators); a++)
            for (size_t l = 0; l < BASE_COUNT(lane_counts); l++) {
                bool sensible =
                    h->cx.numeric == &numeric_payload || accumulators[a] == FPSAN_F64 || operands[o] != FPSAN_F64;
                bool hot = width(operands[o]) == 16 && accumulators[a] == FPSAN_F32 && l < 6;
                bool fits = !h->cx.numeric->has_records || lane_counts[l] * LENGTH <= 64; // tower_llvm.h
                if (!fits || !sensible || (!hot && l != (o + 2 * a + row) % BASE_COUNT(lane_counts))) continue;
                all[count] = (DotCase){.operand = operands[o], .accumulator = accumulators[a], .lanes = lane_counts[l]};
                cr_assert(add_dot(h, &all[count], count));
                count++;
            }
    return count;
}

static void check_payload_dots(const Numeric *numeric, size_t first_row, size_t last_row) {
    static DotCase all[CASES_MAX];
    FpsanAlgebra algebra = fpsan_default_algebra();
    for (size_t row = first_row; row <= last_row && machine_row(row); row++) {
        Harness h;
        uint64_t state = 61;
        if (!machine_row(row)->runs) continue;
        harness_open(&h, numeric, machine_row(row)->machine);
        size_t count = add_all(&h, all, row);
        harness_finish(&h);
        for (size_t k = 0; k < count; k++) {
            const DotCase *c = &all[k];
            size_t elements = (size_t)BLOCKS * (c->lanes ? c->lanes : 1);
            fill_dot(c, elements, true, &state);
            run_dot(&h, c);
            for (size_t i = 0; i < elements; i++) {
                uint64_t a[LENGTH], b[LENGTH],
                    acc = fpsan_embed(algebra.profile, c->accumulator, load_element(c_array, width(c->accumulator), i));
                for (size_t j = 0; j < LENGTH; j++) {
                    a[j] = fpsan_embed(algebra.profile, c->operand,
                                       load_element(a_array, width(c->operand), i * LENGTH + j));
                    b[j] = fpsan_embed(algebra.profile, c->operand,
                                       load_element(b_array, width(c->operand), i * LENGTH + j));
                }
                uint64_t want = fpsan_dot(&algebra, c->operand, c->operand, c->accumulator, LENGTH, a, 1, b, 1, acc);
                want = fpsan_unembed(algebra.profile, c->accumulator, want);
                cr_assert_eq(load_element(results, width(c->accumulator), i), want, "%s: %s into %s, %u lanes",
                             machine_row(row)->name, fpsan_format_info(c->operand)->name,
                             fpsan_format_info(c->accumulator)->name, c->lanes);
            }
        }
        harness_close(&h);
    }
}

Test(dot, payload_is_exact_on_every_machine) {
    check_payload_dots(&numeric_payload, 0, SIZE_MAX);
}

// The sum in float or double, fused where the machine fuses, rounded once to the accumulator's format.
static double reference_sum(const DotCase *c, bool fused, size_t i) {
    double wide = fpsan_decode(c->accumulator, load_element(c_array, width(c->accumulator), i));
    float single = (float)wide;
    for (size_t j = 0; j < LENGTH; j++) {
        double a = fpsan_decode(c->operand, load_element(a_array, width(c->operand), i * LENGTH + j));
        double b = fpsan_decode(c->operand, load_element(b_array, width(c->operand), i * LENGTH + j));
        volatile float product = (float)a * (float)b;
        volatile double wide_product = a * b;
        single = fused ? fmaf((float)a, (float)b, single) : single + product;
        wide = fused ? fma(a, b, wide) : wide + wide_product;
    }
    return c->accumulator == FPSAN_F64 ? wide : single;
}

static void check_ieee_dots(const Numeric *numeric, size_t first_row, size_t last_row) {
    static DotCase all[CASES_MAX];
    for (size_t row = first_row; row <= last_row && machine_row(row); row++) {
        const Machine *machine = &machine_row(row)->machine;
        Harness h;
        uint64_t state = 67;
        if (!machine_row(row)->runs) continue;
        harness_open(&h, numeric, *machine);
        size_t count = add_all(&h, all, row);
        harness_finish(&h);
        for (size_t k = 0; k < count; k++) {
            const DotCase *c = &all[k];
            size_t elements = (size_t)BLOCKS * (c->lanes ? c->lanes : 1);
            fill_dot(c, elements, false, &state);
            run_dot(&h, c);
            for (size_t i = 0; i < elements; i++) {
                uint64_t want = fpsan_encode_nearest(c->accumulator, reference_sum(c, machine->fuses, i));
                uint64_t got = load_element(results, width(c->accumulator), i);
                cr_assert(same_float(c->accumulator, got, want), "%s: %s into %s, %u lanes: %#lx, not %#lx",
                          machine_row(row)->name, fpsan_format_info(c->operand)->name,
                          fpsan_format_info(c->accumulator)->name, c->lanes, got, want);
            }
        }
        harness_close(&h);
    }
}

Test(dot, ieee_sums_in_float) {
    check_ieee_dots(&numeric_ieee, 2, 3);
}
Test(dot, ieee_sums_in_float_on_every_machine) {
    check_ieee_dots(&numeric_ieee, 0, SIZE_MAX);
}
Test(dot, shadow_has_the_ieee_dot) {
    check_ieee_dots(&numeric_shadow, 3, 3);
}

// Code for every machine table can be generated with the features the table promises, whatever this processor has.
Test(dot, every_machine_compiles) {
    static DotCase all[CASES_MAX];
    static const Numeric *const numerics[] = {&numeric_payload, &numeric_shadow};
    for (size_t row = 0; machine_row(row); row++)
        for (size_t n = 0; n < BASE_COUNT(numerics); n++) {
            Harness h;
            size_t count = 0;
            harness_open(&h, numerics[n], machine_row(row)->machine);
            for (unsigned l = 0; l < (numerics[n]->has_records ? 3 : 4); l++, count++) {
                all[count] = (DotCase){
                    .operand = l % 2 ? FPSAN_BF16 : FPSAN_F16, .accumulator = FPSAN_F32, .lanes = lane_counts[l]};
                cr_assert(add_dot(&h, &all[count], count));
            }
            harness_check_only(&h, machine_row(row)->features);
            harness_close(&h);
        }
}

// The plan of 16-bit operands uses the widest multiply-add-pairs instruction the machine has.
Test(dot, instructions_are_chosen_by_machine) {
    static const struct {
        const char *row, *name;
        unsigned lanes;
    } expected[] = {
        {"avx512 vnni", "llvm.x86.avx512.vpdpwssd.512", 16},
        {"avx512", "llvm.x86.avx512.pmaddw.d.512", 16},
        {"avx512", "llvm.x86.avx2.pmadd.wd", 8},
        {"avx2 vnni", "llvm.x86.avx512.vpdpwssd.256", 16},
        {"avx2", "llvm.x86.avx2.pmadd.wd", 8},
        {"sse2", "llvm.x86.sse2.pmadd.wd", 4},
    };
    for (size_t i = 0; i < BASE_COUNT(expected); i++) {
        size_t row = 0;
        Harness h;
        DotCase c = {.operand = FPSAN_F16, .accumulator = FPSAN_F32, .lanes = expected[i].lanes};
        while (strcmp(machine_row(row)->name, expected[i].row)) row++;
        harness_open(&h, &numeric_payload, machine_row(row)->machine);
        cr_assert(add_dot(&h, &c, 0));
        LLVMValueRef function = LLVMGetNamedFunction(h.cx.module, expected[i].name);
        cr_assert(function && LLVMGetFirstUse(function), "%s: %s", expected[i].row, expected[i].name);
        LLVMDisposeModule(h.cx.module);
        harness_close(&h);
    }
}

Test(dot, what_has_no_dot_is_refused) {
    DotCase refused[] = {{.operand = FPSAN_F8E8M0FNU, .accumulator = FPSAN_F32, .lanes = 16},
                         {.operand = FPSAN_F16, .accumulator = FPSAN_F8E5M2, .lanes = 16}};
    for (size_t i = 0; i < BASE_COUNT(refused); i++) {
        Harness h;
        harness_open(&h, &numeric_payload, native_machine());
        cr_assert(!add_dot(&h, &refused[i], 0));
        cr_assert(h.diagnostics.count == 1 && h.diagnostics.items[0].code == E_UNSUPPORTED);
        LLVMDisposeModule(h.cx.module);
        harness_close(&h);
    }
}
