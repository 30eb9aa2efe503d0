// SPDX-License-Identifier: Apache-2.0
// Tensor maps as bytes: what is written is read again, each rule of the driver has its message, fields are replaced as
// kernels do it, and other bytes are refused.
#include "runtime/warp_engines.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static RtMap good_map(void) {
    return (RtMap){.type = RT_MAP_F16,
                   .rank = 3,
                   .address = 0x10000,
                   .dimension = {100, 200, 7},
                   .stride = {0, 208, 208 * 200},
                   .box = {64, 128, 2},
                   .element_stride = {1, 1, 1},
                   .swizzle = RT_MAP_SWIZZLE_128B};
}

// The message for the map; "" if it is allowed.
static const char *message(const RtMap *map, ErrorCode *code) {
    static char text[300];
    Diagnostics diagnostics = {0};
    uint8_t bytes[RT_MAP_BYTES];
    text[0] = 0;
    *code = E_NONE;
    if (!rt_encode_map(&diagnostics, (Location){.file = "case.yaml", .line = 3}, map, bytes)) {
        snprintf(text, sizeof text, "%s", diagnostics.items[0].message);
        *code = diagnostics.items[0].code;
        cr_assert_eq(diagnostics.items[0].at.line, 3);
    }
    diagnostics_close(&diagnostics);
    return text;
}

Test(tensor_map, what_is_written_is_read) {
    const RtMap map = good_map();
    uint8_t bytes[RT_MAP_BYTES];
    cr_assert(rt_encode_map(NULL, (Location){0}, &map, bytes));
    RtMap read;
    WarpProblem problem;
    cr_assert(warp_map_read(bytes, &read, &problem), "%s", problem.text);
    cr_assert_eq(read.type, map.type);
    cr_assert_eq(read.rank, map.rank);
    cr_assert_eq(read.address, map.address);
    for (int d = 0; d < 3; d++) {
        cr_assert_eq(read.dimension[d], map.dimension[d]);
        cr_assert_eq(read.stride[d], map.stride[d]);
        cr_assert_eq(read.box[d], map.box[d]);
        cr_assert_eq(read.element_stride[d], 1);
    }
    cr_assert_eq(read.swizzle, map.swizzle);
    cr_assert_eq(read.fill_nan, false);
    cr_assert_eq(rt_map_extent(&read), 200 + 199 * 208 + 6 * 208 * 200);
}

Test(tensor_map, bytes_that_are_not_ours_are_refused) {
    const RtMap map = good_map();
    uint8_t bytes[RT_MAP_BYTES];
    RtMap read;
    WarpProblem problem;
    for (int i = 0; i < RT_MAP_BYTES - 24; i++) { // the last bytes are not used
        cr_assert(rt_encode_map(NULL, (Location){0}, &map, bytes));
        bytes[i] ^= 0x10;
        if (i < 112) cr_assert_not(warp_map_read(bytes, &read, &problem), "byte %d", i);
    }
    memset(bytes, 0x5A, sizeof bytes);
    cr_assert_not(warp_map_read(bytes, &read, &problem));
    cr_assert_eq(problem.code, E_RUNTIME);
    cr_assert(strstr(problem.text, "NVIDIA's driver"));
}

