// SPDX-License-Identifier: Apache-2.0
// Boxes of tensor maps against a model that copies one element after the other.
#include "runtime/warp_engines.h"

#include <criterion/criterion.h>
#include <string.h>

enum { ARRAY = 1 << 16, SHARED = 1 << 16 };

static uint64_t random_state = 1;
static uint32_t draw(uint32_t count) {
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % count;
}

typedef struct Sample {
    RtMap map;
    int32_t at[5];
    WarpTileMode mode;
    uint32_t to; // in shared memory
} Sample;

static Sample draw_sample(const uint8_t *array) {
    static const RtMapType types[] = {RT_MAP_U8, RT_MAP_F16, RT_MAP_F32, RT_MAP_U64, RT_MAP_BF16, RT_MAP_I32};
    Sample s = {.map = {.type = types[draw(6)], .rank = 1 + draw(5), .address = (uintptr_t)array}};
    const uint32_t bytes = warp_map_bits(&s.map) / 8, row = 16 << draw(4);
    s.map.swizzle = (RtMapSwizzle)draw(4);
    s.map.fill_nan = s.map.type == RT_MAP_F16 || s.map.type == RT_MAP_F32 || s.map.type == RT_MAP_BF16;
    s.map.box[0] = (s.map.swizzle ? (row > 16u << s.map.swizzle ? 16u << s.map.swizzle : row) : row) / bytes;
    s.map.dimension[0] = 1 + draw(200 / bytes);
    uint64_t stride = (s.map.dimension[0] * bytes + 15) / 16 * 16;
    for (uint32_t d = 1; d < 5; d++) {
        s.map.stride[d] = stride;
        s.map.dimension[d] = 1 + draw(5);
        s.map.box[d] = 1 + draw(4);
        stride *= s.map.dimension[d];
        if (stride > ARRAY) s.map.rank = d < s.map.rank ? d : s.map.rank;
    }
    for (uint32_t d = 0; d < 5; d++) {
        s.map.element_stride[d] = 1;
        s.at[d] = (int32_t)draw((uint32_t)s.map.dimension[d] + 4) - 3;
    }
    if (s.map.rank == 2 && draw(2)) {
        s.mode = WARP_GATHER4;
        s.map.box[1] = 1;
    }
    s.to = 1024 + 128 * draw(50);
    return s;
}

// The element number `index` (per dimension) of the box: NULL if it is outside.
static uint8_t *model_element(const Sample *s, const uint32_t *index, uint8_t *array) {
    const uint32_t bytes = warp_map_bits(&s->map) / 8;
    uint64_t at = 0;
    for (uint32_t d = 0; d < s->map.rank; d++) {
        const int64_t c = d == 1 && s->mode == WARP_GATHER4 ? s->at[1 + index[1]] : s->at[d] + (int64_t)index[d];
        if (c < 0 || c >= (int64_t)s->map.dimension[d]) return NULL;
        at += (uint64_t)c * (d ? s->map.stride[d] : bytes);
    }
    return array + at;
}

static uint32_t model_swizzle(RtMapSwizzle swizzle, uint32_t a) {
    static const uint32_t masks[] = {0, 1, 3, 7};
    return a ^ (a >> 7 & masks[swizzle]) << 4;
}

// Goes through all elements: loads them, or stores them.
static uint32_t model_copy(const Sample *s, uint8_t *shared, uint8_t *array, bool load) {
    const uint32_t bytes = warp_map_bits(&s->map) / 8;
    uint32_t box[5] = {1, 1, 1, 1, 1}, index[5], place = s->to;
    for (uint32_t d = 0; d < s->map.rank; d++) box[d] = s->map.box[d];
    if (s->mode == WARP_GATHER4) box[1] = 4;
    for (index[4] = 0; index[4] < box[4]; index[4]++)
        for (index[3] = 0; index[3] < box[3]; index[3]++)
            for (index[2] = 0; index[2] < box[2]; index[2]++)
                for (index[1] = 0; index[1] < box[1]; index[1]++)
                    for (index[0] = 0; index[0] < box[0]; index[0]++, place += bytes) {
                        uint8_t *element = model_element(s, index, array);
                        uint8_t *there = shared + model_swizzle(s->map.swizzle, place);
                        const uint64_t nan = s->map.type == RT_MAP_F32 ? 0x7FFFFFFF : 0x7FFF;
                        if (load && element) memcpy(there, element, bytes);
                        if (load && !element && s->map.fill_nan) memcpy(there, &nan, bytes);
                        if (load && !element && !s->map.fill_nan) memset(there, 0, bytes);
                        if (!load && element) memcpy(element, there, bytes);
                    }
    return place - s->to;
}

