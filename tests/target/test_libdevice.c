// SPDX-License-Identifier: Apache-2.0
// What bodies of libdevice ask by __nvvm_reflect: each function that asks, under all keys, is linked with the arms that
// the answers take. Which those are is found by walking the library itself.
#include "target_test.h"

#include <llvm-c/BitReader.h>
#include <stdio.h>

enum { NAMES_MAX = 160, NAME_SIZE = 64, FUNCTIONS_MAX = 400 };

typedef struct Names { // a set
    char names[NAMES_MAX][NAME_SIZE];
    size_t count;
} Names;

static bool has_name(const Names *set, const char *name) {
    for (size_t i = 0; i < set->count; i++)
        if (!strcmp(set->names[i], name)) return true;
    return false;
}

static void add_name(Names *set, const char *name) {
    if (has_name(set, name)) return;
    cr_assert_lt(set->count, NAMES_MAX);
    snprintf(set->names[set->count++], NAME_SIZE, "%s", name);
}

static const char *name_of(LLVMValueRef value) {
    size_t length;
    return LLVMGetValueName2(value, &length);
}

// ---- the library ----------------------------------------------------------------------------------------------------

typedef struct Answers {
    unsigned flush, exact_roots, architecture;
} Answers;

// The key that a call asks; NULL for other instructions.
static const char *question(LLVMValueRef instruction) {
    size_t length;
    if (!LLVMIsACallInst(instruction) || LLVMIsAInlineAsm(LLVMGetCalledValue(instruction)) ||
        strcmp(name_of(LLVMGetCalledValue(instruction)), "__nvvm_reflect") != 0)
        return NULL;
    LLVMValueRef key = LLVMGetOperand(instruction, 0);
    while (LLVMIsAConstantExpr(key)) key = LLVMGetOperand(key, 0);
    return LLVMGetAsString(LLVMGetInitializer(key), &length);
}

static unsigned answer_of(const Answers *answers, const char *key) {
    return !strcmp(key, "__CUDA_FTZ")         ? answers->flush
           : !strcmp(key, "__CUDA_PREC_SQRT") ? answers->exact_roots
                                              : answers->architecture;
}

// An integer or condition that depends on answers and constants alone; false for others.
static bool evaluate(const Answers *answers, LLVMValueRef value, uint64_t *result) {
    uint64_t a, b;
    if (LLVMIsAConstantInt(value)) {
        *result = LLVMConstIntGetZExtValue(value);
        return true;
    }
    if (LLVMIsACallInst(value) && question(value)) {
        *result = answer_of(answers, question(value));
        return true;
    }
    if (!LLVMIsAICmpInst(value) || !evaluate(answers, LLVMGetOperand(value, 0), &a) ||
        !evaluate(answers, LLVMGetOperand(value, 1), &b))
        return false;
    switch (LLVMGetICmpPredicate(value)) {
    case LLVMIntEQ: *result = a == b; return true;
    case LLVMIntNE: *result = a != b; return true;
    case LLVMIntUGT: *result = a > b; return true;
    case LLVMIntUGE: *result = a >= b; return true;
    case LLVMIntULT: *result = a < b; return true;
    case LLVMIntULE: *result = a <= b; return true;
    case LLVMIntSGT: *result = (int64_t)a > (int64_t)b; return true;
    case LLVMIntSGE: *result = (int64_t)a >= (int64_t)b; return true;
    case LLVMIntSLT: *result = (int64_t)a < (int64_t)b; return true;
    case LLVMIntSLE: *result = (int64_t)a <= (int64_t)b; return true;
    default: return false;
    }
}

// Adds what a function calls in the blocks that can be reached with these answers; NULL: in all blocks.
static void walk(const Answers *answers, LLVMValueRef function, Names *visited, Names *called);

