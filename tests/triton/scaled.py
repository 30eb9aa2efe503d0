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


E4M3, SCALES = array(ct.float8_e4m3fn, 2), array(ct.float8_e8m0fnu, 2)
EXPORTS = {"matmul_scaled": (matmul_scaled, [E4M3, SCALES, E4M3, SCALES, array(ct.float32, 2), 32, 32, 64])}
