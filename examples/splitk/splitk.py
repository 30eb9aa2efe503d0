# SPDX-License-Identifier: Apache-2.0
# A matrix product whose inner dimension is split over programs and summed by a second kernel, against the plain one.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def matmul(x, y, z, TM: Const, TN: Const, TK: Const):
    """z = x y; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def splitk(x, y, parts, TM: Const, TN: Const, TK: Const):
    """parts[s] = the s-th part of the inner dimension's share of x y; grid (row blocks, column blocks, parts)."""
    i, j, s = ct.bid(0), ct.bid(1), ct.bid(2)
    steps = ct.num_tiles(x, axis=1, shape=(TM, TK))
    share = ct.cdiv(steps, parts.shape[0])
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(s * share, min(steps, (s + 1) * share)):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(parts, index=(s, i, j), tile=acc.reshape((1, TM, TN)))


@ct.kernel
def sum_parts(parts, z, PARTS: Const, TM: Const, TN: Const):
    """z = the sum of the parts; PARTS at least their number; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    tile = ct.load(parts, index=(0, i, j), shape=(PARTS, TM, TN), padding_mode=ZERO)
    ct.store(z, index=(i, j), tile=ct.sum(tile, axis=0))


HALF, FLOAT = array(ct.float16, 2), array(ct.float32, 2)
EXPORTS = {
    "matmul": (matmul, [HALF, HALF, FLOAT, 64, 64, 32]),
    "splitk": (splitk, [HALF, HALF, array(ct.float32, 3), 32, 64, 64]),
    "sum_parts": (sum_parts, [array(ct.float32, 3), FLOAT, 4, 32, 32]),
}
