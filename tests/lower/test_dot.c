// SPDX-License-Identifier: Apache-2.0
// Matrix products of every allowed type, in shapes from 1x1x1 on, against scalar references: payloads bit by bit,
// numbers within a bound.
#include "tests/lower/lab.h"

#include <math.h>
#include <stdio.h>

typedef struct DotCase {
    TirTypeKind operand, accumulator;
} DotCase;

static const DotCase cases[] = {
    {TIR_TYPE_f16, TIR_TYPE_f32},      {TIR_TYPE_f16, TIR_TYPE_f16},      {TIR_TYPE_bf16, TIR_TYPE_f32},
    {TIR_TYPE_tf32, TIR_TYPE_f32},     {TIR_TYPE_f32, TIR_TYPE_f32},      {TIR_TYPE_f64, TIR_TYPE_f64},
    {TIR_TYPE_f8E4M3FN, TIR_TYPE_f32}, {TIR_TYPE_f8E4M3FN, TIR_TYPE_f16}, {TIR_TYPE_f8E5M2, TIR_TYPE_f32},
    {TIR_TYPE_f8E5M2, TIR_TYPE_f16},
};

typedef struct DotShape {
    int64_t batch, m, n, k; // batch 0: 2-D
} DotShape;

static const DotShape shapes[] = {
    {0, 1, 1, 1},    {0, 1, 1, 2}, {0, 2, 1, 1},   {0, 1, 2, 1},  {0, 1, 1, 64},   {0, 4, 1, 8},
    {0, 1, 64, 4},   {0, 2, 2, 2}, {0, 8, 4, 1},   {0, 16, 8, 4}, {0, 4, 128, 16}, {0, 64, 2, 32},
    {0, 32, 64, 16}, {4, 2, 4, 8}, {2, 16, 32, 2}, {1, 1, 1, 1},  {8, 1, 1, 4},
};

// Which buffer holds what.
enum { LEFT, RIGHT, START, RESULT };

static void fill(Lab *lab, uint32_t buffer, int64_t count, bool tame, uint64_t *state) {
    FpsanFormat format = lab_format(lab->kinds[buffer]);
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = lab_random(state);
        if (tame)
            bits = fpsan_encode_nearest(format, (double)(int64_t)(bits % 513) / 128 - 2); // |x| <= 2
        else if (format == FPSAN_TF32)
            bits &= 0xFFFFE000u;
        lab_put(lab, buffer, lab->kinds[buffer], (uint64_t)i, bits);
    }
}

static uint64_t payload(Lab *lab, uint32_t buffer, int64_t index) {
    TirTypeKind kind = lab->kinds[buffer];
    return fpsan_embed(fpsan_default_algebra().profile, lab_format(kind), lab_get(lab, buffer, kind, (uint64_t)index));
}

static double number(Lab *lab, uint32_t buffer, int64_t index) {
    TirTypeKind kind = lab->kinds[buffer];
    return fpsan_decode(lab_format(kind), lab_get(lab, buffer, kind, (uint64_t)index));
}

typedef struct DotRun {
    DotShape shape;
    FpsanCasts casts;
    bool start; // an accumulator is loaded; else it is zero
    const char *label;
} DotRun;

static void check_payloads(Lab *lab, const DotRun *run) {
    const DotShape *s = &run->shape;
    FpsanAlgebra algebra = {fpsan_default_algebra().profile, run->casts};
    FpsanFormat operand = lab_format(lab->kinds[LEFT]), accumulator = lab_format(lab->kinds[START]);
    for (int64_t b = 0; b < (s->batch ? s->batch : 1); b++)
        for (int64_t m = 0; m < s->m; m++)
            for (int64_t n = 0; n < s->n; n++) {
                int64_t at = (b * s->m + m) * s->n + n;
                uint64_t sum = run->start ? payload(lab, START, at) : 0;
                for (int64_t k = 0; k < s->k; k++) {
                    uint64_t x = payload(lab, LEFT, (b * s->m + m) * s->k + k),
                             y = payload(lab, RIGHT, (b * s->k + k) * s->n + n);
                    sum = fpsan_dot(&algebra, operand, operand, accumulator, 1, &x, 1, &y, 1, sum);
                }
                cr_assert_eq(payload(lab, RESULT, at), sum, "%s: (%ld %ld %ld) is %lx, expected %lx", run->label,
                             (long)b, (long)m, (long)n, (long)payload(lab, RESULT, at), (long)sum);
            }
}

// Payloads beside the numbers: those of values from outside, summed up one after the other.
static void check_towers(Lab *lab, const DotRun *run) {
    const DotShape *s = &run->shape;
    const Tower *t = tower_chain(0);
    const TirTypeKind *kinds = lab->kinds;
    for (int64_t b = 0; b < (s->batch ? s->batch : 1); b++)
        for (int64_t m = 0; m < s->m; m++)
            for (int64_t n = 0; n < s->n; n++) {
                uint64_t at = (uint64_t)((b * s->m + m) * s->n + n);
                TowerPayload sum = run->start ? lab_payload(lab, START, kinds[START], at) : t->zero;
                for (int64_t k = 0; k < s->k; k++)
                    sum = tower_fma(t, lab_payload(lab, LEFT, kinds[LEFT], (uint64_t)((b * s->m + m) * s->k + k)),
                                    lab_payload(lab, RIGHT, kinds[RIGHT], (uint64_t)((b * s->k + k) * s->n + n)), sum,
                                    TOWER_IEEE_POSITIVE);
                if (kinds[START] == TIR_TYPE_f16) sum.state |= TOWER_PASSED_11; // it was rounded
                HostRecord record;
                cr_assert(lab_record(lab, RESULT, kinds[RESULT], at, &record), "%s", run->label);
                cr_assert(lab_same_payload(lab_payload(lab, RESULT, kinds[RESULT], at), sum), "%s: (%ld %ld %ld)",
                          run->label, (long)b, (long)m, (long)n);
            }
}

