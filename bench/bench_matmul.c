// SPDX-License-Identifier: Apache-2.0
// Matrix products on one thread, in multiply-adds per second.
#include "bench/bench_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TILE = 128, MATRICES = 3, PARAMETERS = 5 * MATRICES, CHECKS = 64 };

typedef struct MatmulRow {
    const char *label, *file;
    FpsanFormat operand;
    CompileNumeric numeric;
} MatmulRow;

static const MatmulRow rows[] = {
    {"f16 x f16 -> f32, fpsan", "matmul_f16.tileirbc", FPSAN_F16, COMPILE_PAYLOAD},
    {"f16 x f16 -> f32, ieee", "matmul_f16.tileirbc", FPSAN_F16, COMPILE_IEEE},
    {"f32 x f32 -> f32, fpsan", "matmul_f32.tileirbc", FPSAN_F32, COMPILE_PAYLOAD},
    {"f32 x f32 -> f32, ieee", "matmul_f32.tileirbc", FPSAN_F32, COMPILE_IEEE},
};

// One product: what is compiled, and its memory.
typedef struct Matmul {
    Bench *bench;
    const MatmulRow *row;
    Arena arena;
    TirModule *module;
    CompiledModule *compiled;
    RtBuffer *buffers[MATRICES];
    uint8_t *bytes[MATRICES];
    size_t sizes[MATRICES];
} Matmul;

static unsigned element_bytes(const Matmul *matmul, int matrix) {
    return matrix == 2 ? 4 : fpsan_format_info(matmul->row->operand)->storage_bits / 8;
}

static uint64_t element(const Matmul *matmul, int matrix, int64_t row, int64_t column) {
    unsigned size = element_bytes(matmul, matrix);
    uint64_t bits = 0;
    memcpy(&bits, matmul->bytes[matrix] + (row * matmul->bench->size + column) * size, size);
    return bits;
}

// Numbers between -1 and 1 in the operands, some hash of their index.
static void fill_operands(Matmul *matmul) {
    int64_t count = matmul->bench->size * matmul->bench->size;
    for (int m = 0; m < 2; m++)
        for (int64_t i = 0; i < count; i++) {
            uint64_t hash = ((uint64_t)i + 1) * (m ? 0x9E3779B97F4A7C15u : 0xC2B2AE3D27D4EB4Fu) >> 40;
            uint64_t bits = fpsan_encode_nearest(matmul->row->operand, ldexp((double)hash, -23) - 1);
            memcpy(matmul->bytes[m] + i * element_bytes(matmul, m), &bits, element_bytes(matmul, m));
        }
}

static bool prepare_matmul(Matmul *matmul, double *compile_seconds) {
    Bench *bench = matmul->bench;
    CompileOptions options = {.numeric = matmul->row->numeric, .optimize = 3};
    options.instrumentation = (FpsanInstrumentation){matmul->row->numeric == COMPILE_PAYLOAD, fpsan_default_algebra()};
    matmul->module =
        tir_read_file(&bench->diagnostics, arena_format(&matmul->arena, "%s/%s", BENCH_DIR, matmul->row->file));
    if (!matmul->module || !tir_verify(&bench->diagnostics, matmul->module)) return false;
    double start = bench_seconds();
    matmul->compiled = compiler_load(bench->machine.compiler, &bench->diagnostics, matmul->module, &options);
    *compile_seconds = bench_seconds() - start;
    if (!matmul->compiled) return false;
    if (matmul->compiled->kernels[0].parameter_count != PARAMETERS)
        return diag_fail(&bench->diagnostics, (Location){.file = matmul->row->file}, E_ARGUMENT,
                         "expected an entry of %d parameters", PARAMETERS);
    for (int m = 0; m < MATRICES; m++) {
        matmul->sizes[m] = (size_t)(bench->size * bench->size) * element_bytes(matmul, m);
        matmul->bytes[m] = arena_alloc(&matmul->arena, matmul->sizes[m]);
        matmul->buffers[m] = rt_alloc(bench->machine.device, &bench->diagnostics, matmul->sizes[m]);
        if (!matmul->buffers[m]) return false;
    }
    fill_operands(matmul);
    for (int m = 0; m < 2; m++)
        rt_copy_in(bench->machine.device, matmul->buffers[m], 0, matmul->bytes[m], matmul->sizes[m]);
    return true;
}

static bool run_matmul(Matmul *matmul, double *seconds) {
    Bench *bench = matmul->bench;
    const CompiledKernel *compiled = &matmul->compiled->kernels[0];
    RtKernel kernel = fpd_runtime_kernel(&matmul->arena, "matmul", compiled);
    RtArgument arguments[PARAMETERS];
    uint64_t size = (uint64_t)bench->size;
    for (int m = 0; m < MATRICES; m++) { // address, shape, strides
        const uint64_t numbers[] = {size, size, size, 1};
        arguments[5 * m] = (RtArgument){matmul->buffers[m]->address, matmul->buffers[m]};
        for (int i = 0; i < 4; i++) arguments[5 * m + 1 + i] = (RtArgument){numbers[i], NULL};
    }
    uint32_t blocks = (uint32_t)((bench->size + TILE - 1) / TILE), grid[3] = {blocks, blocks, 1};
    double start = bench_seconds();
    if (!rt_launch(bench->machine.device, &bench->diagnostics, "matmul", &kernel, grid, arguments)) return false;
    *seconds = bench_seconds() - start;
    return true;
}

