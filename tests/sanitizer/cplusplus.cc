// SPDX-License-Identifier: Apache-2.0
// Both headers used from C++; called by test_profile.c.
#include "sanitizer/fpsan.h"
#include "sanitizer/fpsan_llvm.h"

extern "C" int fpsan_used_from_cplusplus(void);

// 1 if 1.5 + 2 = 2 + 1.5 in the algebra and code for it is emitted.
int fpsan_used_from_cplusplus(void) {
    const FpsanAlgebra algebra = fpsan_default_algebra();
    const uint64_t x[2] = {fpsan_embed(algebra.profile, FPSAN_F32, 0x3fc00000),
                           fpsan_embed(algebra.profile, FPSAN_F32, 0x40000000)};
    const uint64_t y[2] = {x[1], x[0]};
    if (fpsan_apply(algebra.profile, FPSAN_RULE_ADD, FPSAN_F32, x) !=
        fpsan_apply(algebra.profile, FPSAN_RULE_ADD, FPSAN_F32, y))
        return 0;
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("cplusplus", context);
    const FpsanEmit emit = {context, module, LLVMCreateBuilderInContext(context), algebra, false};
    LLVMTypeRef type = fpsan_emit_type(&emit, FPSAN_F32, 0);
    LLVMValueRef function = LLVMAddFunction(module, "negate", LLVMFunctionType(type, &type, 1, false));
    LLVMPositionBuilderAtEnd(emit.builder, LLVMAppendBasicBlockInContext(context, function, ""));
    LLVMValueRef operand = LLVMGetParam(function, 0);
    LLVMValueRef result = fpsan_emit(&emit, FPSAN_RULE_NEG, FPSAN_F32, &operand, 1);
    LLVMDisposeBuilder(emit.builder);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return result != nullptr;
}
