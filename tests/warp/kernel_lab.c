// SPDX-License-Identifier: Apache-2.0
// One warp, and memory without checks.
#include "kernel_lab.h"

#include "compiler/ptx/ptx.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

// ---- programs

bool lab_open(Lab *lab, const char *text, CompileNumeric numeric) {
    *lab = (Lab){0};
    const CompileOptions options = {
        .numeric = numeric, .optimize = 1, .instrumentation = {numeric == COMPILE_PAYLOAD, fpsan_default_algebra()}};
    lab->program = ptx_front_end.read(&lab->diagnostics, "lab.ptx", (const uint8_t *)text, strlen(text));
    if (!lab->program) return false;
    lab->compiler = compiler_open(&lab->diagnostics);
    if (!lab->compiler) return false;
    lab->module = compiler_load(lab->compiler, &lab->diagnostics, lab->program, &options);
    return lab->module;
}

void lab_close(Lab *lab) {
    if (lab->module) compiled_module_close(lab->compiler, lab->module);
    compiler_close(lab->compiler);
    program_close(lab->program);
    arena_reset(&lab->diagnostics.arena);
}

const char *lab_problem(const Lab *lab) {
    static char text[512];
    const Diagnostic *first = lab->diagnostics.items;
    if (!lab->diagnostics.count) return "";
    snprintf(text, sizeof text, "line %u: %s", first->at.line, first->message);
    return text;
}

// ---- memory

static LabRun *run_of(WarpState *state) {
    return (LabRun *)(void *)((char *)state - offsetof(LabRun, state));
}

static uint8_t *place_of(LabRun *run, uint32_t lane, uint32_t space, uint64_t address) {
    if (space == WARP_GENERIC) {
        const uint32_t window = (uint32_t)(address >> WARP_WINDOW_SHIFT);
        if (!window) return (uint8_t *)address;
        return place_of(run, lane, window, address & ((UINT64_C(1) << WARP_WINDOW_SHIFT) - 1));
    }
    switch (space) {
    case WARP_SHARED: assert(address < sizeof run->shared); return run->shared + address;
    case WARP_LOCAL: assert(address < LAB_LOCAL); return run->local[lane] + address;
    case WARP_PARAMETER: return (uint8_t *)run->arguments + address;
    default: return (uint8_t *)address;
    }
}

static void copy_elements(WarpState *state, uint32_t mask, const WarpAccess *access, const uint64_t *addresses,
                          uint8_t *values, bool store) {
    LabRun *run = run_of(state);
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        uint8_t *place = place_of(run, lane, access->space, addresses[lane]);
        for (uint32_t e = 0; e < access->count; e++) {
            uint8_t *value = values + (32 * e + lane) * access->bytes, *there = place + e * access->bytes;
            memcpy(store ? there : value, store ? value : there, access->bytes);
        }
    }
}

static void load(WarpState *state, uint32_t mask, const WarpAccess *access, const uint64_t *addresses, void *values) {
    run_of(state)->relaxed_loads += !!(access->flags & WARP_RELAXED);
    copy_elements(state, mask, access, addresses, values, false);
}

static void store(WarpState *state, uint32_t mask, const WarpAccess *access, const uint64_t *addresses,
                  const void *values) {
    copy_elements(state, mask, access, addresses, (uint8_t *)(uintptr_t)values, true);
}

enum { ACCESS_BYTES = 16 * 8 };
static void take_elements(uint8_t *out, const void *values, const WarpAccess *access, uint32_t lane) {
    for (uint32_t e = 0; e < access->count; e++)
        memcpy(out + e * access->bytes, (const uint8_t *)values + (32 * e + lane) * access->bytes, access->bytes);
}

static void atomic(WarpState *state, uint32_t mask, const WarpAccess *access, WarpCombine *combine,
                   const uint64_t *addresses, const void *operands, const void *swap, void *old) {
    LabRun *run = run_of(state);
    const size_t bytes = (size_t)access->bytes * access->count;
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) {
        if (!(mask >> lane & 1)) continue;
        uint8_t before[ACCESS_BYTES], operand[ACCESS_BYTES], other[ACCESS_BYTES], *place;
        place = place_of(run, lane, access->space, addresses[lane]);
        memcpy(before, place, bytes);
        take_elements(operand, operands, access, lane);
        if (swap) take_elements(other, swap, access, lane);
        combine(before, operand, swap ? other : NULL, place);
        for (uint32_t e = 0; old && e < access->count; e++)
            memcpy((uint8_t *)old + (32 * e + lane) * access->bytes, before + e * access->bytes, access->bytes);
    }
}

// ---- operations and ends

_Noreturn static void leave(LabRun *run, LabEnd end) {
    run->end = end;
    longjmp(run->out, 1);
}

