// SPDX-License-Identifier: Apache-2.0
// Compiling to cubins: whole runs of tileiras against NVIDIA's, in turn, and against Triton's FpSan; what the kernels
// take of the GPU.
#include "bench/bench_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char gpu[] = "sm_90", gpu_number[] = "90";
enum { IEEE, PAYLOAD, NUMERICS };
static const CompileNumeric numerics[NUMERICS] = {COMPILE_IEEE, COMPILE_PAYLOAD};

typedef struct GpuRow {
    const char *label, *file, *work;
    double seconds[NUMERICS], nvidia, triton; // NAN: not there
    CompileKernelResources resources[NUMERICS];
} GpuRow;

static const GpuRow kernels[] = {
#define GPU_KERNEL(name, path, triton_work) {.label = name, .file = path, .work = triton_work},
#include "bench/gpu_rows.def"
};

// ---- running programs -----------------------------------------------------------------------------------------------

// Runs a program to its end; standard output goes to `output`, or nowhere. `environment` NULL: ours. The seconds it
// took; negative and a diagnostic where it fails.
static double run_program(Bench *bench, char **words, char **environment, const char *output) {
    extern char **environ;
    posix_spawn_file_actions_t actions;
    pid_t child;
    int status = 0;
    double start = bench_seconds();
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output ? output : "/dev/null",
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int error = posix_spawnp(&child, words[0], &actions, NULL, words, environment ? environment : environ);
    posix_spawn_file_actions_destroy(&actions);
    while (!error && waitpid(child, &status, 0) < 0)
        if (errno != EINTR) error = errno;
    double seconds = bench_seconds() - start;
    if (!error && !status) return seconds;
    diag_fail(&bench->diagnostics, (Location){.file = words[0]}, E_RUNTIME,
              error ? "%s" : "failed (its message is above)", strerror(error));
    return -1;
}

// NVIDIA's programs find their parts by their own place.
static char **nvidia_environment(Arena *arena, const char *tools) {
    extern char **environ;
    static const char *const replaced[] = {"PATH=", "LD_LIBRARY_PATH=", "CUDA_HOME=", "CUDA_PATH="};
    size_t count = 0, kept = 0;
    while (environ[count]) count++;
    char **result = arena_array(arena, char *, count + 3);
    for (size_t i = 0; i < count; i++) {
        bool keep = true;
        for (size_t k = 0; k < BASE_COUNT(replaced); k++)
            if (!strncmp(environ[i], replaced[k], strlen(replaced[k]))) keep = false;
        if (keep) result[kept++] = environ[i];
    }
    const char *path = getenv("PATH");
    result[kept++] = arena_format(arena, "PATH=%s/bin:%s", tools, path ? path : "");
    result[kept++] = arena_format(arena, "LD_LIBRARY_PATH=%s/lib", tools);
    return result;
}

// ---- one kernel -----------------------------------------------------------------------------------------------------

static double time_ours(Bench *bench, Arena *arena, const GpuRow *row, unsigned numeric) {
    char *words[] = {TILEIRAS,
                     (char *)(numeric == PAYLOAD ? "--instrument=fpsan" : "--instrument=none"),
                     "--gpu-name",
                     (char *)gpu,
                     arena_format(arena, BENCH_DIR "/%s", row->file),
                     "-o",
                     "-",
                     NULL};
    return run_program(bench, words, NULL, NULL);
}

static double time_nvidia(Bench *bench, Arena *arena, const GpuRow *row, char **environment) {
    char *words[] = {arena_format(arena, "%s/bin/tileiras", bench->tileir_tools),
                     "--gpu-name",
                     (char *)gpu,
                     arena_format(arena, BENCH_DIR "/%s", row->file),
                     "-o",
                     "/dev/null",
                     NULL};
    return run_program(bench, words, environment, NULL);
}

// In turn, so that the machine's moods are shared.
static bool time_runs(Bench *bench, Arena *arena, GpuRow *row) {
    double ours[NUMERICS][BENCH_RUNS_MAX], nvidia[BENCH_RUNS_MAX];
    char **environment = bench->tileir_tools ? nvidia_environment(arena, bench->tileir_tools) : NULL;
    for (unsigned r = 0; r < bench->runs; r++) {
        for (unsigned n = 0; n < NUMERICS; n++)
            if ((ours[n][r] = time_ours(bench, arena, row, n)) < 0) return false;
        if (environment && (nvidia[r] = time_nvidia(bench, arena, row, environment)) < 0) return false;
    }
    for (unsigned n = 0; n < NUMERICS; n++) row->seconds[n] = bench_median(ours[n], bench->runs);
    row->nvidia = bench_median(nvidia, environment ? bench->runs : 0);
    return true;
}

