// SPDX-License-Identifier: Apache-2.0
// What the timed kernels have to give: each formula once, in real numbers and in the payload algebra together.
#include "bench/bench_kernel_internal.h"

#include <math.h>

static uint64_t payload_of(float value) {
    return fpsan_embed(fpsan_default_algebra().profile, FPSAN_F32, fpsan_encode_nearest(FPSAN_F32, value));
}

static CheckValue number(float value) {
    return (CheckValue){value, payload_of(value)};
}

static CheckValue element(const KernelInputs *inputs, unsigned array, uint64_t index) {
    return number(inputs->arrays[array][index]);
}

static CheckValue apply(FpsanRule rule, double value, CheckValue a, CheckValue b) {
    const uint64_t operands[] = {a.payload, b.payload};
    return (CheckValue){value, fpsan_apply(fpsan_default_algebra().profile, rule, FPSAN_F32, operands)};
}

static CheckValue add(CheckValue a, CheckValue b) {
    return apply(FPSAN_RULE_ADD, a.value + b.value, a, b);
}
static CheckValue sub(CheckValue a, CheckValue b) {
    return apply(FPSAN_RULE_SUB, a.value - b.value, a, b);
}
static CheckValue mul(CheckValue a, CheckValue b) {
    return apply(FPSAN_RULE_MUL, a.value * b.value, a, b);
}
static CheckValue divide(CheckValue a, CheckValue b) {
    return apply(FPSAN_RULE_DIV, a.value / b.value, a, b);
}
static CheckValue max(CheckValue a, CheckValue b) {
    return apply(FPSAN_RULE_MAX, fmax(a.value, b.value), a, b);
}
static CheckValue power(CheckValue a) {
    return apply(FPSAN_RULE_EXP, exp(a.value), a, a);
}
static CheckValue power2(CheckValue a) {
    return apply(FPSAN_RULE_EXP2, exp2(a.value), a, a);
}

CheckValue check_formula(const KernelInputs *inputs, uint64_t index) {
    CheckValue a = element(inputs, 0, index), b = element(inputs, 1, index);
    return divide(power(add(mul(a, b), number(1.5f))), b);
}

CheckValue check_vadd(const KernelInputs *inputs, uint64_t index) {
    return add(element(inputs, 0, index), element(inputs, 1, index));
}

CheckValue check_triad(const KernelInputs *inputs, uint64_t index) {
    return add(element(inputs, 0, index), mul(number(3), element(inputs, 1, index)));
}

CheckValue check_softmax(const KernelInputs *inputs, uint64_t index) {
    const uint64_t columns = inputs->shapes[0][1], row = index - index % columns;
    CheckValue largest = element(inputs, 0, row), sum = number(0);
    for (uint64_t i = 1; i < columns; i++) largest = max(largest, element(inputs, 0, row + i));
    for (uint64_t i = 0; i < columns; i++) sum = add(sum, power(sub(element(inputs, 0, row + i), largest)));
    return divide(power(sub(element(inputs, 0, index), largest)), sum);
}

CheckValue check_layer_norm(const KernelInputs *inputs, uint64_t index) {
    const uint64_t columns = inputs->shapes[0][1], row = index - index % columns;
    CheckValue sum = number(0), squares = number(0), length = number((float)columns);
    for (uint64_t i = 0; i < columns; i++) sum = add(sum, element(inputs, 0, row + i));
    CheckValue mean = divide(sum, length);
    for (uint64_t i = 0; i < columns; i++) {
        CheckValue centred = sub(element(inputs, 0, row + i), mean);
        squares = add(squares, mul(centred, centred));
    }
    CheckValue variance = add(divide(squares, length), number(inputs->row->scalars[0]));
    CheckValue factor = apply(FPSAN_RULE_RSQRT, 1 / sqrt(variance.value), variance, variance);
    CheckValue result = mul(sub(element(inputs, 0, index), mean), factor);
    return add(mul(result, element(inputs, 1, index - row)), element(inputs, 2, index - row));
}

CheckValue check_gelu(const KernelInputs *inputs, uint64_t index) {
    CheckValue x = element(inputs, 0, index), cube = mul(mul(mul(number(0.044715f), x), x), x);
    CheckValue inner = mul(number(0.7978845608028654f), add(x, cube));
    CheckValue tangent = apply(FPSAN_RULE_TANH, tanh(inner.value), inner, inner);
    return mul(mul(number(0.5f), x), add(number(1), tangent));
}

// Powers of two of a sum are products of powers of two in both arithmetics, so one maximum of all scores does what the
// kernel does with a running one.
CheckValue check_attention(const KernelInputs *inputs, uint64_t index) {
    enum { KEYS_MAX = 1024 };
    const uint64_t keys = inputs->shapes[0][1], size = inputs->shapes[0][2];
    const uint64_t head = index / (keys * size) * keys * size, query = index - index % size;
    CheckValue scores[KEYS_MAX], largest = number(-INFINITY), sum = number(0), result = number(0);
    for (uint64_t j = 0; j < keys && j < KEYS_MAX; j++) {
        CheckValue score = number(0);
        for (uint64_t d = 0; d < size; d++)
            score = add(score, mul(element(inputs, 0, query + d), element(inputs, 1, head + j * size + d)));
        scores[j] = mul(score, number(inputs->row->scalars[0]));
        largest = max(largest, scores[j]);
    }
    for (uint64_t j = 0; j < keys && j < KEYS_MAX; j++) {
        CheckValue weight = power2(sub(scores[j], largest));
        sum = add(sum, weight);
        result = add(result, mul(weight, element(inputs, 2, head + j * size + index % size)));
    }
    return divide(result, sum);
}