// Recomputes some elements from the definition.
static bool check_matmul(Matmul *matmul) {
    Bench *bench = matmul->bench;
    FpsanAlgebra algebra = fpsan_default_algebra();
    FpsanFormat operand = matmul->row->operand;
    rt_copy_out(bench->machine.device, matmul->buffers[2], 0, matmul->bytes[2], matmul->sizes[2]);
    for (uint64_t c = 0; c < CHECKS; c++) {
        int64_t row = (int64_t)(c * 2654435761u % (uint64_t)bench->size),
                column = (int64_t)(c * 40503u % (uint64_t)bench->size);
        uint64_t payload = 0, bits = element(matmul, 2, row, column);
        double sum = 0, bound = 0;
        for (int64_t k = 0; k < bench->size; k++) {
            uint64_t x = element(matmul, 0, row, k), y = element(matmul, 1, k, column);
            double term = fpsan_decode(operand, x) * fpsan_decode(operand, y);
            sum += term;
            bound += fabs(term) * (double)bench->size * 0x1p-23;
            x = fpsan_embed(algebra.profile, operand, x);
            y = fpsan_embed(algebra.profile, operand, y);
            payload = fpsan_dot(&algebra, operand, operand, FPSAN_F32, 1, &x, 1, &y, 1, payload);
        }
        bool good = matmul->row->numeric == COMPILE_PAYLOAD ? fpsan_embed(algebra.profile, FPSAN_F32, bits) == payload
                                                            : fabs(fpsan_decode(FPSAN_F32, bits) - sum) <= bound;
        if (!good)
            return diag_fail(&bench->diagnostics, (Location){.file = matmul->row->file}, E_RUNTIME,
                             "%s: element (%lld, %lld) is wrong", matmul->row->label, (long long)row,
                             (long long)column);
    }
    return true;
}

static void print_rate(const Bench *bench, const char *label, double compile, double seconds) {
    double products = (double)bench->size * (double)bench->size * (double)bench->size;
    if (compile >= 0)
        printf("  %-48s %10.1f %9.2f %14.1f\n", label, compile * 1e3, seconds * 1e3, products / seconds * 1e-9);
    else
        printf("  %-48s %10s %9.2f %14.1f\n", label, "", seconds * 1e3, products / seconds * 1e-9);
}

static bool time_matmul(Matmul *matmul) {
    Bench *bench = matmul->bench;
    double compile, *seconds = arena_array(&matmul->arena, double, bench->runs), first;
    if (!prepare_matmul(matmul, &compile) || !run_matmul(matmul, &first))
        return false; // the first run touches the memory
    for (unsigned r = 0; r < bench->runs; r++)
        if (!run_matmul(matmul, &seconds[r])) return false;
    if (!check_matmul(matmul)) return false;
    print_rate(bench, matmul->row->label, compile, bench_median(seconds, bench->runs));
    return true;
}

static void close_matmul(Matmul *matmul) {
    for (int m = 0; m < MATRICES; m++)
        if (matmul->buffers[m]) rt_free(matmul->bench->machine.device, matmul->buffers[m]);
    compiled_module_close(matmul->bench->machine.compiler, matmul->compiled);
    tir_module_close(matmul->module);
    arena_reset(&matmul->arena);
}

static void time_blas(Bench *bench) {
    Arena arena = {0};
    size_t count = (size_t)(bench->size * bench->size);
    float *a = arena_array(&arena, float, count), *b = arena_array(&arena, float, count),
          *c = arena_array(&arena, float, count);
    for (size_t i = 0; i < count; i++) a[i] = b[i] = (float)(i % 257) / 256;
    double *seconds = arena_array(&arena, double, bench->runs);
    const char *name;
    bool there = bench_sgemm(bench->size, a, b, c, &name) >= 0;
    for (unsigned r = 0; r < bench->runs && there; r++) seconds[r] = bench_sgemm(bench->size, a, b, c, &name);
    if (there)
        print_rate(bench, arena_format(&arena, "f32 x f32 -> f32, %s", name), -1, bench_median(seconds, bench->runs));
    arena_reset(&arena);
}

bool bench_matmuls(Bench *bench) {
    char title[64];
    snprintf(title, sizeof title, "matrix product %lld^3, tiles of %d x %d x 64", (long long)bench->size, TILE, TILE);
    printf("\n%-50s %10s %9s %14s\n", title, "compile ms", "run ms", "G mul-adds/s");
    for (size_t i = 0; i < BASE_COUNT(rows); i++) {
        Matmul matmul = {.bench = bench, .row = &rows[i]};
        bool good = time_matmul(&matmul);
        close_matmul(&matmul);
        if (!good) return false;
    }
    time_blas(bench);
    return true;
}
