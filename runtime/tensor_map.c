// SPDX-License-Identifier: Apache-2.0
// The 128 bytes of a tensor map. Those of NVIDIA's driver are not documented; these are our own: a magic number, the
// fields, which of them were set, a check sum.
#include "runtime/warp_engines.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <xxhash.h>

// What lies where. Numbers are in the byte order of the host.
typedef struct MapBytes {
    uint32_t magic;
    uint8_t version, rank, type, interleave;
    uint64_t address;
    uint64_t dimension[RT_MAP_RANK_MAX];
    uint64_t stride[RT_MAP_RANK_MAX - 1]; // of dimensions 1 on
    uint16_t box[RT_MAP_RANK_MAX];
    uint8_t element_stride[RT_MAP_RANK_MAX];
    uint8_t swizzle, atom, fill; // swizzle 0: none, 1: 32, 2: 64, 3: 128 bytes; atom: as tensormap.replace says it
    uint16_t zero;
    uint32_t set; // bit: see set_bit
    uint32_t check;
} MapBytes;
_Static_assert(sizeof(MapBytes) <= RT_MAP_BYTES, "a map has room");
enum { MAP_VERSION = 1 };
#define MAP_MAGIC UINT32_C(0x4D54676E) // "ngTM" in memory

typedef struct MapType {
    const char *text;
    uint8_t device, bits, shared_bits;
    bool is_float;
    uint64_t nan;
} MapType;
static const MapType map_types[] = {
#define MAP_TYPE(id, ...) [RT_MAP_##id] = {__VA_ARGS__},
#include "runtime/tensor_maps.def"
#undef MAP_TYPE
};
#define MAP_TYPE(id, ...) | BASE_BIT(RT_MAP_##id)
_Static_assert((0
#include "runtime/tensor_maps.def"
                ) == BASE_BITS(RT_MAP_TYPES),
               "a row for each type");
#undef MAP_TYPE

uint32_t warp_map_bits(const RtMap *map) {
    return map_types[map->type].bits;
}

uint32_t warp_map_shared_bits(const RtMap *map) {
    return map_types[map->type].shared_bits;
}

uint64_t warp_map_nan(const RtMap *map) {
    return map_types[map->type].nan;
}

const char *warp_map_type_name(RtMapType type) {
    return map_types[type].text;
}

uint32_t warp_map_row_bytes(const RtMap *map) {
    return map->box[0] * map_types[map->type].shared_bits / 8;
}

uint32_t warp_map_span(const RtMap *map) {
    static const uint8_t spans[] = {16, 32, 64, 128, 128, 128, 128};
    return spans[map->swizzle];
}

// ---- the rules of cuTensorMapEncodeTiled

static bool wrong(WarpProblem *problem, ErrorCode code, const char *format, ...) BASE_PRINTF(3, 4);
static bool wrong(WarpProblem *problem, ErrorCode code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    vsnprintf(problem->text, sizeof problem->text, format, args);
    va_end(args);
    problem->code = code;
    return false;
}

static bool is_padded(const RtMap *map) {
    return map->type == RT_MAP_16U4_ALIGN16B || map->type == RT_MAP_16U6_ALIGN16B;
}

