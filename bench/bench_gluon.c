// SPDX-License-Identifier: Apache-2.0
// A matrix product of Gluon whose warps have a task each, with asynchronous copies and products, beside the plain one
// of Triton with the same tiles, and without the checks of how its parts work together: run in turn, in every
// arithmetic.
#include "bench/bench_pair.h"

static const double PLAIN_GOAL = 1.5, CHECKS_GOAL = 1.1; // times Triton's; times that without checks

#define GLUON(name, unchecked)                                                                                         \
    { name, "gluon_matmul.ttgir", "N/128 N/128", "N 0 0 0", true, unchecked }
#define ARRAYS                                                                                                         \
    {                                                                                                                  \
        {FPSAN_F16, 2, "N N"}, {FPSAN_F16, 2, "N N"}, {                                                                \
            FPSAN_F32, 2, "N N"                                                                                        \
        }                                                                                                              \
    }
static const PairRow beside_plain = {
    "product of f16, N^3, 128 x 128 x 64",
    {{"Triton", "triton_matmul.ttir", "N/128 N/128", "N N N N N N", false, false}, GLUON("Gluon", false)},
    ARRAYS};
static const PairRow beside_unchecked = {
    "product of f16, N^3, 128 x 128 x 64", {GLUON("Gluon without checks", true), GLUON("Gluon", false)}, ARRAYS};

static bool measure_row(Bench *bench, Arena *arena, unsigned a) {
    PairTimes plain, checks;
    const PairArithmetic *arithmetic = &pair_arithmetics[a];
    const char *label = pair_label(bench, arena, &beside_plain), *name = arithmetic->name;
    if (!pair_measure(bench, &beside_plain, arithmetic, &plain, NULL)) return false;
    if (!pair_measure(bench, &beside_unchecked, arithmetic, &checks, NULL)) return false;
    bench_row(bench, "%s, %s\t%.2f\t%.2f\t%.2f\t%.2f\t%.3f", label, name, plain.seconds[0] * 1e3,
              plain.seconds[1] * 1e3, plain.ratio, checks.seconds[0] * 1e3, checks.ratio);
    bench_goal(bench, arena_format(arena, "Gluon over Triton, %s, %s", label, name), plain.ratio, "", BENCH_AT_MOST,
               PLAIN_GOAL);
    bench_goal(bench, arena_format(arena, "Gluon with over without checks, %s, %s", label, name), checks.ratio, "",
               BENCH_AT_MOST, CHECKS_GOAL);
    return true;
}

bool bench_gluon(Bench *bench) {
    Arena arena = {0};
    bool good = true;
    bench_table(bench, "Gluon beside plain Triton", "kernel, ms\tTriton\tGluon\tratio\tunchecked\tchecks");
    for (unsigned a = 0; a < PAIR_ARITHMETICS && good; a++) good = measure_row(bench, &arena, a);
    bench_note(bench,
               "processor time on one thread; medians of %u turns. Gluon: warps that load, multiply and store, each by "
               "asynchronous operations; checks: its time with over without the checks of barriers and memory",
               pair_turns(bench));
    arena_reset(&arena);
    return good;
}
