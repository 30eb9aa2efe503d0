// SPDX-License-Identifier: Apache-2.0
// Block-scaled products: every allowed pair of elements and scales, against exact sums, the payload library's dot and
// the reference interpreter.
#include "tests/lower/lab.h"

#include <math.h>
#include <stdio.h>

typedef struct ScaledCase {
    TirTypeKind element, scale;
    int64_t block;
} ScaledCase;

static const ScaledCase cases[] = {
    {TIR_TYPE_f8E4M3FN, TIR_TYPE_f8E8M0FNU, 32}, {TIR_TYPE_f8E5M2, TIR_TYPE_f8E8M0FNU, 32},
    {TIR_TYPE_f4E2M1FN, TIR_TYPE_f8E8M0FNU, 32}, {TIR_TYPE_f4E2M1FN, TIR_TYPE_f8E8M0FNU, 16},
    {TIR_TYPE_f4E2M1FN, TIR_TYPE_f8E4M3FN, 16},
};

typedef struct ScaledShape {
    int64_t batch, m, n, blocks; // batch 0: 2-D
} ScaledShape;

static const ScaledShape shapes[] = {
    {0, 1, 1, 1}, {0, 1, 32, 1}, {0, 8, 4, 2}, {0, 16, 64, 4}, {0, 32, 2, 8}, {2, 4, 16, 2}, {4, 1, 1, 1}, {1, 2, 1, 2},
};

enum { LEFT, RIGHT, LEFT_SCALE, RIGHT_SCALE, START, RESULT, BUFFERS };

typedef struct ScaledRun {
    ScaledCase kind;
    ScaledShape shape;
    bool scales_computed; // by an element-wise op just before
    const char *label;
} ScaledRun;

static int64_t depth_of(const ScaledRun *run) {
    return run->kind.block * run->shape.blocks;
}
static int64_t batches_of(const ScaledRun *run) {
    return run->shape.batch ? run->shape.batch : 1;
}

// ---- the kernel -----------------------------------------------------------------------------------------------------

// f4 is not loaded but narrowed from f8E4M3FN.
static TirValue load_operand(Lab *lab, uint32_t buffer, TirTypeKind element, uint32_t rank, const int64_t *shape) {
    TirValue loaded = lab_load(lab, buffer, rank, shape);
    if (lab->kinds[buffer] == element) return loaded;
    TirOp *op = lab_op(lab, TIR_OP_ftof, 1, (TirType[]){lab_tile(lab, element, rank, shape)}, 1, &loaded, NULL);
    lab_set(op, "rounding", TIR_rounding_nearest_even);
    return tir_result(op, 0);
}

// Computed: selected by a constant condition from itself and the smallest scale.
static TirValue load_scales(Lab *lab, uint32_t buffer, bool computed, uint32_t rank, const int64_t *shape) {
    TirValue loaded = lab_load(lab, buffer, rank, shape);
    if (!computed) return loaded;
    TirType type = lab_tile(lab, lab->kinds[buffer], rank, shape);
    TirValue operands[3] = {lab_constant(lab, lab_tile(lab, TIR_TYPE_i1, rank, shape), 1), loaded,
                            lab_constant(lab, type, 1)};
    return lab_value(lab, TIR_OP_select, type, 3, operands);
}

static void build(Lab *lab, const ScaledRun *run) {
    const ScaledShape *s = &run->shape;
    int64_t k = depth_of(run), shape[5][3] = {
                                   [LEFT] = {s->batch, s->m, k},
                                   [RIGHT] = {s->batch, k, s->n},
                                   [LEFT_SCALE] = {s->batch, s->m, s->blocks},
                                   [RIGHT_SCALE] = {s->batch, s->blocks, s->n},
                                   [START] = {s->batch, s->m, s->n},
                               };
    uint32_t first = s->batch ? 0 : 1, rank = 3 - first;
    TirValue left = load_operand(lab, LEFT, run->kind.element, rank, shape[LEFT] + first);
    TirValue right = load_operand(lab, RIGHT, run->kind.element, rank, shape[RIGHT] + first);
    TirValue left_scale = load_scales(lab, LEFT_SCALE, run->scales_computed, rank, shape[LEFT_SCALE] + first);
    TirValue right_scale = load_scales(lab, RIGHT_SCALE, run->scales_computed, rank, shape[RIGHT_SCALE] + first);
    TirValue operands[5] = {left, right, lab_load(lab, START, rank, shape[START] + first), left_scale, right_scale};
    TirType type = lab_tile(lab, TIR_TYPE_f32, rank, shape[START] + first);
    lab_store(lab, RESULT, lab_value(lab, TIR_OP_mmaf_scaled, type, 5, operands));
    lab_return(lab);
}

