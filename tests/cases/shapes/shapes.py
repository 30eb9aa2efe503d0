# SPDX-License-Identifier: Apache-2.0
# Operations that only move elements: reshape, permute, broadcast, cat, extract, loads with dimensions in another order.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def moves(x, y):
    """x is 16 x 32; y has 11 rows of 512."""
    t = ct.load(x, index=(0, 0), shape=(16, 32))
    ct.store(y, index=(0, 0), tile=ct.transpose(t).reshape((1, 512)))
    ct.store(y, index=(1, 0), tile=ct.permute(t.reshape((4, 8, 16)), (2, 0, 1)).reshape((1, 512)))
    ct.store(y, index=(2, 0), tile=ct.permute(t.reshape((2, 4, 8, 8)), (3, 1, 0, 2)).reshape((1, 512)))
    ct.store(
        y,
        index=(3, 0),
        tile=ct.cat((ct.extract(t, (0, 1), (16, 16)), ct.extract(t, (0, 0), (16, 16))), 1).reshape((1, 512)),
    )
    ct.store(
        y,
        index=(4, 0),
        tile=ct.cat((ct.extract(t, (1, 0), (8, 32)), ct.extract(t, (0, 0), (8, 32))), 0).reshape((1, 512)),
    )
    ct.store(y, index=(5, 0), tile=ct.broadcast_to(ct.extract(t, (3, 0), (1, 32)), (16, 32)).reshape((1, 512)))
    ct.store(y, index=(6, 0), tile=ct.broadcast_to(ct.extract(t, (0, 5), (16, 1)), (16, 32)).reshape((1, 512)))
    ct.store(
        y,
        index=(7, 0),
        tile=ct.broadcast_to(ct.extract(t, (2, 1), (2, 16)).reshape((2, 1, 16)), (2, 16, 16)).reshape((1, 512)),
    )
    ct.store(y, index=(8, 0), tile=ct.load(x, index=(0, 0), shape=(32, 16), order=(1, 0)).reshape((1, 512)))
    ct.store(
        y,
        index=(9, 0),
        tile=ct.where(
            ct.arange(32, dtype=ct.int32) < 7,
            t,
            ct.permute(ct.transpose(t), (1, 0)).reshape((32, 16)).reshape((16, 32)),
        ).reshape((1, 512)),
    )
    rows = ct.expand_dims(ct.arange(16, dtype=ct.int32), 1)
    ct.store(y, index=(10, 0), tile=ct.where(rows == 5, ct.extract(t, (0, 0), (1, 32)), t).reshape((1, 512)))


@ct.kernel
def transpose_in_tile(x, y, T: Const):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, index=(j, i), tile=ct.transpose(ct.load(x, index=(i, j), shape=(T, T))))


@ct.kernel
def transpose_by_order(x, y, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, index=(i, j), tile=ct.load(x, index=(i, j), shape=(TM, TN), order=(1, 0)))


@ct.kernel
def transpose_on_store(x, y, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, index=(i, j), tile=ct.load(x, index=(i, j), shape=(TM, TN)), order=(1, 0))


EXPORTS = {
    "moves_" + name: (moves, [array(dtype, 2)] * 2)
    for name, dtype in {
        "f32": ct.float32,
        "f16": ct.float16,
        "f64": ct.float64,
        "f8e4m3fn": ct.float8_e4m3fn,
        "i8": ct.int8,
        "i64": ct.int64,
    }.items()
}
EXPORTS["transpose_in_tile"] = (transpose_in_tile, [array(ct.float16, 2)] * 2 + [32])
EXPORTS["transpose_by_order"] = (transpose_by_order, [array(ct.float16, 2)] * 2 + [64, 16])
EXPORTS["transpose_on_store"] = (transpose_on_store, [array(ct.float16, 2)] * 2 + [8, 128])
