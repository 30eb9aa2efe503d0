// SPDX-License-Identifier: Apache-2.0
// Two kernels of the same operands and result, from the files to what they leave in memory: bench_triton.c and
// bench_gluon.c. On one thread; medians of nine turns, ratios are medians of the ratios within a turn.
#include "bench/bench_pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const PairArithmetic pair_arithmetics[PAIR_ARITHMETICS] = {
    [PAIR_IEEE] = {"ieee",
                   {.numeric = COMPILE_IEEE, .optimize = FPD_OPTIMIZE, .unspecified = COMPILE_NAN, .apart = true}},
    [PAIR_PAYLOAD] =
        {"triton-3.9",
         {.numeric = COMPILE_PAYLOAD, .optimize = FPD_OPTIMIZE, .unspecified = COMPILE_NAN, .apart = true}},
    [PAIR_TOWER] = {"tower",
                    {.numeric = COMPILE_SHADOW,
                     .optimize = FPD_OPTIMIZE,
                     .unspecified = COMPILE_NAN,
                     .apart = true,
                     .poison = true,
                     .census = true,
                     .races = true}},
};

// One kernel; its operands are those of the other side, too.
typedef struct PairSide {
    const Program *program;
    CompiledModule *compiled;
    RtBuffer *result;
    RtArgument arguments[PAIR_ARGUMENTS_MAX];
    unsigned argument_count;
    uint32_t grid[3];
    KernelCensusCount *counts;
} PairSide;

typedef struct Pair {
    Bench *bench;
    const PairRow *row;
    const CompileOptions *options;
    Arena arena;
    RtDevice *device;
    unsigned array_count;
    RtBuffer *buffers[PAIR_ARRAYS_MAX];
    uint64_t shapes[PAIR_ARRAYS_MAX][PAIR_RANK_MAX], elements; // of the result
    PairSide sides[PAIR_SIDES];
} Pair;

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

static unsigned element_bytes(const PairArray *array) {
    return fpsan_format_info(array->format)->storage_bits / 8;
}

static const PairArray *result_of(const Pair *pair) {
    return &pair->row->arrays[pair->array_count - 1];
}

