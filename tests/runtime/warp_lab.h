// SPDX-License-Identifier: Apache-2.0
// Kernels of warps without a compiler: C functions that call WarpOps as compiled code does.
#ifndef CONGRUENT_TEST_WARP_LAB_H
#define CONGRUENT_TEST_WARP_LAB_H

#include "runtime/rt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARP_LAB_BUFFERS = 2, WARP_LAB_BUFFER_BYTES = 1 << 16, WARP_LAB_PLACES = 10 };
#define ALL UINT32_MAX

static const KernelPlace warp_lab_places[WARP_LAB_PLACES] = {
    {.op = "ld.a", .at = {.file = "k.ptx", .line = 1}},       {.op = "st.a", .at = {.file = "k.ptx", .line = 2}},
    {.op = "ld.b", .at = {.file = "k.ptx", .line = 3}},       {.op = "st.b", .at = {.file = "k.ptx", .line = 4}},
    {.op = "atom", .at = {.file = "k.ptx", .line = 5}},       {.op = "bar.sync", .at = {.file = "k.ptx", .line = 6}},
    {.op = "bar.arrive", .at = {.file = "k.ptx", .line = 7}}, {.op = "mbarrier", .at = {.file = "k.ptx", .line = 8}},
    {.op = "try_wait", .at = {.file = "k.ptx", .line = 9}},   {.op = "other", .at = {.file = "k.ptx", .line = 10}},
};
enum { LOAD_A = 1, STORE_A, LOAD_B, STORE_B, ATOM, BARRIER, ARRIVE, MBARRIER, TRY_WAIT, OTHER };

typedef struct WarpLabParameters {
    uint64_t a, b, number;
} WarpLabParameters;

typedef struct WarpLab {
    RtDevice *device;
    Diagnostics diagnostics, warnings;
    RtBuffer *buffers[WARP_LAB_BUFFERS]; // a and b
    KernelInfo kernel;
    RtThreads threads;
    uint32_t grid[3];
    char text[2000]; // what went wrong in the last launch
} WarpLab;

static inline WarpLab warp_lab_open(unsigned jobs, WarpEntry *entry, uint32_t threads, uint32_t shared) {
    static const char *const names[] = {"a", "b"};
    static const KernelParameter layout[] = {{0, 8, 8}, {8, 8, 8}, {16, 8, 8}};
    WarpLab lab = {.kernel = {.name = "lab",
                              .warp = entry,
                              .parameter_count = 3,
                              .parameter_layout = layout,
                              .parameter_bytes = sizeof(WarpLabParameters),
                              .prints = true,
                              .local_bytes = 64,
                              .place_count = WARP_LAB_PLACES,
                              .places = warp_lab_places},
                   .threads = {.block = {threads, 1, 1}, .cluster = {1, 1, 1}, .shared_bytes = shared},
                   .grid = {1, 1, 1}};
    lab.device = rt_open_host(&lab.diagnostics, &(RtDeviceOptions){.jobs = jobs, .address_range = (size_t)1 << 28});
    for (int i = 0; i < WARP_LAB_BUFFERS && lab.device; i++) {
        lab.buffers[i] = rt_alloc(lab.device, &lab.diagnostics, WARP_LAB_BUFFER_BYTES);
        lab.buffers[i]->name = names[i];
    }
    return lab;
}

static inline void warp_lab_close(WarpLab *lab) {
    rt_close(lab->device);
    diagnostics_close(&lab->diagnostics);
    diagnostics_close(&lab->warnings);
}

