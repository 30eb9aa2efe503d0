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

static bool same_keys(MachineKeys a, MachineKeys b) {
    return a.flush == b.flush && a.approximate_roots == b.approximate_roots;
}

// The next function behind `after` (NULL: the first) that is called with these keys, and its name.
static LLVMValueRef next_wanted(LLVMModuleRef module, MachineKeys keys, LLVMValueRef after, const char **name) {
    LLVMValueRef f = after ? LLVMGetNextFunction(after) : LLVMGetFirstFunction(module);
    for (; f; f = LLVMGetNextFunction(f)) {
        *name = name_in_library(f);
        if (*name && same_keys(machine_keys(*name), keys)) return f;
    }
    return NULL;
}

static const char *find_call(LLVMModuleRef module) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        if (name_in_library(f)) return name_in_library(f);
    return NULL;
}

// What the library calls a function that is called with keys behind its name.
static const char *name_without_keys(Arena *arena, const char *name) {
    return arena_format(arena, "%.*s", (int)strcspn(name, "."), name);
}

// Whether the library has what is declared, and as it is declared.
static bool check_library(Diagnostics *diagnostics, LLVMModuleRef bodies, LLVMModuleRef library, const char *path) {
    for (LLVMValueRef f = LLVMGetFirstFunction(bodies); f; f = LLVMGetNextFunction(f)) {
        size_t length;
        const char *name = LLVMGetValueName2(f, &length);
        LLVMValueRef found = LLVMGetNamedFunction(library, name);
        if (!found || LLVMIsDeclaration(found) || LLVMGlobalGetValueType(found) != LLVMGlobalGetValueType(f))
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
            name = arena_format(arena, "__nv_internal_%s", name);
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

// ---- what bodies ask ------------------------------------------------------------------------------------------------

// The string that a call asks; NULL if it is none.
static const char *asked_key(LLVMValueRef call) {
    LLVMValueRef key = LLVMGetOperand(call, 0);
    size_t length;
    while (LLVMIsAConstantExpr(key)) key = LLVMGetOperand(key, 0);
    LLVMValueRef text = LLVMIsAGlobalVariable(key) ? LLVMGetInitializer(key) : NULL;
    return text && LLVMIsConstantString(text) ? LLVMGetAsString(text, &length) : NULL;
}

static bool answer_to(const Target *target, MachineKeys keys, const char *key, unsigned *answer) {
    const struct {
        const char *name;
        bool is_zero;
    } rows[] = {
#define REFLECT_KEY(name, is_zero) {name, is_zero},
#include "compiler/target/reflect_keys.def"
#undef REFLECT_KEY
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        if (strcmp(rows[i].name, key) != 0) continue;
        *answer = !strcmp(key, "__CUDA_ARCH") ? 10 * target->gpu->compute : !rows[i].is_zero;
        return true;
    }
    return false;
}

static bool refuse_key(Diagnostics *diagnostics, const char *path, const char *who, const char *key) {
    static const char *const names[] = {
#define REFLECT_KEY(name, is_zero) name,
#include "compiler/target/reflect_keys.def"
#undef REFLECT_KEY
    };
    Buffer known = {0};
    for (size_t i = 0; i < BASE_COUNT(names); i++) buffer_print(&known, "%s%s", i ? ", " : "", names[i]);
    diag_fail(diagnostics, (Location){.file = path}, E_BACKEND, "%s asks __nvvm_reflect for '%s'; known keys are %s",
              who, key, known.data);
    buffer_free(&known);
    return false;
}

// Replaces each call of __nvvm_reflect by its answer. LLVM's own pass would ignore a key of ours and answer 0 to those
// that it does not know.
static bool fold_reflect(const Target *target, Diagnostics *diagnostics, LLVMModuleRef bodies, MachineKeys keys,
                         const char *path) {
    LLVMValueRef reflect = LLVMGetNamedFunction(bodies, "__nvvm_reflect");
    for (LLVMUseRef use; reflect && (use = LLVMGetFirstUse(reflect));) {
        LLVMValueRef call = LLVMGetUser(use);
        size_t length;
        unsigned answer;
        const char *who = LLVMGetValueName2(LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)), &length);
        const char *key = asked_key(call);
        if (!key || !answer_to(target, keys, key, &answer)) return refuse_key(diagnostics, path, who, key ? key : "?");
        LLVMReplaceAllUsesWith(call, LLVMConstInt(LLVMTypeOf(call), answer, false));
        LLVMInstructionEraseFromParent(call);
    }
    if (reflect) LLVMDeleteFunction(reflect);
    return true;
}

