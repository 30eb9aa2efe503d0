// SPDX-License-Identifier: Apache-2.0
// Runs every variant of the given cases in all ways of a group that must give the same bits: case_ways GROUP
// CASE.yaml... (exit status 1 if one does not, 77 if there is no GPU for group cuda).
//
// host: the numbers of the numeric `shadow` are those of `ieee`, and the records beside them do not depend on the
// number of threads, even of blocks that race: all run as fpdiff has them. cpus: the payloads of profile triton-3.9 do
// not depend on the processor that the code is made for. simt: nor on whether code for GPUs is run, thread by thread;
// its numbers are those of the host within the tolerance of the case. dots: the same for cases with sums of products,
// whose order and rounding differ. cuda: on a GPU. modes: as host, in each math mode but ieee. threads: of PTX, numbers
// and payloads depend neither on the number of threads nor on the level, payloads not on the schedule. wide: the
// numbers of the numerics `wide` and `wider` are those of `ieee`. census: numbers and records are the same where the
// range census counts. rows: and where accesses through pointers go element by element. products: and on processors
// that multiply sums of products otherwise; functions would have other numbers there.
#include "diff/compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    IEEE,
    SHADOW_1,
    SHADOW_2,
    PAYLOAD,
    PAYLOAD_V3,
    PAYLOAD_V2,
    SIMT,
    SIMT_80,
    SIMT_IEEE,
    SIMT_IEEE_90,
    CUDA,
    CUDA_IEEE,
    ONE_JOB,
    ONE_JOB_IEEE,
    REVERSE,
    WIDE,
    WIDER,
    CENSUS,
    CENSUS_IEEE,
    ELEMENTS,
    ELEMENTS_IEEE,
    ELEMENTS_PAYLOAD,
    ELEMENTS_WIDE,
    SHADOW_V4,
    SHADOW_V3,
    WAYS
};
enum {
    GROUP_HOST = 1,
    GROUP_SIMT = 2,
    GROUP_DOTS = 4,
    GROUP_CUDA = 8,
    GROUP_CPUS = 16,
    GROUP_MODES = 32,
    GROUP_THREADS = 64,
    GROUP_WIDE = 128,
    GROUP_CENSUS = 256,
    GROUP_ROWS = 512,
    GROUP_PRODUCTS = 1024,
    GROUPS = 11,
    NO_GPU = 77
};
static const char *const group_names[GROUPS] = {"host",    "simt", "dots",   "cuda", "cpus",    "modes",
                                                "threads", "wide", "census", "rows", "products"};

