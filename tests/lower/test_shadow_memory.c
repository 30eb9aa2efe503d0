// SPDX-License-Identifier: Apache-2.0
// The numeric `shadow` and memory: a record is of the float that was stored last, and of nothing else. What is stored
// here are bits that are there already, so that a stale record would be found by the next load.
#include "tests/lower/lab.h"

#include <string.h>

enum { BYTES = 256 }; // of the buffer under test

// ---- building -------------------------------------------------------------------------------------------------------

static TirValue mask_load(Lab *lab, uint32_t argument, int64_t count) {
    return lab_load(lab, argument, 1, &count);
}

// A payload that no value from outside has.
static TowerPayload strange(uint64_t number) {
    return tower_rational(tower_chain(0), (int64_t)number + 1, 77);
}

// Records of every width for every float there could be in the buffer.
static void put_records(Lab *lab, uint32_t buffer) {
    static const TirTypeKind kinds[] = {TIR_TYPE_f8E5M2, TIR_TYPE_f16, TIR_TYPE_f32, TIR_TYPE_f64};
    for (size_t k = 0; k < BASE_COUNT(kinds); k++)
        for (uint64_t i = 0; i < (uint64_t)BYTES >> k; i++)
            lab_put_record(lab, buffer, kinds[k], i, strange(i * 8 + k));
}

// ---- stores of any kind over records of any width -------------------------------------------------------------------

typedef enum StoreForm { ALL, MASKED, SPREAD, SPREAD_MASKED, ONE, SAME, STORE_FORMS } StoreForm;

typedef struct StoreCase {
    TirTypeKind kind;
    StoreForm form;
    uint32_t first; // byte that the pointers start at
    bool known;     // the compiler knows which argument they come from
} StoreCase;

// Pointers to `count` elements from the buffer's byte `first` on, `step` bytes apart.
static TirValue byte_pointers(Lab *lab, TirTypeKind kind, int64_t count, uint32_t first, uint32_t step, bool known) {
    static const int64_t one = 1;
    TirType integers = lab_tile(lab, TIR_TYPE_i32, 1, &count), bytes = lab_pointer_tile(lab, TIR_TYPE_i8, 1, &count);
    TirType pointers = lab_pointer_tile(lab, kind, 1, &count);
    TirValue index = lab_binary(lab, TIR_OP_muli, lab_iota(lab, count), lab_constant(lab, integers, step));
    index = lab_binary(lab, TIR_OP_addi, index, lab_constant(lab, integers, first));
    TirValue base = lab_argument(lab, 0);
    base = lab_value(lab, TIR_OP_reshape, lab_pointer_tile(lab, TIR_TYPE_i8, 1, &one), 1, &base);
    base = lab_value(lab, TIR_OP_broadcast, bytes, 1, &base);
    TirValue at = lab_value(lab, TIR_OP_offset, bytes, 2, (TirValue[]){base, index});
    if (known) return lab_value(lab, TIR_OP_ptr_to_ptr, pointers, 1, &at);
    at = lab_value(lab, TIR_OP_ptr_to_int, lab_tile(lab, TIR_TYPE_i64, 1, &count), 1, &at);
    return lab_value(lab, TIR_OP_int_to_ptr, pointers, 1, &at);
}

static void run_store(const StoreCase *c) {
    const TirTypeKind kinds[] = {TIR_TYPE_i8, c->kind, TIR_TYPE_i1};
    const uint32_t size = tir_type_rows[c->kind].storage_bytes;
    bool spread = c->form == SPREAD || c->form == SPREAD_MASKED, masked = c->form == MASKED || c->form == SPREAD_MASKED;
    int64_t count = c->form == ONE ? 1 : 8;
    Lab lab = lab_open(3, kinds);
    uint32_t step = c->form == SAME ? 0 : spread ? 3 * size : size;
    TirValue pointers = byte_pointers(&lab, c->kind, count, c->first, step, c->known);
    TirValue mask = masked ? mask_load(&lab, 2, count) : TIR_NO_VALUE;
    lab_store_op(&lab, pointers, lab_load(&lab, 1, 1, &count), mask);
    lab_return(&lab);
    for (uint64_t i = 0; i < 8; i++) lab_put(&lab, 2, TIR_TYPE_i1, i, i % 3 == 1);
    put_records(&lab, 0);
    lab_check(&lab, COMPILE_SHADOW);
    lab_close(&lab);
}

