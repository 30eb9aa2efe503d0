# SPDX-License-Identifier: Apache-2.0
# Views of arrays: partitions with every padding, orders of dimensions, overlapping and spaced tiles, rows by number, and slices.
import cuda.tile as ct
from export import array

P = ct.PaddingMode


@ct.kernel
def padded(x, y):
    """Tiles past the edge, with each value of padding."""
    total = ct.zeros((8,), ct.float32)
    for mode in ct.static_iter((P.UNDETERMINED, P.ZERO, P.NEG_ZERO, P.NAN, P.POS_INF, P.NEG_INF)):
        total += ct.load(x, index=(ct.bid(0),), shape=(8,), padding_mode=mode).astype(ct.float32)
    ct.store(y, index=(ct.bid(0),), tile=total)


@ct.kernel
def ordered(x, y):
    i, j = ct.bid(0), ct.bid(1)
    a = ct.load(x, index=(j, i, 0), shape=(4, 2, 2), order=(1, 0, 2))
    b = ct.load(x, index=(0, i, j), shape=(2, 2, 4), order="F", padding_mode=P.ZERO)
    ct.store(y, index=(i, j, 0), tile=a + b.reshape((4, 2, 2)), order=(2, 0, 1))


@ct.kernel
def how_many(x, y):
    rows, columns = ct.num_tiles(x, 0, shape=(4, 8)), ct.num_tiles(x, 1, shape=(4, 8))
    turned = ct.num_tiles(x, 0, shape=(4, 8), order=(1, 0))
    whole = x.tiled_view((2, 2)).num_tiles(-1)
    ct.store(y, index=(0,), tile=rows * columns + turned * whole)


@ct.kernel
def how_many_64(x, y):
    total = ct.zeros((4, 4), ct.float32)
    for i in range(ct.num_tiles(x, 0, shape=(4, 4))):
        for j in range(ct.num_tiles(x, 1, shape=(4, 4))):
            total += ct.load(x, index=(i, j), shape=(4, 4))
    ct.store(y, index=(ct.bid(0), ct.bid(1)), tile=total)


@ct.kernel
def tiled(x, y):
    source = x.tiled_view((4, 8), padding_mode=P.NAN)
    target = y.tiled_view((4, 8))
    for i in range(source.num_tiles(0)):
        target.store((i, 0), source.load((i, 0)) * 2.0)


@ct.kernel
def overlapping(x, y):
    """A moving sum: each tile begins two elements after the one before."""
    windows = x.tiled_view((8,), traversal_steps=(2,), padding_mode=P.ZERO)
    for i in range(windows.num_tiles(0)):
        ct.store(y, index=(i,), tile=ct.sum(windows.load((i,))))


@ct.kernel
def spaced(x, y):
    """Every third row, with each padding."""
    total = ct.zeros((1, 8), ct.float32)
    for mode in ct.static_iter((P.UNDETERMINED, P.NEG_ZERO, P.NAN, P.POS_INF, P.NEG_INF)):
        total += x.tiled_view((1, 8), traversal_steps=(3, 8), padding_mode=mode).load((ct.bid(0), ct.bid(1)))
    y.tiled_view((1, 8), traversal_steps=(3, 16)).store((ct.bid(0), ct.bid(1)), total)


@ct.kernel
def rows_by_number(table, rows, y):
    r = ct.load(rows, index=(ct.bid(0),), shape=(8,))
    a = ct.load_advanced_indexing(table, (r, ct.Slice(ct.bid(1) * 4, 4)), padding_mode=P.ZERO)
    ct.store(y, index=(ct.bid(0), ct.bid(1)), tile=a)


@ct.kernel
def columns_by_number(x, columns, y):
    c = ct.load(columns, index=(0,), shape=(4,))
    total = ct.zeros((2, 4, 2), x.dtype)
    for mode in ct.static_iter((P.UNDETERMINED, P.NEG_ZERO, P.NAN, P.POS_INF, P.NEG_INF)):
        total += ct.load_advanced_indexing(x, (ct.Slice(0, 2), c, ct.Slice(ct.bid(0), 2)), padding_mode=mode, latency=3)
    ct.store_advanced_indexing(y, (ct.Slice(0, 2), c + 1, ct.Slice(0, 2)), total, allow_tma=False)


