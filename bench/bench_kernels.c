// SPDX-License-Identifier: Apache-2.0
// Kernels in both arithmetics against numpy, PyTorch and a loop of C: one run of each in turn, on one thread and on
// two; medians of the ratios within a turn. Then the memory that they take.
#include "bench/bench_kernel_internal.h"

#include <malloc.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// ---- memory of kernels ----------------------------------------------------------------------------------------------

// A line "NAME:  123 kB" of Linux's description of this process, in bytes; NAN where there is none.
static double process_bytes(const char *name) {
    char line[256];
    double kilobytes = NAN;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file))
        if (!strncmp(line, name, strlen(name)) && line[strlen(name)] == ':')
            kilobytes = strtod(line + strlen(name) + 1, NULL);
    if (file) fclose(file);
    return kilobytes * 1024;
}

// From here on the peak counts anew.
static bool forget_peak(void) {
    FILE *file = fopen("/proc/self/clear_refs", "w");
    bool good = file && fputs("5", file) >= 0;
    return file && !fclose(file) && good;
}

static double growth(BenchKernel *kernel, unsigned numeric, unsigned threads) {
    BenchTime time;
    RtDevice *device = rt_open_host(&kernel->bench->diagnostics, &(RtDeviceOptions){.jobs = threads});
    malloc_trim(0); // what the launch allocates has to come from the system
    if (!device || !forget_peak()) return NAN;
    double before = process_bytes("VmRSS");
    if (!bench_kernel_run(kernel, numeric, device, &time)) return NAN;
    return process_bytes("VmHWM") - before;
}

// How many bytes the resident memory of a process grows by while it launches the kernel on so many threads, at most;
// NAN where Linux does not say.
static double kernel_memory(BenchKernel *kernel, unsigned numeric, unsigned threads) {
    double bytes = NAN;
    int ends[2];
    fflush(NULL);
    if (pipe(ends)) return NAN;
    pid_t child = fork(); // the buffers are shared and stay as resident as they are; the pool of threads is not
    if (!child) {
        bytes = growth(kernel, numeric, threads);
        _exit(write(ends[1], &bytes, sizeof bytes) != sizeof bytes);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &bytes, sizeof bytes) != sizeof bytes) bytes = NAN;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return bytes;
}

// ---- rows ----------------------------------------------------------------------------------------------------------

// What takes part in a turn: its kind, numeric or peer, threads.
#define PART_ROWS(PART)                                                                                                \
    PART(IEEE, OURS, KERNEL_IEEE, 1)                                                                                   \
    PART(PAYLOAD, OURS, KERNEL_PAYLOAD, 1)                                                                             \
    PART(NUMPY, PEER, BENCH_NUMPY, 1)                                                                                  \
    PART(TORCH, PEER, BENCH_TORCH, 1)                                                                                  \
    PART(LOOP, C_LOOP, 0, 1)                                                                                           \
    PART(IEEE_2, OURS, KERNEL_IEEE, 2)                                                                                 \
    PART(PAYLOAD_2, OURS, KERNEL_PAYLOAD, 2)                                                                           \
    PART(TORCH_2, PEER, BENCH_TORCH, 2)
#define PART_NUMBER(id, ...) id,
typedef enum Part { PART_ROWS(PART_NUMBER) PARTS } Part;
#define PART_ROW(id, kind, which, threads) {kind, which, threads},
static const struct {
    enum { OURS, PEER, C_LOOP } kind;
    unsigned which, threads; // numeric or peer
} parts[PARTS] = {PART_ROWS(PART_ROW)};

// Of one row.
typedef struct KernelFigures {
    const KernelRow *row;
    double seconds[PARTS];              // medians; NAN: did not take part
    double numpy, torch, payload, loop; // IEEE over numpy, over PyTorch; payload over IEEE; the loop over IEEE
    double speed_up[KERNEL_NUMERICS], torch_speed_up, torch_2; // of two threads; IEEE over PyTorch on two
    double share;                                              // of a processor, that runs on one thread got
    double elements, buffer_bytes, tile_bytes;                 // tiles: of one thread, the larger of both arithmetics
    double beyond[KERNEL_THREADS_MAX];                         // bytes beside the buffers, likewise
} KernelFigures;

