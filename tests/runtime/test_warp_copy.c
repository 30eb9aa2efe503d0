// SPDX-License-Identifier: Apache-2.0
// Copy engines: what they copy, who is told, and what kernels do wrong with them.
#include "tests/runtime/tensor_lab.h"

#include <criterion/criterion.h>

enum { SHARED = 64 << 10, BARRIER_AT = SHARED - 64, TILE_AT = 0, MAP_AT = SHARED - 1024 };

// The map of a launch: in the kernel's parameters, behind WarpLabParameters.
typedef struct MapParameters {
    WarpLabParameters lab;
    uint8_t padding[64 - sizeof(WarpLabParameters)];
    uint8_t map[RT_MAP_BYTES];
} MapParameters;
static const KernelParameter map_layout[] = {{0, 8, 8}, {8, 8, 8}, {16, 8, 8}, {64, RT_MAP_BYTES, 64}};

static bool run_with_map(WarpLab *lab, uint64_t number, const RtMap *map) {
    _Alignas(64) MapParameters parameters = {.lab = {lab->buffers[0]->address, lab->buffers[1]->address, number}};
    RtThreads threads = lab->threads;
    diagnostics_close(&lab->diagnostics);
    diagnostics_close(&lab->warnings);
    lab->kernel.parameter_layout = map_layout;
    lab->kernel.parameter_count = 4;
    lab->kernel.parameter_bytes = sizeof parameters;
    threads.parameters = (const uint8_t *)&parameters;
    threads.buffers = lab->buffers;
    threads.buffer_count = WARP_LAB_BUFFERS;
    bool good = !map || rt_encode_map(&lab->diagnostics, (Location){0}, map, parameters.map);
    good = good && rt_launch(lab->device, &lab->diagnostics,
                             &(RtLaunch){.label = "test",
                                         .kernel = &lab->kernel,
                                         .grid = {1, 1, 1},
                                         .threads = &threads,
                                         .warnings = &lab->warnings});
    Buffer out = {0};
    for (size_t i = 0; i < lab->diagnostics.count; i++) diag_print(&lab->diagnostics.items[i], &out);
    snprintf(lab->text, sizeof lab->text, "%s", out.data ? out.data : "");
    buffer_free(&out);
    return good;
}

static RtMap tile_map(const WarpLab *lab, int buffer) {
    return (RtMap){.type = RT_MAP_U32,
                   .rank = 2,
                   .address = lab->buffers[buffer]->address,
                   .dimension = {100, 60},
                   .stride = {0, 416},
                   .box = {32, 16},
                   .element_stride = {1, 1},
                   .swizzle = RT_MAP_SWIZZLE_128B};
}

static uint64_t map_address(void) {
    return (uint64_t)WARP_PARAMETER << WARP_WINDOW_SHIFT | offsetof(MapParameters, map);
}

static void tensor_tile(WarpState *w, uint32_t mask, bool store, uint64_t map, uint32_t at, uint32_t barrier, int32_t x,
                        int32_t y, WarpReduction reduction) {
    const uint64_t operands[] = {
        map, WARP_SHARED_FIRST + at, WARP_SHARED_FIRST + barrier, 0, (uint32_t)x, (uint32_t)y, 0, 0, 0, 0, 0, 0};
    const WarpOperation operation = {.place = store ? AT_TMA_STORE : AT_TMA_LOAD,
                                     .kind = WARP_TENSOR_COPY,
                                     .detail = {store ? WARP_GLOBAL : WARP_SHARED, store ? WARP_SHARED : WARP_GLOBAL,
                                                store ? 2 : 1, 0, 2, WARP_TILE, reduction, store}};
    tensor_operate(w, mask, operation, operands, 12, NULL);
}
static void bulk_group(WarpState *w, uint32_t mask, uint32_t kind, uint32_t pending, bool read) {
    tensor_operate(w, mask, (WarpOperation){.place = AT_GROUP, .kind = kind, .detail = {pending, read}}, NULL, 0, NULL);
}

static void fill_buffer(WarpLab *lab, int buffer, uint32_t seed) {
    static uint32_t words[WARP_LAB_BUFFER_BYTES / 4];
    for (uint32_t i = 0; i < BASE_COUNT(words); i++) words[i] = tensor_hash(i, seed);
    rt_copy_in(lab->device, &lab->diagnostics, lab->buffers[buffer], 0, words, sizeof words);
}

// ---- tiles

