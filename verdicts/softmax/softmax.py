# SPDX-License-Identifier: Apache-2.0
# Softmax and what is built from it: in blocks, backwards, log-sum-exp, cross entropy, divergence, entropy.
import math

import cuda.tile as ct
from corpus import NORMAL, buffer, given, integers, launched, mutant, pair, run, unseen
from export import array

Const = ct.Constant[int]
ZERO, NEG_INF = ct.PaddingMode.ZERO, ct.PaddingMode.NEG_INF
LOG2_E, LN_2 = 1.4426950408889634, 0.6931471805599453


@ct.kernel
def softmax_rows(x, y, TM: Const, TN: Const):
    """Whole rows, TN at least their length; grid (row blocks)."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    ct.store(y, index=(i, 0), tile=(e / ct.sum(e, axis=1, keepdims=True)).astype(y.dtype))


@ct.kernel
def softmax_base_2(x, y, TM: Const, TN: Const):
    """Base 2, times the reciprocal."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)
    e = ct.exp2((t - ct.max(t, axis=1, keepdims=True)) * LOG2_E)
    ct.store(y, index=(i, 0), tile=(e * (1.0 / ct.sum(e, axis=1, keepdims=True))).astype(y.dtype))


@ct.kernel
def softmax_online(x, y, TM: Const, TN: Const):
    """In blocks of TN columns with a running maximum and sum."""
    i = ct.bid(0)
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)
        m_new = ct.maximum(m, ct.max(t, axis=1, keepdims=True))
        l = l * ct.exp(m - m_new) + ct.sum(ct.exp(t - m_new), axis=1, keepdims=True)
        m = m_new
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)
        ct.store(y, index=(i, j), tile=(ct.exp(t - m) / l).astype(y.dtype))


@ct.kernel
def softmax_by_log(x, y, TM: Const, TN: Const):
    """e to the logarithm of the softmax."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)
    m = ct.max(t, axis=1, keepdims=True)
    log = t - m - ct.log(ct.sum(ct.exp(t - m), axis=1, keepdims=True))
    ct.store(y, index=(i, 0), tile=ct.exp(log).astype(y.dtype))


@ct.kernel
def softmax_no_maximum(x, y, TM: Const, TN: Const):
    """Without a shift, in blocks: safe for scores that are known to be small."""
    i = ct.bid(0)
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    l = ct.full((TM, TN), 0.0, dtype=ct.float32)
    for j in range(blocks):
        l = l + ct.exp(ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32))
    total = ct.sum(l, axis=1, keepdims=True)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)
        ct.store(y, index=(i, j), tile=(ct.exp(t) / total).astype(y.dtype))


@ct.kernel
def column_statistics(x, maxima, sums, TM: Const, TN: Const):
    """Maximum and sum of each block of columns; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)
    m = ct.max(t, axis=1, keepdims=True)
    ct.store(maxima, index=(i, j), tile=m)
    ct.store(sums, index=(i, j), tile=ct.sum(ct.exp(t - m), axis=1, keepdims=True))


@ct.kernel
def softmax_from_statistics(x, maxima, sums, y, BLOCKS: Const, TM: Const, TN: Const):
    """Softmax of one block of columns from all blocks' maxima and sums; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    mt = ct.load(maxima, index=(i, 0), shape=(TM, BLOCKS), padding_mode=NEG_INF)
    lt = ct.load(sums, index=(i, 0), shape=(TM, BLOCKS), padding_mode=ZERO)
    m = ct.max(mt, axis=1, keepdims=True)
    l = ct.sum(lt * ct.exp(mt - m), axis=1, keepdims=True)
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)
    ct.store(y, index=(i, j), tile=(ct.exp(t - m) / l).astype(y.dtype))


@ct.kernel
def temperature_divided(x, y, temperature: float, TM: Const, TN: Const):
    """softmax of x / temperature."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32) / temperature
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    ct.store(y, index=(i, 0), tile=(e / ct.sum(e, axis=1, keepdims=True)).astype(y.dtype))


@ct.kernel
def temperature_folded(x, y, temperature: float, TM: Const, TN: Const):
    """Base 2, with log2(e) / temperature in the exponent."""
    i = ct.bid(0)
    scale = LOG2_E / temperature
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)
    e = ct.exp2(t * scale - ct.max(t, axis=1, keepdims=True) * scale)
    ct.store(y, index=(i, 0), tile=(e / ct.sum(e, axis=1, keepdims=True)).astype(y.dtype))