static bool check_kinds(const RtMap *map, WarpProblem *problem) {
    if (map->rank < 1 || map->rank > RT_MAP_RANK_MAX)
        return wrong(problem, E_ARGUMENT, "a rank of %" PRIu32 "; allowed are 1 to %d", map->rank, RT_MAP_RANK_MAX);
    if ((unsigned)map->type >= RT_MAP_TYPES)
        return wrong(problem, E_ARGUMENT, "element type %d; there are 0 to %d", (int)map->type, RT_MAP_TYPES - 1);
    if ((unsigned)map->interleave > RT_MAP_INTERLEAVE_32B)
        return wrong(problem, E_ARGUMENT, "interleave %d; there are 0 to %d", (int)map->interleave,
                     RT_MAP_INTERLEAVE_32B);
    if ((unsigned)map->swizzle > RT_MAP_SWIZZLE_128B_ATOM_64B)
        return wrong(problem, E_ARGUMENT, "swizzle %d; there are 0 to %d", (int)map->swizzle,
                     RT_MAP_SWIZZLE_128B_ATOM_64B);
    if (map->interleave && map->rank < 3)
        return wrong(problem, E_ARGUMENT, "a rank of %" PRIu32 " with interleave; allowed are 3 to %d", map->rank,
                     RT_MAP_RANK_MAX);
    if (map->interleave == RT_MAP_INTERLEAVE_32B && map->swizzle != RT_MAP_SWIZZLE_32B)
        return wrong(problem, E_ARGUMENT, "swizzle %d with an interleave of 32 bytes, which needs one of 32 bytes",
                     (int)map->swizzle);
    if (map->fill_nan && !map_types[map->type].is_float)
        return wrong(problem, E_ARGUMENT, "elements of type %s cannot be filled with NaN", map_types[map->type].text);
    return true;
}

// `stride` of dimension `d`, a multiple of what the type and the interleave ask for.
static bool check_dimension(const RtMap *map, uint32_t d, uint32_t multiple, WarpProblem *problem) {
    const uint64_t size = map->dimension[d], stride = map->stride[d];
    if (size < 1 || size > UINT64_C(1) << 32)
        return wrong(problem, E_ARGUMENT,
                     "dimension %" PRIu32 " (0 is the innermost) has %" PRIu64 " elements; allowed are 1 to 2^32", d,
                     size);
    if (d && (stride % multiple || stride >> 40))
        return wrong(problem, E_ARGUMENT,
                     "dimension %" PRIu32 " (0 is the innermost) has a stride of %" PRIu64
                     " bytes; allowed are multiples of %" PRIu32 " below 2^40",
                     d, stride, multiple);
    if (map->box[d] < 1 || map->box[d] > 256)
        return wrong(problem, E_ARGUMENT,
                     "dimension %" PRIu32 " (0 is the innermost) of the box is %" PRIu32 "; allowed are 1 to 256", d,
                     map->box[d]);
    if (map->element_stride[d] < 1 || map->element_stride[d] > 8)
        return wrong(problem, E_ARGUMENT,
                     "dimension %" PRIu32 " (0 is the innermost) has an element stride of %" PRIu32
                     "; allowed are 1 to 8",
                     d, map->element_stride[d]);
    return true;
}

// Of the innermost dimension.
static bool check_rows(const RtMap *map, WarpProblem *problem) {
    const uint32_t row_bits = map->box[0] * map_types[map->type].shared_bits;
    if (is_padded(map) && map->box[0] != 128)
        return wrong(problem, E_ARGUMENT, "the innermost dimension of the box is %" PRIu32 "; type %s needs 128",
                     map->box[0], map_types[map->type].text);
    if (is_padded(map) && map->dimension[0] % 128)
        return wrong(problem, E_ARGUMENT,
                     "the innermost dimension has %" PRIu64 " elements; type %s needs a multiple of 128",
                     map->dimension[0], map_types[map->type].text);
    if (map->type == RT_MAP_16U4_ALIGN8B && map->dimension[0] % 2)
        return wrong(problem, E_ARGUMENT,
                     "the innermost dimension has %" PRIu64 " elements; type %s needs a multiple of 2",
                     map->dimension[0], map_types[map->type].text);
    if (!map->interleave && row_bits % 128)
        return wrong(problem, E_ARGUMENT,
                     "the innermost dimension of the box, %" PRIu32 " elements, is %" PRIu32
                     " bits; it has to be a multiple of 16 "
                     "bytes",
                     map->box[0], row_bits);
    if (!map->interleave && map->swizzle && row_bits / 8 > warp_map_span(map))
        return wrong(problem, E_ARGUMENT,
                     "the innermost dimension of the box is %" PRIu32 " bytes; this swizzle allows up to %" PRIu32,
                     row_bits / 8, warp_map_span(map));
    return true;
}

