# SPDX-License-Identifier: Apache-2.0
# Block numbers and grid sizes in three dimensions, and sizes of arrays as kernel values.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def where_am_i(y):
    """y[z, y, x] = the linear number of the block, with the sizes of the grid and of y."""
    i, j, k = ct.bid(0), ct.bid(1), ct.bid(2)
    linear = i + ct.num_blocks(0) * (j + ct.num_blocks(1) * k)
    value = linear * 1000 + ct.num_blocks(2) * 100 + y.shape[1] * 10 + y.shape[2]
    ct.store(y, index=(k, j, i), tile=ct.full((1, 1, 1), value, dtype=ct.int32))


@ct.kernel
def sums_of_planes(x, y, factor: float, offset: int, A: Const, B: Const):
    """Float and integer scalars as arguments."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0, 0), shape=(1, A, B), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(i,), tile=(ct.sum(t) * factor + (offset + i)).reshape((1,)))


EXPORTS = {
    "where_am_i": (where_am_i, [array(ct.int32, 3)]),
    "where_am_i_64": (where_am_i, [array(ct.int32, 3, index=ct.int64)]),
    "sums_of_planes": (sums_of_planes, [array(ct.float32, 3), array(ct.float32, 1), ct.float32, ct.int32, 8, 16]),
    "sums_of_planes_64": (
        sums_of_planes,
        [array(ct.float32, 3, index=ct.int64), array(ct.float32, 1, index=ct.int64), ct.float32, ct.int64, 16, 8],
    ),
}
