// SPDX-License-Identifier: Apache-2.0
// Functions that the kernels of a module share.
#include "compiler/lower/emit.h"

bool emit_shared_open(Emit *e, const char *name, LLVMTypeRef type, EmitShared *shared) {
    LLVMBuilderRef builder = e->cx.builder;
    *shared = (EmitShared){.function = LLVMGetNamedFunction(e->cx.module, name),
                           .caller = e->kernel,
                           .here = LLVMGetInsertBlock(builder),
                           .line = LLVMGetCurrentDebugLocation2(builder)};
    if (shared->function) return false;
    shared->function = LLVMAddFunction(e->cx.module, name, type);
    LLVMSetLinkage(shared->function, LLVMInternalLinkage);
    e->kernel = shared->function;
    LLVMSetCurrentDebugLocation2(builder, NULL); // it belongs to no line
    LLVMPositionBuilderAtEnd(builder, emit_block(e, "entry"));
    return true;
}

void emit_shared_close(Emit *e, const EmitShared *shared) {
    e->kernel = shared->caller;
    LLVMPositionBuilderAtEnd(e->cx.builder, shared->here);
    LLVMSetCurrentDebugLocation2(e->cx.builder, shared->line);
}
