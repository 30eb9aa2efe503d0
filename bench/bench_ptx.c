// SPDX-License-Identifier: Apache-2.0
// Kernels of PTX (ptx_rows.def) in payload arithmetic on one thread: each in turn with the kernel of Tile IR that
// computes the same, and how long they take to compile.
#include "bench/bench_internal.h"
#include "compiler/ptx/ptx.h"
#include "diff/run.h"

#include <math.h>
#include <string.h>

enum { TILES, REFERENCE }; // variants of each case: the kernel of Tile IR; the one whose results all others must have
enum { COMPILE_RUNS_MAX = 3, GOAL_INSTRUCTIONS = 1300 };
static const double COMPILE_GOAL = 100e-3; // seconds, for so many instructions

typedef struct PtxRow {
    const char *label, *cas, *variant;
    double products, goal;
} PtxRow;
static const PtxRow rows[] = {
#define PTX_KERNEL(label, cas, variant, products, goal) {label, #cas, #variant, (products)*0x1p30, goal},
#include "bench/ptx_rows.def"
};

typedef struct PtxTurns {
    Bench *bench;
    Arena arena; // of the case
    FpdMachine machine;
    const char *name; // of the case
    FpdCase *cas;
    FpdPrograms *programs;
    uint8_t *results; // of variant REFERENCE
} PtxTurns;

// ---- one case

static void close_case(PtxTurns *turns) {
    if (turns->programs) fpd_close_compiled(&turns->machine, turns->programs);
    fpd_programs_close(turns->programs);
    turns->programs = NULL;
    turns->results = NULL;
    turns->name = NULL;
    arena_reset(&turns->arena);
}

// Processor time of a variant; whether it has the results of the others.
static bool run(PtxTurns *turns, uint32_t variant, double *seconds) {
    Diagnostics *diagnostics = &turns->bench->diagnostics;
    const size_t size = turns->cas->buffers[turns->cas->compare[0]].bytes;
    Arena scratch = {0};
    const FpdRunner runner = {diagnostics, &scratch, &turns->machine, turns->programs};
    FpdRuns runs = fpd_plan_runs(&scratch, turns->cas, 1u << FPD_MODE_fpsan, (int)variant);
    bool good = fpd_run_case(&runner, false, &runs);
    if (good) *seconds = runs.runs[0].processor_seconds;
    if (good && variant == REFERENCE && !turns->results) {
        turns->results = arena_alloc(&turns->arena, size);
        memcpy(turns->results, runs.runs[0].bytes[0], size);
    }
    if (good && variant != TILES && memcmp(turns->results, runs.runs[0].bytes[0], size))
        good = diag_fail(diagnostics, (Location){.file = turns->cas->path}, E_RUNTIME, "%s and %s differ",
                         turns->cas->variants[REFERENCE].name, turns->cas->variants[variant].name);
    arena_reset(&scratch);
    return good;
}

static bool open_case(PtxTurns *turns, const char *name) {
    Diagnostics *diagnostics = &turns->bench->diagnostics;
    double ignored;
    if (turns->name && !strcmp(turns->name, name)) return true;
    close_case(turns);
    turns->name = name;
    turns->cas = fpd_load_case(diagnostics, &turns->arena, arena_format(&turns->arena, "%s/%s.yaml", PTX_CASES, name));
    if (turns->cas) turns->programs = fpd_load_programs(diagnostics, &turns->arena, turns->cas);
    return turns->programs && run(turns, TILES, &ignored) && run(turns, REFERENCE, &ignored);
}

static uint32_t find_variant(const FpdCase *cas, const char *name) {
    uint32_t v = 0;
    while (v + 1 < cas->variant_count && strcmp(cas->variants[v].name, name)) v++;
    return v;
}

// ---- compiling

static uint32_t count_instructions(const Program *program) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < program->ptx->function_count; i++) count += program->ptx->functions[i].instruction_count;
    return count;
}

