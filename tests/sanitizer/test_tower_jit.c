// SPDX-License-Identifier: Apache-2.0
// The harness of test_tower_jit.h on LLVM's ORC JIT.
#include "tests/sanitizer/test_tower_jit.h"

#include <llvm-c/Analysis.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>

struct TowerJit {
    TowerEmit emit;
    TowerJitOptions options;
    LLVMTargetMachineRef machine; // for the passes; the JIT has its own
    LLVMOrcLLJITRef lljit;
    bool compiled;
};

static void stop(const char *what, const char *message) {
    fprintf(stderr, "%s: %s\n", what, message);
    exit(2);
}

static void check(LLVMErrorRef error, const char *what) {
    if (error) stop(what, LLVMGetErrorMessage(error));
}

// Without passes the code generator does not optimise either, as at level 0 (compiler/target/pipelines.def).
static LLVMTargetMachineRef create_machine(const TowerJitOptions *options) {
    const char *cpu_name = options->cpu;
    char *triple = LLVMGetDefaultTargetTriple(), *message = NULL;
    char *cpu = cpu_name ? NULL : LLVMGetHostCPUName(), *features = cpu_name ? NULL : LLVMGetHostCPUFeatures();
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(triple, &target, &message)) stop("target", message);
    LLVMTargetMachineRef machine = LLVMCreateTargetMachine(
        target, triple, cpu ? cpu : cpu_name, features ? features : "",
        options->optimize ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelNone, LLVMRelocDefault, LLVMCodeModelJITDefault);
    LLVMDisposeMessage(triple);
    if (cpu) LLVMDisposeMessage(cpu);
    if (features) LLVMDisposeMessage(features);
    return machine;
}

// What TowerEmit asks of the instructions of a machine, in LLVM's own.
static LLVMValueRef multiply_add_52(const void *data, bool high, LLVMValueRef sum, LLVMValueRef a, LLVMValueRef b) {
    enum { BITS = 52, WIDE_LANES_MAX = 64 };
    const TowerEmit *e = data;
    LLVMTypeRef type = LLVMTypeOf(sum);
    LLVMTypeRef twice = LLVMVectorType(LLVMInt128TypeInContext(e->context), LLVMGetVectorSize(type));
    LLVMTypeRef lane = LLVMInt64TypeInContext(e->context);
    LLVMValueRef lanes[WIDE_LANES_MAX], both[WIDE_LANES_MAX], low, product;
    for (unsigned i = 0; i < LLVMGetVectorSize(type); i++) {
        lanes[i] = LLVMConstInt(lane, (UINT64_C(1) << BITS) - 1, false);
        both[i] = LLVMConstInt(LLVMInt128TypeInContext(e->context), BITS, false);
    }
    low = LLVMConstVector(lanes, LLVMGetVectorSize(type));
    a = LLVMBuildZExt(e->builder, LLVMBuildAnd(e->builder, a, low, ""), twice, "");
    b = LLVMBuildZExt(e->builder, LLVMBuildAnd(e->builder, b, low, ""), twice, "");
    product = LLVMBuildMul(e->builder, a, b, "");
    if (high) product = LLVMBuildLShr(e->builder, product, LLVMConstVector(both, LLVMGetVectorSize(type)), "");
    product = LLVMBuildAnd(e->builder, LLVMBuildTrunc(e->builder, product, type, ""), low, "");
    return LLVMBuildAdd(e->builder, sum, product, "");
}

static LLVMValueRef pick(const void *data, const uint64_t *entries, LLVMValueRef index) {
    const TowerEmit *e = data;
    LLVMTypeRef lane = LLVMInt64TypeInContext(e->context), word = LLVMInt32TypeInContext(e->context);
    LLVMValueRef numbers[TOWER_PICKED], result = LLVMGetUndef(LLVMTypeOf(index));
    for (unsigned i = 0; i < TOWER_PICKED; i++) numbers[i] = LLVMConstInt(lane, entries[i], false);
    LLVMValueRef table = LLVMConstVector(numbers, TOWER_PICKED);
    for (unsigned i = 0; i < LLVMGetVectorSize(LLVMTypeOf(index)); i++) {
        LLVMValueRef at = LLVMConstInt(word, i, false), chosen = LLVMBuildExtractElement(e->builder, index, at, "");
        chosen = LLVMBuildAnd(e->builder, chosen, LLVMConstInt(lane, TOWER_PICKED - 1, false), "");
        chosen = LLVMBuildExtractElement(e->builder, table, chosen, "");
        result = LLVMBuildInsertElement(e->builder, result, chosen, at, "");
    }
    return result;
}

static void define_runtime(TowerJit *jit) {
    static const char *const names[] = {"congruent_tower_tables", "congruent_tower_pow", "congruent_tower_powi",
                                        "congruent_tower_mul",    "congruent_tower_div", "congruent_tower_sqrt",
                                        "congruent_tower_rsqrt"};
    enum { COUNT = sizeof names / sizeof *names };
    LLVMOrcCSymbolMapPair pairs[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(jit->lljit, names[i]);
        pairs[i].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)tower_runtime_address(names[i]);
        pairs[i].Sym.Flags = (LLVMJITSymbolFlags){.GenericFlags = LLVMJITSymbolGenericFlagsExported};
    }
    check(LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit->lljit), LLVMOrcAbsoluteSymbols(pairs, COUNT)),
          "symbols");
}

