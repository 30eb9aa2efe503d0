# SPDX-License-Identifier: Apache-2.0
# What is large: hundreds of values, deep nesting, many carried values, big and odd shapes, many parameters.
import cuda.tile as ct
from export import array


@ct.kernel
def many_values(x, y):
    """More than 255 values: numbers of two bytes in the file."""
    a = ct.load(x, index=(0,), shape=(4,))
    for i in ct.static_iter(range(66)):
        a = a * a + (i % 3)
    ct.store(y, index=(0,), tile=a)


@ct.kernel
def deep(x, y, n: int):
    """Loops and branches in each other."""
    a = ct.load(x, index=(0,), shape=(4,))
    for i in range(n):
        if i > 0:
            for j in range(i):
                while ct.max(a) > 1.0:
                    if j > 2:
                        if j > 4:
                            for k in range(j, i):
                                if k == 3:
                                    a = a + 1.0
                                else:
                                    a = a - 0.5
                        else:
                            a = a * 0.25
                    a = a * 0.5
    ct.store(y, index=(0,), tile=a)


@ct.kernel
def many_carried(x, y, n: int):
    """Sixteen values through a loop, turned each round."""
    parts = ()
    for i in ct.static_iter(range(16)):
        parts += (ct.load(x, index=(i,), shape=(2,)),)
    a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q = parts
    for _ in range(n):
        a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q = b, c, d, e, f, g, h, i, j, k, l, m, o, p, q, a + b
    ct.store(y, index=(0,), tile=a + q)


@ct.kernel
def big_tiles(x, y):
    a = ct.load(x, index=(0, ct.bid(0)), shape=(64, 256), padding_mode=ct.PaddingMode.ZERO)
    b = ct.sum(a.reshape((16, 4, 8, 32)), axis=(1, 3)).astype(y.dtype)
    ct.store(y, index=(ct.bid(0), 0), tile=b)


@ct.kernel
def eight_dimensions(x, y):
    a = ct.load(x, index=(0, 0, 0, 0, 0, 0, ct.bid(0), ct.bid(1)), shape=(1, 2, 1, 2, 1, 2, 1, 2))
    b = ct.permute(a, (7, 6, 5, 4, 3, 2, 1, 0))
    ct.store(y, index=(0, ct.bid(0), 0, 0, ct.bid(1), 0, 0, 0), tile=b)


@ct.kernel
def thirty_parameters(y, first, second):
    total = 0
    for value in ct.static_iter(first + second):
        total = total * 2 + value
    ct.store(y, index=(0,), tile=total)


F32 = array(ct.float32, 1)
INT = ct.compilation.ScalarConstraint(ct.int32)
EXPORTS = {
    "many_values": (many_values, [F32, F32]),
    "deep": (deep, [F32, F32, ct.int32]),
    "many_carried": (many_carried, [F32, F32, ct.int32]),
    "big_tiles": (big_tiles, [array(ct.bfloat16, 2), array(ct.float32, 2)]),
    "eight_dimensions": (eight_dimensions, [array(ct.float64, 8), array(ct.float64, 8)]),
    "thirty_parameters": (thirty_parameters, [array(ct.int32, 1), ct.compilation.TupleConstraint((INT,) * 16),
                                              ct.compilation.TupleConstraint((INT,) * 14)]),
}
