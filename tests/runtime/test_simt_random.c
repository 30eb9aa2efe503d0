// SPDX-License-Identifier: Apache-2.0
// Races in random programs against their definition: two accesses to a byte, one of them a write and not both atomic,
// between which there is no chain of program order, barriers and warp operations.
#include "tests/runtime/simt_lab.h"

#include <criterion/criterion.h>

enum { THREADS = 64, STEPS = 10, PROGRAMS = 1500, EVERYBODY = THREADS, BARRIER = 100, WARP = 101 };

// An access of a thread, or an operation of everybody: `flags` is then BARRIER or WARP.
typedef struct Step {
    uint32_t thread, flags, offset, bytes, mask;
} Step;
static Step program[STEPS];

static uint32_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

// `parts`: warp operations are of parts of warps, too.
static void make_program(uint64_t seed, bool parts) {
    static const uint32_t threads[] = {0, 1, 2, 31, 32, 33, 63};
    static const uint32_t flags[] = {SIMT_READ, SIMT_READ, SIMT_WRITE, SIMT_READ | SIMT_ATOMIC,
                                     SIMT_READ | SIMT_WRITE | SIMT_ATOMIC};
    uint64_t state = seed * 2 + parts;
    next_random(&state);
    for (int i = 0; i < STEPS; i++) {
        Step *step = &program[i];
        *step = (Step){.thread = EVERYBODY, .mask = UINT32_MAX};
        switch (next_random(&state) % 8) {
        case 0:
        case 1:
            step->flags = WARP;
            // Lanes 0, 1, 2 and 31 matter.
            if (parts) step->mask = (next_random(&state) & 0x80000007) | 0x7FFFFFF0;
            break;
        case 2: step->flags = next_random(&state) % 3 ? WARP : BARRIER; break;
        default:
            step->thread = threads[next_random(&state) % BASE_COUNT(threads)];
            step->flags = flags[next_random(&state) % BASE_COUNT(flags)];
            step->bytes = 1u << next_random(&state) % 5;
            step->offset = next_random(&state) % (24 / step->bytes + 1) * step->bytes + next_random(&state) % 4 / 3;
        }
    }
}

static void run_program(const uint64_t *arguments) {
    (void)arguments;
    uint8_t *shared = lab_ops->shared();
    const uint32_t thread = lab_thread();
    for (int i = 0; i < STEPS; i++) {
        const Step *step = &program[i];
        if (step->flags == BARRIER)
            lab_ops->barrier(AT_BARRIER_A);
        else if (step->flags == WARP && step->mask >> thread % 32 & 1)
            lab_ops->warp_barrier(step->mask, AT_WARP);
        else if (step->thread == thread)
            lab_ops->access(shared + step->offset, step->bytes, step->flags, AT_LOAD_A);
    }
}

// Whether steps i and j conflict.
static bool conflict(const Step *a, const Step *b) {
    return a->thread != b->thread && (a->flags | b->flags) & SIMT_WRITE && !(a->flags & b->flags & SIMT_ATOMIC) &&
           a->offset < b->offset + b->bytes && b->offset < a->offset + a->bytes;
}

// clocks[t][s]: how many steps of thread s are ordered before what thread t does now.
static bool has_race(void) {
    uint32_t clocks[THREADS][THREADS] = {{0}}, own[STEPS] = {0};
    for (int i = 0; i < STEPS; i++) {
        const Step *step = &program[i];
        if (step->thread == EVERYBODY) {
            for (uint32_t first = 0; first < THREADS; first += step->flags == BARRIER ? THREADS : 32) {
                uint32_t all[THREADS] = {0};
                const uint32_t end = first + (step->flags == BARRIER ? THREADS : 32);
                for (uint32_t t = first; t < end; t++)
                    for (uint32_t s = 0; s < THREADS && step->mask >> t % 32 & 1; s++)
                        if (all[s] < clocks[t][s]) all[s] = clocks[t][s];
                for (uint32_t t = first; t < end; t++)
                    if (step->mask >> t % 32 & 1) memcpy(clocks[t], all, sizeof all);
            }
            continue;
        }
        for (int k = 0; k < i; k++)
            if (program[k].thread != EVERYBODY && conflict(&program[k], step) &&
                clocks[step->thread][program[k].thread] < own[k])
                return true;
        own[i] = ++clocks[step->thread][step->thread];
    }
    return false;
}

// Returns how many races were missed; reports of races that are not there fail.
static uint32_t compare(bool parts, uint32_t *races) {
    Lab lab = lab_open(1, run_program, THREADS, 64);
    uint32_t missed = 0;
    *races = 0;
    for (uint64_t seed = 1; seed <= PROGRAMS; seed++) {
        make_program(seed, parts);
        const bool race = has_race(), found = !lab_run(&lab, 0);
        *races += race;
        cr_expect(race || !found, "program %u: %s", (unsigned)seed, lab.text);
        cr_expect(!found || strstr(lab.text, "race: "), "%s", lab.text);
        missed += race && !found;
    }
    lab_close(&lab);
    return missed;
}

Test(simt_random, races_are_found_exactly, .timeout = 100) {
    uint32_t races;
    cr_expect_eq(compare(false, &races), 0);
    cr_expect(races > PROGRAMS / 4 && races < PROGRAMS * 9 / 10, "%u programs race", races);
}

// Where lanes of different times share a cell the emulator may miss one.
Test(simt_random, races_of_parts_of_warps_are_found_mostly, .timeout = 100) {
    uint32_t races;
    const uint32_t missed = compare(true, &races);
    cr_expect(missed <= races / 100, "%u of %u races missed", missed, races);
    cr_expect(races > PROGRAMS / 4 && races < PROGRAMS * 9 / 10, "%u programs race", races);
}
