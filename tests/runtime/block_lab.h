// SPDX-License-Identifier: Apache-2.0
// Kernels whose blocks have parts, without a compiler: C functions that call HostLaunch.operate as compiled code does.
// Memory of the block: two mbarriers and four objects of shared memory, one of tensor memory.
#ifndef CONGRUENT_TEST_BLOCK_LAB_H
#define CONGRUENT_TEST_BLOCK_LAB_H

#include "base/block_abi.h"
#include "runtime/rt.h"

#include <stdio.h>
#include <string.h>

enum {
    FULL = 0, // mbarriers
    EMPTY = 8,
    OTHER = 16,
    TILE = 1024, // bytes of an object
    A = 1024,
    B = 2048,
    C = 3072,
    D = 4096,
    T = 8192, // in tensor memory
    MEMORY = 12288,
    LAB_WORDS = 4096, // of the buffer
    LAB_PARTS = 6,
};
// Places: op and line are the same number.
enum {
    AT_ALLOCATE = 1,
    AT_INIT,
    AT_EXPECT,
    AT_LOAD,
    AT_WAIT,
    AT_READ,
    AT_WRITE,
    AT_ARRIVE,
    AT_FORK,
    AT_JOIN,
    AT_STORE,
    AT_GROUP,
    AT_WAIT_STORE,
    AT_PRODUCT,
    AT_COMMIT,
    AT_FENCE,
    AT_FREE,
    AT_INVALIDATE,
    AT_COPY,
    AT_OTHER,
    AT_WAIT_EMPTY,
    AT_WAIT_DONE,
    LAB_PLACES = AT_WAIT_DONE
};
static const KernelPlace lab_places[LAB_PLACES] = {
#define PLACE(place, text) [place - 1] = {.op = text, .at = {.file = "k.py", .line = place}}
    PLACE(AT_ALLOCATE, "alloc"),
    PLACE(AT_INIT, "init"),
    PLACE(AT_EXPECT, "expect"),
    PLACE(AT_LOAD, "tma_load"),
    PLACE(AT_WAIT, "wait"),
    PLACE(AT_READ, "local_load"),
    PLACE(AT_WRITE, "local_store"),
    PLACE(AT_ARRIVE, "arrive"),
    PLACE(AT_FORK, "warp_specialize"),
    PLACE(AT_JOIN, "join"),
    PLACE(AT_STORE, "tma_store"),
    PLACE(AT_GROUP, "group"),
    PLACE(AT_WAIT_STORE, "store_wait"),
    PLACE(AT_PRODUCT, "mma"),
    PLACE(AT_COMMIT, "commit"),
    PLACE(AT_FENCE, "fence"),
    PLACE(AT_FREE, "dealloc"),
    PLACE(AT_INVALIDATE, "inval"),
    PLACE(AT_COPY, "async_copy"),
    PLACE(AT_OTHER, "other"),
    PLACE(AT_WAIT_EMPTY, "wait_empty"),
    PLACE(AT_WAIT_DONE, "wait_done"),
#undef PLACE
};
static const KernelSite lab_site = {HOST_SITE_ASSERT, "assert", "of the lab", {.file = "k.py", .line = 99}};

// ---- what kernels and parts call. All have launch, scratch, x, y, z, fault.

#define LAB_ENTRY(name)                                                                                                \
    static uint32_t name(const HostLaunch *launch, void *scratch, uint32_t x, uint32_t y, uint32_t z, HostFault *fault)
#define LAB_UNUSED() (void)launch, (void)scratch, (void)x, (void)y, (void)z, (void)fault
#define DO(operation, place, ...)                                                                                      \
    launch->operate(launch, BLOCK_##operation, place, (const uint64_t[]){__VA_ARGS__},                                 \
                    sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))
#define DO_NOTHING_WITH(operation, place) launch->operate(launch, BLOCK_##operation, place, NULL, 0)
#define WHOLE(offset)                     (offset), 1, TILE, TILE // a piece

static inline uint32_t *lab_memory(const HostLaunch *launch, uint32_t parameters, uint64_t offset) {
    return (uint32_t *)(uintptr_t)(launch->arguments[parameters] + offset);
}
// The kernel has one parameter, the buffer.
static inline uint32_t *lab_bytes(const HostLaunch *launch, uint64_t offset) {
    return lab_memory(launch, 1, offset);
}
static inline uint32_t *lab_buffer(const HostLaunch *launch) {
    return (uint32_t *)(uintptr_t)launch->arguments[0];
}

// Part 1: copies a tile from (buffer, word) to an offset. Part 2: back.
LAB_ENTRY(lab_load) {
    LAB_UNUSED();
    memcpy(lab_memory(launch, 3, launch->arguments[2]), lab_buffer(launch) + launch->arguments[1], TILE);
    return 0;
}
LAB_ENTRY(lab_store) {
    LAB_UNUSED();
    memcpy(lab_buffer(launch) + launch->arguments[1], lab_memory(launch, 3, launch->arguments[2]), TILE);
    return 0;
}
// Part 3: d += a * b, or d = a * b, of tiles of words: (d, a, b, add).
LAB_ENTRY(lab_product) {
    LAB_UNUSED();
    uint32_t *d = lab_memory(launch, 4, launch->arguments[0]);
    const uint32_t *a = lab_memory(launch, 4, launch->arguments[1]), *b = lab_memory(launch, 4, launch->arguments[2]);
    for (int i = 0; i < TILE / 4; i++) d[i] = (launch->arguments[3] ? d[i] : 0) + a[i] * b[i];
    return 0;
}
enum { LOAD_PART = 1, STORE_PART, PRODUCT_PART, FIRST_PART }; // parts of the test: from FIRST_PART on

