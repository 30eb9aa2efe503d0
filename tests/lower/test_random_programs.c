// SPDX-License-Identifier: Apache-2.0
// Random kernels, compiled and interpreted by the reference on the same memory: every byte of every buffer must agree.
//
// CONGRUENT_PROGRAMS="FIRST COUNT" runs other seeds than the usual ones.
#include "tests/lower/programs.h"
#include "tests/lower/reference.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SLOT = PROGRAM_BUFFER_ELEMENTS * 8, MEMORY = PROGRAM_KINDS * SLOT, GUARD = 64 };

typedef struct Trial {
    uint64_t seed;
    CompileNumeric numeric;
    FpsanCasts casts;
    unsigned optimize;
    const char *cpu; // NULL: this machine's
    int size;
} Trial;

typedef struct Stage { // memory that is used again
    Compiler *compiler;
    uint8_t *start, *initial, *result; // two planes each; programs run in `start`
} Stage;

// Whether dots for that machine multiply and add with one rounding.
static bool is_fused(const char *cpu) {
#if defined(__x86_64__)
    return cpu ? strcmp(cpu, "x86-64-v2") : __builtin_cpu_supports("fma");
#else
    (void)cpu;
    return true;
#endif
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static uint64_t buffer_address(const Stage *stage, unsigned index) {
    return (uint64_t)(uintptr_t)stage->start + index * (uint64_t)SLOT;
}

static void fill_buffers(const Stage *stage, Program *p) {
    for (unsigned k = 0; k < PROGRAM_KINDS; k++) {
        size_t bytes = tir_type_rows[program_kinds[k]].storage_bytes;
        for (unsigned i = 0; i < PROGRAM_BUFFER_ELEMENTS; i++) {
            bool control = i < p->control_count[k];
            uint64_t bits = control ? p->controls[k][i] : program_bits(p, program_kinds[k]);
            for (unsigned plane = 0; plane < 2; plane++)
                memcpy(stage->start + plane * MEMORY + k * SLOT + i * bytes, &bits, bytes);
        }
    }
}

static void describe(const Stage *stage, Program *p, HostRange *ranges, uint64_t *arguments) {
    for (unsigned k = 0; k < PROGRAM_KINDS; k++) {
        uint64_t begin = buffer_address(stage, k);
        size_t bytes = tir_type_rows[program_kinds[k]].storage_bytes;
        ranges[k] = (HostRange){begin, begin + PROGRAM_BUFFER_ELEMENTS * bytes};
        arguments[k] = begin;
    }
    for (unsigned i = 0; i < PROGRAM_SCALARS; i++) {
        ranges[PROGRAM_KINDS + i] = (HostRange){0, 0};
        arguments[PROGRAM_KINDS + i] = program_bits(p, program_scalar_kinds[i]);
    }
}

// ---- running --------------------------------------------------------------------------------------------------------

static void tell(Buffer *why, const Trial *trial, const Program *p, const char *what) {
    static const char *const numerics[] = {"ieee", "payload", "pair"};
    buffer_print(why, "seed %llu, size %d, %s, casts %d, -O%u, %s: %s\n", (unsigned long long)trial->seed, trial->size,
                 numerics[trial->numeric], (int)trial->casts, trial->optimize, trial->cpu ? trial->cpu : "this machine",
                 what);
    tir_print(p->module, true, why);
}

static const char *first_message(const Diagnostics *diagnostics) {
    return diagnostics->count ? diagnostics->items[0].message : "no message";
}

// What the buffers hold differs in kind k at element i (unless both are NaNs in a plane of real floats).
static bool is_same(const Trial *trial, const Stage *stage, unsigned plane, unsigned k, unsigned i) {
    TirTypeKind kind = program_kinds[k];
    size_t bytes = tir_type_rows[kind].storage_bytes, at = plane * MEMORY + k * SLOT + i * bytes;
    if (!memcmp(stage->start + at, stage->result + at, bytes)) return true;
    if (!program_is_float(kind) || trial->numeric == COMPILE_PAYLOAD || plane == 1) return false;
    FpsanFormat format;
    uint64_t a = 0, b = 0;
    program_format(kind, &format);
    memcpy(&a, stage->start + at, bytes);
    memcpy(&b, stage->result + at, bytes);
    double x = fpsan_decode(format, a), y = fpsan_decode(format, b);
    return x != x && y != y;
}

static bool compare(const Trial *trial, const Stage *stage, char *what, size_t size) {
    for (unsigned plane = 0; plane < 2; plane++)
        for (unsigned k = 0; k < PROGRAM_KINDS; k++)
            for (unsigned i = 0; i < PROGRAM_BUFFER_ELEMENTS; i++) {
                if (is_same(trial, stage, plane, k, i)) continue;
                size_t bytes = tir_type_rows[program_kinds[k]].storage_bytes;
                uint64_t a = 0, b = 0;
                memcpy(&a, stage->start + plane * MEMORY + k * SLOT + i * bytes, bytes);
                memcpy(&b, stage->result + plane * MEMORY + k * SLOT + i * bytes, bytes);
                snprintf(what, size, "plane %u, buffer of %s, element %u is %llx, expected %llx", plane,
                         tir_type_rows[program_kinds[k]].name, i, (unsigned long long)b, (unsigned long long)a);
                return false;
            }
    return true;
}

static uint32_t run_compiled(const CompiledKernel *kernel, const HostLaunch *launch, const uint32_t *block,
                             bool *overrun) {
    size_t size = (kernel->scratch_bytes + 63) / 64 * 64;
    uint8_t *scratch = aligned_alloc(64, size + GUARD);
    memset(scratch, 0xA5, size + GUARD); // what a kernel does not write itself is not zero
    HostFault fault = {0};
    uint32_t site = kernel->entry(launch, scratch, block[0], block[1], block[2], &fault);
    *overrun = false;
    for (size_t i = 0; i < GUARD; i++) *overrun |= scratch[size + i] != 0xA5;
    free(scratch);
    return site;
}

static bool run_both(const Stage *stage, const Trial *trial, Program *p, const CompiledKernel *kernel, Buffer *why) {
    HostRange ranges[PROGRAM_PARAMETERS];
    uint64_t arguments[PROGRAM_PARAMETERS];
    char what[256];
    fill_buffers(stage, p);
    describe(stage, p, ranges, arguments);
    memcpy(stage->initial, stage->start, 2 * MEMORY);
    HostLaunch launch = {.arguments = arguments,
                         .argument_ranges = ranges,
                         .buffers = ranges, // begin in order
                         .buffer_count = PROGRAM_KINDS,
                         .shadow_displacement = MEMORY,
                         .grid = {3, 2, 2}};
    Arena arena = {0};
    Reference reference = {.module = p->module,
                           .numeric = trial->numeric,
                           .fused = is_fused(trial->cpu),
                           .algebra = fpsan_default_algebra(),
                           .arguments = arguments,
                           .buffers = ranges,
                           .buffer_count = PROGRAM_KINDS,
                           .shadow = MEMORY,
                           .block = {2, 0, 1},
                           .grid = {3, 2, 2},
                           .arena = &arena};
    reference.algebra.casts = trial->casts;
    bool overrun;
    uint32_t site = run_compiled(kernel, &launch, reference.block, &overrun);
    memcpy(stage->result, stage->start, 2 * MEMORY);
    memcpy(stage->start, stage->initial, 2 * MEMORY);
    const char *problem = reference_run(&reference);
    bool good = false;
    if (overrun)
        snprintf(what, sizeof what, "writes past its scratch");
    else if (problem && !site)
        snprintf(what, sizeof what, "the reference: %s", problem);
    else if (site && !problem)
        snprintf(what, sizeof what, "stops at line %u, %s", kernel->sites[site - 1].at.line,
                 kernel->sites[site - 1].op);
    else
        good = problem || compare(trial, stage, what, sizeof what);
    arena_reset(&arena);
    if (!good) tell(why, trial, p, what);
    return good;
}

static bool run_trial(const Stage *stage, const Trial *trial, Buffer *why) {
    Program program;
    Diagnostics diagnostics = {0};
    CompileOptions options = {.numeric = trial->numeric, .cpu = trial->cpu, .optimize = trial->optimize};
    options.instrumentation.enabled = trial->numeric != COMPILE_IEEE;
    options.instrumentation.algebra = fpsan_default_algebra();
    options.instrumentation.algebra.casts = trial->casts;
    program_open(&program, trial->seed, trial->numeric, trial->size);
    CompiledModule *compiled = NULL;
    if (tir_verify(&diagnostics, program.module))
        compiled = compiler_load(stage->compiler, &diagnostics, program.module, &options);
    bool good = compiled && run_both(stage, trial, &program, &compiled->kernels[0], why);
    if (!compiled) tell(why, trial, &program, first_message(&diagnostics));
    compiled_module_close(stage->compiler, compiled);
    diagnostics_close(&diagnostics);
    program_close(&program);
    return good;
}

// ---- tests ----------------------------------------------------------------------------------------------------------

static Stage open_stage(void) {
    Diagnostics diagnostics = {0};
    Stage stage = {.compiler = compiler_open(&diagnostics)};
    cr_assert(stage.compiler, "%s", first_message(&diagnostics));
    stage.start = calloc(3, 2 * MEMORY);
    cr_assert(stage.start);
    stage.initial = stage.start + 2 * MEMORY;
    stage.result = stage.initial + 2 * MEMORY;
    return stage;
}

static void close_stage(Stage *stage) {
    compiler_close(stage->compiler);
    free(stage->start);
}

static void run_seeds(Trial trial, uint64_t first, uint64_t count) {
    const char *asked = getenv("CONGRUENT_PROGRAMS");
    unsigned long long from, number;
    if (asked && sscanf(asked, "%llu %llu", &from, &number) == 2) first = from, count = number;
    Stage stage = open_stage();
    Buffer why = {0};
    unsigned bad = 0;
    for (uint64_t i = 0; i < count && bad < 3; i++) {
        trial.seed = first + i;
        trial.size = 3 + (int)(trial.seed % 4) * 4;
        trial.casts = trial.seed % 3 ? FPSAN_CASTS_MIX : FPSAN_CASTS_HOMOMORPHIC;
        bad += !run_trial(&stage, &trial, &why);
    }
    close_stage(&stage);
    cr_assert(!bad, "%s", why.data);
    buffer_free(&why);
}

Test(random_programs, payload) {
    run_seeds((Trial){.numeric = COMPILE_PAYLOAD, .optimize = 1}, 1, 60);
}

Test(random_programs, payload_unoptimised) {
    run_seeds((Trial){.numeric = COMPILE_PAYLOAD, .optimize = 0}, 1001, 150);
}

Test(random_programs, ieee) {
    run_seeds((Trial){.numeric = COMPILE_IEEE, .optimize = 1}, 2001, 40);
}

Test(random_programs, pair) {
    run_seeds((Trial){.numeric = COMPILE_PAIR, .optimize = 0}, 3001, 50);
}

#if defined(__x86_64__)
Test(random_programs, plain_x86) {
    run_seeds((Trial){.numeric = COMPILE_PAYLOAD, .optimize = 3, .cpu = "x86-64-v2"}, 4001, 15);
    run_seeds((Trial){.numeric = COMPILE_IEEE, .optimize = 1, .cpu = "x86-64-v2"}, 5001, 15);
}

Test(random_programs, avx2) {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) cr_skip_test("this machine has no AVX2");
    run_seeds((Trial){.numeric = COMPILE_PAYLOAD, .optimize = 1, .cpu = "x86-64-v3"}, 6001, 15);
    run_seeds((Trial){.numeric = COMPILE_IEEE, .optimize = 3, .cpu = "x86-64-v3"}, 7001, 15);
}
#endif
