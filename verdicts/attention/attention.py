# SPDX-License-Identifier: Apache-2.0
# Attention as people write it: in three kernels, in one, causal, windowed, split, capped, with sinks, paged.
import math

import cuda.tile as ct
from corpus import NORMAL, buffer, given, integers, launched, mutant, pair, run
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
LOG2_E = 1.4426950408889634


# ---- in three kernels ------------------------------------------------------------------------------------------------
@ct.kernel
def scores(q, k, s, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """s = q k^T scale; grid (key blocks, query blocks, heads)."""
    j, block, head = ct.bid(0), ct.bid(1), ct.bid(2)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape((D, TN))
    st = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
    ct.store(s, index=(head, block, j), tile=st.reshape((1, TM, TN)))


@ct.kernel
def softmax(s, p, TM: Const, TN: Const):
    """p = softmax of each row of s, TN at least its length; grid (row blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    st = ct.load(s, index=(head, block, 0), shape=(1, TM, TN), padding_mode=ct.PaddingMode.NEG_INF).reshape((TM, TN))
    e = ct.exp(st - ct.max(st, axis=-1, keepdims=True))
    ct.store(
        p, index=(head, block, 0), tile=(e / ct.sum(e, axis=-1, keepdims=True)).astype(p.dtype).reshape((1, TM, TN))
    )


@ct.kernel
def softmax_causal(s, p, TM: Const, TN: Const):
    """As softmax, where row r sees columns 0 to r: the others are set to -inf."""
    block, head = ct.bid(0), ct.bid(1)
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    seen = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) <= row
    st = ct.load(s, index=(head, block, 0), shape=(1, TM, TN), padding_mode=ct.PaddingMode.NEG_INF).reshape((TM, TN))
    st = ct.where(seen, st, -math.inf)
    e = ct.exp(st - ct.max(st, axis=-1, keepdims=True))
    ct.store(
        p, index=(head, block, 0), tile=(e / ct.sum(e, axis=-1, keepdims=True)).astype(p.dtype).reshape((1, TM, TN))
    )


@ct.kernel
def softmax_causal_additive(s, p, TM: Const, TN: Const):
    """As softmax_causal, with -1e6 added to what is not seen."""
    block, head = ct.bid(0), ct.bid(1)
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    st = ct.load(s, index=(head, block, 0), shape=(1, TM, TN), padding_mode=ct.PaddingMode.NEG_INF).reshape((TM, TN))
    st = st + ct.where(column <= row, 0.0, -1.0e6)
    e = ct.exp(st - ct.max(st, axis=-1, keepdims=True))
    ct.store(
        p, index=(head, block, 0), tile=(e / ct.sum(e, axis=-1, keepdims=True)).astype(p.dtype).reshape((1, TM, TN))
    )


@ct.kernel
def softmax_window(s, p, WINDOW: Const, TM: Const, TN: Const):
    """As softmax_causal, where a row sees the last WINDOW columns up to its own."""
    block, head = ct.bid(0), ct.bid(1)
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    st = ct.load(s, index=(head, block, 0), shape=(1, TM, TN), padding_mode=ct.PaddingMode.NEG_INF).reshape((TM, TN))
    st = ct.where((column <= row) & (column > row - WINDOW), st, -math.inf)
    e = ct.exp(st - ct.max(st, axis=-1, keepdims=True))
    ct.store(
        p, index=(head, block, 0), tile=(e / ct.sum(e, axis=-1, keepdims=True)).astype(p.dtype).reshape((1, TM, TN))
    )


@ct.kernel
def softmax_alibi(s, p, TM: Const, TN: Const):
    """As softmax_causal, where the score falls by 2^-(head + 1) for each step away."""
    block, head = ct.bid(0), ct.bid(1)
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    slope = ct.exp2(-(head + 1).astype(ct.float32))
    st = ct.load(s, index=(head, block, 0), shape=(1, TM, TN), padding_mode=ct.PaddingMode.NEG_INF).reshape((TM, TN))
    st = ct.where(column <= row, st - slope * (row - column).astype(ct.float32), -math.inf)
    e = ct.exp(st - ct.max(st, axis=-1, keepdims=True))
    ct.store(
        p, index=(head, block, 0), tile=(e / ct.sum(e, axis=-1, keepdims=True)).astype(p.dtype).reshape((1, TM, TN))
    )


@ct.kernel
def softmax_capped(s, p, cap: float, TM: Const, TN: Const):
    """As softmax, of scores squeezed into -cap to cap."""
    block, head = ct.bid(0), ct.bid(1)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < s.shape[2]
    st = ct.load(s, index=(head, block, 0), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN))
    st = ct.where(inside, cap * ct.tanh(st / cap), -math.inf)
    e = ct.exp(st - ct.max(st, axis=-1, keepdims=True))
    ct.store(
        p, index=(head, block, 0), tile=(e / ct.sum(e, axis=-1, keepdims=True)).astype(p.dtype).reshape((1, TM, TN))
    )


@ct.kernel
def softmax_sink(s, sink, p, TM: Const, TN: Const):
    """As softmax, with one more score for each head that no key has: part of the maximum and of the sum."""
    block, head = ct.bid(0), ct.bid(1)
    st = ct.load(s, index=(head, block, 0), shape=(1, TM, TN), padding_mode=ct.PaddingMode.NEG_INF).reshape((TM, TN))
    extra = ct.load(sink, index=(head,), shape=(1,)).reshape((1, 1))
    m = ct.maximum(ct.max(st, axis=-1, keepdims=True), extra)
    e = ct.exp(st - m)
    pt = e / (ct.sum(e, axis=-1, keepdims=True) + ct.exp(extra - m))
    ct.store(p, index=(head, block, 0), tile=pt.astype(p.dtype).reshape((1, TM, TN)))


@ct.kernel
def pv(p, v, o, GROUP: Const, D: Const, TM: Const, TN: Const):
    """o = p v; grid (query blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(p.shape[2], TN)):
        pt = ct.load(p, index=(head, block, j), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN))
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        acc = ct.mma(pt.astype(v.dtype), vt, acc)
    ct.store(o, index=(head, block, 0), tile=acc.astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def pv_float(p, v, o, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As pv, where the weights stay in f32."""
    block, head = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(p.shape[2], TN)):
        pt = ct.load(p, index=(head, block, j), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN))
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        acc = ct.mma(pt, vt.astype(ct.float32), acc)
    ct.store(o, index=(head, block, 0), tile=acc.astype(o.dtype).reshape((1, TM, D)))


# ---- in one kernel ---------------------------------------------------------------------------------------------------
@ct.kernel
def flash(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """Scores in base 2: scale holds log2(e). Grid (query blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    keys = k.shape[1]
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)  # running maximum
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)  # running sum
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for j in range(ct.cdiv(keys, TN)):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, TN)
        )
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys
        s = ct.where(inside, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def flash_zeroed(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As flash, written so that weights of missing keys are set to 0 and not left to exp2(-inf)."""
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for j in range(ct.cdiv(k.shape[1], TN)):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, TN)
        )
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < k.shape[1]
        m_new = ct.maximum(m, ct.max(ct.where(inside, s, -math.inf), axis=-1, keepdims=True))
        p = ct.where(inside, ct.exp2(s - m_new), 0.0)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def flash_persistent(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As flash_zeroed, one program for all query blocks of a head, each key block narrowed once; grid (heads)."""
    head = ct.bid(0)
    keys = k.shape[1]
    for block in range(ct.cdiv(q.shape[1], TM)):
        m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
        l = ct.full((TM, 1), 0.0, dtype=ct.float32)
        acc = ct.full((TM, D), 0.0, dtype=ct.float32)
        qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
        for j in range(ct.cdiv(keys, TN)):
            kt = ct.load(k, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
            vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
            s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
            inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys
            m_new = ct.maximum(m, ct.max(ct.where(inside, s, -math.inf), axis=-1, keepdims=True))
            p = ct.where(inside, ct.exp2(s - m_new), 0.0)
            alpha = ct.exp2(m - m_new)
            l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
            acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
            m = m_new
        ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def flash_normalised(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """One pass over the keys for maximum and sum, a second one for normalised weights times values, in f32."""
    block, head = ct.bid(0), ct.bid(1)
    keys = k.shape[1]
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for j in range(ct.cdiv(keys, TN)):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, TN)
        )
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        l = l * ct.exp(m - m_new) + ct.sum(ct.exp(s - m_new), axis=-1, keepdims=True)
        m = m_new
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(keys, TN)):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, TN)
        )
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)
        acc = ct.mma(ct.exp(s - m) / l, vt.astype(ct.float32), acc)
    ct.store(o, index=(head, block, 0), tile=acc.astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def flash_prescaled(q, kt, v, o, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As flash, with the keys transposed in memory and the scale computed into the queries; base e."""
    block, head = ct.bid(0), ct.bid(1)
    keys = kt.shape[2]
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D)).astype(ct.float32)
    qt = qt * ct.rsqrt(ct.full((1, 1), D, dtype=ct.float32))
    for j in range(ct.cdiv(keys, TN)):
        kj = ct.load(kt, index=(head // GROUP, 0, j), shape=(1, D, TN), padding_mode=ZERO).reshape((D, TN))
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kj.astype(ct.float32), ct.full((TM, TN), 0.0, dtype=ct.float32))
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp(s - m_new)
        alpha = ct.exp(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = acc * alpha + ct.mma(p.astype(v.dtype), vt, ct.full((TM, D), 0.0, dtype=ct.float32))
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc * (1.0 / l)).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def flash_causal(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As flash, where a query sees the keys up to its own position: later key blocks are skipped."""
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    for j in range(min(ct.cdiv((block + 1) * TM, TN), ct.cdiv(k.shape[1], TN))):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, TN)
        )
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        seen = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) <= row
        s = ct.where(seen, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def flash_causal_diagonal(q, k, v, o, scale: float, GROUP: Const, D: Const, T: Const):
    """As flash_causal for square tiles: full key blocks without a mask, then the one on the diagonal with -1e6."""
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((T, 1), -1.0e6, dtype=ct.float32)
    l = ct.full((T, 1), 0.0, dtype=ct.float32)
    acc = ct.full((T, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    for j in range(block):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, T), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, T)
        )
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
        s = ct.mma(qt, kt, ct.full((T, T), 0.0, dtype=ct.float32)) * scale
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    kt = ct.load(k, index=(head // GROUP, 0, block), shape=(1, D, T), order=(0, 2, 1), padding_mode=ZERO).reshape(
        (D, T)
    )
    vt = ct.load(v, index=(head // GROUP, block, 0), shape=(1, T, D), padding_mode=ZERO).reshape((T, D))
    row, column = ct.arange(T, dtype=ct.int32).reshape((T, 1)), ct.arange(T, dtype=ct.int32).reshape((1, T))
    s = ct.mma(qt, kt, ct.full((T, T), 0.0, dtype=ct.float32)) * scale
    s = ct.where(row >= column, s, -1.0e6)
    m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
    p = ct.exp2(s - m_new)
    alpha = ct.exp2(m - m_new)
    l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
    acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, T, D)))