// Numbers in [-1, 1) by a hash.
static bool fill(Pair *pair, unsigned index, uint64_t elements) {
    const PairArray *array = &pair->row->arrays[index];
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

static bool open_arrays(Pair *pair) {
    for (unsigned a = 0; a < PAIR_ARRAYS_MAX && pair->row->arrays[a].rank; a++, pair->array_count++) {
        const PairArray *array = &pair->row->arrays[a];
        const char *text = array->shape;
        uint64_t elements = 1;
        for (unsigned d = 0; d < array->rank; d++) elements *= pair->shapes[a][d] = read_size(pair->bench, &text);
        const size_t size = elements * element_bytes(array);
        pair->elements = elements;
        pair->buffers[a] = rt_alloc(pair->device, &pair->bench->diagnostics, size);
        if (!pair->buffers[a] || !fill(pair, a, elements)) return false;
    }
    const size_t size = pair->buffers[pair->array_count - 1]->size;
    pair->sides[0].result = pair->buffers[pair->array_count - 1];
    pair->sides[1].result = rt_alloc(pair->device, &pair->bench->diagnostics, size);
    return pair->sides[1].result != NULL;
}

// The pointers; with sizes and strides where the kernel has them.
static void add_arrays(Pair *pair, unsigned s) {
    PairSide *side = &pair->sides[s];
    const bool sized = pair->row->kernels[s].sized;
    for (unsigned a = 0; a < pair->array_count; a++) {
        const unsigned rank = pair->row->arrays[a].rank;
        RtBuffer *buffer = a + 1 == pair->array_count ? side->result : pair->buffers[a];
        RtArgument *at = side->arguments + side->argument_count;
        *at++ = (RtArgument){buffer->address, buffer};
        uint64_t strides[PAIR_RANK_MAX], stride = 1;
        for (unsigned d = rank; d-- > 0; stride *= pair->shapes[a][d]) strides[d] = stride;
        for (unsigned d = 0; d < rank && sized; d++) *at++ = (RtArgument){pair->shapes[a][d], NULL};
        for (unsigned d = 0; d < rank && sized; d++) *at++ = (RtArgument){strides[d], NULL};
        side->argument_count = (unsigned)(at - side->arguments);
    }
}

static bool add_scalars(Pair *pair, unsigned s) {
    PairSide *side = &pair->sides[s];
    for (const char *text = pair->row->kernels[s].scalars; *text;) {
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
    return diag_fail(&pair->bench->diagnostics, (Location){.file = pair->row->kernels[s].file}, E_ARGUMENT,
                     "expected a kernel of %u parameters, found %u", side->argument_count, kernel->parameter_count);
}

// ---- one side -------------------------------------------------------------------------------------------------------

// Reads and compiles; *seconds of processor time from the file on.
static bool compile_side(Pair *pair, unsigned s, double *seconds) {
    PairSide *side = &pair->sides[s];
    Bench *bench = pair->bench;
    compiled_module_close(bench->machine.compiler, side->compiled);
    side->compiled = NULL;
    program_close(side->program);
    const char *path = arena_format(&pair->arena, "%s/%s", BENCH_DIR, pair->row->kernels[s].file);
    const double start = clock_thread_seconds();
    side->program = program_read(&bench->diagnostics, path);
    if (side->program)
        side->compiled = compiler_load(bench->machine.compiler, &bench->diagnostics, side->program, pair->options);
    *seconds = clock_thread_seconds() - start;
    return side->compiled;
}

static bool open_side(Pair *pair, unsigned s) {
    double seconds;
    PairSide *side = &pair->sides[s];
    if (!compile_side(pair, s, &seconds)) return false;
    const char *grid = pair->row->kernels[s].grid;
    for (unsigned d = 0; d < 2; d++) side->grid[d] = (uint32_t)read_size(pair->bench, &grid);
    side->grid[2] = 1;
    side->counts = arena_array(&pair->arena, KernelCensusCount, side->compiled->kernels[0].census_site_count + 1u);
    add_arrays(pair, s);
    return add_scalars(pair, s);
}

static bool run_side(Pair *pair, unsigned s, double *seconds) {
    PairSide *side = &pair->sides[s];
    RtRaces search = {.search = RT_RACES_LOOK};
    RtFindings findings = {.arena = &pair->arena};
    const double start = bench_now().processor;
    const bool good = rt_launch(pair->device, &pair->bench->diagnostics,
                                &(RtLaunch){.label = pair->row->label,
                                            .kernel = &side->compiled->kernels[0],
                                            .name = pair->row->kernels[s].file,
                                            .grid = {side->grid[0], side->grid[1], side->grid[2]},
                                            .arguments = side->arguments,
                                            .census = pair->options->census ? side->counts : NULL,
                                            .races = pair->options->races ? &search : NULL,
                                            .unchecked = pair->row->kernels[s].unchecked,
                                            .findings = &findings});
    if (good && findings.count)
        return diag_fail(&pair->bench->diagnostics, findings.items[0].at, E_RUNTIME, "%s", findings.items[0].message);
    *seconds = bench_now().processor - start;
    return good;
}

// ---- both sides -----------------------------------------------------------------------------------------------------

static double value_at(const Pair *pair, unsigned s, uint64_t index) {
    const PairArray *array = result_of(pair);
    uint64_t bits = 0;
    const unsigned bytes = element_bytes(array);
    rt_copy_out(pair->device, &pair->bench->diagnostics, pair->sides[s].result, index * bytes, &bits, bytes);
    return fpsan_decode(array->format, bits);
}

// Some elements have the same numbers, nearly, and in the tower the same payloads.
static bool check(const Pair *pair) {
    enum { CHECKS = 64 };
    const unsigned bytes = element_bytes(result_of(pair));
    for (uint64_t c = 0; c < CHECKS; c++) {
        const uint64_t index = c * 0x9E3779B97F4A7C15u % pair->elements;
        const double x = value_at(pair, 0, index), y = value_at(pair, 1, index);
        bool good = pair->options->numeric == COMPILE_PAYLOAD ? x == y || (isnan(x) && isnan(y))
                                                              : fabs(x - y) <= 1e-4 * (fabs(x) + 1e-2);
        HostRecord records[PAIR_SIDES];
        for (unsigned s = 0; s < PAIR_SIDES && good && pair->options->numeric == COMPILE_SHADOW; s++)
            good = rt_get_record(pair->device, pair->sides[s].result, index * bytes, bytes, &records[s]);
        if (good && pair->options->numeric == COMPILE_SHADOW)
            good = !memcmp(records[0].component, records[1].component, sizeof records[0].component);
        if (!good)
            return diag_fail(&pair->bench->diagnostics, (Location){.file = pair->row->kernels[1].file}, E_RUNTIME,
                             "%s: element %llu is %g, and %g of %s", pair->row->label, (unsigned long long)index, y, x,
                             pair->row->kernels[0].name);
    }
    return true;
}

unsigned pair_turns(const Bench *bench) {
    return bench->runs > 1 ? PAIR_TURNS : 1;
}

// What is done by both in turn: the seconds of each, and their ratio.
typedef bool PairWork(Pair *pair, unsigned side, double *seconds);

// The first turn is not counted: it touches the memory.
static bool take_turns(Pair *pair, PairWork *work, PairTimes *times) {
    double seconds[PAIR_SIDES][PAIR_TURNS], ratios[PAIR_TURNS], now[PAIR_SIDES];
    const unsigned turns = pair_turns(pair->bench);
    for (unsigned t = 0; t <= turns; t++) {
        for (unsigned i = 0; i < PAIR_SIDES; i++)
            if (!work(pair, (i + t) % PAIR_SIDES, &now[(i + t) % PAIR_SIDES])) return false;
        if (!t) continue;
        for (unsigned s = 0; s < PAIR_SIDES; s++) seconds[s][t - 1] = now[s];
        ratios[t - 1] = now[1] / now[0];
    }
    for (unsigned s = 0; s < PAIR_SIDES; s++) times->seconds[s] = bench_median(seconds[s], turns);
    times->ratio = bench_median(ratios, turns);
    return true;
}

static void close_pair(Pair *pair) {
    for (unsigned s = 0; s < PAIR_SIDES; s++) {
        compiled_module_close(pair->bench->machine.compiler, pair->sides[s].compiled);
        program_close(pair->sides[s].program);
    }
    for (unsigned a = 0; a < pair->array_count; a++)
        if (pair->buffers[a]) rt_free(pair->device, pair->buffers[a]);
    if (pair->sides[1].result) rt_free(pair->device, pair->sides[1].result);
    rt_close(pair->device);
    arena_reset(&pair->arena);
}

bool pair_measure(Bench *bench, const PairRow *row, const PairArithmetic *arithmetic, PairTimes *run,
                  PairTimes *compile) {
    CompileOptions options = arithmetic->options;
    options.instrumentation = (FpsanInstrumentation){options.numeric == COMPILE_PAYLOAD, fpsan_default_algebra()};
    Pair pair = {.bench = bench, .row = row, .options = &options};
    const bool shadow = options.numeric == COMPILE_SHADOW;
    pair.device = rt_open_host(&bench->diagnostics, &(RtDeviceOptions){.jobs = 1, .shadow = shadow});
    if (!pair.device) return false;
    const bool good = open_arrays(&pair) && open_side(&pair, 0) && open_side(&pair, 1) &&
                      take_turns(&pair, run_side, run) && check(&pair) &&
                      (!compile || take_turns(&pair, compile_side, compile));
    close_pair(&pair);
    return good;
}

const char *pair_label(const Bench *bench, Arena *arena, const PairRow *row) {
    const char *label = "", *text = row->label;
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
