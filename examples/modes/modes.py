# SPDX-License-Identifier: Apache-2.0
# What numeric modes change: a cross product, which no fma should touch, and numbers that pass through the subnormal ones.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def cross(x, y, w, z, T: Const):
    """z[i] = (x, y) cross (2x, 2y + w): which side of a line a point lies on, 0 where w is 0. Products by 2 are exact,
    so without an fma the two products are equal there. cuTile exports `x * v - y * u` as a product and an fma."""
    i = ct.bid(0)
    tx = ct.load(x, index=(i,), shape=(T,))
    ty = ct.load(y, index=(i,), shape=(T,))
    tw = ct.astype(ct.load(w, index=(i,), shape=(T,)), ct.float32)
    u = tx * 2.0
    v = ty * 2.0 + tw
    ct.store(z, index=(i,), tile=tx * v - ty * u)


@ct.kernel
def rescale(x, z, T: Const):
    """x * 2^-120 * 2^120: where |x| is below 2^-6, the number in between is subnormal."""
    i = ct.bid(0)
    small = ct.load(x, index=(i,), shape=(T,)) * 2.0**-120
    ct.store(z, index=(i,), tile=small * 2.0**120)


VECTOR = array(ct.float32, 1)
EXPORTS = {
    "cross": (cross, [VECTOR, VECTOR, array(ct.int32, 1), VECTOR, 64]),
    "rescale": (rescale, [VECTOR, VECTOR, 64]),
}
