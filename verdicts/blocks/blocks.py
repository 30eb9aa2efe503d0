# SPDX-License-Identifier: Apache-2.0
# Whole blocks of a transformer: norm, causal attention, residual, norm, gated MLP, residual. Two blocks
# forward; one and two backward, with all weights.
import math

import cuda.tile as ct
from corpus import NORMAL, buffer, launched, mutant, pair, run
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO
LOG2_E = 1.4426950408889634


# ---- a launch for each step ------------------------------------------------------------------------------------------
@ct.kernel
def rms_norm(x, gain, y, eps: float, TM: Const, D: Const):
    """y = x / sqrt(mean of squares + eps) gain; grid (row blocks)."""
    block = ct.bid(0)
    xt = ct.load(x, index=(block, 0), shape=(TM, D), padding_mode=ZERO).astype(ct.float32)
    root = ct.sqrt(ct.sum(xt * xt, axis=-1, keepdims=True) / D + eps)
    gt = ct.load(gain, index=(0,), shape=(D,)).reshape((1, D))
    ct.store(y, index=(block, 0), tile=(xt / root * gt).astype(y.dtype))


@ct.kernel
def product(a, w, c, TM: Const, TN: Const, TK: Const):
    """c = a w; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], TK)):
        at = ct.load(a, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(at, ct.load(w, index=(k, j), shape=(TK, TN)), acc)
    ct.store(c, index=(i, j), tile=acc.astype(c.dtype))


@ct.kernel
def product_added(a, w, x, y, TM: Const, TN: Const, TK: Const):
    """y = x + a w; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], TK)):
        at = ct.load(a, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(at, ct.load(w, index=(k, j), shape=(TK, TN)), acc)
    xt = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(y, index=(i, j), tile=(xt.astype(ct.float32) + acc).astype(y.dtype))


@ct.kernel
def scores(qkv, s, scale: float, HEADS: Const, D: Const, TM: Const, TN: Const):
    """s = q k^T scale; the columns of qkv are those of q of each head, then k, then v; grid (row blocks, column blocks,
    heads)."""
    i, j, head = ct.bid(0), ct.bid(1), ct.bid(2)
    qt = ct.load(qkv, index=(i, head), shape=(TM, D), padding_mode=ZERO)
    kt = ct.load(qkv, index=(j, HEADS + head), shape=(TN, D), padding_mode=ZERO)
    st = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32)) * scale
    ct.store(s, index=(head, i, j), tile=st.reshape((1, TM, TN)))


@ct.kernel
def softmax_causal(s, p, TM: Const, TN: Const):
    """p = softmax of each row, of which row r sees columns 0 to r; grid (row blocks, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    st = ct.load(s, index=(head, i, 0), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN))
    st = ct.where(column <= row, st, -math.inf)
    e = ct.exp(st - ct.max(st, axis=-1, keepdims=True))
    pt = e / ct.sum(e, axis=-1, keepdims=True)
    ct.store(p, index=(head, i, 0), tile=pt.astype(p.dtype).reshape((1, TM, TN)))


@ct.kernel
def weighted(p, qkv, o, HEADS: Const, D: Const, TM: Const, TN: Const):
    """o = p v; grid (row blocks, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(p.shape[2], TN)):
        pt = ct.load(p, index=(head, i, j), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN))
        vt = ct.load(qkv, index=(j, 2 * HEADS + head), shape=(TN, D), padding_mode=ZERO)
        acc = ct.mma(pt.astype(vt.dtype), vt, acc)
    ct.store(o, index=(i, head), tile=acc.astype(o.dtype))


@ct.kernel
def silu_times(gate, up, h, TM: Const, TN: Const):
    """h = gate sigmoid(gate) up; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    g = ct.load(gate, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    u = ct.load(up, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    ct.store(h, index=(i, j), tile=(g / (1.0 + ct.exp(-g)) * u).astype(h.dtype))


# ---- three launches for a block --------------------------------------------------------------------------------------
@ct.kernel
def norm_product(x, gain, w, c, eps: float, scale: float, Q: Const, TM: Const, TN: Const, TK: Const):
    """c = rms_norm(x) w, where columns before Q are scaled: a row's norm is known when its product is, and is then
    multiplied with; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    width = x.shape[1]
    squares = ct.full((TM, 1), 0.0, dtype=ct.float32)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(width, TK)):
        xt = ct.load(x, index=(i, k), shape=(TM, TK), padding_mode=ZERO).astype(ct.float32)
        squares = squares + ct.sum(xt * xt, axis=-1, keepdims=True)
        gt = ct.load(gain, index=(k,), shape=(TK,)).reshape((1, TK))
        acc = ct.mma((xt * gt).astype(w.dtype), ct.load(w, index=(k, j), shape=(TK, TN)), acc)
    factor = ct.rsqrt(squares / width + eps)
    column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
    acc = acc * factor * ct.where(column < Q, scale, 1.0)
    ct.store(c, index=(i, j), tile=acc.astype(c.dtype))


@ct.kernel
def attend(qkv, wo, x, y, HEADS: Const, D: Const, W: Const, TM: Const, TN: Const):
    """y = x + attention wo: all heads of a block of queries, keys up to its last, scores in base 2; q is scaled. Grid
    (row blocks)."""
    i = ct.bid(0)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    yt = ct.load(x, index=(i, 0), shape=(TM, W), padding_mode=ZERO).astype(ct.float32)
    for head in range(HEADS):
        qt = ct.load(qkv, index=(i, head), shape=(TM, D), padding_mode=ZERO)
        m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
        l = ct.full((TM, 1), 0.0, dtype=ct.float32)
        acc = ct.full((TM, D), 0.0, dtype=ct.float32)
        for j in range(ct.cdiv((i + 1) * TM, TN)):
            kt = ct.load(qkv, index=(j, HEADS + head), shape=(TN, D), padding_mode=ZERO)
            vt = ct.load(qkv, index=(j, 2 * HEADS + head), shape=(TN, D), padding_mode=ZERO)
            s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32))
            column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
            s = ct.where(column <= row, s, -math.inf)
            m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
            p = ct.exp2(s - m_new)
            alpha = ct.exp2(m - m_new)
            l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
            acc = ct.mma(p.astype(vt.dtype), vt, acc * alpha)
            m = m_new
        wt = ct.load(wo, index=(head, 0), shape=(D, W))
        yt = ct.mma((acc / l).astype(wt.dtype), wt, yt)
    ct.store(y, index=(i, 0), tile=yt.astype(y.dtype))


