// SPDX-License-Identifier: Apache-2.0
// Every operation of `ieee` and `payload` on GPUs: LLVM makes PTX of it, and ptxas takes that (skipped where there is
// none; of `ieee` also where there is no libdevice).
#include "base/simt_abi.h"
#include "compiler/numeric/numeric.h"
#include "compiler/target/target.h"
#include "tests/numeric/numeric_harness.h"

#include <criterion/criterion.h>
#include <llvm-c/Core.h>
#include <stdio.h>
#include <string.h>

enum { PTX_KERNEL = 71, OPERANDS_MAX = 5 }; // LLVM's number of the calling convention

// A module with a kernel for each operation: it loads vectors of integers, computes and stores.
typedef struct Kernels {
    Target *target;
    Diagnostics diagnostics;
    NumericContext cx;
    LLVMValueRef function;
    unsigned count, lanes;
} Kernels;

static const char *message_of(const Diagnostics *diagnostics) {
    return diagnostics->count ? diagnostics->items[0].message : "";
}

static Kernels open_kernels(const char *gpu, const Numeric *numeric, unsigned lanes, unsigned level) {
    Kernels k = {.lanes = lanes};
    k.target = target_open_gpu(&k.diagnostics, gpu, level);
    cr_assert(k.target, "%s", message_of(&k.diagnostics));
    k.cx = (NumericContext){
        .context = LLVMContextCreate(), .numeric = numeric, .machine = *target_machine(k.target), .op_name = "test"};
    char text[FPSAN_MESSAGE_SIZE];
    cr_assert(fpsan_parse_instrumentation("fpsan", &k.cx.instrumentation, text));
    k.cx.module = LLVMModuleCreateWithNameInContext("numeric", k.cx.context);
    k.cx.builder = LLVMCreateBuilderInContext(k.cx.context);
    return k;
}

static void close_kernels(Kernels *k) {
    LLVMDisposeBuilder(k->cx.builder);
    LLVMDisposeModule(k->cx.module);
    LLVMContextDispose(k->cx.context);
    target_close(k->target);
    diagnostics_close(&k->diagnostics);
}

static LLVMTypeRef integers(const Kernels *k, unsigned bits) {
    return vector_type(LLVMIntTypeInContext(k->cx.context, bits), k->lanes);
}

// Begins a kernel with operands of these widths (1: of whole bytes in memory).
static void begin_kernel(Kernels *k, Diagnostics *diagnostics, unsigned count, const unsigned *bits,
                         LLVMValueRef *operands) {
    char name[32];
    LLVMTypeRef pointer = LLVMPointerTypeInContext(k->cx.context, 1);
    LLVMTypeRef types[OPERANDS_MAX + 1] = {pointer, pointer, pointer, pointer, pointer, pointer};
    snprintf(name, sizeof name, "k%u", k->count++);
    k->function = LLVMAddFunction(k->cx.module, name,
                                  LLVMFunctionType(LLVMVoidTypeInContext(k->cx.context), types, count + 1, false));
    LLVMSetFunctionCallConv(k->function, PTX_KERNEL);
    LLVMPositionBuilderAtEnd(k->cx.builder, LLVMAppendBasicBlockInContext(k->cx.context, k->function, ""));
    k->cx.diagnostics = diagnostics;
    for (unsigned i = 0; i < count; i++) {
        LLVMTypeRef type = integers(k, bits[i] == 1 ? 8 : bits[i]);
        operands[i] = LLVMBuildLoad2(k->cx.builder, type, LLVMGetParam(k->function, i + 1), "");
        if (bits[i] == 1) operands[i] = LLVMBuildTrunc(k->cx.builder, operands[i], integers(k, 1), "");
    }
}

// Ends it; `result` is an integer or a vector of them. What a numeric refuses is no kernel.
static void end_kernel(Kernels *k, Diagnostics *diagnostics, bool good, LLVMValueRef result) {
    if (good) {
        if (LLVMGetIntTypeWidth(vector_element(LLVMTypeOf(result))) < 8)
            result = LLVMBuildZExt(k->cx.builder, result, integers(k, 8), "");
        LLVMBuildStore(k->cx.builder, result, LLVMGetParam(k->function, 0));
        LLVMBuildRetVoid(k->cx.builder);
    } else {
        cr_assert(diagnostics->count, "refused without a reason");
        LLVMDeleteFunction(k->function);
        k->count--;
    }
    diagnostics_close(diagnostics);
}

static unsigned bits_of(FpsanFormat format) {
    return fpsan_format_info(format)->lane_bits;
}

static NumericValue load_value(Kernels *k, FpsanFormat format, LLVMValueRef bits) {
    return k->cx.numeric->from_planes(&k->cx, format, &bits);
}

static LLVMValueRef store_value(Kernels *k, FpsanFormat format, const NumericValue *value) {
    LLVMValueRef planes[NUMERIC_PLANES_MAX];
    k->cx.numeric->to_planes(&k->cx, format, value, planes);
    return planes[0];
}

// ---- the operations -------------------------------------------------------------------------------------------------

static void add_rule(Kernels *k, FpsanRule rule, FpsanFormat format, FloatOp said) {
    const FloatOp op = harness_rule(said, rule, format);
    Diagnostics diagnostics = {0};
    unsigned bits[OPERANDS_MAX] = {0}, count = fpsan_rule_info(rule)->operands;
    LLVMValueRef loaded[OPERANDS_MAX];
    NumericValue operands[OPERANDS_MAX], result = {0};
    for (unsigned i = 0; i < count; i++) bits[i] = rule == FPSAN_RULE_POWI && i == 1 ? 32 : bits_of(format);
    begin_kernel(k, &diagnostics, count, bits, loaded);
    for (unsigned i = 0; i < count; i++)
        operands[i] =
            rule == FPSAN_RULE_POWI && i == 1 ? (NumericValue){.parts = {loaded[i]}} : load_value(k, format, loaded[i]);
    bool good = k->cx.numeric->apply(&k->cx, &op, operands, count, &result);
    end_kernel(k, &diagnostics, good, good ? store_value(k, format, &result) : NULL);
}