typedef struct Turns {
    Bench *bench;
    RtDevice *devices[KERNEL_THREADS_MAX]; // of one thread, of two
    unsigned count;
    BenchTime *times[PARTS];
} Turns;

// ---- taking turns ---------------------------------------------------------------------------------------------------

// The faster loop: no kernel with the same stores can be much faster.
static void run_loop(BenchKernel *kernel, BenchTime *time) {
    static BenchTriad *const loops[] = {bench_triad, bench_triad_blocks};
    *time = (BenchTime){NAN, NAN};
    if (!kernel->row->streams) return;
    for (size_t i = 0; i < BASE_COUNT(loops); i++) {
        BenchTime start = bench_now();
        loops[i]((float *)(uintptr_t)kernel->buffers[2]->address, kernel->inputs.arrays[0], kernel->inputs.arrays[1],
                 kernel->elements);
        BenchTime end = bench_now();
        *time = (BenchTime){fmin(i ? time->wall : INFINITY, end.wall - start.wall),
                            fmin(i ? time->processor : INFINITY, end.processor - start.processor)};
    }
}

static bool run_part(Turns *turns, BenchKernel *kernel, Part part, BenchTime *time) {
    const unsigned which = parts[part].which, threads = parts[part].threads;
    if (parts[part].kind == OURS) return bench_kernel_run(kernel, which, turns->devices[threads - 1], time);
    if (parts[part].kind == PEER)
        return bench_peers_time(turns->bench, (BenchPeer)which, kernel->row->work, kernel->inputs.shapes[0][0], threads,
                                time);
    run_loop(kernel, time);
    return true;
}

// The first run of each is not counted: it sets up what is set up once, and leaves what is checked.
static bool take_turns(Turns *turns, BenchKernel *kernel) {
    BenchTime first;
    for (Part p = 0; p < PARTS; p++)
        if (!run_part(turns, kernel, p, &first) ||
            (parts[p].kind == OURS && !bench_kernel_check(kernel, parts[p].which)))
            return false;
    for (unsigned t = 0; t < turns->count; t++)
        for (Part p = 0; p < PARTS; p++)
            if (!run_part(turns, kernel, p, &turns->times[p][t])) return false;
    return true;
}

// ---- figures --------------------------------------------------------------------------------------------------------

// Of one thread the time is the processor's: what else runs on the machine then counts less.
static double median_seconds(const Turns *turns, Part part) {
    double values[2 * BENCH_RUNS_MAX];
    for (unsigned t = 0; t < turns->count; t++)
        values[t] = parts[part].threads > 1 ? turns->times[part][t].wall : turns->times[part][t].processor;
    return bench_median(values, turns->count);
}

static double median_ratio(const Turns *turns, Part part, Part other) {
    double values[2 * BENCH_RUNS_MAX];
    const bool wall = parts[part].threads > 1 || parts[other].threads > 1;
    for (unsigned t = 0; t < turns->count; t++) {
        const BenchTime *a = &turns->times[part][t], *b = &turns->times[other][t];
        values[t] = wall ? a->wall / b->wall : a->processor / b->processor;
    }
    return bench_median(values, turns->count);
}

static double median_share(const Turns *turns, Part part) {
    double values[2 * BENCH_RUNS_MAX];
    for (unsigned t = 0; t < turns->count; t++)
        values[t] = turns->times[part][t].processor / turns->times[part][t].wall;
    return bench_median(values, turns->count);
}