// ---- the numbers ----------------------------------------------------------------------------------------------------

// Tame numbers are at most 2, and tame scales 1/4 to 4; else all bits occur, NaNs too.
static void fill(Lab *lab, uint32_t buffer, int64_t count, bool tame, uint64_t *state) {
    TirTypeKind kind = lab->kinds[buffer];
    FpsanFormat format = lab_format(kind);
    bool is_scale = buffer == LEFT_SCALE || buffer == RIGHT_SCALE;
    for (int64_t i = 0; i < count; i++) {
        uint64_t bits = lab_random(state);
        if (tame)
            bits =
                fpsan_encode_nearest(format, is_scale ? ldexp(1 + (kind == TIR_TYPE_f8E4M3FN) * (double)(bits & 7) / 8,
                                                              (int)(bits >> 3 & 3) - 2)
                                                      : (double)(int64_t)(bits % 513) / 128 - 2);
        lab_put(lab, buffer, kind, (uint64_t)i, bits);
    }
}

static void fill_all(Lab *lab, const ScaledRun *run, bool tame) {
    const ScaledShape *s = &run->shape;
    uint64_t state = 11;
    int64_t batch = batches_of(run), k = depth_of(run);
    fill(lab, LEFT, batch * s->m * k, tame, &state);
    fill(lab, RIGHT, batch * k * s->n, tame, &state);
    fill(lab, LEFT_SCALE, batch * s->m * s->blocks, tame, &state);
    fill(lab, RIGHT_SCALE, batch * s->blocks * s->n, tame, &state);
    fill(lab, START, batch * s->m * s->n, tame, &state);
}

// ---- what is expected -----------------------------------------------------------------------------------------------

// Indices of the first element of a row and of a column in the operands and their scales.
typedef struct ScaledPlace {
    int64_t left, right, left_scale, right_scale, result;
} ScaledPlace;

static ScaledPlace place_of(const ScaledRun *run, int64_t b, int64_t m, int64_t n) {
    const ScaledShape *s = &run->shape;
    int64_t k = depth_of(run);
    return (ScaledPlace){(b * s->m + m) * k, b * k * s->n + n, (b * s->m + m) * s->blocks, b * s->blocks * s->n + n,
                         (b * s->m + m) * s->n + n};
}

static double number(Lab *lab, uint32_t buffer, int64_t index) {
    TirTypeKind kind = lab->kinds[buffer];
    return fpsan_decode(lab_format(kind), lab_get(lab, buffer, kind, (uint64_t)index));
}

// As load_operand.
static double element_number(Lab *lab, const ScaledRun *run, uint32_t buffer, int64_t index) {
    FpsanFormat format = lab_format(run->kind.element);
    return fpsan_decode(format, fpsan_encode_nearest(format, number(lab, buffer, index)));
}

static void check_number(Lab *lab, const ScaledRun *run, const ScaledPlace *at) {
    double sum = number(lab, START, at->result), size = fabs(sum);
    for (int64_t k = 0; k < depth_of(run); k++) {
        int64_t scale = k / run->kind.block;
        double term = element_number(lab, run, LEFT, at->left + k) * number(lab, LEFT_SCALE, at->left_scale + scale) *
                      element_number(lab, run, RIGHT, at->right + k * run->shape.n) *
                      number(lab, RIGHT_SCALE, at->right_scale + scale * run->shape.n);
        sum += term;
        size += fabs(term);
    }
    double found = number(lab, RESULT, at->result), bound = (2 * (double)depth_of(run) + 2) * 0x1p-24 * size;
    cr_assert_leq(fabs(found - sum), bound, "%s: element %ld is %.9g, expected %.9g", run->label, (long)at->result,
                  found, sum);
}