static void add_rules(Kernels *k) {
    static const FloatOp said[] = {
        {.rounding = FPSAN_NEAREST_EVEN},
        {.rounding = FPSAN_TOWARD_ZERO},
        {.rounding = FPSAN_TOWARD_NEGATIVE},
        {.rounding = FPSAN_TOWARD_POSITIVE},
        {.implementation = FLOAT_APPROXIMATED},
        {.implementation = FLOAT_RECIPROCAL},
        {.implementation = FLOAT_FULL_RANGE_DIVISION},
        {.implementation = FLOAT_BY_DOUBLE},
        {.implementation = FLOAT_APPROXIMATED, .flush_to_zero = true},
        {.flush_to_zero = true},
        {.flush_to_zero = true, .approximate_roots = true},
        {.flush_to_zero = true, .propagate_nan = true},
        {.propagate_nan = true},
    };
    bool payload = k->cx.numeric == &numeric_payload; // where they change nothing
    for (int format = 0; format < FPSAN_FORMAT_COUNT; format++)
        for (int rule = 0; rule < FPSAN_RULE_COUNT; rule++)
            for (size_t m = 0; rule != FPSAN_RULE_EXTERN && m < (payload ? 1 : BASE_COUNT(said)); m++)
                add_rule(k, (FpsanRule)rule, (FpsanFormat)format, said[m]);
}

static void add_conversion(Kernels *k, FpsanFormat from, FpsanFormat to, FpsanRounding rounding) {
    FloatOp op = float_conversion(from, to); // as ftof: to 8 bits and less it saturates
    Diagnostics diagnostics = {0};
    op.rounding = rounding;
    LLVMValueRef loaded;
    NumericValue result = {0};
    begin_kernel(k, &diagnostics, 1, (unsigned[]){bits_of(from)}, &loaded);
    NumericValue value = load_value(k, from, loaded);
    bool good = k->cx.numeric->convert(&k->cx, &op, &value, &result);
    end_kernel(k, &diagnostics, good, good ? store_value(k, to, &result) : NULL);
}

static void add_conversions(Kernels *k) {
    static const FpsanRounding roundings[] = {FPSAN_NEAREST_EVEN, FPSAN_TOWARD_ZERO, FPSAN_TOWARD_NEGATIVE,
                                              FPSAN_TOWARD_POSITIVE, FPSAN_NEAREST_AWAY};
    for (int from = 0; from < FPSAN_FORMAT_COUNT; from++)
        for (int to = 0; to < FPSAN_FORMAT_COUNT; to++)
            for (size_t r = 0; r < BASE_COUNT(roundings); r++)
                if (from == FPSAN_F64 || from == FPSAN_F32 || !r)
                    add_conversion(k, (FpsanFormat)from, (FpsanFormat)to, roundings[r]);
}

static void add_integers(Kernels *k) {
    static const unsigned widths[] = {1, 8, 16, 32, 64};
    for (int format = 0; format < FPSAN_FORMAT_COUNT; format++)
        for (size_t w = 0; w < BASE_COUNT(widths); w++)
            for (int is_signed = 0; is_signed < 2; is_signed++) {
                Diagnostics diagnostics = {0};
                LLVMValueRef loaded;
                NumericValue result = {0};
                FloatOp op = harness_conversion((FloatOp){.is_signed = is_signed}, format, format);
                begin_kernel(k, &diagnostics, 1, &widths[w], &loaded);
                bool good = k->cx.numeric->from_integer(&k->cx, &op, &(NumericValue){.parts = {loaded}}, &result);
                end_kernel(k, &diagnostics, good, good ? store_value(k, (FpsanFormat)format, &result) : NULL);
                begin_kernel(k, &diagnostics, 1, (unsigned[]){bits_of((FpsanFormat)format)}, &loaded);
                NumericValue value = load_value(k, (FpsanFormat)format, loaded);
                op.rounding = FPSAN_TOWARD_ZERO;
                good = k->cx.numeric->to_integer(&k->cx, &op, LLVMIntTypeInContext(k->cx.context, widths[w]), &value,
                                                 &result);
                end_kernel(k, &diagnostics, good, result.parts[0]);
            }
}

static void add_comparisons(Kernels *k) {
    for (int format = 0; format < FPSAN_FORMAT_COUNT; format++)
        for (int predicate = FPSAN_EQUAL; predicate <= FPSAN_GREATER_THAN_OR_EQUAL; predicate++)
            for (int unordered = 0; unordered < 2; unordered++) {
                Diagnostics diagnostics = {0};
                LLVMValueRef loaded[2];
                NumericValue result = {0};
                unsigned bits = bits_of((FpsanFormat)format);
                if (format == FPSAN_F64 && predicate != FPSAN_LESS_THAN) continue; // as f32
                begin_kernel(k, &diagnostics, 2, (unsigned[]){bits, bits}, loaded);
                NumericValue a = load_value(k, (FpsanFormat)format, loaded[0]),
                             b = load_value(k, (FpsanFormat)format, loaded[1]);
                const FloatOp op = {.operand = format, .predicate = predicate, .unordered = unordered};
                bool good = k->cx.numeric->compare(&k->cx, &op, &a, &b, &result);
                end_kernel(k, &diagnostics, good, result.parts[0]);
            }
}

