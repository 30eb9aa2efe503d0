# SPDX-License-Identifier: Apache-2.0
# Kernels whose blocks race, and the same ones made right.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
RELAXED, ACQUIRE, RELEASE = ct.MemoryOrder.RELAXED, ct.MemoryOrder.ACQUIRE, ct.MemoryOrder.RELEASE
BLOCK = ct.MemoryScope.BLOCK


@ct.kernel
def double(x, y, T: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO) * 2)


@ct.kernel
def double_few(x, y, T: Const, N: Const):
    """Each block N tiles."""
    for k in range(N):
        i = ct.bid(0) * N + k
        ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO) * 2)


@ct.kernel
def double_one_too_many(x, y, T: Const, N: Const):
    """The last tile of a block is the first of the next one, which has the same result."""
    for k in range(N + 1):
        i = ct.bid(0) * N + k
        if i < ct.num_tiles(x, axis=0, shape=(T,)):
            ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO) * 2)


@ct.kernel
def scaled_one_too_many(x, y, T: Const, N: Const):
    """As above, but each block has a factor of its own."""
    for k in range(N + 1):
        i = ct.bid(0) * N + k
        if i < ct.num_tiles(x, axis=0, shape=(T,)):
            ct.store(
                y,
                index=(i,),
                tile=ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO) * (ct.bid(0) + 1).astype(ct.float32),
            )


@ct.kernel
def scaled_few(x, y, T: Const, N: Const):
    for k in range(N):
        i = ct.bid(0) * N + k
        ct.store(
            y,
            index=(i,),
            tile=ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO) * (ct.bid(0) + 1).astype(ct.float32),
        )


@ct.kernel
def scatter_rows(x, y, n: int, T: Const):
    """Row i of x to elements i n and up of y; T may be more than n."""
    i = ct.bid(0)
    c = ct.arange(T, dtype=ct.int32)
    t = ct.gather(x, (i, ct.minimum(c, n - 1)))
    ct.scatter(y, ct.where(c < n, i * n + c, -1), t)


@ct.kernel
def scatter_rows_unmasked(x, y, n: int, T: Const):
    """What lies behind the row goes into the next one."""
    i = ct.bid(0)
    c = ct.arange(T, dtype=ct.int32)
    t = ct.gather(x, (i, ct.minimum(c, n - 1)))
    ct.scatter(y, i * n + c, t)


@ct.kernel
def smooth(x, y, T: Const):
    """y[i] = x[i] + x[i + 1]."""
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(y, i, ct.gather(x, i) + ct.gather(x, i + 1))


@ct.kernel
def smooth_in_place(x, T: Const):
    i = ct.bid(0) * T + ct.arange(T, dtype=ct.int32)
    ct.scatter(x, i, ct.gather(x, i) + ct.gather(x, i + 1))


@ct.kernel
def copy(x, y, T: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO))


@ct.kernel
def relu_in_place(x, T: Const):
    """Each block its own tile: no race."""
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(x, index=(i,), tile=ct.maximum(t, 0))


@ct.kernel
def relu(x, y, T: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.maximum(ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO), 0))


@ct.kernel
def tiles_with_pitch(x, y, pitch: int, T: Const):
    """Tile i to elements i pitch and up; the pitch is T, or a mistake."""
    i, c = ct.bid(0), ct.arange(T, dtype=ct.int32)
    ct.scatter(y, i * pitch + c, ct.gather(x, i * T + c))


@ct.kernel
def total_last(x, parts, count, y, T: Const, N: Const):
    """Each block sums its tile; the last one to come sums the sums."""
    i = ct.bid(0)
    ct.scatter(parts, i, ct.sum(ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)))
    if ct.atomic_add(count, 0, 1) == ct.num_blocks(0) - 1:
        c = ct.arange(N, dtype=ct.int32)
        ct.scatter(y, 0, ct.sum(ct.gather(parts, c)))


