// SPDX-License-Identifier: Apache-2.0
// Directed rounding of float and double operations. On processors the operation stands in a function of its own that
// sets the machine's rounding, computes, and restores round-to-nearest: such a function is never inlined, so that no
// other float operation, which LLVM may move freely, can get between the two settings. GPUs have instructions.
#include "compiler/numeric/numeric_internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static LLVMAttributeRef attribute(LLVMContextRef context, const char *name) {
    return LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);
}

static LLVMValueRef call_strict(const NumericContext *cx, const char *name, LLVMTypeRef *overload,
                                LLVMValueRef *operands, unsigned count) {
    unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
    assert(id);
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(cx->module, id, overload, overload ? 1 : 0);
    LLVMValueRef call = LLVMBuildCall2(cx->builder, LLVMGlobalGetValueType(function), function, operands, count, "");
    LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, attribute(cx->context, "strictfp"));
    return call;
}

static LLVMValueRef metadata_text(const NumericContext *cx, const char *text) {
    return LLVMMetadataAsValue(cx->context, LLVMMDStringInContext2(cx->context, text, strlen(text)));
}

static void set_rounding(const NumericContext *cx, FpsanRounding rounding) {
    static const int modes[FPSAN_ROUNDING_COUNT] = {
#define ROUNDING(name, text, tile_ir, ptx, llvm) llvm,
#include "sanitizer/format/roundings.def"
#undef ROUNDING
    };
    assert(modes[rounding] >= 0);
    LLVMValueRef operand = LLVMConstInt(LLVMInt32TypeInContext(cx->context), (unsigned)modes[rounding], 0);
    call_strict(cx, "llvm.set.rounding", NULL, &operand, 1);
}

// Same processor and features as the function the code is for: vectors are passed in registers.
static void copy_target(const NumericContext *cx, LLVMValueRef function) {
    static const char *const names[] = {"target-cpu", "target-features", "tune-cpu", "prefer-vector-width",
                                        "min-legal-vector-width"};
    LLVMValueRef caller = LLVMGetBasicBlockParent(LLVMGetInsertBlock(cx->builder));
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        LLVMAttributeRef found =
            LLVMGetStringAttributeAtIndex(caller, LLVMAttributeFunctionIndex, names[i], (unsigned)strlen(names[i]));
        if (found) LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, found);
    }
}

static void build_body(const NumericContext *cx, LLVMValueRef function, FpsanRule rule, FpsanRounding rounding,
                       LLVMTypeRef type, unsigned count) {
    NumericContext inner = *cx;
    LLVMValueRef operands[5];
    inner.builder = LLVMCreateBuilderInContext(cx->context);
    LLVMPositionBuilderAtEnd(inner.builder, LLVMAppendBasicBlockInContext(cx->context, function, ""));
    for (unsigned i = 0; i < count; i++) operands[i] = LLVMGetParam(function, i);
    operands[count] = metadata_text(cx, "round.dynamic");
    operands[count + 1] = metadata_text(cx, "fpexcept.strict");
    set_rounding(&inner, rounding);
    LLVMValueRef result = call_strict(&inner, machine_strict(rule), &type, operands, count + 2);
    set_rounding(&inner, FPSAN_NEAREST_EVEN);
    LLVMBuildRet(inner.builder, result);
    LLVMDisposeBuilder(inner.builder);
}

// ---- GPUs ---------------------------------------------------------------------------------------

static LLVMValueRef build_instruction(const NumericContext *cx, const char *name, const LLVMValueRef *operands,
                                      unsigned count) {
    LLVMTypeRef type = LLVMTypeOf(operands[0]);
    if (strncmp(name, "llvm.", 5) != 0) { // PTX
        char constraints[] = "=f,f";
        assert(count == 1 && LLVMGetTypeKind(type) == LLVMFloatTypeKind);
        LLVMTypeRef function = LLVMFunctionType(type, &type, 1, 0);
        LLVMValueRef text = LLVMGetInlineAsm(function, name, strlen(name), constraints, strlen(constraints), 0, 0,
                                             LLVMInlineAsmDialectATT, 0);
        return LLVMBuildCall2(cx->builder, function, text, (LLVMValueRef[]){operands[0]}, 1, "");
    }
    bool overloaded = LLVMIntrinsicIsOverloaded(LLVMLookupIntrinsicID(name, strlen(name)));
    return vector_intrinsic_of(cx, name, &type, overloaded, operands, count);
}

LLVMValueRef ieee_each_lane(const NumericContext *cx, const char *name, const LLVMValueRef *operands, unsigned count) {
    LLVMValueRef lane[3], result = LLVMGetPoison(LLVMTypeOf(operands[0]));
    unsigned lanes = vector_lanes(operands[0]);
    assert(count <= BASE_COUNT(lane));
    if (!lanes) return build_instruction(cx, name, operands, count);
    for (unsigned at = 0; at < lanes; at++) {
        LLVMValueRef index = LLVMConstInt(LLVMInt32TypeInContext(cx->context), at, 0);
        for (unsigned i = 0; i < count; i++) lane[i] = LLVMBuildExtractElement(cx->builder, operands[i], index, "");
        result = LLVMBuildInsertElement(cx->builder, result, build_instruction(cx, name, lane, count), index, "");
    }
    return result;
}

LLVMValueRef ieee_instruction(const NumericContext *cx, FpsanRule rule, FpsanRounding rounding, bool flush,
                              const LLVMValueRef *operands, unsigned count) {
    char name[MACHINE_NAME_SIZE];
    LLVMValueRef given[3];
    bool single = LLVMGetTypeKind(vector_element(LLVMTypeOf(operands[0]))) == LLVMFloatTypeKind;
    if (count > BASE_COUNT(given) || !machine_directed(rule, rounding, single, flush, name)) return NULL;
    for (unsigned i = 0; i < count; i++) given[i] = operands[i];
    if (rule == FPSAN_RULE_SUB) given[1] = LLVMBuildFNeg(cx->builder, given[1], "");
    return ieee_each_lane(cx, name, given, count);
}

LLVMValueRef ieee_directed(const NumericContext *cx, FpsanRule rule, FpsanRounding rounding,
                           const LLVMValueRef *operands, unsigned count) {
    static const char *const attributes[] = {"strictfp", "noinline", "nounwind"};
    char name[128];
    LLVMTypeRef type = LLVMTypeOf(operands[0]), parameters[3] = {type, type, type};
    LLVMValueRef copy[3];
    bool single = LLVMGetTypeKind(vector_element(type)) == LLVMFloatTypeKind;
    if (!machine_strict(rule) || count > BASE_COUNT(copy)) return NULL;
    if (cx->machine.names_rounding) return ieee_instruction(cx, rule, rounding, false, operands, count);
    snprintf(name, sizeof name, "congruent.%s.%s.v%u%s", fpsan_rule_info(rule)->name, fpsan_rounding_name(rounding),
             vector_lanes(operands[0]), single ? "f32" : "f64");
    LLVMTypeRef function_type = LLVMFunctionType(type, parameters, count, 0);
    LLVMValueRef function = LLVMGetNamedFunction(cx->module, name);
    if (!function) {
        function = LLVMAddFunction(cx->module, name, function_type);
        LLVMSetLinkage(function, LLVMInternalLinkage);
        for (size_t i = 0; i < BASE_COUNT(attributes); i++)
            LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute(cx->context, attributes[i]));
        copy_target(cx, function);
        build_body(cx, function, rule, rounding, type, count);
    }
    for (unsigned i = 0; i < count; i++) copy[i] = operands[i];
    return LLVMBuildCall2(cx->builder, function_type, function, copy, count, "");
}