static void check_numbers(Lab *lab, const DotRun *run) {
    const DotShape *s = &run->shape;
    const FpsanFormatInfo *info = fpsan_format_info(lab_format(lab->kinds[START]));
    double step = info->mantissa_bits > 23 ? 0x1p-53 : 0x1p-24, end = ldexp(1, -(int)info->mantissa_bits - 1);
    for (int64_t b = 0; b < (s->batch ? s->batch : 1); b++)
        for (int64_t m = 0; m < s->m; m++)
            for (int64_t n = 0; n < s->n; n++) {
                int64_t at = (b * s->m + m) * s->n + n;
                double sum = run->start ? number(lab, START, at) : 0, size = fabs(sum);
                for (int64_t k = 0; k < s->k; k++) {
                    double term =
                        number(lab, LEFT, (b * s->m + m) * s->k + k) * number(lab, RIGHT, (b * s->k + k) * s->n + n);
                    sum += term;
                    size += fabs(term);
                }
                double bound = (2 * (double)s->k + 2) * step * size + end * fabs(sum);
                cr_assert_leq(fabs(number(lab, RESULT, at) - sum), bound, "%s: (%ld %ld %ld) is %g, expected %g",
                              run->label, (long)b, (long)m, (long)n, number(lab, RESULT, at), sum);
            }
}

static Lab dot_lab(const TirTypeKind *kinds, const DotShape *s, bool start) {
    Lab lab = lab_open(4, kinds);
    uint32_t first = s->batch ? 0 : 1;
    int64_t a[3] = {s->batch, s->m, s->k}, b[3] = {s->batch, s->k, s->n}, c[3] = {s->batch, s->m, s->n};
    TirType type = lab_tile(&lab, kinds[START], 3 - first, c + first);
    TirValue left = lab_load(&lab, LEFT, 3 - first, a + first), right = lab_load(&lab, RIGHT, 3 - first, b + first);
    TirValue sum = start ? lab_load(&lab, START, 3 - first, c + first) : lab_constant(&lab, type, 0);
    lab_store(&lab, RESULT, lab_value(&lab, TIR_OP_mmaf, type, 3, (TirValue[]){left, right, sum}));
    lab_return(&lab);
    return lab;
}

static void run_case(const DotCase *c, const DotShape *s, bool start, CompileNumeric numeric, FpsanCasts casts,
                     const char *cpu) {
    static const char *const names[] = {"ieee", "payload", "shadow"};
    const TirTypeKind kinds[] = {c->operand, c->operand, c->accumulator, c->accumulator};
    char label[128];
    snprintf(label, sizeof label, "%s %s->%s %ldx%ldx%ldx%ld on %s", names[numeric], tir_type_rows[c->operand].name,
             tir_type_rows[c->accumulator].name, (long)s->batch, (long)s->m, (long)s->n, (long)s->k,
             cpu ? cpu : "host");
    DotRun run = {*s, casts, start, label};
    Lab lab = dot_lab(kinds, s, start);
    cr_assert(lab_compile(&lab, numeric, casts, cpu), "%s: %s", label,
              lab.diagnostics.count ? lab.diagnostics.items[0].message : "");
    int64_t batch = s->batch ? s->batch : 1;
    uint64_t state = 7;
    fill(&lab, LEFT, batch * s->m * s->k, numeric != COMPILE_PAYLOAD, &state);
    fill(&lab, RIGHT, batch * s->k * s->n, numeric != COMPILE_PAYLOAD, &state);
    fill(&lab, START, batch * s->m * s->n, numeric != COMPILE_PAYLOAD, &state);
    cr_assert(lab_run(&lab), "%s", label);
    if (numeric == COMPILE_PAYLOAD) check_payloads(&lab, &run);
    if (numeric == COMPILE_SHADOW) check_towers(&lab, &run);
    if (numeric != COMPILE_PAYLOAD) check_numbers(&lab, &run);
    lab_close(&lab);
}

static void run_all(CompileNumeric numeric, const char *cpu, size_t stride) {
    size_t number = 0;
    for (size_t c = 0; c < BASE_COUNT(cases); c++)
        for (size_t s = 0; s < BASE_COUNT(shapes); s++, number++)
            if (number % stride == 0) run_case(&cases[c], &shapes[s], (c + s) % 2, numeric, (FpsanCasts)(s % 2), cpu);
}

Test(dot, payload) {
    run_all(COMPILE_PAYLOAD, NULL, 3);
}
Test(dot, ieee) {
    run_all(COMPILE_IEEE, NULL, 3);
}
Test(dot, shadow) {
    run_all(COMPILE_SHADOW, NULL, 11);
}
Test(dot, in_all_shapes) {
    run_all(COMPILE_PAYLOAD, NULL, 1);
    run_all(COMPILE_IEEE, NULL, 1);
    run_all(COMPILE_SHADOW, NULL, 1);
}

// Machines with fewer instructions than this one.
Test(dot, plain_x86) {
    run_all(COMPILE_PAYLOAD, "x86-64", 3);
    run_all(COMPILE_IEEE, "x86-64", 7);
    run_all(COMPILE_SHADOW, "x86-64", 7);
}
Test(dot, avx2) {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) cr_skip_test("this machine has no AVX2");
    run_all(COMPILE_PAYLOAD, "x86-64-v3", 3);
    run_all(COMPILE_IEEE, "x86-64-v3", 7);
    run_all(COMPILE_SHADOW, "x86-64-v3", 7);
}