// What an emulator cannot know to do right.
static bool check_supported(const RtMap *map, WarpProblem *problem) {
    if (map->interleave) return wrong(problem, E_UNSUPPORTED, "interleave is not supported");
    if (map->swizzle > RT_MAP_SWIZZLE_128B)
        return wrong(problem, E_UNSUPPORTED, "a swizzle of 128 bytes with atoms of more than 16 is not supported");
    for (uint32_t d = 0; d < map->rank; d++)
        if (map->element_stride[d] != 1) return wrong(problem, E_UNSUPPORTED, "element strides are not supported");
    return true;
}

uint64_t rt_map_extent(const RtMap *map) {
    uint64_t bytes = (map->dimension[0] * map_types[map->type].bits + 7) / 8;
    for (uint32_t d = 1; d < map->rank; d++) {
        uint64_t more;
        if (__builtin_mul_overflow(map->dimension[d] - 1, map->stride[d], &more) ||
            __builtin_add_overflow(bytes, more, &bytes))
            return UINT64_MAX;
    }
    return bytes;
}

static bool check_map(const RtMap *map, WarpProblem *problem) {
    if (!check_kinds(map, problem)) return false;
    const uint32_t multiple = is_padded(map) || map->interleave == RT_MAP_INTERLEAVE_32B ? 32 : 16;
    if (map->address % multiple)
        return wrong(problem, E_ARGUMENT, "address 0x%" PRIx64 " is no multiple of %" PRIu32, map->address, multiple);
    for (uint32_t d = 0; d < map->rank; d++)
        if (!check_dimension(map, d, multiple, problem)) return false;
    if (!check_rows(map, problem) || !check_supported(map, problem)) return false;
    if (rt_map_extent(map) > UINT64_MAX / 4)
        return wrong(problem, E_ARGUMENT, "the array has more bytes than there are addresses");
    return true;
}

// ---- writing and reading the bytes

// The bit of MapBytes.set that says that a field is known.
static uint32_t set_bit(WarpMapField field, uint32_t ordinal) {
    static const uint8_t first[] = {
        [WARP_MAP_ADDRESS] = 0,
        [WARP_MAP_RANK] = 1,
        [WARP_MAP_TYPE] = 2,
        [WARP_MAP_INTERLEAVE] = 3,
        [WARP_MAP_SWIZZLE] = 4,
        [WARP_MAP_SWIZZLE_ATOM] = 5,
        [WARP_MAP_FILL] = 6,
        [WARP_MAP_BOX] = 8,
        [WARP_MAP_DIMENSION] = 13,
        [WARP_MAP_STRIDE] = 18,
        [WARP_MAP_ELEMENT_STRIDE] = 23,
    };
    return UINT32_C(1) << (first[field] + ordinal);
}

static uint32_t check_sum(const MapBytes *map) {
    return (uint32_t)XXH3_64bits(map, offsetof(MapBytes, check));
}

bool rt_encode_map(Diagnostics *diagnostics, Location at, const RtMap *map, uint8_t bytes[RT_MAP_BYTES]) {
    WarpProblem problem;
    if (!check_map(map, &problem)) return diag_fail(diagnostics, at, problem.code, "tensor map: %s", problem.text);
    MapBytes out = {.magic = MAP_MAGIC,
                    .version = MAP_VERSION,
                    .rank = (uint8_t)map->rank,
                    .type = (uint8_t)map->type,
                    .interleave = (uint8_t)map->interleave,
                    .address = map->address,
                    .swizzle = (uint8_t)map->swizzle,
                    .fill = map->fill_nan,
                    .set = UINT32_MAX};
    for (uint32_t d = 0; d < map->rank; d++) {
        out.dimension[d] = map->dimension[d];
        if (d) out.stride[d - 1] = map->stride[d];
        out.box[d] = (uint16_t)map->box[d];
        out.element_stride[d] = (uint8_t)map->element_stride[d];
    }
    out.check = check_sum(&out);
    memset(bytes, 0, RT_MAP_BYTES);
    memcpy(bytes, &out, sizeof out);
    return true;
}

