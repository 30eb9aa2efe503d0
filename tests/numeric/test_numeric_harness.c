// SPDX-License-Identifier: Apache-2.0
// Compiles and runs what a numeric emits; machine tables and inputs for the tests of this folder.
#include "compiler/target/wide_runtime.h"
#include "numeric_harness.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdlib.h>
#include <string.h>

// ---- machines -----------------------------------------------------------------------------------

// What this processor has.
static uint32_t features_here(void) {
    char *features = LLVMGetHostCPUFeatures();
#if defined(__x86_64__)
    const uint32_t here = machine_of_processor(MACHINE_X86_64, features).features;
#else
    const uint32_t here = 0;
#endif
    LLVMDisposeMessage(features);
    return here;
}

const MachineRow *machine_row(size_t index) {
    static MachineRow rows[] = {
        {.name = "avx512 ifma",
         .features = "+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512vnni,+avx512ifma,+fma,+avx2"},
        {.name = "avx512 vnni", .features = "+avx512f,+avx512bw,+avx512dq,+avx512vl,+avx512vnni,+fma,+avx2"},
        {.name = "avx512", .features = "+avx512f,+avx512bw,+avx512dq,+avx512vl,+fma,+avx2"},
        {.name = "avx2 vnni", .features = "+avxvnni,+fma,+avx2"},
        {.name = "avx2", .features = "+fma,+avx2"},
        {.name = "sse2", .features = ""},
        {.name = "other", .features = ""},
    };
    enum { ROWS = BASE_COUNT(rows) };
    static uint32_t here;
    if (!here) here = features_here();
    for (size_t i = 0; i < ROWS; i++) {
        rows[i].machine = machine_of_processor(i + 1 < ROWS ? MACHINE_X86_64 : MACHINE_OTHER, rows[i].features);
        rows[i].runs = !(rows[i].machine.features & ~here);
    }
    return index < BASE_COUNT(rows) ? &rows[index] : NULL;
}

Machine native_machine(void) {
    size_t i = 0;
    while (!machine_row(i)->runs) i++;
    return machine_row(i)->machine;
}

// ---- functions over arrays ----------------------------------------------------------------------

static void check_error(LLVMErrorRef error, const char *doing) {
    if (!error) return;
    char *message = LLVMGetErrorMessage(error);
    cr_assert_fail("%s: %s", doing, message);
}

static LLVMTargetMachineRef target_machine(const char *features) {
    LLVMTargetRef target;
    char *message = NULL, *triple = LLVMGetDefaultTargetTriple();
    char *cpu = features ? strdup("x86-64") : LLVMGetHostCPUName();
    char *all = features ? strdup(features) : LLVMGetHostCPUFeatures();
    LLVMInitializeNativeTarget();
    LLVMInitializeNativeAsmPrinter();
    cr_assert(!LLVMGetTargetFromTriple(triple, &target, &message), "%s", message);
    LLVMTargetMachineRef machine =
        LLVMCreateTargetMachine(target, triple, cpu, all, LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault);
    free(cpu);
    free(all);
    LLVMDisposeMessage(triple);
    return machine;
}

void harness_open(Harness *h, const Numeric *numeric, Machine machine) {
    *h = (Harness){0};
    LLVMContextRef context = LLVMContextCreate();
    h->safe = LLVMOrcCreateNewThreadSafeContextFromLLVMContext(context);
    h->target = target_machine(NULL);
    h->cx = (NumericContext){.context = context,
                             .module = LLVMModuleCreateWithNameInContext("test", context),
                             .builder = LLVMCreateBuilderInContext(context),
                             .numeric = numeric,
                             .instrumentation = {true, fpsan_default_algebra()},
                             .tower = tower_chain(0),
                             .poison = true,
                             .machine = machine,
                             .diagnostics = &h->diagnostics,
                             .op_name = "test"};
}

void harness_restrict(Harness *h, const char *features) {
    LLVMDisposeTargetMachine(h->target);
    h->target = target_machine(features);
}

static unsigned memory_bits(unsigned bits) {
    return bits <= 8 ? 8 : bits;
}

