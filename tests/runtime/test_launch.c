// SPDX-License-Identifier: Apache-2.0
// Launches: every block once, in order where that is promised, and the same fault for every number of threads.
#include "runtime/rt.h"

#include <criterion/criterion.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static RtDevice *open_device(unsigned jobs) {
    Diagnostics diagnostics = {0};
    RtDevice *device = rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = jobs, .address_range = (size_t)1 << 28});
    cr_assert(device);
    cr_assert_eq(diagnostics.count, 0);
    return device;
}

static RtArgument pointer_to(RtBuffer *buffer) {
    return (RtArgument){buffer->address, buffer};
}

// Adds 1 to element (x, y, z) of a grid-shaped array of counters, by way of scratch.
static uint32_t count_blocks(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                             HostFault *fault) {
    (void)fault;
    uint64_t *mine = scratch;
    mine[0] = x + (uint64_t)launch->grid[0] * (y + (uint64_t)launch->grid[1] * z);
    mine[1023] = launch->arguments[1];
    ((uint32_t *)(uintptr_t)launch->arguments[0])[mine[0]] += (uint32_t)mine[1023];
    return (uintptr_t)scratch % 64 ? 1 : 0;
}

Test(launch, runs_every_block_once) {
    static const uint32_t grids[][3] = {{1, 1, 1}, {7, 1, 1}, {3, 5, 2}, {64, 3, 4}, {1, 1, 100}};
    for (unsigned jobs = 1; jobs <= 8; jobs++) {
        RtDevice *device = open_device(jobs);
        cr_assert_eq(rt_jobs(device), jobs);
        for (size_t g = 0; g < BASE_COUNT(grids); g++) {
            Diagnostics diagnostics = {0};
            const uint32_t *grid = grids[g];
            size_t count = (size_t)grid[0] * grid[1] * grid[2];
            RtBuffer *counters = rt_alloc(device, &diagnostics, count * 4);
            KernelInfo kernel = {.name = "count", .entry = count_blocks, .scratch_bytes = 8192, .parameter_count = 2};
            RtArgument arguments[] = {pointer_to(counters), {3, NULL}};
            cr_assert(rt_launch(
                device, &diagnostics,
                &(RtLaunch){
                    .label = "test", .kernel = &kernel, .grid = {grid[0], grid[1], grid[2]}, .arguments = arguments}));
            uint32_t values[1024];
            rt_copy_out(device, NULL, counters, 0, values, count * 4);
            for (size_t i = 0; i < count; i++) cr_assert_eq(values[i], 3, "block %zu of grid %zu", i, g);
            rt_free(device, counters);
        }
        rt_close(device);
    }
}

// Appends its linear id to a list; only right if blocks run one after the other.
static uint32_t append_block(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                             HostFault *fault) {
    (void)scratch, (void)fault;
    uint32_t *list = (uint32_t *)(uintptr_t)launch->arguments[0];
    list[++list[0]] = x + launch->grid[0] * (y + launch->grid[1] * z);
    return 0;
}

Test(launch, sequential_kernels_run_in_order) {
    Diagnostics diagnostics = {0};
    RtDevice *device = open_device(6);
    RtBuffer *list = rt_alloc(device, &diagnostics, 4 * 241);
    KernelInfo kernel = {.name = "append", .entry = append_block, .parameter_count = 1, .sequential = true};
    RtArgument argument = pointer_to(list);
    cr_assert(rt_launch(device, &diagnostics,
                        &(RtLaunch){.label = "test", .kernel = &kernel, .grid = {10, 8, 3}, .arguments = &argument}));
    uint32_t values[241];
    rt_copy_out(device, NULL, list, 0, values, sizeof values);
    cr_assert_eq(values[0], 240);
    for (uint32_t i = 0; i < 240; i++) cr_assert_eq(values[i + 1], i);
    rt_close(device);
}

// Blocks that wait for others: words 0 to 3 of the buffer are arrived blocks, the block that fails, what to wait for
// and how many waited in vain; behind them a flag for each block.
enum { WAIT_ARRIVED, WAIT_FAILING, WAIT_KIND, WAIT_STOPPED, WAIT_FLAGS };
enum { WAIT_FOR_ALL, WAIT_FOR_NEXT, WAIT_FOR_FAILING };

static bool may_go_on(const HostLaunch *launch, _Atomic uint32_t *words, uint32_t block) {
    if (words[WAIT_KIND] == WAIT_FOR_ALL) return words[WAIT_ARRIVED] == launch->grid[0];
    if (words[WAIT_KIND] == WAIT_FOR_NEXT) return block + 1 == launch->grid[0] || words[WAIT_FLAGS + block + 1];
    return false;
}

