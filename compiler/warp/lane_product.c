// SPDX-License-Identifier: Apache-2.0
// Products of matrices in memory (WarpProduct): what wgmma and tcgen05.mma ask for. One function for each kind:
//
//   A is unpacked once: rows of units, one after the other.
//   For each 16 columns, B is unpacked and turned, so that a vector has a unit of each column.
//   For each few rows the sums are kept in registers while all units of the depth are multiplied.
#include "compiler/warp/lane_products.h"

#include "sanitizer/fpsan_llvm.h"

#include <assert.h>
#include <stddef.h>
#include <stdio.h>

enum {
    COLUMNS = 16,       // of a vector of sums
    CONVERT_LANES = 32, // elements that are unpacked at once
    TURNED = 8,         // units that are turned at once
};

// What a function multiplies.
typedef struct ProductKind {
    // Formats of the factors, one of which WarpProductJob.format_a and format_b say; count 1: all jobs have that one.
    // 0: integers of 8 bits.
    const FpsanFormat *formats_a, *formats_b;
    unsigned count_a, count_b;
    FpsanFormat sum; // FPSAN_FORMAT_COUNT: integers of 32 bits
    bool scaled;     // by block scales
    bool by_job;     // the job says whether integers have a sign and saturate; else it is
    bool signed_a, signed_b, saturate;
} ProductKind;

typedef struct Builder {
    NumericContext *cx;
    const ProductKind *kind;
    LaneDot dot;
    LLVMTypeRef stored;  // scalar of a unit in memory: i16 (ring), i32, float, double
    LLVMTypeRef element; // scalar of an element unpacked: i16, float, ..
    LLVMTypeRef sum;     // scalar of a sum in register form
    LLVMValueRef job;
    LLVMValueRef rows, columns, depth; // i64
} Builder;

// ---- small things

static LLVMTypeRef word_type(const Builder *b, unsigned bits) {
    return code_integer_type(b->cx, bits);
}

static LLVMTypeRef pointer_to(const Builder *b) {
    return LLVMPointerTypeInContext(b->cx->context, 0);
}

static LLVMValueRef number64(const Builder *b, int64_t value) {
    return code_i64(b->cx, value);
}

static LLVMValueRef times(const Builder *b, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildMul(b->cx->builder, x, y, "");
}

static LLVMValueRef plus(const Builder *b, LLVMValueRef x, LLVMValueRef y) {
    return LLVMBuildAdd(b->cx->builder, x, y, "");
}

static LLVMValueRef over(const Builder *b, LLVMValueRef x, unsigned divisor) {
    return LLVMBuildUDiv(b->cx->builder, x, number64(b, divisor), "");
}

static LLVMValueRef job_field(const Builder *b, size_t offset, LLVMTypeRef type) {
    LLVMValueRef at = code_pointer_at(b->cx, word_type(b, 8), b->job, number64(b, (int64_t)offset));
    return code_load(b->cx, type, at, LLVMGetTypeKind(type) == LLVMPointerTypeKind ? 8 : code_type_bits(type) / 8);
}

static LLVMValueRef job_count(const Builder *b, size_t offset) {
    return LLVMBuildZExt(b->cx->builder, job_field(b, offset, word_type(b, 32)), word_type(b, 64), "");
}

static LLVMValueRef job_flag(const Builder *b, size_t offset) {
    return LLVMBuildTrunc(b->cx->builder, job_field(b, offset, word_type(b, 8)), word_type(b, 1), "");
}

static unsigned scalar_bytes(LLVMTypeRef type) {
    return code_type_bits(type) / 8;
}

static LLVMValueRef memory_for(const Builder *b, LLVMTypeRef type, LLVMValueRef count) {
    LLVMValueRef memory = LLVMBuildArrayAlloca(b->cx->builder, type, count, "");
    LLVMSetAlignment(memory, 64);
    return memory;
}

// ---- unpacking

// Arguments of functions that unpack elements: where from and to, how many vectors of CONVERT_LANES, -1 where elements
// are to be negated, else 0.
static LLVMTypeRef unpack_type(const Builder *b) {
    LLVMTypeRef types[4] = {pointer_to(b), pointer_to(b), word_type(b, 64), word_type(b, 64)};
    return LLVMFunctionType(LLVMVoidTypeInContext(b->cx->context), types, 4, false);
}

