# SPDX-License-Identifier: Apache-2.0
# The examples of docs/limits.md about the tower: right kernels that do not come out equal, and wrong ones that do.
# Each kernel is one formula on blocks of 32 elements.
import cuda.tile as ct
from export import array

T, TERMS = 32, 16


def load(x):
    return ct.load(x, index=(ct.bid(0),), shape=(T,))


def store(y, t):
    ct.store(y, index=(ct.bid(0),), tile=t)


@ct.kernel
def copy(x, y):
    store(y, load(x).astype(y.dtype))


@ct.kernel
def scaled(x, y, s: float):
    store(y, load(x) * s)


@ct.kernel
def scaled_in_steps(x, y):
    """The derivative of what GELU puts into its tanh, without the 1: 3 * 0.044715 * sqrt(2/pi) x."""
    store(y, 3.0 * (load(x) * 0.044715 * 0.7978845608028654))


@ct.kernel
def scaled_by_parts(x, y, high: float, low: float):
    t = load(x)
    store(y, t * high + t * low)


@ct.kernel
def divided(x, y, s: float):
    store(y, load(x) / s)


@ct.kernel
def scaled_by_element(x, scale, y):
    store(y, load(x) * ct.load(scale, index=(0,), shape=(1,)))


# ---- roots -----------------------------------------------------------------------------------------------------------
@ct.kernel
def square_of_root(x, y):
    r = ct.sqrt(load(x))
    store(y, r * r)


@ct.kernel
def root_of_square(x, y):
    t = load(x)
    store(y, ct.sqrt(t * t))


@ct.kernel
def magnitude(x, y):
    store(y, ct.abs(load(x)))


def mean_square(t):
    return ct.sum(t * t, axis=0, keepdims=True) / 32.0 + 1e-5


@ct.kernel
def cubed(x, y):
    """A block is a row, as in the backward of a norm."""
    t = load(x)
    r = ct.rsqrt(mean_square(t))
    store(y, t * r * r * r)


@ct.kernel
def divided_once_more(x, y):
    t = load(x)
    store(y, t * ct.rsqrt(mean_square(t)) / mean_square(t))


@ct.kernel
def cubed_in_sum(x, y):
    t = load(x)
    r = ct.rsqrt(mean_square(t))
    store(y, t + t * r * r * r)


@ct.kernel
def divided_once_more_in_sum(x, y):
    t = load(x)
    store(y, t + t * ct.rsqrt(mean_square(t)) / mean_square(t))


@ct.kernel
def wrong_sign(x, y):
    t = load(x)
    store(y, -(t * ct.rsqrt(mean_square(t)) / mean_square(t)))


# ---- functions and their laws ----------------------------------------------------------------------------------------
@ct.kernel
def sine_of_sum(a, b, y):
    store(y, ct.sin(load(a) + load(b)))


@ct.kernel
def sum_of_sines(a, b, y):
    s, t = load(a), load(b)
    store(y, ct.sin(s) * ct.cos(t) + ct.cos(s) * ct.sin(t))


@ct.kernel
def turned_by_nothing(x, y):
    t = load(x)
    store(y, t * ct.cos(t - t))


@ct.kernel
def cosine(x, y):
    store(y, ct.cos(load(x)))


@ct.kernel
def exponential(x, y):
    store(y, ct.exp(load(x)))


@ct.kernel
def exponential_of_double(x, y):
    store(y, ct.exp(2.0 * load(x)))


@ct.kernel
def polynomial(x, y):
    """exp(x) by its series, good to f32 for |x| < 1/4."""
    t = load(x)
    store(y, 1.0 + t * (1.0 + t * (0.5 + t * (1 / 6 + t * (1 / 24 + t * (1 / 120 + t * (1 / 720)))))))


@ct.kernel
def power_of_constant(x, y):
    store(y, ct.pow(10000.0, load(x)))


@ct.kernel
def power_by_folded_log(x, y):
    store(y, ct.exp(load(x) * 9.210340371976184))


@ct.kernel
def power_by_log(x, y):
    store(y, ct.exp(load(x) * ct.log(ct.full((1,), 10000.0, dtype=ct.float32))))


@ct.kernel
def power(x, y, n: float):
    store(y, ct.pow(load(x), n))


@ct.kernel
def power_by_loop(x, y, n: int):
    t = load(x)
    r = ct.full((T,), 1.0, dtype=ct.float32)
    for _ in range(n):
        r = r * t
    store(y, r)


