// SPDX-License-Identifier: Apache-2.0
// Kernels of Triton, which load and store through pointers and masks, beside their versions in cuTile, which have
// views: run and compiled in turn, in IEEE arithmetic and in the tower as fpdiff compiles it, on one thread. Medians of
// nine turns; ratios are medians of the ratios within a turn. Both must leave the same numbers and payloads.
#include "bench/bench_internal.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ARRAYS_MAX = 4, ARGUMENTS_MAX = 40, RANK_MAX = 3, TURNS = 9, SCALARS_MAX = 8 };
static const double RUN_GOAL = 1.2, COMPILE_GOAL = 1.2; // times cuTile's

typedef struct TritonArray {
    FpsanFormat format;
    unsigned rank;
    const char *shape;
} TritonArray;

typedef struct TritonRow {
    const char *label, *file[2], *grid[2], *scalars[2]; // of cuTile, of Triton
    TritonArray arrays[ARRAYS_MAX];
} TritonRow;
enum { CUTILE, TRITON, SIDES };

static const TritonRow rows[] = {
#define ARRAY(format, rank, shape) {FPSAN_##format, rank, shape},
#define TRITON(label, triton, triton_grid, triton_scalars, cutile, cutile_grid, cutile_scalars, ...)                   \
    {label,                                                                                                            \
     {cutile ".tileirbc", triton ".ttir"},                                                                             \
     {cutile_grid, triton_grid},                                                                                       \
     {cutile_scalars, triton_scalars},                                                                                 \
     {__VA_ARGS__}},
#include "bench/triton_rows.def"
};

// In IEEE arithmetic, and in the tower with what fpdiff looks for.
static const struct {
    const char *name;
    CompileOptions options;
} arithmetics[] = {
    {"ieee", {.numeric = COMPILE_IEEE, .optimize = FPD_OPTIMIZE, .unspecified = COMPILE_NAN, .apart = true}},
    {"tower",
     {.numeric = COMPILE_SHADOW,
      .optimize = FPD_OPTIMIZE,
      .unspecified = COMPILE_NAN,
      .apart = true,
      .poison = true,
      .census = true,
      .races = true}},
};
enum { ARITHMETICS = BASE_COUNT(arithmetics) };

// One kernel; its operands are those of the other side, too.
typedef struct TritonSide {
    const Program *program;
    CompiledModule *compiled;
    RtBuffer *result;
    RtArgument arguments[ARGUMENTS_MAX];
    unsigned argument_count;
    uint32_t grid[3];
    KernelCensusCount *counts;
} TritonSide;

typedef struct TritonPair {
    Bench *bench;
    const TritonRow *row;
    const CompileOptions *options;
    Arena arena;
    RtDevice *device;
    unsigned array_count;
    RtBuffer *buffers[ARRAYS_MAX];
    uint64_t shapes[ARRAYS_MAX][RANK_MAX], elements; // of the result
    TritonSide sides[SIDES];
} TritonPair;

// ---- arrays and arguments -------------------------------------------------------------------------------------------

// The next number of "4N N/64 12"; *text goes on behind it.
static uint64_t read_size(const Bench *bench, const char **text) {
    char *end;
    uint64_t number = strtoull(*text, &end, 10);
    if (end == *text) number = 1;
    if (*end == 'N') {
        number *= (uint64_t)bench->size;
        end++;
        if (*end == '/') number /= strtoull(end + 1, &end, 10);
        if (!number) number = 1;
    }
    *text = end + strspn(end, " ");
    return number;
}

static unsigned element_bytes(const TritonArray *array) {
    return fpsan_format_info(array->format)->storage_bits / 8;
}

static const TritonArray *result_of(const TritonPair *pair) {
    return &pair->row->arrays[pair->array_count - 1];
}

