# SPDX-License-Identifier: Apache-2.0
# Bytecode 13.3: atan2, approximate exp and tanh, powers of two as a type, block-scaled products; and remainders.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]

VERSION = "13.3"


@ct.kernel
def functions(x, z, y, T: Const):
    i = ct.bid(0)
    a = ct.load(x, index=(0, i), shape=(1, T))
    b = ct.load(z, index=(0, i), shape=(1, T))
    ct.store(y, index=(0, i), tile=ct.atan2(a, b))
    ct.store(y, index=(1, i), tile=ct.exp(a, rounding_mode=ct.RoundingMode.APPROX))
    ct.store(y, index=(2, i), tile=ct.tanh(a, rounding_mode=ct.RoundingMode.APPROX))


@ct.kernel
def remainder(x, z, y, T: Const):
    i = ct.bid(0)
    a = ct.load(x, index=(0, i), shape=(1, T))
    b = ct.load(z, index=(0, i), shape=(1, T))
    ct.store(y, index=(0, i), tile=a % b)


@ct.kernel
def scales(x, f32, bf16, TM: Const, TN: Const):
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN))
    ct.store(f32, index=(i, j), tile=t.astype(ct.float32))
    ct.store(bf16, index=(i, j), tile=t.astype(ct.bfloat16))


@ct.kernel
def block_scaled(x, sx, y, sy, z, TM: Const, TN: Const, TK: Const, BLOCK: Const, F4: Const):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 1.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK))
        b = ct.load(y, index=(k, j), shape=(TK, TN))
        if F4:
            a, b = a.astype(ct.float4_e2m1fn), b.astype(ct.float4_e2m1fn)
        sa = ct.load(sx, index=(i, k), shape=(TM, TK // BLOCK))
        sb = ct.load(sy, index=(k, j), shape=(TK // BLOCK, TN))
        acc = ct.mma_scaled(a, sa, b, sb, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def dequantised(x, sx, y, sy, z, TM: Const, TN: Const, TK: Const, BLOCK: Const, F4: Const):
    """The elements times their scales in bf16, which holds them exactly, then the product."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 1.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK))
        b = ct.load(y, index=(k, j), shape=(TK, TN))
        if F4:
            a, b = a.astype(ct.float4_e2m1fn), b.astype(ct.float4_e2m1fn)
        sa = ct.load(sx, index=(i, k), shape=(TM, TK // BLOCK)).astype(ct.bfloat16)
        sb = ct.load(sy, index=(k, j), shape=(TK // BLOCK, TN)).astype(ct.bfloat16)
        a = a.astype(ct.bfloat16).reshape((TM, TK // BLOCK, BLOCK)) * sa.reshape((TM, TK // BLOCK, 1))
        b = b.astype(ct.bfloat16).reshape((TK // BLOCK, BLOCK, TN)) * sb.reshape((TK // BLOCK, 1, TN))
        acc = ct.mma(a.reshape((TM, TK)), b.reshape((TK, TN)), acc)
    ct.store(z, index=(i, j), tile=acc)


F = array(ct.float32, 2)
E4, E5, E8 = array(ct.float8_e4m3fn, 2), array(ct.float8_e5m2, 2), array(ct.float8_e8m0fnu, 2)
# Arrays of elements and scales, BLOCK, whether the elements are narrowed to f4 before.
SCALED = {
    "f8e4m3": ([E4, E8] * 2, 32, False),
    "f8e5m2": ([E5, E8] * 2, 32, False),
    "f4_e8m0": ([E4, E8] * 2, 32, True),
    "f4_e4m3": ([E4, E4] * 2, 16, True),
}
EXPORTS = {
    "functions_f32": (functions, [F, F, F, 128]),
    "remainder_f32": (remainder, [F, F, F, 128]),
    "remainder_f64": (remainder, [array(ct.float64, 2)] * 3 + [128]),
    "scales": (scales, [array(ct.float8_e8m0fnu, 2), F, array(ct.bfloat16, 2), 8, 64]),
    **{
        f"{kernel}_{name}": (function, [*arrays, F, 16, 16, 64, block, f4])
        for kernel, function in (("block_scaled", block_scaled), ("dequantised", dequantised))
        for name, (arrays, block, f4) in SCALED.items()
    },
}
