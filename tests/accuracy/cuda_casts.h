// SPDX-License-Identifier: Apache-2.0
// The casts of CUDA's headers (cuda_fp8.h, cuda_fp6.h, cuda_fp4.h) as they compute them on processors; where CUDA is
// not installed there are none. For C and C++.
#ifndef CONGRUENT_ACCURACY_CUDA_CASTS_H
#define CONGRUENT_ACCURACY_CUDA_CASTS_H

#include "sanitizer/format/format.h"

#ifdef __cplusplus
extern "C" {
#endif
bool cuda_casts_are_there(void);
// The code that CUDA's header gives for the number of format `from` with these bits. False if it has no such cast: it
// has those of f16, bf16, f32 and f64 to nearest even, to f8E4M3FN, f8E5M2, f6 and f4 (the last two saturate always),
// and of bf16, f32 and f64 to f8E8M0FNU toward zero and plus infinity.
bool cuda_cast(FpsanFormat from, uint64_t bits, FpsanFormat to, FpsanRounding rounding, bool satf, uint8_t *code);
#ifdef __cplusplus
}
#endif

#endif
