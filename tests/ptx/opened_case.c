// SPDX-License-Identifier: Apache-2.0
// A case file whose variants tests run one by one.
#include "tests/ptx/opened_case.h"

#include <string.h>

bool opened_case_load(OpenedCase *opened, const char *path) {
    opened->cas = fpd_load_case(opened->diagnostics, &opened->arena, path);
    opened->programs = opened->cas ? fpd_load_programs(opened->diagnostics, &opened->arena, opened->cas) : NULL;
    return opened->programs;
}

const FpdRun *opened_case_run(OpenedCase *opened, uint32_t variant, FpdMode mode) {
    opened->cas->modes[0] = mode;
    opened->cas->mode_count = 1;
    const FpdRunner runner = {opened->diagnostics, &opened->arena, opened->machine, opened->programs};
    FpdRuns runs = fpd_plan_runs(&opened->arena, opened->cas, FPD_ALL_MODES, (int)variant);
    return fpd_run_case(&runner, false, &runs) ? &runs.runs[0] : NULL;
}

void opened_case_close(OpenedCase *opened) {
    if (opened->programs) fpd_close_compiled(opened->machine, opened->programs);
    fpd_programs_close(opened->programs);
    diagnostics_print(opened->diagnostics);
    diagnostics_close(opened->diagnostics);
    *opened->diagnostics = (Diagnostics){0};
    arena_reset(&opened->arena);
}

int opened_case_variant(const OpenedCase *opened, const char *name) {
    for (uint32_t v = 0; v < opened->cas->variant_count; v++)
        if (!strcmp(opened->cas->variants[v].name, name)) return (int)v;
    return -1;
}

uint8_t *opened_case_output(const OpenedCase *opened, const FpdRun *run, const char *name, const FpdBuffer **buffer) {
    for (uint32_t c = 0; c < opened->cas->compare_count; c++) {
        *buffer = &opened->cas->buffers[opened->cas->compare[c]];
        if (!strcmp((*buffer)->name, name)) return run->bytes[c];
    }
    return NULL;
}
