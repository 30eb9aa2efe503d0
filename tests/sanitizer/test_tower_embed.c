// SPDX-License-Identifier: Apache-2.0
// Emitted code embeds floats and integers as scalar code does, with products of 52 bits and without: random ones, and
// multiples of the primes, which are 0 in a field.
#include "tests/sanitizer/random_bits.h"
#include "tests/sanitizer/test_tower_jit.h"
#include "tests/sanitizer/tower_rows.h"

#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

enum { LANES_MAX = 16, RANDOM = 500, PARTS_MAX = TOWER_LENGTH_MAX + 1 };

typedef struct Source {
    const char *name;
    FpsanFormat format;
    unsigned bits; // of integers; 0: floats
    bool is_signed;
} Source;
static const Source sources[] = {
    {"f64", FPSAN_F64, 0, true},  {"f32", FPSAN_F32, 0, true},   {"tf32", FPSAN_TF32, 0, true},
    {"f16", FPSAN_F16, 0, true},  {"bf16", FPSAN_BF16, 0, true}, {"i32", FPSAN_F32, 32, true},
    {"i64", FPSAN_F32, 64, true}, {"u32", FPSAN_F32, 32, false}, {"u64", FPSAN_F32, 64, false}};
enum { SOURCES = sizeof sources / sizeof *sources };

typedef struct Check {
    const Source *source;
    const Tower *tower;
    TowerJitFunction *function;
    unsigned lanes; // 0: a scalar
    bool wide;      // products of 52 bits
    unsigned count; // of numbers that wait
    unsigned zeros; // components that were 0, of numbers that are not 0
    uint64_t numbers[2 * LANES_MAX];
} Check;

static void add_source(TowerJit *jit, const Source *source, unsigned lanes) {
    LLVMValueRef parameters[3];
    tower_jit_begin(jit, source->name, parameters);
    const unsigned bits = source->bits ? source->bits : fpsan_format_info(source->format)->lane_bits;
    LLVMValueRef number = tower_jit_load(jit, parameters[1], 64, bits, 0, lanes);
    TowerValue result = source->bits ? tower_emit_integer(tower_jit_emit(jit), number, source->is_signed)
                                     : tower_emit_embed(tower_jit_emit(jit), source->format, number);
    tower_jit_store_value(jit, parameters[2], lanes, &result);
    tower_jit_end(jit);
}

static TowerPayload embed_scalar(const Check *x, uint64_t number) {
    const Source *source = x->source;
    return source->bits ? tower_embed_integer(x->tower, number, source->bits, source->is_signed)
                        : tower_embed(x->tower, source->format, number);
}

static void run_waiting(Check *x) {
    const unsigned lanes = x->lanes ? x->lanes : 1, length = x->tower->length;
    uint32_t result[PARTS_MAX * LANES_MAX];
    if (!x->count) return;
    x->function(NULL, x->numbers, result);
    for (unsigned lane = 0; lane < x->count; lane++) {
        TowerPayload r = {.state = result[length * lanes + lane]}, expected = embed_scalar(x, x->numbers[lane]);
        for (unsigned i = 0; i < length; i++) {
            r.component[i] = result[i * lanes + lane];
            x->zeros += !expected.component[i] && memcmp(&expected, &x->tower->zero, sizeof expected);
        }
        char text[2][TOWER_TEXT_BYTES];
        tower_row_text(x->tower, r, text[0]);
        tower_row_text(x->tower, expected, text[1]);
        cr_expect(!memcmp(&r, &expected, sizeof r), "tower %u, %s%s, %u lanes, %#llx: %s, expected %s",
                  x->tower->number, x->source->name, x->wide ? " with products of 52 bits" : "", x->lanes,
                  (unsigned long long)x->numbers[lane], text[0], text[1]);
    }
    x->count = 0;
}