// In each form, or in every third of each place.
static void run_stores(TirTypeKind kind, bool all) {
    for (StoreForm form = ALL; form < STORE_FORMS; form++)
        for (uint32_t first = 0; first < 8; first += form == ALL ? 1 : 5)
            if (all || (kind + form + first) % 3 == 0) run_store(&(StoreCase){kind, form, first, (form + first) % 3});
}

Test(shadow_memory, integer_stores) {
    static const TirTypeKind kinds[] = {TIR_TYPE_i1, TIR_TYPE_i8, TIR_TYPE_i16, TIR_TYPE_i32, TIR_TYPE_i64};
    for (size_t k = 0; k < BASE_COUNT(kinds); k++) run_stores(kinds[k], true);
}

static void run_float_stores(bool all) {
    static const TirTypeKind kinds[] = {TIR_TYPE_f8E4M3FN, TIR_TYPE_f16, TIR_TYPE_bf16, TIR_TYPE_f32, TIR_TYPE_f64};
    for (size_t k = 0; k < BASE_COUNT(kinds); k++) run_stores(kinds[k], all);
}

Test(shadow_memory, stores_of_other_widths_and_unaligned_stores) {
    run_float_stores(false);
}
Test(shadow_memory, all_stores_of_other_widths) {
    run_float_stores(true);
}

// Through a view: whole tiles, and one that sticks out, whose elements outside keep what they have.
static void run_view(TirTypeKind kind, int64_t room, int64_t stride) {
    static const int64_t size = 16;
    static const int32_t dim_map = 0;
    const TirTypeKind kinds[] = {kind, kind};
    Lab lab = lab_open(2, kinds);
    TirTypeInfo tensor = {.kind = TIR_TYPE_tensor_view, .rank = 1, .shape = &room, .strides = &stride, .ptr_attr = -1};
    tensor.element = tir_type_scalar(lab.module, kind);
    TirType tensor_type = tir_type_intern(lab.module, &tensor), token;
    TirTypeInfo tiles = {.kind = TIR_TYPE_partition_view, .element = tensor_type, .rank = 1, .padding = TIR_PAD_none};
    tiles.shape = &size;
    tiles.dim_map = &dim_map;
    TirValue base = lab_argument(&lab, 0), value = lab_load(&lab, 1, 1, &size);
    TirOp *view = lab_op(&lab, TIR_OP_make_tensor_view, 1, &tensor_type, 1, &base, (uint32_t[TIR_OPERANDS_MAX]){1});
    TirValue whole = tir_result(view, 0);
    TirValue partition = lab_value(&lab, TIR_OP_make_partition_view, tir_type_intern(lab.module, &tiles), 1, &whole);
    TirValue index = lab_constant(&lab, lab_tile(&lab, TIR_TYPE_i32, 0, NULL), 0);
    token = tir_type_intern(lab.module, &(TirTypeInfo){.kind = TIR_TYPE_token});
    TirOp *store = lab_op(&lab, TIR_OP_store_view_tko, 1, &token, 3, (TirValue[]){value, partition, index},
                          (uint32_t[TIR_OPERANDS_MAX]){1, 1, 1});
    lab_set(store, "ordering", TIR_memory_ordering_weak);
    lab_return(&lab);
    put_records(&lab, 0);
    lab_check(&lab, COMPILE_SHADOW);
    lab_close(&lab);
}

Test(shadow_memory, stores_through_views) {
    static const TirTypeKind kinds[] = {TIR_TYPE_i8,  TIR_TYPE_i32, TIR_TYPE_i64, TIR_TYPE_f8E5M2,
                                        TIR_TYPE_f16, TIR_TYPE_f32, TIR_TYPE_f64};
    for (size_t k = 0; k < BASE_COUNT(kinds); k++)
        for (int64_t stride = 1; stride < 3; stride++) {
            run_view(kinds[k], 16, stride);
            run_view(kinds[k], 11, stride);
        }
}

// ---- what loads take ------------------------------------------------------------------------------------------------

