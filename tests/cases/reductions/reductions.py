# SPDX-License-Identifier: Apache-2.0
# Reductions of a three-dimensional tile along each axis; a result array for each axis, a row for each operation.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]

OPERATIONS = ["sum", "max", "min", "prod"]


@ct.kernel
def reductions(x, y0, y1, y2, A: Const, B: Const, C: Const):
    t = ct.load(x, index=(0, 0, 0), shape=(A, B, C))
    ct.store(y0, index=(0, 0), tile=ct.sum(t, axis=0).reshape((1, B * C)))
    ct.store(y0, index=(1, 0), tile=ct.max(t, axis=0).reshape((1, B * C)))
    ct.store(y0, index=(2, 0), tile=ct.min(t, axis=0).reshape((1, B * C)))
    ct.store(y0, index=(3, 0), tile=ct.prod(t, axis=0).reshape((1, B * C)))
    ct.store(y1, index=(0, 0), tile=ct.sum(t, axis=1).reshape((1, A * C)))
    ct.store(y1, index=(1, 0), tile=ct.max(t, axis=1).reshape((1, A * C)))
    ct.store(y1, index=(2, 0), tile=ct.min(t, axis=1).reshape((1, A * C)))
    ct.store(y1, index=(3, 0), tile=ct.prod(t, axis=1).reshape((1, A * C)))
    ct.store(y2, index=(0, 0), tile=ct.sum(t, axis=2).reshape((1, A * B)))
    ct.store(y2, index=(1, 0), tile=ct.max(t, axis=2).reshape((1, A * B)))
    ct.store(y2, index=(2, 0), tile=ct.min(t, axis=2).reshape((1, A * B)))
    ct.store(y2, index=(3, 0), tile=ct.prod(t, axis=2).reshape((1, A * B)))


@ct.kernel
def arg_reductions(x, y0, y1, A: Const, B: Const):
    """Rows of the results: argmax and argmin."""
    t = ct.load(x, index=(0, 0), shape=(A, B))
    ct.store(y0, index=(0, 0), tile=ct.argmax(t, axis=0).reshape((1, B)))
    ct.store(y0, index=(1, 0), tile=ct.argmin(t, axis=0).reshape((1, B)))
    ct.store(y1, index=(0, 0), tile=ct.argmax(t, axis=1).reshape((1, A)))
    ct.store(y1, index=(1, 0), tile=ct.argmin(t, axis=1).reshape((1, A)))


def sum_and_squares(total, squares, value, square):
    return total + value, squares + square


@ct.kernel
def two_at_once(x, y, M: Const, N: Const):
    """The sum and the sum of squares of each row in one reduction of two operands."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(M, N))
    total, squares = ct.reduce((t, t * t), 1, sum_and_squares, (0.0, 0.0))
    ct.store(y, index=(0, i), tile=total.reshape((1, M)))
    ct.store(y, index=(1, i), tile=squares.reshape((1, M)))


@ct.kernel
def two_in_turn(x, y, M: Const, N: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(M, N))
    ct.store(y, index=(0, i), tile=ct.sum(t, axis=1).reshape((1, M)))
    ct.store(y, index=(1, i), tile=ct.sum(t * t, axis=1).reshape((1, M)))


@ct.kernel
def sum_all(x, y, M: Const, N: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.sum(ct.load(x, index=(i, 0), shape=(M, N))).reshape((1,)))


@ct.kernel
def sum_by_halves(x, y, M: Const, N: Const):
    """As sum_all: columns first in a loop, then rows of the permuted tile."""
    i = ct.bid(0)
    acc = ct.full((M, 1), 0.0, dtype=x.dtype)
    for j in range(ct.num_tiles(x, axis=1, shape=(M, N // 4))):
        acc += ct.sum(ct.load(x, index=(i, j), shape=(M, N // 4)), axis=1, keepdims=True)
    ct.store(y, index=(i,), tile=ct.sum(ct.permute(acc, (1, 0)), axis=1))


@ct.kernel
def trees(x, rows, columns, running, M: Const, N: Const):
    """What shows the order of combination: sums and products along both axes, and running sums in both directions."""
    t = ct.load(x, index=(0, 0), shape=(M, N))
    ct.store(rows, index=(0, 0), tile=ct.sum(t, axis=1).reshape((1, M)))
    ct.store(rows, index=(1, 0), tile=ct.prod(t, axis=1).reshape((1, M)))
    ct.store(columns, index=(0, 0), tile=ct.sum(t, axis=0).reshape((1, N)))
    ct.store(columns, index=(1, 0), tile=ct.prod(t, axis=0).reshape((1, N)))
    ct.store(running, index=(0, 0), tile=ct.cumsum(t, axis=1))
    ct.store(running, index=(1, 0), tile=ct.cumsum(t, axis=1, reverse=True))


EXPORTS = {}
for name, dtype in {"f64": ct.float64, "f32": ct.float32, "f16": ct.float16}.items():
    EXPORTS["trees_" + name] = (trees, [array(dtype, 2)] * 4 + [8, 512])
for name, dtype in {
    "f64": ct.float64,
    "f32": ct.float32,
    "f16": ct.float16,
    "bf16": ct.bfloat16,
    "i32": ct.int32,
}.items():
    EXPORTS["reductions_" + name] = (reductions, [array(dtype, 3)] + [array(dtype, 2)] * 3 + [4, 8, 16])
for name, dtype in {"f32": ct.float32, "f16": ct.float16, "i32": ct.int32}.items():
    EXPORTS["arg_reductions_" + name] = (
        arg_reductions,
        [array(dtype, 2), array(ct.int32, 2), array(ct.int32, 2), 16, 32],
    )
EXPORTS["two_at_once"] = (two_at_once, [array(ct.float32, 2)] * 2 + [16, 64])
EXPORTS["two_in_turn"] = (two_in_turn, [array(ct.float32, 2)] * 2 + [16, 64])
EXPORTS["sum_all"] = (sum_all, [array(ct.float32, 2), array(ct.float32, 1), 16, 64])
EXPORTS["sum_by_halves"] = (sum_by_halves, [array(ct.float32, 2), array(ct.float32, 1), 16, 64])
