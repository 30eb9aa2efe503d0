// SPDX-License-Identifier: Apache-2.0
// For each block how much of it another one has seen: maps from blocks to numbers that share what they have in common.
// A map is the root of a tree with 16 branches at each node; nodes never change.
#include "runtime/races.h"

#include <stdlib.h>
#include <string.h>

enum { BRANCH_BITS = 4, BRANCHES = 1 << BRANCH_BITS };
static const size_t NODES_MAX = (size_t)1 << 23; // 512 MiB

void race_clocks_open(RaceClocks *clocks, uint64_t blocks) {
    *clocks = (RaceClocks){.depth = 1, .count = 1};
    while (clocks->depth < 8 && blocks > UINT64_C(1) << BRANCH_BITS * clocks->depth) clocks->depth++;
}

void race_clocks_close(RaceClocks *clocks) {
    free(clocks->nodes);
    *clocks = (RaceClocks){0};
}

static uint32_t add_node(RaceClocks *clocks, const uint32_t *node) {
    if (clocks->count >= clocks->capacity) {
        size_t capacity = clocks->capacity ? 2 * clocks->capacity : 1024;
        uint32_t(*nodes)[BRANCHES] = capacity > NODES_MAX ? NULL : realloc(clocks->nodes, capacity * sizeof *nodes);
        if (!nodes) {
            clocks->full = true;
            return 0;
        }
        clocks->nodes = nodes;
        clocks->capacity = capacity;
    }
    memcpy(clocks->nodes[clocks->count], node, sizeof clocks->nodes[0]);
    return (uint32_t)clocks->count++;
}

static unsigned branch_of(uint64_t block, unsigned level) {
    return (unsigned)(block >> BRANCH_BITS * level) & (BRANCHES - 1);
}

uint32_t race_clock_get(const RaceClocks *clocks, uint32_t map, uint64_t block) {
    for (unsigned level = clocks->depth; map && level-- > 0;) map = clocks->nodes[map][branch_of(block, level)];
    return map;
}

static uint32_t set(RaceClocks *clocks, uint32_t map, uint64_t block, uint32_t value, unsigned level) {
    uint32_t node[BRANCHES] = {0}, *own = &node[branch_of(block, level)];
    if (map) memcpy(node, clocks->nodes[map], sizeof node);
    *own = level ? set(clocks, *own, block, value, level - 1) : value;
    return add_node(clocks, node);
}

uint32_t race_clock_set(RaceClocks *clocks, uint32_t map, uint64_t block, uint32_t value) {
    return set(clocks, map, block, value, clocks->depth - 1);
}

static uint32_t join(RaceClocks *clocks, uint32_t a, uint32_t b, unsigned level) {
    if (a == b || !b) return a;
    if (!a) return b;
    uint32_t node[BRANCHES];
    bool is_a = true, is_b = true;
    for (unsigned i = 0; i < BRANCHES; i++) {
        uint32_t x = clocks->nodes[a][i], y = clocks->nodes[b][i];
        node[i] = level ? join(clocks, x, y, level - 1) : x > y ? x : y;
        is_a &= node[i] == clocks->nodes[a][i];
        is_b &= node[i] == clocks->nodes[b][i];
    }
    return is_a ? a : is_b ? b : add_node(clocks, node);
}

uint32_t race_clock_join(RaceClocks *clocks, uint32_t a, uint32_t b) {
    return join(clocks, a, b, clocks->depth - 1);
}
