# SPDX-License-Identifier: Apache-2.0
# Atomic updates of one array by many blocks, against kernels that gather.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def column_sums_atomic(x, y, T: Const):
    """Each block adds its row; grid (rows, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(1, T), padding_mode=ct.PaddingMode.ZERO).reshape((T,))
    ct.atomic_add(y, j * T + ct.arange(T, dtype=ct.int32), t)


@ct.kernel
def column_sums(x, y, TM: Const, T: Const):
    j = ct.bid(0)
    ct.store(
        y, index=(j,), tile=ct.sum(ct.load(x, index=(0, j), shape=(TM, T), padding_mode=ct.PaddingMode.ZERO), axis=0)
    )


@ct.kernel
def histogram_atomic(x, y, T: Const):
    """y[v] = how often v appears in x."""
    t = ct.load(x, index=(ct.bid(0),), shape=(T,))
    ct.atomic_add(y, t, 1)


@ct.kernel
def histogram(x, y, T: Const, BINS: Const):
    count = ct.full((BINS, 1), 0, dtype=ct.int32)
    bins = ct.arange(BINS, dtype=ct.int32).reshape((BINS, 1))
    for i in range(ct.num_tiles(x, axis=0, shape=(T,))):
        t = ct.load(x, index=(i,), shape=(T,)).reshape((1, T))
        count += ct.sum(ct.where(t == bins, 1, 0), axis=1, keepdims=True)
    ct.store(y, index=(0,), tile=count.reshape((BINS,)))


@ct.kernel
def extremes_atomic(x, y, T: Const):
    """y[0] and y[1] become the maximum and minimum of themselves and x, y[2] the or and y[3] the xor of all."""
    t = ct.load(x, index=(ct.bid(0),), shape=(T,))
    ct.atomic_max(y, 0, ct.max(t))
    ct.atomic_min(y, 1, ct.min(t))
    ct.atomic_or(y, ct.full((T,), 2, dtype=ct.int32), t)
    ct.atomic_xor(y, ct.full((T,), 3, dtype=ct.int32), t)


def bit_or(a, b):
    return a | b


def bit_xor(a, b):
    return a ^ b


@ct.kernel
def extremes(x, y, T: Const):
    """As extremes_atomic, by reductions in one program; y is zero before. T at least the size of x."""
    t = ct.load(x, index=(0,), shape=(T,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(0,), tile=ct.max(t).reshape((1,)))
    ct.store(y, index=(1,), tile=ct.min(t).reshape((1,)))
    ct.store(y, index=(2,), tile=ct.reduce(t, 0, bit_or, 0).reshape((1,)))
    ct.store(y, index=(3,), tile=ct.reduce(t, 0, bit_xor, 0).reshape((1,)))


FLOATS, INTEGERS = array(ct.float32, 1), array(ct.int32, 1)
EXPORTS = {
    "column_sums_atomic": (column_sums_atomic, [array(ct.float32, 2), FLOATS, 64]),
    "column_sums": (column_sums, [array(ct.float32, 2), FLOATS, 64, 32]),
    "histogram_atomic": (histogram_atomic, [INTEGERS, INTEGERS, 64]),
    "histogram": (histogram, [INTEGERS, INTEGERS, 64, 32]),
    "extremes": (extremes, [INTEGERS, INTEGERS, 1024]),
    "extremes_atomic": (extremes_atomic, [INTEGERS, INTEGERS, 64]),
}
