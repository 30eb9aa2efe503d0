// SPDX-License-Identifier: Apache-2.0
// ORC in five functions: open, add module, lookup, last diagnostic, close. Modules are compiled by the same code
// generator as object files, at once and in the calling thread; ORC links the object.
#include "compiler/target/target_internal.h"
#include "compiler/target/wide_runtime.h"
#include "sanitizer/tower.h"

#include <dlfcn.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Orc.h>
#include <stdlib.h>
#include <string.h>

struct Jit {
    LLVMOrcLLJITRef orc;
    Arena arena;
    const char *last_diagnostic;
};

// ORC's own reports: they say why a lookup fails, the lookup itself only that it does.
static void keep_report(void *context, LLVMErrorRef error) {
    Jit *jit = context;
    char *message = LLVMGetErrorMessage(error);
    jit->last_diagnostic = arena_text(&jit->arena, message, strlen(message));
    LLVMDisposeErrorMessage(message);
}

// Defines what this process has of the symbols asked for: functions of the tower, which are linked into this library,
// those that were made beforehand, and others. dlsym is called from here and not through LLVM because this
// module and the libraries it names (libm, libmvec) may be loaded out of sight of the program.
static LLVMErrorRef define_process_symbols(LLVMOrcDefinitionGeneratorRef generator, void *context,
                                           LLVMOrcLookupStateRef *state, LLVMOrcLookupKind kind,
                                           LLVMOrcJITDylibRef library, LLVMOrcJITDylibLookupFlags flags,
                                           LLVMOrcCLookupSet symbols, size_t count) {
    (void)generator, (void)context, (void)state, (void)kind, (void)flags;
    LLVMOrcCSymbolMapPair *pairs = calloc(count ? count : 1, sizeof *pairs);
    const Machine here = {.functions = precompiled_here()};
    const MachineFunction *ready;
    size_t found = 0;
    for (size_t i = 0; pairs && i < count; i++) {
        const char *name = LLVMOrcSymbolStringPoolEntryStr(symbols[i].Name);
        void *address = tower_runtime_address(name);
        if (!strcmp(name, WIDE_FUNCTION_NAME)) address = (void *)(uintptr_t)congruent_wide_function;
        if (!address && (ready = machine_function(&here, name))) address = ready->code;
        if (!address) address = dlsym(RTLD_DEFAULT, name);
        if (!address) continue;
        LLVMOrcRetainSymbolStringPoolEntry(symbols[i].Name);
        pairs[found].Name = symbols[i].Name;
        pairs[found].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)address;
        pairs[found].Sym.Flags.GenericFlags = LLVMJITSymbolGenericFlagsExported;
        found++;
    }
    LLVMErrorRef error = NULL;
    if (found) {
        LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(pairs, found);
        error = LLVMOrcJITDylibDefine(library, unit);
        if (error) LLVMOrcDisposeMaterializationUnit(unit);
    }
    free(pairs);
    return error;
}

Jit *jit_open(Diagnostics *diagnostics) {
    target_host_cpu(); // LLVM's targets are set up
    Jit *jit = calloc(1, sizeof *jit);
    if (!jit) abort(); // as arenas do
    jit->last_diagnostic = "";
    if (!llvm_check(diagnostics, LLVMOrcCreateLLJIT(&jit->orc, NULL), "opening the JIT")) {
        jit_close(jit);
        return NULL;
    }
    LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(jit->orc), keep_report, jit);
    LLVMOrcDefinitionGeneratorRef generator =
        LLVMOrcCreateCustomCAPIDefinitionGenerator(define_process_symbols, NULL, NULL);
    LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(jit->orc), generator);
    return jit;
}

void jit_close(Jit *jit) {
    if (!jit) return;
    if (jit->orc) LLVMConsumeError(LLVMOrcDisposeLLJIT(jit->orc));
    arena_reset(&jit->arena);
    free(jit);
}

bool jit_add_object(Jit *jit, Diagnostics *diagnostics, const void *bytes, size_t size) {
    LLVMMemoryBufferRef copy = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes, size, "kernels");
    LLVMErrorRef error = LLVMOrcLLJITAddObjectFile(jit->orc, LLVMOrcLLJITGetMainJITDylib(jit->orc), copy);
    return llvm_check(diagnostics, error, "adding code to the JIT");
}

bool jit_add(Jit *jit, Diagnostics *diagnostics, const Target *target, LLVMModuleRef module) {
    Buffer object = {0};
    bool good = target_emit(target, diagnostics, module, COMPILE_OBJECT, &object) &&
                jit_add_object(jit, diagnostics, object.data, object.size);
    buffer_free(&object);
    return good;
}

void *jit_lookup(Jit *jit, Diagnostics *diagnostics, const char *name) {
    LLVMOrcExecutorAddress address = 0;
    LLVMErrorRef error = LLVMOrcLLJITLookup(jit->orc, &address, name);
    if (!error) return (void *)(uintptr_t)address;
    // What ORC reported names the symbol that is missing; what the lookup gives often does not.
    if (*jit->last_diagnostic) {
        LLVMConsumeError(error);
        diag_fail(diagnostics, (Location){0}, E_LLVM, "linking kernel %s: %s", name, jit->last_diagnostic);
    } else {
        llvm_check(diagnostics, error, "linking kernels");
    }
    return NULL;
}

const char *jit_last_diagnostic(const Jit *jit) {
    return jit->last_diagnostic;
}
