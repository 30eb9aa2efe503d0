// SPDX-License-Identifier: Apache-2.0
// Loads and stores through pointers: orders, masks, padding, and accesses outside the buffer.
#include "tests/lower/lab.h"

#include <string.h>

enum { COUNT = 64 };

static const TirTypeKind element_kinds[] = {TIR_TYPE_i1,  TIR_TYPE_i8,   TIR_TYPE_i16,     TIR_TYPE_i32,
                                            TIR_TYPE_i64, TIR_TYPE_f16,  TIR_TYPE_f32,     TIR_TYPE_bf16,
                                            TIR_TYPE_f64, TIR_TYPE_tf32, TIR_TYPE_f8E4M3FN};

// Bits that are an element of the kind: what comes back is what went in.
static uint64_t element_bits(TirTypeKind kind, uint64_t *state) {
    uint64_t bits = lab_random(state);
    unsigned size = tir_type_rows[kind].storage_bytes;
    if (kind == TIR_TYPE_i1) return bits & 1;
    if (kind == TIR_TYPE_tf32) return bits & 0xFFFFE000u;
    return size == 8 ? bits : bits & ((1ull << 8 * size) - 1);
}

// The pointers of an argument at these indices.
static TirValue pointers_at(Lab *lab, uint32_t argument, TirValue indices) {
    int64_t count = tir_tile_elements(lab->module, tir_value_type(lab->module->functions, indices)), one = 1;
    TirTypeKind kind = lab->kinds[argument];
    TirValue pointer = lab_argument(lab, argument);
    pointer = lab_value(lab, TIR_OP_reshape, lab_pointer_tile(lab, kind, 1, &one), 1, &pointer);
    pointer = lab_value(lab, TIR_OP_broadcast, lab_pointer_tile(lab, kind, 1, &count), 1, &pointer);
    return lab_value(lab, TIR_OP_offset, lab_pointer_tile(lab, kind, 1, &count), 2, (TirValue[]){pointer, indices});
}

// The same pointers, their origin forgotten.
static TirValue forget_origin(Lab *lab, TirValue pointers) {
    TirType type = tir_value_type(lab->module->functions, pointers);
    int64_t count = tir_tile_elements(lab->module, type);
    uint32_t rank = tir_type(lab->module, type)->rank;
    TirValue integers = lab_value(lab, TIR_OP_ptr_to_int, lab_tile(lab, TIR_TYPE_i64, rank, &count), 1, &pointers);
    return lab_value(lab, TIR_OP_int_to_ptr, type, 1, &integers);
}

static void compile(Lab *lab, CompileNumeric numeric, const char *label) {
    lab_return(lab);
    cr_assert(lab_compile(lab, numeric, FPSAN_CASTS_MIX, NULL), "%s: %s", label,
              lab->diagnostics.count ? lab->diagnostics.items[0].message : "");
}

// ---- what is read and written ---------------------------------------------------------------------------------------