enum {
    LOADS = 0,
    STORES,
    ADDS,
    WITHOUT_MBARRIER_WAIT = 10,
    WITHOUT_FENCE,
    WITHOUT_GROUP_WAIT,
    WITHOUT_COMMIT,
    NEVER_WAITED,
    WRONG_BYTES,
    OVERWRITTEN_TOO_EARLY,
};

// Loads a tile at (number >> 8 x, number >> 16 y), or stores one.
static void copy_tile(WarpState *w) {
    const uint64_t number = warp_lab_parameters(w)->number;
    const uint32_t what = number & 255;
    const int32_t x = (int8_t)(number >> 8), y = (int8_t)(number >> 16);
    if (!w->warp) lab_init(w, 1, BARRIER_AT, 1);
    lab_barrier(w, 0, 0);
    if (what == STORES || what == ADDS || what == WITHOUT_FENCE || what == WITHOUT_GROUP_WAIT ||
        what == WITHOUT_COMMIT || what == NEVER_WAITED) {
        for (uint32_t i = w->warp * 128; i < 2048; i += w->warps * 128) {
            LabWords words;
            for (uint32_t l = 0; l < WARP_LANES; l++) words.lane[l] = tensor_hash(i / 4 + l, 3);
            lab_store(w, w->alive, AT_STORE, i, 4, words);
        }
        if (what != WITHOUT_FENCE) lab_fence_async(w, w->alive);
        lab_barrier(w, 0, 0);
        if (!w->warp) {
            tensor_tile(w, 1, true, map_address(), TILE_AT, 0, x, y, what == ADDS ? WARP_REDUCE_ADD : WARP_REDUCE_NONE);
            if (what != WITHOUT_COMMIT) bulk_group(w, 1, WARP_BULK_COMMIT, 0, false);
            if (what != WITHOUT_GROUP_WAIT && what != NEVER_WAITED) bulk_group(w, 1, WARP_BULK_WAIT, 0, true);
        }
        lab_barrier(w, 0, 0);
        if (what != NEVER_WAITED) lab_store(w, w->alive, AT_STORE, w->warp * 128, 4, lab_all(1));
        lab_end(w);
        return;
    }
    if (!w->warp) {
        lab_mbarrier_arrive(w, 1, BARRIER_AT, 1, what == WRONG_BYTES ? 1024 : 2048);
        tensor_tile(w, 1, false, map_address(), TILE_AT, BARRIER_AT, x, y, WARP_REDUCE_NONE);
    }
    if (what != WITHOUT_MBARRIER_WAIT) lab_wait(w, w->alive, BARRIER_AT, 0);
    if (what == OVERWRITTEN_TOO_EARLY) {
        if (!w->warp) tensor_tile(w, 1, false, map_address(), TILE_AT, BARRIER_AT, x, y, WARP_REDUCE_NONE);
    }
    for (uint32_t i = w->warp * 128; i < 2048; i += w->warps * 128) {
        const LabWords words = lab_load(w, w->alive, AT_LOAD, i, 4);
        lab_store_as(w, w->alive, AT_STORE, WARP_GLOBAL, 0, warp_lab_parameters(w)->b + i, 4, words);
    }
    lab_end(w);
}

static uint32_t tile_word(uint32_t row, uint32_t column) { // its place in the tile
    uint32_t a = WARP_SHARED_FIRST + TILE_AT + row * 128 + column * 4;
    a ^= (a >> 7 & 7) << 4;
    return (a - WARP_SHARED_FIRST - TILE_AT) / 4;
}

Test(warp_copy, tiles_are_loaded) {
    WarpLab lab = tensor_lab_open(copy_tile, 128, SHARED);
    fill_buffer(&lab, 0, 1);
    const RtMap map = tile_map(&lab, 0);
    for (int reverse = 0; reverse < 2; reverse++)
        for (int32_t x = -40; x < 110; x += 25)
            for (int32_t y = -20; y < 70; y += 15) {
                static uint32_t words[512];
                lab.threads.reverse = reverse;
                cr_assert(run_with_map(&lab, LOADS | (x & 255) << 8 | (y & 255) << 16, &map), "%s", lab.text);
                warp_lab_words(&lab, 1, words, 512);
                for (int32_t row = 0; row < 16; row++)
                    for (int32_t column = 0; column < 32; column++) {
                        const int32_t c = x + column, r = y + row;
                        const bool inside = c >= 0 && c < 100 && r >= 0 && r < 60;
                        cr_assert_eq(words[tile_word((uint32_t)row, (uint32_t)column)],
                                     inside ? tensor_hash((uint32_t)(r * 104 + c), 1) : 0);
                    }
            }
    warp_lab_close(&lab);
}

