# SPDX-License-Identifier: Apache-2.0
# Copies of two-dimensional arrays: the reference variant of the cases whose expected bits are in a file.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def copy(x, y, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    ct.store(y, index=(i, j), tile=ct.load(x, index=(i, j), shape=(TM, TN)))


TYPES = {
    "f64": ct.float64,
    "f32": ct.float32,
    "f16": ct.float16,
    "bf16": ct.bfloat16,
    "f8e4m3fn": ct.float8_e4m3fn,
    "f8e5m2": ct.float8_e5m2,
    "i64": ct.int64,
    "i32": ct.int32,
    "i16": ct.int16,
    "i8": ct.int8,
}
EXPORTS = {"copy_" + name: (copy, [array(dtype, 2), array(dtype, 2), 8, 128]) for name, dtype in TYPES.items()}
