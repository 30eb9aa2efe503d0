// SPDX-License-Identifier: Apache-2.0
// Kernels in both arithmetics against numpy and PyTorch: one run of each in turn, on one thread and on two; medians of
// the ratios of a turn.
#include "bench/bench_kernel_internal.h"

#include <math.h>
#include <stdio.h>

// What takes part in a turn.
enum { IEEE, PAYLOAD, NUMPY, TORCH, IEEE_2, PAYLOAD_2, TORCH_2, PARTS };

typedef struct Turns {
    Bench *bench;
    RtDevice *devices[KERNEL_THREADS_MAX]; // of one thread, of two
    unsigned count;
    BenchTime *times[PARTS];
} Turns;

static bool run_part(Turns *turns, BenchKernel *kernel, unsigned part, BenchTime *time) {
    const char *work = kernel->row->work;
    uint64_t length = kernel->inputs.shapes[0][0];
    switch (part) {
    case NUMPY: return bench_peers_time(turns->bench, BENCH_NUMPY, work, length, 1, time);
    case TORCH: return bench_peers_time(turns->bench, BENCH_TORCH, work, length, 1, time);
    case TORCH_2: return bench_peers_time(turns->bench, BENCH_TORCH, work, length, 2, time);
    case IEEE:
    case IEEE_2: return bench_kernel_run(kernel, KERNEL_IEEE, turns->devices[part == IEEE_2], time);
    default: return bench_kernel_run(kernel, KERNEL_PAYLOAD, turns->devices[part == PAYLOAD_2], time);
    }
}

// The first run of each is not counted: it sets up what is set up once, and leaves what is checked.
static bool take_turns(Turns *turns, BenchKernel *kernel) {
    BenchTime first;
    for (unsigned p = 0; p < PARTS; p++) {
        if (!run_part(turns, kernel, p, &first)) return false;
        bool ieee = p == IEEE || p == IEEE_2, payload = p == PAYLOAD || p == PAYLOAD_2;
        if ((ieee || payload) && !bench_kernel_check(kernel, ieee ? KERNEL_IEEE : KERNEL_PAYLOAD)) return false;
    }
    for (unsigned t = 0; t < turns->count; t++)
        for (unsigned p = 0; p < PARTS; p++)
            if (!run_part(turns, kernel, p, &turns->times[p][t])) return false;
    return true;
}

// On one thread the time is the processor's: what else runs on the machine then counts less.
static double seconds(const Turns *turns, unsigned part, unsigned turn) {
    return part >= IEEE_2 ? turns->times[part][turn].wall : turns->times[part][turn].processor;
}

static double median_seconds(const Turns *turns, unsigned part) {
    double values[BENCH_RUNS_MAX];
    for (unsigned t = 0; t < turns->count; t++) values[t] = seconds(turns, part, t);
    return bench_median(values, turns->count);
}

static double median_ratio(const Turns *turns, unsigned part, unsigned other, bool wall) {
    double values[BENCH_RUNS_MAX];
    for (unsigned t = 0; t < turns->count; t++)
        values[t] = wall ? turns->times[part][t].wall / turns->times[other][t].wall
                         : seconds(turns, part, t) / seconds(turns, other, t);
    return bench_median(values, turns->count);
}

static void report_row(Turns *turns, BenchKernel *kernel) {
    Bench *bench = turns->bench;
    const KernelRow *row = kernel->row;
    Arena arena = {0};
    double ieee = median_seconds(turns, IEEE), payload = median_seconds(turns, PAYLOAD);
    double numpy = median_ratio(turns, IEEE, NUMPY, false), torch = median_ratio(turns, IEEE, TORCH, false);
    double nanoseconds = payload / (double)kernel->elements * 1e9;
    bench_row(bench, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f", row->label, ieee * 1e3, payload * 1e3,
              median_seconds(turns, NUMPY) * 1e3, median_seconds(turns, TORCH) * 1e3, numpy, torch,
              median_ratio(turns, PAYLOAD, IEEE, false), nanoseconds);
    if (row->goal_numpy)
        bench_goal(bench, arena_format(&arena, "%s: IEEE over numpy", row->label), numpy, " times", BENCH_AT_MOST,
                   row->goal_numpy);
    if (row->goal_torch)
        bench_goal(bench, arena_format(&arena, "%s: IEEE over PyTorch", row->label), torch, " times", BENCH_AT_MOST,
                   row->goal_torch);
    if (row->goal_nanoseconds)
        bench_goal(bench, arena_format(&arena, "%s: payload, an element", row->label), nanoseconds, " ns",
                   BENCH_AT_MOST, row->goal_nanoseconds);
    arena_reset(&arena);
}

static bool time_row(Turns *turns, const KernelRow *row) {
    BenchKernel kernel;
    bool good = bench_kernel_open(&kernel, turns->bench, row, turns->devices[0]) && take_turns(turns, &kernel);
    if (good) report_row(turns, &kernel);
    bench_kernel_close(&kernel);
    return good;
}

bool bench_kernels(Bench *bench) {
    Arena arena = {0};
    Turns turns = {.bench = bench, .count = bench->runs};
    bool good = true;
    for (unsigned p = 0; p < PARTS; p++) turns.times[p] = arena_array(&arena, BenchTime, turns.count);
    for (unsigned i = 0; i < KERNEL_THREADS_MAX && good; i++)
        good = (turns.devices[i] = rt_open_host(&bench->diagnostics, &(RtDeviceOptions){.jobs = i + 1}));
    if (good)
        bench_table(bench, "Kernels of f32 on one thread, ms",
                    "kernel\tieee\tpayload\tnumpy\ttorch\tieee/np\tieee/tor\tpay/ieee\tpay ns");
    for (size_t i = 0; i < bench_kernel_row_count && good; i++) good = time_row(&turns, &bench_kernel_rows[i]);
    for (unsigned i = 0; i < KERNEL_THREADS_MAX; i++) rt_close(turns.devices[i]);
    arena_reset(&arena);
    return good;
}
