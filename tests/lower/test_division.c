// SPDX-License-Identifier: Apache-2.0
// Integer division and remainder: every width, sign and rounding, tiles and scalars, constant divisors, and what stops
// the block.
#include "tests/lower/lab.h"

enum { COUNT = 256 };

typedef struct DivisionCase {
    TirOpKind op;
    bool is_signed;
    uint64_t rounding;
} DivisionCase;

static const DivisionCase divisions[] = {
    {TIR_OP_divi, false, TIR_rounding_zero},
    {TIR_OP_divi, true, TIR_rounding_zero},
    {TIR_OP_divi, false, TIR_rounding_positive_inf},
    {TIR_OP_divi, true, TIR_rounding_positive_inf},
    {TIR_OP_divi, true, TIR_rounding_negative_inf},
    {TIR_OP_remi, false, 0},
    {TIR_OP_remi, true, 0},
};
static const TirTypeKind widths[] = {TIR_TYPE_i1, TIR_TYPE_i8, TIR_TYPE_i16, TIR_TYPE_i32, TIR_TYPE_i64};

static uint64_t mask_of(unsigned bits) {
    return bits == 64 ? UINT64_MAX : (1ull << bits) - 1;
}

static __int128 read_as(uint64_t bits, unsigned width, bool is_signed) {
    bits &= mask_of(width);
    if (!is_signed || !(bits >> (width - 1) & 1)) return bits;
    return (__int128)bits - ((__int128)1 << width);
}

// The exact quotient, rounded as told; or the remainder of the one toward zero.
static uint64_t expected(const DivisionCase *c, unsigned width, uint64_t a, uint64_t b) {
    __int128 x = read_as(a, width, c->is_signed), y = read_as(b, width, c->is_signed);
    __int128 q = x / y, r = x % y;
    if (c->op == TIR_OP_remi) return (uint64_t)r & mask_of(width);
    if (c->rounding == TIR_rounding_positive_inf && r && (r < 0) == (y < 0)) q++;
    if (c->rounding == TIR_rounding_negative_inf && r && (r < 0) != (y < 0)) q--;
    return (uint64_t)q & mask_of(width);
}

static bool is_undefined(const DivisionCase *c, unsigned width, uint64_t a, uint64_t b) {
    uint64_t mask = mask_of(width);
    if (!(b & mask)) return true;
    return c->op == TIR_OP_divi && c->is_signed && (b & mask) == mask && (a & mask) == 1ull << (width - 1);
}

static TirValue divide(Lab *lab, const DivisionCase *c, TirType type, TirValue a, TirValue b) {
    TirOp *op = lab_op(lab, c->op, 1, &type, 2, (TirValue[]){a, b}, NULL);
    lab_set(op, "signedness", c->is_signed ? TIR_signedness_signed : TIR_signedness_unsigned);
    if (c->op == TIR_OP_divi) lab_set(op, "rounding", c->rounding);
    return tir_result(op, 0);
}

static uint64_t interesting(unsigned width, uint64_t *state) {
    uint64_t top = 1ull << (width - 1), bits = lab_random(state);
    const uint64_t edges[] = {0, 1, 2, 3, top, top - 1, top + 1, UINT64_MAX, UINT64_MAX - 1};
    switch (lab_random(state) % 4) {
    case 0: bits = edges[bits % BASE_COUNT(edges)]; break;
    case 1: bits >>= lab_random(state) % 64; break;
    case 2: bits = ~(bits >> lab_random(state) % 64); break;
    default: break;
    }
    return bits & mask_of(width);
}

typedef enum DivisionForm { TILE, BY_CONSTANT, SCALAR } DivisionForm;