// Reads the bytes without looking at their meaning.
static bool open_bytes(const uint8_t bytes[RT_MAP_BYTES], MapBytes *map, WarpProblem *problem) {
    memcpy(map, bytes, sizeof *map);
    if (map->magic != MAP_MAGIC)
        return wrong(problem, E_RUNTIME,
                     "these 128 bytes are no tensor map of a case: they are NVIDIA's driver's, or none at all");
    if (map->version != MAP_VERSION)
        return wrong(problem, E_RUNTIME, "the tensor map is of version %u, not %d", map->version, MAP_VERSION);
    if (map->check != check_sum(map)) return wrong(problem, E_RUNTIME, "the tensor map has been overwritten");
    return true;
}

static const char *field_name(WarpMapField field) {
    static const char *const names[] = {
        [WARP_MAP_ADDRESS] = "global_address",
        [WARP_MAP_RANK] = "rank",
        [WARP_MAP_BOX] = "box_dim",
        [WARP_MAP_DIMENSION] = "global_dim",
        [WARP_MAP_STRIDE] = "global_stride",
        [WARP_MAP_ELEMENT_STRIDE] = "element_stride",
        [WARP_MAP_TYPE] = "elemtype",
        [WARP_MAP_INTERLEAVE] = "interleave_layout",
        [WARP_MAP_SWIZZLE] = "swizzle_mode",
        [WARP_MAP_SWIZZLE_ATOM] = "swizzle_atomicity",
        [WARP_MAP_FILL] = "fill_mode",
    };
    return names[field];
}

// What code must have set; interleave, swizzle, atom and fill are 0 unless it does.
static bool check_set(const MapBytes *map, WarpProblem *problem) {
    static const WarpMapField once[] = {WARP_MAP_RANK, WARP_MAP_ADDRESS, WARP_MAP_TYPE};
    for (size_t i = 0; i < BASE_COUNT(once); i++)
        if (!(map->set & set_bit(once[i], 0)))
            return wrong(problem, E_RUNTIME, "%s of the tensor map was never set", field_name(once[i]));
    static const WarpMapField each[] = {WARP_MAP_DIMENSION, WARP_MAP_BOX, WARP_MAP_ELEMENT_STRIDE, WARP_MAP_STRIDE};
    for (size_t i = 0; i < BASE_COUNT(each); i++)
        for (uint32_t d = 0; d + (each[i] == WARP_MAP_STRIDE) < map->rank && d < RT_MAP_RANK_MAX; d++)
            if (!(map->set & set_bit(each[i], d)))
                return wrong(problem, E_RUNTIME, "%s %" PRIu32 " of the tensor map was never set", field_name(each[i]),
                             d);
    return true;
}

static bool join_swizzle(const MapBytes *map, RtMapSwizzle *swizzle, WarpProblem *problem) {
    if (map->swizzle > RT_MAP_SWIZZLE_128B)
        return wrong(problem, E_UNSUPPORTED, "swizzle_mode %u is not supported", map->swizzle);
    if (map->atom && map->swizzle != RT_MAP_SWIZZLE_128B)
        return wrong(problem, E_RUNTIME, "swizzle_atomicity %u with swizzle_mode %u; it needs 3", map->atom,
                     map->swizzle);
    *swizzle = (RtMapSwizzle)(map->swizzle + map->atom);
    return true;
}

bool warp_map_read(const uint8_t bytes[RT_MAP_BYTES], RtMap *map, WarpProblem *problem) {
    MapBytes in;
    if (!open_bytes(bytes, &in, problem) || !check_set(&in, problem)) return false;
    *map = (RtMap){
        .type = in.type, .rank = in.rank, .address = in.address, .interleave = in.interleave, .fill_nan = in.fill != 0};
    if (!join_swizzle(&in, &map->swizzle, problem)) return false;
    for (uint32_t d = 0; d < RT_MAP_RANK_MAX; d++) {
        map->dimension[d] = in.dimension[d];
        map->stride[d] = d ? in.stride[d - 1] : 0;
        map->box[d] = in.box[d];
        map->element_stride[d] = in.element_stride[d];
    }
    if (check_map(map, problem)) return true;
    if (problem->code == E_ARGUMENT) problem->code = E_RUNTIME;
    return false;
}

