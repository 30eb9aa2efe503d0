// SPDX-License-Identifier: Apache-2.0
// How long files of bytecode take to compile in each arithmetic, from the bytes to code in memory, and as far as LLVM
// IR.
#include "bench/bench_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { IEEE, PAYLOAD, NUMERICS };
enum {
    RUNS_MAX = 3,
    PRINTED = 12, // rows on standard output; the report has all
};
static const CompileNumeric numerics[NUMERICS] = {COMPILE_IEEE, COMPILE_PAYLOAD};
static const double TOTAL_GOAL = 100e-3, LOWERING_GOAL = 10e-3; // seconds

typedef struct FileTimes {
    double total, lowering; // lowering: reading and verifying included
} FileTimes;

static bool compile_once(Bench *bench, const char *path, CompileNumeric numeric, FileTimes *found) {
    CompileTimes times = {0};
    CompileOptions options = {.numeric = numeric, .optimize = 3, .times = &times};
    options.instrumentation = (FpsanInstrumentation){numeric == COMPILE_PAYLOAD, fpsan_default_algebra()};
    double start = clock_thread_seconds();
    const Program *program = program_read(&bench->diagnostics, path);
    found->lowering = clock_thread_seconds() - start;
    CompiledModule *compiled =
        program ? compiler_load(bench->machine.compiler, &bench->diagnostics, program, &options) : NULL;
    found->total = clock_thread_seconds() - start;
    found->lowering += times.lower;
    compiled_module_close(bench->machine.compiler, compiled);
    program_close(program);
    return compiled;
}

// Files NAME.tileirbc, NAME-1.tileirbc, NAME-2.tileirbc hold kernels of one name: their slowest.
typedef struct CompileRow {
    const char *name;
    FileTimes times[NUMERICS];
} CompileRow;

static double slowest(const CompileRow *row) {
    return fmax(row->times[IEEE].total, row->times[PAYLOAD].total);
}

static double slowest_lowering(const CompileRow *row) {
    return fmax(row->times[IEEE].lowering, row->times[PAYLOAD].lowering);
}

static int compare_rows(const void *a, const void *b) {
    double x = slowest(a), y = slowest(b);
    return (x < y) - (x > y);
}

static bool time_file(Bench *bench, const char *path, CompileRow *row) {
    double totals[RUNS_MAX], lowerings[RUNS_MAX];
    const unsigned runs = bench->runs < RUNS_MAX ? bench->runs : RUNS_MAX;
    for (unsigned n = 0; n < NUMERICS; n++) {
        FileTimes found;
        for (unsigned r = 0; r < runs; r++) {
            if (!compile_once(bench, path, numerics[n], &found)) return false;
            totals[r] = found.total;
            lowerings[r] = found.lowering;
        }
        row->times[n].total = fmax(row->times[n].total, bench_median(totals, runs));
        row->times[n].lowering = fmax(row->times[n].lowering, bench_median(lowerings, runs));
    }
    return true;
}

// "attention/flash" of ".../attention/flash.tileirbc"
static const char *name_of(Arena *arena, const char *path) {
    const char *name = path;
    unsigned slashes = 0;
    for (const char *at = path + strlen(path); at > path && slashes < 2; at--)
        if (at[-1] == '/' && ++slashes == 2) name = at;
    return arena_format(arena, "%.*s", (int)strcspn(name, "-."), name);
}

static void report_rows(Bench *bench, Arena *arena, const CompileRow *rows, size_t count) {
    double lowering = 0;
    size_t within = 0;
    bench_table(bench, "Compile time, slowest first", "kernel, ms\tieee\tto IR\tpayload\tto IR\tin bounds");
    for (size_t i = 0; i < count; i++) {
        const FileTimes *ieee = &rows[i].times[IEEE], *payload = &rows[i].times[PAYLOAD];
        bool good = slowest(&rows[i]) <= TOTAL_GOAL && slowest_lowering(&rows[i]) <= LOWERING_GOAL;
        bench->report_only = i >= PRINTED && good;
        bench_row(bench, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%s", rows[i].name, ieee->total * 1e3, ieee->lowering * 1e3,
                  payload->total * 1e3, payload->lowering * 1e3, good ? "yes" : "no");
        lowering = fmax(lowering, slowest_lowering(&rows[i]));
        within += good;
    }
    bench->report_only = false;
    bench_note(
        bench,
        "%zu of %zu in the bounds of %.0f ms and, as far as LLVM IR, %.0f ms; processor time from the bytes of the "
        "file to code in memory.",
        within, count, TOTAL_GOAL * 1e3, LOWERING_GOAL * 1e3);
    bench_goal(bench, arena_format(arena, "compile time of the slowest kernel, ms (%s)", rows[0].name),
               slowest(&rows[0]) * 1e3, "", BENCH_AT_MOST, TOTAL_GOAL * 1e3);
    bench_goal(bench, "of it from bytecode to LLVM IR, the slowest, ms", lowering * 1e3, "", BENCH_AT_MOST,
               LOWERING_GOAL * 1e3);
}

static bool time_files(Bench *bench, Arena *arena, char **paths, size_t count) {
    CompileRow *rows = arena_array(arena, CompileRow, count);
    size_t row_count = 0;
    FileTimes first;
    if (!compile_once(bench, paths[0], COMPILE_IEEE, &first)) return false; // sets up LLVM
    for (size_t i = 0; i < count; i++) {
        const char *name = name_of(arena, paths[i]);
        if (!row_count || strcmp(rows[row_count - 1].name, name)) rows[row_count++].name = name;
        if (!time_file(bench, paths[i], &rows[row_count - 1])) return false;
    }
    qsort(rows, row_count, sizeof *rows, compare_rows);
    report_rows(bench, arena, rows, row_count);
    return true;
}

bool bench_compile(Bench *bench) {
    size_t count;
    Arena arena = {0};
    char **paths = bench_files(bench, &arena, ".tileirbc", &count);
    bool good = !count || time_files(bench, &arena, paths, count);
    arena_reset(&arena);
    return good;
}
