# SPDX-License-Identifier: Apache-2.0
# The matrix products that the benchmark times: large tiles, as a GPU kernel would use them.
import cuda.tile as ct
from export import array


@ct.kernel
def matmul(x, y, z, TM: ct.Constant[int], TN: ct.Constant[int], TK: ct.Constant[int]):
    """z = x y; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ct.PaddingMode.ZERO)
        b = ct.load(y, index=(k, j), shape=(TK, TN), padding_mode=ct.PaddingMode.ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc)


HALF, FLOAT = array(ct.float16, 2), array(ct.float32, 2)
EXPORTS = {
    "matmul_f16": (matmul, [HALF, HALF, FLOAT, 128, 128, 64]),
    "matmul_f32": (matmul, [FLOAT, FLOAT, FLOAT, 128, 128, 64]),
}