Test(warp_copy, tiles_are_stored_and_added) {
    WarpLab lab = tensor_lab_open(copy_tile, 128, SHARED);
    const RtMap map = tile_map(&lab, 0);
    for (uint64_t add = 0; add < 2; add++)
        for (int reverse = 0; reverse < 2; reverse++)
            for (int32_t x = -10; x < 100; x += 45)
                for (int32_t y = -10; y < 60; y += 25) {
                    static uint32_t words[60 * 104];
                    fill_buffer(&lab, 0, 1);
                    lab.threads.reverse = reverse;
                    cr_assert(run_with_map(&lab, (STORES + add) | (x & 255) << 8 | (y & 255) << 16, &map), "%s",
                              lab.text);
                    warp_lab_words(&lab, 0, words, BASE_COUNT(words));
                    for (int32_t r = 0; r < 60; r++)
                        for (int32_t c = 0; c < 104; c++) {
                            const bool in_tile = c >= x && c < x + 32 && r >= y && r < y + 16 && c < 100;
                            const uint32_t old = tensor_hash((uint32_t)(r * 104 + c), 1);
                            const uint32_t new =
                                in_tile ? tensor_hash(tile_word((uint32_t)(r - y), (uint32_t)(c - x)), 3) : 0;
                            cr_assert_eq(words[r * 104 + c], in_tile ? new + (add ? old : 0) : old);
                        }
                }
    warp_lab_close(&lab);
}

static void expect_tile(uint64_t number, const RtMap *map, const char *text) {
    WarpLab lab = tensor_lab_open(copy_tile, 128, SHARED);
    RtMap good = tile_map(&lab, 0);
    if (map) {
        good = *map;
        good.address = lab.buffers[0]->address;
    }
    cr_expect_not(run_with_map(&lab, number, &good), "%s", text);
    cr_expect(strstr(lab.text, text), "%s\nis not in\n%s", text, lab.text);
    warp_lab_close(&lab);
}

Test(warp_copy, misuse_of_tiles) {
    // Other warps have come to their loads already.
    expect_tile(WITHOUT_MBARRIER_WAIT, NULL, "is known that what warp 3 lane 0 in ld.shared (t.ptx:22) does there");
    expect_tile(WITHOUT_FENCE, NULL, "a fence.proxy.async is missing between the two");
    expect_tile(WITHOUT_GROUP_WAIT, NULL, "before it is known that what tma_store (t.ptx:14) does there is done");
    expect_tile(WITHOUT_COMMIT, NULL, "before it is known that what tma_store (t.ptx:14) does there is done");
    expect_tile(NEVER_WAITED, NULL, "tma_store (t.ptx:14) may still read shared memory when the block ends");
    expect_tile(WRONG_BYTES, NULL, "mbarrier");
    expect_tile(OVERWRITTEN_TOO_EARLY, NULL, "tma_load (t.ptx:13)");
    RtMap map = {.type = RT_MAP_U32,
                 .rank = 3,
                 .dimension = {32, 4, 4},
                 .stride = {0, 128, 512},
                 .box = {32, 4, 4},
                 .element_stride = {1, 1, 1}};
    expect_tile(LOADS, &map, "the instruction has 2 dimensions, the tensor map 3");
    map = (RtMap){.type = RT_MAP_U32,
                  .rank = 2,
                  .dimension = {32, 1 << 20},
                  .stride = {0, 1 << 20},
                  .box = {32, 16},
                  .element_stride = {1, 1}};
    expect_tile(LOADS, &map, "in tma_load (t.ptx:13) at byte 978944 of buffer b");
    WarpLab lab = tensor_lab_open(copy_tile, 128, SHARED);
    cr_expect_not(run_with_map(&lab, LOADS, NULL)); // 128 zeros
    cr_expect(strstr(lab.text, "are no tensor map of a case"), "%s", lab.text);
    warp_lab_close(&lab);
}

// ---- maps that kernels make

static void replace(WarpState *w, WarpMapField field, uint32_t ordinal, uint64_t value) {
    const uint64_t operands[] = {WARP_SHARED_FIRST + MAP_AT, value, ordinal};
    tensor_operate(w, 1, (WarpOperation){.place = AT_REPLACE, .kind = WARP_MAP_REPLACE, .detail = {WARP_SHARED, field}},
                   operands, 3, NULL);
}

