// SPDX-License-Identifier: Apache-2.0
// The range census of a launch: each block leaves its counts in its scratch, and here they are added up.
#include "runtime/runtime_internal.h"

#include <string.h>

void rt_census_clear(const KernelInfo *kernel, uint8_t *scratch) {
    memset(scratch + kernel->census_offset, 0, kernel->census_bytes);
}

// The largest of `count` integers of `width` bytes.
static uint64_t largest_of(const uint8_t *array, uint32_t count, uint32_t width) {
    uint64_t largest = 0;
#define LARGEST(type)                                                                                                  \
    {                                                                                                                  \
        const type *items = (const type *)(const void *)array;                                                         \
        type most = 0;                                                                                                 \
        for (uint32_t i = 0; i < count; i++) most = items[i] > most ? items[i] : most;                                 \
        largest = most;                                                                                                \
    }
    switch (width) {
    case 1: LARGEST(uint8_t); break;
    case 2: LARGEST(uint16_t); break;
    case 4: LARGEST(uint32_t); break;
    default: LARGEST(uint64_t); break;
    }
#undef LARGEST
    return largest;
}

// Threads add at the same time.
static void raise(uint64_t *to, uint64_t value) {
    uint64_t is = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (is < value && !__atomic_compare_exchange_n(to, &is, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

// 0 stands for none.
static void lower(uint64_t *to, uint64_t value) {
    uint64_t is = __atomic_load_n(to, __ATOMIC_RELAXED);
    while (value && (!is || is > value) &&
           !__atomic_compare_exchange_n(to, &is, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
    }
}

void rt_census_add(const KernelInfo *kernel, const uint8_t *scratch, KernelCensusCount *counts) {
    for (uint32_t i = 0; i < kernel->census_cell_count; i++) {
        const KernelCensusCell *cell = &kernel->census_cells[i];
        const KernelCensusSite *site = &kernel->census_sites[cell->site];
        const uint8_t *at = scratch + kernel->census_offset + cell->offset;
        const size_t bytes = (size_t)cell->lanes * cell->width, arrays = kernel_census_arrays(site) * bytes;
        uint64_t counters[CENSUS_COUNTERS];
        memcpy(counters, at + (arrays + 7) / 8 * 8, sizeof counters);
        if (!counters[CENSUS_RESULTS]) continue;
        KernelCensusCount *count = &counts[cell->site];
        const uint64_t mask = cell->width < 8 ? (UINT64_C(1) << 8 * cell->width) - 1 : UINT64_MAX;
        raise(&count->largest, largest_of(at, cell->lanes, cell->width));
        lower(&count->smallest, -largest_of(at + bytes, cell->lanes, cell->width) & mask);
        raise(&count->own, largest_of(at + 2 * bytes, cell->lanes, cell->width));
        if (site->cancels) raise(&count->lost, largest_of(at + 3 * bytes, cell->lanes, cell->width));
        for (unsigned c = 0; c < CENSUS_COUNTERS; c++)
            if (counters[c]) __atomic_fetch_add(&count->counters[c], counters[c], __ATOMIC_RELAXED);
    }
}