static uint64_t payload(Lab *lab, uint32_t buffer, int64_t index) {
    TirTypeKind kind = lab->kinds[buffer];
    return fpsan_embed(fpsan_default_algebra().profile, lab_format(kind), lab_get(lab, buffer, kind, (uint64_t)index));
}

enum { DEPTH_MAX = 512, BLOCKS_MAX = 32 };

static void check_payload(Lab *lab, const ScaledRun *run, FpsanCasts casts, const ScaledPlace *at) {
    uint64_t elements[2][DEPTH_MAX], scales[2][BLOCKS_MAX];
    FpsanAlgebra algebra = {fpsan_default_algebra().profile, casts};
    FpsanFormat loaded = lab_format(lab->kinds[LEFT]), format = lab_format(run->kind.element);
    for (int64_t k = 0; k < depth_of(run); k++) {
        elements[0][k] = payload(lab, LEFT, at->left + k);
        elements[1][k] = payload(lab, RIGHT, at->right + k * run->shape.n);
        for (int i = 0; i < 2; i++)
            if (loaded != format)
                elements[i][k] = fpsan_cast(&algebra, loaded, format, elements[i][k], FPSAN_NEAREST_EVEN);
    }
    for (int64_t i = 0; i < run->shape.blocks; i++) {
        scales[0][i] = payload(lab, LEFT_SCALE, at->left_scale + i);
        scales[1][i] = payload(lab, RIGHT_SCALE, at->right_scale + i * run->shape.n);
    }
    FpsanScaled sides[2];
    for (int i = 0; i < 2; i++)
        sides[i] =
            (FpsanScaled){format, lab_format(run->kind.scale), elements[i], scales[i], 1, 1, (size_t)run->kind.block};
    uint64_t expected = fpsan_scaled_dot(&algebra, &sides[0], &sides[1], FPSAN_F32, (size_t)depth_of(run),
                                         payload(lab, START, at->result));
    cr_assert_eq(payload(lab, RESULT, at->result), expected, "%s: element %ld is %lx, expected %lx", run->label,
                 (long)at->result, (long)payload(lab, RESULT, at->result), (long)expected);
}

// As if the operands had been multiplied by their scales before. Narrowing to f4 is only remembered.
static void check_tower(Lab *lab, const ScaledRun *run, const ScaledPlace *at) {
    const Tower *t = tower_chain(0);
    const TirTypeKind *kinds = lab->kinds;
    TowerPayload sum = lab_payload(lab, START, kinds[START], (uint64_t)at->result);
    for (int64_t k = 0; k < depth_of(run); k++) {
        int64_t scale = k / run->kind.block;
        double x = number(lab, LEFT, at->left + k) * number(lab, LEFT_SCALE, at->left_scale + scale),
               y = number(lab, RIGHT, at->right + k * run->shape.n) *
                   number(lab, RIGHT_SCALE, at->right_scale + scale * run->shape.n);
        sum = tower_fma(t, tower_embed_double(t, x), tower_embed_double(t, y), sum, TOWER_IEEE_POSITIVE);
    }
    if (run->kind.element == TIR_TYPE_f4E2M1FN) sum.state |= TOWER_PASSED_2;
    TowerPayload found = lab_payload(lab, RESULT, kinds[RESULT], (uint64_t)at->result);
    cr_assert(lab_same_payload(found, sum), "%s: element %ld", run->label, (long)at->result);
    HostRecord record;
    cr_assert(lab_record(lab, RESULT, kinds[RESULT], (uint64_t)at->result, &record), "%s", run->label);
}

// ---- runs -----------------------------------------------------------------------------------------------------------

static Lab open_run(const ScaledRun *run, TirTypeKind *kinds) {
    TirTypeKind loaded = run->kind.element == TIR_TYPE_f4E2M1FN ? TIR_TYPE_f8E4M3FN : run->kind.element;
    kinds[LEFT] = kinds[RIGHT] = loaded;
    kinds[LEFT_SCALE] = kinds[RIGHT_SCALE] = run->kind.scale;
    kinds[START] = kinds[RESULT] = TIR_TYPE_f32;
    Lab lab = lab_open(BUFFERS, kinds);
    build(&lab, run);
    return lab;
}

