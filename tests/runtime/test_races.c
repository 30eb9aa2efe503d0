// SPDX-License-Identifier: Apache-2.0
// Races between blocks: boxes and clocks against plain arrays, and launches of kernels written here, which tell what
// they access as compiled ones do.
#include "runtime/races.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

// ---- boxes ----------------------------------------------------------------------------------------------------------

enum { PLACES = 4096 };

static RaceBox random_box(uint64_t *state) {
    RaceBox box = {.first = next_random(state) % 400, .run = 1 + next_random(state) % 12, .counts = {1, 1}};
    for (int d = 0; d < 2; d++) {
        box.counts[d] = 1 + next_random(state) % 5;
        if (box.counts[d] > 1) box.strides[d] = 1 + next_random(state) % (d ? 200 : 40);
    }
    box.block = next_random(state) % 4;
    box.kind = next_random(state) % 8;
    return box;
}

static void mark(const RaceBox *box, uint8_t *marks) {
    memset(marks, 0, PLACES);
    for (uint64_t y = 0; y < box->counts[1]; y++)
        for (uint64_t x = 0; x < box->counts[0]; x++)
            memset(marks + box->first + y * box->strides[1] + x * box->strides[0], 1, box->run);
}

static bool marks_meet(const RaceBox *a, const RaceBox *b) {
    static uint8_t left[PLACES], right[PLACES];
    bool meet = false;
    mark(a, left);
    mark(b, right);
    for (int i = 0; i < PLACES; i++) meet |= left[i] && right[i];
    return meet;
}

Test(races, boxes_meet_where_their_bytes_do) {
    uint64_t state = 1, met = 0;
    for (int i = 0; i < 20000; i++) {
        RaceBox a = random_box(&state), b = random_box(&state);
        bool expected = marks_meet(&a, &b);
        met += expected;
        cr_assert_eq(race_boxes_meet(&a, &b), expected, "pair %d", i);
    }
    cr_assert(met > 2000 && met < 18000);
}

static bool may_race(const RaceBox *a, const RaceBox *b) {
    return a->block != b->block && ((a->kind | b->kind) & HOST_ACCESS_WRITES) &&
           !(a->kind & b->kind & HOST_ACCESS_ATOMIC);
}

Test(races, sweep_agrees_with_all_pairs) {
    uint64_t state = 2, races = 0;
    for (int round = 0; round < 3000; round++) {
        RaceBox boxes[12], kept[12];
        size_t count = 2 + next_random(&state) % 11;
        const uint64_t stride = next_random(&state) % 2 ? 64 : 0; // all with one stride, or any
        bool expected = false;
        for (size_t i = 0; i < count; i++) {
            boxes[i] = random_box(&state);
            if (stride && boxes[i].counts[0] > 1) boxes[i].strides[0] = stride;
            boxes[i].first += 2 * 1000;
        }
        for (size_t i = 0; i < count; i++)
            for (size_t k = 0; k < i; k++) {
                RaceBox a = boxes[i], b = boxes[k];
                a.first -= 2000, b.first -= 2000;
                expected |= may_race(&a, &b) && marks_meet(&a, &b);
            }
        memcpy(kept, boxes, sizeof boxes);
        HostRange buffer = {1000, 1000 + PLACES};
        races += expected;
        cr_assert_eq(race_sweep(kept, count, &buffer, 1), expected, "round %d", round);
    }
    cr_assert(races > 300 && races < 2900);
}

// The tiles of a matrix, one a block, the last ones clipped; `pitch` elements from row to row of the memory.
static bool sweep_matrix(uint64_t rows, uint64_t columns, uint64_t tile, uint64_t pitch) {
    const size_t count = ((rows + tile - 1) / tile) * ((columns + tile - 1) / tile);
    RaceBox *boxes = calloc(count, sizeof *boxes);
    size_t n = 0;
    for (uint64_t y = 0; y < rows; y += tile)
        for (uint64_t x = 0; x < columns; x += tile, n++)
            boxes[n] = (RaceBox){.first = 8 * (y * pitch + x),
                                 .run = 8 * (columns - x < tile ? columns - x : tile),
                                 .counts = {rows - y < tile ? rows - y : tile, 1},
                                 .strides = {8 * pitch, 0},
                                 .block = n,
                                 .kind = HOST_ACCESS_WRITES};
    HostRange buffer = {0, 4 * rows * pitch};
    bool found = race_sweep(boxes, count, &buffer, 1);
    free(boxes);
    return found;
}