static void add_dot(Kernels *k, FpsanFormat operand, FpsanFormat accumulator) {
    Diagnostics diagnostics = {0};
    LLVMValueRef loaded[3], packed[2];
    NumericDot plan;
    const Numeric *numeric = k->cx.numeric;
    unsigned bits[] = {bits_of(operand), bits_of(operand), bits_of(accumulator)};
    begin_kernel(k, &diagnostics, 3, bits, loaded);
    const FloatOp op = float_conversion(operand, accumulator);
    bool good = numeric->dots->plan(&k->cx, &op, 0, &plan);
    NumericValue sum = load_value(k, accumulator, loaded[2]);
    if (good) {
        LLVMValueRef lanes = numeric->dots->begin(&k->cx, &plan, sum.parts[0]);
        for (unsigned i = 0; i < 2; i++) {
            NumericValue value = load_value(k, operand, loaded[i]);
            packed[i] = numeric->dots->operand(&k->cx, &plan, 0, &value);
            unsigned have = vector_lanes(packed[i]);
            LLVMValueRef one = packed[i];
            if (plan.group == 1) continue;
            LLVMTypeRef type = LLVMVectorType(plan.operand_type, (have ? have : 1) * plan.group);
            packed[i] = LLVMGetPoison(type);
            for (unsigned lane = 0; lane < LLVMGetVectorSize(type); lane++) {
                LLVMTypeRef word = LLVMInt32TypeInContext(k->cx.context);
                LLVMValueRef from =
                    have ? LLVMBuildExtractElement(k->cx.builder, one, LLVMConstInt(word, lane / plan.group, 0), "")
                         : one;
                packed[i] = LLVMBuildInsertElement(k->cx.builder, packed[i], from, LLVMConstInt(word, lane, 0), "");
            }
        }
        sum.parts[0] =
            numeric->dots->end(&k->cx, &plan, numeric->dots->step(&k->cx, &plan, lanes, packed[0], packed[1]));
    }
    end_kernel(k, &diagnostics, good, good ? store_value(k, accumulator, &sum) : NULL);
}

static void add_scaled(Kernels *k, FpsanFormat format, FpsanFormat scale_format) {
    Diagnostics diagnostics = {0};
    LLVMValueRef loaded[2];
    NumericValue result = {0};
    begin_kernel(k, &diagnostics, 2, (unsigned[]){bits_of(format), bits_of(scale_format)}, loaded);
    NumericValue value = load_value(k, format, loaded[0]), scale = load_value(k, scale_format, loaded[1]);
    FpsanFormat compute = k->cx.numeric->dots->scaled_format(&k->cx, format, format);
    const FloatOp op = float_conversion(format, compute);
    bool good = k->cx.numeric->dots->scaled_operand(&k->cx, &op, scale_format, &value, &scale, &result);
    end_kernel(k, &diagnostics, good, good ? store_value(k, compute, &result) : NULL);
}

static void add_dots(Kernels *k) {
    static const FpsanFormat small[] = {FPSAN_F8E4M3FN, FPSAN_F8E5M2, FPSAN_F4E2M1FN};
    static const FpsanFormat scales[] = {FPSAN_F8E8M0FNU, FPSAN_F8E4M3FN};
    static const FpsanFormat accumulators[] = {FPSAN_F64, FPSAN_F32, FPSAN_F16, FPSAN_BF16};
    for (int operand = 0; operand < FPSAN_FORMAT_COUNT; operand++)
        for (size_t i = 0; i < BASE_COUNT(accumulators); i++) add_dot(k, (FpsanFormat)operand, accumulators[i]);
    for (size_t i = 0; i < BASE_COUNT(small); i++)
        for (size_t s = 0; s < BASE_COUNT(scales); s++) add_scaled(k, small[i], scales[s]);
}

// ---- compiling them -------------------------------------------------------------------------------------------------

typedef void AddAll(Kernels *k);
static AddAll *const sets[] = {add_rules, add_conversions, add_integers, add_comparisons, add_dots};

// PTX of all operations, and a cubin if `assembled`. False where the machine lacks what is needed (E_BACKEND); any
// other failure is one of the test.
static bool compile_all(const char *gpu, const Numeric *numeric, unsigned lanes, unsigned level, bool assembled) {
    Kernels k = open_kernels(gpu, numeric, lanes, level);
    Diagnostics *diagnostics = &k.diagnostics;
    Buffer ptx = {0}, cubin = {0};
    for (size_t i = 0; i < BASE_COUNT(sets); i++) sets[i](&k);
    cr_expect_gt(k.count, 600);
    target_prepare(k.target, diagnostics, k.cx.module);
    bool good = target_check_calls(k.target, diagnostics, k.cx.module) &&
                target_link_libdevice(k.target, diagnostics, k.cx.module) &&
                target_optimize(k.target, diagnostics, k.cx.module) &&
                target_emit(k.target, diagnostics, k.cx.module, COMPILE_ASM, &ptx) &&
                (!assembled || target_assemble(k.target, diagnostics, &(CompileOptions){0}, &ptx, &cubin));
    cr_expect(good || diagnostics->items[0].code == E_BACKEND, "%s", message_of(diagnostics));
    cr_expect_eq(good && assembled, cubin.size > 0);
    buffer_free(&ptx);
    buffer_free(&cubin);
    close_kernels(&k);
    return good;
}

Test(gpu, every_operation_assembles) {
    static const struct {
        const char *gpu;
        const Numeric *numeric;
        unsigned lanes; // 0: scalars
        unsigned level;
        bool assembled;
    } rows[] = {
        {"sm_80", &numeric_ieee, 2, 1, true},
        {"sm_120", &numeric_payload, 1, 1, true},
        {"sm_100", &numeric_ieee, 4, 0, false},
        {"sm_90", &numeric_payload, 4, 3, false},
    };
    unsigned left_out = 0;
    for (size_t i = 0; i < BASE_COUNT(rows); i++)
        left_out += !compile_all(rows[i].gpu, rows[i].numeric, rows[i].lanes, rows[i].level, rows[i].assembled);
    if (left_out) cr_skip("no ptxas, or no libdevice");
}

// ---- what GPUs compute ----------------------------------------------------------------------------------------------

