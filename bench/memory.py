# SPDX-License-Identifier: Apache-2.0
# Attention at the size of which the benchmark measures how much memory its verdict takes.
import math

import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def flash(q, k, v, o, scale: float, D: Const, TM: Const, TN: Const):
    """o = softmax(q k^T scale) v in base 2 (scale holds log2(e)), key blocks of TN one after the other.

    Sizes are multiples of the tiles; grid (query blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)  # running maximum
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)  # running sum
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D)).reshape((TM, D))
    for j in range(ct.cdiv(k.shape[1], TN)):
        kt = ct.load(k, index=(head, 0, j), shape=(1, D, TN), order=(0, 2, 1)).reshape((D, TN))
        vt = ct.load(v, index=(head, j, 0), shape=(1, TN, D)).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


HALF = array(ct.float16, 3)
EXPORTS = {
    "memory_attention": (flash, [HALF, HALF, HALF, HALF, ct.float32, 128, 128, 64]),
    "memory_attention_128": (flash, [HALF, HALF, HALF, HALF, ct.float32, 128, 128, 128]),
}