TowerJit *tower_jit_open(TowerJitOptions options) {
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    TowerJit *jit = calloc(1, sizeof *jit);
    if (!jit) stop("tower_jit_open", "out of memory");
    jit->options = options;
    jit->emit.context = LLVMContextCreate();
    jit->emit.module = LLVMModuleCreateWithNameInContext("test", jit->emit.context);
    jit->emit.builder = LLVMCreateBuilderInContext(jit->emit.context);
    jit->emit.tower = tower_chain(options.chain);
    if (options.wide) {
        jit->emit.multiply_add_52 = multiply_add_52;
        jit->emit.pick = pick;
        jit->emit.data = &jit->emit;
    }
    jit->machine = create_machine(&options);
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(
        builder, LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(create_machine(&options)));
    check(LLVMOrcCreateLLJIT(&jit->lljit, builder), "LLJIT");
    define_runtime(jit);
    return jit;
}

void tower_jit_close(TowerJit *jit) {
    check(LLVMOrcDisposeLLJIT(jit->lljit), "dispose");
    LLVMDisposeTargetMachine(jit->machine);
    LLVMDisposeBuilder(jit->emit.builder);
    if (!jit->compiled) {
        LLVMDisposeModule(jit->emit.module);
        LLVMContextDispose(jit->emit.context);
    }
    free(jit);
}

const TowerEmit *tower_jit_emit(const TowerJit *jit) {
    return &jit->emit;
}

void tower_jit_begin(TowerJit *jit, const char *name, LLVMValueRef *parameters) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(jit->emit.context, 0), types[] = {pointer, pointer, pointer};
    LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(jit->emit.context), types, 3, false);
    LLVMValueRef function = LLVMAddFunction(jit->emit.module, name, type);
    LLVMGetParams(function, parameters);
    LLVMPositionBuilderAtEnd(jit->emit.builder, LLVMAppendBasicBlockInContext(jit->emit.context, function, ""));
}

void tower_jit_end(TowerJit *jit) {
    LLVMBuildRetVoid(jit->emit.builder);
}

static LLVMTypeRef shaped(const TowerJit *jit, unsigned bits, unsigned lanes) {
    LLVMTypeRef element = LLVMIntTypeInContext(jit->emit.context, bits);
    return lanes ? LLVMVectorType(element, lanes) : element;
}

static LLVMValueRef element_address(TowerJit *jit, LLVMValueRef array, unsigned stored, size_t index) {
    LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(jit->emit.context), index, false);
    return LLVMBuildGEP2(jit->emit.builder, LLVMIntTypeInContext(jit->emit.context, stored), array, &at, 1, "");
}

LLVMValueRef tower_jit_load(TowerJit *jit, LLVMValueRef array, unsigned stored, unsigned bits, size_t index,
                            unsigned lanes) {
    LLVMValueRef address = element_address(jit, array, stored, index);
    LLVMValueRef value = LLVMBuildLoad2(jit->emit.builder, shaped(jit, stored, lanes), address, "");
    LLVMSetAlignment(value, 4);
    return bits == stored ? value : LLVMBuildTrunc(jit->emit.builder, value, shaped(jit, bits, lanes), "");
}

TowerValue tower_jit_load_value(TowerJit *jit, LLVMValueRef payloads, unsigned operand, unsigned lanes) {
    const unsigned length = jit->emit.tower->length;
    size_t step = lanes ? lanes : 1, first = operand * (size_t)(length + 1) * step;
    TowerValue value = {.state = NULL};
    for (unsigned i = 0; i < length; i++)
        value.component[i] = tower_jit_load(jit, payloads, 32, 32, first + i * step, lanes);
    value.state = tower_jit_load(jit, payloads, 32, 32, first + length * step, lanes);
    return value;
}

void tower_jit_store_value(TowerJit *jit, LLVMValueRef result, unsigned lanes, const TowerValue *value) {
    const unsigned length = jit->emit.tower->length;
    for (unsigned i = 0; i <= length; i++) {
        LLVMValueRef part = i < length ? value->component[i] : value->state;
        if (LLVMTypeOf(part) != shaped(jit, 32, lanes)) stop("tower_jit_store_value", "a part has another type");
        LLVMValueRef address = element_address(jit, result, 32, i * (size_t)(lanes ? lanes : 1));
        LLVMSetAlignment(LLVMBuildStore(jit->emit.builder, part, address), 4);
    }
}

void *tower_jit_find(TowerJit *jit, const char *name) {
    if (!jit->compiled) {
        char *message = NULL;
        if (LLVMVerifyModule(jit->emit.module, LLVMReturnStatusAction, &message)) stop("invalid module", message);
        LLVMDisposeMessage(message);
        LLVMSetTarget(jit->emit.module, LLVMOrcLLJITGetTripleString(jit->lljit));
        LLVMSetDataLayout(jit->emit.module, LLVMOrcLLJITGetDataLayoutStr(jit->lljit));
        // The passes that kernels get at level 2 (compiler/target/pipelines.def), without its loops.
        static const char passes[] = "function(sroa,early-cse<memssa>,simplifycfg,early-cse<memssa>,simplifycfg)";
        LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
        if (jit->options.optimize) check(LLVMRunPasses(jit->emit.module, passes, jit->machine, options), "passes");
        LLVMDisposePassBuilderOptions(options);
        LLVMOrcThreadSafeContextRef context = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(jit->emit.context);
        LLVMOrcThreadSafeModuleRef module = LLVMOrcCreateNewThreadSafeModule(jit->emit.module, context);
        LLVMOrcDisposeThreadSafeContext(context);
        check(LLVMOrcLLJITAddLLVMIRModule(jit->lljit, LLVMOrcLLJITGetMainJITDylib(jit->lljit), module), "add module");
        jit->compiled = true;
    }
    LLVMOrcExecutorAddress address;
    check(LLVMOrcLLJITLookup(jit->lljit, &address, name), name);
    return (void *)(uintptr_t)address;
}