static void walk_block(const Answers *answers, LLVMBasicBlockRef block, Names *visited, Names *called,
                       LLVMBasicBlockRef *reached, size_t *count) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at)) {
        if (!LLVMIsACallInst(at) || question(at)) continue;
        LLVMValueRef callee = LLVMGetCalledValue(at);
        if (LLVMIsAInlineAsm(callee)) continue;
        if (LLVMIsDeclaration(callee))
            add_name(called, name_of(callee));
        else
            walk(answers, callee, visited, called);
    }
    uint64_t condition;
    const bool decided = answers && LLVMIsABranchInst(end) && LLVMIsConditional(end) &&
                         evaluate(answers, LLVMGetCondition(end), &condition);
    for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
        LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
        bool known = decided && i == (condition != 0); // successor 0 is for true
        for (size_t k = 0; k < *count; k++) known = known || reached[k] == next;
        if (!known) reached[(*count)++] = next;
    }
}

static void walk(const Answers *answers, LLVMValueRef function, Names *visited, Names *called) {
    LLVMBasicBlockRef reached[2000];
    size_t count = 0;
    if (has_name(visited, name_of(function))) return;
    add_name(visited, name_of(function));
    cr_assert_lt(LLVMCountBasicBlocks(function), BASE_COUNT(reached));
    reached[count++] = LLVMGetEntryBasicBlock(function);
    for (size_t i = 0; i < count; i++) walk_block(answers, reached[i], visited, called, reached, &count);
}

static Names calls_of(const Answers *answers, LLVMValueRef function) {
    static Names visited;
    Names called = {.count = 0};
    visited.count = 0;
    walk(answers, function, &visited, &called);
    return called;
}

static bool asks(LLVMValueRef function) {
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
        for (LLVMValueRef at = LLVMGetFirstInstruction(block); at; at = LLVMGetNextInstruction(at))
            if (question(at)) return true;
    return false;
}

// ---- what is linked -------------------------------------------------------------------------------------------------

// A kernel `name` of the function's type that calls it under the name `called`.
static void add_caller(LLVMModuleRef module, LLVMValueRef function, const char *name, const char *called) {
    LLVMTypeRef type = LLVMGlobalGetValueType(function), result = LLVMGetReturnType(type), parameters[12];
    LLVMContextRef context = LLVMGetModuleContext(module);
    const unsigned count = LLVMCountParamTypes(type);
    cr_assert_lt(count, BASE_COUNT(parameters));
    LLVMGetParamTypes(type, parameters);
    parameters[count] = LLVMPointerTypeInContext(context, 0);
    LLVMValueRef arguments[BASE_COUNT(parameters)];
    LLVMValueRef kernel =
        LLVMAddFunction(module, name, LLVMFunctionType(LLVMVoidTypeInContext(context), parameters, count + 1, false));
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, kernel, ""));
    for (unsigned i = 0; i < count; i++) arguments[i] = LLVMGetParam(kernel, i);
    LLVMValueRef call = LLVMBuildCall2(builder, type, LLVMAddFunction(module, called, type), arguments, count, "");
    if (LLVMGetTypeKind(result) != LLVMVoidTypeKind) LLVMBuildStore(builder, call, LLVMGetParam(kernel, count));
    LLVMBuildRetVoid(builder);
    LLVMDisposeBuilder(builder);
}

// Whether some name of `of` that begins with "llvm." is in `set`, or not (`is_in`), and in none of `except`.
static bool has_own(const Names *of, const Names *except) {
    for (size_t i = 0; i < of->count; i++)
        if (!strncmp(of->names[i], "llvm.nvvm", 9) && !has_name(except, of->names[i])) return true;
    return false;
}