// An element of a factor as it is multiplied, from what is in memory.
static LLVMValueRef unpack_element(const Builder *b, LaneElement element, LLVMValueRef bits) {
    NumericContext *cx = b->cx;
    if (element.format == FPSAN_FORMAT_COUNT) {
        LLVMTypeRef type = vector_type_like(b->element, bits);
        return element.is_signed ? LLVMBuildSExt(cx->builder, bits, type, "")
                                 : LLVMBuildZExt(cx->builder, bits, type, "");
    }
    const FpsanFormat format =
        cx->numeric == &numeric_payload && element.format == FPSAN_TF32 ? FPSAN_F32 : element.format;
    NumericValue value = cx->numeric->from_bits(cx, format, bits);
    if (b->dot.kind == LANE_DOT_REALS) {
        const FpsanFormat to = LLVMGetTypeKind(b->element) == LLVMDoubleTypeKind ? FPSAN_F64 : FPSAN_F32;
        const FloatOp op = {.rule = FPSAN_RULE_COUNT, .operand = format, .result = to};
        if (format != to) cx->numeric->convert(cx, &op, &value, &value); // exact
        return value.parts[0];
    }
    const FpsanEmit e = {cx->context, cx->module, cx->builder, cx->instrumentation.algebra, false};
    const FpsanFormat ring = b->dot.kind == LANE_DOT_PAIRS ? FPSAN_BF16 : b->dot.sum.format;
    if (fpsan_format_info(format)->ring_bits == fpsan_format_info(ring)->ring_bits) return value.parts[0];
    return fpsan_emit_dot_operand(&e, format, ring, value.parts[0]);
}

static LLVMValueRef negate_elements(const Builder *b, LLVMValueRef value, LLVMValueRef negate) {
    LLVMBuilderRef builder = b->cx->builder;
    const unsigned bits = code_type_bits(b->element), lanes = vector_lanes(value);
    LLVMValueRef mask =
        vector_splat(builder, LLVMBuildTrunc(builder, negate, word_type(b, bits < 64 ? bits : 64), ""), lanes);
    if (b->dot.kind != LANE_DOT_REALS) return LLVMBuildSub(builder, LLVMBuildXor(builder, value, mask, ""), mask, "");
    LLVMTypeRef type = LLVMTypeOf(value), words = LLVMTypeOf(mask);
    LLVMValueRef sign = LLVMBuildAnd(builder, mask, vector_integer_like(mask, bits, UINT64_C(1) << (bits - 1)), "");
    value = LLVMBuildXor(builder, LLVMBuildBitCast(builder, value, words, ""), sign, "");
    return LLVMBuildBitCast(builder, value, type, "");
}

static unsigned element_bytes(LaneElement element) {
    return element.bits <= 8 ? 1 : element.bits / 8;
}

// Loads `lanes` elements from number `index` (i64) on.
static LLVMValueRef load_elements(const Builder *b, LaneElement element, LLVMValueRef from, LLVMValueRef index,
                                  unsigned lanes) {
    const unsigned bytes = element_bytes(element);
    LLVMTypeRef scalar = word_type(b, 8 * bytes);
    return code_load(b->cx, LLVMVectorType(scalar, lanes), code_pointer_at(b->cx, scalar, from, index), bytes * 8);
}

static void build_unpack(Builder *b, LaneElement element, LLVMValueRef function) {
    NumericContext *cx = b->cx;
    CodeLoop loop = code_loop_open(cx, LLVMGetParam(function, 2));
    LLVMValueRef index = times(b, loop.index, number64(b, CONVERT_LANES));
    LLVMValueRef value =
        unpack_element(b, element, load_elements(b, element, LLVMGetParam(function, 0), index, CONVERT_LANES));
    value = negate_elements(b, value, LLVMGetParam(function, 3));
    code_store(cx, value, code_pointer_at(cx, b->element, LLVMGetParam(function, 1), index), 32);
    code_loop_close(cx, &loop);
    LLVMBuildRetVoid(cx->builder);
}

static const char *element_name(LaneElement element) {
    if (element.format != FPSAN_FORMAT_COUNT) return fpsan_format_info(element.format)->name;
    return element.is_signed ? "s8" : "u8";
}

static LLVMValueRef unpack_function(const Builder *from, LaneElement element) {
    Builder b = *from;
    CodeShared shared;
    char name[96];
    snprintf(name, sizeof name, "congruent.unpack.%s.%d.%u", element_name(element), b.dot.kind,
             code_type_bits(b.element));
    if (code_shared_open(b.cx, name, unpack_type(&b), &shared)) {
        build_unpack(&b, element, shared.function);
        code_shared_close(b.cx, &shared);
    }
    return shared.function;
}

// ---- unpacking with block scales

// Arguments: where from and to, rows, elements of a row in one block, scales (one byte for each block, those of a row
// one after the other), blocks of a row, 1 if scales are ue4m3, -1 to negate.
static LLVMTypeRef scaled_unpack_type(const Builder *b) {
    LLVMTypeRef word = word_type(b, 64);
    LLVMTypeRef types[8] = {pointer_to(b), pointer_to(b), word, word, pointer_to(b), word, word, word};
    return LLVMFunctionType(LLVMVoidTypeInContext(b->cx->context), types, 8, false);
}

