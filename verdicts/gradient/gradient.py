# SPDX-License-Identifier: Apache-2.0
# Backward passes: norms with r^3 and with r / y, gated units, caps, losses, embeddings, convolutions, linear layers, pools.
import cuda.tile as ct
import numpy as np
from corpus import NORMAL, buffer, given, launched, mutant, pair, run
from export import array

Const = ct.Constant[int]
ZERO = ct.PaddingMode.ZERO


# ---- norms -----------------------------------------------------------------------------------------------------------
@ct.kernel
def length_backward(x, g, dx, eps: float, T: Const, D: Const):
    """Of y = x / sqrt(x x + eps): r g - r^3 (x g) x; grid (row blocks)."""
    i = ct.bid(0)
    xt = ct.load(x, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    gt = ct.load(g, index=(i, 0), shape=(T, D), padding_mode=ZERO)
    r = ct.rsqrt(ct.sum(xt * xt, axis=1, keepdims=True) + eps)
    ct.store(dx, index=(i, 0), tile=r * gt - r * r * r * ct.sum(xt * gt, axis=1, keepdims=True) * xt)


@ct.kernel
def length_backward_blocks(x, g, dx, eps: float, T: Const, D: Const):
    """(g - x (x g) / (x x + eps)) / root, in column blocks."""
    i = ct.bid(0)
    squares, products = ct.full((T, 1), 0.0, dtype=ct.float32), ct.full((T, 1), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(T, D))):
        xt = ct.load(x, index=(i, j), shape=(T, D), padding_mode=ZERO)
        squares = squares + ct.sum(xt * xt, axis=1, keepdims=True)
        gt = ct.load(g, index=(i, j), shape=(T, D), padding_mode=ZERO)
        products = products + ct.sum(xt * gt, axis=1, keepdims=True)
    squares = squares + eps
    share, root = products / squares, ct.sqrt(squares)
    for j in range(ct.num_tiles(x, axis=1, shape=(T, D))):
        xt = ct.load(x, index=(i, j), shape=(T, D), padding_mode=ZERO)
        gt = ct.load(g, index=(i, j), shape=(T, D), padding_mode=ZERO)
        ct.store(dx, index=(i, j), tile=(gt - xt * share) / root)


@ct.kernel
def batch_norm_backward(x, gain, dy, dx, dgain, dbias, eps: float, N: Const, C: Const):
    """Columns are channels, all rows at once: by normalised values; grid (channel blocks)."""
    j = ct.bid(0)
    rows = x.shape[0]
    there = ct.arange(N, dtype=ct.int32).reshape((N, 1)) < rows
    xt = ct.load(x, index=(0, j), shape=(N, C), padding_mode=ZERO)
    gt = ct.load(dy, index=(0, j), shape=(N, C), padding_mode=ZERO)
    xt = ct.where(there, xt - ct.sum(xt, axis=0, keepdims=True) / rows, 0.0)
    r = ct.rsqrt(ct.sum(xt * xt, axis=0, keepdims=True) / rows + eps)
    xt = xt * r
    db, dg = ct.sum(gt, axis=0, keepdims=True), ct.sum(gt * xt, axis=0, keepdims=True)
    ct.store(dgain, index=(j,), tile=dg.reshape((C,)))
    ct.store(dbias, index=(j,), tile=db.reshape((C,)))
    factor = ct.load(gain, index=(j,), shape=(C,), padding_mode=ZERO).reshape((1, C)) * r
    ct.store(dx, index=(0, j), tile=factor * (gt - db / rows - xt * (dg / rows)))


