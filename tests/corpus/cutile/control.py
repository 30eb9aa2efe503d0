# SPDX-License-Identifier: Apache-2.0
# Control flow: loops of every kind, branches with and without values, leaving early, and the two nested in each other.
import cuda.tile as ct
from export import array


@ct.kernel
def counted_loop(x, y, n: int):
    total = ct.zeros((8,), ct.float32)
    for i in range(n):
        total += ct.load(x, index=(i,), shape=(8,))
    for i in range(n, 2 * n, 3):
        total -= ct.load(x, index=(i,), shape=(8,))
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def long_loop(x, y, n: ct.ScalarInt64):
    """The counter is an i64."""
    total = ct.zeros((8,), ct.int64)
    for i in range(n):
        total += i * ct.load(x, index=(i % 4,), shape=(8,))
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def loop_with_break(x, y, n: int):
    total, last = ct.zeros((8,), ct.float32), 0
    for i in range(n):
        total += ct.load(x, index=(i,), shape=(8,))
        if ct.sum(total) > 100.0:
            break
        last = i
    ct.store(y, index=(0,), tile=total * last)


@ct.kernel
def loop_with_continue(x, y, n: int):
    total = ct.zeros((8,), ct.float32)
    for i in range(n):
        a = ct.load(x, index=(i,), shape=(8,))
        if ct.min(a) < 0.0:
            continue
        total += a
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def loop_with_return(x, y, n: int):
    for i in range(n):
        a = ct.load(x, index=(i,), shape=(8,))
        if ct.max(a) > 10.0:
            ct.store(y, index=(0,), tile=a)
            return
    ct.store(y, index=(0,), tile=0.0)


@ct.kernel
def while_loop(x, y):
    a = ct.load(x, index=(0,), shape=(8,))
    rounds = 0
    while ct.max(a) > 1.0 and rounds < 30:
        a = a * 0.5
        rounds += 1
    ct.store(y, index=(0,), tile=a + rounds)


@ct.kernel
def endless(x, y):
    """Newton's root until it stands still; two ways out, one more round in the middle."""
    a = ct.load(x, index=(0,), shape=(8,))
    root = a
    steps = 0
    while True:
        steps += 1
        if steps == 2:
            root = root + 1.0
            continue
        following = 0.5 * (root + a / root)
        if ct.max(ct.abs(following - root)) < 1e-6:
            break
        if steps > 20:
            break
        root = following
    ct.store(y, index=(0,), tile=root)


@ct.kernel
def branches(x, y, n: int):
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(8,))
    if n == 0:
        b = a
    elif n > 3:
        b = a * 2.0
        if n > 7:
            b = b + a
    else:
        b = -a
    if i == 0:
        ct.store(y, index=(0,), tile=b)
    elif i == 1:
        return
    ct.store(y, index=(i,), tile=b)


@ct.kernel
def two_values(x, y, flag: bool):
    a = ct.load(x, index=(0,), shape=(8,))
    if flag:
        low, high, count = ct.min(a), ct.max(a), 1
    else:
        low, high, count = ct.max(a), ct.min(a), ct.bid(0)
    ct.store(y, index=(0,), tile=(a - low) / (high - low) * count)


@ct.kernel
def nested(x, y, n: int, m: int):
    total = ct.zeros((4, 4), ct.float32)
    for i in range(n):
        row = ct.zeros((4, 4), ct.float32)
        for j in range(i, m):
            if j % 2 == 0:
                if j > 10:
                    break
                row += ct.load(x, index=(i, j), shape=(4, 4))
        k = 0
        while k < i:
            row = row * 0.5 if k % 2 == 1 else row + 1.0
            k += 1
        total += row
    ct.store(y, index=(0, 0), tile=total)


@ct.kernel
def unrolled(x, y):
    """A loop and a branch that the compiler goes through: none of them is in the file."""
    a = ct.load(x, index=(0,), shape=(8,))
    parts = ()
    for i in ct.static_iter(range(3)):
        if i % 2 == 0:
            parts += (a * i,)
        else:
            parts += (a + i, a - i)
    for part in ct.static_iter(parts):
        a += part
    ct.store(y, index=(0,), tile=a)


@ct.kernel
def conditions(x, y, n: int, m: int):
    """Short circuits and comparisons in a chain."""
    a = ct.load(x, index=(0,), shape=(8,))
    if 0 <= n < m or (m > 5 and not n == 2):
        a = a if n > 1 else -a
    ct.store(y, index=(0,), tile=a)


@ct.kernel
def split_loop(x, y, n: int):
    """A branch on the counter: cuTile cuts the loop in two."""
    total = ct.zeros((8,), ct.float32)
    for i in range(n):
        a = ct.load(x, index=(i,), shape=(8,))
        if i >= 4:
            a = a * 0.5
        total += a
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def whole_grid(y):
    place = ct.bid(0) + ct.num_blocks(0) * (ct.bid(1) + ct.num_blocks(1) * ct.bid(2))
    ct.store(y, index=(place,), tile=place * ct.num_blocks(2))


FLOATS, INTS = [array(ct.float32, 1)] * 2, [ct.int32]
EXPORTS = {
    "counted_loop": (counted_loop, FLOATS + INTS),
    "long_loop": (long_loop, [array(ct.int64, 1), array(ct.int64, 1), ct.int64]),
    "loop_with_break": (loop_with_break, FLOATS + INTS),
    "loop_with_continue": (loop_with_continue, FLOATS + INTS),
    "loop_with_return": (loop_with_return, FLOATS + INTS),
    "while_loop": (while_loop, FLOATS),
    "endless": (endless, FLOATS),
    "branches": (branches, FLOATS + INTS),
    "two_values": (two_values, FLOATS + [ct.bool_]),
    "nested": (nested, [array(ct.float32, 2), array(ct.float32, 2)] + INTS * 2),
    "unrolled": (unrolled, FLOATS),
    "conditions": (conditions, FLOATS + INTS * 2),
    "split_loop": (split_loop, FLOATS + INTS),
    "whole_grid": (whole_grid, [array(ct.int32, 1)]),
}