@ct.kernel
def rows_to_numbers(x, rows, table):
    r = ct.load(rows, index=(ct.bid(0),), shape=(8,))
    a = ct.load(x, index=(ct.bid(0), 0), shape=(8, 16))
    ct.store_advanced_indexing(table, (r, ct.Slice(0, 16)), a)


@ct.kernel
def unchecked(x, y):
    """Loads and stores that promise to stay within the array."""
    i, j = ct.bid(0), ct.bid(1)
    a = ct.load(x, index=(i, j), shape=(4, 4), check_bounds=False)
    view = x.tiled_view((4, 4))
    a += view.load((j, i), check_bounds=False, latency=2)
    view.store((j, i), a, check_bounds=False)
    ct.store(y, index=(i, j), tile=a, check_bounds=False, allow_tma=False)


@ct.kernel
def sliced(x, first: int, past: int, y):
    part = x.slice(axis=0, start=first, stop=past)
    rest = x.slice(axis=1, start=0, stop=16)
    a = ct.load(part, index=(ct.bid(0), 0), shape=(4, 8), padding_mode=P.ZERO)
    ct.store(y, index=(ct.bid(0), 0), tile=a + ct.load(rest, index=(ct.bid(0), 0), shape=(4, 8)))


@ct.kernel
def rebuilt(x, n: int, y):
    """The same memory as an array of another shape."""
    flat = ct.Array.from_foreign(x.foreign_pointer, (n * 4,), (1,))
    columns = ct.Array.from_foreign(x.foreign_pointer, (4, n), (x.strides[1], x.strides[0]))
    a = ct.load(flat, index=(ct.bid(0),), shape=(8,)) + ct.load(columns, index=(0, ct.bid(0)), shape=(1, 8)).reshape((8,))
    ct.store(y, index=(ct.bid(0),), tile=a)


@ct.kernel
def one_element_each(x, y):
    """Loads and stores of single elements."""
    n = x.shape[0]
    for i in range(n):
        ct.store(y, index=(i, n - 1 - i), tile=ct.load(x, index=(i,), shape=()))


def matrices(dtype, count=2):
    return [array(dtype, 2)] * count


EXPORTS = {
    "padded_f32": (padded, [array(ct.float32, 1), array(ct.float32, 1)]),
    "ordered": (ordered, [array(ct.float16, 3), array(ct.float16, 3)]),
    "how_many": (how_many, [array(ct.int8, 2), array(ct.int32, 1)]),
    "how_many_64": (how_many_64, [array(ct.float32, 2, ct.int64), array(ct.float32, 2, ct.int64)]),
    "tiled": (tiled, matrices(ct.float64)),
    "overlapping": (overlapping, [array(ct.float32, 1), array(ct.float32, 1)]),
    "spaced": (spaced, matrices(ct.float32)),
    "rows_by_number": (rows_by_number, [array(ct.bfloat16, 2), array(ct.int32, 1), array(ct.bfloat16, 2)]),
    "columns_by_number": (columns_by_number, [array(ct.float16, 3), array(ct.int32, 1), array(ct.float16, 3)]),
    "rows_to_numbers": (rows_to_numbers, [array(ct.int8, 2), array(ct.int32, 1), array(ct.int8, 2)]),
    "unchecked": (unchecked, matrices(ct.float32)),
    "sliced": (sliced, [array(ct.float32, 2), ct.int32, ct.int32, array(ct.float32, 2)]),
    "rebuilt": (rebuilt, [array(ct.float32, 2), ct.int32, array(ct.float32, 1)]),
    "one_element_each": (one_element_each, [array(ct.uint16, 1), array(ct.uint16, 2)]),
}
