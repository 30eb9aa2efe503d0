// SPDX-License-Identifier: Apache-2.0
// Runs functions of kernels.cu in payload arithmetic and compares them with the algebra: ptx_payloads FOLDER [BUILD...]
//
// FOLDER holds what make_cuda.sh makes; rows of payload_functions.def say what the payloads are, as scalar rules of
// libfpsan. Inputs are random bits. Exit status 1: a result is another payload; 77: there are no builds, because CUDA
// is missing.
#include "sanitizer/fpsan.h"
#include "tests/ptx/cuda_builds.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ELEMENTS = 1024, THREADS = 128 };

// ---- what stands in rows

static uint64_t apply(FpsanRule rule, uint64_t a, uint64_t b) {
    const uint64_t operands[] = {a, b};
    return fpsan_apply(fpsan_default_algebra().profile, rule, FPSAN_F32, operands);
}

static uint64_t hash(const char *symbol, uint64_t a) {
    return fpsan_extern(FPSAN_F32, symbol, &a, NULL, 1);
}

static uint64_t payload_of(uint32_t bits) {
    return fpsan_embed(fpsan_default_algebra().profile, FPSAN_F32, bits);
}

static uint64_t payload_of_number(float number) {
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return payload_of(bits);
}

static uint32_t bits_of(uint64_t payload) {
    return (uint32_t)fpsan_unembed(fpsan_default_algebra().profile, FPSAN_F32, payload);
}

static float number_of(uint64_t payload) {
    const uint32_t bits = bits_of(payload);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

#define RULE_1(rule, a)    apply(FPSAN_RULE_##rule, (a), 0)
#define RULE_2(rule, a, b) apply(FPSAN_RULE_##rule, (a), (b))
#define EXP(a)             RULE_1(EXP, a)
#define EXP2(a)            RULE_1(EXP2, a)
#define LOG(a)             RULE_1(LOG, a)
#define LOG2(a)            RULE_1(LOG2, a)
#define SIN(a)             RULE_1(SIN, a)
#define COS(a)             RULE_1(COS, a)
#define ERF(a)             RULE_1(ERF, a)
#define SQRT_RN(a)         RULE_1(SQRT_RN, a)
#define RSQRT(a)           RULE_1(RSQRT, a)
#define FLOOR(a)           RULE_1(FLOOR, a)
#define ABS(a)             RULE_1(ABS, a)
#define NEG(a)             RULE_1(NEG, a)
#define ADD(a, b)          RULE_2(ADD, a, b)
#define SUB(a, b)          RULE_2(SUB, a, b)
#define MUL(a, b)          RULE_2(MUL, a, b)
#define DIV(a, b)          RULE_2(DIV, a, b)
#define MIN(a, b)          RULE_2(MIN, a, b)
#define MAX(a, b)          RULE_2(MAX, a, b)
#define POW(a, b)          RULE_2(POW, a, b)
#define SYMBOL(name, a)    hash((name), (a))
#define NUMBER(x)          payload_of_number(x)
#define BITS(a)            number_of(a)

#define PAYLOAD(kernel, builds, payload)                                                                               \
    static uint64_t payload_##kernel(uint64_t a, uint64_t b) {                                                         \
        (void)b;                                                                                                       \
        return (payload);                                                                                              \
    }
#include "tests/ptx/payload_functions.def"
#undef PAYLOAD

enum { KEPT = 1, NVCC = 2, CLANG = 4, EVERY = KEPT | NVCC | CLANG };
typedef struct Function {
    const char *kernel;
    unsigned builds;
    uint64_t (*payload)(uint64_t a, uint64_t b);
} Function;
static const Function functions[] = {
#define PAYLOAD(kernel, builds, payload) {#kernel, builds, payload_##kernel},
#include "tests/ptx/payload_functions.def"
#undef PAYLOAD
};
static const CudaBuild builds[] = {{"nvcc.sm_80", NVCC},   {"nvcc.sm_90", NVCC},           {"nvcc.sm_100", NVCC},
                                   {"clang.sm_80", CLANG}, {"clang_noinline.sm_80", KEPT}, {"calls.sm_90", KEPT},
                                   {"keep.sm_90", KEPT}};

// ---- a case whose variants are the functions

static char *write_case(const CudaBuild *build, size_t *size) {
    char *text = NULL;
    FILE *out = open_memstream(&text, size);
    fprintf(out, "profile: triton-3.9\nmodes: [fpsan]\nseed: 1\nbuffers:\n");
    for (const char *name = "abz"; *name; name++)
        fprintf(out, "  %c: {type: f32, shape: [%d], fill: %s}\n", *name, ELEMENTS, *name == 'z' ? "zeros" : "bits");
    fputs("variants:\n", out);
    for (size_t f = 0; f < BASE_COUNT(functions); f++)
        if (functions[f].builds & build->kind)
            fprintf(out, "  %s:\n    - {module: kernels.%s.ptx, kernel: %s, grid: [%d], block: [%d], args: [a, %sz]}\n",
                    functions[f].kernel, build->name, functions[f].kernel, ELEMENTS / THREADS, THREADS,
                    *functions[f].kernel == 'b' ? "b, " : "");
    fputs("compare: [z]\n", out);
    fclose(out);
    return text;
}

static const Function *function_of(const char *kernel) {
    for (size_t f = 0; f < BASE_COUNT(functions); f++)
        if (!strcmp(functions[f].kernel, kernel)) return &functions[f];
    return NULL;
}

static bool check_run(CudaTest *test, Arena *arena, const FpdCase *cas, const FpdRun *run) {
    (void)arena;
    const char *kernel = cas->variants[run->variant].name;
    const Function *function = function_of(kernel);
    static uint32_t inputs[2][ELEMENTS];
    unsigned wrong = 0;
    for (int i = 0; i < 2; i++)
        if (!fpd_fill_buffer(&test->diagnostics, &cas->buffers[i], cas->seed, 1, (uint8_t *)inputs[i])) return false;
    for (size_t i = 0; i < ELEMENTS; i++) {
        uint32_t found;
        memcpy(&found, run->bytes[0] + i * sizeof found, sizeof found);
        const uint64_t wanted = function->payload(payload_of(inputs[0][i]), payload_of(inputs[1][i]));
        if (found == bits_of(wanted) || wrong++) continue;
        printf("%s: %s of 0x%08x and 0x%08x is 0x%08x, not 0x%08x\n", test->build->name, kernel, inputs[0][i],
               inputs[1][i], found, bits_of(wanted));
    }
    *(wrong ? &test->wrong : &test->right) += 1;
    return true;
}

int main(int count, char **words) {
    CudaTest test = {.name = "payloads",
                     .right_are = "have the payloads of the algebra",
                     .wrong_are = "have not",
                     .builds = builds,
                     .build_count = BASE_COUNT(builds),
                     .write_case = write_case,
                     .check_run = check_run};
    return cuda_builds_test(&test, count > 1 ? words[1] : NULL, count - 2, words + 2);
}
