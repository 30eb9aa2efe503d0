// SPDX-License-Identifier: Apache-2.0
// Kernels over arrays, samples, references.
#include "float_lab.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <mpfr.h>
#include <string.h>

// ---- kernels

static const char *register_name(unsigned bits) {
    return bits == 1 ? "%p" : bits == 8 ? "%b" : bits == 16 ? "%h" : bits == 32 ? "%w" : "%q";
}

static unsigned memory_bytes(unsigned bits) {
    return bits == 1 ? 4 : bits / 8;
}

static void print_instruction(Buffer *out, const ArrayKernel *kernel) {
    for (const char *c = kernel->text; *c; c++) {
        if (*c != '$') {
            buffer_append(out, c, 1);
            continue;
        }
        const unsigned operand = (unsigned)(*++c - '0');
        buffer_print(out, "%s%u", register_name(kernel->bits[operand]), operand);
    }
}

static void print_kernel(Buffer *out, const ArrayKernel *kernel, unsigned number) {
    buffer_print(out,
                 ".visible .entry k%u(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3,\n"
                 " .param .u64 p4, .param .u64 n)\n{\n",
                 number);
    buffer_print(out, ".reg .pred %%p<9>, %%go; .reg .b8 %%b<9>; .reg .b16 %%h<9>; .reg .b32 %%w<9>, %%t;\n"
                      ".reg .b64 %%q<9>, %%a<5>, %%n;\nmov.u32 %%t, %%tid.x;\nld.param.u64 %%n, [n];\n");
    for (unsigned i = 0; i <= ARRAY_INPUTS; i++)
        if (kernel->bits[i])
            buffer_print(out, "ld.param.u64 %%a%u, [p%u];\nmad.wide.u32 %%a%u, %%t, %u, %%a%u;\n", i, i, i,
                         memory_bytes(kernel->bits[i]), i);
    buffer_print(out, "again:\n");
    for (unsigned i = 1; i <= ARRAY_INPUTS; i++)
        if (kernel->bits[i])
            buffer_print(out, "ld.global.b%u %s%u, [%%a%u];\n", kernel->bits[i], register_name(kernel->bits[i]), i, i);
    print_instruction(out, kernel);
    if (kernel->bits[0] == 1)
        buffer_print(out, "\nselp.u32 %%w0, 1, 0, %%p0;\nst.global.b32 [%%a0], %%w0;\n");
    else
        buffer_print(out, "\nst.global.b%u [%%a0], %s0;\n", kernel->bits[0], register_name(kernel->bits[0]));
    for (unsigned i = 0; i <= ARRAY_INPUTS; i++)
        if (kernel->bits[i]) buffer_print(out, "add.u64 %%a%u, %%a%u, %u;\n", i, i, 32 * memory_bytes(kernel->bits[i]));
    buffer_print(out, "sub.u64 %%n, %%n, 32;\nsetp.ne.u64 %%go, %%n, 0;\n@%%go bra again;\nret;\n}\n");
}

void array_lab_open(ArrayLab *lab, const ArrayKernel *kernels, unsigned count, CompileNumeric numeric) {
    Buffer text = {0}, messages = {0};
    buffer_print(&text, "%s", LAB_HEADER);
    for (unsigned i = 0; i < count; i++) print_kernel(&text, &kernels[i], i);
    const bool good = lab_open(&lab->lab, text.data, numeric);
    if (!good) diag_print(&lab->lab.diagnostics.items[0], &messages);
    cr_assert(good, "%s\n%s", messages.data, text.data);
    buffer_free(&text);
    buffer_free(&messages);
    lab->count = count;
}

void array_lab_close(ArrayLab *lab) {
    lab_close(&lab->lab);
}

static void pack(void *memory, unsigned bytes, const uint64_t *values, size_t length) {
    for (size_t i = 0; i < length; i++) memcpy((char *)memory + i * bytes, &values[i], bytes);
}

void array_lab_run(ArrayLab *lab, const ArrayKernel *kernels, unsigned number, size_t length) {
    static uint64_t memory[1 + ARRAY_INPUTS][ARRAY_LENGTH];
    static LabRun run;
    const ArrayKernel *kernel = &kernels[number];
    char name[16];
    snprintf(name, sizeof name, "k%u", number);
    run = (LabRun){0};
    for (unsigned i = 0; i <= ARRAY_INPUTS; i++) {
        run.arguments[i] = (uint64_t)(uintptr_t)memory[i];
        if (i && kernel->bits[i]) pack(memory[i], memory_bytes(kernel->bits[i]), lab->inputs[i - 1], length);
    }
    run.arguments[1 + ARRAY_INPUTS] = length;
    memset(memory[0], 0xa5, sizeof memory[0]);
    cr_assert(lab_run(&lab->lab, name, &run), "%s ends otherwise: %d", kernel->text, run.end);
    memset(lab->results, 0, sizeof lab->results);
    const unsigned bytes = memory_bytes(kernel->bits[0]);
    for (size_t i = 0; i < length; i++) memcpy(&lab->results[i], (char *)memory[0] + i * bytes, bytes);
}

// ---- samples

