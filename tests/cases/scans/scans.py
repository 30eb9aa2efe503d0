# SPDX-License-Identifier: Apache-2.0
# Running sums and products along each axis of a two-dimensional tile, in both directions.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def scans(x, sums, products, M: Const, N: Const):
    """Results: along axis 0, along axis 0 from the end, along axis 1, along axis 1 from the end."""
    t = ct.load(x, index=(0, 0), shape=(M, N))
    ct.store(sums, index=(0, 0), tile=ct.cumsum(t, axis=0))
    ct.store(sums, index=(1, 0), tile=ct.cumsum(t, axis=0, reverse=True))
    ct.store(sums, index=(2, 0), tile=ct.cumsum(t, axis=1))
    ct.store(sums, index=(3, 0), tile=ct.cumsum(t, axis=1, reverse=True))
    ct.store(products, index=(0, 0), tile=ct.cumprod(t, axis=0))
    ct.store(products, index=(1, 0), tile=ct.cumprod(t, axis=0, reverse=True))
    ct.store(products, index=(2, 0), tile=ct.cumprod(t, axis=1))
    ct.store(products, index=(3, 0), tile=ct.cumprod(t, axis=1, reverse=True))


@ct.kernel
def running_sum(x, y, N: Const):
    """The running sum of each row of any length, with the sum of the blocks before carried along; grid (rows)."""
    i = ct.bid(0)
    carry = ct.full((1, 1), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(1, N))):
        t = ct.load(x, index=(i, j), shape=(1, N), padding_mode=ct.PaddingMode.ZERO)
        ct.store(y, index=(i, j), tile=ct.cumsum(t, axis=1) + carry)
        carry += ct.sum(t, axis=1, keepdims=True)


EXPORTS = {
    "scans_" + name: (scans, [array(dtype, 2)] * 3 + [8, 16])
    for name, dtype in {"f64": ct.float64, "f32": ct.float32, "f16": ct.float16, "i32": ct.int32}.items()
}
EXPORTS["running_sum_16"] = (running_sum, [array(ct.float32, 2)] * 2 + [16])
EXPORTS["running_sum_64"] = (running_sum, [array(ct.float32, 2)] * 2 + [64])
