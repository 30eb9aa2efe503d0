// SPDX-License-Identifier: Apache-2.0
// What is seen at a glance of elements of two runs with payloads: most are equal, and need nothing that others ask for.
#ifndef CONGRUENT_FPD_GLANCE_H
#define CONGRUENT_FPD_GLANCE_H

#include "diff/compare.h"

#include <string.h>

// What it takes to see of most elements that they are equal, without all that others ask for.
typedef struct FpdGlance {
    const Tower *tower; // NULL: it tells nothing
    unsigned width;     // of an element, in bytes
    uint64_t mask;      // fpd_exponent_mask
    const uint8_t *bytes[2];
    const HostRecord *records[2];
} FpdGlance;

static inline FpdGlance fpd_glance_at(const FpdCase *cas, uint32_t compared, const FpdRun *left, const FpdRun *right) {
    const FpdBuffer *buffer = &cas->buffers[cas->compare[compared]];
    FpdGlance g = {.width = element_info(buffer->type)->storage_bits / 8, .mask = fpd_exponent_mask(buffer->type)};
    const FpdRun *const runs[] = {left, right};
    for (int side = 0; side < 2; side++) {
        g.bytes[side] = runs[side]->bytes[compared];
        g.records[side] = runs[side]->records ? runs[side]->records[compared] : NULL;
    }
    if (g.mask && g.records[0] && g.records[1] && left->tower == right->tower) g.tower = left->tower;
    return g;
}

// True only where fpd_element_verdict is EQUAL: both have records, numbers that are no NaN, and payloads that are
// finite and the same, in fields of which one is known.
static inline bool fpd_equal_at_a_glance(const FpdGlance *g, uint64_t index) {
    if (!g->tower) return false;
    const HostRecord *a = &g->records[0][index], *b = &g->records[1][index];
    const uint32_t states = a->state | b->state;
    bool good = a->state & b->state & HOST_RECORD_VALID && !(states & (TOWER_KIND | TOWER_POISON)) &&
                !memcmp(a->component, b->component, sizeof a->component) &&
                tower_group(g->tower, states, TOWER_MISSING_SHIFT) != tower_components(g->tower);
    for (int side = 0; side < 2 && good; side++) {
        const HostRecord *record = side ? b : a;
        const uint64_t bits = fpd_bits_at(g->bytes[side], g->width, index);
        good = ((uint64_t)record->high << 32 | record->low) == bits && (bits & g->mask) != g->mask;
    }
    return good;
}

static inline bool fpd_all_equal_at_a_glance(const FpdCase *cas, uint32_t compared, const FpdRun *left,
                                             const FpdRun *right) {
    const FpdGlance g = fpd_glance_at(cas, compared, left, right);
    uint64_t i = 0;
    while (i < cas->buffers[cas->compare[compared]].elements && fpd_equal_at_a_glance(&g, i)) i++;
    return i == cas->buffers[cas->compare[compared]].elements;
}

// What fpd_element_of gives of such an element.
static inline FpdShadowed fpd_element_at_a_glance(const FpdGlance *g, int side, uint64_t index) {
    const HostRecord *record = &g->records[side][index];
    FpdShadowed element = {.tower = g->tower, .record = record, .bits = fpd_bits_at(g->bytes[side], g->width, index)};
    element.payload.state = record->state & ~HOST_RECORD_VALID;
    for (unsigned i = 0; i < g->tower->length; i++) element.payload.component[i] = record->component[i];
    return element;
}

#endif
