// SPDX-License-Identifier: Apache-2.0
// See cuda_casts.h.
#include "tests/accuracy/cuda_casts.h"

#if __has_include(<cuda_fp8.h>) && __has_include(<cuda_fp6.h>) && __has_include(<cuda_fp4.h>)
#include <cstring>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

bool cuda_casts_are_there(void) {
    return true;
}

// A number as one of the types that the header's functions take.
struct Number {
    FpsanFormat format;
    double wide;
    float single;
    __half_raw half;
    __nv_bfloat16_raw brain;
};

static Number number_of(FpsanFormat format, uint64_t bits) {
    Number x = {};
    const uint32_t low = static_cast<uint32_t>(bits);
    x.format = format;
    std::memcpy(&x.wide, &bits, sizeof x.wide);
    std::memcpy(&x.single, &low, sizeof x.single);
    x.half.x = x.brain.x = static_cast<unsigned short>(bits);
    return x;
}

static uint8_t to_fp8(const Number &x, __nv_saturation_t saturation, __nv_fp8_interpretation_t kind) {
    switch (x.format) {
    case FPSAN_F64: return __nv_cvt_double_to_fp8(x.wide, saturation, kind);
    case FPSAN_F32: return __nv_cvt_float_to_fp8(x.single, saturation, kind);
    case FPSAN_F16: return __nv_cvt_halfraw_to_fp8(x.half, saturation, kind);
    default: return __nv_cvt_bfloat16raw_to_fp8(x.brain, saturation, kind);
    }
}

static uint8_t to_fp6(const Number &x, __nv_fp6_interpretation_t kind) {
    switch (x.format) {
    case FPSAN_F64: return __nv_cvt_double_to_fp6(x.wide, kind, cudaRoundNearest);
    case FPSAN_F32: return __nv_cvt_float_to_fp6(x.single, kind, cudaRoundNearest);
    case FPSAN_F16: return __nv_cvt_halfraw_to_fp6(x.half, kind, cudaRoundNearest);
    default: return __nv_cvt_bfloat16raw_to_fp6(x.brain, kind, cudaRoundNearest);
    }
}

static uint8_t to_fp4(const Number &x) {
    switch (x.format) {
    case FPSAN_F64: return __nv_cvt_double_to_fp4(x.wide, __NV_E2M1, cudaRoundNearest);
    case FPSAN_F32: return __nv_cvt_float_to_fp4(x.single, __NV_E2M1, cudaRoundNearest);
    case FPSAN_F16: return __nv_cvt_halfraw_to_fp4(x.half, __NV_E2M1, cudaRoundNearest);
    default: return __nv_cvt_bfloat16raw_to_fp4(x.brain, __NV_E2M1, cudaRoundNearest);
    }
}

static uint8_t to_e8m0(const Number &x, __nv_saturation_t saturation, cudaRoundMode rounding) {
    switch (x.format) {
    case FPSAN_F64: return __nv_cvt_double_to_e8m0(x.wide, saturation, rounding);
    case FPSAN_F32: return __nv_cvt_float_to_e8m0(x.single, saturation, rounding);
    default: return __nv_cvt_bfloat16raw_to_e8m0(x.brain, saturation, rounding);
    }
}

bool cuda_cast(FpsanFormat from, uint64_t bits, FpsanFormat to, FpsanRounding rounding, bool satf, uint8_t *code) {
    const Number x = number_of(from, bits);
    const __nv_saturation_t saturation = satf ? __NV_SATFINITE : __NV_NOSAT;
    const bool nearest = rounding == FPSAN_NEAREST_EVEN;
    switch (to) {
    case FPSAN_F8E4M3FN: *code = to_fp8(x, saturation, __NV_E4M3); return nearest;
    case FPSAN_F8E5M2: *code = to_fp8(x, saturation, __NV_E5M2); return nearest;
    case FPSAN_F6E2M3FN: *code = to_fp6(x, __NV_E2M3); return nearest;
    case FPSAN_F6E3M2FN: *code = to_fp6(x, __NV_E3M2); return nearest;
    case FPSAN_F4E2M1FN: *code = to_fp4(x); return nearest;
    case FPSAN_F8E8M0FNU:
        if (from == FPSAN_F16 || (rounding != FPSAN_TOWARD_ZERO && rounding != FPSAN_TOWARD_POSITIVE)) return false;
        *code = to_e8m0(x, saturation, rounding == FPSAN_TOWARD_ZERO ? cudaRoundZero : cudaRoundPosInf);
        return true;
    default: return false;
    }
}
#else
bool cuda_casts_are_there(void) {
    return false;
}

bool cuda_cast(FpsanFormat from, uint64_t bits, FpsanFormat to, FpsanRounding rounding, bool satf, uint8_t *code) {
    (void)from, (void)bits, (void)to, (void)rounding, (void)satf, (void)code;
    return false;
}
#endif
