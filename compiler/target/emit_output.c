// SPDX-License-Identifier: Apache-2.0
// A module as text, assembly or an object file.
#include "compiler/target/target_internal.h"

#include <string.h>

static void append_text(LLVMModuleRef module, Buffer *out) {
    char *text = LLVMPrintModuleToString(module);
    buffer_append(out, text, strlen(text));
    LLVMDisposeMessage(text);
}

bool target_emit(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module, CompileOutput output,
                 Buffer *out) {
    if (output == COMPILE_LLVM) {
        append_text(module, out);
        return true;
    }
    LLVMCodeGenFileType type = output == COMPILE_ASM ? LLVMAssemblyFile : LLVMObjectFile;
    LLVMMemoryBufferRef memory = NULL;
    char *message = NULL;
    size_t errors = diagnostics->count;
    if (LLVMTargetMachineEmitToMemoryBuffer(target->llvm, module, type, &message, &memory))
        return llvm_fail(diagnostics, message, "generating code");
    if (diagnostics->count == errors) buffer_append(out, LLVMGetBufferStart(memory), LLVMGetBufferSize(memory));
    LLVMDisposeMemoryBuffer(memory);
    return diagnostics->count == errors; // the context may have reported errors without failing
}