// The scale as a number that elements are multiplied by.
static LLVMValueRef scale_factor(const Builder *b, FpsanFormat format, LLVMValueRef byte) {
    NumericContext *cx = b->cx;
    NumericValue value = cx->numeric->from_bits(cx, format, byte);
    if (b->dot.kind == LANE_DOT_REALS) {
        const FloatOp op = {.rule = FPSAN_RULE_COUNT, .operand = format, .result = FPSAN_F64};
        cx->numeric->convert(cx, &op, &value, &value); // exact
        return value.parts[0];
    }
    const FpsanEmit e = {cx->context, cx->module, cx->builder, cx->instrumentation.algebra, false};
    return fpsan_emit_scale_payload(&e, format, FPSAN_BF16, value.parts[0]);
}

static LLVMValueRef load_scale(const Builder *b, LLVMValueRef scales, LLVMValueRef index, LLVMValueRef is_ue4m3) {
    LLVMBuilderRef builder = b->cx->builder;
    LLVMTypeRef byte = word_type(b, 8);
    LLVMValueRef bits = code_load(b->cx, byte, code_pointer_at(b->cx, byte, scales, index), 1);
    LLVMValueRef power = scale_factor(b, FPSAN_F8E8M0FNU, bits), number = scale_factor(b, FPSAN_F8E4M3FN, bits);
    LLVMValueRef chosen = LLVMBuildICmp(builder, LLVMIntNE, is_ue4m3, number64(b, 0), "");
    return LLVMBuildSelect(builder, chosen, number, power, "");
}

enum { SCALED_LANES = 16 }; // the smallest block

static void build_scaled_unpack(Builder *b, LaneElement element, LLVMValueRef function) {
    NumericContext *cx = b->cx;
    LLVMBuilderRef builder = cx->builder;
    LLVMValueRef arguments[8];
    for (unsigned i = 0; i < BASE_COUNT(arguments); i++) arguments[i] = LLVMGetParam(function, i);
    LLVMValueRef blocks = times(b, arguments[2], arguments[5]);
    CodeLoop block = code_loop_open(cx, blocks);
    LLVMValueRef scale = load_scale(b, arguments[4], block.index, arguments[6]);
    scale = vector_splat(builder, scale, SCALED_LANES);
    LLVMValueRef first = times(b, block.index, arguments[3]);
    CodeLoop part = code_loop_open(cx, over(b, arguments[3], SCALED_LANES));
    LLVMValueRef index = plus(b, first, times(b, part.index, number64(b, SCALED_LANES)));
    LLVMValueRef value = unpack_element(b, element, load_elements(b, element, arguments[0], index, SCALED_LANES));
    value = b->dot.kind == LANE_DOT_REALS ? LLVMBuildFMul(builder, value, scale, "")
                                          : LLVMBuildMul(builder, value, scale, "");
    value = negate_elements(b, value, arguments[7]);
    code_store(cx, value, code_pointer_at(cx, b->element, arguments[1], index), SCALED_LANES);
    code_loop_close(cx, &part);
    code_loop_close(cx, &block);
    LLVMBuildRetVoid(builder);
}

static LLVMValueRef scaled_unpack_function(const Builder *from, LaneElement element) {
    Builder b = *from;
    CodeShared shared;
    char name[96];
    snprintf(name, sizeof name, "congruent.unpack_scaled.%s.%d", element_name(element), b.dot.kind);
    if (code_shared_open(b.cx, name, scaled_unpack_type(&b), &shared)) {
        build_scaled_unpack(&b, element, shared.function);
        code_shared_close(b.cx, &shared);
    }
    return shared.function;
}

// ---- factors

typedef struct FactorOfJob {
    const FpsanFormat *formats;
    unsigned count;
    bool is_signed;
    size_t format_field, signed_field, negate_field, scale_field;
} FactorOfJob;

static FactorOfJob factor_of(const ProductKind *kind, bool second) {
    if (second)
        return (FactorOfJob){kind->formats_b,
                             kind->count_b,
                             kind->signed_b,
                             offsetof(WarpProductJob, format_b),
                             offsetof(WarpProductJob, signed_b),
                             offsetof(WarpProductJob, negate_b),
                             offsetof(WarpProductJob, scale_b)};
    return (FactorOfJob){kind->formats_a,
                         kind->count_a,
                         kind->signed_a,
                         offsetof(WarpProductJob, format_a),
                         offsetof(WarpProductJob, signed_a),
                         offsetof(WarpProductJob, negate_a),
                         offsetof(WarpProductJob, scale_a)};
}

static LaneElement element_of_format(FpsanFormat format) {
    return (LaneElement){.format = format, .bits = fpsan_format_info(format)->storage_bits};
}