@ct.kernel
def total_last_relaxed(x, parts, count, y, T: Const, N: Const):
    """Nothing says that the sums of the others can be seen."""
    i = ct.bid(0)
    ct.scatter(parts, i, ct.sum(ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)))
    if ct.atomic_add(count, 0, 1, memory_order=RELAXED) == ct.num_blocks(0) - 1:
        c = ct.arange(N, dtype=ct.int32)
        ct.scatter(y, 0, ct.sum(ct.gather(parts, c)))


@ct.kernel
def total_last_block(x, parts, count, y, T: Const, N: Const):
    """In order within one block only."""
    i = ct.bid(0)
    ct.scatter(parts, i, ct.sum(ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)))
    if ct.atomic_add(count, 0, 1, memory_scope=BLOCK) == ct.num_blocks(0) - 1:
        c = ct.arange(N, dtype=ct.int32)
        ct.scatter(y, 0, ct.sum(ct.gather(parts, c)))


@ct.kernel
def total(x, y, T: Const, N: Const):
    """T sums of N elements, then theirs."""
    t = ct.sum(ct.load(x, index=(0, 0), shape=(N, T), padding_mode=ZERO), axis=1)
    ct.scatter(y, 0, ct.sum(t))


@ct.kernel
def sums_locked(x, y, lock, T: Const):
    t = ct.load(x, index=(ct.bid(0), 0), shape=(1, T), padding_mode=ZERO).reshape((T,))
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ACQUIRE) == 1:
        pass
    ct.store(y, index=(0,), tile=ct.load(y, index=(0,), shape=(T,), padding_mode=ZERO) + t)
    ct.atomic_xchg(lock, 0, 0, memory_order=RELEASE)


@ct.kernel
def sums_unlocked_early(x, y, lock, T: Const):
    """The lock is given back before the store."""
    t = ct.load(x, index=(ct.bid(0), 0), shape=(1, T), padding_mode=ZERO).reshape((T,))
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=ACQUIRE) == 1:
        pass
    t = ct.load(y, index=(0,), shape=(T,), padding_mode=ZERO) + t
    ct.atomic_xchg(lock, 0, 0, memory_order=RELEASE)
    ct.store(y, index=(0,), tile=t)


@ct.kernel
def sums_locked_relaxed(x, y, lock, T: Const):
    """The lock keeps others out, but does not show what they did."""
    t = ct.load(x, index=(ct.bid(0), 0), shape=(1, T), padding_mode=ZERO).reshape((T,))
    while ct.atomic_cas(lock, 0, 0, 1, memory_order=RELAXED) == 1:
        pass
    ct.store(y, index=(0,), tile=ct.load(y, index=(0,), shape=(T,), padding_mode=ZERO) + t)
    ct.atomic_xchg(lock, 0, 0, memory_order=RELAXED)


@ct.kernel
def sums(x, y, N: Const, T: Const):
    ct.store(y, index=(0,), tile=ct.sum(ct.load(x, index=(0, 0), shape=(N, T), padding_mode=ZERO), axis=0))


@ct.kernel
def sums_atomic_cleared(x, y, T: Const):
    """The first block clears y while others may have added already."""
    i, c = ct.bid(0), ct.arange(T, dtype=ct.int32)
    t = ct.load(x, index=(i, 0), shape=(1, T), padding_mode=ZERO).reshape((T,))
    if i == 0:
        ct.store(y, index=(0,), tile=ct.full((T,), 0, dtype=ct.float32))
    ct.atomic_add(y, c, t)


