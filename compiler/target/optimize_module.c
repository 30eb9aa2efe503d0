// SPDX-License-Identifier: Apache-2.0
// Verifying a module and running the passes of an optimisation level.
#include "compiler/target/target_internal.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

static void add_attribute(LLVMValueRef function, const char *name) {
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    unsigned kind = LLVMGetEnumAttributeKindForName(name, strlen(name));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(context, kind, 0));
}

// Kernels never throw, may use registers as wide as the target prefers, and not much stack (llvm_error.c).
static void add_attributes(const Target *target, LLVMModuleRef module) {
    Buffer width = {0}, stack = {0};
    buffer_print(&width, "%u", target->machine.vector_bits);
    buffer_print(&stack, "%d", TARGET_STACK_MAX);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) continue;
        add_attribute(f, "nounwind");
        LLVMAddTargetDependentFunctionAttr(f, "prefer-vector-width", width.data);
        LLVMAddTargetDependentFunctionAttr(f, "warn-stack-size", stack.data);
    }
    buffer_free(&width);
    buffer_free(&stack);
}

bool target_optimize(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module) {
    char *message = NULL;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        return llvm_fail(diagnostics, message, "the lowering made a module that LLVM does not accept");
    LLVMDisposeMessage(message);
    add_attributes(target, module);
    const char *passes = target_pipelines[target->level].passes;
    if (!*passes) return true;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, target->llvm, options);
    LLVMDisposePassBuilderOptions(options);
    return llvm_check(diagnostics, error, "optimising");
}
