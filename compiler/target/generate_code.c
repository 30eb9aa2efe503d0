// SPDX-License-Identifier: Apache-2.0
// From a finished module to code: the passes of an optimisation level; text, assembly or an object file; and which
// files that code comes from.
#include "compiler/target/target_internal.h"

#include <dlfcn.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>
#include <sys/stat.h>

// ---- passes ---------------------------------------------------------------------------------------------------------

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

static bool run_passes(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module, const char *passes) {
    if (!*passes) return true;
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, target->llvm, options);
    LLVMDisposePassBuilderOptions(options);
    return llvm_check(diagnostics, error, "optimising");
}

bool target_optimize(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module) {
    char *message = NULL;
    if (LLVMVerifyModule(module, LLVMReturnStatusAction, &message))
        return llvm_fail(diagnostics, message, "the lowering made a module that LLVM does not accept");
    LLVMDisposeMessage(message);
    add_attributes(target, module);
    const TargetPipeline *pipeline = &target_pipelines[target->level];
    return run_passes(target, diagnostics, module, target->gpu ? pipeline->gpu_passes : pipeline->passes);
}

bool target_take_counts_out(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module) {
    return !target->level || run_passes(target, diagnostics, module, "function(loop(indvars))");
}

// ---- output ---------------------------------------------------------------------------------------------------------

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

// ---- the toolchain: a cache must not give what other files would make -----------------------------------------------

static void print_file(const char *path, Buffer *out) {
    struct stat status;
    if (!path || stat(path, &status)) return;
    buffer_print(out, "%s %lld %lld.%09ld\n", path, (long long)status.st_size, (long long)status.st_mtim.tv_sec,
                 status.st_mtim.tv_nsec);
}

void target_print_toolchain(bool for_gpu, Buffer *out) {
    // This module, and LLVM.
    void *const functions[] = {(void *)target_print_toolchain, (void *)LLVMContextCreate};
    static const ToolkitFileId files[] = {TOOLKIT_PTXAS, TOOLKIT_LIBDEVICE};
    Arena arena = {0};
    Dl_info info;
    for (size_t i = 0; i < BASE_COUNT(functions); i++)
        if (dladdr(functions[i], &info)) print_file(info.dli_fname, out);
    if (!for_gpu) target_print_host(out);
    for (size_t i = 0; for_gpu && i < BASE_COUNT(files); i++) {
        buffer_print(out, "%zu: ", i);
        print_file(toolkit_find(&arena, files[i]), out);
    }
    arena_reset(&arena);
}
