// SPDX-License-Identifier: Apache-2.0
// What is printed for each kind of failure.
#include "runtime/rt.h"

#include <criterion/criterion.h>
#include <string.h>

// The kernel under test: fails with the site and the fault its arguments give. Argument 0 is a pointer, 1 the site, 2 a
// displacement from the pointer (or an absolute address if argument 5 is set), 3 what was found, 4 the limit.
static uint32_t fail_as_told(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z,
                             HostFault *fault) {
    (void)scratch, (void)x, (void)y, (void)z;
    const uint64_t *arguments = launch->arguments;
    *fault =
        (HostFault){(arguments[5] ? 0 : arguments[0]) + arguments[2], (int64_t)arguments[3], (int64_t)arguments[4]};
    return (uint32_t)arguments[1];
}

static const KernelSite told_sites[] = {
    {HOST_SITE_BOUNDS, "store_ptr_tko", "store of tile (64)", {.file = "k.py", .line = 12}},
    {HOST_SITE_VIEW, "make_tensor_view", NULL, {.file = "k.py", .line = 3, .column = 9}},
    {HOST_SITE_INDEX,
     "load_view_tko",
     "load of tile (16x16)",
     {.file = "k.tileirbc", .offset = 77, .has_offset = true}},
    {HOST_SITE_ASSERT, "assert", "sizes must match", {.file = "k.py", .line = 4}},
    {HOST_SITE_STEP, "for", NULL, {0}},
    {HOST_SITE_DIVIDE, "divi", NULL, {.file = "k.py", .line = 5}},
    {HOST_SITE_ASSERT, "assert", NULL, {.file = "k.py", .line = 6}},
    {HOST_SITE_INBOUNDS, "store_view_tko", "index 1", {.file = "k.py", .line = 7}},
    {HOST_SITE_LOCAL, "load_ptr_tko", "load through a pointer", {.file = "k.py", .line = 8}},
    {HOST_SITE_ASSUME, "assume", "div_by<16>", {.file = "k.py", .line = 9}},
};

static const struct FaultCase {
    uint64_t site, displacement;
    int64_t found, limit;
    bool absolute, named;
    const char *text;
} fault_cases[] = {
    {1, 1024, 4, 0, false, false,
     "k.py:12: error: L: kernel told: block (0, 0, 0): store_ptr_tko (store of tile (64)): an access at byte 1024 of "
     "the buffer of "
     "argument 0 (1024 bytes) [E501]\n"},
    {1, (uint64_t)-2, 4, 0, false, true,
     "k.py:12: error: L: kernel told: block (0, 0, 0): store_ptr_tko (store of tile (64)): an access at byte -2 of "
     "buffer q "
     "(argument 0, 1024 bytes) [E501]\n"},
    {1, 0x10, 4, 0, true, false,
     "k.py:12: error: L: kernel told: block (0, 0, 0): store_ptr_tko (store of tile (64)): an access at address 0x10, "
     "which is in no "
     "buffer of the launch [E501]\n"},
    {2, 24, 4096, 1000, false, true,
     "k.py:3:9: error: L: kernel told: block (0, 0, 0): make_tensor_view: a tensor view of 4096 bytes from byte 24 of "
     "buffer q "
     "(argument 0, 1024 bytes) [E501]\n"},
    {2, 0, 4096, 1000, true, false,
     "k.py:3:9: error: L: kernel told: block (0, 0, 0): make_tensor_view: a tensor view of 4096 bytes from address "
     "0x0 on, which is in no buffer of the launch [E501]\n"},
    {2, (uint64_t)-8, INT64_MAX, 1000, false, true,
     "k.py:3:9: error: L: kernel told: block (0, 0, 0): make_tensor_view: a tensor view of at least "
     "9223372036854775807 bytes from byte -8 of buffer q (argument 0, 1024 bytes) [E501]\n"},
    {2, 0, -1, 0, false, true,
     "k.py:3:9: error: L: kernel told: block (0, 0, 0): make_tensor_view: a tensor view with an extent of -1 [E501]\n"},
    {3, 0, -1, 8, false, false,
     "k.tileirbc: offset 0x4d: error: L: kernel told: block (0, 0, 0): load_view_tko (load of tile (16x16)): tile "
     "index -1 is outside "
     "the index space 0 .. 7 (GPUs load padding there and store nothing, and so does --outside-tiles=padding), "
     "in a view of the buffer of argument 0 (1024 bytes) [E501]\n"},
    {3, 0, 8, 8, true, true,
     "k.tileirbc: offset 0x4d: error: L: kernel told: block (0, 0, 0): load_view_tko (load of tile (16x16)): tile "
     "index 8 is outside "
     "the index space 0 .. 7 (GPUs load padding there and store nothing, and so does --outside-tiles=padding) "
     "[E501]\n"},
    {8, 0, 5, 5, false, false,
     "k.py:7: error: L: kernel told: block (0, 0, 0): store_view_tko (index 1): 5 is not inbounds, only 0 .. 4 are, "
     "in a view of the buffer of argument 0 (1024 bytes) [E501]\n"},
    {8, 0, 0, 0, true, false,
     "k.py:7: error: L: kernel told: block (0, 0, 0): store_view_tko (index 1): 0 is not inbounds, the tensor is "
     "smaller than a tile [E501]\n"},
    {4, 0, 3, 0, false, false,
     "k.py:4: error: L: kernel told: block (0, 0, 0): assert: assertion failed at element 3: sizes must match "
     "[E502]\n"},
    {7, 0, 0, 0, false, false,
     "k.py:6: error: L: kernel told: block (0, 0, 0): assert: assertion failed at element 0 [E502]\n"},
    {5, 0, -4, 0, false, false, "error: L: kernel told: block (0, 0, 0): for: loop step -4 is not positive [E503]\n"},
    {6, 0, 7, 0, false, false,
     "k.py:5: error: L: kernel told: block (0, 0, 0): divi: integer division by zero, or a quotient too large for its "
     "type, at element 7 [E503]\n"},
    {9, 0, -4, 64, false, false,
     "k.py:8: error: L: kernel told: block (0, 0, 0): load_ptr_tko (load through a pointer): an access at byte -4 of "
     "an "
     "alloca of 64 bytes [E501]\n"},
    {10, 0, -24, 3, true, false,
     "k.py:9: error: L: kernel told: block (0, 0, 0): assume (div_by<16>): element 3 is not as assumed: it is -24 "
     "[E502]\n"},
    {10, 24, 8, 3, false, true,
     "k.py:9: error: L: kernel told: block (0, 0, 0): assume (div_by<16>): element 3 is not as assumed: it points to "
     "byte 24 of buffer q (argument 0, 1024 bytes), 8 bytes past a multiple [E502]\n"},
    {10, 0x18, 8, 0, true, false,
     "k.py:9: error: L: kernel told: block (0, 0, 0): assume (div_by<16>): element 0 is not as assumed: it is the "
     "address 0x18, which is in no buffer of the launch [E502]\n"},
    {3, 0, 2, 0, false, false,
     "k.tileirbc: offset 0x4d: error: L: kernel told: block (0, 0, 0): load_view_tko (load of tile (16x16)): tile "
     "index 2 is outside the index space, which is empty (GPUs load padding there and store nothing, and so does "
     "--outside-tiles=padding), in a view of the buffer of argument 0 (1024 bytes) [E501]\n"},
    {11, 0, 0, 0, false, false,
     "error: L: kernel told: block (0, 0, 0): the kernel names failure 11, but it has 10 places that can fail "
     "[E503]\n"},
};

