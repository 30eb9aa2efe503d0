# SPDX-License-Identifier: Apache-2.0
# Arithmetic of floats: every rounding, flushing, what wins against NaN, comparisons, and the products and sums that become one fma.
import cuda.tile as ct
from export import array

R = ct.RoundingMode
TYPES = ct.float16, ct.bfloat16, ct.float32, ct.float64
BASIC = (R.RN, R.RZ, R.RM, R.RP)


@ct.kernel
def plain(x, y, z):
    x, y, total = ct.load(x, index=(0,), shape=(8,)), ct.load(y, index=(0,), shape=(8,)), ct.zeros((8,), z.dtype)
    for dtype in ct.static_iter(TYPES):
        a, b = x.astype(dtype), y.astype(dtype)
        c, d = a + b - a * b, a / b + a // b
        total += (c % d + ct.abs(-c)).astype(z.dtype)
    ct.store(z, index=(0,), tile=total)


@ct.kernel
def sums_rounded(x, y, z):
    x, y, total = ct.load(x, index=(0,), shape=(8,)), ct.load(y, index=(0,), shape=(8,)), ct.zeros((8,), z.dtype)
    for dtype in ct.static_iter(TYPES):
        a, b = x.astype(dtype), y.astype(dtype)
        for mode in ct.static_iter(BASIC):
            a = ct.add(ct.sub(a, b, rounding_mode=mode), b, rounding_mode=mode)
        total += a.astype(z.dtype)
    ct.store(z, index=(0,), tile=total)


@ct.kernel
def products_rounded(x, y, z):
    x, y, total = ct.load(x, index=(0,), shape=(8,)), ct.load(y, index=(0,), shape=(8,)), ct.zeros((8,), z.dtype)
    for dtype in ct.static_iter(TYPES):
        a, b = x.astype(dtype), y.astype(dtype)
        for mode in ct.static_iter(BASIC):
            a = ct.mul(ct.truediv(a, b, rounding_mode=mode), b, rounding_mode=mode)
        total += a.astype(z.dtype)
    ct.store(z, index=(0,), tile=total)


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
    x, y, total = ct.load(x, index=(0,), shape=(8,)), ct.load(y, index=(0,), shape=(8,)), ct.zeros((8,), z.dtype)
    for dtype in ct.static_iter(TYPES):
        a, b = x.astype(dtype), y.astype(dtype)
        c = a
        for mode in ct.static_iter(BASIC):
            c = ct.add(ct.mul(a, b, rounding_mode=mode), c, rounding_mode=mode)  # a * b + c
        c = ct.sub(c * b, a)  # c * b - a
        total += (a - b * c).astype(z.dtype)
    ct.store(z, index=(0,), tile=total)


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
    x, y, total = ct.load(x, index=(0,), shape=(8,)), ct.load(y, index=(0,), shape=(8,)), ct.zeros((8,), z.dtype)
    for dtype in ct.static_iter(TYPES):
        a, b = x.astype(dtype), y.astype(dtype)
        a, b = min(a, b), max(a, b)
        for nan in ct.static_iter((False, True)):
            a = ct.minimum(a, b, propagate_nan=nan)
            b = ct.maximum(a, b, propagate_nan=nan)
        total += (a + b).astype(z.dtype)
    ct.store(z, index=(0,), tile=total)


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
    x, y, total = ct.load(x, index=(0,), shape=(8,)), ct.load(y, index=(0,), shape=(8,)), ct.zeros((8,), z.dtype)
    for dtype in ct.static_iter(TYPES):
        a, b = x.astype(dtype), y.astype(dtype)
        one = (a < b) | (a == b) ^ (a >= 0.5)
        other = (a <= b) & (a > b * 2.0) | (a != b)
        total += ct.where(one, a, ct.where(other | ct.isnan(b), b, -a)).astype(z.dtype)
    ct.store(z, index=(0,), tile=total)


def vectors(dtype, count=3):
    return [array(dtype, 1)] * count


EXPORTS = {
    "plain": (plain, vectors(ct.float64)),
    "sums_rounded": (sums_rounded, vectors(ct.float64)),
    "products_rounded": (products_rounded, vectors(ct.float64)),
    "divisions": (divisions, vectors(ct.float32)),
    "fused": (fused, vectors(ct.float64)),
    "not_fused": (not_fused, vectors(ct.bfloat16)),
    "flushed": (flushed, vectors(ct.float32)),
    "extremes": (extremes, vectors(ct.float64)),
    "extremes_flushed": (extremes_flushed, vectors(ct.float32)),
    "compared": (compared, vectors(ct.float64)),
}