@ct.kernel
def flash_window(q, k, v, o, scale: float, GROUP: Const, WINDOW: Const, D: Const, TM: Const, TN: Const):
    """As flash_causal, where a query sees the last WINDOW keys up to its own: blocks before and after are skipped."""
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    first = max(0, block * TM - WINDOW + 1) // TN
    for j in range(first, min(ct.cdiv((block + 1) * TM, TN), ct.cdiv(k.shape[1], TN))):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, TN)
        )
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
        s = ct.where((column <= row) & (column > row - WINDOW), s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        shift = ct.where(m_new == -math.inf, 0.0, m_new)  # a row that has seen no key yet
        p = ct.exp2(s - shift)
        alpha = ct.exp2(m - shift)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    l = ct.where(l == 0.0, 1.0, l)  # rows behind the end
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def flash_alibi(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As flash_causal with a slope of 2^-(head + 1): only the key's position is added; base 2."""
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    slope = ct.exp2(-(head + 1).astype(ct.float32)) * LOG2_E
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    for j in range(min(ct.cdiv((block + 1) * TM, TN), ct.cdiv(k.shape[1], TN))):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, TN)
        )
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
        s = ct.where(column <= row, s + slope * column.astype(ct.float32), -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def flash_capped(q, k, v, o, scale: float, cap: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As flash, of scores squeezed into -cap to cap; scale holds 1 / cap, and log2(e) comes after the tanh."""
    block, head = ct.bid(0), ct.bid(1)
    keys = k.shape[1]
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for j in range(ct.cdiv(keys, TN)):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, TN)
        )
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        s = cap * LOG2_E * ct.tanh(s)
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def flash_sink(q, k, v, sink, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As flash, with one more score for each head: the running maximum starts there and the sum at 1; base e."""
    block, head = ct.bid(0), ct.bid(1)
    keys = k.shape[1]
    m = ct.full((TM, 1), 0.0, dtype=ct.float32) + ct.load(sink, index=(head,), shape=(1,)).reshape((1, 1))
    l = ct.full((TM, 1), 1.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for j in range(ct.cdiv(keys, TN)):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, TN)
        )
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp(s - m_new)
        alpha = ct.exp(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def flash_packed(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As flash, the GROUP query heads of a key head stacked in one tile; grid (query blocks, key heads)."""
    block, head = ct.bid(0), ct.bid(1)
    keys = k.shape[1]
    m = ct.full((GROUP * TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((GROUP * TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((GROUP * TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(GROUP, TM, D), padding_mode=ZERO).reshape((GROUP * TM, D))
    for j in range(ct.cdiv(keys, TN)):
        kt = ct.load(k, index=(head, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape((D, TN))
        vt = ct.load(v, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((GROUP * TM, TN), 0.0, dtype=ct.float32)) * scale
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((GROUP, TM, D)))


@ct.kernel
def flash_paged(q, k_pages, v_pages, table, o, keys: int, scale: float, GROUP: Const, D: Const, TM: Const, PAGE: Const):
    """As flash, with keys and values in pages [page, key head, PAGE, D] that table lists in order."""
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for j in range(ct.cdiv(keys, PAGE)):
        page = ct.load(table, index=(j,), shape=(1,)).item()
        kt = ct.load(k_pages, index=(page, head // GROUP, 0, 0), shape=(1, 1, D, PAGE), order=(0, 1, 3, 2)).reshape(
            (D, PAGE)
        )
        vt = ct.load(v_pages, index=(page, head // GROUP, 0, 0), shape=(1, 1, PAGE, D)).reshape((PAGE, D))
        s = ct.mma(qt, kt, ct.full((TM, PAGE), 0.0, dtype=ct.float32)) * scale
        s = ct.where((j * PAGE + ct.arange(PAGE, dtype=ct.int32)).reshape((1, PAGE)) < keys, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v_pages.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def to_pages(x, table, pages, D: Const, PAGE: Const):
    """pages[table[j], head] = rows j * PAGE to (j + 1) * PAGE of x[head]; grid (pages, key heads)."""
    j, head = ct.bid(0), ct.bid(1)
    page = ct.load(table, index=(j,), shape=(1,)).item()
    t = ct.load(x, index=(head, j, 0), shape=(1, PAGE, D), padding_mode=ZERO)
    ct.store(pages, index=(page, head, 0, 0), tile=t.reshape((1, 1, PAGE, D)))


# ---- split over the keys ---------------------------------------------------------------------------------------------
@ct.kernel
def split_e(q, k, v, parts, lse, scale: float, SHARE: Const, GROUP: Const, D: Const, TM: Const, TN: Const):
    """parts[split] = attention over SHARE key blocks, normalised; lse; grid (query blocks, heads, splits)."""
    block, head, split = ct.bid(0), ct.bid(1), ct.bid(2)
    keys = k.shape[1]
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for j in range(split * SHARE, min((split + 1) * SHARE, ct.cdiv(keys, TN))):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, TN)
        )
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp(s - m_new)
        alpha = ct.exp(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(parts, index=(split, head, block, 0), tile=(acc / l).reshape((1, 1, TM, D)))
    ct.store(lse, index=(split, head, block), tile=(m + ct.log(l)).reshape((1, 1, TM)))


@ct.kernel
def merge_e(parts, lse, o, SPLITS: Const, D: Const, TM: Const):
    """o = the parts, each weighted with e^lse; SPLITS at least their number; grid (query blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    there = ct.arange(SPLITS, dtype=ct.int32).reshape((SPLITS, 1)) < parts.shape[0]
    lt = ct.load(lse, index=(0, head, block), shape=(SPLITS, 1, TM), padding_mode=ZERO).reshape((SPLITS, TM))
    lt = ct.where(there, lt, -math.inf)
    w = ct.exp(lt - ct.max(lt, axis=0, keepdims=True))
    w = w / ct.sum(w, axis=0, keepdims=True)
    pt = ct.load(parts, index=(0, head, block, 0), shape=(SPLITS, 1, TM, D), padding_mode=ZERO).reshape((SPLITS, TM, D))
    ot = ct.sum(pt * w.reshape((SPLITS, TM, 1)), axis=0)
    ct.store(o, index=(head, block, 0), tile=ot.astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def split_2(q, k, v, parts, lse, scale: float, SHARE: Const, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As split_e in base 2: scale holds log2(e), lse is the logarithm to base 2."""
    block, head, split = ct.bid(0), ct.bid(1), ct.bid(2)
    keys = k.shape[1]
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for j in range(split * SHARE, min((split + 1) * SHARE, ct.cdiv(keys, TN))):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, TN)
        )
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(parts, index=(split, head, block, 0), tile=(acc / l).reshape((1, 1, TM, D)))
    ct.store(lse, index=(split, head, block), tile=(m + ct.log2(l)).reshape((1, 1, TM)))


@ct.kernel
def merge_2(parts, lse, o, D: Const, TM: Const):
    """As merge_e in base 2, one part after the other into a running result."""
    block, head = ct.bid(0), ct.bid(1)
    total = ct.load(lse, index=(0, head, block), shape=(1, 1, TM), padding_mode=ZERO).reshape((TM, 1))
    ot = ct.load(parts, index=(0, head, block, 0), shape=(1, 1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for split in range(1, parts.shape[0]):
        lt = ct.load(lse, index=(split, head, block), shape=(1, 1, TM), padding_mode=ZERO).reshape((TM, 1))
        pt = ct.load(parts, index=(split, head, block, 0), shape=(1, 1, TM, D), padding_mode=ZERO).reshape((TM, D))
        m = ct.maximum(total, lt)
        new = m + ct.log2(ct.exp2(total - m) + ct.exp2(lt - m))
        ot = ot * ct.exp2(total - new) + pt * ct.exp2(lt - new)
        total = new
    ct.store(o, index=(head, block, 0), tile=ot.astype(o.dtype).reshape((1, TM, D)))


# ---- one query (decoding) --------------------------------------------------------------------------------------------
@ct.kernel
def decode_products(q, k, v, o, scale: float, GROUP: Const, D: Const, TN: Const):
    """The last query of each head, by products and sums; TN at least the number of keys; grid (heads)."""
    head = ct.bid(0)
    keys = k.shape[1]
    qt = ct.load(q, index=(head, q.shape[1] - 1, 0), shape=(1, 1, D)).reshape((1, D)).astype(ct.float32)
    kt = (
        ct.load(k, index=(head // GROUP, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D)).astype(ct.float32)
    )
    vt = (
        ct.load(v, index=(head // GROUP, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D)).astype(ct.float32)
    )
    s = ct.sum(qt * kt, axis=1, keepdims=True) * scale
    s = ct.where(ct.arange(TN, dtype=ct.int32).reshape((TN, 1)) < keys, s, -math.inf)
    p = ct.exp(s - ct.max(s, axis=0, keepdims=True))
    p = p / ct.sum(p, axis=0, keepdims=True)
    ct.store(o, index=(head, 0), tile=ct.sum(p * vt, axis=0).astype(o.dtype).reshape((1, D)))


@ct.kernel
def decode_group(q, k, v, o, scale: float, GROUP: Const, D: Const, TN: Const):
    """As decode_products: the query heads of a key head by mma, in key blocks, base 2; grid (key heads)."""
    head = ct.bid(0)
    keys = k.shape[1]
    m = ct.full((GROUP, 1), -math.inf, dtype=ct.float32)
    l = ct.full((GROUP, 1), 0.0, dtype=ct.float32)
    acc = ct.full((GROUP, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, q.shape[1] - 1, 0), shape=(GROUP, 1, D)).reshape((GROUP, D))
    for j in range(ct.cdiv(keys, TN)):
        kt = ct.load(k, index=(head, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape((D, TN))
        vt = ct.load(v, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((GROUP, TN), 0.0, dtype=ct.float32)) * (scale * LOG2_E)
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p, vt.astype(ct.float32), acc * alpha)
        m = m_new
    ct.store(o, index=(head, 0), tile=(acc / l).astype(o.dtype))


# ---- backward --------------------------------------------------------------------------------------------------------
@ct.kernel
def backward_ds(p, v, do, ds, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """ds = p (do v^T - row sum of p do v^T) scale, from stored weights; TN at least the keys."""
    block, head = ct.bid(0), ct.bid(1)
    pt = ct.load(p, index=(head, block, 0), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN)).astype(ct.float32)
    dot = ct.load(do, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    vt = ct.load(v, index=(head // GROUP, 0, 0), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape((D, TN))
    dp = ct.mma(dot, vt, ct.full((TM, TN), 0.0, dtype=ct.float32))
    dst = pt * (dp - ct.sum(pt * dp, axis=-1, keepdims=True)) * scale
    ct.store(ds, index=(head, block, 0), tile=dst.reshape((1, TM, TN)))


@ct.kernel
def backward_dq(ds, k, dq, GROUP: Const, D: Const, TM: Const, TN: Const):
    """dq = ds k; grid (query blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    dst = ct.load(ds, index=(head, block, 0), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN))
    kt = (
        ct.load(k, index=(head // GROUP, 0, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D)).astype(ct.float32)
    )
    dqt = ct.mma(dst, kt, ct.full((TM, D), 0.0, dtype=ct.float32))
    ct.store(dq, index=(head, block, 0), tile=dqt.astype(dq.dtype).reshape((1, TM, D)))


@ct.kernel
def backward_dkv(p, ds, q, do, dk, dv, GROUP: Const, D: Const, TM: Const, TN: Const):
    """dk = ds^T q and dv = p^T do, summed over the group; TM at least the queries; grid (key blocks, key heads)."""
    j, head = ct.bid(0), ct.bid(1)
    dkt = ct.full((TN, D), 0.0, dtype=ct.float32)
    dvt = ct.full((TN, D), 0.0, dtype=ct.float32)
    for g in range(GROUP):
        h = head * GROUP + g
        pt = ct.load(p, index=(h, j, 0), shape=(1, TN, TM), order=(0, 2, 1), padding_mode=ZERO).reshape((TN, TM))
        dst = ct.load(ds, index=(h, j, 0), shape=(1, TN, TM), order=(0, 2, 1), padding_mode=ZERO).reshape((TN, TM))
        qt = ct.load(q, index=(h, 0, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D)).astype(ct.float32)
        dot = ct.load(do, index=(h, 0, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D)).astype(ct.float32)
        dkt = ct.mma(dst, qt, dkt)
        dvt = ct.mma(pt, dot, dvt)
    ct.store(dk, index=(head, j, 0), tile=dkt.astype(dk.dtype).reshape((1, TN, D)))
    ct.store(dv, index=(head, j, 0), tile=dvt.astype(dv.dtype).reshape((1, TN, D)))


@ct.kernel
def forward_lse(q, k, v, o, lse, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As flash in base e without narrowing, keeps o and the log-sum-exps for the backward kernels."""
    block, head = ct.bid(0), ct.bid(1)
    keys = k.shape[1]
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for j in range(ct.cdiv(keys, TN)):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, TN)
        )
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp(s - m_new)
        alpha = ct.exp(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p, vt.astype(ct.float32), acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).reshape((1, TM, D)))
    ct.store(lse, index=(head, block), tile=(m + ct.log(l)).reshape((1, TM)))


@ct.kernel
def flash_backward_dq(q, k, v, o, do, lse, dq, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """Weights computed again from the log-sum-exps, row sums from o do; grid (query blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    keys = k.shape[1]
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    dot = ct.load(do, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    ot = ct.load(o, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    lt = ct.load(lse, index=(head, block), shape=(1, TM), padding_mode=ZERO).reshape((TM, 1))
    delta = ct.sum(ot * dot.astype(ct.float32), axis=-1, keepdims=True)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(keys, TN)):
        kt = ct.load(k, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)
        p = ct.exp(s - lt)
        dp = ct.mma(dot, ct.transpose(vt), ct.full((TM, TN), 0.0, dtype=ct.float32))
        acc = ct.mma(p * (dp - delta), kt.astype(ct.float32), acc)
    ct.store(dq, index=(head, block, 0), tile=(acc * scale).astype(dq.dtype).reshape((1, TM, D)))


@ct.kernel
def flash_backward_dkv(q, k, v, o, do, lse, dk, dv, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As flash_backward_dq for keys and values, transposed: the rows of a tile are keys."""
    j, head = ct.bid(0), ct.bid(1)
    queries = q.shape[1]
    kt = ct.load(k, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    vt = ct.load(v, index=(head, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
    dkt = ct.full((TN, D), 0.0, dtype=ct.float32)
    dvt = ct.full((TN, D), 0.0, dtype=ct.float32)
    for g in range(GROUP):
        for block in range(ct.cdiv(queries, TM)):
            h = head * GROUP + g
            qt = ct.load(q, index=(h, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
            dot = ct.load(do, index=(h, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
            ot = ct.load(o, index=(h, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
            lt = ct.load(lse, index=(h, block), shape=(1, TM), padding_mode=ZERO)
            delta = ct.sum(ot * dot.astype(ct.float32), axis=-1).reshape((1, TM))
            st = ct.mma(kt, ct.transpose(qt), ct.full((TN, TM), 0.0, dtype=ct.float32)) * scale
            pt = ct.exp(st - lt)
            dpt = ct.mma(vt, ct.transpose(dot), ct.full((TN, TM), 0.0, dtype=ct.float32))
            dvt = ct.mma(pt, dot.astype(ct.float32), dvt)
            dkt = ct.mma(pt * (dpt - delta), qt.astype(ct.float32), dkt)
    ct.store(dk, index=(head, j, 0), tile=(dkt * scale).astype(dk.dtype).reshape((1, TN, D)))
    ct.store(dv, index=(head, j, 0), tile=dvt.astype(dv.dtype).reshape((1, TN, D)))


LN_2 = 0.6931471805599453


@ct.kernel
def log_sums(s, lse, TM: Const, TN: Const):
    """lse = the log-sum-exp of each row of s, TN at least its length; grid (row blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    st = ct.load(s, index=(head, block, 0), shape=(1, TM, TN), padding_mode=ct.PaddingMode.NEG_INF).reshape((TM, TN))
    m = ct.max(st, axis=-1, keepdims=True)
    total = ct.sum(ct.exp(st - m), axis=-1, keepdims=True)
    ct.store(lse, index=(head, block), tile=(ct.log(total) + m).reshape((1, TM)))


@ct.kernel
def forward_lse_2(q, k, v, o, lse, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As forward_lse with the maximum in base 2 (scale holds log2(e)); the log-sum-exps are natural."""
    block, head = ct.bid(0), ct.bid(1)
    keys = k.shape[1]
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D), padding_mode=ZERO).reshape((TM, D))
    for j in range(ct.cdiv(keys, TN)):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape(
            (D, TN)
        )
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p, vt.astype(ct.float32), acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).reshape((1, TM, D)))
    ct.store(lse, index=(head, block), tile=(m * LN_2 + ct.log(l)).reshape((1, TM)))


HALF, FLOAT, FLOAT4, HALF4 = array(ct.float16, 3), array(ct.float32, 3), array(ct.float32, 4), array(ct.float16, 4)
FLAT, INDICES = array(ct.float32, 1), array(ct.int32, 1)
FLOAT_2 = array(ct.float32, 2)
QKVO = [HALF, HALF, HALF, HALF, ct.float32]
KERNELS = {
    "scores": (scores, [HALF, HALF, FLOAT, ct.float32, 2, 16, 16, 32]),
    "softmax": (softmax, [FLOAT, HALF, 8, 128]),
    "softmax_float": (softmax, [FLOAT, FLOAT, 8, 128]),
    "softmax_causal": (softmax_causal, [FLOAT, HALF, 8, 128]),
    "softmax_causal_additive": (softmax_causal_additive, [FLOAT, HALF, 8, 128]),
    "softmax_window": (softmax_window, [FLOAT, HALF, 20, 8, 128]),
    "softmax_alibi": (softmax_alibi, [FLOAT, HALF, 8, 128]),
    "softmax_capped": (softmax_capped, [FLOAT, HALF, ct.float32, 8, 128]),
    "softmax_sink": (softmax_sink, [FLOAT, FLAT, HALF, 8, 128]),
    "pv": (pv, [HALF, HALF, HALF, 2, 16, 16, 32]),
    "pv_float": (pv_float, [FLOAT, HALF, HALF, 2, 16, 16, 32]),
    "pv_narrow": (pv, [FLOAT, HALF, HALF, 2, 16, 16, 32]),
    "flash": (flash, [*QKVO, 2, 16, 16, 16]),
    "flash_wide": (flash, [*QKVO, 2, 16, 32, 16]),
    "flash_zeroed": (flash_zeroed, [*QKVO, 2, 16, 16, 32]),
    "flash_persistent": (flash_persistent, [*QKVO, 2, 16, 16, 16]),
    "flash_normalised": (flash_normalised, [*QKVO, 2, 16, 16, 16]),
    "flash_prescaled": (flash_prescaled, [HALF, HALF, HALF, HALF, 2, 16, 16, 16]),
    "flash_causal": (flash_causal, [*QKVO, 2, 16, 16, 16]),
    "flash_causal_wide": (flash_causal, [*QKVO, 2, 16, 32, 16]),
    "flash_causal_diagonal": (flash_causal_diagonal, [*QKVO, 2, 16, 16]),
    "flash_window": (flash_window, [*QKVO, 2, 20, 16, 16, 16]),
    "flash_alibi": (flash_alibi, [*QKVO, 2, 16, 16, 16]),
    "flash_capped": (flash_capped, [*QKVO, ct.float32, 2, 16, 16, 16]),
    "flash_sink": (flash_sink, [HALF, HALF, HALF, FLAT, HALF, ct.float32, 2, 16, 16, 16]),
    "flash_packed": (flash_packed, [*QKVO, 2, 16, 16, 16]),
    "flash_paged": (flash_paged, [HALF, HALF4, HALF4, INDICES, HALF, ct.int32, ct.float32, 2, 16, 16, 16]),
    "to_pages": (to_pages, [HALF, INDICES, HALF4, 16, 16]),
    "split_e": (split_e, [HALF, HALF, HALF, FLOAT4, FLOAT, ct.float32, 2, 2, 16, 16, 16]),
    "merge_e": (merge_e, [FLOAT4, FLOAT, HALF, 4, 16, 16]),
    "split_2": (split_2, [HALF, HALF, HALF, FLOAT4, FLOAT, ct.float32, 2, 2, 16, 16, 16]),
    "merge_2": (merge_2, [FLOAT4, FLOAT, HALF, 16, 16]),
    "decode_products": (decode_products, [HALF, HALF, HALF, array(ct.float16, 2), ct.float32, 2, 16, 128]),
    "decode_group": (decode_group, [HALF, HALF, HALF, array(ct.float16, 2), ct.float32, 2, 16, 16]),
    "backward_ds": (backward_ds, [FLOAT, HALF, HALF, FLOAT, ct.float32, 2, 16, 16, 128]),
    "backward_dq": (backward_dq, [FLOAT, HALF, HALF, 2, 16, 16, 128]),
    "backward_dkv": (backward_dkv, [FLOAT, FLOAT, HALF, HALF, HALF, HALF, 2, 16, 128, 16]),
    "forward_lse": (forward_lse, [HALF, HALF, HALF, FLOAT, FLOAT_2, ct.float32, 2, 16, 16, 16]),
    "log_sums": (log_sums, [FLOAT, FLOAT_2, 8, 128]),
    "forward_lse_2": (forward_lse_2, [HALF, HALF, HALF, FLOAT, FLOAT_2, ct.float32, 2, 16, 16, 16]),
    "flash_backward_dq": (flash_backward_dq, [HALF, HALF, HALF, FLOAT, HALF, FLOAT_2, HALF, ct.float32, 2, 16, 16, 16]),
    "flash_backward_dkv": (
        flash_backward_dkv,
        [HALF, HALF, HALF, FLOAT, HALF, FLOAT_2, HALF, HALF, ct.float32, 2, 16, 16, 16],
    ),
}

Q, K, V = (
    buffer("f16", [4, 72, 16], given("q.f16")),
    buffer("f16", [2, 72, 16], given("k.f16")),
    buffer("f16", [2, 72, 16], NORMAL),
)
GIVEN = {"Q": Q, "K": K, "V": V}
UNFUSED = {**GIVEN, "S": buffer("f32", [4, 72, 72]), "P": buffer("f16", [4, 72, 72]), "O": buffer("f16", [4, 72, 16])}
FUSED = ("unfused", "flash")
SMALL = "{normal: {mean: 0, std: 0.3}}"  # as in a freshly initialised model: attention is nearly an average
CALM = {**UNFUSED, "Q": buffer("f16", [4, 72, 16], SMALL), "K": buffer("f16", [2, 72, 16], SMALL)}
SCALE, SCALE_2 = "f32 0.25", "f32 0.36067376"  # 1 / sqrt(16), and that times log2(e)


def unfused(weights, *arguments):
    return [
        run("scores", (3, 5, 4), "Q", "K", "S", SCALE),
        (
            run(weights, (9, 4), "S", *arguments, "P")
            if weights == "softmax_sink"
            else run(weights, (9, 4), "S", "P", *arguments)
        ),
        run("pv", (5, 4), "P", "V", "O"),
    ]


def split(kernel, merge, scale, merge_grid=(5, 4)):
    return [
        run(kernel, (5, 4, 3), "Q", "K", "V", "PARTS", "LSE", scale),
        run(merge, merge_grid, "PARTS", "LSE", "O"),
    ]


SPLIT_BUFFERS = {**UNFUSED, "PARTS": buffer("f32", [3, 4, 72, 16]), "LSE": buffer("f32", [3, 4, 72])}

# Queries and keys from files have one size. Pairs named ..._sizes are the same with other contents at others: tiles of
# 16 and 32 that are ragged, whole, with one element in the last, a single one, one element.
SIZES = {"N": [40, 64, 33, 16, 1]}
BY_16, BY_32 = "cdiv(N, 16)", "cdiv(N, 32)"
QKV_N = {
    "Q": buffer("f16", [4, "N", 16], SMALL),
    "K": buffer("f16", [2, "N", 16], SMALL),
    "V": buffer("f16", [2, "N", 16], NORMAL),
}
FUSED_N = {**QKV_N, "O": buffer("f16", [4, "N", 16])}
UNFUSED_N = {**FUSED_N, "S": buffer("f32", [4, "N", "N"]), "P": buffer("f16", [4, "N", "N"])}
FLOAT_N = {**UNFUSED_N, "P": buffer("f32", [4, "N", "N"])}
SPLIT_N = {**UNFUSED_N, "PARTS": buffer("f32", [BY_32, 4, "N", 16]), "LSE": buffer("f32", [BY_32, 4, "N"])}
ONE_KEY = "a last block with a single key is skipped"


def unfused_n(weights, *arguments, product="pv"):
    return [
        run("scores", (BY_32, BY_16, 4), "Q", "K", "S", SCALE),
        run(weights, ("cdiv(N, 8)", 4), "S", *arguments),
        run(product, (BY_16, 4), "P", "V", "O"),
    ]


def one_row(kernel):
    """A mutant whose last block of queries is left out if it has a single one."""
    return launched(
        "one_row",
        f"{kernel}.tileirbc, grid: [cdiv(N, 16)",
        f"{kernel}.tileirbc, grid: [max(cdiv(N - 1, 16), 1)",
        "a last block with a single query is left out",
    )


def one_key(kernel, loop="range(ct.cdiv(keys, TN))", less="range(ct.cdiv(keys - 1, TN))"):
    """A mutant that skips the last block of keys if it has a single one."""
    return mutant("one_key", kernel, loop, less, ONE_KEY)


def sizes_pair(name, title, buffers, reference, variant, compare, mutants, names=FUSED, parameters=SIZES):
    title += ", at sizes with tails"
    more = {"names": names, "parameters": parameters}
    return pair(name + "_sizes", title, buffers, reference, variant, compare, mutants, **more)


BACKWARD = {
    **GIVEN,
    "DO": buffer("f16", [4, 72, 16], NORMAL),
    "S": buffer("f32", [4, 72, 72]),
    "P": buffer("f32", [4, 72, 72]),
    "DS": buffer("f32", [4, 72, 72]),
    "O": buffer("f32", [4, 72, 16]),
    "LSE": buffer("f32", [4, 72]),
    "DQ": buffer("f16", [4, 72, 16]),
    "DK": buffer("f16", [2, 72, 16]),
    "DV": buffer("f16", [2, 72, 16]),
}
STORED_BACKWARD = [
    run("scores", (3, 5, 4), "Q", "K", "S", SCALE),
    run("softmax_float", (9, 4), "S", "P"),
    run("backward_ds", (5, 4), "P", "V", "DO", "DS", SCALE),
    run("backward_dq", (5, 4), "DS", "K", "DQ"),
    run("backward_dkv", (5, 2), "P", "DS", "Q", "DO", "DK", "DV"),
]
FLASH_BACKWARD = [
    run("flash_backward_dq", (5, 4), "Q", "K", "V", "O", "DO", "LSE", "DQ", SCALE),
    run("flash_backward_dkv", (5, 2), "Q", "K", "V", "O", "DO", "LSE", "DK", "DV", SCALE),
]

PAIRS = [
    pair(
        "flash",
        "attention in three kernels with exp, and flash attention with exp2",
        UNFUSED,
        unfused("softmax"),
        [run("flash", (5, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [
            # Not here, because they compute the same: the maximum of the block alone in place of the running one, and
            # a running
            # maximum that starts at 0. Any finite m gives the same result: p and alpha hold 2^-m_new alike, and it
            # cancels in acc / l.
            mutant("sum_not_rescaled", "flash", "l = l * alpha + ", "l = l + ", "the running sum is not rescaled"),
            mutant("acc_not_rescaled", "flash", "vt, acc * alpha)", "vt, acc)", "the accumulator is not rescaled"),
            mutant("maximum_not_kept", "flash", "m = m_new", "m = m", "the running maximum stays at -inf"),
            mutant(
                "alpha_base_e",
                "flash",
                "alpha = ct.exp2(m",
                "alpha = ct.exp(m",
                "the rescale to base e, the weights to base 2",
            ),
            mutant(
                "weights_base_e",
                "flash",
                "p = ct.exp2(s",
                "p = ct.exp(s",
                "the weights to base e, the rescale to base 2",
            ),
            mutant(
                "alpha_halved",
                "flash",
                "alpha = ct.exp2(m - m_new)",
                "alpha = ct.exp2(0.5 * (m - m_new))",
                "half the exponent in the rescale",
            ),
            mutant(
                "one_key_more",
                "flash",
                ".reshape((1, TN)) < keys",
                ".reshape((1, TN)) <= keys",
                "a key behind the end counts",
            ),
            mutant(
                "one_key_less",
                "flash",
                ".reshape((1, TN)) < keys",
                ".reshape((1, TN)) < keys - 1",
                "the last key does not count",
            ),
            mutant(
                "no_mask",
                "flash",
                "s = ct.where(inside, s, -math.inf)",
                "s = ct.where(inside, s, s)",
                "keys behind the end have score 0",
            ),
            mutant(
                "mask_zero",
                "flash",
                "ct.where(inside, s, -math.inf)",
                "ct.where(inside, s, 0.0)",
                "masked by 0 in place of -inf",
            ),
            mutant(
                "last_block_skipped",
                "flash",
                "range(ct.cdiv(keys, TN))",
                "range(keys // TN)",
                "the last, incomplete block is left out",
            ),
            mutant(
                "first_block_skipped",
                "flash",
                "range(ct.cdiv(keys, TN))",
                "range(1, ct.cdiv(keys, TN))",
                "the first block is left out",
            ),
            mutant(
                "key_head",
                "flash",
                "ct.load(k, index=(head // GROUP,",
                "ct.load(k, index=(head % k.shape[0],",
                "the key head modulo, not by group",
            ),
            mutant(
                "value_head",
                "flash",
                "ct.load(v, index=(head // GROUP,",
                "ct.load(v, index=(head % v.shape[0],",
                "the value head modulo, not by group",
            ),
            mutant(
                "both_heads",
                "flash",
                "keys = k.shape[1]",
                "keys = k.shape[1]",
                "keys and values of the wrong head",
                ("ct.load(k, index=(head // GROUP,", "ct.load(k, index=(head % 2,"),
                ("ct.load(v, index=(head // GROUP,", "ct.load(v, index=(head % 2,"),
            ),
            mutant(
                "value_block",
                "flash",
                "j, 0), shape=(1, TN, D)",
                "0, 0), shape=(1, TN, D)",
                "always the first block of values",
            ),
            mutant(
                "query_block",
                "flash",
                "ct.load(q, index=(head, block, 0)",
                "ct.load(q, index=(head, 0, 0)",
                "always the first block of queries",
            ),
            mutant(
                "query_head",
                "flash",
                "ct.load(q, index=(head, block",
                "ct.load(q, index=(head // GROUP, block",
                "the query of the key head",
            ),
            mutant("keys_for_values", "flash", "ct.load(v, index", "ct.load(k, index", "keys in the place of values"),
            mutant(
                "not_transposed",
                "flash",
                "0, j), shape=(1, D, TN), order=(0, 2, 1)",
                "j, 0), shape=(1, TN, D)",
                "keys reshaped, not transposed",
            ),
            mutant("no_scale", "flash", "dtype=ct.float32)) * scale", "dtype=ct.float32))", "scores are not scaled"),
            mutant(
                "scale_on_both",
                "flash",
                "dtype=ct.float32)) * scale",
                "dtype=ct.float32)) * scale * scale",
                "scores are scaled twice",
            ),
            mutant(
                "sum_starts_at_one",
                "flash",
                "l = ct.full((TM, 1), 0.0",
                "l = ct.full((TM, 1), 1.0",
                "the running sum starts at 1",
                ("m = ct.full((TM, 1), -math.inf", "m = ct.full((TM, 1), 0.0"),
            ),
            mutant(
                "acc_starts_at_one",
                "flash",
                "acc = ct.full((TM, D), 0.0",
                "acc = ct.full((TM, D), 1.0",
                "the accumulator starts at 1",
                ("m = ct.full((TM, 1), -math.inf", "m = ct.full((TM, 1), 0.0"),
            ),
            mutant("not_normalised", "flash", "tile=(acc / l)", "tile=acc", "the division by the sum is missing"),
            mutant(
                "sign",
                "flash",
                "p = ct.exp2(s - m_new)",
                "p = ct.exp2(m_new - s)",
                "the weights have the wrong sign",
                ("ct.where(inside, s, -math.inf)", "ct.where(inside, s, math.inf)"),
            ),
            mutant(
                "sum_of_scores",
                "flash",
                "ct.sum(p, axis=-1",
                "ct.sum(ct.where(inside, p * p, 0.0), axis=-1",
                "the sum of squared weights",
            ),
            launched("natural_scale", "f32 0.36067376", "f32 0.25", "the scale lacks log2(e)"),
            launched("inverse_scale", "f32 0.36067376", "f32 0.5201", "divided by log2(e) the wrong way round"),
            launched("scale_by_width", "f32 0.36067376", "f32 0.09016844", "1 / 16 in place of 1 / sqrt(16)"),
        ],
        names=FUSED,
    ),
    pair(
        "tiles",
        "flash attention with other tile sizes, weights of missing keys masked before and after the exponential",
        UNFUSED,
        [run("flash_wide", (3, 4), "Q", "K", "V", "O", SCALE_2)],
        [run("flash_zeroed", (5, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [
            mutant(
                "weights_not_zeroed",
                "flash_zeroed",
                "p = ct.where(inside, ct.exp2(s - m_new), 0.0)",
                "p = ct.exp2(s - m_new)",
                "missing keys have a weight",
            ),
            mutant(
                "zeroed_by_one",
                "flash_zeroed",
                "ct.exp2(s - m_new), 0.0)",
                "ct.exp2(s - m_new), 1.0)",
                "missing keys have weight 1",
            ),
            mutant("sum_not_rescaled", "flash_zeroed", "l = l * alpha", "l = l", "the running sum is not rescaled"),
            mutant(
                "rescaled_late",
                "flash_zeroed",
                "alpha = ct.exp2(m - m_new)",
                "alpha = ct.exp2(m_new - m_new)",
                "the rescale is always 1",
            ),
        ],
        names=("wide", "zeroed"),
    ),
    pair(
        "causal",
        "causal attention masked by -inf, and flash attention that skips masked blocks",
        UNFUSED,
        unfused("softmax_causal"),
        [run("flash_causal", (5, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [
            mutant(
                "sees_next",
                "flash_causal",
                ".reshape((1, TN)) <= row",
                ".reshape((1, TN)) <= row + 1",
                "a query sees the key after its own",
            ),
            mutant(
                "not_itself",
                "flash_causal",
                ".reshape((1, TN)) <= row",
                ".reshape((1, TN)) < ct.maximum(row, 1)",
                "a query does not see its own key",
            ),
            mutant(
                "diagonal_skipped",
                "flash_causal",
                "range(min(ct.cdiv((block + 1) * TM, TN), ct.cdiv(k.shape[1], TN)))",
                "range(ct.maximum(block, 1))",
                "the block on the diagonal is skipped",
            ),
            mutant(
                "row_of_first_block",
                "flash_causal",
                "row = (block * TM + ",
                "row = (",
                "positions within the block in place of the sequence",
            ),
            mutant(
                "no_mask",
                "flash_causal",
                "ct.where(seen, s, -math.inf)",
                "ct.where(seen, s, s)",
                "the block on the diagonal is not masked",
            ),
            mutant(
                "column_shifted", "flash_causal", "seen = (j * TN + ", "seen = (j * TN + 1 + ", "columns count from 1"
            ),
            mutant(
                "sum_not_rescaled", "flash_causal", "l = l * alpha + ", "l = l + ", "the running sum is not rescaled"
            ),
        ],
        names=FUSED,
    ),
    pair(
        "causal_additive",
        "causal attention masked by adding -1e6, and flash attention that skips masked blocks, in wide tiles",
        UNFUSED,
        unfused("softmax_causal_additive"),
        [run("flash_causal_wide", (3, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [
            mutant(
                "one_block_less",
                "flash_causal_wide",
                "ct.cdiv((block + 1) * TM, TN)",
                "ct.maximum((block + 1) * TM // TN - 1, 1)",
                "the last block on the diagonal is skipped",
            ),
            mutant(
                "tile_of_columns",
                "flash_causal_wide",
                "row = (block * TM",
                "row = (block * TN",
                "rows counted in column tiles",
            ),
        ],
        names=FUSED,
    ),
    pair(
        "causal_masks",
        "causal attention masked by -inf, and by adding -1e6",
        UNFUSED,
        unfused("softmax_causal"),
        unfused("softmax_causal_additive"),
        ["O"],
        [
            mutant("weak_mask", "softmax_causal_additive", "-1.0e6", "-10.0", "adding -10 is no mask"),
            mutant(
                "off_by_one",
                "softmax_causal_additive",
                "column <= row",
                "column <= row + 1",
                "a query sees the key after its own",
            ),
            mutant(
                "sign", "softmax_causal_additive", "0.0, -1.0e6", "0.0, 1.0e6", "what is not seen is all that is seen"
            ),
        ],
        names=("infinity", "million"),
    ),
    pair(
        "causal_diagonal",
        "causal attention masked by -inf, and flash attention with one loop for full blocks and -1e6 on the diagonal",
        UNFUSED,
        unfused("softmax_causal"),
        [run("flash_causal_diagonal", (5, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [
            mutant(
                "strict",
                "flash_causal_diagonal",
                "row >= column",
                "row > column - 2",
                "a query sees the key after its own",
            ),
            mutant("upper", "flash_causal_diagonal", "row >= column", "row <= column", "the other triangle"),
            mutant(
                "one_block_less",
                "flash_causal_diagonal",
                "range(block)",
                "range(block - 1)",
                "a full block is left out",
            ),
            mutant(
                "last_sum_not_rescaled",
                "flash_causal_diagonal",
                "    alpha = ct.exp2(m - m_new)\n"
                "    l = l * alpha + ct.sum(p, axis=-1, keepdims=True)\n"
                "    acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)\n"
                "    ct.store",
                "    alpha = ct.exp2(m - m_new)\n"
                "    l = l + ct.sum(p, axis=-1, keepdims=True)\n"
                "    acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)\n"
                "    ct.store",
                "the sum is not rescaled for the last block",
            ),
        ],
        names=FUSED,
    ),
    pair(
        "window",
        "sliding window attention with a full mask, and flash attention that skips blocks on both sides",
        CALM,
        unfused("softmax_window"),
        [run("flash_window", (5, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [
            mutant(
                "one_more",
                "flash_window",
                "column > row - WINDOW",
                "column >= row - WINDOW",
                "the window is one key longer",
                ("block * TM - WINDOW + 1", "block * TM - WINDOW"),
            ),
            mutant(
                "one_less",
                "flash_window",
                "column > row - WINDOW",
                "column > row - WINDOW + 1",
                "the window is one key shorter",
            ),
            mutant(
                "starts_late",
                "flash_window",
                "max(0, block * TM - WINDOW + 1) // TN",
                "max(0, (block + 1) * TM - WINDOW) // TN",
                "blocks of the first rows of a tile are skipped",
            ),
            mutant(
                "no_lower_bound",
                "flash_window",
                "(column <= row) & (column > row - WINDOW)",
                "column <= row",
                "the first block is not masked from below",
            ),
            mutant(
                "seen_nothing",
                "flash_window",
                "ct.where(m_new == -math.inf, 0.0, m_new)",
                "ct.where(m == -math.inf, 0.0, m_new)",
                "the first block is not shifted, later ones are rescaled as if",
            ),
        ],
        names=FUSED,
    ),
    pair(
        "split_e",
        "attention in three kernels, and split over the keys and merged by log-sum-exps in base e",
        {**SPLIT_BUFFERS, **CALM},
        unfused("softmax"),
        split("split_e", "merge_e", SCALE),
        ["O"],
        [
            mutant(
                "lse_without_maximum",
                "split_e",
                "tile=(m + ct.log(l))",
                "tile=ct.log(l)",
                "the log-sum-exp lacks the maximum",
            ),
            mutant(
                "lse_without_log",
                "split_e",
                "tile=(m + ct.log(l))",
                "tile=(m + l)",
                "the log-sum-exp lacks the logarithm",
            ),
            mutant("not_normalised", "split_e", "tile=(acc / l)", "tile=acc", "the parts are not normalised"),
            mutant(
                "share",
                "split_e",
                "min((split + 1) * SHARE, ",
                "min((split + 1) * SHARE + 1, ",
                "parts overlap by a block",
            ),
            mutant("start", "split_e", "range(split * SHARE, ", "range(0, ", "each part starts at the first block"),
            mutant(
                "equal_weights",
                "merge_e",
                "w = w / ct.sum(w, axis=0, keepdims=True)",
                "w = ct.where(lt > -math.inf, 1.0, 0.0) / 3.0",
                "the plain mean of the parts",
            ),
            mutant(
                "weights_not_normalised",
                "merge_e",
                "w = w / ct.sum(w, axis=0, keepdims=True)",
                "w = w",
                "the weights do not add up to 1",
            ),
            mutant(
                "merge_base", "merge_e", "w = ct.exp(lt", "w = ct.exp2(lt", "merged in base 2, log-sum-exps in base e"
            ),
            mutant(
                "absent_part",
                "merge_e",
                "lt = ct.where(there, lt, -math.inf)",
                "lt = ct.where(there, lt, 0.0)",
                "a part that is not there has a weight",
            ),
            mutant(
                "head_of_lse",
                "merge_e",
                "ct.load(lse, index=(0, head, block)",
                "ct.load(lse, index=(0, head // 2, block)",
                "log-sum-exps of another head",
            ),
            launched("two_parts", "grid: [5, 4, 3]", "grid: [5, 4, 2]", "the last part is never computed"),
        ],
        names=("unfused", "split"),
    ),
    pair(
        "split_2",
        "flash attention, and split over the keys and merged one part after the other in base 2",
        SPLIT_BUFFERS,
        [run("flash", (5, 4), "Q", "K", "V", "O", SCALE_2)],
        split("split_2", "merge_2", SCALE_2),
        ["O"],
        [
            mutant("log_base", "split_2", "ct.log2(l)", "ct.log(l)", "a natural logarithm among powers of 2"),
            mutant(
                "weight_of_part",
                "merge_2",
                "pt * ct.exp2(lt - new)",
                "pt * ct.exp2(lt - m)",
                "the new part's weight is not normalised",
            ),
            mutant(
                "weight_of_total",
                "merge_2",
                "ot * ct.exp2(total - new)",
                "ot * ct.exp2(total - m)",
                "the weight of the parts so far is not normalised",
            ),
            mutant(
                "total_not_kept", "merge_2", "total = new", "total = total", "the total stays that of the first part"
            ),
            mutant(
                "total_is_maximum",
                "merge_2",
                "total = new",
                "total = m",
                "the larger log-sum-exp in place of their sum",
            ),
            mutant(
                "one_part_less",
                "merge_2",
                "range(1, parts.shape[0])",
                "range(1, parts.shape[0] - 1)",
                "the last part is left out",
            ),
        ],
        names=("flash", "split"),
    ),
    pair(
        "split_bases",
        "attention split over the keys: base e merged at once, base 2 merged one after the other",
        SPLIT_BUFFERS,
        split("split_e", "merge_e", SCALE),
        split("split_2", "merge_2", SCALE_2),
        ["O"],
        [
            mutant(
                "scale_in_log",
                "split_2",
                "tile=(m + ct.log2(l))",
                "tile=(m + ct.log2(l) * 0.6931472)",
                "half of the log-sum-exp converted to base e",
            ),
            launched("scale", "f32 0.36067376", "f32 0.17328680", "the scale divided by log2(e)"),
        ],
        names=("base_e", "base_2"),
    ),
    pair(
        "grouped",
        "grouped query heads one by one, and stacked in one tile",
        CALM,
        [run("flash", (5, 4), "Q", "K", "V", "O", SCALE_2)],
        [run("flash_packed", (5, 2), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [
            mutant(
                "heads_interleaved",
                "flash_packed",
                "tile=(acc / l).astype(o.dtype).reshape((GROUP, TM, D))",
                "tile=(acc / l).astype(o.dtype).reshape((TM, GROUP, D)).permute((1, 0, 2))",
                "rows of the tile are taken for another order",
            ),
            mutant(
                "key_head",
                "flash_packed",
                "ct.load(k, index=(head,",
                "ct.load(k, index=(1 - head,",
                "the other key head",
            ),
            mutant(
                "value_head",
                "flash_packed",
                "ct.load(v, index=(head,",
                "ct.load(v, index=(0,",
                "always the first value head",
            ),
            mutant(
                "maximum_of_all",
                "flash_packed",
                "acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)",
                "acc = ct.mma(p.astype(v.dtype), vt, acc * ct.max(alpha, axis=0, keepdims=True))",
                "one rescale for all rows",
            ),
        ],
        names=("single", "packed"),
    ),
    pair(
        "persistent",
        "flash attention, and one program for all blocks of a head with keys transposed in registers",
        UNFUSED,
        [run("flash_zeroed", (5, 4), "Q", "K", "V", "O", SCALE_2)],
        [run("flash_persistent", (4,), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [
            mutant(
                "reshaped",
                "flash_persistent",
                "ct.transpose(kt)",
                "kt.reshape((D, TN))",
                "keys reshaped, not transposed",
            ),
            mutant(
                "query_once",
                "flash_persistent",
                "ct.load(q, index=(head, block, 0)",
                "ct.load(q, index=(head, block // 2, 0)",
                "queries loaded for every second block",
            ),
            mutant(
                "state_kept",
                "flash_persistent",
                "        m = ct.full((TM, 1), -math.inf, dtype=ct.float32)\n"
                "        l = ct.full((TM, 1), 0.0, dtype=ct.float32)\n"
                "        acc = ct.full((TM, D), 0.0, dtype=ct.float32)\n",
                "",
                "maximum, sum and accumulator are not reset for the next block",
                (
                    "    for block in range(ct.cdiv(q.shape[1], TM)):\n",
                    "    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)\n"
                    "    l = ct.full((TM, 1), 0.0, dtype=ct.float32)\n"
                    "    acc = ct.full((TM, D), 0.0, dtype=ct.float32)\n"
                    "    for block in range(ct.cdiv(q.shape[1], TM)):\n",
                ),
            ),
        ],
        names=("flash", "persistent"),
    ),
    pair(
        "normalised",
        "attention in three kernels with f32 weights, and two passes over the keys that normalise before the product",
        {**UNFUSED, "P": buffer("f32", [4, 72, 72])},
        [
            run("scores", (3, 5, 4), "Q", "K", "S", SCALE),
            run("softmax_float", (9, 4), "S", "P"),
            run("pv_float", (5, 4), "P", "V", "O"),
        ],
        [run("flash_normalised", (5, 4), "Q", "K", "V", "O", SCALE)],
        ["O"],
        [
            mutant(
                "sum_not_rescaled",
                "flash_normalised",
                "l = l * ct.exp(m - m_new) + ",
                "l = l + ",
                "the running sum is not rescaled",
            ),
            mutant(
                "divided_twice",
                "flash_normalised",
                "tile=acc.astype",
                "tile=(acc / l).astype",
                "divided by the sum twice",
            ),
            mutant(
                "other_scale",
                "flash_normalised",
                "dtype=ct.float32)) * scale\n"
                "        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)\n"
                "        acc",
                "dtype=ct.float32)) * scale * 1.0625\n"
                "        s = ct.where((j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys, s, -math.inf)\n"
                "        acc",
                "another scale in the second pass",
            ),
        ],
        names=("unfused", "passes"),
    ),
    pair(
        "weights_f32",
        "weights narrowed to f16 after the softmax, and flash attention that narrows them before the division",
        {**UNFUSED, "P": buffer("f32", [4, 72, 72])},
        [
            run("scores", (3, 5, 4), "Q", "K", "S", SCALE),
            run("softmax_float", (9, 4), "S", "P"),
            run("pv_narrow", (5, 4), "P", "V", "O"),
        ],
        [run("flash_zeroed", (5, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [
            mutant(
                "weights_cut",
                "flash_zeroed",
                "p = ct.where(inside, ct.exp2(s - m_new), 0.0)",
                "p = ct.where(inside & (s > m_new - 4.0), ct.exp2(s - m_new), 0.0)",
                "small weights are dropped",
            ),
        ],
        names=("unfused", "flash"),
    ),
    pair(
        "prescaled",
        "attention in three kernels, and flash attention with transposed keys and the scale computed into the queries",
        {**UNFUSED, "KT": buffer("f16", [2, 16, 72], given("kt.f16"))},
        unfused("softmax"),
        [run("flash_prescaled", (5, 4), "Q", "KT", "V", "O")],
        ["O"],
        [
            mutant("sqrt", "flash_prescaled", "ct.rsqrt(", "ct.sqrt(", "multiplied by the root"),
            mutant(
                "key_block",
                "flash_prescaled",
                "0, j), shape=(1, D, TN)",
                "0, 0), shape=(1, D, TN)",
                "always the first block of keys",
            ),
            mutant(
                "acc_not_rescaled",
                "flash_prescaled",
                "acc = acc * alpha + ",
                "acc = acc + ",
                "the accumulator is not rescaled",
            ),
            mutant(
                "reciprocal",
                "flash_prescaled",
                "acc * (1.0 / l)",
                "acc * (1.0 / (l + 1.0e-3))",
                "an epsilon in the division",
            ),
        ],
        names=("unfused", "prescaled"),
    ),
    pair(
        "alibi",
        "causal attention with a distance penalty, and flash attention that adds the key's position only",
        CALM,
        unfused("softmax_alibi"),
        [run("flash_alibi", (5, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [
            mutant(
                "slope",
                "flash_alibi",
                "slope = ct.exp2(-(head + 1)",
                "slope = ct.exp2(-(head + 2)",
                "the slope of the next head",
            ),
            mutant("slope_base", "flash_alibi", "* LOG2_E", "* 1.0", "the slope lacks log2(e)"),
            mutant("sign", "flash_alibi", "s + slope * column", "s - slope * column", "the far keys are preferred"),
            mutant(
                "column_in_block",
                "flash_alibi",
                "slope * column.astype",
                "slope * (column - j * TN).astype",
                "positions within the block",
            ),
        ],
        names=FUSED,
    ),
    pair(
        "capped",
        "attention with soft-capped scores, and flash attention with 1 / cap in the scale and log2(e) after the tanh",
        UNFUSED,
        unfused("softmax_capped", "f32 5"),
        [run("flash_capped", (5, 4), "Q", "K", "V", "O", "f32 0.05", "f32 5")],
        ["O"],
        [
            mutant("no_cap", "flash_capped", "ct.tanh(s)", "s", "the tanh is missing"),
            mutant(
                "log_inside",
                "flash_capped",
                "s = cap * LOG2_E * ct.tanh(s)",
                "s = cap * ct.tanh(LOG2_E * s)",
                "log2(e) inside the tanh",
            ),
            launched("cap_once", "f32 0.05, f32 5", "f32 0.25, f32 5", "scores are not divided by the cap"),
            launched("other_cap", "f32 0.05, f32 5", "f32 0.05, f32 4", "multiplied by another cap than divided"),
        ],
        names=FUSED,
    ),
    pair(
        "sink",
        "attention with a sink in the softmax, and flash attention that starts from the sink",
        {**CALM, "SINK": buffer("f32", [4], NORMAL)},
        unfused("softmax_sink", "SINK"),
        [run("flash_sink", (5, 4), "Q", "K", "V", "SINK", "O", SCALE)],
        ["O"],
        [
            mutant(
                "no_sink", "flash_sink", "l = ct.full((TM, 1), 1.0", "l = ct.full((TM, 1), 0.0", "the sum starts at 0"
            ),
            mutant(
                "head",
                "flash_sink",
                "ct.load(sink, index=(head,)",
                "ct.load(sink, index=(head // GROUP,)",
                "the sink of the key head",
            ),
            mutant(
                "no_maximum",
                "flash_sink",
                "+ ct.load(sink, index=(head,), shape=(1,)).reshape((1, 1))",
                "",
                "the sink's score is 0",
            ),
        ],
        names=FUSED,
    ),
    pair(
        "paged",
        "flash attention, and the same over pages of keys and values in any order",
        {
            **UNFUSED,
            "TABLE": buffer("i32", [5], given("pages.i32")),
            "KP": buffer("f16", [7, 2, 16, 16]),
            "VP": buffer("f16", [7, 2, 16, 16]),
        },
        [run("flash", (5, 4), "Q", "K", "V", "O", SCALE_2)],
        [
            run("to_pages", (5, 2), "K", "TABLE", "KP"),
            run("to_pages", (5, 2), "V", "TABLE", "VP"),
            run("flash_paged", (5, 4), "Q", "KP", "VP", "TABLE", "O", "i32 72", SCALE_2),
        ],
        ["O"],
        [
            mutant(
                "table_ignored",
                "flash_paged",
                "ct.load(v_pages, index=(page,",
                "ct.load(v_pages, index=(j,",
                "values by position, not by page",
            ),
            mutant(
                "page_before",
                "flash_paged",
                "ct.load(table, index=(j,)",
                "ct.load(table, index=(ct.maximum(j - 1, 0),)",
                "the page before",
            ),
            mutant(
                "head",
                "flash_paged",
                "ct.load(k_pages, index=(page, head // GROUP",
                "ct.load(k_pages, index=(page, head % GROUP",
                "the key head modulo, not by group",
            ),
            launched("keys", "i32 72", "i32 80", "the end of the last page counts"),
            launched("keys_short", "i32 72", "i32 71", "the last key does not count"),
        ],
        names=("contiguous", "paged"),
    ),
    pair(
        "decode",
        "one query by products and sums, and its group's queries by mma in key blocks",
        {**GIVEN, "O": buffer("f16", [4, 16])},
        [run("decode_products", (4,), "Q", "K", "V", "O", SCALE)],
        [run("decode_group", (2,), "Q", "K", "V", "O", SCALE)],
        ["O"],
        [
            mutant("query", "decode_group", "q.shape[1] - 1", "q.shape[1] - 2", "the query before the last"),
            mutant("scale_base", "decode_group", "(scale * LOG2_E)", "scale", "the scale lacks log2(e)"),
            mutant("alpha", "decode_group", "l = l * alpha", "l = l * alpha * alpha", "the sum is rescaled twice"),
        ],
        names=("products", "group"),
    ),
    pair(
        "backward",
        "attention's backward from stored weights, and flash attention's from log-sum-exps",
        BACKWARD,
        STORED_BACKWARD,
        [
            run("forward_lse", (5, 4), "Q", "K", "V", "O", "LSE", SCALE),
            *FLASH_BACKWARD,
        ],
        ["DQ", "DK", "DV"],
        [
            mutant("no_delta", "flash_backward_dq", "p * (dp - delta)", "p * dp", "the row sum is not subtracted"),
            mutant(
                "delta_of_queries",
                "flash_backward_dq",
                "delta = ct.sum(ot *",
                "delta = ct.sum(qt.astype(ct.float32) *",
                "queries in the place of results in the row sum",
            ),
            mutant("no_scale", "flash_backward_dq", "(acc * scale)", "acc", "dq is not scaled"),
            mutant(
                "value_for_key",
                "flash_backward_dq",
                "kt.astype(ct.float32), acc)",
                "vt.astype(ct.float32), acc)",
                "multiplied by values in the place of keys",
            ),
            mutant(
                "lse_without_maximum",
                "forward_lse",
                "tile=(m + ct.log(l))",
                "tile=(ct.log(l))",
                "the log-sum-exp lacks the maximum",
            ),
            mutant(
                "one_head",
                "flash_backward_dkv",
                "for g in range(GROUP)",
                "for g in range(1)",
                "only the first head of the group counts",
            ),
            mutant(
                "head_twice",
                "flash_backward_dkv",
                "h = head * GROUP + g",
                "h = head * GROUP",
                "the first head of the group counts twice",
            ),
            mutant(
                "lse_head",
                "flash_backward_dkv",
                "ct.load(lse, index=(h, block)",
                "ct.load(lse, index=(head, block)",
                "log-sum-exps of another head",
            ),
            mutant(
                "dv_of_delta",
                "flash_backward_dkv",
                "dvt = ct.mma(pt, dot",
                "dvt = ct.mma(pt * (dpt - delta), dot",
                "dv with the weights of dk",
            ),
            mutant("dk_sign", "flash_backward_dkv", "(dpt - delta)", "(delta - dpt)", "dk has the wrong sign"),
            mutant(
                "dk_accumulator",
                "flash_backward_dkv",
                "qt.astype(ct.float32), dkt)",
                "qt.astype(ct.float32), dvt)",
                "dk adds to dv's accumulator",
            ),
        ],
        names=("stored", "recomputed"),
    ),
    pair(
        "log_sums",
        "log-sum-exps of stored scores, and of flash attention that keeps its maximum in base 2",
        {
            **GIVEN,
            "S": buffer("f32", [4, 72, 72]),
            "O": buffer("f32", [4, 72, 16]),
            "LSE": buffer("f32", [4, 72]),
        },
        [run("scores", (3, 5, 4), "Q", "K", "S", SCALE), run("log_sums", (9, 4), "S", "LSE")],
        [run("forward_lse_2", (5, 4), "Q", "K", "V", "O", "LSE", SCALE_2)],
        ["LSE"],
        [
            mutant("maximum_in_base_2", "forward_lse_2", "m * LN_2 +", "m +", "the maximum stays in base 2"),
            mutant("logarithm_in_base_2", "forward_lse_2", "ct.log(l)", "ct.log2(l)", "the logarithm is one to base 2"),
            mutant("both_scaled", "forward_lse_2", "m * LN_2 + ct.log(l)", "(m + ct.log(l)) * LN_2", "ln(2) twice"),
            mutant("no_maximum", "forward_lse_2", "tile=(m * LN_2 + ct.log(l))", "tile=ct.log(l)", "no maximum"),
            mutant("sum_not_rescaled", "forward_lse_2", "l = l * alpha + ", "l = l + ", "the sum is not rescaled"),
            mutant("no_mask", "forward_lse_2", "< keys, s,", "< keys + TN, s,", "keys beyond the last count"),
        ],
        names=("stored", "flash"),
    ),
    pair(
        "backward_natural",
        "attention's backward from stored weights, and from natural log-sum-exps beside a maximum in base 2",
        BACKWARD,
        STORED_BACKWARD,
        [
            run("forward_lse_2", (5, 4), "Q", "K", "V", "O", "LSE", SCALE_2),
            *FLASH_BACKWARD,
        ],
        ["DQ", "DK", "DV"],
        [
            mutant("maximum_in_base_2", "forward_lse_2", "m * LN_2 +", "m +", "the maximum stays in base 2"),
            mutant("logarithm_in_base_2", "forward_lse_2", "ct.log(l)", "ct.log2(l)", "the logarithm is one to base 2"),
            mutant("both_scaled", "forward_lse_2", "m * LN_2 + ct.log(l)", "(m + ct.log(l)) * LN_2", "ln(2) twice"),
        ],
        names=("stored", "recomputed"),
    ),
    # ---- at boundary sizes ----
    sizes_pair(
        "flash",
        "attention in three kernels with exp, and flash attention with exp2",
        UNFUSED_N,
        unfused_n("softmax", "P"),
        [run("flash", (BY_16, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [one_key("flash"), one_row("flash")],
    ),
    sizes_pair(
        "tiles",
        "flash attention with other tile sizes, weights of missing keys masked before and after the exponential",
        FUSED_N,
        [run("flash_wide", (BY_32, 4), "Q", "K", "V", "O", SCALE_2)],
        [run("flash_zeroed", (BY_16, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [
            one_key("flash_zeroed", "range(ct.cdiv(k.shape[1], TN))", "range(ct.cdiv(k.shape[1] - 1, TN))"),
            mutant(
                "key_more",
                "flash_zeroed",
                "reshape((1, TN)) < k.shape[1]",
                "reshape((1, TN)) <= k.shape[1]",
                "a key behind the end counts",
            ),
        ],
        ("wide", "zeroed"),
    ),
    sizes_pair(
        "causal",
        "causal attention masked by -inf, and flash attention that skips masked blocks",
        UNFUSED_N,
        unfused_n("softmax_causal", "P"),
        [run("flash_causal", (BY_16, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [one_key("flash_causal", "ct.cdiv(k.shape[1], TN))", "ct.cdiv(k.shape[1] - 1, TN))"), one_row("flash_causal")],
    ),
    sizes_pair(
        "causal_diagonal",
        "causal attention masked by -inf, and flash attention with one loop for full blocks and -1e6 on the diagonal",
        UNFUSED_N,
        unfused_n("softmax_causal", "P"),
        [run("flash_causal_diagonal", (BY_16, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [one_row("flash_causal_diagonal")],
    ),
    sizes_pair(
        "window",
        "sliding window attention with a full mask, and flash attention that skips blocks on both sides",
        UNFUSED_N,
        unfused_n("softmax_window", "P"),
        [run("flash_window", (BY_16, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [one_key("flash_window", "ct.cdiv(k.shape[1], TN))", "ct.cdiv(k.shape[1] - 1, TN))")],
    ),
    sizes_pair(
        "split_e",
        "attention in three kernels, and split over the keys and merged by log-sum-exps in base e",
        SPLIT_N,
        unfused_n("softmax", "P"),
        [
            run("split_e", (BY_16, 4, BY_32), "Q", "K", "V", "PARTS", "LSE", SCALE),
            run("merge_e", (BY_16, 4), "PARTS", "LSE", "O"),
        ],
        ["O"],
        [
            launched(
                "one_key",
                "grid: [cdiv(N, 16), 4, cdiv(N, 32)]",
                "grid: [cdiv(N, 16), 4, max(cdiv(N - 1, 32), 1)]",
                "a last part with a single key is never computed",
            ),
        ],
        ("unfused", "split"),
    ),
    sizes_pair(
        "split_2",
        "flash attention, and split over the keys and merged one part after the other in base 2",
        SPLIT_N,
        [run("flash", (BY_16, 4), "Q", "K", "V", "O", SCALE_2)],
        [
            run("split_2", (BY_16, 4, BY_32), "Q", "K", "V", "PARTS", "LSE", SCALE_2),
            run("merge_2", (BY_16, 4), "PARTS", "LSE", "O"),
        ],
        ["O"],
        [
            mutant(
                "one_key",
                "split_2",
                "ct.cdiv(keys, TN))",
                "max(ct.cdiv(keys - 1, TN), split * SHARE + 1))",
                "a last block with a single key is skipped where its part has another",
            ),
            mutant(
                "key_more",
                "split_2",
                "reshape((1, TN)) < keys",
                "reshape((1, TN)) <= keys",
                "a key behind the end counts",
            ),
        ],
        ("flash", "split"),
        {"N": [40, 64, 49, 16, 1]},
    ),
    sizes_pair(
        "grouped",
        "grouped query heads one by one, and stacked in one tile",
        FUSED_N,
        [run("flash", (BY_16, 4), "Q", "K", "V", "O", SCALE_2)],
        [run("flash_packed", (BY_16, 2), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [one_key("flash_packed"), one_row("flash_packed")],
        ("single", "packed"),
    ),
    sizes_pair(
        "persistent",
        "flash attention, and one program for all blocks of a head with keys transposed in registers",
        FUSED_N,
        [run("flash_zeroed", (BY_16, 4), "Q", "K", "V", "O", SCALE_2)],
        [run("flash_persistent", (4,), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [
            one_key("flash_persistent"),
            mutant(
                "one_row",
                "flash_persistent",
                "range(ct.cdiv(q.shape[1], TM))",
                "range(ct.cdiv(q.shape[1] - 1, TM))",
                "a last block with a single query is left out",
            ),
        ],
        ("flash", "persistent"),
    ),
    sizes_pair(
        "normalised",
        "attention in three kernels with f32 weights, and two passes that normalise before the product",
        FLOAT_N,
        unfused_n("softmax_float", "P", product="pv_float"),
        [run("flash_normalised", (BY_16, 4), "Q", "K", "V", "O", SCALE)],
        ["O"],
        [
            one_key(
                "flash_normalised",
                "reshape((TM, D))\n    for j in range(ct.cdiv(keys, TN))",
                "reshape((TM, D))\n    for j in range(ct.cdiv(keys - 1, TN))",
            ),
        ],
        ("unfused", "passes"),
    ),
    sizes_pair(
        "alibi",
        "causal attention with a distance penalty, and flash attention that adds the key's position only",
        UNFUSED_N,
        unfused_n("softmax_alibi", "P"),
        [run("flash_alibi", (BY_16, 4), "Q", "K", "V", "O", SCALE_2)],
        ["O"],
        [one_key("flash_alibi", "ct.cdiv(k.shape[1], TN))", "ct.cdiv(k.shape[1] - 1, TN))")],
    ),
    sizes_pair(
        "capped",
        "attention with soft-capped scores, and flash attention with 1 / cap in the scale and log2(e) after the tanh",
        UNFUSED_N,
        unfused_n("softmax_capped", "P", "f32 5"),
        [run("flash_capped", (BY_16, 4), "Q", "K", "V", "O", "f32 0.05", "f32 5")],
        ["O"],
        [one_key("flash_capped"), one_row("flash_capped")],
    ),
    sizes_pair(
        "sink",
        "attention with a sink in the softmax, and flash attention that starts from the sink",
        {**UNFUSED_N, "SINK": buffer("f32", [4], NORMAL)},
        unfused_n("softmax_sink", "SINK", "P"),
        [run("flash_sink", (BY_16, 4), "Q", "K", "V", "SINK", "O", SCALE)],
        ["O"],
        [one_key("flash_sink")],
    ),
    sizes_pair(
        "paged",
        "flash attention, and the same over pages of keys and values in any order",
        {
            **FUSED_N,
            "TABLE": buffer("i32", [5], given("pages.i32")),
            "KP": buffer("f16", [7, 2, 16, 16]),
            "VP": buffer("f16", [7, 2, 16, 16]),
        },
        [run("flash", (BY_16, 4), "Q", "K", "V", "O", SCALE_2)],
        [
            run("to_pages", (BY_16, 2), "K", "TABLE", "KP"),
            run("to_pages", (BY_16, 2), "V", "TABLE", "VP"),
            run("flash_paged", (BY_16, 4), "Q", "KP", "VP", "TABLE", "O", "i32 N", SCALE_2),
        ],
        ["O"],
        [
            one_key("flash_paged", "range(ct.cdiv(keys, PAGE))", "range(ct.cdiv(keys - 1, PAGE))"),
            launched("keys", "i32 N", "i32 cdiv(N, 16) * 16", "the end of the last page counts"),
        ],
        ("contiguous", "paged"),
    ),
    sizes_pair(
        "decode",
        "one query by products and sums, and its group's queries by mma in key blocks",
        {**QKV_N, "O": buffer("f16", [4, 16])},
        [run("decode_products", (4,), "Q", "K", "V", "O", SCALE)],
        [run("decode_group", (2,), "Q", "K", "V", "O", SCALE)],
        ["O"],
        [one_key("decode_group")],
        ("products", "group"),
    ),
    sizes_pair(
        "backward",
        "attention's backward from stored weights, and flash attention's from log-sum-exps",
        {
            **QKV_N,
            "DO": buffer("f16", [4, "N", 16], NORMAL),
            **{name: buffer("f32", [4, "N", "N"]) for name in ("S", "P", "DS")},
            "O": buffer("f32", [4, "N", 16]),
            "LSE": buffer("f32", [4, "N"]),
            "DQ": buffer("f16", [4, "N", 16]),
            "DK": buffer("f16", [2, "N", 16]),
            "DV": buffer("f16", [2, "N", 16]),
        },
        [
            run("scores", (BY_32, BY_16, 4), "Q", "K", "S", SCALE),
            run("softmax_float", ("cdiv(N, 8)", 4), "S", "P"),
            run("backward_ds", (BY_16, 4), "P", "V", "DO", "DS", SCALE),
            run("backward_dq", (BY_16, 4), "DS", "K", "DQ"),
            run("backward_dkv", (BY_16, 2), "P", "DS", "Q", "DO", "DK", "DV"),
        ],
        [
            run("forward_lse", (BY_16, 4), "Q", "K", "V", "O", "LSE", SCALE),
            run("flash_backward_dq", (BY_16, 4), "Q", "K", "V", "O", "DO", "LSE", "DQ", SCALE),
            run("flash_backward_dkv", (BY_16, 2), "Q", "K", "V", "O", "DO", "LSE", "DK", "DV", SCALE),
        ],
        ["DQ", "DK", "DV"],
        [
            one_key("forward_lse"),
            mutant(
                "one_key_dq",
                "flash_backward_dq",
                "range(ct.cdiv(keys, TN))",
                "range(ct.cdiv(keys - 1, TN))",
                "a last block with a single key adds nothing to dq",
            ),
            mutant(
                "one_row",
                "flash_backward_dkv",
                "range(ct.cdiv(queries, TM))",
                "range(ct.cdiv(queries - 1, TM))",
                "a last block with a single query adds nothing to dk and dv",
            ),
        ],
        ("stored", "recomputed"),
        {"N": [40, 64, 33, 16, 2]},  # with one key there is no gradient
    ),
]