typedef struct Way {
    const char *name;
    FpdMode mode;
    FpdFamily family;
    unsigned jobs;   // threads; 0: one per processor
    const char *cpu; // NULL: this machine's
    int same;        // the way that it is compared with: the numbers, and the records if both have some
    unsigned groups;
    FpdTarget target;
    const char *gpu; // of target simt
    FpdScheduleKind schedule;
    bool census;
    bool by_element; // CompileOptions.by_element
} Way;
static const Way ways[WAYS] = {
    [IEEE] = {"ieee", FPD_MODE_ieee, FPD_FAMILY_ring, 0, NULL, IEEE,
              GROUP_HOST | GROUP_SIMT | GROUP_DOTS | GROUP_CUDA | GROUP_MODES | GROUP_THREADS | GROUP_WIDE |
                  GROUP_CENSUS | GROUP_ROWS | GROUP_PRODUCTS,
              FPD_TARGET_host, NULL, FPD_SCHEDULE_FORWARD, false, false},
    [SHADOW_1] = {"shadow, one thread", FPD_MODE_fpsan, FPD_FAMILY_tower, 1, NULL, IEEE,
                  GROUP_HOST | GROUP_MODES | GROUP_CENSUS | GROUP_ROWS | GROUP_PRODUCTS, FPD_TARGET_host, NULL,
                  FPD_SCHEDULE_FORWARD, false, false},
    [SHADOW_2] = {"shadow, two threads", FPD_MODE_fpsan, FPD_FAMILY_tower, 2, NULL, SHADOW_1, GROUP_HOST,
                  FPD_TARGET_host, NULL, FPD_SCHEDULE_FORWARD, false, false},
    [PAYLOAD] = {"payload", FPD_MODE_fpsan, FPD_FAMILY_ring, 0, NULL, PAYLOAD,
                 GROUP_CPUS | GROUP_SIMT | GROUP_DOTS | GROUP_CUDA | GROUP_THREADS | GROUP_ROWS, FPD_TARGET_host, NULL,
                 FPD_SCHEDULE_FORWARD, false, false},
    [PAYLOAD_V3] = {"payload for x86-64-v3", FPD_MODE_fpsan, FPD_FAMILY_ring, 0, "x86-64-v3", PAYLOAD, GROUP_CPUS,
                    FPD_TARGET_host, NULL, FPD_SCHEDULE_FORWARD, false, false},
    [PAYLOAD_V2] = {"payload for x86-64-v2", FPD_MODE_fpsan, FPD_FAMILY_ring, 0, "x86-64-v2", PAYLOAD, GROUP_CPUS,
                    FPD_TARGET_host, NULL, FPD_SCHEDULE_FORWARD, false, false},
    [SIMT] = {"payload for sm_90", FPD_MODE_fpsan, FPD_FAMILY_ring, 0, NULL, PAYLOAD, GROUP_SIMT | GROUP_DOTS,
              FPD_TARGET_simt, "sm_90", FPD_SCHEDULE_FORWARD, false, false},
    [SIMT_80] = {"payload for sm_80", FPD_MODE_fpsan, FPD_FAMILY_ring, 0, NULL, PAYLOAD, GROUP_DOTS, FPD_TARGET_simt,
                 "sm_80", FPD_SCHEDULE_FORWARD, false, false},
    [SIMT_IEEE] = {"ieee for sm_80", FPD_MODE_ieee, FPD_FAMILY_ring, 0, NULL, IEEE, GROUP_SIMT | GROUP_DOTS,
                   FPD_TARGET_simt, "sm_80", FPD_SCHEDULE_FORWARD, false, false},
    [SIMT_IEEE_90] = {"ieee for sm_90", FPD_MODE_ieee, FPD_FAMILY_ring, 0, NULL, IEEE, GROUP_DOTS, FPD_TARGET_simt,
                      "sm_90", FPD_SCHEDULE_FORWARD, false, false},
    [CUDA] = {"payload on a GPU", FPD_MODE_fpsan, FPD_FAMILY_ring, 0, NULL, PAYLOAD, GROUP_CUDA, FPD_TARGET_cuda, NULL,
              FPD_SCHEDULE_FORWARD, false, false},
    [CUDA_IEEE] = {"ieee on a GPU", FPD_MODE_ieee, FPD_FAMILY_ring, 0, NULL, IEEE, GROUP_CUDA, FPD_TARGET_cuda, NULL,
                   FPD_SCHEDULE_FORWARD, false, false},
    [ONE_JOB] = {"payload, one thread", FPD_MODE_fpsan, FPD_FAMILY_ring, 1, NULL, PAYLOAD, GROUP_THREADS,
                 FPD_TARGET_host, NULL, FPD_SCHEDULE_FORWARD, false, false},
    [ONE_JOB_IEEE] = {"ieee, one thread", FPD_MODE_ieee, FPD_FAMILY_ring, 1, NULL, IEEE, GROUP_THREADS, FPD_TARGET_host,
                      NULL, FPD_SCHEDULE_FORWARD, false, false},
    [REVERSE] = {"payload in the reverse schedule", FPD_MODE_fpsan, FPD_FAMILY_ring, 0, NULL, PAYLOAD, GROUP_THREADS,
                 FPD_TARGET_host, NULL, FPD_SCHEDULE_REVERSE, false, false},
    [WIDE] = {"wide", FPD_MODE_wide, FPD_FAMILY_ring, 0, NULL, IEEE, GROUP_WIDE | GROUP_ROWS, FPD_TARGET_host, NULL,
              FPD_SCHEDULE_FORWARD, false, false},
    [WIDER] = {"wider", FPD_MODE_wider, FPD_FAMILY_ring, 0, NULL, IEEE, GROUP_WIDE, FPD_TARGET_host, NULL,
               FPD_SCHEDULE_FORWARD, false, false},
    [CENSUS] = {"shadow with a census", FPD_MODE_fpsan, FPD_FAMILY_tower, 2, NULL, SHADOW_1, GROUP_CENSUS,
                FPD_TARGET_host, NULL, FPD_SCHEDULE_FORWARD, true, false},
    [CENSUS_IEEE] = {"ieee with a census", FPD_MODE_ieee, FPD_FAMILY_ring, 0, NULL, IEEE, GROUP_CENSUS, FPD_TARGET_host,
                     NULL, FPD_SCHEDULE_FORWARD, true, false},
    [ELEMENTS] = {"shadow by elements", FPD_MODE_fpsan, FPD_FAMILY_tower, 2, NULL, SHADOW_1, GROUP_ROWS,
                  FPD_TARGET_host, NULL, FPD_SCHEDULE_FORWARD, true, true},
    [ELEMENTS_IEEE] = {"ieee by elements", FPD_MODE_ieee, FPD_FAMILY_ring, 0, NULL, IEEE, GROUP_ROWS, FPD_TARGET_host,
                       NULL, FPD_SCHEDULE_FORWARD, false, true},
    [ELEMENTS_PAYLOAD] = {"payload by elements", FPD_MODE_fpsan, FPD_FAMILY_ring, 0, NULL, PAYLOAD, GROUP_ROWS,
                          FPD_TARGET_host, NULL, FPD_SCHEDULE_FORWARD, false, true},
    [ELEMENTS_WIDE] = {"wide by elements", FPD_MODE_wide, FPD_FAMILY_ring, 0, NULL, WIDE, GROUP_ROWS, FPD_TARGET_host,
                       NULL, FPD_SCHEDULE_FORWARD, false, true},
    [SHADOW_V4] = {"shadow for x86-64-v4", FPD_MODE_fpsan, FPD_FAMILY_tower, 1, "x86-64-v4", SHADOW_1, GROUP_PRODUCTS,
                   FPD_TARGET_host, NULL, FPD_SCHEDULE_FORWARD, false, false},
    [SHADOW_V3] = {"shadow for x86-64-v3", FPD_MODE_fpsan, FPD_FAMILY_tower, 1, "x86-64-v3", SHADOW_1, GROUP_PRODUCTS,
                   FPD_TARGET_host, NULL, FPD_SCHEDULE_FORWARD, false, false},
};