Test(races, tiles_of_a_matrix) {
    cr_assert_not(sweep_matrix(1000, 1000, 32, 1000));
    cr_assert_not(sweep_matrix(4096, 4096, 16, 4096)); // 65536 boxes
    cr_assert(sweep_matrix(1000, 1000, 32, 999));      // rows overlap by an element
}

Test(races, accesses_are_cut_into_boxes) {
    uint64_t state = 3;
    static uint8_t expected[PLACES], found[PLACES], one[PLACES];
    for (int round = 0; round < 5000; round++) {
        HostAccess access = {.size = 1 + (int64_t)(next_random(&state) % 8), .rank = next_random(&state) % 5};
        int64_t first = 0, reach = 0;
        for (uint32_t d = 0; d < access.rank; d++) {
            int64_t count = (int64_t)(next_random(&state) % 5), stride = (int64_t)(next_random(&state) % 81) - 40;
            access.dimensions[d].count = count;
            access.dimensions[d].stride = stride;
            if (count > 0 && stride < 0) first -= (count - 1) * stride;
            reach += count * llabs(stride);
        }
        access.first = (uint64_t)first;
        cr_assert(first + reach + 8 < PLACES);
        memset(expected, 0, PLACES);
        int64_t at[5] = {0};
        bool any = true;
        for (uint32_t d = 0; d < access.rank; d++) any &= access.dimensions[d].count > 0;
        while (any) {
            int64_t place = first;
            for (uint32_t d = 0; d < access.rank; d++) place += at[d] * access.dimensions[d].stride;
            memset(expected + place, 1, (size_t)access.size);
            uint32_t d = 0;
            while (d < access.rank && ++at[d] == access.dimensions[d].count) at[d++] = 0;
            any = d < access.rank;
        }
        memset(found, 0, PLACES);
        RaceCutter cutter = {0};
        RaceBox box;
        while (race_next_box(&cutter, &access, &box)) {
            mark(&box, one);
            for (int i = 0; i < PLACES; i++) found[i] |= one[i];
        }
        cr_assert(!memcmp(expected, found, PLACES), "round %d", round);
    }
}

// ---- clocks ---------------------------------------------------------------------------------------------------------

Test(races, clocks_are_maps) {
    enum { BLOCKS = 5000, MAPS = 40 };
    static uint32_t plain[MAPS][BLOCKS];
    uint32_t maps[MAPS] = {0};
    uint64_t state = 4;
    RaceClocks clocks;
    race_clocks_open(&clocks, BLOCKS);
    for (int round = 0; round < 4000; round++) {
        size_t to = next_random(&state) % MAPS, a = next_random(&state) % MAPS, b = next_random(&state) % MAPS;
        if (next_random(&state) % 2) {
            uint64_t block = next_random(&state) % BLOCKS;
            uint32_t value = (uint32_t)next_random(&state) % 1000;
            maps[to] = race_clock_set(&clocks, maps[a], block, value);
            memmove(plain[to], plain[a], sizeof plain[a]);
            plain[to][block] = value;
        } else {
            maps[to] = race_clock_join(&clocks, maps[a], maps[b]);
            for (int i = 0; i < BLOCKS; i++) plain[to][i] = plain[a][i] > plain[b][i] ? plain[a][i] : plain[b][i];
        }
    }
    for (int m = 0; m < MAPS; m++)
        for (uint64_t i = 0; i < BLOCKS; i++) cr_assert_eq(race_clock_get(&clocks, maps[m], i), plain[m][i]);
    race_clocks_close(&clocks);
}

// ---- launches -------------------------------------------------------------------------------------------------------

enum { LOAD, STORE, RELEASE, ACQUIRE, RELAXED, OPS };
static const KernelAccess ops[OPS] = {
    [LOAD] = {.op = "load", .kind = HOST_ACCESS_READS},
    [STORE] = {.op = "store", .kind = HOST_ACCESS_WRITES},
    [RELEASE] = {.op = "release",
                 .kind = HOST_ACCESS_READS | HOST_ACCESS_WRITES | HOST_ACCESS_ATOMIC | HOST_ACCESS_RELEASES},
    [ACQUIRE] = {.op = "acquire",
                 .kind = HOST_ACCESS_READS | HOST_ACCESS_ATOMIC | HOST_ACCESS_ACQUIRES | HOST_ACCESS_LOOKS},
    [RELAXED] = {.op = "relaxed", .kind = HOST_ACCESS_READS | HOST_ACCESS_WRITES | HOST_ACCESS_ATOMIC},
};

static uint32_t *element(const HostLaunch *launch, uint32_t index) {
    return (uint32_t *)(uintptr_t)launch->arguments[0] + index;
}

