# SPDX-License-Identifier: Apache-2.0
# Integers of every width, signed and unsigned, and booleans.
import cuda.tile as ct
from export import array


SIGNED, UNSIGNED = (ct.int8, ct.int16, ct.int32, ct.int64), (ct.uint8, ct.uint16, ct.uint32, ct.uint64)


@ct.kernel
def counting(x, y, z):
    x, y, total = ct.load(x, index=(0,), shape=(8,)), ct.load(y, index=(0,), shape=(8,)), ct.zeros((8,), z.dtype)
    for dtype in ct.static_iter(SIGNED):
        a, b = x.astype(dtype), y.astype(dtype)
        total += ((a + b) * a - b + -a).astype(z.dtype)
    ct.store(z, index=(0,), tile=total)


@ct.kernel
def dividing(x, y, z):
    x, y, total = ct.load(x, index=(0,), shape=(8,)), ct.load(y, index=(0,), shape=(8,)), ct.zeros((8,), z.dtype)
    for dtype in ct.static_iter(SIGNED):
        a, b = x.astype(dtype), y.astype(dtype)
        quotient, rest = divmod(a, b)
        total += (quotient * ct.cdiv(a, b) + rest).astype(z.dtype)
    ct.store(z, index=(0,), tile=total)


@ct.kernel
def dividing_unsigned(x, y, z):
    """Without // : cuTile rounds it down also where it is unsigned, which Tile IR refuses."""
    x, y, total = ct.load(x, index=(0,), shape=(8,)), ct.load(y, index=(0,), shape=(8,)), ct.zeros((8,), z.dtype)
    for dtype in ct.static_iter(UNSIGNED):
        a, b = x.astype(dtype), y.astype(dtype)
        total += (ct.cdiv(a, b) + a % b).astype(z.dtype)
    ct.store(z, index=(0,), tile=total)


def bits(types):
    @ct.kernel
    def bits(x, y, z):
        x, y, total = ct.load(x, index=(0,), shape=(8,)), ct.load(y, index=(0,), shape=(8,)), ct.zeros((8,), z.dtype)
        for dtype in ct.static_iter(types):
            a, b = x.astype(dtype), y.astype(dtype)
            c = (a & b | ~a) ^ (b << 3) ^ (a >> 1) ^ (b >> a)
            total += c.astype(z.dtype)
        ct.store(z, index=(0,), tile=total)
    return bits


def ordering(types):
    @ct.kernel
    def ordering(x, y, z):
        x, y, total = ct.load(x, index=(0,), shape=(8,)), ct.load(y, index=(0,), shape=(8,)), ct.zeros((8,), z.dtype)
        for dtype in ct.static_iter(types):
            a, b = x.astype(dtype), y.astype(dtype)
            below = (a < b) & (a <= 3) ^ (b > 1)
            equal = (a == b) | (a != 5) & (a >= b)
            c = ct.where(below, min(a, b), ct.where(equal, max(a, b), abs(a)))
            total += c.astype(z.dtype)
        ct.store(z, index=(0,), tile=total)
    return ordering


@ct.kernel
def truths(x, y, z):
    """Masks as values: loaded, stored, counted, turned round."""
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    c = ct.bitwise_not(a) & b | (a ^ b)
    d = (a == b) ^ (a < b)
    ct.store(z, index=(0,), tile=ct.where(c, d, a != ct.bool_(True)))


@ct.kernel
def scrambled(x, z):
    """A hash of 32-bit words (xor, multiply, rotate)."""
    h = ct.load(x, index=(0,), shape=(8,))
    for factor in ct.static_iter((0x85EBCA6B, 0xC2B2AE35)):
        h = h ^ (h >> 16)
        h = h * factor
        h = (h << 13) | (h >> 19)
    ct.store(z, index=(0,), tile=h)


@ct.kernel
def greatest_common(x, y, z):
    """Euclid's algorithm in each lane until all are done."""
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    while ct.max(b, 0) > 0:
        divisor = ct.where(b == 0, 1, b)
        rest = a - a // divisor * divisor
        a, b = ct.where(b == 0, a, b), ct.where(b == 0, b, rest)
    ct.store(z, index=(0,), tile=a)


@ct.kernel
def set_bits(x, z):
    """Bits counted by halves."""
    v = ct.load(x, index=(0,), shape=(8,))
    v = v - ((v >> 1) & 0x5555555555555555)
    v = (v & 0x3333333333333333) + ((v >> 2) & 0x3333333333333333)
    v = (v + (v >> 4)) & 0x0F0F0F0F0F0F0F0F
    ct.store(z, index=(0,), tile=(v * 0x0101010101010101) >> 56)


def vectors(dtype, count=3):
    return [array(dtype, 1)] * count


I64 = vectors(ct.int64)
EXPORTS = {
    "counting": (counting, I64),
    "dividing": (dividing, I64),
    "dividing_unsigned": (dividing_unsigned, I64),
    "bits_signed": (bits(SIGNED), I64),
    "bits_unsigned": (bits(UNSIGNED), I64),
    "ordering_signed": (ordering(SIGNED), I64),
    "ordering_unsigned": (ordering(UNSIGNED), I64),
    "truths": (truths, vectors(ct.bool_)),
    "scrambled": (scrambled, vectors(ct.uint32, 2)),
    "greatest_common": (greatest_common, vectors(ct.int32)),
    "set_bits": (set_bits, vectors(ct.uint64, 2)),
}