// Makes the map of tile_map at the end of buffer b, loads a tile by it.
static void make_map(WarpState *w) {
    const uint64_t made = warp_lab_parameters(w)->b + WARP_LAB_BUFFER_BYTES - RT_MAP_BYTES;
    lab_store(w, w->alive, AT_STORE, MAP_AT, 4, lab_all(0));
    lab_sync(w, w->alive);
    replace(w, WARP_MAP_ADDRESS, 0, warp_lab_parameters(w)->a);
    replace(w, WARP_MAP_RANK, 0, 1);
    replace(w, WARP_MAP_TYPE, 0, 2);
    const uint32_t box[] = {32, 16}, dimensions[] = {100, 60};
    for (uint32_t d = 0; d < 2; d++) {
        replace(w, WARP_MAP_BOX, d, box[d]);
        replace(w, WARP_MAP_DIMENSION, d, dimensions[d]);
        replace(w, WARP_MAP_ELEMENT_STRIDE, d, 1);
    }
    replace(w, WARP_MAP_STRIDE, 0, 416);
    if (warp_lab_parameters(w)->number != 1)
        replace(w, WARP_MAP_SWIZZLE, 0, 3);
    else
        replace(w, WARP_MAP_BOX, 1, 300);
    lab_sync(w, w->alive);
    const uint64_t operands[] = {made, WARP_SHARED_FIRST + MAP_AT};
    tensor_operate(w, w->alive, (WarpOperation){.place = AT_REPLACE, .kind = WARP_MAP_COPY}, operands, 2, NULL);
    lab_do(w, w->alive, AT_FENCE, WARP_FENCE, DETAIL(WARP_FENCE_TENSORMAP, WARP_SCOPE_GPU), NULL, NULL);
    lab_init(w, 1, BARRIER_AT, 1);
    lab_sync(w, w->alive);
    lab_mbarrier_arrive(w, 1, BARRIER_AT, 1, 2048);
    tensor_tile(w, 1, false, made, TILE_AT, BARRIER_AT, 10, 20, WARP_REDUCE_NONE);
    lab_wait(w, w->alive, BARRIER_AT, 0);
    for (uint32_t i = 0; i < 2048; i += 128) {
        const LabWords words = lab_load(w, w->alive, AT_LOAD, i, 4);
        lab_store_as(w, w->alive, AT_STORE, WARP_GLOBAL, 0, warp_lab_parameters(w)->b + i, 4, words);
    }
    lab_end(w);
}

Test(warp_copy, kernels_make_maps) {
    WarpLab lab = tensor_lab_open(make_map, 32, SHARED);
    static uint32_t words[512];
    fill_buffer(&lab, 0, 1);
    cr_assert(warp_lab_run(&lab, 0), "%s", lab.text);
    warp_lab_words(&lab, 1, words, 512);
    for (uint32_t row = 0; row < 16; row++)
        for (uint32_t column = 0; column < 32; column++)
            cr_assert_eq(words[tile_word(row, column)], tensor_hash((20 + row) * 104 + 10 + column, 1));
    cr_assert_not(warp_lab_run(&lab, 1));
    cr_expect(strstr(lab.text, "replace (t.ptx:19): a box_dim of 300; allowed are values up to 256"), "%s", lab.text);
    warp_lab_close(&lab);
}

// ---- cp.async

enum {
    ASYNC_GOOD,
    ASYNC_NO_WAIT,
    ASYNC_WAIT_ONE,
    ASYNC_NO_COMMIT,
    ASYNC_ALL,
    ASYNC_ARRIVE,
    ASYNC_MISALIGNED,
    ASYNC_TOO_MANY
};

static void copy_async(WarpState *w, uint32_t at, uint64_t from, uint32_t bytes, uint32_t read) {
    WarpLanes operands[3];
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        operands[0][l] = WARP_SHARED_FIRST + at + l * bytes;
        operands[1][l] = from + (l ^ 5) * bytes;
        operands[2][l] = l % 3 ? bytes : read;
    }
    const WarpOperation operation = {.place = AT_CP_ASYNC, .kind = WARP_COPY_ASYNC, .detail = {bytes}};
    w->ops->operate(w, w->alive, &operation, operands, NULL);
}

