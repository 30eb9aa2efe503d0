// SPDX-License-Identifier: Apache-2.0
// The harness of jit_harness.h on LLVM's ORC JIT.
#include "tests/sanitizer/jit_harness.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void JitFunction(const void *const *operands, void *result);

typedef struct Entry {
    unsigned operand_count, result_bits;
    unsigned *operand_bits;
    JitFunction *function;
} Entry;

struct Jit {
    FpsanEmit emit;
    JitOptions options;
    LLVMTargetMachineRef machine; // for the passes; the JIT has its own
    LLVMOrcLLJITRef lljit;
    bool compiled;
    Entry *entries;
    size_t count, capacity;
};

static void stop(const char *what, const char *message) {
    fprintf(stderr, "%s: %s\n", what, message);
    exit(2);
}

static void check(LLVMErrorRef error, const char *what) {
    if (error) stop(what, LLVMGetErrorMessage(error));
}

// Without passes the code generator does not optimise either, as at level 0 (compiler/target/pipelines.def).
static LLVMTargetMachineRef create_machine(const JitOptions *options) {
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
    char *cpu = options->baseline ? NULL : LLVMGetHostCPUName(),
         *features = options->baseline ? NULL : LLVMGetHostCPUFeatures();
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(triple, &target, &message)) stop("target", message);
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(
        target, triple, cpu ? cpu : "", features ? features : "",
        options->optimize ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelNone, LLVMRelocDefault, LLVMCodeModelJITDefault);
    LLVMDisposeMessage(triple);
    if (cpu) LLVMDisposeMessage(cpu);
    if (features) LLVMDisposeMessage(features);
    return machine;
}

Jit *jit_open(FpsanAlgebra algebra, JitOptions options) {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    Jit *jit = calloc(1, sizeof *jit);
    if (!jit) stop("jit_open", "out of memory");
    jit->options = options;
    jit->emit.algebra = algebra;
    jit->emit.halves = options.optimize; // one form with passes, the other without
    jit->emit.context = LLVMContextCreate();
    jit->emit.module = LLVMModuleCreateWithNameInContext("test", jit->emit.context);
    jit->emit.builder = LLVMCreateBuilderInContext(jit->emit.context);
    jit->machine = create_machine(&options);
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(create_machine(&options)));
    check(LLVMOrcCreateLLJIT(&jit->lljit, builder), "LLJIT");
    return jit;
}

void jit_close(Jit *jit) {
    check(LLVMOrcDisposeLLJIT(jit->lljit), "dispose");
    LLVMDisposeTargetMachine(jit->machine);
    LLVMDisposeBuilder(jit->emit.builder);
    if (!jit->compiled) {
        LLVMDisposeModule(jit->emit.module);
        LLVMContextDispose(jit->emit.context);
    }
    for (size_t i = 0; i < jit->count; i++) free(jit->entries[i].operand_bits);
    free(jit->entries);
    free(jit);
}

// ---- adding functions -----------------------------------------------------------------------------------------------

// Elements lie in memory as whole bytes: i1 in i8, and so on.
static unsigned memory_bits(unsigned bits) {
    return bits <= 8 ? 8 : bits <= 16 ? 16 : bits <= 32 ? 32 : 64;
}

static LLVMTypeRef shaped(const Jit *jit, unsigned bits) {
    LLVMTypeRef element = LLVMIntTypeInContext(jit->emit.context, bits);
    return jit->options.lanes ? LLVMVectorType(element, jit->options.lanes) : element;
}

static LLVMValueRef load_operand(const Jit *jit, LLVMValueRef table, unsigned index, unsigned bits) {
    LLVMBuilderRef b = jit->emit.builder;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(jit->emit.context, 0);
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(jit->emit.context), index, false);
    LLVMValueRef address = LLVMBuildLoad2(b, pointer, LLVMBuildGEP2(b, pointer, table, &at, 1, ""), "");
    LLVMValueRef value = LLVMBuildLoad2(b, shaped(jit, memory_bits(bits)), address, "");
    LLVMSetAlignment(value, 1);
    return bits == memory_bits(bits) ? value : LLVMBuildTrunc(b, value, shaped(jit, bits), "");
}

