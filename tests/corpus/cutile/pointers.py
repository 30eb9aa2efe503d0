# SPDX-License-Identifier: Apache-2.0
# Pointers: gather and scatter with masks, padding and no bounds, memory by offset, lists of arrays.
import cuda.tile as ct
from cuda.tile.compilation import ListConstraint
from export import array


@ct.kernel
def gathered(x, places, y):
    p = ct.load(places, index=(ct.bid(0),), shape=(8,))
    a = ct.gather(x, p) + ct.gather(x, p + 1, padding_value=-1.5)
    a += ct.gather(x, p, mask=p > 3, padding_value=ct.arange(8, dtype=ct.float32), latency=5)
    a += ct.gather(x, (p,), mask=p < 5, check_bounds=False)
    ct.store(y, index=(ct.bid(0),), tile=a + ct.gather(x, p, check_bounds=False))


@ct.kernel
def scattered(x, places, y):
    p = ct.load(places, index=(ct.bid(0),), shape=(8,))
    a = ct.load(x, index=(ct.bid(0),), shape=(8,))
    ct.scatter(y, p, a)
    ct.scatter(y, p + 8, a, mask=a > 0, latency=7)
    ct.scatter(y, (p + 24,), 1, mask=p % 2 == 0, check_bounds=False)


@ct.kernel
def gathered_in_three(x, y):
    i = ct.arange(4, dtype=ct.int32)[:, None, None]
    j = ct.arange(2, dtype=ct.int32)[None, :, None]
    k = ct.arange(8, dtype=ct.int32)[None, None, :] * 2
    a = ct.gather(x, (i + ct.bid(0), j, k), padding_value=1)
    ct.scatter(y, (k, j, i), a, mask=i < 3)


@ct.kernel
def by_offset(x, y, n: int):
    source, target = x.get_raw_memory(), y.get_raw_memory()
    offset = ct.arange(8, dtype=ct.int64) * n
    a = source.load_offset(offset) + source.load_offset(offset + 1, mask=offset < 40, padding_value=2, latency=1)
    target.store_offset(offset, a)
    target.store_offset(ct.bid(0), 5, mask=n > 3, latency=10)


@ct.kernel
def one_of_many(arrays, y, n: int):
    """A list of arrays: pointers, shapes and strides read from memory."""
    total = ct.zeros((4, 4), ct.float32)
    for i in range(len(arrays)):
        total += ct.load(arrays[i], index=(ct.bid(0), ct.bid(1)), shape=(4, 4))
    ct.store(arrays[n], index=(ct.bid(0), ct.bid(1)), tile=total)
    ct.store(y, index=(ct.bid(0), ct.bid(1)), tile=total)


@ct.kernel
def linked(following, y, n: int):
    """A list in memory is followed."""
    node = ct.bid(0)
    for _ in range(n):
        node = ct.gather(following, node)
    ct.store(y, index=(ct.bid(0),), tile=node)


@ct.kernel
def transposed_by_scatter(x, y):
    i, j = ct.bid(0), ct.bid(1)
    row = ct.arange(4, dtype=ct.int32) + i * 4
    column = ct.arange(8, dtype=ct.int32) + j * 8
    a = ct.gather(x, (row[:, None], column[None, :]), check_bounds=False)
    ct.scatter(y, (column[None, :], row[:, None]), a, check_bounds=False)


F32 = array(ct.float32, 1)
EXPORTS = {
    "gathered": (gathered, [F32, array(ct.int32, 1), F32]),
    "scattered_i16": (scattered, [array(ct.int16, 1), array(ct.int32, 1), array(ct.int16, 1)]),
    "gathered_in_three": (gathered_in_three, [array(ct.float16, 3), array(ct.float16, 3)]),
    "by_offset": (by_offset, [array(ct.uint8, 1), array(ct.uint8, 1), ct.int32]),
    "one_of_many": (one_of_many, [ListConstraint(array(ct.float32, 2), alias_groups=(), elements_may_alias=False),
                                  array(ct.float32, 2), ct.int32]),
    "one_of_many_64": (one_of_many, [ListConstraint(array(ct.float32, 2, ct.int64), alias_groups=(), elements_may_alias=True),
                                     array(ct.float32, 2), ct.int32]),
    "linked": (linked, [array(ct.int32, 1), array(ct.int32, 1), ct.int32]),
    "transposed_by_scatter": (transposed_by_scatter, [array(ct.float8_e4m3fn, 2), array(ct.float8_e4m3fn, 2)]),
}