static void use_async(WarpState *w) {
    const uint64_t number = warp_lab_parameters(w)->number, from = warp_lab_parameters(w)->a;
    if (number == ASYNC_ARRIVE) {
        lab_init(w, 1, BARRIER_AT, 32);
        lab_sync(w, w->alive);
    }
    copy_async(w, number == ASYNC_MISALIGNED ? 8 : 0, from, 16, number == ASYNC_TOO_MANY ? 20 : 8);
    if (number != ASYNC_NO_COMMIT && number != ASYNC_ALL) bulk_group(w, w->alive, WARP_COPY_COMMIT, 0, false);
    copy_async(w, 512, from + 512, 4, 0);
    bulk_group(w, w->alive, WARP_COPY_COMMIT, 0, false);
    if (number == ASYNC_GOOD) bulk_group(w, w->alive, WARP_COPY_WAIT, 1, false);
    if (number == ASYNC_WAIT_ONE) bulk_group(w, w->alive, WARP_COPY_WAIT, 2, false);
    if (number == ASYNC_NO_COMMIT) bulk_group(w, w->alive, WARP_COPY_WAIT, 1, false);
    if (number == ASYNC_ALL) bulk_group(w, w->alive, WARP_COPY_WAIT, UINT32_MAX, false);
    if (number == ASYNC_ARRIVE) {
        const uint64_t operand[] = {WARP_SHARED_FIRST + BARRIER_AT};
        tensor_operate(w, w->alive,
                       (WarpOperation){.place = AT_MBARRIER, .kind = WARP_COPY_ARRIVE, .detail = {WARP_SHARED, 1}},
                       operand, 1, NULL);
        lab_wait(w, w->alive, BARRIER_AT, 0);
    }
    lab_sync(w, w->alive);
    for (uint32_t i = 0; i < 512; i += 128) {
        const LabWords words = lab_load(w, w->alive, AT_LOAD, i, 4);
        lab_store_as(w, w->alive, AT_STORE, WARP_GLOBAL, 0, warp_lab_parameters(w)->b + i, 4, words);
    }
    if (number == ASYNC_GOOD) {
        bulk_group(w, w->alive, WARP_COPY_WAIT, 0, false);
        lab_sync(w, w->alive);
        const LabWords words = lab_load(w, w->alive, AT_LOAD, 512, 4);
        lab_store_as(w, w->alive, AT_STORE, WARP_GLOBAL, 0, warp_lab_parameters(w)->b + 512, 4, words);
    }
    lab_end(w);
}

Test(warp_copy, threads_copy) {
    WarpLab lab = tensor_lab_open(use_async, 32, SHARED);
    fill_buffer(&lab, 0, 1);
    for (int reverse = 0; reverse < 2; reverse++)
        for (uint64_t number = ASYNC_GOOD; number <= ASYNC_ARRIVE; number++) {
            if (number != ASYNC_GOOD && number != ASYNC_ALL && number != ASYNC_ARRIVE) continue;
            static uint32_t words[160];
            lab.threads.reverse = reverse;
            cr_assert(warp_lab_run(&lab, number), "%s", lab.text);
            warp_lab_words(&lab, 1, words, 160);
            for (uint32_t i = 0; i < 128; i++) {
                const uint32_t l = i / 4, part = i % 4;
                const bool zero = l % 3 == 0 && part >= 2;
                cr_assert_eq(words[i], zero ? 0 : tensor_hash((l ^ 5) * 4 + part, 1), "%u", i);
            }
            for (uint32_t l = 0; l < 32 && number == ASYNC_GOOD; l++)
                cr_assert_eq(words[128 + l], l % 3 ? tensor_hash(128 + (l ^ 5), 1) : 0);
        }
    warp_lab_close(&lab);
}

Test(warp_copy, misuse_of_copies_by_threads) {
    EXPECT_MISUSE(use_async, 32, SHARED, ASYNC_NO_WAIT, "before it is known that what cp.async (t.ptx:15) does");
    EXPECT_MISUSE(use_async, 32, SHARED, ASYNC_WAIT_ONE, "before it is known that what cp.async (t.ptx:15) does");
    EXPECT_MISUSE(use_async, 32, SHARED, ASYNC_NO_COMMIT, "before it is known that what cp.async (t.ptx:15) does");
    EXPECT_MISUSE(use_async, 32, SHARED, ASYNC_MISALIGNED, "an address that is no multiple of 16");
    EXPECT_MISUSE(use_async, 32, SHARED, ASYNC_TOO_MANY, "cp.async (t.ptx:15): 20 bytes");
}

// All lanes copy whole pieces, which a swizzle has put apart.
enum { WHOLE_GOOD, WHOLE_NO_WAIT, WHOLE_OUTSIDE, WHOLE_MISALIGNED, WHOLE_OVERWRITES, WHOLE_CHANGED };