@ct.kernel
def column_sums(x, dy, sums, R: Const, C: Const):
    """For each block of rows the sums of x, x^2, dy and x dy; grid (row blocks, channel blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    xt = ct.load(x, index=(i, j), shape=(R, C), padding_mode=ZERO)
    gt = ct.load(dy, index=(i, j), shape=(R, C), padding_mode=ZERO)
    ct.store(sums, index=(i, 0, j), tile=ct.sum(xt, axis=0).reshape((1, 1, C)))
    ct.store(sums, index=(i, 1, j), tile=ct.sum(xt * xt, axis=0).reshape((1, 1, C)))
    ct.store(sums, index=(i, 2, j), tile=ct.sum(gt, axis=0).reshape((1, 1, C)))
    ct.store(sums, index=(i, 3, j), tile=ct.sum(xt * gt, axis=0).reshape((1, 1, C)))


@ct.kernel
def batch_norm_chain(x, gain, dy, sums, dx, dgain, dbias, eps: float, B: Const, R: Const, C: Const):
    """By the derivatives of variance and mean, from sums of B or fewer blocks; grid (row blocks, channel blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    rows = x.shape[0]
    total = ct.sum(ct.load(sums, index=(0, 0, j), shape=(B, 4, C), padding_mode=ZERO), axis=0)
    sx, sxx = total.extract((0, 0), (1, C)), total.extract((1, 0), (1, C))
    sg, sxg = total.extract((2, 0), (1, C)), total.extract((3, 0), (1, C))
    mean = sx / rows
    r = 1.0 / ct.sqrt(sxx / rows - mean * mean + eps)
    w = ct.load(gain, index=(j,), shape=(C,), padding_mode=ZERO).reshape((1, C))
    dvar = (sxg - mean * sg) * w * r * r * r * -0.5
    dmean = -r * w * sg
    if i == 0:
        ct.store(dgain, index=(j,), tile=((sxg - mean * sg) * r).reshape((C,)))
        ct.store(dbias, index=(j,), tile=sg.reshape((C,)))
    xt = ct.load(x, index=(i, j), shape=(R, C), padding_mode=ZERO)
    gt = ct.load(dy, index=(i, j), shape=(R, C), padding_mode=ZERO)
    ct.store(dx, index=(i, j), tile=gt * w * r + dvar * 2.0 * (xt - mean) / rows + dmean / rows)


# ---- gates and caps --------------------------------------------------------------------------------------------------
@ct.kernel
def sigmoids(gate, s, T: Const):
    i = ct.bid(0)
    ct.store(
        s,
        index=(i,),
        tile=1.0 / (1.0 + ct.exp(-ct.load(gate, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32))),
    )


@ct.kernel
def gated_backward_kept(gate, up, s, dy, dgate, dup, T: Const):
    """SwiGLU backward with the sigmoid of the forward pass."""
    i = ct.bid(0)
    g = ct.load(gate, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    u = ct.load(up, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    d = ct.load(dy, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    st = ct.load(s, index=(i,), shape=(T,), padding_mode=ZERO)
    ct.store(dup, index=(i,), tile=(d * g * st).astype(dup.dtype))
    ct.store(dgate, index=(i,), tile=(d * u * (st + g * st * (1.0 - st))).astype(dgate.dtype))


@ct.kernel
def gated_backward(gate, up, dy, dgate, dup, T: Const):
    """In one launch, by e^-g."""
    i = ct.bid(0)
    g = ct.load(gate, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    u = ct.load(up, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    d = ct.load(dy, index=(i,), shape=(T,), padding_mode=ZERO).astype(ct.float32)
    e = ct.exp(-g)
    n = 1.0 + e
    ct.store(dup, index=(i,), tile=(d * (g / n)).astype(dup.dtype))
    ct.store(dgate, index=(i,), tile=(u * d * (n + g * e) / (n * n)).astype(dgate.dtype))


@ct.kernel
def gelu_gate_backward(gate, up, dy, dgate, dup, T: Const):
    """Of gelu(g) u, gelu by tanh."""
    i = ct.bid(0)
    g = ct.load(gate, index=(i,), shape=(T,), padding_mode=ZERO)
    u = ct.load(up, index=(i,), shape=(T,), padding_mode=ZERO)
    d = ct.load(dy, index=(i,), shape=(T,), padding_mode=ZERO)
    t = ct.tanh(0.7978845608 * (g + 0.044715 * g * g * g))
    inner = 0.7978845608 * (1.0 + 3.0 * (0.044715 * g * g))
    ct.store(dup, index=(i,), tile=d * (0.5 * g * (1.0 + t)))
    ct.store(dgate, index=(i,), tile=d * u * (0.5 * (1.0 + t) + 0.5 * g * (1.0 - t * t) * inner))


@ct.kernel
def gelu_gate_backward_sigmoid(gate, up, dy, dgate, dup, T: Const):
    """gelu by a sigmoid of twice the argument."""
    i = ct.bid(0)
    g = ct.load(gate, index=(i,), shape=(T,), padding_mode=ZERO)
    u = ct.load(up, index=(i,), shape=(T,), padding_mode=ZERO)
    d = ct.load(dy, index=(i,), shape=(T,), padding_mode=ZERO)
    z = 1.5957691216 * g * (1.0 + 0.044715 * g * g)
    s = 1.0 / (1.0 + ct.exp(-z))
    slope = 1.5957691216 + 3.0 * (0.044715 * 1.5957691216 * g * g)
    ct.store(dup, index=(i,), tile=d * g * s)
    ct.store(dgate, index=(i,), tile=d * u * s * (1.0 + g * (1.0 - s) * slope))


@ct.kernel
def cap_backward(x, dy, dx, cap: float, T: Const):
    """Of cap tanh(x / cap)."""
    i = ct.bid(0)
    t = ct.tanh(ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO) / cap)
    ct.store(dx, index=(i,), tile=ct.load(dy, index=(i,), shape=(T,), padding_mode=ZERO) * (1.0 - t * t))


@ct.kernel
def cap_backward_exp(x, dy, dx, cap: float, T: Const):
    """4 / (e^(x / cap) + e^(-x / cap))^2 by one exponential."""
    i = ct.bid(0)
    e = ct.exp2(ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO) * (2.0 * 1.44269504 / cap))
    n = 1.0 + e
    ct.store(dx, index=(i,), tile=4.0 * e * ct.load(dy, index=(i,), shape=(T,), padding_mode=ZERO) / (n * n))


# ---- losses ----------------------------------------------------------------------------------------------------------
@ct.kernel
def smoothed_backward(x, label, dx, smoothing: float, scale: float, T: Const, V: Const):
    """Cross entropy with smoothed labels backward, rows with label -1 left out; grid (row blocks)."""
    i = ct.bid(0)
    column = ct.arange(V, dtype=ct.int32).reshape((1, V))
    there = column < x.shape[1]
    mine = ct.load(label, index=(i,), shape=(T,), padding_mode=ZERO).reshape((T, 1))
    xt = ct.where(there, ct.load(x, index=(i, 0), shape=(T, V), padding_mode=ZERO), -float("inf"))
    e = ct.exp(xt - ct.max(xt, axis=1, keepdims=True))
    p = e / ct.sum(e, axis=1, keepdims=True)
    wanted = ct.where(column == mine, 1.0 - smoothing, 0.0) + smoothing / x.shape[1]
    ct.store(dx, index=(i, 0), tile=ct.where(mine >= 0, scale * (p - wanted), 0.0))


@ct.kernel
def smoothed_backward_blocks(x, label, dx, smoothing: float, scale: float, T: Const, V: Const):
    """In place of x's copy in dx: a running maximum and sum over column blocks, then the gradient block by block."""
    i = ct.bid(0)
    mine = ct.load(label, index=(i,), shape=(T,), padding_mode=ZERO).reshape((T, 1))
    m, total = ct.full((T, 1), -1e30, dtype=ct.float32), ct.full((T, 1), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(T, V))):
        there = j * V + ct.arange(V, dtype=ct.int32).reshape((1, V)) < x.shape[1]
        xt = ct.where(there, ct.load(x, index=(i, j), shape=(T, V), padding_mode=ZERO), -float("inf"))
        new = ct.maximum(m, ct.max(xt, axis=1, keepdims=True))
        total = total * ct.exp(m - new) + ct.sum(ct.exp(xt - new), axis=1, keepdims=True)
        m = new
    lse = m + ct.log(total)
    for j in range(ct.num_tiles(x, axis=1, shape=(T, V))):
        column = j * V + ct.arange(V, dtype=ct.int32).reshape((1, V))
        p = ct.exp(ct.load(x, index=(i, j), shape=(T, V), padding_mode=ZERO) - lse)
        d = scale * p - scale * smoothing / x.shape[1] - ct.where(column == mine, scale - scale * smoothing, 0.0)
        ct.store(dx, index=(i, j), tile=d * ct.where(mine >= 0, 1.0, 0.0))


@ct.kernel
def focal_backward(x, dx, T: Const):
    """Of -(1 - p)^2 log p with p = sigmoid(x), by the chain rule."""
    i = ct.bid(0)
    p = 1.0 / (1.0 + ct.exp(-ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)))
    q = 1.0 - p
    ct.store(dx, index=(i,), tile=(2.0 * q * ct.log(p) - q * q / p) * (p * q))


@ct.kernel
def focal_backward_expanded(x, dx, T: Const):
    """(1 - p)^2 (2 p log p - (1 - p)), by e^x and -log(1 + e^-x)."""
    i = ct.bid(0)
    xt = ct.load(x, index=(i,), shape=(T,), padding_mode=ZERO)
    e = ct.exp(xt)
    p, q = e / (1.0 + e), 1.0 / (1.0 + e)
    ct.store(dx, index=(i,), tile=q * q * (-2.0 * p * ct.log(1.0 + ct.exp(-xt)) - q))


# ---- embeddings and pools --------------------------------------------------------------------------------------------
@ct.kernel
def embedding_backward(token, dy, de, T: Const, C: Const):
    """de[v] = the sum of dy over tokens v, by atomic additions; de is zero before; grid (token blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    row = ct.arange(T, dtype=ct.int32) + i * T
    column = j * C + ct.arange(C, dtype=ct.int32).reshape((1, C))
    place = ct.gather(token, row, padding_value=-1).reshape((T, 1))
    ct.atomic_add(de, (place, column), ct.load(dy, index=(i, j), shape=(T, C), padding_mode=ZERO))


@ct.kernel
def embedding_product(token, dy, de, V: Const, T: Const, C: Const):
    """By a product with a matrix of zeros and ones; grid (vocabulary blocks, column blocks)."""
    v, j = ct.bid(0), ct.bid(1)
    mine = v * V + ct.arange(V, dtype=ct.int32).reshape((V, 1))
    acc = ct.full((V, C), 0.0, dtype=ct.float32)
    for i in range(ct.num_tiles(dy, axis=0, shape=(T, C))):
        there = ct.gather(token, i * T + ct.arange(T, dtype=ct.int32), padding_value=-1).reshape((1, T))
        acc = ct.mma(ct.where(there == mine, 1.0, 0.0), ct.load(dy, index=(i, j), shape=(T, C), padding_mode=ZERO), acc)
    ct.store(de, index=(v, j), tile=acc)


@ct.kernel
def pool_backward(x, dy, dx, R: Const, T: Const):
    """Of the maximum of three columns each, to where it is; grid (row blocks, column blocks of dx)."""
    i, j = ct.bid(0), ct.bid(1)
    row, column = (
        i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1)),
        j * T + ct.arange(T, dtype=ct.int32).reshape((1, T)),
    )
    first = column // 3 * 3
    x0, x1 = ct.gather(x, (row, first), padding_value=0), ct.gather(x, (row, first + 1), padding_value=0)
    m = ct.maximum(ct.maximum(x0, x1), ct.gather(x, (row, first + 2), padding_value=0))
    mine = ct.gather(x, (row, column), padding_value=0) == m
    ct.store(dx, index=(i, j), tile=ct.where(mine, ct.gather(dy, (row, column // 3), padding_value=0), 0.0))


@ct.kernel
def clear(x, R: Const, T: Const):
    ct.store(x, index=(ct.bid(0), ct.bid(1)), tile=ct.full((R, T), 0.0, dtype=ct.float32))


@ct.kernel
def pool_backward_scatter(x, dy, dx, R: Const, T: Const):
    """Output by output, to the place of the maximum; dx is zero before; grid (row blocks, column blocks of dy)."""
    i, j = ct.bid(0), ct.bid(1)
    row, column = (
        i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1)),
        j * T + ct.arange(T, dtype=ct.int32).reshape((1, T)),
    )
    x0, x1 = ct.gather(x, (row, 3 * column), padding_value=0), ct.gather(x, (row, 3 * column + 1), padding_value=0)
    x2 = ct.gather(x, (row, 3 * column + 2), padding_value=0)
    place = ct.where(x2 > ct.maximum(x0, x1), 2, ct.where(x1 > x0, 1, 0))
    ct.scatter(dx, (row, 3 * column + place), ct.gather(dy, (row, column), padding_value=0))


# ---- convolutions and linear layers ----------------------------------------------------------------------------------
@ct.kernel
def taps_backward(x, dy, dw, T: Const, C: Const):
    """dw[k][o, c] = sum over t of dy[o, t] x[c, t + k - 1]; grid (out blocks, in blocks, 3)."""
    o, c, k = ct.bid(0), ct.bid(1), ct.bid(2)
    channel = c * C + ct.arange(C, dtype=ct.int32).reshape((C, 1))
    acc = ct.full((C, C), 0.0, dtype=ct.float32)
    for i in range(ct.num_tiles(dy, axis=1, shape=(C, T))):
        t = i * T + ct.arange(T, dtype=ct.int32).reshape((1, T))
        xt = ct.gather(x, (channel, t + k - 1), padding_value=0)
        acc = ct.mma(ct.load(dy, index=(o, i), shape=(C, T), padding_mode=ZERO), ct.transpose(xt), acc)
    ct.store(dw, index=(k, o, c), tile=acc.reshape((1, C, C)))


@ct.kernel
def taps_backward_split(x, dy, dw, T: Const, O: Const, C: Const):
    """All taps from one tile of x with its neighbours, added over blocks of t; dw is zero before; grid (step blocks)."""
    i = ct.bid(0)
    channel, t = ct.arange(C, dtype=ct.int32).reshape((1, C)), i * T + ct.arange(T, dtype=ct.int32).reshape((T, 1))
    out = ct.arange(O, dtype=ct.int32).reshape((O, 1))
    gt = ct.load(dy, index=(0, i), shape=(O, T), padding_mode=ZERO)
    zero = ct.full((O, C), 0.0, dtype=ct.float32)
    before, here = ct.gather(x, (channel, t - 1), padding_value=0), ct.gather(x, (channel, t), padding_value=0)
    behind = ct.gather(x, (channel, t + 1), padding_value=0)
    ct.atomic_add(dw, (0, out, channel), ct.mma(gt, before, zero))
    ct.atomic_add(dw, (1, out, channel), ct.mma(gt, here, zero))
    ct.atomic_add(dw, (2, out, channel), ct.mma(gt, behind, zero))


@ct.kernel
def taps_input(w, dy, dx, T: Const, O: Const, C: Const):
    """dx[c, t] = sum over k and o of w[k][o, c] dy[o, t - k + 1]; grid (in blocks, step blocks)."""
    c, i = ct.bid(0), ct.bid(1)
    out, t = ct.arange(O, dtype=ct.int32).reshape((O, 1)), i * T + ct.arange(T, dtype=ct.int32).reshape((1, T))
    acc = ct.full((C, T), 0.0, dtype=ct.float32)
    for k in range(3):
        wt = ct.load(w, index=(k, 0, c), shape=(1, O, C), padding_mode=ZERO).reshape((O, C))
        acc = ct.mma(ct.transpose(wt), ct.gather(dy, (out, t - k + 1), padding_value=0), acc)
    ct.store(dx, index=(c, i), tile=acc)


@ct.kernel
def taps_columns(w, dy, p, T: Const, O: Const, C: Const):
    """p[k] = w[k]^T dy; grid (in blocks, step blocks, 3)."""
    c, i, k = ct.bid(0), ct.bid(1), ct.bid(2)
    acc = ct.full((C, T), 0.0, dtype=ct.float32)
    for o in range(ct.num_tiles(dy, axis=0, shape=(O, T))):
        wt = ct.load(w, index=(k, o, c), shape=(1, O, C), padding_mode=ZERO).reshape((O, C))
        acc = ct.mma(ct.transpose(wt), ct.load(dy, index=(o, i), shape=(O, T), padding_mode=ZERO), acc)
    ct.store(p, index=(k, c, i), tile=acc.reshape((1, C, T)))


@ct.kernel
def taps_gathered(p, dx, R: Const, T: Const):
    """dx[t] = p[0][t + 1] + p[1][t] + p[2][t - 1]; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    row, column = (
        i * R + ct.arange(R, dtype=ct.int32).reshape((R, 1)),
        j * T + ct.arange(T, dtype=ct.int32).reshape((1, T)),
    )
    acc = ct.gather(p, (0, row, column + 1), padding_value=0) + ct.gather(p, (1, row, column), padding_value=0)
    ct.store(dx, index=(i, j), tile=acc + ct.gather(p, (2, row, column - 1), padding_value=0))


@ct.kernel
def linear_backward(x, dy, dw, db, N: Const, T: Const):
    """dw = dy^T x, db = the sums of dy's columns; grid (out blocks, in blocks)."""
    o, c = ct.bid(0), ct.bid(1)
    gt = ct.load(dy, index=(0, o), shape=(N, T), padding_mode=ZERO)
    xt = ct.load(x, index=(0, c), shape=(N, T), padding_mode=ZERO)
    ct.store(dw, index=(o, c), tile=ct.mma(ct.transpose(gt), xt, ct.full((T, T), 0.0, dtype=ct.float32)))
    if c == 0:
        ct.store(db, index=(o,), tile=ct.sum(gt.astype(ct.float32), axis=0))


@ct.kernel
def linear_backward_split(x, dy, dw, db, share: int, N: Const, T: Const):
    """Rows in shares of blocks of N, added; dw and db are zero before; grid (out blocks, in blocks, shares)."""
    o, c, s = ct.bid(0), ct.bid(1), ct.bid(2)
    place = ct.arange(T, dtype=ct.int32)
    acc, sums = ct.full((T, T), 0.0, dtype=ct.float32), ct.full((T,), 0.0, dtype=ct.float32)
    for i in range(s * share, min((s + 1) * share, ct.num_tiles(x, axis=0, shape=(N, T)))):
        gt = ct.load(dy, index=(i, o), shape=(N, T), padding_mode=ZERO)
        acc = ct.mma(ct.transpose(gt), ct.load(x, index=(i, c), shape=(N, T), padding_mode=ZERO), acc)
        sums = sums + ct.sum(gt.astype(ct.float32), axis=0)
    ct.atomic_add(dw, (o * T + place.reshape((T, 1)), c * T + place.reshape((1, T))), acc)
    if c == 0:
        ct.atomic_add(db, o * T + place, sums)


F1, F2, F3 = array(ct.float32, 1), array(ct.float32, 2), array(ct.float32, 3)
H1, H2, I1 = array(ct.float16, 1), array(ct.float16, 2), array(ct.int32, 1)
KERNELS = {
    "length_backward": (length_backward, [F2, F2, F2, ct.float32, 4, 128]),
    "length_backward_blocks": (length_backward_blocks, [F2, F2, F2, ct.float32, 4, 32]),
    "batch_norm_backward": (batch_norm_backward, [F2, F1, F2, F2, F1, F1, ct.float32, 64, 16]),
    "column_sums": (column_sums, [F2, F2, F3, 16, 16]),
    "batch_norm_chain": (batch_norm_chain, [F2, F1, F2, F3, F2, F1, F1, ct.float32, 4, 8, 16]),
    "sigmoids": (sigmoids, [H1, F1, 256]),
    "gated_backward_kept": (gated_backward_kept, [H1, H1, F1, H1, H1, H1, 256]),
    "gated_backward": (gated_backward, [H1, H1, H1, H1, H1, 128]),
    "gelu_gate_backward": (gelu_gate_backward, [F1, F1, F1, F1, F1, 256]),
    "gelu_gate_backward_sigmoid": (gelu_gate_backward_sigmoid, [F1, F1, F1, F1, F1, 128]),
    "cap_backward": (cap_backward, [F1, F1, F1, ct.float32, 256]),
    "cap_backward_exp": (cap_backward_exp, [F1, F1, F1, ct.float32, 128]),
    "smoothed_backward": (smoothed_backward, [F2, I1, F2, ct.float32, ct.float32, 8, 128]),
    "smoothed_backward_blocks": (smoothed_backward_blocks, [F2, I1, F2, ct.float32, ct.float32, 4, 32]),
    "focal_backward": (focal_backward, [F1, F1, 256]),
    "focal_backward_expanded": (focal_backward_expanded, [F1, F1, 128]),
    "embedding_backward": (embedding_backward, [I1, F2, F2, 16, 16]),
    "embedding_product": (embedding_product, [I1, F2, F2, 8, 16, 32]),
    "pool_backward": (pool_backward, [F2, F2, F2, 8, 16]),
    "clear": (clear, [F2, 4, 32]),
    "pool_backward_scatter": (pool_backward_scatter, [F2, F2, F2, 4, 16]),
    "taps_backward": (taps_backward, [F2, F2, F3, 16, 8]),
    "taps_backward_split": (taps_backward_split, [F2, F2, F3, 16, 16, 16]),
    "taps_input": (taps_input, [F3, F2, F2, 16, 16, 8]),
    "taps_columns": (taps_columns, [F3, F2, F3, 16, 8, 16]),
    "taps_gathered": (taps_gathered, [F3, F2, 8, 32]),
    "linear_backward": (linear_backward, [H2, H2, F2, F1, 128, 16]),
    "linear_backward_split": (linear_backward_split, [H2, H2, F2, F1, ct.int32, 16, 16]),
}

INPUTS = {
    "labels.i32": np.int32([3, -1, 99, 0, 57, -1, 20]),  # -1: no label
    "tokens.i32": np.int32([i * i % 13 if i % 3 else i % 13 for i in range(45)]),  # of 13, each of them at least once
}
# Columns in blocks of 32, rows of 16, elements of 128 and 256: ragged, whole, with one in the last, one.
# No row of one column has its length taken: dx cancels there, and which root is which its numbers cannot tell.
COLUMNS, LABELLED = {"C": [100, 128, 97, 2]}, {"C": [100, 128, 97]}
STEPS, MANY = {"N": [45, 48, 33, 1]}, {"N": [700, 768, 513, 1]}
BY_16, BY_128, BY_256 = "cdiv(N, 16)", "cdiv(N, 128)", "cdiv(N, 256)"
ROWS = {n: buffer("f32", [7, "C"], NORMAL) for n in "XG"}
CHANNELS = {
    **{n: buffer("f32", ["N", 20], NORMAL) for n in ("X", "DY")},
    "GAIN": buffer("f32", [20], NORMAL),
    "SUMS": buffer("f32", ["cdiv(N, 16)", 4, 20]),
    "DX": buffer("f32", ["N", 20]),
    **{n: buffer("f32", [20]) for n in ("DG", "DB")},
}
HALVES = {
    **{n: buffer("f16", ["N"], NORMAL) for n in ("A", "U", "DY")},
    **{n: buffer("f16", ["N"]) for n in ("DA", "DU")},
}
GATES = {
    **{n: buffer("f32", ["N"], NORMAL) for n in ("A", "U", "DY")},
    **{n: buffer("f32", ["N"]) for n in ("DA", "DU")},
}
LINE = {**{n: buffer("f32", ["N"], NORMAL) for n in ("X", "DY")}, "DX": buffer("f32", ["N"])}
LOGITS = {
    "X": buffer("f32", [7, "C"], NORMAL),
    "LABEL": buffer("i32", [7], given("labels.i32")),
    "DX": buffer("f32", [7, "C"]),
}
TAPS = {"X": buffer("f32", [13, "N"], NORMAL), "DY": buffer("f32", [11, "N"], NORMAL)}
LINEAR = {
    "X": buffer("f16", ["N", 20], NORMAL),
    "DY": buffer("f16", ["N", 24], NORMAL),
    "DW": buffer("f32", [24, 20], "zeros"),
    "DB": buffer("f32", [24], "zeros"),
}

PAIRS = [
    pair(
        "length",
        "rows of length 1 backward with r^3, and in column blocks with divisions",
        {**ROWS, "DX": buffer("f32", [7, "C"])},
        [run("length_backward", (2,), "X", "G", "DX", "f32 1e-6")],
        [run("length_backward_blocks", (2,), "X", "G", "DX", "f32 1e-6")],
        ["DX"],
        [
            mutant(
                "products",
                "length_backward_blocks",
                "products = products + ct.sum",
                "products = ct.sum",
                "the products of the last block",
            ),
            mutant(
                "share",
                "length_backward_blocks",
                "products / squares, ct",
                "products / ct.sqrt(squares), ct",
                "divided by the root",
            ),
            mutant("sign", "length_backward_blocks", "gt - xt * share", "gt + xt * share", "a wrong sign"),
            mutant("squares", "length_backward_blocks", "squares + ct.sum(xt * xt", "squares + ct.sum(xt", "x for x^2"),
            mutant(
                "one_column",
                "length_backward_blocks",
                "dtype=ct.float32)\n    for j in range(ct.num_tiles(x, axis=1, shape=(T, D)))",
                "dtype=ct.float32)\n    for j in range(ct.cdiv(x.shape[1] - 1, D))",
                "a last block with a single column is left out of the sums",
            ),
        ],
        names=("cube", "divisions"),
        parameters=COLUMNS,
    ),
    pair(
        "batch_norm",
        "batch norm backward by normalised values, and by sums of blocks and the derivatives of variance and mean",
        CHANNELS,
        [run("batch_norm_backward", (2,), "X", "GAIN", "DY", "DX", "DG", "DB", "f32 1e-3")],
        [
            run("column_sums", (BY_16, 2), "X", "DY", "SUMS"),
            run("batch_norm_chain", ("cdiv(N, 8)", 2), "X", "GAIN", "DY", "SUMS", "DX", "DG", "DB", "f32 1e-3"),
        ],
        ["DX", "DG", "DB"],
        [
            mutant("no_mean", "batch_norm_chain", " + dmean / rows)", ")", "the derivative of the mean is missing"),
            mutant("half", "batch_norm_chain", "dvar * 2.0", "dvar", "2 is missing in the variance's"),
            mutant("square", "batch_norm_chain", "w * r * r * r * -0.5", "w * r * r * -0.5", "r^2 for r^3"),
            mutant(
                "centred",
                "batch_norm_chain",
                "((sxg - mean * sg) * r)",
                "(sxg * r)",
                "the gain's gradient is not centred",
            ),
            mutant("block", "column_sums", "ct.sum(xt * gt, axis=0)", "ct.sum(xt * xt, axis=0)", "x^2 for x dy"),
            launched(
                "blocks",
                "grid: [cdiv(N, 16), 2], args: [X, DY, SUMS]",
                "grid: [max(cdiv(N, 16) - 1, 1), 2], args: [X, DY, SUMS]",
                "the last block's sums are never computed",
            ),
            launched(
                "one_row",
                "grid: [cdiv(N, 16), 2], args: [X, DY, SUMS]",
                "grid: [max(cdiv(N - 1, 16), 1), 2], args: [X, DY, SUMS]",
                "the sums of a last block with a single row are never computed",
            ),
        ],
        names=("normalised", "chain"),
        parameters={"N": [50, 64, 49, 2]},
    ),
    pair(
        "swiglu",
        "SwiGLU backward with the sigmoid kept, and computed again",
        {**HALVES, "S": buffer("f32", ["N"])},
        [run("sigmoids", (BY_256,), "A", "S"), run("gated_backward_kept", (BY_256,), "A", "U", "S", "DY", "DA", "DU")],
        [run("gated_backward", (BY_128,), "A", "U", "DY", "DA", "DU")],
        ["DA", "DU"],
        [
            mutant("slope", "gated_backward", "n + g * e)", "n - g * e)", "a wrong sign in the slope"),
            mutant("square", "gated_backward", "(n * n)", "n", "n for n^2"),
            mutant("operand", "gated_backward", "(u * d * (n", "(g * d * (n", "the gate for up"),
            mutant("up", "gated_backward", "d * (g / n)", "d * (u / n)", "up in its own gradient"),
            launched(
                "one_element",
                "grid: [cdiv(N, 128)]",
                "grid: [max(cdiv(N - 1, 128), 1)]",
                "a last block with a single element is left out",
            ),
        ],
        names=("kept", "again"),
        parameters=MANY,
    ),
    pair(
        "geglu",
        "a GELU gate backward by tanh, and by a sigmoid of twice the argument",
        GATES,
        [run("gelu_gate_backward", (BY_256,), "A", "U", "DY", "DA", "DU")],
        [run("gelu_gate_backward_sigmoid", (BY_128,), "A", "U", "DY", "DA", "DU")],
        ["DA", "DU"],
        [
            mutant("three", "gelu_gate_backward_sigmoid", "3.0 * (0.044715", "(0.044715", "3 is missing in the slope"),
            mutant("square", "gelu_gate_backward_sigmoid", "g * (1.0 - s) * slope", "g * s * slope", "s for 1 - s"),
            mutant("digit", "gelu_gate_backward_sigmoid", "z = 1.5957691216", "z = 1.5958691216", "a wrong digit"),
            launched(
                "one_element",
                "grid: [cdiv(N, 128)]",
                "grid: [max(cdiv(N - 1, 128), 1)]",
                "a last block with a single element is left out",
            ),
        ],
        names=("tanh", "sigmoid"),
        parameters=MANY,
    ),
    pair(
        "cap",
        "a soft cap backward by tanh, and by one exponential in base 2",
        LINE,
        [run("cap_backward", (BY_256,), "X", "DY", "DX", "f32 3")],
        [run("cap_backward_exp", (BY_128,), "X", "DY", "DX", "f32 3")],
        ["DX"],
        [
            mutant("four", "cap_backward_exp", "4.0 * e", "2.0 * e", "2 for 4"),
            mutant("two", "cap_backward_exp", "2.0 * 1.44269504", "1.44269504", "not twice the argument"),
            mutant("base", "cap_backward_exp", "1.44269504 / cap", "1.44269504 * cap", "multiplied by the cap"),
            launched(
                "one_element",
                "grid: [cdiv(N, 128)]",
                "grid: [max(cdiv(N - 1, 128), 1)]",
                "a last block with a single element is left out",
            ),
        ],
        names=("tanh", "exp"),
        parameters=MANY,
    ),
    pair(
        "smoothed",
        "cross entropy with smoothed labels backward at once, and in column blocks from a running sum",
        LOGITS,
        [run("smoothed_backward", (1,), "X", "LABEL", "DX", "f32 0.1", "f32 0.25")],
        [run("smoothed_backward_blocks", (2,), "X", "LABEL", "DX", "f32 0.1", "f32 0.25")],
        ["DX"],
        [
            mutant(
                "not_rescaled",
                "smoothed_backward_blocks",
                "total * ct.exp(m - new)",
                "total",
                "the sum is not rescaled",
            ),
            mutant(
                "ignored",
                "smoothed_backward_blocks",
                "mine >= 0",
                "mine >= -1",
                "rows without a label are not left out",
            ),
            mutant("label", "smoothed_backward_blocks", "column == mine", "column == mine + 1", "the next label"),
            mutant(
                "smoothing",
                "smoothed_backward_blocks",
                " - scale * smoothing / x.shape[1]",
                "",
                "other labels are not smoothed",
            ),
            mutant("block", "smoothed_backward_blocks", "column = j * V + ", "column = ", "columns within the block"),
            mutant(
                "one_column",
                "smoothed_backward_blocks",
                "0.0, dtype=ct.float32)\n    for j in range(ct.num_tiles(x, axis=1, shape=(T, V)))",
                "0.0, dtype=ct.float32)\n    for j in range(ct.cdiv(x.shape[1] - 1, V))",
                "a last block with a single column is left out of the sum",
            ),
            mutant(
                "column_more",
                "smoothed_backward_blocks",
                "reshape((1, V)) < x.shape[1]",
                "reshape((1, V)) <= x.shape[1]",
                "a column behind the end counts",
            ),
        ],
        names=("once", "blocks"),
        parameters=LABELLED,
    ),
    pair(
        "focal",
        "focal loss backward by the chain rule, and expanded",
        LINE,
        [run("focal_backward", (BY_256,), "X", "DX")],
        [run("focal_backward_expanded", (BY_128,), "X", "DX")],
        ["DX"],
        [
            mutant("log", "focal_backward_expanded", "ct.exp(-xt)", "ct.exp(xt)", "log(1 - p) for log p"),
            mutant("two", "focal_backward_expanded", "-2.0 * p", "-p", "2 is missing"),
            mutant("square", "focal_backward_expanded", "q * q * (", "q * (", "q for q^2"),
            launched(
                "one_element",
                "grid: [cdiv(N, 128)]",
                "grid: [max(cdiv(N - 1, 128), 1)]",
                "a last block with a single element is left out",
            ),
        ],
        names=("chain", "expanded"),
        parameters=MANY,
    ),
    pair(
        "embedding",
        "an embedding's gradient by atomic additions, and by a product with zeros and ones",
        {
            "TOKEN": buffer("i32", [45], given("tokens.i32")),
            "DY": buffer("f32", [45, 20], NORMAL),
            "DE": buffer("f32", [13, 20], "zeros"),
        },
        [run("embedding_backward", (3, 2), "TOKEN", "DY", "DE")],
        [run("embedding_product", (2, 1), "TOKEN", "DY", "DE")],
        ["DE"],
        [
            mutant(
                "last",
                "embedding_product",
                "range(ct.num_tiles(dy, axis=0, shape=(T, C)))",
                "range(dy.shape[0] // T)",
                "the last, incomplete block is left out",
            ),
            mutant(
                "tokens",
                "embedding_product",
                "ct.gather(token, i * T + ct",
                "ct.gather(token, ct",
                "always the first tokens",
            ),
            mutant(
                "stored",
                "embedding_product",
                "padding_mode=ZERO), acc)",
                "padding_mode=ZERO), ct.full((V, C), 0.0, dtype=ct.float32))",
                "nothing is accumulated",
            ),
            mutant("row", "embedding_product", "mine = v * V + ", "mine = v * V + 1 + ", "rows are one off"),
        ],
        names=("atomic", "product"),
    ),
    pair(
        "pool",
        "a pool backward by comparisons, and to the place of the maximum",
        {
            "X": buffer("f32", [7, "3 * N"], NORMAL),
            "DY": buffer("f32", [7, "N"], NORMAL),
            "DX": buffer("f32", [7, "3 * N"]),
        },
        [run("pool_backward", (1, "cdiv(3 * N, 16)"), "X", "DY", "DX")],
        [run("clear", (2, "cdiv(3 * N, 32)"), "DX"), run("pool_backward_scatter", (2, BY_16), "X", "DY", "DX")],
        ["DX"],
        [
            mutant(
                "second",
                "pool_backward_scatter",
                "ct.where(x1 > x0, 1, 0)",
                "ct.where(x1 > x0, 0, 1)",
                "the smaller of the first two",
            ),
            mutant(
                "third",
                "pool_backward_scatter",
                "x2 > ct.maximum(x0, x1)",
                "x2 > x0",
                "the third is not compared with the second",
            ),
            mutant(
                "place",
                "pool_backward_scatter",
                "3 * column + place",
                "3 * column + 2 - place",
                "places the wrong way round",
            ),
            launched(
                "one_column",
                "scatter.tileirbc, grid: [2, cdiv(N, 16)]",
                "scatter.tileirbc, grid: [2, max(cdiv(N - 1, 16), 1)]",
                "a last block with a single column is left out",
            ),
        ],
        names=("compared", "placed"),
        parameters={"N": [20, 16, 17, 1]},
    ),
    pair(
        "taps",
        "a convolution's weight gradient tap by tap, and all taps of a block at once, added",
        {**TAPS, "DW": buffer("f32", [3, 11, 13], "zeros")},
        [run("taps_backward", (2, 2, 3), "X", "DY", "DW")],
        [run("taps_backward_split", (BY_16,), "X", "DY", "DW")],
        ["DW"],
        [
            mutant(
                "taps",
                "taps_backward_split",
                "(0, out, channel), ct.mma(gt, before, zero)",
                "(0, out, channel), ct.mma(gt, behind, zero)",
                "the last tap for the first",
                ("(2, out, channel), ct.mma(gt, behind, zero)", "(2, out, channel), ct.mma(gt, before, zero)"),
            ),
            mutant(
                "block",
                "taps_backward_split",
                "t = ct.arange(C, dtype=ct.int32).reshape((1, C)), i * T + ",
                "t = ct.arange(C, dtype=ct.int32).reshape((1, C)), ",
                "always the first steps of x",
            ),
            launched(
                "last",
                "grid: [cdiv(N, 16)], args: [X, DY, DW]",
                "grid: [max(cdiv(N, 16) - 1, 1)], args: [X, DY, DW]",
                "the last, incomplete block is left out",
            ),
            launched(
                "one_step",
                "grid: [cdiv(N, 16)], args",
                "grid: [max(cdiv(N - 1, 16), 1)], args",
                "a last block with a single step is left out",
            ),
        ],
        names=("taps", "split"),
        parameters=STEPS,
    ),
    pair(
        "taps_input",
        "a convolution's input gradient with taps turned round, and as a product whose parts are put together",
        {
            "W": buffer("f32", [3, 11, 13], NORMAL),
            "DY": TAPS["DY"],
            "P": buffer("f32", [3, 13, "N"]),
            "DX": buffer("f32", [13, "N"]),
        },
        [run("taps_input", (2, BY_16), "W", "DY", "DX")],
        [run("taps_columns", (1, BY_16, 3), "W", "DY", "P"), run("taps_gathered", (2, "cdiv(N, 32)"), "P", "DX")],
        ["DX"],
        [
            mutant(
                "not_turned",
                "taps_gathered",
                "(0, row, column + 1)",
                "(0, row, column - 1)",
                "taps are not turned round",
                ("(2, row, column - 1)", "(2, row, column + 1)"),
            ),
            mutant(
                "last",
                "taps_columns",
                "range(ct.num_tiles(dy, axis=0, shape=(O, T)))",
                "range(dy.shape[0] // O)",
                "the last, incomplete block of channels is left out",
            ),
            launched("third", ", 3], args", ", 2], args", "the last tap is never computed"),
            mutant(
                "tap",
                "taps_columns",
                "ct.load(w, index=(k, o, c)",
                "ct.load(w, index=(1, o, c)",
                "always the middle tap",
            ),
            launched(
                "one_step",
                "grid: [2, cdiv(N, 32)]",
                "grid: [2, max(cdiv(N - 1, 32), 1)]",
                "a last block with a single step is left out",
            ),
        ],
        names=("turned", "parts"),
        parameters=STEPS,
    ),
    pair(
        "linear",
        "a linear layer's gradients at once, and split over the rows with atomic additions",
        LINEAR,
        [run("linear_backward", (2, 2), "X", "DY", "DW", "DB")],
        [run("linear_backward_split", (2, 2, "cdiv(cdiv(N, 16), 3)"), "X", "DY", "DW", "DB", "i32 3")],
        ["DW", "DB"],
        [
            mutant(
                "bias_twice", "linear_backward_split", "if c == 0:", "if c >= 0:", "each block of columns adds the bias"
            ),
            mutant(
                "share",
                "linear_backward_split",
                "range(s * share, ",
                "range(s * share + 1, ",
                "the first block of each share is left out",
            ),
            mutant(
                "not_transposed",
                "linear_backward_split",
                "acc)\n    if",
                "ct.transpose(acc))\n    if",
                "dw is transposed",
            ),
            launched("shares", "DB, i32 3", "DB, i32 2", "shares are too small for the grid"),
            mutant(
                "one_row",
                "linear_backward_split",
                "ct.num_tiles(x, axis=0, shape=(N, T))",
                "ct.cdiv(x.shape[0] - 1, N)",
                "a last block with a single row is skipped",
            ),
        ],
        names=("once", "split"),
        parameters={"N": [100, 128, 97, 1]},
    ),
]