// The function that unpacks the factor, chosen by what the job says.
static LLVMValueRef choose_unpack(const Builder *b, const FactorOfJob *factor) {
    LLVMBuilderRef builder = b->cx->builder;
    LLVMValueRef (*of)(const Builder *, LaneElement) = b->kind->scaled ? scaled_unpack_function : unpack_function;
    if (!factor->count && !b->kind->by_job)
        return of(b, (LaneElement){.format = FPSAN_FORMAT_COUNT, .bits = 8, .is_signed = factor->is_signed});
    if (!factor->count) {
        LLVMValueRef signs[2];
        for (unsigned i = 0; i < 2; i++)
            signs[i] = of(b, (LaneElement){.format = FPSAN_FORMAT_COUNT, .bits = 8, .is_signed = i});
        return LLVMBuildSelect(builder, job_flag(b, factor->signed_field), signs[1], signs[0], "");
    }
    LLVMValueRef chosen = of(b, element_of_format(factor->formats[0]));
    if (factor->count == 1) return chosen;
    LLVMValueRef said = job_field(b, factor->format_field, word_type(b, 32));
    for (unsigned i = 1; i < factor->count; i++) {
        LLVMValueRef is = LLVMBuildICmp(builder, LLVMIntEQ, said, code_i32(b->cx, (int32_t)factor->formats[i]), "");
        chosen = LLVMBuildSelect(builder, is, of(b, element_of_format(factor->formats[i])), chosen, "");
    }
    return chosen;
}

// What is the same for all calls of one factor.
typedef struct Unpacking {
    LLVMValueRef function, from, negate, scales, scale_count, is_ue4m3;
    unsigned bytes; // of an element
} Unpacking;

static Unpacking open_unpacking(const Builder *b, bool second) {
    const FactorOfJob factor = factor_of(b->kind, second);
    LLVMValueRef negate = LLVMBuildSExt(b->cx->builder, job_flag(b, factor.negate_field), word_type(b, 64), "");
    Unpacking unpacking = {
        .function = choose_unpack(b, &factor),
        .from = job_field(b, second ? offsetof(WarpProductJob, b) : offsetof(WarpProductJob, a), pointer_to(b)),
        .negate = negate,
        .bytes = factor.count ? element_bytes(element_of_format(factor.formats[0])) : 1};
    if (!b->kind->scaled) return unpacking;
    unpacking.scales = job_field(b, factor.scale_field, pointer_to(b));
    unpacking.scale_count = job_count(b, offsetof(WarpProductJob, scale_count));
    unpacking.is_ue4m3 =
        LLVMBuildZExt(b->cx->builder, job_flag(b, offsetof(WarpProductJob, scale_ue4m3)), word_type(b, 64), "");
    return unpacking;
}

// Unpacks `rows` rows of a factor from number `first` on.
static void unpack_rows(const Builder *b, const Unpacking *unpacking, LLVMValueRef first, LLVMValueRef rows,
                        LLVMValueRef to) {
    LLVMBuilderRef builder = b->cx->builder;
    LLVMValueRef element = times(b, first, b->depth);
    LLVMValueRef from = code_pointer_at(b->cx, word_type(b, 8 * unpacking->bytes), unpacking->from, element);
    if (!b->kind->scaled) {
        LLVMValueRef arguments[4] = {from, to, over(b, times(b, rows, b->depth), CONVERT_LANES), unpacking->negate};
        LLVMBuildCall2(builder, unpack_type(b), unpacking->function, arguments, 4, "");
        return;
    }
    LLVMValueRef scales =
        code_pointer_at(b->cx, word_type(b, 8), unpacking->scales, times(b, first, unpacking->scale_count));
    LLVMValueRef block = LLVMBuildUDiv(builder, b->depth, unpacking->scale_count, "");
    LLVMValueRef arguments[8] = {
        from, to, rows, block, scales, unpacking->scale_count, unpacking->is_ue4m3, unpacking->negate};
    LLVMBuildCall2(builder, scaled_unpack_type(b), unpacking->function, arguments, 8, "");
}

// ---- turning

// Lanes of two vectors of 16: 8 x 8 blocks, of which both halves are turned alike, in three exchanges.
static LLVMValueRef exchange(const Builder *b, LLVMValueRef low, LLVMValueRef high, unsigned distance, bool second) {
    LLVMValueRef mask[COLUMNS];
    for (unsigned i = 0; i < COLUMNS; i++) {
        const bool upper = i & distance;
        const unsigned lane = second ? (upper ? COLUMNS + i : i + distance) : (upper ? COLUMNS + i - distance : i);
        mask[i] = code_i32(b->cx, (int32_t)lane);
    }
    return LLVMBuildShuffleVector(b->cx->builder, low, high, LLVMConstVector(mask, COLUMNS), "");
}