static void copy_whole(WarpState *w) {
    const uint64_t number = warp_lab_parameters(w)->number, from = warp_lab_parameters(w)->a;
    LabWords words = {{0}};
    WarpLanes operands[3];
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        operands[0][l] = WARP_SHARED_FIRST + (l ^ 3) * 16;
        operands[1][l] = from + (l ^ 5) * 16;
        operands[2][l] = 16;
    }
    if (number == WHOLE_OUTSIDE) operands[1][9] = from + WARP_LAB_BUFFER_BYTES - 8;
    if (number == WHOLE_MISALIGNED) operands[0][9] += 4;
    if (number == WHOLE_OVERWRITES && w->warp == 1) lab_store(w, w->alive, AT_STORE, 64, 4, words);
    if (number == WHOLE_CHANGED && w->warp == 1)
        lab_store_as(w, w->alive, AT_STORE, WARP_GLOBAL, 0, from + 64, 4, words);
    if (w->warp == 0) {
        const WarpOperation operation = {.place = AT_CP_ASYNC, .kind = WARP_COPY_ASYNC, .detail = {16}};
        w->ops->operate(w, w->alive, &operation, operands, NULL);
        bulk_group(w, w->alive, WARP_COPY_COMMIT, 0, false);
        if (number != WHOLE_NO_WAIT) bulk_group(w, w->alive, WARP_COPY_WAIT, 0, false);
        lab_sync(w, w->alive);
        for (uint32_t i = 0; i < 512; i += 128) {
            words = lab_load(w, w->alive, AT_LOAD, i, 4);
            lab_store_as(w, w->alive, AT_STORE, WARP_GLOBAL, 0, warp_lab_parameters(w)->b + i, 4, words);
        }
    }
    lab_end(w);
}

Test(warp_copy, lanes_copy_together) {
    WarpLab lab = tensor_lab_open(copy_whole, 32, SHARED);
    fill_buffer(&lab, 0, 1);
    for (int reverse = 0; reverse < 2; reverse++) {
        static uint32_t words[128];
        lab.threads.reverse = reverse;
        cr_assert(warp_lab_run(&lab, WHOLE_GOOD), "%s", lab.text);
        warp_lab_words(&lab, 1, words, 128);
        for (uint32_t i = 0; i < 128; i++) cr_assert_eq(words[i], tensor_hash((i / 4 ^ 3 ^ 5) * 4 + i % 4, 1), "%u", i);
    }
    warp_lab_close(&lab);
    EXPECT_MISUSE(copy_whole, 32, SHARED, WHOLE_NO_WAIT, "before it is known that what cp.async (t.ptx:15) does");
    EXPECT_MISUSE(copy_whole, 32, SHARED, WHOLE_OUTSIDE, "lane 9");
    EXPECT_MISUSE(copy_whole, 32, SHARED, WHOLE_MISALIGNED, "an address that is no multiple of 16");
    EXPECT_MISUSE(copy_whole, 64, SHARED, WHOLE_OVERWRITES, "cp.async (t.ptx:15)");
    EXPECT_MISUSE(copy_whole, 64, SHARED, WHOLE_CHANGED, "cp.async (t.ptx:15)");
}

enum { OWN_APART = 1, OWN_HALF = 2, OWN_OTHERS = 4, OWN_SYNCED = 8, OWN_FROM = 16, OWN_NO_WAIT = 32 };

// Each lane copies 4 bytes, waits, and uses them, or those of its neighbour, at once.
static void use_own_copies(WarpState *w) {
    const uint64_t number = warp_lab_parameters(w)->number, from = warp_lab_parameters(w)->a;
    const uint32_t lanes = number & OWN_HALF ? 0x0FFF0000 : w->alive;
    const WarpOperation operation = {.place = AT_CP_ASYNC, .kind = WARP_COPY_ASYNC, .detail = {4}};
    WarpLanes operands[3];
    uint64_t addresses[WARP_LANES];
    LabWords words = lab_all(1);
    for (uint32_t l = 0; l < WARP_LANES; l++) {
        const uint32_t at = (number & OWN_APART ? l ^ 5 : l) * 4;
        operands[0][l] = WARP_SHARED_FIRST + at;
        operands[1][l] = from + at;
        operands[2][l] = 4;
    }
    w->ops->operate(w, lanes, &operation, operands, NULL);
    if (!(number & OWN_NO_WAIT)) bulk_group(w, lanes, WARP_COPY_WAIT, UINT32_MAX, false);
    if (number & OWN_SYNCED) lab_sync(w, w->alive);
    const uint32_t space = number & OWN_FROM ? WARP_GLOBAL : WARP_SHARED;
    for (uint32_t l = 0; l < WARP_LANES; l++)
        addresses[l] = operands[space == WARP_GLOBAL][number & OWN_OTHERS ? l ^ 1 : l];
    const WarpAccess access = {
        .place = number & OWN_FROM ? AT_STORE : AT_LOAD, .space = (uint8_t)space, .bytes = 4, .count = 1};
    if (number & OWN_FROM)
        w->ops->store(w, lanes, &access, addresses, &words);
    else
        w->ops->load(w, lanes, &access, addresses, &words);
    lab_end(w);
}

