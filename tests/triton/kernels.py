# SPDX-License-Identifier: Apache-2.0
# The cuTile side of the comparison with the real Triton; reference.py has the same computations in Triton.
import math

import cuda.tile as ct
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


@ct.kernel
def softmax(x, y, M: Const, N: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(M, N), padding_mode=ct.PaddingMode.NEG_INF)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    ct.store(y, index=(i, 0), tile=e / ct.sum(e, axis=1, keepdims=True))


@ct.kernel
def matmul(x, y, z, M: Const, N: Const, K: Const):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(M, K))):
        a = ct.load(x, index=(i, k), shape=(M, K), padding_mode=ZERO)
        b = ct.load(y, index=(k, j), shape=(K, N), padding_mode=ZERO)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def rms_norm(x, w, y, eps: float, M: Const, N: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(M, N), padding_mode=ZERO).astype(ct.float32)
    g = ct.load(w, index=(0,), shape=(N,), padding_mode=ZERO).astype(ct.float32)
    rstd = ct.rsqrt(ct.sum(t * t, axis=1, keepdims=True) / x.shape[1] + eps)
    ct.store(y, index=(i, 0), tile=(t * rstd * g).astype(ct.bfloat16))


@ct.kernel
def attention(q, k, v, o, scale: float, M: Const, N: Const, D: Const):
    i = ct.bid(0)
    qt = ct.load(q, index=(i, 0), shape=(M, D))
    m = ct.full((M, 1), -math.inf, dtype=ct.float32)
    l = ct.full((M, 1), 0.0, dtype=ct.float32)
    acc = ct.full((M, D), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(k, axis=0, shape=(N, D))):
        kt = ct.load(k, index=(0, j), shape=(D, N), order=(1, 0))
        vt = ct.load(v, index=(j, 0), shape=(N, D))
        s = ct.mma(qt, kt, ct.full((M, N), 0.0, dtype=ct.float32)) * scale
        m_new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=1, keepdims=True)
        acc = ct.mma(p.astype(ct.float16), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(i, 0), tile=(acc / l).astype(ct.float16))


@ct.kernel
def causal(q, k, v, o, scale: float, M: Const, N: Const, D: Const):
    i = ct.bid(0)
    qt = ct.load(q, index=(i, 0), shape=(M, D))
    rows = i * M + ct.arange(M, dtype=ct.int32)[:, None]
    m = ct.full((M, 1), -math.inf, dtype=ct.float32)
    l = ct.full((M, 1), 0.0, dtype=ct.float32)
    acc = ct.full((M, D), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(k, axis=0, shape=(N, D))):
        kt = ct.load(k, index=(0, j), shape=(D, N), order=(1, 0))
        vt = ct.load(v, index=(j, 0), shape=(N, D))
        s = ct.mma(qt, kt, ct.full((M, N), 0.0, dtype=ct.float32)) * scale
        s = ct.where(rows >= j * N + ct.arange(N, dtype=ct.int32)[None, :], s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=1, keepdims=True)
        acc = ct.mma(p.astype(ct.float16), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(i, 0), tile=(acc / l).astype(ct.float16))


@ct.kernel
def layer_norm(x, w, b, y, eps: float, M: Const, N: Const):
    i, columns = ct.bid(0), x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(M, N), padding_mode=ZERO)
    inside = ct.arange(N, dtype=ct.int32)[None, :] < columns
    centred = ct.where(inside, t - ct.sum(t, axis=1, keepdims=True) / columns, 0.0)
    rstd = ct.rsqrt(ct.sum(centred * centred, axis=1, keepdims=True) / columns + eps)
    g = ct.load(w, index=(0,), shape=(N,), padding_mode=ZERO)
    s = ct.load(b, index=(0,), shape=(N,), padding_mode=ZERO)
    ct.store(y, index=(i, 0), tile=centred * rstd * g + s)


