// SPDX-License-Identifier: Apache-2.0
// Comparisons, conversions, and what Triton has beyond the dialects arith and math.
#include "compiler/triton/objects.h"

// ---- comparisons ----------------------------------------------------------------------------------------------------

bool tri_op_compare_integers(TriTranslation *t, const TriOp *op) {
    static const struct {
        uint8_t predicate;
        bool is_unsigned;
    } rows[] = {[TRI_cmpi_eq] = {TIR_predicate_equal, false},
                [TRI_cmpi_ne] = {TIR_predicate_not_equal, false},
                [TRI_cmpi_slt] = {TIR_predicate_less_than, false},
                [TRI_cmpi_sle] = {TIR_predicate_less_than_or_equal, false},
                [TRI_cmpi_sgt] = {TIR_predicate_greater_than, false},
                [TRI_cmpi_sge] = {TIR_predicate_greater_than_or_equal, false},
                [TRI_cmpi_ult] = {TIR_predicate_less_than, true},
                [TRI_cmpi_ule] = {TIR_predicate_less_than_or_equal, true},
                [TRI_cmpi_ugt] = {TIR_predicate_greater_than, true},
                [TRI_cmpi_uge] = {TIR_predicate_greater_than_or_equal, true}};
    TirValue used[2];
    const uint64_t predicate = tri_attribute(op, "predicate")->integer;
    if (!tri_use_all(t, op, used)) return false;
    const TirValue value = tri_emit2(t, TIR_OP_cmpi, tri_result_type(t, op), used[0], used[1]);
    tri_set(t, value, "predicate", rows[predicate].predicate);
    tri_set(t, value, "signedness", rows[predicate].is_unsigned ? TIR_signedness_unsigned : TIR_signedness_signed);
    return tri_define(t, op->first_result, value);
}

static TirValue emit_cmpf(TriTranslation *t, TirType type, uint64_t predicate, bool ordered, TirValue x, TirValue y) {
    const TirValue value = tri_emit2(t, TIR_OP_cmpf, type, x, y);
    tri_set(t, value, "predicate", predicate);
    return tri_set(t, value, "ordering", ordered ? TIR_ordering_ordered : TIR_ordering_unordered);
}

bool tri_op_compare_floats(TriTranslation *t, const TriOp *op) {
    static const uint8_t predicates[] = {[TRI_cmpf_oeq] = TIR_predicate_equal,
                                         [TRI_cmpf_ogt] = TIR_predicate_greater_than,
                                         [TRI_cmpf_oge] = TIR_predicate_greater_than_or_equal,
                                         [TRI_cmpf_olt] = TIR_predicate_less_than,
                                         [TRI_cmpf_ole] = TIR_predicate_less_than_or_equal,
                                         [TRI_cmpf_one] = TIR_predicate_not_equal,
                                         [TRI_cmpf_ueq] = TIR_predicate_equal,
                                         [TRI_cmpf_ugt] = TIR_predicate_greater_than,
                                         [TRI_cmpf_uge] = TIR_predicate_greater_than_or_equal,
                                         [TRI_cmpf_ult] = TIR_predicate_less_than,
                                         [TRI_cmpf_ule] = TIR_predicate_less_than_or_equal,
                                         [TRI_cmpf_une] = TIR_predicate_not_equal};
    TirValue used[2];
    const uint64_t predicate = tri_attribute(op, "predicate")->integer;
    const TirType type = tri_result_type(t, op);
    if (!tri_use_all(t, op, used)) return false;
    TirValue value;
    if (predicate == TRI_cmpf_ord || predicate == TRI_cmpf_uno) { // x == x and y == y; x != x or y != y
        const bool ordered = predicate == TRI_cmpf_ord;
        const uint64_t same = ordered ? TIR_predicate_equal : TIR_predicate_not_equal;
        const TirValue x = emit_cmpf(t, type, same, ordered, used[0], used[0]);
        value = x;
        if (used[0] != used[1])
            value = tri_emit2(t, ordered ? TIR_OP_andi : TIR_OP_ori, type, x,
                              emit_cmpf(t, type, same, ordered, used[1], used[1]));
    } else {
        value = emit_cmpf(t, type, predicates[predicate], predicate <= TRI_cmpf_one, used[0], used[1]);
    }
    return tri_define(t, op->first_result, value);
}