Test(warp_copy, lanes_know_of_their_own_copies) {
    for (uint32_t number = 0; number < 2 * OWN_NO_WAIT; number++) {
        const bool waits = !(number & OWN_NO_WAIT), knows = !(number & OWN_OTHERS) || number & OWN_SYNCED;
        WarpLab lab = tensor_lab_open(use_own_copies, 32, SHARED);
        cr_expect_eq(warp_lab_run(&lab, number), waits && knows, "%u: %s", number, lab.text);
        if (!waits || !knows)
            cr_expect(strstr(lab.text, "before it is known that what cp.async"), "%u: %s", number, lab.text);
        warp_lab_close(&lab);
    }
}

// ---- bulk copies and others

enum { BULK_GOOD, BULK_MASKED, BULK_ADDS, BULK_SIZE, BULK_MULTICAST, BULK_LEFT, BULK_LAST_LEFT };

static void bulk(WarpState *w, bool store, uint64_t to, uint64_t from, uint64_t bytes, uint32_t flags,
                 WarpCombine *combine) {
    const uint64_t operands[] = {to, from, bytes, WARP_SHARED_FIRST + BARRIER_AT, 0x00F3, 3};
    const WarpOperation operation = {
        .place = AT_BULK,
        .kind = WARP_BULK_COPY,
        .detail = {store ? WARP_GLOBAL : WARP_SHARED, store ? WARP_SHARED : WARP_GLOBAL, store ? 2 : 1, flags, 0, 0, 4},
        .combine = combine};
    tensor_operate(w, 1, operation, operands, 6, NULL);
}

static void copy_bulk(WarpState *w) {
    const uint64_t number = warp_lab_parameters(w)->number, a = warp_lab_parameters(w)->a,
                   b = warp_lab_parameters(w)->b;
    lab_init(w, 1, BARRIER_AT, 1);
    lab_sync(w, w->alive);
    lab_mbarrier_arrive(w, 1, BARRIER_AT, 1, 256);
    bulk(w, false, WARP_SHARED_FIRST + 64, a + 32, number == BULK_SIZE ? 250 : 256, number == BULK_MULTICAST, NULL);
    if (number != BULK_LEFT) lab_wait(w, 1, BARRIER_AT, 0);
    if (number >= BULK_LEFT) {
        if (number == BULK_LAST_LEFT) lab_mbarrier_arrive(w, 1, BARRIER_AT, 1, 256);
        if (number == BULK_LAST_LEFT) bulk(w, false, WARP_SHARED_FIRST + 64, a + 32, 256, 0, NULL);
        lab_end(w);
        return;
    }
    bulk(w, true, b + 16, WARP_SHARED_FIRST + 64, 256, number == BULK_MASKED ? 8 : 0,
         number == BULK_ADDS ? lab_add_combine : NULL);
    bulk_group(w, 1, WARP_BULK_COMMIT, 0, false);
    bulk_group(w, 1, WARP_BULK_WAIT, 0, false);
    lab_end(w);
}

Test(warp_copy, bytes_are_copied) {
    WarpLab lab = tensor_lab_open(copy_bulk, 32, SHARED);
    for (uint64_t number = BULK_GOOD; number <= BULK_ADDS; number++) {
        static uint32_t words[80];
        fill_buffer(&lab, 0, 1);
        fill_buffer(&lab, 1, 2);
        cr_assert(warp_lab_run(&lab, number), "%s", lab.text);
        warp_lab_words(&lab, 1, words, 80);
        for (uint32_t i = 0; i < 80; i++) {
            const uint32_t old = tensor_hash(i, 2), new = tensor_hash(i + 4, 1);
            uint32_t expected = number == BULK_ADDS ? old + new : new;
            // The mask has bits 0, 1 and 4 to 7 of each 16 bytes.
            if (number == BULK_MASKED) expected = i % 4 == 1 ? new : i % 4 ? old : (old & 0xFFFF0000) | (new & 0xFFFF);
            cr_assert_eq(words[i], i >= 4 && i < 68 ? expected : old, "%u", i);
        }
    }
    warp_lab_close(&lab);
    EXPECT_MISUSE(copy_bulk, 32, SHARED, BULK_SIZE, "bulk (t.ptx:20): 250 bytes; allowed are multiples of 16");
    EXPECT_MISUSE(copy_bulk, 32, SHARED, BULK_MULTICAST, "the mask 0x3 has blocks that the cluster does not have");
    for (uint64_t number = BULK_LEFT; number <= BULK_LAST_LEFT; number++)
        EXPECT_MISUSE(copy_bulk, 32, SHARED, number,
                      "warp 0 lane 0 in bulk (t.ptx:20) may still write shared memory when the block ends: nobody has "
                      "waited for the mbarrier at byte ");
}

