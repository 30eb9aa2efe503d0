// SPDX-License-Identifier: Apache-2.0
// Runs every variant of the given cases as code for a GPU, emulated, and on the host: case_gpu GPU CASE.yaml... (exit
// status 1 if results differ); with `cuda` for GPU on a real one (status 77 if there is none). Payloads have the same
// bits. Numbers differ by what another order of sums and other functions may do to them; reductions and element-wise
// arithmetic have the same order on all targets.
#include "diff/fpd.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HOST, GPU, TARGETS };
static const FpdMode modes[] = {FPD_MODE_fpsan, FPD_MODE_ieee};

typedef struct Check {
    FpdMachine machines[TARGETS];
    unsigned same, refused, failed;
} Check;

// How far two numbers may be apart, of the largest in the buffer: 2^-bits.
static int agreeing_bits(FpdType type) {
    switch (fpd_type_info(type)->bits) {
    case 64: return 40;
    case 32: return 14;
    case 16: return 5;
    default: return 1;
    }
}

static double value_of(const FpdBuffer *buffer, const uint8_t *bytes, uint64_t i) {
    return fpd_element_value(buffer->type, fpd_element_bits(buffer->type, bytes, i));
}

// Of the finite ones.
static double largest_of(const FpdBuffer *buffer, const uint8_t *bytes) {
    double largest = 0;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        double value = fabs(value_of(buffer, bytes, i));
        if (isfinite(value) && value > largest) largest = value;
    }
    return largest;
}

static bool is_near(const FpdBuffer *buffer, double largest, const uint8_t *a, const uint8_t *b, uint64_t i) {
    double x = value_of(buffer, a, i), y = value_of(buffer, b, i);
    if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
    return x == y || fabs(x - y) <= ldexp(largest, -agreeing_bits(buffer->type));
}

static bool same_buffer(const FpdCase *cas, FpdMode mode, uint32_t variant, const FpdBuffer *buffer,
                        const uint8_t *host, const uint8_t *gpu) {
    bool numbers = !fpd_mode_is_payload(mode) && fpd_type_is_float(buffer->type);
    double largest = numbers ? largest_of(buffer, host) : 0;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        uint64_t wanted = fpd_element_bits(buffer->type, host, i), found = fpd_element_bits(buffer->type, gpu, i);
        if (wanted == found || (numbers && is_near(buffer, largest, host, gpu, i))) continue;
        printf("%s: variant %s, %s[%llu], mode %s: 0x%llx, on the host 0x%llx\n", cas->path,
               cas->variants[variant].name, buffer->name, (unsigned long long)i, fpd_mode_name(mode),
               (unsigned long long)found, (unsigned long long)wanted);
        return false;
    }
    return true;
}

typedef enum Outcome { SAME, DIFFERENT, REFUSED } Outcome;

static Outcome check_mode(Check *x, Arena *arena, FpdCase *cas, FpdProgram *program, FpdMode mode) {
    FpdRuns runs[TARGETS] = {0};
    cas->mode_count = 1;
    cas->modes[0] = mode;
    cas->tower = false;
    for (int target = 0; target < TARGETS; target++) {
        Diagnostics diagnostics = {0};
        bool ran =
            fpd_run_case(&diagnostics, arena, &x->machines[target], program, 1u << mode, -1, false, &runs[target]);
        bool refused = !ran && diagnostics.count && diagnostics.items[0].code == E_UNSUPPORTED;
        if (!ran) printf("%s: %s (%s): ", cas->path, fpd_target_name(x->machines[target].target), fpd_mode_name(mode));
        if (!ran) fflush(stdout);
        diagnostics_print(&diagnostics);
        diagnostics_close(&diagnostics);
        if (!ran) return refused || target == HOST ? REFUSED : DIFFERENT;
    }
    for (uint32_t v = 0; v < cas->variant_count; v++)
        for (uint32_t c = 0; c < cas->compare_count; c++)
            if (!same_buffer(cas, mode, v, &cas->buffers[cas->compare[c]], runs[HOST].runs[mode][v].bytes[c],
                             runs[GPU].runs[mode][v].bytes[c]))
                return DIFFERENT;
    return SAME;
}

static void check_case(Check *x, const char *path) {
    Arena arena = {0};
    Diagnostics diagnostics = {0};
    FpdCase *cas = fpd_load_case(&diagnostics, &arena, path);
    FpdProgram *program = cas ? fpd_load_program(&diagnostics, &arena, cas) : NULL;
    for (size_t m = 0; program && m < BASE_COUNT(modes); m++) {
        Outcome outcome = check_mode(x, &arena, cas, program, modes[m]);
        unsigned *count = outcome == SAME ? &x->same : outcome == REFUSED ? &x->refused : &x->failed;
        ++*count;
    }
    if (!program) x->failed++;
    diagnostics_print(&diagnostics);
    diagnostics_close(&diagnostics);
    fpd_program_close(program);
    arena_reset(&arena);
}

int main(int count, char **words) {
    Diagnostics diagnostics = {0};
    Check check = {.machines = {{.target = FPD_TARGET_host}, {.target = FPD_TARGET_simt}}};
    if (count < 3) return 2;
    if (strcmp(words[1], fpd_target_name(FPD_TARGET_cuda)))
        check.machines[GPU].gpu = words[1];
    else
        check.machines[GPU].target = FPD_TARGET_cuda;
    // One thread: blocks may overlap in what they store, the last then wins.
    bool open = fpd_machine_open(&diagnostics, 1, &check.machines[HOST]) &&
                fpd_machine_open(&diagnostics, 1, &check.machines[GPU]);
    if (!open && diagnostics.count && diagnostics.items[0].code == E_DEVICE) {
        printf("SKIPPED: %s\n", diagnostics.items[0].message);
        fpd_machine_close(&check.machines[HOST]);
        fpd_machine_close(&check.machines[GPU]);
        diagnostics_close(&diagnostics);
        return 77;
    }
    for (int i = 2; i < count && open; i++) check_case(&check, words[i]);
    diagnostics_print(&diagnostics);
    for (int target = 0; target < TARGETS; target++) fpd_machine_close(&check.machines[target]);
    diagnostics_close(&diagnostics);
    printf("%u runs are the same as on the host, %u are not, %u were refused\n", check.same, check.failed,
           check.refused);
    return check.failed || !check.same || !open;
}