@ct.kernel
def bias_corrections(x, y, n: int):
    b = ct.full((1,), 1.0, dtype=ct.float32)
    for _ in range(n):
        b = b * 0.9
    store(y, load(x) * (1.0 - b))


@ct.kernel
def halved_log(x, y):
    r = ct.exp(ct.log(load(x)) * 0.5)
    store(y, r * r)


@ct.kernel
def logarithm(x, y):
    store(y, ct.log(load(x)))


@ct.kernel
def logarithm_wrong_below_0(x, y):
    t = load(x)
    store(y, ct.log(ct.where(t > 0.0, t, 2.0 * t)))


@ct.kernel
def nested(x, y, n: int):
    t = load(x)
    for _ in range(n):
        t = ct.exp(-t)
    store(y, t)


@ct.kernel
def nested_base_2(x, y, n: int):
    t = load(x)
    for _ in range(n):
        t = ct.exp2(-1.4426950408889634 * t)
    store(y, t)


# ---- softmax of a block, of which the first n elements count --------------------------------------------------------
@ct.kernel
def softmax(x, y, n: int):
    t = load(x)
    inside = ct.arange(T, dtype=ct.int32) < n
    m = ct.max(ct.where(inside, t, -float("inf")), axis=0, keepdims=True)
    p = ct.where(inside, ct.exp(t - m), 0.0)
    store(y, p / ct.sum(p, axis=0, keepdims=True))


@ct.kernel
def softmax_masked(x, y, n: int, mask: float):
    s = ct.where(ct.arange(T, dtype=ct.int32) < n, load(x), mask)
    p = ct.exp(s - ct.max(s, axis=0, keepdims=True))
    store(y, p / ct.sum(p, axis=0, keepdims=True))


@ct.kernel
def softmax_masked_base_2(x, y, n: int, mask: float):
    s = ct.where(ct.arange(T, dtype=ct.int32) < n, load(x), mask) * 1.4426950408889634
    p = ct.exp2(s - ct.max(s, axis=0, keepdims=True))
    store(y, p / ct.sum(p, axis=0, keepdims=True))


@ct.kernel
def softmax_without_maximum(x, y, n: int):
    p = ct.where(ct.arange(T, dtype=ct.int32) < n, ct.exp(load(x)), 0.0)
    store(y, p / ct.sum(p, axis=0, keepdims=True))


@ct.kernel
def softmax_of_minimum(x, y, n: int):
    t = load(x)
    p = ct.where(ct.arange(T, dtype=ct.int32) < n, ct.exp(t - ct.min(t, axis=0, keepdims=True)), 0.0)
    store(y, p / ct.sum(p, axis=0, keepdims=True))


# ---- bits ------------------------------------------------------------------------------------------------------------
@ct.kernel
def reciprocal_root(x, y):
    store(y, ct.rsqrt(load(x)))


@ct.kernel
def reciprocal_root_by_bits(x, y):
    t = load(x)
    r = ct.bitcast(0x5F3759DF - (ct.bitcast(t, ct.int32) >> 1), ct.float32)
    for _ in range(3):
        r = r * (1.5 - 0.5 * t * r * r)
    store(y, r)


@ct.kernel
def exponential_by_bits(x, y):
    """2^n (1 + f + ..) with n in the bits of the exponent."""
    t = load(x) * 1.4426950408889634
    n = ct.floor(t)
    f = (t - n) * 0.6931471805599453
    p = 1.0 + f * (1.0 + f * (0.5 + f * (1 / 6 + f * (1 / 24 + f * (1 / 120 + f * (1 / 720))))))
    store(y, p * ct.bitcast((n.astype(ct.int32) + 127) << 23, ct.float32))


@ct.kernel
def power_of_two(n, y):
    store(y, ct.exp2(load(n).astype(ct.float32)))


@ct.kernel
def power_of_two_by_bits(n, y):
    store(y, ct.bitcast((load(n) + 127) << 23, ct.float32))


@ct.kernel
def magnitude_of_product(a, b, y):
    store(y, ct.abs(load(a) * load(b)))


@ct.kernel
def magnitude_of_product_by_bits(a, b, y):
    store(y, ct.bitcast(ct.bitcast(load(a) * load(b), ct.int32) & 0x7FFFFFFF, ct.float32))


@ct.kernel
def product_and_sign(a, b, y, signs):
    t = load(a) * load(b)
    store(y, t)
    store(signs, ct.where(t < 0.0, 1, 0))


@ct.kernel
def product_and_sign_by_bits(a, b, y, signs):
    """The bits are used for the sign, and turned back."""
    bits = ct.bitcast(load(a) * load(b), ct.int32)
    store(y, ct.bitcast(bits, ct.float32))
    store(signs, (bits >> 31) & 1)


