# SPDX-License-Identifier: Apache-2.0
# The kernels of the comparison with the real Triton that need bytecode 13.3: block-scaled products.
import cuda.tile as ct
from export import array

VERSION = "13.3"
Const = ct.Constant[int]


@ct.kernel
def matmul_scaled(x, xs, y, ys, z, M: Const, N: Const, K: Const):
    a, b = ct.load(x, index=(0, 0), shape=(M, K)), ct.load(y, index=(0, 0), shape=(K, N))
    left = ct.load(xs, index=(0, 0), shape=(M, K // 32))
    right = ct.load(ys, index=(0, 0), shape=(K // 32, N), order=(1, 0))
    ct.store(z, index=(0, 0), tile=ct.mma_scaled(a, left, b, right, ct.full((M, N), 0.0, dtype=ct.float32)))


def pairs(x, M, K):
    """M rows of K numbers of four bits, two in a byte."""
    halves = ct.load(x, index=(0, 0), shape=(M, K // 2)).reshape((M * K // 2,))
    return ct.unpack_from_bytes(halves, ct.float4_e2m1fn).reshape((M, K))


@ct.kernel
def matmul_scaled_4(x, xs, y, ys, z, M: Const, N: Const, K: Const):
    a, b = pairs(x, M, K), ct.permute(pairs(y, N, K), (1, 0))
    left = ct.load(xs, index=(0, 0), shape=(M, K // 32))
    right = ct.load(ys, index=(0, 0), shape=(K // 32, N), order=(1, 0))
    ct.store(z, index=(0, 0), tile=ct.mma_scaled(a, left, b, right, ct.full((M, N), 0.0, dtype=ct.float32)))


@ct.kernel
def matmul_scaled_nv(x, xs, y, ys, z, M: Const, N: Const, K: Const):
    a, b = pairs(x, M, K), ct.permute(pairs(y, N, K), (1, 0))
    left = ct.load(xs, index=(0, 0), shape=(M, K // 16))
    right = ct.load(ys, index=(0, 0), shape=(K // 16, N), order=(1, 0))
    ct.store(z, index=(0, 0), tile=ct.mma_scaled(a, left, b, right, ct.full((M, N), 0.0, dtype=ct.float32)))


BYTES, E4M3, SCALES = array(ct.uint8, 2), array(ct.float8_e4m3fn, 2), array(ct.float8_e8m0fnu, 2)
E5M2, FLOAT = array(ct.float8_e5m2, 2), array(ct.float32, 2)
EXPORTS = {
    "matmul_scaled": (matmul_scaled, [E4M3, SCALES, E4M3, SCALES, FLOAT, 32, 32, 64]),
    "matmul_scaled_e5m2": (matmul_scaled, [E5M2, SCALES, E5M2, SCALES, FLOAT, 32, 32, 64]),
    "matmul_scaled_4": (matmul_scaled_4, [BYTES, SCALES, BYTES, SCALES, FLOAT, 32, 32, 64]),
    "matmul_scaled_nv": (matmul_scaled_nv, [BYTES, E4M3, BYTES, E4M3, FLOAT, 32, 32, 64]),
}