uint64_t sample_float(FpsanFormat format, uint64_t *state) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    const uint64_t all = info->bits == 64 ? UINT64_MAX : (UINT64_C(1) << info->bits) - 1;
    const uint64_t sign = (all >> 1) + 1, one_ulp = 1,
                   exponent = (all >> 1) - ((UINT64_C(1) << info->mantissa_bits) - 1);
    const uint64_t special[] = {0,
                                one_ulp,
                                (UINT64_C(1) << info->mantissa_bits) - 1,
                                UINT64_C(1) << info->mantissa_bits,
                                info->one,
                                info->one - 1,
                                info->one + 1,
                                exponent - 1,
                                exponent,
                                exponent + 1,
                                all >> 1,
                                exponent | (UINT64_C(1) << info->mantissa_bits) >> 1};
    const uint64_t kind = lab_random(state) % 8, value = lab_random(state);
    const unsigned few = info->mantissa_bits < 4 ? 1 : info->mantissa_bits - 3;
    uint64_t bits = value & all;
    if (kind == 0) bits = special[value % (sizeof special / sizeof *special)] | (value >> 40 & 1 ? sign : 0);
    if (kind == 1) bits &= ~exponent | info->one; // near 1, or small
    if (kind == 2) bits &= ~((UINT64_C(1) << few) - 1);
    if (kind == 3)
        bits = (bits & (sign | ((UINT64_C(1) << info->mantissa_bits) - 1))) |
               (info->one + ((value >> 50) % 8 << info->mantissa_bits));
    return bits & all;
}

bool is_nan_bits(FpsanFormat format, uint64_t bits) {
    return fpsan_classify_bits(format, bits) & FPSAN_CLASS_NAN;
}

bool are_same(FpsanFormat format, uint64_t a, uint64_t b) {
    return a == b || (is_nan_bits(format, a) && is_nan_bits(format, b));
}

// ---- references

static mpfr_rnd_t direction(FpsanRounding rounding) {
    return rounding == FPSAN_TOWARD_ZERO       ? MPFR_RNDZ
           : rounding == FPSAN_TOWARD_NEGATIVE ? MPFR_RNDD
           : rounding == FPSAN_TOWARD_POSITIVE ? MPFR_RNDU
                                               : MPFR_RNDN;
}

static int apply_exactly(FpsanRule rule, mpfr_t out, mpfr_t *x, mpfr_rnd_t mode) {
    switch (rule) {
    case FPSAN_RULE_ADD: return mpfr_add(out, x[0], x[1], mode);
    case FPSAN_RULE_SUB: return mpfr_sub(out, x[0], x[1], mode);
    case FPSAN_RULE_MUL: return mpfr_mul(out, x[0], x[1], mode);
    case FPSAN_RULE_DIV: return mpfr_div(out, x[0], x[1], mode);
    case FPSAN_RULE_FMA: return mpfr_fma(out, x[0], x[1], x[2], mode);
    case FPSAN_RULE_SQRT:
    case FPSAN_RULE_SQRT_RN: return mpfr_sqrt(out, x[0], mode);
    case FPSAN_RULE_FLOOR: return mpfr_rint(out, x[0], MPFR_RNDD);
    case FPSAN_RULE_CEIL: return mpfr_rint(out, x[0], MPFR_RNDU);
    default: cr_assert_fail("no reference"); return 0;
    }
}

uint64_t reference_real(FpsanRule rule, FpsanFormat format, FpsanRounding rounding, const uint64_t *x) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    const unsigned count = fpsan_rule_info(rule)->operands;
    const mpfr_rnd_t mode = direction(rounding);
    mpfr_t in[3], out;
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    mpfr_init2(out, info->mantissa_bits + 1);
    for (unsigned i = 0; i < 3; i++) {
        mpfr_init2(in[i], 53);
        if (i < count) mpfr_set_d(in[i], fpsan_decode(format, x[i]), MPFR_RNDN);
    }
    mpfr_set_emin(1 - info->bias - (int)info->mantissa_bits + 1);
    mpfr_set_emax(info->bias + 1);
    int ternary = apply_exactly(rule, out, in, mode);
    ternary = mpfr_check_range(out, ternary, mode);
    mpfr_subnormalize(out, ternary, mode);
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
    const uint64_t bits = fpsan_encode_nearest(format, mpfr_get_d(out, MPFR_RNDN));
    for (unsigned i = 0; i < 3; i++) mpfr_clear(in[i]);
    mpfr_clear(out);
    return bits;
}

uint64_t flushed(FpsanFormat format, uint64_t bits) {
    const FpsanFormatInfo *info = fpsan_format_info(format);
    if (!(fpsan_classify_bits(format, bits) & FPSAN_CLASS_SUBNORMAL)) return bits;
    return bits & UINT64_C(1) << (info->bits - 1);
}

uint64_t reference_payload(FpsanRule rule, FpsanFormat format, const uint64_t *x) {
    const FpsanProfile *profile = fpsan_default_algebra().profile;
    uint64_t payloads[3] = {0};
    for (unsigned i = 0; i < fpsan_rule_info(rule)->operands; i++) payloads[i] = fpsan_embed(profile, format, x[i]);
    return fpsan_unembed(profile, format, fpsan_apply(profile, rule, format, payloads));
}