// Processor time, from the text to code in memory. Sets `instructions`.
static bool time_compiling(Bench *bench, const char *path, double *seconds, uint32_t *instructions) {
    double times[COMPILE_RUNS_MAX];
    const unsigned runs = bench->runs < COMPILE_RUNS_MAX ? bench->runs : COMPILE_RUNS_MAX;
    for (unsigned r = 0; r < runs; r++) {
        CompileOptions options = {.numeric = COMPILE_PAYLOAD, .optimize = FPD_OPTIMIZE};
        options.instrumentation = (FpsanInstrumentation){true, fpsan_default_algebra()};
        const BenchTime start = bench_now();
        const Program *program = program_read(&bench->diagnostics, path);
        CompiledModule *compiled =
            program ? compiler_load(bench->machine.compiler, &bench->diagnostics, program, &options) : NULL;
        times[r] = bench_now().processor - start.processor;
        if (compiled) *instructions = count_instructions(program);
        compiled_module_close(bench->machine.compiler, compiled);
        program_close(program);
        if (!compiled) return false;
    }
    *seconds = bench_median(times, runs);
    return true;
}

// ---- rows

static bool time_row(PtxTurns *turns, const PtxRow *row, double *seconds, double *ratio) {
    double times[BENCH_RUNS_MAX], ratios[BENCH_RUNS_MAX], tiles;
    const uint32_t variant = find_variant(turns->cas, row->variant);
    if (!run(turns, variant, &tiles)) return false; // compiles
    for (unsigned t = 0; t < turns->bench->runs; t++) {
        if (!run(turns, TILES, &tiles) || !run(turns, variant, &times[t])) return false;
        ratios[t] = times[t] / tiles;
    }
    *seconds = bench_median(times, turns->bench->runs);
    *ratio = bench_median(ratios, turns->bench->runs);
    return true;
}

// The kernel whose number of instructions is nearest to that of the goal.
typedef struct CompileGoal {
    uint32_t instructions;
    double seconds;
    const char *label;
} CompileGoal;

static void note_compiling(CompileGoal *goal, const PtxRow *row, uint32_t instructions, double seconds) {
    const double distance = fabs((double)instructions - GOAL_INSTRUCTIONS);
    if (goal->label && distance >= fabs((double)goal->instructions - GOAL_INSTRUCTIONS)) return;
    *goal = (CompileGoal){instructions, seconds, row->label};
}

static bool report_row(PtxTurns *turns, const PtxRow *row, CompileGoal *goal) {
    Bench *bench = turns->bench;
    double compile, seconds, ratio;
    uint32_t instructions = 0;
    if (!open_case(turns, row->cas)) return false;
    const FpdResolvedLaunch *launch = &turns->programs->launches[find_variant(turns->cas, row->variant)][0];
    const char *path = turns->programs->modules[launch->module].path;
    if (!time_compiling(bench, path, &compile, &instructions) || !time_row(turns, row, &seconds, &ratio)) return false;
    note_compiling(goal, row, instructions, compile);
    bench_row(bench, "%s\t%u\t%.0f\t%.3f\t%.1f\t%.1f\t<= %g\t%s", row->label, instructions, compile * 1e3, seconds,
              row->products / seconds * 1e-9, ratio, row->goal, seconds <= row->goal ? "yes" : "no");
    bench_goal(bench, arena_format(&turns->arena, "PTX: %s", row->label), seconds, " s", BENCH_AT_MOST, row->goal);
    return true;
}

bool bench_ptx(Bench *bench) {
    PtxTurns turns = {.bench = bench, .machine = {.keep_compiled = true, .optimize = FPD_OPTIMIZE}};
    CompileGoal goal = {0};
    bool good = fpd_machine_open(&bench->diagnostics, 1, &turns.machine);
    bench_table(bench, "Kernels of PTX in payload arithmetic, 1024^3 and 8 x 1024 x 64",
                "kernel\tinstructions\tcompile ms\trun s\tG/s\tx tiles\tgoal, s\treached");
    for (size_t i = 0; i < BASE_COUNT(rows) && good; i++) good = report_row(&turns, &rows[i], &goal);
    if (good) {
        bench_note(bench, "Processor time on one thread, with all checks for misuse and races. x tiles: over the time "
                          "of a kernel of Tile IR with as many products, in turn: f16 like these, f32 of attention.");
        bench_goal(
            bench,
            arena_format(&turns.arena, "PTX: compile time of %u instructions, ms (%s)", goal.instructions, goal.label),
            goal.seconds * 1e3, "", BENCH_AT_MOST, COMPILE_GOAL * 1e3);
    }
    close_case(&turns);
    fpd_machine_close(&turns.machine);
    return good;
}
