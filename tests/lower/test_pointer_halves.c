// SPDX-License-Identifier: Apache-2.0
// Pointers to f4E2M1FN: element i from an address on is in byte i / 2, the low half if i is even.
#include "tests/lower/lab.h"

#include <stdio.h>

enum { COUNT = 64, LOADED = 40 };

static TirValue offset(Lab *lab, TirValue pointers, TirValue by) {
    TirType type = tir_value_type(lab->module->functions, pointers);
    return lab_value(lab, TIR_OP_offset, type, 2, (TirValue[]){pointers, by});
}

// The pointer of an argument, this many elements on.
static TirValue pointer_to(Lab *lab, uint32_t argument, int64_t element) {
    TirValue by = lab_constant(lab, lab_tile(lab, TIR_TYPE_i64, 0, NULL), (uint64_t)element);
    return offset(lab, lab_argument(lab, argument), by);
}

static TirValue pointers_at(Lab *lab, TirValue pointer, TirValue indices) {
    int64_t count = tir_tile_elements(lab->module, tir_value_type(lab->module->functions, indices)), one = 1;
    pointer = lab_value(lab, TIR_OP_reshape, lab_pointer_tile(lab, TIR_TYPE_f4E2M1FN, 1, &one), 1, &pointer);
    pointer = lab_value(lab, TIR_OP_broadcast, lab_pointer_tile(lab, TIR_TYPE_f4E2M1FN, 1, &count), 1, &pointer);
    return offset(lab, pointer, indices);
}

// The same pointers with an unknown origin: by way of others, that keep the half.
static TirValue forget_origin(Lab *lab, TirValue pointers) {
    TirType type = tir_value_type(lab->module->functions, pointers);
    int64_t count = tir_tile_elements(lab->module, type);
    TirType bits = lab_tile(lab, TIR_TYPE_i1, 1, &count);
    TirValue zero = lab_constant(lab, lab_tile(lab, TIR_TYPE_i64, 1, &count), 0);
    TirValue other = lab_value(lab, TIR_OP_int_to_ptr, type, 1, &zero);
    return lab_value(lab, TIR_OP_select, type, 3, (TirValue[]){lab_constant(lab, bits, 1), pointers, other});
}

static unsigned half(const uint8_t *bytes, int64_t element) {
    return bytes[element / 2] >> (element % 2 ? 4 : 0) & 15;
}

static void set_half(uint8_t *bytes, int64_t element, unsigned bits) {
    unsigned shift = element % 2 ? 4 : 0;
    bytes[element / 2] = (uint8_t)((bytes[element / 2] & ~(15u << shift)) | bits << shift);
}

static void fill(Lab *lab, uint32_t buffer, uint8_t *copy, uint64_t *state) {
    for (uint64_t i = 0; i < COUNT / 2; i++) {
        copy[i] = (uint8_t)lab_random(state);
        lab_put(lab, buffer, TIR_TYPE_i8, i, copy[i]);
    }
}

static void compile_and_run(Lab *lab, CompileNumeric numeric, const char *label) {
    lab_return(lab);
    cr_assert(lab_compile(lab, numeric, FPSAN_CASTS_MIX, NULL), "%s: %s", label,
              lab->diagnostics.count ? lab->diagnostics.items[0].message : "");
    cr_assert(lab_run(lab), "%s", label);
}

// result[7i + 3] = source[5i + 1] where that is below LOADED (mod COUNT); padding or nothing elsewhere.
static void run_scatter(int64_t count, CompileNumeric numeric, bool padded, bool known) {
    TirTypeKind kinds[] = {TIR_TYPE_f4E2M1FN, TIR_TYPE_f4E2M1FN};
    char label[80];
    snprintf(label, sizeof label, "%ld elements, numeric %d, padded %d, known %d", (long)count, (int)numeric, padded,
             known);
    Lab lab = lab_open(2, kinds);
    TirType type = lab_tile(&lab, TIR_TYPE_f4E2M1FN, 1, &count), integers = lab_tile(&lab, TIR_TYPE_i32, 1, &count);
    TirValue from = lab_scrambled(&lab, count, 5, 1, COUNT), to = lab_scrambled(&lab, count, 7, 3, COUNT);
    TirValue mask = lab_less(&lab, from, lab_constant(&lab, integers, LOADED));
    TirValue source = pointers_at(&lab, lab_argument(&lab, 0), from),
             target = pointers_at(&lab, lab_argument(&lab, 1), to);
    if (!known) {
        source = forget_origin(&lab, source);
        target = forget_origin(&lab, target);
    }
    TirValue padding = padded ? lab_constant(&lab, type, 11) : TIR_NO_VALUE;
    TirValue value = tir_result(lab_load_op(&lab, source, type, mask, padding), 0);
    lab_store_op(&lab, target, value, padded ? TIR_NO_VALUE : mask);
    lab_shrink(&lab, 0, COUNT / 2);
    lab_shrink(&lab, 1, COUNT / 2);
    lab.ranges[0].end = lab.ranges[0].begin + LOADED / 2; // masked lanes would lie outside
    uint8_t x[COUNT / 2], y[COUNT / 2];
    uint64_t state = 11;
    fill(&lab, 0, x, &state);
    fill(&lab, 1, y, &state);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = (5 * i + 1) % COUNT;
        if (at < LOADED || padded) set_half(y, (7 * i + 3) % COUNT, at < LOADED ? half(x, at) : 11);
    }
    compile_and_run(&lab, numeric, label);
    cr_assert_arr_eq(lab_bytes(&lab, 1), y, sizeof y, "%s", label);
    lab_close(&lab);
}

