# SPDX-License-Identifier: Apache-2.0
# Integers of every width, signed and unsigned, and booleans.
import cuda.tile as ct
from export import array


@ct.kernel
def counting(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    ct.store(z, index=(0,), tile=(a + b) * a - b + -a)


@ct.kernel
def dividing(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    quotient, rest = divmod(a, b)
    ct.store(z, index=(0,), tile=quotient * ct.cdiv(a, b) + rest)


@ct.kernel
def dividing_unsigned(x, y, z):
    """Without // : cuTile rounds it down also where it is unsigned, which Tile IR refuses."""
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    ct.store(z, index=(0,), tile=ct.cdiv(a, b) + a % b)


@ct.kernel
def bits(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    ct.store(z, index=(0,), tile=(a & b | ~a) ^ (b << 3) ^ (a >> 1) ^ (b >> a))


@ct.kernel
def ordering(x, y, z):
    a = ct.load(x, index=(0,), shape=(8,))
    b = ct.load(y, index=(0,), shape=(8,))
    below = (a < b) & (a <= 3) ^ (b > 1)
    equal = (a == b) | (a != 5) & (a >= b)
    ct.store(z, index=(0,), tile=ct.where(below, min(a, b), ct.where(equal, max(a, b), abs(a))))


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


EXPORTS = {
    "counting_i8": (counting, vectors(ct.int8)),
    "counting_i16": (counting, vectors(ct.int16)),
    "counting_i32": (counting, vectors(ct.int32)),
    "counting_u64": (counting, vectors(ct.uint64)),
    "dividing_i32": (dividing, vectors(ct.int32)),
    "dividing_i8": (dividing, vectors(ct.int8)),
    "dividing_i16": (dividing, vectors(ct.int16)),
    "dividing_i64": (dividing, vectors(ct.int64)),
    "dividing_u16": (dividing_unsigned, vectors(ct.uint16)),
    "dividing_u8": (dividing_unsigned, vectors(ct.uint8)),
    "dividing_u32": (dividing_unsigned, vectors(ct.uint32)),
    "dividing_u64": (dividing_unsigned, vectors(ct.uint64)),
    "bits_i8": (bits, vectors(ct.int8)),
    "bits_i16": (bits, vectors(ct.int16)),
    "bits_i64": (bits, vectors(ct.int64)),
    "bits_u32": (bits, vectors(ct.uint32)),
    "ordering_i16": (ordering, vectors(ct.int16)),
    "ordering_i32": (ordering, vectors(ct.int32)),
    "ordering_i64": (ordering, vectors(ct.int64)),
    "ordering_u8": (ordering, vectors(ct.uint8)),
    "truths": (truths, vectors(ct.bool_)),
    "scrambled": (scrambled, vectors(ct.uint32, 2)),
    "greatest_common": (greatest_common, vectors(ct.int32)),
    "set_bits": (set_bits, vectors(ct.uint64, 2)),
}