// ---- linking --------------------------------------------------------------------------------------------------------

// Inlines what is worth it; the rest becomes functions of the module, which it alone sees.
static bool settle(const Target *target, Diagnostics *diagnostics, LLVMModuleRef module) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        if (!is_of_library(f)) continue;
        LLVMUseRef use = LLVMGetFirstUse(f);
        bool once = use && !LLVMGetNextUse(use);
        if (once || count_instructions(f) <= SMALL) set_attribute(f, "alwaysinline", "noinline");
        LLVMSetLinkage(f, LLVMInternalLinkage);
    }
    return run_passes(target, diagnostics, module, "always-inline,globaldce");
}

// A module with declarations of what `module` calls with these keys, under the library's names; NULL if it calls none.
static LLVMModuleRef declare_bodies(Arena *arena, LLVMModuleRef module, MachineKeys keys) {
    const char *name;
    LLVMValueRef f = next_wanted(module, keys, NULL, &name);
    if (!f) return NULL;
    LLVMModuleRef bodies = LLVMModuleCreateWithNameInContext("libdevice", LLVMGetModuleContext(module));
    for (; f; f = next_wanted(module, keys, f, &name))
        LLVMAddFunction(bodies, name_without_keys(arena, name), LLVMGlobalGetValueType(f));
    return bodies;
}

// The functions get the names that calls with these keys have.
static void name_keys(Arena *arena, LLVMModuleRef bodies, MachineKeys keys) {
    char suffix[MACHINE_NAME_SIZE];
    machine_libdevice("", false, keys, suffix);
    const char *behind = strchr(suffix, '.');
    for (LLVMValueRef f = LLVMGetFirstFunction(bodies); behind && f; f = LLVMGetNextFunction(f)) {
        size_t length;
        if (LLVMIsDeclaration(f)) continue;
        const char *name = arena_format(arena, "%s%s", LLVMGetValueName2(f, &length), behind);
        LLVMSetValueName2(f, name, strlen(name));
    }
}

// The bodies that answer as the keys say, with those arms alone that these take. `bodies` becomes the module's.
static bool link_bodies(const Target *target, Diagnostics *diagnostics, Arena *arena, LLVMModuleRef module,
                        LLVMModuleRef bodies, MachineKeys keys, const char *path) {
    const size_t errors = diagnostics->count;
    LLVMModuleRef library = open_library(diagnostics, LLVMGetModuleContext(module), path);
    bool good = library && check_library(diagnostics, bodies, library, path);
    if (good) {
        LLVMSetTarget(library, target->triple);
        LLVMSetModuleDataLayout(library, target->layout);
        LLVMSetTarget(bodies, target->triple);
        LLVMSetModuleDataLayout(bodies, target->layout);
        make_droppable(arena, library);
        bool failed = LLVMLinkModules2(bodies, library);
        library = NULL;
        if (failed && diagnostics->count == errors)
            diag_fail(diagnostics, (Location){.file = path}, E_LLVM, "cannot be linked");
        good = diagnostics->count == errors;
    }
    if (library) LLVMDisposeModule(library);
    for (LLVMValueRef f = LLVMGetFirstFunction(bodies); good && f; f = LLVMGetNextFunction(f))
        if (is_of_library(f)) set_attribute(f, "noinline", "alwaysinline");
    good = good && fold_reflect(target, diagnostics, bodies, keys, path) &&
           run_passes(target, diagnostics, bodies, "function(instsimplify,simplifycfg)");
    if (!good) {
        LLVMDisposeModule(bodies);
        return false;
    }
    name_keys(arena, bodies, keys);
    if (LLVMLinkModules2(module, bodies) && diagnostics->count == errors)
        diag_fail(diagnostics, (Location){.file = path}, E_LLVM, "cannot be linked");
    return diagnostics->count == errors;
}

static bool link_library(const Target *target, Diagnostics *diagnostics, Arena *arena, LLVMModuleRef module,
                         const char *path) {
    for (unsigned i = 0; i < 4; i++) {
        const MachineKeys keys = {.flush = i & 1, .approximate_roots = i >> 1};
        LLVMModuleRef bodies = declare_bodies(arena, module, keys);
        if (bodies && !link_bodies(target, diagnostics, arena, module, bodies, keys, path)) return false;
    }
    return settle(target, diagnostics, module);
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
