// SPDX-License-Identifier: Apache-2.0
// Buffers: alignment, zeroes, unmapped pages on both sides, and refusing what does not fit.
#include "runtime/rt.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static RtDevice *open_small(size_t range, bool shadow) {
    Diagnostics diagnostics = {0};
    RtDevice *device =
        rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = 1, .address_range = range, .shadow = shadow});
    cr_assert(device);
    return device;
}

// Whether the byte at the address can be read, asked of the kernel and not by trying.
static bool is_mapped(uint64_t address) {
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    ssize_t written = write(ends[1], (const void *)(uintptr_t)address, 1);
    int reason = errno;
    close(ends[0]);
    close(ends[1]);
    cr_assert(written == 1 || reason == EFAULT);
    return written == 1;
}

Test(buffers, are_aligned_zeroed_and_walled_in) {
    static const size_t sizes[] = {1, 63, 64, 65, 4032, 4095, 4096, 4097, 8192, 100000, (5 << 20) + 4097};
    RtDevice *device = open_small((size_t)1 << 26, false);
    Diagnostics diagnostics = {0};
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    for (size_t i = 0; i < BASE_COUNT(sizes); i++) {
        RtBuffer *buffer = rt_alloc(device, &diagnostics, sizes[i]);
        cr_assert(buffer);
        const uint64_t end = buffer->address + sizes[i], wall = (end + page - 1) / page * page;
        cr_expect_eq(buffer->address % 64, 0);
        cr_expect_lt(wall - end, 64, "size %zu ends %d bytes before the unmapped page", sizes[i], (int)(wall - end));
        cr_expect(is_mapped(buffer->address) && is_mapped(end - 1));
        cr_expect_not(is_mapped(wall));
        cr_expect_not(is_mapped(buffer->address / page * page - 1));
        uint8_t *bytes = malloc(sizes[i]);
        memset(bytes, 1, sizes[i]);
        rt_copy_out(device, NULL, buffer, 0, bytes, sizes[i]);
        for (size_t k = 0; k < sizes[i]; k++) cr_assert_eq(bytes[k], 0);
        free(bytes);
    }
    rt_close(device);
}

Test(buffers, freed_memory_is_unmapped_and_comes_back_zeroed) {
    RtDevice *device = open_small((size_t)1 << 20, true);
    Diagnostics diagnostics = {0};
    for (int i = 0; i < 1000; i++) { // far more than the range holds at once
        RtBuffer *buffer = rt_alloc(device, &diagnostics, 100000);
        cr_assert(buffer);
        uint64_t last = 0, mark = UINT64_MAX;
        rt_copy_out(device, NULL, buffer, 99992, &last, 8);
        cr_assert_eq(last, 0);
        rt_copy_in(device, NULL, buffer, 99992, &mark, 8);
        uint64_t address = buffer->address;
        rt_free(device, buffer);
        cr_assert_not(is_mapped(address));
    }
    rt_free(device, NULL);
    rt_close(device);
}

Test(buffers, those_set_aside_are_taken_again) {
    RtDevice *device = open_small((size_t)1 << 20, true);
    Diagnostics diagnostics = {0};
    RtBuffer *a = rt_alloc(device, &diagnostics, 100000), *b = rt_alloc(device, &diagnostics, 5000);
    const HostRecord record = {.component = {1, 2, 3, 4}};
    HostRecord found;
    rt_put_record(device, a, 8, 4, &record);
    const uint64_t address = a->address, other = b->address;
    rt_set_aside(device, a);
    rt_set_aside(device, b);
    RtBuffer *taken[2];
    const size_t sizes[] = {100000, 5000};
    cr_assert(rt_take_aside(device, 2, sizes, taken));
    a = taken[0], b = taken[1];
    cr_assert_eq(a->address, address);
    cr_assert_eq(b->address, other);
    cr_expect_not(rt_get_record(device, a, 8, 4, &found));
    // Others would lie elsewhere than without this: fewer, more, other sizes, another order.
    static const size_t others[][3] = {{100000}, {100000, 5000, 1}, {100000, 4999}, {5000, 100000}};
    static const uint32_t counts[] = {1, 3, 2, 2};
    for (size_t i = 0; i < BASE_COUNT(others); i++) {
        RtBuffer *more[3];
        rt_set_aside(device, a);
        rt_set_aside(device, b);
        cr_expect_not(rt_take_aside(device, counts[i], others[i], more));
        cr_expect_not(is_mapped(address));
        cr_expect_not(is_mapped(other));
        a = rt_alloc(device, &diagnostics, 100000), b = rt_alloc(device, &diagnostics, 5000);
        cr_expect_eq(a->address, address);
        cr_expect_eq(b->address, other);
    }
    // They make room where there is none.
    rt_free(device, b);
    rt_set_aside(device, a);
    cr_expect(rt_alloc(device, &diagnostics, 950000));
    cr_expect_not(rt_alloc(device, &diagnostics, 100000));
    rt_close(device);
}

static void count_part(void *data, uint32_t part) {
    uint32_t *parts = data;
    __atomic_add_fetch(&parts[part], 1, __ATOMIC_RELAXED);
}

