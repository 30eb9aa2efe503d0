# SPDX-License-Identifier: Apache-2.0
# Elements that move within tiles: reshape, broadcast, permute, cat, extract, insert, of ranks 0 to 5.
import cuda.tile as ct
from export import array


@ct.kernel
def turned(x, y):
    a = ct.load(x, index=(0, 0, 0), shape=(2, 4, 8))
    b = ct.permute(a, (2, 0, 1))
    c = ct.transpose(b, 0, 2)
    ct.store(y, index=(0, 0), tile=ct.transpose(ct.reshape(c, (8, 8))))


@ct.kernel
def stretched(x, y):
    a = ct.load(x, index=(0,), shape=(4,))
    column, row = ct.expand_dims(a, 1), a[None, :]
    ct.store(y, index=(0, 0), tile=column + ct.broadcast_to(row, (8, 4, 4)).reshape((32, 4)).extract((1, 0), (4, 4)))


@ct.kernel
def joined(x, y):
    a = ct.load(x, index=(0, 0), shape=(4, 4))
    b = ct.cat((a, ct.zeros((4, 4), x.dtype)), axis=1)
    c = ct.cat((b, ct.extract(b, (0, 0), (4, 8))), axis=-2)
    ct.store(y, index=(0, 0), tile=c)


@ct.kernel
def picked(x, n: int, y):
    """A slice whose number is known at run time."""
    a = ct.load(x, index=(0, 0, 0), shape=(4, 4, 8))
    b = ct.extract(a, (n, 0, n + 1), (1, 4, 4))
    ct.store(y, index=(0, 0), tile=b.reshape((4, 4)))


@ct.kernel
def put(x, n: int, y):
    a = ct.load(x, index=(0, 0), shape=(8, 8))
    diagonal = ct.full((2, 4), 7, dtype=x.dtype)
    b = ct.insert(a, (n, 0), diagonal)
    b = b.insert((3, 1), ct.extract(b, (n, 1), (2, 4)))
    ct.store(y, index=(0, 0), tile=ct.insert(b, (7, 7), ct.max(a).reshape((1, 1))))


@ct.kernel
def five_dimensions(x, y):
    a = ct.load(x, index=(0, ct.bid(0), 0, ct.bid(1), ct.bid(2)), shape=(2, 1, 4, 2, 2))
    b = ct.permute(a, (4, 2, 0, 3, 1))
    ct.store(y, index=(0, ct.bid(0), 0, ct.bid(1), ct.bid(2)), tile=b.reshape((2, 1, 4, 2, 2)))


@ct.kernel
def no_dimension(x, y):
    """Scalars: a tile of rank 0 loaded, computed with and stored."""
    a = ct.load(x, index=(ct.bid(0),), shape=()).item()
    b = ct.reshape(a, (1, 1, 1)) * 2
    ct.store(y, index=(ct.bid(0),), tile=b.item() + a)


@ct.kernel
def interleaved(x, y):
    """Even and odd lanes exchanged: reshape, extract, cat."""
    a = ct.load(x, index=(ct.bid(0),), shape=(16,)).reshape((8, 2))
    even, odd = a.extract((0, 0), (8, 1)), a.extract((0, 1), (8, 1))
    ct.store(y, index=(ct.bid(0),), tile=ct.cat((-odd, even), axis=1).reshape((16,)))


def two(dtype, a, b):
    return [array(dtype, a), array(dtype, b)]


EXPORTS = {
    "turned_f8": (turned, two(ct.float8_e5m2, 3, 2)),
    "stretched": (stretched, two(ct.bfloat16, 1, 2)),
    "joined_f8": (joined, two(ct.float8_e4m3fn, 2, 2)),
    "picked": (picked, [array(ct.float16, 3), ct.int32, array(ct.float16, 2)]),
    "put_f32": (put, [array(ct.float32, 2), ct.int32, array(ct.float32, 2)]),
    "put_i8": (put, [array(ct.int8, 2), ct.int32, array(ct.int8, 2)]),
    "five_dimensions": (five_dimensions, two(ct.float16, 5, 5)),
    "no_dimension": (no_dimension, two(ct.int32, 1, 1)),
    "interleaved": (interleaved, two(ct.float32, 1, 1)),
}