// A store of the host between two launches: the float is then one from outside, though its bits are the old ones.
Test(shadow_memory, host_stores) {
    static const TirTypeKind kinds[] = {TIR_TYPE_f32, TIR_TYPE_f32};
    static const int64_t count = 16;
    Lab lab = lab_open(2, kinds);
    lab_store(&lab, 1, lab_load(&lab, 0, 1, &count));
    lab_return(&lab);
    for (uint64_t i = 0; i < 16; i++) {
        lab_put(&lab, 0, TIR_TYPE_f32, i, 0x40400000);
        lab_put_record(&lab, 0, TIR_TYPE_f32, i, strange(i));
    }
    lab_put(&lab, 0, TIR_TYPE_f32, 7, 0x40400000);
    lab_put(&lab, 0, TIR_TYPE_i8, 4 * 9 + 2, 0x40);
    lab_check(&lab, COMPILE_SHADOW);
    TowerPayload three = tower_rational(tower_chain(0), 3, 1);
    for (uint64_t i = 0; i < 16; i++)
        cr_assert(lab_same_payload(lab_payload(&lab, 1, TIR_TYPE_f32, i), i == 7 || i == 9 ? three : strange(i)));
    lab_close(&lab);
}

// Floats of one width share records: they are of bits, and casts keep payloads.
Test(shadow_memory, loads_as_another_type) {
    static const struct {
        TirTypeKind stored, loaded;
        bool same_width;
    } cases[] = {{TIR_TYPE_f16, TIR_TYPE_bf16, true},        {TIR_TYPE_f32, TIR_TYPE_tf32, true},
                 {TIR_TYPE_f8E5M2, TIR_TYPE_f8E4M3FN, true}, {TIR_TYPE_f32, TIR_TYPE_f16, false},
                 {TIR_TYPE_f16, TIR_TYPE_f32, false},        {TIR_TYPE_f32, TIR_TYPE_f64, false}};
    static const int64_t count = 8;
    for (size_t c = 0; c < BASE_COUNT(cases); c++) {
        const TirTypeKind kinds[] = {TIR_TYPE_i8, cases[c].stored, cases[c].loaded};
        Lab lab = lab_open(3, kinds);
        uint32_t from = tir_type_rows[cases[c].stored].storage_bytes, to = tir_type_rows[cases[c].loaded].storage_bytes;
        lab_store_op(&lab, byte_pointers(&lab, cases[c].stored, count, 0, from, true), lab_load(&lab, 1, 1, &count),
                     TIR_NO_VALUE);
        TirValue again = byte_pointers(&lab, cases[c].loaded, count, 0, to, true);
        TirType type = lab_tile(&lab, cases[c].loaded, 1, &count);
        lab_store(&lab, 2, tir_result(lab_load_op(&lab, again, type, TIR_NO_VALUE, TIR_NO_VALUE), 0));
        lab_return(&lab);
        for (uint64_t i = 0; i < 8; i++) {
            lab_put(&lab, 1, cases[c].stored, i, fpsan_encode_nearest(lab_format(cases[c].stored), (double)i));
            lab_put_record(&lab, 1, cases[c].stored, i, strange(i));
        }
        lab_check(&lab, COMPILE_SHADOW);
        for (uint64_t i = 0; i < 8; i++)
            cr_assert_eq(lab_same_payload(lab_payload(&lab, 2, cases[c].loaded, i), strange(i)), cases[c].same_width);
        lab_close(&lab);
    }
}

// x = x + 0, where the zero in memory has a payload that is none: the bits stay, the payload must not.
Test(shadow_memory, updates_in_place) {
    static const TirTypeKind kinds[] = {TIR_TYPE_f16, TIR_TYPE_bf16, TIR_TYPE_f32, TIR_TYPE_f64};
    static const int64_t count = 32;
    for (size_t k = 0; k < BASE_COUNT(kinds); k++) {
        const TirTypeKind both[] = {kinds[k], kinds[k]};
        const Tower *t = tower_chain(0);
        Lab lab = lab_open(2, both);
        lab_store(&lab, 0, lab_binary(&lab, TIR_OP_addf, lab_load(&lab, 0, 1, &count), lab_load(&lab, 1, 1, &count)));
        lab_return(&lab);
        for (uint64_t i = 0; i < 32; i++) {
            lab_put(&lab, 0, kinds[k], i, fpsan_encode_nearest(lab_format(kinds[k]), (double)i - 5));
            lab_put_record(&lab, 1, kinds[k], i, strange(i));
        }
        lab_check(&lab, COMPILE_SHADOW);
        cr_assert(lab_run(&lab)); // once more
        for (uint64_t i = 0; i < 32; i++) {
            TowerPayload sum = tower_add(t, tower_rational(t, (int64_t)i - 5, 1), strange(i));
            TowerPayload found = lab_payload(&lab, 0, kinds[k], i);
            sum = tower_add(t, sum, strange(i));
            cr_assert(!memcmp(found.component, sum.component, sizeof sum.component));
        }
        lab_close(&lab);
    }
}

