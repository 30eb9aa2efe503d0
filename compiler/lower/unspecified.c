// SPDX-License-Identifier: Apache-2.0
// Values that nobody specified: padding that has no value, masked lanes, memory that nobody wrote. What stands there as
// a number is the options' business; beside it the numeric `shadow` has poison, which says who made it.
#include "compiler/extremes.h"
#include "compiler/lower/kernel.h"

#include <stddef.h>
#include <string.h>

// Of types without NaN: bytes that are neither zero nor small. An i1 is true.
#define PATTERN UINT64_C(0x5a5a5a5a5a5a5a5b)

static bool has_unspecified(const Emit *e) {
    return e->cx.poison || e->options->unspecified != COMPILE_ZEROS;
}

static uint64_t mixed(uint64_t x) { // the finaliser of splitmix64
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

// Bits that look random, other ones for each op.
static uint64_t random_bits(const Emit *e) {
    return mixed(e->place * UINT64_C(0x9e3779b97f4a7c15) + e->cx.at.line * UINT64_C(0xd1b54a32d192ed03) + 1);
}

// `at`: the number of the lane.
static uint64_t integer_bits(const Emit *e, unsigned bits, unsigned at) {
    uint64_t value = 0;
    switch (e->options->unspecified) {
    case COMPILE_ZEROS: break;
    case COMPILE_NAN: value = PATTERN; break;
    case COMPILE_RANDOM: value = random_bits(e); break;
    case COMPILE_LARGEST:
    case COMPILE_SMALLEST: value = extreme_integer(bits, e->options->unspecified, at); break;
    }
    return bits < 64 ? value & ((UINT64_C(1) << bits) - 1) : value;
}

// Random ones are numbers between 1 and 2.
static uint64_t unspecified_float_bits(const Emit *e, FpsanFormat format, unsigned at) {
    const double one_and = 1 + (double)(random_bits(e) >> 11) * 0x1p-53;
    uint64_t nan = fpsan_encode_nearest(format, __builtin_nan(""));
    double value = fpsan_decode(format, nan);
    switch (e->options->unspecified) {
    case COMPILE_NAN: return value != value ? nan : fpsan_encode_nearest(format, 3);
    case COMPILE_RANDOM: return fpsan_encode_nearest(format, one_and);
    case COMPILE_LARGEST:
    case COMPILE_SMALLEST: return extreme_float(format, e->options->unspecified, at);
    case COMPILE_ZEROS: break;
    }
    return format == FPSAN_F8E8M0FNU ? 0 : fpsan_encode_nearest(format, 0);
}

// What a byte is of the largest or smallest numbers that have all bytes alike.
static uint8_t extreme_byte(FpsanFormat format, CompileUnspecified unspecified) {
    enum { LARGE = 0x7b, NEGATIVE = 0x80 }; // of floats of 8 bits and more: below infinity
    const FpsanFormatInfo *info = format == FPSAN_FORMAT_COUNT ? NULL : fpsan_format_info(format);
    const bool largest = unspecified == COMPILE_LARGEST;
    if (!info) return (uint8_t)extreme_integer(8, unspecified, 0);
    if (info->bits >= 8 && info->is_signed) return largest ? LARGE : LARGE | NEGATIVE;
    const uint8_t low = (uint8_t)extreme_float(format, unspecified, 0);
    return info->storage_bits < 8 ? (uint8_t)(low | low << info->storage_bits) : low;
}

uint8_t emit_unspecified_byte(const Emit *e, TirTypeKind kind) {
    enum { NEAR_ONE = 0x31, DIGITS = 14 }; // of floats of all widths: above 0, and below 2
    const FpsanFormat format = tir_float_format(kind);
    if (e->options->unspecified == COMPILE_ZEROS || kind == TIR_TYPE_ptr) return 0;
    if (extremes_are(e->options->unspecified)) return extreme_byte(format, e->options->unspecified);
    const bool f6 = format != FPSAN_FORMAT_COUNT && fpsan_format_info(format)->bits == 6;
    if (e->options->unspecified == COMPILE_RANDOM) return (uint8_t)((f6 ? 1 : NEAR_ONE) + random_bits(e) % DIGITS);
    if (format == FPSAN_FORMAT_COUNT) return PATTERN >> 8 & 0xff;
    const FpsanFormatInfo *info = fpsan_format_info(format);
    const uint8_t low = (uint8_t)unspecified_float_bits(e, format, 0);
    if (info->storage_bits < 8) return (uint8_t)(low | low << info->storage_bits);
    return f6 || info->specials == FPSAN_FNUZ ? low : 0xff; // all ones are NaN in the others
}

uint32_t emit_add_store(Emit *e, KernelStore store) {
    const uint32_t number = e->kernel->store_count++;
    e->kernel->stores = e->stores = arena_grow(e->arena, e->stores, number, &e->store_capacity, sizeof *e->stores);
    e->stores[number] = store;
    return number;
}

// The number of a note of the kernel.
static uint32_t note(Emit *e, const char *what, bool passed_on, bool decides) {
    for (uint32_t i = 0; i < e->kernel->store_count; i++) { // as often as an op is lowered, it is one
        const KernelStore *known = &e->stores[i];
        if (known->unspecified && !strcmp(known->unspecified, what) && !strcmp(known->op, e->cx.op_name) &&
            known->at.file == e->cx.at.file && known->at.line == e->cx.at.line && known->at.column == e->cx.at.column &&
            known->at.offset == e->cx.at.offset)
            return i;
    }
    return emit_add_store(e, (KernelStore){e->cx.op_name, e->cx.at, what, passed_on, decides});
}

LLVMValueRef emit_origin(Emit *e, const char *what, bool passed_on) {
    const uint32_t at = note(e, what, passed_on, false);
    LLVMValueRef field = code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), e->launch,
                                         code_i64(&e->cx, offsetof(HostLaunch, store_base)));
    LLVMValueRef base = code_load(&e->cx, code_integer_type(&e->cx, 32), field, 4);
    return LLVMBuildAdd(e->cx.builder, base, code_i32(&e->cx, (int32_t)at + 1), "");
}

