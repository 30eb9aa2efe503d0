// SPDX-License-Identifier: Apache-2.0
// Kernels of Triton, which load and store through pointers and masks, beside their versions in cuTile, which have
// views: run and compiled in turn, in IEEE arithmetic and in the tower as fpdiff compiles it.
#include "bench/bench_pair.h"

static const double RUN_GOAL = 1.2, COMPILE_GOAL = 1.2; // times cuTile's
enum { CUTILE, TRITON };

static const PairRow rows[] = {
#define ARRAY(format, rank, shape) {FPSAN_##format, rank, shape},
#define TRITON(label, triton, triton_grid, triton_scalars, cutile, cutile_grid, cutile_scalars, ...)                   \
    {label,                                                                                                            \
     {{"cuTile", cutile ".tileirbc", cutile_grid, cutile_scalars, true, false},                                        \
      {"Triton", triton ".ttir", triton_grid, triton_scalars, false, false}},                                          \
     {__VA_ARGS__}},
#include "bench/triton_rows.def"
};

static bool measure_row(Bench *bench, Arena *arena, const PairRow *row, unsigned a) {
    PairTimes run, compile;
    const char *label = pair_label(bench, arena, row), *name = pair_arithmetics[a].name;
    if (!pair_measure(bench, row, &pair_arithmetics[a], &run, &compile)) return false;
    bench_row(bench, "%s, %s\t%.2f\t%.2f\t%.2f\t%.1f\t%.1f\t%.2f", label, name, run.seconds[CUTILE] * 1e3,
              run.seconds[TRITON] * 1e3, run.ratio, compile.seconds[CUTILE] * 1e3, compile.seconds[TRITON] * 1e3,
              compile.ratio);
    bench_goal(bench, arena_format(arena, "Triton over cuTile, %s, %s", label, name), run.ratio, "", BENCH_AT_MOST,
               RUN_GOAL);
    bench_goal(bench, arena_format(arena, "Triton over cuTile, compiling %s, %s", label, name), compile.ratio, "",
               BENCH_AT_MOST, COMPILE_GOAL);
    return true;
}

bool bench_triton(Bench *bench) {
    Arena arena = {0};
    bool good = true;
    bench_table(bench, "Triton's pointers beside cuTile's views",
                "kernel, ms\tcuTile\tTriton\tratio\tcompile cuTile\tTriton\tratio");
    for (size_t i = 0; i < BASE_COUNT(rows) && good; i++)
        good = measure_row(bench, &arena, &rows[i], PAIR_IEEE) && measure_row(bench, &arena, &rows[i], PAIR_TOWER);
    bench_note(bench,
               "processor time on one thread; medians of %u turns. The tower is compiled as fpdiff does: with "
               "unspecified values, the range census and the search for races",
               pair_turns(bench));
    arena_reset(&arena);
    return good;
}