#define RULE(change, code_, part)                                                                                      \
    do {                                                                                                               \
        RtMap map = good_map();                                                                                        \
        change;                                                                                                        \
        ErrorCode code;                                                                                                \
        const char *text = message(&map, &code);                                                                       \
        cr_assert_eq(code, E_##code_, "%s: %d %s", #change, code, text);                                               \
        cr_assert(strstr(text, part), "%s: %s", #change, text);                                                        \
    } while (0)

Test(tensor_map, each_rule_has_its_number) {
    RULE((void)0, NONE, "");
    RULE(map.rank = 0, ARGUMENT, "a rank of 0; allowed are 1 to 5");
    RULE(map.rank = 6, ARGUMENT, "a rank of 6; allowed are 1 to 5");
    RULE(map.type = RT_MAP_TYPES, ARGUMENT, "element type 16; there are 0 to 15");
    RULE(map.interleave = 3, ARGUMENT, "interleave 3; there are 0 to 2");
    RULE(map.swizzle = 7, ARGUMENT, "swizzle 7; there are 0 to 6");
    RULE((map.rank = 2, map.interleave = 1), ARGUMENT, "a rank of 2 with interleave");
    RULE(map.interleave = RT_MAP_INTERLEAVE_32B, ARGUMENT, "swizzle 3 with an interleave of 32 bytes");
    RULE((map.type = RT_MAP_U16, map.fill_nan = true), ARGUMENT, "type u16 cannot be filled with NaN");
    RULE(map.address += 8, ARGUMENT, "address 0x10008 is no multiple of 16");
    RULE((map.interleave = RT_MAP_INTERLEAVE_32B, map.swizzle = RT_MAP_SWIZZLE_32B, map.address += 16), ARGUMENT,
         "address 0x10010 is no multiple of 32");
    RULE(map.dimension[1] = 0, ARGUMENT, "dimension 1 (0 is the innermost) has 0 elements; allowed are 1 to 2^32");
    RULE(map.dimension[0] = (UINT64_C(1) << 32) + 1, ARGUMENT,
         "dimension 0 (0 is the innermost) has 4294967297 elements");
    RULE(map.stride[2] = 24, ARGUMENT,
         "dimension 2 (0 is the innermost) has a stride of 24 bytes; allowed are multiples of 16 below 2^40");
    RULE(map.stride[1] = UINT64_C(1) << 40, ARGUMENT,
         "dimension 1 (0 is the innermost) has a stride of 1099511627776 bytes");
    RULE(map.box[2] = 0, ARGUMENT, "dimension 2 (0 is the innermost) of the box is 0; allowed are 1 to 256");
    RULE(map.box[1] = 257, ARGUMENT, "dimension 1 (0 is the innermost) of the box is 257");
    RULE(map.element_stride[1] = 9, ARGUMENT,
         "dimension 1 (0 is the innermost) has an element stride of 9; allowed are 1 to 8");
    RULE(map.element_stride[0] = 0, ARGUMENT, "dimension 0 (0 is the innermost) has an element stride of 0");
    RULE(map.box[0] = 4, ARGUMENT, "4 elements, is 64 bits; it has to be a multiple of 16 bytes");
    RULE(map.box[0] = 72, ARGUMENT, "the innermost dimension of the box is 144 bytes; this swizzle allows up to 128");
    RULE((map.box[0] = 40, map.swizzle = RT_MAP_SWIZZLE_64B), ARGUMENT, "is 80 bytes; this swizzle allows up to 64");
    RULE((map.box[0] = 24, map.swizzle = RT_MAP_SWIZZLE_32B), ARGUMENT, "is 48 bytes; this swizzle allows up to 32");
    RULE((map.box[0] = 256, map.swizzle = RT_MAP_NO_SWIZZLE), NONE, "");
    RULE((map.type = RT_MAP_16U4_ALIGN16B, map.stride[1] = 224), ARGUMENT,
         "the innermost dimension of the box is 64; type b4x16");
    RULE((map.type = RT_MAP_16U4_ALIGN16B, map.stride[1] = 224, map.box[0] = 128), ARGUMENT,
         "the innermost dimension has 100 elements; type b4x16_p64 needs a multiple of 128");
    RULE((map.type = RT_MAP_16U6_ALIGN16B), ARGUMENT, "a stride of 208 bytes; allowed are multiples of 32 below 2^40");
    RULE((map.type = RT_MAP_16U4_ALIGN8B, map.dimension[0] = 101), ARGUMENT, "needs a multiple of 2");
    RULE((map.dimension[2] = UINT64_C(1) << 32, map.stride[2] = (UINT64_C(1) << 40) - 16), ARGUMENT,
         "more bytes than there are addresses");
}

Test(tensor_map, what_nobody_has_confirmed_is_refused) {
    RULE(map.type = RT_MAP_TF32_FTZ, ARGUMENT, "is 256 bytes");
    RULE(map.interleave = RT_MAP_INTERLEAVE_16B, UNSUPPORTED, "interleave is not supported");
    RULE(map.swizzle = RT_MAP_SWIZZLE_128B_ATOM_32B, UNSUPPORTED, "with atoms of more than 16 is not supported");
    RULE(map.swizzle = RT_MAP_SWIZZLE_128B_ATOM_64B, UNSUPPORTED, "with atoms of more than 16 is not supported");
    RULE(map.element_stride[1] = 2, UNSUPPORTED, "element strides are not supported");
}

typedef struct Replacement {
    WarpMapField field;
    uint32_t ordinal;
    uint64_t value;
} Replacement;

// As a kernel makes a map of two dimensions of bf16: type 10 of tensormap.replace is the driver's 9.
static const Replacement made[] = {
    {WARP_MAP_ADDRESS, 0, 0x20000}, {WARP_MAP_RANK, 0, 1},           {WARP_MAP_BOX, 0, 64},
    {WARP_MAP_BOX, 1, 32},          {WARP_MAP_DIMENSION, 0, 640},    {WARP_MAP_DIMENSION, 1, 320},
    {WARP_MAP_STRIDE, 0, 1280},     {WARP_MAP_ELEMENT_STRIDE, 0, 1}, {WARP_MAP_ELEMENT_STRIDE, 1, 1},
    {WARP_MAP_TYPE, 0, 10},         {WARP_MAP_INTERLEAVE, 0, 0},     {WARP_MAP_SWIZZLE, 0, 3},
    {WARP_MAP_FILL, 0, 1},
};

Test(tensor_map, kernels_make_maps_field_by_field) {
    RtMap map;
    WarpProblem problem;
    for (size_t missing = 0; missing <= BASE_COUNT(made); missing++) {
        uint8_t bytes[RT_MAP_BYTES] = {0};
        for (size_t i = 0; i < BASE_COUNT(made); i++)
            if (i != missing)
                cr_assert(warp_map_replace(bytes, made[i].field, made[i].ordinal, made[i].value, &problem));
        const bool optional = missing >= 10;
        cr_assert_eq(warp_map_read(bytes, &map, &problem), optional, "%zu: %s", missing, problem.text);
        if (!optional) cr_assert(strstr(problem.text, "was never set"), "%s", problem.text);
    }
    cr_assert_eq(map.type, RT_MAP_BF16);
    cr_assert_eq(map.rank, 2);
    cr_assert_eq(map.stride[1], 1280);
    cr_assert_eq(map.swizzle, RT_MAP_SWIZZLE_128B);
    cr_assert(map.fill_nan);
}

Test(tensor_map, wrong_replacements_name_the_value) {
    uint8_t bytes[RT_MAP_BYTES] = {0};
    WarpProblem problem;
    cr_assert_not(warp_map_replace(bytes, WARP_MAP_RANK, 0, 5, &problem));
    cr_assert(strstr(problem.text, "a rank of 5; allowed are values up to 4"), "%s", problem.text);
    cr_assert_not(warp_map_replace(bytes, WARP_MAP_STRIDE, 4, 16, &problem));
    cr_assert(strstr(problem.text, "there is no global_stride 4; there are 0 to 3"), "%s", problem.text);
    memset(bytes, 1, sizeof bytes);
    cr_assert_not(warp_map_replace(bytes, WARP_MAP_RANK, 0, 1, &problem));
}

Test(tensor_map, types_of_the_device_are_not_those_of_the_driver) {
    static const RtMapType types[] = {RT_MAP_U8,  RT_MAP_U16, RT_MAP_U32,     RT_MAP_I32, RT_MAP_U64,  RT_MAP_I64,
                                      RT_MAP_F16, RT_MAP_F32, RT_MAP_F32_FTZ, RT_MAP_F64, RT_MAP_BF16, RT_MAP_TF32};
    for (size_t i = 0; i < BASE_COUNT(types); i++) {
        RtMap map = good_map();
        map.swizzle = RT_MAP_NO_SWIZZLE;
        uint8_t bytes[RT_MAP_BYTES];
        WarpProblem problem;
        cr_assert(rt_encode_map(NULL, (Location){0}, &map, bytes));
        cr_assert(warp_map_replace(bytes, WARP_MAP_TYPE, 0, i, &problem));
        cr_assert(warp_map_read(bytes, &map, &problem), "%zu: %s", i, problem.text);
        cr_assert_eq(map.type, types[i]);
    }
}
