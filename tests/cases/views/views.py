# SPDX-License-Identifier: Apache-2.0
# Views as cuTile writes them, each beside the same computation through pointers or whole tiles.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]

VERSION = "13.3"


@ct.kernel
def smooth_windows(x, y, T: Const, S: Const):
    """Sums of windows of T elements, S apart; the last ones stick out."""
    view = x.tiled_view((T,), traversal_steps=(S,), padding_mode=ct.PaddingMode.ZERO)
    for i in range(ct.bid(0), view.num_tiles(0), ct.num_blocks(0)):
        ct.store(y, index=(i,), tile=ct.reshape(ct.sum(view.load((i,))), (1,)))


@ct.kernel
def smooth_gathered(x, y, T: Const, S: Const):
    for i in range(ct.bid(0), ct.cdiv(x.shape[0], S), ct.num_blocks(0)):
        window = ct.gather(x, (i * S + ct.arange(T, dtype=ct.int32),))
        ct.store(y, index=(i,), tile=ct.reshape(ct.sum(window), (1,)))


@ct.kernel
def experts_rows(x, rows, w, y, TM: Const, TK: Const, TN: Const):
    """y[rows] = x[rows] @ w, the row numbers of a block from `rows`; those outside of x belong to nobody."""
    i = ct.bid(0)
    mine = ct.load(rows, index=(i,), shape=(TM,))
    acc = ct.zeros((TM, TN), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], TK)):
        a = ct.load_advanced_indexing(x, (mine, ct.Slice(k * TK, TK)), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(a, ct.load(w, index=(k, ct.bid(1)), shape=(TK, TN), padding_mode=ct.PaddingMode.ZERO), acc)
    ct.store_advanced_indexing(y, (mine, ct.Slice(ct.bid(1) * TN, TN)), acc)


@ct.kernel
def experts_gathered(x, rows, w, y, TM: Const, TK: Const, TN: Const):
    i = ct.bid(0)
    mine = ct.load(rows, index=(i,), shape=(TM,))
    acc = ct.zeros((TM, TN), dtype=ct.float32)
    for k in range(ct.cdiv(x.shape[1], TK)):
        a = ct.gather(x, (mine[:, None], (k * TK + ct.arange(TK, dtype=ct.int32))[None, :]))
        acc = ct.mma(a, ct.load(w, index=(k, ct.bid(1)), shape=(TK, TN), padding_mode=ct.PaddingMode.ZERO), acc)
    ct.scatter(y, (mine[:, None], (ct.bid(1) * TN + ct.arange(TN, dtype=ct.int32))[None, :]), acc)


@ct.kernel
def overlap_added(x, y, T: Const, S: Const):
    """Row i of x is added to y from element i * S on."""
    view = y.tiled_view((T,), traversal_steps=(S,))
    view.atomic_store_add((ct.bid(0),), ct.reshape(ct.load(x, index=(ct.bid(0), 0), shape=(1, T)), (T,)))


@ct.kernel
def overlap_pointers(x, y, T: Const, S: Const):
    i = ct.bid(0)
    ct.atomic_add(y, (i * S + ct.arange(T, dtype=ct.int32),), ct.reshape(ct.load(x, index=(i, 0), shape=(1, T)), (T,)))


F1, F2, H2, I1 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float16, 2), array(ct.int32, 1)
EXPORTS = {
    "smooth_windows": (smooth_windows, [F1, F1, 32, 5]),
    "smooth_gathered": (smooth_gathered, [F1, F1, 32, 5]),
    "experts_rows": (experts_rows, [H2, I1, H2, F2, 16, 32, 32]),
    "experts_gathered": (experts_gathered, [H2, I1, H2, F2, 16, 32, 32]),
    "overlap_added": (overlap_added, [F2, F1, 64, 24]),
    "overlap_pointers": (overlap_pointers, [F2, F1, 64, 24]),
}