// Rows `from` of TURNED units, `row` units apart; to `to` TURNED vectors of COLUMNS.
static void turn_block(const Builder *b, LLVMValueRef from, LLVMValueRef row, LLVMValueRef to) {
    NumericContext *cx = b->cx;
    LLVMValueRef rows[COLUMNS], vectors[TURNED];
    const unsigned bytes = scalar_bytes(b->stored);
    for (unsigned i = 0; i < COLUMNS; i++) {
        LLVMValueRef at = code_pointer_at(cx, b->stored, from, times(b, row, number64(b, i)));
        rows[i] = code_load(cx, LLVMVectorType(b->stored, TURNED), at, bytes);
    }
    for (unsigned i = 0; i < TURNED; i++) {
        LLVMValueRef mask[COLUMNS];
        for (unsigned k = 0; k < COLUMNS; k++) mask[k] = code_i32(cx, (int32_t)k);
        vectors[i] = LLVMBuildShuffleVector(cx->builder, rows[i], rows[i + TURNED], LLVMConstVector(mask, COLUMNS), "");
    }
    for (unsigned distance = 1; distance < TURNED; distance *= 2)
        for (unsigned i = 0; i < TURNED; i++) {
            if (i & distance) continue;
            LLVMValueRef low = vectors[i], high = vectors[i + distance];
            vectors[i] = exchange(b, low, high, distance, false);
            vectors[i + distance] = exchange(b, low, high, distance, true);
        }
    for (unsigned i = 0; i < TURNED; i++)
        code_store(cx, vectors[i], code_pointer_at(cx, b->stored, to, number64(b, i * COLUMNS)), bytes * COLUMNS);
}

static void turn_columns(const Builder *b, LLVMValueRef from, LLVMValueRef units, LLVMValueRef to) {
    NumericContext *cx = b->cx;
    CodeLoop loop = code_loop_open(cx, over(b, units, TURNED));
    LLVMValueRef first = times(b, loop.index, number64(b, TURNED));
    LLVMValueRef there = code_pointer_at(cx, b->stored, to, times(b, first, number64(b, COLUMNS)));
    turn_block(b, code_pointer_at(cx, b->stored, from, first), units, there);
    code_loop_close(cx, &loop);
}

// ---- sums

typedef struct Sums {
    unsigned rows;                  // that are summed at once
    LLVMValueRef a, b;              // units: rows, and turned columns
    LLVMValueRef units;             // i64, of the depth
    LLVMValueRef d, stride;         // of the first element, in elements
    LLVMValueRef mask;              // of columns that exist
    LLVMValueRef accumulate, scale; // i1; what the old sums are multiplied by, or NULL
    LLVMValueRef saturate;          // i1, or NULL
} Sums;

static LLVMTypeRef sums_type(const Builder *b) {
    return LLVMVectorType(b->dot.number, COLUMNS);
}

static LLVMValueRef load_sums(const Builder *b, const Sums *sums, LLVMValueRef at) {
    LLVMBuilderRef builder = b->cx->builder;
    LLVMValueRef old = code_masked_load(b->cx, b->sum, at, sums->mask, scalar_bytes(b->sum));
    old = lane_dot_begin(b->cx, &b->dot, old);
    if (sums->scale)
        old = b->dot.kind == LANE_DOT_REALS ? LLVMBuildFMul(builder, old, sums->scale, "")
                                            : LLVMBuildMul(builder, old, sums->scale, "");
    return LLVMBuildSelect(builder, sums->accumulate, old, LLVMConstNull(LLVMTypeOf(old)), "");
}

static LLVMValueRef broadcast_unit(const Builder *b, LLVMValueRef at) {
    LLVMValueRef unit = code_load(b->cx, b->stored, at, scalar_bytes(b->stored));
    if (b->dot.kind == LANE_DOT_REALS && LLVMTypeOf(unit) != b->dot.number)
        unit = LLVMBuildFPExt(b->cx->builder, unit, b->dot.number, "");
    return vector_splat(b->cx->builder, unit, COLUMNS);
}

// The loop over the depth: sums of `count` rows.
static void sum_rows(const Builder *b, const Sums *sums, const LLVMValueRef *rows, LLVMValueRef *results) {
    NumericContext *cx = b->cx;
    LLVMBasicBlockRef before = LLVMGetInsertBlock(cx->builder);
    LLVMValueRef phis[16];
    CodeLoop loop = code_loop_open(cx, sums->units);
    for (unsigned i = 0; i < sums->rows; i++) {
        phis[i] = LLVMBuildPhi(cx->builder, sums_type(b), "");
        LLVMAddIncoming(phis[i], &results[i], &before, 1);
    }
    LLVMValueRef at = code_pointer_at(cx, b->stored, sums->b, times(b, loop.index, number64(b, COLUMNS)));
    LLVMValueRef columns = code_load(cx, LLVMVectorType(b->stored, COLUMNS), at, scalar_bytes(b->stored) * COLUMNS);
    for (unsigned i = 0; i < sums->rows; i++) {
        LLVMValueRef unit = broadcast_unit(b, code_pointer_at(cx, b->stored, rows[i], loop.index));
        results[i] = lane_dot_step(cx, &b->dot, phis[i], columns, unit);
    }
    LLVMBasicBlockRef latch = LLVMGetInsertBlock(cx->builder);
    for (unsigned i = 0; i < sums->rows; i++) LLVMAddIncoming(phis[i], &results[i], &latch, 1);
    code_loop_close(cx, &loop);
}