int jit_add(Jit *jit, JitBody body, const void *what, unsigned operand_count, const unsigned *operand_bits,
            unsigned result_bits) {
    LLVMContextRef context = jit->emit.context;
    LLVMBuilderRef b = jit->emit.builder;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), parameters[2] = {pointer, pointer};
    char name[32];
    snprintf(name, sizeof name, "f%zu", jit->count);
    LLVMValueRef function =
        LLVMAddFunction(jit->emit.module, name, LLVMFunctionType(LLVMVoidTypeInContext(context), parameters, 2, false));
    LLVMPositionBuilderAtEnd(b, LLVMAppendBasicBlockInContext(context, function, ""));
    LLVMValueRef operands[JIT_OPERANDS_MAX];
    for (unsigned i = 0; i < operand_count; i++)
        operands[i] = load_operand(jit, LLVMGetParam(function, 0), i, operand_bits[i]);
    LLVMValueRef result = body(&jit->emit, what, operands);
    if (!result) {
        LLVMDeleteFunction(function);
        return -1;
    }
    if (LLVMTypeOf(result) != shaped(jit, result_bits))
        stop("jit_add", "the body's result has another type than promised");
    if (result_bits != memory_bits(result_bits))
        result = LLVMBuildZExt(b, result, shaped(jit, memory_bits(result_bits)), "");
    LLVMSetAlignment(LLVMBuildStore(b, result, LLVMGetParam(function, 1)), 1);
    LLVMBuildRetVoid(b);
    if (jit->count == jit->capacity) {
        jit->capacity = jit->capacity ? 2 * jit->capacity : 64;
        jit->entries = realloc(jit->entries, jit->capacity * sizeof *jit->entries);
    }
    unsigned *bits = malloc((operand_count + 1) * sizeof *bits);
    if (!bits || !jit->entries) stop("jit_add", "out of memory");
    memcpy(bits, operand_bits, operand_count * sizeof *bits);
    jit->entries[jit->count] = (Entry){operand_count, result_bits, bits, NULL};
    return (int)jit->count++;
}

// Those of each level.
static const char *const kernel_passes[] = {
#define PIPELINE(level, code_generator, passes, gpu_passes) [level] = passes,
#include "compiler/target/pipelines.def"
#undef PIPELINE
};

void jit_compile(Jit *jit) {
    if (jit->compiled) return;
    char *message = NULL;
    if (LLVMVerifyModule(jit->emit.module, LLVMReturnStatusAction, &message)) stop("invalid module", message);
    LLVMDisposeMessage(message);
    LLVMSetTarget(jit->emit.module, LLVMOrcLLJITGetTripleString(jit->lljit));
    LLVMSetDataLayout(jit->emit.module, LLVMOrcLLJITGetDataLayoutStr(jit->lljit));
    if (jit->options.optimize) {
        LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
        check(LLVMRunPasses(jit->emit.module, kernel_passes[2], jit->machine, options), "passes");
        LLVMDisposePassBuilderOptions(options);
    }
    LLVMOrcThreadSafeContextRef context = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(jit->emit.context);
    LLVMOrcThreadSafeModuleRef module = LLVMOrcCreateNewThreadSafeModule(jit->emit.module, context);
    LLVMOrcDisposeThreadSafeContext(context);
    check(LLVMOrcLLJITAddLLVMIRModule(jit->lljit, LLVMOrcLLJITGetMainJITDylib(jit->lljit), module), "add module");
    jit->compiled = true;
    for (size_t i = 0; i < jit->count; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%zu", i);
        LLVMOrcExecutorAddress address;
        check(LLVMOrcLLJITLookup(jit->lljit, &address, name), name);
        jit->entries[i].function = (JitFunction *)(uintptr_t)address;
    }
}

// ---- calling --------------------------------------------------------------------------------------------------------

static void store_element(unsigned char *memory, size_t index, unsigned bits, uint64_t value) {
    size_t size = memory_bits(bits) / 8;
    memcpy(memory + index * size, &value, size); // little endian
}

void jit_call(Jit *jit, int index, size_t count, const uint64_t *const *operands, uint64_t *results) {
    jit_compile(jit);
    const Entry *entry = &jit->entries[index];
    size_t lanes = jit->options.lanes ? jit->options.lanes : 1;
    unsigned char *memory = calloc((entry->operand_count + 1) * lanes, 8);
    const void *table[JIT_OPERANDS_MAX];
    if (!memory) stop("jit_call", "out of memory");
    for (unsigned i = 0; i < entry->operand_count; i++) table[i] = memory + i * lanes * 8;
    unsigned char *result = memory + entry->operand_count * lanes * 8;
    for (size_t first = 0; first < count; first += lanes) {
        size_t n = count - first < lanes ? count - first : lanes; // lanes past the end keep earlier operands
        for (unsigned i = 0; i < entry->operand_count; i++)
            for (size_t j = 0; j < n; j++)
                store_element(memory + i * lanes * 8, j, entry->operand_bits[i], operands[i][first + j]);
        entry->function(table, result);
        size_t size = memory_bits(entry->result_bits) / 8;
        for (size_t j = 0; j < n; j++) {
            results[first + j] = 0;
            memcpy(&results[first + j], result + j * size, size);
        }
    }
    free(memory);
}