// Numbers in [-1, 1) by a hash.
static bool fill(TritonPair *pair, unsigned index, uint64_t elements) {
    const TritonArray *array = &pair->row->arrays[index];
    const unsigned bytes = element_bytes(array);
    Arena scratch = {0};
    uint8_t *values = arena_alloc(&scratch, elements * bytes);
    for (uint64_t i = 0; i < elements; i++) {
        uint64_t hash = (i + 1) * 0x9E3779B97F4A7C15u + index * 0xC2B2AE3D27D4EB4Fu;
        hash = (hash ^ hash >> 29) * 0xBF58476D1CE4E5B9u;
        const uint64_t bits = fpsan_encode_nearest(array->format, ldexp((double)(hash >> 40), -23) - 1);
        memcpy(values + i * bytes, &bits, bytes); // little endian
    }
    const bool good =
        rt_copy_in(pair->device, &pair->bench->diagnostics, pair->buffers[index], 0, values, elements * bytes);
    arena_reset(&scratch);
    return good;
}

static bool open_arrays(TritonPair *pair) {
    for (unsigned a = 0; a < ARRAYS_MAX && pair->row->arrays[a].rank; a++, pair->array_count++) {
        const TritonArray *array = &pair->row->arrays[a];
        const char *text = array->shape;
        uint64_t elements = 1;
        for (unsigned d = 0; d < array->rank; d++) elements *= pair->shapes[a][d] = read_size(pair->bench, &text);
        const size_t size = elements * element_bytes(array);
        pair->elements = elements;
        pair->buffers[a] = rt_alloc(pair->device, &pair->bench->diagnostics, size);
        if (!pair->buffers[a] || !fill(pair, a, elements)) return false;
    }
    const size_t size = pair->buffers[pair->array_count - 1]->size;
    pair->sides[CUTILE].result = pair->buffers[pair->array_count - 1];
    pair->sides[TRITON].result = rt_alloc(pair->device, &pair->bench->diagnostics, size);
    return pair->sides[TRITON].result != NULL;
}

// The pointers; cuTile's with sizes and strides.
static void add_arrays(TritonPair *pair, unsigned s) {
    TritonSide *side = &pair->sides[s];
    for (unsigned a = 0; a < pair->array_count; a++) {
        const unsigned rank = pair->row->arrays[a].rank;
        RtBuffer *buffer = a + 1 == pair->array_count ? side->result : pair->buffers[a];
        RtArgument *at = side->arguments + side->argument_count;
        *at++ = (RtArgument){buffer->address, buffer};
        uint64_t strides[RANK_MAX], stride = 1;
        for (unsigned d = rank; d-- > 0; stride *= pair->shapes[a][d]) strides[d] = stride;
        for (unsigned d = 0; d < rank && s == CUTILE; d++) *at++ = (RtArgument){pair->shapes[a][d], NULL};
        for (unsigned d = 0; d < rank && s == CUTILE; d++) *at++ = (RtArgument){strides[d], NULL};
        side->argument_count = (unsigned)(at - side->arguments);
    }
}

static bool add_scalars(TritonPair *pair, unsigned s) {
    TritonSide *side = &pair->sides[s];
    for (const char *text = pair->row->scalars[s]; *text;) {
        const size_t length = strcspn(text, " ");
        const bool is_float = memchr(text, '.', length);
        uint64_t bits;
        if (is_float) {
            bits = fpsan_encode_nearest(FPSAN_F32, strtod(text, NULL));
            text += length + strspn(text + length, " ");
        } else {
            bits = read_size(pair->bench, &text);
        }
        side->arguments[side->argument_count++].bits = bits;
    }
    const KernelInfo *kernel = &side->compiled->kernels[0];
    if (side->argument_count == kernel->parameter_count) return true;
    return diag_fail(&pair->bench->diagnostics, (Location){.file = pair->row->file[s]}, E_ARGUMENT,
                     "expected a kernel of %u parameters, found %u", side->argument_count, kernel->parameter_count);
}

// ---- one side -------------------------------------------------------------------------------------------------------