Test(fault_message, every_kind) {
    Diagnostics opening = {0};
    RtDevice *device = rt_open_host(&opening, &(RtDeviceOptions){.jobs = 1});
    cr_assert(device);
    RtBuffer *buffer = rt_alloc(device, &opening, 1024);
    cr_assert(buffer);
    KernelInfo kernel = {.name = "told",
                         .entry = fail_as_told,
                         .parameter_count = 6,
                         .site_count = BASE_COUNT(told_sites),
                         .sites = told_sites};
    for (size_t i = 0; i < BASE_COUNT(fault_cases); i++) {
        const struct FaultCase *c = &fault_cases[i];
        Diagnostics diagnostics = {0};
        Buffer text = {0};
        RtArgument arguments[] = {{buffer->address, buffer},  {c->site, NULL},
                                  {c->displacement, NULL},    {(uint64_t)c->found, NULL},
                                  {(uint64_t)c->limit, NULL}, {c->absolute, NULL}};
        buffer->name = c->named ? "q" : NULL;
        cr_assert_not(
            rt_launch(device, &diagnostics,
                      &(RtLaunch){.label = "L", .kernel = &kernel, .grid = {1, 1, 1}, .arguments = arguments}));
        cr_assert_eq(diagnostics.count, 1);
        diag_print(&diagnostics.items[0], &text);
        cr_expect_str_eq(text.data, c->text);
        buffer_free(&text);
        diagnostics_close(&diagnostics);
    }
    rt_close(device);
}

Test(fault_message, the_nearest_buffer_is_named) {
    Diagnostics diagnostics = {0};
    RtDevice *device = rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = 1});
    RtBuffer *pointer = rt_alloc(device, &diagnostics, 64), *other = rt_alloc(device, &diagnostics, 4096);
    KernelInfo kernel = {.name = "told",
                         .entry = fail_as_told,
                         .parameter_count = 7,
                         .site_count = BASE_COUNT(told_sites),
                         .sites = told_sites};
    RtArgument arguments[] = {{pointer->address, pointer},
                              {1, NULL},
                              {other->address + 4095 - pointer->address, NULL},
                              {4, NULL},
                              {0, NULL},
                              {0, NULL},
                              {other->address, other}};
    cr_assert_not(rt_launch(device, &diagnostics,
                            &(RtLaunch){.label = "L", .kernel = &kernel, .grid = {1, 1, 1}, .arguments = arguments}));
    cr_expect(strstr(diagnostics.items[0].message, "at byte 4095 of the buffer of argument 6 (4096 bytes)"), "%s",
              diagnostics.items[0].message);
    diagnostics_close(&diagnostics);
    rt_close(device);
}
