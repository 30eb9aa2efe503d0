# SPDX-License-Identifier: Apache-2.0
# Tiles that reach over the edge of their array: each padding value on loads, and stores that leave the rest alone.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


def pad_with(mode):
    @ct.kernel
    def pad(x, y, TM: Const, TN: Const):
        """y has room for whole tiles; x ends inside the last ones."""
        i, j = ct.bid(0), ct.bid(1)
        ct.store(y, index=(i, j), tile=ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=mode))

    return pad


@ct.kernel
def scale_rows(x, y, factor: float, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, index=(i, j), tile=ct.load(x, index=(i, j), shape=(TM, TN)) * factor)


@ct.kernel
def cube(x, y, A: Const, B: Const, C: Const):
    i, j, k = ct.bid(0), ct.bid(1), ct.bid(2)
    t = ct.load(x, index=(i, j, k), shape=(A, B, C), padding_mode=ct.PaddingMode.ZERO)
    ct.store(y, index=(i, j, k), tile=t * t + t)


EXPORTS = {}
for name, mode in {
    "zero": ct.PaddingMode.ZERO,
    "neg_zero": ct.PaddingMode.NEG_ZERO,
    "pos_inf": ct.PaddingMode.POS_INF,
    "neg_inf": ct.PaddingMode.NEG_INF,
    "nan": ct.PaddingMode.NAN,
}.items():
    EXPORTS["pad_f32_" + name] = (pad_with(mode), [array(ct.float32, 2)] * 2 + [8, 16])
    EXPORTS["pad_f16_" + name] = (pad_with(mode), [array(ct.float16, 2)] * 2 + [8, 16])
EXPORTS["pad_i32_zero"] = (pad_with(ct.PaddingMode.ZERO), [array(ct.int32, 2)] * 2 + [8, 16])
for shape in ((1, 128), (16, 8), (32, 64), (2, 1)):
    EXPORTS["scale_rows_%dx%d" % shape] = (scale_rows, [array(ct.float32, 2)] * 2 + [ct.float32, *shape])
EXPORTS["cube_small"] = (cube, [array(ct.float32, 3)] * 2 + [1, 2, 8])
EXPORTS["cube_large"] = (cube, [array(ct.float32, 3)] * 2 + [8, 4, 32])
