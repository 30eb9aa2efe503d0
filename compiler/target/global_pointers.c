// SPDX-License-Identifier: Apache-2.0
// Pointers that a GPU's code makes of numbers are said to be of global memory, so that its loads and stores are those
// of global memory and not of any. Kernels keep the addresses they are given as numbers; only Tile IR's own alloca can
// make a number of an address in shared memory, and a module that does is left as it is.
#include "compiler/target/target_internal.h"

enum { GLOBAL = 1, DEPTH_MAX = 8 };

// Whether what is computed from the number of an address may be more than a comparison, as of its alignment.
static bool escapes(LLVMValueRef number, unsigned depth) {
    for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        LLVMOpcode opcode = LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : LLVMPtrToInt;
        if (opcode == LLVMICmp) continue;
        if (opcode != LLVMAnd && opcode != LLVMOr && opcode != LLVMTrunc) return true;
        if (depth >= DEPTH_MAX || escapes(user, depth + 1)) return true;
    }
    return false;
}

// Whether a constant has the number of an address that is not in global memory.
static bool has_number(LLVMValueRef constant, bool inside) {
    if (LLVMIsAGlobalValue(constant)) return inside && LLVMGetPointerAddressSpace(LLVMTypeOf(constant)) != GLOBAL;
    if (!LLVMIsAConstantExpr(constant) && !LLVMIsAConstantVector(constant)) return false;
    if (LLVMIsAConstantExpr(constant) && LLVMGetConstOpcode(constant) == LLVMPtrToInt) inside = true;
    for (int i = 0; i < LLVMGetNumOperands(constant); i++)
        if (has_number(LLVMGetOperand(constant, (unsigned)i), inside)) return true;
    return false;
}

static bool makes_number(LLVMValueRef instruction) {
    if (LLVMGetInstructionOpcode(instruction) == LLVMPtrToInt) return escapes(instruction, 0);
    for (int i = 0; i < LLVMGetNumOperands(instruction); i++) {
        LLVMValueRef operand = LLVMGetOperand(instruction, (unsigned)i);
        if (LLVMIsAConstant(operand) && has_number(operand, false)) return true;
    }
    return false;
}

static bool is_generic_pointer(LLVMTypeRef type) {
    return LLVMGetTypeKind(type) == LLVMPointerTypeKind && !LLVMGetPointerAddressSpace(type);
}

static void rewrite(LLVMBuilderRef builder, LLVMValueRef pointer) {
    LLVMTypeRef type = LLVMTypeOf(pointer), global = LLVMPointerTypeInContext(LLVMGetTypeContext(type), GLOBAL);
    LLVMPositionBuilderBefore(builder, pointer);
    LLVMValueRef made = LLVMBuildIntToPtr(builder, LLVMGetOperand(pointer, 0), global, "");
    LLVMReplaceAllUsesWith(pointer, LLVMBuildAddrSpaceCast(builder, made, type, ""));
    LLVMInstructionEraseFromParent(pointer);
}

// Calls `visit` for each instruction until it returns true, which it then does, too.
typedef bool Visit(LLVMBuilderRef builder, LLVMValueRef instruction);

static bool for_each(LLVMModuleRef module, LLVMBuilderRef builder, Visit *visit) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
            for (LLVMValueRef at = LLVMGetFirstInstruction(block), next; at; at = next) {
                next = LLVMGetNextInstruction(at);
                if (visit(builder, at)) return true;
            }
    return false;
}

static bool visit_number(LLVMBuilderRef builder, LLVMValueRef instruction) {
    (void)builder;
    return makes_number(instruction);
}

static bool visit_pointer(LLVMBuilderRef builder, LLVMValueRef instruction) {
    if (LLVMGetInstructionOpcode(instruction) == LLVMIntToPtr && is_generic_pointer(LLVMTypeOf(instruction)))
        rewrite(builder, instruction);
    return false;
}

void target_mark_global_pointers(LLVMModuleRef module) {
    if (for_each(module, NULL, visit_number)) return;
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
    for_each(module, builder, visit_pointer);
    LLVMDisposeBuilder(builder);
}