static uint32_t wait_block(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                           HostFault *fault) {
    (void)y, (void)z, (void)fault;
    _Atomic uint32_t *words = (_Atomic uint32_t *)(uintptr_t)launch->arguments[0];
    *(uint32_t *)scratch = x;
    words[WAIT_ARRIVED]++;
    if (words[WAIT_KIND] == WAIT_FOR_FAILING && x == words[WAIT_FAILING]) return 1;
    while (!may_go_on(launch, words, x))
        if (launch->wait(launch)) {
            words[WAIT_STOPPED]++;
            return 0;
        }
    words[WAIT_FLAGS + x] = *(uint32_t *)scratch + 1; // another block in the same scratch would show
    return 0;
}

enum { WAITING_BLOCKS = 100 };
static bool run_waiting(unsigned jobs, bool sequential, uint32_t kind, uint32_t *words, Diagnostics *diagnostics) {
    static const KernelSite site = {HOST_SITE_ASSERT, "assert", "failing", {0}};
    RtDevice *device = open_device(jobs);
    const size_t size = 4 * (WAIT_FLAGS + WAITING_BLOCKS);
    RtBuffer *buffer = rt_alloc(device, diagnostics, size);
    rt_copy_in(device, NULL, buffer, 0, (uint32_t[]){0, WAITING_BLOCKS / 2, kind}, 12);
    KernelInfo kernel = {.name = "wait",
                         .entry = wait_block,
                         .parameter_count = 1,
                         .scratch_bytes = 64,
                         .sequential = sequential,
                         .site_count = 1,
                         .sites = &site};
    RtArgument argument = pointer_to(buffer);
    bool good = rt_launch(
        device, diagnostics,
        &(RtLaunch){.label = "test", .kernel = &kernel, .grid = {WAITING_BLOCKS, 1, 1}, .arguments = &argument});
    rt_copy_out(device, NULL, buffer, 0, words, size);
    rt_close(device);
    return good;
}

Test(launch, blocks_may_wait_for_blocks_that_no_thread_has_taken, .timeout = 100) {
    for (unsigned jobs = 1; jobs <= 4; jobs += 3)
        for (uint32_t kind = WAIT_FOR_ALL; kind <= WAIT_FOR_NEXT; kind++)
            for (int sequential = 0; sequential < 2; sequential++) {
                Diagnostics diagnostics = {0};
                uint32_t words[WAIT_FLAGS + WAITING_BLOCKS];
                cr_assert(run_waiting(jobs, sequential, kind, words, &diagnostics));
                cr_assert_eq(words[WAIT_ARRIVED], WAITING_BLOCKS);
                cr_assert_eq(words[WAIT_STOPPED], 0);
                for (uint32_t i = 0; i < WAITING_BLOCKS; i++) cr_assert_eq(words[WAIT_FLAGS + i], i + 1);
            }
}

Test(launch, blocks_that_wait_for_a_failed_one_stop, .timeout = 100) {
    for (unsigned jobs = 1; jobs <= 4; jobs += 3) {
        Diagnostics diagnostics = {0};
        uint32_t words[WAIT_FLAGS + WAITING_BLOCKS];
        cr_assert_not(run_waiting(jobs, false, WAIT_FOR_FAILING, words, &diagnostics));
        cr_assert_eq(diagnostics.count, 1);
        cr_assert(strstr(diagnostics.items[0].message, "failing"), "%s", diagnostics.items[0].message);
        cr_assert(words[WAIT_STOPPED] >= WAITING_BLOCKS / 2);
        diagnostics_close(&diagnostics);
    }
}

// Fails in every block whose id divided by argument 1 leaves argument 2, with the id as what was found. Lower ids take
// longer, so that higher ones fail first.
static uint32_t fail_some(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                          HostFault *fault) {
    (void)scratch;
    uint64_t id = x + (uint64_t)launch->grid[0] * (y + (uint64_t)launch->grid[1] * z);
    if (id < 200) usleep((200 - (unsigned)id) * 5);
    if (id % launch->arguments[1] != launch->arguments[2]) {
        ((uint8_t *)(uintptr_t)launch->arguments[0])[id] = 1;
        return 0;
    }
    fault->found = (int64_t)id;
    fault->limit = 17;
    return 2;
}

static const KernelSite sites[] = {
    {HOST_SITE_ASSERT, "assert", "never", {.file = "a.py", .line = 1}},
    {HOST_SITE_INDEX, "load_view_tko", "load of tile (4x4)", {.file = "b.py", .line = 7, .column = 3}}};