// Reads and compiles; *seconds of processor time from the file on.
static bool compile_side(TritonPair *pair, unsigned s, double *seconds) {
    TritonSide *side = &pair->sides[s];
    Bench *bench = pair->bench;
    compiled_module_close(bench->machine.compiler, side->compiled);
    side->compiled = NULL;
    program_close(side->program);
    const char *path = arena_format(&pair->arena, "%s/%s", BENCH_DIR, pair->row->file[s]);
    const double start = clock_thread_seconds();
    side->program = program_read(&bench->diagnostics, path);
    if (side->program)
        side->compiled = compiler_load(bench->machine.compiler, &bench->diagnostics, side->program, pair->options);
    *seconds = clock_thread_seconds() - start;
    return side->compiled;
}

static bool open_side(TritonPair *pair, unsigned s) {
    double seconds;
    TritonSide *side = &pair->sides[s];
    if (!compile_side(pair, s, &seconds)) return false;
    const char *grid = pair->row->grid[s];
    for (unsigned d = 0; d < 2; d++) side->grid[d] = (uint32_t)read_size(pair->bench, &grid);
    side->grid[2] = 1;
    side->counts = arena_array(&pair->arena, KernelCensusCount, side->compiled->kernels[0].census_site_count + 1u);
    add_arrays(pair, s);
    return add_scalars(pair, s);
}

static bool run_side(TritonPair *pair, unsigned s, double *seconds) {
    TritonSide *side = &pair->sides[s];
    RtRaces search = {.search = RT_RACES_LOOK};
    const double start = bench_now().processor;
    const bool good = rt_launch(pair->device, &pair->bench->diagnostics,
                                &(RtLaunch){.label = pair->row->label,
                                            .kernel = &side->compiled->kernels[0],
                                            .name = pair->row->file[s],
                                            .grid = {side->grid[0], side->grid[1], side->grid[2]},
                                            .arguments = side->arguments,
                                            .census = pair->options->census ? side->counts : NULL,
                                            .races = pair->options->races ? &search : NULL});
    *seconds = bench_now().processor - start;
    return good;
}

// ---- both sides -----------------------------------------------------------------------------------------------------

static double value_at(const TritonPair *pair, unsigned s, uint64_t index) {
    const TritonArray *array = result_of(pair);
    uint64_t bits = 0;
    const unsigned bytes = element_bytes(array);
    rt_copy_out(pair->device, &pair->bench->diagnostics, pair->sides[s].result, index * bytes, &bits, bytes);
    return fpsan_decode(array->format, bits);
}

// Some elements have the same numbers, nearly, and in the tower the same payloads.
static bool check(const TritonPair *pair) {
    enum { CHECKS = 64 };
    const unsigned bytes = element_bytes(result_of(pair));
    for (uint64_t c = 0; c < CHECKS; c++) {
        const uint64_t index = c * 0x9E3779B97F4A7C15u % pair->elements;
        const double x = value_at(pair, CUTILE, index), y = value_at(pair, TRITON, index);
        bool good = fabs(x - y) <= 1e-4 * (fabs(x) + 1e-2);
        HostRecord records[SIDES];
        for (unsigned s = 0; s < SIDES && good && pair->options->numeric == COMPILE_SHADOW; s++)
            good = rt_get_record(pair->device, pair->sides[s].result, index * bytes, bytes, &records[s]);
        if (good && pair->options->numeric == COMPILE_SHADOW)
            good = !memcmp(records[0].component, records[1].component, sizeof records[0].component);
        if (!good)
            return diag_fail(&pair->bench->diagnostics, (Location){.file = pair->row->file[TRITON]}, E_RUNTIME,
                             "%s: element %llu is %g, and %g of cuTile", pair->row->label, (unsigned long long)index, y,
                             x);
    }
    return true;
}

// What is done by both in turn: the seconds of each, and Triton's over cuTile's.
typedef struct TritonTimes {
    double seconds[SIDES], ratio;
} TritonTimes;
typedef bool TritonWork(TritonPair *pair, unsigned side, double *seconds);