static LLVMValueRef add_sums(const Builder *b, const Sums *sums, LLVMValueRef old, LLVMValueRef sum) {
    LLVMBuilderRef builder = b->cx->builder;
    LLVMValueRef wrapped = LLVMBuildAdd(builder, old, sum, "");
    if (!sums->saturate) return wrapped;
    LLVMValueRef saturated = vector_intrinsic(b->cx, "llvm.sadd.sat", (LLVMValueRef[]){old, sum}, 2);
    return LLVMBuildSelect(builder, sums->saturate, saturated, wrapped, "");
}

// Rows `first` (i64) and on. Doubles are summed from the old sum on, integers are added to it.
static void emit_rows(const Builder *b, const Sums *sums, LLVMValueRef first) {
    NumericContext *cx = b->cx;
    LLVMValueRef rows[16], places[16], results[16];
    const bool reals = b->dot.kind == LANE_DOT_REALS;
    for (unsigned i = 0; i < sums->rows; i++) {
        LLVMValueRef row = plus(b, first, number64(b, i));
        rows[i] = code_pointer_at(cx, b->stored, sums->a, times(b, row, sums->units));
        places[i] = code_pointer_at(cx, b->sum, sums->d, times(b, row, sums->stride));
        results[i] = reals ? load_sums(b, sums, places[i]) : LLVMConstNull(sums_type(b));
    }
    sum_rows(b, sums, rows, results);
    for (unsigned i = 0; i < sums->rows; i++) {
        LLVMValueRef result = reals ? results[i] : add_sums(b, sums, load_sums(b, sums, places[i]), results[i]);
        code_masked_store(cx, lane_dot_end(cx, &b->dot, result), places[i], sums->mask, scalar_bytes(b->sum));
    }
}

// 2^-scale_input_d as old sums are multiplied by it.
static LLVMValueRef input_scale(const Builder *b) {
    NumericContext *cx = b->cx;
    if (b->kind->sum != FPSAN_F32 || b->kind->scaled) return NULL;
    LLVMValueRef exponent = job_field(b, offsetof(WarpProductJob, scale_input_d), word_type(b, 32));
    LLVMValueRef bits = LLVMBuildSub(cx->builder, code_i32(cx, 127), exponent, "");
    bits = LLVMBuildShl(cx->builder, bits, code_i32(cx, 23), "");
    LLVMValueRef scale = cx->numeric->from_bits(cx, FPSAN_F32, bits).parts[0];
    if (b->dot.kind == LANE_DOT_REALS) scale = LLVMBuildFPExt(cx->builder, scale, b->dot.number, "");
    return vector_splat(cx->builder, scale, COLUMNS);
}

// ---- the function

static LLVMValueRef column_mask(const Builder *b, LLVMValueRef first) {
    LLVMValueRef numbers[COLUMNS];
    for (unsigned i = 0; i < COLUMNS; i++) numbers[i] = number64(b, i);
    LLVMValueRef left = vector_splat(b->cx->builder, LLVMBuildSub(b->cx->builder, b->columns, first, ""), COLUMNS);
    return LLVMBuildICmp(b->cx->builder, LLVMIntULT, LLVMConstVector(numbers, COLUMNS), left, "");
}

static LLVMValueRef fewer(const Builder *b, LLVMValueRef x, LLVMValueRef y) {
    return vector_intrinsic(b->cx, "llvm.umin", (LLVMValueRef[]){x, y}, 2);
}

