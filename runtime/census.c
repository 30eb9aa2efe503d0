// SPDX-License-Identifier: Apache-2.0
// The range census of a launch: each thread leaves its counts in its scratch, and here they are added up.
#include "runtime/runtime_internal.h"

#include <string.h>

static KernelCensusState *states_of(const KernelInfo *kernel, uint8_t *scratch) {
    return (KernelCensusState *)(void *)(scratch + kernel->census_offset);
}

void rt_census_clear(const KernelInfo *kernel, uint8_t *scratch) {
    memset(states_of(kernel, scratch), 0, kernel->census_site_count * sizeof(KernelCensusState));
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

void rt_census_add(const KernelInfo *kernel, uint8_t *scratch, KernelCensusCount *counts) {
    for (uint32_t i = 0; i < kernel->census_site_count; i++) {
        const KernelCensusState *state = &states_of(kernel, scratch)[i];
        KernelCensusCount *count = &counts[i];
        raise(&count->largest, state->largest);
        lower(&count->smallest, state->smallest);
        raise(&count->own, state->own);
        raise(&count->lost, state->lost);
        for (unsigned c = 0; c < CENSUS_COUNTERS; c++)
            if (state->counters[c]) __atomic_fetch_add(&count->counters[c], state->counters[c], __ATOMIC_RELAXED);
    }
}
