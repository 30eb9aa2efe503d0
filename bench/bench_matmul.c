// SPDX-License-Identifier: Apache-2.0
// Matrix products in multiply-adds per second, against OpenBLAS's, which runs after every run of ours.
#include "bench/bench_matmul.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARAMETERS_OF_ARRAY = 5 }; // address, shape, strides

enum {
#define OPERAND(name, storage, computed, scale, block, by_rows) OPERAND_##name,
#define INTEGER(name, is_signed)                                OPERAND_##name,
#include "bench/matmul_rows.def"
};

static const MatmulOperand operands[] = {
#define OPERAND(name, storage, computed, scale, block, by_rows)                                                        \
    {FPSAN_##storage, FPSAN_##computed, FPSAN_##scale, block, by_rows, false, true},
#define INTEGER(name, is_signed) {FPSAN_F8E4M3FN, FPSAN_F8E4M3FN, FPSAN_F8E4M3FN, 0, false, true, is_signed},
#include "bench/matmul_rows.def"
};

// ---- OpenBLAS -------------------------------------------------------------------------------------------------------

typedef struct Blas {
    RtBuffer *buffers[3]; // as ours: in huge pages where the system gives them
    float *a, *b, *c;
    const char *name; // NULL: not there
} Blas;

static bool open_blas(Bench *bench, Blas *blas, int64_t size) {
    float **arrays[] = {&blas->a, &blas->b, &blas->c};
    size_t count = (size_t)(size * size);
    for (size_t i = 0; i < BASE_COUNT(arrays); i++) {
        blas->buffers[i] = rt_alloc(bench->machine.device, &bench->diagnostics, count * sizeof(float));
        if (!blas->buffers[i]) return false;
        *arrays[i] = (float *)(uintptr_t)blas->buffers[i]->address;
    }
    for (size_t i = 0; i < count; i++) blas->a[i] = blas->b[i] = (float)(i % 257) / 256;
    if (bench_sgemm(size, 1, false, blas->a, blas->b, blas->c, &blas->name) < 0) blas->name = NULL;
    return true;
}

// ---- one product ----------------------------------------------------------------------------------------------------

static bool prepare(Matmul *matmul, double *compile_seconds) {
    Bench *bench = matmul->bench;
    // Code for a processor that is named does not use tile registers, which the system has to permit.
    const char *cpu = bench->without_tiles ? compiler_host_cpu(bench->machine.compiler) : NULL;
    CompileOptions options = {.numeric = matmul->numeric, .cpu = cpu, .optimize = 3};
    options.instrumentation = (FpsanInstrumentation){matmul->numeric == COMPILE_PAYLOAD, fpsan_default_algebra()};
    const char *path = arena_format(&matmul->arena, "%s/matmul_%s.tileirbc", BENCH_DIR, matmul->row->file);
    matmul->program = program_read(&bench->diagnostics, path);
    if (!matmul->program) return false;
    double start = bench_seconds();
    matmul->compiled = compiler_load(matmul->machine->compiler, &bench->diagnostics, matmul->program, &options);
    *compile_seconds = bench_seconds() - start;
    if (!matmul->compiled || !matmul_allocate(matmul)) return false;
    if (matmul->compiled->kernels[0].parameter_count != PARAMETERS_OF_ARRAY * matmul->arrays)
        return diag_fail(&bench->diagnostics, (Location){.file = path}, E_ARGUMENT, "expected %u arrays",
                         matmul->arrays);
    return true;
}

static bool run(Matmul *matmul, double *seconds) {
    RtArgument arguments[PARAMETERS_OF_ARRAY * MATMUL_ARRAYS];
    for (unsigned a = 0; a < matmul->arrays; a++) {
        const int64_t *shape = matmul->shape[a];
        const int64_t numbers[] = {shape[0], shape[1], shape[1], 1};
        RtArgument *argument = &arguments[PARAMETERS_OF_ARRAY * a];
        argument[0] = (RtArgument){matmul->buffers[a]->address, matmul->buffers[a]};
        for (int i = 0; i < 4; i++) argument[1 + i] = (RtArgument){(uint64_t)numbers[i], NULL};
    }
    uint32_t size = (uint32_t)matmul->size, m = matmul->row->tile_m, n = matmul->row->tile_n;
    uint32_t grid[3] = {(size + m - 1) / m, (size + n - 1) / n, 1};
    // On one thread the time that it has had a processor for: others on the machine do not count.
    BenchTime start = bench_now();
    if (!rt_launch(matmul->machine->device, &matmul->bench->diagnostics,
                   &(RtLaunch){.label = "matmul",
                               .kernel = &matmul->compiled->kernels[0],
                               .name = "matmul",
                               .grid = {grid[0], grid[1], grid[2]},
                               .arguments = arguments}))
        return false;
    BenchTime end = bench_now();
    *seconds = matmul->row->threads > 1 ? end.wall - start.wall : end.processor - start.processor;
    return true;
}

static void close(Matmul *matmul) {
    for (unsigned a = 0; a < MATMUL_ARRAYS; a++)
        if (matmul->buffers[a]) rt_free(matmul->machine->device, matmul->buffers[a]);
    compiled_module_close(matmul->machine->compiler, matmul->compiled);
    program_close(matmul->program);
    arena_reset(&matmul->arena);
}

static bool time_matmul(Matmul *matmul, Blas *blas, BenchMatmul *result) {
    unsigned runs = matmul->bench->runs;
    const unsigned threads = matmul->row->threads;
    double *seconds = arena_array(&matmul->arena, double, runs), *reference = arena_array(&matmul->arena, double, runs),
           *alone = threads > 1 ? arena_array(&matmul->arena, double, runs) : reference, first;
    // The first run touches the memory.
    if (!prepare(matmul, &result->compile_seconds) || !run(matmul, &first)) return false;
    for (unsigned r = 0; r < runs; r++) {
        if (!run(matmul, &seconds[r])) return false;
        for (unsigned t = 1; t <= threads; t++) // one thread's last, if it is all
            (t == threads ? reference : alone)[r] =
                blas->name ? bench_sgemm(matmul->size, t, threads > 1, blas->a, blas->b, blas->c, &blas->name) : NAN;
    }
    result->seconds = bench_median(seconds, runs);
    result->rate = pow((double)matmul->size, 3) / result->seconds * 1e-9;
    const double of_threads = bench_median(reference, runs),
                 of_one = threads > 1 ? bench_median(alone, runs) : of_threads;
    result->sgemm = blas->name ? of_threads / result->seconds : NAN;
    result->sgemm_alone = blas->name ? of_one / result->seconds : NAN;
    result->sgemm_speed_up = blas->name && threads > 1 ? of_one / of_threads : NAN;
    return matmul_check(matmul);
}

// ---- all of them ----------------------------------------------------------------------------------------------------

static const char *numeric_text(const Matmul *matmul) {
    return matmul->row->operands[0]->is_integer ? "" : matmul->numeric == COMPILE_PAYLOAD ? ", fpsan" : ", ieee";
}

static const BenchMatmul *find_result(const BenchMatmuls *results, const char *file, CompileNumeric numeric) {
    for (size_t i = 0; i < results->count; i++)
        if (!strcmp(results->rows[i].file, file) && results->rows[i].numeric == numeric) return &results->rows[i];
    return NULL;
}

static const char *goal_text(Arena *arena, const MatmulRow *row, CompileNumeric numeric) {
    bool payload = numeric == COMPILE_PAYLOAD;
    double sgemm = payload ? row->fpsan : row->ieee;
    const char *text = "";
    if (payload && row->rate) text = arena_format(arena, ">= %g G", row->rate);
    if (sgemm) text = arena_format(arena, "%s%s>= %g sgemm", text, *text ? ", " : "", sgemm);
    if (row->of_base) text = arena_format(arena, "%s%s>= %.3g %s", text, *text ? ", " : "", row->of_base, row->base);
    return text;
}

// The worst of its parts.
static BenchVerdict judge_goal(const MatmulRow *row, const BenchMatmul *result) {
    const bool payload = result->numeric == COMPILE_PAYLOAD;
    const double figures[] = {result->rate, result->sgemm, result->of_base},
                 goals[] = {payload ? row->rate : 0, payload ? row->fpsan : row->ieee, row->of_base};
    BenchVerdict worst = BENCH_REACHED;
    for (size_t i = 0; i < BASE_COUNT(goals); i++) {
        BenchVerdict verdict = goals[i] ? bench_verdict(figures[i], BENCH_AT_LEAST, goals[i]) : BENCH_REACHED;
        if (goals[i] == row->of_base && row->threads > 1)
            verdict = bench_speed_up_verdict(result->of_base, result->sgemm_speed_up);
        if (verdict > worst) worst = verdict;
    }
    return worst;
}

static void print_row(Bench *bench, const MatmulRow *row, const BenchMatmul *result) {
    bench_row(bench, "%s\t%.1f\t%.2f\t%.1f\t%.2f\t%.2f\t%s%s", result->label, result->compile_seconds * 1e3,
              result->seconds * 1e3, result->rate, result->sgemm, result->of_base, result->goal,
              result->reached == BENCH_MISSED         ? ": MISSED"
              : result->reached == BENCH_NOT_MEASURED ? ": not measured"
                                                      : "");
    if (!*result->goal) return;
    char figure[96], what[96];
    snprintf(what, sizeof what, "matrix product %s", result->label);
    int size = snprintf(figure, sizeof figure, "%.1f G/s, %.2f sgemm", result->rate, result->sgemm);
    if (row->of_base)
        size += snprintf(figure + size, sizeof figure - (size_t)size, ", %.2f %s", result->of_base, row->base);
    if (row->threads > 1)
        snprintf(figure + size, sizeof figure - (size_t)size, " (sgemm: %.2f)", result->sgemm_speed_up);
    bench_goal_text(bench, what, figure, result->goal, result->reached);
}

static bool time_matmul_row(Matmul matmul, Blas *blas, Arena *arena, BenchMatmuls *results) {
    Bench *bench = matmul.bench;
    const MatmulRow *row = matmul.row;
    const CompileNumeric numeric = matmul.numeric;
    matmul.size = bench->size > row->trim ? bench->size - row->trim : bench->size;
    const char *more = row->threads > 1 ? ", 2 threads"
                       : row->trim      ? arena_format(arena, ", %lld^3", (long long)matmul.size)
                                        : "";
    BenchMatmul *result = &results->rows[results->count];
    *result = (BenchMatmul){.label = arena_format(arena, "%s%s%s", row->file, numeric_text(&matmul), more),
                            .file = row->file,
                            .numeric = numeric,
                            .goal = goal_text(arena, row, numeric)};
    if (bench->products && !strstr(result->label, bench->products)) return true;
    bool good = (blas->a || open_blas(bench, blas, matmul.size)) && time_matmul(&matmul, blas, result);
    close(&matmul);
    const BenchMatmul *base = row->base ? find_result(results, row->base, numeric) : NULL;
    // Each was timed against sgemm, so the machine's clock drops out.
    result->of_base = !base ? NAN : blas->name ? result->sgemm_alone / base->sgemm : result->rate / base->rate;
    result->reached = judge_goal(row, result);
    results->count++;
    if (good) print_row(bench, row, result);
    return good;
}

static const MatmulRow rows[] = {
#define MATMUL(file, lhs, rhs, result, m, n, trim, threads, rate, fpsan, ieee, base, of_base)                          \
    {file,                                                                                                             \
     {&operands[OPERAND_##lhs], &operands[OPERAND_##rhs]},                                                             \
     FPSAN_##result,                                                                                                   \
     m,                                                                                                                \
     n,                                                                                                                \
     trim,                                                                                                             \
     threads,                                                                                                          \
     rate,                                                                                                             \
     fpsan,                                                                                                            \
     ieee,                                                                                                             \
     base,                                                                                                             \
     of_base},
#include "bench/matmul_rows.def"
};

static bool time_rows(Bench *bench, Arena *arena, FpdMachine *second, BenchMatmuls *results) {
    Blas blas[2] = {0}; // of matrices of the whole size, and of those that are smaller
    bool good = true;
    results->rows = arena_array(arena, BenchMatmul, 2 * BASE_COUNT(rows));
    for (size_t i = 0; good && i < BASE_COUNT(rows); i++)
        for (CompileNumeric numeric = COMPILE_IEEE; good && numeric <= COMPILE_PAYLOAD; numeric++) {
            const MatmulRow *row = &rows[i];
            if (row->operands[0]->is_integer && numeric == COMPILE_IEEE) continue;
            FpdMachine *machine = row->threads > 1 ? second : &bench->machine;
            good = time_matmul_row((Matmul){.bench = bench, .machine = machine, .row = row, .numeric = numeric},
                                   &blas[row->trim != 0], arena, results);
        }
    for (int i = 0; i < 2; i++)
        for (size_t k = 0; k < BASE_COUNT(blas[i].buffers); k++) rt_free(bench->machine.device, blas[i].buffers[k]);
    return good;
}

static bool time_matmuls(Bench *bench, Arena *arena, BenchMatmuls *results) {
    FpdMachine second = {.optimize = FPD_OPTIMIZE};
    bool good = fpd_machine_open(&bench->diagnostics, 2, &second) && time_rows(bench, arena, &second, results);
    fpd_machine_close(&second);
    return good;
}

bool bench_matmuls(Bench *bench) {
    Arena arena = {0};
    BenchMatmuls results = {0};
    char title[64];
    snprintf(title, sizeof title, "matrix products %lld^3", (long long)bench->size);
    bench_table(bench, title, "operands, arithmetic\tcompile ms\trun ms\tG/s\tx sgemm\tx base\tgoal");
    bool good = time_matmuls(bench, &arena, &results);
    arena_reset(&arena);
    return good;
}
