// SPDX-License-Identifier: Apache-2.0
// Second runs: where plain runs leave a question, their variants run once more in another way (second_runs.def).
#include "diff/compare.h"

// Sets the entries of the variants whose second run would answer the question. They are all false before.
typedef void SecondRunAsks(const FpdProgram *program, const FpdRuns *runs, bool *variants);

// Elements that may be ties: whether a close call explains them is seen where it falls otherwise, in either variant.
static void ask_for_ties(const FpdProgram *program, const FpdRuns *runs, bool *variants) {
    const FpdCase *cas = program->cas;
    const FpdRun *plain = runs->runs[FPD_MODE_fpsan];
    if (!cas->tower || !plain) return;
    for (uint32_t v = 1; v < cas->variant_count; v++)
        for (uint32_t c = 0; c < cas->compare_count; c++)
            if (fpd_may_tie(cas, c, &plain[0], &plain[v])) variants[0] = variants[v] = true;
}

// Roots of squares and squares of roots: the signed towers know them.
static void ask_for_signs(const FpdProgram *program, const FpdRuns *runs, bool *variants) {
    const FpdCase *cas = program->cas;
    const FpdRun *plain = runs->runs[FPD_MODE_fpsan];
    if (!cas->tower || !plain) return;
    for (uint32_t v = 1; v < cas->variant_count; v++)
        if (fpd_may_be_signs(cas, &plain[0], &plain[v])) variants[0] = variants[v] = true;
}

// Variants in which integers passed on what is unspecified.
static void ask_for_origins(const FpdProgram *program, const FpdRuns *runs, bool *variants) {
    const FpdCase *cas = program->cas;
    const FpdRun *plain = runs->runs[FPD_MODE_fpsan];
    for (uint32_t v = 0; cas->tower && plain && v < cas->variant_count; v++)
        variants[v] = fpd_needs_origins(cas, &plain[v]);
}

typedef struct SecondRow {
    FpdSettings settings;
    SecondRunAsks *asks;
} SecondRow;

static const SecondRow second_rows[FPD_SECOND_COUNT + 1] = {
#define SECOND(name, settings, asks, question) {{settings}, asks},
#include "diff/second_runs.def"
#undef SECOND
};

const FpdRun *fpd_second_run(const FpdRuns *runs, FpdSecond second, uint32_t variant) {
    const FpdRun *run = runs->second[second] ? &runs->second[second][variant] : NULL;
    return run && run->bytes ? run : NULL;
}

bool fpd_run_second(Diagnostics *diagnostics, Arena *arena, FpdMachine *machine, const FpdProgram *program,
                    FpdRuns *runs) {
    const FpdCase *cas = program->cas;
    bool *variants = NULL;
    for (int s = 0; s < FPD_SECOND_COUNT; s++) {
        const bool asked = s && second_rows[s].asks == second_rows[s - 1].asks; // which looks at all elements
        bool any = false;
        FpdSettings settings = second_rows[s].settings;
        settings.chain = cas->chain;
        settings.unspecified = fpd_plain_settings(machine, cas).unspecified;
        if (!asked) {
            variants = arena_array(arena, bool, cas->variant_count);
            second_rows[s].asks(program, runs, variants);
        }
        for (uint32_t v = 0; v < cas->variant_count; v++) any |= variants[v];
        if (!any) continue;
        runs->second[s] = arena_array(arena, FpdRun, cas->variant_count);
        if (!fpd_run_again(diagnostics, arena, machine, program, FPD_MODE_fpsan, &settings, variants, runs->second[s]))
            return false;
    }
    return true;
}
