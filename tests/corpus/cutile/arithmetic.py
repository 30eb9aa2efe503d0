# SPDX-License-Identifier: Apache-2.0
# Arithmetic of floats: every rounding, flushing, what wins against NaN, comparisons, and the products and sums that become one fma.
import cuda.tile as ct
from export import array

R = ct.RoundingMode
BASIC = (R.RN, R.RZ, R.RM, R.RP)


@ct.kernel
def plain(x, y, z):
    a = ct.load(x, index=(ct.bid(0),), shape=(8,))
    b = ct.load(y, index=(ct.bid(0),), shape=(8,))
    c = a + b - a * b
    d = a / b + a // b
    ct.store(z, index=(ct.bid(0),), tile=c % d + ct.abs(-c))


@ct.kernel
def sums_rounded(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    total = ct.zeros((8,), x.dtype)
    for mode in ct.static_iter(BASIC):
        total = ct.add(total, ct.add(a, b, rounding_mode=mode), rounding_mode=mode)
        total = ct.add(total, ct.sub(a, b, rounding_mode=mode), rounding_mode=mode)
    ct.store(z, index=(0,), tile=total)


@ct.kernel
def products_rounded(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    for mode in ct.static_iter(BASIC):
        a = ct.mul(a, b, rounding_mode=mode)
        a = ct.truediv(a, b + 1.0, rounding_mode=mode)
    ct.store(z, index=(0,), tile=a)


@ct.kernel
def divisions(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    for mode in ct.static_iter((*BASIC, R.FULL, R.APPROX)):
        a = ct.truediv(a, b, rounding_mode=mode)
        b = ct.truediv(b, a, rounding_mode=mode, flush_to_zero=True)
    ct.store(z, index=(0,), tile=b)


@ct.kernel
def fused(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    c = a
    for mode in ct.static_iter(BASIC):
        c = ct.add(ct.mul(a, b, rounding_mode=mode), c, rounding_mode=mode)  # a * b + c
        c = ct.sub(ct.mul(c, b, rounding_mode=mode), a, rounding_mode=mode)  # c * b - a
        c = ct.sub(a, ct.mul(b, c, rounding_mode=mode), rounding_mode=mode)  # a - b * c
    ct.store(z, index=(0,), tile=c)


@ct.kernel
def not_fused(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    c = ct.add(ct.mul(a, b, rounding_mode=R.RZ), a)  # two roundings
    d = a * b  # used twice
    ct.store(z, index=(0,), tile=(c + d) - d)


@ct.kernel
def flushed(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    for mode in ct.static_iter(BASIC):
        a = ct.add(a, b, rounding_mode=mode, flush_to_zero=True)
        a = ct.sub(b, a, rounding_mode=mode, flush_to_zero=True)
        b = ct.mul(a, b, rounding_mode=mode, flush_to_zero=True)
        c = ct.add(ct.mul(a, b, rounding_mode=mode, flush_to_zero=True), a, rounding_mode=mode, flush_to_zero=True)
        a = ct.sqrt(c, rounding_mode=mode, flush_to_zero=True)
    a = ct.rsqrt(a, flush_to_zero=True) + ct.exp2(b, flush_to_zero=True)
    ct.store(z, index=(0,), tile=a)


@ct.kernel
def extremes(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    a, b = min(a, b), max(a, b)
    for nan in ct.static_iter((False, True)):
        a = ct.minimum(a, b, propagate_nan=nan)
        b = ct.maximum(a, b, propagate_nan=nan)
    ct.store(z, index=(0,), tile=a + b)


@ct.kernel
def extremes_flushed(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    for nan in ct.static_iter((False, True)):
        a = ct.minimum(a, b, propagate_nan=nan, flush_to_zero=True)
        b = ct.maximum(b, a, propagate_nan=nan, flush_to_zero=True)
    ct.store(z, index=(0,), tile=a + b)


@ct.kernel
def compared(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    both = (a < b) | (a == b) ^ (a >= 0.5)
    some = (a <= b) & (a > b * 2.0) | (a != b)
    ct.store(z, index=(0,), tile=ct.where(both, a, ct.where(some | ct.isnan(b), b, -a)))


def vectors(dtype, count=3):
    return [array(dtype, 1)] * count


EXPORTS = {
    "plain_f16": (plain, vectors(ct.float16)),
    "plain_bf16": (plain, vectors(ct.bfloat16)),
    "plain_f32": (plain, vectors(ct.float32)),
    "plain_f64": (plain, vectors(ct.float64)),
    "sums_rounded_f32": (sums_rounded, vectors(ct.float32)),
    "sums_rounded_bf16": (sums_rounded, vectors(ct.bfloat16)),
    "sums_rounded_f16": (sums_rounded, vectors(ct.float16)),
    "sums_rounded_f64": (sums_rounded, vectors(ct.float64)),
    "products_rounded_bf16": (products_rounded, vectors(ct.bfloat16)),
    "products_rounded_f16": (products_rounded, vectors(ct.float16)),
    "products_rounded_f64": (products_rounded, vectors(ct.float64)),
    "divisions": (divisions, vectors(ct.float32)),
    "fused_f32": (fused, vectors(ct.float32)),
    "fused_f16": (fused, vectors(ct.float16)),
    "fused_bf16": (fused, vectors(ct.bfloat16)),
    "fused_f64": (fused, vectors(ct.float64)),
    "not_fused": (not_fused, vectors(ct.bfloat16)),
    "flushed": (flushed, vectors(ct.float32)),
    "extremes_bf16": (extremes, vectors(ct.bfloat16)),
    "extremes_f16": (extremes, vectors(ct.float16)),
    "extremes_f64": (extremes, vectors(ct.float64)),
    "extremes_flushed": (extremes_flushed, vectors(ct.float32)),
    "compared": (compared, vectors(ct.float64)),
}