@ct.kernel
def gated_mlp(x, gain, wg, wu, wd, y, eps: float, TM: Const, W: Const, TN: Const):
    """y = x + (silu(n wg) (n wu)) wd of n = rms_norm(x): the hidden columns in blocks, whose parts of the last product
    are added; grid (row blocks)."""
    i = ct.bid(0)
    xt = ct.load(x, index=(i, 0), shape=(TM, W), padding_mode=ZERO).astype(ct.float32)
    factor = ct.rsqrt(ct.sum(xt * xt, axis=-1, keepdims=True) * (1 / W) + eps)
    nt = (xt * ct.load(gain, index=(0,), shape=(W,)).reshape((1, W))).astype(wg.dtype)
    acc = ct.full((TM, W), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(wg.shape[1], TN)):
        zero = ct.full((TM, TN), 0.0, dtype=ct.float32)
        g = ct.mma(nt, ct.load(wg, index=(0, j), shape=(W, TN)), zero) * factor
        u = ct.mma(nt, ct.load(wu, index=(0, j), shape=(W, TN)), zero) * factor
        h = g * u / (1.0 + ct.exp2(-LOG2_E * g))
        wt = ct.load(wd, index=(j, 0), shape=(TN, W))
        acc = ct.mma(h.astype(wt.dtype), wt, acc)
    ct.store(y, index=(i, 0), tile=(xt + acc).astype(y.dtype))


# ---- backward, a launch for each step --------------------------------------------------------------------------------
@ct.kernel
def product_turned(a, w, c, TM: Const, TN: Const, TK: Const):
    """c = a w^T; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[1], TK)):
        at = ct.load(a, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(at, ct.transpose(ct.load(w, index=(j, k), shape=(TN, TK))), acc)
    ct.store(c, index=(i, j), tile=acc)


@ct.kernel
def product_turned_added(a, w, x, y, TM: Const, TN: Const, TK: Const):
    """y = x + a w^T; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    for k in range(ct.cdiv(a.shape[1], TK)):
        at = ct.load(a, index=(i, k), shape=(TM, TK), padding_mode=ZERO)
        acc = ct.mma(at, ct.transpose(ct.load(w, index=(j, k), shape=(TN, TK))), acc)
    ct.store(y, index=(i, j), tile=acc)


