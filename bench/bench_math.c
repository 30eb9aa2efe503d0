// SPDX-License-Identifier: Apache-2.0
// What numeric modes cost and gain: element-wise kernels and those of bench_kernel_rows.c in mode ieee and in others,
// one run of each in turn on one thread, and the instructions of their PTX. Medians of the ratios within a turn.
#include "bench/bench_kernel_internal.h"

#include <string.h>

// The modes, the first of which the others are compared with; `ftz` is ieee with nothing but flushing.
enum { MODES = 4, IEEE = 0, FAST = MODES - 1 };
static const struct {
    const char *name;
    MathSettings settings;
} modes[MODES] = {{"ieee", {.command.mode = MATH_ieee + 1}},
                  {"precise", {.command.mode = MATH_precise + 1}},
                  {"ftz", {.command.denormals = MATH_DENORMALS_PRESERVE_SIGN}},
                  {"fast", {.command.mode = MATH_fast + 1}}};

typedef struct MathRow {
    double ratios[MODES], compile; // of times over those of ieee; of compiling fast
    unsigned instructions[MODES];  // of PTX
} MathRow;

static CompileOptions options_of(unsigned mode, const char *gpu) {
    return (CompileOptions){.numeric = COMPILE_IEEE, .optimize = 3, .math = &modes[mode].settings, .gpu = gpu};
}

static bool run(BenchKernel *kernel, RtDevice *device, CompiledModule *const *compiled, unsigned mode,
                double *seconds) {
    BenchTime start = bench_now();
    const bool good = rt_launch(device, &kernel->bench->diagnostics,
                                &(RtLaunch){.label = kernel->row->label,
                                            .kernel = &compiled[mode]->kernels[0],
                                            .name = kernel->row->file,
                                            .grid = {kernel->grid[0], kernel->grid[1], kernel->grid[2]},
                                            .arguments = kernel->arguments});
    *seconds = bench_now().processor - start.processor;
    return good;
}

// The lines of PTX that are instructions: indented, and no directive or label.
static bool count_instructions(BenchKernel *kernel, unsigned mode, unsigned *count) {
    const CompileOptions options = options_of(mode, "sm_90");
    Buffer ptx = {0};
    const bool good = compiler_emit(kernel->bench->machine.compiler, &kernel->bench->diagnostics, kernel->program,
                                    &options, COMPILE_ASM, &ptx);
    *count = 0;
    for (const char *line = good ? ptx.data : NULL, *end;
         line && (end = memchr(line, '\n', ptx.size - (size_t)(line - ptx.data))); line = end + 1)
        *count += *line == '\t' && line[1] != '.' && line[1] != '/' && end[-1] == ';';
    buffer_free(&ptx);
    return good;
}

// The processor time of compiling for the host in both modes, in turn.
static bool time_compiling(BenchKernel *kernel, double *ratio) {
    double ratios[BENCH_RUNS_MAX], seconds[2];
    const unsigned count = kernel->bench->runs;
    for (unsigned t = 0; t <= count; t++) {
        for (unsigned i = 0; i < 2; i++) {
            const unsigned fast = (i + t) % 2;
            const CompileOptions options = options_of(fast ? FAST : IEEE, NULL);
            Buffer out = {0};
            BenchTime start = bench_now();
            const bool good = compiler_emit(kernel->bench->machine.compiler, &kernel->bench->diagnostics,
                                            kernel->program, &options, COMPILE_OBJECT, &out);
            seconds[fast] = bench_now().processor - start.processor;
            buffer_free(&out);
            if (!good) return false;
        }
        if (t) ratios[t - 1] = seconds[1] / seconds[0];
    }
    *ratio = bench_median(ratios, count);
    return true;
}

static bool time_modes(BenchKernel *kernel, RtDevice *device, CompiledModule *const *compiled, MathRow *row) {
    const unsigned count = 2 * kernel->bench->runs - 1;
    double ratios[MODES][2 * BENCH_RUNS_MAX], seconds[MODES];
    for (unsigned t = 0; t <= count; t++) { // the first turn is not counted
        for (unsigned i = 0; i < MODES; i++)
            if (!run(kernel, device, compiled, (i + t) % MODES, &seconds[(i + t) % MODES])) return false;
        for (unsigned m = 0; m < MODES && t; m++) ratios[m][t - 1] = seconds[m] / seconds[IEEE];
    }
    for (unsigned m = 0; m < MODES; m++) row->ratios[m] = bench_median(ratios[m], count);
    return true;
}

static bool measure_row(Bench *bench, RtDevice *device, const KernelRow *row, MathRow *measured) {
    BenchKernel kernel;
    CompiledModule *compiled[MODES] = {0};
    bool good = bench_kernel_open(&kernel, bench, row, device);
    for (unsigned m = 0; m < MODES && good; m++) {
        const CompileOptions options = options_of(m, NULL);
        compiled[m] = compiler_load(bench->machine.compiler, &bench->diagnostics, kernel.program, &options);
        good = compiled[m] && count_instructions(&kernel, m, &measured->instructions[m]);
    }
    good = good && time_modes(&kernel, device, compiled, measured) && time_compiling(&kernel, &measured->compile);
    for (unsigned m = 0; m < MODES; m++) compiled_module_close(bench->machine.compiler, compiled[m]);
    bench_kernel_close(&kernel);
    return good;
}

bool bench_math(Bench *bench) {
    enum { ROWS_MAX = 64 };
    const size_t count = bench_element_row_count + bench_kernel_row_count;
    MathRow rows[ROWS_MAX] = {0};
    double compile[ROWS_MAX], fast[ROWS_MAX];
    RtDevice *device = rt_open_host(&bench->diagnostics, &(RtDeviceOptions){.jobs = 1});
    bool good = device && count <= ROWS_MAX;
    bench_table(bench, "Numeric modes",
                "time over ieee\tprecise\tftz\tfast\tcompiling fast\tPTX ieee\tPTX precise\tPTX fast");
    for (size_t i = 0; i < count && good; i++) {
        const KernelRow *row =
            i < bench_element_row_count ? &bench_element_rows[i] : &bench_kernel_rows[i - bench_element_row_count];
        const MathRow *m = &rows[i];
        good = measure_row(bench, device, row, &rows[i]);
        if (good)
            bench_row(bench, "%s\t%.3f\t%.3f\t%.3f\t%.3f\t%u\t%u\t%u", row->label, m->ratios[1], m->ratios[2],
                      m->ratios[FAST], m->compile, m->instructions[IEEE], m->instructions[1], m->instructions[FAST]);
        fast[i] = m->ratios[FAST];
        compile[i] = m->compile;
    }
    bench_note(bench, "processor time of launches on one thread, one of each mode in turn; ftz is ieee with --ftz; PTX "
                      "counts instructions for sm_90");
    if (good) {
        bench_goals_of_kernels(bench, "numeric modes: time of fast over ieee", count, fast, 1, 1.03);
        bench_goal(bench, "numeric modes: compiling fast over ieee, median of kernels", bench_median(compile, count),
                   "", BENCH_AT_MOST, 1.05);
    }
    rt_close(device);
    return good;
}