// The number of the block in the order of the grid.
static LLVMValueRef block_number(Emit *e) {
    LLVMBuilderRef b = e->cx.builder;
    LLVMTypeRef i64 = code_integer_type(&e->cx, 64);
    LLVMValueRef number = LLVMBuildZExt(b, e->block_id[2], i64, "");
    for (unsigned axis = 2; axis-- > 0;) {
        number = LLVMBuildMul(b, number, LLVMBuildZExt(b, emit_grid(e, axis), i64, ""), "");
        number = LLVMBuildAdd(b, number, LLVMBuildZExt(b, e->block_id[axis], i64, ""), "");
    }
    return number;
}

void emit_note_use(Emit *e, LLVMValueRef marks, LLVMValueRef mask, const char *what) {
    LLVMBuilderRef b = e->cx.builder;
    if (!e->cx.poison || !marks || (LLVMIsConstant(marks) && LLVMIsNull(marks))) return;
    LLVMValueRef where = numeric_has_mark(&e->cx, marks, NUMERIC_MARK_POISON);
    if (mask) where = LLVMBuildAnd(b, where, mask, "");
    LLVMValueRef used = LLVMBuildSelect(b, where, marks, LLVMConstNull(LLVMTypeOf(marks)), "");
    if (vector_lanes(where)) where = vector_intrinsic(&e->cx, "llvm.vector.reduce.or", &where, 1);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0);
    const uint32_t at = note(e, what, true, false);
    CodeGuard found = code_guard_open(&e->cx, where);
    LLVMValueRef uses = code_load(
        &e->cx, pointer,
        code_pointer_at(&e->cx, code_integer_type(&e->cx, 8), e->launch, code_i64(&e->cx, offsetof(HostLaunch, uses))),
        8);
    CodeGuard asked = code_guard_open(&e->cx, LLVMBuildIsNotNull(b, uses, ""));
    LLVMValueRef cell = code_pointer_at(&e->cx, code_integer_type(&e->cx, 64), uses, code_i64(&e->cx, at));
    LLVMValueRef origin = numeric_mark_origins(&e->cx, numeric_unite_lanes(&e->cx, used));
    LLVMValueRef use = LLVMBuildShl(b, block_number(e), code_i64(&e->cx, HOST_USE_ORIGIN_BITS), "");
    use = LLVMBuildOr(b, use, LLVMBuildZExt(b, origin, code_integer_type(&e->cx, 64), ""), "");
    LLVMSetAlignment(LLVMBuildAtomicRMW(b, LLVMAtomicRMWBinOpUMin, cell, use, LLVMAtomicOrderingMonotonic, false), 8);
    code_guard_close(&e->cx, &asked, 0, NULL);
    code_guard_close(&e->cx, &found, 0, NULL);
}

