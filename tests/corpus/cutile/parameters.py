# SPDX-License-Identifier: Apache-2.0
# Parameters: scalars of every type, tuples, constants, known dimensions; several entries in one module.
from typing import Annotated

import cuda.tile as ct
from export import array


@ct.kernel
def scalars(y, a, b, c, d, e, f, g, h):
    total = ct.zeros((4,), ct.float64)
    for value in ct.static_iter((a, b, c, d, e, f, g, h)):
        total += ct.astype(value, ct.float64)
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def small_scalars(y, a, b, c, d, e):
    total = ct.zeros((4,), ct.float32)
    for value in ct.static_iter((a, b, c, d, e)):
        total += ct.astype(value, ct.float32)
    ct.store(y, index=(0,), tile=total)


@ct.kernel
def tuples(pair, triple, T: ct.Constant[int]):
    x, y = pair
    scale, shift, flag = triple
    a = ct.load(x, index=(ct.bid(0),), shape=(T,)) * scale + shift
    ct.store(y, index=(ct.bid(0),), tile=a if flag else -a)


@ct.kernel
def nothing():
    return


@ct.kernel
def known_dimensions(x: Annotated[ct.Array, ct.ArrayAnnotation(static_shape_dims=(0, -1), static_stride_dims=(0, 1))], y):
    n, m = x.shape
    a = ct.load(x, index=(0, 0), shape=(2, 4))
    ct.store(y, index=(0, 0), tile=a * (n * m) + x.strides[0])


@ct.kernel
def big(x: ct.IndexedWithInt64, y, n: ct.ScalarInt64):
    a = ct.load(x, index=(n, ct.bid(0)), shape=(4, 4))
    ct.store(y, index=(ct.bid(0), 0), tile=a * x.shape[0])


def copies(T):
    @ct.kernel
    def copies(x, y, scale: ct.Constant):
        ct.store(y, index=(ct.bid(0),), tile=ct.load(x, index=(ct.bid(0),), shape=(T,)) * scale)
    return copies


def known(dtype, shape):
    strides = [1] * len(shape)
    for i in reversed(range(len(shape) - 1)):
        strides[i] = strides[i + 1] * shape[i + 1]
    rules = dict(index_dtype=ct.int32, stride_lower_bound_incl=0, alias_groups=(), may_alias_internally=False)
    return ct.compilation.ArrayConstraint(dtype, len(shape), shape_constant=shape, stride_constant=strides, **rules)


F32, F16 = array(ct.float32, 1), array(ct.float16, 1)
EXPORTS = {
    "scalars": (scalars, [array(ct.float64, 1), ct.bool_, ct.int8, ct.int16, ct.int32, ct.int64, ct.float16, ct.float32, ct.float64]),
    "unsigned_scalars": (scalars, [array(ct.float64, 1), ct.bool_, ct.uint8, ct.uint16, ct.uint32, ct.uint64, ct.bfloat16, ct.float32, ct.float64]),
    "small_scalars": (small_scalars, [F32, ct.float8_e4m3fn, ct.float8_e5m2, ct.float16, ct.bfloat16, ct.int8]),
    "tuples": (tuples, [ct.compilation.TupleConstraint((F32, F32)), ct.compilation.TupleConstraint((
        ct.compilation.ScalarConstraint(ct.float32), 0.5, ct.compilation.ScalarConstraint(ct.bool_))), 8]),
    "nothing": (nothing, []),
    "known_dimensions": (known_dimensions, [known(ct.float32, (6, 4)), array(ct.float32, 2)]),
    "big": (big, [array(ct.float16, 2, ct.int64), array(ct.float16, 2), ct.int64]),
    "copies": (copies(8), [F32, F32, 2.0], dict(more=([F16, F16, 0.25], [array(ct.int8, 1), array(ct.int8, 1), 3]))),
}
