// SPDX-License-Identifier: Apache-2.0
// Where the words of records are, for the files that read and write them.
#ifndef CONGRUENT_SHADOW_WORDS_H
#define CONGRUENT_SHADOW_WORDS_H

#include "runtime/runtime_internal.h"

#include <stddef.h>

static inline uint32_t *word_at(const HostShadow *shadow, unsigned width, unsigned word, uint64_t address) {
    uint64_t at = shadow->planes[width] + word * (shadow->plane_bytes >> width) + (address >> width) * sizeof(uint32_t);
    return (uint32_t *)(uintptr_t)at;
}

enum {
    COMPONENT = offsetof(HostRecord, component) / sizeof(uint32_t),
    DEEP = offsetof(HostRecord, component[4]) / sizeof(uint32_t),
    LOW = offsetof(HostRecord, low) / sizeof(uint32_t),
    STORE = offsetof(HostRecord, store) / sizeof(uint32_t)
};

// The words that records of that width have in the buffer: floats of less than 8 bytes have no high word, and the last
// components are those of deep towers. Who stored it has a part in those of the components.
static inline bool keeps_word(const RtBuffer *buffer, unsigned width, unsigned word) {
    if (word == STORE) return false;
    if (word >= DEEP && word < LOW) return buffer->deep;
    return width == 3 || word < HOST_RECORD_WORDS - 1;
}

#endif