Test(launch, fault_is_the_lowest_block_for_any_number_of_threads) {
    for (unsigned jobs = 1; jobs <= 9; jobs++) {
        RtDevice *device = open_device(jobs);
        for (unsigned repeat = 0; repeat < 4; repeat++) {
            Diagnostics diagnostics = {0};
            RtBuffer *ran = rt_alloc(device, &diagnostics, 4096);
            KernelInfo kernel = {.name = "fail",
                                 .entry = fail_some,
                                 .parameter_count = 3,
                                 .site_count = 2,
                                 .sites = sites,
                                 .heedless = repeat / 2,
                                 .grouped = repeat % 2};
            RtArgument arguments[] = {pointer_to(ran), {61, NULL}, {37, NULL}};
            cr_assert_not(rt_launch(
                device, &diagnostics,
                &(RtLaunch){
                    .label = "fused, launch 2 of 3", .kernel = &kernel, .grid = {16, 16, 16}, .arguments = arguments}));
            cr_assert_eq(diagnostics.count, 1);
            cr_assert_eq(diagnostics.items[0].code, E_BOUNDS);
            Buffer text = {0};
            diag_print(&diagnostics.items[0], &text);
            cr_expect_str_eq(text.data,
                             "b.py:7:3: error: fused, launch 2 of 3: kernel fail: block (5, 2, 0): load_view_tko "
                             "(load of tile (4x4)): tile index 37 is outside the index space 0 .. 16 (GPUs load "
                             "padding there and store nothing, and so does --outside-tiles=padding) [E501]\n");
            uint8_t below[37];
            rt_copy_out(device, NULL, ran, 0, below, sizeof below);
            for (size_t i = 0; i < sizeof below; i++)
                cr_expect_eq(below[i], 1, "block %zu below the fault did not run", i);
            buffer_free(&text);
            diagnostics_close(&diagnostics);
            rt_free(device, ran);
        }
        rt_close(device);
    }
}

// Notes in which turn each block runs, on one thread; counts in element 0.
static uint32_t note_turn(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                          HostFault *fault) {
    (void)scratch, (void)fault;
    uint32_t *turns = (uint32_t *)(uintptr_t)launch->arguments[0];
    turns[1 + x + launch->grid[0] * (y + launch->grid[1] * z)] += ++turns[0];
    return 0;
}

// Neighbours along x for one y after the other; what a group of eight leaves is a group of its own.
Test(launch, groups_of_blocks) {
    enum { WIDTH = 19, HEIGHT = 5, DEPTH = 3, COUNT = WIDTH * HEIGHT * DEPTH };
    static const struct {
        uint32_t x, y, z, turn;
    } rows[] = {{0, 0, 0, 1},   {7, 0, 0, 8},   {0, 1, 0, 9},  {7, 4, 0, 40},  {8, 0, 0, 41},
                {16, 0, 0, 81}, {18, 4, 0, 95}, {0, 0, 1, 96}, {18, 4, 2, 285}};
    RtDevice *device = open_device(1);
    for (unsigned grouped = 0; grouped < 2; grouped++) {
        Diagnostics diagnostics = {0};
        RtBuffer *turns = rt_alloc(device, &diagnostics, (COUNT + 1) * 4);
        KernelInfo kernel = {.name = "note", .entry = note_turn, .parameter_count = 1, .grouped = grouped};
        RtArgument argument = pointer_to(turns);
        uint32_t read[COUNT + 1];
        for (unsigned in_order = 0; in_order < 2; in_order++) {
            memset(read, 0, sizeof read);
            rt_copy_in(device, NULL, turns, 0, read, sizeof read);
            cr_assert(rt_launch(device, &diagnostics,
                                &(RtLaunch){.label = "note",
                                            .kernel = &kernel,
                                            .grid = {WIDTH, HEIGHT, DEPTH},
                                            .arguments = &argument,
                                            .in_order = in_order}));
            rt_copy_out(device, NULL, turns, 0, read, sizeof read);
            cr_expect_eq(read[0], COUNT);
            uint64_t sum = 0;
            for (uint32_t i = 1; i <= COUNT; i++) sum += read[i];
            cr_expect_eq(sum, (uint64_t)COUNT * (COUNT + 1) / 2, "a block ran twice");
            for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
                const uint32_t id = rows[i].x + WIDTH * (rows[i].y + HEIGHT * rows[i].z);
                cr_expect_eq(read[1 + id], grouped && !in_order ? rows[i].turn : id + 1, "block %u ran in turn %u", id,
                             read[1 + id]);
            }
        }
        rt_free(device, turns);
        diagnostics_close(&diagnostics);
    }
    rt_close(device);
}

// Notes the deepest grid it has seen and how many blocks ran.
static uint32_t count_all(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                          HostFault *fault) {
    (void)scratch, (void)x, (void)y, (void)z, (void)fault;
    atomic_fetch_add((_Atomic uint64_t *)(uintptr_t)launch->arguments[0], 1);
    return 0;
}