// The address of block `index` of an array.
static LLVMValueRef block_address(Harness *h, LLVMValueRef array, unsigned bits, unsigned lanes, LLVMValueRef index) {
    LLVMTypeRef i64 = LLVMInt64TypeInContext(h->cx.context), i8 = LLVMInt8TypeInContext(h->cx.context);
    uint64_t bytes = memory_bits(bits) / 8 * (lanes ? lanes : 1);
    LLVMValueRef offset = LLVMBuildMul(h->cx.builder, index, LLVMConstInt(i64, bytes, 0), "");
    return LLVMBuildGEP2(h->cx.builder, i8, array, &offset, 1, "");
}

// Pointers to arrays, from an array of them.
static void load_arrays(Harness *h, LLVMValueRef from, unsigned count, LLVMValueRef *arrays) {
    LLVMTypeRef pointer = LLVMPointerTypeInContext(h->cx.context, 0);
    for (unsigned i = 0; i < count; i++) {
        LLVMValueRef at = LLVMConstInt(LLVMInt64TypeInContext(h->cx.context), i, 0);
        arrays[i] = LLVMBuildLoad2(h->cx.builder, pointer, LLVMBuildGEP2(h->cx.builder, pointer, from, &at, 1, ""), "");
    }
}

static LLVMValueRef load_block(Harness *h, LLVMValueRef array, unsigned bits, unsigned lanes, LLVMValueRef index) {
    LLVMBuilderRef b = h->cx.builder;
    LLVMTypeRef type = vector_type(LLVMIntTypeInContext(h->cx.context, memory_bits(bits)), lanes);
    LLVMValueRef load = LLVMBuildLoad2(b, type, block_address(h, array, bits, lanes, index), "");
    LLVMSetAlignment(load, 1);
    return bits >= 8 ? load
                     : LLVMBuildTrunc(b, load, vector_type(LLVMIntTypeInContext(h->cx.context, bits), lanes), "");
}

static void store_block(Harness *h, LLVMValueRef value, LLVMValueRef array, unsigned bits, unsigned lanes,
                        LLVMValueRef index) {
    LLVMBuilderRef b = h->cx.builder;
    if (bits < 8) value = LLVMBuildZExt(b, value, vector_type(LLVMInt8TypeInContext(h->cx.context), lanes), "");
    LLVMSetAlignment(LLVMBuildStore(b, value, block_address(h, array, bits, lanes, index)), 1);
}

bool harness_add_many(Harness *h, const char *name, unsigned lanes, unsigned input_count, const unsigned *input_bits,
                      unsigned output_count, const unsigned *output_bits, HarnessEmitMany *emit, const void *data) {
    LLVMContextRef c = h->cx.context;
    LLVMBuilderRef b = h->cx.builder;
    LLVMTypeRef pointer = LLVMPointerTypeInContext(c, 0), i64 = LLVMInt64TypeInContext(c);
    LLVMTypeRef parameters[] = {pointer, pointer, i64};
    LLVMValueRef function =
        LLVMAddFunction(h->cx.module, name, LLVMFunctionType(LLVMVoidTypeInContext(c), parameters, 3, 0));
    LLVMBasicBlockRef entry = LLVMAppendBasicBlockInContext(c, function, ""),
                      loop = LLVMAppendBasicBlockInContext(c, function, ""),
                      done = LLVMAppendBasicBlockInContext(c, function, "");
    LLVMValueRef arrays[HARNESS_INPUTS_MAX], inputs[HARNESS_INPUTS_MAX], targets[HARNESS_OUTPUTS_MAX],
        outputs[HARNESS_OUTPUTS_MAX], zero = LLVMConstInt(i64, 0, 0);
    LLVMPositionBuilderAtEnd(b, entry);
    load_arrays(h, LLVMGetParam(function, 0), input_count, arrays);
    targets[0] = LLVMGetParam(function, 1);
    if (output_count > 1) load_arrays(h, targets[0], output_count, targets);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntEQ, LLVMGetParam(function, 2), zero, ""), done, loop);
    LLVMPositionBuilderAtEnd(b, loop);
    LLVMValueRef index = LLVMBuildPhi(b, i64, "");
    for (unsigned i = 0; i < input_count; i++) inputs[i] = load_block(h, arrays[i], input_bits[i], lanes, index);
    bool good = emit(&h->cx, data, inputs, outputs);
    for (unsigned i = 0; i < output_count && good; i++)
        store_block(h, outputs[i], targets[i], output_bits[i], lanes, index);
    LLVMValueRef next = LLVMBuildAdd(b, index, LLVMConstInt(i64, 1, 0), "");
    LLVMValueRef values[] = {zero, next};
    LLVMBasicBlockRef blocks[] = {entry, LLVMGetInsertBlock(b)};
    LLVMAddIncoming(index, values, blocks, 2);
    LLVMBuildCondBr(b, LLVMBuildICmp(b, LLVMIntULT, next, LLVMGetParam(function, 2), ""), loop, done);
    LLVMPositionBuilderAtEnd(b, done);
    LLVMBuildRetVoid(b);
    return good;
}