static void add_number(Check *x, uint64_t number) {
    x->numbers[x->count++] = number;
    if (x->count == (x->lanes ? x->lanes : 1)) run_waiting(x);
}

static void add_float(Check *x, uint64_t mantissa, int exponent) {
    const FpsanFormat format = x->source->format;
    const double value = ldexp((double)mantissa, exponent);
    const uint64_t bits = fpsan_encode(format, value, FPSAN_NEAREST_EVEN);
    if (fpsan_decode(format, bits) != value) return; // too large, or a subnormal number with fewer bits
    add_number(x, bits);
    add_number(x, bits ^ fpsan_layout(format).sign);
}

// Multiples of the primes that the source's numbers have room for, with exponents from the least to the largest.
static void add_multiples(Check *x, uint32_t p) {
    static const unsigned factors[] = {1, 2, 3, 5, 1021};
    enum { FACTORS = sizeof factors / sizeof *factors, STEPS = 24 };
    const FpsanLayout layout = fpsan_layout(x->source->format);
    const int first = layout.emin - (int)layout.mantissa, last = -layout.emin + 1 - (int)layout.mantissa;
    for (unsigned k = 0; k < FACTORS; k++) {
        const uint64_t multiple = (uint64_t)p * factors[k];
        if (x->source->bits) {
            add_number(x, multiple & fpsan_mask(x->source->bits));
            add_number(x, -multiple & fpsan_mask(x->source->bits));
            continue;
        }
        if (multiple >> (layout.mantissa + 1)) continue;
        for (int step = 0; step <= STEPS; step++) add_float(x, multiple, first + (last - first) * step / STEPS);
        for (int near = -2; near <= 2; near++) add_float(x, multiple, near);
    }
}

static void check_source(Check *x) {
    uint64_t state = x->lanes;
    for (unsigned i = 0; i < RANDOM; i++)
        add_number(x,
                   x->source->bits ? random_integer(&state, x->source->bits) : random_bits(&state, x->source->format));
    run_waiting(x);
    x->zeros = 0;
    for (unsigned i = 0; i < x->tower->length; i++) add_multiples(x, x->tower->prime[i].p);
    run_waiting(x);
    const bool has_room = x->source->format == FPSAN_F64 || x->source->format == FPSAN_F32;
    cr_expect(x->zeros >= (has_room ? 10 : 0), "%s: %u", x->source->name, x->zeros);
}

static void check_tower(unsigned tower, unsigned lanes, bool wide, const char *cpu) {
    TowerJit *jit = tower_jit_open((TowerJitOptions){.chain = tower, .optimize = true, .cpu = cpu, .wide = wide});
    for (unsigned i = 0; i < SOURCES; i++) add_source(jit, &sources[i], lanes);
    for (unsigned i = 0; i < SOURCES; i++) {
        Check x = {.source = &sources[i], .tower = tower_chain(tower), .lanes = lanes, .wide = wide};
        x.function = (TowerJitFunction *)tower_jit_find(jit, sources[i].name);
        check_source(&x);
    }
    tower_jit_close(jit);
}

static bool has_embedding(unsigned tower) {
    return !tower_chain(tower)->degrees && !tower_chain(tower)->plain;
}

Test(tower_embed, scalars) {
    for (unsigned tower = 0; tower < TOWER_ALL; tower++)
        if (has_embedding(tower)) check_tower(tower, 0, false, NULL);
}
Test(tower_embed, lanes) {
    for (unsigned tower = 0; tower < TOWER_ALL; tower++)
        if (has_embedding(tower)) check_tower(tower, 16, false, NULL);
}
Test(tower_embed, lanes_of_the_oldest_processor) {
    check_tower(0, 8, false, "");
}
Test(tower_embed, products_of_52_bits) {
    for (unsigned tower = 0; tower < TOWER_ALL; tower++)
        if (has_embedding(tower)) check_tower(tower, tower % 2 ? 8 : 16, true, NULL);
}