// y = x + x twice, the second launch from the first one's y.
Test(shadow_memory, payloads_pass_from_launch_to_launch) {
    static const TirTypeKind kinds[] = {TIR_TYPE_f32, TIR_TYPE_f32, TIR_TYPE_f32};
    static const int64_t count = 64;
    const Tower *t = tower_chain(0);
    Lab lab = lab_open(3, kinds);
    TirValue x = lab_load(&lab, 0, 1, &count);
    lab_store(&lab, 1, lab_binary(&lab, TIR_OP_addf, x, x));
    lab_return(&lab);
    cr_assert(lab_compile(&lab, COMPILE_SHADOW, FPSAN_CASTS_MIX, NULL));
    for (uint64_t i = 0; i < 64; i++) {
        lab_put(&lab, 0, TIR_TYPE_f32, i, 0x3f800000);
        lab_put_record(&lab, 0, TIR_TYPE_f32, i, strange(i));
    }
    lab.store_base = 100;
    cr_assert(lab_run(&lab));
    HostRecord record;
    cr_assert(lab_record(&lab, 1, TIR_TYPE_f32, 5, &record) && record.store == 100);
    uint64_t first = lab.arguments[0];
    HostRange range = lab.ranges[0];
    lab.arguments[0] = lab.arguments[1], lab.ranges[0] = lab.ranges[1];
    lab.arguments[1] = lab.arguments[2], lab.ranges[1] = lab.ranges[2];
    lab.store_base = 200;
    lab.buffers[1].widths = lab.buffers[0].widths |= 1 << 2; // both arguments' buffers have f32s now
    cr_assert(lab_run(&lab));
    lab.arguments[0] = first, lab.ranges[0] = range;
    lab.buffers[2].widths = 1 << 2;
    lab.arguments[2] = lab.ranges[1].begin;
    for (uint64_t i = 0; i < 64; i++) {
        cr_assert(lab_record(&lab, 2, TIR_TYPE_f32, i, &record) && record.store == 200);
        TowerPayload four = tower_mul(t, strange(i), tower_rational(t, 4, 1), TOWER_IEEE_POSITIVE);
        cr_assert(lab_same_payload(lab_payload(&lab, 2, TIR_TYPE_f32, i), four));
    }
    lab_close(&lab);
}

// ---- atomics --------------------------------------------------------------------------------------------------------

typedef struct AtomicCase {
    TirTypeKind kind; // in memory and of the operands
    int mode;         // of atomic_rmw; -1: compare and swap
} AtomicCase;