// ---- tensormap.replace

// What values a field has: most, and how many there are.
typedef struct MapField {
    uint64_t most;
    uint32_t count;
} MapField;
static const MapField map_fields[] = {
    [WARP_MAP_ADDRESS] = {UINT64_MAX, 1},
    [WARP_MAP_RANK] = {RT_MAP_RANK_MAX - 1, 1},
    [WARP_MAP_BOX] = {256, RT_MAP_RANK_MAX},
    [WARP_MAP_DIMENSION] = {UINT32_MAX, RT_MAP_RANK_MAX},
    [WARP_MAP_STRIDE] = {(UINT64_C(1) << 40) - 1, RT_MAP_RANK_MAX - 1},
    [WARP_MAP_ELEMENT_STRIDE] = {8, RT_MAP_RANK_MAX},
    [WARP_MAP_TYPE] = {RT_MAP_TYPES - 1, 1},
    [WARP_MAP_INTERLEAVE] = {RT_MAP_INTERLEAVE_32B, 1},
    [WARP_MAP_SWIZZLE] = {4, 1},
    [WARP_MAP_SWIZZLE_ATOM] = {3, 1},
    [WARP_MAP_FILL] = {1, 1},
};

static uint8_t type_of_device(uint64_t number) {
    for (uint8_t type = 0; type < RT_MAP_TYPES; type++)
        if (map_types[type].device == number) return type;
    return 0;
}

static void set_field(MapBytes *map, WarpMapField field, uint32_t ordinal, uint64_t value) {
    switch (field) {
    case WARP_MAP_ADDRESS: map->address = value; break;
    case WARP_MAP_RANK: map->rank = (uint8_t)(value + 1); break;
    case WARP_MAP_BOX: map->box[ordinal] = (uint16_t)value; break;
    case WARP_MAP_DIMENSION: map->dimension[ordinal] = value; break;
    case WARP_MAP_STRIDE: map->stride[ordinal] = value; break;
    case WARP_MAP_ELEMENT_STRIDE: map->element_stride[ordinal] = (uint8_t)value; break;
    case WARP_MAP_TYPE: map->type = type_of_device(value); break;
    case WARP_MAP_INTERLEAVE: map->interleave = (uint8_t)value; break;
    case WARP_MAP_SWIZZLE: map->swizzle = (uint8_t)value; break;
    case WARP_MAP_SWIZZLE_ATOM: map->atom = (uint8_t)value; break;
    case WARP_MAP_FILL: map->fill = (uint8_t)value; break;
    }
}

bool warp_map_replace(uint8_t bytes[RT_MAP_BYTES], WarpMapField field, uint32_t ordinal, uint64_t value,
                      WarpProblem *problem) {
    static const uint8_t zeros[RT_MAP_BYTES];
    MapBytes map = {.magic = MAP_MAGIC, .version = MAP_VERSION};
    if (memcmp(bytes, zeros, RT_MAP_BYTES) && !open_bytes(bytes, &map, problem)) return false;
    if (ordinal >= map_fields[field].count)
        return wrong(problem, E_RUNTIME, "there is no %s %" PRIu32 "; there are 0 to %" PRIu32, field_name(field),
                     ordinal, map_fields[field].count - 1);
    if (value > map_fields[field].most)
        return wrong(problem, E_RUNTIME, "a %s of %" PRIu64 "; allowed are values up to %" PRIu64, field_name(field),
                     value, map_fields[field].most);
    set_field(&map, field, ordinal, value);
    map.set |= set_bit(field, ordinal);
    map.check = check_sum(&map);
    memset(bytes, 0, RT_MAP_BYTES);
    memcpy(bytes, &map, sizeof map);
    return true;
}