Test(launch, many_small_launches) {
    Diagnostics diagnostics = {0};
    RtDevice *device = open_device(4);
    RtBuffer *counter = rt_alloc(device, &diagnostics, 8);
    KernelInfo kernel = {.name = "count", .entry = count_all, .parameter_count = 1};
    RtArgument argument = pointer_to(counter);
    for (int i = 0; i < 500; i++)
        cr_assert(
            rt_launch(device, &diagnostics,
                      &(RtLaunch){.label = "test", .kernel = &kernel, .grid = {5, 1, 1}, .arguments = &argument}));
    uint64_t total;
    rt_copy_out(device, NULL, counter, 0, &total, 8);
    cr_assert_eq(total, 2500);
    rt_close(device);
}

Test(launch, wrong_grids_are_refused) {
    static const struct {
        uint32_t grid[3];
        const char *message;
    } cases[] = {
        {{0, 1, 1}, "test: grid dimension x is 0, allowed are 1 to 16777215"},
        {{1, 16777216, 1}, "test: grid dimension y is 16777216, allowed are 1 to 16777215"},
        {{1, 1, UINT32_MAX}, "test: grid dimension z is 4294967295, allowed are 1 to 16777215"},
        {{16777215, 16777215, 16777215},
         "test: a grid of 16777215 x 16777215 x 16777215 blocks has more than 2^63 of them"},
    };
    RtDevice *device = open_device(2);
    for (size_t i = 0; i < BASE_COUNT(cases); i++) {
        Diagnostics diagnostics = {0};
        KernelInfo kernel = {.name = "none", .entry = count_all};
        cr_assert_not(rt_launch(device, &diagnostics,
                                &(RtLaunch){.label = "test",
                                            .kernel = &kernel,
                                            .grid = {cases[i].grid[0], cases[i].grid[1], cases[i].grid[2]}}));
        cr_assert_eq(diagnostics.items[0].code, E_ARGUMENT);
        cr_expect_str_eq(diagnostics.items[0].message, cases[i].message);
        diagnostics_close(&diagnostics);
    }
    rt_close(device);
}

Test(launch, scratch_that_cannot_be_had_is_an_error) {
    Diagnostics diagnostics = {0};
    RtDevice *device = open_device(2);
    KernelInfo kernel = {.name = "huge", .entry = count_all, .scratch_bytes = SIZE_MAX - 70};
    cr_assert_not(rt_launch(device, &diagnostics, &(RtLaunch){.label = "test", .kernel = &kernel, .grid = {4, 1, 1}}));
    cr_assert_eq(diagnostics.items[0].code, E_RUNTIME);
    cr_expect(strstr(diagnostics.items[0].message, "scratch of kernel huge"));
    diagnostics_close(&diagnostics);
    rt_close(device);
}

// Compares what a kernel is told about its buffers with what its arguments say: three pointers, two of them to one
// buffer.
static uint32_t check_ranges(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                             HostFault *fault) {
    (void)scratch, (void)x, (void)y, (void)z, (void)fault;
    const HostRange *ranges = launch->argument_ranges, *buffers = launch->buffers;
    bool good = launch->buffer_count == 2 && buffers[0].end <= buffers[1].begin && buffers[0].begin < buffers[0].end;
    for (int i = 0; i < 3; i++) good &= launch->arguments[i] >= ranges[i].begin && launch->arguments[i] < ranges[i].end;
    good &= ranges[0].begin == ranges[2].begin && ranges[0].begin != ranges[1].begin;
    good &= ranges[3].begin == 0 && ranges[3].end == 0 && launch->arguments[3] == 99;
    good &= !launch->shadow && !launch->argument_records && !launch->argument_widths && !launch->all_widths;
    return good ? 0 : 1;
}

Test(launch, kernels_are_told_their_buffers) {
    Diagnostics diagnostics = {0};
    RtDevice *device = open_device(1);
    RtBuffer *first = rt_alloc(device, &diagnostics, 100), *second = rt_alloc(device, &diagnostics, 200);
    KernelInfo kernel = {.name = "check", .entry = check_ranges, .parameter_count = 4, .site_count = 1, .sites = sites};
    RtArgument arguments[] = {pointer_to(second), pointer_to(first), {second->address + 8, second}, {99, NULL}};
    cr_assert(rt_launch(device, &diagnostics,
                        &(RtLaunch){.label = "test", .kernel = &kernel, .grid = {1, 1, 1}, .arguments = arguments}));
    rt_close(device);
}

Test(launch, default_number_of_threads) {
    Diagnostics diagnostics = {0};
    RtDevice *device = rt_open_host(&diagnostics, &(RtDeviceOptions){0});
    cr_assert(device);
    cr_expect_geq(rt_jobs(device), 1);
    cr_expect_str_eq(rt_name(device), "host");
    rt_close(device);
    rt_close(NULL);
}
