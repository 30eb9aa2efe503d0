# SPDX-License-Identifier: Apache-2.0
# A linear layer with bias and tanh-GELU in one kernel, and in two.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO

SQRT_2_PI = 0.7978845608028654


@ct.kernel
def linear_gelu(x, w, bias, y, TM: Const, TN: Const, TK: Const):
    """y = gelu(x w + bias); grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    h = acc + ct.load(bias, index=(j,), shape=(TN,))
    inner = SQRT_2_PI * h * (1.0 + 0.044715 * (h * h))
    ct.store(y, index=(i, j), tile=(0.5 * h * (1.0 + ct.tanh(inner))).astype(y.dtype))


@ct.kernel
def matmul(x, w, h, TM: Const, TN: Const, TK: Const):
    """h = x w; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(TM, TK))):
        a = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        b = ct.load(w, index=(k, j), shape=(TK, TN), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(h, index=(i, j), tile=acc)


@ct.kernel
def bias_gelu(h, bias, y, TM: Const, TN: Const):
    """y = gelu(h + bias), with the polynomial written out; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    x = ct.load(h, index=(i, j), shape=(TM, TN)) + ct.load(bias, index=(j,), shape=(TN,))
    inner = SQRT_2_PI * (x + 0.044715 * x * x * x)
    half = 0.5 * x
    ct.store(y, index=(i, j), tile=(half + half * ct.tanh(inner)).astype(y.dtype))


HALF, FLOAT = array(ct.float16, 2), array(ct.float32, 2)
EXPORTS = {
    "linear_gelu": (linear_gelu, [HALF, HALF, array(ct.float32, 1), HALF, 64, 64, 32]),
    "matmul": (matmul, [HALF, HALF, FLOAT, 64, 64, 64]),
    "bias_gelu": (bias_gelu, [FLOAT, array(ct.float32, 1), HALF, 32, 128]),
}