// result[7i + 3] = source[5i + 1] where 5i + 1 < 40 (mod COUNT); padding or nothing elsewhere.
static void run_scatter(TirTypeKind kind, int64_t count, CompileNumeric numeric, bool padded, bool known) {
    const char *label = tir_type_rows[kind].name;
    TirTypeKind kinds[] = {kind, kind};
    Lab lab = lab_open(2, kinds);
    TirType type = lab_tile(&lab, kind, 1, &count), integers = lab_tile(&lab, TIR_TYPE_i32, 1, &count);
    uint64_t state = 11, one = element_bits(kind, &state) | 1;
    TirValue from = lab_scrambled(&lab, count, 5, 1, COUNT), to = lab_scrambled(&lab, count, 7, 3, COUNT);
    TirValue mask = lab_less(&lab, from, lab_constant(&lab, integers, 40));
    TirValue source = pointers_at(&lab, 0, from), target = pointers_at(&lab, 1, to);
    if (!known) {
        source = forget_origin(&lab, source);
        target = forget_origin(&lab, target);
    }
    if (kind == TIR_TYPE_tf32) one &= 0xFFFFE000u;
    TirValue padding = padded ? lab_constant(&lab, type, one) : TIR_NO_VALUE;
    TirValue value = tir_result(lab_load_op(&lab, source, type, mask, padding), 0);
    lab_store_op(&lab, target, value, padded ? TIR_NO_VALUE : mask);
    compile(&lab, numeric, label);
    uint64_t size = tir_type_rows[kind].storage_bytes;
    lab_shrink(&lab, 0, 40 * size); // masked lanes would lie outside
    lab_shrink(&lab, 1, COUNT * size);
    uint64_t source_bits[COUNT], result_bits[COUNT];
    for (uint64_t i = 0; i < 40; i++) lab_put(&lab, 0, kind, i, source_bits[i] = element_bits(kind, &state));
    for (uint64_t i = 0; i < COUNT; i++) lab_put(&lab, 1, kind, i, result_bits[i] = element_bits(kind, &state));
    for (uint64_t i = 0; i < (uint64_t)count; i++) {
        uint64_t at = (5 * i + 1) % COUNT;
        if (at < 40 || padded) result_bits[(7 * i + 3) % COUNT] = at < 40 ? source_bits[at] : one;
    }
    cr_assert(lab_run(&lab), "%s", label);
    for (uint64_t i = 0; i < COUNT; i++)
        cr_assert_eq(lab_get(&lab, 1, kind, i), result_bits[i],
                     "%s: element %lu of %ld, numeric %d, padded %d, known %d", label, i, (long)count, (int)numeric,
                     padded, known);
    lab_close(&lab);
}

Test(pointer, scatter) {
    static const int64_t counts[] = {1, 2, 8, 64};
    unsigned number = 0;
    for (size_t k = 0; k < BASE_COUNT(element_kinds); k++)
        for (size_t c = 0; c < BASE_COUNT(counts); c++, number++)
            for (int how = 0; how < 2; how++)
                run_scatter(element_kinds[k], counts[c], (CompileNumeric)((number + (unsigned)how) % 3), how,
                            number % 2);
}

// Consecutive, all active: whole vectors; and 2 bytes off any alignment.
Test(pointer, consecutive) {
    for (int known = 0; known < 2; known++)
        for (size_t k = 0; k < BASE_COUNT(element_kinds); k++) {
            TirTypeKind kind = element_kinds[k], kinds[] = {kind, kind};
            Lab lab = lab_open(2, kinds);
            TirType type = lab_tile(&lab, kind, 1, (int64_t[]){COUNT});
            TirValue source = lab_pointers(&lab, 0, 0, COUNT), target = lab_pointers(&lab, 1, 0, COUNT);
            if (!known) {
                source = forget_origin(&lab, source);
                target = forget_origin(&lab, target);
            }
            lab_store_op(&lab, target, tir_result(lab_load_op(&lab, source, type, TIR_NO_VALUE, TIR_NO_VALUE), 0),
                         TIR_NO_VALUE);
            compile(&lab, COMPILE_PAYLOAD, tir_type_rows[kind].name);
            uint64_t size = tir_type_rows[kind].storage_bytes, state = k;
            for (uint32_t b = 0; b < 2; b++) {
                lab_shrink(&lab, b, COUNT * size + 2);
                lab.ranges[b].end = lab.ranges[b].begin + COUNT * size;
            }
            for (uint64_t i = 0; i < COUNT; i++) lab_put(&lab, 0, kind, i, element_bits(kind, &state));
            cr_assert(lab_run(&lab));
            cr_assert_eq(memcmp(lab_bytes(&lab, 0), lab_bytes(&lab, 1), COUNT * size), 0, "%s",
                         tir_type_rows[kind].name);
            lab_close(&lab);
        }
}

