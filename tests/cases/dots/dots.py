# SPDX-License-Identifier: Apache-2.0
# Matrix products of every operand type, in tiles of different sizes and orders.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def matmul(x, y, z, TM: Const, TN: Const, TK: Const):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0, dtype=z.dtype)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def matmul_tf32(x, y, z, TM: Const, TN: Const, TK: Const):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO).astype(ct.tfloat32)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO).astype(ct.tfloat32)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def outer_products(x, y, z, TM: Const, TN: Const):
    """As matmul without a dot: one column of x times one row of y at a time."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0, dtype=z.dtype)
    for k in range(x.shape[1]):
        a = ct.load(x, index=(i, k), shape=(TM, 1), padding_mode=ZERO).astype(z.dtype)
        b = ct.load(y, index=(k, j), shape=(1, TN), padding_mode=ZERO).astype(z.dtype)
        acc += a * b
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def matmul_transposed(x, y, z, TM: Const, TN: Const, TK: Const):
    """z = (y^T x^T)^T, with y read through the order of a view and x turned in the tile."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TN, TM), 0, dtype=z.dtype)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(j, k), shape=(TN, TK), order=(1, 0), padding_mode=ZERO)
        acc = ct.mma(b, ct.transpose(a), acc)
    ct.store(z, index=(i, j), tile=ct.transpose(acc))


@ct.kernel
def batched(x, y, z, B: Const, TM: Const, TN: Const, TK: Const):
    """A product for each of B matrices at once."""
    i, j, b = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.full((B, TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=2, shape=(B, TM, TK))):
        a = ct.load(x, index=(b, i, k), shape=(B, TM, TK), padding_mode=ZERO)
        c = ct.load(y, index=(b, k, j), shape=(B, TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, c, acc)
    ct.store(z, index=(b, i, j), tile=acc)


TYPES = {
    "f16": (ct.float16, ct.float32),
    "f16_f16": (ct.float16, ct.float16),
    "bf16": (ct.bfloat16, ct.float32),
    "f32": (ct.float32, ct.float32),
    "f64": (ct.float64, ct.float64),
    "f8e4m3fn": (ct.float8_e4m3fn, ct.float32),
    "f8e5m2": (ct.float8_e5m2, ct.float32),
    "f8e4m3fn_f16": (ct.float8_e4m3fn, ct.float16),
    "i8": (ct.int8, ct.int32),
}
EXPORTS = {}
for name, (operand, result) in TYPES.items():
    arrays = [array(operand, 2), array(operand, 2), array(result, 2)]
    EXPORTS["matmul_" + name] = (matmul, [*arrays, 32, 32, 32])
    EXPORTS["wide_" + name] = (matmul, [*arrays, 16, 64, 128])
    EXPORTS["outer_products_" + name] = (outer_products, [*arrays, 16, 16])
    EXPORTS["transposed_" + name] = (matmul_transposed, [*arrays, 64, 16, 16])
EXPORTS["matmul_tf32"] = (matmul_tf32, [array(ct.float32, 2)] * 3 + [32, 32, 32])
EXPORTS["wide_tf32"] = (matmul_tf32, [array(ct.float32, 2)] * 3 + [16, 64, 64])
EXPORTS["batched_1"] = (batched, [array(ct.float16, 3), array(ct.float16, 3), array(ct.float32, 3), 1, 32, 32, 64])
EXPORTS["batched_4"] = (batched, [array(ct.float16, 3), array(ct.float16, 3), array(ct.float32, 3), 4, 16, 64, 16])
EXPORTS["batched_2"] = (batched, [array(ct.float16, 3), array(ct.float16, 3), array(ct.float32, 3), 2, 128, 128, 64])
for name in ("f16", "f32"):  # large enough for tile registers
    operand, result = TYPES[name]
    arrays = [array(operand, 2), array(operand, 2), array(result, 2)]
    EXPORTS["turned_" + name] = (matmul_transposed, [*arrays, 128, 128, 64])