typedef struct Check {
    Diagnostics *diagnostics;
    FpdMachine machines[WAYS]; // without a compiler: this processor cannot run that way
    const FpdCase *cas;
    FpdRuns runs[WAYS];
    int last;          // the way that ran last
    bool sums;         // cases may have sums of products
    const char *modes; // the math modes to run in, NULL: what the case says
} Check;

static const FpdRun *run_of(const Check *x, int way, uint32_t variant, uint32_t build) {
    return fpd_find_build_run(&x->runs[way], ways[way].mode, variant, build);
}

static bool complain(const Check *x, int way, uint32_t variant, const FpdBuffer *buffer, uint64_t element,
                     const char *what) {
    printf("%s: variant %s, %s[%llu]: %s differs from %s: %s\n", x->cas->path, x->cas->variants[variant].name,
           buffer->name, (unsigned long long)element, ways[way].name, ways[ways[way].same].name, what);
    return false;
}

// Of code for GPUs: sums are in another order, and functions are others. What numbers may differ by where the case has
// no tolerance of its own. On GPUs that have units for f8 their sums keep 13 bits or so (runtime/simt_mma.c).
static double rounding_errors(const FpdBuffer *buffer, const uint8_t *bytes, FpdTarget target) {
    enum { SUM_BITS = 11 };
    double largest = 0;
    for (uint64_t i = 0; i < buffer->elements; i++) {
        double number = fabs(fpd_element_value(buffer->type, fpd_element_bits(buffer->type, bytes, i)));
        if (isfinite(number) && number > largest) largest = number;
    }
    if (!element_is_float(buffer->type)) return 0;
    double rounding = ldexp(64, -(int)fpsan_format_info(element_format(buffer->type))->mantissa_bits);
    return largest * (target == FPD_TARGET_cuda ? fmax(rounding, ldexp(1, -SUM_BITS)) : rounding);
}

