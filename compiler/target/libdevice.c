// SPDX-License-Identifier: Apache-2.0
// CUDA's math functions, as LLVM bitcode: those that a module calls become functions of its own.
#include "compiler/target/target_internal.h"

#include <llvm-c/BitReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

// Functions up to this size are inlined wherever they are called, larger ones where there is one call.
enum { SMALL = 48 };

// The name of a function that is called and only the library can have; NULL for others.
static const char *name_in_library(LLVMValueRef function) {
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    return LLVMIsDeclaration(function) && LLVMGetFirstUse(function) && target_is_of_libdevice(name) ? name : NULL;
}

static const char *find_call(LLVMModuleRef module) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (name_in_library(f)) return name_in_library(f);
    return NULL;
}

// Whether the library has what is called, and as it is called.
static bool check_library(Diagnostics *diagnostics, LLVMModuleRef module, LLVMModuleRef library, const char *path) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        const char *name = name_in_library(f);
        LLVMValueRef found = name ? LLVMGetNamedFunction(library, name) : NULL;
        if (name && (!found || LLVMIsDeclaration(found) || LLVMGlobalGetValueType(found) != LLVMGlobalGetValueType(f)))
            return diag_fail(diagnostics, (Location){.file = path}, E_BACKEND, "%s %s",
                             found ? "has another" : "has no", name);
    }
    return true;
}

bool target_is_of_libdevice(const char *function) {
    return !strncmp(function, "__nv_", 5);
}

// The library, its bodies not yet read; NULL and a diagnostic if it cannot be.
static LLVMModuleRef open_library(Diagnostics *diagnostics, LLVMContextRef context, const char *path) {
    LLVMMemoryBufferRef file;
    LLVMModuleRef library;
    char *message = NULL;
    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &file, &message)) {
        diag_fail(diagnostics, (Location){.file = path}, E_FILE, "cannot read: %s", message);
        LLVMDisposeMessage(message);
        return NULL;
    }
    size_t errors = diagnostics->count;
    if (!LLVMGetBitcodeModuleInContext2(context, file, &library)) return library;
    LLVMDisposeMemoryBuffer(file);
    if (diagnostics->count == errors)
        diag_fail(diagnostics, (Location){.file = path}, E_BACKEND, "not bitcode of libdevice");
    return NULL;
}

// The linker takes functions that may be dropped only if something calls them. Those that the library keeps to itself
// get names that no kernel has.
static void make_droppable(Arena *arena, LLVMModuleRef library) {
    for (LLVMValueRef f = LLVMGetFirstFunction(library); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f)) continue;
        if (LLVMGetLinkage(f) != LLVMExternalLinkage) {
            size_t length;
            const char *name = LLVMGetValueName2(f, &length);
            name = arena_format(arena, "__nv_internal.%s", name);
            LLVMSetValueName2(f, name, strlen(name));
        }
        LLVMSetLinkage(f, LLVMLinkOnceODRLinkage);
    }
}

static unsigned enum_attribute(const char *name) {
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

static void set_attribute(LLVMValueRef function, const char *name, const char *other) {
    LLVMContextRef context = LLVMGetModuleContext(LLVMGetGlobalParent(function));
    LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, enum_attribute(other));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(context, enum_attribute(name), 0));
}

static unsigned count_instructions(LLVMValueRef function) {
    unsigned count = 0;
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) count++;
    return count;
}

static bool is_of_library(LLVMValueRef function) {
    return !LLVMIsDeclaration(function) && LLVMGetLinkage(function) == LLVMLinkOnceODRLinkage;
}

static bool run_passes(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module, const char *passes) {
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    LLVMErrorRef error = LLVMRunPasses(module, passes, target->llvm, options);
    LLVMDisposePassBuilderOptions(options);
    return llvm_check(diagnostics, error, "linking libdevice");
}

// What the library asks about the build: subnormals are kept, square roots are exact.
static void answer_questions(LLVMModuleRef module) {
    static const struct {
        const char *flag;
        unsigned value;
    } answers[] = {{"nvvm-reflect-ftz", 0}, {"nvvm-reflect-prec-sqrt", 1}};
    LLVMTypeRef word = LLVMInt32TypeInContext(LLVMGetModuleContext(module));
    for (size_t i = 0; i < BASE_COUNT(answers); i++)
        LLVMAddModuleFlag(module, LLVMModuleFlagBehaviorOverride, answers[i].flag, strlen(answers[i].flag),
                          LLVMValueAsMetadata(LLVMConstInt(word, answers[i].value, false)));
}

// Inlines what is worth it; the rest becomes functions of the module, which it alone sees.
static bool settle(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module) {
    answer_questions(module);
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (is_of_library(f)) set_attribute(f, "noinline", "alwaysinline");
    if (!run_passes(target, diagnostics, module, "nvvm-reflect")) return false;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!is_of_library(f)) continue;
        LLVMUseRef use = LLVMGetFirstUse(f);
        bool once = use && !LLVMGetNextUse(use);
        if (once || count_instructions(f) <= SMALL) set_attribute(f, "alwaysinline", "noinline");
        LLVMSetLinkage(f, LLVMInternalLinkage);
    }
    return run_passes(target, diagnostics, module, "always-inline,globaldce");
}

static bool link_library(const Target *target, Diagnostics *diagnostics, Arena *arena, LLVMModuleRef module,
                         const char *path) {
    LLVMModuleRef library = open_library(diagnostics, LLVMGetModuleContext(module), path);
    if (!library) return false;
    if (!check_library(diagnostics, module, library, path)) {
        LLVMDisposeModule(library);
        return false;
    }
    LLVMSetTarget(library, target->triple);
    LLVMSetModuleDataLayout(library, target->layout);
    make_droppable(arena, library);
    size_t errors = diagnostics->count;
    if (LLVMLinkModules2(module, library) && diagnostics->count == errors)
        diag_fail(diagnostics, (Location){.file = path}, E_LLVM, "cannot be linked");
    return diagnostics->count == errors && settle(target, diagnostics, module);
}

bool target_link_libdevice(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module) {
    Arena arena = {0};
    const char *wanted = find_call(module), *path = wanted ? toolkit_find(&arena, TOOLKIT_LIBDEVICE) : NULL;
    bool good = true;
    if (path)
        good = link_library(target, diagnostics, &arena, module, path);
    else if (wanted)
        good = diag_fail(diagnostics, (Location){0}, E_BACKEND,
                         "%s is a function of CUDA's libdevice.10.bc, which is not in CUDA_HOME, CUDA_PATH, beside the "
                         "ptxas of PATH, in /usr/local/cuda or the packages of python3; 'pip install nvidia-nvvm' has "
                         "it, the payload algebra does without",
                         wanted);
    arena_reset(&arena);
    return good;
}
