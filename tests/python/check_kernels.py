# SPDX-License-Identifier: Apache-2.0
# SwiGLU as one kernel and as two, and wrong ones, for test_check.py.
import enum
import types

import cuda.tile as ct
import numpy as np


@ct.kernel
def swiglu(gate, up, out, T: ct.Constant[int]):
    i = ct.bid(0)
    g = ct.load(gate, index=(i,), shape=(T,))
    u = ct.load(up, index=(i,), shape=(T,))
    ct.store(out, index=(i,), tile=g / (1.0 + ct.exp(-g)) * u)


@ct.kernel
def sigmoid(gate, s, T: ct.Constant[int]):
    i = ct.bid(0)
    g = ct.load(gate, index=(i,), shape=(T,))
    ct.store(s, index=(i,), tile=1.0 / (1.0 + ct.exp(-g)))


@ct.kernel
def product(gate, up, s, out, T: ct.Constant[int]):
    i = ct.bid(0)
    g = ct.load(gate, index=(i,), shape=(T,))
    u = ct.load(up, index=(i,), shape=(T,))
    ct.store(out, index=(i,), tile=g * u * ct.load(s, index=(i,), shape=(T,)))


@ct.kernel
def doubled(x, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(x, index=(i,), tile=2 * ct.load(x, index=(i,), shape=(T,)))


@ct.kernel
def added_in_place(x, out, T: ct.Constant[int], MORE: ct.Constant[int]):
    i = ct.bid(0)
    sum = ct.load(x, index=(i,), shape=(T,)) + ct.load(out, index=(i,), shape=(T,))
    ct.store(out, index=(i,), tile=sum + MORE)


@ct.kernel
def beyond(x, T: ct.Constant[int]):
    ct.store(x, index=(1000,), tile=ct.zeros((T,), x.dtype))


@ct.kernel
def times(x, y, s, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)) * s)


@ct.kernel
def added(x, y, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)) + ct.load(y, index=(i,), shape=(T,)))


@ct.kernel
def row_sums(x, y, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.sum(ct.load(x, index=(i, 0), shape=(1, T)), axis=1))


@ct.kernel
def square_doubled(x, y, T: ct.Constant[int]):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, index=(i, j), tile=2 * ct.load(x, index=(i, j), shape=(T, T)))


@ct.kernel
def times_each(x, w, y, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)) * ct.load(w, index=(i,), shape=(T,)))


SCALE = 2.0


@ct.kernel
def times_global(x, y, T: ct.Constant[int]):
    i = ct.bid(0)
    ct.store(y, index=(i,), tile=ct.load(x, index=(i,), shape=(T,)) * SCALE)


class Mode(enum.Enum):
    two, three = 2.0, 3.0


def make_helper(scale):
    def helper(tile, more=scale):
        return tile * scale * more

    return helper


helpers = types.ModuleType("helpers")
helpers.SCALE, helpers.MODE, helpers.made, helpers.PAIR = 2.0, Mode.two, make_helper(2.0), (ct.float32, 2.0)


def make_kernel():
    @ct.kernel
    def times_all(x, y, T: ct.Constant[int]):
        i = ct.bid(0)
        tile = helpers.made(ct.load(x, index=(i,), shape=(T,))) * x.shape[0]
        ct.store(y, index=(i,), tile=tile * helpers.SCALE * helpers.MODE.value * helpers.PAIR[1])

    return times_all


def grid(x, tile):
    return (ct.cdiv(len(x), tile),)


def launch(kernel, x, tile, *arguments):
    ct.launch(None, grid(x, tile), kernel, (*arguments, tile))


def scaled(x, s):
    y = np.empty_like(x)
    launch(times, x, 16, x, y, s)
    return y


def multiplied(x, w):
    y = np.empty_like(x)
    launch(times_each, x, 16, x, w, y)
    return y


def doubled_square(x):
    y = np.zeros_like(x)
    ct.launch(None, (len(x) // 16, len(x) // 16), square_doubled, (x, y, 16))
    return y


def two(gate, up):
    s, out = np.empty_like(gate), np.empty_like(gate)
    launch(sigmoid, gate, 128, gate, s)
    launch(product, gate, 128, gate, up, s, out)
    return out


def one(gate, up):
    y = np.empty_like(gate)
    launch(swiglu, gate, 256, gate, up, y)
    return y


def swapped(gate, up):
    y = np.empty_like(gate)
    launch(swiglu, gate, 256, up, gate, y)
    return y


def into(gate, up, out, name):
    launch(swiglu, gate, 256, *((gate, up) if name == "one" else (up, gate)), out)


def both(gate, up):
    s, out = np.empty_like(gate), np.empty_like(gate)
    launch(sigmoid, gate, 128, gate, s)
    launch(product, gate, 128, gate, up, s, out)
    return out, {"s": s}


def both_renamed(gate, up):
    first, second = np.empty_like(gate), np.empty_like(gate)
    launch(swiglu, gate, 64, gate, up, second)
    launch(sigmoid, gate, 64, gate, first)
    return second, {"s": first}


def doubled_in_place(x):
    launch(doubled, x, 16, x)
    return x


def broken(gate, up):
    y = np.empty_like(gate)
    launch(beyond, gate, 256, y)
    return y


def counts(gate, up):
    one(gate, up)
    return 3


def elsewhere(gate, up):
    one(gate, up)
    return np.zeros(4)


def stores_elsewhere(x):
    scaled(x, 1.0)