static void tell(const HostLaunch *launch, void *scratch, uint32_t op, uint32_t index) {
    HostAccess access = {.first = 2 * (uint64_t)(uintptr_t)element(launch, index), .op = op, .size = 8};
    bool stores = ops[op].kind & HOST_ACCESS_WRITES;
    if (stores ? launch->races->stores : launch->races->reads[0]) launch->races->access(launch, scratch, &access);
}

static void put(const HostLaunch *launch, void *scratch, uint32_t index, uint32_t value) {
    tell(launch, scratch, STORE, index);
    __atomic_store_n(element(launch, index), value, __ATOMIC_RELAXED);
}

static uint32_t get(const HostLaunch *launch, void *scratch, uint32_t index) {
    tell(launch, scratch, LOAD, index);
    return __atomic_load_n(element(launch, index), __ATOMIC_RELAXED);
}

static uint32_t add(const HostLaunch *launch, void *scratch, uint32_t op, uint32_t index, uint32_t value) {
    tell(launch, scratch, op, index);
    return __atomic_fetch_add(element(launch, index), value, __ATOMIC_ACQ_REL);
}

typedef struct Expected {
    HostEntry *entry;
    uint32_t blocks;
    bool looks, waits, suspicious;
    uint32_t changing, equal; // elements
} Expected;

// The first run and the judged one, the same for all numbers of threads.
static void check(const Expected *expected) {
    for (unsigned jobs = 1; jobs <= 5; jobs += 2) {
        Diagnostics diagnostics = {0};
        RtDevice *device =
            rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = jobs, .address_range = (size_t)1 << 28});
        RtBuffer *buffer = rt_alloc(device, &diagnostics, 4096);
        RtRaces races = {.search = RT_RACES_LOOK};
        KernelInfo kernel = {.name = "kernel",
                             .entry = expected->entry,
                             .parameter_count = 1,
                             .access_count = OPS,
                             .accesses = ops,
                             .stores_through = (const uint8_t[]){1},
                             .looks = expected->looks,
                             .waits = expected->waits};
        RtArgument argument = {buffer->address, buffer};
        cr_assert(rt_launch(device, &diagnostics,
                            &(RtLaunch){.label = "test",
                                        .kernel = &kernel,
                                        .grid = {expected->blocks, 1, 1},
                                        .arguments = &argument,
                                        .races = &races}));
        cr_assert_eq(races.suspicious, expected->suspicious, "%u threads", jobs);
        static const uint8_t zeros[4096];
        rt_copy_in(device, &diagnostics, buffer, 0, zeros, sizeof zeros);
        races = (RtRaces){.search = RT_RACES_JUDGE};
        cr_assert(rt_launch(device, &diagnostics,
                            &(RtLaunch){.label = "test",
                                        .kernel = &kernel,
                                        .grid = {expected->blocks, 1, 1},
                                        .arguments = &argument,
                                        .races = &races}));
        uint64_t changing = 0, equal = 0;
        for (uint32_t i = 0; i < races.count; i++) changing += races.races[i].changing, equal += races.races[i].equal;
        cr_assert_eq(changing, 8 * expected->changing, "%u threads: %llu", jobs, (unsigned long long)changing);
        cr_assert_eq(equal, 8 * expected->equal, "%u threads: %llu", jobs, (unsigned long long)equal);
        cr_assert_not(races.incomplete);
        rt_close(device);
    }
}

#define ENTRY(name)                                                                                                    \
    static uint32_t name(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z, HostFault *fault)
#define UNUSED (void)scratch, (void)x, (void)y, (void)z, (void)fault

ENTRY(own_elements) {
    UNUSED;
    put(launch, scratch, x, x);
    put(launch, scratch, x, get(launch, scratch, x) + 1);
    return 0;
}

ENTRY(next_element) { // the elements 1 to 19 are stored by two blocks, 2 with one value
    UNUSED;
    put(launch, scratch, x, x);
    put(launch, scratch, x + 1, 2 * x);
    return 0;
}

ENTRY(next_element_same) { // the same by both
    UNUSED;
    put(launch, scratch, x, 7 * x);
    put(launch, scratch, x + 1, 7 * (x + 1));
    return 0;
}

ENTRY(reads_next) {
    UNUSED;
    put(launch, scratch, x, get(launch, scratch, x + 1) + 1);
    return 0;
}

ENTRY(added) { // by atomics alone
    UNUSED;
    add(launch, scratch, RELAXED, 0, x);
    return 0;
}

