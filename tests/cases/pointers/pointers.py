# SPDX-License-Identifier: Apache-2.0
# Loads and stores through tiles of pointers (gather, scatter), with and without masks, against tile loads and stores.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def rows_by_gather(table, rows, y, T: Const, N: Const):
    """y[r] = table[rows[r]]; indices outside the table give 0."""
    i, j = ct.bid(0), ct.bid(1)
    r = ct.load(rows, index=(i,), shape=(T,))
    c = j * N + ct.arange(N, dtype=ct.int32)
    t = ct.gather(table, (r.reshape((T, 1)), c.reshape((1, N))), padding_value=0)
    ct.store(y, index=(i, j), tile=t)


@ct.kernel
def rows_one_by_one(table, rows, y, N: Const):
    """As rows_by_gather, for indices inside the table, one row for each program."""
    i, j = ct.bid(0), ct.bid(1)
    r = ct.load(rows, index=(i,), shape=(1,)).item()
    ct.store(y, index=(i, j), tile=ct.load(table, index=(r, j), shape=(1, N)))


@ct.kernel
def scale_by_pointers(x, y, factor: float, N: Const):
    """y = x * factor by gather and scatter, the last block masked by the bounds."""
    c = ct.bid(0) * N + ct.arange(N, dtype=ct.int32)
    ct.scatter(y, c, ct.gather(x, c) * factor)


@ct.kernel
def scale_by_tiles(x, y, factor: float, N: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(N,)) * factor)


@ct.kernel
def even_by_mask(x, y, N: Const):
    """The even positions are copied, the others set to -1: two scatters with opposite masks."""
    c = ct.bid(0) * N + ct.arange(N, dtype=ct.int32)
    even = c % 2 == 0
    ct.scatter(y, c, ct.gather(x, c, mask=even, padding_value=-7.0), mask=even)
    ct.scatter(y, c, ct.full((N,), -1.0, dtype=ct.float32), mask=~even)


@ct.kernel
def even_by_select(x, y, N: Const):
    i = ct.bid(0)
    c = i * N + ct.arange(N, dtype=ct.int32)
    ct.store(y, index=(i,), tile=ct.where(c % 2 == 0, ct.load(x, index=(i,), shape=(N,)), -1.0))


@ct.kernel
def reverse(x, y, N: Const):
    """y = x backwards."""
    i = ct.bid(0)
    c = i * N + ct.arange(N, dtype=ct.int32)
    ct.scatter(y, x.shape[0] - 1 - c, ct.gather(x, c))


@ct.kernel
def reverse_by_gather(x, y, N: Const):
    i = ct.bid(0)
    c = i * N + ct.arange(N, dtype=ct.int32)
    ct.store(y, index=(i,), tile=ct.gather(x, x.shape[0] - 1 - c, padding_value=0))


VECTOR, MATRIX, INDEX = array(ct.float32, 1), array(ct.float16, 2), array(ct.int32, 1)
EXPORTS = {
    "rows_by_gather": (rows_by_gather, [MATRIX, INDEX, MATRIX, 8, 64]),
    "rows_one_by_one": (rows_one_by_one, [MATRIX, INDEX, MATRIX, 32]),
    "scale_by_pointers": (scale_by_pointers, [VECTOR, VECTOR, ct.float32, 128]),
    "scale_by_tiles": (scale_by_tiles, [VECTOR, VECTOR, ct.float32, 64]),
    "even_by_mask": (even_by_mask, [VECTOR, VECTOR, 128]),
    "even_by_select": (even_by_select, [VECTOR, VECTOR, 64]),
    "reverse": (reverse, [VECTOR, VECTOR, 128]),
    "reverse_by_gather": (reverse_by_gather, [VECTOR, VECTOR, 32]),
}
