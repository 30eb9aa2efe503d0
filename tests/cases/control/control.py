# SPDX-License-Identifier: Apache-2.0
# Control flow: if, for, while, break, continue, nested, with scalars and tiles carried.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def collatz(x, y, limit: int):
    """The number of steps to 1, at most limit; grid (elements)."""
    i = ct.bid(0)
    n = ct.load(x, index=(i,), shape=(1,)).item()
    steps = 0
    while n != 1 and steps < limit:
        if n % 2 == 0:
            n = n // 2
        else:
            n = 3 * n + 1
        steps += 1
    ct.store(y, index=(i,), tile=ct.full((1,), steps, dtype=ct.int32))


@ct.kernel
def collatz_break(x, y, limit: int):
    """As collatz, with break and continue."""
    i = ct.bid(0)
    n = ct.load(x, index=(i,), shape=(1,)).item()
    steps = 0
    while True:
        if n == 1:
            break
        if steps >= limit:
            break
        steps += 1
        if n % 2 == 0:
            n = n // 2
            continue
        n = 3 * n + 1
    ct.store(y, index=(i,), tile=ct.full((1,), steps, dtype=ct.int32))


@ct.kernel
def triangle(x, y, T: Const):
    """y = the sum of the blocks of x up to this block's own; two loops, one inside the other; grid (blocks)."""
    i = ct.bid(0)
    total = ct.full((1, T), 0.0, dtype=ct.float32)
    for r in range(x.shape[0]):
        for j in range(0, i + 1):
            total += ct.load(x, index=(r, j), shape=(1, T), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(0, i), tile=total)


@ct.kernel
def triangle_backwards(x, y, T: Const):
    """As triangle: all blocks are read, backwards, and those after this block's own are left out by an if."""
    i = ct.bid(0)
    blocks = ct.num_tiles(x, axis=1, shape=(1, T))
    total = ct.full((1, T), 0.0, dtype=ct.float32)
    for k in range(0, blocks, 1):
        j = blocks - 1 - k
        column = ct.full((1, T), 0.0, dtype=ct.float32)
        if j <= i:
            for r in range(x.shape[0]):
                column += ct.load(x, index=(r, j), shape=(1, T), padding_mode=ct.PaddingMode.ZERO)
        total += column
    ct.store(y, index=(0, i), tile=total)


@ct.kernel
def early_return(x, y, T: Const, LAST: Const):
    """Blocks after LAST return at once."""
    i = ct.bid(0)
    if i > LAST:
        return
    t = ct.load(x, index=(0, i), shape=(1, T))
    ct.store(y, index=(0, i), tile=t + t)


@ct.kernel
def doubled(x, y, T: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(0, i), shape=(1, T))
    ct.store(y, index=(0, i), tile=t + t)


@ct.kernel
def branch(x, y, T: Const):
    """Blocks with more positive values keep them, others are cut off at 0; then every second one is negated."""
    i = ct.bid(0)
    t = ct.load(x, index=(0, i), shape=(1, T))
    total = ct.sum(ct.where(t > 0.0, 1, -1))
    if total > 0:
        r = t
        k = 1
    else:
        r = ct.maximum(t, 0.0)
        k = 2
    if (i + k) % 2 == 1:
        r = -r
    ct.store(y, index=(0, i), tile=r)


@ct.kernel
def branch_free(x, y, T: Const):
    """As branch, with selects."""
    i = ct.bid(0)
    t = ct.load(x, index=(0, i), shape=(1, T))
    positive = ct.sum(ct.where(t > 0.0, 1, -1)) > 0
    r = ct.where(positive, t, ct.maximum(t, 0.0))
    ct.store(y, index=(0, i), tile=ct.where((i + ct.where(positive, 1, 2)) % 2 == 1, -r, r))


INTEGERS, ROWS = array(ct.int32, 1), array(ct.float32, 2)
EXPORTS = {
    "collatz": (collatz, [INTEGERS, INTEGERS, ct.int32]),
    "collatz_break": (collatz_break, [INTEGERS, INTEGERS, ct.int32]),
    "triangle": (triangle, [ROWS, ROWS, 32]),
    "triangle_backwards": (triangle_backwards, [ROWS, ROWS, 32]),
    "early_return": (early_return, [ROWS, ROWS, 32, 2]),
    "doubled": (doubled, [ROWS, ROWS, 32]),
    "branch": (branch, [ROWS, ROWS, 32]),
    "branch_free": (branch_free, [ROWS, ROWS, 32]),
}