@ct.kernel
def gelu(x, y, M: Const, N: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(M, N))
    ct.store(y, index=(i, 0), tile=t / (1.0 + ct.exp(-1.5957691 * (t + 0.044715 * t * t * t))))


@ct.kernel
def swiglu(a, b, y, M: Const, N: Const):
    i = ct.bid(0)
    t = ct.load(a, index=(i, 0), shape=(M, N)).astype(ct.float32)
    u = ct.load(b, index=(i, 0), shape=(M, N)).astype(ct.float32)
    ct.store(y, index=(i, 0), tile=(t / (1.0 + ct.exp(-t)) * u).astype(ct.float16))


@ct.kernel
def rotary(x, angles, y, M: Const, H: Const):
    i = ct.bid(0)
    left, right = ct.load(x, index=(i, 0), shape=(M, H)), ct.load(x, index=(i, 1), shape=(M, H))
    t = ct.load(angles, index=(i, 0), shape=(M, H))
    ct.store(y, index=(i, 0), tile=left * ct.cos(t) - right * ct.sin(t))
    ct.store(y, index=(i, 1), tile=right * ct.cos(t) + left * ct.sin(t))


@ct.kernel
def running(x, y, M: Const, N: Const):
    ct.store(y, index=(0, 0), tile=ct.cumsum(ct.load(x, index=(0, 0), shape=(M, N)), axis=0))


@ct.kernel
def fourier_stage(a, b, w, y, N: Const):
    """Rows: real parts, imaginary parts; of y first of the sums."""
    ar, ai = ct.load(a, index=(0, 0), shape=(1, N)), ct.load(a, index=(1, 0), shape=(1, N))
    br, bi = ct.load(b, index=(0, 0), shape=(1, N)), ct.load(b, index=(1, 0), shape=(1, N))
    wr, wi = ct.load(w, index=(0, 0), shape=(1, N)), ct.load(w, index=(1, 0), shape=(1, N))
    tr, ti = br * wr - bi * wi, br * wi + bi * wr
    ct.store(y, index=(0, 0), tile=ar + tr)
    ct.store(y, index=(1, 0), tile=ai + ti)
    ct.store(y, index=(2, 0), tile=ar - tr)
    ct.store(y, index=(3, 0), tile=ai - ti)


@ct.kernel
def expert(tokens, x, w, y, M: Const, N: Const, K: Const):
    i = ct.bid(0)
    rows = ct.load(tokens, index=(i,), shape=(M,))
    a = ct.gather(x, (rows[:, None], ct.arange(K, dtype=ct.int32)[None, :]))
    b = ct.load(w, index=(i, 0, 0), shape=(1, K, N)).reshape((K, N))
    ct.store(y, index=(i, 0), tile=ct.mma(a, b, ct.full((M, N), 0.0, dtype=ct.float32)))


@ct.kernel
def matmul_tf32(x, y, z, M: Const, N: Const, K: Const):
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((M, N), 0.0, dtype=ct.float32)
    for k in range(ct.num_tiles(x, axis=1, shape=(M, K))):
        a = ct.load(x, index=(i, k), shape=(M, K), padding_mode=ZERO).astype(ct.tfloat32)
        b = ct.load(y, index=(k, j), shape=(K, N), padding_mode=ZERO).astype(ct.tfloat32)
        acc = ct.mma(a, b, acc)
    ct.store(z, index=(i, j), tile=acc)


@ct.kernel
def running_product(x, y, M: Const, N: Const):
    ct.store(y, index=(0, 0), tile=ct.cumprod(ct.load(x, index=(0, 0), shape=(M, N)), axis=1, reverse=True))


@ct.kernel
def argmax(x, y, M: Const, N: Const):
    t = ct.load(x, index=(0, 0), shape=(M, N))
    ct.store(y, index=(0, 0), tile=ct.argmax(t, axis=1, keepdims=True))
    ct.store(y, index=(0, 1), tile=ct.argmin(t, axis=1, keepdims=True))