#define LOAD(barrier, offset, buffer, word)                                                                            \
    DO(ISSUE, AT_LOAD, BLOCK_LOADS, barrier, TILE, LOAD_PART, 1, BLOCK_WRITES, WHOLE(offset), buffer, word, offset)
#define COPY(offset, buffer, word)                                                                                     \
    DO(ISSUE, AT_COPY, BLOCK_COPIES, -1, 0, LOAD_PART, 1, BLOCK_WRITES, WHOLE(offset), buffer, word, offset)
#define STORE(offset, buffer, word)                                                                                    \
    DO(ISSUE, AT_STORE, BLOCK_STORES, -1, 0, STORE_PART, 1, BLOCK_READS, WHOLE(offset), buffer, word, offset)
#define PRODUCT(queue, d, a, b, add)                                                                                   \
    DO(ISSUE, AT_PRODUCT, queue, -1, 0, PRODUCT_PART, 3, add ? BLOCK_UPDATES : BLOCK_WRITES, WHOLE(d), BLOCK_READS,    \
       WHOLE(a), BLOCK_READS, WHOLE(b), d, a, b, add)

static inline void lab_allocate(const HostLaunch *launch) {
    for (uint64_t offset = A; offset <= D; offset += TILE) DO(ALLOCATE, AT_ALLOCATE, offset, TILE, BLOCK_SHARED, 0);
    DO(ALLOCATE, AT_ALLOCATE, T, TILE, BLOCK_TENSOR, 128);
}
// Its objects, and FULL for so many arrivals; the result is the buffer.
static inline uint32_t *lab_begin(const HostLaunch *launch, uint64_t arrivals) {
    lab_allocate(launch);
    DO(INIT, AT_INIT, FULL, arrivals);
    return lab_buffer(launch);
}
static inline void lab_read(const HostLaunch *launch, uint64_t offset) {
    DO(READ, AT_READ, WHOLE(offset));
}
static inline void lab_write(const HostLaunch *launch, uint32_t parameters, uint64_t offset, uint32_t first) {
    DO(WRITE, AT_WRITE, WHOLE(offset));
    for (uint32_t i = 0; i < TILE / 4; i++) lab_memory(launch, parameters, offset)[i] = first + i;
}

// ---- launches

typedef struct BlockLab {
    RtDevice *device;
    Diagnostics diagnostics;
    RtBuffer *buffer; // LAB_WORDS, word i is i at first
    KernelInfo kernel;
    KernelPart parts[LAB_PARTS];
    uint32_t grid;
    bool early, unchecked;
    Arena arena;
    RtFindings findings;
    uint32_t mistake, failing; // the last words of the buffer, for kernels that make one
    uint32_t words[LAB_WORDS]; // of the buffer after a launch
    char text[2000];           // what went wrong in the last launch
} BlockLab;

static inline void block_lab_open(BlockLab *lab, unsigned jobs, bool shadow, HostEntry *kernel, HostEntry *first,
                                  HostEntry *second) {
    static const bool copies[] = {true, false, false}, none[4];
    *lab = (BlockLab){.grid = 1};
    lab->parts[0] = (KernelPart){"load", 3, copies, 64, lab_load};
    lab->parts[1] = (KernelPart){"store", 3, copies, 64, lab_store};
    lab->parts[2] = (KernelPart){"product", 4, none, 64, lab_product};
    lab->parts[3] = (KernelPart){"first", 1, copies, 64, first};
    lab->parts[4] = (KernelPart){"second", 1, copies, 64, second};
    lab->kernel = (KernelInfo){.name = "lab",
                               .entry = kernel,
                               .parameter_count = 1,
                               .scratch_bytes = 64,
                               .memory_bytes = MEMORY,
                               .part_count = 5,
                               .parts = lab->parts,
                               .site_count = 1,
                               .sites = &lab_site,
                               .place_count = LAB_PLACES,
                               .places = lab_places};
    lab->device = rt_open_host(&lab->diagnostics,
                               &(RtDeviceOptions){.jobs = jobs, .address_range = (size_t)1 << 30, .shadow = shadow});
    lab->buffer = rt_alloc(lab->device, &lab->diagnostics, sizeof lab->words);
    lab->findings.arena = &lab->arena;
}

static inline void block_lab_close(BlockLab *lab) {
    rt_close(lab->device);
    diagnostics_close(&lab->diagnostics);
    arena_reset(&lab->arena);
}

static inline bool block_lab_run(BlockLab *lab) {
    const RtArgument argument = {lab->buffer->address, lab->buffer};
    for (uint32_t i = 0; i < LAB_WORDS; i++) lab->words[i] = i;
    lab->words[LAB_WORDS - 1] = lab->mistake;
    lab->words[LAB_WORDS - 2] = lab->failing;
    rt_copy_in(lab->device, &lab->diagnostics, lab->buffer, 0, lab->words, sizeof lab->words);
    diagnostics_close(&lab->diagnostics);
    const bool good = rt_launch(lab->device, &lab->diagnostics,
                                &(RtLaunch){.label = "test",
                                            .kernel = &lab->kernel,
                                            .grid = {lab->grid, 1, 1},
                                            .arguments = &argument,
                                            .async_early = lab->early,
                                            .unchecked = lab->unchecked,
                                            .findings = &lab->findings});
    rt_copy_out(lab->device, &lab->diagnostics, lab->buffer, 0, lab->words, sizeof lab->words);
    Buffer out = {0};
    diagnostics_text(&lab->diagnostics, &out);
    snprintf(lab->text, sizeof lab->text, "%s", out.data ? out.data : "");
    buffer_free(&out);
    return good;
}

#endif
