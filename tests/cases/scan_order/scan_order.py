# SPDX-License-Identifier: Apache-2.0
# Scans and reductions by functions for which the order of their two values matters, against loops over the elements.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


# Functions of two values: of what is earlier in the sequence, then of what is later. All are associative, none commutes.
def first(a, b):
    return a


def last(a, b):
    return b


def linear(scale_a, shift_a, scale_b, shift_b):
    """h -> scale * h + shift: the map a, and then b."""
    return scale_a * scale_b, shift_a * scale_b + shift_b


def segment(starts_a, sum_a, starts_b, sum_b):
    """Sums that begin anew where a segment starts: at positive elements."""
    return ct.maximum(starts_a, starts_b), ct.where(starts_b > 0, sum_b, sum_a + sum_b)


def matrix(a, b, c, d, e, f, g, h):
    """The product of two matrices [a b; c d]."""
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h


# The same with what is earlier and what is later exchanged: bugs.
def linear_exchanged(scale_a, shift_a, scale_b, shift_b):
    return linear(scale_b, shift_b, scale_a, shift_a)


def segment_exchanged(starts_a, sum_a, starts_b, sum_b):
    return segment(starts_b, sum_b, starts_a, sum_a)


def matrix_exchanged(a, b, c, d, e, f, g, h):
    return matrix(e, f, g, h, a, b, c, d)


def folds(function, one, is_reverse):
    """The scan and the reduction of two tiles."""

    @ct.kernel
    def scans(x, y, p, q, M: Const, N: Const, D: Const):
        a = ct.load(x, index=(0, 0), shape=(M, N))
        b = ct.load(y, index=(0, 0), shape=(M, N))
        c, d = ct.scan((a, b), D, function, (one, 0.0), reverse=is_reverse)
        ct.store(p, index=(0, 0), tile=c)
        ct.store(q, index=(0, 0), tile=d)

    @ct.kernel
    def reduces(x, y, p, q, M: Const, N: Const, D: Const):
        a = ct.load(x, index=(0, 0), shape=(M, N))
        b = ct.load(y, index=(0, 0), shape=(M, N))
        c, d = ct.reduce((a, b), D, function, (one, 0.0), keepdims=True)
        ct.store(p, index=(0, 0), tile=c)
        ct.store(q, index=(0, 0), tile=d)

    return scans, reduces


def loops(function, is_reverse):
    """One step after the other; of a scan all that comes out, of a reduction the end."""

    @ct.kernel
    def steps(x, y, p, q, M: Const, N: Const, D: Const):
        m, n = (1, N) if D == 0 else (M, 1)
        length = M if D == 0 else N
        at = length - 1 if is_reverse else 0
        i, j = (at, 0) if D == 0 else (0, at)
        c = ct.load(x, index=(i, j), shape=(m, n))
        d = ct.load(y, index=(i, j), shape=(m, n))
        ct.store(p, index=(i, j), tile=c)
        ct.store(q, index=(i, j), tile=d)
        for k in range(1, length):
            at = length - 1 - k if is_reverse else k
            i, j = (at, 0) if D == 0 else (0, at)
            c, d = function(c, d, ct.load(x, index=(i, j), shape=(m, n)), ct.load(y, index=(i, j), shape=(m, n)))
            ct.store(p, index=(i, j), tile=c)
            ct.store(q, index=(i, j), tile=d)

    @ct.kernel
    def ends(x, y, p, q, M: Const, N: Const, D: Const):
        m, n = (1, N) if D == 0 else (M, 1)
        c = ct.load(x, index=(0, 0), shape=(m, n))
        d = ct.load(y, index=(0, 0), shape=(m, n))
        for k in range(1, M if D == 0 else N):
            i, j = (k, 0) if D == 0 else (0, k)
            c, d = function(c, d, ct.load(x, index=(i, j), shape=(m, n)), ct.load(y, index=(i, j), shape=(m, n)))
        ct.store(p, index=(0, 0), tile=c)
        ct.store(q, index=(0, 0), tile=d)

    return steps, ends


def kept(function, is_reverse):
    """The first or the last element: of the whole, and up to each."""

    @ct.kernel
    def kept(x, p, r, M: Const, N: Const, D: Const):
        a = ct.load(x, index=(0, 0), shape=(M, N))
        ct.store(p, index=(0, 0), tile=ct.scan(a, D, function, 0.0, reverse=is_reverse))
        ct.store(r, index=(0, 0), tile=ct.reduce(a, D, function, 0.0, keepdims=True))

    return kept


