# SPDX-License-Identifier: Apache-2.0
# Reductions and scans whose bodies divide integers, against the same without.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def dividing(x, p, rows, columns, running, one, M: Const, N: Const):
    m = ct.gather(p, 0)
    t = ct.load(x, index=(0, 0), shape=(M, N))
    ct.store(rows, index=(0,), tile=ct.reduce(t, 1, lambda a, b: (a + b) % m, 0))
    ct.store(columns, index=(0,), tile=ct.reduce(t, 0, lambda a, b: ct.minimum(a, b) + a % b // (b + 1), 1))
    ct.store(running, index=(0, 0), tile=ct.scan(t, 0, lambda a, b: (a + b) % m, 0))
    ct.store(one, index=(0,), tile=ct.scan(ct.load(x, index=(1, 0), shape=(1, N)).reshape((N,)), 0, lambda a, b: a + b + b % a // (a + 1), 0))


@ct.kernel
def dividing_later(x, p, rows, columns, running, one, M: Const, N: Const):
    m = ct.gather(p, 0)
    t = ct.load(x, index=(0, 0), shape=(M, N))
    ct.store(rows, index=(0,), tile=ct.sum(t, axis=1) % m)
    ct.store(columns, index=(0,), tile=ct.min(t, axis=0))
    ct.store(running, index=(0, 0), tile=ct.cumsum(t, axis=0) % m)
    ct.store(one, index=(0,), tile=ct.cumsum(ct.load(x, index=(1, 0), shape=(1, N)).reshape((N,)), axis=0))


EXPORTS = {}
for kernel in dividing, dividing_later:
    for name, dtype in {"i32": ct.int32, "i8": ct.int8, "i64": ct.int64}.items():
        arrays = [array(dtype, 2), array(dtype, 1), array(dtype, 1), array(dtype, 1), array(dtype, 2), array(dtype, 1)]
        EXPORTS[f"{kernel._pyfunc.__name__}_{name}"] = kernel, [*arrays, 8, 32]