static void build_product(Builder *b) {
    NumericContext *cx = b->cx;
    b->rows = job_count(b, offsetof(WarpProductJob, rows));
    b->columns = job_count(b, offsetof(WarpProductJob, columns));
    b->depth = job_count(b, offsetof(WarpProductJob, depth));
    const bool wide = b->dot.kind == LANE_DOT_REALS;
    Sums sums = {.rows = wide ? 4 : 8,
                 .units = over(b, b->depth, b->dot.group),
                 .stride = job_count(b, offsetof(WarpProductJob, d_stride)),
                 .accumulate = job_flag(b, offsetof(WarpProductJob, accumulate)),
                 .scale = input_scale(b)};
    if (b->kind->sum == FPSAN_FORMAT_COUNT)
        sums.saturate = b->kind->by_job ? job_flag(b, offsetof(WarpProductJob, saturate))
                                        : LLVMConstInt(word_type(b, 1), b->kind->saturate, false);
    LLVMValueRef d = job_field(b, offsetof(WarpProductJob, d), pointer_to(b)), width = number64(b, COLUMNS);
    const Unpacking unpacking_a = open_unpacking(b, false), unpacking_b = open_unpacking(b, true);
    sums.a = memory_for(b, b->stored, times(b, b->rows, sums.units));
    sums.b = memory_for(b, b->stored, times(b, width, sums.units));
    LLVMValueRef unpacked = memory_for(b, b->stored, times(b, width, sums.units));
    unpack_rows(b, &unpacking_a, number64(b, 0), b->rows, sums.a);
    CodeLoop block = code_loop_open(cx, over(b, plus(b, b->columns, number64(b, COLUMNS - 1)), COLUMNS));
    LLVMValueRef first = times(b, block.index, width);
    unpack_rows(b, &unpacking_b, first, fewer(b, width, LLVMBuildSub(cx->builder, b->columns, first, "")), unpacked);
    turn_columns(b, unpacked, sums.units, sums.b);
    sums.mask = column_mask(b, first);
    sums.d = code_pointer_at(cx, b->sum, d, first);
    CodeLoop rows = code_loop_open(cx, over(b, b->rows, sums.rows));
    emit_rows(b, &sums, times(b, rows.index, number64(b, sums.rows)));
    code_loop_close(cx, &rows);
    code_loop_close(cx, &block);
    LLVMBuildRetVoid(cx->builder);
}

static void name_formats(Buffer *name, const FpsanFormat *formats, unsigned count) {
    if (!count) buffer_print(name, ".i8");
    for (unsigned i = 0; i < count; i++) buffer_print(name, ".%s", fpsan_format_info(formats[i])->name);
}

// Types of what is kept in memory while it is computed.
static void choose_types(Builder *b) {
    NumericContext *cx = b->cx;
    b->stored = b->dot.unit;
    b->element = b->dot.kind == LANE_DOT_PAIRS ? code_integer_type(cx, 16) : b->dot.unit;
    b->sum =
        b->kind->sum == FPSAN_FORMAT_COUNT ? code_integer_type(cx, 32) : cx->numeric->part_type(cx, b->kind->sum, 0);
}

static LaneElement first_element(const FpsanFormat *formats, unsigned count) {
    const LaneElement integer = {.format = FPSAN_FORMAT_COUNT, .bits = 8};
    return count ? element_of_format(formats[0]) : integer;
}

// ---- kinds

static const FpsanFormat halves[] = {FPSAN_F16, FPSAN_BF16}, words[] = {FPSAN_TF32}, nibbles[] = {FPSAN_F4E2M1FN},
                         bytes[] = {FPSAN_F8E4M3FN, FPSAN_F8E5M2, FPSAN_F6E2M3FN, FPSAN_F6E3M2FN, FPSAN_F4E2M1FN};

static const struct TensorKindRow {
    const FpsanFormat *formats;
    unsigned count;
    bool scaled;
} tensor_kind_rows[] = {
    [WARP_KIND_F16] = {halves, BASE_COUNT(halves), false},
    [WARP_KIND_TF32] = {words, BASE_COUNT(words), false},
    [WARP_KIND_F8F6F4] = {bytes, BASE_COUNT(bytes), false},
    [WARP_KIND_I8] = {NULL, 0, false},
    [WARP_KIND_MXF8F6F4] = {bytes, BASE_COUNT(bytes), true},
    [WARP_KIND_MXF4] = {nibbles, BASE_COUNT(nibbles), true},
    [WARP_KIND_MXF4NVF4] = {nibbles, BASE_COUNT(nibbles), true},
};

static ProductKind tensor_kind(WarpTensorKind kind) {
    const struct TensorKindRow *row = &tensor_kind_rows[kind];
    return (ProductKind){.formats_a = row->formats,
                         .formats_b = row->formats,
                         .count_a = row->count,
                         .count_b = row->count,
                         .sum = row->count ? FPSAN_F32 : FPSAN_FORMAT_COUNT,
                         .scaled = row->scaled,
                         .by_job = true};
}

// `formats`: room for those of a and b.
static ProductKind group_kind(const LaneProduct *product, FpsanFormat *formats) {
    formats[0] = ptx_type_info(product->a)->format;
    formats[1] = ptx_type_info(product->b)->format;
    const unsigned count = formats[0] != FPSAN_FORMAT_COUNT;
    return (ProductKind){.formats_a = &formats[0],
                         .formats_b = &formats[1],
                         .count_a = count,
                         .count_b = count,
                         .sum = ptx_type_info(product->d)->format,
                         .signed_a = ptx_type_info(product->a)->kind == PTX_SIGNED,
                         .signed_b = ptx_type_info(product->b)->kind == PTX_SIGNED,
                         .saturate = product->saturate};
}