static void run_division(const DivisionCase *c, TirTypeKind kind, DivisionForm form, const char *cpu) {
    TirTypeKind kinds[] = {kind, kind, kind};
    unsigned width = tir_type_rows[kind].bits;
    int64_t count = form == SCALAR ? 1 : COUNT;
    uint64_t constant = width == 1 ? 1 : 7, state = 3 * width;
    if (form == BY_CONSTANT && c->is_signed && width == 1) return; // 1 is -1: what it overflows for is tested below
    Lab lab = lab_open(3, kinds);
    TirType type = lab_tile(&lab, kind, 1, &count);
    TirValue a = lab_load(&lab, 0, 1, &count),
             b = form == BY_CONSTANT ? lab_constant(&lab, type, constant) : lab_load(&lab, 1, 1, &count);
    lab_store(&lab, 2, divide(&lab, c, type, a, b));
    lab_return(&lab);
    cr_assert(lab_compile(&lab, COMPILE_IEEE, FPSAN_CASTS_MIX, cpu), "%s",
              lab.diagnostics.count ? lab.diagnostics.items[0].message : "");
    for (int round = 0; round < (form == SCALAR ? 100 : 4); round++) {
        for (uint64_t i = 0; i < (uint64_t)count; i++) {
            uint64_t x, y;
            do {
                x = interesting(width, &state);
                y = form == BY_CONSTANT ? constant : interesting(width, &state);
            } while (is_undefined(c, width, x, y));
            lab_put(&lab, 0, kind, i, x);
            lab_put(&lab, 1, kind, i, y);
        }
        cr_assert(lab_run(&lab));
        for (uint64_t i = 0; i < (uint64_t)count; i++) {
            uint64_t x = lab_get(&lab, 0, kind, i), y = form == BY_CONSTANT ? constant : lab_get(&lab, 1, kind, i);
            cr_assert_eq(lab_get(&lab, 2, kind, i), expected(c, width, x, y),
                         "%s %s %s rounding %d form %d: %lx by %lx is %lx, expected %lx",
                         c->op == TIR_OP_remi ? "remi" : "divi", tir_type_rows[kind].name,
                         c->is_signed ? "signed" : "unsigned", (int)c->rounding, (int)form, x, y,
                         lab_get(&lab, 2, kind, i), expected(c, width, x, y));
        }
    }
    lab_close(&lab);
}

Test(division, values) {
    for (size_t c = 0; c < BASE_COUNT(divisions); c++)
        for (size_t w = 0; w < BASE_COUNT(widths); w++)
            for (DivisionForm form = TILE; form <= SCALAR; form++) run_division(&divisions[c], widths[w], form, NULL);
}

Test(division, plain_x86) {
    for (size_t c = 0; c < BASE_COUNT(divisions); c++)
        for (size_t w = 0; w < BASE_COUNT(widths); w++) run_division(&divisions[c], widths[w], TILE, "x86-64");
}

// Element `bad` is MIN by `divisor`.
static void check_fault(Lab *lab, const DivisionCase *division, TirTypeKind kind, int64_t count, int64_t bad,
                        uint64_t divisor) {
    const unsigned width = tir_type_rows[kind].bits;
    const uint64_t least = 1ull << (width - 1);
    for (int64_t i = 0; i < count; i++) {
        lab_put(lab, 0, kind, (uint64_t)i, i == bad ? least : 0);
        lab_put(lab, 1, kind, (uint64_t)i, i == bad ? divisor : 1);
    }
    const bool stops = is_undefined(division, width, least, divisor);
    cr_assert_eq(lab_run(lab), !stops, "%s width %u by %lx", tir_op_info(division->op)->name, width, divisor);
    if (stops) {
        cr_assert_eq(lab->compiled->kernels[0].sites[lab->site - 1].kind, HOST_SITE_DIVIDE);
        cr_assert_eq(lab->fault.found, bad);
    } else if (division->op == TIR_OP_remi) {
        cr_assert_eq(lab_get(lab, 2, kind, (uint64_t)bad), expected(division, width, least, divisor));
    }
}

// Element 37 of the tile (or the only one) divides by zero, or MIN by -1.
Test(division, faults) {
    for (size_t c = 0; c < BASE_COUNT(divisions); c++)
        for (size_t w = 0; w < BASE_COUNT(widths); w++)
            for (int one = 0; one < 2; one++) {
                const DivisionCase *division = &divisions[c];
                TirTypeKind kind = widths[w], kinds[] = {kind, kind, kind};
                int64_t count = one ? 1 : 64, bad = one ? 0 : 37;
                Lab lab = lab_open(3, kinds);
                TirType type = lab_tile(&lab, kind, 1, &count);
                TirValue a = lab_load(&lab, 0, 1, &count), b = lab_load(&lab, 1, 1, &count);
                lab_store(&lab, 2, divide(&lab, division, type, a, b));
                lab_return(&lab);
                cr_assert(lab_compile(&lab, COMPILE_PAYLOAD, FPSAN_CASTS_MIX, NULL));
                check_fault(&lab, division, kind, count, bad, 0);
                check_fault(&lab, division, kind, count, bad, mask_of(tir_type_rows[kind].bits));
                lab_close(&lab);
            }
}