static uint8_t array_a[ARRAY], array_b[ARRAY], shared_a[SHARED], shared_b[SHARED];

Test(warp_box, boxes_are_copied_like_single_elements) {
    for (int trial = 0; trial < 20000; trial++) {
        for (uint32_t i = 0; i < 4096; i++) array_a[draw(ARRAY)] = (uint8_t)draw(256);
        const Sample s = draw_sample(array_a);
        const bool load = draw(2);
        memset(shared_a, 0xCC, sizeof shared_a);
        if (!load)
            for (uint32_t i = 0; i < sizeof shared_a; i++) shared_a[i] = (uint8_t)(i * 7 + i / 256);
        memcpy(shared_b, shared_a, sizeof shared_a);
        memcpy(array_b, array_a, sizeof array_a);
        const uint32_t bytes = model_copy(&s, shared_b, array_b, load);
        WarpBox box;
        WarpProblem problem;
        cr_assert(warp_box_open(&box, &s.map, s.mode, s.at, &problem), "%s", problem.text);
        cr_assert_eq(warp_box_bytes(&box), bytes);
        WarpBoxRow row;
        while (warp_box_next(&box, &row)) {
            uint8_t *elements = (uint8_t *)(uintptr_t)row.global;
            if (row.inside) cr_assert(elements >= array_a && elements + row.global_bytes <= array_a + ARRAY);
            if (load)
                warp_row_load(&box, &row, shared_a, s.to, elements);
            else
                warp_row_store(&box, &row, shared_a, s.to, elements);
        }
        cr_assert(!memcmp(shared_a, shared_b, sizeof shared_a), "trial %d", trial);
        cr_assert(!memcmp(array_a, array_b, sizeof array_a), "trial %d", trial);
    }
}

// Sixteen elements of 4 or 6 bits lie in 8 or 12 bytes of the array, and at the beginning of 16 bytes of shared memory.
Test(warp_box, padded_elements_have_room_of_a_byte) {
    for (uint32_t i = 0; i < ARRAY; i++) array_a[i] = (uint8_t)(i * 11 + i / 256);
    for (int six = 0; six < 2; six++) {
        const uint32_t packed = six ? 12 : 8, row_bytes = 256 / 16 * packed;
        const RtMap map = {.type = six ? RT_MAP_16U6_ALIGN16B : RT_MAP_16U4_ALIGN16B,
                           .rank = 2,
                           .address = (uintptr_t)array_a,
                           .dimension = {256, 8},
                           .stride = {0, row_bytes},
                           .box = {128, 4},
                           .element_stride = {1, 1},
                           .swizzle = RT_MAP_SWIZZLE_128B};
        memset(shared_a, 0xCC, sizeof shared_a);
        WarpBox box;
        WarpBoxRow row;
        WarpProblem problem;
        cr_assert(warp_box_open(&box, &map, WARP_TILE, (int32_t[]){128, 6}, &problem));
        cr_assert_eq(warp_box_bytes(&box), 4 * 128);
        while (warp_box_next(&box, &row)) {
            cr_assert_eq(row.global_bytes, row.inside / 16 * packed);
            warp_row_load(&box, &row, shared_a, 2048, (const uint8_t *)(uintptr_t)row.global);
        }
        for (uint32_t r = 0; r < 4; r++)
            for (uint32_t i = 0; i < 128; i++) {
                const uint32_t at = model_swizzle(RT_MAP_SWIZZLE_128B, 2048 + 128 * r + i);
                const bool used = r < 2 && i % 16 < packed;
                const uint32_t from = (6 + r) * row_bytes + 8 * packed + i / 16 * packed + i % 16;
                cr_assert_eq(shared_a[at], used ? array_a[from] : 0, "%d %u %u", six, r, i);
            }
        cr_assert_not(warp_box_open(&box, &map, WARP_TILE, (int32_t[]){64, 0}, &problem));
        cr_assert(strstr(problem.text, "coordinate 0 is 64"), "%s", problem.text);
    }
}

