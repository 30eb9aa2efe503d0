# SPDX-License-Identifier: Apache-2.0
# Attention in several forms: a window of neighbours, one query on a paged cache, without softmax, and a gradient.
import cuda.tile as ct
from export import array

Const = ct.Constant[int]
VERSIONS = ("13.4",)


@ct.kernel(occupancy=2)
def windowed(q, k, v, o, scale: float, window: int, T: Const, D: Const):
    """Each place sees itself and the places before it within the window."""
    block, head = ct.bid(0), ct.bid(1)
    qt = ct.load(q, index=(head, block, 0), shape=(1, T, D)).reshape((T, D))
    row = block * T + ct.arange(T, dtype=ct.int32)[:, None]
    top, total = ct.full((T, 1), -1e30, dtype=ct.float32), ct.zeros((T, 1), ct.float32)
    acc = ct.zeros((T, D), ct.float32)
    for j in range(max(0, (block * T - window) // T), block + 1):
        kt = ct.load(k, index=(head, 0, j), shape=(1, D, T), order=(0, 2, 1), latency=3).reshape((D, T))
        s = ct.mma(qt, kt, ct.zeros((T, T), ct.float32)) * scale
        column = j * T + ct.arange(T, dtype=ct.int32)[None, :]
        s = ct.where((column <= row) & (column > row - window), s, -1e30)
        new = ct.maximum(top, ct.max(s, axis=1, keepdims=True))
        p = ct.exp2(s - new, flush_to_zero=True)
        shrink = ct.exp2(top - new, flush_to_zero=True)
        total = total * shrink + ct.sum(p, axis=1, keepdims=True)
        vt = ct.load(v, index=(head, j, 0), shape=(1, T, D), latency=3).reshape((T, D))
        acc = ct.mma(p.astype(v.dtype), vt, acc * shrink)
        top = new
    acc = ct.truediv(acc, total, flush_to_zero=True, rounding_mode=ct.RoundingMode.APPROX)
    ct.store(o, index=(head, block, 0), tile=acc.reshape((1, T, D)).astype(o.dtype))


@ct.kernel
def paged(q, keys, values, pages, lengths, o, P: Const, D: Const):
    """One query a sequence; its keys and values lie in pages of P places."""
    sequence = ct.bid(0)
    length = ct.load(lengths, index=(sequence,), shape=())
    qt = ct.load(q, index=(sequence, 0), shape=(1, D)).astype(ct.float32)
    top, total, acc = -float("inf"), 0.0, ct.zeros((1, D), ct.float32)
    for i in range(ct.cdiv(length, P)):
        page = ct.gather(pages, (sequence, i))
        kt = ct.load(keys, index=(page, 0, 0), shape=(1, P, D)).reshape((P, D)).astype(ct.float32)
        s = ct.sum(kt * qt, axis=1)
        s = ct.where(ct.arange(P, dtype=ct.int32) + i * P < length, s, -float("inf"))
        new = ct.maximum(top, ct.max(s))
        p = ct.exp(s - new)
        shrink = ct.exp(top - new)
        total = total * shrink + ct.sum(p)
        vt = ct.load(values, index=(page, 0, 0), shape=(1, P, D)).reshape((P, D)).astype(ct.float32)
        acc = acc * shrink + ct.sum(vt * p[:, None], axis=0, keepdims=True)
        top = new
    ct.store(o, index=(sequence, 0), tile=(acc / total).astype(o.dtype))


@ct.kernel
def linear(q, k, v, o, decay: float, T: Const, D: Const):
    """Without softmax: a state is carried from block to block and fades."""
    head = ct.bid(0)
    state = ct.zeros((D, D), ct.float32)
    row, column = ct.arange(T, dtype=ct.int32)[:, None], ct.arange(T, dtype=ct.int32)[None, :]
    for i in range(ct.num_tiles(q, 1, shape=(1, T, D))):
        qt = ct.load(q, index=(head, i, 0), shape=(1, T, D)).reshape((T, D))
        kt = ct.load(k, index=(head, i, 0), shape=(1, T, D)).reshape((T, D))
        vt = ct.load(v, index=(head, i, 0), shape=(1, T, D)).reshape((T, D))
        s = ct.mma(qt, ct.transpose(kt), ct.zeros((T, T), ct.float32))
        s = ct.where(row >= column, s, 0.0)
        out = ct.mma(s.astype(v.dtype), vt, ct.mma(qt, state.astype(q.dtype), ct.zeros((T, D), ct.float32)))
        ct.store(o, index=(head, i, 0), tile=out.reshape((1, T, D)).astype(o.dtype))
        state = ct.mma(ct.transpose(kt), vt, state * decay)


@ct.kernel
def queries_gradient(q, k, v, do, logsum, delta, dq, scale: float, T: Const, D: Const):
    i, head = ct.bid(0), ct.bid(1)
    qt = ct.load(q, index=(head, i, 0), shape=(1, T, D)).reshape((T, D))
    g = ct.load(do, index=(head, i, 0), shape=(1, T, D)).reshape((T, D))
    total = ct.load(logsum, index=(head, i), shape=(1, T)).reshape((T, 1))
    d = ct.load(delta, index=(head, i), shape=(1, T)).reshape((T, 1))
    acc = ct.zeros((T, D), ct.float32)
    for j in range(ct.num_tiles(k, 1, shape=(1, T, D))):
        kt = ct.load(k, index=(head, j, 0), shape=(1, T, D)).reshape((T, D))
        vt = ct.load(v, index=(head, j, 0), shape=(1, T, D)).reshape((T, D))
        p = ct.exp(ct.mma(qt, ct.transpose(kt), ct.zeros((T, T), ct.float32)) * scale - total)
        ds = p * (ct.mma(g, ct.transpose(vt), ct.zeros((T, T), ct.float32)) - d)
        acc = ct.mma(ds.astype(k.dtype), kt, acc)
    ct.store(dq, index=(head, i, 0), tile=(acc * scale).reshape((1, T, D)).astype(dq.dtype))


H, B, M16, M32, I32 = array(ct.float16, 3), array(ct.bfloat16, 3), array(ct.float16, 2), array(ct.float32, 2), array(ct.int32, 1)
EXPORTS = {
    "windowed": (windowed, [H, H, H, H, ct.float32, ct.int32, 8, 16]),
    "paged": (paged, [M16, H, H, array(ct.int32, 2), I32, M16, 8, 16]),
    "linear": (linear, [B, B, B, B, ct.float32, 8, 16]),
    "queries_gradient": (queries_gradient, [H, H, H, H, M32, M32, H, ct.float32, 8, 16]),
}