static double larger(double a, double b) {
    return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static double lesser(double a, double b) {
    return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

static void measure_memory(BenchKernel *kernel, KernelFigures *figures) {
    figures->buffer_bytes = (double)kernel->bytes;
    figures->tile_bytes = fmax((double)kernel->kernels[KERNEL_IEEE]->scratch_bytes,
                               (double)kernel->kernels[KERNEL_PAYLOAD]->scratch_bytes);
    for (unsigned i = 0; i < KERNEL_THREADS_MAX; i++)
        figures->beyond[i] =
            larger(kernel_memory(kernel, KERNEL_IEEE, i + 1), kernel_memory(kernel, KERNEL_PAYLOAD, i + 1));
}

static bool measure(Turns *turns, const KernelRow *row, KernelFigures *figures) {
    BenchKernel kernel;
    bool good = bench_kernel_open(&kernel, turns->bench, row, turns->devices[0]) && take_turns(turns, &kernel);
    *figures = (KernelFigures){.row = row,
                               .numpy = median_ratio(turns, IEEE, NUMPY),
                               .torch = median_ratio(turns, IEEE, TORCH),
                               .payload = median_ratio(turns, PAYLOAD, IEEE),
                               .loop = median_ratio(turns, LOOP, IEEE),
                               .speed_up = {median_ratio(turns, IEEE, IEEE_2), median_ratio(turns, PAYLOAD, PAYLOAD_2)},
                               .torch_speed_up = median_ratio(turns, TORCH, TORCH_2),
                               .torch_2 = median_ratio(turns, IEEE_2, TORCH_2),
                               .share = median_share(turns, IEEE),
                               .elements = (double)kernel.elements};
    for (Part p = 0; p < PARTS; p++) figures->seconds[p] = median_seconds(turns, p);
    if (good) measure_memory(&kernel, figures);
    bench_kernel_close(&kernel);
    return good;
}

// Times of the clock say little where others use the processors, too.
static void note_others(Bench *bench, const KernelFigures *figures) {
    double least = 1;
    for (size_t i = 0; i < bench_kernel_row_count; i++) least = fmin(least, figures[i].share);
    if (least < 0.95)
        bench_note(bench,
                   "The machine was busy: runs on one thread got only %.0f %% of a processor at times, so these "
                   "speed-ups are not those of an idle one.",
                   least * 100);
}

// ---- tables ---------------------------------------------------------------------------------------------------------

static void print_times(Bench *bench, const KernelFigures *f) {
    bench_row(bench, "%s\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f", f->row->label, f->seconds[IEEE] * 1e3,
              f->seconds[PAYLOAD] * 1e3, f->seconds[NUMPY] * 1e3, f->seconds[TORCH] * 1e3, f->numpy, f->torch,
              f->payload, f->seconds[PAYLOAD] / f->elements * 1e9);
}

// Bytes that are read and written; the caches read what is written, too, which is not counted.
static void print_bandwidth(Bench *bench, const KernelFigures *f) {
    double gigabytes = 3 * f->elements * sizeof(float) * 1e-9;
    bench_row(bench, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.0f %%\t%.2f\t%.2f", f->row->label,
              gigabytes / f->seconds[IEEE], gigabytes / f->seconds[PAYLOAD], gigabytes / f->seconds[NUMPY],
              gigabytes / f->seconds[TORCH], gigabytes / f->seconds[LOOP], f->loop * 100, f->torch, f->payload);
}

static void print_threads(Bench *bench, const KernelFigures *f) {
    bench_row(bench, "%s\t%.2f\t%.2f\t%.2f\t%.2f", f->row->label, f->speed_up[KERNEL_IEEE], f->speed_up[KERNEL_PAYLOAD],
              f->torch_speed_up, f->torch_2);
}

static void print_memory(Bench *bench, const KernelFigures *f) {
    bench_row(bench, "%s\t%.1f\t%.0f\t%.0f\t%.0f", f->row->label, f->buffer_bytes / (1 << 20), f->tile_bytes / 1024,
              f->beyond[0] / 1024, f->beyond[1] / 1024);
}

static const struct {
    const char *title, *heads, *note;
    void (*print)(Bench *bench, const KernelFigures *figures);
    enum { ALL, STREAMS, OTHERS } rows;
} tables[] = {
    {"Kernels of f32 on one thread",
     "kernel, ms\tieee\tpayload\tnumpy\ttorch\tieee/numpy\tieee/torch\tpayl/ieee\tpayl ns/el",
     "one run of each in turn, all arrays already touched; processor time", print_times, OTHERS},
    {"Bandwidth on one thread", "kernel, GB/s\tieee\tpayload\tnumpy\ttorch\tC triad\tieee of C\tieee/torch\tpayl/ieee",
     "bytes read and written, of three arrays of 256 MiB; C triad: the faster of two loops with the same "
     "vector stores on the same arrays, along all of them at once and in blocks of 1024",
     print_bandwidth, STREAMS},
    {"Two threads", "speed-up over one\tieee\tpayload\ttorch\tieee/torch", "ieee/torch: of the times on two threads",
     print_threads, ALL},
    {"Memory", "kernel\tbufs, MiB\ttiles, KiB\t+1 thread\t+2 threads",
     "tiles: of one thread, as compiled; +: KiB by which the process grows while it runs, beside its buffers; of "
     "IEEE and payload the larger",
     print_memory, ALL},
};

// ---- goals ----------------------------------------------------------------------------------------------------------

enum { MEMORY_SLACK = 1024 }; // KiB for stacks, and pages of code that a launch is the first to use

// `unexplained`: KiB of memory that are neither buffers nor tiles, the most of all rows.
static void add_goals(Bench *bench, Arena *arena, const KernelFigures *f, double *unexplained) {
    const KernelRow *row = f->row;
    if (row->goal_nanoseconds)
        bench_goal(bench, arena_format(arena, "%s: payload, for an element", row->label),
                   f->seconds[PAYLOAD] / f->elements * 1e9, " ns", BENCH_AT_MOST, row->goal_nanoseconds);
    if (row->goal_numpy)
        bench_goal(bench, arena_format(arena, "%s: time of IEEE over numpy's", row->label), f->numpy, "", BENCH_AT_MOST,
                   row->goal_numpy);
    if (row->goal_torch)
        bench_goal(bench, arena_format(arena, "%s: time of IEEE over PyTorch's", row->label), f->torch, "",
                   BENCH_AT_MOST, row->goal_torch);
    if (row->goal_bandwidth)
        bench_goal(bench, arena_format(arena, "%s: IEEE of the bandwidth of C's triad", row->label), f->loop * 100,
                   " %", BENCH_AT_LEAST, row->goal_bandwidth);
    const double speed_up = lesser(f->speed_up[KERNEL_IEEE], f->speed_up[KERNEL_PAYLOAD]);
    bench_goal_text(bench, arena_format(arena, "%s: speed-up of 2 threads (lesser)", row->label),
                    arena_format(arena, "%.3g (PyTorch: %.3g)", speed_up, f->torch_speed_up),
                    arena_format(arena, ">= %g where PyTorch's is", BENCH_SPEED_UP),
                    bench_speed_up_verdict(speed_up, f->torch_speed_up));
    *unexplained = larger(*unexplained, (f->beyond[1] - 2 * f->tile_bytes) / 1024);
}

bool bench_kernels(Bench *bench) {
    Arena arena = {0};
    Turns turns = {.bench = bench, .count = 2 * bench->runs - 1};
    KernelFigures *figures = arena_array(&arena, KernelFigures, bench_kernel_row_count);
    bool good = true;
    for (Part p = 0; p < PARTS; p++) turns.times[p] = arena_array(&arena, BenchTime, turns.count);
    for (unsigned i = 0; i < KERNEL_THREADS_MAX && good; i++)
        good = (turns.devices[i] = rt_open_host(&bench->diagnostics, &(RtDeviceOptions){.jobs = i + 1}));
    for (size_t i = 0; i < bench_kernel_row_count && good; i++)
        good = measure(&turns, &bench_kernel_rows[i], &figures[i]);
    for (size_t t = 0; t < BASE_COUNT(tables) && good; t++) {
        bench_table(bench, tables[t].title, tables[t].heads);
        for (size_t i = 0; i < bench_kernel_row_count; i++)
            if (tables[t].rows == ALL || (tables[t].rows == STREAMS) == bench_kernel_rows[i].streams)
                tables[t].print(bench, &figures[i]);
        bench_note(bench, "%s", tables[t].note);
        if (tables[t].print == print_threads) note_others(bench, figures);
    }
    double unexplained = 0;
    for (size_t i = 0; i < bench_kernel_row_count && good; i++) add_goals(bench, &arena, &figures[i], &unexplained);
    if (good)
        bench_goal(bench, "memory beside buffers and tiles, two threads, most of these kernels, KiB", unexplained, "",
                   BENCH_AT_MOST, MEMORY_SLACK);
    for (unsigned i = 0; i < KERNEL_THREADS_MAX; i++) rt_close(turns.devices[i]);
    arena_reset(&arena);
    return good;
}
