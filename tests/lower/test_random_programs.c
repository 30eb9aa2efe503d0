// SPDX-License-Identifier: Apache-2.0
// Random kernels, compiled and interpreted by the reference on the same memory: every byte of every buffer must agree,
// and every record of a payload.
//
// CONGRUENT_PROGRAMS="FIRST COUNT" runs other seeds than the usual ones.
#include "runtime/runtime_internal.h"
#include "sanitizer/tower_internal.h"
#include "tests/lower/emulate.h"
#include "tests/lower/lab.h"
#include "tests/lower/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

// Slots are apart from each other and begin at any page, so that their records do too.
enum { SLOT = PROGRAM_BUFFER_ELEMENTS * 8 + 4096, MEMORY = 16 * SLOT, GUARD = 64 };
_Static_assert(PROGRAM_KINDS <= 16, "one slot for each");

typedef struct Trial {
    uint64_t seed;
    CompileNumeric numeric;
    FpsanCasts casts;
    unsigned chain; // of COMPILE_SHADOW: the tower
    bool deep;      // in deep towers
    unsigned optimize;
    const char *cpu; // NULL: this machine's
    const char *gpu; // NULL: for the processor; else run by the emulator
    int size;
} Trial;

typedef struct Stage { // memory that is used again
    Compiler *compiler;
    uint8_t *start, *initial, *result; // programs run in `start`
    RtDevice device;                   // records of what is in `start`
    RtBuffer buffers[PROGRAM_KINDS];
    unsigned skipped; // programs that GPUs do not give a result
} Stage;