// Consecutive, the first 21 active: the others are neither read nor written although they lie in the buffer.
Test(pointer, masked_consecutive) {
    enum { ACTIVE = 21 };
    for (int padded = 0; padded < 2; padded++)
        for (size_t k = 0; k < BASE_COUNT(element_kinds); k++) {
            TirTypeKind kind = element_kinds[k], kinds[] = {kind, kind};
            Lab lab = lab_open(2, kinds);
            int64_t count = COUNT;
            TirType type = lab_tile(&lab, kind, 1, &count);
            TirValue mask = lab_less(&lab, lab_iota(&lab, count),
                                     lab_constant(&lab, lab_tile(&lab, TIR_TYPE_i32, 1, &count), ACTIVE));
            TirValue padding =
                padded ? lab_constant(&lab, type, 1) : TIR_NO_VALUE; // tf32: its low bits are none, so this is 0 there
            TirValue value = tir_result(lab_load_op(&lab, lab_pointers(&lab, 0, 0, count), type, mask, padding), 0);
            lab_store_op(&lab, lab_pointers(&lab, 1, 0, count), value, padded ? TIR_NO_VALUE : mask);
            compile(&lab, COMPILE_PAYLOAD, tir_type_rows[kind].name);
            uint64_t state = k;
            for (uint32_t b = 0; b < 2; b++)
                for (uint64_t i = 0; i < COUNT; i++) lab_put(&lab, b, kind, i, element_bits(kind, &state));
            uint64_t last = lab_get(&lab, 1, kind, COUNT - 1), padding_bits = kind == TIR_TYPE_tf32 ? 0 : 1;
            cr_assert(lab_run(&lab));
            for (uint64_t i = 0; i < ACTIVE; i++)
                cr_assert_eq(lab_get(&lab, 1, kind, i), lab_get(&lab, 0, kind, i), "%s: element %lu",
                             tir_type_rows[kind].name, i);
            cr_assert_eq(lab_get(&lab, 1, kind, COUNT - 1), padded ? padding_bits : last, "%s: padded %d",
                         tir_type_rows[kind].name, padded);
            lab_close(&lab);
        }
}

// A byte of an i1 that is not 0 or 1 is true, and is written as 1.
Test(pointer, truth) {
    TirTypeKind kinds[] = {TIR_TYPE_i1, TIR_TYPE_i1};
    Lab lab = lab_open(2, kinds);
    lab_store(&lab, 1, lab_load(&lab, 0, 1, (int64_t[]){4}));
    compile(&lab, COMPILE_IEEE, "i1");
    memcpy(lab_bytes(&lab, 0), "\x02\x00\xFF\x80", 4);
    cr_assert(lab_run(&lab));
    cr_assert_eq(memcmp(lab_bytes(&lab, 1), "\1\0\1\1", 4), 0);
    lab_close(&lab);
}

// Lanes that store to one address: the last one stays.
Test(pointer, same_address) {
    TirTypeKind kinds[] = {TIR_TYPE_i32};
    Lab lab = lab_open(1, kinds);
    int64_t count = COUNT;
    TirValue zero = lab_constant(&lab, lab_tile(&lab, TIR_TYPE_i32, 1, &count), 0);
    lab_store_op(&lab, pointers_at(&lab, 0, zero), lab_iota(&lab, count), TIR_NO_VALUE);
    compile(&lab, COMPILE_IEEE, "same");
    cr_assert(lab_run(&lab));
    cr_assert_eq(lab_get(&lab, 0, TIR_TYPE_i32, 0), COUNT - 1);
    lab_close(&lab);
}

// Relaxed, acquire and release accesses move the same bits.
Test(pointer, atomic) {
    for (size_t k = 0; k < BASE_COUNT(element_kinds); k++) {
        TirTypeKind kind = element_kinds[k], kinds[] = {kind, kind};
        Lab lab = lab_open(2, kinds);
        TirType type = lab_tile(&lab, kind, 1, (int64_t[]){COUNT});
        TirOp *load = lab_load_op(&lab, lab_pointers(&lab, 0, 0, COUNT), type, TIR_NO_VALUE, TIR_NO_VALUE);
        lab_set(load, "ordering", k % 2 ? TIR_memory_ordering_acquire : TIR_memory_ordering_relaxed);
        lab_set(load, "scope", TIR_memory_scope_device);
        TirOp *store = lab_store_op(&lab, lab_pointers(&lab, 1, 0, COUNT), tir_result(load, 0), TIR_NO_VALUE);
        lab_set(store, "ordering", k % 2 ? TIR_memory_ordering_release : TIR_memory_ordering_relaxed);
        lab_set(store, "scope", TIR_memory_scope_device);
        compile(&lab, COMPILE_SHADOW, tir_type_rows[kind].name);
        uint64_t size = tir_type_rows[kind].storage_bytes, state = k;
        for (uint64_t i = 0; i < COUNT; i++) lab_put(&lab, 0, kind, i, element_bits(kind, &state));
        cr_assert(lab_run(&lab));
        cr_assert_eq(memcmp(lab_bytes(&lab, 0), lab_bytes(&lab, 1), COUNT * size), 0, "%s", tir_type_rows[kind].name);
        lab_close(&lab);
    }
}

