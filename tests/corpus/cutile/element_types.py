# SPDX-License-Identifier: Apache-2.0
# Each type on a journey through all that moves elements, and through folds, bits and bytes.
import cuda.tile as ct
from export import array


@ct.kernel
def journey(x, y, n: int):
    """Views, pointers, shapes, choices, loops and branches."""
    i = ct.arange(8, dtype=ct.int32)
    a = ct.cat((ct.load(x, index=(n,), shape=(8,)), ct.gather(x, i + n, mask=i > 2)), axis=0)
    b = ct.permute(a.reshape((2, 8)), (1, 0)).extract((n % 2, 0), (4, 2))
    c = ct.broadcast_to(b.reshape((1, 8)), (2, 8)).extract((1, 0), (1, 8)).reshape((8,))
    d = a.extract((0,), (8,))
    for k in range(n):
        if k == 2:
            c, d = d, c
    while n > 0:
        n = n - 1
        if n == 5:
            c = ct.where(i < n, c, d)
            break
    ct.scatter(y, i, c)
    ct.store(y, index=(1,), tile=d)


@ct.kernel
def journey_of_tf32(x, y, n: int):
    i = ct.arange(4, dtype=ct.int32)
    a = ct.load(x, index=(0,), shape=(4,)).astype(ct.tfloat32)
    b = ct.permute(ct.cat((a, a), axis=0).reshape((2, 4)), (1, 0)).extract((0, 1), (4, 1)).reshape((1, 4))
    c = ct.broadcast_to(b, (2, 4)).extract((1, 0), (1, 4)).reshape((4,))
    for _ in range(n):
        if n > 3:
            a, c = c, a
    while n > 0:
        n = n - 1
        if n == 1:
            c = ct.where(i < n, c, a)
            break
    ct.store(y, index=(0,), tile=c.astype(ct.float32) + ct.unpack_from_bytes(ct.pack_to_bytes(a), ct.float32))


@ct.kernel
def journey_of_nibbles(x, y, n: int):
    """Two 4-bit floats share a byte, so there are no pointers to one and no choice between them (tileiras: not by branches either)."""
    a = ct.load(x, index=(n,), shape=(16,))
    b = ct.permute(ct.cat((a, a), axis=0).reshape((4, 8)), (1, 0)).extract((0, 0), (4, 4))
    c = ct.broadcast_to(b.reshape((1, 16)), (2, 16)).extract((1, 0), (1, 16)).reshape((16,))
    for _ in range(n):
        a, c = c, a
    while n > 0:
        n = n - 1
        if n == 5:
            c = a
            break
    ct.store(y, index=(1,), tile=c)


@ct.kernel
def replaced(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    ct.store(y, index=(0,), tile=ct.insert(a, (1,), ct.extract(a, (0,), (4,))))


@ct.kernel
def bytes_and_back(x, y):
    a = ct.pack_to_bytes(ct.load(x, index=(0,), shape=(8,)))
    ct.store(y, index=(0,), tile=ct.unpack_from_bytes(ct.permute(a.reshape((-1, 2)), (1, 0)).reshape((-1,)), y.dtype))


@ct.kernel
def bits_of_8(x, y):
    """Every type of 8 bits, one after the other, as the bits of the one before."""
    a = ct.load(x, index=(0,), shape=(8,))
    for dtype in ct.static_iter((ct.float8_e4m3fn, ct.float8_e5m2, ct.float8_e8m0fnu, ct.int8)):
        a = ct.bitcast(a, dtype)
    ct.store(y, index=(0,), tile=a)


@ct.kernel
def bits_of_more(x, y, z):
    a = ct.bitcast(ct.bitcast(ct.bitcast(ct.load(x, index=(0,), shape=(8,)), ct.float16), ct.bfloat16), ct.int16)
    b = ct.bitcast(ct.bitcast(ct.load(y, index=(0,), shape=(8,)), ct.float64), ct.uint64)
    ct.store(z, index=(0,), tile=ct.bitcast(b, ct.int64) + a)


@ct.kernel
def bits_of_unsigned_scales(x, y):
    a = ct.bitcast(ct.load(x, index=(0,), shape=(8,)), ct.float8_e5m3fnu)
    ct.store(y, index=(0,), tile=ct.bitcast(ct.bitcast(a, ct.float8_e8m0fnu), ct.uint8))


def largest(identity):
    @ct.kernel
    def largest(x, y):
        """Not of 8-bit floats and tf32: tileiras does not compile that."""
        def larger(a, b):
            return ct.where(ct.astype(a, ct.float32) > ct.astype(b, ct.float32), a, b)

        a = ct.load(x, index=(0, 0), shape=(4, 4))
        b = ct.scan(a, 1, larger, identity)
        ct.store(y, index=(0,), tile=ct.reduce(b, 0, larger, identity))
    return largest


@ct.kernel
def short_index(x, y, i, j):
    """Indices of 8 and 16 bits. Not both at once: cuTile would write that, Tile IR refuses it."""
    a = ct.load(x, index=(i, i), shape=(2, 2))
    for k in range(i):
        a = a + k
    ct.store(y, index=(j, j), tile=a)


def pair(dtype, **more):
    return [array(dtype, 1, **more), array(dtype, 1, **more)]


E4M3, E5M2, E8M0, E5M3, E2M1 = ct.float8_e4m3fn, ct.float8_e5m2, ct.float8_e8m0fnu, ct.float8_e5m3fnu, ct.float4_e2m1fn
TYPES = dict(f32=ct.float32, bool=ct.bool_, i8=ct.int8, i16=ct.int16, i32=ct.int32, i64=ct.int64, f16=ct.float16, bf16=ct.bfloat16,
             f64=ct.float64, e4m3=E4M3, e5m2=E5M2, e8m0=E8M0)
SM_107 = dict(gpu="sm_107")
EXPORTS = {
    **{f"journey_{name}": (journey, [*pair(dtype), ct.int32]) for name, dtype in TYPES.items()},
    "journey_e5m3": (journey, [*pair(E5M3), ct.int32], SM_107),
    "journey_of_tf32": (journey_of_tf32, [*pair(ct.float32), ct.int32]),
    "journey_of_nibbles": (journey_of_nibbles, [*pair(E2M1, shape_constant=[64]), ct.int32]),
    **{f"replaced_{name}": (replaced, pair(dtype)) for name, dtype in TYPES.items()},
    "replaced_e2m1": (replaced, pair(E2M1, shape_constant=[64])),
    "replaced_e5m3": (replaced, pair(E5M3), SM_107),
    **{f"bytes_{name}": (bytes_and_back, pair(dtype)) for name, dtype in TYPES.items() if dtype.bitwidth > 8},
    "bits_of_8": (bits_of_8, [array(ct.uint8, 1), array(ct.int8, 1)]),
    "bits_of_more": (bits_of_more, [array(ct.int16, 1), array(ct.int64, 1), array(ct.int64, 1)]),
    "bits_of_unsigned_scales": (bits_of_unsigned_scales, pair(ct.uint8), SM_107),
    "largest_i16": (largest(-32768), [array(ct.int16, 2), array(ct.int16, 1)]),
    "largest_u8": (largest(255), [array(ct.uint8, 2), array(ct.uint8, 1)]),
    "short_index": (short_index, [array(ct.float32, 2), array(ct.float32, 2), ct.int8, ct.int16]),
}