// Whether dots for that machine multiply and add with one rounding.
static bool is_fused(const char *cpu) {
#if defined(__x86_64__)
    return cpu ? strcmp(cpu, "x86-64-v2") : __builtin_cpu_supports("fma");
#else
    (void)cpu;
    return true;
#endif
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static uint64_t buffer_address(const Stage *stage, unsigned index) {
    return (uint64_t)(uintptr_t)stage->start + index * (uint64_t)SLOT;
}

static size_t kind_bytes(unsigned k) {
    return tir_type_rows[program_kinds[k]].storage_bytes;
}

static void fill_buffers(Stage *stage, RandomProgram *p) {
    for (unsigned k = 0; k < PROGRAM_KINDS; k++) {
        size_t bytes = kind_bytes(k);
        for (unsigned i = 0; i < PROGRAM_BUFFER_ELEMENTS; i++) {
            bool control = i < p->control_count[k];
            uint64_t bits = control ? p->controls[k][i] : program_bits(p, program_kinds[k]);
            if (program_is_packed(program_kinds[k])) bits |= program_bits(p, program_kinds[k]) << 4; // two in a byte
            memcpy(stage->start + k * SLOT + i * bytes, &bits, bytes);
        }
        rt_shadow_clear(&stage->device.shadow, &stage->buffers[k]);
        stage->buffers[k] = (RtBuffer){.address = buffer_address(stage, k), .size = PROGRAM_BUFFER_ELEMENTS * bytes};
    }
}

static void describe(const Stage *stage, RandomProgram *p, HostRange *ranges, uint64_t *arguments) {
    for (unsigned k = 0; k < PROGRAM_KINDS; k++) {
        uint64_t begin = stage->buffers[k].address;
        ranges[k] = (HostRange){begin, begin + stage->buffers[k].size};
        arguments[k] = begin;
    }
    for (unsigned i = 0; i < PROGRAM_SCALARS; i++) {
        ranges[PROGRAM_KINDS + i] = (HostRange){0, 0};
        arguments[PROGRAM_KINDS + i] = program_bits(p, program_scalar_kinds[i]);
    }
}

// ---- payloads -------------------------------------------------------------------------------------------------------

// Which states there are in memory before the program runs: none, those that dots unite, all.
typedef enum States { STATES_PLAIN, STATES_UNITED, STATES_ALL, STATES_COUNT } States;

static uint32_t random_state(RandomProgram *p, const Tower *t, States states) {
    uint32_t state =
        (uint32_t)program_random(p) & (uint32_t)program_random(p) & tower_carried(t) & ~(uint32_t)TOWER_POISON;
    if (states == STATES_PLAIN || program_chance(p, 60)) return state;
    uint32_t missing = (uint32_t)(program_random(p) & program_random(p)) & tower_group_bits(t, TOWER_MISSING_SHIFT);
    state |= missing | ((uint32_t)(program_random(p) & program_random(p)) &
                        (tower_group_bits(t, TOWER_LOST_SHIFT) | tower_group_bits(t, TOWER_WEAK_SHIFT)));
    if (states == STATES_ALL && program_chance(p, 50))
        state |= (uint32_t)program_random(p) & (tower_group_bits(t, TOWER_SIGN_SHIFT) | TOWER_BASE_E);
    return tower_normal_state(t, state);
}

static TowerPayload random_payload(RandomProgram *p, const Tower *t, States states) {
    TowerPayload payload = t->zero;
    uint64_t roll = program_roll(p, 20);
    if (roll == 0 && states == STATES_ALL) return tower_special((TowerKind)(1 + program_roll(p, 3)));
    if (roll == 1) return t->zero;
    if (roll == 2) payload = program_chance(p, 50) ? t->log2e : t->ln2;
    if (roll > 2 && roll < 8) payload = tower_rational(t, (int64_t)program_roll(p, 9) - 4, 1);
    for (unsigned i = 0; roll >= 8 && i < t->length; i++)
        payload.component[i] = (uint32_t)program_roll(p, t->prime[i].p);
    payload.state = random_state(p, t, states);
    return payload;
}

static void give_records(Stage *stage, const Trial *trial, RandomProgram *p, ReferenceRecords *records) {
    States states = (States)program_roll(p, STATES_COUNT);
    for (unsigned k = 0; k < PROGRAM_KINDS; k++) stage->buffers[k].deep = trial->deep; // as the kernel's records are
    for (unsigned k = 0; k < PROGRAM_KINDS; k++)
        for (size_t i = 0;
             program_is_float(program_kinds[k]) && !program_is_packed(program_kinds[k]) && i < PROGRAM_BUFFER_ELEMENTS;
             i++) {
            if (program_chance(p, 40)) continue;
            TowerPayload payload = random_payload(p, tower_chain(trial->chain), states);
            HostRecord record = {.state = payload.state};
            size_t bytes = kind_bytes(k);
            memcpy(record.component, payload.component, sizeof payload.component);
            rt_put_record(&stage->device, &stage->buffers[k], i * bytes, (unsigned)bytes, &record);
            reference_put_record(records, stage->buffers[k].address + i * bytes, (unsigned)bytes, &payload);
        }
}

static void give_argument_records(const Trial *trial, RandomProgram *p, const uint64_t *arguments,
                                  HostRecord *records) {
    for (unsigned i = 0; i < PROGRAM_SCALARS; i++) {
        if (!program_is_float(program_scalar_kinds[i]) || program_chance(p, 40)) continue;
        TowerPayload payload = random_payload(p, tower_chain(trial->chain), STATES_PLAIN);
        uint64_t bits = arguments[PROGRAM_KINDS + i];
        HostRecord *record = &records[PROGRAM_KINDS + i];
        *record = (HostRecord){.state = payload.state | HOST_RECORD_VALID, .low = (uint32_t)bits};
        record->high = (uint32_t)(bits >> 32);
        memcpy(record->component, payload.component, sizeof payload.component);
    }
}

// ---- comparing ------------------------------------------------------------------------------------------------------

static void tell(Buffer *why, const Trial *trial, const RandomProgram *p, const char *what) {
    static const char *const numerics[] = {"ieee", "payload", "shadow"};
    buffer_print(why, "seed %llu, size %d, %s, casts %d, -O%u, %s: %s\n", (unsigned long long)trial->seed, trial->size,
                 numerics[trial->numeric], (int)trial->casts, trial->optimize,
                 trial->gpu   ? trial->gpu
                 : trial->cpu ? trial->cpu
                              : "this machine",
                 what);
    tir_print(p->module, true, why);
}

static const char *first_message(const Diagnostics *diagnostics) {
    return diagnostics->count ? diagnostics->items[0].message : "no message";
}

// What the buffers hold differs in kind k at element i (unless both are NaNs in a plane of real floats).
static bool is_same(const Trial *trial, const Stage *stage, unsigned k, unsigned i) {
    TirTypeKind kind = program_kinds[k];
    size_t bytes = kind_bytes(k), at = k * SLOT + i * bytes;
    if (!memcmp(stage->start + at, stage->result + at, bytes)) return true;
    if (!program_is_float(kind) || program_is_packed(kind) || trial->numeric == COMPILE_PAYLOAD) return false;
    FpsanFormat format;
    uint64_t a = 0, b = 0;
    program_format(kind, &format);
    memcpy(&a, stage->start + at, bytes);
    memcpy(&b, stage->result + at, bytes);
    double x = fpsan_decode(format, a), y = fpsan_decode(format, b);
    return x != x && y != y;
}

static bool compare(const Trial *trial, const Stage *stage, char *what, size_t size) {
    for (unsigned k = 0; k < PROGRAM_KINDS; k++)
        for (unsigned i = 0; i < PROGRAM_BUFFER_ELEMENTS; i++) {
            if (is_same(trial, stage, k, i)) continue;
            size_t bytes = kind_bytes(k);
            uint64_t a = 0, b = 0;
            memcpy(&a, stage->start + k * SLOT + i * bytes, bytes);
            memcpy(&b, stage->result + k * SLOT + i * bytes, bytes);
            snprintf(what, size, "buffer of %s, element %u is %llx, expected %llx",
                     tir_type_rows[program_kinds[k]].name, i, (unsigned long long)b, (unsigned long long)a);
            return false;
        }
    return true;
}

static const char *describe_payload(char *text, size_t size, const TowerPayload *payload) {
    int at = payload ? snprintf(text, size, "%x:", payload->state) : snprintf(text, size, "nothing");
    for (unsigned i = 0; payload && i < TOWER_LENGTH_MAX; i++)
        at += snprintf(text + at, size - (size_t)at, " %x", payload->component[i]);
    return text;
}

// The records there are now, while the kernel's results are in memory, are those the reference will make: all zero for
// a float that has none.
static void take_records(const Stage *stage, HostRecord *records) {
    for (unsigned k = 0; k < PROGRAM_KINDS; k++)
        for (size_t i = 0, bytes = kind_bytes(k); i < PROGRAM_BUFFER_ELEMENTS; i++)
            rt_get_record(&stage->device, &stage->buffers[k], i * bytes, (unsigned)bytes,
                          &records[k * PROGRAM_BUFFER_ELEMENTS + i]);
}

static bool compare_record(const KernelInfo *kernel, const HostRecord *found, const ReferenceRecord *expected,
                           char *what, size_t size) {
    TowerPayload payload = {.state = found->state & ~HOST_RECORD_VALID};
    memcpy(payload.component, found->component, sizeof payload.component);
    bool is_there = found->state & HOST_RECORD_VALID;
    if (is_there == !!expected && (!expected || lab_same_payload(payload, expected->payload))) {
        if (!expected || !expected->line) return true;
        if (found->store < kernel->store_count && kernel->stores[found->store].at.line == expected->line) return true;
        snprintf(what, size, "stored by store %u, expected is line %u", found->store, expected->line);
        return false;
    }
    char texts[2][80];
    snprintf(what, size, "the payload is %s, expected %s",
             describe_payload(texts[0], sizeof *texts, is_there ? &payload : NULL),
             describe_payload(texts[1], sizeof *texts, expected ? &expected->payload : NULL));
    return false;
}

static bool compare_records(const Stage *stage, const KernelInfo *kernel, const HostRecord *found,
                            const ReferenceRecords *records, char *what, size_t size) {
    for (unsigned k = 0; k < PROGRAM_KINDS; k++)
        for (size_t i = 0, bytes = kind_bytes(k); i < PROGRAM_BUFFER_ELEMENTS; i++) {
            char difference[200];
            const ReferenceRecord *expected =
                reference_record(records, stage->buffers[k].address + i * bytes, (unsigned)bytes);
            if (compare_record(kernel, &found[k * PROGRAM_BUFFER_ELEMENTS + i], expected, difference,
                               sizeof difference))
                continue;
            snprintf(what, size, "buffer of %s, element %zu: %s", tir_type_rows[program_kinds[k]].name, i, difference);
            return false;
        }
    return true;
}

// ---- running --------------------------------------------------------------------------------------------------------

// What rt_launch says to a kernel with shadow memory.
static void tell_widths(Stage *stage, const KernelInfo *kernel, HostLaunch *launch, uint32_t *widths) {
    for (unsigned k = 0; k < PROGRAM_KINDS; k++) {
        stage->buffers[k].widths |= kernel->stored_widths[k] | kernel->stored_widths_unknown;
        widths[k] = stage->buffers[k].widths;
        launch->all_widths |= widths[k];
    }
    launch->argument_widths = widths;
    launch->shadow = &stage->device.shadow.abi;
}

typedef struct Verdict {
    bool overrun, good;
    int64_t site;
    Buffer complaint; // of the emulator
    const char *problem;
    char what[400];
} Verdict;

// The site at which it stopped, 0 if it did not.
static int64_t run_compiled(const KernelInfo *kernel, const HostLaunch *launch, const uint32_t *block, Verdict *v) {
    HostFault fault = {0};
    v->overrun = false;
    if (kernel->simt) return emulate_block(kernel, launch, block, &fault, &v->complaint);
    size_t size = (kernel->scratch_bytes + 63) / 64 * 64;
    uint8_t *scratch = aligned_alloc(64, size + GUARD);
    memset(scratch, 0xA5, size + GUARD); // what a kernel does not write itself is not zero
    uint32_t site = kernel->entry(launch, scratch, block[0], block[1], block[2], &fault);
    for (size_t i = 0; i < GUARD; i++) v->overrun |= scratch[size + i] != 0xA5;
    free(scratch);
    return site;
}

static void judge(const Trial *trial, const Stage *stage, const KernelInfo *kernel, const HostRecord *found,
                  const ReferenceRecords *records, Verdict *v) {
    v->good = false;
    if (v->overrun)
        snprintf(v->what, sizeof v->what, "writes past its scratch");
    else if (v->site == EMULATE_SAME_ELEMENT)
        v->good = true; // the reference has an order
    else if (v->complaint.size)
        snprintf(v->what, sizeof v->what, "%s", v->complaint.data);
    else if (v->problem && !v->site)
        snprintf(v->what, sizeof v->what, "the reference: %s", v->problem);
    else if (v->site && !v->problem)
        snprintf(v->what, sizeof v->what, "stops at line %u, %s", kernel->sites[v->site - 1].at.line,
                 kernel->sites[v->site - 1].op);
    else
        v->good = v->problem || (compare(trial, stage, v->what, sizeof v->what) &&
                                 (trial->numeric != COMPILE_SHADOW ||
                                  compare_records(stage, kernel, found, records, v->what, sizeof v->what)));
}

static bool run_both(Stage *stage, const Trial *trial, RandomProgram *p, const CompiledModule *module, Buffer *why) {
    const KernelInfo *kernel = &module->kernels[0];
    HostRange ranges[PROGRAM_PARAMETERS];
    uint64_t arguments[PROGRAM_PARAMETERS];
    uint32_t widths[PROGRAM_PARAMETERS] = {0};
    HostRecord argument_records[PROGRAM_PARAMETERS] = {{0}};
    ReferenceRecords records = {0};
    Verdict verdict;
    Arena arena = {0};
    fill_buffers(stage, p);
    describe(stage, p, ranges, arguments);
    memcpy(stage->initial, stage->start, MEMORY);
    HostLaunch launch = {.arguments = arguments,
                         .argument_ranges = ranges,
                         .buffers = ranges, // begin in order
                         .buffer_count = PROGRAM_KINDS,
                         .argument_records = argument_records,
                         .grid = {3, 2, 2}};
    if (trial->numeric == COMPILE_SHADOW) {
        give_records(stage, trial, p, &records);
        give_argument_records(trial, p, arguments, argument_records);
        tell_widths(stage, kernel, &launch, widths);
    }
    Reference reference = {.module = p->module,
                           .numeric = trial->numeric,
                           .fused = is_fused(trial->cpu),
                           .algebra = fpsan_default_algebra(),
                           .chain = trial->chain,
                           .arguments = arguments,
                           .argument_records = argument_records,
                           .records = &records,
                           .buffers = ranges,
                           .buffer_count = PROGRAM_KINDS,
                           .block = {2, 0, 1},
                           .grid = {3, 2, 2},
                           .arena = &arena};
    reference.algebra.casts = trial->casts;
    verdict.complaint = (Buffer){0};
    verdict.site = run_compiled(kernel, &launch, reference.block, &verdict);
    HostRecord *found = arena_array(&arena, HostRecord, PROGRAM_KINDS * PROGRAM_BUFFER_ELEMENTS);
    take_records(stage, found);
    memcpy(stage->result, stage->start, MEMORY);
    memcpy(stage->start, stage->initial, MEMORY);
    stage->skipped += verdict.site == EMULATE_SAME_ELEMENT;
    verdict.problem = reference_run(&reference);
    judge(trial, stage, kernel, found, &records, &verdict);
    arena_reset(&arena);
    reference_records_close(&records);
    buffer_free(&verdict.complaint);
    if (!verdict.good) tell(why, trial, p, verdict.what);
    return verdict.good;
}

static bool run_trial(Stage *stage, const Trial *trial, Buffer *why) {
    RandomProgram program;
    Diagnostics diagnostics = {0};
    CompileOptions options = {.numeric = trial->numeric,
                              .chain = trial->chain,
                              .cpu = trial->cpu,
                              .optimize = trial->optimize,
                              .gpu = trial->gpu,
                              .simt = trial->gpu,
                              // It changes nothing: every second program has one.
                              .census = !trial->gpu && trial->numeric != COMPILE_PAYLOAD && trial->seed % 2};
    options.instrumentation.enabled = trial->numeric == COMPILE_PAYLOAD;
    options.instrumentation.algebra = fpsan_default_algebra();
    options.instrumentation.algebra.casts = trial->casts;
    random_program_open(&program, trial->seed, trial->numeric, trial->size);
    CompiledModule *compiled = NULL;
    if (tir_verify(&diagnostics, program.module))
        compiled = compiler_load(stage->compiler, &diagnostics, tir_program(program.module), &options);
    bool good = compiled && run_both(stage, trial, &program, compiled, why);
    if (!compiled) tell(why, trial, &program, first_message(&diagnostics));
    compiled_module_close(stage->compiler, compiled);
    diagnostics_close(&diagnostics);
    random_program_close(&program);
    return good;
}

// ---- tests ----------------------------------------------------------------------------------------------------------

static Stage open_stage(void) {
    Diagnostics diagnostics = {0};
    Stage stage = {.compiler = compiler_open(&diagnostics)};
    cr_assert(stage.compiler, "%s", first_message(&diagnostics));
    stage.start = mmap(NULL, 3 * MEMORY, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(stage.start != MAP_FAILED);
    cr_assert(rt_shadow_open(&stage.device.shadow, stage.start, MEMORY, (size_t)sysconf(_SC_PAGESIZE)));
    stage.initial = stage.start + MEMORY;
    stage.result = stage.initial + MEMORY;
    return stage;
}

static void close_stage(Stage *stage) {
    compiler_close(stage->compiler);
    rt_shadow_close(&stage->device.shadow);
    munmap(stage->start, 3 * MEMORY);
}

static void run_seeds(Trial trial, uint64_t first, uint64_t count) {
    const char *asked = getenv("CONGRUENT_PROGRAMS");
    unsigned long long from, number;
    if (asked && sscanf(asked, "%llu %llu", &from, &number) == 2) first = from, count = number;
    Stage stage = open_stage();
    Buffer why = {0};
    unsigned bad = 0;
    for (uint64_t i = 0; i < count && bad < 3; i++) {
        trial.seed = first + i;
        trial.size = 3 + (int)(trial.seed % 4) * 4;
        trial.casts = trial.seed % 3 ? FPSAN_CASTS_MIX : FPSAN_CASTS_HOMOMORPHIC;
        trial.chain = (unsigned)(trial.seed % 7 % TOWER_CHAINS);
        if (trial.deep) trial.chain = TOWER_DEEP + (unsigned)trial.seed % TOWER_DEEP_CHAINS;
        bad += !run_trial(&stage, &trial, &why);
    }
    close_stage(&stage);
    if (!asked) cr_expect_lt(stage.skipped, (count + 1) / 2);
    cr_assert(!bad, "%s", why.data);
    buffer_free(&why);
}

Test(random_programs, payload) {
    run_seeds((Trial){.numeric = COMPILE_PAYLOAD, .optimize = 1}, 1, 10);
}

Test(random_programs, payload_unoptimised) {
    run_seeds((Trial){.numeric = COMPILE_PAYLOAD, .optimize = 0}, 1001, 25);
}

Test(random_programs, ieee) {
    run_seeds((Trial){.numeric = COMPILE_IEEE, .optimize = 1}, 2001, 7);
}

Test(random_programs, shadow) {
    run_seeds((Trial){.numeric = COMPILE_SHADOW, .optimize = 0}, 3001, 8);
}

Test(random_programs, deep_shadow) {
    run_seeds((Trial){.numeric = COMPILE_SHADOW, .deep = true, .optimize = 0}, 11001, 8);
}

Test(random_programs, deep_shadow_optimised) {
    run_seeds((Trial){.numeric = COMPILE_SHADOW, .deep = true, .optimize = 1}, 11009, 20);
}

// The seeds that follow those above.
Test(random_programs, more_of_all) {
    run_seeds((Trial){.numeric = COMPILE_PAYLOAD, .optimize = 1}, 11, 50);
    run_seeds((Trial){.numeric = COMPILE_PAYLOAD, .optimize = 0}, 1026, 125);
    run_seeds((Trial){.numeric = COMPILE_IEEE, .optimize = 1}, 2008, 33);
    run_seeds((Trial){.numeric = COMPILE_SHADOW, .optimize = 0}, 3009, 42);
}

Test(random_programs, shadow_optimised) {
    run_seeds((Trial){.numeric = COMPILE_SHADOW, .optimize = 1}, 8001, 20);
}

#if defined(__x86_64__)
Test(random_programs, plain_x86) {
    run_seeds((Trial){.numeric = COMPILE_PAYLOAD, .optimize = 3, .cpu = "x86-64-v2"}, 4001, 15);
    run_seeds((Trial){.numeric = COMPILE_IEEE, .optimize = 1, .cpu = "x86-64-v2"}, 5001, 15);
}

Test(random_programs, avx2) {
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) cr_skip_test("this machine has no AVX2");
    run_seeds((Trial){.numeric = COMPILE_PAYLOAD, .optimize = 1, .cpu = "x86-64-v3"}, 6001, 15);
    run_seeds((Trial){.numeric = COMPILE_IEEE, .optimize = 3, .cpu = "x86-64-v3"}, 7001, 15);
}
#endif

// Payloads alone: IEEE sums have another order. Programs whose stores meet themselves are left out where the emulator
// says so; of relaxed ones, whose order is free on GPUs too, it does not: none of these seeds has such a program.
Test(random_programs, gpu) {
    run_seeds((Trial){.numeric = COMPILE_PAYLOAD, .optimize = 1, .gpu = "sm_90"}, 9001, 15);
}

Test(random_programs, gpu_more) {
    run_seeds((Trial){.numeric = COMPILE_PAYLOAD, .optimize = 1, .gpu = "sm_90"}, 9016, 25);
}

Test(random_programs, gpu_unoptimised) {
    run_seeds((Trial){.numeric = COMPILE_PAYLOAD, .optimize = 0, .gpu = "sm_80"}, 11001, 60);
}
