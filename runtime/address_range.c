// SPDX-License-Identifier: Apache-2.0
// Buffers in one reserved range of addresses: every buffer has unmapped pages on both sides.
#include "runtime/runtime_internal.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUFFER_ALIGNMENT = 64, HUGE_PAGE = 2 << 20 };
#define DEFAULT_RANGE       ((size_t)64 << 30)
#define LEAST_DEFAULT_RANGE ((size_t)1 << 30)
#define LEAST_SHADOW_RANGE  ((size_t)1 << 26) // and 60 times as much for the records

static size_t round_up(size_t size, size_t unit) {
    return (size + unit - 1) / unit * unit;
}

// Sizes are multiples of 8 pages, as shadow memory wants them.
static bool reserve(RtRange *range, RtShadow *shadow, size_t size) {
    size = size / (8 * range->page) * (8 * range->page);
    void *base = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED) return false;
    if (shadow && !rt_shadow_open(shadow, base, size, range->page)) {
        int reason = errno;
        munmap(base, size);
        errno = reason;
        return false;
    }
    range->base = base;
    range->size = size;
    return true;
}

bool rt_range_open(RtRange *range, RtShadow *shadow, Diagnostics *diagnostics, size_t size) {
    const bool by_default = !size;
    range->page = (size_t)sysconf(_SC_PAGESIZE);
    if (by_default) size = DEFAULT_RANGE;
    if (size < 8 * range->page)
        return diag_fail(diagnostics, (Location){0}, E_RUNTIME,
                         "an address range of %zu bytes is too small for a buffer", size);
    bool good = reserve(range, shadow, size);
    const size_t least = shadow ? LEAST_SHADOW_RANGE : LEAST_DEFAULT_RANGE;
    for (; !good && by_default && size > least; good = reserve(range, shadow, size)) size /= 2; // under ulimit -v
    return good || diag_fail(diagnostics, (Location){0}, E_RUNTIME, "cannot reserve %zu bytes of addresses%s: %s", size,
                             shadow ? " and 60 times as many for shadow memory" : "", strerror(errno));
}

void rt_range_close(RtRange *range) {
    for (RtBuffer *next, *buffer = range->buffers; buffer; buffer = next) {
        next = buffer->next;
        free(buffer);
    }
    if (range->base) munmap(range->base, range->size);
    *range = (RtRange){0};
}

// The mapped pages of a buffer: a whole number of pages, the buffer at their end.
static size_t mapped_size(const RtRange *range, size_t size) {
    return round_up(size ? size : 1, range->page);
}
static uint8_t *mapped_begin(const RtRange *range, const RtBuffer *buffer) {
    return (uint8_t *)(buffer->address / range->page * range->page);
}

// Large buffers ask for huge pages, and begin at one: kernels walk along rows that lie pages apart, and the processor
// remembers the places of only so many pages.
static bool is_large(size_t mapped) {
    return mapped >= (size_t)HUGE_PAGE;
}

// Unmapping is mapping nothing over it: the pages go back to the system, the addresses stay reserved.
static void unmap_pages(uint8_t *begin, size_t size) {
    void *at = mmap(begin, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    (void)at; // a failure leaves the pages mapped, which costs memory and nothing else
}

static bool map_pages(uint8_t *begin, size_t size) {
    if (!mprotect(begin, size, PROT_READ | PROT_WRITE)) {
        if (is_large(size)) madvise(begin, size, MADV_HUGEPAGE); // a wish: without it they are ordinary pages
        return true;
    }
    int reason = errno;
    unmap_pages(begin, size);
    errno = reason;
    return false;
}

// The first gap that holds `size` bytes between two unmapped pages; large buffers are aligned where there is room.
// Gives the link where the buffer belongs; NULL if there is none.
static RtBuffer **find_gap(RtRange *range, size_t size, uint8_t **begin) {
    uint8_t *from = range->base, *end = range->base + range->size;
    for (RtBuffer **link = &range->buffers;; link = &(*link)->next) {
        uint8_t *to = *link ? mapped_begin(range, *link) : end;
        const size_t gap = (size_t)(to - from);
        size_t before = is_large(size) ? round_up((uintptr_t)from + range->page, HUGE_PAGE) - (uintptr_t)from : 0;
        if (!before || gap < size + before + range->page) before = range->page;
        if (size <= gap && gap - size >= before + range->page) {
            *begin = from + before;
            return link;
        }
        if (!*link) return NULL;
        from = mapped_begin(range, *link) + mapped_size(range, (*link)->size);
    }
}

bool rt_range_has_room(RtRange *range, size_t size) {
    uint8_t *begin;
    return size <= range->size && find_gap(range, mapped_size(range, size), &begin);
}

RtBuffer *rt_range_alloc(RtRange *range, Diagnostics *diagnostics, size_t size) {
    uint8_t *begin;
    RtBuffer **link = size <= range->size ? find_gap(range, mapped_size(range, size), &begin) : NULL;
    if (!link) {
        diag_fail(diagnostics, (Location){0}, E_RUNTIME,
                  "a buffer of %zu bytes does not fit into the address range of %zu bytes", size, range->size);
        return NULL;
    }
    size_t mapped = mapped_size(range, size);
    RtBuffer *buffer = calloc(1, sizeof *buffer);
    if (!buffer || !map_pages(begin, mapped)) {
        diag_fail(diagnostics, (Location){0}, E_RUNTIME, "no memory for a buffer of %zu bytes: %s", size,
                  strerror(errno));
        free(buffer);
        return NULL;
    }
    buffer->address = (uint64_t)(uintptr_t)(begin + mapped - round_up(size ? size : 1, BUFFER_ALIGNMENT));
    buffer->size = size;
    buffer->next = *link;
    *link = buffer;
    return buffer;
}

void rt_range_free(RtRange *range, RtBuffer *buffer) {
    if (!buffer) return;
    RtBuffer **link = &range->buffers;
    while (*link && *link != buffer) link = &(*link)->next;
    assert(*link && "a buffer of another device");
    *link = buffer->next;
    unmap_pages(mapped_begin(range, buffer), mapped_size(range, buffer->size));
    free(buffer);
}

uint64_t rt_range_unfilled(const RtRange *range, Arena *arena, HostUnfilled **list) {
    uint64_t count = 0;
    for (const RtBuffer *buffer = range->buffers; buffer; buffer = buffer->next) count += buffer->unfilled;
    *list = arena_array(arena, HostUnfilled, count + 1);
    count = 0;
    for (const RtBuffer *buffer = range->buffers; buffer; buffer = buffer->next)
        if (buffer->unfilled)
            (*list)[count++] = (HostUnfilled){buffer->address, buffer->address + buffer->size, buffer->origin};
    return count;
}
