# SPDX-License-Identifier: Apache-2.0
# Integer operations, one row of the result for each.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def arithmetic(x, z, y, T: Const):
    """z is never 0."""
    i = ct.bid(0)
    a, b = ct.load(x, index=(0, i), shape=(1, T)), ct.load(z, index=(0, i), shape=(1, T))
    ct.store(y, index=(0, i), tile=a + b)
    ct.store(y, index=(1, i), tile=a - b)
    ct.store(y, index=(2, i), tile=a * b)
    ct.store(y, index=(3, i), tile=a // b)
    ct.store(y, index=(4, i), tile=a % b)
    ct.store(y, index=(5, i), tile=ct.cdiv(a, b))
    ct.store(y, index=(6, i), tile=ct.minimum(a, b))
    ct.store(y, index=(7, i), tile=ct.maximum(a, b))
    ct.store(y, index=(8, i), tile=-a)
    ct.store(y, index=(9, i), tile=ct.abs(a))


@ct.kernel
def arithmetic_unsigned(x, z, y, T: Const):
    """Without // (cuTile 1.7 writes a rounding for it that Tile IR does not allow on unsigned numbers)."""
    i = ct.bid(0)
    a, b = ct.load(x, index=(0, i), shape=(1, T)), ct.load(z, index=(0, i), shape=(1, T))
    ct.store(y, index=(0, i), tile=a + b)
    ct.store(y, index=(1, i), tile=a - b)
    ct.store(y, index=(2, i), tile=a * b)
    ct.store(y, index=(3, i), tile=a % b)
    ct.store(y, index=(4, i), tile=ct.cdiv(a, b))
    ct.store(y, index=(5, i), tile=ct.minimum(a, b))
    ct.store(y, index=(6, i), tile=ct.maximum(a, b))


@ct.kernel
def logic(x, z, y, BITS: Const, T: Const):
    i = ct.bid(0)
    a, b = ct.load(x, index=(0, i), shape=(1, T)), ct.load(z, index=(0, i), shape=(1, T))
    by = b & (BITS - 1)
    ct.store(y, index=(0, i), tile=a & b)
    ct.store(y, index=(1, i), tile=a | b)
    ct.store(y, index=(2, i), tile=a ^ b)
    ct.store(y, index=(3, i), tile=~a)
    ct.store(y, index=(4, i), tile=a << by)
    ct.store(y, index=(5, i), tile=a >> by)
    ct.store(y, index=(6, i), tile=ct.where(a < b, a, b))
    ct.store(y, index=(7, i), tile=ct.where(a >= b, a, b))
    ct.store(y, index=(8, i), tile=ct.where((a == b) | (a != 0), a, b))


TYPES = {
    "i8": (ct.int8, 8),
    "i16": (ct.int16, 16),
    "i32": (ct.int32, 32),
    "i64": (ct.int64, 64),
    "u8": (ct.uint8, 8),
    "u32": (ct.uint32, 32),
    "u64": (ct.uint64, 64),
}
EXPORTS = {}
for name, (dtype, width) in TYPES.items():
    EXPORTS["arithmetic_" + name] = (
        arithmetic if name[0] == "i" else arithmetic_unsigned,
        [array(dtype, 2)] * 3 + [64],
    )
    EXPORTS["logic_" + name] = (logic, [array(dtype, 2)] * 3 + [width, 64])