# ---- backward --------------------------------------------------------------------------------------------------------
@ct.kernel
def softmax_backward(y, dy, dx, TM: Const, TN: Const):
    """dx = y (dy - sum of y dy) from the softmax itself."""
    i = ct.bid(0)
    yt = ct.load(y, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    gt = ct.load(dy, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    ct.store(dx, index=(i, 0), tile=yt * (gt - ct.sum(yt * gt, axis=1, keepdims=True)))


@ct.kernel
def softmax_backward_blocks(x, dy, dx, TM: Const, TN: Const):
    """The same from x: maximum, sum and sum of e dy in one pass over column blocks, then dx."""
    i = ct.bid(0)
    blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    dot = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF)
        g = ct.load(dy, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        m_new = ct.maximum(m, ct.max(t, axis=1, keepdims=True))
        alpha = ct.exp(m - m_new)
        e = ct.exp(t - m_new)
        l = l * alpha + ct.sum(e, axis=1, keepdims=True)
        dot = dot * alpha + ct.sum(e * g, axis=1, keepdims=True)
        m = m_new
    for j in range(blocks):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF)
        g = ct.load(dy, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        p = ct.exp(t - m) / l
        ct.store(dx, index=(i, j), tile=p * g - p * (dot / l))


# ---- log-sum-exp, cross entropy --------------------------------------------------------------------------------------
@ct.kernel
def logsumexp(x, y, TM: Const, TN: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    m = ct.max(t, axis=1, keepdims=True)
    ct.store(y, index=(i,), tile=(m + ct.log(ct.sum(ct.exp(t - m), axis=1, keepdims=True))).reshape((TM,)))


@ct.kernel
def logsumexp_online(x, y, TM: Const, TN: Const):
    """In blocks of columns and base 2."""
    i = ct.bid(0)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(TM, TN))):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF) * LOG2_E
        m_new = ct.maximum(m, ct.max(t, axis=1, keepdims=True))
        l = l * ct.exp2(m - m_new) + ct.sum(ct.exp2(t - m_new), axis=1, keepdims=True)
        m = m_new
    ct.store(y, index=(i,), tile=((m + ct.log2(l)) * LN_2).reshape((TM,)))


@ct.kernel
def logsumexp_running(x, y, TM: Const, TN: Const):
    """A running log-sum-exp: log(e^a + e^b) = max + log(1 + e^-|a - b|) with each block's own."""
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    m = ct.max(t, axis=1, keepdims=True)
    total = m + ct.log(ct.sum(ct.exp(t - m), axis=1, keepdims=True))
    for j in range(1, ct.num_tiles(x, axis=1, shape=(TM, TN))):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF)
        m = ct.max(t, axis=1, keepdims=True)
        here = m + ct.log(ct.sum(ct.exp(t - m), axis=1, keepdims=True))
        total = ct.maximum(total, here) + ct.log(1.0 + ct.exp(-ct.abs(total - here)))
    ct.store(y, index=(i,), tile=total.reshape((TM,)))


@ct.kernel
def cross_entropy(x, target, loss, TM: Const, TN: Const):
    """loss = -log(softmax(x)[target])."""
    i = ct.bid(0)
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    p = e / ct.sum(e, axis=1, keepdims=True)
    right = column == ct.load(target, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    ct.store(loss, index=(i,), tile=-ct.log(ct.sum(ct.where(right, p, 0.0), axis=1)))


@ct.kernel
def cross_entropy_online(x, target, loss, TM: Const, TN: Const):
    """loss = log-sum-exp - x[target], in blocks of columns, the target's score gathered."""
    i = ct.bid(0)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(TM, TN))):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)
        m_new = ct.maximum(m, ct.max(t, axis=1, keepdims=True))
        l = l * ct.exp(m - m_new) + ct.sum(ct.exp(t - m_new), axis=1, keepdims=True)
        m = m_new
    row = i * TM + ct.arange(TM, dtype=ct.int32)
    right = ct.load(target, index=(i,), shape=(TM,), padding_mode=ZERO)
    score = ct.gather(x, (row, right), padding_value=0).astype(ct.float32)
    ct.store(loss, index=(i,), tile=(m + ct.log(l)).reshape((TM,)) - score)


@ct.kernel
def cross_entropy_gradient(x, target, dx, TM: Const, TN: Const):
    """dx = (softmax(x) - one-hot) / rows."""
    i = ct.bid(0)
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    right = column == ct.load(target, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    dxt = (e / ct.sum(e, axis=1, keepdims=True) - ct.where(right, 1.0, 0.0)) / x.shape[0]
    ct.store(dx, index=(i, 0), tile=dxt.astype(dx.dtype))


@ct.kernel
def lse_of_rows(x, lse, TM: Const, TN: Const):
    i = ct.bid(0)
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)
    m = ct.max(t, axis=1, keepdims=True)
    ct.store(lse, index=(i,), tile=(m + ct.log(ct.sum(ct.exp(t - m), axis=1, keepdims=True))).reshape((TM,)))


