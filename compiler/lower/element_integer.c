// SPDX-License-Identifier: Apache-2.0
// Element-wise integer and pointer ops. Overflow wraps: the promises of overflow attributes are not used. Shifts by the
// width or more give 0, or the sign.
#include "compiler/lower/emit.h"
#include "sanitizer/fpsan_llvm.h"

static unsigned width_of(LLVMValueRef value) {
    return LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(value)));
}

static LLVMValueRef constant_like(LLVMValueRef like, uint64_t value) {
    return vector_integer_like(like, width_of(like), value);
}

static LLVMValueRef intrinsic2(Emit *e, const char *name, LLVMValueRef a, LLVMValueRef b) {
    return vector_intrinsic(&e->cx, name, (LLVMValueRef[]){a, b}, 2);
}

static LLVMValueRef high_product(Emit *e, LLVMValueRef a, LLVMValueRef b) {
    LLVMBuilderRef builder = e->cx.builder;
    unsigned bits = width_of(a);
    LLVMTypeRef wide = vector_type_like(code_integer_type(&e->cx, 2 * bits), a);
    LLVMValueRef product =
        LLVMBuildMul(builder, LLVMBuildZExt(builder, a, wide, ""), LLVMBuildZExt(builder, b, wide, ""), "");
    product = LLVMBuildLShr(builder, product, vector_integer_like(a, 2 * bits, bits), "");
    return LLVMBuildTrunc(builder, product, LLVMTypeOf(a), "");
}

static LLVMValueRef shift(Emit *e, const TirOp *op, LLVMValueRef x, LLVMValueRef by) {
    LLVMBuilderRef builder = e->cx.builder;
    unsigned bits = width_of(x);
    LLVMValueRef fits = LLVMBuildICmp(builder, LLVMIntULT, by, constant_like(by, bits), "");
    bool arithmetic = op->kind == TIR_OP_shri && tir_attribute_integer(op, "signedness") == TIR_signedness_signed;
    LLVMValueRef safe = LLVMBuildSelect(builder, fits, by, constant_like(by, arithmetic ? bits - 1 : 0), "");
    if (arithmetic) return LLVMBuildAShr(builder, x, safe, "");
    LLVMValueRef shifted =
        op->kind == TIR_OP_shli ? LLVMBuildShl(builder, x, safe, "") : LLVMBuildLShr(builder, x, safe, "");
    return LLVMBuildSelect(builder, fits, shifted, constant_like(x, 0), "");
}

bool element_integer(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    LLVMBuilderRef builder = e->cx.builder;
    LLVMValueRef a = operands[0].parts[0], b = op->operand_count > 1 ? operands[1].parts[0] : NULL, r = NULL;
    bool is_signed = op->kind == TIR_OP_maxi || op->kind == TIR_OP_mini
                         ? tir_attribute_integer(op, "signedness") == TIR_signedness_signed
                         : false;
    switch (op->kind) {
    case TIR_OP_absi:
        r = LLVMBuildSelect(builder, LLVMBuildICmp(builder, LLVMIntSLT, a, constant_like(a, 0), ""),
                            LLVMBuildNeg(builder, a, ""), a, "");
        break;
    case TIR_OP_addi: r = LLVMBuildAdd(builder, a, b, ""); break;
    case TIR_OP_subi: r = LLVMBuildSub(builder, a, b, ""); break;
    case TIR_OP_muli: r = LLVMBuildMul(builder, a, b, ""); break;
    case TIR_OP_mulhii: r = high_product(e, a, b); break;
    case TIR_OP_negi: r = LLVMBuildNeg(builder, a, ""); break;
    case TIR_OP_andi: r = LLVMBuildAnd(builder, a, b, ""); break;
    case TIR_OP_ori: r = LLVMBuildOr(builder, a, b, ""); break;
    case TIR_OP_xori: r = LLVMBuildXor(builder, a, b, ""); break;
    case TIR_OP_maxi: r = intrinsic2(e, is_signed ? "llvm.smax" : "llvm.umax", a, b); break;
    case TIR_OP_mini: r = intrinsic2(e, is_signed ? "llvm.smin" : "llvm.umin", a, b); break;
    case TIR_OP_shli:
    case TIR_OP_shri: r = shift(e, op, a, b); break;
    default: return emit_fail(e, E_UNSUPPORTED, "this integer operation is not supported yet");
    }
    result->parts[0] = r;
    return true;
}

bool element_compare_integer(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    bool is_signed = tir_attribute_integer(op, "signedness") == TIR_signedness_signed;
    result->parts[0] = LLVMBuildICmp(
        e->cx.builder, fpsan_integer_predicate((FpsanPredicate)tir_attribute_integer(op, "predicate"), is_signed),
        operands[0].parts[0], operands[1].parts[0], "");
    return true;
}

static LLVMTypeRef result_type(Emit *e, const TirOp *op, LLVMValueRef like) {
    return vector_type_like(code_integer_type(&e->cx, emit_element(e, emit_type_of(e, tir_result(op, 0))).bits), like);
}

bool element_extend(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    LLVMValueRef x = operands[0].parts[0];
    bool is_signed = tir_attribute_integer(op, "signedness") == TIR_signedness_signed;
    result->parts[0] = is_signed ? LLVMBuildSExt(e->cx.builder, x, result_type(e, op, x), "")
                                 : LLVMBuildZExt(e->cx.builder, x, result_type(e, op, x), "");
    return true;
}

bool element_truncate(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    LLVMValueRef x = operands[0].parts[0];
    result->parts[0] = LLVMBuildTrunc(e->cx.builder, x, result_type(e, op, x), "");
    return true;
}

// ptr + signed offset * storage size of the pointee.
bool element_offset(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    LLVMBuilderRef builder = e->cx.builder;
    TirType type = emit_type_of(e, op->operands[0]);
    const TirTypeInfo *tile = tir_type(e->module, type);
    TirTypeKind pointee = tir_type(e->module, tir_type(e->module, tile->element)->element)->kind;
    unsigned step = emit_element(e, type).points_to_halves ? 1 : tir_type_rows[pointee].storage_bytes;
    LLVMValueRef base = operands[0].parts[0], by = operands[1].parts[0];
    LLVMTypeRef i64 = vector_type_like(code_integer_type(&e->cx, 64), by);
    if (width_of(by) < 64) by = LLVMBuildSExt(builder, by, i64, "");
    by = LLVMBuildMul(builder, by, constant_like(by, step), "");
    result->parts[0] = LLVMBuildAdd(builder, base, by, "");
    return true;
}

// Pointers are 64-bit integers in registers.
bool element_pointer_bits(Emit *e, const TirOp *op, const NumericValue *operands, NumericValue *result) {
    EmitElement from = emit_element(e, emit_type_of(e, op->operands[0])),
                to = emit_element(e, emit_type_of(e, tir_result(op, 0)));
    result->parts[0] = operands[0].parts[0];
    if (from.points_to_halves == to.points_to_halves) return true;
    result->parts[0] = emit_pointer_from_address(e, to, emit_address_of_pointer(e, from, operands[0].parts[0]));
    return true;
}