ENTRY(added_and_read) {
    UNUSED;
    add(launch, scratch, RELAXED, 0, 1);
    get(launch, scratch, 0);
    return 0;
}

Test(races, of_blocks_that_do_not_wait) {
    check(&(Expected){.entry = own_elements, .blocks = 20});
    check(&(Expected){.entry = next_element, .blocks = 20, .suspicious = true, .changing = 18, .equal = 1});
    check(&(Expected){.entry = next_element_same, .blocks = 20, .suspicious = true, .equal = 19});
    check(&(Expected){.entry = reads_next, .blocks = 20, .suspicious = true, .changing = 19});
    check(&(Expected){.entry = added, .blocks = 20});
    check(&(Expected){.entry = added_and_read, .blocks = 20, .suspicious = true, .changing = 1});
    check(&(Expected){.entry = next_element, .blocks = 1});
}

// Each block waits for the next one's flag (elements 100 and up), then reads what that stored.
static uint32_t chain(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t by) {
    uint32_t sum = x;
    if (x + 1 < launch->grid[0]) {
        for (;;) {
            tell(launch, scratch, ACQUIRE, 100 + x + 1);
            if (__atomic_load_n(element(launch, 100 + x + 1), __ATOMIC_ACQUIRE)) break;
            if (launch->wait(launch)) return 0;
        }
        sum += get(launch, scratch, x + 1);
    }
    put(launch, scratch, x, sum + 1);
    add(launch, scratch, by, 100 + x, 1);
    return 0;
}

ENTRY(chain_released) {
    UNUSED;
    return chain(launch, scratch, x, RELEASE);
}

ENTRY(chain_relaxed) {
    UNUSED;
    return chain(launch, scratch, x, RELAXED);
}

Test(races, of_blocks_that_wait) {
    check(&(Expected){.entry = chain_released, .blocks = 60, .looks = true, .waits = true, .suspicious = true});
    check(&(Expected){
        .entry = chain_relaxed, .blocks = 60, .looks = true, .waits = true, .suspicious = true, .changing = 59});
}

// What is released goes on through atomic operations of others, which order nothing themselves; a store ends it.
static uint32_t through_others(const HostLaunch *launch, void *scratch, uint32_t x, bool ended) {
    if (x == 0) {
        put(launch, scratch, 0, 5);
        add(launch, scratch, RELEASE, 100, 1);
    } else if (x == 1) {
        if (ended)
            put(launch, scratch, 100, 2);
        else
            add(launch, scratch, RELAXED, 100, 1);
    } else {
        tell(launch, scratch, ACQUIRE, 100);
        get(launch, scratch, 0);
    }
    return 0;
}

ENTRY(goes_on) {
    UNUSED;
    return through_others(launch, scratch, x, false);
}

ENTRY(has_ended) {
    UNUSED;
    return through_others(launch, scratch, x, true);
}

Test(races, releases_go_on_through_atomics) {
    check(&(Expected){.entry = goes_on, .blocks = 3, .suspicious = true});
    check(&(Expected){.entry = has_ended, .blocks = 3, .suspicious = true, .changing = 2}); // the flag, and element 0
}

// The lowest block that fails is reported, and a block that waits in vain ends.
ENTRY(fails) {
    UNUSED;
    if (x == 3 || x == 5) return 1;
    while (x == 1)
        if (launch->wait(launch)) return 0;
    return 0;
}

Test(races, faults_in_order) {
    Diagnostics diagnostics = {0};
    RtDevice *device = rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = 2, .address_range = (size_t)1 << 28});
    RtBuffer *buffer = rt_alloc(device, &diagnostics, 4096);
    RtRaces races = {.search = RT_RACES_JUDGE};
    KernelSite site = {.kind = HOST_SITE_ASSERT, .op = "assert", .message = "no"};
    KernelInfo kernel = {.name = "kernel",
                         .entry = fails,
                         .parameter_count = 1,
                         .site_count = 1,
                         .sites = &site,
                         .access_count = OPS,
                         .accesses = ops,
                         .stores_through = (const uint8_t[]){1},
                         .looks = true,
                         .waits = true};
    RtArgument argument = {buffer->address, buffer};
    cr_assert_not(rt_launch(
        device, &diagnostics,
        &(RtLaunch){.label = "test", .kernel = &kernel, .grid = {20, 1, 1}, .arguments = &argument, .races = &races}));
    cr_assert_eq(diagnostics.count, 1);
    cr_assert(strstr(diagnostics.items[0].message, "block (3, 0, 0)"), "%s", diagnostics.items[0].message);
    rt_close(device);
    diagnostics_close(&diagnostics);
}
