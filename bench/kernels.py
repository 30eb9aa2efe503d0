# SPDX-License-Identifier: Apache-2.0
# The kernels that the benchmark times against numpy and PyTorch, with tiles as one writes them for a GPU.
import math

import cuda.tile as ct
from export import array

Const = ct.Constant[int]


@ct.kernel
def formula(x, y, z, T: Const):
    """z = exp(x y + 1.5) / y; grid (blocks of T)."""
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(T,))
    b = ct.load(y, index=(i,), shape=(T,))
    ct.store(z, index=(i,), tile=ct.exp(a * b + 1.5) / b)


@ct.kernel
def vadd(x, y, z, T: Const):
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(T,))
    ct.store(z, index=(i,), tile=a + ct.load(y, index=(i,), shape=(T,)))


@ct.kernel
def triad(x, y, z, T: Const):
    """z = x + 3 y."""
    i = ct.bid(0)
    a = ct.load(x, index=(i,), shape=(T,))
    ct.store(z, index=(i,), tile=a + 3.0 * ct.load(y, index=(i,), shape=(T,)))


@ct.kernel
def softmax(x, z, T: Const):
    """Rows of T elements; grid (rows)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(1, T))
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    ct.store(z, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def layer_norm(x, w, b, z, eps: float, T: Const):
    """z = (x - mean) / sqrt(variance + eps) * w + b for rows of T elements; grid (rows)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(1, T))
    mean = ct.sum(t, axis=1, keepdims=True) / T
    centred = t - mean
    variance = ct.sum(centred * centred, axis=1, keepdims=True) / T
    weight = ct.load(w, index=(0,), shape=(T,)).reshape((1, T))
    bias = ct.load(b, index=(0,), shape=(T,)).reshape((1, T))
    ct.store(z, index=(i, 0), tile=centred * ct.rsqrt(variance + eps) * weight + bias)


@ct.kernel
def gelu(x, z, T: Const):
    """The approximation with tanh; grid (row blocks, column blocks of T)."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(1, T))
    inner = 0.7978845608028654 * (t + 0.044715 * t * t * t)
    ct.store(z, index=(i, j), tile=0.5 * t * (1.0 + ct.tanh(inner)))


@ct.kernel
def attention(q, k, v, o, scale: float, D: Const, TM: Const, TN: Const):
    """o = softmax(q k^T scale) v in base 2 (scale holds log2(e)), key blocks of TN one after the other.

    Grid (query blocks, heads)."""
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
        acc = ct.mma(p, vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).reshape((1, TM, D)))


LINE, ROWS, HEADS = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3)
EXPORTS = {
    "peer_formula": (formula, [LINE, LINE, LINE, 1024]),
    "peer_vadd": (vadd, [LINE, LINE, LINE, 1024]),
    "peer_triad": (triad, [LINE, LINE, LINE, 1024]),
    "peer_softmax": (softmax, [ROWS, ROWS, 4096]),
    "peer_layer_norm": (layer_norm, [ROWS, LINE, LINE, ROWS, ct.float32, 4096]),
    "peer_gelu": (gelu, [ROWS, ROWS, 1024]),
    "peer_attention": (attention, [HEADS, HEADS, HEADS, HEADS, ct.float32, 64, 64, 64]),
    "peer_attention_128": (attention, [HEADS, HEADS, HEADS, HEADS, ct.float32, 64, 128, 128]),
}