@ct.kernel
def product_of_rows(a, b, c, TM: Const, TN: Const, TK: Const):
    """c = a^T b, the gradient of a weight; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    acc = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for k in range(ct.cdiv(a.shape[0], TK)):
        at = ct.load(a, index=(k, i), shape=(TK, TM), padding_mode=ZERO)
        acc = ct.mma(ct.transpose(at), ct.load(b, index=(k, j), shape=(TK, TN), padding_mode=ZERO), acc)
    ct.store(c, index=(i, j), tile=acc)


@ct.kernel
def silu_times_backward(gate, up, dh, dgate, dup, TM: Const, TN: Const):
    """Of h = gate sigmoid(gate) up; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    g = ct.load(gate, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    u = ct.load(up, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    d = ct.load(dh, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
    sigmoid = 1.0 / (1.0 + ct.exp(-g))
    ct.store(dgate, index=(i, j), tile=d * u * sigmoid * (1.0 + g * (1.0 - sigmoid)))
    ct.store(dup, index=(i, j), tile=d * g * sigmoid)


@ct.kernel
def rms_norm_backward(x, gain, dn, dy, dx, eps: float, TM: Const, D: Const):
    """dx = dy + the gradient through n = rms_norm(x), by normalised rows; grid (row blocks)."""
    block = ct.bid(0)
    xt = ct.load(x, index=(block, 0), shape=(TM, D), padding_mode=ZERO)
    dt = ct.load(dn, index=(block, 0), shape=(TM, D), padding_mode=ZERO)
    dt = dt * ct.load(gain, index=(0,), shape=(D,)).reshape((1, D))
    root = ct.sqrt(ct.sum(xt * xt, axis=-1, keepdims=True) / D + eps)
    nt = xt / root
    inner = (dt - nt * (ct.sum(nt * dt, axis=-1, keepdims=True) / D)) / root
    ct.store(dx, index=(block, 0), tile=ct.load(dy, index=(block, 0), shape=(TM, D), padding_mode=ZERO) + inner)


@ct.kernel
def gain_backward(x, dn, dgain, eps: float, TM: Const, D: Const):
    """dgain = the sum over rows of dn times normalised rows; one program."""
    acc = ct.full((D,), 0.0, dtype=ct.float32)
    for block in range(ct.cdiv(x.shape[0], TM)):
        xt = ct.load(x, index=(block, 0), shape=(TM, D), padding_mode=ZERO)
        dt = ct.load(dn, index=(block, 0), shape=(TM, D), padding_mode=ZERO)
        root = ct.sqrt(ct.sum(xt * xt, axis=-1, keepdims=True) / D + eps)
        acc = acc + ct.sum(dt * xt / root, axis=0)
    ct.store(dgain, index=(0,), tile=acc)


@ct.kernel
def softmax_backward(p, qkv, do, ds, scale: float, HEADS: Const, D: Const, TM: Const, TN: Const):
    """ds = p (dp - sum of p dp) scale of dp = do v^T, TN at least the number of keys; grid (row blocks, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    pt = ct.load(p, index=(head, i, 0), shape=(1, TM, TN), padding_mode=ZERO).reshape((TM, TN))
    vt = ct.load(qkv, index=(0, 2 * HEADS + head), shape=(TN, D), padding_mode=ZERO)
    dt = ct.load(do, index=(i, head), shape=(TM, D), padding_mode=ZERO)
    dp = ct.mma(dt, ct.transpose(vt), ct.full((TM, TN), 0.0, dtype=ct.float32))
    st = pt * (dp - ct.sum(pt * dp, axis=-1, keepdims=True)) * scale
    ct.store(ds, index=(head, i, 0), tile=st.reshape((1, TM, TN)))


@ct.kernel
def attention_backward(p, ds, qkv, do, dqkv, HEADS: Const, D: Const, TM: Const, TK: Const):
    """dq = ds k, dk = ds^T q, dv = p^T do; grid (row blocks, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    dq = ct.full((TM, D), 0.0, dtype=ct.float32)
    dk = ct.full((TM, D), 0.0, dtype=ct.float32)
    dv = ct.full((TM, D), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(qkv.shape[0], TK)):
        row = ct.load(ds, index=(head, i, j), shape=(1, TM, TK), padding_mode=ZERO).reshape((TM, TK))
        dq = ct.mma(row, ct.load(qkv, index=(j, HEADS + head), shape=(TK, D), padding_mode=ZERO), dq)
        column = ct.load(ds, index=(head, j, i), shape=(1, TK, TM), padding_mode=ZERO).reshape((TK, TM))
        dk = ct.mma(ct.transpose(column), ct.load(qkv, index=(j, head), shape=(TK, D), padding_mode=ZERO), dk)
        weight = ct.load(p, index=(head, j, i), shape=(1, TK, TM), padding_mode=ZERO).reshape((TK, TM))
        dv = ct.mma(ct.transpose(weight), ct.load(do, index=(j, head), shape=(TK, D), padding_mode=ZERO), dv)
    ct.store(dqkv, index=(i, head), tile=dq)
    ct.store(dqkv, index=(i, HEADS + head), tile=dk)
    ct.store(dqkv, index=(i, 2 * HEADS + head), tile=dv)


# ---- backward, fused: what is cheap is computed again ----------------------------------------------------------------
@ct.kernel
def attend_kept(qkv, wo, x, y, o, lse, HEADS: Const, D: Const, W: Const, TM: Const, TN: Const):
    """As attend, and keeps o and the log-sum-exps, in base 2."""
    i = ct.bid(0)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    yt = ct.load(x, index=(i, 0), shape=(TM, W), padding_mode=ZERO)
    for head in range(HEADS):
        qt = ct.load(qkv, index=(i, head), shape=(TM, D), padding_mode=ZERO)
        m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
        l = ct.full((TM, 1), 0.0, dtype=ct.float32)
        acc = ct.full((TM, D), 0.0, dtype=ct.float32)
        for j in range(ct.cdiv((i + 1) * TM, TN)):
            kt = ct.load(qkv, index=(j, HEADS + head), shape=(TN, D), padding_mode=ZERO)
            vt = ct.load(qkv, index=(j, 2 * HEADS + head), shape=(TN, D), padding_mode=ZERO)
            s = ct.mma(qt, ct.transpose(kt), ct.full((TM, TN), 0.0, dtype=ct.float32))
            column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
            s = ct.where(column <= row, s, -math.inf)
            m_new = ct.maximum(m, ct.max(s, axis=-1, keepdims=True))
            p = ct.exp2(s - m_new)
            alpha = ct.exp2(m - m_new)
            l = l * alpha + ct.sum(p, axis=-1, keepdims=True)
            acc = ct.mma(p, vt, acc * alpha)
            m = m_new
        ct.store(o, index=(i, head), tile=acc / l)
        ct.store(lse, index=(head, i), tile=(m + ct.log2(l)).reshape((1, TM)))
        yt = ct.mma(acc / l, ct.load(wo, index=(head, 0), shape=(D, W)), yt)
    ct.store(y, index=(i, 0), tile=yt)


@ct.kernel
def gated_mlp_backward(x, gain, wg, wu, wd, dy, dx, parts, eps: float, TM: Const, W: Const, TN: Const):
    """dx through gated_mlp and its residual, and the sum of each block of rows for the gradient of the gain; grid (row
    blocks)."""
    i = ct.bid(0)
    xt = ct.load(x, index=(i, 0), shape=(TM, W), padding_mode=ZERO)
    factor = ct.rsqrt(ct.sum(xt * xt, axis=-1, keepdims=True) * (1 / W) + eps)
    gt = ct.load(gain, index=(0,), shape=(W,)).reshape((1, W))
    dt = ct.load(dy, index=(i, 0), shape=(TM, W), padding_mode=ZERO)
    dn = ct.full((TM, W), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(wg.shape[1], TN)):
        zero = ct.full((TM, TN), 0.0, dtype=ct.float32)
        wgt, wut = ct.load(wg, index=(0, j), shape=(W, TN)), ct.load(wu, index=(0, j), shape=(W, TN))
        g = ct.mma(xt * gt, wgt, zero) * factor
        u = ct.mma(xt * gt, wut, zero) * factor
        dh = ct.mma(dt, ct.transpose(ct.load(wd, index=(j, 0), shape=(TN, W))), zero)
        sigmoid = 1.0 / (1.0 + ct.exp2(-LOG2_E * g))
        silu = g * sigmoid
        dn = ct.mma(dh * u * (sigmoid + silu * (1.0 - sigmoid)), ct.transpose(wgt), dn)
        dn = ct.mma(dh * silu, ct.transpose(wut), dn)
    along = ct.sum(dn * gt * xt, axis=-1, keepdims=True) * (1 / W)
    ct.store(dx, index=(i, 0), tile=dt + dn * gt * factor - xt * (factor * factor * factor * along))
    ct.store(parts, index=(i, 0), tile=ct.sum(dn * xt * factor, axis=0).reshape((1, W)))


@ct.kernel
def gated_mlp_weights(x, gain, wg, wu, wd, dy, dwg, dwu, dwd, eps: float, TM: Const, W: Const, TN: Const):
    """The gradients of the three matrices; grid (hidden blocks)."""
    j = ct.bid(0)
    gt = ct.load(gain, index=(0,), shape=(W,)).reshape((1, W))
    wgt, wut = ct.load(wg, index=(0, j), shape=(W, TN)), ct.load(wu, index=(0, j), shape=(W, TN))
    wdt = ct.transpose(ct.load(wd, index=(j, 0), shape=(TN, W)))
    dgt = ct.full((W, TN), 0.0, dtype=ct.float32)
    dut = ct.full((W, TN), 0.0, dtype=ct.float32)
    ddt = ct.full((TN, W), 0.0, dtype=ct.float32)
    for i in range(ct.cdiv(x.shape[0], TM)):
        zero = ct.full((TM, TN), 0.0, dtype=ct.float32)
        xt = ct.load(x, index=(i, 0), shape=(TM, W), padding_mode=ZERO)
        nt = xt * ct.rsqrt(ct.sum(xt * xt, axis=-1, keepdims=True) * (1 / W) + eps) * gt
        dt = ct.load(dy, index=(i, 0), shape=(TM, W), padding_mode=ZERO)
        g, u, dh = ct.mma(nt, wgt, zero), ct.mma(nt, wut, zero), ct.mma(dt, wdt, zero)
        sigmoid = 1.0 / (1.0 + ct.exp2(-LOG2_E * g))
        silu = g * sigmoid
        dgt = ct.mma(ct.transpose(nt), dh * u * (sigmoid + silu * (1.0 - sigmoid)), dgt)
        dut = ct.mma(ct.transpose(nt), dh * silu, dut)
        ddt = ct.mma(ct.transpose(silu * u), dt, ddt)
    ct.store(dwg, index=(0, j), tile=dgt)
    ct.store(dwu, index=(0, j), tile=dut)
    ct.store(dwd, index=(j, 0), tile=ddt)


@ct.kernel
def sum_parts(parts, y, TM: Const, W: Const):
    """y = the sum of the rows; one program."""
    acc = ct.full((W,), 0.0, dtype=ct.float32)
    for i in range(ct.cdiv(parts.shape[0], TM)):
        acc = acc + ct.sum(ct.load(parts, index=(i, 0), shape=(TM, W), padding_mode=ZERO), axis=0)
    ct.store(y, index=(0,), tile=acc)


@ct.kernel
def attend_before(dy, wo, o, do, delta, D: Const, W: Const, TM: Const):
    """do = dy wo^T, delta = the row sums of o do; grid (row blocks, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    dt = ct.load(dy, index=(i, 0), shape=(TM, W), padding_mode=ZERO)
    wt = ct.transpose(ct.load(wo, index=(head, 0), shape=(D, W)))
    dt = ct.mma(dt, wt, ct.full((TM, D), 0.0, dtype=ct.float32))
    ot = ct.load(o, index=(i, head), shape=(TM, D), padding_mode=ZERO)
    ct.store(do, index=(i, head), tile=dt)
    ct.store(delta, index=(head, i), tile=ct.sum(ot * dt, axis=-1).reshape((1, TM)))


@ct.kernel
def attend_queries(qkv, do, lse, delta, dqkv, scale: float, HEADS: Const, D: Const, TM: Const, TN: Const):
    """dq of what was scaled to q, from weights computed again; grid (row blocks, heads)."""
    i, head = ct.bid(0), ct.bid(1)
    row = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((TM, 1))
    qt = ct.load(qkv, index=(i, head), shape=(TM, D), padding_mode=ZERO)
    dt = ct.load(do, index=(i, head), shape=(TM, D), padding_mode=ZERO)
    lt = ct.load(lse, index=(head, i), shape=(1, TM), padding_mode=ZERO).reshape((TM, 1))
    sums = ct.load(delta, index=(head, i), shape=(1, TM), padding_mode=ZERO).reshape((TM, 1))
    acc = ct.full((TM, D), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv((i + 1) * TM, TN)):
        zero = ct.full((TM, TN), 0.0, dtype=ct.float32)
        kt = ct.load(qkv, index=(j, HEADS + head), shape=(TN, D), padding_mode=ZERO)
        vt = ct.load(qkv, index=(j, 2 * HEADS + head), shape=(TN, D), padding_mode=ZERO)
        column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
        s = ct.where(column <= row, ct.mma(qt, ct.transpose(kt), zero), -math.inf)
        p = ct.exp2(s - lt)
        acc = ct.mma(p * (ct.mma(dt, ct.transpose(vt), zero) - sums), kt, acc)
    ct.store(dqkv, index=(i, head), tile=acc * scale)


@ct.kernel
def attend_keys(qkv, do, lse, delta, dqkv, back: float, HEADS: Const, D: Const, TM: Const, TN: Const):
    """dk and dv, transposed: the rows of a tile are keys; `back` undoes the base of the scale in q; grid (key blocks,
    heads)."""
    j, head = ct.bid(0), ct.bid(1)
    key = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((TN, 1))
    kt = ct.load(qkv, index=(j, HEADS + head), shape=(TN, D), padding_mode=ZERO)
    vt = ct.load(qkv, index=(j, 2 * HEADS + head), shape=(TN, D), padding_mode=ZERO)
    dk = ct.full((TN, D), 0.0, dtype=ct.float32)
    dv = ct.full((TN, D), 0.0, dtype=ct.float32)
    for i in range(j * TN // TM, ct.cdiv(qkv.shape[0], TM)):
        zero = ct.full((TN, TM), 0.0, dtype=ct.float32)
        qt = ct.load(qkv, index=(i, head), shape=(TM, D), padding_mode=ZERO)
        dt = ct.load(do, index=(i, head), shape=(TM, D), padding_mode=ZERO)
        lt = ct.load(lse, index=(head, i), shape=(1, TM), padding_mode=ZERO)
        sums = ct.load(delta, index=(head, i), shape=(1, TM), padding_mode=ZERO)
        query = (i * TM + ct.arange(TM, dtype=ct.int32)).reshape((1, TM))
        s = ct.where(key <= query, ct.mma(kt, ct.transpose(qt), zero), -math.inf)
        p = ct.exp2(s - lt)
        dv = ct.mma(p, dt, dv)
        dk = ct.mma(p * (ct.mma(vt, ct.transpose(dt), zero) - sums), qt, dk)
    ct.store(dqkv, index=(j, HEADS + head), tile=dk * back)
    ct.store(dqkv, index=(j, 2 * HEADS + head), tile=dv)


@ct.kernel
def norm_product_backward(x, gain, w, dc, dy, dx, parts, eps: float, TM: Const, W: Const, TN: Const):
    """dx = dy + the gradient through rms_norm(x) w, and the sum of each block of rows for the gradient of the gain;
    grid (row blocks)."""
    i = ct.bid(0)
    xt = ct.load(x, index=(i, 0), shape=(TM, W), padding_mode=ZERO)
    factor = ct.rsqrt(ct.sum(xt * xt, axis=-1, keepdims=True) * (1 / W) + eps)
    gt = ct.load(gain, index=(0,), shape=(W,)).reshape((1, W))
    dn = ct.full((TM, W), 0.0, dtype=ct.float32)
    for j in range(ct.cdiv(w.shape[1], TN)):
        dt = ct.load(dc, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        dn = ct.mma(dt, ct.transpose(ct.load(w, index=(0, j), shape=(W, TN))), dn)
    along = ct.sum(dn * gt * xt, axis=-1, keepdims=True) * (1 / W)
    dt = ct.load(dy, index=(i, 0), shape=(TM, W), padding_mode=ZERO)
    ct.store(dx, index=(i, 0), tile=dt + dn * gt * factor - xt * (factor * factor * factor * along))
    ct.store(parts, index=(i, 0), tile=ct.sum(dn * xt * factor, axis=0).reshape((1, W)))


@ct.kernel
def norm_product_weights(x, gain, dc, dw, eps: float, TM: Const, W: Const, TN: Const):
    """The gradient of w in rms_norm(x) w; grid (column blocks)."""
    j = ct.bid(0)
    acc = ct.full((W, TN), 0.0, dtype=ct.float32)
    for i in range(ct.cdiv(x.shape[0], TM)):
        xt = ct.load(x, index=(i, 0), shape=(TM, W), padding_mode=ZERO)
        factor = ct.rsqrt(ct.sum(xt * xt, axis=-1, keepdims=True) * (1 / W) + eps)
        dt = ct.load(dc, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        acc = ct.mma(ct.transpose(xt * factor), dt, acc)
    gt = ct.load(gain, index=(0,), shape=(W,)).reshape((W, 1))
    ct.store(dw, index=(0, j), tile=acc * gt)


F1, F2, F3 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3)
H2, H3 = array(ct.float16, 2), array(ct.float16, 3)
# Of the fused kernels there is one for each block, so that a mutant may be wrong in one of the two.
KERNELS = {
    "rms_norm": (rms_norm, [H2, F1, H2, ct.float32, 8, 32]),
    "product": (product, [H2, H2, H2, 16, 32, 32]),
    "product_float": (product, [H2, H2, F2, 16, 32, 32]),
    "product_added": (product_added, [H2, H2, H2, H2, 16, 16, 16]),
    "scores": (scores, [H2, F3, ct.float32, 2, 16, 16, 16]),
    "softmax_causal": (softmax_causal, [F3, H3, 4, 32]),
    "weighted": (weighted, [H3, H2, H2, 2, 16, 16, 16]),
    "silu_times": (silu_times, [F2, F2, H2, 8, 32]),
    "norm_product": (norm_product, [H2, F1, H2, H2, ct.float32, ct.float32, 32, 8, 16, 16]),
    "norm_product_2": (norm_product, [H2, F1, H2, H2, ct.float32, ct.float32, 32, 8, 16, 16]),
    "attend": (attend, [H2, H2, H2, H2, 2, 16, 32, 8, 8]),
    "attend_2": (attend, [H2, H2, H2, H2, 2, 16, 32, 8, 8]),
    "gated_mlp": (gated_mlp, [H2, F1, H2, H2, H2, H2, ct.float32, 8, 32, 16]),
    "gated_mlp_2": (gated_mlp, [H2, F1, H2, H2, H2, H2, ct.float32, 8, 32, 16]),
    # backward
    "rms_norm_f32": (rms_norm, [F2, F1, F2, ct.float32, 8, 32]),
    "product_f32": (product, [F2, F2, F2, 16, 32, 32]),
    "product_added_f32": (product_added, [F2, F2, F2, F2, 16, 16, 16]),
    "scores_f32": (scores, [F2, F3, ct.float32, 2, 16, 16, 16]),
    "softmax_causal_f32": (softmax_causal, [F3, F3, 4, 32]),
    "weighted_f32": (weighted, [F3, F2, F2, 2, 16, 16, 16]),
    "silu_times_f32": (silu_times, [F2, F2, F2, 8, 32]),
    "product_turned": (product_turned, [F2, F2, F2, 16, 16, 16]),
    "product_turned_added": (product_turned_added, [F2, F2, F2, F2, 16, 16, 16]),
    "product_of_rows": (product_of_rows, [F2, F2, F2, 16, 32, 16]),
    "silu_times_backward": (silu_times_backward, [F2, F2, F2, F2, F2, 8, 32]),
    "rms_norm_backward": (rms_norm_backward, [F2, F1, F2, F2, F2, ct.float32, 8, 32]),
    "gain_backward": (gain_backward, [F2, F2, F1, ct.float32, 16, 32]),
    "softmax_backward": (softmax_backward, [F3, F2, F2, F3, ct.float32, 2, 16, 8, 32]),
    "attention_backward": (attention_backward, [F3, F3, F2, F2, F2, 2, 16, 16, 16]),
    "norm_product_f32": (norm_product, [F2, F1, F2, F2, ct.float32, ct.float32, 32, 8, 16, 16]),
    "attend_kept": (attend_kept, [F2, F2, F2, F2, F2, F2, 2, 16, 32, 8, 8]),
    "gated_mlp_backward": (gated_mlp_backward, [F2, F1, F2, F2, F2, F2, F2, F2, ct.float32, 8, 32, 16]),
    "gated_mlp_weights": (gated_mlp_weights, [F2, F1, F2, F2, F2, F2, F2, F2, F2, ct.float32, 8, 32, 16]),
    "sum_parts": (sum_parts, [F2, F1, 2, 32]),
    "attend_before": (attend_before, [F2, F2, F2, F2, F2, 16, 32, 8]),
    "attend_queries": (attend_queries, [F2, F2, F2, F2, F2, ct.float32, 2, 16, 8, 8]),
    "attend_keys": (attend_keys, [F2, F2, F2, F2, F2, ct.float32, 2, 16, 8, 8]),
    "product_of_rows_8": (product_of_rows, [F2, F2, F2, 32, 32, 8]),
    "norm_product_backward": (norm_product_backward, [F2, F1, F2, F2, F2, F2, F2, ct.float32, 8, 32, 32]),
    "gated_mlp_f32": (gated_mlp, [F2, F1, F2, F2, F2, F2, ct.float32, 8, 32, 16]),
    "norm_product_weights": (norm_product_weights, [F2, F1, F2, F2, ct.float32, 8, 32, 32]),
}

SMALL = "{normal: {mean: 0, std: 0.2}}"  # weights
EPS, SCALE, SCALE_2 = "f32 1e-5", "f32 0.25", "f32 0.36067376"  # 1 / sqrt(16); log2(e) / sqrt(16)
BY_4, BY_8, BY_16 = "cdiv(T, 4)", "cdiv(T, 8)", "cdiv(T, 16)"
# Tokens in blocks of 16 and 8: ragged in both, whole.
TOKENS = {"T": [19, 16]}


def weights(*blocks):
    """The weights of each block: gains of the two norms, then matrices."""
    matrices = {"WQKV": [32, 96], "WO": [32, 32], "WG": [32, 64], "WU": [32, 64], "WD": [64, 32]}
    return {
        f"{name}{block}": fill
        for block in blocks
        for name, fill in (
            ("GA", buffer("f32", [32], "{uniform: {low: 0.5, high: 1.5}}")),
            ("GM", buffer("f32", [32], "{uniform: {low: 0.5, high: 1.5}}")),
            *((n, buffer("f16", shape, SMALL)) for n, shape in matrices.items()),
        )
    }


def steps(block, x, middle, y):
    """A block of twelve launches from x to y, with what is between attention and MLP in `middle`."""
    return [
        run("rms_norm", (BY_8,), x, f"GA{block}", "N", EPS),
        run("product", (BY_16, 3), "N", f"WQKV{block}", "QKV"),
        run("scores", (BY_16, BY_16, 2), "QKV", "S", SCALE),
        run("softmax_causal", (BY_4, 2), "S", "P"),
        run("weighted", (BY_16, 2), "P", "QKV", "O"),
        run("product_added", (BY_16, 2), "O", f"WO{block}", x, middle),
        run("rms_norm", (BY_8,), middle, f"GM{block}", "N", EPS),
        run("product_float", (BY_16, 2), "N", f"WG{block}", "G"),
        run("product_float", (BY_16, 2), "N", f"WU{block}", "U"),
        run("silu_times", (BY_8, 2), "G", "U", "H"),
        run("product_added", (BY_16, 2), "H", f"WD{block}", middle, y),
    ]


def fused(block, x, middle, y, suffix=""):
    """A block of three launches."""
    return [
        run(f"norm_product{suffix}", (BY_8, 6), x, f"GA{block}", f"WQKV{block}", "QKV", EPS, SCALE_2),
        run(f"attend{suffix}", (BY_8,), "QKV", f"WO{block}", x, middle),
        run(f"gated_mlp{suffix}", (BY_8,), middle, *(f"{n}{block}" for n in ("GM", "WG", "WU", "WD")), y, EPS),
    ]


FORWARD = {
    "X": buffer("f16", ["T", 32], NORMAL),
    **weights(1, 2),
    **{n: buffer("f16", ["T", 32]) for n in ("A1", "Y1", "A2", "Y2")},
    "N": buffer("f16", ["T", 32]),
    "QKV": buffer("f16", ["T", 96]),
    "S": buffer("f32", [2, "T", "T"]),
    "P": buffer("f16", [2, "T", "T"]),
    "O": buffer("f16", ["T", 32]),
    **{n: buffer("f32", ["T", 64]) for n in "GU"},
    "H": buffer("f16", ["T", 64]),
}
def scratch(block):
    """What is between the launches of a block forward and backward, and the gradients of its weights."""
    buffers = {
        **{n: b.replace("type: f16", "type: f32") for n, b in weights("").items()},
        **{n: buffer("f32", ["T", 32]) for n in ("N", "O", "A", "NM", "DN", "DNM", "DA", "DO")},
        **{n: buffer("f32", ["T", 64]) for n in ("G", "U", "H", "DG", "DU", "DH")},
        **{n: buffer("f32", ["T", 96]) for n in ("QKV", "DQKV")},
        **{n: buffer("f32", [2, "T", "T"]) for n in ("S", "P", "DS")},
        **{n: buffer("f32", [2, "T"]) for n in ("LSE", "DELTA")},
        "PARTS": buffer("f32", ["cdiv(T, 8)", 32]),
        **{n: buffer("f32", [32]) for n in ("DGA", "DGM")},
        **{n: buffer("f32", shape) for n, shape in (("DWQKV", [32, 96]), ("DWO", [32, 32]), ("DWD", [64, 32]))},
        **{n: buffer("f32", [32, 64]) for n in ("DWG", "DWU")},
    }
    return {f"{name}{block}": contents for name, contents in buffers.items()}


def of_block(block, launches):
    """Launches with the number of the block behind the names of its buffers."""
    return [(kernel, grid, [a.replace("@", str(block)) for a in arguments]) for kernel, grid, arguments in launches]


def kept_steps(block, x):
    """The launches of a block but its last."""
    launches = [
        run("rms_norm_f32", (BY_8,), x, "GA@", "N@", EPS),
        run("product_f32", (BY_16, 3), "N@", "WQKV@", "QKV@"),
        run("scores_f32", (BY_16, BY_16, 2), "QKV@", "S@", SCALE),
        run("softmax_causal_f32", (BY_4, 2), "S@", "P@"),
        run("weighted_f32", (BY_16, 2), "P@", "QKV@", "O@"),
        run("product_added_f32", (BY_16, 2), "O@", "WO@", x, "A@"),
        run("rms_norm_f32", (BY_8,), "A@", "GM@", "NM@", EPS),
        run("product_f32", (BY_16, 2), "NM@", "WG@", "G@"),
        run("product_f32", (BY_16, 2), "NM@", "WU@", "U@"),
        run("silu_times_f32", (BY_8, 2), "G@", "U@", "H@"),
    ]
    return of_block(block, launches)


def backward_steps(block, x, dy, dx):
    launches = [
        run("product_of_rows", (4, 1), "H@", dy, "DWD@"),
        run("product_turned", (BY_16, 4), dy, "WD@", "DH@"),
        run("silu_times_backward", (BY_8, 2), "G@", "U@", "DH@", "DG@", "DU@"),
        run("product_of_rows", (2, 2), "NM@", "DG@", "DWG@"),
        run("product_of_rows", (2, 2), "NM@", "DU@", "DWU@"),
        run("product_turned", (BY_16, 2), "DG@", "WG@", "DN@"),
        run("product_turned_added", (BY_16, 2), "DU@", "WU@", "DN@", "DNM@"),
        run("gain_backward", (1,), "A@", "DNM@", "DGM@", EPS),
        run("rms_norm_backward", (BY_8,), "A@", "GM@", "DNM@", dy, "DA@", EPS),
        run("product_of_rows", (2, 1), "O@", "DA@", "DWO@"),
        run("product_turned", (BY_16, 2), "DA@", "WO@", "DO@"),
        run("softmax_backward", (BY_8, 2), "P@", "QKV@", "DO@", "DS@", SCALE),
        run("attention_backward", (BY_16, 2), "P@", "DS@", "QKV@", "DO@", "DQKV@"),
        run("product_of_rows", (2, 3), "N@", "DQKV@", "DWQKV@"),
        run("product_turned", (BY_16, 2), "DQKV@", "WQKV@", "DN@"),
        run("gain_backward", (1,), x, "DN@", "DGA@", EPS),
        run("rms_norm_backward", (BY_8,), x, "GA@", "DN@", "DA@", dx, EPS),
    ]
    return of_block(block, launches)


def kept_fused(block, x):
    launches = [
        run("norm_product_f32", (BY_8, 6), x, "GA@", "WQKV@", "QKV@", EPS, SCALE_2),
        run("attend_kept", (BY_8,), "QKV@", "WO@", x, "A@", "O@", "LSE@"),
    ]
    return of_block(block, launches)


def backward_fused(block, x, dy, dx):
    mlp = ("A@", "GM@", "WG@", "WU@", "WD@")
    launches = [
        run("gated_mlp_weights", (4,), *mlp, dy, "DWG@", "DWU@", "DWD@", EPS),
        run("gated_mlp_backward", (BY_8,), *mlp, dy, "DA@", "PARTS@", EPS),
        run("sum_parts", (1,), "PARTS@", "DGM@"),
        run("product_of_rows_8", (1, 1), "O@", "DA@", "DWO@"),
        run("attend_before", (BY_8, 2), "DA@", "WO@", "O@", "DO@", "DELTA@"),
        run("attend_queries", (BY_8, 2), "QKV@", "DO@", "LSE@", "DELTA@", "DQKV@", SCALE),
        run("attend_keys", (BY_8, 2), "QKV@", "DO@", "LSE@", "DELTA@", "DQKV@", "f32 0.6931472"),
        run("norm_product_weights", (3,), x, "GA@", "DQKV@", "DWQKV@", EPS),
        run("norm_product_backward", (BY_8,), x, "GA@", "WQKV@", "DQKV@", "DA@", dx, "PARTS@", EPS),
        run("sum_parts", (1,), "PARTS@", "DGA@"),
    ]
    return of_block(block, launches)


def outer(*names):
    return {n: buffer("f32", ["T", 32], NORMAL if n in ("X", "DY") else None) for n in names}


GRADIENTS = ("DGA", "DWQKV", "DWO", "DGM", "DWG", "DWU", "DWD")

PAIRS = [
    pair(
        "forward",
        "two blocks of a transformer, in 22 launches and in six",
        FORWARD,
        steps(1, "X", "A1", "Y1") + steps(2, "Y1", "A2", "Y2"),
        fused(1, "X", "A1", "Y1") + fused(2, "Y1", "A2", "Y2", "_2"),
        ["Y2"],
        [
            mutant(
                "mask_of_second",
                "attend_2",
                "column <= row",
                "column <= row + 1",
                "in the second block a token sees the next one",
            ),
            mutant(
                "last_keys",
                "attend_2",
                "ct.cdiv((i + 1) * TM, TN)",
                "ct.maximum(i, 1)",
                "in the second block later queries miss the keys of their own block",
            ),
            mutant("not_rescaled", "attend", "acc * alpha)", "acc)", "the accumulator is not rescaled, first block"),
            mutant(
                "sum_not_rescaled", "attend_2", "l = l * alpha + ", "l = l + ", "the sum is not rescaled, second block"
            ),
            mutant("rows_of_output", "attend", "index=(head, 0)", "index=(0, 0)", "all heads by the rows of the first"),
            mutant(
                "values_of_head",
                "attend_2",
                "2 * HEADS + head)",
                "2 * HEADS)",
                "all heads weigh the values of the first, second block",
            ),
            mutant(
                "no_residual",
                "attend_2",
                "yt = ct.load(x, index=(i, 0), shape=(TM, W), padding_mode=ZERO).astype(ct.float32)",
                "yt = ct.full((TM, W), 0.0, dtype=ct.float32)",
                "no residual around the attention of the second block",
            ),
            mutant(
                "no_residual_of_mlp", "gated_mlp", "tile=(xt + acc)", "tile=acc", "no residual around the first MLP"
            ),
            mutant(
                "residual_of_norm",
                "gated_mlp_2",
                "tile=(xt + acc)",
                "tile=(xt * factor + acc)",
                "the residual of the second MLP is normalised",
            ),
            mutant(
                "gate_swapped",
                "gated_mlp_2",
                "ct.exp2(-LOG2_E * g)",
                "ct.exp2(-LOG2_E * u)",
                "the other product is the gate, second block",
            ),
            mutant(
                "gate_in_base_2", "gated_mlp", "ct.exp2(-LOG2_E * g)", "ct.exp2(-g)", "the sigmoid is one of base 2"
            ),
            mutant(
                "up_not_normalised",
                "gated_mlp_2",
                "u = ct.mma(nt, ct.load(wu, index=(0, j), shape=(W, TN)), zero) * factor",
                "u = ct.mma(nt, ct.load(wu, index=(0, j), shape=(W, TN)), zero)",
                "one of the two products is not multiplied with the norm",
            ),
            mutant(
                "last_hidden",
                "gated_mlp_2",
                "range(ct.cdiv(wg.shape[1], TN))",
                "range(ct.cdiv(wg.shape[1], TN) - 1)",
                "the last hidden columns of the second MLP are left out",
            ),
            mutant(
                "squares_of_last",
                "norm_product_2",
                "squares = squares + ",
                "squares = ",
                "the norm of the second block is one of its last columns",
            ),
            mutant("no_gain", "norm_product", "(xt * gt)", "xt", "the first norm has no gain"),
            mutant("keys_scaled", "norm_product_2", "column < Q", "column < 2 * Q", "keys are scaled as queries are"),
            mutant(
                "epsilon", "norm_product_2", "squares / width + eps", "squares / width", "no epsilon in the third norm"
            ),
            launched(
                "norm_of_input",
                "args: [A1, GM1",
                "args: [X, GM1",
                "the first MLP has the block's input in place of what attention gave",
            ),
            launched(
                "gain_of_other", "[A2, GM2", "[A2, GA2", "the second MLP has the gain of the norm before attention"
            ),
            launched("residual_of_first", "[QKV, WO2, Y1,", "[QKV, WO2, X,", "the second residual is the input of all"),
            launched("up_of_first", "WU2", "WU1", "the second MLP has a matrix of the first"),
        ],
        parameters=TOKENS,
        names=("steps", "fused"),
    ),
    pair(
        "backward",
        "a block of a transformer backward, in 27 launches and in 12 that compute weights and gates again",
        {**outer("X", "DY"), **scratch(""), **outer("DX")},
        kept_steps("", "X") + backward_steps("", "X", "DY", "DX"),
        kept_fused("", "X") + backward_fused("", "X", "DY", "DX"),
        ["DX", *GRADIENTS],
        [
            mutant(
                "gate_derivative",
                "gated_mlp_backward",
                "(sigmoid + silu * (1.0 - sigmoid))",
                "sigmoid",
                "the gate's derivative is its sigmoid alone",
            ),
            mutant(
                "gate_swapped",
                "gated_mlp_backward",
                "dh * u *",
                "dh * g *",
                "the gate in place of what it multiplies",
            ),
            mutant(
                "matrix_swapped",
                "gated_mlp_backward",
                "dh * silu, ct.transpose(wut)",
                "dh * silu, ct.transpose(wgt)",
                "both parts go back through the matrix of the gate",
            ),
            mutant(
                "no_residual",
                "gated_mlp_backward",
                "tile=dt + dn * gt",
                "tile=dn * gt",
                "no residual around the MLP",
            ),
            mutant(
                "squared",
                "gated_mlp_backward",
                "factor * factor * factor",
                "factor * factor",
                "the square of the norm where its cube belongs",
            ),
            mutant(
                "gain_twice",
                "gated_mlp_backward",
                "dn * xt * factor, axis=0",
                "dn * gt * xt * factor, axis=0",
                "the gradient of the gain is multiplied with the gain",
            ),
            mutant(
                "last_rows",
                "gated_mlp_weights",
                "ct.cdiv(x.shape[0], TM)",
                "ct.cdiv(x.shape[0], TM) - 1",
                "the last rows are left out of the gradients of the MLP",
            ),
            mutant(
                "not_gated",
                "gated_mlp_weights",
                "ct.transpose(silu * u)",
                "ct.transpose(silu)",
                "the gradient of the last matrix is of the gate alone",
            ),
            mutant("no_gain", "gated_mlp_weights", "+ eps) * gt", "+ eps)", "rows are normalised without their gain"),
            mutant(
                "sum_without_maximum",
                "attend_kept",
                "(m + ct.log2(l))",
                "ct.log2(l)",
                "the log-sum-exp lacks the maximum",
            ),
            mutant(
                "log_sum_to_base_e",
                "attend_kept",
                "(m + ct.log2(l))",
                "(m + ct.log(l))",
                "the log-sum-exp is natural beside a maximum in base 2",
            ),
            mutant(
                "sum_subtracted",
                "attend_kept",
                "(m + ct.log2(l))",
                "(m - ct.log2(l))",
                "the logarithm of the sum is subtracted from the maximum",
            ),
            mutant(
                "delta_of_head",
                "attend_before",
                "ct.load(o, index=(i, head)",
                "ct.load(o, index=(i, 0)",
                "the row sums of all heads are of the first head's results",
            ),
            mutant(
                "no_delta",
                "attend_queries",
                "ct.transpose(vt), zero) - sums)",
                "ct.transpose(vt), zero))",
                "the row sum is not subtracted",
            ),
            mutant(
                "diagonal",
                "attend_queries",
                "column <= row",
                "column < row",
                "a token does not see itself, in the gradient of queries",
            ),
            mutant(
                "one_key_more",
                "attend_keys",
                "key <= query",
                "key <= query + 1",
                "a token sees the next one, in the gradient of keys",
            ),
            mutant(
                "own_block",
                "attend_keys",
                "range(j * TN // TM,",
                "range(j * TN // TM + 1,",
                "keys miss the queries of their own block",
            ),
            mutant(
                "values_left",
                "norm_product_backward",
                "ct.cdiv(w.shape[1], TN)",
                "ct.cdiv(w.shape[1], TN) - 1",
                "the gradient of values does not go back to the block's input",
            ),
            mutant(
                "gain_of_projection",
                "norm_product_weights",
                "acc * gt",
                "acc",
                "the gradient of the first matrix lacks the gain",
            ),
            mutant(
                "last_part",
                "sum_parts",
                "ct.cdiv(parts.shape[0], TM)",
                "parts.shape[0] // TM",
                "the last block of rows is left out of the gradients of gains",
            ),
            launched(
                "base_of_keys",
                "f32 0.6931472",
                "f32 1.0",
                "the gradient of keys keeps log2(e) of the scaled queries",
            ),
            launched(
                "residual_of_output",
                "[X, GA, WQKV, DQKV, DA,",
                "[X, GA, WQKV, DQKV, DY,",
                "the gradient past attention does not go through the MLP",
            ),
        ],
        parameters=TOKENS,
        names=("steps", "fused"),
    ),
    pair(
        "two_backward",
        "two blocks of a transformer backward, in 55 launches and in 25",
        {**outer("X", "DY"), **scratch(1), **scratch(2), **outer("Y1", "D1", "DX")},
        kept_steps(1, "X")
        + [run("product_added_f32", (BY_16, 2), "H1", "WD1", "A1", "Y1")]
        + kept_steps(2, "Y1")
        + backward_steps(2, "Y1", "DY", "D1")
        + backward_steps(1, "X", "D1", "DX"),
        kept_fused(1, "X")
        + [run("gated_mlp_f32", (BY_8,), "A1", "GM1", "WG1", "WU1", "WD1", "Y1", EPS)]
        + kept_fused(2, "Y1")
        + backward_fused(2, "Y1", "DY", "D1")
        + backward_fused(1, "X", "D1", "DX"),
        ["DX", *(f"{name}{block}" for block in (1, 2) for name in GRADIENTS)],
        [
            launched(
                "gates_of_input",
                "[A1, GM1, WG1, WU1, WD1, D1, DA1",
                "[X, GM1, WG1, WU1, WD1, D1, DA1",
                "the gates of the first block are computed again from its input",
            ),
            launched(
                "up_of_second",
                "[A1, GM1, WG1, WU1, WD1, D1, DA1",
                "[A1, GM1, WG1, WU2, WD1, D1, DA1",
                "the first MLP goes back through a matrix of the second",
            ),
            launched(
                "gradient_of_result",
                "WD1, D1, DA1",
                "WD1, DY, DA1",
                "the gradient in front of the first MLP is that of the result",
            ),
            launched(
                "gain_of_other",
                "[A1, GM1, WG1, WU1, WD1, D1, DWG1",
                "[A1, GA1, WG1, WU1, WD1, D1, DWG1",
                "weights of the first MLP with the gain of attention",
            ),
            launched(
                "log_sums_of_second",
                "LSE1, DELTA1, DQKV1, f32 0.25",
                "LSE2, DELTA1, DQKV1, f32 0.25",
                "weights of the first attention by log-sum-exps of the second",
            ),
            launched(
                "row_sums_of_second",
                "DELTA1, DQKV1, f32 0.6931472",
                "DELTA2, DQKV1, f32 0.6931472",
                "row sums of the second attention in the first one's keys",
            ),
            launched(
                "results_of_second",
                "[DA1, WO1, O1,",
                "[DA1, WO1, O2,",
                "row sums of the first attention by results of the second",
            ),
            launched(
                "projection_of_second",
                "[DA1, WO1, O1,",
                "[DA1, WO2, O1,",
                "the first attention goes back through the projection of the second",
            ),
            launched(
                "scale_in_base_2",
                "DELTA1, DQKV1, f32 0.25",
                "DELTA1, DQKV1, f32 0.36067376",
                "the gradient of the first queries keeps log2(e)",
            ),
            launched(
                "weights_of_input",
                "[Y1, GA2, DQKV2, DWQKV2",
                "[X, GA2, DQKV2, DWQKV2",
                "the second projection has the input of the first for its gradient",
            ),
            launched(
                "norm_of_input",
                "[Y1, GA2, WQKV2, DQKV2, DA2",
                "[X, GA2, WQKV2, DQKV2, DA2",
                "the second block's norm goes back by the input of the first",
            ),
            launched(
                "residual_of_output",
                "DQKV1, DA1, DX",
                "DQKV1, D1, DX",
                "the gradient past the first attention does not go through its MLP",
            ),
        ],
        parameters={"T": [19]},
        names=("steps", "fused"),
    ),
]