typedef struct OneOutput {
    HarnessEmit *emit;
    const void *data;
} OneOutput;

static bool emit_one(NumericContext *cx, const void *data, const LLVMValueRef *inputs, LLVMValueRef *outputs) {
    const OneOutput *one = data;
    outputs[0] = one->emit(cx, one->data, inputs);
    return outputs[0];
}

bool harness_add(Harness *h, const char *name, unsigned lanes, unsigned input_count, const unsigned *input_bits,
                 unsigned output_bits, HarnessEmit *emit, const void *data) {
    OneOutput one = {emit, data};
    return harness_add_many(h, name, lanes, input_count, input_bits, 1, &output_bits, emit_one, &one);
}

// The passes of kernels: those of level 3.
static void verify_and_optimize(Harness *h, LLVMTargetMachineRef target) {
    static const char *const of_levels[] = {
#define PIPELINE(level, code_generator, passes, gpu_passes) [level] = passes,
#include "compiler/target/pipelines.def"
#undef PIPELINE
    };
    const char *passes = of_levels[BASE_COUNT(of_levels) - 1];
    char *message = NULL;
    bool broken = LLVMVerifyModule(h->cx.module, LLVMReturnStatusAction, &message);
    cr_assert(!broken, "%s", message);
    LLVMDisposeMessage(message);
    LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    check_error(LLVMRunPasses(h->cx.module, passes, target, options), "passes");
    LLVMDisposePassBuilderOptions(options);
}

void harness_check_only(Harness *h, const char *features) {
    LLVMMemoryBufferRef object;
    char *message = NULL;
    LLVMTargetMachineRef target = target_machine(features);
    verify_and_optimize(h, target);
    cr_assert(!LLVMTargetMachineEmitToMemoryBuffer(target, h->cx.module, LLVMObjectFile, &message, &object), "%s",
              message);
    cr_assert(LLVMGetBufferSize(object) > 0);
    LLVMDisposeMemoryBuffer(object);
    LLVMDisposeTargetMachine(target);
    LLVMDisposeModule(h->cx.module);
}

static void add_library(Harness *h, const char *path, bool needed) {
    LLVMOrcDefinitionGeneratorRef generator;
    LLVMErrorRef error = LLVMOrcCreateDynamicLibrarySearchGeneratorForPath(
        &generator, path, LLVMOrcLLJITGetGlobalPrefix(h->jit), NULL, NULL);
    if (!error) {
        LLVMOrcJITDylibAddGenerator(LLVMOrcLLJITGetMainJITDylib(h->jit), generator);
        return;
    }
    if (needed) check_error(error, path);
    LLVMConsumeError(error);
}

static void define_runtime(Harness *h) {
    static const char *const names[] = {"congruent_tower_tables", "congruent_tower_pow", "congruent_tower_powi",
                                        "congruent_tower_mul",    "congruent_tower_div", "congruent_tower_sqrt",
                                        "congruent_tower_rsqrt",  WIDE_FUNCTION_NAME};
    LLVMOrcCSymbolMapPair pairs[BASE_COUNT(names)];
    for (size_t i = 0; i < BASE_COUNT(names); i++) {
        pairs[i].Name = LLVMOrcLLJITMangleAndIntern(h->jit, names[i]);
        void *address = tower_runtime_address(names[i]);
        if (!address) address = (void *)(uintptr_t)congruent_wide_function;
        pairs[i].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)address;
        pairs[i].Sym.Flags = (LLVMJITSymbolFlags){LLVMJITSymbolGenericFlagsExported, 0};
    }
    check_error(
        LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(h->jit), LLVMOrcAbsoluteSymbols(pairs, BASE_COUNT(names))),
        "what emitted code calls");
}

