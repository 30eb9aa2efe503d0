// SPDX-License-Identifier: Apache-2.0
// Compile and run time of the variants of a case, in ieee and in fpsan.
#include "bench/bench_internal.h"

#include <math.h>
#include <stdio.h>

typedef struct Timing {
    double compile, run; // seconds, medians; NAN: the case does not have the mode
} Timing;

static bool has_mode(const FpdCase *cas, FpdMode mode) {
    for (uint32_t m = 0; m < cas->mode_count; m++)
        if (cas->modes[m] == mode) return true;
    return false;
}

static bool time_variant(Bench *bench, Arena *arena, FpdProgram *program, uint32_t variant, FpdMode mode,
                         Timing *timing) {
    double *compile = arena_array(arena, double, bench->runs), *run = arena_array(arena, double, bench->runs);
    *timing = (Timing){NAN, NAN};
    if (!has_mode(program->cas, mode)) return true;
    for (unsigned r = 0; r < bench->runs; r++) {
        Arena scratch = {0};
        FpdRuns runs = {0};
        bool good = fpd_run_case(&bench->diagnostics, &scratch, &bench->machine, program, 1u << mode, (int)variant,
                                 false, &runs);
        if (good) {
            compile[r] = runs.compile_seconds[mode];
            run[r] = runs.runs[mode][variant].seconds;
        }
        arena_reset(&scratch);
        if (!good) return false;
    }
    *timing = (Timing){bench_median(compile, bench->runs), bench_median(run, bench->runs)};
    return true;
}

static void print_number(double value, int decimals) {
    if (isnan(value))
        printf(" %9s", "-");
    else
        printf(" %9.*f", decimals, value);
}

static bool time_program(Bench *bench, Arena *arena, FpdProgram *program, const char *path) {
    for (uint32_t v = 0; v < program->cas->variant_count; v++) {
        Timing ieee, fpsan;
        if (!time_variant(bench, arena, program, v, FPD_MODE_ieee, &ieee)) return false;
        if (!time_variant(bench, arena, program, v, FPD_MODE_fpsan, &fpsan)) return false;
        printf("  %-48s", arena_format(arena, "%s: %s", path, program->cas->variants[v].name));
        print_number(ieee.compile * 1e3, 1);
        print_number(fpsan.compile * 1e3, 1);
        print_number(ieee.run * 1e3, 3);
        print_number(fpsan.run * 1e3, 3);
        print_number(fpsan.run / ieee.run, 2);
        printf("\n");
        fflush(stdout);
    }
    return true;
}

bool bench_case(Bench *bench, const char *path) {
    Arena arena = {0};
    const FpdCase *cas = fpd_load_case(&bench->diagnostics, &arena, path);
    FpdProgram *program = cas ? fpd_load_program(&bench->diagnostics, &arena, cas) : NULL;
    bool good = program && time_program(bench, &arena, program, path);
    if (program) fpd_program_close(program);
    arena_reset(&arena);
    return good;
}