// cp.async writes in the generic proxy: a wait alone does not show copy engines and tensor cores what it wrote.
static void store_copied(WarpState *w) {
    copy_async(w, 0, warp_lab_parameters(w)->a, 16, 16);
    bulk_group(w, w->alive, WARP_COPY_WAIT, UINT32_MAX, false);
    if (!warp_lab_parameters(w)->number) lab_fence_async(w, w->alive);
    lab_sync(w, w->alive);
    bulk(w, true, warp_lab_parameters(w)->b, WARP_SHARED_FIRST, 512, 0, NULL);
    bulk_group(w, 1, WARP_BULK_COMMIT, 0, false);
    bulk_group(w, 1, WARP_BULK_WAIT, 0, false);
    lab_end(w);
}

Test(warp_copy, what_threads_copied_is_fenced) {
    WarpLab lab = tensor_lab_open(store_copied, 32, SHARED);
    cr_expect(warp_lab_run(&lab, 0), "%s", lab.text);
    warp_lab_close(&lab);
    EXPECT_MISUSE(store_copied, 32, SHARED, 1,
                  "bulk (t.ptx:20) at byte 0 of shared memory, which cp.async (t.ptx:15) wrote; a fence.proxy.async is "
                  "missing between the two");
}

// st.async, red.async, st.bulk, try_cancel.
static void write_later(WarpState *w) {
    lab_init(w, 1, BARRIER_AT, 1);
    lab_store(w, w->alive, AT_STORE, 256, 4, lab_all(7));
    lab_sync(w, w->alive);
    lab_mbarrier_arrive(w, 1, BARRIER_AT, 1, 8 + 4 + 16);
    const uint64_t zero[] = {WARP_SHARED_FIRST, 256}, bar = WARP_SHARED_FIRST + BARRIER_AT;
    tensor_operate(w, 1, (WarpOperation){.place = AT_BULK, .kind = WARP_BULK_ZERO, .detail = {WARP_SHARED}}, zero, 2,
                   NULL);
    lab_sync(w, w->alive);
    const uint64_t two[] = {WARP_SHARED_FIRST + 8, bar, 11, 12}, add[] = {WARP_SHARED_FIRST + 260, bar, 100};
    tensor_operate(w, 1, (WarpOperation){.place = AT_BULK, .kind = WARP_STORE_ASYNC, .detail = {4, 2}}, two, 4, NULL);
    tensor_operate(
        w, 1, (WarpOperation){.place = AT_BULK, .kind = WARP_STORE_ASYNC, .detail = {4, 1}, .combine = lab_add_combine},
        add, 3, NULL);
    const uint64_t cancel[] = {WARP_SHARED_FIRST + 272, bar};
    tensor_operate(w, 1, (WarpOperation){.place = AT_BULK, .kind = WARP_TRY_CANCEL}, cancel, 2, NULL);
    lab_wait(w, w->alive, BARRIER_AT, 0);
    for (uint32_t i = 0; i < 384; i += 128) {
        const LabWords words = lab_load(w, w->alive, AT_LOAD, i, 4);
        lab_store_as(w, w->alive, AT_STORE, WARP_GLOBAL, 0, warp_lab_parameters(w)->b + i, 4, words);
    }
    lab_end(w);
}

Test(warp_copy, values_that_arrive_later) {
    WarpLab lab = tensor_lab_open(write_later, 32, SHARED);
    for (int reverse = 0; reverse < 2; reverse++) {
        static uint32_t words[96];
        lab.threads.reverse = reverse;
        cr_assert(warp_lab_run(&lab, 0), "%s", lab.text);
        warp_lab_words(&lab, 1, words, 96);
        for (uint32_t i = 0; i < 96; i++) {
            const uint32_t expected = i == 2              ? 11
                                      : i == 3            ? 12
                                      : i < 64            ? 0
                                      : i == 65           ? 107
                                      : i >= 68 && i < 72 ? 0
                                                          : 7;
            cr_assert_eq(words[i], expected, "%u: %u", i, words[i]);
        }
    }
    warp_lab_close(&lab);
}