@ct.kernel
def masked(x, keep, y, M: Const, N: Const):
    rows, columns = ct.arange(M, dtype=ct.int32)[:, None], ct.arange(N, dtype=ct.int32)[None, :]
    t = ct.gather(x, (rows, columns), mask=ct.load(keep, index=(0, 0), shape=(M, N)) != 0, padding_value=0.75)
    ct.store(y, index=(0, 0), tile=t * t - ct.sum(t, axis=1, keepdims=True))


@ct.kernel
def choices(x, z, y, N: Const):
    t, u = ct.load(x, index=(0, 0), shape=(1, N)), ct.load(z, index=(0, 0), shape=(1, N))
    whole = t.astype(ct.int32)
    product, back = t * u, whole.astype(ct.float32)
    turned = ct.bitcast(ct.bitcast(product, ct.int32) ^ 1, ct.float32)
    ct.store(y, index=(0, 0), tile=back * u + ct.abs(u).astype(ct.uint8).astype(ct.float32))
    ct.store(y, index=(1, 0), tile=ct.where(product < t + u, back, turned))
    ct.store(y, index=(2, 0), tile=ct.where(t >= u, ct.abs(product), -u))
    narrow = u.astype(ct.bfloat16).astype(ct.float32)
    ct.store(y, index=(3, 0), tile=ct.where((product == product) & (whole != 0), t, narrow))


FLOAT, HALF, BRAIN, INTEGER = (array(kind, 2) for kind in (ct.float32, ct.float16, ct.bfloat16, ct.int32))
EXPORTS = {
    "softmax": (softmax, [FLOAT, FLOAT, 4, 128]),
    "softmax_padded": (softmax, [FLOAT, FLOAT, 4, 128]),
    "rms_norm": (rms_norm, [BRAIN, array(ct.bfloat16, 1), BRAIN, ct.float32, 4, 128]),
    "attention": (attention, [HALF, HALF, HALF, HALF, ct.float32, 16, 32, 32]),
    "attention_homomorphic": (attention, [HALF, HALF, HALF, HALF, ct.float32, 32, 16, 32]),
    "causal": (causal, [HALF, HALF, HALF, HALF, ct.float32, 32, 32, 32]),
    "layer_norm": (layer_norm, [FLOAT, array(ct.float32, 1), array(ct.float32, 1), FLOAT, ct.float32, 4, 128]),
    "gelu": (gelu, [FLOAT, FLOAT, 4, 128]),
    "swiglu": (swiglu, [HALF, HALF, HALF, 4, 128]),
    "rotary": (rotary, [FLOAT, FLOAT, FLOAT, 4, 32]),
    "running": (running, [FLOAT, FLOAT, 16, 32]),
    "running_product": (running_product, [BRAIN, BRAIN, 16, 32]),
    "running_integers": (running, [INTEGER, INTEGER, 16, 32]),
    "argmax": (argmax, [FLOAT, INTEGER, 16, 32]),
    "masked": (masked, [HALF, INTEGER, HALF, 16, 32]),
    "choices": (choices, [FLOAT, FLOAT, FLOAT, 256]),
    "fourier_stage": (fourier_stage, [FLOAT, FLOAT, FLOAT, FLOAT, 64]),
    "expert": (expert, [array(ct.int32, 1), HALF, array(ct.float16, 3), FLOAT, 16, 32, 32]),
    "matmul_tf32": (matmul_tf32, [FLOAT, FLOAT, FLOAT, 32, 32, 32]),
}
for name, dtype in {
    "f16": ct.float16,
    "bf16": ct.bfloat16,
    "f8e4m3fn": ct.float8_e4m3fn,
    "f8e5m2": ct.float8_e5m2,
}.items():
    EXPORTS["matmul_" + name] = (matmul, [array(dtype, 2), array(dtype, 2), FLOAT, 32, 32, 32])
