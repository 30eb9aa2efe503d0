// SPDX-License-Identifier: Apache-2.0
// Launches whose blocks wait for each other, looked at for races over and over, as a program of its own: Criterion does
// not run under ThreadSanitizer, this does. What is found has to be the same every time. Exit status 0 is good.
#include "runtime/races.h"

#include <stdio.h>
#include <string.h>

enum { ROUNDS = 20, BLOCKS = 80, FLAGS = 256, BYTES = 4096, FAULTY = 7 };
enum { LOAD, STORE, RELEASE, RELAXED, ACQUIRE, OPS };
static const KernelAccess ops[OPS] = {
    [LOAD] = {.op = "load", .kind = HOST_ACCESS_READS},
    [STORE] = {.op = "store", .kind = HOST_ACCESS_WRITES},
    [RELEASE] = {.op = "release",
                 .kind = HOST_ACCESS_READS | HOST_ACCESS_WRITES | HOST_ACCESS_ATOMIC | HOST_ACCESS_RELEASES},
    [RELAXED] = {.op = "relaxed", .kind = HOST_ACCESS_READS | HOST_ACCESS_WRITES | HOST_ACCESS_ATOMIC},
    [ACQUIRE] = {.op = "acquire",
                 .kind = HOST_ACCESS_READS | HOST_ACCESS_ATOMIC | HOST_ACCESS_ACQUIRES | HOST_ACCESS_LOOKS},
};

static uint32_t *cell(const HostLaunch *launch, uint32_t index) {
    return (uint32_t *)(uintptr_t)launch->arguments[0] + index;
}

static void say(const HostLaunch *launch, void *scratch, uint32_t op, uint32_t index) {
    HostAccess access = {.first = 2 * (uint64_t)(uintptr_t)cell(launch, index), .op = op, .size = 8};
    bool stores = ops[op].kind & HOST_ACCESS_WRITES;
    if (stores ? launch->races->stores : launch->races->reads[0]) launch->races->access(launch, scratch, &access);
}

static uint32_t mix(uint32_t a, uint32_t b) {
    uint64_t product = (a + UINT64_C(1)) * UINT64_C(6364136223846793005) + b * UINT64_C(1442695040888963407);
    return (uint32_t)(product >> 33);
}

// The block waits for up to three of those behind it, adds up what they stored, stores it and raises its flag: with a
// release, but for every seventh, whose readers race. With argument 2, one block fails and nobody waits for ever.
static uint32_t wait_and_add(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                             HostFault *fault) {
    (void)y, (void)z, (void)fault;
    const uint32_t seed = (uint32_t)launch->arguments[1], blocks = launch->grid[0];
    uint32_t sum = x;
    for (uint32_t i = 0; i < 3 && x + 1 < blocks; i++) {
        const uint32_t other = x + 1 + mix(seed + i, x) % (blocks - x - 1);
        for (;;) {
            say(launch, scratch, ACQUIRE, FLAGS + other);
            if (__atomic_load_n(cell(launch, FLAGS + other), __ATOMIC_ACQUIRE)) break;
            if (launch->wait(launch)) return 0;
        }
        say(launch, scratch, LOAD, other);
        sum += __atomic_load_n(cell(launch, other), __ATOMIC_RELAXED);
    }
    if (launch->arguments[2] && x == seed % blocks) return 1;
    say(launch, scratch, STORE, x);
    __atomic_store_n(cell(launch, x), sum, __ATOMIC_RELAXED);
    say(launch, scratch, x % FAULTY ? RELEASE : RELAXED, FLAGS + x);
    __atomic_fetch_add(cell(launch, FLAGS + x), 1, __ATOMIC_ACQ_REL);
    return 0;
}

// What stands in the cells in the end, and for how many elements blocks race: those that are read of every seventh.
static uint32_t expect(uint32_t seed, uint32_t *cells) {
    bool read[BLOCKS] = {0};
    uint32_t racing = 0;
    for (uint32_t x = BLOCKS; x-- > 0;) {
        cells[x] = x;
        for (uint32_t i = 0; i < 3 && x + 1 < BLOCKS; i++) {
            const uint32_t other = x + 1 + mix(seed + i, x) % (BLOCKS - x - 1);
            cells[x] += cells[other];
            read[other] = true;
        }
    }
    for (uint32_t x = 0; x < BLOCKS; x += FAULTY) racing += read[x];
    return racing;
}

static int fail(const char *what, unsigned jobs, uint32_t seed) {
    fprintf(stderr, "races_stress: %s with %u threads, seed %u\n", what, jobs, seed);
    return 1;
}

static int stress_jobs(unsigned jobs) {
    static const KernelSite site = {.kind = HOST_SITE_ASSERT, .op = "assert", .message = "stress"};
    static const uint8_t zeros[BYTES];
    static uint32_t cells[BLOCKS], found[BLOCKS];
    Diagnostics diagnostics = {0};
    RtDevice *device = rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = jobs, .address_range = (size_t)1 << 28});
    if (!device) return fail("cannot open", jobs, 0);
    RtBuffer *buffer = rt_alloc(device, &diagnostics, BYTES);
    for (uint32_t seed = 1; seed <= ROUNDS; seed++) {
        const bool fails = seed % 5 == 0;
        RtRaces races = {.search = seed % 2 ? RT_RACES_JUDGE : RT_RACES_LOOK};
        KernelInfo kernel = {.name = "kernel",
                             .entry = wait_and_add,
                             .parameter_count = 3,
                             .site_count = 1,
                             .sites = &site,
                             .access_count = OPS,
                             .accesses = ops,
                             .stores_through = (const uint8_t[]){1, 0, 0},
                             .looks = true,
                             .waits = true};
        RtArgument arguments[] = {{buffer->address, buffer}, {seed, NULL}, {fails, NULL}};
        if (!rt_copy_in(device, &diagnostics, buffer, 0, zeros, BYTES)) return fail("cannot copy", jobs, seed);
        bool good = rt_launch(
            device, &diagnostics,
            &(RtLaunch){
                .label = "stress", .kernel = &kernel, .grid = {BLOCKS, 1, 1}, .arguments = arguments, .races = &races});
        if (good == fails) return fail("a launch did not end as it should", jobs, seed);
        if (fails) continue;
        const uint32_t racing = expect(seed, cells);
        rt_copy_out(device, &diagnostics, buffer, 0, found, sizeof found);
        if (memcmp(cells, found, sizeof cells)) return fail("a block did not see what it waited for", jobs, seed);
        uint64_t changing = 0;
        for (uint32_t i = 0; i < races.count; i++) changing += races.races[i].changing + races.races[i].equal;
        if (races.search == RT_RACES_LOOK ? !races.suspicious : changing != 8 * (uint64_t)racing)
            return fail("other races than there are", jobs, seed);
    }
    rt_close(device);
    diagnostics_close(&diagnostics);
    return 0;
}

int main(void) {
    int status = 0;
    for (unsigned jobs = 1; jobs <= 4; jobs += 3) status |= stress_jobs(jobs);
    return status;
}
