# SPDX-License-Identifier: Apache-2.0
# Kernels that test_cutile.py runs and records.
from typing import Annotated

import cuda.tile as ct

Constant = ct.Constant[int]


@ct.kernel
def scale(x, y, s, T: Constant):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)) * s)


@ct.kernel
def add(x, y, z, T: Constant):
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)) + ct.load(y, index=(i,), shape=(T,)))


@ct.kernel
def scale_add(x, y, z, s, T: Constant):
    i = ct.bid(0)
    ct.store(z, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)) * s + ct.load(y, index=(i,), shape=(T,)))


@ct.kernel
def transposed(x, y, T: Constant):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, index=(i, j), tile=ct.load(x, index=(i, j), shape=(T, T)))


@ct.kernel
def total(xs, y, T: Constant):
    found = ct.zeros((T,), ct.float32)
    for k in range(len(xs)):
        found = found + ct.load(xs[k], index=(0,), shape=(T,), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(0,), tile=found)


@ct.kernel
def scalars(pair, flag, number, whole, fraction, y):
    """y = [item 1 of the pair, whole, fraction, number, the pair's first element, flag]"""
    ct.scatter(y, 0, ct.astype(pair[1], ct.float32))
    ct.scatter(y, 1, ct.astype(whole, ct.float32))
    ct.scatter(y, 2, fraction)
    ct.scatter(y, 3, ct.gather(number, ()))
    ct.scatter(y, 4, ct.gather(pair[0], 0))
    if flag:
        ct.scatter(y, 5, 1.0)


@ct.kernel
def far(x, y, T: Constant):
    at = ct.arange(T, dtype=ct.int32) + ct.bid(0) * T
    ct.scatter(y, at, ct.gather(x, at, check_bounds=False), check_bounds=False)


@ct.kernel
def checked(x, y, T: Constant):
    tile = ct.load(x, index=(0,), shape=(T,))
    ct.assert_(tile < 5, "x is too large")
    ct.store(y, index=(0,), tile=tile)


@ct.kernel
def prints(x, T: Constant):
    ct.printf("number %d\n", ct.bid(0))


@ct.kernel
def mixed(x, y, T: Constant):
    ct.store(y, index=(0,), tile=ct.load(x, index=(0,), shape=(T,)))


@ct.kernel
def gathered_scalar(x, y):
    ct.scatter(y, (), ct.gather(x, ()) * 2)


@ct.kernel
def loaded_scalar(x, y):
    ct.store(y, index=(), tile=ct.load(x, index=(), shape=()) * 2)


@ct.kernel
def fixed(x: Annotated[ct.Array, ct.ArrayAnnotation(static_shape_dims=(0,))], y, big: ct.ScalarInt64, T: Constant):
    ct.store(y, index=(0,), tile=ct.load(x, index=(0,), shape=(T,)) + ct.astype(big // 2**32, ct.float32) + x.shape[0])