// The PTX of one rule for a GPU; "" where there is no libdevice. buffer_free is due.
static Buffer ptx_for(const char *gpu, FpsanRule rule, FpsanFormat format, FloatOp said) {
    Kernels k = open_kernels(gpu, &numeric_ieee, 0, 3);
    Buffer ptx = {0};
    add_rule(&k, rule, format, said);
    cr_assert_eq(k.count, 1);
    target_prepare(k.target, &k.diagnostics, k.cx.module);
    cr_assert(target_check_calls(k.target, &k.diagnostics, k.cx.module));
    if (target_link_libdevice(k.target, &k.diagnostics, k.cx.module))
        cr_assert(target_optimize(k.target, &k.diagnostics, k.cx.module) &&
                  target_emit(k.target, &k.diagnostics, k.cx.module, COMPILE_ASM, &ptx));
    buffer_print(&ptx, "%s", "");
    close_kernels(&k);
    return ptx;
}

static Buffer ptx_of(FpsanRule rule, FpsanFormat format, FloatOp said) {
    return ptx_for("sm_80", rule, format, said);
}

// Operations to nearest are the instructions that IEEE 754 asks for, without flushing; directed ones have their own.
Test(gpu, arithmetic_is_that_of_the_machine) {
    static const struct {
        FpsanRule rule;
        FpsanFormat format;
        FpsanRounding rounding;
        const char *instruction;
    } rows[] = {
        {FPSAN_RULE_ADD, FPSAN_F32, FPSAN_NEAREST_EVEN, "add.rn.f32"},
        {FPSAN_RULE_MUL, FPSAN_F64, FPSAN_NEAREST_EVEN, "mul.rn.f64"},
        {FPSAN_RULE_DIV, FPSAN_F32, FPSAN_NEAREST_EVEN, "div.rn.f32"},
        {FPSAN_RULE_SQRT, FPSAN_F32, FPSAN_NEAREST_EVEN, "sqrt.rn.f32"},
        {FPSAN_RULE_FMA, FPSAN_F32, FPSAN_NEAREST_EVEN, "fma.rn.f32"},
        {FPSAN_RULE_SUB, FPSAN_F32, FPSAN_TOWARD_ZERO, "sub.rz.f32"},
        {FPSAN_RULE_DIV, FPSAN_F64, FPSAN_TOWARD_POSITIVE, "div.rp.f64"},
        {FPSAN_RULE_SQRT, FPSAN_F64, FPSAN_TOWARD_NEGATIVE, "sqrt.rm.f64"},
        {FPSAN_RULE_FMA, FPSAN_F16, FPSAN_TOWARD_ZERO, "fma.rz.f32"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Buffer ptx = ptx_of(rows[i].rule, rows[i].format, (FloatOp){.rounding = rows[i].rounding});
        cr_expect(strstr(ptx.data, rows[i].instruction), "%s:\n%s", rows[i].instruction, ptx.data);
        cr_expect_not(strstr(ptx.data, ".ftz") || strstr(ptx.data, "approx"), "%s", ptx.data);
        buffer_free(&ptx);
    }
}

// Conversions of pairs to 8 bits are one instruction from sm_89 on, where they saturate and round to nearest; all that
// is made is assembled where there is ptxas.
Test(gpu, narrowing_of_pairs) {
    static const char *const gpus[] = {"sm_80", "sm_89", "sm_90", "sm_100", "sm_120"};
    static const struct {
        FpsanFormat from, to;
        FpsanRounding rounding;
        const char *instruction;
    } rows[] = {
        {FPSAN_F32, FPSAN_F8E4M3FN, FPSAN_NEAREST_EVEN, "cvt.rn.satfinite.e4m3x2.f32"},
        {FPSAN_F32, FPSAN_F8E5M2, FPSAN_NEAREST_EVEN, "cvt.rn.satfinite.e5m2x2.f32"},
        {FPSAN_BF16, FPSAN_F8E4M3FN, FPSAN_NEAREST_EVEN, "cvt.rn.satfinite.e4m3x2.f32"},
        {FPSAN_F16, FPSAN_F8E4M3FN, FPSAN_NEAREST_EVEN, "cvt.rn.satfinite.e4m3x2.f16x2"},
        {FPSAN_F16, FPSAN_F8E5M2, FPSAN_NEAREST_EVEN, "cvt.rn.satfinite.e5m2x2.f16x2"},
        {FPSAN_F32, FPSAN_F8E4M3FN, FPSAN_TOWARD_ZERO, NULL},
        {FPSAN_F64, FPSAN_F8E4M3FN, FPSAN_NEAREST_EVEN, NULL}, // f32 in between would round twice
        {FPSAN_F32, FPSAN_F8E4M3FNUZ, FPSAN_NEAREST_EVEN, NULL},
        {FPSAN_F32, FPSAN_F4E2M1FN, FPSAN_NEAREST_EVEN, NULL},
        {FPSAN_F32, FPSAN_F6E2M3FN, FPSAN_NEAREST_EVEN, NULL},
    };
    unsigned assembled = 0, kernels = 0;
    for (size_t g = 0; g < BASE_COUNT(gpus); g++)
        for (size_t i = 0; i < BASE_COUNT(rows); i++) {
            Kernels k = open_kernels(gpus[g], &numeric_ieee, (unsigned[]){4, 0, 2}[i % 3], 3);
            Buffer ptx = {0}, cubin = {0};
            add_conversion(&k, rows[i].from, rows[i].to, rows[i].rounding);
            cr_assert_eq(k.count, 1);
            target_prepare(k.target, &k.diagnostics, k.cx.module);
            cr_assert(target_check_calls(k.target, &k.diagnostics, k.cx.module) &&
                          target_optimize(k.target, &k.diagnostics, k.cx.module) &&
                          target_emit(k.target, &k.diagnostics, k.cx.module, COMPILE_ASM, &ptx),
                      "%s", message_of(&k.diagnostics));
            buffer_print(&ptx, "%s", "");
            const bool has = rows[i].instruction && g > 0;
            cr_expect_eq(has, strstr(ptx.data, "satfinite") != NULL, "%s, row %zu:\n%s", gpus[g], i, ptx.data);
            if (has) cr_expect(strstr(ptx.data, rows[i].instruction), "%s, row %zu:\n%s", gpus[g], i, ptx.data);
            kernels++;
            const bool asked = has || (i + g) % 5 == 0; // integer code is assembled elsewhere, too
            if (!asked || target_assemble(k.target, &k.diagnostics, &(CompileOptions){0}, &ptx, &cubin))
                assembled++;
            else
                cr_expect_eq(k.diagnostics.items[0].code, E_BACKEND, "%s", message_of(&k.diagnostics));
            buffer_free(&ptx);
            buffer_free(&cubin);
            close_kernels(&k);
        }
    if (assembled < kernels) cr_skip("no ptxas, or one that is too old");
}

// A function is there once, whatever else libdevice has; and the payload algebra needs none.
Test(gpu, only_what_is_called_is_linked) {
    Buffer ptx = ptx_of(FPSAN_RULE_LOG, FPSAN_F32, (FloatOp){0});
    if (!*ptx.data) {
        buffer_free(&ptx);
        cr_skip("no libdevice");
    }
    cr_expect_not(strstr(ptx.data, "__nv_"), "the only call is inlined:\n%s", ptx.data);
    cr_expect_not(strstr(ptx.data, "__nvvm_reflect"));
    cr_expect_lt(ptx.size, 6000);
    buffer_free(&ptx);
}

Test(gpu, remainders_are_exact) { // LLVM's frem would divide and multiply
    Buffer ptx = ptx_of(FPSAN_RULE_REM, FPSAN_F64, (FloatOp){0});
    cr_expect_not(strstr(ptx.data, "div.rn.f64"), "%s", ptx.data);
    buffer_free(&ptx);
}

// The words of `words`, separated by spaces, stand in the text in that order.
static bool has_words(const char *text, const char *words) {
    char word[64];
    while (*words) {
        int length = (int)strcspn(words, " ");
        snprintf(word, sizeof word, "%.*s", length, words);
        text = strstr(text, word);
        if (!text) return false;
        text += length;
        words += length + (words[length] == ' ');
    }
    return true;
}

#define APPROXIMATE(...)                                                                                               \
    { .implementation = FLOAT_APPROXIMATED, __VA_ARGS__ }
#define FLUSH .flush_to_zero = true
static const struct InstructionRow {
    FpsanRule rule;
    FpsanFormat format;
    FloatOp said;
    const char *words; // in the PTX, in this order
    const char *none;  // what is not there; NULL: whatever
} instruction_rows[] = {
    // sqrt: flush_to_zero, approximate or not; directed; f64.
    {FPSAN_RULE_SQRT, FPSAN_F32, {0}, "sqrt.rn.f32", "ftz"},
    {FPSAN_RULE_SQRT, FPSAN_F32, {FLUSH}, "sqrt.rn.ftz.f32", "approx"},
    {FPSAN_RULE_SQRT, FPSAN_F32, APPROXIMATE(0), "sqrt.approx.f32", "ftz"},
    {FPSAN_RULE_SQRT, FPSAN_F32, APPROXIMATE(FLUSH), "sqrt.approx.ftz.f32", "rn"},
    {FPSAN_RULE_SQRT, FPSAN_F32, {.rounding = FPSAN_TOWARD_ZERO}, "sqrt.rz.f32", "ftz"},
    {FPSAN_RULE_SQRT, FPSAN_F32, {.rounding = FPSAN_TOWARD_ZERO, FLUSH}, "sqrt.rz.ftz.f32", "approx"},
    {FPSAN_RULE_SQRT, FPSAN_F64, {0}, "sqrt.rn.f64", "ftz"},
    // Approximate functions.
    {FPSAN_RULE_DIV, FPSAN_F32, APPROXIMATE(0), "div.approx.f32", "ftz"},
    {FPSAN_RULE_DIV, FPSAN_F32, APPROXIMATE(FLUSH), "div.approx.ftz.f32", "div.rn"},
    {FPSAN_RULE_DIV, FPSAN_F32, {.implementation = FLOAT_FULL_RANGE_DIVISION}, "div.full.f32", "ftz"},
    {FPSAN_RULE_DIV, FPSAN_F32, {.implementation = FLOAT_FULL_RANGE_DIVISION, FLUSH}, "div.full.ftz.f32", "div.rn"},
    {FPSAN_RULE_DIV, FPSAN_F32, {.implementation = FLOAT_RECIPROCAL}, "rcp.approx.f32", "ftz"},
    {FPSAN_RULE_DIV, FPSAN_F32, {.implementation = FLOAT_RECIPROCAL, FLUSH}, "rcp.approx.ftz.f32", "div"},
    {FPSAN_RULE_RSQRT, FPSAN_F32, APPROXIMATE(0), "rsqrt.approx.f32", "ftz"},
    {FPSAN_RULE_RSQRT, FPSAN_F32, APPROXIMATE(FLUSH), "rsqrt.approx.ftz.f32", "div"},
    {FPSAN_RULE_EXP2, FPSAN_F32, APPROXIMATE(0), "ex2.approx.f32", "ftz"},
    {FPSAN_RULE_EXP2, FPSAN_F32, APPROXIMATE(FLUSH), "ex2.approx.ftz.f32", "fma"},
    {FPSAN_RULE_EXP, FPSAN_F32, APPROXIMATE(0), "mul.rn.f32 0f3FB8AA3B ex2.approx.f32", "ftz"},
    {FPSAN_RULE_EXP, FPSAN_F32, APPROXIMATE(FLUSH), "mul.rn.ftz.f32 ex2.approx.ftz.f32", "fma"},
    {FPSAN_RULE_LOG2, FPSAN_F32, APPROXIMATE(0), "lg2.approx.f32", "ftz"},
    {FPSAN_RULE_LOG2, FPSAN_F32, APPROXIMATE(FLUSH), "lg2.approx.ftz.f32", "fma"},
    {FPSAN_RULE_LOG, FPSAN_F32, APPROXIMATE(0), "lg2.approx.f32 mul.rn.f32 0f3F317218", "ftz"},
    {FPSAN_RULE_LOG, FPSAN_F32, APPROXIMATE(FLUSH), "lg2.approx.ftz.f32 mul.rn.ftz.f32", "fma"},
    {FPSAN_RULE_SIN, FPSAN_F32, APPROXIMATE(0), "sin.approx.f32", "ftz"},
    {FPSAN_RULE_SIN, FPSAN_F32, APPROXIMATE(FLUSH), "sin.approx.ftz.f32", "fma"},
    {FPSAN_RULE_COS, FPSAN_F32, APPROXIMATE(0), "cos.approx.f32", "ftz"},
    {FPSAN_RULE_COS, FPSAN_F32, APPROXIMATE(FLUSH), "cos.approx.ftz.f32", "fma"},
    {FPSAN_RULE_TAN, FPSAN_F32, APPROXIMATE(0), "sin.approx.f32 cos.approx.f32 div.approx.f32", "ftz"},
    {FPSAN_RULE_TAN, FPSAN_F32, APPROXIMATE(FLUSH), "sin.approx.ftz.f32 cos.approx.ftz.f32 div.approx.ftz.f32", "rn"},
    {FPSAN_RULE_TANH, FPSAN_F32, APPROXIMATE(0), "tanh.approx.f32", "ftz"},
    {FPSAN_RULE_TANH, FPSAN_F32, APPROXIMATE(FLUSH), "tanh.approx.f32", "ftz"},
    {FPSAN_RULE_POW, FPSAN_F32, APPROXIMATE(0), "lg2.approx.f32 mul.rn.f32 ex2.approx.f32", "ftz"},
    {FPSAN_RULE_POW, FPSAN_F32, APPROXIMATE(FLUSH), "lg2.approx.ftz.f32 mul.rn.ftz.f32 ex2.approx.ftz.f32", "fma"},
    // Of 16 bits: in f32, rounded once.
    {FPSAN_RULE_TANH, FPSAN_F16, APPROXIMATE(0), "tanh.approx.f32", "tanh.approx.f16"},
    {FPSAN_RULE_EXP2, FPSAN_BF16, APPROXIMATE(0), "ex2.approx.f32", "ftz"},
    // By doubles.
    {FPSAN_RULE_RSQRT,
     FPSAN_F32,
     {.implementation = FLOAT_BY_DOUBLE},
     "sqrt.rn.f64 .rn.f64 cvt.rn.f32.f64",
     "f32 sqrt"},
    {FPSAN_RULE_EXP, FPSAN_F32, {.implementation = FLOAT_BY_DOUBLE}, "cvt.f64.f32 fma.rn.f64 cvt.rn.f32.f64", "ex2"},
    // flush_to_zero: the instruction's own form,
    {FPSAN_RULE_ADD, FPSAN_F32, {FLUSH}, "add.rn.ftz.f32", "mul"},
    {FPSAN_RULE_SUB, FPSAN_F32, {FLUSH}, "sub.rn.ftz.f32", "mul"},
    {FPSAN_RULE_MUL, FPSAN_F32, {FLUSH}, "mul.rn.ftz.f32", "add.rn"},
    {FPSAN_RULE_DIV, FPSAN_F32, {FLUSH}, "div.rn.ftz.f32", "mul"},
    {FPSAN_RULE_FMA, FPSAN_F32, {FLUSH}, "fma.rn.ftz.f32", "mul"},
    {FPSAN_RULE_FMA, FPSAN_F32, {.rounding = FPSAN_TOWARD_POSITIVE, FLUSH}, "fma.rp.ftz.f32", "mul"},
    {FPSAN_RULE_ADD, FPSAN_F32, {.rounding = FPSAN_TOWARD_NEGATIVE, FLUSH}, "add.rm.ftz.f32", "mul"},
    {FPSAN_RULE_RSQRT, FPSAN_F32, {FLUSH}, "sqrt.rn.ftz.f32 .rn.ftz.f32", "mul"},
    {FPSAN_RULE_MIN, FPSAN_F32, {FLUSH}, "min.ftz.f32", "mul"},
    {FPSAN_RULE_MAX, FPSAN_F32, {FLUSH, .propagate_nan = true}, "max.ftz.NaN.f32", "mul"},
    {FPSAN_RULE_FLOOR, FPSAN_F32, {FLUSH}, "cvt.rmi.ftz.f32.f32", "mul"},
    {FPSAN_RULE_CEIL, FPSAN_F32, {FLUSH}, "cvt.rpi.ftz.f32.f32", "mul"},
    {FPSAN_RULE_ABS, FPSAN_F32, {FLUSH}, "abs.ftz.f32", NULL},
    // or a product with 1, and libdevice's arm.
    {FPSAN_RULE_NEG, FPSAN_F32, {FLUSH}, "mul.rn.ftz.f32", "approx"},
    {FPSAN_RULE_EXP2, FPSAN_F32, {FLUSH}, "mul.rn.ftz.f32 fma.rn.f32 mul.rn.ftz.f32", "approx"},
    {FPSAN_RULE_LOG, FPSAN_F32, {FLUSH}, "mul.rn.ftz.f32 fma.rn.ftz.f32 mul.rn.ftz.f32", "fma.rn.f32"},
    {FPSAN_RULE_LOG, FPSAN_F32, {0}, "fma.rn.f32", "ftz"},
    {FPSAN_RULE_ATAN2, FPSAN_F32, {FLUSH}, "mul.rn.ftz.f32 fma.rn.ftz.f32", "fma.rn.f32"},
};

// The instructions of every implementation, on GPUs of every generation; ptxas takes them.
Test(gpu, implementations_are_instructions) {
    static const char *const gpus[] = {"sm_80", "sm_90", "sm_100", "sm_120"};
    unsigned left_out = 0;
    for (size_t g = 0; g < BASE_COUNT(gpus); g++)
        for (size_t i = 0; i < BASE_COUNT(instruction_rows); i++) {
            const struct InstructionRow *row = &instruction_rows[i];
            Buffer ptx = ptx_for(gpus[g], row->rule, row->format, row->said);
            if (!*ptx.data) {
                left_out++;
            } else {
                cr_expect(has_words(ptx.data, row->words), "%s: no %s:\n%s", gpus[g], row->words, ptx.data);
                cr_expect(!row->none || !strstr(strstr(ptx.data, ".entry"), row->none), "%s: %s beside %s:\n%s",
                          gpus[g], row->none, row->words, ptx.data);
                cr_expect_not(strstr(ptx.data, "__nvvm_reflect"));
            }
            buffer_free(&ptx);
        }
    if (left_out) cr_skip("no libdevice");
}

// Comparisons and conversions that flush: operands and results are multiplied by 1.
Test(gpu, comparisons_and_conversions_flush) {
    static const struct {
        FpsanFormat from, to;
        const char *words;
    } rows[] = {
        {FPSAN_F32, FPSAN_F32, "mul.rn.ftz.f32 mul.rn.ftz.f32 setp"}, // a comparison
        {FPSAN_F32, FPSAN_F64, "mul.rn.ftz.f32 cvt.f64.f32"},
        {FPSAN_F64, FPSAN_F32, "cvt.rn.f32.f64 mul.rn.ftz.f32"},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Kernels k = open_kernels("sm_90", &numeric_ieee, 0, 2);
        Diagnostics diagnostics = {0};
        LLVMValueRef loaded[2];
        NumericValue result = {0};
        Buffer ptx = {0};
        const bool compares = rows[i].from == rows[i].to;
        const unsigned bits = bits_of(rows[i].from);
        FloatOp op = float_conversion(rows[i].from, rows[i].to);
        op.flush_to_zero = true;
        op.predicate = FPSAN_LESS_THAN;
        begin_kernel(&k, &diagnostics, 1 + compares, (unsigned[]){bits, bits}, loaded);
        NumericValue x = load_value(&k, rows[i].from, loaded[0]), y = load_value(&k, rows[i].from, loaded[compares]);
        bool good = compares ? numeric_ieee.compare(&k.cx, &op, &x, &y, &result)
                             : numeric_ieee.convert(&k.cx, &op, &x, &result);
        cr_assert(good);
        end_kernel(&k, &diagnostics, true, compares ? result.parts[0] : store_value(&k, rows[i].to, &result));
        target_prepare(k.target, &k.diagnostics, k.cx.module);
        cr_assert(target_check_calls(k.target, &k.diagnostics, k.cx.module) &&
                  target_optimize(k.target, &k.diagnostics, k.cx.module) &&
                  target_emit(k.target, &k.diagnostics, k.cx.module, COMPILE_ASM, &ptx));
        buffer_print(&ptx, "%s", "");
        cr_expect(has_words(ptx.data, rows[i].words), "%s:\n%s", rows[i].words, ptx.data);
        buffer_free(&ptx);
        close_kernels(&k);
    }
}

// The same rows in one module, through ptxas.
Test(gpu, implementations_assemble) {
    static const char *const gpus[] = {"sm_80", "sm_90", "sm_100", "sm_120"};
    for (size_t g = 0; g < BASE_COUNT(gpus); g++) {
        Kernels k = open_kernels(gpus[g], &numeric_ieee, 2, 2);
        Buffer ptx = {0}, cubin = {0};
        for (size_t i = 0; i < BASE_COUNT(instruction_rows); i++)
            add_rule(&k, instruction_rows[i].rule, instruction_rows[i].format, instruction_rows[i].said);
        cr_assert_eq(k.count, BASE_COUNT(instruction_rows));
        target_prepare(k.target, &k.diagnostics, k.cx.module);
        bool good = target_check_calls(k.target, &k.diagnostics, k.cx.module) &&
                    target_link_libdevice(k.target, &k.diagnostics, k.cx.module) &&
                    target_optimize(k.target, &k.diagnostics, k.cx.module) &&
                    target_emit(k.target, &k.diagnostics, k.cx.module, COMPILE_ASM, &ptx) &&
                    target_assemble(k.target, &k.diagnostics, &(CompileOptions){0}, &ptx, &cubin);
        bool missing = !good && k.diagnostics.items[0].code == E_BACKEND;
        cr_expect(good || missing, "%s: %s", gpus[g], message_of(&k.diagnostics));
        buffer_free(&ptx);
        buffer_free(&cubin);
        close_kernels(&k);
        if (missing) cr_skip("no ptxas, or no libdevice");
    }
}

// ---- the emulator gives the bits that processors give ---------------------------------------------------------------

static void ignore_access(const void *address, uint32_t bytes, uint32_t flags, uint32_t place) {
    (void)address, (void)bytes, (void)flags, (void)place;
}

// The forms whose results are the same everywhere: not the functions of libdevice.
static bool is_same_everywhere(const struct InstructionRow *row) {
    const FpsanRule rule = row->rule;
    const bool in_library =
        *fpsan_rule_info(rule)->library && rule != FPSAN_RULE_EXP && rule != FPSAN_RULE_EXP2 && rule != FPSAN_RULE_TANH;
    return row->said.implementation == FLOAT_BY_DOUBLE ? rule == FPSAN_RULE_RSQRT
                                                       : row->said.implementation != FLOAT_EXACT || !in_library;
}

static LLVMValueRef emit_row(NumericContext *cx, const void *data, const LLVMValueRef *inputs) {
    const struct InstructionRow *row = data;
    const FloatOp op = harness_rule(row->said, row->rule, row->format);
    NumericValue operands[3], result;
    for (unsigned i = 0; i < fpsan_rule_info(row->rule)->operands; i++)
        operands[i] = cx->numeric->from_bits(cx, row->format, inputs[i]);
    if (!cx->numeric->apply(cx, &op, operands, fpsan_rule_info(row->rule)->operands, &result)) return NULL;
    return cx->numeric->to_bits(cx, row->format, &result);
}

enum { EMULATED = 4000 };

static void compare_row(const struct InstructionRow *row, SimtEntry *entry, HarnessFunction *function) {
    static uint64_t x[3][EMULATED], want[EMULATED], got;
    const unsigned bits = bits_of(row->format);
    uint64_t state = 9, one[3];
    for (size_t i = 0; i < EMULATED; i++)
        for (unsigned k = 0; k < 3; k++) {
            uint64_t value = sample_bits(row->format, i < 1600 ? (k ? i / 40 : i % 40) : 99, &state);
            if (row->format == FPSAN_F32 && i % 4 == 1) value &= 0x81ffffff; // subnormal, and little more
            store_element(x[k], bits, i, value);
        }
    function((const void *[]){x[0], x[1], x[2]}, want, EMULATED);
    for (size_t i = 0; i < EMULATED; i++) {
        for (unsigned k = 0; k < 3; k++) one[k] = load_element(x[k], bits, i);
        const uint64_t arguments[] = {(uintptr_t)&got, (uintptr_t)&one[0], (uintptr_t)&one[1], (uintptr_t)&one[2]};
        entry(arguments);
        const uint64_t expected = load_element(want, bits, i), found = load_element(&got, bits, 0);
        cr_assert(same_float(row->format, found, expected), "%s: %s of %#lx, %#lx, %#lx is %#lx, on processors %#lx",
                  row->words, fpsan_rule_info(row->rule)->name, one[0], one[1], one[2], found, expected);
    }
}

Test(gpu, the_emulator_computes_as_processors_do) {
    static const SimtOps ops = {.access = ignore_access};
    const struct InstructionRow *rows[BASE_COUNT(instruction_rows)];
    size_t count = 0;
    char name[32];
    Harness h;
    Kernels k = open_kernels("sm_90", &numeric_ieee, 0, 2);
    harness_open(&h, &numeric_ieee, native_machine());
    for (size_t i = 0; i < BASE_COUNT(instruction_rows); i++) {
        const struct InstructionRow *row = &instruction_rows[i];
        const unsigned bits = bits_of(row->format);
        if (!is_same_everywhere(row)) continue;
        snprintf(name, sizeof name, "k%zu", count);
        add_rule(&k, row->rule, row->format, row->said);
        cr_assert(harness_add(&h, name, 0, fpsan_rule_info(row->rule)->operands, (unsigned[]){bits, bits, bits}, bits,
                              emit_row, row));
        rows[count++] = row;
    }
    harness_finish(&h);
    cr_assert_gt(count, 40);
    target_prepare(k.target, &k.diagnostics, k.cx.module);
    Target *host = target_open(&k.diagnostics, NULL, 1);
    Jit *jit = jit_open(&k.diagnostics);
    cr_assert(target_optimize(k.target, &k.diagnostics, k.cx.module) &&
                  simt_transform(host, &k.diagnostics, k.cx.module) &&
                  target_optimize(host, &k.diagnostics, k.cx.module) && jit_add(jit, &k.diagnostics, host, k.cx.module),
              "%s", message_of(&k.diagnostics));
    const SimtOps **table = jit_lookup(jit, &k.diagnostics, SIMT_TABLE_NAME);
    cr_assert(table);
    *table = &ops;
    for (size_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "k%zu", i);
        compare_row(rows[i], (SimtEntry *)jit_lookup(jit, &k.diagnostics, name), harness_function(&h, name));
    }
    jit_close(jit);
    target_close(host);
    close_kernels(&k);
    harness_close(&h);
}