// On elements of buffer 0 with the numbers of buffers 1 and 2; old values go to buffer 3.
static void run_atomic(const AtomicCase *c, bool masked) {
    static const int64_t count = 16;
    const TirTypeKind kinds[] = {TIR_TYPE_i8, c->kind, c->kind, c->kind, TIR_TYPE_i1};
    bool swaps = c->mode < 0;
    Lab lab = lab_open(5, kinds);
    TirType results[2] = {lab_tile(&lab, c->kind, 1, &count), tir_type_scalar(lab.module, TIR_TYPE_token)};
    TirValue operands[4] = {byte_pointers(&lab, c->kind, count, 0, tir_type_rows[c->kind].storage_bytes, true)};
    uint32_t used = 1, segments[TIR_OPERANDS_MAX] = {1, 1, swaps || masked, swaps && masked};
    if (swaps) operands[used++] = lab_load(&lab, 2, 1, &count);
    operands[used++] = lab_load(&lab, 1, 1, &count);
    if (masked) operands[used++] = mask_load(&lab, 4, count);
    TirOp *op =
        lab_op(&lab, swaps ? TIR_OP_atomic_cas_tko : TIR_OP_atomic_rmw_tko, 2, results, used, operands, segments);
    lab_set(op, "ordering", TIR_memory_ordering_acq_rel);
    lab_set(op, "scope", TIR_memory_scope_device);
    if (!swaps) lab_set(op, "mode", (uint64_t)c->mode);
    lab_store(&lab, 3, tir_result(op, 0));
    lab_return(&lab);
    bool is_float = tir_type_rows[c->kind].class == TIR_CLASS_FLOAT;
    for (uint64_t i = 0; i < 16; i++) {
        if (i % 4 == 3) lab_put(&lab, 2, c->kind, i, 1); // is not there: not swapped
        if (is_float) lab_put_record(&lab, 1, c->kind, i, strange(1000 + i));
        lab_put(&lab, 4, TIR_TYPE_i1, i, i % 5 != 1);
    }
    put_records(&lab, 0);
    lab_check(&lab, COMPILE_SHADOW);
    cr_assert(is_float == lab.compiled->kernels[0].sequential);
    lab_close(&lab);
}

Test(shadow_memory, atomics) {
    static const AtomicCase cases[] = {
        {TIR_TYPE_f16, TIR_atomic_mode_addf},
        {TIR_TYPE_bf16, TIR_atomic_mode_addf},
        {TIR_TYPE_f32, TIR_atomic_mode_addf},
        {TIR_TYPE_f64, TIR_atomic_mode_addf},
        {TIR_TYPE_f32, TIR_atomic_mode_xchg},
        {TIR_TYPE_f64, TIR_atomic_mode_xchg},
        {TIR_TYPE_f32, -1},
        {TIR_TYPE_f64, -1},
        {TIR_TYPE_i32, TIR_atomic_mode_add},
        {TIR_TYPE_i64, TIR_atomic_mode_xchg},
        {TIR_TYPE_i32, TIR_atomic_mode_or},
        {TIR_TYPE_i32, -1},
        {TIR_TYPE_i64, -1},
    };
    for (size_t i = 0; i < BASE_COUNT(cases); i++)
        for (int masked = 0; masked < 2; masked++) run_atomic(&cases[i], masked);
}

// ---- scalar arguments -----------------------------------------------------------------------------------------------

// With the record that the host gives, as it does for what it reads as a constant; without: the exact value.
Test(shadow_memory, numbers_as_arguments) {
    static const TirTypeKind kinds[] = {TIR_TYPE_f64, TIR_TYPE_f32, TIR_TYPE_f16,
                                        TIR_TYPE_f64, TIR_TYPE_f32, TIR_TYPE_f16};
    const Tower *t = tower_chain(0);
    const double value = 0.1;
    for (int given = 0; given < 2; given++) {
        Lab lab = lab_open_numbers(3, 3, kinds);
        for (uint32_t i = 0; i < 3; i++) {
            TirType one = lab_tile(&lab, kinds[i], 1, (int64_t[]){1});
            TirValue number = lab_argument(&lab, 3 + i);
            lab_store(&lab, i, lab_value(&lab, TIR_OP_reshape, one, 1, &number));
            uint64_t bits = lab.arguments[3 + i] = fpsan_encode_nearest(lab_format(kinds[i]), value);
            if (!given) continue;
            TowerPayload payload = tower_constant_bits(t, lab_format(kinds[i]), bits);
            HostRecord *record = &lab.argument_records[3 + i];
            *record = (HostRecord){.state = HOST_RECORD_VALID | payload.state, .low = (uint32_t)bits};
            record->high = (uint32_t)(bits >> 32);
            memcpy(record->component, payload.component, sizeof payload.component);
        }
        lab_return(&lab);
        lab_check(&lab, COMPILE_SHADOW);
        for (uint32_t i = 0; i < 3; i++) {
            bool tenth = lab_same_payload(lab_payload(&lab, i, kinds[i], 0), tower_rational(t, 1, 10));
            cr_assert_eq(tenth, given && kinds[i] != TIR_TYPE_f16);
        }
        lab_close(&lab);
    }
}