static inline bool warp_lab_run(WarpLab *lab, uint64_t number) {
    const WarpLabParameters parameters = {lab->buffers[0]->address, lab->buffers[1]->address, number};
    RtThreads threads = lab->threads;
    threads.parameters = (const uint8_t *)&parameters;
    threads.buffers = lab->buffers;
    threads.buffer_count = WARP_LAB_BUFFERS;
    diagnostics_close(&lab->diagnostics);
    diagnostics_close(&lab->warnings);
    const bool good = rt_launch(lab->device, &lab->diagnostics,
                                &(RtLaunch){.label = "test",
                                            .kernel = &lab->kernel,
                                            .grid = {lab->grid[0], lab->grid[1], lab->grid[2]},
                                            .threads = &threads,
                                            .warnings = &lab->warnings});
    Buffer out = {0};
    for (size_t i = 0; i < lab->diagnostics.count; i++) diag_print(&lab->diagnostics.items[i], &out);
    snprintf(lab->text, sizeof lab->text, "%s", out.data ? out.data : "");
    buffer_free(&out);
    return good;
}

// The contents of a buffer, as words.
static inline void warp_lab_words(WarpLab *lab, int buffer, uint32_t *words, size_t count) {
    rt_copy_out(lab->device, &lab->diagnostics, lab->buffers[buffer], 0, words, count * 4);
}

// ---- what kernels are made of

static inline const WarpLabParameters *warp_lab_parameters(const WarpState *w) {
    return (const WarpLabParameters *)(const void *)w->parameters;
}

typedef struct LabWords {
    uint32_t lane[WARP_LANES];
} LabWords;

// A pattern of addresses: lane l at base + l * stride.
static inline void lab_addresses(uint64_t base, int64_t stride, uint64_t addresses[WARP_LANES]) {
    for (uint32_t l = 0; l < WARP_LANES; l++) addresses[l] = base + (uint64_t)((int64_t)l * stride);
}

static inline LabWords lab_load_as(WarpState *w, uint32_t mask, uint32_t place, uint32_t space, uint32_t flags,
                                   uint64_t base, int64_t stride) {
    const WarpAccess access = {
        .place = place, .space = (uint8_t)space, .bytes = 4, .count = 1, .flags = (uint8_t)flags};
    uint64_t addresses[WARP_LANES];
    LabWords words = {{0}};
    lab_addresses(base, stride, addresses);
    w->ops->load(w, mask, &access, addresses, &words);
    return words;
}
static inline void lab_store_as(WarpState *w, uint32_t mask, uint32_t place, uint32_t space, uint32_t flags,
                                uint64_t base, int64_t stride, LabWords words) {
    const WarpAccess access = {
        .place = place, .space = (uint8_t)space, .bytes = 4, .count = 1, .flags = (uint8_t)flags};
    uint64_t addresses[WARP_LANES];
    lab_addresses(base, stride, addresses);
    w->ops->store(w, mask, &access, addresses, &words);
}
// Shared memory: `base` is counted from its first byte on.
static inline LabWords lab_load(WarpState *w, uint32_t mask, uint32_t place, uint64_t base, int64_t stride) {
    return lab_load_as(w, mask, place, WARP_SHARED, 0, WARP_SHARED_FIRST + base, stride);
}
static inline void lab_store(WarpState *w, uint32_t mask, uint32_t place, uint64_t base, int64_t stride,
                             LabWords words) {
    lab_store_as(w, mask, place, WARP_SHARED, 0, WARP_SHARED_FIRST + base, stride, words);
}
static inline LabWords lab_threads(const WarpState *w) {
    LabWords words;
    for (uint32_t l = 0; l < WARP_LANES; l++) words.lane[l] = w->warp * WARP_LANES + l;
    return words;
}
static inline LabWords lab_all(uint32_t value) {
    LabWords words;
    for (uint32_t l = 0; l < WARP_LANES; l++) words.lane[l] = value;
    return words;
}

static inline void lab_add_combine(const void *old, const void *operand, const void *swap, void *result) {
    (void)swap;
    *(uint32_t *)result = *(const uint32_t *)old + *(const uint32_t *)operand;
}
static inline LabWords lab_add(WarpState *w, uint32_t mask, uint32_t space, uint32_t flags, uint64_t base,
                               int64_t stride, LabWords operands) {
    const WarpAccess access = {.place = ATOM, .space = (uint8_t)space, .bytes = 4, .count = 1, .flags = (uint8_t)flags};
    uint64_t addresses[WARP_LANES];
    LabWords old = {{0}};
    lab_addresses(base, stride, addresses);
    w->ops->atomic(w, mask, &access, lab_add_combine, addresses, &operands, NULL, &old);
    return old;
}

