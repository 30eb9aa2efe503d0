// SPDX-License-Identifier: Apache-2.0
// The builds of kernels.cu that are there, one after the other.
#include "tests/ptx/cuda_builds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOTHING_TO_RUN = 77, THREADS = 2 };

static bool check_build(CudaTest *test) {
    Arena arena = {0};
    size_t size = 0;
    char *text = test->write_case(test->build, &size);
    const char *path = arena_format(&arena, "%s/%s.%s.yaml", test->folder, test->name, test->build->name);
    FpdCase *cas = fpd_parse_case(&test->diagnostics, &arena, path, (const uint8_t *)text, size);
    const FpdRunner runner = {&test->diagnostics, &arena, &test->machine,
                              cas ? fpd_load_programs(&test->diagnostics, &arena, cas) : NULL};
    bool good = runner.programs;
    if (good) {
        FpdRuns runs = fpd_plan_runs(&arena, cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
        good = fpd_run_case(&runner, false, &runs);
        for (uint32_t r = 0; r < runs.run_count && good; r++) good = test->check_run(test, &arena, cas, &runs.runs[r]);
    }
    fpd_programs_close(runner.programs);
    free(text);
    arena_reset(&arena);
    return good;
}

static bool is_wanted(const CudaTest *test, int name_count, char *const *names) {
    char path[4096];
    snprintf(path, sizeof path, "%s/kernels.%s.ptx", test->folder, test->build->name);
    bool wanted = !name_count;
    for (int i = 0; i < name_count; i++) wanted |= !strcmp(names[i], test->build->name);
    return wanted && !access(path, R_OK);
}

static int check_builds(CudaTest *test, int name_count, char *const *names) {
    unsigned checked = 0, failed = 0;
    for (size_t i = 0; i < test->build_count; i++) {
        test->build = &test->builds[i];
        if (!is_wanted(test, name_count, names)) continue;
        checked++;
        if (check_build(test)) continue;
        printf("%s: failed\n", test->build->name);
        failed++;
    }
    if (!checked) {
        printf("SKIPPED: %s has no PTX of kernels.cu\n", test->folder);
        return NOTHING_TO_RUN;
    }
    printf("%u functions %s, %u %s\n", test->right, test->right_are, test->wrong, test->wrong_are);
    return failed || test->wrong;
}

int cuda_builds_test(CudaTest *test, const char *folder, int name_count, char *const *names) {
    int status = 2;
    test->folder = folder;
    test->machine = (FpdMachine){.target = FPD_TARGET_host};
    if (folder && fpd_machine_open(&test->diagnostics, THREADS, &test->machine))
        status = check_builds(test, name_count, names);
    diagnostics_print(&test->diagnostics);
    diagnostics_close(&test->diagnostics);
    fpd_machine_close(&test->machine);
    return status;
}
