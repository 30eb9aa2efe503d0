# SPDX-License-Identifier: Apache-2.0
# Blocks that wait for other blocks of the launch: at a barrier, for a later block, for a lock; against launches one after the other.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
ACQUIRE, RELEASE, BOTH = ct.MemoryOrder.ACQUIRE, ct.MemoryOrder.RELEASE, ct.MemoryOrder.ACQ_REL


@ct.kernel
def row_sums(x, sums, T: Const):
    i = ct.bid(0)
    ct.store(sums, index=(i,), tile=ct.sum(ct.load(x, index=(i, 0), shape=(1, T), padding_mode=ZERO), axis=1))


@ct.kernel
def next_sums(sums, y):
    """y[i] = twice the sum of the next row, of the first row behind the last."""
    i = ct.bid(0)
    ct.scatter(y, i, ct.gather(sums, (i + 1) % ct.num_blocks(0)) * 2)


@ct.kernel
def sums_barrier(x, sums, count, y, T: Const):
    """Both in one launch: no block goes on before all have stored."""
    i, n = ct.bid(0), ct.num_blocks(0)
    ct.store(sums, index=(i,), tile=ct.sum(ct.load(x, index=(i, 0), shape=(1, T), padding_mode=ZERO), axis=1))
    ct.atomic_add(count, 0, 1, memory_order=RELEASE)
    while ct.atomic_add(count, 0, 0, memory_order=BOTH) < n:
        pass
    ct.scatter(y, i, ct.gather(sums, (i + 1) % n) * 2)


@ct.kernel
def suffix_sums(x, y, N: Const, T: Const):
    """y[i, :] = sum of the rows i and below."""
    t = ct.load(x, index=(0, ct.bid(0)), shape=(N, T), padding_mode=ZERO)
    ct.store(y, index=(0, ct.bid(0)), tile=ct.cumsum(t, axis=0, reverse=True))


@ct.kernel
def suffix_chain(x, y, ready, T: Const):
    """Row i waits for row i + 1."""
    i, n = ct.bid(0), ct.num_blocks(0)
    t = ct.load(x, index=(i, 0), shape=(1, T), padding_mode=ZERO)
    if i + 1 < n:
        while ct.atomic_cas(ready, i + 1, 1, 1, memory_order=ACQUIRE) == 0:
            pass
        t = t + ct.load(y, index=(i + 1, 0), shape=(1, T), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=t)
    ct.atomic_xchg(ready, i, 1, memory_order=RELEASE)


@ct.kernel
def column_sums(x, y, N: Const, T: Const):
    ct.store(y, index=(0,), tile=ct.sum(ct.load(x, index=(0, 0), shape=(N, T), padding_mode=ZERO), axis=0))


@ct.kernel
def column_sums_locked(x, y, lock, T: Const):
    """Every block adds its row to y, one at a time."""
    t = ct.load(x, index=(ct.bid(0), 0), shape=(1, T), padding_mode=ZERO).reshape((T,))
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ACQUIRE) == 1:
        pass
    ct.store(y, index=(0,), tile=ct.load(y, index=(0,), shape=(T,), padding_mode=ZERO) + t)
    ct.atomic_xchg(lock, 0, 0, memory_order=RELEASE)


ROWS, ROW, INTEGERS = array(ct.float32, 2), array(ct.float32, 1), array(ct.int32, 1)
EXPORTS = {
    "row_sums": (row_sums, [ROWS, ROW, 128]),
    "next_sums": (next_sums, [ROW, ROW]),
    "sums_barrier": (sums_barrier, [ROWS, ROW, INTEGERS, ROW, 128]),
    "suffix_sums": (suffix_sums, [ROWS, ROWS, 64, 32]),
    "suffix_chain": (suffix_chain, [ROWS, ROWS, INTEGERS, 128]),
    "waits_column_sums": (column_sums, [ROWS, ROW, 64, 128]),
    "column_sums_locked": (column_sums_locked, [ROWS, ROW, INTEGERS, 128]),
}
