# SPDX-License-Identifier: Apache-2.0
# The matrix products that the benchmark times: large tiles, as a GPU kernel would use them, and smaller ones.
import cuda.tile as ct
from export import array

VERSION = "13.3"
Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def matmul(x, y, z, TM: Const, TN: Const, TK: Const):
    """z = x y; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0, dtype=z.dtype)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def matmul_tf32(x, y, z, TM: Const, TN: Const, TK: Const):
    """The operands are rounded to tf32."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO).astype(ct.tfloat32)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO).astype(ct.tfloat32)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def matmul_transposed(x, y, z, TM: Const, TN: Const, TK: Const):
    """z = x y^T, as attention multiplies Q and K."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=z.dtype)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(j, k), shape=(TN, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.permute(b, (1, 0)), acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def matmul_rescaled(x, y, z, TM: Const, TN: Const, TK: Const):
    """The sums are multiplied by a number (1) in every round, as attention does."""
    i, j = ct.bid(0), ct.bid(1)
    acc, one = ct.full((TM, TN), 0.0, dtype=z.dtype), ct.full((TM, 1), 1.0, dtype=z.dtype)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc * one)
        one = ct.maximum(one, one * one)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def matmul_scaled(x, y, z, xs, ys, TM: Const, TN: Const, TK: Const, BLOCK: Const):
    """A scale for each BLOCK neighbours along the depth."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        s = ct.load(xs, index=(i, k), shape=(TM, TK // BLOCK), padding_mode=ZERO)
        t = ct.load(ys, index=(k, j), shape=(TK // BLOCK, TN), padding_mode=ZERO)
        acc = ct.mma_scaled(a, s, b, t, acc)
    ct.store(z, index=(i, j), tile=acc)


def pairs(x, i, k, M, K):
    """M rows of K numbers of four bits, two in a byte."""
    halves = ct.load(x, index=(i, k), shape=(M, K // 2), padding_mode=ZERO).reshape((M * K // 2,))
    return ct.unpack_from_bytes(halves, ct.float4_e2m1fn).reshape((M, K))


@ct.kernel
def matmul_scaled_4(x, y, z, xs, ys, TM: Const, TN: Const, TK: Const, BLOCK: Const):
    """y and its scales have the depth in rows."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(xs, axis=1, shape=(TM, TK // BLOCK))):
        a, b = pairs(x, i, k, TM, TK), ct.permute(pairs(y, j, k, TN, TK), (1, 0))
        s = ct.load(xs, index=(i, k), shape=(TM, TK // BLOCK), padding_mode=ZERO)
        t = ct.load(ys, index=(j, k), shape=(TN, TK // BLOCK), padding_mode=ZERO)
        acc = ct.mma_scaled(a, s, b, ct.permute(t, (1, 0)), acc)
    ct.store(z, index=(i, j), tile=acc)


F16, BF16, F32, F64 = ct.float16, ct.bfloat16, ct.float32, ct.float64
E4M3, E5M2, E8M0 = ct.float8_e4m3fn, ct.float8_e5m2, ct.float8_e8m0fnu


def of(kernel, operand, result=F32, tile=(128, 128, 64), rhs=None):
    return kernel, [array(operand, 2), array(rhs or operand, 2), array(result, 2), *tile]


def scaled(kernel, operand, scale, block):
    return kernel, [*(array(t, 2) for t in (operand, operand, F32, scale, scale)), 128, 128, 64, block]


SHAPES = [(64, 64, 32), (128, 256, 64), (128, 128, 128), (32, 32, 32), (16, 16, 16)]
EXPORTS = {
    "matmul_f16": of(matmul, F16),
    "matmul_bf16": of(matmul, BF16),
    "matmul_e4m3": of(matmul, E4M3),
    "matmul_e5m2": of(matmul, E5M2),
    "matmul_f32": of(matmul, F32),
    "matmul_tf32": of(matmul_tf32, F32),
    "matmul_f64": of(matmul, F64, F64),
    "matmul_f16_f16": of(matmul, F16, F16),
    "matmul_e4m3_f16": of(matmul, E4M3, F16),
    "matmul_i8": of(matmul, ct.int8, ct.int32),
    "matmul_u8": of(matmul, ct.uint8, ct.int32),
    "matmul_u8_i8": of(matmul, ct.uint8, ct.int32, rhs=ct.int8),
    "matmul_i8_u8": of(matmul, ct.int8, ct.int32, rhs=ct.uint8),
    "matmul_mxfp8": scaled(matmul_scaled, E4M3, E8M0, 32),
    "matmul_mxfp4": scaled(matmul_scaled_4, ct.uint8, E8M0, 32),
    "matmul_nvfp4": scaled(matmul_scaled_4, ct.uint8, E4M3, 16),
    "matmul_f16_transposed": of(matmul_transposed, F16),
    "matmul_f32_transposed": of(matmul_transposed, F32),
    "matmul_f16_rescaled": of(matmul_rescaled, F16),
    "matmul_f32_rescaled": of(matmul_rescaled, F32),
    **{f"matmul_{name}_{m}x{n}x{k}": of(matmul, dtype, tile=(m, n, k)) for name, dtype in (("f16", F16), ("f32", F32)) for m, n, k in SHAPES},
}