// Which floats the matrix units of each GPU multiply as which, and by which instruction.
Test(gpu, matrix_units) {
    static const struct {
        const char *gpu;
        FpsanFormat operand, multiplied;
        const char *instruction;
    } rows[] = {
        {"sm_80", FPSAN_F16, FPSAN_F16, "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"},
        {"sm_80", FPSAN_BF16, FPSAN_BF16, "llvm.nvvm.mma.m16n8k16.row.col.bf16"},
        {"sm_90", FPSAN_TF32, FPSAN_TF32, "llvm.nvvm.mma.m16n8k8.row.col.tf32"},
        {"sm_86", FPSAN_F8E4M3FN, FPSAN_F16, "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"},
        {"sm_80", FPSAN_F8E5M2, FPSAN_F16, "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"},
        {"sm_89", FPSAN_F8E4M3FN, FPSAN_F8E4M3FN, "llvm.nvvm.mma.m16n8k32.row.col.f32.e4m3.e4m3.f32"},
        {"sm_120", FPSAN_F8E5M2, FPSAN_F8E5M2, "llvm.nvvm.mma.m16n8k32.row.col.f32.e5m2.e5m2.f32"},
        {"sm_120", FPSAN_F32, FPSAN_F32, NULL},
    };
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Kernels k = open_kernels(rows[i].gpu, &numeric_ieee, 0, 0);
        NumericDot plan = {.operand_format = rows[i].operand, .accumulator_format = FPSAN_F32};
        bool found = numeric_ieee.dots->matrix(&k.cx, &plan);
        cr_expect_eq(found, rows[i].instruction != NULL, "%s on %s", fpsan_format_info(rows[i].operand)->name,
                     rows[i].gpu);
        if (found) {
            cr_expect_eq(plan.matrix_format, rows[i].multiplied);
            cr_expect_str_eq(plan.matrix_instruction, rows[i].instruction);
        }
        close_kernels(&k);
    }
}