// An operation with up to three operands that are the same in all lanes. Returns its result; *first receives operand 0
// of the lowest lane.
static inline uint32_t lab_do(WarpState *w, uint32_t mask, uint32_t place, uint32_t kind, const uint32_t detail[4],
                              const uint64_t operand[3], uint64_t *first) {
    WarpOperation operation = {.place = place, .kind = kind};
    WarpLanes operands[3];
    for (int i = 0; detail && i < 4; i++) operation.detail[i] = detail[i];
    for (int i = 0; i < 3; i++)
        for (uint32_t l = 0; l < WARP_LANES; l++) operands[i][l] = operand ? operand[i] : 0;
    const uint32_t result = w->ops->operate(w, mask, &operation, operands, NULL);
    if (first) *first = operands[0][__builtin_ctz(mask)];
    return result;
}
#define DETAIL(...)  ((const uint32_t[4]){__VA_ARGS__})
#define OPERAND(...) ((const uint64_t[3]){__VA_ARGS__})

static inline void lab_barrier(WarpState *w, uint32_t number, uint32_t threads) {
    uint64_t token;
    lab_do(w, w->alive, BARRIER, WARP_BARRIER_ARRIVE, DETAIL(1, 1), OPERAND(number, threads), &token);
    lab_do(w, w->alive, BARRIER, WARP_BARRIER_WAIT, NULL, OPERAND(number, token), NULL);
}
static inline void lab_arrive(WarpState *w, uint32_t number, uint32_t threads) {
    lab_do(w, w->alive, ARRIVE, WARP_BARRIER_ARRIVE, DETAIL(1, 0), OPERAND(number, threads), NULL);
}
static inline void lab_sync(WarpState *w, uint32_t mask) {
    lab_do(w, mask, OTHER, WARP_WARP_SYNC, NULL, NULL, NULL);
}
static inline void lab_fence_async(WarpState *w, uint32_t mask) {
    lab_do(w, mask, OTHER, WARP_FENCE, DETAIL(WARP_FENCE_ASYNC), NULL, NULL);
}
// mbarriers; `at` is counted from the first byte of shared memory on.
static inline void lab_init(WarpState *w, uint32_t mask, uint64_t at, uint64_t count) {
    lab_do(w, mask, MBARRIER, WARP_MBARRIER_INIT, DETAIL(WARP_SHARED), OPERAND(WARP_SHARED_FIRST + at, count), NULL);
}
static inline uint64_t lab_mbarrier_arrive(WarpState *w, uint32_t mask, uint64_t at, uint64_t count, uint64_t bytes) {
    uint64_t state;
    lab_do(w, mask, MBARRIER, WARP_MBARRIER_ARRIVE, DETAIL(WARP_SHARED, WARP_RELEASE, 0, bytes ? 1 : 0),
           OPERAND(WARP_SHARED_FIRST + at, count, bytes), &state);
    return state;
}
static inline void lab_complete(WarpState *w, uint32_t mask, uint64_t at, uint64_t bytes) {
    lab_do(w, mask, MBARRIER, WARP_MBARRIER_COMPLETE, DETAIL(WARP_SHARED), OPERAND(WARP_SHARED_FIRST + at, bytes),
           NULL);
}
// As compiled code loops: until all lanes have seen the phase end.
static inline void lab_loop(WarpState *w) {
    if (!--w->budget) w->ops->loop(w, OTHER);
}
static inline void lab_wait(WarpState *w, uint32_t mask, uint64_t at, uint64_t parity) {
    while (lab_do(w, mask, TRY_WAIT, WARP_MBARRIER_WAIT, DETAIL(WARP_SHARED, WARP_ACQUIRE, 0, 3),
                  OPERAND(WARP_SHARED_FIRST + at, parity), NULL) != mask)
        lab_loop(w);
}
static inline void lab_end(WarpState *w) {
    w->ops->exit(w, w->alive);
}

#endif