Test(pointer_halves, scatter) {
    static const int64_t counts[] = {2, 8, 64};
    unsigned number = 0;
    for (size_t c = 0; c < BASE_COUNT(counts); c++)
        for (int how = 0; how < 4; how++, number++)
            run_scatter(counts[c], (CompileNumeric)(number % 3), how & 1, how & 2);
}

// 32 elements from any one on to any other, from the high half of a byte on, too, and back before the pointer.
Test(pointer_halves, odd_starts) {
    for (int64_t first = 0; first < 4; first++) {
        TirTypeKind kinds[] = {TIR_TYPE_f4E2M1FN, TIR_TYPE_f4E2M1FN};
        int64_t count = 32;
        Lab lab = lab_open(2, kinds);
        TirType type = lab_tile(&lab, TIR_TYPE_f4E2M1FN, 1, &count);
        TirValue back = lab_constant(&lab, lab_tile(&lab, TIR_TYPE_i64, 0, NULL), (uint64_t)-5);
        TirValue source = offset(&lab, pointer_to(&lab, 0, first + 5), back), target = pointer_to(&lab, 1, 7 - first);
        TirValue index = lab_iota(&lab, count);
        TirOp *load = lab_load_op(&lab, pointers_at(&lab, source, index), type, TIR_NO_VALUE, TIR_NO_VALUE);
        lab_store_op(&lab, pointers_at(&lab, target, index), tir_result(load, 0), TIR_NO_VALUE);
        uint8_t x[COUNT / 2], y[COUNT / 2];
        uint64_t state = (uint64_t)first;
        fill(&lab, 0, x, &state);
        fill(&lab, 1, y, &state);
        for (int64_t i = 0; i < count; i++) set_half(y, 7 - first + i, half(x, first + i));
        compile_and_run(&lab, COMPILE_IEEE, "odd starts");
        cr_assert_arr_eq(lab_bytes(&lab, 1), y, sizeof y, "from element %ld", (long)first);
        lab_close(&lab);
    }
}

// As an integer, and as a pointer to bytes, a pointer is the address of the byte.
Test(pointer_halves, addresses) {
    TirTypeKind kinds[] = {TIR_TYPE_f4E2M1FN, TIR_TYPE_i64};
    Lab lab = lab_open(2, kinds);
    TirType i64 = lab_tile(&lab, TIR_TYPE_i64, 0, NULL), i8 = lab_tile(&lab, TIR_TYPE_i8, 0, NULL);
    TirValue odd = pointer_to(&lab, 0, 7);
    TirValue address = lab_value(&lab, TIR_OP_ptr_to_int, i64, 1, &odd);
    TirValue byte = lab_value(&lab, TIR_OP_ptr_to_ptr, lab_pointer_tile(&lab, TIR_TYPE_i8, 0, NULL), 1, &odd);
    TirValue loaded = tir_result(lab_load_op(&lab, byte, i8, TIR_NO_VALUE, TIR_NO_VALUE), 0);
    TirOp *wide = lab_op(&lab, TIR_OP_exti, 1, &i64, 1, &loaded, NULL);
    lab_set(wide, "signedness", TIR_signedness_unsigned);
    TirType one = lab_tile(&lab, TIR_TYPE_i64, 1, (int64_t[]){1});
    TirType two = lab_tile(&lab, TIR_TYPE_i64, 1, (int64_t[]){2});
    TirValue byte_value = tir_result(wide, 0), parts[2] = {lab_value(&lab, TIR_OP_reshape, one, 1, &address),
                                                           lab_value(&lab, TIR_OP_reshape, one, 1, &byte_value)};
    TirOp *both = lab_op(&lab, TIR_OP_cat, 1, &two, 2, parts, NULL);
    lab_set(both, "dim", 0);
    lab_store(&lab, 1, tir_result(both, 0));
    lab_put(&lab, 0, TIR_TYPE_i8, 3, 0xA5);
    compile_and_run(&lab, COMPILE_IEEE, "addresses");
    cr_assert_eq(lab_get(&lab, 1, TIR_TYPE_i64, 0), lab.arguments[0] + 3);
    cr_assert_eq(lab_get(&lab, 1, TIR_TYPE_i64, 1), 0xA5);
    lab_close(&lab);
}