static uint32_t operate(WarpState *state, uint32_t mask, const WarpOperation *operation, WarpLanes *operands,
                        void *data) {
    LabRun *run = run_of(state);
    if (operation->kind != WARP_WARP_SYNC) {
        if (run->call_count == LAB_CALLS) leave(run, LAB_MANY_CALLS);
        LabCall *call = &run->calls[run->call_count++];
        call->mask = mask;
        call->operation = *operation;
        call->data = data;
        if (operands) memcpy(call->operands, operands, operation->operand_count * sizeof *operands);
    }
    return run->operate ? run->operate(run, mask, operation, operands, data) : mask;
}

enum { LAB_BUDGET = 1000, LAB_LOOPS = 1000 };
static void loop(WarpState *state, uint32_t place) {
    LabRun *run = run_of(state);
    run->trap_place = place;
    state->budget = LAB_BUDGET;
    if (++run->loops > (run->loops_max ? run->loops_max : LAB_LOOPS)) leave(run, LAB_ENDLESS);
}

static void yield(WarpState *state) {
    LabRun *run = run_of(state);
    if (++run->yields > LAB_LOOPS) leave(run, LAB_YIELDS);
}

static void stuck(WarpState *state, uint32_t waiting, const uint32_t *places) {
    LabRun *run = run_of(state);
    run->trap_lanes = waiting;
    run->trap_place = places[waiting ? __builtin_ctz(waiting) : 0];
    leave(run, LAB_STUCK);
}

static void end_lanes(WarpState *state, uint32_t mask) {
    state->alive &= ~mask;
}

static void enter(WarpState *state, void *frame, uint32_t bytes, uint32_t local) {
    (void)state, (void)local;
    memset(frame, 0, bytes);
}

static void trap(WarpState *state, uint32_t mask, uint32_t kind, uint32_t place) {
    LabRun *run = run_of(state);
    run->trap = (WarpTrap)kind;
    run->trap_lanes = mask;
    run->trap_place = place;
    leave(run, LAB_TRAP);
}

static const WarpOps lab_ops = {load, store, atomic, operate, loop, yield, stuck, end_lanes, enter, trap};

// ---- runs

static void open_state(LabRun *run) {
    enum { STACK = 2 << 20 };
    run->state = (WarpState){.ops = &lab_ops,
                             .parameters = (const uint8_t *)run->arguments,
                             .alive = run->lanes ? run->lanes : UINT32_MAX,
                             .budget = LAB_BUDGET,
                             .local_size = LAB_LOCAL,
                             .block = {3, 4, 5},
                             .blocks = {6, 7, 8},
                             .threads = {WARP_LANES, 1, 1},
                             .warps = 1,
                             .cluster_blocks = {1, 1, 1},
                             .clusters = {6, 7, 8},
                             .cluster_size = 1,
                             .total_shared = LAB_SHARED,
                             .stack_limit = (uintptr_t)__builtin_frame_address(0) - STACK};
    for (uint32_t lane = 0; lane < WARP_LANES; lane++) run->state.thread[0][lane] = lane;
}

static WarpEntry *find_kernel(const Lab *lab, const char *kernel) {
    for (uint32_t i = 0; i < lab->module->kernel_count; i++)
        if (!strcmp(lab->module->kernels[i].name, kernel)) return lab->module->kernels[i].warp;
    assert(!"a kernel of that name");
    return NULL;
}

static void run_entry(LabRun *run, WarpEntry *entry) {
    if (!setjmp(run->out)) entry(&run->state);
}

bool lab_run(const Lab *lab, const char *kernel, LabRun *run) {
    open_state(run);
    run->end = LAB_DONE;
    run->call_count = 0;
    run->yields = run->loops = 0;
    run_entry(run, find_kernel(lab, kernel));
    return run->end == LAB_DONE && !run->state.alive;
}

bool lab_run_words(const Lab *lab, const char *kernel, LabRun *run, LabWords in, LabWords out) {
    run->arguments[0] = (uintptr_t)in;
    run->arguments[1] = (uintptr_t)out;
    return lab_run(lab, kernel, run);
}

// ---- numbers

uint64_t lab_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
    return z ^ z >> 31;
}

uint64_t lab_number(uint64_t *state) {
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     7,
                                     8,
                                     15,
                                     16,
                                     31,
                                     32,
                                     33,
                                     63,
                                     64,
                                     65,
                                     127,
                                     128,
                                     255,
                                     256,
                                     32767,
                                     32768,
                                     65535,
                                     65536,
                                     INT32_MAX,
                                     UINT64_C(0x80000000),
                                     UINT32_MAX,
                                     UINT64_C(0x100000000),
                                     INT64_MAX,
                                     UINT64_C(0x8000000000000000),
                                     UINT64_MAX,
                                     UINT64_C(0x7fff8000ffff0001),
                                     UINT64_C(0x80008000ffffffff),
                                     UINT64_C(0xff80007f),
                                     UINT64_C(0x8000007f)};
    const uint64_t kind = lab_random(state) % 8, value = lab_random(state);
    if (kind < 3) return edges[value % (sizeof edges / sizeof *edges)];
    if (kind == 3) return value % 70;
    if (kind == 4) return 0 - value % 70;
    return value;
}
