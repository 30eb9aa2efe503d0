# SPDX-License-Identifier: Apache-2.0
# z = x y^T in cuTile, for gemm.yaml; examples/ptx/gemm_gluon.py has it in Gluon, gemm_triton.py in Triton.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def gemm(x, y, z, TM: Const, TN: Const, TK: Const):
    """Grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(y, index=(j, k), shape=(TN, TK), padding_mode=ZERO)
        acc = ct.mma(a, ct.permute(b, (1, 0)), acc)
    ct.store(z, index=(i, j), tile=acc.astype(z.dtype))


HALF = array(ct.float16, 2)
EXPORTS = {"gemm": (gemm, [HALF, HALF, HALF, 64, 64, 64])}