static void check_function(LLVMValueRef linked, LLVMValueRef function, const Answers *answers, bool *differs) {
    const Names got = calls_of(NULL, linked), want = calls_of(answers, function);
    const Answers other = {!answers->flush, answers->exact_roots, answers->architecture},
                  third = {answers->flush, !answers->exact_roots, answers->architecture};
    const Names others[] = {calls_of(&other, function), calls_of(&third, function)};
    for (size_t i = 0; i < got.count; i++)
        cr_expect(has_name(&want, got.names[i]) || !strncmp(got.names[i], "llvm.", 5) == !strstr(got.names[i], "nvvm"),
                  "%s with ftz %u, sqrt %u calls %s", name_of(function), answers->flush, answers->exact_roots,
                  got.names[i]);
    for (size_t k = 0; k < 2; k++) {
        // What only these answers give is there; what only the others give is not.
        if (has_own(&want, &others[k])) {
            cr_expect(has_own(&got, &others[k]), "%s with ftz %u, sqrt %u", name_of(function), answers->flush,
                      answers->exact_roots);
            differs[k] = true;
        }
        for (size_t i = 0; i < others[k].count; i++)
            if (!has_name(&want, others[k].names[i])) cr_expect_not(has_name(&got, others[k].names[i]));
    }
}

static void check_keys(const Target *target, LLVMModuleRef library, const Answers *answers, size_t *counts) {
    static LLVMValueRef functions[FUNCTIONS_MAX];
    Diagnostics diagnostics = {0};
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("callers", LLVMGetModuleContext(library));
    size_t count = 0;
    char name[NAME_SIZE], called[2 * NAME_SIZE];
    target_prepare(target, &diagnostics, module);
    for (LLVMValueRef f = LLVMGetFirstFunction(library); f; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || strncmp(name_of(f), "__nv_", 5) != 0 || !asks(f)) continue;
        cr_assert_lt(count, FUNCTIONS_MAX);
        snprintf(name, sizeof name, "caller%zu", count);
        snprintf(called, sizeof called, "%s%s%s", name_of(f), answers->flush ? ".ftz" : "",
                 answers->exact_roots ? "" : ".sqrt");
        add_caller(module, f, name, called);
        functions[count++] = f;
    }
    cr_assert(target_link_libdevice(target, &diagnostics, module), "%s",
              diagnostics.count ? diagnostics.items[0].message : "");
    cr_expect_null(LLVMGetNamedFunction(module, "__nvvm_reflect"));
    for (size_t i = 0; i < count; i++) {
        bool differs[2] = {false, false};
        snprintf(name, sizeof name, "caller%zu", i);
        check_function(LLVMGetNamedFunction(module, name), functions[i], answers, differs);
        counts[0] += differs[0];
        counts[1] += differs[1];
    }
    counts[2] += count;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
        cr_expect_not(LLVMIsDeclaration(f) && !strncmp(name_of(f), "__nv", 4), "%s is left", name_of(f));
    LLVMDisposeModule(module);
    diagnostics_close(&diagnostics);
}

Test(libdevice, every_function_that_asks_is_answered) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    const char *path = toolkit_find(&arena, TOOLKIT_LIBDEVICE);
    LLVMMemoryBufferRef file;
    LLVMModuleRef library;
    char *message = NULL;
    size_t counts[3] = {0};
    if (!path) cr_skip("no libdevice");
    LLVMContextRef context = LLVMContextCreate();
    cr_assert(!LLVMCreateMemoryBufferWithContentsOfFile(path, &file, &message));
    cr_assert(!LLVMParseBitcodeInContext2(context, file, &library));
    LLVMDisposeMemoryBuffer(file);
    Target *target = target_open_gpu(&diagnostics, "sm_90", 2);
    for (unsigned i = 0; i < 4; i++)
        check_keys(target, library, &(Answers){.flush = i & 1, .exact_roots = i >> 1, .architecture = 900}, counts);
    // Most functions ask for FTZ, and the arms differ; few for the roots.
    cr_expect_gt(counts[2], 4 * 150);
    cr_expect_gt(counts[0], 4 * 100, "%zu", counts[0]);
    cr_expect_gt(counts[1], 4 * 4, "%zu", counts[1]);
    target_close(target);
    LLVMDisposeModule(library);
    LLVMContextDispose(context);
    arena_reset(&arena);
    diagnostics_close(&diagnostics);
}
