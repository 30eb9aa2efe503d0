// SPDX-License-Identifier: Apache-2.0
// Boxes of an array that a tensor map describes: which bytes of global memory go to which of shared memory.
#include "runtime/warp_engines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 16 }; // bytes that swizzles keep together

static bool refuse(WarpProblem *problem, ErrorCode code, const char *text) {
    problem->code = code;
    snprintf(problem->text, sizeof problem->text, "%s", text);
    return false;
}

// Four rows of an array of two dimensions, each as long as the box of the map.
static bool open_rows(WarpBox *box, const int32_t *coordinates, WarpProblem *problem) {
    if (box->map->rank != 2)
        return refuse(problem, E_RUNTIME, "gather4 and scatter4 need a tensor map of two dimensions");
    if (box->map->box[1] != 1)
        return refuse(problem, E_RUNTIME, "gather4 and scatter4 need a tensor map whose box has one row");
    box->gathers = true;
    box->size[1] = 4;
    for (int i = 0; i < 4; i++) box->rows[i] = coordinates[1 + i];
    return true;
}

bool warp_box_open(WarpBox *box, const RtMap *map, WarpTileMode mode, const int32_t *coordinates,
                   WarpProblem *problem) {
    *box = (WarpBox){.map = map};
    if (mode == WARP_IM2COL || mode == WARP_IM2COL_W || mode == WARP_IM2COL_W_128)
        return refuse(problem, E_UNSUPPORTED, "im2col");
    for (uint32_t d = 0; d < map->rank; d++) {
        box->at[d] = coordinates[d];
        box->size[d] = map->box[d];
    }
    if ((mode == WARP_GATHER4 || mode == WARP_SCATTER4) && !open_rows(box, coordinates, problem)) return false;
    const uint32_t together = warp_map_shared_bits(map) != warp_map_bits(map) ? 128 : warp_map_bits(map) < 8 ? 2 : 1;
    if (box->at[0] % together == 0) return true;
    problem->code = E_RUNTIME;
    snprintf(problem->text, sizeof problem->text,
             "coordinate 0 is %" PRId64 "; elements of type %s need multiples of %" PRIu32, box->at[0],
             warp_map_type_name(map->type), together);
    return false;
}

uint32_t warp_box_bytes(const WarpBox *box) {
    uint64_t bytes = warp_map_row_bytes(box->map);
    for (uint32_t d = 1; d < box->map->rank; d++) bytes *= box->size[d];
    return bytes > UINT32_MAX ? UINT32_MAX : (uint32_t)bytes; // more than shared memory has in any case
}

// The address of the first element of the row, if it were inside; whether the other dimensions are.
static bool find_row(const WarpBox *box, uint64_t *global) {
    const RtMap *map = box->map;
    bool inside = true;
    *global = map->address;
    for (uint32_t d = 1; d < map->rank; d++) {
        const int64_t at = box->gathers ? box->rows[box->index[1]] : box->at[d] + box->index[d];
        if (at < 0 || (uint64_t)at >= map->dimension[d]) inside = false;
        *global += (uint64_t)at * map->stride[d];
    }
    return inside;
}

static void step(WarpBox *box) {
    box->offset += warp_map_row_bytes(box->map);
    for (uint32_t d = 1; d < box->map->rank; d++) {
        if (++box->index[d] < box->size[d]) return;
        box->index[d] = 0;
    }
    box->ended = true;
}

bool warp_box_next(WarpBox *box, WarpBoxRow *row) {
    if (box->ended) return false;
    const RtMap *map = box->map;
    const uint32_t bits = warp_map_bits(map), shared_bits = warp_map_shared_bits(map);
    uint64_t global;
    const bool any = find_row(box, &global);
    int64_t first = 0, end = box->size[0]; // elements inside
    if (box->at[0] < 0) first = -box->at[0] < end ? -box->at[0] : end;
    const int64_t left = (int64_t)map->dimension[0] - box->at[0];
    if (left < end) end = left > first ? left : first;
    if (!any) end = first;
    row->offset = box->offset;
    row->before = (uint32_t)first * shared_bits / 8;
    row->inside = (uint32_t)(end - first) * shared_bits / 8;
    row->after = warp_map_row_bytes(map) - row->before - row->inside;
    row->global = global + (uint64_t)((box->at[0] + first) * (int64_t)bits / 8);
    row->global_bytes = (uint64_t)(end - first) * bits / 8;
    step(box);
    return true;
}