Test(warp_box, other_boxes_are_refused) {
    const RtMap map = {.type = RT_MAP_U8, .rank = 3, .dimension = {64, 4, 4}, .box = {64, 1, 1}};
    WarpBox box;
    WarpProblem problem;
    const int32_t at[5] = {0};
    cr_assert_not(warp_box_open(&box, &map, WARP_IM2COL, at, &problem));
    cr_assert_eq(problem.code, E_UNSUPPORTED);
    cr_assert_not(warp_box_open(&box, &map, WARP_GATHER4, at, &problem));
    cr_assert_eq(problem.code, E_RUNTIME);
}

// What an H200 (sm_90, driver 580.159.04, CUDA 13.0) left in shared memory: of numbers, not of payloads.
Test(warp_box, numbers_of_tf32_are_rounded) {
    static const uint32_t found[] = {0x00000fff, 0x00001000, 0x00001001, 0x00003000, 0x007fffff, 0x3f800fff,
                                     0x3f801000, 0x3f801001, 0x3f803000, 0x3fffffff, 0x7f7fefff, 0x7f7ff000,
                                     0x7f800000, 0x7f800001, 0x7fc00000, 0x7fffffff, 0x80001000, 0x80001001,
                                     0xbf803000, 0xff7ff000, 0xff800000, 0xff800001, 0xffc01000, 0xffffffff},
                          rounded[] = {0x00000000, 0x00000000, 0x00002000, 0x00004000, 0x00800000, 0x3f800000,
                                       0x3f800000, 0x3f802000, 0x3f804000, 0x40000000, 0x7f7fe000, 0x7f800000,
                                       0x7f800000, 0x7fffe000, 0x7fffe000, 0x7fffe000, 0x80000000, 0x80002000,
                                       0xbf804000, 0xff800000, 0xff800000, 0x7fffe000, 0x7fffe000, 0x7fffe000};
    enum { ELEMENTS = BASE_COUNT(found), BOX = 32 };
    static const RtMapType types[] = {RT_MAP_TF32, RT_MAP_TF32_FTZ, RT_MAP_F32_FTZ};
    for (int trial = 0; trial < 6; trial++) {
        const RtMap map = {.type = types[trial / 2],
                           .rank = 1,
                           .address = (uintptr_t)array_a,
                           .dimension = {ELEMENTS},
                           .box = {BOX},
                           .element_stride = {1},
                           .fill_nan = true};
        const bool numbers = trial % 2, rounds = numbers && map.type != RT_MAP_F32_FTZ;
        memcpy(array_a, found, sizeof found);
        WarpBox box;
        WarpBoxRow row;
        WarpProblem problem;
        cr_assert(warp_box_open(&box, &map, WARP_TILE, (int32_t[]){0}, &problem), "%s", problem.text);
        box.numbers = numbers;
        while (warp_box_next(&box, &row)) warp_row_load(&box, &row, shared_a, 0, (uint8_t *)(uintptr_t)row.global);
        for (uint32_t i = 0; i < BOX; i++) {
            uint32_t element;
            memcpy(&element, shared_a + i * 4, sizeof element);
            const uint32_t outside = numbers ? 0x7ff77ff7 : 0x7fffffff;
            const uint32_t wanted = i >= ELEMENTS ? outside : rounds ? rounded[i] : found[i];
            cr_assert_eq(element, wanted, "trial %d, %u: 0x%x instead of 0x%x", trial, i, element, wanted);
        }
    }
}

Test(warp_box, outside_of_numbers_is_one_pattern) {
    static const RtMapType types[] = {RT_MAP_F16, RT_MAP_BF16, RT_MAP_F32, RT_MAP_TF32, RT_MAP_F64};
    for (size_t t = 0; t < BASE_COUNT(types); t++) {
        const RtMap map = {.type = types[t],
                           .rank = 1,
                           .address = (uintptr_t)array_a,
                           .dimension = {8},
                           .box = {32},
                           .element_stride = {1},
                           .fill_nan = true};
        WarpBox box;
        WarpBoxRow row;
        WarpProblem problem;
        cr_assert(warp_box_open(&box, &map, WARP_TILE, (int32_t[]){8}, &problem), "%s", problem.text);
        box.numbers = true;
        while (warp_box_next(&box, &row)) warp_row_load(&box, &row, shared_a, 0, array_a);
        for (uint32_t i = 0; i < warp_box_bytes(&box); i += 2)
            cr_assert(shared_a[i] == 0xf7 && shared_a[i + 1] == 0x7f, "type %zu, byte %u", t, i);
    }
}
