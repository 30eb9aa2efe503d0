// SPDX-License-Identifier: Apache-2.0
// Dots in the numeric `shadow`: one run of each kernel of a group in turn on one thread, and of the processor's own
// products of residues (bench_products.c); medians, of ratios those within a turn.
#include "bench/bench_shadow_internal.h"

#include <math.h>
#include <string.h>

#define DOT_GOAL 5.0 // 10^9 multiply-adds per second, with IFMA

enum { CHECKS = 16 };

typedef struct DotRow { // see shadow_rows.def
    const char *label, *file;
    FpsanFormat operand;
    unsigned tile;
    CompileNumeric numeric;
    bool recorded;
    unsigned group;
    double of_first;
} DotRow;

static const DotRow rows[] = {
#define SHADOW_DOT(label, file, operand, tile, numeric, recorded, group, of_first)                                     \
    {label, file ".tileirbc", FPSAN_##operand, tile, COMPILE_##numeric, recorded, group, of_first},
#include "bench/shadow_rows.def"
};
enum { ROWS = BASE_COUNT(rows) };

// The rows of a group that the command line asks for.
typedef struct Group {
    Bench *bench;
    Arena arena;
    unsigned count, turns;
    int first; // the row whose speed is that of large tiles; -1: it is not timed
    const DotRow *rows[ROWS];
    ShadowKernel kernels[ROWS];
    double *rate[ROWS], *limit; // per turn: multiply-adds per second; of `limit`, of four components alone
} Group;

// The components of some elements from the definition.
static bool check_dot(ShadowKernel *kernel, const DotRow *row) {
    const Tower *t = tower_chain(0);
    const uint64_t size = kernel->arrays[0].columns;
    for (uint64_t c = 0; c < CHECKS; c++) {
        uint64_t i = c * 2654435761u % size, j = c * 40503u % size;
        TowerPayload sum = t->zero, found = shadow_kernel_payload(kernel, 2, i * size + j);
        for (uint64_t k = 0; k < size; k++)
            sum = tower_fma(t, shadow_kernel_payload(kernel, 0, i * size + k),
                            shadow_kernel_payload(kernel, 1, k * size + j), sum, TOWER_IEEE_POSITIVE);
        if (tower_compare(t, sum, found, NULL) != TOWER_EQUAL)
            return diag_fail(&kernel->bench->diagnostics, (Location){.file = row->file}, E_RUNTIME,
                             "%s: element (%llu, %llu) is wrong", row->label, (unsigned long long)i,
                             (unsigned long long)j);
    }
    return true;
}

static bool open_dot(ShadowKernel *kernel, const DotRow *row) {
    const uint64_t size = (uint64_t)kernel->bench->size;
    ShadowArray arrays[] = {{row->operand, size, size}, {row->operand, size, size}, {FPSAN_F32, size, size}};
    if (!shadow_kernel_open(kernel, row->file, row->numeric, arrays, 3)) return false;
    for (unsigned i = 0; i < 2; i++) {
        shadow_kernel_fill(kernel, i, i, -1, 1);
        if (row->recorded) shadow_kernel_record(kernel, i, i);
    }
    return true;
}

static bool run_dot(ShadowKernel *kernel, const DotRow *row, double *rate) {
    const double size = (double)kernel->bench->size;
    const uint32_t blocks = ((uint32_t)kernel->bench->size + row->tile - 1) / row->tile;
    double seconds;
    if (!shadow_kernel_run(kernel, blocks, blocks, &seconds)) return false;
    *rate = size * size * size / seconds;
    return true;
}

static bool open_group(Group *group, unsigned number, RtDevice *device) {
    Bench *bench = group->bench;
    group->turns = bench->runs;
    group->first = -1;
    group->limit = arena_array(&group->arena, double, group->turns);
    for (unsigned i = 0, in_group = 0; i < ROWS; i++) {
        if (rows[i].group != number) continue;
        const bool is_first = in_group++ == 1;
        if (bench->products && !strstr(rows[i].label, bench->products)) continue;
        const unsigned at = group->count++;
        if (is_first) group->first = (int)at;
        group->rows[at] = &rows[i];
        group->rate[at] = arena_array(&group->arena, double, group->turns);
        group->kernels[at] = (ShadowKernel){.bench = bench, .device = device};
        if (!open_dot(&group->kernels[at], &rows[i])) return false;
    }
    return true;
}

// The first turn is not counted: it touches the memory.
static bool take_turns(Group *group) {
    for (unsigned turn = 0; turn <= group->turns; turn++) {
        const unsigned at = turn ? turn - 1 : 0;
        for (unsigned i = 0; i < group->count; i++)
            if (!run_dot(&group->kernels[i], group->rows[i], &group->rate[i][at])) return false;
        group->limit[at] = bench_product_rate() / TOWER_LENGTH;
    }
    for (unsigned i = 0; i < group->count; i++)
        if (group->rows[i]->numeric == COMPILE_SHADOW && !check_dot(&group->kernels[i], group->rows[i])) return false;
    return true;
}

// Of the ratios within a turn.
static double median_ratio(Group *group, const double *a, const double *b) {
    double *ratios = arena_array(&group->arena, double, group->turns);
    for (unsigned t = 0; t < group->turns; t++) ratios[t] = a[t] / b[t];
    return bench_median(ratios, group->turns);
}

static double median_of(Group *group, const double *values) {
    double *copy = arena_array(&group->arena, double, group->turns);
    memcpy(copy, values, group->turns * sizeof *copy);
    return bench_median(copy, group->turns);
}

static void report_row(Group *group, unsigned i) {
    Bench *bench = group->bench;
    const DotRow *row = group->rows[i];
    const bool shadow = row->numeric == COMPILE_SHADOW;
    const double rate = median_of(group, group->rate[i]) * 1e-9, size = (double)bench->size,
                 of_limit = shadow ? median_ratio(group, group->rate[i], group->limit) : NAN,
                 of_first =
                     shadow && group->first >= 0 ? median_ratio(group, group->rate[i], group->rate[group->first]) : NAN;
    bench_row(bench, "%s\t%.1f\t%.2f\t%.2f\t%.2f\t%.2f", row->label, group->kernels[i].compile_seconds * 1e3,
              size * size * size / rate * 1e-6, rate, of_limit, of_first);
    if (!shadow) return;
    const char *what = arena_format(&group->arena, "tower, product %s", row->label);
    if (row->of_first)
        bench_goal(bench, arena_format(&group->arena, "%s: of large tiles", what), of_first, "", BENCH_AT_LEAST,
                   row->of_first);
    else // without IFMA there is no goal
        bench_goal(bench,
                   arena_format(&group->arena, "%s (the processor's products: %.1f)", what,
                                median_of(group, group->limit) * 1e-9),
                   isnan(of_limit) ? NAN : rate, " G/s", BENCH_AT_LEAST, DOT_GOAL);
}

static bool time_group(Bench *bench, unsigned number, RtDevice *device) {
    Group group = {.bench = bench};
    const bool good = open_group(&group, number, device) && take_turns(&group);
    for (unsigned i = 0; i < group.count; i++) {
        if (good) report_row(&group, i);
        shadow_kernel_close(&group.kernels[i]);
    }
    arena_reset(&group.arena);
    return good;
}

bool bench_shadow_dots(Bench *bench, RtDevice *device) {
    Arena arena = {0};
    bool good = true;
    bench_table(bench, arena_format(&arena, "The tower's matrix products %lld^3", (long long)bench->size),
                "operands, arithmetic\tcompile ms\trun ms\tG/s\tof limit\tof large");
    for (unsigned g = 0; g <= rows[ROWS - 1].group && good; g++) good = time_group(bench, g, device);
    bench_note(bench, "%s",
               "Whole kernels, IEEE values and four components. Of limit: of what the processor's instruction for "
               "products of 52 bits (vpmadd52luq) does alone, for four components, with operands in the first-level "
               "cache; `-` where it has none. Of large: of the speed of tiles of 128 x 128 x 64. Of records: the "
               "operands have payloads in memory; else those of their numbers are computed.");
    arena_reset(&arena);
    return good;
}