static void run_case(const ScaledRun *run, CompileNumeric numeric, FpsanCasts casts, const char *cpu) {
    TirTypeKind kinds[BUFFERS];
    Lab lab = open_run(run, kinds);
    cr_assert(lab_compile(&lab, numeric, casts, cpu), "%s: %s", run->label,
              lab.diagnostics.count ? lab.diagnostics.items[0].message : "");
    fill_all(&lab, run, numeric != COMPILE_PAYLOAD);
    cr_assert(lab_run(&lab), "%s", run->label);
    for (int64_t b = 0; b < batches_of(run); b++)
        for (int64_t m = 0; m < run->shape.m; m++)
            for (int64_t n = 0; n < run->shape.n; n++) {
                ScaledPlace at = place_of(run, b, m, n);
                if (numeric == COMPILE_PAYLOAD) check_payload(&lab, run, casts, &at);
                if (numeric == COMPILE_SHADOW) check_tower(&lab, run, &at);
                if (numeric != COMPILE_PAYLOAD) check_number(&lab, run, &at);
            }
    lab_close(&lab);
}

static void run_all(CompileNumeric numeric, const char *cpu, size_t stride) {
    size_t count = 0;
    for (size_t c = 0; c < BASE_COUNT(cases); c++)
        for (size_t s = 0; s < BASE_COUNT(shapes); s++) {
            char label[128];
            snprintf(label, sizeof label, "numeric %d, %s x %s, block %ld, shape %zu on %s", (int)numeric,
                     tir_type_rows[cases[c].element].name, tir_type_rows[cases[c].scale].name, (long)cases[c].block, s,
                     cpu ? cpu : "host");
            ScaledRun run = {cases[c], shapes[s], (c + s) % 3 == 0, label};
            if (count++ % stride == 0) run_case(&run, numeric, (FpsanCasts)(s % 2), cpu);
        }
}

Test(scaled, ieee) {
    run_all(COMPILE_IEEE, NULL, 3);
}
Test(scaled, payload) {
    run_all(COMPILE_PAYLOAD, NULL, 3);
}
Test(scaled, in_all_shapes) {
    run_all(COMPILE_IEEE, NULL, 1);
    run_all(COMPILE_PAYLOAD, NULL, 1);
}
Test(scaled, shadow) {
    run_all(COMPILE_SHADOW, NULL, 3);
}
Test(scaled, plain_x86) {
    run_all(COMPILE_IEEE, "x86-64", 7);
    run_all(COMPILE_PAYLOAD, "x86-64", 3);
    run_all(COMPILE_SHADOW, "x86-64", 7);
}

// Bit for bit, with payloads of other numbers and with states beside operands and scales: without some components,
// not finite, signs of logarithms.
static void put_records(Lab *lab, const ScaledRun *run, bool all_states) {
    const Tower *t = tower_chain(0);
    uint64_t state = 17;
    int64_t counts[5] = {run->shape.m * depth_of(run), run->shape.n * depth_of(run), run->shape.m * run->shape.blocks,
                         run->shape.n * run->shape.blocks, run->shape.m * run->shape.n};
    for (uint32_t buffer = LEFT; buffer <= START; buffer++)
        for (int64_t i = 0; i < counts[buffer] * batches_of(run); i++) {
            TowerPayload payload = tower_rational(t, (int64_t)(lab_random(&state) % 1000) + 1, 77);
            if (all_states && i % 16 == 5) payload = tower_exp2(t, payload, 0);            // without component 0
            if (all_states && i % 16 == 7) payload = tower_log2(t, tower_neg(t, payload)); // with a sign
            if (all_states && i % 64 == 9) payload = tower_div(t, payload, t->zero, TOWER_IEEE_POSITIVE);
            if (i % 3) lab_put_record(lab, buffer, lab->kinds[buffer], (uint64_t)i, payload);
        }
}

