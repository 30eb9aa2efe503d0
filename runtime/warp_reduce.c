// SPDX-License-Identifier: Apache-2.0
// Reductions by the copy engine, whose type is that of a tensor map.
#include "runtime/warp_copy.h"

#include <string.h>

#define REDUCTION(name, Type, formula)                                                                                 \
    static void name(const void *old, const void *operand, const void *swap, void *result) {                           \
        Type a, b, r;                                                                                                  \
        (void)swap;                                                                                                    \
        memcpy(&a, old, sizeof a);                                                                                     \
        memcpy(&b, operand, sizeof b);                                                                                 \
        r = (formula);                                                                                                 \
        memcpy(result, &r, sizeof r);                                                                                  \
    }
REDUCTION(add_u32, uint32_t, a + b)
REDUCTION(min_u32, uint32_t, a < b ? a : b)
REDUCTION(max_u32, uint32_t, a > b ? a : b)
REDUCTION(inc_u32, uint32_t, a >= b ? 0 : a + 1)
REDUCTION(dec_u32, uint32_t, a == 0 || a > b ? b : a - 1)
REDUCTION(and_u32, uint32_t, a &b)
REDUCTION(or_u32, uint32_t, a | b)
REDUCTION(xor_u32, uint32_t, a ^ b)
REDUCTION(min_i32, int32_t, a < b ? a : b)
REDUCTION(max_i32, int32_t, a > b ? a : b)
REDUCTION(add_u64, uint64_t, a + b)
REDUCTION(min_u64, uint64_t, a < b ? a : b)
REDUCTION(max_u64, uint64_t, a > b ? a : b)
REDUCTION(and_u64, uint64_t, a &b)
REDUCTION(or_u64, uint64_t, a | b)
REDUCTION(xor_u64, uint64_t, a ^ b)
REDUCTION(min_i64, int64_t, a < b ? a : b)
REDUCTION(max_i64, int64_t, a > b ? a : b)

// Those that do not depend on the sign are of the unsigned types.
static WarpCombine *const integer_reductions[RT_MAP_TYPES][WARP_REDUCTIONS] = {
    [RT_MAP_U32] = {NULL, add_u32, min_u32, max_u32, inc_u32, dec_u32, and_u32, or_u32, xor_u32},
    [RT_MAP_I32] = {NULL, add_u32, min_i32, max_i32, NULL, NULL, and_u32, or_u32, xor_u32},
    [RT_MAP_U64] = {NULL, add_u64, min_u64, max_u64, NULL, NULL, and_u64, or_u64, xor_u64},
    [RT_MAP_I64] = {NULL, add_u64, min_i64, max_i64, NULL, NULL, and_u64, or_u64, xor_u64},
};

WarpCombine *warp_map_combine(const KernelInfo *kernel, RtMapType type, WarpReduction reduction) {
    const WarpFunctions *functions = kernel->warp_functions;
    switch (type) {
    case RT_MAP_F16: return functions ? functions->reduce_f16[reduction] : NULL;
    case RT_MAP_BF16: return functions ? functions->reduce_bf16[reduction] : NULL;
    case RT_MAP_F32: return functions ? functions->reduce_f32[reduction] : NULL;
    case RT_MAP_F64: return functions ? functions->reduce_f64[reduction] : NULL;
    default: return integer_reductions[type][reduction];
    }
}
