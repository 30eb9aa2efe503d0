// SPDX-License-Identifier: Apache-2.0
// Runs every variant of the given cases in the numeric `shadow`, on one thread and on two, and checks that its numbers
// are those of the numeric `ieee` and that the records beside them do not depend on the threads: shadow_cases
// CASE.yaml... (exit status 1 if one does).
#include "diff/fpd.h"

#include <stdio.h>
#include <string.h>

enum { PLAIN, ONE_THREAD, TWO_THREADS, WAYS };

typedef struct Check {
    Diagnostics *diagnostics;
    FpdMachine machines[WAYS];
    const FpdCase *cas;
    FpdRuns runs[WAYS];
} Check;

static const FpdRun *run_of(const Check *x, int way, uint32_t variant) {
    return &x->runs[way].runs[way == PLAIN ? FPD_MODE_ieee : FPD_MODE_fpsan][variant];
}

static bool complain(const Check *x, uint32_t variant, const FpdBuffer *buffer, uint64_t element, const char *what) {
    printf("%s: variant %s, %s[%llu]: %s\n", x->cas->path, x->cas->variants[variant].name, buffer->name,
           (unsigned long long)element, what);
    return false;
}

static bool check_buffer(const Check *x, uint32_t variant, uint32_t c) {
    const FpdBuffer *buffer = &x->cas->buffers[x->cas->compare[c]];
    const uint8_t *expected = run_of(x, PLAIN, variant)->bytes[c];
    for (int way = ONE_THREAD; way < WAYS; way++)
        for (uint64_t i = 0; i < buffer->elements; i++) {
            uint64_t found = fpd_element_bits(buffer->type, run_of(x, way, variant)->bytes[c], i),
                     wanted = fpd_element_bits(buffer->type, expected, i);
            char what[80];
            snprintf(what, sizeof what, "0x%llx, in ieee 0x%llx", (unsigned long long)found,
                     (unsigned long long)wanted);
            if (found != wanted) return complain(x, variant, buffer, i, what);
        }
    const HostRecord *one = run_of(x, ONE_THREAD, variant)->records[c],
                     *two = run_of(x, TWO_THREADS, variant)->records[c];
    for (uint64_t i = 0; one && i < buffer->elements; i++)
        if (memcmp(&one[i], &two[i], sizeof *one))
            return complain(x, variant, buffer, i, "the records of one thread and of two differ");
    return true;
}

// How many elements of the compared buffers have records; no number is no test.
static uint64_t count_records(const Check *x) {
    uint64_t count = 0;
    for (uint32_t v = 0; v < x->cas->variant_count; v++)
        for (uint32_t c = 0; c < x->cas->compare_count; c++) {
            const HostRecord *records = run_of(x, ONE_THREAD, v)->records[c];
            for (uint64_t i = 0; records && i < x->cas->buffers[x->cas->compare[c]].elements; i++)
                count += records[i].state & HOST_RECORD_VALID ? 1 : 0;
        }
    return count;
}

static bool run_way(Check *x, Arena *arena, FpdCase *cas, FpdProgram *program, int way) {
    cas->tower = way != PLAIN;
    cas->mode_count = 1;
    cas->modes[0] = way == PLAIN ? FPD_MODE_ieee : FPD_MODE_fpsan;
    return fpd_run_case(x->diagnostics, arena, &x->machines[way], program, ~0u, -1, false, &x->runs[way]);
}

static bool check_case(Check *x, const char *path, uint64_t *records) {
    Arena arena = {0};
    FpdCase *cas = fpd_load_case(x->diagnostics, &arena, path);
    FpdProgram *program = cas ? fpd_load_program(x->diagnostics, &arena, cas) : NULL;
    bool good = program;
    x->cas = cas;
    memset(x->runs, 0, sizeof x->runs);
    for (int way = 0; way < WAYS && good; way++) good = run_way(x, &arena, cas, program, way);
    for (uint32_t v = 0; good && v < cas->variant_count; v++)
        for (uint32_t c = 0; good && c < cas->compare_count; c++) good = check_buffer(x, v, c);
    if (good) *records += count_records(x);
    fpd_program_close(program);
    arena_reset(&arena);
    return good;
}

int main(int count, char **paths) {
    Diagnostics diagnostics = {0};
    Check check = {.diagnostics = &diagnostics};
    check.machines[ONE_THREAD].shadow = check.machines[TWO_THREADS].shadow = true;
    bool open = fpd_machine_open(&diagnostics, 0, &check.machines[PLAIN]) &&
                fpd_machine_open(&diagnostics, 1, &check.machines[ONE_THREAD]) &&
                fpd_machine_open(&diagnostics, 2, &check.machines[TWO_THREADS]);
    int passed = 0, failed = 0;
    uint64_t records = 0;
    for (int i = 1; i < count && open; i++) {
        if (check_case(&check, paths[i], &records))
            passed++;
        else
            failed++;
    }
    diagnostics_print(&diagnostics);
    bool broken = diagnostics.count;
    for (int way = 0; way < WAYS; way++) fpd_machine_close(&check.machines[way]);
    diagnostics_close(&diagnostics);
    printf("shadow: %d cases agree, %d do not; %llu records\n", passed, failed, (unsigned long long)records);
    return failed || broken || !passed;
}