def copied(is_first, is_reverse):
    """The same without a function."""

    @ct.kernel
    def copied(x, p, r, M: Const, N: Const, D: Const):
        m, n = (1, N) if D == 0 else (M, 1)
        length = M if D == 0 else N
        end = 0 if is_first else length - 1
        start = length - 1 if is_reverse else 0
        ct.store(r, index=(0, 0), tile=ct.load(x, index=(end, 0) if D == 0 else (0, end), shape=(m, n)))
        a = ct.load(x, index=(0, 0), shape=(M, N))
        if is_first:
            a = ct.broadcast_to(ct.load(x, index=(start, 0) if D == 0 else (0, start), shape=(m, n)), (M, N))
        ct.store(p, index=(0, 0), tile=a)

    return copied


def products(function):
    """The product of N matrices, and all products on the way; x[i] has element i of each matrix."""

    @ct.kernel
    def products(x, p, r, N: Const):
        a = ct.load(x, index=(0, 0), shape=(1, N)).reshape((N,))
        b = ct.load(x, index=(1, 0), shape=(1, N)).reshape((N,))
        c = ct.load(x, index=(2, 0), shape=(1, N)).reshape((N,))
        d = ct.load(x, index=(3, 0), shape=(1, N)).reshape((N,))
        running = ct.scan((a, b, c, d), 0, function, (1.0, 0.0, 0.0, 1.0))
        whole = ct.reduce((a, b, c, d), 0, function, (1.0, 0.0, 0.0, 1.0))
        for i in ct.static_iter((0, 1, 2, 3)):
            ct.store(p, index=(i, 0), tile=running[i].reshape((1, N)))
            ct.store(r, index=(i, 0), tile=whole[i].reshape((1, 1)))

    return products


@ct.kernel
def product_steps(x, p, r, N: Const):
    m = ct.load(x, index=(0, 0), shape=(4, 1)).reshape((2, 2))
    ct.store(p, index=(0, 0), tile=m.reshape((4, 1)))
    for k in range(1, N):
        b = ct.load(x, index=(0, k), shape=(4, 1)).reshape((2, 2))
        m = ct.sum(m.reshape((2, 2, 1)) * b.reshape((1, 2, 2)), axis=1)
        ct.store(p, index=(0, k), tile=m.reshape((4, 1)))
    ct.store(r, index=(0, 0), tile=m.reshape((4, 1)))


F2 = [array(ct.float32, 2)] * 4
S2 = [array(ct.int32, 2), array(ct.float32, 2)] * 2
EXPORTS = {
    "products": (products(matrix), [array(ct.float32, 2)] * 3 + [128]),
    "products_exchanged": (products(matrix_exchanged), [array(ct.float32, 2)] * 3 + [128]),
    "product_steps": (product_steps, [array(ct.float32, 2)] * 3 + [128]),
}
for name, function, exchanged, one, arrays in (
    ("linear", linear, linear_exchanged, 1.0, F2),
    ("segment", segment, segment_exchanged, -(2**31), S2),
):
    for way, is_reverse in (("", False), ("_reverse", True)):
        for dim, shape in ((0, [256, 4]), (1, [4, 256])):
            scans, reduces = folds(function, one, is_reverse)
            steps, ends = loops(function, is_reverse)
            EXPORTS[f"{name}_scan{way}_{dim}"] = (scans, arrays + shape + [dim])
            EXPORTS[f"{name}_steps{way}_{dim}"] = (steps, arrays + shape + [dim])
            exchanging, reducing = folds(exchanged, one, is_reverse)
            EXPORTS[f"{name}_scan{way}_{dim}_exchanged"] = (exchanging, arrays + shape + [dim])
            if not is_reverse:
                EXPORTS[f"{name}_reduce_{dim}"] = (reduces, arrays + shape + [dim])
                EXPORTS[f"{name}_ends_{dim}"] = (ends, arrays + shape + [dim])
                EXPORTS[f"{name}_reduce_{dim}_exchanged"] = (reducing, arrays + shape + [dim])
for name, function in (("first", first), ("last", last)):
    for way, is_reverse in (("", False), ("_reverse", True)):
        for dim, shape in ((0, [128, 4]), (1, [4, 128])):
            arguments = [array(ct.float32, 2)] * 3 + shape + [dim]
            EXPORTS[f"{name}{way}_{dim}"] = (kept(function, is_reverse), arguments)
            EXPORTS[f"{name}_copied{way}_{dim}"] = (copied(name == "first", is_reverse), arguments)