// The first turn is not counted: it touches the memory.
static bool take_turns(TritonPair *pair, TritonWork *work, TritonTimes *times) {
    double seconds[SIDES][TURNS], ratios[TURNS], now[SIDES];
    const unsigned turns = pair->bench->runs < TURNS ? pair->bench->runs : TURNS;
    for (unsigned t = 0; t <= turns; t++) {
        for (unsigned i = 0; i < SIDES; i++)
            if (!work(pair, (i + t) % SIDES, &now[(i + t) % SIDES])) return false;
        if (!t) continue;
        for (unsigned s = 0; s < SIDES; s++) seconds[s][t - 1] = now[s];
        ratios[t - 1] = now[TRITON] / now[CUTILE];
    }
    for (unsigned s = 0; s < SIDES; s++) times->seconds[s] = bench_median(seconds[s], turns);
    times->ratio = bench_median(ratios, turns);
    return true;
}

static void close_pair(TritonPair *pair) {
    for (unsigned s = 0; s < SIDES; s++) {
        compiled_module_close(pair->bench->machine.compiler, pair->sides[s].compiled);
        program_close(pair->sides[s].program);
    }
    for (unsigned a = 0; a < pair->array_count; a++)
        if (pair->buffers[a]) rt_free(pair->device, pair->buffers[a]);
    if (pair->sides[TRITON].result) rt_free(pair->device, pair->sides[TRITON].result);
    rt_close(pair->device);
    arena_reset(&pair->arena);
}

static bool measure(Bench *bench, const TritonRow *row, const CompileOptions *options, TritonTimes *run,
                    TritonTimes *compile) {
    TritonPair pair = {.bench = bench, .row = row, .options = options};
    const bool shadow = options->numeric == COMPILE_SHADOW;
    pair.device = rt_open_host(&bench->diagnostics, &(RtDeviceOptions){.jobs = 1, .shadow = shadow});
    if (!pair.device) return false;
    const bool good = open_arrays(&pair) && open_side(&pair, CUTILE) && open_side(&pair, TRITON) &&
                      take_turns(&pair, run_side, run) && check(&pair) && take_turns(&pair, compile_side, compile);
    close_pair(&pair);
    return good;
}

// The label with the size in place of N.
static const char *label_of(const Bench *bench, Arena *arena, const char *text) {
    const char *label = "";
    while (*text) {
        const size_t length = strcspn(text, "0123456789N");
        label = arena_format(arena, "%s%.*s", label, (int)length, text);
        text += length;
        if (!*text) break;
        char *end;
        uint64_t number = strtoull(text, &end, 10);
        if (*end == 'N') number = (end == text ? 1 : number) * (uint64_t)bench->size, end++;
        label = arena_format(arena, "%s%llu", label, (unsigned long long)number);
        text = end;
    }
    return label;
}

static bool measure_row(Bench *bench, Arena *arena, const TritonRow *row, unsigned a) {
    TritonTimes run, compile;
    const char *label = label_of(bench, arena, row->label), *name = arithmetics[a].name;
    if (!measure(bench, row, &arithmetics[a].options, &run, &compile)) return false;
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
    const unsigned runs = bench->runs;
    if (runs > 1) bench->runs = TURNS;
    bench_table(bench, "Triton's pointers beside cuTile's views",
                "kernel, ms\tcuTile\tTriton\tratio\tcompile cuTile\tTriton\tratio");
    for (size_t i = 0; i < BASE_COUNT(rows) && good; i++)
        for (unsigned a = 0; a < ARITHMETICS && good; a++) good = measure_row(bench, &arena, &rows[i], a);
    bench_note(bench,
               "processor time on one thread; medians of %u turns. The tower is compiled as fpdiff does: with "
               "unspecified values, the range census and the search for races",
               bench->runs);
    bench->runs = runs;
    arena_reset(&arena);
    return good;
}