@ct.kernel
def cross_entropy_gradient_blocks(x, target, lse, dx, scale: float, TM: Const, TN: Const):
    """The same from stored log-sum-exps; grid (row blocks, column blocks)."""
    i, j = ct.bid(0), ct.bid(1)
    column = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN))
    t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO).astype(ct.float32)
    p = ct.exp(t - ct.load(lse, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1)))
    right = ct.load(target, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    ct.store(dx, index=(i, j), tile=(scale * ct.where(column == right, p - 1.0, p)).astype(dx.dtype))


@ct.kernel
def smoothed(x, target, loss, smoothing: float, TM: Const, TN: Const):
    """Cross entropy with the mass `smoothing` spread over all classes: the sum over classes of -q log p."""
    i = ct.bid(0)
    n = x.shape[1]
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    m = ct.max(t, axis=1, keepdims=True)
    log = t - m - ct.log(ct.sum(ct.exp(t - m), axis=1, keepdims=True))
    right = column == ct.load(target, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    q = ct.where(right, 1.0 - smoothing + smoothing / n, smoothing / n)
    ct.store(loss, index=(i,), tile=-ct.sum(ct.where(column < n, q * log, 0.0), axis=1))


@ct.kernel
def smoothed_by_mean(x, target, loss, smoothing: float, TM: Const, TN: Const):
    """The same: log-sum-exp - (1 - smoothing) x[target] - smoothing mean(x)."""
    i = ct.bid(0)
    n = x.shape[1]
    column = ct.arange(TN, dtype=ct.int32).reshape((1, TN))
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    inside = column < n
    m = ct.max(ct.where(inside, t, -math.inf), axis=1, keepdims=True)
    lse = m + ct.log(ct.sum(ct.where(inside, ct.exp(t - m), 0.0), axis=1, keepdims=True))
    right = column == ct.load(target, index=(i,), shape=(TM,), padding_mode=ZERO).reshape((TM, 1))
    score = ct.sum(ct.where(right, t, 0.0), axis=1)
    mean = ct.sum(t, axis=1) / n
    ct.store(loss, index=(i,), tile=lse.reshape((TM,)) - (1.0 - smoothing) * score - smoothing * mean)


@ct.kernel
def divergence(x, z, kl, TM: Const, TN: Const):
    """The Kullback-Leibler divergence of two rows of scores: sum p log(p / q)."""
    i = ct.bid(0)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    u = ct.load(z, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    f = ct.exp(u - ct.max(u, axis=1, keepdims=True))
    p, q = e / ct.sum(e, axis=1, keepdims=True), f / ct.sum(f, axis=1, keepdims=True)
    ct.store(kl, index=(i,), tile=ct.sum(ct.where(inside, p * ct.log(ct.where(inside, p / q, 1.0)), 0.0), axis=1))


@ct.kernel
def divergence_by_scores(x, z, kl, TM: Const, TN: Const):
    """The same: sum p (x - z) - lse(x) + lse(z)."""
    i = ct.bid(0)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    u = ct.load(z, index=(i, 0), shape=(TM, TN), padding_mode=ZERO)
    m, w = ct.max(t, axis=1, keepdims=True), ct.max(u, axis=1, keepdims=True)
    e, f = ct.where(inside, ct.exp(t - m), 0.0), ct.where(inside, ct.exp(u - w), 0.0)
    l, k = ct.sum(e, axis=1, keepdims=True), ct.sum(f, axis=1, keepdims=True)
    ct.store(
        kl,
        index=(i,),
        tile=(ct.sum(e * (t - u), axis=1, keepdims=True) / l - m - ct.log(l) + w + ct.log(k)).reshape((TM,)),
    )


@ct.kernel
def entropy(x, h, TM: Const, TN: Const):
    """-sum p log p."""
    i = ct.bid(0)
    inside = ct.arange(TN, dtype=ct.int32).reshape((1, TN)) < x.shape[1]
    t = ct.load(x, index=(i, 0), shape=(TM, TN), padding_mode=NEG_INF)
    e = ct.exp(t - ct.max(t, axis=1, keepdims=True))
    p = e / ct.sum(e, axis=1, keepdims=True)
    ct.store(h, index=(i,), tile=-ct.sum(ct.where(inside, p * ct.log(ct.where(inside, p, 1.0)), 0.0), axis=1))


@ct.kernel
def entropy_by_scores(x, h, TM: Const, TN: Const):
    """log-sum-exp - sum p x, in blocks of columns."""
    i = ct.bid(0)
    m = ct.full((TM, 1), -math.inf, dtype=ct.float32)
    l = ct.full((TM, 1), 0.0, dtype=ct.float32)
    dot = ct.full((TM, 1), 0.0, dtype=ct.float32)
    for j in range(ct.num_tiles(x, axis=1, shape=(TM, TN))):
        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=ZERO)
        inside = (j * TN + ct.arange(TN, dtype=ct.int32)).reshape((1, TN)) < x.shape[1]
        m_new = ct.maximum(m, ct.max(ct.where(inside, t, -math.inf), axis=1, keepdims=True))
        alpha = ct.exp(m - m_new)
        e = ct.where(inside, ct.exp(t - m_new), 0.0)
        l = l * alpha + ct.sum(e, axis=1, keepdims=True)
        dot = dot * alpha + ct.sum(e * t, axis=1, keepdims=True)
        m = m_new
    ct.store(h, index=(i,), tile=(m + ct.log(l) - dot / l).reshape((TM,)))


ROWS, HALVES, VECTOR, INDICES = array(ct.float32, 2), array(ct.float16, 2), array(ct.float32, 1), array(ct.int32, 1)
KERNELS = {
    "softmax_rows": (softmax_rows, [ROWS, ROWS, 4, 128]),
    "softmax_rows_half": (softmax_rows, [HALVES, HALVES, 4, 128]),
    "softmax_base_2": (softmax_base_2, [ROWS, ROWS, 2, 128]),
    "softmax_online": (softmax_online, [ROWS, ROWS, 8, 16]),
    "softmax_online_half": (softmax_online, [HALVES, HALVES, 8, 16]),
    "softmax_by_log": (softmax_by_log, [ROWS, ROWS, 4, 128]),
    "softmax_no_maximum": (softmax_no_maximum, [ROWS, ROWS, 4, 32]),
    "column_statistics": (column_statistics, [ROWS, ROWS, ROWS, 8, 32]),
    "softmax_from_statistics": (softmax_from_statistics, [ROWS, ROWS, ROWS, ROWS, 4, 8, 32]),
    "temperature_divided": (temperature_divided, [HALVES, HALVES, ct.float32, 4, 128]),
    "temperature_folded": (temperature_folded, [HALVES, HALVES, ct.float32, 4, 128]),
    "softmax_backward": (softmax_backward, [ROWS, ROWS, ROWS, 4, 128]),
    "softmax_backward_blocks": (softmax_backward_blocks, [ROWS, ROWS, ROWS, 8, 16]),
    "logsumexp": (logsumexp, [ROWS, VECTOR, 4, 128]),
    "logsumexp_online": (logsumexp_online, [ROWS, VECTOR, 8, 16]),
    "logsumexp_running": (logsumexp_running, [ROWS, VECTOR, 8, 32]),
    "cross_entropy": (cross_entropy, [HALVES, INDICES, VECTOR, 4, 128]),
    "cross_entropy_online": (cross_entropy_online, [HALVES, INDICES, VECTOR, 8, 16]),
    "cross_entropy_gradient": (cross_entropy_gradient, [HALVES, INDICES, HALVES, 4, 128]),
    "lse_of_rows": (lse_of_rows, [HALVES, VECTOR, 8, 128]),
    "cross_entropy_gradient_blocks": (
        cross_entropy_gradient_blocks,
        [HALVES, INDICES, VECTOR, HALVES, ct.float32, 8, 32],
    ),
    "smoothed": (smoothed, [ROWS, INDICES, VECTOR, ct.float32, 4, 128]),
    "smoothed_by_mean": (smoothed_by_mean, [ROWS, INDICES, VECTOR, ct.float32, 8, 128]),
    "divergence": (divergence, [ROWS, ROWS, VECTOR, 4, 128]),
    "divergence_by_scores": (divergence_by_scores, [ROWS, ROWS, VECTOR, 4, 128]),
    "entropy": (entropy, [ROWS, VECTOR, 4, 128]),
    "entropy_by_scores": (entropy_by_scores, [ROWS, VECTOR, 8, 16]),
}

X, XH, ROW = buffer("f32", [7, 100], given("rows.f32")), buffer("f16", [7, 100], given("rows.f16")), buffer("f32", [7])
G, TARGET = buffer("f32", [7, 100], NORMAL), buffer("i32", [7], integers(0, 99))
XY = {"X": X, "Y": buffer("f32", [7, 100])}
# Rows from files have one size. Pairs named ..._sizes are the same with other contents at others: rows in blocks of 4
# and 8, columns in blocks of 16 and 32: ragged, whole, with one element in the last, two in all (one: softmax is 1).
SIZES = {"R": [13, 9], "C": [50, 64, 33, 2]}
BY_4, BY_8 = "cdiv(R, 4)", "cdiv(R, 8)"
XN, XHN, ROWN = buffer("f32", ["R", "C"], NORMAL), buffer("f16", ["R", "C"], NORMAL), buffer("f32", ["R"])
YN, CLASS = buffer("f32", ["R", "C"]), buffer("i32", ["R"], integers(0, "C - 1"))
ONE_COLUMN = "a last block with a single column is skipped"

PAIRS = [
    pair(
        "online",
        "softmax of whole rows, and in column blocks with a running maximum",
        XY,
        [run("softmax_rows", (2,), "X", "Y")],
        [run("softmax_online", (1,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "sum_not_rescaled",
                "softmax_online",
                "l = l * ct.exp(m - m_new) + ",
                "l = l + ",
                "the running sum is not rescaled",
            ),
            mutant(
                "rescale_inverted",
                "softmax_online",
                "l * ct.exp(m - m_new)",
                "ct.where(l == 0.0, 0.0, l * ct.exp(m_new - m))",
                "the rescale is the wrong way round",
            ),
            mutant(
                "old_maximum",
                "softmax_online",
                "ct.exp(t - m_new)",
                "ct.exp(t - ct.where(m > -math.inf, m, m_new))",
                "a block's weights are relative to the maximum before it",
            ),
            mutant(
                "last_block",
                "softmax_online",
                "    for j in range(blocks):\n"
                "        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)\n"
                "        m_new",
                "    for j in range(blocks - 1):\n"
                "        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF).astype(ct.float32)\n"
                "        m_new",
                "the last block is not summed",
            ),
            mutant(
                "maximum_of_last",
                "softmax_online",
                "tile=(ct.exp(t - m) / l)",
                "tile=(ct.exp(t - ct.max(t, axis=1, keepdims=True)) / l)",
                "normalised with each block's own maximum",
            ),
        ],
    ),
    pair(
        "large",
        "softmax of large scores, whole and in column blocks",
        {"X": buffer("f32", [7, 100], "{normal: {mean: 0, std: 60}}"), "Y": buffer("f32", [7, 100])},
        [run("softmax_rows", (2,), "X", "Y")],
        [run("softmax_online", (1,), "X", "Y")],
        ["Y"],
        [
            unseen(
                "no_maximum",
                "softmax_online",
                "m_new = ct.maximum(m, ct.max(t, axis=1, keepdims=True))",
                "m_new = ct.full((TM, 1), 0.0, dtype=ct.float32)",
                "the maximum is not subtracted, and e^x overflows",
            ),
        ],
    ),
    pair(
        "online_f16",
        "softmax of f16 rows, whole and in column blocks",
        {"X": XH, "Y": buffer("f16", [7, 100])},
        [run("softmax_rows_half", (2,), "X", "Y")],
        [run("softmax_online_half", (1,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "sum_not_rescaled",
                "softmax_online_half",
                "l = l * ct.exp(m - m_new) + ",
                "l = l + ",
                "the running sum is not rescaled",
            ),
            mutant(
                "padded_with_zero",
                "softmax_online_half",
                "padding_mode=NEG_INF).astype(ct.float32)\n        m_new",
                "padding_mode=ZERO).astype(ct.float32)\n        m_new",
                "columns behind the end have score 0",
            ),
        ],
    ),
    pair(
        "base_2",
        "softmax with exp and a division, and with exp2 and a reciprocal",
        XY,
        [run("softmax_rows", (2,), "X", "Y")],
        [run("softmax_base_2", (4,), "X", "Y")],
        ["Y"],
        [
            mutant("no_log2_e", "softmax_base_2", " * LOG2_E", "", "base 2 without log2(e)"),
            mutant("ln_2", "softmax_base_2", "* LOG2_E", "* LN_2", "ln(2) in place of log2(e)"),
            mutant("log2_e_rounded", "softmax_base_2", "* LOG2_E", "* 1.44", "log2(e) rounded to 1.44"),
        ],
    ),
    pair(
        "by_log",
        "softmax, and e to the log-softmax",
        XY,
        [run("softmax_rows", (2,), "X", "Y")],
        [run("softmax_by_log", (2,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "no_maximum",
                "softmax_by_log",
                "log = t - m - ",
                "log = t - ",
                "the maximum is not subtracted from the scores",
            ),
            mutant("log2", "softmax_by_log", "ct.log(", "ct.log2(", "a logarithm to base 2"),
            mutant(
                "sign", "softmax_by_log", "log = t - m - ct", "log = t - m + ct", "the logarithm has the wrong sign"
            ),
        ],
    ),
    pair(
        "no_maximum",
        "softmax, and without the maximum in column blocks",
        XY,
        [run("softmax_rows", (2,), "X", "Y")],
        [run("softmax_no_maximum", (2,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "columns_apart",
                "softmax_no_maximum",
                "total = ct.sum(l, axis=1, keepdims=True)",
                "total = l",
                "the columns of a block are not added up",
            ),
            mutant(
                "half_of_row",
                "softmax_no_maximum",
                "    l = ct.full((TM, TN), 0.0, dtype=ct.float32)\n    for j in range(blocks):",
                "    l = ct.full((TM, TN), 0.0, dtype=ct.float32)\n    for j in range(blocks // 2):",
                "half of the blocks are summed",
            ),
            mutant(
                "starts_at_one",
                "softmax_no_maximum",
                "l = ct.full((TM, TN), 0.0",
                "l = ct.full((TM, TN), 1.0",
                "the sums start at 1",
            ),
        ],
    ),
    pair(
        "two_launches",
        "softmax in one launch, and from the statistics of column blocks in two",
        {**XY, "M": buffer("f32", [7, 4]), "L": buffer("f32", [7, 4])},
        [run("softmax_rows", (2,), "X", "Y")],
        [run("column_statistics", (1, 4), "X", "M", "L"), run("softmax_from_statistics", (1, 4), "X", "M", "L", "Y")],
        ["Y"],
        [
            mutant(
                "not_rescaled",
                "softmax_from_statistics",
                "lt * ct.exp(mt - m)",
                "lt",
                "sums of blocks are added without rescaling",
            ),
            mutant(
                "own_maximum",
                "softmax_from_statistics",
                "tile=(ct.exp(t - m) / l)",
                "tile=(ct.exp(t - ct.max(t, axis=1, keepdims=True)) / l)",
                "relative to the block's own maximum",
            ),
            mutant(
                "maximum_is_sum",
                "column_statistics",
                "ct.exp(t - m)",
                "ct.exp(t)",
                "sums that are not relative to the maximum",
            ),
            launched(
                "three_blocks",
                "grid: [1, 4], args: [X, M, L]",
                "grid: [1, 3], args: [X, M, L]",
                "no statistics of the last block",
            ),
            launched("swapped", "args: [X, M, L, Y]", "args: [X, L, M, Y]", "sums for maxima"),
        ],
        names=("one", "two"),
    ),
    pair(
        "temperature",
        "softmax of x / temperature, and with log2(e) / temperature in the exponent",
        {"X": XH, "Y": buffer("f16", [7, 100])},
        [run("temperature_divided", (2,), "X", "Y", "f32 0.7")],
        [run("temperature_folded", (2,), "X", "Y", "f32 0.7")],
        ["Y"],
        [
            mutant(
                "multiplied",
                "temperature_folded",
                "LOG2_E / temperature",
                "LOG2_E * temperature",
                "multiplied by the temperature",
            ),
            mutant(
                "log2_e_rounded",
                "temperature_folded",
                "LOG2_E / temperature",
                "1.4427 / temperature",
                "log2(e) rounded to 1.4427",
            ),
            mutant(
                "epsilon",
                "temperature_folded",
                "e / ct.sum(e, axis=1, keepdims=True)",
                "e / (ct.sum(e, axis=1, keepdims=True) + 1.0e-6)",
                "an epsilon in the division",
            ),
        ],
    ),
    pair(
        "backward",
        "softmax backward from the result, and from the scores in column blocks",
        {"X": X, "G": G, "Y": buffer("f32", [7, 100]), "D": buffer("f32", [7, 100])},
        [run("softmax_rows", (2,), "X", "Y"), run("softmax_backward", (2,), "Y", "G", "D")],
        [run("softmax_backward_blocks", (1,), "X", "G", "D")],
        ["D"],
        [
            mutant(
                "dot_not_rescaled",
                "softmax_backward_blocks",
                "dot = dot * alpha + ",
                "dot = dot + ",
                "the running dot product is not rescaled",
            ),
            mutant(
                "dot_not_divided",
                "softmax_backward_blocks",
                "p * (dot / l)",
                "p * dot",
                "the dot product is not normalised",
            ),
            mutant("no_dot", "softmax_backward_blocks", "p * g - p * (dot / l)", "p * g", "the second term is missing"),
            mutant(
                "weight_missing",
                "softmax_backward_blocks",
                "p * g - p * (dot / l)",
                "p * g - dot / l",
                "the second term lacks its weight",
            ),
            mutant(
                "sign",
                "softmax_backward_blocks",
                "p * g - p * (dot / l)",
                "p * g + p * (dot / l)",
                "the second term has the wrong sign",
            ),
            mutant(
                "gradient_of_block",
                "softmax_backward_blocks",
                "ct.sum(e * g,",
                "ct.sum(e * e,",
                "weights in the place of gradients",
            ),
        ],
    ),
    pair(
        "logsumexp",
        "log-sum-exp of rows in base e, and in column blocks in base 2",
        {"X": X, "Y": ROW},
        [run("logsumexp", (2,), "X", "Y")],
        [run("logsumexp_online", (1,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "not_rescaled",
                "logsumexp_online",
                "l = l * ct.exp2(m - m_new) + ",
                "l = l + ",
                "the running sum is not rescaled",
            ),
            mutant(
                "log_unscaled",
                "logsumexp_online",
                "(m + ct.log2(l)) * LN_2",
                "m * LN_2 + ct.log2(l)",
                "the logarithm stays in base 2",
            ),
            mutant(
                "natural_log", "logsumexp_online", "ct.log2(l)", "ct.log(l)", "a natural logarithm among powers of 2"
            ),
            mutant("maximum_missing", "logsumexp_online", "(m + ct.log2(l))", "ct.log2(l)", "the maximum is not added"),
        ],
    ),
    pair(
        "logaddexp",
        "log-sum-exp of rows, and a running one of each block's",
        {"X": X, "Y": ROW},
        [run("logsumexp", (2,), "X", "Y")],
        [run("logsumexp_running", (1,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "sign",
                "logsumexp_running",
                "ct.exp(-ct.abs(total - here))",
                "ct.exp(ct.abs(total - here))",
                "the difference has the wrong sign",
            ),
            mutant(
                "minimum",
                "logsumexp_running",
                "ct.maximum(total, here) + ",
                "ct.minimum(total, here) + ",
                "the smaller of both",
            ),
            mutant(
                "no_log",
                "logsumexp_running",
                "ct.maximum(total, here) + ct.log(1.0 + ct.exp(-ct.abs(total - here)))",
                "ct.maximum(total, here) + ct.exp(-ct.abs(total - here))",
                "e^-d for log(1 + e^-d)",
            ),
        ],
    ),
    pair(
        "cross_entropy",
        "-log of the target's softmax, and log-sum-exp minus its score in column blocks",
        {"X": XH, "T": TARGET, "Y": ROW},
        [run("cross_entropy", (2,), "X", "T", "Y")],
        [run("cross_entropy_online", (1,), "X", "T", "Y")],
        ["Y"],
        [
            mutant(
                "not_rescaled",
                "cross_entropy_online",
                "l = l * ct.exp(m - m_new) + ",
                "l = l + ",
                "the running sum is not rescaled",
            ),
            mutant(
                "next_target", "cross_entropy_online", "(row, right)", "(row, right + 1)", "the class after the target"
            ),
            mutant("first_row", "cross_entropy_online", "(row, right)", "(row * 0, right)", "scores of the first row"),
            mutant("no_maximum", "cross_entropy_online", "(m + ct.log(l))", "ct.log(l)", "the maximum is not added"),
            mutant(
                "sign",
                "cross_entropy_online",
                ".reshape((TM,)) - score",
                ".reshape((TM,)) + score",
                "the score has the wrong sign",
            ),
            mutant("base", "cross_entropy_online", "ct.log(l)", "ct.log2(l)", "a logarithm to base 2"),
        ],
    ),
    pair(
        "cross_entropy_gradient",
        "the gradient of the mean cross entropy from rows, and from stored log-sum-exps in column blocks",
        {"X": XH, "T": TARGET, "L": ROW, "D": buffer("f16", [7, 100])},
        [run("cross_entropy_gradient", (2,), "X", "T", "D")],
        [
            run("lse_of_rows", (1,), "X", "L"),
            run("cross_entropy_gradient_blocks", (1, 4), "X", "T", "L", "D", "f32 0.14285715"),
        ],
        ["D"],
        [
            mutant(
                "column_in_block",
                "cross_entropy_gradient_blocks",
                "column = (j * TN + ",
                "column = (",
                "columns counted within the block",
            ),
            mutant("no_target", "cross_entropy_gradient_blocks", "p - 1.0, p", "p, p", "the target is not subtracted"),
            mutant(
                "target_unscaled",
                "cross_entropy_gradient_blocks",
                "scale * ct.where(column == right, p - 1.0, p)",
                "ct.where(column == right, scale * p - 1.0, scale * p)",
                "the target is not divided by the rows",
            ),
            mutant(
                "lse_without_maximum", "lse_of_rows", "(m + ct.log(", "(ct.log(", "the log-sum-exp lacks the maximum"
            ),
            launched("mean_of_columns", "f32 0.14285715", "f32 0.01", "divided by columns, not by rows"),
        ],
    ),
    pair(
        "smoothing",
        "cross entropy with label smoothing as a sum over classes, and from the mean of the scores",
        {"X": X, "T": TARGET, "Y": ROW},
        [run("smoothed", (2,), "X", "T", "Y", "f32 0.1")],
        [run("smoothed_by_mean", (1,), "X", "T", "Y", "f32 0.1")],
        ["Y"],
        [
            mutant(
                "not_a_mean",
                "smoothed_by_mean",
                "ct.sum(t, axis=1) / n",
                "ct.sum(t, axis=1) / 128.0",
                "divided by the tile's width",
            ),
            mutant(
                "others_only",
                "smoothed_by_mean",
                "mean = ct.sum(t, axis=1) / n",
                "mean = (ct.sum(t, axis=1) - score) / (n - 1)",
                "the mass is spread over the other classes only",
            ),
            mutant(
                "full_target",
                "smoothed_by_mean",
                "(1.0 - smoothing) * score",
                "score",
                "the target keeps its full mass",
            ),
        ],
    ),
    pair(
        "divergence",
        "the divergence of two distributions from their ratio, and from scores and log-sum-exps",
        {"X": X, "Z": G, "Y": ROW},
        [run("divergence", (2,), "X", "Z", "Y")],
        [run("divergence_by_scores", (2,), "X", "Z", "Y")],
        ["Y"],
        [
            mutant(
                "order",
                "divergence_by_scores",
                "e * (t - u)",
                "e * (u - t)",
                "the scores' difference has the wrong sign",
            ),
            mutant(
                "weights",
                "divergence_by_scores",
                "ct.sum(e * (t - u), axis=1, keepdims=True) / l",
                "ct.sum(f * (t - u), axis=1, keepdims=True) / k",
                "weighted with the other distribution",
            ),
            mutant("maximum", "divergence_by_scores", "+ w + ct.log(k)", "+ ct.log(k)", "the other maximum is missing"),
        ],
    ),
    pair(
        "entropy",
        "the entropy of a softmax from its logarithm, and from scores in column blocks",
        {"X": X, "Y": ROW},
        [run("entropy", (2,), "X", "Y")],
        [run("entropy_by_scores", (1,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "dot_not_rescaled",
                "entropy_by_scores",
                "dot = dot * alpha + ",
                "dot = dot + ",
                "the running dot product is not rescaled",
            ),
            mutant(
                "dot_shifted",
                "entropy_by_scores",
                "ct.sum(e * t,",
                "ct.sum(e * (t - m_new),",
                "scores relative to the maximum in the dot product",
            ),
            mutant("sign", "entropy_by_scores", "- dot / l", "+ dot / l", "the dot product has the wrong sign"),
        ],
    ),
    # ---- at boundary sizes ----
    pair(
        "online_sizes",
        "softmax of whole rows, and in column blocks with a running maximum, at sizes with tails",
        {"X": XN, "Y": YN},
        [run("softmax_rows", (BY_4,), "X", "Y")],
        [run("softmax_online", (BY_8,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "one_column",
                "softmax_online",
                "blocks = ct.num_tiles(x, axis=1, shape=(TM, TN))",
                "blocks = ct.cdiv(x.shape[1] - 1, TN)",
                ONE_COLUMN,
            ),
            mutant(
                "not_summed",
                "softmax_online",
                "dtype=ct.float32)\n    for j in range(blocks):",
                "dtype=ct.float32)\n    for j in range(ct.cdiv(x.shape[1] - 1, TN)):",
                "a last block with a single column is not summed",
            ),
            mutant(
                "padded_with_zero",
                "softmax_online",
                "padding_mode=NEG_INF).astype(ct.float32)\n        m_new",
                "padding_mode=ZERO).astype(ct.float32)\n        m_new",
                "columns behind the end have score 0",
            ),
            launched(
                "one_row",
                "grid: [cdiv(R, 8)]",
                "grid: [cdiv(R - 1, 8)]",
                "a last block with a single row is left out",
            ),
        ],
        parameters=SIZES,
    ),
    pair(
        "no_maximum_sizes",
        "softmax, and without the maximum in column blocks, at sizes with tails",
        {"X": XN, "Y": YN},
        [run("softmax_rows", (BY_4,), "X", "Y")],
        [run("softmax_no_maximum", (BY_4,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "not_summed",
                "softmax_no_maximum",
                "l = ct.full((TM, TN), 0.0, dtype=ct.float32)\n    for j in range(blocks):",
                "l = ct.full((TM, TN), 0.0, dtype=ct.float32)\n    for j in range(ct.cdiv(x.shape[1] - 1, TN)):",
                "a last block with a single column is not summed",
            ),
        ],
        parameters=SIZES,
    ),
    pair(
        "two_launches_sizes",
        "softmax in one launch, and from the statistics of column blocks in two, at sizes with tails",
        {"X": XN, "Y": YN, "M": buffer("f32", ["R", "cdiv(C, 32)"]), "L": buffer("f32", ["R", "cdiv(C, 32)"])},
        [run("softmax_rows", (BY_4,), "X", "Y")],
        [
            run("column_statistics", (BY_8, "cdiv(C, 32)"), "X", "M", "L"),
            run("softmax_from_statistics", (BY_8, "cdiv(C, 32)"), "X", "M", "L", "Y"),
        ],
        ["Y"],
        [
            launched(
                "one_column",
                "grid: [cdiv(R, 8), cdiv(C, 32)], args: [X, M, L]",
                "grid: [cdiv(R, 8), max(cdiv(C - 1, 32), 1)], args: [X, M, L]",
                "no statistics of a last block with a single column",
            ),
            mutant(
                "padded_with_zero",
                "column_statistics",
                "padding_mode=NEG_INF",
                "padding_mode=ZERO",
                "columns behind the end have score 0",
            ),
            mutant(
                "sums_padded",
                "softmax_from_statistics",
                "padding_mode=ZERO)\n    m = ct.max(mt",
                "padding_mode=ZERO)\n    lt = ct.where(lt == 0.0, 1.0, lt)\n"
                "    mt = ct.where(mt == -math.inf, 0.0, mt)\n    m = ct.max(mt",
                "blocks behind the last count as one column of score 0",
            ),
        ],
        names=("one", "two"),
        parameters=SIZES,
    ),
    pair(
        "backward_sizes",
        "softmax backward from the result, and from the scores in column blocks, at sizes with tails",
        {"X": XN, "G": XN, "Y": YN, "D": YN},
        [run("softmax_rows", (BY_4,), "X", "Y"), run("softmax_backward", (BY_4,), "Y", "G", "D")],
        [run("softmax_backward_blocks", (BY_8,), "X", "G", "D")],
        ["D"],
        [
            mutant(
                "not_summed",
                "softmax_backward_blocks",
                "    for j in range(blocks):\n        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF)\n"
                "        g = ct.load(dy, index=(i, j), shape=(TM, TN), padding_mode=ZERO)\n        m_new",
                "    for j in range(ct.cdiv(x.shape[1] - 1, TN)):\n"
                "        t = ct.load(x, index=(i, j), shape=(TM, TN), padding_mode=NEG_INF)\n"
                "        g = ct.load(dy, index=(i, j), shape=(TM, TN), padding_mode=ZERO)\n        m_new",
                "a last block with a single column is not summed",
            ),
        ],
        parameters=SIZES,
    ),
    pair(
        "logsumexp_sizes",
        "log-sum-exp of rows in base e, and in column blocks in base 2, at sizes with tails",
        {"X": XN, "Y": ROWN},
        [run("logsumexp", (BY_4,), "X", "Y")],
        [run("logsumexp_online", (BY_8,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "one_column",
                "logsumexp_online",
                "ct.num_tiles(x, axis=1, shape=(TM, TN))",
                "ct.cdiv(x.shape[1] - 1, TN)",
                ONE_COLUMN,
            ),
            mutant("padded_with_zero", "logsumexp_online", "=NEG_INF", "=ZERO", "columns behind the end have score 0"),
        ],
        parameters=SIZES,
    ),
    pair(
        "logaddexp_sizes",
        "log-sum-exp of rows, and a running one of each block's, at sizes with tails",
        {"X": XN, "Y": ROWN},
        [run("logsumexp", (BY_4,), "X", "Y")],
        [run("logsumexp_running", (BY_8,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "one_column",
                "logsumexp_running",
                "ct.num_tiles(x, axis=1, shape=(TM, TN))",
                "ct.cdiv(x.shape[1] - 1, TN)",
                ONE_COLUMN,
            ),
        ],
        parameters=SIZES,
    ),
    pair(
        "cross_entropy_sizes",
        "-log of the target's softmax, and log-sum-exp minus its score in column blocks, at sizes with tails",
        {"X": XHN, "T": CLASS, "Y": ROWN},
        [run("cross_entropy", (BY_4,), "X", "T", "Y")],
        [run("cross_entropy_online", (BY_8,), "X", "T", "Y")],
        ["Y"],
        [
            mutant(
                "one_column",
                "cross_entropy_online",
                "ct.num_tiles(x, axis=1, shape=(TM, TN))",
                "ct.cdiv(x.shape[1] - 1, TN)",
                ONE_COLUMN,
            ),
        ],
        parameters=SIZES,
    ),
    pair(
        "entropy_sizes",
        "the entropy of a softmax from its logarithm, and from scores in column blocks, at sizes with tails",
        {"X": XN, "Y": ROWN},
        [run("entropy", (BY_4,), "X", "Y")],
        [run("entropy_by_scores", (BY_8,), "X", "Y")],
        ["Y"],
        [
            mutant(
                "one_column",
                "entropy_by_scores",
                "ct.num_tiles(x, axis=1, shape=(TM, TN))",
                "ct.cdiv(x.shape[1] - 1, TN)",
                ONE_COLUMN,
            ),
            mutant(
                "column_more", "entropy_by_scores", " < x.shape[1]", " <= x.shape[1]", "a column behind the end counts"
            ),
        ],
        parameters=SIZES,
    ),
    pair(
        "divergence_sizes",
        "the divergence of two distributions from their ratio, and from scores and log-sum-exps, at sizes with tails",
        {"X": XN, "Z": XN, "Y": ROWN},
        [run("divergence", (BY_4,), "X", "Z", "Y")],
        [run("divergence_by_scores", (BY_4,), "X", "Z", "Y")],
        ["Y"],
        [
            mutant(
                "column_more",
                "divergence_by_scores",
                " < x.shape[1]",
                " <= x.shape[1]",
                "a column behind the end counts",
            ),
        ],
        parameters={"R": [13, 9], "C": [127, 128, 2]},
    ),
    pair(
        "smoothing_sizes",
        "cross entropy with label smoothing as a sum, and from the mean of the scores, at sizes with tails",
        {"X": XN, "T": CLASS, "Y": ROWN},
        [run("smoothed", (BY_4,), "X", "T", "Y", "f32 0.1")],
        [run("smoothed_by_mean", (BY_8,), "X", "T", "Y", "f32 0.1")],
        ["Y"],
        [
            mutant(
                "column_more", "smoothed_by_mean", "column < n", "column <= n", "a column behind the end counts"
            ),
        ],
        parameters={"R": [13, 9], "C": [127, 128, 2]},
    ),
]