@ct.kernel
def bits_of_product(a, b, bits):
    store(bits, ct.bitcast(load(a) * load(b), ct.int32))


@ct.kernel
def float_of_bits(bits, y):
    store(y, ct.bitcast(load(bits), ct.float32))


# ---- narrow types ----------------------------------------------------------------------------------------------------
@ct.kernel
def tenth(x, y):
    store(y, load(x).astype(ct.float32) * 0.1)


@ct.kernel
def tenth_f16(x, y):
    store(y, (load(x) * 0.1).astype(ct.float32))


@ct.kernel
def square(x, y):
    t = load(x)
    store(y, t * t)


@ct.kernel
def square_f16(x, y):
    t = load(x).astype(ct.float16)
    store(y, (t * t).astype(ct.float32))


@ct.kernel
def through_e4m3(x, y):
    store(y, load(x).astype(ct.float8_e4m3fn).astype(ct.float32))


@ct.kernel
def through_e5m2(x, y):
    store(y, load(x).astype(ct.float8_e5m2).astype(ct.float32))


@ct.kernel
def product(a, b, y):
    store(y, load(a) * load(b))


@ct.kernel
def product_in_two_parts(a, b, y):
    t, u = load(a), load(b)
    high = t.astype(ct.bfloat16).astype(ct.float32)
    store(y, high * u + (t - high) * u)


@ct.kernel
def product_with_wrong_low_part(a, b, y):
    t, u = load(a), load(b)
    high = t.astype(ct.bfloat16).astype(ct.float32)
    store(y, high * u - (t - high) * t)


@ct.kernel
def total(x, y):
    """Of TERMS blocks."""
    s = ct.full((T,), 0.0, dtype=ct.float32)
    for k in range(TERMS):
        s = s + ct.load(x, index=(ct.bid(0) * TERMS + k,), shape=(T,))
    store(y, s)


@ct.kernel
def total_with_wrong_compensation(x, y):
    """Kahan's sum, with the wrong sign of what was lost."""
    s, lost = ct.full((T,), 0.0, dtype=ct.float32), ct.full((T,), 0.0, dtype=ct.float32)
    for k in range(TERMS):
        t = ct.load(x, index=(ct.bid(0) * TERMS + k,), shape=(T,)) + lost
        after = s + t
        lost = (after - s) - t
        s = after
    store(y, s)


@ct.kernel
def quantised(x, y, s: float):
    q = ct.floor(load(x) * s + 0.5).astype(ct.int8)
    store(y, q.astype(ct.float32) / 16.0)


@ct.kernel
def to_int8(x, q):
    store(q, ct.floor(load(x) * 16.0 + 0.5).astype(ct.int8))


@ct.kernel
def from_int8(q, y):
    store(y, load(q).astype(ct.float32) / 16.0)


# ---- choices that IEEE makes -----------------------------------------------------------------------------------------
@ct.kernel
def relu_of_sum(x, y, d: float):
    t = load(x)
    store(y, t + ct.maximum((t - t) + d, 0.0))


@ct.kernel
def relu_of_sum_reordered(x, y, d: float):
    t = load(x)
    store(y, t + ct.maximum((t + d) - t, 0.0))


@ct.kernel
def relu_of_bf16_sum(x, y):
    s = ct.full((T,), 0.0, dtype=ct.bfloat16)
    for k in range(TERMS):
        s = s + ct.load(x, index=(ct.bid(0) * TERMS + k,), shape=(T,)).astype(ct.bfloat16)
    store(y, ct.maximum(s, 0.0).astype(ct.float32))


@ct.kernel
def relu_of_bf16_sum_backwards(x, y):
    s = ct.full((T,), 0.0, dtype=ct.bfloat16)
    for k in range(TERMS):
        s = s + ct.load(x, index=(ct.bid(0) * TERMS + TERMS - 1 - k,), shape=(T,)).astype(ct.bfloat16)
    store(y, ct.maximum(s, 0.0).astype(ct.float32))


@ct.kernel
def largest(x, y, at):
    t = load(x)
    ct.store(y, index=(ct.bid(0),), tile=ct.max(t, axis=0, keepdims=True))
    ct.store(at, index=(ct.bid(0),), tile=ct.argmax(t, axis=0, keepdims=True))