// A view whose base is the high half of a byte.
Test(pointer_halves, view_from_the_middle_of_a_byte) {
    enum { SIZE = 16 };
    TirTypeKind kinds[] = {TIR_TYPE_f4E2M1FN, TIR_TYPE_f4E2M1FN};
    for (int fits = 0; fits < 2; fits++) {
        Lab lab = lab_open(2, kinds);
        TirTypeInfo tensor = {.kind = TIR_TYPE_tensor_view,
                              .element = tir_type_scalar(lab.module, TIR_TYPE_f4E2M1FN),
                              .rank = 1,
                              .ptr_attr = -1,
                              .shape = (int64_t[]){SIZE},
                              .strides = (int64_t[]){1}};
        TirType tensor_type = tir_type_intern(lab.module, &tensor);
        TirTypeInfo tiles = {
            .kind = TIR_TYPE_partition_view, .element = tensor_type, .rank = 1, .padding = TIR_PAD_none};
        tiles.shape = (int64_t[]){SIZE};
        tiles.dim_map = (int32_t[]){0};
        TirValue base = pointer_to(&lab, 0, 3);
        TirOp *view = lab_op(&lab, TIR_OP_make_tensor_view, 1, &tensor_type, 1, &base, (uint32_t[TIR_OPERANDS_MAX]){1});
        TirValue whole = tir_result(view, 0);
        TirValue partition =
            lab_value(&lab, TIR_OP_make_partition_view, tir_type_intern(lab.module, &tiles), 1, &whole);
        TirValue zero = lab_constant(&lab, lab_tile(&lab, TIR_TYPE_i32, 0, NULL), 0);
        TirTypeInfo token = {.kind = TIR_TYPE_token};
        TirType results[2] = {lab_tile(&lab, TIR_TYPE_f4E2M1FN, 1, (int64_t[]){SIZE}),
                              tir_type_intern(lab.module, &token)};
        TirOp *load = lab_op(&lab, TIR_OP_load_view_tko, 2, results, 2, (TirValue[]){partition, zero},
                             (uint32_t[TIR_OPERANDS_MAX]){1, 1});
        lab_set(load, "ordering", TIR_memory_ordering_weak);
        lab_store(&lab, 1, tir_result(load, 0));
        lab_return(&lab);
        cr_assert(lab_compile(&lab, COMPILE_IEEE, FPSAN_CASTS_MIX, NULL), "%s",
                  lab.diagnostics.count ? lab.diagnostics.items[0].message : "");
        uint8_t x[COUNT / 2], y[SIZE / 2] = {0};
        uint64_t state = 5;
        fill(&lab, 0, x, &state);
        for (int64_t i = 0; i < SIZE; i++) set_half(y, i, half(x, i + 3));
        lab.ranges[0].end =
            lab.ranges[0].begin + SIZE / 2 + (fits ? 2 : 1); // the last element is the low half of byte 9
        cr_assert_eq(lab_run(&lab), fits);
        if (fits) cr_assert_arr_eq(lab_bytes(&lab, 1), y, sizeof y);
        lab_close(&lab);
    }
}

Test(pointer_halves, outside) {
    for (int stores = 0; stores < 2; stores++)
        for (int64_t last = 9; last < 13; last++) {
            TirTypeKind kinds[] = {TIR_TYPE_f4E2M1FN, TIR_TYPE_f4E2M1FN};
            int64_t count = 2;
            Lab lab = lab_open(2, kinds);
            TirType type = lab_tile(&lab, TIR_TYPE_f4E2M1FN, 1, &count);
            TirValue near = pointers_at(&lab, pointer_to(&lab, 0, last - 1), lab_iota(&lab, count)),
                     far = pointers_at(&lab, lab_argument(&lab, 1), lab_iota(&lab, count));
            TirOp *load = lab_load_op(&lab, stores ? far : near, type, TIR_NO_VALUE, TIR_NO_VALUE);
            lab_store_op(&lab, stores ? near : far, tir_result(load, 0), TIR_NO_VALUE);
            lab_return(&lab);
            cr_assert(lab_compile(&lab, COMPILE_SHADOW, FPSAN_CASTS_MIX, NULL));
            lab.ranges[0].end = lab.ranges[0].begin + 5; // ten elements
            cr_assert_eq(lab_run(&lab), last < 10, "element %ld", (long)last);
            if (last >= 10) {
                const KernelSite *site = &lab.compiled->kernels[0].sites[lab.site - 1];
                cr_assert_eq(lab.fault.address, lab.arguments[0] + 5);
                cr_assert_eq(site->kind, HOST_SITE_BOUNDS);
                cr_assert_str_eq(site->op, stores ? "store_ptr_tko" : "load_ptr_tko");
            }
            lab_close(&lab);
        }
}