@ct.kernel
def chain(x, y, ready, T: Const):
    """Row i waits for row i - 1."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(1, T), padding_mode=ZERO)
    if i > 0:
        while ct.atomic_cas(ready, i - 1, 1, 1, memory_order=ACQUIRE) == 0:
            pass
        t = t + ct.load(y, index=(i - 1, 0), shape=(1, T), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=t)
    ct.atomic_xchg(ready, i, 1, memory_order=RELEASE)


@ct.kernel
def chain_relaxed_flag(x, y, ready, T: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(1, T), padding_mode=ZERO)
    if i > 0:
        while ct.atomic_cas(ready, i - 1, 1, 1, memory_order=ACQUIRE) == 0:
            pass
        t = t + ct.load(y, index=(i - 1, 0), shape=(1, T), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=t)
    ct.atomic_xchg(ready, i, 1, memory_order=RELAXED)


@ct.kernel
def prefix(x, y, N: Const, T: Const):
    t = ct.load(x, index=(0, ct.bid(0)), shape=(N, T), padding_mode=ZERO)
    ct.store(y, index=(0, ct.bid(0)), tile=ct.cumsum(t, axis=0))


@ct.kernel
def tasks(x, y, next, T: Const):
    """Blocks take tiles from a counter."""
    i = ct.atomic_add(next, 0, 1)
    while i < ct.num_tiles(x, axis=0, shape=(T,)):
        ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO) * 2)
        i = ct.atomic_add(next, 0, 1)


@ct.kernel
def tasks_overlapping(x, y, next, T: Const):
    """Each task also stores the first element of the next tile."""
    i = ct.atomic_add(next, 0, 1)
    while i < ct.num_tiles(x, axis=0, shape=(T,)):
        ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO) * 2)
        ct.scatter(y, (i + 1) * T, 0.0)
        i = ct.atomic_add(next, 0, 1)


LINE, ROWS, INTEGERS = array(ct.float32, 1), array(ct.float32, 2), array(ct.int32, 1)
TOTAL = [LINE, LINE, INTEGERS, LINE, 32, 8]
LOCKED = [ROWS, LINE, INTEGERS, 128]
EXPORTS = {
    "double": (double, [LINE, LINE, 32]),
    "double_few": (double_few, [LINE, LINE, 32, 2]),
    "double_one_too_many": (double_one_too_many, [LINE, LINE, 32, 2]),
    "scaled_few": (scaled_few, [LINE, LINE, 32, 2]),
    "scaled_one_too_many": (scaled_one_too_many, [LINE, LINE, 32, 2]),
    "scatter_rows": (scatter_rows, [ROWS, LINE, ct.int32, 32]),
    "scatter_rows_unmasked": (scatter_rows_unmasked, [ROWS, LINE, ct.int32, 32]),
    "smooth": (smooth, [LINE, LINE, 32]),
    "smooth_in_place": (smooth_in_place, [LINE, 32]),
    "races_copy": (copy, [LINE, LINE, 32]),
    "relu_in_place": (relu_in_place, [LINE, 32]),
    "races_relu": (relu, [LINE, LINE, 32]),
    "tiles_with_pitch": (tiles_with_pitch, [LINE, LINE, ct.int32, 32]),
    "total": (total, [ROWS, LINE, 32, 8]),
    "total_last": (total_last, TOTAL),
    "total_last_relaxed": (total_last_relaxed, TOTAL),
    "total_last_block": (total_last_block, TOTAL),
    "races_sums": (sums, [ROWS, LINE, 8, 128]),
    "sums_locked": (sums_locked, LOCKED),
    "sums_unlocked_early": (sums_unlocked_early, LOCKED),
    "sums_locked_relaxed": (sums_locked_relaxed, LOCKED),
    "sums_atomic_cleared": (sums_atomic_cleared, [ROWS, LINE, 128]),
    "chain": (chain, [ROWS, ROWS, INTEGERS, 128]),
    "chain_relaxed_flag": (chain_relaxed_flag, [ROWS, ROWS, INTEGERS, 128]),
    "prefix": (prefix, [ROWS, ROWS, 8, 128]),
    "tasks": (tasks, [LINE, LINE, INTEGERS, 32]),
    "tasks_overlapping": (tasks_overlapping, [LINE, LINE, INTEGERS, 32]),
}
