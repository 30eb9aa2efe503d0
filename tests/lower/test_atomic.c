// SPDX-License-Identifier: Apache-2.0
// Atomic read-modify-write and compare-and-swap: results, old values, masks, payloads, faults.
#include "tests/lower/lab.h"

#include <string.h>

enum { COUNT = 16 };

static TirValue mask_of(Lab *lab, uint32_t argument) {
    return lab_load(lab, argument, 1, (int64_t[]){COUNT});
}

// atomic op (cmp and val, or arg) on elements 0.. of buffer 0; its old values go to the last buffer.
static TirOp *atomic(Lab *lab, TirOpKind kind, TirTypeKind element, uint32_t count, const TirValue *operands,
                     TirValue mask) {
    TirType tile = lab_tile(lab, element, 1, (int64_t[]){COUNT});
    TirType results[2] = {tile, tir_type_scalar(lab->module, TIR_TYPE_token)};
    TirValue all[5] = {lab_pointers(lab, 0, 0, COUNT)};
    memcpy(all + 1, operands, count * sizeof *operands);
    all[1 + count] = mask;
    uint32_t segments[TIR_OPERANDS_MAX] = {1, 1, 1, 1, 0};
    segments[1 + count] = mask != TIR_NO_VALUE;
    segments[2 + count] = 0;
    TirOp *op = lab_op(lab, kind, 2, results, 1 + count + (mask != TIR_NO_VALUE), all, segments);
    lab_set(op, "ordering", TIR_memory_ordering_acq_rel);
    lab_set(op, "scope", TIR_memory_scope_device);
    return op;
}

static void compile(Lab *lab, CompileNumeric numeric) {
    lab_return(lab);
    cr_assert(lab_compile(lab, numeric, FPSAN_CASTS_MIX, NULL), "%s", lab->diagnostics.items[0].message);
}

typedef struct ModeCase {
    uint64_t mode;
    uint32_t memory, argument, result;
} ModeCase;
static const ModeCase modes[] = {
    {TIR_atomic_mode_and, 0xf0f0, 0xff00, 0xf000},
    {TIR_atomic_mode_or, 0xf0f0, 0xff00, 0xfff0},
    {TIR_atomic_mode_xor, 0xf0f0, 0xff00, 0x0ff0},
    {TIR_atomic_mode_add, 0xffffffff, 3, 2},
    {TIR_atomic_mode_max, 0xffffffff, 3, 3},
    {TIR_atomic_mode_min, 0xffffffff, 3, 0xffffffff},
    {TIR_atomic_mode_umax, 0xffffffff, 3, 0xffffffff},
    {TIR_atomic_mode_umin, 0xffffffff, 3, 3},
    {TIR_atomic_mode_xchg, 7, 9, 9},
};

Test(atomic, integer_modes_with_a_mask) {
    for (size_t m = 0; m < BASE_COUNT(modes); m++) {
        TirTypeKind kinds[] = {TIR_TYPE_i32, TIR_TYPE_i32, TIR_TYPE_i1, TIR_TYPE_i32};
        Lab lab = lab_open(4, kinds);
        TirValue argument = lab_load(&lab, 1, 1, (int64_t[]){COUNT});
        TirOp *op = atomic(&lab, TIR_OP_atomic_rmw_tko, TIR_TYPE_i32, 1, &argument, mask_of(&lab, 2));
        lab_set(op, "mode", modes[m].mode);
        lab_store(&lab, 3, tir_result(op, 0));
        compile(&lab, COMPILE_PAYLOAD);
        for (uint64_t i = 0; i < COUNT; i++) {
            lab_put(&lab, 0, TIR_TYPE_i32, i, modes[m].memory);
            lab_put(&lab, 1, TIR_TYPE_i32, i, modes[m].argument);
            lab_put(&lab, 2, TIR_TYPE_i1, i, i % 3 != 0);
        }
        cr_assert(lab_run(&lab));
        for (uint64_t i = 0; i < COUNT; i++) {
            cr_assert_eq(lab_get(&lab, 0, TIR_TYPE_i32, i), i % 3 ? modes[m].result : modes[m].memory, "mode %zu", m);
            if (i % 3) cr_assert_eq(lab_get(&lab, 3, TIR_TYPE_i32, i), modes[m].memory);
        }
        cr_assert_not(lab.compiled->kernels[0].sequential);
        lab_close(&lab);
    }
}

// Payloads of buffer 0, the sums, and of buffer 2, the old values.
static void check_shadow_sum(Lab *lab, FpsanFormat format, uint64_t i, uint64_t a, uint64_t b) {
    const Tower *t = tower_chain(0);
    TowerPayload x = tower_embed(t, format, a), y = tower_embed(t, format, b), sum = tower_add(t, x, y);
    sum.state |= format == FPSAN_F16 ? TOWER_PASSED_11 : format == FPSAN_BF16 ? TOWER_PASSED_8 : 0; // it was rounded
    sum.state |= format == FPSAN_F16 ? TOWER_PASSED_11 : format == FPSAN_BF16 ? TOWER_PASSED_8 : 0; // it was rounded
    HostRecord record;
    cr_assert(lab_record(lab, 0, lab->kinds[0], i, &record) && lab_record(lab, 2, lab->kinds[2], i, &record));
    cr_assert(lab_same_payload(lab_payload(lab, 0, lab->kinds[0], i), sum));
    cr_assert(lab_same_payload(lab_payload(lab, 2, lab->kinds[2], i), x));
}