// Of memory objects, descriptors and block pointers: their parts.
static bool select_parts(TriTranslation *t, const TriOp *op) {
    const TriValue *values = op->operands + 1;
    const uint32_t count = tri_parts_of(t, op->first_result, 1);
    TirValue condition, *parts = arena_array(&t->p->scratch, TirValue, 2 * count + 1u);
    if (!tri_check_parts(t, values, 1, values + 1) || !tri_use(t, op->operands[0], &condition) ||
        !tri_use_parts(t, values, 1, op->first_result, parts) ||
        !tri_use_parts(t, values + 1, 1, op->first_result, parts + count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        parts[i] = tri_emit3(t, TIR_OP_select, tri_value_tile(t, parts[i]), condition, parts[i], parts[count + i]);
    return tri_define_parts(t, op->first_result, 1, values, parts);
}

bool tri_op_select(TriTranslation *t, const TriOp *op) {
    if (tri_is_pending(t, op->first_result)) return tri_select_slot(t, op);
    const TriType result = t->reader->types[op->first_result];
    if (result.memory || result.descriptor || result.block) return select_parts(t, op);
    TirValue used[3];
    if (!tri_use_all(t, op, used)) return false;
    const TirType type = tri_value_tile(t, used[1]), conditions = tri_with_element(t, type, TIR_TYPE_i1);
    if (tri_kind(t, tri_value_tile(t, used[0])) != TIR_TYPE_i1) return tri_fail(t, "a condition that is no i1");
    if (!tir_type(t->module, tri_value_tile(t, used[0]))->rank) used[0] = tri_splat(t, used[0], conditions);
    return tri_define(t, op->first_result, tri_emit(t, TIR_OP_select, type, 3, used));
}

// ---- integers -------------------------------------------------------------------------------------------------------

bool tri_op_shift(TriTranslation *t, const TriOp *op) {
    TirValue used[2];
    const char *name = op->info->name;
    const bool left = !strcmp(name, "arith.shli");
    if (!tri_use_all(t, op, used)) return false;
    const TirValue value = tri_emit(t, left ? TIR_OP_shli : TIR_OP_shri, tri_result_type(t, op), 2, used);
    if (!left)
        tri_set(t, value, "signedness", strcmp(name, "arith.shrui") ? TIR_signedness_signed : TIR_signedness_unsigned);
    return tri_define(t, op->first_result, value);
}

// The high half of a signed product: mulhi(x, y) - (x < 0 ? y : 0) - (y < 0 ? x : 0), unsigned.
bool tri_op_wide_product(TriTranslation *t, const TriOp *op) {
    TirValue used[2];
    if (!tri_use_all(t, op, used)) return false;
    const TirType type = tri_result_type(t, op);
    const TirTypeKind kind = tri_kind(t, type);
    if (tir_type_rows[kind].class != TIR_CLASS_INTEGER) return tri_fail(t, "operands that are no integers");
    TirValue high = tri_emit(t, TIR_OP_mulhii, type, 2, used);
    if (!strcmp(op->info->name, "arith.mulsi_extended")) {
        const TirValue sign_bits = tri_splat_bits(t, type, tir_type_rows[kind].bits - 1u);
        for (uint32_t i = 0; i < 2; i++) {
            const TirValue sign = tri_emit2(t, TIR_OP_shri, type, used[i], sign_bits);
            tri_set(t, sign, "signedness", TIR_signedness_signed);
            high = tri_emit2(t, TIR_OP_subi, type, high, tri_emit2(t, TIR_OP_andi, type, sign, used[1 - i]));
        }
    }
    return tri_define(t, op->first_result, tri_emit(t, TIR_OP_muli, type, 2, used)) &&
           tri_define(t, op->first_result + 1, high);
}

// ---- conversions ----------------------------------------------------------------------------------------------------

bool tri_op_bitcast(TriTranslation *t, const TriOp *op) {
    TirValue x;
    const TirType type = tri_result_type(t, op);
    if (!tri_use(t, op->operands[0], &x)) return false;
    const bool from = tri_kind(t, tri_value_tile(t, x)) == TIR_TYPE_ptr, to = tri_kind(t, type) == TIR_TYPE_ptr;
    if (from != to) return tri_fail(t, "a cast between pointers and numbers");
    const TirValue source = tri_cast_from(t, x); // there and back
    if (tri_value_tile(t, source) == type) x = source;
    if (tri_value_tile(t, x) != type) x = tri_emit1(t, to ? TIR_OP_ptr_to_ptr : TIR_OP_bitcast, type, x);
    return tri_define(t, op->first_result, x);
}

bool tri_op_convert(TriTranslation *t, const TriOp *op) {
    TirValue x;
    const TirType type = tri_result_type(t, op);
    const TriAttribute *rounding = tri_attribute(op, "rounding");
    if (!tri_use(t, op->operands[0], &x)) return false;
    const bool zero = rounding && rounding->integer == TRI_rounding_rtz;
    const TirTypeKind to = tri_kind(t, type);
    // Tile IR's ftof rounds to nearest into eight bits; what is only text rounds as it is told.
    const bool narrow = zero && (to == TIR_TYPE_f8E4M3FN || to == TIR_TYPE_f8E5M2);
    const TirValue value = tri_emit1(t, narrow ? TIR_OP_cast : TIR_OP_ftof, type, x);
    tri_set(t, value, "rounding", zero ? TIR_rounding_zero : TIR_rounding_nearest_even);
    return tri_define(t, op->first_result, value);
}

// As GPUs convert (PTX ISA, cvt.rzi): what does not fit saturates, but there are 16 bits at least, of which i8 gets the
// low ones. NaN gives the highest bit alone if it has 64 bits or the integer has; else 0.
bool tri_op_float_to_integer(TriTranslation *t, const TriOp *op) {
    TirValue x;
    const TirType type = tri_result_type(t, op);
    if (!tri_use(t, op->operands[0], &x)) return false;
    const unsigned bits = tir_type_rows[tri_kind(t, type)].bits;
    const TirType wide = bits < 16 ? tri_with_element(t, type, TIR_TYPE_i16) : type, from = tri_value_tile(t, x);
    TirValue value = tri_emit1(t, TIR_OP_ftoi, wide, x);
    tri_set(t, value, "signedness", tri_op_is(op, "arith.fptosi") ? TIR_signedness_signed : TIR_signedness_unsigned);
    tri_set(t, value, "rounding", TIR_rounding_nearest_int_to_zero);
    tri_set(t, value, "saturating", 1);
    if (bits == 64 || (bits >= 16 && tri_kind(t, from) == TIR_TYPE_f64)) {
        const TirType truth = tri_with_element(t, type, TIR_TYPE_i1);
        const TirValue is_nan = emit_cmpf(t, truth, TIR_predicate_not_equal, false, x, x);
        value = tri_emit3(t, TIR_OP_select, type, is_nan, tri_splat_bits(t, type, UINT64_C(1) << (bits - 1)), value);
    }
    return tri_define(t, op->first_result, wide == type ? value : tri_emit1(t, TIR_OP_trunci, type, value));
}

// ---- floats ---------------------------------------------------------------------------------------------------------

bool tri_op_clamp(TriTranslation *t, const TriOp *op) {
    TirValue used[3];
    const TirType type = tri_result_type(t, op);
    const bool all = tri_attribute(op, "propagateNan")->integer == TRI_propagate_all;
    if (!tri_use_all(t, op, used)) return false;
    const TirValue low = tri_emit2(t, TIR_OP_maxf, type, used[0], used[1]);
    const TirValue value = tri_emit2(t, TIR_OP_minf, type, low, used[2]);
    if (all) {
        tri_set(t, low, "nan", 1);
        tri_set(t, value, "nan", 1);
    }
    return tri_define(t, op->first_result, value);
}

// ---- messages -------------------------------------------------------------------------------------------------------

bool tri_op_assert(TriTranslation *t, const TriOp *op) {
    TirValue condition;
    if (!tri_use(t, op->operands[0], &condition)) return false;
    TirOp *made = tri_emit_op(t, &(TirNewOp){.kind = TIR_OP_assert, .operand_count = 1, .operands = &condition});
    TirAttribute *message = tir_op_set(made, "message");
    message->text = op->attributes[0].text;
    message->length = op->attributes[0].length;
    return true;
}
