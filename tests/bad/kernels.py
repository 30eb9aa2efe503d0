# SPDX-License-Identifier: Apache-2.0
# Kernels that fail, given the right input.
import cuda.tile as ct

Const = ct.Constant[int]


@ct.kernel
def copy_tile(x, y, T: Const):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)))


@ct.kernel
def gather_unchecked(x, where, y, T: Const):
    i = ct.bid(0)
    at = ct.load(where, index=(i,), shape=(T,))
    ct.store(y, index=(i,), tile=ct.gather(x, at, mask=at >= 0, check_bounds=False))


@ct.kernel
def scatter_unchecked(x, where, y, T: Const):
    i = ct.bid(0)
    at = ct.load(where, index=(i,), shape=(T,))
    ct.scatter(y, at, ct.load(x, index=(i,), shape=(T,)), check_bounds=False)


@ct.kernel
def checked_sqrt(x, y, T: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i,), shape=(T,))
    ct.assert_(t >= 0, "a negative number under the root")
    ct.store(y, index=(i,), tile=ct.sqrt(t))