LLVMValueRef emit_decided(Emit *e, LLVMValueRef inputs, LLVMValueRef outcomes) {
    LLVMBuilderRef b = e->cx.builder;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(e->cx.context, 0), i32 = code_integer_type(&e->cx, 32);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(e->cx.context),
                                        (LLVMTypeRef[]){pointer, i32, pointer, pointer}, 4, false);
    const uint32_t at = note(e, "a decision", true, true), lanes = vector_lanes(outcomes);
    LLVMValueRef uses = code_launch_field(&e->cx, e->launch, offsetof(HostLaunch, uses), pointer);
    LLVMValueRef cell = code_pointer_at(&e->cx, code_integer_type(&e->cx, 64), uses, code_i64(&e->cx, at));
    LLVMValueRef decider = code_load(&e->cx, pointer, cell, 8), slot = code_spill(&e->cx, outcomes, 1);
    LLVMValueRef decide = code_load(&e->cx, pointer, decider, 8);
    LLVMValueRef arguments[] = {decider, code_i32(&e->cx, lanes ? (int32_t)lanes : 1), code_spill(&e->cx, inputs, 0),
                                slot};
    LLVMBuildCall2(b, type, decide, arguments, BASE_COUNT(arguments), "");
    return LLVMBuildLoad2(b, LLVMTypeOf(outcomes), slot, "");
}

// In one lane.
static NumericValue unspecified_lane(Emit *e, EmitElement element, const char *what, unsigned lane) {
    if (element.is_float) {
        const uint64_t bits = unspecified_float_bits(e, element.format, lane);
        NumericValue one = e->cx.numeric->constant(&e->cx, element.format, bits);
        return e->cx.poison ? e->cx.numeric->poison(&e->cx, &one, emit_origin(e, what, false)) : one;
    }
    const uint64_t bits = element.is_pointer ? 0 : integer_bits(e, element.bits, lane);
    NumericValue one = emit_unmarked(e, element, LLVMConstInt(emit_register_type(e, element, 0), bits, false));
    if (element.parts > 1 && e->cx.poison) {
        LLVMValueRef origin = e->cx.origins ? emit_origin(e, what, false) : code_i32(&e->cx, 0);
        one.parts[1] = numeric_poison_marks(&e->cx, LLVMConstInt(code_integer_type(&e->cx, 1), 1, false), origin);
    }
    return one;
}

NumericValue emit_unspecified(Emit *e, EmitElement element, unsigned lanes, const char *what) {
    LLVMBuilderRef b = e->cx.builder;
    NumericValue one = unspecified_lane(e, element, what, 0), value = {0};
    for (unsigned p = 0; p < element.parts; p++) value.parts[p] = vector_splat(b, one.parts[p], lanes);
    for (unsigned lane = 1; lane < lanes && extremes_are(e->options->unspecified); lane++) {
        one = unspecified_lane(e, element, what, lane);
        for (unsigned p = 0; p < element.parts; p++)
            value.parts[p] =
                LLVMBuildInsertElement(b, value.parts[p], one.parts[p], code_i32(&e->cx, (int32_t)lane), "");
    }
    return value;
}

NumericValue emit_specified_where(Emit *e, EmitElement element, LLVMValueRef mask, const NumericValue *value,
                                  const char *what) {
    if (!has_unspecified(e) || (mask && LLVMIsConstant(mask) && LLVMIsNull(LLVMConstNot(mask)))) return *value;
    NumericValue none = emit_unspecified(e, element, vector_lanes(value->parts[0]), what), result = none;
    // Zeros: the number stays what machines make of it.
    const bool keeps_number = !element.is_float && e->options->unspecified == COMPILE_ZEROS;
    if (keeps_number) result.parts[0] = value->parts[0];
    for (unsigned p = keeps_number; mask && p < element.parts; p++)
        result.parts[p] = LLVMBuildSelect(e->cx.builder, mask, value->parts[p], none.parts[p], "");
    return result;
}