Test(buffers, work_is_shared_out) {
    enum { PARTS = 1000 };
    for (unsigned jobs = 1; jobs <= 3; jobs++) {
        Diagnostics diagnostics = {0};
        RtDevice *device = rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = jobs});
        uint32_t parts[PARTS] = {0};
        rt_share_out(device, 0, count_part, parts);
        rt_share_out(device, PARTS, count_part, parts);
        rt_share_out(device, 1, count_part, parts);
        for (unsigned i = 0; i < PARTS; i++) cr_assert_eq(parts[i], 1u + (i == 0));
        rt_close(device);
    }
}

Test(buffers, gaps_are_used_again) {
    RtDevice *device = open_small((size_t)1 << 20, false);
    Diagnostics diagnostics = {0};
    RtBuffer *a = rt_alloc(device, &diagnostics, 4096), *b = rt_alloc(device, &diagnostics, 8192),
             *c = rt_alloc(device, &diagnostics, 4096);
    uint64_t old = b->address;
    cr_assert(a->address < b->address && b->address < c->address);
    rt_free(device, b);
    RtBuffer *d = rt_alloc(device, &diagnostics, 8192), *e = rt_alloc(device, &diagnostics, 4096);
    cr_expect_eq(d->address, old);
    cr_expect_gt(e->address, c->address);
    rt_close(device);
}

// For huge pages. A range without room for that has the buffer all the same.
Test(buffers, large_ones_begin_at_two_megabytes) {
    enum { HUGE_PAGE = 2 << 20 };
    RtDevice *device = open_small((size_t)1 << 26, true), *narrow = open_small((size_t)1 << 22, false);
    Diagnostics diagnostics = {0};
    for (int i = 0; i < 3; i++) {
        RtBuffer *buffer = rt_alloc(device, &diagnostics, (2 + i) * (size_t)HUGE_PAGE);
        cr_assert(buffer);
        cr_expect_eq(buffer->address % HUGE_PAGE, 0);
        cr_expect_not(is_mapped(buffer->address - 1));
        cr_expect_not(is_mapped(buffer->address + buffer->size));
    }
    cr_expect(rt_alloc(narrow, &diagnostics, ((size_t)1 << 22) - 8192));
    rt_close(device);
    rt_close(narrow);
}

Test(buffers, copies_reach_their_bytes_and_no_others) {
    RtDevice *device = open_small((size_t)1 << 22, true);
    Diagnostics diagnostics = {0};
    RtBuffer *buffer = rt_alloc(device, &diagnostics, 16);
    uint32_t in[3] = {11, 22, 33}, out[4];
    rt_copy_in(device, NULL, buffer, 4, in, 8);
    rt_copy_out(device, NULL, buffer, 0, out, sizeof out);
    cr_expect(out[0] == 0 && out[1] == 11 && out[2] == 22 && out[3] == 0);
    rt_close(device);
}

Test(buffers, empty_buffers_are_fine) {
    RtDevice *device = open_small(0, false);
    Diagnostics diagnostics = {0};
    RtBuffer *buffer = rt_alloc(device, &diagnostics, 0);
    cr_assert(buffer);
    cr_expect_eq(buffer->size, 0);
    rt_copy_in(device, NULL, buffer, 0, NULL, 0);
    rt_copy_out(device, NULL, buffer, 0, NULL, 0);
    rt_close(device);
}

Test(buffers, what_does_not_fit_is_refused) {
    static const size_t sizes[] = {1 << 20, (1 << 20) - 4096, SIZE_MAX, SIZE_MAX - 4095, SIZE_MAX / 2};
    RtDevice *device = open_small((size_t)1 << 20, false);
    for (size_t i = 0; i < BASE_COUNT(sizes); i++) {
        Diagnostics diagnostics = {0};
        cr_expect_null(rt_alloc(device, &diagnostics, sizes[i]));
        cr_assert_eq(diagnostics.count, 1);
        cr_expect_eq(diagnostics.items[0].code, E_RUNTIME);
        diagnostics_close(&diagnostics);
    }
    Diagnostics diagnostics = {0};
    cr_expect(rt_alloc(device, &diagnostics, (1 << 20) - 8192)); // all but the two walls
    cr_expect_null(rt_alloc(device, &diagnostics, 1));
    diagnostics_close(&diagnostics);
    rt_close(device);
}

Test(buffers, a_range_that_cannot_be_had_is_an_error) {
    static const size_t ranges[] = {(size_t)1 << 62, 4096};
    for (size_t i = 0; i < BASE_COUNT(ranges); i++) {
        Diagnostics diagnostics = {0};
        cr_expect_null(rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = 2, .address_range = ranges[i]}));
        cr_assert_eq(diagnostics.count, 1);
        cr_expect_eq(diagnostics.items[0].code, E_RUNTIME);
        diagnostics_close(&diagnostics);
    }
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) // they need more addresses themselves
Test(buffers, the_default_range_shrinks_to_what_there_is) {
    struct rlimit limit = {(rlim_t)12 << 30, (rlim_t)12 << 30};
    Diagnostics diagnostics = {0};
    cr_assert_eq(setrlimit(RLIMIT_AS, &limit), 0);
    for (unsigned shadow = 0; shadow < 2; shadow++) {
        RtDevice *device = rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = 1, .shadow = shadow});
        cr_assert(device);
        cr_expect(rt_alloc(device, &diagnostics, (size_t)1 << (shadow ? 26 : 28)));
        rt_close(device);
    }
    cr_expect_null(rt_open_host(&diagnostics, &(RtDeviceOptions){.jobs = 1, .address_range = (size_t)64 << 30}));
    cr_assert_eq(diagnostics.count, 1);
    diagnostics_close(&diagnostics);
}
#endif
