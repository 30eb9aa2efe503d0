// SPDX-License-Identifier: Apache-2.0
// nvcc -rdc=true -include keep_calls.h: math functions of f32 become calls of external functions that keep their names in PTX,
// at full optimisation. Such PTX runs in the emulator only, or where somebody defines the functions.
#pragma once
#include <cuda_runtime.h>
#define KEEP1(name) extern "C" __device__ __attribute__((const)) float keep_##name(float);
#define KEEP2(name) extern "C" __device__ __attribute__((const)) float keep_##name(float, float);
KEEP1(expf) KEEP1(exp2f) KEEP1(logf) KEEP1(log2f) KEEP1(sinf) KEEP1(cosf) KEEP1(tanf) KEEP1(tanhf) KEEP1(erff) KEEP2(powf)
// Payload arithmetic knows these by their names only: IEEE arithmetic runs their bodies.
#define BODY(name) extern "C" __device__ __noinline__ __attribute__((weak)) float keep_##name(float x) { return name(x); }
BODY(exp10f) BODY(expm1f) BODY(log10f) BODY(log1pf)
#define expf keep_expf
#define exp2f keep_exp2f
#define exp10f keep_exp10f
#define expm1f keep_expm1f
#define logf keep_logf
#define log2f keep_log2f
#define log10f keep_log10f
#define log1pf keep_log1pf
#define sinf keep_sinf
#define cosf keep_cosf
#define tanf keep_tanf
#define tanhf keep_tanhf
#define erff keep_erff
#define powf keep_powf
