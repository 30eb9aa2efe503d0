// SPDX-License-Identifier: Apache-2.0
// Runs functions of kernels.cu in payload arithmetic and compares them with the algebra: ptx_payloads FOLDER [BUILD...]
//
// FOLDER holds what make_cuda.sh makes; rows of payload_functions.def say what the payloads are, as scalar rules of
// libfpsan. Inputs are random bits. Exit status 1: a result is another payload; 77: there are no builds, because CUDA
// is missing.
#include "diff/run.h"
#include "sanitizer/fpsan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ELEMENTS = 1024, THREADS = 128, NOTHING_TO_RUN = 77 };

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
typedef struct Build {
    const char *name;
    unsigned kind;
} Build;
static const Build builds[] = {{"nvcc.sm_80", NVCC},   {"nvcc.sm_90", NVCC},           {"nvcc.sm_100", NVCC},
                               {"clang.sm_80", CLANG}, {"clang_noinline.sm_80", KEPT}, {"calls.sm_90", KEPT},
                               {"keep.sm_90", KEPT}};

// ---- a case whose variants are the functions

static char *write_case(const Build *build, size_t *size) {
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

typedef struct Check {
    Diagnostics *diagnostics;
    FpdMachine machine;
    const char *folder;
    const Build *build;
    uint32_t inputs[2][ELEMENTS];
    unsigned right, wrong;
} Check;

static bool fill_inputs(Check *x, const FpdCase *cas) {
    bool good = true;
    for (int i = 0; i < 2; i++)
        good &= fpd_fill_buffer(x->diagnostics, &cas->buffers[i], cas->seed, 1, (uint8_t *)x->inputs[i]);
    return good;
}

static const Function *function_of(const char *kernel) {
    for (size_t f = 0; f < BASE_COUNT(functions); f++)
        if (!strcmp(functions[f].kernel, kernel)) return &functions[f];
    return NULL;
}

static void check_run(Check *x, const char *kernel, const uint8_t *bytes) {
    const Function *function = function_of(kernel);
    unsigned wrong = 0;
    for (size_t i = 0; i < ELEMENTS; i++) {
        uint32_t found;
        memcpy(&found, bytes + i * sizeof found, sizeof found);
        const uint64_t wanted = function->payload(payload_of(x->inputs[0][i]), payload_of(x->inputs[1][i]));
        if (found == bits_of(wanted) || wrong++) continue;
        printf("%s: %s of 0x%08x and 0x%08x is 0x%08x, not 0x%08x\n", x->build->name, kernel, x->inputs[0][i],
               x->inputs[1][i], found, bits_of(wanted));
    }
    *(wrong ? &x->wrong : &x->right) += 1;
}

static bool check_build(Check *x) {
    Arena arena = {0};
    size_t size = 0;
    char *text = write_case(x->build, &size);
    const char *path = arena_format(&arena, "%s/payloads.%s.yaml", x->folder, x->build->name);
    FpdCase *cas = fpd_parse_case(x->diagnostics, &arena, path, (const uint8_t *)text, size);
    const FpdRunner runner = {x->diagnostics, &arena, &x->machine,
                              cas ? fpd_load_programs(x->diagnostics, &arena, cas) : NULL};
    bool good = runner.programs && fill_inputs(x, cas);
    if (good) {
        FpdRuns runs = fpd_plan_runs(&arena, cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
        good = fpd_run_case(&runner, false, &runs);
        for (uint32_t r = 0; r < runs.run_count && good; r++)
            check_run(x, cas->variants[runs.runs[r].variant].name, runs.runs[r].bytes[0]);
    }
    fpd_programs_close(runner.programs);
    free(text);
    arena_reset(&arena);
    return good;
}

static bool is_wanted(const Check *x, const Build *build, int count, char *const *names) {
    char path[4096];
    snprintf(path, sizeof path, "%s/kernels.%s.ptx", x->folder, build->name);
    bool wanted = !count;
    for (int i = 0; i < count; i++) wanted |= !strcmp(names[i], build->name);
    return wanted && !access(path, R_OK);
}

static int check_builds(Check *x, int count, char *const *names) {
    unsigned checked = 0, failed = 0;
    for (size_t i = 0; i < BASE_COUNT(builds); i++) {
        x->build = &builds[i];
        if (!is_wanted(x, x->build, count, names)) continue;
        checked++;
        failed += !check_build(x);
    }
    if (!checked) {
        printf("SKIPPED: %s has no PTX of kernels.cu\n", x->folder);
        return NOTHING_TO_RUN;
    }
    printf("%u functions have the payloads of the algebra, %u have not\n", x->right, x->wrong);
    return failed || x->wrong;
}

int main(int count, char **words) {
    Diagnostics diagnostics = {0};
    static Check check;
    check.diagnostics = &diagnostics;
    check.machine = (FpdMachine){.target = FPD_TARGET_host};
    int status = 2;
    if (count > 1 && fpd_machine_open(&diagnostics, 2, &check.machine)) {
        check.folder = words[1];
        status = check_builds(&check, count - 2, words + 2);
    }
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    fpd_machine_close(&check.machine);
    return status;
}