@ct.kernel
def largest_bf16(x, y, at):
    t = load(x).astype(ct.bfloat16).astype(ct.float32)
    ct.store(y, index=(ct.bid(0),), tile=ct.max(t, axis=0, keepdims=True))
    ct.store(at, index=(ct.bid(0),), tile=ct.argmax(t, axis=0, keepdims=True))


@ct.kernel
def clamped(x, y, limit: float):
    t = load(x)
    store(y, ct.where(t > limit, limit, t))


@ct.kernel
def clamped_wrongly(x, y, limit: float):
    t = load(x)
    store(y, ct.where(t > limit, 0.0, t))


@ct.kernel
def positive(x, y):
    store(y, ct.where(load(x) > 0.0, 1.0, 0.0))


@ct.kernel
def positive_after(x, y, threshold: float):
    store(y, ct.where(load(x) > threshold, 1.0, 0.0))


@ct.kernel
def lower(x, z):
    """Below x by 1, but in one of 128 elements above it by a few units in the last place."""
    t = load(x)
    here = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    store(z, ct.where(here % 128 == 7, t * 1.0000005, t - 1.0))


@ct.kernel
def greater(a, b, y):
    store(y, ct.maximum(load(a), load(b)))


# ---- blocks that work together ---------------------------------------------------------------------------------------
@ct.kernel
def shares(x, total, y):
    """The share of each element in the sum; a block does not wait until the others have added theirs."""
    t = load(x)
    ct.atomic_add(total, 0, ct.sum(t, axis=0))
    if ct.bid(0) == ct.num_blocks(0) - 1:
        for i in range(ct.num_blocks(0)):
            u = ct.load(x, index=(i,), shape=(T,))
            ct.store(y, index=(i,), tile=u / ct.load(total, index=(0,), shape=(1,)))


@ct.kernel
def sums(x, total):
    ct.atomic_add(total, 0, ct.sum(load(x), axis=0))


@ct.kernel
def divided_by_total(x, total, y):
    store(y, load(x) / ct.load(total, index=(0,), shape=(1,)))


def dot_of_bytes(padding):
    @ct.kernel
    def dot(x, w, y):
        """A tile of x with more rows than x has; the others are not stored."""
        a = ct.load(x, index=(0, 0), shape=(16, 32), padding_mode=padding)
        b = ct.load(w, index=(0, 0), shape=(32, 16), padding_mode=padding)
        ct.store(y, index=(0, 0), tile=ct.mma(a, b, ct.zeros((16, 16), ct.int32)))

    return dot


@ct.kernel
def factors_with_root(x, z, y):
    """(x + s) (x - s) with s = sqrt(z^2 + 1/2)."""
    t, u = load(x), load(z)
    s = ct.sqrt(u * u + 0.5)
    store(y, (t + s) * (t - s))


@ct.kernel
def factors_multiplied(x, z, y):
    t, u = load(x), load(z)
    store(y, t * t - (u * u + 0.5))


@ct.kernel
def power_of_fourth_root(x, y):
    r = ct.sqrt(ct.sqrt(load(x)))
    store(y, (r * r) * (r * r))


@ct.kernel
def quantised_by_sums(x, y):
    """Adding 1.5 * 2^23 leaves no bits for a fraction."""
    store(y, ((load(x) * 16.0 + 12582912.0) - 12582912.0) / 16.0)


