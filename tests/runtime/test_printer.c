// SPDX-License-Identifier: Apache-2.0
// What kernels print: whole pieces, in the order of the blocks, up to the block that fails, on any number of threads.
#include "runtime/rt.h"

#include <criterion/criterion.h>
#include <sched.h>
#include <string.h>

enum { FAILS = 3 }; // a second argument

static void keep_text(void *data, const char *text, size_t size) {
    buffer_append(data, text, size);
}

static void print_number(const HostLaunch *launch, uint32_t x, uint32_t y, const char *format, uint32_t number) {
    HostPrintValue value = {HOST_PRINT_INTEGER, 32, 0, NULL, &number};
    HostPrint print = {format, strlen(format), &value, 1};
    launch->print(launch, x, y, 0, &print);
}

// Prints twice; early blocks take longer than late ones. The first argument: the block that does what the second says,
// if there is anything to print to.
static uint32_t print_block(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                            HostFault *fault) {
    (void)scratch, (void)z, (void)fault;
    uint32_t block = x + launch->grid[0] * y;
    if (!launch->print) return 0;
    print_number(launch, x, y, "block %d begins\n", block);
    for (uint32_t i = block; i < 40; i++) sched_yield();
    if (block == launch->arguments[0] && launch->arguments[1] == FAILS) return 1;
    if (block % 3) print_number(launch, x, y, "block %d ends\n", block);
    return 0;
}

static bool launch_printing(RtDevice *device, uint64_t special, uint64_t what) {
    static const KernelSite site = {.kind = HOST_SITE_DIVIDE, .op = "divi"};
    Diagnostics diagnostics = {0};
    KernelInfo kernel = {
        .name = "print", .entry = print_block, .parameter_count = 2, .sites = &site, .site_count = 1, .prints = true};
    RtArgument arguments[] = {{special, NULL}, {what, NULL}};
    bool good = rt_launch(device, &diagnostics,
                          &(RtLaunch){.label = "test", .kernel = &kernel, .grid = {20, 5, 1}, .arguments = arguments});
    diagnostics_close(&diagnostics);
    return good;
}

static Buffer expected_text(uint32_t last, bool fails) {
    Buffer text = {0};
    for (uint32_t block = 0; block <= last; block++) {
        buffer_print(&text, "block %u begins\n", block);
        if (block % 3 && !(fails && block == last)) buffer_print(&text, "block %u ends\n", block);
    }
    return text;
}

static void expect_print(unsigned jobs, uint64_t special, uint64_t what, uint32_t last) {
    Diagnostics diagnostics = {0};
    RtDevice *device = rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = jobs});
    Buffer found = {0}, expected = expected_text(last, what == FAILS);
    rt_print_to(device, keep_text, &found);
    cr_expect_eq(launch_printing(device, special, what), what != FAILS);
    cr_expect(found.size == expected.size && !memcmp(found.data, expected.data, found.size), "%u threads print %.*s",
              jobs, (int)found.size, found.data);
    rt_print_to(device, NULL, NULL); // no kernel finds a print function then
    cr_expect(launch_printing(device, special, what));
    cr_expect_eq(found.size, expected.size);
    rt_close(device);
    buffer_free(&found);
    buffer_free(&expected);
}

Test(printer, blocks_in_order) {
    for (unsigned jobs = 1; jobs <= 8; jobs++) expect_print(jobs, UINT64_MAX, 0, 99);
}

Test(printer, nothing_above_the_block_that_fails) {
    for (unsigned jobs = 1; jobs <= 8; jobs++)
        for (uint32_t block = 1; block < 100; block += 49) expect_print(jobs, block, FAILS, block);
}