// The sum is the numeric's: of payloads in payload arithmetic, of floats rounded once in IEEE; in shadow arithmetic
// both.
Test(atomic, float_addition) {
    static const CompileNumeric numerics[] = {COMPILE_IEEE, COMPILE_PAYLOAD, COMPILE_SHADOW};
    static const TirTypeKind elements[] = {TIR_TYPE_f16, TIR_TYPE_bf16, TIR_TYPE_f32, TIR_TYPE_f64};
    for (size_t n = 0; n < BASE_COUNT(numerics); n++)
        for (size_t k = 0; k < BASE_COUNT(elements); k++) {
            TirTypeKind kinds[] = {elements[k], elements[k], elements[k]};
            FpsanFormat format = lab_format(elements[k]);
            Lab lab = lab_open(3, kinds);
            TirValue argument = lab_load(&lab, 1, 1, (int64_t[]){COUNT});
            TirOp *op = atomic(&lab, TIR_OP_atomic_rmw_tko, elements[k], 1, &argument, TIR_NO_VALUE);
            lab_set(op, "mode", TIR_atomic_mode_addf);
            lab_store(&lab, 2, tir_result(op, 0));
            compile(&lab, numerics[n]);
            cr_assert_eq(lab.compiled->kernels[0].sequential, numerics[n] != COMPILE_PAYLOAD);
            uint64_t a[COUNT], b[COUNT];
            for (uint64_t i = 0; i < COUNT; i++) {
                a[i] = fpsan_encode_nearest(format, 0.75 * (double)i - 3);
                b[i] = fpsan_encode_nearest(format, 1.0 / (double)(i + 3));
                lab_put(&lab, 0, elements[k], i, a[i]);
                lab_put(&lab, 1, elements[k], i, b[i]);
            }
            cr_assert(lab_run(&lab));
            const FpsanProfile *profile = fpsan_default_algebra().profile;
            for (uint64_t i = 0; i < COUNT; i++) {
                uint64_t payloads[2] = {fpsan_embed(profile, format, a[i]), fpsan_embed(profile, format, b[i])};
                uint64_t sum =
                    fpsan_unembed(profile, format,
                                  (payloads[0] + payloads[1]) & ~0ull >> (64 - fpsan_format_info(format)->ring_bits));
                uint64_t rounded =
                    fpsan_encode_nearest(format, fpsan_decode(format, a[i]) + fpsan_decode(format, b[i]));
                if (numerics[n] != COMPILE_PAYLOAD) cr_assert_eq(lab_get(&lab, 0, elements[k], i), rounded);
                if (numerics[n] == COMPILE_PAYLOAD) cr_assert_eq(lab_get(&lab, 0, elements[k], i), sum);
                if (numerics[n] == COMPILE_SHADOW) check_shadow_sum(&lab, format, i, a[i], b[i]);
                cr_assert_eq(lab_get(&lab, 2, elements[k], i), a[i], "old value");
            }
            lab_close(&lab);
        }
}

// Elements that hold what is expected are swapped, bits compared: -0 is not 0. A masked-off element gives what it was
// compared with.
Test(atomic, compare_and_swap) {
    static const TirTypeKind elements[] = {TIR_TYPE_i32, TIR_TYPE_i64, TIR_TYPE_f32, TIR_TYPE_f64};
    for (size_t k = 0; k < BASE_COUNT(elements); k++) {
        TirTypeKind kinds[] = {elements[k], elements[k], elements[k], TIR_TYPE_i1, elements[k]};
        uint64_t top = 1ull << (tir_type_rows[elements[k]].bits - 1);
        Lab lab = lab_open(5, kinds);
        TirValue operands[2] = {lab_load(&lab, 1, 1, (int64_t[]){COUNT}), lab_load(&lab, 2, 1, (int64_t[]){COUNT})};
        TirOp *op = atomic(&lab, TIR_OP_atomic_cas_tko, elements[k], 2, operands, mask_of(&lab, 3));
        lab_store(&lab, 4, tir_result(op, 0));
        compile(&lab, k % 2 ? COMPILE_SHADOW : COMPILE_IEEE);
        for (uint64_t i = 0; i < COUNT; i++) {
            lab_put(&lab, 0, elements[k], i, i % 2 ? top : 0);
            lab_put(&lab, 1, elements[k], i, 0);
            lab_put(&lab, 2, elements[k], i, 1 + i);
            lab_put(&lab, 3, TIR_TYPE_i1, i, i < 12);
        }
        cr_assert(lab_run(&lab));
        for (uint64_t i = 0; i < COUNT; i++) {
            uint64_t before = i % 2 ? top : 0;
            cr_assert_eq(lab_get(&lab, 0, elements[k], i), i < 12 && before == 0 ? 1 + i : before);
            cr_assert_eq(lab_get(&lab, 4, elements[k], i), i < 12 ? before : 0);
        }
        lab_close(&lab);
    }
}

Test(atomic, addresses_are_checked) {
    TirTypeKind kinds[] = {TIR_TYPE_f32, TIR_TYPE_f32};
    Lab lab = lab_open(2, kinds);
    TirValue argument = lab_load(&lab, 1, 1, (int64_t[]){COUNT});
    TirOp *op = atomic(&lab, TIR_OP_atomic_rmw_tko, TIR_TYPE_f32, 1, &argument, TIR_NO_VALUE);
    lab_set(op, "mode", TIR_atomic_mode_addf);
    compile(&lab, COMPILE_IEEE);
    cr_assert(lab_run(&lab));
    lab_shrink(&lab, 0, 4 * COUNT - 4);
    cr_assert_not(lab_run(&lab));
    cr_assert_eq(lab.compiled->kernels[0].sites[lab.site - 1].kind, HOST_SITE_BOUNDS);
    cr_assert_eq(lab.fault.address, lab.ranges[0].begin + 4 * (COUNT - 1));
    lab_close(&lab);
}