// ---- what is refused ------------------------------------------------------------------------------------------------

typedef struct FaultCase {
    const char *label;
    bool store, known;
    int64_t first;           // element the pointers start at
    int64_t count, elements; // of the tile; of the buffer
    int64_t bad;             // element of the fault, INT64_MIN: none
} FaultCase;

static const FaultCase faults[] = {
    {"load inside", false, true, 0, 64, 64, INT64_MIN},
    {"load inside, any buffer", false, false, 0, 64, 64, INT64_MIN},
    {"load past the end", false, true, 0, 64, 60, 60},
    {"load past the end, any buffer", false, false, 0, 64, 60, 60},
    {"load below", false, true, -3, 64, 100, -3},
    {"load below, any buffer", false, false, -3, 64, 100, -3},
    {"load of one past the end", false, true, 8, 1, 8, 8},
    {"load of one past the end, any buffer", false, false, 8, 1, 8, 8},
    {"store inside", true, true, 1, 64, 65, INT64_MIN},
    {"store past the end", true, true, 1, 64, 64, 64},
    {"store past the end, any buffer", true, false, 1, 64, 64, 64},
    {"store below", true, true, -1, 16, 64, -1},
    {"store of one below, any buffer", true, false, -1, 1, 64, -1},
    {"far away", false, true, INT32_MAX, 16, 64, INT32_MAX},
    {"far away, any buffer", false, false, INT32_MIN, 16, 64, INT32_MIN},
};

Test(pointer, bounds) {
    for (size_t i = 0; i < BASE_COUNT(faults); i++) {
        const FaultCase *fault = &faults[i];
        TirTypeKind kinds[] = {TIR_TYPE_f32, TIR_TYPE_f32, TIR_TYPE_f32};
        Lab lab = lab_open(3, kinds);
        TirValue pointers = lab_pointers(&lab, 1, fault->first, fault->count);
        if (!fault->known) pointers = forget_origin(&lab, pointers);
        TirType type = lab_tile(&lab, TIR_TYPE_f32, 1, &fault->count);
        if (fault->store)
            lab_store_op(&lab, pointers, lab_constant(&lab, type, 0), TIR_NO_VALUE);
        else
            lab_store(&lab, 0, tir_result(lab_load_op(&lab, pointers, type, TIR_NO_VALUE, TIR_NO_VALUE), 0));
        compile(&lab, COMPILE_PAYLOAD, fault->label);
        // A gap on both sides: buffers that touch would hide an access of unknown origin.
        for (uint32_t b = 0; b < 3; b++) lab.ranges[b].end -= 4096;
        lab_shrink(&lab, 1, 4 * (uint64_t)fault->elements);
        bool good = fault->bad == INT64_MIN;
        cr_assert_eq(lab_run(&lab), good, "%s", fault->label);
        if (!good) {
            const KernelSite *site = &lab.compiled->kernels[0].sites[lab.site - 1];
            cr_assert_eq((int64_t)(lab.fault.address - lab.arguments[1]), 4 * fault->bad, "%s: byte %ld", fault->label,
                         (long)(lab.fault.address - lab.arguments[1]));
            cr_assert_eq(site->kind, HOST_SITE_BOUNDS);
            cr_assert_str_eq(site->op, fault->store ? "store_ptr_tko" : "load_ptr_tko");
            cr_assert_neq(site->at.line, 0);
            cr_assert(site->message);
        }
        lab_close(&lab);
    }
}
