# SPDX-License-Identifier: Apache-2.0
# Attention with grouped key heads: in one kernel (flash attention), in three kernels, and with one bug each.
import math

import cuda.tile as ct
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- one kernel ------------------------------------------------------------------------------------------------------
@ct.kernel
def flash(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """o = softmax(q k^T scale) v in base 2 (scale holds log2(e)), GROUP query heads for each key head.

    Grid (query blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    keys = k.shape[1]
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)  # running maximum
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)  # running sum
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D)).reshape((TM, D))
    for j in range(ct.cdiv(keys, TN)):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO)
        kt = kt.reshape((D, TN))
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < keys
        m_new = ct.maximum(m, ct.max(ct.where(inside, s, -math.inf), axis=-1, keepdims=True))
        p = ct.where(inside, ct.exp2(s - m_new), 0.0)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def flash_persistent(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As flash, for sizes that are multiples of the tiles; one program for each head; grid (heads)."""
    head = ct.bid(0)
    for block in range(ct.cdiv(q.shape[1], TM)):
        m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
        l = ct.full((TM, 1), 0.0, dtype=ct.float32)
        acc = ct.full((TM, D), 0.0, dtype=ct.float32)
        qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D)).reshape((TM, D))
        for j in range(ct.cdiv(k.shape[1], TN)):
            kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1)).reshape((D, TN))
            vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D)).reshape((TN, D))
            s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
            m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
            p = ct.exp2(s - m_new)
            alpha = ct.exp2(m - m_new)
            l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
            acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
            m = m_new
        ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


def causal_with(weights):
    """weights: what masked scores are turned into before the products."""

    @ct.kernel
    def flash_causal(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
        """As flash, where a query sees the keys up to its own position: later key blocks are skipped."""
        block, head = ct.bid(0), ct.bid(1)
        m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
        l = ct.full((TM, 1), 0.0, dtype=ct.float32)
        acc = ct.full((TM, D), 0.0, dtype=ct.float32)
        qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D)).reshape((TM, D))
        row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
        for j in range(ct.cdiv((block + 1) * TM, TN)):
            kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1)).reshape((D, TN))
            vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D)).reshape((TN, D))
            s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
            seen = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) <= row
            s = ct.where(seen, s, -math.inf)
            m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
            p = weights(seen, ct.exp2(s - m_new))
            alpha = ct.exp2(m - m_new)
            l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
            acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
            m = m_new
        ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))

    return flash_causal


def zero_where_masked(seen, p):
    return ct.where(seen, p, 0.0)


def power_of_infinity(seen, p):
    return p  # 2^-inf, which is 0 in IEEE arithmetic and some number in payload algebra


# ---- three kernels ---------------------------------------------------------------------------------------------------
@ct.kernel
def scores(q, k, s, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """s = q k^T scale; grid (key blocks, query blocks, heads)."""
    j, block, head = ct.bid(0), ct.bid(1), ct.bid(2)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D)).reshape((TM, D))
    kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1), padding_mode=ZERO).reshape((D, TN))
    st = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
    ct.store(s, index=(head, block, j), tile=st.reshape((1, TM, TN)))