F, H, I = array(ct.float32, 1), array(ct.float16, 1), array(ct.int32, 1)
FLOAT, INT = ct.float32, ct.int32
EXPORTS = {
    "copy": (copy, [F, F]),
    "scaled": (scaled, [F, F, FLOAT]),
    "scaled_in_steps": (scaled_in_steps, [F, F]),
    "scaled_by_parts": (scaled_by_parts, [F, F, FLOAT, FLOAT]),
    "divided": (divided, [F, F, FLOAT]),
    "scaled_by_element": (scaled_by_element, [F, F, F]),
    "square_of_root": (square_of_root, [F, F]),
    "root_of_square": (root_of_square, [F, F]),
    "magnitude": (magnitude, [F, F]),
    "cubed": (cubed, [F, F]),
    "divided_once_more": (divided_once_more, [F, F]),
    "cubed_in_sum": (cubed_in_sum, [F, F]),
    "divided_once_more_in_sum": (divided_once_more_in_sum, [F, F]),
    "wrong_sign": (wrong_sign, [F, F]),
    "sine_of_sum": (sine_of_sum, [F, F, F]),
    "sum_of_sines": (sum_of_sines, [F, F, F]),
    "cosine": (cosine, [F, F]),
    "exponential": (exponential, [F, F]),
    "exponential_of_double": (exponential_of_double, [F, F]),
    "turned_by_nothing": (turned_by_nothing, [F, F]),
    "polynomial": (polynomial, [F, F]),
    "power_of_constant": (power_of_constant, [F, F]),
    "power_by_folded_log": (power_by_folded_log, [F, F]),
    "power_by_log": (power_by_log, [F, F]),
    "power": (power, [F, F, FLOAT]),
    "power_by_loop": (power_by_loop, [F, F, INT]),
    "bias_corrections": (bias_corrections, [F, F, INT]),
    "halved_log": (halved_log, [F, F]),
    "logarithm": (logarithm, [F, F]),
    "logarithm_wrong_below_0": (logarithm_wrong_below_0, [F, F]),
    "nested": (nested, [F, F, INT]),
    "nested_base_2": (nested_base_2, [F, F, INT]),
    "softmax": (softmax, [F, F, INT]),
    "softmax_masked": (softmax_masked, [F, F, INT, FLOAT]),
    "softmax_masked_base_2": (softmax_masked_base_2, [F, F, INT, FLOAT]),
    "softmax_without_maximum": (softmax_without_maximum, [F, F, INT]),
    "softmax_of_minimum": (softmax_of_minimum, [F, F, INT]),
    "reciprocal_root": (reciprocal_root, [F, F]),
    "reciprocal_root_by_bits": (reciprocal_root_by_bits, [F, F]),
    "exponential_by_bits": (exponential_by_bits, [F, F]),
    "power_of_two": (power_of_two, [I, F]),
    "power_of_two_by_bits": (power_of_two_by_bits, [I, F]),
    "magnitude_of_product": (magnitude_of_product, [F, F, F]),
    "magnitude_of_product_by_bits": (magnitude_of_product_by_bits, [F, F, F]),
    "product_and_sign": (product_and_sign, [F, F, F, I]),
    "product_and_sign_by_bits": (product_and_sign_by_bits, [F, F, F, I]),
    "bits_of_product": (bits_of_product, [F, F, I]),
    "float_of_bits": (float_of_bits, [I, F]),
    "tenth": (tenth, [H, F]),
    "tenth_f16": (tenth_f16, [H, F]),
    "square": (square, [F, F]),
    "square_f16": (square_f16, [F, F]),
    "through_e4m3": (through_e4m3, [F, F]),
    "through_e5m2": (through_e5m2, [F, F]),
    "quantised": (quantised, [F, F, FLOAT]),
    "quantised_by_sums": (quantised_by_sums, [F, F]),
    "to_int8": (to_int8, [F, array(ct.int8, 1)]),
    "from_int8": (from_int8, [array(ct.int8, 1), F]),
    "relu_of_sum": (relu_of_sum, [F, F, FLOAT]),
    "relu_of_sum_reordered": (relu_of_sum_reordered, [F, F, FLOAT]),
    "relu_of_bf16_sum": (relu_of_bf16_sum, [F, F]),
    "relu_of_bf16_sum_backwards": (relu_of_bf16_sum_backwards, [F, F]),
    "product": (product, [F, F, F]),
    "product_in_two_parts": (product_in_two_parts, [F, F, F]),
    "product_with_wrong_low_part": (product_with_wrong_low_part, [F, F, F]),
    "total": (total, [F, F]),
    "total_with_wrong_compensation": (total_with_wrong_compensation, [F, F]),
    "lower": (lower, [F, F]),
    "largest": (largest, [F, F, I]),
    "largest_bf16": (largest_bf16, [F, F, I]),
    "clamped": (clamped, [F, F, FLOAT]),
    "clamped_wrongly": (clamped_wrongly, [F, F, FLOAT]),
    "positive": (positive, [F, F]),
    "positive_after": (positive_after, [F, F, FLOAT]),
    "greater": (greater, [F, F, F]),
    "shares": (shares, [F, F, F]),
    "sums": (sums, [F, F]),
    "divided_by_total": (divided_by_total, [F, F, F]),
    "dot_of_bytes": (dot_of_bytes(ct.PaddingMode.UNDETERMINED), [array(ct.int8, 2)] * 2 + [array(ct.int32, 2)]),
    "dot_of_bytes_padded": (dot_of_bytes(ct.PaddingMode.ZERO), [array(ct.int8, 2)] * 2 + [array(ct.int32, 2)]),
    "factors_with_root": (factors_with_root, [F, F, F]),
    "factors_multiplied": (factors_multiplied, [F, F, F]),
    "power_of_fourth_root": (power_of_fourth_root, [F, F]),
}