// Numbers of stores count notes of the kernel, too, of which other code may have others.
static bool same_record(int way, HostRecord a, HostRecord b) {
    if (ways[way].by_element) a.store = b.store = 0;
    return !memcmp(&a, &b, sizeof a);
}

static bool check_buffer(const Check *x, int way, uint32_t variant, uint32_t build, uint32_t c) {
    const FpdBuffer *buffer = &x->cas->buffers[x->cas->compare[c]];
    const FpdRun *run = run_of(x, way, variant, build), *other = run_of(x, ways[way].same, variant, build);
    double rtol = x->cas->tolerance.rtol, atol = x->cas->tolerance.atol;
    bool near = ways[way].target != FPD_TARGET_host && ways[way].mode == FPD_MODE_ieee;
    if (near && (x->sums || !x->cas->tolerance.given)) {
        double least = rounding_errors(buffer, other->bytes[c], ways[way].target);
        if (atol < least) atol = least;
    }
    for (uint64_t i = 0; i < buffer->elements; i++) {
        uint64_t found = fpd_element_bits(buffer->type, run->bytes[c], i),
                 wanted = fpd_element_bits(buffer->type, other->bytes[c], i);
        char what[80];
        snprintf(what, sizeof what, "0x%llx, not 0x%llx", (unsigned long long)found, (unsigned long long)wanted);
        if (found != wanted &&
            !(near && fpd_element_within(buffer->type, wanted, found, (FpdTolerance){true, rtol, atol})))
            return complain(x, way, variant, buffer, i, what);
    }
    bool records = run->records && other->records && run->records[c];
    for (uint64_t i = 0; records && i < buffer->elements; i++)
        if (!same_record(way, run->records[c][i], other->records[c][i]))
            return complain(x, way, variant, buffer, i, "the records");
    return true;
}

// How many elements of the compared buffers have records; no number is no test.
static uint64_t count_records(const Check *x) {
    uint64_t count = 0;
    for (uint32_t v = 0; v < x->cas->variant_count; v++)
        for (uint32_t c = 0; c < x->cas->compare_count; c++) {
            const HostRecord *records = run_of(x, SHADOW_1, v, 0)->records[c];
            for (uint64_t i = 0; records && i < x->cas->buffers[x->cas->compare[c]].elements; i++)
                count += records[i].state & HOST_RECORD_VALID ? 1 : 0;
        }
    return count;
}

// Modules stay compiled for the next way if only the number of threads is another.
static bool run_way(Check *x, Arena *arena, FpdCase *cas, FpdPrograms *programs, int way) {
    if (!x->machines[way].compiler) return true;
    const Way *last = &ways[x->last];
    if (ways[way].family != last->family || ways[way].census != last->census ||
        ways[way].by_element != last->by_element || ways[way].cpu != last->cpu || ways[way].gpu != last->gpu ||
        ways[way].target != last->target)
        fpd_close_compiled(&x->machines[x->last], programs);
    x->last = way;
    cas->family = ways[way].family;
    cas->mode_count = 1;
    cas->modes[0] = ways[way].mode;
    const FpdRunner runner = {x->diagnostics, arena, &x->machines[way], programs};
    x->runs[way] = fpd_plan_runs(arena, cas, FPD_ALL_MODES, FPD_ALL_VARIANTS);
    if (!fpd_run_case(&runner, true, &x->runs[way])) return false;
    for (uint32_t v = 0; v < cas->variant_count; v++)
        for (uint32_t c = 0; c < cas->compare_count; c++)
            for (uint32_t b = 0; b < fpd_run_builds(cas); b++)
                if (!check_buffer(x, way, v, b, c)) return false;
    return true;
}