// Every `stride`-th case.
static void check_reference(size_t stride) {
    static const ScaledShape some[] = {{0, 4, 8, 2}, {2, 2, 4, 2}, {0, 1, 1, 1}};
    for (size_t c = 0; c < BASE_COUNT(cases); c += stride)
        for (size_t s = 0; s < BASE_COUNT(some); s++)
            for (int form = s ? 4 : 0; form < 5; form++) {
                ScaledRun run = {cases[c], some[s], c % 2, "reference"};
                TirTypeKind kinds[BUFFERS];
                Lab lab = open_run(&run, kinds);
                CompileNumeric numeric = form == 0 ? COMPILE_IEEE : form == 1 ? COMPILE_PAYLOAD : COMPILE_SHADOW;
                fill_all(&lab, &run, form != 1);
                if (form >= 3) put_records(&lab, &run, form == 4);
                lab_check(&lab, numeric);
                lab_close(&lab);
            }
}

Test(scaled, reference) {
    check_reference(3);
}
Test(scaled, reference_of_all) {
    check_reference(1);
}

// ---- numbers at the edges -------------------------------------------------------------------------------------------

typedef struct EdgeCase {
    const char *label;
    TirTypeKind element;
    uint64_t left, right, left_scale, right_scale;
    double expected; // of 32 equal products
    bool payload_is_nan;
} EdgeCase;

// Scales of 2^-127 and 2^127; NaN, which e8m0 writes 255; and a product too large for f32 before it meets the other.
static const EdgeCase edges[] = {
    {"ones", TIR_TYPE_f8E4M3FN, 0x38, 0x38, 127, 127, 32, false},
    {"smallest scale", TIR_TYPE_f8E4M3FN, 0x01, 0x38, 0, 254, 0x1p-4, false},
    {"smallest f8E5M2", TIR_TYPE_f8E5M2, 0x01, 0x3C, 0, 254, 0x1p-11, false},
    {"NaN scale", TIR_TYPE_f8E4M3FN, 0x38, 0x38, 255, 127, NAN, true},
    {"NaN element", TIR_TYPE_f8E4M3FN, 0x38, 0x7F, 127, 127, NAN, true},
    {"overflow", TIR_TYPE_f8E4M3FN, 0x40, 0x38, 254, 0, INFINITY, false},
    {"infinite element", TIR_TYPE_f8E5M2, 0x7C, 0xBC, 127, 127, -INFINITY, false},
};

static void run_edge(const EdgeCase *edge, CompileNumeric numeric) {
    ScaledRun run = {{edge->element, TIR_TYPE_f8E8M0FNU, 32}, {0, 4, 4, 1}, false, edge->label};
    TirTypeKind kinds[BUFFERS];
    const uint64_t bits[] = {edge->left, edge->right, edge->left_scale, edge->right_scale};
    Lab lab = open_run(&run, kinds);
    cr_assert(lab_compile(&lab, numeric, FPSAN_CASTS_MIX, NULL), "%s", edge->label);
    for (uint32_t buffer = LEFT; buffer < START; buffer++)
        for (uint64_t i = 0; i < 128; i++) lab_put(&lab, buffer, kinds[buffer], i, bits[buffer]);
    cr_assert(lab_run(&lab), "%s", edge->label);
    const Tower *t = tower_chain(0);
    for (int64_t i = 0; i < 16; i++) {
        double found = number(&lab, RESULT, i);
        cr_assert(found == edge->expected || (isnan(found) && isnan(edge->expected)), "%s: %g", edge->label, found);
        if (numeric != COMPILE_SHADOW) continue;
        TowerPayload payload = lab_payload(&lab, RESULT, TIR_TYPE_f32, (uint64_t)i);
        if (edge->payload_is_nan) {
            cr_assert_eq(payload.state & TOWER_KIND, tower_embed_double(t, NAN).state & TOWER_KIND, "%s", edge->label);
            continue;
        }
        // Beside an IEEE infinity that comes of overflow the payload is the number's.
        double exact = isinf(edge->expected) && edge->element == TIR_TYPE_f8E4M3FN ? 64 : edge->expected;
        cr_assert(lab_same_payload(payload, tower_embed_double(t, exact)), "%s", edge->label);
    }
    lab_close(&lab);
}

Test(scaled, edges) {
    for (size_t i = 0; i < BASE_COUNT(edges); i++) {
        run_edge(&edges[i], COMPILE_IEEE);
        run_edge(&edges[i], COMPILE_SHADOW);
    }
}