static void make_fill(const WarpBox *box, uint8_t fill[CHUNK]) {
    const uint64_t every_type = UINT64_C(0x7FF77FF77FF77FF7); // 16 bits that .oob looks for, measured on an H200
    const uint64_t nan = box->numbers ? every_type : warp_map_nan(box->map);
    const uint32_t bytes = warp_map_bits(box->map) / 8;
    memset(fill, 0, CHUNK);
    for (uint32_t i = 0; box->map->fill_nan && i < CHUNK; i += bytes) memcpy(fill + i, &nan, bytes);
}

// To the nearest number of tf32, or the even one; NaN becomes one without sign.
static uint32_t nearest_tf32(uint32_t bits) {
    enum { CUT = 13, MAGNITUDE = INT32_MAX, INFINITE = 0x7F800000, NOT_A_NUMBER = 0x7FFFE000 };
    if ((bits & MAGNITUDE) > INFINITE) return NOT_A_NUMBER;
    return (bits + (BASE_BIT(CUT - 1) - 1) + (bits >> CUT & 1)) & ~(BASE_BIT(CUT) - 1);
}

static void load_elements(const WarpBox *box, uint8_t *to, const uint8_t *from, uint32_t bytes) {
    memcpy(to, from, bytes);
    if (!box->numbers || (box->map->type != RT_MAP_TF32 && box->map->type != RT_MAP_TF32_FTZ)) return;
    for (uint32_t i = 0; i < bytes; i += sizeof(uint32_t)) {
        uint32_t element;
        memcpy(&element, to + i, sizeof element);
        element = nearest_tf32(element);
        memcpy(to + i, &element, sizeof element);
    }
}

// Bytes of global memory of 16 elements of a padded type: the rest of their chunk is not used.
static uint32_t chunk_bytes(const RtMap *map) {
    return CHUNK * warp_map_bits(map) / warp_map_shared_bits(map);
}

void warp_row_load(const WarpBox *box, const WarpBoxRow *row, uint8_t *shared, uint32_t to, const uint8_t *array) {
    const uint32_t span = warp_map_span(box->map), bytes = row->before + row->inside + row->after;
    const uint32_t packed = chunk_bytes(box->map), end = row->before + row->inside;
    const uint32_t before = row->before, offset = to + row->offset;
    uint8_t fill[CHUNK];
    if (before || end < bytes || packed != CHUNK || bytes % CHUNK) make_fill(box, fill);
    for (uint32_t at = 0; at < bytes; at += CHUNK) {
        uint8_t *chunk = shared + warp_swizzle(offset + at, span);
        if (at >= before && at + CHUNK <= end && packed == CHUNK) {
            load_elements(box, chunk, array + (at - before), CHUNK);
            continue;
        }
        memcpy(chunk, fill, CHUNK);
        const uint32_t first = at > before ? at : before, last = at + CHUNK < end ? at + CHUNK : end;
        if (first >= last) continue;
        if (packed == CHUNK)
            load_elements(box, chunk + (first - at), array + (first - before), last - first);
        else
            memcpy(chunk, array + (at - before) / CHUNK * packed, packed);
    }
}

void warp_row_store(const WarpBox *box, const WarpBoxRow *row, const uint8_t *shared, uint32_t from, uint8_t *array) {
    const uint32_t span = warp_map_span(box->map), end = row->before + row->inside;
    const uint32_t packed = chunk_bytes(box->map);
    for (uint32_t at = row->before / CHUNK * CHUNK; at < end; at += CHUNK) {
        const uint8_t *chunk = shared + warp_swizzle(from + row->offset + at, span);
        const uint32_t first = at > row->before ? at : row->before, last = at + CHUNK < end ? at + CHUNK : end;
        if (packed == CHUNK)
            memcpy(array + (first - row->before), chunk + (first - at), last - first);
        else
            memcpy(array + (at - row->before) / CHUNK * packed, chunk, packed);
    }
}