static bool check_case(Check *x, const char *path, uint64_t *records) {
    Arena arena = {0};
    FpdCase *cas = fpd_load_case(x->diagnostics, &arena, path);
    if (cas && x->modes && !fpd_override_math(x->diagnostics, &arena, cas, x->modes)) cas = NULL;
    FpdPrograms *programs = cas ? fpd_load_programs(x->diagnostics, &arena, cas) : NULL;
    bool good = programs;
    x->cas = cas;
    x->last = IEEE;
    memset(x->runs, 0, sizeof x->runs);
    for (int way = 0; way < WAYS && good; way++) good = run_way(x, &arena, cas, programs, way);
    if (programs) fpd_close_compiled(&x->machines[x->last], programs);
    if (good && x->machines[SHADOW_1].compiler) *records += count_records(x);
    fpd_programs_close(programs);
    arena_reset(&arena);
    return good;
}

static bool runs_here(int way) {
#if defined(__x86_64__)
    return way == SHADOW_V4                        ? __builtin_cpu_supports("x86-64-v4")
           : way == PAYLOAD_V3 || way == SHADOW_V3 ? __builtin_cpu_supports("x86-64-v3")
           : way == PAYLOAD_V2                     ? __builtin_cpu_supports("x86-64-v2")
                                                   : true;
#else
    return !ways[way].cpu;
#endif
}

// Compiling takes most of the time. The reference is not the code that people run, which the other ways are held to.
static bool open_machine(Diagnostics *diagnostics, int way, FpdMachine *machine) {
    const bool full_level = ways[way].same != way && ways[way].target == FPD_TARGET_host && way != PAYLOAD_V2;
    if (!runs_here(way)) {
        printf("%s is left out: this processor is none\n", ways[way].name);
        return true;
    }
    *machine = (FpdMachine){.target = ways[way].target,
                            .gpu = ways[way].gpu,
                            .shadow = ways[way].family == FPD_FAMILY_tower,
                            .cpu = ways[way].cpu,
                            .schedule = ways[way].schedule,
                            .census = ways[way].census ? FPD_CENSUS_ALL : FPD_CENSUS_NONE,
                            .by_element = ways[way].by_element,
                            .optimize = full_level ? FPD_OPTIMIZE : 0,
                            .races = ways[way].target == FPD_TARGET_host,
                            .keep_compiled = true};
    return fpd_machine_open(diagnostics, ways[way].jobs, machine);
}

static unsigned group_of(const char *name) {
    for (int i = 0; i < GROUPS; i++)
        if (!strcmp(group_names[i], name)) return 1u << i;
    return 0;
}

int main(int count, char **words) {
    Diagnostics diagnostics = {0};
    Check check = {.diagnostics = &diagnostics};
    const unsigned group = count > 1 ? group_of(words[1]) : 0;
    check.sums = group & (GROUP_DOTS | GROUP_CUDA);
    check.modes = group & GROUP_MODES ? "strict,precise,fast" : NULL;
    bool open = group;
    int opened = 0, passed = 0, failed = 0;
    for (int way = 0; way < WAYS && open; way++)
        if (ways[way].groups & group) {
            open = open_machine(&diagnostics, way, &check.machines[way]);
            opened++;
        }
    bool no_gpu = !open && diagnostics.count && diagnostics.items[0].code == E_DEVICE;
    uint64_t records = 0;
    for (int i = 2; i < count && open; i++) {
        if (check_case(&check, words[i], &records))
            passed++;
        else
            failed++;
    }
    if (no_gpu)
        printf("SKIPPED: %s\n", diagnostics.items[0].message);
    else
        diagnostics_print(&diagnostics);
    bool broken = diagnostics.count;
    for (int way = 0; way < WAYS; way++) fpd_machine_close(&check.machines[way]);
    diagnostics_close(&diagnostics);
    if (no_gpu) return NO_GPU;
    printf("%d cases are the same in %d ways, %d are not; %llu records\n", passed, opened, failed,
           (unsigned long long)records);
    return failed || broken || !passed;
}