void harness_finish(Harness *h) {
    LLVMOrcLLJITBuilderRef builder = LLVMOrcCreateLLJITBuilder();
    verify_and_optimize(h, h->target);
    LLVMOrcLLJITBuilderSetJITTargetMachineBuilder(builder,
                                                  LLVMOrcJITTargetMachineBuilderCreateFromTargetMachine(h->target));
    h->target = NULL; // now ORC's
    check_error(LLVMOrcCreateLLJIT(&h->jit, builder), "ORC");
    define_runtime(h);
    add_library(h, "libm.so.6", true);
    add_library(h, "libmvec.so.1", false);
    LLVMOrcThreadSafeModuleRef module = LLVMOrcCreateNewThreadSafeModule(h->cx.module, h->safe);
    check_error(LLVMOrcLLJITAddLLVMIRModule(h->jit, LLVMOrcLLJITGetMainJITDylib(h->jit), module), "adding the module");
}

HarnessFunction *harness_function(Harness *h, const char *name) {
    LLVMOrcExecutorAddress address = 0;
    check_error(LLVMOrcLLJITLookup(h->jit, &address, name), name);
    return (HarnessFunction *)(uintptr_t)address;
}

void harness_close(Harness *h) {
    LLVMDisposeBuilder(h->cx.builder);
    if (h->target) LLVMDisposeTargetMachine(h->target);
    if (h->jit) check_error(LLVMOrcDisposeLLJIT(h->jit), "closing");
    LLVMOrcDisposeThreadSafeContext(h->safe);
    diagnostics_close(&h->diagnostics);
}

// ---- inputs -------------------------------------------------------------------------------------

uint64_t random_bits(uint64_t *state) { // splitmix64
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t sample_bits(FpsanFormat format, size_t index, uint64_t *state) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    unsigned mantissa = info->mantissa_bits, exponent = info->exponent_bits, padding = format == FPSAN_TF32 ? 13 : 0;
    uint64_t ulp = UINT64_C(1) << padding, implicit = ulp << mantissa,
             sign = info->is_signed ? implicit << exponent : 0;
    uint64_t top = ((UINT64_C(1) << exponent) - 1) * implicit, one = info->one, mask = sign | top | (implicit - ulp);
    const uint64_t specials[] = {0,
                                 ulp,
                                 2 * ulp,
                                 3 * ulp,
                                 implicit - ulp,
                                 implicit,
                                 implicit + ulp,
                                 one - ulp,
                                 one,
                                 one + ulp,
                                 2 * one,
                                 top - ulp,
                                 top,
                                 top + ulp,
                                 top | implicit >> 1,
                                 implicit - ulp + top,
                                 top - implicit,
                                 one + implicit};
    uint64_t random = random_bits(state), bits;
    if (index < 2 * BASE_COUNT(specials)) return (specials[index / 2] | (index & 1 ? sign : 0)) & mask;
    switch (random_bits(state) % 8) {
    case 0: bits = specials[random % BASE_COUNT(specials)] ^ (random >> 32 & 1 ? sign : 0); break;
    case 1: bits = (random & (sign | (implicit - ulp))) | (one & top); break; // 1 <= |x| < 2
    case 2:
        bits = (random & (sign | (7 * (implicit >> 3)))) + one - (random >> 61) * implicit;
        break;                                                // few bits, 2^-7 to 2
    case 3: bits = random & (sign | (implicit - ulp)); break; // subnormals
    case 4: bits = (random & (sign | (implicit - ulp))) + one + ((random >> 56) % 32) * implicit - 16 * implicit; break;
    default: bits = random; break;
    }
    return bits & mask;
}

void store_element(void *array, unsigned bits, size_t index, uint64_t value) {
    unsigned bytes = memory_bits(bits) / 8;
    memcpy((char *)array + index * bytes, &value, bytes); // little endian
}

uint64_t load_element(const void *array, unsigned bits, size_t index) {
    uint64_t value = 0;
    unsigned bytes = memory_bits(bits) / 8;
    memcpy(&value, (const char *)array + index * bytes, bytes);
    return value;
}

bool bits_are_nan(FpsanFormat format, uint64_t bits) {
    return fpsan_classify_bits(format, bits) & FPSAN_CLASS_NAN;
}

bool same_float(FpsanFormat format, uint64_t a, uint64_t b) {
    return a == b || (bits_are_nan(format, a) && bits_are_nan(format, b));
}