@ct.kernel
def softmax(s, p, TM: Const, TN: Const):
    """p = 2^s / sum of 2^s for each row, TN at least the row's length; grid (row blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < s.shape[2]
    st = ct.load(s, index=(head, block, 0), shape=(1, TM, TN), padding_mode=ct.PaddingMode.NEG_INF).reshape((TM, TN))
    e = ct.where(inside, ct.exp2(st - ct.max(st, axis=-1, keepdims=True)), 0.0)
    pt = e / ct.sum(e, axis=-1, keepdims=True)
    ct.store(p, index=(head, block, 0), tile=pt.astype(p.dtype).reshape((1, TM, TN)))


@ct.kernel
def softmax_causal(s, p, TM: Const, TN: Const):
    """As softmax, where row r sees columns 0 to r."""
    block, head = ct.bid(0), ct.bid(1)
    row = (block * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    seen = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) <= row
    st = ct.load(s, index=(head, block, 0), shape=(1, TM, TN)).reshape((TM, TN))
    st = ct.where(seen, st, -math.inf)
    e = ct.where(seen, ct.exp2(st - ct.max(st, axis=-1, keepdims=True)), 0.0)
    pt = e / ct.sum(e, axis=-1, keepdims=True)
    ct.store(p, index=(head, block, 0), tile=pt.astype(p.dtype).reshape((1, TM, TN)))


@ct.kernel
def pv(p, v, o, GROUP: Const, D: Const, TM: Const, TN: Const):
    """o = p v; grid (query blocks, heads)."""
    block, head = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(p.shape[2], TN)):
        pt = ct.load(p, index=(head, block, j), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN))
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D), padding_mode=ZERO).reshape((TN, D))
        acc = ct.mma(pt, vt, acc)
    ct.store(o, index=(head, block, 0), tile=acc.astype(o.dtype).reshape((1, TM, D)))


# ---- flash with one bug each -----------------------------------------------------------------------------------------
@ct.kernel
def bug_sum(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """The running sum is not rescaled when the maximum grows."""
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D)).reshape((TM, D))
    for j in range(ct.cdiv(k.shape[1], TN)):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1)).reshape((D, TN))
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D)).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l + ct.sum(p, axis=-1, keepdims=True)  # the bug: l * alpha + ...
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def bug_last_block(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """The number of key blocks is rounded down: the keys of the last, incomplete block are skipped."""
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D)).reshape((TM, D))
    for j in range(k.shape[1] // TN):  # the bug: ct.cdiv(k.shape[1], TN)
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1)).reshape((D, TN))
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D)).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def bug_scale(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """The scale is applied to the queries and again to the scores."""
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D)).reshape((TM, D))
    qt = (qt.astype(ct.float32) * scale).astype(q.dtype)
    for j in range(ct.cdiv(k.shape[1], TN)):
        kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1)).reshape((D, TN))
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D)).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale  # the bug: qt is scaled already
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def bug_head(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """The key head is taken modulo the number of key heads instead of by group; the value head is right."""
    block, head = ct.bid(0), ct.bid(1)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D)).reshape((TM, D))
    for j in range(ct.cdiv(k.shape[1], TN)):
        kt = ct.load(k, index=(head % k.shape[0], 0, j), shape=(1, D, TN), order=(0, 2, 1)).reshape(
            (D, TN)
        )  # the bug: head // GROUP
        vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D)).reshape((TN, D))
        s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
        m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
        p = ct.exp2(s - m_new)
        alpha = ct.exp2(m - m_new)
        l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
        acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
        m = m_new
    ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


@ct.kernel
def bug_reset(q, k, v, o, scale: float, GROUP: Const, D: Const, TM: Const, TN: Const):
    """As flash_persistent, but maximum, sum and accumulator are not reset for the next query block."""
    head = ct.bid(0)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)  # the bug: these three belong into the loop over query blocks
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    for block in range(ct.cdiv(q.shape[1], TM)):
        qt = ct.load(q, index=(head, block, 0), shape=(1, TM, D)).reshape((TM, D))
        for j in range(ct.cdiv(k.shape[1], TN)):
            kt = ct.load(k, index=(head // GROUP, 0, j), shape=(1, D, TN), order=(0, 2, 1)).reshape((D, TN))
            vt = ct.load(v, index=(head // GROUP, j, 0), shape=(1, TN, D)).reshape((TN, D))
            s = ct.mma(qt, kt, ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
            m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
            p = ct.exp2(s - m_new)
            alpha = ct.exp2(m - m_new)
            l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
            acc = ct.mma(p.astype(v.dtype), vt, acc * alpha)
            m = m_new
        ct.store(o, index=(head, block, 0), tile=(acc / l).astype(o.dtype).reshape((1, TM, D)))


HALF, FLOAT = array(ct.float16, 3), array(ct.float32, 3)
FLASH = [HALF, HALF, HALF, HALF, ct.float32, 2, 64, 64, 64]
EXPORTS = {
    "flash": (flash, FLASH),
    "flash_persistent": (flash_persistent, FLASH),
    "flash_causal": (causal_with(zero_where_masked), FLASH),
    "flash_causal_infinity": (causal_with(power_of_infinity), FLASH),
    "scores": (scores, [HALF, HALF, FLOAT, ct.float32, 2, 64, 64, 64]),
    "softmax": (softmax, [FLOAT, HALF, 8, 512]),
    "softmax_causal": (softmax_causal, [FLOAT, HALF, 8, 256]),
    "pv": (pv, [HALF, HALF, HALF, 2, 64, 64, 64]),
    "bug_sum": (bug_sum, FLASH),
    "bug_last_block": (bug_last_block, FLASH),
    "bug_scale": (bug_scale, FLASH),
    "bug_head": (bug_head, FLASH),
    "bug_reset": (bug_reset, FLASH),
}