// Once: it takes seconds.
static bool time_triton(Bench *bench, Arena *arena, GpuRow *row) {
    uint8_t *text;
    size_t size;
    char output[] = "/tmp/bench-triton-XXXXXX", *python = (char *)bench->peers.python;
    char *words[] = {python, BENCH_DIR "/triton_fpsan.py", (char *)gpu_number, (char *)row->work, NULL};
    row->triton = NAN;
    if (!bench->triton) return true;
    int file = mkstemp(output);
    if (file < 0) return diag_fail(&bench->diagnostics, (Location){.file = output}, E_FILE, "%s", strerror(errno));
    close(file);
    bool good =
        run_program(bench, words, NULL, output) >= 0 && file_read(&bench->diagnostics, arena, output, &text, &size);
    if (good) row->triton = strtod((char *)text, NULL);
    unlink(output);
    return good;
}

static bool find_resources(Bench *bench, GpuRow *row) {
    Arena arena = {0};
    const Program *program = program_read(&bench->diagnostics, arena_format(&arena, BENCH_DIR "/%s", row->file));
    bool good = program;
    for (unsigned n = 0; good && n < NUMERICS; n++) {
        CompileResources resources = {0};
        Buffer cubin = {0};
        CompileOptions options = {.numeric = numerics[n], .gpu = gpu, .optimize = 3, .resources = &resources};
        options.instrumentation = (FpsanInstrumentation){n == PAYLOAD, fpsan_default_algebra()};
        good = compiler_emit(bench->machine.compiler, &bench->diagnostics, program, &options, COMPILE_OBJECT, &cubin);
        if (good && resources.count) row->resources[n] = resources.kernels[0];
        row->resources[n].kernel = row->label;
        buffer_free(&cubin);
        arena_reset(&resources.arena);
    }
    program_close(program);
    arena_reset(&arena);
    return good;
}

// ---- tables ---------------------------------------------------------------------------------------------------------

static void report(Bench *bench, const GpuRow *rows, size_t count) {
    double nvidia = NAN, triton = NAN;
    bench_table(bench, "Cubins for sm_90: whole runs of the compilers",
                "kernel, ms\tpayload\tieee\tNVIDIA\tpayload/NVIDIA\tTriton FpSan\tTriton/payload");
    for (size_t i = 0; i < count; i++) {
        const GpuRow *row = &rows[i];
        double of_nvidia = row->seconds[PAYLOAD] / row->nvidia, of_triton = row->triton / row->seconds[PAYLOAD];
        bench_row(bench, "%s\t%.0f\t%.0f\t%.0f\t%.2f\t%.0f\t%.1f", row->label, row->seconds[PAYLOAD] * 1e3,
                  row->seconds[IEEE] * 1e3, row->nvidia * 1e3, of_nvidia, row->triton * 1e3, of_triton);
        nvidia = fmax(nvidia, of_nvidia); // of a number and a NAN the number
        triton = fmin(triton, of_triton);
    }
    bench_note(bench, "Wall-clock time of a whole process; of Triton that of `triton.compile` alone. NVIDIA's tileiras "
                      "compiles the same bytecode, in its own arithmetic; Triton compiles the same computation on the "
                      "same tiles, with FpSan. No caches.");
    bench_goal(bench, "cubins: payload over NVIDIA's tileiras, most", nvidia, "", BENCH_AT_MOST, 1);
    bench_goal(bench, "cubins: Triton's FpSan over payload, least", triton, "", BENCH_AT_LEAST, 5);
    bench_table(bench, "What kernels take of sm_90",
                "kernel\tarithmetic\tregisters\tstack, bytes\tspill stores\tspill loads");
    for (size_t i = 0; i < count; i++)
        for (unsigned n = 0; n < NUMERICS; n++) {
            const CompileKernelResources *found = &rows[i].resources[n];
            bench_row(bench, "%s\t%s\t%u\t%u\t%u\t%u", rows[i].label, n == PAYLOAD ? "payload" : "ieee",
                      found->registers, found->stack_bytes, found->spill_store_bytes, found->spill_load_bytes);
        }
    bench_note(bench, "As ptxas reports them, for each thread.");
}

// Whether this machine can make cubins at all.
static bool has_cuda(Bench *bench) {
    Diagnostics diagnostics = {0};
    GpuRow probe = kernels[0];
    Bench trial = *bench;
    trial.diagnostics = diagnostics;
    bool lacking = !find_resources(&trial, &probe) && trial.diagnostics.items[0].code == E_BACKEND;
    diagnostics_close(&trial.diagnostics);
    return !lacking;
}

bool bench_gpu(Bench *bench) {
    GpuRow rows[BASE_COUNT(kernels)];
    Arena arena = {0};
    memcpy(rows, kernels, sizeof rows);
    if (!has_cuda(bench)) {
        printf("\ncubins: skipped, as there is no ptxas or no libdevice\n");
        return true;
    }
    bool good = true;
    for (size_t i = 0; i < BASE_COUNT(kernels) && good; i++)
        good = time_runs(bench, &arena, &rows[i]) && time_triton(bench, &arena, &rows[i]) &&
               find_resources(bench, &rows[i]);
    if (good) report(bench, rows, BASE_COUNT(kernels));
    arena_reset(&arena);
    return good;
}