static void name_kind(Buffer *name, const ProductKind *kind) {
    buffer_print(name, "congruent.product.%d%d%d%d%d%d", (int)kind->sum, kind->scaled, kind->by_job, kind->signed_a,
                 kind->signed_b, kind->saturate);
    name_formats(name, kind->formats_a, kind->count_a);
    name_formats(name, kind->formats_b, kind->count_b);
}

static LLVMValueRef product_of_kind(LaneCode *code, const ProductKind *kind) {
    NumericContext *cx = &code->cx;
    Builder b = {.cx = cx, .kind = kind};
    CodeShared shared;
    Buffer name = {0};
    LaneElement sum = {.format = kind->sum, .bits = 32};
    if (kind->sum != FPSAN_FORMAT_COUNT) sum.bits = fpsan_format_info(kind->sum)->bits;
    if (!lane_dot_plan(code, first_element(kind->formats_a, kind->count_a),
                       first_element(kind->formats_b, kind->count_b), sum, kind->scaled, &b.dot))
        return NULL;
    choose_types(&b);
    name_kind(&name, kind);
    LLVMTypeRef pointer = LLVMPointerTypeInContext(cx->context, 0);
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cx->context), &pointer, 1, false);
    if (code_shared_open(cx, name.data, type, &shared)) {
        b.job = LLVMGetParam(shared.function, 0);
        build_product(&b);
        code_shared_close(cx, &shared);
    }
    buffer_free(&name);
    return shared.function;
}

LLVMValueRef lane_product_function(LaneCode *code, const LaneProduct *product) {
    FpsanFormat formats[2];
    if (!product->tensor && product->a == PTX_b1) {
        lane_refuse(code, "products of single bits in memory are not supported");
        return NULL;
    }
    const ProductKind kind = product->tensor ? tensor_kind(product->kind) : group_kind(product, formats);
    return product_of_kind(code, &kind);
}

// ---- converters

static LLVMValueRef convert_lanes(NumericContext *cx, FpsanFormat format, bool to_bits, LLVMValueRef value) {
    if (to_bits) return cx->numeric->to_bits(cx, format, &(NumericValue){.parts = {value}});
    return cx->numeric->from_bits(cx, format, value).parts[0];
}

// Numbers first, first + step, .. of an array, `lanes` at a time (0: a scalar).
static void convert_some(NumericContext *cx, FpsanFormat format, bool to_bits, LLVMValueRef array, LLVMValueRef first,
                         LLVMValueRef count, unsigned lanes) {
    const unsigned bits = fpsan_format_info(format)->bits;
    LLVMTypeRef scalar = code_integer_type(cx, bits), type = vector_type(scalar, lanes);
    CodeGuard guard = code_guard_open(cx, LLVMBuildICmp(cx->builder, LLVMIntNE, count, code_i64(cx, 0), ""));
    CodeLoop loop = code_loop_open(cx, count);
    LLVMValueRef index = LLVMBuildMul(cx->builder, loop.index, code_i64(cx, lanes ? lanes : 1), "");
    LLVMValueRef at = code_pointer_at(cx, scalar, array, LLVMBuildAdd(cx->builder, first, index, ""));
    code_store(cx, convert_lanes(cx, format, to_bits, code_load(cx, type, at, bits / 8)), at, bits / 8);
    code_loop_close(cx, &loop);
    code_guard_close(cx, &guard, 0, NULL);
}

LLVMValueRef lane_convert_function(LaneCode *code, FpsanFormat format, bool to_bits) {
    NumericContext *cx = &code->cx;
    CodeShared shared;
    char name[64];
    if (!lane_in_place(code)) return NULL;
    LLVMTypeRef types[2] = {LLVMPointerTypeInContext(cx->context, 0), code_integer_type(cx, 64)};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(cx->context), types, 2, false);
    snprintf(name, sizeof name, "congruent.%s_array.%s", to_bits ? "unembed" : "embed",
             fpsan_format_info(format)->name);
    if (!code_shared_open(cx, name, type, &shared)) return shared.function;
    LLVMValueRef array = LLVMGetParam(shared.function, 0), count = LLVMGetParam(shared.function, 1);
    LLVMValueRef width = code_i64(cx, CONVERT_LANES);
    LLVMValueRef vectors = LLVMBuildUDiv(cx->builder, count, width, "");
    LLVMValueRef done = LLVMBuildMul(cx->builder, vectors, width, "");
    convert_some(cx, format, to_bits, array, code_i64(cx, 0), vectors, CONVERT_LANES);
    convert_some(cx, format, to_bits, array, done, LLVMBuildSub(cx->builder, count, done, ""), 0);
    LLVMBuildRetVoid(cx->builder);
    code_shared_close(cx, &shared);
    return shared.function;
}
